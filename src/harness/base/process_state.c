/* process_state.c - reads what a process has beside memory of its own, and tells what changed. */
#include "harness/base/process_state.h"

#include "harness/base/hash.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <wchar.h>

#define PROCESS_PART_NAME(key, words) [key] = (words),
static const char *const names[PROCESS_STATES] = {PROCESS_PARTS(PROCESS_PART_NAME)};

static uint64_t hash_handlers(void)
{
    uint64_t hash = 0;
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action = {0};
        sigaction(number, NULL, &action);
        hash = hash_bytes(hash, &action.sa_handler, sizeof action.sa_handler);
        /* The C library fills only that part of the mask. */
        hash = hash_bytes(hash, &action.sa_mask, NSIG / 8) + (unsigned)action.sa_flags;
    }
    return hash;
}

static uint64_t hash_file(const char *path)
{
    uint64_t hash = 0;
    FILE *file = fopen(path, "r");
    for (int c; file && (c = getc(file)) != EOF;)
        hash = hash * 31 + (unsigned)c;
    if (file)
        fclose(file);
    return hash;
}

static uint64_t hash_limits(void)
{
    uint64_t hash = 0;
    struct rlimit limit;
    for (int which = 0; which < RLIM_NLIMITS; which++)
        if (getrlimit((__rlimit_resource_t)which, &limit) == 0)
            hash = hash_bytes(hash, &limit, sizeof limit);
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
    return hash + hash_file("/proc/self/timers"); /* those of timer_create */
}

/* Rounding, traps and, on x86-64, precision and whether tiny numbers count as zero. */
static uint64_t read_rounding(void)
{
    uint64_t control = (uint64_t)fegetround() << 8 | (uint64_t)fegetexcept();
#if defined(__x86_64__)
    unsigned short precision;
    __asm__ volatile("fnstcw %0" : "=m"(precision));
    control = control << 32 | (__builtin_ia32_stmxcsr() & ~0x3fu); /* without what has happened */
    control ^= (uint64_t)precision << 16;
#endif
    return control;
}

/* The states of rand() and drand48(), which are taken out to be read and put back. */
static uint64_t hash_random(void)
{
    static const size_t words[] = {2, 8, 16, 32,
                                   64}; /* by the generator's type, the first word's rest */
    int32_t own[8], held[64] = {0};
    unsigned short factor[3] = {1, 2, 3}, seed[3] = {0};
    char *state = initstate(1, (char *)own, sizeof own);
    memcpy(held, state, sizeof held[0]);
    memcpy(held, state, words[held[0] % 5] * sizeof held[0]);
    setstate(state);
    uint64_t hash = hash_bytes((uint64_t)(uintptr_t)state, held, sizeof held);
    long next = nrand48(factor); /* which factor and summand it has */
    memcpy(seed, seed48(seed), sizeof seed);
    seed48(seed);
    return hash_bytes(hash_bytes(hash, seed, sizeof seed), &next, sizeof next);
}

/* What the kernel keeps for a process or its thread beside that. */
static uint64_t hash_kernel(void)
{
    static const int asked[] = {PR_GET_DUMPABLE, PR_GET_TIMERSLACK, PR_GET_THP_DISABLE,
                                PR_GET_KEEPCAPS, PR_GET_SECUREBITS, PR_GET_NO_NEW_PRIVS};
    char name[16] = "";
    int ends_with_parent = 0, adopts = 0, policy = 0;
    const long ids[] = {getpgrp(), getsid(0), getuid(), geteuid(), getgid(), getegid()};
    const long set[] = {syscall(SYS_personality, 0xffffffffu), syscall(SYS_ioprio_get, 1, 0)};
    uint64_t hash = hash_bytes(hash_bytes(0, ids, sizeof ids), set, sizeof set);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        hash = hash * 31 + (uint64_t)prctl(asked[i], 0, 0, 0, 0);
    prctl(PR_GET_NAME, name, 0, 0, 0);
    prctl(PR_GET_PDEATHSIG, &ends_with_parent, 0, 0, 0);
    prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0);
    syscall(SYS_get_mempolicy, &policy, NULL, 0, NULL, 0);
    hash += hash_file("/proc/self/oom_score_adj") ^ hash_file("/proc/self/coredump_filter") * 3;
    return hash_text(hash, name) + (uint64_t)(ends_with_parent + 2 * adopts + 4 * policy);
}

