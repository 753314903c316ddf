/* exports.c - lists the export formats and what writes each. */
#include "harness/cli/exports.h"

#include "harness/report/bencher.h"
#include "harness/report/compare_junit.h"
#include "harness/report/csv.h"
#include "harness/report/custom.h"
#include "harness/report/documents.h"
#include "harness/report/gbench.h"
#include "harness/report/junit.h"
#include "harness/report/markdown.h"
#include "harness/report/origin_markdown.h"
#include "harness/report/writer.h"

#include <string.h>

/* The report without its pictures; the other formats are for the cells alone. */
static void write_markdown(FILE *out, const struct result_document *document)
{
    const struct document_kind *kind = document_kind_of(result_json(document));
    struct page top = {.blocks = NULL};
    if (kind) {
        kind->build(&top, result_json(document));
        writer_markdown(out, &top);
        fputc('\n', out);
    }
    page_free(&top);
    markdown_write(out, document);
    origin_markdown_write(out, result_json(document));
}

const struct export_format export_formats[] = {
    {"export-csv", "comma-separated values", csv_write, NULL, writer_csv},
    {"export-markdown", "Markdown tables", write_markdown, NULL, writer_markdown},
    {"export-gbench", "JSON of Google Benchmark, for its compare.py", gbench_write, NULL, NULL},
    {"export-bencher", "Bencher Metric Format", bencher_write, NULL, NULL},
    {"export-custom", "customSmallerIsBetter, for github-action-benchmark", custom_write, NULL,
     NULL},
    {"export-junit", "JUnit XML, a test case per cell", junit_write, compare_junit_write, NULL},
};
const size_t export_format_count = sizeof export_formats / sizeof *export_formats;

_Static_assert(sizeof export_formats / sizeof *export_formats <= EXPORTS_MAX,
               "options have a field for every format");

bool export_offered(size_t format, enum export_kind kind)
{
    if (format >= export_format_count)
        return false;
    const struct export_format *row = &export_formats[format];
    return kind == EXPORT_RESULT       ? row->write != NULL
           : kind == EXPORT_COMPARISON ? row->write_comparison || row->write_page
                                       : kind == EXPORT_PAGE && row->write_page != NULL;
}

size_t export_find(const char *flag)
{
    size_t i = 0;
    while (i < export_format_count && strcmp(export_formats[i].flag, flag) != 0)
        i++;
    return i;
}
