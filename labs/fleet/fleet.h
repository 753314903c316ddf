/* fleet.h - the commands of the lab, and the page and pictures of a history. */
#ifndef TWBENCH_FLEET_H
#define TWBENCH_FLEET_H

#include "harness/command/command.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plot.h"
#include "harness/tell/result/document.h"

extern const struct command cmd_merge, cmd_history;
/* run and replay with --shard: the part of a plan. */
extern const struct command cmd_sharded_run, cmd_sharded_replay;

void page_history(struct page *page, const cJSON *document);

/* Series that the picture shows: those of times that changed most, at most HISTORY_PANELS. */
#define HISTORY_PANELS 6
/* "history", for history.gp: times as ratios over the runs.  Block 0 has further "anchor" and its name.  Two blocks for
 * each series: a line with the cell, and then run, ratio, level (the mean between changes); then a line with the number of
 * changes, and of each the run and its commit. */
void history_pictures(const cJSON *document, struct pictures *out);

#endif
