/*
 * test_stores.c - every store of the registry against store.h, with a book of what became of each message.
 *
 * STORE_SEED (default 1) draws the streams, STORE_ONLY=KEY tests one store, DEPTH=all ten times as much.  Nothing here
 * depends on how fast the machine is: what is awaited has a minute, and no lateness is judged on the real clock.  A store
 * whose library or server is not here is skipped, with the reason.
 */
#include "harness/base/rng.h"
#include "labs/durable/stores/store_modules.h"
#include "testing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define BATCH       8
#define RUN         64

enum fate { UNKNOWN, WAITS, HANDED, DONE, CANCELLED };

/* One message, and what became of it. */
struct entry {
    uint64_t due_ms, handle;
    uint32_t size;
    _Atomic uint32_t fate;
    uint32_t deliveries; /* within this open */
    bool too_late;       /* a cancel was answered so */
    bool is_past;        /* was due before it was put: due at once, wherever a store has it */
};

/* A store that is open, and the book. */
struct rig {
    const struct tw_store_backend *store;
    struct tw_store *open;
    struct tw_store_seat *seat;
    char directory[128];
    struct entry *book;
    uint32_t count, room;
    _Atomic uint64_t now_ms; /* producers read it while the dispatcher moves on */
    uint64_t resolution_ms;
    uint32_t handed[4096]; /* keys handed out and not done, in order */
    uint32_t handed_count;
    struct rng rng;
    enum tw_sync_policy sync;
    struct tw_setting setting; /* without a name: none */
};

/* ---- The clock, the payloads. ----------------------------------------------------------------- */

static void sleep_ms(uint64_t ms)
{
    nanosleep(&(struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000}, NULL);
}

static void time_pass(struct rig *rig, uint64_t ms)
{
    rig->now_ms += ms;
}

static void payload_fill(unsigned char *bytes, uint32_t key, uint32_t size)
{
    uint32_t state = key * 2654435761u + 1;
    for (uint32_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state >> 24);
    }
}

static bool payload_is(const unsigned char *bytes, uint32_t key, uint32_t size)
{
    uint32_t state = key * 2654435761u + 1;
    for (uint32_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        if (bytes[i] != (unsigned char)(state >> 24))
            return false;
    }
    return true;
}

/* ---- Opening. --------------------------------------------------------------------------------- */

static void damage_seen(void *ctx, const char *file, uint64_t offset, const char *what,
                        uint64_t lost)
{
    (void)ctx, (void)lost;
    fail_msg("%s at %llu: %s", file, (unsigned long long)offset, what);
}

static int store_try(struct rig *rig, enum tw_sync_policy sync, struct tw_store **open,
                     struct tw_error *error)
{
    struct tw_store_config config = {
        .directory = rig->directory,
        .sync = sync,
        .interval_ms = 20,
        .now_ms = rig->now_ms,
        .seats = 4,
        .settings = &rig->setting,
        .setting_count = rig->setting.name ? 1 : 0,
        .damage = damage_seen,
        .damage_ctx = rig,
    };
    error->text[0] = '\0';
    return rig->store->open(open, &config, error);
}

static void rig_reopen(struct rig *rig)
{
    struct tw_error error;
    struct tw_store_description description;
    int answer = store_try(rig, rig->sync, &rig->open, &error);
    if (answer == TW_STORE_ABSENT) {
        print_message("# %s: %s\n", rig->store->name, error.text);
        skip();
    }
    if (answer != TW_STORE_OK)
        fail_msg("%s: open answers %d: %s", rig->store->name, answer, error.text);
    rig->seat = rig->store->enter(rig->open);
    assert_non_null(rig->seat);
    rig->store->describe(rig->open, &description);
    rig->resolution_ms = description.resolution_ms;
    assert_true(description.resolution_ms > 0);
    assert_true(description.damaged == 0);
    rig->handed_count = 0;
    for (uint32_t i = 0; i < rig->count; i++) {
        rig->book[i].deliveries = 0;
        if (rig->book[i].fate == HANDED)
            rig->book[i].fate = WAITS;
    }
}

