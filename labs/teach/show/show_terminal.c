/* show_terminal.c - draws films on the terminal. */
#include "labs/teach/show/show_page.h"

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/tell/result/figures.h"

#define COLUMNS_MAX 80
#define INDENT      2
/* Timers of one slot that are drawn below each other, nodes of a tree, places of a queue. */
#define DEPTH_MAX  6
#define NODES_MAX  63
#define PLACES_MAX 64
#define CELLS_MAX  64
#define ENTRY_MAX  24

/* Colours that people with any colour vision tell apart, after Okabe & Ito. */
enum ink { INK_PLAIN, INK_STRONG, INK_FAINT, INK_POINTER, INK_NEW, INK_FIRED, INK_MOVED, INK_BAD };

static const char *const ink_codes[] = {"",        "1",        "2",       "1;7",
                                        "38;5;32", "38;5;208", "38;5;36", "38;5;169"};

/* Pieces of a box: left, between, right of its top and bottom; and what is along and beside. */
struct strokes {
    const char *top[3], *bottom[3], *along, *beside, *pointer, *arrow, *branch, *corner, *trunk;
};

static const struct strokes drawn = {{"┌", "┬", "┐"}, {"└", "┴", "┘"}, "─",  "│", "▲", "→",
                                     "├─ ",           "└─ ",           "│  "};
static const struct strokes typed = {{"+", "+", "+"}, {"+", "+", "+"}, "-",  "|", "^", "->",
                                     "|- ",           "`- ",           "|  "};

struct canvas {
    FILE *out;
    const struct film *film;
    const struct film_frame *frame;
    const struct strokes *strokes;
    size_t widths[FILM_LEVELS_MAX];
    unsigned columns;
    bool color;
};

static void put(const struct canvas *canvas, enum ink ink, const char *text)
{
    if (canvas->color && ink != INK_PLAIN && *text)
        fprintf(canvas->out, "\033[%sm%s\033[0m", ink_codes[ink], text);
    else
        fputs(text, canvas->out);
}

/* Left of `width` columns; the text is ASCII. */
static void put_padded(const struct canvas *canvas, enum ink ink, const char *text, size_t width)
{
    size_t length = strlen(text);
    put(canvas, ink, text);
    fprintf(canvas->out, "%*s", (int)(length < width ? width - length : 0), "");
}

/* A line of text, which goes on below itself where it is too long for the terminal. */
static void put_line(const struct canvas *canvas, enum ink ink, int indent, const char *text)
{
    bool inked = canvas->color && ink != INK_PLAIN;
    fprintf(canvas->out, "%*s", indent, "");
    if (inked)
        fprintf(canvas->out, "\033[%sm", ink_codes[ink]);
    wrap_write(canvas->out, text, indent, indent + INDENT, canvas->columns);
    if (inked)
        fputs("\033[0m", canvas->out);
}

static void put_times(const struct canvas *canvas, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        fputs(text, canvas->out);
}

/* ---- Events. --------------------------------------------------------------------------------- */

static enum ink event_ink(enum film_event_kind kind)
{
    static const enum ink inks[] = {INK_NEW, INK_NEW,   INK_FAINT, INK_FAINT,
                                    INK_BAD, INK_FIRED, INK_MOVED, INK_FAINT};
    return inks[kind];
}

/* How a timer looks in this frame: as what just happened to it. */
static enum ink timer_ink(const struct film_frame *frame, uint32_t id)
{
    int kind = film_timer_event(frame, id);
    return kind < 0 ? INK_PLAIN : event_ink((enum film_event_kind)kind);
}

static void draw_events(const struct canvas *canvas)
{
    for (size_t i = 0; i < canvas->frame->event_count; i++) {
        const struct film_event *event = &canvas->frame->events[i];
        char text[400], line[404];
        film_format_event(canvas->film, event, text, sizeof text);
        snprintf(line, sizeof line, "%c %s", film_event_sign(event->kind), text);
        put_line(canvas, event_ink(event->kind), INDENT, line);
    }
}

/* ---- A level of slots. ----------------------------------------------------------------------- */

static void format_entry(const struct film *film, const struct film_timer *timer, char *out)
{
    char rounds[8] = "";
    if (timer->rounds > 0)
        film_format_rounds(timer->rounds, rounds, sizeof rounds);
    snprintf(out, ENTRY_MAX, "%.15s%s%.7s", film->names[timer->id], rounds[0] ? " " : "", rounds);
}

/* Columns that the cells of each level need, in all frames alike, so that nothing moves but the
 * timers. */
