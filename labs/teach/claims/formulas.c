/* formulas.c - checks the printed formulas against a small wheel, case by case. */
#include "labs/teach/claims/claims.h"

/* What the table calls: tries one formula. */
#define RUN(name, try, formula_of)                                                                 \
    static void run_##name(struct formula_outcome *out)                                            \
    {                                                                                              \
        try(formula_of, out);                                                                      \
    }                                                                                              \
    struct formula

/* ---- The slot of a delay. -------------------------------------------------------------------- */

/* A ring of SIZE slots of D time units each, the pointer at any of them, delays up to three turns. */
enum { SIZE = 60, D = 1, DELAYS = 3 * SIZE };

typedef unsigned slot_fn(unsigned delay, unsigned pointer);

static unsigned slot_printed(unsigned delay, unsigned pointer)
{
    return delay / D % SIZE + pointer;
}

static unsigned slot_corrected(unsigned delay, unsigned pointer)
{
    return (delay / D + pointer) % SIZE;
}

/* Right is the slot that the pointer stands at after so many steps. */
static void try_slots(slot_fn *slot_of, struct formula_outcome *out)
{
    for (unsigned pointer = 0; pointer < SIZE; pointer++) {
        unsigned right = pointer;
        for (unsigned delay = 1; delay <= DELAYS; delay++) {
            unsigned slot = slot_of(delay * D, pointer);
            right = right + 1 == SIZE ? 0 : right + 1;
            if (slot != right && out->wrong++ == 0)
                snprintf(out->first, sizeof out->first,
                         "pointer at %u, delay %u: slot %u of 0 .. %d, expected %u", pointer, delay,
                         slot, SIZE - 1, right);
            out->cases++;
        }
    }
}

RUN(slot_printed, try_slots, slot_printed);
RUN(slot_corrected, try_slots, slot_corrected);

/* ---- Rounds. --------------------------------------------------------------------------------- */

static unsigned rounds_printed(unsigned delay)
{
    return delay / D / SIZE;
}

static unsigned rounds_corrected(unsigned delay)
{
    return (delay / D - 1) / SIZE;
}

typedef unsigned rounds_fn(unsigned delay);

/* Steps until a timer with so many rounds fires: at each visit of its slot one is taken off, unless there are none. */
static unsigned steps_to_fire(unsigned pointer, unsigned delay, unsigned rounds)
{
    unsigned slot = slot_corrected(delay, pointer), steps = 0;
    for (;;) {
        pointer = pointer + 1 == SIZE ? 0 : pointer + 1;
        steps++;
        if (pointer == slot && rounds-- == 0)
            return steps;
    }
}

static void try_rounds(rounds_fn *rounds_of, struct formula_outcome *out)
{
    for (unsigned pointer = 0; pointer < SIZE; pointer++)
        for (unsigned delay = 1; delay <= DELAYS; delay++, out->cases++) {
            unsigned steps = steps_to_fire(pointer, delay * D, rounds_of(delay * D));
            if (steps != delay && out->wrong++ == 0)
                snprintf(out->first, sizeof out->first,
                         "pointer at %u of %d slots, delay %u: fires after %u", pointer, SIZE,
                         delay, steps);
        }
}

RUN(rounds_printed, try_rounds, rounds_printed);
RUN(rounds_corrected, try_rounds, rounds_corrected);

/* ---- A period. ------------------------------------------------------------------------------- */

/* Each task re-arms itself when it runs, which is before the pointer moves on; RUNS runs of each. */
enum { RUNS = 10 };

static void try_periods(rounds_fn *rounds_of, struct formula_outcome *out)
{
    for (unsigned period = 1; period <= DELAYS; period++, out->cases++) {
        unsigned now = 0;
        for (unsigned run = 0; run < RUNS; run++)
            now += steps_to_fire(now % SIZE, period, rounds_of(period));
        if (now != RUNS * period && out->wrong++ == 0)
            snprintf(out->first, sizeof out->first,
                     "a period of %u on %d slots: %d runs take %u, expected %u", period, SIZE, RUNS,
                     now, RUNS * period);
    }
}

RUN(period_printed, try_periods, rounds_printed);
RUN(period_corrected, try_periods, rounds_corrected);

/* ---- The time of a turn. --------------------------------------------------------------------- */

/* Ticks of 100 ms, 200 ms .. 3 s. */
enum { TICK_STEP_MS = 100, TICK_MAX_MS = 3000 };

