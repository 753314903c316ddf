/*
 * memory.h - memory for the process that the user started: either there is enough, or the program ends.
 *
 * Before the first child nothing has been measured that could be lost, and afterwards every cell is on the disk.  So running
 * out of memory there is no case to handle, but the end: a message on stderr and exit status 1.  In a child it is an outcome,
 * and malloc is called by hand.
 */
#ifndef TWBENCH_MEMORY_H
#define TWBENCH_MEMORY_H

#include "harness/base/libc.h"

/* Zeroed; the caller frees it.  Never NULL. */
void *memory_take(size_t count, size_t size);
/* The array with room for `count`; what is new is not zeroed.  Never NULL. */
void *memory_grow(void *array, size_t count, size_t size);
/* Ends the program when something that takes its memory itself had none. */
void memory_must(bool taken);
/* Makes room for one more element of an array that doubles: `array` is the address of a pointer to `*room` elements of
 * `size` bytes, from malloc or NULL, of which `count` are used.  O(1) amortised. */
void memory_room(void *array, size_t count, size_t *room, size_t size);
/* A copy of the text. */
char *memory_text(const char *text);

/* From here on cJSON takes its memory here too: what makes JSON cannot fail. */
void memory_for_json(void);

#endif
