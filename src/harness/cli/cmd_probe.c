/* cmd_probe.c - probe: one cell timed in this process, as one line of JSON. */
#include "harness/ask/compare/probe_answer.h"
#include "harness/cli/cli.h"
#include "harness/measure/workload/oracle.h"
#include "harness/measure/workload/workload.h"

#include <stdlib.h>

static int probe_request(const struct options *options, struct workload_request *request,
                         struct diag *diag)
{
    if (options->operand_count > 0)
        return diag_usage(diag, "%s: probe takes no operands", options->operands[0]);
    if (options->design_count != 1 || options->workload_count != 1 || options->task_count > 1)
        return diag_usage(diag,
                          "probe: expected one --impl, one --workload and at most one --tasks");
    *request = (struct workload_request){
        .workload = options->workloads[0],
        .directory = options->setup.workload_directory,
        .tasks = options->task_count ? options->tasks[0] : 0,
        .tick_ns = options->setup.tick_ns,
        .seed = options->setup.seed,
        .settings = options->setup.sets,
        .setting_count = options->setup.set_count,
    };
    return DIAG_OK;
}

static int probe_plan(const struct options *options, struct plan *plan, struct diag *diag)
{
    struct plan_selection selection = options_selection(options);
    int status = plan_make(&selection, plan, diag);
    if (status == DIAG_OK && plan->cell_count != 1)
        return diag_usage(diag, "probe: %zu cells asked for; expected one value of each parameter",
                          plan->cell_count);
    return status;
}

static int print_answer(cJSON *answer, struct diag *diag)
{
    char *text = cJSON_PrintUnformatted(answer);
    cJSON_Delete(answer);
    if (!text)
        return diag_run(diag, "no memory for the answer");
    puts(text);
    cJSON_free(text);
    return DIAG_OK;
}

int cmd_probe(const struct options *options)
{
    struct diag diag;
    struct workload_request request;
    struct plan plan = {0};
    struct stream *stream = NULL;
    struct sample_series *series = malloc(sizeof *series);
    int status = series ? probe_request(options, &request, &diag) : diag_run(&diag, "no memory");
    if (status == DIAG_OK)
        status = probe_plan(options, &plan, &diag);
    if (status == DIAG_OK)
        status = workload_stream(&request, &stream, &diag);
    if (status == DIAG_OK && options->setup.max_pending > 0)
        status = oracle_cap(stream, (uint32_t)options->setup.max_pending, &diag);
    if (status == DIAG_OK) {
        sample_take_apart(
            &(struct sample_request){
                .plan = &plan.cells[0],
                .stream = stream,
                .samples = options->samples,
                .passes = options->passes,
                .min_time_ns = options->setup.min_time_ns,
                .pace_ns = options->pace_ns,
                .patience_ns = options->setup.patience_ns,
                .dragged = options->dragged,
                .drag_links = options->drag_links,
            },
            options->setup.memory_limit_bytes, series);
        status = print_answer(probe_answer(series, stream, (size_t)options->samples), &diag);
    }
    int exit_status = status != DIAG_OK              ? cli_fail(status, &diag)
                      : series->status == OUTCOME_OK ? EXIT_OK
                                                     : EXIT_FAILED;
    stream_free(stream);
    plan_free(&plan);
    free(series);
    return exit_status;
}
