/*
 * test_wheel_log.c - the store wheel-log against a model in memory, and what it does with damaged, cut and full files.
 *
 * DEPTH=all tries more seeds, and every byte of the log where a quick run tries some.
 */
#include "labs/durable/drive/footing.h"
#include "labs/durable/stores/store.h"
#include "labs/durable/stores/wheel_log.h"
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct tw_store_backend tw_store_wheel_log;
static const struct tw_store_backend *const wheel_log = &tw_store_wheel_log;

#define START UINT64_C(1700000000000)

static bool deep(void)
{
    const char *depth = getenv("DEPTH");
    return depth && strcmp(depth, "all") == 0;
}

/* ---- Directories. ----------------------------------------------------------------------------- */

static void directory_copy(const char *from, const char *to)
{
    footing_remove(to);
    assert_true(footing_copy(from, to));
}

static int make_directory(void **state)
{
    char *path = malloc(64);
    /* Nothing here is about the disk, and syncs in memory cost nothing. */
    snprintf(path, 64, "%s/test_wheel_log.%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (int)getpid());
    footing_remove(path);
    *state = path;
    return 0;
}

static int drop_directory(void **state)
{
    char copy[96];
    snprintf(copy, sizeof copy, "%s.copy", (char *)*state);
    footing_remove(copy);
    footing_remove(*state);
    free(*state);
    return 0;
}

/* The only file of the log, or the one that begins at 0. */
static void log_path(char *out, size_t size, const char *directory)
{
    snprintf(out, size, "%s/log-0000000000000000", directory);
}

static off_t file_size(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static void flip(const char *path, off_t offset)
{
    unsigned char byte;
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, offset), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
    close(fd);
}

/* ---- Stores. ---------------------------------------------------------------------------------- */

struct told {
    uint64_t count, lost;
    char last[128];
};

static void tell(void *ctx, const char *file, uint64_t offset, const char *what, uint64_t lost)
{
    struct told *told = ctx;
    (void)file, (void)offset;
    told->count++;
    told->lost = lost == UINT64_MAX || told->lost == UINT64_MAX ? UINT64_MAX : told->lost + lost;
    snprintf(told->last, sizeof told->last, "%s", what);
}

struct opened {
    struct tw_store *store;
    struct tw_store_seat *seat;
    struct told told;
    struct tw_error error;
};

static struct tw_setting setting(const char *name, uint64_t value)
{
    return (struct tw_setting){.name = name, .count = 1, .values = {value}};
}

/* A small wheel: an hour of 60 slots of 100 ms, 8 hours a round, segments of 2 KiB. */
static const struct tw_setting *small_settings(size_t *count)
{
    static const struct tw_setting settings[] = {
        {"slot-ms", 1, {100}},   {"slots", 1, {60}},         {"hours", 1, {8}},
        {"segment-kib", 1, {2}}, {"checkpoint-kib", 1, {4}}, {"preload-s", 1, {3}}};
    *count = sizeof settings / sizeof settings[0];
    return settings;
}

static int store_open_under(struct opened *opened, enum tw_sync_policy sync, const char *directory,
                            uint64_t now, const struct tw_setting *settings, size_t count)
{
    struct tw_store_config config = {.directory = directory,
                                     .sync = sync,
                                     .interval_ms = 3600000,
                                     .now_ms = now,
                                     .seats = 1,
                                     .settings = settings,
                                     .setting_count = count,
                                     .damage = tell,
                                     .damage_ctx = &opened->told};
    memset(opened, 0, sizeof *opened);
    int answer = wheel_log->open(&opened->store, &config, &opened->error);
    if (answer == TW_STORE_OK)
        opened->seat = wheel_log->enter(opened->store);
    return answer;
}

static int store_open(struct opened *opened, const char *directory, uint64_t now,
                      const struct tw_setting *settings, size_t count)
{
    return store_open_under(opened, TW_SYNC_NONE, directory, now, settings, count);
}

static int store_close(struct opened *opened)
{
    wheel_log->leave(opened->seat);
    return wheel_log->close(opened->store);
}

/* What a kill leaves: all that was written, and no order in the end.  Tend writes what policy none holds back. */
static void store_kill(struct opened *opened, const char *directory, uint64_t now)
{
    char copy[96];
    int more;
    assert_int_equal(wheel_log->tend(opened->store, now, &more), TW_STORE_OK);
    snprintf(copy, sizeof copy, "%s.copy", directory);
    directory_copy(directory, copy);
    store_close(opened);
    footing_remove(directory);
    assert_int_equal(rename(copy, directory), 0);
}

static uint64_t put_one(struct opened *opened, uint64_t key, uint64_t due, const void *payload,
                        uint32_t size)
{
    struct tw_message message = {key, due, payload, size, 0};
    assert_int_equal(wheel_log->put(opened->seat, &message, 1), TW_STORE_OK);
    return message.handle;
}

/* ---- The model. ------------------------------------------------------------------------------- */

#define KEYS 4000u

enum fate { UNUSED, PENDING, HANDED, DONE, CANCELLED };

struct model {
    enum fate fate[KEYS];
    uint64_t due[KEYS], handle[KEYS];
    uint32_t handed[KEYS]; /* keys in order of delivery, not yet done */
    size_t handed_count, keys, pending;
    uint64_t random, now;
    enum tw_sync_policy sync;
};

static uint64_t draw(struct model *model, uint64_t below)
{
    model->random = model->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (model->random >> 33) % below;
}

static uint32_t payload_of(uint64_t key, unsigned char *payload)
{
    uint32_t size = (uint32_t)(key * 7 % 90);
    for (uint32_t i = 0; i < size; i++)
        payload[i] = (unsigned char)(key + i);
    return size;
}

static void model_put(struct model *model, struct opened *opened)
{
    unsigned char payloads[8][90];
    struct tw_message messages[8];
    size_t count = 1 + draw(model, 8);
    if (model->keys + count > KEYS)
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = model->keys + i, far = draw(model, 6);
        /* In the past, soon, this hour, the next hours, the rounds after. */
        uint64_t delay = draw(model, far < 2 ? 300 : far < 4 ? 6000 : far < 5 ? 30000 : 150000);
        uint64_t due = model->now + delay - (draw(model, 10) == 0 ? 500 : 0);
        messages[i] = (struct tw_message){key, due, payloads[i], payload_of(key, payloads[i]), 0};
    }
    assert_int_equal(wheel_log->put(opened->seat, messages, count), TW_STORE_OK);
    for (size_t i = 0; i < count; i++) {
        model->fate[model->keys] = PENDING;
        model->due[model->keys] = messages[i].due_ms;
        model->handle[model->keys++] = messages[i].handle;
    }
    model->pending += count;
}

static void model_cancel(struct model *model, struct opened *opened)
{
    if (model->keys == 0)
        return;
    uint64_t key = draw(model, model->keys);
    if (model->fate[key] == CANCELLED)
        return;
    int answer = wheel_log->cancel(opened->seat, key, model->due[key], model->handle[key]);
    if (model->fate[key] != PENDING) {
        assert_int_equal(answer, TW_STORE_TOO_LATE);
        return;
    }
    assert_int_equal(answer, TW_STORE_CANCELLED);
    model->fate[key] = CANCELLED;
    model->pending--;
}

