/*
 * place.h - a value of a document together with the path that leads to it.
 *
 * A path is written as a reader types it: cells[3].phases[0].ns_per_op.median.  A key that is no plain word
 * stands in brackets and quotes: figures["work / start"].  Every figure of a page carries its path, so a reader
 * and a test can look it up.
 */
#ifndef TWBENCH_PLACE_H
#define TWBENCH_PLACE_H

#include <cjson/cJSON.h>
#include <stddef.h>

#define PLACE_SIZE 480

/* Copied by value.  The document outlives it. */
struct place {
    const cJSON *json; /* NULL: nothing is there, or null */
    char path[PLACE_SIZE];
};

/* The whole document; its path is empty. */
struct place place_root(const cJSON *document);
/* Keys joined by dots, as json_get takes them: "latency_ns.advance.p99". */
struct place place_get(const struct place *from, const char *dotted);
/* One key, whatever its characters. */
struct place place_key(const struct place *from, const char *key);
/* The item of an array. */
struct place place_item(const struct place *array, size_t index);
/* The item of an array that `item` is. */
struct place place_of(const struct place *array, const cJSON *item);
/* The item behind it in the same array; O(1).  Use it in a loop:
 *     for (struct place cell = place_item(&cells, 0); cell.json; place_next(&cell)) */
void place_next(struct place *item);

/* As json_get_number and json_get_text, from this place on. */
double place_number(const struct place *from, const char *dotted);
const char *place_text(const struct place *from, const char *dotted);

#endif
