// Rule: open accepts good settings
// Found: sizes: no list of values within its limits is accepted
#include "wrong.h"

/* Lists are in the table, and in nobody's open. */
static const struct tw_param list_params[] = {
    {"sizes", "of each table", 2, 1024, 8},
    {NULL, NULL, 0, 0, 0},
};

static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    if (params_find(config, "sizes"))
        return params_refuse(error, list_params, 0);
    int status = params_check(list_params, config, error);
    return status == TW_OK ? skeleton_open(out, config, error) : status;
}

static void wrong_describe(const struct tw_timers *timers, struct tw_description *out)
{
    (void)timers;
    *out = (struct tw_description){.span = TW_DEADLINE_MAX};
}

WRONG("refuses-lists", .params = list_params, .open = wrong_open, .describe = wrong_describe);
