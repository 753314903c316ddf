/* crash.h - the proof of a store: kills, loss of power, failing disks, flipped bits. */
#ifndef TWBENCH_CRASH_H
#define TWBENCH_CRASH_H

#include "harness/base/diag.h"
#include "labs/durable/disk/disk.h"
#include "labs/durable/drive/durable_run.h"

/* The parts of a proof, in the order in which they are made. */
enum crash_part { CRASH_EVEN, CRASH_KILLS, CRASH_POWER, CRASH_ERRORS, CRASH_FLIPS, CRASH_PARTS };

struct crash_options {
    const char *directory; /* empty, for the runs */
    uint64_t seed;
    uint64_t kills;  /* under each policy */
    uint64_t states; /* of a disk, for each policy; UINT64_MAX: all points of the record */
    uint64_t flips;
    unsigned parts; /* bit 1 << part */
    const struct tw_setting *settings;
    size_t setting_count;
};

struct crash_report {
    bool is_broken;
    enum crash_part part; /* that found it */
    char rule
        [40]; /* "lost", "twice", "early", "late", "out of order", "changed", "failed", "crashed", ... */
    char detail[800]; /* in words, with what repeats it */
    uint64_t messages, kills, states, errors, flips;
    uint64_t flips_named, flips_refused,
        flips_silent;    /* of the flips: named as damage; open or poll
                                                          refused; messages lost and nothing said */
    uint64_t aborts;     /* of the failing disks: those on which the store ended the process */
    const char *skipped; /* why power, errors and flips were not made; NULL: they were */
};

/* "even", "kills", ... */
const char *crash_part_name(enum crash_part part);

/* Proves a store: that it loses and repeats nothing, whatever ends it.
 *
 *     even      runs without harm, under every policy
 *     kills     kill -9 at random moments: client, server, both; during recovery and checkpoint
 *     power     every state that a disk may be left in when power is lost (disk_states.h); without --thorough some of
 *               them, and each step by which the store is made
 *     errors    a full disk, a disk that may not be written, failed writes, failed syncs
 *     flips     a bit of a file, of a store that was killed or closed in order, is another one: what is served is what was put; with TW_STORE_FINDS_DAMAGE what is lost
 *               was named
 *
 * Power, errors and flips are for stores that write their files from their own process. */

/* DIAG_OK with the report filled, broken or not; DIAG_RUN when it cannot be proved: not built, no server here. */
int crash_prove(const struct tw_store_backend *store, const struct crash_options *options,
                struct crash_report *report, struct diag *diag);

/* Is the layer that records the disk loaded?  Else the caller begins this program again with it before all others:
 * crash_layer_path answers where it is, or "". */
bool crash_has_layer(void);
void crash_layer_path(char *out, size_t size);

/* What every part is given. */
struct crash_case {
    const struct tw_store_backend *store;
    const struct crash_options *options;
    struct crash_report *report;
    /* The options' settings and, of a store that has them and was given none, small files (segment-kib, checkpoint-kib), so
     * that a short run begins, ends and deletes some. */
    struct tw_setting small[DURABLE_SETTINGS_MAX + 2];
    size_t small_count;
};

/* A small load under that policy, with payloads up to 700 bytes. */
struct durable_request crash_request(const struct crash_case *this, enum tw_sync_policy sync,
                                     uint64_t tasks, uint64_t seed);

/* Notes the first broken rule. */
void crash_broken(const struct crash_case *this, enum crash_part part, const char *rule,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Opens the store in store_directory with the book as it is, hands all out and judges.  False when something is broken, which
 * has been noted: `where` says what had been done to the store. */
bool crash_judge(const struct crash_case *this, enum crash_part part,
                 const struct durable_request *request, const char *store_directory,
                 struct book *book, const char *where);

/* What describe says of damage is what open has named. */
void crash_count_damage(const struct crash_case *this, enum crash_part part,
                        const struct book *book, const char *where);

/* A book as it is for an open after a crash: nothing more is put, nothing seen is remembered. */
void crash_prepare(struct book *book, uint32_t producers);

/* Short sequences of calls under the first policy: scenes.c.  False when something is broken. */
bool crash_scenes(const struct crash_case *this);
/* Those whose disk is recorded, for power and errors, under that policy. */
bool crash_recorded_scenes(const struct crash_case *this, enum crash_part part,
                           enum tw_sync_policy sync);

/* A copy of a book, shared with children. */
struct book *crash_copy(const struct book *book);

/* The first defect of a ledger, as a rule's name: "lost", "twice", ... */
const char *crash_rule(const struct durable_ledger *ledger);

/* What a disk may hold when power is lost at some point of a record (disk/disk.h).
 *
 * What a sync covered is there.  Of the rest each write may have vanished, arrived, or arrived in part, by sectors of 512
 * bytes, in any order.  Names are kept in order, as file systems with a journal do: of the creations, renamings and
 * removals that no sync covers, the first so many have happened.  A sync of a file covers its creation.  Behind a sync that failed
 * what was written is gone for good; a name is still in the journal, and a later sync covers it.  The store's own directory is there
 * once the directory above it was synced. */

enum disk_arrival {
    DISK_NOTHING,    /* of what no sync covers */
    DISK_EVERYTHING, /* as after a kill */
    DISK_SOME,       /* each write or not, by a coin: out of order */
    DISK_TORN,       /* each sector or not, by a coin */
    DISK_PREFIX,     /* the first so many, and of the next its first sectors */
    DISK_NAMES,   /* all names, and of the writes nothing: a journal is often ahead of the data */
    DISK_GARBAGE, /* each write or not; where one is missing that made the file longer lies what was on the disk before */
    DISK_ARRIVALS
};

/* "nothing of what was not synced arrived" ... */
const char *disk_arrival_words(enum disk_arrival arrival);

/* Writes the files as they may be when the first `cut` records had happened into the directory, which is made.  False on
 * an error of the system. */
bool disk_state_make(const struct disk_log *log, uint64_t cut, enum disk_arrival arrival,
                     uint64_t seed, const char *directory);

/* All that is in the record so far has come to the disk.  It is at least `length` records long afterwards. */
void disk_log_settle(struct disk_log *log, uint64_t length);

/* Maps an empty record that `bytes` of data fit into, shared with children. */
struct disk_log *disk_log_make(uint64_t bytes);
/* Unmaps it; NULL is allowed. */
void disk_log_free(struct disk_log *log);

/* With the layer, and until disk_quiet_end: syncs below the directory are not done, in this process and its children.  A
 * killed process loses nothing by that, and a proof is quicker.  NULL without the layer. */
struct disk_log *disk_quiet_begin(const char *directory);
void disk_quiet_end(struct disk_log *log);

/* The layer's record, or NULL when the layer is not loaded into this process. */
struct disk_log **disk_layer(void);

/* That a store survives the loss of power, and a disk that fails, at as many states as the options say.  False when something is
 * broken. */
bool crash_power(const struct crash_case *this, enum tw_sync_policy sync);
bool crash_errors(const struct crash_case *this, enum tw_sync_policy sync);

/* That it serves nothing that was not put when a bit of its files has flipped. */
bool crash_flips(const struct crash_case *this);

#endif
