/* job_pool.c - forks children, waits with a deadline, and turns how they ended into a status.
 *
 * A slot is a core with at most one child on it.  Waiting is one poll() over the children's pidfds
 * and the interrupt.
 */
#include "harness/measure/run/job_pool.h"

#include "harness/base/file.h"
#include "harness/base/isolate.h"
#include "harness/base/memory.h"
#include "harness/base/process_state.h"
#include "harness/base/units.h"
#include "harness/measure/run/arena.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* A plugin that writes files does not fill the disk. */
#define FILE_BYTES ((uint64_t)64 << 20)
/* A child that has run, or waited to, for less than one in so many parts of the time sleeps. */
#define RUNS_SELDOM 50u
/* Marks of a child that has closed its end. */
#define MARKS_GONE 3u
/* An advance over more ticks than this is not taken to hang. */
#define WALKED_TICKS 1000000u

struct slot {
    int cpu;
    pid_t pid; /* 0: free */
    int pidfd;
    int watch_fd; /* the other end of the child's standard input (job.h, is_watched); below 0: none */
    unsigned marks;       /* that came through it */
    uint64_t mark_cpu_ns; /* between the first two; 0: not known */
    bool has_threads;     /* whose processor time is in it, too */
    uint64_t deadline_ns;
    uint64_t looked_ns, looked_asked_ns; /* when the budget was extended, slot_asked_ns() then */
    const struct job *job;               /* what the child does: */
    const struct job *asked;             /* this, or `look` after it took too long */
    struct job look;
    struct job_report *report; /* shared with the child */
    uint64_t memory_kills;     /* isolate_memory_kills() when the child began */
    uint64_t half_ns;          /* at half of the budget, when `is_half` and `half_calls` are set */
    bool is_half;
    uint64_t half_calls; /* what the pulse of the report said then */
};

struct pool {
    struct pool_bounds bounds;
    struct deadline deadline;
    struct interrupt interrupt;
    uint64_t begin_ns; /* of pool_run, by isolate_now_ns() */
    size_t count;
    struct slot slots[];
};

static bool is_plugin(const struct job *job)
{
    return job->plan && plugins_is_unloaded(job->plan->design->timed);
}

/* ---- In the child. --------------------------------------------------------------------------- */

