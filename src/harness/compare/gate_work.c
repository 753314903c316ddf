/* gate_work.c - decides the work gate: operation counts of two cells. */
#include "harness/compare/gate_work.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/tell/report/view.h"
#include "harness/tell/result/figures.h"

/* Counters that took turns were scaled up from the time in which they counted; below this share
 * of it the rest is guessed too much for a limit of 1 %. */
#define RUNNING_SHARE_MIN 0.9

/* ---- Sums over the phases of a cell. --------------------------------------------------------- */

double gate_work_cell_calls(const cJSON *cell)
{
    double calls = 0;
    json_each(phase, cell, "phases")
        calls += view_operations(phase);
    return calls;
}

double gate_work_cell_sum(const cJSON *cell, const char *path)
{
    double sum = 0;
    const cJSON *phases = json_get(cell, "phases");
    json_each(phase, phases, "") {
        double calls = view_operations(phase);
        if (calls > 0)
            sum += json_get_number(phase, path) * calls;
    }
    return gate_work_cell_calls(cell) > 0 ? sum : NAN;
}

/* An operation counter is a total already, also of a phase in which nothing but the clock moved. */
static double count_work(const cJSON *phase, enum metric metric)
{
    char path[32];
    snprintf(path, sizeof path, "work.%s", metric_name(metric));
    return json_get_number(phase, path);
}

/* ---- Two numbers. ---------------------------------------------------------------------------- */

static double share_of(double before, double after)
{
    if (before == 0 && !isnan(after))
        return after == 0 ? 0 : INFINITY;
    return after / before - 1;
}

/* How `after` differs from `before`: the share, and against `limit` (NAN: never judged, `same`) the
 * verdict.  A side that is unknown is inconclusive, whatever the other is. */
static struct change gate_work_change(double before, double after, double limit)
{
    struct change change = {before, after, share_of(before, after), VERDICT_SAME};
    if (isnan(change.share) && !isnan(limit))
        change.verdict = VERDICT_INCONCLUSIVE;
    /* A change of exactly the limit passes, however its share was rounded. */
    double edge = limit * (1 + 1e-9);
    if (change.share > edge)
        change.verdict = VERDICT_REGRESSED;
    else if (change.share < -edge)
        change.verdict = VERDICT_IMPROVED;
    return change;
}

/* ---- Operation counters and memory. ---------------------------------------------------------- */

/* Is it a counter of what is done to the structure? */
static bool is_of_structure(const struct figure *figure)
{
    return figure->owner == FIGURE_OF_PHASE && strncmp(figure->path, "work.", 5) == 0 &&
           !(figure->flags & FIGURE_BESIDE);
}

/* Every design that starts a timer compares, looks, moves or writes.  One of which none of these was
 * counted counts nothing: a plugin without TW_COUNT, or a library, inside of which nobody counts. */
static bool counts_structure(const cJSON *cell)
{
    double starts = 0;
    json_each(phase, cell, "phases") {
        starts += json_get_number(phase, "operations.start");
        for (size_t i = 0; i < figure_count(); i++)
            if (is_of_structure(figure_at(i)) && json_get_number(phase, figure_at(i)->path) > 0)
                return true;
    }
    return starts == 0;
}

/* The 0 of a side that counts nothing is unknown. */
static double known_work(double count, bool counts)
{
    return count == 0 && !counts ? NAN : count;
}

static void name_phase(struct compared_phase *out, const cJSON *before, const cJSON *after,
                       const bool counts[2])
{
    snprintf(out->name, sizeof out->name, "%s", json_get_text(before ? before : after, "name"));
    out->cpu_ratio = NAN;
    out->share = NAN;
    for (int i = 0; i < METRIC_WORK_COUNT; i++) {
        out->work_before[i] = known_work(count_work(before, (enum metric)i), counts[0]);
        out->work_after[i] = known_work(count_work(after, (enum metric)i), counts[1]);
    }
}

/* The same operations have the same phases; a version that splits them otherwise leaves
 * unknowns. */
static void list_phases(struct compared_cell *cell, const cJSON *before, const cJSON *after)
{
    const cJSON *old_phases = json_get(before, "phases"), *new_phases = json_get(after, "phases");
    size_t old_count = (size_t)cJSON_GetArraySize(old_phases);
    size_t new_count = (size_t)cJSON_GetArraySize(new_phases);
    const bool counts[2] = {counts_structure(before), counts_structure(after)};
    size_t count = old_count > new_count ? old_count : new_count;
    cell->phase_count = count < COMPARED_PHASES ? count : COMPARED_PHASES;
    for (size_t i = 0; i < cell->phase_count; i++)
        name_phase(&cell->phases[i], cJSON_GetArrayItem(old_phases, (int)i),
                   cJSON_GetArrayItem(new_phases, (int)i), counts);
}

