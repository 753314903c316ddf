/* system.h - looks for what disturbs times on this machine before they are taken.
 *
 * The system is looked at twice, some 100 ms apart, and what happened in between is judged: who else
 * used the processor, was it taken away from this machine, may its frequency move.  Each check has a
 * value, or none where the system does not say, and a warning that says what to do about it.
 */
#ifndef TWBENCH_SYSTEM_H
#define TWBENCH_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

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

/* NULL without memory.  A millisecond for a hundred processes.  `root` as in sysfile.h. */
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
