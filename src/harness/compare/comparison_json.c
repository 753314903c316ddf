/* comparison_json.c - writes a comparison as JSON. */
#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/compare/comparison.h"
#include "harness/tell/result/document.h"

/* ---- Small things. --------------------------------------------------------------------------- */

/* Counts and bytes, whose last digit may be the one that changed; null unless finite. */
static void add_exact(cJSON *object, const char *key, double value)
{
    bool is_count = value >= 0 && value < 0x1p63 && value == floor(value);
    if (is_count)
        json_add_integer(object, key, units_whole(value));
    else
        json_add(object, key, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

static void add_verdict(cJSON *object, const char *key, bool known, enum verdict verdict)
{
    json_add_text(object, key, known ? verdict_name(verdict) : NULL);
}

static cJSON *make_interval(const struct interval *interval, bool known)
{
    cJSON *out = cJSON_CreateObject();
    const struct interval unknown = {.median = NAN, .low = NAN, .high = NAN};
    json_put(out, known ? interval : &unknown, median, low, high);
    return out;
}

static void add_change(cJSON *out, const struct change *change)
{
    add_exact(out, "old", change->before);
    add_exact(out, "new", change->after);
    json_add_measure(out, "change", change->share);
}

/* ---- A cell. --------------------------------------------------------------------------------- */

/* What was not judged is not `same`: no times of stored results, nothing whose limit is off. */
static cJSON *make_gates(const struct compared_cell *cell, const struct limits *limits)
{
    cJSON *out = cJSON_CreateObject();
    struct gate_answer work = cell_gate(cell, GATE_WORK, limits);
    struct gate_answer instructions = cell_gate(cell, GATE_INSTRUCTIONS, limits);
    struct gate_answer memory = cell_gate(cell, GATE_MEMORY, limits);
    struct gate_answer tail = cell_gate(cell, GATE_TAIL, limits);
    struct gate_answer time = cell_gate(cell, GATE_TIME, limits);
    add_verdict(out, "work", true, work.asked ? work.verdict : VERDICT_INCONCLUSIVE);
    add_verdict(out, "instructions", instructions.asked && cell->instructions_known,
                instructions.verdict);
    add_verdict(out, "memory", memory.asked, memory.verdict);
    add_verdict(out, "tail", tail.asked, tail.verdict);
    add_verdict(out, "time", time.asked && cell->time_known, time.verdict);
    return out;
}

/* The gates that came to the verdict; none to an inconclusive one, and to that of a failure. */
static cJSON *make_decided_by(const struct compared_cell *cell, const struct limits *limits)
{
    cJSON *out = cJSON_CreateArray();
    for (int i = 0; i < GATES; i++)
        if (cell_decided_by(cell, (enum gate)i, limits))
            cJSON_AddItemToArray(out, json_text(gate_name((enum gate)i)));
    return out;
}

/* What the timing of NEW and the control have in common. */
static cJSON *make_pairs(const struct timing *timing)
{
    cJSON *out = cJSON_CreateObject();
    json_put(out, timing, pairs, confidence);
    json_add(out, "cpu_ratio", make_interval(&timing->cpu, true));
    json_add(out, "wall_ratio", make_interval(&timing->wall, true));
    return out;
}

static cJSON *make_timing(const struct compared_cell *cell)
{
    if (!cell->time_known)
        return cJSON_CreateNull();
    cJSON *out = make_pairs(&cell->timing);
    json_put(out, &cell->timing, p_slower, p_faster, margin);
    return out;
}

static cJSON *make_control(const struct compared_cell *cell)
{
    if (cell->control.pairs == 0)
        return cJSON_CreateNull();
    cJSON *out = make_pairs(&cell->control);
    json_add(out, "moved", json_bool(cell->control_moved));
    return out;
}

static cJSON *make_confirmation(const struct compared_cell *cell)
{
    if (!cell->confirm_tried)
        return cJSON_CreateNull();
    cJSON *out = cJSON_CreateObject();
    json_put(out, cell, confirmed);
    json_add(out, "cpu_ratio", make_interval(&cell->confirm_cpu, true));
    return out;
}

static cJSON *make_costs(const struct compared_cell *cell)
{
    cJSON *out = cJSON_CreateObject();
    json_add_measure(out, "old", cell->before_ns_per_op);
    json_add_measure(out, "new", cell->after_ns_per_op);
    return out;
}

/* The counters that are not exactly equal. */
static cJSON *make_work(const struct compared_cell *cell, const struct limits *limits)
{
    cJSON *out = cJSON_CreateArray();
    for (int i = 0; i < METRICS; i++) {
        const struct change *change = &cell->changes[i];
        bool is_work = i < METRIC_WORK_COUNT || i == METRIC_ADVANCE_WORK;
        if (!is_work || !(change->before < change->after || change->before > change->after))
            continue;
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "metric", metric_name((enum metric)i));
        add_change(row, change);
        json_add_measure(row, "limit", limits->of[i]);
        add_verdict(row, "verdict", true, change->verdict);
        cJSON_AddItemToArray(out, row);
    }
    return out;
}

static cJSON *make_memory(const struct compared_cell *cell)
{
    const struct change *change = &cell->changes[METRIC_MEMORY];
    if (isnan(change->before) && isnan(change->after))
        return cJSON_CreateNull();
    cJSON *out = cJSON_CreateObject();
    add_change(out, change);
    add_verdict(out, "verdict", true, change->verdict);
    return out;
}

static cJSON *make_instructions(const struct compared_cell *cell)
{
    if (!cell->instructions_known)
        return cJSON_CreateNull();
    cJSON *out = cJSON_CreateObject();
    json_add(out, "source", jsontext_string(cell->instructions_source));
    add_change(out, &cell->changes[METRIC_INSTRUCTIONS]);
    add_verdict(out, "verdict", true, cell->instructions_verdict);
    return out;
}

/* What was found, and how often again; null where nothing was. */
static cJSON *make_tail(const struct compared_cell *cell)
{
    const struct compared_tail *tail = &cell->tail;
    if (!tail->known || !tail->phase[0])
        return cJSON_CreateNull();
    cJSON *out = cJSON_CreateObject();
    json_add(out, "phase", jsontext_string(tail->phase));
    json_add(out, "call", tail->wanders ? cJSON_CreateNull() : json_integer(tail->call));
    json_add_measure(out, "old_ns", tail->before_ns);
    json_add_measure(out, "new_ns", tail->after_ns);
    json_add_integer(out, "repetitions", tail->pairs);
    json_add_integer(out, "agreed", tail->agreed);
    return out;
}

static cJSON *make_phase(const struct compared_phase *phase)
{
    cJSON *out = cJSON_CreateObject(), *work = cJSON_CreateArray();
    json_add(out, "name", jsontext_string(phase->name));
    json_put(out, phase, cpu_ratio, share);
    for (int i = 0; i < METRIC_WORK_COUNT; i++) {
        double before = phase->work_before[i], after = phase->work_after[i];
        if (!(before < after || before > after))
            continue;
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "metric", metric_name((enum metric)i));
        add_exact(row, "old", before);
        add_exact(row, "new", after);
        cJSON_AddItemToArray(work, row);
    }
    json_add(out, "work", work);
    return out;
}

