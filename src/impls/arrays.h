/*
 * arrays.h - arrays of an element per timer, with their pages in place: shared by the designs.
 *
 * calloc answers a large request with pages that are not there yet (an allocator that recycles
 * memory even gives its pages back for that), and then the first start of every few hundred timers
 * pays for a page fault.  An array that needs no zeros is taken with malloc; one that does, here:
 * opening then pays for the pages, as real-time programs have it, and no start does.
 */
#ifndef TWBENCH_ARRAYS_H
#define TWBENCH_ARRAYS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARRAYS_LINE 64u

/* An array of zeros whose first element begins a cache line, to be freed by the caller; NULL when
 * there is no memory.  Not malloc and memset: compilers make calloc of these two. */
static inline void *arrays_zeroed(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, ARRAYS_LINE - 1, &bytes))
        return NULL;
    bytes &= ~(size_t)(ARRAYS_LINE - 1);
    void *array = aligned_alloc(ARRAYS_LINE, bytes);
    if (array)
        memset(array, 0, bytes);
    return array;
}

#endif
