/* test_text.c - texts grow piece by piece, and are cut where the buffer ends. */
#include "harness/base/text.h"
#include "testing.h"

TEST(test_lists_have_no_separator_before_the_first)
{
    char buffer[32];
    struct text text = text_in(buffer, sizeof buffer);
    assert_string_equal(buffer, "");
    text_add_item(&text, ", ", "%s", "a");
    text_add_item(&text, ", ", "%d", 2);
    text_add(&text, "!");
    assert_string_equal(buffer, "a, 2!");
    struct text more = text_behind(buffer, sizeof buffer);
    text_add_item(&more, "; ", "c");
    assert_string_equal(buffer, "a, 2!; c");
}

TEST(test_what_does_not_fit_is_cut)
{
    char buffer[9] = "xxxxxxx";
    buffer[8] = '#'; /* behind what the text may use */
    struct text text = text_in(buffer, 8);
    for (int i = 0; i < 5; i++)
        text_add_item(&text, ", ", "abc");
    assert_string_equal(buffer, "abc, ab");
    assert_int_equal(text.used, 7);
    assert_int_equal(buffer[8], '#');
}

/* Two blanks behind a sentence stay within a line, and none are left at its end. */
TEST(test_wrapped_lines_end_without_blanks)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    wrap_write(out, "One two.  Three four.  Five", 0, 2, 13);
    fclose(out);
    assert_string_equal(text, "One two.\n  Three four.\n  Five\n");
    free(text);
    out = open_memstream(&text, &size);
    wrap_write(out, "One.  Two three", 4, 1, 14);
    fclose(out);
    assert_string_equal(text, "One.  Two\n three\n");
    free(text);
}

TEST_MAIN(NULL, NULL)
