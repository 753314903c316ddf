/* selftest.c - measures false alarms and detection in rounds, within a budget. */
#include "harness/compare/selftest.h"

#include "harness/base/memory.h"

#include "harness/base/text.h"
#include "harness/compare/gate_time.h"
#include "harness/compare/pairing.h"
#include "harness/measure/stats/summary.h"

#include <math.h>

/* As in compare: a copy of the same is the control; another is compared, and a third one dragged. */
enum { ROLE_BASE, ROLE_CONTROL, ROLE_SELF, ROLE_DRAGGED, ROLES };

/* Most of the rounds with a drag try the size in the middle, because that is the one that is promised.  Three
 * rounds of four go without: they are over soon, and false alarms are rare, so that many have to be tried. */
static const double percents[SELFTEST_SIZES] = {2, 5, 10};
#define UNDRAGGED SELFTEST_SIZES
static const size_t schedule[] = {
    UNDRAGGED, 1, UNDRAGGED, UNDRAGGED, /* */
    UNDRAGGED, 1, UNDRAGGED, UNDRAGGED, /* */
    UNDRAGGED, 0, UNDRAGGED, UNDRAGGED, /* */
    UNDRAGGED, 1, UNDRAGGED, UNDRAGGED, /* */
    UNDRAGGED, 2, UNDRAGGED, UNDRAGGED,
};

/* So much of the budget is for one round without a drag and one with it; when all cells take
 * more, some are left out. */
#define FIRST_ROUNDS_SHARE 0.7

/* Up to 50 %, in steps of 0.1 %. */
#define FOUND_SHARE        0.95
#define FOUND_TRIALS       20 /* fewer of an injected size say nothing of 95 % */
#define SHIFTS             501
#define SHIFT_STEP_PERCENT 0.1

struct trial {
    const struct binaries_request *request;
    struct selftest *selftest;
    struct copies copies;
    struct layout_file file;
    struct rng rng;
    struct block_role roles[ROLES];
    struct blocks blocks;
    struct compared_cell *cells[ROLES]; /* verdicts of the round, by role; none for the base */
    size_t found_at[SHIFTS], shifted; /* cells found if all of their pairs were slower by so much */
    double *spreads, *slowdowns[SELFTEST_SIZES]; /* collected over the rounds */
    size_t spread_count, slowdown_count[SELFTEST_SIZES], room;
    double longest_ns[SELFTEST_SIZES + 1]; /* of the rounds so far, by size and UNDRAGGED */
    const char *what;
};

static void trial_progress(void *ctx, size_t done, size_t total)
{
    const struct trial *trial = ctx;
    if (trial->request->progress)
        trial->request->progress(trial->request->progress_ctx, trial->what, done, total);
}

/* ---- The drag. ------------------------------------------------------------------------------- */

static double median_percent(const struct block_series *series)
{
    return series->pairs > 0 ? 100 * expm1(summary_of(series->cpu, series->pairs).median) : NAN;
}

static void begin_anew(struct trial *trial)
{
    for (size_t i = 0; i < trial->blocks.cell_count; i++) {
        block_cell_forget(&trial->blocks.cells[i]);
        trial->blocks.cells[i].pairs_wanted = 0;
    }
}

/* ---- One round: every cell compared once as it is and once dragged. --------------------------- */

static void read_role(struct trial *trial, size_t role)
{
    const struct limits *limits = trial->request->limits;
    double margin = limits->of[METRIC_TIME];
    for (size_t i = 0; i < trial->blocks.cell_count; i++) {
        const struct block_cell *block = &trial->blocks.cells[i];
        struct compared_cell *cell = &trial->cells[role][i];
        cell->time_known = !block->failed && block->series[role].pairs >= PAIRS_MIN;
        cell->time_verdict = VERDICT_SAME; /* of a role that was not sampled */
        cell->timing = gate_timing(&block->series[role], margin);
        cell->control = gate_timing(&block->series[ROLE_CONTROL], margin);
    }
    gate_time_judge(trial->cells[role], trial->blocks.cell_count, limits);
}

