/*
 * load_flags.h - --workload, --tasks, --preset and --set: the loads that a command runs, and how many timers they have.
 */
#ifndef TWBENCH_LOAD_FLAGS_H
#define TWBENCH_LOAD_FLAGS_H

#include "harness/command/command.h"
#include "harness/command/design_flags.h"

#define LOADS_MAX 64

struct loads {
    const struct preset
        *preset; /* fills what of designs, workloads and tasks is not given; NULL: nothing */
    const char *workloads[LOADS_MAX];
    size_t workload_count;
    uint64_t tasks[LOADS_MAX];
    size_t task_count;
    struct workload_setting sets[LOADS_MAX];
    size_t set_count;
    bool given; /* any flag of the group was */
};

#define LOAD_FLAGS(at)                                                                             \
    {                                                                                              \
        .title = "Loads", .flags = load_flags, .count = LOAD_FLAG_COUNT, .offset = (at)            \
    }
#define LOAD_FLAG_COUNT 4
/* The rows of the group. */
extern const struct flag load_flags[LOAD_FLAG_COUNT];

/* --set alone, for commands that take it under a help of their own: adds one setting to the struct loads `of`. */
int load_flag_set(struct call *call, void *of, const char *flag, const char *value,
                  struct diag *diag);

/* After the last flag: what of designs, loads and tasks is not given is as the preset says; with `only_designs`, of a
 * command whose operands are the loads, the designs alone. */
void loads_finish(struct loads *loads, struct designs *designs, bool only_designs);

/* What to run, which points into both. */
struct plan_selection loads_selection(const struct loads *loads, const struct designs *designs,
                                      const char *workload_directory);

#endif
