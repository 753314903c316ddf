/* drive.c - producers and dispatcher over one open of a store. */
#include "labs/durable/drive/drive.h"

#include "harness/base/clock.h"
#include "harness/base/rng.h"
#include "labs/durable/drive/durable_run.h"
#include "labs/durable/drive/footing.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define POLL_MAX      256
#define POLL_KILLED   16      /* of a store that is killed: a crash comes between few messages */
#define CANCEL_LAG    3       /* batches between the put of a message and its cancel */
#define STEPS_OF_SPAN 1000    /* the clock goes so far at once when all is put */
#define CHECKPOINTS   8       /* while all is put and handed out */
#define TEND_MAX      64      /* calls in a row */
#define SET_BACK_MS   7200000 /* the clock, across some opens */

struct producer;

struct driver {
    const struct durable_request *request;
    const struct tw_store_backend *backend;
    struct tw_store *store;
    struct book *book;
    int alarm_fd;
    struct book_order order;
    struct producer *producers;
    _Atomic uint32_t running; /* producers that have not come to their end */
    _Atomic int broken;       /* the answer that ended the run, or 0 */
    uint64_t begin_ns, open_ns, io_begin, storage_begin, memory_begin, resident_begin;
    bool is_recovered; /* this open found all that was put */
    uint64_t since_checkpoint, dispatched;
    uint64_t undone[2 * POLL_MAX]; /* handed out and not done, in order */
    size_t undone_count;
    uint64_t next_ms; /* nothing comes before that, the store said when all was put */
    struct rng rng;
};

struct producer {
    struct driver *driver;
    struct tw_store_seat *seat;
    pthread_t thread;
    uint32_t index;
    bool is_started;
    struct histogram ack;
    uint64_t acked, last_ns;
    struct tw_message *batch;
    unsigned char *payloads;
    uint64_t *numbers;
};

/* ---- Stamps and errors. ----------------------------------------------------------------------- */

/* A stamp; tells the parent when its moment has come. */
static uint32_t stamp(struct driver *driver)
{
    uint32_t at = book_stamp(driver->book);
    uint32_t alarm = atomic_load_explicit(&driver->book->alarm, memory_order_relaxed);
    uint32_t steps = atomic_load_explicit(&driver->book->steps, memory_order_relaxed);
    if (alarm && steps >= alarm && atomic_exchange(&driver->book->alarm, 0) &&
        driver->alarm_fd >= 0)
        (void)!write(driver->alarm_fd, "!", 1);
    return at;
}

static const char *answer_name(int answer)
{
    static const char *const names[] = {"OK",  "FULL",   "IO",     "BROKEN", "RANGE", "MEMORY",
                                        "BAD", "FORMAT", "LOCKED", "ABSENT", "LOST"};
    return answer <= 0 && answer >= TW_STORE_LOST ? names[-answer] : "an unknown answer";
}

/* The first error ends the run. */
static void fail(struct driver *driver, const char *what, int answer)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&driver->broken, &none, answer))
        snprintf(driver->book->failure, sizeof driver->book->failure, "%s answered %s", what,
                 answer_name(answer));
}

/* ---- Producers. ------------------------------------------------------------------------------- */

static uint64_t load_of(const struct producer *producer)
{
    const struct durable_request *request = producer->driver->request;
    uint64_t tasks = request->load.tasks, producers = request->producers;
    return tasks / producers + (producer->index < tasks % producers);
}

static uint64_t wall_ms(void)
{
    return clock_read_ns(CLOCK_REALTIME) / 1000000;
}

