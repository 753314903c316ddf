/* designs.c - finds designs by name, and loads those of shared objects. */
#include "harness/measure/designs/designs.h"

#include "build_info.h"
#include "harness/base/paths.h"
#include "harness/base/text.h"
#include "harness/measure/designs/plugin_table.h"

#include <dlfcn.h>
#include <unistd.h>

/* The rows of the labs (command/labs.h) that are designs. */
const struct designs_library designs_libraries[] = {
#define COMMAND(lab, name, topic, summary)
#define FLAG(lab, command, flag)
#define PLUGIN(lab, command, symbol)
#define KIND(lab, kind)
#define LIST(lab)
#define DESIGN(lab, name, package) {lab, name, package},
#include "labs.def"
    {NULL, NULL, NULL},
};

static const size_t designs_library_count =
    sizeof designs_libraries / sizeof designs_libraries[0] - 1;

/* Where the shared object of a library is, or would be.  Files are called like
 * their sources, which C wants with an underscore for each hyphen. */
static void designs_library_path(const char *name, char *out, size_t size)
{
    char directory[4200], file[64];
    paths_find("libraries", BUILD_LIBRARIES_DIR, directory, sizeof directory);
    snprintf(file, sizeof file, "%s", name);
    for (char *c = file; *c; c++)
        if (*c == '-')
            *c = '_';
    snprintf(out, size, "%s/%s.so", directory, file);
}

static bool designs_library_is_built(const char *name)
{
    char path[4400];
    designs_library_path(name, path, sizeof path);
    return access(path, R_OK) == 0;
}

static void say_unknown(const char *name, struct diag *diag)
{
    char hint[80];
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < registry_count; i++)
        nearest_offer(&nearest, registry[i].timed->name);
    for (size_t i = 0; i < designs_library_count; i++)
        nearest_offer(&nearest, designs_libraries[i].name);
    diag_usage(diag, "no design named '%s'%s 'twbench list' names them", name,
               nearest.word[0] ? nearest_hint(&nearest, hint, sizeof hint) : ";");
}

static const struct tw_design *object_load(const char *path, struct diag *diag)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        diag_usage(diag, "%s: cannot be loaded: %s; expected a shared object", path, dlerror());
        return NULL;
    }
    const struct tw_design *design = dlsym(object, "tw_plugin");
    if (table_check(path, design, diag) == DIAG_OK)
        return design;
    dlclose(object);
    return NULL;
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
    if (!library) {
        say_unknown(name, diag);
        return NULL;
    }
    if (!designs_library_is_built(name)) {
        diag_usage(diag, "'%s' was not built: it is in the lab %s%s%s, and needs 'make %s'", name,
                   library->lab, *library->package ? ", wants the package " : "", library->package,
                   library->lab);
        return NULL;
    }
    designs_library_path(name, path, sizeof path);
    return object_load(path, diag);
}

bool designs_name_is_taken(const char *name)
{
    return registry_find(name) || library_find(name);
}
