/*
 * wheel_log_drain.c - hands out what is due: hours loaded ahead of the pointer, slots walked, cancels met.
 *
 *     coarse chain of the hour --walk--> queue of the hour <--walk-- fine chain of the slot
 *                                              |
 *                                        least (due, position) --> poll
 *
 * An hour is opened before it is loaded: from then on its messages go to the fine wheel, so its coarse chain has an
 * end.  A slot's chain is walked when the pointer enters the slot, and again, down to the entry seen last, at each poll while the
 * pointer is there: messages may still join it.
 */
#include "wheel_log.h"

#include <stdlib.h>

static uint64_t hour_start(const struct tw_store *store, uint64_t hour)
{
    return hour * wl_hour_ms(&store->log.wheel);
}

static uint64_t tick_start(const struct tw_store *store, uint64_t tick)
{
    return tick * store->settings.slot_ms;
}

static int drain_failed(struct tw_store *store)
{
    wl_log_lock(&store->log);
    store->log.broken = true;
    wl_log_unlock(&store->log);
    return TW_STORE_IO;
}

static int drain_answer(struct tw_store *store, enum wl_step step)
{
    return step == WL_STEP_ERROR ? drain_failed(store) : TW_STORE_OK;
}

/* ---- Walking. --------------------------------------------------------------------------------- */

/* The next entry of the chain goes to the queue. */
static int walk_step(struct tw_store *store, struct wl_chain *chain, struct wl_queue *queue,
                     enum wl_step *step)
{
    struct wl_entry entry;
    uint64_t position;
    wl_ahead_step(store);
    *step = wl_chain_next(chain, &entry, &position);
    if (*step != WL_STEP_ENTRY)
        return drain_answer(store, *step);
    bool message = wl_kind_of(&entry) == WL_PUT;
    struct wl_item item = {entry.due, message ? position : entry.key, message};
    if (wl_at_or_before((struct wl_place){item.due, item.position}, store->handed))
        return TW_STORE_OK;
    return wl_queue_push(queue, item) ? TW_STORE_OK : TW_STORE_MEMORY;
}

static void hour_end(struct wl_hour *hour)
{
    wl_chain_close(&hour->chain);
    wl_queue_close(&hour->queue);
    hour->begun = hour->loaded = false;
}

/* May that hour be opened?  There are only so many rounds between it and what is not done yet. */
static bool hour_has_round(struct tw_store *store, uint64_t hour)
{
    return hour - wl_hour(&store->log.wheel, wl_floor(store).due) < WL_FINE_ROUNDS;
}

/* Opens the hour and puts its walk to the head of its coarse chain. */
static int hour_begin(struct tw_store *store, struct wl_hour *hour, uint64_t number)
{
    struct wl_log *log = &store->log;
    struct wl_span oldest = {0, 0};
    int answer = TW_STORE_OK;
    uint64_t start = hour_start(store, number);
    wl_log_lock(log);
    wl_wheel_free_before(&log->wheel, wl_floor(store).due);
    if (store->opened < number)
        store->opened = number;
    uint64_t head = wl_head(&log->wheel, true, start);
    /* The file has to have the whole chain. */
    if (head && head >= wl_log_committed(log))
        answer = wl_log_flush(log, false);
    wl_log_unlock(log);
    if (answer != TW_STORE_OK)
        return answer;
    pthread_mutex_lock(&log->segments.lock);
    if (log->segments.count)
        oldest.base = log->segments.list[0]->base;
    pthread_mutex_unlock(&log->segments.lock);
    hour_end(hour);
    hour->hour = number;
    hour->begun = true;
    wl_queue_open(&hour->queue, &log->segments, start, oldest.base);
    hour->chain = (struct wl_chain){
        .segments = &log->segments, .wheel = &log->wheel, .damage = &store->damage};
    wl_chain_begin(&hour->chain, true, start, head, 0);
    return TW_STORE_OK;
}

