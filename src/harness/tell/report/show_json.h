/*
 * show_json.h - films as data (docs/SHOW.md has the keys).
 */
#ifndef TWBENCH_SHOW_JSON_H
#define TWBENCH_SHOW_JSON_H

#include "harness/tell/report/show_page.h"

/* One document with every frame that was kept.  Ticks are whole numbers of up to 64 bits.  Errors of
 * `out` are left to the caller. */
void show_json(FILE *out, const struct show_page *page);

#endif
