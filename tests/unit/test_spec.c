/* test_spec.c - workload files: what they mean, and what is said of bad ones. */
#include "harness/measure/workload/spec.h"
#include "testing.h"

#include <math.h>

static int parse_with(const char *text, const struct workload_setting *settings, size_t count,
                      struct spec **out, struct diag *diag)
{
    struct workload_request request = {
        .directory = "workloads", .settings = settings, .setting_count = count};
    return spec_parse(text, strlen(text), "x.json", &request, out, diag);
}

static struct spec *parsed(const char *text, const struct workload_setting *settings, size_t count)
{
    struct spec *spec = NULL;
    struct diag diag = {""};
    if (parse_with(text, settings, count, &spec, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    return spec;
}

/* A file around phases, and around parameters and phases. */
#define TOP                         "{\"name\":\"x\",\"summary\":\"s\",\"tick\":\"1ms\",\"tasks\":\"10k\","
#define FILE_OF(list)               TOP "\"phases\":[" list "]}"
#define FILE_WITH(parameters, list) TOP "\"parameters\":{" parameters "},\"phases\":[" list "]}"

#define RUN "{\"name\":\"r\",\"do\":\"run\",\"ticks\":5}"
#define HOLD                                                                                       \
    "{\"name\":\"r\",\"do\":\"run\",\"turns\":\"$turns\",\"delay\":\"$delay\",\"ended\":"          \
    "\"restart\"}"

TEST(test_values_arrive)
{
    struct spec *spec = parsed(
        FILE_OF(
            "{\"name\":\"a\",\"do\":\"start\",\"share\":0.25,\"order\":\"latest\",\"delay\":"
            "\"uniform(1, 3s)\",\"age\":\"stationary\",\"stop_share\":\"0.5\",\"stop_after\":7},"
            "{\"name\":\"b\",\"do\":\"run\",\"turns\":2,\"step\":\"2ms\",\"delay\":\"1s\","
            "\"ended\":\"replace\",\"refresh_min\":3,\"arrive\":0.1,\"depart\":1e-3},"
            "{\"name\":\"c\",\"do\":\"run\",\"until\":\"empty\"},"
            "{\"name\":\"d\",\"do\":\"stop\"},"
            "{\"name\":\"e\",\"repeat\":4,\"phases\":[" RUN "]}"),
        NULL, 0);
    assert_string_equal(spec->name, "x");
    assert_int_equal(spec->tick_ns, 1000000);
    assert_int_equal(spec->tasks, 10000);
    assert_int_equal(spec->phase_count, 5);
    const struct spec_phase *phases = spec->phases;
    assert_int_equal(phases[0].kind, SPEC_START);
    assert_true(fabs(phases[0].share - 0.25) < 1e-15);
    assert_int_equal(phases[0].order, SPEC_LATEST);
    assert_int_equal(phases[0].age, SPEC_STATIONARY);
    assert_int_equal(dist_quantile(phases[0].delay, 0.999999), 3000);
    assert_int_equal(dist_quantile(phases[0].stop_after, 0.5), 7);
    assert_int_equal(phases[1].ticks, 2000);
    assert_int_equal(phases[1].step, 2);
    assert_int_equal(phases[1].ended, SPEC_REPLACE);
    assert_int_equal(phases[1].refresh_min, 3);
    assert_int_equal(phases[2].until_empty, 1);
    assert_int_equal(phases[2].step, 1);
    assert_int_equal(phases[3].order, SPEC_RANDOM);
    assert_true(fabs(phases[3].share - 1) < 1e-15);
    assert_int_equal(phases[4].kind, SPEC_GROUP);
    assert_int_equal(phases[4].repeat, 4);
    assert_int_equal(phases[4].phase_count, 1);
    spec_free(spec);
}

TEST(test_parameters_are_put_in)
{
    static const char text[] = FILE_WITH(
        "\"delay\":\"uniform(1, $max)\",\"turns\":3,\"max\":\"$unit\",\"unit\":\"1s\"", HOLD);
    struct spec *spec = parsed(text, NULL, 0);
    assert_string_equal(spec->parameters, "delay=uniform(1, $max) turns=3 max=$unit unit=1s");
    assert_int_equal(dist_quantile(spec->phases[0].delay, 0.999999), 1000);
    assert_int_equal(spec->phases[0].ticks, 1502);
    assert_non_null(strstr(spec->json, "\"delay\":\"uniform(1, 1s)\""));
    assert_null(strchr(spec->json, '$'));
    assert_null(strchr(spec->json, '\n'));
    spec_free(spec);

    struct workload_setting settings[] = {{"turns", "1"}, {"unit", "10"}, {"turns", "2"}};
    spec = parsed(text, settings, 3);
    assert_int_equal(dist_quantile(spec->phases[0].delay, 0.999999), 10);
    assert_int_equal(spec->phases[0].ticks, 11);
    /* What came out is a workload file itself, and means the same. */
    struct spec *again = parsed(spec->json, NULL, 0);
    assert_string_equal(again->json, spec->json);
    assert_int_equal(again->phases[0].ticks, 11);
    spec_free(again);
    spec_free(spec);
}

TEST(test_request_overrides_tasks_and_tick)
{
    struct workload_request request = {.tasks = 77, .tick_ns = 100000};
    struct spec *spec;
    struct diag diag;
    const char *text = FILE_OF("{\"name\":\"a\",\"do\":\"start\",\"delay\":\"1s\"}");
    assert_int_equal(spec_parse(text, strlen(text), "x.json", &request, &spec, &diag), DIAG_OK);
    assert_int_equal(spec->tasks, 77);
    assert_int_equal(dist_quantile(spec->phases[0].delay, 0.5), 10000);
    assert_non_null(strstr(spec->json, "\"tick\":\"100000ns\",\"tasks\":77"));
    spec_free(spec);
}

struct bad {
    const char *text, *message;
};

#define KEYS_OF_RUN                                                                                \
    "name, do, delay, stop_share, stop_after, ticks, turns, until, step, ended, "                  \
    "run_time, slow_every, slow_run, refresh, refresh_min, arrive, depart"
#define START(more) FILE_OF("{\"name\":\"a\",\"do\":\"start\"" more "}")
#define GO(more)    FILE_OF("{\"name\":\"a\",\"do\":\"run\"" more "}")

static const struct bad bads[] = {
    {"", "x.json:1:1: the file is empty; expected a workload"},
    {"{\n  \"name\": oops }", "x.json:2:11: not JSON; expected a workload"},
    {"{} x", "x.json:1:4: not JSON; expected a workload"},
    {"[]", "x.json: expected an object"},
    {"{}", "x.json: name: expected the name of the workload"},
    {"{\"name\":\"a b\",\"summary\":\"s\"}",
     "x.json: name: 'a b', expected a name of up to 63 of letters, 0-9, '-' and '_'"},
    {"{\"name\":\"x\"}", "x.json: summary: expected one sentence on what it models"},
    {"{\"name\":\"x\",\"name\":\"y\"}", "x.json: name: there twice, expected each key once"},
    {"{\"name\":\"x\",\"summary\":\"s\"}", "x.json: tick: expected a time such as \"1ms\""},
    {"{\"name\":\"x\",\"summary\":\"s\",\"tick\":5}",
     "x.json: tick: '5' is not a time, expected a time such as 10ms, 1.5s or 1h"},
    {"{\"name\":\"x\",\"summary\":\"s\",\"tick\":\"0s\"}",
     "x.json: tick: '0s', expected 1ns .. 1d"},
    {"{\"name\":\"x\",\"summary\":\"s\",\"tick\":\"1s\"}",
     "x.json: tasks: expected the default number of tasks, such as 100000"},
    {"{\"name\":\"x\",\"summary\":\"s\",\"tick\":\"1s\",\"tasks\":0}",
     "x.json: tasks: 0, expected 1 .. 1e9 tasks"},
    {"{\"name\":\"x\",\"summary\":\"s\",\"tick\":\"1s\",\"tasks\":1e999}",
     "x.json:1:52: a number beyond all bounds; expected a workload"},
    {"{\"name\":\"x\",\"summary\":\"s\",\"tick\":\"1s\",\"tasks\":\"2G\"}",
     "x.json: tasks: 2G, expected 1 .. 1e9 tasks"},
    {TOP "\"colour\":1}", "x.json: colour: unknown key, expected one of name, summary, tick, "
                          "tasks, slack, parameters, phases"},
    {TOP "\"phases\":[]}", "x.json: phases: expected an array of 1 .. 16 phases"},
    {TOP "\"phases\":7}", "x.json: phases: expected an array of 1 .. 16 phases"},
    {FILE_OF("5"), "x.json: phases[0]: expected an object"},
    {FILE_OF("{\"name\":\"a\"}"),
     "x.json: phases[0].do: expected \"start\", \"stop\" or \"run\" (or "
     "\"repeat\" and \"phases\" instead)"},
    {FILE_OF("{\"do\":\"jump\"}"),
     "x.json: phases[0].do: 'jump' given; expected one of start, stop, run"},
    {FILE_OF("{\"do\":\"stop\"}"), "x.json: phases[0].name: expected a name for the phase"},
    {FILE_OF(RUN "," RUN), "x.json: phases[1].name: expected a name that no other phase has"},
    {FILE_OF(RUN ",{\"name\":\"b\",\"do\":\"run\",\"shar\":1}"),
     "x.json: phases[1].shar: unknown key, expected one of " KEYS_OF_RUN},
    {START(",\"ticks\":5"),
     "x.json: phases[0].ticks: unknown key, expected one of name, do, delay, "
     "share, order, age, stop_share, stop_after, refresh, refresh_min"},
    {START(""), "x.json: phases[0].delay: expected a distribution for the timers started"},
    {START(",\"delay\":\"uniform(1, x)\""), "x.json: phases[0].delay: column 12: 'x' is not a "
                                            "number of ticks or a time, expected a number "
                                            "of ticks or a time such as 30000 or 30s"},
    {START(",\"delay\":0"),
     "x.json: phases[0].delay: column 1: '0' is a delay of 0 ticks, expected 1 .. 2^53"},
    {START(",\"delay\":-3"), NULL},
    {START(",\"delay\":true"), "x.json: phases[0].delay: expected a number or a string"},
    {START(",\"delay\":5,\"share\":1.5"),
     "x.json: phases[0].share: 1.5, expected a number from 0 to 1"},
    {START(",\"delay\":5,\"share\":-0.1"),
     "x.json: phases[0].share: -0.1, expected a number from 0 to 1"},
    {START(",\"delay\":5,\"share\":\"nan\""),
     "x.json: phases[0].share: 'nan' is not a number, expected one such as 0.5 or 1e-4"},
    {START(",\"delay\":5,\"order\":\"up\""),
     "x.json: phases[0].order: 'up' given; expected one of ids, random, soonest, latest"},
    {START(",\"delay\":5,\"age\":\"refreshed\""),
     "x.json: phases[0].refresh: expected a rate (or refresh_min) with, and only with, age "
     "\"refreshed\""},
    {GO(""), "x.json: phases[0].ticks: expected exactly one of ticks, turns and until in a run"},
    {GO(",\"ticks\":5,\"until\":\"empty\""),
     "x.json: phases[0].ticks: expected exactly one of ticks, turns and until in a run"},
    {GO(",\"until\":\"full\""), "x.json: phases[0].until: 'full' given; expected one of empty"},
    {GO(",\"ticks\":0"), "x.json: phases[0].ticks: 0, expected 1 .. 2^53 ticks"},
    {GO(",\"ticks\":\"1e17\""), "x.json: phases[0].ticks: 1e17, expected 1 .. 2^53 ticks"},
    {GO(",\"ticks\":5,\"step\":0"), "x.json: phases[0].step: 0, expected 1 .. 2^53 ticks"},
    {GO(",\"turns\":2"), "x.json: phases[0].delay: expected a distribution for turns and for the "
                         "timers that are started"},
    {GO(",\"ticks\":5,\"ended\":\"restart\""), "x.json: phases[0].delay: expected a distribution "
                                               "for turns and for the timers that are started"},
    {GO(",\"ticks\":5,\"ended\":\"restart\",\"delay\":\"1e10\""),
     "x.json: phases[0].delay: expected delays below 2^32 ticks for a restart"},
    {GO(",\"ticks\":5,\"ended\":\"fixed-rate\",\"delay\":\"1e10\""),
     "x.json: phases[0].delay: expected delays below 2^32 ticks for a restart"},
    {GO(",\"ticks\":5,\"ended\":\"hourly\",\"delay\":5"),
     "x.json: phases[0].ended: 'hourly' given; expected one of idle, restart, replace, fixed-rate, "
     "fixed-delay"},
    {GO(",\"ticks\":5,\"ended\":\"fixed-rate\""),
     "x.json: phases[0].delay: expected a distribution for turns and for the timers that are "
     "started"},
    {GO(",\"ticks\":5,\"ended\":\"restart\",\"delay\":5,\"run_time\":1"),
     "x.json: phases[0].run_time: expected a run time only where timers end fixed-rate or "
     "fixed-delay"},
    {GO(",\"ticks\":5,\"ended\":\"fixed-delay\",\"delay\":5,\"run_time\":\"1e10\""),
     "x.json: phases[0].run_time: expected run times below 2^32 ticks"},
    {GO(",\"ticks\":5,\"ended\":\"fixed-rate\",\"delay\":5,\"slow_run\":1"),
     "x.json: phases[0].slow_every: expected slow_run with it, and timers that end fixed-rate or "
     "fixed-delay"},
    {GO(",\"ticks\":5,\"slow_run\":1,\"slow_every\":2"),
     "x.json: phases[0].slow_every: expected slow_run with it, and timers that end fixed-rate or "
     "fixed-delay"},
    {START(",\"delay\":5,\"age\":\"phased\",\"order\":\"latest\""),
     "x.json: phases[0].order: expected ids or random with age \"phased\""},
    {START(",\"delay\":\"1e10\",\"age\":\"phased\""),
     "x.json: phases[0].delay: expected periods below 2^32 ticks"},
    {GO(",\"until\":\"empty\",\"ended\":\"restart\",\"delay\":5"),
     "x.json: phases[0].until: expected ticks or turns, because what starts timers never gets "
     "empty"},
    {GO(",\"turns\":1e6,\"delay\":\"1e15\""),
     "x.json: phases[0].turns: expected a length up to 2^53 ticks"},
    {GO(",\"ticks\":5,\"refresh_min\":1e9,\"delay\":5"),
     "x.json: phases[0].refresh_min: 1000000000 given; expected 0 .. 1000000"},
    {FILE_OF("{\"name\":\"g\",\"repeat\":0,\"phases\":[" RUN "]}"),
     "x.json: phases[0].repeat: 0 given; expected 1 .. 1000000"},
    {FILE_OF("{\"name\":\"g\",\"phases\":[{\"phases\":[" RUN "]}]}"),
     "x.json: phases[0].phases[0].phases: expected no group inside a group"},
    {FILE_OF("{\"name\":\"g\",\"phases\":[" RUN
             ",{\"do\":\"run\",\"ticks\":5,\"delay\":5,\"ended\":"
             "\"restart\"}]}"),
     "x.json: phases[0].phases[1].ended: expected idle or replace, because restart needs a phase "
     "of "
     "its own"},
    {FILE_WITH("\"a\":\"$b\",\"b\":\"$a\"", RUN),
     "x.json: parameters.a: refers to itself, directly or through others, expected no cycle"},
    {FILE_WITH("\"a\":\"$a\"", RUN),
     "x.json: parameters.a: refers to itself, directly or through others, expected no cycle"},
    {FILE_WITH("\"a\":\"\"", RUN),
     "x.json: parameters.a: expected a number or a string of 1 .. 2000 characters"},
    {FILE_WITH("\"a\":[1]", RUN),
     "x.json: parameters.a: expected a number or a string of 1 .. 2000 characters"},
    {FILE_WITH("\"a\":1", "{\"name\":\"r\",\"do\":\"run\",\"ticks\":\"$b\"}"),
     "x.json: phases[0].ticks: '$b', expected one of the parameters: a"},
    {FILE_WITH("\"a\":\"5$\"", RUN),
     "x.json: parameters.a: '$', expected one of the parameters: a"},
    {TOP "\"parameters\":5}", "x.json: parameters: expected an object"},
};

TEST(test_bad_files)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        struct spec *spec = NULL;
        struct diag diag = {""};
        int status = parse_with(bads[i].text, NULL, 0, &spec, &diag);
        if (bads[i].message)
            assert_string_equal(diag.text, bads[i].message);
        assert_int_equal(status, DIAG_USAGE);
        assert_null(spec);
    }
}