/* More pairs for the cells whose verdict in a role is `verdict`, of these roles alone. */
static int sample_again(struct trial *trial, enum verdict verdict, uint64_t pairs, bool forget,
                        struct diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < trial->blocks.cell_count; i++) {
        struct block_cell *block = &trial->blocks.cells[i];
        bool self = trial->cells[ROLE_SELF][i].time_verdict == verdict;
        bool dragged = trial->cells[ROLE_DRAGGED][i].time_verdict == verdict;
        block->out = block->failed || !(self || dragged);
        block->without[ROLE_DRAGGED] = !dragged;
        count += !block->out;
        if (!block->out && forget)
            block_cell_forget(block);
    }
    int status = count > 0 ? blocks_run(&trial->blocks, (size_t)(pairs + 1) / 2, diag) : DIAG_OK;
    for (size_t i = 0; i < trial->blocks.cell_count; i++) {
        trial->blocks.cells[i].out = trial->blocks.cells[i].failed;
    }
    return status;
}

static void confirm_role(struct trial *trial, size_t role)
{
    double margin = trial->request->limits->of[METRIC_TIME];
    for (size_t i = 0; i < trial->blocks.cell_count; i++) {
        struct compared_cell *cell = &trial->cells[role][i];
        const struct block_cell *block = &trial->blocks.cells[i];
        if (cell->time_verdict != VERDICT_REGRESSED)
            continue;
        struct timing timing = gate_timing(&block->series[role], margin);
        struct timing control = gate_timing(&block->series[ROLE_CONTROL], margin);
        if (!gate_confirms(&timing, margin) || gate_control_moved(&control, margin))
            cell->time_verdict = VERDICT_INCONCLUSIVE;
    }
}

/* How many cells would have been found, had all pairs of the control been slower by so much: on the pairs
 * before any were added, so that it tells too large a slowdown rather than too small a one. */
static void shift_cells(struct trial *trial)
{
    size_t count = trial->blocks.cell_count;
    const struct limits *limits = trial->request->limits;
    struct compared_cell *cells = memory_take(count, sizeof *cells);
    struct block_series *series = memory_take(1, sizeof *series);
    for (size_t shift = 0; shift < SHIFTS; shift++) {
        for (size_t i = 0; i < count; i++) {
            *series = trial->blocks.cells[i].series[ROLE_SELF];
            for (size_t pair = 0; pair < series->pairs; pair++)
                series->cpu[pair] += log1p((double)shift * SHIFT_STEP_PERCENT / 100);
            cells[i].time_known = series->pairs >= PAIRS_MIN;
            cells[i].timing = gate_timing(series, limits->of[METRIC_TIME]);
            cells[i].control = trial->cells[ROLE_SELF][i].control;
        }
        gate_time_judge(cells, count, limits);
        for (size_t i = 0; i < count; i++)
            trial->found_at[shift] += cells[i].time_verdict == VERDICT_REGRESSED;
    }
    trial->shifted += count;
    free(cells);
    free(series);
}

static void keep(double *values, size_t *count, size_t room, double value)
{
    if (*count < room && isfinite(value))
        values[(*count)++] = value;
}

/* Before pairs are added: what one sample lies from the other, and how large the drag came out. */
static void collect(struct trial *trial, size_t size)
{
    for (size_t i = 0; i < trial->blocks.cell_count; i++) {
        const struct block_cell *cell = &trial->blocks.cells[i];
        const struct block_series *control = &cell->series[ROLE_CONTROL];
        double apart[PAIRS_MAX];
        for (size_t pair = 0; pair < control->pairs; pair++)
            apart[pair] = fabs(control->cpu[pair]);
        if (control->pairs > 0)
            keep(trial->spreads, &trial->spread_count, trial->room,
                 100 * summary_of(apart, control->pairs).median);
        if (size != UNDRAGGED)
            keep(trial->slowdowns[size], &trial->slowdown_count[size], trial->room,
                 median_percent(&cell->series[ROLE_DRAGGED]));
    }
}

static void count_self(struct trial *trial)
{
    struct selftest *selftest = trial->selftest;
    size_t alarms = 0;
    for (size_t i = 0; i < trial->blocks.cell_count; i++) {
        const struct compared_cell *cell = &trial->cells[ROLE_SELF][i];
        if (!cell->time_known)
            continue;
        selftest->false_alarms.trials++;
        alarms += cell->time_verdict == VERDICT_REGRESSED || cell->time_verdict == VERDICT_IMPROVED;
        selftest->false_alarms.inconclusive += cell->time_verdict == VERDICT_INCONCLUSIVE;
    }
    selftest->false_alarms.hits += alarms;
    selftest->presets++;
    selftest->presets_alarmed += alarms > 0;
}

