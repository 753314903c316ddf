/*
 * twt.c - timers with handles over any exact design: ids, growth, order, and passes that end.
 *
 *     handle ---- place = id and instance ----> owners[id] ---- pointer and tags ----> handle
 *
 *     An instance is one of the design with a table of owners.  Its ids are given in order of arrival, so the design's memory is
 *     made ready bit by bit.  While the set grows there are two: starts go to `current`, and each call moves a few from `old`.
 *
 *         old      |xx.x.xxxx|                 current  |xxxxxxx:           |   of twice the ids
 *                       cursor ->                                fresh ->
 *
 *     soon     due already when they were started; the next pass runs them
 *     block    what the design gives of a tick, or of a pass if it has no order; sorted by counting who is before whom
 *     bins     sorted runs of many blocks, merged
 *     ready    what the pass runs, first to last; what `most` leaves over stays for the next one
 *
 * All that is due leaves the design before the first callback runs, so a callback finds the design between two calls
 * and may do anything.  The design's clock stands still until a timer may be due: an empty pass is one comparison.  A deadline beyond the span of the design waits at the end of the span, and goes on from there (a hop).
 *
 * Invariants, tested by check in this order:
 *  1. ready and soon are linked both ways, and end where their tails say.
 *  2. A free id is on its instance's free list once; each other one has a handle whose place leads back.
 *  3. The design's own check holds for each instance, and it holds exactly the ids in use, at the handle's deadline or, for a hop,
 *     before it.
 *  4. No deadline is before `soonest`, which is the earliest one where it is known.
 *
 * Ideas from elsewhere: all that is due is taken out before anything runs as in libuv (timer.c) and wahern/timeout;
 * two tables and a few moves a call are Redis's dict.
 */
#include "twt.h"

#include <stdlib.h>

#ifndef TWT_DESIGN /* of a set or a config; one that is known when this is compiled is called without a table */
#define TWT_DESIGN(what) ((what)->design)

#define TW_EXACTLY(design)                                                                         \
    extern const struct tw_backend tw_##design##_timed;                                            \
    extern const struct tw_exact tw_##design##_exact_timed;
#include "impls/exacts.def"
#undef TW_EXACTLY

