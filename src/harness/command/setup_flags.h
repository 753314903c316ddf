/*
 * setup_flags.h - rows for the members of a struct setup, for commands that measure: each takes those it has a use for.
 *
 *     struct run_options { struct setup setup; ... };
 *     static const struct flag flags[] = {SETUP_SEED(struct run_options, setup), ...};
 */
#ifndef TWBENCH_SETUP_FLAGS_H
#define TWBENCH_SETUP_FLAGS_H

#include "harness/command/command.h"
#include "harness/measure/session/setup.h"

/* A seed travels through JSON numbers, which are exact up to 2^53. */
#define SEED_MAX (UINT64_C(1) << 53)

/* NOLINTBEGIN(bugprone-macro-parentheses): names of fields and types take no parentheses. */
#define SETUP_SEED(of, setup)                                                                      \
    FLAG_COUNT("seed", "N", "seed of the operation streams (default 1)", of, setup.seed, 0,        \
               SEED_MAX)
#define SETUP_TICK(of, setup)                                                                      \
    FLAG_TIME("tick", "length of a tick: 1ms (default: the workload's; a trace rounds up)", of,    \
              setup.tick_ns, 1)
#define SETUP_MAX_PENDING(of, setup)                                                               \
    FLAG_COUNT("max-pending", "N",                                                                 \
               "cap on pending timers; starts beyond it are refused and counted", of,              \
               setup.max_pending, 1, TW_CAPACITY_MAX)
#define SETUP_WARMUP(of, setup)                                                                    \
    FLAG_COUNT("warmup", "N", "untimed passes before each sample (default 1)", of, setup.warmup,   \
               0, 1000)
#define SETUP_MIN_TIME(of, setup, text) FLAG_TIME("min-time", text, of, setup.min_time_ns, 0)
#define SETUP_PATIENCE(of, setup)                                                                  \
    FLAG_TIME("patience", "longest wait of a process for the core's full speed (default 100ms)",   \
              of, setup.patience_ns, 0)
#define SETUP_BUDGET(of, setup, text) FLAG_TIME("budget", text, of, setup.budget_ns, 1000000)
#define SETUP_MEMORY_LIMIT(of, setup)                                                              \
    FLAG_COUNT("memory-limit", "BYTES", "memory one child may take (default 4Gi)", of,             \
               setup.memory_limit_bytes, 1 << 20, UINT64_C(1) << 50)
#define SETUP_JOBS(of, setup)                                                                      \
    FLAG_COUNT("jobs", "N", "children at a time, each on its own core (default 1)", of,            \
               setup.jobs, 1, CPU_SETSIZE)
#define SETUP_NO_SYSTEM_CHECK(of, setup)                                                           \
    FLAG_SWITCH("no-system-check", "skip the check for what could disturb the times", of,          \
                setup.no_system_check)
#define SETUP_PROGRESS(of, setup)                                                                  \
    FLAG_WORD("progress", "WHEN", "auto, bar, lines, never (default: a bar on a terminal)", of,    \
              setup.progress, setup_progress_words)
#define SETUP_WORKLOADS_DIR(of, setup)                                                             \
    FLAG_DIRECTORY("workloads-dir", "where to look up workloads by name", of,                      \
                   setup.workload_directory)
/* NOLINTEND(bugprone-macro-parentheses) */

/* --pin, of a group whose struct is the setup itself. */
extern const struct flag setup_pin[1];
#define SETUP_PIN(at)                                                                              \
    {                                                                                              \
        .title = "Measurement", .flags = setup_pin, .count = 1, .offset = (at)                     \
    }

/* What --progress takes. */
extern const char *const setup_progress_words[];

/* What a setup is before the first flag, its workloads where the program's are. */
struct setup setup_default(struct call *call);

#endif
