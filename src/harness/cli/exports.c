/* exports.c - lists the export formats and what writes each. */
#include "harness/cli/exports.h"

#include "harness/tell/report/services.h"
#include "harness/tell/report/writer.h"

#include <string.h>

const struct export_format export_formats[] = {
    {"export-csv", "comma-separated values", NULL, NULL, writer_csv},
    {"export-markdown", "Markdown tables", NULL, NULL, writer_markdown},
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
    return kind == EXPORT_RESULT       ? row->write || row->write_page
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
