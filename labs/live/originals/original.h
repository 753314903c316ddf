/* original.h - runs a load through a timer of another runtime, and reports of it as clock/ does of a runner. */
#ifndef TWBENCH_ORIGINAL_H
#define TWBENCH_ORIGINAL_H

#include "harness/base/interrupt.h"
#include "labs/live/clock/clock_data.h"

#include <cjson/cJSON.h>

struct original {
    /* Name, summary and flags are those of a runner, so that a cell is one's like the other's.  It has no hooks. */
    struct tw_runner runner;
    struct tw_runner_entry entry;
    bool has_tick; /* takes the tick of a request; the others have none */
    bool has_cap;  /* takes its cap on pending timers */
    bool is_pool;  /* has as many threads as the request */
};

/* One of the table of README.md; NULL when there is no such name, or none at `i`. */
const struct original *original_find(const char *name);
const struct original *original_at(size_t i);
/* The original whose `runner` that is; NULL for a runner of our own. */
const struct original *original_of(const struct tw_runner *runner);

#define ORIGINAL_PATH 4096

/* Where `make originals` puts its driver, seen from this program.  DIAG_USAGE when it is not there: it says what to
 * do. */
int original_driver(const struct original *original, char *path, size_t size, struct diag *diag);

/* Runs the driver at `path` in a child; of the request, runner and design are not read, and both lists of settings are
 * the driver's flags.  CLOCK_UNSUPPORTED: the load cannot be said in a schedule, or the driver refused a flag.
 * CLOCK_TIMEOUT also when `interrupt` came; the caller asks it.  *document is what the driver printed, the caller's to
 * free, or NULL. */
void original_run(const struct original *original, const char *path,
                  const struct clock_request *request, const struct interrupt *interrupt,
                  struct clock_report *report, cJSON **document);

#endif
