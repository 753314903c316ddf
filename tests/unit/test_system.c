/* test_system.c - disturbances in a made-up /proc and /sys, each found alone, and none invented. */
#include "harness/measure/machine/machine.h"
#include "testing.h"

#include "harness/base/paths.h"
#include <math.h>
#include <sched.h>
#include <unistd.h>

/* A tree of files that is taken away again. */
struct tree {
    char root[64];
};

static int make_tree(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    if (!tree)
        return -1;
    paths_temporary(tree->root, sizeof tree->root, "test_system");
    *state = tree;
    return mkdtemp(tree->root) ? 0 : -1;
}

static int remove_tree(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", ((struct tree *)*state)->root);
    free(*state);
    return system(command);
}

static void put(const struct tree *tree, const char *path, const char *text)
{
    char command[512], full[256];
    snprintf(full, sizeof full, "%s/%s", tree->root, path);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname %s)\"", full);
    FILE *file = system(command) == 0 ? fopen(full, "w") : NULL;
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What /proc/PID/stat says of a process; the name has everything that a parser could trip over. */
static void put_process(const struct tree *tree, int pid, const char *name, int user, int kernel)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    snprintf(text, sizeof text, "%d (%s) R 1 1 1 0 -1 4194304 1 0 0 0 %d %d 0 0 20 0 1 0 5 1 1\n",
             pid, name, user, kernel);
    put(tree, path, text);
}

#define QUIET_BEFORE                                                                               \
    "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 50 0 50 400 0 0 0 0 0 0\ncpu1 50 0 50 400 0 0 0 0 0 0\n" \
    "intr 1 2 3\n"
#define QUIET_AFTER                                                                                \
    "cpu  100 0 100 820 0 0 0 0 0 0\ncpu0 50 0 50 410 0 0 0 0 0 0\ncpu1 50 0 50 410 0 0 0 0 0 0\n" \
    "intr 1 2 3\n"

