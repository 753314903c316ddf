/* html_tree.c - two shapes are enough. */
#include "harness/report/html_tree.h"

#include "harness/result/json.h"

#include <string.h>

#define KEYS_MAX 40

static bool is_plain(const cJSON *value)
{
    if (cJSON_IsArray(value))
        return value->child && !cJSON_IsObject(value->child);
    return cJSON_IsNumber(value) || cJSON_IsString(value) || cJSON_IsBool(value);
}

void html_list(FILE *out, const cJSON *object, struct html_path *path)
{
    const cJSON *value;
    bool any = false;
    cJSON_ArrayForEach(value, object)
    {
        if (!is_plain(value))
            continue;
        size_t length = html_path_key(path, value->string);
        fputs(any ? "<div><dt>" : "<dl><div><dt>", out);
        any = true;
        html_label(out, value->string);
        fputs("</dt>", out);
        html_value(out, "dd", value, path);
        fputs("</div>\n", out);
        html_path_back(path, length);
    }
    fputs(any ? "</dl>\n" : "", out);
}

struct keys {
    const char *names[KEYS_MAX];
    size_t count;
};

static void add_key(struct keys *keys, const char *name)
{
    for (size_t i = 0; i < keys->count; i++)
        if (strcmp(keys->names[i], name) == 0)
            return;
    if (keys->count < KEYS_MAX)
        keys->names[keys->count++] = name;
}

static struct keys keys_of(const cJSON *array)
{
    struct keys keys = {.count = 0};
    const cJSON *object, *value;
    cJSON_ArrayForEach(object, array)
    {
        cJSON_ArrayForEach(value, object)
        {
            if (is_plain(value))
                add_key(&keys, value->string);
        }
    }
    return keys;
}

static void write_record(FILE *out, const struct keys *keys, const cJSON *object,
                         struct html_path *path)
{
    fputs("<tr>", out);
    for (size_t i = 0; i < keys->count; i++) {
        size_t length = html_path_key(path, keys->names[i]);
        html_value(out, "td", cJSON_GetObjectItemCaseSensitive(object, keys->names[i]), path);
        html_path_back(path, length);
    }
    fputs("</tr>\n", out);
}

static bool is_numeric(const cJSON *array, const char *key)
{
    const cJSON *object;
    cJSON_ArrayForEach(object, array)
    {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
        if (is_plain(value) && !cJSON_IsNumber(value))
            return false;
    }
    return true;
}

void html_records(FILE *out, const char *label, const cJSON *array, struct html_path *path)
{
    struct keys keys = keys_of(array);
    const cJSON *object;
    size_t index = 0;
    if (keys.count == 0)
        return;
    html_table_open(out, NULL, label);
    fputs("<thead><tr>", out);
    for (size_t i = 0; i < keys.count; i++)
        html_column(out, keys.names[i], NULL, is_numeric(array, keys.names[i]));
    fputs("</tr></thead>\n<tbody>\n", out);
    cJSON_ArrayForEach(object, array)
    {
        size_t length = html_path_index(path, index++);
        write_record(out, &keys, object, path);
        html_path_back(path, length);
    }
    fputs("</tbody>", out);
    html_table_close(out);
}
