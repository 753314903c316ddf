/* page.c - builds pages; all memory of a page is reachable from its blocks. */
#include "harness/tell/report/page.h"

#include "harness/base/json.h"
#include "harness/tell/report/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory. --------------------------------------------------------------------------------- */

/* Makes room for one element more and zeroes it; NULL without memory. */
static void *grow(struct page *page, void *array, size_t *count, size_t *room, size_t size)
{
    char **items = array;
    if (*count == *room) {
        size_t wanted = *room ? 2 * *room : 4;
        char *bigger = reallocarray(*items, wanted, size);
        if (!bigger) {
            page->failed = true;
            return NULL;
        }
        *items = bigger;
        *room = wanted;
    }
    return memset(*items + (*count)++ * size, 0, size);
}

static char *copy(struct page *page, const char *text)
{
    char *copied = text ? strdup(text) : NULL;
    page->failed = page->failed || (text && !copied);
    return copied;
}

static char *print(struct page *page, const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) >= 0)
        return text;
    page->failed = true;
    return NULL;
}

static void line_free(struct page_line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        free(line->spans[i].text);
        free(line->spans[i].path);
        free(line->spans[i].link);
    }
    free(line->spans);
}

static void table_free(struct page_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        free(table->columns[i].title);
        free(table->columns[i].unit);
    }
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t i = 0; table->rows[row].cells && i < table->column_count; i++)
            line_free(&table->rows[row].cells[i]);
        free(table->rows[row].cells);
        line_free(&table->rows[row].note);
    }
    free(table->title);
    free(table->columns);
    free(table->rows);
}

void page_free(struct page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        free(page->blocks[i].id);
        free(page->blocks[i].name);
        line_free(&page->blocks[i].line);
        table_free(&page->blocks[i].table);
    }
    free(page->blocks);
    *page = (struct page){.blocks = NULL};
}

bool page_is_whole(const struct page *page)
{
    return !page->failed;
}

/* ---- Spans. ---------------------------------------------------------------------------------- */

static struct page_block *last_block(const struct page *page)
{
    return page->count ? &page->blocks[page->count - 1] : NULL;
}

static struct page_row *last_row(const struct page *page)
{
    struct page_block *block = last_block(page);
    return block && block->table.row_count ? &block->table.rows[block->table.row_count - 1] : NULL;
}

/* Cells of the row that were begun: the writer's columns behind them stay empty. */
static struct page_line *open_line(const struct page *page)
{
    struct page_block *block = last_block(page);
    struct page_row *row = last_row(page);
    if (!block || !row)
        return block ? &block->line : NULL;
    if (row->note.count)
        return &row->note;
    size_t begun = block->table.column_count;
    while (begun > 0 && row->cells && !row->cells[begun - 1].count)
        begun--;
    return begun > 0 && row->cells ? &row->cells[begun - 1] : NULL;
}

static struct page_span *add_span(struct page *page, struct page_line *line, char *text)
{
    struct page_span *span =
        line && text ? grow(page, &line->spans, &line->count, &line->room, sizeof *span) : NULL;
    if (!span) {
        free(text);
        return NULL;
    }
    *span = (struct page_span){.text = text, .value = NAN};
    return span;
}

static struct page_span *last_span(const struct page *page)
{
    const struct page_line *line = open_line(page);
    return line && line->count ? &line->spans[line->count - 1] : NULL;
}

void page_span(struct page *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_span(page, open_line(page), print(page, format, args));
    va_end(args);
}

void page_mark(struct page *page, enum page_emphasis emphasis)
{
    struct page_span *span = last_span(page);
    if (span)
        span->emphasis = emphasis;
}

void page_link(struct page *page, const char *link)
{
    struct page_span *span = last_span(page);
    if (!span)
        return;
    free(span->link);
    span->link = copy(page, link);
}

