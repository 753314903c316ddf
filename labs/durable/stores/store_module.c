/* store_module.c - what makes a shared object of a store: compiled once for each, with its name. */
#include "store.h"

#define TABLE_OF(name)  TABLE_OF_(name)
#define TABLE_OF_(name) tw_store_##name

extern const struct tw_store_backend TABLE_OF(TW_MODULE);

TW_STORE_PLUGIN(TABLE_OF(TW_MODULE));
