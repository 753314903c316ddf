/* comparison.c - decides verdicts from the gates, and writes their reasons. */
#include "harness/compare/comparison.h"

#include "harness/base/units.h"
#include "harness/result/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From where on a disturbance is worth naming; the same shares as in the look at the system before
 * a run (docs/MEASUREMENT.md). */
#define STEAL_SHARE_MAX 0.05
#define BUSY_SHARE_MAX  0.20
#define SLOW_SHARE_MAX  0.10

/* Above it a limit is more likely a slip of the pen: 1000 %. */
#define LIMIT_MAX 10.0

enum { STATUS_OK = 0, STATUS_REGRESSED = 3, STATUS_INCONCLUSIVE = 4 };

/* ---- Words. ---------------------------------------------------------------------------------- */

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [VERDICT_SAME] = "same",
        [VERDICT_IMPROVED] = "improved",
        [VERDICT_INCONCLUSIVE] = "inconclusive",
        [VERDICT_REGRESSED] = "regressed",
    };
    return names[verdict];
}

enum verdict verdict_worse(enum verdict a, enum verdict b)
{
    return a > b ? a : b;
}

const char *metric_name(enum metric metric)
{
#define NAME(counter) [METRIC_##counter] = #counter,
    static const char *const names[METRICS] = {
        [METRIC_MEMORY] = "memory",
        [METRIC_INSTRUCTIONS] = "instructions",
        [METRIC_TIME] = "time",
        [METRIC_LAYOUT] = "layout",
        TW_WORK_COUNTERS(NAME) /* [METRIC_comparisons] = "comparisons", .. */
    };
#undef NAME
    return names[metric];
}

const char *fail_on_name(enum fail_on fail_on)
{
    static const char *const names[] = {
        [FAIL_ON_WORK] = "work",
        [FAIL_ON_REGRESSED] = "regressed",
        [FAIL_ON_INCONCLUSIVE] = "inconclusive",
    };
    return names[fail_on];
}

/* Behind what is there; cut off where the room ends. */
static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, size - length, format, args);
    va_end(args);
}

/* ---- Limits. --------------------------------------------------------------------------------- */

struct limits limits_default(void)
{
    struct limits limits = {.of = {[METRIC_MEMORY] = NAN,
                                   [METRIC_INSTRUCTIONS] = 0.01,
                                   [METRIC_TIME] = 0.03,
                                   [METRIC_LAYOUT] = 0.10}};
    for (int i = 0; i < METRIC_WORK_COUNT; i++)
        limits.of[i] = 0.01;
    return limits;
}

/* [*first, *end) are the metrics of that name; false when there are none. */
static bool find_metrics(const char *name, size_t length, int *first, int *end)
{
    *first = 0, *end = METRIC_WORK_COUNT;
    if (length == strlen("work") && strncmp(name, "work", length) == 0)
        return true;
    for (*first = 0; *first < METRICS; ++*first) {
        const char *known = metric_name((enum metric) * first);
        *end = *first + 1;
        if (length == strlen(known) && strncmp(name, known, length) == 0)
            return true;
    }
    return false;
}

/* Only digits and a point before the sign of percent: no sign, no exponent, no "nan". */
static bool parse_share(const char *text, double *share)
{
    size_t digits = strspn(text, "0123456789"), length = digits;
    if (text[length] == '.')
        length += 1 + strspn(text + length + 1, "0123456789");
    if (digits == 0 || strcmp(text + length + (text[length] == ' '), "%") != 0)
        return false;
    *share = strtod(text, NULL) / 100;
    return *share <= LIMIT_MAX;
}

