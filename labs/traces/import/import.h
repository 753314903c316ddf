/*
 * import.h - makes logs of programs and kernels into traces: what all kinds share, and what a kind is.
 *
 * A kind (import_nginx.c, import_libuv.c ...) is a row of the table in import.c: what it reads, which
 * keys it has, and functions that are given the log line by line.  It knows what a line means and drives
 * builders with it; everything else is here: reading, the choice among several processes or
 * loops, what is said when a log does not fit, counts.
 *
 * One log can hold several sources that belong into traces of their own: tracks.  All of them are
 * converted at once, each and the busiest is kept in the end, so that a log is
 * read once and may come from a pipe; when a key chooses one, the others are only counted.
 */
#ifndef TWBENCH_IMPORT_H
#define TWBENCH_IMPORT_H

#include "harness/base/diag.h"
#include "harness/base/scan.h"
#include "harness/measure/workload/trace.h"
#include "labs/traces/import/ftrace.h"

/* ---- Numbers 64-bit keys in the order in which they are first seen (keymap.c). ---------------- */

/* For addresses of timers, delays that are asked for, process numbers: what belongs to a key is kept by
 * the caller in an array, by the key's number.  Keys are never taken out, so a table of numbers with open
 * addressing and linear probing is all it needs: 8 bytes per key and 8 to 16 for its place in the
 * table, where a node of uthash is 56 bytes beside the allocation that holds it.  O(1) expected. */

#define KEYMAP_NONE UINT32_MAX

struct keymap {
    uint64_t *keys;  /* by number */
    uint32_t *table; /* number + 1; 0 = empty */
    uint32_t count;
    size_t room;
    uint32_t mask; /* places in the table - 1; 0: there is no table yet */
};

/* A keymap of all zeros is empty; keymap_close leaves it so. */
void keymap_close(struct keymap *map);

/* The key's number, or KEYMAP_NONE. */
uint32_t keymap_find(const struct keymap *map, uint64_t key);
/* The same; a new key becomes number count - 1. */
uint32_t keymap_add(struct keymap *map, uint64_t key);

/* ---- Counts (counts.c). ----------------------------------------------------------------------- */

/* Counts how often names, and integers, were seen: percentiles, and the commonest. */

/* ---- Names, in the order in which they came first. ------------------------------------------- */

struct tally_entry;

/* Different names, and bytes of each: beyond these, names are counted as TALLY_OTHERS and cut. */
#define TALLY_NAMES_MAX  1024u
#define TALLY_NAME_BYTES 120u
#define TALLY_OTHERS     "(others)"

struct tally {
    struct tally_entry *entries; /* of uthash, which keeps the order */
};

/* A tally of all zeros is empty. */
void tally_close(struct tally *tally);
/* Adds to a name's count; O(1).  A count of 0 is not kept. */
void tally_add(struct tally *tally, struct span name, uint64_t count);
void tally_add_text(struct tally *tally, const char *name, uint64_t count);

/* The name lives as long as the tally. */
typedef void tally_visit_fn(void *ctx, const char *name, uint64_t count);
/* Every name with its count, in the order of the tally. */
void tally_visit(const struct tally *tally, tally_visit_fn *visit, void *ctx);
/* The greatest count first; equal ones stay in order. */
void tally_sort(struct tally *tally);

/* ---- Integers. ------------------------------------------------------------------------------- */

struct distribution {
    int64_t *values;
    size_t total, room;
};

/* A distribution of all zeros is empty. */
void distribution_close(struct distribution *distribution);
void distribution_add(struct distribution *distribution, int64_t value);
/* Before it is asked. */
void distribution_sort(struct distribution *distribution);
/* By nearest rank: the least value which `percent` of all are no greater than; 0 is the least of all. */
int64_t distribution_percentile(const struct distribution *distribution, unsigned percent);

struct distribution_value {
    int64_t value;
    uint64_t count;
};
/* The `wanted` commonest, the lesser before another as common; how many there are.  *distinct: how many different
 * values there are. */
size_t distribution_commonest(const struct distribution *distribution,
                              struct distribution_value *out, size_t wanted, uint64_t *distinct);

/* ---- Reads how far Linux's clocks are apart, as whoever recorded wrote it down (clocks.c). ---- */

