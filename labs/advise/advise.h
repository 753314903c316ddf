/* advise.h - the command of the lab, and the page and picture of its document. */
#ifndef TWBENCH_ADVISE_H
#define TWBENCH_ADVISE_H

#include "harness/command/command.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plot.h"

extern const struct command cmd_advise;

/* Of an advice: labs/advise/schema/advice-1.json. */
void page_advice(struct page *page, const cJSON *document);
/* DIAG_USAGE unless the recommendation is the one candidate that says so. */
int advice_check(const cJSON *document, const char *what, struct diag *diag);
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

#endif
