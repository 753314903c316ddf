/* import.h - makes logs of programs and kernels into traces: what all kinds share, and what a kind is.
 *
 * A kind (import_nginx.c, import_libuv.c ...) is a row of the table in import.c: what it reads, which
 * keys it has, and functions that are given the log line by line.  It knows what a line means and drives
 * builders (builder.h) with it; everything else is here: reading, the choice among several processes or
 * loops, what is said when a log does not fit, counts.
 *
 * One log can hold several sources that belong into traces of their own: tracks.  All of them are
 * converted at once, each and the busiest is kept in the end, so that a log is
 * read once and may come from a pipe; when a key chooses one, the others are only counted.
 */
#ifndef TWBENCH_IMPORT_H
#define TWBENCH_IMPORT_H

#include "harness/base/scan.h"
#include "harness/measure/workload/textfile.h"
#include "harness/measure/workload/trace.h"
#include "labs/traces/import/builder.h"
#include "labs/traces/import/clocks.h"
#include "labs/traces/import/ftrace.h"

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
    import_khrtimer;
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
