/* nearest.h - finds the known word nearest to one that is not known: "did you mean".
 *
 *     struct nearest nearest = nearest_to("hashd");
 *     nearest_offer(&nearest, "heap"); nearest_offer(&nearest, "hashed");
 *     nearest_hint(&nearest, hint, sizeof hint);      "; did you mean 'hashed'?"
 */
#ifndef TWBENCH_NEAREST_H
#define TWBENCH_NEAREST_H

#include <stddef.h>

#define NEAREST_MAX  40
#define NEAREST_HINT (NEAREST_MAX + 24) /* room for a hint */

struct nearest {
    const char *asked;
    char word[NEAREST_MAX + 1]; /* the nearest so far; "": none is near enough */
    size_t distance;
};

/* Nothing offered yet.  `asked` has to last. */
struct nearest nearest_to(const char *asked);

/* Takes a copy of `known` when fewer edits lead to it than to those before: a letter put in, taken out, replaced, or two
 * neighbours swapped; at most one for each three letters asked for, and one more.  O(length of both); words longer than
 * NEAREST_MAX are never near. */
void nearest_offer(struct nearest *nearest, const char *known);

/* "; did you mean 'WORD'?", or "" when no word is near. */
const char *nearest_hint(const struct nearest *nearest, char *out, size_t size);

/* The same for the words of a list as messages show it: "a, b, c". */
const char *nearest_listed(const char *asked, const char *list, char *out, size_t size);

#endif
