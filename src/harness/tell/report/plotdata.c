/* plotdata.c - writes the data of a result's pictures. */
#include "harness/tell/report/plot.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/tell/report/figure.h"

const char *plotdata_kind_name(enum plot_kind kind)
{
    static const char *const names[PLOT_KINDS] = {"cost", "memory", "latency", "slots", "bars"};
    return names[kind];
}

/* ---- Which pictures there are. --------------------------------------------------------------- */

/* Groups of one sweep over the number of tasks. */
static bool same_sweep(const struct view_group *a, const struct view_group *b)
{
    return strcmp(a->workload, b->workload) == 0 && a->tick_ns == b->tick_ns && a->seed == b->seed;
}

static size_t count_ok(const struct view_group *group)
{
    size_t ok = 0;
    for (size_t i = 0; i < group->row_count; i++)
        ok += group->rows[i].ok && !group->rows[i].is_harness;
    return ok;
}

static bool is_swept(const struct view *view, size_t group)
{
    for (size_t i = 0; i < view->group_count; i++)
        if (same_sweep(&view->groups[i], &view->groups[group]) &&
            view->groups[i].tasks != view->groups[group].tasks && count_ok(&view->groups[i]) > 0)
            return count_ok(&view->groups[group]) > 0;
    return false;
}

static bool is_first(const struct view *view, size_t group)
{
    for (size_t i = 0; i < group; i++)
        if (same_sweep(&view->groups[i], &view->groups[group]) && count_ok(&view->groups[i]) > 0)
            return false;
    return true;
}

static double slots_of(const struct view_row *row)
{
    return json_get_number(row->cell, "params.slots");
}

/* Two rows of one design with different slots. */
static bool has_slots(const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct view_row *a = &group->rows[i], *b = &group->rows[j];
            if (a->ok && b->ok && slots_of(a) != slots_of(b) && slots_of(a) + slots_of(b) > 0 &&
                json_says(a->cell, "impl", json_get_text(b->cell, "impl")))
                return true;
        }
    return false;
}

static bool has_latency(const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (group->rows[i].ok && view_advance_ns(&group->rows[i], "max") > 0)
            return true;
    return false;
}

/* Most designs that any group of the sweep could do. */
static size_t most_ok(const struct view *view, const struct view_group *of)
{
    size_t most = 0;
    for (size_t i = 0; i < view->group_count; i++)
        if (same_sweep(of, &view->groups[i]) && count_ok(&view->groups[i]) > most)
            most = count_ok(&view->groups[i]);
    return most;
}

/* The largest of the sweep that more than half of the designs could do: the tail is longest there,
 * and a list that gave up must not keep the others from being seen. */
static bool is_shown_for_latency(const struct view *view, size_t group)
{
    const struct view_group *self = &view->groups[group];
    size_t most = most_ok(view, self);
    if (!has_latency(self) || 2 * count_ok(self) <= most)
        return false;
    for (size_t i = 0; i < view->group_count; i++) {
        const struct view_group *other = &view->groups[i];
        if (same_sweep(self, other) && other->tasks > self->tasks && has_latency(other) &&
            2 * count_ok(other) > most)
            return false;
    }
    return true;
}

static bool sweep_is_timed(const struct view *view, const struct view_group *of)
{
    for (size_t i = 0; i < view->group_count; i++)
        if (same_sweep(of, &view->groups[i]) && view_is_timed(&view->groups[i]))
            return true;
    return false;
}

bool plotdata_has(const struct view *view, size_t group, enum plot_kind kind)
{
    const struct view_group *self = &view->groups[group];
    if (self->has_runners)
        return false; /* its times are the real clock's */
    switch (kind) {
    case PLOT_COST:
        return is_swept(view, group) && is_first(view, group) && sweep_is_timed(view, self);
    case PLOT_MEMORY:
        return is_swept(view, group) && is_first(view, group);
    case PLOT_LATENCY:
        return is_shown_for_latency(view, group);
    case PLOT_SLOTS:
        return has_slots(self) && view_is_timed(self);
    case PLOT_BARS:
        return !is_swept(view, group) && !has_slots(self) && count_ok(self) >= 2 &&
               view_is_timed(self);
    default:
        return false;
    }
}

