/* options.c - answers what the options say as a whole: files to write, what to run. */
#include "harness/cli/options.h"

#include "harness/base/lists.h"
#include "harness/measure/designs/plugins.h"
#include "harness/measure/designs/runner_plugins.h"

size_t options_files(const struct options *options, struct options_file files[OPTIONS_FILES_MAX])
{
    size_t count = 0;
    files[count++] = (struct options_file){"-o", options->trace};
    files[count++] = (struct options_file){"--json", options->setup.json};
    files[count++] = (struct options_file){"--fit", options->fit};
    files[count++] = (struct options_file){"--svg", options->svg};
    files[count++] = (struct options_file){"--html", options->html};
    for (size_t i = 0; i < export_format_count; i++, count++) {
        files[count].path = options->exports[i];
        snprintf(files[count].flag, sizeof files[count].flag, "--%s", export_formats[i].flag);
    }
    return count;
}

struct plan_selection options_selection(const struct options *options)
{
    return (struct plan_selection){
        .designs = options->designs,
        .design_count = options->design_count,
        .workloads = options->workloads,
        .workload_count = options->workload_count,
        .workload_directory = options->setup.workload_directory,
        .tasks = options->tasks,
        .task_count = options->task_count,
        .sweeps = options->sweeps,
        .sweep_count = options->sweep_count,
        .drives = options->drives,
        .drive_count = options->drive_count,
        .pages = options->pages,
        .page_count = options->page_count,
        .batches = options->batches,
        .batch_count = options->batch_count,
        .runners = options->runners,
        .runner_count = options->runner_count,
        .threads = options->threads,
        .thread_count = options->thread_count,
    };
}

struct pairing_wishes options_pairing(const struct options *options)
{
    return (struct pairing_wishes){
        .setup = &options->setup,
        .selection = options_selection(options),
        .pairs = options->pairs,
        .max_pairs = options->max_pairs,
        .samples = options->samples,
        .limits = &options->limits,
    };
}

void options_free(struct options *options)
{
    for (size_t i = 0; i < options->plugin_count; i++)
        plugins_close(options->plugins[i]);
    for (size_t i = 0; i < options->runner_plugin_count; i++)
        runner_plugins_close(options->runner_plugins[i]);
    lists_release(&options->memory);
}
