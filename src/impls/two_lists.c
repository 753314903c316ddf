/*
 * two_lists.c - a short and a long list, both unsorted: the TimerQueue of .NET.
 *
 *     now = 100          threshold = 433                         wake = 112: nobody is due before it
 *
 *       short   head <-> 130 <-> 112 <-> 400 <-> head            due before the threshold, in the order of starts
 *       long    head <-> 9000 <-> 500 <-> head                   the rest
 *
 *     When the clock comes to `wake`, the whole short list is looked through; past the threshold, that is moved on
 *     and the long list is looked through as well.
 *
 *             average     worst
 *     start   O(1)        O(1)
 *     stop    O(1)        O(1)     an unlink; `wake` stays, and is a wake-up for nothing then
 *     advance O(n)        O(n)     per expired timer: all short ones are looked at; past the threshold all long ones
 *     tick    O(1)        O(n)     nothing is due: one comparison; at a wake-up for nothing all
 *     next    O(1)        O(1)     a bound
 *
 * Memory: 16 bytes per id, all taken at open.
 *
 * Invariants, in the order in which two_lists_check tests them (between calls):
 *   1. Each list is a ring: forward and back links agree and lead to running timers.
 *   2. Nothing waits to fire.
 *   3. Short timers are due before the threshold and long ones are not; nobody is due on a processed tick.
 *   4. Nobody is due before `wake`, and it is still to come.
 *   5. The lists hold as many timers as run, and no others are marked as running.
 *
 * The source is TimerQueue of System.Threading (.NET 5 and later: _shortTimers, _longTimers, _currentAbsoluteThreshold;
 * 333 ms).  It rests on what it says of its users: most timers are stopped before they fire, so that a start and
 * a stop have to be cheap and a look through all may be dear.  Departures: links are 32-bit indices; what is due is
 * first collected and then fired, because callbacks run here and not in a thread pool; and the earliest
 * of the long list is kept between two looks, where .NET wakes up at the threshold once the short list is empty.
 *
 * It loses wherever timers fire.  With n short timers that fire and start again each expiry looks at n, where a
 * list sorted by deadline looks at one.
 */
#include "design.h"
#include "links.h"

/* Of .NET, at ticks of a millisecond. */
#define SHORT_DEFAULT 333u

static const struct tw_param two_lists_params[] = {
    {"short", "timers due within this many ticks go to the short list (default: 333, as in .NET)",
     1, UINT64_C(1) << 62, 1},
    {NULL, NULL, 0, 0, 0},
};

/* Their heads stand behind the timers. */
enum list { SHORT, LONG, DUE, LISTS };

struct tw_timers {
    struct link *links; /* timers, then the heads of the lists */
    tw_tick *dues;      /* of running timers */
    tw_tick now;
    tw_tick to; /* what the advance under way goes to; else now */
    tw_tick threshold;
    tw_tick wake;      /* nobody is due before it */
    tw_tick long_wake; /* nobody long is */
    tw_tick part;      /* the setting */
    uint32_t capacity, running;
    TW_WORK_FIELD
};

#include "wheel.h"

static inline uint32_t head_of(const struct tw_timers *timers, enum list list)
{
    return timers->capacity + list;
}

/* So many ticks later, or the end of time. */
static inline tw_tick tick_after(tw_tick tick, tw_tick ticks)
{
    return tick < TW_NEVER - ticks ? tick + ticks : TW_NEVER;
}

/* Links a timer that is in no list into the one it belongs to, and wakes up for it. */
static inline void timer_place(struct tw_timers *timers, tw_id id, tw_tick due)
{
    bool is_short = due < timers->threshold;
    enum list list = due <= timers->to ? DUE : is_short ? SHORT : LONG;
    if (list == LONG && due < timers->long_wake)
        timers->long_wake = due;
    if (list != DUE && due < timers->wake)
        timers->wake = due;
    links_append(timers->links, head_of(timers, list), id);
    TW_COUNT(timers, comparisons, 2);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    timers->dues[id] = due;
    timer_place(timers, id, due);
}

/* Looks through a list: takes out what is due by `to` and, of the long one, what is short by now.  Answers the earliest
 * due tick of the rest. */