static void pin_to(int cpu)
{
    if (cpu < 0)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* A plugin may write where it should not: not into the reports of the other children. */
static void keep_apart(const struct pool *pool, const struct slot *slot)
{
    for (size_t i = 0; i < pool->count; i++)
        if (&pool->slots[i] != slot)
            munmap(pool->slots[i].report, sizeof *pool->slots[i].report);
}

/* A plugin that changes what a process has would be measured in another one than the designs beside it. */
static void judge_process(const struct process_state *before, struct job_report *report)
{
    struct process_state now;
    char changed[PROCESS_STATE_TEXT];
    process_state_take(&now);
    if (report->status == OUTCOME_OK && process_state_changed(before, &now, false, changed))
        job_report_fail(report, OUTCOME_MISMATCH, changed);
}

/* A plugin gets its functions; what they are called for is noted, since its constructors may hang. */
static bool child_load(const struct job *job, struct job_report *report)
{
    struct diag diag;
    if (!is_plugin(job))
        return true;
    replay_enter(&report->proof.pulse, REPLAY_IN_LOADING);
    bool loaded = plugins_load(job->plan->design->timed, &diag) == DIAG_OK;
    replay_leave(&report->proof.pulse, REPLAY_IN_NONE);
    if (!loaded)
        job_report_fail(report, OUTCOME_CRASHED, diag.text);
    return loaded;
}

static __attribute__((noreturn)) void child_main(const struct pool *pool, struct slot *slot)
{
    struct job_report *report = slot->report;
    struct job job = *slot->job;
    struct process_state before;
    bool is_alien = is_plugin(slot->job); /* until it is loaded */
    job.is_watched = slot->watch_fd >= 0;
    keep_apart(pool, slot);
    pin_to(slot->cpu);
    if (job.plan && job.plan->pages == PLAN_PAGES_SMALL)
        hugepages_refuse(); /* before the look, as it is ours */
    process_state_take(&before);
    if (child_load(slot->job, report)) {
        job_do(&job, report);
        if (is_alien)
            judge_process(&before, report);
    }
    report->end = ISOLATE_DONE;
    _exit(0);
}

/* ---- In the parent. -------------------------------------------------------------------------- */

static int slot_begin(struct pool *pool, struct slot *slot, const struct job *job,
                      struct diag *diag)
{
    memset(slot->report, 0, sizeof *slot->report);
    slot->job = job;
    if (job != &slot->look)
        slot->asked = job;
    slot->is_half = false;
    slot->deadline_ns = clock_read_ns(CLOCK_MONOTONIC) + pool->bounds.budget_ns;
    slot->half_ns = slot->deadline_ns - pool->bounds.budget_ns / 2;
    slot->looked_ns = slot->deadline_ns - pool->bounds.budget_ns;
    slot->looked_asked_ns = 0;
    slot->memory_kills = isolate_memory_kills();
    int ends[2] = {-1, -1};
    slot->marks = 0;
    slot->mark_cpu_ns = 0;
    slot->has_threads = false;
    if (job->kind == JOB_TIME)
        (void)socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    slot->watch_fd = ends[0];
    pid_t pid = isolate_fork(&(struct isolate){
        .memory_bytes = pool->bounds.memory_bytes,
        .file_bytes = is_plugin(job) ? FILE_BYTES : 0,
        .in_fd = ends[1],
        .out_fd = ISOLATE_NOWHERE,
        .err_fd = is_plugin(job) ? ISOLATE_NOWHERE : STDERR_FILENO,
    });
    if (pid == 0)
        child_main(pool, slot);
    if (ends[1] >= 0)
        close(ends[1]);
    if (pid < 0)
        return diag_run(diag, "fork: %s", strerror(errno));
    slot->pid = pid;
    slot->pidfd = isolate_pidfd(pid);
    if (slot->pidfd < 0)
        return diag_run(diag, "pidfd_open: %s (Linux 5.3 or later is needed)", strerror(errno));
    return DIAG_OK;
}

/* The child is dead when this returns, and with it what a plugin has started.  Answers how many that were. */
static size_t slot_end(struct pool *pool, struct slot *slot, int *wait_status)
{
    pid_t others[CPU_SETSIZE];
    size_t count = 0;
    isolate_end(slot->pid, wait_status);
    if (slot->pidfd >= 0)
        close(slot->pidfd);
    if (slot->watch_fd >= 0)
        close(slot->watch_fd);
    slot->pid = 0;
    if (!is_plugin(slot->job))
        return 0;
    for (size_t i = 0; i < pool->count; i++)
        if (pool->slots[i].pid != 0)
            others[count++] = pool->slots[i].pid;
    return isolate_sweep(pool->begin_ns, others, count);
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

/* The child has not come to its end: why? */
static void slot_judge_end(const struct slot *slot, int wait_status)
{
    struct job_report *report = slot->report;
    char reason[160];
    bool may_be_memory;
    if (WIFSIGNALED(wait_status))
        isolate_explain_signal(WTERMSIG(wait_status), isolate_memory_kills() - slot->memory_kills,
                               &may_be_memory, reason, sizeof reason);
    else
        snprintf(reason, sizeof reason, "exited by itself with status %d",
                 WEXITSTATUS(wait_status));
    job_report_fail(report, OUTCOME_CRASHED, reason);
}

/* The child is gone, and has left so many processes: what does that mean? */
static void slot_judge(struct slot *slot, int wait_status, size_t left)
{
    struct job_report *report = slot->report;
    char reason[160];
    if (report->end != ISOLATE_DONE) {
        slot_judge_end(slot, wait_status);
        return;
    }
    job_report_check(slot->job, report);
    if (slot->marks == 2 && slot->mark_cpu_ns > 0 && !slot->has_threads)
        job_report_check_clock(report, slot->mark_cpu_ns);
    if (left > 0 && report->status == OUTCOME_OK) {
        snprintf(reason, sizeof reason, "it left %zu processes behind, which were ended", left);
        job_report_fail(report, OUTCOME_CRASHED, reason);
    }
}

static const char *job_name(enum job_kind kind)
{
    static const char *const names[] = {
        [JOB_PROVE] = "checking",      [JOB_MEMORY] = "memory",  [JOB_LATENCY] = "latency",
        [JOB_COUNT] = "counting",      [JOB_STEP] = "stepping",  [JOB_TIME] = "timed",
        [JOB_SCHEDULE] = "scheduling", [JOB_OTHER] = "measuring"};
    return names[kind];
}

/* The function that has not returned for the second half of the budget; NULL: there was none.  An advance over many
 * ticks may take long where each of them is stepped through. */
static const char *function_that_hangs(const struct slot *slot)
{
    static const char *const names[REPLAY_FUNCTIONS] = {[REPLAY_IN_LOADING] = "its constructor",
                                                        [REPLAY_IN_OPEN] = "open",
                                                        [REPLAY_IN_DESCRIBE] = "describe",
                                                        [REPLAY_IN_WORK] = "work",
                                                        [REPLAY_IN_START] = "start",
                                                        [REPLAY_IN_STOP] = "stop",
                                                        [REPLAY_IN_ADVANCE] = "advance",
                                                        [REPLAY_IN_NEXT] = "next",
                                                        [REPLAY_IN_CLOSE] = "close"};
    const struct replay_pulse *pulse = &slot->report->proof.pulse;
    uint32_t function = pulse->function;
    bool steps = function == REPLAY_IN_ADVANCE && pulse->ticks > WALKED_TICKS;
    bool stands = slot->is_half && pulse->calls == slot->half_calls;
    return stands && !steps && function < REPLAY_FUNCTIONS ? names[function] : NULL;
}

/* A run of the timed object notes no calls.  A plugin's is repeated with notes, which may find the one that hangs. */
static bool slot_look_again(struct pool *pool, struct slot *slot)
{
    struct diag diag;
    if (!is_plugin(slot->job) || slot->job->kind == JOB_PROVE || slot->job->kind == JOB_LOOK)
        return false;
    slot->look = *slot->job;
    slot->look.kind = JOB_LOOK;
    return slot_begin(pool, slot, &slot->look, &diag) == DIAG_OK;
}

/* The report of a run that took too long, in `function` if that is not NULL. */
static void slot_report_time(const struct pool *pool, struct slot *slot, const char *function)
{
    char reason[160];
    double budget = (double)pool->bounds.budget_ns / 1e9;
    const char *name = pool->deadline.at_ns > 0 ? "a share of --budget" : "--budget";
    if (function)
        snprintf(reason, sizeof reason, "%s did not return within %.3g s, half of the budget (%s)",
                 function, budget / 2, name);
    else
        snprintf(reason, sizeof reason, "the %s run took longer than its budget of %.3g s (%s)",
                 job_name(slot->asked->kind), budget, name);
    job_report_fail(slot->report, function ? OUTCOME_CRASHED : OUTCOME_TIMEOUT, reason);
}

/* False when the slot goes on with a look at why. */
static bool slot_time_out(struct pool *pool, struct slot *slot)
{
    int wait_status;
    slot_end(pool, slot, &wait_status);
    if (slot_look_again(pool, slot))
        return false;
    slot_report_time(pool, slot, function_that_hangs(slot));
    return true;
}

static void pool_kill(struct pool *pool)
{
    int wait_status;
    for (size_t i = 0; i < pool->count; i++)
        if (pool->slots[i].pid != 0)
            slot_end(pool, &pool->slots[i], &wait_status);
    isolate_sweep(pool->begin_ns, NULL, 0);
}

/* Processor time of the child, in nanoseconds; 0: unknown. */
static uint64_t slot_cpu_ns(const struct slot *slot)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(slot->pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * UINT64_C(1000000000) + (uint64_t)used.tv_nsec;
}

/* Of the deadline; in processor time the running children have used theirs, too. */
static uint64_t pool_left_ns(const struct pool *pool)
{
    uint64_t left_ns = deadline_left_ns(&pool->deadline), running_ns = 0;
    for (size_t i = 0; i < pool->count && pool->deadline.of == DEADLINE_WORK; i++)
        running_ns += pool->slots[i].pid != 0 ? slot_cpu_ns(&pool->slots[i]) : 0;
    return left_ns > running_ns ? left_ns - running_ns : 0;
}

static int poll_timeout_ms(const struct pool *pool, uint64_t now_ns)
{
    uint64_t wait_ns = 3600u * UINT64_C(1000000000), all_ns = pool_left_ns(pool) / pool->count;
    wait_ns = all_ns < wait_ns ? all_ns : wait_ns;
    for (size_t i = 0; i < pool->count; i++) {
        const struct slot *slot = &pool->slots[i];
        if (slot->pid == 0)
            continue;
        uint64_t until_ns = slot->is_half ? slot->deadline_ns : slot->half_ns;
        uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
        wait_ns = left_ns < wait_ns ? left_ns : wait_ns;
    }
    return (int)(wait_ns / 1000000u) + 1;
}

const struct interrupt *pool_interrupt(const struct pool *pool)
{
    return &pool->interrupt;
}

/* Where the next mark of a watched child comes from; below 0, which poll leaves out: nowhere, or it has made both. */
static int slot_watch_fd(const struct slot *slot)
{
    return slot->marks < 2 ? slot->watch_fd : -1;
}

/* Sleeps until a child ends, its time is over, or an interrupt comes.  False when no child runs. */
static bool pool_wait(struct pool *pool)
{
    struct pollfd fds[2 * CPU_SETSIZE + 1];
    nfds_t count = 0;
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->slots[i].pid == 0)
            continue;
        fds[count++] = (struct pollfd){.fd = pool->slots[i].pidfd, .events = POLLIN};
        fds[count++] = (struct pollfd){.fd = slot_watch_fd(&pool->slots[i]), .events = POLLIN};
    }
    if (count == 0)
        return false;
    fds[count++] = (struct pollfd){.fd = pool->interrupt.fd, .events = POLLIN};
    poll(fds, count, poll_timeout_ms(pool, clock_read_ns(CLOCK_MONOTONIC)));
    return true;
}

