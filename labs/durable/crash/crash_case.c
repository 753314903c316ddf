/* crash_case.c - makes the runs of a proof, judges them and notes what is broken. */
#include "labs/durable/crash/crash_case.h"

#include "labs/durable/drive/drive.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BUDGET_NS UINT64_C(120000000000)

const char *crash_part_name(enum crash_part part)
{
    static const char *const names[CRASH_PARTS] = {"even", "kills", "power", "errors", "flips"};
    return names[part];
}

struct durable_request crash_request(const struct crash_case *this, enum tw_sync_policy sync,
                                     uint64_t tasks, uint64_t seed)
{
    return (struct durable_request){.store = this->store,
                                    .sync = sync,
                                    .interval_ms = 5,
                                    .load = {.tasks = tasks,
                                             .seed = seed,
                                             .span_ms = UINT64_C(864000000),
                                             .arrivals_ms = UINT64_C(200000000),
                                             .payload_min = 0,
                                             .payload_max = 700,
                                             .cancel_permille = 100,
                                             .hot_permille = 200,
                                             .burst_permille = 200,
                                             .past_permille = 20},
                                    .producers = 2,
                                    .batch = 3,
                                    .budget_ns = BUDGET_NS,
                                    .settings = this->options->settings,
                                    .setting_count = this->options->setting_count};
}

void crash_broken(const struct crash_case *this, enum crash_part part, const char *rule,
                  const char *format, ...)
{
    struct crash_report *report = this->report;
    va_list arguments;
    if (report->is_broken)
        return;
    report->is_broken = true;
    report->part = part;
    snprintf(report->rule, sizeof report->rule, "%s", rule);
    va_start(arguments, format);
    vsnprintf(report->detail, sizeof report->detail, format, arguments);
    va_end(arguments);
}

const char *crash_rule(const struct durable_ledger *ledger)
{
    return ledger->lost           ? "lost"
           : ledger->twice        ? "twice"
           : ledger->early        ? "early"
           : ledger->changed      ? "changed"
           : ledger->out_of_order ? "out of order"
                                  : "late";
}

struct book *crash_copy(const struct book *book)
{
    struct book *copy = book_make(&book->load);
    if (copy)
        memcpy(copy, book, book_bytes(book));
    return copy;
}

void crash_prepare(struct book *book, uint32_t producers)
{
    uint64_t tasks = book->load.tasks;
    for (uint32_t i = 0; i < producers; i++)
        atomic_store(&book->next[i], tasks / producers + (i < tasks % producers));
    book_settle(book);
    book->load.cancel_permille = 0;
    book->seen = (struct durable_ledger){0};
    book->first[0] = book->failure[0] = '\0';
    book->figures.damaged = 0;
    book->drained_poll = 0;
    book->drained_ms = 0;
    book->disk_length = NULL;
    atomic_store(&book->clock, UINT32_MAX / 2);
}

bool crash_judge(const struct crash_case *this, enum crash_part part,
                 const struct durable_request *request, const char *store_directory,
                 struct book *book, bool allow_lost, const char *where)
{
    char reason[300] = "", defects[300];
    int ended = 0;
    struct durable_request again = *request;
    again.measures_recovery = again.insists = false;
    if (!durable_open_once(&again, store_directory, book, BUDGET_NS, &ended, reason, sizeof reason))
        crash_broken(this, part, "crashed", "%s; then: %s", where, reason);
    else if (ended != DRIVE_FINISHED)
        crash_broken(this, part, "failed", "%s; then: %s", where, book->failure);
    struct durable_ledger ledger = book_judge(book);
    if (allow_lost)
        ledger.lost = 0;
    book_explain(book, &ledger, defects, sizeof defects);
    if (!this->report->is_broken && book_is_broken(&ledger))
        crash_broken(this, part, crash_rule(&ledger), "%s: %s", where, defects);
    return !this->report->is_broken;
}
