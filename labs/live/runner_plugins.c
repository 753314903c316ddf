/* runner_plugins.c - checks a runner's table in a child, and keeps a copy that gets its functions in children only. */
#include "labs/live/runner_plugins.h"

#include "harness/base/utf8.h"
#include "harness/base/ward.h"
#include "harness/measure/designs/plugin_table.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYMBOL       "tw_runner_plugin"
#define LIMIT_S      10u
#define CPU_SECONDS  20
#define MEMORY_BYTES ((uint64_t)1 << 30)
#define FILE_BYTES   ((uint64_t)16 << 20)

/* All of a table but its functions, without a pointer. */
struct runner_copy {
    char wrong[400]; /* what is wrong with it; empty: nothing */
    char name[TABLE_NAME_SIZE], summary[TABLE_TEXT_SIZE], after[TABLE_TEXT_SIZE];
    unsigned flags;
    uint64_t tick_ns;
    size_t param_count;
    struct {
        char name[TABLE_NAME_SIZE], help[TABLE_TEXT_SIZE];
        uint64_t min, max;
        uint32_t values_max;
    } params[TABLE_PARAMS_MAX];
};

struct runner_plugin {
    struct tw_runner_entry entry; /* first: a pointer to it is one to this */
    struct tw_runner timed, proved;
    struct runner_copy copy;
    struct tw_param params[TABLE_PARAMS_MAX + 1];
    char path[PATH_MAX];
    struct stat file; /* as it was when it was tried */
};

static int unloaded_open(struct tw_service **out, const struct tw_runner_config *config,
                         struct tw_error *error)
{
    (void)out;
    (void)config;
    snprintf(error->text, sizeof error->text, "the plugin is not loaded in this process");
    return TW_RUN_BAD_SETTING;
}

bool runner_plugins_is_one(const char *path)
{
    struct stat info;
    bool found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
        size_t size = (size_t)info.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            found = memcmp(bytes, "\177ELF", size < 4 ? size : 4) == 0 &&
                    memmem(bytes, size, SYMBOL, sizeof SYMBOL) != NULL;
            munmap(bytes, size);
        }
    }
    close(fd);
    return found;
}

/* ---- In a child. ------------------------------------------------------------------------------ */

/* The name of a function that the table lacks, or NULL. */
static const char *missing_function(const struct tw_runner *runner)
{
    const struct {
        const char *name;
        bool is_there;
    } functions[] = {
        {"open", runner->open != NULL},
        {"enter", runner->enter != NULL},
        {"leave", runner->leave != NULL},
        {"start", runner->start != NULL},
        {"stop", runner->stop != NULL},
        {"wait", runner->wait != NULL},
        {"shut", runner->shut != NULL},
        {"close", runner->close != NULL},
        {"stats", runner->stats != NULL},
        {"describe", runner->describe != NULL},
        {"purge", runner->purge || !(runner->flags & TW_RUNNER_PURGES)},
        {"next", runner->next || !(runner->flags & TW_RUNNER_CALLERS_DRIVE)},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!functions[i].is_there)
            return functions[i].name;
    return NULL;
}

static void copy_params(const struct tw_runner *runner, struct runner_copy *copy)
{
    for (const struct tw_param *param = runner->params; param && param->name; param++) {
        size_t at = copy->param_count++;
        if (at == TABLE_PARAMS_MAX || !table_name_is_good(param->name) || !param->help ||
            param->min > param->max || param->values_max != 1) {
            snprintf(copy->wrong, sizeof copy->wrong,
                     "setting %zu needs a good name, a help text, min <= max and one value",
                     at + 1);
            copy->param_count = at;
            return;
        }
        snprintf(copy->params[at].name, sizeof copy->params[at].name, "%s", param->name);
        snprintf(copy->params[at].help, sizeof copy->params[at].help, "%s", param->help);
        copy->params[at].min = param->min;
        copy->params[at].max = param->max;
        copy->params[at].values_max = param->values_max;
    }
}

