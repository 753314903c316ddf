/* spawn.c - runs a program and reads what it prints, within a time. */
#include "harness/measure/run/spawn.h"

#include "harness/base/clock.h"
#include "harness/base/isolate.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ARGUMENTS_MAX 64
#define TEXT_MAX      ((size_t)256 << 20)
#define EXEC_FAILED   127

/* A pipe being read into memory. */
struct catch
{
    int fd; /* below 0: closed */
    char *text;
    size_t size, room;
};

/* ---- In the child. --------------------------------------------------------------------------- */

static void child_exec(const struct spawn_request *request, int out, int err, pid_t parent)
    __attribute__((noreturn));

static void child_exec(const struct spawn_request *request, int out, int err, pid_t parent)
{
    char *argv[ARGUMENTS_MAX + 2] = {(char[]){"twbench"}};
    for (size_t i = 0; i < ARGUMENTS_MAX && request->argv[i]; i++)
        argv[i + 1] = strdup(request->argv[i]);
    /* A group of its own: an interrupt from the terminal is for us, who tell the child; and what the child
     * starts goes when it goes. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXEC_FAILED);
    interrupt_unblock(request->interrupt);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (request->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((unsigned)request->cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    if (request->variable && request->variable[0])
        putenv(strdup(request->variable));
    execv(request->path, argv);
    dprintf(STDERR_FILENO, "%s: %s\n", request->path, strerror(errno));
    _exit(EXEC_FAILED);
}

/* ---- In the parent. -------------------------------------------------------------------------- */

/* Takes what is there; closes at the end of the text, on errors and when it is absurdly long. */
static void catch_read(struct catch *caught)
{
    if (caught->size + 1 >= caught->room) {
        size_t room = caught->room ? 2 * caught->room : 4096;
        char *grown = room <= TEXT_MAX ? realloc(caught->text, room) : NULL;
        if (!grown) {
            close(caught->fd);
            caught->fd = -1;
            return;
        }
        caught->text = grown;
        caught->room = room;
    }
    ssize_t got = read(caught->fd, caught->text + caught->size, caught->room - caught->size - 1);
    if (got > 0) {
        caught->size += (size_t)got;
    } else if (got == 0 || errno != EINTR) {
        close(caught->fd);
        caught->fd = -1;
    }
}

static char *catch_text(struct catch *caught)
{
    if (caught->fd >= 0)
        close(caught->fd);
    if (!caught->text)
        return calloc(1, 1);
    caught->text[caught->size] = '\0';
    return caught->text;
}

/* Until both pipes are closed and the child has ended, which need not be one: it may close them and
 * go on.  `end_fd` becomes readable with its end; where there is no such thing (below 0), the pipes
 * have to do.  True when it has to be killed, with why. */
static bool catch_both(struct catch caught[2], int end_fd, const struct spawn_request *request,
                       enum spawn_end *why)
{
    uint64_t deadline_ns = clock_read_ns(CLOCK_MONOTONIC) + request->budget_ns;
    while (caught[0].fd >= 0 || caught[1].fd >= 0 || end_fd >= 0) {
        struct pollfd fds[4] = {{.fd = caught[0].fd, .events = POLLIN},
                                {.fd = caught[1].fd, .events = POLLIN},
                                {.fd = request->interrupt->fd, .events = POLLIN},
                                {.fd = end_fd, .events = POLLIN}};
        uint64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);
        if (now_ns >= deadline_ns) {
            *why = SPAWN_TIMED_OUT;
            return true;
        }
        uint64_t left_ms = (deadline_ns - now_ns) / 1000000u + 1;
        poll(fds, 4, left_ms < 1000000 ? (int)left_ms : 1000000);
        if (fds[2].revents) {
            *why = SPAWN_INTERRUPTED;
            return true;
        }
        for (size_t i = 0; i < 2; i++)
            if (fds[i].revents)
                catch_read(&caught[i]);
        end_fd = fds[3].revents ? -1 : end_fd;
    }
    return false;
}

static void spawn_judge(struct spawn_result *result, int wait_status)
{
    result->end = WIFSIGNALED(wait_status) ? SPAWN_KILLED : SPAWN_EXITED;
    result->code = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static void spawn_wait(pid_t pid, const struct spawn_request *request, struct catch caught[2],
                       struct spawn_result *result)
{
    int wait_status = 0;
    uint64_t begin_ns = isolate_now_ns();
    enum spawn_end why = SPAWN_EXITED;
    int end_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    bool kill_it = catch_both(caught, end_fd, request, &why);
    if (end_fd >= 0)
        close(end_fd);
    if (kill_it)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
        continue;
    isolate_sweep(begin_ns, NULL, 0);
    spawn_judge(result, wait_status);
    if (kill_it)
        result->end = why;
}

/* False with errno set and nothing open. */
static bool open_pipes(int out[2], int err[2])
{
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(err, O_CLOEXEC) == 0)
        return true;
    int why = errno;
    close(out[0]);
    close(out[1]);
    errno = why;
    return false;
}

void spawn_run(const struct spawn_request *request, struct spawn_result *result)
{
    int out[2], err[2];
    struct catch caught[2] = {{.fd = -1}, {.fd = -1}};
    *result = (struct spawn_result){.end = SPAWN_FAILED};
    if (open_pipes(out, err)) {
        caught[0].fd = out[0];
        caught[1].fd = err[0];
        prctl(PR_SET_CHILD_SUBREAPER, 1); /* what a killed one leaves is ended too */
        pid_t parent = getpid(), pid = fork();
        if (pid == 0)
            child_exec(request, out[1], err[1], parent);
        result->code = errno;
        close(err[1]);
        close(out[1]);
        if (pid > 0)
            setpgid(pid, pid); /* whoever of the two comes first */
        if (pid > 0)
            spawn_wait(pid, request, caught, result);
    } else {
        result->code = errno;
    }
    result->out = catch_text(&caught[0]);
    result->err = catch_text(&caught[1]);
}

void spawn_free(struct spawn_result *result)
{
    free(result->out);
    free(result->err);
}
