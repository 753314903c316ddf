/* job.c - runs one job inside a child: open, replay, close. */
#include "harness/measure/run/job.h"

#include "harness/base/text.h"
#include "harness/measure/designs/plugin_table.h"
#include "harness/measure/run/arena.h"
#include "harness/measure/run/dispatch.h"
#include "harness/measure/run/instance.h"
#include "harness/measure/run/pace.h"
#include "harness/measure/run/sample.h"
#include "harness/measure/sched/answers.h"

#include <math.h>
#include <unistd.h>

/* Times may lack such a share of the passes against the clock outside, and what two marks take. */
#define CLOCK_SHARE    0.2
#define CLOCK_SLACK_NS 500000

#define PREEMPTED_NS 20000 /* shorter ones are the interrupts that every pass has */

static __attribute__((format(printf, 3, 4))) void job_fail(struct job_report *report,
                                                           enum outcome_status status,
                                                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(report->reason, sizeof report->reason, format, args);
    va_end(args);
    report->status = (int)status;
}

static const struct tw_backend *job_design(const struct job *job)
{
    const struct tw_design *design = job->plan->design;
    return job->kind == JOB_PROVE ? design->counted : design->timed;
}

static bool job_open(const struct job *job, const struct stream *stream, struct instance *instance,
                     struct job_report *report)
{
    report->status =
        (int)instance_open(instance, job_design(job), job->plan, stream, report->reason);
    return report->status == OUTCOME_OK;
}

static void check_digest(const struct job *job, const struct stream *stream, uint64_t digest,
                         uint64_t fired, struct job_report *report)
{
    if (!instance_digest_is_right(job_design(job), stream, digest, fired, report->reason))
        report->status = OUTCOME_MISMATCH;
}

static void job_prove(const struct job *job, struct job_report *report)
{
    struct instance instance;
    struct diag diag;
    struct replay_proof *proof = &report->proof;
    replay_enter(&proof->pulse, REPLAY_IN_OPEN);
    if (!job_open(job, job->stream, &instance, report))
        return;
    replay_enter(&proof->pulse, REPLAY_IN_DESCRIBE);
    report->status = (int)instance_describe(&instance, report->settings, &report->setting_count,
                                            &report->span_ticks, report->reason);
    if (report->status != OUTCOME_OK)
        return;
    if (replay_prove(instance.design, instance.timers, job->stream, job->plan->drive,
                     report->phases, proof, &diag) != DIAG_OK)
        job_fail(report, OUTCOME_OUT_OF_MEMORY, "%s", diag.text);
    else if (proof->broken[0] != '\0')
        job_fail(report, proof->refused ? OUTCOME_UNSUPPORTED : OUTCOME_MISMATCH, "%s",
                 proof->broken);
    else
        check_digest(job, job->stream, proof->digest, proof->fired, report);
    replay_enter(&proof->pulse, REPLAY_IN_CLOSE);
    instance_close(&instance);
    replay_leave(&proof->pulse, REPLAY_IN_NONE);
}

/* The parent looks at the pulse meanwhile. */
static void job_look(const struct job *job, struct job_report *report)
{
    uint64_t passes = job->warmup + job->passes;
    struct job pass = *job;
    for (uint64_t i = 0; i <= passes && report->status == OUTCOME_OK; i++) {
        pass.stream = stream_of_pass(job->stream, i, job->warmup);
        job_prove(&pass, report);
    }
}

static void job_schedule(const struct job *job, struct job_report *report)
{
    report->schedule_count =
        dispatch_play(job_design(job), job->plan, job->stream, report->schedules);
}

static void pass_add(struct replay_pass *total, const struct replay_pass *pass, size_t phases)
{
    for (size_t i = 0; i < phases; i++) {
        total->phases[i].wall_ns += pass->phases[i].wall_ns;
        total->phases[i].cpu_ns += pass->phases[i].cpu_ns;
        total->phases[i].work += pass->phases[i].work;
        total->phases[i].fired = pass->phases[i].fired;
        total->phases[i].refused = pass->phases[i].refused;
    }
    total->digest = pass->digest;
    total->fired = pass->fired;
}

