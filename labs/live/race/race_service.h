/*
 * race_service.h - a service under proof: its calls, noted and timed; its points, delayed by a seed.
 *
 *     callers --race_start, race_stop--> the runner --race_task--> books (race_books.h)
 *                      |
 *                      +-- notes, in memory that the parent shares: what a thread was in when it crashed
 *
 * All that is judged lies in the accounts of the books; nothing is taken from the runner but its answers.
 */
#ifndef TWBENCH_RACE_SERVICE_H
#define TWBENCH_RACE_SERVICE_H

#include "labs/live/race/race_state.h"

/* "start", "wait": the words of enum race_call, for findings. */
const char *race_call_name(uint32_t call);

/* Opens with the config's design, points and settings filled in; `accounts` is the number of starts that there can be.
 * False with a finding when the runner refuses. */
bool race_open(struct race_service *service, struct tw_runner_config *config, uint32_t accounts);

/* Clears a closed service, to be opened again; what it has counted is kept. */
void race_again(struct race_service *service);

/* The runner's calls of the same names, noted and checked: a seat that is none of the service, or a wait that returns
 * before until_ns (CLOCK_MONOTONIC), is a finding. */
struct tw_seat *race_enter(struct race_service *service);
void race_leave(struct race_service *service, struct tw_seat *seat);
void race_wait(struct race_service *service, struct tw_seat *seat, uint64_t until_ns);
/* When the seat's thread has to wait again; of a runner whose callers drive. */
uint64_t race_next(struct race_service *service, struct tw_seat *seat);
/* Gives the places of stopped timers back, where that takes a call. */
void race_purge(struct race_service *service, struct tw_seat *seat);

/* Shuts and writes down what came back.  The answer of the runner, which is judged. */
int race_shut(struct race_service *service, struct tw_seat *seat);
/* Statistics and check after shut; then the memory.  Every seat has left. */
void race_close(struct race_service *service);

/* An account that nobody has, cleared; NULL when there is none. */
struct race_account *race_account(struct race_service *service);

/* Starts the account's timer: the answer of the runner, which is judged. */
int race_start(struct race_service *service, struct tw_seat *seat, struct race_account *account);
/* Stops it; TW_RUN_IDLE when it was not accepted (yet). */
int race_stop(struct race_service *service, struct tw_seat *seat, struct race_account *account);

/* A hash of both; for choices that need no sequence. */
uint64_t race_mix(uint64_t a, uint64_t b);

#endif
