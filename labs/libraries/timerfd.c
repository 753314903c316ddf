/*
 * timerfd.c - a timerfd for each task, heard of through one epoll: the operating system's timer as a
 * file (Linux; fs/timerfd.c over kernel/time/hrtimer.c, a red-black tree of expiries for each core).
 *
 *     START      timerfd_settime, absolute; keep=0: timerfd_create and epoll_ctl before it
 *     STOP       timerfd_settime of 0; keep=0: close
 *     PER TICK   timerfd_settime of the fence, and epoll_wait until it has expired
 *     EXPIRY     an event of epoll_wait, up to 64 of a call; keep=0: close
 *
 * Edge-triggered, so that an expiry need not be read: to arm a timerfd again wipes its count.  An event
 * of a timer that was stopped before it was heard of is dropped by the kernel.
 *
 * Limits: a file descriptor each, so RLIMIT_NOFILE ends it; open raises the soft limit to the hard one
 * and leaves it there.  20 bytes a timer are kept here; what the kernel takes is in labs/libraries/docs/LIBRARIES.md.
 */
#include <stdint.h>

struct kernel {
    int *files; /* -1: none */
    int fence, epoll;
    uint64_t files_max; /* RLIMIT_NOFILE */
};

#include "kernel_timers.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

static int *object_file(const struct tw_timers *timers, tw_id id)
{
    return id == FENCE ? (int *)(uintptr_t)&timers->kernel.fence : &timers->kernel.files[id];
}

static int object_open_all(struct tw_timers *timers, struct tw_error *error)
{
    struct kernel *kernel = &timers->kernel;
    kernel->files_max = kernel_limit(RLIMIT_NOFILE);
    if (timers->keep && timers->capacity >= kernel->files_max) {
        object_explain(timers, 0, EMFILE, error);
        return TW_REFUSED_FULL;
    }
    kernel->fence = -1;
    kernel->files = malloc(timers->capacity * sizeof *kernel->files);
    if (!kernel->files)
        return params_no_memory(error, timers->capacity * sizeof *kernel->files);
    for (tw_id id = 0; id < timers->capacity; id++)
        kernel->files[id] = -1;
    kernel->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (kernel->epoll < 0) {
        object_explain(timers, 0, errno, error);
        free(kernel->files);
        return TW_REFUSED_FULL;
    }
    return TW_OK;
}

static void object_close_all(struct tw_timers *timers)
{
    close(timers->kernel.epoll);
    free(timers->kernel.files);
}

static bool object_exists(const struct tw_timers *timers, tw_id id)
{
    return *object_file(timers, id) >= 0;
}

static bool object_create(struct tw_timers *timers, tw_id id)
{
    int file = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = id};
    TW_COUNT(timers, system_calls, 2);
    if (file < 0)
        return false;
    if (epoll_ctl(timers->kernel.epoll, EPOLL_CTL_ADD, file, &event) != 0) {
        int why = errno;
        close(file);
        errno = why;
        return false;
    }
    *object_file(timers, id) = file;
    return true;
}

/* Closing takes it out of the epoll. */
static void object_destroy(struct tw_timers *timers, tw_id id)
{
    TW_COUNT(timers, system_calls, 1);
    close(*object_file(timers, id));
    *object_file(timers, id) = -1;
}

static void object_arm(struct tw_timers *timers, tw_id id, uint64_t at_ns)
{
    struct itimerspec spec = kernel_spec(at_ns);
    TW_COUNT(timers, system_calls, 1);
    timerfd_settime(*object_file(timers, id), TFD_TIMER_ABSTIME, &spec, NULL);
}

static bool object_is_armed(const struct tw_timers *timers, tw_id id)
{
    struct itimerspec left;
    return timerfd_gettime(*object_file(timers, id), &left) == 0 &&
           (left.it_value.tv_sec != 0 || left.it_value.tv_nsec != 0);
}

static uint32_t object_hear(struct tw_timers *timers, tw_id ids[HEARD])
{
    struct epoll_event events[HEARD];
    int count = epoll_wait(timers->kernel.epoll, events, HEARD, -1);
    TW_COUNT(timers, system_calls, 1);
    for (int i = 0; i < count; i++)
        ids[i] = events[i].data.u32;
    return count > 0 ? (uint32_t)count : 0; /* less than 0: a signal of the program's came first */
}

static void object_explain(const struct tw_timers *timers, uint32_t created, int error_number,
                           struct tw_error *error)
{
    const char *limit = "is all that the kernel has memory for";
    if (error_number == ENFILE)
        limit = "is all that /proc/sys/fs/file-max lets the system have";
    if (error_number == ENOSPC)
        limit = "is all that /proc/sys/fs/epoll/max_user_watches lets the user have";
    if (error_number == EMFILE)
        snprintf(error->text, sizeof error->text,
                 "%u timers need a file descriptor each, and RLIMIT_NOFILE is %llu (ulimit -Hn)",
                 timers->capacity, (unsigned long long)timers->kernel.files_max);
    else
        snprintf(error->text, sizeof error->text, "%u timers of %u: %s (%s)", created,
                 timers->capacity, limit, strerror(error_number));
}

static struct tw_footprint timerfd_footprint(const struct tw_timers *timers)
{
    return kernel_footprint_of(timers, sizeof *timers->kernel.files);
}

const struct tw_backend TW_BACKEND(timerfd) = {
    .abi_version = TW_ABI_VERSION,
    .name = "timerfd",
    .summary = "a timerfd of the kernel for each task, heard of through epoll; on the real clock",
    .footprint = timerfd_footprint,
    KERNEL_HOOKS,
};
