/* many.c - three stories of many timers, each with four kinds of deadlines, at growing sizes. */
#include "harness/conform/many.h"
#include "harness/conform/judge.h"
#include "harness/conform/watch.h"

#include <time.h>

#define SIZE_FIRST   1024u
#define SIZE_GROWTH  4u
#define SIZE_DEFAULT 4096u
/* The first story with the first order goes four times as far as the others: it takes least time. */
#define HELD_LARGER 4u
/* Processor time that one list may be expected to take. */
#define LIST_SECONDS 1.0
/* No list is begun when all of them together have taken this much. */
#define MANY_SECONDS 4.0

/* How the deadlines of a list lie: the first, and from there on. */
struct order {
    uint64_t first_ticks, first_each; /* the first is first_ticks + first_each * timers away */
    int64_t each;
};

static const struct order orders[] = {{1000, 0, 1}, {1000, 1, -1}, {1000, 0, 0}, {5, 0, 977}};
#define ORDERS (sizeof orders / sizeof orders[0])

static void start_all(struct operations *list, const struct order *order, uint32_t count)
{
    operations_start_many(list, 0, count, '+', order->first_ticks + order->first_each * count,
                          order->each);
}

static void story_held(struct operations *list, const struct order *order, uint32_t count)
{
    start_all(list, order, count);
    operations_tick(list, 2);
    operations_inspect(list);
    operations_stop_many(list, 0, count);
    operations_tick(list, 2);
}

static void story_restarted(struct operations *list, const struct order *order, uint32_t count)
{
    start_all(list, order, count);
    operations_tick(list, 3);
    start_all(list, order, count);
    operations_inspect(list);
    operations_stop_many(list, count / 4, count / 2);
    operations_tick(list, 2);
}

static void story_fired(struct operations *list, const struct order *order, uint32_t count)
{
    start_all(list, order, count);
    operations_stop_many(list, 0, count / 16);
    for (int i = 0; i < 4; i++)
        operations_advance(list, '+', 1000 + count / 4);
    operations_inspect(list);
    operations_advance(list, '+', UINT64_C(1) << 32);
}

static void (*const stories[])(struct operations *list, const struct order *order,
                               uint32_t count) = {story_held, story_restarted, story_fired};
#define STORIES (sizeof stories / sizeof stories[0])

/* What a story with one order has taken at the last two sizes. */
struct pace {
    double seconds, seconds_before;
    bool is_over;
};

/* It grows as it grew last, and never less than its size. */
static bool pace_allows_next(const struct pace *pace)
{
    double growth = pace->seconds_before > 0 ? pace->seconds / pace->seconds_before : SIZE_GROWTH;
    growth = growth < SIZE_GROWTH ? SIZE_GROWTH : growth;
    return pace->seconds * growth < LIST_SECONDS;
}

/* So many may be more than the machine has files, signals or memory for: which is no mistake, where
 * the design says so. */
static bool is_refused(struct case_plan *plan, uint32_t count, struct watch *watch)
{
    struct tw_config config = {.capacity = count,
                               .settings = plan->operations->settings,
                               .setting_count = plan->operations->setting_count};
    struct tw_timers *timers;
    struct tw_error error;
    plan->operations->count = 0;
    plan->operations->capacity = count;
    watch_list(watch, plan->operations);
    watch_enter(watch, "open");
    int status = plan->backend->open(&timers, &config, &error);
    watch_enter(watch, "close");
    if (status == TW_OK)
        plan->backend->close(timers);
    watch_leave(watch, NULL);
    return status == TW_REFUSED_FULL || status == TW_REFUSED_MEMORY;
}

static void run_size(struct case_plan *plan, uint32_t count, size_t story, size_t order,
                     struct pace *pace, struct conform_report *report)
{
    plan->operations->count = 0;
    plan->operations->capacity = count;
    stories[story](plan->operations, &orders[order], count);
    clock_t begin = clock();
    judge_replay(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report, NULL);
    pace->seconds_before = pace->seconds;
    pace->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    pace->is_over = !pace_allows_next(pace);
}

void run_many(struct case_plan *plan, struct conform_report *report)
{
    struct pace paces[STORIES * ORDERS] = {{0}};
    uint32_t most = plan->many_max > 0 ? plan->many_max : SIZE_DEFAULT;
    double seconds = 0;
    for (uint32_t count = SIZE_FIRST; count <= most; count *= SIZE_GROWTH) {
        if (count > SIZE_FIRST && is_refused(plan, count, report->watch))
            return;
        size_t kinds = count > most / HELD_LARGER ? 1 : STORIES * ORDERS;
        for (size_t i = 0; i < kinds && !report->rule && seconds < MANY_SECONDS; i++)
            if (!paces[i].is_over) {
                run_size(plan, count, i / ORDERS, i % ORDERS, &paces[i], report);
                seconds += paces[i].seconds;
            }
    }
}
