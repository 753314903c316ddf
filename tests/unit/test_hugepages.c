/* test_hugepages.c - memory in huge pages: that it is where it was asked for, and that it is counted. */
#include "harness/measure/run/arena.h"
#include "testing.h"

#include "harness/base/paths.h"
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (5 * HUGEPAGES_BYTES + 4096) /* rounded up to six huge pages */

TEST(test_memory_is_aligned_and_zero)
{
    for (int huge = 0; huge < 2; huge++) {
        unsigned char *memory = hugepages_map(BYTES, huge);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % HUGEPAGES_BYTES, 0);
        for (size_t i = 0; i < BYTES; i += 4096) {
            assert_int_equal(memory[i], 0);
            memory[i] = 1;
        }
        hugepages_unmap(memory, BYTES);
    }
}

/* Both kinds lie side by side: what is told of one must not be told of the other. */
TEST(test_small_pages_are_not_huge)
{
    char *small = hugepages_map(BYTES, false), *large = hugepages_map(BYTES, true);
    assert_non_null(small);
    assert_non_null(large);
    memset(small, 1, BYTES);
    memset(large, 1, BYTES);
    uint64_t touched = 0, huge = 0;
    assert_true(hugepages_count(small, BYTES, &touched, &huge));
    assert_int_equal(touched, BYTES);
    assert_int_equal(huge, 0);
    hugepages_unmap(small, BYTES);
    hugepages_unmap(large, BYTES);
}

TEST(test_huge_pages_are_counted)
{
    if (!hugepages_are_there(""))
        skip();
    char *memory = hugepages_map(BYTES, true);
    assert_non_null(memory);
    uint64_t touched = 0, huge = 0;
    assert_true(hugepages_count(memory, BYTES, &touched, &huge));
    assert_int_equal(touched, 0);
    memset(memory, 1, 3 * HUGEPAGES_BYTES);
    assert_true(hugepages_count(memory, BYTES, &touched, &huge));
    assert_int_equal(touched, 3 * HUGEPAGES_BYTES);
    /* A machine whose memory is in pieces may not have given three. */
    assert_true(huge <= touched);
    assert_int_equal(huge % HUGEPAGES_BYTES, 0);
    if (huge == 0)
        print_message("# no 2 MiB in one piece were free: not seen\n");
    hugepages_unmap(memory, BYTES);
}

/* What the process has grows by what is mapped and touched; and who refuses gets nothing more. */
TEST(test_of_the_process)
{
    uint64_t before, with, touched = 0, huge = 0;
    assert_true(hugepages_of_process(&before));
    char *memory = hugepages_map(BYTES, true);
    assert_non_null(memory);
    memset(memory, 1, BYTES);
    assert_true(hugepages_count(memory, BYTES, &touched, &huge));
    assert_true(hugepages_of_process(&with));
    assert_int_equal(with - before, huge);
    hugepages_unmap(memory, BYTES);
}

TEST(test_refused)
{
    pid_t child = fork();
    if (child == 0) {
        uint64_t touched = 0, huge = 0;
        hugepages_refuse();
        char *memory = hugepages_map(BYTES, true);
        memset(memory, 1, BYTES);
        _exit(hugepages_count(memory, BYTES, &touched, &huge) && touched > 0 && huge == 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST(test_more_than_there_is)
{
    assert_null(hugepages_map((size_t)1 << 62, true));
}

/* ---- What the system is set to. -------------------------------------------------------------- */

static void system_says(char *root, const char *words)
{
    char path[256] = "";
    for (const char *part = "/sys/kernel/mm/transparent_hugepage/"; *part; part++) {
        size_t length = strlen(path);
        if (*part == '/' && length > 0) {
            char full[512];
            snprintf(full, sizeof full, "%s%s", root, path);
            mkdir(full, 0755);
        }
        path[length] = *part;
        path[length + 1] = '\0';
    }
    char file[512];
    snprintf(file, sizeof file, "%s%senabled", root, path);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(words, out);
    fclose(out);
}

TEST(test_the_setting_is_read)
{
    char root[64], command[80];
    paths_temporary(root, sizeof root, "test_hugepages");
    assert_non_null(mkdtemp(root));
    assert_false(hugepages_are_there(root));
    system_says(root, "always madvise [never]\n");
    assert_false(hugepages_are_there(root));
    system_says(root, "always [madvise] never\n");
    assert_true(hugepages_are_there(root));
    system_says(root, "[always] madvise never\n");
    assert_true(hugepages_are_there(root));
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

TEST_MAIN(NULL, NULL)
