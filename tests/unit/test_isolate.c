/*
 * test_isolate.c - children that are kept: how they end, what they leave, and records that nobody may believe.
 */
#include "harness/base/isolate.h"
#include "harness/base/object.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"
#include "harness/measure/run/job.h"
#include "harness/prove/watch.h"
#include "testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 2000

/* ---- Texts and pointers ---------------------------------------------------------------------- */

TEST(test_printable)
{
    static const char *const good[] = {"", "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    static const char *const bad[] = {"\n",
                                      "\x7f",
                                      "\x80",
                                      "\xc3",
                                      "\xc0\xaf",
                                      "\xe0\x80\xaf",
                                      "\xed\xa0\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xc2\x85",
                                      "a\033[2J"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(utf8_is_printable(good[i], 10));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(utf8_is_printable(bad[i], 10));
    assert_false(utf8_is_printable("long", 4));
    char text[4] = {'a', '\n', (char)0x80, 'b'}, lines[4] = {'a', '\n', 'b', 'c'};
    utf8_make_printable(text, sizeof text);
    assert_string_equal(text, "a??");
    utf8_make_lines(lines, sizeof lines);
    assert_string_equal(lines, "a\nb");
}

TEST(test_literals)
{
    static const char word[] = "word";
    static char writable[] = "written";
    char local[] = "local";
    assert_ptr_equal(literal_check(word), word);
    assert_ptr_equal(literal_check(word + 2), word + 2);
    assert_null(literal_check(NULL));
    assert_null(literal_check(local));
    assert_null(literal_check(writable));
    assert_null(literal_check((const char *)8));
    assert_null(literal_check((const char *)UINTPTR_MAX));
}

/* ---- Ends ------------------------------------------------------------------------------------ */

static void count_up(void *ctx, void *record)
{
    *(uint64_t *)record += *(const uint64_t *)ctx;
}

static void write_and_exit(void *ctx, void *record)
{
    count_up(ctx, record);
    _exit(0);
}

static void stop_itself(void *ctx, void *record)
{
    count_up(ctx, record);
    raise(SIGSTOP);
}

static void kill_itself(void *ctx, void *record)
{
    count_up(ctx, record);
    raise(SIGKILL);
}

static void write_output(void *ctx, void *record)
{
    struct rlimit core;
    char byte;
    bool shut = fcntl(3, F_GETFD) < 0 && read(STDIN_FILENO, &byte, 1) == 0;
    getrlimit(RLIMIT_CORE, &core);
    if (shut && core.rlim_max == 0 && write(STDOUT_FILENO, "x", 1) == 1)
        count_up(ctx, record);
}

TEST(test_runs)
{
    const struct isolate isolate = {.out_fd = ISOLATE_NOWHERE, .err_fd = ISOLATE_NOWHERE};
    uint64_t add = 5, record = 1;
    char reason[200] = "";
    assert_true(
        isolate_run(&isolate, 100, count_up, &add, &record, sizeof record, reason, sizeof reason));
    assert_int_equal(record, 6);
    assert_true(isolate_run(&isolate, 100, write_output, &add, &record, sizeof record, reason,
                            sizeof reason));
    assert_int_equal(record, 11);
    static const struct {
        isolate_work_fn *work;
        unsigned seconds;
        const char *reason;
    } ends[] = {{write_and_exit, 100, "exited by itself with status 0"},
                {kill_itself, 100, ISOLATE_KILLED " from outside"},
                {stop_itself, 1, "did not end within 1 s"}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        assert_false(isolate_run(&isolate, ends[i].seconds, ends[i].work, &add, &record,
                                 sizeof record, reason, sizeof reason));
        assert_string_equal(reason, ends[i].reason);
        assert_int_equal(record, 11);
    }
}

/* A SIGKILL is nobody's for certain where the kernel has ended processes. */
TEST(test_explains)
{
    char reason[200];
    bool may_be_memory;
    isolate_explain_signal(SIGKILL, 0, &may_be_memory, reason, sizeof reason);
    assert_false(may_be_memory);
    assert_string_equal(reason, ISOLATE_KILLED " from outside");
    isolate_explain_signal(SIGKILL, 1, &may_be_memory, reason, sizeof reason);
    assert_true(may_be_memory);
    assert_non_null(strstr(reason, "memory"));
    isolate_explain_signal(SIGSEGV, 1, &may_be_memory, reason, sizeof reason);
    assert_false(may_be_memory);
    assert_non_null(strstr(reason, "signal 11"));
}

/* Two generations, the second in sessions of its own. */
static void fork_family(void)
{
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            setsid();
            if (fork() >= 0)
                for (;;)
                    pause();
        }
}

