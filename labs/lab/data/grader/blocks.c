/*
 * blocks.c - a plugin that counts the basic blocks which a solution runs, whatever its TW_COUNT says.
 *
 * The solution is compiled with -fsanitize-coverage=trace-pc, so that each block calls the function below.  The plugin is
 * the solution's table under another name; its one counter, visits, has the blocks since open.
 */
#include "backend.h"

extern const struct tw_backend tw_timers_timed;
void __sanitizer_cov_trace_pc(void);

static struct tw_work blocks;
static struct tw_backend timed, counted;

void __sanitizer_cov_trace_pc(void)
{
    blocks.visits++;
}

static int blocks_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    int status = tw_timers_timed.open(out, config, error);
    blocks = (struct tw_work){0};
    return status;
}

static const struct tw_work *blocks_work(const struct tw_timers *timers)
{
    (void)timers;
    return &blocks;
}

__attribute__((constructor)) static void blocks_prepare(void)
{
    timed = tw_timers_timed;
    timed.name = "blocks-of-timers";
    counted = timed;
    counted.open = blocks_open;
    counted.work = blocks_work;
}

TW_PLUGIN(timed, counted);
