/* test_originals.c - schedules say what a load says; what a driver answers is checked; drivers that break are an end. */
#include "harness/measure/workload/oracle.h"
#include "labs/live/originals/original.h"
#include "unit/programs.h"

#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS     UINT64_C(1000000)

/* ---- Schedules. ------------------------------------------------------------------------------ */

/* Ids 0 and 1 are started at 0, 0 is stopped at tick 10, and 1 is due at 20. */
static struct stream *small_stream(const uint32_t *restart)
{
    struct diag diag;
    struct stream *stream = stream_new("small");
    assert_non_null(stream);
    snprintf(stream->tasks_meaning, sizeof stream->tasks_meaning, "timers");
    stream->tasks = 2;
    stream->tick_ns = MS_NS;
    stream_phase_begin(stream, "all", restart);
    stream_append_start(stream, 0, 50);
    stream_append_start(stream, 1, 20);
    stream_append_ticks(stream, 10);
    stream_append_stop(stream, 0);
    stream_append_advance(stream, 15);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    return stream;
}

static struct clock_wishes plain_wishes(enum clock_load load)
{
    return (struct clock_wishes){.load = load, .speed = 1, .duration_ns = 2 * SECOND_NS};
}

/* The schedule behind its seven lines of head, or the whole of it. */
static int text_of_schedule(const struct clock_request *request, char *text, size_t size,
                            struct diag *diag)
{
    uint64_t end_ns = 0;
    FILE *file = tmpfile();
    assert_non_null(file);
    int status = schedule_write(request, file, &end_ns, diag);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return status;
}

static void assert_schedule(const struct clock_wishes *wishes, uint32_t threads, const char *want)
{
    char text[4096];
    struct diag diag = {""};
    struct stream *stream = small_stream(NULL);
    struct clock_request request = {
        .wishes = wishes, .threads = threads, .seed = 1, .stream = stream};
    assert_int_equal(text_of_schedule(&request, text, sizeof text, &diag), DIAG_OK);
    assert_string_equal(text, want);
    stream_free(stream);
}

TEST(test_a_stream_is_played_at_its_moments)
{
    struct clock_wishes wishes = plain_wishes(CLOCK_PACED);
    assert_schedule(&wishes, 2,
                    "# twbench-schedule 1\n# source: small, paced\n# pace: clock\n# producers: 2\n"
                    "# ids: 2\n# ops: 3\n# end_ns: 525000000\n"
                    "0 0 s 0 50000000\n0 1 s 1 20000000\n10000000 0 c 0\n");
    wishes.speed = 2;
    assert_schedule(&wishes, 1,
                    "# twbench-schedule 1\n# source: small, paced\n# pace: clock\n# producers: 1\n"
                    "# ids: 2\n# ops: 3\n# end_ns: 512500000\n"
                    "0 0 s 0 25000000\n0 0 s 1 10000000\n5000000 0 c 0\n");
}

/* The slow one is the first to be due, not the first to be started. */
TEST(test_tasks_are_slow_and_fail)
{
    struct clock_wishes wishes = plain_wishes(CLOCK_PACED);
    wishes.slow_ns = 500 * MS_NS;
    wishes.work = CLOCK_CONSTANT;
    wishes.work_ns = 7;
    assert_schedule(&wishes, 1,
                    "# twbench-schedule 1\n# source: small, paced\n# pace: clock\n# producers: 1\n"
                    "# ids: 2\n# ops: 3\n# end_ns: 525000000\n"
                    "0 0 s 0 50000000 7\n0 0 s 1 20000000 500000000\n10000000 0 c 0\n");
    wishes.failing_every = 2;
    wishes.slow_ns = 0;
    wishes.work = CLOCK_NO_WORK;
    assert_schedule(&wishes, 1,
                    "# twbench-schedule 1\n# source: small, paced\n# pace: clock\n# producers: 1\n"
                    "# ids: 2\n# ops: 3\n# end_ns: 525000000\n"
                    "0 0 s 0 50000000\n0 0 s 1 20000000 fail\n10000000 0 c 0\n");
}

