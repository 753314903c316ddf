/*
 * redis_wheel.c - S17, a wheel in Redis: a list for each absolute slot of time, and a checkpoint of the slot done last.
 *
 *     s:<slot>:<n>   list of the messages due in [slot, slot + 1) x `slot` ms, in order of put
 *     c:<slot>:<n>   set of the keys cancelled in it
 *     w:<slot>:<m>   a list that was moved aside to be worked off, and its cancelled keys
 *     x:<slot>:<m>
 *     checkpoint     hash: "slot" -> the slot done last; m -> position in w:<slot>:<m>, and how many were done
 *
 *     put     RPUSH, one for each run of messages of one slot
 *     cancel  SADD: a list cannot be searched cheaply
 *     poll    slots that are over are moved aside by a script (RENAME), sixteen in one go, then read by LRANGE in runs
 *     done    MULTI, UNLINK of the lists that are used up, HSET checkpoint, EXEC
 *
 * The pointer does not walk over empty slots: this process knows which slots are in use, from SCAN at open and from its own
 * puts.  A list is moved aside once and never grows again: poll waits for the puts that had chosen it, and a
 * put into a slot that was worked off begins a list with another n.  So the handle, slot and n, is enough to know whether a
 * cancel came in time.  What was moved aside counts as handed out, though it may be read later.
 *
 * Acknowledged rests on the append-only file of the server (redis_server.h).
 *
 * Exactly once rests on `position`=1 and on a list's order, which is the same after recovery: open goes on at the
 * checkpoint's position in each list that was worked off.  With `position`=0 the checkpoint knows slots only: nothing
 * is lost, because the list is there until it is done, but what was done of it comes again (claim T21).
 */
#include "redis_server.h"
#include "store_parts.h"

#include <inttypes.h>
#include <stdlib.h>

extern const struct tw_store_backend tw_store_redis_wheel;

#define SLOT_MS    1000
#define SLOT_BITS  40 /* of a handle; the rest is the list's n */
#define SLOT_MAX   ((UINT64_C(1) << SLOT_BITS) - 1)
#define LIST_MASK  ((UINT64_C(1) << (64 - SLOT_BITS)) - 1)
#define LIST_BLOCK "65536" /* numbers of lists set aside for one open */
#define RUN_MAX    256u    /* messages that one command reads, or those of one go together */
#define TAKES      16u     /* lists moved aside in one go */
#define TURN_BYTES 14000u  /* what the server surely reads in one turn of its loop */
#define HEAD_BYTES (16u + STORE_SEAL_BYTES) /* of a message: key, due, seal */

/* A list that was moved aside.  What lies before `read` is handed out, cancelled or damaged. */
struct work {
    uint64_t slot, number, total, read, outstanding, done, position;
    bool is_touched; /* by the done under way */
    struct store_set cancelled;
};

/* What was handed out: of which work, and where it lay. */
struct handed {
    uint64_t number, at;
};

struct tw_store_seat {
    struct tw_store *store;
    struct redis_link *link;
    struct tw_store_seat *next; /* of the store's, under the lock */
    uint64_t lowest;            /* slot of the call under way; NO_SLOT: none */
};
#define NO_SLOT UINT64_MAX

struct tw_store {
    struct store_directory directory;
    struct redis_server server;
    struct redis_link *link; /* the dispatcher's */
    char take[41];
    enum tw_sync_policy sync;
    uint64_t slot_ms, recovered;
    bool keeps_position;

    /* Shared by those that put and the dispatcher, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t left; /* a call is over */
    struct tw_store_seat *seats;
    uint64_t limit;         /* slots below it may have been worked off */
    uint64_t list_number;   /* of the last list for a slot below the limit */
    struct store_set used;  /* slots with a list -> its n */
    struct store_set least; /* and its least due */
    uint64_t *heap;         /* the same slots, least first */
    size_t heap_count, heap_room;

    /* The dispatcher's. */
    struct work *works;
    size_t work_count, work_room;
    uint64_t work_number; /* of the next */
    uint64_t slot_done;   /* last, and highest */
    struct handed *handed;
    size_t handed_first, handed_count, handed_room;
    struct store_payloads payloads;
    atomic_uint_least64_t pending, damaged, checkpoints;
};

static const struct tw_param redis_wheel_params[] = {
    {"slot", "width of a slot in ms (default: 1000)", 10, 3600000, 1},
    {"position", "1: the checkpoint has the position in the slot, 0: the slot alone (default: 1)",
     0, 1, 1},
    {NULL, NULL, 0, 0, 0},
};

