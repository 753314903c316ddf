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
    bool out_of_memory;          /* a name was left out */
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

/* Exact up to DISTRIBUTION_EXACT different values.  From then on a value that was not seen before is counted as its
 * eight leading bits, so that memory has a bound however long a log is: 40 MB. */
#define DISTRIBUTION_EXACT (UINT32_C(1) << 20)

struct distribution {
    struct keymap values; /* bits of an int64_t, numbered as they were first seen */
    uint64_t *counts;     /* by number */
    size_t room;
    uint64_t total;
    uint64_t rounded; /* how many were counted as their leading bits */
};

/* A distribution of all zeros is empty. */
void distribution_close(struct distribution *distribution);
/* False when there is no memory. */
bool distribution_add(struct distribution *distribution, int64_t value);

/* The values in ascending order, to be asked for percentiles; free() it.  NULL without memory. */
struct distribution_point {
    int64_t value;
    uint64_t up_to; /* how many are this or less */
};
struct distribution_point *distribution_sorted(const struct distribution *distribution);
/* By nearest rank: the least value which `percent` of all are no greater than; 0 is the least of all.
 * `points` are what distribution_sorted answered; there is at least one value. */
int64_t distribution_percentile(const struct distribution *distribution,
                                const struct distribution_point *points, unsigned percent);

/* The `wanted` commonest as numbers of `values`, the one seen first before another as common; how many
 * there are. */
size_t distribution_commonest(const struct distribution *distribution, uint32_t *numbers,
                              size_t wanted);

#endif
