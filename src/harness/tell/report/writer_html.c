/* writer_html.c - writes a page as the inside of an HTML page. */
#include "harness/tell/report/glossary.h"
#include "harness/tell/report/page.h"
#include "harness/tell/report/services.h"
#include "harness/tell/report/writer.h"

#include <math.h>

/* The class of a span; "" for a plain one. */
static const char *class_of(const struct page_span *span)
{
    static const char *const classes[] = {
        [PAGE_PLAIN] = "",
        [PAGE_STRONG] = "strong",
        [PAGE_GOOD] = "verdict holds",
        [PAGE_BAD] = "verdict refuted",
        [PAGE_OPEN] = "verdict open",
        [PAGE_FAINT] = "note",
        [PAGE_CODE] = "code",
    };
    return classes[span->emphasis];
}

static void write_attributes(FILE *out, const struct page_span *span)
{
    if (class_of(span)[0])
        xml_attribute(out, "class", class_of(span));
    else if (span->derived)
        xml_attribute(out, "class", "derived");
    if (span->path)
        xml_attribute(out, "data-path", span->path);
    if (isnan(span->value) || !span->path)
        return;
    fprintf(out, " data-value=\"%.15g\"", span->value);
}

static bool is_bare(const struct page_span *span)
{
    return !span->path && span->emphasis == PAGE_PLAIN && !span->derived;
}

static void write_span(FILE *out, const struct page_span *span)
{
    const char *element = span->emphasis == PAGE_CODE ? "code" : "span";
    if (span->link) {
        fputs("<a", out);
        xml_attribute(out, "href", span->link);
        fputc('>', out);
    }
    if (!is_bare(span)) {
        fprintf(out, "<%s", element);
        write_attributes(out, span);
        fputc('>', out);
    }
    xml_text(out, span->text);
    if (!is_bare(span))
        fprintf(out, "</%s>", element);
    fputs(span->link ? "</a>" : "", out);
}

static void write_line(FILE *out, const struct page_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        write_span(out, &line->spans[i]);
}

static void write_element(FILE *out, const char *element, const struct page_line *line)
{
    fprintf(out, "<%s>", element);
    write_line(out, line);
    fprintf(out, "</%s>\n", element);
}

/* ---- Tables. --------------------------------------------------------------------------------- */

/* The class attribute of a cell or its head. */
static void write_class(FILE *out, unsigned flags, bool is_best)
{
    if (flags & PAGE_PROSE)
        fputs(" class=\"prose\"", out);
    else if (!(flags & PAGE_LEFT))
        fputs(is_best ? " class=\"number best\"" : " class=\"number\"", out);
}

/* A column in which no row has anything, or all is unknown, is left out. */
static bool is_shown(const struct page_table *table, size_t column)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const struct page_line *cell = &table->rows[row].cells[column];
        for (size_t i = 0; i < cell->count; i++)
            if (cell->spans[i].text[0] && strcmp(cell->spans[i].text, "-") != 0)
                return true;
    }
    return column == 0 || table->row_count == 0;
}

static void write_head(FILE *out, const struct page_table *table)
{
    fputs("<thead><tr>", out);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct page_column *column = &table->columns[i];
        if (!is_shown(table, i))
            continue;
        fputs("<th scope=\"col\"", out);
        write_class(out, column->flags, false);
        fputs("><button type=\"button\"", out);
        const char *head = column->title[0] ? column->title : column->unit;
        const char *meaning = glossary_meaning(head);
        if (meaning)
            xml_attribute(out, "title", meaning);
        fputs(">", out);
        xml_text(out, head);
        if (column->title[0] && column->unit[0]) {
            fputs(" <small>", out);
            xml_text(out, column->unit);
            fputs("</small>", out);
        }
        fputs("</button></th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

/* A derived number is sorted by, too; one of the document says so itself. */
static void write_cell(FILE *out, const struct page_table *table, size_t row, size_t column)
{
    const struct page_line *cell = &table->rows[row].cells[column];
    bool is_name = table->columns[column].flags & PAGE_NAMES;
    bool is_best = page_is_best(table, row, column);
    double value = page_cell_value(cell);
    fputs(is_name ? "<th scope=\"row\"" : "<td", out);
    write_class(out, table->columns[column].flags, is_best);
    if (!isnan(value))
        fprintf(out, " data-sort=\"%.15g\"", value);
    fputc('>', out);
    write_line(out, cell);
    fputs(is_best ? " <abbr title=\"best of its column\">*</abbr>" : "", out);
    fputs(is_name ? "</th>" : "</td>", out);
}

static void write_row(FILE *out, const struct page_table *table, size_t columns, size_t at)
{
    const struct page_row *row = &table->rows[at];
    fputs("<tr>", out);
    for (size_t i = 0; i < table->column_count && (i == 0 || !row->note.count); i++)
        if (is_shown(table, i))
            write_cell(out, table, at, i);
    if (row->note.count) {
        fprintf(out, "<td colspan=\"%zu\"><div>", columns - 1);
        write_line(out, &row->note);
        fputs("</div></td>", out);
    }
    fputs("</tr>\n", out);
}

static void write_table(FILE *out, const struct page_block *block)
{
    const struct page_table *table = &block->table;
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\"", out);
    xml_attribute(out, "aria-label", table->title);
    fputs("><table class=\"sortable", out);
    /* On a phone the sentences of the last column go below the others (report.css). */
    size_t columns = 0, last = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        columns += is_shown(table, i);
        last = is_shown(table, i) ? i : last;
    }
    if (last && (table->columns[last].flags & PAGE_PROSE))
        fprintf(out, " prose above-%zu", columns - 1);
    fputs("\"", out);
    if (block->id)
        xml_attribute(out, "id", block->id);
    fputs(">\n", out);
    write_head(out, table);
    for (size_t row = 0; row < table->row_count; row++)
        write_row(out, table, columns, row);
    fputs("</tbody></table></div>\n", out);
}

