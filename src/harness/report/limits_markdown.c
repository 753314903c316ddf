/* limits_markdown.c - grids as tables of Markdown. */
#include "harness/report/limits_markdown.h"

#include "harness/report/limits_grid.h"
#include "harness/report/markdown.h"
#include "harness/report/origin_markdown.h"

static void write_row(FILE *out, const struct grid *grid, size_t row)
{
    fputc('|', out);
    for (size_t i = 0; i < grid->column_count; i++) {
        fputc(' ', out);
        markdown_text(out, grid_at(grid, row, i)->text);
        fputs(" |", out);
    }
    fputc('\n', out);
}

static void write_grid(void *ctx, const char *title, struct grid *grid)
{
    FILE *out = ctx;
    fputs("### ", out);
    markdown_text(out, title);
    fputs("\n\n|", out);
    for (size_t i = 0; i < grid->column_count; i++)
        fprintf(out, " %s |",
                grid->columns[i].title[0] ? grid->columns[i].title : grid->columns[i].unit);
    fputs("\n|", out);
    for (size_t i = 0; i < grid->column_count; i++)
        fputs(grid->columns[i].left ? "---|" : "--:|", out);
    fputc('\n', out);
    for (size_t row = 0; row < grid->row_count; row++)
        write_row(out, grid, row);
    fputc('\n', out);
}

static void write_line(void *ctx, const char *line)
{
    FILE *out = ctx;
    fputs("- ", out);
    markdown_text(out, line);
    fputc('\n', out);
}

void limits_markdown_write(FILE *out, const cJSON *document)
{
    limits_grids(document, write_grid, out);
    limits_lines(document, write_line, out);
    fputc('\n', out);
    origin_markdown_write(out, document);
}
