/* original.h - runs a load through a timer of another runtime, and reports of it as clock/ does of a runner. */
#ifndef TWBENCH_ORIGINAL_H
#define TWBENCH_ORIGINAL_H

#include "harness/base/interrupt.h"
#include "labs/live/clock/clock_run.h"

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

/* Writes the load of a request as a schedule (README.md).
 * The ids are dealt out, so that all operations of one timer are one producer's, as clock/ does it.  Each load ends
 * a while after its last operation, so that what is late still runs; *end_ns is when.  DIAG_USAGE for what a schedule
 * cannot say: timers that are started again by their own tasks.  DIAG_RUN without memory, or when `file` takes no
 * more.  O(operations). */
int schedule_write(const struct clock_request *request, FILE *file, uint64_t *end_ns,
                   struct diag *diag);

/* Fills the report of the original `name` from its document, and hands the document over; the caller frees it.
 *
 * CLOCK_OK: the ledger adds up.  CLOCK_MISMATCH: it does not.  CLOCK_CRASHED: the original died, or the document is none;
 * `reason` tells.  A timer that died has its figures all the same, and is_told; a program that died has none.
 * window_ns is the time until the last call or the last run, whichever is later.  own_bytes are those of one timer, 0
 * when they were not measured.  *document is NULL unless it could be read. */
void original_read(const char *name, const char *text, struct clock_report *report,
                   cJSON **document);

#endif