static void model_done(struct model *model, struct opened *opened, size_t done)
{
    assert_int_equal(wheel_log->done(opened->store, done), TW_STORE_OK);
    for (size_t i = 0; i < done; i++)
        model->fate[model->handed[i]] = DONE;
    model->pending -= done;
    memmove(model->handed, model->handed + done,
            (model->handed_count - done) * sizeof model->handed[0]);
    model->handed_count -= done;
}

/* Hands out all that is due, in batches; done for some of it. */
static void model_poll(struct model *model, struct opened *opened)
{
    struct tw_delivery out[7];
    size_t count, max = 1 + draw(model, 7);
    unsigned char payload[90];
    uint64_t last = 0;
    do {
        int answer = wheel_log->poll(opened->store, model->now, out, max, &count);
        if (answer == TW_STORE_FULL) {
            /* What is handed out and not done lies too many rounds back. */
            assert_true(model->handed_count > 0);
            model_done(model, opened, model->handed_count);
            count = 1;
            continue;
        }
        assert_int_equal(answer, TW_STORE_OK);
        for (size_t i = 0; i < count; i++) {
            uint64_t key = out[i].key;
            assert_true(key < model->keys);
            assert_int_equal(model->fate[key], PENDING);
            assert_true(out[i].due_ms <= model->now);
            assert_int_equal(out[i].due_ms, model->due[key]);
            assert_int_equal(out[i].size, payload_of(key, payload));
            assert_memory_equal(out[i].payload, payload, out[i].size);
            last = out[i].due_ms > last ? out[i].due_ms : last;
            model->fate[key] = HANDED;
            model->handed[model->handed_count++] = (uint32_t)key;
        }
        if (model->handed_count && draw(model, 4))
            model_done(model, opened, 1 + draw(model, model->handed_count));
    } while (count);
    for (size_t key = 0; key < model->keys; key++)
        assert_false(model->fate[key] == PENDING && model->due[key] <= model->now);
}

static void model_tend(struct model *model, struct opened *opened)
{
    int more = 1;
    for (unsigned i = 0; more && i < 1000; i++)
        assert_int_equal(wheel_log->tend(opened->store, model->now, &more), TW_STORE_OK);
    assert_int_equal(more, 0);
}

/* No message comes before next says so. */
static void model_next(struct model *model, struct opened *opened)
{
    uint64_t next = wheel_log->next(opened->store), least = TW_STORE_NEVER;
    for (size_t key = 0; key < model->keys; key++)
        if (model->fate[key] == PENDING && model->due[key] < least)
            least = model->due[key];
    assert_true(next <= least || (least < model->now && next <= model->now));
}

static void model_reopen(struct model *model, struct opened *opened, const char *directory)
{
    size_t count;
    const struct tw_setting *settings = small_settings(&count);
    if (draw(model, 2))
        assert_int_equal(store_close(opened), TW_STORE_OK);
    else
        store_kill(opened, directory, model->now);
    assert_int_equal(store_open_under(opened, model->sync, directory, model->now, settings, count),
                     TW_STORE_OK);
    if (opened->told.count)
        print_error("told: %s\n", opened->told.last);
    assert_int_equal(opened->told.count, 0);
    for (size_t i = 0; i < model->handed_count; i++)
        model->fate[model->handed[i]] = PENDING;
    model->handed_count = 0;
    struct tw_store_description description;
    wheel_log->describe(opened->store, &description);
    assert_int_equal(description.recovered, model->pending);
}

static void model_run(const char *directory, uint64_t seed, enum tw_sync_policy sync)
{
    struct model *model = calloc(1, sizeof *model);
    struct opened opened;
    size_t count;
    const struct tw_setting *settings = small_settings(&count);
    *model = (struct model){.random = seed, .now = START + seed * 977, .sync = sync};
    assert_int_equal(store_open_under(&opened, sync, directory, model->now, settings, count),
                     TW_STORE_OK);
    for (unsigned step = 0; step < 600; step++) {
        uint64_t choice = draw(model, 12);
        if (choice < 4) {
            model_put(model, &opened);
        } else if (choice < 6) {
            model_cancel(model, &opened);
        } else if (choice < 9) {
            model->now += draw(model, 20) ? draw(model, 900) : draw(model, 200000);
            model_poll(model, &opened);
        } else if (choice == 9) {
            model_tend(model, &opened);
        } else if (choice == 10) {
            model_next(model, &opened);
        } else if (draw(model, 8) == 0) {
            model_reopen(model, &opened, directory);
        }
    }
    /* Ten days later nothing is left, and next leads there without turning on the spot. */
    uint64_t next;
    for (unsigned i = 0; (next = wheel_log->next(opened.store)) != TW_STORE_NEVER; i++) {
        assert_true(i < 4 * KEYS);
        model->now = next > model->now ? next : model->now;
        model_poll(model, &opened);
    }
    model->now += UINT64_C(864000000);
    model_poll(model, &opened);
    assert_int_equal(model->pending, model->handed_count);
    assert_int_equal(store_close(&opened), TW_STORE_OK);
    free(model);
}

/* Each test has a directory of its own. */
#define CASE(name) TEST_AROUND(name, make_directory, drop_directory)

CASE(random_operations_agree_with_a_model)
{
    for (uint64_t seed = 1; seed <= (deep() ? 300 : 12); seed++) {
        model_run(*state, seed, seed % 3 ? TW_SYNC_NONE : TW_SYNC_ALWAYS);
        footing_remove(*state);
    }
}

/* ---- Cut and damaged files. ------------------------------------------------------------------- */

#define FEW 24u

/* A small log that a kill left: messages of this hour and of later ones, a cancel, a done, and no checkpoint since it
 * was made.  Key k is due at START + 1000 + k. */
static void small_log(const char *directory, struct opened *opened, uint64_t segment_kib)
{
    struct tw_setting settings[] = {setting("segment-kib", segment_kib)};
    unsigned char payload[90];
    struct tw_delivery out[2];
    size_t count;
    uint64_t handle = 0;
    assert_int_equal(store_open(opened, directory, START, settings, 1), TW_STORE_OK);
    for (uint64_t key = 0; key < FEW; key++) {
        uint64_t due = START + 1000 + key + (key % 3 == 2 ? 7200000 : 0);
        uint64_t made = put_one(opened, key, due, payload, payload_of(key, payload));
        if (key == 5)
            handle = made;
    }
    assert_int_equal(wheel_log->poll(opened->store, START + 1001, out, 2, &count), TW_STORE_OK);
    assert_int_equal(count, 2);
    assert_int_equal(wheel_log->done(opened->store, 1), TW_STORE_OK);
    assert_int_equal(wheel_log->cancel(opened->seat, 5, START + 1005 + 7200000, handle),
                     TW_STORE_CANCELLED);
}