int limits_parse(const char *text, const char *flag, struct limits *limits, struct diag *diag)
{
#define LISTED(counter) #counter ", "
    static const char counters[] = TW_WORK_COUNTERS(LISTED);
#undef LISTED
    int first, end;
    double share = NAN;
    size_t length = strcspn(text, "=");
    if (text[length] != '=' || length == 0)
        return diag_usage(diag, "%s: \"%s\": expected METRIC=PERCENT, such as instructions=1%%",
                          flag, text);
    if (!find_metrics(text, length, &first, &end))
        return diag_usage(diag,
                          "%s: \"%.*s\": no such metric; expected work, %smemory, "
                          "instructions, time or layout",
                          flag, (int)length, text, counters);
    const char *value = text + length + 1;
    bool is_off = strcmp(value, "off") == 0, is_margin = first >= METRIC_TIME;
    if (is_off && is_margin)
        return diag_usage(diag,
                          "%s: %.*s: \"off\": expected a percentage such as 3%%; "
                          "--fail-on=work is what leaves times out",
                          flag, (int)length, text);
    if (!is_off && !parse_share(value, &share))
        return diag_usage(diag, "%s: %.*s: \"%s\": expected a percentage from 0%% to %.0f%%%s",
                          flag, (int)length, text, value, 100 * LIMIT_MAX,
                          is_margin ? "" : ", or off");
    for (int i = first; i < end; i++)
        limits->of[i] = share;
    return DIAG_OK;
}

/* ---- The reason of a cell. ------------------------------------------------------------------- */

/* Parts of a reason: a text that grows. */
struct sentence {
    char *text;
    size_t size;
    const struct limits *limits;
};

/* Starts the next part of the sentence. */
static void say_next(struct sentence *say, const char *between)
{
    if (say->text[0])
        append(say->text, say->size, "%s", between);
}

/* "comparisons +33.3 % (limit 1 %)"; from nothing to something has no percentage. */
static void say_change(struct sentence *say, const struct change *change, enum metric metric)
{
    char share[32];
    say_next(say, ", ");
    append(say->text, say->size, "%s ", metric_name(metric));
    units_format_change(share, sizeof share, change->share);
    if (isfinite(change->share))
        append(say->text, say->size, "%s", share);
    else
        append(say->text, say->size, "from %.15g to %.15g", change->before, change->after);
    append(say->text, say->size, " (limit %.3g %%)", 100 * say->limits->of[metric]);
}

/* "3.1 .. 5.2 %" of a ratio: how much slower, or how much faster. */
static void say_range(struct sentence *say, const struct interval *ratio, bool faster)
{
    double low = faster ? 1 - ratio->high : ratio->low - 1;
    double high = faster ? 1 - ratio->low : ratio->high - 1;
    append(say->text, say->size, "%.1f .. %.1f %%", 100 * low, 100 * high);
}

static void say_inconclusive_time(struct sentence *say, const struct compared_cell *cell,
                                  double margin)
{
    char moved[32];
    const struct interval *ratio = &cell->timing.cpu;
    if (cell->control_moved) {
        units_format_change(moved, sizeof moved, cell->control.cpu.median - 1);
        append(say->text, say->size,
               "the control moved by %s (OLD against a copy of OLD): load, steal or layout", moved);
    } else if (cell->confirm_tried && !cell->confirmed) {
        say_range(say, ratio, false);
        append(say->text, say->size, " slower at first, ");
        say_range(say, &cell->confirm_cpu, false);
        append(say->text, say->size, " on a second block: not confirmed");
    } else if (!isfinite(ratio->low) || !isfinite(ratio->high)) {
        append(say->text, say->size, "too few pairs for an interval: %zu", cell->timing.pairs);
    } else {
        append(say->text, say->size, "too few pairs for this noise: ");
        say_range(say, ratio, false);
        append(say->text, say->size, " slower after %zu pairs (margin %.3g %%)", cell->timing.pairs,
               100 * margin);
    }
}

/* A difference beyond the margin between two builds that do the same: where the code happens to lie
 * can do that much. */
static void say_layout(struct sentence *say, const struct compared_cell *cell)
{
    double moved = cell->timing.cpu.median - 1;
    if (!cell->same_program || !(fabs(moved) > say->limits->of[METRIC_TIME]))
        return;
    say_next(say, "; ");
    append(say->text, say->size,
           "%s by %.1f %% with the same work, instructions and memory: layout (limit %.3g %%)",
           moved > 0 ? "slower" : "faster", 100 * fabs(moved),
           100 * say->limits->of[METRIC_LAYOUT]);
}

