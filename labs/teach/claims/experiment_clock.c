/* experiment_clock.c - reads the object "clock" of an experiment file, and writes it as flags. */
#include "labs/teach/claims/experiment_clock.h"

#include "labs/teach/claims/experiment_settings.h"
#include "harness/base/units.h"
#include "labs/live/clock/clock_run.h"
#include "labs/live/runners/runner_registry.h"

#include <string.h>

static void read_runner(struct reader *reader, const struct reader_place *place,
                        const cJSON *object, struct experiment_clock *out)
{
    struct reader_place member = reader_member(place, "runner");
    const char *name = reader_text(reader, place, object, "runner", out->runner == NULL);
    if (!name)
        return;
    out->runner = runner_registry_find(name);
    if (!out->runner)
        reader_refuse(reader, &member, "'%.40s' is no runner; see 'twbench list'", name);
}

static void read_time(struct reader *reader, const struct reader_place *place, const cJSON *object,
                      const char *key, uint64_t *out)
{
    struct reader_place member = reader_member(place, key);
    const char *text = reader_text(reader, place, object, key, false);
    struct diag diag;
    if (text && units_parse_time(text, key, out, &diag) != DIAG_OK)
        reader_refuse(reader, &member, "%.300s", diag.text);
}

static void read_load(struct reader *reader, const struct reader_place *place, const cJSON *object,
                      struct experiment_clock *out)
{
    const char *words[CLOCK_LOADS + 1] = {NULL};
    for (int i = 0; i < CLOCK_LOADS; i++)
        words[i] = clock_load_name((enum clock_load)i);
    if (cJSON_GetObjectItemCaseSensitive(object, "load"))
        out->wishes.load = (enum clock_load)reader_word(reader, place, object, "load", words, true);
    if (out->wishes.speed <= 0)
        out->wishes.speed = 1;
    out->wishes.speed = reader_number(reader, place, object, "speed", 1e-6, out->wishes.speed);
}

static void read_threads(struct reader *reader, const struct reader_place *place,
                         const cJSON *object, struct experiment_clock *out)
{
    struct reader_place member = reader_member(place, "threads");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "threads");
    if (item)
        out->threads = reader_count(reader, &member, item);
    if (out->threads == 0)
        out->threads = 1;
    if (out->threads > CLOCK_THREADS_MAX)
        reader_refuse(reader, &member, "expected at most %d", CLOCK_THREADS_MAX);
}

static const struct tw_param *find_param(const void *ctx, const char *name)
{
    const struct tw_runner_entry *runner = ctx;
    return runner ? param_find(runner->timed->params, name) : NULL;
}

void experiment_clock_read(struct reader *reader, const struct reader_place *place,
                           const cJSON *object, struct experiment_clock *out)
{
    static const char *const keys[] = {"runner",   "threads",   "load",     "speed",
                                       "duration", "slow_task", "settings", NULL};
    if (!object)
        return;
    reader_check_keys(reader, place, object, keys);
    out->wishes.on = true;
    if (out->wishes.duration_ns == 0)
        out->wishes.duration_ns = UINT64_C(2000000000);
    read_runner(reader, place, object, out);
    read_load(reader, place, object, out);
    read_threads(reader, place, object, out);
    read_time(reader, place, object, "duration", &out->wishes.duration_ns);
    read_time(reader, place, object, "slow_task", &out->wishes.slow_ns);
    experiment_settings_read(
        reader, place, cJSON_GetObjectItemCaseSensitive(object, "settings"),
        &(struct experiment_settings){out->wishes.settings, &out->wishes.setting_count,
                                      CLOCK_SETTINGS_MAX, find_param, out->runner,
                                      "no setting of this runner"});
}

void experiment_clock_command(struct text *line, const struct experiment_clock *clock)
{
    const struct clock_wishes *wishes = &clock->wishes;
    bool lasts = wishes->load == CLOCK_CLOSED || wishes->load == CLOCK_IDLE;
    if (!clock->runner)
        return;
    text_add(line, " --runner=%s --threads=%llu", clock->runner->timed->name,
             (unsigned long long)clock->threads);
    if (wishes->load != CLOCK_PACED)
        text_add(line, " --load=%s", clock_load_name(wishes->load));
    else if (wishes->speed < 1 || wishes->speed > 1)
        text_add(line, " --speed=%g", wishes->speed);
    if (lasts)
        text_add(line, " --duration=%lluns", (unsigned long long)wishes->duration_ns);
    if (wishes->slow_ns > 0)
        text_add(line, " --slow-task=%lluns", (unsigned long long)wishes->slow_ns);
    for (size_t i = 0; i < wishes->setting_count; i++)
        text_add(line, " --%s=%llu", wishes->settings[i].name,
                 (unsigned long long)wishes->settings[i].values[0]);
    text_add(line, " --runs=%d", EXPERIMENT_CLOCK_RUNS);
}
