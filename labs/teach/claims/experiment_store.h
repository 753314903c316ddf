/* experiment_store.h - reads how an experiment's cells run on stores, and says it as flags. */
#ifndef TWBENCH_EXPERIMENT_STORE_H
#define TWBENCH_EXPERIMENT_STORE_H

#include "labs/teach/claims/reader.h"
#include "labs/durable/storing.h"
#include "harness/base/text.h"

/* An interval of 95 % takes six samples. */
#define EXPERIMENT_STORE_RUNS 6

struct experiment_store {
    bool on; /* the run has stores in place of designs */
    enum tw_sync_policy sync;
    uint64_t kills;
    struct durable_load load; /* all but tasks and seed, which are the point's and the setup's */
    struct tw_setting settings[DURABLE_SETTINGS_MAX];
    size_t setting_count;
};

/* Reads { "sync", "kills", "span", "hot", "cancels", "payload", "settings" } at `place`.  What the object does not say
 * stays as it is in *out.  `object` NULL: nothing is changed. */
void experiment_store_read(struct reader *reader, const struct reader_place *place,
                           const cJSON *object, struct experiment_store *out);

/* "twbench stores --stores=NAME ..", the line that runs the same cell. */
void experiment_store_command(struct text *line, const struct experiment_store *store,
                              const char *name, uint64_t tasks, bool timed);

/* The request of that cell; `setup`, `row` and `store` outlive it. */
struct storing_request experiment_store_request(const struct experiment_store *store,
                                                const struct store_row *row, uint64_t tasks,
                                                const struct setup *setup);

#endif
