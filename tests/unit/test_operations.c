/* test_operations.c - operation lists as text, and the timers and deadlines that many-lines stand for. */
#include "harness/prove/operations.h"
#include "testing.h"

static const struct tw_param no_params[] = {{NULL, NULL, 0, 0, 0}};

TEST(test_what_is_printed_is_read_back)
{
    static const char text[] = "capacity 2000\n"
                               "now 5\n"
                               "horizon 7\n"
                               "walk 65536\n"
                               "start 0 +8\n"
                               "start 0..99 +500 each -3\n"
                               "start 0..1999 +500 within 40 shuffled\n"
                               "stop 3..9 shuffled\n"
                               "on 0..99 start 50 +8 times 3\n"
                               "on 7 stop 8\n"
                               "advance -5\n"
                               "advance +1 times 20\n"
                               "next\n"
                               "again 3 times 500\n"
                               "inspect\n";
    char printed[4096];
    struct operations operations;
    operations_init(&operations, 1);
    assert_int_equal(operations_parse(text, no_params, &operations), 0);
    operations_print(&operations, printed, sizeof printed);
    assert_string_equal(printed, text);
    operations_clear(&operations);
}

TEST(test_nonsense_is_refused)
{
    static const char *const lines[] = {
        "start 0 +8 within 0",        "again", "again x", "on 3..1 stop 0", "next 1", "walk",
        "stop 0..9 shuffled shuffled"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct operations operations;
        operations_init(&operations, 10);
        assert_int_equal(operations_parse(lines[i], no_params, &operations), 1);
        operations_clear(&operations);
    }
}

TEST(test_shuffled_timers_come_once_each)
{
    for (uint32_t count = 1; count < 300; count++) {
        const struct operation operation = {
            .code = OPERATION_STOP, .id = 7, .times = count, .is_shuffled = true};
        unsigned char *seen = calloc(count, 1);
        uint32_t in_place = 0;
        assert_non_null(seen);
        for (uint32_t i = 0; i < count; i++) {
            tw_id id = operation_timer(&operation, i);
            assert_in_range(id, 7, 7 + count - 1);
            assert_int_equal(seen[id - 7]++, 0);
            in_place += id == 7 + i;
        }
        assert_true(count < 20 || in_place < count / 2);
        free(seen);
    }
}

TEST(test_scattered_deadlines_belong_to_the_timer)
{
    struct operation all = {
        .code = OPERATION_START, .times = 64, .base = '+', .ticks = 10, .within = 5};
    struct operation one = all;
    unsigned hits[5] = {0};
    one.times = 1;
    for (uint32_t i = 0; i < 64; i++) {
        one.id = i;
        tw_tick deadline = operations_deadline(&all, i, 100);
        assert_in_range(deadline, 110, 114);
        assert_int_equal(operations_deadline(&one, 0, 100), deadline);
        hits[deadline - 110]++;
    }
    for (int i = 0; i < 5; i++)
        assert_true(hits[i] > 0);
}

TEST_MAIN(NULL, NULL)
