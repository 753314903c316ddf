/* growing.c - the longest start while a set grows to N timers, by the processor's clock of the thread: growing N [ROOM]. */
#include "tw_fast.c"

#include <time.h>

static void hang_up(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    (void)set, (void)timer, (void)argument;
}

static double us_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Asking for the thread's own time takes longer than a start: only a long one, and now and then one, is asked about. */
struct watch {
    double wall, own;
};

/* What of `us` up to now was the thread's own. */
static double own_us(struct watch *watch, double us)
{
    double wall = us_of(CLOCK_MONOTONIC), own = us_of(CLOCK_THREAD_CPUTIME_ID);
    double lost = wall - watch->wall - (own - watch->own);
    *watch = (struct watch){wall, own};
    return lost < 0 ? us : lost < us ? us - lost : 0;
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10000000;
    struct twt_config config = {.capacity = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0};
    struct twt_timer *timers = malloc(count * sizeof *timers);
    struct twt_growth growth = {0};
    struct tw_error error;
    struct twt_set *set;
    struct watch watch = {us_of(CLOCK_MONOTONIC), us_of(CLOCK_THREAD_CPUTIME_ID)};
    double opening = 0, closing = 0, other = 0;
    if (!timers || twt_open(&set, &config, &error) != TW_OK)
        return 1;
    for (uint32_t i = 0; i < count; i++)
        twt_init(&timers[i], hang_up, NULL);
    for (uint32_t i = 0; i < count; i++) {
        struct twt_growth before = growth;
        double us = us_of(CLOCK_MONOTONIC);
        if (twt_start(set, &timers[i], 1 + i * UINT64_C(2654435761) % 1000000) < 0)
            return 1;
        us = us_of(CLOCK_MONOTONIC) - us;
        if (us > 20 || i % 1000 == 0)
            us = own_us(&watch, us);
        twt_growth(set, &growth);
        double *most = growth.grown > before.grown           ? &opening
                       : growth.instances < before.instances ? &closing
                                                             : &other;
        *most = us > *most ? us : *most;
    }
    printf("%u %.0f %.0f %.0f %u\n", (unsigned)growth.grown, opening, closing, other,
           growth.most_moved);
    twt_close(set);
    free(timers);
    return 0;
}