/*     realtime-monotonic 1795224077036104536
 *     boottime-monotonic -200
 *
 * What CLOCK_REALTIME and CLOCK_BOOTTIME show more than CLOCK_MONOTONIC, in nanoseconds.  An hrtimer's
 * expiry is on one of the three, and a log of events does not say how far they are apart. */

struct clocks {
    bool has_realtime, has_boottime;
    int64_t realtime, boottime; /* minus monotonic */
};

/* DIAG_USAGE names the line that is none of the two, or the clock that is missing; both are not
 * needed.  *clocks is set on success only. */
int clocks_read(struct clocks *clocks, const char *path, struct diag *diag);

/* The file beside a log that is found without being named: of x/log.txt.xz, x/log.txt.clocks or
 * x/log.clocks.  Answers whether it is there; *path is then the first of them that is. */
bool clocks_beside(const char *log, char *path, size_t size);

/* ---- Turns starts, cancels and firings of a source into operations of a trace (builder.c). ---- */

/* A kind says what happened to which object at which time of the source; the builder numbers objects,
 * knows what is armed by the rule of timer-trace 1 (whenever the clock grows, first everything with
 * deadline <= the new time expires), leaves out what that rule does not allow, and counts all of it.
 *
 * An object is a timer of the source by any 64-bit name: an address, a file descriptor and a slot.  It is
 *
 *     unknown   never started here: armed before the first line, or no timer
 *     armed     as in the trace
 *     due       expired by the rule, and the source has not said yet that it fired
 *     idle      cancelled, or fired and seen to
 *
 * Names of armed objects become ids 0, 1, 2 ... as they come.  With `recycle` the id of an object that
 * is cancelled or expires goes to the next one that needs an id, the last freed first; else it stays its.
 *
 * The clock is the source's own, in ticks of the trace; the first time given becomes 0.  It never goes
 * back: an earlier time counts as the present one.  Every call is O(log armed), amortised and expected.
 *
 * Memory: 24 bytes per operation, 40 per armed timer, and about 60 per object. */

/* An operation of the trace. */
struct builder_op {
    uint64_t now;
    int64_t delay; /* of a start */
    uint32_t id;
    uint32_t is_start;
};

/* What is known of an object, as above. */
enum builder_state { BUILDER_UNKNOWN, BUILDER_ARMED, BUILDER_DUE, BUILDER_IDLE };

struct builder_object {
    int64_t started, deadline; /* of its last start */
    uint64_t start;            /* index of that operation */
    uint32_t id;
    uint32_t place; /* in the heap, when it is armed */
    enum builder_state state;
    bool seen; /* it fired in the tick of its start and is armed until the clock grows */
};

/* What all of it came to.  Times in ticks. */
struct builder_counts {
    uint64_t starts_new, starts_rearm, cancels, expired;
    uint64_t max_armed;
    uint64_t ticks_with_ops, max_ops_in_tick;
    double armed_ticks; /* timers armed times ticks, for the mean */
    uint64_t drop_cancel_late, drop_cancel_unknown;
    uint64_t obs_ok, obs_early, obs_same_tick, obs_unknown;
    uint64_t clock_back; /* times earlier than the one before */
};

struct builder {
    bool recycle;
    bool has_clock;
    uint64_t base; /* the source's time at 0 */
    int64_t now;
    struct builder_op *ops;
    size_t op_count, op_room;
    struct keymap names; /* of objects */
    struct builder_object *objects;
    size_t object_room;
    uint32_t *heap; /* numbers of armed objects, the earliest deadline first; ties by id */
    uint32_t armed;
    size_t heap_room;
    uint32_t *free_ids; /* the last freed at the end */
    size_t free_count, free_room;
    uint32_t ids;
    uint64_t last_op_now, ops_in_tick;
    struct builder_counts counts;
    struct distribution lateness; /* of obs_ok */
};

/* A builder of zeros but for `recycle` is empty; builder_close frees all of it. */
void builder_close(struct builder *builder);

/* The source's clock shows `time`: expires what is due by then. */
void builder_clock(struct builder *builder, uint64_t time);
/* The source's time of the present. */
static inline uint64_t builder_time(const struct builder *builder)
{
    return builder->base + (uint64_t)builder->now;
}

/* An object that fired in the tick of its start is idle here, although the trace has it armed until the
 * clock grows. */
enum builder_state builder_state(const struct builder *builder, uint64_t name);