/* What the passes of a process share. */
struct timing {
    struct gap gap;            /* between the calls */
    uint64_t pass_ns, look_ns; /* looking at the timers takes long where tables are large */
    uint64_t next; /* pass repeated to look behind each phase; on average every LOOK_EVERYth */
    double wall_ns, cpu_ns; /* of the passes that count */
};

#define LOOK_EVERY 16u
/* A pass of more operations leaves little in the caches that looking could move. */
#define LOOK_ANYWHERE (UINT64_C(1) << 22)

static uint64_t page_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_minflt : 0;
}

/* Each pass opens its own instance, so that every pass starts from the same state; the arena gives it the pages that
 * the pass before has touched.  The pass of that number, the ones for warming up included; false with the report's
 * status and reason set when it went wrong. */
static bool time_pass(const struct job *job, uint64_t number, enum replay_look look,
                      struct timing *timing, struct replay_pass *pass, struct job_report *report)
{
    struct instance instance;
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    const struct stream *stream = stream_of_pass(job->stream, number, job->warmup);
    if (!job_open(job, stream, &instance, report))
        return false;
    pass->look = timing->look_ns <= timing->pass_ns ? look : REPLAY_LOOK_NEVER;
    pass->look_ns = 0;
    pass->page_faults = page_faults();
    replay_time(instance.design, instance.timers, stream, job->plan, &timing->gap, pass);
    pass->page_faults = page_faults() - pass->page_faults;
    instance_close(&instance);
    check_digest(job, stream, pass->digest, pass->fired, report);
    if (report->status == OUTCOME_OK &&
        !replay_states_are_right(job_design(job), stream, pass, report->reason))
        report->status = OUTCOME_MISMATCH;
    timing->look_ns += pass->look_ns;
    timing->pass_ns += clock_read_ns(CLOCK_MONOTONIC) - begin_ns - pass->look_ns;
    return report->status == OUTCOME_OK;
}

/* Looking between two phases would change what the caches hold for the second, so passes that do not count do that: those
 * for warming up, and from time to time a repeated one, which the design cannot foresee. */
static bool look_again(const struct job *job, uint64_t number, struct timing *timing,
                       struct job_report *report)
{
    struct replay_pass pass;
    if (job->stream->phase_count < 2 || number < timing->next ||
        stream_operations(job->stream) > LOOK_ANYWHERE)
        return true;
    timing->next = number + 1 + clock_read_ns(CLOCK_MONOTONIC) % (2 * LOOK_EVERY);
    return time_pass(job, number, REPLAY_LOOK_PHASES, timing, &pass, report);
}

/* A pass that lost the core for a while: longer than reading two clocks apart could make it look. */
static bool was_preempted(const struct job *job, const struct replay_pass *pass)
{
    double wall_ns = 0, cpu_ns = 0;
    for (size_t i = 0; i < job->stream->phase_count; i++) {
        wall_ns += pass->phases[i].wall_ns;
        cpu_ns += pass->phases[i].cpu_ns;
    }
    return wall_ns > cpu_ns * (1 + PACE_TOLERANCE) + PREEMPTED_NS;
}

/* A pass begins when the core has its full pace; one at whose end it is gone, or that had to share its
 * time, is taken again, until the patience is over (sample.h does the same with whole samples). */
static void time_passes(const struct job *job, struct timing *timing, struct job_report *report)
{
    struct replay_pass pass;
    bool is_large = stream_operations(job->stream) > LOOK_ANYWHERE;
    enum replay_look look = is_large ? REPLAY_LOOK_PHASES : REPLAY_LOOK_END;
    timing->next =
        job->warmup + (job->warmup > 0 ? 1 + clock_read_ns(CLOCK_MONOTONIC) % LOOK_EVERY : 0);
    for (uint64_t i = 0; i < job->warmup; i++)
        if (!time_pass(job, i, REPLAY_LOOK_PHASES, timing, &pass, report))
            return;
    uint64_t deadline_ns = clock_read_ns(CLOCK_MONOTONIC) + job->patience_ns;
    for (uint64_t i = 0; i < job->passes;) {
        uint64_t number = job->warmup + i + report->retaken;
        bool full = job->pace_ns <= 0 || pace_wait(job->pace_ns, deadline_ns);
        if (!time_pass(job, number, look, timing, &pass, report))
            return;
        if (job->pace_ns > 0)
            full = full && pace_is_full(pace_read_ns(), job->pace_ns) && !was_preempted(job, &pass);
        if (full || clock_read_ns(CLOCK_MONOTONIC) >= deadline_ns) {
            pass_add(&report->total, &pass, job->stream->phase_count);
            for (size_t phase = 0; phase < job->stream->phase_count; phase++) {
                timing->wall_ns += pass.phases[phase].wall_ns;
                timing->cpu_ns += pass.phases[phase].cpu_ns;
            }
            report->slow += !full;
            report->page_faults += pass.page_faults;
            i++;
        } else {
            report->retaken++;
        }
        if (!look_again(job, number, timing, report))
            return;
    }
}

