/* page_origin.c - builds the part of a page that says where its figures come from. */
#include "harness/tell/report/builders.h"

#include "harness/base/json.h"

static size_t count_failed(const cJSON *document)
{
    size_t failed = 0;
    json_each(cell, document, "cells") {
        const char *status = json_get_text(cell, "status");
        failed += strcmp(status, "mismatch") == 0 || strcmp(status, "crashed") == 0;
    }
    return failed;
}

static bool is_to_warn(const cJSON *document)
{
    json_each(check, document, "machine.checks")
        if (json_get(check, "warning"))
            return true;
    return count_failed(document) > 0 || cJSON_IsFalse(json_get(document, "complete"));
}

void page_warnings(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), checks = place_get(&root, "machine.checks");
    size_t failed = count_failed(document);
    if (cJSON_IsFalse(json_get(document, "complete")))
        page_item(page, "The run was interrupted: cells are missing.");
    if (failed > 0) {
        page_item(page, "%s", "");
        page_derived(page, (double)failed, "%zu", failed);
        page_span(page, " of the cells differ from the oracle, or crashed.");
    }
    page_say_each(page, PAGE_ITEM, &checks, "<{warning}>");
}

void page_left_out(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), left_out = place_get(&root, "left_out");
    page_say_each(page, PAGE_TEXT, &left_out, "Left out: {}.");
}

void page_about(struct page *page, const cJSON *document)
{
    struct place root = place_root(document);
    page_aside(page, NULL);
    page_say(page, PAGE_TEXT, &root,
             "<Measured {tool.date_utc}><, {machine.cpu_model}><, {machine.cores} cores><, "
             "{machine.distribution}><; twbench {tool.version}>< ({tool.commit})><, "
             "{tool.compiler}><; of commit {subject.commit}>< of {subject.date_utc}>.");
    page_open(page, PAGE_ASIDE_END);
    if (!is_to_warn(document))
        return;
    page_aside(page, "warnings");
    page_warnings(page, document);
    page_open(page, PAGE_ASIDE_END);
}

/* A word that a shell would take apart is shown in quotes; they are not part of it. */
static void add_command(struct page *page, const struct place *root)
{
    struct place command = place_get(root, "command");
    const char *gap = "";
    if (!command.json)
        return;
    page_open(page, PAGE_CODE_BLOCK);
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

/* A row for each plain value of the object; a column name is a key without underlines. */
static void add_part(struct page *page, const struct place *part)
{
    json_each(value, part->json, "") {
        if (!value->string || !page_is_plain(value))
            continue;
        struct place at = place_key(part, value->string);
        page_row(page);
        page_cell(page, "%s", "");
        page_derived(page, NAN, "%s", part->path);
        page_cell(page, "%s", value->string);
        page_cell_put(page, &at, "");
    }
}

void page_origin(struct page *page, const cJSON *document)
{
    static const char *const parts[] = {"tool",        "machine", "harness", "method", "limits",
                                        "disturbance", "old",     "new",     "subject"};
    static const char *const lists[] = {"machine.caches", "machine.checks"};
    struct place root = place_root(document);
    page_section(page, "origin", "Where this comes from");
    add_command(page, &root);
    page_table(page, NULL, "Where this comes from");
    page_column(page, "of", "", PAGE_LEFT, 0);
    page_column(page, "what", "", PAGE_LEFT, 0);
    page_column(page, "value", "", PAGE_LEFT | PAGE_PROSE, 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct place part = place_get(&root, parts[i]);
        add_part(page, &part);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct place list = place_get(&root, lists[i]);
        for (struct place item = place_item(&list, 0); item.json; place_next(&item))
            add_part(page, &item);
    }
    page_open(page, PAGE_SECTION_END);
}