/* ---- The head of every file. ----------------------------------------------------------------- */

/* Without what stands in parentheses: "(R)", the distribution's name of a compiler. */
static void write_plainly(FILE *out, const char *text)
{
    size_t depth = 0;
    char last = ' ';
    for (; *text; text++) {
        depth += *text == '(';
        if (depth == 0 && !(*text == ' ' && last == ' ')) {
            fputc(*text, out);
            last = *text;
        }
        depth -= *text == ')' && depth > 0;
    }
}

void plotdata_write_machine(FILE *out, const cJSON *document)
{
    char memory[32];
    double bytes = json_get_number(document, "machine.memory_bytes");
    double cores = json_get_number(document, "machine.cores");
    const char *model = json_get_text(document, "machine.cpu_model");
    int machines = cJSON_GetArraySize(json_get(document, "machines"));
    fputs("machine\t", out);
    if (machines > 1)
        fprintf(out, "%d machines, the first: ", machines);
    write_plainly(out, model[0] ? model : "unknown processor");
    if (cores > 0)
        fprintf(out, ", %.0f core%s", cores, cores == 1 ? "" : "s");
    if (bytes > 0) {
        units_format_bytes(memory, sizeof memory, units_whole(bytes));
        fprintf(out, ", %s", memory);
    }
    fputs("; ", out);
    write_plainly(out, json_get_text(document, "tool.compiler"));
    fputc('\n', out);
}

void plotdata_write_field(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(isspace((unsigned char)*text) ? ' ' : *text, out);
}

void plotdata_write_head(FILE *out, const cJSON *document, const char *title, size_t blocks,
                         size_t series)
{
    fprintf(out, "title\t%s\n", title);
    plotdata_write_machine(out, document);
    fprintf(out, "blocks\t%zu\nseries\t%zu\n", blocks, series);
}

/* The cell of that label in a group, when it has no answer to draw; else NULL. */
static const cJSON *missing_cell(const struct view_group *group, const char *label)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (strcmp(group->rows[i].label, label) == 0)
            return group->rows[i].ok ? NULL : group->rows[i].cell;
    return NULL;
}

/* "list (timeout at 100k, 1M)" behind what the text has, if groups first .. end - 1 lack it. */
static void note_missing(struct text *note, const struct view *view, size_t first, size_t end,
                         const char *label)
{
    bool any = false;
    for (size_t g = first; g < end; g++) {
        char tasks[32];
        const cJSON *cell = same_sweep(&view->groups[g], &view->groups[first])
                                ? missing_cell(&view->groups[g], label)
                                : NULL;
        if (!cell)
            continue;
        units_format_count(tasks, sizeof tasks, units_whole(view->groups[g].tasks));
        if (any)
            text_add(note, ", %s", tasks);
        else
            text_add_item(note, "; ", "%s (%s at %s", label, json_get_text(cell, "status"), tasks);
        any = true;
    }
    if (any)
        text_add(note, ")");
}

/* What would be in the picture if it had an answer: of the group, or of all sizes of its sweep. */
static void write_note(FILE *out, const struct view *view, size_t group, bool sweep)
{
    char line[400] = "";
    struct text note = text_in(line, sizeof line);
    const struct view_group *self = &view->groups[group];
    for (size_t i = 0; i < self->row_count; i++)
        note_missing(&note, view, group, sweep ? view->group_count : group + 1,
                     self->rows[i].label);
    if (line[0])
        fprintf(out, "note\tNot shown: %s\n", line);
}

static void write_label(FILE *out, const struct view_row *row)
{
    fprintf(out, "%s%s", row->label, view_suffix(row));
}

