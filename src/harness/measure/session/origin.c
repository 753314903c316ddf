/* origin.c - fills in the head of a document: build, machine, checks. */
#include "harness/measure/session/origin.h"

#include "build_info.h"

#include <math.h>
#include <sched.h>

#define CHECK_NS 100000000L

void origin_fill(struct result_origin *origin, const struct setup *setup)
{
    *origin = (struct result_origin){
        .argc = setup->argc,
        .argv = setup->argv,
        .tool =
            {
                .name = "twbench",
                .version = BUILD_VERSION,
                .commit = BUILD_COMMIT,
                .compiler = BUILD_COMPILER,
                .flags = BUILD_FLAGS,
#ifdef TWB_JEMALLOC
                .allocator = "jemalloc",
#else
                .allocator = "libc",
#endif
            },
        .harness = {.timer = "tsc", .timer_overhead_ns = -1, .timer_step_ns = -1},
    };
    machine_read(&origin->machine, "");
}

void origin_warn(const struct result_origin *origin, const struct setup *setup)
{
    const struct system_checks *checks = &origin->checks;
    for (size_t i = 0; i < checks->count; i++)
        if (checks->checks[i].warning[0] && setup->progress != PROGRESS_NEVER)
            fprintf(stderr, "warning: %s\n", checks->checks[i].warning);
}

size_t origin_cores(const struct setup *setup, int *cpus, size_t max)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || setup->pin_none) {
        cpus[0] = -1;
        return 1;
    }
    size_t count = 0;
    if (setup->pin_cpu >= 0)
        cpus[count++] = setup->pin_cpu;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && count < max; cpu--)
        if (CPU_ISSET((unsigned)cpu, &allowed) && cpu != setup->pin_cpu)
            cpus[count++] = cpu;
    return count;
}

/* ---- Beside a long measurement. -------------------------------------------------------------- */

static double children_ns(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
        return 0;
    return ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e9 +
           ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e3;
}

int origin_watch_begin(struct origin_watch *watch, struct result_origin *origin,
                       const struct setup *setup)
{
    struct system_look *first = system_look("");
    nanosleep(&(struct timespec){.tv_nsec = CHECK_NS}, NULL);
    watch->begin = system_look("");
    watch->own_ns = children_ns();
    int cpu = system_idlest_core(first, watch->begin);
    if (setup->pin_cpu >= 0 || setup->pin_none)
        cpu = setup->pin_none ? -1 : setup->pin_cpu;
    if (!setup->no_system_check)
        system_check(&origin->checks, first, watch->begin, cpu, origin->machine.virtualisation, "");
    system_look_free(first);
    return cpu;
}

struct origin_disturbance origin_watch_end(struct origin_watch *watch)
{
    struct system_look *end = system_look("");
    double own_ns = children_ns() - watch->own_ns, load = NAN;
    if (getloadavg(&load, 1) != 1)
        load = NAN;
    struct origin_disturbance disturbance = {
        .steal_share = system_steal_share(watch->begin, end),
        .busy_share = system_busy_share(watch->begin, end, own_ns),
        .load_1min = load,
    };
    system_look_free(end);
    system_look_free(watch->begin);
    watch->begin = NULL;
    return disturbance;
}
