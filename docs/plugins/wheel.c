/*
 * wheel.c - a plugin: a hierarchical wheel of 11 levels with 64 slots each, which holds any deadline.
 *
 *     due and now, written with digits of base 64, most significant first:
 *
 *         now   ..., 0,  7, 12, 40        the highest digit in which they differ names the level,
 *         due   ..., 0,  7, 13,  5        due's digit there is the slot: level 1, slot 13
 *
 *     start    O(1)        a slot's list, after the highest bit that differs
 *     stop     O(1)        out of a doubly linked list of ids
 *     advance  O(1) for each timer that fires, and O(1) for each of the at most 10 levels it falls
 *     next     O(64)       the first slot in use behind now's digit, of the lowest level in use
 *     memory   24 bytes per id; nothing is allocated after open
 *
 * Scheme 7 of Varghese & Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987), with as many
 * levels as a 64-bit clock has digits.  Departures: slots are those of the absolute time, so that no
 * wheel has a position of its own; and a level without timers is not stepped through.
 *
 * Invariants, tested by check in this order:
 *  1. A running timer is due later than now, and lies where its due tick says.
 *  2. Every list is linked both ways.
 *  3. `running` and `counts` are the numbers of running timers, in all and on each level.
 *
 * Compile it with `cc -O2 -shared -fPIC -I PREFIX/include/twbench -o wheel.so wheel.c`.
 */
#include "backend.h"

#include <stdlib.h>

#define DIGIT_BITS 6
#define SLOTS      64u
#define LEVELS     11u /* 11 digits of 6 bits hold 64 */
#define LISTS      (LEVELS * SLOTS + 1)
#define DUE_LIST   (LEVELS * SLOTS) /* those that fire on the tick being processed */
#define NOBODY     UINT32_MAX
#define IDLE       UINT32_MAX

static const struct tw_param wheel_params[] = {{NULL, NULL, 0, 0, 0}};

struct node {
    tw_tick due;
    tw_id next, previous; /* in its list; NOBODY at its ends */
    uint32_t list;        /* IDLE when it does not run */
};

struct tw_timers {
    tw_tick now;
    uint32_t capacity, running;
    uint32_t counts[LEVELS];
    tw_id heads[LISTS];
    struct node *nodes;
    TW_WORK_FIELD
};

static unsigned digit_of(tw_tick tick, unsigned level)
{
    return (unsigned)(tick >> (level * DIGIT_BITS)) & (SLOTS - 1);
}

/* The list for a due tick that is not now. */
static uint32_t list_for(tw_tick due, tw_tick now)
{
    unsigned highest = 63u - (unsigned)__builtin_clzll(due ^ now);
    unsigned level = highest / DIGIT_BITS;
    return level * SLOTS + digit_of(due, level);
}

static void node_link(struct tw_timers *timers, tw_id id, uint32_t list)
{
    struct node *node = &timers->nodes[id];
    node->list = list;
    node->previous = NOBODY;
    node->next = timers->heads[list];
    if (node->next != NOBODY)
        timers->nodes[node->next].previous = id;
    timers->heads[list] = id;
    if (list != DUE_LIST)
        timers->counts[list / SLOTS]++;
    TW_COUNT(timers, link_writes, 3);
}

static void node_unlink(struct tw_timers *timers, tw_id id)
{
    struct node *node = &timers->nodes[id];
    if (node->previous != NOBODY)
        timers->nodes[node->previous].next = node->next;
    else
        timers->heads[node->list] = node->next;
    if (node->next != NOBODY)
        timers->nodes[node->next].previous = node->previous;
    if (node->list != DUE_LIST)
        timers->counts[node->list / SLOTS]--;
    node->list = IDLE;
    TW_COUNT(timers, link_writes, 2);
}

/* ---- Open and close -------------------------------------------------------------------------- */

static int wheel_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = params_check(wheel_params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = calloc(1, sizeof *timers);
    struct node *nodes = malloc(config->capacity * sizeof *nodes);
    if (!timers || !nodes) {
        free(timers);
        free(nodes);
        return params_no_memory(error, config->capacity * sizeof *nodes);
    }
    timers->now = config->now;
    timers->capacity = config->capacity;
    timers->nodes = nodes;
    for (uint32_t list = 0; list < LISTS; list++)
        timers->heads[list] = NOBODY;
    for (tw_id id = 0; id < config->capacity; id++)
        nodes[id] = (struct node){0, NOBODY, NOBODY, IDLE};
    *out = timers;
    return TW_OK;
}

static void wheel_close(struct tw_timers *timers)
{
    free(timers->nodes);
    free(timers);
}

/* ---- Start, stop, advance -------------------------------------------------------------------- */

static int wheel_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->nodes[id].list == IDLE)
        return TW_IDLE;
    node_unlink(timers, id);
    timers->running--;
    return TW_OK;
}

static int wheel_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (timers->now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE; /* there is no next tick */
    bool was_running = wheel_stop(timers, id) == TW_OK;
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    timers->nodes[id].due = due;
    node_link(timers, id, list_for(due, timers->now));
    timers->running++;
    return was_running ? TW_REARMED : TW_OK;
}

