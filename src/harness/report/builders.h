/*
 * builders.h - a builder per kind of document: JSON in, page (page.h) out.
 *
 * Builders are pure: they read the document and nothing else, so an old file makes the same page on any machine.
 * What a document lacks, because an older version wrote it, is left out.
 */
#ifndef TWBENCH_BUILDERS_H
#define TWBENCH_BUILDERS_H

#include "harness/report/page.h"

#include <cjson/cJSON.h>

typedef void page_builder_fn(struct page *page, const cJSON *document);

/* docs/LIMITS.md */
void page_limits(struct page *page, const cJSON *document);

#endif
