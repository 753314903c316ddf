/* test_limit_loops.c - that the loops do what their names say, to every node and in every size. */
#include "labs/advise/limits/limits.h"
#include "testing.h"

#include <math.h>

#define TASKS 1003u /* no multiple of eight */
#define HEAD  TASKS

/* A permutation in which nobody stands beside whom its number is beside: 617 and 1003 have no common factor. */
static const uint32_t *make_order(uint32_t *order)
{
    for (uint32_t i = 0; i < TASKS; i++)
        order[i] = (uint32_t)((uint64_t)i * 617 % TASKS);
    return order;
}

static struct limit_ground *open_ground(enum limit_kind kind, unsigned node_bytes)
{
    uint32_t order[TASKS];
    struct limit_point point = {.kind = kind, .tasks = TASKS, .node_bytes = node_bytes};
    struct limit_ground *ground = malloc(sizeof *ground);
    assert_non_null(ground);
    assert_true(limit_ground_open(ground, &point, make_order(order)));
    return ground;
}

static void close_ground(struct limit_ground *ground)
{
    limit_ground_close(ground);
    free(ground);
}

static struct limit_node *nodes_of(const struct limit_ground *ground)
{
    return (struct limit_node *)(void *)ground->nodes;
}

/* ---- Loads and stores. ----------------------------------------------------------------------- */

TEST(test_a_chase_goes_through_all_nodes)
{
    static const unsigned sizes[] = {8, 16, 64};
    for (size_t s = 0; s < 3; s++) {
        struct limit_ground *ground = open_ground(LIMIT_DEPENDENT_LOAD, sizes[s]);
        bool seen[TASKS] = {false};
        const void *begin = ground->cursor;
        for (size_t i = 0; i < TASKS; i++) {
            size_t at = (size_t)((const unsigned char *)ground->cursor - ground->nodes);
            assert_int_equal(at % sizes[s], 0);
            assert_false(seen[at / sizes[s]]);
            seen[at / sizes[s]] = true;
            limit_loop(ground, LIMIT_DEPENDENT_LOAD, 0, 1);
        }
        assert_ptr_equal(ground->cursor, begin);
        close_ground(ground);
    }
}

TEST(test_each_node_is_stored_to_once)
{
    static const unsigned sizes[] = {8, 16, 64};
    for (size_t s = 0; s < 3; s++) {
        struct limit_ground *ground = open_ground(LIMIT_LOAD_STORE, sizes[s]);
        assert_int_equal(limit_loop_room(ground, LIMIT_LOAD_STORE), TASKS);
        limit_loop(ground, LIMIT_LOAD_STORE, 0, TASKS - 3);
        limit_loop(ground, LIMIT_LOAD_STORE, TASKS - 3, 3);
        for (size_t i = 0; i < TASKS; i++)
            assert_int_equal(*(uint64_t *)(void *)(ground->nodes + i * sizes[s]), 1);
        close_ground(ground);
    }
}

TEST(test_a_load_leaves_everything_as_it_is)
{
    struct limit_ground *ground = open_ground(LIMIT_INDEPENDENT_LOAD, 16);
    memset(ground->nodes, 7, TASKS * 16);
    limit_loop(ground, LIMIT_INDEPENDENT_LOAD, 0, TASKS);
    for (size_t i = 0; i < TASKS * 16; i++)
        assert_int_equal(ground->nodes[i], 7);
    close_ground(ground);
}

TEST(test_late_stores_go_where_the_nodes_say)
{
    struct limit_ground *ground = open_ground(LIMIT_LATE_STORE, 16);
    uint32_t expected[LIMIT_TABLE_HEADS] = {0};
    for (uint32_t i = 0; i < TASKS; i++)
        expected[nodes_of(ground)[ground->order[i]].next % LIMIT_TABLE_HEADS] = i;
    limit_loop(ground, LIMIT_LATE_STORE, 0, TASKS);
    assert_memory_equal(ground->tails, expected, sizeof expected);
    close_ground(ground);
}

/* ---- Lists. ------------------------------------------------------------------------------------ */

/* Length of the ring at the head, links being right both ways. */
static size_t ring_length(const struct limit_ground *ground)
{
    const struct limit_node *nodes = nodes_of(ground);
    size_t length = 0;
    for (uint32_t at = HEAD; nodes[at].next != HEAD; at = nodes[at].next, length++) {
        assert_int_equal(nodes[nodes[at].next].prev, at);
        assert_true(length < TASKS);
    }
    return length;
}

