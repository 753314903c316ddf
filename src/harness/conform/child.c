/* child.c - runs a proof in a child process and says how it ended. */
#include "harness/conform/child.h"

#include "harness/conform/guard.h"
#include "harness/conform/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMORY_BYTES (UINT64_C(2) << 30)
#define CALL_SECONDS 2.0
#define ALL_SECONDS  1200.0
#define IDLE_SECONDS 1.0
#define LOOK_MS      10

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

/* For what does not go through the fence, and with room for its pages.  The sanitizers map terabytes
 * of shadow, so their builds go without. */
static void limit_memory(uint64_t bytes)
{
#ifdef TWB_JEMALLOC
    struct rlimit limit = {.rlim_cur = mapped_bytes() + 2 * bytes, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
#else
    (void)bytes;
    (void)mapped_bytes;
#endif
}

static void redirect(int output_fd)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (output_fd < 0)
        output_fd = nothing;
    dup2(output_fd, STDOUT_FILENO);
    dup2(output_fd, STDERR_FILENO);
}

static void child_main(const struct child *child, child_work_fn *work, void *ctx, pid_t parent)
    __attribute__((noreturn));

static void child_main(const struct child *child, child_work_fn *work, void *ctx, pid_t parent)
{
    struct watch *watch = child->watch;
    setpgid(0, 0); /* what it starts goes with it */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    limit_memory(child->memory_bytes);
    redirect(child->output_fd);
    if (guard_install(watch, child->backend, child->side, child->memory_bytes, child->output_fd))
        work(ctx, watch);
    else
        report_broken(&watch->report, RULE_MEMORY, "for the child's guard");
    watch->is_done = true;
    _exit(0);
}

/* ---- In the parent --------------------------------------------------------------------------- */

