/* race_order.c - two callers with three calls each, in every order of their points, or every one with few switches. */
#include "labs/live/race/race_service.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "labs/live/runners/moment.h"

#include <sys/syscall.h>
#include <unistd.h>

/* So near that a design with a slot for each tick is opened in no time. */
#define ORDER_FAR (2000 * MS)
/* Places; one pair of scripts starts more. */
#define CAPACITY 5u
#define ACCOUNTS 16u
#define TICK_NS  (200 * US)
/* Points of one caller in a row, after which the other gets its turn: it may spin until that has gone on. */
#define IN_A_ROW 60u
/* Switches that are tried, if that is no more than four times ORDERS; more of them, up to all, while there are no more orders than
 * that; with ten times the operations there may be ten times as many. */
#define SWITCHES        2u
#define SWITCHES_MOST   12u
#define ORDERS          400u
#define ORDERS_THOROUGH 4000u
#define THOROUGH        3000000u
/* By the wall clock, for the orders of one pair of scripts: 10 s, a minute when there are ten times as many. */
#define PAIR_NS UINT64_C(10000000000)
/* One that is asleep for so many looks in a row waits for what the other has. */
#define LOOKS   4u
#define LOOK_NS (500 * US)

/* ---- Turns, at the points. --------------------------------------------------------------------- */

/* Stays at the point until it is its turn again. */
void race_turn_pass(struct race_turns *turns, uint32_t number)
{
    if (atomic_load(&turns->on) == 0 || number - turns->first >= 2)
        return;
    struct race_turn *turn = &turns->of[number - turns->first];
    pthread_mutex_lock(&turns->lock);
    turn->parked = true;
    pthread_cond_broadcast(&turns->changed);
    while (!turn->goes && atomic_load(&turns->on))
        pthread_cond_wait(&turns->changed, &turns->lock);
    turn->goes = false;
    turn->parked = false;
    pthread_mutex_unlock(&turns->lock);
}

/* ---- Scripts. ---------------------------------------------------------------------------------- */

/* f: starts a far timer; n: one that is due; o: stops its own first; x: the other's; p: the one that pended before;
 * c: shuts. */
static const char *const scripts[][2] = {{"fof", "fof"}, {"pfx", "pfx"}, {"fff", "fff"},
                                         {"npf", "fpn"}, {"ffc", "fxf"}, {"fpo", "nxf"}};

struct order_caller {
    struct race_service *service;
    const char *script;
    struct race_account *first, *shared; /* its first timer; the one that pended before */
    struct order_caller *other;
    struct race_turn *turn;
    struct tw_seat *seat;
    pthread_t thread;
    long tid;
};

static void call(struct order_caller *caller, char what)
{
    struct race_service *service = caller->service;
    struct race_account *account = what == 'o'   ? caller->first
                                   : what == 'x' ? caller->other->first
                                                 : caller->shared;
    if (what == 'c') {
        race_shut(service, caller->seat);
    } else if (what == 'f' || what == 'n') {
        account = race_account(service);
        account->due_ns = what == 'f' ? moment_now() + ORDER_FAR : moment_now();
        account->is_near = what == 'n';
        if (!caller->first)
            caller->first = account;
        race_start(service, caller->seat, account);
    } else if (account) {
        race_stop(service, caller->seat, account);
    }
}

static void *caller_live(void *ctx)
{
    struct order_caller *caller = ctx;
    struct race_service *service = caller->service;
    struct race_turns *turns = &service->turns;
    caller->tid = syscall(SYS_gettid);
    caller->seat = race_enter(service);
    if (!caller->seat)
        return NULL;
    race_turn_pass(turns, caller->seat->number);
    for (const char *what = caller->script; *what && !race_is_over(service); what++)
        call(caller, *what);
    pthread_mutex_lock(&turns->lock);
    caller->turn->ended = true;
    pthread_cond_broadcast(&turns->changed);
    while (atomic_load(&turns->on))
        pthread_cond_wait(&turns->changed, &turns->lock);
    pthread_mutex_unlock(&turns->lock);
    race_leave(service, caller->seat);
    return NULL;
}

/* ---- One order. -------------------------------------------------------------------------------- */

/* Who begins, and after how many points of both together the turn changes. */
struct order {
    uint32_t first, switches, at[SWITCHES_MOST];
};

static void order_words(const struct order *order, char *out, size_t size)
{
    struct text text = text_in(out, size);
    text_add(&text, "the %s begins%s", order->first ? "second" : "first",
             order->switches > 0 ? "; switched at" : "");
    for (uint32_t i = 0; i < order->switches; i++)
        text_add(&text, " %u", order->at[i]);
}

/* Waits until it is at a point.  False when it does not come to one: it has ended, or waits for the other. */
static bool turn_await(struct race_service *service, const struct order_caller *caller)
{
    struct race_turns *turns = &service->turns;
    const struct race_turn *turn = caller->turn;
    uint32_t asleep = 0;
    while (!turn->ended && !turn->parked && asleep < LOOKS && !race_is_over(service)) {
        struct timespec until = moment_spec(moment_now() + LOOK_NS);
        if (pthread_cond_timedwait(&turns->changed, &turns->lock, &until) != 0)
            asleep = caller->tid > 0 && race_sleeps(caller->tid) ? asleep + 1 : 0;
    }
    return turn->parked && !turn->ended;
}