/* The next messages of this producer, written down as handed. */
static size_t fill_batch(struct producer *producer, uint64_t from)
{
    struct driver *driver = producer->driver;
    struct book *book = driver->book;
    const struct durable_load *load = &book->load;
    uint64_t count = load_of(producer) - from;
    size_t used = 0;
    if (count > driver->request->batch)
        count = driver->request->batch;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = producer->index + (from + i) * driver->request->producers;
        struct durable_message message = durable_load_message(load, number);
        producer->numbers[i] = number;
        producer->batch[i] = (struct tw_message){.key = durable_key(number),
                                                 .due_ms = book->base_ms + message.due_ms,
                                                 .payload = producer->payloads + used,
                                                 .size = message.size};
        durable_load_payload(load, number, message.size, producer->payloads + used);
        used += message.size;
        book->entries[number].handed = stamp(driver);
        /* The clock follows the first: a poll beyond it would be ahead of a message that is not put yet. */
        if (i == 0)
            atomic_store(&book->put_arrival[producer->index], message.arrival_ms);
    }
    atomic_store(&book->next[producer->index], from + count);
    atomic_fetch_add(&book->steps, (uint32_t)count);
    return count;
}

static bool is_refusal(int answer)
{
    return answer == TW_STORE_RANGE || answer == TW_STORE_MEMORY || answer == TW_STORE_BAD;
}

/* Those whose due is over are late by no fault of the store.  Asked before the put, too, as they may be handed out before it
 * has returned. */
static void note_past(struct producer *producer, size_t count)
{
    struct driver *driver = producer->driver;
    uint64_t now = driver->request->real_time ? wall_ms() : 0;
    for (size_t i = 0; i < count; i++)
        if (producer->batch[i].due_ms <= now)
            atomic_fetch_or(&driver->book->entries[producer->numbers[i]].flags, BOOK_PAST);
}

static void note_batch(struct producer *producer, size_t count, int answer)
{
    struct driver *driver = producer->driver;
    if (answer == TW_STORE_OK)
        note_past(producer, count);
    for (size_t i = 0; i < count; i++) {
        struct book_entry *entry = &driver->book->entries[producer->numbers[i]];
        entry->handle = producer->batch[i].handle;
        if (answer == TW_STORE_OK) {
            entry->acked_poll = atomic_load(&driver->book->polls);
            entry->acked = stamp(driver);
        } else if (is_refusal(answer)) {
            atomic_fetch_or(&entry->flags, BOOK_REFUSED);
        }
    }
    if (answer == TW_STORE_OK)
        producer->acked += count;
}

/* Has a poll come to the step of that due?  A store of coarse steps may work off a whole one by then. */
static bool is_come_to(const struct book *book, uint64_t due_ms)
{
    uint64_t come_ms = book->now_ms > book->floor_ms ? book->now_ms : book->floor_ms;
    return book->resolution_ms > 1 && due_ms / book->resolution_ms <= come_ms / book->resolution_ms;
}

static void cancel_one(struct producer *producer, uint64_t number)
{
    struct driver *driver = producer->driver;
    struct book_entry *entry = &driver->book->entries[number];
    struct durable_message message = durable_load_message(&driver->book->load, number);
    if (!message.is_cancelled || !entry->acked || entry->cancel_called)
        return;
    entry->cancel_called = stamp(driver);
    int answer = driver->backend->cancel(producer->seat, durable_key(number),
                                         driver->book->base_ms + message.due_ms, entry->handle);
    if (answer == TW_STORE_CANCELLED) {
        if (entry->delivered && entry->incarnation == driver->book->incarnation &&
            entry->delivered < entry->cancel_called)
            atomic_fetch_or(&entry->flags, BOOK_BOTH);
        entry->cancel_acked = stamp(driver);
    } else if (answer == TW_STORE_TOO_LATE) {
        atomic_fetch_or(&entry->flags, BOOK_TOO_LATE);
        if (!is_come_to(driver->book, driver->book->base_ms + message.due_ms))
            entry->late_poll = atomic_load(&driver->book->polls);
    } else if (!driver->request->insists) {
        fail(driver, "cancel", answer);
    }
}

static void cancel_some(struct producer *producer, uint64_t from, uint64_t to)
{
    uint32_t producers = producer->driver->request->producers;
    if (producer->driver->book->load.cancel_permille == 0)
        return;
    for (uint64_t at = from; at < to && !producer->driver->broken; at++)
        cancel_one(producer, producer->index + at * producers);
}

