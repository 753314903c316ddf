/*
 * test_results.c - two made-up result documents, one edited: which cells are matched, what is
 * refused, and what each gate says.
 */
#include "harness/base/json.h"
#include "harness/compare/results.h"
#include "testing.h"

#include <math.h>

/* ---- Documents. ------------------------------------------------------------------------------ */

/* Quotation marks as ' for the sake of the reader. */
static cJSON *parse(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    cJSON *item = cJSON_Parse(copy);
    assert_non_null(item);
    free(copy);
    return item;
}

/* 100 calls in the first phase, 300 in the second, none in the third: its clock only moves. */
static cJSON *make_cell(const char *impl, int tasks)
{
    cJSON *cell = parse(
        "{'impl': 'x', 'workload': 'hold', 'tasks': 1, 'tick_ns': 1000, 'seed': 7,"
        " 'status': 'ok', 'reason': null, 'digest': 'abcd', 'fired': 200,"
        " 'late_mean_ticks': 0, 'requested': {'slots': 64, 'levels': [4, 2]},"
        " 'limits': {'max_pending': null}, 'memory': {'peak_bytes_per_task': 20},"
        " 'traits': {'late_ticks': 0, 'late_shift': 0, 'keeps_nothing': false},"
        " 'stream': {'hash': '0123'}, 'identity': 'x; hold tasks=1 seed=18446744073709551615 "
        "stream=0123; runs=3', 'phases': ["
        "  {'name': 'fill', 'operations': {'start': 100, 'stop': 0, 'advance': 0, 'expire': 0},"
        "   'ns_per_op': {'median': 20, 'low': 18, 'high': 24, 'confidence': 0.99},"
        "   'cpu_ns_per_op': 10, 'counters': {'instructions_per_op': 30, 'running_share': 1},"
        "   'counters_reason': null,"
        "   'work': {'comparisons': 400, 'visits': 300, 'moves': 0, 'link_writes': 200,"
        "            'cascades': 0, 'empty_ticks': 0, 'allocations': 0,"
        "            'pointer_moves': 0, 'system_calls': 0, 'clock_reads': 0}},"
        "  {'name': 'steady', 'operations': {'start': 100, 'stop': 50, 'advance': 9, 'expire': "
        "150},"
        "   'ns_per_op': {'median': 40, 'low': 38, 'high': 44, 'confidence': 0.98},"
        "   'cpu_ns_per_op': 30, 'counters': {'instructions_per_op': 50, 'running_share': 1},"
        "   'counters_reason': null,"
        "   'work': {'comparisons': 600, 'visits': 300, 'moves': 0, 'link_writes': 800,"
        "            'cascades': 0, 'empty_ticks': 0, 'allocations': 0,"
        "            'pointer_moves': 0, 'system_calls': 0, 'clock_reads': 0}},"
        "  {'name': 'idle', 'operations': {'start': 0, 'stop': 0, 'advance': 50, 'expire': 0},"
        "   'ns_per_op': null, 'cpu_ns_per_op': null, 'ns_per_advance': {'median': 200},"
        "   'counters': null, 'counters_reason': 'the phase has no operations',"
        "   'work': {'comparisons': 0, 'visits': 0, 'moves': 0, 'link_writes': 0,"
        "            'cascades': 0, 'empty_ticks': 5000, 'allocations': 0,"
        "            'pointer_moves': 0, 'system_calls': 0, 'clock_reads': 0}}]}");
    cJSON_ReplaceItemInObject(cell, "impl", cJSON_CreateString(impl));
    cJSON_ReplaceItemInObject(cell, "tasks", cJSON_CreateNumber(tasks));
    return cell;
}

static cJSON *make_document(void)
{
    cJSON *document = parse(
        "{'schema_version': 1, 'complete': true, 'tool': {'version': '0.2.0', 'commit': 'c0ffee',"
        " 'compiler': 'gcc', 'flags': null},"
        " 'machine': {'cpu_model': 'A', 'architecture': 'x86_64', 'cores': 2}, 'cells': []}");
    cJSON *cells = cJSON_GetObjectItem(document, "cells");
    cJSON_AddItemToArray(cells, make_cell("heap", 1000));
    cJSON_AddItemToArray(cells, make_cell("list", 1000));
    return document;
}

/* What a test works on: OLD, NEW, and what came of it. */
struct pair {
    cJSON *before, *after;
    struct limits limits;
    struct comparison out;
    struct diag diag;
};

static int setup(void **state)
{
    struct pair *pair = calloc(1, sizeof *pair);
    assert_non_null(pair);
    pair->before = make_document();
    pair->after = make_document();
    pair->limits = limits_default();
    *state = pair;
    return 0;
}

static int teardown(void **state)
{
    struct pair *pair = *state;
    cJSON_Delete(pair->before);
    cJSON_Delete(pair->after);
    comparison_free(&pair->out);
    free(pair);
    return 0;
}

