// Rule: footprint is what was taken at open, plus what pending timers need
// Found: bytes are held
#include "wrong.h"

#include <sys/mman.h>

#define POOL_BYTES ((size_t)1 << 20)

/* A pool that no allocator knows of, and footprint neither. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    void *pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pool == MAP_FAILED)
        return params_no_memory(error, POOL_BYTES);
    return skeleton_open(out, config, error);
}

WRONG("maps-pages", .open = wrong_open);
