/*
 * quiz.h - asks what a running design will do next, and judges the answers.
 *
 * Ten questions of one design, drawn from its running structure by the design's name and a seed, which is a text: a
 * student's name gives that student's questions.  The right answer is what a second instance does, which is taken through the
 * same calls and then does what the question says.  Questions do not depend on answers, so whoever has the design, the
 * seed and the answers can judge them again: the page does it in the browser, `twbench lab receipt` natively.
 *
 * The caller owns the struct, which nothing else shares.
 */
#ifndef TWBENCH_QUIZ_H
#define TWBENCH_QUIZ_H

#include "harness/base/rng.h"
#include "labs/teach/show/film.h"

#define QUIZ_QUESTIONS 10
#define QUIZ_TIMERS    8 /* called a, b, ... */
#define QUIZ_SEED_SIZE 64
#define QUIZ_VERSION   1 /* of what is asked, and of the receipt */

/* What an answer is, as text: "1:5" (level and slot) or "5" (a slot, an index, a place), "37", "acd" ("": none). */
enum quiz_form { QUIZ_PLACE, QUIZ_NUMBER, QUIZ_WHICH };

enum quiz_verb { QUIZ_START, QUIZ_STOP, QUIZ_TICKS, QUIZ_JUMP };

/* A step of what happened: `to` is the deadline, or the tick up to which the clock goes. */
struct quiz_step {
    enum quiz_verb verb;
    tw_id id;
    tw_tick to;
};

/* The last question, and all that is asked of a design.  Texts are in English, complete sentences. */
struct quiz {
    const struct tw_backend *design;
    struct tw_timers *timers; /* as it stands now */
    tw_tick now;
    struct film film; /* its shape and levels; no frames */
    char settings[160];
    char seed[QUIZ_SEED_SIZE];
    tw_tick most; /* the longest delay that is asked about */
    struct rng rng;
    struct quiz_step steps[16 * QUIZ_QUESTIONS];
    uint32_t step_count;

    uint32_t asked; /* questions so far */
    uint32_t kinds[8];
    enum quiz_form form;
    char before[240]; /* the tick, and what starts before it is asked */
    char text[400], why[600];
    uint64_t right;
    struct quiz_step action[2]; /* what the question says, not done yet */
    uint32_t action_count;

    uint32_t answered, score;
    uint64_t given[QUIZ_QUESTIONS];
    enum quiz_form forms[QUIZ_QUESTIONS];
    bool is_right[QUIZ_QUESTIONS];
    uint64_t questions; /* hash of the texts and right answers */
};

/* Opens the design's counted object, with few slots and nothing running.  TW_OK, or as open with the reason in *error; a seed has 1 .. 63 bytes without
 * quotes, backslashes and control characters.  quiz_close whatever it answers. */
int quiz_open(struct quiz *quiz, const struct tw_design *design, const char *seed,
              struct tw_error *error);
void quiz_close(struct quiz *quiz);

/* Asks the next question: first starts timers where few run, which `before` says.  False: ten were asked.  What the last
 * question said is done before, as far as it is not. */
bool quiz_ask(struct quiz *quiz);
/* 1: right, 0: wrong; -1: no answer of its form, nothing changed.  The first answer to a question counts. */
int quiz_answer(struct quiz *quiz, const char *text);
/* One tick, or one call, of what the question says; false when all is done. */
bool quiz_move(struct quiz *quiz);

/* The text of an answer of that form, as quiz_answer takes it. */
void quiz_format(const struct quiz *quiz, enum quiz_form form, uint64_t answer, char *out,
                 size_t size);
/* The whole receipt, once ten are answered: JSON, with a hash over all that stands before it. */
void quiz_receipt(const struct quiz *quiz, char *out, size_t size);

#endif
