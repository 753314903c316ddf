/* cmd_clock.c - run and replay on the machine's clock: with runners, and with timers of other runtimes. */
#include "labs/live/live.h"

#include "harness/base/memory.h"
#include "harness/command/run.h"

#define DURATION_NS UINT64_C(2000000000)

struct clock_options {
    struct run_options run; /* the first member: its groups fill it in */
    struct clock_flags clock;
};

#define OF struct clock_flags
static const struct flag flags[] = {
    FLAG_BY("runner", "A,B|all",
            "on the real clock: who owns it and the threads (list has the names)",
            clock_flag_runner),
    FLAG_BY("original", "A,B", "on the real clock: netty, jdk-timer, jdk-pool, go (make originals)",
            clock_flag_original),
    FLAG_EACH("plugin", "FILE[,NAME=VALUES]",
              "a runner or a design from a shared object; may be repeated", clock_flag_plugin),
    FLAG_BY("threads", "N,M|A..B", "threads that start and stop timers (default 1)",
            clock_flag_threads),
    FLAG_WORD("load", "LOAD", "paced (default), closed, burst, storm or idle", OF, wishes.load,
              clock_load_names),
    FLAG_BY("speed", "X", "pace of the workload or trace (default 1: its own)", clock_flag_speed),
    FLAG_TIME("duration", "length of a load (default: closed and idle 2s, paced all)", OF,
              wishes.duration_ns, 1000000),
    FLAG_BY("work", "TIME", "how long each task sleeps: 2ms, or exponential(2ms)", clock_flag_work),
    FLAG_TIME("slow-task", "how long the first task sleeps", OF, wishes.slow_ns, 1),
    FLAG_COUNT("failing-every", "N", "each N-th task fails", OF, wishes.failing_every, 1,
               UINT64_C(1) << 50),
};
#undef OF
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags), .offset = offsetof(struct clock_options, clock)},
    RUN_GROUPS(0),
    CLOCK_SETTINGS(offsetof(struct clock_options, clock)),
    {0},
};

static void begin(struct call *call)
{
    struct clock_options *options = call->options;
    run_begin(call, &options->run);
    options->clock.wishes.speed = 1;
    options->clock.designs = &options->run.designs;
}

/* What flags say together. */
static int finish(struct clock_options *options, bool is_replay, struct diag *diag)
{
    struct run_options *run = &options->run;
    struct clock_wishes *wishes = &options->clock.wishes;
    const char *load = clock_load_names[wishes->load];
    int status = clock_flags_finish(&options->clock, diag);
    if (status != DIAG_OK)
        return status;
    if (run->setup.counts_only || run->drive_count > 0 || run->page_count > 0 ||
        run->batch_count > 0 || run->between_count > 0)
        return diag_usage(diag, "--runner: on the real clock there is no --counts-only, --drive, "
                                "--huge-pages, --batch or --between");
    if (wishes->load != CLOCK_PACED && is_replay)
        return diag_usage(diag, "--load=%s: replay plays traces at their pace", load);
    if (wishes->load != CLOCK_PACED && run->loads.workload_count > 0)
        return diag_usage(diag, "--load=%s: has no workload; expected --tasks alone", load);
    wishes->tick_ns = run->setup.tick_ns;
    if (wishes->duration_ns == 0 && wishes->load != CLOCK_PACED)
        wishes->duration_ns = DURATION_NS;
    if (!run->runs_given)
        run->setup.runs = 1;
    run->setup.kind = "clock";
    return DIAG_OK;
}

/* Runners x threads. */
static size_t make_ways(const struct clock_flags *clock, struct clock_way **ways,
                        struct plan_way **plan)
{
    size_t threads = clock->thread_count > 0 ? clock->thread_count : 1, count = 0;
    *ways = memory_take(clock->runner_count * threads, sizeof **ways);
    *plan = memory_take(clock->runner_count * threads, sizeof **plan);
    for (size_t r = 0; r < clock->runner_count; r++)
        for (size_t t = 0; t < threads; t++, count++) {
            const struct tw_runner *runner = clock->runners[r]->timed;
            (*ways)[count] = (struct clock_way){
                clock->runners[r], clock->thread_count > 0 ? (uint32_t)clock->threads[t] : 1};
            (*plan)[count] = (struct plan_way){
                runner->name, runner->flags & TW_RUNNER_OWN_TIMERS ? runner->params : NULL,
                &(*ways)[count]};
        }
    return count;
}

static int play(struct call *call, bool is_replay)
{
    struct clock_options *options = call->options;
    struct clock_wishes *wishes = &options->clock.wishes;
    struct on_clock on_clock = {.wishes = wishes};
    const struct stage stage = on_clock_stage(&on_clock);
    struct clock_way *ways = NULL;
    struct plan_way *plan = NULL;
    struct diag diag;
    int status = finish(options, is_replay, &diag);
    int exit_status = status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
    if (status == DIAG_OK) {
        size_t count = make_ways(&options->clock, &ways, &plan);
        const char *load = wishes->load == CLOCK_PACED ? NULL : clock_load_names[wishes->load];
        options->run.setup.stage = &stage;
        exit_status =
            run_do(call, &(struct run_request){&options->run, is_replay, plan, count, load});
    } else {
        designs_close(&options->run.designs);
    }
    free(ways);
    free(plan);
    return exit_status;
}

static int run(struct call *call)
{
    return play(call, false);
}

static int replay(struct call *call)
{
    return play(call, true);
}

const struct command cmd_clock_run = {
    .name = "run",
    .usage = "--runner=NAME|--original=NAME [FLAGS]",
    .summary = "Run designs on the real clock, with runners that own the threads.",
    .groups = groups,
    .size = sizeof(struct clock_options),
    .begin = begin,
    .run = run,
};

const struct command cmd_clock_replay = {
    .name = "replay",
    .usage = "--runner=NAME|--original=NAME [FLAGS] TRACE...",
    .summary = "The same of recorded traces.",
    .groups = groups,
    .size = sizeof(struct clock_options),
    .begin = begin,
    .run = replay,
};