/* The item at "cells.0.phases.1.work.visits". */
static cJSON *find(cJSON *item, const char *path, const char **last, cJSON **parent)
{
    static const char digits[] = "0123456789";
    for (const char *at = path; item && *at;) {
        char key[40];
        size_t length = strcspn(at, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        *parent = item;
        *last = at;
        item = strspn(key, digits) == length ? cJSON_GetArrayItem(item, atoi(key))
                                             : cJSON_GetObjectItemCaseSensitive(item, key);
        at += length + (at[length] == '.');
    }
    return item;
}

/* Replaces, or adds, what is at the path. */
static void put(cJSON *document, const char *path, cJSON *value)
{
    const char *last = NULL;
    cJSON *parent = NULL;
    if (find(document, path, &last, &parent))
        assert_true(cJSON_ReplaceItemInObject(parent, last, value));
    else
        assert_true(cJSON_AddItemToObject(parent, last, value));
}

static void put_number(cJSON *document, const char *path, double value)
{
    put(document, path, cJSON_CreateNumber(value));
}

static void put_text(cJSON *document, const char *path, const char *text)
{
    put(document, path, cJSON_CreateString(text));
}

static void put_null(cJSON *document, const char *path)
{
    put(document, path, cJSON_CreateNull());
}

static int compare(struct pair *pair)
{
    comparison_free(&pair->out);
    return compare_documents(pair->before, "OLD.json", pair->after, "NEW.json", &pair->limits,
                             &pair->out, &pair->diag);
}

/* The first cell, compared and concluded. */
static struct compared_cell *compare_first(struct pair *pair)
{
    assert_int_equal(compare(pair), DIAG_OK);
    assert_true(pair->out.cell_count >= 1);
    cell_conclude(&pair->out.cells[0], &pair->limits);
    return &pair->out.cells[0];
}

static void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" lacks \"%s\"", text, part);
}

static void expect_refusal(struct pair *pair, const char *part)
{
    assert_int_equal(compare(pair), DIAG_USAGE);
    expect_text(pair->diag.text, part);
    assert_null(pair->out.cells);
    assert_int_equal(pair->out.cell_count, 0);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* ---- Matching. ------------------------------------------------------------------------------- */

TEST_AROUND(test_identical_documents_are_the_same, setup, teardown)
{
    struct pair *pair = *state;
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(pair->out.cell_count, 2);
    assert_int_equal(pair->out.added, 0);
    assert_string_equal(pair->out.notes, "");
    assert_int_equal(cell->verdict, VERDICT_SAME);
    assert_string_equal(cell->reason, "");
    assert_false(cell->work_changed);
    assert_false(cell->failed);
    assert_true(cell->same_program);
    assert_string_equal(pair->out.before.commit, "c0ffee");
    assert_string_equal(pair->out.after.version, "0.2.0");
    assert_string_equal(pair->out.after.flags, "");
    assert_true(pair->out.limits.of[METRIC_TIME] == pair->limits.of[METRIC_TIME]);
}

TEST_AROUND(test_what_a_cell_was, setup, teardown)
{
    struct compared_cell *cell = compare_first(*state);
    assert_string_equal(cell->impl, "heap");
    assert_string_equal(cell->workload, "hold");
    assert_int_equal(cell->tasks, 1000);
    assert_int_equal(cell->tick_ns, 1000);
    assert_true(cell->seed == UINT64_MAX); /* from the identity, exactly */
    assert_int_equal(cJSON_GetArraySize(cell->requested), 2);
    assert_int_equal(cell->phase_count, 3);
    assert_string_equal(cell->phases[1].name, "steady");
    assert_true(cell->phases[1].work_before[METRIC_link_writes] == 800);
}

TEST_AROUND(test_the_order_of_cells_does_not_matter, setup, teardown)
{
    struct pair *pair = *state;
    cJSON *cells = cJSON_GetObjectItem(pair->after, "cells");
    cJSON_AddItemToArray(cells, cJSON_DetachItemFromArray(cells, 0));
    put_number(pair->after, "cells.1.phases.0.work.comparisons", 500);
    compare_first(pair);
    assert_true(pair->out.cells[0].work_changed);
    assert_false(pair->out.cells[1].work_changed);
    assert_string_equal(pair->out.cells[1].impl, "list");
    const cJSON *found = results_find_cell(pair->after, &pair->out.cells[0]);
    assert_ptr_equal(found, cJSON_GetArrayItem(cells, 1));
    put_number(pair->after, "cells.1.tasks", 1001);
    assert_null(results_find_cell(pair->after, &pair->out.cells[0]));
}

TEST_AROUND(test_settings_are_part_of_the_key, setup, teardown)
{
    struct pair *pair = *state;
    put(pair->after, "cells.0.requested", parse("{'levels': [4, 2], 'slots': 64}"));
    assert_int_equal(compare_first(pair)->verdict, VERDICT_SAME); /* in any order */
    put(pair->after, "cells.0.requested", parse("{'levels': [4, 3], 'slots': 64}"));
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_INCONCLUSIVE);
    assert_string_equal(cell->reason, "NEW has no such cell");
    assert_true(isnan(cell->changes[METRIC_visits].share));
    assert_false(cell->failed);
    assert_int_equal(cell->work_verdict, VERDICT_INCONCLUSIVE);
    assert_false(cell->time_known);
    assert_null(results_find_cell(pair->after, cell));
    assert_int_equal(pair->out.added, 1);
}

