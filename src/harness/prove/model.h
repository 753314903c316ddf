/* model.h - the model that designs are compared with: a plain array of due ticks.
 *
 * Nearly every question is answered by a scan over all timers: nothing here is clever, so nothing here
 * can share a mistake with a design.  Only who comes first among equal deadlines is asked for every
 * timer that fires, and is kept in lists.  The model follows the design's own order of callbacks and says
 * for each of them whether it was allowed.
 */
#ifndef TWBENCH_CONFORM_MODEL_H
#define TWBENCH_CONFORM_MODEL_H

#include "impls/backend.h"

struct model {
    struct tw_traits traits; /* what the design declares, */
    tw_tick span;            /* its reach, */
    uint64_t running_max;    /* and its cap on running timers */
    uint32_t capacity;
    uint32_t running;
    tw_tick *due;        /* TW_NEVER: idle */
    tw_tick *latest;     /* last tick on which it may fire: due, for an exact design */
    uint64_t starts;     /* accepted */
    tw_tick quiet_until; /* nothing is overdue before; at most the earliest of `latest` */
    /* With TW_FIFO: the running timers in the order of their starts, in lists by a hash of the due
     * tick, so that equal deadlines are in one list. */
    unsigned turn_bits;
    tw_id *turn_heads, *turn_tails; /* by hash; the capacity: none */
    tw_id *turn_next, *turn_before; /* by timer */
};

/* The name of a setting that caps how many timers may run at a time; the start of one more is
 * refused with TW_REFUSED_FULL.  A design that describes no such setting has no cap. */
#define MODEL_CAP_SETTING "max-running"

/* False, with nothing to close, when there is no memory. */
bool model_open(struct model *model, const struct tw_traits *traits,
                const struct tw_description *description, uint32_t capacity);
/* Frees what open allocated. */
void model_close(struct model *model);

/* What start has to answer at `now`; the model does the same. */
int model_start(struct model *model, tw_id id, tw_tick deadline, tw_tick now);
/* The same for start_within. */
int model_start_within(struct model *model, tw_id id, tw_tick deadline, tw_tick slack, tw_tick now);
/* The same for stop; a timer that fires is stopped too. */
int model_stop(struct model *model, tw_id id);

static inline bool model_runs(const struct model *model, tw_id id)
{
    return model->due[id] != TW_NEVER;
}

/* The earliest due tick, and the earliest tick by which something must have fired; TW_NEVER when
 * nothing runs. */
tw_tick model_first_due(const struct model *model);
tw_tick model_first_latest(const struct model *model);
/* A running timer that must have fired by `now`; `capacity` when there is none.  Looks at all timers
 * only when there can be one, or `quiet_until` has to be found again. */
tw_id model_overdue(struct model *model, tw_tick now);
/* The running timer with the due tick of `id` that was started first; for a design with TW_FIFO. */
tw_id model_first_in_turn(const struct model *model, tw_id id);

#endif
