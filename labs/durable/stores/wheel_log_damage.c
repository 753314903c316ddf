/* wheel_log_damage.c - tells the caller of a wheel-log what is damaged, each piece once. */
#include "wheel_log_damage.h"

void wl_damage_file(struct wl_damage *damage, const char *file, uint64_t offset, const char *what,
                    uint64_t lost)
{
    damage->count++;
    if (damage->tell)
        damage->tell(damage->ctx, file, offset, what, lost);
}

void wl_damage_log(struct wl_damage *damage, uint64_t position, const char *what, uint64_t lost)
{
    char name[WL_NAME_BYTES];
    struct wl_span span = {0, 0};
    for (size_t i = 0; i < WL_RECENT_DAMAGE; i++)
        if (damage->recent[i] == position + 1)
            return;
    damage->recent[damage->count % WL_RECENT_DAMAGE] = position + 1;
    wl_segments_span(damage->segments, position, &span);
    wl_segment_name(name, span.base);
    wl_damage_file(damage, name, position - span.base, what, lost);
}
