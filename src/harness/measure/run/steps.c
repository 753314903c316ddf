/* steps.c - steps a child through chosen pieces of code, and counts its instructions.
 *
 * The tracee writes into the page where it is, and the tracer looks there before every step: no
 * breakpoints, no registers, nothing that depends on the processor.
 *
 *     OUTSIDE    the tracee runs freely
 *     ARRIVING   it stops itself, and is stepped from there on
 *     IN_PIECE   the same, and its steps count     (IN_NOTHING: before the body, a piece that does
 *     OUTSIDE                                       nothing, whose steps every piece costs too)
 */
#include "harness/measure/run/counters.h"

#include "harness/base/file.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum place { OUTSIDE, ARRIVING, IN_NOTHING, IN_PIECE, AT_END, PLACES };

/* Shared by tracer and tracee.  Volatile, so that no write moves across the call of a piece. */
struct steps {
    volatile enum place place;
    volatile enum place inside; /* where a piece is: IN_NOTHING at first, then IN_PIECE */
    volatile uint64_t pieces;
    volatile int error; /* errno of what the tracee could not do */
    pid_t pid;          /* of the tracee */
};

struct trace {
    struct steps *shared;
    pid_t pid;
    uint64_t steps[PLACES];
    char *reason;
    size_t reason_size;
};

void steps_explain(char *out, size_t size, int error, const char *root)
{
    char scope[32];
    bool refused = error == EPERM || error == EACCES;
    sysfile_read(scope, sizeof scope, root, "/proc/sys/kernel/yama/ptrace_scope");
    if (refused && strtol(scope, NULL, 10) >= 2)
        snprintf(out, size,
                 "not permitted: /proc/sys/kernel/yama/ptrace_scope is %s, 1 or less is needed",
                 scope);
    else if (refused)
        snprintf(out, size,
                 "not permitted: by a container's filter of system calls, which has to let ptrace "
                 "through, or because a debugger follows this process already");
    else if (error == ENOSYS)
        snprintf(out, size, "the kernel has no ptrace, or a filter hides it");
    else if (error == EIO || error == EINVAL)
        snprintf(out, size, "the kernel cannot step through a program on this processor");
    else
        snprintf(out, size, "ptrace: %s", strerror(error));
}

/* ---- In the tracee. -------------------------------------------------------------------------- */

/* Its own function, so that every piece is gone through by the same instructions. */
void __attribute__((noinline))
steps_through(struct steps *steps, void (*piece)(void *ctx), void *ctx)
{
    steps->pieces++;
    steps->place = ARRIVING;
    kill(steps->pid, SIGSTOP);
    steps->place = steps->inside;
    piece(ctx);
    steps->place = OUTSIDE;
}

static void do_nothing(void *ctx)
{
    (void)ctx;
}

static __attribute__((noreturn)) void tracee_main(struct steps *steps, pid_t parent,
                                                  void (*body)(struct steps *steps, void *ctx),
                                                  void *ctx)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        steps->error = errno;
        _exit(1);
    }
    steps->pid = getpid();
    steps->inside = IN_NOTHING;
    steps_through(steps, do_nothing, ctx);
    steps->pieces = 0;
    steps->inside = IN_PIECE;
    body(steps, ctx);
    steps->place = AT_END;
    kill(steps->pid, SIGSTOP);
    _exit(0);
}

/* ---- In the tracer. -------------------------------------------------------------------------- */

static __attribute__((format(printf, 2, 3))) bool trace_fail(const struct trace *trace,
                                                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(trace->reason, trace->reason_size, format, args);
    va_end(args);
    return false;
}

static bool trace_fail_ptrace(const struct trace *trace, int error)
{
    char why[200];
    steps_explain(why, sizeof why, error, "");
    return trace_fail(trace, "no single steps: %s", why);
}

/* Waits until the tracee stops; *signal is what stopped it.  False when it is gone. */
static bool trace_wait(const struct trace *trace, int *signal)
{
    int status;
    while (waitpid(trace->pid, &status, __WALL) < 0)
        if (errno != EINTR)
            return trace_fail(trace, "waitpid: %s", strerror(errno));
    if (WIFSTOPPED(status)) {
        *signal = WSTOPSIG(status);
        return true;
    }
    if (trace->shared->error != 0)
        return trace_fail_ptrace(trace, trace->shared->error);
    if (WIFSIGNALED(status))
        return trace_fail(trace, "killed by signal %d (%s)", WTERMSIG(status),
                          strsignal(WTERMSIG(status)));
    return trace_fail(trace, "exited by itself with status %d", WEXITSTATUS(status));
}

/* To the next stop: after one instruction, or outside of pieces wherever that is.  *signal is handed
 * over first; then it is the one that has stopped the tracee, 0 for those that are ours. */
static bool trace_go(struct trace *trace, int *signal)
{
    enum place place = trace->shared->place;
    bool free = place == OUTSIDE;
    long status = free ? ptrace(PTRACE_CONT, trace->pid, NULL, (long)*signal)
                       : ptrace(PTRACE_SINGLESTEP, trace->pid, NULL, (long)*signal);
    /* One that was killed from outside has no more steps, and waiting tells how it ended. */
    if (status != 0 && errno != ESRCH)
        return trace_fail_ptrace(trace, errno);
    if (!trace_wait(trace, signal))
        return false;
    enum place now = trace->shared->place;
    if (*signal == SIGTRAP && !free) {
        trace->steps[place]++;
        *signal = 0;
    } else if (*signal == SIGSTOP && (now == ARRIVING || now == AT_END)) {
        *signal = 0;
    }
    return true;
}

/* Without what going through a piece costs. */
static uint64_t trace_instructions(const struct trace *trace)
{
    uint64_t cost = trace->shared->pieces * trace->steps[IN_NOTHING];
    return trace->steps[IN_PIECE] > cost ? trace->steps[IN_PIECE] - cost : 0;
}

static bool trace_follow(struct trace *trace, uint64_t most)
{
    int signal = 0;
    if (!trace_wait(trace, &signal))
        return false;
    if (ptrace(PTRACE_SETOPTIONS, trace->pid, NULL, (long)PTRACE_O_EXITKILL) != 0)
        return trace_fail_ptrace(trace, errno);
    signal = signal == SIGSTOP ? 0 : signal;
    while (trace->shared->place != AT_END) {
        if (!trace_go(trace, &signal))
            return false;
        if (trace_instructions(trace) > most)
            return trace_fail(trace, "more than %llu instructions: too many to step through",
                              (unsigned long long)most);
    }
    return true;
}

/* Whatever became of the tracee, it is gone when this returns. */
static void trace_end(const struct trace *trace)
{
    kill(trace->pid, SIGKILL);
    while (waitpid(trace->pid, NULL, __WALL) > 0 || errno == EINTR)
        continue;
}

bool steps_count(void (*body)(struct steps *steps, void *ctx), void *ctx, uint64_t most,
                 uint64_t *instructions, char *reason, size_t reason_size)
{
    struct trace trace = {.reason = reason, .reason_size = reason_size};
    size_t size = sizeof *trace.shared;
    pid_t parent = getpid();
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return trace_fail(&trace, "no shared memory for the steps: %s", strerror(errno));
    trace.shared = page;
    trace.pid = fork();
    if (trace.pid == 0)
        tracee_main(page, parent, body, ctx);
    bool known = false;
    if (trace.pid > 0) {
        known = trace_follow(&trace, most);
        trace_end(&trace);
    } else {
        trace_fail(&trace, "fork: %s", strerror(errno));
    }
    if (known)
        *instructions = trace_instructions(&trace);
    munmap(page, size);
    return known;
}
