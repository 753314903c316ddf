/* clock_run.c - makes a run in a child process: opens the service, lets producers play, shuts, judges. */
#include "labs/live/clock/clock_run.h"

#include "harness/base/clock.h"
#include "harness/base/isolate.h"
#include "harness/base/text.h"
#include "harness/measure/designs/designs.h"
#include "impls/registry.h"
#include "labs/live/clock/performance.h"
#include "labs/live/runner_plugins.h"

#define SECOND UINT64_C(1000000000)
/* Places beyond those that pend, for runners that give them back late: what two threads may stop in a tick. */
#define LATE_PLACES_PER_SECOND 40e6
#define LATE_PLACES_MAX        8000000.0
/* What a child gets on top of its load and its budget, on a machine that does much else. */
#define SLACK_NS      (30 * SECOND)
#define DEFAULT_TASKS 1000u
/* One that is interrupted closes its ledger within this time, or is ended without. */
#define GRACE_NS (3 * SECOND / 2)
/* What is not settled then will not be: a design without memory for a timer refuses it on each tick. */
#define SETTLE_LOOKS 100

const char *const clock_load_names[CLOCK_LOADS + 1] = {"paced", "closed", "burst",
                                                       "storm", "idle",   NULL};

static void fail(struct clock_report *report, enum clock_end end, const char *reason)
{
    report->end = end;
    snprintf(report->reason, sizeof report->reason, "%.*s", (int)sizeof report->reason - 1, reason);
}

uint64_t clock_timers(const struct clock_wishes *wishes, const struct stream *stream,
                      uint32_t threads)
{
    uint64_t tasks = wishes->load == CLOCK_PACED ? stream->capacity : stream->tasks;
    return wishes->load == CLOCK_CLOSED ? tasks * threads : tasks;
}

uint64_t clock_lasts_ns(const struct clock_wishes *wishes, const struct stream *stream)
{
    double ticks = 0;
    for (size_t i = 0; i < stream->phase_count; i++)
        ticks += (double)stream->phases[i].counts.ticks;
    double paced_ns = ticks * (double)stream->tick_ns / wishes->speed;
    if (wishes->load == CLOCK_CLOSED || wishes->load == CLOCK_IDLE)
        return wishes->duration_ns;
    if (wishes->duration_ns > 0 && (double)wishes->duration_ns < paced_ns)
        return wishes->duration_ns;
    return paced_ns < 9e18 ? (uint64_t)paced_ns : UINT64_MAX / 2;
}

/* ---- Opening. -------------------------------------------------------------------------------- */

/* Places for what pends at most, and for what is stopped and keeps its place for a while. */
static uint32_t capacity_of(const struct clock_request *request, uint64_t tick_ns)
{
    const struct stream *stream = request->stream;
    bool paced = request->wishes->load == CLOCK_PACED;
    double places = (double)clock_timers(request->wishes, stream, request->threads), starts = 0;
    unsigned flags = request->runner->flags;
    for (size_t i = 0; i < stream->phase_count && paced; i++)
        starts += (double)stream->phases[i].counts.starts;
    if (!paced)
        starts = LATE_PLACES_MAX;
    double late = LATE_PLACES_PER_SECOND * (double)tick_ns / 1e9 + 65536;
    late = late < LATE_PLACES_MAX ? late : LATE_PLACES_MAX;
    bool active = paced || request->wishes->load == CLOCK_CLOSED;
    if (flags & TW_RUNNER_PURGES)
        late = LATE_PLACES_MAX;
    if (active && flags & (TW_RUNNER_LATE_PLACE | TW_RUNNER_PURGES))
        places += late < starts ? late : starts;
    if (flags & TW_RUNNER_SPLIT_CAP)
        places *= 2;
    places += 1024;
    if (request->max_pending > 0 && (double)request->max_pending > places)
        places = (double)request->max_pending;
    return (uint32_t)(places < TW_CAPACITY_MAX ? places : TW_CAPACITY_MAX);
}

static uint64_t horizon_of(const struct clock_request *request)
{
    const struct clock_wishes *wishes = request->wishes;
    double stream_ns = (double)request->stream->tick_ns / wishes->speed;
    if (wishes->load == CLOCK_PACED)
        return (uint64_t)((double)(request->stream->horizon + 1) * stream_ns) + SECOND;
    if (wishes->load == CLOCK_BURST)
        return SECOND;
    return 3 * 3600 * SECOND;
}

