/* program.c - twbench-durable: the commands of the lab, and the kinds of document that it shows. */
#include "labs/durable/durable.h"

#include "harness/base/json.h"
#include "harness/command/listing.h"
#include "labs/durable/stores/store_modules.h"

static const struct command *const commands[] = {&cmd_stores, &cmd_conform_stores, &cmd_report,
                                                 &cmd_list, NULL};

static void list_json(void *object)
{
    cJSON *section = listing_section(object, "stores",
                                     "Stores, which survive a crash (twbench stores --stores)");
    for (size_t i = 0; i < store_registry_count; i++) {
        char key[64];
        struct diag diag;
        const struct store_row *row = &store_registry[i];
        const struct tw_store_backend *store = store_modules_load(row, &diag);
        cJSON *item =
            listing_item(section, store_registry_key(row, key, sizeof key),
                         store ? store->summary : diag.text, NULL, store ? store->params : NULL);
        json_add(item, "built", cJSON_CreateBool(store != NULL));
        if (!store) {
            json_add_text(item, "packages", row->packages);
            continue;
        }
        json_add_text(item, "after", store->after);
        json_add(item, "exact", cJSON_CreateBool((store->flags & TW_STORE_EXACT) != 0));
        json_add(item, "server", cJSON_CreateBool((store->flags & TW_STORE_SERVER) != 0));
    }
}

const struct program program = {.lab = "durable", .commands = commands, .list_json = list_json};

static const struct document_kind stores = {
    .name = "stores",
    .build = page_stores,
    .check = stores_check,
    .pictures = stores_pictures,
    .no_pictures = "no store has a figure",
};

const struct document_kind *const document_kinds[] = {&stores, NULL};
