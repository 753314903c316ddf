/*
 * page_cells.h - every figure of a document's cells, by the catalogue (tell/result/figures.h).
 */
#ifndef TWBENCH_PAGE_CELLS_H
#define TWBENCH_PAGE_CELLS_H

#include "harness/tell/report/page.h"

#include <cjson/cJSON.h>

/* What every document with cells ends with: pictures that belong to nothing else, a section with a sheet for each
 * kind of figure, where it comes from, and for programs a table with a row per cell and phase. */
void page_cells(struct page *page, const cJSON *document);

#endif
