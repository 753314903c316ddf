/* child.c - runs a proof in a child process and says how it ended. */
#include "harness/prove/child.h"

#include "harness/base/clock.h"
#include "harness/base/isolate.h"
#include "harness/base/process_state.h"
#include "harness/measure/designs/designs.h"
#include "harness/prove/guard.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY_BYTES (UINT64_C(2) << 30)
#define CALL_SECONDS 2.0
#define ALL_SECONDS  1200.0
#define IDLE_SECONDS 1.0
#define LOOK_MS      10
/* Of the wall clock, for each second of processor time; who does not sleep has so many more: the machine may be busy. */
#define WALL_PER_CPU 4
#define WALL_MORE    100.0
/* A design that waits for the machine's clock may wait so long. */
#define REAL_CLOCK_SECONDS 60.0
/* What it prints, and writes to files. */
#define FILE_BYTES ((uint64_t)64 << 20)

bool child_open(struct child *child, const struct tw_backend *backend)
{
    struct watch *watch =
        mmap(NULL, sizeof *watch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (watch == MAP_FAILED)
        return false;
    *child = (struct child){.backend = backend,
                            .watch = watch,
                            .output_fd = memfd_create("output", MFD_CLOEXEC),
                            .side = FENCE_BACK,
                            .memory_bytes = MEMORY_BYTES,
                            .call_seconds = CALL_SECONDS,
                            .idle_seconds = IDLE_SECONDS,
                            .all_seconds = ALL_SECONDS};
    return true;
}

void child_close(struct child *child)
{
    munmap(child->watch, sizeof *child->watch);
    if (child->output_fd >= 0)
        close(child->output_fd);
}

/* ---- In the child ---------------------------------------------------------------------------- */

/* What loading has changed, whose handlers or rounding a constructor may set.  A library may need that. */
static void judge_loading(const struct process_state *before, const struct process_state *now,
                          struct conform_report *report)
{
    struct held held;
    char text[PROCESS_STATE_TEXT];
    if (guard_held(&held) && held.is_all && process_state_changed(before, now, false, text))
        report_broken(report, RULE_PROCESS, "its constructor: %s", text);
}

static void load_and_work(const struct child *child, child_work_fn *work, void *ctx)
{
    struct watch *watch = child->watch;
    struct diag diag;
    struct process_state unloaded, now;
    process_state_take(&unloaded);
    const char *before = watch_enter(watch, "its constructor");
    bool loaded = plugins_load(child->backend, &diag) == DIAG_OK;
    watch_leave(watch, before);
    process_state_take(&now);
    if (!loaded)
        report_broken(&watch->report, RULE_CRASH, "%s", diag.text);
    else if (guard_install(watch, child->backend, child->side, child->memory_bytes, STDOUT_FILENO))
        judge_loading(&unloaded, &now, &watch->report);
    else
        report_broken(&watch->report, RULE_MEMORY, "for the child's guard");
    if (!watch->report.rule)
        work(ctx, watch);
}

static _Noreturn void child_main(struct child *child, child_work_fn *work, void *ctx)
{
    load_and_work(child, work, ctx);
    child->watch->end = ISOLATE_DONE;
    _exit(0);
}

/* ---- In the parent --------------------------------------------------------------------------- */

static double seconds_of(clockid_t clock)
{
    return (double)clock_read_ns(clock) / 1e9;
}

/* How much longer the processor takes now for the same work than at best: other processes share its caches, its clock and
 * its second thread, and a virtual machine counts what its host took as ours.  Costs some 50 us. */
static double stretch_now(double *best)
{
    volatile uint64_t sum = 0;
    double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    for (uint32_t i = 0; i < 20000; i++)
        sum += i * sum;
    double seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
    if (*best <= 0 || seconds < *best)
        *best = seconds;
    return *best > 0 ? seconds / *best : 1;
}

/* When the child last gave a sign of life, by its own clock and by ours. */
struct pulse {
    double best, stretch; /* stretch: the mean since then */
    uint32_t looks;
    int32_t sleeps; /* at so many more looks it slept than not */
    uint64_t calls;
    double cpu, seen_cpu, seen_wall;
    double begin_wall;
};

enum verdict {
    GOES_ON,
    DOES_NOT_RETURN,
    IS_BLOCKED,
    IS_STOPPED,
    TAKES_TOO_LONG,
    RAN_OUT_OF_TIME, /* of the wall clock: the machine's fault */
    IS_TOO_LARGE
};

/* What the child does, by the third word of its stat: 'R' runs or would like to, 'S' sleeps, 'D' waits for a disk, 'T' and
 * 't' are stopped, 'Z' has no main thread any more. */
static char state_of(pid_t pid)
{
    char path[64], state = 'R';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'R';
    if (file)
        fclose(file);
    return state;
}

/* Has the process touched more memory than it may?  The second word of its statm says so. */
static bool is_too_large(const struct child *child, pid_t pid)
{
    char path[64];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = child->resident_bytes > 0 ? fopen(path, "r") : NULL;
    bool known = file && fscanf(file, "%*u %llu", &pages) == 1;
    if (file)
        fclose(file);
    return known && pages * (uint64_t)sysconf(_SC_PAGESIZE) > child->resident_bytes;
}

/* Seconds of processor time that a call may take: an open may work through millions of timers. */
static double call_limit(const struct child *child)
{
    return child->call_seconds * (1 + child->watch->operations.capacity / 1e6);
}

static enum verdict take_pulse(const struct child *child, pid_t pid, struct pulse *pulse,
                               const clockid_t *clock)
{
    uint64_t calls = *(volatile uint64_t *)&child->watch->calls;
    double cpu = clock ? seconds_of(*clock) : 0, wall = seconds_of(CLOCK_MONOTONIC);
    char state = state_of(pid);
    bool is_stopped = strchr("TtZ", state), waits = child->backend->traits.flags & TW_REAL_CLOCK;
    bool moved = cpu - pulse->cpu > 0.001 || calls != pulse->calls;
    pulse->sleeps += state == 'S' ? 1 : -1;
    if (calls != pulse->calls) {
        pulse->seen_cpu = cpu;
        pulse->looks = 0;
        pulse->stretch = 1;
    }
    pulse->stretch += (stretch_now(&pulse->best) - pulse->stretch) / ++pulse->looks;
    double stretch = pulse->stretch > 1 ? pulse->stretch : 1;
    if (moved || (state != 'S' && !is_stopped))
        pulse->seen_wall = wall;
    pulse->calls = calls;
    pulse->cpu = moved ? cpu : pulse->cpu;
    if (is_too_large(child, pid))
        return IS_TOO_LARGE;
    if (cpu > child->all_seconds)
        return TAKES_TOO_LONG;
    double asleep = wall - pulse->seen_wall;
    double over = wall - pulse->begin_wall - WALL_PER_CPU * child->all_seconds;
    if (over > 0 && !waits && pulse->sleeps > 0)
        return IS_BLOCKED;
    if (over > WALL_MORE)
        return RAN_OUT_OF_TIME;
    if (cpu - pulse->seen_cpu > call_limit(child) * stretch)
        return DOES_NOT_RETURN;
    if (asleep > child->idle_seconds && is_stopped)
        return IS_STOPPED;
    return asleep > (waits ? REAL_CLOCK_SECONDS : child->idle_seconds) ? IS_BLOCKED : GOES_ON;
}

/* Until the child ends, or is found to hang and is killed.  *left: processes that it has left behind. */
static enum verdict wait_for(const struct child *child, pid_t pid, uint64_t begin_ns,
                             int *wait_status, size_t *left)
{
    double now = seconds_of(CLOCK_MONOTONIC);
    struct pulse pulse = {.seen_wall = now, .begin_wall = now};
    struct pollfd end = {.fd = isolate_pidfd(pid), .events = POLLIN};
    enum verdict verdict = GOES_ON;
    clockid_t clock;
    bool has_clock = clock_getcpuclockid(pid, &clock) == 0;
    while (verdict == GOES_ON && poll(&end, 1, LOOK_MS) == 0)
        verdict = take_pulse(child, pid, &pulse, has_clock ? &clock : NULL);
    isolate_end(pid, wait_status);
    *left = isolate_sweep(begin_ns, NULL, 0);
    if (end.fd >= 0)
        close(end.fd);
    return verdict;
}

static const char *function_under_way(const struct watch *watch)
{
    return watch->function ? watch->function : "the test, after what the design did before,";
}

static void tell_hang(const struct child *child, enum verdict verdict,
                      struct conform_report *report)
{
    const char *function = function_under_way(child->watch);
    if (verdict == RAN_OUT_OF_TIME)
        report_broken(report, RULE_TIME,
                      "%s was under way after minutes, in which the machine gave it under %.0f s",
                      function, child->all_seconds);
    else if (verdict == TAKES_TOO_LONG)
        report_broken(report, RULE_RETURN, "all of it took more than %.0f s of processor time",
                      child->all_seconds);
    else if (verdict == IS_TOO_LARGE)
        report_broken(report, RULE_MEMORY, "%s wrote to more than %" PRIu64 " bytes", function,
                      child->resident_bytes);
    else if (verdict == IS_STOPPED)
        report_broken(report, RULE_RETURN, "%s stops the process, or its main thread", function);
    else if (verdict == IS_BLOCKED)
        report_broken(report, RULE_RETURN, "%s waits for something, or sleeps", function);
    else
        report_broken(report, RULE_RETURN,
                      "%s had not returned after %.2g s of processor time without a callback",
                      function, call_limit(child));
}

static void tell_fault(const struct watch *watch, struct conform_report *report)
{
    const struct fault *fault = &watch->fault;
    const char *function = function_under_way(watch);
    const char *verb = !fault->is_known ? "touches" : fault->is_write ? "writes" : "reads";
    bool is_before = fault->place == FAULT_BEFORE, is_freed = fault->place == FAULT_FREED;
    switch (fault->place) {
    case FAULT_PAST:
    case FAULT_BEFORE:
    case FAULT_FREED:
        report_broken(report, is_freed ? RULE_FREED : RULE_BOUNDS,
                      "%s %s %s%" PRIu64 "%s a block of %" PRIu64 " bytes that was taken in %s%s",
                      function, verb, is_before ? "" : "byte ", fault->distance_bytes + !is_before,
                      is_before ? " bytes before" : " of", fault->block_bytes, fault->taken_in,
                      is_freed ? ", and is freed" : "");
        break;
    case FAULT_LENT:
        report_broken(report, RULE_LENT,
                      "%s %s what open was given, after open has returned: it is the caller's, and "
                      "may be gone",
                      function, verb);
        break;
    case FAULT_NULL:
        report_broken(report, RULE_CRASH,
                      "%s crashed: it %s at address %" PRIu64 ", a null pointer", function, verb,
                      fault->address);
        break;
    case FAULT_STACK:
        report_broken(report, RULE_CRASH, "%s crashed: its stack is used up: recursion?", function);
        break;
    case FAULT_UNKNOWN:
        report_broken(report, RULE_CRASH, "%s crashed: it %s at address 0x%" PRIx64, function, verb,
                      fault->address);
        break;
    }
}

static void tell_signal(const struct child *child, int number, struct conform_report *report)
{
    const struct watch *watch = child->watch;
    char reason[160];
    bool is_access = number == SIGSEGV || number == SIGBUS, may_be_memory;
    isolate_explain_signal(number, isolate_memory_kills() - child->memory_kills, &may_be_memory,
                           reason, sizeof reason);
    if (is_access && watch->fault.signal == number && watch->fault.is_access) {
        tell_fault(watch, report);
    } else if (may_be_memory && child->resident_bytes > 0) {
        report_broken(report, RULE_MEMORY, "it was %s", reason);
    } else if (number == SIGKILL) {
        report_broken(report, RULE_CRASH, "%s was %s", function_under_way(watch), reason);
    } else {
        report_broken(report, RULE_CRASH, "%s crashed: signal %d (%s)", function_under_way(watch),
                      number, strsignal(number));
    }
}

/* The report is the child's own when it came to its end. */
static void conclude(const struct child *child, enum verdict verdict, int wait_status, size_t left,
                     struct conform_report *report)
{
    struct watch *watch = child->watch;
    bool is_done = watch->end == ISOLATE_DONE;
    watch_mend(watch, child->backend);
    *report = watch->report;
    if (verdict == GOES_ON && is_done) {
        if (left > 0)
            report_broken(report, RULE_CHILDREN, "%zu processes were left, and have been ended",
                          left);
        return;
    }
    report->rule = NULL;
    report->seed = watch->seed;
    if (verdict != GOES_ON)
        tell_hang(child, verdict, report);
    else if (WIFSIGNALED(wait_status))
        tell_signal(child, WTERMSIG(wait_status), report);
    else
        report_broken(report, RULE_EXIT, "%s ended the process, with exit status %d",
                      function_under_way(watch), WEXITSTATUS(wait_status));
}

/* All but the list, which is long and says for itself how much of it counts. */
static void watch_clear(struct watch *watch)
{
    memset(watch, 0, offsetof(struct watch, list));
    watch->report.watch = watch;
}

bool child_run(struct child *child, child_work_fn *work, void *ctx, struct conform_report *report)
{
    int wait_status;
    size_t left;
    watch_clear(child->watch);
    if (child->output_fd >= 0 &&
        (ftruncate(child->output_fd, 0) != 0 || /* what the last one printed */
         lseek(child->output_fd, 0, SEEK_SET) != 0))
        child->output_fd = ISOLATE_NOWHERE;
    fflush(NULL);
    uint64_t begin_ns = isolate_now_ns();
    child->memory_kills = isolate_memory_kills();
    pid_t pid =
        isolate_fork(&(struct isolate){.memory_bytes = 2 * child->memory_bytes,
                                       .file_bytes = FILE_BYTES,
                                       .cpu_seconds = 1 + (unsigned)(2 * child->all_seconds),
                                       .out_fd = child->output_fd,
                                       .err_fd = child->output_fd});
    if (pid == 0)
        child_main(child, work, ctx);
    if (pid < 0) {
        snprintf(report->detail, sizeof report->detail, "fork: %s", strerror(errno));
        return false;
    }
    enum verdict verdict = wait_for(child, pid, begin_ns, &wait_status, &left);
    child->took_too_long = verdict == TAKES_TOO_LONG || verdict == RAN_OUT_OF_TIME;
    conclude(child, verdict, wait_status, left, report);
    return true;
}
