/*
 * race_books.h - writes down what becomes of each timer, and judges it.
 */
#ifndef TWBENCH_RACE_BOOKS_H
#define TWBENCH_RACE_BOOKS_H

#include "labs/live/race/race_state.h"

/* One end of the timer: a run of a one-shot, a stop, a return.  A second one is a finding. */
void race_ended(struct race_account *account, enum race_end end);

/* At the beginning of a task, by a clock read there; at its end. */
void race_ran(struct race_account *account, const struct tw_firing *firing, uint64_t now_ns);
void race_ran_out(struct race_account *account);

/* What start answered.  began_ns: when it was called. */
void race_started(struct race_account *account, int answer, tw_timer name, uint64_t began_ns);
/* What stop answered. */
void race_stopped(struct race_account *account, int answer, uint64_t began_ns, uint64_t ended_ns);

/* All accounts, after shut. */
void race_judge(struct race_service *service);
/* Adds the accounts to the sums. */
void race_sum(const struct race_service *service, struct race_sums *sums);

#endif