TEST(test_burst_storm_and_idle)
{
    struct clock_wishes wishes = plain_wishes(CLOCK_BURST);
    assert_schedule(&wishes, 2,
                    "# twbench-schedule 1\n# source: small, burst\n# pace: clock\n# producers: 2\n"
                    "# ids: 2\n# ops: 2\n# end_ns: 1000010000\n"
                    "0 0 s 0 1000000\n0 1 s 1 1000000\n");
    wishes.load = CLOCK_STORM;
    assert_schedule(&wishes, 2,
                    "# twbench-schedule 1\n# source: small, storm\n# pace: clock\n# producers: 2\n"
                    "# ids: 2\n# ops: 4\n# end_ns: 1000020000\n"
                    "0 0 s 0 3600000000000\n0 1 s 1 3600000000000\n"
                    "500010000 0 c 0\n500010000 1 c 1\n");
    wishes.load = CLOCK_IDLE;
    assert_schedule(&wishes, 1,
                    "# twbench-schedule 1\n# source: small, idle\n# pace: clock\n# producers: 1\n"
                    "# ids: 2\n# ops: 2\n# end_ns: 2000000000\n"
                    "0 0 s 0 3600000000000\n0 0 s 1 3600000000000\n");
}

TEST(test_a_closed_load_is_as_long_as_its_head_says)
{
    static char text[1 << 20];
    struct diag diag = {""};
    struct clock_wishes wishes = plain_wishes(CLOCK_CLOSED);
    wishes.duration_ns = 5 * MS_NS;
    struct stream *stream = small_stream(NULL);
    struct clock_request request = {.wishes = &wishes, .threads = 2, .seed = 1, .stream = stream};
    assert_int_equal(text_of_schedule(&request, text, sizeof text, &diag), DIAG_OK);
    assert_non_null(strstr(text, "# pace: free\n# producers: 2\n# ids: 4\n# ops: 10004\n"));
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 7 + 10004);
    stream_free(stream);
}

TEST(test_restarts_cannot_be_said)
{
    uint32_t restart[STREAM_RESTART_SIZE];
    char text[64];
    struct diag diag = {""};
    for (size_t i = 0; i < STREAM_RESTART_SIZE; i++)
        restart[i] = 5;
    struct clock_wishes wishes = plain_wishes(CLOCK_PACED);
    struct stream *stream = small_stream(restart);
    struct clock_request request = {.wishes = &wishes, .threads = 1, .stream = stream};
    assert_int_equal(text_of_schedule(&request, text, sizeof text, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "small: its timers are started again by their own tasks"));
    stream_free(stream);
}

TEST(test_a_periodic_task_is_the_timers_to_repeat)
{
    uint32_t period[STREAM_RESTART_SIZE];
    char text[1024];
    struct diag diag = {""};
    for (size_t i = 0; i < STREAM_RESTART_SIZE; i++)
        period[i] = 5;
    struct clock_wishes wishes = plain_wishes(CLOCK_PACED);
    struct stream *stream = small_stream(NULL);
    struct clock_request request = {.wishes = &wishes, .threads = 1, .stream = stream};
    stream->phases[0].period = period;
    assert_int_equal(text_of_schedule(&request, text, sizeof text, &diag), DIAG_OK);
    assert_non_null(strstr(text, " rate:5000000:0\n"));
    stream->phases[0].restart = period;
    assert_int_equal(text_of_schedule(&request, text, sizeof text, &diag), DIAG_OK);
    assert_non_null(strstr(text, " delay:5000000:0\n"));
    wishes.failing_every = 2;
    assert_int_equal(text_of_schedule(&request, text, sizeof text, &diag), DIAG_OK);
    assert_non_null(strstr(text, " delay:5000000:0\n"));
    assert_non_null(strstr(text, " delay:5000000:fail\n"));
    stream->phases[0].period = stream->phases[0].restart = NULL;
    stream_free(stream);
}

/* ---- Documents. ------------------------------------------------------------------------------ */

/* 1000 ns, kept as ps, lies in the bin from 999.424 to 1015.808. */
#define ONE_RUN                                                                                    \
    "{\"p50\":1000,\"p90\":1000,\"p99\":1000,\"p99_9\":1000,\"p99_99\":1000,\"max\":1000,"         \
    "\"mean\":1000,\"count\":1,\"bins\":[[999.424,1]]}"

