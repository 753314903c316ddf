/* test_commands.c - command lines made of a matrix, read again by the commands they are meant for. */
#include "harness/compare/pairing.h"
#include "testing.h"

#include "harness/command/command.h"
#include "harness/command/pair_flags.h"
#include "harness/command/run.h"
#include "impls/registry.h"

/* What the flags of a matrix, of a probe and of a run leave. */
struct asked {
    struct run_options run; /* the first member: its groups fill it in */
    uint64_t samples;
};

static const struct flag samples_flag[] = {
    FLAG_COUNT("samples", "N", "", struct asked, samples, 1, 1000)};
static const struct flag_group groups[] = {{.flags = samples_flag, .count = 1}, RUN_GROUPS(0), {0}};

static void begin(struct call *call)
{
    struct asked *asked = call->options;
    run_begin(call, &asked->run);
    asked->samples = 5;
}

static const struct command any_command = {
    .name = "matrix", .groups = groups, .size = sizeof(struct asked), .begin = begin};

/* What a matrix was made from, and what became of the command line. */
struct trip {
    struct call asking, answering;
    struct asked *asked, *answered;
    struct plan plan, again;
    struct matrix matrix;
    struct probe_command command;
};

static void read_flags(struct call *call, int argc, const char *const *argv, struct plan *plan)
{
    struct diag diag;
    if (command_read(&any_command, argc, (char **)(uintptr_t)argv, 0, call, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    struct asked *asked = call->options;
    loads_finish(&asked->run.loads, &asked->run.designs, false);
    struct plan_selection selection = loads_selection(&asked->run.loads, &asked->run.designs,
                                                      asked->run.setup.workload_directory);
    if (plan_make(&selection, plan, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
}

/* The matrix of these flags (which end with NULL). */
static struct trip *trip_begin(const char *const *flags)
{
    struct trip *trip = calloc(1, sizeof *trip);
    int count = 0;
    while (flags[count])
        count++;
    read_flags(&trip->asking, count, flags, &trip->plan);
    trip->asked = trip->asking.options;
    const struct run_options *run = &trip->asked->run;
    trip->matrix = (struct matrix){
        .plan = &trip->plan,
        .sweeps = run->designs.sweeps,
        .sweep_count = run->designs.sweep_count,
        .workload_directory = run->setup.workload_directory,
        .sets = run->loads.sets,
        .set_count = run->loads.set_count,
        .tick_ns = run->setup.tick_ns,
        .seed = run->setup.seed,
        .max_pending = run->setup.max_pending,
        .samples = trip->asked->samples,
        .min_time_ns = run->setup.min_time_ns,
        .patience_ns = run->setup.patience_ns,
    };
    return trip;
}

/* The line is one that `command` understands. */
static void trip_read(struct trip *trip, const struct command *command)
{
    struct call call = {0};
    struct diag diag;
    int count = (int)trip->command.count;
    assert_string_equal(trip->command.argv[0], command->name);
    if (command_read(command, count, (char **)(uintptr_t)trip->command.argv, 1, &call, &diag) !=
        DIAG_OK)
        fail_msg("%s", diag.text);
    command_release(&call);
    read_flags(&trip->answering, count - 1, trip->command.argv + 1, &trip->again);
    trip->answered = trip->answering.options;
}

static void trip_forget(struct trip *trip)
{
    plan_free(&trip->again);
    command_release(&trip->answering);
    trip->again = (struct plan){0};
    trip->answering = (struct call){0};
}

static void trip_end(struct trip *trip)
{
    trip_forget(trip);
    plan_free(&trip->plan);
    command_release(&trip->asking);
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

static void assert_same_streams(const struct run_options *one, const struct run_options *other)
{
    assert_string_equal(one->setup.workload_directory, other->setup.workload_directory);
    assert_true(one->setup.seed == other->setup.seed && one->setup.tick_ns == other->setup.tick_ns);
    assert_true(one->setup.max_pending == other->setup.max_pending);
    assert_int_equal(one->loads.set_count, other->loads.set_count);
    for (size_t i = 0; i < one->loads.set_count; i++) {
        assert_string_equal(one->loads.sets[i].name, other->loads.sets[i].name);
        assert_string_equal(one->loads.sets[i].value, other->loads.sets[i].value);
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
        trip_read(trip, &cmd_probe);
        assert_int_equal(trip->again.cell_count, 1);
        assert_int_equal(trip->again.group_count, 1);
        assert_same_cell(&trip->plan.cells[i % cells], &trip->again.cells[0]);
        assert_string_equal(group->workload, trip->again.groups[0].workload);
        assert_true(group->tasks == trip->again.groups[0].tasks);
        assert_same_streams(&trip->asked->run, &trip->answered->run);
        assert_true(trip->answered->samples == trip->asked->samples);
        assert_true(trip->answered->run.setup.min_time_ns == trip->asked->run.setup.min_time_ns);
        trip_forget(trip);
    }
}

/* The run's plan is the same, cell by cell and in the same order. */
static void check_run(struct trip *trip)
{
    command_of_run(&trip->command, &trip->matrix, NULL, 5000000000);
    trip_read(trip, &cmd_run);
    assert_int_equal(trip->plan.cell_count, trip->again.cell_count);
    assert_int_equal(trip->plan.group_count, trip->again.group_count);
    for (size_t i = 0; i < trip->plan.cell_count; i++)
        assert_same_cell(&trip->plan.cells[i], &trip->again.cells[i]);
    for (size_t i = 0; i < trip->plan.group_count; i++) {
        assert_string_equal(trip->plan.groups[i].workload, trip->again.groups[i].workload);
        assert_true(trip->plan.groups[i].tasks == trip->again.groups[i].tasks);
    }
    assert_same_streams(&trip->asked->run, &trip->answered->run);
    assert_true(trip->answered->run.setup.budget_ns == 5000000000);
    assert_string_equal(trip->answered->run.outputs.json, "-");
    assert_true(trip->answered->run.setup.runs == 1 && trip->answered->run.setup.warmup == 0);
    assert_true(trip->answered->run.setup.no_system_check);
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

TEST(test_one_cell)
{
    check_matrix((const char *const[]){"--impl=heap", "--workload=hold", "--tasks=1000", DATA,
                                       "--min-time=3ms", "--samples=7", "--seed=99", NULL});
    check_matrix((const char *const[]){"--impl=heap", "--workload=hold", DATA, NULL});
}

TEST(test_streams_of_every_flag)
{
    check_matrix((const char *const[]){"--impl=heap,list", "--workload=hold", "--tasks=10,20", DATA,
                                       "--tick=10us", "--max-pending=9",
                                       "--set=delay=uniform(1,9ms)", "--set=horizon=1s",
                                       "--seed=9007199254740992", NULL});
}

TEST(test_designs_workloads_tasks)
{
    check_matrix((const char *const[]){"--impl=list,heap,hashed,round,hier",
                                       "--workload=hold,keepalive", "--workload=network",
                                       "--tasks=10,1000,20", DATA, NULL});
}

TEST(test_sweeps)
{
    check_matrix((const char *const[]){"--impl=heap,hashed,round", "--workload=hold", "--tasks=10",
                                       DATA, "--slots=64,4096,512", NULL});
    check_matrix((const char *const[]){"--impl=hier,hashed", "--workload=hold", "--tasks=10", DATA,
                                       "--slots=64,512", "--levels=256,64,64/64,64", NULL});
}

/* The comma belongs to a list of levels even where each list has but one. */
TEST(test_sweeps_of_short_lists)
{
    check_matrix((const char *const[]){"--impl=hier", "--workload=hold", "--tasks=10", DATA,
                                       "--levels=64/256", NULL});
    check_matrix((const char *const[]){"--impl=hier", "--workload=hold", "--tasks=10", DATA,
                                       "--levels=64,64/256/128,64", NULL});
}

/* A trace has no tasks; what follows it has them all the same. */
TEST(test_a_trace_before_others)
{
    check_matrix((const char *const[]){"--impl=heap", "--workload=workloads/traces/x.tt.xz,hold",
                                       "--tasks=10,20", DATA, NULL});
    check_matrix((const char *const[]){"--impl=heap", "--workload=hold,workloads/traces/x.tt.xz",
                                       "--tasks=10,20", DATA, NULL});
}

/* ---- Presets. -------------------------------------------------------------------------------- */

TEST(test_presets_can_be_run)
{
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
TEST(test_ci_has_its_fifteen_cells)
{
    struct trip *trip = trip_begin((const char *const[]){"--preset=ci", DATA, NULL});
    assert_int_equal(matrix_count(&trip->matrix), 15);
    assert_int_equal(trip->plan.groups[0].tasks, 1000);
    trip_end(trip);
}

TEST_MAIN(NULL, NULL)
