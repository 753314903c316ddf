/*
 * census_json.h - what is in a trace (workload/census.h), as JSON; docs/TRACE.md lists the keys.
 */
#ifndef TWBENCH_CENSUS_JSON_H
#define TWBENCH_CENSUS_JSON_H

#include "harness/workload/census.h"

#include <cjson/cJSON.h>

/* NULL without memory; the caller's. */
cJSON *census_json(const char *name, const char *source, const struct census *census);

#endif
