/* gap.h - what the harness does between two calls of a timed pass, so that a figure is that of a call in a server.
 *
 * A CHAIN is a fence directly behind each call, behind which no instruction begins before all others have ended (lfence;
 * dsb and isb), and then GAP_STEPS additions of zero that the next call's operands wait for.  A fence alone would do for
 * the order, but the return of a call that does nothing takes some 7 cycles, in which a design's first instructions would
 * hide: of 20 dependent additions a third.  The steps last longer than the return, so all of the design's work comes after
 * it.  Were the fence in front of the next call, the harness's instructions would retire together with the call's last
 * ones, up to eight in a cycle: of 20 additions the place of the code then hid none or one.
 * Chaining by the calls' own answers would not do: an answer is known long before its call has ended, and advance has
 * none.
 *
 * WORK is done between that fence and another: GAP_LINES cache lines, each at an unpredictable place of a working set, are
 * read and written, and GAP_BRANCHES branches depend on what was read.  So the set as a whole displaces what lies in
 * the caches, as a server's own data do, while a gap stays far shorter than the server's.  What the design touches in
 * every call stays near, and so does its code: a server is worse in that.
 */
#ifndef TWBENCH_GAP_H
#define TWBENCH_GAP_H

#include <stdbool.h>
#include <stdint.h>

#define GAP_STEPS    24
#define GAP_LINES    32
#define GAP_BRANCHES 8

struct gap {
    uint64_t *words; /* the working set; NULL: none */
    uint64_t mask;   /* of its lines */
    uint64_t state, sum;
    uint64_t zero; /* as far as the compiler knows, any number */
};

/* The working set of plan_cell.between, touched and outside of the design's memory; none for none and chain.  False
 * without memory.  The places are the same in every process. */
bool gap_open(struct gap *gap, uint32_t between);
/* Once after true. */
void gap_close(struct gap *gap);
/* GAP_LINES and GAP_BRANCHES; some 100 ns. */
void gap_work(struct gap *gap);

/* About what a gap takes, for an estimate: ns, 0 for none.  From null on an AMD EPYC; of a set beyond the caches more. */
double gap_ns(uint32_t between);

/* Nothing behind it begins before all before it has ended.  Elsewhere than on x86-64 and ARM it orders memory alone. */
static inline void gap_fence(void)
{
#if defined(__x86_64__)
    __asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
    __asm__ volatile("dsb nshld\n\tisb" ::: "memory");
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* `zero` again, GAP_STEPS additions later. */
static inline __attribute__((always_inline)) uint64_t gap_steps(uint64_t zero)
{
    uint64_t sum = zero;
#pragma GCC unroll 32
    for (int i = 0; i < GAP_STEPS; i++) {
        sum += zero;
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

#endif
