/* command.c - starts the recorded command, waits for it, and ends it when it is time. */
#include "labs/traces/record/record.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/memory.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A terminal sends Ctrl-C to the command too, which may be on its way out before we pass it on; a command that has been
 * asked to end gets so long before it is killed. */
#define GRACE_NS    UINT64_C(1000000000)
#define FAREWELL_NS UINT64_C(10000000000)

static int shell_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- Starting. ----------------------------------------------------------------------------------- */

/* Descriptors that the child gets as its output and error; -1: ours.  What exec said comes through `failed`. */
static void become(char *const *words, int out, int error, int failed)
{
    if (out >= 0)
        dup2(out, STDOUT_FILENO);
    if (error >= 0)
        dup2(error, STDERR_FILENO);
    execvp(words[0], words);
    int why = errno;
    if (write(failed, &why, sizeof why) < 0)
        _exit(126);
    _exit(127);
}

/* The child has been replaced by the command when the pipe ends without a word. */
static int start(char *const *words, const struct interrupt *interrupt, int out, int error,
                 pid_t *child, struct diag *diag)
{
    int failed[2], why = 0;
    if (pipe2(failed, O_CLOEXEC) != 0)
        return diag_run(diag, "pipe: %s", strerror(errno));
    *child = fork();
    if (*child == 0) {
        if (interrupt)
            interrupt_unblock(interrupt);
        become(words, out, error, failed[1]);
    }
    close(failed[1]);
    ssize_t told = *child < 0 ? 0 : read(failed[0], &why, sizeof why);
    close(failed[0]);
    if (*child < 0)
        return diag_run(diag, "fork: %s", strerror(errno));
    if (told <= 0)
        return DIAG_OK;
    waitpid(*child, NULL, 0);
    return diag_usage(diag, "%s: %s; expected a command after --", words[0], strerror(why));
}

/* ---- Waiting. ------------------------------------------------------------------------------------ */

struct vigil {
    const struct command_run *run;
    struct interrupt interrupt;
    int child_fd, said_fd; /* -1: over */
    pid_t child;
    uint64_t ends_ns; /* 0: not set */
    uint64_t acts_ns; /* when `signal` is sent; 0: never */
    int signal;       /* the next to send */
    struct record_end *end;
};

static void note_signal(struct vigil *vigil)
{
    struct signalfd_siginfo info;
    if (read(vigil->interrupt.fd, &info, sizeof info) != sizeof info)
        return;
    vigil->end->interrupted = vigil->end->cut = true;
    vigil->signal = (int)info.ssi_signo;
    vigil->acts_ns = clock_read_ns(CLOCK_MONOTONIC) + (info.ssi_code == SI_KERNEL ? GRACE_NS : 0);
}

/* Sends what is due; what comes next is the end without asking. */
static void act(struct vigil *vigil)
{
    uint64_t now = clock_read_ns(CLOCK_MONOTONIC);
    if (vigil->ends_ns > 0 && now >= vigil->ends_ns) {
        vigil->ends_ns = 0;
        vigil->end->cut = true;
        vigil->signal = SIGTERM;
        vigil->acts_ns = now;
    }
    if (vigil->acts_ns > 0 && now >= vigil->acts_ns) {
        kill(vigil->child, vigil->signal);
        vigil->signal = SIGKILL;
        vigil->acts_ns = now + FAREWELL_NS;
    }
}

static int wait_ms(const struct vigil *vigil)
{
    uint64_t now = clock_read_ns(CLOCK_MONOTONIC), next = vigil->acts_ns;
    if (vigil->ends_ns > 0 && (next == 0 || vigil->ends_ns < next))
        next = vigil->ends_ns;
    if (next == 0)
        return -1;
    return next <= now ? 0
                       : (int)((next - now) / 1000000 < 60000 ? (next - now) / 1000000 + 1 : 60000);
}

