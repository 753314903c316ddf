/* drive.h - what is noted of each message, and the work of a run in its process. */
#ifndef TWBENCH_DRIVE_H
#define TWBENCH_DRIVE_H

#include "labs/durable/drive/durable_run.h"

#include <stdatomic.h>

/* The book of a durable run: what became of each message, in memory that survives the process that works.
 *
 * The worker (a child) writes down every step before and after it calls the store; the parent, which outlives it,
 * judges.  Steps are stamped: by a count of them, or by the length of the record of the disk (disk/disk.h), so
 * that the book can be turned back to a moment at which power was lost.
 *
 *     put      handed -> acked | refused | (crash: unknown)
 *     cancel   cancel_called -> cancel_acked | too late
 *     poll     sequence: in which order it came; incarnation: in which open
 *     done     done_called -> done_acked */

/* What else is known of a message. */
enum book_flag {
    BOOK_REFUSED = 1u << 0,     /* put answered that nothing was kept */
    BOOK_TOO_LATE = 1u << 1,    /* cancel answered that it was handed out */
    BOOK_UNCANCELLED = 1u << 2, /* its cancel was lost as the policy allows, and it came */
    BOOK_BOTH =
        1u << 3, /* its cancel was acknowledged after it had been handed out in the same open */
    /* What was so when the last open ended by a crash (book_settle). */
    BOOK_PUT_KEPT = 1u << 4,    /* its put had to survive that crash */
    BOOK_PUT_LEFT = 1u << 5,    /* its put was acknowledged and did not have to */
    BOOK_CANCEL_KEPT = 1u << 6, /* its cancel had to */
    BOOK_DONE_KEPT = 1u << 7,   /* it was done for good */
    BOOK_PAST = 1u << 8         /* on the real clock: its due was over when its put had answered */
};

/* Stamps; 0: it did not happen.  A producer writes the first line and the dispatcher the second; both read both. */
struct book_entry {
    _Atomic uint32_t handed, acked, acked_poll, cancel_called, cancel_acked;
    _Atomic uint32_t delivered, done_called, done_acked, sequence, first_poll;
    _Atomic uint32_t late_poll; /* of this open: begun when a cancel had answered too late */
    _Atomic uint16_t incarnation, flags;
    uint64_t handle;
};

/* What the worker is doing: a kill is meant for one of these. */
enum book_stage { BOOK_OPENING, BOOK_WORKING, BOOK_CHECKPOINT, BOOK_FILLED, BOOK_CLOSING };

#define BOOK_PROMISES 64

/* Shared by worker and parent. */
struct book {
    struct durable_load load;
    uint64_t base_ms; /* of the run's clock: arrival and due count from it */
    enum tw_sync_policy sync;
    bool is_exact, is_power; /* what is to survive is the loss of power, else a kill */
    const _Atomic uint64_t
        *disk_length;                  /* what stamps count, in a run that is recorded; else NULL */
    _Atomic uint32_t *disk_lock;       /* likewise: whoever has it is recorded; NULL */
    _Atomic uint32_t clock;            /* the last stamp */
    _Atomic uint32_t steps;            /* messages handed to put, and messages handed out */
    _Atomic uint32_t alarm;            /* the step at which the worker tells the parent; 0: none */
    _Atomic uint32_t wants_checkpoint; /* the parent asks for one, to end it there */
    _Atomic uint32_t stage;            /* enum book_stage */
    _Atomic uint32_t polls;            /* begun */
    _Atomic uint64_t
        next[DURABLE_PRODUCERS_MAX]; /* how many of its messages a producer has handed */
    _Atomic uint64_t put_arrival[DURABLE_PRODUCERS_MAX]; /* virtual time that it has come to */
    uint64_t now_ms;                                     /* of the last poll */
    uint64_t floor_ms;     /* the latest before the clock was set back: all due by then may come */
    uint32_t drained_poll; /* found nothing more, at drained_ms */
    uint64_t drained_ms;
    uint32_t drained_incarnation;
    uint32_t sequence, incarnation;
    uint32_t tended;    /* all acknowledged before that stamp was written, */
    uint32_t tended_at; /* by a tend that answered at that one */
    uint32_t opened_at; /* the last open was over then */
    /* The same of what was made durable by checkpoints.  The last ones. */
    struct book_promise {
        uint32_t before, at;
    } promises[BOOK_PROMISES];
    size_t promise_count;
    uint64_t resolution_ms;
    bool is_cold;                       /* this open finds nothing in the page cache */
    int64_t server;                     /* process of the store's server, 0: none */
    uint64_t opening_ns, checkpoint_ns; /* how long the last ones took */
    struct durable_ledger seen;         /* what the worker counts: twice, early, late, again, ... */
    char first[200];                    /* what was wrong first */
    char failure[300];                  /* what the store answered that ended the worker */
    struct durable_figures figures;
    struct tw_store_description description;
    uint64_t damaged_at_open; /* pieces that the last open named */
    struct tw_store_stats stats;
    struct book_entry entries[];
};

