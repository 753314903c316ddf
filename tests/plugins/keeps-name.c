// Rule: open keeps no pointer to config, settings or error
// Found: reads what open was given, after open has returned
#include "wrong.h"

struct whole {
    struct tw_timers timers;
    const char *name;
};

/* describe says the setting by the name that the caller had for it. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = within_open(out, sizeof(struct whole), config, error);
    if (status == TW_OK)
        ((struct whole *)*out)->name =
            config->setting_count > 0 ? config->settings[0].name : "max-running";
    return status;
}

static const char *wrong_check(const struct tw_timers *timers)
{
    return ((const struct whole *)timers)->name[0] == '\0' ? "no name" : skeleton_check(timers);
}

static void wrong_describe(const struct tw_timers *timers, struct tw_description *out)
{
    skeleton_describe(timers, out);
    out->settings[0].name = ((const struct whole *)timers)->name;
}

WRONG("keeps-name", .open = wrong_open, .check = wrong_check, .describe = wrong_describe);
