/*
 * sample_page.h - a document's page as text, for tests of builders.
 */
#ifndef TWBENCH_SAMPLE_PAGE_H
#define TWBENCH_SAMPLE_PAGE_H

#include "harness/tell/report/builders.h"
#include "harness/tell/report/writer.h"
#include "testing.h"

enum sample_format { SAMPLE_TERMINAL, SAMPLE_MARKDOWN, SAMPLE_HTML, SAMPLE_CSV };

/* The caller frees it. */
static inline char *sample_page(page_builder_fn *build, const cJSON *document,
                                enum sample_format format, struct report_style style)
{
    struct page page = {.blocks = NULL};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    build(&page, document);
    if (format == SAMPLE_TERMINAL)
        writer_terminal(out, &page, &style);
    else if (format == SAMPLE_MARKDOWN)
        writer_markdown(out, &page);
    else if (format == SAMPLE_HTML)
        writer_html(out, &page, NULL);
    else
        writer_csv(out, &page);
    page_free(&page);
    assert_int_equal(fclose(out), 0);
    return text;
}

#endif