/* Clocks before and after the parent's reading. */
struct mark {
    uint64_t before_ns, wall_before_ns, wall_after_ns, after_ns;
};

/* Stands still until the parent has read the clock of this process; one that is not there any more is no matter. */
static struct mark mark(const struct job *job)
{
    struct mark mark = {.before_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID)};
    char answer;
    mark.wall_before_ns = clock_read_ns(CLOCK_MONOTONIC);
    if (job->is_watched && write(STDIN_FILENO, "", 1) == 1)
        (void)!read(STDIN_FILENO, &answer, 1);
    mark.wall_after_ns = clock_read_ns(CLOCK_MONOTONIC);
    mark.after_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    return mark;
}

static bool open_gap(const struct job *job, struct gap *gap, struct job_report *report)
{
    if (gap_open(gap, job->plan->between))
        return true;
    job_fail(report, OUTCOME_OUT_OF_MEMORY, "no memory for what is between the calls");
    return false;
}

/* What lies between the passes is told by the same clocks, once the last instance is closed.  So the parent can hold the
 * sum to its own clock, and times that were changed in the report do not fit to it any more. */
static void job_time(const struct job *job, struct job_report *report)
{
    struct timing timing = {0};
    if (!open_gap(job, &timing.gap, report))
        return;
    struct mark first = mark(job);
    time_passes(job, &timing, report);
    struct mark last = mark(job);
    gap_close(&timing.gap);
    report->rest_wall_ns = (double)(last.wall_before_ns - first.wall_after_ns) - timing.wall_ns;
    report->rest_cpu_ns = (double)(last.before_ns - first.after_ns) - timing.cpu_ns;
    report->marks_cpu_ns =
        (double)(first.after_ns - first.before_ns) + (double)(last.after_ns - last.before_ns);
}

/* Passes as job_time makes them, in a child of their own: reading the counters takes microseconds,
 * and a counter that overflows interrupts, neither of which belongs into a time. */
static void job_count(const struct job *job, struct job_report *report)
{
    struct counters counters;
    struct gap gap;
    if (!open_gap(job, &gap, report))
        return;
    counters_open(&counters, job->events);
    memcpy(report->counters_reason, counters.reason, sizeof report->counters_reason);
    for (uint64_t i = 0; i < job->warmup + job->passes && report->status == OUTCOME_OK; i++) {
        struct replay_pass pass = {0};
        struct instance instance;
        const struct stream *stream = stream_of_pass(job->stream, i, job->warmup);
        if (i == job->warmup)
            memset(report->counts, 0, sizeof report->counts);
        if (!job_open(job, stream, &instance, report))
            break;
        replay_count(instance.design, instance.timers, stream, job->plan, &gap, &counters,
                     report->counts, &pass);
        instance_close(&instance);
        check_digest(job, stream, pass.digest, pass.fired, report);
        if (i >= job->warmup)
            pass_add(&report->total, &pass, stream->phase_count);
    }
    counters_close(&counters);
    gap_close(&gap);
}

/* When everything has been touched that will be; freed memory stays where it is.  Where nobody asked,
 * it is only told of who has huge pages all the same. */
static void count_pages(const struct job *job, const struct arena *arena, struct job_report *report)
{
    struct outcome_pages *pages = &report->pages;
    pages->known = arena_count_pages(arena, &pages->touched_bytes, &pages->huge_bytes);
    pages->asked = job->plan->pages != PLAN_PAGES_ANY;
    pages->told = pages->asked || pages->huge_bytes > 0;
    if (!pages->asked)
        return;
    const char *reason = "";
    if (!arena->available)
        reason = "no jemalloc in this build, so that the pages are as they come";
    else if (!pages->known)
        reason = "/proc/self/smaps cannot be read";
    else if (job->plan->pages == PLAN_PAGES_HUGE && pages->huge_bytes == 0)
        reason = hugepages_are_there("")
                     ? "the kernel had no 2 MiB in one piece to give"
                     : "/sys/kernel/mm/transparent_hugepage/enabled says never, or is not there";
    snprintf(pages->reason, sizeof pages->reason, "%s", reason);
}