/* NAN without phases, when one of them lacks the counter, and for the 0 of what counts nothing. */
static double sum_work(const cJSON *cell, enum metric metric)
{
    const cJSON *phases = json_get(cell, "phases");
    double sum = cJSON_GetArraySize(phases) > 0 ? 0 : NAN;
    json_each(phase, phases, "")
        sum += count_work(phase, metric);
    return known_work(sum, counts_structure(cell));
}

/* What one phase lost another may have won. */
static bool phases_differ(const struct compared_cell *cell)
{
    for (size_t i = 0; i < cell->phase_count; i++)
        for (int m = 0; m < METRIC_WORK_COUNT; m++)
            if (islessgreater(cell->phases[i].work_before[m], cell->phases[i].work_after[m]))
                return true;
    return false;
}

static const char *who_lacks(bool before, bool after)
{
    return before && after ? "both" : before ? "OLD" : "NEW";
}

/* How often such a design asks and looks depends on how fast the machine is. */
static bool runs_by_the_clock(const cJSON *cell)
{
    return cJSON_IsTrue(json_get(cell, "traits.real_clock"));
}

#define BY_THE_CLOCK "it waits for the machine's clock, and does not do the same in every run"

static bool lacks_phases(const cJSON *cell)
{
    return cJSON_GetArraySize(json_get(cell, "phases")) == 0;
}

/* "OLD lacks clock_reads, system_calls" */
static void list_unknown(struct compared_cell *cell, bool old_lacks, bool new_lacks)
{
    struct text text = text_in(cell->work_reason, sizeof cell->work_reason);
    text_add(&text, "%s lack%s", who_lacks(old_lacks, new_lacks),
             old_lacks && new_lacks ? "" : "s");
    const char *between = " ";
    for (int i = 0; i < METRIC_WORK_COUNT; i++)
        if (isnan(cell->changes[i].share)) {
            text_add(&text, "%s%s", between, metric_name((enum metric)i));
            between = ", ";
        }
}

static void explain_unknown_work(struct compared_cell *cell, const cJSON *before,
                                 const cJSON *after)
{
    bool old_lacks = false, new_lacks = false;
    const char *what = "counts nothing", *of_both = "count nothing";
    bool old_silent = !counts_structure(before), new_silent = !counts_structure(after);
    if (lacks_phases(before) || lacks_phases(after)) {
        what = "has no phases", of_both = "have no phases";
        old_silent = lacks_phases(before), new_silent = lacks_phases(after);
    }
    for (int i = 0; i < METRIC_WORK_COUNT; i++) {
        old_lacks = old_lacks || isnan(cell->changes[i].before);
        new_lacks = new_lacks || isnan(cell->changes[i].after);
    }
    if (runs_by_the_clock(before) || runs_by_the_clock(after))
        snprintf(cell->work_reason, sizeof cell->work_reason, BY_THE_CLOCK);
    else if (old_silent || new_silent)
        snprintf(cell->work_reason, sizeof cell->work_reason, "%s %s",
                 who_lacks(old_silent, new_silent), old_silent && new_silent ? of_both : what);
    else
        list_unknown(cell, old_lacks, new_lacks);
}

/* Steps of the phase's longest advance; NAN where it is not known. */
static double longest_advance(const cJSON *cell, int phase, bool counts)
{
    return known_work(
        json_get_number(cJSON_GetArrayItem(json_get(cell, "phases"), phase), "advance_work.max"),
        counts);
}

/* One call that does much more than any before may not show in the sums.  The phase that became worst, of those that
 * both sides know; where none did, the one that became best. */
static void judge_advances(struct compared_cell *cell, const cJSON *before, const cJSON *after,
                           double limit)
{
    const bool counts[2] = {counts_structure(before), counts_structure(after)};
    struct change *change = &cell->changes[METRIC_ADVANCE_WORK];
    double worst = NAN;
    *change = (struct change){NAN, NAN, NAN, VERDICT_SAME};
    for (int i = 0; i < cJSON_GetArraySize(json_get(before, "phases")); i++) {
        double old_work = longest_advance(before, i, counts[0]);
        double new_work = longest_advance(after, i, counts[1]), more = new_work - old_work;
        if (isnan(more) ||
            (!isnan(worst) && (more > 0 ? more <= worst : worst > 0 || more >= worst)))
            continue;
        worst = more;
        *change =
            gate_work_change(old_work, new_work, fabs(more) > GATE_ADVANCE_FLOOR ? limit : NAN);
    }
    if (cell->work_verdict != VERDICT_INCONCLUSIVE || change->verdict == VERDICT_REGRESSED)
        cell->work_verdict = verdict_worse(cell->work_verdict, change->verdict);
    cell->work_changed = cell->work_changed || islessgreater(change->before, change->after);
}

