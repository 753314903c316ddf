/* binaries.c - compares two programs: counts, pairs, more pairs, confirmation. */
#include "harness/compare/pairing.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/compare/gate_tail.h"
#include "harness/compare/gate_time.h"
#include "harness/compare/results.h"
#include "harness/measure/stats/summary.h"
#include "harness/tell/result/document.h"

enum { ROLE_BEFORE, ROLE_AFTER, ROLE_CONTROL, ROLES };
#define COPY_LOADER ROLES /* behind those of the roles */

/* Counting the whole matrix has limits of its own, cell by cell. */
#define RUN_BUDGET_NS UINT64_C(3600000000000)

struct contest {
    const struct binaries_request *request;
    struct comparison *comparison;
    struct copies copies;
    struct layout_file files[ROLES]; /* to be laid out otherwise */
    struct rng rng;
    struct blocks blocks;
    const char *what;      /* is being done, for the progress */
    cJSON *before, *after; /* what each says of itself in one run */
};

/* ---- Counts. --------------------------------------------------------------------------------- */

static int check_document(const cJSON *document, const char *program, struct diag *diag)
{
    double version = json_get_number(document, "schema_version");
    if (version != RESULT_SCHEMA_VERSION)
        return diag_usage(diag, "%s: its results are of schema version %g; expected %d", program,
                          version, RESULT_SCHEMA_VERSION);
    int status = shape_check_head(document, program, diag);
    size_t i = 0;
    json_each(cell, document, "cells")
        if (status == DIAG_OK)
            status = shape_check_cell(cell, i++, program, diag);
    return status;
}

/* What `program`, or the loader with this plugin, says of it when it is run so. */
static int run_command(const struct contest *contest, const char *program, const char *copy,
                       const struct probe_command *command, cJSON **document, struct diag *diag)
{
    const struct binaries_request *request = contest->request;
    struct spawn_result result;
    spawn_run(
        &(struct spawn_request){
            .path = request->loader ? contest->copies.paths[COPY_LOADER] : copy,
            .argv = command->argv,
            .cpu = -1,
            .budget_ns = RUN_BUDGET_NS,
            .interrupt = request->interrupt,
        },
        &result);
    int status = result.end == SPAWN_INTERRUPTED ? BINARIES_INTERRUPTED : DIAG_OK;
    struct diag ignored;
    *document = NULL;
    if (status == DIAG_OK)
        (void)jsontext_read(program, result.out, strlen(result.out), "a result", document,
                            &ignored);
    result.err[strcspn(result.err, "\n")] = '\0';
    if (status == DIAG_OK && result.end == SPAWN_EXITED && !*document)
        status = diag_usage(diag, "%s: %s%s%s", program,
                            request->loader ? "the run with it ended without a result"
                                            : "does not answer 'run' as a twbench of this version "
                                              "does",
                            result.err[0] ? "; it says: " : "", result.err);
    else if (status == DIAG_OK && result.end != SPAWN_EXITED)
        status = diag_usage(diag, "%s: did not finish 'run': %s", program, strsignal(result.code));
    if (status == DIAG_OK)
        status = check_document(*document, program, diag);
    spawn_free(&result);
    return status;
}

/* Of one run over the matrix. */
static int run_document(const struct contest *contest, const char *program, const char *copy,
                        cJSON **document, struct diag *diag)
{
    const struct binaries_request *request = contest->request;
    struct probe_command command;
    command_of_run(&command, &request->matrix, request->loader ? copy : NULL, request->budget_ns);
    return run_command(contest, program, copy, &command, document, diag);
}

static void tell(const struct contest *contest, const char *what, size_t done, size_t total)
{
    if (contest->request->progress)
        contest->request->progress(contest->request->progress_ctx, what, done, total);
}

/* What one run by itself took is noise: a program's times are those of its pairs, or unknown. */
static void forget_times(struct comparison *comparison)
{
    const struct interval unknown = {NAN, NAN, NAN};
    for (size_t i = 0; i < comparison->cell_count; i++) {
        struct compared_cell *cell = &comparison->cells[i];
        cell->time_known = cell->time_decides = false;
        cell->timing = (struct timing){0, NAN, unknown, unknown, NAN, NAN, NAN};
        cell->before_ns_per_op = cell->after_ns_per_op = NAN;
        for (size_t phase = 0; phase < cell->phase_count; phase++)
            cell->phases[phase].cpu_ratio = cell->phases[phase].share = NAN;
    }
}

