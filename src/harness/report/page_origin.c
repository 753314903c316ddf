/* page_origin.c - builds the part of a page that says where its figures come from. */
#include "harness/report/page_origin.h"

#include "harness/result/json.h"

#include <string.h>

void page_warnings(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), checks = place_get(&root, "machine.checks");
    if (!cJSON_IsTrue(json_get(document, "complete")))
        page_item(page, "The run was interrupted: cells are missing.");
    for (struct place check = place_item(&checks, 0); check.json; place_next(&check)) {
        if (!json_get(check.json, "warning"))
            continue;
        page_item(page, "%s", "");
        page_put(page, &check, "warning");
    }
}

/* A word that a shell would take apart is shown in quotes; they are not part of it. */
static void add_command(struct page *page, const struct place *root)
{
    struct place command = place_get(root, "command");
    const char *gap = "";
    if (!command.json)
        return;
    page_code(page, "%s", "");
    for (struct place word = place_item(&command, 0); word.json; place_next(&word)) {
        const char *text = cJSON_IsString(word.json) ? word.json->valuestring : "";
        const char *quote =
            text[0] && !text[strcspn(text, " \t\n'\"\\$`*?[]{}()<>|&;#~!")] ? "" : "'";
        page_span(page, "%s%s", gap, quote);
        page_put(page, &word, "");
        page_span(page, "%s", quote);
        gap = " ";
    }
}

static bool is_plain(const cJSON *value)
{
    if (cJSON_IsArray(value))
        return value->child && !cJSON_IsObject(value->child);
    return cJSON_IsNumber(value) || cJSON_IsString(value) || cJSON_IsBool(value);
}

/* A row for each plain value of the object; a column name is a key without underlines. */
static void add_part(struct page *page, const struct place *part)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, part->json)
    {
        if (!value->string || !is_plain(value))
            continue;
        struct place at = place_key(part, value->string);
        page_row(page);
        page_cell(page, "%s", part->path);
        page_cell(page, "%s", value->string);
        page_cell_put(page, &at, "");
    }
}

void page_origin(struct page *page, const cJSON *document)
{
    static const char *const parts[] = {"tool",        "machine", "machine.selftest",
                                        "harness",     "method",  "limits",
                                        "disturbance", "old",     "new"};
    struct place root = place_root(document), caches = place_get(&root, "machine.caches");
    page_fold(page, "Where this comes from");
    add_command(page, &root);
    page_table(page, "origin", "Where this comes from");
    page_column(page, "of", "", PAGE_LEFT, 0);
    page_column(page, "what", "", PAGE_LEFT, 0);
    page_column(page, "value", "", PAGE_LEFT, 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct place part = place_get(&root, parts[i]);
        add_part(page, &part);
    }
    for (struct place cache = place_item(&caches, 0); cache.json; place_next(&cache))
        add_part(page, &cache);
    page_fold_end(page);
}
