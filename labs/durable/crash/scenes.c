/* scenes.c - short sequences of calls, each for sentences of store.h that a random load hardly meets. */
#include "labs/durable/crash/crash.h"

#include "harness/base/clock.h"
#include "harness/base/isolate.h"
#include "labs/durable/drive/footing.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGES_MAX 4096u
#define DAY_MS       UINT64_C(86400000)
/* A server is made and begun in some of them, and others may keep the disk: beside them it takes its time. */
#define SECONDS 600u
/* Of one call, so often is looked whether it has returned. */
#define LOOKS 600u
/* Of seats that came and went, and of opens that were refused. */
#define LEAK_BYTES UINT64_C(100000)
#define REFUSALS   1000u

enum fate { ABSENT, WAITS, HANDED, ENDED };

struct message {
    struct tw_message put;
    enum fate fate;
    bool is_past; /* its due was over when it was added */
};

#define STEPS       20u
#define INTERVAL_MS 50

/* What a scene found first; and, of one whose disk is recorded, how long the record was behind each call of a step. */
struct outcome {
    char rule[40], words[240];
    uint32_t looks; /* since a call has returned */
    uint64_t marks[2 * STEPS];
};

/* A store, and what became of its messages. */
struct scene {
    const struct crash_case *this;
    struct outcome *outcome;
    char directory[PATH_MAX];
    struct tw_store *store;
    struct tw_store_seat *seat, *canceller; /* more than the configuration hints at */
    struct tw_store_description description;
    uint64_t now_ms;
    unsigned sync;
    struct message messages[MESSAGES_MAX];
    size_t count, handed[MESSAGES_MAX], handed_count;
    uint64_t handed_ms; /* the latest due that was handed out, */
    uint64_t polled_ms; /* and the latest of this poll that had to be in order */
    const struct tw_setting *settings;
    size_t setting_count;
    struct disk_log *log; /* of a scene whose disk is recorded */
    size_t tries[4],
        in_time[4];  /* of an interval, that what was put, done or cancelled is durable */
    unsigned number; /* of the scene */
    bool is_loose;   /* others may be there, too */
    uint64_t from;   /* how long the record was at the last mark */
};

__attribute__((format(printf, 3, 4))) static void fail(struct scene *scene, const char *rule,
                                                       const char *format, ...)
{
    va_list arguments;
    if (scene->outcome->rule[0])
        return;
    snprintf(scene->outcome->rule, sizeof scene->outcome->rule, "%s", rule);
    va_start(arguments, format);
    vsnprintf(scene->outcome->words, sizeof scene->outcome->words, format, arguments);
    va_end(arguments);
}

static void expect(struct scene *scene, const char *call, int answer, int expected)
{
    scene->outcome->looks = 0;
    if (answer != expected)
        fail(scene, "failed", "%s answered %d, expected %d", call, answer, expected);
}

/* Closed in order, a store keeps all under every policy; it is another one from scene to scene. */
static struct tw_store_config config_of(const struct scene *scene)
{
    enum tw_sync_policy sync = scene->sync % (TW_SYNC_NONE + 1);
    while (!(scene->this->store->policies & 1u << sync))
        sync = (sync + 1) % (TW_SYNC_NONE + 1);
    return (struct tw_store_config){.directory = scene->directory,
                                    .sync = sync,
                                    .interval_ms = scene->log ? INTERVAL_MS : 5,
                                    .now_ms = scene->now_ms,
                                    .seats = 1,
                                    .capacity = 1,
                                    .settings = scene->settings,
                                    .setting_count = scene->setting_count};
}

static void path_of(const struct scene *scene, const char *name, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%.3900s/%s", scene->this->options->directory, name);
}

/* name: NULL opens the same one again.  Nothing of the configuration is there afterwards. */
static bool scene_open(struct scene *scene, const char *name, uint64_t now_ms)
{
    struct tw_error error = {""};
    char directory[PATH_MAX];
    const struct tw_store_backend *table = scene->this->store;
    scene->now_ms = now_ms;
    if (name)
        path_of(scene, name, scene->directory);
    struct tw_store_config config = config_of(scene);
    config.directory = strcpy(directory, scene->directory);
    int answer = table->open(&scene->store, &config, &error);
    memset(directory, 0, sizeof directory);
    memset(&config, 0, sizeof config);
    if (answer != TW_STORE_OK) {
        fail(scene, "failed", "open answered %d: %.180s", answer, error.text);
        return false;
    }
    scene->outcome->looks = 0;
    table->describe(scene->store, &scene->description);
    if (scene->description.damaged > 0 && !scene->is_loose)
        fail(scene, "failed", "open named damage where there is none");
    scene->seat = table->enter(scene->store);
    scene->canceller = table->enter(scene->store);
    if (!scene->seat || !scene->canceller)
        fail(scene, "failed", "enter gave no second seat, though more than one is a hint");
    if (table->flags & TW_STORE_SERVER && scene->description.server <= 0)
        fail(scene, "failed", "it says that it starts a server, and names none");
    return !scene->outcome->rule[0];
}

/* What was handed out and is not done comes again. */
static void scene_close(struct scene *scene)
{
    const struct tw_store_backend *table = scene->this->store;
    table->leave(scene->seat);
    table->leave(scene->canceller);
    expect(scene, "close", table->close(scene->store), TW_STORE_OK);
    for (size_t i = 0; i < scene->handed_count; i++)
        scene->messages[scene->handed[i]].fate = WAITS;
    scene->handed_count = 0;
}

static bool is_kept(const struct scene *scene)
{
    return !(scene->this->store->flags & TW_STORE_IN_MEMORY);
}

/* Closed in order and opened again, unless closing loses all. */
static bool reopen(struct scene *scene, uint64_t now_ms)
{
    if (!is_kept(scene))
        return true;
    scene_close(scene);
    size_t pending = 0;
    for (size_t i = 0; i < scene->count; i++)
        pending += scene->messages[i].fate == WAITS;
    bool opened = scene_open(scene, NULL, now_ms);
    uint64_t recovered = scene->description.recovered;
    if (opened && recovered != pending && recovered != UINT64_MAX)
        fail(scene, "failed", "open found %" PRIu64 " messages pending; expected %zu", recovered,
             pending);
    return opened;
}

/* Of the key's bits, which differ from byte to byte. */
static unsigned char byte_of(uint64_t key, size_t at)
{
    return (unsigned char)(key >> at % 8 * 8 ^ at * 7);
}

/* A dispatcher sleeps until the time that next names, also of what was put meanwhile. */
static void look_next(struct scene *scene)
{
    uint64_t first = TW_STORE_NEVER, next = scene->this->store->next(scene->store);
    for (size_t i = 0; i < scene->count; i++)
        if (scene->messages[i].fate == WAITS && scene->messages[i].put.due_ms < first)
            first = scene->messages[i].put.due_ms;
    first = first < scene->now_ms ? scene->now_ms : first;
    first = first < scene->handed_ms ? scene->handed_ms : first;
    if (next > first && next - first >= scene->description.resolution_ms)
        fail(scene, "failed",
             "next named %" PRIu64 " at %" PRIu64 ", and a message waits for %" PRIu64, next,
             scene->now_ms, first);
}