/* KEYS: list, its cancelled, where both go; ARGV: how many to read.  Returns how long the list is, the cancelled keys
 * and the first of the list. */
static const char take_text[] =
    "if redis.call('EXISTS', KEYS[1]) == 0 then return {0, {}, {}} end "
    "local cancelled = {} "
    "redis.call('RENAME', KEYS[1], KEYS[3]) "
    "if redis.call('EXISTS', KEYS[2]) == 1 then"
    " redis.call('RENAME', KEYS[2], KEYS[4]) cancelled = redis.call('SMEMBERS', KEYS[4]) "
    "end "
    "return {redis.call('LLEN', KEYS[3]), cancelled,"
    " redis.call('LRANGE', KEYS[3], 0, ARGV[1] - 1)}";

/* ---- Commands. -------------------------------------------------------------------------------- */

/* Of a list's name, behind its kind: slot and n. */
#define NAME           ":%" PRIu64 ":%" PRIu64
#define HANDLE(handle) (handle) & SLOT_MAX, (handle) >> SLOT_BITS

static void message_add(struct redis_link *link, const struct tw_message *message)
{
    unsigned char *out = redis_space(link, HEAD_BYTES + message->size);
    if (!out)
        return;
    store_put64(out, message->key);
    store_put64(out + 8, message->due_ms);
    store_sealed_put(out + 16, message);
}

/* ---- Slots in use, under the lock. ------------------------------------------------------------ */

static bool used_reserve(struct tw_store *store, size_t more)
{
    return store_set_reserve(&store->used, more) && store_set_reserve(&store->least, more) &&
           store_room(&store->heap, &store->heap_room, store->heap_count + more,
                      sizeof *store->heap);
}

static void used_add(struct tw_store *store, uint64_t slot, uint64_t number, uint64_t due)
{
    size_t at = store->heap_count++;
    for (; at > 0 && slot < store->heap[(at - 1) / 2]; at = (at - 1) / 2)
        store->heap[at] = store->heap[(at - 1) / 2];
    store->heap[at] = slot;
    store_set_add(&store->used, slot, number);
    store_set_add(&store->least, slot, due);
}

/* The list of a slot, as a handle: the one in use, or a new one. */
static uint64_t used_list(struct tw_store *store, uint64_t slot, uint64_t due)
{
    const uint64_t *number = store_set_find(&store->used, slot);
    if (!number) {
        if (slot < store->limit)
            store->list_number = (store->list_number + 1) & LIST_MASK;
        used_add(store, slot, slot < store->limit ? store->list_number : 0, due);
        number = store_set_find(&store->used, slot);
    } else if (due < *store_set_find(&store->least, slot))
        store_set_add(&store->least, slot, due);
    return *number << SLOT_BITS | slot;
}

/* Takes the earliest slot off; its list, as a handle. */
static uint64_t used_pop(struct tw_store *store)
{
    uint64_t *heap = store->heap, first = heap[0], last = heap[--store->heap_count];
    uint64_t number = *store_set_find(&store->used, first);
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < store->heap_count; at = child) {
        if (child + 1 < store->heap_count && heap[child + 1] < heap[child])
            child++;
        if (last <= heap[child])
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    store_set_remove(&store->used, first);
    store_set_remove(&store->least, first);
    return number << SLOT_BITS | first;
}

/* ---- Puts and cancels. ------------------------------------------------------------------------ */

/* Chooses the list of each message, which is not moved aside before the seat leaves; false without memory.  A list may
 * stay empty, if the put fails: then there is none to be moved. */
static bool lists_choose(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    struct tw_store *store = seat->store;
    pthread_mutex_lock(&store->lock);
    bool has_room = used_reserve(store, count);
    for (size_t i = 0; has_room && i < count; i++) {
        uint64_t slot = messages[i].due_ms / store->slot_ms;
        messages[i].handle = used_list(store, slot, messages[i].due_ms);
        if (slot < seat->lowest)
            seat->lowest = slot;
    }
    pthread_mutex_unlock(&store->lock);
    return has_room;
}

static void lists_leave(struct tw_store_seat *seat)
{
    pthread_mutex_lock(&seat->store->lock);
    seat->lowest = NO_SLOT;
    pthread_cond_signal(&seat->store->left);
    pthread_mutex_unlock(&seat->store->lock);
}

