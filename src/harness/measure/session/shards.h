/* shards.h - deals the groups of a plan out to several machines, evenly by estimated time.
 *
 * A group is a stream with all designs that run on it.  It stays together, because times are compared within it; no
 * two machines are ever compared.  Every shard makes the same deal from the plan alone, so that nobody has to
 * hand anything around: the largest group first, each to the shard with the least so far (Graham 1969: at most 4/3 of
 * the best deal).
 */
#ifndef TWBENCH_SHARDS_H
#define TWBENCH_SHARDS_H

#include "harness/base/diag.h"
#include "harness/measure/plan/plan.h"
#include "harness/measure/session/setup.h"
#include "harness/tell/result/document.h"

#include <stddef.h>
#include <stdint.h>

/* Which part of the plan a session runs, and what the document says of it. */
struct shards {
    cJSON *record;   /* "shard" of the document; NULL: the whole plan is run.  Owned */
    uint64_t *owner; /* by group of the whole plan */
    double *seconds; /* estimated, by group */
    size_t group_count;
};

/* Of zeros too. */
void shards_free(struct shards *shards);

/* Makes room for the plan's groups; the caller fills in `seconds`.  shards_free in any case. */
int shards_open(struct shards *shards, const struct plan *plan, struct diag *diag);
/* Deals the groups, and leaves the plan those of setup->shard. */
void shards_keep(struct shards *shards, const struct setup *setup, struct plan *plan);

/* A document that is resumed has to be of the same shard of the same plan. */
int shards_check(const struct shards *shards, const struct result_document *document,
                 const char *path, struct diag *diag);

#endif
