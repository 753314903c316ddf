/*
 * reader.h - reads a tree of JSON that must keep to rules, and says where it does not.
 *
 * The first mistake stays: after it every function answers something harmless, so that a caller reads
 * a whole object and asks for the status once.  Places are key paths: "runs.fill.points[2].tick".
 */
#ifndef TWBENCH_READER_H
#define TWBENCH_READER_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>

#define READER_PLACE_SIZE 200

struct reader {
    const char *path; /* of the file */
    int status;
    struct diag *diag;
};

struct reader_place {
    char text[READER_PLACE_SIZE]; /* "" is the top */
};

/* The place of a member, "OUTER.KEY", or of an element, "OUTER[INDEX]"; cut where it is too long. */
struct reader_place reader_member(const struct reader_place *outer, const char *key);
struct reader_place reader_element(const struct reader_place *outer, size_t index);

/* Refuses what is at `place`, unless something was refused before. */
void reader_refuse(struct reader *reader, const struct reader_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses what is no object, and keys that are not among the NULL-ended `known`. */
void reader_check_keys(struct reader *reader, const struct reader_place *place, const cJSON *object,
                       const char *const *known);

/* Members of an object; the text lives as long as the tree.  Absent: NULL, or refused if needed. */
const char *reader_text(struct reader *reader, const struct reader_place *place,
                        const cJSON *object, const char *key, bool needed);
/* The index of the text among the NULL-ended words; 0 when absent and not needed. */
int reader_word(struct reader *reader, const struct reader_place *place, const cJSON *object,
                const char *key, const char *const *words, bool needed);
/* A number from 0 on, or `absent`. */
double reader_number(struct reader *reader, const struct reader_place *place, const cJSON *object,
                     const char *key, double absent);
/* A whole number, as one or as text with a unit of units.h ("10k"). */
uint64_t reader_count(struct reader *reader, const struct reader_place *place, const cJSON *item);
/* An array of at least one and at most `most` elements: its length. */
size_t reader_array(struct reader *reader, const struct reader_place *place, const cJSON *item,
                    size_t most);

#endif
