/*
 * museum.h - what the exhibits share: timers in lists, and all functions of the contract but start and advance.
 *
 * An exhibit NAME.c rebuilds the mistake of one public bug report, in our own words and as little of the design as
 * shows it; museum.def has a row for each.  It defines LISTS, includes this, and ends with EXHIBIT.
 */
#include "backend.h"

/* Its mistake; -DMENDED makes the control, which conform finds nothing wrong with. */
#ifdef MENDED
#define MISTAKE(wrong, right) right
#else
#define MISTAKE(wrong, right) wrong
#endif

#include <stdlib.h>

#define NOBODY UINT32_MAX
#define IDLE   UINT32_MAX

struct node {
    tw_tick due;
    uint64_t extra; /* what the exhibit likes */
    tw_id next, previous;
    uint32_t list; /* IDLE when it does not run */
};

struct tw_timers {
    tw_tick now, born;
    uint64_t mark; /* what the exhibit likes */
    int64_t running, limit;
    uint32_t capacity;
    struct node *nodes;
    tw_id heads[LISTS], tails[LISTS];
};

static const struct tw_param museum_params[] = {
    {"max-running", "cap on running timers (default: the capacity)", 1, TW_CAPACITY_MAX, 1},
    {NULL, NULL, 0, 0, 0}};

static int museum_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    int status = params_check(museum_params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = calloc(1, sizeof *timers);
    struct node *nodes = malloc(config->capacity * sizeof *nodes);
    if (!timers || !nodes) {
        free(timers);
        free(nodes);
        return params_no_memory(error, config->capacity * sizeof *nodes);
    }
    const struct tw_setting *limit = params_find(config, "max-running");
    *timers = (struct tw_timers){.now = config->now, .born = config->now, .nodes = nodes};
    timers->capacity = config->capacity;
    timers->limit = (int64_t)(limit ? limit->values[0] : config->capacity);
    for (uint32_t list = 0; list < LISTS; list++)
        timers->heads[list] = timers->tails[list] = NOBODY;
    for (tw_id id = 0; id < config->capacity; id++)
        nodes[id] = (struct node){.next = NOBODY, .previous = NOBODY, .list = IDLE};
    *out = timers;
    return TW_OK;
}

static inline void museum_close(struct tw_timers *timers)
{
    free(timers->nodes);
    free(timers);
}

/* At the tail of the list. */
static inline void node_link(struct tw_timers *timers, tw_id id, uint32_t list)
{
    struct node *node = &timers->nodes[id];
    node->list = list;
    node->next = NOBODY;
    node->previous = timers->tails[list];
    if (node->previous == NOBODY)
        timers->heads[list] = id;
    else
        timers->nodes[node->previous].next = id;
    timers->tails[list] = id;
}

static inline void node_unlink(struct tw_timers *timers, tw_id id)
{
    struct node *node = &timers->nodes[id];
    if (node->previous == NOBODY)
        timers->heads[node->list] = node->next;
    else
        timers->nodes[node->previous].next = node->next;
    if (node->next == NOBODY)
        timers->tails[node->list] = node->previous;
    else
        timers->nodes[node->next].previous = node->previous;
    node->list = IDLE;
}

static inline int museum_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->nodes[id].list == IDLE)
        return TW_IDLE;
    node_unlink(timers, id);
    timers->running--;
    return TW_OK;
}

/* What start does before the timer gets its place: the answer, and its due tick when it is no refusal. */
static inline int start_begin(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    bool was_running = timers->nodes[id].list != IDLE;
    if (timers->now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE;
    if (!was_running && timers->running >= timers->limit)
        return TW_REFUSED_FULL;
    if (was_running)
        node_unlink(timers, id);
    timers->running += !was_running;
    timers->nodes[id].due = deadline > timers->now ? deadline : timers->now + 1;
    return was_running ? TW_REARMED : TW_OK;
}

/* The start of a wheel of 64 slots. */
static inline int wheel_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    int status = start_begin(timers, id, deadline);
    if (status >= 0)
        node_link(timers, id, timers->nodes[id].due % 64);
    return status;
}