static int contest_count(struct contest *contest, struct diag *diag)
{
    const struct binaries_request *request = contest->request;
    tell(contest, "counting OLD", 0, 2);
    int status = run_document(contest, request->before, contest->copies.paths[ROLE_BEFORE],
                              &contest->before, diag);
    tell(contest, "counting NEW", 1, 2);
    if (status == DIAG_OK)
        status = run_document(contest, request->after, contest->copies.paths[ROLE_AFTER],
                              &contest->after, diag);
    if (status == DIAG_OK)
        status = compare_documents(contest->before, request->before, contest->after, request->after,
                                   request->limits, contest->comparison, diag);
    forget_times(contest->comparison);
    if (status == DIAG_OK && contest->comparison->cell_count != matrix_count(&request->matrix))
        status = diag_run(diag, "%s and %s made %zu cells of %zu", request->before, request->after,
                          contest->comparison->cell_count, matrix_count(&request->matrix));
    return status;
}

/* ---- Times. ---------------------------------------------------------------------------------- */

static double median_of(const double *values, size_t count)
{
    return count > 0 ? summary_of(values, count).median : NAN;
}

/* As of the whole cell: the median of the pairs' ratios. */
static double phase_ratio(const struct block_series *before, const struct block_series *after,
                          size_t phase)
{
    double logs[PAIRS_MAX];
    for (size_t i = 0; i < after->pairs; i++)
        logs[i] = log(after->phase_cpu_ns[phase][i] / before->phase_cpu_ns[phase][i]);
    return exp(median_of(logs, after->pairs));
}

static void read_phases(struct compared_cell *cell, const struct block_cell *block)
{
    const struct block_series *before = &block->series[ROLE_BEFORE];
    const struct block_series *after = &block->series[ROLE_AFTER];
    double whole_ns = median_of(before->cpu_ns, before->pairs);
    for (size_t i = 0; i < cell->phase_count && i < block->phase_count; i++) {
        double before_ns = median_of(before->phase_cpu_ns[i], before->pairs);
        cell->phases[i].cpu_ratio = phase_ratio(before, after, i);
        cell->phases[i].share = before_ns / whole_ns;
    }
}

/* From all pairs that a cell has by now; p values are those of the cell alone again. */
static void read_cell(struct compared_cell *cell, const struct block_cell *block,
                      const struct limits *all)
{
    struct limits own = limits_for(all, cell), *limits = &own;
    const struct block_series *before = &block->series[ROLE_BEFORE];
    const struct block_series *after = &block->series[ROLE_AFTER];
    cell->time_known = cell->time_decides = after->pairs >= PAIRS_MIN;
    cell->layouts_vary = after->layouts > 1;
    cell->timing = gate_timing(after, gate_margin(cell, limits));
    cell->control = gate_timing(&block->series[ROLE_CONTROL], limits->of[METRIC_TIME]);
    cell->before_ns_per_op = median_of(before->cpu_ns, before->pairs) / (double)block->calls;
    cell->after_ns_per_op = cell->before_ns_per_op * cell->timing.cpu.median;
    read_phases(cell, block);
}

static void read_failure(struct compared_cell *cell, const struct block_cell *block)
{
    bool is_new = block->failed_role == ROLE_AFTER;
    cell->failed = is_new;
    cell->time_known = cell->time_decides = false;
    cell->verdict = is_new ? VERDICT_REGRESSED : VERDICT_INCONCLUSIVE;
    snprintf(cell->reason, sizeof cell->reason, "%s: %.380s", is_new ? "NEW" : "OLD",
             block->reason);
}

static void contest_read(struct contest *contest)
{
    struct comparison *comparison = contest->comparison;
    for (size_t i = 0; i < comparison->cell_count; i++) {
        struct compared_cell *cell = &comparison->cells[i];
        const struct block_cell *block = &contest->blocks.cells[i];
        if (block->failed)
            read_failure(cell, block);
        else if (block->series[ROLE_AFTER].pairs > 0)
            read_cell(cell, block, &comparison->limits);
    }
    gate_time_judge(comparison->cells, comparison->cell_count, &comparison->limits);
}

static void contest_progress(void *ctx, size_t done, size_t total)
{
    const struct contest *contest = ctx;
    tell(contest, contest->what, done, total);
}

static bool has_regressed(const struct compared_cell *cell, const struct limits *limits)
{
    (void)limits;
    return cell->time_verdict == VERDICT_REGRESSED;
}

/* More pairs of the cells that want them; with `forget` from none on to as many as led to the verdict:
 * what it took to see a regression is what it takes to see it again. */
