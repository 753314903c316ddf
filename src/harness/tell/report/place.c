/* place.c - walks a document and keeps the path. */
#include "harness/tell/report/page.h"

#include "harness/base/json.h"

static bool is_word(const char *key)
{
    for (const char *c = key; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return isalpha((unsigned char)*key);
}

/* Adds `before`, `text` and `after`; what does not fit is cut. */
static void append(struct place *place, const char *before, const char *text, const char *after)
{
    size_t length = strlen(place->path);
    snprintf(place->path + length, sizeof place->path - length, "%s%s%s", before, text, after);
}

struct place place_root(const cJSON *document)
{
    return (struct place){.json = document};
}

struct place place_get(const struct place *from, const char *dotted)
{
    struct place place = *from;
    place.json = json_get(from->json, dotted);
    append(&place, place.path[0] ? "." : "", dotted, "");
    return place;
}

struct place place_key(const struct place *from, const char *key)
{
    struct place place = *from;
    char quoted[PLACE_SIZE];
    size_t used = 0;
    place.json = cJSON_GetObjectItemCaseSensitive(from->json, key);
    if (cJSON_IsNull(place.json))
        place.json = NULL;
    for (const char *c = key; *c && used + 3 < sizeof quoted; c++) {
        if (*c == '"' || *c == '\\')
            quoted[used++] = '\\';
        quoted[used++] = *c;
    }
    quoted[used] = '\0';
    if (is_word(key))
        append(&place, place.path[0] ? "." : "", key, "");
    else
        append(&place, "[\"", quoted, "\"]");
    return place;
}

struct place place_item(const struct place *array, size_t index)
{
    struct place place = *array;
    char text[24];
    snprintf(text, sizeof text, "%zu", index);
    place.json = cJSON_IsArray(array->json) ? cJSON_GetArrayItem(array->json, (int)index) : NULL;
    append(&place, "[", text, "]");
    return place;
}

struct place place_of(const struct place *array, const cJSON *item)
{
    size_t index = 0;
    for (const cJSON *at = array->json ? array->json->child : NULL; at && at != item; at = at->next)
        index++;
    return place_item(array, index);
}

void place_next(struct place *item)
{
    char *bracket = strrchr(item->path, '[');
    item->json = item->json ? item->json->next : NULL;
    if (!bracket)
        return;
    unsigned long index = strtoul(bracket + 1, NULL, 10);
    snprintf(bracket, sizeof item->path - (size_t)(bracket - item->path), "[%lu]", index + 1);
}

double place_number(const struct place *from, const char *dotted)
{
    return json_get_number(from->json, dotted);
}

const char *place_text(const struct place *from, const char *dotted)
{
    return json_get_text(from->json, dotted);
}
