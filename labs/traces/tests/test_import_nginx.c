/* test_import_nginx.c - each rule of nginx's import, by logs of a few lines. */
#include "small_log.h"

#define OF(pid, text)        "2026/11/21 01:36:03 [debug] " pid "#" pid ": " text "\n"
#define LINE(text)           OF("7", text)
#define ADD(fd, timeout, at) LINE("*1 event timer add: " fd ": " timeout ":" at)
#define DEL(fd, at)          LINE("*1 event timer del: " fd ": " at)
#define LAZY(fd, old, new)   LINE("*1 event timer: " fd ", old: " old ", new: " new)
#define DELTA(ms)            LINE("timer delta: " ms)
#define PASS                 LINE("epoll timer: 500")

TEST(test_start_rearm_cancel)
{
    /* A del directly before an add of its fd is half of a re-arm; the connection's number is not looked at. */
    small_log_is("nginx",
                 ADD("3", "500", "1500") DELTA("0") PASS DEL("3", "1500")
                     LINE("event timer add: 3: 3000:4005") DELTA("5") PASS DEL("3", "4005")
                         DELTA("2") PASS,
                 "0 s 0 500\n5 s 0 3000\n7 c 0\n");
    /* Another fd's add, or the delta, between them: a cancel and a start. */
    small_log_is("nginx",
                 ADD("3", "500", "1500") DEL("3", "1500") ADD("4", "500", "1500")
                     ADD("3", "500", "1500"),
                 "0 s 0 500\n0 c 0\n0 s 1 500\n0 s 0 500\n");
    small_log_is("nginx",
                 ADD("3", "500", "1500") DEL("3", "1500") DELTA("0") ADD("3", "500", "1500"),
                 "0 s 0 500\n0 c 0\n0 s 0 500\n");
}

/* Read and write event of a connection have the same number; the deadline says which is meant. */
TEST(test_slots)
{
    small_log_is("nginx",
                 ADD("3", "500", "1500") ADD("3", "600", "1600") ADD("3", "700", "1700")
                     DEL("3", "1600") DEL("3", "1500") ADD("4", "1", "1001")
                         ADD("3", "800", "1800"),
                 "0 s 0 500\n0 s 1 600\n0 s 2 700\n0 c 1\n0 c 0\n0 s 3 1\n0 s 0 800\n");
    /* What is no fd is a number like any other. */
    small_log_is("nginx",
                 ADD("497859360", "5", "1005") ADD("-1", "6", "1006") DEL("497859360", "1005"),
                 "0 s 0 5\n0 s 1 6\n0 c 0\n");
}

/* The clock is that of the pass also for what is written before its add or its delta. */
TEST(test_a_pass_has_one_time)
{
    small_log_is("nginx",
                 ADD("3", "500", "1500") ADD("4", "500", "1500") DELTA("0") PASS DEL("3", "1500")
                     DELTA("30") PASS DEL("4", "1500") ADD("5", "100", "1140") DELTA("10") PASS,
                 "0 s 0 500\n0 s 1 500\n30 c 0\n40 c 1\n40 s 2 100\n");
}

TEST(test_expiry)
{
    struct small_log log;
    /* After the delta and due: an expiry, and no operation.  Its slot is taken until then. */
    small_log_read(&log, "nginx",
                   ADD("3", "500", "1500") DELTA("0") PASS ADD("3", "9", "1511") DELTA("502")
                       DEL("3", "1500") ADD("3", "8", "1510") PASS,
                   NULL);
    assert_string_equal(log.ops, "0 s 0 500\n502 s 1 9\n502 s 0 8\n");
    assert_int_equal(log.import.chosen->builder.counts.obs_ok, 1);
    assert_int_equal(log.import.chosen->builder.counts.expired, 1);
    assert_int_equal(small_log_count(&log.import.converter, "expiries"), 1);
    small_log_close(&log);
    /* After the delta and not due: a cancel. */
    small_log_is("nginx", ADD("3", "500", "1500") DELTA("0") DEL("3", "1500"),
                 "0 s 0 500\n0 c 0\n");
    /* Due and before the delta: a late cancel, which is dropped. */
    small_log_read(&log, "nginx",
                   ADD("3", "500", "1500") DELTA("0") PASS DEL("3", "1500") DELTA("500") PASS,
                   NULL);
    assert_string_equal(log.ops, "0 s 0 500\n");
    assert_int_equal(log.import.chosen->builder.counts.drop_cancel_late, 1);
    small_log_close(&log);
}

static const char lazy_log[] = ADD("3", "500", "1500") DELTA("0") PASS LAZY("3", "1500", "1600")
    DELTA("100") PASS LAZY("3", "1500", "1700") LAZY("9", "1500", "1700") DELTA("100")
        PASS DEL("3", "1500") ADD("3", "500", "2000") DELTA("300") PASS;

TEST(test_lazy)
{
    struct small_log log;
    /* What comes behind names the deadline that is still in the tree. */
    small_log_read(&log, "nginx", lazy_log, NULL);
    assert_string_equal(log.ops, "0 s 0 500\n100 s 0 500\n200 s 0 500\n500 s 0 500\n");
    assert_int_equal(small_log_count(&log.import.converter, "lazy"), 3);
    assert_int_equal(small_log_count(&log.import.converter, "lazy_unmatched"), 1);
    small_log_close(&log);
    small_log_read(&log, "nginx", lazy_log, "lazy=skip", NULL);
    assert_string_equal(log.ops, "0 s 0 500\n500 s 0 500\n");
    assert_non_null(strstr(log.header.source, "lazy=skip"));
    small_log_close(&log);
}

