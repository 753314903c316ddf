/*
 * posix_timer.c - a POSIX timer for each task (timer_create), heard of through one signalfd: the
 * operating system's timer as a signal (Linux; kernel/time/posix-timers.c over hrtimer.c, a red-black
 * tree of expiries for each core).
 *
 *     START      timer_settime, absolute; keep=0: timer_create before it
 *     STOP       timer_settime of 0; keep=0: timer_delete
 *     PER TICK   timer_settime of the fence, and read from the signalfd until it has expired
 *     EXPIRY     a queued signal, up to 64 of a read; keep=0: timer_delete
 *
 * All timers of an instance share one realtime signal, whose value is the id: it is blocked, and so
 * queued, and a read takes 64 from the queue where sigtimedwait would take one.  A thread that is
 * started for each expiry (SIGEV_THREAD) would cost far more.  Which signals are taken is in the
 * thread's own mask: an instance takes the first realtime signal that is not blocked yet.  The signal
 * goes to the thread that opened, so that it never meets a thread that does not block it; this thread
 * has to drive.
 *
 * Limits: a queued signal is put aside for each timer, so RLIMIT_SIGPENDING ends it, which all programs
 * of a user share; open raises the soft limit to the hard one and leaves it there.  24 bytes a timer
 * are kept here; what the kernel takes is in labs/libraries/docs/LIBRARIES.md.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct kernel {
    timer_t *objects;
    bool *made;
    timer_t fence;
    bool fence_made;
    int number;         /* of the signal */
    int file;           /* the signalfd */
    uint64_t queue_max; /* RLIMIT_SIGPENDING */
};

#include "kernel_timers.h"

#include <sys/signalfd.h>

static timer_t *object_timer(struct tw_timers *timers, tw_id id)
{
    return id == FENCE ? &timers->kernel.fence : &timers->kernel.objects[id];
}

static bool *object_made(struct tw_timers *timers, tw_id id)
{
    return id == FENCE ? &timers->kernel.fence_made : &timers->kernel.made[id];
}

static bool object_exists(const struct tw_timers *timers, tw_id id)
{
    return id == FENCE ? timers->kernel.fence_made : timers->kernel.made[id];
}

/* A realtime signal that nobody in this thread has taken; 0: none is left. */
static int signal_take(void)
{
    sigset_t set;
    if (pthread_sigmask(SIG_BLOCK, NULL, &set) != 0)
        return 0;
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        if (sigismember(&set, number) == 0)
            return number;
    return 0;
}

static sigset_t signal_set(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

static void kernel_release(struct kernel *kernel)
{
    free(kernel->objects);
    free(kernel->made);
}

static int object_open_all(struct tw_timers *timers, struct tw_error *error)
{
    struct kernel *kernel = &timers->kernel;
    kernel->queue_max = kernel_limit(RLIMIT_SIGPENDING);
    kernel->number = signal_take();
    if (timers->keep && timers->capacity >= kernel->queue_max) {
        object_explain(timers, 0, EAGAIN, error);
        return TW_REFUSED_FULL;
    }
    if (kernel->number == 0) {
        snprintf(error->text, sizeof error->text, "no realtime signal is left: %d are taken",
                 SIGRTMAX - SIGRTMIN + 1);
        return TW_REFUSED_FULL;
    }
    kernel->objects = calloc(timers->capacity, sizeof *kernel->objects);
    kernel->made = calloc(timers->capacity, sizeof *kernel->made);
    if (!kernel->objects || !kernel->made) {
        kernel_release(kernel);
        return params_no_memory(error, timers->capacity * sizeof *kernel->objects);
    }
    sigset_t set = signal_set(kernel->number);
    kernel->file = signalfd(-1, &set, SFD_CLOEXEC);
    if (kernel->file < 0) {
        snprintf(error->text, sizeof error->text, "signalfd: %s", strerror(errno));
        kernel_release(kernel);
        return TW_REFUSED_FULL;
    }
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return TW_OK;
}

/* What is still queued would end the program if it were let through. */
static void object_close_all(struct tw_timers *timers)
{
    struct kernel *kernel = &timers->kernel;
    sigset_t set = signal_set(kernel->number);
    const struct timespec at_once = {0};
    while (sigtimedwait(&set, NULL, &at_once) >= 0)
        continue;
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    close(kernel->file);
    kernel_release(kernel);
}

static bool object_create(struct tw_timers *timers, tw_id id)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = timers->kernel.number,
                             .sigev_value.sival_int = (int)id};
    event._sigev_un._tid = gettid();
    TW_COUNT(timers, system_calls, 2);
    if (timer_create(CLOCK_MONOTONIC, &event, object_timer(timers, id)) != 0)
        return false;
    *object_made(timers, id) = true;
    return true;
}

static void object_destroy(struct tw_timers *timers, tw_id id)
{
    TW_COUNT(timers, system_calls, 1);
    timer_delete(*object_timer(timers, id));
    *object_made(timers, id) = false;
}

static void object_arm(struct tw_timers *timers, tw_id id, uint64_t at_ns)
{
    struct itimerspec spec = kernel_spec(at_ns);
    TW_COUNT(timers, system_calls, 1);
    timer_settime(*object_timer(timers, id), TIMER_ABSTIME, &spec, NULL);
}

static bool object_is_armed(const struct tw_timers *timers, tw_id id)
{
    struct itimerspec left;
    return timer_gettime(timers->kernel.objects[id], &left) == 0 &&
           (left.it_value.tv_sec != 0 || left.it_value.tv_nsec != 0);
}

static uint32_t object_hear(struct tw_timers *timers, tw_id ids[HEARD])
{
    struct signalfd_siginfo signals[HEARD];
    ssize_t bytes = read(timers->kernel.file, signals, sizeof signals);
    TW_COUNT(timers, system_calls, 1);
    if (bytes < 0)
        return 0; /* another signal of the program's came first */
    uint32_t count = (uint32_t)((size_t)bytes / sizeof *signals);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = (tw_id)signals[i].ssi_int;
    return count;
}

static void object_explain(const struct tw_timers *timers, uint32_t created, int error_number,
                           struct tw_error *error)
{
    if (error_number == EAGAIN)
        snprintf(
            error->text, sizeof error->text,
            "%u timers need a queued signal each, and RLIMIT_SIGPENDING is %llu (ulimit -Hi) for "
            "all programs of the user",
            timers->capacity, (unsigned long long)timers->kernel.queue_max);
    else
        snprintf(error->text, sizeof error->text,
                 "%u timers of %u are all that the kernel gives (%s)", created, timers->capacity,
                 strerror(error_number));
}

static struct tw_footprint posix_timer_footprint(const struct tw_timers *timers)
{
    return kernel_footprint_of(timers,
                               sizeof *timers->kernel.objects + sizeof *timers->kernel.made);
}

const struct tw_backend TW_BACKEND(posix_timer) = {
    .abi_version = TW_ABI_VERSION,
    .name = "posix-timer",
    .summary = "a POSIX timer for each task, heard of through a queued signal; on the real clock",
    .footprint = posix_timer_footprint,
    KERNEL_HOOKS,
};
