/*
 * pairing.h - what compare and selftest share: the matrix, the surroundings, the interrupt.
 */
#ifndef TWBENCH_PAIRING_H
#define TWBENCH_PAIRING_H

#include "harness/base/diag.h"
#include "harness/base/interrupt.h"
#include "harness/compare/blocks.h"
#include "harness/compare/comparison.h"
#include "harness/measure/plan/plan.h"
#include "harness/measure/session/origin.h"
#include "harness/measure/session/progress.h"
#include "impls/backend.h"

/* ---- Their commands (commands.c). ---------------------------------------------------------- */

struct matrix {
    const struct plan *plan;
    const struct plan_sweep *sweeps; /* that the plan was made from */
    size_t sweep_count;
    const char *workload_directory;
    const struct workload_setting *sets;
    size_t set_count;
    uint64_t tick_ns; /* 0: the workload's */
    uint64_t seed, max_pending;
    uint64_t samples, min_time_ns, patience_ns; /* of a probe */
};

/* Cells are numbered group by group. */
size_t matrix_count(const struct matrix *matrix);

/* PROGRAM probe: one cell, without what depends on the role. */
void command_of_probe(struct probe_command *command, const struct matrix *matrix, size_t cell);

/* PROGRAM run: the whole matrix once, for what does not depend on the clock, its document on standard output.  `plugin` (may be NULL) is the
 * file that plugins of the matrix are to be loaded from instead of their own. */
void command_of_run(struct probe_command *command, const struct matrix *matrix, const char *plugin,
                    uint64_t budget_ns);

/* The same of one cell. */
void command_of_cell(struct probe_command *command, const struct matrix *matrix, size_t cell,
                     uint64_t budget_ns);

/* ---- Two programs (binaries.c). ------------------------------------------------------------ */

/* 1. Each runs the matrix once: counts, instructions, memory, answers (results.h judges them).
 *     2. Pairs of fresh processes, interleaved with those of a copy of OLD, the control (blocks.h).
 *     3. What is inconclusive gets more pairs, once; what has regressed has to do so again on an
 *        independent series before it counts (gate_time.h). */

struct binaries_request {
    const char *before, *after; /* paths of the programs or plugins */
    const char *loader; /* of plugins: the program that loads them, and the matrix has no other
                                   design; NULL: they are programs */
    struct matrix matrix;
    uint64_t pairs, max_pairs; /* 0 pairs: no times */
    uint64_t layouts;          /* of each side (blocks.h); 1: as built */
    uint64_t budget_ns;        /* of one process */
    bool explain;              /* the functions that changed, by callgrind */
    int cpu;                   /* below 0: not pinned */
    const struct limits *limits;
    const struct interrupt *interrupt;
    /* Told now and then: what is being done, and how much of it is done. */
    void (*progress)(void *ctx, const char *what, size_t done, size_t total);
    void *progress_ctx;
};

#define BINARIES_INTERRUPTED 1

/* Fills the comparison, up to but without comparison_conclude and what went on meanwhile.  DIAG_OK,
 * BINARIES_INTERRUPTED (the comparison holds what was found until then), DIAG_USAGE when a program is no
 * twbench or does not know what was asked, DIAG_RUN. */
int compare_binaries(const struct binaries_request *request, struct comparison *comparison,
                     struct diag *diag);

/* What to compare, as plain data; all that it points to outlives the pairing. */
struct pairing_wishes {
    const struct setup *setup;
    struct plan_selection selection;
    uint64_t pairs, max_pairs; /* per cell */
    uint64_t samples;          /* of a process */
    uint64_t layouts;          /* of each side (blocks.h); 1: as built */
    bool explain;              /* the functions that changed, by callgrind */
    const struct limits *limits;
};

/* A comparison under way. */
struct pairing {
    struct pairing_wishes wishes;
    struct plan plan;
    struct result_origin origin;
    struct origin_watch watch;
    struct interrupt interrupt;
    struct progress progress;
    struct binaries_request request;
};

