/* test_blocks.c - samples from programs that are scripts: who is asked when, what becomes of it. */
#include "harness/compare/blocks.h"

#include "unit/programs.h"

#include <math.h>
#include <signal.h>

#define CELLS  3
#define ROUNDS 6

/* For scripts that end in milliseconds: no stall of a machine takes so long. */
#define AMPLE_NS UINT64_C(100000000000)

/* An answer with a fastest sample of 100 + 300 ns of one pass, times `factor`. */
#define ANSWER(hash, calls, status, factor) ANSWER_AT("750", hash, calls, status, factor)
#define ANSWER_AT(pace, hash, calls, status, factor)                                               \
    "f=" factor "; echo \"{\\\"probe_version\\\":3,\\\"status\\\":\\\"" status "\\\","             \
    "\\\"reason\\\":\\\"digest wrong\\\",\\\"stream_hash\\\":\\\"" hash "\\\",\\\"passes\\\":7,"   \
    "\\\"calls\\\":" calls ",\\\"pace_ns\\\":" pace ",\\\"slow\\\":1,\\\"phases\\\":["             \
    "{\\\"name\\\":\\\"fill\\\",\\\"cpu_ns\\\":[$((f * 770)),$((f * 700))],"                       \
    "\\\"wall_ns\\\":[$((f * 1400)),$((f * 1500))]},"                                              \
    "{\\\"name\\\":\\\"steady\\\",\\\"cpu_ns\\\":[$((f * 2800)),$((f * 2100))],"                   \
    "\\\"wall_ns\\\":[$((f * 2800)),$((f * 3000))]}]}\""
#define LOGGED "echo \"$name $*\" >>log\n"
#define GOOD   LOGGED ANSWER("0xab", "50", "ok", "1")
/* A core that others use as well. */
#define SHARED LOGGED ANSWER_AT("1200", "0xab", "50", "ok", "1")
#define SLOW   LOGGED ANSWER("0xab", "50", "ok", "2")

/* Three roles on three cells; programs a, b, c are scripts. */
struct stage {
    const struct programs *programs;
    char paths[3][PROGRAMS_PATH];
    struct block_role roles[3];
    struct block_cell cells[CELLS];
    struct rng rng;
    struct interrupt interrupt;
    struct blocks blocks;
    size_t told, total;
    struct diag diag;
};

static void stage_progress(void *ctx, size_t done, size_t total)
{
    struct stage *stage = ctx;
    stage->told++;
    stage->total = total;
    assert_int_equal(done, stage->told);
}

static struct stage *stage_new(const struct programs *programs, const char *const bodies[3])
{
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    stage->programs = programs;
    rng_seed(&stage->rng, 5, 0);
    assert_int_equal(interrupt_open(&stage->interrupt, &stage->diag), DIAG_OK);
    for (size_t i = 0; i < 3; i++) {
        programs_add(programs, (char[]){(char)('a' + (int)i), '\0'}, bodies[i], stage->paths[i]);
        stage->roles[i].program = stage->paths[i];
    }
    for (size_t i = 0; i < CELLS; i++) {
        probe_begin(&stage->cells[i].command, "probe");
        probe_add(&stage->cells[i].command, "--impl=%zu", i);
        probe_add(&stage->cells[i].command, "--workload=%s", "hold");
        probe_add(&stage->cells[i].command, "--tasks=%d", 9);
    }
    stage->blocks = (struct blocks){
        .roles = stage->roles,
        .role_count = 2,
        .cells = stage->cells,
        .cell_count = CELLS,
        .cpu = -1,
        .budget_ns = AMPLE_NS,
        .rng = &stage->rng,
        .interrupt = &stage->interrupt,
        .progress = stage_progress,
        .progress_ctx = stage,
    };
    return stage;
}

static void stage_free(struct stage *stage)
{
    interrupt_close(&stage->interrupt);
    free(stage);
}