TEST_AROUND(test_a_missing_cell_of_an_interrupted_run, setup, teardown)
{
    struct pair *pair = *state;
    cJSON_DeleteItemFromArray(cJSON_GetObjectItem(pair->after, "cells"), 0);
    put(pair->after, "complete", cJSON_CreateFalse());
    expect_text(compare_first(pair)->reason, "NEW has no such cell: it was interrupted");
    expect_text(pair->out.notes, "NEW was interrupted");
    assert_int_equal(pair->out.cells[1].verdict, VERDICT_SAME);
}

TEST_AROUND(test_another_machine_is_noted, setup, teardown)
{
    struct pair *pair = *state;
    put_text(pair->after, "machine.cpu_model", "B");
    assert_int_equal(compare_first(pair)->verdict, VERDICT_SAME);
    expect_text(pair->out.notes, "different machines (cpu_model: A and B)");
    put_text(pair->after, "machine.cpu_model", "A");
    put_number(pair->after, "machine.cores", 4);
    compare_first(pair);
    expect_text(pair->out.notes, "cores: 2 and 4");
}

/* ---- Refusals. ------------------------------------------------------------------------------- */

TEST_AROUND(test_other_operations_are_refused, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.1.seed", 8);
    expect_refusal(pair,
                   "OLD.json and NEW.json: list/hold/1000 (slots=64 levels=4,2): seed: 7 and 8; "
                   "both must have run the same operations");
    put_number(pair->after, "cells.1.seed", 7);
    put_number(pair->after, "cells.1.tick_ns", 2000);
    expect_refusal(pair, "tick_ns: 1000 and 2000");
    put_number(pair->after, "cells.1.tick_ns", 1000);
    put_number(pair->after, "cells.1.limits.max_pending", 5);
    expect_refusal(pair, "limits.max_pending: none and 5");
    put_null(pair->after, "cells.1.limits.max_pending");
    put_text(pair->after, "cells.1.stream.hash", "4567");
    expect_refusal(pair, "stream.hash: 0123 and 4567");
}

TEST_AROUND(test_nothing_in_common_is_refused, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.tasks", 50);
    put_text(pair->after, "cells.1.workload", "churn");
    expect_refusal(pair, "OLD.json and NEW.json: cells: none is in both");
    expect_text(pair->diag.text,
                "the first has heap/hold/1000 (slots=64 levels=4,2), list/hold/1000");
    expect_text(pair->diag.text, "the second heap/hold/50 (slots=64 levels=4,2), list/churn/1000");
    put(pair->after, "cells", cJSON_CreateArray());
    expect_refusal(pair, "the second no cells");
    put(pair->before, "cells", cJSON_CreateArray());
    expect_refusal(pair, "the first has no cells");
}

/* However many cells with however long names: cut off, never overrun. */
TEST_AROUND(test_a_long_list_is_cut_short, setup, teardown)
{
    struct pair *pair = *state;
    char name[200];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int tasks = 1; tasks <= 40; tasks++) {
        cJSON *cell = make_cell(name, tasks);
        cJSON_ReplaceItemInObject(cell, "workload", cJSON_CreateString(name));
        cJSON_AddItemToArray(cJSON_GetObjectItem(pair->before, "cells"), cell);
    }
    put(pair->after, "cells", cJSON_CreateArray());
    expect_refusal(pair, "and 39 more");
    expect_text(pair->diag.text, "expected the same design, settings, workload and tasks");
}

TEST_AROUND(test_a_cell_that_is_there_twice_is_refused, setup, teardown)
{
    struct pair *pair = *state;
    cJSON *twice = make_cell("list", 1000);
    cJSON_ReplaceItemInObject(twice, "seed", cJSON_CreateNumber(9));
    cJSON_AddItemToArray(cJSON_GetObjectItem(pair->after, "cells"), twice);
    expect_refusal(pair, "NEW.json: cells: list/hold/1000 (slots=64 levels=4,2) is there twice");
    cJSON_AddItemToArray(cJSON_GetObjectItem(pair->before, "cells"), make_cell("heap", 1000));
    expect_refusal(pair, "OLD.json: cells: heap/hold/1000");
}

/* ---- Work and memory. ------------------------------------------------------------------------ */

TEST_AROUND(test_more_work_regresses, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.phases.0.work.comparisons", 500);
    struct compared_cell *cell = compare_first(pair);
    const struct change *change = &cell->changes[METRIC_comparisons];
    assert_true(change->before == 1000 && change->after == 1100);
    assert_true(is_near(change->share, 0.1));
    assert_int_equal(change->verdict, VERDICT_REGRESSED);
    assert_int_equal(cell->work_verdict, VERDICT_REGRESSED);
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
    assert_true(cell->work_changed);
    assert_false(cell->failed);
    assert_false(cell->same_program);
    assert_true(cell->phases[0].work_before[METRIC_comparisons] == 400);
    assert_true(cell->phases[0].work_after[METRIC_comparisons] == 500);
    expect_text(cell->reason, "comparisons +10");
}

