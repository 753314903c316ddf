/*
 * kinds.h - how a design is drawn: which shape its places have, and what a slot is worth.
 */
#ifndef TWBENCH_KINDS_H
#define TWBENCH_KINDS_H

#include "impls/backend.h"
#include "labs/teach/show/film.h"

/* Fills shape, arity and levels from what the instance says of itself (`levels`, `slots`, `range` or
 * `timeout` among its settings make a wheel; `units` beside `slots` as many as there are units) and from
 * the table of those that say too little; `capacity` is the instance's.  A design that no row names and that has neither is drawn as a
 * set. */
void kinds_lay_out(const struct tw_backend *design, const struct tw_description *description,
                   uint64_t capacity, struct film *film);

/* The parameter that is set to 0 for a picture, unless somebody has given it: the layout that it stands for has no
 * slots to draw.  NULL: none. */
const char *kinds_left_out(const struct tw_backend *design);

/* Leaves out the upper levels that nothing came to in the whole film, unless somebody has chosen how many
 * there are (and could). */
void kinds_trim(struct film *film, bool chosen);

#endif
