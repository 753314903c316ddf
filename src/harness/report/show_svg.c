/* show_svg.c - frames with their captions, put below each other. */
#include "harness/report/show_svg.h"

#include "harness/report/picture.h"
#include "harness/report/xml.h"

#include <string.h>

#define LINE   18u
#define MARGIN 16u
/* The width of a letter, about, and what the captions need. */
#define LETTER    7.9
#define WIDTH_MIN 560u

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

/* Draws a frame from `y` and answers where it ends. */
static unsigned draw_frame(FILE *out, const struct picture *picture, const struct film_frame *frame,
                           unsigned y)
{
    const struct film *film = picture->film;
    char now[128], text[440];
    film_format_tick(film, frame->now, now, sizeof now);
    snprintf(text, sizeof text, "now %s%s%s", now, frame->statement[0] ? ": " : "",
             frame->statement);
    fprintf(out, "<path class=\"rule\" d=\"M%u %uh%u\"/>\n", MARGIN, y, picture->width);
    y += MARGIN + LINE / 2;
    draw_line(out, y, "strong", text, strlen(text));
    for (size_t i = 0; i < frame->event_count; i++) {
        char event[400];
        film_format_event(film, &frame->events[i], event, sizeof event);
        snprintf(text, sizeof text, "%c %s", film_event_sign(frame->events[i].kind), event);
        y += LINE;
        draw_line(out, y, "", text, strlen(text));
    }
    y += LINE / 2;
    fprintf(out, "<g transform=\"translate(%u %u)\">\n", MARGIN, y);
    picture_draw(out, picture, frame);
    fprintf(out, "</g>\n");
    return y + picture->height + MARGIN;
}

static unsigned film_height(const struct film *film, const struct picture *picture)
{
    unsigned height = 2 * LINE + MARGIN;
    size_t drawn = 0;
    for (size_t i = 0; i < film->frame_count; i++)
        if (is_drawn(film, i, drawn)) {
            drawn++;
            height +=
                picture->height + 2 * MARGIN + LINE + (unsigned)film->frames[i].event_count * LINE;
        }
    return height;
}

static unsigned draw_film(FILE *out, const struct film *film, const struct picture *picture,
                          unsigned y)
{
    unsigned begin = y;
    char title[256];
    size_t drawn = 0;
    snprintf(title, sizeof title, "%s %s", film->design, film->settings);
    draw_line(out, y + LINE, "strong", title, strlen(title));
    y += 2 * LINE;
    for (size_t i = 0; i < film->frame_count; i++)
        if (is_drawn(film, i, drawn)) {
            drawn++;
            y = draw_frame(out, picture, &film->frames[i], y);
        }
    if (drawn == SHOW_SVG_FRAMES)
        draw_text(out, y - LINE, picture->width, "soft", "what follows is left out");
    return begin + film_height(film, picture);
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
    struct picture pictures[SHOW_FILMS_MAX];
    unsigned width = WIDTH_MIN, films_height = 0;
    for (size_t i = 0; i < page->film_count; i++) {
        pictures[i] = picture_measure(page->films[i]);
        width = pictures[i].width > width ? pictures[i].width : width;
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
