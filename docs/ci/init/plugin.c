/* plugin.c - makes mytimer.c a plugin: the table that is timed, and the one that counts. */
#include "backend.h"
extern const struct tw_backend tw_mytimer_timed, tw_mytimer_counted;
TW_PLUGIN(tw_mytimer_timed, tw_mytimer_counted);