static void put_value(struct page *page, struct page_line *line, const struct place *place)
{
    char text[PLACE_SIZE] = "";
    const cJSON *value = place->json;
    const char *shown = text;
    bool for_programs = last_block(page)->kind == PAGE_DATA;
    if (cJSON_IsNumber(value))
        figure_value(text, value->valuedouble);
    else if (cJSON_IsString(value) || cJSON_IsRaw(value))
        shown = value->valuestring;
    else if (cJSON_IsBool(value) && for_programs)
        shown = cJSON_IsTrue(value) ? "true" : "false";
    else if (cJSON_IsBool(value))
        shown = cJSON_IsTrue(value) ? "yes" : "no";
    else if (cJSON_IsObject(value))
        json_format_params(text, sizeof text, value);
    else
        return;
    struct page_span *span = add_span(page, line, copy(page, shown));
    if (!span)
        return;
    span->path = copy(page, place->path);
    span->value = cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

static void put(struct page *page, struct page_line *line, const struct place *from,
                const char *dotted)
{
    struct place value = dotted[0] ? place_get(from, dotted) : *from;
    if (!cJSON_IsArray(value.json)) {
        put_value(page, line, &value);
        return;
    }
    const char *gap = NULL;
    for (struct place item = place_item(&value, 0); item.json; place_next(&item)) {
        if (gap)
            add_span(page, line, copy(page, gap));
        put_value(page, line, &item);
        gap = ", ";
    }
}

void page_put(struct page *page, const struct place *from, const char *dotted)
{
    put(page, open_line(page), from, dotted);
}

void page_put_as(struct page *page, const struct place *from, const char *dotted,
                 const char *format, ...)
{
    struct place place = dotted[0] ? place_get(from, dotted) : *from;
    va_list args;
    va_start(args, format);
    char *text = place.json ? print(page, format, args) : copy(page, "-");
    struct page_span *span = add_span(page, open_line(page), text);
    va_end(args);
    if (!span || !place.json)
        return;
    span->path = copy(page, place.path);
    span->value = cJSON_IsNumber(place.json) ? place.json->valuedouble : NAN;
}

void page_number(struct page *page, double value)
{
    char text[FIGURE_SIZE];
    figure_number(text, value);
    struct page_span *span = add_span(page, open_line(page), copy(page, text));
    if (!span)
        return;
    span->value = isfinite(value) ? value : NAN;
    span->derived = true;
}

void page_derived(struct page *page, double value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct page_span *span = add_span(page, open_line(page), print(page, format, args));
    va_end(args);
    if (!span)
        return;
    span->value = value;
    span->derived = true;
}

/* ---- Blocks. --------------------------------------------------------------------------------- */

static struct page_block *add_block(struct page *page, enum page_block_kind kind)
{
    struct page_block *block = grow(page, &page->blocks, &page->count, &page->room, sizeof *block);
    if (block)
        block->kind = kind;
    return block;
}

static struct page_block *add_line(struct page *page, enum page_block_kind kind, const char *format,
                                   va_list args)
{
    struct page_block *block = add_block(page, kind);
    char *text = block ? print(page, format, args) : NULL;
    if (text && text[0])
        add_span(page, &block->line, text);
    else
        free(text);
    return block;
}

void page_heading(struct page *page, int level, const char *id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct page_block *block = add_line(page, PAGE_HEADING, format, args);
    va_end(args);
    if (!block)
        return;
    block->level = level;
    block->id = copy(page, id);
}

void page_fact(struct page *page, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct page_block *block = add_line(page, PAGE_FACT, format, args);
    va_end(args);
    if (block)
        block->name = copy(page, name);
}

/* Defines a function that opens a block with a text; `member` of the block is set to `value`. */
#define DEFINE_OPENER(function, kind, member, value)                                               \
    void function(struct page *page, const char *format, ...)                                      \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        struct page_block *block = add_line(page, kind, format, args);                             \
        va_end(args);                                                                              \
        if (block)                                                                                 \
            block->member = value;                                                                 \
    }

DEFINE_OPENER(page_text, PAGE_TEXT, is_answer, false)
DEFINE_OPENER(page_answer, PAGE_TEXT, is_answer, true)
DEFINE_OPENER(page_item, PAGE_ITEM, is_answer, false)
DEFINE_OPENER(page_code, PAGE_CODE_BLOCK, is_answer, false)
DEFINE_OPENER(page_fold, PAGE_FOLD, level, PAGE_DETAIL)
DEFINE_OPENER(page_evidence, PAGE_FOLD, level, PAGE_EVIDENCE)
DEFINE_OPENER(page_rest, PAGE_FOLD, level, PAGE_REST)

void page_section(struct page *page, const char *id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct page_block *block = add_line(page, PAGE_SECTION, format, args);
    va_end(args);
    if (block)
        block->id = copy(page, id);
}

static void open_called(struct page *page, enum page_block_kind kind, const char *id)
{
    struct page_block *block = add_block(page, kind);
    if (block)
        block->id = copy(page, id);
}