/* The design, or over one that takes the slack of the load the windows that it grants. */
static const struct tw_backend *design_of(struct performance *performance, uint64_t tick_ns)
{
    const struct clock_request *request = performance->request;
    const struct stream_slack *slack = &request->stream->slack;
    const struct tw_slack *within = registry_part(request->design, "slack");
    double ticks = (double)slack->ticks * performance->tick_ns / (double)tick_ns;
    performance->grants = within && !stream_slack_is_none(slack);
    struct windows windows = {.design = request->design,
                              .within = within,
                              .tick_ns = tick_ns,
                              .ticks = ticks < 0x1p62 ? (uint64_t)ticks : UINT64_C(1) << 62,
                              .shift = slack->shift,
                              .now_ns = moment_now};
    return performance->grants ? windows_grant(&windows) : request->design;
}

static bool service_open(struct performance *performance, struct clock_report *report)
{
    const struct clock_request *request = performance->request;
    struct tw_runner_config config = {
        .design = request->design,
        .design_settings = request->settings,
        .design_setting_count = request->setting_count,
        .horizon_ns = horizon_of(request),
        .tick_ns = request->wishes->tick_ns,
        .threads = request->threads,
        .max_pending = (uint32_t)request->max_pending,
        .settings = request->wishes->settings,
        .setting_count = request->wishes->setting_count,
    };
    struct tw_error error = {""};
    uint64_t tick_ns = runner_tick_ns(request->runner, &config);
    config.capacity = capacity_of(request, tick_ns);
    config.design = design_of(performance, tick_ns);
    int answer = request->runner->open(&performance->service, &config, &error);
    if (answer != TW_RUN_OK) {
        fail(report, CLOCK_UNSUPPORTED, error.text);
        return false;
    }
    struct tw_runner_description description;
    request->runner->describe(performance->service, &description);
    report->capacity = config.capacity;
    report->tick_ns = description.tick_ns;
    report->runner_threads = description.threads;
    report->shards = description.shards;
    report->max_pending = description.max_pending;
    if (description.tick_ns == 0)
        fail(report, CLOCK_CRASHED, "describe tells a tick of 0 ns");
    return description.tick_ns > 0;
}

/* The least of many pairs of looks at the clock. */
static uint64_t clock_cost(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t begun = moment_now(), passed = moment_now() - begun;
        least = passed < least ? passed : least;
    }
    return least;
}

static bool performance_open(struct performance *performance, struct clock_report *report)
{
    const struct clock_request *request = performance->request;
    bool paced = request->wishes->load == CLOCK_PACED;
    performance->runner = request->runner;
    performance->account_count = clock_timers(request->wishes, request->stream, request->threads);
    performance->accounts = calloc(performance->account_count, sizeof *performance->accounts);
    performance->books = calloc(PERFORMANCE_SEATS, sizeof *performance->books);
    bool made = performance->accounts && performance->books;
    if (made && paced)
        made = score_make(
            &performance->score, request->stream, request->threads,
            score_last(request->stream, request->wishes->speed, request->wishes->duration_ns));
    if (!made) {
        fail(report, CLOCK_UNSUPPORTED, "no memory for the accounts of the load");
        return false;
    }
    for (size_t i = 0; i < performance->account_count; i++)
        performance->accounts[i].performance = performance;
    performance->clock_cost_ns = clock_cost();
    performance->tick_ns = (double)request->stream->tick_ns / request->wishes->speed;
    return service_open(performance, report);
}

/* ---- The window. ----------------------------------------------------------------------------- */

/* What callers started who drive the runner themselves fires only while they wait.  An idle load lasts until a
 * moment known to all; any other ends when the conductor says so. */
static void drive_to_end(const struct producer *producer)
{
    struct performance *performance = producer->performance;
    const struct load *load = load_of(performance->request->wishes->load);
    if (!(performance->runner->flags & TW_RUNNER_CALLERS_DRIVE) || !producer->seat)
        return;
    if (!load->all_run && !load->play)
        performance_wait(performance, producer->seat, load->until(performance));
    while (!atomic_load(&performance->over))
        performance->runner->wait(producer->seat, moment_now() + 1000000);
}

