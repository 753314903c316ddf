/*
 * show_page.h - films under one title, and the formats in which they are drawn.
 */
#ifndef TWBENCH_SHOW_PAGE_H
#define TWBENCH_SHOW_PAGE_H

#include "harness/base/diag.h"
#include "harness/tell/report/writer.h"
#include "labs/teach/show/film.h"

#define SHOW_FILMS_MAX 2
#define SHOW_LINES_MAX 32

struct show_prices;

struct show_answer {
    const char *what;
    uint64_t found, expected;
    bool as_printed; /* a formula that is wrong: it has to differ */
    bool right;
};

struct show_page {
    const char *title; /* the example's question, or the name of the script */
    const struct film *films[SHOW_FILMS_MAX];
    size_t film_count;
    char lines[SHOW_LINES_MAX][400]; /* what is said below: answers, a note */
    size_t line_count;
    struct show_answer answers[SHOW_LINES_MAX]; /* what the lines say, of a worked example */
    size_t answer_count;
    const struct show_prices *prices; /* accounts in place of drawings; NULL: drawings */
    const char *note;                 /* "": none; NULL: a script */
};

/* How many characters of the text go on a line of `columns`: up to a blank where there is one.  The next
 * line begins behind the blanks that follow. */
size_t show_line_length(const char *text, size_t columns);

/* ---- Its formats.  Errors of `out` are left to the caller. -------------------------------------- */

/* A film on the terminal, slot by slot and step by step; at most 80 columns, whatever the terminal has.  With `every`
 * all frames are drawn; without it those on which something happens or a statement ends, and of the others how many
 * they were. */
void show_terminal(FILE *out, const struct film *film, const struct report_style *style,
                   bool every);

/* One SVG document that follows the viewer's light or dark scheme: the frames on which something happens, row by row.
 * At most SHOW_SVG_FRAMES frames of a film, and what is left out is said. */
#define SHOW_SVG_FRAMES 200
void show_svg(FILE *out, const struct show_page *page);

/* The document, with every frame that was kept (schema/show-1.json has the keys); the caller's. */
cJSON *show_json(const struct show_page *page);

/*
 * accounts.c: what calls work and what they are paid, so that a dear call is seen to be paid for by the many cheap ones before
 * it (Tarjan, "Amortized Computational Complexity", 1985).
 */

/* What each call is paid, in units of work: comparisons, visits, moves and link writes. */
struct show_prices {
    uint64_t start, stop, expire; /* a re-arm is a start */
    uint64_t tick;                /* of each tick that an advance passes */
    bool given;
};

/* Takes one price, "start=9", as an item of a list (units.h).  DIAG_USAGE names the flag and what was expected. */
int prices_take(void *prices, const char *flag, const char *item, struct diag *diag);

/* A row for each call that is paid or works, with what is saved before and after it, and the sums.  Less than 0 saved: the
 * prices are too low.  `columns` from 40 to 80. */
void accounts_terminal(FILE *out, const struct film *film, const struct show_prices *prices,
                       unsigned columns);
/* The same as one SVG document: bars of work and what is paid for them, above bars of what is saved. */
void accounts_svg(FILE *out, const struct film *film, const struct show_prices *prices);

/*
 * picture.c: one frame of a film as SVG: rings for the levels of a wheel, a tree, boxes in a row.
 *
 * The pictures of the filmstrip and of the page (show_page.h) are these.
 */

/* The same for all frames of a film, so that what stands still does not move. */
struct frame_picture {
    const struct film *film;
    unsigned width, height; /* of a frame */
    unsigned columns;       /* panels beside each other, one for each level */
    unsigned panel_width, panel_height;
};

/* Measures the frames of a film; cost O(frames x timers). */
struct frame_picture picture_measure(const struct film *film);

/* Elements of one frame, drawn into (0, 0) .. (width, height); without the <svg> around them. */
void picture_draw(FILE *out, const struct frame_picture *picture, const struct film_frame *frame);

/* The rules that the elements need, for a <style>: light, dark, and on paper. */
extern const char picture_style[];

#endif