static void write_value(FILE *out, double value)
{
    fprintf(out, isfinite(value) ? "\t%.6g" : "\t?", value);
}

/* ---- Panels: cost, memory, slots. ------------------------------------------------------------ */

struct point {
    const struct view_row *row;
    const char *series; /* points with the same text are joined by a line */
    double x;
};

struct cloud {
    struct point *points;
    size_t count;
};

/* What a panel shows of a row.  `phase` is NULL for what belongs to the whole cell. */
struct triple {
    double median, low, high;
};
typedef struct triple triple_fn(const struct view_row *row, const char *phase);

static void write_triple(FILE *out, struct triple triple)
{
    write_value(out, triple.median);
    write_value(out, triple.low);
    write_value(out, triple.high);
}

/* Without an interval the bar ends where it begins. */
static struct triple interval_triple(const cJSON *interval)
{
    double median = json_get_number(interval, "median");
    if (!figure_has_interval(interval))
        return (struct triple){median, median, median};
    return (struct triple){median, json_get_number(interval, "low"),
                           json_get_number(interval, "high")};
}

static struct triple cost_triple(const struct view_row *row, const char *phase)
{
    return interval_triple(json_get(view_phase(row, phase), "ns_per_op"));
}

static struct triple tick_triple(const struct view_row *row, const char *phase)
{
    const cJSON *from = view_phase(row, phase);
    double per_tick =
        json_get_number(from, "operations.advance") / json_get_number(from, "operations.ticks");
    struct triple triple = interval_triple(json_get(from, "ns_per_advance"));
    return (struct triple){triple.median * per_tick, triple.low * per_tick, triple.high * per_tick};
}

/* Everything at the peak, so that what a few timers pay for many slots is seen. */
static struct triple memory_triple(const struct view_row *row, const char *phase)
{
    (void)phase;
    double bytes = json_get_number(row->cell, "memory.peak_bytes_per_task");
    return (struct triple){bytes, bytes, bytes};
}

static const struct view_row *find_point(const struct cloud *cloud, const char *series, double x)
{
    for (size_t i = 0; i < cloud->count; i++)
        if (cloud->points[i].x == x && strcmp(cloud->points[i].series, series) == 0)
            return cloud->points[i].row;
    return NULL;
}

/* The next series in order of appearance; index 0 before the first. */
static bool next_series(const struct cloud *cloud, size_t *index)
{
    for (; *index < cloud->count; ++*index) {
        const char *name = cloud->points[*index].series;
        size_t first = 0;
        while (strcmp(cloud->points[first].series, name) != 0)
            first++;
        if (first == *index)
            return true;
    }
    return false;
}

static size_t count_series(const struct cloud *cloud)
{
    size_t count = 0;
    for (size_t i = 0; next_series(cloud, &i); i++)
        count++;
    return count;
}

/* The design that times of several machines are ratios to: heap, or whatever stands first; NULL: one machine. */
static const char *anchor_of(const struct cloud *cloud)
{
    const char *anchor = NULL;
    bool several = false;
    for (size_t i = 0; i < cloud->count; i++) {
        const struct view_row *row = cloud->points[i].row;
        double machine = json_get_number(row->cell, "on_machine");
        several = several || machine != json_get_number(cloud->points[0].row->cell, "on_machine");
        if (!row->is_harness && (!anchor || strcmp(cloud->points[i].series, "heap") == 0))
            anchor = cloud->points[i].series;
    }
    /* NaN differs from itself: cells that name no machine are all of one. */
    bool named = cloud->count > 0 && json_get(cloud->points[0].row->cell, "on_machine");
    return several && named ? anchor : NULL;
}

/* The least x above `x`; NaN when there is none. */
static double next_x(const struct cloud *cloud, double x)
{
    double next = NAN;
    for (size_t i = 0; i < cloud->count; i++)
        if (cloud->points[i].x > x)
            next = fmin(next, cloud->points[i].x);
    return next;
}

