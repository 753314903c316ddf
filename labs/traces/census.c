/* census.c - counts what a trace does: operations, delays, ends, timers armed over time. */
#include "labs/traces/census.h"

#include "harness/base/memory.h"
#include "harness/measure/workload/agenda.h"

#include <math.h>

const char *const census_end_names[] = {"rearmed", "cancelled", "expired", "left"};
const char *const census_percentile_names[] = {"min", "p1", "p10", "p50", "p90", "p99", "max"};
static const double percentile_shares[] = {0, 0.01, 0.1, 0.5, 0.9, 0.99, 1};

/* What an armed timer was started with. */
struct opened {
    tw_tick since;
    int64_t delay;
};

struct counter {
    struct census *census;
    struct agenda armed;
    struct opened *opened; /* per id */
    uint32_t opened_room;
    size_t stretch_room, pass_room;
    tw_tick now;
    uint64_t armed_before; /* the last change */
};

static void ids_follow(struct counter *counter, tw_id id)
{
    if (id < counter->opened_room)
        return;
    counter->opened_room = id < TW_CAPACITY_MAX / 2 ? (id + 1) * 2 : (uint32_t)TW_CAPACITY_MAX;
    counter->opened = memory_grow(counter->opened, counter->opened_room, sizeof *counter->opened);
    agenda_grow(&counter->armed, counter->opened_room);
}

static void stretch_end(struct counter *counter, tw_id id, tw_tick at, enum census_end end)
{
    struct census *census = counter->census;
    const struct opened *opened = &counter->opened[id];
    census->ended[end]++;
    memory_room(&census->stretches, census->stretch_count, &counter->stretch_room,
                sizeof *census->stretches);
    census->stretches[census->stretch_count++] =
        (struct census_stretch){opened->delay, at - opened->since, end};
}

/* ---- Armed over time. ------------------------------------------------------------------------ */

static size_t bin_of(const struct census *census, tw_tick at)
{
    /* Beyond 2^53 the tick before the end is as good as the end. */
    double bin = (double)at / (double)census->end * CENSUS_BINS;
    return bin < CENSUS_BINS ? (size_t)bin : CENSUS_BINS - 1;
}

/* The number of armed timers has just become that. */
static void bin_note(struct counter *counter, tw_tick at)
{
    struct census *census = counter->census;
    uint64_t before = counter->armed_before, armed = counter->armed.running;
    counter->armed_before = armed;
    if (armed > census->max_armed)
        census->max_armed = armed;
    if (census->end == 0)
        return;
    uint64_t *most = &census->bin_max[bin_of(census, at)];
    if (armed > *most)
        *most = armed;
    if (before > *most)
        *most = before;
}

/* Its parts of the bins; a stretch lies in few bins or is long. */
static void bins_add(struct census *census, double from, double to)
{
    double width = (double)census->end / CENSUS_BINS;
    size_t first = bin_of(census, (tw_tick)from), last = bin_of(census, (tw_tick)to);
    for (size_t i = first; i <= last; i++) {
        double begin = fmax(from, (double)i * width), end = fmin(to, (double)(i + 1) * width);
        if (end > begin)
            census->bin_mean[i] += (end - begin) / width;
    }
}

static void counter_fire(void *ctx, tw_id id, tw_tick due)
{
    struct counter *counter = ctx;
    bins_add(counter->census, (double)counter->opened[id].since, (double)due);
    stretch_end(counter, id, due, CENSUS_EXPIRED);
    bin_note(counter, due);
}

static void stretch_cut(struct counter *counter, tw_id id, enum census_end end)
{
    if (counter->census->end > 0)
        bins_add(counter->census, (double)counter->opened[id].since, (double)counter->now);
    stretch_end(counter, id, counter->now, end);
}

/* ---- Operations. ----------------------------------------------------------------------------- */

static void counter_advance(struct counter *counter, tw_tick to)
{
    if (to > counter->now && counter->armed.capacity)
        agenda_advance(&counter->armed, to, counter_fire, counter);
    counter->now = to;
}

static struct census_pass *pass_here(struct counter *counter)
{
    struct census *census = counter->census;
    size_t count = census->pass_count;
    if (count > 0 && census->passes[count - 1].now == counter->now)
        return &census->passes[count - 1];
    memory_room(&census->passes, count, &counter->pass_room, sizeof *census->passes);
    census->passes[census->pass_count++] = (struct census_pass){.now = counter->now};
    return &census->passes[count];
}

static void operation_note(struct counter *counter, bool is_new)
{
    struct census_pass *pass = pass_here(counter);
    counter->census->operations++;
    counter->census->starts_new += is_new;
    pass->starts_new += is_new;
    if (++pass->operations > counter->census->operations_tick_max)
        counter->census->operations_tick_max = pass->operations;
}

static void counter_start(struct counter *counter, tw_id id, int64_t delay)
{
    ids_follow(counter, id);
    bool is_new = !agenda_is_running(&counter->armed, id);
    if (!is_new)
        stretch_cut(counter, id, CENSUS_REARMED);
    tw_tick deadline = stream_deadline(counter->now, delay), soonest = counter->now + 1;
    counter->opened[id] = (struct opened){counter->now, delay};
    agenda_start(&counter->armed, id, deadline > soonest ? deadline : soonest);
    operation_note(counter, is_new);
    bin_note(counter, counter->now);
}

