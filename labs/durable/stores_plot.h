/*
 * stores_plot.h - Stores, for stores.gp and recovery.gp (stores_plot.c).
 *
 * Block 0 has further "categories" and how many there are.  A block per panel: title, unit, names of the series; then a
 * category and of each series median, low, high.  Times are nanoseconds.  stores-puts: policies across, a series per store, a
 * panel per number of producers and batch.  stores-lateness: stores across, a series per percentile, a panel per policy.
 * stores-bytes: stores across, a series per policy.  stores-recovery is as cost: messages across, a series per store.
 */
#ifndef TWBENCH_STORES_PLOT_H
#define TWBENCH_STORES_PLOT_H

#include "harness/tell/report/plot.h"
#include "harness/tell/report/plotdata.h"

/* The pictures of a stores document. */
enum stores_picture {
    STORES_PUTS,
    STORES_LATENESS,
    STORES_RECOVERY,
    STORES_BYTES,
    STORES_PICTURES
};

/* "stores-puts", and the script that draws it. */
const char *stores_plot_name(enum stores_picture picture);
const char *stores_plot_script(enum stores_picture picture);
/* Are its figures known?  Of recoveries at two numbers of messages or more. */
bool stores_plot_has(const cJSON *document, enum stores_picture picture);
void stores_plot_write(FILE *out, const cJSON *document, enum stores_picture picture);

#endif
