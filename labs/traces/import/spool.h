/* spool.h - keeps the operations of a trace until its header is known.
 *
 * The header comes first and holds counts that are known last, and one source has to change the delay
 * of a start that lies behind it, so operations wait as records of 24 bytes: the first few thousand in
 * memory, the others in a file without a name, which is gone with the process whatever ends it.
 */
#ifndef TWBENCH_SPOOL_H
#define TWBENCH_SPOOL_H

#include "harness/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool_record {
    uint64_t now;
    int64_t delay; /* of a start */
    uint32_t id;
    uint32_t is_start;
};

struct spool {
    const char *directory; /* for the file; the caller's */
    struct spool_record *records;
    size_t held, room; /* records in memory, the last ones */
    uint64_t written;  /* records in the file, before them */
    int fd;            /* -1: there is none yet */
    int error;         /* an errno: something was not kept, and nothing is from then on */
};

/* An empty spool; no file is made before memory is full.  Closing frees both. */
void spool_open(struct spool *spool, const char *directory);
/* Frees the records, also those on the disk; empty afterwards. */
void spool_close(struct spool *spool);

/* Appends.  Failing is remembered (spool_check), because whoever appends has no use for it. */
void spool_add(struct spool *spool, const struct spool_record *record);
/* How many there are; also the index of the next one. */
uint64_t spool_count(const struct spool *spool);
/* Gives the start at `index` another delay. */
void spool_change_delay(struct spool *spool, uint64_t index, int64_t delay);
/* DIAG_RUN when anything was lost. */
int spool_check(const struct spool *spool, struct diag *diag);

/* All records in order, a block at a time; stops when `visit` does not answer DIAG_OK. */
typedef int spool_visit_fn(void *ctx, const struct spool_record *records, size_t count,
                           struct diag *diag);
int spool_read(struct spool *spool, spool_visit_fn *visit, void *ctx, struct diag *diag);

#endif
