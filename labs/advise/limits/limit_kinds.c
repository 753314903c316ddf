/* limit_kinds.c - lists what `limits` measures, and its points. */
#include "labs/advise/limits/limits.h"

#include "harness/base/memory.h"

#define SIZES_MAX 3

/* Three sizes of nodes where the size may matter by itself: eight, four and one of them to a cache line. */
static const struct {
    const char *name;
    unsigned node_bytes[SIZES_MAX]; /* 0: no more */
    bool has_tasks, has_pages;
} kinds[LIMIT_KINDS] = {
    [LIMIT_DEPENDENT_LOAD] = {"dependent-load", {8, 16, 64}, true, true},
    [LIMIT_INDEPENDENT_LOAD] = {"independent-load", {8, 16, 64}, true, true},
    [LIMIT_LOAD_STORE] = {"load-store", {8, 16, 64}, true, true},
    [LIMIT_LATE_STORE] = {"late-store", {16}, true, true},
    [LIMIT_UNLINK_NEAR] = {"unlink-near", {16}, true, true},
    [LIMIT_UNLINK_FAR] = {"unlink-far", {16}, true, true},
    [LIMIT_START_ONE] = {"start-one-list", {16}, true, true},
    [LIMIT_START_TABLE] = {"start-table", {16}, true, true},
    [LIMIT_EXPIRE_ONE] = {"expire-one-list", {16}, true, true},
    [LIMIT_EXPIRE_EIGHT] = {"expire-eight-lists", {16}, true, true},
    [LIMIT_NULL_CALL] = {"null-call", {0}, true, false},
    [LIMIT_BRANCH_MISS] = {"branch-miss", {0}, false, false},
    [LIMIT_PAGE_FAULT] = {"page-fault", {0}, false, true},
};

const char *limit_kind_name(enum limit_kind kind)
{
    return kinds[kind].name;
}

uint64_t limit_footprint_bytes(const struct limit_point *point)
{
    return point->tasks * point->node_bytes;
}

/* The points of one kind and size; answers how many. */
static size_t add_points(enum limit_kind kind, unsigned node_bytes, const uint64_t *tasks,
                         size_t count, uint64_t null_max, struct limit_pages pages,
                         struct limit_point *out)
{
    size_t added = 0, sizes = kinds[kind].has_tasks ? count : 1;
    bool wanted[2] = {pages.small || !kinds[kind].has_pages, pages.huge && kinds[kind].has_pages};
    for (size_t page = 0; page < 2; page++)
        for (size_t i = 0; i < sizes && wanted[page]; i++)
            if (kind != LIMIT_NULL_CALL || tasks[i] <= null_max)
                out[added++] = (struct limit_point){kind, kinds[kind].has_tasks ? tasks[i] : 0,
                                                    node_bytes, page == 1};
    return added;
}

struct limit_point *limit_points_make(const uint64_t *tasks, size_t count, uint64_t null_max,
                                      struct limit_pages pages, size_t *out_count)
{
    struct limit_point *out = memory_take(LIMIT_KINDS * SIZES_MAX * 2 * (count + 1), sizeof *out);
    size_t total = 0;
    for (int kind = 0; kind < LIMIT_KINDS; kind++)
        for (size_t size = 0; size < SIZES_MAX; size++)
            if (size == 0 || kinds[kind].node_bytes[size] > 0)
                total += add_points((enum limit_kind)kind, kinds[kind].node_bytes[size], tasks,
                                    count, null_max, pages, out + total);
    *out_count = total;
    return out;
}
