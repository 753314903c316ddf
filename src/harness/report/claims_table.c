/* claims_table.c - a paragraph for each claim, one below it for each part. */
#include "harness/report/claims_table.h"

#include "harness/report/claims_view.h"
#include "harness/report/wrap.h"
#include "harness/result/json.h"

#include <string.h>

/* Where the text behind the identity and the verdict begins. */
#define HEAD_COLUMNS 21

static const char *color_of(const char *verdict)
{
    return strcmp(verdict, "holds") == 0           ? "32"
           : strcmp(verdict, "does-not-hold") == 0 ? "1;31"
                                                   : "33";
}

/* "T6   does-not-hold  " without a line's end; the verdict in colour where there is one. */
static void write_head(FILE *out, const char *id, const char *verdict,
                       const struct report_style *style)
{
    fprintf(out, "%-4s ", id);
    if (style->color)
        fprintf(out, "\033[%sm%-14s\033[0m  ", color_of(verdict), verdict);
    else
        fprintf(out, "%-14s  ", verdict);
}

/* Wrapped behind a head that stands there already. */
static void write_behind(FILE *out, const char *text, const struct report_style *style)
{
    wrap_write(out, text, HEAD_COLUMNS, 0, HEAD_COLUMNS, style);
}

static void write_part(FILE *out, const cJSON *part, const struct report_style *style)
{
    char line[CLAIMS_LINE_SIZE];
    bool is_reading = strcmp(json_get_text(part, "role"), "reading") == 0;
    snprintf(line, sizeof line, "- %s%s: %s [%s]", is_reading ? "(a reading) " : "",
             json_get_text(part, "verdict"), json_get_text(part, "statement"),
             json_get_text(part, "why"));
    wrap_write(out, line, 0, 5, 7, style);
}

static void write_peers(FILE *out, const cJSON *claim, const struct report_style *style)
{
    char line[CLAIMS_LINE_SIZE];
    const cJSON *peer;
    cJSON_ArrayForEach(peer, json_get(claim, "peers"))
    {
        snprintf(line, sizeof line, "- elsewhere: %s: %s (%s)", json_get_text(peer, "system"),
                 json_get_text(peer, "says"), json_get_text(peer, "machine"));
        wrap_write(out, line, 0, 5, 7, style);
    }
}

static void write_claim(FILE *out, const cJSON *claim, const struct report_style *style)
{
    char line[CLAIMS_LINE_SIZE], documents[64];
    const cJSON *part;
    claims_documents(documents, sizeof documents, claim);
    snprintf(line, sizeof line, "%s (%s)", json_get_text(claim, "statement"), documents);
    write_head(out, json_get_text(claim, "id"), json_get_text(claim, "verdict"), style);
    write_behind(out, line, style);
    wrap_write(out, json_get_text(claim, "why"), 0, 5, 5, style);
    cJSON_ArrayForEach(part, json_get(claim, "parts"))
    {
        write_part(out, part, style);
    }
    write_peers(out, claim, style);
    fputc('\n', out);
}

void claims_table_write(FILE *out, const cJSON *document, const struct report_style *style)
{
    char line[CLAIMS_LINE_SIZE];
    const cJSON *claim, *later;
    cJSON_ArrayForEach(claim, json_get(document, "claims"))
    {
        write_claim(out, claim, style);
    }
    cJSON_ArrayForEach(later, json_get(document, "not_yet"))
    {
        snprintf(line, sizeof line, "%s Waits for %s.", json_get_text(later, "statement"),
                 json_get_text(later, "waits_for"));
        fprintf(out, "%-4s %-14s  ", json_get_text(later, "id"), "not yet");
        write_behind(out, line, style);
    }
    fputs(json_get(document, "not_yet") && json_get(document, "not_yet")->child ? "\n" : "", out);
    claims_summary(line, sizeof line, document);
    fprintf(out, "%s.\n", line);
}