/* What comes out until nothing is left: how often each key. */
static void drain(struct opened *opened, unsigned times[FEW])
{
    struct tw_delivery out[8];
    unsigned char payload[90];
    uint64_t now = START;
    size_t count;
    memset(times, 0, FEW * sizeof times[0]);
    for (uint64_t next; (next = wheel_log->next(opened->store)) != TW_STORE_NEVER;) {
        now = next > now ? next : now;
        assert_int_equal(wheel_log->poll(opened->store, now, out, 8, &count), TW_STORE_OK);
        for (size_t i = 0; i < count; i++) {
            assert_true(out[i].key < FEW);
            assert_int_equal(out[i].size, payload_of(out[i].key, payload));
            assert_memory_equal(out[i].payload, payload, out[i].size);
            times[out[i].key]++;
        }
        assert_int_equal(wheel_log->done(opened->store, count), TW_STORE_OK);
    }
}

/* The same of a small log that lacks nothing. */
static void drain_all(struct opened *opened)
{
    unsigned times[FEW];
    drain(opened, times);
    for (uint64_t key = 0; key < FEW; key++)
        assert_int_equal(times[key], key != 0 && key != 5);
}

/* The records of a log file that begins at position 0; zeros may lie behind them. */
struct place {
    off_t offset, body;
    struct wl_entry entry;
};

static size_t records_of(const char *path, struct place *places, size_t room)
{
    static unsigned char bytes[65536];
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t size = read(fd, bytes, sizeof bytes);
    close(fd);
    size_t count = 0;
    for (ssize_t at = WL_FILE_HEADER_BYTES;
         at + WL_ENTRY_BYTES <= size && bytes[at + WL_KIND_AT] && count < room;) {
        struct place *place = &places[count++];
        place->offset = at;
        assert_true(wl_entry_read(bytes + at, &place->entry, (uint64_t)at));
        place->body = at + WL_ENTRY_BYTES;
        at = place->body + place->entry.size;
    }
    return count;
}

/* Where the last of them ends. */
static off_t end_of(const struct place *places, size_t records)
{
    const struct place *last = &places[records - 1];
    return last->body + (off_t)last->entry.size;
}

/* Is the record whole in the file that was cut to that length, and has zeros behind it?  Its own last bytes may be zeros. */
static bool is_whole(const char *path, const struct place *place, off_t length)
{
    off_t end = place->body + (off_t)place->entry.size;
    unsigned char byte = 0;
    int fd = open(path, O_RDONLY);
    for (; length < end && byte == 0; length++)
        assert_int_equal(pread(fd, &byte, 1, length), 1);
    close(fd);
    return byte == 0;
}

/* zeros: so many lie behind the cut. */
static void cut_at_any_byte(void **state, off_t zeros)
{
    struct opened opened;
    struct place places[64];
    char whole[128], path[128], cut[96];
    unsigned times[FEW];
    small_log(*state, &opened, 64);
    store_kill(&opened, *state, START + 1001);
    log_path(path, sizeof path, *state);
    log_path(whole, sizeof whole, *state);
    size_t records = records_of(path, places, 64);
    off_t size = end_of(places, records);
    snprintf(cut, sizeof cut, "%s.copy", (char *)*state);
    for (off_t length = 0; length <= size; length += deep() ? 1 : 37) {
        directory_copy(*state, cut);
        log_path(path, sizeof path, cut);
        assert_int_equal(truncate(path, length), 0);
        assert_int_equal(truncate(path, length + zeros), 0);
        assert_int_equal(store_open(&opened, cut, START + 2000, NULL, 0), TW_STORE_OK);
        unsigned expected[FEW] = {0};
        for (size_t i = 0; i < records; i++) {
            const struct wl_entry *entry = &places[i].entry;
            if (places[i].body + (off_t)entry->size > length &&
                (zeros == 0 || !is_whole(whole, &places[i], length)))
                break;
            if (wl_kind_of(entry) == WL_PUT)
                expected[entry->key] = 1;
            else if (wl_kind_of(entry) == WL_CANCEL)
                expected[5] = 0;
            else if (wl_kind_of(entry) == WL_DONE)
                expected[0] = 0;
        }
        drain(&opened, times);
        assert_memory_equal(times, expected, sizeof times);
        /* What was cut goes on: the store takes messages, and keeps them. */
        unsigned char payload[90];
        put_one(&opened, 1, START + 3000, payload, payload_of(1, payload));
        store_kill(&opened, cut, START + 2000);
        assert_int_equal(store_open(&opened, cut, START + 2000, NULL, 0), TW_STORE_OK);
        drain(&opened, times);
        assert_int_equal(times[1], 1);
        store_close(&opened);
    }
}

CASE(a_log_cut_at_any_byte_serves_its_whole_records)
{
    cut_at_any_byte(state, 0);
}

CASE(zeros_behind_the_cut_are_the_end_of_the_log)
{
    cut_at_any_byte(state, 200000);
}

/* A bit flipped at that offset of the log is told, and no message but `lost` is missing. */
static void flip_and_serve(const char *directory, off_t offset, uint64_t lost, const char *what)
{
    char damaged[96], path[128];
    struct opened opened;
    unsigned times[FEW];
    snprintf(damaged, sizeof damaged, "%s.copy", directory);
    directory_copy(directory, damaged);
    log_path(path, sizeof path, damaged);
    flip(path, offset);
    assert_int_equal(store_open(&opened, damaged, START + 2000, NULL, 0), TW_STORE_OK);
    drain(&opened, times);
    if (opened.told.count == 0)
        print_error("nothing told of a bit flipped in %s at %lld\n", what, (long long)offset);
    assert_true(opened.told.count > 0);
    for (uint64_t key = 0; key < FEW; key++) {
        /* Key 0 is done and 5 is cancelled: they may come again if just that was damaged. */
        bool ended = key == 0 || key == 5;
        if (times[key] != (ended ? 0u : 1u) && key != lost && !ended)
            print_error("key %u came %u times after a flip in %s at %lld\n", (unsigned)key,
                        times[key], what, (long long)offset);
        assert_true(times[key] == (ended ? 0u : 1u) || key == lost || ended);
        assert_true(times[key] <= 1);
    }
    store_close(&opened);
}

static void flips_in_every_record(const char *directory)
{
    static const char *const kinds[] = {"", "put", "cancel", "done", "seal", "bridge"};
    struct place places[64];
    char path[128];
    log_path(path, sizeof path, directory);
    size_t records = records_of(path, places, 64);
    assert_true(records >= FEW + 2);
    for (size_t i = 0; i < records; i++) {
        const struct wl_entry *entry = &places[i].entry;
        const char *what = kinds[wl_kind_of(entry)];
        uint64_t lost = wl_kind_of(entry) == WL_PUT ? entry->key : UINT64_MAX;
        /* Each field of the entry in turn. */
        static const off_t fields[] = {0, 5, 9, 15, 17, 25};
        if (lost == 0 || lost == 5)
            continue; /* ended: nothing of it is read again but its place in the chain */
        for (size_t field = 0; field < 6; field++)
            if (deep() || field == i % 6)
                flip_and_serve(directory, places[i].offset + fields[field], lost, what);
        if (entry->size)
            flip_and_serve(directory, places[i].body + entry->size / 2, lost, what);
    }
}

CASE(a_flipped_bit_behind_the_checkpoint_is_told_and_the_rest_served)
{
    struct opened opened;
    small_log(*state, &opened, 64);
    store_kill(&opened, *state, START + 1001);
    flips_in_every_record(*state);
}

