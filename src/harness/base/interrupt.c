/* interrupt.c - turns SIGINT and SIGTERM into a readable descriptor. */
#include "harness/base/interrupt.h"

#include <poll.h>
#include <sys/signalfd.h>

static void fill_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGHUP);
}

/* What has come so far is done with. */
static void drop_pending(const sigset_t *signals)
{
    struct timespec now = {0, 0};
    while (sigtimedwait(signals, NULL, &now) > 0)
        continue;
}

int interrupt_open(struct interrupt *interrupt, struct diag *diag)
{
    fill_signals(&interrupt->signals);
    sigprocmask(SIG_BLOCK, &interrupt->signals, &interrupt->before);
    interrupt->fd = signalfd(-1, &interrupt->signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (interrupt->fd < 0)
        return diag_run(diag, "signalfd: %s", strerror(errno));
    return DIAG_OK;
}

void interrupt_close(struct interrupt *interrupt)
{
    if (interrupt->fd >= 0)
        close(interrupt->fd);
    drop_pending(&interrupt->signals);
    interrupt_unblock(interrupt);
}

bool interrupt_is_pending(const struct interrupt *interrupt)
{
    struct pollfd fd = {.fd = interrupt->fd, .events = POLLIN};
    return poll(&fd, 1, 0) > 0;
}

void interrupt_unblock(const struct interrupt *interrupt)
{
    sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
}

void interrupt_hold(sigset_t *before)
{
    sigset_t signals;
    fill_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, before);
}

void interrupt_admit(sigset_t *before)
{
    sigset_t signals;
    fill_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, before);
    if (sigismember(before, SIGINT))
        drop_pending(&signals);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

void interrupt_restore(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}