/* The lowest level with timers; LEVELS when nothing runs.  Whatever is due first lies there, in the
 * first list in use behind now's digit. */
static unsigned lowest_level(const struct tw_timers *timers)
{
    unsigned level = 0;
    while (level < LEVELS && timers->counts[level] == 0)
        level++;
    return level;
}

static uint32_t first_list(const struct tw_timers *timers, unsigned level)
{
    uint32_t list = level * SLOTS + digit_of(timers->now, level) + 1;
    while (timers->heads[list] == NOBODY)
        list++;
    return list;
}

/* The tick on which the slot begins: now, with the slot's digit, and zeros behind it. */
static tw_tick list_begins(const struct tw_timers *timers, uint32_t list)
{
    unsigned shift = list / SLOTS * DIGIT_BITS;
    tw_tick begin = timers->now >> shift;
    return ((begin & ~(tw_tick)(SLOTS - 1)) | list % SLOTS) << shift;
}

/* The clock has come to the slot: what is due now is set aside, the rest falls to lower levels. */
static void list_cascade(struct tw_timers *timers, uint32_t list)
{
    TW_COUNT(timers, cascades, list >= SLOTS);
    while (timers->heads[list] != NOBODY) {
        tw_id id = timers->heads[list];
        tw_tick due = timers->nodes[id].due;
        node_unlink(timers, id);
        node_link(timers, id, due == timers->now ? DUE_LIST : list_for(due, timers->now));
        TW_COUNT(timers, moves, 1);
    }
}

/* The head is taken again after every callback, which may have stopped any of them. */
static void wheel_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->running > 0 && to > timers->now) {
        uint32_t list = first_list(timers, lowest_level(timers));
        if (list_begins(timers, list) > to)
            break;
        timers->now = list_begins(timers, list);
        list_cascade(timers, list);
        while (timers->heads[DUE_LIST] != NOBODY) {
            tw_id id = timers->heads[DUE_LIST];
            wheel_stop(timers, id);
            expire(ctx, id, timers->now);
        }
    }
    if (to > timers->now)
        timers->now = to;
}

/* ---- What can be asked ----------------------------------------------------------------------- */

/* On a higher level nobody may be due when the slot begins: a lower bound. */
static tw_tick wheel_next(const struct tw_timers *timers)
{
    if (timers->running == 0)
        return TW_NEVER;
    return list_begins(timers, first_list(timers, lowest_level(timers)));
}

static void wheel_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t list = 0; list < DUE_LIST; list++)
        for (tw_id id = timers->heads[list]; id != NOBODY; id = timers->nodes[id].next)
            visit(ctx, &(struct tw_view){id, timers->nodes[id].due, list / SLOTS, list % SLOTS, 0});
}

static const char *check_list(const struct tw_timers *timers, uint32_t list, uint32_t *count)
{
    tw_id previous = NOBODY;
    for (tw_id id = timers->heads[list]; id != NOBODY; id = timers->nodes[id].next) {
        const struct node *node = &timers->nodes[id];
        if (node->due <= timers->now || node->list != list ||
            list_for(node->due, timers->now) != list)
            return "a timer does not lie where its due tick says";
        if (node->previous != previous || ++*count > timers->capacity)
            return "a list is not linked both ways";
        previous = id;
    }
    return NULL;
}

static const char *wheel_check(const struct tw_timers *timers)
{
    uint32_t running = 0;
    for (unsigned level = 0; level < LEVELS; level++) {
        uint32_t count = 0;
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            const char *broken = check_list(timers, level * SLOTS + slot, &count);
            if (broken)
                return broken;
        }
        if (count != timers->counts[level])
            return "the number of timers on a level is wrong";
        running += count;
    }
    return running == timers->running ? NULL : "the number of running timers is wrong";
}

static struct tw_footprint wheel_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){.fixed_bytes = sizeof *timers,
                                 .capacity_bytes = timers->capacity * sizeof *timers->nodes};
}

static void wheel_describe(const struct tw_timers *timers, struct tw_description *out)
{
    (void)timers;
    *out = (struct tw_description){.span = TW_DEADLINE_MAX};
}

static const struct tw_work *wheel_work(const struct tw_timers *timers)
{
    (void)timers; /* the timed object has no counters to show */
    return TW_WORK_OF(timers);
}

const struct tw_backend TW_BACKEND(wheel) = {
    .abi_version = TW_ABI_VERSION,
    .name = "wheel",
    .summary = "a hierarchical wheel of 11 levels for all 64 bits",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_1}},
    .params = wheel_params,
    .open = wheel_open,
    .close = wheel_close,
    .start = wheel_start,
    .stop = wheel_stop,
    .advance = wheel_advance,
    .next = wheel_next,
    .visit = wheel_visit,
    .check = wheel_check,
    .footprint = wheel_footprint,
    .describe = wheel_describe,
    .work = wheel_work,
};

/* How the plugin is found: its table, and once more where it would count (docs/PLUGINS.md). */
TW_PLUGIN(TW_BACKEND(wheel), TW_BACKEND(wheel));