static void job_memory(const struct job *job, struct job_report *report)
{
    struct arena arena = arena_enter(true, job->plan->pages);
    uint64_t before_bytes = arena_allocated_bytes(&arena);
    struct instance instance;
    if (!job_open(job, job->stream, &instance, report))
        return;
    uint64_t opened_bytes = arena_allocated_bytes(&arena);
    struct outcome_memory *memory = &report->memory;
    struct tw_footprint footprint;
    if (!answers_footprint(instance.design, instance.timers, &footprint, report->reason)) {
        report->status = OUTCOME_MISMATCH;
        return;
    }
    memory->fixed_bytes = footprint.fixed_bytes;
    memory->capacity_bytes = footprint.capacity_bytes;
    replay_memory(instance.design, instance.timers, job->stream, job->plan->drive, &arena,
                  opened_bytes, memory);
    memory->peak_bytes -= before_bytes;
    memory->allocated_bytes -= before_bytes;
    memory->measured = arena.available && memory->peak_bytes >= memory->fixed_bytes;
    memory->bytes_per_task =
        (double)(memory->peak_bytes - memory->fixed_bytes) / (double)job->stream->capacity;
    instance_close(&instance);
    count_pages(job, &arena, report);
}

/* Passes for the own tail: the fifth to seventh change little, and a long stream has to do with fewer. */
#define TAIL_PASSES  7
#define TAIL_TIME_NS UINT64_C(200000000)
#define TAIL_LONG_NS UINT64_C(2500000000)

static void job_tail(const struct job *job, uint64_t pass_ns, struct job_report *report)
{
    struct tail tails[STREAM_PHASES_MAX];
    report->status = (int)tailing_take(
        &(struct tailing_request){
            .plan = job->plan,
            .stream = job->stream,
            .cycles = job->cycles,
            .passes = TAIL_PASSES,
            .time_ns = TAIL_TIME_NS,
            .pass_ns = pass_ns,
            .long_ns = TAIL_LONG_NS,
        },
        tails, report->reason);
    for (size_t i = 0; i < job->stream->phase_count; i++)
        report->phases[i].own = tails[i];
}

/* The first pass, over another stream where there is one, touches the pages, so that no page fault shows as a slow operation. */
static void job_latency(const struct job *job, struct job_report *report)
{
    struct job warmup = *job;
    warmup.warmup = 1;
    warmup.passes = 0;
    job_time(&warmup, report);
    struct instance instance;
    if (report->status != OUTCOME_OK || !job_open(job, job->stream, &instance, report))
        return;
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    replay_latency(instance.design, instance.timers, job->stream, job->plan->drive, job->cycles,
                   report->phases);
    uint64_t pass_ns = clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
    instance_close(&instance);
    job_tail(job, pass_ns, report);
}

/* ---- JOB_STEP -------------------------------------------------------------------------------- */

/* Of each kind of call in each phase so many are stepped through, evenly spread; of advances by many
 * ticks, whose cost may grow with them, fewer.  The rest of the pass runs at full speed, so that the
 * length of a stream costs nothing. */
#define STEPPED_CALLS     32u
#define STEPPED_CALLS_MIN 4u
#define STEPPED_TICKS     1024u

/* Ten microseconds each: above this a job would come near its budget of time. */
#define STEPPED_INSTRUCTIONS_MAX 400000u

/* A pass to step through: chosen[i] says whether the i-th call is. */
struct stepped_pass {
    const struct instance *instance;
    const struct stream *stream;
    bool *chosen;
};

static uint64_t calls_wanted(const struct stream_phase *phase, enum replay_call kind)
{
    uint64_t wanted = STEPPED_CALLS;
    if ((kind == REPLAY_FIRE || kind == REPLAY_EMPTY) && phase->counts.ticks > 0)
        wanted = STEPPED_TICKS * phase->counts.advances / phase->counts.ticks;
    return wanted > STEPPED_CALLS       ? STEPPED_CALLS
           : wanted < STEPPED_CALLS_MIN ? STEPPED_CALLS_MIN
                                        : wanted;
}

