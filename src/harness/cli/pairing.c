/* pairing.c - prepares a paired comparison from the options. */
#include "harness/cli/pairing.h"

static void show_progress(void *ctx, const char *what, size_t done, size_t total)
{
    progress_step(ctx, what, done, total);
}

static int pairing_plan(struct pairing *pairing, struct diag *diag)
{
    const struct options *options = pairing->options;
    return plan_make(
        &(struct plan_selection){
            .designs = options->designs,
            .design_count = options->design_count,
            .workloads = options->workloads,
            .workload_count = options->workload_count,
            .workload_directory = options->workload_directory,
            .tasks = options->tasks,
            .task_count = options->task_count,
            .sweeps = options->sweeps,
            .sweep_count = options->sweep_count,
        },
        &pairing->plan, diag);
}

static void pairing_request(struct pairing *pairing, int cpu)
{
    const struct options *options = pairing->options;
    pairing->request = (struct binaries_request){
        .matrix =
            {
                .plan = &pairing->plan,
                .sweeps = options->sweeps,
                .sweep_count = options->sweep_count,
                .workload_directory = options->workload_directory,
                .sets = options->sets,
                .set_count = options->set_count,
                .tick_ns = options->tick_ns,
                .seed = options->seed,
                .max_pending = options->max_pending,
                .samples = options->samples,
                .min_time_ns = options->min_time_ns,
                .patience_ns = options->patience_ns,
            },
        .pairs = options->pairs,
        .max_pairs = options->max_pairs,
        .budget_ns = options->budget_ns,
        .cpu = cpu,
        .limits = &options->limits,
        .interrupt = &pairing->interrupt,
        .progress = show_progress,
        .progress_ctx = &pairing->progress,
    };
}

int pairing_open(struct pairing *pairing, const struct options *options, struct diag *diag)
{
    *pairing = (struct pairing){.options = options, .interrupt = {.fd = -1}};
    origin_fill(&pairing->origin, options);
    int status = pairing_plan(pairing, diag);
    if (status != DIAG_OK)
        return status;
    int cpu = origin_watch_begin(&pairing->watch, &pairing->origin, options);
    origin_warn(&pairing->origin, options);
    pairing_request(pairing, cpu);
    progress_begin(&pairing->progress, options->progress, 1);
    return interrupt_open(&pairing->interrupt, diag);
}

struct origin_disturbance pairing_disturbance(struct pairing *pairing)
{
    return origin_watch_end(&pairing->watch);
}

void pairing_close(struct pairing *pairing)
{
    progress_clear(&pairing->progress);
    if (pairing->interrupt.fd >= 0)
        interrupt_close(&pairing->interrupt);
    plan_free(&pairing->plan);
}
