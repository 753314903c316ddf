/* test_script.c - the language of `twbench show`, and where exactly a script is wrong. */
#include "labs/teach/show/script.h"
#include "testing.h"

static struct script *parse(const char *text, uint64_t tick_ns)
{
    struct script *script = NULL;
    struct diag diag = {""};
    int status = script_parse("x.tws", text, strlen(text), tick_ns, &script, &diag);
    if (status != DIAG_OK)
        fail_msg("%s", diag.text);
    return script;
}

static void expect(const struct script *script, size_t index, enum script_verb verb, uint32_t timer,
                   uint64_t amount)
{
    const struct script_statement *statement = &script->statements[index];
    assert_true(index < script->statement_count);
    assert_int_equal(statement->verb, verb);
    assert_int_equal(statement->timer, timer);
    assert_int_equal(statement->amount, amount);
}

TEST(test_statements)
{
    struct script *script = parse(
        "add a 3s; add b-2 10 # both\n\n tick; tick 4\nrestart a 1m;stop b-2;jump 2h ;next 7", 0);
    assert_int_equal(script->statement_count, 8);
    expect(script, 0, SCRIPT_ADD, 0, 3);
    expect(script, 1, SCRIPT_ADD, 1, 10);
    expect(script, 2, SCRIPT_TICK, 0, 1);
    expect(script, 3, SCRIPT_TICK, 0, 4);
    expect(script, 4, SCRIPT_RESTART, 0, 60);
    expect(script, 5, SCRIPT_STOP, 1, 0);
    expect(script, 6, SCRIPT_JUMP, 0, 7200);
    expect(script, 7, SCRIPT_NEXT, 0, 7);
    assert_int_equal(script->name_count, 2);
    assert_string_equal(script->names[1], "b-2");
    assert_int_equal(script->longest_ticks, 60);
    assert_string_equal(script->statements[4].text, "restart a 1m");
    assert_int_equal(script->statements[4].line, 4);
    assert_int_equal(script->statements[3].column, 8);
    script_free(script);
}

TEST(test_unit)
{
    struct script *script = parse("unit 100ms; add a 950ms; add b 1s; add c 2", 0);
    assert_int_equal(script->tick_ns, 100000000);
    expect(script, 0, SCRIPT_ADD, 0, 10);
    assert_true(script->statements[0].rounded);
    expect(script, 1, SCRIPT_ADD, 1, 10);
    assert_false(script->statements[1].rounded);
    expect(script, 2, SCRIPT_ADD, 2, 2);
    script_free(script);
    /* The caller's tick wins. */
    script = parse("unit 100ms; add a 950ms", 1000000);
    expect(script, 0, SCRIPT_ADD, 0, 950);
    script_free(script);
}

TEST(test_text_is_tidied)
{
    struct script *script = parse("  add \t a   3s   # why\r\n", 0);
    assert_string_equal(script->statements[0].text, "add a 3s");
    script_free(script);
}

TEST(test_mistakes)
{
    static const char delay[] = "expected a delay such as 3s, or ticks such as 30";
    static const char verbs[] = "expected add, restart, stop, tick, jump, next or unit";
    static const struct {
        const char *script, *place, *found, *expected;
    } rows[] = {
        {"", ":1:1: ", "found the end", "expected statements"},
        {"# nothing\n  ;;\n", ":3:1: ", "found the end", "expected statements"},
        {"foo a", ":1:1: ", "found 'foo'", verbs},
        {"add a 3s\n  ad b 3s", ":2:3: ", "found 'ad'", verbs},
        {"tick; Tick", ":1:7: ", "found 'Tick'", verbs},
        {"tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt", ":1:1: ", "t?'",
         verbs},
        {"add a", ":1:6: ", "found the end of the statement", delay},
        {"add a # 3s", ":1:11: ", "found the end of the statement", delay},
        {"add a 3x", ":1:7: ", "found '3x'", delay},
        {"add a -3s", ":1:7: ", "found '-3s'", delay},
        {"add a 1e30d", ":1:7: ", "found '1e30d'", delay},
        {"add a 1.5", ":1:7: ", "found '1.5'", delay},
        {"add 3s", ":1:5: ", "found '3s'", "expected the name of a timer"},
        {"add", ":1:4: ", "found the end of the statement", "expected the name of a timer"},
        {"add abcdefghijklmnop 3", ":1:5: ", "found 'abcdefghijklmnop'", "at most 15"},
        {"add a 3 4", ":1:9: ", "found '4'", "expected a semicolon or the end of the line"},
        {"stop a", ":1:6: ", "found 'a'", "expected the name of a timer that was added before"},
        {"add a 3; restart b 3", ":1:18: ", "found 'b'", "that was added before"},
        {"tick x", ":1:6: ", "found 'x'", "expected how often"},
        {"tick 1e9", ":1:1: ", "found 'tick 1e9'", "at most 100000 single steps"},
        {"tick 60000; tick 60000", ":1:13: ", "found 'tick 60000'", "jump"},
        {"jump", ":1:5: ", "found the end of the statement", delay},
        {"tick; unit 1s", ":1:7: ", "found 'unit'", "expected unit before every other statement"},
        {"unit 0s; tick", ":1:6: ", "found '0s'", "expected the length of a tick"},
        {"unit 5; tick", ":1:6: ", "found '5'", "expected the length of a tick"},
        {"# \xc3\xa4\xc3\xb6\nadd \xc3\xa4 3; x", ":2:5: ", "found '\?\?'", "the name of a timer"},
        {"add a 3; # \xc3\xa4\n\xc3\xa4\xc3\xb6", ":2:1: ", "found '\?\?\?\?'", verbs},
        {"add a 3 \xc3\xa4 x", ":1:9: ", "found '\?\?'", "expected a semicolon"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct script *script = NULL;
        struct diag diag = {""};
        char place[40];
        snprintf(place, sizeof place, "x.tws%s", rows[i].place);
        int status =
            script_parse("x.tws", rows[i].script, strlen(rows[i].script), 0, &script, &diag);
        if (status != DIAG_USAGE || strncmp(diag.text, place, strlen(place)) != 0 ||
            !strstr(diag.text, rows[i].found) || !strstr(diag.text, rows[i].expected))
            fail_msg("'%s': status %d, '%s', not '%s %s, %s'", rows[i].script, status, diag.text,
                     place, rows[i].found, rows[i].expected);
        assert_null(script);
    }
}

/* A byte of zero and one behind the end are not the language's. */
TEST(test_bytes_are_counted)
{
    struct script *script = NULL;
    struct diag diag = {""};
    assert_int_equal(script_parse("x", "tick\0x", 6, 0, &script, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "x:1:1: found 'tick?x'"));
    assert_int_equal(script_parse("x", "tick 3x", 6, 0, &script, &diag), DIAG_OK);
    expect(script, 0, SCRIPT_TICK, 0, 3);
    script_free(script);
}

TEST(test_too_many_names)
{
    static char text[40 * (SCRIPT_TIMERS_MAX + 1)];
    struct script *script = NULL;
    struct diag diag = {""};
    size_t used = 0;
    for (int i = 0; i <= SCRIPT_TIMERS_MAX; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "add t%d 3\n", i);
    assert_int_equal(script_parse("x", text, used, 0, &script, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "x:1001:5: found 't1000', expected no further name"));
}

TEST_MAIN(NULL, NULL)
