/* rubric.h - what a solution is graded by: parts that have to be right, costs beside references, loads. */
#ifndef TWBENCH_RUBRIC_H
#define TWBENCH_RUBRIC_H

#include "harness/base/json.h"

#define RUBRIC_PARTS_MAX 32
#define RUBRIC_COSTS_MAX 8
#define RUBRIC_LOADS_MAX 16
#define RUBRIC_NAME      64
#define RUBRIC_PATH      512

/* Points for operation lists, all of which have to pass, or for random operations. */
struct rubric_part {
    char name[RUBRIC_NAME], read[200]; /* read: where the rule is explained, or "" */
    uint64_t points, operations, seed;
    bool cases;              /* the written cases of conform too: seconds */
    char lists[RUBRIC_PATH]; /* the directory of the lists, or "": random operations */
};

/* What is compared with references.  The first three are counts, the same on every machine. */
enum rubric_figure {
    RUBRIC_WORK,
    RUBRIC_LONGEST,
    RUBRIC_BYTES,
    RUBRIC_INSTRUCTIONS,
    RUBRIC_FIGURES
};
extern const char *const rubric_figures[RUBRIC_FIGURES + 1];

struct rubric_cost {
    char name[RUBRIC_NAME];
    uint64_t points;
    int figure;
    char none[32], full[32]; /* the designs at which there are no points, and all */
};

struct rubric_load {
    char workload[RUBRIC_PATH]; /* a name or a path */
    uint64_t tasks, seed;
};

struct rubric {
    char name[RUBRIC_NAME];
    size_t part_count, cost_count, load_count;
    struct rubric_part parts[RUBRIC_PARTS_MAX];
    struct rubric_cost costs[RUBRIC_COSTS_MAX];
    struct rubric_load loads[RUBRIC_LOADS_MAX];
};

/* Adds what the file says: a second one, of the teacher alone, goes behind the first.  Paths in it are seen from its
 * directory.  DIAG_USAGE names file, key and what was expected. */
int rubric_read(const char *path, struct rubric *rubric, struct diag *diag);

/* All that can be had. */
uint64_t rubric_points(const struct rubric *rubric);

#endif