CASE(a_flipped_bit_before_the_checkpoint_is_told_and_the_rest_served)
{
    struct opened opened;
    struct place places[64];
    char path[128];
    small_log(*state, &opened, 64);
    assert_int_equal(store_close(&opened), TW_STORE_OK);
    log_path(path, sizeof path, *state);
    size_t records = records_of(path, places, 64);
    for (size_t i = 0; i < records; i++) {
        const struct wl_entry *entry = &places[i].entry;
        if (wl_kind_of(entry) != WL_PUT || entry->key == 0 || entry->key == 5)
            continue;
        flip_and_serve(*state, places[i].offset + (off_t)(i % WL_ENTRY_BYTES), entry->key, "put");
        if (entry->size)
            flip_and_serve(*state, places[i].body, entry->key, "put");
    }
}

/* A kill loses what was acknowledged under none; what is put next stands in its place. */
CASE(a_cancel_of_what_was_lost_spares_what_stands_in_its_place)
{
    struct opened opened;
    unsigned char payload[90];
    unsigned times[FEW];
    char copy[96];
    snprintf(copy, sizeof copy, "%s.copy", (const char *)*state);
    assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_OK);
    directory_copy(*state, copy);
    uint64_t lost = put_one(&opened, 2, START + 6000, payload, payload_of(2, payload));
    store_close(&opened);
    footing_remove(*state);
    assert_int_equal(rename(copy, *state), 0);
    assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_OK);
    assert_int_equal(put_one(&opened, 1, START + 6000, payload, payload_of(1, payload)), lost);
    assert_int_equal(wheel_log->cancel(opened.seat, 2, START + 6000, lost), TW_STORE_TOO_LATE);
    drain(&opened, times);
    assert_int_equal(times[1], 1);
    assert_int_equal(store_close(&opened), TW_STORE_OK);
}

CASE(a_damaged_checkpoint_is_told_and_the_other_one_used)
{
    char path[128], copy[96];
    struct opened opened;
    small_log(*state, &opened, 64);
    assert_int_equal(wheel_log->checkpoint(opened.store), TW_STORE_OK);
    assert_int_equal(store_close(&opened), TW_STORE_OK);
    snprintf(copy, sizeof copy, "%s.copy", (char *)*state);
    for (unsigned damaged = 1; damaged <= 3; damaged++) {
        directory_copy(*state, copy);
        for (unsigned file = 0; file < 2; file++) {
            snprintf(path, sizeof path, "%s/checkpoint-%u", copy, file);
            if (damaged & 1u << file)
                flip(path, file ? 70 : file_size(path) - 4096 + 8 * 3);
        }
        assert_int_equal(store_open(&opened, copy, START + 2000, NULL, 0), TW_STORE_OK);
        assert_int_equal(opened.told.count, damaged == 3 ? 2 : 1);
        drain_all(&opened);
        store_close(&opened);
    }
}

/* ---- Directories that are refused. ------------------------------------------------------------ */

static void touch(const char *directory, const char *name, const void *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

CASE(other_directories_are_refused_and_left_alone)
{
    struct opened opened;
    unsigned char header[WL_FILE_HEADER_BYTES], found[WL_FILE_HEADER_BYTES];
    char path[128];
    assert_int_equal(mkdir(*state, 0755), 0);
    wl_header_write(header, &(struct wl_file_header){.version = 2, .kind = WL_FILE_SEGMENT});
    touch(*state, "log-0000000000000000", header, sizeof header);
    assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_FORMAT);
    assert_non_null(strstr(opened.error.text, "version 2"));
    log_path(path, sizeof path, *state);
    int fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, found, sizeof found), sizeof found);
    close(fd);
    assert_memory_equal(found, header, sizeof header);
    footing_remove(*state);

    assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_OK);
    store_close(&opened);
    struct tw_setting slots = setting("slots", 7);
    assert_int_equal(store_open(&opened, *state, START, &slots, 1), TW_STORE_BAD);
    assert_non_null(strstr(opened.error.text, "3600"));
}

