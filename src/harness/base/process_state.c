/* process_state.c - reads what a process has beside memory of its own, and tells what changed. */
#include "harness/base/process_state.h"

#include "harness/base/libc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <inttypes.h>
#include <locale.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static const char *const names[PROCESS_STATES] = {
    [SIGNAL_HANDLERS] = "signal handlers",
    [SIGNAL_MASK] = "blocked signals",
    [AFFINITY] = "affinity",
    [NICENESS] = "niceness or scheduler",
    [LIMITS] = "resource limits",
    [ALARMS] = "interval timers",
    [ENVIRONMENT] = "environment or locale",
    [DIRECTORY] = "working directory",
    [FILE_MASK] = "mask of new files",
    [ROUNDING] = "rounding of floating point",
    [DESCRIPTORS] = "number of open descriptors",
    [THREADS] = "number of threads",
    [LOCKED] = "locked memory",
    [MAPPED] = "mapped memory",
    [ALLOCATED] = "memory of the C library",
};

static uint64_t hash_add(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_add(hash, text, strlen(text) + 1);
}

static uint64_t hash_handlers(void)
{
    uint64_t hash = 0;
    struct sigaction action;
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &action) == 0)
            hash = hash_add(hash, &action.sa_handler, sizeof action.sa_handler);
    return hash;
}

static uint64_t hash_limits(void)
{
    uint64_t hash = 0;
    struct rlimit limit;
    for (int which = 0; which < RLIM_NLIMITS; which++)
        if (getrlimit((__rlimit_resource_t)which, &limit) == 0)
            hash = hash_add(hash, &limit, sizeof limit);
    return hash;
}

static uint64_t hash_alarms(void)
{
    uint64_t hash = 0;
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        struct itimerval timer = {0};
        getitimer((__itimer_which_t)which, &timer);
        bool runs = timer.it_value.tv_sec > 0 || timer.it_value.tv_usec > 0;
        hash = hash * 2 + runs;
    }
    return hash;
}

static uint64_t count_descriptors(void)
{
    uint64_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static void read_status(uint64_t values[PROCESS_STATES])
{
    char line[160];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "Threads: %" SCNu64, &values[THREADS]);
        sscanf(line, "VmLck: %" SCNu64, &values[LOCKED]);
        sscanf(line, "VmSize: %" SCNu64, &values[MAPPED]);
    }
    if (file)
        fclose(file);
}

/* What this thread has taken of the C library and not given back: jemalloc's two counters, or glibc's. */
static uint64_t bytes_allocated(void)
{
    typedef int control(const char *, void *, size_t *, void *, size_t);
    void *address = dlsym(RTLD_DEFAULT, "mallctl");
    control *mallctl;
    memcpy(&mallctl, &address, sizeof mallctl); /* as POSIX has it, and ISO C has not */
    uint64_t taken = 0, given = 0;
    size_t size = sizeof taken;
    if (!address)
        return (uint64_t)mallinfo2().uordblks;
    mallctl("thread.allocated", &taken, &size, NULL, 0);
    mallctl("thread.deallocated", &given, &size, NULL, 0);
    return taken - given;
}

void process_state_take(struct process_state *now)
{
    uint64_t *values = now->values;
    extern char **environ;
    sigset_t mask;
    cpu_set_t set;
    char path[4096] = "";
    memset(now, 0, sizeof *now);
    CPU_ZERO(&set);
    memset(&mask, 0, sizeof mask); /* the C library fills only a part */
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    sched_getaffinity(0, sizeof set, &set);
    values[ALLOCATED] = bytes_allocated();
    values[SIGNAL_HANDLERS] = hash_handlers();
    values[SIGNAL_MASK] = hash_add(0, &mask, sizeof mask);
    values[AFFINITY] = hash_add(0, &set, sizeof set);
    values[NICENESS] = (uint64_t)(getpriority(PRIO_PROCESS, 0) + 64 * sched_getscheduler(0));
    values[LIMITS] = hash_limits();
    values[ALARMS] = hash_alarms();
    values[ENVIRONMENT] = hash_text(0, setlocale(LC_ALL, NULL));
    for (char **at = environ; at && *at; at++)
        values[ENVIRONMENT] = hash_text(values[ENVIRONMENT], *at);
    values[DIRECTORY] = hash_text(0, getcwd(path, sizeof path) ? path : "");
    values[FILE_MASK] = umask(0);
    umask((mode_t)values[FILE_MASK]);
    values[ROUNDING] = (uint64_t)fegetround();
    values[DESCRIPTORS] = count_descriptors();
    read_status(values);
}

const char *process_state_name(enum process_part part)
{
    return names[part];
}

bool process_state_changed(const struct process_state *before, const struct process_state *now,
                           bool is_open, char out[PROCESS_STATE_TEXT])
{
    for (size_t i = 0; i < (is_open ? THREADS : MAPPED); i++) {
        /* A library may open some for good at its first use. */
        bool is_more = i == DESCRIPTORS && now->values[i] > before->values[i];
        if (before->values[i] == now->values[i] || is_more)
            continue;
        snprintf(out, PROCESS_STATE_TEXT, "the design changes the %s of its process", names[i]);
        return true;
    }
    return false;
}
