/*
 * advice_plot.h - the candidates of an advice as the data of plots/advise.gp: cost against memory.
 *
 * Block 0 as in plotdata.h (title, machine, number of blocks, of candidates).  Block 1: each candidate that
 * was measured, by ascending memory: name, what it is (0: dominated, or against the wishes; 1: of the
 * front; 2: not told apart from the recommended one; 3: that one), cost per operation in ns with its
 * interval, bytes per task.  Block 2: of those that keep to the wishes the ones that none beats in both,
 * by ascending cost: cost, bytes.
 */
#ifndef TWBENCH_ADVICE_PLOT_H
#define TWBENCH_ADVICE_PLOT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* "advise-nginx"; of a file its last part without the ending. */
void advice_plot_name(char *out, size_t size, const cJSON *document);

/* False when nothing was measured, or without memory. */
bool advice_plot_write(FILE *out, const cJSON *document);

#endif
