/* blocks.c - orders the samples in ABBA blocks and pairs them. */
#include "harness/compare/blocks.h"

#include "harness/base/memory.h"

#include "harness/measure/stats/summary.h"

#include <math.h>

void block_cell_forget(struct block_cell *cell)
{
    cell->pairs_wanted = cell->series[0].pairs;
    cell->looks++;
    for (size_t i = 0; i < BLOCK_ROLES; i++)
        cell->series[i].pairs = 0;
}

double block_cell_expected_ns(const struct block_cell *cell, double processes)
{
    return cell->processes > 0 ? processes * cell->took_ns / (double)cell->processes : 0;
}

/* ---- One sample. ----------------------------------------------------------------------------- */

/* What the core's full pace is, ns; 0 before the first process.  One in four of the latest has seen it,
 * whatever else the core had to do; and when it changes, as a clock frequency may, it follows. */
static double full_pace_ns(const struct block_paces *paces)
{
    size_t count = paces->count < BLOCK_PACES ? paces->count : BLOCK_PACES;
    return count > 0 ? summary_quantile(paces->pace_ns, count, 0.25) : 0;
}

static void note_pace(struct blocks *blocks, const struct probe_sample *sample)
{
    blocks->paces.pace_ns[blocks->paces.count++ % BLOCK_PACES] = sample->pace_ns;
    blocks->samples += sample->samples;
    blocks->slow += sample->slow;
}

#define STACK_PADDING 4096

/* Where this sample's file, stack and heap lie; `variable` has room for STACK_PADDING bytes and some more. */
static int lay_out(const struct blocks *blocks, const struct block_cell *cell, size_t role,
                   char *variable, struct diag *diag)
{
    const struct block_role *who = &blocks->roles[role];
    uint64_t layout = cell->series[0].pairs % blocks->layouts;
    struct rng rng;
    rng_seed(&rng, blocks->seed + cell->looks, layout * BLOCK_ROLES + role);
    size_t length =
        (size_t)sprintf(variable, LAYOUT_VARIABLE "=%" PRIu64 ":", rng_below(&rng, 1 << 16));
    size_t padding = (size_t)rng_below(&rng, STACK_PADDING);
    memset(variable + length, 'x', padding);
    variable[length + padding] = '\0';
    return layout_write(who->layout, rng_next(&rng), who->plugin ? who->plugin : who->program,
                        diag);
}

static enum probe_end take_sample(struct blocks *blocks, struct block_cell *cell, size_t role,
                                  struct probe_sample *sample)
{
    const struct block_role *who = &blocks->roles[role];
    char variable[STACK_PADDING + 64] = "";
    struct diag diag;
    if (who->layout && blocks->layouts > 1 &&
        lay_out(blocks, cell, role, variable, &diag) != DIAG_OK) {
        snprintf(cell->reason, sizeof cell->reason, "%.*s", PROBE_REASON - 1, diag.text);
        return PROBE_WRONG;
    }
    struct probe_command command = cell->command;
    for (size_t i = 0; i < command.count; i++)
        command.argv[i] = command.text[i];
    if (who->plugin)
        probe_name_plugin(&command, who->plugin);
    if (cell->passes > 0)
        probe_add(&command, "--passes=%" PRIu64, cell->passes);
    if (who->dragged)
        probe_add(&command, "--drag=%.15g%%", who->drag_percent);
    double full_ns = full_pace_ns(&blocks->paces);
    if (full_ns > 0)
        probe_add(&command, "--pace=%.0fns", full_ns);
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    uint64_t left_ns = deadline_left_ns(&blocks->deadline);
    enum probe_end end = probe_take(who->program, &command, variable, blocks->cpu,
                                    left_ns < blocks->budget_ns ? left_ns : blocks->budget_ns,
                                    blocks->interrupt, sample, cell->reason);
    cell->took_ns += (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns);
    cell->processes++;
    if (end == PROBE_OK)
        note_pace(blocks, sample);
    return end;
}

static const char *role_name(const struct blocks *blocks, size_t role)
{
    const struct block_role *who = &blocks->roles[role];
    return who->name ? who->name : who->program;
}

/* What a sample that did not come means for the cell and for the whole.  A program that answers strangely is
 * no twbench; one that loads a plugin is this one, and what is strange is the plugin's doing. */
static int take_end(const struct blocks *blocks, struct block_cell *cell, size_t role,
                    enum probe_end end, struct diag *diag)
{
    if (end == PROBE_INTERRUPTED)
        return BLOCKS_INTERRUPTED;
    if (end == PROBE_LATE && deadline_left_ns(&blocks->deadline) == 0)
        return DEADLINE_OVER;
    if (end == PROBE_LATE)
        snprintf(cell->reason, sizeof cell->reason,
                 "timeout: a sample took longer than its budget of %.3g s",
                 (double)blocks->budget_ns / 1e9);
    if (end == PROBE_STRANGE && !blocks->roles[role].plugin)
        return diag_usage(diag, "%s: %s", role_name(blocks, role), cell->reason);
    if (end != PROBE_OK) {
        cell->failed = cell->out = true;
        cell->failed_role = role;
    }
    return DIAG_OK;
}