/* The table's words, or what is wrong with it. */
static void copy_table(const struct tw_runner *runner, struct runner_copy *copy)
{
    memset(copy, 0, sizeof *copy);
    if (!runner || runner->abi_version != TW_RUNNER_ABI_VERSION) {
        snprintf(copy->wrong, sizeof copy->wrong,
                 "a table is %s; expected version %u of the contract (runner.h)",
                 runner ? "for another version" : "NULL", TW_RUNNER_ABI_VERSION);
        return;
    }
    const char *missing = missing_function(runner);
    if (!runner->name || !table_own_name_is_good(runner->name))
        snprintf(copy->wrong, sizeof copy->wrong, "the runner's " TABLE_OWN_NAME_RULE);
    else if (!runner->summary || !runner->after || !runner->params)
        snprintf(copy->wrong, sizeof copy->wrong, "'%s' lacks a summary, an after or its params",
                 runner->name);
    else if (missing)
        snprintf(copy->wrong, sizeof copy->wrong, "'%s' has no function %s", runner->name, missing);
    if (copy->wrong[0] != '\0')
        return;
    snprintf(copy->name, sizeof copy->name, "%s", runner->name);
    snprintf(copy->summary, sizeof copy->summary, "%s", runner->summary);
    snprintf(copy->after, sizeof copy->after, "%s", runner->after);
    copy->flags = runner->flags;
    copy->tick_ns = runner->tick_ns;
    copy_params(runner, copy);
}

/* The entry of the file, loaded into this process; NULL with what is wrong in *copy. */
static const struct tw_runner_entry *entry_load(const char *path, struct runner_copy *copy)
{
    struct runner_copy proved;
    memset(copy, 0, sizeof *copy);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct tw_runner_entry *entry = object ? dlsym(object, SYMBOL) : NULL;
    if (!entry) {
        snprintf(copy->wrong, sizeof copy->wrong, "cannot be loaded: %.300s", dlerror());
        return NULL;
    }
    if (entry->abi_version != TW_RUNNER_ABI_VERSION) {
        snprintf(copy->wrong, sizeof copy->wrong,
                 "was built for version %u of the contract; expected %u: build it again with this "
                 "version's runner.h",
                 entry->abi_version, TW_RUNNER_ABI_VERSION);
        return NULL;
    }
    copy_table(entry->timed, copy);
    copy_table(entry->proved, &proved);
    if (copy->wrong[0] == '\0' && memcmp(copy, &proved, sizeof proved) != 0)
        snprintf(copy->wrong, sizeof copy->wrong, "%s",
                 proved.wrong[0] ? proved.wrong
                                 : "its two tables differ in words, flags or settings; compile "
                                   "them from one source");
    return copy->wrong[0] == '\0' ? entry : NULL;
}

static void try_in_child(void *ctx, void *record)
{
    entry_load(ctx, record);
}

int runner_plugins_load(const struct tw_runner_entry *entry, struct diag *diag)
{
    struct runner_copy now;
    struct stat file;
    if (!runner_plugins_path(entry))
        return DIAG_OK;
    union {
        const struct tw_runner_entry *entry;
        struct runner_plugin *plugin;
    } both = {entry};
    struct runner_plugin *plugin = both.plugin;
    if (stat(plugin->path, &file) != 0 || file.st_ino != plugin->file.st_ino ||
        file.st_size != plugin->file.st_size ||
        file.st_mtim.tv_sec != plugin->file.st_mtim.tv_sec ||
        file.st_mtim.tv_nsec != plugin->file.st_mtim.tv_nsec)
        return diag_run(diag, "%s: the file has changed since it was checked; run it again",
                        plugin->path);
    const struct tw_runner_entry *loaded = entry_load(plugin->path, &now);
    if (!loaded || memcmp(&now, &plugin->copy, sizeof now) != 0)
        return diag_run(diag, "%s: %s", plugin->path,
                        loaded ? "its table is another one each time it is loaded" : now.wrong);
    plugin->timed = *loaded->timed;
    plugin->proved = *loaded->proved;
    return DIAG_OK;
}

