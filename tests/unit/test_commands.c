/* test_commands.c - command lines made of a matrix, read again by the parser they are meant for. */
#include "harness/compare/commands.h"

#include "harness/command/arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a matrix was made from, and what became of the command line. */
struct trip {
    struct options asked, answered;
    struct plan plan, again;
    struct matrix matrix;
    struct probe_command command;
};

static const struct command matrix_command = {.name = "compare",
                                              .flags = FLAGS_MATRIX | FLAGS_PAIRS};
static const struct command probe_command = {.name = "probe", .flags = FLAGS_MATRIX | FLAGS_PROBE};
static const struct command run_command = {
    .name = "run", .flags = FLAGS_MATRIX | FLAGS_RUN | FLAGS_REPORT | FLAGS_JSON};

static void make_plan(const struct options *options, struct plan *plan)
{
    struct diag diag;
    struct plan_selection selection = options_selection(options);
    if (plan_make(&selection, plan, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
}

static void parse(int argc, const char *const *argv, const struct command *command,
                  struct options *options)
{
    struct diag diag;
    if (arguments_parse(argc, (char **)(uintptr_t)argv, 0, command, options, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
}

/* The matrix of these flags (which end with NULL). */
static struct trip *trip_begin(const char *const *flags)
{
    struct trip *trip = calloc(1, sizeof *trip);
    int count = 0;
    assert_non_null(trip);
    while (flags[count])
        count++;
    parse(count, flags, &matrix_command, &trip->asked);
    make_plan(&trip->asked, &trip->plan);
    trip->matrix = (struct matrix){
        .plan = &trip->plan,
        .sweeps = trip->asked.sweeps,
        .sweep_count = trip->asked.sweep_count,
        .workload_directory = trip->asked.setup.workload_directory,
        .sets = trip->asked.sets,
        .set_count = trip->asked.setup.set_count,
        .tick_ns = trip->asked.setup.tick_ns,
        .seed = trip->asked.setup.seed,
        .max_pending = trip->asked.setup.max_pending,
        .samples = trip->asked.samples,
        .min_time_ns = trip->asked.setup.min_time_ns,
    };
    return trip;
}

static void trip_parse(struct trip *trip, const struct command *command)
{
    assert_string_equal(trip->command.argv[0], command->name);
    parse((int)trip->command.count - 1, trip->command.argv + 1, command, &trip->answered);
    make_plan(&trip->answered, &trip->again);
}

static void trip_forget(struct trip *trip)
{
    plan_free(&trip->again);
    options_free(&trip->answered);
    trip->again = (struct plan){0};
    memset(&trip->answered, 0, sizeof trip->answered);
}

static void trip_end(struct trip *trip)
{
    trip_forget(trip);
    plan_free(&trip->plan);
    options_free(&trip->asked);
    free(trip);
}

static void assert_same_cell(const struct plan_cell *one, const struct plan_cell *other)
{
    assert_ptr_equal(one->design, other->design);
    assert_int_equal(one->setting_count, other->setting_count);
    for (size_t i = 0; i < one->setting_count; i++) {
        assert_string_equal(one->settings[i].name, other->settings[i].name);
        assert_int_equal(one->settings[i].count, other->settings[i].count);
        for (uint32_t v = 0; v < one->settings[i].count; v++)
            assert_true(one->settings[i].values[v] == other->settings[i].values[v]);
    }
}

static void assert_same_streams(const struct options *one, const struct options *other)
{
    assert_string_equal(one->setup.workload_directory, other->setup.workload_directory);
    assert_true(one->setup.seed == other->setup.seed && one->setup.tick_ns == other->setup.tick_ns);
    assert_true(one->setup.max_pending == other->setup.max_pending);
    assert_int_equal(one->setup.set_count, other->setup.set_count);
    for (size_t i = 0; i < one->setup.set_count; i++) {
        assert_string_equal(one->setup.sets[i].name, other->setup.sets[i].name);
        assert_string_equal(one->setup.sets[i].value, other->setup.sets[i].value);
    }
}

/* Each cell's probe is that cell and no other, on the same stream. */
static void check_probes(struct trip *trip)
{
    size_t cells = trip->plan.cell_count;
    assert_int_equal(matrix_count(&trip->matrix), trip->plan.group_count * cells);
    for (size_t i = 0; i < matrix_count(&trip->matrix); i++) {
        const struct plan_group *group = &trip->plan.groups[i / cells];
        command_of_probe(&trip->command, &trip->matrix, i);
        trip_parse(trip, &probe_command);
        assert_int_equal(trip->again.cell_count, 1);
        assert_int_equal(trip->again.group_count, 1);
        assert_same_cell(&trip->plan.cells[i % cells], &trip->again.cells[0]);
        assert_string_equal(group->workload, trip->again.groups[0].workload);
        assert_true(group->tasks == trip->again.groups[0].tasks);
        assert_same_streams(&trip->asked, &trip->answered);
        assert_true(trip->answered.samples == trip->asked.samples);
        assert_true(trip->answered.setup.min_time_ns == trip->asked.setup.min_time_ns);
        trip_forget(trip);
    }
}

/* The run's plan is the same, cell by cell and in the same order. */
static void check_run(struct trip *trip)
{
    command_of_run(&trip->command, &trip->matrix, NULL, 5000000000, "-");
    trip_parse(trip, &run_command);
    assert_int_equal(trip->plan.cell_count, trip->again.cell_count);
    assert_int_equal(trip->plan.group_count, trip->again.group_count);
    for (size_t i = 0; i < trip->plan.cell_count; i++)
        assert_same_cell(&trip->plan.cells[i], &trip->again.cells[i]);
    for (size_t i = 0; i < trip->plan.group_count; i++) {
        assert_string_equal(trip->plan.groups[i].workload, trip->again.groups[i].workload);
        assert_true(trip->plan.groups[i].tasks == trip->again.groups[i].tasks);
    }
    assert_same_streams(&trip->asked, &trip->answered);
    assert_true(trip->answered.setup.budget_ns == 5000000000);
    assert_string_equal(trip->answered.setup.json, "-");
    assert_true(trip->answered.setup.runs == 1 && trip->answered.setup.warmup == 0);
    assert_true(trip->answered.setup.no_system_check);
}

static void check_matrix(const char *const *flags)
{
    struct trip *trip = trip_begin(flags);
    check_probes(trip);
    check_run(trip);
    trip_end(trip);
}

/* ---- Matrices. ------------------------------------------------------------------------------- */

#define DATA "--workloads-dir=workloads"

static void test_one_cell(void **state)
{
    (void)state;
    check_matrix((const char *const[]){"--impl=heap", "--workload=hold", "--tasks=1000", DATA,
                                       "--min-time=3ms", "--samples=7", "--seed=99", NULL});
    check_matrix((const char *const[]){"--impl=heap", "--workload=hold", DATA, NULL});
}

static void test_streams_of_every_flag(void **state)
{
    (void)state;
    check_matrix((const char *const[]){"--impl=heap,list", "--workload=hold", "--tasks=10,20", DATA,
                                       "--tick=10us", "--max-pending=9",
                                       "--set=delay=uniform(1,9ms)", "--set=horizon=1s",
                                       "--seed=9007199254740992", NULL});
}

static void test_designs_workloads_tasks(void **state)
{
    (void)state;
    check_matrix((const char *const[]){"--impl=list,heap,hashed,round,hier",
                                       "--workload=hold,keepalive", "--workload=network",
                                       "--tasks=10,1000,20", DATA, NULL});
}

static void test_sweeps(void **state)
{
    (void)state;
    check_matrix((const char *const[]){"--impl=heap,hashed,round", "--workload=hold", "--tasks=10",
                                       DATA, "--slots=64,4096,512", NULL});
    check_matrix((const char *const[]){"--impl=hier,hashed", "--workload=hold", "--tasks=10", DATA,
                                       "--slots=64,512", "--levels=256,64,64/64,64", NULL});
}

/* The comma belongs to a list of levels even where each list has but one. */
static void test_sweeps_of_short_lists(void **state)
{
    (void)state;
    check_matrix((const char *const[]){"--impl=hier", "--workload=hold", "--tasks=10", DATA,
                                       "--levels=64/256", NULL});
    check_matrix((const char *const[]){"--impl=hier", "--workload=hold", "--tasks=10", DATA,
                                       "--levels=64,64/256/128,64", NULL});
}

/* A trace has no tasks; what follows it has them all the same. */
static void test_a_trace_before_others(void **state)
{
    (void)state;
    check_matrix((const char *const[]){"--impl=heap", "--workload=workloads/traces/x.tt.xz,hold",
                                       "--tasks=10,20", DATA, NULL});
    check_matrix((const char *const[]){"--impl=heap", "--workload=hold,workloads/traces/x.tt.xz",
                                       "--tasks=10,20", DATA, NULL});
}

/* ---- Presets. -------------------------------------------------------------------------------- */

static void test_presets_can_be_run(void **state)
{
    (void)state;
    assert_true(preset_count > 0);
    for (size_t i = 0; i < preset_count; i++) {
        char flag[64];
        assert_ptr_equal(preset_find(presets[i].name), &presets[i]);
        snprintf(flag, sizeof flag, "--preset=%s", presets[i].name);
        check_matrix((const char *const[]){flag, DATA, NULL});
        for (size_t d = 0; presets[i].designs[d]; d++)
            assert_non_null(registry_find(presets[i].designs[d]));
    }
    assert_null(preset_find("nothing"));
    assert_null(preset_find("c"));
}

/* Five designs on three workloads: what docs/MEASUREMENT.md gives the figures of. */
static void test_ci_has_its_fifteen_cells(void **state)
{
    (void)state;
    struct trip *trip = trip_begin((const char *const[]){"--preset=ci", DATA, NULL});
    assert_int_equal(matrix_count(&trip->matrix), 15);
    assert_int_equal(trip->plan.groups[0].tasks, 1000);
    trip_end(trip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_cell),
        cmocka_unit_test(test_streams_of_every_flag),
        cmocka_unit_test(test_designs_workloads_tasks),
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_sweeps_of_short_lists),
        cmocka_unit_test(test_a_trace_before_others),
        cmocka_unit_test(test_presets_can_be_run),
        cmocka_unit_test(test_ci_has_its_fifteen_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
