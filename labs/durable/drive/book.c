/* book.c - notes deliveries, and judges the end of each message. */
#include "labs/durable/drive/drive.h"

#include "harness/base/text.h"
#include "labs/durable/drive/durable_run.h"

#include <sys/mman.h>

void *book_shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        return memory;
    fprintf(stderr, "twbench: no memory for %zu bytes\n", bytes);
    exit(1);
}

struct book *book_make(const struct durable_load *load)
{
    struct book *book = book_shared(book_bytes(&(struct book){.load = *load}));
    book->load = *load;
    return book;
}

size_t book_bytes(const struct book *book)
{
    return sizeof *book + book->load.tasks * sizeof book->entries[0];
}

void book_free(struct book *book)
{
    if (book)
        munmap(book, book_bytes(book));
}

uint32_t book_stamp(struct book *book)
{
    if (book->disk_length)
        return (uint32_t)atomic_load(book->disk_length) + 1;
    return atomic_fetch_add(&book->clock, 1) + 1;
}

void book_promise(struct book *book, uint32_t before)
{
    if (book->promise_count == BOOK_PROMISES) {
        memmove(&book->promises[0], &book->promises[1],
                (BOOK_PROMISES - 1) * sizeof book->promises[0]);
        book->promise_count--;
    }
    book->promises[book->promise_count++] = (struct book_promise){before, book_stamp(book)};
}

/* ---- Deliveries. ------------------------------------------------------------------------------ */

static void fault(struct book *book, uint64_t *count, uint64_t key, const char *what)
{
    (*count)++;
    if (book->first[0] == '\0')
        snprintf(book->first, sizeof book->first, "message %" PRIu64 " %s", key, what);
}

static uint64_t step_of(const struct book *book, uint64_t due_ms)
{
    return due_ms / (book->resolution_ms > 0 ? book->resolution_ms : 1);
}

/* Was one of a later step handed out by a poll that began after this message had been acknowledged? */
static bool is_overtaken(const struct book_order *order, uint32_t acked_poll, uint64_t step)
{
    for (size_t i = 0; i < order->count; i++)
        if (order->tops[i].poll > acked_poll)
            return order->tops[i].step > step;
    return false;
}

static void order_note(struct book_order *order, uint32_t poll, uint64_t step)
{
    while (order->count > 0 && order->tops[order->count - 1].step <= step)
        order->count--;
    if (order->count == BOOK_TOPS) {
        memmove(&order->tops[0], &order->tops[1], (BOOK_TOPS - 1) * sizeof order->tops[0]);
        order->count--;
    }
    order->tops[order->count].poll = poll;
    order->tops[order->count++].step = step;
}

/* Would what was acknowledged at that stamp have to be there after a kill?  `book` as it is now. */
static bool book_survives(const struct book *book, uint32_t acked)
{
    if (acked == 0)
        return false;
    if (book->is_power && book->sync >= TW_SYNC_INTERVAL)
        return acked < book_promised(book);
    if (book->sync == TW_SYNC_NONE)
        return acked < book->tended || acked < book_promised(book);
    return true;
}

static bool is_done_for_good(const struct book *book, const struct book_entry *entry)
{
    if (!entry->done_acked || entry->flags & BOOK_DONE_KEPT)
        return entry->done_acked != 0;
    return book->is_exact ? book_survives(book, entry->done_acked)
                          : entry->done_acked < book_promised(book);
}

static bool is_kept(const struct book *book, const struct book_entry *entry)
{
    return entry->flags & BOOK_PUT_KEPT ||
           (!(entry->flags & BOOK_PUT_LEFT) && book_survives(book, entry->acked));
}

static bool is_cancel_kept(const struct book *book, const struct book_entry *entry)
{
    return entry->flags & BOOK_CANCEL_KEPT || book_survives(book, entry->cancel_acked);
}

static void settle(struct book *book, struct book_entry *entry)
{
    unsigned flags = 0;
    if (entry->acked && !(entry->flags & (BOOK_PUT_KEPT | BOOK_PUT_LEFT)))
        flags |= is_kept(book, entry) ? BOOK_PUT_KEPT : BOOK_PUT_LEFT;
    if (entry->cancel_acked && is_cancel_kept(book, entry))
        flags |= BOOK_CANCEL_KEPT;
    else
        entry->cancel_acked = 0;
    if (entry->done_acked && is_done_for_good(book, entry))
        flags |= BOOK_DONE_KEPT;
    else
        entry->done_acked = 0;
    entry->late_poll = 0;
    atomic_fetch_or(&entry->flags, (uint16_t)flags);
}

void book_settle(struct book *book)
{
    for (uint64_t i = 0; i < book->load.tasks; i++)
        settle(book, &book->entries[i]);
}