TEST(test_unlinking_empties_the_list_and_is_undone)
{
    static const enum limit_kind kinds[] = {LIMIT_UNLINK_NEAR, LIMIT_UNLINK_FAR};
    for (size_t k = 0; k < 2; k++) {
        struct limit_ground *ground = open_ground(kinds[k], 16);
        struct limit_node *before = malloc((TASKS + 1) * sizeof *before);
        assert_non_null(before);
        memcpy(before, ground->nodes, (TASKS + 1) * sizeof *before);
        assert_int_equal(ring_length(ground), TASKS);
        limit_loop(ground, kinds[k], 0, 100);
        assert_int_equal(ring_length(ground), TASKS - 100);
        limit_loop(ground, kinds[k], 100, TASKS - 100);
        assert_int_equal(ring_length(ground), 0);
        limit_ground_restore(ground, kinds[k], TASKS);
        assert_int_equal(ring_length(ground), TASKS);
        for (size_t i = 0; i <= TASKS; i++) {
            assert_int_equal(nodes_of(ground)[i].next, before[i].next);
            assert_int_equal(nodes_of(ground)[i].prev, before[i].prev);
        }
        free(before);
        close_ground(ground);
    }
}

/* Neighbours in the list are those by number, or are not; the order of unlinking is neither. */
TEST(test_near_is_near_and_far_is_far)
{
    size_t beside[2] = {0}, in_turn = 0;
    for (int far = 0; far < 2; far++) {
        enum limit_kind kind = far ? LIMIT_UNLINK_FAR : LIMIT_UNLINK_NEAR;
        struct limit_ground *ground = open_ground(kind, 16);
        for (uint32_t i = 0; i + 1 < TASKS; i++) {
            beside[far] += nodes_of(ground)[i].next == i + 1;
            in_turn += nodes_of(ground)[ground->order[i]].next == ground->order[i + 1];
        }
        close_ground(ground);
    }
    assert_int_equal(beside[0], TASKS - 1);
    assert_int_equal(beside[1], 0);
    assert_int_equal(in_turn, 0);
}

TEST(test_starts_append_to_one_list)
{
    struct limit_ground *ground = open_ground(LIMIT_START_ONE, 16);
    limit_loop(ground, LIMIT_START_ONE, 0, 500);
    limit_loop(ground, LIMIT_START_ONE, 500, TASKS - 500);
    const struct limit_node *nodes = nodes_of(ground);
    assert_int_equal(nodes[HEAD].next, 0);
    for (uint32_t i = 0; i < TASKS; i++) {
        assert_int_equal(nodes[i].next, i + 1 < TASKS ? i + 1 : UINT32_MAX);
        assert_int_equal(nodes[i].prev, i > 0 ? i - 1 : HEAD);
    }
    close_ground(ground);
}

TEST(test_starts_append_to_the_lists_of_the_table)
{
    struct limit_ground *ground = open_ground(LIMIT_START_TABLE, 16);
    limit_loop(ground, LIMIT_START_TABLE, 0, TASKS);
    const struct limit_node *nodes = nodes_of(ground);
    size_t found = 0;
    for (uint32_t slot = 0; slot < LIMIT_TABLE_HEADS; slot++)
        for (uint32_t id = ground->tails[slot]; id != HEAD; id = nodes[id].prev, found++)
            assert_int_equal(ground->order[id] % LIMIT_TABLE_HEADS, slot);
    assert_int_equal(found, TASKS);
    close_ground(ground);
}

TEST(test_expiries_write_each_node_once)
{
    static const enum limit_kind kinds[] = {LIMIT_EXPIRE_ONE, LIMIT_EXPIRE_EIGHT};
    for (size_t k = 0; k < 2; k++) {
        struct limit_ground *ground = open_ground(kinds[k], 16);
        uint64_t rings = kinds[k] == LIMIT_EXPIRE_ONE ? 1 : LIMIT_LISTS, written = 0;
        limit_loop(ground, kinds[k], 0, TASKS / rings * rings);
        for (size_t i = 0; i < TASKS; i++) {
            assert_true(nodes_of(ground)[i].deadline <= 1);
            written += nodes_of(ground)[i].deadline;
        }
        assert_int_equal(written, TASKS / rings * rings);
        close_ground(ground);
    }
}

/* ---- Points and samples. ----------------------------------------------------------------------- */

static size_t count_points(const struct limit_point *points, size_t count, enum limit_kind kind,
                           bool huge)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += points[i].kind == kind && points[i].huge == huge;
    return found;
}