/* Is the i-th of `count` things among `wanted` at equal distances? */
static bool is_chosen(uint64_t i, uint64_t count, uint64_t wanted)
{
    return count <= wanted || i * wanted / count != (i + 1) * wanted / count;
}

/* Returns how many were chosen. */
static uint64_t choose_calls(const struct stream *stream, const uint8_t *kinds, bool *chosen)
{
    uint64_t calls = 0;
    for (size_t p = 0; p < stream->phase_count; p++) {
        const struct stream_phase *phase = &stream->phases[p];
        uint64_t count = replay_call_count(phase);
        uint64_t counts[REPLAY_CALLS] = {0}, seen[REPLAY_CALLS] = {0};
        for (uint64_t i = 0; i < count; i++)
            counts[kinds[i]]++;
        for (uint64_t i = 0; i < count; i++) {
            enum replay_call kind = (enum replay_call)kinds[i];
            chosen[i] = is_chosen(seen[kind]++, counts[kind], calls_wanted(phase, kind));
            calls += chosen[i];
        }
        kinds += count;
        chosen += count;
    }
    return calls;
}

static void step_body(struct steps *steps, void *ctx)
{
    const struct stepped_pass *pass = ctx;
    replay_steps(pass->instance->design, pass->instance->timers, pass->stream, pass->chosen, steps);
}

static void step_chosen(const struct job *job, bool *chosen, struct job_report *report)
{
    struct instance instance;
    struct outcome_stepped *stepped = &report->stepped;
    if (!job_open(job, job->stream, &instance, report))
        return;
    struct stepped_pass pass = {&instance, job->stream, chosen};
    stepped->known = steps_count(step_body, &pass, STEPPED_INSTRUCTIONS_MAX, &stepped->instructions,
                                 stepped->reason, sizeof stepped->reason);
    instance_close(&instance);
}

/* The first pass finds out what kind each call is, and leaves the pages and the allocator warm. */
static void step_calls(const struct job *job, uint8_t *kinds, bool *chosen,
                       struct job_report *report)
{
    struct instance instance;
    struct replay_pass pass;
    if (!job_open(job, job->stream, &instance, report))
        return;
    replay_calls(instance.design, instance.timers, job->stream, kinds, &pass);
    instance_close(&instance);
    check_digest(job, job->stream, pass.digest, pass.fired, report);
    if (report->status != OUTCOME_OK)
        return;
    report->stepped.calls = choose_calls(job->stream, kinds, chosen);
    step_chosen(job, chosen, report);
}

static void job_step(const struct job *job, struct job_report *report)
{
    if (job->plan->drive != PLAN_DRIVE_TICKS) {
        snprintf(report->stepped.reason, sizeof report->stepped.reason,
                 "only calls driven by ticks are stepped through");
        return;
    }
    uint64_t count = 1;
    for (size_t i = 0; i < job->stream->phase_count; i++)
        count += replay_call_count(&job->stream->phases[i]);
    uint8_t *kinds = malloc(count * sizeof *kinds);
    bool *chosen = malloc(count * sizeof *chosen);
    report->stepped.tasks = job->stream->tasks;
    if (kinds && chosen)
        step_calls(job, kinds, chosen, report);
    else
        job_fail(report, OUTCOME_OUT_OF_MEMORY, "no memory to step through a stream");
    free(kinds);
    free(chosen);
}

static void job_other(const struct job *job, struct job_report *report)
{
    job->other(job->task, report);
}

/* ---- Reports from a child ------------------------------------------------------------------------ */

static bool settings_are_good(const struct job_report *report)
{
    bool good = report->setting_count <= OUTCOME_SETTINGS_MAX;
    for (size_t i = 0; good && i < report->setting_count; i++)
        good = table_name_is_good(report->settings[i].name) &&
               report->settings[i].count <= TW_VALUES_MAX;
    return good;
}