static void listen_to(struct vigil *vigil)
{
    char text[65536];
    ssize_t size = read(vigil->said_fd, text, sizeof text);
    if (size < 0 && errno == EINTR)
        return;
    vigil->run->said(vigil->run->ctx, text, size > 0 ? (size_t)size : 0);
    if (size <= 0) {
        close(vigil->said_fd);
        vigil->said_fd = -1;
    }
}

/* Until the command has ended and, when somebody listens, all that it started has closed its standard error. */
static void keep_vigil(struct vigil *vigil)
{
    while (vigil->child_fd >= 0 || vigil->said_fd >= 0) {
        struct pollfd fds[3] = {{.fd = vigil->child_fd, .events = POLLIN},
                                {.fd = vigil->interrupt.fd, .events = POLLIN},
                                {.fd = vigil->said_fd, .events = POLLIN}};
        if (poll(fds, 3, wait_ms(vigil)) < 0 && errno != EINTR)
            return;
        if (fds[1].revents)
            note_signal(vigil);
        if (fds[2].revents)
            listen_to(vigil);
        if (vigil->child_fd >= 0)
            act(vigil);
        if (fds[0].revents) {
            int status = 0;
            waitpid(vigil->child, &status, 0);
            vigil->end->status = shell_status(status);
            close(vigil->child_fd);
            vigil->child_fd = -1;
            vigil->acts_ns = vigil->ends_ns = 0;
        }
        /* What the command left running is not ours to end. */
        if (vigil->child_fd < 0 && vigil->end->interrupted && fds[2].revents == 0 &&
            vigil->said_fd >= 0 && poll(&fds[2], 1, 5000) == 0)
            return;
    }
}

int command_run(const struct command_run *run, struct record_end *end, struct diag *diag)
{
    int said[2] = {-1, -1};
    struct vigil vigil = {.run = run, .end = end, .child_fd = -1};
    *end = (struct record_end){.status = 0};
    int status = interrupt_open(&vigil.interrupt, diag);
    if (status == DIAG_OK && run->said && pipe2(said, O_CLOEXEC) != 0)
        status = diag_run(diag, "pipe: %s", strerror(errno));
    if (status == DIAG_OK)
        status = start(run->words, &vigil.interrupt, -1, said[1], &vigil.child, diag);
    if (said[1] >= 0)
        close(said[1]);
    vigil.said_fd = said[0];
    if (status == DIAG_OK) {
        vigil.child_fd = pidfd_open(vigil.child, 0);
        vigil.ends_ns =
            run->duration_ns > 0 ? clock_read_ns(CLOCK_MONOTONIC) + run->duration_ns : 0;
        keep_vigil(&vigil);
    }
    if (vigil.said_fd >= 0)
        close(vigil.said_fd);
    interrupt_close(&vigil.interrupt);
    return status;
}

/* ---- What a command prints. ---------------------------------------------------------------------- */

/* A NUL would end the text before its end. */
static char *read_all(int fd)
{
    size_t size = 0, room = 0;
    ssize_t count;
    char *text = NULL;
    do {
        room += 65536;
        text = memory_grow(text, room + 1, 1);
        while (size < room && (count = read(fd, text + size, room - size)) > 0)
            size += (size_t)count;
    } while (size == room);
    for (size_t i = 0; i < size; i++)
        text[i] = text[i] ? text[i] : '?';
    text[size] = '\0';
    return text;
}

int command_output(char *const *words, char **text, int *status, struct diag *diag)
{
    int fds[2], ended = 0;
    pid_t child;
    if (pipe2(fds, O_CLOEXEC) != 0)
        return diag_run(diag, "pipe: %s", strerror(errno));
    int left = start(words, NULL, fds[1], fds[1], &child, diag);
    close(fds[1]);
    *text = left == DIAG_OK ? read_all(fds[0]) : NULL;
    close(fds[0]);
    if (left != DIAG_OK)
        return left;
    waitpid(child, &ended, 0);
    *status = shell_status(ended);
    return DIAG_OK;
}
