/*
 * redis_zset.c - what most people do with Redis: a sorted set by due, payloads in a hash, taken by a script.
 *
 *     due       sorted set: member = key (8 bytes, big-endian), score = due
 *     working   the same, of what was handed out and is not done
 *     payload   hash: key -> seal and payload
 *
 *     put    MULTI, HSET payload, ZADD due, EXEC     one of each for all messages of a call
 *     poll   a script: the first of `due` with a score up to now go to `working`, and are returned with payloads
 *     done   MULTI, ZREM working, HDEL payload, EXEC
 *     cancel a script: ZREM due; only if it was there, HDEL payload
 *
 * Redis runs one command or script at a time, so a message is cancelled or taken, never both.  open puts
 * what is in `working` back into `due`: the server did not forget it, but we did.
 *
 * Acknowledged rests on the append-only file of the server (redis_server.h), which has a transaction or script whole or not
 * at all.
 *
 * A score is a double: dues up to 2^53 ms are exact, others are refused.
 */
#include "redis_server.h"
#include "store_parts.h"

#include <inttypes.h>
#include <stdlib.h>

extern const struct tw_store_backend tw_store_redis_zset;

#define DUE_MAX (UINT64_C(1) << 53)
#define RUN_MAX 256u /* messages that one script takes: unpack and the answer are bounded */

struct tw_store {
    struct store_directory directory;
    struct redis_server server;
    struct redis_link *link; /* the dispatcher's */
    char take[41], back[41], cancel[41];
    enum tw_sync_policy sync;
    uint64_t *handed; /* keys, in order of delivery: a queue from first */
    size_t handed_first, handed_count, handed_room;
    struct store_payloads payloads;
    uint64_t recovered;
    atomic_uint_least64_t next, pending, damaged;
};

struct tw_store_seat {
    struct tw_store *store;
    struct redis_link *link;
};

static const struct tw_param redis_zset_params[] = {{NULL, NULL, 0, 0, 0}};

/* now, most -> due of the next that stays or "", then key, due, value of each. */
static const char take_text[] =
    "local found = redis.call('ZRANGE', 'due', '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[2],"
    " 'WITHSCORES') "
    "local out, keys, moved = {''}, {}, {} "
    "for i = 1, #found, 2 do"
    " keys[#keys + 1] = found[i]"
    " moved[#moved + 1] = found[i + 1] moved[#moved + 1] = found[i] "
    "end "
    "if #keys > 0 then"
    " local values = redis.call('HMGET', 'payload', unpack(keys))"
    " redis.call('ZADD', 'working', unpack(moved))"
    " redis.call('ZREM', 'due', unpack(keys))"
    " for i = 1, #keys do"
    "  out[#out + 1] = keys[i] out[#out + 1] = moved[2 * i - 1] out[#out + 1] = values[i] or '' "
    " end "
    "end "
    "local after = redis.call('ZRANGE', 'due', 0, 0, 'WITHSCORES') "
    "if after[2] then out[1] = after[2] end "
    "return out";

/* Some of what was handed out by a process that is gone waits again; how many were put back. */
static const char back_text[] =
    "local found = redis.call('ZRANGE', 'working', 0, 999, 'WITHSCORES') "
    "for i = 1, #found, 2 do"
    " redis.call('ZADD', 'due', found[i + 1], found[i]) redis.call('ZREM', 'working', found[i]) "
    "end "
    "return #found / 2";

static const char cancel_text[] = "local was = redis.call('ZREM', 'due', ARGV[1]) "
                                  "if was == 1 then redis.call('HDEL', 'payload', ARGV[1]) end "
                                  "return was";

/* ---- Commands. -------------------------------------------------------------------------------- */

static void key_add(struct redis_link *link, uint64_t key)
{
    unsigned char *bytes = redis_space(link, 8);
    if (bytes)
        store_put64(bytes, key);
}