static double seconds_of(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* When the child last gave a sign of life, by its own clock and by ours. */
struct pulse {
    uint64_t calls;
    double cpu, seen_cpu, seen_wall;
};

enum verdict { GOES_ON, DOES_NOT_RETURN, IS_BLOCKED, TAKES_TOO_LONG, IS_TOO_LARGE };

/* Does it wait for something, rather than for a processor?  The third word of its stat says so. */
static bool is_asleep(pid_t pid)
{
    char path[64], state = 'R';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool known = fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    fclose(file);
    return known && state == 'S';
}

/* Has the process touched more memory than it may?  The second word of its statm says so. */
static bool is_too_large(const struct child *child, pid_t pid)
{
    char path[64];
    unsigned long long pages = 0;
    if (child->resident_bytes == 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool known = fscanf(file, "%*u %llu", &pages) == 1;
    fclose(file);
    return known && pages * (uint64_t)sysconf(_SC_PAGESIZE) > child->resident_bytes;
}

static enum verdict take_pulse(const struct child *child, pid_t pid, struct pulse *pulse,
                               clockid_t clock)
{
    uint64_t calls = *(volatile uint64_t *)&child->watch->calls;
    double cpu = seconds_of(clock), wall = seconds_of(CLOCK_MONOTONIC);
    bool moved = cpu - pulse->cpu > 0.001 || calls != pulse->calls;
    if (calls != pulse->calls)
        pulse->seen_cpu = cpu;
    if (moved || !is_asleep(pid))
        pulse->seen_wall = wall;
    pulse->calls = calls;
    pulse->cpu = moved ? cpu : pulse->cpu;
    bool waits = child->backend->traits.flags & TW_REAL_CLOCK;
    if (is_too_large(child, pid))
        return IS_TOO_LARGE;
    if (cpu > child->all_seconds)
        return TAKES_TOO_LONG;
    if (cpu - pulse->seen_cpu > child->call_seconds)
        return DOES_NOT_RETURN;
    return wall - pulse->seen_wall > child->idle_seconds && !waits ? IS_BLOCKED : GOES_ON;
}

/* Until the child ends, or is found to hang and is killed. */
static enum verdict wait_for(const struct child *child, pid_t pid, int *wait_status)
{
    struct pulse pulse = {.seen_wall = seconds_of(CLOCK_MONOTONIC)};
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    enum verdict verdict = GOES_ON;
    clockid_t clock;
    bool has_clock = clock_getcpuclockid(pid, &clock) == 0;
    while (verdict == GOES_ON && poll(&end, 1, LOOK_MS) == 0)
        if (has_clock)
            verdict = take_pulse(child, pid, &pulse, clock);
    kill(-pid, SIGKILL); /* with whatever it has started */
    kill(pid, SIGKILL);
    while (waitpid(pid, wait_status, 0) < 0 && errno == EINTR)
        continue;
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
    if (verdict == TAKES_TOO_LONG)
        report_broken(report, RULE_RETURN, "all of it took more than %.0f s of processor time",
                      child->all_seconds);
    else if (verdict == IS_TOO_LARGE)
        report_broken(report, RULE_MEMORY, "%s wrote to more than %" PRIu64 " bytes", function,
                      child->resident_bytes);
    else if (verdict == IS_BLOCKED)
        report_broken(report, RULE_RETURN, "%s waits for something that does not come", function);
    else
        report_broken(report, RULE_RETURN,
                      "%s had not returned after %.2g s of processor time without a callback",
                      function, child->call_seconds);
}

static void tell_fault(const struct watch *watch, struct conform_report *report)
{
    const struct fault *fault = &watch->fault;
    const char *function = function_under_way(watch);
    const char *verb = !fault->is_known ? "touches" : fault->is_write ? "writes" : "reads";
    switch (fault->place) {
    case FAULT_PAST:
        report_broken(report, RULE_BOUNDS,
                      "%s %s byte %" PRIu64 " of a block of %" PRIu64 " bytes that was taken in %s",
                      function, verb, fault->distance_bytes + 1, fault->block_bytes,
                      fault->taken_in);
        break;
    case FAULT_BEFORE:
        report_broken(report, RULE_BOUNDS,
                      "%s %s %" PRIu64 " bytes before a block of %" PRIu64
                      " bytes that was taken in %s",
                      function, verb, fault->distance_bytes, fault->block_bytes, fault->taken_in);
        break;
    case FAULT_FREED:
        report_broken(
            report, RULE_FREED,
            "%s %s byte %" PRIu64 " of a block of %" PRIu64 " bytes, taken in %s, that is freed",
            function, verb, fault->distance_bytes + 1, fault->block_bytes, fault->taken_in);
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
        report_broken(report, RULE_CRASH,
                      "%s crashed: its stack is used up; recursion without an end?", function);
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
    bool is_access = number == SIGSEGV || number == SIGBUS;
    if (is_access && watch->fault.signal == number && watch->fault.is_access)
        tell_fault(watch, report);
    else if (number == SIGKILL && child->resident_bytes > 0)
        report_broken(report, RULE_MEMORY, "the system ended the process");
    else if (number == SIGKILL)
        report_broken(report, RULE_CRASH, "%s was killed by the system, most likely for memory",
                      function_under_way(watch));
    else
        report_broken(report, RULE_CRASH, "%s crashed: signal %d (%s)", function_under_way(watch),
                      number, strsignal(number));
}

/* The report is the child's own when it came to its end. */
static void conclude(const struct child *child, enum verdict verdict, int wait_status,
                     struct conform_report *report)
{
    struct watch *watch = child->watch;
    *report = watch->report;
    if (verdict == GOES_ON && watch->is_done)
        return;
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
    int wait_status = 0;
    watch_clear(child->watch);
    if (child->output_fd >= 0 &&
        (ftruncate(child->output_fd, 0) != 0 || /* what the last one printed */
         lseek(child->output_fd, 0, SEEK_SET) != 0))
        child->output_fd = -1;
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        child_main(child, work, ctx, parent);
    if (pid < 0) {
        snprintf(report->detail, sizeof report->detail, "fork: %s", strerror(errno));
        return false;
    }
    setpgid(pid, pid); /* whoever of the two comes first */
    enum verdict verdict = wait_for(child, pid, &wait_status);
    conclude(child, verdict, wait_status, report);
    report->watch = NULL;
    return true;
}