static void say_time(struct sentence *say, const struct compared_cell *cell)
{
    double margin = say->limits->of[METRIC_TIME];
    if (cell->same_program)
        margin = fmax(margin, say->limits->of[METRIC_LAYOUT]);
    if (cell->time_verdict == VERDICT_SAME) {
        say_layout(say, cell);
        return;
    }
    say_next(say, "; ");
    if (cell->time_verdict == VERDICT_INCONCLUSIVE) {
        say_inconclusive_time(say, cell, margin);
        return;
    }
    bool faster = cell->time_verdict == VERDICT_IMPROVED;
    say_range(say, &cell->timing.cpu, faster);
    append(say->text, say->size, " %s (margin %.3g %%%s)%s", faster ? "faster" : "slower",
           100 * margin, cell->same_program ? ": the same work, instructions and memory" : "",
           cell->confirmed ? ", confirmed on a second block" : "");
}

static bool time_judges(const struct compared_cell *cell)
{
    return cell->time_known && cell->time_decides;
}

/* Memory is exact as well, and judged when it is given a limit. */
static enum verdict memory_verdict(const struct compared_cell *cell, const struct limits *limits)
{
    return isnan(limits->of[METRIC_MEMORY]) ? VERDICT_SAME : cell->changes[METRIC_MEMORY].verdict;
}

static enum verdict exact_verdict(const struct compared_cell *cell, const struct limits *limits)
{
    enum verdict verdict = cell->failed ? VERDICT_REGRESSED : VERDICT_SAME;
    verdict = verdict_worse(verdict, cell->work_verdict);
    if (cell->instructions_known)
        verdict = verdict_worse(verdict, cell->instructions_verdict);
    return verdict_worse(verdict, memory_verdict(cell, limits));
}

/* What the gates say that came to the verdict. */
static void give_reason(struct compared_cell *cell, const struct limits *limits)
{
    struct sentence say = {cell->reason, sizeof cell->reason, limits};
    if (cell->failed)
        append(say.text, say.size, "NEW fails where OLD does not");
    for (int i = 0; i < METRIC_WORK_COUNT; i++)
        if (cell->verdict != VERDICT_SAME && cell->changes[i].verdict == cell->verdict)
            say_change(&say, &cell->changes[i], (enum metric)i);
    if (cell->verdict != VERDICT_SAME && memory_verdict(cell, limits) == cell->verdict)
        say_change(&say, &cell->changes[METRIC_MEMORY], METRIC_MEMORY);
    if (cell->verdict != VERDICT_SAME && cell->instructions_known &&
        cell->instructions_verdict == cell->verdict)
        say_change(&say, &cell->changes[METRIC_INSTRUCTIONS], METRIC_INSTRUCTIONS);
    if (time_judges(cell) && cell->time_verdict == cell->verdict)
        say_time(&say, cell);
}

void cell_conclude(struct compared_cell *cell, const struct limits *limits)
{
    enum verdict before = cell->reason[0] ? cell->verdict : VERDICT_SAME;
    cell->verdict = verdict_worse(before, exact_verdict(cell, limits));
    if (time_judges(cell))
        cell->verdict = verdict_worse(cell->verdict, cell->time_verdict);
    if (!cell->reason[0])
        give_reason(cell, limits);
}

/* ---- The whole. ------------------------------------------------------------------------------ */

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->cell_count; i++)
        cJSON_Delete(comparison->cells[i].requested);
    free(comparison->cells);
    comparison->cells = NULL;
    comparison->cell_count = 0;
}

