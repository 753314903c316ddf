/* page_tree.c - puts objects on a page key by key. */
#include "harness/tell/report/builders.h"

#include "harness/base/json.h"

#define KEYS_MAX 40
/* Documents are not nested deeper. */
#define DEPTH_MAX 12

static bool is_scalar(const cJSON *value)
{
    return cJSON_IsNumber(value) || cJSON_IsString(value) || cJSON_IsBool(value);
}

bool page_is_plain(const cJSON *value)
{
    if (cJSON_IsArray(value))
        return value->child && !cJSON_IsObject(value->child);
    return is_scalar(value);
}

/* "late_max_ns" reads "late max ns". */
static void format_label(char *out, size_t size, const char *key)
{
    size_t i = 0;
    for (; key[i] && i + 1 < size; i++)
        out[i] = key[i] == '_' ? ' ' : key[i];
    out[i] = '\0';
}

void page_facts(struct page *page, const struct place *object)
{
    char label[80];
    json_each(value, object->json, "") {
        if (!value->string || !page_is_plain(value))
            continue;
        struct place at = place_key(object, value->string);
        format_label(label, sizeof label, value->string);
        page_fact(page, label, "%s", "");
        page_put(page, &at, "");
    }
}

/* ---- Tables. --------------------------------------------------------------------------------- */

struct keys {
    const char *names[KEYS_MAX];
    bool is_text[KEYS_MAX];
    size_t count;
};

static void add_key(struct keys *keys, const cJSON *value)
{
    size_t i = 0;
    while (i < keys->count && strcmp(keys->names[i], value->string) != 0)
        i++;
    if (i == KEYS_MAX)
        return;
    if (i == keys->count) {
        keys->names[i] = value->string;
        keys->is_text[i] = false;
        keys->count++;
    }
    keys->is_text[i] = keys->is_text[i] || !cJSON_IsNumber(value);
}

static void collect_keys(struct keys *keys, const cJSON *array)
{
    json_each(object, array, "") {
        json_each(value, object, "")
            if (value->string && page_is_plain(value))
                add_key(keys, value);
    }
}

void page_records(struct page *page, const char *title, const struct place *array)
{
    struct keys keys = {.count = 0};
    char label[80];
    collect_keys(&keys, array->json);
    if (keys.count == 0)
        return;
    page_table(page, NULL, title);
    for (size_t i = 0; i < keys.count; i++) {
        format_label(label, sizeof label, keys.names[i]);
        page_column(page, label, "", keys.is_text[i] ? PAGE_LEFT : 0, 0);
    }
    for (struct place item = place_item(array, 0); item.json; place_next(&item)) {
        page_row(page);
        for (size_t i = 0; i < keys.count; i++) {
            struct place at = place_key(&item, keys.names[i]);
            page_cell_put(page, &at, "");
        }
    }
}

/* ---- All figures. ---------------------------------------------------------------------------- */

/* Text of several lines, a drawing, is no figure. */
static bool is_figure(const cJSON *value)
{
    return is_scalar(value) && !(cJSON_IsString(value) && strchr(value->valuestring, '\n'));
}

static void add_figure(struct page *page, const struct place *value)
{
    page_row(page);
    page_cell(page, "%s", value->path);
    page_cell_put(page, value, "");
}

static void add_figures(struct page *page, const struct place *from, int depth)
{
    struct place item = place_item(from, 0);
    bool is_array = cJSON_IsArray(from->json);
    json_each(value, from->json, "") {
        struct place at = is_array ? item : place_key(from, value->string);
        if (is_figure(value))
            add_figure(page, &at);
        else if (depth < DEPTH_MAX)
            add_figures(page, &at, depth + 1);
        if (is_array)
            place_next(&item);
    }
}

void page_all_figures(struct page *page, const struct place *document)
{
    page_open(page, PAGE_DATA);
    page_column(page, "figure", "", 0, 0);
    page_column(page, "value", "", 0, 0);
    add_figures(page, document, 0);
}
