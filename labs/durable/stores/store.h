/*
 * store.h - the contract between a store and whoever gives it messages that a crash must not lose.
 *
 * A design (src/impls/backend.h) keeps timers in memory and loses them with the process.  A store
 * keeps messages, each with a key, a due and a payload, so that a killed process, a killed server or a loss of power
 * loses none that was acknowledged.  This is the one header that a store has to keep.
 *
 *     open     a directory, new or found: recovers what is in it
 *     enter    a seat for each thread that puts or cancels        leave   gives it back
 *     put      messages; returns when they are acknowledged
 *     cancel   one message
 *     poll     the next run of due messages                       done    the first n of that run are handled
 *     tend     work ahead of time: preload, checkpoint, reclaim
 *     checkpoint  make the next recovery short
 *     close    nothing is pending in buffers; the directory stays
 *
 * TIME is milliseconds since any epoch that the caller keeps to, across crashes too.  A store reads no clock:
 * poll says what time it is, and it may be ten days later than before (virtual time).  The exception is
 * the interval of TW_SYNC_INTERVAL, which is CLOCK_MONOTONIC.  A clock that was set back across an open changes
 * nothing of what was handed out.  A store may then keep to the order of before, and to the latest time that open or poll was
 * told: a message put with an earlier due comes when the clock is there, never before its own; cancel finds it by its own.
 *
 * A MESSAGE is one accepted put.  Its key is the caller's, unique among all messages ever put into this
 * directory; a store need not check that.  It ends in exactly one of two ways:
 *
 *     acknowledged = done + cancelled + (still pending)
 *
 * ACKNOWLEDGED is a put, cancel or done that returned TW_STORE_OK (cancel: TW_STORE_CANCELLED).  What it survives:
 *
 *     policy       kill -9 of store and server    loss of power                         puts that share a sync
 *     always       yes                            yes                                   calls that wait anyway
 *     group        yes                            yes                                   the same, and company
 *     interval     yes                            all but the last interval             all of the interval
 *     none         yes, once written: tend,       what the system has written; the      -
 *                  checkpoint or close returned   rest is lost whole, never half
 *
 * SHARING.  Under always and group a sync is over before the answer, and it began after the records were written.  A call
 * that comes while a sync is under way has to wait for the next one, and shares it with all that came meanwhile.  Under
 * always no call waits longer than that: one that finds the disk free begins its sync at once.  Under group a sync may be held back for a
 * bounded time, so that more calls come into it.  The promise is the same; a store need not make use of either.
 *
 * Under every policy: what is lost is lost whole, a payload is never served half or changed, and no message is
 * ever delivered that was not put.  A call that failed or was cut off by a crash leaves its messages unknown: each
 * is there whole or not at all.
 *
 * DELIVERY.  poll hands out each due message at least once; a message that was handed out and not yet
 * acknowledged as done when the process died is handed out again (again: allowed).  A store with TW_STORE_EXACT
 * promises more, exactly once after recovery: a message whose done was acknowledged is never handed out
 * again (twice: a defect).  Without the flag only a checkpoint ends the replay: what was done since the last one may come
 * again, and the ledger counts it.  Within one open, nothing is handed out twice.
 *
 * ORDER.  By due, in steps of the description's resolution_ms; within a step in any order, but in the same one
 * after recovery.  No message is handed out before its due.  One that is put with a due in the past is due at once.
 *
 * THREADS.  put and cancel may be called from any thread, by many at once, each with a seat of its own.  poll, done, tend,
 * checkpoint belong to one thread at a time, the dispatcher, which may run beside those that put.  A seat belongs to
 * its thread (a connection, a buffer).
 *
 * FAILURE.  Nothing here prints, exits, keeps state at file scope, or changes what is the process's: its directory, umask, signals.
 * Two stores in two directories share nothing, and what another program inherits locks nothing.
 * After a write or a sync that failed nothing may be believed: the call answers TW_STORE_IO or _FULL, its messages are
 * unknown, and every later call that needs the disk answers TW_STORE_BROKEN until the store is opened again.
 * An exception is a put that was refused before anything of it was written: TW_STORE_FULL, _RANGE, _BAD; then the
 * store goes on.
 */
#ifndef TWBENCH_STORE_H
#define TWBENCH_STORE_H

#include "impls/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this contract.  The harness refuses a store built against another one. */
#define TW_STORE_ABI_VERSION 1u

/* Largest payload that every store takes, in bytes. */
#define TW_PAYLOAD_MAX 65536u

/* Furthest due that every store takes, in milliseconds after the now of the last poll or open: 10 days and an
 * hour. */
#define TW_DELAY_MAX_MS (241ull * 3600 * 1000)

/* No message is pending. */
#define TW_STORE_NEVER UINT64_MAX

