/* model.c - a brute-force model of the contract, to check designs against. */
#include "harness/prove/model.h"

#include "harness/base/libc.h"

static uint64_t cap_of(const struct tw_description *description)
{
    for (size_t i = 0; i < description->setting_count; i++)
        if (strcmp(description->settings[i].name, MODEL_CAP_SETTING) == 0)
            return description->settings[i].values[0];
    return TW_CAPACITY_MAX;
}

/* ---- Turns ----------------------------------------------------------------------------------- */

static bool turns_open(struct model *model)
{
    while (model->capacity >> model->turn_bits)
        model->turn_bits++;
    size_t lists = (size_t)1 << model->turn_bits;
    model->turn_heads = malloc(lists * sizeof *model->turn_heads);
    model->turn_tails = malloc(lists * sizeof *model->turn_tails);
    model->turn_next = malloc(model->capacity * sizeof *model->turn_next);
    model->turn_before = malloc(model->capacity * sizeof *model->turn_before);
    if (!model->turn_heads || !model->turn_tails || !model->turn_next || !model->turn_before)
        return false;
    for (size_t i = 0; i < lists; i++)
        model->turn_heads[i] = model->turn_tails[i] = model->capacity;
    return true;
}

static size_t turns_list(const struct model *model, tw_tick due)
{
    return (size_t)(due * UINT64_C(0x9e3779b97f4a7c15) >> (64 - model->turn_bits));
}

static void turns_append(struct model *model, tw_id id)
{
    size_t list = turns_list(model, model->due[id]);
    tw_id tail = model->turn_tails[list];
    *(tail < model->capacity ? &model->turn_next[tail] : &model->turn_heads[list]) = id;
    model->turn_before[id] = tail;
    model->turn_next[id] = model->capacity;
    model->turn_tails[list] = id;
}

static void turns_remove(struct model *model, tw_id id)
{
    size_t list = turns_list(model, model->due[id]);
    tw_id next = model->turn_next[id], before = model->turn_before[id];
    *(before < model->capacity ? &model->turn_next[before] : &model->turn_heads[list]) = next;
    *(next < model->capacity ? &model->turn_before[next] : &model->turn_tails[list]) = before;
}

tw_id model_first_in_turn(const struct model *model, tw_id id)
{
    tw_id first = model->turn_heads[turns_list(model, model->due[id])];
    while (model->due[first] != model->due[id])
        first = model->turn_next[first];
    return first;
}

/* ---- Timers ---------------------------------------------------------------------------------- */

bool model_open(struct model *model, const struct tw_traits *traits,
                const struct tw_description *description, uint32_t capacity)
{
    *model = (struct model){.traits = *traits,
                            .span = description->span,
                            .running_max = cap_of(description),
                            .capacity = capacity,
                            .quiet_until = TW_NEVER};
    model->due = malloc(capacity * sizeof *model->due);
    model->latest = malloc(capacity * sizeof *model->latest);
    if (!model->due || !model->latest || ((traits->flags & TW_FIFO) && !turns_open(model))) {
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
    free(model->turn_heads);
    free(model->turn_tails);
    free(model->turn_next);
    free(model->turn_before);
}

static tw_tick ticks_later(tw_tick tick, tw_tick ticks)
{
    return ticks < TW_DEADLINE_MAX - tick ? tick + ticks : TW_DEADLINE_MAX;
}

/* The last tick on which a timer may fire that is started at `now` and due at `due`, as its traits say. */
static tw_tick latest_for(const struct tw_traits *traits, tw_tick due, tw_tick now)
{
    tw_tick late = traits->late_ticks;
    if (traits->late_shift)
        late += (due - now) >> traits->late_shift;
    return ticks_later(due, late);
}

int model_start(struct model *model, tw_id id, tw_tick deadline, tw_tick now)
{
    return model_start_within(model, id, deadline, 0, now);
}

int model_start_within(struct model *model, tw_id id, tw_tick deadline, tw_tick slack, tw_tick now)
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
    else if (model->turn_heads)
        turns_remove(model, id);
    model->due[id] = due;
    model->latest[id] = ticks_later(latest_for(&model->traits, due, now), slack);
    model->starts++;
    if (model->latest[id] < model->quiet_until)
        model->quiet_until = model->latest[id];
    if (model->turn_heads)
        turns_append(model, id);
    return status;
}

int model_stop(struct model *model, tw_id id)
{
    if (!model_runs(model, id))
        return TW_IDLE;
    if (model->turn_heads)
        turns_remove(model, id);
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

tw_id model_overdue(struct model *model, tw_tick now)
{
    if (model->quiet_until > now)
        return model->capacity;
    model->quiet_until = model_first_latest(model);
    if (model->quiet_until > now)
        return model->capacity;
    tw_id id = 0;
    while (model->latest[id] > now)
        id++;
    return id;
}
