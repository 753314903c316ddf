/*
 * wheel_log_inspect.h - reads all files of a wheel-log from front to back and names what is damaged; changes nothing.
 *
 * It needs no lock and does not recover: beside an open store it sees what has been written so far.
 */
#ifndef TWBENCH_WHEEL_LOG_INSPECT_H
#define TWBENCH_WHEEL_LOG_INSPECT_H

#include "wheel_log_checkpoint.h"
#include "wheel_log_scan.h"

/* What it meets, in order: each segment and its records, then each checkpoint.  All are called in the caller's thread;
 * what they get is valid during the call. */
struct wl_inspector {
    void *ctx;
    void (*segment)(void *ctx, const char *file, uint64_t bytes,
                    const struct wl_file_header *header);
    void (*record)(void *ctx, uint64_t offset, const struct wl_record *record);
    void (*checkpoint)(void *ctx, const char *file, const struct wl_state *state,
                       const struct wl_wheel *wheel);
    void (*damage)(void *ctx, const char *file, uint64_t offset, const char *what);
};

enum wl_inspection {
    WL_INSPECTED,
    WL_INSPECTED_DAMAGE, /* some was told */
    WL_NOT_A_STORE,      /* none of its files there, or of another version */
    WL_UNREADABLE
};

/* why: what stands in the way, for the last two. */
enum wl_inspection wl_inspect(const char *directory, const struct wl_inspector *inspector,
                              struct tw_error *why);

#endif