static void look(struct scene *scene)
{
    struct tw_store_stats stats = {.pending = UINT64_MAX};
    uint64_t pending = 0;
    for (size_t i = 0; i < scene->count; i++)
        pending += scene->messages[i].fate == WAITS || scene->messages[i].fate == HANDED;
    look_next(scene);
    scene->this->store->stats(scene->store, &stats);
    scene->outcome->looks = 0;
    if (!scene->is_loose && stats.pending != pending && stats.pending != UINT64_MAX)
        fail(scene, "failed", "stats have %" PRIu64 " messages pending; expected %" PRIu64,
             stats.pending, pending);
}

static void add(struct scene *scene, uint64_t key, uint64_t due_ms, uint32_t size)
{
    scene->messages[scene->count++] = (struct message){
        .put = {.key = key, .due_ms = due_ms, .size = size}, .is_past = due_ms <= scene->now_ms};
}

/* Puts what was added and is not there, in one call. */
static int put(struct scene *scene)
{
    size_t from = scene->count, bytes = 0;
    while (from > 0 && scene->messages[from - 1].fate == ABSENT)
        bytes += scene->messages[--from].put.size;
    size_t count = scene->count - from;
    struct tw_message *batch = calloc(count, sizeof *batch);
    unsigned char *payloads = malloc(bytes + 1), *next = payloads;
    for (size_t i = 0; i < count; i++) {
        batch[i] = scene->messages[from + i].put;
        batch[i].payload = batch[i].size ? next : NULL;
        for (size_t at = 0; at < batch[i].size; at++)
            *next++ = byte_of(batch[i].key, at);
    }
    int answer = scene->this->store->put(scene->seat, batch, count);
    memset(payloads, 0, bytes);
    for (size_t i = 0; i < count; i++) {
        scene->messages[from + i].put.handle = batch[i].handle;
        scene->messages[from + i].fate = answer == TW_STORE_OK ? WAITS : ENDED;
    }
    free(batch);
    free(payloads);
    look(scene);
    return answer;
}

static void cancel(struct scene *scene, size_t at)
{
    struct message *message = &scene->messages[at];
    int answer = scene->this->store->cancel(scene->canceller, message->put.key, message->put.due_ms,
                                            message->put.handle);
    if (answer == TW_STORE_CANCELLED && message->fate == WAITS)
        message->fate = ENDED;
    else
        expect(scene, "cancel", answer,
               message->fate == WAITS ? TW_STORE_CANCELLED : TW_STORE_TOO_LATE);
    look(scene);
}

static void deliver(struct scene *scene, const struct tw_delivery *delivery)
{
    size_t at = 0, same = 0;
    while (at < scene->count && scene->messages[at].put.key != delivery->key)
        at++;
    struct message *message = &scene->messages[at];
    const unsigned char *payload = delivery->payload;
    if (at == scene->count && scene->is_loose) {
        scene->handed[scene->handed_count++] = MESSAGES_MAX - 1;
        return;
    }
    if (at == scene->count) {
        fail(scene, "changed", "key %" PRIu64 " was handed out and never put", delivery->key);
        return;
    }
    while (same < delivery->size && payload[same] == byte_of(delivery->key, same))
        same++;
    if (message->fate != WAITS)
        fail(scene, "twice", "key %" PRIu64 " was handed out again, or after its cancel",
             delivery->key);
    else if (delivery->due_ms != message->put.due_ms || delivery->size != message->put.size ||
             same < delivery->size)
        fail(scene, "changed", "key %" PRIu64 " came with another due, size or payload",
             delivery->key);
    else if (delivery->due_ms > scene->now_ms)
        fail(scene, "early", "key %" PRIu64 " came before its due", delivery->key);
    else if (!message->is_past && delivery->due_ms / scene->description.resolution_ms <
                                      scene->polled_ms / scene->description.resolution_ms)
        fail(scene, "out of order", "key %" PRIu64 " came behind one of a later due",
             delivery->key);
    message->fate = HANDED;
    if (!message->is_past)
        scene->polled_ms = delivery->due_ms;
    if (scene->handed_ms < delivery->due_ms)
        scene->handed_ms = delivery->due_ms;
    scene->handed[scene->handed_count++] = at;
}

static size_t poll(struct scene *scene, size_t max)
{
    static struct tw_delivery out[MESSAGES_MAX];
    size_t count = 0;
    scene->polled_ms = 0;
    int answer = scene->this->store->poll(scene->store, scene->now_ms, out, max, &count);
    expect(scene, "poll", answer, TW_STORE_OK);
    for (size_t i = 0; i < count && count <= max; i++)
        deliver(scene, &out[i]);
    return answer == TW_STORE_OK ? count : 0;
}

static void done(struct scene *scene, size_t count)
{
    if (count == 0)
        return;
    expect(scene, "done", scene->this->store->done(scene->store, count), TW_STORE_OK);
    for (size_t i = 0; i < count; i++)
        scene->messages[scene->handed[i]].fate = ENDED;
    scene->handed_count -= count;
    memmove(scene->handed, scene->handed + count, scene->handed_count * sizeof *scene->handed);
    look(scene);
}

/* All that is due comes, and is done. */
static void drain(struct scene *scene, uint64_t now_ms, size_t max)
{
    scene->now_ms = now_ms;
    done(scene, scene->handed_count);
    while (!scene->outcome->rule[0] && poll(scene, max) > 0)
        done(scene, scene->handed_count);
    for (size_t i = 0; i < scene->count; i++)
        if (scene->messages[i].fate == WAITS &&
            scene->messages[i].put.due_ms / scene->description.resolution_ms <
                (now_ms + 1) / scene->description.resolution_ms)
            fail(scene, "late", "key %" PRIu64 " is due and did not come",
                 scene->messages[i].put.key);
}

static void *drain_here(void *argument)
{
    struct scene *scene = argument;
    drain(scene, scene->now_ms, 256);
    return NULL;
}

/* The dispatcher is another thread now. */
static void drain_elsewhere(struct scene *scene)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, drain_here, scene) == 0)
        pthread_join(thread, NULL);
    else
        fail(scene, "failed", "no thread");
}

/* ---- Scenes. ---------------------------------------------------------------------------------- */

/* Keys of all 64 bits, dues from now to the furthest that every store takes, payloads of every kind; a clock of any epoch,
 * of an early and a late one. */
