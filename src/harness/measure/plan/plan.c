/* plan.c - multiplies workloads, sizes, designs and settings into groups of cells. */
#include "harness/measure/plan/plan.h"

#include "harness/base/memory.h"
#include "harness/base/units.h"

#include <assert.h>

const char *plan_drive_name(enum plan_drive drive)
{
    static const char *const names[PLAN_DRIVES] = {
        [PLAN_DRIVE_TICKS] = "ticks",
        [PLAN_DRIVE_NEXT] = "next",
    };
    return names[drive];
}

const char *plan_pages_name(enum plan_pages pages)
{
    static const char *const names[PLAN_PAGES] = {
        [PLAN_PAGES_ANY] = NULL,
        [PLAN_PAGES_SMALL] = "off",
        [PLAN_PAGES_HUGE] = "on",
    };
    return names[pages];
}

const char *plan_between_name(char *out, uint32_t between)
{
    bool is_large = between % (1u << 20) == 0;
    if (between < PLAN_BETWEEN_SIZE)
        snprintf(out, PLAN_BETWEEN_TEXT, "%s", between == PLAN_BETWEEN_CHAIN ? "chain" : "none");
    else
        snprintf(out, PLAN_BETWEEN_TEXT, "%" PRIu32 "%s", between >> (is_large ? 20 : 10),
                 is_large ? "MiB" : "KiB");
    return out;
}

int plan_between_parse(const char *text, const char *flag, uint32_t *out, struct diag *diag)
{
    char digits[32];
    size_t length = strlen(text);
    struct diag ignored;
    uint64_t bytes = 0;
    *out = strcmp(text, "chain") == 0 ? PLAN_BETWEEN_CHAIN : PLAN_BETWEEN_NONE;
    if (strcmp(text, "none") == 0 || strcmp(text, "chain") == 0)
        return DIAG_OK;
    length -= length > 0 && text[length - 1] == 'B';
    snprintf(digits, sizeof digits, "%.*s", (int)length, text);
    if (length >= sizeof digits || units_parse_count(digits, flag, &bytes, &ignored) != DIAG_OK ||
        bytes < PLAN_BETWEEN_MIN || bytes > PLAN_BETWEEN_MAX || (bytes & (bytes - 1)))
        return diag_usage(
            diag, "%s: '%s' given; expected none, chain, or a power of two from 4KiB to 1GiB", flag,
            text);
    *out = (uint32_t)bytes;
    return DIAG_OK;
}

bool plan_sweep_is_for(const struct plan_sweep *sweeps, size_t sweep_count, size_t index,
                       const struct tw_design *design)
{
    const char *name = sweeps[index].settings[0].name;
    if (sweeps[index].only)
        return sweeps[index].only == design;
    for (size_t i = 0; i < sweep_count; i++)
        if (sweeps[i].only == design && strcmp(sweeps[i].settings[0].name, name) == 0)
            return false;
    return param_find(design->timed->params, name) != NULL;
}

static bool has_own_timers(const struct plan_way *way)
{
    return way && way->params;
}

/* What keeps its timers itself may have a setting of the name of a design's. */
static bool is_of_a_way(const struct plan_selection *selection, size_t index)
{
    const struct plan_sweep *sweep = &selection->sweeps[index];
    for (size_t i = 0; i < selection->way_count && !sweep->only; i++)
        if (has_own_timers(&selection->ways[i]) &&
            param_find(selection->ways[i].params, sweep->settings[0].name))
            return true;
    return false;
}

static bool applies(const struct plan_selection *selection, size_t index,
                    const struct tw_design *design)
{
    return plan_sweep_is_for(selection->sweeps, selection->sweep_count, index, design) ||
           is_of_a_way(selection, index);
}

static int check_settings(const struct plan_selection *selection, const struct tw_design *design,
                          struct diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < selection->sweep_count; i++)
        count += applies(selection, i, design);
    if (count > PLAN_SETTINGS_MAX)
        return diag_usage(diag, "%zu parameters given for %s; expected at most %d", count,
                          design->timed->name, PLAN_SETTINGS_MAX);
    return DIAG_OK;
}

static int check_sweeps(const struct plan_selection *selection, struct diag *diag)
{
    for (size_t i = 0; i < selection->sweep_count; i++) {
        const char *name = selection->sweeps[i].settings[0].name;
        bool known = false;
        for (size_t d = 0; d < selection->design_count; d++)
            known = known || applies(selection, i, selection->designs[d]);
        if (!known)
            return diag_usage(diag, "--%s: none of the selected designs has this parameter", name);
    }
    int status = DIAG_OK;
    for (size_t d = 0; d < selection->design_count && status == DIAG_OK; d++)
        status = check_settings(selection, selection->designs[d], diag);
    return status;
}

static size_t cells_of_design(const struct plan_selection *selection,
                              const struct tw_design *design)
{
    size_t count = 1;
    for (size_t i = 0; i < selection->sweep_count; i++)
        if (applies(selection, i, design))
            count *= selection->sweeps[i].count;
    return count;
}

/* The cell of a number in mixed radix, whose digits are indices into the design's sweeps. */
static struct plan_cell cell_of_number(const struct plan_selection *selection,
                                       const struct tw_design *design, size_t number)
{
    struct plan_cell cell = {.design = design};
    for (size_t i = 0; i < selection->sweep_count; i++) {
        const struct plan_sweep *sweep = &selection->sweeps[i];
        if (!applies(selection, i, design))
            continue;
        assert(sweep->count > 0);
        cell.settings[cell.setting_count++] = sweep->settings[number % sweep->count];
        number /= sweep->count;
    }
    return cell;
}

static size_t at_least_one(size_t count)
{
    return count > 0 ? count : 1;
}

