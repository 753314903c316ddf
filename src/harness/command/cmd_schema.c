/* cmd_schema.c - schema: what the keys of a kind of document mean, from its JSON Schema. */
#include "build_info.h"
#include "harness/base/json.h"
#include "harness/base/paths.h"
#include "harness/base/text.h"
#include "harness/command/command.h"

#include <glob.h>

/* Schemas within each other. */
#define DEPTH_MAX 12

/* ---- The files. ------------------------------------------------------------------------------- */

/* All schemas of the core and of the labs beside it whose name begins so; globfree in any case. */
static size_t find_schemas(const char *kind, glob_t *found)
{
    char place[4200], pattern[4400];
    paths_find("schema", BUILD_SHARE_DIR "/schema", place, sizeof place);
    *found = (glob_t){0};
    snprintf(pattern, sizeof pattern, "%s/%s-[0-9].json", place, kind);
    glob(pattern, 0, NULL, found);
    snprintf(pattern, sizeof pattern, "%s/../labs/*/schema/%s-[0-9].json", place, kind);
    glob(pattern, GLOB_APPEND, NULL, found);
    return found->gl_pathc;
}

#define EXPECTED "a JSON Schema"

/* ---- The table. ------------------------------------------------------------------------------- */

static void print_keys(const cJSON *root, const cJSON *schema, const char *path, int depth);

/* Where "$ref" leads to. */
static const cJSON *resolve(const cJSON *root, const cJSON *schema)
{
    char path[200];
    const char *name = strrchr(json_get_text(schema, "$ref"), '/');
    if (!name)
        return schema;
    snprintf(path, sizeof path, "definitions.%s", name + 1);
    const cJSON *found = json_get(root, path);
    return found ? found : schema;
}

static void add_value(struct text *text, const cJSON *value)
{
    char *printed = cJSON_PrintUnformatted(value);
    text_add_item(text, ", ", "`%s`", printed);
    cJSON_free(printed);
}

/* "number or null", "`same`, `improved`". */
static void describe_type(const cJSON *root, const cJSON *schema, struct text *out)
{
    static const char *const choices[] = {"oneOf", "anyOf"};
    const cJSON *type, *value;
    schema = resolve(root, schema);
    type = cJSON_GetObjectItemCaseSensitive(schema, "type");
    value = cJSON_GetObjectItemCaseSensitive(schema, "const");
    if (value)
        add_value(out, value);
    json_each(item, schema, "enum")
        add_value(out, item);
    if (!value && !json_get(schema, "enum") && cJSON_IsString(type))
        text_add_item(out, " or ", "%s", type->valuestring);
    if (cJSON_IsArray(type))
        json_each(item, type, "")
            text_add_item(out, " or ", "%s", cJSON_GetStringValue(item));
    for (size_t i = 0; i < 2; i++)
        json_each(item, schema, choices[i])
            describe_type(root, item, out);
}

/* A key and the keys within it; `used`: its schema where it stands, whose text goes before that of a definition. */
static void print_key(const cJSON *root, const cJSON *used, const char *path, int depth)
{
    char type[400];
    struct text text = text_in(type, sizeof type);
    const cJSON *schema = resolve(root, used);
    const char *meaning = json_get_text(used, "description");
    describe_type(root, used, &text);
    if (!meaning[0])
        meaning = json_get_text(schema, "description");
    if (meaning[0]) /* of keys by any name the one above says it */
        printf("| `%s` | %s | %s |\n", path, type, meaning);
    print_keys(root, schema, path, depth + 1);
}

static void print_keys(const cJSON *root, const cJSON *schema, const char *path, int depth)
{
    static const char *const choices[] = {"oneOf", "anyOf", "allOf"};
    char below[400];
    const cJSON *free_keys = cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties");
    const cJSON *items = json_get(schema, "items");
    if (depth > DEPTH_MAX)
        return;
    json_each(item, schema, "properties") {
        snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", item->string);
        print_key(root, item, below, depth);
    }
    if (cJSON_IsObject(free_keys)) {
        snprintf(below, sizeof below, "%s%sNAME", path, path[0] ? "." : "");
        print_key(root, free_keys, below, depth);
    }
    if (cJSON_IsObject(items)) {
        snprintf(below, sizeof below, "%s[]", path);
        print_keys(root, resolve(root, items), below, depth + 1);
    }
    for (size_t i = 0; i < 3; i++)
        json_each(item, schema, choices[i])
            print_keys(root, resolve(root, item), path, depth + 1);
}

static void print_schema(const cJSON *schema)
{
    printf("# %s\n\n%s\n\n| key | type | meaning |\n|---|---|---|\n",
           json_get_text(schema, "title"), json_get_text(schema, "description"));
    print_keys(schema, schema, "", 0);
}

/* ---- The command. ----------------------------------------------------------------------------- */

/* "comparison   twbench compare, version 1". */
static int print_kinds(const glob_t *found, struct diag *diag)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < found->gl_pathc && status == DIAG_OK; i++) {
        cJSON *schema = NULL;
        const char *name = strrchr(found->gl_pathv[i], '/') + 1;
        status = json_load(found->gl_pathv[i], EXPECTED, &schema, diag);
        if (status == DIAG_OK)
            printf("%-12.*s %s\n", (int)strcspn(name, "-"), name, json_get_text(schema, "title"));
        cJSON_Delete(schema);
    }
    return status;
}

static int run(struct call *call)
{
    struct diag diag;
    glob_t found;
    cJSON *schema = NULL;
    int status = DIAG_OK;
    const char *kind = call->operand_count ? call->operands[0] : "*";
    if (call->operand_count > 1)
        status = diag_usage(&diag, "schema: %zu kinds given; expected one", call->operand_count);
    else if (kind[strcspn(kind, "/[?")] || find_schemas(kind, &found) == 0)
        status = diag_usage(&diag, "schema: no kind '%s'; 'twbench schema' names them", kind);
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    if (call->operand_count == 0)
        status = print_kinds(&found, &diag);
    else if ((status = json_load(found.gl_pathv[found.gl_pathc - 1], EXPECTED, &schema, &diag)) ==
             DIAG_OK)
        print_schema(schema);
    cJSON_Delete(schema);
    globfree(&found);
    return status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
}

static const struct flag_group groups[] = {{0}};

const struct command cmd_schema = {
    .name = "schema",
    .usage = "[KIND]",
    .summary = "Explain the keys of a kind of document, as a Markdown table.",
    .topic = "Compare timer designs",
    .groups = groups,
    .run = run,
};
