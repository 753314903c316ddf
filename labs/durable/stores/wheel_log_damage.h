/* wheel_log_damage.h - tells the caller of a wheel-log what is damaged, each piece once. */
#ifndef TWBENCH_WHEEL_LOG_DAMAGE_H
#define TWBENCH_WHEEL_LOG_DAMAGE_H

#include "store.h"
#include "wheel_log_segments.h"

#define WL_RECENT_DAMAGE 64u

/* Used by open and by the dispatcher's thread only. */
struct wl_damage {
    tw_store_damage_fn *tell; /* may be NULL */
    void *ctx;
    struct wl_segments *segments;
    uint64_t count;
    uint64_t recent
        [WL_RECENT_DAMAGE]; /* positions + 1 told last, so that a second reader does not tell them again */
};

/* Damage in a file that is no segment. */
void wl_damage_file(struct wl_damage *damage, const char *file, uint64_t offset, const char *what,
                    uint64_t lost);
/* Damage of the log at that position. */
void wl_damage_log(struct wl_damage *damage, uint64_t position, const char *what, uint64_t lost);

#endif
