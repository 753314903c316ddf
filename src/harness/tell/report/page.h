/*
 * page.h - what a document has to say, in blocks that every format can write.
 *
 * One builder per kind of document (page_run.c, page_comparison.c, ...) turns JSON into a page; one writer per
 * format (writer.h) turns a page into a terminal's text, Markdown, HTML or CSV.  So each kind of document has
 * each format, and a new block or column is written once.
 *
 * A page is built from top to bottom.  Text goes to what was opened last: a paragraph, a list item, a table's
 * cell.  A span that shows a value of the document carries its path and, for a number, the exact value.
 * Text is UTF-8; the terminal's writer replaces what a plain terminal cannot show.
 */
#ifndef TWBENCH_PAGE_H
#define TWBENCH_PAGE_H

#include "harness/base/libc.h"

#include <cjson/cJSON.h>

/* ---- A value with the path that leads to it (place.c). ------------------------------------- */

/* A path is written as a reader types it: cells[3].phases[0].ns_per_op.median.  A key that is no plain word
 * stands in brackets and quotes: figures["work / start"].  Every figure of a page carries its path, so a reader
 * and a test can look it up. */

#define PLACE_SIZE 480

/* Copied by value.  The document outlives it. */
struct place {
    const cJSON *json; /* NULL: nothing is there, or null */
    char path[PLACE_SIZE];
};

/* The whole document; its path is empty. */
struct place place_root(const cJSON *document);
/* Keys joined by dots, as json_get takes them: "latency_ns.advance.p99". */
struct place place_get(const struct place *from, const char *dotted);
/* One key, whatever its characters. */
struct place place_key(const struct place *from, const char *key);
/* The item of an array. */
struct place place_item(const struct place *array, size_t index);
/* The item of an array that `item` is. */
struct place place_of(const struct place *array, const cJSON *item);
/* The item behind it in the same array; O(1).  Use it in a loop:
 *     for (struct place cell = place_item(&cells, 0); cell.json; place_next(&cell)) */
void place_next(struct place *item);

/* As json_get_number and json_get_text, from this place on. */
double place_number(const struct place *from, const char *dotted);
const char *place_text(const struct place *from, const char *dotted);

/* How a span stands out.  The text says the same, so nothing depends on colour alone. */
enum page_emphasis {
    PAGE_PLAIN,
    PAGE_STRONG,
    PAGE_GOOD,
    PAGE_BAD,
    PAGE_OPEN, /* undecided, warned of */
    PAGE_FAINT,
    PAGE_CODE
};

struct page_span {
    char *text;
    char *path;       /* in the document; NULL: derived, or no figure */
    char *link;       /* "#memory": of this page; NULL: none */
    double value;     /* exact, of a number; NaN: the span is no number */
    double low, high; /* its interval; NaN: it has none */
    bool below;       /* the number is less than its clock can tell */
    enum page_emphasis emphasis;
    bool derived; /* calculated from values of the document; it has no path */
};

/* A paragraph, a list item or a cell. */
struct page_line {
    struct page_span *spans;
    size_t count;
};

enum page_column_flag {
    PAGE_LEFT = 1u << 0,  /* text, aligned to the left; else numbers */
    PAGE_ALONE = 1u << 1, /* on a narrow terminal it goes alone, from the right */
    PAGE_BEST = 1u << 2,  /* the best in it are marked: page_is_best */
    PAGE_NAMES = 1u << 3, /* it names the row: a row's header */
    PAGE_PROSE =
        1u << 4 /* sentences, which stand below the table as well: the terminal leaves them out */
};

struct page_column {
    char *title, *unit;
    unsigned flags;
    int keep; /* a narrow terminal drops the columns with the least `keep` first; 0: never */
};

struct page_row {
    struct page_line *cells; /* one per column */
    struct page_line note;   /* if it has text, it stands in the place of all cells but the first */
    bool out_of_competition; /* never the best of a column */
};

struct page_table {
    char *title; /* for readers of the screen, and as caption where a table has no heading */
    struct page_column *columns;
    struct page_row *rows;
    size_t column_count, column_room, row_count, row_room;
};