/* Cells of one setting: drives x pages x batches x betweens x other ways. */
static size_t count_ways(const struct plan_selection *selection)
{
    return at_least_one(selection->drive_count) * at_least_one(selection->page_count) *
           at_least_one(selection->batch_count) * at_least_one(selection->between_count) *
           at_least_one(selection->way_count);
}

/* Those of the design, or of a way that does without one. */
static void keep_settings(struct plan_cell *cell)
{
    const struct tw_param *params =
        has_own_timers(cell->way) ? cell->way->params : cell->design->timed->params;
    size_t kept = 0;
    for (size_t i = 0; i < cell->setting_count; i++)
        if (param_find(params, cell->settings[i].name))
            cell->settings[kept++] = cell->settings[i];
    cell->setting_count = kept;
}

static void set_way(const struct plan_selection *selection, size_t way, struct plan_cell *cell)
{
    size_t pages = at_least_one(selection->page_count);
    size_t ways = at_least_one(selection->way_count);
    if (selection->way_count > 0)
        cell->way = &selection->ways[way % ways];
    keep_settings(cell);
    way /= ways;
    size_t batches = at_least_one(selection->batch_count);
    cell->batch = selection->batch_count > 0 ? (uint32_t)selection->batches[way % batches] : 0;
    way /= batches;
    size_t betweens = at_least_one(selection->between_count);
    cell->between =
        selection->between_count > 0 ? selection->betweens[way % betweens] : PLAN_BETWEEN_UNASKED;
    way /= betweens;
    cell->drive = selection->drive_count > 0 ? selection->drives[way / pages] : PLAN_DRIVE_TICKS;
    cell->pages = selection->page_count > 0 ? selection->pages[way % pages] : PLAN_PAGES_ANY;
}

static bool same_settings(const struct plan_cell *a, const struct plan_cell *b)
{
    bool same = a->setting_count == b->setting_count;
    for (size_t i = 0; same && i < a->setting_count; i++)
        same = a->settings[i].count == b->settings[i].count &&
               memcmp(a->settings[i].values, b->settings[i].values,
                      a->settings[i].count * sizeof *a->settings[i].values) == 0;
    return same;
}

/* A way that keeps its timers itself has one cell for each of its settings, not one for each design and each of a
 * design's; and a design none for those of such a way. */
static bool is_repetition(const struct plan *plan, const struct plan_cell *cell)
{
    for (size_t i = 0; cell->way && i < plan->cell_count; i++) {
        const struct plan_cell *other = &plan->cells[i];
        if (other->way == cell->way &&
            (other->design == cell->design || has_own_timers(cell->way)) &&
            same_settings(other, cell))
            return true;
    }
    return false;
}

static void fill_cells(const struct plan_selection *selection, struct plan *plan)
{
    for (size_t d = 0; d < selection->design_count; d++) {
        size_t count = cells_of_design(selection, selection->designs[d]);
        for (size_t number = 0; number < count; number++)
            for (size_t way = 0; way < count_ways(selection); way++) {
                struct plan_cell cell = cell_of_number(selection, selection->designs[d], number);
                set_way(selection, way, &cell);
                if (!is_repetition(plan, &cell))
                    plan->cells[plan->cell_count++] = cell;
            }
    }
}

static void fill_groups(const struct plan_selection *selection, struct plan *plan)
{
    for (size_t w = 0; w < selection->workload_count; w++) {
        const char *workload = selection->workloads[w];
        bool single = selection->task_count == 0 ||
                      workload_is_trace(workload, selection->workload_directory);
        for (size_t t = 0; t < (single ? 1 : selection->task_count); t++)
            plan->groups[plan->group_count++] = (struct plan_group){
                .workload = workload,
                .tasks = single ? 0 : selection->tasks[t],
            };
    }
}

int plan_make(const struct plan_selection *selection, struct plan *plan, struct diag *diag)
{
    int status = check_sweeps(selection, diag);
    if (status != DIAG_OK)
        return status;
    size_t cells = 0;
    for (size_t d = 0; d < selection->design_count; d++)
        cells += cells_of_design(selection, selection->designs[d]) * count_ways(selection);
    size_t tasks = selection->task_count > 0 ? selection->task_count : 1;
    *plan = (struct plan){
        .groups = memory_take(selection->workload_count * tasks, sizeof *plan->groups),
        .cells = memory_take(cells, sizeof *plan->cells),
    };
    fill_cells(selection, plan);
    fill_groups(selection, plan);
    return DIAG_OK;
}

void plan_of_cells(const struct plan_group *group, const struct plan_cell *cells, size_t count,
                   struct plan *plan)
{
    *plan = (struct plan){
        .groups = memory_take(1, sizeof *plan->groups),
        .cells = memory_take(count, sizeof *plan->cells),
        .group_count = 1,
        .cell_count = count,
    };
    plan->groups[0] = *group;
    memcpy(plan->cells, cells, count * sizeof *cells);
}

void plan_free(struct plan *plan)
{
    free(plan->groups);
    free(plan->cells);
    *plan = (struct plan){0};
}

/* ---- Presets. ---------------------------------------------------------------------------------- */

/* `ci` is sized so that a pass of every cell but the list's takes about a millisecond and fits into the
 * nearest caches: small enough to repeat often, and what it does not share with others is not moved
 * by them (docs/MEASUREMENT.md). */
const struct preset presets[] = {
    {
        .name = "ci",
        .summary = "five designs, hold, keepalive and network, 1000 timers",
        .designs = {"list", "heap", "hashed", "round", "hier"},
        .workloads = {"hold", "keepalive", "network"},
        .tasks = {1000},
    },
};
const size_t preset_count = sizeof presets / sizeof *presets;

const struct preset *preset_find(const char *name)
{
    for (size_t i = 0; i < preset_count; i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}
