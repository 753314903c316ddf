/* html_origin.c - the head of the document, nearly as it stands there. */
#include "harness/report/html_origin.h"

#include "harness/report/html_tree.h"
#include "harness/report/xml.h"
#include "harness/result/json.h"

#include <string.h>

/* ---- Warnings. ------------------------------------------------------------------------------- */

/* The list is opened by the first warning. */
static void open_item(FILE *out, bool *any)
{
    fputs(*any ? "<li>" : "<ul class=\"warnings\">\n<li>", out);
    *any = true;
}

static void write_checks(FILE *out, const cJSON *document, bool *any)
{
    struct html_path path = {.length = 0};
    const cJSON *check;
    size_t index = 0;
    html_path_dotted(&path, "machine.checks");
    cJSON_ArrayForEach(check, json_get(document, "machine.checks"))
    {
        size_t length = html_path_index(&path, index++);
        html_path_key(&path, "warning");
        if (json_get(check, "warning")) {
            open_item(out, any);
            html_value(out, "span", json_get(check, "warning"), &path);
            fputs("</li>\n", out);
        }
        html_path_back(&path, length);
    }
}

static void write_failed(FILE *out, const cJSON *document, bool *any)
{
    const cJSON *cell;
    size_t failed = 0;
    cJSON_ArrayForEach(cell, json_get(document, "cells"))
    {
        const char *status = json_get_text(cell, "status");
        failed += strcmp(status, "mismatch") == 0 || strcmp(status, "crashed") == 0;
    }
    if (failed == 0)
        return;
    open_item(out, any);
    fprintf(out,
            "<span class=\"derived\">%zu</span> of the <a href=\"#memory\">cells</a> did not do "
            "what the oracle says, or crashed.</li>\n",
            failed);
}

void html_warnings(FILE *out, const cJSON *document)
{
    bool any = false;
    if (!cJSON_IsTrue(json_get(document, "complete"))) {
        open_item(out, &any);
        fputs("The run was interrupted: cells are missing.</li>\n", out);
    }
    write_failed(out, document, &any);
    write_checks(out, document, &any);
    fputs(any ? "</ul>\n" : "", out);
}

/* ---- Origin. --------------------------------------------------------------------------------- */

/* A word that a shell would take apart is shown in quotes; they are not part of it. */
static void write_word(FILE *out, const cJSON *word, struct html_path *path)
{
    const char *text = cJSON_IsString(word) ? word->valuestring : "";
    bool is_plain = text[0] && !text[strcspn(text, " \t\n'\"\\$`*?[]{}()<>|&;#~!")];
    fputs(is_plain ? "" : "'", out);
    html_value(out, "span", word, path);
    fputs(is_plain ? "" : "'", out);
}

static void write_command(FILE *out, const cJSON *document)
{
    struct html_path path = {.length = 0};
    const cJSON *word;
    size_t index = 0;
    html_path_key(&path, "command");
    fputs("<pre class=\"scroll\" tabindex=\"0\"><code>", out);
    cJSON_ArrayForEach(word, json_get(document, "command"))
    {
        size_t length = html_path_index(&path, index);
        fputs(index++ ? " " : "", out);
        write_word(out, word, &path);
        html_path_back(&path, length);
    }
    fputs("</code></pre>\n", out);
}

static void write_part(FILE *out, const cJSON *document, const char *title, const char *dotted)
{
    struct html_path path = {.length = 0};
    const cJSON *part = json_get(document, dotted);
    if (!part)
        return;
    html_path_dotted(&path, dotted);
    fprintf(out, "<h3>%s</h3>\n", title);
    if (cJSON_IsArray(part))
        html_records(out, title, part, &path);
    else
        html_list(out, part, &path);
}

void html_origin(FILE *out, const cJSON *document)
{
    fputs("<section id=\"origin\"><h2>Where this comes from</h2>\n<h3>Command</h3>\n", out);
    write_command(out, document);
    write_part(out, document, "Build", "tool");
    write_part(out, document, "Machine", "machine");
    write_part(out, document, "Caches", "machine.caches");
    write_part(out, document, "System check", "machine.checks");
    write_part(out, document, "Selftest", "machine.selftest");
    write_part(out, document, "Harness", "harness");
    fputs("</section>\n", out);
}
