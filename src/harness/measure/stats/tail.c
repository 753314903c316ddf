/* tail.c - keeps the least time of each call, or block of calls, over passes. */
#include "harness/measure/stats/histogram.h"

bool tail_open(struct tail_recorder *recorder, uint64_t blocks_max)
{
    size_t room = 2;
    while (room < blocks_max && room < TAIL_BLOCKS)
        room *= 2;
    *recorder = (struct tail_recorder){
        .now = malloc(room * sizeof(float)),
        .least = malloc(room * sizeof(float)),
        .room = room,
        .per_block = 1,
    };
    return recorder->now && recorder->least;
}

void tail_close(struct tail_recorder *recorder)
{
    free(recorder->now);
    free(recorder->least);
    *recorder = (struct tail_recorder){.now = NULL};
}

void tail_fold(struct tail_recorder *recorder)
{
    float *now = recorder->now;
    for (size_t i = 0; i < recorder->used / 2; i++)
        now[i] = now[2 * i] > now[2 * i + 1] ? now[2 * i] : now[2 * i + 1];
    recorder->used /= 2;
    recorder->per_block *= 2;
}

static void keep_first(struct tail_recorder *recorder, uint64_t longest_ps)
{
    float *first = recorder->now;
    recorder->now = recorder->least;
    recorder->least = first;
    recorder->first_used = recorder->used;
    recorder->first_calls = recorder->calls;
    recorder->first_per_block = recorder->per_block;
    recorder->pass_max_ps = longest_ps;
}

static void keep_least(struct tail_recorder *recorder, uint64_t longest_ps)
{
    recorder->differs = recorder->differs || recorder->calls != recorder->first_calls;
    for (size_t i = 0; i < recorder->used && !recorder->differs; i++)
        if (recorder->now[i] < recorder->least[i])
            recorder->least[i] = recorder->now[i];
    if (longest_ps < recorder->pass_max_ps)
        recorder->pass_max_ps = longest_ps;
}

void tail_end_pass(struct tail_recorder *recorder, uint64_t longest_ps)
{
    recorder->used += recorder->in_block > 0;
    if (recorder->passes++ == 0)
        keep_first(recorder, longest_ps);
    else
        keep_least(recorder, longest_ps);
    recorder->used = 0;
    recorder->in_block = 0;
    recorder->calls = 0;
    recorder->per_block = 1;
}

/* Puts it where it belongs among the slowest, if it does; of equal ones the first stays ahead. */
static void keep_slowest(struct tail *out, uint64_t block, uint64_t least_ps)
{
    size_t at = out->slowest_count;
    if (at == TAIL_SLOWEST && least_ps <= out->slowest[at - 1].least_ps)
        return;
    at -= at == TAIL_SLOWEST;
    for (; at > 0 && out->slowest[at - 1].least_ps < least_ps; at--)
        out->slowest[at] = out->slowest[at - 1];
    out->slowest[at] = (struct tail_block){block, least_ps};
    out->slowest_count += out->slowest_count < TAIL_SLOWEST;
}

void tail_finish(const struct tail_recorder *recorder, struct tail *out)
{
    memset(out, 0, sizeof *out);
    if (recorder->differs || recorder->passes < TAIL_PASSES_MIN || recorder->first_calls == 0)
        return;
    out->passes = recorder->passes;
    out->calls = recorder->first_calls;
    out->calls_per_block = recorder->first_per_block;
    out->pass_max_ps = recorder->pass_max_ps;
    for (size_t i = 0; i < recorder->first_used; i++) {
        uint64_t least_ps = (uint64_t)recorder->least[i];
        histogram_add(&out->least, least_ps);
        keep_slowest(out, i, least_ps);
    }
}
