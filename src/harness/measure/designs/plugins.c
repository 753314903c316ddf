/* plugins.c - keeps a copy of a plugin's table, which gets its functions in children only. */
#include "harness/measure/designs/designs.h"

#include "harness/base/memory.h"

#include "harness/measure/designs/plugin_table.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

struct plugin_table {
    struct tw_backend table; /* first: a pointer to it is one to this */
    struct plugin *plugin;
};

struct plugin {
    struct tw_design design;
    struct plugin_table timed, counted;
    struct table_copy copy; /* the words of both */
    struct tw_param params[TABLE_PARAMS_MAX + 1];
    struct stat file; /* as it was when it was tried */
    char path[PATH_MAX];
};

static int unloaded_open(struct tw_timers **out, const struct tw_config *config,
                         struct tw_error *error)
{
    (void)out;
    (void)config;
    snprintf(error->text, sizeof error->text, "the plugin is not loaded in this process");
    return TW_BAD_SETTING;
}

bool plugins_is_unloaded(const struct tw_backend *table)
{
    return table->open == unloaded_open;
}

static struct plugin *plugin_of(const struct tw_backend *table)
{
    return plugins_is_unloaded(table) ? ((const struct plugin_table *)table)->plugin : NULL;
}

const char *plugins_path(const struct tw_design *design)
{
    const struct plugin *plugin = plugin_of(design->timed);
    return plugin ? plugin->path : NULL;
}

/* dlopen would look for a name without a slash where the system keeps its libraries. */
static int plugin_find(struct plugin *plugin, const char *given, struct diag *diag)
{
    if (access(given, R_OK) != 0 || stat(given, &plugin->file) != 0)
        return diag_usage(diag, "%s: %s", given, strerror(errno));
    if (!S_ISREG(plugin->file.st_mode))
        return diag_usage(diag, "%s: not a file that can be loaded", given);
    if (!realpath(given, plugin->path))
        return diag_usage(diag, "%s: %s", given, strerror(errno));
    return DIAG_OK;
}

static void plugin_table_init(struct plugin *plugin, struct plugin_table *table,
                              const struct tw_backend *words)
{
    table->table = *words;
    table->table.open = unloaded_open;
    table->plugin = plugin;
}

static int plugin_try(struct plugin *plugin, const char *given, struct diag *diag)
{
    struct tw_backend words;
    char shown[PATH_MAX];
    snprintf(shown, sizeof shown, "%s%s", strchr(given, '/') ? "" : "./", given);
    int status = plugin_find(plugin, given, diag);
    if (status == DIAG_OK)
        status = isolate_load(shown, &plugin->copy, diag);
    if (status == DIAG_OK)
        status = table_restore(shown, &plugin->copy, plugin->params, &words, diag);
    if (status != DIAG_OK)
        return status;
    plugin_table_init(plugin, &plugin->timed, &words);
    plugin_table_init(plugin, &plugin->counted, &words);
    plugin->design = (struct tw_design){
        .abi_version = TW_ABI_VERSION,
        .timed = &plugin->timed.table,
        .counted = &plugin->counted.table,
    };
    return DIAG_OK;
}

const struct tw_design *plugins_open(const char *given, struct diag *diag)
{
    struct plugin *plugin = memory_take(1, sizeof *plugin);
    if (plugin_try(plugin, given, diag) == DIAG_OK)
        return &plugin->design;
    free(plugin);
    return NULL;
}

void plugins_close(const struct tw_design *design)
{
    free(plugin_of(design->timed));
}

/* ---- In a child ------------------------------------------------------------------------------ */

/* A file that is built anew while it is measured would put two designs into one result. */
static bool file_is_the_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* The words stay the copy's. */
static void functions_take(struct tw_backend *table, const struct tw_backend *from)
{
    struct tw_backend words = *table;
    *table = *from;
    table->name = words.name;
    table->summary = words.summary;
    table->traits = words.traits;
    table->params = words.params;
}

void *plugins_symbol(const struct tw_backend *table, const char *name)
{
    Dl_info info;
    const void *inside =
        (const void *)(uintptr_t)table->open; /* the table is a copy that lies elsewhere */
    void *object = dladdr(inside, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    return object ? dlsym(object, name) : NULL;
}

int plugins_load(const struct tw_backend *table, struct diag *diag)
{
    struct plugin *plugin = plugin_of(table);
    struct table_copy now;
    struct stat file;
    if (!plugin)
        return DIAG_OK;
    if (stat(plugin->path, &file) != 0 || !file_is_the_same(&file, &plugin->file))
        return diag_run(diag, "%s: the file has changed since it was checked; run it again",
                        plugin->path);
    void *object = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        return diag_run(diag, "%s: cannot be loaded: %s", plugin->path, dlerror());
    const struct tw_design *design = dlsym(object, "tw_plugin");
    if (table_check(plugin->path, design, diag) != DIAG_OK)
        return DIAG_RUN;
    table_copy(design->timed, &now);
    if (memcmp(&now, &plugin->copy, sizeof now) != 0)
        return diag_run(diag, "%s: its table is another one each time it is loaded", plugin->path);
    functions_take(&plugin->timed.table, design->timed);
    functions_take(&plugin->counted.table, design->counted);
    return DIAG_OK;
}