TEST(test_parameters_that_double_for_ever)
{
    /* p0 = "xx", p1 = "$p0$p0", ... p30: 2^31 characters if nobody counted. */
    char text[4000];
    size_t length = (size_t)sprintf(text, "%s\"parameters\":{\"p0\":\"xx\"", TOP);
    for (int i = 1; i <= 30; i++)
        length += (size_t)sprintf(text + length, ",\"p%d\":\"$p%d$p%d\"", i, i - 1, i - 1);
    sprintf(text + length, "},\"phases\":[%s]}", RUN);
    struct spec *spec = NULL;
    struct diag diag = {""};
    assert_int_equal(parse_with(text, NULL, 0, &spec, &diag), DIAG_USAGE);
    assert_string_equal(diag.text,
                        "x.json: parameters.p10: longer than 2000 characters with its parameters");
}

TEST(test_bad_settings)
{
    static const char text[] = FILE_WITH("\"delay\":5,\"turns\":3", HOLD);
    struct workload_setting unknown = {"dealy", "7"}, bad = {"delay", "7x"},
                            cycle = {"turns", "$turns"};
    struct spec *spec = NULL;
    struct diag diag = {""};
    assert_int_equal(parse_with(text, &unknown, 1, &spec, &diag), DIAG_USAGE);
    assert_string_equal(diag.text,
                        "--set dealy=7: x.json has no parameter 'dealy', expected one of: "
                        "delay, turns");
    assert_int_equal(parse_with(text, &bad, 1, &spec, &diag), DIAG_USAGE);
    assert_string_equal(
        diag.text, "x.json: phases[0].delay: column 1: '7x' is not a number of ticks or a time, "
                   "expected a number of ticks or a time such as 30000 or 30s");
    assert_int_equal(parse_with(text, &cycle, 1, &spec, &diag), DIAG_USAGE);
    assert_int_equal(parse_with(FILE_OF(RUN), &unknown, 1, &spec, &diag), DIAG_USAGE);
    assert_string_equal(diag.text,
                        "--set dealy=7: x.json has no parameter 'dealy', expected one of: none");
    assert_null(spec);
}

TEST(test_a_file_that_is_not_there)
{
    struct workload_request request = {.directory = "workloads"};
    struct spec *spec = NULL;
    struct diag diag = {""};
    assert_int_equal(spec_load("no/such.json", &request, &spec, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "no/such.json: cannot be opened: No such file or directory");
    assert_int_equal(spec_load("workloads", &request, &spec, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "workloads: cannot be read: Is a directory; expected a file");
}

TEST_MAIN(NULL, NULL)