static void write_panel(FILE *out, const struct cloud *cloud, const char *title, triple_fn *of,
                        const char *phase)
{
    const char *anchor = anchor_of(cloud);
    const double base_of = anchor ? NAN : 1; /* where the anchor is missing */
    fprintf(out, "\n\n%s", title);
    for (size_t i = 0; next_series(cloud, &i); i++) {
        fputc('\t', out);
        fprintf(out, "%s%s", cloud->points[i].series, view_suffix(cloud->points[i].row));
    }
    fputc('\n', out);
    for (double x = next_x(cloud, -1); !isnan(x); x = next_x(cloud, x)) {
        const struct view_row *base_row =
            anchor && of != memory_triple ? find_point(cloud, anchor, x) : NULL;
        fprintf(out, "%.15g", x);
        for (size_t i = 0; next_series(cloud, &i); i++) {
            const struct view_row *row = find_point(cloud, cloud->points[i].series, x);
            struct triple triple = row ? of(row, phase) : (struct triple){NAN, NAN, NAN};
            double base = base_row ? of(base_row, phase).median : of == memory_triple ? 1 : base_of;
            triple = (struct triple){triple.median / base, triple.low / base, triple.high / base};
            write_triple(out, triple);
        }
        fputc('\n', out);
    }
}

static bool panel_has_data(const struct cloud *cloud, triple_fn *of, const char *phase)
{
    for (size_t i = 0; i < cloud->count; i++)
        if (!cloud->points[i].row->is_harness && of(cloud->points[i].row, phase).median > 0)
            return true;
    return false;
}

/* "steady: ns per start + expire", from what any of the rows did there. */
static void name_panel(char *out, size_t size, const struct cloud *cloud, const char *phase)
{
    static const char *const keys[] = {"operations.start", "operations.stop", "operations.expire"};
    static const char *const words[] = {"start", "stop", "expire"};
    struct text text = text_in(out, size);
    text_add(&text, anchor_of(cloud) ? "%s: " : "%s: ns per ", phase);
    const char *gap = "";
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < cloud->count; i++) {
            const cJSON *from = view_phase(cloud->points[i].row, phase);
            if (!(json_get_number(from, keys[k]) > 0))
                continue;
            text_add(&text, "%s%s", gap, words[k]);
            gap = " + ";
            break;
        }
}

/* The phase in which any of the rows has most of that figure; NULL when none has any. */
static const char *busiest_phase(const struct view_group *group, const char *path)
{
    const char *phase = NULL;
    double most = 0;
    for (size_t p = 0; p < group->phase_count; p++)
        for (size_t i = 0; i < group->row_count; i++) {
            double count = json_get_number(view_phase(&group->rows[i], group->phases[p]), path);
            if (count > most) {
                most = count;
                phase = group->phases[p];
            }
        }
    return phase;
}

/* Writes the panels of all phases (and, for `ticks`, one per tick), or only counts them. */
static size_t write_phases(FILE *out, const struct cloud *cloud, const struct view_group *group,
                           const char *ticks)
{
    size_t panels = 0;
    char title[160];
    for (size_t p = 0; p < group->phase_count; p++) {
        if (!panel_has_data(cloud, cost_triple, group->phases[p]))
            continue;
        panels++;
        name_panel(title, sizeof title, cloud, group->phases[p]);
        if (out)
            write_panel(out, cloud, title, cost_triple, group->phases[p]);
    }
    if (ticks && panel_has_data(cloud, tick_triple, ticks)) {
        panels++;
        snprintf(title, sizeof title, "%s: ns per tick", ticks);
        if (out)
            write_panel(out, cloud, title, tick_triple, ticks);
    }
    return panels;
}

static size_t count_rows(const struct view *view)
{
    size_t rows = 0;
    for (size_t i = 0; i < view->group_count; i++)
        rows += view->groups[i].row_count;
    return rows;
}

