/* listing.c - writes designs, parameters, workloads and traces as JSON, with what the labs add. */
#include "harness/command/listing.h"

#include "harness/base/json.h"
#include "harness/command/command.h"
#include "harness/command/labs.h"
#include "harness/measure/designs/designs.h"
#include "harness/measure/stats/growth.h"
#include "harness/measure/workload/workload.h"

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
    static const struct {
        enum tw_flag flag;
        const char *word;
    } words[] = {
        {TW_ORDERED, "ordered"},       {TW_FIFO, "FIFO"},           {TW_TICKLESS, "tickless"},
        {TW_NEXT_EXACT, "exact next"}, {TW_ALLOCATES, "allocates"}, {TW_REAL_CLOCK, "real clock"},
    };
    cJSON *object = cJSON_CreateObject(), *flags = cJSON_CreateArray();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (traits->flags & words[i].flag)
            cJSON_AddItemToArray(flags, json_text(words[i].word));
    json_add(object, "keeps_nothing", cJSON_CreateBool((traits->flags & TW_KEEPS_NOTHING) != 0));
    json_add(object, "flags", flags);
    json_put(object, traits, late_ticks, late_shift);
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
        json_put(object, param, name, help, min, max, values_max);
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

static cJSON *design_json(const struct tw_backend *design)
{
    cJSON *object = cJSON_CreateObject();
    json_put(object, design, name, summary);
    json_add(object, "traits", traits_json(&design->traits));
    json_add(object, "parameters", params_json(design->params));
    return object;
}

cJSON *listing_section(cJSON *document, const char *key, const char *heading)
{
    cJSON *headings = cJSON_GetObjectItemCaseSensitive(document, "headings");
    cJSON *section = cJSON_CreateArray();
    if (!headings)
        headings = cJSON_AddObjectToObject(document, "headings");
    json_add_text(headings, key, heading);
    json_add(document, key, section);
    return section;
}

cJSON *listing_item(cJSON *section, const char *name, const char *summary, const char *note,
                    const struct tw_param *params)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", name);
    json_add_text(object, "summary", summary);
    if (note)
        json_add_text(object, "note", note);
    if (params)
        json_add(object, "parameters", params_json(params));
    cJSON_AddItemToArray(section, object);
    return object;
}

static void add_missing(cJSON *missing, const struct designs_library *library)
{
    struct diag diag = {.text = ""};
    cJSON *object = cJSON_CreateObject();
    (void)designs_find(library->name, &diag);
    json_put(object, library, name, lab, package);
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

/* ---- Workloads. ------------------------------------------------------------------------------ */

static void add_workload(void *ctx, const struct workload_info *info)
{
    cJSON *object = cJSON_CreateObject();
    json_put(object, info, name, summary, tick_ns);
    if (!info->is_trace)
        json_add_text(object, "parameters", info->parameters);
    cJSON_AddItemToArray(cJSON_GetObjectItem(ctx, info->is_trace ? "traces" : "workloads"), object);
}

/* ---- Labs. ------------------------------------------------------------------------------------ */

static void merge_into(cJSON *document, cJSON *part)
{
    for (cJSON *item = part->child, *next; item; item = next) {
        next = item->next;
        cJSON_DetachItemViaPointer(part, item);
        cJSON *there = cJSON_GetObjectItemCaseSensitive(document, item->string);
        if (there && cJSON_IsObject(item)) {
            merge_into(there, item);
            cJSON_Delete(item);
        } else {
            cJSON_AddItemToObject(document, item->string, item);
        }
    }
}

/* What a lab's program says of itself; one that is not built says nothing. */
static void add_lab(cJSON *document, const char *lab)
{
    static const char *const words[] = {"twbench", "list", "--json=-", NULL};
    char *text = NULL;
    cJSON *part = NULL;
    struct diag unused;
    if (lab_run(lab, words, &text) &&
        jsontext_read(lab, text, strlen(text), "a list", &part, &unused) == DIAG_OK)
        merge_into(document, part);
    cJSON_Delete(part);
    free(text);
}

/* ---- All. -------------------------------------------------------------------------------------- */

static int add_all(cJSON *document, const struct listing_request *request, struct diag *diag)
{
    if (program.lab) {
        if (program.list_json)
            program.list_json(document);
        return DIAG_OK;
    }
    add_designs(document);
    for (size_t i = 0; i < lab_row_count; i++)
        if (lab_rows[i].kind == LAB_LIST)
            add_lab(document, lab_rows[i].lab);
    json_add(document, "workloads", cJSON_CreateArray());
    json_add(document, "traces", cJSON_CreateArray());
    return workload_list(request->workload_directory, add_workload, document, diag);
}

int listing_json(const struct listing_request *request, cJSON **out, struct diag *diag)
{
    cJSON *document = cJSON_CreateObject();
    int status = DIAG_OK;
    if (request->plugin_count == 0) {
        status = add_all(document, request, diag);
    } else {
        cJSON *designs = cJSON_AddArrayToObject(document, "designs");
        for (size_t i = 0; i < request->plugin_count; i++)
            cJSON_AddItemToArray(designs, design_json(request->plugins[i]->timed));
    }
    if (status == DIAG_OK)
        *out = document;
    else
        cJSON_Delete(document);
    return status;
}