static void rig_open(struct rig *rig, const struct store_row *row, enum tw_sync_policy sync)
{
    struct diag diag = {0};
    memset(rig, 0, sizeof *rig);
    rig->store = store_modules_load(row, &diag);
    if (!rig->store) {
        /* What was not built is skipped.  What was built and cannot be loaded is broken. */
        char object[4400];
        store_modules_path(row, object, sizeof object);
        if (access(object, F_OK) == 0)
            fail_msg("%s", diag.text);
        print_message("# %s\n", diag.text);
        skip();
    }
    if (rig->store->flags & TW_STORE_KEEPS_NOTHING || !(rig->store->policies & 1u << sync))
        skip();
    const char *seed = getenv("STORE_SEED");
    rng_seed(&rig->rng, seed ? strtoull(seed, NULL, 10) : 1, 0);
    temporary_name(rig->directory, sizeof rig->directory, "test_stores");
    assert_non_null(mkdtemp(rig->directory));
    rig->room = 100000;
    rig->book = calloc(rig->room, sizeof *rig->book);
    rig->now_ms = UINT64_C(1700000000000);
    rig->sync = sync;
    rig_reopen(rig);
}

static void rig_shut(struct rig *rig)
{
    rig->store->leave(rig->seat);
    assert_int_equal(rig->store->close(rig->open), TW_STORE_OK);
    rig->open = NULL;
}

static void directory_remove(const char *directory)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    assert_int_equal(system(command), 0);
}

static void rig_close(struct rig *rig)
{
    if (rig->open)
        rig_shut(rig);
    free(rig->book);
    directory_remove(rig->directory);
}

/* ---- The calls, booked. ----------------------------------------------------------------------- */

static void put(struct rig *rig, struct tw_store_seat *seat, uint32_t first, uint32_t count,
                const uint64_t *dues, uint32_t size)
{
    struct tw_message messages[BATCH];
    unsigned char *payload = malloc((size_t)count * size + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct entry *entry = &rig->book[first + i];
        payload_fill(payload + (size_t)i * size, first + i, size);
        entry->due_ms = dues[i];
        entry->is_past = dues[i] < rig->now_ms;
        entry->size = size;
        messages[i] = (struct tw_message){first + i, dues[i], payload + (size_t)i * size, size, 0};
    }
    int answer = rig->store->put(seat, messages, count);
    free(payload);
    if (answer != TW_STORE_OK)
        fail_msg("%s: put answers %d", rig->store->name, answer);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unknown = UNKNOWN;
        rig->book[first + i].handle = messages[i].handle;
        /* The dispatcher may have been faster. */
        atomic_compare_exchange_strong(&rig->book[first + i].fate, &unknown, WAITS);
    }
}

static int cancel(struct rig *rig, struct tw_store_seat *seat, uint32_t key)
{
    struct entry *entry = &rig->book[key];
    int answer = rig->store->cancel(seat, key, entry->due_ms, entry->handle);
    if (answer < 0)
        fail_msg("%s: cancel answers %d", rig->store->name, answer);
    if (answer == TW_STORE_CANCELLED) {
        uint32_t waits = WAITS;
        if (!atomic_compare_exchange_strong(&entry->fate, &waits, CANCELLED))
            fail_msg("message %u was cancelled, and its fate was %u", key, waits);
    } else
        entry->too_late = true;
    return answer;
}

static void delivery_book(struct rig *rig, const struct tw_delivery *delivery, uint64_t *step)
{
    uint32_t key = (uint32_t)delivery->key;
    assert_true(delivery->key < rig->count);
    struct entry *entry = &rig->book[key];
    if (delivery->due_ms != entry->due_ms || delivery->size != entry->size ||
        !payload_is(delivery->payload, key, entry->size))
        fail_msg("message %u was not put so", key);
    if (delivery->due_ms > rig->now_ms)
        fail_msg("message %u is early", key);
    uint32_t before = atomic_exchange(&entry->fate, HANDED);
    bool again = before == DONE && !(rig->store->flags & TW_STORE_EXACT);
    if (before != WAITS && before != UNKNOWN && !again)
        fail_msg("message %u is handed out, and its fate was %u", key, before);
    if (++entry->deliveries > 1)
        fail_msg("message %u is handed out twice in one open", key);
    if (!entry->is_past && delivery->due_ms / rig->resolution_ms < *step)
        fail_msg("message %u is out of order", key);
    if (!entry->is_past)
        *step = delivery->due_ms / rig->resolution_ms;
    rig->handed[rig->handed_count++] = key;
}

