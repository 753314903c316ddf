/* counts.h - counts how often names, and integers, were seen: percentiles, and the commonest. */
#ifndef TWBENCH_COUNTS_H
#define TWBENCH_COUNTS_H

#include "harness/base/scan.h"
#include "labs/traces/import/keymap.h"

#include <stddef.h>

/* ---- Names, in the order in which they came first. ------------------------------------------- */

struct tally_entry;

/* Different names, and bytes of each: beyond these, names are counted as TALLY_OTHERS and cut. */
#define TALLY_NAMES_MAX  1024u
#define TALLY_NAME_BYTES 120u
#define TALLY_OTHERS     "(others)"

struct tally {
    struct tally_entry *entries; /* of uthash, which keeps the order */
};

/* A tally of all zeros is empty. */
void tally_close(struct tally *tally);
/* Adds to a name's count; O(1).  A count of 0 is not kept. */
void tally_add(struct tally *tally, struct span name, uint64_t count);
void tally_add_text(struct tally *tally, const char *name, uint64_t count);

/* The name lives as long as the tally. */
typedef void tally_visit_fn(void *ctx, const char *name, uint64_t count);
/* Every name with its count, in the order of the tally. */
void tally_visit(const struct tally *tally, tally_visit_fn *visit, void *ctx);
/* The greatest count first; equal ones stay in order. */
void tally_sort(struct tally *tally);

/* ---- Integers. ------------------------------------------------------------------------------- */

struct distribution {
    int64_t *values;
    size_t total, room;
};

/* A distribution of all zeros is empty. */
void distribution_close(struct distribution *distribution);
void distribution_add(struct distribution *distribution, int64_t value);
/* Before it is asked. */
void distribution_sort(struct distribution *distribution);
/* By nearest rank: the least value which `percent` of all are no greater than; 0 is the least of all. */
int64_t distribution_percentile(const struct distribution *distribution, unsigned percent);

struct distribution_value {
    int64_t value;
    uint64_t count;
};
/* The `wanted` commonest, the lesser before another as common; how many there are.  *distinct: how many different
 * values there are. */
size_t distribution_commonest(const struct distribution *distribution,
                              struct distribution_value *out, size_t wanted, uint64_t *distinct);

#endif
