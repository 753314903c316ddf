/* machine.h - describes the machine that measured, as /proc and /sys tell it.
 *
 * What the system does not say stays empty (0 or ""), and is null in the result: never a guess.
 */
#ifndef TWBENCH_MACHINE_H
#define TWBENCH_MACHINE_H

#include <stddef.h>
#include <stdint.h>

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

#endif
