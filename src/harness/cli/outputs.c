/* outputs.c - writes a document in every format that was asked for. */
#include "harness/cli/outputs.h"

#include "harness/base/file.h"
#include "harness/base/interrupt.h"
#include "harness/base/paths.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/writer.h"

#include <string.h>

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* ---- Before anything runs. ------------------------------------------------------------------- */

static bool is_running(const struct options *options, const char *impl)
{
    for (size_t i = 0; i < options->design_count; i++)
        if (strcmp(options->designs[i]->timed->name, impl) == 0)
            return true;
    return false;
}

/* A claim needs its design and, of a workload whose sizes are given, enough of them. */
static int check_claims(const struct options *options, struct diag *diag)
{
    for (size_t i = 0; i < options->claim_count; i++) {
        const struct sweep_claim *claim = &options->claims[i];
        if (!is_running(options, claim->impl))
            return diag_usage(diag, "--assert: '%s': '%s' is not among the designs that run",
                              claim->text, claim->impl);
        if (options->task_count < GROWTH_SIZES_MIN)
            return diag_usage(diag,
                              "--assert: '%s': expected at least %d numbers of tasks, such as "
                              "--tasks=1e3..1e6",
                              claim->text, GROWTH_SIZES_MIN);
    }
    return DIAG_OK;
}

static int check_targets(const struct options *options, struct diag *diag)
{
    struct options_file files[OPTIONS_FILES_MAX];
    size_t count = options_files(options, files);
    int status = DIAG_OK;
    for (size_t i = 0; i < count && status == DIAG_OK; i++)
        if (files[i].path && files[i].path != options->trace)
            status = paths_check_file(files[i].flag, files[i].path, diag);
    if (status == DIAG_OK && options->plots)
        status = paths_check_directory("--plots", options->plots, diag);
    bool draws = options->plots || options->plot_format == PLOT_DUMB;
    if (status == DIAG_OK && draws && !paths_has_command("gnuplot"))
        return diag_usage(diag, "%s: gnuplot is not installed (Debian package gnuplot-nox)",
                          options->plots ? "--plots" : "--plot-format");
    return status;
}

/* What is made of a document can be made again at any time; it is still not overwritten unasked. */
static int check_existing(const struct options *options, struct diag *diag)
{
    struct options_file files[OPTIONS_FILES_MAX];
    bool keeps_cells =
        options->command->flags & (FLAGS_RUN | FLAGS_CLAIMS | FLAGS_ADVISE | FLAGS_STORES);
    size_t count = options_files(options, files);
    int status = DIAG_OK;
    if (options->force || options->setup.resume)
        return DIAG_OK;
    for (size_t i = 0; i < count && status == DIAG_OK; i++) {
        char advice[96];
        snprintf(advice, sizeof advice, "remove it, name another file with %.23s, or --force",
                 files[i].flag);
        if (files[i].path && files[i].path == options->setup.json && keeps_cells)
            status = result_refuse_existing(files[i].path, diag);
        else if (files[i].path && files[i].path != options->trace)
            status = file_refuse_existing(files[i].path, advice, diag);
    }
    return status;
}

int outputs_check(const struct options *options, struct diag *diag)
{
    int status = check_existing(options, diag);
    if (status == DIAG_OK)
        status = check_targets(options, diag);
    if (status == DIAG_OK && (options->command->flags & FLAGS_RUN))
        status = check_claims(options, diag);
    return status;
}

/* ---- What can fail without costing the rest. ------------------------------------------------- */

/* Notes how a step ended.  The first that failed is what the command answers; the others are said at once. */
static void note(int *status, struct diag *diag, int step, const struct diag *step_diag)
{
    if (step == DIAG_OK)
        return;
    if (*status != DIAG_OK) {
        fprintf(stderr, "twbench: %s\n", step_diag->text);
        return;
    }
    *status = step;
    *diag = *step_diag;
}

/* A result, and what prints it. */
struct rendering {
    const struct export_format *format;
    const struct result_document *result;
};

static void print_rendering(FILE *out, const void *ctx)
{
    const struct rendering *rendering = ctx;
    rendering->format->write(out, rendering->result);
}

