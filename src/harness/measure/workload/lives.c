/* lives.c - draws stationary residual lives (renewal theory). */
#include "harness/measure/workload/generate.h"

#include "harness/base/memory.h"
#include "harness/base/rng.h"

#include <math.h>

/* With planned stops each delay of the restart table is taken this many times, with stops drawn
 * anew; without them once is exact. */
enum { STOPS_PER_DELAY = 16 };

/* The stop comes k ticks after the start; k up to the delay is before the timer fires. */
static uint64_t stop_draw(const struct lives *lives, uint64_t delay)
{
    const struct spec_phase *phase = lives->phase;
    if (!(phase->stop_share > 0) || rng_unit(lives->stops) >= phase->stop_share)
        return 0;
    if (!phase->stop_after)
        return 1 + rng_below(lives->stops, delay);
    uint64_t after = dist_sample(phase->stop_after, lives->stops);
    return after <= delay ? after : 0;
}

struct life lives_new(const struct lives *lives)
{
    struct dist_delay delay = dist_draw(lives->phase->delay, rng_unit(lives->delays));
    return (struct life){delay.ticks, stop_draw(lives, delay.ticks), delay.slack_ns};
}

static uint64_t life_length(struct life life)
{
    return life.stop_after ? life.stop_after : life.delay;
}

static void pool_fill(struct lives *lives)
{
    size_t copies = lives->phase->stop_share > 0 ? STOPS_PER_DELAY : 1;
    size_t count = STREAM_RESTART_SIZE * copies;
    lives->pool = memory_take(count, sizeof *lives->pool);
    lives->cumulative = memory_take(count, sizeof *lives->cumulative);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        size_t entry = i / copies;
        double p = ((double)entry + 0.5) / STREAM_RESTART_SIZE;
        struct dist_delay delay = dist_draw(lives->phase->delay, p);
        lives->pool[i] = (struct life){delay.ticks, stop_draw(lives, delay.ticks), delay.slack_ns};
        sum += (double)life_length(lives->pool[i]);
        lives->cumulative[i] = sum;
    }
    lives->count = count;
}

void lives_open(struct lives *lives, const struct spec_phase *phase, uint64_t tasks,
                struct rng *delays, struct rng *stops)
{
    *lives = (struct lives){.phase = phase, .delays = delays, .stops = stops};
    double share_of_min = (double)phase->refresh_min / (double)tasks;
    lives->refresh_rate = phase->refresh > share_of_min ? phase->refresh : share_of_min;
    if (phase->kind == SPEC_START && phase->age == SPEC_STATIONARY)
        pool_fill(lives);
}

void lives_close(struct lives *lives)
{
    free(lives->pool);
    free(lives->cumulative);
    *lives = (struct lives){0};
}

static struct life life_stationary(const struct lives *lives)
{
    /* Of the pool, with a chance proportional to its length. */
    struct life life =
        lives->pool[dist_weighted(lives->cumulative, lives->count, rng_unit(lives->delays))];
    uint64_t over = rng_below(lives->delays, life_length(life));
    life.delay -= over;
    if (life.stop_after)
        life.stop_after -= over;
    return life;
}

/* The time since the last refresh is geometric: each tick it comes with the same chance. */
static struct life life_refreshed(const struct lives *lives)
{
    struct life life = lives_new(lives);
    double rate = lives->refresh_rate < 1 ? lives->refresh_rate : 1 - 0x1p-53;
    double since = floor(same_log(rng_unit(lives->delays)) / same_log1p(-rate));
    if (since >= (double)life_length(life))
        return (struct life){0};
    life.delay -= (uint64_t)since;
    if (life.stop_after)
        life.stop_after -= (uint64_t)since;
    return life;
}

struct life lives_aged(const struct lives *lives)
{
    switch (lives->phase->age) {
    case SPEC_STATIONARY:
        return life_stationary(lives);
    case SPEC_REFRESHED:
        return life_refreshed(lives);
    default:
        return lives_new(lives);
    }
}
