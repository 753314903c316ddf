/* reader.c - reads keys of an experiment file, and refuses the first that is wrong. */
#include "labs/teach/claims/reader.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/units.h"

#include <math.h>

struct reader_place reader_member(const struct reader_place *outer, const char *key)
{
    struct reader_place place;
    snprintf(place.text, sizeof place.text, "%.120s%s%.60s", outer->text, outer->text[0] ? "." : "",
             key);
    return place;
}

struct reader_place reader_element(const struct reader_place *outer, size_t index)
{
    struct reader_place place;
    snprintf(place.text, sizeof place.text, "%.170s[%zu]", outer->text, index);
    return place;
}

void reader_refuse(struct reader *reader, const struct reader_place *place, const char *format, ...)
{
    char text[600];
    va_list args;
    if (reader->status != DIAG_OK)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reader->status = diag_usage(reader->diag, "%s: %s%s%s", reader->path, place->text,
                                place->text[0] ? ": " : "", text);
}

/* "a, b, c", cut off where there are too many. */
static void join_words(char *out, size_t size, const char *const *words)
{
    struct text list = text_in(out, size);
    for (; *words; words++)
        text_add_item(&list, ", ", "%s", *words);
}

static bool is_word(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

void reader_check_keys(struct reader *reader, const struct reader_place *place, const cJSON *object,
                       const char *const *known)
{
    char words[400];
    if (!cJSON_IsObject(object)) {
        reader_refuse(reader, place, "expected an object");
        return;
    }
    join_words(words, sizeof words, known);
    json_each(item, object, "") {
        struct reader_place member = reader_member(place, item->string);
        if (!is_word(item->string, known))
            reader_refuse(reader, &member, "unknown key, expected one of %s", words);
    }
}

static const cJSON *find(struct reader *reader, const struct reader_place *place,
                         const cJSON *object, const char *key, bool needed)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    struct reader_place member = reader_member(place, key);
    if (!item && needed)
        reader_refuse(reader, &member, "missing");
    return item;
}

const char *reader_text(struct reader *reader, const struct reader_place *place,
                        const cJSON *object, const char *key, bool needed)
{
    const cJSON *item = find(reader, place, object, key, needed);
    struct reader_place member = reader_member(place, key);
    if (item && cJSON_IsString(item) && item->valuestring[0])
        return item->valuestring;
    if (item)
        reader_refuse(reader, &member, "expected text");
    return NULL;
}

int reader_word(struct reader *reader, const struct reader_place *place, const cJSON *object,
                const char *key, const char *const *words, bool needed)
{
    char list[200];
    struct reader_place member = reader_member(place, key);
    const char *text = reader_text(reader, place, object, key, needed);
    for (int i = 0; text && words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    join_words(list, sizeof list, words);
    if (text)
        reader_refuse(reader, &member, "'%.60s', expected one of %s", text, list);
    return 0;
}

double reader_number(struct reader *reader, const struct reader_place *place, const cJSON *object,
                     const char *key, double absent)
{
    const cJSON *item = find(reader, place, object, key, false);
    struct reader_place member = reader_member(place, key);
    if (!item)
        return absent;
    if (cJSON_IsNumber(item) && isfinite(item->valuedouble) && item->valuedouble >= 0)
        return item->valuedouble;
    reader_refuse(reader, &member, "expected a number from 0 on");
    return absent;
}

uint64_t reader_count(struct reader *reader, const struct reader_place *place, const cJSON *item)
{
    uint64_t count = 0;
    double number = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    if (cJSON_IsString(item) && reader->status == DIAG_OK) {
        struct diag diag;
        if (units_parse_count(item->valuestring, place->text, &count, &diag) != DIAG_OK)
            reader->status = diag_usage(reader->diag, "%s: %s", reader->path, diag.text);
        return count;
    }
    if (number >= 0 && number <= 0x1p53 && floor(number) == number)
        return (uint64_t)number;
    reader_refuse(reader, place, "expected a whole number, as 10000 or \"10k\"");
    return 0;
}

size_t reader_array(struct reader *reader, const struct reader_place *place, const cJSON *item,
                    size_t most)
{
    size_t count = cJSON_IsArray(item) ? (size_t)cJSON_GetArraySize(item) : 0;
    if (count >= 1 && count <= most)
        return count;
    reader_refuse(reader, place, "expected an array of 1 to %zu", most);
    return 0;
}
