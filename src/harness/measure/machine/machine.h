/* machine.h - describes the machine that measured, as /proc and /sys tell it.
 *
 * What the system does not say stays empty (0 or ""), and is null in the result: never a guess.
 */
#ifndef TWBENCH_MACHINE_H
#define TWBENCH_MACHINE_H

#include "harness/base/libc.h"

#define MACHINE_CACHES_MAX 8

struct machine_cache {
    unsigned level;
    char type[16]; /* "Data", "Instruction", "Unified" */
    uint64_t size_bytes;
    unsigned line_bytes;
};

struct machine {
    char cpu_model[128];
    char architecture[32];  /* "x86_64" */
    char kernel[128];       /* "Linux 6.1.0-18-amd64" */
    char distribution[128]; /* "Debian GNU/Linux 12 (bookworm)" */
    unsigned cores;         /* logical ones that are online */
    char governor[32];      /* frequency governor of the first core: "performance" */
    char clocksource[32];   /* "tsc" */
    char tsc[32]; /* "invariant": counts at one rate in every power state; else "varying" */
    char virtualisation[32]; /* "none", the vendor of the virtual machine ("QEMU"), or "yes" */
    uint64_t memory_bytes;
    size_t cache_count;
    struct machine_cache caches[MACHINE_CACHES_MAX]; /* of the first core */
};

/* `root` is put before every path: "" reads this machine, tests give a directory of their own. */
void machine_read(struct machine *machine, const char *root);

/* ---- What may disturb the times (system.c). ------------------------------------------------ */

/* The system is looked at twice, some 100 ms apart, and what happened in between is judged: who else
 * used the processor, was it taken away from this machine, may its frequency move.  Each check has a
 * value, or none where the system does not say, and a warning that says what to do about it. */

#define SYSTEM_CHECKS_MAX 10

/* What one check found. */
struct system_check {
    const char *name;  /* as in the result; ends in the unit where there is one */
    double number;     /* NaN: the value is the text */
    char text[64];     /* both unknown, NaN and "": null */
    char warning[200]; /* "" when all is well */
};

/* All that were made. */
struct system_checks {
    size_t count;
    struct system_check checks[SYSTEM_CHECKS_MAX];
};

struct system_look; /* everything that moves, at one moment */

/* A millisecond for a hundred processes.  `root` as in file.h. */
struct system_look *system_look(const char *root);
/* NULL is allowed. */
void system_look_free(struct system_look *look);

/* Judges what happened between two looks; no checks when either is NULL.  `cpu` is the core that will
 * be timed, below 0 when that is open; `virtualisation` is that of struct machine. */
void system_check(struct system_checks *checks, const struct system_look *before,
                  const struct system_look *after, int cpu, const char *virtualisation,
                  const char *root);

/* What went on between two looks that may lie far apart, as shares of the time of all cores; NaN when it
 * is not known.  `own_ns` is processor time of our own, which is no disturbance. */
double system_steal_share(const struct system_look *before, const struct system_look *after);
double system_busy_share(const struct system_look *before, const struct system_look *after,
                         double own_ns);

/* The core among those allowed to this process that others used least between two looks; the last one
 * among equals, because the first takes most interrupts.  Below 0 when none is known. */
int system_idlest_core(const struct system_look *before, const struct system_look *after);

#endif