/* What the calls answer.  Zero and above: done.  Below: refused or failed, as FAILURE says above. */
enum tw_store_answer {
    TW_STORE_OK = 0,
    TW_STORE_CANCELLED = 1, /* cancel: it will not be handed out, thanks to this call */
    TW_STORE_TOO_LATE = 2,  /* cancel: handed out, or lost; of coarse steps: a poll came to its */
    TW_STORE_FULL = -1,     /* no room on the disk, or the store's own cap */
    TW_STORE_IO = -2,       /* a read, write or sync failed */
    TW_STORE_BROKEN = -3,   /* an earlier write or sync failed: open again */
    TW_STORE_RANGE = -4,    /* put: due further away than the store reaches, or payload too large */
    TW_STORE_MEMORY = -5,   /* no memory; nothing changed */
    TW_STORE_BAD = -6,      /* open: a setting; the error says which one */
    TW_STORE_FORMAT =
        -7, /* open: the directory holds something else, or another version; untouched */
    TW_STORE_LOCKED = -8, /* open: another process has the directory open */
    TW_STORE_ABSENT =
        -9, /* open: the server or library is not installed; the error names its package */
    TW_STORE_LOST =
        -10 /* the server went away; its messages are unknown until the store is opened again */
};

enum tw_sync_policy { TW_SYNC_ALWAYS, TW_SYNC_GROUP, TW_SYNC_INTERVAL, TW_SYNC_NONE };

struct tw_store;
struct tw_store_seat; /* each store defines its own */

/* A message as it is put.  put copies it all, and fills handle. */
struct tw_message {
    uint64_t key;
    uint64_t due_ms;
    const void *payload;
    uint32_t size;   /* 0 .. TW_PAYLOAD_MAX */
    uint64_t handle; /* the store's name of it, for cancel; 0: it needs none.  Survives crashes */
};

/* A message as it is handed out.  payload is the store's: valid until the next poll or close. */
struct tw_delivery {
    uint64_t key;
    uint64_t due_ms;
    const void *payload;
    uint32_t size;
};

/* open calls this once for each damaged piece it meets, and goes on: the rest is served.  So do poll and tend for
 * what only they read: damage_ctx is needed until close, and they call from the dispatcher's thread.  file is
 * relative to the directory; what says which record and what is wrong with it ("entry: checksum differs"). lost:
 * the most messages that can be lost by it, or UINT64_MAX when that cannot be known. */
typedef void tw_store_damage_fn(void *ctx, const char *file, uint64_t offset, const char *what,
                                uint64_t lost);

/* How a store is to be opened.  Once open has answered, nothing of it is read again but damage and damage_ctx. */
struct tw_store_config {
    const char *
        directory; /* absolute; made if it is not there (its parent is), and its name lasts before the first acknowledgement */
    enum tw_sync_policy sync;
    uint32_t interval_ms; /* of TW_SYNC_INTERVAL: 1 or more */
    uint64_t now_ms;      /* the time at open; if it is before that of an earlier poll: see TIME */
    uint32_t seats;       /* most seats at once, a hint: 1 or more */
    uint64_t capacity;    /* most messages pending, a hint; 0 = unknown */
    const struct tw_setting *settings; /* the store's own, of its params */
    size_t setting_count;
    tw_store_damage_fn *damage; /* may be NULL */
    void *damage_ctx;
};

/* How it was opened; the same as long as it is open. */
struct tw_store_description {
    uint64_t resolution_ms; /* order and lateness are promised to this much */
    uint64_t reach_ms;      /* furthest due from now that put takes; TW_STORE_NEVER: any */
    uint64_t recovered; /* messages pending that open found; UINT64_MAX: it did not count them */
    uint64_t damaged;   /* calls of config.damage by open */
    int64_t server;     /* process of its private server, 0: none */
    char version[64];   /* of library or server, "" for our own */
    size_t setting_count;
    struct tw_setting settings[16];
};

/* One row each, and the only list of them: name and meaning.  What a store cannot know is UINT64_MAX. */
#define TW_STORE_STATS(X)                                                                          \
    X(pending, "Messages acknowledged and neither done nor cancelled.")                            \
    X(disk_bytes, "Bytes of the files in the directory, as allocated by the file system.")         \
    X(memory_bytes, "Memory of the store in this process, by its own count.")                      \
    X(written_bytes, "Bytes given to the system to write since open, by this process.")            \
    X(syncs, "fsync, fdatasync or their like, by this process.")                                   \
    X(checkpoints, "Checkpoints written since open.")                                              \
    X(preloaded, "Messages read ahead of their due by tend.")                                      \
    X(loaded_late, "Messages that poll itself had to read.")                                       \
    X(reclaimed_bytes, "Bytes of files deleted or reused, as all in them had ended.")

struct tw_store_stats {
#define TW_STORE_STATS_MEMBER(name, meaning) uint64_t name;
    TW_STORE_STATS(TW_STORE_STATS_MEMBER)
#undef TW_STORE_STATS_MEMBER
};