TEST_AROUND(test_the_limit_itself_is_allowed, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.phases.0.work.comparisons", 500);
    pair->limits.of[METRIC_comparisons] = 0.1;
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_SAME);
    assert_true(cell->work_changed);
    put_number(pair->after, "cells.0.phases.0.work.comparisons", 501);
    assert_int_equal(compare_first(pair)->verdict, VERDICT_REGRESSED);
    pair->limits.of[METRIC_comparisons] = NAN;
    assert_int_equal(compare_first(pair)->verdict, VERDICT_SAME);
}

TEST_AROUND(test_less_work_improves_but_not_for_more_of_another_kind, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.phases.1.work.link_writes", 700);
    assert_int_equal(compare_first(pair)->verdict, VERDICT_IMPROVED);
    put_number(pair->after, "cells.0.phases.1.work.visits", 310);
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->changes[METRIC_link_writes].verdict, VERDICT_IMPROVED);
    assert_int_equal(cell->changes[METRIC_visits].verdict, VERDICT_REGRESSED);
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
}

TEST_AROUND(test_work_from_nothing, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.phases.0.work.allocations", 1);
    struct compared_cell *cell = compare_first(pair);
    assert_true(isinf(cell->changes[METRIC_allocations].share));
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
    assert_true(cell->changes[METRIC_moves].share == 0);
}

/* Ticks of a phase without a single call count as well. */
TEST_AROUND(test_work_of_a_phase_without_calls, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.phases.2.work.empty_ticks", 6000);
    struct compared_cell *cell = compare_first(pair);
    assert_true(is_near(cell->changes[METRIC_empty_ticks].share, 0.2));
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
}

TEST_AROUND(test_work_that_moved_between_phases, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.phases.0.work.comparisons", 500);
    put_number(pair->after, "cells.0.phases.1.work.comparisons", 500);
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_SAME);
    assert_true(cell->work_changed);
    assert_false(cell->same_program);
}

TEST_AROUND(test_memory_is_judged_when_it_has_a_limit, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.memory.peak_bytes_per_task", 22);
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_SAME);
    assert_true(is_near(cell->changes[METRIC_MEMORY].share, 0.1));
    assert_false(cell->same_program);
    put_number(pair->after, "cells.0.memory.peak_bytes_per_task", 49.6);
    cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
    assert_string_equal(cell->reason, "memory +148.0 % (limit 10 %)");
    put_null(pair->after, "cells.0.memory");
    cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_INCONCLUSIVE);
    assert_string_equal(cell->reason, "memory: unknown, NEW has no figure");
    pair->limits.of[METRIC_MEMORY] = NAN;
    cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_SAME);
    assert_true(isnan(cell->changes[METRIC_MEMORY].share));
    assert_false(cell->same_program); /* unknown is not alike */
}

/* ---- What is not known. ---------------------------------------------------------------------- */

#define SIDE_BEFORE 1u
#define SIDE_AFTER  2u

static void on_sides(struct pair *pair, unsigned sides, const char *path, const cJSON *value)
{
    if (sides & SIDE_BEFORE)
        put(pair->before, path, cJSON_Duplicate(value, true));
    if (sides & SIDE_AFTER)
        put(pair->after, path, cJSON_Duplicate(value, true));
}

static void without_instructions(struct pair *pair, unsigned sides)
{
    cJSON *none = cJSON_CreateNull();
    on_sides(pair, sides, "cells.0.phases.0.counters", none);
    on_sides(pair, sides, "cells.0.phases.1.counters", none);
    cJSON_Delete(none);
}

/* All counters of all phases: absent where `value` is null, or of that number. */
static void set_work(struct pair *pair, unsigned sides, const cJSON *value)
{
    for (int phase = 0; phase < 3; phase++) {
        char path[80];
        snprintf(path, sizeof path, "cells.0.phases.%d.work", phase);
        if (cJSON_IsNull(value))
            on_sides(pair, sides, path, value);
        for (int i = 0; i < METRIC_WORK_COUNT && !cJSON_IsNull(value); i++) {
            snprintf(path, sizeof path, "cells.0.phases.%d.work.%s", phase,
                     metric_name((enum metric)i));
            on_sides(pair, sides, path, value);
        }
    }
}

static const struct {
    unsigned sides;
    const char *who;
} lacking[] = {{SIDE_BEFORE, "OLD counts nothing"},
               {SIDE_AFTER, "NEW counts nothing"},
               {SIDE_BEFORE | SIDE_AFTER, "both count nothing"}};

/* Whether work() answers NULL or a struct that nobody adds to. */
TEST_AROUND(test_unknown_work_is_not_equal_work, setup, teardown)
{
    struct pair *pair = *state;
    cJSON *values[] = {cJSON_CreateNull(), cJSON_CreateNumber(0)};
    for (size_t v = 0; v < 2; v++) {
        for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
            set_work(pair, lacking[i].sides, values[v]);
            without_instructions(pair, SIDE_AFTER);
            struct compared_cell *cell = compare_first(pair);
            assert_int_equal(cell->verdict, VERDICT_INCONCLUSIVE);
            assert_int_equal(cell->work_verdict, VERDICT_INCONCLUSIVE);
            assert_string_equal(cell->work_reason, lacking[i].who);
            expect_text(cell->reason, lacking[i].who);
            expect_text(cell->reason, "instructions: unknown, not counted (NEW: ");
            assert_false(cell->work_changed);
            teardown(state), setup(state);
            pair = *state;
        }
        cJSON_Delete(values[v]);
    }
}

