/* shrink.c - shrinks an operation list that breaks a rule (delta debugging). */
#include "harness/prove/shrink.h"

/* Bounds the work of all replays of one shrinking together: some seconds. */
#define SHRINK_WORK UINT64_C(400000000)

struct shrinker {
    shrink_replay_fn *replay;
    void *ctx;
    uint64_t work; /* done so far */
    bool is_over;  /* no time is left: nothing is tried any more, nor copied for it */
    struct operations *operations; /* the shortest so far, */
    struct conform_report *report; /* and what it shows */
    struct operations candidate;
    bool *keep;
};

/* Does the candidate break the same rule?  Then it is the shortest so far. */
static bool shrinker_try(struct shrinker *shrinker)
{
    if (shrinker->is_over || shrinker->candidate.out_of_memory)
        return false;
    struct conform_report report = {0};
    size_t steps;
    bool ran = shrinker->replay(shrinker->ctx, &shrinker->candidate, &report, &steps);
    shrinker->work += report.work + (ran ? steps : 0) + 1;
    shrinker->is_over = !ran || shrinker->work > SHRINK_WORK;
    if (!ran || !report.rule || strcmp(report.rule, shrinker->report->rule) != 0)
        return false;
    operations_copy(shrinker->operations, &shrinker->candidate, NULL);
    shrinker->operations->count = steps;
    strcpy(shrinker->report->detail, report.detail);
    return true;
}

/* Leaves out [begin, begin + size) of the shortest list. */
static bool shrinker_try_without(struct shrinker *shrinker, size_t begin, size_t size)
{
    for (size_t i = 0; i < shrinker->operations->count; i++)
        shrinker->keep[i] = i < begin || i >= begin + size;
    operations_copy(&shrinker->candidate, shrinker->operations, shrinker->keep);
    return shrinker_try(shrinker);
}

static bool shrink_chunks(struct shrinker *shrinker)
{
    bool shorter = false;
    for (size_t size = (shrinker->operations->count + 1) / 2; size > 0; size /= 2)
        for (size_t begin = 0; begin < shrinker->operations->count && !shrinker->is_over;) {
            if (shrinker_try_without(shrinker, begin, size))
                shorter = true;
            else
                begin += size;
        }
    return shorter;
}

/* Tries the list with operation `index` replaced. */
static bool shrinker_try_with(struct shrinker *shrinker, size_t index, struct operation operation)
{
    operations_copy(&shrinker->candidate, shrinker->operations, NULL);
    shrinker->candidate.list[index] = operation;
    return shrinker_try(shrinker);
}

/* Sets a number of a list; `index` is of the operation that it belongs to, if any. */
typedef void put_fn(struct operations *operations, size_t index, uint64_t number);

/* The least number from `low` up that will do; the one at hand is `high`. */
static bool shrink_least(struct shrinker *shrinker, size_t index, put_fn *put, uint64_t low,
                         uint64_t high)
{
    uint64_t first = high, attempt = low; /* the least possible one, before halving what is left */
    while (low < high && !shrinker->is_over) {
        operations_copy(&shrinker->candidate, shrinker->operations, NULL);
        put(&shrinker->candidate, index, attempt);
        if (shrinker_try(shrinker))
            high = attempt;
        else
            low = attempt + 1;
        attempt = low + (high - low) / 2;
    }
    return high < first;
}

static void put_ticks(struct operations *operations, size_t index, uint64_t number)
{
    operations->list[index].ticks = number;
}

/* Makes the distance of an operation shorter: to 0, by steps, to the least. */
static bool shrink_ticks(struct shrinker *shrinker, size_t index)
{
    struct operation operation = shrinker->operations->list[index];
    uint64_t ticks = operation.ticks;
    uint64_t attempts[] = {0, ticks / 16, ticks / 2, ticks - ticks / 8};
    for (size_t i = 0; ticks > 0 && !shrinker->is_over && i < sizeof attempts / sizeof attempts[0];
         i++) {
        operation.ticks = attempts[i];
        if (operation.ticks < ticks && shrinker_try_with(shrinker, index, operation))
            return true;
    }
    return ticks > 1 && shrink_least(shrinker, index, put_ticks, 1, ticks);
}

static void put_times(struct operations *operations, size_t index, uint64_t number)
{
    operations->list[index].times = (uint32_t)number;
}

static void put_further(struct operations *operations, size_t index, uint64_t number)
{
    operations->list[index].further = (uint32_t)number;
}