static void *produce(void *ctx)
{
    struct producer *producer = ctx;
    struct performance *performance = producer->performance;
    const struct load *load = load_of(performance->request->wishes->load);
    producer->seat = performance->runner->enter(performance->service);
    rng_seed(&producer->rng, performance->request->seed, producer->number);
    if (producer->seat)
        producer->book = &performance->books[producer->seat->number % PERFORMANCE_SEATS];
    if (producer->seat && load->prepare)
        load->prepare(producer);
    if (producer->seat)
        producer->book->operations = 0;
    pthread_barrier_wait(&performance->barrier); /* all have prepared */
    pthread_barrier_wait(&performance->barrier); /* the origin is set */
    if (producer->seat)
        performance->runner->wait(producer->seat, performance->origin_ns);
    if (producer->seat && load->play)
        load->play(producer);
    pthread_barrier_wait(&performance->barrier); /* all have played */
    drive_to_end(producer);
    pthread_barrier_wait(&performance->barrier); /* the run is over */
    if (producer->seat)
        performance->runner->leave(producer->seat);
    return NULL;
}

/* Keeps the greater of both in both. */
static void keep_longest(uint64_t *kept, uint64_t *seen)
{
    *kept = *seen > *kept ? *seen : *kept;
    *seen = *kept;
}

/* The statistics, with the longest since the window began, which each call of stats forgets. */
static void look(struct performance *performance, struct tw_runner_stats *stats)
{
    performance->runner->stats(performance->service, stats);
    keep_longest(&performance->longest_pause_ns, &stats->longest_pause_ns);
    keep_longest(&performance->longest_work_ns, &stats->longest_work_ns);
}

/* Lets the runner digest what the load was prepared with: two ticks, and more as long as timers go on from its
 * queues into its designs, or of those that go this way some have not. */
static void settle(struct performance *performance, struct tw_seat *seat, uint64_t tick_ns)
{
    struct tw_runner_stats before, after;
    uint64_t accepted = 0;
    bool moves = true;
    for (size_t i = 0; i < PERFORMANCE_SEATS; i++)
        accepted += performance->books[i].ledger.accepted;
    performance->runner->stats(performance->service, &after);
    for (int looks = 0; moves && looks < SETTLE_LOOKS && !is_cut(performance); looks++) {
        before = after;
        performance_wait(performance, seat, moment_now() + 2 * tick_ns + 20000000);
        performance->runner->stats(performance->service, &after);
        moves = after.transferred != before.transferred ||
                (after.transferred > 0 && after.transferred < accepted);
    }
}

/* Until the load's moment, or until every timer has ended: then a budget ends a run that never does. */
static void wait_for_end(struct performance *performance, struct tw_seat *seat)
{
    const struct load *load = load_of(performance->request->wishes->load);
    struct tw_runner_stats now;
    performance_wait(performance, seat, load->until(performance));
    if (!load->all_run)
        return;
    for (look(performance, &now); !is_cut(performance) && now.pending > 0; look(performance, &now))
        performance->runner->wait(seat, moment_now() + 1000000);
}

static void window_stats(const struct tw_runner_stats *before, const struct tw_runner_stats *after,
                         struct tw_runner_stats *out)
{
    *out = *after;
    out->wakeups -= before->wakeups;
    /* Some of the useful ones began before the window. */
    uint64_t useful = after->useful_wakeups - before->useful_wakeups;
    out->useful_wakeups = useful < out->wakeups ? useful : out->wakeups;
    out->runs -= before->runs;
    out->failed -= before->failed;
    out->transferred -= before->transferred;
    out->overslept_ticks -= before->overslept_ticks;
    out->stalled -= before->stalled;
    out->cpu_ns -= before->cpu_ns < after->cpu_ns ? before->cpu_ns : after->cpu_ns;
}

/* What the producers do between the barriers. */
static void conduct(struct performance *performance, struct tw_seat *seat,
                    struct clock_report *report)
{
    const struct clock_request *request = performance->request;
    const struct load *load = load_of(request->wishes->load);
    struct tw_runner_stats before, after;
    pthread_barrier_wait(&performance->barrier);
    if (load->prepare)
        settle(performance, seat, report->tick_ns);
    performance->origin_ns = moment_now() + 2000000;
    if (request->wishes->load == CLOCK_PACED)
        performance->end_ns = performance_moment(performance, performance->score.ticks);
    performance->runner->stats(performance->service, &before);
    uint64_t cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    pthread_barrier_wait(&performance->barrier);
    pthread_barrier_wait(&performance->barrier);
    uint64_t played = moment_now();
    wait_for_end(performance, seat);
    uint64_t ended = moment_now();
    look(performance, &after);
    report->process_cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
    window_stats(&before, &after, &report->stats);
    bool by_play = request->wishes->load == CLOCK_CLOSED || request->wishes->load == CLOCK_STORM;
    report->watched_ns = ended - performance->origin_ns;
    report->window_ns = (by_play ? played : ended) - performance->origin_ns;
}

