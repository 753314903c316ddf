/* plot.c - draws the pictures of a document with gnuplot. */
#include "harness/tell/report/plot.h"

#include "harness/base/memory.h"
#include "harness/tell/report/documents.h"

#include <glob.h>
#include <sys/mman.h>
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

void pictures_add(struct pictures *pictures, const struct picture *picture)
{
    size_t count = pictures->count + 1;
    pictures->items = memory_grow(pictures->items, count, sizeof *pictures->items);
    pictures->paths = memory_grow(pictures->paths, count, sizeof *pictures->paths);
    pictures->items[pictures->count] = *picture;
    pictures->paths[pictures->count++] = NULL;
}

void pictures_free(struct pictures *pictures)
{
    for (size_t i = 0; i < pictures->count; i++)
        free(pictures->paths[i]);
    free(pictures->paths);
    free(pictures->items);
    *pictures = (struct pictures){.count = 0};
}

/* ---- Pictures of a run. ------------------------------------------------------------------------ */

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

static void write_group(FILE *out, const cJSON *document, const struct picture *picture)
{
    struct view view = view_make(document);
    plotdata_write(out, document, &view, picture->group, (enum plot_kind)picture->kind);
    view_free(&view);
}

void plot_run_pictures(const cJSON *document, struct pictures *out)
{
    struct view view = view_make(document);
    for (size_t group = 0; group < view.group_count; group++)
        for (int kind = 0; kind < PLOT_KINDS; kind++) {
            struct picture picture = {.script = plotdata_kind_name((enum plot_kind)kind),
                                      .write = write_group,
                                      .group = group,
                                      .kind = kind};
            if (!plotdata_has(&view, group, (enum plot_kind)kind))
                continue;
            name_picture(picture.name, sizeof picture.name, &view, group, (enum plot_kind)kind);
            pictures_add(out, &picture);
        }
    view_free(&view);
}

/* ---- Drawing. ---------------------------------------------------------------------------------- */

struct plotter {
    const cJSON *document;
    const char *directory, *scripts;
    enum plot_format format;
    struct diag *diag;
};

static int write_data(const struct plotter *plotter, const struct picture *picture,
                      const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return diag_run(plotter->diag, "%s: cannot be written: %s", path, strerror(errno));
    picture->write(out, plotter->document, picture);
    bool failed = ferror(out) != 0;
    failed |= fclose(out) != 0;
    if (failed)
        return diag_run(plotter->diag, "%s: cannot be written: %s", path, strerror(errno));
    return DIAG_OK;
}

/* The script among the core's, or else in a lab of the source tree. */
static int find_script(const struct plotter *plotter, const char *name, char *out, size_t size)
{
    glob_t found;
    snprintf(out, size, "%s/../labs/*/plots/%s.gp", plotter->scripts, name);
    if (glob(out, 0, NULL, &found) == 0) {
        snprintf(out, size, "%s", found.gl_pathv[0]);
        globfree(&found);
        return DIAG_OK;
    }
    snprintf(out, size, "%s/%s.gp", plotter->scripts, name);
    if (access(out, R_OK) != 0)
        return diag_run(plotter->diag, "%s: cannot be read: %s", out, strerror(errno));
    return DIAG_OK;
}

static int draw(const struct plotter *plotter, const struct picture *picture, char **path)
{
    char data[4352], file[4352], script[4352], folders[9000];
    snprintf(data, sizeof data, "%s/%s.tsv", plotter->directory, picture->name);
    snprintf(file, sizeof file, "%s/%s.%s", plotter->directory, picture->name,
             format_names[plotter->format]);
    /* Text leaves no file, also when its reader goes away. */
    int unnamed = plotter->format == PLOT_DUMB ? memfd_create(picture->name, 0) : -1;
    if (plotter->format == PLOT_DUMB)
        snprintf(data, sizeof data, "/proc/self/fd/%d", unnamed);
    int status = find_script(plotter, picture->script, script, sizeof script);
    /* What scripts load by name: the core's, and those beside them. */
    snprintf(folders, sizeof folders, "%s:%.*s", plotter->scripts,
             (int)(strrchr(script, '/') - script), script);
    setenv("GNUPLOT_LIB", folders, 1);
    if (status == DIAG_OK)
        status = write_data(plotter, picture, data);
    if (status == DIAG_OK)
        status = gnuplot_run(script, data, unnamed < 0 ? file : NULL, plotter->diag);
    if (unnamed >= 0)
        close(unnamed);
    else if (status == DIAG_OK)
        *path = memory_text(file);
    return status;
}

static int draw_into(const struct plotter *plotter, struct pictures *pictures)
{
    const struct document_kind *kind = document_kind_of(plotter->document);
    int status = DIAG_OK;
    if (!kind || !kind->pictures)
        return diag_usage(plotter->diag, "nothing to draw: the document has no pictures");
    kind->pictures(plotter->document, pictures);
    if (pictures->count == 0)
        return diag_usage(plotter->diag, "nothing to draw: %s", kind->no_pictures);
    for (size_t i = 0; i < pictures->count && status == DIAG_OK; i++)
        status = draw(plotter, &pictures->items[i], &pictures->paths[i]);
    return status;
}

int plot_all(const cJSON *document, const char *directory, const char *scripts,
             enum plot_format format, struct pictures *out, struct diag *diag)
{
    struct plotter plotter = {document, directory ? directory : "", scripts, format, diag};
    *out = (struct pictures){.count = 0};
    int status = format == PLOT_DUMB ? DIAG_OK : gnuplot_directory(directory, diag);
    if (status == DIAG_OK)
        status = draw_into(&plotter, out);
    if (status != DIAG_OK) {
        pictures_free(out);
        *out = (struct pictures){.count = 0};
    }
    return status;
}