TEST(test_sweeps)
{
    const struct isolate isolate = {.out_fd = ISOLATE_NOWHERE, .err_fd = ISOLATE_NOWHERE};
    pid_t stranger = fork();
    if (stranger == 0)
        for (;;)
            pause();
    usleep(50000); /* the kernel counts in hundredths of seconds */
    uint64_t begin_ns = isolate_now_ns();
    int wait_status;
    pid_t pid = isolate_fork(&isolate);
    if (pid == 0) {
        fork_family();
        _exit(0);
    }
    while (waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT) != 0)
        continue;
    isolate_end(pid, &wait_status);
    assert_true(WIFEXITED(wait_status));
    assert_in_range(isolate_sweep(begin_ns, NULL, 0), 3, 6);
    assert_int_equal(kill(stranger, SIGKILL), 0);
    assert_int_equal(waitpid(stranger, &wait_status, 0), stranger);
    assert_int_equal(isolate_sweep(begin_ns, NULL, 0), 0);
}

/* ---- Records that are filled with anything --------------------------------------------------- */

/* All of one byte, or random bytes, a part of them or all. */
static void fill_with_anything(void *record, size_t bytes, struct rng *rng)
{
    unsigned char *at = record;
    uint64_t kind = rng_below(rng, 4), from = rng_below(rng, bytes), to = rng_below(rng, bytes);
    int byte = (int)rng_below(rng, 256);
    if (kind == 0)
        memset(record, byte, bytes);
    for (uint64_t i = kind == 1 ? 0 : from; kind > 0 && i < (kind == 1 ? bytes : to); i++)
        at[i] = (unsigned char)rng_below(rng, 256);
}

TEST(test_reports)
{
    struct job_report *report = calloc(1, sizeof *report);
    struct job job = {.kind = JOB_LATENCY};
    struct rng rng;
    assert_non_null(report);
    rng_seed(&rng, 1, 0);
    for (int i = 0; i < ROUNDS; i++) {
        /* Histograms are many and checked by nobody: only what lies around them is filled. */
        fill_with_anything(report, offsetof(struct job_report, proof), &rng);
        report->schedule_count = rng_below(&rng, 4);
        report->schedules[0].catch_up = (enum outcome_catch_up)rng_below(&rng, 5);
        job_report_check(&job, report);
        assert_in_range(report->status, OUTCOME_OK, OUTCOME_CRASHED);
        assert_in_range(report->setting_count, 0, OUTCOME_SETTINGS_MAX);
        assert_in_range(report->schedule_count, 0, OUTCOME_SCHEDULES_MAX);
        assert_true(utf8_is_printable(report->reason, sizeof report->reason));
        for (size_t s = 0; s < report->setting_count; s++) {
            assert_true(utf8_is_printable(report->settings[s].name, 32));
            assert_in_range(report->settings[s].count, 0, TW_VALUES_MAX);
        }
        job_report_fail(report, OUTCOME_TIMEOUT, "over");
        assert_int_equal(report->status, OUTCOME_TIMEOUT);
        assert_in_range(report->setting_count, 0, OUTCOME_SETTINGS_MAX);
    }
    free(report);
}

static void assert_mended(const struct watch *watch, const struct tw_backend *backend)
{
    const struct operations *list = &watch->operations;
    assert_true(!watch->function || literal_check(watch->function));
    assert_true(!watch->story || literal_check(watch->story));
    assert_true(!watch->report.rule || literal_check(watch->report.rule));
    assert_non_null(literal_check(watch->fault.taken_in));
    assert_true(utf8_is_printable(watch->report.detail, sizeof watch->report.detail));
    assert_in_range(list->count, 0, WATCH_OPERATIONS_MAX);
    assert_in_range(list->setting_count, 0, OPERATIONS_SETTINGS_MAX);
    for (size_t i = 0; i < list->setting_count; i++)
        assert_true(literal_check(list->settings[i].name) ||
                    list->settings[i].name == backend->params[0].name);
    for (size_t i = 0; i < list->count; i++) {
        assert_in_range(watch->list[i].code, OPERATION_START, OPERATION_INSPECT);
        assert_true(watch->list[i].id < list->capacity);
    }
}

TEST(test_watches)
{
    const struct tw_backend *hashed = registry_find("hashed")->timed;
    struct watch *watch = calloc(1, sizeof *watch);
    struct rng rng;
    assert_non_null(watch);
    rng_seed(&rng, 2, 0);
    for (int i = 0; i < ROUNDS; i++) {
        fill_with_anything(watch, offsetof(struct watch, list) + 1000, &rng);
        watch_mend(watch, hashed);
        assert_mended(watch, hashed);
    }
    free(watch);
}

TEST_MAIN(NULL, NULL)
