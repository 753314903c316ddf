/* listing.c - writes designs, parameters, workloads and traces as JSON. */
#include "harness/ask/list/listing.h"

#include "harness/base/json.h"
#include "harness/measure/designs/designs.h"
#include "harness/measure/designs/store_modules.h"
#include "harness/measure/originals/original.h"
#include "harness/measure/stats/growth.h"
#include "harness/measure/workload/workload.h"
#include "runners/runner_registry.h"

const char *listing_flag(const struct tw_traits *traits, size_t place)
{
    static const struct {
        enum tw_flag flag;
        const char *word;
    } words[LISTING_FLAGS] = {
        {TW_ORDERED, "ordered"},       {TW_FIFO, "FIFO"},           {TW_TICKLESS, "tickless"},
        {TW_NEXT_EXACT, "exact next"}, {TW_ALLOCATES, "allocates"}, {TW_REAL_CLOCK, "real clock"},
    };
    return traits->flags & words[place].flag ? words[place].word : NULL;
}

/* ---- Designs. -------------------------------------------------------------------------------- */

static void add_cost(cJSON *traits, const char *operation, const struct tw_cost *cost)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "average", growth_class_name(cost->average));
    json_add_text(object, "worst", growth_class_name(cost->worst));
    json_add(traits, operation, object);
}

static cJSON *traits_json(const struct tw_traits *traits)
{
    cJSON *object = cJSON_CreateObject(), *flags = cJSON_CreateArray();
    for (size_t i = 0; i < LISTING_FLAGS; i++)
        if (listing_flag(traits, i))
            cJSON_AddItemToArray(flags, json_text(listing_flag(traits, i)));
    json_add(object, "keeps_nothing", cJSON_CreateBool((traits->flags & TW_KEEPS_NOTHING) != 0));
    json_add(object, "flags", flags);
    json_add_integer(object, "late_ticks", traits->late_ticks);
    json_add_integer(object, "late_shift", traits->late_shift);
    add_cost(object, "start", &traits->start);
    add_cost(object, "stop", &traits->stop);
    add_cost(object, "expire", &traits->expire);
    add_cost(object, "tick", &traits->tick);
    return object;
}

static cJSON *params_json(const struct tw_param *param)
{
    cJSON *array = cJSON_CreateArray();
    for (; param->name; param++) {
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "name", param->name);
        json_add_text(object, "help", param->help);
        json_add_integer(object, "min", param->min);
        json_add_integer(object, "max", param->max);
        json_add_integer(object, "values_max", param->values_max);
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

static cJSON *design_json(const struct tw_backend *design)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", design->name);
    json_add_text(object, "summary", design->summary);
    json_add(object, "traits", traits_json(&design->traits));
    json_add(object, "parameters", params_json(design->params));
    return object;
}

static void add_missing(cJSON *missing, const struct designs_library *library)
{
    struct diag diag = {.text = ""};
    cJSON *object = cJSON_CreateObject();
    (void)designs_find(library->name, &diag);
    json_add_text(object, "name", library->name);
    json_add_text(object, "package", library->package);
    json_add_text(object, "reason", diag.text);
    cJSON_AddItemToArray(missing, object);
}

static void add_designs(cJSON *document)
{
    cJSON *designs = cJSON_CreateArray(), *missing = cJSON_CreateArray();
    for (size_t i = 0; i < designs_count(); i++) {
        const struct tw_design *design = designs_at(i);
        if (design)
            cJSON_AddItemToArray(designs, design_json(design->timed));
        else
            add_missing(missing, &designs_libraries[i - registry_count]);
    }
    json_add(document, "designs", designs);
    json_add(document, "missing", missing);
}

static cJSON *runner_json(const struct tw_runner *runner)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", runner->name);
    json_add_text(object, "summary", runner->summary);
    json_add_text(object, "after", runner->after);
    json_add(object, "parameters", params_json(runner->params));
    return object;
}

static void add_runners(cJSON *document)
{
    cJSON *runners = cJSON_CreateArray();
    for (size_t i = 0; i < runner_registry_count; i++)
        cJSON_AddItemToArray(runners, runner_json(runner_registry[i].timed));
    json_add(document, "runners", runners);
}

static void add_originals(cJSON *document)
{
    cJSON *originals = cJSON_CreateArray();
    for (size_t i = 0; original_at(i); i++) {
        char path[ORIGINAL_PATH];
        struct diag diag;
        bool is_built = original_driver(original_at(i), path, sizeof path, &diag) == DIAG_OK;
        cJSON *object = runner_json(&original_at(i)->runner);
        json_add(object, "built", cJSON_CreateBool(is_built));
        cJSON_AddItemToArray(originals, object);
    }
    json_add(document, "originals", originals);
}

static cJSON *store_json(const struct store_row *row)
{
    char key[64];
    struct diag diag;
    const struct tw_store_backend *store = store_modules_load(row, &diag);
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", store_registry_key(row, key, sizeof key));
    json_add(object, "built", cJSON_CreateBool(store != NULL));
    if (!store) {
        json_add_text(object, "packages", row->packages);
        json_add_text(object, "reason", diag.text);
        return object;
    }
    json_add_text(object, "summary", store->summary);
    json_add_text(object, "after", store->after);
    json_add(object, "exact", cJSON_CreateBool((store->flags & TW_STORE_EXACT) != 0));
    json_add(object, "server", cJSON_CreateBool((store->flags & TW_STORE_SERVER) != 0));
    json_add(object, "parameters", params_json(store->params));
    return object;
}

static void add_stores(cJSON *document)
{
    cJSON *stores = cJSON_CreateArray();
    for (size_t i = 0; i < store_registry_count; i++)
        cJSON_AddItemToArray(stores, store_json(&store_registry[i]));
    json_add(document, "stores", stores);
}

/* ---- Workloads. ------------------------------------------------------------------------------ */

static void add_workload(void *ctx, const struct workload_info *info)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", info->name);
    json_add_text(object, "summary", info->summary);
    json_add_integer(object, "tick_ns", info->tick_ns);
    if (!info->is_trace)
        json_add_text(object, "parameters", info->parameters);
    cJSON_AddItemToArray(cJSON_GetObjectItem(ctx, info->is_trace ? "traces" : "workloads"), object);
}

static void add_plugins(cJSON *document, const struct listing_request *request)
{
    cJSON *designs = cJSON_CreateArray(), *runners = cJSON_CreateArray();
    for (size_t i = 0; i < request->plugin_count; i++)
        cJSON_AddItemToArray(designs, design_json(request->plugins[i]->timed));
    for (size_t i = 0; i < request->runner_plugin_count; i++)
        cJSON_AddItemToArray(runners, runner_json(request->runner_plugins[i]->timed));
    json_add(document, "designs", designs);
    if (request->runner_plugin_count > 0)
        json_add(document, "runners", runners);
    else
        cJSON_Delete(runners);
}

int listing_json(const struct listing_request *request, cJSON **out, struct diag *diag)
{
    cJSON *document = cJSON_CreateObject();
    int status = DIAG_OK;
    if (request->plugin_count + request->runner_plugin_count > 0) {
        add_plugins(document, request);
    } else {
        add_designs(document);
        add_runners(document);
        add_originals(document);
        add_stores(document);
        json_add(document, "workloads", cJSON_CreateArray());
        json_add(document, "traces", cJSON_CreateArray());
        status = workload_list(request->workload_directory, add_workload, document, diag);
    }
    if (status == DIAG_OK)
        *out = document;
    else
        cJSON_Delete(document);
    return status;
}
