/* page_groups.c - builds the table that compares the designs on a stream. */
#include "harness/tell/report/builders.h"

#include "harness/base/json.h"
#include "harness/tell/report/figure.h"
#include "harness/tell/report/standing.h"
#include "harness/tell/result/figures.h"

/* Which columns stay on a narrow terminal, beside the catalogue's: costs longest. */
enum { KEEP_DEVIATION = 4, KEEP_COST = 7 };

/* ---- Figures of a row. --------------------------------------------------------------------------- */

struct place page_phase(const struct place *cell, const char *name)
{
    struct place phases = place_get(cell, "phases"), phase = place_item(&phases, 0);
    while (phase.json && !json_says(phase.json, "name", name))
        place_next(&phase);
    return phase;
}

/* The phase in which the figure is the largest; none where no phase has it. */
static struct place worst_phase(const struct place *cell, const struct figure *figure)
{
    struct place phases = place_get(cell, "phases"), worst = {.json = NULL};
    for (struct place phase = place_item(&phases, 0); phase.json; place_next(&phase)) {
        double value = place_number(&phase, figure->path);
        if (!isnan(value) && (!worst.json || value > place_number(&worst, figure->path)))
            worst = phase;
    }
    return worst;
}

static double value_of(const struct view_row *row, const struct figure *figure)
{
    if (figure->owner == FIGURE_OF_CELL)
        return json_get_number(row->cell, figure->path);
    double value = NAN;
    json_each(phase, row->cell, "phases") {
        double term = json_get_number(phase, figure->path);
        bool most = figure->flags & FIGURE_MOST;
        value = most ? fmax(value, term) : phase->prev && phase->prev->next ? value + term : term;
    }
    return value;
}

static void put_figure(struct page *page, const struct view_row *row, const struct place *cell,
                       const struct figure *figure, double divisor)
{
    char text[FIGURE_SIZE + 1];
    double value = value_of(row, figure);
    if (figure->type == FIGURE_INTEGER && isfinite(value))
        figure_value(text, value);
    else
        figure_in_unit(text, value, divisor);
    page_cell(page, "%s", "");
    if (figure->owner == FIGURE_OF_CELL) {
        page_put_as(page, cell, figure->path, "%s", text);
    } else if (figure->flags & FIGURE_MOST) {
        struct place phase = worst_phase(cell, figure);
        if (figure->sheet == FIGURE_LATENCY)
            page_put_latency(page, &phase, figure->path, divisor);
        else
            page_put_as(page, &phase, figure->path, "%s", text);
    } else {
        page_number(page, value);
    }
}

/* ---- Columns. ------------------------------------------------------------------------------------ */

static bool is_zero_for_all(const struct view_group *group, const struct figure *figure)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (value_of(&group->rows[i], figure) != 0)
            return false;
    return true;
}

/* Counters stand in the place of times where there are none; what is 0 for all is said below the table. */
static bool is_counter(const struct view_group *group, const struct figure *figure)
{
    return figure->keep > 0 && group->phase_count > 0 && figure->owner != FIGURE_OF_CELL &&
           figure->sheet == FIGURE_WORK && !view_is_timed(group);
}

/* Latencies that no row has: results of older versions lack some. */
static bool is_missing(const struct view_group *group, const struct figure *figure)
{
    for (size_t i = 0; i < group->row_count && figure->sheet == FIGURE_LATENCY; i++)
        if (!isnan(value_of(&group->rows[i], figure)))
            return false;
    return figure->sheet == FIGURE_LATENCY;
}

static bool has_value(const struct view_group *group, const struct figure *figure)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (isfinite(value_of(&group->rows[i], figure)))
            return true;
    return false;
}

static bool is_column(const struct view_group *group, const struct figure *figure)
{
    if (figure->sheet == FIGURE_LAB || group->has_runners)
        return figure->keep > 0 && figure->sheet == FIGURE_LAB && group->has_runners &&
               has_value(group, figure);
    if (figure->keep == 0 || group->phase_count == 0 || is_missing(group, figure))
        return false;
    if (figure->owner == FIGURE_OF_CELL || figure->sheet != FIGURE_WORK)
        return figure->owner == FIGURE_OF_CELL || view_is_timed(group);
    return is_counter(group, figure) && !is_zero_for_all(group, figure);
}

/* Times in the unit in which all of the column read well, everything else as it is. */
static const char *unit_of(const struct view_group *group, const struct figure *figure,
                           double *divisor)
{
    double ends[2] = {NAN, NAN};
    *divisor = 1;
    bool is_time = figure->unit && strcmp(figure->unit, "ns") == 0;
    if (figure->sheet != FIGURE_LATENCY && !(figure->sheet == FIGURE_LAB && is_time))
        return figure->unit ? figure->unit : "";
    for (size_t i = 0; i < group->row_count; i++) {
        double value = value_of(&group->rows[i], figure);
        if (value > 0) {
            ends[0] = fmin(ends[0], value);
            ends[1] = fmax(ends[1], value);
        }
    }
    return figure_time_unit(ends, 2, divisor);
}

