/* interrupt.c - a signalfd. */
#include "harness/run/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

int interrupt_open(struct interrupt *interrupt, struct diag *diag)
{
    sigemptyset(&interrupt->signals);
    sigaddset(&interrupt->signals, SIGINT);
    sigaddset(&interrupt->signals, SIGTERM);
    sigaddset(&interrupt->signals, SIGHUP);
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
    struct timespec now = {0, 0};
    while (sigtimedwait(&interrupt->signals, NULL, &now) > 0)
        continue;
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
