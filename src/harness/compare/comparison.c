/* comparison.c - decides verdicts from the gates, and writes their reasons. */
#include "harness/compare/comparison.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/units.h"

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
#define NAME(counter, since, meaning) [METRIC_##counter] = #counter,
    static const char *const names[METRICS] = {
        [METRIC_MEMORY] = "memory",
        [METRIC_INSTRUCTIONS] = "instructions",
        [METRIC_ADVANCE_WORK] = "advance_work",
        [METRIC_TAIL] = "tail",
        [METRIC_TIME] = "time",
        [METRIC_LAYOUT] = "layout",
        TW_WORK_COUNTERS(NAME) /* [METRIC_comparisons] = "comparisons", .. */
    };
#undef NAME
    return names[metric];
}

const char *gate_name(enum gate gate)
{
    static const char *const names[GATES] = {
        [GATE_WORK] = "work",     [GATE_INSTRUCTIONS] = "instructions",
        [GATE_MEMORY] = "memory", [GATE_TAIL] = "tail",
        [GATE_TIME] = "time",
    };
    return names[gate];
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

/* ---- Limits. --------------------------------------------------------------------------------- */

struct limits limits_default(void)
{
    struct limits limits = {.of = {[METRIC_MEMORY] = 0.10,
                                   [METRIC_INSTRUCTIONS] = 0.01,
                                   [METRIC_ADVANCE_WORK] = 0.10,
                                   [METRIC_TAIL] = 0.5,
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
bool share_parse(const char *text, double *share)
{
    size_t digits = strspn(text, "0123456789"), length = digits;
    if (text[length] == '.')
        length += 1 + strspn(text + length + 1, "0123456789");
    if (digits == 0 || strcmp(text + length + (text[length] == ' '), "%") != 0)
        return false;
    *share = strtod(text, NULL) / 100;
    return *share <= LIMIT_MAX;
}

/* "heap/keepalive", "keepalive", or a design with a star: of which cells. */
static bool read_cells(const char *text, size_t length, struct limit_rule *rule)
{
    const char *slash = memchr(text, '/', length);
    size_t design = slash ? (size_t)(slash - text) : 0, at = slash ? design + 1 : 0;
    if ((slash && design == 0) || at == length || design >= LIMIT_NAME_MAX ||
        length - at >= LIMIT_NAME_MAX)
        return false;
    snprintf(rule->design, sizeof rule->design, "%.*s", slash ? (int)design : 1,
             slash ? text : "*");
    snprintf(rule->workload, sizeof rule->workload, "%.*s", (int)(length - at), text + at);
    return true;
}

/* What stands before the metric; *text goes on behind it. */
static int take_cells(const char **text, const char *flag, struct limits *limits,
                      struct limit_rule **rule, struct diag *diag)
{
    size_t length = strcspn(*text, "=");
    const char *colon = memchr(*text, ':', length);
    *rule = NULL;
    if (!colon)
        return DIAG_OK;
    if (limits->rule_count == LIMIT_RULES_MAX)
        return diag_usage(diag, "%s: more than %d limits of some cells", flag, LIMIT_RULES_MAX);
    *rule = &limits->rules[limits->rule_count];
    if (!read_cells(*text, (size_t)(colon - *text), *rule))
        return diag_usage(diag,
                          "%s: \"%s\": expected WORKLOAD:METRIC=PERCENT or "
                          "DESIGN/WORKLOAD:METRIC=PERCENT, with * for any",
                          flag, *text);
    *text = colon + 1;
    return DIAG_OK;
}

static bool fits(const char *name, const char *known)
{
    return strcmp(name, "*") == 0 || strcmp(name, known) == 0;
}

struct limits limits_for(const struct limits *limits, const struct compared_cell *cell)
{
    struct limits own = {.rule_count = 0};
    memcpy(own.of, limits->of, sizeof own.of);
    for (size_t i = 0; i < limits->rule_count; i++) {
        const struct limit_rule *rule = &limits->rules[i];
        if (fits(rule->design, cell->impl) && fits(rule->workload, cell->workload))
            for (int metric = rule->first; metric < rule->end; metric++)
                own.of[metric] = rule->share;
    }
    return own;
}

int limits_parse(const char *text, const char *flag, struct limits *limits, struct diag *diag)
{
#define LISTED(counter, since, meaning) #counter ", "
    static const char counters[] = TW_WORK_COUNTERS(LISTED);
#undef LISTED
    int first, end;
    double share = NAN;
    struct limit_rule *rule;
    int status = take_cells(&text, flag, limits, &rule, diag);
    if (status != DIAG_OK)
        return status;
    size_t length = strcspn(text, "=");
    if (text[length] != '=' || length == 0)
        return diag_usage(diag, "%s: \"%s\": expected METRIC=PERCENT, such as instructions=1%%",
                          flag, text);
    if (!find_metrics(text, length, &first, &end))
        return diag_usage(diag,
                          "%s: \"%.*s\": no such metric; expected work, %smemory, "
                          "instructions, advance_work, tail, time or layout",
                          flag, (int)length, text, counters);
    const char *value = text + length + 1;
    bool is_off = strcmp(value, "off") == 0, is_margin = first >= METRIC_TIME;
    if (is_off && is_margin)
        return diag_usage(diag,
                          "%s: %.*s: \"off\": expected a percentage such as 3%%; "
                          "--fail-on=work is what leaves times out",
                          flag, (int)length, text);
    if (!is_off && !share_parse(value, &share))
        return diag_usage(diag, "%s: %.*s: \"%s\": expected a percentage from 0%% to %.0f%%%s",
                          flag, (int)length, text, value, 100 * LIMIT_MAX,
                          is_margin ? "" : ", or off");
    if (rule) {
        rule->first = first, rule->end = end, rule->share = share;
        limits->rule_count++;
    }
    for (int i = first; i < end && !rule; i++)
        limits->of[i] = share;
    return DIAG_OK;
}

/* ---- Gates. ---------------------------------------------------------------------------------- */

static bool work_has_limit(const struct limits *limits)
{
    for (int i = 0; i < METRIC_WORK_COUNT; i++)
        if (!isnan(limits->of[i]))
            return true;
    return false;
}

struct gate_answer cell_gate(const struct compared_cell *cell, enum gate gate,
                             const struct limits *limits)
{
    const enum verdict unknown = VERDICT_INCONCLUSIVE;
    switch (gate) {
    case GATE_WORK:
        return (struct gate_answer){work_has_limit(limits), cell->work_verdict};
    case GATE_INSTRUCTIONS:
        return (struct gate_answer){!isnan(limits->of[METRIC_INSTRUCTIONS]),
                                    cell->instructions_known ? cell->instructions_verdict
                                                             : unknown};
    case GATE_MEMORY:
        return (struct gate_answer){!isnan(limits->of[METRIC_MEMORY]),
                                    cell->changes[METRIC_MEMORY].verdict};
    case GATE_TAIL:
        return (struct gate_answer){cell->tail.known && !isnan(limits->of[METRIC_TAIL]),
                                    cell->tail.verdict};
    default:
        return (struct gate_answer){cell->time_decides,
                                    cell->time_known ? cell->time_verdict : unknown};
    }
}

static bool is_known(const struct gate_answer *answer)
{
    return answer->asked && answer->verdict != VERDICT_INCONCLUSIVE;
}

static bool gate_says(const struct compared_cell *cell, enum gate gate, const struct limits *limits,
                      enum verdict verdict)
{
    struct gate_answer answer = cell_gate(cell, gate, limits);
    return answer.asked && answer.verdict == verdict;
}

bool cell_decided_by(const struct compared_cell *cell, enum gate gate, const struct limits *limits)
{
    return !cell->failed && cell->verdict != VERDICT_INCONCLUSIVE &&
           gate_says(cell, gate, limits, cell->verdict);
}

/* Work and instructions are two views of one question: one of them is enough. */
static bool has_substitute(enum gate gate)
{
    return gate == GATE_WORK || gate == GATE_INSTRUCTIONS;
}

/* Whether NEW does more than OLD: some gate has to know. */
static bool knows_cost(const struct compared_cell *cell, const struct limits *limits)
{
    static const enum gate gates[] = {GATE_WORK, GATE_INSTRUCTIONS, GATE_TIME};
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        struct gate_answer answer = cell_gate(cell, gates[i], limits);
        if (is_known(&answer))
            return true;
    }
    return false;
}

static enum verdict gates_verdict(const struct compared_cell *cell, const struct limits *limits)
{
    enum verdict verdict = knows_cost(cell, limits) ? VERDICT_SAME : VERDICT_INCONCLUSIVE;
    for (int i = 0; i < GATES; i++) {
        struct gate_answer answer = cell_gate(cell, (enum gate)i, limits);
        if (is_known(&answer) || (answer.asked && !has_substitute((enum gate)i)))
            verdict = verdict_worse(verdict, answer.verdict);
    }
    return verdict;
}

/* By anything but its times, which are noise where nobody takes them in pairs on a quiet machine. */
static bool has_regressed_exactly(const struct compared_cell *cell, const struct limits *limits)
{
    return cell->failed || gate_says(cell, GATE_WORK, limits, VERDICT_REGRESSED) ||
           gate_says(cell, GATE_INSTRUCTIONS, limits, VERDICT_REGRESSED) ||
           gate_says(cell, GATE_MEMORY, limits, VERDICT_REGRESSED);
}

/* ---- The reason of a cell. ------------------------------------------------------------------- */

/* Parts of a reason: a text that grows. */
struct sentence {
    struct text text;
    const struct limits *limits;
};

/* "comparisons +33.3 % (limit 1 %)"; from nothing to something has no percentage. */
static void say_change(struct sentence *say, const struct change *change, enum metric metric)
{
    char share[32];
    text_add_item(&say->text, ", ", "%s ", metric_name(metric));
    units_format_change(share, sizeof share, change->share);
    if (isfinite(change->share))
        text_add(&say->text, "%s", share);
    else
        text_add(&say->text, "from %.15g to %.15g", change->before, change->after);
    text_add(&say->text, " (limit %.3g %%)", 100 * say->limits->of[metric]);
}

/* "3.1 .. 5.2 %" of a ratio: how much slower, or how much faster, than 1; beside a margin that it
 * can be checked against. */
static void say_range(struct sentence *say, const struct interval *ratio, bool faster,
                      double margin)
{
    char low[32], high[32];
    units_format_percent(low, sizeof low, faster ? 1 - ratio->high : ratio->low - 1, margin);
    units_format_percent(high, sizeof high, faster ? 1 - ratio->low : ratio->high - 1, margin);
    text_add(&say->text, "%s .. %s %%", low, high);
}

/* Two builds that do the same may differ by more than the margin: where the code happens to lie can do that much. */
static void say_layout(struct sentence *say, const struct compared_cell *cell)
{
    bool is_faster = cell->timing.cpu.median < 1;
    say_range(say, &cell->timing.cpu, is_faster, say->limits->of[METRIC_TIME]);
    text_add(&say->text,
             " %s (margin %.3g %%) with the same work, instructions and memory: layout may explain "
             "up to %.3g %%",
             is_faster ? "faster" : "slower", 100 * say->limits->of[METRIC_TIME],
             100 * say->limits->of[METRIC_LAYOUT]);
}

static void say_inconclusive_time(struct sentence *say, const struct compared_cell *cell,
                                  double margin)
{
    char moved[32];
    const struct interval *ratio = &cell->timing.cpu;
    if (cell->control_moved) {
        units_format_change(moved, sizeof moved, cell->control.cpu.median - 1);
        text_add(&say->text,
                 "the control moved by %s (OLD against a copy of OLD): load, steal or layout",
                 moved);
    } else if (cell->layout_may_explain) {
        say_layout(say, cell);
    } else if (cell->confirm_tried && !cell->confirmed) {
        say_range(say, ratio, false, margin);
        text_add(&say->text, " slower at first, ");
        say_range(say, &cell->confirm_cpu, false, margin);
        text_add(&say->text, " on a second block: not confirmed");
    } else if (!isfinite(ratio->low) || !isfinite(ratio->high)) {
        text_add(&say->text, "too few pairs for an interval: %zu", cell->timing.pairs);
    } else {
        text_add(&say->text, "too few pairs for this noise: ");
        say_range(say, ratio, false, margin);
        text_add(&say->text, " slower after %zu pairs (margin %.3g %%)", cell->timing.pairs,
                 100 * margin);
    }
}

/* "8.1 .. 10.2 % slower (margin 3 %)", which a reader can check against each other. */
static void say_against(struct sentence *say, const struct compared_cell *cell, double margin,
                        bool faster)
{
    say_range(say, &cell->timing.cpu, faster, margin);
    text_add(&say->text, " %s (margin %.3g %%%s)", faster ? "faster" : "slower", 100 * margin,
             cell->same_program ? ": the same work, instructions and memory" : "");
}

static void say_time(struct sentence *say, const struct compared_cell *cell)
{
    double margin = say->limits->of[METRIC_TIME];
    if (cell->same_program && !cell->layouts_vary)
        margin = fmax(margin, say->limits->of[METRIC_LAYOUT]);
    bool is_wide = cell->timing.cpu.low < 1 - say->limits->of[METRIC_TIME] ||
                   cell->timing.cpu.high > 1 + say->limits->of[METRIC_TIME];
    if (cell->time_verdict == VERDICT_SAME && (!cell->same_program || !is_wide))
        return;
    text_add_item(&say->text, "; ", "%s", "");
    if (cell->time_verdict == VERDICT_INCONCLUSIVE) {
        say_inconclusive_time(say, cell, margin);
        return;
    }
    say_against(say, cell, margin, cell->time_verdict == VERDICT_IMPROVED);
    text_add(&say->text, "%s", cell->confirmed ? ", confirmed on a second block" : "");
}

/* "work: unknown, both count nothing" for each gate that would have been enough. */
static void say_unknown_cost(struct sentence *say, const struct compared_cell *cell)
{
    const struct {
        enum gate gate;
        const char *reason;
    } gates[] = {{GATE_WORK, cell->work_reason}, {GATE_INSTRUCTIONS, cell->instructions_reason}};
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        struct gate_answer answer = cell_gate(cell, gates[i].gate, say->limits);
        if (is_known(&answer))
            continue;
        bool is_off = !answer.asked;
        text_add_item(&say->text, "; ", "%s: %s%s%s", gate_name(gates[i].gate),
                      is_off ? "not judged" : "unknown", is_off || !gates[i].reason[0] ? "" : ", ",
                      is_off ? "" : gates[i].reason);
    }
}

static void say_unknown_memory(struct sentence *say, const struct compared_cell *cell)
{
    const struct change *memory = &cell->changes[METRIC_MEMORY];
    bool old_lacks = isnan(memory->before), new_lacks = isnan(memory->after);
    text_add_item(&say->text, "; ", "memory: unknown, %s",
                  old_lacks && new_lacks ? "neither has a figure"
                  : old_lacks            ? "OLD has no figure"
                                         : "NEW has no figure");
}

/* The metrics whose change came to the verdict. */
static void say_changes(struct sentence *say, const struct compared_cell *cell)
{
    for (int i = 0; i < METRIC_WORK_COUNT; i++)
        if (cell->changes[i].verdict == cell->verdict)
            say_change(say, &cell->changes[i], (enum metric)i);
    if (cell->changes[METRIC_ADVANCE_WORK].verdict == cell->verdict)
        say_change(say, &cell->changes[METRIC_ADVANCE_WORK], METRIC_ADVANCE_WORK);
    if (gate_says(cell, GATE_MEMORY, say->limits, cell->verdict))
        say_change(say, &cell->changes[METRIC_MEMORY], METRIC_MEMORY);
    if (gate_says(cell, GATE_INSTRUCTIONS, say->limits, cell->verdict))
        say_change(say, &cell->changes[METRIC_INSTRUCTIONS], METRIC_INSTRUCTIONS);
}

/* "tail: call 4711 of steady takes 52.1 us, in OLD 1.9 us at most (10 of 10 repetitions)" */
static void say_tail(struct sentence *say, const struct compared_cell *cell)
{
    const struct compared_tail *tail = &cell->tail;
    char call[64] = "an advance in every pass";
    if (!tail->wanders)
        snprintf(call, sizeof call, "advance %" PRIu64, tail->call);
    text_add_item(&say->text, "; ", "tail: %s of %s takes %.4g us, before %.4g us", call,
                  tail->phase, tail->after_ns / 1000, tail->before_ns / 1000);
    if (tail->pairs > 0)
        text_add(&say->text, " (%zu of %zu repetitions agree)", tail->agreed, tail->pairs);
    else if (tail->verdict == VERDICT_INCONCLUSIVE)
        text_add(&say->text, " (not repeated)");
}

/* A stored time is no baseline, and no proof of sameness either. */
static void say_stored_times(struct sentence *say, const struct compared_cell *cell)
{
    double margin = say->limits->of[METRIC_TIME];
    bool is_faster = cell->timing.wall.high < 1;
    say_range(say, &cell->timing.wall, is_faster, margin);
    text_add(&say->text,
             " %s (margin %.3g %%), but not measured side by side: compare the programs",
             is_faster ? "faster" : "slower", 100 * margin);
}

/* What the gates say that came to the verdict. */
static void give_reason(struct compared_cell *cell, const struct limits *limits)
{
    struct sentence say = {text_in(cell->reason, sizeof cell->reason), limits};
    bool is_unclear = cell->verdict == VERDICT_INCONCLUSIVE;
    if (cell->failed)
        text_add(&say.text, "NEW fails where OLD does not");
    if (cell->verdict == VERDICT_IMPROVED || cell->verdict == VERDICT_REGRESSED)
        say_changes(&say, cell);
    if (is_unclear && !knows_cost(cell, limits))
        say_unknown_cost(&say, cell);
    if (is_unclear && gate_says(cell, GATE_MEMORY, limits, VERDICT_INCONCLUSIVE))
        say_unknown_memory(&say, cell);
    if (cell->verdict != VERDICT_SAME && gate_says(cell, GATE_TAIL, limits, cell->verdict))
        say_tail(&say, cell);
    if (gate_says(cell, GATE_TIME, limits, cell->verdict))
        say_time(&say, cell);
    if (cell->apart[0] && (is_unclear || cell->verdict == VERDICT_REGRESSED))
        text_add_item(&say.text, "; ", "%s", cell->apart);
    if (is_unclear && !say.text.used && cell->stored_times_differ)
        say_stored_times(&say, cell);
}

void cell_conclude(struct compared_cell *cell, const struct limits *all)
{
    struct limits own = limits_for(all, cell);
    const struct limits *limits = &own;
    if (cell->reason[0]) {
        if (has_regressed_exactly(cell, limits))
            cell->verdict = VERDICT_REGRESSED;
        return;
    }
    cell->verdict = cell->failed ? VERDICT_REGRESSED : gates_verdict(cell, limits);
    bool is_apart = cell->apart[0] || cell->stored_times_differ;
    if ((cell->verdict == VERDICT_SAME && is_apart) ||
        (cell->verdict == VERDICT_IMPROVED && cell->apart[0] && cell->apart_in_answer))
        cell->verdict = VERDICT_INCONCLUSIVE;
    give_reason(cell, limits);
}

/* ---- The whole. ------------------------------------------------------------------------------ */

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->cell_count; i++)
        cJSON_Delete(comparison->cells[i].requested);
    free(comparison->cells);
    cJSON_Delete(comparison->one_side);
    comparison->one_side = NULL;
    comparison->cells = NULL;
    comparison->cell_count = 0;
}