static void any_key_and_due(struct scene *scene)
{
    uint64_t base_ms = scene->number < 3 ? 0 : UINT64_C(1) << 42;
    static const uint64_t keys[] = {0, 1, UINT64_C(1) << 63, UINT64_MAX, UINT64_C(1) << 32};
    if (!scene_open(scene, "one", base_ms))
        return;
    for (size_t i = 0; i < 5; i++)
        add(scene, keys[i] ^ base_ms, base_ms + i * i * TW_DELAY_MAX_MS / 16, i % 2 ? 1000 : 0);
    /* Together in one poll, and alike in the lower half or when the halves are folded. */
    add(scene, base_ms + 77, base_ms + 5000, TW_PAYLOAD_MAX);
    add(scene, (base_ms + 77) ^ UINT64_C(1) << 32, base_ms + 5000, 9);
    add(scene, (base_ms + 77) ^ (UINT64_C(1) << 32 | 1), base_ms + 5000, 9);
    expect(scene, "put", put(scene), TW_STORE_OK);
    if (!reopen(scene, base_ms))
        return;
    cancel(scene, 2);
    scene->now_ms = base_ms + 5999;
    poll(scene, 256);
    cancel(scene, 0);
    drain(scene, base_ms + 5999, 256);
    cancel(scene, 5);
    drain(scene, base_ms + TW_DELAY_MAX_MS, 256);
    /* One due, keys of both halves, handed out one by one while others come. */
    for (size_t i = 0; i < 6; i++) {
        add(scene, (i % 2 ? base_ms + 96 - i : UINT64_MAX / 2 + base_ms + 96 - i),
            base_ms + TW_DELAY_MAX_MS + 5000, 8);
        expect(scene, "put", put(scene), TW_STORE_OK);
        scene->now_ms = base_ms + TW_DELAY_MAX_MS + 5999;
        poll(scene, i % 2);
    }
    drain(scene, scene->now_ms, 1);
    /* Beyond its reach a store refuses, or keeps it until then; and the clock may be stopped for long. */
    add(scene, base_ms + 78, scene->now_ms + 400 * DAY_MS, 10);
    int answer = put(scene);
    if (answer != TW_STORE_RANGE || scene->description.reach_ms >= 400 * DAY_MS)
        expect(scene, "put", answer, TW_STORE_OK);
    /* It takes it, or refuses it; but it never comes. */
    add(scene, base_ms + 81, TW_STORE_NEVER - 1, 10);
    answer = put(scene);
    if (answer != TW_STORE_RANGE)
        expect(scene, "put", answer, TW_STORE_OK);
    add(scene, base_ms + 79, scene->now_ms + 9 * DAY_MS, 10);
    expect(scene, "put", put(scene), TW_STORE_OK);
    /* Closed for a month, with messages that were due meanwhile. */
    if (!reopen(scene, scene->now_ms + 30 * DAY_MS))
        return;
    add(scene, base_ms + 80, scene->now_ms + 9 * DAY_MS, 10);
    expect(scene, "put", put(scene), TW_STORE_OK);
    drain(scene, scene->now_ms + 369 * DAY_MS, 256);
    drain(scene, scene->now_ms + 32 * DAY_MS, 256);
    for (size_t i = 0; i < scene->count; i++)
        if (scene->messages[i].fate == WAITS)
            cancel(scene, i);
    scene_close(scene);
}

/* More bytes and messages at once than a poll may hand out; what is not done is not given again, and comes again. */
static void much_at_once(struct scene *scene)
{
    const uint64_t now = DURABLE_EPOCH_MS;
    if (!scene_open(scene, "one", now))
        return;
    for (uint64_t i = 1000; i < 1040; i++)
        add(scene, i, now + 1000, TW_PAYLOAD_MAX);
    expect(scene, "put", put(scene), TW_STORE_OK);
    for (uint64_t i = 1040; i < 4000; i++)
        add(scene, i, now + 1000 + i * 7 % 1000, 8);
    expect(scene, "put", put(scene), TW_STORE_OK);
    scene->now_ms = now + 2999;
    for (size_t i = 0; i < 50; i++)
        poll(scene, 20);
    done(scene, scene->handed_count / 2);
    expect(scene, "checkpoint", scene->this->store->checkpoint(scene->store), TW_STORE_OK);
    if (!reopen(scene, now + 2999))
        return;
    drain(scene, now + 2999, MESSAGES_MAX);
    scene_close(scene);
}

/* The clock goes back across an open.  The last two were put when one of a later due had been handed out. */
static void clock_back(struct scene *scene)
{
    const uint64_t now = DURABLE_EPOCH_MS + DAY_MS;
    if (!is_kept(scene) || !scene_open(scene, "one", now))
        return;
    add(scene, 5000, now + 1000, 30);
    add(scene, 5001, now + 10000, 30);
    expect(scene, "put", put(scene), TW_STORE_OK);
    scene->now_ms = now + 20000;
    poll(scene, 256);
    add(scene, 5002, now + 5000, 30);
    add(scene, 5003, now + 6000, TW_PAYLOAD_MAX);
    expect(scene, "put", put(scene), TW_STORE_OK);
    if (!reopen(scene, now + 1000))
        return;
    cancel(scene, 2);
    drain(scene, now + 4000, 256);
    drain(scene, now + 30000, 256);
    scene_close(scene);
}

/* How much more than before is allocated, once the store's own threads have given back what they will; 0: hardly more, or
 * not known. */
static uint64_t kept_bytes(uint64_t before)
{
    uint64_t more = 0;
    for (int i = 0; i < 100 && before != UINT64_MAX; i++) {
        more = footing_allocated_bytes() - before;
        if ((int64_t)more <= (int64_t)LEAK_BYTES)
            return 0;
        usleep(20000);
    }
    return more;
}

/* Seats come and go; and two stores share nothing: what one has handed out stays while the other one works. */
static void seats_and_neighbours(struct scene *scene)
{
    static struct scene other;
    struct tw_delivery out[9], out_of_other[8];
    size_t count = 0, count_of_other = 0;
    const struct tw_store_backend *table = scene->this->store;
    uint64_t times = table->flags & TW_STORE_SERVER ? 50 : 20000, memory = 0;
    other = *scene;
    const uint64_t now = DURABLE_EPOCH_MS + 3 * DAY_MS;
    if (!scene_open(scene, "one", now) || !scene_open(&other, "other", now + DAY_MS))
        return;
    for (uint64_t i = 0; i < times; i++) {
        table->leave(table->enter(scene->store));
        table->leave(table->enter(scene->store));
        if (i % 3 == 0) {
            scene->count = 0;
            add(scene, 8000 + i, now + DAY_MS, 10);
            expect(scene, "put", put(scene), TW_STORE_OK);
            cancel(scene, 0);
        }
        if ((i + 1) % (times / 2) == 0)
            expect(scene, "checkpoint", table->checkpoint(scene->store), TW_STORE_OK);
        if (i + 1 == times / 2)
            memory = footing_allocated_bytes();
    }
    memory = kept_bytes(memory);
    if (memory > 0)
        fail(scene, "failed", "%" PRIu64 " seats that left and cancels kept %" PRIu64 " bytes",
             times, memory);
    for (uint64_t i = 0; i < 8; i++) {
        add(scene, 7000 + i, now + 1, 100);
        add(&other, (7000 + i) * 1000003, now + DAY_MS + 1, 100);
    }
    add(scene, 7300, now + 9000, 100); /* over by the other's clock */
    expect(scene, "put", put(scene), TW_STORE_OK);
    expect(&other, "put", put(&other), TW_STORE_OK);
    scene->now_ms = now + 2000;
    other.now_ms = scene->now_ms + DAY_MS;
    expect(scene, "poll", table->poll(other.store, other.now_ms, out_of_other, 8, &count_of_other),
           TW_STORE_OK);
    expect(scene, "poll", table->poll(scene->store, scene->now_ms, out, 9, &count), TW_STORE_OK);
    /* A payload lasts until the next poll, whatever is done before that. */
    int more;
    add(scene, 7100, now + 1, 100);
    expect(scene, "put", put(scene), TW_STORE_OK);
    expect(scene, "tend", table->tend(scene->store, scene->now_ms, &more), TW_STORE_OK);
    expect(scene, "checkpoint", table->checkpoint(scene->store), TW_STORE_OK);
    for (size_t i = 0; i < count; i++)
        deliver(scene, &out[i]);
    for (size_t i = 0; i < count_of_other; i++)
        deliver(&other, &out_of_other[i]);
    drain(scene, scene->now_ms, 8);
    drain(scene, scene->now_ms + 8000, 8);
    drain_elsewhere(&other);
    scene_close(scene);
    add(&other, 7200, other.now_ms + 1, 100);
    expect(&other, "put", put(&other), TW_STORE_OK);
    drain(&other, other.now_ms + 2000, 8);
    scene_close(&other);
}

