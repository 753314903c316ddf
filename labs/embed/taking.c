/* taking.c - writes the sources of a design and a runner, or a store: headers, C files, licence, example, tests and Makefile. */
#include "labs/embed/taking.h"
#include "labs/embed/twt.h"

#include "harness/base/file.h"
#include "harness/base/paths.h"
#include "harness/measure/designs/designs.h"

#include <sys/stat.h>
#include <unistd.h>

/* What is written: a design or a store, and the runner over it or NULL. */
struct taken {
    const struct taken_source *design, *runner;
    enum taken_use use;
};

struct text {
    const struct taken *taken;
    const char *template;
    const char *behind; /* a second one */
};

static void print_template(FILE *out, const struct taken *taken, const char *at)
{
    const struct taken_source *runner = taken->runner ? taken->runner : taken->design;
    const char *const words[][2] = {{"@DESIGN@", taken->design->identifier},
                                    {"@NAME@", taken->design->name},
                                    {"@RUNNER@", runner->identifier},
                                    {"@RUNNER_NAME@", runner->name}};
    while (*at) {
        size_t i = 0;
        while (i < 4 && strncmp(at, words[i][0], strlen(words[i][0])) != 0)
            i++;
        if (i < 4)
            fputs(words[i][1], out);
        else
            fputc(*at, out);
        at += i < 4 ? strlen(words[i][0]) : 1;
    }
}

static void print_text(FILE *out, const void *ctx)
{
    const struct text *text = ctx;
    print_template(out, text->taken, text->template);
    print_template(out, text->taken, text->behind);
}

/* The row of that name, or NULL. */
static const struct taken_source *find_row(const struct taken_source *rows, size_t count,
                                           const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static int find_design(const char *name, const struct taken_source **out, struct diag *diag)
{
    struct diag reason;
    const struct tw_design *design = designs_find(name, &reason);
    if (!design)
        return diag_usage(diag, "take: %s", reason.text);
    if (design->timed->traits.flags & TW_KEEPS_NOTHING)
        return diag_usage(diag, "take: %s keeps no timers; expected a design that fires", name);
    *out = find_row(taken_designs, taken_design_count, name);
    return *out ? DIAG_OK
                : diag_usage(diag,
                             "take: %s is a library with sources of its own; expected a design of "
                             "twbench ('twbench list' names them)",
                             name);
}

static int find_runner(const char *name, const struct taken_source **out, struct diag *diag)
{
    *out = find_row(taken_runners, taken_runner_count, name);
    if (*out)
        return DIAG_OK;
    return taken_runner_count == 0
               ? diag_usage(diag,
                            "--runner: the runners are the lab live's, whose folder is not there")
               : diag_usage(diag,
                            "--runner: '%s' is not a runner of twbench ('twbench list' names them)",
                            name);
}

int taking_check_growable(const char *flag, const struct tw_backend *design, struct diag *diag)
{
    const struct twt_config config = {.design = design, .capacity = 1};
    struct twt_set *set;
    struct tw_error error;
    if (twt_open(&set, &config, &error) != TW_OK)
        return diag_usage(diag, "%s: %s: %s", flag, design->name, error.text);
    twt_close(set);
    return DIAG_OK;
}

static int find_taken(const struct taking *taking, struct taken *taken, struct diag *diag)
{
    taken->design = find_row(taken_stores, taken_store_count, taking->design);
    taken->use = taken->design      ? TAKEN_STORE
                 : taking->runner   ? TAKEN_RUNNER
                 : taking->growable ? TAKEN_GROWABLE
                                    : TAKEN_ALONE;
    if (taken->use == TAKEN_STORE && (taking->runner || taking->growable))
        return diag_usage(diag, "--%s: %s is a store, which has none",
                          taking->runner ? "runner" : "growable", taking->design);
    if (taking->runner && taking->growable)
        return diag_usage(diag, "--growable: a runner has ids of its own; expected one of both");
    int status = taken->design ? DIAG_OK : find_design(taking->design, &taken->design, diag);
    if (status == DIAG_OK && taking->growable)
        status =
            taking_check_growable("--growable", designs_find(taking->design, diag)->timed, diag);
    return status == DIAG_OK && taking->runner ? find_runner(taking->runner, &taken->runner, diag)
                                               : status;
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
        return diag_usage(diag, "-o: %s: cannot be made: %s; expected a directory to write into",
                          directory, strerror(errno));
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

static void add_file(struct taking_files *files, const char *templates[TAKING_FILES],
                     const struct taken *taken, const char *name, const char *template)
{
    FILE *out = fmemopen(files->names[files->count], TAKING_LENGTH, "w");
    if (out) {
        print_template(out, taken, name);
        fclose(out);
    }
    templates[files->count++] = template;
}

static void name_files(const struct taken *taken, struct taking_files *files,
                       const char *templates[TAKING_FILES])
{
    files->count = 0;
    add_file(files, templates, taken, "tw_@DESIGN@.c", taken->design->source);
    if (taken->runner)
        add_file(files, templates, taken, "tw_@RUNNER@_runner.c", taken->runner->source);
    for (size_t i = 0; i < taken_shared_count && files->count < TAKING_FILES; i++)
        if (taken_shared[i].use & taken->use)
            add_file(files, templates, taken, taken_shared[i].name, taken_shared[i].text);
}

int taking_write(const struct taking *taking, struct taking_files *files, struct diag *diag)
{
    struct taken taken = {.runner = NULL};
    const char *templates[TAKING_FILES];
    int status = find_taken(taking, &taken, diag);
    if (status == DIAG_OK)
        status = paths_check_directory("-o", taking->directory, diag);
    if (status != DIAG_OK)
        return status;
    name_files(&taken, files, templates);
    if (!taking->force)
        status = refuse_existing(taking->directory, files, diag);
    if (status == DIAG_OK)
        status = make_directory(taking->directory, diag);
    for (size_t i = 0; i < files->count && status == DIAG_OK; i++) {
        char path[4096 + TAKING_LENGTH];
        snprintf(path, sizeof path, "%s/%s", taking->directory, files->names[i]);
        bool has_layer = i == 0 && taken.use == TAKEN_GROWABLE;
        struct text text = {&taken, templates[i], has_layer ? taken_layer : ""};
        status = file_replace(path, print_text, &text, diag);
    }
    return status;
}