void comparison_ignore_missing(struct comparison *comparison)
{
    size_t kept = 0;
    for (size_t i = 0; i < comparison->cell_count; i++) {
        if (comparison->cells[i].only_old)
            cJSON_Delete(comparison->cells[i].requested);
        else
            comparison->cells[kept++] = comparison->cells[i];
    }
    comparison->cell_count = kept;
    comparison->missing_ignored = true;
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
        if (comparison->cells[i].verdict == verdict && !comparison->cells[i].only_old)
            add_cell_reason(comparison, total, &comparison->cells[i]);
}

/* They are listed in one_side. */
static void add_one_side(struct comparison *comparison, size_t *total)
{
    size_t count = (size_t)cJSON_GetArraySize(comparison->one_side);
    if (count > 0)
        add_reason(
            comparison, total,
            "inconclusive: compared with nothing: cells that only OLD has: %zu, only NEW: %zu "
            "(--ignore-missing lets them pass)",
            count - comparison->added, comparison->added);
}

static bool has_unclear_time(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->cell_count; i++) {
        struct limits own = limits_for(&comparison->limits, &comparison->cells[i]);
        if (gate_says(&comparison->cells[i], GATE_TIME, &own, VERDICT_INCONCLUSIVE))
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
    if (!comparison->missing_ignored)
        add_one_side(comparison, total);
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
    bool is_whole = comparison->complete && comparison->cell_count > 0 &&
                    (comparison->missing_ignored || !comparison->one_side);
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
        for (size_t i = 0; i < comparison->cell_count; i++) {
            struct limits own = limits_for(&comparison->limits, &comparison->cells[i]);
            if (has_regressed_exactly(&comparison->cells[i], &own))
                return STATUS_REGRESSED;
        }
        return STATUS_OK;
    }
    if (comparison->verdict == VERDICT_REGRESSED)
        return STATUS_REGRESSED;
    bool is_unclear = comparison->verdict == VERDICT_INCONCLUSIVE;
    return is_unclear && fail_on == FAIL_ON_INCONCLUSIVE ? STATUS_INCONCLUSIVE : STATUS_OK;
}
