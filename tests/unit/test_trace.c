/* test_trace.c - the recorded traces fire what was recorded; what is not a trace is refused. */
#include "harness/measure/workload/trace.h"
#include "testing.h"

static int stream_of_text(const char *text, size_t size, uint64_t tick_ns, struct stream **out,
                          struct diag *diag)
{
    struct textfile *file;
    int status = textfile_open_memory(&file, "t.tt", text, size, diag);
    if (status != DIAG_OK)
        return status;
    status = trace_stream(file, "t", tick_ns, (struct deadline){0}, out, diag);
    textfile_close(file);
    return status;
}

static struct stream *stream_of_file(const char *name, uint64_t tick_ns)
{
    char path[200];
    struct textfile *file;
    struct stream *stream = NULL;
    struct diag diag = {""};
    assert_true(trace_find(name, "workloads", path, sizeof path));
    if (textfile_open(&file, path, &diag) != DIAG_OK ||
        trace_stream(file, name, tick_ns, (struct deadline){0}, &stream, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    textfile_close(file);
    return stream;
}

struct recording {
    const char *name;
    uint64_t unit_ns, starts, stops, fired, left, ids, max_armed, end;
};

/* What was counted when they were recorded. */
static const struct recording recordings[] = {
    {"nginx", 1000000, 253815 + 596700, 205470, 48167, 178, 2035, 1136, 43941},
    {"linux-timer", 4000000, 323369 + 315176, 103611, 205733, 14025, 22500, 15744, 8688},
    {"linux-hrtimer", 1, 116669 + 2531, 81891, 34770, 8, 597, 21, 30576008000},
    {"libuv-bind", 1000000, 107523 + 14, 88648, 18388, 487, 1695, 1425, 29950},
    {"libevent-unbound", 1000, 396201 + 22073, 210417, 185783, 1, 1213, 1213, 28006212},
};

TEST(test_recorded_traces_fire_what_was_recorded)
{
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
        const struct recording *want = &recordings[i];
        struct stream *stream = stream_of_file(want->name, 0);
        assert_string_equal(stream->workload, want->name);
        assert_int_equal(stream->phase_count, 1);
        assert_string_equal(stream->phases[0].name, "replay");
        assert_int_equal(stream->tick_ns, want->unit_ns);
        assert_int_equal(stream->tasks, want->ids);
        assert_int_equal(stream->capacity, want->ids);
        assert_int_equal(stream->phases[0].counts.starts, want->starts);
        assert_int_equal(stream->phases[0].counts.stops, want->stops);
        assert_int_equal(stream->phases[0].counts.ticks, want->end);
        assert_int_equal(stream->expected.fired, want->fired);
        assert_int_equal(stream->expected.running_end, want->left);
        /* The reader has counted max_armed line by line; within one instant the stream may have
         * operations on different timers in another order. */
        assert_in_range(stream->expected.running_max, want->max_armed,
                        want->max_armed + want->max_armed / 20);
        stream_free(stream);
    }
}

TEST(test_coarser_ticks)
{
    /* Counted by another program.  Later firing leaves more that is cancelled or re-armed in time. */
    static const struct {
        uint64_t tick_ns, ticks, horizon, fired;
    } coarser[] = {{10000000, 4394, 6001, 11371}, {100000000, 439, 601, 2616}};
    for (size_t i = 0; i < sizeof coarser / sizeof *coarser; i++) {
        struct stream *stream = stream_of_file("nginx", coarser[i].tick_ns);
        assert_int_equal(stream->tick_ns, coarser[i].tick_ns);
        assert_int_equal(stream->phases[0].counts.ticks, coarser[i].ticks);
        assert_int_equal(stream->phases[0].counts.stops, 205470);
        assert_int_equal(stream->expected.fired, coarser[i].fired);
        assert_int_equal(stream->horizon, coarser[i].horizon);
        stream_free(stream);
    }
}

#define HEAD(ids, ops, armed, end)                                                                 \
    "# timer-trace 1\n# source: hand\n# unit_ns: 1000\n# ids: " ids "\n# ops: " ops                \
    "\n# max_armed: " armed "\n# end: " end "\n"

TEST(test_rounding_by_hand)
{
    /* At ticks of 10: the first is asked for at 19 + 1 = 20, thus 2; the second at 25 + -30, thus
     * 0, which is past and fires on the tick after 2; the third at 25 + 6 = 31, thus 4. */
    static const char text[] = HEAD("3", "3", "2", "49") "19 s 0 1\n25 s 1 -30\n25 s 2 6\n";
    struct stream *stream;
    struct diag diag = {""};
    assert_int_equal(stream_of_text(text, strlen(text), 10000, &stream, &diag), DIAG_OK);
    assert_int_equal(stream->expected.fired, 3);
    assert_true(stream->expected.digest == stream_mix(0, 2) + stream_mix(1, 3) + stream_mix(2, 4));
    /* The clock: to 1, to 2, to 4. */
    assert_int_equal(stream->phases[0].counts.advances, 3);
    stream_free(stream);
}

/* Timer 2, due at 68, is behind 1, due at 80, in no order of starting or of bits: it has to have fired
 * by 70, or four would be armed there. */
TEST(test_the_reader_knows_what_has_fired)
{
    static const char text[] = "# timer-trace 1\n# unit_ns: 1000\n# ids: 5\n# ops: 6\n"
                               "# max_armed: 3\n# end: 70\n"
                               "0 s 0 16\n17 s 0 47\n64 s 1 16\n64 s 2 4\n65 s 3 1000\n70 s 4 1\n";
    struct stream *stream = NULL;
    struct diag diag = {""};
    if (stream_of_text(text, strlen(text), 0, &stream, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    stream_free(stream);
}

TEST(test_growth_of_now_is_one_advance)
{
    static const char text[] = HEAD("1", "4", "1", "500") "0 s 0 5\n0 c 0\n1 s 0 0\n100 s 0 7\n";
    struct stream *stream;
    struct diag diag = {""};
    assert_int_equal(stream_of_text(text, strlen(text), 0, &stream, &diag), DIAG_OK);
    assert_int_equal(stream->phases[0].counts.advances, 3);
    assert_int_equal(stream->expected.fired, 2);
    assert_true(stream->expected.digest == stream_mix(0, 2) + stream_mix(0, 107));
    assert_non_null(strstr(stream->spec_json, "\"source\":\"hand\""));
    stream_free(stream);
}

struct bad {
    const char *text, *message;
};

#define GOOD HEAD("2", "2", "2", "9")

static const struct bad bads[] = {
    {"", "t.tt:1: the file is empty, expected '# timer-trace 1'"},
    {"hello\n", "t.tt:1: 'hello', expected '# timer-trace 1'"},
    {"# timer-trace 2\n", "t.tt:1: '# timer-trace 2', expected '# timer-trace 1'"},
    {"# timer-trace 1\n",
     "t.tt:1: the header has no unit_ns, expected nanoseconds from 1 to a day"},
    {"# timer-trace 1\n#ids: 5\n", "t.tt:2: '#ids: 5', expected '# key: value'"},
    {"# timer-trace 1\n# colour: 5\n",
     "t.tt:2: '# colour: 5', expected source, unit_ns, ids, ops, max_armed or end"},
    {"# timer-trace 1\n# ids: 5\n# ids: 5\n", "t.tt:3: '# ids: 5', expected each key once"},
    {"# timer-trace 1\n# ids: 0\n", "t.tt:2: ids is '0', expected a number of ids, 1 .. 1e9"},
    {"# timer-trace 1\n# ids: x\n", "t.tt:2: ids is 'x', expected a number of ids, 1 .. 1e9"},
    {"# timer-trace 1\n# unit_ns: -5\n",
     "t.tt:2: unit_ns is '-5', expected nanoseconds from 1 to a day"},
    {"# timer-trace 1\n# unit_ns: 1\n# ids: 1\n# ops: 1\n# max_armed: 1\n0 s 0 1\n",
     "t.tt:6: the header has no end, expected a tick below 2^63"},
    {GOOD "x\n", "t.tt:8: 'x', expected 'now s id delay' or 'now c id', now a tick below 2^63"},
    {GOOD "-1 s 0 1\n",
     "t.tt:8: '-1 s 0 1', expected 'now s id delay' or 'now c id', now a tick below 2^63"},
    {GOOD "\n", "t.tt:8: '', expected 'now s id delay' or 'now c id', now a tick below 2^63"},
    {GOOD "0 x 0 1\n", "t.tt:8: '0 x 0 1', expected 's' or 'c' after the tick"},
    {GOOD "0 s a 1\n", "t.tt:8: '0 s a 1', expected an id"},
    {GOOD "0 s 00 1\n", "t.tt:8: '0 s 00 1', expected an id"},
    {GOOD "0 s 2 1\n", "t.tt:8: '0 s 2 1', expected an id below ids = 2"},
    {GOOD "0 s 99999999999 1\n", "t.tt:8: '0 s 99999999999 1', expected an id below ids = 2"},
    {GOOD "0 s 0\n", "t.tt:8: '0 s 0', expected a delay in ticks after the id"},
    {GOOD "0 s 0 \n", "t.tt:8: '0 s 0 ', expected a delay in ticks after the id"},
    {GOOD "0 s 0 1e3\n", "t.tt:8: '0 s 0 1e3', expected the end of the line"},
    {GOOD "0 s 0 9223372036854775808\n",
     "t.tt:8: '0 s 0 9223372036854775808', expected a delay in ticks after the id"},
    {GOOD "0 s 0  1\n", "t.tt:8: '0 s 0  1', expected a delay in ticks after the id"},
    {GOOD "0 s 0 1 \n", "t.tt:8: '0 s 0 1 ', expected the end of the line"},
    {GOOD "0 s 0 1\r\n", "t.tt:8: '0 s 0 1?', expected the end of the line"},
    {GOOD "0 c 0 1\n", "t.tt:8: '0 c 0 1', expected the end of the line"},
    {GOOD "0 c 0\n", "t.tt:8: '0 c 0', expected a cancel of a timer that is armed"},
    {GOOD "0 s 0 5\n5 c 0\n", "t.tt:9: '5 c 0', expected a cancel of a timer that is armed"},
    {GOOD "3 s 0 5\n2 s 1 5\n",
     "t.tt:9: '2 s 1 5', expected a tick of at least 3, as on the line before"},
    {GOOD "10 s 0 5\n", "t.tt:8: '10 s 0 5', expected a tick up to end = 9"},
    {GOOD "0 s 0 5\n# end: 9\n",
     "t.tt:9: '# end: 9', expected 'now s id delay' or 'now c id', now a tick below 2^63"},
    {GOOD "0 s 0 5\n0 s 1", "t.tt:9: the last line has no newline: the file is cut short"},
    {GOOD "0 s 0 5\n", "t.tt: the header says ops: 2, expected 1 as in the lines"},
    {GOOD "0 s 0 5\n0 s 1 5\n0 s 1 6\n",
     "t.tt: the header says ops: 2, expected 3 as in the lines"},
    {GOOD "0 s 0 5\n0 s 0 5\n", "t.tt: the header says ids: 2, expected 1 as in the lines"},
    {GOOD "0 s 0 1\n1 s 1 5\n", "t.tt: the header says max_armed: 2, expected 1 as in the lines"},
    {GOOD, "t.tt: the header says ops: 2, expected 0 as in the lines"},
};

TEST(test_bad_traces)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        struct stream *stream = NULL;
        struct diag diag = {""};
        int status = stream_of_text(bads[i].text, strlen(bads[i].text), 0, &stream, &diag);
        assert_string_equal(diag.text, bads[i].message);
        assert_int_equal(status, DIAG_USAGE);
        assert_null(stream);
    }
}

TEST(test_ticks_that_make_no_sense)
{
    static const char text[] = HEAD("1", "1", "1", "9") "0 s 0 5\n";
    struct stream *stream = NULL;
    struct diag diag = {""};
    assert_int_equal(stream_of_text(text, strlen(text), 100, &stream, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "t.tt: a tick of 100 ns is finer than the trace's own 1 us, "
                                   "expected a multiple of it");
    assert_int_equal(stream_of_text(text, strlen(text), 1500, &stream, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "t.tt: a tick of 1.5 us is no multiple of the trace's own 1 us, "
                                   "expected a multiple of it");
}

TEST(test_a_trace_cut_short_is_refused)
{
    static char packed[1 << 20];
    FILE *file = fopen("workloads/traces/libuv-bind.tt.xz", "rb");
    assert_non_null(file);
    size_t size = fread(packed, 1, sizeof packed, file);
    fclose(file);
    assert_in_range(size, 100000, sizeof packed - 1);
    const size_t cuts[] = {1, 5, 6, 12, 13, 100, 5000, size / 2, size - 100, size - 12, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        struct stream *stream = NULL;
        struct diag diag = {""};
        assert_int_equal(stream_of_text(packed, cuts[i], 0, &stream, &diag), DIAG_USAGE);
        assert_non_null(strstr(diag.text, "cut short"));
        assert_null(stream);
    }
}

TEST(test_names)
{
    char text[100];
    trace_name("a/b.c/nginx.tt.xz", text, sizeof text);
    assert_string_equal(text, "nginx");
    trace_name("x.tt", text, sizeof text);
    assert_string_equal(text, "x");
    assert_true(trace_find("nginx", "workloads", text, sizeof text));
    assert_string_equal(text, "workloads/traces/nginx.tt.xz");
    assert_false(trace_find("x.tt.gz", "workloads", text, sizeof text));
    assert_string_equal(text, "x.tt.gz");
}

TEST_MAIN(NULL, NULL)
