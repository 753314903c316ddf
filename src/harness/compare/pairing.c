/* pairing.c - prepares a paired comparison: plan, surroundings, interrupt. */
#include "harness/compare/pairing.h"

#include "harness/base/paths.h"

static void show_progress(void *ctx, const char *what, size_t done, size_t total)
{
    progress_step(ctx, what, done, total);
}

static void pairing_request(struct pairing *pairing, int cpu)
{
    const struct setup *setup = pairing->wishes.setup;
    const struct plan_selection *selection = &pairing->wishes.selection;
    pairing->request = (struct binaries_request){
        .matrix =
            {
                .plan = &pairing->plan,
                .sweeps = selection->sweeps,
                .sweep_count = selection->sweep_count,
                .workload_directory = selection->workload_directory,
                .sets = setup->sets,
                .set_count = setup->set_count,
                .tick_ns = setup->tick_ns,
                .seed = setup->seed,
                .max_pending = setup->max_pending,
                .samples = pairing->wishes.samples,
                .min_time_ns = setup->min_time_ns,
                .patience_ns = setup->patience_ns,
            },
        .pairs = pairing->wishes.pairs,
        .max_pairs = pairing->wishes.max_pairs,
        .layouts = pairing->wishes.layouts,
        .explain = pairing->wishes.explain,
        .budget_ns = setup->budget_ns,
        .cpu = cpu,
        .limits = pairing->wishes.limits,
        .interrupt = &pairing->interrupt,
        .progress = show_progress,
        .progress_ctx = &pairing->progress,
    };
}

int pairing_open(struct pairing *pairing, const struct pairing_wishes *wishes, struct diag *diag)
{
    *pairing = (struct pairing){.wishes = *wishes, .interrupt = {.fd = -1}};
    origin_fill(&pairing->origin, wishes->setup);
    int status = plan_make(&wishes->selection, &pairing->plan, diag);
    if (status != DIAG_OK)
        return status;
    int cpu = origin_watch_begin(&pairing->watch, &pairing->origin, wishes->setup);
    origin_warn(&pairing->origin, wishes->setup);
    pairing_request(pairing, cpu);
    progress_begin(&pairing->progress, wishes->setup->progress, 1);
    return interrupt_open(&pairing->interrupt, diag);
}

int pairing_compare(struct pairing *pairing, const struct pairing_sides *sides,
                    struct comparison *comparison, struct diag *diag)
{
    char self[4096];
    int status = paths_program(self, sizeof self, diag);
    if (status != DIAG_OK)
        return status;
    pairing->request.loader = sides->are_plugins ? self : NULL;
    pairing->request.before = sides->before;
    pairing->request.after = sides->after;
    status = compare_binaries(&pairing->request, comparison, diag);
    struct origin_disturbance disturbance = origin_watch_end(&pairing->watch);
    comparison->steal_share = disturbance.steal_share;
    comparison->busy_share = disturbance.busy_share;
    comparison->load_1min = disturbance.load_1min;
    return status;
}

void pairing_close(struct pairing *pairing)
{
    progress_clear(&pairing->progress);
    if (pairing->interrupt.fd >= 0)
        interrupt_close(&pairing->interrupt);
    plan_free(&pairing->plan);
}
