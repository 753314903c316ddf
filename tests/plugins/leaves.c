/*
 * leaves.c - the skeleton, of which one function leaves something in its process.
 *
 * The environment variable LEAVES has both: "start thread".  tests/cli/plugins_leaving.bats names all that there are.
 * "start-late" is the 300th start of a process, "refusal" an open that refuses.
 */
#include "wrong.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void *sleep_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *return_at_once(void *unused)
{
    return unused;
}

static inline void leave_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_for_ever, NULL);
}

/* Which is no fault. */
static inline void join_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, return_at_once, NULL) == 0)
        pthread_join(thread, NULL);
}

static inline void leave_timer(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
}

static inline void leave_itimer(void)
{
    struct itimerval timer = {.it_value = {.tv_sec = 1000}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static inline void leave_mask(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static inline void leave_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 100;
    setrlimit(RLIMIT_NOFILE, &limit);
}

#define KINDS(KIND)                                                                                \
    KIND(nothing, )                                                                                \
    KIND(joined, join_thread())                                                                    \
    KIND(thread, leave_thread())                                                                   \
    KIND(file, (void)!open("/dev/null", O_RDONLY))                                                 \
    KIND(replaced, dup2(0, 2))                                                                     \
    KIND(closed, close(0))                                                                         \
    KIND(handler, signal(SIGUSR1, SIG_IGN))                                                        \
    KIND(mask, leave_mask())                                                                       \
    KIND(directory, (void)!chdir("/"))                                                             \
    KIND(rounding, fesetround(FE_UPWARD))                                                          \
    KIND(locale, setlocale(LC_ALL, "C.UTF-8"))                                                     \
    KIND(environment, setenv("LEFT", "here", 1))                                                   \
    KIND(umask, umask(0123))                                                                       \
    KIND(alarm, alarm(1000))                                                                       \
    KIND(itimer, leave_itimer())                                                                   \
    KIND(timer, leave_timer())                                                                     \
    KIND(limit, leave_limit())

#define FUNCTION(name, ...)                                                                        \
    static void do_##name(void)                                                                    \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
KINDS(FUNCTION)

static const struct kind {
    const char *name;
    void (*function)(void);
} kinds[] = {
#define ROW(name, ...) {#name, do_##name},
    KINDS(ROW)};

/* Only once: a process that is full of threads ends otherwise. */
static void leave(const char *function)
{
    static int done;
    const char *both = getenv("LEAVES");
    const size_t length = strlen(function);
    if (!both)
        abort();
    if (done || strncmp(both, function, length) != 0 || both[length] != ' ')
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, both + length + 1) == 0) {
            done = 1;
            kinds[i].function();
            return;
        }
    abort();
}

static int leaving_open(struct tw_timers **out, const struct tw_config *config,
                        struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    leave(status == TW_OK ? "open" : "refusal");
    return status;
}

static void leaving_close(struct tw_timers *timers)
{
    skeleton_close(timers);
    leave("close");
}

static int leaving_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    static int calls;
    leave("start");
    if (++calls == 300)
        leave("start-late");
    return skeleton_start(timers, id, deadline);
}

static int leaving_stop(struct tw_timers *timers, tw_id id)
{
    leave("stop");
    return skeleton_stop(timers, id);
}

static void leaving_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    skeleton_advance(timers, to, expire, ctx);
    leave("advance");
}

static tw_tick leaving_next(const struct tw_timers *timers)
{
    leave("next");
    return skeleton_next(timers);
}

static void leaving_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    skeleton_visit(timers, visit, ctx);
    leave("visit");
}

static const char *leaving_check(const struct tw_timers *timers)
{
    leave("check");
    return skeleton_check(timers);
}

static struct tw_footprint leaving_footprint(const struct tw_timers *timers)
{
    leave("footprint");
    return skeleton_footprint(timers);
}

static void leaving_describe(const struct tw_timers *timers, struct tw_description *out)
{
    skeleton_describe(timers, out);
    leave("describe");
}

static const struct tw_work *leaving_work(const struct tw_timers *timers)
{
    leave("work");
    return skeleton_work(timers);
}

WRONG("leaves", .open = leaving_open, .close = leaving_close, .start = leaving_start,
      .stop = leaving_stop, .advance = leaving_advance, .next = leaving_next,
      .visit = leaving_visit, .check = leaving_check, .footprint = leaving_footprint,
      .describe = leaving_describe, .work = leaving_work);