/* Every export that was asked for and is no format of pages. */
static int write_exports(const struct options *options, const struct result_document *document,
                         struct diag *diag)
{
    int status = DIAG_OK;
    struct diag step;
    for (size_t i = 0; i < export_format_count; i++) {
        struct rendering rendering = {&export_formats[i], document};
        if (options->exports[i] && !export_formats[i].write_page)
            note(&status, diag,
                 file_replace(options->exports[i], print_rendering, &rendering, &step), &step);
    }
    return status;
}

int outputs_plot(const struct options *options, const cJSON *document, struct diag *diag)
{
    struct plot_files files = {0, NULL};
    int status = plot_all(document, options->plots, options->plot_scripts, options->plot_format,
                          &files, diag);
    for (size_t i = 0; status == DIAG_OK && i < files.count; i++)
        fprintf(stderr, "picture: %s\n", files.paths[i]);
    plot_files_free(&files);
    return status;
}

int outputs_assert(const struct options *options, const struct result_document *document,
                   bool *broken, struct diag *diag)
{
    int status = DIAG_OK;
    *broken = false;
    for (size_t i = 0; i < options->claim_count && status == DIAG_OK; i++) {
        enum growth_answer answer = GROWTH_HOLDS;
        status = sweep_check_claim(document, &options->claims[i], "--assert", &answer, diag);
        if (status == DIAG_OK && answer != GROWTH_HOLDS)
            fprintf(stderr, "twbench: %s\n", diag->text);
        *broken = *broken || answer == GROWTH_BROKEN;
    }
    return status;
}

bool outputs_want_text(const struct options *options)
{
    struct options_file files[OPTIONS_FILES_MAX];
    size_t count = options_files(options, files);
    bool wants = !options->silent && !(options->html && (options->command->flags & FLAGS_OLD));
    for (size_t i = 0; i < count; i++)
        wants = wants && !is_stdout(files[i].path);
    return wants;
}

/* ---- The table. ------------------------------------------------------------------------------ */

typedef void show_fn(FILE *out, const void *ctx, const struct report_style *style);

/* Whoever reads stdout may stop reading and stay: then a signal ends what a command shows at its end.  What an
 * import says goes to stderr, for the trace may be on stdout. */
static void show(const struct options *options, show_fn *print, const void *ctx)
{
    sigset_t before;
    bool is_import = options->command->flags & FLAGS_IMPORT;
    FILE *out = is_import ? stderr : stdout;
    if (!is_import && !outputs_want_text(options))
        return;
    struct report_style style = style_for(out, options->color);
    interrupt_admit(&before);
    print(out, ctx, &style);
    fflush(out);
    interrupt_restore(&before);
}

static void show_page(FILE *out, const void *ctx, const struct report_style *style)
{
    writer_terminal(out, ctx, style);
}

/* ---- Everything that was asked for. ---------------------------------------------------------- */

static void print_json(FILE *out, const void *ctx)
{
    const char *text = ctx;
    fprintf(out, "%s\n", text);
}

int outputs_json(const struct options *options, const cJSON *document, struct diag *diag)
{
    if (!options->setup.json)
        return DIAG_OK;
    char *text = cJSON_Print(document);
    if (!text)
        return diag_run(diag, "no memory for the document as JSON");
    int status = file_replace(options->setup.json, print_json, text, diag);
    cJSON_free(text);
    return status;
}

/* ---- Pages. ---------------------------------------------------------------------------------- */

/* A document that is no result, its page, and what prints it. */
struct page_rendering {
    const struct export_format *format;
    const cJSON *comparison; /* NULL: it is none */
    const struct page *page;
};

static void print_page_rendering(FILE *out, const void *ctx)
{
    const struct page_rendering *rendering = ctx;
    const struct export_format *format = rendering->format;
    if (rendering->comparison && format->write_comparison)
        format->write_comparison(out, rendering->comparison);
    else
        format->write_page(out, rendering->page);
}

static void print_frame(FILE *out, const void *ctx)
{
    html_frame_write(out, ctx);
}

static int write_frame(const struct options *options, const struct page *page,
                       const struct inline_pictures *pictures, struct diag *diag)
{
    struct html_frame frame;
    int status = html_frame_open(&frame, options->report_assets, diag);
    frame.page = page;
    frame.pictures = pictures;
    if (status == DIAG_OK)
        status = file_replace(options->html, print_frame, &frame, diag);
    html_frame_close(&frame);
    return status;
}