/* Opens that are refused say why, set no store and keep nothing. */
static void refuse(struct scene *scene, const char *what, const struct tw_store_config *config,
                   int expected)
{
    size_t files = 0;
    uint64_t memory = 0;
    for (size_t i = 0; i < REFUSALS && !scene->outcome->rule[0]; i++) {
        struct tw_error error = {""};
        struct tw_store *store = NULL;
        expect(scene, what, scene->this->store->open(&store, config, &error), expected);
        if (store || !error.text[0])
            fail(scene, "failed", "%s that was refused set a store, or gave no reason", what);
        files = i == 0 ? footing_entries("/proc/self/fd") : files;
        memory = i == 0 ? footing_allocated_bytes() : memory;
    }
    if (footing_entries("/proc/self/fd") > files || kept_bytes(memory) > 0)
        fail(scene, "failed", "%s was refused %u times, and descriptors or memory were kept", what,
             REFUSALS);
}

/* Nothing of what is refused is there; and the directory of somebody else finds nothing new in it. */
static void refusals(struct scene *scene)
{
    char foreign[PATH_MAX], letters[PATH_MAX];
    const uint64_t now = DURABLE_EPOCH_MS + 2 * DAY_MS;
    if (!scene_open(scene, "one", now))
        return;
    struct tw_store_config config = config_of(scene);
    if (is_kept(scene)) {
        refuse(scene, "a second open of the directory", &config, TW_STORE_LOCKED);
        struct tw_error error;
        struct tw_store *store;
        int answer = 0;
        pid_t other = fork();
        if (other == 0)
            _exit(-scene->this->store->open(&store, &config, &error));
        waitpid(other, &answer, 0);
        expect(scene, "an open by another process", -WEXITSTATUS(answer), TW_STORE_LOCKED);
    }
    add(scene, 6001, now + 1, 0);
    add(scene, 6002, now + 1, TW_PAYLOAD_MAX + 1);
    expect(scene, "a put with a payload that is too large", put(scene), TW_STORE_RANGE);
    drain(scene, now + 2000, 256);
    scene_close(scene);
    struct tw_setting setting = {"no-such-setting", 1, {1}};
    path_of(scene, "foreign", foreign);
    path_of(scene, "foreign/letters", letters);
    config.directory = foreign;
    config.settings = &setting;
    config.setting_count = 1;
    refuse(scene, "an open with a setting that it does not have", &config, TW_STORE_BAD);
    for (const struct tw_param *param = scene->this->store->params; param && param->name; param++) {
        setting = (struct tw_setting){param->name, 1, {param->max + 1}};
        refuse(scene, "an open with a setting out of its limits", &config, TW_STORE_BAD);
    }
    config.setting_count = 0;
    for (config.sync = 0; config.sync <= TW_SYNC_NONE; config.sync++)
        if (!(scene->this->store->policies & 1u << config.sync))
            refuse(scene, "an open under a policy that it cannot keep", &config, TW_STORE_BAD);
    config.sync = config_of(scene).sync;
    if (!is_kept(scene))
        return;
    mkdir(foreign, 0700);
    mkdir(letters, 0700);
    refuse(scene, "an open of a directory that holds something else", &config, TW_STORE_FORMAT);
    if (rmdir(letters) != 0 || rmdir(foreign) != 0)
        fail(scene, "failed", "an open that was refused changed the directory");
}

#define ROUND_MESSAGES 100u
#define ROUNDS         16u
#define ROUND_PAUSES   100u

static uint64_t memory_of(int64_t server)
{
    return footing_allocated_bytes() + (server > 0 ? footing_memory_bytes(server) : 0);
}

/* The same messages again and again: what has ended takes no memory and, of one with files of its own, no disk.  A round begins
 * shortly before the turn of an hour, when a store may have prepared the next. */
static void rounds(struct scene *scene)
{
    const struct tw_store_backend *table = scene->this->store;
    uint64_t memory = 0, disk = 0, key = 10000;
    scene->settings = scene->this->small;
    scene->setting_count = scene->this->small_count;
    if (!scene_open(scene, "rounds", DURABLE_EPOCH_MS))
        return;
    int64_t server = scene->description.server;
    for (size_t round = 0; round < ROUNDS && !scene->outcome->rule[0]; round++) {
        int more = 1;
        for (scene->count = 0; scene->count < ROUND_MESSAGES;)
            add(scene, key++, scene->now_ms + scene->count * 4000, TW_PAYLOAD_MAX);
        expect(scene, "put", put(scene), TW_STORE_OK);
        cancel(scene, ROUND_MESSAGES - 1);
        drain(scene, scene->now_ms + 6900000, 50);
        expect(scene, "checkpoint", table->checkpoint(scene->store), TW_STORE_OK);
        for (size_t i = 0; more && i < 4 * ROUND_MESSAGES; i++)
            expect(scene, "tend", table->tend(scene->store, scene->now_ms, &more), TW_STORE_OK);
        if (more)
            fail(scene, "failed", "tend always has more to do");
        if (round == ROUNDS / 2 - 1) {
            memory = memory_of(server);
            disk = server > 0 ? 0 : footing_disk_bytes(scene->directory);
        }
    }
    /* Of what they put two rounds of eight may stay; a library's threads may have some of it still to give back. */
    const int64_t most = INT64_C(2) * ROUND_MESSAGES * TW_PAYLOAD_MAX;
    int64_t more_memory = INT64_MAX, more_disk = INT64_MAX;
    for (size_t i = 0; i < ROUND_PAUSES && (more_memory > most || more_disk > most); i++) {
        usleep(i > 0 ? 100000 : 0);
        more_memory = (int64_t)(memory_of(server) - memory);
        more_disk = server > 0 ? 0 : (int64_t)(footing_disk_bytes(scene->directory) - disk);
    }
    if (more_memory > most || more_disk > most)
        fail(scene, "failed",
             "memory grew by %" PRId64 " bytes and the files by %" PRId64
             " while %u messages came and ended",
             more_memory, more_disk, ROUNDS / 2 * ROUND_MESSAGES);
    scene_close(scene);
}

