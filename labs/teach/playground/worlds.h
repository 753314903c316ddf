/*
 * worlds.h - runs designs on one load, step by step, for the page in the browser.
 *
 * A world is a design with timers that live for ever: each one that fires, or is cancelled, starts again with a new
 * delay.  What happens at a tick follows from the seed and the tick alone, so worlds of the same load do the same
 * operations whatever their design, and exact designs end with the same digest.  Compiled to WebAssembly for the page
 * and natively for the test that compares the digests.
 */
#ifndef TWBENCH_WORLDS_H
#define TWBENCH_WORLDS_H

#include "impls/backend.h"

#define WORLDS        3 /* two side by side, and one for growth */
#define WORLD_LEVELS  16
#define WORLD_BINS    360 /* most that a ring is drawn with */
#define WORLD_SAMPLES 256 /* timers that are drawn one by one */

enum world_delay { DELAY_CONSTANT, DELAY_UNIFORM, DELAY_EXPONENTIAL };

struct world_load {
    uint32_t timers; /* 1 .. 2^20 */
    uint32_t mean;   /* of the delays, in ticks: 1 or more */
    enum world_delay delay;
    uint32_t cancel_permille; /* of the timers that end by being cancelled: 0 .. 950 */
    uint32_t seed;
    uint32_t empty; /* 1: no timers and no load; they are started by hand */
};

/* What a picture is drawn from, filled by world_look. */
struct world_picture {
    uint32_t shape; /* enum film_shape: wheel, queue, tree, set */
    uint32_t arity, root;
    uint32_t levels;
    uint32_t size[WORLD_LEVELS];    /* slots */
    uint32_t bins[WORLD_LEVELS];    /* as many as the level is drawn with */
    double unit[WORLD_LEVELS];      /* ticks that a slot is worth */
    uint32_t pointer[WORLD_LEVELS]; /* slot */
    uint32_t count[WORLD_LEVELS][WORLD_BINS];
    uint32_t running, samples;
    struct {
        uint32_t id, level, slot, rounds;
        double due;
    } sample[WORLD_SAMPLES];
};

/* Settings that the next world_open uses; "name" of a parameter, added once for each value. */
void world_forget_settings(void);
void world_add_setting(const char *name, double value);

/* Opens design `design` of the registry in place of what the world was.  0, or 1 with a text in world_error: it refuses the
 * settings, or its starts take too many steps for a page that has to answer. */
int world_open(int world, int design, const struct world_load *load);
void world_close(int world);
const char *world_error(void);

/* So many ticks.  O(ticks + operations). */
void world_run(int world, uint32_t ticks);
/* One advance over all of the ticks, as a tickless driver makes it. */
void world_jump(int world, double ticks);
/* What the design answers to `next`; below 0: nothing runs. */
double world_next(int world);
/* By hand: answers as the design does. */
int world_start(int world, uint32_t id, double delay);
int world_stop(int world, uint32_t id);

double world_now(int world);
double world_fired(int world);
double world_operations(int world); /* starts, stops and expiries */
double world_refused(int world);
uint32_t world_digest(int world, int half); /* 0: low, 1: high 32 bits */
double world_work(int world, int counter);  /* in the order of TW_WORK_COUNTERS */
double world_bytes(int world);
const char *world_check(int world); /* "" or the broken invariant */
const struct world_picture *world_look(int world);

/* A quiz (quiz.h) in world 0, which it has until a world_open; answers as world_open. */
int world_quiz_open(int design, const char *seed);
int world_quiz_ask(void);  /* 0: ten were asked */
int world_quiz_move(void); /* 0: all is done that the question says */
int world_quiz_answer(const char *answer);
int world_quiz_form(void); /* enum quiz_form; 3: a place with its level */
int world_quiz_score(void);
/* 0: what is before the question, 1: the question, 2: why, 3: the right answer, 4: the receipt. */
const char *world_quiz_text(int which);

/* The counts per operation of `timers` timers, after their starts and `ticks` ticks; below 0: refused. */
double world_growth(int design, uint32_t timers, uint32_t ticks, const struct world_load *load);

int design_count(void);
const char *design_name(int design);
const char *design_summary(int design);
/* 1: fires on the tick; 0: may be late. */
int design_is_exact(int design);
/* 1: holds no timer and fires none. */
int design_keeps_nothing(int design);
const char *design_parameter(int design, int index); /* NULL: no more */
const char *counter_name(int counter);               /* NULL: no more */

#endif
