/* test_coverage.c - what parts of a proof reached, added up and said. */
#include "harness/prove/report.h"
#include "testing.h"

TEST(test_adding_keeps_the_largest_and_sums_the_starts)
{
    struct conform_coverage all = {.fired_capacity = 7, .starts_accepted = 5, .longest_starts = 4};
    struct conform_coverage part = {.fired_capacity = 3,
                                    .starts_accepted = 6,
                                    .starts_refused = 1,
                                    .longest_starts = 6,
                                    .longest_advances = 9,
                                    .settings_tried = 1};
    coverage_add(&all, &part);
    assert_int_equal(all.fired_capacity, 7);
    assert_int_equal(all.starts_accepted, 11);
    assert_int_equal(all.starts_refused, 1);
    assert_int_equal(all.longest_starts, 6);
    assert_int_equal(all.longest_advances, 9);
    assert_int_equal(all.settings_tried, 1);
}

TEST(test_a_remark_is_kept_once)
{
    struct conform_coverage all = {0}, part = {0};
    coverage_remark(&all, "jumps beyond %d ticks", 100);
    coverage_remark(&all, "jumps");
    coverage_remark(&all, "jumps beyond %d ticks", 100);
    coverage_remark(&part, "jumps");
    coverage_remark(&part, "a capacity of %d", 5);
    coverage_add(&all, &part);
    assert_string_equal(all.remarks, "jumps beyond 100 ticks\njumps\na capacity of 5\n");
}

TEST(test_remarks_beyond_the_room_are_dropped_whole)
{
    struct conform_coverage all = {0};
    for (int i = 0; i < 1000; i++)
        coverage_remark(&all, "remark %d of %d, with some more words", i, 1000);
    size_t length = strlen(all.remarks);
    assert_in_range(length, sizeof all.remarks / 2, sizeof all.remarks - 1);
    assert_int_equal(all.remarks[length - 1], '\n');
}

TEST(test_the_sentences_name_every_figure)
{
    struct conform_coverage all = {.fired_capacity = 11,
                                   .most_running = 10,
                                   .settings_tried = 1,
                                   .starts_accepted = 22,
                                   .starts_refused = 33,
                                   .longest_starts = 44,
                                   .longest_advances = 55};
    char text[2048], small[20];
    coverage_remark(&all, "a jump");
    coverage_print(&all, text, sizeof text);
    assert_string_equal(text,
                        "  timers fired in instances of up to 11, of which 10 ran at a time; one "
                        "instance had up to 44 starts and 55 advances\n"
                        "  22 starts accepted, 33 refused; 1 setting tried\n"
                        "  not covered: a jump\n");
    coverage_print(&all, small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
}

TEST_MAIN(NULL, NULL)
