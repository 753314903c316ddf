/*
 * twt.c - timers with handles over any exact design: ids, growth, order, and passes that end.
 *
 *     handle ---- place = id ----> owners[id] ---- pointer and tags ----> handle
 *
 *     ids 0 .. capacity-1    instance 0 of the design        while it grows: instance 1, of twice the ids
 *                            |###########|                   |...........:...........|
 *                                 cursor -> each call moves a few timers with the same ids
 *
 *     soon     due already when they were started; the next pass runs them
 *     batch    what the design gives in this pass, by deadline and order of start
 *     ready    what the pass runs, first to last; what `most` leaves over stays for the next one
 *
 * All that is due leaves the design before the first callback runs, so a callback finds the design between two calls
 * and may do anything.  Owners lie in segments that double, and none is ever copied.  A deadline beyond the span of the design waits at the
 * end of the span, and goes on from there (a hop).
 *
 * Invariants, tested by check in this order:
 *  1. ready and soon are linked both ways, and end where their tails say.
 *  2. A free id is on the free list once; each other one has a handle whose place leads back.
 *  3. Both designs' own checks hold, and each holds exactly the ids that are tagged for it, at the handle's deadline or, for a hop,
 *     before it.
 *  4. `soonest`, where it is known, is the earliest deadline.
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

#define SEGMENTS    32u
#define FIRST       1024u /* ids, unless the caller says another number */
#define PLACE_NEVER UINT64_C(1)
#define PLACE_ID                                                                                   \
    UINT64_C(2) /* with the id above two bits; else the address of the link that leads here */
#define PLACE_TAGS UINT64_C(3)

/* Of an owner. */
#define IS_FREE   UINT64_C(1) /* the rest is the next free id and one, above three bits */
#define IN_SECOND UINT64_C(2) /* held by instance 1 */
#define IS_HOP    UINT64_C(4) /* in the design at an earlier tick than its deadline */
#define TAGS      UINT64_C(7)

_Static_assert(_Alignof(struct twt_timer) > TAGS, "a handle's address has room for tags");

struct list {
    uint64_t head;
    uint64_t *tail; /* the link of the last */
};

struct twt_set {
    const struct tw_backend *design;
    const struct tw_exact *exact; /* NULL: the design's next is exact, or all timers are visited */
    struct tw_timers *at[2];
    tw_tick now;
    tw_tick span; /* of the designs; TW_DEADLINE_MAX: any */
    tw_tick soonest;
    bool known; /* `soonest` is the earliest deadline in the design */
    bool passing, breaking;
    uint32_t current;            /* the instance that starts go to */
    uint32_t free;               /* the first free id, and one; 0: none */
    uint32_t fresh;              /* ids that were ever used */
    uint32_t capacity;           /* of the current instance */
    uint32_t shift;              /* the first segment has 1 << shift ids */
    uint32_t cursor, cursor_end; /* ids of the old instance that are still to be looked at */
    uint32_t hops;
    uint64_t orders, held, listed; /* starts so far; timers in the design; in ready and soon */
    struct list ready, soon;
    struct twt_timer *batch, *batch_last;
    bool unsorted;
    struct twt_growth growth;
    tw_tick horizon;
    size_t setting_count;
    struct tw_setting *settings;
    uint64_t *owners[SEGMENTS];
};

/* ---- Owners. --------------------------------------------------------------------------------- */

static inline uint64_t *owner_of(const struct twt_set *set, uint32_t id)
{
    uint32_t high = id >> set->shift;
    if (high == 0)
        return &set->owners[0][id];
    uint32_t bit = 31u - (uint32_t)__builtin_clz(high);
    return &set->owners[bit + 1][id - (UINT32_C(1) << (bit + set->shift))];
}

static inline struct twt_timer *timer_of(uint64_t word)
{
    return (struct twt_timer *)(uintptr_t)(word & ~TAGS);
}

static inline uint64_t word_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static inline uint32_t instance_of(uint64_t owner)
{
    return (owner & IN_SECOND) != 0;
}

/* Of an owner in use.  With one instance it is not read: that would cost a cache line. */
static inline uint32_t holder_of(const struct twt_set *set, const uint64_t *owner)
{
    return set->at[!set->current] ? instance_of(*owner) : set->current;
}

