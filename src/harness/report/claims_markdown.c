/* claims_markdown.c - the table, then the sections. */
#include "harness/report/claims_markdown.h"

#include "harness/report/claims_view.h"
#include "harness/report/markdown.h"
#include "harness/result/json.h"

#include <string.h>

static void write_field(FILE *out, const char *text)
{
    fputc(' ', out);
    markdown_text(out, text);
    fputs(" |", out);
}

/* A verdict that people have to see stands out. */
static void write_verdict(FILE *out, const char *verdict)
{
    bool is_plain = strcmp(verdict, "holds") == 0;
    fprintf(out, is_plain ? " %s |" : " **%s** |", verdict);
}

static void write_summary(FILE *out, const cJSON *document)
{
    const cJSON *claim;
    char documents[64];
    fputs("| claim | documents | statement | verdict here | why |\n|---|---|---|---|---|\n", out);
    cJSON_ArrayForEach(claim, json_get(document, "claims"))
    {
        claims_documents(documents, sizeof documents, claim);
        fprintf(out, "| %s | %s |", json_get_text(claim, "id"), documents);
        write_field(out, json_get_text(claim, "statement"));
        write_verdict(out, json_get_text(claim, "verdict"));
        write_field(out, json_get_text(claim, "why"));
        fputc('\n', out);
    }
    cJSON_ArrayForEach(claim, json_get(document, "not_yet"))
    {
        claims_documents(documents, sizeof documents, claim);
        fprintf(out, "| %s | %s |", json_get_text(claim, "id"), documents);
        write_field(out, json_get_text(claim, "statement"));
        fputs(" not yet | waits for", out);
        write_field(out, json_get_text(claim, "waits_for"));
        fputc('\n', out);
    }
}

static void write_parts(FILE *out, const cJSON *claim)
{
    const cJSON *part;
    fputs("| part | statement | verdict | figures |\n|---|---|---|---|\n", out);
    cJSON_ArrayForEach(part, json_get(claim, "parts"))
    {
        bool is_reading = strcmp(json_get_text(part, "role"), "reading") == 0;
        fprintf(out, "| %s%s |", json_get_text(part, "id"), is_reading ? " (a reading)" : "");
        write_field(out, json_get_text(part, "statement"));
        write_verdict(out, json_get_text(part, "verdict"));
        write_field(out, json_get_text(part, "why"));
        fputc('\n', out);
    }
}

static void write_commands(FILE *out, const cJSON *claim)
{
    const cJSON *run, *command;
    bool first = true;
    cJSON_ArrayForEach(run, json_get(claim, "runs"))
    {
        cJSON_ArrayForEach(command, json_get(run, "commands"))
        {
            fputs(first ? "\n```sh\n" : "", out);
            fprintf(out, "%s\n", cJSON_IsString(command) ? command->valuestring : "");
            first = false;
        }
    }
    fputs(first ? "" : "```\n", out);
}

static void write_peers(FILE *out, const cJSON *claim)
{
    const cJSON *peer;
    const char *gap = "\n";
    cJSON_ArrayForEach(peer, json_get(claim, "peers"))
    {
        fprintf(out, "%s- Elsewhere: ", gap);
        markdown_text(out, json_get_text(peer, "system"));
        fputs(": ", out);
        markdown_text(out, json_get_text(peer, "says"));
        fputs(" (", out);
        markdown_text(out, json_get_text(peer, "machine"));
        fputs(")\n", out);
        gap = "";
    }
}

static void write_section(FILE *out, const cJSON *claim)
{
    fprintf(out, "\n#### %s: %s\n\n", json_get_text(claim, "id"), json_get_text(claim, "verdict"));
    markdown_text(out, json_get_text(claim, "statement"));
    fputs("\n\n", out);
    markdown_text(out, json_get_text(claim, "test"));
    fputs("\n\n", out);
    write_parts(out, claim);
    write_commands(out, claim);
    write_peers(out, claim);
}

void claims_markdown_write(FILE *out, const cJSON *document)
{
    char line[CLAIMS_LINE_SIZE];
    const cJSON *claim;
    claims_summary(line, sizeof line, document);
    fprintf(out, "### Claims about timer designs: %s\n\n", line);
    write_summary(out, document);
    cJSON_ArrayForEach(claim, json_get(document, "claims"))
    {
        write_section(out, claim);
    }
}
