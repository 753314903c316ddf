/* writer_terminal.c - writes a page as text that fits the terminal. */
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/tell/report/page.h"
#include "harness/tell/report/writer.h"

#define GAP        2  /* blanks between columns */
#define FACT_WIDTH 10 /* columns of a fact's name */

struct terminal {
    FILE *out;
    const struct report_style *style;
};

/* ---- Text. ----------------------------------------------------------------------------------- */

/* What stands for a character on a terminal without UTF-8. */
static const struct {
    const char *utf8, *plain;
} replacements[] = {{"\u00b1", "+-"}, {"\u2013", "-"},  {"\u2014", "-"},  {"\u2026", "..."},
                    {"\u00d7", "x"},  {"\u2192", "->"}, {"\u2264", "<="}, {"\u00b7", "."},
                    {"\u2581", "."},  {"\u2582", ":"},  {"\u2583", "-"},  {"\u2584", "="},
                    {"\u2585", "+"},  {"\u2586", "*"},  {"\u2587", "#"},  {"\u2588", "@"},
                    {"\u2500", "-"},  {"\u2502", "|"},  {"\u25b2", "^"},  {"\u251c", "|"},
                    {"\u250c", "+"},  {"\u252c", "+"},  {"\u2510", "+"},  {"\u2514", "+"},
                    {"\u2534", "+"},  {"\u2518", "+"}};

#define SHOWN_BYTES 5 /* of a character, and the end */

/* The character's text, and by how many bytes to go on. */
static const char *shown_character(const char *at, const struct report_style *style, size_t *bytes,
                                   char *scratch)
{
    *bytes = *at == '\n' ? 1 : utf8_printable(at);
    if (*bytes == 0) { /* a document may come from anyone: it does not command the terminal */
        *bytes = 1;
        return "?";
    }
    for (size_t i = 0; !style->utf8 && i < sizeof replacements / sizeof *replacements; i++)
        if (strncmp(at, replacements[i].utf8, strlen(replacements[i].utf8)) == 0)
            return replacements[i].plain;
    memcpy(scratch, at, *bytes);
    scratch[*bytes] = '\0';
    return scratch;
}

/* The width of what is shown of the text. */
static size_t shown_width(const char *text, const struct report_style *style)
{
    size_t width = 0, bytes;
    char scratch[SHOWN_BYTES];
    for (const char *at = text; *at; at += bytes) {
        const char *shown = shown_character(at, style, &bytes, scratch);
        width += *shown & 0x80 ? 1 : strlen(shown);
    }
    return width;
}

static void write_shown(FILE *out, const char *text, const struct report_style *style)
{
    size_t bytes;
    char scratch[SHOWN_BYTES];
    for (const char *at = text; *at; at += bytes)
        fputs(shown_character(at, style, &bytes, scratch), out);
}

static size_t line_width(const struct page_line *line, const struct report_style *style)
{
    size_t width = 0;
    for (size_t i = 0; i < line->count; i++)
        width += shown_width(line->spans[i].text, style);
    return width;
}

static const char *color_of(enum page_emphasis emphasis)
{
    static const char *const colors[] = {
        [PAGE_STRONG] = "1", [PAGE_GOOD] = "32",  [PAGE_BAD] = "1;31",
        [PAGE_OPEN] = "33",  [PAGE_FAINT] = NULL, [PAGE_CODE] = NULL,
    };
    return colors[emphasis];
}

static void write_line(const struct terminal *terminal, const struct page_line *line,
                       const char *color)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct page_span *span = &line->spans[i];
        const char *own = color_of(span->emphasis), *sgr = own ? own : color;
        sgr = terminal->style->color ? sgr : NULL;
        if (sgr && span->text[0])
            fprintf(terminal->out, "\033[%sm", sgr);
        write_shown(terminal->out, span->text, terminal->style);
        fputs(sgr && span->text[0] ? "\033[0m" : "", terminal->out);
    }
}

