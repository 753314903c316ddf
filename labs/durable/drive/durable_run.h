/* durable_run.h - a durable run: its load, its request, its outcome, and how it is made. */
#ifndef TWBENCH_DURABLE_RUN_H
#define TWBENCH_DURABLE_RUN_H

#include "harness/base/interrupt.h"
#include "harness/measure/stats/histogram.h"
#include "labs/durable/stores/store.h"

/* The request and the outcome of a durable run, as plain data.
 *
 * Times of messages are milliseconds of the run's own clock, which begins at DURABLE_EPOCH_MS and is virtual unless it
 * says otherwise.  What a run took is nanoseconds of CLOCK_MONOTONIC. */

#define DURABLE_PRODUCERS_MAX 64
#define DURABLE_BATCH_MAX     10000
#define DURABLE_TASKS_MAX     UINT64_C(100000000)
#define DURABLE_SETTINGS_MAX  8
/* Where virtual time begins: some hour's turn, as a server that has run for a while would see it. */
#define DURABLE_EPOCH_MS (UINT64_C(472222) * 3600000)

/* What is put: N messages, each a function of the seed and its number. */
struct durable_load {
    uint64_t tasks; /* 1 .. DURABLE_TASKS_MAX */
    uint64_t seed;
    uint64_t span_ms;                  /* longest delay; TW_DELAY_MAX_MS at most */
    uint64_t arrivals_ms;              /* the puts are spread over so much of the run's time */
    uint32_t payload_min, payload_max; /* bytes, log-uniform between them */
    uint32_t cancel_permille;          /* share of the messages that are cancelled */
    uint32_t hot_permille;   /* share due at the next 1/240 of the span (an hour in ten days) */
    uint32_t burst_permille; /* share of the blocks of 64 messages that come at one moment */
    uint32_t past_permille;  /* share that is due before it is put */
};

/* One message of a load. */
struct durable_message {
    uint64_t arrival_ms, due_ms; /* from the start of the run */
    uint32_t size;
    bool is_cancelled;
};

/* How a store may be ended while it works. */
enum durable_victim { DURABLE_CLIENT, DURABLE_SERVER, DURABLE_BOTH, DURABLE_VICTIMS };
enum durable_moment { DURABLE_WORKING, DURABLE_OPENING, DURABLE_CHECKPOINT, DURABLE_MOMENTS };

struct durable_request {
    const struct tw_store_backend *store;
    const char *directory; /* empty, of this run alone; the store gets a directory in it */
    enum tw_sync_policy sync;
    uint32_t interval_ms;
    struct durable_load load;
    uint32_t producers, batch;
    double rate;    /* puts a second of all producers; 0: as fast as they can */
    bool real_time; /* the wall clock; else virtual */
    bool no_drain;  /* over with the first messages of the last open; else when all is put */
    bool is_cold;   /* with measures_recovery: killed again then, and opened without page cache */
    uint64_t kills; /* at random moments; the figures then are those of a store that is killed */
    bool measures_recovery; /* ended once when all is put, and opened again: the figure */
    bool lags;    /* some of what was handed out is done only after later polls and checkpoints */
    bool insists; /* puts and cancels go on after an error, which is expected */
    bool is_deaf; /* the store is given nobody to name damage to */
    bool counts;  /* each open has to find as many as the book has, and nothing is printed */
    uint64_t budget_ns;          /* of the whole run, wall time */
    uint64_t memory_bytes;       /* of the child; 0: no limit */
    uint64_t group_memory_bytes; /* what the group was given that it runs in (footing.h); 0: none */
    const struct tw_setting *settings; /* those that the store has */
    size_t setting_count;
};

enum durable_end {
    DURABLE_OK,
    DURABLE_MISMATCH, /* the ledger has what the contract forbids */
    DURABLE_ABSENT,   /* server or library is not here */
    DURABLE_UNSUPPORTED,
    DURABLE_FAILED, /* the store answered an error that nobody had caused */
    DURABLE_TIMEOUT,
    DURABLE_CRASHED,
    DURABLE_INTERRUPTED,
    DURABLE_ENDS
};