TEST_AROUND(test_instructions_stand_in_for_unknown_work, setup, teardown)
{
    struct pair *pair = *state;
    cJSON *none = cJSON_CreateNull();
    set_work(pair, SIDE_BEFORE | SIDE_AFTER, none);
    cJSON_Delete(none);
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_SAME);
    assert_true(cell_decided_by(cell, GATE_INSTRUCTIONS, &pair->limits));
    assert_false(cell_decided_by(cell, GATE_WORK, &pair->limits));
    assert_false(cell->same_program); /* unknown is not alike */
    put_number(pair->after, "cells.0.phases.0.counters.instructions_per_op", 300);
    assert_int_equal(compare_first(pair)->verdict, VERDICT_REGRESSED);
    pair->limits.of[METRIC_INSTRUCTIONS] = NAN;
    cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_INCONCLUSIVE);
    expect_text(cell->reason, "instructions: not judged");
}

/* A result of an older version lacks some counters; those that it has can be worse all the same. */
TEST_AROUND(test_a_counter_that_a_side_lacks, setup, teardown)
{
    struct pair *pair = *state;
    for (int phase = 0; phase < 3; phase++) {
        cJSON *work = cJSON_GetObjectItem(
            cJSON_GetArrayItem(
                cJSON_GetObjectItem(cJSON_GetObjectItem(pair->before, "cells")->child, "phases"),
                phase),
            "work");
        cJSON_DeleteItemFromObject(work, "pointer_moves");
        cJSON_DeleteItemFromObject(work, "clock_reads");
    }
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_SAME); /* by instructions */
    assert_string_equal(cell->work_reason, "OLD lacks pointer_moves, clock_reads");
    without_instructions(pair, SIDE_BEFORE);
    assert_int_equal(compare_first(pair)->verdict, VERDICT_INCONCLUSIVE);
    pair->limits.of[METRIC_pointer_moves] = pair->limits.of[METRIC_clock_reads] = NAN;
    assert_int_equal(compare_first(pair)->verdict, VERDICT_SAME);
    pair->limits = limits_default();
    put_number(pair->after, "cells.0.phases.0.work.visits", 600);
    cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
    expect_text(cell->reason, "visits +50.0 %");
}

/* A library: its calls are counted, its structure is not. */
TEST_AROUND(test_calls_alone_are_not_the_work, setup, teardown)
{
    struct pair *pair = *state;
    cJSON *zero = cJSON_CreateNumber(0);
    set_work(pair, SIDE_BEFORE | SIDE_AFTER, zero);
    cJSON_Delete(zero);
    put_number(pair->before, "cells.0.phases.1.work.system_calls", 1000);
    put_number(pair->after, "cells.0.phases.1.work.system_calls", 1000);
    without_instructions(pair, SIDE_AFTER);
    assert_int_equal(compare_first(pair)->verdict, VERDICT_INCONCLUSIVE);
    put_number(pair->after, "cells.0.phases.1.work.system_calls", 2000);
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
    expect_text(cell->reason, "system_calls +100");
}

TEST_AROUND(test_a_cell_without_phases_is_unknown, setup, teardown)
{
    struct pair *pair = *state;
    put(pair->before, "cells.0.phases", cJSON_CreateArray());
    put(pair->after, "cells.0.phases", cJSON_CreateArray());
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_INCONCLUSIVE);
    assert_string_equal(cell->work_reason, "both have no phases");
}

/* timerfd asks the kernel as often as there is time to. */
TEST_AROUND(test_what_waits_for_the_clock_is_unknown, setup, teardown)
{
    struct pair *pair = *state;
    put(pair->before, "cells.0.traits.real_clock", cJSON_CreateTrue());
    put(pair->after, "cells.0.traits.real_clock", cJSON_CreateTrue());
    put_number(pair->after, "cells.0.phases.0.work.visits", 600);
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_INCONCLUSIVE);
    expect_text(cell->reason, "the machine's clock");
    assert_true(cell->work_changed);
}

/* ---- Instructions. --------------------------------------------------------------------------- */

TEST_AROUND(test_instructions_of_the_processor, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.phases.1.counters.instructions_per_op", 53);
    struct compared_cell *cell = compare_first(pair);
    const struct change *change = &cell->changes[METRIC_INSTRUCTIONS];
    assert_true(cell->instructions_known);
    assert_string_equal(cell->instructions_source, "processor");
    assert_true(change->before == 100 * 30 + 300 * 50 && change->after == 100 * 30 + 300 * 53);
    assert_int_equal(cell->instructions_verdict, VERDICT_REGRESSED);
    assert_int_equal(cell->work_verdict, VERDICT_SAME);
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
    assert_false(cell->work_changed);
    assert_string_equal(cell->instructions_reason, "");
    put_number(pair->after, "cells.0.phases.1.counters.instructions_per_op", 40);
    assert_int_equal(compare_first(pair)->verdict, VERDICT_IMPROVED);
    put_number(pair->after, "cells.0.phases.1.counters.instructions_per_op", 50.1);
    cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_SAME);
    assert_true(cell->same_program); /* +0.17 % */
    put_number(pair->after, "cells.0.phases.1.counters.instructions_per_op", 50.2);
    assert_false(compare_first(pair)->same_program);
}

