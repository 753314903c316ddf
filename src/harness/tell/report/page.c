/* page.c - builds pages; all memory of a page is reachable from its blocks. */
#include "harness/tell/report/page.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/tell/report/figure.h"

/* ---- Memory. --------------------------------------------------------------------------------- */

static char *copy(const char *text)
{
    return text ? memory_text(text) : NULL;
}

static char *print(const char *format, va_list args)
{
    char *text = NULL;
    return vasprintf(&text, format, args) >= 0 ? text : memory_text("");
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
        for (size_t i = 0; i < table->column_count; i++)
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
    while (begun > 0 && !row->cells[begun - 1].count)
        begun--;
    return begun > 0 ? &row->cells[begun - 1] : NULL;
}

/* Takes the text over.  NULL: there is no line to add it to. */
static struct page_span *add_span(struct page_line *line, char *text)
{
    if (!line) {
        free(text);
        return NULL;
    }
    line->spans = memory_grow(line->spans, line->count + 1, sizeof *line->spans);
    line->spans[line->count] =
        (struct page_span){.text = text, .value = NAN, .low = NAN, .high = NAN};
    return &line->spans[line->count++];
}

/* A median has its interval beside it, unless that is too uncertain to be shown. */
static void set_value(struct page_span *span, const struct place *place)
{
    const cJSON *value = place->json;
    span->path = copy(place->path);
    span->value = cJSON_IsNumber(value) ? value->valuedouble : NAN;
    if (!value->string || strcmp(value->string, "median") != 0)
        return;
    for (const cJSON *beside = value->next; beside; beside = beside->next) {
        if (strcmp(beside->string, "low") == 0 && cJSON_IsNumber(beside))
            span->low = beside->valuedouble;
        if (strcmp(beside->string, "high") == 0 && cJSON_IsNumber(beside))
            span->high = beside->valuedouble;
    }
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
    add_span(open_line(page), print(format, args));
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
    span->link = copy(link);
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
    struct page_span *span = add_span(line, copy(shown));
    if (span)
        set_value(span, place);
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
            add_span(line, copy(gap));
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
    char *text = place.json ? print(format, args) : copy("-");
    struct page_span *span = add_span(open_line(page), text);
    va_end(args);
    if (!span || !place.json)
        return;
    set_value(span, &place);
}

void page_put_latency(struct page *page, const struct place *from, const char *dotted,
                      double divisor)
{
    char text[FIGURE_SIZE + 1];
    struct place place = dotted[0] ? place_get(from, dotted) : *from;
    double value = cJSON_IsNumber(place.json) ? place.json->valuedouble : NAN;
    double step_ns = page->step_ns > 0 ? page->step_ns : PAGE_STEP_NS;
    bool below = value < step_ns;
    if (divisor <= 0)
        figure_time(text, below ? step_ns : value);
    else if (below)
        figure_value(text, step_ns / divisor);
    else
        figure_in_unit(text, value, divisor);
    page_put_as(page, &place, "", below ? "< %s" : "%s", text);
    if (last_span(page))
        last_span(page)->below = below;
}

void page_number(struct page *page, double value)
{
    char text[FIGURE_SIZE];
    figure_number(text, value);
    struct page_span *span = add_span(open_line(page), copy(text));
    if (!span)
        return;
    span->value = isfinite(value) ? value : NAN;
    span->derived = true;
}

void page_derived(struct page *page, double value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct page_span *span = add_span(open_line(page), print(format, args));
    va_end(args);
    if (!span)
        return;
    span->value = value;
    span->derived = true;
}

/* ---- Blocks. --------------------------------------------------------------------------------- */

static struct page_block *add_block(struct page *page, enum page_block_kind kind)
{
    memory_room(&page->blocks, page->count, &page->room, sizeof *page->blocks);
    page->blocks[page->count] = (struct page_block){.kind = kind};
    return &page->blocks[page->count++];
}

static struct page_block *add_line(struct page *page, enum page_block_kind kind, const char *format,
                                   va_list args)
{
    struct page_block *block = add_block(page, kind);
    char *text = print(format, args);
    if (text[0])
        add_span(&block->line, text);
    else
        free(text);
    return block;
}

/* A function that opens a block with a text, and what it sets of the block. */
#define DEFINE_OPENER(opener, kind, set)                                                           \
    opener                                                                                         \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        struct page_block *block = add_line(page, kind, format, args);                             \
        va_end(args);                                                                              \
        set;                                                                                       \
    }
#define PLAIN(name) void name(struct page *page, const char *format, ...)