static void measure_cells(struct canvas *canvas)
{
    const struct film *film = canvas->film;
    char text[ENTRY_MAX];
    for (uint32_t level = 0; level < film->level_count; level++) {
        int digits = snprintf(text, sizeof text, "%" PRIu64, film->levels[level].size - 1);
        canvas->widths[level] = digits < 3 ? 3 : (size_t)digits;
    }
    for (size_t f = 0; f < film->frame_count; f++)
        for (size_t i = 0; i < film->frames[f].timer_count; i++) {
            const struct film_timer *timer = &film->frames[f].timers[i];
            format_entry(film, timer, text);
            if (timer->level < film->level_count && strlen(text) > canvas->widths[timer->level])
                canvas->widths[timer->level] = strlen(text);
        }
}

static void draw_edge(const struct canvas *canvas, const char *const strokes[3], size_t count,
                      size_t width)
{
    fprintf(canvas->out, "%*s%s", INDENT, "", strokes[0]);
    for (size_t i = 0; i < count; i++) {
        put_times(canvas, canvas->strokes->along, width);
        fputs(i + 1 < count ? strokes[1] : strokes[2], canvas->out);
    }
    fputc('\n', canvas->out);
}

/* The line of slot numbers: of a gap only that it is one. */
static void draw_numbers(const struct canvas *canvas, const struct film_cell *cells, size_t count,
                         size_t width, uint64_t pointer)
{
    fprintf(canvas->out, "%*s", INDENT, "");
    for (size_t i = 0; i < count; i++) {
        char text[32] = "..";
        if (cells[i].first == cells[i].last)
            snprintf(text, sizeof text, "%" PRIu64, cells[i].first);
        fputc(' ', canvas->out);
        put_padded(canvas, cells[i].first == pointer ? INK_POINTER : INK_FAINT, text, width);
    }
    fputc('\n', canvas->out);
}

/* Line `row` of what a cell holds.  The last line of a slot that holds more says how much more. */
static enum ink cell_line(const struct canvas *canvas, uint32_t level, const struct film_cell *cell,
                          size_t row, char *out)
{
    size_t count;
    *out = '\0';
    if (cell->first != cell->last) {
        if (row == 0 && cell->timers > 0)
            snprintf(out, ENTRY_MAX, "+%zu", cell->timers);
        return INK_FAINT;
    }
    const struct film_timer *timers = film_slot(canvas->frame, level, cell->first, &count);
    if (row >= count)
        return INK_PLAIN;
    if (row == DEPTH_MAX - 1 && count > DEPTH_MAX) {
        snprintf(out, ENTRY_MAX, "+%zu", count - row);
        return INK_FAINT;
    }
    format_entry(canvas->film, &timers[row], out);
    return timer_ink(canvas->frame, timers[row].id);
}

static void draw_cells(const struct canvas *canvas, uint32_t level, const struct film_cell *cells,
                       size_t count, size_t width)
{
    size_t depth = 1;
    for (size_t i = 0; i < count; i++)
        if (cells[i].first == cells[i].last && cells[i].timers > depth)
            depth = cells[i].timers;
    for (size_t row = 0; row < depth && row < DEPTH_MAX; row++) {
        fprintf(canvas->out, "%*s%s", INDENT, "", canvas->strokes->beside);
        for (size_t i = 0; i < count; i++) {
            char text[ENTRY_MAX];
            enum ink ink = cell_line(canvas, level, &cells[i], row, text);
            put_padded(canvas, ink, text, width);
            fputs(canvas->strokes->beside, canvas->out);
        }
        fputc('\n', canvas->out);
    }
}

static void draw_pointer(const struct canvas *canvas, const struct film_cell *cells, size_t count,
                         size_t width, uint64_t pointer)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i].first <= pointer && pointer <= cells[i].last) {
            fprintf(canvas->out, "%*s", (int)(INDENT + 1 + i * (width + 1)), "");
            put(canvas, INK_STRONG, canvas->strokes->pointer);
            fputc('\n', canvas->out);
        }
}

static void draw_level_title(const struct canvas *canvas, uint32_t level)
{
    const struct film *film = canvas->film;
    char unit[128];
    film_format_tick(film, film->levels[level].unit, unit, sizeof unit);
    if (film->level_count > 1)
        fprintf(canvas->out, "%*slevel %u: a slot is worth %s\n", INDENT, "", level, unit);
}

