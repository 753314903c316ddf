/* live.c - calls the program of the lab live, and reads its documents. */
#include "labs/advise/advising.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/command/labs.h"

/* ---- Its runners. ---------------------------------------------------------------------------- */

static void take_runner(struct live *live, const cJSON *runner)
{
    if (live->count < LIVE_RUNNERS_MAX)
        live->runners[live->count++] =
            (struct runner){json_get_text(runner, "name"), json_get_text(runner, "summary"),
                            json_get_text(runner, "after")};
}

/* A lists_item_fn. */
static int add_runner(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct live *live = ctx;
    char expected[400] = "", hint[NEAREST_HINT];
    struct text list = text_in(expected, sizeof expected);
    json_each(runner, live->listing, "runners") {
        text_add_item(&list, ", ", "%s", json_get_text(runner, "name"));
        if (strcmp(json_get_text(runner, "name"), name) == 0) {
            take_runner(live, runner);
            return DIAG_OK;
        }
    }
    return diag_usage(diag, "%s: no runner '%s'; expected one of %s%s", flag, name, expected,
                      nearest_listed(name, expected, hint, sizeof hint));
}

int live_open(struct live *live, const char *names, struct diag *diag)
{
    static const char *const words[] = {"twbench", "list", "--json=-", NULL};
    char *text = NULL, path[4200];
    *live = (struct live){.count = 0};
    if (!lab_program("live", path, sizeof path))
        return diag_usage(diag, "--clock=real is in the lab live: 'make live', or apt install "
                                "twbench-live");
    live->listing = lab_run("live", words, &text) ? cJSON_Parse(text) : NULL;
    free(text);
    if (strcmp(names, "all") != 0)
        return lists_split(names, ',', "--runner", LIVE_RUNNERS_MAX, add_runner, live, diag);
    json_each(runner, live->listing, "runners")
        take_runner(live, runner);
    return live->count > 0 ? DIAG_OK : diag_run(diag, "%s: names no runners", path);
}

void live_close(struct live *live)
{
    cJSON_Delete(live->listing);
    *live = (struct live){.count = 0};
}

/* ---- A run. ---------------------------------------------------------------------------------- */

#define WORDS_MAX 96

struct words {
    char *items[WORDS_MAX + 1];
    size_t count;
};

__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
    char word[4400];
    va_list values;
    va_start(values, format);
    vsnprintf(word, sizeof word, format, values);
    va_end(values);
    if (words->count < WORDS_MAX)
        words->items[words->count++] = memory_text(word);
}

static void add_load(struct words *words, const struct setup *setup, const struct load *load)
{
    if (!load->is_trace)
        add(words, "--workload=%s", load->workload);
    if (!load->is_trace && load->tasks > 0)
        add(words, "--tasks=%" PRIu64, load->tasks);
    for (size_t i = 0; i < setup->set_count && words->count < WORDS_MAX - 16; i++)
        add(words, "--set=%s=%s", setup->sets[i].name, setup->sets[i].value);
    if (load->speed < 1 || load->speed > 1)
        add(words, "--speed=%.17g", load->speed);
    if (load->played_ns > 0)
        add(words, "--duration=%" PRIu64 "ns", load->played_ns);
}

static void fill(struct words *words, const struct setup *setup, const struct load *load,
                 const struct candidate *candidate, bool idle)
{
    add(words, "twbench");
    add(words, "%s", load->is_trace && !idle ? "replay" : "run");
    if (load->is_trace && !idle)
        add(words, "%s", load->workload);
    add(words, "--runner=%s", candidate->runner->name);
    add(words, "--impl=%s", candidate->design->timed->name);
    add(words, "--threads=%" PRIu32, load->threads);
    if (idle) {
        add(words, "--load=idle");
        add(words, "--tasks=10");
        add(words, "--duration=300ms");
    } else {
        add_load(words, setup, load);
    }
    add(words, "--seed=%" PRIu64, setup->seed);
    add(words, "--memory-limit=%" PRIu64, setup->memory_limit_bytes);
    add(words, "--workloads-dir=%s", setup->workload_directory);
    add(words, "--runs=1");
    add(words, "--no-system-check");
    add(words, "--progress=never");
    add(words, "--json=-");
}

/* What a cell says of its run; the pooled histograms are those of the run itself again. */
static cJSON *take_cell(const cJSON *document)
{
    static const char *const keys[] = {"identity", "runner", "impl", "status",
                                       "reason",   "stream", "clock"};
    const cJSON *cell = cJSON_GetArrayItem(json_get(document, "cells"), 0);
    if (!cell)
        return NULL;
    cJSON *out = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *item = json_get(cell, keys[i]);
        json_add(out, keys[i], item ? cJSON_Duplicate(item, true) : cJSON_CreateNull());
    }
    cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(out, "clock"),
                                            "times_ns");
    return out;
}

cJSON *live_run(const struct setup *setup, const struct load *load,
                const struct candidate *candidate, bool idle)
{
    struct words words = {.count = 0};
    char *text = NULL;
    fill(&words, setup, load, candidate, idle);
    bool ran = lab_run("live", (const char *const *)words.items, &text);
    cJSON *document = ran ? cJSON_Parse(text) : NULL, *cell = take_cell(document);
    cJSON_Delete(document);
    free(text);
    for (size_t i = 0; i < words.count; i++)
        free(words.items[i]);
    return cell;
}
