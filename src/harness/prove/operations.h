/* operations.h - an operation list: what conform runs, shrinks, prints and reads back.
 *
 * A list says everything that happens, expiry programs included, so that a failure is one text that
 * can be cut down line by line and replayed on any design.  The text has one operation per line:
 *
 *     capacity 4                  header: how the design is opened; now and horizon are optional
 *     now 100
 *     horizon 1000
 *     walk 65536                  an advance by more ticks than that is left out
 *     set levels 2 2 2            skipped by designs that have no such parameter
 *     start 0 +8                  start timer 0 with the deadline now + 8
 *     start 1 -3                  ... now - 3 (not below tick 0)
 *     start 2 @4294967296         ... an absolute tick
 *     stop 1
 *     start 0..99999 +5000        timers 0 to 99999, one after the other, all for now + 5000
 *     start 0..99 +500 each +3    ... each of them 3 ticks after the one before; -3: before it
 *     start 0..99 +500 within 40  ... at now + 500 to now + 539, scattered by the number of the timer
 *     start 0 +8 slack 5          ... may fire on any tick from now + 8 to now + 13; `on` too
 *     stop 0..99
 *     stop 0..99 shuffled         in an order without a pattern; start too
 *     on 0 start 0 +8 times 3     the next 3 times that timer 0 fires, its callback restarts it
 *     on 0 stop 2                 the next time that timer 0 fires, its callback stops timer 2
 *     on 0..99 start 50 +8        timer 0 restarts 50, timer 1 restarts 51, ...; after the last id
 *                                 comes id 0
 *     advance +1 times 20         20 calls of advance, by one tick each
 *     advance @100
 *     inspect                     compare next, visit, check and footprint with the model
 *     next                        compare next alone
 *     again 3 times 500           runs the starts, stops, advances, inspect and next of the 3 lines
 *                                 before this one 500 more times
 *
 * "now" in `on` lines is the tick that the callback sees.  A line that starts with # is a comment.
 */
#ifndef TWBENCH_CONFORM_OPERATIONS_H
#define TWBENCH_CONFORM_OPERATIONS_H

#include "impls/backend.h"

#define OPERATIONS_SETTINGS_MAX 4 /* of a list; conform.h's variants have no more */

/* What an operation does. */
enum operation_code {
    OPERATION_START,
    OPERATION_STOP,
    OPERATION_ADVANCE,
    OPERATION_ON_START,
    OPERATION_ON_STOP,
    OPERATION_INSPECT,
    OPERATION_NEXT,
    OPERATION_AGAIN
};

struct operation {
    enum operation_code code;
    tw_id id;       /* the timer started or stopped; of OPERATION_ON_*: the one whose expiry acts;
                       of OPERATION_AGAIN: how many operations before it */
    tw_id target;   /* OPERATION_ON_*: the timer that the callback starts or stops */
    uint32_t times; /* OPERATION_ADVANCE: calls; OPERATION_ON_*: expiries; OPERATION_START and
                       OPERATION_STOP: timers, from `id` on; OPERATION_AGAIN: runs; else 1 */
    char base;      /* what `ticks` counts from: '+' after now, '-' before now, '@' tick 0 */
    uint64_t ticks;
    int64_t each; /* OPERATION_START of many: ticks from one timer's deadline to the next one's */
    uint64_t within;  /* OPERATION_START of many: the deadlines are scattered over so many ticks; 0:
                         they go by `each` */
    uint64_t slack;   /* OPERATION_START and OPERATION_ON_START: ticks; 0: the timer is exact */
    uint32_t further; /* OPERATION_ON_*: so many timers behind `id` do the same, with the targets
                         behind `target` */
    bool is_shuffled; /* OPERATION_START and OPERATION_STOP of many: the timers come in an order
                         without a pattern */
};

struct operations {
    uint32_t capacity;
    tw_tick now, horizon;         /* as in struct tw_config */
    tw_tick walk;                 /* an advance by more ticks is left out; 0: none is */
    const struct tw_batch *batch; /* judge_replay starts and stops with it; NULL: by single calls */
    const struct tw_exact
        *exact; /* judge_replay asks it as well when it looks; NULL: it does not */
    size_t setting_count;
    struct tw_setting settings[OPERATIONS_SETTINGS_MAX]; /* the names belong to the design */
    size_t count, room;
    struct operation *list;
    bool out_of_memory; /* an append was lost: the list must not be judged */
};

/* An empty list for `capacity` timers.  operations_clear frees what it holds. */
void operations_init(struct operations *operations, uint32_t capacity);
void operations_clear(struct operations *operations);
/* *to, which is initialised, becomes the header of `from` with the operations that `keep` marks;
 * all of them when `keep` is NULL. */
void operations_copy(struct operations *to, const struct operations *from, const bool *keep);

/* Appends; without memory out_of_memory is set.  The deadline is `base` and `ticks` as in struct operation. */
void operations_append(struct operations *operations, struct operation operation);
void operations_start(struct operations *operations, tw_id id, char base, uint64_t ticks);
void operations_stop(struct operations *operations, tw_id id);
/* `count` timers from `id` on; see `each` above. */
void operations_start_many(struct operations *operations, tw_id id, uint32_t count, char base,
                           uint64_t ticks, int64_t each);
void operations_stop_many(struct operations *operations, tw_id id, uint32_t count);
/* Shuffled, with deadlines from now + `ticks` on, scattered over `within` ticks. */
void operations_start_scattered(struct operations *operations, tw_id id, uint32_t count,
                                uint64_t ticks, uint64_t within);
void operations_stop_shuffled(struct operations *operations, tw_id id, uint32_t count);
void operations_advance(struct operations *operations, char base, uint64_t ticks);
/* `count` advances of one tick. */
void operations_tick(struct operations *operations, uint32_t count);
void operations_on_start(struct operations *operations, tw_id id, tw_id target, char base,
                         uint64_t ticks, uint32_t times);
void operations_on_stop(struct operations *operations, tw_id id, tw_id target);
/* The same for `count` timers from `id` on. */
void operations_on_start_many(struct operations *operations, tw_id id, uint32_t count, tw_id target,
                              char base, uint64_t ticks, uint32_t times);
void operations_on_stop_many(struct operations *operations, tw_id id, uint32_t count, tw_id target);
void operations_inspect(struct operations *operations);
void operations_next(struct operations *operations);
void operations_again(struct operations *operations, uint32_t lines, uint32_t times);

/* The absolute tick that `base` and `ticks` name at `now`, clamped to 0 .. TW_DEADLINE_MAX. */
tw_tick operations_resolve(char base, uint64_t ticks, tw_tick now);
/* The timer that comes in place `index`, counted from 0, of an OPERATION_START or OPERATION_STOP. */
tw_id operation_timer(const struct operation *operation, uint32_t index);
/* The deadline of that timer of an OPERATION_START. */
tw_tick operations_deadline(const struct operation *operation, uint32_t index, tw_tick now);
/* Is it one that OPERATION_AGAIN repeats? */
bool operation_repeats(const struct operation *operation);
/* Does it start or stop that timer, itself or from a callback? */
bool operation_names(const struct operation *operation, tw_id id);

/* Writes the text, always ended by '\0'; what does not fit is left out and counted in a
 * last line. */
void operations_print(const struct operations *operations, char *out, size_t size);
/* Reads the text into *operations, which is initialised.  Settings that `params` does not name or
 * allow are skipped.  0, or the number of the first line that is not understood. */
size_t operations_parse(const char *text, const struct tw_param *params,
                        struct operations *operations);

#endif
