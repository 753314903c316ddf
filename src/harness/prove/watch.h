/* watch.h - notes what a design is doing in memory shared with the parent, which reads it after a crash.
 *
 * A design that is not trusted is judged in a child process (findings.h).  The judge notes there,
 * before each call, which function of the design it calls, and before each operation list the list;
 * when the child crashes, hangs or exits, the parent reads what was under way.  Without a watch
 * (NULL) nothing is noted, and nothing costs anything.
 */
#ifndef TWBENCH_CONFORM_WATCH_H
#define TWBENCH_CONFORM_WATCH_H

#include "harness/prove/operations.h"
#include "harness/prove/report.h"

/* Operations of a list beyond this are not noted; the longest written case has some 10000. */
#define WATCH_OPERATIONS_MAX 32768u

#define LENT_PAGES_MAX 128u

/* Of the allocations that the design asks for, the first ones (guard.h). */
#define WATCH_TAKEN_MAX 32u

/* Where an access went that the processor did not allow, seen by guard.h. */
enum fault_place {
    FAULT_UNKNOWN,
    FAULT_NULL,   /* within the first page */
    FAULT_PAST,   /* behind a block that the design allocated */
    FAULT_BEFORE, /* in front of one */
    FAULT_FREED,  /* in one that it has freed */
    FAULT_LENT,   /* in what open was lent and is called in (judge.h) */
    FAULT_STACK   /* at the end of the stack */
};

struct fault {
    int signal;     /* 0: none */
    bool is_access; /* to an address: what follows is filled */
    enum fault_place place;
    bool is_known; /* whether it is known if it was a write */
    bool is_write;
    uint64_t address; /* for what no block explains */
    uint64_t block_bytes;
    uint64_t distance_bytes; /* from the block's near end; FAULT_FREED: from its beginning */
    const char *taken_in;    /* the function of the design that allocated the block */
};

struct watch {
    /* The function of the design that is being called; NULL between calls.  A string literal, which
     * means the same to parent and child. */
    const char *function;
    uint64_t calls;    /* of functions and callbacks: stands still while one does not return */
    size_t step;       /* operation of the list that is under way, counted from 0 */
    const char *story; /* name of the written case, or NULL */
    uint64_t seed;     /* of the stream; 0 for a written case */
    struct fault fault;
    int open_instances;
    uintptr_t
        lent_pages[LENT_PAGES_MAX]; /* of lent pages that are revoked; the latest ones, as a ring */
    size_t lent_count;
    uint64_t taken_bytes[WATCH_TAKEN_MAX]; /* asked for, whether it was given or not */
    size_t taken_count;
    struct conform_report report;
    uint64_t end;                 /* WARD_DONE: the child came to it */
    struct operations operations; /* header and count of the list under way; `list` is not used */
    int look;                     /* of enum judge_look: how the list is judged */
    bool is_cut;                  /* it had more operations than there is room for */
    struct operation list[WATCH_OPERATIONS_MAX];
};

/* Writes to the stack where the next call will have its variables: before the first million calls. */
void watch_soil_stack(uint64_t with);

/* The function that was under way before is what watch_leave puts back: a callback may call too. */
static inline const char *watch_enter(struct watch *watch, const char *function)
{
    if (!watch)
        return NULL;
    const char *before = watch->function;
    if (watch->calls++ >> 20 == 0)
        watch_soil_stack(watch->calls);
    watch->function = function;
    return before;
}

static inline void watch_leave(struct watch *watch, const char *before)
{
    if (watch)
        watch->function = before;
}

static inline void watch_step(struct watch *watch, size_t step)
{
    if (watch)
        watch->step = step;
}

/* After the child's end, whatever has written into the watch: every pointer is a string of this program or NULL, every
 * text has an end, every number is within its limits.  A list that cannot be run is empty. */
void watch_mend(struct watch *watch, const struct tw_backend *backend);

/* Notes the list that is about to be run. */
void watch_list(struct watch *watch, const struct operations *operations);
/* The noted list, into *operations, which is initialised. */
void watch_read_list(const struct watch *watch, struct operations *operations);

#endif
