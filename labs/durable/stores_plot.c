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

/* ---- Writing. -------------------------------------------------------------------------------- */

/* What cannot stand on a logarithmic axis is left out. */
static void write_figure(FILE *out, const cJSON *figure)
{
    static const char *const ends[] = {"median", "low", "high"};
    for (size_t i = 0; i < 3; i++) {
        double value = figure ? json_get_number(figure, ends[i]) : NAN;
        if (isnan(value))
            fputs("\t?", out);
        else
            fprintf(out, "\t%.6g", value);
    }
}

/* A load that was run under one policy alone, where others were run under more, has no panel. */
static bool is_panel(const cJSON *document, const struct axes *axes, size_t panel)
{
    size_t count = 0;
    for (size_t i = 0; i < axes->sync_count; i++) {
        struct wanted wanted = {.sync = axes->syncs[i],
                                .producers = axes->producers[panel / axes->batch_count],
                                .batch = axes->batches[panel % axes->batch_count]};
        count += find(document, &wanted) ? 1 : 0;
    }
    return count > 1 || count == axes->sync_count;
}

static void write_panel(FILE *out, const cJSON *document, const struct axes *axes, size_t panel)
{
    double producers = axes->producers[panel / axes->batch_count];
    double batch = axes->batches[panel % axes->batch_count];
    double tasks = usual_tasks(document, axes, producers, batch);
    char count[32];
    units_format_count(count, sizeof count, units_whole(tasks));
    fprintf(out, "\n\n%s messages, %.0f producer%s, %.0f to a put\tmessages acknowledged a second",
            count, producers, producers > 1 ? "s" : "", batch);
    for (size_t s = 0; s < axes->store_count; s++)
        fprintf(out, "\t%s%s", axes->stores[s], s + 1 < axes->store_count ? "" : "\n");
    for (size_t i = 0; i < axes->sync_count; i++) {
        fprintf(out, "%s", axes->syncs[i]);
        for (size_t s = 0; s < axes->store_count; s++) {
            struct wanted wanted = {axes->stores[s], axes->syncs[i], tasks, producers, batch};
            write_figure(out, json_get(find(document, &wanted), "figures.puts_per_s"));
        }
        fputc('\n', out);
    }
}

/* A panel for each number of producers and batch: policies across, a series per store. */
static void write_puts(FILE *out, const cJSON *document, const struct picture *picture)
{
    (void)picture;
    struct axes axes = axes_of(document);
    size_t loads = axes.producer_count * axes.batch_count, panels = 0;
    for (size_t p = 0; p < loads; p++)
        panels += is_panel(document, &axes, p) ? 1 : 0;
    fprintf(out, "title\tMessages acknowledged a second, by policy\n");
    plotdata_write_machine(out, document);
    fprintf(out, "blocks\t%zu\nseries\t%zu\ncategories\t%zu\n", panels, axes.store_count,
            axes.sync_count);
    for (size_t p = 0; p < loads; p++)
        if (is_panel(document, &axes, p))
            write_panel(out, document, &axes, p);
}

void stores_pictures(const cJSON *document, struct pictures *out)
{
    if (axes_of(document).store_count > 0)
        pictures_add(
            out, &(struct picture){.name = "stores-puts", .write = write_puts, .script = "stores"});
}