/* The key of the figure to show: a phase in which nothing is started, stopped or fired still has a price per
 * advance. */
static const char *cost_key(const struct view_group *group, const char *phase)
{
    bool less = group->between[0];
    for (size_t i = 0; i < group->row_count; i++)
        if (json_get(view_phase(&group->rows[i], phase), "ns_per_op"))
            return less ? "corrected.ns_per_op" : "ns_per_op";
    return less ? "corrected.ns_per_advance" : "ns_per_advance";
}

/* No best of times by chance: every row that competes needs samples enough for an interval. */
static bool has_best(const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++) {
        if (!group->rows[i].ok || !view_competes(&group->rows[i]))
            continue;
        json_each(phase, group->rows[i].cell, "phases") {
            const cJSON *interval = view_cost(phase);
            if (interval && !figure_has_interval(interval))
                return false;
        }
    }
    return true;
}

/* The row that --reference names; or of "-B/-A" the one whose label has B where that of `row` has A; NULL: there is none. */
static const struct view_row *reference_of(const struct view_group *group,
                                           const struct view_row *row)
{
    char label[VIEW_LABEL_SIZE];
    const char *name = group->reference, *of = strchr(name, '/');
    const char *at = of ? strstr(row->label, of + 1) : NULL;
    snprintf(label, sizeof label, "%.*s%.*s%s", at ? (int)(at - row->label) : 0, row->label,
             at ? (int)(of - name) : 0, name, at ? at + strlen(of + 1) : "");
    for (size_t i = 0; name[0] && i < group->row_count; i++)
        if (strcmp(group->rows[i].label, label) == 0 ||
            json_says(group->rows[i].cell, "impl", name))
            return &group->rows[i];
    return NULL;
}

static void add_ratio(struct page *page, const struct view_row *row,
                      const struct view_row *reference, const char *phase)
{
    char median[FIGURE_SIZE], low[FIGURE_SIZE], high[FIGURE_SIZE];
    page_cell(page, "%s", "");
    if (!reference || row == reference)
        return;
    struct summary ratio = standing_ratio(row, reference, phase);
    if (ratio.count == 0)
        return;
    figure_number(median, ratio.median);
    figure_number(low, ratio.low);
    figure_number(high, ratio.high);
    if (ratio.confidence < FIGURE_CONFIDENCE)
        page_derived(page, ratio.median, "~%s", median);
    else
        page_derived(page, ratio.median, "%s (%s - %s)", median, low, high);
}

/* Without a unit the title stands beside "design". */
static void add_figure_column(struct page *page, const struct view_group *group,
                              const struct figure *figure)
{
    char title[FIGURE_NAME_SIZE];
    double divisor;
    const char *unit = unit_of(group, figure, &divisor);
    bool best = figure->measure && has_best(group);
    figure_title(title, figure);
    page_column(page, unit[0] ? title : "", unit[0] ? unit : title,
                (figure->sheet == FIGURE_WORK ? PAGE_ALONE : 0) | (best ? PAGE_BEST : 0),
                figure->keep);
}

static void add_columns(struct page *page, const struct view_group *group)
{
    char name[VIEW_LABEL_SIZE];
    const char *of = group->reference + strspn(group->reference, "-"); /* B of "-B/-A" */
    snprintf(name, sizeof name, "%.*s", (int)strcspn(of, "/"), of);
    page_column(page, "", "design", PAGE_LEFT | PAGE_NAMES, 0);
    for (size_t i = 0; i < group->phase_count && view_is_timed(group); i++) {
        bool per_op = strstr(cost_key(group, group->phases[i]), "ns_per_op");
        const char *unit = per_op ? "ns/op" : "ns/adv.",
                   *less = per_op ? "corrected ns/op" : "corrected ns/adv.";
        page_column(page, group->phases[i], group->between[0] ? less : unit,
                    PAGE_ALONE | (has_best(group) ? PAGE_BEST : 0), KEEP_COST);
        page_column(page, "", "\u00b1", 0, KEEP_DEVIATION);
        if (group->reference[0])
            page_column(page, "times", name, PAGE_ALONE, KEEP_COST);
    }
    for (size_t i = 0; i < figure_count(); i++)
        if (is_column(group, figure_at(i)))
            add_figure_column(page, group, figure_at(i));
    page_column(page, "", "status", PAGE_LEFT, 0);
}

/* ---- Rows. --------------------------------------------------------------------------------------- */

