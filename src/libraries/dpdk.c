/*
 * dpdk.c - rte_timer of DPDK: a skip list of ten levels, one for each core (lib/timer/rte_timer.c).
 *
 *     level 2   head ----------------------> 7 ----------------------------> nil
 *     level 1   head -----------> 5 -------> 7 -----------> 9 ------------> nil
 *     level 0   head --> 3 -----> 5 --> 6 -> 7 --> 9' ----> 9 ---> 12 ----> nil
 *
 *     START    rte_timer_alt_reset: timer_add finds the place from the top level down; the height is
 *              drawn with rte_rand, a quarter of the timers on each next level.  A timer that runs is
 *              taken out first, by timer_del
 *     STOP     rte_timer_alt_stop: timer_del searches for the timer by its deadline and, where many
 *              have the same one, along all of these on every level
 *     TICK     rte_timer_alt_manage: one look at the clock and one comparison with the earliest
 *     EXPIRY   what is due is cut off the front of the list as a whole, marked as running, and then
 *              called one by one
 *
 *             average     worst
 *     start   O(log n)    O(n)     worst: all with one deadline, or unlucky levels
 *     stop    O(log n)    O(n)     the same
 *     advance O(1)        O(1)     per expired timer, and O(log n) once for the cut
 *     next    O(1)        O(1)     of one instance in a process; O(capacity) of others
 *
 * rte_timer_alt_* and not rte_timer_*, because an instance of the contract is apart from others:
 * these take the number of the lists to use (rte_timer_data_alloc), as DPDK's own event adapter does.
 * Number 0 is the lists of rte_timer_*; the first instance in a process has it.
 *
 * What a deadline is.  rte_timer counts the processor's time-stamp counter, here a virtual one: the
 * RDTSC in its functions is answered (rdtsc.h).  The instruction itself is still executed, so that the
 * figure includes it; `rdtsc=0` leaves it out, which shows what it costs.  A tick is `cycles` of the
 * virtual counter, which goes on by one with each start, so that timers for the same tick have
 * different deadlines, as on a real counter; with cycles=1 they are all equal, and stop becomes a
 * search through them.  Fires on the tick, exactly; a start farther off than the span, a quarter of
 * 2^63 cycles, is refused.
 *
 * A callback may reset and stop its own timer and those that wait, but not those that were cut off
 * with it (state RUNNING): the library refuses, and a DPDK program remembers that it did not want
 * them any more.  So does this one: `due` says whether a callback that comes still stands.
 *
 * What is included.  One RDTSC for each start and each advance with timers running, one atomic
 * exchange for each start, stop and expiry and two stores that unlock; no system call, no allocation.
 * What is not: rte_eal_init, once per process, which stands in docs/LIBRARIES.md.
 *
 * Memory: 128 bytes per id, of which 120 are struct rte_timer with its ten links; all taken at open.
 *
 * Invariants, in the order in which dpdk_check tests them:
 *   1. A timer is pending in the library's eyes if and only if it has a due tick.
 *   2. No due tick is processed, and each is where the deadline in the library says.
 *   3. As many timers have a due tick as are said to run.
 */
#include "impls/backend.h"
#include "rdtsc.h"

#include <errno.h>
#include <pthread.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_memzone.h>
#include <rte_random.h>
#include <rte_timer.h>
#include <sched.h>
#include <stdlib.h>

#define DPDK_LINE 64u
/* The lists of rte_timer_*, which alone can be asked for the next deadline. */
#define DPDK_DEFAULT_LISTS 0u
/* Says in the whole process that they are taken: a name in DPDK's own register of memory. */
#define DPDK_DEFAULT_TAKEN "twbench_default_lists"
/* As many starts on one tick have deadlines of their own. */
#define DPDK_CYCLES     (UINT64_C(1) << 20)
#define DPDK_CYCLES_MAX (UINT64_C(1) << 32)

/* A tick of more cycles leaves less reach than programs have long delays. */
static const struct tw_param dpdk_params[] = {
    {"cycles",
     "of the virtual time-stamp counter in a tick (default: 2^20, less for a far horizon)", 1,
     DPDK_CYCLES_MAX, 1},
    {"rdtsc", "0: the counter is not read, only answered (default: 1, read as in use)", 0, 1, 1},
    {NULL, NULL, 0, 0, 0},
};