static void drop_counters(cJSON *document, const char *reason)
{
    put_null(document, "cells.0.phases.0.counters");
    put_null(document, "cells.0.phases.1.counters");
    put_text(document, "cells.0.phases.0.counters_reason", reason);
    put_text(document, "cells.0.phases.1.counters_reason", reason);
}

static void put_steps(cJSON *document, int tasks, int instructions)
{
    cJSON *steps = parse("{'tasks': 1, 'calls': 300, 'instructions': 1, 'reason': null}");
    cJSON_ReplaceItemInObject(steps, "tasks", cJSON_CreateNumber(tasks));
    cJSON_ReplaceItemInObject(steps, "instructions", cJSON_CreateNumber(instructions));
    put(document, "cells.0.stepped", steps);
}

TEST_AROUND(test_instructions_stepped_through, setup, teardown)
{
    struct pair *pair = *state;
    put_steps(pair->before, 100, 5000);
    put_steps(pair->after, 100, 5500);
    assert_string_equal(compare_first(pair)->instructions_source, "processor");
    drop_counters(pair->after, "no counters here");
    struct compared_cell *cell = compare_first(pair);
    assert_string_equal(cell->instructions_source, "steps");
    assert_true(cell->changes[METRIC_INSTRUCTIONS].before == 5000);
    assert_true(is_near(cell->changes[METRIC_INSTRUCTIONS].share, 0.1));
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
    put_steps(pair->after, 100, 5000);
    assert_true(compare_first(pair)->same_program);
}

TEST_AROUND(test_why_instructions_are_unknown, setup, teardown)
{
    struct pair *pair = *state;
    drop_counters(pair->after, "no counters here");
    struct compared_cell *cell = compare_first(pair);
    assert_false(cell->instructions_known);
    assert_false(cell->same_program);
    assert_int_equal(cell->verdict, VERDICT_SAME);
    assert_true(isnan(cell->changes[METRIC_INSTRUCTIONS].share));
    assert_string_equal(cell->instructions_reason,
                        "not counted (NEW: no counters here), not stepped through (both: "
                        "--counters=step was not given)");
    put_steps(pair->before, 100, 5000);
    put_steps(pair->after, 50, 5000);
    expect_text(compare_first(pair)->instructions_reason, "each over other calls");
    put_null(pair->after, "cells.0.stepped.instructions");
    put_text(pair->after, "cells.0.stepped.reason", "the child died");
    expect_text(compare_first(pair)->instructions_reason, "stepped through (NEW: the child died)");
    put_steps(pair->after, 50, 5000);
    put_null(pair->before, "cells.0.stepped");
    expect_text(compare_first(pair)->instructions_reason, "(OLD: --counters=step was not given)");
    drop_counters(pair->before, "nor here");
    expect_text(compare_first(pair)->instructions_reason, "counted (both: nor here)");
}

TEST_AROUND(test_counters_that_took_turns_are_not_believed, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->before, "cells.0.phases.1.counters.running_share", 0.5);
    struct compared_cell *cell = compare_first(pair);
    assert_false(cell->instructions_known);
    expect_text(cell->instructions_reason, "OLD: the performance counters took turns");
}

/* ---- Who failed. ----------------------------------------------------------------------------- */

static struct compared_cell *compare_statuses(struct pair *pair, const char *before,
                                              const char *after)
{
    put_text(pair->before, "cells.0.status", before);
    put_text(pair->before, "cells.0.reason", "why old");
    put_text(pair->after, "cells.0.status", after);
    put_text(pair->after, "cells.0.reason", "why new");
    return compare_first(pair);
}

TEST_AROUND(test_statuses, setup, teardown)
{
    static const struct {
        const char *before, *after;
        enum verdict verdict;
        const char *reason;
    } known[] = {
        {"ok", "mismatch", VERDICT_REGRESSED, "NEW: mismatch: why new"},
        {"ok", "timeout", VERDICT_REGRESSED, "NEW: timeout: why new"},
        {"timeout", "crashed", VERDICT_REGRESSED, "NEW: crashed: why new"},
        {"mismatch", "ok", VERDICT_INCONCLUSIVE, "OLD: mismatch: why old"},
        {"timeout", "unsupported", VERDICT_INCONCLUSIVE, "OLD: timeout: why old"},
        {"crashed", "crashed", VERDICT_INCONCLUSIVE, "both: crashed: why old"},
        {"mismatch", "crashed", VERDICT_INCONCLUSIVE, "OLD: mismatch: why old"},
        {"timeout", "timeout", VERDICT_INCONCLUSIVE, "both: timeout: why old"},
        {"unsupported", "unsupported", VERDICT_INCONCLUSIVE, "both: unsupported: why old"},
        {"out-of-memory", "out-of-memory", VERDICT_INCONCLUSIVE, "both: out-of-memory: why old"},
    };
    struct pair *pair = *state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct compared_cell *cell = compare_statuses(pair, known[i].before, known[i].after);
        assert_string_equal(cell->reason, known[i].reason);
        assert_int_equal(cell->verdict, known[i].verdict);
        assert_int_equal(cell->failed, known[i].verdict == VERDICT_REGRESSED);
        assert_true(isnan(cell->changes[METRIC_comparisons].before));
        assert_false(cell->time_known);
        assert_false(cell->same_program);
    }
}

