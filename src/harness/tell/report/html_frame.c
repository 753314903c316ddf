/* html_frame.c - writes head, title and contents around a page. */
#include "harness/tell/report/writer.h"

#include "harness/base/file.h"
#include "harness/tell/report/services.h"

static int read_asset(const char *directory, const char *name, char **out, struct diag *diag)
{
    char path[4400];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return file_read(path, out, &size, diag);
}

int html_frame_open(struct html_frame *frame, const char *assets_directory, struct diag *diag)
{
    *frame = (struct html_frame){.style = NULL};
    int status = read_asset(assets_directory, "report.css", &frame->style, diag);
    return status == DIAG_OK ? read_asset(assets_directory, "report.js", &frame->script, diag)
                             : status;
}

void html_frame_close(struct html_frame *frame)
{
    free(frame->style);
    free(frame->script);
}

static void write_plain(FILE *out, const struct page_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        xml_text(out, line->spans[i].text);
}

static void write_title(FILE *out, const struct page *page)
{
    for (size_t i = 0; i < page->count; i++)
        if (page->blocks[i].kind == PAGE_HEADING) {
            write_plain(out, &page->blocks[i].line);
            return;
        }
    fputs("twbench", out);
}

/* The anchor by which the contents lead to the block; NULL: they do not. */
static const char *anchor_of(const struct html_frame *frame, const struct page_block *block)
{
    if (block->kind == PAGE_SECTION || (block->kind == PAGE_HEADING && block->level == 2))
        return block->id;
    bool any = block->kind == PAGE_PICTURES && block->line.count && frame->pictures &&
               inline_count(frame->pictures, block->id) > 0;
    return any ? "pictures" : NULL;
}

static void write_contents(FILE *out, const struct html_frame *frame)
{
    fputs("<nav class=\"scroll\" aria-label=\"Contents\">", out);
    for (size_t i = 0; i < frame->page->count; i++) {
        const struct page_block *block = &frame->page->blocks[i];
        const char *anchor = anchor_of(frame, block);
        if (!anchor)
            continue;
        fputs("<a href=\"#", out);
        xml_text(out, anchor);
        fputs("\">", out);
        write_plain(out, &block->line);
        fputs("</a> ", out);
    }
    fputs("</nav>\n", out);
}

void html_frame_write(FILE *out, const struct html_frame *frame)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    write_title(out, frame->page);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n", frame->style);
    fputs("<body>\n<header>\n<button type=\"button\" id=\"theme\" hidden>light or dark</button>\n",
          out);
    write_contents(out, frame);
    fputs("</header>\n<main>\n", out);
    writer_html(out, frame->page, frame->pictures);
    fprintf(out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", frame->script);
}
