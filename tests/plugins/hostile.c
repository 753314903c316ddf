/*
 * hostile.c - the skeleton, with one kind of harm, which the environment variable HOSTILE names.
 *
 * tests/cli/plugins_hostile.bats says what twbench makes of each.  What is missing: unmapping the harness's memory, or
 * overwriting it where it lies on the stack, ends the child like any crash, and nothing more can be said of it.
 */
#include "wrong.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum when { NEVER, LOAD, UNLOAD, OPEN, START, ADVANCE, AFTER, DESCRIBE, FOOTPRINT, WORK, CLOSE };

static jmp_buf back;
static struct tw_work counts = {.comparisons = 1000};
static int leave; /* what the destructor does; 0: nothing */

/* What several kinds share. */
static inline void sleep_for_ever(void)
{
    for (;;)
        pause();
}

static inline void *sleep_in_thread(void *unused)
{
    sleep_for_ever();
    return unused;
}

/* Garbage into every file that is open, and then no file is. */
static inline void scribble_files(void)
{
    for (int fd = 0; fd < 1024; fd++) {
        (void)!write(fd, "{\"verdict\": \"ok\"}\n", 18);
        lseek(fd, 0, SEEK_SET);
        (void)!write(fd, "garbage", 7);
        close(fd);
    }
}

/* Children and their children, which outlive everybody unless somebody ends them.  Each has the name that the test gives. */
static inline void fork_tree(int depth, int with_session)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            if (with_session)
                setsid();
            prctl(PR_SET_NAME, getenv("HOSTILE_NAME"));
            signal(SIGTERM, SIG_IGN);
            if (depth > 1)
                fork_tree(depth - 1, with_session);
            for (;;)
                pause();
        }
}

/* In every shared mapping that can be written, as much as is there. */
static inline void scribble_mappings(int byte)
{
    char line[400];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) == 3 && mode[1] == 'w' && mode[3] == 's')
            memset((void *)from, byte, to - from);
    }
    if (maps)
        fclose(maps);
}