static bool schedules_are_good(const struct job_report *report)
{
    bool good = report->schedule_count <= OUTCOME_SCHEDULES_MAX;
    for (size_t i = 0; good && i < report->schedule_count; i++)
        good = (unsigned)report->schedules[i].catch_up <= OUTCOME_BURST;
    return good;
}

static bool report_is_whole(const struct job_report *report)
{
    return report->status >= OUTCOME_OK && report->status <= OUTCOME_CRASHED &&
           settings_are_good(report) && schedules_are_good(report);
}

static void check_own_digest(const struct job *job, struct job_report *report)
{
    if (job->kind == JOB_PROVE)
        check_digest(job, job->stream, report->proof.digest, report->proof.fired, report);
    uint64_t last = job->warmup + job->passes + report->retaken - 1;
    if (job->kind == JOB_TIME && job->passes > 0)
        check_digest(job, stream_of_pass(job->stream, last, job->warmup), report->total.digest,
                     report->total.fired, report);
}

void job_report_fail(struct job_report *report, enum outcome_status status, const char *reason)
{
    size_t kept = settings_are_good(report) ? report->setting_count : 0;
    size_t settings_begin = offsetof(struct job_report, settings);
    size_t settings_end = settings_begin + sizeof report->settings;
    memset((char *)report, 0, settings_begin);
    memset((char *)report + settings_end, 0, sizeof *report - settings_end);
    report->setting_count = kept;
    job_fail(report, status, "%s", reason);
}

void job_report_check(const struct job *job, struct job_report *report)
{
    utf8_make_printable(report->reason, sizeof report->reason);
    utf8_make_printable(report->counters_reason, sizeof report->counters_reason);
    utf8_make_printable(report->pages.reason, sizeof report->pages.reason);
    utf8_make_printable(report->memory.pages.reason, sizeof report->memory.pages.reason);
    utf8_make_printable(report->stepped.reason, sizeof report->stepped.reason);
    if (!report_is_whole(report)) {
        job_report_fail(report, OUTCOME_CRASHED, "the report of its process is damaged");
    } else if (report->status == OUTCOME_OK) {
        check_own_digest(job, report);
    }
}

void job_report_check_clock(struct job_report *report, uint64_t outside_ns)
{
    double wall_ns = 0, cpu_ns = 0, outside = (double)outside_ns;
    for (size_t i = 0; i < STREAM_PHASES_MAX; i++) {
        wall_ns += report->total.phases[i].wall_ns;
        cpu_ns += report->total.phases[i].cpu_ns;
    }
    double wall_lacks_ns = outside - wall_ns - report->rest_wall_ns;
    double cpu_lacks_ns = outside - cpu_ns - report->rest_cpu_ns;
    double slack_ns = CLOCK_SLACK_NS + report->marks_cpu_ns;
    bool fits = wall_lacks_ns <= CLOCK_SHARE * wall_ns + slack_ns &&
                fabs(cpu_lacks_ns) <= CLOCK_SHARE * cpu_ns + slack_ns;
    if (report->status != OUTCOME_OK || fits)
        return;
    char reason[sizeof report->reason];
    snprintf(reason, sizeof reason,
             "its times do not fit: the process used the processor for %.3g ms, by the clock "
             "outside; it tells of %.3g ms, "
             "%.3g ms of them of the processor",
             outside / 1e6, (wall_ns + report->rest_wall_ns) / 1e6,
             (cpu_ns + report->rest_cpu_ns) / 1e6);
    job_report_fail(report, OUTCOME_MISMATCH, reason);
}

void job_do(const struct job *job, struct job_report *report)
{
    static void (*const kinds[])(const struct job *, struct job_report *) = {
        [JOB_PROVE] = job_prove,     [JOB_SCHEDULE] = job_schedule, [JOB_MEMORY] = job_memory,
        [JOB_LATENCY] = job_latency, [JOB_COUNT] = job_count,       [JOB_STEP] = job_step,
        [JOB_TIME] = job_time,       [JOB_OTHER] = job_other,       [JOB_LOOK] = job_look,
    };
    report->status = OUTCOME_OK;
    struct arena arena = {.available = false};
    if (job->kind != JOB_MEMORY && job->kind != JOB_OTHER)
        arena = arena_enter(false, job->plan->pages);
    kinds[job->kind](job, report);
    if (job->kind == JOB_TIME)
        count_pages(job, &arena, report);
    report->done = true;
}
