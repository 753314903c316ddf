/* json.c - converts between C values and JSON. */
#include "harness/result/json.h"

#include "harness/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cJSON prints 15 digits, and takes what is as good as equal for equal. */
#define EXACT_MAX UINT64_C(999999999999999)

cJSON *json_integer(uint64_t value)
{
    if (value <= EXACT_MAX)
        return cJSON_CreateNumber((double)value);
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    return cJSON_CreateRaw(digits);
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

/* Bytes of the UTF-8 sequence at `text`; 0 when it is none.  Overlong forms and surrogates are let
 * through: nobody types them. */
static size_t utf8_length(const unsigned char *text)
{
    size_t length = *text < 0x80                    ? 1
                    : *text >= 0xc2 && *text < 0xe0 ? 2
                    : *text >= 0xe0 && *text < 0xf0 ? 3
                    : *text >= 0xf0 && *text < 0xf5 ? 4
                                                    : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* An argument may hold any bytes, a JSON text may not: what is not UTF-8 becomes '?'. */
static void make_utf8(char *text)
{
    unsigned char *at = (unsigned char *)text;
    while (*at) {
        size_t length = utf8_length(at);
        if (length == 0)
            *at = '?';
        at += length ? length : 1;
    }
}

cJSON *json_text(const char *text)
{
    if (!text || !text[0])
        return cJSON_CreateNull();
    cJSON *item = cJSON_CreateString(text);
    if (item)
        make_utf8(item->valuestring);
    return item;
}

void json_add(cJSON *object, const char *key, cJSON *item)
{
    if (!cJSON_AddItemToObject(object, key, item))
        cJSON_Delete(item);
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

double json_get_number(const cJSON *object, const char *path)
{
    const cJSON *item = json_get(object, path);
    return item && cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

const char *json_get_text(const cJSON *object, const char *path)
{
    const cJSON *item = json_get(object, path);
    return item && cJSON_IsString(item) ? item->valuestring : "";
}

void json_format_params(char *out, size_t size, const cJSON *params)
{
    struct text text = text_in(out, size);
    const cJSON *param, *value;
    cJSON_ArrayForEach(param, params)
    {
        text_add_item(&text, " ", "%s=", param->string);
        if (cJSON_IsNumber(param))
            text_add(&text, "%.15g", param->valuedouble);
        if (cJSON_IsString(param))
            text_add(&text, "%s", param->valuestring);
        if (!cJSON_IsArray(param))
            continue;
        cJSON_ArrayForEach(value, param)
        {
            text_add(&text, "%s%.15g", value == param->child ? "" : ",", value->valuedouble);
        }
    }
}
