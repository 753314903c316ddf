/* system.c - looks for what disturbs measurements.  docs/MEASUREMENT.md has the thresholds. */
#include "harness/measure/machine/machine.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <unistd.h>

#define TEXT_SIZE 65536
#define CPUS_MAX  1024

/* Shares from which on times suffer.  The kernel counts in ticks of 10 ms, ten of them in a look, so
 * that less could not be told from nothing. */
#define BUSY_SHARE  0.2
#define STEAL_SHARE 0.05

/* In clock ticks since boot. */
struct cpu_time {
    uint64_t total, idle, steal;
};

struct process {
    long pid;
    uint64_t ticks;
    char name[24];
};

struct system_look {
    struct cpu_time all, cpus[CPUS_MAX];
    size_t cpu_count; /* 1 + the highest number */
    uint64_t swapped_pages;
    bool swap_known;
    size_t process_count, process_room;
    struct process *processes;
};

/* ---- A look. --------------------------------------------------------------------------------- */

/* "cpu3 user nice system idle iowait irq softirq steal ...": guests are part of user. */
static struct cpu_time parse_cpu(const char *numbers)
{
    struct cpu_time time = {0, 0, 0};
    char *end;
    for (int i = 0; i < 8; i++, numbers = end) {
        uint64_t ticks = strtoull(numbers, &end, 10);
        time.total += ticks;
        time.idle += i == 3 || i == 4 ? ticks : 0;
        time.steal += i == 7 ? ticks : 0;
    }
    return time;
}

static void look_at_cpus(struct system_look *look, const char *line)
{
    while (strncmp(line, "cpu", 3) == 0) {
        char *numbers;
        unsigned long cpu = strtoul(line + 3, &numbers, 10);
        if (line[3] == ' ') {
            look->all = parse_cpu(line + 3);
        } else if (cpu < CPUS_MAX) {
            look->cpus[cpu] = parse_cpu(numbers);
            look->cpu_count = cpu + 1 > look->cpu_count ? cpu + 1 : look->cpu_count;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

static void look_at_swap(struct system_look *look, const char *text)
{
    static const char *const keys[] = {"\npswpin ", "\npswpout "};
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(text, keys[i]);
        look->swap_known = look->swap_known || at;
        look->swapped_pages += at ? strtoull(at + strlen(keys[i]), NULL, 10) : 0;
    }
}

/* "17 (a name) S ppid ..." with utime and stime as the 14th and 15th; a name may hold anything. */
static bool parse_process(struct process *process, const char *text)
{
    const char *name = strchr(text, '('), *end = strrchr(text, ')');
    unsigned long long user, system;
    if (!name || !end ||
        sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) !=
            2)
        return false;
    process->ticks = user + system;
    snprintf(process->name, sizeof process->name, "%.*s", (int)(end - name - 1), name + 1);
    return true;
}

/* This process is no disturbance. */
static void look_at_processes(struct system_look *look, const char *root)
{
    char path[300], text[1024];
    snprintf(path, sizeof path, "%.200s/proc", root);
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct process process = {.pid = strtol(entry->d_name, NULL, 10)};
        if (process.pid <= 0 || process.pid == (long)getpid())
            continue;
        snprintf(path, sizeof path, "/proc/%ld/stat", process.pid);
        sysfile_read(text, sizeof text, root, path);
        if (!parse_process(&process, text))
            continue;
        memory_room(&look->processes, look->process_count, &look->process_room, sizeof process);
        look->processes[look->process_count++] = process;
    }
    if (directory)
        closedir(directory);
}

struct system_look *system_look(const char *root)
{
    struct system_look *look = memory_take(1, sizeof *look);
    char *text = memory_take(TEXT_SIZE, 1);
    sysfile_read(text, TEXT_SIZE, root, "/proc/stat");
    look_at_cpus(look, text);
    sysfile_read(text, TEXT_SIZE, root, "/proc/vmstat");
    look_at_swap(look, text);
    look_at_processes(look, root);
    free(text);
    return look;
}

void system_look_free(struct system_look *look)
{
    if (look)
        free(look->processes);
    free(look);
}

/* ---- What lies between two looks. ------------------------------------------------------------ */

/* NaN when no time has passed, or nothing is known of it. */
static double share_between(uint64_t before, uint64_t after, const struct cpu_time *begin,
                            const struct cpu_time *end)
{
    if (end->total <= begin->total)
        return NAN;
    return after > before ? (double)(after - before) / (double)(end->total - begin->total) : 0;
}

