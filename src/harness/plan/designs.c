/* designs.c - finds designs by name, and loads those of shared objects. */
#include "harness/plan/designs.h"

#include "build_info.h"
#include "harness/base/paths.h"
#include "harness/plan/trial.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct designs_library designs_libraries[] = {
#define TW_LIBRARY(name, package) {name, package},
#include "libraries/libraries.def"
#undef TW_LIBRARY
};

const size_t designs_library_count = sizeof designs_libraries / sizeof designs_libraries[0];

/* Files are called like their sources, which C wants with an underscore for each hyphen. */
void designs_library_path(const char *name, char *out, size_t size)
{
    char directory[4200], file[64];
    paths_find("libraries", BUILD_LIBRARIES_DIR, directory, sizeof directory);
    snprintf(file, sizeof file, "%s", name);
    for (char *c = file; *c; c++)
        if (*c == '-')
            *c = '_';
    snprintf(out, size, "%s/%s.so", directory, file);
}

bool designs_library_is_built(const char *name)
{
    char path[4400];
    designs_library_path(name, path, sizeof path);
    return access(path, R_OK) == 0;
}

/* The design of an object, if it has one that is whole. */
static const struct tw_design *object_design(void *object, const char *path, struct diag *diag)
{
    const struct tw_design *design = dlsym(object, "tw_plugin");
    return trial_check(path, design, diag) == DIAG_OK ? design : NULL;
}

static const struct tw_design *object_load(const char *path, struct diag *diag)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        diag_usage(diag, "%s: cannot be loaded: %s", path, dlerror());
        return NULL;
    }
    const struct tw_design *design = object_design(object, path, diag);
    if (!design)
        dlclose(object);
    return design;
}

/* A design of that name among the objects that are loaded, other than `self`.  The loader's own list
 * is the only one there is. */
static const struct tw_design *loaded_find(const char *name, const struct tw_design *self)
{
    struct link_map *map = NULL;
    void *program = dlopen(NULL, RTLD_LAZY);
    const struct tw_design *found = NULL;
    if (!program || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0)
        return NULL;
    for (; map && !found; map = map->l_next) {
        void *object = map->l_name[0] ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        const struct tw_design *design = object ? dlsym(object, "tw_plugin") : NULL;
        if (design && design != self && strcmp(design->timed->name, name) == 0)
            found = design;
        if (object)
            dlclose(object); /* a reference less: it stays loaded */
    }
    dlclose(program);
    return found;
}

size_t designs_count(void)
{
    return registry_count + designs_library_count;
}

const struct tw_design *designs_at(size_t index)
{
    struct diag unused;
    if (index < registry_count)
        return &registry[index];
    const char *name = designs_libraries[index - registry_count].name;
    return designs_library_is_built(name) ? designs_find(name, &unused) : NULL;
}

static const struct designs_library *library_find(const char *name)
{
    for (size_t i = 0; i < designs_library_count; i++)
        if (strcmp(designs_libraries[i].name, name) == 0)
            return &designs_libraries[i];
    return NULL;
}

const struct tw_design *designs_find(const char *name, struct diag *diag)
{
    char path[4400];
    const struct tw_design *design = registry_find(name);
    if (design)
        return design;
    const struct designs_library *library = library_find(name);
    if (!library && (design = loaded_find(name, NULL)) != NULL)
        return design;
    if (!library) {
        diag_usage(diag, "no design named '%s'; 'twbench list' names them", name);
        return NULL;
    }
    if (!designs_library_is_built(name)) {
        diag_usage(diag, "'%s' was not built%s%s%s", name,
                   *library->package ? ": it needs the package " : "", library->package,
                   *library->package ? ", and 'make' again" : "");
        return NULL;
    }
    designs_library_path(name, path, sizeof path);
    return object_load(path, diag);
}

/* ---- Plugins --------------------------------------------------------------------------------- */

static const char *object_path(const struct tw_design *design, char *out, size_t size)
{
    Dl_info info;
    char *path = dladdr(design, &info) ? realpath(info.dli_fname, NULL) : NULL;
    snprintf(out, size, "%s", path ? path : "?");
    free(path);
    return out;
}

const char *designs_plugin_path(const struct tw_design *design, char *out, size_t size)
{
    const char *name = design->timed->name;
    return registry_find(name) || library_find(name) ? NULL : object_path(design, out, size);
}

static bool name_is_free(const char *path, const struct tw_design *design, struct diag *diag)
{
    char other[4400];
    const char *name = design->timed->name;
    const struct tw_design *loaded = loaded_find(name, design);
    if (registry_find(name) || library_find(name))
        diag_usage(diag, "%s: the name '%s' is that of a design of twbench; expected another", path,
                   name);
    else if (loaded)
        diag_usage(diag, "%s: the name '%s' is that of %s already", path, name,
                   object_path(loaded, other, sizeof other));
    else
        return true;
    return false;
}

/* dlopen would look for a name without a slash where the system keeps its libraries. */
static bool file_is_good(const char *given, char *path, size_t size, struct diag *diag)
{
    struct stat info;
    snprintf(path, size, "%s%s", strchr(given, '/') ? "" : "./", given);
    if (access(path, R_OK) != 0 || stat(path, &info) != 0)
        diag_usage(diag, "%s: %s", given, strerror(errno));
    else if (!S_ISREG(info.st_mode))
        diag_usage(diag, "%s: is no file that could be loaded", given);
    else
        return true;
    return false;
}

int designs_try(const char *given, char *name, struct diag *diag)
{
    char path[4400];
    _Static_assert(DESIGNS_NAME == TRIAL_NAME, "a name of a design");
    return file_is_good(given, path, sizeof path, diag) ? trial_load(path, name, diag) : DIAG_USAGE;
}

const struct tw_design *designs_load(const char *given, struct diag *diag)
{
    char path[4400];
    if (!file_is_good(given, path, sizeof path, diag) || trial_load(path, NULL, diag) != DIAG_OK)
        return NULL;
    const struct tw_design *design = object_load(path, diag);
    return design && name_is_free(path, design, diag) ? design : NULL;
}
