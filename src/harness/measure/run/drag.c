/* drag.c - slows a design down by a known amount, for the selftest. */
#include "harness/measure/run/drag.h"

#include "harness/measure/run/layer.h"

#include <stdlib.h>

struct tw_timers {
    struct layer layer;
    uint64_t links, value;
    uint32_t starts;
};

/* Each link needs the one before it; the value is kept, so that the compiler cannot leave it out. */
static void drag_pull(struct tw_timers *timers)
{
    uint64_t value = timers->value;
    for (uint64_t i = 0; i < timers->links; i++)
        value = value * UINT64_C(6364136223846793005) + 1442695040888963407u;
    timers->value = value;
}

static int drag_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (++timers->starts % DRAG_STARTS == 0)
        drag_pull(timers);
    return timers->layer.design->start(timers->layer.inner, id, deadline);
}

int drag_put(struct drag *drag, const struct tw_backend *design, struct tw_timers *timers,
             uint64_t links)
{
    struct tw_timers *instance = malloc(sizeof *instance);
    if (!instance)
        return TW_REFUSED_MEMORY;
    *instance = (struct tw_timers){.layer = {design, timers}, .links = links};
    *drag = (struct drag){.table = layer_table(design), .timers = instance};
    drag->table.start = drag_start;
    return TW_OK;
}

uint64_t drag_value(const struct drag *drag)
{
    return drag->timers->value;
}
