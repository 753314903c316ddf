/* ladybird-6260.c - a heap by time alone: of timers with one deadline a later started one may fire first. */
#include "binary_heap.h"

static void heap_restore(struct tw_timers *timers, uint32_t place)
{
    sift_down(timers, place);
    sift_up(timers, place);
}

/* TW_FIFO is what the standard for browsers demands; the mistake: nothing breaks ties. */
EXHIBIT("ladybird-6260", TW_FIFO | TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT, .start = heap_start,
        .stop = heap_stop, .advance = heap_advance);