static size_t messages_add(struct redis_link *link, const struct tw_message *messages, size_t count)
{
    char name[48];
    size_t commands = 0;
    for (size_t i = 0, run; i < count; i += run, commands++) {
        for (run = 1; i + run < count && messages[i + run].handle == messages[i].handle; run++) {
        }
        redis_command(link, 2 + run);
        redis_word(link, "RPUSH");
        snprintf(name, sizeof name, "s" NAME, HANDLE(messages[i].handle));
        redis_word(link, name);
        for (size_t m = 0; m < run; m++)
            message_add(link, &messages[i + m]);
    }
    return commands;
}

static int redis_wheel_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    struct tw_store *store = seat->store;
    struct redis_link *link = seat->link;
    size_t bytes = 0;
    int answer = redis_health(&store->server);
    if (answer != TW_STORE_OK)
        return answer;
    for (size_t i = 0; i < count; i++) {
        if (messages[i].size > TW_PAYLOAD_MAX || messages[i].due_ms / store->slot_ms > SLOT_MAX)
            return TW_STORE_RANGE;
        bytes += messages[i].size + HEAD_BYTES + 50;
    }
    if (!lists_choose(seat, messages, count))
        return TW_STORE_MEMORY;
    bool is_one = count > 1 && bytes > TURN_BYTES && store->sync <= TW_SYNC_GROUP;
    if (is_one) {
        redis_say(link, "MULTI");
    }
    size_t commands = messages_add(link, messages, count);
    if (is_one) {
        redis_say(link, "EXEC");
        commands += 2;
    }
    answer = redis_call(link, commands, NULL);
    if (answer == TW_STORE_OK)
        atomic_fetch_add(&store->pending, count);
    lists_leave(seat);
    return answer;
}

static int redis_wheel_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms,
                              uint64_t handle)
{
    struct tw_store *store = seat->store;
    (void)due_ms;
    int answer = redis_health(&store->server);
    if (answer != TW_STORE_OK)
        return answer;
    pthread_mutex_lock(&store->lock);
    const uint64_t *number = store_set_find(&store->used, handle & SLOT_MAX);
    bool is_there = number && *number == handle >> SLOT_BITS;
    if (is_there)
        seat->lowest = handle & SLOT_MAX;
    pthread_mutex_unlock(&store->lock);
    if (!is_there)
        return TW_STORE_TOO_LATE;
    unsigned char bytes[8];
    store_put64(bytes, key);
    answer = redis_ask(seat->link, NULL, "SADD c" NAME " %b", HANDLE(handle), bytes, sizeof bytes);
    if (answer == TW_STORE_OK)
        atomic_fetch_sub(&store->pending, 1);
    lists_leave(seat);
    return answer == TW_STORE_OK ? TW_STORE_CANCELLED : answer;
}

/* ---- Taking a list. --------------------------------------------------------------------------- */

/* Whether a call is under way that may have chosen the slot; under the lock. */
static bool is_under_way(const struct tw_store *store, uint64_t slot)
{
    for (const struct tw_store_seat *seat = store->seats; seat; seat = seat->next)
        if (seat->lowest <= slot)
            return true;
    return false;
}

/* The earliest list that is over and before `before`, in *handle, when nobody puts into it any more; false if there
 * is none. */
static bool list_next(struct tw_store *store, uint64_t now_ms, uint64_t before, uint64_t *handle)
{
    uint64_t over = (now_ms + 1) / store->slot_ms; /* a slot is over with its last millisecond */
    pthread_mutex_lock(&store->lock);
    bool found = store->heap_count > 0 && store->heap[0] < over && store->heap[0] < before;
    if (found) {
        uint64_t slot = store->heap[0];
        if (slot >= store->limit)
            store->limit = slot + 1;
        *handle = used_pop(store);
        while (is_under_way(store, slot))
            pthread_cond_wait(&store->left, &store->lock);
    }
    pthread_mutex_unlock(&store->lock);
    return found;
}

static struct work *work_new(struct tw_store *store)
{
    if (!store_room(&store->works, &store->work_room, store->work_count + 1, sizeof *store->works))
        return NULL;
    struct work *work = &store->works[store->work_count];
    *work = (struct work){0};
    return work;
}

static int cancelled_add(struct work *work, const redisReply *keys)
{
    if (!store_set_reserve(&work->cancelled, keys->elements))
        return TW_STORE_MEMORY;
    for (size_t i = 0; i < keys->elements; i++)
        if (keys->element[i]->len == 8)
            store_set_add(&work->cancelled,
                          store_get64((const unsigned char *)keys->element[i]->str), 0);
    return TW_STORE_OK;
}

