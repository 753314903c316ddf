/* cell.c - writes a cell of a result: the keys of schema/result-1.json, in that order. */
#include "harness/tell/result/cell.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/measure/stats/growth.h"
#include "harness/measure/stats/summary.h"
#include "harness/tell/result/interval.h"

/* A figure less the harness's share is told when its interval is no wider than this. */
#define CORRECTED_SPREAD 2

/* ---- Identity and parameters. ---------------------------------------------------------------- */

void cell_identity_text(char *out, size_t size, const struct cell_identity *identity,
                        const struct stream *stream)
{
    char settings[1536];
    struct text list = text_in(settings, sizeof settings);
    bool by_ticks = identity->drive == PLAN_DRIVE_TICKS;
    const char *pages = plan_pages_name(identity->pages);
    for (size_t i = 0; i < identity->setting_count; i++) {
        const struct tw_setting *setting = &identity->settings[i];
        for (uint32_t v = 0; v < setting->count; v++)
            text_add(&list, "%s%s%s%" PRIu64, v ? "," : " ", v ? "" : setting->name, v ? "" : "=",
                     setting->values[v]);
    }
    if (identity->batch > 0)
        text_add(&list, " batch=%" PRIu32, identity->batch);
    if (identity->between != PLAN_BETWEEN_UNASKED)
        text_add(&list, " between=%s",
                 plan_between_name((char[PLAN_BETWEEN_TEXT]){""}, identity->between));
    snprintf(out, size,
             "%s%s%s%s%s%s; %s tasks=%" PRIu64 " tick_ns=%" PRIu64 " seed=%" PRIu64
             " stream=%016" PRIx64 "; runs=%" PRIu64 " warmup=%" PRIu64 " pin_cpu=%d"
             " max_pending=%" PRIu64 "%s%s",
             identity->impl, settings,
             by_ticks ? "" : " drive=", by_ticks ? "" : plan_drive_name(identity->drive),
             pages ? " huge_pages=" : "", pages ? pages : "", stream->workload, stream->tasks,
             stream->tick_ns, stream->seed, stream->hash, identity->runs, identity->warmup,
             identity->pin_cpu < 0 ? -1 : identity->pin_cpu, identity->max_pending,
             identity->same_pass ? " same_pass" : "", identity->rename ? " rename_ids" : "");
    if (identity->extra) {
        char extra[512];
        identity->extra->identity(extra, sizeof extra, identity->extra->ctx);
        text_add_behind(out, size, "; %s", extra);
    }
    jsontext_repair(out); /* as it is in a document, where it is looked for */
}

/* One value is a number, a list is an array. */
static void add_setting(cJSON *params, const char *name, const uint64_t *values, uint32_t count)
{
    if (count == 1) {
        json_add_integer(params, name, values[0]);
        return;
    }
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, json_integer(values[i]));
    json_add(params, name, list);
}

/* By ticks goes without saying, and so do any pages and single calls, as in results of versions that knew nothing else. */
static cJSON *new_params(const struct cell_identity *identity)
{
    cJSON *params = cJSON_CreateObject();
    if (identity->drive != PLAN_DRIVE_TICKS)
        json_add_text(params, "drive", plan_drive_name(identity->drive));
    if (identity->pages != PLAN_PAGES_ANY)
        json_add_text(params, "huge_pages", plan_pages_name(identity->pages));
    if (identity->batch > 0)
        json_add_integer(params, "batch", identity->batch);
    if (identity->between != PLAN_BETWEEN_UNASKED)
        json_add_text(params, "between",
                      plan_between_name((char[PLAN_BETWEEN_TEXT]){""}, identity->between));
    if (identity->extra)
        identity->extra->params(params, identity->extra->ctx);
    return params;
}

static cJSON *requested_params(const struct cell_identity *identity)
{
    cJSON *params = new_params(identity);
    for (size_t i = 0; i < identity->setting_count; i++)
        add_setting(params, identity->settings[i].name, identity->settings[i].values,
                    identity->settings[i].count);
    return params;
}

