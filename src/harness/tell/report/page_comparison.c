/* page_comparison.c - builds the page of a comparison: the verdict, what changed and why, all cells, the method. */
#include "harness/base/json.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/compare_view.h"

/* ---- The answer. ----------------------------------------------------------------------------- */

/* A timer that is wrong: how fast it is says nothing. */
static bool is_broken(const struct place *root)
{
    return json_says(root->json, "contract.status", "broken");
}

static void add_broken(struct page *page, const struct place *root)
{
    page_heading(page, 1, NULL, "twbench: ");
    page_span(page, "the contract is broken");
    page_mark(page, PAGE_BAD);
    page_answer(page, "NEW breaks a rule of the contract, so it was not compared with OLD.");
    page_code(page, "%s", place_text(root, "contract.text"));
}

/* What conform found, beside a comparison. */
static void add_contract(struct page *page, const struct place *root)
{
    const char *status = place_text(root, "contract.status"),
               *text = place_text(root, "contract.text");
    if (strcmp(status, "held") == 0)
        page_fact(page, "contract", "%.*s", (int)strcspn(text, "\n"), text);
    else if (status[0])
        page_fact(page, "contract", "not tested: the project file turns conform off");
    json_each(accepted, root->json, "contract.accepted")
        page_fact(page, "accepted", "%s up to %s until %s: %s", json_get_text(accepted, "of"),
                  json_get_text(accepted, "to"), json_get_text(accepted, "until"),
                  json_get_text(accepted, "reason"));
}

static void add_answer(struct page *page, const struct place *root)
{
    char summary[COMPARE_LINE_SIZE], decision[COMPARE_LINE_SIZE];
    char headline[COMPARE_LINE_SIZE] = "";
    compare_summary(summary, sizeof summary, root->json);
    compare_decision(decision, sizeof decision, root->json);
    if (json_get(root->json, "contract"))
        compare_headline(headline, sizeof headline, root->json);
    page_heading(page, 1, NULL, "twbench: ");
    page_add(page, root, "{verdict:verdict}");
    page_answer(page, "%s%s%s. %s", headline, headline[0] ? ". " : "", summary, decision);
}

static void add_sides(struct page *page, const struct place *root)
{
    static const char *const sides[][2] = {{"OLD", "old"}, {"NEW", "new"}};
    char text[COMPARE_LINE_SIZE];
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        compare_side(text, sizeof text, json_get(root->json, sides[i][1]));
        page_fact(page, sides[i][0], "%s", text);
    }
}

/* ---- Cells. ---------------------------------------------------------------------------------- */

/* What a comparison has figures for. */
struct extent {
    bool timed;       /* else there is no time to show */
    bool has_between; /* the ends of its interval */
    bool paired;      /* else times are advisory: no margin, no control */
};

static struct extent extent_of(const cJSON *comparison)
{
    bool timed = compare_knows(comparison, "ratio.median");
    return (struct extent){timed, timed && compare_knows(comparison, "ratio.low"),
                           timed && compare_is_paired(comparison)};
}

/* What nobody measured is no column. */
static void add_columns(struct page *page, const struct extent *extent)
{
    page_column(page, "", "design", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "", "workload", PAGE_LEFT, 0);
    page_column(page, "", "tasks", 0, 0);
    page_column(page, "", "verdict", PAGE_LEFT, 0);
    if (extent->timed)
        page_column(page, "time", extent->paired ? "NEW/OLD" : "(advisory)", 0, 0);
    if (extent->has_between)
        page_column(page, "", "interval", PAGE_LEFT, 6);
    if (extent->paired)
        page_column(page, "", "margin", 0, 4);
    if (extent->paired)
        page_column(page, "control", "OLD/OLD", 0, 4);
    page_column(page, "", "work", PAGE_LEFT, 5);
    page_column(page, "", "instructions", 0, 3);
    page_column(page, "", "memory", 0, 2);
    page_column(page, "", "decided by", PAGE_LEFT, 1);
}