TEST(test_points_are_the_whole_matrix)
{
    static const uint64_t tasks[] = {100, 1000, 10000};
    struct limit_point *points;
    size_t count;
    points = limit_points_make(tasks, 3, 1000, (struct limit_pages){true, true}, &count);
    assert_int_equal(count_points(points, count, LIMIT_DEPENDENT_LOAD, false), 9);
    assert_int_equal(count_points(points, count, LIMIT_DEPENDENT_LOAD, true), 9);
    assert_int_equal(count_points(points, count, LIMIT_UNLINK_FAR, true), 3);
    assert_int_equal(count_points(points, count, LIMIT_NULL_CALL, false), 2);
    assert_int_equal(count_points(points, count, LIMIT_NULL_CALL, true), 0);
    assert_int_equal(count_points(points, count, LIMIT_BRANCH_MISS, false), 1);
    assert_int_equal(count_points(points, count, LIMIT_PAGE_FAULT, true), 1);
    free(points);
    points = limit_points_make(tasks, 3, 1000, (struct limit_pages){false, true}, &count);
    assert_int_equal(count_points(points, count, LIMIT_LOAD_STORE, false), 0);
    assert_int_equal(count_points(points, count, LIMIT_LOAD_STORE, true), 9);
    assert_int_equal(count_points(points, count, LIMIT_BRANCH_MISS, false), 1);
    free(points);
}

/* More than nothing, and less than ten seconds, which no stall makes of the median of several stretches.  What is
 * nearer to the truth could be said of a machine that nobody else uses. */
TEST(test_every_kind_takes_time)
{
    uint32_t order[TASKS];
    struct cycles cycles = cycles_calibrate();
    struct limit_point *points;
    size_t count;
    uint64_t tasks = TASKS;
    points = limit_points_make(&tasks, 1, 0, (struct limit_pages){true, false}, &count);
    make_order(order);
    for (size_t i = 0; i < count; i++) {
        char reason[200] = "";
        struct limit_sample sample;
        struct limit_task task = {.point = points[i], .order = order, .cycles = &cycles};
        enum outcome_status status = limit_sample_take(&task, &sample, reason, sizeof reason);
        if (points[i].kind == LIMIT_BRANCH_MISS && status == OUTCOME_UNSUPPORTED)
            continue; /* the loop that can be predicted may have been the one that was disturbed */
        assert_int_equal(status, OUTCOME_OK);
        assert_true(sample.ns > 0);
        assert_string_equal(reason, "");
        if (sample.pages_known)
            assert_int_equal(sample.huge_bytes, 0);
        if (sample.pages_known && points[i].node_bytes > 0)
            assert_true(sample.touched_bytes >= limit_footprint_bytes(&points[i]));
    }
    free(points);
}

/* ---- Rounds. ------------------------------------------------------------------------------------ */

TEST(test_rounds_sample_each_point_as_often_as_asked)
{
    struct pool_bounds limits = {.budget_ns = 100000000000, .memory_bytes = 64 << 20};
    struct limit_result *results = calloc(3, sizeof *results);
    struct cycles cycles = cycles_calibrate();
    struct limit_request request = {.runs = 3, .seed = 1, .cycles = &cycles};
    struct pool *pool;
    struct diag diag;
    int cpu = -1;
    assert_non_null(results);
    results[0].point = (struct limit_point){LIMIT_LOAD_STORE, 1000, 16, false};
    results[1].point = (struct limit_point){LIMIT_LOAD_STORE, 5000000, 64, false};
    results[2].point = (struct limit_point){LIMIT_DEPENDENT_LOAD, 1000, 8, true};
    assert_int_equal(pool_open(&pool, &cpu, 1, &limits, &diag), DIAG_OK);
    assert_int_equal(limit_rounds_run(pool, &request, results, 3, &diag), DIAG_OK);
    pool_close(pool);
    assert_int_equal(results[0].status, OUTCOME_OK);
    assert_int_equal(results[0].sample_count, 3);
    assert_int_equal(results[2].sample_count, 3);
#ifdef TWB_JEMALLOC /* or nothing limits the memory */
    assert_int_equal(results[1].status, OUTCOME_OUT_OF_MEMORY);
    assert_int_equal(results[1].sample_count, 0);
    assert_memory_equal(results[1].reason, "no memory for 305 MiB of nodes", 30);
#endif
    free(results);
}

TEST_MAIN(NULL, NULL)
