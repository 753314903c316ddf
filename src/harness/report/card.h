/*
 * card.h - one design on one stream, in all detail: what the table shows when there is nothing to
 * compare.
 */
#ifndef TWBENCH_CARD_H
#define TWBENCH_CARD_H

#include "harness/report/style.h"
#include "harness/report/view.h"

/* The phases line by line, and what belongs to the run as a whole below them. */
void card_write(FILE *out, const struct view_group *group, const struct view_row *row,
                const struct report_style *style);

#endif
