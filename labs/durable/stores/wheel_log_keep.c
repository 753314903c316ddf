/* wheel_log_keep.c - writes checkpoints of a wheel-log and deletes the segments that are over. */
#include "wheel_log.h"

#include <errno.h>
#include <stdlib.h>

struct wl_place wl_floor(struct tw_store *store)
{
    struct wl_place floor = store->floor;
    if (store->undone_count) {
        /* All before the oldest that is not done. */
        struct wl_place undone = store->undone[store->undone_first];
        struct wl_place before = {undone.due, undone.position - 1};
        return wl_at_or_before(floor, before) ? before : floor;
    }
    if (wl_at_or_before(floor, store->handed))
        floor = store->handed;
    /* Slots before the one that is handed out are over, but for what a claim gave back to the queue. */
    uint64_t start = store->live.tick * store->settings.slot_ms;
    struct wl_place live = {start > store->reached ? start : store->reached, 0};
    struct wl_item item;
    bool failed = false;
    if (store->current.begun && wl_queue_peek(&store->current.queue, &item, &failed) &&
        item.due < live.due)
        return floor;
    return failed || wl_at_or_before(live, floor) ? floor : live;
}

/* What of the floor a checkpoint keeps: without positions, only the slot. */
static struct wl_state state_now(struct tw_store *store)
{
    struct wl_place floor = wl_floor(store);
    struct wl_state state = {
        .sequence = store->sequence + 1,
        .log = store->log.end,
        .floor_due = floor.due,
        .floor_position = floor.position,
        .opened = store->opened,
        .pending = store->log.pending,
        .ends = store->log.ends,
        .clamped = store->clamped,
        .puts = store->log.puts,
    };
    if (!store->settings.position) {
        uint64_t slot = floor.due / store->settings.slot_ms;
        state.floor_due = slot * store->settings.slot_ms;
        state.floor_position = 0;
        if (store->floor.due / store->settings.slot_ms == slot)
            wl_pending_add(&state.pending, store->done_in_slot);
    }
    return state;
}

/* The prepared pages were not written: they are changed still. */
static void prepared_is_lost(struct tw_store *store, unsigned file)
{
    struct wl_wheel *wheel = &store->log.wheel;
    for (size_t i = 0; i < WL_PAGES; i++)
        if (wheel->pages[i])
            wheel->pages[i]->dirty[file] = true;
}

int wl_checkpoint(struct tw_store *store)
{
    struct wl_log *log = &store->log;
    struct wl_ready *ready = calloc(1, sizeof *ready);
    if (!ready)
        return TW_STORE_MEMORY;
    wl_log_lock(log);
    struct wl_state state = state_now(store);
    unsigned file = (unsigned)(state.sequence % 2);
    wl_wheel_free_before(&log->wheel, state.floor_due);
    int answer = log->broken ? TW_STORE_BROKEN : TW_STORE_OK;
    if (answer == TW_STORE_OK && wl_checkpoint_prepare(&log->wheel, &state, ready) != 0)
        answer = TW_STORE_MEMORY;
    else if (answer == TW_STORE_OK) {
        /* The heads lead to records that must be there. */
        answer = wl_log_flush(log, true);
        if (answer != TW_STORE_OK)
            prepared_is_lost(store, file);
    }
    wl_log_unlock(log);
    if (answer == TW_STORE_OK) {
        int error = wl_checkpoint_write(&log->segments, &state, ready);
        wl_log_lock(log);
        if (error && error != ENOSPC) {
            log->broken = true;
            answer = TW_STORE_IO;
        } else if (error) {
            /* The other one is whole; this one is written again when there is room. */
            prepared_is_lost(store, file);
            answer = TW_STORE_FULL;
        }
        wl_log_unlock(log);
    }
    if (answer == TW_STORE_OK) {
        store->sequence = state.sequence;
        store->checkpoints++;
        store->checkpoint_log = state.log;
        store->kept_floor[file] = (struct wl_place){state.floor_due, state.floor_position};
        store->kept_log[file] = state.log;
    }
    free(ready->pages);
    free(ready);
    return answer;
}

/* Recovery may have to go back to the older checkpoint: what that needs stays. */
static unsigned older_checkpoint(const struct tw_store *store)
{
    if (store->kept_log[0] != store->kept_log[1])
        return store->kept_log[0] < store->kept_log[1] ? 0 : 1;
    return store->kept_floor[0].due < store->kept_floor[1].due ? 0 : 1;
}

static struct wl_place kept_floor(const struct tw_store *store)
{
    return store->kept_floor[older_checkpoint(store)];
}

/* Of the log that tend keeps without a checkpoint. */
#define OVERDUE 2u

int wl_keep_up(struct tw_store *store)
{
    struct wl_log *log = &store->log;
    uint64_t from =
        store->checkpoint_log > store->tried_log ? store->checkpoint_log : store->tried_log;
    wl_log_lock(log);
    uint64_t end = log->end;
    wl_log_unlock(log);
    if (end - from < OVERDUE * store->settings.checkpoint_kib * 1024)
        return TW_STORE_OK;
    store->tried_log = end;
    int answer = wl_checkpoint(store);
    return answer == TW_STORE_FULL ? TW_STORE_OK : answer;
}

int wl_keep(struct tw_store *store, bool *more)
{
    struct wl_log *log = &store->log;
    wl_log_lock(log);
    uint64_t written = log->end - store->checkpoint_log;
    wl_log_unlock(log);
    /* Two checkpoints, and a segment may go. */
    bool over = wl_segments_over(&log->segments, wl_floor(store).due) &&
                !wl_segments_over(&log->segments, kept_floor(store).due);
    if (written >= store->settings.checkpoint_kib * 1024 || over) {
        *more = true;
        return wl_checkpoint(store);
    }
    unsigned file = older_checkpoint(store);
    int error =
        wl_segments_reclaim(&log->segments, kept_floor(store).due, store->kept_log[file], more);
    if (!error)
        return TW_STORE_OK;
    wl_log_lock(log);
    log->broken = true;
    wl_log_unlock(log);
    return TW_STORE_IO;
}
