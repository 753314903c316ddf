/* testing.h - what every C test includes: the C library as far as tests need it, cmocka behind what that needs, and no
 * warning that a test leaves its state alone. */
#ifndef TWBENCH_TESTING_H
#define TWBENCH_TESTING_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* NAME.XXXXXX below TMPDIR, where tests/run.sh looks for what a suite leaves behind; for mkstemp and mkdtemp. */
static inline void temporary_name(char *path, size_t size, const char *name)
{
    const char *directory = getenv("TMPDIR");
    snprintf(path, size, "%s/%s.XXXXXX", directory ? directory : "/tmp", name);
}

/* A setup and its teardown: *state is the path of a directory of the test's own. */
static inline int temporary_made(void **state)
{
    char *path = malloc(64);
    temporary_name(path, 64, "test");
    *state = path;
    return mkdtemp(path) ? 0 : -1;
}

static inline int temporary_removed(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", (char *)*state);
    free(*state);
    return system(command);
}

#pragma GCC diagnostic ignored "-Wunused-parameter"

#if defined(__GNUC__) && !defined(__clang__)
#define IN_ORDER no_reorder,
#else
#define IN_ORDER /* clang leaves variables in the order of the file */
#endif

/* A test is listed where it is written: TEST(name) { ... }. Each leaves a row in a section, whose bounds the linker names.
 * TEST_AROUND has a setup and a teardown (NULL for none) of each test, TEST_MAIN those of the file; a file with a main of
 * its own calls run_listed_tests there. The alignment is given because gcc aligns large rows by more, which would leave gaps. */
#define TEST(name) TEST_AROUND(name, NULL, NULL)
#define TEST_AROUND(name, setup, teardown)                                                         \
    static void name(void **state);                                                                \
    static const struct CMUnitTest row_of_##name __attribute__((                                   \
        IN_ORDER used, section("test_rows"), aligned(_Alignof(struct CMUnitTest)))) = {            \
        #name, name, setup, teardown, NULL};                                                       \
    static void name(void **state)
#define TEST_MAIN(setup, teardown)                                                                 \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_listed_tests(setup, teardown);                                                  \
    }

extern const struct CMUnitTest __start_test_rows[] __attribute__((weak)),
    __stop_test_rows[] __attribute__((weak));

static inline int run_listed_tests(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    size_t count = (size_t)(__stop_test_rows - __start_test_rows);
    return _cmocka_run_group_tests("tests", __start_test_rows, count, setup, teardown);
}

#endif
