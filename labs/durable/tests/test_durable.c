/* test_durable.c - durable loads are what they say, the book finds what the contract forbids. */
#include "labs/durable/drive/drive.h"
#include "labs/durable/drive/durable_run.h"
#include "labs/durable/drive/footing.h"
#include "labs/durable/stores/store_modules.h"
#include "testing.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static const struct durable_load load = {.tasks = 2000,
                                         .seed = 7,
                                         .span_ms = 864000000,
                                         .arrivals_ms = 3600000,
                                         .payload_min = 0,
                                         .payload_max = 300,
                                         .cancel_permille = 100,
                                         .hot_permille = 200,
                                         .burst_permille = 200,
                                         .past_permille = 20};

TEST(messages_are_within_their_load)
{
    uint64_t cancelled = 0, hot = 0, past = 0, before = 0;
    for (uint64_t i = 0; i < load.tasks; i++) {
        struct durable_message message = durable_load_message(&load, i);
        assert_true(message.size <= 300);
        assert_true(message.arrival_ms >= before);
        assert_true(message.due_ms <= message.arrival_ms + load.span_ms);
        before = message.arrival_ms;
        cancelled += message.is_cancelled;
        hot += message.due_ms % 3600000 == 0;
        past += message.due_ms <= message.arrival_ms;
    }
    assert_in_range(cancelled, 140, 260);
    assert_in_range(hot, 300, 500);
    assert_in_range(past, 15, 80);
}

TEST(payloads_are_told_apart)
{
    unsigned char bytes[300];
    durable_load_payload(&load, 5, 300, bytes);
    assert_true(durable_load_is_payload(&load, 5, bytes, 300));
    assert_true(durable_load_is_payload(&load, 5, bytes, 11));
    assert_false(durable_load_is_payload(&load, 6, bytes, 300));
    bytes[299] ^= 1;
    assert_false(durable_load_is_payload(&load, 5, bytes, 300));
}

/* ---- The book. -------------------------------------------------------------------------------- */

struct page {
    struct book *book;
    struct book_order order;
    unsigned char payload[300];
};

static struct page the_page;

static int page_open(void **state)
{
    struct page *page = *state = &the_page;
    *page = (struct page){.book = book_make(&load)};
    assert_non_null(page->book);
    page->book->base_ms = 1000;
    page->book->resolution_ms = 1;
    page->book->incarnation = 1;
    page->book->is_exact = true;
    return 0;
}

static int page_close(void **state)
{
    book_free(((struct page *)*state)->book);
    return 0;
}

static void put(struct page *page, uint64_t number)
{
    page->book->entries[number].handed = book_stamp(page->book);
    page->book->entries[number].acked = book_stamp(page->book);
}

/* At its due, or that much after it. */
static void deliver(struct page *page, uint64_t number, uint32_t poll, int64_t after_ms)
{
    struct durable_message message = durable_load_message(&load, number);
    struct tw_delivery delivery = {durable_key(number), 1000 + message.due_ms, page->payload,
                                   message.size};
    durable_load_payload(&load, number, message.size, page->payload);
    book_deliver(page->book, &page->order, &delivery, poll,
                 (uint64_t)((int64_t)delivery.due_ms + after_ms));
}

static void done(struct page *page, uint64_t number)
{
    page->book->entries[number].done_called = book_stamp(page->book);
    page->book->entries[number].done_acked = book_stamp(page->book);
}

TEST_AROUND(what_went_well_is_even, page_open, page_close)
{
    struct page *page = *state;
    put(page, 3);
    deliver(page, 3, 1, 0);
    done(page, 3);
    put(page, 4);
    page->book->entries[4].cancel_called = page->book->entries[4].cancel_acked = 9;
    struct durable_ledger ledger = book_judge(page->book);
    assert_int_equal(ledger.acknowledged, 2);
    assert_int_equal(ledger.fired, 1);
    assert_int_equal(ledger.cancelled, 1);
    assert_false(book_is_broken(&ledger));
}