static void count_dragged(struct trial *trial, struct selftest_size *size)
{
    for (size_t i = 0; i < trial->blocks.cell_count; i++) {
        const struct compared_cell *cell = &trial->cells[ROLE_DRAGGED][i];
        if (!cell->time_known)
            continue;
        size->found.trials++;
        size->found.hits += cell->time_verdict == VERDICT_REGRESSED;
        size->found.inconclusive += cell->time_verdict == VERDICT_INCONCLUSIVE;
        size->seen += cell->timing.cpu.low > 1;
    }
}

/* The steps of compare: pairs, more of them once, confirmation. */
static int trial_round(struct trial *trial, size_t size, struct diag *diag)
{
    const struct binaries_request *request = trial->request;
    bool dragged = size != UNDRAGGED;
    begin_anew(trial);
    for (size_t i = 0; i < trial->blocks.cell_count; i++)
        trial->blocks.cells[i].without[ROLE_DRAGGED] = !dragged;
    if (dragged)
        trial->roles[ROLE_DRAGGED].drag_percent = percents[size];
    trial->what = "comparing with itself";
    int status = blocks_run(&trial->blocks, (size_t)(request->pairs + 1) / 2, diag);
    if (status != DIAG_OK)
        return status;
    read_role(trial, ROLE_SELF);
    read_role(trial, ROLE_DRAGGED);
    collect(trial, size);
    shift_cells(trial);
    trial->what = "more pairs";
    if (request->max_pairs > request->pairs)
        status = sample_again(trial, VERDICT_INCONCLUSIVE, request->max_pairs - request->pairs,
                              false, diag);
    if (status != DIAG_OK)
        return status;
    read_role(trial, ROLE_SELF);
    read_role(trial, ROLE_DRAGGED);
    trial->what = "confirming";
    status = sample_again(trial, VERDICT_REGRESSED,
                          request->pairs > request->max_pairs ? request->pairs : request->max_pairs,
                          true, diag);
    if (status != DIAG_OK)
        return status;
    confirm_role(trial, ROLE_SELF);
    confirm_role(trial, ROLE_DRAGGED);
    count_self(trial);
    if (dragged)
        count_dragged(trial, &trial->selftest->sizes[size]);
    return DIAG_OK;
}

/* ---- What fits. ------------------------------------------------------------------------------ */

