/* page_card.c - builds the card of a single design: its phases, settings, memory and proof. */
#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"
#include "harness/tell/report/standing.h"

/* ---- Phases. ------------------------------------------------------------------------------------- */

static bool has_instructions(const cJSON *cell)
{
    json_each(phase, cell, "phases")
        if (json_get(phase, "counters.instructions_per_op"))
            return true;
    return false;
}

static void add_columns(struct page *page, const char *latency_unit, bool instructions)
{
    page_column(page, "", "phase", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "ops", "", 0, 5);
    page_column(page, "cost", "ns/op", 0, 0);
    page_column(page, "", "\u00b1", 0, 8);
    page_column(page, "corrected", "ns/op", 0, 5);
    page_column(page, "advance", "calls", 0, 3);
    page_column(page, "p50", latency_unit, 0, 6);
    page_column(page, "p99", latency_unit, 0, 6);
    page_column(page, "longest advance", latency_unit, 0, 7);
    page_column(page, "longest seen", latency_unit, 0, 2);
    page_column(page, "visits", "per op", 0, 2);
    page_column(page, "moves", "per op", 0, 1);
    if (instructions)
        page_column(page, "instr", "per op", 0, 9);
}

static void put_latency(struct page *page, const struct place *phase, const char *path,
                        double divisor)
{
    page_cell(page, "%s", "");
    page_put_latency(page, phase, path, divisor);
}

/* `net_ns` is the cost without the harness, NaN when that is not known. */
static void add_row(struct page *page, const struct place *phase, double net_ns, double divisor,
                    bool instructions)
{
    char text[32];
    double operations = view_operations(phase->json);
    page_row(page);
    page_cell_put(page, phase, "name");
    units_format_count(text, sizeof text, units_whole(operations));
    page_cell(page, "%s", "");
    page_derived(page, operations, "%s", text);
    page_cost(page, phase, "ns_per_op");
    page_cell_number(page, net_ns);
    page_cell_say(page, phase, "{operations.advance:short}");
    put_latency(page, phase, "latency_ns.advance.p50", divisor);
    put_latency(page, phase, "latency_ns.advance.p99", divisor);
    put_latency(page, phase, "latency_ns.advance.own.max", divisor);
    put_latency(page, phase, "latency_ns.advance.max", divisor);
    page_cell_number(page, place_number(phase, "work.visits") / operations);
    page_cell_number(page, place_number(phase, "work.moves") / operations);
    if (instructions)
        page_cell_say(page, phase, "{counters.instructions_per_op:number}");
}

static void add_phases(struct page *page, const struct view_group *group,
                       const struct view_row *row, const struct place *cell)
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
        add_row(page, &phase, standing_net_ns(group, row, group->phases[i]), divisor, instructions);
    }
}

/* ---- Facts. -------------------------------------------------------------------------------------- */

static void add_memory(struct page *page, const struct place *cell)
{
    if (json_get(cell->json, "memory"))
        page_say_fact(page, "memory", cell,
                      "{memory.peak_bytes_per_task:number} bytes per task, slots and all"
                      "<, {memory.fixed_bytes:bytes} fixed>"
                      "<, {memory.peak_bytes:bytes} at the peak>"
                      "<, {memory.retained_bytes:bytes} left after all were stopped>");
}

static void add_proof(struct page *page, const struct place *cell)
{
    const char *digest = place_text(cell, "digest");
    bool is_right = strcmp(digest, place_text(cell, "expected_digest")) == 0;
    if (!digest[0])
        return;
    page_say_fact(page, "fired", cell,
                  "{fired:exact} of {stream.expected_fired:exact} expected, {early:exact} early, "
                  "at most {late_max_ticks:exact} ticks late");
    page_say_fact(page, "digest", cell,
                  is_right ? "{digest}, as the oracle's" : "{digest}, not the oracle's");
}

void page_card(struct page *page, const struct view_group *group, const struct view_row *row,
               const struct place *cells)
{
    struct place cell = place_of(cells, row->cell);
    const cJSON *params = json_get(row->cell, "params");
    add_phases(page, group, row, &cell);
    if (params && params->child)
        page_say_fact(page, "settings", &cell, "{params}");
    add_memory(page, &cell);
    add_proof(page, &cell);
}
