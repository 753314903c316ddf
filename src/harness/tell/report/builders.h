/*
 * builders.h - a builder per kind of document: JSON in, page (page.h) out.
 *
 * Builders are pure: they read the document and nothing else, so an old file makes the same page on any machine.
 * What a document lacks, because an older version wrote it, is left out.
 */
#ifndef TWBENCH_BUILDERS_H
#define TWBENCH_BUILDERS_H

#include "harness/tell/report/page.h"

#include <cjson/cJSON.h>

typedef void page_builder_fn(struct page *page, const cJSON *document);

void page_run(struct page *page, const cJSON *document);        /* docs/RESULT-FORMAT.md */
void page_claims(struct page *page, const cJSON *document);     /* docs/CLAIMS-FORMAT.md */
void page_advice(struct page *page, const cJSON *document);     /* docs/ADVISE-FORMAT.md */
void page_comparison(struct page *page, const cJSON *document); /* docs/COMPARE-FORMAT.md */
void page_limits(struct page *page, const cJSON *document);     /* docs/LIMITS.md */
void page_selftest(struct page *page, const cJSON *document);   /* docs/SELFTEST-FORMAT.md */
void page_trace(struct page *page, const cJSON *document);      /* docs/TRACE.md */
void page_import(struct page *page, const cJSON *document);     /* docs/IMPORT.md */
void page_show(struct page *page, const cJSON *document);       /* docs/SHOW.md */

/* Of an advice: "nginx, 2035 tasks, tick 1 ms". */
void page_advice_title(char *out, size_t size, const cJSON *document);

#endif