enum page_block_kind {
    PAGE_HEADING,
    PAGE_TEXT,
    PAGE_ITEM, /* of a list; neighbours are one list */
    PAGE_FACT, /* "memory    16 bytes per task": a name and what is to be said of it */
    PAGE_TABLE,
    PAGE_CODE_BLOCK,
    PAGE_FOLD, /* detail begins, `line` is its title; enum page_detail says who leaves it out */
    PAGE_FOLD_END,
    PAGE_SECTION, /* detail that HTML shows open, under the heading `line` with the anchor `id`; else a fold */
    PAGE_SECTION_END,
    PAGE_ASIDE, /* what the terminal leaves out and the others show; `id` is what HTML's box is called */
    PAGE_ASIDE_END,
    PAGE_PICTURES, /* those of the document that belong to `id`: a claim, or ""; `line` is their heading */
    PAGE_DATA /* a table for programs: CSV is this alone, no other format shows it */
};

/* What is in a fold, and so who shows it. */
enum page_detail {
    PAGE_DETAIL,   /* the terminal leaves it out */
    PAGE_EVIDENCE, /* Markdown does, too */
    PAGE_REST /* nobody: the rest of a table; Markdown folds it, the terminal and HTML show it open */
};

struct page_block {
    enum page_block_kind kind;
    int level;             /* of a heading: 1 .. 4; of a fold: enum page_detail */
    bool is_answer;        /* of a text: what stands up to here answers what was asked */
    char *id;              /* anchor of a heading or table; whose pictures; NULL: none */
    char *name;            /* of a fact */
    struct page_line line; /* heading, text, item, fact, code, fold */
    struct page_table table;
};

/* What is to be shown, block after block. */
struct page {
    struct page_block *blocks;
    size_t count, room;
    double step_ns; /* of the clock that latencies were read from; 0: PAGE_STEP_NS */
};

/* Results of older versions do not tell the step of their clock. */
#define PAGE_STEP_NS 10

/* ---- Building. ------------------------------------------------------------------------------- */

/* All zero is an empty page; page_free in any case. */
void page_free(struct page *page);

#define PAGE_PRINTF(at) __attribute__((format(printf, at, (at) + 1)))

/* Open a block; the text may be "" and may be added to. */
void page_heading(struct page *page, int level, const char *id, const char *format, ...)
    PAGE_PRINTF(4);
void page_text(struct page *page, const char *format, ...) PAGE_PRINTF(2);
/* A text that ends the answer, with which the page begins: the terminal repeats all up to here at the end of a
 * page that is longer than a screen. */
void page_answer(struct page *page, const char *format, ...) PAGE_PRINTF(2);
void page_item(struct page *page, const char *format, ...) PAGE_PRINTF(2);
void page_fact(struct page *page, const char *name, const char *format, ...) PAGE_PRINTF(3);
void page_code(struct page *page, const char *format, ...) PAGE_PRINTF(2);
void page_fold(struct page *page, const char *format, ...) PAGE_PRINTF(2);
/* A fold of all figures that a sentence rests on: too many for anything but HTML. */
void page_evidence(struct page *page, const char *format, ...) PAGE_PRINTF(2);
/* A fold of what is of less weight, and as much for everybody: the cells that did not change. */
void page_rest(struct page *page, const char *format, ...) PAGE_PRINTF(2);
void page_section(struct page *page, const char *id, const char *format, ...) PAGE_PRINTF(3);
void page_aside(struct page *page, const char *id);
void page_pictures(struct page *page, const char *whose);
/* Opens a block that has no text yet, or ends one: PAGE_FOLD_END, PAGE_SECTION_END, PAGE_ASIDE_END; PAGE_DATA. */
void page_open(struct page *page, enum page_block_kind kind);

/* Open a table: columns first, then row by row, cell by cell.  Cells that a row lacks are empty. */
void page_table(struct page *page, const char *id, const char *title);
void page_column(struct page *page, const char *title, const char *unit, unsigned flags, int keep);
void page_row(struct page *page);
void page_cell(struct page *page, const char *format, ...) PAGE_PRINTF(2);
/* What stands in the place of the row's cells behind the first. */
void page_note(struct page *page, const char *format, ...) PAGE_PRINTF(2);
/* The row is shown and never the best: the harness, a real clock. */
void page_row_competes(struct page *page, bool competes);

