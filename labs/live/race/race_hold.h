/*
 * race_hold.h - holds one thread at a point, lets another act meanwhile, and judges what becomes of both.
 *
 *     held      ....point|                    |....          the thread that is held, at its first point, its
 *     between            |start, stop, shut...|              second, and so on until it comes through without one
 *
 * A window between two steps, which a random service meets by luck, is open here for as long as the other
 * thread needs: it is let go when the other has done what it wants, or sleeps because it waits for the held one.
 * So a fault that needs one thread to come between two steps of another shows in every run.
 */
#ifndef TWBENCH_RACE_HOLD_H
#define TWBENCH_RACE_HOLD_H

#include "labs/live/race/race_service.h"

/* One pair: who is held, and what comes between.  All points are tried in turn. */
struct race_hold {
    uint32_t held, between;
};

/* The pairs that there are for that runner, by number; false behind the last. */
bool race_hold_at(struct race_hold *hold, const struct tw_runner *runner, size_t number);
/* "a start is held while another thread shuts" */
void race_hold_words(const struct race_hold *hold, char *out, size_t size);
/* Plays it at each point; service is as for a written case.  What is found is in its notes. */
void race_hold_play(struct race_service *service, const struct race_hold *hold);

#endif