CASE(a_put_out_of_reach_or_too_large_is_refused)
{
    static unsigned char payload[TW_PAYLOAD_MAX + 1];
    struct opened opened;
    struct tw_store_description description;
    struct tw_delivery out[4];
    size_t count;
    assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_OK);
    wheel_log->describe(opened.store, &description);
    assert_true(description.reach_ms >= TW_DELAY_MAX_MS);
    struct tw_message messages[] = {{1, START + 1, payload, TW_PAYLOAD_MAX, 0},
                                    {2, START + 2, payload, TW_PAYLOAD_MAX + 1, 0},
                                    {3, START + description.reach_ms, payload, 0, 0},
                                    {4, START + 5 * description.reach_ms, payload, 0, 0}};
    assert_int_equal(wheel_log->put(opened.seat, messages, 2), TW_STORE_RANGE);
    assert_int_equal(wheel_log->put(opened.seat, messages + 2, 2), TW_STORE_RANGE);
    assert_int_equal(wheel_log->put(opened.seat, messages, 1), TW_STORE_OK);
    assert_int_equal(wheel_log->put(opened.seat, messages + 2, 1), TW_STORE_OK);
    /* Of the calls that were refused nothing is there.  A poll stays in one hour. */
    uint64_t end = START + description.reach_ms;
    assert_int_equal(wheel_log->poll(opened.store, end, out, 4, &count), TW_STORE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(out[0].size, TW_PAYLOAD_MAX);
    assert_int_equal(wheel_log->done(opened.store, 1), TW_STORE_OK);
    assert_int_equal(wheel_log->poll(opened.store, end, out, 4, &count), TW_STORE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(out[0].key, 3);
    store_close(&opened);
}

/* ---- Bounds. ---------------------------------------------------------------------------------- */

/* More in one slot than a queue holds: it spills, and the order stays that of the puts. */
/* Half of them are put an hour ahead and half directly; due in the same millisecond, or scattered over so many. */
static void drained_in_bounded_memory(const char *directory, uint64_t scatter)
{
    const uint64_t all = deep() ? 2000000 : 300000;
    static struct tw_message messages[1000];
    static struct tw_delivery out[1000];
    struct opened opened;
    struct tw_store_stats stats;
    uint64_t most = 0, came = 0, last_due = 0, last_key = 0;
    size_t count;
    assert_int_equal(store_open(&opened, directory, START, NULL, 0), TW_STORE_OK);
    for (uint64_t key = 0; key < all; key += 1000) {
        for (uint64_t i = 0; i < 1000; i++)
            messages[i] = (struct tw_message){
                key + i, START + 7200000 + (key + i) * 48271 % scatter, NULL, 0, 0};
        assert_int_equal(wheel_log->put(opened.seat, messages, 1000), TW_STORE_OK);
        if (key == all / 2)
            assert_int_equal(wheel_log->poll(opened.store, START + 7199000, out, 1, &count),
                             TW_STORE_OK);
    }
    do {
        assert_int_equal(
            wheel_log->poll(opened.store, START + 7200000 + scatter, out, 1000, &count),
            TW_STORE_OK);
        for (size_t i = 0; i < count; i++, came++) {
            assert_true(out[i].due_ms > last_due ||
                        (out[i].due_ms == last_due && (came == 0 || out[i].key > last_key)));
            last_due = out[i].due_ms;
            last_key = out[i].key;
        }
        assert_int_equal(wheel_log->done(opened.store, count), TW_STORE_OK);
        wheel_log->stats(opened.store, &stats);
        most = stats.memory_bytes > most ? stats.memory_bytes : most;
    } while (count);
    assert_int_equal(came, all);
    /* Buffers, arena, a queue of 2 MiB and the runs' pieces. */
    assert_in_range(most, 0, 9 * 1024 * 1024);
    store_close(&opened);
}

CASE(a_hot_slot_is_drained_in_bounded_memory_and_in_order)
{
    drained_in_bounded_memory(*state, 1);
}

CASE(a_full_hour_is_drained_in_bounded_memory_and_in_order)
{
    drained_in_bounded_memory(*state, 1000000);
}

/* From the first put to the last done, with all checkpoints: at most 1.3 times the entries and payloads. */
static void written_once(const char *directory, uint32_t size)
{
    struct tw_message messages[100];
    static const unsigned char payload[1000] = {1};
    struct opened opened;
    struct tw_store_stats stats;
    struct tw_delivery out[256];
    size_t count;
    const uint64_t all = 20000;
    int more;
    assert_int_equal(store_open(&opened, directory, START, NULL, 0), TW_STORE_OK);
    for (uint64_t key = 0; key < all; key += 100) {
        for (uint64_t i = 0; i < 100; i++)
            messages[i] = (struct tw_message){
                key + i, START + (key + i) * UINT64_C(7919) * 1009 % 864000000, payload, size, 0};
        assert_int_equal(wheel_log->put(opened.seat, messages, 100), TW_STORE_OK);
    }
    for (uint64_t next, now = START; (next = wheel_log->next(opened.store)) != TW_STORE_NEVER;) {
        now = next > now ? next + 3600000 : now;
        assert_int_equal(wheel_log->tend(opened.store, now, &more), TW_STORE_OK);
        assert_int_equal(wheel_log->poll(opened.store, now, out, 256, &count), TW_STORE_OK);
        assert_int_equal(wheel_log->done(opened.store, count), TW_STORE_OK);
    }
    wheel_log->stats(opened.store, &stats);
    assert_int_equal(stats.pending, 0);
    assert_true((double)stats.written_bytes <= 1.3 * (30 + size) * (double)all);
    store_close(&opened);
}

CASE(a_message_is_written_once)
{
    static const uint32_t sizes[] = {0, 100, 1000};
    for (size_t i = 0; i < 3; i++) {
        footing_remove(*state);
        written_once(*state, sizes[i]);
    }
}

/* A dispatcher that polls and never tends has checkpoints, too, so that what is replayed has a bound. */
CASE(polls_alone_bound_what_is_replayed)
{
    struct tw_setting settings[] = {setting("checkpoint-kib", 4)};
    unsigned char payload[994] = {0}; /* 1 KiB with its entry */
    struct opened opened;
    struct tw_store_stats stats;
    struct tw_delivery out;
    size_t count;
    assert_int_equal(store_open(&opened, *state, START, settings, 1), TW_STORE_OK);
    wheel_log->stats(opened.store, &stats);
    uint64_t before = stats.checkpoints;
    for (uint64_t key = 0; key < 40; key++) {
        put_one(&opened, key, START + 1000, payload, sizeof payload);
        assert_int_equal(wheel_log->poll(opened.store, START, &out, 1, &count), TW_STORE_OK);
    }
    wheel_log->stats(opened.store, &stats);
    assert_int_equal(stats.checkpoints - before, 5);
    store_close(&opened);
}

/* ---- Ahead of time, and the position in the slot. --------------------------------------------- */

/* How many messages poll had to load itself at an hour's turn. */
static uint64_t loaded_late(const char *directory, uint64_t preload_s)
{
    struct tw_setting preload = setting("preload-s", preload_s);
    struct opened opened;
    struct tw_store_stats stats;
    struct tw_delivery out[8];
    size_t count;
    uint64_t turn = (START / 3600000 + 2) * 3600000;
    assert_int_equal(store_open(&opened, directory, START, &preload, 1), TW_STORE_OK);
    for (uint64_t key = 0; key < 500; key++)
        put_one(&opened, key, turn + key, NULL, 0);
    for (uint64_t now = turn - 10000; now <= turn + 1000; now += 100) {
        int more = 1;
        do
            assert_int_equal(wheel_log->poll(opened.store, now, out, 8, &count), TW_STORE_OK);
        while (count);
        while (more)
            assert_int_equal(wheel_log->tend(opened.store, now, &more), TW_STORE_OK);
    }
    wheel_log->stats(opened.store, &stats);
    assert_int_equal(stats.preloaded + stats.loaded_late, 500);
    store_close(&opened);
    footing_remove(directory);
    return stats.loaded_late;
}

CASE(an_hour_is_loaded_before_its_turn)
{
    assert_int_equal(loaded_late(*state, 600), 0);
    assert_int_equal(loaded_late(*state, 0), 500);
}

/* How many of ten messages of a slot, five of them done, come again after a kill. */
static size_t come_again(const char *directory, uint64_t position)
{
    struct tw_setting setting_of = setting("position", position);
    struct opened opened;
    struct tw_delivery out[20];
    size_t count, again;
    assert_int_equal(store_open(&opened, directory, START, &setting_of, 1), TW_STORE_OK);
    for (uint64_t key = 0; key < 10; key++)
        put_one(&opened, key, START + 100, NULL, 0);
    assert_int_equal(wheel_log->poll(opened.store, START + 200, out, 5, &count), TW_STORE_OK);
    assert_int_equal(count, 5);
    assert_int_equal(wheel_log->done(opened.store, 5), TW_STORE_OK);
    assert_int_equal(wheel_log->checkpoint(opened.store), TW_STORE_OK);
    store_kill(&opened, directory, START + 200);
    assert_int_equal(store_open(&opened, directory, START + 200, &setting_of, 1), TW_STORE_OK);
    assert_int_equal(wheel_log->poll(opened.store, START + 200, out, 20, &again), TW_STORE_OK);
    struct tw_store_description description;
    wheel_log->describe(opened.store, &description);
    assert_int_equal(description.recovered, again);
    store_close(&opened);
    footing_remove(directory);
    return again - 5;
}

CASE(without_a_position_in_the_slot_what_is_done_comes_again)
{
    assert_int_equal(come_again(*state, 1), 0);
    assert_int_equal(come_again(*state, 0), 5);
}

/* ---- A full disk, and several threads. -------------------------------------------------------- */

/* Files may grow no further than that: a write beyond answers EFBIG, as a full disk does ENOSPC. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

CASE(a_full_disk_refuses_puts_and_the_store_goes_on)
{
    unsigned char payload[1000] = {7};
    struct opened opened;
    struct tw_delivery out[64];
    struct tw_message message = {0, START + 100, payload, sizeof payload, 0};
    uint64_t kept = 0, came = 0;
    size_t count;
    int answer;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_OK);
    limit_files(3 << 20);
    while ((answer = wheel_log->put(opened.seat, &message, 1)) == TW_STORE_OK) {
        message.key++;
        assert_true(++kept < 10000);
    }
    assert_int_equal(answer, TW_STORE_FULL);
    limit_files(RLIM_INFINITY);
    assert_int_equal(wheel_log->put(opened.seat, &message, 1), TW_STORE_OK);
    kept++;
    do {
        assert_int_equal(wheel_log->poll(opened.store, START + 100, out, 64, &count), TW_STORE_OK);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(out[i].key, came++);
    } while (count);
    assert_int_equal(came, kept);
    store_close(&opened);
}

/* ---- Who shares a sync. ----------------------------------------------------------------------- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* a sync passes when it is free */
static atomic_uint at_gate;                              /* syncs that came to it */
static atomic_bool syncs_fail;                           /* behind it */

/* Stands before the C library's. */
int fdatasync(int fd)
{
    atomic_fetch_add(&at_gate, 1);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    errno = EIO;
    return atomic_load(&syncs_fail) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

static void wait_at_gate(unsigned arrived)
{
    while (atomic_load(&at_gate) == arrived)
        usleep(200);
}

#define SHARERS 6u
static atomic_uint answered;

static void *put_alone(void *argument)
{
    static atomic_ullong keys;
    struct tw_store_seat *seat = wheel_log->enter(argument);
    struct tw_message message = {.key = 1 + atomic_fetch_add(&keys, 1), .due_ms = START + 1000};
    intptr_t answer = wheel_log->put(seat, &message, 1);
    atomic_fetch_add(&answered, 1);
    wheel_log->leave(seat);
    return (void *)answer; /* NOLINT: a number on its way */
}

static void wait_for_pending(struct tw_store *store, uint64_t count)
{
    struct tw_store_stats stats = {.pending = 0};
    while (stats.pending < count) {
        usleep(200);
        wheel_log->stats(store, &stats);
    }
}

/* One put is being synced, all others come meanwhile: they share the next sync, and none is answered before its own. */
CASE(puts_that_wait_for_a_sync_share_the_next)
{
    static const enum tw_sync_policy policies[] = {TW_SYNC_ALWAYS, TW_SYNC_GROUP};
    for (size_t round = 0; round < 2; round++) {
        pthread_t threads[SHARERS];
        struct tw_store *store;
        struct tw_error error;
        struct tw_store_stats stats;
        struct tw_store_config config = {
            .directory = *state, .sync = policies[round], .now_ms = START, .seats = SHARERS};
        footing_remove(*state);
        assert_int_equal(wheel_log->open(&store, &config, &error), TW_STORE_OK);
        wheel_log->stats(store, &stats);
        uint64_t before = stats.syncs;
        unsigned arrived = atomic_load(&at_gate);
        atomic_store(&answered, 0);
        pthread_mutex_lock(&gate);
        for (size_t i = 0; i < SHARERS; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, put_alone, store), 0);
            wait_at_gate(arrived);
        }
        wait_for_pending(store, SHARERS);
        assert_int_equal(atomic_load(&answered), 0);
        pthread_mutex_unlock(&gate);
        for (size_t i = 0; i < SHARERS; i++) {
            void *answer;
            assert_int_equal(pthread_join(threads[i], &answer), 0);
            assert_ptr_equal(answer, NULL);
        }
        wheel_log->stats(store, &stats);
        assert_int_equal(stats.syncs - before, 2);
        assert_int_equal(wheel_log->close(store), TW_STORE_OK);
    }
}