static const char good[] =
    "{\"format\":\"twbench-original 1\",\"original\":\"netty\",\"settings\":{\"tick_ns\":100000000,"
    "\"cap\":0,\"pace\":\"clock\"},\"died\":null,\"ledger\":{\"accepted\":1,\"refused\":0,\"ran\":"
    "1,"
    "\"stopped\":0,\"returned\":0,\"early\":0},\"lost\":0,\"twice\":0,\"failed\":0,"
    "\"stops_too_late\":0,\"stops_idle\":2,\"stopped_yet_ran\":0,\"lateness_ns\":" ONE_RUN
    ",\"lag_ns\":null,\"start_ns\":" ONE_RUN ",\"stop_ns\":null,\"last_call_ns\":5,"
    "\"last_run_ns\":7,\"elapsed_ns\":9,\"wakeups\":{\"process\":20,\"timer_threads\":10},"
    "\"cpu_ns\":{\"process\":70,\"timer_threads\":null}}";

TEST(test_a_document_becomes_a_report)
{
    struct clock_report report;
    cJSON *document;
    original_read("netty", good, &report, &document);
    assert_string_equal(report.reason, "");
    assert_int_equal(report.end, CLOCK_OK);
    assert_non_null(document);
    assert_int_equal(report.ledger.accepted, 1);
    assert_int_equal(report.ledger.ran, 1);
    assert_int_equal(report.ledger.idle, 2);
    assert_int_equal(report.times.late.count, 1);
    assert_int_equal(report.times.late.max_ps, 1000000);
    assert_int_equal(histogram_quantile_ps(&report.times.start, 0.5), 1000000);
    assert_int_equal(report.times.behind.count, 0);
    assert_int_equal(report.stats.wakeups, 10);
    assert_int_equal(report.stats.cpu_ns, 70);
    assert_int_equal(report.window_ns, 7);
    assert_int_equal(report.watched_ns, 9);
    assert_int_equal(report.operations, 3);
    assert_int_equal(report.tick_ns, 100 * MS_NS);
    cJSON_Delete(document);
}

/* The first `from` of the good document becomes `to`. */
static const struct lie {
    const char *from, *to;
    enum clock_end end;
    const char *reason;
} lies[] = {
    {"original 1", "original 2", CLOCK_CRASHED, "its document is not"},
    {"\"netty\"", "\"go\"", CLOCK_CRASHED, "its document is not"},
    {"}}", "}", CLOCK_CRASHED, "its document is not"},
    {"\"accepted\":1", "\"accepted\":2", CLOCK_MISMATCH, "accepted 2 timers, but 1 ran"},
    {"\"lost\":0", "\"lost\":1", CLOCK_MISMATCH, "1 never ended"},
    {"\"twice\":0", "\"twice\":3", CLOCK_MISMATCH, "3 more than once"},
    {"\"died\":null", "\"died\":\"panic: x\"", CLOCK_CRASHED, "it died: panic: x"},
};

TEST(test_lies_are_found)
{
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char text[sizeof good + 200];
        struct clock_report report;
        cJSON *document;
        const char *at = strstr(good, lies[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, lies[i].to,
                 at + strlen(lies[i].from));
        original_read("netty", text, &report, &document);
        if (report.end != lies[i].end || !strstr(report.reason, lies[i].reason))
            fail_msg("%s for %s: end %d, %s", lies[i].to, lies[i].from, (int)report.end,
                     report.reason);
        cJSON_Delete(document);
    }
}

/* One thread's death does not take away what the others saw. */
TEST(test_a_dead_timer_keeps_its_ledger)
{
    char text[sizeof good + 20];
    struct clock_report report;
    cJSON *document;
    const char *at = strstr(good, "\"died\":null");
    snprintf(text, sizeof text, "%.*s\"died\":\"x\"%s", (int)(at - good), good,
             at + strlen("\"died\":null"));
    original_read("netty", text, &report, &document);
    assert_int_equal(report.end, CLOCK_CRASHED);
    assert_true(report.is_told);
    assert_int_equal(report.ledger.ran, 1);
    cJSON_Delete(document);
}

