/*
 * twt.c - timers with handles over any exact design: ids, growth, order, and passes that end.
 *
 *     handle ---- place = id and instance ----> owners[id] ---- pointer and tags ----> handle
 *
 *     An instance is one of the design with a table of owners and a stack of free ids.  New ids come in order of arrival, so the
 *     design's memory is made ready bit by bit.  While the set grows there are two: starts go to `current`, and each call moves a few from `old`.
 *
 *         old      |xx.x.xxxx|                 current  |xxxxxxx:           |   of twice the ids
 *                       cursor ->                                fresh ->
 *
 *     soon     due already when they were started; the next pass runs them
 *     block    what a pass has found due, first to last; it runs from there if there is room for all
 *     bins     sorted runs of many blocks, merged
 *     ready    what the pass runs else, first to last; what `most` leaves over stays for the next one
 *
 * All that is due leaves the design, and gives its ids back, before the first callback runs.  So a callback finds the design
 * between two calls and may do anything.
 * Where the design's next has been asked, its clock stands still until a timer may be due.  A deadline beyond the span of the
 * design waits at the end of the span, and goes on from there (a hop).
 *
 * Invariants, tested by check in this order:
 *  1. ready and soon are linked both ways, and end where their tails say; who is in the block knows where.
 *  2. A free id is on its instance's stack once; each other one below `fresh` has a handle whose place leads back.
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

#define TW_PART(design, kind)                                                                      \
    extern const struct tw_backend tw_##design##_timed;                                            \
    extern const struct tw_##kind tw_##design##_##kind##_timed;
#include "impls/parts.def"
#undef TW_PART

static const void *exact_of(const struct tw_backend *design)
{
#define TW_PART(name, kind)                                                                        \
    if (design == &tw_##name##_timed && strcmp(#kind, "exact") == 0)                               \
        return &tw_##name##_##kind##_timed;
#include "impls/parts.def"
#undef TW_PART
    return NULL;
}
#endif

#define FIRST       1024u /* ids, unless the caller says another number */
#define PLACE_NEVER UINT64_C(1)
/* With the id above two bits, and the instance in bit 0; else the address of the word that leads here. */
#define PLACE_ID   UINT64_C(2)
#define PLACE_KIND UINT64_C(3)

/* Of an owner. */
#define IS_FREE UINT64_C(1) /* of the old instance; else the stack alone tells */
#define IS_HOP  UINT64_C(2) /* in the design at an earlier tick than its deadline */
#define TAGS    UINT64_C(7)

#define BYTES (sizeof(uint64_t) + sizeof(uint32_t)) /* of an id */
#define BLOCK 32u                                   /* timers that are sorted at once */

_Static_assert(_Alignof(struct twt_timer) > TAGS, "a handle's address has room for tags");

struct list {
    uint64_t head;
    uint64_t *tail; /* the link of the last */
};

struct instance {
    struct tw_timers *timers; /* NULL: closed */
    uint64_t *owners;
    uint32_t *free; /* ids, the next one last; behind the owners */
    uint32_t free_count;
    uint32_t fresh;    /* ids that were ever used */
    uint32_t capacity; /* ids */
    uint32_t which;    /* 0 or 1 */
    tw_tick now;       /* the design's clock: not after the set's */
};

/* Linked by `place`, first to last; or nobody. */
struct run {
    struct twt_timer *first, *last;
};

