/* huge_capacity.c - runs a few timers in instances for 10^5 to 10^9, and compares what open allocates. */
#include "harness/prove/child.h"
#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "harness/prove/watch.h"

/* 2^29 + 1 times any multiple of 8 bytes is hardly more than nothing in 32 bits. */
#define AROUND(bits) (UINT32_C(1) << (bits)) - 1, UINT32_C(1) << (bits), (UINT32_C(1) << (bits)) + 1
static const uint32_t capacities[] = {
    AROUND(17), AROUND(18), AROUND(19),     AROUND(20),     AROUND(21),     AROUND(22), 100000,
    200000,     250000,     300000,         500000,         1000000,        1000001,    2000000,
    5000000,    10000000,   1 + (1u << 24), 1 + (1u << 29), TW_CAPACITY_MAX};
/* Footprints are compared with that of an instance of this capacity. */
#define SMALL_CAPACITY (UINT32_C(1) << 16)

#define ADDRESS_BYTES  (UINT64_C(256) << 30)
#define RESIDENT_BYTES (UINT64_C(1) << 30)
#define CALL_SECONDS   2.0
#define ALL_SECONDS    10.0
/* In which open may write to all of its memory but the last block. */
#define SIZES_SECONDS 6.0

/* Visit may look at so many ids. */
#define VISIT_CAPACITY (1 + (1u << 24))

#define TIMERS_MAX  64u
#define DELAYS      61u
#define AGAIN_TICKS 3u

struct huge {
    const struct tw_backend *backend;
    const struct conform_options *options;
    uint32_t capacity;
    struct watch *watch;
    struct conform_report *report;
    struct tw_timers *timers;
    size_t count;
    tw_id ids[TIMERS_MAX];
    tw_tick dues[TIMERS_MAX];    /* TW_NEVER: idle */
    tw_tick latests[TIMERS_MAX]; /* on which it may fire */
    bool again[TIMERS_MAX];      /* restarts itself when it fires */
    size_t shown;                /* by visit */
    size_t last_taken; /* of open_for_sizes: no allocation behind it is of interest; 0: any */
};

/* ---- In the child ---------------------------------------------------------------------------- */

static void add_timer(struct huge *huge, uint64_t id)
{
    for (size_t i = 0; i < huge->count; i++)
        if (huge->ids[i] == id)
            return;
    if (id < huge->capacity && huge->count < TIMERS_MAX) {
        huge->again[huge->count] = huge->count % 4 == 1;
        huge->dues[huge->count] = TW_NEVER;
        huge->ids[huge->count++] = (tw_id)id;
    }
}

/* The last, the first, and those about every power of two. */
static void choose_timers(struct huge *huge)
{
    for (uint32_t back = 1; back <= 4; back++)
        add_timer(huge, huge->capacity - back);
    add_timer(huge, huge->capacity / 2);
    add_timer(huge, 0);
    for (unsigned bits = 29; bits >= 12; bits--)
        for (uint64_t around = 0; around < 3; around++)
            add_timer(huge, (UINT64_C(1) << bits) + around - 1);
}

/* A start for so many ticks after now; of none: a stop. */
static void call_timer(struct huge *huge, size_t index, tw_tick delay, tw_tick now)
{
    const struct tw_traits *traits = &huge->backend->traits;
    bool starts = delay > 0, runs = huge->dues[index] != TW_NEVER;
    int expected = starts ? runs ? TW_REARMED : TW_OK : runs ? TW_OK : TW_IDLE;
    huge->dues[index] = starts ? now + delay : TW_NEVER;
    huge->latests[index] =
        now + delay + traits->late_ticks + (traits->late_shift ? delay >> traits->late_shift : 0);
    const char *before = watch_enter(huge->watch, starts ? "start" : "stop");
    int answer = starts ? huge->backend->start(huge->timers, huge->ids[index], now + delay)
                        : huge->backend->stop(huge->timers, huge->ids[index]);
    watch_leave(huge->watch, before);
    huge->report->coverage.starts_accepted += starts && answer >= 0;
    huge->report->operations_run++;
    if (answer != expected)
        report_broken(huge->report, starts ? RULE_START : RULE_STOP,
                      "it answered %d for %" PRIu32 ", expected %d, in an instance for %" PRIu32
                      " timers",
                      answer, huge->ids[index], expected, huge->capacity);
}

