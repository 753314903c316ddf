/* isolate_conform.c - runs conform in child processes, finds which rule broke, and shrinks the list. */
#include "harness/base/clock.h"
#include "harness/prove/findings.h"

#include "harness/prove/cases.h"
#include "harness/prove/child.h"
#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "harness/prove/shrink.h"
#include "harness/prove/watch.h"

/* Shrinking may replay so many lists, so that the same list comes out whatever the machine does meanwhile.  One that hangs
 * counts as HANG_REPLAYS. */
#define SHRINK_REPLAYS 4000u
#define HANG_REPLAYS   40u
/* For each, if they take long: processor time, the children's and ours.  By the wall clock four times as much. */
#define REPLAY_NS UINT64_C(10000000)
/* While it does, a call that should return soon has so much processor time, or may wait so long.
 * What is found is then confirmed with the real limits. */
#define SHRINK_CALL_SECONDS 0.1
#define SHRINK_IDLE_SECONDS 0.1

/* ---- What a child does ----------------------------------------------------------------------- */

struct search {
    const struct tw_backend *backend;
    const struct conform_options *options;
    const size_t *only; /* the case that is run; NULL: all */
};

/* All functions the same?  Known where the design is loaded. */
static bool is_same_code(const struct tw_backend *a, const struct tw_backend *b)
{
    return a->open == b->open && a->close == b->close && a->start == b->start &&
           a->stop == b->stop && a->advance == b->advance && a->next == b->next &&
           a->visit == b->visit && a->check == b->check && a->footprint == b->footprint &&
           a->describe == b->describe && a->work == b->work;
}

static void search_in_child(void *ctx, struct watch *watch)
{
    const struct search *search = ctx;
    struct conform_options options = *search->options;
    struct conform_report report;
    if (options.twin && is_same_code(search->backend, options.twin))
        return;
    options.watch = watch;
    if (options.counted && is_same_code(search->backend, options.counted))
        options.counted = NULL;
    if (search->only)
        conform_case(search->backend, &options, *search->only, &report);
    else
        conform_run(search->backend, &options, &report);
    watch->report = report;
}

struct replay {
    struct child *child;
    enum judge_look look;
    uint32_t replays, left;           /* that shrinking may take, and how many are left */
    uint64_t cpu_end_ns, wall_end_ns; /* no child starts after these, nor goes on after the first */
    const struct operations *operations;
};

static void replay_in_child(void *ctx, struct watch *watch)
{
    const struct replay *replay = ctx;
    struct conform_report report = {.watch = watch};
    size_t steps;
    judge_replay(replay->child->backend, replay->operations, replay->look, &report, &steps);
    watch->report = report;
    watch->step = steps - (steps > 0);
}

static void replay_allow(struct replay *replay)
{
    replay->left = replay->replays > 0 ? replay->replays : SHRINK_REPLAYS;
    double all_ns = 1e9 * replay->child->all_seconds;
    uint64_t room_ns = REPLAY_NS * replay->left;
    replay->cpu_end_ns = clock_work_ns() + (all_ns < (double)room_ns ? (uint64_t)all_ns : room_ns);
    replay->wall_end_ns = clock_read_ns(CLOCK_MONOTONIC) + 4 * REPLAY_NS * replay->left;
}

/* A shrink_replay_fn. */
static bool replay_list(void *ctx, const struct operations *operations,
                        struct conform_report *report, size_t *steps)
{
    struct replay *replay = ctx;
    uint64_t cpu_ns = clock_work_ns();
    double all_seconds = replay->child->all_seconds;
    replay->operations = operations;
    if (replay->left == 0 || cpu_ns >= replay->cpu_end_ns ||
        clock_read_ns(CLOCK_MONOTONIC) > replay->wall_end_ns)
        return false;
    replay->child->all_seconds = (double)(replay->cpu_end_ns - cpu_ns) / 1e9;
    bool ran = child_run(replay->child, replay_in_child, replay, report);
    replay->child->all_seconds = all_seconds;
    if (!ran || replay->child->took_too_long)
        return false;
    bool hangs = report->rule && strcmp(report->rule, RULE_RETURN) == 0;
    replay->left -= !hangs ? 1 : replay->left < HANG_REPLAYS ? replay->left : HANG_REPLAYS;
    size_t step = replay->child->watch->step;
    *steps = step < operations->count ? step + 1 : operations->count;
    return true;
}

/* ---- Which rule, and the shortest list ------------------------------------------------------- */

/* Rules about what can be seen between two expiries.  And a lost timer may be only a late one. */
static bool asks_what_fires(const char *rule)
{
    static const char *const rules[] = {RULE_VISIT, RULE_NEXT, RULE_CHECK, RULE_LOST};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rule, rules[i]) == 0)
            return true;
    return false;
}

static bool is_about_firing(const char *rule)
{
    static const char *const rules[] = {RULE_START, RULE_STOP, RULE_IDLE,  RULE_EARLY, RULE_LATE,
                                        RULE_LOST,  RULE_TICK, RULE_ORDER, RULE_FIFO};
    for (size_t i = 0; rule && i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rule, rules[i]) == 0)
            return true;
    return false;
}

