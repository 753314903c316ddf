/* cmd_report.c - report and plot: shows an old document of any kind again. */
#include "harness/cli/cli.h"
#include "harness/cli/outputs.h"
#include "harness/tell/report/documents.h"

typedef int render_fn(const struct options *options, const struct document *document,
                      struct diag *diag);

static int render(const struct options *options, render_fn *how)
{
    struct diag diag;
    struct document document = {.kind = NULL};
    int status = DIAG_OK;
    if (options->operand_count != 1)
        status = diag_usage(&diag, "%s: %zu files given; expected one DOCUMENT.json",
                            options->command->name, options->operand_count);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    if (status == DIAG_OK)
        status = document_load(options->operands[0], &document, &diag);
    if (status == DIAG_OK)
        status = how(options, &document, &diag);
    bool broken = false;
    if (status == DIAG_OK && document.result)
        status = outputs_assert(options, document.result, &broken, &diag);
    if (status == DIAG_USAGE && (document.kind || document.result))
        diag_name(&diag, options->operands[0]);
    document_free(&document);
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    return broken ? EXIT_REGRESSED : EXIT_OK;
}

static int report(const struct options *options, const struct document *document, struct diag *diag)
{
    return document->result ? outputs_write(options, document->result, diag)
                            : outputs_page(options, document->json, diag);
}

static int plot(const struct options *options, const struct document *document, struct diag *diag)
{
    return document->result ? outputs_plot(options, result_json(document->result), diag)
                            : outputs_picture(options, document->json, diag);
}

int cmd_report(const struct options *options)
{
    return render(options, report);
}

int cmd_plot(const struct options *options)
{
    struct diag diag;
    if (!options->plots && options->plot_format != PLOT_DUMB) {
        diag_usage(&diag, "plot: --plots=DIR is missing (or --plot-format=dumb for the terminal)");
        return cli_fail(DIAG_USAGE, &diag);
    }
    return render(options, plot);
}
