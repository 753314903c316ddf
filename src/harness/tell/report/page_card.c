/* page_card.c - builds the card of a single design: its phases, settings, memory and proof. */
#include "harness/base/units.h"
#include "harness/tell/report/figure.h"
#include "harness/tell/report/page_groups.h"
#include "harness/tell/result/json.h"

#include <math.h>
#include <string.h>

/* ---- Phases. ------------------------------------------------------------------------------------- */

static bool has_instructions(const cJSON *cell)
{
    const cJSON *phase;
    cJSON_ArrayForEach(phase, json_get(cell, "phases"))
    {
        if (json_get(phase, "counters.instructions_per_op"))
            return true;
    }
    return false;
}

static void add_columns(struct page *page, const char *latency_unit, bool instructions)
{
    page_column(page, "", "phase", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "operations", "", 0, 5);
    page_column(page, "cost", "ns/op", 0, 0);
    page_column(page, "", "\u00b1", 0, 8);
    page_column(page, "cpu", "ns/op", 0, 4);
    page_column(page, "advance", "calls", 0, 3);
    page_column(page, "p50", latency_unit, 0, 6);
    page_column(page, "p99", latency_unit, 0, 6);
    page_column(page, "max", latency_unit, 0, 7);
    page_column(page, "visits", "per op", 0, 2);
    page_column(page, "moves", "per op", 0, 1);
    if (instructions)
        page_column(page, "instr", "per op", 0, 9);
}

static void put_divided(struct page *page, const struct place *phase, const char *path,
                        double divisor)
{
    char text[FIGURE_SIZE];
    figure_number(text, place_number(phase, path) / divisor);
    page_cell(page, "%s", "");
    page_put_as(page, phase, path, "%s", text);
}

static double operation_count(const struct place *phase)
{
    return place_number(phase, "operations.start") + place_number(phase, "operations.stop") +
           place_number(phase, "operations.expire");
}

static void add_row(struct page *page, const struct place *phase, double divisor, bool instructions)
{
    char text[32];
    double operations = operation_count(phase);
    page_row(page);
    page_cell_put(page, phase, "name");
    units_format_count(text, sizeof text, units_whole(operations));
    page_cell(page, "%s", "");
    page_derived(page, operations, "%s", text);
    page_cost(page, phase, "ns_per_op");
    put_divided(page, phase, "cpu_ns_per_op", 1);
    units_format_count(text, sizeof text, units_whole(place_number(phase, "operations.advance")));
    page_cell(page, "%s", "");
    page_put_as(page, phase, "operations.advance", "%s", text);
    put_divided(page, phase, "latency_ns.advance.p50", divisor);
    put_divided(page, phase, "latency_ns.advance.p99", divisor);
    put_divided(page, phase, "latency_ns.advance.max", divisor);
    page_cell_number(page, place_number(phase, "work.visits") / operations);
    page_cell_number(page, place_number(phase, "work.moves") / operations);
    if (instructions)
        put_divided(page, phase, "counters.instructions_per_op", 1);
}

static void add_phases(struct page *page, const struct view_group *group, const struct place *cell)
{
    double p50_ns[VIEW_PHASES_MAX], divisor;
    bool instructions = has_instructions(cell->json);
    for (size_t i = 0; i < group->phase_count; i++) {
        struct place phase = page_phase(cell, group->phases[i]);
        p50_ns[i] = place_number(&phase, "latency_ns.advance.p50");
    }
    page_table(page, NULL, "Phases");
    add_columns(page, figure_time_unit(p50_ns, group->phase_count, &divisor), instructions);
    for (size_t i = 0; i < group->phase_count; i++) {
        struct place phase = page_phase(cell, group->phases[i]);
        add_row(page, &phase, divisor, instructions);
    }
}

/* ---- Facts. -------------------------------------------------------------------------------------- */

static void put_bytes(struct page *page, const struct place *cell, const char *path,
                      const char *what)
{
    char text[32];
    double bytes = place_number(cell, path);
    if (isnan(bytes))
        return;
    units_format_bytes(text, sizeof text, units_whole(bytes));
    page_span(page, ", ");
    page_put_as(page, cell, path, "%s", text);
    page_span(page, " %s", what);
}

static void add_memory(struct page *page, const struct place *cell)
{
    char each[FIGURE_SIZE];
    if (!json_get(cell->json, "memory"))
        return;
    figure_number(each, place_number(cell, "memory.bytes_per_task"));
    page_fact(page, "memory", "%s", "");
    page_put_as(page, cell, "memory.bytes_per_task", "%s", each);
    page_span(page, " bytes per task");
    put_bytes(page, cell, "memory.fixed_bytes", "fixed");
    put_bytes(page, cell, "memory.peak_bytes", "at the peak");
    put_bytes(page, cell, "memory.retained_bytes", "left after all were stopped");
}

static void put_exact(struct page *page, const struct place *cell, const char *path,
                      const char *what)
{
    page_put_as(page, cell, path, "%.15g", place_number(cell, path));
    page_span(page, "%s", what);
}

static void add_proof(struct page *page, const struct place *cell)
{
    const char *digest = place_text(cell, "digest");
    if (!digest[0])
        return;
    page_fact(page, "fired", "%s", "");
    put_exact(page, cell, "fired", " of ");
    put_exact(page, cell, "stream.expected_fired", " expected, ");
    put_exact(page, cell, "early", " early, at most ");
    put_exact(page, cell, "late_max_ticks", " ticks late");
    page_fact(page, "digest", "%s", "");
    page_put(page, cell, "digest");
    page_span(page, ", %s",
              strcmp(digest, place_text(cell, "expected_digest")) == 0 ? "as the oracle's"
                                                                       : "not the oracle's");
}

void page_card(struct page *page, const struct view_group *group, const struct view_row *row,
               const struct place *cells)
{
    struct place cell = place_of(cells, row->cell);
    const cJSON *params = json_get(row->cell, "params");
    add_phases(page, group, &cell);
    if (params && params->child) {
        page_fact(page, "settings", "%s", "");
        page_put(page, &cell, "params");
    }
    add_memory(page, &cell);
    add_proof(page, &cell);
}
