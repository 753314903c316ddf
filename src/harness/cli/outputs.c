/* outputs.c - the renderers, called for the flags that ask for them. */
#include "harness/cli/outputs.h"

#include "harness/report/table.h"
#include "impls/registry.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* Exports are made again from the document at any time; they are still not overwritten unasked. */
static int check_export(const char *flag, const char *path, struct diag *diag)
{
    if (path && !is_stdout(path) && access(path, F_OK) == 0)
        return diag_usage(diag, "--%s: %s is there already; remove it or name another file", flag,
                          path);
    return DIAG_OK;
}

int outputs_check(const struct options *options, struct diag *diag)
{
    int status = DIAG_OK;
    if (options->force || options->resume)
        return DIAG_OK;
    if (options->json)
        status = result_refuse_existing(options->json, diag);
    for (size_t i = 0; i < export_format_count && status == DIAG_OK; i++)
        status = check_export(export_formats[i].flag, options->exports[i], diag);
    return status;
}

static int write_export(const char *path, export_fn *write, const struct result_document *document,
                        struct diag *diag)
{
    if (!path)
        return DIAG_OK;
    if (is_stdout(path)) {
        write(stdout, document);
        return DIAG_OK;
    }
    FILE *out = fopen(path, "w");
    if (!out)
        return diag_run(diag, "%s: %s", path, strerror(errno));
    write(out, document);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        return diag_run(diag, "%s: writing failed", path);
    return DIAG_OK;
}

int outputs_plot(const struct options *options, const struct result_document *document,
                 struct diag *diag)
{
    struct plot_files files = {0, NULL};
    int status = plot_all(document, options->plots, options->plot_scripts, options->plot_format,
                          &files, diag);
    for (size_t i = 0; status == DIAG_OK && i < files.count; i++)
        fprintf(stderr, "picture: %s\n", files.paths[i]);
    plot_files_free(&files);
    return status;
}

static const struct tw_traits *declared_traits(const char *impl)
{
    const struct registry_entry *design = registry_find(impl);
    return design ? &design->timed->traits : NULL;
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

static bool wants_table(const struct options *options)
{
    bool wants = !is_stdout(options->json);
    for (size_t i = 0; i < export_format_count; i++)
        wants = wants && !is_stdout(options->exports[i]);
    return wants;
}

int outputs_write(const struct options *options, const struct result_document *document,
                  struct diag *diag)
{
    int status = DIAG_OK;
    if (wants_table(options)) {
        struct report_style style = style_for(stdout, options->color);
        table_write(stdout, document, &style);
        sweep_write(stdout, document, &style, declared_traits);
    }
    for (size_t i = 0; i < export_format_count && status == DIAG_OK; i++)
        status = write_export(options->exports[i], export_formats[i].write, document, diag);
    if (status == DIAG_OK && (options->plots || options->plot_format == PLOT_DUMB))
        status = outputs_plot(options, document, diag);
    return status;
}