/* Which files the three are, how they are opened, and what the C library holds of them.  Not what others may change who
 * have them too: where their files are read, and how a terminal is set. */
static uint64_t hash_streams(void)
{
    uint64_t hash = 0;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat file = {0};
        fstat(fd, &file);
        int flags = fcntl(fd, F_GETFL) * 2 + fcntl(fd, F_GETFD) + fcntl(fd, F_GETOWN) * 4;
        const uint64_t values[] = {file.st_dev, file.st_ino, (uint64_t)flags};
        hash = hash_bytes(hash, values, sizeof values);
    }
    hash += 8u * (__fbufsize(stdin) > 0) + 16u * (__fbufsize(stderr) > 1);
    hash += 32u * (fwide(stdin, 0) > 0 || fwide(stdout, 0) > 0 || fwide(stderr, 0) > 0);
    return hash + (__fbufsize(stdout) == 1 /* unbuffered */ ? 2 : __flbf(stdout) != 0);
}

/* The number of the next key: those below are taken. */
static uint64_t first_free_key(void)
{
    pthread_key_t key;
    if (pthread_key_create(&key, NULL) != 0)
        return PTHREAD_KEYS_MAX;
    pthread_key_delete(key);
    return key;
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

static void read_file(const char *path, uint64_t values[PROCESS_STATES])
{
    char line[160];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "Threads: %" SCNu64, &values[THREADS]);
        sscanf(line, "VmLck: %" SCNu64, &values[LOCKED]);
        sscanf(line, "VmSize: %" SCNu64, &values[MAPPED]);
        sscanf(line, "syscw: %" SCNu64, &values[WRITES]);
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
    stack_t stack = {0};
    int cancels;
    char path[4096] = "";
    memset(now, 0, sizeof *now);
    CPU_ZERO(&set);
    memset(&mask, 0, sizeof mask); /* the C library fills only a part */
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    sched_getaffinity(0, sizeof set, &set);
    values[ALLOCATED] = bytes_allocated();
    values[SIGNAL_HANDLERS] = hash_handlers();
    sigaltstack(NULL, &stack);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancels);
    pthread_setcancelstate(cancels, NULL);
    values[SIGNAL_MASK] = hash_bytes((uint64_t)cancels, &mask, sizeof mask) +
                          (uint64_t)(uintptr_t)stack.ss_sp + (uint64_t)stack.ss_flags;
    values[STREAMS] = hash_streams();
    values[AFFINITY] = hash_bytes(0, &set, sizeof set);
    values[NICENESS] = (uint64_t)(getpriority(PRIO_PROCESS, 0) + 64 * sched_getscheduler(0));
    values[LIMITS] = hash_limits();
    values[ALARMS] = hash_alarms();
    values[ENVIRONMENT] =
        hash_text((uint64_t)(uintptr_t)uselocale((locale_t)0), setlocale(LC_ALL, NULL));
    for (char **at = environ; at && *at; at++)
        values[ENVIRONMENT] = hash_text(values[ENVIRONMENT], *at);
    values[DIRECTORY] = hash_text(0, getcwd(path, sizeof path) ? path : "");
    values[FILE_MASK] = umask(0);
    umask((mode_t)values[FILE_MASK]);
    values[ROUNDING] = read_rounding();
    values[RANDOM] = hash_random();
    values[KERNEL] = hash_kernel();
    values[DESCRIPTORS] = count_descriptors();
    values[KEYS] = first_free_key();
    /* A page that comes now is locked if those to come are (mlockall). */
    long page = syscall(SYS_mmap, NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    read_file("/proc/self/status", values);
    syscall(SYS_munmap, page, 1);
    read_file("/proc/self/io", values);
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