/* The account of all messages, one row each: name and meaning. */
#define DURABLE_LEDGER(X)                                                                          \
    X(acknowledged,                                                                                \
      "Messages whose put was acknowledged: fired + cancelled + lost + dropped + pending.")        \
    X(fired, "Of them, those that were handed out and done.")                                      \
    X(cancelled, "Of them, those whose cancel was acknowledged, or was unknown and held.")         \
    X(lost, "Of them, those that were neither and had to survive. A defect.")                      \
    X(twice, "Handed out again though that had ended: done or cancelled for good, or within one "  \
             "open. A defect.")                                                                    \
    X(early, "Handed out before they were due. A defect.")                                         \
    X(late, "Handed out after a poll had found nothing more though they were due. A defect.")      \
    X(out_of_order, "Handed out after one of a later step, or in another order after recovery. A " \
                    "defect.")                                                                     \
    X(changed, "Handed out with another due, size or payload than was put, or never put. A "       \
               "defect.")                                                                          \
    X(again, "Handed out again after a crash, as the contract allows.")                            \
    X(dropped, "Acknowledged and lost as the policy allows.")                                      \
    X(unknown, "Puts cut off by a crash or failed: each may be there or not.")                     \
    X(unknown_kept, "Of them, those that were handed out.")                                        \
    X(refused, "Puts that were refused, with nothing kept.")                                       \
    X(pending, "Acknowledged and neither fired nor cancelled when a run ended before its end.")

/* One count for each row. */
struct durable_ledger {
#define DURABLE_LEDGER_MEMBER(name, meaning) uint64_t name;
    DURABLE_LEDGER(DURABLE_LEDGER_MEMBER)
#undef DURABLE_LEDGER_MEMBER
};

#define DURABLE_UNKNOWN UINT64_MAX

/* What was measured; DURABLE_UNKNOWN is what is not known. */
struct durable_figures {
    uint64_t put_count, put_ns;           /* acknowledged in the first open, and its window */
    uint64_t dispatch_count, dispatch_ns; /* handed out and done once all was put */
    struct histogram ack;        /* a put call, from call (paced: from its moment) to answer */
    struct histogram poll, tend; /* calls of the dispatcher */
    struct histogram late;       /* real clock: from due to delivery */
    uint64_t pending;            /* when all was put */
    uint64_t memory_bytes, server_memory_bytes;     /* anonymous then, less that before open */
    uint64_t resident_bytes, server_resident_bytes; /* with mapped files, without shared memory */
    uint64_t disk_bytes;                            /* allocated in the directory then */
    uint64_t written_bytes; /* given to write and its like until then, the server's included */
    uint64_t storage_bytes; /* of them and of mapped files what went to the disk's cache */
    uint64_t payload_bytes; /* of the messages put */
    uint64_t recovery_ns, recovered; /* the open after the kill, with so many pending */
    uint64_t served_ns; /* from the beginning of that open to its first messages; 0: none came */
    uint64_t cold_recovery_ns, cold_served_ns; /* the same once more, without page cache */
    uint64_t kills[DURABLE_VICTIMS][DURABLE_MOMENTS];
    uint64_t opens, checkpoints, damaged;
    uint64_t damaged_lost; /* messages that were named as lost, at most */
    uint64_t slowest_recovery_ns;
};

struct durable_report {
    enum durable_end end;
    char reason[400];
    struct durable_ledger ledger;
    struct durable_figures figures;
    struct tw_store_description description;
    struct tw_store_stats stats; /* when all was put */
};

/* The messages of a durable load, each from the seed and its number alone.  Pure functions. */

/* The key of the message of that number, 0 .. tasks - 1, and the way back: all 64 bits of a key differ. */
uint64_t durable_key(uint64_t number);
uint64_t durable_number(uint64_t key);
/* The message of that number.  Among 32 there is one of the smallest size and one of the largest.  O(1). */
struct durable_message durable_load_message(const struct durable_load *load, uint64_t number);

/* Its payload, message.size bytes. */
void durable_load_payload(const struct durable_load *load, uint64_t number, uint32_t size,
                          unsigned char *out);
/* Is that its payload?  O(size). */
bool durable_load_is_payload(const struct durable_load *load, uint64_t number, const void *payload,
                             uint32_t size);

/* Drives a store in child processes that are ended at random moments, and judges the ledger.
 *
 * Each open of the store is a child of its own (base/isolate.h); the book is shared and outlives it. */

struct book;

/* Word in results: "ok", "mismatch", "absent", "unsupported", "failed", "timeout", "crashed", "interrupted". */
const char *durable_end_name(enum durable_end end);
/* "always", "group", "interval", "none". */
const char *durable_sync_name(enum tw_sync_policy sync);

/* How many there were. */
uint64_t durable_kills(const struct durable_report *report);

/* Was anything written to that file, a child's output (memfd_create)?  Then in words; below 0: nothing. */
bool durable_said(int said, char *reason, size_t size);

/* Makes the run in request->directory, which is there and empty, and fills the report.  `interrupt` may be NULL. */
void durable_run(const struct durable_request *request, const struct interrupt *interrupt,
                 struct durable_report *report);

/* One open of the store in a child, until it ends by itself: the exit status of drive.h in *ended.  False when it crashed
 * or took longer than budget_ns, with the reason.  For who judges the book himself. */
bool durable_open_once(const struct durable_request *request, const char *store_directory,
                       struct book *book, uint64_t budget_ns, int *ended, char *reason,
                       size_t reason_size);

#endif