static int contest_again(struct contest *contest,
                         bool (*wants)(const struct compared_cell *, const struct limits *),
                         uint64_t pairs, const char *what, bool forget, struct diag *diag)
{
    struct comparison *comparison = contest->comparison;
    struct blocks *blocks = &contest->blocks;
    size_t count = 0;
    for (size_t i = 0; i < comparison->cell_count; i++) {
        const struct compared_cell *cell = &comparison->cells[i];
        struct limits own = limits_for(&comparison->limits, cell);
        struct block_cell *block = &blocks->cells[i];
        block->out = block->failed || !cell->time_known || !wants(cell, &own);
        count += !block->out;
        if (!block->out && forget)
            block_cell_forget(block);
    }
    contest->what = what;
    return count > 0 ? blocks_run(blocks, (size_t)(pairs + 1) / 2, diag) : DIAG_OK;
}

static int contest_extend(struct contest *contest, struct diag *diag)
{
    const struct binaries_request *request = contest->request;
    struct comparison *comparison = contest->comparison;
    if (request->max_pairs <= request->pairs)
        return DIAG_OK;
    int status = contest_again(contest, gate_needs_pairs, request->max_pairs - request->pairs,
                               "more pairs", false, diag);
    for (size_t i = 0; i < comparison->cell_count; i++)
        comparison->cells[i].extended =
            comparison->cells[i].timing.pairs > 0 &&
            contest->blocks.cells[i].series[ROLE_AFTER].pairs > comparison->cells[i].timing.pairs;
    contest_read(contest);
    return status;
}

static void confirm_cell(struct compared_cell *cell, const struct block_cell *block,
                         const struct limits *all)
{
    struct limits own = limits_for(all, cell), *limits = &own;
    double margin = gate_margin(cell, limits);
    struct timing timing = gate_timing(&block->series[ROLE_AFTER], margin);
    struct timing control = gate_timing(&block->series[ROLE_CONTROL], limits->of[METRIC_TIME]);
    cell->confirm_tried = true;
    cell->confirm_cpu = timing.cpu;
    cell->confirmed =
        gate_confirms(&timing, margin) && !gate_control_moved(&control, limits->of[METRIC_TIME]);
    if (!cell->confirmed)
        cell->time_verdict = VERDICT_INCONCLUSIVE;
}

static int contest_confirm(struct contest *contest, struct diag *diag)
{
    struct comparison *comparison = contest->comparison;
    const struct binaries_request *request = contest->request;
    uint64_t most = request->pairs > request->max_pairs ? request->pairs : request->max_pairs;
    int status = contest_again(contest, has_regressed, most, "confirming", true, diag);
    for (size_t i = 0; i < comparison->cell_count; i++) {
        struct compared_cell *cell = &comparison->cells[i];
        const struct block_cell *block = &contest->blocks.cells[i];
        if (block->failed)
            read_failure(cell, block);
        else if (cell->time_known && cell->time_verdict == VERDICT_REGRESSED)
            confirm_cell(cell, block, &comparison->limits);
    }
    return status;
}

static void contest_prepare(struct contest *contest)
{
    const struct binaries_request *request = contest->request;
    size_t count = contest->comparison->cell_count;
    contest->blocks.cells = memory_take(count, sizeof *contest->blocks.cells);
    contest->blocks.cell_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct compared_cell *cell = &contest->comparison->cells[i];
        command_of_probe(&contest->blocks.cells[i].command, &request->matrix, i);
        contest->blocks.cells[i].out = cell->failed || cell->reason[0] != '\0';
    }
}

static int contest_time(struct contest *contest, struct diag *diag)
{
    const struct binaries_request *request = contest->request;
    struct block_role roles[ROLES];
    for (size_t i = 0; i < ROLES; i++)
        roles[i] = (struct block_role){
            .program = contest->copies.paths[request->loader ? COPY_LOADER : i],
            .plugin = request->loader ? contest->copies.paths[i] : NULL,
            .name = i == ROLE_AFTER ? request->after : request->before,
            .layout = &contest->files[i],
        };
    contest->blocks = (struct blocks){
        .roles = roles,
        .role_count = ROLES,
        .layouts = contest->comparison->layouts,
        .seed = request->matrix.seed,
        .cpu = request->cpu,
        .budget_ns = request->budget_ns,
        .rng = &contest->rng,
        .interrupt = request->interrupt,
        .progress = contest_progress,
        .progress_ctx = contest,
    };
    contest_prepare(contest);
    contest->what = "timing";
    int status = blocks_calibrate(&contest->blocks, diag);
    if (status == DIAG_OK)
        status = blocks_run(&contest->blocks, (size_t)(request->pairs + 1) / 2, diag);
    if (status == DIAG_OK || status == BLOCKS_INTERRUPTED)
        contest_read(contest);
    if (status == DIAG_OK)
        status = contest_extend(contest, diag);
    if (status == DIAG_OK)
        status = contest_confirm(contest, diag);
    contest->comparison->slow_share = blocks_slow_share(&contest->blocks);
    free(contest->blocks.cells);
    return status;
}

