/* schedule.c - writes operations in the order of their moments, each with its producer. */
#include "labs/live/originals/original.h"

#include "harness/base/rng.h"
#include "labs/live/clock/clock_run.h"
#include "labs/live/clock/performance.h"

#include <math.h>

#define SECOND_NS UINT64_C(1000000000)
/* The drivers take no number above. */
#define LONGEST_NS (UINT64_C(1) << 53)
#define FAR_NS     (3600 * SECOND_NS)
#define BURST_NS   UINT64_C(1000000)
/* What is given to timers that are late, and to each call of many at one moment. */
#define GRACE_NS    (SECOND_NS / 2)
#define PER_CALL_NS UINT64_C(5000)
/* Of a closed load, which a schedule has to count: more than the originals do in that time. */
#define CLOSED_PER_SECOND 2000000
#define CLOSED_MAX        UINT64_C(5000000)

/* Streams of the seed; clock/ and workload/ have their own. */
enum { RNG_WORK = 90, RNG_CLOSED };

struct schedule {
    const struct clock_request *request;
    FILE *file;
    uint64_t starts;                     /* written so far */
    uint64_t slow;                       /* which of them is slow */
    const struct stream_phase *periodic; /* whose tasks the timer repeats; NULL: it repeats none */
    struct rng work, choice;
};

static uint64_t at_most(uint64_t ns)
{
    return ns < LONGEST_NS ? ns : LONGEST_NS;
}

static uint64_t stream_ns(const struct clock_request *request, uint64_t ticks)
{
    double ns = (double)ticks * (double)request->stream->tick_ns / request->wishes->speed;
    return ns < (double)LONGEST_NS ? (uint64_t)llround(ns) : LONGEST_NS;
}

static void write_header(const struct schedule *schedule, bool paced, uint64_t ids,
                         uint64_t operations, uint64_t end_ns)
{
    const struct clock_request *request = schedule->request;
    fprintf(schedule->file,
            "# twbench-schedule 1\n# source: %s, %s\n# pace: %s\n# producers: %" PRIu32
            "\n# ids: %" PRIu64 "\n# ops: %" PRIu64 "\n# end_ns: %" PRIu64 "\n",
            request->stream->workload, clock_load_names[request->wishes->load],
            paced ? "clock" : "free", request->threads, ids, operations, end_ns);
}

static uint64_t draw_work(struct schedule *schedule)
{
    const struct clock_wishes *wishes = schedule->request->wishes;
    if (wishes->slow_ns > 0 && schedule->starts == schedule->slow)
        return wishes->slow_ns;
    if (wishes->work == CLOCK_CONSTANT)
        return wishes->work_ns;
    if (wishes->work == CLOCK_EXPONENTIAL)
        return (uint64_t)(-log(rng_unit(&schedule->work)) * (double)wishes->work_ns);
    return 0;
}

/* "rate:PERIOD:" or "delay:PERIOD:" before the task's own time. */
static void write_period(const struct schedule *schedule, uint32_t id)
{
    const struct stream_phase *phase = schedule->periodic;
    uint64_t period_ns = stream_ns(schedule->request, stream_period(phase->period, id));
    fprintf(schedule->file, "%s:%" PRIu64 ":", phase->restart ? "delay" : "rate",
            period_ns > 0 ? period_ns : 1);
}

static void write_start(struct schedule *schedule, uint64_t at_ns, uint32_t id, uint64_t delay_ns)
{
    const struct clock_wishes *wishes = schedule->request->wishes;
    uint64_t work_ns = draw_work(schedule);
    fprintf(schedule->file, "%" PRIu64 " %" PRIu32 " s %" PRIu32 " %" PRIu64, at_ns,
            id % schedule->request->threads, id, at_most(delay_ns));
    schedule->starts++;
    bool fails = wishes->failing_every > 0 && schedule->starts % wishes->failing_every == 0;
    if (fails || work_ns > 0 || schedule->periodic)
        fputc(' ', schedule->file);
    if (schedule->periodic)
        write_period(schedule, id);
    if (fails)
        fputs("fail", schedule->file);
    else if (work_ns > 0 || schedule->periodic)
        fprintf(schedule->file, "%" PRIu64, at_most(work_ns));
    fputc('\n', schedule->file);
}

static void write_stop(struct schedule *schedule, uint64_t at_ns, uint32_t id)
{
    fprintf(schedule->file, "%" PRIu64 " %" PRIu32 " c %" PRIu32 "\n", at_ns,
            id % schedule->request->threads, id);
}

static void write_starts(struct schedule *schedule, uint64_t tasks, uint64_t delay_ns)
{
    for (uint64_t i = 0; i < tasks; i++)
        write_start(schedule, 0, (uint32_t)i, delay_ns);
}

/* ---- A stream. ------------------------------------------------------------------------------- */

/* The part whose next operation is the earliest; the first of equals. */
static uint32_t earliest_part(const struct score *score, const size_t *next)
{
    uint32_t found = score->part_count;
    for (uint32_t i = 0; i < score->part_count; i++)
        if (next[i] < score->parts[i].count &&
            (found == score->part_count || score->parts[i].operations[next[i]].tick <
                                               score->parts[found].operations[next[found]].tick))
            found = i;
    return found;
}

static void write_operation(struct schedule *schedule, const struct score_operation *operation)
{
    uint64_t at_ns = stream_ns(schedule->request, operation->tick);
    uint64_t ticks =
        operation->deadline > operation->tick ? operation->deadline - operation->tick : 0;
    if (operation->is_start)
        write_start(schedule, at_ns, operation->id, stream_ns(schedule->request, ticks));
    else
        write_stop(schedule, at_ns, operation->id);
}

