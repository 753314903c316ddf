/* tally.h - counts how often each name was seen, in the order in which the names came first. */
#ifndef TWBENCH_TALLY_H
#define TWBENCH_TALLY_H

#include "harness/bring/import/scan.h"

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

typedef void tally_visit_fn(void *ctx, const char *name, uint64_t count);
void tally_visit(const struct tally *tally, tally_visit_fn *visit, void *ctx);
/* The greatest count first; equal ones stay in order. */
void tally_sort(struct tally *tally);

#endif