/* How many were handed out; what is due now beyond them may still be there. */
static size_t poll_once(struct rig *rig, size_t max)
{
    struct tw_delivery out[RUN];
    size_t count = 0;
    uint64_t step = 0;
    int answer = rig->store->poll(rig->open, rig->now_ms, out, max, &count);
    if (answer != TW_STORE_OK)
        fail_msg("%s: poll answers %d", rig->store->name, answer);
    assert_true(count <= max);
    for (size_t i = 0; i < count; i++)
        delivery_book(rig, &out[i], &step);
    return count;
}

static void done(struct rig *rig, uint32_t count)
{
    if (count == 0)
        return;
    int answer = rig->store->done(rig->open, count);
    if (answer != TW_STORE_OK)
        fail_msg("%s: done answers %d", rig->store->name, answer);
    for (uint32_t i = 0; i < count; i++)
        rig->book[rig->handed[i]].fate = DONE;
    rig->handed_count -= count;
    memmove(rig->handed, rig->handed + count, rig->handed_count * sizeof *rig->handed);
}

static void tend(struct rig *rig)
{
    int more = 1;
    for (int times = 0; more && times < 10; times++)
        assert_int_equal(rig->store->tend(rig->open, rig->now_ms, &more), TW_STORE_OK);
}

static uint32_t count_of(const struct rig *rig, enum fate fate)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rig->count; i++)
        count += rig->book[i].fate == fate;
    return count;
}

/* What the store says that it keeps; 0 when it cannot know, as sqlite after a crash. */
static uint64_t pending(const struct rig *rig)
{
    struct tw_store_stats stats;
    rig->store->stats(rig->open, &stats);
    return stats.pending == UINT64_MAX ? 0 : stats.pending;
}

/* Time goes on until everything is done; then nothing pends. */
static void drain(struct rig *rig)
{
    for (uint32_t waited = 0; count_of(rig, WAITS) + pending(rig) > 0; waited += 20) {
        while (poll_once(rig, RUN) > 0)
            done(rig, rig->handed_count);
        done(rig, rig->handed_count);
        if (waited > PATIENCE_MS)
            fail_msg("%s: %u messages never came, %llu pend", rig->store->name,
                     count_of(rig, WAITS), (unsigned long long)pending(rig));
        time_pass(rig, 100);
    }
    assert_int_equal(poll_once(rig, RUN), 0);
}

/* ---- Random streams. -------------------------------------------------------------------------- */

static void put_some(struct rig *rig)
{
    static const uint32_t sizes[] = {0, 1, 100, 100, 100, 1000, 5000};
    uint64_t dues[BATCH];
    uint32_t count = 1 + (uint32_t)rng_below(&rig->rng, BATCH);
    uint64_t reach = 8000;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t delay = rng_below(&rig->rng, reach);
        /* Some are in the past, and many at one moment. */
        dues[i] = rig->now_ms + (rng_below(&rig->rng, 4) == 0 ? reach / 2 : delay);
        if (rng_below(&rig->rng, 10) == 0)
            dues[i] = rig->now_ms - delay;
    }
    uint32_t first = rig->count;
    rig->count += count;
    put(rig, rig->seat, first, count, dues, sizes[rng_below(&rig->rng, 7)]);
}

/* What is late by more than the store's resolution has to come when it is asked for. */
static void poll_all(struct rig *rig)
{
    while (poll_once(rig, 1 + rng_below(&rig->rng, RUN)) > 0)
        if (rng_below(&rig->rng, 2) == 0)
            done(rig, (uint32_t)rng_below(&rig->rng, rig->handed_count + 1));
    for (uint32_t i = 0; i < rig->count; i++)
        if (rig->book[i].fate == WAITS && rig->book[i].due_ms + rig->resolution_ms <= rig->now_ms)
            fail_msg("%s: message %u waits, %llu ms after its due", rig->store->name, i,
                     (unsigned long long)(rig->now_ms - rig->book[i].due_ms));
}

static void cancel_one(struct rig *rig)
{
    if (rig->count == 0)
        return;
    uint32_t key = (uint32_t)rng_below(&rig->rng, rig->count);
    struct entry *entry = &rig->book[key];
    if (entry->fate == CANCELLED || entry->too_late)
        return;
    enum fate before = entry->fate;
    int answer = cancel(rig, rig->seat, key);
    if (answer == TW_STORE_TOO_LATE && before == WAITS && entry->due_ms > rig->now_ms)
        fail_msg("%s: message %u is not due, and too late", rig->store->name, key);
}