/* The last `number` of the timers of an operation. */
static void put_last(struct operations *operations, size_t index, uint64_t number)
{
    struct operation *operation = &operations->list[index];
    uint32_t fewer = operation->times - (uint32_t)number;
    operation->id += fewer;
    operation->times = (uint32_t)number;
    if (operation->base == '+' && operation->each > 0)
        operation->ticks += (uint64_t)operation->each * fewer;
}

static void put_capacity(struct operations *operations, size_t index, uint64_t number)
{
    (void)index;
    operations->capacity = (uint32_t)number;
}

static bool shrink_many(struct shrinker *shrinker, size_t index)
{
    bool fewer =
        shrink_least(shrinker, index, put_times, 1, shrinker->operations->list[index].times);
    if (index >= shrinker->operations->count)
        return fewer;
    if (shrink_least(shrinker, index, put_last, 1, shrinker->operations->list[index].times))
        fewer = true;
    struct operation operation = shrinker->operations->list[index];
    if (operation.each != 0 || operation.within > 0) {
        operation.each = 0;
        operation.within = 0;
        shrinker_try_with(shrinker, index, operation);
    }
    return fewer;
}

static bool shrink_times(struct shrinker *shrinker, size_t index)
{
    struct operation operation = shrinker->operations->list[index];
    uint32_t times = operation.times;
    if (times <= 1)
        return false;
    if (operation.code == OPERATION_START || operation.code == OPERATION_STOP)
        return shrink_many(shrinker, index);
    if (operation.code != OPERATION_ADVANCE)
        return shrink_least(shrinker, index, put_times, 1, times);
    operation.times = 1;
    operation.ticks *= times;
    if (shrinker_try_with(shrinker, index, operation))
        return true;
    return shrink_least(shrinker, index, put_times, 1, times);
}

static bool shrink_further(struct shrinker *shrinker, size_t index)
{
    uint32_t further = shrinker->operations->list[index].further;
    return shrink_least(shrinker, index, put_further, 0, further);
}

static bool shrink_numbers(struct shrinker *shrinker)
{
    bool smaller = false;
    for (size_t i = 0; i < shrinker->operations->count && !shrinker->is_over; i++)
        while (
            i < shrinker->operations->count &&
            (shrink_ticks(shrinker, i) || shrink_times(shrinker, i) || shrink_further(shrinker, i)))
            smaller = true;
    return smaller;
}

/* Leaves advance `index` out and lets the clock begin, or the next advance go, that
 * much further. */
static bool shrink_fold(struct shrinker *shrinker, size_t index)
{
    const struct operation *folded = &shrinker->operations->list[index];
    uint64_t ticks = folded->ticks * folded->times;
    for (size_t i = 0; i < shrinker->operations->count; i++)
        shrinker->keep[i] = i != index;
    operations_copy(&shrinker->candidate, shrinker->operations, shrinker->keep);
    shrinker->candidate.now = operations_resolve('+', ticks, shrinker->candidate.now);
    if (shrinker_try(shrinker))
        return true;
    operations_copy(&shrinker->candidate, shrinker->operations, shrinker->keep);
    for (size_t i = index; i < shrinker->candidate.count; i++)
        if (shrinker->candidate.list[i].code == OPERATION_ADVANCE) {
            shrinker->candidate.list[i].ticks += ticks;
            return shrinker_try(shrinker);
        }
    return false;
}

static bool shrink_advances(struct shrinker *shrinker)
{
    bool shorter = false;
    for (size_t i = 0; i < shrinker->operations->count && !shrinker->is_over; i++)
        while (i < shrinker->operations->count &&
               shrinker->operations->list[i].code == OPERATION_ADVANCE && shrink_fold(shrinker, i))
            shorter = true;
    return shorter;
}

static bool timer_is_named(const struct operations *operations, tw_id id)
{
    for (size_t i = 0; i < operations->count; i++)
        if (operation_names(&operations->list[i], id))
            return true;
    return false;
}

/* Gives timer `old` the number `new` everywhere. */
static void rename_timer(struct operations *operations, tw_id old, tw_id new)
{
    for (size_t i = 0; i < operations->count; i++) {
        struct operation *operation = &operations->list[i];
        if (!operation_names(operation, old))
            continue;
        operation->id = operation->id == old ? new : operation->id;
        operation->target = operation->target == old ? new : operation->target;
    }
}

