/* short_memory.c - refuses the k-th allocation, for each k, and checks what open and start do then. */
#include "harness/prove/cases.h"

#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "harness/prove/settings.h"
#include "harness/prove/watch.h"

/* Open may have so many allocations that are tried each for itself. */
#define OPEN_MAX 64u
/* Timers of the story in which start allocates: enough that tables are made larger. */
#define CROWD 600u
/* What a design may hold whose parameter is at its upper limit. */
#define LIMITED_BYTES (UINT64_C(64) << 20)
/* And so many timers: more than a cap of 16 bits lets run.  If eight times a list would take longer, the others go without. */
#define LIMITED_CROWD   70000u
#define LIMITED_SECONDS 0.8
static const uint64_t counts[] = {1, UINT64_MAX}; /* of allocations that are refused in a row */

static void judge_short_open(const struct lent *lent, int status, uint64_t k,
                             struct conform_report *report)
{
    if (status == TW_OK)
        return; /* it can do without */
    if (status != TW_REFUSED_MEMORY)
        report_broken(report, RULE_SHORT,
                      "open answered %d when its allocation %" PRIu64 " was refused; expected %d",
                      status, k, TW_REFUSED_MEMORY);
    if (lent->timers)
        report_broken(report, RULE_SHORT,
                      "open set *out when its allocation %" PRIu64 " was refused", k);
    if (lent->error.text[0] == '\0')
        report_broken(report, RULE_SHORT,
                      "open gave no reason when its allocation %" PRIu64 " was refused", k);
}

/* False when there is no k-th allocation. */
static bool try_short_open(struct case_plan *plan, uint64_t k, uint64_t count,
                           struct conform_report *report)
{
    struct lent_page page;
    struct watch *watch = report->watch;
    if (!lent_make(&page, plan->operations, watch))
        return false;
    uint64_t refused = guard_counts().refused;
    watch_enter(watch, "open");
    guard_make_short(k, count);
    int status = plan->backend->open(&page.lent->timers, &page.lent->config, &page.lent->error);
    guard_make_short(0, 0);
    judge_short_open(page.lent, status, k, report);
    watch_enter(watch, "close");
    if (status == TW_OK)
        plan->backend->close(page.lent->timers);
    watch_leave(watch, NULL);
    guard_inspect(true, report);
    lent_end(&page);
    return guard_counts().refused != refused;
}