static tw_tick list_sweep(struct tw_timers *timers, enum list list)
{
    struct link *links = timers->links;
    tw_tick earliest = TW_NEVER;
    uint32_t head = head_of(timers, list);
    for (uint32_t id = links[head].next, next; id != head; id = next) {
        next = links[id].next;
        tw_tick due = timers->dues[id];
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (due <= timers->to || (list == LONG && due < timers->threshold)) {
            links_remove(links, id);
            timer_place(timers, id, due);
            TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
            TW_COUNT(timers, moves, 1);
        } else if (due < earliest) {
            earliest = due;
        }
    }
    return earliest;
}

/* Fires what waits; a callback may stop any of it, and what it starts for a tick by `to` waits behind the rest. */
static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    uint32_t head = head_of(timers, DUE);
    for (uint32_t id; (id = links[head].next) != head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        timers->now = timers->dues[id];
        expire(ctx, id, timers->now);
    }
}

/* Looks through the short list and, past the threshold, the long one first. */
__attribute__((noinline)) static void two_lists_wake(struct tw_timers *timers, tw_expire_fn *expire,
                                                     void *ctx)
{
    if (timers->to >= timers->threshold) {
        timers->threshold = tick_after(timers->to, timers->part);
        timers->long_wake = list_sweep(timers, LONG);
    }
    tw_tick earliest = list_sweep(timers, SHORT);
    timers->wake = earliest < timers->long_wake ? earliest : timers->long_wake;
    due_fire(timers, expire, ctx);
}

static void two_lists_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    TW_COUNT(timers, comparisons, 1);
    timers->to = to;
    if (timers->wake <= to)
        two_lists_wake(timers, expire, ctx);
    timers->now = to;
}

LINKS_AND_DUES(two_lists, timers->capacity, LISTS);

static int two_lists_open(struct tw_timers **out, const struct tw_config *config,
                          struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, two_lists_params, config, error);
    if (status != TW_OK)
        return status;
    timers->part = setting_of(config, "short", SHORT_DEFAULT);
    timers->capacity = config->capacity;
    timers->now = timers->to = config->now;
    timers->threshold = tick_after(config->now, timers->part);
    timers->wake = timers->long_wake = TW_NEVER;
    return open_end(out, timers, two_lists_allocate(timers), two_lists_footprint, two_lists_close,
                    error);
}

static tw_tick two_lists_next(const struct tw_timers *timers)
{
    return timers->running > 0 ? timers->wake : TW_NEVER;
}

static void two_lists_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (enum list list = SHORT; list < DUE; list = (enum list)(list + 1)) {
        uint32_t place = 0, head = head_of(timers, list);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            struct tw_view view = {
                .id = id, .deadline = timers->dues[id], .level = list, .slot = place++};
            visit(ctx, &view);
        }
    }
}

/* Invariants 3 and 4 of a list that is a sound ring. */
static const char *deadlines_check(const struct tw_timers *timers, enum list list)
{
    uint32_t head = head_of(timers, list);
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        tw_tick due = timers->dues[id];
        if ((due < timers->threshold) != (list == SHORT))
            return "a timer is in the list of the others";
        if (due <= timers->now || due < timers->wake || (list == LONG && due < timers->long_wake))
            return "a timer is due on a processed tick, or before the clock is waited for";
    }
    return NULL;
}

static const char *two_lists_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken =
        links_check_all(timers->links, timers->capacity, timers->capacity + LISTS, &held);
    if (!broken && !links_is_empty(timers->links, head_of(timers, DUE)))
        broken = "a timer still waits to fire";
    for (enum list list = SHORT; !broken && list < DUE; list = (enum list)(list + 1))
        broken = deadlines_check(timers, list);
    if (!broken && timers->running > 0 && timers->wake <= timers->now)
        broken = "the clock is waited for at a tick that has passed";
    return links_check_held(timers->links, timers->capacity, held, timers->running, broken);
}

static void two_lists_describe(const struct tw_timers *timers, struct tw_description *out)
{
    describe_one(out, TW_DEADLINE_MAX, "short", timers->part);
}

TW_TELL_WORK(two_lists);
const struct tw_backend TW_BACKEND(two_lists) = {
    .abi_version = TW_ABI_VERSION,
    .name = "two-lists",
    .summary = "a short and a long list, both unsorted (TimerQueue of .NET)",
    .traits = {.flags = TW_TICKLESS,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_N, TW_O_N},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(two_lists, wheel),
};