/* A command that moves a list aside and reads the first of it. */
static void take_add(struct tw_store *store, uint64_t handle, uint64_t number, size_t most)
{
    redis_say(store->link, "EVALSHA %s 4 s" NAME " c" NAME " w" NAME " x" NAME " %" PRIu64,
              store->take, HANDLE(handle), HANDLE(handle), handle & SLOT_MAX, number,
              handle & SLOT_MAX, number, (uint64_t)most);
}

/* The list is off the books here, and what is in it known to the server alone: if that goes wrong, the store is
 * broken.  *work: NULL for a list that was never filled. */
static int take_answer(struct tw_store *store, uint64_t handle, uint64_t number, redisReply **reply,
                       struct work **work)
{
    *work = work_new(store);
    int answer = redis_reply(store->link, reply);
    if (answer == TW_STORE_OK && !*work) {
        freeReplyObject(*reply);
        answer = TW_STORE_MEMORY;
    }
    if (answer == TW_STORE_OK) {
        (*work)->slot = handle & SLOT_MAX;
        (*work)->number = number;
        (*work)->total = (uint64_t)(*reply)->element[0]->integer;
        answer = cancelled_add(*work, (*reply)->element[1]);
        store->work_count += (*work)->total > 0;
        if ((*work)->total == 0)
            *work = NULL;
        if (answer != TW_STORE_OK)
            freeReplyObject(*reply);
    }
    if (answer != TW_STORE_OK)
        atomic_store(&store->server.broken, true);
    return answer;
}

/* ---- Handing out. ----------------------------------------------------------------------------- */

static bool handed_reserve(struct tw_store *store, size_t more)
{
    size_t needed = store->handed_count + more;
    if (store->handed_first > store->handed_count) {
        memmove(store->handed, store->handed + store->handed_first,
                store->handed_count * sizeof *store->handed);
        store->handed_first = 0;
    }
    return store_room(&store->handed, &store->handed_room, store->handed_first + needed,
                      sizeof *store->handed);
}

/* One message of a list.  One that was cancelled, or that its seal does not fit, is passed over. */
static int message_take(struct tw_store *store, struct work *work, const redisReply *part,
                        struct tw_delivery *out, size_t *count)
{
    const unsigned char *bytes = (const unsigned char *)part->str;
    uint64_t at = work->read;
    if (part->len < HEAD_BYTES || !store_sealed_fits(bytes + 16, part->len - 16, store_get64(bytes),
                                                     store_get64(bytes + 8))) {
        atomic_fetch_add(&store->damaged, 1);
        work->read++;
        return TW_STORE_OK;
    }
    uint64_t key = store_get64(bytes);
    if (store_set_find(&work->cancelled, key)) {
        work->read++;
        return TW_STORE_OK;
    }
    uint32_t size = (uint32_t)(part->len - HEAD_BYTES);
    void *copy = store_payloads_copy(&store->payloads, bytes + HEAD_BYTES, size);
    if (!copy)
        return TW_STORE_MEMORY;
    out[(*count)++] = (struct tw_delivery){key, store_get64(bytes + 8), copy, size};
    store->handed[store->handed_first + store->handed_count++] = (struct handed){work->number, at};
    work->outstanding++;
    work->read++;
    return TW_STORE_OK;
}

/* A run of a list. */
static int work_read(struct tw_store *store, struct work *work, struct tw_delivery *out, size_t max,
                     size_t *count)
{
    redisReply *reply;
    size_t most = max - *count < RUN_MAX ? max - *count : RUN_MAX;
    if (!handed_reserve(store, most))
        return TW_STORE_MEMORY;
    int answer = redis_ask(store->link, &reply, "LRANGE w" NAME " %" PRIu64 " %" PRIu64, work->slot,
                           work->number, work->read, work->read + most - 1);
    if (answer != TW_STORE_OK)
        return answer;
    if (reply->elements == 0)
        work->read = work->total;
    for (size_t i = 0; answer == TW_STORE_OK && i < reply->elements; i++)
        answer = message_take(store, work, reply->element[i], out, count);
    freeReplyObject(reply);
    return answer;
}

/* Moves some lists aside, all in one go and in the order of their slots, and hands out what was read of them as far as
 * nothing before it is left.  *taken: how many. */