/* Program a is good; the others are what is given. */
static struct stage *stage_of(void **state, const char *b, const char *c)
{
    return stage_new(*state, (const char *const[]){GOOD, b, c});
}

static void stage_calibrate(struct stage *stage)
{
    assert_int_equal(blocks_calibrate(&stage->blocks, &stage->diag), DIAG_OK);
}

static void stage_run(struct stage *stage, size_t rounds)
{
    stage->told = 0;
    if (blocks_run(&stage->blocks, rounds, &stage->diag) != DIAG_OK)
        fail_msg("%s", stage->diag.text);
}

/* ---- Order. ---------------------------------------------------------------------------------- */

/* The letters of the log and the cells they were asked for, behind the calibration. */
static size_t read_log(const struct stage *stage, char *letters, char *cells)
{
    char *text = calloc(1, 1 << 16);
    size_t count = 0;
    assert_non_null(text);
    programs_read(stage->programs, "log", text, 1 << 16);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (!strstr(line, "--passes="))
            continue;
        assert_non_null(strstr(line, " probe --impl="));
        assert_non_null(strstr(line, " --workload=hold --tasks=9 --passes=7"));
        letters[count] = line[0];
        cells[count++] = strstr(line, "--impl=")[7];
    }
    free(text);
    letters[count] = cells[count] = '\0';
    return count;
}

TEST_AROUND(test_calibration_asks_role_0_once_a_cell, programs_begin, programs_end)
{
    char log[512];
    struct stage *stage = stage_of(state, SLOW, GOOD);
    stage_calibrate(stage);
    programs_read(*state, "log", log, sizeof log);
    assert_string_equal(log, "a probe --impl=0 --workload=hold --tasks=9\n"
                             "a probe --impl=1 --workload=hold --tasks=9 --pace=750ns\n"
                             "a probe --impl=2 --workload=hold --tasks=9 --pace=750ns\n");
    for (size_t i = 0; i < CELLS; i++) {
        assert_int_equal(stage->cells[i].passes, 7);
        assert_int_equal(stage->cells[i].calls, 50);
        assert_int_equal(stage->cells[i].phase_count, 2);
    }
    stage_free(stage);
}

/* Two of three see a core that is shared; what is waited for is what one process in four has seen. */
TEST_AROUND(test_what_is_waited_for_is_the_full_pace, programs_begin, programs_end)
{
    char *log = calloc(1, 1 << 16);
    struct stage *stage = stage_of(state, SHARED, SHARED);
    assert_non_null(log);
    stage->blocks.role_count = 3;
    assert_true(isnan(blocks_slow_share(&stage->blocks)));
    stage_calibrate(stage);
    assert_true(blocks_slow_share(&stage->blocks) == 0.5);
    stage_run(stage, ROUNDS);
    programs_read(*state, "log", log, 1 << 16);
    assert_non_null(strstr(log, "b probe"));
    assert_null(strstr(log, "--pace=1200ns"));
    for (size_t i = 0; i < BLOCK_PACES; i++)
        stage->blocks.paces.pace_ns[i] = 1200;
    stage_run(stage, 1);
    programs_read(*state, "log", log, 1 << 16);
    assert_non_null(strstr(log, "--pace=1200ns"));
    free(log);
    stage_free(stage);
}

