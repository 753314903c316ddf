/* test_fit.c - the workload fitted to a trace does what the trace does, at its own size and at ten times it. */
#include "harness/measure/workload/generate.h"
#include "labs/traces/fit.h"
#include "testing.h"

#include <math.h>

static void trace_census(const char *name, struct census *census)
{
    char path[200];
    struct textfile *file;
    struct trace_header header;
    struct diag diag = {""};
    assert_true(trace_find(name, "workloads", path, sizeof path));
    if (textfile_open(&file, path, &diag) != DIAG_OK ||
        census_of_trace(file, &header, census, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    textfile_close(file);
}

static void fitted_census(const cJSON *workload, uint64_t tasks, uint64_t seed,
                          struct census *census)
{
    struct workload_request request = {.directory = ".", .tasks = tasks};
    struct spec *spec;
    struct stream *stream = NULL;
    struct diag diag = {""};
    char *text = cJSON_PrintUnformatted(workload);
    if (spec_parse(text, strlen(text), "fit", &request, &spec, &diag) != DIAG_OK ||
        generate_stream(spec, seed, (struct generate_limits){.work_max = 0}, &stream, &diag) !=
            DIAG_OK ||
        census_of_stream(stream, census, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    cJSON_free(text);
    spec_free(spec);
    stream_free(stream);
}

static bool is_near(double found, double wanted, double share)
{
    return fabs(found - wanted) <= share * fabs(wanted);
}

static double share_of(const struct census *census, int end)
{
    return (double)census->ended[end] / (double)census_starts(census);
}

/* How near a fit has to be.  What comes by chance is larger where few timers are armed. */
struct nearness {
    const char *name;
    double operations, armed;
    uint64_t factor; /* for the test of scaling; 0: too long for a test */
};

static const struct nearness nearnesses[] = {
    {"nginx", 0.05, 0.06, 0},
    {"linux-timer", 0.05, 0.04, 2},
    {"linux-hrtimer", 0.03, 0.25, 10},
    {"libuv-bind", 0.05, 0.06, 10},
    {"libevent-unbound", 0.04, 0.06, 0},
};

/* Under a sanitizer, which takes the place of jemalloc, it is the memory that is judged: the two small traces walk
 * through the same code, and need not be made larger. */
#ifdef TWB_JEMALLOC
enum { FIRST = 0, TRACES = sizeof nearnesses / sizeof *nearnesses, SCALES = 1 };
#else
enum { FIRST = 2, TRACES = 4, SCALES = 0 };
#endif

#define CHECK(what, found, wanted, near)                                                           \
    if (!(near))                                                                                   \
    fail_msg("%s: %s is %g, expected about %g", nearness->name, what, (double)(found),             \
             (double)(wanted))

static void shares_compare(const struct nearness *nearness, const struct census *fit,
                           const struct census *trace)
{
    for (int end = 0; end < CENSUS_LEFT; end++)
        CHECK(census_end_names[end], share_of(fit, end), share_of(trace, end),
              fabs(share_of(fit, end) - share_of(trace, end)) < 0.01);
}

/* p1 is among what the timers armed at the beginning have left of their delays. */
static void delays_compare(const struct nearness *nearness, const struct census *fit,
                           const struct census *trace)
{
    int64_t found[CENSUS_PERCENTILES], wanted[CENSUS_PERCENTILES];
    census_percentiles(fit, found);
    census_percentiles(trace, wanted);
    for (int i = 2; i < CENSUS_PERCENTILES - 1; i++) {
        double one = wanted[i] > 0 ? (double)wanted[i] : 1;
        CHECK(census_percentile_names[i], found[i], one, is_near((double)found[i], one, 0.05));
    }
}

static void census_compare(const struct nearness *nearness, const struct census *fit,
                           const struct census *trace, double factor)
{
    double operations = (double)trace->operations * factor;
    shares_compare(nearness, fit, trace);
    CHECK("operations", fit->operations, operations,
          is_near((double)fit->operations, operations, nearness->operations));
    CHECK("mean armed", fit->mean_armed, trace->mean_armed * factor,
          is_near(fit->mean_armed, trace->mean_armed * factor, nearness->armed));
    assert_int_equal(fit->end, trace->end);
    assert_int_equal(fit->unit_ns, trace->unit_ns);
}

TEST(test_a_fit_has_the_mix_of_its_trace)
{
    for (size_t i = FIRST; i < TRACES; i++) {
        const struct nearness *nearness = &nearnesses[i];
        struct census trace, fit;
        struct diag diag;
        cJSON *workload;
        trace_census(nearness->name, &trace);
        assert_int_equal(fit_workload(&trace, nearness->name, "a test", &workload, &diag), DIAG_OK);
        fitted_census(workload, 0, 1, &fit);
        census_compare(nearness, &fit, &trace, 1);
        delays_compare(nearness, &fit, &trace);
        double found = (double)fit.operations / (double)fit.pass_count;
        double wanted = (double)trace.operations / (double)trace.pass_count;
        CHECK("operations of an active tick", found, wanted, is_near(found, wanted, 0.04));
        census_free(&fit);
        if (SCALES && nearness->factor > 0) {
            fitted_census(workload, trace.ids * nearness->factor, 2, &fit);
            census_compare(nearness, &fit, &trace, (double)nearness->factor);
            census_free(&fit);
        }
        census_free(&trace);
        cJSON_Delete(workload);
    }
}

/* ---- Small ones by hand. --------------------------------------------------------------------- */

static cJSON *fit_of_text(const char *text, struct diag *diag)
{
    struct textfile *file;
    struct trace_header header;
    struct census census;
    cJSON *workload = NULL;
    assert_int_equal(textfile_open_memory(&file, "t.tt", text, strlen(text), diag), DIAG_OK);
    assert_int_equal(census_of_trace(file, &header, &census, diag), DIAG_OK);
    textfile_close(file);
    if (fit_workload(&census, "My Trace.1", "by hand", &workload, diag) != DIAG_OK)
        workload = NULL;
    census_free(&census);
    return workload;
}

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
}

/* Of the timers with 50 ms one is re-armed after 10 ms and one cancelled after 20; that with 30 ms
 * expires; the last is left armed. */
static const char small[] = "# timer-trace 1\n# unit_ns: 1000000\n# ids: 4\n# ops: 6\n"
                            "# max_armed: 2\n# end: 100\n"
                            "0 s 0 50\n0 s 1 50\n10 s 0 30\n20 c 1\n50 s 2 1000\n60 s 3 5\n";

TEST(test_a_small_one_by_hand)
{
    struct diag diag;
    cJSON *workload = fit_of_text(small, &diag);
    assert_non_null(workload);
    assert_string_equal(text_of(workload, "name"), "my-trace-1-fit");
    assert_string_equal(text_of(workload, "tick"), "1ms");
    const cJSON *phases = cJSON_GetObjectItem(workload, "phases");
    /* Left armed for half of the span: half a timer in the mean. */
    const cJSON *standing = cJSON_GetArrayItem(phases, 0), *flow = cJSON_GetArrayItem(phases, 1);
    assert_true(is_near(cJSON_GetObjectItem(standing, "share")->valuedouble, 0.125, 1e-9));
    assert_string_equal(text_of(standing, "delay"), "choice(1050ms:1)");
    assert_true(is_near(cJSON_GetObjectItem(flow, "armed")->valuedouble, 0.65 / 4, 1e-9));
    assert_string_equal(text_of(flow, "ticks"), "100ms");
    assert_string_equal(text_of(flow, "changes"), "at-once");
    assert_string_equal(text_of(flow, "passes"), "choice(10ms:1, 50ms:1)");
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(flow, "mix"), 0);
    assert_string_equal(text_of(row, "delay"), "choice(50ms:2)");
    assert_true(is_near(cJSON_GetObjectItem(row, "rearm")->valuedouble, 0.5, 1e-9));
    assert_string_equal(text_of(row, "rearm_after"), "choice(10ms:1)");
    assert_string_equal(text_of(row, "cancel_after"), "choice(20ms:1)");
    cJSON_Delete(workload);
}

TEST(test_nothing_to_fit_is_refused)
{
    struct diag diag;
    assert_null(fit_of_text("# timer-trace 1\n# unit_ns: 1\n# ids: 1\n# ops: 1\n# max_armed: 1\n"
                            "# end: 3\n0 s 0 5\n",
                            &diag));
    assert_non_null(strstr(diag.text, "no stretch"));
}

/* ---- The files that it writes, and others. --------------------------------------------------- */

#define HEAD                                                                                       \
    "{\"name\":\"f\",\"summary\":\"s\",\"tick\":\"1ms\",\"tasks\":100,\"phases\":[{\"name\":"      \
    "\"t\",\"do\":\"flow\",\"ticks\":1000"
#define PASSES ",\"of\":100,\"passes\":\"5\",\"starts\":\"choice(0:1, 2:1)\""

static int flow_parse(const char *text, struct spec **spec, struct diag *diag)
{
    struct workload_request request = {.directory = "."};
    return spec_parse(text, strlen(text), "f.json", &request, spec, diag);
}

TEST(test_wrong_flows_are_refused)
{
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {HEAD "}]}", "mix"},
        {HEAD ",\"mix\":[{\"delay\":5}]}]}", "passes"},
        {HEAD ",\"passes\":\"5\",\"mix\":[{\"delay\":5}]}]}", "starts"},
        {HEAD ",\"passes\":\"5\",\"starts\":\"1\",\"mix\":[{\"delay\":5}]}]}", "of"},
        {HEAD ",\"passes\":\"0\",\"mix\":[{\"delay\":5}]}]}", "passes"},
        {HEAD PASSES ",\"mix\":[]}]}", "rows"},
        {HEAD PASSES ",\"mix\":5}]}", "rows"},
        {HEAD PASSES ",\"mix\":[5]}]}", "mix[0]"},
        {HEAD PASSES ",\"mix\":[{\"weight\":1}]}]}", "mix[0].delay"},
        {HEAD PASSES ",\"mix\":[{\"delay\":0}]}]}", "mix[0].delay"},
        {HEAD PASSES ",\"mix\":[{\"delay\":5,\"delay\":6}]}]}", "twice"},
        {HEAD PASSES ",\"mix\":[{\"delay\":5,\"when\":6}]}]}", "unknown key"},
        {HEAD PASSES ",\"mix\":[{\"delay\":5,\"rearm\":0.5}]}]}", "rearm_after"},
        {HEAD PASSES ",\"mix\":[{\"delay\":5,\"cancel\":2,\"cancel_after\":1}]}]}", "cancel"},
        {HEAD PASSES ",\"mix\":[{\"delay\":5,\"rearm\":1,\"rearm_after\":1}]}]}",
         "hardly anything"},
        {HEAD PASSES ",\"changes\":\"later\",\"mix\":[{\"delay\":5}]}]}", "at-once, in-passes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct spec *spec;
        struct diag diag = {""};
        assert_int_equal(flow_parse(wrong[i].text, &spec, &diag), DIAG_USAGE);
        if (!strstr(diag.text, wrong[i].said))
            fail_msg("'%s' does not say '%s'", diag.text, wrong[i].said);
    }
}

/* Every end is as it was drawn: what is to be cancelled one tick before it is due does not expire, whether or
 * not there is a pass in between. */
TEST(test_ends_are_as_drawn)
{
    static const char *const texts[] = {
        HEAD PASSES ",\"changes\":\"in-passes\",\"mix\":[{\"delay\":4,\"cancel\":1,"
                    "\"cancel_after\":\"choice(0:1, 3:1, 9:1)\"}]}]}",
        HEAD PASSES ",\"mix\":[{\"delay\":4,\"cancel\":1,\"cancel_after\":\"choice(0:1, 3:1, "
                    "9:1)\"}]}]}",
    };
    for (size_t i = 0; i < 2; i++) {
        struct spec *spec;
        struct stream *stream;
        struct census census;
        struct diag diag = {""};
        if (flow_parse(texts[i], &spec, &diag) != DIAG_OK ||
            generate_stream(spec, 7, (struct generate_limits){.work_max = 0}, &stream, &diag) !=
                DIAG_OK ||
            census_of_stream(stream, &census, &diag) != DIAG_OK)
            fail_msg("%s", diag.text);
        assert_int_equal(census.end, 1000);
        /* A start a pass in the mean, and a pass every 5 ticks. */
        assert_in_range(census.starts_new, 150, 250);
        assert_int_equal(census.ended[CENSUS_EXPIRED], 0);
        assert_true(census.ended[CENSUS_CANCELLED] + census.ended[CENSUS_LEFT] ==
                    census.starts_new);
        for (size_t j = 0; j < census.stretch_count; j++)
            assert_true(census.stretches[j].length < 4);
        census_free(&census);
        stream_free(stream);
        spec_free(spec);
    }
}

TEST_MAIN(NULL, NULL)
