/* taking.c - writes the sources of a design: header, C file, licence, example, test and Makefile. */
#include "harness/ask/take/taking.h"

#include "harness/ask/take/taken.h"
#include "harness/base/file.h"
#include "harness/base/paths.h"
#include "harness/measure/designs/designs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct text {
    const struct taken_design *design;
    const char *template;
};

static void print_text(FILE *out, const void *ctx)
{
    static const char identifier[] = "@DESIGN@", name[] = "@NAME@";
    const struct text *text = ctx;
    const char *at = text->template;
    while (*at) {
        if (strncmp(at, identifier, sizeof identifier - 1) == 0) {
            fputs(text->design->identifier, out);
            at += sizeof identifier - 1;
        } else if (strncmp(at, name, sizeof name - 1) == 0) {
            fputs(text->design->name, out);
            at += sizeof name - 1;
        } else {
            fputc(*at++, out);
        }
    }
}

static int find_design(const char *name, const struct taken_design **out, struct diag *diag)
{
    struct diag reason;
    const struct tw_design *design = designs_find(name, &reason);
    if (!design)
        return diag_usage(diag, "take: %s", reason.text);
    if (design->timed->traits.flags & TW_KEEPS_NOTHING)
        return diag_usage(diag, "take: %s keeps no timers; expected a design that fires", name);
    for (size_t i = 0; i < taken_design_count; i++)
        if (strcmp(taken_designs[i].name, name) == 0) {
            *out = &taken_designs[i];
            return DIAG_OK;
        }
    return diag_usage(diag,
                      "take: %s is a library with sources of its own; expected a design of "
                      "twbench ('twbench list' names them)",
                      name);
}

static int make_directory(const char *directory, struct diag *diag)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s", directory) >= (int)sizeof path)
        return diag_usage(diag, "-o: %.200s...: the name is too long", directory);
    for (char *slash = path + 1; *slash; slash++)
        if (*slash == '/') {
            *slash = '\0';
            (void)mkdir(path, 0777); /* the last one says what is wrong */
            *slash = '/';
        }
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return diag_run(diag, "-o: %s: cannot be made: %s", directory, strerror(errno));
    return DIAG_OK;
}

/* Names all that is there: a user who moves one file away should not meet the next one. */
static int refuse_existing(const char *directory, const struct taking_files *files,
                           struct diag *diag)
{
    char path[4096 + TAKING_LENGTH], there[TAKING_FILES * TAKING_LENGTH] = "";
    struct stat info;
    for (size_t i = 0; i < files->count; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files->names[i]);
        if (lstat(path, &info) != 0)
            continue;
        size_t length = strlen(there);
        snprintf(there + length, sizeof there - length, "%s%s", length ? ", " : "",
                 files->names[i]);
    }
    if (there[0])
        return diag_usage(diag, "-o: %s: there already: %s; --force overwrites", directory, there);
    return DIAG_OK;
}

static void name_files(const struct taken_design *design, struct taking_files *files,
                       const char *templates[TAKING_FILES])
{
    files->count = 0;
    snprintf(files->names[files->count], TAKING_LENGTH, "tw_%s.c", design->identifier);
    templates[files->count++] = design->source;
    for (size_t i = 0; i < taken_shared_count && files->count < TAKING_FILES; i++) {
        FILE *name = fmemopen(files->names[files->count], TAKING_LENGTH, "w");
        if (name) {
            print_text(name, &(struct text){design, taken_shared[i].name});
            fclose(name);
        }
        templates[files->count++] = taken_shared[i].text;
    }
}

int taking_write(const struct taking *taking, struct taking_files *files, struct diag *diag)
{
    const struct taken_design *design = NULL;
    const char *templates[TAKING_FILES];
    int status = find_design(taking->design, &design, diag);
    if (status == DIAG_OK)
        status = paths_check_directory("-o", taking->directory, diag);
    if (status != DIAG_OK)
        return status;
    name_files(design, files, templates);
    if (!taking->force)
        status = refuse_existing(taking->directory, files, diag);
    if (status == DIAG_OK)
        status = make_directory(taking->directory, diag);
    for (size_t i = 0; i < files->count && status == DIAG_OK; i++) {
        char path[4096 + TAKING_LENGTH];
        snprintf(path, sizeof path, "%s/%s", taking->directory, files->names[i]);
        status = file_replace(path, print_text, &(struct text){design, templates[i]}, diag);
    }
    return status;
}
