/* stores_plot.c - writes the data of the pictures of stores. */
#include "labs/durable/durable.h"

#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/tell/report/plot.h"

#include <math.h>

#define VALUES_MAX 16

/* Cells side by side: what tells them from one another.  Texts are the document's. */
struct axes {
    const char *stores[VALUES_MAX], *syncs[VALUES_MAX];
    double tasks[VALUES_MAX], producers[VALUES_MAX], batches[VALUES_MAX];
    size_t store_count, sync_count, task_count, producer_count, batch_count;
};

/* A figure as it is drawn: times in nanoseconds. */
struct drawn {
    const char *figure, *unit;
    double scale;
};

static const struct drawn puts_drawn = {"puts_per_s", "messages acknowledged a second", 1};
static const struct drawn recovery_drawn = {"recovery_s", "ns", 1e9};

/* ---- Cells. ---------------------------------------------------------------------------------- */

/* Of a load at full speed. */
static bool is_drawn(const cJSON *cell)
{
    return strcmp(json_get_text(cell, "status"), "ok") == 0 &&
           !(json_get_number(cell, "load.kills") > 0) && !(json_get_number(cell, "load.rate") > 0);
}

static void add_text(const char **list, size_t *count, const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(list[i], text) == 0)
            return;
    if (*count < VALUES_MAX)
        list[(*count)++] = text;
}

/* Ascending. */
static void add_number(double *list, size_t *count, double value)
{
    size_t at = *count;
    for (size_t i = 0; i < *count; i++)
        if (!(list[i] < value) && !(list[i] > value))
            return;
    if (*count == VALUES_MAX)
        return;
    for (; at > 0 && list[at - 1] > value; at--)
        list[at] = list[at - 1];
    list[at] = value;
    ++*count;
}

static struct axes axes_of(const cJSON *document)
{
    struct axes axes = {.store_count = 0};
    json_each(cell, document, "cells") {
        if (!is_drawn(cell))
            continue;
        add_text(axes.stores, &axes.store_count, json_get_text(cell, "store"));
        add_text(axes.syncs, &axes.sync_count, json_get_text(cell, "sync"));
        add_number(axes.tasks, &axes.task_count, json_get_number(cell, "load.tasks"));
        add_number(axes.producers, &axes.producer_count, json_get_number(cell, "load.producers"));
        add_number(axes.batches, &axes.batch_count, json_get_number(cell, "load.batch"));
    }
    return axes;
}

/* Which cell is asked for; tasks 0: any number. */
struct wanted {
    const char *store, *sync;
    double tasks, producers, batch;
};

static bool is_number(const cJSON *cell, const char *path, double value)
{
    double there = json_get_number(cell, path);
    return !(value > 0) || (!(there < value) && !(there > value));
}

static const cJSON *find(const cJSON *document, const struct wanted *wanted)
{
    json_each(cell, document, "cells")
        if (is_drawn(cell) &&
            (!wanted->store || strcmp(json_get_text(cell, "store"), wanted->store) == 0) &&
            (!wanted->sync || strcmp(json_get_text(cell, "sync"), wanted->sync) == 0) &&
            is_number(cell, "load.tasks", wanted->tasks) &&
            is_number(cell, "load.producers", wanted->producers) &&
            is_number(cell, "load.batch", wanted->batch))
            return cell;
    return NULL;
}

static const cJSON *figure_of(const cJSON *cell, const struct drawn *drawn)
{
    return json_get(json_get(cell, "figures"), drawn->figure);
}

/* The number of messages that most stores and policies of this load were run with; of several the largest. */
static double usual_tasks(const cJSON *document, const struct axes *axes, double producers,
                          double batch)
{
    double usual = 0;
    size_t most = 0;
    for (size_t t = 0; t < axes->task_count; t++) {
        size_t count = 0;
        for (size_t i = 0; i < axes->store_count * axes->sync_count; i++) {
            struct wanted wanted = {.store = axes->stores[i / axes->sync_count],
                                    .sync = axes->syncs[i % axes->sync_count],
                                    .tasks = axes->tasks[t],
                                    .producers = producers,
                                    .batch = batch};
            count += find(document, &wanted) ? 1 : 0;
        }
        if (count > 0 && count >= most) {
            most = count;
            usual = axes->tasks[t];
        }
    }
    return usual;
}

/* Sizes at which recoveries of that load are known. */
static size_t sizes_of(const cJSON *document, const struct axes *axes, struct wanted wanted)
{
    size_t count = 0;
    for (size_t t = 0; t < axes->task_count; t++) {
        bool known = false;
        wanted.tasks = axes->tasks[t];
        for (size_t s = 0; s < axes->store_count; s++) {
            wanted.store = axes->stores[s];
            known = known || figure_of(find(document, &wanted), &recovery_drawn);
        }
        count += known ? 1 : 0;
    }
    return count;
}

/* The policy, number of producers and batch with most of them, two at least; its `sync` is NULL without one. */
static struct wanted load_of_sizes(const cJSON *document, const struct axes *axes)
{
    struct wanted best = {.sync = NULL};
    size_t most = 1, loads = axes->producer_count * axes->batch_count;
    for (size_t i = 0; i < axes->sync_count * loads; i++) {
        struct wanted wanted = {.sync = axes->syncs[i / loads],
                                .producers = axes->producers[i % loads / axes->batch_count],
                                .batch = axes->batches[i % axes->batch_count]};
        size_t sizes = sizes_of(document, axes, wanted);
        if (sizes > most) {
            most = sizes;
            best = wanted;
        }
    }
    return best;
}