static const struct tw_exact *exact_of(const struct tw_backend *design)
{
#define TW_EXACTLY(name)                                                                           \
    if (design == &tw_##name##_timed)                                                              \
        return &tw_##name##_exact_timed;
#include "impls/exacts.def"
#undef TW_EXACTLY
    return NULL;
}
#endif

#define FIRST       1024u /* ids, unless the caller says another number */
#define PLACE_NEVER UINT64_C(1)
/* With the id above two bits, and the instance in bit 0; else the address of the link that leads here. */
#define PLACE_ID UINT64_C(2)

/* Of an owner. */
#define IS_FREE UINT64_C(1) /* the rest is the next free id and one, above three bits */
#define IS_HOP  UINT64_C(2) /* in the design at an earlier tick than its deadline */
#define TAGS    UINT64_C(7)

#define BLOCK 16u /* timers that are sorted at once */

_Static_assert(_Alignof(struct twt_timer) > TAGS, "a handle's address has room for tags");

struct list {
    uint64_t head;
    uint64_t *tail; /* the link of the last */
};

struct instance {
    struct tw_timers *timers; /* NULL: closed */
    uint64_t *owners;
    uint32_t free;     /* the first free id, and one; 0: none */
    uint32_t fresh;    /* ids that were ever used */
    uint32_t capacity; /* ids */
    uint32_t which;    /* 0 or 1 */
    uint64_t held;     /* ids in use */
    tw_tick now;       /* the design's clock: not after the set's */
};

struct twt_set {
    const struct tw_backend *design;
    tw_tick now;
    tw_tick span;                   /* of the designs; TW_DEADLINE_MAX: any */
    tw_tick soonest;                /* no timer in a design is due before; after now */
    struct instance *current, *old; /* where starts go; NULL unless the set grows */
    uint64_t orders, listed;        /* starts so far; timers in ready and soon */
    uint32_t hops;
    uint32_t cursor; /* ids of the old instance below it have been looked at */
    bool known;      /* `soonest` is the earliest deadline in the design */
    bool passing, breaking;
    struct list ready, soon;
    struct instance instances[2];
    const struct tw_exact *exact; /* NULL: the design's next is exact, or all timers are visited */
    struct twt_growth growth;
    tw_tick horizon;
    size_t setting_count;
    struct tw_setting *settings;
};

/* ---- Owners. --------------------------------------------------------------------------------- */

static inline struct twt_timer *timer_of(uint64_t word)
{
    return (struct twt_timer *)(uintptr_t)(word & ~TAGS);
}

static inline uint64_t word_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static inline uint64_t place_of(const struct instance *at, uint32_t id)
{
    return (uint64_t)id << 2 | PLACE_ID | at->which;
}

static inline bool has_id(const struct twt_timer *timer)
{
    return (timer->place & PLACE_ID) != 0;
}

/* Of a timer with an id. */
static inline uint32_t id_of(const struct twt_timer *timer)
{
    return (uint32_t)(timer->place >> 2);
}

static inline struct instance *instance_of(struct twt_set *set, const struct twt_timer *timer)
{
    return set->old ? &set->instances[timer->place & 1] : set->current;
}

/* The owner is not read while there are no hops: that would wait for a cache line. */
static inline void id_release(struct twt_set *set, struct instance *at, uint32_t id)
{
    if (set->hops > 0)
        set->hops -= (at->owners[id] & IS_HOP) != 0;
    at->owners[id] = (uint64_t)at->free << 3 | IS_FREE;
    at->free = id + 1;
    at->held--;
}

/* ---- Lists of what is due. ------------------------------------------------------------------- */

static void list_push(struct twt_set *set, struct list *list, struct twt_timer *timer)
{
    timer->place = word_of(list->tail);
    timer->order = 0;
    *list->tail = word_of(timer);
    list->tail = &timer->order;
    set->listed++;
}

static void list_remove(struct twt_set *set, struct twt_timer *timer)
{
    uint64_t *from = (uint64_t *)(uintptr_t)timer->place;
    *from = timer->order;
    if (timer->order != 0)
        timer_of(timer->order)->place = timer->place;
    else if (set->ready.tail == &timer->order)
        set->ready.tail = from;
    else
        set->soon.tail = from;
    timer->place = 0;
    set->listed--;
}

/* ---- Growth. --------------------------------------------------------------------------------- */

static void instance_close(struct twt_set *set, struct instance *at)
{
    if (at->timers)
        TWT_DESIGN(set)->close(at->timers);
    free(at->owners);
    set->growth.bytes -= at->capacity * sizeof(uint64_t);
    memset(at, 0, sizeof *at);
}

/* Becomes the current one.  A refusal leaves all as it was. */
static int instance_open(struct twt_set *set, uint32_t which, uint32_t capacity,
                         struct tw_error *error)
{
    struct instance *at = &set->instances[which];
    struct tw_config config;
    struct tw_description description;
    memset(&config, 0, sizeof config);
    config.capacity = capacity;
    config.now = set->now;
    config.horizon = set->horizon;
    config.settings = set->settings;
    config.setting_count = set->setting_count;
    uint64_t *owners = (uint64_t *)malloc(capacity * sizeof(uint64_t));
    int status =
        owners ? TWT_DESIGN(set)->open(&at->timers, &config, error) : (int)TW_REFUSED_MEMORY;
    if (status != TW_OK) {
        free(owners);
        return status;
    }
    TWT_DESIGN(set)->describe(at->timers, &description);
    set->span = description.span < set->span ? description.span : set->span;
    at->owners = owners;
    at->now = set->now;
    at->capacity = capacity;
    at->which = which;
    set->growth.bytes += capacity * sizeof(uint64_t);
    set->current = at;
    return TW_OK;
}

__attribute__((noinline)) static int grow(struct twt_set *set)
{
    struct tw_error error;
    struct instance *full = set->current;
    if (full->capacity > TW_CAPACITY_MAX / 2 || set->old)
        return TW_REFUSED_FULL;
    if (instance_open(set, !full->which, full->capacity * 2, &error) != TW_OK)
        return TW_REFUSED_MEMORY;
    set->old = full;
    set->cursor = 0;
    set->growth.grown++;
    return TW_OK;
}

/* An id of the current instance that nobody has, whose owner is the caller's to set; the number of it or a refusal. */
static inline int64_t id_take(struct twt_set *set)
{
    struct instance *at = set->current;
    if (at->free != 0) {
        uint32_t id = at->free - 1;
        at->free = (uint32_t)(at->owners[id] >> 3);
        at->held++;
        return id;
    }
    if (at->fresh == at->capacity) {
        int status = grow(set);
        if (status < 0)
            return status;
        at = set->current;
    }
    at->held++;
    return at->fresh++;
}

/* The tick at which the design has a timer: the deadline, or the end of its span. */
static inline tw_tick target_of(const struct twt_set *set, tw_tick deadline, tw_tick now)
{
    return deadline - now <= set->span ? deadline : now + set->span;
}

/* Puts a timer under a new id of the current instance into the design; what it had before is the caller's to end. */
static inline int id_start(struct twt_set *set, struct twt_timer *timer, tw_tick deadline,
                           uint64_t *place)
{
    int64_t id = id_take(set);
    if (id < 0)
        return (int)id;
    struct instance *at = set->current;
    tw_tick target = target_of(set, deadline, at->now);
    int status = TWT_DESIGN(set)->start(at->timers, (tw_id)id, target);
    if (status < 0) {
        at->owners[id] = 0;
        id_release(set, at, (uint32_t)id);
        return status;
    }
    bool hop = target != deadline;
    set->hops += hop;
    at->owners[id] = word_of(timer) | (hop ? IS_HOP : 0);
    *place = place_of(at, (uint32_t)id);
    return status;
}

/* Moves the timer of an id from the old instance; one that the new one refuses is asked for again. */
static bool move_one(struct twt_set *set, uint32_t id)
{
    struct instance *old = set->old;
    uint64_t owner = old->owners[id], place;
    if (owner & IS_FREE)
        return true;
    struct twt_timer *timer = timer_of(owner);
    if (id_start(set, timer, timer->deadline, &place) < 0)
        return false;
    TWT_DESIGN(set)->stop(old->timers, id);
    id_release(set, old, id);
    timer->place = place;
    set->growth.moved++;
    return true;
}

__attribute__((noinline)) static void move_some(struct twt_set *set)
{
    uint64_t before = set->growth.moved;
    for (uint32_t i = 0; i < TWT_MOVES && set->cursor < set->old->fresh; i++) {
        if (!move_one(set, set->cursor))
            break;
        set->cursor++;
    }
    uint32_t moved = (uint32_t)(set->growth.moved - before);
    set->growth.most_moved = moved > set->growth.most_moved ? moved : set->growth.most_moved;
    if (set->cursor < set->old->fresh)
        return;
    instance_close(set, set->old);
    set->old = NULL;
}

/* ---- Open and close. ------------------------------------------------------------------------- */

static int design_refuse(const struct twt_config *config, struct tw_error *error)
{
    const struct tw_backend *design = TWT_DESIGN(config);
    const char *wrong =
        !design                                   ? "no design is given"
        : design->abi_version != TW_ABI_VERSION   ? "the design was built for another contract"
        : design->traits.flags & TW_KEEPS_NOTHING ? "the design keeps no timers"
        : design->traits.flags & TW_REAL_CLOCK    ? "the design waits for a clock"
        : design->traits.late_ticks || design->traits.late_shift ? "the design may fire late"
                                                                 : NULL;
    if (wrong) {
        snprintf(error->text, sizeof error->text, "design: %s; expected an exact one", wrong);
        return TW_BAD_SETTING;
    }
    if (config->scans || config->exact || design->traits.flags & TW_NEXT_EXACT || exact_of(design))
        return TW_OK;
    snprintf(error->text, sizeof error->text,
             "design: %s cannot tell its earliest deadline; expected one that does, or `scans` set",
             design->name);
    return TW_BAD_SETTING;
}

/* The caller's settings are its own again when open returns; the names are those of the design. */
static bool settings_copy(struct twt_set *set, const struct twt_config *config)
{
    if (config->setting_count == 0)
        return true;
    set->settings = (struct tw_setting *)calloc(config->setting_count, sizeof *set->settings);
    if (!set->settings)
        return false;
    set->setting_count = config->setting_count;
    for (size_t i = 0; i < config->setting_count; i++) {
        const struct tw_param *param = param_find(set->design->params, config->settings[i].name);
        set->settings[i] = config->settings[i];
        if (param) /* what it does not know the design refuses before it returns */
            set->settings[i].name = param->name;
    }
    return true;
}

int twt_open(struct twt_set **out, const struct twt_config *config, struct tw_error *error)
{
    uint32_t capacity = config->capacity ? config->capacity : FIRST;
    int status = design_refuse(config, error);
    if (status != TW_OK)
        return status;
    if (capacity > UINT32_C(1) << 29) {
        snprintf(error->text, sizeof error->text, "capacity: %u given; expected at most 2^29",
                 capacity);
        return TW_BAD_SETTING;
    }
    struct twt_set *set = (struct twt_set *)calloc(1, sizeof *set);
    snprintf(error->text, sizeof error->text, "no memory for %u timers", capacity);
    if (!set)
        return TW_REFUSED_MEMORY;
    set->design = TWT_DESIGN(config);
    set->exact = config->exact ? config->exact : exact_of(set->design);
    set->now = config->now;
    set->horizon = config->horizon;
    set->span = TW_DEADLINE_MAX;
    set->ready.tail = &set->ready.head;
    set->soon.tail = &set->soon.head;
    set->known = true;
    set->soonest = TW_NEVER;
    set->growth.bytes = sizeof *set;
    status = TW_REFUSED_MEMORY;
    if (settings_copy(set, config))
        status = instance_open(set, 0, capacity, error);
    if (status == TW_OK)
        *out = set;
    else
        twt_close(set);
    return status;
}

void twt_close(struct twt_set *set)
{
    if (!set)
        return;
    for (int i = 0; i < 2; i++)
        instance_close(set, &set->instances[i]);
    free(set->settings);
    free(set);
}

/* ---- Start and stop. ------------------------------------------------------------------------- */

/* A timer with this deadline is no longer where it was. */
static inline void soonest_forget(struct twt_set *set, tw_tick deadline)
{
    if (deadline == set->soonest)
        set->known = false;
}

static inline void soonest_lower(struct twt_set *set, tw_tick deadline)
{
    if (deadline < set->soonest)
        set->soonest = deadline;
}

static inline void detach_id(struct twt_set *set, struct twt_timer *timer)
{
    struct instance *at = instance_of(set, timer);
    TWT_DESIGN(set)->stop(at->timers, id_of(timer));
    id_release(set, at, id_of(timer));
    soonest_forget(set, timer->deadline);
    timer->place = 0;
}

__attribute__((noinline)) static void detach(struct twt_set *set, struct twt_timer *timer)
{
    if (has_id(timer))
        detach_id(set, timer);
    else if (timer->place > PLACE_NEVER)
        list_remove(set, timer);
    timer->place = 0;
}

int twt_stop(struct twt_set *set, struct twt_timer *timer)
{
    if (timer->place == 0)
        return TW_IDLE;
    if (__builtin_expect(has_id(timer), 1))
        detach_id(set, timer);
    else
        detach(set, timer);
    if (__builtin_expect(set->old != NULL, 0))
        move_some(set);
    return TW_OK;
}

/* Starts what the current instance has already. */
static inline int start_held(struct twt_set *set, struct twt_timer *timer, tw_tick deadline)
{
    uint32_t id = id_of(timer);
    tw_tick target = target_of(set, deadline, set->current->now);
    int status = TWT_DESIGN(set)->start(set->current->timers, id, target);
    if (status < 0)
        return status;
    if (__builtin_expect(set->hops > 0 || target != deadline, 0)) {
        uint64_t *owner = &set->current->owners[id];
        set->hops -= (*owner & IS_HOP) != 0;
        set->hops += target != deadline;
        *owner = word_of(timer) | (target != deadline ? IS_HOP : 0);
    }
    soonest_forget(set, timer->deadline);
    soonest_lower(set, deadline);
    timer->deadline = deadline;
    timer->order = set->orders++;
    return TW_REARMED;
}

/* Of one that is in no instance, or in the old one. */
static inline int start_new(struct twt_set *set, struct twt_timer *timer, tw_tick deadline)
{
    uint64_t place;
    int status = id_start(set, timer, deadline, &place);
    if (status < 0)
        return status;
    if (timer->place != 0) {
        detach(set, timer);
        status = TW_REARMED;
    }
    soonest_lower(set, deadline);
    timer->deadline = deadline;
    timer->order = set->orders++;
    timer->place = place;
    return status;
}

/* One that is due already, or never. */
__attribute__((noinline)) static int start_aside(struct twt_set *set, struct twt_timer *timer,
                                                 tw_tick deadline)
{
    int status = timer->place != 0 ? TW_REARMED : TW_OK;
    detach(set, timer);
    timer->deadline = deadline == TW_NEVER ? TW_NEVER : set->now;
    if (deadline == TW_NEVER)
        timer->place = PLACE_NEVER;
    else
        list_push(set, &set->soon, timer);
    return status;
}

int twt_start(struct twt_set *set, struct twt_timer *timer, tw_tick deadline)
{
    int status;
    if (__builtin_expect(deadline <= set->now || deadline == TW_NEVER, 0))
        status = start_aside(set, timer, deadline);
    else if (has_id(timer) && instance_of(set, timer) == set->current)
        status = start_held(set, timer, deadline);
    else
        status = start_new(set, timer, deadline);
    if (__builtin_expect(set->old != NULL, 0))
        move_some(set);
    return status;
}

int twt_start_window(struct twt_set *set, struct twt_timer *timer, tw_tick earliest, tw_tick latest)
{
    tw_tick at = earliest;
    if (latest > earliest && latest != TW_NEVER && earliest > 0) {
        unsigned bit = 63u - (unsigned)__builtin_clzll((earliest - 1) ^ latest);
        at = latest & ~((UINT64_C(1) << bit) - 1);
    }
    return twt_start(set, timer, at);
}

void twt_move(struct twt_set *set, struct twt_timer *to, struct twt_timer *from)
{
    if (to == from)
        return;
    *to = *from;
    if (has_id(from)) {
        uint64_t *owner = &instance_of(set, from)->owners[id_of(from)];
        *owner = word_of(to) | (*owner & TAGS);
    } else if (from->place > PLACE_NEVER) {
        *(uint64_t *)(uintptr_t)from->place = word_of(to);
        if (to->order != 0)
            timer_of(to->order)->place = word_of(&to->order);
        else if (set->ready.tail == &from->order)
            set->ready.tail = &to->order;
        else
            set->soon.tail = &to->order;
    }
    from->place = 0;
}

/* ---- The pass. ------------------------------------------------------------------------------- */

static inline bool is_before(const struct twt_timer *a, const struct twt_timer *b)
{
    return (a->deadline < b->deadline) | ((a->deadline == b->deadline) & (a->order < b->order));
}

/* Linked by `place`, first to last; or nobody. */
struct run {
    struct twt_timer *first, *last;
};

/* What the design has given and nobody has sorted yet. */
struct batch {
    struct twt_set *set;
    struct instance *at; /* that is being asked */
    tw_tick tick;        /* of the block */
    bool ordered;        /* each tick is a batch of its own */
    uint32_t count, bin_count;
    struct twt_timer *block[BLOCK];
    struct run bins[32]; /* of 2^i blocks, or none */
};

/* The block in order: each timer's rank is how many are before it.  There is no branch that could be guessed wrongly. */
static void block_sort(const struct batch *batch, struct twt_timer **sorted)
{
    unsigned ranks[BLOCK] = {0};
    for (unsigned i = 1; i < batch->count; i++) {
        unsigned rank = 0;
        for (unsigned j = 0; j < i; j++) {
            unsigned after = is_before(batch->block[j], batch->block[i]);
            rank += after;
            ranks[j] += 1 - after;
        }
        ranks[i] = rank;
    }
    for (unsigned i = 0; i < batch->count; i++)
        sorted[ranks[i]] = batch->block[i];
}

static struct run run_joined(struct run a, struct run b)
{
    a.last->place = word_of(b.first);
    a.last = b.last;
    return a;
}

/* A design that gives equals first to last, or last to first, has runs that need only be joined. */
static struct run run_merge(struct run a, struct run b)
{
    if (is_before(a.last, b.first))
        return run_joined(a, b);
    if (is_before(b.last, a.first))
        return run_joined(b, a);
    struct run merged = is_before(a.last, b.last) ? b : a;
    uint64_t head = 0, *tail = &head;
    while (a.first && b.first) {
        struct twt_timer **first = is_before(b.first, a.first) ? &b.first : &a.first;
        *tail = word_of(*first);
        tail = &(*first)->place;
        *first = timer_of(*tail);
    }
    *tail = word_of(a.first ? a.first : b.first);
    merged.first = timer_of(head);
    return merged;
}

/* Merges runs of equal length, like a counter in binary. */
static void block_to_bins(struct batch *batch)
{
    struct twt_timer *sorted[BLOCK];
    block_sort(batch, sorted);
    struct run run = {sorted[0], sorted[batch->count - 1]};
    for (uint32_t i = 1; i < batch->count; i++)
        sorted[i - 1]->place = word_of(sorted[i]);
    run.last->place = 0;
    uint32_t at = 0;
    for (; at < batch->bin_count && batch->bins[at].first; at++) {
        run = run_merge(batch->bins[at], run);
        batch->bins[at].first = NULL;
    }
    batch->bins[at] = run;
    batch->bin_count = at < batch->bin_count ? batch->bin_count : at + 1;
    batch->count = 0;
}

static void bins_to_ready(struct batch *batch)
{
    struct run all = {NULL, NULL};
    if (batch->count > 0)
        block_to_bins(batch);
    for (uint32_t at = 0; at < batch->bin_count; at++)
        if (batch->bins[at].first)
            all = all.first ? run_merge(batch->bins[at], all) : batch->bins[at];
    for (struct twt_timer *timer = all.first, *next; timer; timer = next) {
        next = timer_of(timer->place);
        list_push(batch->set, &batch->set->ready, timer);
    }
    batch->bin_count = 0;
}

static void batch_to_ready(struct batch *batch)
{
    struct twt_timer *sorted[BLOCK];
    if (batch->bin_count > 0) {
        bins_to_ready(batch);
        return;
    }
    block_sort(batch, sorted);
    for (uint32_t i = 0; i < batch->count; i++)
        list_push(batch->set, &batch->set->ready, sorted[i]);
    batch->count = 0;
}

/* True: one that is not due yet, at the end of a hop, has gone on. */
__attribute__((noinline)) static bool hop_on(struct batch *batch, tw_id id, tw_tick now)
{
    struct twt_set *set = batch->set;
    uint64_t *owner = &batch->at->owners[id];
    struct twt_timer *timer = timer_of(*owner);
    if (timer->deadline <= now)
        return false;
    tw_tick target = target_of(set, timer->deadline, now);
    if (TWT_DESIGN(set)->start(batch->at->timers, id, target) >= 0) {
        if (target == timer->deadline) {
            set->hops--;
            *owner &= ~IS_HOP;
        }
        return true;
    }
    soonest_forget(set, timer->deadline);
    id_release(set, batch->at, id); /* no memory: it waits in `soon`, and each pass asks again */
    list_push(set, &set->soon, timer);
    return true;
}

/* Has come to its tick in the design: due, or at the end of a hop. */
static void collect(void *ctx, tw_id id, tw_tick now)
{
    struct batch *batch = (struct batch *)ctx;
    uint64_t owner = batch->at->owners[id];
    __builtin_prefetch(timer_of(owner));
    if (owner & IS_HOP && hop_on(batch, id, now))
        return;
    id_release(batch->set, batch->at, id);
    if (batch->count == BLOCK)
        block_to_bins(batch);
    if (now != batch->tick && batch->ordered)
        batch_to_ready(batch);
    batch->tick = now;
    batch->block[batch->count++] = timer_of(owner);
}

/* What was due already goes first: it was started before this pass.  One that waits for memory is placed again. */
static void soon_take(struct twt_set *set)
{
    struct twt_timer *timer = timer_of(set->soon.head);
    set->soon.head = 0;
    set->soon.tail = &set->soon.head;
    while (timer) {
        struct twt_timer *next = timer_of(timer->order);
        set->listed--;
        timer->place = 0;
        if (timer->deadline <= set->now)
            list_push(set, &set->ready, timer);
        else if (start_new(set, timer, timer->deadline) < 0)
            list_push(set, &set->soon, timer);
        timer = next;
    }
}

__attribute__((noinline)) static void collect_all(struct twt_set *set, tw_tick to)
{
    bool tickless = TWT_DESIGN(set)->traits.flags & TW_TICKLESS;
    struct batch batch;
    batch.set = set;
    batch.tick = TW_NEVER;
    batch.ordered = TWT_DESIGN(set)->traits.flags & TW_ORDERED && !set->old;
    batch.count = batch.bin_count = 0;
    set->soonest = TW_NEVER;
    for (int i = 0; i < 2; i++)
        if (set->instances[i].timers) {
            struct instance *at = batch.at = &set->instances[i];
            TWT_DESIGN(set)->advance(at->timers, to, collect, &batch);
            at->now = to;
            tw_tick next = tickless ? TWT_DESIGN(set)->next(at->timers) : to + 1;
            set->soonest = next < set->soonest ? next : set->soonest;
        }
    set->now = to;
    set->known = false;
    batch_to_ready(&batch);
}

static int64_t pass_run(struct twt_set *set, uint64_t most)
{
    uint64_t ran = 0;
    set->passing = true;
    set->breaking = false;
    while (set->ready.head != 0 && ran < most && !set->breaking) {
        struct twt_timer *timer = timer_of(set->ready.head);
        list_remove(set, timer);
        ran++;
        timer->run(set, timer, timer->argument);
    }
    set->passing = false;
    return (int64_t)ran;
}

int64_t twt_advance_some(struct twt_set *set, tw_tick to, uint64_t most)
{
    int64_t ran = 0;
    if (set->passing)
        return TWT_REFUSED_NESTED;
    if (set->soon.head != 0)
        soon_take(set);
    if (to >= set->soonest)
        collect_all(set, to);
    else if (to > set->now)
        set->now = to;
    if (__builtin_expect(set->ready.head != 0, 0))
        ran = pass_run(set, most);
    if (__builtin_expect(set->old != NULL, 0))
        move_some(set);
    return ran;
}
int64_t twt_advance(struct twt_set *set, tw_tick to)
{
    return twt_advance_some(set, to, UINT64_MAX);
}

void twt_break(struct twt_set *set)
{
    set->breaking = true;
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

struct asking {
    struct twt_set *set;
    const struct instance *at;
};

static void visit_soonest(void *ctx, const struct tw_view *view)
{
    struct asking *asking = (struct asking *)ctx;
    soonest_lower(asking->set, timer_of(asking->at->owners[view->id])->deadline);
}

/* Where no hops are in the way, which come up before their deadlines. */
static tw_tick design_first(struct twt_set *set, struct tw_timers *timers)
{
    return set->exact ? set->exact->next(timers) : TWT_DESIGN(set)->next(timers);
}

static void soonest_find(struct twt_set *set)
{
    bool exact = (TWT_DESIGN(set)->traits.flags & TW_NEXT_EXACT || set->exact) && set->hops == 0;
    set->soonest = TW_NEVER;
    for (int i = 0; i < 2; i++) {
        struct asking asking = {set, &set->instances[i]};
        if (asking.at->held > 0 && exact)
            soonest_lower(set, design_first(set, asking.at->timers));
        else if (asking.at->held > 0)
            TWT_DESIGN(set)->visit(asking.at->timers, visit_soonest, &asking);
    }
    set->known = true;
}

/* `next`, or what is due, or waits for memory, before. */
static tw_tick listed_before(const struct twt_set *set, tw_tick next)
{
    for (uint64_t at = set->soon.head; at != 0 && next > set->now; at = timer_of(at)->order)
        next = timer_of(at)->deadline < next ? timer_of(at)->deadline : next;
    return next;
}

tw_tick twt_next(struct twt_set *set)
{
    if (set->ready.head != 0)
        return timer_of(set->ready.head)->deadline;
    if (!set->known)
        soonest_find(set);
    return listed_before(set, set->soonest);
}

tw_tick twt_wake(const struct twt_set *set)
{
    uint64_t held = set->instances[0].held + set->instances[1].held;
    if (set->ready.head != 0)
        return timer_of(set->ready.head)->deadline;
    return listed_before(set, held > 0 ? set->soonest : TW_NEVER);
}

tw_tick twt_now(const struct twt_set *set)
{
    return set->now;
}

uint64_t twt_count(const struct twt_set *set)
{
    return set->instances[0].held + set->instances[1].held + set->listed;
}

void twt_visit(const struct twt_set *set, twt_visit_fn *visit, void *ctx)
{
    for (int i = 0; i < 2; i++)
        for (uint32_t id = 0; id < set->instances[i].fresh; id++) {
            uint64_t owner = set->instances[i].owners[id];
            if (!(owner & IS_FREE))
                visit(ctx, timer_of(owner));
        }
    for (uint64_t at = set->ready.head; at != 0; at = timer_of(at)->order)
        visit(ctx, timer_of(at));
    for (uint64_t at = set->soon.head; at != 0; at = timer_of(at)->order)
        visit(ctx, timer_of(at));
}

void twt_growth(const struct twt_set *set, struct twt_growth *out)
{
    *out = set->growth;
    out->capacity = set->current->capacity;
    out->instances = 1u + (set->old != NULL);
}

/* ---- Check. ---------------------------------------------------------------------------------- */

static const char *list_check(const struct list *list, uint64_t *count)
{
    const uint64_t *from = &list->head;
    while (*from != 0) {
        const struct twt_timer *timer = timer_of(*from);
        if (timer->place != word_of(from))
            return "a timer that is due does not lead back to the one before";
        from = &timer->order;
        ++*count;
    }
    return from == list->tail ? NULL : "a list of due timers does not end at its tail";
}

struct checking {
    const struct instance *at;
    uint64_t held;
    tw_tick soonest;
    const char *broken;
};

static void visit_check(void *ctx, const struct tw_view *view)
{
    struct checking *checking = (struct checking *)ctx;
    const struct instance *at = checking->at;
    uint64_t owner = view->id < at->fresh ? at->owners[view->id] : IS_FREE;
    if (owner & IS_FREE) {
        checking->broken = "a design holds an id that is free";
        return;
    }
    const struct twt_timer *timer = timer_of(owner);
    bool hop = (owner & IS_HOP) != 0;
    if (hop ? view->deadline >= timer->deadline : view->deadline != timer->deadline)
        checking->broken = "a design has a timer at another tick than its handle";
    if (timer->deadline < checking->soonest)
        checking->soonest = timer->deadline;
    checking->held++;
}

static const char *owners_check(const struct instance *at, uint64_t *hops)
{
    uint64_t free_ids = 0, on_list = 0;
    for (uint32_t id = 0; id < at->fresh; id++) {
        uint64_t owner = at->owners[id];
        free_ids += owner & IS_FREE;
        if (owner & IS_FREE)
            continue;
        *hops += (owner & IS_HOP) != 0;
        if (timer_of(owner)->place != place_of(at, id))
            return "the handle of an id has another place";
    }
    for (uint32_t id = at->free; id != 0 && on_list <= free_ids; on_list++) {
        uint64_t owner = id <= at->fresh ? at->owners[id - 1] : 0;
        if (!(owner & IS_FREE))
            return "the free list has an id that is in use";
        id = (uint32_t)(owner >> 3);
    }
    return on_list == free_ids && at->held == at->fresh - free_ids
               ? NULL
               : "the free list and the number of timers do not agree";
}

const char *twt_check(const struct twt_set *set)
{
    uint64_t listed = 0, hops = 0;
    struct checking checking = {NULL, 0, TW_NEVER, NULL};
    const char *broken = list_check(&set->ready, &listed);
    if (!broken)
        broken = list_check(&set->soon, &listed);
    if (!broken && listed != set->listed)
        broken = "the timers that are due are miscounted";
    for (int i = 0; i < 2 && !broken; i++) {
        const struct instance *at = checking.at = &set->instances[i];
        checking.held = 0;
        if (!at->timers)
            continue;
        broken = owners_check(at, &hops);
        if (!broken)
            broken = TWT_DESIGN(set)->check(at->timers);
        if (!broken)
            TWT_DESIGN(set)->visit(at->timers, visit_check, &checking);
        broken = broken ? broken : checking.broken;
        if (!broken && checking.held != at->held)
            broken = "a design does not hold exactly the timers that have ids";
    }
    if (!broken && hops != set->hops)
        broken = "hops are miscounted";
    if (!broken && (set->soonest > checking.soonest || set->soonest <= set->now))
        broken = "a timer is due before the soonest deadline";
    if (!broken && set->known && set->soonest != checking.soonest)
        broken = "the soonest deadline is not that of any timer";
    return broken;
}