TEST_AROUND(test_two_answers_cannot_both_be_right, setup, teardown)
{
    struct pair *pair = *state;
    put_text(pair->after, "cells.0.digest", "abce");
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
    assert_true(cell->failed);
    expect_text(cell->reason, "cannot both be right");
    put_text(pair->after, "cells.0.digest", "abcd");
    put_number(pair->after, "cells.0.fired", 201);
    assert_true(compare_first(pair)->failed);
}

TEST_AROUND(test_two_late_answers_can, setup, teardown)
{
    struct pair *pair = *state;
    put_text(pair->after, "cells.0.digest", "abce");
    put_number(pair->after, "cells.0.traits.late_shift", 3);
    put_number(pair->after, "cells.0.late_mean_ticks", 2.5);
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_INCONCLUSIVE);
    assert_false(cell->failed);
    expect_text(cell->reason, "late by 0 and 2.5 ticks on average");
    put_number(pair->after, "cells.0.phases.0.work.comparisons", 500);
    cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_REGRESSED);
    expect_text(cell->reason, "comparisons +10");
}

/* ---- Times. ---------------------------------------------------------------------------------- */

TEST_AROUND(test_times_are_advisory, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.phases.1.cpu_ns_per_op", 60);
    put(pair->after, "cells.0.phases.1.ns_per_op",
        parse("{'median': 80, 'low': 76, 'high': 88, 'confidence': 0.98}"));
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->verdict, VERDICT_SAME);
    assert_true(cell->time_known);
    assert_false(cell->time_decides);
    assert_int_equal(cell->timing.pairs, 0);
    assert_int_equal(cell->control.pairs, 0);
    assert_true(isnan(cell->timing.p_slower) && isnan(cell->timing.p_faster));
    assert_true(is_near(cell->before_ns_per_op, (100 * 10 + 300 * 30) / 400.0));
    assert_true(is_near(cell->after_ns_per_op, (100 * 10 + 300 * 60) / 400.0));
    assert_true(is_near(cell->timing.cpu.median, 19 / 10.0));
    assert_true(isnan(cell->timing.cpu.low) && isnan(cell->timing.cpu.high));
    assert_true(is_near(cell->timing.wall.median, (2000 + 24000) / (2000 + 12000.0)));
    assert_true(is_near(cell->timing.wall.low, (1800 + 22800) / (2400 + 13200.0)));
    assert_true(is_near(cell->timing.wall.high, (2400 + 26400) / (1800 + 11400.0)));
    assert_true(is_near(cell->timing.confidence, 1 - 2 * (0.01 + 0.02)));
}

/* 1000 ns in the first phase, 9000 in the second, 50 advances of 200 ns in the third. */
TEST_AROUND(test_times_of_phases, setup, teardown)
{
    struct pair *pair = *state;
    put_number(pair->after, "cells.0.phases.0.cpu_ns_per_op", 15);
    struct compared_cell *cell = compare_first(pair);
    assert_true(is_near(cell->phases[0].cpu_ratio, 1.5));
    assert_true(is_near(cell->phases[1].cpu_ratio, 1));
    assert_true(isnan(cell->phases[2].cpu_ratio));
    assert_true(is_near(cell->phases[0].share, 0.05));
    assert_true(is_near(cell->phases[1].share, 0.45));
    assert_true(is_near(cell->phases[2].share, 0.5));
}

TEST_AROUND(test_a_side_without_times, setup, teardown)
{
    struct pair *pair = *state;
    for (int i = 0; i < 2; i++) {
        put_null(pair->after, i ? "cells.0.phases.1.ns_per_op" : "cells.0.phases.0.ns_per_op");
        put_null(pair->after,
                 i ? "cells.0.phases.1.cpu_ns_per_op" : "cells.0.phases.0.cpu_ns_per_op");
    }
    struct compared_cell *cell = compare_first(pair);
    assert_false(cell->time_known);
    assert_true(isnan(cell->timing.cpu.median) && isnan(cell->after_ns_per_op));
    assert_int_equal(cell->verdict, VERDICT_SAME);
}

/* A version that splits the same operations into other phases: sums still compare. */
TEST_AROUND(test_another_number_of_phases, setup, teardown)
{
    struct pair *pair = *state;
    cJSON *phases = cJSON_GetObjectItem(
        cJSON_GetArrayItem(cJSON_GetObjectItem(pair->after, "cells"), 0), "phases");
    cJSON_DeleteItemFromArray(phases, 2);
    struct compared_cell *cell = compare_first(pair);
    assert_int_equal(cell->phase_count, 3);
    assert_true(isnan(cell->phases[2].work_after[METRIC_empty_ticks]));
    assert_true(cell->changes[METRIC_empty_ticks].after == 0);
    assert_int_equal(cell->verdict, VERDICT_IMPROVED);
}