/* ---- Tails. ---------------------------------------------------------------------------------- */

/* The cell of one side, in a run of its own. */
static int run_cell(const struct contest *contest, size_t cell, size_t role, cJSON **document,
                    struct diag *diag)
{
    const struct binaries_request *request = contest->request;
    const char *copy = contest->copies.paths[role];
    struct probe_command command;
    command_of_cell(&command, &request->matrix, cell, request->budget_ns);
    if (request->loader)
        probe_name_plugin(&command, copy);
    return run_command(contest, role == ROLE_AFTER ? request->after : request->before, copy,
                       &command, document, diag);
}

/* OLD first and NEW first in turn. */
static double tail_limit(const struct contest *contest, size_t cell)
{
    return limits_for(contest->request->limits, &contest->comparison->cells[cell]).of[METRIC_TAIL];
}

static int repeat_pair(const struct contest *contest, size_t cell, struct tail_repeats *repeats,
                       bool *goes_on, struct diag *diag)
{
    cJSON *documents[2] = {NULL, NULL}; /* by role */
    size_t first = repeats->pairs % 2 ? ROLE_AFTER : ROLE_BEFORE, second = ROLE_AFTER - first;
    int status = run_cell(contest, cell, first, &documents[first], diag);
    if (status == DIAG_OK)
        status = run_cell(contest, cell, second, &documents[second], diag);
    if (status == DIAG_OK)
        *goes_on = gate_tail_repeat(
            repeats, cJSON_GetArrayItem(json_get(documents[ROLE_BEFORE], "cells"), 0),
            cJSON_GetArrayItem(json_get(documents[ROLE_AFTER], "cells"), 0),
            tail_limit(contest, cell));
    cJSON_Delete(documents[0]);
    cJSON_Delete(documents[1]);
    return status;
}

static int repeat_cell(const struct contest *contest, size_t cell, struct diag *diag)
{
    struct compared_cell *compared = &contest->comparison->cells[cell];
    double limit = tail_limit(contest, cell);
    struct tail_finding finding =
        gate_tail_look(results_find_cell(contest->before, compared),
                       results_find_cell(contest->after, compared), limit);
    struct tail_repeats repeats = gate_tail_begin(&finding);
    bool goes_on = true;
    int status = DIAG_OK;
    while (goes_on && status == DIAG_OK)
        status = repeat_pair(contest, cell, &repeats, &goes_on, diag);
    if (status == DIAG_OK)
        gate_tail_conclude(compared, &repeats, limit);
    else
        compared->tail.verdict = VERDICT_INCONCLUSIVE;
    return status;
}

/* The runs that counted have the own tails as well.  What they show is repeated before it is believed. */
static int contest_tails(struct contest *contest, struct diag *diag)
{
    struct comparison *comparison = contest->comparison;
    size_t repeated = 0;
    int status = DIAG_OK;
    for (size_t i = 0; i < comparison->cell_count && status == DIAG_OK; i++) {
        struct compared_cell *cell = &comparison->cells[i];
        gate_tail(cell, results_find_cell(contest->before, cell),
                  results_find_cell(contest->after, cell), contest->request->limits, false);
        if (!cell->tail.known || cell->tail.verdict == VERDICT_SAME)
            continue;
        tell(contest, "repeating tails", repeated, TAIL_CELLS_MAX);
        if (repeated++ < TAIL_CELLS_MAX)
            status = repeat_cell(contest, i, diag);
        else
            cell->tail.verdict = VERDICT_INCONCLUSIVE;
    }
    return status;
}

/* ---- Why. ------------------------------------------------------------------------------------ */

static bool does_more_or_less(const struct compared_cell *cell)
{
    return cell->work_changed ||
           (cell->instructions_known && cell->instructions_verdict != VERDICT_SAME);
}

/* Callgrind takes seconds of a cell: only where work or instructions changed. */
static void contest_functions(const struct contest *contest)
{
    const struct binaries_request *request = contest->request;
    struct matrix once = request->matrix;
    size_t count = request->explain ? contest->comparison->cell_count : 0;
    struct functions_side *sides = memory_take(2, sizeof *sides);
    once.samples = once.min_time_ns = 1;
    once.patience_ns = 0;
    for (size_t i = 0;
         i < count && !(request->interrupt && interrupt_is_pending(request->interrupt)); i++) {
        struct compared_cell *cell = &contest->comparison->cells[i];
        if (!does_more_or_less(cell))
            continue;
        tell(contest, "counting by function", i, count);
        for (size_t role = ROLE_BEFORE; role <= ROLE_AFTER; role++) {
            const char *copy = contest->copies.paths[role];
            sides[role].object = copy;
            sides[role].program = request->loader ? contest->copies.paths[COPY_LOADER] : copy;
            command_of_probe(&sides[role].command, &once, i);
            if (request->loader)
                probe_name_plugin(&sides[role].command, copy);
        }
        functions_compare(cell, sides, contest->copies.directory, request->interrupt);
    }
    free(sides);
}