TEST_AROUND(defects_are_counted, page_open, page_close)
{
    struct page *page = *state;
    put(page, 0);
    put(page, 1);
    deliver(page, 1, 1, -1);
    done(page, 1);
    deliver(page, 1, 2, 0);
    page->book->incarnation = 2;
    page->order = (struct book_order){.count = 0};
    done(page, 1);
    deliver(page, 1, 3, 0);
    struct durable_ledger ledger = book_judge(page->book);
    assert_int_equal(ledger.lost, 2); /* one that never came, one that came last and was not done */
    assert_int_equal(ledger.early, 1);
    assert_int_equal(ledger.twice, 2);
}

TEST_AROUND(a_crash_may_repeat_what_was_not_done, page_open, page_close)
{
    struct page *page = *state;
    put(page, 0);
    deliver(page, 0, 1, 0);
    page->book->incarnation = 2;
    deliver(page, 0, 2, 0);
    done(page, 0);
    struct durable_ledger ledger = book_judge(page->book);
    assert_int_equal(ledger.again, 1);
    assert_int_equal(ledger.fired, 1);
    assert_false(book_is_broken(&ledger));
}

/* A poll that finds nothing though a message is due makes that message late: not one whose cancel a crash cut off, nor one
 * that had been handed out before the crash. */
TEST_AROUND(what_a_crash_brings_back_is_not_late, page_open, page_close)
{
    struct page *page = *state;
    for (uint64_t i = 0; i < 3; i++)
        put(page, i);
    page->book->entries[1].cancel_called = book_stamp(page->book);
    deliver(page, 2, 1, 0);
    page->book->drained_poll = 2;
    page->book->drained_ms = UINT64_MAX;
    page->book->drained_incarnation = 1;
    page->book->incarnation = 2;
    deliver(page, 1, 3, 0);
    deliver(page, 2, 3, 0);
    assert_int_equal(book_judge(page->book).late, 0);
    deliver(page, 0, 3, 0);
    assert_int_equal(book_judge(page->book).late, 1);
    page->book->drained_incarnation = 2;
    page->book->incarnation = 2;
    page->book->entries[2].incarnation = 1;
    deliver(page, 2, 4, 0);
    assert_int_equal(book_judge(page->book).late, 2);
}

TEST_AROUND(policies_promise_what_they_promise, page_open, page_close)
{
    struct page *page = *state;
    page->book->sync = TW_SYNC_NONE;
    put(page, 0);
    struct durable_ledger ledger = book_judge(page->book);
    assert_int_equal(ledger.lost, 0);
    assert_int_equal(ledger.dropped, 1);
    page->book->tended = page->book->entries[0].acked + 1;
    ledger = book_judge(page->book);
    assert_int_equal(ledger.lost, 1);
}

TEST_AROUND(a_later_step_must_not_come_first, page_open, page_close)
{
    struct page *page = *state;
    uint64_t a = 10, b = 11;
    if (durable_load_message(&load, a).due_ms > durable_load_message(&load, b).due_ms) {
        a = 11;
        b = 10;
    }
    put(page, a);
    put(page, b);
    deliver(page, b, 1, 0);
    deliver(page, a, 2, (int64_t)(durable_load_message(&load, b).due_ms));
    assert_int_equal(book_judge(page->book).out_of_order, 1);
}

TEST_AROUND(a_book_is_turned_back, page_open, page_close)
{
    struct page *page = *state;
    put(page, 0);
    put(page, 1);
    book_turn_back(page->book, 3);
    struct durable_ledger ledger = book_judge(page->book);
    assert_int_equal(ledger.acknowledged, 1);
    assert_int_equal(ledger.unknown, 1);
}

/* ---- Runs. ------------------------------------------------------------------------------------ */

static struct durable_load watched_load; /* what the store below is put */
static _Atomic uint64_t polled_ms;       /* the time of the last poll that is over */
static _Atomic unsigned polled;          /* how many are */

