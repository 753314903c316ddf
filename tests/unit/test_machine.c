/* test_machine.c - what is read from a made-up /proc and /sys, and that nothing is invented. */
#include "harness/measure/machine/machine.h"
#include "testing.h"

#include "harness/base/paths.h"
#include <unistd.h>

static const char *const files[][2] = {
    {"proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU @ 3.00GHz\n"
                     "flags\t\t: fpu tsc constant_tsc nonstop_tsc hypervisor\n\nprocessor\t: 1\n"
                     "model name\t: Another\n"},
    {"proc/meminfo", "MemTotal:       16384 kB\nMemFree:        1 kB\n"},
    {"proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"},
    {"etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"},
    {"sys/devices/system/cpu/online", "0-3,8\n"},
    {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
    {"sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
    {"sys/class/dmi/id/sys_vendor", "QEMU\n"},
    {"sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"},
    {"sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"},
    {"sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n"},
    {"sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size", "64\n"},
    {"sys/devices/system/cpu/cpu0/cache/index1/level", "3\n"},
    {"sys/devices/system/cpu/cpu0/cache/index1/type", "Unified\n"},
    {"sys/devices/system/cpu/cpu0/cache/index1/size", "36608K\n"},
};

static int make_root(void **state)
{
    char *root = malloc(64);
    paths_temporary(root, 64, "test_machine");
    if (!mkdtemp(root))
        return -1;
    *state = root;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char command[512], path[256];
        snprintf(path, sizeof path, "%s/%s", root, files[i][0]);
        snprintf(command, sizeof command, "mkdir -p \"$(dirname %s)\"", path);
        FILE *file = system(command) == 0 ? fopen(path, "w") : NULL;
        if (!file || fputs(files[i][1], file) < 0 || fclose(file) != 0)
            return -1;
    }
    return 0;
}

static int remove_root(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", (char *)*state);
    free(*state);
    return system(command);
}

TEST(test_everything_is_read)
{
    struct machine machine;
    machine_read(&machine, *state);
    assert_string_equal(machine.cpu_model, "Example CPU @ 3.00GHz");
    assert_string_equal(machine.tsc, "invariant");
    assert_string_equal(machine.virtualisation, "QEMU");
    assert_string_equal(machine.distribution, "Debian GNU/Linux 12 (bookworm)");
    assert_non_null(strstr(machine.kernel, " 6.1.0-18-amd64"));
    assert_string_equal(machine.governor, "performance");
    assert_string_equal(machine.clocksource, "tsc");
    assert_int_equal(machine.cores, 5);
    assert_int_equal(machine.memory_bytes, 16384 * 1024);
    assert_int_equal(machine.cache_count, 2);
    assert_int_equal(machine.caches[0].size_bytes, 32768);
    assert_int_equal(machine.caches[0].line_bytes, 64);
    assert_string_equal(machine.caches[1].type, "Unified");
    assert_int_equal(machine.caches[1].size_bytes, 36608 * 1024);
    assert_int_equal(machine.caches[1].line_bytes, 0);
}

TEST(test_nothing_is_invented)
{
    struct machine machine;
    machine_read(&machine, "/nowhere");
    assert_string_equal(machine.cpu_model, "");
    assert_string_equal(machine.tsc, "");
    assert_string_equal(machine.virtualisation, "");
    assert_string_equal(machine.governor, "");
    assert_string_equal(machine.kernel, "");
    assert_int_equal(machine.cores, 0);
    assert_int_equal(machine.memory_bytes, 0);
    assert_int_equal(machine.cache_count, 0);
}

TEST(test_this_machine_has_memory_and_cores)
{
    struct machine machine;
    machine_read(&machine, "");
    assert_true(machine.memory_bytes > 1 << 20);
    assert_true(machine.cores >= 1);
}

TEST_MAIN(make_root, remove_root)