/* Closed with messages pending, and opened with another value of a setting: refused, or all of it is served. */
static void other_settings(struct scene *scene)
{
    uint64_t now = DURABLE_EPOCH_MS;
    if (!is_kept(scene) || !scene_open(scene, "settings/", now))
        return;
    const struct tw_store_description first = scene->description;
    const struct scene given = {
        .this = scene->this, .settings = scene->settings, .setting_count = scene->setting_count};
    for (size_t i = 0; i < first.setting_count && !scene->outcome->rule[0]; i++) {
        struct tw_setting other = first.settings[i];
        struct tw_error error = {""};
        bool is_least = other.values[0] == param_find(given.this->store->params, other.name)->min;
        other.values[0] += is_least ? 1 : UINT64_MAX;
        for (scene->count = 0; scene->count < 60;)
            add(scene, 100 * i + scene->count, now + scene->count * scene->count * 200000, 20);
        expect(scene, "put", put(scene), TW_STORE_OK);
        scene_close(scene);
        scene->settings = &other;
        scene->setting_count = 1;
        struct tw_store_config config = config_of(scene);
        int answer = given.this->store->open(&scene->store, &config, &error);
        if (answer == TW_STORE_OK) {
            expect(scene, "close", given.this->store->close(scene->store), TW_STORE_OK);
        } else {
            if (answer != TW_STORE_BAD && answer != TW_STORE_FORMAT)
                fail(scene, "failed", "open with another %s answered %d", other.name, answer);
            scene->settings = given.settings;
            scene->setting_count = given.setting_count;
        }
        if (!scene_open(scene, NULL, now))
            return;
        drain(scene, now += 60 * 60 * 200000, 256);
        scene->settings = given.settings;
        scene->setting_count = given.setting_count;
        if (!reopen(scene, now))
            return;
    }
    scene_close(scene);
}

/* Stores come and go under each policy: threads, descriptors and memory come back.  A library may keep some of its own. */
static void comings_and_goings(struct scene *scene)
{
    size_t times = scene->this->store->flags & TW_STORE_SERVER ? 8 : 24, had[2] = {0}, has[2];
    uint64_t memory = 0;
    char *stops[] = {"sh", "-c", "kill -STOP $$", NULL};
    pid_t other = 0;
    for (size_t i = 0; i < times; i++) {
        scene->sync++;
        if (!scene_open(scene, "settings/", DURABLE_EPOCH_MS))
            return;
        /* What another program inherits locks nothing. */
        if (i == 0 && posix_spawnp(&other, "sh", NULL, NULL, stops, environ) == 0)
            waitpid(other, NULL, WUNTRACED);
        scene_close(scene);
        if (i == times / 4)
            memory = footing_allocated_bytes();
        has[0] = footing_entries("/proc/self/task");
        has[1] = footing_entries("/proc/self/fd");
        if (i == times / 4)
            memcpy(had, has, sizeof had);
    }
    if (other > 0 && kill(other, SIGKILL) == 0)
        waitpid(other, NULL, 0);
    if (has[0] > had[0] + times / 12 || has[1] > had[1] || kept_bytes(memory) > 0)
        fail(scene, "failed",
             "closed %zu times, and it keeps %zu threads and %zu descriptors more, or memory",
             times, has[0] - had[0], has[1] - had[1]);
}

/* ---- A checkpoint, and the open behind it. ---------------------------------------------------- */

#define ENDED_ROUNDS 40u
#define ENDED_EACH   10u
#define ENDED_BYTES  ((uint64_t)ENDED_ROUNDS * ENDED_EACH * TW_PAYLOAD_MAX)
#define LEFT         50u /* the key of one that nothing made durable */

/* Ten messages for the next day, which the store has or is to get. */
static void add_ten(struct scene *scene, enum fate fate)
{
    for (uint64_t i = 0; i < 10; i++) {
        add(scene, i, DURABLE_EPOCH_MS + DAY_MS, 100);
        scene->messages[scene->count - 1].fate = fate;
    }
}

/* Megabytes that have ended and some messages that wait; a checkpoint; and the process ends without a close. */
static void checkpoint_and_die(struct scene *scene)
{
    scene->sync = TW_SYNC_NONE;
    if (!scene_open(scene, "short", DURABLE_EPOCH_MS))
        return;
    for (uint64_t round = 0; round < ENDED_ROUNDS && !scene->outcome->rule[0]; round++) {
        scene->count = 0;
        for (uint64_t i = 0; i < ENDED_EACH; i++)
            add(scene, 100 + round * ENDED_EACH + i, scene->now_ms + 1000, TW_PAYLOAD_MAX);
        expect(scene, "put", put(scene), TW_STORE_OK);
        drain(scene, scene->now_ms + 2000, ENDED_EACH);
    }
    add_ten(scene, ABSENT);
    expect(scene, "put", put(scene), TW_STORE_OK);
    expect(scene, "checkpoint", scene->this->store->checkpoint(scene->store), TW_STORE_OK);
    add(scene, LEFT, DURABLE_EPOCH_MS + DAY_MS, 100);
    expect(scene, "put", put(scene), TW_STORE_OK);
    scene->outcome->marks[0] = scene->messages[scene->count - 1].put.handle;
    scene->sync = TW_SYNC_ALWAYS;
    scene->count = 0;
    if (!scene_open(scene, "ahead", DURABLE_EPOCH_MS))
        return;
    for (uint64_t key = 0; key < 2; key++) {
        add(scene, key, DURABLE_EPOCH_MS + 10000 - 5000 * key, 30);
        expect(scene, "put", put(scene), TW_STORE_OK);
        scene->now_ms = DURABLE_EPOCH_MS + 20000;
        poll(scene, key ? 0 : 256);
    }
    scene->outcome->marks[1] = scene->messages[1].put.handle;
}

/* All that waits is there; what has ended need not be read again, but a store may keep some of it. */
static void open_behind(struct scene *scene)
{
    uint64_t before = footing_read_bytes(getpid());
    if (!scene_open(scene, "short", DURABLE_EPOCH_MS + ENDED_ROUNDS * 2000))
        return;
    uint64_t bytes = footing_read_bytes(getpid()) - before;
    if (before != UINT64_MAX && bytes > ENDED_BYTES / 2)
        fail(scene, "failed",
             "an open behind a checkpoint read %" PRIu64 " bytes; %" PRIu64
             " bytes of messages had ended before it",
             bytes, ENDED_BYTES);
    /* What was acknowledged and may be lost is cancelled by its handle, which another one may have got by now. */
    add_ten(scene, WAITS);
    add(scene, LEFT + 1, DURABLE_EPOCH_MS + DAY_MS, 100);
    scene->is_loose = true;
    expect(scene, "put", put(scene), TW_STORE_OK);
    scene->this->store->cancel(scene->canceller, LEFT, DURABLE_EPOCH_MS + DAY_MS,
                               scene->outcome->marks[0]);
    scene->is_loose = false;
    drain(scene, DURABLE_EPOCH_MS + DAY_MS + 2000, 256);
    scene_close(scene);
    /* The clock goes back across a kill; one was put when another of a later due had been handed out. */
    scene->count = 0;
    if (!scene_open(scene, "ahead", DURABLE_EPOCH_MS + 1000))
        return;
    for (uint64_t key = 0; key < 2; key++) {
        add(scene, key, DURABLE_EPOCH_MS + 10000 - 5000 * key, 30);
        scene->messages[key].fate = WAITS;
    }
    scene->messages[1].put.handle = scene->outcome->marks[1];
    cancel(scene, 1);
    drain(scene, DURABLE_EPOCH_MS + 30000, 256);
    scene_close(scene);
}