TEST(test_a_dead_program_has_no_ledger)
{
    struct clock_report report;
    cJSON *document;
    original_read("go",
                  "{\"format\":\"twbench-original 1\",\"original\":\"go\",\"settings\":{},"
                  "\"died\":\"panic: a task\",\"ledger\":null}",
                  &report, &document);
    assert_int_equal(report.end, CLOCK_CRASHED);
    assert_string_equal(report.reason, "it died: panic: a task");
    assert_false(report.is_told);
    cJSON_Delete(document);
}

/* ---- Drivers. -------------------------------------------------------------------------------- */

/* Runs a script in the place of Netty's driver. */
static struct clock_report run_script(void **state, const char *body, uint64_t budget_ns)
{
    char path[PROGRAMS_PATH];
    struct interrupt interrupt;
    struct diag diag;
    struct clock_report report;
    cJSON *document;
    struct clock_wishes wishes = plain_wishes(CLOCK_PACED);
    wishes.tick_ns = 10 * MS_NS;
    wishes.settings[0] = (struct tw_setting){.name = "slots", .count = 1, .values = {64}};
    wishes.setting_count = 1;
    struct stream *stream = small_stream(NULL);
    struct clock_request request = {.wishes = &wishes,
                                    .threads = 1,
                                    .stream = stream,
                                    .max_pending = 9,
                                    .budget_ns = budget_ns};
    programs_add(*state, "driver", body, path);
    assert_int_equal(interrupt_open(&interrupt, &diag), DIAG_OK);
    original_run(original_find("netty"), path, &request, &interrupt, &report, &document);
    interrupt_close(&interrupt);
    cJSON_Delete(document);
    stream_free(stream);
    return report;
}

TEST_AROUND(test_a_driver_gets_schedule_and_flags, programs_begin, programs_end)
{
    char body[sizeof good + 200], text[4096];
    snprintf(body, sizeof body,
             "echo \"$@\" >flags; cat \"${1#--schedule=}\" >schedule\ncat <<END\n%s\nEND", good);
    struct clock_report report = run_script(state, body, 0);
    assert_string_equal(report.reason, "");
    assert_int_equal(report.end, CLOCK_OK);
    programs_read(*state, "flags", text, sizeof text);
    assert_non_null(strstr(text, " --memory=100000 --tick=10000000 --cap=9 --slots=64\n"));
    programs_read(*state, "schedule", text, sizeof text);
    assert_non_null(strstr(text, "\n0 0 s 1 20000000\n10000000 0 c 0\n"));
}

static void assert_ends(void **state, const char *body, uint64_t budget_ns, enum clock_end end,
                        const char *reason)
{
    struct clock_report report = run_script(state, body, budget_ns);
    if (report.end != end || !strstr(report.reason, reason))
        fail_msg("%s: end %d, '%s'", body, (int)report.end, report.reason);
}

TEST_AROUND(test_drivers_that_break, programs_begin, programs_end)
{
    assert_ends(state, "echo 'netty: --slots: found' >&2; exit 2", 0, CLOCK_UNSUPPORTED,
                "netty: --slots: found");
    assert_ends(state, "kill -9 $$", 0, CLOCK_CRASHED, "killed by signal 9");
    assert_ends(state, "exit 0", 0, CLOCK_CRASHED, "ended with status 0");
    assert_ends(state, "echo no memory >&2; exit 3", 0, CLOCK_CRASHED, "status 3: no memory");
    assert_ends(state, "echo '{}'", 0, CLOCK_CRASHED, "its document is not");
    assert_ends(state, "sleep 1000", 300 * MS_NS, CLOCK_TIMEOUT, "at its budget");
}

TEST(test_what_a_timer_has_not_is_said)
{
    struct clock_report report;
    cJSON *document;
    struct clock_wishes wishes = plain_wishes(CLOCK_IDLE);
    struct clock_request request = {.wishes = &wishes, .threads = 1, .max_pending = 5};
    original_run(original_find("go"), "/nowhere", &request, NULL, &report, &document);
    assert_int_equal(report.end, CLOCK_UNSUPPORTED);
    assert_string_equal(report.reason, "go has no cap on pending timers");
    assert_null(original_find("node"));
    assert_ptr_equal(original_of(original_find("go")->entry.timed), original_find("go"));
}

TEST_MAIN(NULL, NULL)
