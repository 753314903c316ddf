/* traces.h - the commands of the lab, and its documents: the census of a trace, and what an import came to. */
#ifndef TWBENCH_TRACES_H
#define TWBENCH_TRACES_H

#include "harness/command/command.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plot.h"
#include "labs/traces/census.h"
#include "labs/traces/import/import.h"

extern const struct command cmd_trace, cmd_import, cmd_record;

/* What is in a trace; the caller's. */
cJSON *census_record(const char *name, const char *source, const struct census *census);
void page_trace(struct page *page, const cJSON *document);
/* For trace.gp: timers armed over time, the delays asked for, their ends.
 *
 * Block 0 has what a tick is and the span in the place of the machine, and then "none<TAB>x": where delays of 0 or
 * less are drawn, "?" without any, and "least<TAB>x": where those above 0 begin, in seconds.
 * Block 1: seconds, mean and most armed.  Block 2: a tenth of a decade of delays, from and to in
 * seconds, how many starts asked for one in it, and of them the shares re-armed, cancelled, expired
 * and left armed. */
void trace_pictures(const cJSON *document, struct pictures *out);

/* What an import came to, after import_write; the caller's. */
cJSON *import_json(const struct import *import);
void page_import(struct page *page, const cJSON *document);

#endif