/* A design that refused its settings never resolved them: then the wish stands for them. */
static cJSON *resolved_params(const struct cell_identity *identity, const struct outcome *outcome)
{
    if (outcome->setting_count == 0)
        return requested_params(identity);
    cJSON *params = new_params(identity);
    for (size_t i = 0; i < outcome->setting_count; i++)
        add_setting(params, outcome->settings[i].name, outcome->settings[i].values,
                    outcome->settings[i].count);
    return params;
}

static cJSON *make_cost(const struct tw_cost *cost)
{
    char text[64];
    bool differ = cost->average != cost->worst;
    snprintf(text, sizeof text, "%s%s%s", growth_class_name(cost->average),
             differ ? ", worst " : "", differ ? growth_class_name(cost->worst) : "");
    return json_text(text);
}

static cJSON *make_costs(const struct tw_traits *traits)
{
    cJSON *object = cJSON_CreateObject();
    json_add(object, "start", make_cost(&traits->start));
    json_add(object, "stop", make_cost(&traits->stop));
    json_add(object, "expire", make_cost(&traits->expire));
    json_add(object, "tick", make_cost(&traits->tick));
    return object;
}

/* `slack` is what the design takes of the stream's; NULL: nothing. */
static cJSON *make_traits(const struct tw_traits *traits, const struct stream_slack *slack)
{
    static const struct {
        const char *key;
        unsigned flag;
    } flags[] = {
        {"ordered", TW_ORDERED},       {"fifo", TW_FIFO},
        {"tickless", TW_TICKLESS},     {"next_exact", TW_NEXT_EXACT},
        {"allocates", TW_ALLOCATES},   {"keeps_nothing", TW_KEEPS_NOTHING},
        {"real_clock", TW_REAL_CLOCK},
    };
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        json_add(object, flags[i].key, cJSON_CreateBool((traits->flags & flags[i].flag) != 0));
    json_add_integer(object, "late_ticks", slack ? slack->ticks : traits->late_ticks);
    json_add_integer(object, "late_shift", slack ? slack->shift : traits->late_shift);
    json_add(object, "costs", make_costs(traits));
    return object;
}

/* ---- Phases. --------------------------------------------------------------------------------- */

static double median_per(const double *samples_ns, size_t count, uint64_t operations)
{
    if (operations == 0 || count == 0)
        return NAN;
    return summary_of(samples_ns, count).median / (double)operations;
}

/* The own tail; null when it is not known. */
static cJSON *cell_make_tail(const struct tail *tail)
{
    if (tail->passes == 0)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject(), *slowest = cJSON_CreateArray();
    latency_add_quantiles(object, &tail->least);
    json_add(object, "pass_max", cJSON_CreateNumber((double)tail->pass_max_ps / 1000));
    json_put(object, tail, passes, calls, calls_per_block);
    for (size_t i = 0; i < tail->slowest_count; i++) {
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(pair, json_integer(tail->slowest[i].block * tail->calls_per_block));
        cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)tail->slowest[i].least_ps / 1000));
        cJSON_AddItemToArray(slowest, pair);
    }
    json_add(object, "slowest", slowest);
    return object;
}

static cJSON *make_latencies(const struct outcome_phase *phase)
{
    static const char *const names[OUTCOME_OPERATIONS] = {[OUTCOME_START] = "start",
                                                          [OUTCOME_STOP] = "stop",
                                                          [OUTCOME_ADVANCE] = "advance",
                                                          [OUTCOME_NEXT] = "next"};
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < OUTCOME_OPERATIONS; i++)
        json_add(object, names[i], latency_make(&phase->latency[i]));
    cJSON *advance = cJSON_GetObjectItemCaseSensitive(object, names[OUTCOME_ADVANCE]);
    if (cJSON_IsObject(advance))
        json_add(advance, "own", cell_make_tail(&phase->own));
    return object;
}