/* It came before, or had ended: may it come again? */
static void judge_again(struct book *book, struct book_order *order, struct book_entry *entry,
                        const struct tw_delivery *delivery)
{
    uint64_t key = durable_number(delivery->key) + 1, step = step_of(book, delivery->due_ms);
    bool is_done = is_done_for_good(book, entry);
    if (entry->incarnation == book->incarnation)
        fault(book, &book->seen.twice, key, "was handed out twice within one open");
    else if (is_done)
        fault(book, &book->seen.twice, key, "was handed out again after it was done for good");
    else
        book->seen.again++;
    if (entry->incarnation != book->incarnation && entry->sequence < order->last_again &&
        step == order->last_step && order->last_acked < entry->first_poll)
        fault(book, &book->seen.out_of_order, key, "came again in another order after recovery");
    order->last_again = entry->sequence;
    /* Without an acknowledgement it may have been put at any time, and one whose cancel was lost was away meanwhile. */
    order->last_acked = entry->acked && !entry->cancel_called ? entry->acked_poll : UINT32_MAX;
    order->last_step = step;
}

static void judge_cancelled(struct book *book, struct book_entry *entry, uint64_t key)
{
    if (entry->cancel_acked > book->opened_at || is_cancel_kept(book, entry))
        fault(book, &book->seen.twice, key, "was handed out though its cancel was acknowledged");
    else
        entry->flags |= BOOK_UNCANCELLED;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Did a poll that found nothing have to hand it out?  Not while its cancel was under way, which a crash may cut off; and not,
 * of an earlier open, when it had been handed out there. */
static bool was_passed_over(const struct book *book, const struct book_entry *entry,
                            uint64_t end_ms)
{
    bool was_held = entry->cancel_called ||
                    (entry->delivered && book->drained_incarnation != book->incarnation);
    return entry->acked && !(entry->flags & BOOK_PAST) && !was_held &&
           entry->acked_poll < book->drained_poll && end_ms <= book->drained_ms;
}

static void judge_time(struct book *book, struct book_order *order, const struct book_entry *entry,
                       const struct tw_delivery *delivery, const struct durable_message *message,
                       uint32_t poll, uint64_t now_ms)
{
    uint64_t key = durable_number(delivery->key) + 1;
    uint64_t from = message->due_ms > message->arrival_ms ? message->due_ms : message->arrival_ms;
    uint64_t step = step_of(book, max64(delivery->due_ms, book->floor_ms));
    uint64_t end = max64(book->base_ms + from, book->floor_ms) + book->resolution_ms - 1;
    if (now_ms < delivery->due_ms)
        fault(book, &book->seen.early, key, "was handed out before its due");
    if (was_passed_over(book, entry, end))
        fault(book, &book->seen.late, key,
              "was handed out late: an earlier poll found nothing more though it was due");
    /* One that was put with a due in the past is due at once: its place is that of its put. */
    if (entry->acked && message->due_ms > message->arrival_ms && !(entry->flags & BOOK_PAST) &&
        is_overtaken(order, entry->acked_poll, step))
        fault(book, &book->seen.out_of_order, key, "was handed out after one of a later step");
    order_note(order, poll, step);
}

void book_deliver(struct book *book, struct book_order *order, const struct tw_delivery *delivery,
                  uint32_t poll, uint64_t now_ms)
{
    uint64_t number = durable_number(delivery->key);
    struct book_entry *entry = number < book->load.tasks ? &book->entries[number] : NULL;
    if (!entry || !entry->handed || entry->flags & BOOK_REFUSED) {
        fault(book, &book->seen.changed, number + 1, "was handed out and never put");
        return;
    }
    struct durable_message message = durable_load_message(&book->load, number);
    if (delivery->due_ms != book->base_ms + message.due_ms || delivery->size != message.size)
        fault(book, &book->seen.changed, number + 1, "came with another due or size");
    else if (!durable_load_is_payload(&book->load, number, delivery->payload, delivery->size))
        fault(book, &book->seen.changed, number + 1, "came with another payload");
    if (entry->late_poll && poll > entry->late_poll && !entry->delivered)
        fault(book, &book->seen.twice, number + 1,
              "was first handed out after its cancel had come too late");
    if (entry->delivered) {
        judge_again(book, order, entry, delivery);
    } else {
        entry->sequence = ++book->sequence;
        entry->first_poll = poll;
    }
    if (entry->cancel_acked && !(entry->flags & BOOK_UNCANCELLED))
        judge_cancelled(book, entry, number + 1);
    judge_time(book, order, entry, delivery, &message, poll, now_ms);
    entry->done_called = entry->done_acked = 0;
    atomic_fetch_and(&entry->flags, (uint16_t)~BOOK_DONE_KEPT);
    entry->incarnation = (uint16_t)book->incarnation;
    entry->delivered = book_stamp(book);
}

/* ---- The judgement. --------------------------------------------------------------------------- */

static void judge_entry(const struct book *book, const struct book_entry *entry,
                        struct durable_ledger *ledger)
{
    if (!entry->handed)
        return;
    if (entry->flags & BOOK_REFUSED) {
        ledger->refused++;
        return;
    }
    if (!entry->acked) {
        ledger->unknown++;
        ledger->unknown_kept += entry->delivered != 0;
        return;
    }
    ledger->acknowledged++;
    ledger->twice += (entry->flags & BOOK_BOTH) != 0;
    bool was_cancelled = entry->cancel_acked && !(entry->flags & BOOK_UNCANCELLED);
    bool may_be_cancelled =
        entry->cancel_called && !entry->delivered && !(entry->flags & BOOK_TOO_LATE);
    if (was_cancelled || (may_be_cancelled && !entry->done_called))
        ledger->cancelled++;
    else if (entry->done_called)
        ledger->fired++;
    else if (is_kept(book, entry))
        ledger->lost++;
    else
        ledger->dropped++;
}

struct durable_ledger book_judge(const struct book *book)
{
    struct durable_ledger ledger = book->seen;
    for (uint64_t i = 0; i < book->load.tasks; i++)
        judge_entry(book, &book->entries[i], &ledger);
    return ledger;
}

bool book_is_broken(const struct durable_ledger *ledger)
{
    return ledger->lost || ledger->twice || ledger->early || ledger->late || ledger->out_of_order ||
           ledger->changed;
}

void book_explain(const struct book *book, const struct durable_ledger *ledger, char *out,
                  size_t size)
{
    struct text text = text_in(out, size);
    const struct {
        const char *name;
        uint64_t count;
    } defects[] = {{"lost", ledger->lost},
                   {"twice", ledger->twice},
                   {"early", ledger->early},
                   {"late", ledger->late},
                   {"out of order", ledger->out_of_order},
                   {"changed", ledger->changed}};
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++)
        if (defects[i].count > 0)
            text_add_item(&text, ", ", "%" PRIu64 " %s", defects[i].count, defects[i].name);
    if (text.used > 0 && book->first[0])
        text_add(&text, "; first: %s", book->first);
    for (uint64_t i = 0; ledger->lost > 0 && i < book->load.tasks && !book->first[0]; i++) {
        struct durable_ledger one = {0};
        judge_entry(book, &book->entries[i], &one);
        if (one.lost == 0)
            continue;
        text_add(&text, "; first lost: message %" PRIu64 "%s", i + 1,
                 book->entries[i].delivered ? ", handed out and not done when the process ended"
                                            : "");
        return;
    }
}

