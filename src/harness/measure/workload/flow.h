/* flow.h - plays the traffic of a mix (mix.h) as an event loop makes it: in passes, each at one tick.
 *
 * New timers come in passes: the time from one to the next is drawn, and how many idle ids are started in
 * it.  What a stretch ends in is drawn with it; a re-arm begins the next stretch of the same id.  Re-arms
 * and cancels come at their own ticks, or (in passes) at the pass before or after them, with such chances
 * that the mean is kept; in both cases before the timer would expire.  With f times as many tasks as the
 * times between passes are of, those are f times as short; passes that fall on one tick are one.
 *
 * It begins as a population that is renewed for ever looks at any moment: so many stretches of the mix,
 * met in the middle.
 */
#ifndef TWBENCH_FLOW_H
#define TWBENCH_FLOW_H

#include "harness/measure/workload/agenda.h"
#include "harness/measure/workload/mix.h"

struct flow_spec {
    const struct mix *mix;
    uint64_t ticks;          /* how long it goes on */
    uint64_t of;             /* tasks that `passes` are of */
    double armed;            /* at the beginning, per task */
    const struct dist *gaps; /* from a pass to the next, in units of `gap_ticks` */
    double gap_ticks;
    const struct dist *starts; /* new ones of a pass; from 0 */
    double starts_scale;       /* times as many; fractions are carried */
    bool in_passes;
};

/* What it plays on; all of it stays the caller's. */
struct flow_stage {
    struct stream *stream;
    struct agenda *timers; /* what runs, and with it the ids 0 .. capacity-1 */
    tw_tick *now;
    struct rng *delays, *traffic;
    uint64_t *work, work_max; /* given up when there is more */
};

/* False when there is no memory. */
bool flow_play(const struct flow_spec *spec, const struct flow_stage *stage);

#endif