/* Lets it go on to its next point. */
static bool step(struct race_service *service, struct order_caller *caller)
{
    struct race_turns *turns = &service->turns;
    pthread_mutex_lock(&turns->lock);
    if (caller->turn->parked) {
        caller->turn->goes = true;
        caller->turn->parked = false;
        pthread_cond_broadcast(&turns->changed);
    }
    bool goes_on = turn_await(service, caller);
    pthread_mutex_unlock(&turns->lock);
    return goes_on;
}

/* Points that both came through. */
static uint32_t steps_take(struct race_service *service, struct order_caller callers[2],
                           const struct order *order)
{
    uint32_t taken = 0, row = 0, who = order->first, done = 0, stuck = 0;
    while (stuck < 2 && !race_is_over(service)) {
        bool goes_on = step(service, &callers[who]);
        taken += goes_on;
        stuck = goes_on ? 0 : stuck + 1;
        bool planned = done < order->switches && taken == order->at[done];
        done += planned;
        if (planned || !goes_on || ++row == IN_A_ROW) {
            who = 1 - who;
            row = 0;
        }
    }
    return taken;
}

/* Frees both, to come to their ends by themselves. */
static void turns_end(struct race_turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    atomic_store(&turns->on, 0);
    pthread_cond_broadcast(&turns->changed);
    pthread_mutex_unlock(&turns->lock);
}

/* Until it is at its first point: on a slow machine it may sleep on the way there. */
static bool caller_arrives(struct race_service *service, const struct order_caller *caller)
{
    pthread_mutex_lock(&service->turns.lock);
    while (!turn_await(service, caller) && !caller->turn->ended && !race_is_over(service))
        continue;
    bool arrived = caller->turn->parked;
    pthread_mutex_unlock(&service->turns.lock);
    return arrived;
}

/* One after the other, because their numbers are in order of enter. */
static bool callers_make(struct race_service *service, struct order_caller callers[2],
                         const char *const script[2], struct race_account *shared)
{
    struct race_turns *turns = &service->turns;
    bool made = true;
    memset(turns->of, 0, sizeof turns->of);
    atomic_store(&turns->on, 1);
    for (uint32_t i = 0; i < 2 && made; i++) {
        callers[i] = (struct order_caller){.service = service,
                                           .script = script[i],
                                           .shared = shared,
                                           .other = &callers[1 - i],
                                           .turn = &turns->of[i]};
        made = case_thread(service, &callers[i].thread, caller_live, &callers[i]) &&
               caller_arrives(service, &callers[i]);
    }
    return made;
}

/* Points in all; 0 when it cannot be played. */
static uint32_t order_play(struct race_service *service, const char *const script[2],
                           const struct order *order)
{
    struct order_caller callers[2];
    race_again(service);
    order_words(order, service->notes->held_at, sizeof service->notes->held_at);
    service->account_count = ACCOUNTS;
    struct tw_seat *seat = case_open(
        service,
        (struct tw_runner_config){
            .capacity = CAPACITY, .threads = 2, .tick_ns = TICK_NS, .horizon_ns = 2 * ORDER_FAR});
    struct race_account *shared =
        seat ? case_start_at(service, seat, moment_now() + ORDER_FAR) : NULL;
    service->turns.first = seat ? seat->number + 1 : 0;
    if (!shared || !callers_make(service, callers, script, shared))
        return 0;
    uint32_t taken = steps_take(service, callers, order);
    turns_end(&service->turns);
    for (uint32_t i = 0; i < 2 && !race_is_over(service); i++)
        pthread_join(callers[i].thread, NULL);
    if (!race_is_over(service)) {
        case_settle(service, seat);
        case_close(service, seat);
    }
    return taken;
}

/* The next order of as many switches, each behind the one before and before the last point; false behind the last. */
static bool order_next(struct order *order, uint32_t points)
{
    for (uint32_t i = order->switches; i-- > 0;)
        if (order->at[i] + (order->switches - i) < points) {
            order->at[i]++;
            for (uint32_t k = i + 1; k < order->switches; k++)
                order->at[k] = order->at[k - 1] + 1;
            return true;
        }
    return false;
}

/* Orders of so many switches; at is where the first of them has its own. */
static uint64_t orders_count(uint32_t points, struct order *order)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < order->switches; i++) {
        order->at[i] = i + 1;
        count = count * (points - 1 - i) / (i + 1);
    }
    return count;
}

/* What a runner does besides its callers differs from time to time, and with it how many points they come through. */
static void orders_play(struct race_service *service, const char *const script[2])
{
    bool thorough = service->options->operations >= THOROUGH;
    uint64_t most = thorough ? ORDERS_THOROUGH : ORDERS;
    uint64_t end = clock_read_ns(CLOCK_MONOTONIC) + PAIR_NS * (thorough ? 6 : 1);
    bool cut = false;
    for (uint32_t first = 0; first < 2 && !race_is_over(service); first++) {
        struct order order = {.first = first};
        uint32_t points = order_play(service, script, &order);
        uint64_t played = 1;
        for (uint32_t n = 1; n <= SWITCHES_MOST && n < points && !cut && !race_is_over(service);
             n++) {
            order.switches = n;
            played += orders_count(points, &order);
            if (played > (n > SWITCHES ? most : 4 * most))
                break;
            do {
                order_play(service, script, &order);
                cut = clock_read_ns(CLOCK_MONOTONIC) > end;
            } while (!cut && !race_is_over(service) && order_next(&order, points));
        }
    }
    service->before.cut += cut;
}

/* A runner without points has no orders. */
void race_orders(struct race_service *service)
{
    pthread_mutex_init(&service->turns.lock, NULL);
    moment_condition_open(&service->turns.changed);
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0] && !race_is_over(service); i++)
        orders_play(service, scripts[i]);
}