/* Walks at most `most` entries of the hour's coarse chain. */
static int hour_load(struct tw_store *store, struct wl_hour *hour, uint64_t most, uint64_t *counter)
{
    enum wl_step step = WL_STEP_ENTRY;
    int answer = TW_STORE_OK;
    while (!hour->loaded && most-- > 0 && answer == TW_STORE_OK) {
        answer = walk_step(store, &hour->chain, &hour->queue, &step);
        if (step == WL_STEP_END) {
            hour->loaded = true;
            wl_chain_close(&hour->chain);
        }
        *counter += step == WL_STEP_ENTRY;
    }
    return answer;
}

static void walked_end(struct wl_walked *walked)
{
    wl_chain_close(&walked->chain);
    *walked = (struct wl_walked){.tick = UINT64_MAX};
}

/* Walks what is new of a slot's chain, at most `most` entries; the walk goes on with the next call.  *over: all that is
 * committed was met. */
static int slot_walk(struct tw_store *store, struct wl_walked *walked, struct wl_queue *queue,
                     uint64_t most, uint64_t *counter, bool *over)
{
    struct wl_log *log = &store->log;
    uint64_t due = tick_start(store, walked->tick);
    int answer = TW_STORE_OK;
    if (walked->head == 0) {
        wl_log_lock(log);
        uint64_t head = wl_log_head(log, due);
        wl_log_unlock(log);
        *over = head <= walked->seen;
        if (*over)
            return TW_STORE_OK;
        walked->head = head;
        walked->chain.segments = &log->segments;
        walked->chain.wheel = &log->wheel;
        walked->chain.damage = &store->damage;
        wl_chain_begin(&walked->chain, false, due, head, walked->seen);
    }
    *over = false;
    for (enum wl_step step; answer == TW_STORE_OK && most-- > 0;) {
        answer = walk_step(store, &walked->chain, queue, &step);
        if (step == WL_STEP_END) {
            walked->seen = walked->head;
            walked->head = 0;
            break;
        }
        *counter += step == WL_STEP_ENTRY;
    }
    return answer;
}

/* Walks all that is new of the slot that is handed out. */
static int live_walk(struct tw_store *store)
{
    bool over = false;
    int answer = TW_STORE_OK;
    while (answer == TW_STORE_OK && !over)
        answer = slot_walk(store, &store->live, &store->current.queue, UINT64_MAX,
                           &store->loaded_late, &over);
    return answer;
}

/* ---- The pointer. ----------------------------------------------------------------------------- */

/* The hour that the pointer enters: loaded ahead, or loaded now. */
static int enter_hour(struct tw_store *store, uint64_t hour)
{
    wl_ahead_enter(store, hour);
    if (store->next.begun && store->next.hour == hour) {
        struct wl_hour former = store->current;
        store->current = store->next;
        store->next = former;
        hour_end(&store->next);
    } else {
        if (!hour_has_round(store, hour))
            return TW_STORE_FULL;
        int answer = hour_begin(store, &store->current, hour);
        if (answer != TW_STORE_OK)
            return answer;
    }
    return TW_STORE_OK;
}

/* The pointer goes to that slot, whose hour is the current one. */
static int enter_slot(struct tw_store *store, uint64_t tick)
{
    walked_end(&store->live);
    if (store->ahead.tick == tick) {
        store->live = store->ahead;
        store->ahead = (struct wl_walked){.tick = UINT64_MAX};
    }
    store->live.tick = tick;
    return live_walk(store);
}

/* The due of the next message behind the pointer's slot, or the bound if nothing comes before it; or earlier. */
static uint64_t next_stop(struct tw_store *store, uint64_t bound, bool *failed)
{
    struct wl_log *log = &store->log;
    uint64_t from = tick_start(store, store->live.tick + 1);
    uint64_t over = hour_start(store, store->current.hour + 1);
    uint64_t stop = bound;
    struct wl_item item;
    if (from < over) {
        if (wl_queue_peek(&store->current.queue, &item, failed) && item.due < stop)
            stop = item.due;
        if (stop > over)
            stop = over;
        wl_log_lock(log);
        stop = wl_next_entry(&log->wheel, false, from, stop);
        wl_log_unlock(log);
        return stop < from ? from : stop;
    }
    if (store->next.begun && store->next.hour == store->current.hour + 1)
        return over < bound ? over : bound;
    wl_log_lock(log);
    stop = wl_next_entry(&log->wheel, true, over, stop);
    stop = wl_next_entry(&log->wheel, false, over, stop);
    wl_log_unlock(log);
    return stop;
}