/* Add to what is open. */
void page_span(struct page *page, const char *format, ...) PAGE_PRINTF(2);
/* The value at `dotted` from there ("": the place itself): a number in three digits, a text, yes or no, an
 * object of settings as "slots=512", an array's items.  Nothing is added where nothing is. */
void page_put(struct page *page, const struct place *from, const char *dotted);
/* A text of the caller's that shows the number at that place: "1.2 ms" of 1200000; "-" where nothing is. */
void page_put_as(struct page *page, const struct place *from, const char *dotted,
                 const char *format, ...) PAGE_PRINTF(4);
/* A latency in ns at that place, in a unit of `divisor` ns: "< 10" below the step of its clock, else a number.  With a
 * divisor of 0 in the unit in which it reads well: "1.05 us", "< 10 ns". */
void page_put_latency(struct page *page, const struct place *from, const char *dotted,
                      double divisor);
/* A derived number, shown in three digits and compared exactly; "-" unless it is finite. */
void page_number(struct page *page, double value);
/* A text of the caller's that is derived from several values; compared by `value` unless that is NaN. */
void page_derived(struct page *page, double value, const char *format, ...) PAGE_PRINTF(3);

/* Of the span that was added last. */
void page_mark(struct page *page, enum page_emphasis emphasis);
void page_link(struct page *page, const char *link);

/* A cell with the value at that place: page_cell and page_put in one. */
void page_cell_put(struct page *page, const struct place *from, const char *dotted);
void page_cell_number(struct page *page, double value);

/* ---- Templates (page_say.c). ------------------------------------------------------------------- */

/* "armed {armed.mean:count}<, at most {armed.max}>." with the values that are there, from that place on.  "{}" is the
 * place itself, and a form behind a colon says how its value is shown:
 *
 *     none          as page_put shows it, and nothing where nothing is
 *     strong faint bad verdict
 *                   the same, emphasized; a verdict by what it says
 *     number        three digits: "1.23M"           count    a whole number in all its digits
 *     exact         every digit                     digits   the same, or four of a number below 1000
 *     short         a count in few letters: "1M"
 *     share         of 1, as per cent: "2.5 %"      percent  the same without decimals
 *     strong-share  the same, emphasized
 *     time          of nanoseconds: "1.05 ms"       tick     the same in whole ones: "30 s"
 *     latency       the same, "< 10 ns" below the step of the clock
 *     us s          of nanoseconds, in that unit    bytes    "4.0 KiB"
 *
 * Forms of numbers show "-" where there is none.  A part between < and > is left out unless all its values are
 * there.  Templates are constants of the program: an unknown form is none. */
void page_add(struct page *page, const struct place *from, const char *template);
/* The same in a block of its own; no block where the template is one such part and is left out. */
void page_say(struct page *page, enum page_block_kind kind, const struct place *from,
              const char *template);
/* A block for each item of the array. */
void page_say_each(struct page *page, enum page_block_kind kind, const struct place *list,
                   const char *template);
void page_say_fact(struct page *page, const char *name, const struct place *from,
                   const char *template);
void page_cell_say(struct page *page, const struct place *from, const char *template);

/* A column and what its cells say. */
struct page_field {
    const char *title, *unit; /* NULL: no unit */
    unsigned flags;
    int keep;
    const char *cell; /* template */
};

/* Columns of the table that was opened last; a row of it; all of it, with a row for each item of the array. */
void page_columns(struct page *page, const struct page_field *fields, size_t count);
void page_fields(struct page *page, const struct page_field *fields, size_t count,
                 const struct place *from);
void page_fields_each(struct page *page, const struct page_field *fields, size_t count,
                      const struct place *list);

/* ---- Reading, for writers. ------------------------------------------------------------------- */

/* The number that a cell is compared by: its first span's; NaN: none. */
double page_cell_value(const struct page_line *cell);
bool page_line_is_empty(const struct page_line *line);
/* Is this cell the best of its column: the least, and its interval overlaps no other; without intervals those that read
 * alike share the place?  None where one that competes is below what its clock can tell, or where the column has no best. */
bool page_is_best(const struct page_table *table, size_t row, size_t column);

#endif