/* The child stands at a mark: reads its clock, and lets it go on. */
static void slot_mark(struct slot *slot)
{
    struct pollfd fd = {.fd = slot_watch_fd(slot), .events = POLLIN};
    char path[64], byte;
    struct stat tasks;
    if (poll(&fd, 1, 0) <= 0)
        return;
    if (read(fd.fd, &byte, 1) != 1) {
        slot->marks = MARKS_GONE;
        return;
    }
    uint64_t cpu_ns = slot_cpu_ns(slot);
    snprintf(path, sizeof path, "/proc/%d/task", (int)slot->pid);
    slot->has_threads = slot->has_threads || stat(path, &tasks) != 0 || tasks.st_nlink != 3;
    slot->mark_cpu_ns = slot->marks++ == 0 ? cpu_ns : cpu_ns - slot->mark_cpu_ns;
    (void)!write(fd.fd, "", 1);
}

/* Processor time that it used, and that its main thread waited for. */
static uint64_t slot_asked_ns(const struct slot *slot, uint64_t used_ns)
{
    char path[64], text[100];
    unsigned long long waited_ns = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)slot->pid);
    sysfile_read(text, sizeof text, "", path);
    return sscanf(text, "%*u %llu", &waited_ns) == 1 ? used_ns + waited_ns : used_ns;
}