/* ---- In other processes. ---------------------------------------------------------------------- */

const char *runner_plugins_path(const struct tw_runner_entry *entry)
{
    return entry->timed->open == unloaded_open ? ((const struct runner_plugin *)entry)->path : NULL;
}

/* The record comes out of a process that is not trusted: texts get an end, counts a limit. */
static void copy_restore(struct runner_plugin *plugin)
{
    struct runner_copy *copy = &plugin->copy;
    copy->name[sizeof copy->name - 1] = '\0';
    utf8_make_printable(copy->name, sizeof copy->name);
    utf8_make_printable(copy->summary, sizeof copy->summary);
    utf8_make_printable(copy->after, sizeof copy->after);
    if (copy->param_count > TABLE_PARAMS_MAX)
        copy->param_count = 0;
    for (size_t i = 0; i < copy->param_count; i++) {
        utf8_make_printable(copy->params[i].name, sizeof copy->params[i].name);
        utf8_make_printable(copy->params[i].help, sizeof copy->params[i].help);
        plugin->params[i] = (struct tw_param){.name = copy->params[i].name,
                                              .help = copy->params[i].help,
                                              .min = copy->params[i].min,
                                              .max = copy->params[i].max,
                                              .values_max = copy->params[i].values_max};
    }
    plugin->timed = (struct tw_runner){.abi_version = TW_RUNNER_ABI_VERSION,
                                       .name = copy->name,
                                       .summary = copy->summary,
                                       .after = copy->after,
                                       .flags = copy->flags,
                                       .tick_ns = copy->tick_ns,
                                       .params = plugin->params,
                                       .open = unloaded_open};
    plugin->proved = plugin->timed;
    plugin->entry =
        (struct tw_runner_entry){TW_RUNNER_ABI_VERSION, &plugin->timed, &plugin->proved};
}

static int plugin_try(struct runner_plugin *plugin, const char *given, struct diag *diag)
{
    char reason[300] = "";
    struct ward ward = {.memory_bytes = MEMORY_BYTES,
                        .file_bytes = FILE_BYTES,
                        .cpu_seconds = CPU_SECONDS,
                        .out_fd = WARD_NOWHERE,
                        .err_fd = WARD_NOWHERE,
                        .rights = WARD_CONFINED};
    if (!realpath(given, plugin->path) || stat(plugin->path, &plugin->file) != 0)
        return diag_usage(diag, "%s: %s", given, strerror(errno));
    if (!ward_run(&ward, LIMIT_S, try_in_child, plugin->path, &plugin->copy, sizeof plugin->copy,
                  reason, sizeof reason))
        return diag_usage(diag, "%s: loading it: %s", given, reason);
    plugin->copy.wrong[sizeof plugin->copy.wrong - 1] = '\0';
    utf8_make_printable(plugin->copy.wrong, sizeof plugin->copy.wrong);
    if (plugin->copy.wrong[0] != '\0')
        return diag_usage(diag, "%s: %s", given, plugin->copy.wrong);
    copy_restore(plugin);
    return DIAG_OK;
}

const struct tw_runner_entry *runner_plugins_open(const char *given, struct diag *diag)
{
    struct runner_plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin) {
        diag_run(diag, "%s: no memory for a plugin", given);
        return NULL;
    }
    if (plugin_try(plugin, given, diag) == DIAG_OK)
        return &plugin->entry;
    free(plugin);
    return NULL;
}

void runner_plugins_close(const struct tw_runner_entry *entry)
{
    union {
        const struct tw_runner_entry *entry;
        struct runner_plugin *plugin;
    } both = {entry};
    free(both.plugin);
}