static void judge_work(struct compared_cell *cell, const cJSON *before, const cJSON *after,
                       const struct limits *limits)
{
    bool by_the_clock = runs_by_the_clock(before) || runs_by_the_clock(after);
    cell->work_changed = false;
    cell->work_verdict = by_the_clock ? VERDICT_INCONCLUSIVE : VERDICT_SAME;
    for (int i = 0; i < METRIC_WORK_COUNT; i++) {
        double old_sum = sum_work(before, (enum metric)i),
               new_sum = sum_work(after, (enum metric)i);
        cell->changes[i] = gate_work_change(old_sum, new_sum, by_the_clock ? NAN : limits->of[i]);
        cell->work_verdict = verdict_worse(cell->work_verdict, cell->changes[i].verdict);
        cell->work_changed = cell->work_changed || islessgreater(old_sum, new_sum);
    }
    cell->work_changed = cell->work_changed || phases_differ(cell);
    judge_advances(cell, before, after, by_the_clock ? NAN : limits->of[METRIC_ADVANCE_WORK]);
    if (cell->work_verdict == VERDICT_INCONCLUSIVE)
        explain_unknown_work(cell, before, after);
}

/* ---- Instructions. --------------------------------------------------------------------------- */

/* Did every counter run nearly all of the time, in every phase? */
static bool counted_throughout(const cJSON *cell)
{
    json_each(phase, cell, "phases")
        if (json_get_number(phase, "counters.running_share") < RUNNING_SHARE_MIN)
            return false;
    return true;
}

static double count_processor(const cJSON *cell)
{
    return counted_throughout(cell) && !runs_by_the_clock(cell)
               ? gate_work_cell_sum(cell, "counters.instructions_per_op")
               : NAN;
}

/* Why the processor's counters say nothing of this cell. */
static const char *why_not_counted(const cJSON *cell)
{
    if (runs_by_the_clock(cell))
        return BY_THE_CLOCK;
    if (!counted_throughout(cell))
        return "the performance counters took turns and missed over a tenth of the time";
    json_each(phase, cell, "phases") {
        const char *reason = json_get_text(phase, "counters_reason");
        if (view_operations(phase) > 0 && reason[0])
            return reason;
    }
    return "no performance counters";
}

/* Why stepping says nothing of this cell; NULL when it does. */
static const char *why_not_stepped(const cJSON *cell)
{
    const char *reason = json_get_text(cell, "stepped.reason");
    if (!isnan(json_get_number(cell, "stepped.instructions")))
        return NULL;
    return reason[0] ? reason : "--counters=step was not given";
}

static void explain_unknown(struct compared_cell *cell, const cJSON *before, const cJSON *after)
{
    bool old_lacks = isnan(count_processor(before)), new_lacks = isnan(count_processor(after));
    const char *old_step = why_not_stepped(before), *new_step = why_not_stepped(after);
    const char *step = old_step ? old_step : new_step;
    snprintf(cell->instructions_reason, sizeof cell->instructions_reason,
             "not counted (%s: %.150s), not stepped through (%s: %.150s)",
             who_lacks(old_lacks, new_lacks), why_not_counted(old_lacks ? before : after),
             step ? who_lacks(old_step, new_step) : "both",
             step ? step : "each over other calls than the other");
}

static bool stepped_alike(const cJSON *before, const cJSON *after)
{
    return json_get_number(before, "stepped.tasks") == json_get_number(after, "stepped.tasks") &&
           json_get_number(before, "stepped.calls") == json_get_number(after, "stepped.calls");
}

static void judge_instructions(struct compared_cell *cell, const cJSON *before, const cJSON *after,
                               const struct limits *limits)
{
    const char *source = "processor";
    double old_count = count_processor(before), new_count = count_processor(after);
    if ((isnan(old_count) || isnan(new_count)) && stepped_alike(before, after)) {
        source = "steps";
        old_count = json_get_number(before, "stepped.instructions");
        new_count = json_get_number(after, "stepped.instructions");
    }
    cell->instructions_known = !isnan(old_count) && !isnan(new_count);
    if (!cell->instructions_known) {
        cell->changes[METRIC_INSTRUCTIONS] = (struct change){NAN, NAN, NAN, VERDICT_INCONCLUSIVE};
        cell->instructions_verdict = VERDICT_INCONCLUSIVE;
        explain_unknown(cell, before, after);
        return;
    }
    snprintf(cell->instructions_source, sizeof cell->instructions_source, "%s", source);
    cell->changes[METRIC_INSTRUCTIONS] =
        gate_work_change(old_count, new_count, limits->of[METRIC_INSTRUCTIONS]);
    cell->instructions_verdict = cell->changes[METRIC_INSTRUCTIONS].verdict;
}

