/*
 * page_tree.h - parts of a document whose keys a page need not know: facts, tables of objects, all figures.  So a
 * key that is added to a format is on its page without a word there.
 */
#ifndef TWBENCH_PAGE_TREE_H
#define TWBENCH_PAGE_TREE_H

#include "harness/tell/report/page.h"

/* A fact for each plain value of the object; objects in it and arrays of objects are left to the caller. */
void page_facts(struct page *page, const struct place *object);

/* An array of objects as a table: a row each, a column for each key that any of them has with a plain value. */
void page_records(struct page *page, const char *title, const struct place *array);

/* The table for programs (PAGE_DATA): a row "figure,value" for each plain value of the document, by its path. */
void page_all_figures(struct page *page, const struct place *document);

#endif