/* Rows of as many cells as fit: two where that is the whole level, or else one that is folded. */
static void draw_level(const struct canvas *canvas, uint32_t level)
{
    struct film_cell cells[CELLS_MAX];
    uint64_t size = canvas->film->levels[level].size;
    uint64_t pointer = film_pointer(canvas->film, level, canvas->frame->now);
    size_t width = canvas->widths[level];
    size_t in_row = (canvas->columns - INDENT - 1) / (width + 1);
    size_t max = size <= 2 * in_row ? 2 * in_row : in_row;
    size_t count =
        film_fold(canvas->film, canvas->frame, level, cells, max < CELLS_MAX ? max : CELLS_MAX);
    if (count > in_row)
        in_row = (count + 1) / 2;
    draw_level_title(canvas, level);
    for (size_t from = 0; from < count; from += in_row) {
        size_t part = count - from < in_row ? count - from : in_row;
        draw_numbers(canvas, cells + from, part, width, pointer);
        draw_edge(canvas, canvas->strokes->top, part, width);
        draw_cells(canvas, level, cells + from, part, width);
        draw_edge(canvas, canvas->strokes->bottom, part, width);
        draw_pointer(canvas, cells + from, part, width, pointer);
    }
}

/* ---- Queues, sets, trees. -------------------------------------------------------------------- */

static void put_timer(const struct canvas *canvas, const struct film_timer *timer)
{
    char text[64];
    snprintf(text, sizeof text, "%s %" PRIu64, canvas->film->names[timer->id], timer->due);
    put(canvas, timer_ink(canvas->frame, timer->id), text);
}

static void draw_places(const struct canvas *canvas)
{
    const struct film_frame *frame = canvas->frame;
    const char *between = canvas->film->shape == FILM_QUEUE ? canvas->strokes->arrow : " ";
    size_t column = INDENT;
    fprintf(canvas->out, "%*s", INDENT, "");
    for (size_t i = 0; i < frame->timer_count && i < PLACES_MAX; i++) {
        size_t width =
            (size_t)snprintf(NULL, 0, "%s %" PRIu64 " -> ",
                             canvas->film->names[frame->timers[i].id], frame->timers[i].due);
        if (column + width > canvas->columns) {
            fprintf(canvas->out, "\n%*s", INDENT, "");
            column = INDENT;
        }
        column += width;
        if (canvas->film->distances)
            fprintf(canvas->out, "+%" PRIu64 " ", film_distance(frame, i));
        put_timer(canvas, &frame->timers[i]);
        if (i + 1 < frame->timer_count)
            fprintf(canvas->out, " %s ", between);
    }
    if (frame->timer_count == 0)
        put(canvas, INK_FAINT, "(nothing runs)");
    if (frame->timer_count > PLACES_MAX)
        fprintf(canvas->out, "and %zu more", frame->timer_count - PLACES_MAX);
    fputc('\n', canvas->out);
}

/* One node and what is below it; `prefix` is what its children's lines begin with.  An index that
 * nothing runs at, below which something does, is a timer that was cancelled and not yet removed. */
static void draw_node(const struct canvas *canvas, uint64_t index, uint64_t last, const char *lead,
                      const char *prefix)
{
    const struct film *film = canvas->film;
    size_t count;
    const struct film_timer *timer = film_slot(canvas->frame, 0, index, &count);
    fprintf(canvas->out, "%*s%s%" PRIu64 ": ", INDENT, "", lead, index);
    if (count > 0)
        put_timer(canvas, timer);
    else
        put(canvas, INK_FAINT, "(cancelled)");
    fputc('\n', canvas->out);
    uint64_t first = film_first_child(film, index);
    for (uint64_t child = first; child < first + film->arity && child <= last; child++) {
        if (film_is_free(film, canvas->frame, child))
            continue;
        bool is_last = child + 1 == first + film->arity || child == last ||
                       film_is_free(film, canvas->frame, child + 1);
        char child_lead[128], child_prefix[128];
        snprintf(child_lead, sizeof child_lead, "%s%s", prefix,
                 is_last ? canvas->strokes->corner : canvas->strokes->branch);
        snprintf(child_prefix, sizeof child_prefix, "%s%s", prefix,
                 is_last ? "   " : canvas->strokes->trunk);
        draw_node(canvas, child, last, child_lead, child_prefix);
    }
}

static void draw_tree(const struct canvas *canvas)
{
    const struct film_frame *frame = canvas->frame;
    if (frame->timer_count == 0) {
        draw_places(canvas);
        return;
    }
    uint64_t last = frame->timers[frame->timer_count - 1].slot;
    draw_node(canvas, canvas->film->root, last < NODES_MAX ? last : NODES_MAX - 1, "", "");
    if (last >= NODES_MAX)
        fprintf(canvas->out, "%*sand %" PRIu64 " more\n", INDENT, "", last - NODES_MAX + 1);
}

