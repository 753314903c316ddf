/* counters.c - opens one file descriptor per processor event and reads them as a group.
 *
 * Each event is read by itself and not through its group: a few system calls more, but one layout
 * whether or not the group held.  The group's leader, instructions, is read last at the beginning
 * and first at the end, so that the reading of the others is not among its instructions.
 */
#include "harness/measure/run/counters.h"

#include "harness/base/file.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct counters_event hardware[OUTCOME_COUNTERS] = {
    [OUTCOME_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [OUTCOME_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [OUTCOME_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    [OUTCOME_BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    [OUTCOME_DTLB_MISSES] = {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_DTLB |
                                                     PERF_COUNT_HW_CACHE_OP_READ << 8 |
                                                     PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
};

void counters_explain(char *out, size_t size, int error, const char *root)
{
    char paranoid[32];
    sysfile_read(paranoid, sizeof paranoid, root, "/proc/sys/kernel/perf_event_paranoid");
    const char *level = paranoid[0] ? paranoid : "unknown";
    if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
        snprintf(out, size, "the processor, or its virtual machine, does not offer it");
    else if (error == EACCES)
        snprintf(out, size,
                 "not permitted: /proc/sys/kernel/perf_event_paranoid is %s, 2 or less is needed",
                 level);
    else if (error == EPERM)
        snprintf(out, size,
                 "not permitted: by a container's filter of system calls, or because "
                 "/proc/sys/kernel/perf_event_paranoid is %s",
                 level);
    else if (error == ENOSYS)
        snprintf(out, size, "the kernel has no perf_event_open, or a filter hides it");
    else
        snprintf(out, size, "perf_event_open: %s", strerror(error));
}

/* Only the leader waits to be started; the others go with it, or at once when they are alone. */
static int event_open(const struct counters_event *event, int leader, bool waits)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = event->type,
        .config = event->config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = waits,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Into the group; alone when the group is full, or its processor unit is another. */
static int event_join(const struct counters_event *event, int leader)
{
    int fd = event_open(event, leader, leader < 0);
    return fd < 0 && errno == EINVAL && leader >= 0 ? event_open(event, -1, false) : fd;
}

/* "cache_misses, dtlb_misses: ..." when some are there, the bare reason when none is. */
static void reason_write(struct counters *counters, int error)
{
    char why[OUTCOME_COUNTERS_REASON];
    size_t length = 0, missing = 0;
    counters_explain(why, sizeof why, error, "");
    for (size_t i = 0; i < OUTCOME_COUNTERS; i++) {
        if (counters->fds[i] >= 0)
            continue;
        length +=
            (size_t)snprintf(counters->reason + length, sizeof counters->reason - length, "%s%s",
                             missing++ ? ", " : "", outcome_counter_name((enum outcome_counter)i));
    }
    if (missing == OUTCOME_COUNTERS)
        length =
            (size_t)snprintf(counters->reason, sizeof counters->reason, "no performance counters");
    snprintf(counters->reason + length, sizeof counters->reason - length, ": %s", why);
}

bool counters_open(struct counters *counters, const struct counters_event *events)
{
    int leader = -1, error = 0;
    events = events ? events : hardware;
    counters->reason[0] = '\0';
    for (size_t i = 0; i < OUTCOME_COUNTERS; i++) {
        int fd = counters->fds[i] = event_join(&events[i], leader);
        if (fd < 0 && error == 0)
            error = errno;
        leader = leader < 0 ? fd : leader;
    }
    if (error != 0)
        reason_write(counters, error);
    if (leader >= 0)
        ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
    return counters->fds[OUTCOME_INSTRUCTIONS] >= 0;
}

void counters_close(struct counters *counters)
{
    for (size_t i = 0; i < OUTCOME_COUNTERS; i++)
        if (counters->fds[i] >= 0)
            close(counters->fds[i]);
}

/* What cannot be read did not run, and so is unknown. */
static void event_read(const struct counters *counters, size_t i, struct counters_reading *reading)
{
    size_t size = sizeof reading->of[i];
    if (counters->fds[i] < 0 || read(counters->fds[i], &reading->of[i], size) != (ssize_t)size)
        memset(&reading->of[i], 0, size);
}

void counters_begin(const struct counters *counters, struct counters_reading *begin)
{
    for (size_t i = OUTCOME_COUNTERS; i-- > 0;)
        event_read(counters, i, begin);
}

void counters_end(const struct counters *counters, const struct counters_reading *begin,
                  struct counters_reading *total)
{
    struct counters_reading end;
    for (size_t i = 0; i < OUTCOME_COUNTERS; i++)
        event_read(counters, i, &end);
    for (size_t i = 0; i < OUTCOME_COUNTERS; i++) {
        total->of[i].value += end.of[i].value - begin->of[i].value;
        total->of[i].enabled_ns += end.of[i].enabled_ns - begin->of[i].enabled_ns;
        total->of[i].running_ns += end.of[i].running_ns - begin->of[i].running_ns;
    }
}

void counters_outcome(const struct counters_reading *total, double passes,
                      struct outcome_count *counts)
{
    for (size_t i = 0; i < OUTCOME_COUNTERS; i++) {
        double enabled_ns = (double)total->of[i].enabled_ns;
        double running_ns = (double)total->of[i].running_ns;
        bool known = running_ns > 0 && passes > 0;
        counts[i] = (struct outcome_count){.known = known};
        if (!known)
            continue;
        counts[i].share = running_ns / enabled_ns;
        counts[i].per_pass = (double)total->of[i].value * enabled_ns / running_ns / passes;
    }
}
