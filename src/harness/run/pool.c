/*
 * pool.c - fork, wait with a deadline, turn what happened into a status.
 *
 * A slot is a core with at most one child on it.  Waiting is one poll() over the children's pidfds
 * and the interrupt.
 */
#include "harness/run/pool.h"

#include "harness/base/units.h"
#include "harness/run/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct slot {
    int cpu;
    pid_t pid; /* 0: free */
    int pidfd;
    uint64_t deadline_ns;
    const struct job *job;
    struct job_report *report; /* shared with the child */
};

struct pool {
    struct pool_limits limits;
    struct interrupt interrupt;
    size_t count;
    struct slot slots[];
};

static void report_fail(struct job_report *report, enum outcome_status status, const char *reason)
{
    report->status = (int)status;
    snprintf(report->reason, sizeof report->reason, "%s", reason);
}

/* ---- In the child. --------------------------------------------------------------------------- */

static uint64_t mapped_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The stream and the allocator's reserve are mapped already; the limit is for what comes now.  The
 * sanitizers map terabytes of shadow, so their builds go without. */
static void limit_memory(uint64_t bytes)
{
#ifdef TWB_JEMALLOC
    if (bytes == 0)
        return;
    struct rlimit limit = {.rlim_cur = mapped_bytes() + bytes, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
#else
    (void)bytes;
    (void)mapped_bytes;
#endif
}

static void pin_to(int cpu)
{
    if (cpu < 0)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* A crash has to end the child, whatever handlers the parent has. */
static void crash_by_default(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
}

/* A plugin may print, or write where it should not: neither reaches our output or the reports of the
 * other children. */
static void keep_apart(const struct pool *pool, const struct slot *slot)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDOUT_FILENO);
    for (size_t i = 0; i < pool->count; i++)
        if (&pool->slots[i] != slot)
            munmap(pool->slots[i].report, sizeof *pool->slots[i].report);
}

static void child_main(const struct pool *pool, const struct slot *slot, pid_t parent)
    __attribute__((noreturn));

static void child_main(const struct pool *pool, const struct slot *slot, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    crash_by_default();
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    keep_apart(pool, slot);
    pin_to(slot->cpu);
    limit_memory(pool->limits.memory_bytes);
    job_do(slot->job, slot->report);
    _exit(0);
}

/* ---- In the parent. -------------------------------------------------------------------------- */

static int slot_begin(struct pool *pool, struct slot *slot, const struct job *job,
                      struct diag *diag)
{
    memset(slot->report, 0, sizeof *slot->report);
    slot->job = job;
    slot->deadline_ns = clock_read_ns(CLOCK_MONOTONIC) + pool->limits.budget_ns;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0)
        return diag_run(diag, "fork: %s", strerror(errno));
    if (pid == 0)
        child_main(pool, slot, parent);
    slot->pid = pid;
    slot->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (slot->pidfd < 0)
        return diag_run(diag, "pidfd_open: %s (Linux 5.3 or later is needed)", strerror(errno));
    return DIAG_OK;
}

static void slot_reap(struct slot *slot, int *wait_status)
{
    while (waitpid(slot->pid, wait_status, 0) < 0 && errno == EINTR)
        continue;
    if (slot->pidfd >= 0)
        close(slot->pidfd);
    slot->pid = 0;
}

static void slot_kill(struct slot *slot)
{
    int wait_status;
    kill(slot->pid, SIGKILL);
    slot_reap(slot, &wait_status);
}

/* Says with what was lacking how much there was, and how to have more. */
static void explain_memory(uint64_t limit_bytes, struct job_report *report)
{
    char limit[32];
    size_t length = strlen(report->reason);
    if (report->status != OUTCOME_OUT_OF_MEMORY || limit_bytes == 0)
        return;
    units_format_bytes(limit, sizeof limit, limit_bytes);
    snprintf(report->reason + length, sizeof report->reason - length,
             "; the limit of a run is %s (--memory-limit)", limit);
}

/* The child is gone: what does that mean? */
static void slot_judge(struct slot *slot, int wait_status)
{
    struct job_report *report = slot->report;
    char reason[160];
    if (report->done)
        return;
    if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL) {
        report_fail(report, OUTCOME_OUT_OF_MEMORY, "killed by the system, most likely for memory");
    } else if (WIFSIGNALED(wait_status)) {
        snprintf(reason, sizeof reason, "killed by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
        report_fail(report, OUTCOME_CRASHED, reason);
    } else {
        snprintf(reason, sizeof reason, "exited by itself with status %d",
                 WEXITSTATUS(wait_status));
        report_fail(report, OUTCOME_CRASHED, reason);
    }
}

static void slot_time_out(const struct pool *pool, struct slot *slot)
{
    static const char *const names[] = {
        [JOB_PROVE] = "checking",      [JOB_MEMORY] = "memory", [JOB_LATENCY] = "latency",
        [JOB_COUNT] = "counting",      [JOB_STEP] = "stepping", [JOB_TIME] = "timed",
        [JOB_SCHEDULE] = "scheduling", [JOB_LIMIT] = "limit"};
    char reason[160];
    slot_kill(slot);
    snprintf(reason, sizeof reason, "the %s run took longer than its budget of %.3g s (--budget)",
             names[slot->job->kind], (double)pool->limits.budget_ns / 1e9);
    report_fail(slot->report, OUTCOME_TIMEOUT, reason);
}