static int works_take(struct tw_store *store, uint64_t now_ms, uint64_t before,
                      struct tw_delivery *out, size_t max, size_t *count, size_t *taken)
{
    uint64_t handles[TAKES], first = store->work_number;
    bool is_last_read = true;
    *taken = 0;
    if (!handed_reserve(store, max - *count))
        return TW_STORE_MEMORY;
    while (*taken < TAKES && list_next(store, now_ms, before, &handles[*taken]))
        ++*taken;
    for (size_t i = 0; i < *taken; i++)
        take_add(store, handles[i], store->work_number++, RUN_MAX / *taken);
    int answer = *taken > 0 ? redis_send(store->link) : TW_STORE_OK;
    if (answer != TW_STORE_OK)
        atomic_store(&store->server.broken, true);
    for (size_t i = 0; answer == TW_STORE_OK && i < *taken; i++) {
        redisReply *reply;
        struct work *work;
        answer = take_answer(store, handles[i], first + i, &reply, &work);
        if (answer != TW_STORE_OK)
            break;
        const redisReply *parts = reply->element[2];
        for (size_t p = 0; work && is_last_read && answer == TW_STORE_OK && p < parts->elements;
             p++)
            if (*count < max && !store_payloads_full(&store->payloads))
                answer = message_take(store, work, parts->element[p], out, count);
        is_last_read = is_last_read && (!work || work->read == work->total);
        freeReplyObject(reply);
    }
    return answer;
}

static bool is_before(const struct work *left, const struct work *right)
{
    return left->slot != right->slot ? left->slot < right->slot : left->number < right->number;
}

/* The first work that is over and not read to its end, or NULL: that of the earliest slot, of these the one moved aside
 * first, which is the same after recovery.  The clock may have gone back across it. */
static struct work *work_first(struct tw_store *store, uint64_t now_ms)
{
    struct work *first = NULL;
    for (size_t i = 0; i < store->work_count; i++) {
        struct work *work = &store->works[i];
        if (work->read < work->total && work->slot < (now_ms + 1) / store->slot_ms &&
            (!first || is_before(work, first)))
            first = work;
    }
    return first;
}

static int redis_wheel_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out,
                            size_t max, size_t *count)
{
    *count = 0;
    store_payloads_reset(&store->payloads);
    int answer = redis_health(&store->server);
    while (answer == TW_STORE_OK && *count < max && !store_payloads_full(&store->payloads)) {
        size_t taken;
        struct work *work = work_first(store, now_ms);
        answer = works_take(store, now_ms, work ? work->slot : NO_SLOT, out, max, count, &taken);
        if (answer != TW_STORE_OK || taken > 0)
            continue;
        if (!work)
            break;
        answer = work_read(store, work, out, max, count);
    }
    return *count > 0 ? TW_STORE_OK : answer;
}

/* ---- Done. ------------------------------------------------------------------------------------ */

static bool is_used_up(const struct work *work)
{
    return work->read == work->total && work->outstanding == 0;
}

/* Books the first `count` handed out as done with their works. */
static void works_book(struct tw_store *store, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct handed *handed = &store->handed[store->handed_first + i];
        while (store->works[at].number != handed->number)
            at = at + 1 < store->work_count ? at + 1 : 0;
        struct work *work = &store->works[at];
        work->outstanding--;
        work->done++;
        work->position = handed->at + 1;
        work->is_touched = true;
    }
}

/* What a done writes; the number of commands within MULTI and EXEC, 0 if there is nothing to write. */
static size_t checkpoint_add(struct tw_store *store)
{
    struct redis_link *link = store->link;
    size_t commands = 0;
    for (size_t i = 0; i < store->work_count; i++) {
        struct work *work = &store->works[i];
        char text[48];
        if (is_used_up(work)) {
            store->slot_done = work->slot > store->slot_done ? work->slot : store->slot_done;
            redis_say(link, "UNLINK w" NAME " x" NAME, work->slot, work->number, work->slot,
                      work->number);
            redis_say(link, "HDEL checkpoint %" PRIu64, work->number);
            redis_say(link, "HSET checkpoint slot %" PRIu64, store->slot_done);
            commands += 3;
        } else if (work->is_touched && store->keeps_position) {
            snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, work->position, work->done);
            redis_say(link, "HSET checkpoint %" PRIu64 " %s", work->number, text);
            commands++;
        }
        work->is_touched = false;
    }
    return commands;
}

static void works_forget(struct tw_store *store)
{
    size_t kept = 0;
    for (size_t i = 0; i < store->work_count; i++) {
        if (is_used_up(&store->works[i]))
            store_set_free(&store->works[i].cancelled);
        else
            store->works[kept++] = store->works[i];
    }
    store->work_count = kept;
}