/* The page in each export that is a format of pages, and a comparison in those of its own. */
static int write_page_exports(const struct options *options, const cJSON *comparison,
                              const struct page *page, struct diag *diag)
{
    struct diag step;
    int status = page_is_whole(page) ? DIAG_OK : diag_run(diag, "no memory for the page");
    for (size_t i = 0; i < export_format_count && page_is_whole(page); i++) {
        struct page_rendering rendering = {&export_formats[i], comparison, page};
        bool has_format =
            export_formats[i].write_page || (comparison && export_formats[i].write_comparison);
        if (options->exports[i] && has_format)
            note(&status, diag,
                 file_replace(options->exports[i], print_page_rendering, &rendering, &step), &step);
    }
    return status;
}

int outputs_exports(const struct options *options, const cJSON *document, struct diag *diag)
{
    const struct document_kind *kind = document_kind_of(document);
    struct page page = {.failed = !kind};
    if (kind)
        kind->build(&page, document);
    int status = write_page_exports(options, NULL, &page, diag);
    page_free(&page);
    return status;
}

static bool is_comparison(const struct document_kind *kind)
{
    return kind->build == page_comparison;
}

/* The page of a document, with pictures where HTML is asked for. */
static int write_page(const struct options *options, const struct document_kind *kind,
                      const cJSON *document, struct diag *diag)
{
    struct page page = {.blocks = NULL};
    struct inline_pictures pictures = {.items = NULL};
    struct diag step;
    int status = options->html && kind->has_pictures
                     ? inline_draw(document, options->plot_scripts, &pictures, diag)
                     : DIAG_OK;
    kind->build(&page, document);
    show(options, show_page, &page);
    note(&status, diag,
         write_page_exports(options, is_comparison(kind) ? document : NULL, &page, &step), &step);
    if (options->html && page_is_whole(&page))
        note(&status, diag,
             write_frame(options, &page, kind->has_pictures ? &pictures : NULL, &step), &step);
    if (pictures.missing[0])
        fprintf(stderr, "twbench: the report has no pictures: %s\n", pictures.missing);
    page_free(&page);
    inline_free(&pictures);
    return status;
}

int outputs_write(const struct options *options, const struct result_document *document,
                  struct diag *diag)
{
    const cJSON *json = result_json(document);
    struct diag step;
    int status = write_page(options, document_kind_of(json), json, diag);
    note(&status, diag, write_exports(options, document, &step), &step);
    if (options->plots || options->plot_format == PLOT_DUMB)
        note(&status, diag, outputs_plot(options, json, &step), &step);
    return status;
}

/* `report` takes flags that only cells have a use for. */
static int check_flags(const struct options *options, const struct document_kind *kind,
                       struct diag *diag)
{
    bool wants_plots = options->plots || options->plot_format == PLOT_DUMB;
    if (options->claim_count > 0)
        return diag_usage(diag, "--assert: a %s document has no cells; expected a result",
                          kind->name);
    if (wants_plots && (!kind->has_pictures || options->plot_format == PLOT_DUMB))
        return diag_usage(diag, "--plots: a %s document has no %s", kind->name,
                          kind->has_pictures ? "picture for the terminal" : "pictures");
    for (size_t i = 0; i < export_format_count; i++)
        if (options->exports[i] &&
            !export_offered(i, is_comparison(kind) ? EXPORT_COMPARISON : EXPORT_PAGE))
            return diag_usage(diag, "--%s: a %s document is no result; expected one",
                              export_formats[i].flag, kind->name);
    return DIAG_OK;
}

int outputs_picture(const struct options *options, const cJSON *document, struct diag *diag)
{
    const struct document_kind *kind = document_kind_of(document);
    int status = kind ? check_flags(options, kind, diag) : DIAG_OK;
    return kind && status == DIAG_OK ? outputs_plot(options, document, diag) : status;
}

int outputs_page(const struct options *options, const cJSON *document, struct diag *diag)
{
    const struct document_kind *kind = document_kind_of(document);
    if (!kind)
        return diag_usage(diag, "the document is of no kind that twbench writes");
    int status = check_flags(options, kind, diag);
    if (status == DIAG_OK)
        status = write_page(options, kind, document, diag);
    return status == DIAG_OK && options->plots ? outputs_picture(options, document, diag) : status;
}

int outputs_document(const struct options *options, const cJSON *document, struct diag *diag)
{
    int status = outputs_json(options, document, diag);
    return status == DIAG_OK ? outputs_page(options, document, diag) : status;
}