static cJSON *make_work(const struct tw_work *work)
{
    cJSON *object = cJSON_CreateObject();
#define ADD(counter, since, meaning) json_add_integer(object, #counter, work->counter);
    TW_WORK_COUNTERS(ADD)
#undef ADD
    return object;
}

/* Per operation; the share is that of the counter which counted least of the time. */
static cJSON *make_counters(const struct outcome_count *counts, uint64_t operations)
{
    double share = NAN;
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < OUTCOME_COUNTERS; i++) {
        char key[48];
        const struct outcome_count *count = &counts[i];
        snprintf(key, sizeof key, "%s_per_op", outcome_counter_name((enum outcome_counter)i));
        json_add_measure(object, key, count->known ? count->per_pass / (double)operations : NAN);
        if (count->known)
            share = fmin(share, count->share);
    }
    json_add_measure(object, "running_share", share);
    return object;
}

/* Either the object, or null and a reason; both when only some of the counters are there. */
static void add_counters(cJSON *object, const struct outcome_phase *phase, uint64_t operations,
                         const char *reason)
{
    bool any = false;
    for (size_t i = 0; i < OUTCOME_COUNTERS; i++)
        any = any || phase->counts[i].known;
    if (operations == 0 && any)
        reason = "the phase has no operations";
    else if (!any && !reason[0])
        reason = "the counters never ran";
    any = any && operations > 0;
    json_add(object, "counters",
             any ? make_counters(phase->counts, operations) : cJSON_CreateNull());
    json_add_text(object, "counters_reason", reason);
}

static cJSON *make_operations(const struct outcome_phase *phase)
{
    cJSON *object = cJSON_CreateObject();
    json_add_integer(object, "start", phase->starts);
    json_add_integer(object, "stop", phase->stops);
    json_add_integer(object, "advance", phase->advances);
    json_add_integer(object, "expire", phase->expires);
    json_put(object, phase, ticks, refused);
    return object;
}

/* Where ticks drive, next is not called. */
static cJSON *make_wakeups(const struct outcome_phase *phase)
{
    cJSON *object = cJSON_CreateObject();
    json_add_integer(object, "count", phase->advances);
    json_put(object, &phase->wakeups, useful, to_moment, next_calls);
    return object;
}

static cJSON *make_advance_work(const struct outcome_advance_work *work)
{
    cJSON *object = cJSON_CreateObject();
    json_put(object, work, max, p99);
    return object;
}

/* Calls of a pass from outside, over those of null, which ticks drive. */
static double calls_over(const struct outcome_phase *phase, const struct outcome_phase *harness)
{
    double same = (double)(harness->starts + harness->stops);
    double calls = same + (double)(phase->advances + phase->wakeups.next_calls);
    double of = same + (double)harness->advances;
    return of > 0 ? calls / of : 1;
}

/* What null took is taken off sample by sample, of the same round: the interval is that of the differences.  Of processor
 * time, because what interrupts a call would be told as its own.  Told as a number where both its ends are above 0 and at most a factor of 2 apart. */
static cJSON *make_corrected(const struct outcome_phase *phase, const struct outcome *outcome,
                             const struct outcome *harness, size_t index)
{
    double rest_ns[OUTCOME_SAMPLES_MAX], taken_ns[OUTCOME_SAMPLES_MAX];
    uint64_t operations = phase->starts + phase->stops + phase->expires;
    double divisor = (double)(operations > 0 ? operations : phase->advances);
    size_t count = outcome->sample_count;
    if (!harness || harness->sample_count < count || count == 0 || divisor <= 0)
        return cJSON_CreateNull();
    const struct outcome_phase *of = &harness->phases[index];
    double scale = calls_over(phase, of);
    scale *= phase->stretch > 0 ? of->stretch / phase->stretch : 1;
    for (size_t i = 0; i < count; i++) {
        taken_ns[i] = of->cpu_ns[i] * scale;
        rest_ns[i] = phase->cpu_ns[i] - taken_ns[i];
    }
    struct summary rest = summary_of(rest_ns, count);
    cJSON *object = cJSON_CreateObject();
    json_add(object, "ns_per_op",
             interval_of_samples(rest_ns, count, operations > 0 ? divisor : 0, true));
    json_add(object, "ns_per_advance",
             interval_of_samples(rest_ns, count, operations > 0 ? 0 : divisor, true));
    json_add_measure(object, "harness_ns", summary_of(taken_ns, count).median / divisor);
    json_add_text(object, "reason",
                  rest.low > 0 && rest.high <= CORRECTED_SPREAD * rest.low
                      ? NULL
                      : "overhead too large to subtract");
    return object;
}

