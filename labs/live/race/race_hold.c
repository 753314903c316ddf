/* race_hold.c - plays each pair of a held thread and one that comes between, point by point. */
#include "labs/live/race/race_service.h"

#include "labs/live/runners/moment.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Holds at the most; and how often at points of one name, whose passes differ by what came before them. */
#define POINTS_MAX 100u
#define PASSES     3u
#define CAPACITY   64u
#define TICK_NS    (200 * US)
#define PERIOD_NS  (2 * TICK_NS)
/* How often in a row a thread has to be found asleep to count as one that waits for the held thread; and the pause
 * between two looks.  One that never sleeps and never ends is not waited for longer than SPIN_NS. */
#define LOOKS   4u
#define LOOK_NS (150 * US)
#define SPIN_NS (100 * MS)
/* A driver that has run what was due comes to all its points within that many ticks. */
#define IDLE_TICKS 4u

enum held_deed {
    HELD_START,
    HELD_STOP,
    HELD_STOP_OTHER,
    HELD_LEAVE,
    HELD_SHUT,
    HELD_DRIVER,
    HELD_REPEATS,
    HELD_WAIT,
    HELDS
};

enum between_deed {
    BETWEEN_START,
    BETWEEN_STOP,
    BETWEEN_AGAIN,
    BETWEEN_BACK,
    BETWEEN_LEAVE,
    BETWEEN_SHUT,
    BETWEEN_SHUT_STOP,
    BETWEENS
};

/* ---- Hands: the threads. ---------------------------------------------------------------------- */

enum hand_state { HAND_NEW, HAND_READY, HAND_GOES, HAND_DONE, HAND_ENDS };

struct hand {
    struct race_service *service;
    void (*act)(struct hand *hand);
    uint32_t held;              /* of enum held_deed, for the one that is */
    struct tw_seat *seat;       /* NULL when it has left */
    struct race_account *own;   /* a far timer that it has started */
    struct race_account *other; /* of another hand, to be stopped */
    _Atomic uint32_t state;     /* of enum hand_state */
    pthread_t thread;
    long tid;
};

/* Starts a timer, which may be refused once somebody shuts. */
static struct race_account *hand_start(struct hand *hand, uint64_t due_ns, bool near)
{
    struct race_account *account = race_account(hand->service);
    if (!account)
        return NULL;
    account->due_ns = due_ns;
    account->is_near = near;
    race_start(hand->service, hand->seat, account);
    return account;
}

static void act_start(struct hand *hand)
{
    hand_start(hand, moment_now(), true);
    hand_start(hand, moment_now() + FAR, false);
}

static void act_stop(struct hand *hand)
{
    race_stop(hand->service, hand->seat, hand->held == HELD_STOP ? hand->own : hand->other);
}

static void act_stop_all(struct hand *hand)
{
    for (uint32_t i = 0; i < atomic_load(&hand->service->next); i++)
        race_stop(hand->service, hand->seat, &hand->service->accounts[i]);
}

/* Those that act_shut has started first and third, and a start on top. */
static void act_stop_some(struct hand *hand)
{
    uint32_t taken = atomic_load(&hand->service->next);
    for (uint32_t i = taken > 4 ? taken - 4 : 0; i < taken; i++)
        if ((taken - i) % 2 == 1)
            race_stop(hand->service, hand->seat, &hand->service->accounts[i]);
    act_start(hand);
}

static void act_again(struct hand *hand)
{
    act_stop_all(hand);
    for (uint32_t i = 0; i < 4; i++)
        act_start(hand);
}

/* A place goes and comes back while another has gone: who looked before takes the one for the other. */
static void act_back(struct hand *hand)
{
    struct race_account *first = hand_start(hand, moment_now() + FAR, false);
    hand_start(hand, moment_now() + FAR, false);
    if (first)
        race_stop(hand->service, hand->seat, first);
    for (uint64_t end = moment_now() + 3 * TICK_NS; moment_now() < end;)
        sched_yield(); /* one that sleeps is taken for one that waits for the held thread */
    if (hand->service->runner->flags & TW_RUNNER_CALLERS_DRIVE)
        race_wait(hand->service, hand->seat, 0);
}

static void act_leave(struct hand *hand)
{
    act_start(hand);
    race_leave(hand->service, hand->seat);
    hand->seat = NULL;
}

static void act_shut(struct hand *hand)
{
    for (uint32_t i = 0; i < 4; i++)
        hand_start(hand, moment_now() + FAR, false);
    race_shut(hand->service, hand->seat);
}

/* What makes a driver come through its points: two that are due at once, so that one is ready while the other runs,
 * and one that is due later.  At the last points there is nothing else to wake for. */
static void act_feed(struct hand *hand)
{
    uint64_t due = moment_now() + 2 * TICK_NS;
    hand_start(hand, due, true);
    hand_start(hand, due, true);
    hand_start(hand, due + 2 * TICK_NS, true);
}

