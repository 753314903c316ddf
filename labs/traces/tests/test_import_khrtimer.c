/* test_import_khrtimer.c - each rule of the hrtimers' import, by logs of a few lines. */
#include "small_log.h"

#include <unistd.h>

/* With nanoseconds, as perf script --ns writes them. */
#define LINE(task, cpu, time, event) task " [00" cpu "] " time ": timer:hrtimer_" event "\n"
#define START(time, timer, expires)  LINE("a  1", "0", time, FIELDS(timer, expires, "0"))
#define FIELDS(timer, expires, was_armed)                                                          \
    "start: hrtimer=" timer " function=f expires=" expires " softexpires=" expires                 \
    " mode=0x0 was_armed=" was_armed
#define CANCEL(time, timer) LINE("a  1", "0", time, "cancel: hrtimer=" timer)
#define EXPIRE(time, timer, now)                                                                   \
    LINE("a  1", "0", time, "expire_entry: hrtimer=" timer " function=f now=" now)
#define SETUP(time, timer, clock)                                                                  \
    LINE("a  1", "0", time, "setup: hrtimer=" timer " clockid=" clock " mode=0x0")

TEST(test_start_and_cancel)
{
    small_log_is("khrtimer",
                 START("10.000000100", "0a", "10000001100")
                     START("10.000000101", "0b", "10000000095") CANCEL("10.000000300", "0b")
                         CANCEL("10.000000400", "0a"),
                 "0 s 0 1000\n1 s 1 -6\n300 c 0\n");
    /* Microseconds, by tracefs. */
    small_log_is("khrtimer",
                 "a-1 [000] d..1. 10.000001: hrtimer_start: hrtimer=0a function=f "
                 "expires=10000003123 softexpires=10000003123 mode=ABS|HARD was_armed=0\n",
                 "0 s 0 2123\n");
}

/* A timer that is set up says nothing of when it starts, and is no beginning of the log. */
TEST(test_clock_begins)
{
    small_log_is("khrtimer",
                 SETUP("9.000000000", "0a", "CLOCK_MONOTONIC")
                     EXPIRE("10.000000000", "0b", "9999999000")
                         START("10.000000100", "0a", "10000001100"),
                 "100 s 0 1000\n");
    /* Nor is the first half of a re-arm. */
    small_log_is("khrtimer", CANCEL("9.999999000", "0a") START("10.000000000", "0a", "10000001000"),
                 "0 s 0 1000\n");
}

