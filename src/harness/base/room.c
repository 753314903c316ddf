/* room.c - doubles an array whose pointer may be of any type. */
#include "harness/base/room.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 64

bool room_for(void *array, size_t count, size_t *room, size_t size)
{
    void *old, *larger;
    size_t wanted = *room ? *room * 2 : ROOM_FIRST;
    if (count < *room)
        return true;
    memcpy(&old, array, sizeof old);
    larger = realloc(old, wanted * size);
    if (!larger)
        return false;
    memcpy(array, &larger, sizeof larger);
    *room = wanted;
    return true;
}
