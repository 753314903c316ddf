/* grid.c - widths first, then text. */
#include "harness/report/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2 /* blanks between columns */

bool grid_open(struct grid *grid, size_t columns, size_t rows)
{
    *grid = (struct grid){
        .columns = calloc(columns + 1, sizeof *grid->columns),
        .cells = calloc((columns + 1) * (rows + 1), sizeof *grid->cells),
        .notes = calloc(rows + 1, sizeof *grid->notes),
        .row_count = rows,
        .row_room = columns + 1,
    };
    if (grid->columns && grid->cells && grid->notes)
        return true;
    grid_free(grid);
    return false;
}

void grid_free(struct grid *grid)
{
    for (size_t row = 0; grid->notes && row < grid->row_count; row++)
        free(grid->notes[row]);
    free(grid->columns);
    free(grid->cells);
    free(grid->notes);
    *grid = (struct grid){.columns = NULL};
}

struct grid_column *grid_add_column(struct grid *grid, const char *title, const char *unit,
                                    int keep)
{
    struct grid_column *column = &grid->columns[grid->column_count++];
    snprintf(column->title, sizeof column->title, "%s", title);
    snprintf(column->unit, sizeof column->unit, "%s", unit);
    column->keep = keep;
    return column;
}

struct grid_cell *grid_at(const struct grid *grid, size_t row, size_t column)
{
    return &grid->cells[row * grid->row_room + column];
}

/* Characters, not bytes: those that continue a UTF-8 sequence do not count. */
static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static size_t column_width(const struct grid *grid, size_t column)
{
    const struct grid_column *head = &grid->columns[column];
    size_t width = text_width(head->title), unit = text_width(head->unit);
    width = unit > width ? unit : width;
    for (size_t row = 0; row < grid->row_count; row++) {
        size_t text = text_width(grid_at(grid, row, column)->text);
        if (!grid->notes[row] || column == 0)
            width = text > width ? text : width;
    }
    return width;
}

static size_t grid_width(const struct grid *grid)
{
    size_t width = 0;
    for (size_t i = 0; i < grid->column_count; i++)
        width += column_width(grid, i) + (i ? GAP : 0);
    return width;
}

static void drop_column(struct grid *grid, size_t column)
{
    size_t behind = grid->column_count - column - 1;
    memmove(&grid->columns[column], &grid->columns[column + 1], behind * sizeof *grid->columns);
    for (size_t row = 0; row < grid->row_count; row++)
        memmove(grid_at(grid, row, column), grid_at(grid, row, column + 1),
                behind * sizeof *grid->cells);
    grid->column_count--;
}

/* The least `keep` above 0 of all columns; 0 when none may go. */
static int least_keep(const struct grid *grid)
{
    int least = 0;
    for (size_t i = 0; i < grid->column_count; i++) {
        int keep = grid->columns[i].keep;
        if (keep > 0 && (least == 0 || keep < least))
            least = keep;
    }
    return least;
}

/* Columns of the same `keep` go from the right, all of them, or as many as it takes. */
static size_t drop_to_fit(struct grid *grid, size_t columns)
{
    size_t dropped = 0;
    int least;
    while (grid_width(grid) > columns && (least = least_keep(grid)) > 0)
        for (size_t i = grid->column_count; i-- > 0;)
            if (grid->columns[i].keep == least) {
                bool alone = grid->columns[i].alone;
                drop_column(grid, i);
                dropped++;
                if (alone && grid_width(grid) <= columns)
                    break;
            }
    return dropped;
}

/* The best of a column, unless all its rows read alike or there is nothing to compare. */
static const char *best_text(const struct grid *grid, size_t column)
{
    const struct grid_cell *best = NULL, *worst = NULL;
    for (size_t row = 0; row < grid->row_count && grid->columns[column].marks; row++) {
        const struct grid_cell *cell = grid_at(grid, row, column);
        if (isnan(cell->value) || grid->notes[row])
            continue;
        best = !best || cell->value < best->value ? cell : best;
        worst = !worst || cell->value > worst->value ? cell : worst;
    }
    return best && strcmp(best->text, worst->text) != 0 ? best->text : NULL;
}

/* No blanks at the end of a line. */
static void print_padded(FILE *out, const struct grid *grid, size_t column, const char *text)
{
    bool left = grid->columns[column].left, last = column + 1 == grid->column_count;
    size_t width = column_width(grid, column), length = text_width(text);
    int blanks = width > length ? (int)(width - length) : 0;
    fprintf(out, "%*s%s%*s", left ? 0 : blanks, "", text, left && !last ? blanks : 0, "");
}

static const char *header_text(const struct grid *grid, size_t column, bool units)
{
    return units ? grid->columns[column].unit : grid->columns[column].title;
}

static void print_header(FILE *out, const struct grid *grid, bool units)
{
    size_t end = grid->column_count;
    while (end > 0 && !header_text(grid, end - 1, units)[0])
        end--;
    for (size_t i = 0; i < end; i++) {
        fprintf(out, "%*s", i ? GAP : 0, "");
        print_padded(out, grid, i, header_text(grid, i, units));
    }
    if (end > 0)
        fputc('\n', out);
}

static void print_rule(FILE *out, const struct grid *grid, const struct report_style *style)
{
    for (size_t i = grid_width(grid); i > 0; i--)
        fputs(style->utf8 ? "\xe2\x94\x80" : "-", out);
    fputc('\n', out);
}

/* The best is bold green, or has a star in the gap behind the column. */
static bool print_cell(FILE *out, const struct grid *grid, size_t row, size_t column,
                       const struct report_style *style)
{
    const struct grid_cell *cell = grid_at(grid, row, column);
    const char *best = best_text(grid, column);
    bool is_best = best && !isnan(cell->value) && strcmp(cell->text, best) == 0;
    const char *color = !style->color ? NULL : is_best ? "1;32" : cell->color;
    if (color)
        fprintf(out, "\033[%sm", color);
    print_padded(out, grid, column, cell->text);
    fputs(color ? "\033[0m" : "", out);
    return is_best && !style->color;
}

static void print_row(FILE *out, const struct grid *grid, size_t row,
                      const struct report_style *style)
{
    bool star = print_cell(out, grid, row, 0, style);
    if (grid->notes[row]) {
        fprintf(out, "%*s%s\n", GAP, "", grid->notes[row]);
        return;
    }
    for (size_t i = 1; i < grid->column_count; i++) {
        fprintf(out, "%-*s", GAP, star ? "*" : "");
        star = print_cell(out, grid, row, i, style);
    }
    fputs(star ? "*\n" : "\n", out);
}

size_t grid_print(FILE *out, struct grid *grid, const struct report_style *style)
{
    size_t dropped = drop_to_fit(grid, style->columns);
    print_header(out, grid, false);
    print_header(out, grid, true);
    print_rule(out, grid, style);
    for (size_t row = 0; row < grid->row_count; row++)
        print_row(out, grid, row, style);
    return dropped;
}