TEST(test_rearms)
{
    static const struct {
        const char *lines;
        bool cancel; /* and not a re-arm */
    } cases[] = {
        {CANCEL("10.000000100", "0a") START("10.000020099", "0a", "10009000000"), false},
        {CANCEL("10.000000100", "0a") START("10.000020100", "0a", "10009000000"), true},
        {CANCEL("10.000000100", "0a")
             LINE("a  2", "0", "10.000000200", FIELDS("0a", "10009000000", "0")),
         true},
        {CANCEL("10.000000100", "0a")
             LINE("a  1", "1", "10.000000200", FIELDS("0a", "10009000000", "0")),
         true},
        {LINE("a  1", "1", "10.100000200", FIELDS("0a", "10109000000", "1")), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct small_log log;
        char text[1000];
        snprintf(text, sizeof text, "%s%s", START("10.000000000", "0a", "10900000000"),
                 cases[i].lines);
        small_log_read(&log, "khrtimer", text, NULL);
        assert_int_equal(log.status, DIAG_OK);
        assert_int_equal(log.import.chosen->builder.counts.cancels, cases[i].cancel);
        assert_int_equal(log.import.chosen->builder.counts.starts_rearm, !cases[i].cancel);
        assert_int_equal(small_log_count(&log.import.converter, "start_was_armed"), i == 4);
        small_log_close(&log);
    }
}

/* With a cancel before it or not, as kernels go. */
TEST(test_firing)
{
    static const char *const cancels[] = {"", CANCEL("10.000001090", "0a")};
    for (size_t i = 0; i < 2; i++) {
        struct small_log log;
        char text[1000];
        snprintf(text, sizeof text, "%s%s%s", START("10.000000000", "0a", "10000001000"),
                 cancels[i], EXPIRE("10.000001100", "0a", "10000001010"));
        small_log_read(&log, "khrtimer", text, NULL);
        assert_int_equal(log.status, DIAG_OK);
        assert_string_equal(log.ops, "0 s 0 1000\n");
        const struct builder *builder = &log.import.chosen->builder;
        assert_int_equal(builder->counts.obs_ok, 1);
        assert_int_equal(builder->counts.drop_cancel_late, 0);
        assert_int_equal(builder->now, 1100);
        assert_int_equal(small_log_count(&log.import.converter, "cancel_is_expiry"), i);
        small_log_close(&log);
    }
}

/* Between softexpires and expires: a cancel at that moment. */
TEST(test_fires_early)
{
    struct small_log log;
    small_log_read(&log, "khrtimer",
                   START("10.000000000", "0a", "10000001000")
                       EXPIRE("10.000000900", "0a", "10000000800"),
                   NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 1000\n900 c 0\n");
    assert_int_equal(log.import.chosen->builder.counts.obs_early, 1);
    small_log_close(&log);
}

/* A path of its own for a file of that text. */
static void clocks_write(char *path, const char *text)
{
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
}

#define REALTIME "1795000000000000000" /* minus monotonic, here */

TEST(test_realtime_by_file)
{
    struct small_log log;
    char path[] = "/tmp/test_khrtimer.XXXXXX", key[60];
    clocks_write(path, "realtime-monotonic " REALTIME "\nboottime-monotonic -200\n");
    snprintf(key, sizeof key, "clocks=%s", path);
    small_log_read(&log, "khrtimer",
                   START("10.000000000", "0a", "1795000010000001000")
                       START("10.000000000", "0b", "86410000000000")
                           START("10.000000000", "0c", "1795086410000000000"),
                   key, NULL);
    unlink(path);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 1000\n0 s 1 86400000000000\n0 s 2 86400000000000\n");
    assert_int_equal(small_log_count(&log.import.converter, "start_realtime"), 2);
    assert_string_equal(log.import.notes, "");
    small_log_close(&log);
}

/* The firings show it: the greatest, because they are logged too late and never too early. */
TEST(test_realtime_by_firings)
{
    struct small_log log;
    small_log_read(&log, "khrtimer",
                   START("10.000000000", "0a", "1795000010000100000")
                       EXPIRE("10.000103000", "0a", "1795000010000100000")
                           EXPIRE("10.000203000", "0b", "1795000010000201000"),
                   NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 102000\n");
    assert_non_null(
        strstr(log.import.notes, "1 starts are on CLOCK_REALTIME: it is 1794999999999998000"));
    small_log_close(&log);
}

/* Nobody knows when it is to fire.  That it was armed before, on a clock that is known, ends here. */
TEST(test_realtime_unknown)
{
    struct small_log log;
    small_log_read(&log, "khrtimer",
                   START("10.000000000", "0a", "10000005000") START("10.000000100", "0b",
                                                                    "1795000010000001000")
                       LINE("a  1", "0", "10.000000200", FIELDS("0a", "1795000010000001000", "1"))
                           CANCEL("10.000000300", "0b") CANCEL("10.000000400", "0a"),
                   NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 5000\n200 c 0\n");
    assert_int_equal(small_log_count(&log.import.converter, "drop_start_clock_unknown"), 2);
    assert_int_equal(log.import.chosen->builder.counts.drop_cancel_unknown, 2);
    assert_non_null(strstr(log.import.notes, "2 starts are on CLOCK_REALTIME and were left out"));
    small_log_close(&log);
}

/* The machine slept for an hour.  A timer's address can be set up again, for another clock. */
TEST(test_boottime)
{
    struct small_log log;
    char path[] = "/tmp/test_khrtimer.XXXXXX", key[60];
    clocks_write(path, "boottime-monotonic 3600000000000\n");
    snprintf(key, sizeof key, "clocks=%s", path);
    static const char text[] =
        SETUP("9.000000000", "0a", "CLOCK_BOOTTIME") START("10.000000000", "0a", "3610000001000")
            CANCEL("10.000000010", "0a") SETUP("10.000000015", "0a", "CLOCK_MONOTONIC")
                START("10.000000020", "0a", "3610000000020");
    small_log_read(&log, "khrtimer", text, key, NULL);
    unlink(path);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 1000\n20 s 0 3600000000000\n");
    assert_int_equal(small_log_count(&log.import.converter, "start_boottime"), 1);
    small_log_close(&log);
}

TEST(test_never)
{
    small_log_is("khrtimer", START("10.000000000", "0a", "9223372036854775807"),
                 "0 s 0 9223372026854775807\n");
}

/* trace_clock=local, or perf record without -k: deadlines are on another clock than the lines. */
TEST(test_clock_of_the_log)
{
    struct small_log log;
    small_log_read(&log, "khrtimer",
                   START("10.000000000", "0a", "10000005000")
                       EXPIRE("10.000010000", "0a", "10003010000"),
                   NULL);
    assert_non_null(strstr(log.import.notes, "was trace_clock not mono"));
    small_log_close(&log);
    small_log_read(&log, "khrtimer",
                   START("10.000000000", "0a", "10000005000")
                       EXPIRE("10.000010000", "0a", "10000009000")
                           EXPIRE("10.000010000", "0b", "10000009000")
                               EXPIRE("10.000010000", "0c", "3610000009000"),
                   NULL);
    assert_null(strstr(log.import.notes, "was trace_clock not mono"));
    assert_non_null(
        strstr(log.import.notes, "1 of 3 firings are on a clock that is up to 3599999999 us"));
    small_log_close(&log);
    small_log_read(&log, "khrtimer",
                   START("10.000000000", "0a", "10000005000")
                       EXPIRE("10.000010000", "0a", "10000009000"),
                   NULL);
    assert_string_equal(log.import.notes, "");
    small_log_close(&log);
}

/* Before 4.16 without a mode, before 6.18 without was_armed. */
TEST(test_formats)
{
    static const struct {
        const char *line, *source;
    } cases[] = {
        {"a-1 [000] d..1. 10.000000: hrtimer_start: hrtimer=0a function=f [kvm] "
         "expires=10000001000 "
         "softexpires=10000001000\n",
         "Linux timer:hrtimer_* tracepoints, CLOCK_MONOTONIC ns, deadline=expires"},
        {"a-1 [000] d..1. 10.000000: hrtimer_start: hrtimer=0xffff8882e1128d90 function=f "
         "expires=10000001000 softexpires=10000001000 mode=ABS|PINNED|HARD\n",
         "Linux timer:hrtimer_* tracepoints, CLOCK_MONOTONIC ns, deadline=expires"},
        {START("10.000000", "0a", "10000001000"),
         "Linux 6.18 timer:hrtimer_* tracepoints, CLOCK_MONOTONIC ns, deadline=expires"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct small_log log;
        small_log_read(&log, "khrtimer", cases[i].line, NULL);
        assert_int_equal(log.status, DIAG_OK);
        assert_string_equal(log.ops, "0 s 0 1000\n");
        assert_string_equal(log.header.source, cases[i].source);
        small_log_close(&log);
    }
}

TEST(test_counts)
{
    struct small_log log;
    small_log_read(
        &log, "khrtimer",
        LINE("a  1", "0", "9.000000000", "init: hrtimer=0a clockid=CLOCK_BOOTTIME mode=0x0")
            SETUP("9.000000000", "0b", "CLOCK_MONOTONIC")
                START("10.000000000", "0a",
                      "10000005000") "a-1 [000] d..1. 10.000002: timer_cancel: timer=0a\n",
        NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_int_equal(small_log_count(&log.import.converter, "hrtimer_init"), 1);
    assert_int_equal(small_log_count(&log.import.converter, "hrtimer_setup"), 1);
    assert_int_equal(small_log_count(&log.import.converter, "hrtimer_start"), 1);
    assert_int_equal(small_log_count(&log.import.converter, "mode 0x0"), 1);
    assert_int_equal(small_log_count(&log.import.converter, "unparsed"), 1);
    assert_int_equal(small_log_count(&log.import.functions, "f"), 1);
    small_log_close(&log);
}

TEST(test_broken)
{
    static const struct {
        const char *fields, *expected;
    } cases[] = {
        {"start: hrtimer=0a function=f softexpires=10000001000", "expected expires=NUMBER"},
        {"start: hrtimer=0a function=f expires=-1", "expected expires=NUMBER"},
        {"start: timer=0a function=f expires=10000001000", "expected hrtimer=ADDRESS"},
        {"expire_entry: hrtimer=0a function=f", "expected now=NUMBER"},
        {"cancel:", "expected hrtimer=ADDRESS"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[300];
        snprintf(line, sizeof line, "a-1 [000] d..1. 10.000000: hrtimer_%s\n", cases[i].fields);
        small_log_breaks("khrtimer", line, cases[i].expected);
    }
}

/* An hrtimer has no cpu of its own in the log: the one on which it was started counts. */
TEST(test_selection)
{
    struct small_log log;
    small_log_read(&log, "khrtimer",
                   LINE("a  1", "1", "10.000000000", FIELDS("0a", "10000005000", "0"))
                       START("10.000000100", "0b", "10000005100") LINE("a  1", "0", "10.000000200",
                                                                       "cancel: hrtimer=0a")
                           LINE("a  1", "0", "10.000000300", FIELDS("0a", "10000005300", "0"))
                               LINE("a  1", "1", "10.000000400", FIELDS("0a", "10000005300", "1")),
                   "cpu=1", NULL);
    assert_int_equal(log.status, DIAG_OK);
    assert_string_equal(log.ops, "0 s 0 5000\n300 c 0\n400 s 0 4900\n");
    small_log_close(&log);
}

TEST_MAIN(NULL, NULL)