static cJSON *make_phases(const struct compared_cell *cell)
{
    cJSON *out = cJSON_CreateArray();
    for (size_t i = 0; i < cell->phase_count; i++)
        cJSON_AddItemToArray(out, make_phase(&cell->phases[i]));
    return out;
}

static cJSON *make_functions(const struct compared_cell *cell)
{
    cJSON *out = cell->functions_known ? cJSON_CreateArray() : cJSON_CreateNull();
    for (size_t i = 0; i < cell->function_count; i++) {
        cJSON *function = cJSON_CreateObject();
        json_add_text(function, "name", cell->functions[i].name);
        json_add_measure(function, "old", cell->functions[i].before);
        json_add_measure(function, "new", cell->functions[i].after);
        cJSON_AddItemToArray(out, function);
    }
    return out;
}

static cJSON *make_cell(const struct compared_cell *cell, const struct limits *all)
{
    struct limits own = limits_for(all, cell);
    const struct limits *limits = &own;
    cJSON *out = cJSON_CreateObject();
    json_add(out, "impl", jsontext_string(cell->impl));
    json_add(out, "workload", jsontext_string(cell->workload));
    json_put(out, cell, tasks, tick_ns, seed);
    json_add(out, "params",
             cell->requested ? cJSON_Duplicate(cell->requested, true) : cJSON_CreateObject());
    add_verdict(out, "verdict", true, cell->verdict);
    json_add_text(out, "reason", cell->reason);
    json_add(out, "ratio", make_interval(&cell->timing.cpu, cell->time_known));
    json_put(out, cell, work_changed, failed, only_old);
    json_add(out, "gates", make_gates(cell, limits));
    json_add(out, "decided_by", make_decided_by(cell, limits));
    json_put(out, cell, time_decides, same_program, layout_may_explain);
    json_add(out, "timing", make_timing(cell));
    json_add(out, "control", make_control(cell));
    json_put(out, cell, extended);
    json_add(out, "confirmation", make_confirmation(cell));
    json_add(out, "ns_per_op", make_costs(cell));
    json_add(out, "work", make_work(cell, limits));
    json_add_text(out, "work_reason", cell->work_reason);
    json_add(out, "memory", make_memory(cell));
    json_add(out, "instructions", make_instructions(cell));
    json_add_text(out, "instructions_reason", cell->instructions_reason);
    json_add(out, "tail", make_tail(cell));
    json_add(out, "phases", make_phases(cell));
    json_add(out, "functions", make_functions(cell));
    return out;
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static cJSON *make_side(const struct compared_side *side)
{
    cJSON *out = cJSON_CreateObject();
    json_add(out, "path", jsontext_string(side->path));
    json_put(out, side, kind, hash, version, commit, compiler, flags);
    return out;
}

static cJSON *make_limits(const struct limits *limits)
{
    cJSON *out = cJSON_CreateObject();
    for (int i = 0; i < METRICS; i++)
        json_add_measure(out, metric_name((enum metric)i), limits->of[i]);
    return out;
}

static cJSON *make_method(const struct comparison *comparison)
{
    if (!comparison->is_binaries)
        return cJSON_CreateNull();
    cJSON *out = cJSON_CreateObject();
    json_put(out, comparison, pairs, pairs_max, confirm_pairs, samples_per_process, min_work_ns,
             layouts, layouts_reason, alpha);
    json_add_integer(out, "seed", comparison->seed);
    add_exact(out, "pin_cpu", comparison->pin_cpu < 0 ? NAN : (double)comparison->pin_cpu);
    return out;
}

static cJSON *make_disturbance(const struct comparison *comparison)
{
    cJSON *out = cJSON_CreateObject();
    json_put(out, comparison, steal_share, busy_share, load_1min, slow_share);
    return out;
}

static cJSON *make_reasons(const struct comparison *comparison)
{
    cJSON *out = cJSON_CreateArray();
    for (size_t i = 0; i < comparison->reason_count; i++)
        cJSON_AddItemToArray(out, json_text(comparison->reasons[i]));
    return out;
}

cJSON *comparison_json(const struct comparison *comparison, const cJSON *head, enum fail_on fail_on)
{
    cJSON *out = result_begin(head, "comparison"), *cells = cJSON_CreateArray();
    json_put(out, comparison, complete);
    json_add_text(out, "mode", comparison->is_binaries ? "binaries" : "results");
    add_verdict(out, "verdict", true, comparison->verdict);
    json_add(out, "reasons", make_reasons(comparison));
    json_put(out, comparison, notes, added);
    json_add(out, "one_side",
             comparison->one_side ? cJSON_Duplicate(comparison->one_side, true)
                                  : cJSON_CreateArray());
    json_put(out, comparison, missing_ignored);
    json_add_text(out, "fail_on", fail_on_name(fail_on));
    json_add_integer(out, "exit_status", (uint64_t)comparison_exit_status(comparison, fail_on));
    json_add(out, "old", make_side(&comparison->before));
    json_add(out, "new", make_side(&comparison->after));
    json_add(out, "limits", make_limits(&comparison->limits));
    json_add(out, "method", make_method(comparison));
    json_add(out, "disturbance", make_disturbance(comparison));
    for (size_t i = 0; i < comparison->cell_count; i++)
        cJSON_AddItemToArray(cells, make_cell(&comparison->cells[i], &comparison->limits));
    json_add(out, "cells", cells);
    return out;
}
