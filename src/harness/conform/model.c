/* model.c - the brute-force model: arrays and scans. */
#include "harness/conform/model.h"

#include <stdlib.h>
#include <string.h>

static uint64_t cap_of(const struct tw_description *description)
{
    for (size_t i = 0; i < description->setting_count; i++)
        if (strcmp(description->settings[i].name, MODEL_CAP_SETTING) == 0)
            return description->settings[i].values[0];
    return TW_CAPACITY_MAX;
}

bool model_open(struct model *model, const struct tw_traits *traits,
                const struct tw_description *description, uint32_t capacity)
{
    *model = (struct model){.traits = *traits,
                            .span = description->span,
                            .running_max = cap_of(description),
                            .capacity = capacity};
    model->due = malloc(capacity * sizeof *model->due);
    model->latest = malloc(capacity * sizeof *model->latest);
    model->turn = calloc(capacity, sizeof *model->turn);
    if (!model->due || !model->latest || !model->turn) {
        model_close(model);
        return false;
    }
    for (tw_id id = 0; id < capacity; id++)
        model->due[id] = model->latest[id] = TW_NEVER;
    return true;
}

void model_close(struct model *model)
{
    free(model->due);
    free(model->latest);
    free(model->turn);
}

/* The last tick on which a timer may fire that is started at `now` and due at `due`. */
static tw_tick latest_for(const struct tw_traits *traits, tw_tick due, tw_tick now)
{
    tw_tick late = traits->late_ticks;
    if (traits->late_shift)
        late += (due - now) >> traits->late_shift;
    return late < TW_DEADLINE_MAX - due ? due + late : TW_DEADLINE_MAX;
}

int model_start(struct model *model, tw_id id, tw_tick deadline, tw_tick now)
{
    if (now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE; /* no tick is left on which it could fire */
    tw_tick due = deadline > now ? deadline : now + 1;
    if (due - now > model->span)
        return TW_REFUSED_RANGE;
    int status = model_runs(model, id) ? TW_REARMED : TW_OK;
    if (status == TW_OK && model->running >= model->running_max)
        return TW_REFUSED_FULL;
    if (status == TW_OK)
        model->running++;
    model->due[id] = due;
    model->latest[id] = latest_for(&model->traits, due, now);
    model->turn[id] = ++model->starts;
    return status;
}

int model_stop(struct model *model, tw_id id)
{
    if (!model_runs(model, id))
        return TW_IDLE;
    model->due[id] = model->latest[id] = TW_NEVER;
    model->running--;
    return TW_OK;
}

static tw_tick least(const tw_tick *ticks, uint32_t count)
{
    tw_tick first = TW_NEVER;
    for (uint32_t i = 0; i < count; i++)
        first = ticks[i] < first ? ticks[i] : first;
    return first;
}

tw_tick model_first_due(const struct model *model)
{
    return least(model->due, model->capacity);
}

tw_tick model_first_latest(const struct model *model)
{
    return least(model->latest, model->capacity);
}

tw_id model_overdue(const struct model *model, tw_tick now)
{
    if (least(model->latest, model->capacity) > now)
        return model->capacity;
    tw_id id = 0;
    while (model->latest[id] > now)
        id++;
    return id;
}

tw_id model_before_in_turn(const struct model *model, tw_id id)
{
    for (tw_id other = 0; other < model->capacity; other++)
        if (model->due[other] == model->due[id] && model->turn[other] < model->turn[id])
            return other;
    return model->capacity;
}
