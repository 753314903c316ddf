/* test_spawn.c - another program run to its end, and every other way in which that can end. */
#include "harness/base/clock.h"
#include "harness/measure/run/spawn.h"

#include "unit/programs.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
/* For what ends by itself in milliseconds: no stall of a machine takes so long. */
#define AMPLE_NS (100 * SECOND_NS)

/* Runs a script with one argument, within a time. */
static struct spawn_result run_script(void **state, const char *body, int cpu, uint64_t budget_ns)
{
    char path[PROGRAMS_PATH];
    const char *argv[] = {"--one=1 2", NULL};
    struct interrupt interrupt;
    struct spawn_result result;
    struct diag diag;
    programs_add(*state, "program", body, path);
    assert_int_equal(interrupt_open(&interrupt, &diag), DIAG_OK);
    spawn_run(
        &(struct spawn_request){
            .path = path,
            .argv = argv,
            .variable = "TWBENCH_TESTED=a=b c",
            .cpu = cpu,
            .budget_ns = budget_ns,
            .interrupt = &interrupt,
        },
        &result);
    interrupt_close(&interrupt);
    assert_null(getenv("TWBENCH_TESTED"));
    return result;
}

static void assert_ended(const struct spawn_result *result, enum spawn_end end, int code)
{
    if (result->end != end || result->code != code)
        fail_msg("ended %d with %d, not %d with %d: %s", (int)result->end, result->code, (int)end,
                 code, result->err);
}

