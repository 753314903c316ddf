/*
 * race_random.h - a random service: several threads start and stop, somebody shuts, the books are judged.
 */
#ifndef TWBENCH_RACE_RANDOM_H
#define TWBENCH_RACE_RANDOM_H

#include "labs/live/race/race_service.h"

/* Everything about a service but what its threads do to each other; follows from the seed alone. */
struct race_plan {
    uint64_t seed;
    const struct tw_backend *design;
    uint64_t tick_ns, horizon_ns;
    uint32_t callers, runner_threads;
    uint32_t capacity, max_pending;
    uint32_t operations;          /* of each caller */
    uint32_t far_in, periodic_in; /* one start in so many */
    uint64_t near_ns;             /* longest delay of a near one */
    uint32_t point_weight;
    bool shut_early;                               /* while callers call */
    bool shut_twice;                               /* by two threads at once */
    struct tw_setting settings[RACE_SETTINGS_MAX]; /* of the runner */
    size_t setting_count;
};

/* Draws a plan: the same seed, runner and options make the same one. */
void race_plan_make(struct race_plan *plan, const struct tw_runner *runner,
                    const struct race_options *options, uint64_t seed);
/* "over heap, ticks of 20 us, 3 callers, ..." */
void race_plan_words(const struct race_plan *plan, char *out, size_t size);
/* The whole life of the service; what is found is in its notes. */
void race_random(struct race_service *service, const struct race_plan *plan);

#endif
