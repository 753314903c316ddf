/* process_state.c - reads and compares what code can change in its process. */
#include "harness/base/process_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define THREAD_END_MS 100
/* Flags that say what arithmetic has met, and no setting. */
#define MXCSR_MET 0x3fu

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (const unsigned char *at = bytes; size > 0; size--)
        hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return hash_bytes(hash, &number, sizeof number);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static size_t count_threads(void)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/task");
    if (!directory)
        return 0;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static uint64_t hash_file(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return 0;
    uint64_t hash = hash_number(hash_number((uint64_t)fd, info.st_dev), info.st_ino);
    return hash_number(hash, (uint64_t)fcntl(fd, F_GETFL));
}

static void read_files(struct process_state *state)
{
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || fd == dirfd(directory))
            continue;
        state->files++;
        state->file_hash += hash_file(fd);
    }
    closedir(directory);
}

/* Those of timer_create that exist, one line "ID: " each. */
static size_t count_created_timers(void)
{
    char line[128];
    size_t count = 0;
    FILE *file = fopen("/proc/self/timers", "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        count += strncmp(line, "ID:", 3) == 0;
    fclose(file);
    return count;
}

/* Would a signal come later? */
static size_t count_timers(void)
{
    static const __itimer_which_t kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    struct itimerval timer;
    size_t count = count_created_timers();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        count += getitimer(kinds[i], &timer) == 0 && timerisset(&timer.it_value);
    return count;
}

static uint64_t hash_actions(void)
{
    struct sigaction action;
    uint64_t hash = 0;
    for (int number = 1; number < PROCESS_SIGNALS_MAX; number++)
        if (sigaction(number, NULL, &action) == 0)
            hash = hash_number(hash_number(hash, (uintptr_t)action.sa_handler),
                               (unsigned)action.sa_flags);
    return hash;
}

static uint64_t hash_environment(void)
{
    uint64_t hash = 0;
    for (char *const *variable = environ; variable && *variable; variable++)
        hash = hash_bytes(hash, *variable, strlen(*variable) + 1);
    return hash;
}

/* That of the process, and that of the thread. */
static uint64_t hash_locale(void)
{
    const char *name = setlocale(LC_ALL, NULL);
    uint64_t hash = hash_number(0, (uintptr_t)uselocale((locale_t)0));
    return name ? hash_bytes(hash, name, strlen(name)) : hash;
}

static uint64_t hash_limits(void)
{
    struct rlimit limit;
    uint64_t hash = 0;
    for (int kind = 0; kind < RLIM_NLIMITS; kind++)
        if (getrlimit((__rlimit_resource_t)kind, &limit) == 0)
            hash = hash_number(hash_number(hash, limit.rlim_cur), limit.rlim_max);
    return hash;
}

static uint64_t float_settings(void)
{
#if defined(__x86_64__)
    fenv_t all;
    if (fegetenv(&all) == 0)
        return (uint64_t)all.__control_word << 32 | (all.__mxcsr & ~MXCSR_MET);
#endif
    return (uint64_t)fegetround();
}

void process_state_read(struct process_state *state)
{
    struct stat directory;
    *state = (struct process_state){
        .threads = count_threads(),
        .timers = count_timers(),
        .action_hash = hash_actions(),
        .environment_hash = hash_environment(),
        .locale_hash = hash_locale(),
        .limit_hash = hash_limits(),
        .float_settings = float_settings(),
        .umask = umask(077),
    };
    umask(state->umask);
    read_files(state);
    sigprocmask(SIG_BLOCK, NULL, &state->mask);
    if (stat(".", &directory) == 0) {
        state->directory_device = directory.st_dev;
        state->directory_inode = directory.st_ino;
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool masks_differ(const sigset_t *a, const sigset_t *b)
{
    for (int number = 1; number < PROCESS_SIGNALS_MAX; number++)
        if (sigismember(a, number) != sigismember(b, number))
            return true;
    return false;
}

unsigned process_state_difference(const struct process_state *before,
                                  const struct process_state *after)
{
    const bool differs[] = {
        [PROCESS_NUMBER_THREADS] = after->threads > before->threads,
        [PROCESS_NUMBER_OPENED] = after->files > before->files,
        [PROCESS_NUMBER_FILES] =
            after->files <= before->files && after->file_hash != before->file_hash,
        [PROCESS_NUMBER_TIMERS] = after->timers > before->timers,
        [PROCESS_NUMBER_SIGNALS] = before->action_hash != after->action_hash,
        [PROCESS_NUMBER_MASK] = masks_differ(&before->mask, &after->mask),
        [PROCESS_NUMBER_DIRECTORY] = before->directory_device != after->directory_device ||
                                     before->directory_inode != after->directory_inode,
        [PROCESS_NUMBER_FLOAT] = before->float_settings != after->float_settings,
        [PROCESS_NUMBER_LOCALE] = before->locale_hash != after->locale_hash,
        [PROCESS_NUMBER_ENVIRONMENT] = before->environment_hash != after->environment_hash,
        [PROCESS_NUMBER_UMASK] = before->umask != after->umask,
        [PROCESS_NUMBER_LIMITS] = before->limit_hash != after->limit_hash,
    };
    unsigned parts = 0;
    for (size_t i = 0; i < sizeof differs / sizeof differs[0]; i++)
        parts |= (unsigned)differs[i] << i;
    return parts;
}

unsigned process_state_changed_since(const struct process_state *before, unsigned ignored)
{
    struct process_state now;
    process_state_read(&now);
    bool waits = !(ignored & PROCESS_THREADS);
    for (int ms = 0; waits && now.threads > before->threads && ms < THREAD_END_MS; ms++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        now.threads = count_threads();
    }
    return process_state_difference(before, &now) & ~ignored;
}

const char *process_part_words(unsigned parts)
{
    static const char *const words[] = {
#define PROCESS_WORDS(part, words) words,
        PROCESS_PARTS(PROCESS_WORDS)
#undef PROCESS_WORDS
    };
    return words[__builtin_ctz(parts)];
}