DEFINE_OPENER(PLAIN(page_text), PAGE_TEXT, block->is_answer = false)
DEFINE_OPENER(PLAIN(page_answer), PAGE_TEXT, block->is_answer = true)
DEFINE_OPENER(PLAIN(page_item), PAGE_ITEM, (void)block)
DEFINE_OPENER(PLAIN(page_code), PAGE_CODE_BLOCK, (void)block)
DEFINE_OPENER(PLAIN(page_fold), PAGE_FOLD, block->level = PAGE_DETAIL)
DEFINE_OPENER(PLAIN(page_evidence), PAGE_FOLD, block->level = PAGE_EVIDENCE)
DEFINE_OPENER(PLAIN(page_rest), PAGE_FOLD, block->level = PAGE_REST)
DEFINE_OPENER(void page_heading(struct page *page, int level, const char *id, const char *format,
                                ...),
              PAGE_HEADING, (block->level = level, block->id = copy(id)))
DEFINE_OPENER(void page_fact(struct page *page, const char *name, const char *format, ...),
              PAGE_FACT, block->name = copy(name))
DEFINE_OPENER(void page_section(struct page *page, const char *id, const char *format, ...),
              PAGE_SECTION, block->id = copy(id))

void page_aside(struct page *page, const char *id)
{
    add_block(page, PAGE_ASIDE)->id = copy(id);
}

void page_pictures(struct page *page, const char *whose)
{
    add_block(page, PAGE_PICTURES)->id = copy(whose);
}

void page_open(struct page *page, enum page_block_kind kind)
{
    add_block(page, kind);
}

/* ---- Tables. --------------------------------------------------------------------------------- */

void page_table(struct page *page, const char *id, const char *title)
{
    struct page_block *block = add_block(page, PAGE_TABLE);
    block->id = copy(id);
    block->table.title = copy(title);
}

void page_column(struct page *page, const char *title, const char *unit, unsigned flags, int keep)
{
    struct page_table *table = &last_block(page)->table;
    memory_room(&table->columns, table->column_count, &table->column_room, sizeof *table->columns);
    table->columns[table->column_count++] =
        (struct page_column){copy(title), copy(unit), flags, keep};
}

void page_row(struct page *page)
{
    struct page_table *table = &last_block(page)->table;
    memory_room(&table->rows, table->row_count, &table->row_room, sizeof *table->rows);
    table->rows[table->row_count++] = (struct page_row){
        .cells = memory_take(table->column_count + 1, sizeof *table->rows->cells)};
}

/* The next cell of the last row: the first that nothing was said of.  An empty text takes a cell too. */
static struct page_line *next_cell(const struct page *page)
{
    struct page_block *block = last_block(page);
    struct page_row *row = last_row(page);
    size_t at = block ? block->table.column_count : 0;
    while (at > 0 && row && !row->cells[at - 1].count)
        at--;
    return row && at < block->table.column_count ? &row->cells[at] : NULL;
}

void page_cell(struct page *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_span(next_cell(page), print(format, args));
    va_end(args);
}

void page_cell_put(struct page *page, const struct place *from, const char *dotted)
{
    struct page_line *cell = next_cell(page);
    put(page, cell, from, dotted);
    if (cell && !cell->count)
        add_span(cell, copy(""));
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
    add_span(row ? &row->note : NULL, print(format, args));
    va_end(args);
}

void page_row_competes(struct page *page, bool competes)
{
    struct page_row *row = last_row(page);
    if (row)
        row->out_of_competition = !competes;
}

/* ---- Reading. -------------------------------------------------------------------------------- */

bool page_line_is_empty(const struct page_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        if (line->spans[i].text[0])
            return false;
    return true;
}

/* The span that a cell is compared by; NULL: none. */
static const struct page_span *number_of(const struct page_line *cell)
{
    for (size_t i = 0; i < cell->count; i++)
        if (!isnan(cell->spans[i].value))
            return &cell->spans[i];
    return NULL;
}

double page_cell_value(const struct page_line *cell)
{
    const struct page_span *span = number_of(cell);
    return span ? span->value : NAN;
}

static bool competes(const struct page_row *row, size_t column)
{
    return !row->out_of_competition && !row->note.count &&
           !isnan(page_cell_value(&row->cells[column]));
}

bool page_is_best(const struct page_table *table, size_t row, size_t column)
{
    if (!(table->columns[column].flags & PAGE_BEST) || !competes(&table->rows[row], column))
        return false;
    const struct page_span *own = number_of(&table->rows[row].cells[column]);
    bool is_worse = false;
    for (size_t i = 0; i < table->row_count; i++) {
        const struct page_span *other = number_of(&table->rows[i].cells[column]);
        if (!competes(&table->rows[i], column))
            continue;
        bool is_alike = i == row || (isnan(own->low) && strcmp(own->text, other->text) == 0);
        if (other->below || (!is_alike && (other->value <= own->value || other->low <= own->high)))
            return false;
        is_worse = is_worse || !is_alike;
    }
    return is_worse;
}
