/* cmd_list.c - list: prints designs, parameters, workloads and traces. */
#include "harness/ask/list/listing.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/base/wrap.h"
#include "harness/cli/cli.h"
#include "harness/cli/help.h"
#include "harness/cli/outputs.h"
#include "harness/measure/stats/growth.h"
#include "harness/tell/report/style.h"
#include "harness/tell/result/figures.h"
#include "runners/runner_registry.h"

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

/* A paragraph that goes on under its text. */
static void print_line(const char *name, int indent, const char *text)
{
    struct report_style style = style_for(stdout, STYLE_COLOR_NEVER);
    int used = indent > 4 ? printf("  %-*s ", indent - 3, name) : printf("%*s", indent, "");
    wrap_write(stdout, text, used, used, style.columns);
}

static void print_traits(const struct tw_traits *traits)
{
    char line[200];
    struct text text = text_in(line, sizeof line);
    if (traits->flags & TW_KEEPS_NOTHING)
        text_add(&text, "fires nothing");
    else if (traits->late_ticks == 0 && traits->late_shift == 0)
        text_add(&text, "exact");
    else
        text_add(&text, "late by at most %u ticks + delay/%u", traits->late_ticks,
                 traits->late_shift ? 1u << traits->late_shift : 0u);
    for (size_t i = 0; i < LISTING_FLAGS; i++)
        if (listing_flag(traits, i))
            text_add_item(&text, ", ", "%s", listing_flag(traits, i));
    print_line("", 4, line);
}

static void print_design(const struct tw_backend *design)
{
    char start[48], stop[48], expire[48], tick[48], line[300];
    const struct tw_traits *traits = &design->traits;
    print_line(design->name, 17, design->summary);
    print_traits(traits);
    snprintf(line, sizeof line, "start %s; stop %s; expire %s; empty tick %s",
             format_cost(start, sizeof start, &traits->start),
             format_cost(stop, sizeof stop, &traits->stop),
             format_cost(expire, sizeof expire, &traits->expire),
             format_cost(tick, sizeof tick, &traits->tick));
    print_line("", 4, line);
    for (const struct tw_param *param = design->params; param->name; param++) {
        char text[400];
        snprintf(text, sizeof text, "--%s: %s", param->name, param->help);
        print_line("", 4, text);
    }
}

/* Those whose package was here when the program was built; and what the others want. */
static void print_libraries(void)
{
    printf("\nLibraries and the operating system (--impl):\n");
    for (size_t i = 0; i < designs_library_count; i++) {
        struct diag diag;
        const struct tw_design *design = designs_find(designs_libraries[i].name, &diag);
        if (design)
            print_design(design->timed);
        else
            print_line(designs_libraries[i].name, 17, diag.text);
    }
}

static void print_runners(void)
{
    printf("\nRunners, on the real clock (--runner):\n");
    for (size_t i = 0; i < runner_registry_count; i++) {
        const struct tw_runner *runner = runner_registry[i].timed;
        char text[400];
        print_line(runner->name, 17, runner->summary);
        snprintf(text, sizeof text, "after %s", runner->after);
        print_line("", 4, text);
        for (const struct tw_param *param = runner->params; param->name; param++) {
            snprintf(text, sizeof text, "--%s: %s", param->name, param->help);
            print_line("", 4, text);
        }
    }
}

static void print_workload(void *ctx, const struct workload_info *info)
{
    const bool *traces = ctx;
    char tick[32], line[1200];
    if (info->is_trace != *traces)
        return;
    units_format_time(tick, sizeof tick, info->tick_ns);
    snprintf(line, sizeof line, "%s (tick %s)", info->summary, tick);
    print_line(info->name, 21, line);
    snprintf(line, sizeof line, "--set %s", info->parameters ? info->parameters : "");
    if (info->parameters && *info->parameters)
        print_line("", 21, line);
}

static int print_all(const struct options *options, struct diag *diag)
{
    printf("Designs (--impl):\n");
    for (size_t i = 0; i < registry_count; i++)
        print_design(registry[i].timed);
    print_libraries();
    print_runners();
    int status = DIAG_OK;
    for (int traces = 0; traces < 2 && status == DIAG_OK; traces++) {
        bool wanted = traces == 1;
        printf(traces ? "\nRecorded traces (replay):\n" : "\nWorkloads (--workload):\n");
        status = workload_list(options->setup.workload_directory, print_workload, &wanted, diag);
    }
    printf("\n");
    if (status == DIAG_OK)
        print_line("", 0,
                   "Figures ('twbench list --figures' has each): ns per operation by phase "
                   "(median, interval), CPU time, latency percentiles of start, stop and advance, "
                   "work counts, bytes per task, fixed, peak and retained bytes, lateness, early "
                   "fires, digest against the oracle.");
    return status;
}

static int write_json(const struct options *options, struct diag *diag)
{
    cJSON *document = NULL;
    struct listing_request request = {options->plugins, options->plugin_count,
                                      options->setup.workload_directory};
    int status = outputs_check(options, diag);
    if (status == DIAG_OK)
        status = listing_json(&request, &document, diag);
    if (status == DIAG_OK)
        status = outputs_json(options, document, diag);
    cJSON_Delete(document);
    return status;
}

int cmd_list(const struct options *options)
{
    struct diag diag;
    size_t count;
    const struct command *commands = cli_commands(&count);
    int status = DIAG_OK;
    if (options->operand_count > 0)
        status = diag_usage(&diag, "%s: list takes no operands", options->operands[0]);
    else if (options->list_only)
        figures_print(stdout);
    else if (options->list_flags)
        help_table(stdout, commands, count);
    else if (options->setup.json)
        status = write_json(options, &diag);
    else if (options->plugin_count == 0)
        status = print_all(options, &diag);
    for (size_t i = 0; !options->setup.json && i < options->plugin_count && status == DIAG_OK; i++)
        print_design(options->plugins[i]->timed);
    return status == DIAG_OK ? EXIT_OK : cli_fail(status, &diag);
}
