/* html_page.c - the frame around the sections. */
#include "harness/report/html_page.h"

#include "harness/report/documents.h"
#include "harness/report/html.h"
#include "harness/report/html_cells.h"
#include "harness/report/html_origin.h"
#include "harness/report/writer.h"
#include "harness/report/xml.h"
#include "harness/result/file.h"
#include "harness/result/json.h"

#include <stdlib.h>

static int read_asset(const char *directory, const char *name, char **out, struct diag *diag)
{
    char path[4400];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return file_read(path, out, &size, diag);
}

int html_page_make(const struct result_document *document, const char *assets_directory,
                   const char *scripts_directory, struct html_page *page, struct diag *diag)
{
    *page = (struct html_page){.document = document};
    int status = read_asset(assets_directory, "report.css", &page->style, diag);
    if (status == DIAG_OK)
        status = read_asset(assets_directory, "report.js", &page->script, diag);
    if (status == DIAG_OK)
        status = inline_draw(document, scripts_directory, &page->pictures, diag);
    return status;
}

void html_page_free(struct html_page *page)
{
    inline_free(&page->pictures);
    free(page->style);
    free(page->script);
}

static void write_head(FILE *out, const struct html_page *page, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    xml_text(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n", page->style);
}

static void write_fact(FILE *out, const cJSON *document, const char *before, const char *dotted)
{
    struct html_path path = {.length = 0};
    if (!json_get(document, dotted))
        return;
    html_path_dotted(&path, dotted);
    fputs(before, out);
    html_value(out, "span", json_get(document, dotted), &path);
}

/* What stands above the cells has a title of its own. */
static void write_header(FILE *out, const cJSON *document, const char *title, bool has_top)
{
    fputs("<body>\n<header>\n<button type=\"button\" id=\"theme\" hidden>light or "
          "dark</button>\n",
          out);
    if (!has_top) {
        fputs("<h1>", out);
        xml_text(out, title);
        fputs("</h1>\n", out);
    }
    fputs("<p>", out);
    write_fact(out, document, "", "tool.date_utc");
    write_fact(out, document, ", ", "machine.cpu_model");
    write_fact(out, document, ", ", "machine.cores");
    fputs(json_get(document, "machine.cores") ? " cores" : "", out);
    write_fact(out, document, ", ", "machine.distribution");
    write_fact(out, document, "; twbench ", "tool.version");
    write_fact(out, document, " (", "tool.commit");
    fputs(json_get(document, "tool.commit") ? ")" : "", out);
    write_fact(out, document, ", ", "tool.compiler");
    fputs(".</p>\n", out);
    html_warnings(out, document);
}

static void write_contents(FILE *out, const cJSON *document, bool pictures)
{
    fputs("<nav aria-label=\"Contents\">", out);
    fputs(json_get(document, "claims") ? "<a href=\"#claims\">Claims</a> " : "", out);
    fputs(pictures ? "<a href=\"#pictures\">Pictures</a> " : "", out);
    fputs("<a href=\"#cells\">Cells</a> <a href=\"#origin\">Where this comes from</a></nav>\n"
          "</header>\n<main>\n",
          out);
}

static void write_top(FILE *out, const struct document_kind *kind, const struct html_page *page)
{
    struct page top = {.blocks = NULL};
    kind->build(&top, result_json(page->document));
    writer_html(out, &top, &page->pictures);
    page_free(&top);
}

void html_page_write(FILE *out, const struct html_page *page)
{
    const cJSON *document = result_json(page->document);
    const struct document_kind *kind = document_kind_of(document);
    const char *title = json_get(document, "claims") ? "Claims about timer designs, put to the test"
                        : json_get(document, "advice") ? "Which timer design for this load"
                                                       : "Timer designs compared";
    bool pictures = inline_count(&page->pictures, "") > 0;
    write_head(out, page, title);
    write_header(out, document, title, kind != NULL);
    write_contents(out, document, pictures);
    if (kind)
        write_top(out, kind, page);
    if (pictures) {
        fputs("<section id=\"pictures\"><h2>Pictures</h2>\n", out);
        inline_write(out, &page->pictures, "");
        fputs("</section>\n", out);
    }
    if (page->pictures.missing[0]) {
        fputs("<p class=\"note\">There are no pictures: ", out);
        xml_text(out, page->pictures.missing);
        fputs("</p>\n", out);
    }
    html_cells(out, document);
    html_origin(out, document);
    fprintf(out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", page->script);
}