/* The start of a wheel whose `place` says where a timer goes, and a slot of it that goes to lower ones. */
typedef void place_fn(struct tw_timers *timers, tw_id id);

static inline int placed_start(struct tw_timers *timers, tw_id id, tw_tick deadline,
                               place_fn *place)
{
    int status = start_begin(timers, id, deadline);
    if (status >= 0)
        place(timers, id);
    return status;
}

static inline void slot_replace(struct tw_timers *timers, uint32_t list, place_fn *place)
{
    tw_id last = timers->tails[list];
    for (tw_id id = timers->heads[list], next; last != NOBODY; id = next) {
        next = timers->nodes[id].next;
        node_unlink(timers, id);
        place(timers, id);
        if (id == last)
            break;
    }
}

static inline void fire(struct tw_timers *timers, tw_id id, tw_tick tick, tw_expire_fn *expire,
                        void *ctx)
{
    museum_stop(timers, id);
    timers->now = tick;
    expire(ctx, id, tick);
}

static inline void fire_list(struct tw_timers *timers, uint32_t list, tw_tick tick,
                             tw_expire_fn *expire, void *ctx)
{
    while (timers->heads[list] != NOBODY)
        fire(timers, timers->heads[list], tick, expire, ctx);
}

/* The timers of the list that are due go to another. */
static inline void list_sort_out(struct tw_timers *timers, uint32_t list, tw_tick tick, uint32_t to)
{
    for (tw_id id = timers->heads[list], next; id != NOBODY; id = next) {
        next = timers->nodes[id].next;
        if (timers->nodes[id].due <= tick) {
            node_unlink(timers, id);
            node_link(timers, id, to);
        }
    }
}

static inline tw_tick museum_next(const struct tw_timers *timers)
{
    tw_tick next = TW_NEVER;
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->nodes[id].list != IDLE && timers->nodes[id].due < next)
            next = timers->nodes[id].due;
    return next;
}

static inline void museum_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->nodes[id].list != IDLE)
            visit(ctx, &(struct tw_view){.id = id, .deadline = timers->nodes[id].due});
}

static const char *museum_check(const struct tw_timers *timers)
{
    int64_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++)
        running += timers->nodes[id].list != IDLE;
    return running == timers->running ? NULL : "the number of running timers is wrong";
}

static inline struct tw_footprint museum_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){.fixed_bytes = sizeof *timers,
                                 .capacity_bytes = timers->capacity * sizeof *timers->nodes};
}

static void museum_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = TW_DEADLINE_MAX,
        .setting_count = 1,
        .settings = {{"max-running", 1, {(uint64_t)timers->limit}}},
    };
}

static const struct tw_work *museum_work(const struct tw_timers *timers)
{
    (void)timers;
    return TW_WORK_OF(timers);
}

#define HONEST(key)                                                                                \
    .abi_version = TW_ABI_VERSION, .name = key, .summary = "an exhibit of the museum",             \
    .params = museum_params, .open = museum_open, .close = museum_close, .stop = museum_stop,      \
    .next = museum_next, .visit = museum_visit, .check = museum_check,                             \
    .footprint = museum_footprint, .describe = museum_describe, .work = museum_work

/* What comes behind the flags replaces what is honest: the later initialiser wins. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define EXHIBIT(key, declared, ...)                                                                \
    static const struct tw_backend exhibit = {HONEST(key),                                         \
                                              .traits = {(declared),                               \
                                                         0,                                        \
                                                         0,                                        \
                                                         {TW_O_1, TW_O_N},                         \
                                                         {TW_O_1, TW_O_N},                         \
                                                         {TW_O_1, TW_O_N},                         \
                                                         {TW_O_1, TW_O_N}},                        \
                                              __VA_ARGS__};                                        \
    TW_PLUGIN(exhibit, exhibit)
