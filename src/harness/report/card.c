/* card.c - a grid of phases, then named lines. */
#include "harness/report/card.h"

#include "harness/base/units.h"
#include "harness/report/figure.h"
#include "harness/report/grid.h"
#include "harness/result/json.h"

#include <math.h>
#include <string.h>

enum {
    PHASE,
    OPERATIONS,
    COST,
    DEVIATION,
    CPU,
    ADVANCE,
    P50,
    P99,
    MAX,
    VISITS,
    MOVES,
    INSTRUCTIONS,
    COLUMNS
};

/* The last column is there only where a phase has the counter. */
static void make_columns(struct grid *grid, const char *latency_unit, bool has_instructions)
{
    grid_add_column(grid, "", "phase", 0)->left = true;
    grid_add_column(grid, "operations", "", 5);
    grid_add_column(grid, "cost", "ns/op", 0);
    grid_add_column(grid, "", "", 8);
    grid_add_column(grid, "cpu", "ns/op", 4);
    grid_add_column(grid, "advance", "calls", 3);
    grid_add_column(grid, "p50", latency_unit, 6);
    grid_add_column(grid, "p99", latency_unit, 6);
    grid_add_column(grid, "max", latency_unit, 7);
    grid_add_column(grid, "visits", "per op", 2);
    grid_add_column(grid, "moves", "per op", 1);
    if (has_instructions)
        grid_add_column(grid, "instr", "per op", 9);
}

static void set_number(const struct grid *grid, size_t row, size_t column, double value)
{
    figure_number(grid_at(grid, row, column)->text, value);
}

static double operation_count(const cJSON *phase)
{
    return json_get_number(phase, "operations.start") + json_get_number(phase, "operations.stop") +
           json_get_number(phase, "operations.expire");
}

static void fill_row(const struct grid *grid, size_t row, const cJSON *phase, double divisor,
                     const struct report_style *style)
{
    static const char *const latencies[] = {"latency_ns.advance.p50", "latency_ns.advance.p99",
                                            "latency_ns.advance.max"};
    double operations = operation_count(phase);
    char deviation[FIGURE_SIZE];
    snprintf(grid_at(grid, row, PHASE)->text, GRID_TEXT_SIZE, "%.60s",
             json_get_text(phase, "name"));
    units_format_count(grid_at(grid, row, OPERATIONS)->text, GRID_TEXT_SIZE,
                       units_whole(operations));
    figure_interval(grid_at(grid, row, COST)->text, deviation, json_get(phase, "ns_per_op"));
    if (deviation[0])
        snprintf(grid_at(grid, row, DEVIATION)->text, GRID_TEXT_SIZE, "%s%s",
                 style->utf8 ? "\xc2\xb1" : "+-", deviation);
    set_number(grid, row, CPU, json_get_number(phase, "cpu_ns_per_op"));
    units_format_count(grid_at(grid, row, ADVANCE)->text, GRID_TEXT_SIZE,
                       units_whole(json_get_number(phase, "operations.advance")));
    for (size_t i = 0; i < 3; i++)
        set_number(grid, row, P50 + i, json_get_number(phase, latencies[i]) / divisor);
    set_number(grid, row, VISITS, json_get_number(phase, "work.visits") / operations);
    set_number(grid, row, MOVES, json_get_number(phase, "work.moves") / operations);
}

static bool has_instructions(const struct view_group *group, const struct view_row *row)
{
    for (size_t i = 0; i < group->phase_count; i++)
        if (json_get(view_phase(row, group->phases[i]), "counters.instructions_per_op"))
            return true;
    return false;
}

static void write_phases(FILE *out, const struct view_group *group, const struct view_row *row,
                         const struct report_style *style)
{
    struct grid grid;
    double p50_ns[VIEW_PHASES_MAX], divisor;
    bool instructions = has_instructions(group, row);
    if (!grid_open(&grid, instructions ? COLUMNS : INSTRUCTIONS, group->phase_count))
        return;
    for (size_t i = 0; i < group->phase_count; i++)
        p50_ns[i] = json_get_number(view_phase(row, group->phases[i]), "latency_ns.advance.p50");
    make_columns(&grid, figure_time_unit(p50_ns, group->phase_count, &divisor), instructions);
    for (size_t i = 0; i < group->phase_count; i++) {
        const cJSON *phase = view_phase(row, group->phases[i]);
        fill_row(&grid, i, phase, divisor, style);
        if (instructions)
            set_number(&grid, i, INSTRUCTIONS,
                       json_get_number(phase, "counters.instructions_per_op"));
    }
    grid_print(out, &grid, style);
    grid_free(&grid);
}

static void write_bytes(FILE *out, const cJSON *memory, const char *key, const char *what)
{
    char text[FIGURE_SIZE];
    double bytes = json_get_number(memory, key);
    if (isnan(bytes))
        return;
    units_format_bytes(text, sizeof text, units_whole(bytes));
    fprintf(out, ", %s %s", text, what);
}

static void write_memory(FILE *out, const cJSON *memory)
{
    char each[FIGURE_SIZE];
    if (!memory)
        return;
    figure_number(each, json_get_number(memory, "bytes_per_task"));
    fprintf(out, "memory    %s bytes per task", each);
    write_bytes(out, memory, "fixed_bytes", "fixed");
    write_bytes(out, memory, "peak_bytes", "at the peak");
    write_bytes(out, memory, "retained_bytes", "left after all were stopped");
    fputc('\n', out);
}

static void write_proof(FILE *out, const cJSON *cell)
{
    if (!json_get(cell, "digest"))
        return;
    fprintf(out, "fired     %.15g of %.15g expected, %.15g early, at most %.15g ticks late\n",
            json_get_number(cell, "fired"), json_get_number(cell, "stream.expected_fired"),
            json_get_number(cell, "early"), json_get_number(cell, "late_max_ticks"));
    const char *digest = json_get_text(cell, "digest");
    bool same = strcmp(digest, json_get_text(cell, "expected_digest")) == 0;
    fprintf(out, "digest    %s, %s\n", digest, same ? "as the oracle's" : "not the oracle's");
}

void card_write(FILE *out, const struct view_group *group, const struct view_row *row,
                const struct report_style *style)
{
    char params[512];
    write_phases(out, group, row, style);
    json_format_params(params, sizeof params, json_get(row->cell, "params"));
    if (params[0])
        fprintf(out, "settings  %s\n", params);
    write_memory(out, json_get(row->cell, "memory"));
    write_proof(out, row->cell);
}