struct twt_set {
    const struct tw_backend *design;
    tw_tick now;
    tw_tick limit;   /* deadlines up to it, at least, are in the span; 0: nobody knows */
    tw_tick soonest; /* no timer in a design is due before; 0: nobody has asked */
    struct instance *current, *old; /* where starts go; NULL unless the set grows */
    uint64_t quick;  /* kind of place of a timer that is nothing special; or of none */
    uint64_t orders; /* starts so far */
    uint32_t block_at, block_count; /* those before have run */
    uint32_t room;                  /* of the block, for who is nothing special */
    bool known;                     /* `soonest` is the earliest deadline in the designs */
    bool passing, breaking, closing;
    bool sure;              /* the design refuses no deadline in its span */
    struct instance *asked; /* by a pass: the current one, but while there is an old one */
    struct instance instances[2];
    uint64_t block[BLOCK]; /* 0: stopped since */
    struct list ready, soon;
    struct run bins[32]; /* of 2^i blocks, or none */
    uint32_t bin_count;
    uint32_t hops;
    uint64_t listed;              /* timers in ready and soon */
    uint32_t cursor;              /* ids of the old instance below it have been looked at */
    tw_tick span;                 /* of the designs; TW_DEADLINE_MAX: any */
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

static inline uint32_t id_of(uint64_t place)
{
    return (uint32_t)(place >> 2);
}

static inline struct instance *instance_of(struct twt_set *set, uint64_t place)
{
    return &set->instances[place & 1];
}

static inline void id_free(struct instance *at, uint32_t id)
{
    at->free[at->free_count++] = id;
}

/* Timers in the designs. */
static uint64_t held_of(const struct twt_set *set)
{
    uint64_t held = 0;
    for (int i = 0; i < 2; i++)
        held += set->instances[i].fresh - set->instances[i].free_count;
    return held;
}

/* Nothing special is an id of the only instance while there are no hops: its owner need not be read. */
static void quick_set(struct twt_set *set)
{
    tw_tick now = set->current->now;
    bool plain = !set->old && set->hops == 0;
    set->quick = plain ? PLACE_ID | set->current->which : PLACE_KIND + 1;
    set->room = plain ? BLOCK : 0;
    set->limit = set->span < TW_DEADLINE_MAX - now ? now + set->span : TW_DEADLINE_MAX;
    if (set->old || !set->sure)
        set->limit = 0;
}

static void hops_add(struct twt_set *set, uint32_t more)
{
    set->hops += more;
    quick_set(set);
}

/* Of a timer that has left the design. */
static void id_release(struct twt_set *set, uint64_t place)
{
    struct instance *at = instance_of(set, place);
    if (set->hops > 0 && at->owners[id_of(place)] & IS_HOP)
        hops_add(set, UINT32_MAX);
    at->owners[id_of(place)] = IS_FREE;
    id_free(at, id_of(place));
}

/* ---- The block. ------------------------------------------------------------------------------ */

static inline bool in_block(const struct twt_set *set, uint64_t place)
{
    return place - word_of(set->block) < sizeof set->block;
}

/* The first in the block that has not run. */
static const struct twt_timer *block_first(const struct twt_set *set)
{
    for (uint32_t at = set->block_at; at < set->block_count; at++)
        if (set->block[at] != 0)
            return timer_of(set->block[at]);
    return NULL;
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
    if (in_block(set, timer->place)) {
        *from = 0;
        return;
    }
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
    set->growth.bytes -= at->capacity * BYTES;
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
    uint64_t *owners = (uint64_t *)malloc(capacity * BYTES);
    int status =
        owners ? TWT_DESIGN(set)->open(&at->timers, &config, error) : (int)TW_REFUSED_MEMORY;
    if (status != TW_OK) {
        free(owners);
        return status;
    }
    TWT_DESIGN(set)->describe(at->timers, &description);
    set->span = description.span < set->span ? description.span : set->span;
    at->owners = owners;
    at->free = (uint32_t *)(owners + capacity);
    at->now = set->now;
    at->capacity = capacity;
    at->which = which;
    set->growth.bytes += capacity * BYTES;
    set->current = set->asked = at;
    quick_set(set);
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
    quick_set(set);
    return TW_OK;
}

/* An id of the current instance that nobody has, whose owner is the caller's to set; or there is none. */
static inline bool id_take(struct instance *at, uint32_t *id)
{
    if (at->free_count > 0) {
        *id = at->free[--at->free_count];
        return true;
    }
    *id = at->fresh;
    at->fresh += at->fresh < at->capacity;
    return at->fresh != *id;
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
    uint32_t id;
    if (!id_take(set->current, &id)) {
        int status = grow(set);
        if (status < 0)
            return status;
        id_take(set->current, &id);
    }
    struct instance *at = set->current;
    tw_tick target = target_of(set, deadline, at->now);
    int status = TWT_DESIGN(set)->start(at->timers, id, target);
    if (status < 0) {
        id_free(at, id);
        return status;
    }
    at->owners[id] = word_of(timer) | (target != deadline ? IS_HOP : 0);
    if (target != deadline)
        hops_add(set, 1);
    *place = place_of(at, id);
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
    id_release(set, timer->place);
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
    quick_set(set);
}

/* ---- Open and close. ------------------------------------------------------------------------- */

static int design_refuse(const struct twt_config *config, struct tw_error *error)
{
    const struct tw_backend *design = TWT_DESIGN(config);
    const char *wrong =
        !design                                   ? "there is none, or none of that name"
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
    set->sure = !(set->design->traits.flags & TW_ALLOCATES) && config->setting_count == 0;
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
    if (set->passing) { /* the pass does it */
        set->closing = set->breaking = true;
        return;
    }
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

/* Ends whatever pends. */
__attribute__((noinline)) static void detach(struct twt_set *set, struct twt_timer *timer)
{
    uint64_t place = timer->place;
    if (has_id(timer)) {
        struct instance *at = instance_of(set, place);
        TWT_DESIGN(set)->stop(at->timers, id_of(place));
        id_release(set, place);
        soonest_forget(set, timer->deadline);
    } else if (place > PLACE_NEVER) {
        list_remove(set, timer);
    }
    timer->place = 0;
}

__attribute__((noinline)) static int stop_any(struct twt_set *set, struct twt_timer *timer)
{
    if (timer->place == 0)
        return TW_IDLE;
    detach(set, timer);
    if (set->old)
        move_some(set);
    return TW_OK;
}

int twt_stop(struct twt_set *set, struct twt_timer *timer)
{
    uint64_t place = timer->place;
    if (__builtin_expect((place & PLACE_KIND) != set->quick, 0))
        return stop_any(set, timer);
    struct instance *at = set->current;
    timer->place = 0;
    soonest_forget(set, timer->deadline);
    id_free(at, id_of(place));
    return TWT_DESIGN(set)->stop(at->timers, id_of(place));
}

/* It pends under the id of `place`. */
static inline void start_note(struct twt_set *set, struct twt_timer *timer, tw_tick deadline,
                              uint64_t place)
{
    soonest_lower(set, deadline);
    timer->place = place;
    timer->deadline = deadline;
    timer->order = set->orders++;
}

/* Starts what the current instance has already. */
static int start_held(struct twt_set *set, struct twt_timer *timer, tw_tick deadline)
{
    uint32_t id = id_of(timer->place);
    uint64_t *owner = &set->current->owners[id];
    tw_tick target = target_of(set, deadline, set->current->now);
    int status = TWT_DESIGN(set)->start(set->current->timers, id, target);
    if (status < 0)
        return status;
    hops_add(set, (target != deadline) - (uint32_t)((*owner & IS_HOP) != 0));
    *owner = word_of(timer) | (target != deadline ? IS_HOP : 0);
    soonest_forget(set, timer->deadline);
    start_note(set, timer, deadline, timer->place);
    return TW_REARMED;
}

/* Of one that is in no instance, or in the old one. */
static int start_new(struct twt_set *set, struct twt_timer *timer, tw_tick deadline)
{
    uint64_t place;
    int status = id_start(set, timer, deadline, &place);
    if (status < 0)
        return status;
    if (timer->place != 0) {
        detach(set, timer);
        status = TW_REARMED;
    }
    start_note(set, timer, deadline, place);
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

__attribute__((noinline)) static int start_any(struct twt_set *set, struct twt_timer *timer,
                                               tw_tick deadline)
{
    int status;
    quick_set(set);
    if (deadline <= set->now || deadline == TW_NEVER)
        status = start_aside(set, timer, deadline);
    else if (has_id(timer) && instance_of(set, timer->place) == set->current)
        status = start_held(set, timer, deadline);
    else
        status = start_new(set, timer, deadline);
    if (set->old)
        move_some(set);
    return status;
}

/* All is noted before the design is called, which ends what nobody has to wait for: it refuses nothing. */
int twt_start(struct twt_set *set, struct twt_timer *timer, tw_tick deadline)
{
    struct instance *at = set->current;
    uint64_t place = timer->place;
    uint32_t id = id_of(place);
    if (__builtin_expect(deadline <= set->now || deadline > set->limit, 0))
        return start_any(set, timer, deadline);
    if (place != 0) {
        if (__builtin_expect((place & PLACE_KIND) != set->quick, 0))
            return start_any(set, timer, deadline);
        soonest_forget(set, timer->deadline);
    } else {
        if (!id_take(at, &id))
            return start_any(set, timer, deadline);
        at->owners[id] = word_of(timer);
        place = place_of(at, id);
    }
    start_note(set, timer, deadline, place);
    return TWT_DESIGN(set)->start(at->timers, id, deadline);
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
        uint64_t *owner = &instance_of(set, from->place)->owners[id_of(from->place)];
        *owner = word_of(to) | (*owner & TAGS);
    } else if (from->place > PLACE_NEVER) {
        *(uint64_t *)(uintptr_t)from->place = word_of(to);
        if (in_block(set, from->place))
            ;
        else if (to->order != 0)
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

static inline bool word_is_before(uint64_t a, uint64_t b)
{
    return is_before(timer_of(a), timer_of(b));
}

/* The block in order.  Many designs give equals last to first: such a run is turned round.  A run that begins too late is
 * inserted one by one. */
static void block_sort(struct twt_set *set)
{
    uint64_t *block = set->block, moved;
    for (uint32_t begin = 0, end; begin < set->block_count; begin = end) {
        for (end = begin + 1; end < set->block_count; end++)
            if (!word_is_before(block[end], block[end - 1]))
                break;
        for (uint32_t i = begin, j = end - 1; i < j; i++, j--) {
            moved = block[i];
            block[i] = block[j];
            block[j] = moved;
        }
        for (uint32_t i = begin; begin > 0 && i < end; i++) {
            uint32_t to = i;
            moved = block[i];
            for (; to > 0 && word_is_before(moved, block[to - 1]); to--)
                block[to] = block[to - 1];
            block[to] = moved;
        }
    }
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
__attribute__((noinline)) static void block_to_bins(struct twt_set *set)
{
    block_sort(set);
    struct run run = {timer_of(set->block[0]), timer_of(set->block[0])};
    for (uint32_t i = 1; i < set->block_count; i++) {
        run.last->place = set->block[i];
        run.last = timer_of(set->block[i]);
    }
    run.last->place = 0;
    uint32_t at = 0;
    for (; at < set->bin_count && set->bins[at].first; at++) {
        run = run_merge(set->bins[at], run);
        set->bins[at].first = NULL;
    }
    set->bins[at] = run;
    set->bin_count = at < set->bin_count ? set->bin_count : at + 1;
    set->block_count = 0;
}

static void bins_to_ready(struct twt_set *set)
{
    struct run all = {NULL, NULL};
    for (uint32_t at = 0; at < set->bin_count; at++)
        if (set->bins[at].first)
            all = all.first ? run_merge(set->bins[at], all) : set->bins[at];
    for (struct twt_timer *timer = all.first, *next; timer; timer = next) {
        next = timer_of(timer->place);
        list_push(set, &set->ready, timer);
    }
    set->bin_count = 0;
}

/* True: one that is not due yet, at the end of a hop, has gone on. */
__attribute__((noinline)) static bool hop_on(struct twt_set *set, tw_id id, tw_tick now)
{
    struct instance *at = set->asked;
    struct twt_timer *timer = timer_of(at->owners[id]);
    if (timer->deadline <= now)
        return false;
    tw_tick target = target_of(set, timer->deadline, now);
    if (TWT_DESIGN(set)->start(at->timers, id, target) >= 0) {
        if (target == timer->deadline) {
            hops_add(set, UINT32_MAX);
            at->owners[id] = word_of(timer);
        }
        return true;
    }
    id_release(set, timer->place); /* no memory: it waits in `soon`, and each pass asks again */
    list_push(set, &set->soon, timer);
    return true;
}

/* One more than the block has room for, or than is nothing special. */
__attribute__((noinline)) static void collect_any(struct twt_set *set, tw_id id, tw_tick now)
{
    uint64_t owner = set->asked->owners[id];
    if (owner & IS_HOP && hop_on(set, id, now))
        return;
    if (set->block_count == BLOCK)
        block_to_bins(set);
    set->block[set->block_count++] = owner & ~TAGS;
    id_release(set, place_of(set->asked, id));
}

/* Has come to its tick in the design: due, or at the end of a hop.  The handle may lie on two lines. */
static void collect(void *ctx, tw_id id, tw_tick now)
{
    struct twt_set *set = (struct twt_set *)ctx;
    uint64_t owner = set->asked->owners[id];
    uint32_t at = set->block_count;
    __builtin_prefetch(timer_of(owner));
    __builtin_prefetch(&timer_of(owner)[1].run - 1);
    if (__builtin_expect(at >= set->room, 0)) {
        collect_any(set, id, now);
        return;
    }
    id_free(set->asked, id);
    set->block_count = at + 1;
    set->block[at] = owner;
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

/* What was found due is put in order, and to `ready` where the block has no room for all. */
static void block_end(struct twt_set *set)
{
    if (set->bin_count > 0 || set->ready.head != 0) {
        block_to_bins(set);
        bins_to_ready(set);
        return;
    }
    block_sort(set);
    for (uint32_t i = 0; i < set->block_count; i++)
        timer_of(set->block[i])->place = word_of(&set->block[i]);
}

/* What the pass does not come to goes to `ready`. */
static uint64_t block_run(struct twt_set *set, uint64_t most)
{
    uint64_t ran = 0;
    while (set->block_at < set->block_count && ran < most && !set->breaking) {
        struct twt_timer *timer = timer_of(set->block[set->block_at++]);
        if (!timer)
            continue;
        timer->place = 0;
        ran++;
        timer->run(set, timer, timer->argument);
    }
    for (; set->block_at < set->block_count; set->block_at++)
        if (set->block[set->block_at] != 0)
            list_push(set, &set->ready, timer_of(set->block[set->block_at]));
    set->block_at = set->block_count = 0;
    return ran;
}

static uint64_t ready_run(struct twt_set *set, uint64_t most)
{
    uint64_t ran = 0;
    while (set->ready.head != 0 && ran < most && !set->breaking) {
        struct twt_timer *timer = timer_of(set->ready.head);
        list_remove(set, timer);
        ran++;
        timer->run(set, timer, timer->argument);
    }
    return ran;
}

/* All of a pass but asking the designs. */
__attribute__((noinline)) static int64_t pass_run(struct twt_set *set, uint64_t most)
{
    set->passing = true;
    set->breaking = false;
    if (set->block_count > 0)
        block_end(set);
    uint64_t ran = set->block_count > 0 ? block_run(set, most) : ready_run(set, most);
    set->passing = false;
    if (set->closing)
        twt_close(set);
    else if (set->old)
        move_some(set);
    return (int64_t)ran;
}

static inline void current_ask(struct twt_set *set, tw_tick to)
{
    set->soonest = 0;
    set->known = false;
    TWT_DESIGN(set)->advance(set->current->timers, to, collect, set);
    set->current->now = set->now = to;
}

/* A pass that finds more to do. */
__attribute__((noinline)) static int64_t advance_any(struct twt_set *set, tw_tick to, uint64_t most)
{
    if (set->passing)
        return TWT_REFUSED_NESTED;
    if (set->soon.head != 0)
        soon_take(set);
    if (to > set->now && to >= set->soonest) {
        if (set->old) {
            set->asked = set->old;
            TWT_DESIGN(set)->advance(set->old->timers, to, collect, set);
            set->old->now = to;
            set->asked = set->current;
        }
        current_ask(set, to);
    }
    set->now = to > set->now ? to : set->now;
    return pass_run(set, most);
}

static inline int64_t pass(struct twt_set *set, tw_tick to, uint64_t most)
{
    to -= to == TW_NEVER; /* to which no design has to go */
    if (__builtin_expect(set->listed > 0 || set->passing || set->old || to <= set->now, 0))
        return advance_any(set, to, most);
    if (to < set->soonest) {
        set->now = to;
        return 0;
    }
    current_ask(set, to);
    return set->block_count > 0 ? pass_run(set, most) : 0;
}

int64_t twt_advance_some(struct twt_set *set, tw_tick to, uint64_t most)
{
    return pass(set, to, most);
}

int64_t twt_advance(struct twt_set *set, tw_tick to)
{
    return pass(set, to, UINT64_MAX);
}

void twt_break(struct twt_set *set)
{
    set->breaking = true;
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

struct asking {
    struct twt_set *set;
    const struct instance *at;
    twt_visit_fn *visit;
    void *ctx;
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
        struct asking asking = {set, &set->instances[i], NULL, NULL};
        if (asking.at->timers && exact)
            soonest_lower(set, design_first(set, asking.at->timers));
        else if (asking.at->timers)
            TWT_DESIGN(set)->visit(asking.at->timers, visit_soonest, &asking);
    }
    set->known = true;
}

/* What the designs say at no cost that grows with the timers: they may be early. */
static void soonest_bound(struct twt_set *set)
{
    set->soonest = TW_NEVER;
    for (int i = 0; i < 2; i++)
        if (set->instances[i].timers)
            soonest_lower(set, TWT_DESIGN(set)->next(set->instances[i].timers));
}

/* The first of what is due, if the pass has not come to it. */
static const struct twt_timer *due_first(const struct twt_set *set)
{
    return set->ready.head != 0 ? timer_of(set->ready.head) : block_first(set);
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
    const struct twt_timer *due = due_first(set);
    if (due)
        return due->deadline;
    if (!set->known)
        soonest_find(set);
    return listed_before(set, set->soonest);
}

tw_tick twt_wake(struct twt_set *set)
{
    const struct twt_timer *due = due_first(set);
    if (due)
        return due->deadline;
    if (set->soonest == 0)
        soonest_bound(set);
    return listed_before(set, held_of(set) > 0 ? set->soonest : TW_NEVER);
}

tw_tick twt_now(const struct twt_set *set)
{
    return set->now;
}

uint64_t twt_count(const struct twt_set *set)
{
    uint64_t count = held_of(set) + set->listed;
    for (uint32_t at = set->block_at; at < set->block_count; at++)
        count += set->block[at] != 0;
    return count;
}

static void visit_timer(void *ctx, const struct tw_view *view)
{
    struct asking *asking = (struct asking *)ctx;
    asking->visit(asking->ctx, timer_of(asking->at->owners[view->id]));
}

void twt_visit(const struct twt_set *set, twt_visit_fn *visit, void *ctx)
{
    for (int i = 0; i < 2; i++) {
        struct asking asking = {NULL, &set->instances[i], visit, ctx};
        if (asking.at->timers)
            TWT_DESIGN(set)->visit(asking.at->timers, visit_timer, &asking);
    }
    for (uint32_t at = set->block_at; at < set->block_count; at++)
        if (set->block[at] != 0)
            visit(ctx, timer_of(set->block[at]));
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

const struct tw_timers *twt_instance(const struct twt_set *set)
{
    return set->current->timers;
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

/* Of who has not run. */
static const char *block_check(const struct twt_set *set)
{
    for (uint32_t at = set->block_at; at < set->block_count; at++)
        if (set->block[at] != 0 && timer_of(set->block[at])->place != word_of(&set->block[at]))
            return "a timer in the block is somewhere else";
    return NULL;
}

struct checking {
    const struct instance *at;
    bool *is_free; /* by id */
    uint64_t held; /* of the instance */
    tw_tick soonest;
    const char *broken;
};

static void visit_check(void *ctx, const struct tw_view *view)
{
    struct checking *checking = (struct checking *)ctx;
    const struct instance *at = checking->at;
    if (view->id >= at->fresh || checking->is_free[view->id]) {
        checking->broken = "a design holds an id that is free";
        return;
    }
    uint64_t owner = at->owners[view->id];
    const struct twt_timer *timer = timer_of(owner);
    bool hop = (owner & IS_HOP) != 0;
    if (hop ? view->deadline >= timer->deadline : view->deadline != timer->deadline)
        checking->broken = "a design has a timer at another tick than its handle";
    if (timer->deadline < checking->soonest)
        checking->soonest = timer->deadline;
    checking->held++;
}

static const char *owners_check(struct checking *checking, uint64_t *hops)
{
    const struct instance *at = checking->at;
    for (uint32_t i = 0; i < at->free_count; i++) {
        if (at->free[i] >= at->fresh || checking->is_free[at->free[i]])
            return "the stack of free ids has one that is not free, or twice";
        checking->is_free[at->free[i]] = true;
    }
    for (uint32_t id = 0; id < at->fresh; id++) {
        if (checking->is_free[id])
            continue;
        *hops += (at->owners[id] & IS_HOP) != 0;
        if (at->owners[id] & IS_FREE || timer_of(at->owners[id])->place != place_of(at, id))
            return "the handle of an id has another place";
    }
    return NULL;
}

static const char *instance_check(const struct twt_set *set, struct checking *checking,
                                  uint64_t *hops)
{
    const struct instance *at = checking->at;
    checking->held = 0;
    checking->is_free = (bool *)calloc(at->fresh + 1, sizeof(bool));
    checking->broken = checking->is_free ? owners_check(checking, hops) : "no memory to check";
    if (!checking->broken)
        checking->broken = TWT_DESIGN(set)->check(at->timers);
    if (!checking->broken)
        TWT_DESIGN(set)->visit(at->timers, visit_check, checking);
    if (!checking->broken && checking->held != at->fresh - at->free_count)
        checking->broken = "a design does not hold exactly the timers that have ids";
    free(checking->is_free);
    return checking->broken;
}

const char *twt_check(const struct twt_set *set)
{
    uint64_t listed = 0, hops = 0;
    struct checking checking = {NULL, NULL, 0, TW_NEVER, NULL};
    const char *broken = list_check(&set->ready, &listed);
    if (!broken)
        broken = list_check(&set->soon, &listed);
    if (!broken)
        broken = block_check(set);
    if (!broken && listed != set->listed)
        broken = "the timers that are due are miscounted";
    for (int i = 0; i < 2 && !broken; i++) {
        checking.at = &set->instances[i];
        if (checking.at->timers)
            broken = instance_check(set, &checking, &hops);
    }
    if (!broken && hops != set->hops)
        broken = "hops are miscounted";
    if (!broken && set->soonest > 0 &&
        (set->soonest > checking.soonest || set->soonest <= set->now))
        broken = "a timer is due before the soonest deadline";
    if (!broken && set->known && set->soonest != checking.soonest)
        broken = "the soonest deadline is not that of any timer";
    return broken;
}
