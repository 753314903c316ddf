/*
 * census_record.h - what is in a trace (measure/workload/census.h), as a document; docs/TRACE.md lists the keys.
 */
#ifndef TWBENCH_CENSUS_RECORD_H
#define TWBENCH_CENSUS_RECORD_H

#include "labs/traces/census.h"

#include <cjson/cJSON.h>

/* NULL without memory; the caller's. */
cJSON *census_record(const char *name, const char *source, const struct census *census);

#endif