/* Nothing joins the order before that due any more.  False: something has, since the poll began. */
static bool frontier_raise(struct tw_store *store, uint64_t due)
{
    wl_log_lock(&store->log);
    bool free = store->log.fresh_due >= due;
    if (free && store->frontier < due)
        store->frontier = due;
    if (store->clamped < store->frontier)
        store->clamped = store->frontier;
    wl_log_unlock(&store->log);
    return free;
}

/* Moves the pointer to the next slot up to bound's in which there may be something; *moved: it did.  *met: it met a message that
 * was put since the poll began.  taken: messages that the poll has in hand, with which it stays in their hour. */
static int pointer_move(struct tw_store *store, uint64_t bound, size_t taken, bool *moved,
                        bool *met)
{
    bool failed = false;
    uint64_t last = wl_tick(&store->log.wheel, bound);
    *moved = store->live.tick < last;
    if (!*moved)
        return TW_STORE_OK;
    uint64_t stop = next_stop(store, bound, &failed);
    if (failed)
        return drain_failed(store);
    uint64_t tick = wl_tick(&store->log.wheel, stop);
    if (tick > last)
        tick = last;
    uint64_t hour = tick / store->settings.slots;
    /* What a claim gives back has to find its own hour's queue. */
    if (hour != store->current.hour && taken) {
        *moved = false;
        return TW_STORE_OK;
    }
    if (!frontier_raise(store, tick_start(store, tick))) {
        *moved = false;
        *met = true;
        return TW_STORE_OK;
    }
    if (taken == 0)
        store->reached = tick_start(store, tick);
    int answer = TW_STORE_OK;
    if (hour != store->current.hour)
        answer = enter_hour(store, hour);
    if (answer == TW_STORE_OK)
        answer = hour_load(store, &store->current, UINT64_MAX, &store->loaded_late);
    return answer == TW_STORE_OK ? enter_slot(store, tick) : answer;
}

/* The pointer is somewhere, and all that has joined its slot is in the queue. */
static int pointer_ready(struct tw_store *store)
{
    int answer = TW_STORE_OK;
    if (!store->current.begun)
        answer = hour_begin(store, &store->current, store->live.tick / store->settings.slots);
    if (answer == TW_STORE_OK)
        answer = hour_load(store, &store->current, UINT64_MAX, &store->loaded_late);
    return answer == TW_STORE_OK ? live_walk(store) : answer;
}

/* ---- Handing out. ----------------------------------------------------------------------------- */

static bool batch_make_room(struct tw_store *store, size_t max)
{
    if (!store_room(&store->batch, &store->batch_room, max, sizeof *store->batch))
        return false;
    if (store->undone_count + max <= store->undone_room)
        return true;
    size_t room = 2 * (store->undone_count + max);
    struct wl_place *undone = malloc(room * sizeof *undone);
    if (!undone)
        return false;
    for (size_t i = 0; i < store->undone_count; i++)
        undone[i] = store->undone[(store->undone_first + i) % store->undone_room];
    free(store->undone);
    store->undone = undone;
    store->undone_first = 0;
    store->undone_room = room;
    return true;
}

static void message_lost(struct tw_store *store, uint64_t position, const char *what)
{
    wl_damage_log(&store->damage, position, what, 1);
    wl_log_lock(&store->log);
    wl_pending_take(&store->log.pending, 1);
    wl_log_unlock(&store->log);
}

/* Reads the message of an item into the arena.  WL_READ_ABSENT: it is damaged, which was told; _ERROR. *full: the arena has no
 * room for it. */
