/* machine.c - reads what the system says of the machine. */
#include "harness/measure/machine/machine.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"

#include <sys/utsname.h>

#define TEXT_SIZE                                                                                  \
    65536 /* /proc/cpuinfo of one core is about 2 KiB; only its first core is needed */

/* The value of the first line that is `key`, blanks, `separator`, blanks, value. */
static void find_value(char *out, size_t size, const char *text, const char *key, char separator)
{
    out[0] = '\0';
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strlen(key);
        if (strncmp(line, key, length) != 0)
            continue;
        const char *value = line + length + strspn(line + length, " \t");
        if (*value != separator)
            continue;
        value += 1 + strspn(value + 1, " \t\"");
        snprintf(out, size, "%.*s", (int)strcspn(value, "\"\n"), value);
        return;
    }
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static void read_cpu(struct machine *machine, const char *root, char *text)
{
    char flags[8192];
    sysfile_read(text, TEXT_SIZE, root, "/proc/cpuinfo");
    find_value(machine->cpu_model, sizeof machine->cpu_model, text, "model name", ':');
    find_value(flags, sizeof flags, text, "flags", ':');
    if (flags[0] == '\0')
        return;
    if (has_word(flags, "tsc"))
        snprintf(machine->tsc, sizeof machine->tsc, "%s",
                 has_word(flags, "constant_tsc") && has_word(flags, "nonstop_tsc") ? "invariant"
                                                                                   : "varying");
    /* x86 hypervisors set this flag; which one it is stands in /sys, if anywhere. */
    bool guest = has_word(flags, "hypervisor");
    snprintf(machine->virtualisation, sizeof machine->virtualisation, "%s", guest ? "yes" : "none");
    char name[sizeof machine->virtualisation];
    sysfile_read(name, sizeof name, root, "/sys/class/dmi/id/sys_vendor");
    if (guest && name[0])
        memcpy(machine->virtualisation, name, sizeof name);
}

/* Counts the cores of a list such as "0-3,8". */
static unsigned count_cores(const char *list)
{
    unsigned count = 0;
    while (*list) {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list)
            break;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        count += last >= first ? (unsigned)(last - first) + 1 : 0;
        list = end + (*end == ',');
    }
    return count;
}

static uint64_t parse_kibibytes(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    end += strspn(end, " ");
    if (*end == 'K' || *end == 'k')
        return value << 10;
    return *end == 'M' ? value << 20 : value;
}

static bool read_cache(struct machine_cache *cache, const char *root, size_t index)
{
    static const char *const keys[] = {"level", "type", "size", "coherency_line_size"};
    char path[96], values[4][32];
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%zu/%s", index,
                 keys[i]);
        sysfile_read(values[i], sizeof values[i], root, path);
    }
    if (values[0][0] == '\0' || values[2][0] == '\0')
        return false;
    cache->level = (unsigned)strtoul(values[0], NULL, 10);
    snprintf(cache->type, sizeof cache->type, "%.15s", values[1]);
    cache->size_bytes = parse_kibibytes(values[2]);
    cache->line_bytes = (unsigned)strtoul(values[3], NULL, 10);
    return true;
}

static void read_kernel(struct machine *machine, const char *root)
{
    struct utsname name;
    if (uname(&name) != 0)
        return;
    snprintf(machine->architecture, sizeof machine->architecture, "%.31s", name.machine);
    char release[96];
    sysfile_read(release, sizeof release, root, "/proc/sys/kernel/osrelease");
    if (release[0])
        snprintf(machine->kernel, sizeof machine->kernel, "%.30s %s", name.sysname, release);
}

void machine_read(struct machine *machine, const char *root)
{
    *machine = (struct machine){.cores = 0};
    char *text = memory_take(TEXT_SIZE, 1);
    read_cpu(machine, root, text);
    read_kernel(machine, root);
    sysfile_read(text, TEXT_SIZE, root, "/etc/os-release");
    find_value(machine->distribution, sizeof machine->distribution, text, "PRETTY_NAME", '=');
    sysfile_read(text, TEXT_SIZE, root, "/proc/meminfo");
    char total[64];
    find_value(total, sizeof total, text, "MemTotal", ':');
    machine->memory_bytes = parse_kibibytes(total);
    sysfile_read(text, TEXT_SIZE, root, "/sys/devices/system/cpu/online");
    machine->cores = count_cores(text);
    sysfile_read(machine->governor, sizeof machine->governor, root,
                 "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    sysfile_read(machine->clocksource, sizeof machine->clocksource, root,
                 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    while (machine->cache_count < MACHINE_CACHES_MAX &&
           read_cache(&machine->caches[machine->cache_count], root, machine->cache_count))
        machine->cache_count++;
    free(text);
}