TEST_AROUND(test_blocks_are_abba_or_baab, programs_begin, programs_end)
{
    char letters[1000], cells[1000];
    size_t forwards = 0, first[CELLS] = {0};
    struct stage *stage = stage_of(state, SLOW, GOOD);
    stage_calibrate(stage);
    stage_run(stage, ROUNDS);
    assert_int_equal(read_log(stage, letters, cells), (size_t)4 * CELLS * ROUNDS);
    for (size_t block = 0; block < (size_t)CELLS * ROUNDS; block++) {
        const char *four = letters + 4 * block, *cell = cells + 4 * block;
        bool abba = strncmp(four, "abba", 4) == 0;
        assert_true(abba || strncmp(four, "baab", 4) == 0);
        forwards += abba;
        assert_true(cell[1] == cell[0] && cell[2] == cell[0] && cell[3] == cell[0]);
        if (block % CELLS == 0)
            first[cell[0] - '0']++;
        for (size_t before = block - block % CELLS; before < block; before++)
            assert_true(cells[4 * before] != cell[0]);
    }
    assert_true(forwards > 0 && forwards < (size_t)CELLS * ROUNDS);
    assert_true(first[0] < ROUNDS && first[1] < ROUNDS && first[2] < ROUNDS);
    assert_int_equal(stage->told, CELLS * ROUNDS);
    assert_int_equal(stage->total, CELLS * ROUNDS);
    stage_free(stage);
}

TEST_AROUND(test_three_roles_and_one_left_out, programs_begin, programs_end)
{
    char letters[1000], cells[1000];
    struct stage *stage = stage_of(state, SLOW, GOOD);
    stage->blocks.role_count = 3;
    stage->cells[1].without[1] = true;
    stage->cells[2].out = true;
    stage_calibrate(stage);
    assert_int_equal(stage->cells[2].passes, 0);
    stage_run(stage, 1);
    size_t count = read_log(stage, letters, cells);
    assert_int_equal(count, 6 + 4);
    for (size_t i = 0, length; i < count; i += length) {
        length = cells[i] == '1' ? 4 : 6;
        for (size_t j = 0; j < length; j++) {
            assert_true(letters[i + j] == letters[i + length - 1 - j]);
            assert_true(cells[i + j] == cells[i] && cells[i] != '2');
            assert_true(cells[i] != '1' || letters[i + j] != 'b');
        }
    }
    assert_int_equal(stage->cells[0].series[1].pairs, 2);
    assert_int_equal(stage->cells[1].series[1].pairs, 0);
    assert_int_equal(stage->cells[1].series[2].pairs, 2);
    assert_int_equal(stage->cells[2].series[0].pairs, 0);
    assert_int_equal(stage->total, 2);
    stage_free(stage);
}

TEST_AROUND(test_a_drag_is_asked_of_its_role_alone, programs_begin, programs_end)
{
    char log[4096];
    struct stage *stage = stage_of(state, GOOD, GOOD);
    stage->blocks.cell_count = 1;
    stage->roles[1].dragged = true;
    stage->roles[1].drag_percent = 10;
    stage_calibrate(stage);
    stage_run(stage, 1);
    programs_read(*state, "log", log, sizeof log);
    assert_non_null(strstr(log, "b probe --impl=0 --workload=hold --tasks=9 --passes=7 "
                                "--drag=10% --pace=750ns\n"));
    assert_null(strstr(strstr(log, "a probe"), "a probe --impl=0 --workload=hold --tasks=9 "
                                               "--passes=7 --drag"));
    stage_free(stage);
}

/* ---- Figures. -------------------------------------------------------------------------------- */

TEST_AROUND(test_pairs_are_log_ratios_of_the_fastest, programs_begin, programs_end)
{
    struct stage *stage = stage_of(state, SLOW, GOOD);
    stage_calibrate(stage);
    stage_run(stage, 2);
    for (size_t i = 0; i < CELLS; i++) {
        const struct block_series *before = &stage->cells[i].series[0];
        const struct block_series *after = &stage->cells[i].series[1];
        assert_int_equal(before->pairs, 4);
        assert_int_equal(after->pairs, 4);
        for (size_t pair = 0; pair < 4; pair++) {
            assert_true(before->cpu[pair] == 0 && before->wall[pair] == 0);
            assert_true(fabs(after->cpu[pair] - log(2)) < 1e-12);
            assert_true(fabs(after->wall[pair] - log(2)) < 1e-12);
            assert_true(before->cpu_ns[pair] == 400 && after->cpu_ns[pair] == 800);
            assert_true(after->phase_cpu_ns[0][pair] == 200);
            assert_true(after->phase_cpu_ns[1][pair] == 600);
        }
    }
    stage_run(stage, 1);
    assert_int_equal(stage->cells[0].series[1].pairs, 6);
    block_cell_forget(&stage->cells[0]);
    assert_int_equal(stage->cells[0].series[0].pairs, 0);
    assert_int_equal(stage->cells[0].series[1].pairs, 0);
    assert_int_equal(stage->cells[1].series[1].pairs, 6);
    stage_free(stage);
}