static int redis_wheel_done(struct tw_store *store, size_t count)
{
    int answer = redis_health(&store->server);
    if (count > store->handed_count)
        count = store->handed_count;
    if (answer != TW_STORE_OK || count == 0)
        return answer;
    works_book(store, count);
    redis_say(store->link, "MULTI");
    size_t commands = checkpoint_add(store);
    redis_say(store->link, "EXEC");
    if (commands > 0) {
        answer = redis_call(store->link, commands + 2, NULL);
        atomic_fetch_add(&store->checkpoints, 1);
    } else
        store->link->size = 0;
    if (answer != TW_STORE_OK) {
        atomic_store(&store->server.broken, true);
        return answer;
    }
    works_forget(store);
    store->handed_first += count;
    store->handed_count -= count;
    atomic_fetch_sub(&store->pending, count);
    return TW_STORE_OK;
}

/* ---- Opening: which lists are there. ---------------------------------------------------------- */

/* A key that SCAN found. */
struct found {
    char kind; /* s, c, w or x */
    uint64_t slot, number;
};

struct findings {
    struct found *at;
    size_t count, room;
};

static bool finding_add(struct findings *findings, const char *name)
{
    struct found found;
    unsigned long long slot, number;
    if (sscanf(name, "%c:%llu:%llu", &found.kind, &slot, &number) != 3)
        return true;
    found.slot = slot;
    found.number = number;
    if (!store_room(&findings->at, &findings->room, findings->count + 1, sizeof found))
        return false;
    findings->at[findings->count++] = found;
    return true;
}

static int keys_scan(struct tw_store *store, struct findings *findings)
{
    char cursor[32] = "0";
    do {
        redisReply *reply;
        int answer = redis_ask(store->link, &reply, "SCAN %s COUNT 1000", cursor);
        if (answer != TW_STORE_OK)
            return answer;
        snprintf(cursor, sizeof cursor, "%s", reply->element[0]->str);
        const redisReply *names = reply->element[1];
        bool has_room = true;
        for (size_t i = 0; has_room && i < names->elements; i++)
            has_room = finding_add(findings, names->element[i]->str);
        freeReplyObject(reply);
        if (!has_room)
            return TW_STORE_MEMORY;
    } while (strcmp(cursor, "0") != 0);
    return TW_STORE_OK;
}

static int by_name(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind - b->kind;
    return a->slot != b->slot ? (a->slot > b->slot ? 1 : -1)
                              : (a->number > b->number) - (a->number < b->number);
}

/* A scan may name a key twice. */
static void findings_sort(struct findings *findings)
{
    size_t kept = 0;
    if (findings->count > 0)
        qsort(findings->at, findings->count, sizeof *findings->at, by_name);
    for (size_t i = 0; i < findings->count; i++)
        if (i == 0 || by_name(&findings->at[i], &findings->at[kept - 1]) != 0)
            findings->at[kept++] = findings->at[i];
    findings->count = kept;
}

static bool is_list(const struct found *found)
{
    return found->kind == 's' || found->kind == 'w';
}

/* Takes up a list or a work of so many elements. */
static int finding_take(struct tw_store *store, const struct found *found, uint64_t length)
{
    if (found->kind == 's') {
        /* Two lists of one slot: this one is moved aside at once. */
        if (store_set_find(&store->used, found->slot)) {
            redisReply *reply;
            struct work *work;
            uint64_t handle = found->number << SLOT_BITS | found->slot;
            take_add(store, handle, store->work_number, 1);
            int answer = redis_send(store->link);
            if (answer == TW_STORE_OK)
                answer = take_answer(store, handle, store->work_number++, &reply, &work);
            if (answer == TW_STORE_OK)
                freeReplyObject(reply);
            return answer;
        }
        if (!used_reserve(store, 1))
            return TW_STORE_MEMORY;
        used_add(store, found->slot, found->number, found->slot * store->slot_ms);
    } else if (found->kind == 'w') {
        struct work *work = work_new(store);
        if (!work)
            return TW_STORE_MEMORY;
        work->slot = found->slot;
        work->number = found->number;
        work->total = length;
        store->work_count++;
        if (found->number >= store->work_number)
            store->work_number = found->number + 1;
    }
    return TW_STORE_OK;
}