static void counter_cancel(struct counter *counter, tw_id id)
{
    if (id >= counter->armed.capacity || !agenda_stop(&counter->armed, id))
        return;
    stretch_cut(counter, id, CENSUS_CANCELLED);
    operation_note(counter, false);
    bin_note(counter, counter->now);
}

/* ---- Finishing. ------------------------------------------------------------------------------ */

static int stretch_compare(const void *left, const void *right)
{
    const struct census_stretch *a = left, *b = right;
    if (a->delay != b->delay)
        return a->delay < b->delay ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return (a->length > b->length) - (a->length < b->length);
}

static void delays_count(struct census *census)
{
    size_t room = 0;
    for (size_t i = 0; i < census->stretch_count; i++) {
        const struct census_stretch *stretch = &census->stretches[i];
        if (i == 0 || stretch->delay != stretch[-1].delay) {
            memory_room(&census->delays, census->delay_count, &room, sizeof *census->delays);
            census->delays[census->delay_count++] = (struct census_delay){.ticks = stretch->delay};
        }
        struct census_delay *delay = &census->delays[census->delay_count - 1];
        delay->count++;
        delay->ended[stretch->end]++;
    }
}

/* A bin in which nothing changed has as many as its mean says. */
static void bins_finish(struct census *census)
{
    for (size_t i = 0; i < CENSUS_BINS; i++) {
        uint64_t least = (uint64_t)ceil(census->bin_mean[i] - 1e-6);
        if (census->bin_max[i] < least)
            census->bin_max[i] = least;
    }
}

static void counter_finish(struct counter *counter)
{
    struct census *census = counter->census;
    double sum = 0;
    counter_advance(counter, census->end);
    for (tw_id id = 0; id < counter->armed.capacity; id++)
        if (agenda_is_running(&counter->armed, id))
            stretch_cut(counter, id, CENSUS_LEFT);
    if (census->stretch_count > 0)
        qsort(census->stretches, census->stretch_count, sizeof *census->stretches, stretch_compare);
    delays_count(census);
    for (size_t i = 0; i < census->stretch_count; i++)
        sum += (double)census->stretches[i].length;
    census->mean_armed = census->end > 0 ? sum / (double)census->end : 0;
    bins_finish(census);
}

static void counter_open(struct counter *counter, struct census *census)
{
    *counter = (struct counter){.census = census};
    agenda_open(&counter->armed, 1);
}

static void counter_close(struct counter *counter)
{
    agenda_close(&counter->armed);
    free(counter->opened);
}

void census_free(struct census *census)
{
    free(census->passes);
    free(census->stretches);
    free(census->delays);
    *census = (struct census){0};
}

/* ---- Of a trace. ----------------------------------------------------------------------------- */

struct reading {
    struct counter counter;
    const struct trace_header *header; /* whole when the first operation comes */
};

static int reading_visit(void *ctx, const struct trace_operation *operation)
{
    struct reading *reading = ctx;
    reading->counter.census->end = reading->header->end;
    counter_advance(&reading->counter, operation->now);
    if (operation->is_start)
        counter_start(&reading->counter, operation->id, operation->delay);
    else
        counter_cancel(&reading->counter, operation->id);
    return DIAG_OK;
}

int census_of_trace(struct textfile *file, struct trace_header *header, struct census *out,
                    struct diag *diag)
{
    struct reading reading = {.header = header};
    *out = (struct census){0};
    counter_open(&reading.counter, out);
    int status = trace_read(file, header, reading_visit, &reading, diag);
    if (status == DIAG_OK) {
        out->unit_ns = header->unit_ns;
        out->ids = header->ids;
        out->end = header->end;
        counter_finish(&reading.counter);
    } else {
        census_free(out);
    }
    counter_close(&reading.counter);
    return status;
}

/* ---- Questions. ------------------------------------------------------------------------------ */

uint64_t census_starts(const struct census *census)
{
    return census->starts_new + census->ended[CENSUS_REARMED];
}

void census_percentiles(const struct census *census, int64_t out[CENSUS_PERCENTILES])
{
    memset(out, 0, CENSUS_PERCENTILES * sizeof *out);
    for (size_t i = 0; census->stretch_count > 0 && i < CENSUS_PERCENTILES; i++) {
        double rank = ceil(percentile_shares[i] * (double)census->stretch_count);
        size_t index = rank > 1 ? (size_t)rank - 1 : 0;
        out[i] = census->stretches[index].delay;
    }
}

size_t census_commonest(const struct census *census, size_t *indexes, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < census->delay_count; i++) {
        size_t at = count;
        while (at > 0 && census->delays[indexes[at - 1]].count < census->delays[i].count)
            at--;
        if (at == most)
            continue;
        size_t last = count < most ? count++ : most - 1;
        memmove(indexes + at + 1, indexes + at, (last - at) * sizeof *indexes);
        indexes[at] = i;
    }
    return count;
}