/* A single advance that does much more shows in no sum. */
TEST_AROUND(test_the_longest_advance_by_counts, setup, teardown)
{
    struct pair *pair = *state;
    static const struct {
        double before, after;
        enum verdict verdict;
    } cases[] = {{40, 1e9, VERDICT_REGRESSED}, {1e9, 40, VERDICT_IMPROVED},
                 {40, 56, VERDICT_SAME},       {40, 57, VERDICT_REGRESSED},
                 {1000, 1100, VERDICT_SAME},   {1000, 1101, VERDICT_REGRESSED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int side = 0; side < 2; side++) {
            cJSON *work = cJSON_CreateObject();
            cJSON_AddNumberToObject(work, "max", side ? cases[i].after : cases[i].before);
            put(side ? pair->after : pair->before, "cells.0.phases.1.advance_work", work);
        }
        struct compared_cell *cell = compare_first(pair);
        assert_int_equal(cell->verdict, cases[i].verdict);
        assert_true(cell->work_changed);
        assert_false(cell->same_program);
    }
    pair->limits.of[METRIC_ADVANCE_WORK] = NAN;
    assert_int_equal(compare_first(pair)->verdict, VERDICT_SAME);
    put_null(pair->after, "cells.0.phases.1.advance_work");
    assert_int_equal(compare_first(pair)->verdict, VERDICT_SAME);
}

TEST_AROUND(test_what_must_be_alike, setup, teardown)
{
    struct pair *pair = *state;
    static const struct {
        const char *path, *reason;
        double before, after;
    } cases[] = {
        {"cells.0.early", "early expiries: 0 in OLD, 3 in NEW", 0, 3},
        {"cells.0.late_max_ticks", "latest expiry, ticks: 0 in OLD, 8 in NEW", 0, 8},
        {"cells.0.late_mean_ticks", "mean lateness, ticks: 0 in OLD, 2.5 in NEW", 0, 2.5},
        {"cells.0.phases.0.operations.refused", "starts refused: 0 in OLD, 7 in NEW", 0, 7},
        {"cells.0.span_ticks", "longest delay, ticks: 1048576 in OLD, 256 in NEW", 1048576, 256},
        {"cells.0.params.slots", "settings: slots=64 in OLD, slots=128 in NEW", 64, 128},
    };
    put(pair->before, "cells.0.params", cJSON_CreateObject());
    put(pair->after, "cells.0.params", cJSON_CreateObject());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_number(pair->before, cases[i].path, cases[i].before);
        put_number(pair->after, cases[i].path, cases[i].before);
        assert_int_equal(compare_first(pair)->verdict, VERDICT_SAME);
        put_number(pair->after, cases[i].path, cases[i].after);
        struct compared_cell *cell = compare_first(pair);
        assert_int_equal(cell->verdict, VERDICT_INCONCLUSIVE);
        assert_string_equal(cell->reason, cases[i].reason);
        put_number(pair->after, cases[i].path, cases[i].before);
    }
}

/* What is in one of them only was compared with nothing. */
TEST_AROUND(test_cells_of_one_side, setup, teardown)
{
    struct pair *pair = *state;
    cJSON *cells = cJSON_GetObjectItem(pair->after, "cells");
    cJSON_AddItemToArray(cells, make_cell("hashed", 1000));
    cJSON_AddItemToArray(cells, make_cell("hier", 1000));
    for (int ignored = 0; ignored < 2; ignored++) {
        assert_int_equal(compare(pair), DIAG_OK);
        pair->out.complete = true;
        if (ignored)
            comparison_ignore_missing(&pair->out);
        for (size_t i = 0; i < pair->out.cell_count; i++)
            cell_conclude(&pair->out.cells[i], &pair->limits);
        comparison_conclude(&pair->out);
        assert_int_equal(cJSON_GetArraySize(pair->out.one_side), 2);
        assert_int_equal(pair->out.verdict, ignored ? VERDICT_SAME : VERDICT_INCONCLUSIVE);
        assert_int_equal(comparison_exit_status(&pair->out, FAIL_ON_INCONCLUSIVE), ignored ? 0 : 4);
        assert_int_equal(pair->out.reason_count, ignored ? 0 : 1);
        if (!ignored)
            assert_string_equal(
                pair->out.reasons[0],
                "inconclusive: compared with nothing: cells that only OLD has: 0, only NEW: 2 "
                "(--ignore-missing lets them pass)");
    }
    cJSON_DeleteItemFromArray(cells, 0);
    assert_int_equal(compare(pair), DIAG_OK);
    assert_int_equal(cJSON_GetArraySize(pair->out.one_side), 3);
    assert_string_equal(json_get_text(pair->out.one_side->child, "side"), "old");
    assert_int_equal(pair->out.cell_count, 2);
    comparison_ignore_missing(&pair->out);
    assert_int_equal(pair->out.cell_count, 1);
    assert_string_equal(pair->out.cells[0].impl, "list");
}

TEST_MAIN(NULL, NULL)