/* No message that waits is due before `due`. */
static void next_lower(struct tw_store *store, uint64_t due)
{
    uint64_t next = atomic_load(&store->next);
    while (due < next && !atomic_compare_exchange_weak(&store->next, &next, due)) {
    }
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static int working_put_back(struct tw_store *store)
{
    redisReply *reply;
    long long moved = 1;
    int answer = TW_STORE_OK;
    while (answer == TW_STORE_OK && moved > 0) {
        answer = redis_ask(store->link, &reply, "EVALSHA %s 0", store->back);
        if (answer != TW_STORE_OK)
            break;
        moved = reply->integer;
        freeReplyObject(reply);
    }
    return answer;
}

static int messages_find(struct tw_store *store)
{
    redisReply *reply;
    int answer = working_put_back(store);
    if (answer != TW_STORE_OK)
        return answer;
    answer = redis_ask(store->link, &reply, "ZCARD due");
    if (answer != TW_STORE_OK)
        return answer;
    store->recovered = (uint64_t)reply->integer;
    freeReplyObject(reply);
    atomic_store(&store->pending, store->recovered);
    answer = redis_ask(store->link, &reply, "ZRANGE due 0 0 WITHSCORES");
    if (answer != TW_STORE_OK)
        return answer;
    if (reply->elements == 2)
        atomic_store(&store->next, (uint64_t)strtod(reply->element[1]->str, NULL));
    freeReplyObject(reply);
    return TW_STORE_OK;
}

static int redis_zset_start(struct tw_store *store, const struct tw_store_config *config,
                            struct tw_error *error)
{
    int answer = redis_start(&store->server, &store->directory, config, error);
    if (answer != TW_STORE_OK)
        return answer;
    store->link = redis_link_open(&store->server);
    answer = store->link ? redis_script(store->link, take_text, store->take) : TW_STORE_LOST;
    if (answer == TW_STORE_OK)
        answer = redis_script(store->link, back_text, store->back);
    if (answer == TW_STORE_OK)
        answer = redis_script(store->link, cancel_text, store->cancel);
    if (answer == TW_STORE_OK)
        answer = messages_find(store);
    if (answer != TW_STORE_OK)
        snprintf(error->text, sizeof error->text, "redis-server: what waits cannot be read");
    return answer;
}

static int redis_zset_close(struct tw_store *store)
{
    redis_link_close(store->link);
    int answer = redis_end(&store->server);
    store_directory_close(&store->directory);
    store_payloads_free(&store->payloads);
    free(store->handed);
    free(store);
    return answer;
}

static int redis_zset_make(struct tw_store *store, const struct tw_store_config *config,
                           struct tw_error *error)
{
    store->sync = config->sync;
    atomic_store(&store->next, TW_STORE_NEVER);
    int answer = store_directory_open(&store->directory, config->directory, "redis-zset 1", error);
    if (answer == TW_STORE_OK)
        answer = redis_zset_start(store, config, error);
    return answer;
}

STORE_OPEN(redis_zset, tw_store_redis_zset, redis_zset_make, redis_zset_close)

static struct tw_store_seat *redis_zset_enter(struct tw_store *store)
{
    struct tw_store_seat *seat = malloc(sizeof *seat);
    struct redis_link *link = seat ? redis_link_open(&store->server) : NULL;
    if (!link) {
        free(seat);
        return NULL;
    }
    *seat = (struct tw_store_seat){store, link};
    return seat;
}

static void redis_zset_leave(struct tw_store_seat *seat)
{
    redis_link_close(seat->link);
    free(seat);
}

/* ---- Messages. -------------------------------------------------------------------------------- */

static void messages_add(struct redis_link *link, const struct tw_message *messages, size_t count)
{
    char due[24];
    redis_say(link, "MULTI");
    redis_command(link, 2 + 2 * count);
    redis_word(link, "HSET");
    redis_word(link, "payload");
    for (size_t i = 0; i < count; i++) {
        const struct tw_message *message = &messages[i];
        key_add(link, message->key);
        unsigned char *value = redis_space(link, STORE_SEAL_BYTES + message->size);
        if (value)
            store_sealed_put(value, message);
    }
    redis_command(link, 2 + 2 * count);
    redis_word(link, "ZADD");
    redis_word(link, "due");
    for (size_t i = 0; i < count; i++) {
        snprintf(due, sizeof due, "%" PRIu64, messages[i].due_ms);
        redis_word(link, due);
        key_add(link, messages[i].key);
    }
    redis_say(link, "EXEC");
}

static int redis_zset_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    struct tw_store *store = seat->store;
    int answer = redis_health(&store->server);
    if (answer != TW_STORE_OK)
        return answer;
    uint64_t first = TW_STORE_NEVER;
    for (size_t i = 0; i < count; i++) {
        if (messages[i].size > TW_PAYLOAD_MAX || messages[i].due_ms > DUE_MAX)
            return TW_STORE_RANGE;
        messages[i].handle = 0;
        if (messages[i].due_ms < first)
            first = messages[i].due_ms;
    }
    messages_add(seat->link, messages, count);
    answer = redis_call(seat->link, 4, NULL);
    if (answer != TW_STORE_OK)
        return answer;
    atomic_fetch_add(&store->pending, count);
    next_lower(store, first);
    return TW_STORE_OK;
}