/* Waits for the moment that a paced batch is meant for, and answers it. */
static uint64_t batch_moment(const struct producer *producer, uint64_t from, uint64_t first)
{
    const struct durable_request *request = producer->driver->request;
    uint64_t now = clock_read_ns(CLOCK_MONOTONIC);
    if (request->rate <= 0)
        return now;
    double each = 1e9 * (double)request->producers / request->rate;
    uint64_t at = producer->driver->begin_ns + (uint64_t)((double)(from - first) * each);
    if (at > now) {
        struct timespec moment = {(time_t)(at / 1000000000), (long)(at % 1000000000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
    }
    return at;
}

static void *produce(void *argument)
{
    struct producer *producer = argument;
    struct driver *driver = producer->driver;
    struct book *book = driver->book;
    uint64_t first = atomic_load(&book->next[producer->index]), end = load_of(producer);
    uint64_t lag = (uint64_t)CANCEL_LAG * driver->request->batch,
             cancelled = first > lag ? first - lag : 0;
    for (uint64_t at = first; at < end && !driver->broken;) {
        size_t count = fill_batch(producer, at);
        uint64_t meant = batch_moment(producer, at, first);
        note_past(producer, count);
        int answer = driver->backend->put(producer->seat, producer->batch, count);
        producer->last_ns = clock_read_ns(CLOCK_MONOTONIC);
        histogram_add(&producer->ack, (producer->last_ns - meant) * 1000);
        note_batch(producer, count, answer);
        if (answer != TW_STORE_OK && !is_refusal(answer) && !driver->request->insists)
            fail(driver, "put", answer);
        at += count;
        if (at > lag && cancelled < at - lag) {
            cancel_some(producer, cancelled, at - lag);
            cancelled = at - lag;
        }
    }
    cancel_some(producer, cancelled, end);
    atomic_store(&book->put_arrival[producer->index], UINT64_MAX);
    atomic_fetch_sub(&driver->running, 1);
    return NULL;
}

/* ---- The dispatcher. -------------------------------------------------------------------------- */

static uint64_t now_of(struct driver *driver)
{
    struct book *book = driver->book;
    uint64_t least = UINT64_MAX, now;
    if (driver->request->real_time) {
        now = wall_ms();
    } else {
        for (uint32_t i = 0; i < driver->request->producers; i++) {
            uint64_t arrival = atomic_load(&book->put_arrival[i]);
            least = arrival < least ? arrival : least;
        }
        now = least == UINT64_MAX ? book->now_ms : book->base_ms + least;
    }
    return now > book->now_ms ? now : book->now_ms;
}

/* The first `count` of what was handed out. */
static void do_done(struct driver *driver, size_t count)
{
    struct book *book = driver->book;
    const uint64_t *numbers = driver->undone;
    if (count == 0 || driver->broken)
        return;
    atomic_fetch_add(&book->steps, (uint32_t)count);
    uint32_t called = stamp(driver);
    for (size_t i = 0; i < count; i++)
        if (numbers[i] < book->load.tasks)
            book->entries[numbers[i]].done_called = called;
    int answer = driver->backend->done(driver->store, count);
    if (answer != TW_STORE_OK) {
        fail(driver, "done", answer);
        return;
    }
    uint32_t acked = stamp(driver);
    for (size_t i = 0; i < count; i++)
        if (numbers[i] < book->load.tasks)
            book->entries[numbers[i]].done_acked = acked;
    driver->dispatched += count;
    driver->since_checkpoint += count;
    driver->undone_count -= count;
    memmove(driver->undone, driver->undone + count, driver->undone_count * sizeof *driver->undone);
}

/* Handles what was handed out: now and then in two parts, so that a crash comes between them, and, of a store that is proved,
 * not all of it before the next poll or checkpoint. */
static void handle(struct driver *driver, const struct tw_delivery *deliveries, size_t count,
                   uint32_t poll)
{
    uint64_t now = driver->book->now_ms, first = durable_number(deliveries[0].key);
    for (size_t i = 0; i < count; i++) {
        book_deliver(driver->book, &driver->order, &deliveries[i], poll, now);
        uint64_t number = durable_number(deliveries[i].key);
        driver->undone[driver->undone_count++] = number;
        bool is_past =
            number < driver->book->load.tasks && driver->book->entries[number].flags & BOOK_PAST;
        if (deliveries[i].due_ms + driver->book->resolution_ms <= driver->next_ms &&
            driver->next_ms > driver->book->floor_ms)
            fail(driver, "next, which named a later time than the first due,", TW_STORE_BAD);
        if (driver->request->real_time && !is_past && now >= deliveries[i].due_ms)
            histogram_add(&driver->book->figures.late, (now - deliveries[i].due_ms) * 1000000000);
    }
    if (rng_below(&driver->rng, 4) == 0)
        do_done(driver, driver->undone_count / 2);
    if (!driver->request->lags || driver->undone_count > POLL_MAX || rng_below(&driver->rng, 2))
        do_done(driver, driver->undone_count);
    if (first < driver->book->load.tasks &&
        !durable_load_is_payload(&driver->book->load, first, deliveries[0].payload,
                                 deliveries[0].size))
        fail(driver, "poll, whose payload changed before the next one,", TW_STORE_BAD);
}

/* From the beginning of an open to its first messages: the figure of this open. */
static uint64_t *served_of(struct book *book)
{
    return book->is_cold ? &book->figures.cold_served_ns : &book->figures.served_ns;
}

/* Nothing more is asked of this open. */
static bool is_served(const struct driver *driver)
{
    const struct durable_request *request = driver->request;
    bool is_last = !request->is_cold || driver->book->is_cold;
    if (is_last && !request->no_drain)
        return false;
    return !request->measures_recovery || *served_of(driver->book) > 0;
}

static size_t poll_once(struct driver *driver, uint64_t now)
{
    struct book *book = driver->book;
    struct tw_delivery deliveries[POLL_MAX];
    size_t count = 0, most = POLL_MAX;
    uint32_t poll = atomic_fetch_add(&book->polls, 1) + 1;
    if (driver->request->kills > 0)
        most = 1 + rng_below(&driver->rng, POLL_KILLED);
    book->now_ms = now;
    uint64_t begin = clock_read_ns(CLOCK_MONOTONIC);
    int answer = driver->backend->poll(driver->store, now, deliveries, most, &count);
    histogram_add(&book->figures.poll, (clock_read_ns(CLOCK_MONOTONIC) - begin) * 1000);
    if (answer == TW_STORE_OK && count > most)
        answer = TW_STORE_BAD; /* more than it was asked for */
    if (answer != TW_STORE_OK) {
        fail(driver, "poll", answer);
        return 0;
    }
    if (count == 0) {
        do_done(driver, driver->undone_count);
        book->drained_poll = poll;
        book->drained_ms = now;
        book->drained_incarnation = book->incarnation;
        return 0;
    }
    if (driver->is_recovered && *served_of(book) == 0)
        *served_of(book) = clock_read_ns(CLOCK_MONOTONIC) - driver->open_ns;
    handle(driver, deliveries, count, poll);
    return count;
}

static void note_tended(struct driver *driver, uint32_t before)
{
    driver->book->tended = before;
    driver->book->tended_at = stamp(driver);
}

static void tend(struct driver *driver)
{
    int more = 1;
    for (int i = 0; i < TEND_MAX && more && !driver->broken; i++) {
        uint32_t before = atomic_load(&driver->book->clock);
        if (driver->book->disk_length)
            before = (uint32_t)atomic_load(driver->book->disk_length);
        uint64_t begin = clock_read_ns(CLOCK_MONOTONIC);
        int answer = driver->backend->tend(driver->store, driver->book->now_ms, &more);
        histogram_add(&driver->book->figures.tend, (clock_read_ns(CLOCK_MONOTONIC) - begin) * 1000);
        if (answer != TW_STORE_OK)
            fail(driver, "tend", answer);
        else if (!more)
            note_tended(driver, before + 1);
    }
}

static void checkpoint(struct driver *driver)
{
    struct book *book = driver->book;
    uint32_t before = stamp(driver);
    uint64_t begin = clock_read_ns(CLOCK_MONOTONIC);
    atomic_store(&book->stage, BOOK_CHECKPOINT);
    if (atomic_exchange(&book->wants_checkpoint, 0) && driver->alarm_fd >= 0)
        (void)!write(driver->alarm_fd, "!", 1);
    int answer = driver->backend->checkpoint(driver->store);
    atomic_store(&book->stage, BOOK_WORKING);
    book->checkpoint_ns = clock_read_ns(CLOCK_MONOTONIC) - begin;
    driver->since_checkpoint = 0;
    if (answer != TW_STORE_OK) {
        fail(driver, "checkpoint", answer);
        return;
    }
    book_promise(book, before);
    book->figures.checkpoints++;
}

static bool wants_checkpoint(const struct driver *driver)
{
    uint64_t each = driver->book->load.tasks / CHECKPOINTS + 1;
    return atomic_load(&driver->book->wants_checkpoint) || driver->since_checkpoint >= each;
}

/* While messages are put: polls at the time that the producers have come to. */
static void dispatch_beside(struct driver *driver)
{
    while (atomic_load(&driver->running) > 0 && !driver->broken) {
        if (is_served(driver))
            return;
        if (poll_once(driver, now_of(driver)) == 0 && !driver->broken) {
            tend(driver);
            usleep(200);
        }
        if (wants_checkpoint(driver) && !driver->broken)
            checkpoint(driver);
    }
}

/* The time of the next poll, when the last one found nothing: at the next due, and not less than a step on. */
static bool step_on(struct driver *driver, uint64_t *now)
{
    uint64_t next = driver->backend->next(driver->store);
    uint64_t step = driver->request->load.span_ms / STEPS_OF_SPAN + driver->book->resolution_ms;
    if (next == TW_STORE_NEVER)
        return false;
    driver->next_ms = next;
    if (driver->request->real_time) {
        usleep(200);
        *now = now_of(driver);
        return true;
    }
    *now += 1 + rng_below(&driver->rng, step);
    if (*now < next)
        *now = next;
    return true;
}

/* When all is put: on to the last due. */
static void drain(struct driver *driver)
{
    uint64_t now = now_of(driver), begin = clock_read_ns(CLOCK_MONOTONIC);
    uint64_t before = driver->dispatched;
    struct durable_figures *figures = &driver->book->figures;
    bool more = true;
    while (more && !driver->broken && !is_served(driver)) {
        if (poll_once(driver, now) == 0 && !driver->broken) {
            tend(driver);
            more = step_on(driver, &now);
        }
        if (wants_checkpoint(driver) && !driver->broken)
            checkpoint(driver);
    }
    if (is_served(driver))
        return;
    figures->dispatch_count += driver->dispatched - before;
    figures->dispatch_ns += clock_read_ns(CLOCK_MONOTONIC) - begin;
}

/* ---- Figures at the moment when all is put. --------------------------------------------------- */

static void look_begin(struct driver *driver)
{
    footing_written(getpid(), &driver->io_begin, &driver->storage_begin);
    driver->memory_begin = footing_memory_bytes(getpid());
    driver->resident_begin = footing_resident_bytes(getpid());
}

/* More than before; DURABLE_UNKNOWN when either is not known. */
static uint64_t more_by(uint64_t now, uint64_t before)
{
    if (now == UINT64_MAX || before == UINT64_MAX)
        return DURABLE_UNKNOWN;
    return now > before ? now - before : 0;
}

static void add_known(uint64_t *sum, uint64_t more)
{
    *sum = *sum == UINT64_MAX || more == UINT64_MAX ? UINT64_MAX : *sum + more;
}

/* Producers are over; what they learned goes into the book. */
static void sum_producers(struct driver *driver)
{
    struct durable_figures *figures = &driver->book->figures;
    uint64_t last_ns = driver->begin_ns;
    for (uint32_t i = 0; i < driver->request->producers; i++) {
        const struct producer *producer = &driver->producers[i];
        histogram_merge(&figures->ack, &producer->ack);
        figures->put_count += producer->acked;
        if (producer->last_ns > last_ns)
            last_ns = producer->last_ns;
    }
    figures->put_ns += last_ns - driver->begin_ns;
}

static void look_filled(struct driver *driver)
{
    struct book *book = driver->book;
    struct durable_figures *figures = &book->figures;
    uint64_t written, storage;
    footing_written(getpid(), &written, &storage);
    figures->written_bytes = more_by(written, driver->io_begin);
    figures->storage_bytes = more_by(storage, driver->storage_begin);
    figures->memory_bytes = more_by(footing_memory_bytes(getpid()), driver->memory_begin);
    figures->resident_bytes = more_by(footing_resident_bytes(getpid()), driver->resident_begin);
    if (book->server > 0) {
        footing_written(book->server, &written, &storage);
        add_known(&figures->written_bytes, written);
        add_known(&figures->storage_bytes, storage);
        figures->server_memory_bytes = footing_memory_bytes(book->server);
        figures->server_resident_bytes = footing_resident_bytes(book->server);
    }
    driver->backend->stats(driver->store, &book->stats);
    figures->pending = book->stats.pending;
}

/* ---- All of it. ------------------------------------------------------------------------------- */

static bool producers_make(struct driver *driver)
{
    const struct durable_request *request = driver->request;
    driver->producers = calloc(request->producers, sizeof *driver->producers);
    for (uint32_t i = 0; driver->producers && i < request->producers; i++) {
        struct producer *producer = &driver->producers[i];
        size_t bytes = (size_t)request->batch * request->load.payload_max;
        producer->driver = driver;
        producer->index = i;
        producer->batch = calloc(request->batch, sizeof *producer->batch);
        producer->numbers = calloc(request->batch, sizeof *producer->numbers);
        producer->payloads = calloc(bytes + 1, 1);
        if (!producer->batch || !producer->numbers || !producer->payloads)
            return false;
        if (atomic_load(&driver->book->next[i]) >= load_of(producer))
            atomic_store(&driver->book->put_arrival[i], UINT64_MAX);
    }
    return driver->producers != NULL;
}

static void producers_begin(struct driver *driver)
{
    driver->begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    for (uint32_t i = 0; i < driver->request->producers; i++) {
        struct producer *producer = &driver->producers[i];
        if (atomic_load(&driver->book->next[i]) >= load_of(producer) &&
            driver->book->load.cancel_permille == 0)
            continue;
        producer->seat = driver->backend->enter(driver->store);
        atomic_fetch_add(&driver->running, 1);
        producer->is_started =
            producer->seat && pthread_create(&producer->thread, NULL, produce, producer) == 0;
        if (!producer->is_started) {
            atomic_fetch_sub(&driver->running, 1);
            fail(driver, "enter", TW_STORE_MEMORY);
        }
    }
}

static void producers_end(struct driver *driver)
{
    for (uint32_t i = 0; i < driver->request->producers; i++) {
        struct producer *producer = &driver->producers[i];
        if (producer->is_started)
            pthread_join(producer->thread, NULL);
        if (producer->seat)
            driver->backend->leave(producer->seat);
    }
}

static void note_damage(void *ctx, const char *file, uint64_t offset, const char *what,
                        uint64_t lost)
{
    struct book *book = ctx;
    add_known(&book->figures.damaged_lost, lost);
    if (book->figures.damaged++ == 0)
        snprintf(book->failure, sizeof book->failure, "%s at %" PRIu64 ": %s", file, offset, what);
}

/* A store that counts what it finds counts right, unless a disk had failed or something is damaged. */
static void recovered_look(struct driver *driver)
{
    const struct book *book = driver->book;
    uint64_t found = book->description.recovered, least, most;
    book_waiting(book, &least, &most);
    if (driver->request->counts && !driver->request->insists && found != UINT64_MAX &&
        (found < least || found > most) && !(driver->backend->flags & TW_STORE_IN_MEMORY) &&
        book->figures.damaged == 0) {
        fail(driver, "open", TW_STORE_BAD);
        snprintf(driver->book->failure, sizeof driver->book->failure,
                 "open found %" PRIu64 " pending; expected %" PRIu64 " to %" PRIu64, found, least,
                 most);
    }
}

static int open_store(struct driver *driver, const char *directory)
{
    const struct durable_request *request = driver->request;
    struct book *book = driver->book;
    struct tw_error error = {""};
    struct tw_store_config config = {.directory = directory,
                                     .sync = request->sync,
                                     .interval_ms = request->interval_ms,
                                     .seats = request->producers,
                                     .capacity = request->load.tasks,
                                     .settings = request->settings,
                                     .setting_count = request->setting_count,
                                     .damage = request->is_deaf ? NULL : note_damage,
                                     .damage_ctx = book};
    if (book->base_ms == 0)
        book->base_ms = book->now_ms = request->real_time ? wall_ms() : DURABLE_EPOCH_MS;
    if (request->kills > 0 && !request->real_time && book->incarnation > 0 &&
        rng_below(&driver->rng, 4) == 0) {
        uint64_t back = rng_below(&driver->rng, SET_BACK_MS);
        book->floor_ms = book->now_ms > book->floor_ms ? book->now_ms : book->floor_ms;
        book->now_ms -= back < book->now_ms - book->base_ms ? back : book->now_ms - book->base_ms;
    }
    config.now_ms = request->real_time ? wall_ms() : book->now_ms;
    atomic_store(&book->stage, BOOK_OPENING);
    driver->open_ns = clock_read_ns(CLOCK_MONOTONIC);
    uint64_t damaged = book->figures.damaged;
    int answer = driver->backend->open(&driver->store, &config, &error);
    book->opening_ns = clock_read_ns(CLOCK_MONOTONIC) - driver->open_ns;
    if (answer != TW_STORE_OK) {
        snprintf(book->failure, sizeof book->failure, "open answered %s: %.240s",
                 answer_name(answer), error.text);
        return answer;
    }
    driver->backend->describe(driver->store, &book->description);
    book->damaged_at_open = book->figures.damaged - damaged;
    book->server = book->description.server;
    book->resolution_ms = book->description.resolution_ms;
    book->incarnation++;
    book->opened_at = stamp(driver);
    book->figures.opens++;
    recovered_look(driver);
    if (book->figures.slowest_recovery_ns < book->opening_ns)
        book->figures.slowest_recovery_ns = book->opening_ns;
    atomic_store(&book->stage, BOOK_WORKING);
    return TW_STORE_OK;
}

/* The rest of the load, unless the process is to be ended when all is put. */
static bool work(struct driver *driver)
{
    bool was_filled = atomic_load(&driver->book->next[0]) > 0 &&
                      book_handed(driver->book) == driver->book->load.tasks;
    driver->is_recovered = was_filled;
    producers_begin(driver);
    dispatch_beside(driver);
    producers_end(driver);
    if (!was_filled)
        sum_producers(driver);
    if (was_filled || driver->broken)
        return false;
    tend(driver);
    look_filled(driver);
    return driver->request->measures_recovery && !driver->broken;
}

enum drive_end drive(const struct durable_request *request, const char *directory,
                     struct book *book, int alarm_fd)
{
    struct driver driver = {
        .request = request, .backend = request->store, .book = book, .alarm_fd = alarm_fd};
    rng_seed(&driver.rng, request->load.seed, 1000 + book->incarnation);
    if (!producers_make(&driver)) {
        snprintf(book->failure, sizeof book->failure, "no memory for the producers");
        return DRIVE_BROKE;
    }
    look_begin(&driver);
    int answer = open_store(&driver, directory);
    if (answer == TW_STORE_ABSENT)
        return DRIVE_ABSENT;
    if (answer == TW_STORE_BAD)
        return DRIVE_REFUSED;
    if (answer != TW_STORE_OK)
        return DRIVE_BROKE;
    if (work(&driver)) {
        atomic_store(&book->stage, BOOK_FILLED);
        return DRIVE_FILLED;
    }
    if (!driver.broken)
        drain(&driver);
    bool served = !driver.broken && is_served(&driver);
    if (served && request->measures_recovery)
        return DRIVE_SERVED;
    atomic_store(&book->stage, BOOK_CLOSING);
    uint32_t before = stamp(&driver) + 1;
    answer = driver.backend->close(driver.store);
    if (answer != TW_STORE_OK)
        fail(&driver, "close", answer);
    else
        book_promise(book, before);
    return driver.broken ? DRIVE_BROKE : served ? DRIVE_SERVED : DRIVE_FINISHED;
}