static void check_pending(struct rig *rig)
{
    uint64_t next = rig->store->next(rig->open), first = TW_STORE_NEVER;
    assert_int_equal(pending(rig), count_of(rig, WAITS) + count_of(rig, HANDED));
    for (uint32_t i = 0; i < rig->count; i++)
        if (rig->book[i].fate == WAITS && rig->book[i].due_ms < first)
            first = rig->book[i].due_ms;
    /* Of a message past its due, any time up to now will do (store.h). */
    if (next > first && next > rig->now_ms)
        fail_msg("%s: next is %llu, and a message is due at %llu", rig->store->name,
                 (unsigned long long)next, (unsigned long long)first);
}

static void restart(struct rig *rig)
{
    struct tw_store_description description;
    if (rig->store->flags & TW_STORE_IN_MEMORY)
        return;
    uint32_t wait = count_of(rig, WAITS) + count_of(rig, HANDED);
    rig_shut(rig);
    rig_reopen(rig);
    rig->store->describe(rig->open, &description);
    assert_int_equal(description.recovered, wait);
    check_pending(rig);
}

static unsigned depth(void)
{
    const char *asked = getenv("DEPTH");
    return asked && strcmp(asked, "all") == 0 ? 10 : 1;
}

static void random_streams_are_kept(void **state)
{
    struct rig rig;
    rig_open(&rig, *state, TW_SYNC_NONE);
    for (unsigned step = 1; step <= 240 * depth(); step++) {
        uint64_t choice = rng_below(&rig.rng, 100);
        if (choice < 45)
            put_some(&rig);
        else if (choice < 65)
            cancel_one(&rig);
        else if (choice < 90) {
            time_pass(&rig, rng_below(&rig.rng, 1500));
            poll_all(&rig);
        } else if (choice < 94)
            tend(&rig);
        else if (choice < 96)
            assert_int_equal(rig.store->checkpoint(rig.open), TW_STORE_OK);
        else
            done(&rig, (uint32_t)rng_below(&rig.rng, rig.handed_count + 1));
        if (step % 20 == 0)
            check_pending(&rig);
        if (step % 80 == 0)
            restart(&rig);
        if (rig.handed_count > 2000)
            done(&rig, rig.handed_count);
    }
    drain(&rig);
    rig_close(&rig);
}

/* ---- Killed servers. -------------------------------------------------------------------------- */

static bool is_gone(int64_t process)
{
    for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
        char path[64], state = 'X';
        snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process);
        FILE *file = fopen(path, "r");
        if (!file)
            return true;
        if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
            state = 'X';
        fclose(file);
        /* Dead, and nobody here has to hear of it. */
        if (state == 'Z' || state == 'X')
            return true;
        sleep_ms(10);
    }
    return false;
}

/* A server that dies is said to be lost; what it had acknowledged is there again. */
static void lost_servers_are_noticed(void **state)
{
    struct rig rig;
    struct tw_store_description description;
    rig_open(&rig, *state, TW_SYNC_GROUP);
    rig.store->describe(rig.open, &description);
    if (rig.store->flags & TW_STORE_SERVER) {
        assert_true(description.server > 0);
        put_some(&rig);
        kill((pid_t)description.server, SIGKILL);
        assert_true(is_gone(description.server));
        unsigned char byte = 1;
        struct tw_message message = {rig.room, rig.now_ms, &byte, 1, 0};
        assert_int_equal(rig.store->put(rig.seat, &message, 1), TW_STORE_LOST);
        assert_true(rig.store->put(rig.seat, &message, 1) < 0);
        rig.store->leave(rig.seat);
        assert_true(rig.store->close(rig.open) < 0);
        rig_reopen(&rig);
        rig.store->describe(rig.open, &description);
        drain(&rig);
        rig_shut(&rig);
        assert_true(is_gone(description.server));
    }
    rig_close(&rig);
}

/* ---- Of one store. ----------------------------------------------------------------------------- */