TEST_AROUND(test_no_more_pairs_than_there_is_room, programs_begin, programs_end)
{
    struct stage *stage = stage_of(state, SLOW, GOOD);
    stage->blocks.cell_count = 1;
    stage_calibrate(stage);
    stage->cells[0].series[0].pairs = stage->cells[0].series[1].pairs = PAIRS_MAX - 1;
    stage_run(stage, 1);
    assert_int_equal(stage->cells[0].series[0].pairs, PAIRS_MAX);
    assert_int_equal(stage->cells[0].series[1].pairs, PAIRS_MAX);
    assert_true(stage->cells[0].series[1].wall[0] == 0);
    stage_free(stage);
}

/* ---- Designs that fail. ---------------------------------------------------------------------- */

/* Program b does on cell 1 what is given; that cell alone fails, with the reason.  Answers false when another
 * was out of time, too. */
static bool fails_alone(void **state, const char *deed, uint64_t budget_ns, const char *reason)
{
    char body[2048];
    snprintf(body, sizeof body, "case $2 in --impl=1)\n%s\n;; *)\n%s\n;; esac", deed, GOOD);
    struct stage *stage = stage_of(state, body, GOOD);
    stage->blocks.budget_ns = budget_ns;
    stage_calibrate(stage);
    stage_run(stage, 2);
    const struct block_cell *cell = &stage->cells[1];
    bool in_time = cell->failed_role == 1;
    for (size_t i = 0; i < CELLS; i++)
        in_time = in_time && (i == 1 || !strstr(stage->cells[i].reason, "timeout"));
    if (in_time) {
        assert_true(cell->failed && cell->out);
        assert_string_equal(cell->reason, reason);
        assert_int_equal(cell->series[0].pairs, 0);
        assert_int_equal(cell->series[1].pairs, 0);
        assert_false(stage->cells[0].failed || stage->cells[2].failed);
        assert_int_equal(stage->cells[0].series[1].pairs, 4);
        assert_int_equal(stage->cells[2].series[1].pairs, 4);
    }
    stage_free(stage);
    return in_time;
}

TEST_AROUND(test_a_wrong_answer_fails_the_cell, programs_begin, programs_end)
{
    assert_true(fails_alone(state, ANSWER("0xab", "50", "mismatch", "1") "\nexit 1", AMPLE_NS,
                            "mismatch: digest wrong"));
}

TEST_AROUND(test_a_crash_fails_the_cell, programs_begin, programs_end)
{
    assert_true(fails_alone(state, "kill -SEGV $$", AMPLE_NS,
                            "crashed: killed by signal 11 (Segmentation fault)"));
}

/* What hangs takes all of its budget, so that is short; a machine on which the others need more gives more. */
TEST_AROUND(test_a_hang_fails_the_cell, programs_begin, programs_end)
{
    char reason[96];
    uint64_t budget_s = 1;
    do {
        assert_true(budget_s * 1000000000 < AMPLE_NS);
        snprintf(reason, sizeof reason, "timeout: a sample took longer than its budget of %d s",
                 (int)budget_s);
        budget_s *= 4;
    } while (!fails_alone(state, "exec sleep 200", budget_s / 4 * 1000000000, reason));
}

