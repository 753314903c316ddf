/* pair_flags.c - takes the flags of what samples in pairs. */
#include "harness/command/pair_flags.h"
#include "harness/base/units.h"

#include "harness/compare/blocks.h"
#include "harness/measure/run/sample.h"

static int take_pairs(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct pair_options *options = of;
    (void)call;
    int status = units_parse_count_in(value, flag, 0, PAIRS_MAX, &options->pairs, diag);
    if (status == DIAG_OK && options->pairs > 0 && options->pairs < PAIRS_MIN)
        return diag_usage(diag, "%s: %s given; expected %d .. %d, or 0 for no times at all", flag,
                          value, PAIRS_MIN, PAIRS_MAX);
    return status;
}

static int take_layouts(struct call *call, void *of, const char *flag, const char *value,
                        struct diag *diag)
{
    struct pair_options *options = of;
    (void)call;
    int status = units_parse_count_in(value, flag, 1, PAIRS_MAX, &options->layouts, diag);
    if (status == DIAG_OK && options->layouts > 1 && options->layouts < PAIRS_MIN)
        return diag_usage(diag, "%s: %s given; expected %d .. %d, or 1 for the files as built",
                          flag, value, PAIRS_MIN, PAIRS_MAX);
    return status;
}

#define OF struct pair_options
const struct flag pair_flags[PAIR_FLAG_COUNT] = {
    SETUP_SEED(OF, setup),
    SETUP_TICK(OF, setup),
    SETUP_MAX_PENDING(OF, setup),
    SETUP_MIN_TIME(OF, setup, "least time of one sample (default 250us)"),
    FLAG_COUNT("samples", "N", "samples of a process, the fastest of which counts (default 5)", OF,
               samples, 1, SAMPLE_MAX),
    SETUP_PATIENCE(OF, setup),
    FLAG_BY("pairs", "N", "pairs of processes per cell (default 30); 0: no times, counts only",
            take_pairs),
    FLAG_COUNT("max-pairs", "N", "most pairs of an inconclusive cell, added once (default 150)", OF,
               max_pairs, PAIRS_MIN, PAIRS_MAX),
    FLAG_BY("layouts", "N",
            "layouts of each side over which the pairs are spread (default: one per pair); 1: as "
            "built",
            take_layouts),
    SETUP_NO_SYSTEM_CHECK(OF, setup),
    SETUP_PROGRESS(OF, setup),
};
#undef OF

void pair_begin(struct call *call, struct pair_options *options)
{
    options->setup = setup_default(call);
    options->setup.min_time_ns = 250000;
    options->pairs = 30;
    options->max_pairs = 150;
    options->samples = 5;
    options->layouts = PAIRS_MAX;
    options->limits = limits_default();
    options->loads.preset = preset_find("ci");
    designs_select_all(&options->designs);
}

int pair_finish(struct pair_options *options, struct diag *diag)
{
    int status = designs_finish(&options->designs, false, diag);
    loads_finish(&options->loads, &options->designs, false);
    options->setup.sets = options->loads.sets;
    options->setup.set_count = options->loads.set_count;
    options->setup.json = options->outputs.json;
    return status;
}

struct pairing_wishes pair_wishes(const struct pair_options *options)
{
    return (struct pairing_wishes){
        .setup = &options->setup,
        .selection =
            loads_selection(&options->loads, &options->designs, options->setup.workload_directory),
        .pairs = options->pairs,
        .max_pairs = options->max_pairs,
        .samples = options->samples,
        .layouts = options->layouts,
        .limits = &options->limits,
    };
}
