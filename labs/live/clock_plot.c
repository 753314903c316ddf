/* clock_plot.c - writes the data of the pictures of runners: throughput, lateness, callers' latency, idle. */
#include "labs/live/live.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/measure/stats/summary.h"
#include "harness/tell/report/plot.h"

#include <math.h>

/* ---- What is shown. -------------------------------------------------------------------------- */

/* A figure of a run, in the cell and in each of its rounds; `scale` is what it is multiplied by. */
struct clock_figure {
    const char *title, *unit, *path;
    double scale;
};

static const struct clock_figure throughput[] = {
    {"starts and stops a second", "1/s", "operations_per_s", 1}, {NULL, NULL, NULL, 0}};
static const struct clock_figure lateness[] = {{"late, p50", "ns", "times_ns.late.p50", 1},
                                               {"late, p99", "ns", "times_ns.late.p99", 1},
                                               {"late, longest", "ns", "times_ns.late.max", 1},
                                               {NULL, NULL, NULL, 0}};
static const struct clock_figure caller[] = {{"a start, p50", "ns", "times_ns.start.p50", 1},
                                             {"a start, p99", "ns", "times_ns.start.p99", 1},
                                             {"a stop, p50", "ns", "times_ns.stop.p50", 1},
                                             {"a stop, p99", "ns", "times_ns.stop.p99", 1},
                                             {NULL, NULL, NULL, 0}};
static const struct clock_figure idle[] = {{"wake-ups a second", "1/s", "wakeups_per_s", 1},
                                           {"processor time a second", "µs", "cpu_share", 1e6},
                                           {NULL, NULL, NULL, 0}};

enum clock_plot { THROUGHPUT, LATENESS, CALLER, IDLE, PLOTS };

static const struct {
    const char *name; /* of the script and the picture */
    const struct clock_figure *figures;
} plots[PLOTS] = {
    {"throughput", throughput}, {"lateness", lateness}, {"caller", caller}, {"idle", idle}};

/* ---- Rows. ----------------------------------------------------------------------------------- */

static double threads_of(const struct view_row *row)
{
    return json_get_number(row->cell, "clock.threads");
}

static bool is_load(const struct view_row *row, const char *load)
{
    return row->ok && strcmp(json_get_text(row->cell, "clock.load"), load) == 0;
}

/* Median, least and most over the rounds; without rounds what the cell says. */
struct spread {
    double median, low, high;
};

static struct spread spread_of(const struct view_row *row, const struct clock_figure *figure)
{
    const cJSON *clock = json_get(row->cell, "clock"), *rounds = json_get(clock, "rounds");
    size_t count = 0, most = (size_t)cJSON_GetArraySize(rounds);
    double *values = memory_take(most + 1, sizeof *values);
    double whole = json_get_number(clock, figure->path) * figure->scale;
    struct spread spread = {whole, whole, whole};
    json_each(round, rounds, "") {
        double value = json_get_number(round, figure->path) * figure->scale;
        if (!isnan(value))
            values[count++] = value;
    }
    if (count > 0)
        spread =
            (struct spread){summary_of(values, count).median, summary_quantile(values, count, 0),
                            summary_quantile(values, count, 1)};
    free(values);
    return spread;
}

static bool has_figure(const struct view_group *group, const struct clock_figure *figure)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (group->rows[i].ok && !isnan(spread_of(&group->rows[i], figure).median))
            return true;
    return false;
}

static size_t count_figures(const struct view_group *group, const struct clock_figure *figures)
{
    size_t count = 0;
    for (; figures->title; figures++)
        count += has_figure(group, figures);
    return count;
}

/* The threads above `threads` that any row has; NaN when there are none. */
static double next_threads(const struct view_group *group, double threads)
{
    double next = NAN;
    for (size_t i = 0; i < group->row_count; i++)
        if (group->rows[i].ok && threads_of(&group->rows[i]) > threads)
            next = fmin(next, threads_of(&group->rows[i]));
    return next;
}