static void *poll_a_second_on(void *argument)
{
    struct tw_delivery out[1];
    size_t count = 0;
    intptr_t answer = wheel_log->poll(argument, START + 1000, out, 1, &count);
    return (void *)(count ? 1 : answer); /* NOLINT: a number on its way */
}

static uint64_t first_handle;

static void *cancel_first(void *seat)
{
    intptr_t answer = wheel_log->cancel(seat, 1, START + 10, first_handle);
    return (void *)answer; /* NOLINT: a number on its way */
}

/* A poll waits for the cancel of its message, whose sync fails; its record may come to the disk all the same. */
CASE(a_message_whose_cancel_failed_is_not_handed_out)
{
    pthread_t canceller, poller;
    struct opened opened;
    void *answer;
    assert_int_equal(store_open_under(&opened, TW_SYNC_GROUP, *state, START, NULL, 0), TW_STORE_OK);
    first_handle = put_one(&opened, 1, START + 10, NULL, 0);
    unsigned arrived = atomic_load(&at_gate);
    pthread_mutex_lock(&gate);
    assert_int_equal(pthread_create(&canceller, NULL, cancel_first, opened.seat), 0);
    wait_at_gate(arrived);
    assert_int_equal(pthread_create(&poller, NULL, poll_a_second_on, opened.store), 0);
    for (uint64_t bound = 0; bound < START + 1000; sched_yield()) {
        wl_log_lock(&opened.store->log);
        bound = opened.store->bound;
        wl_log_unlock(&opened.store->log);
    }
    atomic_store(&syncs_fail, true);
    pthread_mutex_unlock(&gate);
    assert_int_equal(pthread_join(canceller, &answer), 0);
    assert_int_equal((intptr_t)answer, TW_STORE_IO);
    assert_int_equal(pthread_join(poller, &answer), 0);
    assert_int_equal((intptr_t)answer, TW_STORE_BROKEN);
    atomic_store(&syncs_fail, false);
    assert_int_equal(store_close(&opened), TW_STORE_BROKEN);
}

#define FILLERS                                                                                    \
    31u /* with so many of the largest payload the buffer of the log has no room for one more */
#define HOUR_MS 3600000u

struct large_put {
    struct tw_store *store;
    struct tw_message messages[FILLERS + 1];
};

static void *put_more_than_the_buffer_holds(void *argument)
{
    struct large_put *put = argument;
    struct tw_store_seat *seat = wheel_log->enter(put->store);
    intptr_t answer = wheel_log->put(seat, put->messages, FILLERS + 1);
    wheel_log->leave(seat);
    return (void *)answer; /* NOLINT: a number on its way */
}