/* A program has its timer in an object of its own; this is the whole object. */
struct dpdk_node {
    struct rte_timer timer; /* first, so that the library's pointer is ours */
    tw_tick due;            /* TW_NEVER when idle */
};

struct tw_timers {
    struct dpdk_node *nodes; /* by id */
    uint64_t *counter;       /* what the library's RDTSC says */
    uint64_t cycles;         /* of a tick */
    uint64_t starts;         /* so far, which tells their deadlines apart */
    tw_tick base;            /* the tick on which the counter is 0 */
    tw_tick span;            /* most ticks from base to now, and from now to a deadline */
    tw_tick now;
    tw_tick to; /* of the advance under way; else now */
    tw_expire_fn *expire;
    void *ctx;
    uint32_t lists;
    uint32_t capacity;
    uint32_t running;
    bool again; /* a callback started something for this very advance */
    bool keeps_rdtsc;
    TW_WORK_FIELD
};

/* ---- The environment, once per process -------------------------------------------------------- */

static int dpdk_refuse(struct tw_error *error, const char *what, int number)
{
    snprintf(error->text, sizeof error->text, "DPDK: %s: %s", what, rte_strerror(number));
    return TW_BAD_SETTING;
}

/* On ordinary memory, without devices, files and telemetry, one core: the processor at hand.  EAL ties the
 * thread to it; how the thread was tied before is the caller's affair, and is restored. */
static int dpdk_environment(struct tw_error *error)
{
    cpu_set_t before;
    char core[32];
    char *arguments[] = {"twbench",     "--no-huge", "--no-pci", "--no-telemetry",
                         "--no-shconf", "-m",        "16",       "--log-level=*:emerg",
                         core,          NULL};
    if (rte_lcore_count() == 0) {
        snprintf(core, sizeof core, "--lcores=0@%d", sched_getcpu());
        pthread_getaffinity_np(pthread_self(), sizeof before, &before);
        int status = rte_eal_init((int)(sizeof arguments / sizeof arguments[0]) - 1, arguments);
        pthread_setaffinity_np(pthread_self(), sizeof before, &before);
        if (status < 0)
            return dpdk_refuse(error, "rte_eal_init", rte_errno);
    }
    if (rte_lcore_id() == LCORE_ID_ANY && rte_thread_register() != 0)
        return dpdk_refuse(error, "rte_thread_register", rte_errno);
    int status = rte_timer_subsystem_init();
    if (status != 0 && status != -EALREADY)
        return dpdk_refuse(error, "rte_timer_subsystem_init", -status);
    return TW_OK;
}

/* Lists of its own for each instance; the first one gets those that can tell the next deadline. */
static int dpdk_take_lists(uint32_t *lists, struct tw_error *error)
{
    if (rte_memzone_reserve(DPDK_DEFAULT_TAKEN, 1, SOCKET_ID_ANY, 0)) {
        *lists = DPDK_DEFAULT_LISTS;
        return TW_OK;
    }
    int status = rte_timer_data_alloc(lists);
    return status == 0 ? TW_OK : dpdk_refuse(error, "rte_timer_data_alloc", -status);
}

static void dpdk_give_lists(uint32_t lists)
{
    if (lists == DPDK_DEFAULT_LISTS)
        rte_memzone_free(rte_memzone_lookup(DPDK_DEFAULT_TAKEN));
    else
        rte_timer_data_dealloc(lists);
}

/* The three functions of the library that read the counter. */
static int dpdk_answer(struct tw_timers *timers, struct tw_error *error)
{
    void (*const functions[])(void) = {(void (*)(void))rte_timer_alt_reset,
                                       (void (*)(void))rte_timer_alt_manage,
                                       (void (*)(void))rte_timer_next_ticks};
    timers->counter = rdtsc_clock(functions[0], error);
    int status = timers->counter ? TW_OK : TW_BAD_SETTING;
    for (size_t i = 0; status == TW_OK && i < sizeof functions / sizeof functions[0]; i++)
        status = rdtsc_answer(functions[i], timers->counter, timers->keeps_rdtsc, error);
    return status;
}

/* ---- Ticks and cycles ------------------------------------------------------------------------- */

/* What the counter says on that tick, when the library is asked what is due: the tick's last cycle. */
static uint64_t dpdk_cycles_at(const struct tw_timers *timers, tw_tick tick)
{
    return (tick - timers->base) * timers->cycles;
}

static tw_tick dpdk_tick_of(const struct tw_timers *timers, uint64_t cycles)
{
    return timers->base + (cycles + timers->cycles - 1) / timers->cycles;
}

