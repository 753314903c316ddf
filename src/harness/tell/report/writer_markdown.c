/* writer_markdown.c - writes a page as GitHub's Markdown. */
#include "harness/base/text.h"
#include "harness/tell/report/page.h"
#include "harness/tell/report/writer.h"

/* With everything escaped that Markdown or its tables would take for more than text. */
static void write_text(FILE *out, const char *text)
{
    for (size_t bytes; *text; text += bytes) {
        bytes = utf8_printable(text);
        if (strchr("|<>&*_`\n", *text))
            fprintf(out, "&#%d;", *text);
        else if (bytes > 0)
            fwrite(text, 1, bytes, out);
        else
            fputc('?', out);
        bytes += bytes == 0;
    }
}

static const char *mark_of(enum page_emphasis emphasis)
{
    return emphasis == PAGE_STRONG || emphasis == PAGE_BAD ? "**"
           : emphasis == PAGE_CODE                         ? "`"
                                                           : "";
}

static void write_line(FILE *out, const struct page_line *line, const char *around)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct page_span *span = &line->spans[i];
        const char *mark = span->text[0] ? around[0] ? around : mark_of(span->emphasis) : "";
        fputs(mark, out);
        if (mark[0] == '`')
            fputs(span->text, out);
        else
            write_text(out, span->text);
        fputs(mark, out);
    }
}

/* "cost ns/op": a head is one line. */
static void write_head(FILE *out, const struct page_table *table)
{
    fputc('|', out);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct page_column *column = &table->columns[i];
        fputc(' ', out);
        write_text(out, column->title);
        fputs(column->title[0] && column->unit[0] ? " " : "", out);
        write_text(out, column->unit);
        fputs(" |", out);
    }
    fputs("\n|", out);
    for (size_t i = 0; i < table->column_count; i++)
        fputs(table->columns[i].flags & PAGE_LEFT ? "---|" : "--:|", out);
    fputc('\n', out);
}

/* A note takes the last cell. */
static void write_row(FILE *out, const struct page_table *table, size_t at)
{
    const struct page_row *row = &table->rows[at];
    fputc('|', out);
    for (size_t i = 0; i < table->column_count; i++) {
        bool is_note = row->note.count && i > 0;
        fputc(' ', out);
        if (!is_note)
            write_line(out, &row->cells[i], page_is_best(table, at, i) ? "**" : "");
        else if (i + 1 == table->column_count)
            write_line(out, &row->note, "");
        fputs(" |", out);
    }
    fputc('\n', out);
}

static void write_table(FILE *out, const struct page_table *table)
{
    write_head(out, table);
    for (size_t row = 0; row < table->row_count; row++)
        write_row(out, table, row);
}

static void write_fold(FILE *out, const struct page_block *block)
{
    fputs("<details><summary>", out);
    write_line(out, &block->line, "");
    fputs("</summary>\n", out);
}

static void write_code(FILE *out, const struct page_block *block)
{
    fputs("```\n", out);
    for (size_t i = 0; i < block->line.count; i++)
        fputs(block->line.spans[i].text, out);
    fputs("\n```\n", out);
}

static void write_block(FILE *out, const struct page_block *block)
{
    switch (block->kind) {
    case PAGE_HEADING:
        fprintf(out, "%.*s ", block->level + 1, "######");
        break;
    case PAGE_ITEM:
        fputs("- ", out);
        break;
    case PAGE_FACT:
        fputs("- ", out);
        write_text(out, block->name);
        fputs(": ", out);
        break;
    case PAGE_TABLE:
        write_table(out, &block->table);
        return;
    case PAGE_CODE_BLOCK:
        write_code(out, block);
        return;
    case PAGE_FOLD:
    case PAGE_SECTION:
        write_fold(out, block);
        return;
    case PAGE_FOLD_END:
    case PAGE_SECTION_END:
        fputs("</details>\n", out);
        return;
    case PAGE_TEXT:
    case PAGE_ASIDE:
    case PAGE_ASIDE_END:
    case PAGE_PICTURES:
    case PAGE_DATA:
        break;
    }
    write_line(out, &block->line, "");
    fputc('\n', out);
}

static bool is_item(const struct page_block *block)
{
    return block->kind == PAGE_ITEM || block->kind == PAGE_FACT;
}

static bool is_shown(const struct page_block *block)
{
    return block->kind != PAGE_PICTURES && block->kind != PAGE_DATA && block->kind != PAGE_ASIDE &&
           block->kind != PAGE_ASIDE_END;
}

/* By how much the depth of folds from an evidence on changes with this block. */
static int evidence_change(const struct page_block *block, int depth)
{
    if (block->kind == PAGE_FOLD && (depth > 0 || block->level == PAGE_EVIDENCE))
        return 1;
    return block->kind == PAGE_FOLD_END && depth > 0 ? -1 : 0;
}

void writer_markdown(FILE *out, const struct page *page)
{
    const struct page_block *before = NULL;
    int evidence = 0;
    for (size_t i = 0; i < page->count; i++) {
        const struct page_block *block = &page->blocks[i];
        int change = evidence_change(block, evidence);
        if (!is_shown(block) || evidence > 0 || change > 0) {
            evidence += change;
            continue;
        }
        fputs(before && !(is_item(before) && is_item(block)) ? "\n" : "", out);
        write_block(out, block);
        before = block;
    }
}