/* ---- The whole. ------------------------------------------------------------------------------ */

/* Of a plugin's build nothing is known: the document tells of the program that loaded it. */
static void describe_side(struct compared_side *side, const struct contest *contest, size_t role)
{
    const struct binaries_request *request = contest->request;
    snprintf(side->path, sizeof side->path, "%s",
             role == ROLE_AFTER ? request->after : request->before);
    snprintf(side->hash, sizeof side->hash, "%016" PRIx64, contest->copies.hashes[role]);
    side->kind = request->loader ? "plugin" : "program";
    if (request->loader)
        side->compiler[0] = side->flags[0] = '\0';
}

static void describe(const struct contest *contest)
{
    struct comparison *comparison = contest->comparison;
    const struct binaries_request *request = contest->request;
    comparison->is_binaries = true;
    comparison->limits = *request->limits;
    comparison->pairs = request->pairs;
    comparison->pairs_max = request->max_pairs;
    comparison->confirm_pairs = request->pairs;
    comparison->samples_per_process = request->matrix.samples;
    comparison->min_work_ns = request->matrix.min_time_ns;
    comparison->seed = request->matrix.seed;
    comparison->alpha = GATE_ALPHA;
    comparison->pin_cpu = request->cpu;
    comparison->slow_share = NAN;
    describe_side(&comparison->before, contest, ROLE_BEFORE);
    describe_side(&comparison->after, contest, ROLE_AFTER);
}

/* The roles' files; behind them the loader, which is one file for all. */
static int contest_copy(struct contest *contest, struct diag *diag)
{
    const struct binaries_request *request = contest->request;
    const char *const files[] = {request->before, request->after, request->before, request->loader};
    int status = copies_begin(&contest->copies, diag);
    for (size_t i = 0; i < sizeof files / sizeof *files && files[i] && status == DIAG_OK; i++)
        status = request->loader ? copies_add(&contest->copies, files[i], diag)
                                 : copies_add_program(&contest->copies, files[i], diag);
    return status;
}

/* Both sides in layouts of their own, or neither: a side that stays would be compared with the other's mean. */
static int contest_lay_out(struct contest *contest, struct diag *diag)
{
    const struct binaries_request *request = contest->request;
    struct comparison *comparison = contest->comparison;
    int status = DIAG_OK;
    comparison->layouts = request->pairs > 0 ? request->layouts : 1;
    for (size_t i = 0; i < ROLES && comparison->layouts > 1 && status == DIAG_OK; i++) {
        status = layout_read(&contest->files[i], contest->copies.paths[i], diag);
        if (status != DIAG_OK || contest->files[i].step > 0)
            continue;
        comparison->layouts = 1;
        snprintf(
            comparison->layouts_reason, sizeof comparison->layouts_reason,
            "%.300s cannot be moved: no x86-64 file that can lie anywhere and has its sections",
            i == ROLE_AFTER ? request->after : request->before);
    }
    return status;
}

int compare_binaries(const struct binaries_request *request, struct comparison *comparison,
                     struct diag *diag)
{
    struct contest contest = {.request = request, .comparison = comparison};
    rng_seed(&contest.rng, request->matrix.seed, 0);
    int status = contest_copy(&contest, diag);
    if (status == DIAG_OK)
        status = contest_count(&contest, diag);
    describe(&contest);
    if (status == DIAG_OK)
        status = contest_lay_out(&contest, diag);
    if (status == DIAG_OK && request->pairs > 0)
        status = contest_tails(&contest, diag);
    if (status == DIAG_OK && request->pairs > 0)
        status = contest_time(&contest, diag);
    comparison->complete = status == DIAG_OK;
    if (status == DIAG_OK)
        contest_functions(&contest);
    for (size_t i = 0; i < comparison->cell_count; i++)
        cell_conclude(&comparison->cells[i], &comparison->limits);
    copies_remove(&contest.copies);
    for (size_t i = 0; i < ROLES; i++)
        layout_free(&contest.files[i]);
    cJSON_Delete(contest.before);
    cJSON_Delete(contest.after);
    return status;
}
