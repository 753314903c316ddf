/* race_random.c - draws a service from a seed, and lets callers, tasks and shut race in it. */
#include "labs/live/race/race_service.h"

#include "harness/base/rng.h"
#include "harness/base/text.h"
#include "labs/live/runners/moment.h"
#include "labs/live/runners/opening.h"

/* Starts and stops of one service. */
#define OPERATIONS 20000u
/* Accounts on top of them, for timers that tasks start. */
#define EXTRA 6000u
/* Periodic timers of one caller. */
#define PERIODIC_MAX 16u
/* Streams of the seed: 0 the plan, then one for each caller. */
#define STREAM_PLAN 0

/* ---- The plan. -------------------------------------------------------------------------------- */

/* Half of the runner's settings, each at most 63 above its least value, small ones as likely as large. */
static void plan_settings(struct race_plan *plan, const struct tw_runner *runner, struct rng *rng)
{
    for (const struct tw_param *param = runner->params; param->name; param++) {
        uint64_t draw = rng_next(rng), span = param->max - param->min;
        uint64_t bits = span > 0 ? 64 - (uint64_t)__builtin_clzll(span) : 0;
        uint64_t mask = (UINT64_C(1) << rng_below(rng, (bits < 6 ? bits : 6) + 1)) - 1;
        uint64_t value = param->min + (draw & mask);
        if (draw >> 63 == 0 || plan->setting_count == RACE_SETTINGS_MAX)
            continue;
        plan->settings[plan->setting_count++] = (struct tw_setting){
            .name = param->name, .count = 1, .values = {value < param->max ? value : param->max}};
    }
}

void race_plan_make(struct race_plan *plan, const struct tw_runner *runner,
                    const struct race_options *options, uint64_t seed)
{
    static const uint64_t ticks[] = {20 * US, 100 * US, MS, 33333};
    struct rng rng;
    rng_seed(&rng, seed, STREAM_PLAN);
    *plan = (struct race_plan){.seed = seed};
    uint64_t draw = rng_next(&rng);
    plan->design =
        options->design_count > 0 ? options->designs[draw % options->design_count] : NULL;
    plan->tick_ns = ticks[rng_below(&rng, sizeof ticks / sizeof ticks[0])];
    plan->horizon_ns = rng_below(&rng, 4) == 0 ? 0 : 2 * FAR;
    plan->callers = 1 + (uint32_t)rng_below(&rng, options->threads);
    plan->runner_threads = (uint32_t)rng_below(&rng, 5);
    plan->operations = OPERATIONS / plan->callers;
    plan->capacity = OPERATIONS + EXTRA;
    if (rng_below(&rng, 3) == 0)
        plan->capacity = 1 + (uint32_t)rng_below(&rng, 64);
    plan->max_pending = rng_below(&rng, 3) == 0 ? 1 + (uint32_t)rng_below(&rng, plan->capacity) : 0;
    plan->far_in = 2 + (uint32_t)rng_below(&rng, 16);
    plan->periodic_in = 8 + (uint32_t)rng_below(&rng, 56);
    plan->near_ns = (20 * US) << rng_below(&rng, 8);
    plan->point_weight = (uint32_t)rng_below(&rng, 4);
    plan->shut_early = rng_below(&rng, 2) == 0;
    plan->shut_twice = rng_below(&rng, 4) == 0;
    plan_settings(plan, runner, &rng);
    if (options->setting_count > 0) {
        plan->setting_count = options->setting_count;
        memcpy(plan->settings, options->settings, options->setting_count * sizeof *plan->settings);
    }
}

void race_plan_words(const struct race_plan *plan, char *out, size_t size)
{
    struct text text = text_in(out, size);
    text_add(&text, "%s%s%sticks of %" PRIu64 " ns, %u callers, %u threads of the runner's%s",
             plan->design ? "over " : "", plan->design ? plan->design->name : "",
             plan->design ? ", " : "", plan->tick_ns, plan->callers, plan->runner_threads,
             plan->runner_threads == 0 ? " (its default)" : "");
    text_add(&text, ", %u places", plan->capacity);
    if (plan->max_pending > 0)
        text_add(&text, ", at most %u pending", plan->max_pending);
    for (size_t i = 0; i < plan->setting_count; i++)
        text_add(&text, ", %s=%" PRIu64, plan->settings[i].name, plan->settings[i].values[0]);
    text_add(&text, "%s%s", plan->shut_early ? ", shut while callers call" : "",
             plan->shut_twice ? ", shut by two threads" : "");
}

