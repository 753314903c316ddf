/* store_modules.c - finds stores by name, and loads those of shared objects. */
#include "labs/durable/stores/store_modules.h"

#include "build_info.h"
#include "harness/base/paths.h"
#include "harness/base/text.h"

#include <dlfcn.h>
#include <unistd.h>

/* One explicit array, made from stores.def; no constructors, no hidden order. */
#define TW_STORE_BUILTIN(name) extern const struct tw_store_backend tw_store_##name;
#define TW_STORE_MODULE(name, packages)
#include "stores.def"
#undef TW_STORE_BUILTIN
#undef TW_STORE_MODULE

const struct store_row store_registry[] = {
#define TW_STORE_BUILTIN(name)          {#name, "", &tw_store_##name},
#define TW_STORE_MODULE(name, packages) {#name, packages, NULL},
#include "stores.def"
#undef TW_STORE_BUILTIN
#undef TW_STORE_MODULE
};

const size_t store_registry_count = sizeof store_registry / sizeof store_registry[0];

const char *store_registry_key(const struct store_row *row, char *out, size_t size)
{
    snprintf(out, size, "%s", row->file);
    for (char *c = out; *c; c++)
        if (*c == '_')
            *c = '-';
    return out;
}

const struct store_row *store_registry_find(const char *key)
{
    char own[64];
    for (size_t i = 0; i < store_registry_count; i++)
        if (strcmp(store_registry_key(&store_registry[i], own, sizeof own), key) == 0)
            return &store_registry[i];
    return NULL;
}

void store_modules_path(const struct store_row *row, char *out, size_t size)
{
    char directory[4200];
    out[0] = '\0';
    if (row->builtin)
        return;
    paths_find("stores", BUILD_LABS_DIR "/stores", directory, sizeof directory);
    snprintf(out, size, "%s/%s.so", directory, row->file);
}

/* What is wrong with a table, or NULL. */
static const char *table_fault(const struct tw_store_entry *entry, const char *key)
{
    if (!entry)
        return "has no tw_store_plugin";
    if (entry->abi_version != TW_STORE_ABI_VERSION || !entry->backend ||
        entry->backend->abi_version != TW_STORE_ABI_VERSION)
        return "was built for another version of the contract (store.h); build it again";
    const struct tw_store_backend *store = entry->backend;
    if (!store->name || (key && strcmp(store->name, key) != 0))
        return "has another name than its file";
    if (!store->summary || !store->after || !store->params || store->policies == 0)
        return "lacks a summary, an after, its params or its policies";
    if (!store->open || !store->enter || !store->leave || !store->put || !store->cancel ||
        !store->poll || !store->done || !store->next || !store->tend || !store->checkpoint ||
        !store->close || !store->stats || !store->describe)
        return "lacks a function of the contract (store.h)";
    return NULL;
}

/* `key`: the name that it has to have; NULL: any. */
static const struct tw_store_backend *object_open(const char *path, const char *key,
                                                  struct diag *diag)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        diag_run(diag, "%s: cannot be loaded: %s", path, dlerror());
        return NULL;
    }
    const struct tw_store_entry *entry = dlsym(object, "tw_store_plugin");
    const char *fault = table_fault(entry, key);
    if (!fault)
        return entry->backend;
    diag_run(diag, "%s: %s", path, fault);
    dlclose(object);
    return NULL;
}

const struct tw_store_backend *store_modules_load(const struct store_row *row, struct diag *diag)
{
    char path[4400], key[64];
    if (row->builtin)
        return row->builtin;
    store_registry_key(row, key, sizeof key);
    store_modules_path(row, path, sizeof path);
    if (access(path, R_OK) != 0) {
        diag_run(diag, "'%s' was not built: it needs %s, and 'make' again", key, row->packages);
        return NULL;
    }
    return object_open(path, key, diag);
}

const struct tw_store_backend *store_modules_open(const char *given, struct diag *diag)
{
    if (strchr(given, '/'))
        return object_open(given, NULL, diag);
    const struct store_row *row = store_modules_find(given, diag);
    return row ? store_modules_load(row, diag) : NULL;
}

const struct store_row *store_modules_find(const char *key, struct diag *diag)
{
    char own[64], hint[80];
    const struct store_row *row = store_registry_find(key);
    if (row)
        return row;
    struct nearest nearest = nearest_to(key);
    for (size_t i = 0; i < store_registry_count; i++)
        nearest_offer(&nearest, store_registry_key(&store_registry[i], own, sizeof own));
    diag_usage(diag, "no store named '%s'%s 'twbench list' names them", key,
               nearest.word[0] ? nearest_hint(&nearest, hint, sizeof hint) : ";");
    return NULL;
}

const struct tw_param *store_modules_param(const char *name)
{
    struct diag unused;
    for (size_t i = 0; i < store_registry_count; i++) {
        const struct tw_store_backend *store = store_modules_load(&store_registry[i], &unused);
        const struct tw_param *param = store ? param_find(store->params, name) : NULL;
        if (param)
            return param;
    }
    return NULL;
}

size_t store_modules_settings(const struct tw_store_backend *store, const struct tw_setting *given,
                              size_t count, struct tw_setting *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (param_find(store->params, given[i].name))
            out[kept++] = given[i];
    return kept;
}

int store_modules_check(const struct tw_store_backend *const *stores, size_t store_count,
                        const struct tw_setting *given, size_t count, struct diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        size_t s = 0;
        while (s < store_count && stores[s] && !param_find(stores[s]->params, given[i].name))
            s++;
        if (s == store_count)
            return diag_usage(diag,
                              "--store-set: %s: none of the stores has it; 'twbench list' "
                              "says which have",
                              given[i].name);
    }
    return DIAG_OK;
}
