/*
 * blocks.h - samples of several programs, interleaved so that what moves the machine moves all alike.
 *
 * A block is a random order of the programs and then the same order backwards: of two programs A and B
 * it is ABBA or BAAB.  A drift that is even over the block adds the same to both, and the halves give
 * two pairs.  A round is one block of each cell, in a random order of the cells, so that a disturbance of
 * some seconds spoils few pairs of each cell instead of all pairs of one.
 */
#ifndef TWBENCH_BLOCKS_H
#define TWBENCH_BLOCKS_H

#include "harness/base/clock.h"
#include "harness/base/rng.h"
#include "harness/measure/run/sample.h"
#include "harness/measure/run/spawn.h"
#include "harness/measure/workload/stream.h"
#include <cjson/cJSON.h>

/* ---- Questions to the other program (probe.c). --------------------------------------------- */

#define PROBE_ARGUMENTS 48
#define PROBE_ARGUMENT  512
#define PROBE_REASON    400

/* The command line of a cell behind "probe": strings and the argv that points to them.  Must not move. */
struct probe_command {
    char text[PROBE_ARGUMENTS][PROBE_ARGUMENT];
    const char *argv[PROBE_ARGUMENTS + 1];
    size_t count;
};

/* The word of the command, "probe", and nothing behind it. */
void probe_begin(struct probe_command *command, const char *word);
/* Where a probe's command names its design; probe_name_plugin puts another file there. */
#define PROBE_DESIGN 1
/* Puts the file of another plugin there; the rest stays. */
void probe_name_plugin(struct probe_command *command, const char *path);
/* One more argument, printf-like.  One too many, or one too long, is a bug: it is dropped, and the
 * program asked will say what it misses. */