static size_t pool_running(const struct pool *pool)
{
    size_t running = 0;
    for (size_t i = 0; i < pool->count; i++)
        running += pool->slots[i].pid != 0;
    return running;
}

static void pool_kill(struct pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        if (pool->slots[i].pid != 0)
            slot_kill(&pool->slots[i]);
}

static int poll_timeout_ms(const struct pool *pool, uint64_t now_ns)
{
    uint64_t wait_ns = 3600u * UINT64_C(1000000000);
    for (size_t i = 0; i < pool->count; i++) {
        const struct slot *slot = &pool->slots[i];
        if (slot->pid == 0)
            continue;
        uint64_t left_ns = slot->deadline_ns > now_ns ? slot->deadline_ns - now_ns : 0;
        wait_ns = left_ns < wait_ns ? left_ns : wait_ns;
    }
    return (int)(wait_ns / 1000000u) + 1;
}

bool pool_is_interrupted(struct pool *pool)
{
    return interrupt_is_pending(&pool->interrupt);
}

/* Sleeps until a child ends, its time is over, or an interrupt comes. */
static void pool_wait(struct pool *pool)
{
    struct pollfd fds[CPU_SETSIZE + 1];
    nfds_t count = 0;
    for (size_t i = 0; i < pool->count; i++)
        if (pool->slots[i].pid != 0)
            fds[count++] = (struct pollfd){.fd = pool->slots[i].pidfd, .events = POLLIN};
    fds[count++] = (struct pollfd){.fd = pool->interrupt.fd, .events = POLLIN};
    poll(fds, count, poll_timeout_ms(pool, clock_read_ns(CLOCK_MONOTONIC)));
}

/* Reports every child that has ended or overrun. */
static void pool_collect(struct pool *pool, pool_done_fn *done, void *ctx)
{
    for (size_t i = 0; i < pool->count; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->pid == 0)
            continue;
        struct pollfd fd = {.fd = slot->pidfd, .events = POLLIN};
        if (poll(&fd, 1, 0) > 0) {
            int wait_status;
            slot_reap(slot, &wait_status);
            slot_judge(slot, wait_status);
            explain_memory(pool->limits.memory_bytes, slot->report);
        } else if (clock_read_ns(CLOCK_MONOTONIC) >= slot->deadline_ns) {
            slot_time_out(pool, slot);
        } else {
            continue;
        }
        done(ctx, slot->job, slot->report);
    }
}

static int pool_fill(struct pool *pool, const struct job *jobs, size_t count, size_t *next,
                     struct diag *diag)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < pool->count && *next < count && status == DIAG_OK; i++)
        if (pool->slots[i].pid == 0)
            status = slot_begin(pool, &pool->slots[i], &jobs[(*next)++], diag);
    return status;
}

int pool_run(struct pool *pool, const struct job *jobs, size_t count, pool_done_fn *done, void *ctx,
             struct diag *diag)
{
    size_t next = 0;
    int status = DIAG_OK;
    while (status == DIAG_OK && (next < count || pool_running(pool) > 0)) {
        status = pool_fill(pool, jobs, count, &next, diag);
        if (status != DIAG_OK)
            break;
        pool_wait(pool);
        if (pool_is_interrupted(pool))
            status = POOL_INTERRUPTED;
        else
            pool_collect(pool, done, ctx);
    }
    pool_kill(pool);
    return status;
}

static int slot_open(struct slot *slot, int cpu, struct diag *diag)
{
    void *shared =
        mmap(NULL, sizeof *slot->report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return diag_run(diag, "no shared memory for a child's report: %s", strerror(errno));
    *slot = (struct slot){.cpu = cpu, .pidfd = -1, .report = shared};
    return DIAG_OK;
}

int pool_open(struct pool **out, const int *cpus, size_t count, const struct pool_limits *limits,
              struct diag *diag)
{
    struct pool *pool = calloc(1, sizeof *pool + count * sizeof pool->slots[0]);
    if (!pool)
        return diag_run(diag, "no memory for %zu children", count);
    pool->limits = *limits;
    int status = interrupt_open(&pool->interrupt, diag);
    for (; status == DIAG_OK && pool->count < count; pool->count++) {
        status = slot_open(&pool->slots[pool->count], cpus[pool->count], diag);
        if (status != DIAG_OK)
            break;
    }
    if (status != DIAG_OK) {
        pool_close(pool);
        return status;
    }
    *out = pool;
    return DIAG_OK;
}

void pool_set_budget(struct pool *pool, uint64_t budget_ns)
{
    pool->limits.budget_ns = budget_ns;
}

void pool_close(struct pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        munmap(pool->slots[i].report, sizeof *pool->slots[i].report);
    interrupt_close(&pool->interrupt);
    free(pool);
}
