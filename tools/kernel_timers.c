/*
 * kernel_timers.c - what a timer object of the kernel costs the kernel: memory, where there are no more, and how
 * late it is.  What labs/libraries/docs/LIBRARIES.md says of timerfd and posix-timer comes from here:
 *
 *     cc -O2 -D_GNU_SOURCE -o build/kernel_timers tools/kernel_timers.c
 *     sudo build/kernel_timers [COUNT]
 *
 * Makes COUNT objects (1,000,000), or as many as there can be, of each kind, and arms them.  The memory is what
 * "Slab" of /proc/meminfo has grown by, and, for root, the caches of /proc/slabinfo that have grown most; other
 * programs move both, so let nothing else run.  Then up to 10,000 of them expire, 100 us apart, while the
 * program sleeps: the lateness is from the time asked for to the clock when the program has heard of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define COUNT_USUAL 1000000
#define LATE_MAX    10000
#define APART_NS    100000
#define CACHES_MAX  512
#define SHOWN       6

/* ---- Memory of the kernel. ------------------------------------------------------------------- */

struct cache {
    char name[64];
    double bytes;
};

struct slab {
    double bytes; /* in all */
    size_t count; /* 0: not root */
    struct cache caches[CACHES_MAX];
};

static void slab_read(struct slab *slab)
{
    char line[512];
    memset(slab, 0, sizeof *slab);
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Slab: %lf", &slab->bytes) == 1)
            slab->bytes *= 1024;
    if (file)
        fclose(file);
    file = fopen("/proc/slabinfo", "r");
    while (file && fgets(line, sizeof line, file) && slab->count < CACHES_MAX) {
        struct cache *cache = &slab->caches[slab->count];
        double active, total, size;
        if (sscanf(line, "%63s %lf %lf %lf", cache->name, &active, &total, &size) == 4) {
            cache->bytes = active * size;
            slab->count++;
        }
    }
    if (file)
        fclose(file);
}

/* Bytes per object; the caches that grew most first. */
static void slab_print_growth(const struct slab *before, struct slab *after, double objects)
{
    printf("  memory    %.0f bytes each by /proc/meminfo",
           (after->bytes - before->bytes) / objects);
    for (size_t i = 0; i < after->count && i < before->count; i++)
        after->caches[i].bytes -= before->caches[i].bytes;
    for (int shown = 0; shown < SHOWN; shown++) {
        struct cache *most = &after->caches[0];
        for (size_t i = 0; i < after->count; i++)
            if (after->caches[i].bytes > most->bytes)
                most = &after->caches[i];
        if (after->count == 0 || most->bytes / objects < 1)
            break;
        printf("%s %s %.0f", shown ? "," : ":", most->name, most->bytes / objects);
        most->bytes = 0;
    }
    printf("\n");
}

/* ---- Two kinds of objects. ------------------------------------------------------------------- */

struct kind {
    const char *name, *limit_name;
    int limit;
    bool (*make)(size_t index);
    void (*unmake)(size_t index);
    void (*arm)(size_t index, uint64_t at_ns);
    size_t (*hear)(size_t *indices, size_t room);
};

static struct {
    int *files, epoll;
    timer_t *timers;
    int signals;
} all;

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct itimerspec at(uint64_t ns)
{
    return (struct itimerspec){.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
}

static bool file_make(size_t index)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = index};
    all.files[index] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    return all.files[index] >= 0 &&
           epoll_ctl(all.epoll, EPOLL_CTL_ADD, all.files[index], &event) == 0;
}

static void file_unmake(size_t index)
{
    close(all.files[index]);
}

static void file_arm(size_t index, uint64_t at_ns)
{
    struct itimerspec spec = at(at_ns);
    timerfd_settime(all.files[index], TFD_TIMER_ABSTIME, &spec, NULL);
}

static size_t file_hear(size_t *indices, size_t room)
{
    struct epoll_event events[64];
    int count = epoll_wait(all.epoll, events, (int)(room < 64 ? room : 64), -1);
    for (int i = 0; i < count; i++)
        indices[i] = events[i].data.u64;
    return count > 0 ? (size_t)count : 0;
}

