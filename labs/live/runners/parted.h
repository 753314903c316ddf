/*
 * parted.h - a service whose timers lie in parts, each a design behind a lock, which one thread drives.
 *
 * It opens, shuts, closes, counts and stops.  In which part a start goes, and what the thread does, is the runner's.
 */
#ifndef TWBENCH_PARTED_H
#define TWBENCH_PARTED_H

#include "guarded.h"

#include <stdalign.h>

struct part {
    alignas(APART) struct guarded guarded;
    _Atomic tw_tick
        head; /* the tick on which the driver has to look here, for a runner that notes it */
    struct tw_timers *spacer; /* while opening */
};

struct parted_seat {
    struct tw_seat seat;
    uint32_t part; /* where its starts go first, unless the due decides */
};

struct tw_service {
    alignas(APART) struct doze doze;
    alignas(APART) struct part *parts;
    uint32_t count;
    uint32_t shift; /* an id is part << shift | place in it */
    struct ticking ticking;
    const struct tw_points *points;
    _Atomic uint32_t shutting;
    _Atomic uint32_t entered;
    pthread_t driver;
    struct parted_seat driver_seat;
    struct tally tally; /* written by the driver */
};

static inline int parted_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    uint32_t number = (uint32_t)timer >> service->shift;
    if (number >= service->count)
        return TW_RUN_IDLE;
    return guarded_stop_by(&service->parts[number].guarded, seat, timer, false);
}

/* The first that enters has part 0, and so on; the driver's own number is 0. */
static inline struct tw_seat *parted_enter(struct tw_service *service)
{
    struct parted_seat *seat = aligned_alloc(APART, APART);
    if (!seat)
        return NULL;
    uint32_t number = atomic_fetch_add(&service->entered, 1);
    *seat = (struct parted_seat){
        .seat = {.service = service, .points = service->points, .number = number},
        .part = (number - 1) % service->count};
    return &seat->seat;
}

static inline int parted_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    if (seat->in_task)
        return TW_RUN_INSIDE;
    if (atomic_exchange(&service->shutting, 1))
        return TW_RUN_CLOSED;
    for (uint32_t i = 0; i < service->count; i++) {
        TW_RUNNER_POINT(seat, shut_next);
        guarded_mark_closed(&service->parts[i].guarded);
    }
    doze_end(&service->doze, service->driver);
    for (uint32_t i = 0; i < service->count; i++)
        guarded_return(&service->parts[i].guarded, returned, ctx);
    return TW_RUN_OK;
}

static inline void parted_close(struct tw_service *service)
{
    for (uint32_t i = 0; service->parts && i < service->count; i++)
        guarded_close(&service->parts[i].guarded);
    doze_close(&service->doze);
    free(service->parts);
    free(service);
}

/* Shares the cap out: the first parts have one place more when it does not come out even. */
static inline int parts_open(struct tw_service *service, const struct tw_runner_config *config,
                             struct tw_error *error)
{
    uint32_t count = service->count, cap = opening_cap(config);
    service->parts = aligned_alloc(APART, count * sizeof *service->parts);
    if (!service->parts)
        return opening_no_memory(error, count * sizeof *service->parts);
    memset(service->parts, 0, count * sizeof *service->parts);
    while (UINT64_C(1) << service->shift < cap / count + (cap % count > 0))
        service->shift++;
    int answer = TW_RUN_OK;
    for (uint32_t i = 0; i < count && answer == TW_RUN_OK; i++) {
        struct guarded *guarded = &service->parts[i].guarded;
        service->count = i + 1;
        answer = guarded_open(guarded, config, service->ticking.tick_ns,
                              cap / count + (i < cap % count), error);
        guarded->entries.base = i << service->shift;
        service->parts[i].head = TW_NEVER;
        service->parts[i].spacer = opening_spacer(config, service->ticking.tick_ns);
    }
    service->ticking.open_ns = moment_now();
    for (uint32_t i = 0; i < service->count; i++) {
        service->parts[i].guarded.ticking = service->ticking;
        if (service->parts[i].spacer)
            config->design->close(service->parts[i].spacer);
    }
    return answer;
}

/* Opens it with so many parts, or as many as the cap where that is less. */
static inline int parted_open(struct tw_service **out, const struct tw_runner *runner,
                              const struct tw_runner_config *config, uint32_t count,
                              void *(*drive)(void *), struct tw_error *error)
{
    int answer;
    struct tw_service *service = opening_service(runner, config, sizeof *service, &answer, error);
    if (!service)
        return answer;
    service->points = config->points;
    service->entered = 1;
    service->count = count < opening_cap(config) ? count : opening_cap(config);
    service->ticking.tick_ns = runner_tick_ns(runner, config);
    service->driver_seat.seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    int failed = doze_open(&service->doze);
    answer = parts_open(service, config, error);
    if (answer == TW_RUN_OK)
        answer = opening_thread(
            error, failed ? failed : pthread_create(&service->driver, NULL, drive, service));
    if (answer == TW_RUN_OK)
        *out = service;
    else
        parted_close(service);
    return answer;
}

static inline void parted_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    *out = (struct tw_runner_stats){.own_bytes =
                                        sizeof *service + service->count * sizeof(struct part)};
    doze_stats(&service->doze, service->driver, &service->tally, out);
    for (uint32_t i = 0; i < service->count; i++) {
        struct guarded *guarded = &service->parts[i].guarded;
        pthread_mutex_lock(&guarded->lock);
        guarded_stats(guarded, out);
        pthread_mutex_unlock(&guarded->lock);
    }
}

static inline void parted_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){
        .tick_ns = service->ticking.tick_ns, .threads = 1, .shards = service->count};
    for (uint32_t i = service->count; i-- > 0;)
        guarded_describe(&service->parts[i].guarded, out);
}

static inline const char *parted_check(struct tw_service *service)
{
    const char *broken = NULL;
    for (uint32_t i = 0; i < service->count && !broken; i++)
        broken = guarded_check(&service->parts[i].guarded);
    return broken;
}

/* The hooks that such runners have alike. */
#define PARTED_HOOKS                                                                               \
    .abi_version = TW_RUNNER_ABI_VERSION, .enter = parted_enter, .leave = seat_leave,              \
    .stop = parted_stop, .wait = seat_wait, .shut = parted_shut, .close = parted_close,            \
    .stats = parted_stats, .check = parted_check

#endif