int blocks_calibrate(struct blocks *blocks, struct diag *diag)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < blocks->cell_count && status == DIAG_OK; i++) {
        struct block_cell *cell = &blocks->cells[i];
        struct probe_sample sample = {0};
        if (cell->out)
            continue;
        enum probe_end end = take_sample(blocks, cell, 0, &sample);
        status = take_end(blocks, cell, 0, end, diag);
        cell->passes = sample.passes;
        cell->calls = sample.calls;
        cell->phase_count = sample.phase_count;
    }
    return status;
}

double blocks_slow_share(const struct blocks *blocks)
{
    return blocks->samples > 0 ? (double)blocks->slow / (double)blocks->samples : NAN;
}

/* ---- One block. ------------------------------------------------------------------------------ */

static void shuffle(size_t *order, size_t count, struct rng *rng)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)rng_below(rng, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static void series_add(struct block_series *series, const struct probe_sample *sample,
                       const struct probe_sample *base)
{
    size_t pair = series->pairs;
    if (pair == PAIRS_MAX)
        return;
    series->cpu[pair] = log(sample->cpu_ns / base->cpu_ns);
    series->wall[pair] = log(sample->wall_ns / base->wall_ns);
    series->cpu_ns[pair] = sample->cpu_ns;
    for (size_t i = 0; i < sample->phase_count; i++)
        series->phase_cpu_ns[i][pair] = sample->phase_cpu_ns[i];
    series->pairs++;
}

/* Does `role` run the operations of role 0? */
static int check_streams(const struct blocks *blocks, const struct block_cell *cell, size_t role,
                         const struct probe_sample *samples, struct diag *diag)
{
    if (strcmp(samples[role].stream_hash, samples[0].stream_hash) == 0 &&
        samples[role].calls == samples[0].calls)
        return DIAG_OK;
    return diag_usage(diag,
                      "%s and %s make different operations of %s %s (stream %s and %s): what they "
                      "cost cannot be compared",
                      role_name(blocks, 0), role_name(blocks, role), cell->command.text[2],
                      cell->command.text[3], samples[0].stream_hash, samples[role].stream_hash);
}

/* Forwards for the first pair, backwards for the second. */
static int run_half(struct blocks *blocks, struct block_cell *cell, const size_t *order,
                    bool backwards, struct diag *diag)
{
    struct probe_sample samples[BLOCK_ROLES];
    for (size_t i = 0; i < blocks->role_count; i++) {
        size_t role = order[backwards ? blocks->role_count - 1 - i : i];
        if (cell->without[role])
            continue;
        enum probe_end end = take_sample(blocks, cell, role, &samples[role]);
        int status = take_end(blocks, cell, role, end, diag);
        if (status != DIAG_OK || cell->out)
            return status;
    }
    int status = DIAG_OK;
    for (size_t role = 1; role < blocks->role_count && status == DIAG_OK; role++)
        if (!cell->without[role])
            status = check_streams(blocks, cell, role, samples, diag);
    for (size_t role = 0; role < blocks->role_count && status == DIAG_OK; role++)
        if (!cell->without[role]) {
            cell->series[role].layouts = blocks->layouts;
            series_add(&cell->series[role], &samples[role], &samples[0]);
        }
    return status;
}

static int run_block(struct blocks *blocks, struct block_cell *cell, struct diag *diag)
{
    size_t order[BLOCK_ROLES] = {0}, roles = 0;
    for (size_t i = 0; i < blocks->role_count; i++)
        roles += !cell->without[i];
    if (!deadline_fits(&blocks->deadline, block_cell_expected_ns(cell, 2 * (double)roles)))
        return DEADLINE_OVER;
    shuffle(order, blocks->role_count, blocks->rng);
    int status = run_half(blocks, cell, order, false, diag);
    if (status == DIAG_OK && !cell->out)
        status = run_half(blocks, cell, order, true, diag);
    return status;
}

int blocks_run(struct blocks *blocks, size_t rounds, struct diag *diag)
{
    size_t *order = memory_take(blocks->cell_count, sizeof *order), in = 0, done = 0;
    for (size_t i = 0; i < blocks->cell_count; i++)
        in += !blocks->cells[i].out;
    int status = DIAG_OK;
    for (size_t round = 0; round < rounds && status == DIAG_OK; round++) {
        shuffle(order, blocks->cell_count, blocks->rng);
        for (size_t i = 0; i < blocks->cell_count && status == DIAG_OK; i++) {
            struct block_cell *cell = &blocks->cells[order[i]];
            if (cell->out ||
                (cell->pairs_wanted > 0 && cell->series[0].pairs >= cell->pairs_wanted))
                continue;
            status = run_block(blocks, cell, diag);
            if (blocks->progress)
                blocks->progress(blocks->progress_ctx, ++done, in * rounds);
        }
    }
    free(order);
    return status;
}
