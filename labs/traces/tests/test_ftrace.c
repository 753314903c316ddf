/* test_ftrace.c - lines of tracefs, trace-cmd and perf script. */
#include "labs/traces/import/ftrace.h"
#include "testing.h"

struct good {
    const char *line, *task;
    int64_t pid, tgid;
    uint32_t cpu;
    const char *flags;
    uint64_t ns;
    unsigned precision;
    const char *event, *fields;
};

static void assert_span(struct span span, const char *expected, const char *line)
{
    if (!span_is(span, expected))
        fail_msg("'%.*s' instead of '%s' in: %s", (int)span_length(span), span.at, expected, line);
}

TEST(test_records)
{
    static const struct good goods[] = {
        {"    isc-net-0001-2292    [000] DBZff  2082.660040: uv_timer_stop: (0x7f) h=0x1",
         "isc-net-0001", 2292, -1, 0, "DBZff", 2082660040000, 6, "uv_timer_stop", "(0x7f) h=0x1"},
        {"          <idle>-0       [001] d.h.. 1640.700007: timer_cancel: timer=00fc", "<idle>", 0,
         -1, 1, "d.h..", 1640700007000, 6, "timer_cancel", "timer=00fc"},
        {"  kworker/0:1-events-9 [011] d..2.  1.000001: timer_start: timer=1", "kworker/0:1-events",
         9, -1, 11, "d..2.", 1000001000, 6, "timer_start", "timer=1"},
        {" Monitor Deflati  8006 [001]  2872.641860731:        timer:hrtimer_setup: hrtimer=0xf",
         "Monitor Deflati", 8006, -1, 1, "", 2872641860731, 9, "hrtimer_setup", "hrtimer=0xf"},
        {"swapper     0 [000]  2.5: timer:timer_start:", "swapper", 0, -1, 0, "", 2500000000, 1,
         "timer_start", ""},
        {"unbound  3682/3690 [002] 22.000000: probe_libevent:event_add: (7f44) ev=0x1", "unbound",
         3690, 3682, 2, "", 22000000000, 6, "event_add", "(7f44) ev=0x1"},
        {"perf    -1 [000] 1.000000: timer:timer_cancel: timer=0x1", "perf", -1, -1, 0, "",
         1000000000, 6, "timer_cancel", "timer=0x1"},
        {"bash-12   (  10) [000] d..1. 1.000000: timer_cancel: timer=1", "bash", 12, 10, 0, "d..1.",
         1000000000, 6, "timer_cancel", "timer=1"},
        {"bash-12   (-------) [000] d..1. 1.000000: timer_cancel: timer=1", "bash", 12, -1, 0,
         "d..1.", 1000000000, 6, "timer_cancel", "timer=1"},
        {"bash-12 [000] 1.000000: timer_cancel:     timer=1", "bash", 12, -1, 0, "", 1000000000, 6,
         "timer_cancel", "timer=1"},
        {"a [1] b-12 [003] d.... 1.000000: timer_cancel: timer=1", "a [1] b", 12, -1, 3, "d....",
         1000000000, 6, "timer_cancel", "timer=1"},
        {"a [1] (x)-12 [003] d.... 1.000000: timer_cancel: timer=1", "a [1] (x)", 12, -1, 3,
         "d....", 1000000000, 6, "timer_cancel", "timer=1"},
        {"-12 [003] d.... 1.000000: timer_cancel: timer=1 [002] 2.0: x: y", "", -12, -1, 3, "d....",
         1000000000, 6, "timer_cancel", "timer=1 [002] 2.0: x: y"},
        {"nginx  7 [000] 1.000000:          1 timer:timer_start: timer=1", "nginx", 7, -1, 0, "",
         1000000000, 6, "timer_start", "timer=1"},
        {"nginx-7 [000] ..... 1.000000: timer_cancel: timer=1\r", "nginx", 7, -1, 0, ".....",
         1000000000, 6, "timer_cancel", "timer=1"},
    };
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const struct good *good = &goods[i];
        struct ftrace_record record;
        if (ftrace_read(span_of(good->line, strlen(good->line)), &record) != FTRACE_RECORD)
            fail_msg("not read: %s", good->line);
        assert_span(record.task, good->task, good->line);
        assert_int_equal(record.pid, good->pid);
        assert_int_equal(record.tgid, good->tgid);
        assert_int_equal(record.cpu, good->cpu);
        assert_span(record.flags, good->flags, good->line);
        assert_int_equal(record.ns, good->ns);
        assert_int_equal(record.precision, good->precision);
        assert_span(record.event, good->event, good->line);
        assert_span(record.fields, good->fields, good->line);
    }
}

