/* test_workload.c - every workload that is shipped loads, generates at any size, and does what its
 * name promises; lookup and listing. */
#include "harness/measure/workload/workload.h"
#include "testing.h"

#include "harness/measure/workload/oracle.h"

#include <math.h>

static int stream_of(const char *name, uint64_t tasks, const struct workload_setting *settings,
                     size_t count, struct stream **out, struct diag *diag)
{
    struct workload_request request = {.workload = name,
                                       .directory = "workloads",
                                       .tasks = tasks,
                                       .seed = 1,
                                       .settings = settings,
                                       .setting_count = count};
    return workload_stream(&request, out, diag);
}

/* Sums over the phases. */
struct totals {
    uint64_t starts, stops, ticks, fired;
};

static struct totals totals_of(const struct stream *stream)
{
    struct totals totals = {0, 0, 0, stream->expected.fired};
    for (size_t i = 0; i < stream->phase_count; i++) {
        totals.starts += stream->phases[i].counts.starts;
        totals.stops += stream->phases[i].counts.stops;
        totals.ticks += stream->phases[i].counts.ticks;
    }
    return totals;
}

/* What a workload promises at every size. */
typedef bool promise_fn(const struct stream *stream, struct totals totals, uint64_t tasks);

static bool near(double found, double wanted, double relative)
{
    return fabs(found - wanted) <= relative * wanted;
}

static bool promise_standard(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return totals.starts == tasks && totals.stops == tasks / 2 &&
           stream->expected.fired_in[3] == tasks - tasks / 2 && stream->expected.running_end == 0 &&
           near((double)stream->expected.fired_in[1], 2.0 * (double)tasks, 0.3);
}

static bool promise_fill_cancel(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    (void)stream;
    return totals.starts == tasks && totals.stops == tasks && totals.fired == 0 &&
           totals.ticks == 0;
}

static bool promise_all_fire(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return totals.starts == tasks && totals.stops == 0 && totals.fired == tasks &&
           stream->expected.running_end == 0;
}

static bool promise_hold(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return totals.starts == tasks && totals.stops == 0 && stream->expected.running_end == tasks &&
           near((double)totals.fired, 2.0 * (double)tasks, 0.3);
}

static bool promise_keepalive(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    uint64_t per_tick = tasks < 10000 ? 1 : tasks / 10000;
    return totals.stops == 0 && stream->phases[1].counts.starts == 20000 * per_tick &&
           totals.fired < totals.starts / 10;
}

static bool promise_network(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    double ended = (double)(totals.stops + totals.fired);
    return stream->expected.running_end == tasks && ended > 1.2 * (double)tasks &&
           fabs((double)totals.stops / ended - 0.99) < 0.001 + 4 * sqrt(0.0099 / ended);
}

static bool promise_request_timeout(const struct stream *stream, struct totals totals,
                                    uint64_t tasks)
{
    return totals.fired == 0 && totals.starts == totals.stops && totals.starts > 4 * tasks &&
           stream->expected.running_end == 0;
}

static bool promise_delay_message(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return promise_all_fire(stream, totals, tasks) && stream->tick_ns == 1000000000 &&
           totals.ticks <= 864000;
}

static bool promise_long_horizon(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return stream->horizon > UINT64_C(1) << 32 && totals.ticks > 1 << 24 &&
           totals.fired + totals.stops == tasks;
}

static bool promise_burst(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return promise_all_fire(stream, totals, tasks) && totals.ticks == 1000;
}

static bool promise_collide(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    (void)totals;
    for (size_t i = 0; i < STREAM_RESTART_SIZE; i++) {
        uint32_t slots = (stream->phases[1].restart[i] + 1) % 512;
        uint32_t levels = (stream->phases[2].restart[i] + 1) % 64;
        if (slots > 2 || levels > 2)
            return false;
    }
    return stream->expected.running_end == 0 && totals.stops == tasks / 2;
}

static bool promise_idle(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return promise_all_fire(stream, totals, tasks) && stream->expected.fired_in[2] == 0 &&
           stream->phases[0].counts.advances == 100000 &&
           stream->phases[3].counts.ticks == 3000 * stream->phases[3].counts.advances;
}

