/* parameters.c - replaces parameters of a workload file by values. */
#include "harness/measure/workload/spec.h"

#include "harness/base/json.h"
#include "harness/base/text.h"

enum state { STATE_RAW, STATE_OPEN, STATE_DONE };

struct resolver {
    cJSON *parameters; /* NULL: none */
    enum state states[PARAMETERS_MAX];
    const char *path;
    struct diag *diag;
};

/* Where in the file: "phases[2].delay". */
struct place {
    char text[200];
};

struct resolved_text {
    char chars[PARAMETER_TEXT_MAX + 1];
    size_t length;
};

bool parameter_text(const cJSON *item, char *out, size_t size)
{
    if (cJSON_IsString(item)) {
        size_t length = strlen(item->valuestring);
        if (length >= size)
            return false;
        memcpy(out, item->valuestring, length + 1);
        return true;
    }
    if (!cJSON_IsNumber(item))
        return false;
    /* Fifteen digits write 0.1 as people do; the few doubles that need more get them. */
    snprintf(out, size, "%.15g", item->valuedouble);
    double back = strtod(out, NULL);
    if (back < item->valuedouble || back > item->valuedouble)
        snprintf(out, size, "%.17g", item->valuedouble);
    return true;
}

static void names_list(const cJSON *parameters, char *out, size_t size)
{
    struct text list = text_in(out, size);
    json_each(item, parameters, "")
        text_add_item(&list, ", ", "%s", item->string);
    if (list.used == 0)
        text_add(&list, "none");
}

int parameters_override(cJSON *root, const struct workload_setting *settings, size_t count,
                        const char *path, struct diag *diag)
{
    cJSON *parameters = cJSON_GetObjectItemCaseSensitive(root, "parameters");
    for (size_t i = 0; i < count; i++) {
        const char *name = settings[i].name, *value = settings[i].value;
        if (strcmp(name, WORKLOAD_SLACK) == 0 &&
            !cJSON_GetObjectItemCaseSensitive(parameters, name)) {
            cJSON_DeleteItemFromObjectCaseSensitive(root, name);
            cJSON_AddItemToObject(root, name, jsontext_string(value));
            continue;
        }
        if (!cJSON_GetObjectItemCaseSensitive(parameters, name)) {
            char known[400];
            names_list(parameters, known, sizeof known);
            return diag_usage(diag,
                              "--set %.60s=%.60s: %s has no parameter '%.60s', expected one of: %s",
                              name, value, path, name, known);
        }
        cJSON_ReplaceItemInObjectCaseSensitive(parameters, name, jsontext_string(value));
    }
    return DIAG_OK;
}

/* ---- Putting in ------------------------------------------------------------------------------ */

static int text_append(const struct resolver *resolver, const struct place *place,
                       struct resolved_text *out, const char *piece, size_t length)
{
    if (length > PARAMETER_TEXT_MAX - out->length)
        return diag_usage(resolver->diag, "%s: %s: longer than %d characters with its parameters",
                          resolver->path, place->text, PARAMETER_TEXT_MAX);
    memcpy(out->chars + out->length, piece, length);
    out->length += length;
    out->chars[out->length] = '\0';
    return DIAG_OK;
}

static size_t name_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
}

static int parameter_find(const struct resolver *resolver, const struct place *place,
                          const char *name, size_t length, int *index)
{
    *index = 0;
    json_each(item, resolver->parameters, "") {
        if (strlen(item->string) == length && strncmp(item->string, name, length) == 0)
            return DIAG_OK;
        ++*index;
    }
    char known[400];
    names_list(resolver->parameters, known, sizeof known);
    return diag_usage(resolver->diag, "%s: %s: '$%.*s', expected one of the parameters: %s",
                      resolver->path, place->text, (int)(length < 60 ? length : 60), name, known);
}

static int text_expand(struct resolver *resolver, const struct place *place, const char *from,
                       struct resolved_text *out);

/* Resolves the parameter of that index, whose text is then complete. */
static int parameter_resolve(struct resolver *resolver, int index)
{
    cJSON *item = cJSON_GetArrayItem(resolver->parameters, index);
    struct place place;
    struct resolved_text text = {.length = 0};
    char raw[PARAMETER_TEXT_MAX + 1];
    snprintf(place.text, sizeof place.text, "parameters.%.60s", item->string);
    if (resolver->states[index] == STATE_DONE)
        return DIAG_OK;
    if (resolver->states[index] == STATE_OPEN)
        return diag_usage(resolver->diag,
                          "%s: %s: refers to itself, directly or through others, expected no cycle",
                          resolver->path, place.text);
    if (!parameter_text(item, raw, sizeof raw) || !*raw)
        return diag_usage(resolver->diag,
                          "%s: %s: expected a number or a string of 1 .. %d "
                          "characters",
                          resolver->path, place.text, PARAMETER_TEXT_MAX);
    resolver->states[index] = STATE_OPEN;
    int status = text_expand(resolver, &place, raw, &text);
    if (status != DIAG_OK)
        return status;
    resolver->states[index] = STATE_DONE;
    if (cJSON_IsString(item))
        cJSON_SetValuestring(item, text.chars);
    return DIAG_OK;
}

/* Appends `from` with every $name replaced. */
static int text_expand(struct resolver *resolver, const struct place *place, const char *from,
                       struct resolved_text *out)
{
    int status = DIAG_OK;
    while (status == DIAG_OK && *from) {
        size_t plain = strcspn(from, "$");
        status = text_append(resolver, place, out, from, plain);
        from += plain;
        if (status != DIAG_OK || !*from)
            break;
        int index;
        size_t length = name_length(++from);
        status = parameter_find(resolver, place, from, length, &index);
        if (status == DIAG_OK)
            status = parameter_resolve(resolver, index);
        if (status != DIAG_OK)
            break;
        char value[PARAMETER_TEXT_MAX + 1];
        parameter_text(cJSON_GetArrayItem(resolver->parameters, index), value, sizeof value);
        status = text_append(resolver, place, out, value, strlen(value));
        from += length;
    }
    return status;
}

static int tree_resolve(struct resolver *resolver, const struct place *place, cJSON *item)
{
    if (cJSON_IsString(item) && strchr(item->valuestring, '$')) {
        struct resolved_text text = {.length = 0};
        int status = text_expand(resolver, place, item->valuestring, &text);
        if (status == DIAG_OK)
            cJSON_SetValuestring(item, text.chars);
        return status;
    }
    int index = 0;
    cJSON *child;
    cJSON_ArrayForEach(child, item)
    {
        struct place inner;
        if (cJSON_IsArray(item))
            snprintf(inner.text, sizeof inner.text, "%.150s[%d]", place->text, index++);
        else
            snprintf(inner.text, sizeof inner.text, "%.130s%s%.60s", place->text,
                     *place->text ? "." : "", child->string);
        int status = tree_resolve(resolver, &inner, child);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

int parameters_resolve(cJSON *root, const char *path, struct diag *diag)
{
    struct resolver resolver = {.path = path, .diag = diag};
    resolver.parameters = cJSON_GetObjectItemCaseSensitive(root, "parameters");
    int count = cJSON_GetArraySize(resolver.parameters);
    if (resolver.parameters && (!cJSON_IsObject(resolver.parameters) || count > PARAMETERS_MAX))
        return diag_usage(diag, "%s: parameters: expected an object with up to %d members", path,
                          PARAMETERS_MAX);
    for (int i = 0; i < count; i++) {
        int status = parameter_resolve(&resolver, i);
        if (status != DIAG_OK)
            return status;
    }
    return tree_resolve(&resolver, &(struct place){""}, root);
}
