/* lists.h - reads lists and ranges of numbers as values of flags; their memory is freed all at once. */
#ifndef TWBENCH_LISTS_H
#define TWBENCH_LISTS_H

#include "harness/base/diag.h"

#include <stddef.h>
#include <stdint.h>

/* Calls `item` with each part of `value` between separators; an empty part is an error.  The part
 * lives only during the call. */
typedef int lists_item_fn(void *ctx, const char *flag, const char *item, struct diag *diag);
int lists_split(const char *value, char separator, const char *flag, size_t max,
                lists_item_fn *item, void *ctx, struct diag *diag);

struct lists_range {
    uint64_t min, max; /* allowed, inclusive */
    uint64_t factor;   /* between the points of A..B when it does not say A..B*F */
};

/* "1e3,5e3,1e4..1e6,64..4096*4": numbers and geometric ranges, both ends included. */
int lists_numbers(const char *value, const char *flag, const struct lists_range *range,
                  uint64_t *out, size_t max, size_t *count, struct diag *diag);

/* Copies and zeroed arrays that live until lists_release(memory). */
char *lists_keep(void **memory, const char *text);
void *lists_keep_bytes(void **memory, size_t count, size_t size);
/* Frees all of them; *memory is NULL afterwards. */
void lists_release(void **memory);

#endif
