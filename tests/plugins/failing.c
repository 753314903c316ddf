/*
 * failing.c - the skeleton, with one kind of harm, which the environment variable FAILING names.
 *
 * tests/cli/plugins_failing.bats says what twbench makes of each.  All of it can happen to code that means
 * well.
 */
#include "wrong.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum when { NEVER, LOAD, START, ADVANCE, DESCRIBE, FOOTPRINT, WORK, CLOSE };

static struct tw_work counts = {.comparisons = 1000};

/* What several kinds share. */
static inline void sleep_for_ever(void)
{
    for (;;)
        pause();
}

/* A child that stays. */
static inline void fork_one(void)
{
    if (fork() == 0) {
        prctl(PR_SET_NAME, getenv("FAILING_NAME"));
        sleep_for_ever();
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

/* NAME, when, what.  `out` is the description that DESCRIBE is to fill. */
#define KINDS(KIND)                                                                                \
    KIND(harmless, NEVER, )                                                                        \
    KIND(exits_0, ADVANCE, _exit(0))                                                               \
    KIND(exits_at_exit, START, {                                                                   \
        atexit(leave_quietly);                                                                     \
        exit(1);                                                                                   \
    })                                                                                             \
    KIND(aborts, ADVANCE, abort())                                                                 \
    KIND(kills_itself, START, raise(SIGKILL))                                                      \
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
    KIND(later_prints, LOAD, {                                                                     \
        if (is_later())                                                                            \
            puts("forged");                                                                        \
    })                                                                                             \
    KIND(loads_allocating, LOAD, take_all_memory())                                                \
    KIND(loads_recursing, LOAD, recurse(0))                                                        \
    KIND(settings_5, DESCRIBE, out->setting_count = 5)                                             \
    KIND(settings_behind, DESCRIBE, out->settings[5].count = 1)                                    \
    KIND(name_null, DESCRIBE, out->settings[0].name = NULL)                                        \
    KIND(name_wild, DESCRIBE, out->settings[0].name = (char *)8)                                   \
    KIND(values_0, DESCRIBE, out->settings[0].count = 0)                                           \
    KIND(span_0, DESCRIBE, out->span = 0)                                                          \
    KIND(footprint_wild, FOOTPRINT, )                                                              \
    KIND(work_back, WORK, counts.comparisons--)                                                    \
    KIND(spins, ADVANCE, spin_if(1))                                                               \
    KIND(sleeps, ADVANCE, sleep_for_ever())                                                        \
    KIND(recurses, ADVANCE, recurse(0))                                                            \
    KIND(scribbles_0, CLOSE, scribble_mappings(0))                                                 \
    KIND(scribbles_255, ADVANCE, scribble_mappings(255))                                           \
    KIND(scribbles_and_exits, CLOSE, {                                                             \
        scribble_mappings(1);                                                                      \
        _exit(0);                                                                                  \
    })                                                                                             \
    KIND(prints, ADVANCE, {                                                                        \
        puts("failing: the contract holds");                                                       \
        fflush(stdout);                                                                            \
    })                                                                                             \
    KIND(forks, START, fork_one())

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

/* Which one it is.  Looked up each time: conform names what is written at file scope, before other rules. */
static const struct kind *kind_of(void)
{
    const struct kind *found = NULL;
    const char *name = getenv("FAILING");
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

static void failing(enum when when, struct tw_timers *timers, struct tw_description *out)
{
    if (is_kind_of(when))
        kind_of()->function(timers, out);
}

static pthread_key_t done; /* a variable of the thread that conform does not compare */

/* In functions that are called so often that what takes long is done but once. */
static void failing_once(enum when when, struct tw_timers *timers)
{
    if (is_kind_of(when) && !pthread_getspecific(done) && pthread_setspecific(done, &done) == 0)
        failing(when, timers, NULL);
}

__attribute__((constructor)) static void at_load(void)
{
    pthread_key_create(&done, NULL);
    failing(LOAD, NULL, NULL);
}

static void failing_close(struct tw_timers *timers)
{
    failing(CLOSE, timers, NULL);
    skeleton_close(timers);
}

static int failing_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    failing_once(START, timers);
    return skeleton_start(timers, id, deadline);
}

static void failing_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    failing_once(ADVANCE, timers);
    failing(WORK, timers, NULL);
    skeleton_advance(timers, to, expire, ctx);
}

static void failing_describe(const struct tw_timers *timers, struct tw_description *out)
{
    skeleton_describe(timers, out);
    failing(DESCRIBE, NULL, out);
}

static struct tw_footprint failing_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = skeleton_footprint(timers);
    if (is_kind_of(FOOTPRINT))
        footprint.fixed_bytes = UINT64_MAX;
    return footprint;
}

static const struct tw_work *failing_work(const struct tw_timers *timers)
{
    (void)timers;
    return is_kind_of(WORK) ? &counts : NULL;
}

WRONG("failing", .close = failing_close, .start = failing_start, .advance = failing_advance,
      .describe = failing_describe, .footprint = failing_footprint, .work = failing_work);
