/* json.c - converts between C values and JSON. */
#include "harness/base/json.h"

#include "harness/base/text.h"

/* cJSON prints 15 digits, and takes what is as good as equal for equal. */
#define EXACT_MAX UINT64_C(999999999999999)

cJSON *json_integer(uint64_t value)
{
    if (value <= EXACT_MAX)
        return cJSON_CreateNumber((double)value);
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    cJSON *item = cJSON_CreateRaw(digits);
    if (item)
        item->valuedouble = (double)value; /* for those who read what has not been printed yet */
    return item;
}

cJSON *json_measure(double value)
{
    if (!isfinite(value))
        return cJSON_CreateNull();
    /* There and back through text: cJSON prints what is left in its shortest form. */
    char digits[32];
    snprintf(digits, sizeof digits, "%.6g", value);
    return cJSON_CreateNumber(strtod(digits, NULL));
}

cJSON *json_bool(bool value)
{
    return cJSON_CreateBool(value);
}

cJSON *json_text(const char *text)
{
    if (!text || !text[0])
        return cJSON_CreateNull();
    return jsontext_string(text);
}

void json_add(cJSON *object, const char *key, cJSON *item)
{
    if (!cJSON_AddItemToObject(object, key, item))
        cJSON_Delete(item);
    else
        jsontext_repair(item->string);
}

void json_add_integer(cJSON *object, const char *key, uint64_t value)
{
    json_add(object, key, json_integer(value));
}

void json_add_measure(cJSON *object, const char *key, double value)
{
    json_add(object, key, json_measure(value));
}

void json_add_text(cJSON *object, const char *key, const char *text)
{
    json_add(object, key, json_text(text));
}

void json_add_hex(cJSON *object, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%016" PRIx64, value);
    json_add_text(object, key, digits);
}

static void print_text(FILE *out, char *text)
{
    fputs(text ? text : "", out);
    cJSON_free(text);
}

void json_print_member(FILE *out, const cJSON *member, int depth)
{
    cJSON *key = cJSON_CreateStringReference(member->string);
    print_text(out, cJSON_PrintUnformatted(key));
    cJSON_Delete(key);
    fputs(": ", out);
    json_print(out, member, depth);
}

void json_print(FILE *out, const cJSON *item, int depth)
{
    bool is_object = cJSON_IsObject(item);
    if (depth == 0 || (!is_object && !cJSON_IsArray(item))) {
        print_text(out, cJSON_PrintUnformatted(item));
        return;
    }
    fputs(is_object ? "{" : "[", out);
    json_each(member, item, "") {
        fputs(member == item->child ? "\n" : ",\n", out);
        if (is_object)
            json_print_member(out, member, depth - 1);
        else
            json_print(out, member, depth - 1);
    }
    fputs(is_object ? "\n}" : "\n]", out);
}

const cJSON *json_get(const cJSON *object, const char *path)
{
    char key[64];
    const cJSON *item = object;
    while (item && *path) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        item = cJSON_GetObjectItemCaseSensitive(item, key);
        path += length + (path[length] == '.');
    }
    return item && !cJSON_IsNull(item) ? item : NULL;
}

const cJSON *json_first(const cJSON *object, const char *path)
{
    const cJSON *list = json_get(object, path);
    return list ? list->child : NULL;
}

double json_get_number(const cJSON *object, const char *path)
{
    const cJSON *item = json_get(object, path);
    return cJSON_IsNumber(item) || cJSON_IsRaw(item) ? item->valuedouble : NAN;
}

const char *json_get_text(const cJSON *object, const char *path)
{
    const cJSON *item = json_get(object, path);
    return item && cJSON_IsString(item) ? item->valuestring : "";
}

bool json_says(const cJSON *object, const char *path, const char *text)
{
    return strcmp(json_get_text(object, path), text) == 0;
}

void json_format_params(char *out, size_t size, const cJSON *params)
{
    struct text text = text_in(out, size);
    json_each(param, params, "") {
        text_add_item(&text, " ", "%s=", param->string);
        if (cJSON_IsNumber(param))
            text_add(&text, "%.15g", param->valuedouble);
        if (cJSON_IsString(param))
            text_add(&text, "%s", param->valuestring);
        json_each(value, param, "")
            text_add(&text, "%s%.15g", value == param->child ? "" : ",", value->valuedouble);
    }
}
