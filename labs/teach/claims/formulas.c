/* formulas.c - checks the printed formulas against a small wheel, case by case. */
#include "labs/teach/claims/claims.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

static void run_slot_printed(struct formula_outcome *out)
{
    try_slots(slot_printed, out);
}

static void run_slot_corrected(struct formula_outcome *out)
{
    try_slots(slot_corrected, out);
}

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

static void run_walk_printed(struct formula_outcome *out)
{
    try_walks(walk_printed, out);
}

static void run_walk_corrected(struct formula_outcome *out)
{
    try_walks(walk_corrected, out);
}

/* ---- The table. ------------------------------------------------------------------------------ */

const struct formula formulas[] = {
    {"slot-printed", "(delay / d) % size + tick", run_slot_printed},
    {"slot-corrected", "(delay / d + tick) % size", run_slot_corrected},
    {"walk-printed", "remove the element, then step on from it", run_walk_printed},
    {"walk-corrected", "look up the next, then remove the element", run_walk_corrected},
};
const size_t formula_count = sizeof formulas / sizeof *formulas;

const struct formula *formula_find(const char *name)
{
    for (size_t i = 0; i < formula_count; i++)
        if (strcmp(formulas[i].name, name) == 0)
            return &formulas[i];
    return NULL;
}