/* Claim T21: a checkpoint without the position in the slot loses nothing and repeats what was done of the slot. */
static void a_position_in_the_slot_saves_repeats(void **state)
{
    for (uint64_t position = 0; position <= 1; position++) {
        struct rig rig;
        struct tw_delivery out[RUN];
        uint64_t dues[BATCH];
        size_t count;
        rig_open(&rig, *state, TW_SYNC_GROUP);
        rig_shut(&rig);
        rig.setting = (struct tw_setting){"position", 1, {position}};
        rig_reopen(&rig);
        for (size_t i = 0; i < BATCH; i++)
            dues[i] = rig.now_ms + 500;
        rig.count = BATCH;
        put(&rig, rig.seat, 0, BATCH, dues, 10);
        time_pass(&rig, 2000);
        assert_int_equal(poll_once(&rig, RUN), BATCH);
        done(&rig, 3);
        rig_shut(&rig);
        rig_reopen(&rig);
        assert_int_equal(rig.store->poll(rig.open, rig.now_ms, out, RUN, &count), TW_STORE_OK);
        assert_int_equal(count, position ? BATCH - 3 : BATCH);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(out[i].key, i + (position ? 3 : 0));
        assert_int_equal(rig.store->done(rig.open, count), TW_STORE_OK);
        assert_int_equal(pending(&rig), 0);
        rig_close(&rig);
    }
}

/* The server's file ends within a transaction that a kill cut off.  Nothing of that is there afterwards, and what is
 * acknowledged afterwards is no part of it. */
static void half_a_transaction_is_none(void **state)
{
    static const char half[] = "*1\r\n$5\r\nMULTI\r\n"
                               "*4\r\n$4\r\nZADD\r\n$3\r\ndue\r\n$1\r\n5\r\n$8\r\nHALFAPUT\r\n"
                               "*3\r\n$5\r\nRPUSH\r\n$5\r\ns:0:0\r\n$3\r\nbad\r\n"
                               "*4\r\n$4\r\nHSET\r\n$7\r\npayl";
    struct rig rig;
    struct tw_delivery out[RUN];
    char path[256];
    size_t count;
    rig_open(&rig, *state, TW_SYNC_GROUP);
    rig_shut(&rig);
    snprintf(path, sizeof path, "%s/aof/appendonly.aof.1.incr.aof", rig.directory);
    int file = open(path, O_WRONLY | O_APPEND);
    assert_true(file >= 0);
    assert_int_equal(write(file, half, sizeof half - 1), sizeof half - 1);
    close(file);
    rig_reopen(&rig);
    uint64_t due = rig.now_ms;
    rig.count = 1;
    put(&rig, rig.seat, 0, 1, &due, 10);
    rig_shut(&rig);
    rig_reopen(&rig);
    time_pass(&rig, 2500); /* a slot of the wheel is over */
    assert_int_equal(rig.store->poll(rig.open, rig.now_ms, out, 1, &count), TW_STORE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(out[0].key, 0);
    assert_int_equal(rig.store->done(rig.open, 1), TW_STORE_OK);
    rig.book[0].fate = DONE;
    rig_close(&rig);
}

/* ---- One group of tests for each store. ------------------------------------------------------- */

typedef void test_fn(void **state);

static const struct {
    const char *name;
    test_fn *run;
    const char *only; /* key of the one store that it is of; NULL: all */
} tests[] = {
    {"random streams are kept", random_streams_are_kept, NULL},
    {"a lost server is noticed", lost_servers_are_noticed, NULL},
    {"a position in the slot saves repeats", a_position_in_the_slot_saves_repeats, "redis-wheel"},
    {"half a transaction is none", half_a_transaction_is_none, "redis-zset"},
    {"half a transaction is none", half_a_transaction_is_none, "redis-wheel"},
};
#define TESTS (sizeof tests / sizeof tests[0])

int main(void)
{
    const char *only = getenv("STORE_ONLY");
    struct CMUnitTest *all = calloc(store_registry_count * TESTS, sizeof *all);
    char(*names)[120] = calloc(store_registry_count * TESTS, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < store_registry_count; i++) {
        char key[64];
        store_registry_key(&store_registry[i], key, sizeof key);
        for (size_t t = 0; t < TESTS && (!only || strcmp(only, key) == 0); t++) {
            if (tests[t].only && strcmp(tests[t].only, key) != 0)
                continue;
            snprintf(names[count], sizeof names[count], "%s: %s", key, tests[t].name);
            union {
                const struct store_row *row;
                void *state;
            } row = {.row = &store_registry[i]};
            all[count] = (struct CMUnitTest){names[count], tests[t].run, NULL, NULL, row.state};
            count++;
        }
    }
    if (count == 0) {
        fprintf(stderr, "test_stores: STORE_ONLY=%s: expected a store\n", only ? only : "");
        return 2;
    }
    int failed = _cmocka_run_group_tests("stores", all, count, NULL, NULL);
    free(names);
    free(all);
    return failed;
}