/* A budget counts processor time, so that a busy machine does not decide an outcome: the child gets what it lacks.
 * One that hardly runs, because it sleeps, has had its budget: it was not kept from running. */
static bool slot_extend(const struct pool *pool, struct slot *slot, uint64_t now_ns)
{
    uint64_t used_ns = slot_cpu_ns(slot), asked_ns = slot_asked_ns(slot, used_ns);
    uint64_t more_ns = asked_ns - slot->looked_asked_ns;
    if (used_ns >= pool->bounds.budget_ns || more_ns < (now_ns - slot->looked_ns) / RUNS_SELDOM)
        return false;
    slot->looked_asked_ns = asked_ns;
    slot->looked_ns = now_ns;
    slot->deadline_ns = now_ns + pool->bounds.budget_ns - used_ns;
    return true;
}

/* True when the child has ended or overrun, and its report says how. */
static bool slot_look(struct pool *pool, struct slot *slot)
{
    struct pollfd fd = {.fd = slot->pidfd, .events = POLLIN};
    uint64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);
    slot_mark(slot);
    if (poll(&fd, 1, 0) > 0) {
        int wait_status;
        size_t left = slot_end(pool, slot, &wait_status);
        slot_judge(slot, wait_status, left);
        if (slot->job == &slot->look && slot->report->status == OUTCOME_OK)
            slot_report_time(pool, slot, NULL);
        explain_memory(pool->bounds.memory_bytes, slot->report);
        return true;
    }
    if (now_ns >= slot->deadline_ns && !slot_extend(pool, slot, now_ns))
        return slot_time_out(pool, slot);
    if (now_ns >= slot->half_ns && !slot->is_half) {
        slot->is_half = true;
        slot->half_calls = slot->report->proof.pulse.calls;
    }
    return false;
}

/* Reports every child that has ended or overrun. */
static void pool_collect(struct pool *pool, pool_done_fn *done, void *ctx)
{
    for (size_t i = 0; i < pool->count; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->pid != 0 && slot_look(pool, slot))
            done(ctx, slot->asked, slot->report);
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
    pool->begin_ns = isolate_now_ns();
    while (status == DIAG_OK) {
        status = pool_fill(pool, jobs, count, &next, diag);
        if (status != DIAG_OK || !pool_wait(pool))
            break;
        if (interrupt_is_pending(&pool->interrupt))
            status = POOL_INTERRUPTED;
        else if (pool_left_ns(pool) == 0)
            status = DEADLINE_OVER;
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
    *slot = (struct slot){.cpu = cpu, .pidfd = -1, .watch_fd = -1, .report = shared};
    return DIAG_OK;
}

int pool_open(struct pool **out, const int *cpus, size_t count, const struct pool_bounds *bounds,
              struct diag *diag)
{
    struct pool *pool = memory_take(1, sizeof *pool + count * sizeof pool->slots[0]);
    pool->bounds = *bounds;
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
    pool->bounds.budget_ns = budget_ns;
}

void pool_set_deadline(struct pool *pool, struct deadline deadline)
{
    pool->deadline = deadline;
}

void pool_close(struct pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        munmap(pool->slots[i].report, sizeof *pool->slots[i].report);
    interrupt_close(&pool->interrupt);
    free(pool);
}
