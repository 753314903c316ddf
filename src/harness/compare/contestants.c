/* contestants.c - tells programs, plugins and results apart by their content. */
#include "harness/compare/pairing.h"

#include "harness/base/object.h"
#include "harness/measure/designs/designs.h"

bool contestants_is_plugin(const char *path)
{
    return object_kind(path) == OBJECT_SHARED;
}

int contestants_match(const struct tw_design *old, const char *old_path, const char *path,
                      struct diag *diag)
{
    const char *expected = old->timed->name;
    const struct tw_design *design = plugins_open(path, diag);
    if (!design)
        return DIAG_USAGE;
    int status = DIAG_OK;
    if (strcmp(design->timed->name, expected) != 0)
        status = diag_usage(diag,
                            "compare: %s is a build of '%s', %s of '%s'; expected two builds of "
                            "one design",
                            old_path, expected, path, design->timed->name);
    plugins_close(design);
    return status;
}

static const char *kind_name(enum object_kind kind)
{
    return kind == OBJECT_PROGRAM ? "program" : kind == OBJECT_SHARED ? "plugin" : "result";
}

static int check_plugins(const struct contestants_wish *contest, const char *before,
                         const char *after, struct diag *diag)
{
    const char *name = contest->design->timed->name;
    for (size_t i = 0; i < contest->design_count; i++)
        if (contest->designs[i] != contest->design)
            return diag_usage(diag,
                              "compare: --impl or --plugin names '%s', which is the same on both "
                              "sides; %s and %s are builds of '%s', expected no other design",
                              contest->designs[i]->timed->name, before, after, name);
    return DIAG_OK;
}

int contestants_find(const struct contestants_wish *contest, const char *before, const char *after,
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
        return check_plugins(contest, before, after, diag);
    if (*kind == CONTESTANTS_RESULTS && contest->matrix_given)
        return diag_usage(diag,
                          "compare: what to run (--impl, --workload, ..) was given, but %s and "
                          "%s are results: they hold what has been run",
                          before, after);
    return DIAG_OK;
}
