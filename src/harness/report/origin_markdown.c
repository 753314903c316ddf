/* origin_markdown.c - a list of warnings, the command as code, a table of what is known. */
#include "harness/report/origin_markdown.h"

#include "harness/report/emit.h"
#include "harness/report/markdown.h"
#include "harness/result/json.h"

static void write_warnings(FILE *out, const cJSON *document)
{
    const cJSON *check;
    if (!cJSON_IsTrue(json_get(document, "complete")))
        fputs("- The run was interrupted: cells are missing.\n", out);
    cJSON_ArrayForEach(check, json_get(document, "machine.checks"))
    {
        if (!json_get(check, "warning"))
            continue;
        fputs("- ", out);
        markdown_text(out, json_get_text(check, "warning"));
        fputc('\n', out);
    }
}

/* Indented code takes any text as it is, except the end of its line. */
static void write_command(FILE *out, const cJSON *document)
{
    const cJSON *word;
    fputs("\n   ", out);
    cJSON_ArrayForEach(word, json_get(document, "command"))
    {
        fputc(' ', out);
        for (const char *c = cJSON_IsString(word) ? word->valuestring : ""; *c; c++)
            fputc(*c == '\n' ? ' ' : *c, out);
    }
    fputs("\n\n", out);
}

static void write_part(FILE *out, const cJSON *document, const char *key)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, json_get(document, key))
    {
        if (!cJSON_IsNumber(value) && !cJSON_IsString(value))
            continue;
        fprintf(out, "| %s | ", key);
        markdown_text(out, value->string);
        fputs(" | ", out);
        if (cJSON_IsNumber(value))
            emit_number(out, value->valuedouble);
        else
            markdown_text(out, value->valuestring);
        fputs(" |\n", out);
    }
}

void origin_markdown_write(FILE *out, const cJSON *document)
{
    static const char *const parts[] = {"tool", "machine", "harness"};
    fputs("\n### Where this comes from\n\n", out);
    write_warnings(out, document);
    write_command(out, document);
    fputs("| of | what | value |\n|---|---|---|\n", out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        write_part(out, document, parts[i]);
}