TEST_AROUND(test_a_failure_of_role_0_is_seen_at_once, programs_begin, programs_end)
{
    struct stage *stage = stage_new(
        *state, (const char *const[]){LOGGED ANSWER("0xab", "50", "crashed", "1"), GOOD, GOOD});
    stage_calibrate(stage);
    stage_run(stage, 1);
    for (size_t i = 0; i < CELLS; i++) {
        assert_true(stage->cells[i].failed && stage->cells[i].out);
        assert_int_equal(stage->cells[i].failed_role, 0);
        assert_string_equal(stage->cells[i].reason, "crashed: digest wrong");
    }
    assert_int_equal(stage->told, 0);
    stage_free(stage);
}

/* ---- Programs that are none. ----------------------------------------------------------------- */

static void assert_refused(void **state, const char *body, const char *words)
{
    struct stage *stage = stage_of(state, body, GOOD);
    stage_calibrate(stage);
    assert_int_equal(blocks_run(&stage->blocks, 1, &stage->diag), DIAG_USAGE);
    assert_non_null(strstr(stage->diag.text, stage->paths[1]));
    if (!strstr(stage->diag.text, words))
        fail_msg("'%s' has not the words '%s'", stage->diag.text, words);
    assert_null(strchr(stage->diag.text, '\n'));
    stage_free(stage);
}

TEST_AROUND(test_rubbish_names_the_program, programs_begin, programs_end)
{
    assert_refused(state, "echo hello", "does not answer 'probe'");
    assert_refused(state, "printf '{\"probe_version\":3,'", "does not answer 'probe'");
    assert_refused(state, "echo 'no such command: probe' >&2; echo more >&2; exit 2",
                   "it says: no such command: probe");
}

TEST_AROUND(test_other_operations_cannot_be_compared, programs_begin, programs_end)
{
    assert_refused(state, ANSWER("0xcd", "50", "ok", "1"), "stream 0xab and 0xcd");
    assert_refused(state, ANSWER("0xab", "51", "ok", "1"), "different operations");
}

/* Each lacks one thing that a sample has to have; the last lacks nothing. */
TEST_AROUND(test_what_an_answer_has_to_have, programs_begin, programs_end)
{
#define PHASES "\"phases\":[{\"name\":\"x\",\"cpu_ns\":[5],\"wall_ns\":[6]}]"
#define PACE   "\"pace_ns\":750,"
#define COUNTS "\"stream_hash\":\"1\",\"passes\":1,\"calls\":2," PACE
    static const char *const answers[] = {
        "{\"probe_version\":2," COUNTS PHASES "}",
        "{" COUNTS PHASES "}",
        "{\"probe_version\":3,\"passes\":1,\"calls\":2," PACE PHASES "}",
        "{\"probe_version\":3,\"stream_hash\":\"1\",\"calls\":2," PACE PHASES "}",
        "{\"probe_version\":3,\"stream_hash\":\"1\",\"passes\":0,\"calls\":2," PACE PHASES "}",
        "{\"probe_version\":3,\"stream_hash\":\"1\",\"passes\":1," PACE PHASES "}",
        "{\"probe_version\":3,\"stream_hash\":\"1\",\"passes\":1,\"calls\":2," PHASES "}",
        "{\"probe_version\":3," COUNTS "\"phases\":[]}",
        "{\"probe_version\":3," COUNTS "\"phases\":{}}",
        "{\"probe_version\":3," COUNTS "\"phases\":[{\"cpu_ns\":[],\"wall_ns\":[]}]}",
        "{\"probe_version\":3," COUNTS "\"phases\":[{\"cpu_ns\":[5]}]}",
        "{\"probe_version\":3," COUNTS "\"phases\":[{\"cpu_ns\":[0],\"wall_ns\":[6]}]}",
        "{\"probe_version\":3," COUNTS "\"phases\":[{\"cpu_ns\":[null],\"wall_ns\":[6]}]}",
        "{\"probe_version\":3," COUNTS PHASES "}",
    };
    size_t count = sizeof answers / sizeof *answers;
    struct stage *stage = stage_of(state, GOOD, GOOD);
    for (size_t i = 0; i < count; i++) {
        char body[512], reason[PROBE_REASON];
        struct probe_sample sample;
        snprintf(body, sizeof body, "echo '%s'", answers[i]);
        programs_add(*state, "a", body, stage->paths[0]);
        enum probe_end end =
            probe_take(stage->paths[0], &stage->cells[0].command, "", -1, stage->blocks.budget_ns,
                       &stage->interrupt, &sample, reason);
        if (end != (i + 1 < count ? PROBE_STRANGE : PROBE_OK))
            fail_msg("answer %zu ends in %d", i, (int)end);
    }
    stage_free(stage);
}

