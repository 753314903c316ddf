/*
 * rdtsc.h - the time-stamp counter that a library reads, answered by the design that drives it.
 *
 * A library that asks the C library for the time is answered in its table of imports (answer.h).  One
 * that was compiled with the processor's RDTSC asks nobody.  But the instruction leaves its result in
 * halves, and every compiler puts them together in the same four instructions, of 11 bytes:
 *
 *     rdtsc                                     rdtsc                   (or two bytes of nothing)
 *     shl  $32, %rdx                            mov  clock(%rip), %rdi
 *     mov  %eax, %edi             becomes       nop                     (two bytes)
 *     or   %rdx, %rdi
 *
 * so there is room to read the counter as before, at its price, and then to take a word of memory for
 * what it said.  Only the functions that are named are touched, in this process alone, and only when
 * exactly these bytes are found in them.  The halves are lost, which is no harm: what the compiler can
 * use afterwards is the sum, the only value that the source of rte_rdtsc has.
 */
#ifndef TWBENCH_RDTSC_H
#define TWBENCH_RDTSC_H

#include "impls/backend.h"

/* Where a library's own RDTSCs look: eight bytes of the page behind its last variable, which nobody else
 * uses and which every instruction of the library can address.  NULL, with *error filled, when the page
 * has no such room. */
uint64_t *rdtsc_clock(void (*function)(void), struct tw_error *error);

/* Replaces each RDTSC of `function` (one at least) by a look at `clock`, which rdtsc_clock gave; the
 * instruction itself stays when `keeps`, and its cost with it.  Doing it again is harmless, and changes
 * `keeps`.  TW_OK, or TW_BAD_SETTING with *error saying what was found instead.  No other thread may be in
 * the function. */
int rdtsc_answer(void (*function)(void), const uint64_t *clock, bool keeps, struct tw_error *error);

#endif