/* Milliseconds of a turn. */
static unsigned turn_printed(unsigned tick_ms)
{
    return tick_ms / 1000 * SIZE * 1000;
}

static unsigned turn_corrected(unsigned tick_ms)
{
    return tick_ms * SIZE;
}

typedef unsigned turn_fn(unsigned tick_ms);

static void try_turns(turn_fn *turn_of, struct formula_outcome *out)
{
    for (unsigned tick = TICK_STEP_MS; tick <= TICK_MAX_MS; tick += TICK_STEP_MS, out->cases++) {
        unsigned turn = turn_of(tick), right = tick * SIZE;
        if (turn != right && out->wrong++ == 0)
            snprintf(out->first, sizeof out->first,
                     "%d slots of %u ms: a turn of %u ms, %s; expected %u", SIZE, tick, turn,
                     turn == 0 ? "by which delays are divided" : "too short", right);
    }
}

RUN(turn_printed, try_turns, turn_printed);
RUN(turn_corrected, try_turns, turn_corrected);

/* ---- The walk through a bucket. -------------------------------------------------------------- */

/* Buckets of 1 .. BUCKET_MAX tasks, each of which is due now or has rounds to go, in every pattern. */
enum { BUCKET_MAX = 8 };

struct element {
    bool is_due, is_fired;
    struct element *next;
};

/* Removing takes the element out of the list: it has no next any more. */
static struct element *element_fire(struct element **link)
{
    struct element *element = *link;
    *link = element->next;
    element->next = NULL;
    element->is_fired = true;
    return element;
}

/* As printed: remove the element, then step on from it. */
static void walk_printed(struct element *head)
{
    struct element **link = &head, *element = head;
    while (element) {
        if (element->is_due)
            element = element_fire(link);
        else
            link = &element->next;
        element = element->next;
    }
}

/* The next one is looked up before the element is removed. */
static void walk_corrected(struct element *head)
{
    struct element **link = &head;
    while (*link) {
        if ((*link)->is_due)
            element_fire(link);
        else
            link = &(*link)->next;
    }
}

typedef void walk_fn(struct element *head);

static unsigned count_left_over(walk_fn *walk, unsigned pattern, unsigned count)
{
    struct element elements[BUCKET_MAX];
    unsigned left = 0;
    for (unsigned i = 0; i < count; i++)
        elements[i] = (struct element){.is_due = pattern >> i & 1u,
                                       .next = i + 1 < count ? &elements[i + 1] : NULL};
    walk(elements);
    for (unsigned i = 0; i < count; i++)
        left += elements[i].is_due && !elements[i].is_fired;
    return left;
}

static void try_walks(walk_fn *walk, struct formula_outcome *out)
{
    for (unsigned count = 1; count <= BUCKET_MAX; count++)
        for (unsigned pattern = 0; pattern < 1u << count; pattern++) {
            unsigned left = count_left_over(walk, pattern, count);
            if (left > 0 && out->wrong++ == 0)
                snprintf(out->first, sizeof out->first,
                         "a bucket of %u tasks, %d of them due: %u of these not fired", count,
                         __builtin_popcount(pattern), left);
            out->cases++;
        }
}

RUN(walk_printed, try_walks, walk_printed);
RUN(walk_corrected, try_walks, walk_corrected);

/* ---- The table. ------------------------------------------------------------------------------ */

const struct formula formulas[] = {
    {"slot-printed", "(delay / d) % size + tick", run_slot_printed},
    {"slot-corrected", "(delay / d + tick) % size", run_slot_corrected},
    {"walk-printed", "remove the element, then step on from it", run_walk_printed},
    {"walk-corrected", "look up the next, then remove the element", run_walk_corrected},
    {"rounds-printed", "round = delay / d / size", run_rounds_printed},
    {"rounds-corrected", "round = (delay / d - 1) / size", run_rounds_corrected},
    {"period-printed", "re-armed in its slot with delay / d / size rounds", run_period_printed},
    {"period-corrected", "re-armed in its slot with (delay / d - 1) / size rounds",
     run_period_corrected},
    {"turn-printed", "a turn is the tick in whole seconds, times size", run_turn_printed},
    {"turn-corrected", "a turn is the tick times size", run_turn_corrected},
};
const size_t formula_count = sizeof formulas / sizeof *formulas;

const struct formula *formula_find(const char *name)
{
    for (size_t i = 0; i < formula_count; i++)
        if (strcmp(formulas[i].name, name) == 0)
            return &formulas[i];
    return NULL;
}
