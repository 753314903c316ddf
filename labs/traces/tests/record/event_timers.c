/* event_timers.c - so many timers of libevent as the argument says: every second one is deleted, the others fire. */
#include <event2/event.h>
#include <stdlib.h>

static void fire(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what, (void)ctx;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 10;
    struct event **events = calloc((size_t)count, sizeof *events);
    struct event_base *base = event_base_new();
    struct timeval soon = {0, 20000};
    for (int i = 0; i < count; i++) {
        events[i] = evtimer_new(base, fire, NULL);
        evtimer_add(events[i], &soon);
    }
    for (int i = 0; i < count; i += 2)
        evtimer_del(events[i]);
    return event_base_dispatch(base) < 0;
}
