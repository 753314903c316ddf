/* compare_markdown.c - what changed stands open, the rest is folded. */
#include "harness/report/compare_markdown.h"

#include "harness/report/compare_view.h"
#include "harness/report/markdown.h"
#include "harness/result/json.h"

#include <string.h>

static void write_field(FILE *out, const char *text)
{
    fputc(' ', out);
    markdown_text(out, text);
    fputs(" |", out);
}

static void write_header(FILE *out, const cJSON *comparison)
{
    bool advisory = !compare_is_paired(comparison) && compare_has_times(comparison);
    fprintf(out,
            "| design | workload | tasks | verdict | time%s | margin | control | work | "
            "instructions | memory | decided by |\n"
            "|---|---|--:|---|--:|--:|--:|---|--:|--:|---|\n",
            advisory ? " (advisory)" : "");
}

static void write_row(FILE *out, const cJSON *cell)
{
    struct compare_row row;
    compare_row_read(&row, cell);
    bool is_bold = strcmp(row.verdict, "regressed") == 0;
    fputc('|', out);
    write_field(out, row.design);
    write_field(out, row.workload);
    write_field(out, row.tasks);
    fprintf(out, is_bold ? " **%s** |" : " %s |", row.verdict);
    fprintf(out, " %s%s%s |", row.time, row.interval[0] ? " " : "", row.interval);
    write_field(out, row.margin);
    write_field(out, row.control);
    write_field(out, row.work);
    write_field(out, row.instructions);
    write_field(out, row.memory);
    write_field(out, row.deciders);
    fputc('\n', out);
}

static size_t count_cells(const cJSON *comparison, bool changed)
{
    size_t count = 0;
    const cJSON *cell;
    cJSON_ArrayForEach(cell, json_get(comparison, "cells"))
    {
        count += compare_is_changed(cell) == changed;
    }
    return count;
}

static void write_table(FILE *out, const cJSON *comparison, bool changed)
{
    const cJSON *cell;
    write_header(out, comparison);
    cJSON_ArrayForEach(cell, json_get(comparison, "cells"))
    {
        if (compare_is_changed(cell) == changed)
            write_row(out, cell);
    }
}

static void write_reasons(FILE *out, const cJSON *comparison)
{
    const cJSON *reason;
    cJSON_ArrayForEach(reason, json_get(comparison, "reasons"))
    {
        fputs("- ", out);
        markdown_text(out, cJSON_IsString(reason) ? reason->valuestring : "");
        fputc('\n', out);
    }
    fputs(json_get(comparison, "reasons") && json_get(comparison, "reasons")->child ? "\n" : "",
          out);
}

/* A table inside of <details> wants an empty line on either side. */
static void write_tables(FILE *out, const cJSON *comparison)
{
    size_t same = count_cells(comparison, false);
    if (count_cells(comparison, true) > 0) {
        write_table(out, comparison, true);
        fputc('\n', out);
    }
    if (same == 0)
        return;
    fprintf(out, "<details><summary>%zu cell%s without a change</summary>\n\n", same,
            same == 1 ? "" : "s");
    write_table(out, comparison, false);
    fputs("\n</details>\n\n", out);
}

static void write_side(FILE *out, const cJSON *comparison, const char *key)
{
    char side[COMPARE_LINE_SIZE];
    compare_side(side, sizeof side, json_get(comparison, key));
    markdown_text(out, side);
}

void compare_markdown_write(FILE *out, const cJSON *comparison)
{
    char line[COMPARE_LINE_SIZE];
    compare_summary(line, sizeof line, comparison);
    fprintf(out, "### twbench: %s\n\n", json_get_text(comparison, "verdict"));
    markdown_text(out, line);
    fputs(".\n\n", out);
    write_reasons(out, comparison);
    write_tables(out, comparison);
    fputs("NEW is ", out);
    write_side(out, comparison, "new");
    fputs(", OLD is ", out);
    write_side(out, comparison, "old");
    fputs(". ", out);
    compare_decision(line, sizeof line, comparison);
    markdown_text(out, line);
    compare_method(line, sizeof line, comparison);
    fputs(line[0] ? " " : "", out);
    markdown_text(out, line);
    fputc('\n', out);
}
