/* advice_markdown.c - a heading, a list, a table, a list. */
#include "harness/report/advice_markdown.h"

#include "harness/report/advice_table.h"
#include "harness/report/figure.h"
#include "harness/report/markdown.h"
#include "harness/result/json.h"

#include <stdio.h>

static void write_items(FILE *out, const cJSON *list)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        fputs("- ", out);
        markdown_text(out, cJSON_IsString(item) ? item->valuestring : json_get_text(item, "says"));
        fputc('\n', out);
    }
}

static void write_candidate(FILE *out, const cJSON *candidate)
{
    static const char *const paths[] = {
        "cost_ns_per_op.median", "cost_ns_per_op.low", "cost_ns_per_op.high", "advance_p99_ns",
        "advance_max_ns",        "bytes_per_task",     "late_max_ns",         "wakeups"};
    const cJSON *figures = json_get(candidate, "figures");
    if (!figures)
        return;
    fputs("| ", out);
    markdown_text(out, json_get_text(candidate, "name"));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char text[FIGURE_SIZE];
        figure_number(text, json_get_number(figures, paths[i]));
        fprintf(out, i == 2 ? " - %s" : " | %s", text);
    }
    fprintf(out, " | %s |\n", json_get_text(candidate, "status"));
}

void advice_markdown_write(FILE *out, const cJSON *document)
{
    char title[256];
    const cJSON *advice = json_get(document, "advice"), *candidate;
    const cJSON *changes = json_get(advice, "sizes.changes");
    advice_title(title, sizeof title, advice);
    fputs("### Which design for ", out);
    markdown_text(out, title);
    const char *answer = json_get_text(advice, "recommendation.candidate");
    fprintf(out, "\n\n**%s**\n\n", answer[0] ? answer : "none that keeps to the wishes");
    write_items(out, json_get(advice, "recommendation.reasons"));
    fputs("\n| candidate | ns per operation | interval | advance p99, ns | longest, ns | bytes per "
          "task "
          "| late by at most, ns | wake-ups | |\n|---|--:|--:|--:|--:|--:|--:|--:|---|\n",
          out);
    cJSON_ArrayForEach(candidate, json_get(advice, "candidates"))
    {
        write_candidate(out, candidate);
    }
    fputc('\n', out);
    write_items(out, changes);
}
