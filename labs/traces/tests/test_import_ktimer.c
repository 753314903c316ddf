/* test_import_ktimer.c - each rule of the timer wheel's import, by logs of a few lines. */
#include "small_log.h"

/* At 250 HZ jiffy 1000 begins at 10.000000 s. */
#define LINE(task, cpu, time, event)     task " [00" cpu "] d..1. " time ": timer_" event "\n"
#define START(time, timer, now, timeout) LINE("a-1", "0", time, FIELDS(timer, now, timeout))
#define FIELDS(timer, expires, timeout)                                                            \
    "start: timer=" timer " function=f expires=" expires " [timeout=" timeout                      \
    "] bucket_expiry=" expires " cpu=0 idx=1 flags="
#define CANCEL(time, timer) LINE("a-1", "0", time, "cancel: timer=" timer)
#define EXPIRE(time, timer, now)                                                                   \
    LINE("a-1", "0", time, "expire_entry: timer=" timer " function=f now=" now " baseclk=" now)

TEST(test_start_and_cancel)
{
    small_log_is("ktimer",
                 START("10.000100", "0a", "1010", "10") START("10.000200", "0b", "1000", "0")
                     CANCEL("10.000300", "0b") CANCEL("10.005000", "0a"),
                 "0 s 0 10\n0 s 1 0\n0 c 1\n1 c 0\n");
}

