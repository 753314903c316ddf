/* ledger.c - adds books up and judges the sum. */
#include "labs/live/clock/performance.h"

void ledger_add(struct clock_ledger *into, const struct clock_ledger *from)
{
#define ADD(name) into->name += from->name;
    CLOCK_LEDGER(ADD)
#undef ADD
}

void ledger_add_times(struct clock_times *into, const struct clock_times *from)
{
#define MERGE(name) histogram_merge(&into->name, &from->name);
    CLOCK_TIMES(MERGE)
#undef MERGE
}

void ledger_judge(const struct account *accounts, size_t count, struct clock_report *report)
{
    const struct clock_ledger *ledger = &report->ledger;
    uint64_t ended = ledger->ran + ledger->stopped + ledger->returned;
    size_t wrong = 0, first = 0;
    for (size_t i = count; i-- > 0;)
        if (atomic_load(&accounts[i].balance) != 0) {
            wrong++;
            first = i;
        }
    if (ledger->accepted == ended && ledger->early == 0 && wrong == 0)
        return;
    report->end = CLOCK_MISMATCH;
    if (ledger->accepted != ended)
        snprintf(report->reason, sizeof report->reason,
                 "accepted %" PRIu64 " timers, but %" PRIu64 " ran, %" PRIu64
                 " were stopped and %" PRIu64 " returned: %" PRIu64 " %s",
                 ledger->accepted, ledger->ran, ledger->stopped, ledger->returned,
                 ledger->accepted > ended ? ledger->accepted - ended : ended - ledger->accepted,
                 ledger->accepted > ended ? "lost" : "too many");
    else if (wrong > 0)
        snprintf(report->reason, sizeof report->reason,
                 "timers of %zu ids, first of id %zu, ended twice or never, though the sums agree",
                 wrong, first);
    else
        snprintf(report->reason, sizeof report->reason, "%" PRIu64 " timers fired early",
                 ledger->early);
}
