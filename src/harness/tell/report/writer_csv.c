/* writer_csv.c - writes a page's table for programs. */
#include "harness/tell/report/page.h"
#include "harness/tell/report/writer.h"

#include <math.h>

/* A field: quoted where the text would otherwise be taken for structure, with quotes doubled. */
static void write_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', out);
}

/* Quoted as a whole where a part of it has to be. */
static void write_text(FILE *out, const struct page_line *cell)
{
    char *text = NULL;
    size_t size = 0;
    FILE *joined = open_memstream(&text, &size);
    for (size_t i = 0; i < cell->count; i++)
        fputs(cell->spans[i].text, joined);
    fclose(joined);
    write_field(out, text);
    free(text);
}

/* Numbers are exact, whatever is shown of them. */
static void write_cell(FILE *out, const struct page_line *cell)
{
    if (isnan(page_cell_value(cell)))
        write_text(out, cell);
    else
        fprintf(out, "%.15g", page_cell_value(cell));
}

static void write_table(FILE *out, const struct page_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        fputs(i ? "," : "", out);
        write_field(out, table->columns[i].title);
    }
    fputs("\r\n", out);
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            fputs(i ? "," : "", out);
            write_cell(out, &table->rows[row].cells[i]);
        }
        fputs("\r\n", out);
    }
}

void writer_csv(FILE *out, const struct page *page)
{
    for (size_t i = 0; i < page->count; i++)
        if (page->blocks[i].kind == PAGE_DATA)
            write_table(out, &page->blocks[i].table);
}