/* ---- With a record of the disk. --------------------------------------------------------------- */

#define MANY         65536u
#define RECORD_BYTES (UINT64_C(256) << 20)
#define INTERVAL_NS  (INTERVAL_MS * UINT64_C(1000000))
/* How much later than an interval, and until nobody waits any more; of each kind of call so many have to be in time. */
#define LATE_NS     UINT64_C(40000000)
#define PATIENCE_NS UINT64_C(1500000000)
#define IN_TIME     2u
#define TRIES       8u

/* What becomes of a message until the next step, as its key says; of an interval also puts that others follow. */
enum part { STAYS, IS_DONE, IS_CANCELLED, IS_FOLLOWED, PARTS };

static void add_part(struct scene *scene, uint64_t step, enum part part)
{
    uint64_t at = DURABLE_EPOCH_MS + 2 * (100 + step) * scene->description.resolution_ms;
    add(scene, (step + 1) * PARTS + part, part == IS_DONE ? at : DURABLE_EPOCH_MS + DAY_MS, 8);
}

/* How long it took. */
static uint64_t nap(struct scene *scene)
{
    uint64_t begin = clock_read_ns(CLOCK_MONOTONIC);
    int more;
    scene->this->store->tend(scene->store, scene->now_ms, &more);
    usleep(1000);
    return clock_read_ns(CLOCK_MONOTONIC) - begin;
}

/* Waits until what a call wrote, or will, is synced: in time?  A store's thread may come later where ours does. */
static bool is_synced(struct scene *scene, uint64_t from, bool is_followed)
{
    const struct disk_record *records = scene->log->records;
    uint64_t end = scene->log->length, written = end, waited = 0, longest = 0;
    for (uint64_t i = from; i < end; i++)
        if (records[i].kind == DISK_WRITE)
            written = i + 1;
    while (waited < PATIENCE_NS) {
        bool is_late = waited > INTERVAL_NS + LATE_NS + 3 * longest;
        for (; from < scene->log->length; from++)
            if (records[from].kind == DISK_SYNC && records[from].file < DISK_PARENT &&
                records[from].offset >= written)
                return !is_late;
        if (is_followed && !is_late) {
            add_part(scene, MANY + scene->count, IS_FOLLOWED);
            expect(scene, "put", put(scene), TW_STORE_OK);
        }
        uint64_t took = nap(scene);
        waited += took;
        longest = took > longest ? took : longest;
    }
    return false;
}

static void tend_all(struct scene *scene)
{
    for (int more = 1; more && !scene->outcome->rule[0];)
        expect(scene, "tend", scene->this->store->tend(scene->store, scene->now_ms, &more),
               TW_STORE_OK);
}

/* What was acknowledged since the last one is durable, or becomes so: the record up to there is kept. */
static void mark(struct scene *scene, size_t at, enum part part)
{
    static const char *const calls[PARTS] = {"put", "done", "cancel", "put that others follow"};
    bool is_durable = true;
    if (!scene->log)
        return;
    if (scene->sync == TW_SYNC_NONE && at / 2 % 2)
        expect(scene, "checkpoint", scene->this->store->checkpoint(scene->store), TW_STORE_OK);
    else if (scene->sync == TW_SYNC_NONE)
        tend_all(scene);
    if (scene->sync == TW_SYNC_INTERVAL)
        is_durable = is_synced(scene, scene->from, part == IS_FOLLOWED);
    scene->in_time[part] += is_durable;
    if (++scene->tries[part] >= TRIES && scene->in_time[part] < IN_TIME)
        fail(scene, "lost", "a %s was not durable within an interval of %d ms, %zu times of %zu",
             calls[part], INTERVAL_MS, scene->tries[part] - scene->in_time[part],
             scene->tries[part]);
    scene->outcome->marks[at] = is_durable ? scene->log->length : 0;
    for (size_t i = 0; scene->sync == TW_SYNC_INTERVAL && i < 3; i++)
        nap(scene); /* a sync may be of two files */
    scene->from = scene->log->length;
}

/* More messages than 16 bits count are put, handed out and done in one open, the last ones one by one; under interval few. */
static void many(struct scene *scene)
{
    bool waits = scene->log && scene->sync == TW_SYNC_INTERVAL;
    size_t step;
    uint64_t memory = footing_allocated_bytes(), files = footing_entries("/proc/self/fd");
    /* One under another policy is open beside it, of which nothing is recorded. */
    static struct scene other;
    other = (struct scene){.this = scene->this, .outcome = scene->outcome};
    other.sync = scene->sync == TW_SYNC_NONE ? TW_SYNC_ALWAYS : TW_SYNC_NONE;
    if (!scene_open(scene, "steps", DURABLE_EPOCH_MS) ||
        (scene->log && !scene_open(&other, "beside", DURABLE_EPOCH_MS)))
        return;
    for (uint64_t n = STEPS / 2; n < MANY && !waits && !scene->outcome->rule[0];) {
        for (scene->count = 0; scene->count < MESSAGES_MAX && n < MANY; n++)
            add(scene, (MANY + n) * PARTS + IS_DONE, scene->now_ms + 1, 8);
        expect(scene, "put", put(scene), TW_STORE_OK);
        drain(scene, scene->now_ms + 2 * scene->description.resolution_ms, MESSAGES_MAX);
    }
    scene->count = 0;
    for (step = 0; step < STEPS && !scene->outcome->rule[0]; step++) {
        size_t first = scene->count;
        for (unsigned part = STAYS; part <= IS_CANCELLED; part++)
            add_part(scene, step, (enum part)part);
        expect(scene, "put", put(scene), TW_STORE_OK);
        mark(scene, 2 * step, step % 2 ? IS_FOLLOWED : STAYS);
        cancel(scene, first + IS_CANCELLED);
        mark(scene, 2 * step + 1, IS_CANCELLED);
        drain(scene, scene->messages[first + IS_DONE].put.due_ms + scene->description.resolution_ms,
              2);
        if (scene->this->store->flags & TW_STORE_EXACT)
            mark(scene, 2 * step + 1, IS_DONE);
    }
    if (scene->log)
        scene_close(&other);
    scene_close(scene);
    if (scene->log && step > 0)
        scene->outcome->marks[2 * step - 1] = scene->log->length;
    if (footing_entries("/proc/self/fd") > files || kept_bytes(memory) > 0)
        fail(scene, "failed", "closed, and messages keep descriptors or memory");
}

#define OUTLIVED   4u
#define FAR_EACH   40u
#define FILE_BYTES 4000u /* fills a small file */

/* A file in which one waits outlives the file behind it, which says what became of the others there.  There are more files than
 * the process may have open. */