/* The rule that what fires breaks, if there is one, instead of what was seen before it did. */
static void prefer_firing(struct replay *replay, const struct operations *operations,
                          struct conform_report *report)
{
    struct conform_report firing = {0};
    size_t steps;
    if (!asks_what_fires(report->rule))
        return;
    enum judge_look look = replay->look;
    replay->look = JUDGE_FIRING;
    if (replay_list(replay, operations, &firing, &steps) && is_about_firing(firing.rule)) {
        report->rule = firing.rule;
        strcpy(report->detail, firing.detail);
    } else {
        replay->look = look;
    }
}

/* Does the list show the rule, all by itself?  Then *steps of it do. */
static bool list_shows(struct replay *replay, const struct operations *operations,
                       const struct conform_report *report, size_t *steps)
{
    struct conform_report again = {0};
    return replay_list(replay, operations, &again, steps) && again.rule &&
           strcmp(again.rule, report->rule) == 0;
}

static void shrink_isolated(struct replay *replay, struct operations *operations, size_t steps,
                            struct conform_report *report)
{
    struct conform_report shorter = *report;
    struct operations whole;
    struct child limits = *replay->child;
    operations_init(&whole, operations->capacity);
    operations_copy(&whole, operations, NULL);
    replay->child->call_seconds = SHRINK_CALL_SECONDS;
    replay->child->idle_seconds = SHRINK_IDLE_SECONDS;
    shrink(operations, replay_list, replay, steps, &shorter);
    replay->child->call_seconds = limits.call_seconds;
    replay->child->idle_seconds = limits.idle_seconds;
    replay_allow(replay); /* for this last one */
    struct conform_report last = {0};
    if (replay_list(replay, operations, &last, &steps) && last.rule &&
        strcmp(last.rule, report->rule) == 0) {
        strcpy(report->detail, last.detail);
        strcpy(report->operations, shorter.operations);
        report->operation_count = shorter.operation_count;
    } else {
        operations_print(&whole, report->operations, sizeof report->operations);
        report->operation_count = whole.count;
    }
    operations_clear(&whole);
}

/* `story` is of the written case in which the rule was broken, or NULL. */
static void explain(struct replay *replay, struct operations *operations, const char *story,
                    struct conform_report *report)
{
    if (rule_is_machine(report->rule))
        return;
    size_t steps;
    replay_allow(replay);
    report->operations[0] = '\0';
    prefer_firing(replay, operations, report);
    if (list_shows(replay, operations, report, &steps)) {
        shrink_isolated(replay, operations, steps, report);
        return;
    }
    size_t used = strlen(report->detail);
    snprintf(report->detail + used, sizeof report->detail - used,
             " (no list of operations shows it by itself; it was found in %s%s%s)",
             story ? "the case '" : "a random stream", story ? story : "", story ? "'" : "");
}

/* ---- The door -------------------------------------------------------------------------------- */

/* The case that asks after each call what it has changed in the process says which function it was, if it sees it: true. */
static bool name_function(struct child *child, struct search *search, struct conform_report *report)
{
    struct conform_report named;
    size_t index = 0;
    while (strcmp(conform_case_name(index), CASE_PROCESS) != 0)
        index++;
    search->only = &index;
    bool sees = child_run(child, search_in_child, search, &named) && named.rule &&
                strcmp(named.rule, report->rule) == 0;
    search->only = NULL;
    if (sees)
        strcpy(report->detail, named.detail);
    return sees;
}

/* A rule about the process is broken, in a report that is then filled anew when it was somebody else: who sets the niceness
 * of all processes does not come again in the same place. */
static bool is_confirmed(struct child *child, struct search *search, struct conform_report *report)
{
    if (name_function(child, search, report) || strcmp(report->rule, RULE_PROCESS) != 0)
        return true;
    struct conform_report again;
    if (!child_run(child, search_in_child, search, &again))
        return true;
    bool is_again = again.rule && strcmp(again.rule, RULE_PROCESS) == 0;
    *report = again;
    return is_again;
}

static int search_side(struct child *child, const struct conform_options *options,
                       struct conform_report *report);

/* The written cases once more, so that what writes in front of its blocks is seen. */
static int search_front(struct child *child, const struct conform_options *options,
                        struct conform_report *report)
{
    struct conform_options cases = *options;
    cases.cases_only = true;
    cases.vary = false;
    cases.many_max = cases.life_starts = 0;
    child->side = FENCE_FRONT;
    return search_side(child, &cases, report);
}