static void act_repeat(struct hand *hand)
{
    struct race_account *account = race_account(hand->service);
    if (!account)
        return;
    account->due_ns = moment_now() + TICK_NS;
    account->period_ns = PERIOD_NS;
    account->repeat = TW_FIXED_RATE;
    race_start(hand->service, hand->seat, account);
}

/* Callers that drive leave it to the keeper. */
static void act_drive(struct hand *hand)
{
    (hand->held == HELD_REPEATS ? act_repeat : act_feed)(hand);
    if (!(hand->service->runner->flags & TW_RUNNER_CALLERS_DRIVE))
        return;
    race_leave(hand->service, hand->seat);
    hand->seat = NULL;
}

static void act_wait(struct hand *hand)
{
    act_feed(hand);
    act_repeat(hand);
    race_wait(hand->service, hand->seat, moment_now() + 3 * TICK_NS);
}

/* Each hand has a far timer before it acts; after that it is an idle caller. */
static void *hand_live(void *ctx)
{
    struct hand *hand = ctx;
    struct race_service *service = hand->service;
    hand->tid = syscall(SYS_gettid);
    hand->seat = race_enter(service);
    if (!hand->seat)
        return NULL;
    hand->own = hand_start(hand, moment_now() + FAR, false);
    atomic_store(&hand->state, HAND_READY);
    while (atomic_load(&hand->state) == HAND_READY && !race_is_over(service))
        moment_sleep(moment_now() + 20 * US);
    if (atomic_load(&hand->state) == HAND_GOES) {
        hand->act(hand);
        atomic_store(&hand->state, HAND_DONE);
    }
    while (atomic_load(&hand->state) == HAND_DONE && !race_is_over(service))
        if (hand->seat)
            race_wait(service, hand->seat, moment_now() + 100 * US);
        else
            moment_sleep(moment_now() + 100 * US);
    race_leave(service, hand->seat);
    return NULL;
}

bool race_sleeps(long tid)
{
    char line[USAGE_LINE];
    return usage_line(tid, "status", "State:", line) && strchr(line, 'S');
}

/* Lets it act, until it has done so or waits for whoever is held. */
static void hand_go(struct hand *hand)
{
    uint32_t asleep = 0;
    uint64_t end = race_clock(hand->service) + SPIN_NS;
    atomic_store(&hand->state, HAND_GOES);
    while (atomic_load(&hand->state) == HAND_GOES && asleep < LOOKS &&
           race_clock(hand->service) < end && !race_is_over(hand->service)) {
        moment_sleep(moment_now() + LOOK_NS);
        asleep = race_sleeps(hand->tid) ? asleep + 1 : 0;
    }
}

/* ---- One point. ------------------------------------------------------------------------------- */

struct play {
    struct race_service *service;
    const struct race_hold *hold;
    struct tw_seat *seat; /* of the thread that plays */
    struct hand hands[3]; /* the held one, the one between, a third */
};

static const struct {
    const char *words;
    void (*act)(struct hand *hand);
} helds[HELDS] =
    {
        [HELD_START] = {"a start", act_start},
        [HELD_STOP] = {"a stop", act_stop},
        [HELD_STOP_OTHER] = {"a stop of another's timer", act_stop},
        [HELD_LEAVE] = {"a caller that leaves", act_leave},
        [HELD_SHUT] = {"shut", act_shut},
        [HELD_DRIVER] = {"a thread of the runner's", act_drive},
        [HELD_REPEATS] = {"a thread of the runner's that repeats a task", act_drive},
        [HELD_WAIT] = {"a caller that drives", act_wait},
},
  betweens[BETWEENS] = {
      [BETWEEN_START] = {"another starts", act_start},
      [BETWEEN_STOP] = {"another stops all", act_stop_all},
      [BETWEEN_AGAIN] = {"another stops all and starts", act_again},
      [BETWEEN_BACK] = {"another starts two and the first one's place comes back", act_back},
      [BETWEEN_LEAVE] = {"another starts and leaves", act_leave},
      [BETWEEN_SHUT] = {"another shuts", act_shut},
      [BETWEEN_SHUT_STOP] = {"another shuts and a third stops", act_shut},
};

bool race_hold_at(struct race_hold *hold, const struct tw_runner *runner, size_t number)
{
    bool drives = runner->flags & TW_RUNNER_CALLERS_DRIVE;
    *hold = (struct race_hold){.held = (uint32_t)(number / BETWEENS),
                               .between = (uint32_t)(number % BETWEENS)};
    return number < (size_t)(drives ? HELDS : HELD_WAIT) * BETWEENS;
}

void race_hold_words(const struct race_hold *hold, char *out, size_t size)
{
    snprintf(out, size, "%s is held while %s", helds[hold->held].words,
             betweens[hold->between].words);
}