/* Start, or re-arm when it is armed; the deadline is the present plus `delay`, which may be <= 0. */
void builder_start(struct builder *builder, uint64_t name, int64_t delay);

/* A cancel: written when the object is armed; else dropped and counted, as late when it was due and as
 * unknown otherwise.  Answers the state before. */
enum builder_state builder_cancel(struct builder *builder, uint64_t name);

/* The source says that the timer fired.  Due: obs_ok, and how late.  Armed with a deadline that has
 * come, but with no growth of the clock since: obs_same_tick.  Armed with a later deadline: obs_early,
 * and written as a cancel at this moment.  Unknown or idle: obs_unknown.  Answers the state before. */
enum builder_state builder_fired(struct builder *builder, uint64_t name);

/* For sources whose deadlines are known only about: the timer fires at `time`, which the clock does not
 * show yet, so when it is armed with a later deadline it gets this one, in its start too.  Call it before
 * builder_clock and builder_fired.  By how many ticks it was pulled in. */
uint64_t builder_pull_in(struct builder *builder, uint64_t name, uint64_t time);

/* ---- The import. ------------------------------------------------------------------------------ */

struct import;
struct import_kind;
struct import_track;

/* ---- What is asked for --------------------------------------------------------------------------- */

/* The values of key=value; a key that a kind does not have is refused before. */
struct import_options {
    const struct import_kind *kind;
    const char *source;           /* overrides the header's; NULL: the kind's */
    bool by_pid, by_cpu, by_loop; /* which of these were given */
    int64_t pid;
    uint32_t cpu;
    uint64_t loop;
    bool lazy_skip;   /* lazy=skip, not apply */
    bool ids_recycle; /* ids=recycle, not address; not given: as the kind does */
    uint64_t hz;      /* 0: not given */
    struct clocks clocks;
    uint32_t taken; /* 1 << place of each key given so far */
};

/* Each the last thing in its file. */
extern const struct import_kind import_nginx, import_libuv, import_libevent, import_ktimer,
    import_khrtimer, import_cache;
/* `name` is a kind's, NULL when there is none of that name; import_kinds ends with a NULL. */
extern const struct import_kind *const import_kinds[];
const struct import_kind *import_kind_find(const char *name);
/* The same; DIAG_USAGE, naming all kinds, when there is none. */
int import_kind_take(const char *name, const struct import_kind **out, struct diag *diag);

/* Starts with the kind's defaults. */
void import_options_init(struct import_options *options, const struct import_kind *kind);
/* Takes one "key=value"; DIAG_USAGE names the keys there are. */
int import_options_take(struct import_options *options, const char *setting, struct diag *diag);

/* Prints each key of the kind with what it takes. */
void import_keys_help(const struct import_kind *kind, FILE *out);

/* ---- A kind -------------------------------------------------------------------------------------- */

/* Bits of import_kind.keys; source= and ids= belong to all kinds. */
enum import_key_bit {
    IMPORT_PID = 1u << 0,
    IMPORT_CPU = 1u << 1,
    IMPORT_LOOP = 1u << 2,
    IMPORT_LAZY = 1u << 3,
    IMPORT_HZ = 1u << 4,
    IMPORT_CLOCKS = 1u << 5,
};

/* What a line was to a kind. */
enum import_line {
    IMPORT_USED,    /* an event of this kind, whether or not it was selected */
    IMPORT_OTHER,   /* something else, of no interest */
    IMPORT_COMMENT, /* part of the format, without an event */
    IMPORT_BROKEN, /* an event of this kind that cannot be read: import->broken says what is missing */
};

struct import_kind {
    const char *name;
    const char *reads;    /* for the help: "nginx's error_log at level debug_event" */
    const char *expected; /* for errors: what one of its lines looks like */
    unsigned keys;        /* of enum import_key_bit */
    bool recycles;        /* the default of ids= */
    const char *track;    /* what a track is, for messages: "pid", "loop"; NULL: there is one */
    size_t track_size;    /* of what the kind keeps per track, zeroed at first; 0: nothing */
    size_t state_size;    /* of what it keeps per log, likewise */

    /* The header's "# source:" and the tick: the same for every log, or asked for when it has been read. */
    const char *source;
    uint64_t unit_ns;
    void (*source_write)(const struct import *import, char *out, size_t size);
    uint64_t (*unit_find)(const struct import *import);