static cJSON *make_phase(const char *name, const struct outcome_phase *phase,
                         const struct outcome *outcome, cJSON *corrected)
{
    size_t samples = outcome->sample_count;
    uint64_t operations = phase->starts + phase->stops + phase->expires;
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", name);
    json_add(object, "operations", make_operations(phase));
    json_add(object, "ns_per_op",
             interval_of_samples(phase->wall_ns, samples, (double)operations, true));
    json_add_measure(object, "cpu_ns_per_op", median_per(phase->cpu_ns, samples, operations));
    json_add(object, "cpu_ns_per_op_interval",
             interval_of_samples(phase->cpu_ns, samples, (double)operations, true));
    json_add(object, "ns_per_advance",
             interval_of_samples(phase->wall_ns, samples, (double)phase->advances, false));
    json_add(object, "corrected", corrected);
    add_counters(object, phase, operations, outcome->counters_reason);
    json_add(object, "latency_ns", make_latencies(phase));
    json_add(object, "work", phase->is_counted ? make_work(&phase->work) : cJSON_CreateNull());
    json_add(object, "wakeups", make_wakeups(phase));
    json_add(object, "advance_work",
             phase->is_counted ? make_advance_work(&phase->advance_work) : cJSON_CreateNull());
    return object;
}

/* Of a cell that was to be timed and never was, a phase would tell half; one that was only to be
 * counted is whole without times. */
static cJSON *make_phases(const struct cell_identity *identity, const struct stream *stream,
                          const struct outcome *outcome)
{
    cJSON *phases = cJSON_CreateArray();
    bool counted = identity->runs == 0 && outcome->status == OUTCOME_OK;
    for (size_t i = 0; i < outcome->phase_count && (outcome->sample_count > 0 || counted); i++)
        cJSON_AddItemToArray(
            phases, make_phase(stream->phases[i].name, &outcome->phases[i], outcome,
                               make_corrected(&outcome->phases[i], outcome, identity->harness, i)));
    return phases;
}

/* ---- The rest of the cell. ------------------------------------------------------------------- */

static cJSON *make_pages(const struct outcome_pages *pages)
{
    cJSON *object = cJSON_CreateObject();
    json_add(object, "huge_bytes",
             pages->known ? json_integer(pages->huge_bytes) : cJSON_CreateNull());
    json_add(object, "touched_bytes",
             pages->known && pages->asked ? json_integer(pages->touched_bytes)
                                          : cJSON_CreateNull());
    json_add_text(object, "reason", pages->reason);
    return object;
}

static cJSON *make_memory(const struct outcome_memory *memory, double capacity)
{
    if (!memory->measured && memory->fixed_bytes == 0)
        return cJSON_CreateNull();
    static const char *const arena[] = {"peak_bytes", "retained_bytes", "allocated_bytes",
                                        "resident_bytes"};
    cJSON *object = cJSON_CreateObject();
    json_add_measure(object, "peak_bytes_per_task",
                     memory->measured ? (double)memory->peak_bytes / capacity : NAN);
    json_add_measure(object, "bytes_per_task", memory->measured ? memory->bytes_per_task : NAN);
    json_put(object, memory, fixed_bytes, capacity_bytes, measured);
    for (size_t i = 0; i < sizeof arena / sizeof *arena && !memory->measured; i++)
        json_add(object, arena[i], cJSON_CreateNull());
    if (memory->measured)
        json_put(object, memory, peak_bytes, retained_bytes, allocated_bytes, resident_bytes);
    if (memory->pages.told)
        json_add(object, "pages", make_pages(&memory->pages));
    return object;
}

