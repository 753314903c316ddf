/* ladybird-6260.c - a heap by time alone: of timers with one deadline a later started one may fire first. */
#include "binary_heap.h"

static void heap_restore(struct tw_timers *timers, uint32_t place)
{
    sift_down(timers, place);
    sift_up(timers, place);
}

static int start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    timers->nodes[id].extra = MISTAKE(0, ++timers->mark);
    return heap_start(timers, id, deadline);
}

/* TW_FIFO is what the standard for browsers demands. */
EXHIBIT("ladybird-6260", TW_FIFO | TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT, .start = start,
        .stop = heap_stop, .advance = heap_advance);