static enum wl_read message_read(struct tw_store *store, const struct wl_item *item, size_t *used,
                                 struct tw_delivery *out, bool *full)
{
    struct wl_entry entry = {.size = 0};
    const unsigned char *bytes;
    struct wl_segments *segments = &store->log.segments;
    wl_ahead_step(store);
    enum wl_read read =
        wl_window_at(&store->window, segments, item->position, WL_ENTRY_BYTES, &bytes);
    bool good = read == WL_READ_OK && wl_entry_read(bytes, &entry, item->position);
    if (good)
        read = wl_window_at(&store->window, segments, item->position, WL_ENTRY_BYTES + entry.size,
                            &bytes);
    if (read == WL_READ_ERROR)
        return read;
    bool late = (entry.kind & WL_LATE) != 0;
    bytes += WL_ENTRY_BYTES;
    if (!good || read != WL_READ_OK || (late && entry.size < 8) ||
        wl_check(bytes, entry.size, 0) != entry.body_check) {
        message_lost(store, item->position,
                     good ? "payload: checksum differs" : "entry: checksum differs");
        return WL_READ_ABSENT;
    }
    uint32_t before = late ? 8 : 0;
    *full = *used + entry.size > WL_ARENA_BYTES;
    if (*full)
        return WL_READ_OK;
    *out = (struct tw_delivery){
        .key = entry.key,
        .due_ms = late ? wl_load(bytes, 8) : entry.due,
        .payload = store->arena + *used,
        .size = entry.size - before,
    };
    memcpy(store->arena + *used, bytes + before, out->size);
    *used += out->size;
    return WL_READ_OK;
}

/* Takes what is due of the pointer's slot from the queue.  *last: the last place taken, if any was. */
static int slot_take(struct tw_store *store, uint64_t bound, struct tw_delivery *out, size_t max,
                     size_t *count, size_t *used, struct wl_place *last, bool *full)
{
    struct wl_queue *queue = &store->current.queue;
    struct wl_place cancelled = {0, 0};
    struct wl_item item;
    bool failed = false;
    uint64_t over = tick_start(store, store->live.tick + 1);
    while (*count < max && wl_queue_peek(queue, &item, &failed) && item.due <= bound &&
           item.due < over) {
        struct wl_place place = {item.due, item.position};
        if (!item.message) {
            cancelled = place;
        } else if (place.due != cancelled.due || place.position != cancelled.position) {
            enum wl_read read = message_read(store, &item, used, &out[*count], full);
            if (read == WL_READ_ERROR)
                return drain_failed(store);
            if (*full)
                return TW_STORE_OK;
            if (read == WL_READ_OK)
                store->batch[(*count)++] = place;
        }
        *last = place;
        wl_queue_pop(queue);
    }
    return failed ? drain_failed(store) : TW_STORE_OK;
}

static bool in_batch(const struct tw_store *store, size_t count, struct wl_place place)
{
    for (size_t i = 0; i < count; i++)
        if (store->batch[i].due == place.due && store->batch[i].position == place.position)
            return true;
    return false;
}

/* Is a cancel of what is in the batch under way? */
static bool batch_contested(const struct tw_store *store, size_t count)
{
    for (const struct tw_store_seat *seat = store->seats; seat; seat = seat->next)
        if (seat->cancelling.position && in_batch(store, count, seat->cancelling))
            return true;
    return false;
}

static bool is_late(const struct tw_store *store, struct wl_place place)
{
    for (size_t i = 0; i < store->late_count; i++)
        if (store->late[i].due == place.due && store->late[i].position == place.position)
            return true;
    return false;
}

/* How much of the batch may be handed out: not what is behind a message that was put since the poll began. */
static size_t batch_reach(const struct tw_store *store, size_t count)
{
    size_t reach = 0;
    while (reach < count && store->batch[reach].due <= store->log.fresh_due)
        reach++;
    return reach;
}

/* The batch is handed out from here on: a cancel that comes later is too late, one that came before takes its
 * message out of it.  *last: the last place taken from the queue. */
