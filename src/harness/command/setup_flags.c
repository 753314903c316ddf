/* setup_flags.c - sets the defaults of a setup, and takes the flags that more than one row needs. */
#include "harness/command/setup_flags.h"

#include "build_info.h"
#include "harness/base/paths.h"
#include "harness/base/units.h"
#include "harness/command/flags.h"

#include <sched.h>

const char *const setup_progress_words[] = {"auto", "bar", "lines", "never", NULL};

static int take_pin(struct call *call, void *of, const char *flag, const char *value,
                    struct diag *diag)
{
    struct setup *setup = of;
    uint64_t cpu;
    cpu_set_t allowed;
    (void)call;
    if (strcmp(value, "none") == 0) {
        setup->pin_none = true;
        return DIAG_OK;
    }
    if (units_parse_count_in(value, flag, 0, CPU_SETSIZE - 1, &cpu, diag) != DIAG_OK)
        return diag_usage(diag, "%s: '%s' given; expected the number of a core, or none", flag,
                          value);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && !CPU_ISSET(cpu, &allowed))
        return diag_usage(diag, "%s: core %s is not one this process may run on", flag, value);
    setup->pin_none = false;
    setup->pin_cpu = (int)cpu;
    return DIAG_OK;
}

const struct flag setup_pin[1] = {
    FLAG_BY("pin", "CORE|none", "core for timed runs (default: the last one allowed)", take_pin)};

struct setup setup_default(struct call *call)
{
    char workloads[4200];
    paths_find("workloads", BUILD_WORKLOADS_DIR, workloads, sizeof workloads);
    return (struct setup){
        .argc = call->argc,
        .argv = call->argv,
        .workload_directory = lists_keep(&call->memory, workloads),
        .seed = 1,
        .runs = 7,
        .warmup = 1,
        .min_time_ns = 10000000,
        .patience_ns = 100000000,
        .budget_ns = UINT64_C(10000000000),
        .memory_limit_bytes = UINT64_C(4) << 30,
        .pin_cpu = -1,
        .jobs = 1,
    };
}
