/* outcome.c - the words for a status. */
#include "harness/run/outcome.h"

const char *outcome_status_name(enum outcome_status status)
{
    static const char *const names[] = {
        [OUTCOME_OK] = "ok",
        [OUTCOME_MISMATCH] = "mismatch",
        [OUTCOME_UNSUPPORTED] = "unsupported",
        [OUTCOME_TIMEOUT] = "timeout",
        [OUTCOME_OUT_OF_MEMORY] = "out-of-memory",
        [OUTCOME_CRASHED] = "crashed",
    };
    return names[status];
}
