/* advise.h - the commands of the lab, and the pages and pictures of its documents. */
#ifndef TWBENCH_ADVISE_H
#define TWBENCH_ADVISE_H

#include "harness/command/command.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plot.h"

extern const struct command cmd_advise, cmd_limits;

/* Of an advice: labs/advise/schema/advice-1.json. */
void page_advice(struct page *page, const cJSON *document);
/* "nginx, 300 tasks, tick 1 ms" */
void page_advice_title(char *out, size_t size, const cJSON *document);
/* "advise-nginx", for advise.gp: cost against memory.
 *
 * Block 1: each candidate that was measured, by ascending memory: name, what it is (0: dominated, or against
 * the wishes; 1: of the front; 2: not significantly different from the recommended one; 3: that one), cost per operation in ns
 * with its interval, bytes per task, 1 if it is to be named.  Block 2: of those that meet the constraints the ones that none
 * beats in both, by ascending cost: cost, bytes.  On the real clock block 0 has further "clock", the cost is processor time, and the
 * 99th percentile of the lateness in microseconds stands in the place of the bytes. */
void advice_pictures(const cJSON *document, struct pictures *out);

/* Of limits: labs/advise/schema/limits-1.json. */
void page_limits(struct page *page, const cJSON *document);
int limits_check(const cJSON *document, const char *what, struct diag *diag);
/* "limits", for limits.gp: against the bytes of all nodes, with the caches of the machine.
 *
 * Block 0 has further L1, L2 and L3 with their bytes, 0 being unknown.  Then a block for each series: a line with the
 * measure, the bytes of a node and 1 where the pages are huge; and a line for each point with bytes of all
 * nodes, median, low and high in nanoseconds. */
void limits_pictures(const cJSON *document, struct pictures *out);

#endif
