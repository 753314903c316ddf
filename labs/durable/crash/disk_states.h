/* disk_states.h - what a disk may hold when power is lost at some point of a record (src/disk/disk.h).
 *
 * What a sync covered is there.  Of the rest each write may have vanished, arrived, or arrived in part, by sectors of 512
 * bytes, in any order.  Names are kept in order, as file systems with a journal do: of the creations, renamings and
 * removals that no sync covers, the first so many have happened.  A sync of a file covers its creation.
 */
#ifndef TWBENCH_DISK_STATES_H
#define TWBENCH_DISK_STATES_H

#include "labs/durable/disk/disk.h"

#include <stdbool.h>

enum disk_arrival {
    DISK_NOTHING,    /* of what no sync covers */
    DISK_EVERYTHING, /* as after a kill */
    DISK_SOME,       /* each write or not, by a coin: out of order */
    DISK_TORN,       /* each sector or not, by a coin */
    DISK_PREFIX,     /* the first so many, and of the next its first sectors */
    DISK_ARRIVALS
};

/* "nothing of what was not synced arrived" ... */
const char *disk_arrival_words(enum disk_arrival arrival);

/* Writes the files as they may be when the first `cut` records had happened into the directory, which is made.  False on
 * an error of the system. */
bool disk_state_make(const struct disk_log *log, uint64_t cut, enum disk_arrival arrival,
                     uint64_t seed, const char *directory);

/* Maps an empty record that `bytes` of data fit into, shared with children; NULL with errno. */
struct disk_log *disk_log_make(uint64_t bytes);
/* Unmaps it; NULL is allowed. */
void disk_log_free(struct disk_log *log);

/* With the layer, and until disk_quiet_end: syncs below the directory are not done, in this process and its children.  A
 * killed process loses nothing by that, and a proof is quicker.  NULL without layer or memory. */
struct disk_log *disk_quiet_begin(const char *directory);
void disk_quiet_end(struct disk_log *log);

/* The layer's record, or NULL when the layer is not loaded into this process. */
struct disk_log **disk_layer(void);

#endif
