/* runner_plugins.c - loads runners of shared objects, and checks that their tables are whole. */
#include "labs/live/runner_plugins.h"

#include "harness/base/memory.h"
#include "harness/measure/designs/plugin_table.h"

#include <dlfcn.h>

struct loaded {
    const struct tw_runner_entry *entry;
    char path[PATH_MAX];
    struct loaded *next;
};

static struct loaded *all_loaded;

/* The name of a function that the table lacks, or NULL. */
static const char *missing_function(const struct tw_runner *runner)
{
    return !runner->open                                              ? "open"
           : !runner->enter                                           ? "enter"
           : !runner->leave                                           ? "leave"
           : !runner->start                                           ? "start"
           : !runner->stop                                            ? "stop"
           : !runner->wait                                            ? "wait"
           : !runner->shut                                            ? "shut"
           : !runner->close                                           ? "close"
           : !runner->stats                                           ? "stats"
           : !runner->describe                                        ? "describe"
           : !runner->purge && runner->flags & TW_RUNNER_PURGES       ? "purge"
           : !runner->next && runner->flags & TW_RUNNER_CALLERS_DRIVE ? "next"
                                                                      : NULL;
}

static int check_table(const char *path, const struct tw_runner *runner, struct diag *diag)
{
    if (!runner || runner->abi_version != TW_RUNNER_ABI_VERSION)
        return diag_usage(diag, "%s: a table is %s; expected version %u of the contract (runner.h)",
                          path, runner ? "for another version" : "NULL", TW_RUNNER_ABI_VERSION);
    const char *missing = missing_function(runner);
    if (!runner->name || !table_own_name_is_good(runner->name))
        return diag_usage(diag, "%s: the runner's " TABLE_OWN_NAME_RULE, path);
    if (!runner->summary || !runner->after || !runner->params)
        return diag_usage(diag, "%s: '%s' lacks a summary, an after or its params", path,
                          runner->name);
    if (missing)
        return diag_usage(diag, "%s: '%s' has no function %s", path, runner->name, missing);
    for (const struct tw_param *param = runner->params; param->name; param++)
        if (!table_name_is_good(param->name) || !param->help || param->min > param->max ||
            param->values_max != 1)
            return diag_usage(diag,
                              "%s: setting %td needs a good name, a help text, min <= max "
                              "and one value",
                              path, param - runner->params + 1);
    return DIAG_OK;
}

const struct tw_runner_entry *runner_plugins_open(const char *given, struct diag *diag)
{
    struct loaded *loaded = memory_take(1, sizeof *loaded);
    if (!realpath(given, loaded->path)) {
        diag_usage(diag, "%s: %s", given, strerror(errno));
        free(loaded);
        return NULL;
    }
    void *object = dlopen(loaded->path, RTLD_NOW | RTLD_LOCAL);
    loaded->entry = object ? dlsym(object, "tw_runner_plugin") : NULL;
    loaded->next = all_loaded;
    all_loaded = loaded;
    if (!loaded->entry)
        diag_usage(diag, "%s: cannot be loaded: %.300s", given, dlerror());
    else if (loaded->entry->abi_version != TW_RUNNER_ABI_VERSION)
        diag_usage(diag,
                   "%s: was built for version %u of the contract; expected %u: build it again "
                   "with this version's runner.h",
                   given, loaded->entry->abi_version, TW_RUNNER_ABI_VERSION);
    else if (check_table(given, loaded->entry->timed, diag) == DIAG_OK &&
             check_table(given, loaded->entry->proved, diag) == DIAG_OK)
        return loaded->entry;
    return NULL;
}

const char *runner_plugins_path(const struct tw_runner_entry *entry)
{
    for (const struct loaded *loaded = all_loaded; loaded; loaded = loaded->next)
        if (loaded->entry == entry)
            return loaded->path;
    return NULL;
}