double gate_work_cell_metric(const cJSON *cell, enum metric metric)
{
    if (metric == METRIC_MEMORY)
        return json_get_number(cell, "memory.peak_bytes_per_task");
    if (metric == METRIC_INSTRUCTIONS) {
        double counted = count_processor(cell);
        return isnan(counted) ? json_get_number(cell, "stepped.instructions") : counted;
    }
    return metric < METRIC_WORK_COUNT && !runs_by_the_clock(cell) ? sum_work(cell, metric) : NAN;
}

void gate_work(struct compared_cell *cell, const cJSON *before, const cJSON *after,
               const struct limits *all)
{
    struct limits own = limits_for(all, cell), *limits = &own;
    list_phases(cell, before, after);
    judge_work(cell, before, after, limits);
    cell->changes[METRIC_MEMORY] = gate_work_change(
        json_get_number(before, "memory.peak_bytes_per_task"),
        json_get_number(after, "memory.peak_bytes_per_task"), limits->of[METRIC_MEMORY]);
    judge_instructions(cell, before, after, limits);
    /* Unknown is not alike: a build without memory figures is not given the wider margin. */
    cell->same_program = cell->work_verdict != VERDICT_INCONCLUSIVE && !cell->work_changed &&
                         cell->instructions_known && cell->changes[METRIC_MEMORY].share == 0 &&
                         fabs(cell->changes[METRIC_INSTRUCTIONS].share) <= GATE_SAME_INSTRUCTIONS;
}

/* ---- Times of two runs. ---------------------------------------------------------------------- */

/* Wall time of one pass over the phases, with the interval that its phases' intervals add up to. */
struct wall {
    double median, low, high;
    double doubt; /* at most the probability that one of the intervals misses */
};

static struct wall sum_wall(const cJSON *cell)
{
    struct wall wall = {gate_work_cell_sum(cell, "ns_per_op.median"),
                        gate_work_cell_sum(cell, "ns_per_op.low"),
                        gate_work_cell_sum(cell, "ns_per_op.high"), 0};
    json_each(phase, cell, "phases")
        if (view_operations(phase) > 0)
            wall.doubt += 1 - json_get_number(phase, "ns_per_op.confidence");
    return wall;
}

/* CPU time of a pass through a phase; wall time where only the clock moved, which has no CPU
 * time. */
static double phase_ns(const cJSON *phase)
{
    double calls = view_operations(phase);
    if (calls > 0)
        return json_get_number(phase, "cpu_ns_per_op") * calls;
    double advances = json_get_number(phase, "operations.advance");
    return advances > 0 ? json_get_number(phase, "ns_per_advance.median") * advances : 0;
}

static void advise_phases(struct compared_cell *cell, const cJSON *before, const cJSON *after)
{
    const cJSON *phases = json_get(before, "phases");
    double total_ns = 0;
    json_each(phase, phases, "")
        total_ns += phase_ns(phase);
    for (size_t i = 0; i < cell->phase_count; i++) {
        const cJSON *old_phase = cJSON_GetArrayItem(phases, (int)i);
        const cJSON *new_phase = cJSON_GetArrayItem(json_get(after, "phases"), (int)i);
        cell->phases[i].cpu_ratio = json_get_number(new_phase, "cpu_ns_per_op") /
                                    json_get_number(old_phase, "cpu_ns_per_op");
        cell->phases[i].share = old_phase ? phase_ns(old_phase) / total_ns : NAN;
    }
}

void gate_work_advise_time(struct compared_cell *cell, const cJSON *before, const cJSON *after)
{
    struct wall old_wall = sum_wall(before), new_wall = sum_wall(after);
    cell->before_ns_per_op =
        gate_work_cell_sum(before, "cpu_ns_per_op") / gate_work_cell_calls(before);
    cell->after_ns_per_op =
        gate_work_cell_sum(after, "cpu_ns_per_op") / gate_work_cell_calls(after);
    cell->timing = (struct timing){
        .confidence = fmax(0, 1 - old_wall.doubt - new_wall.doubt),
        .cpu = {cell->after_ns_per_op / cell->before_ns_per_op, NAN, NAN},
        .wall = {new_wall.median / old_wall.median, new_wall.low / old_wall.high,
                 new_wall.high / old_wall.low},
        .p_slower = NAN,
        .p_faster = NAN,
        .margin = NAN,
    };
    cell->time_decides = false;
    cell->time_verdict = VERDICT_SAME;
    cell->time_known = isfinite(cell->timing.cpu.median) || isfinite(cell->timing.wall.median);
    advise_phases(cell, before, after);
}