    /* Is this one of its lines?  For logs that are given as another kind.  Cheap and without state. */
    bool (*recognise)(struct span line);
    /* A line without its newline and carriage return. */
    enum import_line (*line)(struct import *import, struct span line);
    /* The log is over: what a converted track held back comes now, then what the log did.  May be NULL, as the
     * next two. */
    void (*track_end)(const struct import *import, struct import_track *track);
    int (*finish)(struct import *import, struct diag *diag);
    /* Adds its counts of the chosen track (and of the log) to import->converter. */
    void (*count)(struct import *import, const struct import_track *track);
    void (*track_close)(void *track_state);
    void (*close)(void *state);
};

/* ---- A run --------------------------------------------------------------------------------------- */

struct import_track {
    uint64_t key;   /* pid, address of a loop; 0 when there is one only */
    uint64_t lines; /* what decides which is the busiest */
    bool converted; /* it has a builder; else it is only counted */
    struct builder builder;
    void *state; /* of the kind, track_size bytes */
};

struct import {
    const struct import_options *options;
    char name[256]; /* of the log, for messages */
    void *state;    /* of the kind, state_size bytes */
    struct import_track **tracks;
    struct keymap track_keys;
    size_t track_room;
    uint32_t track_last;
    struct import_track *chosen; /* when the log has been read */
    uint64_t lines;              /* read, all of them */
    uint64_t used, broken_lines;
    uint64_t torn;      /* 1: the last line had no newline and was left out */
    uint64_t lost;      /* events that the log itself says are missing */
    const char *broken; /* by the kind, with IMPORT_BROKEN: what was not to be read: "timeout=" */
    char first_broken[256]; /* "FILE:LINE: ..." */
    char first_other[400];  /* the same of a line of no interest, while nothing else was seen */
    const struct import_kind *looks_like; /* and whose line it is, if anybody's */
    struct tally converter;               /* "cancel_is_rearm" and the like */
    struct tally functions;               /* kernels: starts per function; may stay empty */
    struct tally flags;                   /* likewise per flags */
    struct distribution delays; /* of the chosen track's starts, when it has been written */
    char notes[2000];           /* what has to be said of it, a line each */
};

/* The track with that key, made if need be; `selected` is whether the options allow it to be converted.
 * Its lines are counted by the caller. */
struct import_track *import_track(struct import *import, uint64_t key, bool selected);
/* The only one, of kinds that do not tell them apart. */
static inline struct import_track *import_single(struct import *import)
{
    return import_track(import, 0, true);
}

/* Adds a sentence, without a full stop, to what the user has to be told of this log: import->notes. */
void import_note(struct import *import, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All of them, the one with most lines first, as an array to be freed. */
struct import_track **import_tracks_sorted(const struct import *import);
/* "22937", "0x7fccd187a5c8". */
void import_track_name(const struct import *import, const struct import_track *track, char *out,
                       size_t size);

/* For kinds that read what Linux recorded: a line as a record.  IMPORT_USED: it is one; else what to answer.
 * Events that the log says are lost are counted. */
enum import_line import_ftrace(struct import *import, struct span line,
                               struct ftrace_record *record);
/* Is the record's thread, process or cpu one that pid= and cpu= allow? */
bool import_selects(const struct import_options *options, const struct ftrace_record *record);

/* ---- From log to trace --------------------------------------------------------------------------- */

void import_open(struct import *import, const struct import_options *options);
/* Frees all but the options, which are the caller's. */
void import_close(struct import *import);

/* Reads the log to its end and chooses the track.  DIAG_USAGE: it is no such log, nothing in it is a
 * start, or what was selected is not there. */
int import_read(struct import *import, struct textfile *log, struct diag *diag);

/* The chosen track's header, complete once the log has been read. */
void import_header(const struct import *import, struct trace_header *header);

/* Refuses a directory that cannot be written to, a name that does not end in .tt, .tt.xz or .tt.gz, and a file that is
 * there (unless `force`); "-" is stdout. */
int import_check_path(const char *path, bool force, struct diag *diag);
/* Writes the trace as OUT.tt, .tt.xz or .tt.gz ("-": plain, to stdout), at once or not at all. */
int import_write(struct import *import, const char *path, struct diag *diag);

#endif
