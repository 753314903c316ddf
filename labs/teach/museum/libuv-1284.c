/* libuv-1284.c - what takes the place of a stopped timer in the heap is only moved down, though it may belong further up. */
#include "binary_heap.h"

static void heap_restore(struct tw_timers *timers, uint32_t place)
{
    sift_down(timers, place);
    MISTAKE((void)0, sift_up(timers, place));
}

EXHIBIT("libuv-1284", TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT, .start = heap_start,
        .stop = heap_stop, .advance = heap_advance);