static int redis_zset_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms,
                             uint64_t handle)
{
    redisReply *reply;
    (void)due_ms, (void)handle;
    int answer = redis_health(&seat->store->server);
    if (answer != TW_STORE_OK)
        return answer;
    unsigned char bytes[8];
    store_put64(bytes, key);
    answer =
        redis_ask(seat->link, &reply, "EVALSHA %s 0 %b", seat->store->cancel, bytes, sizeof bytes);
    if (answer != TW_STORE_OK)
        return answer;
    bool was = reply->integer == 1;
    freeReplyObject(reply);
    if (was)
        atomic_fetch_sub(&seat->store->pending, 1);
    return was ? TW_STORE_CANCELLED : TW_STORE_TOO_LATE;
}

static bool handed_reserve(struct tw_store *store, size_t more)
{
    if (store->handed_first > 0) {
        memmove(store->handed, store->handed + store->handed_first,
                store->handed_count * sizeof *store->handed);
        store->handed_first = 0;
    }
    return store_room(&store->handed, &store->handed_room, store->handed_count + more,
                      sizeof *store->handed);
}

/* A message that its seal does not fit is not served; it is counted, and stays among the working. */
static int delivery_take(struct tw_store *store, redisReply *const *parts,
                         struct tw_delivery *delivery, bool *taken)
{
    *taken = false;
    uint64_t key = parts[0]->len == 8 ? store_get64((const unsigned char *)parts[0]->str) : 0;
    uint64_t due = (uint64_t)strtod(parts[1]->str, NULL);
    if (!store_sealed_fits(parts[2]->str, parts[2]->len, key, due)) {
        atomic_fetch_add(&store->damaged, 1);
        return TW_STORE_OK;
    }
    size_t size = parts[2]->len - STORE_SEAL_BYTES;
    void *copy = store_payloads_copy(&store->payloads, parts[2]->str + STORE_SEAL_BYTES, size);
    if (!copy)
        return TW_STORE_MEMORY;
    *delivery = (struct tw_delivery){key, due, copy, (uint32_t)size};
    *taken = true;
    return TW_STORE_OK;
}

/* What the script took, in its order. */
static int deliveries_take(struct tw_store *store, const redisReply *reply, struct tw_delivery *out,
                           size_t *count)
{
    for (size_t i = 1; i + 2 < reply->elements; i += 3) {
        bool taken;
        int answer = delivery_take(store, reply->element + i, &out[*count], &taken);
        if (answer != TW_STORE_OK) {
            /* Redis has handed it out already: only another open brings it back. */
            atomic_store(&store->server.broken, true);
            return answer;
        }
        if (taken)
            store->handed[store->handed_first + store->handed_count++] = out[(*count)++].key;
    }
    return TW_STORE_OK;
}