static void judge_next_of(struct huge *huge, tw_tick now)
{
    tw_tick latest = TW_NEVER;
    for (size_t i = 0; i < huge->count; i++)
        if (huge->dues[i] != TW_NEVER && huge->latests[i] < latest)
            latest = huge->latests[i];
    watch_enter(huge->watch, "next");
    tw_tick next = huge->backend->next(huge->timers);
    watch_leave(huge->watch, NULL);
    if (next <= now || next > latest || (latest == TW_NEVER && next != TW_NEVER))
        report_broken(huge->report, RULE_NEXT,
                      "next answered %" PRIu64 " at tick %" PRIu64 ", the latest is %" PRIu64
                      ", in an instance for %" PRIu32 " timers",
                      next, now, latest, huge->capacity);
}

static size_t index_of(const struct huge *huge, tw_id id)
{
    size_t i = 0;
    while (i < huge->count && huge->ids[i] != id)
        i++;
    return i;
}

static void judge_shown(void *ctx, const struct tw_view *view)
{
    struct huge *huge = ctx;
    size_t i = index_of(huge, view->id);
    bool runs = i < huge->count && huge->dues[i] != TW_NEVER;
    if (!runs || view->deadline < huge->dues[i] || view->deadline > huge->latests[i])
        report_broken(huge->report, RULE_VISIT,
                      "visit shows %" PRIu32 " with tick %" PRIu64 ", in an instance for %" PRIu32
                      " timers",
                      view->id, view->deadline, huge->capacity);
    huge->shown++;
}

static void visit_timers(struct huge *huge)
{
    for (size_t i = 0; i < huge->count; i++)
        huge->shown -= huge->dues[i] != TW_NEVER;
    watch_enter(huge->watch, "visit");
    huge->backend->visit(huge->timers, judge_shown, huge);
    watch_leave(huge->watch, NULL);
    if (huge->shown != 0)
        report_broken(huge->report, RULE_VISIT, "%zu timers more than run, for %" PRIu32 " timers",
                      huge->shown, huge->capacity);
}

static void judge_fired(struct huge *huge, tw_id id, tw_tick now)
{
    size_t i = index_of(huge, id);
    if (i == huge->count || huge->dues[i] == TW_NEVER) {
        report_broken(huge->report, RULE_IDLE,
                      "%" PRIu32 " fired at tick %" PRIu64
                      " and is idle, in an instance for %" PRIu32 " timers",
                      id, now, huge->capacity);
        return;
    }
    if (now < huge->dues[i] || now > huge->latests[i])
        report_broken(huge->report, now < huge->dues[i] ? RULE_EARLY : RULE_LATE,
                      "%" PRIu32 " fired at tick %" PRIu64 ", due %" PRIu64 ", latest %" PRIu64
                      ", in an instance for %" PRIu32 " timers",
                      id, now, huge->dues[i], huge->latests[i], huge->capacity);
    huge->dues[i] = TW_NEVER;
    if (huge->again[i]) {
        huge->again[i] = false;
        call_timer(huge, i, AGAIN_TICKS, now);
        call_timer(huge, (i + 2) % huge->count, AGAIN_TICKS, now);
        call_timer(huge, (i + 3) % huge->count, 0, now);
    }
}

static void timer_fired(void *ctx, tw_id id, tw_tick now)
{
    struct huge *huge = ctx;
    const char *before = watch_enter(huge->watch, NULL);
    judge_fired(huge, id, now);
    watch_leave(huge->watch, before);
}

static void start_and_stop(struct huge *huge, tw_tick span)
{
    uint64_t delays = span < DELAYS ? span : DELAYS;
    for (size_t i = 0; i < huge->count && !huge->report->rule; i++)
        call_timer(huge, i, 1 + i * 7 % delays, 0);
    for (size_t i = 0; i < huge->count && !huge->report->rule; i += 3)
        call_timer(huge, i, 1 + i * 11 % delays, 0);
    for (size_t i = 1; i < huge->count && !huge->report->rule; i += 5) /* the last id fires */
        call_timer(huge, i, 0, 0);
}

