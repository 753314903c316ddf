/* answers.c - checks a design's description and footprint field by field. */
#include "harness/measure/sched/answers.h"

#include "harness/base/text.h"

#define NAME_SIZE  32
#define ROOM_BYTES 8192u
#define PATTERN    0xa7
#define BYTES_MAX  (UINT64_C(1) << 48)
#define DESCRIBES  "describe answers wrongly: "
#define FOOTPRINTS "footprint answers wrongly: "

static bool setting_is_good(const struct tw_backend *design, const struct tw_setting *setting,
                            char *reason)
{
    if (!setting->name || !utf8_is_printable(setting->name, NAME_SIZE))
        snprintf(reason, ANSWERS_REASON, DESCRIBES "a setting has no name of a parameter");
    else if (!param_find(design->params, setting->name))
        snprintf(reason, ANSWERS_REASON, DESCRIBES "'%s' is not a parameter of the design",
                 setting->name);
    else if (setting->count == 0 || setting->count > TW_VALUES_MAX)
        snprintf(reason, ANSWERS_REASON, DESCRIBES "'%s' with %" PRIu32 " values; expected 1 .. %d",
                 setting->name, setting->count, TW_VALUES_MAX);
    else
        return true;
    return false;
}

static bool description_is_good(const struct tw_backend *design,
                                const struct tw_description *description, char *reason)
{
    const size_t max = sizeof description->settings / sizeof description->settings[0];
    if (description->setting_count > max) {
        snprintf(reason, ANSWERS_REASON, DESCRIBES "%zu settings; a description has room for %zu",
                 description->setting_count, max);
        return false;
    }
    if (description->span == 0 || description->span > TW_DEADLINE_MAX) {
        snprintf(reason, ANSWERS_REASON, DESCRIBES "a span of %" PRIu64 " ticks",
                 description->span);
        return false;
    }
    for (size_t i = 0; i < description->setting_count; i++)
        if (!setting_is_good(design, &description->settings[i], reason))
            return false;
    return true;
}

bool answers_describe(const struct tw_backend *design, const struct tw_timers *timers,
                      struct tw_description *out, char *reason)
{
    struct {
        struct tw_description description;
        unsigned char room[ROOM_BYTES]; /* for a design that writes more settings than fit */
    } answer;
    memset(&answer, 0, sizeof answer.description);
    memset(answer.room, PATTERN, sizeof answer.room);
    design->describe(timers, &answer.description);
    *out = (struct tw_description){.span = TW_DEADLINE_MAX};
    if (!description_is_good(design, &answer.description, reason))
        return false;
    for (size_t i = 0; i < sizeof answer.room; i++)
        if (answer.room[i] != PATTERN) {
            snprintf(reason, ANSWERS_REASON, DESCRIBES "it writes behind the description");
            return false;
        }
    *out = answer.description;
    return true;
}

bool answers_footprint(const struct tw_backend *design, const struct tw_timers *timers,
                       struct tw_footprint *out, char *reason)
{
    struct tw_footprint footprint = design->footprint(timers);
    const uint64_t parts[] = {footprint.fixed_bytes, footprint.capacity_bytes,
                              footprint.pending_bytes};
    *out = (struct tw_footprint){0};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i] > BYTES_MAX) {
            snprintf(reason, ANSWERS_REASON,
                     FOOTPRINTS "%" PRIu64 " bytes; expected at most %" PRIu64, parts[i],
                     BYTES_MAX);
            return false;
        }
    *out = footprint;
    return true;
}