/* Is it one of many of one operation? */
static bool timer_is_of_many(const struct operations *operations, tw_id id)
{
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->list[i];
        bool direct = operation->code == OPERATION_START || operation->code == OPERATION_STOP;
        bool many = direct ? operation->times > 1 : operation->further > 0;
        if (many && operation_names(operation, id))
            return true;
    }
    return false;
}

/* The lowest number that the timer can have instead; designs may tell ids apart by their
 * low bits. */
static tw_id shrink_timer(struct shrinker *shrinker, tw_id id)
{
    if (timer_is_of_many(shrinker->operations, id))
        return id;
    for (tw_id lower = 0; lower < id && lower < 64 && !shrinker->is_over; lower++) {
        if (timer_is_named(shrinker->operations, lower))
            continue;
        operations_copy(&shrinker->candidate, shrinker->operations, NULL);
        rename_timer(&shrinker->candidate, id, lower);
        if (shrinker_try(shrinker))
            return lower;
    }
    return id;
}

/* Which timers the list names; NULL when there is no memory. */
static bool *named_find(const struct operations *operations)
{
    bool *named = calloc(operations->capacity, sizeof *named);
    for (size_t i = 0; named && i < operations->count; i++) {
        const struct operation *operation = &operations->list[i];
        uint64_t more =
            operation->times > operation->further ? operation->times : operation->further;
        const tw_id firsts[] = {operation->id, operation->target};
        for (size_t k = 0; k < 2; k++)
            for (uint64_t id = firsts[k]; id <= firsts[k] + more && id < operations->capacity; id++)
                named[id] = named[id] || operation_names(operation, (tw_id)id);
    }
    return named;
}

/* Moves timers to low numbers and cuts the capacity to what is left. */
static void shrink_timers(struct shrinker *shrinker)
{
    tw_id named_end = 1;
    bool *named = named_find(shrinker->operations);
    for (tw_id id = 0; named && id < shrinker->operations->capacity && !shrinker->is_over; id++)
        if (named[id]) {
            tw_id now = shrink_timer(shrinker, id);
            named_end = now >= named_end ? now + 1 : named_end;
        }
    free(named);
    shrink_least(shrinker, 0, put_capacity, named_end, shrinker->operations->capacity);
}

static void shrink_header(struct shrinker *shrinker)
{
    operations_copy(&shrinker->candidate, shrinker->operations, NULL);
    shrinker->candidate.horizon = 0;
    shrinker_try(shrinker);
    for (unsigned bits = 0; bits < 64; bits++) { /* the low bits of the clock are its phase */
        operations_copy(&shrinker->candidate, shrinker->operations, NULL);
        shrinker->candidate.now &= (UINT64_C(1) << bits) - 1;
        if (shrinker_try(shrinker))
            break;
    }
    operations_copy(&shrinker->candidate, shrinker->operations, NULL);
    shrinker->candidate.setting_count = 0;
    shrinker_try(shrinker);
    operations_copy(&shrinker->candidate, shrinker->operations, NULL);
    shrinker->candidate.walk = 0; /* what is left may be short enough for designs that step */
    if (shrinker->operations->walk > 0)
        shrinker_try(shrinker);
}

static void shrink_all(struct shrinker *shrinker)
{
    shrink_chunks(shrinker);
    shrink_timers(shrinker); /* makes every replay from here on cheaper */
    do
        shrink_chunks(shrinker);
    while (shrink_advances(shrinker) || shrink_numbers(shrinker));
    shrink_timers(shrinker);
    shrink_header(shrinker);
}

void shrink(struct operations *operations, shrink_replay_fn *replay, void *ctx, size_t steps,
            struct conform_report *report)
{
    if (steps < operations->count)
        operations->count = steps;
    bool *keep = calloc(operations->count + 1, sizeof *keep);
    if (keep) { /* else the list is shown as it is */
        struct shrinker shrinker = {
            .replay = replay, .ctx = ctx, .operations = operations, .report = report, .keep = keep};
        operations_init(&shrinker.candidate, operations->capacity);
        size_t before;
        do {
            before = operations->count;
            shrink_all(&shrinker);
        } while (operations->count > SHRINK_SHORT && operations->count < before &&
                 !shrinker.is_over);
        operations_clear(&shrinker.candidate);
    }
    report->operation_count = operations->count;
    operations_print(operations, report->operations, sizeof report->operations);
    free(keep);
}
