/* plan.h - makes the experiment matrix: which designs with which settings on which streams.
 *
 * Made from a selection alone, before anything runs, and then const.  Cells that share a stream
 * (workload, tasks, tick, seed) form a group: groups run one after another, and within a group the
 * repetitions are interleaved over the cells.
 */
#ifndef TWBENCH_PLAN_H
#define TWBENCH_PLAN_H

#include "harness/base/diag.h"
#include "harness/measure/designs/designs.h"
#include "harness/measure/workload/workload.h"

/* Parameters of one design, and of all selected ones together. */
#define PLAN_SETTINGS_MAX 4
#define PLAN_SWEEPS_MAX   32

/* Who says when the clock moves. */
enum plan_drive {
    PLAN_DRIVE_TICKS, /* the stream: every advance that stands in it is made */
    PLAN_DRIVE_NEXT,  /* the design: from one `next` straight to the other; tickless */
    PLAN_DRIVES
};

/* Word used on the command line and in results: "ticks", "next". */
const char *plan_drive_name(enum plan_drive drive);

/* What pages the memory of a design lies in. */
enum plan_pages {
    PLAN_PAGES_ANY,   /* as the allocator and the system have it: nobody asked */
    PLAN_PAGES_SMALL, /* none of 2 MiB */
    PLAN_PAGES_HUGE,  /* of 2 MiB, where the kernel gives them */
    PLAN_PAGES
};

/* Word used on the command line and in results: "off", "on"; NULL for PLAN_PAGES_ANY. */
const char *plan_pages_name(enum plan_pages pages);

/* What the harness does between two calls of a timed pass (run/gap.h). */
enum {
    PLAN_BETWEEN_UNASKED, /* as NONE, in cells that say nothing of it */
    PLAN_BETWEEN_NONE,  /* calls stand back to back, and the processor overlaps them: throughput */
    PLAN_BETWEEN_CHAIN, /* each call waits for the end of the one before: the time of a call */
    PLAN_BETWEEN_SIZE /* from here on: the same, with other work in a working set of so many bytes */
};
#define PLAN_BETWEEN_MIN  4096u
#define PLAN_BETWEEN_MAX  (1u << 30)
#define PLAN_BETWEENS_MAX 8

/* Word used on the command line and in results: "none", "chain", "32KiB"; `out` has PLAN_BETWEEN_TEXT characters. */
#define PLAN_BETWEEN_TEXT 16
const char *plan_between_name(char *out, uint32_t between);
/* DIAG_USAGE names the flag, what was given and what was expected: a power of two from 4 KiB to 1 GiB. */
int plan_between_parse(const char *text, const char *flag, uint32_t *out, struct diag *diag);

/* Most operations of a call. */
#define PLAN_BATCH_MAX 4096u

/* Another way to play every cell, which a lab brings: on the real clock, by one of its runners. */
struct plan_way {
    const char *name;
    const struct tw_param
        *params;    /* of timers of its own, in a design's place; NULL: it plays the design's */
    const void *of; /* the lab's */
};

/* One design with the settings asked for; `open` derives the others. */
struct plan_cell {
    const struct tw_design *design;
    enum plan_drive drive;
    enum plan_pages pages;
    uint32_t batch;   /* operations of a timed call, at most PLAN_BATCH_MAX; 0: single calls */
    uint32_t between; /* PLAN_BETWEEN_UNASKED .. PLAN_BETWEEN_MAX; timed passes alone */
    struct tw_setting settings[PLAN_SETTINGS_MAX];
    size_t setting_count;
    const struct plan_way *way; /* NULL: in virtual time */
};

struct plan_group {
    const char *workload;
    uint64_t tasks; /* 0: the workload's default */
};

struct plan {
    struct plan_group *groups;
    size_t group_count;
    struct plan_cell *cells; /* every group runs all of them */
    size_t cell_count;
};

/* The values to try of one parameter: `count` settings of the same name. */
struct plan_sweep {
    const struct tw_setting *settings;
    size_t count;
    const struct tw_design *only; /* the plugin it was given for; NULL: for all that have it */
};

struct plan_selection {
    const struct tw_design *const *designs;
    size_t design_count;
    const char *const *workloads;
    size_t workload_count;
    const char *workload_directory; /* to tell traces, which have no tasks, from the others */
    const uint64_t *tasks;          /* none: each workload's default */
    size_t task_count;
    const struct plan_sweep *sweeps; /* see plan_sweep_is_for */
    size_t sweep_count;
    const enum plan_drive *drives; /* none: by ticks */
    size_t drive_count;
    const enum plan_pages *pages; /* none: any */
    size_t page_count;
    const uint64_t *batches; /* none: single calls */
    size_t batch_count;
    const uint32_t *betweens; /* none: unasked */
    size_t between_count;
    const struct plan_way *ways; /* none: virtual time */
    size_t way_count;
};

/* Does sweep `index` apply to the design?  It has to have the parameter; what was given for one plugin
 * goes before what was given for all, there, and is for no other. */
bool plan_sweep_is_for(const struct plan_sweep *sweeps, size_t sweep_count, size_t index,
                       const struct tw_design *design);

/* Groups: workloads x tasks (a trace makes one group).  Cells: designs x the sweeps each design
 * knows x drives x pages x batches x betweens x ways.  A sweep that no selected design knows is an error.  The plan points into the
 * selection's workload names and ways; the caller frees it with plan_free. */
int plan_make(const struct plan_selection *selection, struct plan *plan, struct diag *diag);
/* A plan of exactly these cells in one group, all copied but for the workload's name. */
void plan_of_cells(const struct plan_group *group, const struct plan_cell *cells, size_t count,
                   struct plan *plan);
/* Empty afterwards. */
void plan_free(struct plan *plan);

/* ---- Presets: matrices that have a name, so that two people who say it run the same. ------------ */

#define PRESET_MAX 8

struct preset {
    const char *name, *summary;
    const char *designs[PRESET_MAX], *workloads[PRESET_MAX]; /* end with NULL */
    uint64_t tasks[PRESET_MAX];                              /* ends with 0 */
};

/* NULL when there is none of that name. */
const struct preset *preset_find(const char *name);

/* All of them, for the help and for messages. */
extern const struct preset presets[];
extern const size_t preset_count;

#endif