void run_short_open(struct case_plan *plan, struct conform_report *report)
{
    struct held held; /* libraries may end the process when they get no memory */
    watch_list(report->watch, plan->operations);
    for (size_t i = 0; guard_held(&held) && i < 2; i++)
        for (uint64_t k = 1; k <= OPEN_MAX && !report->rule; k++)
            if (!try_short_open(plan, k, counts[i], report))
                break;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Timers come and go, some from callbacks. */
static void build_story(struct operations *list)
{
    list->capacity = CROWD;
    for (tw_id id = 0; id < CROWD; id++) {
        operations_start(list, id, '+', 3 + id * 7 % 90);
        if (id % 50 == 49)
            operations_inspect(list);
        if (id % 3 == 0)
            operations_stop(list, id / 2);
        if (id % 5 == 0)
            operations_on_start(list, id, CROWD - 1 - id, '+', 20 + id, 1);
        if (id % 64 == 63)
            operations_tick(list, 2);
    }
    operations_advance(list, '+', 40);
    operations_inspect(list);
    operations_start_many(list, 0, CROWD, '+', 5, 3);
    operations_stop_many(list, 0, CROWD);
}

/* What comes after the shortage: all timers are started, and fire. */
static void build_recovery(struct operations *list)
{
    operations_start_many(list, 0, CROWD, '+', 5, 1);
    operations_inspect(list);
    operations_advance(list, '+', 1000);
    operations_advance(list, '+', 1000);
}

/* False when there is no k-th allocation after open. */
static bool try_short_start(struct case_plan *plan, size_t story, uint64_t k, uint64_t count,
                            struct conform_report *report)
{
    uint64_t refused = guard_counts().refused;
    struct judge *judge = judge_open(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report);
    if (!judge)
        return false;
    guard_make_short(k, count);
    judge_play(judge, plan->operations, 0, story);
    guard_make_short(0, 0);
    judge_play(judge, plan->operations, story, plan->operations->count);
    judge_close(judge);
    return guard_counts().refused != refused;
}

void run_short_start(struct case_plan *plan, struct conform_report *report)
{
    struct held held;
    if (!guard_held(&held) || !(plan->backend->traits.flags & TW_ALLOCATES))
        return;
    build_story(plan->operations);
    size_t story = plan->operations->count;
    build_recovery(plan->operations);
    for (size_t i = 0; i < 4; i++) {
        plan->operations->batch = i < 2 ? NULL : guard_part(plan->backend, "batch");
        for (uint64_t k = 1; !report->rule && (i < 2 || plan->operations->batch); k += 1 + k / 4)
            if (!try_short_start(plan, story, k, counts[i % 2], report))
                break;
    }
}

/* ---- Upper limits ---------------------------------------------------------------------------- */

/* False when the list takes too long with so many. */
static bool try_large(struct case_plan *plan, const struct tw_param *param, uint64_t value,
                      const struct tw_param *flag, struct conform_report *report)
{
    struct operations *list = plan->operations;
    list->setting_count = 0;
    if (flag) /* first, though it may come last in the table */
        list->settings[list->setting_count++] = (struct tw_setting){flag->name, 1, {flag->max}};
    list->settings[list->setting_count++] = (struct tw_setting){param->name, 1, {value}};
    const struct tw_config config = {list->capacity, 0, 0, list->settings, list->setting_count};
    struct pace pace = {0};
    watch_list(report->watch, list);
    int status = settings_try(plan->backend, &config, report->watch, report);
    bool is_list = param->values_max > 1;
    if (status == TW_OK)
        pace_judge(&pace, plan, LIMITED_SECONDS * plan->patience, report);
    else if (status != TW_REFUSED_MEMORY && !(is_list && status == TW_BAD_SETTING))
        report_broken(report, RULE_OPEN, "%s=%" PRIu64 "; open answered %d; expected %d or %d",
                      param->name, value, status, TW_OK, TW_REFUSED_MEMORY);
    return !pace.is_over;
}

void run_upper_limits(struct case_plan *plan, struct conform_report *report)
{
    struct operations *list = plan->operations;
    struct held held;
    if (!guard_held(&held))
        return;
    guard_limit(held.bytes + LIMITED_BYTES);
    for (tw_id id = 0; id < list->capacity; id++) {
        operations_start(list, id, '+', 1 + id * id);
        operations_on_start(list, id, id, '+', 1 + id * 50, 1);
    }
    operations_tick(list, 30);
    operations_advance(list, '+', 1000);
    for (uint64_t turn = 1 << 12; turn <= 1 << 20; turn *= 2) {
        operations_start(list, 0, '+', turn);
        operations_start(list, 1, '+', turn + 1);
        operations_advance(list, '+', turn);
        operations_tick(list, 1);
        operations_advance(list, '@', 4 * turn - 40); /* the last word of a bitmap of slots */
        operations_start(list, 0, '+', turn / 4 * 3); /* a search for it goes round */
        operations_next(list);
        operations_advance(list, '@', 5 * turn - 40);
        operations_start(list, 2, '+', 39);
        operations_advance(list, '+', 30);
        operations_start_many(list, 3, 3, '+', 5, 4);
        operations_tick(list, 15);
    }
    size_t without = list->count;
    list->capacity = LIMITED_CROWD;
    operations_start_many(list, 0, LIMITED_CROWD, '+', 9, 0);
    operations_advance(list, '+', 9);
    for (const struct tw_param *param = plan->backend->params; param->name; param++) {
        const uint64_t values[] = {1 << 12, 1 << 14, 1 << 16,   1 << 17,
                                   1 << 18, 1 << 19, param->max};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            for (const struct tw_param *flag = plan->backend->params; !report->rule; flag++) {
                bool is_flag = flag->name && flag != param && flag->max - flag->min == 1;
                bool fits = values[i] >= param->min && values[i] <= param->max;
                if (fits && (is_flag || !flag->name) &&
                    !try_large(plan, param, values[i], is_flag ? flag : NULL, report))
                    list->count = without;
                if (!flag->name)
                    break;
            }
    }
    guard_limit(UINT64_C(2) << 30);
}