/* Every row of the sweep over tasks that is ok; the others leave gaps. */
static void collect_sweep(struct cloud *cloud, const struct view *view, size_t group)
{
    for (size_t g = 0; g < view->group_count; g++) {
        const struct view_group *from = &view->groups[g];
        for (size_t i = 0; i < from->row_count && same_sweep(from, &view->groups[group]); i++)
            if (from->rows[i].ok)
                cloud->points[cloud->count++] =
                    (struct point){&from->rows[i], from->rows[i].label, from->tasks};
    }
}

static void collect_slots(struct cloud *cloud, const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++) {
        const struct view_row *row = &group->rows[i];
        if (row->ok && slots_of(row) > 0)
            cloud->points[cloud->count++] =
                (struct point){row, json_get_text(row->cell, "impl"), slots_of(row)};
    }
}

static void write_cloud(FILE *out, const cJSON *document, const struct view *view, size_t place,
                        const struct cloud *cloud, enum plot_kind kind)
{
    const struct view_group *group = &view->groups[place];
    char title[256], tick[32];
    units_format_time(tick, sizeof tick, units_whole(group->tick_ns));
    snprintf(title, sizeof title, "%s, tick %s", group->workload, tick);
    if (kind == PLOT_SLOTS)
        view_title(title, sizeof title, group);
    if (kind == PLOT_MEMORY) {
        plotdata_write_head(out, document, title, 1, count_series(cloud));
        write_note(out, view, place, true);
        write_panel(out, cloud, "peak bytes per task, fixed part included", memory_triple, NULL);
        return;
    }
    const char *ticks = kind == PLOT_SLOTS ? busiest_phase(group, "operations.ticks") : NULL;
    plotdata_write_head(out, document, title, write_phases(NULL, cloud, group, ticks),
                        count_series(cloud));
    if (anchor_of(cloud))
        fprintf(out, "ratios\t%s\n", anchor_of(cloud));
    write_note(out, view, place, kind != PLOT_SLOTS);
    write_phases(out, cloud, group, ticks);
}

/* ---- Bars. ----------------------------------------------------------------------------------- */

static void write_bar_panel(FILE *out, const struct view_group *group, const char *title,
                            const char *unit, triple_fn *of, const char *phase)
{
    fprintf(out, "\n\n%s\t%s\n", title, unit);
    for (size_t i = 0; i < group->row_count; i++) {
        if (!group->rows[i].ok)
            continue;
        struct triple triple = of(&group->rows[i], phase);
        write_label(out, &group->rows[i]);
        write_triple(out, triple);
        fputc('\n', out);
    }
}

static void write_bars(FILE *out, const cJSON *document, const struct view *view, size_t place,
                       const struct cloud *cloud)
{
    const struct view_group *group = &view->groups[place];
    char title[256];
    size_t panels = write_phases(NULL, cloud, group, NULL);
    bool memory = panel_has_data(cloud, memory_triple, NULL);
    view_title(title, sizeof title, group);
    plotdata_write_head(out, document, title, panels + memory, count_series(cloud));
    write_note(out, view, place, false);
    for (size_t p = 0; p < group->phase_count; p++) {
        if (!panel_has_data(cloud, cost_triple, group->phases[p]))
            continue;
        name_panel(title, sizeof title, cloud, group->phases[p]);
        write_bar_panel(out, group, title, "ns", cost_triple, group->phases[p]);
    }
    if (memory)
        write_bar_panel(out, group, "peak bytes per task, fixed part included", "bytes",
                        memory_triple, NULL);
}

/* ---- Latency. -------------------------------------------------------------------------------- */

static const struct {
    const char *key;
    double share;
} marks[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}, {"p99_99", 0.9999}};
#define MARK_COUNT (sizeof marks / sizeof *marks)