/* ---- Writing. -------------------------------------------------------------------------------- */

/* What cannot stand on a logarithmic axis is left out. */
static void write_figure(FILE *out, const cJSON *figure, const struct drawn *drawn)
{
    static const char *const ends[] = {"median", "low", "high"};
    for (size_t i = 0; i < 3; i++) {
        double value = figure ? drawn->scale * json_get_number(figure, ends[i]) : NAN;
        if (isnan(value))
            fputs("\t?", out);
        else
            fprintf(out, "\t%.6g", value);
    }
}

static void write_head(FILE *out, const cJSON *document, const char *title, size_t blocks,
                       size_t series, size_t categories)
{
    fprintf(out, "title\t%s\n", title);
    plotdata_write_machine(out, document);
    fprintf(out, "blocks\t%zu\nseries\t%zu\ncategories\t%zu\n", blocks, series, categories);
}

static void write_names(FILE *out, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "\t%s", names[i]);
    fputc('\n', out);
}

/* How many policies are known of that load. */
static size_t syncs_of(const cJSON *document, const struct axes *axes, double producers,
                       double batch)
{
    size_t count = 0;
    for (size_t i = 0; i < axes->sync_count; i++) {
        struct wanted wanted = {.sync = axes->syncs[i], .producers = producers, .batch = batch};
        count += find(document, &wanted) ? 1 : 0;
    }
    return count;
}

/* A load that was run under fewer policies than another has no panel. */
static bool is_panel(const cJSON *document, const struct axes *axes, size_t panel)
{
    size_t count = syncs_of(document, axes, axes->producers[panel / axes->batch_count],
                            axes->batches[panel % axes->batch_count]);
    for (size_t p = 0; p < axes->producer_count * axes->batch_count; p++)
        if (syncs_of(document, axes, axes->producers[p / axes->batch_count],
                     axes->batches[p % axes->batch_count]) > count)
            return false;
    return count > 0;
}

static void write_panel(FILE *out, const cJSON *document, const struct axes *axes, size_t panel)
{
    double producers = axes->producers[panel / axes->batch_count];
    double batch = axes->batches[panel % axes->batch_count];
    double tasks = usual_tasks(document, axes, producers, batch);
    char count[32];
    units_format_count(count, sizeof count, units_whole(tasks));
    fprintf(out, "\n\n%s messages, %.0f producer%s, %.0f to a put\t%s", count, producers,
            producers > 1 ? "s" : "", batch, puts_drawn.unit);
    write_names(out, axes->stores, axes->store_count);
    for (size_t i = 0; i < axes->sync_count; i++) {
        fprintf(out, "%s", axes->syncs[i]);
        for (size_t s = 0; s < axes->store_count; s++) {
            struct wanted wanted = {axes->stores[s], axes->syncs[i], tasks, producers, batch};
            write_figure(out, figure_of(find(document, &wanted), &puts_drawn), &puts_drawn);
        }
        fputc('\n', out);
    }
}

/* A panel for each number of producers and batch: policies across, a series per store. */
static void write_puts(FILE *out, const cJSON *document)
{
    struct axes axes = axes_of(document);
    size_t loads = axes.producer_count * axes.batch_count, panels = 0;
    for (size_t p = 0; p < loads; p++)
        panels += is_panel(document, &axes, p) ? 1 : 0;
    write_head(out, document, "Messages acknowledged a second, by policy", panels, axes.store_count,
               axes.sync_count);
    for (size_t p = 0; p < loads; p++)
        if (is_panel(document, &axes, p))
            write_panel(out, document, &axes, p);
}

/* One panel as of cost.gp: messages across, a series per store. */
static void write_recovery(FILE *out, const cJSON *document)
{
    struct axes axes = axes_of(document);
    struct wanted wanted = load_of_sizes(document, &axes);
    write_head(out, document, "Recovery after a kill", 1, axes.store_count, axes.task_count);
    fprintf(out, "\n\n%s, %.0f producer%s, %.0f to a put", wanted.sync, wanted.producers,
            wanted.producers > 1 ? "s" : "", wanted.batch);
    write_names(out, axes.stores, axes.store_count);
    for (size_t t = 0; t < axes.task_count; t++) {
        wanted.tasks = axes.tasks[t];
        wanted.store = NULL;
        if (!find(document, &wanted))
            continue;
        fprintf(out, "%.0f", axes.tasks[t]);
        for (size_t s = 0; s < axes.store_count; s++) {
            wanted.store = axes.stores[s];
            write_figure(out, figure_of(find(document, &wanted), &recovery_drawn), &recovery_drawn);
        }
        fputc('\n', out);
    }
}

/* ---- The pictures. --------------------------------------------------------------------------- */

static void write_picture(FILE *out, const cJSON *document, const struct picture *picture)
{
    (picture->kind ? write_recovery : write_puts)(out, document);
}

void stores_pictures(const cJSON *document, struct pictures *out)
{
    struct axes axes = axes_of(document);
    if (axes.store_count > 0)
        pictures_add(out, &(struct picture){
                              .name = "stores-puts", .write = write_picture, .script = "stores"});
    if (load_of_sizes(document, &axes).sync)
        pictures_add(out, &(struct picture){.name = "stores-recovery",
                                            .write = write_picture,
                                            .kind = 1,
                                            .script = "recovery"});
}
