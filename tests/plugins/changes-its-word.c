// Rule: describe says what open was given, or a default that the caller can live with
// Found: it says something else before close
#include "wrong.h"

/* What it can hold is said to be less once the clock has moved. */
static void wrong_describe(const struct tw_timers *timers, struct tw_description *out)
{
    skeleton_describe(timers, out);
    out->span -= timers->now;
}

WRONG("changes-its-word", .describe = wrong_describe);
