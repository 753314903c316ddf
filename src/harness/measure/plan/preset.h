/* preset.h - matrices that have a name, so that two people who say it run the same. */
#ifndef TWBENCH_PRESET_H
#define TWBENCH_PRESET_H

#include <stddef.h>
#include <stdint.h>

#define PRESET_MAX 8

struct preset {
    const char *name, *summary;
    const char *designs[PRESET_MAX], *workloads[PRESET_MAX]; /* end with NULL */
    uint64_t tasks[PRESET_MAX];                              /* ends with 0 */
};

/* NULL when there is none of that name. */
const struct preset *preset_find(const char *name);

/* All of them, for the help and for messages. */
extern const struct preset presets[];
extern const size_t preset_count;

#endif