TEST(test_other_lines)
{
    static const struct {
        const char *line;
        enum ftrace_line kind;
    } others[] = {
        {"", FTRACE_COMMENT},
        {"   \r", FTRACE_COMMENT},
        {"# tracer: nop", FTRACE_COMMENT},
        {"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION", FTRACE_COMMENT},
        {"CPU:1 [LOST 123 EVENTS]", FTRACE_LOST},
        {"CPU:0 [LOST EVENTS]\r", FTRACE_LOST},
        {" => hrtimer_start_range_ns", FTRACE_OTHER},
        {"\tffffffff8114a2a0 timer_start ([kernel.kallsyms])", FTRACE_OTHER},
        {"1] d..1. 1.000000: timer_cancel: timer=1", FTRACE_OTHER},
        {"bash-12 [000] d..1. 1.000000: timer_cancel", FTRACE_OTHER},
        {"bash-12 [000] d..1. 1.0000000000: timer_cancel: timer=1", FTRACE_OTHER},
        {"bash-12 [000] d..1. 123456789: timer_cancel: timer=1", FTRACE_OTHER},
        {"bash [000] d..1. 1.000000: timer_cancel: timer=1", FTRACE_OTHER},
        {"bash-12 [000] d..1.", FTRACE_OTHER},
        {"2026/11/21 01:36:02 [debug] 22937#22937: timer delta: 1025", FTRACE_OTHER},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ftrace_record record;
        if (ftrace_read(span_of(others[i].line, strlen(others[i].line)), &record) != others[i].kind)
            fail_msg("not as expected: %s", others[i].line);
    }
    struct ftrace_record record;
    ftrace_read(span_of("CPU:1 [LOST 123 EVENTS]", 23), &record);
    assert_int_equal(record.cpu, 1);
    assert_int_equal(record.lost, 123);
}

TEST(test_fields)
{
    const char *line =
        "a-1 [0] 1.0: e: timer=00000000abcdef12 cpu_x=9 expires=4295203600 "
        "[timeout=-1250] flags= cpu=3 hex=0x10 word=tick [mod] low=0xffffffffffffffff "
        "gone=(____ptrval____) wide=12345678901234567890123 torn=1";
    struct ftrace_record record;
    struct span value;
    uint64_t number;
    int64_t with_sign;
    assert_int_equal(ftrace_read(span_of(line, strlen(line)), &record), FTRACE_RECORD);
    assert_true(ftrace_address(&record, "timer", &number));
    assert_int_equal(number, 0xabcdef12);
    assert_true(ftrace_unsigned(&record, "expires", &number));
    assert_int_equal(number, 4295203600);
    assert_true(ftrace_signed(&record, "timeout", &with_sign));
    assert_int_equal(with_sign, -1250);
    assert_false(ftrace_unsigned(&record, "timeout", &number));
    assert_true(ftrace_field(&record, "flags", &value));
    assert_int_equal(span_length(value), 0);
    assert_true(ftrace_unsigned(&record, "cpu", &number));
    assert_int_equal(number, 3);
    assert_true(ftrace_unsigned(&record, "hex", &number));
    assert_int_equal(number, 16);
    assert_true(ftrace_signed(&record, "hex", &with_sign));
    assert_int_equal(with_sign, 16);
    assert_true(ftrace_signed(&record, "low", &with_sign));
    assert_int_equal(with_sign, -1);
    assert_true(ftrace_field(&record, "word", &value));
    assert_span(value, "tick", line);
    assert_false(ftrace_unsigned(&record, "word", &number));
    assert_false(ftrace_signed(&record, "word", &with_sign));
    assert_false(ftrace_address(&record, "gone", &number));
    assert_false(ftrace_unsigned(&record, "wide", &number));
    assert_false(ftrace_field(&record, "time", &value));
    assert_false(ftrace_field(&record, "timers", &value));
    assert_true(ftrace_unsigned(&record, "torn", &number));
}

TEST_MAIN(NULL, NULL)