/* Each time on its own: the least processor time is in the first sample, the least wall time in
 * the second.  Two passes each. */
TEST_AROUND(test_the_fastest_sample_counts, programs_begin, programs_end)
{
    struct stage *stage = stage_of(state, GOOD, GOOD);
    struct probe_sample sample;
    char reason[PROBE_REASON];
    programs_add(*state, "a",
                 "echo "
                 "'{\"probe_version\":3,\"stream_hash\":\"1\",\"passes\":2,\"calls\":9,\"pace_ns\":"
                 "752,\"slow\":2,'"
                 "'\"phases\":[{\"cpu_ns\":[10,30,20],\"wall_ns\":[50,10,40]},'"
                 "'{\"cpu_ns\":[6,4,8],\"wall_ns\":[8,6,4]}]}'",
                 stage->paths[0]);
    enum probe_end end = probe_take(stage->paths[0], &stage->cells[0].command, "", -1,
                                    stage->blocks.budget_ns, &stage->interrupt, &sample, reason);
    assert_int_equal(end, PROBE_OK);
    assert_true(sample.cpu_ns == 8 && sample.wall_ns == 8);
    assert_int_equal(sample.phase_count, 2);
    assert_true(sample.phase_cpu_ns[0] == 5 && sample.phase_cpu_ns[1] == 3);
    assert_true(sample.passes == 2 && sample.calls == 9);
    assert_true(sample.pace_ns == 752 && sample.samples == 3 && sample.slow == 2);
    stage_free(stage);
}

/* The reason has PROBE_REASON bytes and no zero in them: what lies behind stays as it is. */
TEST_AROUND(test_the_reason_keeps_to_its_bytes, programs_begin, programs_end)
{
    struct stage *stage = stage_of(state, GOOD, GOOD);
    char reason[PROBE_REASON + 2];
    struct probe_sample sample;
    memset(reason, 'x', sizeof reason);
    reason[PROBE_REASON] = '\n';
    enum probe_end end = probe_take(stage->paths[0], &stage->cells[0].command, "", -1,
                                    stage->blocks.budget_ns, &stage->interrupt, &sample, reason);
    assert_int_equal(end, PROBE_OK);
    assert_int_equal(reason[PROBE_REASON], '\n');
    assert_string_equal(reason, "");
    stage_free(stage);
}

/* A role may be a plugin that the program loads: named where the design is, and to blame for what is strange. */
TEST_AROUND(test_a_plugin_is_named_and_to_blame, programs_begin, programs_end)
{
    char log[4096];
    struct stage *stage = stage_of(state, LOGGED "echo plugged", GOOD);
    stage_calibrate(stage);
    stage->roles[1].plugin = "/there/new.so";
    stage_run(stage, 1);
    for (size_t i = 0; i < CELLS; i++) {
        assert_true(stage->cells[i].failed);
        assert_int_equal(stage->cells[i].failed_role, 1);
        assert_non_null(strstr(stage->cells[i].reason, "does not answer"));
    }
    programs_read(stage->programs, "log", log, sizeof log);
    assert_non_null(strstr(log, "b probe --plugin=/there/new.so --workload=hold --tasks=9"));
    assert_null(strstr(log, "b probe --impl"));
    stage_free(stage);
}