/* A text that shows the number at that place, or says that there is none. */
static void add_figure(struct page *page, const struct place *cell, const char *dotted,
                       const char *text)
{
    struct place figure = place_get(cell, dotted);
    page_cell(page, "%s", figure.json ? "" : text);
    if (figure.json)
        page_put_as(page, &figure, "", "%s", text);
}

static void add_cell(struct page *page, const struct place *cell, const struct extent *extent)
{
    struct compare_row row;
    compare_row_read(&row, cell->json);
    struct place work = place_get(cell, "work"), worst = place_of(&work, row.worst);
    page_row(page);
    page_cell(page, "%s", row.design);
    page_cell_put(page, cell, "workload");
    add_figure(page, cell, "tasks", row.tasks);
    page_cell_say(page, cell, "{verdict:verdict}");
    if (extent->timed)
        add_figure(page, cell, "ratio.median", row.time);
    if (extent->has_between)
        add_figure(page, cell, "ratio.low", row.interval);
    if (extent->paired) {
        add_figure(page, cell, "timing.margin", row.margin);
        add_figure(page, cell, "control.cpu_ratio.median", row.control);
    }
    add_figure(page, &worst, "change", row.work);
    add_figure(page, cell, "instructions.change", row.instructions);
    add_figure(page, cell, "memory.change", row.memory);
    page_cell(page, "%s", row.deciders);
}

static bool is_changed(const cJSON *cell)
{
    return !json_says(cell, "verdict", "same") || cJSON_IsTrue(json_get(cell, "work_changed"));
}

/* One that NEW lacks stands among those of one side. */
static bool is_row(const cJSON *cell, bool changed)
{
    return is_changed(cell) == changed && !cJSON_IsTrue(json_get(cell, "only_old"));
}

static size_t count_cells(const struct place *root, bool changed)
{
    size_t count = 0;
    json_each(cell, root->json, "cells")
        count += is_row(cell, changed);
    return count;
}

static void add_cells(struct page *page, const struct place *root, bool changed)
{
    struct extent extent = extent_of(root->json);
    struct place cells = place_get(root, "cells");
    page_table(page, changed ? "changed-cells" : "same-cells",
               changed ? "Cells that changed" : "Cells without a change");
    add_columns(page, &extent);
    for (struct place cell = place_item(&cells, 0); cell.json; place_next(&cell))
        if (is_row(cell.json, changed))
            add_cell(page, &cell, &extent);
}

/* Cells that were compared with nothing. */
static void add_one_side(struct page *page, const struct place *root)
{
    static const struct page_field columns[] = {
        {.title = "only in", .cell = "{side}", .flags = PAGE_LEFT},
        {.title = "design", .cell = "{impl}", .flags = PAGE_LEFT | PAGE_NAMES},
        {.title = "settings", .cell = "{params}", .flags = PAGE_LEFT},
        {.title = "workload", .cell = "{workload}", .flags = PAGE_LEFT},
        {.title = "tasks", .cell = "{tasks}"}};
    struct place cells = place_get(root, "one_side");
    if (cJSON_GetArraySize(cells.json) == 0)
        return;
    page_heading(page, 2, "one-side", "Cells of one side only, compared with nothing");
    page_table(page, "one-side-cells", "Cells of one side only");
    page_fields_each(page, columns, sizeof columns / sizeof *columns, &cells);
}

/* ---- Why. ------------------------------------------------------------------------------------ */

/* The verdict's reasons, then remarks on cells that are the same all the same (layout). */
static void add_reasons(struct page *page, const struct place *root)
{
    char name[COMPARE_LINE_SIZE];
    struct place reasons = place_get(root, "reasons"), cells = place_get(root, "cells");
    page_say_each(page, PAGE_ITEM, &reasons, "{}");
    for (struct place cell = place_item(&cells, 0); cell.json; place_next(&cell)) {
        if (!place_text(&cell, "reason")[0] || !json_says(cell.json, "verdict", "same"))
            continue;
        view_label(name, sizeof name, cell.json, "params");
        page_item(page, "%s: same: ", name);
        page_put(page, &cell, "reason");
    }
}

