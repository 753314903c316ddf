/* race.c - runs each case, hold and random service in a child, watches its calls, and says how it ended. */
#include "labs/live/race/race.h"

#include "harness/base/clock.h"
#include "harness/base/isolate.h"
#include "harness/base/text.h"
#include "harness/measure/designs/designs.h"
#include "labs/live/race/race_service.h"
#include "labs/live/runners/moment.h"

#include <sys/mman.h>
#include <unistd.h>

/* Seconds that a service may take by the clock of patience; six times that by the wall's. */
#define LIMIT_S(job) (3 * (job)->options->patience_s + 120)
#define MEMORY_BYTES (UINT64_C(4) << 30)
/* Delays at the points of written cases: some. */
#define CASE_WEIGHT 2u

/* One child's work. */
struct race_job {
    const struct tw_runner_entry *entry;
    const struct race_options *options;
    const struct race_case *written; /* else a hold, else by the plan */
    const struct race_hold *hold;
    uint32_t weight; /* of delays at points, in cases */
    struct race_plan plan;
    struct race_notes *notes; /* shared */
    struct race_service *service;
};

bool race_is_fit(const struct tw_backend *design)
{
    const struct tw_traits *traits = &design->traits;
    return !(traits->flags & (TW_REAL_CLOCK | TW_KEEPS_NOTHING)) && traits->late_shift == 0 &&
           traits->late_ticks == 0;
}

/* ---- In the child. ---------------------------------------------------------------------------- */

static void *job_play(void *ctx)
{
    struct race_job *job = ctx;
    if (job->written)
        case_play(job->service, job->written);
    else if (job->hold)
        race_hold_play(job->service, job->hold);
    else
        race_random(job->service, &job->plan);
    atomic_store(&job->service->is_done, 1);
    return NULL;
}

/* Sleeps, and lets the clock of patience pass by as much as that, however much longer the sleep took; by the processor
 * time of the child where that is less and a thread of it wants more. */
static void clock_pass(struct race_notes *notes, uint64_t ns)
{
    struct usage all;
    uint64_t begin = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    race_sleep(ns);
    uint64_t worked = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
    usage_take(&all, NULL);
    for (size_t i = 0; i < all.count && worked < ns; i++)
        if (all.tids[i] != getpid() && !race_sleeps(all.tids[i]))
            ns = worked;
    atomic_fetch_add_explicit(&notes->clock_ns, ns, memory_order_relaxed);
}

/* Finds a call that has not returned for as long as patience lasts. */
static void look_for_hangs(struct race_job *job, uint64_t turns[RACE_NOTES],
                           uint64_t since[RACE_NOTES], uint64_t now)
{
    for (uint32_t i = 0; i < RACE_NOTES; i++) {
        const struct race_note *note = &job->notes->of[i];
        uint64_t turn = atomic_load(&note->turn);
        uint32_t call = atomic_load(&note->call);
        if (call == RACE_CALL_NONE || turn != turns[i]) {
            turns[i] = turn, since[i] = now;
        } else if (now - since[i] > job->options->patience_s * 1000 * MS) {
            race_find(&job->notes->finding, RACE_RETURNS, "%s%s has not returned for %u s",
                      race_call_name(call), atomic_load(&note->inside) ? ", called by a task," : "",
                      job->options->patience_s);
        }
    }
}

/* The child ends here, so that nothing of it has to be freed. */
static void job_work(void *ctx, void *record)
{
    struct race_job *job = ctx;
    struct diag diag = {""};
    struct race_service service = {.runner = job->entry->proved,
                                   .timed = job->entry->timed,
                                   .options = job->options,
                                   .design = job->plan.design,
                                   .seed = job->plan.seed,
                                   .point_weight = job->weight,
                                   .notes = job->notes};
    uint64_t turns[RACE_NOTES] = {0}, since[RACE_NOTES] = {0};
    pthread_t script;
    job->service = &service;
    race_clock_of(&service);
    if (service.design && plugins_load(service.design, &diag) != DIAG_OK) {
        race_find(&job->notes->finding, RACE_OPEN, "%.300s", diag.text);
        return;
    }
    if (pthread_create(&script, NULL, job_play, job) != 0) {
        race_find(&job->notes->finding, RACE_OPEN, "the system gave no thread");
        return;
    }
    for (uint64_t round = 0; !atomic_load(&service.is_done) && !race_is_over(&service); round++) {
        clock_pass(job->notes, round < 20 ? MS : 5 * MS);
        look_for_hangs(job, turns, since, race_clock(&service));
    }
    while (race_is_over(&service) && atomic_load(&job->notes->finding.rule) == RACE_HOLDS)
        moment_sleep(moment_now() + MS);
    if (race_is_over(&service))
        return;
    pthread_join(script, NULL);
    race_sum(&service, record);
}

/* ---- In the parent. --------------------------------------------------------------------------- */

static bool is_in_time(void *job_ctx, void *record)
{
    const struct race_job *job = job_ctx;
    (void)record;
    return atomic_load(&job->notes->clock_ns) < LIMIT_S(job) * 1000 * MS;
}