/* False the first time that it is asked in this directory: a plugin that behaves while it is tried. */
static inline int is_later(void)
{
    int fd = open("seen", O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return 1;
    close(fd);
    return 0;
}

static inline void scribble_once(const void *timers)
{
    static int count;
    if (timers && count++ == 0)
        scribble_mappings(0);
}

static void leave_quietly(void)
{
    _exit(0);
}

static inline int recurse(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    return recurse(depth + 1) + frame[0];
}

static inline void take_all_memory(void)
{
    while (malloc((size_t)1 << 26))
        continue;
    abort();
}

static inline void spin_if(int wanted)
{
    while (wanted)
        __asm__ volatile("");
}

static inline void set_alarm(int microseconds)
{
    struct itimerval timer = {{0, 0}, {microseconds / 1000000, microseconds % 1000000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static inline void limit(int resource, int value)
{
    struct rlimit limit = {(rlim_t)value, (rlim_t)value + 9};
    setrlimit(resource, &limit);
}

static inline void block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static inline void ignore_it(int number)
{
    (void)number;
}

static inline void handle_signals(void)
{
    for (int number = 1; number < 32; number++)
        signal(number, ignore_it);
}

static inline void fill_disk(void)
{
    int fd = open("big", O_WRONLY | O_CREAT, 0600);
    unlink("big");
    (void)!ftruncate(fd, (off_t)1 << 40);
}

static inline void start_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_in_thread, NULL);
}

static inline void fill_settings(struct tw_description *out, size_t count)
{
    for (size_t i = 1; i < count; i++)
        out->settings[i] = out->settings[0];
    out->setting_count = count;
}

static inline const char *long_name(void)
{
    static char name[100000];
    memset(name, 'a', sizeof name - 1);
    return name;
}

/* NAME, when, what.  `out` is the description that DESCRIBE is to fill. */
#define KINDS(KIND)                                                                                \
    KIND(harmless, NEVER, )                                                                        \
    /* Processes that end. */                                                                      \
    KIND(exits_0, ADVANCE, _exit(0))                                                               \
    KIND(exits_raw, CLOSE, syscall(SYS_exit_group, 0))                                             \
    KIND(exits_at_exit, START, {                                                                   \
        atexit(leave_quietly);                                                                     \
        exit(1);                                                                                   \
    })                                                                                             \
    KIND(exits_7, OPEN, quick_exit(7))                                                             \
    KIND(main_thread_exits, ADVANCE, syscall(SYS_exit, 0))                                         \
    KIND(aborts, ADVANCE, abort())                                                                 \
    KIND(kills_itself, START, raise(SIGKILL))                                                      \
    /* Constructors and destructors. */                                                            \
    KIND(later_exits, LOAD, {                                                                      \
        if (is_later())                                                                            \
            _exit(0);                                                                              \
    })                                                                                             \
    KIND(later_aborts, LOAD, {                                                                     \
        if (is_later())                                                                            \
            abort();                                                                               \
    })                                                                                             \
    KIND(later_hangs, LOAD, {                                                                      \
        if (is_later())                                                                            \
            sleep_for_ever();                                                                      \
    })                                                                                             \
    KIND(later_allocates, LOAD, {                                                                  \
        if (is_later())                                                                            \
            take_all_memory();                                                                     \
    })                                                                                             \
    KIND(later_alarm, LOAD, {                                                                      \
        if (is_later()) {                                                                          \
            set_alarm(1);                                                                          \
            spin_if(1);                                                                            \
        }                                                                                          \
    })                                                                                             \
    KIND(later_prints, LOAD, {                                                                     \
        if (is_later())                                                                            \
            puts("forged");                                                                        \
    })                                                                                             \
    KIND(last_prints, UNLOAD, {                                                                    \
        puts("{\"forged\": 1}");                                                                   \
        fflush(stdout);                                                                            \
    })                                                                                             \
    KIND(last_writes, UNLOAD, write(1, "forged\n", 7))                                             \
    KIND(loads_allocating, LOAD, take_all_memory())                                                \
    KIND(unloads_allocating, UNLOAD, take_all_memory())                                            \
    KIND(loads_filling, LOAD, fill_disk())                                                         \
    KIND(loads_alarm, LOAD, alarm(1))                                                              \
    KIND(loads_itimer, LOAD, set_alarm(9000000))                                                   \
    KIND(loads_forking, LOAD, fork_tree(1, 1))                                                     \
    KIND(unloads_forking, UNLOAD, fork_tree(1, 1))                                                 \
    KIND(loads_recursing, LOAD, recurse(0))                                                        \
    KIND(loads_limiting, LOAD, limit(RLIMIT_NOFILE, 64))                                           \
    KIND(loads_blocking, LOAD, block_signals())                                                    \
    KIND(loads_sigchld, LOAD, signal(SIGCHLD, SIG_IGN))                                            \
    /* A wrong design with a destructor that would hide it. */                                     \
    KIND(wrong_exits, AFTER, leave = 1)                                                            \
    KIND(wrong_dies, AFTER, leave = 2)                                                             \
    KIND(wrong_hangs, AFTER, leave = 3)                                                            \
    KIND(wrong_prints, AFTER, leave = 4)                                                           \
    /* Answers. */                                                                                 \
    KIND(settings_5, DESCRIBE, out->setting_count = 5)                                             \
    KIND(settings_million, DESCRIBE, out->setting_count = 1000000)                                 \
    KIND(settings_behind, DESCRIBE, out->settings[5].count = 1)                                    \
    KIND(settings_40, DESCRIBE, fill_settings(out, 40))                                            \
    KIND(name_null, DESCRIBE, out->settings[0].name = NULL)                                        \
    KIND(name_terminal, DESCRIBE, out->settings[0].name = "\033[2J")                               \
    KIND(name_long, DESCRIBE, out->settings[0].name = long_name())                                 \
    KIND(name_other, DESCRIBE, out->settings[0].name = "other")                                    \
    KIND(name_wild, DESCRIBE, out->settings[0].name = (char *)8)                                   \
    KIND(values_17, DESCRIBE, out->settings[0].count = 17)                                         \
    KIND(values_0, DESCRIBE, out->settings[0].count = 0)                                           \
    KIND(span_0, DESCRIBE, out->span = 0)                                                          \
    KIND(footprint_wild, FOOTPRINT, )                                                              \
    KIND(work_back, WORK, counts.comparisons--)                                                    \
    /* Signals, alarms, limits. */                                                                 \
    KIND(stops, ADVANCE, raise(SIGSTOP))                                                           \
    KIND(stops_group, START, kill(0, SIGSTOP))                                                     \
    KIND(is_traced, ADVANCE, {                                                                     \
        ptrace(PTRACE_TRACEME, 0, 0, 0);                                                           \
        raise(SIGTRAP);                                                                            \
    })                                                                                             \
    KIND(thread_outlives_main, ADVANCE, {                                                          \
        start_thread();                                                                            \
        syscall(SYS_exit, 0);                                                                      \
    })                                                                                             \
    KIND(spins, ADVANCE, spin_if(1))                                                               \
    KIND(itimer, ADVANCE, {                                                                        \
        set_alarm(1000);                                                                           \
        spin_if(1);                                                                                \
    })                                                                                             \
    KIND(no_time, ADVANCE, {                                                                       \
        limit(RLIMIT_CPU, 0);                                                                      \
        spin_if(1);                                                                                \
    })                                                                                             \
    KIND(recurses, ADVANCE, recurse(0))                                                            \
    KIND(ignores_sigchld, START, signal(SIGCHLD, SIG_IGN))                                         \
    KIND(handles_signals, START, handle_signals())                                                 \
    KIND(outlives_parent, ADVANCE, prctl(PR_SET_PDEATHSIG, SIGCONT))                               \
    /* Other processes. */                                                                         \
    KIND(kills_parent, START, kill(getppid(), SIGKILL))                                            \
    KIND(kills_thread, START, syscall(SYS_tgkill, getppid(), getppid(), SIGKILL))                  \
    KIND(kills_by_file, START, syscall(SYS_pidfd_send_signal, 0, SIGKILL, NULL, 0))                \
    KIND(limits_parent, START, {                                                                   \
        const struct rlimit none = {0, 0};                                                         \
        prlimit(getppid(), RLIMIT_CPU, &none, NULL);                                               \
    })                                                                                             \
    KIND(traces_parent, ADVANCE, ptrace(PTRACE_SEIZE, getppid(), 0, 0))                            \
    KIND(owns_parent, START, fcntl(0, F_SETOWN, getppid()))                                        \
    KIND(joins_parent, START, setpgid(0, getpgid(getppid())))                                      \
    KIND(loads_killing, LOAD, kill(getppid(), SIGKILL))                                            \
    /* Memory, files, stack. */                                                                    \
    KIND(closes_all, ADVANCE, close_range(0, ~0u, 0))                                              \
    KIND(scribbles_files, START, scribble_files())                                                 \
    KIND(scribbles_0, CLOSE, scribble_mappings(0))                                                 \
    KIND(scribbles_1, CLOSE, scribble_mappings(1))                                                 \
    KIND(scribbles_255, ADVANCE, scribble_mappings(255))                                           \
    KIND(scribbles_and_exits, CLOSE, {                                                             \
        scribble_mappings(1);                                                                      \
        _exit(0);                                                                                  \
    })                                                                                             \
    KIND(scribbles_255_and_exits, ADVANCE, {                                                       \
        scribble_mappings(255);                                                                    \
        _exit(0);                                                                                  \
    })                                                                                             \
    KIND(wrong_scribbles, AFTER, scribble_once(timers))                                            \
    KIND(prints_verdict, ADVANCE, {                                                                \
        puts("hostile: the contract holds");                                                       \
        fflush(stdout);                                                                            \
    })                                                                                             \
    KIND(jumps_out, ADVANCE, longjmp(back, 1))                                                     \
    KIND(leaves_thread, CLOSE, start_thread())                                                     \
    /* Processes that stay. */                                                                     \
    KIND(forks, START, fork_tree(2, 0))                                                            \
    KIND(forks_sessions, START, fork_tree(2, 1))                                                   \
    KIND(forks_and_exits, ADVANCE, {                                                               \
        fork_tree(2, 1);                                                                           \
        usleep(10000);                                                                             \
        _exit(0);                                                                                  \
    })

#define FUNCTION(name, when, ...)                                                                  \
    static void do_##name(struct tw_timers *timers, struct tw_description *out)                    \
    {                                                                                              \
        (void)timers;                                                                              \
        (void)out;                                                                                 \
        __VA_ARGS__;                                                                               \
    }
KINDS(FUNCTION)

static const struct kind {
    const char *name;
    enum when when;
    void (*function)(struct tw_timers *timers, struct tw_description *out);
} kinds[] = {
#define ROW(name, when, ...) {#name, when, do_##name},
    KINDS(ROW)};

/* Which one it is, looked up once. */
static const struct kind *kind_of(void)
{
    static const struct kind *found;
    const char *name = getenv("HOSTILE");
    for (size_t i = 0; !found && i < sizeof kinds / sizeof kinds[0]; i++)
        if (name && strcmp(kinds[i].name, name) == 0)
            found = &kinds[i];
    if (!found)
        abort();
    return found;
}

static int is_kind_of(enum when when)
{
    return kind_of()->when == when;
}

static void hostile(enum when when, struct tw_timers *timers, struct tw_description *out)
{
    if (is_kind_of(when))
        kind_of()->function(timers, out);
}

/* In functions that are called so often that what takes long is done but once. */
static void hostile_once(enum when when, struct tw_timers *timers)
{
    static int done;
    if (is_kind_of(when) && !done++)
        hostile(when, timers, NULL);
}

__attribute__((constructor)) static void at_load(void)
{
    hostile(LOAD, NULL, NULL);
    hostile(AFTER, NULL, NULL);
}

__attribute__((destructor)) static void at_unload(void)
{
    hostile(UNLOAD, NULL, NULL);
    if (leave == 0 || !is_later())
        return;
    if (leave == 1)
        _exit(0);
    if (leave == 2)
        raise(SIGKILL);
    if (leave == 3)
        sleep_for_ever();
    puts("hostile: the contract holds");
}

static int hostile_open(struct tw_timers **out, const struct tw_config *config,
                        struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    hostile(OPEN, NULL, NULL);
    return status;
}

static void hostile_close(struct tw_timers *timers)
{
    hostile(CLOSE, timers, NULL);
    skeleton_close(timers);
}

static int hostile_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    hostile_once(START, timers);
    return skeleton_start(timers, id, deadline);
}

static void hostile_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (setjmp(back))
        return;
    hostile_once(ADVANCE, timers);
    hostile(WORK, timers, NULL);
    skeleton_advance(timers, to, expire, ctx);
    if (is_kind_of(AFTER)) {
        expire(ctx, 0, to);
        hostile(AFTER, timers, NULL);
    }
}

static void hostile_describe(const struct tw_timers *timers, struct tw_description *out)
{
    skeleton_describe(timers, out);
    hostile(DESCRIBE, NULL, out);
}

static struct tw_footprint hostile_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = skeleton_footprint(timers);
    if (is_kind_of(FOOTPRINT))
        footprint.fixed_bytes = UINT64_MAX;
    return footprint;
}

static const struct tw_work *hostile_work(const struct tw_timers *timers)
{
    (void)timers;
    return is_kind_of(WORK) ? &counts : NULL;
}

WRONG("hostile", .open = hostile_open, .close = hostile_close, .start = hostile_start,
      .advance = hostile_advance, .describe = hostile_describe, .footprint = hostile_footprint,
      .work = hostile_work);