/* Which start is the first to be due, counted in the order in which they are written. */
static uint64_t first_due(const struct score *score)
{
    size_t next[CLOCK_THREADS_MAX] = {0};
    uint64_t starts = 0, first = 0, due = UINT64_MAX;
    for (uint32_t i; (i = earliest_part(score, next)) < score->part_count;) {
        const struct score_operation *operation = &score->parts[i].operations[next[i]++];
        if (operation->is_start && operation->deadline < due) {
            due = operation->deadline;
            first = starts;
        }
        starts += operation->is_start;
    }
    return first;
}

static void write_score(struct schedule *schedule, const struct score *score, uint64_t end_ns)
{
    size_t next[CLOCK_THREADS_MAX] = {0};
    uint64_t operations = 0;
    for (uint32_t i = 0; i < score->part_count; i++)
        operations += score->parts[i].count;
    schedule->slow = first_due(score);
    write_header(schedule, true, schedule->request->stream->capacity, operations, end_ns);
    for (uint32_t i; (i = earliest_part(score, next)) < score->part_count;)
        write_operation(schedule, &score->parts[i].operations[next[i]++]);
}

static int write_paced(struct schedule *schedule, uint64_t *end_ns, struct diag *diag)
{
    const struct stream *stream = schedule->request->stream;
    for (size_t i = 0; i < stream->phase_count; i++) {
        if (stream->phases[i].period)
            schedule->periodic = &stream->phases[i];
        else if (stream_restarts(&stream->phases[i]))
            return diag_usage(
                diag,
                "%s: its timers are started again by their own tasks, which a schedule "
                "cannot say; expected a workload or a trace without restarts",
                stream->workload);
    }
    struct score score;
    int status = DIAG_OK;
    const struct clock_wishes *wishes = schedule->request->wishes;
    uint64_t last = score_last(stream, wishes->speed, wishes->duration_ns);
    if (score_make(&score, stream, schedule->request->threads, last)) {
        *end_ns = at_most(stream_ns(schedule->request, score.ticks) + GRACE_NS);
        write_score(schedule, &score, *end_ns);
    } else {
        status = diag_run(diag, "no memory for the operations of %s", stream->workload);
    }
    score_free(&score);
    return status;
}

/* ---- Loads of so many timers. ---------------------------------------------------------------- */

static void write_storm(struct schedule *schedule, uint64_t tasks, uint64_t *end_ns)
{
    uint64_t at_ns = GRACE_NS + tasks * PER_CALL_NS;
    *end_ns = 2 * at_ns;
    write_header(schedule, true, tasks, 2 * tasks, *end_ns);
    write_starts(schedule, tasks, FAR_NS);
    for (uint64_t i = 0; i < tasks; i++)
        write_stop(schedule, at_ns, (uint32_t)i);
}

/* Stop and start in turn, of an id of the producer's own. */
static void write_closed(struct schedule *schedule, uint64_t tasks, uint64_t *end_ns)
{
    double wished = (double)schedule->request->wishes->duration_ns / 1e9 * CLOSED_PER_SECOND;
    uint64_t pairs = (wished < (double)CLOSED_MAX ? (uint64_t)wished : CLOSED_MAX) / 2;
    *end_ns = 0;
    write_header(schedule, false, tasks, tasks + 2 * pairs, *end_ns);
    write_starts(schedule, tasks, FAR_NS);
    for (uint64_t i = 0; i < pairs; i++) {
        uint32_t id = (uint32_t)rng_below(&schedule->choice, tasks);
        write_stop(schedule, 0, id);
        write_start(schedule, 0, id, FAR_NS);
    }
}

static int write_load(struct schedule *schedule, uint64_t *end_ns, struct diag *diag)
{
    const struct clock_wishes *wishes = schedule->request->wishes;
    uint64_t tasks = schedule->request->stream->tasks;
    bool bursts = wishes->load == CLOCK_BURST;
    switch (wishes->load) {
    case CLOCK_PACED:
        return write_paced(schedule, end_ns, diag);
    case CLOCK_CLOSED:
        write_closed(schedule, tasks * schedule->request->threads, end_ns);
        return DIAG_OK;
    case CLOCK_STORM:
        write_storm(schedule, tasks, end_ns);
        return DIAG_OK;
    case CLOCK_BURST:
    case CLOCK_IDLE:
        *end_ns = bursts ? 2 * GRACE_NS + tasks * PER_CALL_NS : at_most(wishes->duration_ns);
        write_header(schedule, true, tasks, tasks, *end_ns);
        write_starts(schedule, tasks, bursts ? BURST_NS : FAR_NS);
        return DIAG_OK;
    case CLOCK_LOADS:
        break;
    }
    return diag_usage(diag, "load %d: no such load", (int)wishes->load);
}

int schedule_write(const struct clock_request *request, FILE *file, uint64_t *end_ns,
                   struct diag *diag)
{
    struct schedule schedule = {.request = request, .file = file};
    rng_seed(&schedule.work, request->seed, RNG_WORK);
    rng_seed(&schedule.choice, request->seed, RNG_CLOSED);
    int status = write_load(&schedule, end_ns, diag);
    if (status == DIAG_OK && (fflush(file) != 0 || ferror(file)))
        status = diag_run(diag, "the schedule cannot be written: %s", strerror(errno));
    return status;
}