/* Plans, looks at the system (which takes 100 ms) and warns, and from then on takes interrupts; the
 * request is complete but for what it compares, `before` and `after`.  The pairing must not move.
 * pairing_close in any case. */
int pairing_open(struct pairing *pairing, const struct pairing_wishes *wishes, struct diag *diag);

struct pairing_sides {
    const char *before, *after; /* paths */
    bool are_plugins;           /* which this program loads; else programs */
};

/* Compares them in a pairing that is open (compare_binaries), and says what went on meanwhile. */
int pairing_compare(struct pairing *pairing, const struct pairing_sides *sides,
                    struct comparison *comparison, struct diag *diag);

/* Once, whatever pairing_open answered: takes the progress line away and gives the signals back. */
void pairing_close(struct pairing *pairing);

/* ---- Copies of a program (copies.c). ------------------------------------------------------- */

/* So that OLD and the control are two files, as far from each other as OLD and NEW are; that all paths
 * have one length, because a longer one moves the stack; and that building something meanwhile does not
 * change what is compared.  A program is copied with its libraries' modules, which it looks for beside itself. */

#define COPIES_MAX 4

struct copies {
    char directory[64];
    char paths[COPIES_MAX][96];
    uint64_t hashes[COPIES_MAX]; /* of the files' bytes */
    size_t count;
};

/* DIAG_RUN when the directory cannot be made.  copies_remove in any case. */
int copies_begin(struct copies *copies, struct diag *diag);
/* A copy of `file`, a plugin, named by copies->paths[count - 1] afterwards.  DIAG_USAGE when it cannot be read,
 * DIAG_RUN when it cannot be written. */
int copies_add(struct copies *copies, const char *file, struct diag *diag);
/* The same of a program and its libraries. */
int copies_add_program(struct copies *copies, const char *program, struct diag *diag);
/* Removes the directory with all copies; nothing if none was made. */
void copies_remove(struct copies *copies);

/* ---- In which functions (functions.c). ------------------------------------------------------- */

#define FUNCTIONS_VALGRIND  "/usr/bin/valgrind"
#define FUNCTIONS_BUDGET_NS UINT64_C(120000000000)

/* PROGRAM with the command that runs the cell once, and the file whose functions are counted: it, or its plugin. */
struct functions_side {
    const char *program, *object;
    struct probe_command command;
};

/* Is valgrind where Debian has it? */
bool functions_known(void);

/* Sets the cell's functions: those of OLD and NEW whose own instructions differ most.  Some 50 times the time of the
 * two probes; `directory` is for callgrind's files, which are gone afterwards. */
void functions_compare(struct compared_cell *cell, const struct functions_side sides[2],
                       const char *directory, const struct interrupt *interrupt);

/* ---- What OLD and NEW are (contestants.c). ------------------------------------------------- */

/* What two files are. */
enum contestants { CONTESTANTS_RESULTS, CONTESTANTS_PROGRAMS, CONTESTANTS_PLUGINS };

/* What else was asked for. */
struct contestants_wish {
    const struct tw_design *design; /* what OLD is a plugin of; NULL: it is none */
    const struct tw_design *const *designs;
    size_t design_count;
    bool matrix_given; /* what to run: a result has run already */
};

/* A shared object of this system?  Reads its head. */
bool contestants_is_plugin(const char *path);

/* Tries (plugin_table.h) the plugin NEW, which must hold the design of OLD.  DIAG_USAGE. */
int contestants_match(const struct tw_design *old, const char *old_path, const char *path,
                      struct diag *diag);

/* Of two files, when all flags are known.  DIAG_USAGE when they are not of one kind, or what is asked for is what this
 * kind cannot have. */
int contestants_find(const struct contestants_wish *contest, const char *before, const char *after,
                     enum contestants *kind, struct diag *diag);

#endif
