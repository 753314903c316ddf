/* mix.h - draws stretches of timers from rows of delays, with the shares re-armed and cancelled and after how long.
 *
 *     [ { "weight": 37.5, "delay": "3s", "rearm": 0.99, "rearm_after": "choice(0ns:3, 20ms:1)" },
 *       { "weight": 18.7, "delay": "10s", "rearm": 0.7, "rearm_after": "15ms", "cancel": 0.3,
 *         "cancel_after": "1ms" } ]
 *
 * A stretch is one start of a timer and what keeps it armed until the re-arm, the cancel or the expiry
 * (census.h).  A row is drawn by its weight (1), then its delay, then its end: `rearm` and `cancel` are
 * shares of 1 (0 each), the rest expires.  *_after is the time from the start, 0 being the same tick; one
 * that is not below the delay drawn is cut to a tick below it, so that the end is the one drawn.
 */
#ifndef TWBENCH_MIX_H
#define TWBENCH_MIX_H

#include "harness/measure/workload/dist.h"

#include <cjson/cJSON.h>

/* What ends a stretch. */
enum mix_end { MIX_EXPIRES, MIX_REARMED, MIX_CANCELLED };

struct mix;

/* A stretch that was drawn. */
struct mix_stretch {
    struct dist_delay delay;
    uint64_t after; /* ticks from the start to the change; of one that expires its delay */
    enum mix_end end;
};

/* `array` is the JSON; `what` names its place in diagnostics.  *out is freed with mix_free. */
int mix_parse(const cJSON *array, const char *what, const struct dist_context *context,
              struct mix **out, struct diag *diag);
/* NULL is allowed. */
void mix_free(struct mix *mix);

/* A row by its weight, then delay and end by the row.  Allocates nothing. */
struct mix_stretch mix_draw(const struct mix *mix, struct rng *rng);

/* What is met at a moment chosen at random of a mix that is renewed for ever: a stretch with a chance
 * proportional to its length, `over` of it over already.  Open and close it around the drawing. */
struct mix_pool {
    size_t count;
    struct mix_stretch *stretches;
    double *cumulative;
};
void mix_pool_open(struct mix_pool *pool, const struct mix *mix, struct rng *rng);
void mix_pool_close(struct mix_pool *pool);
struct mix_stretch mix_pool_draw(const struct mix_pool *pool, struct rng *rng, uint64_t *over);

#endif