enum tw_store_flag {
    TW_STORE_EXACT = 1u << 0,  /* exactly once after recovery, as DELIVERY says */
    TW_STORE_SERVER = 1u << 2, /* starts a private server, ended by close or with the process */
    TW_STORE_KEEPS_NOTHING = 1u << 3, /* acknowledges and forgets: the harness's own cost */
    TW_STORE_IN_MEMORY = 1u << 4,     /* survives nothing: the reference */
    TW_STORE_FINDS_DAMAGE =
        1u << 5 /* a flipped bit of its files is named by open, or does no harm */
};

/* ---- The table.  Every hook is required unless it says otherwise. ----------------------------- */

struct tw_store_backend {
    uint32_t abi_version;          /* TW_STORE_ABI_VERSION */
    const char *name;              /* key on the command line and in results: "wheel-log" */
    const char *summary;           /* one line for `twbench list` */
    const char *after;             /* whose design it is */
    unsigned flags;                /* of enum tw_store_flag */
    unsigned policies;             /* bit 1 << policy for each that it can keep */
    const struct tw_param *params; /* its own settings; ends with a NULL name */

    /* Opens or makes the store in the directory; recovers.  On TW_STORE_OK sets *out; on any other answer leaves
     * it alone, changes no file that holds messages, and fills *error. */
    int (*open)(struct tw_store **out, const struct tw_store_config *config,
                struct tw_error *error);
    /* A seat for the calling thread, or NULL without memory or connection. */
    struct tw_store_seat *(*enter)(struct tw_store *store);
    void (*leave)(struct tw_store_seat *seat);

    /* All of the messages are acknowledged when this returns TW_STORE_OK; on any other answer none is.  count is 1
     * or more. */
    int (*put)(struct tw_store_seat *seat, struct tw_message *messages, size_t count);
    /* key, due and handle as they were put.  The caller cancels a message at most once, and only one that was
     * acknowledged; what a second call answers is open. */
    int (*cancel)(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms, uint64_t handle);

    /* The next messages due at or before now, at most max, into out; *count says how many.  0: none is due now.
     * now never goes back.  What was handed out before and not done stays handed out: it is not given again. */
    int (*poll)(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
                size_t *count);
    /* Acknowledges that the first count messages handed out and not yet done, in the order of delivery, are handled. */
    int (*done)(struct tw_store *store, size_t count);
    /* A time by which poll has something: the due of the earliest message that is neither handed out nor cancelled, or
     * earlier.  Of a message that is past its due it may answer any time up to the caller's now.  TW_STORE_NEVER: no such
     * message. */
    uint64_t (*next)(struct tw_store *store);

    /* Does a bounded piece of work ahead of time; 1 in *more if there is more to do at this time.  A dispatcher that has nothing
     * due calls it until *more is 0. */
    int (*tend)(struct tw_store *store, uint64_t now_ms, int *more);
    /* Makes all of before durable and the next recovery short: an open that follows does not read again all that had ended. */
    int (*checkpoint)(struct tw_store *store);
    /* Ends it in order, after all seats have left; like checkpoint under every policy.  Frees the store even if it answers an error. */
    int (*close)(struct tw_store *store);

    void (*stats)(struct tw_store *store, struct tw_store_stats *out);
    void (*describe)(struct tw_store *store, struct tw_store_description *out);
};

/* In a table: each hook is the function PREFIX_hook, the settings are PREFIX_params. */
#define TW_STORE_HOOKS(prefix)                                                                     \
    .abi_version = TW_STORE_ABI_VERSION, .params = prefix##_params, .open = prefix##_open,         \
    .enter = prefix##_enter, .leave = prefix##_leave, .put = prefix##_put,                         \
    .cancel = prefix##_cancel, .poll = prefix##_poll, .done = prefix##_done,                       \
    .next = prefix##_next, .tend = prefix##_tend, .checkpoint = prefix##_checkpoint,               \
    .close = prefix##_close, .stats = prefix##_stats, .describe = prefix##_describe
/* All policies can be kept. */
#define TW_SYNC_ALL                                                                                \
    (1u << TW_SYNC_ALWAYS | 1u << TW_SYNC_GROUP | 1u << TW_SYNC_INTERVAL | 1u << TW_SYNC_NONE)

/* A module or plugin that brings a store defines this symbol, with the macro. */
struct tw_store_entry {
    uint32_t abi_version; /* TW_STORE_ABI_VERSION, again: read before anything behind it */
    const struct tw_store_backend *backend;
};
extern const struct tw_store_entry tw_store_plugin;
#define TW_STORE_PLUGIN(table)                                                                     \
    const struct tw_store_entry tw_store_plugin = {TW_STORE_ABI_VERSION, &(table)}

#ifdef __cplusplus
}
#endif

#endif