static void write_wrapped(const struct terminal *terminal, const struct page_line *line,
                          const char *color, int used, int hanging)
{
    char *text = NULL;
    size_t size = 0;
    struct terminal memory = {open_memstream(&text, &size), terminal->style};
    write_line(&memory, line, color);
    fclose(memory.out);
    wrap_write(terminal->out, text, used, hanging, terminal->style->columns);
    free(text);
}

/* ---- Tables. --------------------------------------------------------------------------------- */

#define HEAD_SIZE 128 /* longer heads are cut */

/* How a table is laid out: which columns are left, and how wide they are. */
struct layout {
    const struct page_table *table;
    size_t *columns, *widths; /* of those left */
    size_t count, dropped;
};

/* Where a head is broken into two lines: behind its first word. */
static size_t break_of(const struct page_column *column)
{
    const char *blank = strchr(column->title, ' ');
    return blank && !(column->flags & PAGE_LEFT) ? (size_t)(blank - column->title) : 0;
}

enum head_line { HEAD_FIRST, HEAD_REST, HEAD_UNIT };

static void head_text(char text[HEAD_SIZE], const struct page_column *column, enum head_line line)
{
    size_t first = break_of(column);
    if (line == HEAD_FIRST)
        snprintf(text, HEAD_SIZE, "%.*s", (int)first, column->title);
    else
        snprintf(text, HEAD_SIZE, "%s",
                 line == HEAD_UNIT ? column->unit : column->title + first + (first > 0));
}

static size_t width_of(const struct page_table *table, size_t column,
                       const struct report_style *style)
{
    size_t width = 0;
    for (enum head_line line = HEAD_FIRST; line <= HEAD_UNIT; line++) {
        char text[HEAD_SIZE];
        head_text(text, &table->columns[column], line);
        size_t wide = shown_width(text, style);
        width = wide > width ? wide : width;
    }
    for (size_t row = 0; row < table->row_count; row++) {
        size_t text = line_width(&table->rows[row].cells[column], style);
        if (!table->rows[row].note.count || column == 0)
            width = text > width ? text : width;
    }
    return width;
}

static size_t total_width(const struct layout *layout)
{
    size_t width = 0;
    for (size_t i = 0; i < layout->count; i++)
        width += layout->widths[i] + (i ? GAP : 0);
    return width;
}

static const struct page_column *column_at(const struct layout *layout, size_t i)
{
    return &layout->table->columns[layout->columns[i]];
}

static void drop_column(struct layout *layout, size_t i)
{
    size_t behind = layout->count - i - 1;
    memmove(&layout->columns[i], &layout->columns[i + 1], behind * sizeof *layout->columns);
    memmove(&layout->widths[i], &layout->widths[i + 1], behind * sizeof *layout->widths);
    layout->count--;
    layout->dropped++;
}

/* The least `keep` above 0 of the columns left; 0 when none may go. */
static int least_keep(const struct layout *layout)
{
    int least = 0;
    for (size_t i = 0; i < layout->count; i++) {
        int keep = column_at(layout, i)->keep;
        if (keep > 0 && (least == 0 || keep < least))
            least = keep;
    }
    return least;
}

/* Columns of the same `keep` go from the right, all of them, or as many as it takes.  If that is not enough, those that
 * never go do so, too, but the first and the last. */
static void drop_to_fit(struct layout *layout, size_t columns)
{
    int least;
    while (total_width(layout) > columns && (least = least_keep(layout)) > 0)
        for (size_t i = layout->count; i-- > 0;) {
            bool alone = column_at(layout, i)->flags & PAGE_ALONE;
            if (column_at(layout, i)->keep != least)
                continue;
            drop_column(layout, i);
            if (alone && total_width(layout) <= columns)
                break;
        }
    while (total_width(layout) > columns && layout->count > 2)
        drop_column(layout, layout->count - 2);
}