static void leave_out(struct selftest *selftest, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void leave_out(struct selftest *selftest, const char *format, ...)
{
    va_list args;
    if (selftest->left_out_count == SELFTEST_LEFT_OUT)
        return;
    va_start(args, format);
    vsnprintf(selftest->left_out[selftest->left_out_count++], SELFTEST_TEXT, format, args);
    va_end(args);
}

/* Processes of one cell in the pairs that a round begins with. */
static double round_processes(const struct trial *trial, bool dragged)
{
    return (double)trial->request->pairs * (dragged ? ROLES : ROLES - 1);
}

/* By the longest such round, which may have had pairs added; before the first by what it begins with.  A regression
 * that is to be seen has to be seen again. */
static double round_expected_ns(const struct trial *trial, size_t size)
{
    bool dragged = size != UNDRAGGED;
    double processes = round_processes(trial, dragged) * (dragged ? 2 : 1), sum_ns = 0;
    for (size_t i = 0; i < trial->blocks.cell_count; i++)
        if (!trial->blocks.cells[i].failed)
            sum_ns += block_cell_expected_ns(&trial->blocks.cells[i], processes);
    return fmax(sum_ns, trial->longest_ns[size]);
}

static void swap_cells(struct block_cell *a, struct block_cell *b)
{
    struct block_cell *kept = memory_take(1, sizeof *kept);
    *kept = *a;
    memmove(a, b, sizeof *a);
    *b = *kept;
    free(kept);
}

/* A random choice of as many cells as there is time for, at least one; the others go behind them. */
static void choose_cells(struct trial *trial)
{
    struct blocks *blocks = &trial->blocks;
    double room_ns = FIRST_ROUNDS_SHARE * (double)deadline_left_ns(&blocks->deadline), sum_ns = 0;
    double processes = round_processes(trial, false) + 2 * round_processes(trial, true);
    size_t all = blocks->cell_count, chosen = 0;
    for (size_t i = 0; i < all; i++)
        sum_ns += block_cell_expected_ns(&blocks->cells[i], processes);
    if (sum_ns <= room_ns)
        return;
    double all_ns = sum_ns;
    for (sum_ns = 0; chosen < all; chosen++) {
        swap_cells(&blocks->cells[chosen],
                   &blocks->cells[chosen + (size_t)rng_below(&trial->rng, all - chosen)]);
        sum_ns += block_cell_expected_ns(&blocks->cells[chosen], processes);
        if (chosen > 0 && sum_ns > room_ns)
            break;
    }
    blocks->cell_count = chosen;
    if (chosen < all)
        leave_out(trial->selftest,
                  "%zu of %zu cells: all of them would take at least %.0f s once as they are "
                  "and once slowed down",
                  all - chosen, all, all_ns / 1e9);
}

/* Rounds while another one like the longest so far fits; without a drag where one with it does not.  The first is
 * begun anyway: what is expected of it rests on a single process for each cell. */
static int trial_rounds(struct trial *trial, struct diag *diag)
{
    const struct deadline *deadline = &trial->blocks.deadline;
    int status = DIAG_OK;
    for (size_t round = 0; status == DIAG_OK; round++) {
        size_t size = schedule[round % (sizeof schedule / sizeof *schedule)];
        if (!deadline_fits(deadline, round_expected_ns(trial, size)))
            size = UNDRAGGED;
        if (round > 0 && !deadline_fits(deadline, round_expected_ns(trial, size)))
            return DIAG_OK;
        uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
        status = trial_round(trial, size, diag);
        trial->longest_ns[size] =
            fmax(trial->longest_ns[size], (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns));
    }
    return status;
}

/* What the figures lack because the time was up. */
static void tell_left_out(struct selftest *selftest, bool cut)
{
    char sizes[64];
    struct text list = text_in(sizes, sizeof sizes);
    if (cut)
        leave_out(selftest, "the last round: it was not finished when the time was up");
    for (size_t i = 0; i < SELFTEST_SIZES && selftest->presets > 0; i++)
        if (selftest->sizes[i].found.trials == 0)
            text_add_item(&list, ", ", "%.0f %%", selftest->sizes[i].percent);
    if (sizes[0])
        leave_out(selftest, "slowdowns of %s: there was no time to inject them", sizes);
}

/* ---- The whole. ------------------------------------------------------------------------------ */

/* null on the same streams, through the same command: the median over the workloads. */
static double harness_cost(struct trial *trial)
{
    const struct matrix *matrix = &trial->request->matrix;
    double costs_ns[SELFTEST_WORKLOADS];
    size_t count = 0;
    for (size_t i = 0; i < matrix->plan->group_count && count < SELFTEST_WORKLOADS; i++) {
        struct probe_command command;
        struct probe_sample sample;
        char reason[PROBE_REASON];
        command_of_probe(&command, matrix, i * matrix->plan->cell_count);
        snprintf(command.text[1], sizeof command.text[1], "--impl=null");
        uint64_t left_ns = deadline_left_ns(&trial->blocks.deadline);
        if (probe_take(trial->copies.paths[0], &command, "", trial->blocks.cpu,
                       left_ns < trial->request->budget_ns ? left_ns : trial->request->budget_ns,
                       trial->request->interrupt, &sample, reason) == PROBE_OK)
            costs_ns[count++] = sample.cpu_ns / (double)sample.calls;
    }
    return count > 0 ? summary_of(costs_ns, count).median : NAN;
}

/* What is found reliably: a size that was injected and found, or one that would have been; each is enough by
 * itself, so the smaller one counts. */
static void trial_conclude(struct trial *trial)
{
    struct selftest *selftest = trial->selftest;
    selftest->smallest_percent = NAN;
    if (selftest->presets == 0)
        trial->shifted = 0;
    for (size_t shift = SHIFTS; shift-- > 0 && trial->shifted > 0;) {
        if ((double)trial->found_at[shift] < FOUND_SHARE * (double)trial->shifted)
            break;
        selftest->smallest_percent = (double)shift * SHIFT_STEP_PERCENT;
    }
    for (size_t i = SELFTEST_SIZES; i-- > 0;) {
        const struct selftest_rate *found = &selftest->sizes[i].found;
        if (found->trials < FOUND_TRIALS)
            continue;
        if ((double)found->hits < FOUND_SHARE * (double)found->trials)
            break;
        selftest->smallest_percent = fmin(selftest->smallest_percent, selftest->sizes[i].percent);
    }
    selftest->pair_spread_percent =
        trial->spread_count > 0 ? summary_of(trial->spreads, trial->spread_count).median : NAN;
    selftest->slow_share = blocks_slow_share(&trial->blocks);
    for (size_t i = 0; i < SELFTEST_SIZES; i++)
        selftest->sizes[i].measured_percent =
            trial->slowdown_count[i] > 0
                ? summary_of(trial->slowdowns[i], trial->slowdown_count[i]).median
                : NAN;
}

static int trial_prepare(struct trial *trial, struct diag *diag)
{
    const struct binaries_request *request = trial->request;
    size_t count = matrix_count(&request->matrix);
    int status = copies_begin(&trial->copies, diag);
    for (size_t i = 0; i < ROLES && status == DIAG_OK; i++) {
        status = copies_add_program(&trial->copies, request->before, diag);
        trial->roles[i] = (struct block_role){
            .program = trial->copies.paths[i], .layout = &trial->file, .dragged = true};
    }
    if (status == DIAG_OK)
        status = layout_read(&trial->file, request->before, diag);
    trial->blocks = (struct blocks){
        .roles = trial->roles,
        .role_count = ROLES,
        .cells = memory_take(count, sizeof *trial->blocks.cells),
        .cell_count = count,
        .layouts = trial->file.step > 0 ? request->layouts : 1,
        .seed = request->matrix.seed,
        .cpu = request->cpu,
        .budget_ns = request->budget_ns,
        .rng = &trial->rng,
        .interrupt = request->interrupt,
        .progress = trial_progress,
        .progress_ctx = trial,
    };
    trial->room = 4096 * count;
    trial->spreads = memory_take(trial->room, sizeof *trial->spreads);
    for (size_t i = 0; i < SELFTEST_SIZES; i++)
        trial->slowdowns[i] = memory_take(trial->room, sizeof(double));
    for (size_t i = 1; i < ROLES; i++)
        trial->cells[i] = memory_take(count, sizeof *trial->cells[i]);
    for (size_t i = 0; i < count && status == DIAG_OK; i++)
        command_of_probe(&trial->blocks.cells[i].command, &request->matrix, i);
    return status;
}

static void trial_free(struct trial *trial)
{
    copies_remove(&trial->copies);
    layout_free(&trial->file);
    free(trial->blocks.cells);
    free(trial->spreads);
    for (size_t i = 0; i < SELFTEST_SIZES; i++)
        free(trial->slowdowns[i]);
    for (size_t i = 1; i < ROLES; i++)
        free(trial->cells[i]);
}

/* Everything that takes time, until the deadline or the end of it. */
static int trial_do(struct trial *trial, struct diag *diag)
{
    int status = blocks_calibrate(&trial->blocks, diag);
    if (status != DIAG_OK)
        return status;
    choose_cells(trial);
    trial->selftest->cell_count = trial->blocks.cell_count;
    trial->selftest->harness_ns_per_op = harness_cost(trial);
    return trial_rounds(trial, diag);
}

int selftest_run(const struct binaries_request *request, uint64_t begin_ns, uint64_t budget_ns,
                 struct selftest *selftest, struct diag *diag)
{
    struct trial *trial = memory_take(1, sizeof *trial);
    *selftest = (struct selftest){
        .cell_count = matrix_count(&request->matrix),
        .smallest_percent = NAN,
        .harness_ns_per_op = NAN,
        .pair_spread_percent = NAN,
        .budget_seconds = (double)budget_ns / 1e9,
    };
    for (size_t i = 0; i < SELFTEST_SIZES; i++)
        selftest->sizes[i].percent = percents[i];
    calibration_measure(selftest->calibration);
    trial->request = request;
    trial->selftest = selftest;
    rng_seed(&trial->rng, request->matrix.seed, 0);
    int status = trial_prepare(trial, diag);
    trial->blocks.deadline = deadline_after(begin_ns, budget_ns);
    if (status == DIAG_OK)
        status = trial_do(trial, diag);
    bool cut = status == DEADLINE_OVER;
    if (cut)
        status = DIAG_OK;
    trial_conclude(trial);
    selftest->complete = status == DIAG_OK;
    if (selftest->complete)
        tell_left_out(selftest, cut);
    selftest->seconds = (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
    trial_free(trial);
    free(trial);
    return status;
}