static bool is_of_one_design(const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++)
        if (!json_get(group->rows[i].cell, "original") &&
            strcmp(json_get_text(group->rows[i].cell, "impl"),
                   json_get_text(group->rows[0].cell, "impl")) != 0)
            return false;
    return true;
}

/* "locked", or "locked/heap" where several designs are in the picture. */
static void name_of(char *out, size_t size, const struct view_group *group,
                    const struct view_row *row)
{
    const char *runner = json_get_text(row->cell, "runner");
    if (is_of_one_design(group) || json_get(row->cell, "original"))
        snprintf(out, size, "%s", runner);
    else
        snprintf(out, size, "%s/%s", runner, json_get_text(row->cell, "impl"));
}

/* Is it the first row with that name, or the first with that name and number of threads? */
static bool is_new(const struct view_group *group, size_t index, bool by_threads)
{
    char name[VIEW_LABEL_SIZE], other[VIEW_LABEL_SIZE];
    name_of(name, sizeof name, group, &group->rows[index]);
    for (size_t i = 0; i < index; i++) {
        name_of(other, sizeof other, group, &group->rows[i]);
        if (group->rows[i].ok && strcmp(name, other) == 0 &&
            (!by_threads || !(threads_of(&group->rows[i]) < threads_of(&group->rows[index]) ||
                              threads_of(&group->rows[i]) > threads_of(&group->rows[index]))))
            return false;
    }
    return group->rows[index].ok;
}

static bool has_picture(const struct view_group *group, enum clock_plot kind)
{
    size_t rows = 0;
    bool is_idle = false, is_closed = false;
    for (size_t i = 0; group->has_runners && i < group->row_count; i++) {
        rows += is_new(group, i, false);
        is_idle = is_idle || is_load(&group->rows[i], "idle");
        is_closed = is_closed || is_load(&group->rows[i], "closed");
    }
    if (rows < 2)
        return false;
    double least = next_threads(group, 0);
    if (kind == THROUGHPUT)
        return is_closed && !isnan(next_threads(group, least));
    if (kind == IDLE)
        return is_idle;
    return !is_idle && !(kind == LATENESS && is_closed) &&
           count_figures(group, plots[kind].figures) > 0;
}

/* ---- Writing. -------------------------------------------------------------------------------- */

static void write_spread(FILE *out, struct spread spread)
{
    const double values[] = {spread.median, spread.low, spread.high};
    for (size_t i = 0; i < 3; i++)
        fprintf(out, isnan(values[i]) ? "\t?" : "\t%.6g", values[i]);
}

/* Of the most threads: what a picture without them shows. */
static double most_threads(const struct view_group *group)
{
    double most = NAN;
    for (double next = next_threads(group, 0); !isnan(next); next = next_threads(group, next))
        most = next;
    return most;
}

static bool is_shown(const struct view_group *group, size_t index, double threads)
{
    return group->rows[index].ok && !(threads_of(&group->rows[index]) < threads) &&
           !(threads_of(&group->rows[index]) > threads) && is_new(group, index, true);
}

static void write_bars(FILE *out, const struct view_group *group,
                       const struct clock_figure *figures)
{
    char name[VIEW_LABEL_SIZE];
    double threads = most_threads(group);
    for (; figures->title; figures++) {
        if (!has_figure(group, figures))
            continue;
        fprintf(out, "\n\n%s\t%s\n", figures->title, figures->unit);
        for (size_t i = 0; i < group->row_count; i++) {
            if (!is_shown(group, i, threads))
                continue;
            name_of(name, sizeof name, group, &group->rows[i]);
            fprintf(out, "%s", name);
            write_spread(out, spread_of(&group->rows[i], figures));
            fputc('\n', out);
        }
    }
}

/* The row of that name at that number of threads, or NULL. */
static const struct view_row *row_at(const struct view_group *group, const char *name,
                                     double threads)
{
    char other[VIEW_LABEL_SIZE];
    for (size_t i = 0; i < group->row_count; i++) {
        name_of(other, sizeof other, group, &group->rows[i]);
        if (strcmp(name, other) == 0 && is_shown(group, i, threads))
            return &group->rows[i];
    }
    return NULL;
}