void probe_add(struct probe_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The fastest sample of a process; nanoseconds of one pass over the stream. */
struct probe_sample {
    double cpu_ns, wall_ns; /* each the smallest over the samples, all phases together */
    double phase_cpu_ns[STREAM_PHASES_MAX]; /* of the sample with the smallest cpu_ns */
    size_t phase_count;
    uint64_t passes, calls; /* passes of a sample; calls of one pass */
    double pace_ns;         /* the core's best pace that it saw */
    uint64_t samples, slow; /* how many samples, and on how many of them the core was slow */
    char stream_hash[32];
};

enum probe_end {
    PROBE_OK,
    PROBE_WRONG,      /* the design failed: `reason` says how */
    PROBE_LATE,       /* it was ended at its budget */
    PROBE_STRANGE,    /* the program does not answer as a twbench does */
    PROBE_INTERRUPTED /* we were */
};

/* Runs PROGRAM with the command and one more variable, "NAME=VALUE" or ""; `reason` has room for PROBE_REASON bytes and is "" when there is
 * none. */
enum probe_end probe_take(const char *program, const struct probe_command *command,
                          const char *variable, int cpu, uint64_t budget_ns,
                          const struct interrupt *interrupt, struct probe_sample *sample,
                          char *reason);

/* ---- Layouts (layouts.c). ------------------------------------------------------------------- */

/* The same source linked or loaded otherwise takes other time, and of two builds nobody knows how much of a difference
 * that is.  So each pair has both sides in layouts of their own, drawn at random: the file written anew with all that
 * is loaded moved on by a part of a page, the stack moved by the length of a variable, and blocks on the heap in front
 * of the design's (arena_pad).  Then the place is part of what differs from pair to pair, as noise is, and the interval
 * holds both (Stabilizer: Curtsinger, Berger 2013).  What stays is the order of the functions and their distances. */

#define LAYOUT_VARIABLE "TWBENCH_LAYOUT"

/* A program or a plugin as it was built. */
struct layout_file {
    char *bytes; /* owned */
    size_t size;
    uint64_t step; /* bytes that it can be moved by, and multiples; 0: not at all */
};

/* Reads it.  A step above 0 needs an x86-64 file that can lie anywhere and has its section headers.  DIAG_USAGE when it cannot be
 * read.  layout_free in any case. */
int layout_read(struct layout_file *file, const char *path, struct diag *diag);
/* Gives its memory back. */
void layout_free(struct layout_file *file);
/* Writes it to `path`, a new file in the place of the one there, moved by so many steps modulo a page.  Takes about a
 * millisecond for a megabyte.  Only with a step above 0.  DIAG_RUN when it cannot be written. */
int layout_write(const struct layout_file *file, uint64_t steps, const char *path,
                 struct diag *diag);

#define PAIRS_MIN   14 /* fewer could not pass the family's level of significance */
#define PAIRS_MAX   400
#define BLOCK_ROLES 8

/* The core's paces that the latest processes saw, whichever program they were of. */
#define BLOCK_PACES 64
struct block_paces {
    double pace_ns[BLOCK_PACES];
    size_t count; /* of all so far; the newest is at (count - 1) % BLOCK_PACES */
};

/* One program in the comparison.  Role 0 is what the others are compared with. */
struct block_role {
    const char *program; /* path */
    const char
        *plugin; /* path of the one that it loads for all cells; NULL: what their commands say */
    const char *name; /* for messages; NULL: the program's path */
    const struct layout_file
        *layout;         /* of the plugin, or else the program; NULL: as it was built */
    bool dragged;        /* runs under the drag of instance.h */
    double drag_percent; /* by how much that slows it down */
};

/* What is known of one role on one cell, pair by pair. */
struct block_series {
    size_t pairs;
    double cpu[PAIRS_MAX], wall[PAIRS_MAX]; /* log(role / role 0); none for role 0 itself */
    double cpu_ns[PAIRS_MAX];               /* of one pass */
    double phase_cpu_ns[STREAM_PHASES_MAX][PAIRS_MAX];
    size_t layouts; /* that pairs are spread over: pair i has i % layouts; below 2: as built */
};

struct block_cell {
    struct probe_command command; /* all but what depends on the role */
    uint64_t looks;               /* series so far: each has other layouts */
    bool out;                     /* not sampled (any more) */
    double took_ns;               /* wall time of all its processes so far */
    uint64_t processes;           /* and how many these are */
    bool without[BLOCK_ROLES];    /* roles that are not sampled here; never role 0 */
    size_t pairs_wanted;          /* blocks_run stops at so many; 0: no limit */
    bool failed;                  /* a role did: which one and how */
    size_t failed_role;
    char reason[PROBE_REASON];
    uint64_t passes, calls;
    size_t phase_count;
    struct block_series series[BLOCK_ROLES];
};

struct blocks {
    const struct block_role *roles;
    size_t role_count; /* 2 .. BLOCK_ROLES */
    struct block_cell *cells;
    size_t cell_count;
    size_t layouts;           /* of each role, where roles have a layout; as block_series */
    uint64_t seed;            /* of the layouts */
    int cpu;                  /* below 0: not pinned */
    uint64_t budget_ns;       /* of one process */
    struct deadline deadline; /* of all of them */
    struct block_paces paces;
    uint64_t samples, slow; /* kept so far, and on how many of them the core was slow */
    struct rng *rng;
    const struct interrupt *interrupt;
    /* Told after each block: how many of those that blocks_run was asked for are done. */
    void (*progress)(void *ctx, size_t done, size_t total);
    void *progress_ctx;
};

#define BLOCKS_INTERRUPTED 1

/* Asks role 0 once per cell how many passes make a sample, and fixes them for all roles: both sides do
 * the same work.  Cells whose design fails drop out (`failed`).  DIAG_OK, BLOCKS_INTERRUPTED,
 * DEADLINE_OVER, DIAG_USAGE when a program is no twbench. */
int blocks_calibrate(struct blocks *blocks, struct diag *diag);

/* `rounds` blocks of every cell that is not out: 2 * rounds more pairs.  Cells without room for
 * them get fewer.  As blocks_calibrate; also DIAG_USAGE when two programs make different streams of
 * one cell. */
int blocks_run(struct blocks *blocks, size_t rounds, struct diag *diag);

/* Wall time that so many processes of the cell will take, by those so far; 0 before the first. */
double block_cell_expected_ns(const struct block_cell *cell, double processes);

/* Share of the samples on which the core was slow though they had waited for it; NaN: there are none. */
double blocks_slow_share(const struct blocks *blocks);

/* Forgets the pairs of a cell, for an independent look at no more pairs than it had. */
void block_cell_forget(struct block_cell *cell);

/* ---- The answer of the other side (probe.c). ----------------------------------------------- */

/* Other versions have to understand the answer; this changes when they cannot. */
#define PROBE_VERSION 3

/* The caller's. */
cJSON *probe_answer(const struct sample_series *series, const struct stream *stream,
                    size_t samples);

#endif
