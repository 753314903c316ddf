/*
 * programs.h - small scripts that stand in for programs, in a directory that is taken away again.
 *
 * For tests of whatever starts processes: what a script does is known, where it fails is chosen.
 */
#ifndef TWBENCH_PROGRAMS_H
#define TWBENCH_PROGRAMS_H

#include "harness/base/paths.h"
#include "testing.h"

#include <sys/stat.h>

#define PROGRAMS_PATH 96

struct programs {
    char directory[64];
};

/* Set-up and tear-down of a cmocka test; *state is the struct. */
static inline int programs_begin(void **state)
{
    struct programs *programs = calloc(1, sizeof *programs);
    if (!programs)
        return -1;
    paths_temporary(programs->directory, sizeof programs->directory, "test_programs");
    *state = programs;
    return mkdtemp(programs->directory) ? 0 : -1;
}

static inline int programs_end(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", ((struct programs *)*state)->directory);
    free(*state);
    return system(command);
}

/* `path` (PROGRAMS_PATH bytes) of a file of that name in the directory. */
static inline void programs_path(const struct programs *programs, const char *name, char *path)
{
    snprintf(path, PROGRAMS_PATH, "%.63s/%.30s", programs->directory, name);
}

/* A shell script `name`, which runs in the directory and knows its own name as $name. */
static inline void programs_add(const struct programs *programs, const char *name, const char *body,
                                char *path)
{
    programs_path(programs, name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\ncd %s || exit 99\nname=%s\n%s\n", programs->directory, name, body);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
}

/* The text of a file in the directory, "" when there is none. */
static inline void programs_read(const struct programs *programs, const char *name, char *text,
                                 size_t size)
{
    char path[PROGRAMS_PATH];
    programs_path(programs, name, path);
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, size - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
}

#endif