/* ---- Blocks. --------------------------------------------------------------------------------- */

static void write_heading(FILE *out, const struct page_block *block)
{
    fprintf(out, "<h%d", block->level);
    if (block->id)
        xml_attribute(out, "id", block->id);
    fputc('>', out);
    write_line(out, &block->line);
    fprintf(out, "</h%d>\n", block->level);
}

static void write_fact(FILE *out, const struct page_block *block)
{
    fputs("<div><dt>", out);
    xml_text(out, block->name);
    fputs("</dt><dd>", out);
    write_line(out, &block->line);
    fputs("</dd></div>\n", out);
}

static void write_fold(FILE *out, const struct page_block *block)
{
    fprintf(out, "<details%s>", block->level == PAGE_REST ? " open" : "");
    write_element(out, "summary", &block->line);
}

static void write_box(FILE *out, const struct page_block *block)
{
    bool is_section = block->kind == PAGE_SECTION;
    fputs(is_section ? "<section" : "<div", out);
    if (block->id)
        xml_attribute(out, is_section ? "id" : "class", block->id);
    fputs(">\n", out);
    if (is_section)
        write_element(out, "h2", &block->line);
}

/* Their heading only where there are any; why there are none is said once. */
static void write_pictures(FILE *out, const struct page_block *block,
                           const struct inline_pictures *pictures)
{
    bool any = inline_count(pictures, block->id) > 0;
    if (any && block->line.count) {
        fputs("<h2 id=\"pictures\">", out);
        write_line(out, &block->line);
        fputs("</h2>\n", out);
    }
    inline_write(out, pictures, block->id);
    if (!block->id[0] && pictures->missing[0]) {
        fputs("<p class=\"note\">There are no pictures: ", out);
        xml_text(out, pictures->missing);
        fputs("</p>\n", out);
    }
}

static void write_code(FILE *out, const struct page_block *block)
{
    fputs("<pre class=\"scroll\" tabindex=\"0\"><code>", out);
    write_line(out, &block->line);
    fputs("</code></pre>\n", out);
}

static void write_text(FILE *out, const struct page_block *block)
{
    write_element(out, block->kind == PAGE_ITEM ? "li" : "p", &block->line);
}

static void write_end(FILE *out, const struct page_block *block)
{
    bool is_fold = block->kind == PAGE_FOLD_END, is_section = block->kind == PAGE_SECTION_END;
    fprintf(out, "</%s>\n", is_fold ? "details" : is_section ? "section" : "div");
}

static void write_block(FILE *out, const struct page_block *block,
                        const struct inline_pictures *pictures)
{
    static void (*const writers[])(FILE *,
                                   const struct page_block *) = {[PAGE_HEADING] = write_heading,
                                                                 [PAGE_TEXT] = write_text,
                                                                 [PAGE_ITEM] = write_text,
                                                                 [PAGE_FACT] = write_fact,
                                                                 [PAGE_TABLE] = write_table,
                                                                 [PAGE_CODE_BLOCK] = write_code,
                                                                 [PAGE_FOLD] = write_fold,
                                                                 [PAGE_FOLD_END] = write_end,
                                                                 [PAGE_SECTION] = write_box,
                                                                 [PAGE_SECTION_END] = write_end,
                                                                 [PAGE_ASIDE] = write_box,
                                                                 [PAGE_ASIDE_END] = write_end,
                                                                 [PAGE_DATA] = NULL};
    if (block->kind == PAGE_PICTURES && pictures)
        write_pictures(out, block, pictures);
    else if (writers[block->kind])
        writers[block->kind](out, block);
}

/* What neighbours of that kind stand in; NULL: nothing. */
static const char *list_of(enum page_block_kind kind)
{
    return kind == PAGE_ITEM ? "ul" : kind == PAGE_FACT ? "dl" : NULL;
}

static bool has_column(const struct page *page, const char *word)
{
    for (size_t i = 0; i < page->count; i++)
        for (size_t k = 0; k < page->blocks[i].table.column_count; k++) {
            const struct page_column *column = &page->blocks[i].table.columns[k];
            if (strcmp(column->title[0] ? column->title : column->unit, word) == 0)
                return true;
        }
    return false;
}

/* What the heads of its tables mean. */
static void write_terms(FILE *out, const struct page *page)
{
    const struct term *term;
    bool any = false;
    for (size_t i = 0; (term = glossary_at(i)); i++) {
        if (!has_column(page, term->word))
            continue;
        fputs(any ? "" : "<details id=\"terms\"><summary>Terms</summary>\n<dl>\n", out);
        any = true;
        fputs("<div><dt>", out);
        xml_text(out, term->word);
        fputs("</dt><dd>", out);
        xml_text(out, term->meaning);
        fputs("</dd></div>\n", out);
    }
    fputs(any ? "</dl></details>\n" : "", out);
}

void writer_html(FILE *out, const struct page *page, const struct inline_pictures *pictures)
{
    const char *open = NULL;
    for (size_t i = 0; i < page->count; i++) {
        const char *list = list_of(page->blocks[i].kind);
        if (list != open) {
            if (open)
                fprintf(out, "</%s>\n", open);
            if (list)
                fprintf(out, "<%s>\n", list);
            open = list;
        }
        write_block(out, &page->blocks[i], pictures);
    }
    if (open)
        fprintf(out, "</%s>\n", open);
    write_terms(out, page);
}
