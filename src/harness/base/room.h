/* room.h - makes room for one more element of an array that doubles. */
#ifndef TWBENCH_ROOM_H
#define TWBENCH_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/* `array` is the address of a pointer to `*room` elements of `size` bytes, from malloc or NULL, of which `count` are
 * used.  False without memory: then nothing has changed.  O(1) amortised. */
bool room_for(void *array, size_t count, size_t *room, size_t size);

#endif
