/*
 * writer.h - the formats that a page is written in.  Each takes any page (page.h).
 *
 * Errors of `out` are left to the caller.
 */
#ifndef TWBENCH_WRITER_H
#define TWBENCH_WRITER_H

#include "harness/base/diag.h"
#include "harness/tell/report/page.h"

#include <cjson/cJSON.h>

/* ---- What may be used on the terminal at hand: colour, UTF-8, how many columns (style.c). ----- */

/* What the user wants; AUTO leaves it to the terminal. */
enum style_color { STYLE_COLOR_AUTO, STYLE_COLOR_ALWAYS, STYLE_COLOR_NEVER };

struct report_style {
    bool color;       /* a terminal, TERM is not "dumb" and NO_COLOR is not set (no-color.org) */
    bool utf8;        /* the locale's character set */
    unsigned columns; /* of the terminal, or $COLUMNS; 100 when `out` is none */
};

/* Looks at `out`, the environment and the locale; changes neither.  `wish` overrules the colour. */
struct report_style style_for(FILE *out, enum style_color wish);

/* ---- The pictures of a document, fit to stand in a page (inline.c). ------------------------ */

/* Black and grey become the page's own ink, so that light and dark follow it; the ground goes; every id
 * gets the picture's number before it; the title is that of the picture. */

struct inline_picture {
    char *svg;         /* as gnuplot drew it */
    char *title;       /* as markup */
    const char *claim; /* what of the page it stands beside (struct picture); "": nothing */
};

struct inline_pictures {
    struct inline_picture *items;
    size_t count;
    char missing[1024]; /* why there are none, though there might be: no gnuplot; "" */
};

/* Draws all pictures of the document; free them in any case.  Without gnuplot there are none and `missing`
 * says why.  DIAG_RUN when what was drawn cannot be read. */
int inline_draw(const cJSON *document, const char *scripts_directory, struct inline_pictures *out,
                struct diag *diag);
/* Empty afterwards. */
void inline_free(struct inline_pictures *pictures);

/* Those of a claim ("": of none), each as a figure.  Errors of `out` are left to the caller. */
void inline_write(FILE *out, const struct inline_pictures *pictures, const char *claim);
size_t inline_count(const struct inline_pictures *pictures, const char *claim);

/* ---- Writers of pages. ------------------------------------------------------------------------ */

/* Text for people: tables give up columns until they fit, and say how many; folds are left out. */
void writer_terminal(FILE *out, const struct page *page, const struct report_style *style);

/* GitHub's Markdown: pipe tables; folds are <details>; the best of a column is bold. */
void writer_markdown(FILE *out, const struct page *page);

/* The inside of an HTML page's <main>.  Numbers carry data-path and data-value, tables are sortable.
 * `pictures` may be NULL. */
void writer_html(FILE *out, const struct page *page, const struct inline_pictures *pictures);

/* RFC 4180: the page's table for programs (PAGE_DATA); numbers are exact.  Nothing if it has none. */
void writer_csv(FILE *out, const struct page *page);

/* ---- A page as one self-contained HTML file: style and script are in it, and it loads nothing (html_frame.c). - */

struct html_frame {
    char *style, *script; /* report.css and report.js */
    const struct page *page;
    const struct inline_pictures *pictures; /* NULL: none */
};

/* Reads style and script.  html_frame_close in any case. */
int html_frame_open(struct html_frame *frame, const char *assets_directory, struct diag *diag);
/* Frees style and script. */
void html_frame_close(struct html_frame *frame);

/* The title is the page's first heading; the contents are its headings of level 2 with an anchor, its
 * sections and its pictures.  Errors of `out` are left to the caller. */
void html_frame_write(FILE *out, const struct html_frame *frame);

#endif