/* What the threads were in when the child ended. */
static void calls_under_way(const struct race_notes *notes, struct text *text)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < RACE_NOTES; i++) {
        uint32_t call = atomic_load(&notes->of[i].call);
        if (call == RACE_CALL_NONE || call == RACE_CALL_wait || seen & 1u << call % 32)
            continue;
        text_add(text, "%s%s", seen ? ", " : "; calls under way: ", race_call_name(call));
        if (atomic_load(&notes->of[i].inside))
            text_add(text, " in a task");
        seen |= 1u << call % 32;
    }
    if (seen == 0)
        text_add(text, "; no call was under way: it is in a thread of the runner's own");
}

static void say_where(const struct race_job *job, struct race_report *report)
{
    struct text text = text_in(report->service, sizeof report->service);
    report->seed = job->plan.seed, report->design = job->plan.design;
    if (job->written)
        snprintf(report->case_name, sizeof report->case_name, "%s", job->written->name);
    else if (job->hold)
        race_hold_words(job->hold, report->case_name, sizeof report->case_name);
    else
        race_plan_words(&job->plan, report->service, sizeof report->service);
    if (report->case_name[0] && job->plan.design)
        text_add(&text, "over %s", job->plan.design->name);
    if (job->notes->held_at[0])
        text_add(&text, "%s%.*s", text.used > 0 ? ", " : "", (int)sizeof job->notes->held_at - 1,
                 job->notes->held_at);
}

/* The end of a child, by what it found or by how it died. */
static void judge_end(const struct race_job *job, bool done, const char *reason,
                      struct race_report *report)
{
    const struct race_finding *finding = &job->notes->finding;
    uint32_t rule = atomic_load(&finding->rule);
    if (rule != RACE_HOLDS && rule < RACE_RULE_COUNT) {
        report->rule = (enum race_rule)rule;
        snprintf(report->detail, sizeof report->detail, "%.*s", (int)sizeof finding->detail - 1,
                 finding->detail);
    } else if (!done) {
        bool hung = strncmp(reason, "did not end", 11) == 0 || strstr(reason, "was ended");
        struct text text = text_in(report->detail, sizeof report->detail);
        report->rule = hung ? RACE_RETURNS : RACE_CRASH;
        text_add(&text, "%s", hung ? "did not end in time" : reason);
        calls_under_way(job->notes, &text);
    }
    utf8_make_printable(report->detail, sizeof report->detail);
    if (report->rule != RACE_HOLDS)
        say_where(job, report);
}

static void job_run(struct race_job *job, struct race_report *report)
{
    char reason[200] = "";
    struct race_sums sums = {0};
    struct isolate isolate = {
        .memory_bytes = MEMORY_BYTES, .out_fd = ISOLATE_NOWHERE, .err_fd = ISOLATE_NOWHERE};
    isolate.look = is_in_time, isolate.look_ctx = job;
    memset(job->notes, 0, sizeof *job->notes);
    bool done = isolate_run(&isolate, 6 * LIMIT_S(job), job_work, job, &sums, sizeof sums, reason,
                            sizeof reason);
    judge_end(job, done, reason, report);
#define ADD(name, meaning) report->sums.name += sums.name;
    RACE_SUMS(ADD)
#undef ADD
}

/* Case or hold `number` of the proof: over another design than the one before. */
static void run_numbered(struct race_job *job, struct race_report *report)
{
    const struct race_options *options = job->options;
    size_t count = options->design_count;
    job->plan.seed = options->seed;
    job->plan.design = count > 0 ? options->designs[(options->seed + report->cases) % count] : NULL;
    job_run(job, report);
    report->cases++;
}

static void run_cases(struct race_job *job, struct race_report *report)
{
    struct race_hold hold;
    const struct race_case *const lists[] = {race_cases, race_numbers, race_told};
    for (size_t list = 0; list < 3; list++) {
        job->weight = list == 0 ? CASE_WEIGHT : 0;
        for (job->written = lists[list]; job->written->name && report->rule == RACE_HOLDS;
             job->written++)
            run_numbered(job, report);
    }
    job->written = NULL;
    job->hold = &hold;
    for (size_t i = 0; report->rule == RACE_HOLDS && race_hold_at(&hold, job->entry->proved, i);
         i++)
        run_numbered(job, report);
    job->hold = NULL;
}

int race_run(const struct tw_runner_entry *entry, const struct race_options *options,
             struct race_report *report, struct diag *diag)
{
    struct race_job job = {.entry = entry, .options = options};
    memset(report, 0, sizeof *report);
    job.notes =
        mmap(NULL, sizeof *job.notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (job.notes == MAP_FAILED)
        return diag_run(diag, "no shared memory for a child: %s", strerror(errno));
    run_cases(&job, report);
    uint64_t before = report->sums.operations;
    bool is_stuck = false;
    while (report->rule == RACE_HOLDS && !is_stuck &&
           report->sums.operations - before < options->operations) {
        race_plan_make(&job.plan, entry->proved, options, options->seed + report->services);
        uint64_t had = report->sums.operations;
        job_run(&job, report);
        report->services++;
        is_stuck = report->rule == RACE_HOLDS && report->sums.operations == had;
    }
    munmap(job.notes, sizeof *job.notes);
    return is_stuck
               ? diag_run(diag, "%s: a service ended without a start or a stop, at seed %" PRIu64,
                          entry->proved->name, options->seed + report->services - 1)
               : DIAG_OK;
}
