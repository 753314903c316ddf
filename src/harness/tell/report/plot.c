/* plot.c - draws a result's pictures with gnuplot. */
#include "harness/tell/report/plot.h"

#include "harness/base/json.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plotdata.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const format_names[] = {
    [PLOT_SVG] = "svg", [PLOT_PNG] = "png", [PLOT_PDF] = "pdf", [PLOT_DUMB] = "dumb"};

int plot_parse_format(const char *text, const char *what, enum plot_format *out, struct diag *diag)
{
    for (size_t i = 0; i < sizeof format_names / sizeof *format_names; i++)
        if (strcmp(text, format_names[i]) == 0) {
            *out = (enum plot_format)i;
            return DIAG_OK;
        }
    return diag_usage(diag, "%s: unknown picture format \"%s\"; expected svg, png, pdf or dumb",
                      what, text);
}

void plot_files_free(struct plot_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (struct plot_files){.count = 0};
}

static int files_add(struct plot_files *files, const char *path, struct diag *diag)
{
    char **paths = realloc(files->paths, (files->count + 1) * sizeof *paths);
    char *copy = strdup(path);
    if (paths)
        files->paths = paths;
    if (!paths || !copy) {
        free(copy);
        return diag_run(diag, "no memory for the list of pictures");
    }
    paths[files->count++] = copy;
    return DIAG_OK;
}

/* ---- One picture. ---------------------------------------------------------------------------- */

struct plotter {
    const cJSON *document;
    struct view view;
    const char *directory, *scripts;
    enum plot_format format;
    struct plot_files *files;
    struct diag *diag;
};

/* "cost-hold", with what tells it from another picture of the same workload: a sweep with another
 * tick or seed, or the number of tasks where each has a picture of its own. */
static void name_picture(char *out, size_t size, const struct view *view, size_t group,
                         enum plot_kind kind)
{
    size_t length = (size_t)snprintf(out, size, "%s-%s", plotdata_kind_name(kind),
                                     view->groups[group].workload);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            *c = '_';
    size_t before = 0;
    for (size_t i = 0; i < group; i++)
        before += strcmp(view->groups[i].workload, view->groups[group].workload) == 0 &&
                  plotdata_has(view, i, kind);
    if (before > 0 && length < size)
        snprintf(out + length, size - length, "-%zu", before + 1);
}

/* A picture, and of what it is. */
struct drawing {
    char name[232];
    const char *script; /* "cost" */
    bool (*write)(FILE *out, const struct plotter *plotter, const struct drawing *drawing);
    enum plot_kind kind; /* of a group */
    size_t group;
    const cJSON *claim, *picture; /* of a claim */
    enum stores_picture stores;
};

static bool write_group(FILE *out, const struct plotter *plotter, const struct drawing *drawing)
{
    return plotdata_write(out, plotter->document, &plotter->view, drawing->group, drawing->kind);
}

static bool write_claim(FILE *out, const struct plotter *plotter, const struct drawing *drawing)
{
    claims_plot_write(out, plotter->document, drawing->claim, drawing->picture);
    return true;
}

static bool write_advice(FILE *out, const struct plotter *plotter, const struct drawing *drawing)
{
    (void)drawing;
    return advice_plot_write(out, plotter->document);
}

static bool write_history(FILE *out, const struct plotter *plotter, const struct drawing *drawing)
{
    (void)drawing;
    history_plot_write(out, plotter->document);
    return true;
}

static bool write_limits(FILE *out, const struct plotter *plotter, const struct drawing *drawing)
{
    (void)drawing;
    limits_plot_write(out, plotter->document);
    return true;
}

static bool write_stores(FILE *out, const struct plotter *plotter, const struct drawing *drawing)
{
    stores_plot_write(out, plotter->document, drawing->stores);
    return true;
}

static bool write_trace(FILE *out, const struct plotter *plotter, const struct drawing *drawing)
{
    (void)drawing;
    census_plot_write(out, plotter->document);
    return true;
}

static int write_data(const struct plotter *plotter, const struct drawing *drawing,
                      const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return diag_run(plotter->diag, "%s: cannot be written: %s", path, strerror(errno));
    bool done = drawing->write(out, plotter, drawing);
    bool failed = ferror(out) != 0;
    failed |= fclose(out) != 0;
    if (!done)
        return diag_run(plotter->diag, "no memory for the data of a picture");
    if (failed)
        return diag_run(plotter->diag, "%s: cannot be written: %s", path, strerror(errno));
    return DIAG_OK;
}

static int draw(const struct plotter *plotter, const struct drawing *drawing)
{
    char data[4352], picture[4352], script[4352];
    snprintf(data, sizeof data, "%s/%s.tsv", plotter->directory, drawing->name);
    snprintf(picture, sizeof picture, "%s/%s.%s", plotter->directory, drawing->name,
             format_names[plotter->format]);
    snprintf(script, sizeof script, "%s/%s.gp", plotter->scripts, drawing->script);
    if (access(script, R_OK) != 0)
        return diag_run(plotter->diag, "%s: cannot be read: %s", script, strerror(errno));
    bool text = plotter->format == PLOT_DUMB;
    int status = write_data(plotter, drawing, data);
    if (status == DIAG_OK)
        status = gnuplot_run(script, data, text ? NULL : picture, plotter->diag);
    if (text)
        unlink(data);
    else if (status == DIAG_OK)
        status = files_add(plotter->files, picture, plotter->diag);
    return status;
}