void page_cost(struct page *page, const struct place *phase, const char *key)
{
    char median[FIGURE_SIZE], deviation[FIGURE_DEVIATION_SIZE], path[64];
    const cJSON *interval = json_get(phase->json, key);
    figure_interval(median, deviation, interval);
    snprintf(path, sizeof path, "%s.median", key);
    page_cell(page, "%s", "");
    if (strncmp(key, "corrected", 9) == 0 && json_get(phase->json, "corrected.reason")) {
        page_span(page, "unclear");
        page_cell(page, "%.3g..%.3g", json_get_number(interval, "low"),
                  json_get_number(interval, "high"));
        return;
    }
    page_put_as(page, phase, path, "%s", median);
    page_cell(page, "%s", "");
    if (deviation[0])
        page_derived(page, NAN, "%s", deviation);
}

static void add_row(struct page *page, const struct view_group *group, const struct view_row *row,
                    const struct place *cell)
{
    double divisor;
    page_row(page);
    page_row_competes(page, view_competes(row));
    page_cell(page, "%s%s", row->label, view_suffix(row));
    for (size_t i = 0; i < group->phase_count && view_is_timed(group); i++) {
        struct place phase = page_phase(cell, group->phases[i]);
        page_cost(page, &phase, cost_key(group, group->phases[i]));
        if (group->reference[0])
            add_ratio(page, row, reference_of(group, row), group->phases[i]);
    }
    for (size_t i = 0; i < figure_count(); i++) {
        if (!is_column(group, figure_at(i)))
            continue;
        unit_of(group, figure_at(i), &divisor);
        put_figure(page, row, cell, figure_at(i), divisor);
    }
    page_cell_put(page, cell, "status");
    if (row->ok)
        return;
    page_note(page, "%s", "");
    page_add(page, cell, "{status:bad}: {reason}");
}

/* Without what the title says, and huge pages that were off. */
static void format_settings(char *out, size_t size, const cJSON *cell)
{
    cJSON *own = cJSON_Duplicate(json_get(cell, "params"), true);
    cJSON_DeleteItemFromObjectCaseSensitive(own, "between");
    if (json_says(own, "huge_pages", "off"))
        cJSON_DeleteItemFromObjectCaseSensitive(own, "huge_pages");
    json_format_params(out, size, own);
    cJSON_Delete(own);
}

/* What the designs chose for themselves, where the labels do not say it already; of runners their threads. */
static void add_settings(struct page *page, const struct view_group *group,
                         const struct place *cells)
{
    char own[VIEW_LABEL_SIZE * 2];
    bool begun = false;
    if (group->has_runners) {
        struct place first = place_of(cells, group->rows[0].cell);
        if (!strchr(group->rows[0].label, '=') && json_get(first.json, "params.threads"))
            page_say_fact(page, "settings", &first, "threads={params.threads}, of every runner");
        return;
    }
    for (size_t i = 0; i < group->row_count; i++) {
        format_settings(own, sizeof own, group->rows[i].cell);
        if (!own[0] || strchr(group->rows[i].label, '='))
            continue;
        struct place cell = place_of(cells, group->rows[i].cell);
        begun ? page_span(page, "; ") : page_fact(page, "settings", "%s", "");
        page_span(page, "%s ", group->rows[i].label);
        page_put_as(page, &cell, "params", "%s", own);
        begun = true;
    }
}

static void add_zeros(struct page *page, const struct view_group *group)
{
    char title[FIGURE_NAME_SIZE], said[1000];
    struct text line = text_in(said, sizeof said);
    for (size_t i = 0; i < figure_count(); i++) {
        figure_title(title, figure_at(i));
        if (is_counter(group, figure_at(i)) && is_zero_for_all(group, figure_at(i)))
            text_add_item(&line, ", ", "%s", title);
    }
    if (said[0])
        page_fact(page, "zero", "for every design: %s", said);
}

static void add_table(struct page *page, const struct view_group *group, const struct place *cells)
{
    page_table(page, NULL, "Designs compared");
    add_columns(page, group);
    for (size_t i = 0; i < group->row_count; i++) {
        struct place cell = place_of(cells, group->rows[i].cell);
        add_row(page, group, &group->rows[i], &cell);
    }
    add_settings(page, group, cells);
    add_zeros(page, group);
}

const struct view_row *page_group_only(const struct view_group *group)
{
    bool alone = group->row_count == 1 || (group->row_count == 2 && group->rows[1].is_harness);
    return alone && group->rows[0].ok && view_is_timed(group) ? &group->rows[0] : NULL;
}

void page_group(struct page *page, const struct view_group *group, const struct place *cells)
{
    char title[256];
    const struct view_row *only = page_group_only(group);
    view_title(title, sizeof title, group);
    page_heading(page, 2, NULL, "%s%s%s", only ? only->label : "", only ? " on " : "", title);
    if (only)
        page_card(page, group, only, cells);
    else
        add_table(page, group, cells);
    page_group_facts(page, group, cells);
}
