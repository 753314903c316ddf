/* test_import_libuv.c - each rule of libuv's import, by logs of a few lines. */
#include "small_log.h"

#define START(h, flags, now, timeout)                                                              \
    "isc-net-0001-2292 [000] DBZff 2082.660040: uv_timer_start: (0x7f) h=" h                       \
    " loop=0x1 flags=" flags " now=" now " timeout=" timeout " repeat=0\n"
#define STOP(h, flags, now, deadline)                                                              \
    "isc-net-0001-2292 [000] DBZff 2082.660041: uv_timer_stop: (0x7f) h=" h                        \
    " loop=0x1 flags=" flags " now=" now " deadline=" deadline "\n"

static uint64_t counted(const struct small_log *log, const char *name)
{
    return small_log_count(&log->import.converter, name);
}

TEST(test_start_and_stop)
{
    struct small_log log;
    small_log_read(&log, "libuv",
                   STOP("0xa", "8", "90", "0") START("0xa", "8", "100", "50")
                       START("0xb", "8", "100", "60") STOP("0xa", "13", "120", "150")
                           STOP("0xa", "9", "120", "150"),
                   NULL);
    assert_string_equal(log.ops, "0 s 0 50\n0 s 1 60\n20 c 0\n");
    assert_int_equal(counted(&log, "stop_of_inactive"), 2);
    assert_int_equal(counted(&log, "start"), 2);
    assert_int_equal(counted(&log, "stop"), 3);
    small_log_close(&log);
    /* As a probe of unsigned hexadecimal fields prints them, by perf script. */
    small_log_is("libuv",
                 "named  2292 [000]  2082.660040: probe_libuv:uv_timer_start: (7fcc) h=0xa "
                 "loop=0x1 flags=0x8 now=0x64 timeout=0x32 repeat=0x0\n",
                 "0 s 0 50\n");
}

/* The stop inside the start of an active handle comes behind it, and is neither cancel nor expiry. */
TEST(test_rearm)
{
    struct small_log log;
    small_log_read(&log, "libuv",
                   START("0xa", "8", "100", "50") START("0xa", "12", "110", "70")
                       STOP("0xa", "12", "110", "150") START("0xa", "12", "180", "5")
                           STOP("0xa", "12", "180", "180") STOP("0xa", "12", "183", "185"),
                   NULL);
    assert_string_equal(log.ops, "0 s 0 50\n10 s 0 70\n80 s 0 5\n83 c 0\n");
    assert_int_equal(counted(&log, "stop_in_start"), 2);
    small_log_close(&log);
    /* Only directly behind it. */
    small_log_is("libuv",
                 START("0xa", "12", "100", "50") START("0xb", "8", "100", "50")
                     STOP("0xa", "12", "100", "150"),
                 "0 s 0 50\n0 s 1 50\n0 c 0\n");
    /* Newer versions stop a handle that is not active as well, which does nothing. */
    small_log_is("libuv",
                 START("0xa", "8", "100", "50") STOP("0xa", "8", "100", "0")
                     STOP("0xa", "12", "101", "150"),
                 "0 s 0 50\n1 c 0\n");
}

TEST(test_expiry)
{
    struct small_log log;
    small_log_read(&log, "libuv",
                   START("0xa", "8", "100", "50") START("0xb", "8", "100", "0")
                       STOP("0xb", "12", "100", "100") STOP("0xa", "12", "152", "150")
                           START("0xa", "8", "152", "50") STOP("0xc", "12", "153", "140")
                               STOP("0xd", "12", "153", "190"),
                   NULL);
    const struct builder_counts *counts = &log.import.chosen->builder.counts;
    assert_string_equal(log.ops, "0 s 0 50\n0 s 1 0\n52 s 0 50\n");
    assert_int_equal(counted(&log, "stop_at_expiry"), 3);
    assert_int_equal(counts->obs_ok, 1);
    assert_int_equal(counts->obs_same_tick, 1);
    assert_int_equal(counts->obs_unknown, 1);
    assert_int_equal(counts->drop_cancel_unknown, 1);
    assert_int_equal(counts->expired, 2);
    small_log_close(&log);
}

TEST(test_refused_starts)
{
    struct small_log log;
    small_log_read(&log, "libuv", START("0xa", "9", "100", "50") START("0xb", "8", "100", "50"),
                   NULL);
    assert_string_equal(log.ops, "0 s 0 50\n");
    assert_int_equal(counted(&log, "start_of_closing"), 1);
    small_log_close(&log);
    /* A timeout without end, which libuv takes for the end of time, is one. */
    small_log_is("libuv", START("0xa", "8", "100", "18446744073709551615"),
                 "0 s 0 9223372036854775807\n");
}

#define ON(loop, cpu, pid, h)                                                                      \
    "my node-" pid " [00" cpu "] ..... 1.000000: uv_timer_start: (0x7f) h=" h " loop=" loop        \
    " flags=8 now=100 timeout=" h "0 repeat=0\n"

TEST(test_selection)
{
    static const char text[] = ON("0x1", "0", "5", "1") ON("0x2", "0", "6", "2")
        ON("0x2", "1", "6", "3") ON("0x1", "1", "7", "4") ON("0x2", "1", "7", "5");
    static const struct {
        const char *key, *ops;
    } cases[] = {
        {"ids=address", "0 s 0 20\n0 s 1 30\n0 s 2 50\n"},
        {"loop=0x1", "0 s 0 10\n0 s 1 40\n"},
        {"loop=1", "0 s 0 10\n0 s 1 40\n"},
        {"cpu=1", "0 s 0 30\n0 s 1 50\n"},
        {"pid=7", "0 s 0 40\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct small_log log;
        small_log_read(&log, "libuv", text, cases[i].key, NULL);
        assert_string_equal(log.ops, cases[i].ops);
        small_log_close(&log);
    }
    struct small_log log;
    small_log_read(&log, "libuv", text, "loop=0x3", NULL);
    assert_int_equal(log.status, DIAG_USAGE);
    assert_string_equal(log.diag.text, "log: nothing in it is what was selected; there are loop "
                                       "0x2 (3 lines), 0x1 (2 lines)");
    small_log_close(&log);
}

TEST(test_other_lines)
{
    struct small_log log;
    small_log_read(&log, "libuv",
                   "# tracer: nop\r\n\r\nCPU:1 [LOST 12 EVENTS]\n7fcc) h=0x1 loop=0x1\n"
                   "a-1 [000] ..... 1.000000: sched_switch: prev=a next=b\n"
                   "a-1 [000] ..... 1.000000: uv_timer_start: (0x7f) h=0xa loop=0x1 flags=8\n"
                   "a-1 [000] ..... 1.000000: uv_timer_start: (0x7f) h=(fault) loop=0x1 flags=8 "
                   "now=1 timeout=1\n" START("0xa", "8", "100", "50") "a-1 [000] ..... 1.0",
                   NULL);
    assert_string_equal(log.ops, "0 s 0 50\n");
    assert_int_equal(log.import.lost, 12);
    assert_int_equal(log.import.broken_lines, 2);
    assert_int_equal(log.import.torn, 1);
    small_log_close(&log);
}

TEST_MAIN(NULL, NULL)