static void take_back(void *ctx, tw_timer timer, void *argument)
{
    struct account *account = argument;
    struct clock_report *report = ctx;
    ledger_end(account, timer);
    report->ledger.returned++;
}

/* Producers end before the shut: that a shut may come in the middle is for conform to prove. */
static void perform(struct performance *performance, struct clock_report *report)
{
    uint32_t threads = performance->request->threads;
    pthread_t ids[CLOCK_THREADS_MAX];
    struct producer producers[CLOCK_THREADS_MAX] = {{0}};
    const struct tw_runner *runner = performance->runner;
    struct tw_seat *seat = runner->enter(performance->service);
    uint32_t made = 0;
    if (!seat) {
        fail(report, CLOCK_UNSUPPORTED, "no memory for a seat");
        return;
    }
    pthread_barrier_init(&performance->barrier, NULL, threads + 1);
    for (; made < threads; made++) {
        producers[made] = (struct producer){.performance = performance, .number = made};
        if (pthread_create(&ids[made], NULL, produce, &producers[made]) != 0) {
            fail(report, CLOCK_UNSUPPORTED, "the system gave no thread");
            performance->abandoned = true; /* the child ends, and the threads with it */
            return;
        }
    }
    conduct(performance, seat, report);
    atomic_store(&performance->over, 1);
    pthread_barrier_wait(&performance->barrier);
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        if (!producers[i].seat)
            fail(report, CLOCK_UNSUPPORTED, "no memory for a seat");
    }
    if (runner->shut(seat, take_back, report) != TW_RUN_OK)
        fail(report, CLOCK_MISMATCH, "shut refused to be called for the first time");
    runner->leave(seat);
}

static void collect(struct performance *performance, struct clock_report *report)
{
    for (size_t i = 0; i < PERFORMANCE_SEATS; i++) {
        const struct book *book = &performance->books[i];
        ledger_add(&report->ledger, &book->ledger);
        ledger_add_times(&report->times, &book->times);
        report->operations += book->operations;
    }
    const struct tw_runner *runner = performance->runner;
    const char *broken = runner->check ? runner->check(performance->service) : NULL;
    if (report->end == CLOCK_OK)
        ledger_judge(performance->accounts, performance->account_count, report);
    if (broken && report->end == CLOCK_OK)
        fail(report, CLOCK_MISMATCH, broken);
    if (performance->grants && windows_past() > 0 && report->end == CLOCK_OK)
        fail(report, CLOCK_MISMATCH, "the design fired timers past their windows");
}

static void performance_free(struct performance *performance)
{
    free(performance->accounts);
    free(performance->books);
    score_free(&performance->score);
}

static void run_in_child(void *ctx, void *record)
{
    const struct clock_request *request = ctx;
    struct clock_report *report = record;
    struct performance performance = {.request = request, .cut = &report->is_cut};
    struct diag diag;
    if (request->design && plugins_load(request->design, &diag) != DIAG_OK) {
        fail(report, CLOCK_CRASHED, diag.text);
        return;
    }
    if (performance_open(&performance, report))
        perform(&performance, report);
    if (report->end == CLOCK_OK) {
        collect(&performance, report);
        performance.runner->close(performance.service);
    }
    if (!performance.abandoned)
        performance_free(&performance);
}

int clock_stream(enum clock_load load, uint64_t tasks, uint64_t seed, struct stream **out,
                 struct diag *diag)
{
    struct stream *stream = stream_new(clock_load_names[load]);
    stream->tasks = tasks > 0 ? tasks : DEFAULT_TASKS;
    stream->capacity = (uint32_t)stream->tasks;
    stream->seed = seed;
    stream->tick_ns = SECOND / 1000;
    snprintf(stream->tasks_meaning, sizeof stream->tasks_meaning, "timers%s",
             load == CLOCK_CLOSED ? " of each thread" : "");
    stream_phase_begin(stream, clock_load_names[load], NULL);
    int status = stream_seal(stream, diag);
    if (status == DIAG_OK)
        *out = stream;
    else
        stream_free(stream);
    return status;
}

