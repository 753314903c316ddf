/* crash_case.h - what the parts of a proof share: requests, judging a book, and saying what is broken. */
#ifndef TWBENCH_CRASH_CASE_H
#define TWBENCH_CRASH_CASE_H

#include "labs/durable/crash/crash_data.h"

/* What every part is given. */
struct crash_case {
    const struct tw_store_backend *store;
    const struct crash_options *options;
    struct crash_report *report;
};

/* A small load under that policy, with payloads up to 700 bytes. */
struct durable_request crash_request(const struct crash_case *this, enum tw_sync_policy sync,
                                     uint64_t tasks, uint64_t seed);

/* Notes the first broken rule. */
void crash_broken(const struct crash_case *this, enum crash_part part, const char *rule,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Opens the store in store_directory with the book as it is, hands all out and judges.  False when something is broken, which
 * has been noted: `where` says what had been done to the store.  allow_lost: losses are for the caller to judge. */
bool crash_judge(const struct crash_case *this, enum crash_part part,
                 const struct durable_request *request, const char *store_directory,
                 struct book *book, bool allow_lost, const char *where);

/* A book as it is for an open after a crash: nothing more is put, nothing seen is remembered. */
void crash_prepare(struct book *book, uint32_t producers);

/* A copy of a book, shared with children; NULL without memory. */
struct book *crash_copy(const struct book *book);

/* The first defect of a ledger, as a rule's name: "lost", "twice", ... */
const char *crash_rule(const struct durable_ledger *ledger);

#endif