/* ---- The deadline. --------------------------------------------------------------------------- */

/* Longer than any test may take: what waits for it is seen to hang. */
#define SLEEPS LOGGED "exec sleep 1000"

static void set_deadline(struct stage *stage, uint64_t budget_ns)
{
    stage->blocks.deadline = deadline_after(clock_read_ns(CLOCK_MONOTONIC), budget_ns);
}

/* The design is not to blame: it had less than its own budget. */
TEST_AROUND(test_a_process_is_ended_at_the_deadline, programs_begin, programs_end)
{
    struct stage *stage = stage_of(state, SLEEPS, GOOD);
    stage_calibrate(stage);
    set_deadline(stage, 300000000);
    assert_int_equal(blocks_run(&stage->blocks, 5, &stage->diag), DEADLINE_OVER);
    for (size_t i = 0; i < CELLS; i++)
        assert_false(stage->cells[i].failed);
    programs_add(*state, "a", SLEEPS, stage->paths[0]);
    set_deadline(stage, 300000000);
    assert_int_equal(blocks_calibrate(&stage->blocks, &stage->diag), DEADLINE_OVER);
    stage_free(stage);
}

/* What a block takes is known from the processes before: here an hour each. */
TEST_AROUND(test_a_block_that_does_not_fit_is_not_begun, programs_begin, programs_end)
{
    char letters[64], cells[64];
    struct stage *stage = stage_of(state, GOOD, GOOD);
    stage_calibrate(stage);
    for (size_t i = 0; i < CELLS; i++) {
        assert_int_equal(stage->cells[i].processes, 1);
        assert_true(stage->cells[i].took_ns > 0);
        stage->cells[i].took_ns = 3600e9;
        assert_true(block_cell_expected_ns(&stage->cells[i], 4) == 4 * 3600e9);
    }
    set_deadline(stage, UINT64_C(3) * 3600000000000u);
    assert_int_equal(blocks_run(&stage->blocks, 1, &stage->diag), DEADLINE_OVER);
    assert_int_equal(read_log(stage, letters, cells), 0);
    set_deadline(stage, UINT64_C(5) * 3600000000000u);
    stage->told = 0;
    assert_int_equal(blocks_run(&stage->blocks, 1, &stage->diag), DIAG_OK);
    stage_free(stage);
}

TEST_AROUND(test_an_interrupt_ends_it_all, programs_begin, programs_end)
{
    struct stage *stage = stage_of(state, SLOW, GOOD);
    stage_calibrate(stage);
    raise(SIGINT);
    assert_int_equal(blocks_run(&stage->blocks, 5, &stage->diag), BLOCKS_INTERRUPTED);
    assert_int_equal(blocks_calibrate(&stage->blocks, &stage->diag), BLOCKS_INTERRUPTED);
    for (size_t i = 0; i < CELLS; i++) {
        assert_false(stage->cells[i].failed);
        assert_int_equal(stage->cells[i].series[1].pairs, 0);
    }
    stage_free(stage);
}

/* ---- The command line. ----------------------------------------------------------------------- */

TEST(test_arguments_have_an_end)
{
    struct probe_command *command = calloc(1, sizeof *command);
    assert_non_null(command);
    probe_begin(command, "probe");
    for (int i = 0; i < 100; i++)
        probe_add(command, "--n=%d", i);
    assert_int_equal(command->count, PROBE_ARGUMENTS);
    assert_string_equal(command->argv[PROBE_ARGUMENTS - 1], "--n=46");
    assert_null(command->argv[PROBE_ARGUMENTS]);
    probe_begin(command, "run");
    assert_string_equal(command->argv[0], "run");
    assert_null(command->argv[1]);
    free(command);
}

TEST_MAIN(NULL, NULL)