static void let_fire(struct huge *huge)
{
    tw_tick end = DELAYS + AGAIN_TICKS + 1;
    for (tw_tick now = 1; now <= end && !huge->report->rule; now++) {
        for (size_t i = 0; i < huge->count; i++) /* some were started again, late */
            end = huge->dues[i] != TW_NEVER && huge->latests[i] > end ? huge->latests[i] : end;
        watch_enter(huge->watch, "advance");
        huge->backend->advance(huge->timers, now, timer_fired, huge);
        watch_leave(huge->watch, NULL);
        huge->report->operations_run++;
        if (!huge->report->rule)
            judge_next_of(huge, now);
    }
    for (size_t i = 0; i < huge->count; i++)
        if (huge->dues[i] != TW_NEVER)
            report_broken(huge->report, RULE_LOST,
                          "%" PRIu32 ", due %" PRIu64 ", has not fired at tick %" PRIu64
                          ", in an instance for %" PRIu32 " timers",
                          huge->ids[i], huge->dues[i], end, huge->capacity);
}

/* TW_OK with the instance open, or what open answered.  A library's own limit is no fault of the adapter, whose memory
 * the guard does not know. */
static int open_with(struct huge *huge, uint32_t capacity)
{
    struct held held;
    struct tw_config config = {.capacity = capacity,
                               .settings = huge->options->settings,
                               .setting_count = huge->options->setting_count};
    struct tw_error error = {""};
    watch_enter(huge->watch, "open");
    uint64_t failed = guard_counts().failed;
    int status = huge->backend->open(&huge->timers, &config, &error);
    watch_leave(huge->watch, NULL);
    guard_judge_refusal(status, failed, capacity, huge->report);
    if (status == TW_REFUSED_MEMORY || status == TW_REFUSED_FULL)
        coverage_remark(&huge->report->coverage,
                        "an instance for %" PRIu32 " timers: open had no memory for it", capacity);
    else if (status == TW_BAD_SETTING && !guard_held(&held))
        coverage_remark(&huge->report->coverage,
                        "an instance for %" PRIu32 " timers: the library has a limit of its own",
                        capacity);
    else if (status != TW_OK)
        report_broken(huge->report, RULE_OPEN, "capacity %" PRIu32 ": open answered %d: %.*s",
                      capacity, status, (int)sizeof error.text, error.text);
    return status;
}

static void close_instance(struct huge *huge)
{
    watch_enter(huge->watch, "close");
    huge->backend->close(huge->timers);
    watch_leave(huge->watch, NULL);
}

static uint64_t capacity_bytes(struct huge *huge)
{
    watch_enter(huge->watch, "footprint");
    uint64_t bytes = huge->backend->footprint(huge->timers).capacity_bytes;
    watch_leave(huge->watch, NULL);
    return bytes;
}

/* Arrays of one element per id: as many times more bytes as ids, or half of that for what is rounded. */
static void compare_footprints(struct huge *huge, uint64_t small_bytes)
{
    uint64_t bytes = capacity_bytes(huge);
    if (bytes < small_bytes * (huge->capacity / SMALL_CAPACITY / 2))
        report_broken(huge->report, RULE_FOOTPRINT,
                      "%" PRIu64 " bytes by capacity for %" PRIu32 " timers, %" PRIu64
                      " for %" PRIu32,
                      bytes, huge->capacity, small_bytes, SMALL_CAPACITY);
}

static void judge_huge(void *ctx, struct watch *watch)
{
    struct huge *huge = ctx;
    huge->watch = watch;
    huge->report = &watch->report;
    if (open_with(huge, SMALL_CAPACITY) != TW_OK)
        return;
    uint64_t small_bytes = capacity_bytes(huge);
    close_instance(huge);
    if (open_with(huge, huge->capacity) != TW_OK)
        return;
    struct tw_description description = {0};
    watch_enter(watch, "describe");
    huge->backend->describe(huge->timers, &description);
    watch_leave(watch, NULL);
    compare_footprints(huge, small_bytes);
    choose_timers(huge);
    start_and_stop(huge, description.span);
    if (huge->capacity <= VISIT_CAPACITY && !huge->report->rule)
        visit_timers(huge);
    if (!huge->report->rule)
        let_fire(huge);
    if (!huge->report->rule)
        close_instance(huge);
    huge->report->coverage.fired_capacity = huge->capacity;
}

/* Open alone, with pages that hold nothing: what it asks for is noted. */
static void open_for_sizes(void *ctx, struct watch *watch)
{
    struct huge *huge = ctx;
    huge->watch = watch;
    huge->report = &watch->report;
    if (guard_share_pages(huge->last_taken) && open_with(huge, huge->capacity) == TW_OK)
        close_instance(huge);
}

/* ---- In the parent --------------------------------------------------------------------------- */

