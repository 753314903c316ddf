/* listing_text.c - prints designs, parameters, workloads and traces. */
#include "harness/ask/list/listing.h"

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/base/wrap.h"
#include "harness/measure/designs/designs.h"
#include "harness/measure/designs/store_modules.h"
#include "harness/measure/originals/original.h"
#include "harness/measure/stats/growth.h"
#include "harness/measure/workload/workload.h"
#include "runners/runner_registry.h"

struct listing {
    FILE *out;
    unsigned columns;
    bool traces; /* else workloads */
};

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
static void print_line(const struct listing *listing, const char *name, int indent,
                       const char *text)
{
    int used = indent > 4 ? fprintf(listing->out, "  %-*s ", indent - 3, name)
                          : fprintf(listing->out, "%*s", indent, "");
    wrap_write(listing->out, text, used, used, listing->columns);
}

static void print_traits(const struct listing *listing, const struct tw_traits *traits)
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
    print_line(listing, "", 4, line);
}

static void print_params(const struct listing *listing, const struct tw_param *param)
{
    for (; param->name; param++) {
        char text[400];
        snprintf(text, sizeof text, "--%s: %s", param->name, param->help);
        print_line(listing, "", 4, text);
    }
}

static void print_design(const struct listing *listing, const struct tw_backend *design)
{
    char start[48], stop[48], expire[48], tick[48], line[300];
    const struct tw_traits *traits = &design->traits;
    print_line(listing, design->name, 17, design->summary);
    print_traits(listing, traits);
    snprintf(line, sizeof line, "start %s; stop %s; expire %s; empty tick %s",
             format_cost(start, sizeof start, &traits->start),
             format_cost(stop, sizeof stop, &traits->stop),
             format_cost(expire, sizeof expire, &traits->expire),
             format_cost(tick, sizeof tick, &traits->tick));
    print_line(listing, "", 4, line);
    print_params(listing, design->params);
}

static void print_runner(const struct listing *listing, const struct tw_runner *runner)
{
    char text[400];
    print_line(listing, runner->name, 17, runner->summary);
    snprintf(text, sizeof text, "after %s", runner->after);
    print_line(listing, "", 4, text);
    print_params(listing, runner->params);
}

static void print_runners(const struct listing *listing)
{
    fprintf(listing->out, "\nRunners, on the real clock (--runner):\n");
    for (size_t i = 0; i < runner_registry_count; i++)
        print_runner(listing, runner_registry[i].timed);
}

/* Those whose driver is not built say what builds it. */
static void print_originals(const struct listing *listing)
{
    fprintf(listing->out, "\nOriginals, in their own runtimes (--original):\n");
    for (size_t i = 0; original_at(i); i++) {
        const struct original *original = original_at(i);
        char path[ORIGINAL_PATH];
        struct diag diag;
        bool is_built = original_driver(original, path, sizeof path, &diag) == DIAG_OK;
        print_line(listing, original->runner.name, 17, original->runner.summary);
        print_params(listing, original->runner.params);
        if (!is_built)
            print_line(listing, "", 4, "not built; 'make originals' installs its runtime");
    }
}

static void print_stores(const struct listing *listing)
{
    fprintf(listing->out, "\nStores, which survive a crash (twbench stores --stores):\n");
    for (size_t i = 0; i < store_registry_count; i++) {
        char key[64];
        struct diag diag;
        const struct tw_store_backend *store = store_modules_load(&store_registry[i], &diag);
        print_line(listing, store_registry_key(&store_registry[i], key, sizeof key), 17,
                   store ? store->summary : diag.text);
        if (store)
            print_params(listing, store->params);
    }
}

/* Those whose package was here when the program was built; and what the others want. */
static void print_libraries(const struct listing *listing)
{
    fprintf(listing->out, "\nLibraries and the operating system (--impl):\n");
    for (size_t i = 0; i < designs_library_count; i++) {
        struct diag diag;
        const struct tw_design *design = designs_find(designs_libraries[i].name, &diag);
        if (design)
            print_design(listing, design->timed);
        else
            print_line(listing, designs_libraries[i].name, 17, diag.text);
    }
}

static void print_workload(void *ctx, const struct workload_info *info)
{
    const struct listing *listing = ctx;
    char tick[32], line[1200];
    if (info->is_trace != listing->traces)
        return;
    units_format_time(tick, sizeof tick, info->tick_ns);
    snprintf(line, sizeof line, "%s (tick %s)", info->summary, tick);
    print_line(listing, info->name, 21, line);
    snprintf(line, sizeof line, "--set %s", info->parameters ? info->parameters : "");
    if (info->parameters && *info->parameters)
        print_line(listing, "", 21, line);
}

static int print_all(struct listing *listing, const char *directory, struct diag *diag)
{
    fprintf(listing->out, "Designs (--impl):\n");
    for (size_t i = 0; i < registry_count; i++)
        print_design(listing, registry[i].timed);
    print_libraries(listing);
    print_runners(listing);
    print_originals(listing);
    print_stores(listing);
    int status = DIAG_OK;
    for (int traces = 0; traces < 2 && status == DIAG_OK; traces++) {
        listing->traces = traces == 1;
        fprintf(listing->out,
                traces ? "\nRecorded traces (replay):\n" : "\nWorkloads (--workload):\n");
        status = workload_list(directory, print_workload, listing, diag);
    }
    fprintf(listing->out, "\n");
    if (status == DIAG_OK)
        print_line(listing, "", 0,
                   "Figures ('twbench list --figures' has each): ns per operation by phase "
                   "(median, interval), CPU time, latency percentiles of start, stop and advance, "
                   "work counts, bytes per task, fixed, peak and retained bytes, lateness, early "
                   "fires, digest against the oracle.");
    return status;
}

int listing_print(FILE *out, unsigned columns, const struct listing_request *request,
                  struct diag *diag)
{
    struct listing listing = {.out = out, .columns = columns};
    if (request->plugin_count + request->runner_plugin_count == 0)
        return print_all(&listing, request->workload_directory, diag);
    for (size_t i = 0; i < request->plugin_count; i++)
        print_design(&listing, request->plugins[i]->timed);
    for (size_t i = 0; i < request->runner_plugin_count; i++)
        print_runner(&listing, request->runner_plugins[i]->timed);
    return DIAG_OK;
}
