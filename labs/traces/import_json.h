/*
 * import_json.h - what an import came to, as JSON; docs/IMPORT.md lists the keys.
 */
#ifndef TWBENCH_IMPORT_JSON_H
#define TWBENCH_IMPORT_JSON_H

#include "labs/traces/import/import.h"

#include <cjson/cJSON.h>

/* After import_write.  NULL without memory; the caller's. */
cJSON *import_json(const struct import *import);

#endif
