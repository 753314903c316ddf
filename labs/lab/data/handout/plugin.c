/* plugin.c - makes a plugin of timers.c, which is compiled twice: timed, and with TW_COUNTED counted. */
#include "backend.h"

extern const struct tw_backend tw_timers_timed, tw_timers_counted;
TW_PLUGIN(tw_timers_timed, tw_timers_counted);