/* Other instances set the counter too, so it is set before each call. */
static int dpdk_reset(struct tw_timers *timers, struct dpdk_node *node, tw_tick due)
{
    uint64_t early = timers->starts++ % timers->cycles;
    uint64_t deadline = dpdk_cycles_at(timers, due) - (timers->cycles - 1) + early;
    uint64_t counter = dpdk_cycles_at(timers, timers->to);
    *timers->counter = counter;
    TW_COUNT(timers, clock_reads, 1);
    return rte_timer_alt_reset(timers->lists, &node->timer, deadline - counter, SINGLE,
                               rte_lcore_id(), NULL, timers);
}

/* ---- Open and close --------------------------------------------------------------------------- */

static void dpdk_close(struct tw_timers *timers)
{
    unsigned core = rte_lcore_id();
    rte_timer_stop_all(timers->lists, &core, 1, NULL, NULL);
    dpdk_give_lists(timers->lists);
    free(timers->nodes);
    free(timers);
}

static bool dpdk_allocate(struct tw_timers *timers)
{
    timers->nodes = aligned_alloc(DPDK_LINE, timers->capacity * sizeof *timers->nodes);
    if (!timers->nodes)
        return false;
    for (tw_id id = 0; id < timers->capacity; id++) {
        rte_timer_init(&timers->nodes[id].timer);
        timers->nodes[id].due = TW_NEVER;
    }
    return true;
}

/* The count of cycles stays below 2^63, because rte_timer_next_ticks tells a distance with a sign. */
static void dpdk_set_reach(struct tw_timers *timers, const struct tw_config *config)
{
    const struct tw_setting *cycles = params_find(config, "cycles");
    timers->cycles = cycles ? cycles->values[0] : DPDK_CYCLES;
    while (!cycles && timers->cycles > 1 && config->horizon > INT64_MAX / timers->cycles / 4)
        timers->cycles /= 2;
    timers->span = INT64_MAX / timers->cycles / 2 - 1;
}

static struct tw_footprint dpdk_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers,
        .capacity_bytes = (uint64_t)timers->capacity * sizeof *timers->nodes,
    };
}

static int dpdk_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(dpdk_params, config, error);
    if (status == TW_OK)
        status = dpdk_environment(error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = calloc(1, sizeof *timers);
    if (!timers)
        return params_no_memory(error, sizeof *timers);
    const struct tw_setting *rdtsc = params_find(config, "rdtsc");
    timers->keeps_rdtsc = !rdtsc || rdtsc->values[0];
    timers->capacity = config->capacity;
    timers->base = timers->now = timers->to = config->now;
    dpdk_set_reach(timers, config);
    status = dpdk_answer(timers, error);
    if (status == TW_OK && !dpdk_allocate(timers))
        status = params_no_memory(error, dpdk_footprint(timers).capacity_bytes);
    if (status == TW_OK)
        status = dpdk_take_lists(&timers->lists, error);
    if (status != TW_OK) {
        free(timers->nodes);
        free(timers);
        return status;
    }
    rte_srand(1); /* the levels of every run are the same */
    *out = timers;
    return TW_OK;
}

/* ---- Start and stop --------------------------------------------------------------------------- */

/* A timer that was cut off for this very advance cannot be reset by another's callback: its own callback
 * will do it, which is still to come. */
static int dpdk_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    struct dpdk_node *node = &timers->nodes[id];
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    bool was_running = node->due != TW_NEVER;
    if (due > TW_DEADLINE_MAX || due == 0 || due - timers->now > timers->span)
        return TW_REFUSED_RANGE; /* too far, or the clock is at its end, where no tick follows */
    node->due = due;
    timers->running += !was_running;
    timers->again |= due <= timers->to;
    dpdk_reset(timers, node, due);
    return was_running ? TW_REARMED : TW_OK;
}

/* Here the callback that is still to come finds nothing to do. */
static int dpdk_stop(struct tw_timers *timers, tw_id id)
{
    struct dpdk_node *node = &timers->nodes[id];
    if (node->due == TW_NEVER)
        return TW_IDLE;
    node->due = TW_NEVER;
    timers->running--;
    rte_timer_alt_stop(timers->lists, &node->timer);
    return TW_OK;
}

/* ---- Advance ---------------------------------------------------------------------------------- */