/* Without fences, what writes in front of its blocks breaks any rule: so the front is looked at before that rule is told. */
static int search_side(struct child *child, const struct conform_options *options,
                       struct conform_report *report)
{
    struct search search = {.backend = child->backend, .options = options};
    if (!child_run(child, search_in_child, &search, report))
        return -1;
    if (!report->rule)
        return 0;
    if ((strcmp(report->rule, RULE_PROCESS) == 0 || strcmp(report->rule, RULE_STATE) == 0) &&
        is_confirmed(child, &search, report))
        return 1;
    if (!report->rule)
        return 0;
    struct operations operations;
    struct conform_report front;
    const char *story = child->watch->story;
    if (child->side == FENCE_BACK && story && strcmp(story, CASE_THREADS) == 0 &&
        search_front(child, options, &front) == 1) {
        *report = front;
        return 1;
    }
    struct replay replay = {.child = child,
                            .look = (enum judge_look)child->watch->look,
                            .replays = options->shrink_replays};
    uint64_t operations_run = report->operations_run;
    operations_init(&operations, 1);
    watch_read_list(child->watch, &operations);
    explain(&replay, &operations, story, report);
    report->operations_run = operations_run;
    operations_clear(&operations);
    return 1;
}

/* ---- Jumps of a design that walks ------------------------------------------------------------ */

/* Processor time of all such jumps together: a design that walks them is ended then. */
#define JUMPS_SECONDS 1.0

static void build_jumps(struct operations *list)
{
    for (unsigned bits = 63; bits >= 32; bits -= bits > 41 ? 11 : 1) {
        uint64_t ticks = UINT64_C(1) << bits;
        operations_start(list, 0, '+', 9);
        operations_start_many(list, 1, 4, '+', ticks < list->walk ? ticks : list->walk, -2);
        operations_start(list, 6, '+', 300);
        operations_stop(list, 6);
        operations_on_start(list, 0, 5, '+', 7, 2);
        operations_on_start(list, 5, 0, '+', 90, 1);
        operations_advance(list, '+', ticks + 5);
        operations_start(list, 5, '+', 3);
        operations_tick(list, 4);
    }
}

/* The cases leave out jumps that the design would walk.  One that is wrong may not walk them. */
static int search_jumps(struct child *child, const struct conform_options *options,
                        struct conform_report *report)
{
    struct operations list;
    struct child limits = *child;
    struct conform_report found = {0};
    struct replay replay = {.child = child, .look = JUDGE_NOW_AND_THEN, .operations = &list};
    double patience = options->patience > 0 ? options->patience : 1;
    operations_init(&list, 16);
    for (size_t i = 0; i < options->setting_count; i++)
        list.settings[i] = options->settings[i];
    list.setting_count = options->setting_count;
    list.walk = 4000;
    build_jumps(&list);
    list.walk = 0;
    child->call_seconds = child->all_seconds = JUMPS_SECONDS * patience;
    bool ran = child_run(child, replay_in_child, &replay, &found);
    bool is_broken = ran && found.rule && !child->took_too_long;
    *child = limits;
    if (is_broken) {
        replay.replays = options->shrink_replays;
        explain(&replay, &list, "jumps beyond those that it walks", &found);
        found.operations_run += report->operations_run;
        coverage_add(&found.coverage, &report->coverage);
        *report = found;
    }
    operations_clear(&list);
    return !ran ? -1 : is_broken;
}

int isolate_conform(const struct tw_backend *backend, const struct conform_options *options,
                    struct conform_report *report)
{
    struct child child;
    *report = (struct conform_report){0};
    if (!child_open(&child, backend)) {
        snprintf(report->detail, sizeof report->detail, "no shared memory for a child");
        return -1;
    }
    child.all_seconds = options->seconds > 0 ? options->seconds : child.all_seconds;
    int status = search_side(&child, options, report);
    if (status == 0 && guard_is_for(backend) && !options->streams_only) {
        struct conform_report front;
        status = search_front(&child, options, &front);
        coverage_add(&front.coverage, &report->coverage);
        front.operations_run += report->operations_run;
        *report = front;
    }
    if (status == 0 && options->with_huge &&
        !(backend->traits.flags & (TW_TICKLESS | TW_REAL_CLOCK | TW_KEEPS_NOTHING)))
        status = search_jumps(&child, options, report);
    if (status == 0 && options->with_huge)
        status = huge_run(&child, options, report);
    child_close(&child);
    return status;
}

int isolate_conform_text(const struct tw_backend *backend, const struct conform_options *options,
                         const char *text, struct conform_report *report)
{
    struct operations operations;
    struct child child;
    *report = (struct conform_report){0};
    operations_init(&operations, 1);
    size_t line = operations_parse(text, backend->params, &operations);
    if (line != 0) {
        snprintf(report->detail, sizeof report->detail, "line %zu: expected 'start 0 +3'..", line);
        operations_clear(&operations);
        return -1;
    }
    bool ran = false;
    if (child_open(&child, backend)) {
        child.all_seconds = options->seconds > 0 ? options->seconds : child.all_seconds;
        struct replay replay = {.child = &child,
                                .look = JUDGE_ALWAYS,
                                .replays = options->shrink_replays,
                                .operations = &operations};
        ran = child_run(&child, replay_in_child, &replay, report);
        if (ran && !report->rule && guard_is_for(backend)) {
            child.side = FENCE_FRONT;
            ran = child_run(&child, replay_in_child, &replay, report);
        }
        if (ran && report->rule)
            explain(&replay, &operations, NULL, report);
        child_close(&child);
    }
    operations_clear(&operations);
    return !ran ? -1 : report->rule != NULL;
}