/* The last message of a call waits for room while a poll opens its hour, or goes beyond its due: it is handed out all the same. */
CASE(a_put_that_waits_for_room_joins_the_hour_that_is_open_then)
{
    static unsigned char payload[TW_PAYLOAD_MAX];
    uint64_t now = START - START % HOUR_MS + HOUR_MS;
    const uint64_t dues[] = {now + 10000, now - 10000};
    for (size_t round = 0; round < 2; round++) {
        pthread_t thread;
        struct large_put put;
        struct tw_error error;
        struct tw_delivery out[FILLERS];
        struct tw_store_config config = {
            .directory = *state, .sync = TW_SYNC_ALWAYS, .now_ms = now - 20000, .seats = 1};
        size_t count;
        void *answer;
        footing_remove(*state);
        assert_int_equal(wheel_log->open(&put.store, &config, &error), TW_STORE_OK);
        for (size_t i = 0; i <= FILLERS; i++)
            put.messages[i] =
                (struct tw_message){.key = i + 1,
                                    .due_ms = i == FILLERS ? dues[round] : now + HOUR_MS,
                                    .payload = payload,
                                    .size = sizeof payload};
        unsigned arrived = atomic_load(&at_gate);
        pthread_mutex_lock(&gate);
        assert_int_equal(pthread_create(&thread, NULL, put_more_than_the_buffer_holds, &put), 0);
        wait_at_gate(arrived);
        assert_int_equal(wheel_log->poll(put.store, now, out, FILLERS, &count), TW_STORE_OK);
        assert_int_equal(count, 0);
        pthread_mutex_unlock(&gate);
        assert_int_equal(pthread_join(thread, &answer), 0);
        assert_ptr_equal(answer, NULL);
        assert_int_equal(wheel_log->poll(put.store, now + 20000, out, FILLERS, &count),
                         TW_STORE_OK);
        assert_int_equal(count, 1);
        assert_int_equal(out[0].key, FILLERS + 1);
        assert_int_equal(wheel_log->close(put.store), TW_STORE_OK);
    }
}

static atomic_bool is_disk_full; /* writes of more than a header */
static struct tw_store_seat
    *canceller;         /* of whom a cancel comes while the log is written; NULL: it came */
static void *cancelled; /* what it answered */

/* Stands before the C library's. */
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    if (atomic_load(&is_disk_full) && size > 4096) {
        errno = ENOSPC;
        return -1;
    }
    if (canceller)
        cancelled = cancel_first(canceller);
    canceller = NULL;
    return (ssize_t)syscall(SYS_pwrite64, fd, bytes, size, offset);
}

/* Under none a cancel is over at once, also while a poll has given up the lock to write the log. */
CASE(a_message_whose_cancel_comes_while_a_poll_writes_is_not_handed_out)
{
    struct opened opened;
    assert_int_equal(store_open_under(&opened, TW_SYNC_NONE, *state, START, NULL, 0), TW_STORE_OK);
    first_handle = put_one(&opened, 1, START + 10, NULL, 0);
    canceller = opened.seat;
    assert_ptr_equal(poll_a_second_on(opened.store), NULL);
    assert_int_equal((intptr_t)cancelled, TW_STORE_CANCELLED);
    assert_int_equal(store_close(&opened), TW_STORE_OK);
}

/* The disk is found full in the middle of a call, when its first messages are written for room: all of it is refused, and
 * nothing of it is there. */
/* Under none one that was acknowledged was in it: nothing is promised any more, and what was written is there. */
CASE(a_disk_that_fills_in_the_middle_of_a_put_ends_the_store)
{
    static unsigned char payload[TW_PAYLOAD_MAX];
    struct tw_message messages[FILLERS + 1];
    struct tw_delivery out[FILLERS];
    struct opened opened;
    size_t count;
    int more;
    assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_OK);
    put_one(&opened, 1000, START + 100, payload, 1);
    assert_int_equal(wheel_log->tend(opened.store, START, &more), TW_STORE_OK);
    put_one(&opened, 999, START + 100, payload, 1); /* not written yet, so it goes */
    for (size_t i = 0; i <= FILLERS; i++)
        messages[i] = (struct tw_message){
            .key = i, .due_ms = START + 100, .payload = payload, .size = sizeof payload};
    atomic_store(&is_disk_full, true);
    assert_int_equal(wheel_log->put(opened.seat, messages, FILLERS + 1), TW_STORE_IO);
    atomic_store(&is_disk_full, false);
    assert_int_equal(wheel_log->put(opened.seat, messages, 1), TW_STORE_BROKEN);
    assert_int_equal(store_close(&opened), TW_STORE_BROKEN);
    assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_OK);
    assert_int_equal(wheel_log->poll(opened.store, START + 100, out, 2, &count), TW_STORE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(out[0].key, 1000);
    store_close(&opened);
}

/* Four messages in two segments, and a kill: how many records the first has, of which the last is the seal. */
static size_t four_in_two(const char *directory, struct opened *opened, char path[128],
                          struct place places[8])
{
    struct tw_setting settings[] = {setting("segment-kib", 1)};
    static const unsigned char payload[300] = {1};
    assert_int_equal(store_open(opened, directory, START, settings, 1), TW_STORE_OK);
    for (uint64_t key = 0; key < 4; key++)
        put_one(opened, key, START + 1000, payload, sizeof payload);
    store_kill(opened, directory, START);
    log_path(path, 128, directory);
    return records_of(path, places, 8);
}

/* Power is lost as the second segment is begun: zeros alone arrived of it, of the first all, or no seal, or half a message. */
CASE(a_segment_of_zeros_alone_was_being_made)
{
    struct tw_setting settings[] = {setting("segment-kib", 1)};
    static const unsigned char payload[300] = {1}, blank[4096];
    struct place places[8];
    struct opened opened;
    struct tw_delivery out[8];
    char path[128];
    size_t count;
    for (size_t lost = 0; lost < 3; lost++) {
        footing_remove(*state);
        size_t records = four_in_two(*state, &opened, path, places);
        off_t size = end_of(places, records);
        assert_int_equal(records, 3); /* two puts and the seal */
        assert_int_equal(truncate(path, lost > 1 ? places[1].offset + 10
                                        : lost   ? places[2].offset
                                                 : size),
                         0);
        assert_int_equal(truncate(path, size + 5000), 0);
        char second[24];
        snprintf(second, sizeof second, "log-%016llx", (unsigned long long)size);
        touch(*state, second, blank, sizeof blank);
        for (unsigned opens = 0; opens < 2; opens++) {
            assert_int_equal(store_open(&opened, *state, START, settings, 1), TW_STORE_OK);
            assert_true(lost < 2 || opens ? opened.told.count == 0
                                          : strncmp(opened.told.last, "tail", 4) == 0);
            put_one(&opened, 10 + opens, START + 1000, payload, 1);
            store_kill(&opened, *state, START);
        }
        assert_int_equal(store_open(&opened, *state, START, settings, 1), TW_STORE_OK);
        assert_int_equal(wheel_log->poll(opened.store, START + 1000, out, 8, &count), TW_STORE_OK);
        assert_int_equal(opened.told.count, 0);
        assert_int_equal(count, lost == 2 ? 3 : 4);
        assert_int_equal(out[count - 1].key, 11);
        store_close(&opened);
    }
}

static _Atomic(struct opened *) put_at_read; /* into this one, at the next read; NULL: no more */

/* Stands before the C library's.  A put comes while a poll reads. */
ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    struct opened *opened = atomic_exchange(&put_at_read, NULL);
    if (opened)
        put_one(opened, 2, START + 400, NULL, 0);
    return (ssize_t)syscall(SYS_pread64, fd, bytes, size, offset);
}