static bool promise_few_constants(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    size_t changes = 0;
    for (size_t i = 1; i < STREAM_RESTART_SIZE; i++)
        changes += stream->phases[1].restart[i] != stream->phases[1].restart[i - 1];
    return changes == 4 && totals.stops == tasks / 2 && stream->expected.running_end == 0;
}

static bool promise_ramp(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return stream->expected.running_max > tasks / 2 && stream->expected.running_end == 0 &&
           totals.starts == totals.stops + totals.fired && totals.starts > 2 * tasks;
}

/* All run for ever, each at its own period: in the middle of the stream as at its beginning. */
static bool promise_periodic(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    double expected = 0;
    for (tw_id id = 0; id < tasks; id++)
        expected += 300000.0 / stream_period(stream->phases[1].period, id);
    return totals.starts == tasks && totals.stops == 0 && stream->expected.running_end == tasks &&
           stream->horizon == 600000 && stream->schedule.ticks == 300000 &&
           stream->schedule.phase == 1 && !stream->schedule.fixed_delay &&
           near((double)totals.fired, expected, 5 / sqrt((double)tasks));
}

static bool promise_p2(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return promise_all_fire(stream, totals, tasks) &&
           stream->phases[1].counts.advances == 3600000 && totals.ticks == 3600000;
}

static bool promise_p3(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    uint64_t per_tick = tasks < 10000 ? 1 : tasks / 10000;
    return totals.stops == 0 && stream->phases[1].counts.starts == 40000 * per_tick &&
           totals.fired < totals.starts / 10;
}

static bool promise_p5(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    double ended = (double)(totals.stops + totals.fired);
    return stream->expected.running_end == tasks && ended > 1.2 * (double)tasks &&
           stream->horizon == 60000 &&
           fabs((double)totals.stops / ended - 0.9) < 0.001 + 4 * sqrt(0.09 / ended);
}

/* Reads refresh, evictions cancel and keys expire. */
static bool promise_ttl_cache(const struct stream *stream, struct totals totals, uint64_t tasks)
{
    return stream->tick_ns == 1000000000 && totals.ticks == 1200 &&
           (double)totals.starts > 1.8 * (double)tasks && totals.stops > tasks / 10 &&
           totals.fired > tasks / 10;
}

struct shipped {
    const char *name;
    promise_fn *promise;
};

static const struct shipped files[] = {
    {"P1", promise_fill_cancel},
    {"P2", promise_p2},
    {"P3", promise_p3},
    {"P4", promise_hold},
    {"P5", promise_p5},
    {"burst", promise_burst},
    {"collide", promise_collide},
    {"delay-message", promise_delay_message},
    {"few-constants", promise_few_constants},
    {"fill-cancel", promise_fill_cancel},
    {"fill-expire", promise_all_fire},
    {"hold", promise_hold},
    {"idle", promise_idle},
    {"keepalive", promise_keepalive},
    {"long-horizon", promise_long_horizon},
    {"network", promise_network},
    {"periodic", promise_periodic},
    {"ramp", promise_ramp},
    {"request-timeout", promise_request_timeout},
    {"standard", promise_standard},
    {"ttl-cache", promise_ttl_cache},
};

enum { FILES = sizeof files / sizeof *files };

static const char *const traces[] = {"libevent-unbound", "libuv-bind", "linux-hrtimer",
                                     "linux-timer", "nginx"};

TEST(test_every_file_keeps_its_promise)
{
    static const uint64_t sizes[] = {100, 1000, 100000};
    for (size_t i = 0; i < FILES; i++)
        for (size_t j = 0; j < 3; j++) {
            struct stream *stream = NULL;
            struct diag diag = {""};
            if (stream_of(files[i].name, sizes[j], NULL, 0, &stream, &diag) != DIAG_OK)
                fail_msg("%s", diag.text);
            assert_string_equal(stream->workload, files[i].name);
            assert_int_equal(stream->tasks, sizes[j]);
            assert_int_equal(stream->capacity, sizes[j]);
            assert_true(stream->expected.running_max <= sizes[j]);
            assert_null(strchr(stream->spec_json, '$'));
            if (!files[i].promise(stream, totals_of(stream), sizes[j]))
                fail_msg("%s with %llu tasks does not do what it promises", files[i].name,
                         (unsigned long long)sizes[j]);
            stream_free(stream);
        }
}

