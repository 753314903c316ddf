/*
 * evidence.h - which cell of the document is of which candidate, at which size and in which round.
 */
#ifndef TWBENCH_EVIDENCE_H
#define TWBENCH_EVIDENCE_H

#include "labs/advise/candidates.h"

/* One cell, by its identity. */
struct evidence_item {
    size_t candidate;
    uint64_t tasks;
    size_t round;
    char *identity;
    const cJSON *cell; /* found by evidence_look; NULL: not there (yet) */
};

/* Round of cells on the real clock in which nothing happens: they say how often a runner wakes up all the same. */
#define EVIDENCE_IDLE CRITERIA_ROUNDS

struct advice_evidence {
    struct load load;
    struct wishes wishes;
    struct candidate candidates[CANDIDATES_MAX];
    size_t candidate_count;
    struct evidence_item *items;
    size_t item_count, item_room;
    cJSON *runs; /* on the real clock: an array of cells, which the items point into; else NULL */
    double interruption_ns; /* what one takes on this machine, typically; 0: not known */
    uint64_t budget_ns, used_ns;
    char unmade[1024]; /* why the load asked for is not the one that is measured; "" */
    size_t untried;    /* candidates for which there was no time */
    bool interrupted;
    bool cut; /* a step was ended because the time was up; its cells are not there */
};

/* Answers the candidate's index, that of an equal one when there is one already; CANDIDATES_MAX when
 * there is no room. */
size_t evidence_add_candidate(struct advice_evidence *evidence, const struct candidate *candidate);
/* Copies the identity. */
void evidence_add(struct advice_evidence *evidence, size_t candidate, uint64_t tasks, size_t round,
                  const char *identity);
/* Adds a run on the real clock, which it takes, to the candidate's others of the same round. */
void evidence_add_run(struct advice_evidence *evidence, size_t candidate, size_t round,
                      cJSON *cell);
/* Finds the cells of all items in the document and among the runs, which they point into from then on. */
void evidence_look(struct advice_evidence *evidence, const cJSON *document);
/* Frees the items and runs; empty afterwards.  The document is the caller's. */
void evidence_free(struct advice_evidence *evidence);

/* Was any candidate measured at the load's size? */
bool evidence_knows(const struct advice_evidence *evidence);

/* What is known of a candidate at that size. */
struct contender evidence_contender(const struct advice_evidence *evidence, size_t candidate,
                                    uint64_t tasks);

/* Contenders at one size, all candidates in their order, and what the wishes say of them. */
struct field {
    uint64_t tasks;
    size_t count;
    struct contender contenders[CANDIDATES_MAX];
    struct choice_contender entries[CANDIDATES_MAX];
    char why[CANDIDATES_MAX][120]; /* not allowed; "" */
    size_t by[CANDIDATES_MAX];     /* of front_find, among those that are allowed */
    bool equal[CANDIDATES_MAX];
    struct choice choice;
};

/* *out is large: on the heap, with memory_take.  Points into `evidence` and into *out itself. */
void field_fill(struct field *out, const struct advice_evidence *evidence, uint64_t tasks);

#endif
