/* test_layouts.c - this program and a library of the system, moved: they work, and lie elsewhere. */
#include "harness/compare/blocks.h"

#include "unit/programs.h"

#include <dlfcn.h>
#include <elf.h>
#include <math.h>
#include <unistd.h>

static void path_of(void **state, const char *name, char *path)
{
    const struct programs *programs = *state;
    snprintf(path, PROGRAMS_PATH, "%s/%s", programs->directory, name);
}

/* Where main of the moved program lies in its page, as that says itself; -1: it does not. */
static long where(const char *path)
{
    char command[PROGRAMS_PATH + 16];
    long answer = -1;
    snprintf(command, sizeof command, "%s where", path);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    if (fscanf(out, "%ld", &answer) != 1)
        answer = -1;
    pclose(out);
    return answer;
}

TEST_AROUND(test_a_program_moves_by_its_steps, programs_begin, programs_end)
{
    struct layout_file file;
    struct diag diag;
    char path[PROGRAMS_PATH], self[4096];
    assert_int_equal(paths_program(self, sizeof self, &diag), DIAG_OK);
    path_of(state, "moved", path);
    assert_int_equal(layout_read(&file, self, &diag), DIAG_OK);
    if (file.step == 0) {
        layout_free(&file);
        skip(); /* of another processor, or built to lie where it lies */
    }
    assert_int_equal(layout_write(&file, 0, path, &diag), DIAG_OK);
    long first = where(path);
    assert_in_range(first, 0, 4095);
    uint64_t steps = 4096 / file.step;
    for (uint64_t step = 1; step < steps; step = step * 3 + 1) {
        assert_int_equal(layout_write(&file, step, path, &diag), DIAG_OK);
        assert_int_equal(where(path), (first + (long)(step * file.step)) % 4096);
    }
    assert_int_equal(layout_write(&file, steps - 1, path, &diag), DIAG_OK);
    assert_int_equal(where(path), (first + (long)((steps - 1) * file.step)) % 4096);
    layout_free(&file);
}

/* With functions that are chosen when it is loaded, lazy binding and data that are relocated. */
TEST_AROUND(test_a_library_works_where_it_lies, programs_begin, programs_end)
{
    struct layout_file file;
    struct diag diag;
    Dl_info info;
    char path[PROGRAMS_PATH];
    assert_true(dladdr((void *)(uintptr_t)cos, &info) != 0);
    assert_int_equal(layout_read(&file, info.dli_fname, &diag), DIAG_OK);
    for (uint64_t step = 1; file.step > 0 && step < 64; step = step * 5 + 2) {
        path_of(state, "x.so", path);
        path[strlen(path) - 4] = (char)('a' + step % 26);
        assert_int_equal(layout_write(&file, step, path, &diag), DIAG_OK);
        void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            fail_msg("%s", dlerror());
        double (*moved)(double) = NULL;
        *(void **)&moved = dlsym(library, "cos");
        assert_non_null(moved);
        assert_true(moved(0.5) == cos(0.5));
        dlclose(library);
    }
    layout_free(&file);
}

/* Whatever bytes come: refused, or moved as far as they go; never read beyond their end. */
TEST_AROUND(test_no_file_is_trusted, programs_begin, programs_end)
{
    struct layout_file file, damaged;
    struct diag diag;
    char path[PROGRAMS_PATH], self[4096];
    assert_int_equal(paths_program(self, sizeof self, &diag), DIAG_OK);
    assert_int_equal(layout_read(&file, self, &diag), DIAG_OK);
    path_of(state, "damaged", path);
    for (size_t i = 0; i < 200; i++) {
        size_t size = i % 4 == 0 ? i * 37 : file.size;
        char *bytes = malloc(size + 1);
        assert_non_null(bytes);
        memcpy(bytes, file.bytes, size);
        for (size_t at = sizeof(Elf64_Ehdr) - 16 + i; at < 900 && at < size; at += 61)
            bytes[at] = (char)(i * 7 + at);
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        assert_true(size == 0 || fwrite(bytes, size, 1, out) == 1);
        assert_int_equal(fclose(out), 0);
        free(bytes);
        assert_int_equal(layout_read(&damaged, path, &diag), DIAG_OK);
        if (size < file.size)
            assert_true(damaged.step == 0);
        layout_free(&damaged);
    }
    layout_free(&file);
}

TEST_AROUND(test_what_is_no_program_has_no_step, programs_begin, programs_end)
{
    struct layout_file file;
    struct diag diag;
    char path[PROGRAMS_PATH];
    programs_add(*state, "script", "exit 0", path);
    assert_int_equal(layout_read(&file, path, &diag), DIAG_OK);
    assert_true(file.step == 0);
    layout_free(&file);
    assert_int_equal(layout_read(&file, "/no/such/file", &diag), DIAG_USAGE);
    layout_free(&file);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "where") == 0)
        return printf("%lu\n", (unsigned long)((uintptr_t)main % 4096)) < 0;
    return run_listed_tests(NULL, NULL);
}