/* "heap/hold/1000, fill: comparisons 1000 -> 1333; time +12.0 %, ..." where the work changed. */
static void add_phase(struct page *page, const struct place *phase, const char *name)
{
    const char *gap = "";
    struct place work = place_get(phase, "work");
    double moved = 100 * (place_number(phase, "cpu_ratio") - 1);
    if (cJSON_GetArraySize(work.json) == 0)
        return;
    page_item(page, "%s, ", name);
    page_add(page, phase, "{name}: ");
    for (struct place change = place_item(&work, 0); change.json; place_next(&change)) {
        page_span(page, "%s", gap);
        page_add(page, &change, "{metric} {old:exact} \u2192 {new:exact}");
        gap = ", ";
    }
    if (!isfinite(moved) || !isfinite(place_number(phase, "share")))
        return;
    page_span(page, "; time ");
    page_put_as(page, phase, "cpu_ratio", "%+.1f %%", moved);
    page_add(page, phase, ", {share:percent} of OLD's was here");
}

/* "heap/hold/1000, instructions by function: heap_sift_down 1780008 -> 2010334, ..." */
static void add_functions(struct page *page, const struct place *cell, const char *name)
{
    const char *gap = "";
    struct place functions = place_get(cell, "functions");
    if (!cJSON_IsArray(functions.json))
        return;
    page_item(page, "%s, instructions by function (callgrind): ", name);
    if (cJSON_GetArraySize(functions.json) == 0)
        page_span(page, "no named function changed; a stripped file has no names");
    for (struct place one = place_item(&functions, 0); one.json; place_next(&one)) {
        page_span(page, "%s", gap);
        page_add(page, &one, "{name} {old:exact} \u2192 {new:exact}");
        gap = ", ";
    }
}

static void add_explanations(struct page *page, const struct place *root)
{
    char name[COMPARE_LINE_SIZE];
    struct place cells = place_get(root, "cells");
    for (struct place cell = place_item(&cells, 0); cell.json; place_next(&cell)) {
        struct place phases = place_get(&cell, "phases");
        view_label(name, sizeof name, cell.json, "params");
        add_functions(page, &cell, name);
        if (!is_changed(cell.json) || isnan(place_number(&cell, "ns_per_op.old")))
            continue;
        page_item(page, "%s: ", name);
        page_add(page, &cell,
                 "{ns_per_op.old:number} \u2192 {ns_per_op.new:number} ns CPU per call");
        for (struct place phase = place_item(&phases, 0); phase.json; place_next(&phase))
            add_phase(page, &phase, name);
    }
}

/* ---- Everything. ----------------------------------------------------------------------------- */

