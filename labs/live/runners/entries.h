/*
 * entries.h - what a runner keeps of each timer, for runners whose timers lie under one lock.
 *
 *     entry   0   1   2   3   4        tw_timer = generation << 32 | id
 *           +---+---+---+---+---+
 *           | w | - | r | w | - |      w waits in the design, r is due and on the ready list,
 *           +---+---+---+---+---+      - is free and on the free list
 *
 * The generation counts the timers that a place has had, so that the name of an earlier one finds nothing.
 * 64 bytes each, one cache line.  Nothing here locks: whoever calls has the lock that these entries are under.
 */
#ifndef TWBENCH_ENTRIES_H
#define TWBENCH_ENTRIES_H

#include "opening.h"
#include "runner.h"

enum entry_state {
    ENTRY_OVER,    /* free; never used */
    ENTRY_WAITING, /* accepted, not due */
    ENTRY_READY,   /* taken out of the design, its task has not begun */
    ENTRY_RUNNING, /* periodic: its task runs, and it goes on after that */
    ENTRY_FIRED,   /* once: its task runs or ran */
    ENTRY_STOPPED,
    ENTRY_MARKED, /* stopped, but in the design and in its place until it is due or purged */
    ENTRY_RETURNED
};

struct entry {
    struct tw_task task; /* task.due_ns of a periodic one is that of its next run */
    uint32_t generation;
    uint32_t next;     /* on the free list or the ready list */
    uint32_t previous; /* on the ready list */
    uint32_t state;    /* of enum entry_state */
    uint64_t turn_ns;  /* when ready: the tick on which the design fired it */
};

_Static_assert(sizeof(struct entry) == 64 || sizeof(void *) < 8, "an entry is a cache line");

/* First in, first out; an entry can leave from the middle. */
struct entry_list {
    uint32_t head, tail;
};

struct entries {
    struct entry *all;
    uint32_t capacity;
    uint32_t free;    /* head of the free list: last in, first out, so that a warm one is taken */
    uint32_t pending; /* taken and not given back */
    uint32_t marked;  /* of these, stopped and not out of the design */
    uint32_t base;    /* the id of entry 0 in names, where several of these share the names */
};

/* Whether there was memory. */
static inline bool entries_open(struct entries *entries, uint32_t capacity)
{
    *entries = (struct entries){
        .all = aligned_alloc(sizeof(struct entry), capacity * sizeof(struct entry)),
        .capacity = capacity};
    if (!entries->all)
        return false;
    for (uint32_t id = 0; id < capacity; id++)
        entries->all[id] = (struct entry){.next = id + 1 < capacity ? id + 1 : OPENING_NONE};
    return true;
}

static inline void entries_close(struct entries *entries)
{
    free(entries->all);
}

static inline tw_timer entries_name(const struct entries *entries, uint32_t id)
{
    return (uint64_t)entries->all[id].generation << 32 | (entries->base + id);
}

/* At or above the capacity for a timer of no place here. */
static inline uint32_t entries_id(const struct entries *entries, tw_timer timer)
{
    return (uint32_t)timer - entries->base;
}

/* The entry of that timer, or NULL when its place is another's by now. */
static inline struct entry *entries_find(const struct entries *entries, tw_timer timer)
{
    uint32_t id = entries_id(entries, timer);
    if (id >= entries->capacity || entries->all[id].generation != timer >> 32 || timer >> 32 == 0)
        return NULL;
    return &entries->all[id];
}

/* A place for the task, waiting, or OPENING_NONE when all are taken. */
static inline uint32_t entries_take(struct entries *entries, const struct tw_task *task)
{
    uint32_t id = entries->free;
    if (id == OPENING_NONE)
        return OPENING_NONE;
    struct entry *entry = &entries->all[id];
    entries->free = entry->next;
    entries->pending++;
    uint32_t generation = entry->generation + 1;
    entry->task = *task;
    entry->generation = generation > 0 ? generation : 1;
    entry->state = ENTRY_WAITING;
    return id;
}

/* The place back.  Its state stays, to answer a late stop until it is taken again. */
static inline void entries_give(struct entries *entries, uint32_t id)
{
    entries->all[id].next = entries->free;
    entries->free = id;
    entries->pending--;
}

/* Stopped, with its place kept. */
static inline void entries_mark(struct entries *entries, uint32_t id)
{
    entries->all[id].state = ENTRY_MARKED;
    entries->marked++;
}

/* The place of a marked one back, which has left the design. */
static inline void entries_unmark(struct entries *entries, uint32_t id)
{
    entries->all[id].state = ENTRY_STOPPED;
    entries->marked--;
    entries_give(entries, id);
}

static inline void entries_push(struct entries *entries, struct entry_list *list, uint32_t id)
{
    struct entry *entry = &entries->all[id];
    entry->next = OPENING_NONE;
    entry->previous = list->tail;
    if (list->tail == OPENING_NONE)
        list->head = id;
    else
        entries->all[list->tail].next = id;
    list->tail = id;
}

static inline void entries_unlink(struct entries *entries, struct entry_list *list, uint32_t id)
{
    struct entry *entry = &entries->all[id];
    if (entry->previous == OPENING_NONE)
        list->head = entry->next;
    else
        entries->all[entry->previous].next = entry->next;
    if (entry->next == OPENING_NONE)
        list->tail = entry->previous;
    else
        entries->all[entry->next].previous = entry->previous;
}

/* Gives back what has neither ended nor is running: marks it, and chains it by `next`.  The head. */
static inline uint32_t entries_return(struct entries *entries)
{
    uint32_t head = OPENING_NONE;
    for (uint32_t id = entries->capacity; id-- > 0;) {
        struct entry *entry = &entries->all[id];
        if (entry->state == ENTRY_MARKED)
            entries_unmark(entries, id);
        if (entry->state != ENTRY_WAITING && entry->state != ENTRY_READY)
            continue;
        entry->state = ENTRY_RETURNED;
        entry->next = head;
        head = id;
        entries->pending--;
    }
    return head;
}

/* Calls `returned` for a chain of entries_return, without the lock: nobody else writes these any more. */
static inline void entries_tell(const struct entries *entries, uint32_t head,
                                tw_return_fn *returned, void *ctx)
{
    for (uint32_t id = head; id != OPENING_NONE && returned; id = entries->all[id].next)
        returned(ctx, entries_name(entries, id), entries->all[id].task.argument);
}

/* Sets the due of a periodic task's next run; now is read for TW_FIXED_DELAY only. */
static inline void entry_renew(struct entry *entry, uint64_t now)
{
    uint64_t from = entry->task.repeat == TW_FIXED_RATE ? entry->task.due_ns : now;
    entry->task.due_ns = moment_after(from, entry->task.period_ns);
}

#endif
