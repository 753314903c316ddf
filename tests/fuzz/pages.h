/*
 * pages.h - writes the page of a document in every format, for fuzz targets, and looks at what was printed.
 */
#ifndef TWBENCH_PAGES_H
#define TWBENCH_PAGES_H

#include "harness/tell/report/documents.h"
#include "harness/tell/report/page.h"
#include "harness/tell/report/writer.h"
#include "mutate.h"

/* Aborts on "nan" or "inf" that the input does not have. */
static inline void pages_show(const cJSON *document, const uint8_t *data, size_t size)
{
    char *printed = NULL;
    size_t length = 0;
    struct page page = {.blocks = NULL};
    const struct report_style style = {.utf8 = size % 2, .columns = 80};
    const struct document_kind *kind = document_kind_of(document);
    if (!kind)
        return;
    FILE *out = open_memstream(&printed, &length);
    kind->build(&page, document);
    writer_terminal(out, &page, &style);
    writer_markdown(out, &page);
    writer_html(out, &page, NULL);
    writer_csv(out, &page);
    fclose(out);
    page_free(&page);
    fuzz_check_numbers(printed, data, size);
    free(printed);
}

#endif
