/* test_import_libevent.c - each rule of libevent's import, by logs of a few lines. */
#include "small_log.h"

#define BY(pid, time, event) "unbound-" pid " [000] DBZff  2243." time ": event_" event "\n"
#define LINE(time, event)    BY("3682", time, event)
#define ADD(time, ev, usec)                                                                        \
    LINE(time, "add_nolock_: (0x7f) ev=" ev " tv=0x7ffe sec=0 usec=" usec " abs=0")
#define ADD_ABS(time, ev, sec, usec)                                                               \
    LINE(time, "add_nolock_: (0x7f) ev=" ev " tv=0x7ffe sec=" sec " usec=" usec " abs=1")
#define ADD_NONE(time, ev)  LINE(time, "add_nolock_: (0x7f) ev=" ev " tv=0x0 sec=7 usec=9 abs=0")
#define DEL(time, ev)       LINE(time, "del_nolock_: (0x7f) ev=" ev " blocking=2")
#define ACTIVE(time, ev, r) LINE(time, "active_nolock_: (0x7f) ev=" ev " res=" r)

static uint64_t counted(const struct small_log *log, const char *name)
{
    return small_log_count(&log->import.converter, name);
}

TEST(test_start_rearm_cancel)
{
    struct small_log log;
    small_log_read(&log, "libevent",
                   DEL("000000", "0x9") ADD("000010", "0xa", "500") ADD("000020", "0xa", "600")
                       ADD_NONE("000021", "0xa") ADD_NONE("000022", "0xb") DEL("000030", "0xb")
                           DEL("000040", "0xa") DEL("000050", "0xa"),
                   NULL);
    assert_string_equal(log.ops, "0 s 0 500\n10 s 0 600\n30 c 0\n");
    assert_int_equal(counted(&log, "del_without_timeout"), 3);
    assert_int_equal(counted(&log, "add_without_timeout"), 2);
    assert_int_equal(counted(&log, "cancels"), 1);
    small_log_close(&log);
}

/* Times of the clock, and bits above 20, which say that the timeout is a common one. */
TEST(test_absolute)
{
    small_log_is("libevent",
                 ADD_ABS("000010", "0xa", "2243", "100") ADD_ABS("000020", "0xb", "2244", "5")
                     ADD_ABS("000100", "0xc", "2243", "1342177330")
                         ADD("000100", "0xd", "1342177280"),
                 "0 s 0 90\n10 s 1 999985\n90 s 0 -50\n90 s 2 0\n");
}

TEST(test_firing)
{
    struct small_log log;
    /* In time order: at the deadline, late, in the tick of its start, and early by its del's time. */
    small_log_read(&log, "libevent",
                   ADD("000000", "0xa", "100") ADD("000000", "0xb", "100") DEL("000100", "0xa")
                       ACTIVE("000103", "0xa", "1") DEL("000150", "0xb")
                           ACTIVE("000151", "0xb", "1") ADD("000200", "0xc", "0")
                               DEL("000200", "0xc") ACTIVE("000201", "0xc", "1")
                                   ADD("000300", "0xd", "50") DEL("000340", "0xd")
                                       ACTIVE("000342", "0xd", "1") DEL("000400", "0xc"),
                   NULL);
    const struct builder *builder = &log.import.chosen->builder;
    assert_string_equal(log.ops, "0 s 0 100\n0 s 1 100\n200 s 1 0\n300 s 1 40\n");
    assert_int_equal(counted(&log, "fired"), 4);
    assert_int_equal(counted(&log, "pulled_in"), 1);
    assert_int_equal(counted(&log, "del_without_timeout"), 1);
    assert_int_equal(builder->counts.obs_ok, 3);
    assert_int_equal(builder->counts.obs_same_tick, 1);
    assert_int_equal(builder->counts.expired, 4);
    assert_int_equal(builder->now, 340);
    small_log_close(&log);
}

/* A firing is a del and directly behind it active, of the same event and with res=1. */
TEST(test_what_is_no_firing)
{
    struct small_log log;
    small_log_read(&log, "libevent",
                   ADD("000000", "0xa", "100") ADD("000000", "0xb", "100")
                       ADD("000000", "0xc", "100") ACTIVE("000010", "0xa", "1") DEL("000020", "0xa")
                           ACTIVE("000021", "0xa", "2") DEL("000030", "0xb") DEL("000031", "0xc")
                               ACTIVE("000032", "0xb", "1"),
                   NULL);
    assert_string_equal(log.ops, "0 s 0 100\n0 s 1 100\n0 s 2 100\n20 c 0\n30 c 1\n31 c 2\n");
    assert_int_equal(counted(&log, "active_without_del"), 3);
    assert_int_equal(counted(&log, "fired"), 0);
    small_log_close(&log);
    /* Other threads' lines between them do not count. */
    small_log_read(&log, "libevent",
                   ADD("000000", "0xa", "100") DEL("000100", "0xa")
                       BY("9", "000101", "del_nolock_: (0x7f) ev=0xa blocking=2")
                           ACTIVE("000102", "0xa", "1"),
                   NULL);
    assert_int_equal(counted(&log, "fired"), 1);
    small_log_close(&log);
}

TEST(test_late_and_unknown)
{
    struct small_log log;
    small_log_read(&log, "libevent",
                   DEL("000000", "0x9") ACTIVE("000000", "0x9", "1") ADD("000010", "0xa", "100")
                       ADD("000200", "0xb", "100") DEL("000210", "0xa"),
                   NULL);
    const struct builder_counts *counts = &log.import.chosen->builder.counts;
    assert_string_equal(log.ops, "10 s 0 100\n200 s 0 100\n");
    assert_int_equal(counts->obs_unknown, 1);
    assert_int_equal(counts->drop_cancel_late, 1);
    small_log_close(&log);
}

/* The id freed last is given first, also among those that one growth of the clock frees. */
TEST(test_ids)
{
    static const char text[] = ADD("000000", "0xa", "30") ADD("000000", "0xb", "20")
        ADD("000000", "0xc", "10") ADD("000000", "0xd", "90") DEL("000001", "0xd")
            ADD("000050", "0xe", "90") ADD("000050", "0xf", "90") ADD("000050", "0xa", "90");
    struct small_log log;
    small_log_is(
        "libevent", text,
        "0 s 0 30\n0 s 1 20\n0 s 2 10\n0 s 3 90\n1 c 3\n50 s 0 90\n50 s 1 90\n50 s 2 90\n");
    small_log_read(&log, "libevent", text, "ids=address", NULL);
    assert_string_equal(
        log.ops,
        "0 s 0 30\n0 s 1 20\n0 s 2 10\n0 s 3 90\n1 c 3\n50 s 4 90\n50 s 5 90\n50 s 0 90\n");
    assert_int_equal(log.header.ids, 6);
    small_log_close(&log);
}

TEST(test_selection)
{
    static const char text[] = ADD("000000", "0xa", "100")
        BY("9", "000010", "add_nolock_: (0x7f) ev=0xa tv=0x1 sec=0 usec=7 abs=0")
            BY("9", "000020", "del_nolock_: (0x7f) ev=0xa blocking=2");
    struct small_log log;
    small_log_is("libevent", text, "0 s 0 7\n");
    small_log_read(&log, "libevent", text, "pid=3682", NULL);
    assert_string_equal(log.ops, "0 s 0 100\n");
    small_log_close(&log);
}

TEST_MAIN(NULL, NULL)