static inline uint32_t id_of(const struct twt_timer *timer)
{
    return (uint32_t)(timer->place >> 2);
}

static inline bool has_id(const struct twt_timer *timer)
{
    return (timer->place & PLACE_TAGS) == PLACE_ID;
}

static inline void id_release(struct twt_set *set, uint32_t id, uint64_t *owner)
{
    if (set->hops > 0)
        set->hops -= (*owner & IS_HOP) != 0;
    *owner = (uint64_t)set->free << 3 | IS_FREE;
    set->free = id + 1;
    set->held--;
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

static int instance_open(struct twt_set *set, uint32_t which, uint32_t capacity,
                         struct tw_error *error)
{
    struct tw_config config;
    struct tw_description description;
    memset(&config, 0, sizeof config);
    config.capacity = capacity;
    config.now = set->now;
    config.horizon = set->horizon;
    config.settings = set->settings;
    config.setting_count = set->setting_count;
    int status = TWT_DESIGN(set)->open(&set->at[which], &config, error);
    if (status != TW_OK)
        return status;
    TWT_DESIGN(set)->describe(set->at[which], &description);
    set->span = description.span < set->span ? description.span : set->span;
    set->capacity = capacity;
    set->current = which;
    return TW_OK;
}

/* The segment behind all ids so far: of as many as there are, or of the first ones. */
static bool segment_open(struct twt_set *set, uint32_t segment, uint32_t count)
{
    if (!set->owners[segment])
        set->owners[segment] = (uint64_t *)malloc(count * sizeof(uint64_t));
    if (!set->owners[segment])
        return false;
    set->growth.bytes += count * sizeof(uint64_t);
    return true;
}

static int grow(struct twt_set *set)
{
    struct tw_error error;
    uint32_t segment = 32u - (uint32_t)__builtin_clz(set->capacity >> set->shift);
    uint32_t more = set->capacity;
    if (set->capacity > TW_CAPACITY_MAX / 2 || segment >= SEGMENTS || set->at[!set->current])
        return TW_REFUSED_FULL;
    if (!segment_open(set, segment, more))
        return TW_REFUSED_MEMORY;
    if (instance_open(set, !set->current, set->capacity * 2, &error) != TW_OK) {
        set->growth.bytes -= more * sizeof(uint64_t);
        free(set->owners[segment]);
        set->owners[segment] = NULL;
        return TW_REFUSED_MEMORY;
    }
    set->cursor = 0;
    set->cursor_end = more;
    set->growth.grown++;
    return TW_OK;
}

/* The tick at which the design has a timer: the deadline, or the end of its span. */
static inline tw_tick target_of(const struct twt_set *set, tw_tick deadline, tw_tick now)
{
    return deadline - now <= set->span ? deadline : now + set->span;
}

/* Writes an owner; hops are counted. */
static inline void owner_set(struct twt_set *set, uint64_t *owner, const struct twt_timer *timer,
                             bool hop)
{
    set->hops += hop;
    *owner = word_of(timer) | (set->current ? IN_SECOND : 0) | (hop ? IS_HOP : 0);
}

/* Moves the timer of an id from the old instance; one that the new one refuses is asked for again. */
static bool move_one(struct twt_set *set, uint32_t id)
{
    uint64_t *owner = owner_of(set, id);
    if (*owner & IS_FREE || instance_of(*owner) == set->current)
        return true;
    struct twt_timer *timer = timer_of(*owner);
    tw_tick target = target_of(set, timer->deadline, set->now);
    if (TWT_DESIGN(set)->start(set->at[set->current], id, target) < 0)
        return false;
    TWT_DESIGN(set)->stop(set->at[!set->current], id);
    set->hops -= (*owner & IS_HOP) != 0;
    owner_set(set, owner, timer, target != timer->deadline);
    set->growth.moved++;
    return true;
}

__attribute__((noinline)) static void move_some(struct twt_set *set)
{
    uint64_t before = set->growth.moved;
    for (uint32_t i = 0; i < TWT_MOVES && set->cursor < set->cursor_end; i++) {
        if (!move_one(set, set->cursor))
            break;
        set->cursor++;
    }
    uint32_t moved = (uint32_t)(set->growth.moved - before);
    set->growth.most_moved = moved > set->growth.most_moved ? moved : set->growth.most_moved;
    if (set->cursor < set->cursor_end)
        return;
    TWT_DESIGN(set)->close(set->at[!set->current]);
    set->at[!set->current] = NULL;
}

/* An id that nobody has, whose owner is the caller's to set; the number of it or a refusal. */
static inline int64_t id_take(struct twt_set *set)
{
    if (set->free != 0) {
        uint32_t id = set->free - 1;
        set->free = (uint32_t)(*owner_of(set, id) >> 3);
        return id;
    }
    if (set->fresh == set->capacity) {
        int status = grow(set);
        if (status < 0)
            return status;
    }
    return set->fresh++;
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

static uint32_t shift_of(uint32_t capacity)
{
    uint32_t shift = 0;
    while ((UINT32_C(1) << shift) < capacity)
        shift++;
    return shift;
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
    set->shift = shift_of(capacity);
    set->ready.tail = &set->ready.head;
    set->soon.tail = &set->soon.head;
    set->known = true;
    set->soonest = TW_NEVER;
    set->growth.bytes = sizeof *set;
    status = TW_REFUSED_MEMORY;
    if (settings_copy(set, config) && segment_open(set, 0, UINT32_C(1) << set->shift))
        status = instance_open(set, 0, UINT32_C(1) << set->shift, error);
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
        if (set->at[i])
            TWT_DESIGN(set)->close(set->at[i]);
    for (uint32_t i = 0; i < SEGMENTS; i++)
        free(set->owners[i]);
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

static inline void detach_id(struct twt_set *set, struct twt_timer *timer)
{
    uint64_t *owner = owner_of(set, id_of(timer));
    TWT_DESIGN(set)->stop(set->at[holder_of(set, owner)], id_of(timer));
    id_release(set, id_of(timer), owner);
    soonest_forget(set, timer->deadline);
    timer->place = 0;
}

static void detach(struct twt_set *set, struct twt_timer *timer)
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
    detach(set, timer);
    if (set->at[!set->current])
        move_some(set);
    return TW_OK;
}

static inline void soonest_lower(struct twt_set *set, tw_tick deadline)
{
    if (deadline < set->soonest)
        set->soonest = deadline;
}

/* Starts what is in the design already. */
static int start_held(struct twt_set *set, struct twt_timer *timer, tw_tick deadline)
{
    uint32_t id = id_of(timer);
    uint64_t *owner = owner_of(set, id);
    uint32_t instance = holder_of(set, owner);
    tw_tick target = target_of(set, deadline, set->now);
    int status = TWT_DESIGN(set)->start(set->at[set->current], id, target);
    if (status < 0)
        return status;
    if (instance != set->current)
        TWT_DESIGN(set)->stop(set->at[instance], id);
    if (set->at[!set->current] || set->hops > 0 || target != deadline) {
        set->hops -= (*owner & IS_HOP) != 0;
        owner_set(set, owner, timer, target != deadline);
    }
    soonest_forget(set, timer->deadline);
    soonest_lower(set, deadline);
    timer->deadline = deadline;
    timer->order = set->orders++;
    return TW_REARMED;
}

static int start_new(struct twt_set *set, struct twt_timer *timer, tw_tick deadline)
{
    int64_t id = id_take(set);
    if (id < 0)
        return (int)id;
    tw_tick target = target_of(set, deadline, set->now);
    uint64_t *owner = owner_of(set, (uint32_t)id);
    int status = TWT_DESIGN(set)->start(set->at[set->current], (tw_id)id, target);
    set->held++;
    if (status < 0) {
        *owner = 0;
        id_release(set, (uint32_t)id, owner);
        return status;
    }
    if (timer->place != 0) {
        detach(set, timer);
        status = TW_REARMED;
    }
    owner_set(set, owner, timer, target != deadline);
    if (set->held == 1) {
        set->known = true;
        set->soonest = deadline;
    } else {
        soonest_lower(set, deadline);
    }
    timer->deadline = deadline;
    timer->order = set->orders++;
    timer->place = (uint64_t)id << 2 | PLACE_ID;
    return status;
}

/* One that is due already, or never. */
static int start_aside(struct twt_set *set, struct twt_timer *timer, tw_tick deadline)
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
    if (deadline <= set->now || deadline == TW_NEVER)
        status = start_aside(set, timer, deadline);
    else if (has_id(timer))
        status = start_held(set, timer, deadline);
    else
        status = start_new(set, timer, deadline);
    if (set->at[!set->current])
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
        uint64_t *owner = owner_of(set, id_of(from));
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
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->order < b->order;
}

/* Most designs give the timers of a tick first to last or last to first: no sort is needed for either. */
static void batch_add(struct twt_set *set, struct twt_timer *timer)
{
    timer->place = 0;
    if (!set->batch) {
        set->batch = set->batch_last = timer;
    } else if (is_before(timer, set->batch)) {
        timer->place = word_of(set->batch);
        set->batch = timer;
    } else {
        set->unsorted |= is_before(timer, set->batch_last);
        set->batch_last->place = word_of(timer);
        set->batch_last = timer;
    }
}

/* Has come to its tick in the design: due, or at the end of a hop. */
static void collect(void *ctx, tw_id id, tw_tick now)
{
    struct twt_set *set = (struct twt_set *)ctx;
    uint64_t *owner = owner_of(set, id);
    struct twt_timer *timer = timer_of(*owner);
    if (*owner & IS_HOP && timer->deadline > now) {
        tw_tick target = target_of(set, timer->deadline, now);
        if (TWT_DESIGN(set)->start(set->at[instance_of(*owner)], id, target) >= 0) {
            if (target == timer->deadline) {
                set->hops--;
                *owner &= ~IS_HOP;
            }
            return;
        }
        soonest_forget(set, timer->deadline);
        id_release(set, id, owner); /* no memory: it waits in `soon`, and each pass asks again */
        list_push(set, &set->soon, timer);
        return;
    }
    id_release(set, id, owner);
    batch_add(set, timer);
}

static struct twt_timer *batch_merge(struct twt_timer *a, struct twt_timer *b)
{
    uint64_t head = 0, *tail = &head;
    while (a && b) {
        struct twt_timer **first = is_before(b, a) ? &b : &a;
        *tail = word_of(*first);
        tail = &(*first)->place;
        *first = timer_of(*tail);
    }
    *tail = word_of(a ? a : b);
    return timer_of(head);
}

/* Merges lists of equal length, like a counter in binary: bins[i] has 2^i timers or none. */
static struct twt_timer *batch_sort(struct twt_timer *batch)
{
    struct twt_timer *bins[33] = {NULL}, *sorted = NULL;
    while (batch) {
        struct twt_timer *run = batch;
        batch = timer_of(batch->place);
        run->place = 0;
        int at = 0;
        for (; bins[at]; at++) {
            run = batch_merge(bins[at], run);
            bins[at] = NULL;
        }
        bins[at] = run;
    }
    for (int at = 0; at < 33; at++)
        sorted = bins[at] ? batch_merge(bins[at], sorted) : sorted;
    return sorted;
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

static void collect_all(struct twt_set *set, tw_tick to)
{
    set->batch = set->batch_last = NULL;
    set->unsorted = false;
    for (int i = 0; i < 2; i++)
        if (set->at[i])
            TWT_DESIGN(set)->advance(set->at[i], to, collect, set);
    set->now = to;
    struct twt_timer *timer = set->unsorted ? batch_sort(set->batch) : set->batch;
    if (timer)
        set->known = false;
    while (timer) {
        struct twt_timer *next = timer_of(timer->place);
        list_push(set, &set->ready, timer);
        timer = next;
    }
}

int64_t twt_advance_some(struct twt_set *set, tw_tick to, uint64_t most)
{
    int64_t ran = 0;
    if (set->passing)
        return TWT_REFUSED_NESTED;
    if (set->soon.head != 0)
        soon_take(set);
    if (to > set->now)
        collect_all(set, to);
    set->passing = true;
    set->breaking = false;
    while (set->ready.head != 0 && (uint64_t)ran < most && !set->breaking) {
        struct twt_timer *timer = timer_of(set->ready.head);
        list_remove(set, timer);
        ran++;
        timer->run(set, timer, timer->argument);
    }
    set->passing = false;
    if (set->at[!set->current])
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

static void visit_soonest(void *ctx, const struct tw_view *view)
{
    struct twt_set *set = (struct twt_set *)ctx;
    tw_tick deadline = timer_of(*owner_of(set, view->id))->deadline;
    soonest_lower(set, deadline);
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
    for (int i = 0; i < 2 && set->held > 0; i++)
        if (set->at[i] && exact)
            soonest_lower(set, design_first(set, set->at[i]));
        else if (set->at[i])
            TWT_DESIGN(set)->visit(set->at[i], visit_soonest, set);
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
    tw_tick wake = set->known ? set->soonest : TW_NEVER;
    if (set->ready.head != 0)
        return timer_of(set->ready.head)->deadline;
    for (int i = 0; i < 2 && !set->known && set->held > 0; i++)
        if (set->at[i]) {
            tw_tick next = TWT_DESIGN(set)->next(set->at[i]);
            wake = next < wake ? next : wake;
        }
    return listed_before(set, wake);
}

tw_tick twt_now(const struct twt_set *set)
{
    return set->now;
}

uint64_t twt_count(const struct twt_set *set)
{
    return set->held + set->listed;
}

void twt_visit(const struct twt_set *set, twt_visit_fn *visit, void *ctx)
{
    for (uint32_t id = 0; id < set->fresh; id++) {
        uint64_t owner = *owner_of(set, id);
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
    out->capacity = set->capacity;
    out->instances = 1u + (set->at[!set->current] != NULL);
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
    const struct twt_set *set;
    uint32_t instance;
    uint64_t held;
    tw_tick soonest;
    const char *broken;
};

static void visit_check(void *ctx, const struct tw_view *view)
{
    struct checking *checking = (struct checking *)ctx;
    const struct twt_set *set = checking->set;
    uint64_t owner = view->id < set->fresh ? *owner_of(set, view->id) : IS_FREE;
    if (owner & IS_FREE || instance_of(owner) != checking->instance) {
        checking->broken = "a design holds an id that is not tagged for it";
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

static const char *owners_check(const struct twt_set *set)
{
    uint64_t free_ids = 0, on_list = 0, hops = 0;
    for (uint32_t id = 0; id < set->fresh; id++) {
        uint64_t owner = *owner_of(set, id);
        free_ids += owner & IS_FREE;
        if (owner & IS_FREE)
            continue;
        hops += (owner & IS_HOP) != 0;
        if (timer_of(owner)->place != ((uint64_t)id << 2 | PLACE_ID))
            return "the handle of an id has another place";
    }
    for (uint32_t at = set->free; at != 0 && on_list <= free_ids; on_list++) {
        uint64_t owner = at <= set->fresh ? *owner_of(set, at - 1) : 0;
        if (!(owner & IS_FREE))
            return "the free list has an id that is in use";
        at = (uint32_t)(owner >> 3);
    }
    if (on_list != free_ids || set->held != set->fresh - free_ids)
        return "the free list and the number of timers do not agree";
    return hops == set->hops ? NULL : "hops are miscounted";
}

const char *twt_check(const struct twt_set *set)
{
    uint64_t listed = 0;
    struct checking checking = {set, 0, 0, TW_NEVER, NULL};
    const char *broken = list_check(&set->ready, &listed);
    if (!broken)
        broken = list_check(&set->soon, &listed);
    if (!broken && listed != set->listed)
        broken = "the timers that are due are miscounted";
    if (!broken)
        broken = owners_check(set);
    for (uint32_t i = 0; i < 2 && !broken; i++) {
        if (!set->at[i])
            continue;
        broken = TWT_DESIGN(set)->check(set->at[i]);
        checking.instance = i;
        if (!broken)
            TWT_DESIGN(set)->visit(set->at[i], visit_check, &checking);
        broken = broken ? broken : checking.broken;
    }
    if (!broken && checking.held != set->held)
        broken = "the designs do not hold exactly the timers that have ids";
    if (!broken && set->known && set->soonest != checking.soonest)
        broken = "the soonest deadline is not that of any timer";
    return broken;
}