/* ---- The callers. ----------------------------------------------------------------------------- */

struct caller {
    struct race_service *service;
    const struct race_plan *plan;
    struct tw_seat *seat;
    struct rng rng;
    bool closed;                     /* a start answered so */
    uint32_t periodic[PERIODIC_MAX]; /* its periodic timers, the last ones */
    uint32_t periodic_count;
    pthread_t thread;
};

static enum race_deed deed_of(uint64_t draw, bool periodic)
{
    static const enum race_deed deeds[] = {DEED_FAIL,  DEED_FAIL,  DEED_FAIL, DEED_START,
                                           DEED_START, DEED_START, DEED_STOP, DEED_STOP,
                                           DEED_STOP,  DEED_SHUT,  DEED_SLEEP};
    if (draw % 64 < sizeof deeds / sizeof *deeds)
        return deeds[draw % 64];
    return periodic && draw % 3 == 0 ? DEED_STOP_SELF : DEED_NOTHING;
}

static void caller_start(struct caller *caller)
{
    const struct race_plan *plan = caller->plan;
    struct race_account *account = race_account(caller->service);
    if (!account)
        return;
    uint64_t draw = rng_next(&caller->rng), now = moment_now();
    uint64_t delay = rng_below(&caller->rng, plan->near_ns);
    bool far = draw % plan->far_in == 0;
    bool periodic =
        !far && (draw >> 8) % plan->periodic_in == 0 && caller->periodic_count < PERIODIC_MAX;
    account->due_ns = far ? now + FAR : (draw >> 16) % 16 == 0 ? now - delay : now + delay;
    if ((draw >> 20) % 256 == 0 && !far)
        account->due_ns = (draw >> 28) % 2;
    account->is_near = !far && !periodic;
    if (periodic) {
        account->repeat = (draw >> 32) % 2 ? TW_FIXED_RATE : TW_FIXED_DELAY;
        account->due_ns = now + delay;
        account->period_ns = 1 + rng_below(&caller->rng, MS) + 50 * US;
        caller->periodic[caller->periodic_count++] =
            (uint32_t)(account - caller->service->accounts);
    }
    account->deed = (uint32_t)deed_of(draw >> 40, periodic);
    if (account->deed == DEED_SLEEP)
        account->sleep_ns = (draw >> 46) % (100 * US);
    caller->closed = race_start(caller->service, caller->seat, account) == TW_RUN_CLOSED;
}

/* One of the last that anybody started, or of all there were; at times twice. */
static void caller_stop(struct caller *caller)
{
    uint64_t draw = rng_next(&caller->rng);
    uint32_t taken = atomic_load(&caller->service->next);
    if (taken > caller->service->account_count)
        taken = caller->service->account_count;
    uint32_t reach = draw % 4 == 0 || taken < 64 ? taken : 64;
    if (reach == 0)
        return;
    struct race_account *account =
        &caller->service->accounts[taken - 1 - (uint32_t)(draw >> 32) % reach];
    race_stop(caller->service, caller->seat, account);
    if ((draw >> 4) % 8 == 0)
        race_stop(caller->service, caller->seat, account);
}

/* Stops its periodic timers, and waits for all near ones of all, as an idle caller does. */
static void caller_drain(struct caller *caller)
{
    struct race_service *service = caller->service;
    for (uint32_t i = 0; i < caller->periodic_count && !race_is_over(service); i++)
        if (i % 8 != 0)
            race_stop(service, caller->seat, &service->accounts[caller->periodic[i]]);
    if (!caller->plan->shut_early)
        case_settle(service, caller->seat);
}