/* Of a refresh that was skipped nginx fires the old deadline, before the one that was written. */
TEST(test_lazy_fires_early)
{
    static const char text[] = ADD("3", "500", "1500") DELTA("0") PASS LAZY("3", "1500", "1600")
        DELTA("100") PASS DELTA("400") DEL("3", "1500") PASS;
    struct small_log log;
    small_log_read(&log, "nginx", text, NULL);
    assert_string_equal(log.ops, "0 s 0 500\n100 s 0 500\n500 c 0\n");
    assert_int_equal(log.import.chosen->builder.counts.obs_early, 1);
    small_log_close(&log);
    small_log_read(&log, "nginx", text, "lazy=skip", NULL);
    assert_string_equal(log.ops, "0 s 0 500\n");
    assert_int_equal(log.import.chosen->builder.counts.obs_ok, 1);
    small_log_close(&log);
}

/* Lines whose timers were armed before the log began, and a first line that is torn. */
TEST(test_begins_in_the_middle)
{
    struct small_log log;
    small_log_read(&log, "nginx",
                   "ent timer add: 8: 3000:9000\n" DEL("3", "1500") LAZY("4", "1", "2") DELTA("3")
                       PASS DEL("5", "1600") ADD("5", "500", "1700") DELTA("1") DEL("6", "1200")
                           PASS DEL("5", "1700") DELTA("50") PASS,
                   NULL);
    assert_string_equal(log.ops, "0 s 0 500\n50 c 0\n");
    assert_int_equal(small_log_count(&log.import.converter, "del_unmatched"), 3);
    assert_int_equal(small_log_count(&log.import.converter, "lazy_unmatched"), 1);
    assert_int_equal(small_log_count(&log.import.converter, "adds"), 1);
    small_log_close(&log);
}

TEST(test_clock_that_disagrees)
{
    struct small_log log;
    /* Passes are missing: the adds know. */
    small_log_read(&log, "nginx",
                   ADD("3", "500", "1500") DELTA("0") PASS ADD("4", "10", "2010") DELTA("7") PASS,
                   NULL);
    assert_string_equal(log.ops, "0 s 0 500\n1000 s 1 10\n");
    assert_int_equal(small_log_count(&log.import.converter, "passes_clock_disagree"), 1);
    assert_int_equal(small_log_count(&log.import.converter, "passes_clock_checked"), 2);
    small_log_close(&log);
    /* An add agrees with the delta, another was made before the clock went on: deadlines stay. */
    small_log_is("nginx",
                 ADD("3", "500", "1500") DELTA("0") PASS ADD("4", "10", "1012")
                     ADD("5", "10", "1017") DELTA("7") PASS,
                 "0 s 0 500\n7 s 1 5\n7 s 2 10\n");
    /* A pass without its delta, and one without its first line. */
    small_log_is("nginx",
                 ADD("3", "500", "1500") DELTA("0") PASS DEL("3", "1500")
                     PASS ADD("3", "500", "1503") DELTA("3") DELTA("4") ADD("4", "500", "1507"),
                 "0 s 0 500\n0 c 0\n3 s 0 500\n7 s 1 500\n");
}

/* The expiry of fd 3 is not in the log: its slot is not held for ever. */
TEST(test_lost_expiry)
{
    struct small_log log;
    small_log_read(&log, "nginx",
                   ADD("3", "500", "1500") DELTA("0") PASS DELTA("900") PASS ADD("3", "500", "2401")
                       DELTA("1") PASS,
                   NULL);
    assert_string_equal(log.ops, "0 s 0 500\n901 s 0 500\n");
    assert_int_equal(small_log_count(&log.import.converter, "slots_abandoned"), 1);
    small_log_close(&log);
}

/* Their lines come in turn; each has its own clock and its own fds. */
TEST(test_workers)
{
    static const char text[] = OF("7", "event timer add: 3: 5:1005")
        OF("8", "event timer add: 3: 6:2006") OF("7", "timer delta: 0") OF("8", "timer delta: 0")
            OF("8", "epoll timer: 1") OF("8", "event timer del: 3: 2006") OF("8", "timer delta: 2")
                OF("7", "epoll timer: 1");
    struct small_log log;
    small_log_read(&log, "nginx", text, NULL);
    assert_string_equal(log.ops, "0 s 0 6\n2 c 0\n");
    assert_int_equal(log.import.chosen->key, 8);
    small_log_close(&log);
    small_log_read(&log, "nginx", text, "pid=7", NULL);
    assert_string_equal(log.ops, "0 s 0 5\n");
    small_log_close(&log);
}

TEST(test_lines)
{
    /* What clients send is logged too, behind something else; broken lines are counted. */
    struct small_log log;
    small_log_read(&log, "nginx",
                   ADD("3", "500", "1500") LINE("*1 http header: \"event timer add: 4: 5:1005\"")
                       LINE("*1 event timer add: 4: 5") LINE("event timer del: 3")
                           LINE("timer delta: -3") ADD("5", "1501", "1500") DELTA("1x")
                               DEL("3", "1500"),
                   NULL);
    assert_string_equal(log.ops, "0 s 0 500\n0 c 0\n");
    assert_int_equal(log.import.broken_lines, 5);
    small_log_close(&log);
    /* Through syslog. */
    small_log_is("nginx",
                 "<191>Nov 21 01:36:03 host nginx: " ADD("3", "500", "1500") DELTA("0")
                     PASS DEL("3", "1500") DELTA("4"),
                 "0 s 0 500\n4 c 0\n");
}

TEST_MAIN(NULL, NULL)
