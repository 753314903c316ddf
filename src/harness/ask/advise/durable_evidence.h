/*
 * durable_evidence.h - what was measured of stores on a durable load: who was run at which size, and where the cell of it
 * stands in the document.
 *
 * Each store is run at growing numbers of messages.  Two stores are compared at the largest that both came to.
 */
#ifndef TWBENCH_DURABLE_EVIDENCE_H
#define TWBENCH_DURABLE_EVIDENCE_H

#include "harness/ask/advise/choice.h"
#include "harness/ask/stores/storing.h"

#define DURABLE_SIZES 12

/* What an entrant is run for. */
enum durable_trial { DURABLE_FILL, DURABLE_KILLED, DURABLE_LATE, DURABLE_TRIALS };

struct durable_entrant {
    const struct store_row *row;
    const struct tw_store_backend *backend; /* NULL: it is not here */
    char key[64];
    size_t fills[DURABLE_SIZES]; /* cells of the document, or STORING_NO_CELL */
    size_t killed, late;
    size_t reached;                 /* sizes that it came to, with figures; 0: none */
    uint64_t took_ns, late_took_ns; /* its last run there */
    bool is_out;                    /* nothing more is run of it */
};

struct durable_evidence {
    const struct storing_request
        *request; /* stores, the policy and the load as they were asked for */
    struct wishes wishes;
    uint64_t budget_ns, used_ns;
    bool interrupted;
    uint64_t sizes[DURABLE_SIZES]; /* the last is the number of messages that was asked for */
    size_t size_count;
    struct durable_entrant entrants[STORING_LIST_MAX];
    size_t count;
    const cJSON *document;
};

/* The cell at that place; NULL for STORING_NO_CELL. */
const cJSON *durable_cell(const struct durable_evidence *evidence, size_t place);
/* Its median of that figure; NaN: not known. */
double durable_median(const cJSON *cell, const char *figure);
/* Its cell at the largest size that it came to, or NULL. */
const cJSON *durable_largest(const struct durable_evidence *evidence,
                             const struct durable_entrant *entrant);
/* A cell of it that says it lost or repeated messages, answered an error or died, or NULL. */
const cJSON *durable_broken(const struct durable_evidence *evidence,
                            const struct durable_entrant *entrant);

#endif
