/*
 * probe.h - one sample from a program: a fresh process of `PROGRAM probe ...`, asked and understood.
 */
#ifndef TWBENCH_PROBE_H
#define TWBENCH_PROBE_H

#include "harness/measure/run/spawn.h"
#include "harness/measure/workload/stream.h"

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

/* Runs PROGRAM with the command; `reason` has room for PROBE_REASON bytes and is "" when there is
 * none. */
enum probe_end probe_take(const char *program, const struct probe_command *command, int cpu,
                          uint64_t budget_ns, const struct interrupt *interrupt,
                          struct probe_sample *sample, char *reason);

#endif