static double busy_share(const struct cpu_time *begin, const struct cpu_time *end)
{
    return 1 - share_between(begin->idle, end->idle, begin, end);
}

static double core_busy_share(const struct system_look *before, const struct system_look *after,
                              long cpu)
{
    if (cpu < 0 || (size_t)cpu >= before->cpu_count || (size_t)cpu >= after->cpu_count)
        return NAN;
    return busy_share(&before->cpus[cpu], &after->cpus[cpu]);
}

/* Quadratic over both lists; only of the few that have used any time at all is it asked. */
static uint64_t ticks_before(const struct system_look *before, const struct process *process)
{
    for (size_t i = 0; i < before->process_count; i++)
        if (before->processes[i].pid == process->pid)
            return before->processes[i].ticks;
    return 0;
}

/* The process that used most; *cores of a core.  NULL when none used any. */
static const struct process *busiest_process(const struct system_look *before,
                                             const struct system_look *after, double *cores)
{
    const struct process *busiest = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < after->process_count; i++) {
        const struct process *process = &after->processes[i];
        if (process->ticks <= most)
            continue;
        uint64_t then = ticks_before(before, process);
        if (process->ticks > then + most) {
            most = process->ticks - then;
            busiest = process;
        }
    }
    double passed = (double)(after->all.total - before->all.total) / (double)after->cpu_count;
    *cores = busiest ? (double)most / passed : 0;
    return busiest;
}

/* ---- The checks. ----------------------------------------------------------------------------- */

static struct system_check *add_check(struct system_checks *checks, const char *name, double number)
{
    struct system_check *check = &checks->checks[checks->count++];
    *check = (struct system_check){.name = name, .number = number};
    return check;
}