static void outlived(struct scene *scene)
{
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){150, 150});
    scene->settings = scene->this->small;
    scene->setting_count = scene->this->small_count;
    if (!scene_open(scene, "steps", DURABLE_EPOCH_MS))
        return;
    for (size_t step = 0; step < OUTLIVED && !scene->outcome->rule[0]; step++) {
        size_t first = scene->count;
        for (unsigned part = STAYS; part <= IS_CANCELLED; part++)
            add_part(scene, step, (enum part)part);
        expect(scene, "put", put(scene), TW_STORE_OK);
        cancel(scene, first + IS_CANCELLED);
        uint64_t due_ms = scene->messages[first + IS_DONE].put.due_ms;
        add(scene, MANY * PARTS + step, due_ms, FILE_BYTES);
        expect(scene, "put", put(scene), TW_STORE_OK);
        drain(scene, due_ms + scene->description.resolution_ms, 2);
        for (uint64_t far = 0; far < FAR_EACH; far++) {
            add(scene, (MANY + step) * MANY + far, DURABLE_EPOCH_MS + DAY_MS, FILE_BYTES);
            expect(scene, "put", put(scene), TW_STORE_OK);
            tend_all(scene);
        }
        mark(scene, 2 * step + 1, IS_DONE);
    }
    scene_close(scene);
}

#define CROWD      16u
#define CROWD_EACH 40u

/* What became of the messages of many threads, and the clock that they go by. */
struct crowd {
    struct scene *scene;
    _Atomic uint64_t now_ms;
    _Atomic uint32_t entered, left;
    _Atomic int answers[CROWD * CROWD_EACH]; /* of the last call for each */
    unsigned times[CROWD * CROWD_EACH];      /* handed out */
};

/* Each puts messages that are due soon, and cancels every other one beside the poll that hands it out. */
static void *crowd_member(void *argument)
{
    struct crowd *crowd = argument;
    const struct tw_store_backend *table = crowd->scene->this->store;
    struct tw_store_seat *seat = table->enter(crowd->scene->store);
    uint64_t first = CROWD_EACH * atomic_fetch_add(&crowd->entered, 1), key = first;
    for (; seat && key < first + CROWD_EACH; key++) {
        struct tw_message one = {.key = key, .due_ms = atomic_load(&crowd->now_ms) + key % 3};
        int answer = table->put(seat, &one, 1);
        if (answer == TW_STORE_OK && key % 2)
            answer = table->cancel(seat, key, one.due_ms, one.handle);
        atomic_store(&crowd->answers[key], answer);
    }
    if (seat)
        table->leave(seat);
    atomic_fetch_add(&crowd->left, 1);
    return NULL;
}

/* While syncs take their time: no call waits for ever, and what was cancelled is not handed out. */
static void crowded(struct scene *scene)
{
    static struct crowd crowd;
    static struct tw_delivery out[256];
    pthread_t threads[CROWD];
    size_t count = 1, begun = 0;
    crowd = (struct crowd){.scene = scene, .now_ms = DURABLE_EPOCH_MS};
    scene->log->sync_us = 2000;
    if (!scene_open(scene, "steps", DURABLE_EPOCH_MS))
        return;
    while (begun < CROWD && !pthread_create(&threads[begun], NULL, crowd_member, &crowd))
        begun++;
    for (bool all = false; !all || count > 0;) {
        all = atomic_load(&crowd.left) == begun; /* then all is due */
        uint64_t now = atomic_fetch_add(&crowd.now_ms, 1);
        now += all ? 3 + scene->description.resolution_ms : 0;
        if (scene->this->store->poll(scene->store, now, out, 256, &count) != TW_STORE_OK)
            break;
        for (size_t i = 0; i < count; i++)
            crowd.times[out[i].key % (CROWD * CROWD_EACH)]++;
        scene->this->store->done(scene->store, count);
    }
    for (size_t i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
    if (begun < CROWD)
        fail(scene, "failed", "no thread");
    for (size_t key = 0; key < begun * CROWD_EACH; key++) {
        int answer = crowd.answers[key];
        if (answer < TW_STORE_OK || crowd.times[key] != (answer != TW_STORE_CANCELLED))
            fail(
                scene, crowd.times[key] ? "twice" : "lost",
                "%u threads put and cancel: the call for key %zu answered %d, and it came %u times",
                CROWD, key, answer, crowd.times[key]);
    }
    scene_close(scene);
}

/* Power was lost at each mark, and nothing had arrived but what was synced; what a tend has written under none outlives a kill. */
static void open_at_marks(struct scene *scene)
{
    path_of(scene, "state", scene->directory);
    scene->is_loose = true;
    for (size_t at = 0; at < 2 * STEPS && !scene->outcome->rule[0]; at++) {
        uint64_t length = scene->outcome->marks[at];
        scene->count = scene->handed_ms = 0;
        bool tended = scene->sync == TW_SYNC_NONE && at / 2 % 2 == 0;
        if (length && !disk_state_make(scene->log, length, tended ? DISK_EVERYTHING : DISK_NOTHING,
                                       1, scene->directory))
            fail(scene, "failed", "no state of the disk was made");
        if (!length || !scene_open(scene, NULL, DURABLE_EPOCH_MS + 2 * DAY_MS))
            continue;
        for (size_t step = 0; step <= at / 2; step++)
            for (unsigned part = STAYS; part <= IS_CANCELLED; part++) {
                bool waits = part == STAYS || (at % 2 == 0 && step == at / 2);
                add_part(scene, step, (enum part)part);
                scene->messages[scene->count - 1].fate = waits ? WAITS : ENDED;
            }
        drain(scene, scene->now_ms, MESSAGES_MAX);
        scene_close(scene);
        footing_remove(scene->directory);
    }
}

/* The next syncs fail, so many. */
static void arm(struct scene *scene, int64_t count)
{
    while (atomic_exchange(&scene->log->lock, 1))
        sched_yield();
    scene->log->fault = DISK_FAIL_SYNC;
    scene->log->fault_errno = EIO;
    scene->log->fault_count = count;
    atomic_store(&scene->log->lock, 0);
}

static void refused(struct scene *scene, const char *call, int answer)
{
    if (scene->log->faults > 0 && answer >= TW_STORE_OK)
        fail(scene, "failed", "a sync had failed in call %u, and %s answered %d", scene->number,
             call, answer);
}

/* A sync fails once, in a call or between two: what waits for the disk does not say that all is well. */
static void failing_sync(struct scene *scene)
{
    const struct tw_store_backend *table = scene->this->store;
    struct tw_message one = {.key = 3, .due_ms = DURABLE_EPOCH_MS + DAY_MS};
    char name[16];
    snprintf(name, sizeof name, "failing%u", scene->number);
    scene->log->faults = 0;
    if (!scene_open(scene, name, DURABLE_EPOCH_MS))
        return;
    add(scene, 1, DURABLE_EPOCH_MS + DAY_MS, 100);
    add(scene, 2, DURABLE_EPOCH_MS + 1, 100);
    expect(scene, "put", put(scene), TW_STORE_OK);
    scene->now_ms += 2 * scene->description.resolution_ms;
    poll(scene, 256);
    for (; scene->number == 4 && one.key < 10 * STEPS && !scene->log->faults; one.key++) {
        arm(scene, 0);
        expect(scene, "put", table->put(scene->seat, &one, 1), TW_STORE_OK);
        arm(scene, 1);
        nap(scene);
    }
    arm(scene, scene->number != 4);
    int answer = scene->number == 0 ? table->put(scene->seat, &one, 1)
                 : scene->number == 1
                     ? table->cancel(scene->canceller, 1, DURABLE_EPOCH_MS + DAY_MS,
                                     scene->messages[0].put.handle)
                 : scene->number == 2 ? table->done(scene->store, scene->handed_count)
                                      : TW_STORE_IO;
    if (scene->sync <= TW_SYNC_GROUP)
        refused(scene, "the call itself", answer);
    for (size_t i = 0; i < 2 && scene->number < 5; i++)
        refused(scene, "checkpoint", table->checkpoint(scene->store));
    table->leave(scene->seat);
    table->leave(scene->canceller);
    refused(scene, "close", table->close(scene->store));
    arm(scene, 0);
}

/* ---- All of them. ------------------------------------------------------------------------------ */

typedef void scene_fn(struct scene *scene);

struct playing {
    const struct crash_case *this;
    enum crash_part part;
    scene_fn *const *scenes;
    size_t count;
    struct disk_log *log; /* NULL: nothing is recorded */
    enum tw_sync_policy sync;
    uint32_t looks; /* of its outcome */
    struct outcome outcome;
};

/* Signals (to 32: the C library has others), umask and directory: what is the whole process's. */
static void habits_read(char out[PATH_MAX + 400])
{
    char line[200];
    FILE *status = fopen("/proc/self/status", "re");
    out[0] = '\0';
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "Umask", 5) == 0 || (strncmp(line, "Sig", 3) == 0 && line[3] != 'Q'))
            strcat(out, line + strlen(line) - 9);
    if (status)
        fclose(status);
    if (!getcwd(out + strlen(out), PATH_MAX))
        out[0] = '\0';
}

