/*
 * asio_system.h - what Asio asks the system, answered: included before Asio, by asio.cpp alone.
 *
 * Asio is headers, so its calls are compiled with the design, and there is no library with a table of
 * imports of its own (answer.h).  But it means that they can be named otherwise: from here on
 * epoll_wait in a header of Asio is asio_epoll_wait.
 *
 * Asio hears of an expiry from the kernel: it sets a timerfd to the earliest deadline, and looks through
 * its timers when epoll_wait reports that descriptor.  On the virtual clock the real calls are made all the
 * same, with their cost, and the real timer is armed, five minutes ahead; what epoll_wait says of
 * the descriptor comes from the virtual clock.  When the waits are answered (answer.is_alone), there
 * are no real calls in it.
 *
 * Both objects of the design, timed and counted, are linked together and share the inline functions of
 * Asio, so nothing here may depend on TW_COUNTED.
 */
#ifndef TWBENCH_ASIO_SYSTEM_H
#define TWBENCH_ASIO_SYSTEM_H

#include "harness/prove/answer.h"

#include <cstdint>
#include <sys/epoll.h>
#include <sys/timerfd.h>

/* What one instance answers; answer_current points to its first member. */
struct asio_system {
    struct answer answer;
    tw_tick now;       /* the virtual clock, in ticks, which Asio takes for microseconds */
    tw_tick alarm;     /* when the timer's descriptor becomes ready */
    bool is_set;       /* else never */
    int timer;         /* the descriptor, -1 before there is one */
    epoll_data_t mark; /* what epoll_wait reports for it */
};

/* Of the instance that is being driven; none while nobody asks for it. */
inline asio_system *asio_system_current()
{
    return reinterpret_cast<asio_system *>(answer_current);
}

/* Whether the timer's descriptor is. */
inline bool asio_is_ready(const asio_system &system)
{
    return system.is_set && system.alarm <= system.now;
}

inline void asio_count_call()
{
    if (answer_current && answer_current->work)
        answer_current->work->system_calls++;
}

inline int asio_timerfd_create(int clock, int flags)
{
    int timer = timerfd_create(clock, flags);
    if (answer_current)
        asio_system_current()->timer = timer;
    return timer;
}

inline int asio_epoll_ctl(int epoll, int operation, int fd, epoll_event *event)
{
    asio_system *system = asio_system_current();
    if (system && operation == EPOLL_CTL_ADD && fd == system->timer)
        system->mark = event->data;
    asio_count_call();
    return epoll_ctl(epoll, operation, fd, event);
}

/* A delay of 0 comes as an absolute time long past. */
inline int asio_timerfd_settime(int timer, int flags, const itimerspec *to, itimerspec *before)
{
    static const itimerspec far_off = {{0, 0}, {300, 0}};
    asio_system *system = asio_system_current();
    if (!system)
        return timerfd_settime(timer, flags, to, before);
    tw_tick delay = static_cast<tw_tick>(to->it_value.tv_sec) * 1000000u +
                    static_cast<tw_tick>(to->it_value.tv_nsec) / 1000u;
    system->alarm = system->now + (flags == 0 ? delay : 0);
    system->is_set = system->alarm >= system->now;
    if (system->answer.is_alone)
        return 0;
    asio_count_call();
    return timerfd_settime(timer, 0, &far_off, before);
}

inline int asio_epoll_wait(int epoll, epoll_event *events, int count, int timeout_ms)
{
    asio_system *system = asio_system_current();
    int ready = 0;
    if (!system || !system->answer.is_alone) {
        asio_count_call();
        ready = epoll_wait(epoll, events, count, timeout_ms);
    }
    if (system && asio_is_ready(*system) && ready >= 0 && ready < count) {
        events[ready].events = EPOLLIN;
        events[ready++].data = system->mark;
    }
    return ready;
}

#define timerfd_create  asio_timerfd_create
#define timerfd_settime asio_timerfd_settime
#define epoll_ctl       asio_epoll_ctl
#define epoll_wait      asio_epoll_wait

#endif