/* A poll that meets nothing but a cancelled message does not pass over one that is put meanwhile and is due before. */
CASE(a_cancelled_message_hides_none_that_is_put_meanwhile)
{
    struct opened opened;
    struct tw_delivery out[2];
    size_t count;
    int more;
    assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_OK);
    uint64_t handle = put_one(&opened, 1, START + 500, NULL, 0);
    assert_int_equal(wheel_log->cancel(opened.seat, 1, START + 500, handle), TW_STORE_CANCELLED);
    assert_int_equal(wheel_log->tend(opened.store, START, &more), TW_STORE_OK);
    atomic_store(&put_at_read, &opened);
    assert_int_equal(wheel_log->poll(opened.store, START + 600, out, 2, &count), TW_STORE_OK);
    assert_null(put_at_read);
    assert_int_equal(count, 1);
    assert_int_equal(out[0].key, 2);
    store_close(&opened);
}

/* ---- What a kill, a loss of power and a clock leave. ------------------------------------------ */

/* Twelve messages in six segments, of which one is done; then the file of segment `which` is gone (size < 0), or cut. */
static void without_a_segment(const char *directory, bool close_it, size_t which, off_t size)
{
    struct tw_setting settings[] = {setting("segment-kib", 1)};
    static const unsigned char payload[300] = {1};
    struct opened opened;
    struct tw_store_stats stats;
    struct tw_delivery out[16];
    char path[128];
    size_t count;
    footing_remove(directory);
    assert_int_equal(store_open(&opened, directory, START, settings, 1), TW_STORE_OK);
    for (uint64_t key = 0; key < 12; key++)
        put_one(&opened, key, START + 1000 + key, payload, sizeof payload);
    assert_int_equal(wheel_log->poll(opened.store, START + 1000, out, 1, &count), TW_STORE_OK);
    assert_int_equal(wheel_log->done(opened.store, 1), TW_STORE_OK);
    assert_int_equal(opened.store->log.segments.count, 6);
    snprintf(path, sizeof path, "%s/log-%016llx", directory,
             (unsigned long long)opened.store->log.segments.list[which]->base);
    if (close_it)
        assert_int_equal(store_close(&opened), TW_STORE_OK);
    else
        store_kill(&opened, directory, START + 1000);
    assert_int_equal(size < 0 ? unlink(path) : truncate(path, size), 0);
    for (unsigned opens = 0; opens < 2; opens++) {
        assert_int_equal(store_open(&opened, directory, START + 1000, NULL, 0), TW_STORE_OK);
        assert_int_equal(opened.told.count, 1);
        assert_int_equal(opened.told.lost, 2); /* each segment holds two */
        wheel_log->stats(opened.store, &stats);
        assert_true(stats.pending == UINT64_MAX);
        if (opens == 0)
            assert_int_equal(wheel_log->checkpoint(opened.store), TW_STORE_OK);
        else
            assert_int_equal(wheel_log->poll(opened.store, START + 2000, out, 16, &count), 0);
        store_close(&opened);
    }
    assert_int_equal(count, which ? 9 : 10);
}

CASE(a_missing_or_emptied_segment_is_named_with_what_it_held)
{
    for (unsigned i = 0; i < 8; i++)
        without_a_segment(*state, i & 1, i >> 1 & 1, i & 4 ? 0 : -1);
}

/* Killed between the file of a segment and the seal of the one before it: that one goes on, and is never called damaged. */
CASE(a_kill_during_rotation_leaves_a_segment_that_goes_on)
{
    struct tw_setting settings[] = {setting("segment-kib", 1)};
    static const unsigned char payload[300] = {1};
    struct place places[8];
    struct opened opened;
    char path[128], second[24];
    size_t records = four_in_two(*state, &opened, path, places);
    snprintf(second, sizeof second, "log-%016llx", (unsigned long long)end_of(places, records));
    assert_int_equal(wl_kind_of(&places[records - 1].entry), WL_SEAL);
    assert_int_equal(truncate(path, places[records - 1].offset), 0);
    touch(*state, second, "", 0);
    for (unsigned opens = 0; opens < 4; opens++) {
        assert_int_equal(store_open(&opened, *state, START, settings, 1), TW_STORE_OK);
        assert_int_equal(opened.told.count, 0);
        put_one(&opened, 10 + opens, START + 1000, payload, sizeof payload);
        assert_int_equal(wheel_log->checkpoint(opened.store), TW_STORE_OK);
        store_kill(&opened, *state, START);
    }
}

/* The seal of a segment that was ended is damaged: told once, and written again; all is served. */
CASE(a_damaged_seal_is_written_again)
{
    for (unsigned closed = 0; closed < 2; closed++) {
        char path[128];
        struct place places[64];
        struct opened opened;
        footing_remove(*state);
        small_log(*state, &opened, 1);
        if (closed)
            assert_int_equal(store_close(&opened), TW_STORE_OK);
        else
            store_kill(&opened, *state, START + 1001);
        log_path(path, sizeof path, *state);
        size_t records = records_of(path, places, 64);
        assert_int_equal(wl_kind_of(&places[records - 1].entry), WL_SEAL);
        flip(path, places[records - 1].offset + 3);
        for (unsigned opens = 0; opens < 4; opens++) {
            assert_int_equal(store_open(&opened, *state, START + 2000, NULL, 0), TW_STORE_OK);
            assert_int_equal(opened.told.count, opens == 0);
            assert_int_equal(opened.told.lost, 0);
            if (opens == 3)
                drain_all(&opened);
            assert_int_equal(wheel_log->checkpoint(opened.store), TW_STORE_OK);
            store_close(&opened);
        }
    }
}

/* A clock that was set back across an open: what was handed out stays so, a put with an earlier due comes when the clock is there
 * again, and its cancel is kept. */
CASE(a_clock_that_goes_back_keeps_cancels)
{
    for (unsigned opens = 1; opens <= 3; opens++) {
        struct opened opened;
        struct tw_delivery out[4];
        size_t count;
        int more;
        footing_remove(*state);
        assert_int_equal(store_open(&opened, *state, START, NULL, 0), TW_STORE_OK);
        put_one(&opened, 1, START + 60000, NULL, 0);
        assert_int_equal(wheel_log->poll(opened.store, START + 60000, out, 4, &count), 0);
        assert_int_equal(count, 1);
        /* What is not done comes again, and then the log alone knows which dues were others. */
        if (opens < 3)
            assert_int_equal(wheel_log->done(opened.store, 1), TW_STORE_OK);
        uint64_t handle = opens >= 2 ? put_one(&opened, 2, START + 30000, NULL, 0) : 0;
        assert_int_equal(wheel_log->tend(opened.store, START + 60000, &more), TW_STORE_OK);
        if (opens == 2)
            assert_int_equal(wheel_log->checkpoint(opened.store), TW_STORE_OK);
        store_kill(&opened, *state, START + 60000);
        assert_int_equal(store_open(&opened, *state, START + 100, NULL, 0), TW_STORE_OK);
        if (opens == 1)
            handle = put_one(&opened, 2, START + 30000, NULL, 0);
        assert_int_equal(wheel_log->cancel(opened.seat, 2, START + 30000, handle),
                         TW_STORE_CANCELLED);
        for (uint64_t at = 200; at <= 90000; at += 89800) {
            assert_int_equal(wheel_log->poll(opened.store, START + at, out, 4, &count), 0);
            assert_int_equal(count, opens == 3 && at == 90000);
        }
        store_close(&opened);
    }
}

TEST_MAIN(NULL, NULL)