/* Memory that children share, cleared: there is enough, or the program ends.  Pages that are never touched cost nothing. */
void *book_shared(size_t bytes);
struct book *book_make(const struct durable_load *load);
/* Unmaps it; NULL is allowed.  Children keep their mapping. */
void book_free(struct book *book);
size_t book_bytes(const struct book *book);

/* The next stamp. */
uint32_t book_stamp(struct book *book);

/* All acknowledged before that stamp is durable; the call that made it so has just answered. */
void book_promise(struct book *book, uint32_t before);
/* The stamp before which all that was acknowledged is durable; 0: nothing was promised yet. */
static inline uint32_t book_promised(const struct book *book)
{
    return book->promise_count ? book->promises[book->promise_count - 1].before : 0;
}

/* The order of deliveries within one open, kept by the dispatcher. */
#define BOOK_TOPS 64
struct book_order {
    struct {
        uint32_t poll;
        uint64_t step;
    } tops[BOOK_TOPS]; /* steps falling, polls rising: the greatest step handed out since a poll */
    size_t count;
    uint32_t last_again; /* sequence of the last message that came again, */
    uint32_t last_acked; /* the polls that had begun when it was acknowledged, */
    uint64_t last_step;  /* and its step: within one the order is the same after recovery */
};

/* Notes a message handed out by poll number `poll` at `now_ms`, and judges it. */
void book_deliver(struct book *book, struct book_order *order, const struct tw_delivery *delivery,
                  uint32_t poll, uint64_t now_ms);

/* Adds up what became of every message, once all are due and handed out. */
struct durable_ledger book_judge(const struct book *book);
/* The first defect in words, or "" when there is none. */
void book_explain(const struct book *book, const struct durable_ledger *ledger, char *out,
                  size_t size);
bool book_is_broken(const struct durable_ledger *ledger);

/* After a crash: writes down what had to survive it, so that what a later open makes durable is not taken for it. */
void book_settle(struct book *book);

/* Turns the book back to the moment of a stamp: what came later did not happen.  What was promised only by a later
 * tend or checkpoint is no longer promised. */
void book_turn_back(struct book *book, uint32_t stamp);

/* How many messages an open finds: those that had to survive and have not ended, and those that may be there, too. */
void book_waiting(const struct book *book, uint64_t *least, uint64_t *most);
/* Messages handed to the store, and those of them that have ended. */
uint64_t book_handed(const struct book *book);

/* The work of a durable run: producers that put and cancel, a dispatcher that polls and handles, over one open
 * of the store.
 *
 * Runs in a child process, which may be killed at any moment.  All that it learns is in the book.  The clock is virtual
 * unless asked otherwise: it follows the arrivals of what is put, and when all is put it goes from step to step as
 * fast as the store hands out. */

/* How the worker ended, as its exit status. */
enum drive_end {
    DRIVE_FINISHED = 0, /* all is put, handed out and done; the store is closed */
    DRIVE_SERVED =
        9, /* no_drain: the first messages after the recovery are handed out, and the process is to be
                       * killed; without measures_recovery all is put, and the store is closed */
    DRIVE_FILLED =
        10, /* all is put and measured; the store is open, and the process is to be killed */
    DRIVE_BROKE = 11, /* the store answered an error; book->failure has it */
    DRIVE_ABSENT = 12,
    DRIVE_REFUSED = 13, /* open refused the settings or the policy */
};

/* Opens the store in `directory`, recovers, and goes on with the load from where the book says.  `alarm_fd` is
 * written to when the book's alarm rings; below 0: never. */
enum drive_end drive(const struct durable_request *request, const char *directory,
                     struct book *book, int alarm_fd);

#endif