/* What breaks no rule with so much memory under way: it takes its time, or writes to all of it.  True when it was that. */
static bool excuse_slowness(const struct huge *huge, struct conform_report *report)
{
    bool slow = report->rule && strcmp(report->rule, RULE_RETURN) == 0;
    bool large = report->rule && strcmp(report->rule, RULE_MEMORY) == 0;
    if (!slow && !large)
        return false;
    coverage_remark(&report->coverage, "an instance for %" PRIu32 " timers: %s", huge->capacity,
                    slow ? "some call of the design takes seconds"
                         : "the design writes to more memory than the test allows");
    report->rule = NULL;
    return true;
}

/* The bytes of each allocation that open asks for. */
struct sizes {
    size_t count;
    uint64_t bytes[WATCH_TAKEN_MAX];
};

/* It may end in any way: in this much memory nothing is right. */
static void read_sizes(struct child *child, struct huge *huge, uint32_t capacity,
                       struct sizes *sizes)
{
    struct huge other = *huge;
    struct conform_report report;
    other.capacity = capacity;
    sizes->count = 0;
    if (!child_run(child, open_for_sizes, &other, &report))
        return;
    sizes->count = child->watch->taken_count;
    memcpy(sizes->bytes, child->watch->taken_bytes, sizeof sizes->bytes);
}

/* An allocation that grows with the capacity goes on growing; half of that is left to what is rounded. */
static void compare_sizes(struct child *child, struct huge *huge, struct conform_report *report)
{
    struct sizes small, larger, sizes;
    uint32_t larger_capacity = 4 * SMALL_CAPACITY;
    size_t seen = 0, expected = 0;
    uint64_t resident_bytes = child->resident_bytes;
    child->resident_bytes = 0; /* of pages that are shared */
    read_sizes(child, huge, SMALL_CAPACITY, &small);
    read_sizes(child, huge, larger_capacity, &larger);
    huge->last_taken = small.count < larger.count ? small.count : larger.count;
    child->call_seconds = SIZES_SECONDS;
    read_sizes(child, huge, huge->capacity, &sizes);
    child->call_seconds = CALL_SECONDS;
    child->resident_bytes = resident_bytes;
    for (size_t i = 0; i < small.count && i < larger.count; i++) {
        bool grows = larger.bytes[i] / 2 >= small.bytes[i];
        expected += grows;
        seen += grows && i < sizes.count;
        if (grows && i < sizes.count &&
            sizes.bytes[i] / (huge->capacity / larger_capacity / 2) < larger.bytes[i])
            report_broken(report, RULE_BOUNDS,
                          "for %" PRIu32 " timers, open asks for %" PRIu64
                          " bytes as its allocation %zu, for %" PRIu32 " timers for %" PRIu64
                          ": a size in 32 bits?",
                          huge->capacity, sizes.bytes[i], i + 1, larger_capacity, larger.bytes[i]);
    }
    if (seen < expected)
        coverage_remark(&report->coverage,
                        "an instance for %" PRIu32
                        " timers: the sizes of %zu of its %zu large allocations",
                        huge->capacity, expected - seen, expected);
}

static int run_capacity(struct child *child, struct huge *huge, struct conform_report *report)
{
    struct conform_report part = {0};
    if (!child_run(child, judge_huge, huge, &part))
        return -1;
    if (excuse_slowness(huge, &part) && huge->capacity < TW_CAPACITY_MAX) /* 2^29 shows it */
        compare_sizes(child, huge, &part);
    if (part.rule && !strstr(part.detail, "timers")) {
        size_t used = strlen(part.detail);
        snprintf(part.detail + used, sizeof part.detail - used,
                 ", in an instance for %" PRIu32 " timers", huge->capacity);
    }
    part.operations_run += report->operations_run;
    coverage_add(&part.coverage, &report->coverage);
    *report = part;
    return report->rule != NULL;
}

int huge_run(struct child *child, const struct conform_options *options,
             struct conform_report *report)
{
    struct child limits = *child;
    int status = 0;
    child->memory_bytes = ADDRESS_BYTES;
    child->resident_bytes = RESIDENT_BYTES;
    child->call_seconds = CALL_SECONDS;
    child->all_seconds = ALL_SECONDS;
    for (size_t i = 0; i < sizeof capacities / sizeof capacities[0] && status == 0; i++) {
        struct huge huge = {
            .backend = child->backend, .options = options, .capacity = capacities[i]};
        status = run_capacity(child, &huge, report);
    }
    *child = limits;
    return status;
}