static uint32_t turned(uint32_t value, uint32_t stamp)
{
    return value > stamp ? 0 : value;
}

void book_turn_back(struct book *book, uint32_t stamp)
{
    for (uint64_t i = 0; i < book->load.tasks; i++) {
        struct book_entry *entry = &book->entries[i];
        entry->handed = turned(entry->handed, stamp);
        entry->acked = turned(entry->acked, stamp);
        entry->cancel_called = turned(entry->cancel_called, stamp);
        entry->cancel_acked = turned(entry->cancel_acked, stamp);
        entry->delivered = turned(entry->delivered, stamp);
        entry->done_called = turned(entry->done_called, stamp);
        entry->done_acked = turned(entry->done_acked, stamp);
        atomic_fetch_and(&entry->flags, BOOK_REFUSED | BOOK_TOO_LATE | BOOK_PUT_KEPT |
                                            BOOK_PUT_LEFT | BOOK_CANCEL_KEPT | BOOK_DONE_KEPT);
    }
    if (book->tended_at > stamp)
        book->tended = 0;
    while (book->promise_count && book->promises[book->promise_count - 1].at > stamp)
        book->promise_count--;
}

uint64_t book_handed(const struct book *book)
{
    uint64_t handed = 0;
    for (size_t i = 0; i < DURABLE_PRODUCERS_MAX; i++)
        handed += atomic_load(&book->next[i]);
    return handed;
}

void book_waiting(const struct book *book, uint64_t *least, uint64_t *most)
{
    uint64_t lost = 0; /* as the policy allows, and cancelled later: such a cancel may be counted */
    *least = *most = 0;
    for (uint64_t i = 0; i < book->load.tasks; i++) {
        const struct book_entry *entry = &book->entries[i];
        bool may_be_cancelled = entry->cancel_called && !(entry->flags & BOOK_TOO_LATE);
        bool is_cancelled = entry->cancel_acked && is_cancel_kept(book, entry);
        bool is_there = entry->acked && is_kept(book, entry);
        lost += entry->acked && !is_there && entry->cancel_called;
        *least += is_there && !may_be_cancelled && !entry->done_called;
        *most += entry->handed && !(entry->flags & BOOK_REFUSED) && !is_cancelled &&
                 !is_done_for_good(book, entry);
    }
    *least -= lost < *least ? lost : *least;
}
