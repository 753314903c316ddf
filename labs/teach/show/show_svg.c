/* show_svg.c - draws films as SVG. */
#include "labs/teach/show/show_page.h"

#include "harness/tell/report/services.h"

#define LINE   18u
#define MARGIN 16u
/* The width of a letter, about, and what the captions need. */
#define LETTER    7.9
#define WIDTH_MIN 560u
/* Frames stand beside each other as long as they fit into this, about the width of a page. */
#define COLUMNS_WIDTH 960u

static bool is_drawn(const struct film *film, size_t frame, size_t drawn)
{
    return film_is_key(film, frame) && drawn < SHOW_SVG_FRAMES;
}

static void draw_line(FILE *out, unsigned y, const char *style, const char *text, size_t length)
{
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    fprintf(out, "<text class=\"%s\" x=\"%u\" y=\"%u\">", style, MARGIN, y);
    xml_text(out, line);
    fprintf(out, "</text>\n");
}

/* Draws the text below `y`, on as many lines as it takes of that width, and answers where they end; with
 * no `out` it only measures. */
static unsigned draw_text(FILE *out, unsigned y, unsigned width, const char *style,
                          const char *text)
{
    while (*text) {
        size_t length = show_line_length(text, (size_t)(width / LETTER));
        y += LINE;
        if (out)
            draw_line(out, y, style, text, length);
        text += length;
        while (*text == ' ')
            text++;
    }
    return y;
}

/* Line `i` above a frame: the time and the statement, then what happened. */
static void caption_format(const struct film *film, const struct film_frame *frame, size_t i,
                           char *out, size_t size)
{
    char text[400], now[128];
    if (i == 0) {
        film_format_tick(film, frame->now, now, sizeof now);
        snprintf(out, size, "now %s%s%s", now, frame->statement[0] ? ": " : "", frame->statement);
        return;
    }
    film_format_event(film, &frame->events[i - 1], text, sizeof text);
    snprintf(out, size, "%c %s", film_event_sign(frame->events[i - 1].kind), text);
}

/* Draws a frame with its captions below a rule, from (0, 0) of where it is put. */
static void draw_frame(FILE *out, const struct frame_picture *picture,
                       const struct film_frame *frame, unsigned width)
{
    char text[440];
    unsigned y = MARGIN + LINE / 2;
    fprintf(out, "<path class=\"rule\" d=\"M%u 0h%u\"/>\n", MARGIN, width);
    for (size_t i = 0; i <= frame->event_count; i++, y += LINE) {
        caption_format(picture->film, frame, i, text, sizeof text);
        draw_line(out, y, i == 0 ? "strong" : "", text, strlen(text));
    }
    fprintf(out, "<g transform=\"translate(%u %u)\">\n", MARGIN, y - LINE / 2);
    picture_draw(out, picture, frame);
    fprintf(out, "</g>\n");
}

/* How wide a column of frames is: no caption is cut off that would fit into the whole width. */
static unsigned column_width(const struct film *film, const struct frame_picture *picture)
{
    char text[440];
    size_t letters = 0;
    for (size_t f = 0; f < film->frame_count; f++)
        for (size_t i = 0; i <= film->frames[f].event_count && film_is_key(film, f); i++) {
            caption_format(film, &film->frames[f], i, text, sizeof text);
            letters = strlen(text) > letters ? strlen(text) : letters;
        }
    unsigned width = (unsigned)((double)letters * LETTER);
    width = width < WIDTH_MIN ? width : WIDTH_MIN;
    return width > picture->width ? width : picture->width;
}

static unsigned columns_of(unsigned column)
{
    return column + MARGIN < COLUMNS_WIDTH ? (COLUMNS_WIDTH + MARGIN) / (column + MARGIN) : 1;
}

static unsigned film_width(const struct film *film, const struct frame_picture *picture)
{
    unsigned column = column_width(film, picture), columns = columns_of(column);
    return columns * column + (columns - 1) * MARGIN;
}

/* Draws the frames in rows from `y`, and answers where they end; with no `out` it only measures. */
static unsigned draw_frames(FILE *out, const struct film *film, const struct frame_picture *picture,
                            unsigned y)
{
    unsigned column = column_width(film, picture), columns = columns_of(column), row = 0;
    size_t drawn = 0;
    for (size_t i = 0; i < film->frame_count; i++) {
        if (!is_drawn(film, i, drawn))
            continue;
        const struct film_frame *frame = &film->frames[i];
        unsigned place = (unsigned)drawn++ % columns;
        unsigned height = picture->height + 2 * MARGIN + LINE + (unsigned)frame->event_count * LINE;
        if (place == 0) {
            y += row;
            row = 0;
        }
        row = height > row ? height : row;
        if (out) {
            fprintf(out, "<g transform=\"translate(%u %u)\">\n", place * (column + MARGIN), y);
            draw_frame(out, picture, frame, column);
            fprintf(out, "</g>\n");
        }
    }
    if (out && drawn == SHOW_SVG_FRAMES)
        draw_text(out, y + row - LINE, column, "soft", "what follows is left out");
    return y + row;
}

static unsigned film_height(const struct film *film, const struct frame_picture *picture)
{
    return draw_frames(NULL, film, picture, 2 * LINE) + MARGIN;
}

static unsigned draw_film(FILE *out, const struct film *film, const struct frame_picture *picture,
                          unsigned y)
{
    char title[256];
    snprintf(title, sizeof title, "%s %s", film->design, film->settings);
    draw_line(out, y + LINE, "strong", title, strlen(title));
    return draw_frames(out, film, picture, y + 2 * LINE) + MARGIN;
}

/* What is said below the films, and above them; answers where it ends. */
static unsigned draw_lines(FILE *out, const struct show_page *page, unsigned width, unsigned y)
{
    for (size_t i = 0; i < page->line_count; i++)
        y = draw_text(out, y, width, "", page->lines[i]);
    return y;
}

void show_svg(FILE *out, const struct show_page *page)
{
    struct frame_picture pictures[SHOW_FILMS_MAX];
    unsigned width = WIDTH_MIN, films_height = 0;
    for (size_t i = 0; i < page->film_count; i++) {
        pictures[i] = picture_measure(page->films[i]);
        unsigned needed = film_width(page->films[i], &pictures[i]);
        width = needed > width ? needed : width;
        films_height += film_height(page->films[i], &pictures[i]);
    }
    unsigned y = draw_text(NULL, 0, width, "strong", page->title) + LINE;
    unsigned height = draw_lines(NULL, page, width, y + films_height) + LINE;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
            "height=\"%u\">\n<title>",
            width + 2 * MARGIN, height, width + 2 * MARGIN, height);
    xml_text(out, page->title);
    fprintf(out,
            "</title>\n<style>%ssvg .strong{font-weight:bold}</style>\n"
            "<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n",
            picture_style);
    draw_text(out, 0, width, "strong", page->title);
    for (size_t i = 0; i < page->film_count; i++)
        y = draw_film(out, page->films[i], &pictures[i], y);
    draw_lines(out, page, width, y);
    fprintf(out, "</svg>\n");
}