void page_aside(struct page *page, const char *id)
{
    open_called(page, PAGE_ASIDE, id);
}

void page_pictures(struct page *page, const char *whose)
{
    open_called(page, PAGE_PICTURES, whose);
}

void page_open(struct page *page, enum page_block_kind kind)
{
    add_block(page, kind);
}

/* ---- Tables. --------------------------------------------------------------------------------- */

void page_table(struct page *page, const char *id, const char *title)
{
    struct page_block *block = add_block(page, PAGE_TABLE);
    if (!block)
        return;
    block->id = copy(page, id);
    block->table.title = copy(page, title);
}

void page_column(struct page *page, const char *title, const char *unit, unsigned flags, int keep)
{
    struct page_table *table = page->count ? &last_block(page)->table : NULL;
    struct page_column *column = table ? grow(page, &table->columns, &table->column_count,
                                              &table->column_room, sizeof *column)
                                       : NULL;
    if (!column)
        return;
    *column = (struct page_column){copy(page, title), copy(page, unit), flags, keep};
}

void page_row(struct page *page)
{
    struct page_table *table = page->count ? &last_block(page)->table : NULL;
    struct page_row *row =
        table ? grow(page, &table->rows, &table->row_count, &table->row_room, sizeof *row) : NULL;
    if (!row)
        return;
    row->cells = calloc(table->column_count + 1, sizeof *row->cells);
    page->failed = page->failed || !row->cells;
}

/* The next cell of the last row: the first that nothing was said of.  An empty text takes a cell too. */
static struct page_line *next_cell(const struct page *page)
{
    struct page_block *block = last_block(page);
    struct page_row *row = last_row(page);
    size_t at = block ? block->table.column_count : 0;
    while (at > 0 && row && row->cells && !row->cells[at - 1].count)
        at--;
    return row && row->cells && at < block->table.column_count ? &row->cells[at] : NULL;
}

void page_cell(struct page *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_span(page, next_cell(page), print(page, format, args));
    va_end(args);
}

void page_cell_put(struct page *page, const struct place *from, const char *dotted)
{
    struct page_line *cell = next_cell(page);
    put(page, cell, from, dotted);
    if (cell && !cell->count)
        add_span(page, cell, copy(page, ""));
}

void page_cell_number(struct page *page, double value)
{
    page_cell(page, "%s", "");
    page_number(page, value);
}

void page_note(struct page *page, const char *format, ...)
{
    struct page_row *row = last_row(page);
    va_list args;
    va_start(args, format);
    add_span(page, row ? &row->note : NULL, print(page, format, args));
    va_end(args);
}

void page_row_competes(struct page *page, bool competes)
{
    struct page_row *row = last_row(page);
    if (row)
        row->out_of_competition = !competes;
}

/* ---- Reading. -------------------------------------------------------------------------------- */

double page_cell_value(const struct page_line *cell)
{
    for (size_t i = 0; i < cell->count; i++)
        if (!isnan(cell->spans[i].value))
            return cell->spans[i].value;
    return NAN;
}

bool page_line_is_empty(const struct page_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        if (line->spans[i].text[0])
            return false;
    return true;
}

/* The text of the span that a cell is compared by. */
static const char *number_text(const struct page_line *cell)
{
    for (size_t i = 0; i < cell->count; i++)
        if (!isnan(cell->spans[i].value))
            return cell->spans[i].text;
    return "";
}

static bool competes(const struct page_row *row, size_t column)
{
    return !row->out_of_competition && !row->note.count && row->cells &&
           !isnan(page_cell_value(&row->cells[column]));
}

bool page_is_best(const struct page_table *table, size_t row, size_t column)
{
    if (!(table->columns[column].flags & PAGE_BEST) || !competes(&table->rows[row], column))
        return false;
    const struct page_line *own = &table->rows[row].cells[column], *best = own, *worst = own;
    for (size_t i = 0; i < table->row_count; i++) {
        const struct page_line *cell = &table->rows[i].cells[column];
        if (!competes(&table->rows[i], column))
            continue;
        if (page_cell_value(cell) < page_cell_value(best))
            best = cell;
        if (page_cell_value(cell) > page_cell_value(worst))
            worst = cell;
    }
    return strcmp(number_text(best), number_text(worst)) != 0 &&
           strcmp(number_text(own), number_text(best)) == 0;
}