static void layout_open(struct layout *layout, const struct page_table *table,
                        const struct report_style *style)
{
    *layout = (struct layout){
        .table = table,
        .columns = memory_take(table->column_count, sizeof *layout->columns),
        .widths = memory_take(table->column_count, sizeof *layout->widths),
    };
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].flags & PAGE_PROSE)
            continue;
        layout->columns[layout->count] = i;
        layout->widths[layout->count++] = width_of(table, i, style);
    }
    drop_to_fit(layout, style->columns);
}

static void write_blanks(FILE *out, size_t count)
{
    fprintf(out, "%*s", (int)count, "");
}

/* No blanks at the end of a line; a line without any text is left out. */
static void write_head(const struct terminal *terminal, const struct layout *layout,
                       enum head_line line)
{
    char text[HEAD_SIZE];
    size_t end = 0;
    for (size_t i = 0; i < layout->count; i++) {
        head_text(text, column_at(layout, i), line);
        end = text[0] ? i + 1 : end;
    }
    for (size_t i = 0; i < end; i++) {
        head_text(text, column_at(layout, i), line);
        bool left = column_at(layout, i)->flags & PAGE_LEFT;
        size_t blanks = layout->widths[i] - shown_width(text, terminal->style);
        write_blanks(terminal->out, (i ? GAP : 0) + (left ? 0 : blanks));
        write_shown(terminal->out, text, terminal->style);
        write_blanks(terminal->out, left && i + 1 < end ? blanks : 0);
    }
    fputs(end ? "\n" : "", terminal->out);
}

static void write_rule(const struct terminal *terminal, const struct layout *layout)
{
    for (size_t i = total_width(layout); i > 0; i--)
        fputs(terminal->style->utf8 ? "\u2500" : "-", terminal->out);
    fputc('\n', terminal->out);
}

/* The columns of a row from `begin` on that have something to say. */
static size_t row_end(const struct layout *layout, const struct page_row *row)
{
    size_t end = layout->count;
    while (end > 1 && page_line_is_empty(&row->cells[layout->columns[end - 1]]))
        end--;
    return end;
}

static void write_row(const struct terminal *terminal, const struct layout *layout, size_t at)
{
    const struct page_row *row = &layout->table->rows[at];
    size_t end = row->note.count ? 1 : row_end(layout, row);
    bool star = false;
    for (size_t i = 0; i < end; i++) {
        const struct page_line *cell = &row->cells[layout->columns[i]];
        bool left = column_at(layout, i)->flags & PAGE_LEFT,
             last = i + 1 == end && !row->note.count;
        size_t blanks = layout->widths[i] - line_width(cell, terminal->style);
        fprintf(terminal->out, "%-*s", i ? GAP : 0, star ? "*" : "");
        star = page_is_best(layout->table, at, layout->columns[i]);
        write_blanks(terminal->out, left ? 0 : blanks);
        write_line(terminal, cell, star ? "1;32" : NULL);
        write_blanks(terminal->out, left && !last ? blanks : 0);
    }
    fputs(star ? "*" : "", terminal->out);
    int used = (int)layout->widths[0] + GAP;
    write_blanks(terminal->out, row->note.count ? GAP : 0);
    write_wrapped(terminal, &row->note, NULL, used, used);
}

static void write_table(const struct terminal *terminal, const struct page_table *table)
{
    struct layout layout;
    layout_open(&layout, table, terminal->style);
    for (enum head_line line = HEAD_FIRST; line <= HEAD_UNIT; line++)
        write_head(terminal, &layout, line);
    write_rule(terminal, &layout);
    for (size_t row = 0; row < table->row_count; row++)
        write_row(terminal, &layout, row);
    if (layout.dropped)
        fprintf(terminal->out, "%zu more column%s on a wider terminal%s\n", layout.dropped,
                layout.dropped == 1 ? "" : "s",
                terminal->style->columns < 52 ? "" : ", or in the CSV");
    free(layout.columns);
    free(layout.widths);
}

/* ---- Blocks. --------------------------------------------------------------------------------- */