static void put_quiet(const struct tree *tree)
{
    put(tree, "proc/stat", QUIET_BEFORE);
    put(tree, "proc/vmstat", "nr_free_pages 5\npswpin 7\npswpout 9\n");
    put(tree, "proc/loadavg", "0.10 0.20 0.30 1/70 999\n");
    put(tree, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    put(tree, "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    put(tree, "sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
    put_process(tree, 4000000, "idle one", 10, 10);
    put_process(tree, 4000001, "a (b) R 1 2) c", 30, 10);
}

/* Looks, puts `path` and /proc/stat after it, looks again, and judges core 1. */
static struct system_checks judge(const struct tree *tree, const char *stat, const char *path,
                                  const char *text, const char *virtualisation)
{
    struct system_checks checks;
    struct system_look *before = system_look(tree->root);
    put(tree, "proc/stat", stat);
    if (path)
        put(tree, path, text);
    struct system_look *after = system_look(tree->root);
    system_check(&checks, before, after, 1, virtualisation, tree->root);
    system_look_free(before);
    system_look_free(after);
    return checks;
}

static const struct system_check *find(const struct system_checks *checks, const char *name)
{
    for (size_t i = 0; i < checks->count; i++)
        if (strcmp(checks->checks[i].name, name) == 0)
            return &checks->checks[i];
    fail_msg("no check %s", name);
    return NULL;
}

/* Of all checks this one alone warns, and its warning has the words. */
static void assert_only(const struct system_checks *checks, const char *name, const char *words)
{
    for (size_t i = 0; i < checks->count; i++) {
        const struct system_check *check = &checks->checks[i];
        if (strcmp(check->name, name) == 0 && !strstr(check->warning, words))
            fail_msg("%s says '%s', not '%s'", name, check->warning, words);
        else if (strcmp(check->name, name) != 0 && check->warning[0])
            fail_msg("%s warns too: %s", check->name, check->warning);
    }
    find(checks, name);
}

TEST(test_a_quiet_machine_has_values_and_no_warning)
{
    put_quiet(*state);
    struct system_checks checks = judge(*state, QUIET_AFTER, NULL, NULL, "none");
    assert_int_equal(checks.count, 9);
    for (size_t i = 0; i < checks.count; i++)
        assert_string_equal(checks.checks[i].warning, "");
    assert_string_equal(find(&checks, "governor")->text, "performance");
    assert_string_equal(find(&checks, "turbo")->text, "off");
    assert_string_equal(find(&checks, "busiest_process")->text, "none");
    assert_true(fabs(find(&checks, "load_1min")->number - 0.1) < 1e-9);
    assert_true(find(&checks, "steal_share")->number == 0);
    assert_true(find(&checks, "core_busy_share")->number == 0);
    assert_true(find(&checks, "sibling_busy_share")->number == 0);
    assert_true(find(&checks, "swapped_pages")->number == 0);
}

TEST(test_each_disturbance_is_found_alone)
{
    static const char *const cases[][5] = {
        {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n", "governor",
         "'powersave'", "none"},
        {"sys/devices/system/cpu/intel_pstate/no_turbo", "0\n", "turbo", "intel_pstate/no_turbo",
         "none"},
        {"proc/loadavg", "1.50 0 0 1/1 1\n", "load_1min", "1.50 on 2 cores", "none"},
        {"proc/vmstat", "nr_free_pages 5\npswpin 7\npswpout 10\n", "swapped_pages", "swapped",
         "none"},
        {NULL, NULL, "virtualisation", "virtual machine", "QEMU"},
        {"proc/4000001/stat", "4000001 (a (b) R 1 2) c) R 1 1 1 0 -1 4 1 0 0 0 33 15 0 0 20 0\n",
         "busiest_process", "'a (b) R 1 2) c' (pid 4000001) uses 80 %", "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_quiet(*state);
        struct system_checks checks =
            judge(*state, QUIET_AFTER, cases[i][0], cases[i][1], cases[i][4]);
        assert_only(&checks, cases[i][2], cases[i][3]);
    }
}

TEST(test_cores_are_told_apart)
{
    put_quiet(*state);
    struct system_checks checks =
        judge(*state, "cpu  105 0 100 815\ncpu0 50 0 50 410\ncpu1 55 0 50 405\nintr 1\n", NULL,
              NULL, "none");
    assert_only(&checks, "core_busy_share", "core 1, to be timed, is 50 % busy");
    put_quiet(*state);
    checks = judge(*state, "cpu  105 0 100 815\ncpu0 55 0 50 405\ncpu1 50 0 50 410\nintr 1\n", NULL,
                   NULL, "none");
    assert_only(&checks, "sibling_busy_share", "core 0 shares its hardware with core 1");
    put_quiet(*state);
    checks = judge(*state,
                   "cpu  100 0 100 818 0 0 0 2\ncpu0 50 0 50 409 0 0 0 1\n"
                   "cpu1 50 0 50 409 0 0 0 1\nintr 1\n",
                   NULL, NULL, "none");
    assert_only(&checks, "steal_share", "took 10 % of the time");
}

TEST(test_nothing_is_invented)
{
    struct system_checks checks;
    struct system_look *look = system_look("/nowhere");
    assert_non_null(look);
    system_check(&checks, look, look, -1, "", "/nowhere");
    for (size_t i = 0; i < checks.count; i++) {
        assert_true(isnan(checks.checks[i].number));
        assert_string_equal(checks.checks[i].text, "");
        assert_string_equal(checks.checks[i].warning, "");
    }
    system_look_free(look);
    system_check(&checks, NULL, NULL, 0, "", "");
    assert_int_equal(checks.count, 0);
}

TEST(test_this_machine_can_be_looked_at)
{
    struct system_checks checks;
    struct system_look *look = system_look("");
    system_check(&checks, look, look, 0, "none", "");
    assert_true(find(&checks, "load_1min")->number >= 0);
    system_look_free(look);
}

/* ---- Over a long time. ----------------------------------------------------------------------- */

/* Two looks with these texts of /proc/stat. */
struct looks {
    struct system_look *before, *after;
};

static struct looks look_twice(const struct tree *tree, const char *before, const char *after)
{
    struct looks looks;
    put(tree, "proc/stat", before);
    looks.before = system_look(tree->root);
    put(tree, "proc/stat", after);
    looks.after = system_look(tree->root);
    assert_non_null(looks.before);
    assert_non_null(looks.after);
    return looks;
}

static void looks_free(struct looks *looks)
{
    system_look_free(looks->before);
    system_look_free(looks->after);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* 200 ticks pass: 120 idle, 20 stolen, 60 in use, of which 30 may be our own. */
TEST(test_shares_over_a_long_time)
{
    struct looks looks =
        look_twice(*state, "cpu  100 0 100 800 0 0 0 10\ncpu0 100 0 100 800 0 0 0 10\n",
                   "cpu  150 0 110 920 0 0 0 30\ncpu0 150 0 110 920 0 0 0 30\n");
    double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
    assert_true(near(system_steal_share(looks.before, looks.after), 0.1));
    assert_true(near(system_busy_share(looks.before, looks.after, 0), 0.3));
    assert_true(near(system_busy_share(looks.before, looks.after, 30 * tick_ns), 0.15));
    assert_true(system_busy_share(looks.before, looks.after, 90 * tick_ns) == 0);
    looks_free(&looks);
}

TEST(test_shares_of_no_time_are_unknown)
{
    struct looks looks = look_twice(*state, QUIET_BEFORE, QUIET_BEFORE);
    assert_true(isnan(system_steal_share(looks.before, looks.after)));
    assert_true(isnan(system_busy_share(looks.before, looks.after, 0)));
    assert_true(isnan(system_busy_share(looks.before, looks.after, 1e9)));
    assert_true(isnan(system_steal_share(NULL, looks.after)));
    assert_true(isnan(system_busy_share(looks.before, NULL, 0)));
    assert_int_equal(system_idlest_core(looks.before, looks.after), -1);
    assert_int_equal(system_idlest_core(NULL, looks.after), -1);
    assert_int_equal(system_idlest_core(looks.before, NULL), -1);
    looks_free(&looks);
}

/* Allows this process these cores alone; false where there are not as many. */
static bool allow_cores(unsigned cores)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned cpu = 0; cpu < 2; cpu++)
        if (cores & 1u << cpu)
            CPU_SET(cpu, &set);
    cpu_set_t got;
    return sched_setaffinity(0, sizeof set, &set) == 0 &&
           sched_getaffinity(0, sizeof got, &got) == 0 && CPU_EQUAL(&set, &got);
}

/* On machines with two cores or more that this process may use. */
TEST(test_the_idlest_core)
{
    static const struct {
        const char *after; /* what the two cores have done by then */
        unsigned allowed;
        int idlest;
    } cases[] = {
        {"cpu0 60 0 50 490\ncpu1 80 0 50 470\n", 3, 0},
        {"cpu0 80 0 50 470\ncpu1 60 0 50 490\n", 3, 1},
        {"cpu0 60 0 50 490\ncpu1 60 0 50 490\n", 3, 1}, /* equal: the last */
        {"cpu0 60 0 50 490\ncpu1 80 0 50 470\n", 2, 1}, /* others are not ours to choose */
        {"cpu0 80 0 50 470\ncpu1 60 0 50 490\n", 1, 0},
        {"cpu0 80 0 50 470\n", 3, 0}, /* one went off line, and its time did not pass */
    };
    cpu_set_t all;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    if (!allow_cores(3))
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char after[256];
        snprintf(after, sizeof after, "cpu  140 0 100 960\n%sintr 1\n", cases[i].after);
        struct looks looks = look_twice(*state, QUIET_BEFORE, after);
        assert_true(allow_cores(cases[i].allowed));
        assert_int_equal(system_idlest_core(looks.before, looks.after), cases[i].idlest);
        looks_free(&looks);
    }
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

TEST_MAIN(make_tree, remove_tree)