/* Asks how long each is, a thousand in one go, and counts what is in lists and not cancelled there. */
static int findings_ask(struct tw_store *store, const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i += 1000) {
        size_t end = i + 1000 < findings->count ? i + 1000 : findings->count;
        uint64_t lengths[1000];
        for (size_t f = i; f < end; f++) {
            const struct found *found = &findings->at[f];
            redis_say(store->link, "%s %s" NAME, is_list(found) ? "LLEN" : "SCARD",
                      (char[]){found->kind, '\0'}, found->slot, found->number);
        }
        int answer = redis_send(store->link);
        for (size_t f = i; answer == TW_STORE_OK && f < end; f++) {
            redisReply *reply;
            answer = redis_reply(store->link, &reply);
            if (answer != TW_STORE_OK)
                break;
            lengths[f - i] = (uint64_t)reply->integer;
            store->recovered += is_list(&findings->at[f]) ? lengths[f - i] : -lengths[f - i];
            freeReplyObject(reply);
        }
        for (size_t f = i; answer == TW_STORE_OK && f < end; f++)
            answer = finding_take(store, &findings->at[f], lengths[f - i]);
        if (answer != TW_STORE_OK)
            return answer;
    }
    return TW_STORE_OK;
}

/* How far a work had come: what the checkpoint says of it, and what is cancelled in it. */
static int work_resume(struct tw_store *store, struct work *work)
{
    redisReply *reply;
    unsigned long long position = 0, done = 0;
    int answer = redis_ask(store->link, &reply, "HGET checkpoint %" PRIu64, work->number);
    if (answer != TW_STORE_OK)
        return answer;
    if (reply->type == REDIS_REPLY_STRING && sscanf(reply->str, "%llu %llu", &position, &done) != 2)
        answer = TW_STORE_IO;
    freeReplyObject(reply);
    work->read = work->position = position;
    work->done = done;
    store->recovered -= done;
    if (answer != TW_STORE_OK)
        return answer;
    answer = redis_ask(store->link, &reply, "SMEMBERS x" NAME, work->slot, work->number);
    if (answer != TW_STORE_OK)
        return answer;
    answer = cancelled_add(work, reply);
    freeReplyObject(reply);
    return answer;
}

/* Numbers of lists that no earlier open has given out. */
static int numbers_reserve(struct tw_store *store)
{
    redisReply *reply;
    int answer = redis_ask(store->link, &reply, "HINCRBY checkpoint lists %s", LIST_BLOCK);
    if (answer != TW_STORE_OK)
        return answer;
    store->list_number = (uint64_t)reply->integer & LIST_MASK;
    freeReplyObject(reply);
    return TW_STORE_OK;
}

static int messages_find(struct tw_store *store)
{
    struct findings findings = {0};
    int answer = keys_scan(store, &findings);
    if (answer == TW_STORE_OK) {
        findings_sort(&findings);
        /* Works have their numbers before another list is moved aside. */
        for (size_t i = 0; i < findings.count; i++)
            if (findings.at[i].kind == 'w' && findings.at[i].number >= store->work_number)
                store->work_number = findings.at[i].number + 1;
        answer = findings_ask(store, &findings);
    }
    free(findings.at);
    for (size_t i = 0; answer == TW_STORE_OK && i < store->work_count; i++)
        if (store->works[i].cancelled.room == 0)
            answer = work_resume(store, &store->works[i]);
    if (answer == TW_STORE_OK)
        answer = numbers_reserve(store);
    atomic_store(&store->pending, store->recovered);
    return answer;
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static int redis_wheel_start(struct tw_store *store, const struct tw_store_config *config,
                             struct tw_error *error)
{
    int answer = redis_start(&store->server, &store->directory, config, error);
    if (answer != TW_STORE_OK)
        return answer;
    store->link = redis_link_open(&store->server);
    answer = store->link ? redis_script(store->link, take_text, store->take) : TW_STORE_LOST;
    if (answer == TW_STORE_OK)
        answer = messages_find(store);
    if (answer != TW_STORE_OK)
        snprintf(error->text, sizeof error->text, "redis-server: what waits cannot be read");
    return answer;
}

static int redis_wheel_close(struct tw_store *store)
{
    redis_link_close(store->link);
    int answer = redis_end(&store->server);
    store_directory_close(&store->directory);
    store_payloads_free(&store->payloads);
    for (size_t i = 0; i < store->work_count; i++)
        store_set_free(&store->works[i].cancelled);
    store_set_free(&store->used);
    store_set_free(&store->least);
    pthread_cond_destroy(&store->left);
    pthread_mutex_destroy(&store->lock);
    free(store->works);
    free(store->handed);
    free(store->heap);
    free(store);
    return answer;
}

static int redis_wheel_make(struct tw_store *store, const struct tw_store_config *config,
                            struct tw_error *error)
{
    char line[64];
    store->sync = config->sync;
    store->slot_ms = store_setting(config, "slot", SLOT_MS);
    store->slot_ms = store->slot_ms > 0 ? store->slot_ms : SLOT_MS;
    store->keeps_position = store_setting(config, "position", 1) != 0;
    store->limit = config->now_ms / store->slot_ms;
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->left, NULL);
    snprintf(line, sizeof line, "redis-wheel 1 slot=%llu", (unsigned long long)store->slot_ms);
    int answer = store_directory_open(&store->directory, config->directory, line, error);
    if (answer == TW_STORE_OK)
        answer = redis_wheel_start(store, config, error);
    return answer;
}

