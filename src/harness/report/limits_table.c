/* limits_table.c - grids and sentences, one below the other. */
#include "harness/report/limits_table.h"

#include "harness/report/limits_grid.h"
#include "harness/report/wrap.h"
#include "harness/result/json.h"

struct printing {
    FILE *out;
    const struct report_style *style;
};

static void print_grid(void *ctx, const char *title, struct grid *grid)
{
    const struct printing *printing = ctx;
    /* A grid without titles begins with an empty line by itself. */
    bool has_titles = grid->column_count > 0 && grid->columns[grid->column_count - 1].title[0];
    fprintf(printing->out, has_titles ? "%s\n\n" : "%s\n", title);
    size_t dropped = grid_print(printing->out, grid, printing->style);
    if (dropped > 0)
        fprintf(printing->out, "(%zu columns have no room)\n", dropped);
    fputc('\n', printing->out);
}

static void print_line(void *ctx, const char *line)
{
    const struct printing *printing = ctx;
    wrap_write(printing->out, line, 0, 0, 2, printing->style);
}

void limits_table_write(FILE *out, const cJSON *document, const struct report_style *style)
{
    struct printing printing = {out, style};
    fprintf(out, "%s\n\n", json_get_text(document, "machine.cpu_model"));
    limits_grids(document, print_grid, &printing);
    limits_lines(document, print_line, &printing);
}
