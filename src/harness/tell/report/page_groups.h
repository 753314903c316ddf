/*
 * page_groups.h - the designs of a run side by side: a table for each stream, or the card of a single design.
 */
#ifndef TWBENCH_PAGE_GROUPS_H
#define TWBENCH_PAGE_GROUPS_H

#include "harness/tell/report/page.h"
#include "harness/tell/report/view.h"

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
