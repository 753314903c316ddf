/*
 * timer_words.h - a timer's life as one word that any thread may change, and stacks to hand timers over.
 *
 *     word = generation << 32 | state          tw_timer = generation << 32 | id
 *
 *     OVER --start--> QUEUED --driver--> WAITING       (a runner that tells the two apart)
 *     OVER --start--> WAITING --fire--> FIRED          (once)
 *                        |    --fire--> RUNNING --renewed--> WAITING          (periodic)
 *                        |                 |
 *                        +-----------------+--stop--> STOPPED                  (and from QUEUED)
 *                        +--shut--> RETURNED
 *
 * Every arrow out of QUEUED, WAITING and RUNNING is one compare-and-swap, so exactly one thread makes it: that decides
 * between a stop, the firing and shut.  For runners in which they meet without a lock.
 *
 * A stack is a head and an array of links, one for each place.  Any thread pushes; its reader takes all of it at
 * once, so it needs no tags, and no thread waits for another's half-done push.  The release of the push
 * makes visible to the reader what the pusher wrote before.
 */
#ifndef TWBENCH_TIMER_WORDS_H
#define TWBENCH_TIMER_WORDS_H

#include "opening.h"

enum word_state {
    WORD_OVER,    /* free, never used */
    WORD_WAITING, /* accepted */
    WORD_QUEUED,  /* accepted, and on a stack that its driver has not come to */
    WORD_STOPPED,
    WORD_FIRED,   /* once: its task runs or ran */
    WORD_RUNNING, /* periodic: its task runs, and it goes on after that */
    WORD_RETURNED
};

/* Heads of stacks besides ids. */
#define STACK_EMPTY  OPENING_NONE
#define STACK_CLOSED (OPENING_NONE - 1)

static inline uint64_t word_of(uint64_t generation, enum word_state state)
{
    return generation << 32 | (uint64_t)state;
}

/* What stop answers for the timer of that generation.  TW_RUN_STOPPED: this call made it so, and *from, unless NULL, is
 * the state before. */
static inline int word_stop(_Atomic uint64_t *state, struct tw_seat *seat, uint64_t generation,
                            uint32_t *from)
{
    uint64_t word = atomic_load_explicit(state, memory_order_relaxed);
    do {
        TW_RUNNER_POINT(seat, stop_looked);
        if (word == word_of(generation, WORD_FIRED))
            return TW_RUN_TOO_LATE;
        if (word != word_of(generation, WORD_WAITING) &&
            word != word_of(generation, WORD_RUNNING) && word != word_of(generation, WORD_QUEUED))
            return TW_RUN_IDLE;
    } while (!atomic_compare_exchange_weak_explicit(state, &word, word_of(generation, WORD_STOPPED),
                                                    memory_order_acq_rel, memory_order_relaxed));
    if (from)
        *from = (uint32_t)word;
    TW_RUNNER_POINT(seat, stop_won);
    return TW_RUN_STOPPED;
}

/* Takes a timer that waits, or was stopped meanwhile, to run it: its name without the id, or 0 when it was
 * stopped. */
static inline uint64_t word_fire(_Atomic uint64_t *state, struct tw_seat *seat, bool once)
{
    uint64_t word = atomic_load_explicit(state, memory_order_relaxed);
    uint64_t fired = word_of(word >> 32, once ? WORD_FIRED : WORD_RUNNING);
    TW_RUNNER_POINT(seat, fire_looked);
    if ((uint32_t)word != WORD_WAITING || !atomic_compare_exchange_strong(state, &word, fired))
        return 0;
    return word_of(word >> 32, WORD_OVER);
}

/* After the run of a periodic task: whether it waits again, or is queued, and was not stopped. */
static inline bool word_renew(_Atomic uint64_t *state, struct tw_seat *seat, enum word_state to)
{
    uint64_t word = atomic_load_explicit(state, memory_order_relaxed);
    uint64_t waiting = word_of(word >> 32, to);
    TW_RUNNER_POINT(seat, renew_looked);
    return (uint32_t)word == WORD_RUNNING && atomic_compare_exchange_strong(state, &word, waiting);
}

/* For shut: takes a timer that waits or is queued: its name without the id, or 0 when it does not. */
static inline uint64_t word_return(_Atomic uint64_t *state, struct tw_seat *seat)
{
    uint64_t word = atomic_load(state);
    uint64_t back = word_of(word >> 32, WORD_RETURNED);
    bool waits = (uint32_t)word == WORD_WAITING || (uint32_t)word == WORD_QUEUED;
    TW_RUNNER_POINT(seat, return_looked);
    if (!waits || !atomic_compare_exchange_strong(state, &word, back))
        return 0;
    return word_of(word >> 32, WORD_OVER);
}

/* The head that it lies on now; STACK_CLOSED: the stack is closed, and it lies on none. */
static inline uint32_t stack_push_on(_Atomic uint32_t *stack, _Atomic uint32_t *links, uint32_t id,
                                     struct tw_seat *seat)
{
    uint32_t head = atomic_load_explicit(stack, memory_order_relaxed);
    do {
        if (head == STACK_CLOSED)
            return STACK_CLOSED;
        /* SOLE: it is on no stack yet. */
        atomic_store_explicit(&links[id], head, memory_order_relaxed);
        TW_RUNNER_POINT(seat, push_looked);
    } while (!atomic_compare_exchange_weak_explicit(stack, &head, id, memory_order_seq_cst,
                                                    memory_order_relaxed));
    return head;
}

/* Whether it is on the stack now; false when the stack is closed. */
static inline bool stack_push(_Atomic uint32_t *stack, _Atomic uint32_t *links, uint32_t id,
                              struct tw_seat *seat)
{
    return stack_push_on(stack, links, id, seat) != STACK_CLOSED;
}

/* All of the stack, the last push first, or STACK_EMPTY.  A closed one stays closed. */
static inline uint32_t stack_take(_Atomic uint32_t *stack, struct tw_seat *seat)
{
    uint32_t head = atomic_load_explicit(stack, memory_order_relaxed);
    do {
        if (head == STACK_EMPTY || head == STACK_CLOSED)
            return STACK_EMPTY;
        TW_RUNNER_POINT(seat, take_looked);
    } while (!atomic_compare_exchange_weak_explicit(stack, &head, STACK_EMPTY, memory_order_acquire,
                                                    memory_order_relaxed));
    return head;
}

static inline uint32_t link_of(_Atomic uint32_t *links, uint32_t id)
{
    return atomic_load_explicit(&links[id], memory_order_relaxed);
}

#endif
