/* growing.c - the longest start while a set grows to N timers, by the processor's clock of the thread: growing N [ROOM]. */
#include "tw_fast.c"

#include <time.h>

static void hang_up(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    (void)set, (void)timer, (void)argument;
}

static double own_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10000000;
    struct twt_config config = {.capacity = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0};
    struct twt_timer *timers = malloc(count * sizeof *timers);
    struct twt_growth growth = {0};
    struct tw_error error;
    struct twt_set *set;
    double opening = 0, closing = 0, other = 0;
    if (!timers || twt_open(&set, &config, &error) != TW_OK)
        return 1;
    for (uint32_t i = 0; i < count; i++)
        twt_init(&timers[i], hang_up, NULL);
    for (uint32_t i = 0; i < count; i++) {
        struct twt_growth before = growth;
        double us = own_us();
        if (twt_start(set, &timers[i], 1 + i * UINT64_C(2654435761) % 1000000) < 0)
            return 1;
        us = own_us() - us;
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