static void write_lines(FILE *out, const struct view_group *group)
{
    char name[VIEW_LABEL_SIZE];
    fprintf(out, "\n\n%s", throughput->title);
    for (size_t i = 0; i < group->row_count; i++)
        if (is_new(group, i, false)) {
            name_of(name, sizeof name, group, &group->rows[i]);
            fprintf(out, "\t%s", name);
        }
    fputc('\n', out);
    for (double threads = next_threads(group, 0); !isnan(threads);
         threads = next_threads(group, threads)) {
        fprintf(out, "%.0f", threads);
        for (size_t i = 0; i < group->row_count; i++) {
            if (!is_new(group, i, false))
                continue;
            name_of(name, sizeof name, group, &group->rows[i]);
            const struct view_row *row = row_at(group, name, threads);
            write_spread(out, row ? spread_of(row, throughput) : (struct spread){NAN, NAN, NAN});
        }
        fputc('\n', out);
    }
}

static void write_title(char *out, size_t size, const struct view_group *group,
                        enum clock_plot kind)
{
    char title[256];
    double threads = most_threads(group);
    struct text text = text_in(out, size);
    view_title(title, sizeof title, group);
    char *tick = strstr(title, ", tick "); /* of the stream, which a runner's is not */
    if (tick)
        *tick = '\0';
    text_add(&text, "%s", title);
    if (is_of_one_design(group))
        text_add(&text, ", over %s", json_get_text(group->rows[0].cell, "impl"));
    if (kind != THROUGHPUT && kind != IDLE)
        text_add(&text, ", %.0f thread%s", threads, threads > 1 ? "s" : "");
}

/* Blocks and series, as the head of the file has them. */
static void count_parts(const struct view_group *group, enum clock_plot kind, size_t *blocks,
                        size_t *series)
{
    double threads = most_threads(group);
    *blocks = kind == THROUGHPUT ? 1 : count_figures(group, plots[kind].figures);
    *series = 0;
    for (size_t i = 0; i < group->row_count; i++)
        *series += kind == THROUGHPUT ? is_new(group, i, false) : is_shown(group, i, threads);
}

static void write_picture(FILE *out, const cJSON *document, const struct picture *picture)
{
    struct view view = view_make(document);
    const struct view_group *group = &view.groups[picture->group];
    enum clock_plot kind = (enum clock_plot)picture->kind;
    char title[400];
    size_t blocks, series;
    write_title(title, sizeof title, group, kind);
    count_parts(group, kind, &blocks, &series);
    plotdata_write_head(out, document, title, blocks, series);
    plotdata_write_note(out, &view, picture->group);
    if (kind == THROUGHPUT)
        write_lines(out, group);
    else
        write_bars(out, group, plots[kind].figures);
    view_free(&view);
}

/* "lateness-hold", with a number where there is another of that workload. */
static void name_picture(struct picture *picture, const struct view *view)
{
    const char *workload = view->groups[picture->group].workload;
    size_t before = 0, size = sizeof picture->name;
    for (size_t i = 0; i < picture->group; i++)
        before += strcmp(view->groups[i].workload, workload) == 0 &&
                  has_picture(&view->groups[i], (enum clock_plot)picture->kind);
    size_t length = (size_t)snprintf(picture->name, size, "%s-%s", picture->script, workload);
    for (char *c = picture->name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            *c = '_';
    if (before > 0 && length < size)
        snprintf(picture->name + length, size - length, "-%zu", before + 1);
}

void clock_pictures(const cJSON *document, struct pictures *out)
{
    struct view view = view_make(document);
    for (size_t group = 0; group < view.group_count; group++)
        for (int kind = 0; kind < PLOTS; kind++) {
            struct picture picture = {
                .script = plots[kind].name, .write = write_picture, .group = group, .kind = kind};
            if (!has_picture(&view.groups[group], (enum clock_plot)kind))
                continue;
            name_picture(&picture, &view);
            pictures_add(out, &picture);
        }
    view_free(&view);
}
