/*
 * builders.h - a builder per kind of document: JSON in, page (page.h) out; and the parts that pages share.
 *
 * Builders are pure: they read the document and nothing else, so an old file makes the same page on any machine.
 * What a document lacks, because an older version wrote it, is left out.
 */
#ifndef TWBENCH_BUILDERS_H
#define TWBENCH_BUILDERS_H

#include "harness/tell/report/page.h"
#include "harness/tell/report/view.h"

#include <cjson/cJSON.h>

/* Appends to the page what the document says. */
typedef void page_builder_fn(struct page *page, const cJSON *document);

void page_run(struct page *page, const cJSON *document);        /* schema/result-1.json */
void page_comparison(struct page *page, const cJSON *document); /* schema/comparison-1.json */
void page_selftest(struct page *page, const cJSON *document);   /* schema/selftest-1.json */

/* ---- Parts of pages. --------------------------------------------------------------------------- */

/* What every document with cells ends with: pictures that belong to nothing else, a section with a sheet for each
 * kind of figure by the catalogue (tell/result/figures.h), where it comes from, and for programs a table with a row
 * per cell and phase. */
void page_cells(struct page *page, const cJSON *document);

/* How costs grow over sizes (standing.h): a table "growth"; nothing when the document has no sweep. */
void page_growth(struct page *page, const cJSON *document);

/* Where a document comes from (page_origin.c): a section with the command and all that it says of tool, machine and
 * harness. */
void page_origin(struct page *page, const cJSON *document);
/* A list item for each thing to warn of: a run that was interrupted, cells that failed, the machine's checks. */
void page_warnings(struct page *page, const cJSON *document);
/* What was asked for and is not there, a paragraph each. */
void page_left_out(struct page *page, const cJSON *document);
/* What a terminal alone leaves out: when, on which machine, by which program it was measured; and the warnings. */
void page_about(struct page *page, const cJSON *document);

/* A number, text, truth, or an array of such: no object and no list of them. */
bool page_is_plain(const cJSON *value);
/* Parts of a document whose keys a page need not know (page_tree.c), so that a key that is added to a format is on its
 * page without a word there.  A fact for each plain value of the object; objects in it and arrays of objects are left
 * to the caller. */
void page_facts(struct page *page, const struct place *object);
/* An array of objects as a table: a row each, a column for each key that any of them has with a plain value. */
void page_records(struct page *page, const char *title, const struct place *array);
/* The table for programs (PAGE_DATA): a row "figure,value" for each plain value of the document, by its path. */
void page_all_figures(struct page *page, const struct place *document);

/* ---- The designs of a run side by side: a table for each stream, or the card of a single design. - */

/* A heading, the table or the card, and facts below it.  `cells` is the document's list. */
void page_group(struct page *page, const struct view_group *group, const struct place *cells);

/* The only design of the group, which gets a card; NULL: several are compared. */
const struct view_row *page_group_only(const struct view_group *group);

/* ---- Parts of it. ------------------------------------------------------------------------------ */

/* The phases of one design, its settings, memory and proof (page_card.c). */
void page_card(struct page *page, const struct view_group *group, const struct view_row *row,
               const struct place *cells);

/* The median of the interval at that key of a phase, and in the next cell how far its farther end lies. */
void page_cost(struct page *page, const struct place *phase, const char *key);

/* The row's phase of that name. */
struct place page_phase(const struct place *cell, const char *name);

/* What is to be said below: waiting, precision, pages, schedules, harness (page_group_facts.c). */
void page_group_facts(struct page *page, const struct view_group *group, const struct place *cells);

#endif
