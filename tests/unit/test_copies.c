/* test_copies.c - copies of programs: alike in name, alike in content, and gone afterwards. */
#include "harness/compare/pairing.h"

#include "unit/programs.h"

#include <unistd.h>

TEST_AROUND(test_three_copies_of_one_length, programs_begin, programs_end)
{
    char before[PROGRAMS_PATH], after[PROGRAMS_PATH], command[512];
    struct copies copies;
    struct diag diag;
    programs_add(*state, "old", "echo old", before);
    programs_add(*state, "a-new-one-with-a-long-name", "echo new", after);
    setenv("TMPDIR", ((struct programs *)*state)->directory, 1);
    assert_int_equal(copies_begin(&copies, &diag), DIAG_OK);
    assert_int_equal(strncmp(copies.directory, before, strlen(before) - 3), 0);
    assert_int_equal(copies_add(&copies, before, &diag), DIAG_OK);
    assert_int_equal(copies_add(&copies, after, &diag), DIAG_OK);
    assert_int_equal(copies_add(&copies, before, &diag), DIAG_OK);
    assert_int_equal(copies.count, 3);
    assert_true(copies.hashes[0] == copies.hashes[2]);
    assert_true(copies.hashes[0] != copies.hashes[1]);
    for (size_t i = 0; i < 3; i++) {
        struct stat status;
        assert_int_equal(strlen(copies.paths[i]), strlen(copies.paths[0]));
        assert_int_equal(stat(copies.paths[i], &status), 0);
        assert_int_equal(status.st_mode & 0777, 0700);
        snprintf(command, sizeof command, "cmp -s %s %s", copies.paths[i], i == 1 ? after : before);
        assert_int_equal(system(command), 0);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(copies.paths[i], copies.paths[j]);
    }
    /* A copy is no link: what is done to the program later does not reach it. */
    assert_int_equal(truncate(before, 0), 0);
    snprintf(command, sizeof command, "test -s %s", copies.paths[0]);
    assert_int_equal(system(command), 0);
    copies_remove(&copies);
    assert_int_equal(access(copies.directory, F_OK), -1);
    assert_int_equal(access(after, F_OK), 0);
    unsetenv("TMPDIR");
}

/* A program looks for its libraries beside itself: each copy has those of its own program. */
TEST_AROUND(test_a_program_has_its_libraries, programs_begin, programs_end)
{
    char program[PROGRAMS_PATH], command[1024];
    struct copies copies;
    struct diag diag;
    const char *directory = ((struct programs *)*state)->directory;
    programs_add(*state, "old", "echo old", program);
    snprintf(command, sizeof command,
             "mkdir -p %s/build/release/libraries && cd %s/build/release/libraries && echo one "
             ">one.so && "
             "echo two >two.so && echo object >one.o && ln -s %s %s/link",
             directory, directory, program, directory);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/link", directory);
    assert_int_equal(copies_begin(&copies, &diag), DIAG_OK);
    assert_int_equal(copies_add_program(&copies, program, &diag), DIAG_OK);
    assert_int_equal(copies_add_program(&copies, command, &diag), DIAG_OK);
    assert_int_equal(copies_add(&copies, program, &diag), DIAG_OK);
    snprintf(command, sizeof command,
             "cd %s && [ \"$(cd a/libraries && ls | xargs)\" = 'one.so two.so' ] && "
             "[ \"$(cat b/libraries/two.so)\" = two ] && [ ! -e c/libraries ]",
             copies.directory);
    assert_int_equal(system(command), 0);
    copies_remove(&copies);
    assert_int_equal(access(copies.directory, F_OK), -1);
    snprintf(command, sizeof command, "rm -r %s/build %s/link", directory, directory);
    assert_int_equal(system(command), 0);
}

/* Larger than what one call of the kernel would copy through a buffer of ours. */
TEST_AROUND(test_a_large_program_is_copied_whole, programs_begin, programs_end)
{
    char path[PROGRAMS_PATH], command[512];
    struct copies copies;
    struct diag diag;
    programs_path(*state, "large", path);
    snprintf(command, sizeof command, "head -c 5000001 /dev/zero >%s; echo end >>%s", path, path);
    assert_int_equal(system(command), 0);
    assert_int_equal(copies_begin(&copies, &diag), DIAG_OK);
    assert_int_equal(copies_add(&copies, path, &diag), DIAG_OK);
    snprintf(command, sizeof command, "cmp -s %s %s", copies.paths[0], path);
    assert_int_equal(system(command), 0);
    copies_remove(&copies);
}

TEST_AROUND(test_what_cannot_be_read_is_named, programs_begin, programs_end)
{
    struct copies copies;
    struct diag diag;
    const char *directory = ((struct programs *)*state)->directory;
    assert_int_equal(copies_begin(&copies, &diag), DIAG_OK);
    assert_int_equal(copies_add(&copies, "/nowhere/program", &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "/nowhere/program: cannot be opened: No such file or directory");
    assert_int_equal(copies_add(&copies, directory, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, directory));
    copies_remove(&copies);
    assert_int_equal(access(copies.directory, F_OK), -1);
}

TEST(test_a_place_that_is_none)
{
    struct copies copies;
    struct diag diag;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_int_equal(copies_begin(&copies, &diag), DIAG_RUN);
    assert_non_null(strstr(diag.text, "/nowhere/at/all/twbench-"));
    assert_non_null(strstr(diag.text, strerror(ENOENT)));
    copies_remove(&copies);
    unsetenv("TMPDIR");
}

/* Empty is as good as unset: the root directory is no place for copies.  Nor is a long path: all
 * that is compared should have paths of a like length. */
TEST(test_tmpdir_empty_or_long)
{
    static const char *const places[] = {"", "/tmp/a-directory-with-a-name-much-longer-than-others",
                                         NULL};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct copies copies;
        struct diag diag;
        if (places[i])
            setenv("TMPDIR", places[i], 1);
        else
            unsetenv("TMPDIR");
        assert_int_equal(copies_begin(&copies, &diag), DIAG_OK);
        int same = strncmp(copies.directory, "/tmp/twbench-", strlen("/tmp/twbench-"));
        copies_remove(&copies);
        assert_int_equal(same, 0);
    }
    unsetenv("TMPDIR");
}

TEST_MAIN(NULL, NULL)