static const struct tw_store_backend *reference(void)
{
    return store_registry_find("memory")->builtin;
}

static int poll_noted(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
                      size_t *count)
{
    int answer = reference()->poll(store, now_ms, out, max, count);
    atomic_store(&polled_ms, now_ms);
    atomic_fetch_add(&polled, 1);
    return answer;
}

/* Lets two polls go by, the second of which began within the call, and refuses if the clock went beyond what is put. */
static int put_beside_polls(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    unsigned before = atomic_load(&polled);
    while (atomic_load(&polled) - before < 2)
        usleep(100);
    uint64_t now_ms = atomic_load(&polled_ms);
    for (size_t i = 0; i < count; i++) {
        struct durable_message message =
            durable_load_message(&watched_load, durable_number(messages[i].key));
        if (now_ms + message.due_ms > messages[i].due_ms + message.arrival_ms)
            return TW_STORE_IO;
    }
    return reference()->put(seat, messages, count);
}

TEST(the_clock_waits_for_the_first_message_of_a_batch)
{
    char directory[128];
    struct durable_report report;
    struct tw_store_backend watched = *reference();
    struct durable_request request = {.store = &watched,
                                      .directory = directory,
                                      .sync = TW_SYNC_ALWAYS,
                                      .load = load,
                                      .producers = 2,
                                      .batch = 7,
                                      .budget_ns = UINT64_C(60000000000)};
    watched.put = put_beside_polls;
    watched.poll = poll_noted;
    request.load.tasks = 140;
    watched_load = request.load;
    temporary_name(directory, sizeof directory, "test_durable");
    assert_non_null(mkdtemp(directory));
    durable_run(&request, NULL, &report);
    footing_remove(directory);
    assert_string_equal(report.reason, "");
    assert_int_equal(report.end, DURABLE_OK);
}

static _Atomic uint32_t *layer; /* the lock of the disk's layer */

/* As a store's call that the layer records. */
static void layer_enter(void)
{
    while (atomic_exchange(layer, 1))
        continue;
}

static int open_recorded(struct tw_store **out, const struct tw_store_config *config,
                         struct tw_error *error)
{
    layer_enter();
    atomic_store(layer, 0);
    return reference()->open(out, config, error);
}

static int poll_killed(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out, size_t max,
                       size_t *count)
{
    (void)store, (void)now_ms, (void)out, (void)max, (void)count;
    layer_enter();
    return kill(getpid(), SIGKILL);
}

/* Until it is killed with the dispatcher. */
static int put_held(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    (void)seat, (void)messages, (void)count;
    return pause();
}

TEST(an_open_goes_on_behind_one_that_was_killed_in_a_recorded_call)
{
    char reason[300];
    int ended = -1;
    uint64_t budget_ns = UINT64_C(10000000000);
    struct tw_store_backend recorded = *reference();
    struct durable_request request = {
        .store = &recorded, .load = load, .producers = 1, .batch = 3, .measures_recovery = true};
    request.load.tasks = 60;
    struct book *book = book_make(&request.load);
    book->disk_lock = layer = book_shared(sizeof *layer);
    recorded.open = open_recorded;
    recorded.put = put_held;
    recorded.poll = poll_killed;
    assert_false(durable_open_once(&request, "/", book, budget_ns, &ended, reason, sizeof reason));
    assert_int_equal(*layer, 1);
    recorded.put = reference()->put;
    recorded.poll = reference()->poll;
    /* Killed once more when all is put: between two calls, as this child has the lock. */
    assert_true(durable_open_once(&request, "/", book, budget_ns, &ended, reason, sizeof reason));
    assert_int_equal(ended, DRIVE_FILLED);
    assert_int_equal(*layer, 1);
    assert_true(durable_open_once(&request, "/", book, budget_ns, &ended, reason, sizeof reason));
    assert_int_equal(ended, DRIVE_FINISHED);
    book_free(book);
}

TEST_MAIN(NULL, NULL)