/* The next reason, if there is room for it: *total counts them all. */
static void add_reason(struct comparison *comparison, size_t *total, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_reason(struct comparison *comparison, size_t *total, const char *format, ...)
{
    size_t at = (*total)++;
    va_list args;
    if (at >= COMPARED_REASONS)
        return;
    va_start(args, format);
    vsnprintf(comparison->reasons[at], sizeof comparison->reasons[at], format, args);
    va_end(args);
}

/* "hashed/hold/1000 (slots=512): regressed: ..." */
static void add_cell_reason(struct comparison *comparison, size_t *total,
                            const struct compared_cell *cell)
{
    char params[128];
    json_format_params(params, sizeof params, cell->requested);
    add_reason(comparison, total, "%s/%s/%" PRIu64 "%s%s%s: %s%s%s", cell->impl, cell->workload,
               cell->tasks, params[0] ? " (" : "", params, params[0] ? ")" : "",
               verdict_name(cell->verdict), cell->reason[0] ? ": " : "", cell->reason);
}

static void add_cells(struct comparison *comparison, size_t *total, enum verdict verdict)
{
    for (size_t i = 0; i < comparison->cell_count; i++)
        if (comparison->cells[i].verdict == verdict)
            add_cell_reason(comparison, total, &comparison->cells[i]);
}

static bool has_unclear_time(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->cell_count; i++) {
        const struct compared_cell *cell = &comparison->cells[i];
        if (time_judges(cell) && cell->time_verdict == VERDICT_INCONCLUSIVE)
            return true;
    }
    return false;
}

/* What made times unclear, before the cells it happened to. */
static void add_causes(struct comparison *comparison, size_t *total)
{
    if (comparison->cell_count == 0)
        add_reason(comparison, total, "inconclusive: there is nothing to compare");
    if (!comparison->complete)
        add_reason(comparison, total, "inconclusive: it was interrupted; cells compared: %zu",
                   comparison->cell_count);
    if (!has_unclear_time(comparison))
        return;
    if (comparison->steal_share >= STEAL_SHARE_MAX)
        add_reason(comparison, total,
                   "inconclusive: the host took %.0f %% of the processors' time meanwhile (steal)",
                   100 * comparison->steal_share);
    if (comparison->busy_share >= BUSY_SHARE_MAX)
        add_reason(comparison, total,
                   "inconclusive: others used %.0f %% of all cores meanwhile (load)",
                   100 * comparison->busy_share);
    if (comparison->slow_share >= SLOW_SHARE_MAX)
        add_reason(comparison, total,
                   "inconclusive: on %.0f %% of the samples the core was slow, shared with others "
                   "unseen (pace)",
                   100 * comparison->slow_share);
}

void comparison_conclude(struct comparison *comparison)
{
    size_t total = 0;
    bool is_whole = comparison->complete && comparison->cell_count > 0;
    comparison->verdict = is_whole ? VERDICT_SAME : VERDICT_INCONCLUSIVE;
    for (size_t i = 0; i < comparison->cell_count; i++)
        comparison->verdict = verdict_worse(comparison->verdict, comparison->cells[i].verdict);
    add_cells(comparison, &total, VERDICT_REGRESSED);
    add_causes(comparison, &total);
    add_cells(comparison, &total, VERDICT_INCONCLUSIVE);
    add_cells(comparison, &total, VERDICT_IMPROVED);
    comparison->reason_count = total < COMPARED_REASONS ? total : COMPARED_REASONS;
    if (total > COMPARED_REASONS)
        snprintf(comparison->reasons[COMPARED_REASONS - 1], sizeof *comparison->reasons,
                 "and %zu more", total - COMPARED_REASONS + 1);
}

int comparison_exit_status(const struct comparison *comparison, enum fail_on fail_on)
{
    if (fail_on == FAIL_ON_WORK) {
        for (size_t i = 0; i < comparison->cell_count; i++)
            if (exact_verdict(&comparison->cells[i], &comparison->limits) == VERDICT_REGRESSED)
                return STATUS_REGRESSED;
        return STATUS_OK;
    }
    if (comparison->verdict == VERDICT_REGRESSED)
        return STATUS_REGRESSED;
    bool is_unclear = comparison->verdict == VERDICT_INCONCLUSIVE;
    return is_unclear && fail_on == FAIL_ON_INCONCLUSIVE ? STATUS_INCONCLUSIVE : STATUS_OK;
}