/* Called by the library for each timer that it has cut off. */
static void dpdk_fire(struct rte_timer *timer)
{
    struct dpdk_node *node = (struct dpdk_node *)timer;
    struct tw_timers *timers = timer->arg;
    tw_tick due = node->due;
    if (due == TW_NEVER)
        return; /* stopped since */
    if (due > timers->to) {
        dpdk_reset(timers, node, due); /* started anew since, and only now it can be */
        return;
    }
    node->due = TW_NEVER;
    timers->running--;
    timers->now = due;
    timers->expire(timers->ctx, (tw_id)(node - timers->nodes), due);
}

/* The clock is moved within the reach of the count. */
static void dpdk_run(struct tw_timers *timers, tw_tick to)
{
    timers->to = to;
    do {
        timers->again = false;
        *timers->counter = dpdk_cycles_at(timers, to);
        TW_COUNT(timers, clock_reads, timers->running > 0);
        rte_timer_alt_manage(timers->lists, NULL, 0, dpdk_fire);
    } while (timers->again);
    timers->now = to;
}

/* The counter begins at 0 again; what is pending moves with it. */
static void dpdk_move_base(struct tw_timers *timers)
{
    timers->base = timers->now;
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->nodes[id].due != TW_NEVER)
            rte_timer_alt_stop(timers->lists, &timers->nodes[id].timer);
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->nodes[id].due != TW_NEVER)
            dpdk_reset(timers, &timers->nodes[id], timers->nodes[id].due);
}

/* A jump longer than the library can count is made in parts: after the first nothing runs, unless
 * callbacks started it. */
static void dpdk_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    timers->expire = expire;
    timers->ctx = ctx;
    while (to - timers->base > timers->span && timers->running > 0) {
        dpdk_run(timers, timers->base + timers->span);
        dpdk_move_base(timers);
    }
    if (to - timers->base > timers->span)
        timers->base = to;
    dpdk_run(timers, to);
}

/* ---- What can be asked ------------------------------------------------------------------------ */

static tw_tick dpdk_next(const struct tw_timers *timers)
{
    tw_tick next = TW_NEVER;
    if (timers->running == 0)
        return TW_NEVER;
    if (timers->lists == DPDK_DEFAULT_LISTS) {
        uint64_t now = dpdk_cycles_at(timers, timers->now);
        *timers->counter = now;
        return dpdk_tick_of(timers, now + (uint64_t)rte_timer_next_ticks());
    }
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->nodes[id].due < next)
            next = timers->nodes[id].due;
    return next;
}

static void dpdk_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->nodes[id].due != TW_NEVER)
            visit(ctx, &(struct tw_view){.id = id, .deadline = timers->nodes[id].due});
}

static const char *dpdk_check(const struct tw_timers *timers)
{
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++) {
        struct dpdk_node *node = &timers->nodes[id];
        if (rte_timer_pending(&node->timer) != (node->due != TW_NEVER))
            return "the library's state of a timer is not whether it runs";
        if (node->due == TW_NEVER)
            continue;
        if (node->due <= timers->now || dpdk_tick_of(timers, node->timer.expire) != node->due)
            return "a timer is due on a processed tick, or elsewhere than the library has it";
        running++;
    }
    return running == timers->running ? NULL : "the number of running timers is wrong";
}

static void dpdk_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = timers->span,
        .setting_count = 2,
        .settings = {{.name = "cycles", .count = 1, .values = {timers->cycles}},
                     {.name = "rdtsc", .count = 1, .values = {timers->keeps_rdtsc}}},
    };
}

static const struct tw_work *dpdk_work(const struct tw_timers *timers)
{
    (void)timers; /* the timed object has no counters to show */
    return TW_WORK_OF(timers);
}

const struct tw_backend TW_BACKEND(dpdk) = {
    .abi_version = TW_ABI_VERSION,
    .name = "dpdk",
    .summary = "DPDK rte_timer: skip list, counter answered",
    .traits = {.flags = TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_LOG_N, TW_O_N},
               .stop = {TW_O_LOG_N, TW_O_N},
               .expire = {TW_O_1, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    .params = dpdk_params,
    .open = dpdk_open,
    .close = dpdk_close,
    .start = dpdk_start,
    .stop = dpdk_stop,
    .advance = dpdk_advance,
    .next = dpdk_next,
    .visit = dpdk_visit,
    .check = dpdk_check,
    .footprint = dpdk_footprint,
    .describe = dpdk_describe,
    .work = dpdk_work,
};