/* One run of the script; *taken: how many it took, of which some may be damaged and are not handed out. */
static int run_take(struct tw_store *store, uint64_t now_ms, size_t most, struct tw_delivery *out,
                    size_t *count, size_t *taken)
{
    redisReply *reply;
    uint64_t next = atomic_load(&store->next);
    /* A put that lands from here on lowers it again. */
    atomic_store(&store->next, TW_STORE_NEVER);
    int answer = redis_ask(store->link, &reply, "EVALSHA %s 0 %" PRIu64 " %" PRIu64, store->take,
                           now_ms, (uint64_t)most);
    if (answer != TW_STORE_OK) {
        next_lower(store, next);
        return answer;
    }
    *taken = reply->elements / 3;
    answer = deliveries_take(store, reply, out, count);
    if (reply->element[0]->len > 0)
        next_lower(store, (uint64_t)strtod(reply->element[0]->str, NULL));
    freeReplyObject(reply);
    return answer;
}

static int redis_zset_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out,
                           size_t max, size_t *count)
{
    size_t taken;
    *count = 0;
    store_payloads_reset(&store->payloads);
    int answer = redis_health(&store->server);
    if (answer != TW_STORE_OK || atomic_load(&store->next) > now_ms || max == 0)
        return answer;
    size_t most = max < RUN_MAX ? max : RUN_MAX;
    if (!handed_reserve(store, most))
        return TW_STORE_MEMORY;
    do
        answer = run_take(store, now_ms, most, out, count, &taken);
    while (answer == TW_STORE_OK && *count == 0 && taken > 0);
    return answer;
}

static int redis_zset_done(struct tw_store *store, size_t count)
{
    int answer = redis_health(&store->server);
    if (count > store->handed_count)
        count = store->handed_count;
    if (answer != TW_STORE_OK || count == 0)
        return answer;
    static const char *const verbs[2][2] = {{"ZREM", "working"}, {"HDEL", "payload"}};
    redis_say(store->link, "MULTI");
    for (size_t v = 0; v < 2; v++) {
        redis_command(store->link, 2 + count);
        redis_word(store->link, verbs[v][0]);
        redis_word(store->link, verbs[v][1]);
        for (size_t i = 0; i < count; i++)
            key_add(store->link, store->handed[store->handed_first + i]);
    }
    redis_say(store->link, "EXEC");
    answer = redis_call(store->link, 4, NULL);
    if (answer != TW_STORE_OK)
        return answer;
    store->handed_first += count;
    store->handed_count -= count;
    atomic_fetch_sub(&store->pending, count);
    return TW_STORE_OK;
}

static uint64_t redis_zset_next(struct tw_store *store)
{
    return atomic_load(&store->next);
}

STORE_TENDS_NOTHING(redis_zset)

static int redis_zset_checkpoint(struct tw_store *store)
{
    return redis_sync(store->link, store->sync);
}

static void redis_zset_stats(struct tw_store *store, struct tw_store_stats *out)
{
    *out = (struct tw_store_stats){
        .pending = atomic_load(&store->pending),
        .disk_bytes = store_directory_bytes(&store->directory),
        .memory_bytes = sizeof *store + store->handed_room * sizeof *store->handed +
                        store_payloads_memory(&store->payloads),
        .written_bytes = store_server_written(&store->server.server),
        .syncs = UINT64_MAX,
        .checkpoints = UINT64_MAX,
        .reclaimed_bytes = UINT64_MAX,
    };
}

static void redis_zset_describe(struct tw_store *store, struct tw_store_description *out)
{
    *out = (struct tw_store_description){
        .resolution_ms = 1,
        .reach_ms = DUE_MAX / 2,
        .recovered = store->recovered,
        .server = atomic_load(&store->server.server.process),
    };
    snprintf(out->version, sizeof out->version, "Redis %s", store->server.version);
}

const struct tw_store_backend tw_store_redis_zset = {
    .name = "redis-zset",
    .summary = "Redis: a sorted set by due, payloads in a hash, taken by a script",
    .after = "what most people do with Redis",
    .flags = TW_STORE_EXACT | TW_STORE_SERVER,
    .policies = TW_SYNC_ALL,
    TW_STORE_HOOKS(redis_zset),
};