static void hands_make(struct play *play)
{
    struct race_service *service = play->service;
    play->hands[0].held = play->hold->held;
    play->hands[0].act = helds[play->hold->held].act;
    play->hands[1].act = betweens[play->hold->between].act;
    play->hands[2].act = act_stop_some;
    for (size_t i = 0; i < 3; i++) {
        struct hand *hand = &play->hands[i];
        hand->service = service;
        if (!case_thread(service, &hand->thread, hand_live, hand))
            return;
        while (atomic_load(&hand->state) == HAND_NEW && !race_is_over(service))
            moment_sleep(moment_now() + 20 * US);
    }
    play->hands[0].other = play->hands[1].own;
}

#define IS_DRIVER(hold) ((hold)->held == HELD_DRIVER || (hold)->held == HELD_REPEATS)

static void gate_set(struct play *play)
{
    struct race_gate *gate = &play->service->gate;
    const struct tw_seat *held = play->hands[0].seat;
    bool driver = IS_DRIVER(play->hold);
    gate->first = driver ? 0 : held->number;
    gate->last = driver ? play->service->description.threads - 1 : held->number;
    gate->most = PASSES;
    for (uint32_t i = 0; i < RACE_GATE_POINTS; i++)
        gate->at[i].passed = 0;
    atomic_store(&gate->state, GATE_SET);
}

/* Whether a thread is held now; false when the held one came through, or the driver has nothing to do any more. */
static bool gate_holds(struct play *play)
{
    struct race_service *service = play->service;
    struct hand *held = &play->hands[0];
    bool driver = IS_DRIVER(play->hold);
    uint64_t idle = 0;
    while (atomic_load(&service->gate.state) == GATE_SET && !race_is_over(service)) {
        bool done = atomic_load(&held->state) == HAND_DONE;
        bool busy = !done || (driver && atomic_load(&service->near) > 0);
        idle = busy || idle == 0 ? race_clock(service) : idle;
        if (!busy && (!driver || race_clock(service) - idle > IDLE_TICKS * TICK_NS))
            break;
        moment_sleep(moment_now() + 50 * US);
    }
    uint32_t set = GATE_SET;
    return !atomic_compare_exchange_strong(&service->gate.state, &set, GATE_OPEN);
}

/* Each call has to return now, which the child watches, and each near timer to run; a periodic one that goes on
 * after its stop has time to show it. */
static void settle(struct play *play)
{
    struct race_service *service = play->service;
    for (size_t i = 0; i < 3; i++)
        while (atomic_load(&play->hands[i].state) == HAND_GOES && !race_is_over(service))
            moment_sleep(moment_now() + 50 * US);
    case_settle(service, play->seat);
    bool repeats = play->hold->held == HELD_REPEATS || play->hold->held == HELD_WAIT;
    if (repeats && !race_is_over(service))
        race_wait(service, play->seat, moment_now() + 4 * PERIOD_NS);
}

static void finish(struct play *play)
{
    struct race_service *service = play->service;
    for (size_t i = 0; i < 3; i++)
        atomic_store(&play->hands[i].state, HAND_ENDS);
    for (size_t i = 0; i < 3 && !race_is_over(service); i++)
        pthread_join(play->hands[i].thread, NULL);
    case_close(service, play->seat);
}

/* Whether a thread was held: else it has no more points. */
static bool play_point(struct race_service *service, const struct race_hold *hold)
{
    struct play play = {.service = service, .hold = hold};
    struct tw_runner_config config = {.capacity = CAPACITY, .threads = 2, .tick_ns = TICK_NS};
    struct tw_setting setting;
    /* Little, so that something stays in the queue. */
    if (case_transfer(service, &setting, 2) && service->options->setting_count == 0) {
        config.settings = &setting;
        config.setting_count = 1;
    }
    service->account_count = CAPACITY;
    play.seat = case_open(service, config);
    if (!play.seat)
        return false;
    hands_make(&play);
    if (race_is_over(service))
        return false;
    gate_set(&play);
    atomic_store(&play.hands[0].state, HAND_GOES);
    bool held = gate_holds(&play);
    if (held) {
        hand_go(&play.hands[1]);
        if (hold->between == BETWEEN_SHUT_STOP)
            hand_go(&play.hands[2]);
        atomic_store(&service->gate.state, GATE_OPEN);
    }
    settle(&play);
    finish(&play);
    return held;
}

void race_hold_play(struct race_service *service, const struct race_hold *hold)
{
    bool held = true;
    service->point_weight = 0;
    for (uint32_t point = 0; held && point < POINTS_MAX && !race_is_over(service); point++) {
        race_again(service);
        service->notes->held_at[0] = '\0';
        held = play_point(service, hold);
        service->before.holds += held;
    }
}