TEST(test_one_task_is_enough)
{
    for (size_t i = 0; i < FILES; i++) {
        struct stream *stream = NULL;
        struct diag diag = {""};
        if (stream_of(files[i].name, 1, NULL, 0, &stream, &diag) != DIAG_OK)
            fail_msg("%s", diag.text);
        stream_free(stream);
    }
}

TEST(test_settings_and_tick)
{
    struct workload_setting settings[] = {{"delay", "constant(10)"}, {"stop_order", "ids"}};
    struct stream *stream = NULL;
    struct diag diag = {""};
    assert_int_equal(stream_of("fill-cancel", 100, settings, 2, &stream, &diag), DIAG_OK);
    assert_int_equal(stream->horizon, 10);
    assert_non_null(strstr(stream->spec_json, "\"delay\":\"constant(10)\""));
    stream_free(stream);
    struct workload_request request = {.workload = "delay-message",
                                       .directory = "workloads",
                                       .tasks = 10,
                                       .tick_ns = UINT64_C(3600000000000)};
    assert_int_equal(workload_stream(&request, &stream, &diag), DIAG_OK);
    assert_int_equal(stream->tick_ns, UINT64_C(3600000000000));
    assert_in_range(stream->horizon, 1, 240);
    stream_free(stream);
}

TEST(test_lookup)
{
    struct workload_setting setting = {"delay", "5"};
    struct stream *stream = NULL;
    struct diag diag = {""};
    assert_true(workload_is_trace("nginx", "workloads"));
    assert_true(workload_is_trace("some/where.tt.gz", "workloads"));
    assert_false(workload_is_trace("hold", "workloads"));
    assert_false(workload_is_trace("nosuch", "workloads"));
    assert_int_equal(stream_of("workloads/burst.json", 10, NULL, 0, &stream, &diag), DIAG_OK);
    assert_string_equal(stream->workload, "burst");
    stream_free(stream);
    assert_int_equal(stream_of("workloads/traces/libuv-bind.tt.xz", 10, NULL, 0, &stream, &diag),
                     DIAG_OK);
    assert_string_equal(stream->workload, "libuv-bind");
    assert_int_equal(stream->tasks, 1695);
    stream_free(stream);
    stream = NULL;
    assert_int_equal(stream_of("libuv-bind", 0, &setting, 1, &stream, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "--set delay=5: workloads/traces/libuv-bind.tt.xz is a trace, "
                                   "expected only slack");
    assert_int_equal(stream_of("no/such.json", 0, NULL, 0, &stream, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "no/such.json: there is no such file");
    assert_int_equal(stream_of("burts", 0, NULL, 0, &stream, &diag), DIAG_USAGE);
    assert_string_equal(
        diag.text,
        "workload 'burts': not in workloads, expected one of: P1, P2, P3, P4, P5, "
        "burst, collide, "
        "delay-message, few-constants, fill-cancel, fill-expire, hold, idle, "
        "keepalive, long-horizon, network, periodic, ramp, request-timeout, "
        "standard, ttl-cache, "
        "libevent-unbound, libuv-bind, linux-hrtimer, linux-timer, nginx; did you mean 'burst'?");
    assert_int_equal(stream_of("hold", TW_CAPACITY_MAX + UINT64_C(1), NULL, 0, &stream, &diag),
                     DIAG_USAGE);
    assert_string_equal(diag.text, "hold: 1000000001 tasks, expected at most 1e9");
    assert_null(stream);
}

struct listing {
    size_t count;
    bool right;
};

static void listing_visit(void *ctx, const struct workload_info *info)
{
    struct listing *listing = ctx;
    size_t i = listing->count++;
    const char *name = i < FILES ? files[i].name : traces[i - FILES];
    listing->right = listing->right && strcmp(info->name, name) == 0 &&
                     info->is_trace == (i >= FILES) && strlen(info->summary) > 20 &&
                     info->tick_ns > 0 && (info->is_trace || strchr(info->parameters, '='));
}

TEST(test_listing)
{
    struct listing listing = {0, true};
    struct diag diag = {""};
    assert_int_equal(workload_list("workloads", listing_visit, &listing, &diag), DIAG_OK);
    assert_int_equal(listing.count, FILES + 5);
    assert_true(listing.right);
    assert_int_equal(workload_list("no/where", listing_visit, &listing, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "no/where: cannot be listed: No such file or directory");
}

/* ---- Passes. --------------------------------------------------------------------------------- */

static struct stream *with_passes(struct workload_request request, uint64_t warmup, uint64_t passes)
{
    struct stream *stream;
    struct diag diag;
    request.directory = "workloads";
    request.seed = 1;
    assert_int_equal(workload_stream(&request, &stream, &diag), DIAG_OK);
    workload_add_passes(&request, stream, warmup, passes);
    return stream;
}

TEST(no_pass_repeats_another)
{
    struct workload_request request = {.workload = "standard", .tasks = 100};
    struct stream *stream = with_passes(request, 2, 7), *again = with_passes(request, 2, 7);
    uint64_t hashes[9], operations = 0;
    assert_int_equal(stream->passes->count, 9);
    assert_false(stream->passes->renamed);
    for (uint64_t i = 0; i < 9; i++) {
        const struct stream *pass = stream_of_pass(stream, i, 2);
        hashes[i] = pass->hash;
        operations += stream_operations(pass);
        assert_int_equal(pass->capacity, stream->capacity);
        assert_true(pass->horizon >= stream->horizon);
        assert_ptr_equal(pass->phases[1].restart, stream->phases[1].restart);
        assert_int_equal(pass->hash, stream_of_pass(again, i, 2)->hash);
        assert_true(i == 2 || pass->expected.digest != stream->expected.digest);
        for (uint64_t j = 0; j < i; j++)
            assert_true(hashes[j] != hashes[i]);
    }
    assert_int_equal(hashes[2], stream->hash);
    assert_int_equal(operations, stream->passes->operations);
    assert_int_equal(stream_of_pass(stream, 9, 2)->hash, hashes[0]);
    stream_free(stream);
    stream_free(again);
}

TEST(passes_keep_the_cap)
{
    struct workload_request request = {.workload = "P1", .tasks = 100};
    struct stream *stream = with_passes(request, 0, 1);
    struct diag diag;
    assert_null(stream->passes);
    assert_int_equal(oracle_cap(stream, 60, &diag), DIAG_OK);
    request.directory = "workloads";
    workload_add_passes(&request, stream, 1, 1);
    assert_int_equal(stream_of_pass(stream, 0, 1)->expected.refused, 40);
    stream_free(stream);
}

TEST(long_traces_are_timed_once_and_short_ones_renamed)
{
    struct stream *once = with_passes((struct workload_request){.workload = "nginx"}, 1, 5);
    assert_true(once->once);
    assert_int_equal(once->passes->count, 2);
    stream_free(once);
    struct stream *three =
        with_passes((struct workload_request){.workload = "nginx", .rename = true}, 1, 2);
    assert_false(three->once);
    assert_int_equal(three->passes->count, 3);
    const struct stream *pass = stream_of_pass(three, 2, 1);
    assert_true(three->passes->renamed);
    assert_true(pass->hash != three->hash && pass->expected.digest != three->expected.digest);
    assert_int_equal(pass->expected.fired, three->expected.fired);
    assert_int_equal(pass->expected.running_max, three->expected.running_max);
    assert_int_equal(stream_operations(pass), stream_operations(three));
    stream_free(three);
    struct stream *brief = with_passes((struct workload_request){.workload = "libuv-bind"}, 1, 1);
    assert_false(brief->once);
    assert_true(brief->passes->renamed);
    stream_free(brief);
}

TEST(no_pass_is_made_after_the_deadline)
{
    struct workload_request request = {.workload = "hold", .tasks = 100};
    struct stream *stream = with_passes(request, 0, 1);
    request.directory = "workloads";
    request.until = (struct deadline){.at_ns = 1};
    workload_add_passes(&request, stream, 1, 5);
    assert_null(stream->passes);
    assert_int_equal(stream_of_pass(stream, 3, 1)->hash, stream->hash);
    stream_free(stream);
}

TEST_MAIN(NULL, NULL)
