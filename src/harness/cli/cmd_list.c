/* cmd_list.c - list: prints designs, parameters, workloads and traces. */
#include "harness/cli/cli.h"

#include "harness/base/units.h"
#include "harness/measure/stats/growth.h"
#include "harness/tell/result/figures.h"

#include <string.h>

/* "O(1)", or "O(1), worst O(n)". */
static const char *format_cost(char *out, size_t size, const struct tw_cost *cost)
{
    if (cost->average == cost->worst)
        snprintf(out, size, "%s", growth_class_name(cost->average));
    else
        snprintf(out, size, "%s, worst %s", growth_class_name(cost->average),
                 growth_class_name(cost->worst));
    return out;
}

static void print_traits(const struct tw_traits *traits)
{
    static const struct {
        enum tw_flag flag;
        const char *word;
    } words[] = {
        {TW_ORDERED, "ordered"},       {TW_FIFO, "FIFO"},           {TW_TICKLESS, "tickless"},
        {TW_NEXT_EXACT, "exact next"}, {TW_ALLOCATES, "allocates"}, {TW_REAL_CLOCK, "real clock"},
    };
    if (traits->flags & TW_KEEPS_NOTHING)
        printf("    fires nothing");
    else if (traits->late_ticks == 0 && traits->late_shift == 0)
        printf("    exact");
    else
        printf("    late by at most %u ticks + delay/%u", traits->late_ticks,
               traits->late_shift ? 1u << traits->late_shift : 0u);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (traits->flags & words[i].flag)
            printf(", %s", words[i].word);
    printf("\n");
}

static void print_design(const struct tw_backend *design)
{
    char start[48], stop[48], expire[48], tick[48];
    const struct tw_traits *traits = &design->traits;
    printf("  %-14s %s\n", design->name, design->summary);
    print_traits(traits);
    printf("    start %s; stop %s; expire %s; empty tick %s\n",
           format_cost(start, sizeof start, &traits->start),
           format_cost(stop, sizeof stop, &traits->stop),
           format_cost(expire, sizeof expire, &traits->expire),
           format_cost(tick, sizeof tick, &traits->tick));
    for (const struct tw_param *param = design->params; param->name; param++)
        printf("    --%s: %s\n", param->name, param->help);
}

/* Those whose package was here when the program was built; and what the others want. */
static void print_libraries(void)
{
    printf("\nLibraries and the operating system (--impl):\n");
    for (size_t i = 0; i < designs_library_count; i++) {
        const struct designs_library *library = &designs_libraries[i];
        struct diag diag;
        const struct tw_design *design =
            designs_library_is_built(library->name) ? designs_find(library->name, &diag) : NULL;
        if (design)
            print_design(design->timed);
        else if (designs_library_is_built(library->name))
            printf("  %-14s %s\n", library->name, diag.text);
        else
            printf("  %-14s not built%s%s\n", library->name,
                   *library->package ? "; needs the package " : "", library->package);
    }
}

static void print_workload(void *ctx, const struct workload_info *info)
{
    const bool *traces = ctx;
    char tick[32];
    if (info->is_trace != *traces)
        return;
    units_format_time(tick, sizeof tick, info->tick_ns);
    printf("  %-18s %s (tick %s)\n", info->name, info->summary, tick);
    if (info->parameters && *info->parameters)
        printf("  %-18s --set %s\n", "", info->parameters);
}

int cmd_list(const struct options *options)
{
    struct diag diag;
    if (options->operand_count > 0) {
        diag_usage(&diag, "%s: list takes no operands", options->operands[0]);
        return cli_fail(DIAG_USAGE, &diag);
    }
    if (options->list_only) {
        figures_print(stdout);
        return EXIT_OK;
    }
    printf("Designs (--impl):\n");
    for (size_t i = 0; i < registry_count; i++)
        print_design(registry[i].timed);
    print_libraries();
    int status = DIAG_OK;
    for (int traces = 0; traces < 2 && status == DIAG_OK; traces++) {
        bool wanted = traces == 1;
        printf(traces ? "\nRecorded traces (replay):\n" : "\nWorkloads (--workload):\n");
        status = workload_list(options->setup.workload_directory, print_workload, &wanted, &diag);
    }
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    printf("\nFigures: ns per operation by phase (median, interval), CPU time, latency percentiles "
           "of\n"
           "start, stop and advance, work counts, bytes per task, fixed, peak and retained bytes,\n"
           "lateness, early fires, digest against the oracle.\n");
    return EXIT_OK;
}
