/* experiment_clock.h - reads how an experiment's cells run on the real clock, and says it as flags. */
#ifndef TWBENCH_EXPERIMENT_CLOCK_H
#define TWBENCH_EXPERIMENT_CLOCK_H

#include "labs/teach/claims/reader.h"
#include "harness/base/text.h"
#include "labs/live/clock/clock_data.h"

/* An interval of 95 % takes six samples, and each costs the load's own time. */
#define EXPERIMENT_CLOCK_RUNS 6

struct experiment_clock {
    const struct tw_runner_entry *runner; /* NULL: virtual time */
    uint64_t threads;
    struct clock_wishes wishes; /* all but the tick, which is the point's */
};

/* Reads { "runner", "threads", "load", "speed", "duration", "slow_task", "settings" } at `place`.  What the object does
 * not say stays as it is in *out.  `object` NULL: nothing is changed. */
void experiment_clock_read(struct reader *reader, const struct reader_place *place,
                           const cJSON *object, struct experiment_clock *out);

/* " --runner=.. --threads=.. --load=..", as `twbench run` takes them; nothing in virtual time. */
void experiment_clock_command(struct text *line, const struct experiment_clock *clock);

#endif