static int draw_all(const struct plotter *plotter, size_t *drawn)
{
    for (size_t group = 0; group < plotter->view.group_count; group++)
        for (int kind = 0; kind < PLOT_KINDS; kind++) {
            if (!plotdata_has(&plotter->view, group, (enum plot_kind)kind))
                continue;
            struct drawing drawing = {.write = write_group,
                                      .script = plotdata_kind_name((enum plot_kind)kind),
                                      .kind = (enum plot_kind)kind,
                                      .group = group};
            name_picture(drawing.name, sizeof drawing.name, &plotter->view, group, drawing.kind);
            int status = draw(plotter, &drawing);
            if (status != DIAG_OK)
                return status;
            ++*drawn;
        }
    return DIAG_OK;
}

static int draw_claims(const struct plotter *plotter, size_t *drawn)
{
    const cJSON *claim, *picture;
    cJSON_ArrayForEach(claim, json_get(plotter->document, "claims"))
    {
        size_t index = 0;
        cJSON_ArrayForEach(picture, json_get(claim, "pictures"))
        {
            struct drawing drawing = {
                .write = write_claim, .script = "claim", .claim = claim, .picture = picture};
            claims_plot_name(drawing.name, sizeof drawing.name, claim, index++);
            int status = draw(plotter, &drawing);
            if (status != DIAG_OK)
                return status;
            ++*drawn;
        }
    }
    return DIAG_OK;
}

static int draw_advice(const struct plotter *plotter, size_t *drawn)
{
    struct drawing drawing = {.write = write_advice, .script = "advise"};
    advice_plot_name(drawing.name, sizeof drawing.name, plotter->document);
    ++*drawn;
    return draw(plotter, &drawing);
}

static int draw_limits(const struct plotter *plotter, size_t *drawn)
{
    struct drawing drawing = {.write = write_limits, .script = "limits", .name = "limits"};
    if (!limits_plot_has(plotter->document))
        return DIAG_OK;
    ++*drawn;
    return draw(plotter, &drawing);
}

static int draw_history(const struct plotter *plotter, size_t *drawn)
{
    struct drawing drawing = {.write = write_history, .script = "history", .name = "history"};
    if (history_plot_panels(plotter->document) == 0)
        return DIAG_OK;
    ++*drawn;
    return draw(plotter, &drawing);
}

static int draw_stores(const struct plotter *plotter, size_t *drawn)
{
    int status = DIAG_OK;
    for (int i = 0; i < STORES_PICTURES && status == DIAG_OK; i++) {
        struct drawing drawing = {.write = write_stores, .stores = (enum stores_picture)i};
        if (!stores_plot_has(plotter->document, drawing.stores))
            continue;
        drawing.script = stores_plot_script(drawing.stores);
        snprintf(drawing.name, sizeof drawing.name, "%s", stores_plot_name(drawing.stores));
        status = draw(plotter, &drawing);
        ++*drawn;
    }
    return status;
}

static int draw_trace(const struct plotter *plotter, size_t *drawn)
{
    struct drawing drawing = {.write = write_trace, .script = "trace"};
    snprintf(drawing.name, sizeof drawing.name, "trace-%.200s",
             json_get_text(plotter->document, "trace"));
    ++*drawn;
    return draw(plotter, &drawing);
}

/* ---- All pictures. --------------------------------------------------------------------------- */

/* How the pictures of each kind of document are drawn, and what is missing where there are none. */
static const struct {
    const char *kind;
    int (*draw)(const struct plotter *plotter, size_t *drawn);
    const char *missing;
} painters[] = {{"run", draw_all, "no design in the result is ok and was timed"},
                {"claims", draw_claims, "no claim in the document has a picture"},
                {"advice", draw_advice, ""},
                {"limits", draw_limits, "no limit of nodes was measured"},
                {"history", draw_history, "no time is known in two runs"},
                {"stores", draw_stores, "no store has a figure"},
                {"stores-advice", draw_stores, "no store has a figure"},
                {"trace", draw_trace, ""}};

static int plot_into(const struct plotter *plotter)
{
    const struct document_kind *kind = document_kind_of(plotter->document);
    for (size_t i = 0; kind && i < sizeof painters / sizeof *painters; i++) {
        size_t drawn = 0;
        if (strcmp(kind->name, painters[i].kind) != 0)
            continue;
        int status = painters[i].draw(plotter, &drawn);
        return status == DIAG_OK && drawn == 0
                   ? diag_usage(plotter->diag, "nothing to draw: %s", painters[i].missing)
                   : status;
    }
    return diag_usage(plotter->diag, "nothing to draw: the document has no pictures");
}

int plot_all(const cJSON *document, const char *directory, const char *scripts_directory,
             enum plot_format format, struct plot_files *files, struct diag *diag)
{
    char temporary[] = "/tmp/twbench-plot.XXXXXX";
    struct plotter plotter = {
        .document = document,
        .view = view_make(document),
        .directory = directory,
        .scripts = scripts_directory,
        .format = format,
        .files = files,
        .diag = diag,
    };
    *files = (struct plot_files){.count = 0};
    int status = DIAG_OK;
    if (format != PLOT_DUMB)
        status = gnuplot_directory(directory, diag);
    else if (!(plotter.directory = mkdtemp(temporary)))
        status = diag_run(diag, "%s: cannot be made: %s", temporary, strerror(errno));
    if (status == DIAG_OK)
        status = plot_into(&plotter);
    if (format == PLOT_DUMB && plotter.directory)
        rmdir(plotter.directory);
    view_free(&plotter.view);
    if (status != DIAG_OK)
        plot_files_free(files);
    return status;
}
