/* test_clocks.c - the file that says how far the clocks are apart. */
#include "labs/traces/import/import.h"
#include "testing.h"

#include <unistd.h>

static char directory[128];

static const char *in_directory(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", directory, name);
    return path;
}

static void file_write(const char *name, const char *text)
{
    char path[200];
    FILE *file = fopen(in_directory(name, path, sizeof path), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int file_read(const char *text, struct clocks *clocks, struct diag *diag)
{
    char path[200];
    file_write("a.clocks", text);
    *clocks = (struct clocks){0};
    return clocks_read(clocks, in_directory("a.clocks", path, sizeof path), diag);
}

TEST(test_good)
{
    struct clocks clocks;
    struct diag diag;
    assert_int_equal(file_read("# of vm\nrealtime-monotonic 1795224077036104536\n"
                               "boottime-monotonic -200\n",
                               &clocks, &diag),
                     DIAG_OK);
    assert_true(clocks.has_realtime && clocks.has_boottime);
    assert_int_equal(clocks.realtime, 1795224077036104536);
    assert_int_equal(clocks.boottime, -200);
    assert_int_equal(file_read("boottime-monotonic 7\n", &clocks, &diag), DIAG_OK);
    assert_false(clocks.has_realtime);
}

TEST(test_bad)
{
    static const char *const bad[] = {
        "realtime-monotonic\n",
        "realtime-monotonic 1.5\n",
        "realtime 1\n",
        "boottime-monotonic x\n",
        "realtime-monotonic 1 2\n",
        "# nothing\n",
        "",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct clocks clocks;
        struct diag diag = {.text = ""};
        assert_int_equal(file_read(bad[i], &clocks, &diag), DIAG_USAGE);
        assert_non_null(strstr(diag.text, "a.clocks"));
        assert_false(clocks.has_realtime || clocks.has_boottime);
    }
}

TEST(test_beside)
{
    static const struct {
        const char *log, *clocks; /* NULL: nothing there */
    } cases[] = {
        {"b.txt", "b.clocks"}, {"b.txt.xz", "b.clocks"},  {"b.txt.gz", "b.clocks"},
        {"b", "b.clocks"},     {"c.txt", "c.txt.clocks"}, {"c.txt.xz", "c.txt.clocks"},
        {"c", NULL},           {"bb.txt", NULL},          {".b", NULL},
    };
    file_write("b.clocks", "");
    file_write("c.txt.clocks", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char log[200], path[300], expected[200];
        bool found = clocks_beside(in_directory(cases[i].log, log, sizeof log), path, sizeof path);
        assert_int_equal(found, cases[i].clocks != NULL);
        if (found)
            assert_string_equal(path, in_directory(cases[i].clocks, expected, sizeof expected));
    }
}

static int directory_make(void **state)
{
    temporary_name(directory, sizeof directory, "test_clocks");
    return mkdtemp(directory) ? 0 : -1;
}

static int directory_remove(void **state)
{
    static const char *const names[] = {"a.clocks", "b.clocks", "c.txt.clocks"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        unlink(in_directory(names[i], path, sizeof path));
    }
    return rmdir(directory);
}

TEST_MAIN(directory_make, directory_remove)
