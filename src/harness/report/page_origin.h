/*
 * page_origin.h - where a document comes from: command, build, machine, warnings.
 */
#ifndef TWBENCH_PAGE_ORIGIN_H
#define TWBENCH_PAGE_ORIGIN_H

#include "harness/report/page.h"

#include <cjson/cJSON.h>

/* A fold with the command and all that the document says of tool, machine and harness. */
void page_origin(struct page *page, const cJSON *document);

/* A list item for each warning of the machine's checks, and one for a run that was interrupted. */
void page_warnings(struct page *page, const cJSON *document);

#endif