static void add_optional(cJSON *object, const char *key, uint64_t value, bool known)
{
    json_add(object, key, known ? json_integer(value) : cJSON_CreateNull());
}

/* Null when it was not asked for. */
static cJSON *make_stepped(const struct outcome_stepped *stepped)
{
    if (!stepped->known && !stepped->reason[0])
        return cJSON_CreateNull();
    double per_call = (double)stepped->instructions / (double)stepped->calls;
    cJSON *object = cJSON_CreateObject();
    add_optional(object, "tasks", stepped->tasks, stepped->tasks > 0);
    add_optional(object, "calls", stepped->calls, stepped->calls > 0);
    add_optional(object, "instructions", stepped->instructions, stepped->known);
    json_add_measure(object, "instructions_per_op",
                     stepped->known && stepped->calls > 0 ? per_call : NAN);
    json_add_text(object, "reason", stepped->reason);
    return object;
}

/* Null when the workload has none, or it could not be played. */
static cJSON *make_schedules(const struct stream *stream, const struct outcome *outcome)
{
    if (outcome->schedule_count == 0)
        return cJSON_CreateNull();
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < outcome->schedule_count; i++) {
        const struct outcome_schedule *schedule = &outcome->schedules[i];
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "kind", stream->schedule.fixed_delay ? "fixed-delay" : "fixed-rate");
        json_add_text(object, "catch_up", outcome_catch_up_name(schedule->catch_up));
        json_put(object, schedule, runs, missed, late_runs, late_mean_ticks, late_max_ticks,
                 busy_share);
        json_add_hex(object, "digest", schedule->digest);
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *make_stream(const struct stream *stream)
{
    cJSON *object = cJSON_CreateObject();
    json_add_hex(object, "hash", stream->hash);
    json_put(object, stream, tasks_meaning, capacity);
    json_add_integer(object, "horizon_ticks", stream->horizon);
    json_add_integer(object, "running_max", stream->expected.running_max);
    json_add_integer(object, "expected_fired", stream->expected.fired);
    json_add_integer(object, "slack_ticks", stream->slack.ticks);
    json_add_integer(object, "slack_shift", stream->slack.shift);
    cJSON *spec = NULL;
    struct diag ignored;
    if (stream->spec_json)
        (void)jsontext_read("spec", stream->spec_json, strlen(stream->spec_json), "a workload",
                            &spec, &ignored);
    json_add(object, "spec", spec ? spec : cJSON_CreateNull());
    return object;
}

static cJSON *make_sampling(const struct cell_identity *identity, const struct outcome *outcome)
{
    cJSON *object = cJSON_CreateObject();
    const char *differ = outcome->renamed ? "ids" : "seeds";
    json_put(object, identity, runs, warmup);
    json_add_integer(object, "samples", outcome->sample_count);
    json_add_text(object, "ended_by", outcome_end_name(outcome->ended));
    json_add_integer(object, "passes_per_sample", outcome->passes_per_sample);
    json_add_integer(object, "distinct_passes", outcome->fresh_streams);
    json_add_integer(object, "distinct_operations", outcome->fresh_operations);
    json_add_integer(object, "replays", outcome->replays);
    json_add_text(object, "passes_differ_in", outcome->fresh_streams > 1 ? differ : NULL);
    json_put(object, outcome, retaken_passes, slow_passes, page_faults);
    json_add(object, "pin_cpu",
             identity->pin_cpu < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(identity->pin_cpu));
    return object;
}

static cJSON *make_limits(const struct cell_identity *identity)
{
    cJSON *object = cJSON_CreateObject();
    add_optional(object, "budget_ns", identity->budget_ns, identity->budget_ns > 0);
    add_optional(object, "memory_bytes", identity->memory_limit_bytes,
                 identity->memory_limit_bytes > 0);
    add_optional(object, "max_pending", identity->max_pending, identity->max_pending > 0);
    return object;
}

