/* gap.c - does other work between the calls of a pass. */
#include "harness/measure/run/gap.h"

#include "harness/measure/plan/plan.h"

#include <sys/mman.h>

#define LINE_WORDS 8
#define LINE_BYTES (LINE_WORDS * sizeof(uint64_t))

bool gap_open(struct gap *gap, uint32_t between)
{
    *gap = (struct gap){.state = 1};
    if (between < PLAN_BETWEEN_SIZE)
        return true;
    void *memory = mmap(NULL, between, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    gap->words = memory;
    gap->mask = between / LINE_BYTES - 1;
    return true;
}

void gap_close(struct gap *gap)
{
    if (gap->words)
        munmap(gap->words, (gap->mask + 1) * LINE_BYTES);
}

/* The places come from a generator that waits for no memory, so that misses overlap as they do in a server; each
 * branch is a coin that only the line knows. */
void gap_work(struct gap *gap)
{
    uint64_t state = gap->state, sum = gap->sum;
    for (unsigned i = 0; i < GAP_LINES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t *line = &gap->words[(state >> 33 & gap->mask) * LINE_WORDS];
        uint64_t value = *line + (state >> 20);
        *line = value;
        if (i % (GAP_LINES / GAP_BRANCHES) > 0)
            continue;
        if (value & 1) {
            sum += value;
            __asm__ volatile("" : "+r"(sum)); /* no conditional move */
        } else {
            sum ^= state;
            __asm__ volatile("" : "+r"(sum));
        }
    }
    gap->state = state;
    gap->sum = sum;
}

double gap_ns(uint32_t between)
{
    return between >= PLAN_BETWEEN_SIZE ? 120 : between == PLAN_BETWEEN_CHAIN ? 14 : 0;
}
