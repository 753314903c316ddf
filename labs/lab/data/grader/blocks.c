/* blocks.c - a plugin that counts what a solution does, whatever its TW_COUNT says.
 *
 * The compiler calls a function below for each basic block and each access to memory.  The plugin is the solution's counted table
 * under another name; its one counter, visits, has the accesses since open, or twice the blocks where those are more. */
#include "backend.h"

extern const struct tw_backend tw_timers_counted;
void *__real_memmove(void *to, const void *from, unsigned long size);
void *__real_memset(void *to, int byte, unsigned long size);

static struct tw_work counts;
static uint64_t blocks, accesses;
static struct tw_backend timed, counted;

void blocks_range(void *at, unsigned long size)
{
    (void)at;
    accesses += (size + 7) / 8;
    counts.visits = accesses > 2 * blocks ? accesses : 2 * blocks;
}

void blocks_access(void)
{
    blocks_range(NULL, 1);
}

void __sanitizer_cov_trace_pc(void)
{
    blocks++;
    blocks_range(NULL, 0);
}

void *__wrap_memmove(void *to, const void *from, unsigned long size)
{
    blocks_range(to, size);
    return __real_memmove(to, from, size);
}

void *__wrap_memset(void *to, int byte, unsigned long size)
{
    blocks_range(to, size);
    return __real_memset(to, byte, size);
}

static int blocks_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    int status = tw_timers_counted.open(out, config, error);
    blocks = accesses = counts.visits = 0;
    return status;
}

const struct tw_work *blocks_work(const struct tw_timers *timers)
{
    (void)timers;
    return &counts;
}

__attribute__((constructor)) static void blocks_prepare(void)
{
    timed = tw_timers_counted;
    timed.name = "blocks-of-timers";
    counted = timed;
    counted.open = blocks_open;
    counted.work = blocks_work;
}

TW_PLUGIN(timed, counted);
