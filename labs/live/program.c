/* program.c - twbench-live: the commands of the lab, its kind of document, and what it adds to `list`. */
#include "labs/live/live.h"

#include "harness/base/json.h"
#include "harness/command/listing.h"
#include "harness/tell/report/documents.h"
#include "labs/live/originals/original.h"
#include "labs/live/runners/runner_registry.h"

static void list_one(cJSON *section, const struct tw_runner *runner,
                     const struct original *original)
{
    char note[300], path[ORIGINAL_PATH];
    struct diag diag;
    snprintf(note, sizeof note, "after %s", runner->after);
    cJSON *item = listing_item(section, runner->name, runner->summary, original ? NULL : note,
                               runner->params);
    json_add_text(item, "after", runner->after);
    if (original)
        json_add(item, "built",
                 cJSON_CreateBool(original_driver(original, path, sizeof path, &diag) == DIAG_OK));
}

static void list_json(void *document)
{
    cJSON *runners = listing_section(document, "runners", "Runners, on the real clock (--runner)");
    for (size_t i = 0; i < runner_registry_count; i++)
        list_one(runners, runner_registry[i].timed, NULL);
    cJSON *originals = listing_section(document, "originals",
                                       "Timers of other runtimes, on the real clock (--original)");
    for (size_t i = 0; original_at(i); i++)
        list_one(originals, &original_at(i)->runner, original_at(i));
}

/* For the completions of shells. */
static void list(FILE *out)
{
    for (size_t i = 0; i < runner_registry_count; i++)
        fprintf(out, "word\trunner\t%s\t%s\n", runner_registry[i].timed->name,
                runner_registry[i].timed->summary);
}

static const struct command *const commands[] = {&cmd_clock_run,
                                                 &cmd_clock_replay,
                                                 &cmd_conform_runners,
                                                 &cmd_list,
                                                 &cmd_report,
                                                 &cmd_compare,
                                                 NULL};

const struct program program = {
    .lab = "live", .commands = commands, .list = list, .list_json = list_json};

static const struct document_kind clock_kind = {
    .name = "clock",
    .has_cells = true,
    .build = page_run,
    .pictures = clock_pictures,
    .no_pictures = "no two runners in the result are ok",
};

const struct document_kind *const document_kinds[] = {&clock_kind, &kind_comparison, &kind_run,
                                                      NULL};

const struct figures_part *const figures_parts[] = {&figures_of_cells, &figures_of_runners, NULL};
