/* store_registry.c - one explicit array, made from stores.def; no constructors, no hidden order. */
#include "store_registry.h"

#include <stdio.h>
#include <string.h>

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