/* Each is a cancel of 0a, and then its start in the same jiffy: one re-arm or both. */
TEST(test_cancel_before_start)
{
    static const struct {
        const char *start;
        bool rearm;
    } cases[] = {
        {START("10.000119", "0a", "1020", "20"), true},
        {START("10.000120", "0a", "1020", "20"), false},
        {LINE("a-2", "0", "10.000101", FIELDS("0a", "1020", "20")), false},
        {LINE("a-1", "1", "10.000101", FIELDS("0a", "1020", "20")), false},
        {LINE("b-1", "0", "10.000101", FIELDS("0a", "1020", "20")), true},
        {CANCEL("10.000101", "0b") START("10.000102", "0a", "1020", "20"), true},
        {START("10.000101", "0b", "1020", "20") START("10.000102", "0a", "1020", "20"), true},
        {EXPIRE("10.000101", "0b", "1000") START("10.000102", "0a", "1020", "20"), true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct small_log log;
        char text[1000];
        snprintf(text, sizeof text, "%s%s%s", START("10.000001", "0a", "1010", "10"),
                 CANCEL("10.000100", "0a"), cases[i].start);
        small_log_read(&log, "ktimer", text, NULL);
        assert_int_equal(log.status, DIAG_OK);
        assert_int_equal(small_log_count(&log.import.converter, "cancel_is_mod"), cases[i].rearm);
        assert_int_equal(log.import.chosen->builder.counts.cancels, !cases[i].rearm);
        assert_int_equal(log.import.chosen->builder.counts.starts_rearm, cases[i].rearm);
        small_log_close(&log);
    }
}

/* What lies between the halves of a re-arm stays where it is. */
TEST(test_order_is_kept)
{
    small_log_is("ktimer",
                 START("10.000001", "0a", "1010", "10") CANCEL("10.000100", "0a")
                     START("10.000101", "0b", "1005", "5") START("10.000102", "0a", "1020", "20")
                         CANCEL("10.000103", "0a") CANCEL("10.000104", "0b"),
                 "0 s 0 10\n0 s 1 5\n0 s 0 20\n0 c 0\n0 c 1\n");
}

TEST(test_cancel_before_firing)
{
    struct small_log log;
    small_log_read(
        &log, "ktimer",
        START("10.000100", "0a", "1002", "2") START("10.000200", "0b", "1002", "2")
            CANCEL("10.009000", "0a") EXPIRE("10.009005", "0a", "1002") CANCEL("10.013000", "0b")
                LINE("a-1", "1", "10.013001", "expire_entry: timer=0b function=f now=1003"),
        NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 2\n0 s 1 2\n");
    assert_int_equal(small_log_count(&log.import.converter, "cancel_is_expiry"), 1);
    assert_int_equal(small_log_count(&log.import.converter, "cancel_is_del"), 1);
    const struct builder *builder = &log.import.chosen->builder;
    assert_int_equal(builder->counts.obs_ok, 1);
    assert_int_equal(builder->counts.drop_cancel_late, 1);
    assert_int_equal(builder->counts.obs_unknown, 1);
    assert_int_equal(builder->now, 3);
    small_log_close(&log);
}

TEST(test_armed_before_the_log)
{
    struct small_log log;
    small_log_read(&log, "ktimer",
                   CANCEL("10.001000", "0c") START("10.005000", "0a", "1011", "10")
                       EXPIRE("10.008100", "0d", "1002"),
                   NULL);
    assert_int_equal(log.status, DIAG_OK);
    /* The clock begins with the first event, of which nothing is written. */
    assert_string_equal(log.ops, "1 s 0 10\n");
    assert_int_equal(log.import.chosen->builder.counts.drop_cancel_unknown, 1);
    assert_int_equal(log.import.chosen->builder.counts.obs_unknown, 1);
    assert_int_equal(log.header.end, 2);
    small_log_close(&log);
}

/* The fit says 1001 for all that lies after 10.004000. */
TEST(test_jiffy_of_a_cancel)
{
#define FITTED START("10.000000", "0f", "1010", "10") START("10.000100", "0a", "1050", "50")
    small_log_is("ktimer", FITTED CANCEL("10.003999", "0a"), "0 s 0 10\n0 s 1 50\n0 c 1\n");
    small_log_is("ktimer", FITTED CANCEL("10.004000", "0a"), "0 s 0 10\n0 s 1 50\n1 c 1\n");
    /* The tick came late: the next event still has 1000. */
    small_log_is("ktimer",
                 FITTED CANCEL("10.004000", "0a") CANCEL("10.004001", "0b")
                     START("10.004500", "0b", "1009", "9"),
                 "0 s 0 10\n0 s 1 50\n0 c 1\n0 s 2 9\n");
    /* jiffies had grown before the log's clock said so. */
    small_log_is("ktimer", FITTED EXPIRE("10.003800", "0c", "1001") CANCEL("10.003801", "0a"),
                 "0 s 0 10\n0 s 1 50\n1 c 1\n");
#undef FITTED
}

/* The first half of a re-arm is in the jiffy of the second, and no beginning of the log either. */
TEST(test_halves_are_no_time)
{
    struct small_log log;
    small_log_read(&log, "ktimer",
                   CANCEL("9.999999", "0a") START("10.000000", "0a", "1010", "10")
                       CANCEL("10.007999", "0a") START("10.008000", "0a", "1020", "18"),
                   "hz=250", NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 10\n2 s 0 18\n");
    small_log_close(&log);
}

TEST(test_fit_is_counted)
{
    struct small_log log;
    small_log_read(&log, "ktimer",
                   START("10.000000", "0a", "1010", "10") START("10.004000", "0a", "1011", "10")
                       START("10.009000", "0a", "1011", "10")
                           START("10.052000", "0a", "1013", "10"),
                   "hz=250", NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_int_equal(small_log_count(&log.import.converter, "jiffy_fit_+0"), 2);
    assert_int_equal(small_log_count(&log.import.converter, "jiffy_fit_+1"), 1);
    /* 10 jiffies are "4 or more". */
    assert_int_equal(small_log_count(&log.import.converter, "jiffy_fit_+4"), 1);
    assert_non_null(strstr(log.import.notes, "HZ=250 fits 2 of 4 starts only"));
    small_log_close(&log);
}

/* A timer of 100 jiffies started in each of 60 jiffies. */
static void ticks_write(char *text, size_t size, uint64_t tick_ns)
{
    *text = '\0';
    for (uint64_t i = 0; i < 60; i++) {
        size_t length = strlen(text);
        uint64_t us = (10000000000 + i * tick_ns + 7000) / 1000;
        snprintf(text + length, size - length,
                 "a-1 [000] d..1. %llu.%06llu: timer_start: timer=%llx function=f expires=%llu "
                 "[timeout=100]\n",
                 (unsigned long long)us / 1000000, (unsigned long long)us % 1000000,
                 (unsigned long long)i + 10, (unsigned long long)i + 4295203100);
    }
}

TEST(test_hz)
{
    static const struct {
        uint64_t tick_ns, hz;
    } cases[] = {{10000000, 100}, {4000000, 250}, {3333333, 300}, {1000000, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct small_log log;
        char text[10000], note[80];
        ticks_write(text, sizeof text, cases[i].tick_ns);
        small_log_read(&log, "ktimer", text, NULL);
        assert_int_equal(log.status, DIAG_OK);
        assert_int_equal(log.header.unit_ns, cases[i].tick_ns);
        assert_int_equal(log.header.end, 59);
        snprintf(note, sizeof note, "took %llu, which fits", (unsigned long long)cases[i].hz);
        assert_non_null(strstr(log.import.notes, note));
        snprintf(note, sizeof note, "HZ=%llu, deadline=expires", (unsigned long long)cases[i].hz);
        assert_non_null(strstr(log.header.source, note));
        small_log_close(&log);
    }
}

/* hz= is obeyed, and a wrong one named. */
TEST(test_hz_given)
{
    struct small_log log;
    char text[10000];
    ticks_write(text, sizeof text, 4000000);
    small_log_read(&log, "ktimer", text, "hz=1000", NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_int_equal(log.header.unit_ns, 1000000);
    assert_non_null(strstr(log.import.notes, "HZ=1000 fits 1 of 60 starts only"));
    small_log_close(&log);
    small_log_read(&log, "ktimer", text, "hz=250", NULL);
    assert_string_equal(log.import.notes, "");
    small_log_close(&log);
}

TEST(test_hz_cannot_be_told)
{
    struct small_log log;
    small_log_read(&log, "ktimer", START("10.000000", "0a", "1010", "10"), NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_int_equal(log.header.unit_ns, 4000000);
    assert_non_null(strstr(log.import.notes, "too short to tell 250 from"));
    small_log_close(&log);
}

/* On a machine of 32 bits. */
TEST(test_jiffies_wrap)
{
    small_log_is("ktimer",
                 START("10.000000", "0a", "4", "10") START("10.020000", "0b", "9", "10")
                     START("10.024000", "0a", "10", "10") START("10.028000", "0a", "11", "10"),
                 "0 s 0 10\n5 s 1 10\n6 s 0 10\n7 s 0 10\n");
    small_log_is("ktimer",
                 START("10.000000", "0a", "4294967295", "10") START("10.044000", "0b", "10", "10"),
                 "0 s 0 10\n11 s 1 10\n");
}

TEST(test_sorts)
{
    struct small_log log;
    small_log_read(&log, "ktimer",
                   START("10.000000", "0a", "1010", "10") CANCEL("10.000010", "0a")
                       START("10.012000", "0b", "1013", "10") START("10.000015", "0a", "1020", "20")
                           CANCEL("10.008000", "0a"),
                   "hz=250", NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 10\n0 s 0 20\n2 c 0\n3 s 1 10\n");
    assert_int_equal(small_log_count(&log.import.converter, "sorted"), 2);
    assert_int_equal(small_log_count(&log.import.converter, "cancel_is_mod"), 1);
    small_log_close(&log);
}

/* One cpu's log behind another's: what is 5000 events back is not sorted but refused. */
TEST(test_refuses_what_goes_back)
{
    struct small_log log;
    enum { HALF = 5000, LENGTH = 100 };
    char *text = malloc((size_t)2 * HALF * LENGTH), *at = text;
    for (unsigned i = 0; i < 2 * HALF; i++)
        at += sprintf(at,
                      "a-1 [00%u] d..1. 10.%06u: timer_start: timer=1 function=f expires=1010 "
                      "[timeout=10]\n",
                      i / HALF, i % HALF * 100 / HALF);
    small_log_read(&log, "ktimer", text, NULL);
    assert_int_equal(log.status, DIAG_USAGE);
    assert_non_null(
        strstr(log.diag.text, "log:5001: time goes back from 10.000099 s to 10.000000 s"));
    small_log_close(&log);
    free(text);
}

/* One line each, of one timer of 10 jiffies, by kernels and programs of all ages. */
TEST(test_formats)
{
    static const char *const lines[] = {
        "a-1 [000] d..1. 10.000000: timer_start: timer=0a function=f expires=1010 [timeout=10]\n",
        "a-1 [000] d..1. 10.000000: timer_start: timer=0a function=f expires=1010 [timeout=10] "
        "flags=0x00000003\n",
        "a-1 [000] d..1. 10.000000: timer_start: timer=0a function=f expires=1010 [timeout=10] "
        "cpu=3 idx=17 flags=D|P\n",
        "a-1 [000] d..1. 10.000000: timer_start: timer=0a function=f [nf_conntrack] expires=1010 "
        "[timeout=10] bucket_expiry=1010 cpu=3 idx=17 flags=D|P|I\n",
        "a b  1 [000] 10.000000000:        timer:timer_start: timer=0xffff8882e1128d90 function=f "
        "expires=1010 [timeout=10] bucket_expiry=1010 cpu=0 idx=77 flags=D|P|I\n",
        "a-1 [000] 10.000000: timer_start: timer=0xffff8882e1128d90 function=f expires=1010 "
        "[timeout=10]\r\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        small_log_is("ktimer", lines[i], "0 s 0 10\n");
}

TEST(test_broken)
{
    static const struct {
        const char *fields, *expected;
    } cases[] = {
        {"start: timer=0a function=f expires=1010", "expected [timeout=NUMBER]"},
        {"start: timer=0a function=f expires=1010 [timeout=1x]", "expected [timeout=NUMBER]"},
        {"start: timer=0a function=f expires=99999999999999999999 [timeout=1]",
         "expected expires=NUMBER"},
        {"start: timer=0a function=f [timeout=1]", "expected expires=NUMBER"},
        {"start: timer=(____ptrval____) function=f expires=1010 [timeout=10]",
         "expected timer=ADDRESS"},
        {"start: timer= function=f expires=1010 [timeout=10]", "expected timer=ADDRESS"},
        {"expire_entry: timer=0a function=f", "expected now=NUMBER"},
        {"cancel: ", "expected timer=ADDRESS"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[300];
        snprintf(line, sizeof line, "a-1 [000] d..1. 10.000000: timer_%s\n", cases[i].fields);
        small_log_breaks("ktimer", line, cases[i].expected);
    }
}

TEST(test_impossible_jiffies)
{
    struct small_log log;
    small_log_read(&log, "ktimer",
                   START("10.000000", "0a", "1010", "10")
                       START("10.000001", "0b", "18446744073709551615", "10")
                           START("10.000002", "0c", "1010", "10"),
                   NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 10\n0 s 1 10\n");
    assert_int_equal(log.import.broken_lines, 1);
    assert_non_null(strstr(log.import.first_broken, "jiffies near those"));
    small_log_close(&log);
}

TEST(test_other_lines)
{
    struct small_log log;
    small_log_read(
        &log, "ktimer",
        "# tracer: nop\n#\n" START("10.000000", "0a", "1010", "10")
            LINE("a-1", "0", "10.000001", "init: timer=0b") LINE("a-1", "0", "10.000001",
                                                                 "expire_exit: timer=0b")
                LINE("a-1", "0", "10.000001",
                     "base_idle: is_idle=1 cpu=0") "CPU:1 [LOST 123 EVENTS]\nCPU:0 [LOST EVENTS]\n"
                                                   "a-1 [000] d..1. 10.000002: hrtimer_cancel: "
                                                   "hrtimer=0a\n" CANCEL("10.000003", "0a"),
        NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 10\n0 c 0\n");
    assert_int_equal(small_log_count(&log.import.converter, "unparsed"), 2);
    assert_int_equal(small_log_count(&log.import.converter, "timer_init"), 1);
    assert_int_equal(small_log_count(&log.import.converter, "timer_expire_exit"), 1);
    assert_true(log.import.lost >= 123);
    small_log_close(&log);
}

#define OF(timer, function, cpu, expires)                                                          \
    "start: timer=" timer " function=" function " expires=" expires " [timeout=10] cpu=" cpu       \
    " idx=1 flags=P"

/* 0a is f's, then g's and gone from the selection, then f's again; 0b is never. */
static const char selections[] = LINE("a-1", "0", "10.000000", OF("0b", "g", "1", "1010"))
    LINE("a-1", "0", "10.000001", OF("0a", "f", "0", "1010"))
        LINE("a-1", "0", "10.000002", "cancel: timer=0a") LINE("a-1", "0", "10.000003",
                                                               OF("0a", "g", "1", "1010"))
            LINE("a-1", "0", "10.000100", "cancel: timer=0a") LINE("a-1", "0", "10.000200",
                                                                   OF("0a", "f", "0", "1010"))
                LINE("a-1", "1", "10.000300", "cancel: timer=0b") LINE("a-1", "1", "10.000400",
                                                                       "cancel: timer=0c")
                    LINE("a-1", "0", "10.044300", "expire_entry: timer=0b function=g now=1011")
                        LINE("a-1", "0", "10.044400", "expire_entry: timer=0a function=f now=1011");

TEST(test_selection)
{
    struct small_log log;
    small_log_read(&log, "ktimer", selections, "cpu=0", "hz=250", NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 10\n0 c 0\n0 s 0 10\n");
    assert_int_equal(log.import.chosen->builder.counts.obs_ok, 1);
    assert_int_equal(log.import.chosen->builder.counts.obs_unknown, 0);
    assert_int_equal(log.import.chosen->builder.counts.drop_cancel_unknown, 0);
    assert_int_equal(small_log_count(&log.import.converter, "left_selection"), 1);
    assert_int_equal(small_log_count(&log.import.functions, "g"), 0);
    assert_int_equal(small_log_count(&log.import.functions, "f"), 2);
    assert_int_equal(small_log_count(&log.import.flags, "P"), 2);
    small_log_close(&log);
}

TEST(test_nothing_selected)
{
    struct small_log log;
    small_log_read(&log, "ktimer", selections, "cpu=9", NULL);
    assert_int_equal(log.status, DIAG_USAGE);
    small_log_close(&log);
}

/* More events than the window holds: what comes too late is not waited for, and nothing is lost. */
TEST(test_long_log)
{
    struct small_log log;
    enum { PAIRS = 50000, LENGTH = 100 };
    char *text = malloc((size_t)(2 * PAIRS + 3) * LENGTH), *at = text;
    at += sprintf(at, "%s%s", START("10.000000", "0a", "1001", "1"), CANCEL("10.000001", "0a"));
    for (unsigned i = 0; i < PAIRS; i++)
        at +=
            sprintf(at,
                    "a-1 [000] . %u.%06u: timer_start: timer=%x function=f expires=%u [timeout=9]\n"
                    "a-1 [000] . %u.%06u: timer_cancel: timer=%x\n",
                    10 + i / 2000, i % 2000 * 500 + 1, i % 7 + 256, 1009 + i / 8, 10 + i / 2000,
                    i % 2000 * 500 + 2, i % 7 + 256);
    sprintf(at, "%s", EXPIRE("35.000000", "0a", "7250"));
    small_log_read(&log, "ktimer", text, NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_int_equal(log.import.chosen->builder.counts.starts_new, PAIRS + 1);
    assert_int_equal(log.import.chosen->builder.counts.cancels, PAIRS + 1);
    assert_int_equal(log.import.chosen->builder.counts.obs_unknown, 1);
    assert_int_equal(small_log_count(&log.import.converter, "cancel_is_del"), PAIRS + 1);
    assert_int_equal(small_log_count(&log.import.converter, "jiffy_fit_+0"), PAIRS + 1);
    assert_int_equal(log.header.end, 6250);
    small_log_close(&log);
    free(text);
}

TEST(test_other_logs)
{
    struct small_log log;
    small_log_read(&log, "ktimer",
                   "a-1 [000] d..1. 10.000002: hrtimer_start: hrtimer=0a function=f expires=1\n",
                   NULL);
    assert_int_equal(log.status, DIAG_USAGE);
    assert_non_null(strstr(log.diag.text, "import khrtimer"));
    small_log_close(&log);
}

TEST_MAIN(NULL, NULL)
