/* watch.c - passes an operation list through shared memory. */
#include "harness/conform/watch.h"

#include <string.h>

void watch_list(struct watch *watch, const struct operations *operations)
{
    if (!watch)
        return;
    watch->is_cut = operations->count > WATCH_OPERATIONS_MAX;
    watch->operations = *operations;
    watch->operations.list = NULL;
    watch->operations.count = watch->is_cut ? WATCH_OPERATIONS_MAX : operations->count;
    if (watch->operations.count > 0)
        memcpy(watch->list, operations->list, watch->operations.count * sizeof *operations->list);
    watch_step(watch, 0);
}

void watch_read_list(const struct watch *watch, struct operations *operations)
{
    struct operations noted = watch->operations;
    struct operation list[1];
    noted.list = list;
    noted.count = 0;
    operations_copy(operations, &noted, NULL);
    for (size_t i = 0; i < watch->operations.count; i++)
        operations_append(operations, watch->list[i]);
}
