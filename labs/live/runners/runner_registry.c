/* runner_registry.c - one explicit array, made from registry.def; no constructors, no hidden order. */
#include "runner_registry.h"

#include <string.h>

#define TW_RUNNER_ROW(runner)                                                                      \
    extern const struct tw_runner tw_##runner##_runner_timed, tw_##runner##_runner_proved;
#include "registry.def"
#undef TW_RUNNER_ROW

const struct tw_runner_entry runner_registry[] = {
#define TW_RUNNER_ROW(runner)                                                                      \
    {TW_RUNNER_ABI_VERSION, &tw_##runner##_runner_timed, &tw_##runner##_runner_proved},
#include "registry.def"
#undef TW_RUNNER_ROW
};

const size_t runner_registry_count = sizeof runner_registry / sizeof runner_registry[0];

const struct tw_runner_entry *runner_registry_find(const char *name)
{
    for (size_t i = 0; i < runner_registry_count; i++)
        if (strcmp(runner_registry[i].timed->name, name) == 0)
            return &runner_registry[i];
    return NULL;
}