/* The longest call stands behind the last percentile: without preemption, then as seen. */
#define OWN_AT     1e5
#define MAXIMUM_AT 1e6

/* The row's latencies of advance in that phase; NULL when it is not ok or has none. */
static const cJSON *latency_of(const struct view_row *row, const char *phase)
{
    return row->ok ? json_get(view_phase(row, phase), "latency_ns.advance") : NULL;
}

/* A call that took no longer than reading the clock is drawn at 1 ns, the foot of the axis. */
static void write_latency_point(FILE *out, double share, double ns, bool mark)
{
    double x = share < 1 ? 1 / (1 - share) : MAXIMUM_AT;
    fprintf(out, "%.6g\t%.6g", x, fmax(ns, 1));
    write_value(out, mark ? fmax(ns, 1) : NAN);
    fputc('\n', out);
}

/* The curve bin by bin, and each percentile where the curve passes it.  Published results keep the percentiles alone
 * (tools/reference.sh). */
static void write_latency(FILE *out, const cJSON *advance)
{
    double count = json_get_number(advance, "count"), below = 0;
    size_t mark = 0;
    json_each(bin, advance, "bins") {
        double low_ns = cJSON_GetNumberValue(cJSON_GetArrayItem(bin, 0));
        below += cJSON_GetNumberValue(cJSON_GetArrayItem(bin, 1));
        for (; mark < MARK_COUNT && below >= marks[mark].share * count; mark++)
            write_latency_point(out, marks[mark].share, json_get_number(advance, marks[mark].key),
                                true);
        if (below < count && count / (count - below) < OWN_AT / 3)
            write_latency_point(out, below / count, low_ns, false);
    }
    for (; mark < MARK_COUNT; mark++)
        write_latency_point(out, marks[mark].share, json_get_number(advance, marks[mark].key),
                            true);
    write_latency_point(out, 1, json_get_number(advance, "max"), true);
    if (json_get_number(advance, "own.max") > 0)
        fprintf(out, "%g\t?\t%.6g\n", OWN_AT, json_get_number(advance, "own.max"));
}

static void write_latencies(FILE *out, const cJSON *document, const struct view *view, size_t place)
{
    const struct view_group *group = &view->groups[place];
    char title[256], full[400];
    /* In which advance was called most often, the same for every design. */
    const char *phase = busiest_phase(group, "latency_ns.advance.count");
    size_t series = 0;
    for (size_t i = 0; i < group->row_count && phase; i++)
        series += latency_of(&group->rows[i], phase) != NULL;
    view_title(title, sizeof title, group);
    snprintf(full, sizeof full, "%s, phase %s", title, phase ? phase : "");
    plotdata_write_head(out, document, full, series, series);
    write_note(out, view, place, false);
    for (size_t i = 0; i < group->row_count && phase; i++) {
        const cJSON *advance = latency_of(&group->rows[i], phase);
        if (!advance)
            continue;
        fputs("\n\n", out);
        write_label(out, &group->rows[i]);
        fputc('\n', out);
        write_latency(out, advance);
    }
}

void plotdata_write_note(FILE *out, const struct view *view, size_t group)
{
    write_note(out, view, group, false);
}

/* ---- The door. ------------------------------------------------------------------------------- */

void plotdata_write(FILE *out, const cJSON *document, const struct view *view, size_t group,
                    enum plot_kind kind)
{
    const struct view_group *self = &view->groups[group];
    if (kind == PLOT_LATENCY) {
        write_latencies(out, document, view, group);
        return;
    }
    struct cloud cloud = {.points = memory_take(count_rows(view), sizeof *cloud.points)};
    if (kind == PLOT_SLOTS)
        collect_slots(&cloud, self);
    else
        collect_sweep(&cloud, view, group);
    if (kind == PLOT_BARS)
        write_bars(out, document, view, group, &cloud);
    else
        write_cloud(out, document, view, group, &cloud, kind);
    free(cloud.points);
}