/* ---- Frames. --------------------------------------------------------------------------------- */

static void draw_places_of(const struct canvas *canvas)
{
    switch (canvas->film->shape) {
    case FILM_WHEEL:
        for (uint32_t level = 0; level < canvas->film->level_count; level++)
            draw_level(canvas, level);
        return;
    case FILM_TREE:
        draw_tree(canvas);
        return;
    case FILM_QUEUE:
    case FILM_SET:
        draw_places(canvas);
        return;
    }
}

static void draw_frame(const struct canvas *canvas)
{
    const struct film_frame *frame = canvas->frame;
    char now[128], line[160], said[sizeof frame->statement + 4];
    film_format_tick(canvas->film, frame->now, now, sizeof now);
    snprintf(line, sizeof line, "now %s", now);
    fputc('\n', canvas->out);
    put(canvas, INK_STRONG, line);
    snprintf(said, sizeof said, "%s%s", frame->statement[0] ? "   " : "", frame->statement);
    wrap_write(canvas->out, said, (int)strlen(line), INDENT, canvas->columns);
    draw_events(canvas);
    draw_places_of(canvas);
}

/* What is said of frames that are not drawn. */
static void draw_quiet(const struct canvas *canvas, size_t from, size_t to)
{
    const struct film_frame *frames = canvas->film->frames;
    char line[160], visits[32] = "not counted";
    if (canvas->film->counts)
        snprintf(visits, sizeof visits, "%" PRIu64,
                 frames[to - 1].work.visits - (from > 0 ? frames[from - 1].work.visits : 0));
    snprintf(line, sizeof line,
             "now %" PRIu64 " .. %" PRIu64 ": nothing fires; timers looked at: %s",
             frames[from].now, frames[to - 1].now, visits);
    fputc('\n', canvas->out);
    put_line(canvas, INK_FAINT, 0, line);
}

static void draw_title(const struct canvas *canvas)
{
    const struct film *film = canvas->film;
    char tick[32], line[256];
    units_format_time(tick, sizeof tick, film->tick_ns);
    snprintf(line, sizeof line, "%s%s%s   a tick is %s", film->design, film->settings[0] ? " " : "",
             film->settings, tick);
    put_line(canvas, INK_STRONG, 0, line);
}

static bool is_work(const struct figure *figure)
{
    return figure->owner == FIGURE_OF_PHASE && strncmp(figure->path, "work.", 5) == 0;
}

/* Counters that are 0 are not said. */
static void draw_sum(const struct canvas *canvas)
{
    const struct film_frame *end = &canvas->film->frames[canvas->film->frame_count - 1];
    char next[128], title[FIGURE_NAME_SIZE], said[1000];
    struct text text = text_in(said, sizeof said);
    film_format_tick(canvas->film, end->next, next, sizeof next);
    text_add(&text, "In all: advances %" PRIu64, end->step);
    for (size_t i = 0; i < figure_count(); i++) {
        uint64_t count =
            is_work(figure_at(i)) ? film_work(end, strchr(figure_at(i)->path, '.') + 1) : 0;
        figure_title(title, figure_at(i));
        if (count > 0)
            text_add(&text, ", %s %" PRIu64, title, count);
    }
    text_add(&text, "%s; next expiry: %s",
             canvas->film->counts ? "" : "; the design counts no work", next);
    fputc('\n', canvas->out);
    put_line(canvas, INK_PLAIN, 0, said);
}

void show_terminal(FILE *out, const struct film *film, const struct report_style *style, bool every)
{
    struct canvas canvas = {.out = out,
                            .film = film,
                            .strokes = style->utf8 ? &drawn : &typed,
                            .columns = style->columns < COLUMNS_MAX ? style->columns : COLUMNS_MAX,
                            .color = style->color};
    size_t quiet = 0;
    measure_cells(&canvas);
    draw_title(&canvas);
    for (size_t i = 0; i < film->frame_count; i++) {
        if (!every && !film_is_key(film, i)) {
            quiet++;
            continue;
        }
        if (quiet > 0)
            draw_quiet(&canvas, i - quiet, i);
        quiet = 0;
        canvas.frame = &film->frames[i];
        draw_frame(&canvas);
    }
    draw_sum(&canvas);
    if (film->broken[0]) {
        fputs("\nBROKEN ", out);
        put(&canvas, INK_BAD, film->broken);
        fputc('\n', out);
    }
}
