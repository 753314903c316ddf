/*
 * page_origin.h - where a document comes from: command, build, machine, warnings.
 */
#ifndef TWBENCH_PAGE_ORIGIN_H
#define TWBENCH_PAGE_ORIGIN_H

#include "harness/tell/report/page.h"

#include <cjson/cJSON.h>

/* A section with the command and all that the document says of tool, machine and harness. */
void page_origin(struct page *page, const cJSON *document);

/* A list item for each thing to warn of: a run that was interrupted, cells that failed, the machine's checks. */
void page_warnings(struct page *page, const cJSON *document);

/* What a terminal alone leaves out: when, on which machine, by which program it was measured; and the warnings. */
void page_about(struct page *page, const cJSON *document);

#endif