static void warn(struct system_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void warn(struct system_check *check, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(check->warning, sizeof check->warning, format, args);
    va_end(args);
}

static void check_governor(struct system_checks *checks, const char *root)
{
    struct system_check *check = add_check(checks, "governor", NAN);
    sysfile_read(check->text, sizeof check->text, root,
                 "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if (check->text[0] && strcmp(check->text, "performance") != 0)
        warn(check, "the frequency governor is '%.31s': 'cpupower frequency-set -g performance'",
             check->text);
}

/* Intel's driver says when turbo is off, the others when boost is on. */
static void check_turbo(struct system_checks *checks, const char *root)
{
    struct system_check *check = add_check(checks, "turbo", NAN);
    char no_turbo[8], boost[8];
    sysfile_read(no_turbo, sizeof no_turbo, root, "/sys/devices/system/cpu/intel_pstate/no_turbo");
    sysfile_read(boost, sizeof boost, root, "/sys/devices/system/cpu/cpufreq/boost");
    if (no_turbo[0] || boost[0])
        snprintf(check->text, sizeof check->text, "%s",
                 no_turbo[0] == '0' || (!no_turbo[0] && boost[0] == '1') ? "on" : "off");
    if (strcmp(check->text, "on") == 0)
        warn(check, "turbo moves the frequency: write %s to /sys/devices/system/cpu/%s",
             no_turbo[0] ? "1" : "0", no_turbo[0] ? "intel_pstate/no_turbo" : "cpufreq/boost");
}

static void check_virtualisation(struct system_checks *checks, const char *virtualisation)
{
    struct system_check *check = add_check(checks, "virtualisation", NAN);
    snprintf(check->text, sizeof check->text, "%s", virtualisation);
    if (check->text[0] && strcmp(check->text, "none") != 0)
        warn(check, "a virtual machine: other guests disturb the times; compare within one run");
}

static void check_load(struct system_checks *checks, const struct system_look *look,
                       const char *root)
{
    char text[64], *end;
    sysfile_read(text, sizeof text, root, "/proc/loadavg");
    double load = strtod(text, &end);
    struct system_check *check = add_check(checks, "load_1min", end == text ? NAN : load);
    if (load > 0.5 * (double)look->cpu_count)
        warn(check, "the load average is %.2f on %zu cores: stop other work, or wait a minute",
             load, look->cpu_count);
}

static void check_steal(struct system_checks *checks, const struct system_look *before,
                        const struct system_look *after)
{
    double share = share_between(before->all.steal, after->all.steal, &before->all, &after->all);
    struct system_check *check = add_check(checks, "steal_share", share);
    if (share > STEAL_SHARE)
        warn(check, "the host took %.0f %% of the time away: raise --runs, or use another machine",
             100 * share);
}

static void check_core(struct system_checks *checks, const struct system_look *before,
                       const struct system_look *after, int cpu)
{
    double share = core_busy_share(before, after, cpu);
    struct system_check *check = add_check(checks, "core_busy_share", share);
    if (share >= BUSY_SHARE)
        warn(check, "core %d, to be timed, is %.0f %% busy: stop what runs there, or --pin another",
             cpu, 100 * share);
}

/* The first core of a list such as "1,3" or "1-2" that is not `cpu`; below 0: none. */
static long find_sibling(const char *list, long cpu)
{
    while (*list) {
        char *end;
        long first = strtol(list, &end, 10), last = first;
        if (end == list)
            return -1;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (first != cpu)
            return first;
        if (last > first)
            return first + 1;
        list = end + (*end == ',');
    }
    return -1;
}

static void check_sibling(struct system_checks *checks, const struct system_look *before,
                          const struct system_look *after, int cpu, const char *root)
{
    char path[96], list[64] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    if (cpu >= 0)
        sysfile_read(list, sizeof list, root, path);
    long sibling = find_sibling(list, cpu);
    double share = core_busy_share(before, after, sibling);
    struct system_check *check = add_check(checks, "sibling_busy_share", share);
    if (share >= BUSY_SHARE)
        warn(check, "core %ld shares its hardware with core %d and is %.0f %% busy: keep it idle",
             sibling, cpu, 100 * share);
}

/* The value is text, because a name belongs to the number. */
static void check_process(struct system_checks *checks, const struct system_look *before,
                          const struct system_look *after)
{
    struct system_check *check = add_check(checks, "busiest_process", NAN);
    double cores;
    const struct process *process = busiest_process(before, after, &cores);
    if (after->process_count > 0)
        snprintf(check->text, sizeof check->text, "%s", "none");
    if (!process || !(cores > 0))
        return;
    snprintf(check->text, sizeof check->text, "%s: %.2f cores", process->name, cores);
    if (cores >= BUSY_SHARE)
        warn(check, "'%s' (pid %ld) uses %.0f %% of a core: stop it, or wait for it", process->name,
             process->pid, 100 * cores);
}

static void check_swap(struct system_checks *checks, const struct system_look *before,
                       const struct system_look *after)
{
    bool known = before->swap_known && after->swap_known;
    double pages = known ? (double)(after->swapped_pages - before->swapped_pages) : NAN;
    struct system_check *check = add_check(checks, "swapped_pages", pages);
    if (pages > 0)
        warn(check, "memory is being swapped: free some, or run fewer --tasks");
}

void system_check(struct system_checks *checks, const struct system_look *before,
                  const struct system_look *after, int cpu, const char *virtualisation,
                  const char *root)
{
    checks->count = 0;
    if (!before || !after)
        return;
    check_governor(checks, root);
    check_turbo(checks, root);
    check_virtualisation(checks, virtualisation);
    check_load(checks, after, root);
    check_steal(checks, before, after);
    check_core(checks, before, after, cpu);
    check_sibling(checks, before, after, cpu, root);
    check_process(checks, before, after);
    check_swap(checks, before, after);
}

/* ---- Over a long time. ----------------------------------------------------------------------- */

double system_steal_share(const struct system_look *before, const struct system_look *after)
{
    if (!before || !after)
        return NAN;
    return share_between(before->all.steal, after->all.steal, &before->all, &after->all);
}

double system_busy_share(const struct system_look *before, const struct system_look *after,
                         double own_ns)
{
    if (!before || !after)
        return NAN;
    double passed_ticks = (double)(after->all.total - before->all.total);
    double own_ticks = own_ns / 1e9 * (double)sysconf(_SC_CLK_TCK);
    double stolen = system_steal_share(before, after);
    double share = busy_share(&before->all, &after->all) - stolen - own_ticks / passed_ticks;
    return share < 0 ? 0 : share; /* unlike fmax, which would make 0 of what is not known */
}

int system_idlest_core(const struct system_look *before, const struct system_look *after)
{
    cpu_set_t allowed;
    double least = INFINITY;
    int idlest = -1;
    if (!before || !after || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    for (int cpu = 0; cpu < CPU_SETSIZE && (size_t)cpu < after->cpu_count; cpu++) {
        double share = core_busy_share(before, after, cpu);
        if (CPU_ISSET((unsigned)cpu, &allowed) && share <= least) {
            least = share;
            idlest = cpu;
        }
    }
    return idlest;
}