static void write_fact(const struct terminal *terminal, const struct page_block *block)
{
    int blanks = FACT_WIDTH - (int)shown_width(block->name, terminal->style);
    fprintf(terminal->out, "%s%*s", block->name, blanks > 0 ? blanks : 1, "");
    write_wrapped(terminal, &block->line, NULL, blanks > 0 ? FACT_WIDTH : FACT_WIDTH + 1 - blanks,
                  FACT_WIDTH);
}

static void write_block(const struct terminal *terminal, const struct page_block *block)
{
    bool is_title = block->kind == PAGE_HEADING || block->kind == PAGE_FOLD;
    int hanging = block->kind == PAGE_ITEM ? 2 : 0;
    if (block->kind == PAGE_FACT) {
        write_fact(terminal, block);
    } else if (block->kind == PAGE_TABLE) {
        write_table(terminal, &block->table);
    } else if (block->kind == PAGE_CODE_BLOCK) {
        write_line(terminal, &block->line, NULL);
        fputc('\n', terminal->out);
    } else if (is_title || hanging || block->kind == PAGE_TEXT) {
        fputs(hanging ? "- " : "", terminal->out);
        write_wrapped(terminal, &block->line, is_title ? "1" : NULL, hanging, hanging);
    }
}

/* Blocks of a kind stand together where they are lines; around anything else is an empty line. */
static bool wants_gap(const struct page_block *before, const struct page_block *block)
{
    bool lines = before->kind == block->kind && block->kind != PAGE_TABLE;
    bool below = before->kind == PAGE_TABLE && block->kind == PAGE_FACT;
    bool under = before->kind == PAGE_FOLD || (before->kind == PAGE_HEADING && before->level > 2);
    return !lines && !below && !under;
}

/* What the terminal leaves out ends. */
static bool is_detail_end(enum page_block_kind kind)
{
    return kind == PAGE_FOLD_END || kind == PAGE_SECTION_END || kind == PAGE_ASIDE_END;
}

/* By how much the depth of details that are left out changes with this block. */
static int hidden_change(const struct page_block *block, size_t depth)
{
    bool is_fold = block->kind == PAGE_FOLD && (depth > 0 || block->level != PAGE_REST);
    if (is_fold || block->kind == PAGE_SECTION || block->kind == PAGE_ASIDE)
        return 1;
    return is_detail_end(block->kind) && depth > 0 ? -1 : 0;
}

/* The blocks [begin .. end), behind `before` if that is not NULL.  Returns the last that was written. */
static const struct page_block *write_blocks(const struct terminal *terminal,
                                             const struct page *page, size_t begin, size_t end,
                                             const struct page_block *before)
{
    size_t hidden = 0;
    for (size_t i = begin; i < end; i++) {
        const struct page_block *block = &page->blocks[i];
        int change = hidden_change(block, hidden);
        if (hidden == 0 && change == 0 && !is_detail_end(block->kind) &&
            block->kind != PAGE_PICTURES && block->kind != PAGE_DATA) {
            fputs(before && wants_gap(before, block) ? "\n" : "", terminal->out);
            write_block(terminal, block);
            before = block;
        }
        hidden += (size_t)change;
    }
    return before;
}

/* How many blocks the page's answer takes, from the first on; 0: it has none. */
static size_t count_answer(const struct page *page)
{
    for (size_t i = 0; i < page->count; i++)
        if (page->blocks[i].is_answer)
            return i + 1;
    return 0;
}

void writer_terminal(FILE *out, const struct page *page, const struct report_style *style)
{
    char *text = NULL;
    size_t size = 0, lines = 0;
    struct terminal terminal = {out, style}, memory = {open_memstream(&text, &size), style};
    const struct page_block *last = write_blocks(&memory, page, 0, page->count, NULL);
    fclose(memory.out);
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    fputs(text, out);
    if (lines > 24) /* a screen: the answer again, for a reader who sees only the end */
        write_blocks(&terminal, page, 0, count_answer(page), last);
    free(text);
}