/* ---- From outside. --------------------------------------------------------------------------- */

/* Who waits for a plugin that hangs should not wait for long. */
#define BUDGET_NS        (600 * SECOND)
#define BUDGET_PLUGIN_NS (30 * SECOND)

static uint64_t budget_of(const struct clock_request *request, bool is_plugin)
{
    uint64_t otherwise = is_plugin ? BUDGET_PLUGIN_NS : BUDGET_NS;
    uint64_t budget_ns = request->budget_ns > 0 ? request->budget_ns : otherwise;
    return clock_lasts_ns(request->wishes, request->stream) + budget_ns + SLACK_NS;
}

/* What the parent knows of a run that goes on. */
struct watch {
    const struct clock_request *request;
    uint64_t begun_ns, told_ns; /* 0: not told to end */
};

/* Shows how far the run is; tells it to end when a signal has come, and gives it a while for that. */
static bool watch_run(void *ctx, void *record)
{
    struct watch *watch = ctx;
    struct clock_report *report = record;
    const struct clock_request *request = watch->request;
    uint64_t now = moment_now();
    uint64_t lasts = clock_lasts_ns(request->wishes, request->stream) / SECOND;
    uint64_t done = (now - watch->begun_ns) / SECOND;
    if (request->progress)
        progress_step(request->progress, request->runner->name, done < lasts ? done : lasts, lasts);
    if (watch->told_ns > 0)
        return now - watch->told_ns < GRACE_NS;
    if (request->interrupt && interrupt_is_pending(request->interrupt)) {
        atomic_store(&report->is_cut, 1);
        watch->told_ns = now;
    }
    return true;
}

/* A plugin that does not come to its end hangs, whichever of its calls it is in. */
void clock_run(const struct clock_request *request, struct clock_report *report)
{
    bool is_plugin = runner_plugins_path(request->entry) ||
                     (request->design && plugins_is_unloaded(request->design));
    struct clock_request in_child = *request;
    char reason[sizeof report->reason];
    uint64_t budget_ns = budget_of(request, is_plugin), begun = moment_now();
    struct watch watch = {.request = request, .begun_ns = begun};
    struct isolate isolate = {.memory_bytes = request->memory_bytes,
                              .out_fd = ISOLATE_NOWHERE,
                              .err_fd = ISOLATE_NOWHERE,
                              .look = watch_run,
                              .look_ctx = &watch};
    memset(report, 0, sizeof *report);
    if (!isolate_run(&isolate, (unsigned)((budget_ns + SECOND - 1) / SECOND), run_in_child,
                     &in_child, report, sizeof *report, reason, sizeof reason)) {
        bool late = moment_now() - begun >= budget_ns || watch.told_ns > 0;
        memset(report, 0, sizeof *report);
        report->is_cut = watch.told_ns > 0;
        fail(report, late && !is_plugin ? CLOCK_TIMEOUT : CLOCK_CRASHED, reason);
    }
    utf8_make_printable(report->reason, sizeof report->reason);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void clock_merge(struct clock_report *into, const struct clock_report *from)
{
    struct tw_runner_stats *stats = &into->stats;
    const struct tw_runner_stats *more = &from->stats, kept = into->stats;
    if (into->end != CLOCK_OK)
        return;
    if (from->end != CLOCK_OK) {
        *into = *from;
        return;
    }
    ledger_add(&into->ledger, &from->ledger);
    ledger_add_times(&into->times, &from->times);
    into->window_ns += from->window_ns;
    into->watched_ns += from->watched_ns;
    into->operations += from->operations;
    into->process_cpu_ns += from->process_cpu_ns;
#define SUM(name, meaning) stats->name += more->name;
    TW_RUNNER_STATS(SUM)
#undef SUM
    stats->most_transferred = greater(kept.most_transferred, more->most_transferred);
    stats->longest_pause_ns = greater(kept.longest_pause_ns, more->longest_pause_ns);
    stats->longest_work_ns = greater(kept.longest_work_ns, more->longest_work_ns);
    stats->pending = greater(kept.pending, more->pending);
    stats->own_bytes = greater(kept.own_bytes, more->own_bytes);
    stats->design_bytes = greater(kept.design_bytes, more->design_bytes);
}