static void play(void *ctx, void *record)
{
    static struct scene scene;
    char before[PATH_MAX + 400], after[PATH_MAX + 400];
    const struct playing *playing = ctx;
    struct outcome *outcome = record;
    *outcome = playing->outcome;
    habits_read(before);
    for (size_t i = 0; i < playing->count && !outcome->rule[0]; i++) {
        scene = (struct scene){.this = playing->this, .outcome = outcome, .log = playing->log};
        scene.number = (unsigned)i;
        scene.sync = playing->log ? playing->sync : scene.number;
        scene.settings = scene.this->options->settings;
        scene.setting_count = scene.this->options->setting_count;
        playing->scenes[i](&scene);
    }
    habits_read(after);
    if (strcmp(before, after) != 0)
        fail(&scene, "failed", "it changed the process: its signals, umask or directory");
}

/* Does the scene go on?  A machine that stands still does not look, either. */
static bool goes_on(void *ctx, void *record)
{
    struct outcome *outcome = record;
    return (((struct playing *)ctx)->looks = ++outcome->looks) < LOOKS;
}

/* In a process that ends without a close of what is open. */
static bool play_apart(struct playing *playing)
{
    const struct crash_case *this = playing->this;
    struct outcome *outcome = &playing->outcome;
    char reason[300] = "";
    int said = memfd_create("said", MFD_CLOEXEC);
    struct isolate isolate = {.out_fd = said, .err_fd = said, .look = goes_on, .look_ctx = playing};
    const char *policy = playing->log ? durable_sync_name(playing->sync) : "any policy";
    playing->looks = 0;
    bool ended = isolate_run(&isolate, SECONDS, play, playing, outcome, sizeof *outcome, reason,
                             sizeof reason);
    if (!ended && playing->looks >= LOOKS)
        crash_broken(this, playing->part, "timeout",
                     "a scene under %s: a call did not return within 120 s", policy);
    else if (!ended)
        crash_broken(this, playing->part, "crashed", "a scene under %s: %s", policy, reason);
    else if (outcome->rule[0])
        crash_broken(this, playing->part, outcome->rule, "a scene under %s: %s", policy,
                     outcome->words);
    else if (!(this->store->flags & TW_STORE_SERVER) && durable_said(said, reason, sizeof reason))
        crash_broken(this, playing->part, "failed", "a scene under %s: %s", policy, reason);
    if (said >= 0)
        close(said);
    return !this->report->is_broken;
}

/* In a directory with a name as long and odd as names may be; then others, of which nothing is recorded. */
static bool play_there(struct playing *playing, scene_fn *const *afterwards, size_t count)
{
    const struct crash_case *this = playing->this;
    struct crash_case copy = *this;
    char directory[PATH_MAX];
    struct crash_options options = *this->options;
    snprintf(directory, sizeof directory, "%.3700s/a 'store' of 100%% \"%0120d\"?#;$",
             options.directory, 0);
    options.directory = directory;
    copy.options = &options;
    playing->this = &copy;
    uint64_t begin_ns = isolate_now_ns();
    struct disk_log **layer = disk_layer(), *before = layer ? *layer : NULL;
    if (playing->log) {
        snprintf(playing->log->root, sizeof playing->log->root, "%.3900s/%s", directory,
                 count > 0 ? "steps/" : "");
        *layer = playing->log;
    }
    if (mkdir(directory, 0700) != 0)
        crash_broken(this, playing->part, "failed", "%s: no directory", directory);
    bool holds = !this->report->is_broken && play_apart(playing);
    if (playing->log)
        *layer = before;
    playing->scenes = afterwards;
    playing->count = count;
    if (holds && count > 0)
        play_apart(playing);
    isolate_sweep(begin_ns, NULL, 0);
    footing_remove(directory);
    return !this->report->is_broken;
}

bool crash_scenes(const struct crash_case *this)
{
    /* In the order of their clocks: one directory has seen them all. */
    static scene_fn *const scenes[] = {
        many,           any_key_and_due,      much_at_once,      clock_back,
        refusals,       seats_and_neighbours, any_key_and_due,   rounds,
        other_settings, comings_and_goings,   checkpoint_and_die};
    static scene_fn *const afterwards[] = {open_behind};
    bool dies = !(this->store->flags & (TW_STORE_SERVER | TW_STORE_IN_MEMORY));
    size_t first = !this->report->skipped;
    struct playing playing = {.this = this, .part = CRASH_EVEN, .scenes = scenes + first};
    playing.count = sizeof scenes / sizeof *scenes - first - !dies;
    return play_there(&playing, afterwards, dies);
}

bool crash_recorded_scenes(const struct crash_case *this, enum crash_part part,
                           enum tw_sync_policy sync)
{
    static scene_fn *const power[] = {many, outlived, crowded}, *const behind[] = {open_at_marks};
    static scene_fn *const failing[] = {failing_sync, failing_sync, failing_sync,
                                        failing_sync, failing_sync, failing_sync};
    bool is_power = part == CRASH_POWER;
    for (size_t i = 0; i < (is_power ? 3 : 1) && !this->report->is_broken; i++) {
        struct playing playing = {.this = this, .part = part, .sync = sync};
        playing.scenes = is_power ? power + i : failing;
        playing.count = is_power ? 1 : sizeof failing / sizeof *failing;
        playing.log = disk_log_make(RECORD_BYTES);
        if (play_there(&playing, behind, is_power) && playing.log->overflow > 0)
            crash_broken(this, part, "failed", "the record of the disk has no room");
        disk_log_free(playing.log);
    }
    return !this->report->is_broken;
}