/* A run that was stopped before its proof was finished has half a digest, which says nothing. */
static bool is_proved(const struct cell_identity *identity, const struct stream *stream,
                      const struct outcome *outcome)
{
    if (identity->extra)
        return false; /* the ledger is its proof */
    if (outcome->status == OUTCOME_OK || outcome->status == OUTCOME_MISMATCH)
        return true;
    return outcome->sample_count > 0 && outcome->digest == stream->expected.digest &&
           outcome->fired == stream->expected.fired;
}

static cJSON *make_precision(const struct outcome_precision *precision)
{
    cJSON *object = cJSON_CreateObject();
    json_put(object, precision, late_mean_ns, late_max_ns, late_p50_ns, late_p99_ns, below_tick);
    return object;
}

static void add_proof(cJSON *cell, const struct cell_identity *identity,
                      const struct stream *stream, const struct outcome *outcome)
{
    bool proved = is_proved(identity, stream, outcome);
    if (proved)
        json_add_hex(cell, "digest", outcome->digest);
    else
        json_add_text(cell, "digest", NULL);
    json_add_hex(cell, "expected_digest", stream->expected.digest);
    add_optional(cell, "fired", outcome->fired, proved);
    add_optional(cell, "early", outcome->early, proved);
    add_optional(cell, "late_max_ticks", outcome->late_max_ticks, proved);
    json_add_measure(cell, "late_mean_ticks", proved ? outcome->late_mean_ticks : NAN);
    json_add(cell, "precision", proved ? make_precision(&outcome->precision) : cJSON_CreateNull());
}

cJSON *cell_make(const struct cell_identity *identity, const struct stream *stream,
                 const struct outcome *outcome, double harness_ns_per_op)
{
    char text[CELL_IDENTITY_SIZE];
    cell_identity_text(text, sizeof text, identity, stream);
    bool has_span = outcome->span_ticks > 0 && outcome->span_ticks < TW_DEADLINE_MAX;
    cJSON *cell = cJSON_CreateObject();
    json_add_text(cell, "impl", identity->impl);
    json_add(cell, "params", resolved_params(identity, outcome));
    json_put(cell, stream, workload, tasks, tick_ns, seed);
    json_add_text(cell, "status", outcome_status_name(outcome->status));
    json_add_text(cell, "reason", outcome->reason);
    add_proof(cell, identity, stream, outcome);
    json_add_measure(cell, "harness_ns_per_op", harness_ns_per_op < 0 ? NAN : harness_ns_per_op);
    json_add(cell, "phases", make_phases(identity, stream, outcome));
    json_add(cell, "memory", make_memory(&outcome->memory, stream->capacity));
    json_add(cell, "stepped", make_stepped(&outcome->stepped));
    json_add(cell, "schedules", make_schedules(stream, outcome));
    if (identity->extra)
        identity->extra->add(cell, identity->extra->ctx);
    add_optional(cell, "span_ticks", outcome->span_ticks, has_span);
    json_add(cell, "traits",
             make_traits(identity->traits, identity->takes_slack ? &stream->slack : NULL));
    json_add(cell, "requested", requested_params(identity));
    json_add(cell, "sampling", make_sampling(identity, outcome));
    json_add(cell, "limits", make_limits(identity));
    json_add(cell, "stream", make_stream(stream));
    json_add_text(cell, "identity", text);
    return cell;
}

void cell_complete(cJSON *cell)
{
    cJSON *memory = cJSON_GetObjectItemCaseSensitive(cell, "memory");
    double peak = json_get_number(memory, "peak_bytes");
    double capacity = json_get_number(cell, "stream.capacity");
    if (cJSON_IsObject(memory) && !cJSON_HasObjectItem(memory, "peak_bytes_per_task"))
        json_add_measure(memory, "peak_bytes_per_task", capacity > 0 ? peak / capacity : NAN);
}