static bool batch_claim(struct tw_store *store, struct tw_delivery *out, size_t *count,
                        struct wl_place last, bool *met)
{
    struct wl_log *log = &store->log;
    size_t kept = 0;
    bool pushed = true;
    wl_log_lock(log);
    while (!log->broken && batch_contested(store, *count))
        pthread_cond_wait(&log->settled, &log->lock);
    /* A cancel that failed may stand in the log all the same: nothing is handed out any more. */
    size_t reach = log->broken ? 0 : batch_reach(store, *count);
    for (size_t i = reach; pushed && i < *count; i++)
        pushed =
            wl_queue_push(&store->current.queue,
                          (struct wl_item){store->batch[i].due, store->batch[i].position, true});
    /* What is cancelled was taken without a place in the batch: nor is anything passed over behind that. */
    if (reach < *count || last.due > log->fresh_due) {
        *met = true;
        last = reach ? store->batch[reach - 1] : store->handed;
    }
    for (size_t i = 0; i < reach; i++) {
        if (is_late(store, store->batch[i]))
            continue;
        store->batch[kept] = store->batch[i];
        out[kept++] = out[i];
    }
    *count = kept;
    if (wl_at_or_before(store->handed, last))
        store->handed = last;
    if (store->frontier < store->handed.due)
        store->frontier = store->handed.due;
    if (store->clamped < store->frontier)
        store->clamped = store->frontier;
    log->broken = log->broken || !pushed;
    wl_log_unlock(log);
    for (size_t i = 0; i < kept; i++) {
        size_t at = (store->undone_first + store->undone_count++) % store->undone_room;
        store->undone[at] = store->batch[i];
    }
    return pushed;
}

/* How far poll may hand out: not behind a message that is not committed yet. */
static int poll_begin(struct tw_store *store, uint64_t now_ms, uint64_t *bound)
{
    struct wl_log *log = &store->log;
    wl_log_lock(log);
    int answer = log->broken ? TW_STORE_BROKEN : TW_STORE_OK;
    /* Records of the cancels so far are committed from here on, and the walk meets them; not of those that come meanwhile. */
    store->bound = now_ms;
    store->late_count = 0;
    /* Under none nobody is about to write it: a message that is due, or the cancel of one. */
    if (answer == TW_STORE_OK && log->policy >= TW_SYNC_INTERVAL && log->written < log->end)
        answer = wl_log_flush(log, false);
    log->fresh_due = wl_log_least_due(log);
    *bound = log->fresh_due < now_ms ? log->fresh_due : now_ms;
    store->bound = *bound;
    wl_log_unlock(log);
    return answer;
}

/* One try.  *met: it ended early, at a message that is not committed or was put since it began. */
static int poll_try(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
                    size_t *count, bool *met)
{
    uint64_t bound;
    size_t used = 0;
    struct wl_place last = store->handed;
    bool full = false, moved = true;
    *count = 0;
    int answer = poll_begin(store, now_ms, &bound);
    *met = bound < now_ms;
    if (answer == TW_STORE_OK)
        answer = pointer_ready(store);
    while (answer == TW_STORE_OK && moved) {
        answer = slot_take(store, bound, out, max, count, &used, &last, &full);
        moved = false;
        if (answer == TW_STORE_OK && *count < max && !full)
            answer = pointer_move(store, bound, *count, &moved, met);
    }
    *met = *met || *count > 0; /* a claim may leave nothing of a batch */
    /* What was taken from the queue is handed out, whatever came after it. */
    if (!batch_claim(store, out, count, last, met))
        return TW_STORE_MEMORY;
    return *count ? TW_STORE_OK : answer;
}

int wl_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
            size_t *count)
{
    bool met = true;
    *count = 0;
    if (!batch_make_room(store, max))
        return TW_STORE_MEMORY;
    int answer = wl_keep_up(store);
    while (answer == TW_STORE_OK && met && *count == 0) {
        answer = poll_try(store, now_ms, out, max, count, &met);
        if (answer == TW_STORE_OK && met && *count == 0) {
            wl_log_lock(&store->log);
            answer = wl_log_flush(&store->log, false);
            wl_log_unlock(&store->log);
        }
    }
    return answer;
}

