/*
 * film.h - what a script did to a running design, frame by frame: all that a drawing knows.
 *
 * A player makes a film (player.c); drawings for the terminal, SVG and JSON take it as const
 * data and see no design, so that they cannot differ in what they show.
 */
#ifndef TWBENCH_FILM_H
#define TWBENCH_FILM_H

#include "impls/backend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILM_LEVELS_MAX 16
#define FILM_NAME_SIZE  16

/* How the places of a design are laid out. */
enum film_shape {
    FILM_WHEEL, /* levels of slots, each with a pointer */
    FILM_QUEUE, /* one after the other, `slot` being the place */
    FILM_TREE,  /* a heap: `slot` is the index, of which `root` is the first */
    FILM_SET    /* in no order; `slot` is where it happens to be */
};

struct film_level {
    uint64_t size, unit; /* slots; ticks that a slot is worth */
};

/* A running timer, where `visit` found it. */
struct film_timer {
    uint32_t id, level, slot;
    uint64_t rounds, due;
};

enum film_event_kind {
    FILM_STARTED,
    FILM_REARMED,
    FILM_STOPPED,
    FILM_WAS_IDLE, /* a stop of what did not run */
    FILM_REFUSED,  /* a start beyond the reach */
    FILM_FIRED,
    FILM_MOVED, /* to another level: a demotion */
    FILM_ROUNDED
};

struct film_event {
    enum film_event_kind kind;
    uint32_t timer;
    uint64_t tick;                /* started, rearmed: the due tick; fired: when */
    uint64_t late;                /* fired: ticks after it was due */
    uint64_t rounds;              /* started, rearmed */
    uint32_t level, slot;         /* where it is now */
    uint32_t old_level, old_slot; /* moved: where it was */
};

/* The structure after a step. */
struct film_frame {
    char statement[48]; /* as written; "" for the frame before the first */
    bool last;          /* of its statement */
    uint64_t now;
    uint64_t next;             /* what next() answers; UINT64_MAX: nothing runs */
    uint64_t step;             /* advance calls so far: wake-ups of whoever drives it */
    struct tw_work work;       /* so far, as the design counts it; 0 of one that counts nothing */
    struct film_timer *timers; /* by level, slot, and in a slot as visited */
    size_t timer_count;
    struct film_event *events;
    size_t event_count;
};

struct film {
    char design[32];
    char settings[160]; /* "slots=8", "levels=60,60,24"; "" when it has none */
    enum film_shape shape;
    uint32_t arity, root; /* of a tree */
    bool sparse;          /* a tree in which a place may be free: it is not drawn */
    bool distances;       /* a queue whose timers hold their distance to the one before */
    struct film_level levels[FILM_LEVELS_MAX];
    uint32_t level_count; /* of a wheel; at least 1 */
    uint64_t tick_ns;
    uint64_t span_ticks;
    bool counts; /* does the design count its work? */
    char (*names)[FILM_NAME_SIZE];
    uint32_t name_count;
    struct film_frame *frames;
    size_t frame_count;
    char broken[200]; /* "" or what the design did that it must not */
};

/* The slot of a level that the pointer is on. */
uint64_t film_pointer(const struct film *film, uint32_t level, uint64_t now);

/* Is it worth a picture where not all frames can have one: does something happen, or does its statement
 * end? */
bool film_is_key(const struct film *film, size_t frame);

/* "r3", or from 100,000 rounds on "r11.7M": a place among slots has room for no more. */
void film_format_rounds(uint64_t rounds, char *out, size_t size);
/* So much work is counted under that name, "visits", in words or as an identifier; 0 where nothing is. */
uint64_t film_work(const struct film_frame *frame, const char *counter);

/* "10 (10 s)". */
void film_format_tick(const struct film *film, uint64_t tick, char *out, size_t size);

/* "a" from the name, and what became of it: "is due at 10 (10 s): slot 2, round 1". */
void film_format_event(const struct film *film, const struct film_event *event, char *out,
                       size_t size);
/* What to write beside a timer and how to colour it: the event that puts it where it is in this frame,
 * or -1. */
int film_timer_event(const struct film_frame *frame, uint32_t timer);
/* Ticks from the timer before the i-th of a queue to it; of the first, from now. */
uint64_t film_distance(const struct film_frame *frame, size_t i);
/* Is there nothing to draw at that index of a tree? */
bool film_is_free(const struct film *film, const struct film_frame *frame, uint64_t index);
/* The children of an index of a tree are this one and the arity - 1 behind it. */
uint64_t film_first_child(const struct film *film, uint64_t index);
/* One character that tells the kinds apart where there is no colour: + * - v ! ... */
char film_event_sign(enum film_event_kind kind);

/* The timers of a frame in one slot: *count of them from the one answered. */
const struct film_timer *film_slot(const struct film_frame *frame, uint32_t level, uint64_t slot,
                                   size_t *count);

/* A stretch of slots of a level that is drawn as one: one slot, or a gap of several. */
struct film_cell {
    uint64_t first, last;
    size_t timers; /* in all of it */
};

/* Folds a level to at most `max` cells (at least 4): the pointer, the slots that hold something, the
 * neighbours of the pointer, the ends and further neighbours are kept, in this order while there is
 * room; the rest become gaps.  A level of no more slots than that is not folded.  Answers the number of cells. */
size_t film_fold(const struct film *film, const struct film_frame *frame, uint32_t level,
                 struct film_cell *cells, size_t max);

/* Frees the frames too; NULL is none. */
void film_free(struct film *film);

/*
 * kinds.c: how a design is drawn: which shape its places have, and what a slot is worth.
 */

/* Fills shape, arity and levels from what the instance says of itself (`levels`, `slots`, `range` or
 * `timeout` among its settings make a wheel; `units` beside `slots` as many as there are units) and from
 * the table of those that say too little; `capacity` is the instance's.  A design that no row names and that has neither is drawn as a
 * set. */
void kinds_lay_out(const struct tw_backend *design, const struct tw_description *description,
                   uint64_t capacity, struct film *film);

/* The parameter that is set to 0 for a picture, unless somebody has given it: the layout that it stands for has no
 * slots to draw.  NULL: none. */
const char *kinds_left_out(const struct tw_backend *design);

/* Leaves out the upper levels that nothing came to in the whole film, unless somebody has chosen how many
 * there are (and could). */
void kinds_trim(struct film *film, bool chosen);

#endif
