/* preset.c - the presets: named choices of designs, workloads and sizes. */
#include "harness/measure/plan/preset.h"

#include <string.h>

/* `ci` is sized so that a pass of every cell but the list's takes about a millisecond and fits into the
 * nearest caches: small enough to repeat often, and what it does not share with others is not moved
 * by them (docs/MEASUREMENT.md). */
const struct preset presets[] = {
    {
        .name = "ci",
        .summary = "five designs, hold, keepalive and network, 1000 timers",
        .designs = {"list", "heap", "hashed", "round", "hier"},
        .workloads = {"hold", "keepalive", "network"},
        .tasks = {1000},
    },
};
const size_t preset_count = sizeof presets / sizeof *presets;

const struct preset *preset_find(const char *name)
{
    for (size_t i = 0; i < preset_count; i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}