/* The files this process has open. */
static int count_files(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST_AROUND(test_outputs_are_apart_and_status_is_kept, programs_begin, programs_end)
{
    int files = count_files();
    struct spawn_result result =
        run_script(state, "echo \"out $1 $# $TWBENCH_TESTED\"\necho err >&2\nexit 7", -1, AMPLE_NS);
    assert_ended(&result, SPAWN_EXITED, 7);
    assert_string_equal(result.out, "out --one=1 2 1 a=b c\n");
    assert_string_equal(result.err, "err\n");
    spawn_free(&result);
    result = run_script(state, "true", -1, AMPLE_NS);
    assert_ended(&result, SPAWN_EXITED, 0);
    assert_string_equal(result.out, "");
    assert_string_equal(result.err, "");
    spawn_free(&result);
    assert_int_equal(count_files(), files);
}

/* 300000 bytes on each, in turns: whoever read one pipe to its end first would wait for ever. */
TEST_AROUND(test_more_than_a_pipe_holds, programs_begin, programs_end)
{
    struct spawn_result result =
        run_script(state,
                   "line=$(printf '%099d' 0)\ni=0\nwhile [ $i -lt 3000 ]; do\n"
                   "echo \"$line\"; echo \"$line\" >&2; i=$((i + 1)); done",
                   -1, AMPLE_NS);
    assert_ended(&result, SPAWN_EXITED, 0);
    assert_int_equal(strlen(result.out), 300000);
    assert_int_equal(strlen(result.err), 300000);
    spawn_free(&result);
}

TEST_AROUND(test_a_signal_is_told, programs_begin, programs_end)
{
    struct spawn_result result = run_script(state, "echo begun; kill -SEGV $$", -1, AMPLE_NS);
    assert_ended(&result, SPAWN_KILLED, SIGSEGV);
    assert_string_equal(result.out, "begun\n");
    spawn_free(&result);
}

/* As a process of its own, so that killing it leaves no sleep behind.  Before that is over it was killed. */
static void assert_times_out(void **state, const char *body)
{
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    struct spawn_result result = run_script(state, body, -1, SECOND_NS / 5);
    uint64_t taken_ns = clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
    assert_int_equal(result.end, SPAWN_TIMED_OUT);
    assert_true(taken_ns >= SECOND_NS / 5 && taken_ns < AMPLE_NS);
    spawn_free(&result);
}

TEST_AROUND(test_too_long_is_killed, programs_begin, programs_end)
{
    assert_times_out(state, "exec sleep 100");
}

TEST_AROUND(test_closing_its_output_is_no_end, programs_begin, programs_end)
{
    assert_times_out(state, "exec sleep 100 >&- 2>&-");
}

/* A machine may take longer than the budget to let a shell say a word: then it gets more. */
TEST_AROUND(test_what_was_said_before_the_end_is_kept, programs_begin, programs_end)
{
    bool said = false;
    for (uint64_t budget_ns = SECOND_NS / 5; !said && budget_ns < AMPLE_NS; budget_ns *= 4) {
        struct spawn_result result = run_script(state, "echo early; exec sleep 200", -1, budget_ns);
        assert_int_equal(result.end, SPAWN_TIMED_OUT);
        said = strcmp(result.out, "early\n") == 0;
        assert_true(said || strcmp(result.out, "") == 0);
        spawn_free(&result);
    }
    assert_true(said);
}

TEST_AROUND(test_an_interrupt_ends_it, programs_begin, programs_end)
{
    char path[PROGRAMS_PATH];
    const char *argv[] = {NULL};
    struct interrupt interrupt;
    struct spawn_result result;
    struct diag diag;
    programs_add(*state, "program", "exec sleep 100", path);
    assert_int_equal(interrupt_open(&interrupt, &diag), DIAG_OK);
    assert_false(interrupt_is_pending(&interrupt));
    raise(SIGTERM);
    assert_true(interrupt_is_pending(&interrupt));
    spawn_run(&(struct spawn_request){path, argv, -1, AMPLE_NS, &interrupt, NULL}, &result);
    assert_int_equal(result.end,
                     SPAWN_INTERRUPTED); /* neither at its end nor at that of its budget */
    spawn_free(&result);
    interrupt_close(&interrupt); /* and we live on */
}

/* The child has the mask of before, or a shell in it could not be interrupted. */
TEST_AROUND(test_signals_are_not_blocked_in_the_child, programs_begin, programs_end)
{
    struct spawn_result result = run_script(state, "kill -TERM $$; echo still there", -1, AMPLE_NS);
    assert_ended(&result, SPAWN_KILLED, SIGTERM);
    spawn_free(&result);
}

static struct spawn_result run_path(const char *path, const char *argument)
{
    const char *argv[] = {argument, "/proc/self/cmdline", NULL};
    struct interrupt interrupt;
    struct spawn_result result;
    struct diag diag;
    assert_int_equal(interrupt_open(&interrupt, &diag), DIAG_OK);
    spawn_run(&(struct spawn_request){path, argv, -1, AMPLE_NS, &interrupt, NULL}, &result);
    interrupt_close(&interrupt);
    return result;
}

TEST(test_a_missing_program_is_named)
{
    struct spawn_result result = run_path("/nowhere/program", "x");
    assert_ended(&result, SPAWN_EXITED, 127);
    assert_string_equal(result.err, "/nowhere/program: No such file or directory\n");
    spawn_free(&result);
}

/* cat has no other name for itself than what it was given; a copy with a long path has the same. */
TEST_AROUND(test_argv0_is_always_the_same, programs_begin, programs_end)
{
    char path[PROGRAMS_PATH], command[256];
    programs_path(*state, "a-name-that-is-longer", path);
    snprintf(command, sizeof command, "cp /bin/cat %s", path);
    assert_int_equal(system(command), 0);
    struct spawn_result one = run_path("/bin/cat", "-u"), other = run_path(path, "-u");
    assert_ended(&one, SPAWN_EXITED, 0);
    assert_ended(&other, SPAWN_EXITED, 0);
    assert_string_equal(one.out, "twbench");
    assert_string_equal(other.out, "twbench");
    assert_string_equal(one.out + sizeof "twbench", "-u");
    spawn_free(&one);
    spawn_free(&other);
}

TEST_AROUND(test_pinned_to_a_core, programs_begin, programs_end)
{
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (int cpu = 0; cpu < 64; cpu++) {
        char wanted[64];
        if (!CPU_ISSET((unsigned)cpu, &allowed))
            continue;
        struct spawn_result result =
            run_script(state, "grep ^Cpus_allowed_list: /proc/self/status", cpu, AMPLE_NS);
        assert_ended(&result, SPAWN_EXITED, 0);
        snprintf(wanted, sizeof wanted, "Cpus_allowed_list:\t%d\n", cpu);
        assert_string_equal(result.out, wanted);
        spawn_free(&result);
    }
}

/* Without a file to be had there is no pipe, and the reason is told. */
TEST(test_no_pipe_no_program)
{
    const char *argv[] = {NULL};
    struct interrupt interrupt;
    struct spawn_result result;
    struct diag diag;
    struct rlimit before, none;
    int files = count_files();
    assert_int_equal(interrupt_open(&interrupt, &diag), DIAG_OK);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    for (rlim_t room = 0; room < 4; room++) {
        none = before;
        none.rlim_cur = (rlim_t)interrupt.fd + 1 + room;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
        spawn_run(&(struct spawn_request){"/bin/true", argv, -1, AMPLE_NS, &interrupt, NULL},
                  &result);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_ended(&result, SPAWN_FAILED, EMFILE);
        assert_string_equal(result.out, "");
        spawn_free(&result);
    }
    interrupt_close(&interrupt);
    assert_int_equal(count_files(), files);
}

TEST_MAIN(NULL, NULL)
