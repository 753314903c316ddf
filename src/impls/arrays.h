/*
 * arrays.h - arrays of an element per timer, and the pages they lie on: shared by the designs.
 *
 * calloc answers a large request with pages that are not there yet (an allocator that recycles
 * memory even gives its pages back for that), and then the first start of every few hundred timers
 * pays for a page fault.  An array that needs no zeros is taken with malloc; one that does, here:
 * opening then pays for the pages, as real-time programs have it, and no start does.
 */
#ifndef TWBENCH_ARRAYS_H
#define TWBENCH_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARRAYS_LINE 64u
#define ARRAYS_HUGE ((size_t)1 << 21) /* bytes of a huge page */

/* Memory as it comes that begins a cache line, to be freed by the caller; NULL when there is none.  With
 * `huge`, all of it but the first 2 MiB and what is left over at the end asks for huge pages: so little
 * use takes small pages, and much of it no more than `bytes`.  Where the kernel has none to give it
 * takes no notice; what is freed keeps the wish. */
static inline void *arrays_raw(size_t bytes, bool huge)
{
    size_t align = huge && bytes >= 2 * ARRAYS_HUGE ? ARRAYS_HUGE : ARRAYS_LINE;
    size_t room;
    if (__builtin_add_overflow(bytes, align - 1, &room))
        return NULL;
    char *array = aligned_alloc(align, room & ~(align - 1));
    if (array && align == ARRAYS_HUGE)
        (void)madvise(array + align, (bytes & ~(align - 1)) - align, MADV_HUGEPAGE);
    return array;
}

/* An array of zeros, otherwise the same.  Not malloc and memset: compilers make calloc of these two. */
static inline void *arrays_zeroed(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *array = arrays_raw(bytes, false);
    if (array)
        memset(array, 0, bytes);
    return array;
}

#endif