int wl_done(struct tw_store *store, size_t count)
{
    struct wl_log *log = &store->log;
    if (count == 0 || count > store->undone_count)
        return count ? TW_STORE_BAD : TW_STORE_OK;
    struct wl_place to = store->undone[(store->undone_first + count - 1) % store->undone_room];
    int answer = TW_STORE_OK;
    wl_log_lock(log);
    if (log->broken) {
        answer = TW_STORE_BROKEN;
    } else if (store->settings.position) {
        struct wl_ticket ticket = wl_log_join(log);
        struct wl_entry entry = {
            .kind = WL_DONE, .body_check = (uint32_t)count, .due = to.due, .key = to.position};
        uint64_t position;
        answer = wl_log_make_room(log, &ticket, 0);
        if (answer == TW_STORE_OK)
            answer = wl_log_append(log, &ticket, &entry, NULL, NULL, &position);
        if (answer == TW_STORE_OK)
            answer = wl_log_settle_behind(log, &ticket);
    } else {
        wl_pending_take(&log->pending, count);
    }
    wl_log_unlock(log);
    if (answer != TW_STORE_OK)
        return answer;
    uint64_t slot = to.due / store->settings.slot_ms;
    if (store->floor.due / store->settings.slot_ms != slot)
        store->done_in_slot = 0;
    store->done_in_slot += count;
    store->floor = to;
    store->undone_first = (store->undone_first + count) % store->undone_room;
    store->undone_count -= count;
    return TW_STORE_OK;
}

/* ---- Looking ahead. --------------------------------------------------------------------------- */

uint64_t wl_next(struct tw_store *store)
{
    struct wl_log *log = &store->log;
    struct wl_item item;
    bool failed = false;
    uint64_t next = TW_STORE_NEVER, end = hour_start(store, store->current.hour + 1);
    if (store->current.begun && wl_queue_peek(&store->current.queue, &item, &failed))
        next = item.due;
    wl_log_lock(log);
    uint64_t live = tick_start(store, store->live.tick);
    uint64_t opened = hour_start(store, store->opened + 1);
    if (!store->current.begun && wl_head(&log->wheel, true, live) && live < next)
        next = live;
    if (wl_log_head(log, live) > store->live.seen && store->frontier < next)
        next = store->frontier;
    if (wl_log_least_due(log) < next)
        next = wl_log_least_due(log);
    uint64_t behind = wl_next_entry(&log->wheel, false, tick_start(store, store->live.tick + 1),
                                    opened < next ? opened : next);
    if (behind < opened && behind < next)
        next = behind;
    /* Hours behind the current one, and as far as there are rounds. */
    uint64_t last =
        end + (uint64_t)store->settings.hours * (WL_COARSE_ROUNDS + 1) * wl_hour_ms(&log->wheel);
    behind = wl_next_entry(&log->wheel, true, end, last < next ? last : next);
    if (behind < last && behind < next)
        next = behind;
    wl_log_unlock(log);
    return next;
}

int wl_preload(struct tw_store *store, uint64_t now_ms, bool *more)
{
    int answer = TW_STORE_OK;
    uint64_t ahead_ms = store->settings.preload_s * 1000, hour = store->current.hour;
    uint64_t now_tick = wl_tick(&store->log.wheel, now_ms);
    /* While the pointer catches up there is no ahead. */
    if (ahead_ms == 0 || !store->current.begun || hour != now_tick / store->settings.slots)
        return TW_STORE_OK;
    if (now_ms + ahead_ms >= hour_start(store, hour + 1) && hour_has_round(store, hour + 1)) {
        if (!store->next.begun || store->next.hour != hour + 1)
            answer = hour_begin(store, &store->next, hour + 1);
        if (answer == TW_STORE_OK && !store->next.loaded) {
            answer = hour_load(store, &store->next, WL_PIECE, &store->preloaded);
            *more = *more || !store->next.loaded;
        }
    }
    uint64_t tick = now_tick + 1;
    if (answer != TW_STORE_OK || store->live.tick != now_tick)
        return answer;
    struct wl_hour *of = tick / store->settings.slots == hour ? &store->current : &store->next;
    if (!of->begun || of->hour != tick / store->settings.slots)
        return answer;
    if (store->ahead.tick != tick) {
        walked_end(&store->ahead);
        store->ahead.tick = tick;
    }
    bool over;
    answer = slot_walk(store, &store->ahead, &of->queue, WL_PIECE, &store->preloaded, &over);
    *more = *more || store->ahead.head;
    return answer;
}

void wl_drain_close(struct tw_store *store)
{
    hour_end(&store->current);
    hour_end(&store->next);
    walked_end(&store->live);
    walked_end(&store->ahead);
    wl_window_close(&store->window);
    free(store->undone);
    free(store->batch);
    free(store->late);
    free(store->arena);
}