static void *caller_call(void *ctx)
{
    struct caller *caller = ctx;
    struct race_service *service = caller->service;
    caller->seat = race_enter(service);
    for (uint32_t i = 0;
         i < caller->plan->operations && !caller->closed && caller->seat && !race_is_over(service);
         i++) {
        uint64_t draw = rng_next(&caller->rng);
        if (draw % 16 < 9)
            caller_start(caller);
        else
            caller_stop(caller);
        if ((draw >> 8) % 64 == 0)
            race_wait(service, caller->seat, moment_now() + (draw >> 16) % (50 * US));
        if ((draw >> 32) % 1024 == 0)
            race_purge(service, caller->seat);
        if ((draw >> 42) % 256 == 0)
            service->runner->stats(service->service, &(struct tw_runner_stats){0});
        if ((draw >> 48) % 2048 == 0) {
            race_leave(service, caller->seat);
            caller->seat = race_enter(service);
        }
    }
    if (caller->seat && !race_is_over(service))
        caller_drain(caller);
    for (uint32_t i = 0; i < 100 && caller->closed && !race_is_over(service); i++)
        caller_stop(caller);
    race_leave(service, caller->seat);
    return NULL;
}

/* ---- The service. ----------------------------------------------------------------------------- */

static void *shut_too(void *ctx)
{
    struct race_service *service = ctx;
    struct tw_seat *seat = race_enter(service);
    if (!seat)
        return NULL;
    race_shut(service, seat);
    race_leave(service, seat);
    return NULL;
}

static void shut_by_plan(struct race_service *service, const struct race_plan *plan,
                         struct tw_seat *seat)
{
    pthread_t other;
    bool twice = plan->shut_twice && pthread_create(&other, NULL, shut_too, service) == 0;
    race_shut(service, seat);
    if (twice)
        pthread_join(other, NULL);
}

/* Callers up to where shut comes; then to their ends. */
static bool callers_play(struct race_service *service, const struct race_plan *plan,
                         struct tw_seat *seat)
{
    struct caller callers[RACE_THREADS_MAX] = {{0}};
    uint32_t made = 0;
    for (; made < plan->callers; made++) {
        struct caller *caller = &callers[made];
        *caller = (struct caller){.service = service, .plan = plan};
        rng_seed(&caller->rng, plan->seed, STREAM_PLAN + 1 + made);
        if (!case_thread(service, &caller->thread, caller_call, caller))
            break;
    }
    uint64_t part = race_mix(plan->seed, 5) % OPERATIONS, seen = 0, since = moment_now();
    while (plan->shut_early && atomic_load(&service->operations) < part && !race_is_over(service)) {
        race_wait(service, seat, moment_now() + 100 * US);
        uint64_t now_seen = atomic_load(&service->operations);
        if (now_seen != seen)
            since = moment_now();
        else if (moment_now() - since > 100 * MS)
            break; /* the callers came to their ends */
        seen = now_seen;
    }
    if (plan->shut_early && !race_is_over(service))
        shut_by_plan(service, plan, seat);
    for (uint32_t i = 0; i < made; i++)
        pthread_join(callers[i].thread, NULL);
    return !race_is_over(service);
}

void race_random(struct race_service *service, const struct race_plan *plan)
{
    const struct race_options *options = service->options;
    struct tw_runner_config config = {.design_settings = options->design_settings,
                                      .design_setting_count = options->design_setting_count,
                                      .horizon_ns = plan->horizon_ns,
                                      .tick_ns = plan->tick_ns,
                                      .threads = plan->runner_threads,
                                      .capacity = plan->capacity,
                                      .max_pending = plan->max_pending,
                                      .settings = plan->settings,
                                      .setting_count = plan->setting_count};
    service->design = plan->design;
    service->is_varied = options->setting_count == 0;
    service->seed = plan->seed;
    service->point_weight = plan->point_weight;
    /* Some designs have a slot for each tick that they reach; many of these would take the memory of the machine. */
    for (size_t i = 0; service->is_varied && i < plan->setting_count; i++)
        config.horizon_ns = plan->settings[i].values[0] > 1 ? 0 : config.horizon_ns;
    if (!race_open(service, &config, OPERATIONS + EXTRA))
        return;
    struct tw_seat *seat = race_enter(service);
    if (!seat || !callers_play(service, plan, seat))
        return;
    if (!plan->shut_early)
        shut_by_plan(service, plan, seat);
    case_close(service, seat);
}