STORE_OPEN(redis_wheel, tw_store_redis_wheel, redis_wheel_make, redis_wheel_close)

static struct tw_store_seat *redis_wheel_enter(struct tw_store *store)
{
    struct tw_store_seat *seat = malloc(sizeof *seat);
    struct redis_link *link = seat ? redis_link_open(&store->server) : NULL;
    if (!link) {
        free(seat);
        return NULL;
    }
    pthread_mutex_lock(&store->lock);
    *seat = (struct tw_store_seat){store, link, store->seats, NO_SLOT};
    store->seats = seat;
    pthread_mutex_unlock(&store->lock);
    return seat;
}

static void redis_wheel_leave(struct tw_store_seat *seat)
{
    struct tw_store *store = seat->store;
    pthread_mutex_lock(&store->lock);
    struct tw_store_seat **at = &store->seats;
    while (*at != seat)
        at = &(*at)->next;
    *at = seat->next;
    pthread_mutex_unlock(&store->lock);
    redis_link_close(seat->link);
    free(seat);
}

/* ---- The other hooks. ------------------------------------------------------------------------- */

static uint64_t redis_wheel_next(struct tw_store *store)
{
    const struct work *work = work_first(store, UINT64_MAX - 1);
    uint64_t next = work ? work->slot * store->slot_ms : TW_STORE_NEVER;
    pthread_mutex_lock(&store->lock);
    if (store->heap_count > 0) {
        uint64_t least = *store_set_find(&store->least, store->heap[0]);
        next = least < next ? least : next;
    }
    pthread_mutex_unlock(&store->lock);
    return next;
}

/* Works that nothing was left of, because all of it was cancelled, go with the next done. */
STORE_TENDS_NOTHING(redis_wheel)

static int redis_wheel_checkpoint(struct tw_store *store)
{
    return redis_sync(store->link, store->sync);
}

static void redis_wheel_stats(struct tw_store *store, struct tw_store_stats *out)
{
    pthread_mutex_lock(&store->lock);
    uint64_t memory = sizeof *store + store->heap_room * sizeof *store->heap +
                      (store->used.room + store->least.room) * sizeof *store->used.pairs;
    pthread_mutex_unlock(&store->lock);
    *out = (struct tw_store_stats){
        .pending = atomic_load(&store->pending),
        .disk_bytes = store_directory_bytes(&store->directory),
        .memory_bytes = memory + store->work_room * sizeof *store->works +
                        store->handed_room * sizeof *store->handed +
                        store_payloads_memory(&store->payloads),
        .written_bytes = store_server_written(&store->server.server),
        .syncs = UINT64_MAX,
        .checkpoints = atomic_load(&store->checkpoints),
        .reclaimed_bytes = UINT64_MAX,
    };
}

static void redis_wheel_describe(struct tw_store *store, struct tw_store_description *out)
{
    *out = (struct tw_store_description){
        .resolution_ms = store->slot_ms,
        .reach_ms = SLOT_MAX / 2 * store->slot_ms,
        .recovered = store->recovered,
        .server = atomic_load(&store->server.server.process),
        .setting_count = 2,
        .settings = {{"slot", 1, {store->slot_ms}}, {"position", 1, {store->keeps_position}}},
    };
    snprintf(out->version, sizeof out->version, "Redis %s", store->server.version);
}

const struct tw_store_backend tw_store_redis_wheel = {
    .name = "redis-wheel",
    .summary = "a wheel in Redis: a list for each second, moved aside before it is worked off",
    .after = "S17: a list for each slot of absolute time, a checkpoint of the last one done",
    .flags = TW_STORE_EXACT | TW_STORE_SERVER,
    .policies = TW_SYNC_ALL,
    TW_STORE_HOOKS(redis_wheel),
};
