/* contestants.c - tells programs, plugins and results apart by their content. */
#include "harness/cli/contestants.h"

#include "harness/cli/plugin_flag.h"
#include "harness/measure/designs/object.h"

#include <string.h>

static int take_new(const struct options *options, const char *path, struct diag *diag)
{
    const char *expected = options->contested->timed->name;
    const struct tw_design *design = plugins_open(path, diag);
    if (!design)
        return DIAG_USAGE;
    int status = DIAG_OK;
    if (strcmp(design->timed->name, expected) != 0)
        status = diag_usage(diag,
                            "compare: %s is a build of '%s', %s of '%s'; expected two builds of "
                            "one design",
                            options->operands[0], expected, path, design->timed->name);
    plugins_close(design);
    return status;
}

int contestants_take(struct options *options, const char *path, struct diag *diag)
{
    if (options->operand_count > 1 || object_kind(path) != OBJECT_SHARED)
        return DIAG_OK;
    if (options->operand_count == 0)
        return plugin_flag_open(options, path, &options->contested, diag);
    return options->contested ? take_new(options, path, diag) : DIAG_OK;
}

static const char *kind_name(enum object_kind kind)
{
    return kind == OBJECT_PROGRAM ? "program" : kind == OBJECT_SHARED ? "plugin" : "result";
}

static int check_plugins(const struct options *options, const char *before, const char *after,
                         struct diag *diag)
{
    const char *name = options->contested->timed->name;
    for (size_t i = 0; i < options->design_count; i++)
        if (options->designs[i] != options->contested)
            return diag_usage(diag,
                              "compare: --impl or --plugin names '%s', which is the same on both "
                              "sides; %s and %s are builds of '%s', expected no other design",
                              options->designs[i]->timed->name, before, after, name);
    return DIAG_OK;
}

int contestants_find(const struct options *options, const char *before, const char *after,
                     enum contestants *kind, struct diag *diag)
{
    const char *const paths[] = {before, after};
    enum object_kind kinds[2];
    for (size_t i = 0; i < 2; i++) {
        kinds[i] = object_kind(paths[i]);
        if (kinds[i] == OBJECT_OTHER)
            return diag_usage(diag,
                              "compare: %s is an ELF file, but neither a program nor a shared "
                              "object of this system, or it is cut short",
                              paths[i]);
    }
    if (kinds[0] != kinds[1])
        return diag_usage(diag,
                          "compare: %s is a %s, %s is a %s; expected two programs, two plugins or "
                          "two results",
                          before, kind_name(kinds[0]), after, kind_name(kinds[1]));
    *kind = kinds[0] == OBJECT_PROGRAM  ? CONTESTANTS_PROGRAMS
            : kinds[0] == OBJECT_SHARED ? CONTESTANTS_PLUGINS
                                        : CONTESTANTS_RESULTS;
    if (*kind == CONTESTANTS_PLUGINS)
        return check_plugins(options, before, after, diag);
    if (*kind == CONTESTANTS_RESULTS && options->matrix_given)
        return diag_usage(diag,
                          "compare: what to run (--impl, --workload, ..) was given, but %s and "
                          "%s are results: they hold what has been run",
                          before, after);
    return DIAG_OK;
}