/* Every figure of a cell. */
static const struct page_field figures[] = {
    {.title = "impl", .cell = "{impl}", .flags = PAGE_LEFT | PAGE_NAMES},
    {.title = "params", .cell = "{params}", .flags = PAGE_LEFT},
    {.title = "workload", .cell = "{workload}", .flags = PAGE_LEFT},
    {.title = "tasks", .cell = "{tasks}"},
    {.title = "tick_ns", .cell = "{tick_ns}"},
    {.title = "seed", .cell = "{seed}"},
    {.title = "verdict", .cell = "{verdict}", .flags = PAGE_LEFT},
    {.title = "reason", .cell = "{reason}", .flags = PAGE_LEFT},
    {.title = "failed", .cell = "{failed}", .flags = PAGE_LEFT},
    {.title = "work_gate", .cell = "{gates.work}", .flags = PAGE_LEFT},
    {.title = "instructions_gate", .cell = "{gates.instructions}", .flags = PAGE_LEFT},
    {.title = "tail_gate", .cell = "{gates.tail}", .flags = PAGE_LEFT},
    {.title = "time_gate", .cell = "{gates.time}", .flags = PAGE_LEFT},
    {.title = "time_decides", .cell = "{time_decides}", .flags = PAGE_LEFT},
    {.title = "cpu_ratio", .cell = "{ratio.median}"},
    {.title = "cpu_ratio_low", .cell = "{ratio.low}"},
    {.title = "cpu_ratio_high", .cell = "{ratio.high}"},
    {.title = "margin", .cell = "{timing.margin}"},
    {.title = "wall_ratio", .cell = "{timing.wall_ratio.median}"},
    {.title = "pairs", .cell = "{timing.pairs}"},
    {.title = "control_ratio", .cell = "{control.cpu_ratio.median}"},
    {.title = "control_ratio_low", .cell = "{control.cpu_ratio.low}"},
    {.title = "control_ratio_high", .cell = "{control.cpu_ratio.high}"},
    {.title = "control_moved", .cell = "{control.moved}", .flags = PAGE_LEFT},
    {.title = "old_ns_per_op", .cell = "{ns_per_op.old}"},
    {.title = "new_ns_per_op", .cell = "{ns_per_op.new}"},
    {.title = "work_changed", .cell = "{work_changed}", .flags = PAGE_LEFT},
    {.title = "work_reason", .cell = "{work_reason}", .flags = PAGE_LEFT},
    {.title = "instructions_source", .cell = "{instructions.source}", .flags = PAGE_LEFT},
    {.title = "old_instructions", .cell = "{instructions.old}"},
    {.title = "new_instructions", .cell = "{instructions.new}"},
    {.title = "tail_phase", .cell = "{tail.phase}", .flags = PAGE_LEFT},
    {.title = "old_tail_ns", .cell = "{tail.old_ns}"},
    {.title = "new_tail_ns", .cell = "{tail.new_ns}"},
    {.title = "old_bytes_per_task", .cell = "{memory.old}"},
    {.title = "new_bytes_per_task", .cell = "{memory.new}"},
};

#define FIGURES (sizeof figures / sizeof *figures)

static void add_rest(struct page *page, const struct place *root, size_t same)
{
    struct place cells = place_get(root, "cells");
    if (same > 0) {
        page_rest(page, "%zu cell%s without a change", same, same == 1 ? "" : "s");
        add_cells(page, root, false);
        page_open(page, PAGE_FOLD_END);
    }
    page_evidence(page, "Every figure of every cell");
    page_table(page, "figures", "Every figure of every cell");
    page_fields_each(page, figures, FIGURES, &cells);
    page_open(page, PAGE_FOLD_END);
}

static void add_method(struct page *page, const cJSON *comparison)
{
    char text[COMPARE_LINE_SIZE];
    compare_method(text, sizeof text, comparison);
    if (!text[0])
        return;
    page_heading(page, 2, "method", "How it was measured");
    page_text(page, "%s", text);
    if (compare_is_paired(comparison))
        page_warnings(page, comparison);
}

void page_comparison(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), cells = place_get(&root, "cells");
    size_t changed = count_cells(&root, true);
    (is_broken(&root) ? add_broken : add_answer)(page, &root);
    add_sides(page, &root);
    if (is_broken(&root)) {
        page_origin(page, document);
        return;
    }
    add_contract(page, &root);
    if (changed > 0) {
        page_heading(page, 2, "changed", "What changed, and why");
        add_cells(page, &root, true);
    }
    add_reasons(page, &root);
    add_explanations(page, &root);
    add_one_side(page, &root);
    add_rest(page, &root, count_cells(&root, false));
    add_method(page, document);
    page_origin(page, document);
    page_open(page, PAGE_DATA);
    page_fields_each(page, figures, FIGURES, &cells);
}