static bool signal_make(size_t index)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = (int)index};
    return timer_create(CLOCK_MONOTONIC, &event, &all.timers[index]) == 0;
}

static void signal_unmake(size_t index)
{
    timer_delete(all.timers[index]);
}

static void signal_arm(size_t index, uint64_t at_ns)
{
    struct itimerspec spec = at(at_ns);
    timer_settime(all.timers[index], TIMER_ABSTIME, &spec, NULL);
}

static size_t signal_hear(size_t *indices, size_t room)
{
    struct signalfd_siginfo signals[64];
    ssize_t bytes = read(all.signals, signals, (room < 64 ? room : 64) * sizeof *signals);
    size_t count = bytes > 0 ? (size_t)bytes / sizeof *signals : 0;
    for (size_t i = 0; i < count; i++)
        indices[i] = (size_t)signals[i].ssi_int;
    return count;
}

static const struct kind kinds[] = {
    {"timerfd, in an epoll", "RLIMIT_NOFILE", RLIMIT_NOFILE, file_make, file_unmake, file_arm,
     file_hear},
    {"POSIX timer, by a queued signal", "RLIMIT_SIGPENDING", RLIMIT_SIGPENDING, signal_make,
     signal_unmake, signal_arm, signal_hear},
};

/* ---- The experiment. ------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

static void measure_lateness(const struct kind *kind, size_t count)
{
    static double late_us[LATE_MAX];
    size_t heard = 0;
    uint64_t begin_ns = clock_ns() + 100000000u;
    for (size_t i = 0; i < count; i++)
        kind->arm(i, begin_ns + i * APART_NS);
    while (heard < count) {
        size_t indices[64], some = kind->hear(indices, count - heard);
        uint64_t now_ns = clock_ns();
        for (size_t i = 0; i < some; i++)
            late_us[heard++] = (double)(now_ns - begin_ns - indices[i] * APART_NS) / 1000;
    }
    qsort(late_us, count, sizeof *late_us, compare);
    printf("  late      by %.1f us (median), %.1f us (99 of 100), %.1f us at most\n",
           late_us[count / 2], late_us[count * 99 / 100], late_us[count - 1]);
}

static void measure(const struct kind *kind, size_t wanted)
{
    static struct slab before, after;
    struct rlimit limit;
    getrlimit((__rlimit_resource_t)kind->limit, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit((__rlimit_resource_t)kind->limit, &limit);
    slab_read(&before);
    uint64_t begin_ns = clock_ns();
    size_t made = 0;
    int spare = epoll_create1(0); /* to read /proc with, when there are no more */
    while (made < wanted && kind->make(made))
        made++;
    int why = errno;
    close(spare);
    uint64_t end_ns = clock_ns();
    for (size_t i = 0; i < made; i++)
        kind->arm(i, begin_ns + UINT64_C(3600000000000) + i);
    slab_read(&after);
    printf("%s\n  made      %zu, %.0f ns each%s%s\n", kind->name, made,
           (double)(end_ns - begin_ns) / (double)(made + !made), made < wanted ? "; then: " : "",
           made < wanted ? strerror(why) : "");
    printf("  limit     %s %" PRIu64 "\n", kind->limit_name, (uint64_t)limit.rlim_max);
    if (made == 0)
        return;
    slab_print_growth(&before, &after, (double)made);
    measure_lateness(kind, made < LATE_MAX ? made : LATE_MAX);
    for (size_t i = 0; i < made; i++)
        kind->unmake(i);
}

int main(int argc, char **argv)
{
    size_t wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : COUNT_USUAL;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    all.epoll = epoll_create1(0);
    all.signals = signalfd(-1, &set, 0);
    all.files = calloc(wanted + 1, sizeof *all.files);
    all.timers = calloc(wanted + 1, sizeof *all.timers);
    if (!all.files || !all.timers || all.epoll < 0 || all.signals < 0)
        return 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        measure(&kinds[i], wanted);
    return 0;
}
