/* picture.c - lays out pictures: size, fonts, colours (Okabe and Ito). */
#include "labs/teach/show/show_page.h"

#include "harness/tell/report/services.h"

#include <math.h>

#define PI 3.14159265358979323846

/* A ring: around its hole the slots, around those the timers. */
#define HOLE_RADIUS  58.0
#define RING_RADIUS  92.0
#define DEPTH_MAX    4
#define CELLS_MAX    24
#define CHIP_HEIGHT  20.0
#define LETTER_WIDTH 7.8
/* From the middle of a line of text down to where it stands. */
#define DROP         4.0
#define TITLE_HEIGHT 22.0
/* Boxes of a queue or a set; nodes of a tree. */
#define BOX_WIDTH   104.0
#define BOX_HEIGHT  44.0
#define BOXES_MAX   60
#define NODES_MAX   63
#define TREE_WIDTH  720.0
#define TREE_HEIGHT 62.0

/* Plain values and no variables, which not every viewer of SVG knows. */
const char picture_style[] =
    "svg text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1d232b}"
    "svg .mid{text-anchor:middle}svg .soft{fill:#5b6673;font-size:11px}"
    "svg .big{font-size:17px;font-weight:bold}.slot{fill:#eef1f5;stroke:#8993a0}"
    ".slot.now{fill:#ffd98a}.gap,.edge{fill:none;stroke:#8993a0}.gap{stroke-dasharray:3 3}"
    ".tip{fill:#1d232b}.chip rect{fill:#dfe7f1;stroke:#8993a0}.chip.new rect{fill:#0072b2}"
    ".chip.moved rect{fill:#00795a}.chip.fired rect{fill:#b35900}"
    "svg .new text,svg .moved text,svg .fired text{fill:#ffffff}.ground{fill:#ffffff}"
    ".rule{stroke:#8993a0}"
    "@media (prefers-color-scheme:dark){svg text{fill:#e8ebef}svg .soft{fill:#a3adb8}"
    ".slot{fill:#242b33}.slot.now{fill:#7a5b0e}.tip{fill:#e8ebef}.chip rect{fill:#36424f}"
    ".ground{fill:#15191e}}"
    "@media print{svg text{fill:#000000}.ground,.slot{fill:#ffffff}}";

/* ---- Timers as chips. ------------------------------------------------------------------------ */

struct chip {
    char text[40];
    const char *style; /* class beside "chip" */
};

static struct chip chip_of(const struct film *film, const struct film_frame *frame,
                           const struct film_timer *timer)
{
    struct chip chip = {.style = ""};
    int kind = film_timer_event(frame, timer->id);
    char sign[3] = "", rounds[8] = "";
    if (kind >= 0)
        snprintf(sign, sizeof sign, "%c ", film_event_sign((enum film_event_kind)kind));
    if (kind >= 0)
        chip.style = kind == FILM_MOVED ? " moved" : " new";
    if (timer->rounds > 0)
        film_format_rounds(timer->rounds, rounds, sizeof rounds);
    snprintf(chip.text, sizeof chip.text, "%s%.8s%s%s", sign, film->names[timer->id],
             rounds[0] ? " " : "", rounds);
    return chip;
}

static double chip_width(const struct chip *chip)
{
    return (double)strlen(chip->text) * LETTER_WIDTH + 12;
}

static void draw_chip(FILE *out, const struct chip *chip, double x, double y)
{
    double width = chip_width(chip);
    fprintf(
        out,
        "<g class=\"chip%s\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" rx=\"9\"/>"
        "<text class=\"mid\" x=\"%.1f\" y=\"%.1f\">%s</text></g>\n",
        chip->style, x - width / 2, y - CHIP_HEIGHT / 2, width, CHIP_HEIGHT, x, y + DROP,
        chip->text);
}

static void draw_text(FILE *out, const char *style, double x, double y, const char *text)
{
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", style, x, y + DROP);
    xml_text(out, text);
    fprintf(out, "</text>\n");
}

/* ---- A ring of slots. ------------------------------------------------------------------------ */

/* A level with its centre; angles go clockwise from the top. */
struct ring {
    FILE *out;
    const struct film *film;
    const struct film_frame *frame;
    double x, y;
    uint32_t level;
    uint64_t pointer;
};

static double ring_x(const struct ring *ring, double angle, double radius)
{
    return ring->x + radius * sin(angle);
}

static double ring_y(const struct ring *ring, double angle, double radius)
{
    return ring->y - radius * cos(angle);
}

static void draw_sector(const struct ring *ring, double from, double to, const char *style)
{
    int large = to - from > PI;
    if (to - from > 2 * PI - 0.01)
        to = from + 2 * PI - 0.001;
    fprintf(ring->out,
            "<path class=\"%s\" d=\"M%.1f %.1fA%.0f %.0f 0 %d 1 %.1f %.1fL%.1f %.1f"
            "A%.0f %.0f 0 %d 0 %.1f %.1fZ\"/>\n",
            style, ring_x(ring, from, RING_RADIUS), ring_y(ring, from, RING_RADIUS), RING_RADIUS,
            RING_RADIUS, large, ring_x(ring, to, RING_RADIUS), ring_y(ring, to, RING_RADIUS),
            ring_x(ring, to, HOLE_RADIUS), ring_y(ring, to, HOLE_RADIUS), HOLE_RADIUS, HOLE_RADIUS,
            large, ring_x(ring, from, HOLE_RADIUS), ring_y(ring, from, HOLE_RADIUS));
}

/* Puts a chip outside the ring, behind those that are there already: `*radius` is where the last one
 * ended. */
static void stack_chip(const struct ring *ring, const struct chip *chip, double angle,
                       double *radius)
{
    double half = (fabs(sin(angle)) * chip_width(chip) + fabs(cos(angle)) * CHIP_HEIGHT) / 2 + 2;
    *radius += half;
    draw_chip(ring->out, chip, ring_x(ring, angle, *radius), ring_y(ring, angle, *radius));
    *radius += half;
}

/* What fired when the pointer came to this slot. */
static void stack_fired(const struct ring *ring, uint64_t slot, double angle, double *radius,
                        size_t *depth)
{
    const struct film *film = ring->film;
    for (size_t i = 0; ring->level == 0 && i < ring->frame->event_count && *depth < DEPTH_MAX;
         i++) {
        const struct film_event *event = &ring->frame->events[i];
        if (event->kind != FILM_FIRED || film_pointer(film, 0, event->tick) != slot)
            continue;
        struct chip chip = {.style = " fired"};
        snprintf(chip.text, sizeof chip.text, "%c %.8s", film_event_sign(FILM_FIRED),
                 film->names[event->timer]);
        stack_chip(ring, &chip, angle, radius);
        (*depth)++;
    }
}

static void stack_slot(const struct ring *ring, const struct film_cell *cell, double angle)
{
    double radius = RING_RADIUS + 4;
    size_t count, depth = 0;
    struct chip more = {.style = ""};
    if (cell->first != cell->last) {
        snprintf(more.text, sizeof more.text, "+%zu", cell->timers);
        if (cell->timers > 0)
            stack_chip(ring, &more, angle, &radius);
        return;
    }
    const struct film_timer *timers = film_slot(ring->frame, ring->level, cell->first, &count);
    stack_fired(ring, cell->first, angle, &radius, &depth);
    for (size_t i = 0; i < count; i++, depth++) {
        struct chip chip = chip_of(ring->film, ring->frame, &timers[i]);
        if (depth + 1 >= DEPTH_MAX && i + 1 < count) {
            snprintf(more.text, sizeof more.text, "+%zu", count - i);
            stack_chip(ring, &more, angle, &radius);
            return;
        }
        stack_chip(ring, &chip, angle, &radius);
    }
}

static void draw_hand(const struct ring *ring, double angle)
{
    double side = 0.16, tip = HOLE_RADIUS - 2, root = HOLE_RADIUS - 14;
    fprintf(ring->out, "<path class=\"tip\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n",
            ring_x(ring, angle, tip), ring_y(ring, angle, tip), ring_x(ring, angle - side, root),
            ring_y(ring, angle - side, root), ring_x(ring, angle + side, root),
            ring_y(ring, angle + side, root));
}

static void draw_hub(const struct ring *ring)
{
    char text[128];
    snprintf(text, sizeof text, "%" PRIu64, ring->frame->now);
    draw_text(ring->out, "mid soft", ring->x, ring->y - 16, "now");
    draw_text(ring->out, "mid big", ring->x, ring->y + 2, text);
    if (ring->film->level_count > 1) {
        snprintf(text, sizeof text, "level %u", ring->level);
        draw_text(ring->out, "mid soft", ring->x, ring->y + 20, text);
    }
}

/* Cells whose numbers are long have to be wider. */
static size_t cells_max(const struct film *film, uint32_t level)
{
    uint64_t size = film->levels[level].size;
    return size <= 100 ? CELLS_MAX : size <= 10000 ? 16 : 12;
}

static void draw_ring(const struct ring *ring)
{
    struct film_cell cells[CELLS_MAX];
    size_t count =
        film_fold(ring->film, ring->frame, ring->level, cells, cells_max(ring->film, ring->level));
    double step = 2 * PI / (double)count;
    for (size_t i = 0; i < count; i++) {
        bool gap = cells[i].first != cells[i].last;
        bool now = cells[i].first <= ring->pointer && ring->pointer <= cells[i].last;
        double middle = (double)i * step;
        char text[32] = "..";
        draw_sector(ring, middle - step / 2, middle + step / 2,
                    gap   ? "gap"
                    : now ? "slot now"
                          : "slot");
        if (!gap)
            snprintf(text, sizeof text, "%" PRIu64, cells[i].first);
        draw_text(ring->out, "mid soft", ring_x(ring, middle, (HOLE_RADIUS + RING_RADIUS) / 2),
                  ring_y(ring, middle, (HOLE_RADIUS + RING_RADIUS) / 2), text);
        if (now)
            draw_hand(ring, middle);
        stack_slot(ring, &cells[i], middle);
    }
    draw_hub(ring);
}

static void draw_wheel(FILE *out, const struct frame_picture *picture,
                       const struct film_frame *frame)
{
    for (uint32_t level = 0; level < picture->film->level_count; level++) {
        double left = level % picture->columns * (double)picture->panel_width;
        uint32_t row = level / picture->columns;
        double top = row * (double)picture->panel_height;
        struct ring ring = {.out = out,
                            .film = picture->film,
                            .frame = frame,
                            .x = left + picture->panel_width / 2.0,
                            .y = top + picture->panel_height / 2.0,
                            .level = level,
                            .pointer = film_pointer(picture->film, level, frame->now)};
        char title[192], unit[128];
        film_format_tick(picture->film, picture->film->levels[level].unit, unit, sizeof unit);
        snprintf(title, sizeof title, "a slot is worth %s", unit);
        draw_text(out, "soft", left + 6, top + 12, title);
        draw_ring(&ring);
    }
}

/* ---- Queues, sets, trees. -------------------------------------------------------------------- */

static void draw_box(FILE *out, const struct film *film, const struct film_frame *frame,
                     const struct film_timer *timer, double x, double y)
{
    char due[64];
    struct chip chip = chip_of(film, frame, timer);
    draw_chip(out, &chip, x, y);
    snprintf(due, sizeof due, "due %" PRIu64, timer->due);
    draw_text(out, "mid soft", x, y + CHIP_HEIGHT - 2, due);
}

static void draw_row(FILE *out, const struct frame_picture *picture, const struct film_frame *frame)
{
    unsigned in_row = (unsigned)(picture->width / BOX_WIDTH);
    for (size_t i = 0; i < frame->timer_count && i < BOXES_MAX; i++) {
        double x = (double)(i % in_row) * BOX_WIDTH + BOX_WIDTH / 2;
        size_t row = i / in_row;
        double y = (double)row * BOX_HEIGHT + BOX_HEIGHT / 2;
        if (picture->film->distances) {
            char distance[32];
            snprintf(distance, sizeof distance, "+%" PRIu64, film_distance(frame, i));
            draw_text(out, "mid", x, y - CHIP_HEIGHT, distance);
        }
        bool linked = picture->film->shape == FILM_QUEUE && i + 1 < frame->timer_count;
        draw_box(out, picture->film, frame, &frame->timers[i], x, y);
        if (linked)
            draw_text(out, "mid", x + BOX_WIDTH / 2, y, "\xe2\x86\x92");
    }
    if (frame->timer_count == 0)
        draw_text(out, "soft", 8, 20, "nothing runs");
    if (frame->timer_count > BOXES_MAX)
        draw_text(out, "soft", 8, picture->height - 4.0, "and more");
}

/* A node stands above the middle of its children: `width` is what its subtree has, from `left`. */
static void draw_node(FILE *out, const struct frame_picture *picture,
                      const struct film_frame *frame, uint64_t index, uint64_t last, double left,
                      double width, double y)
{
    const struct film *film = picture->film;
    double x = left + width / 2, part = width / film->arity;
    uint64_t first = film_first_child(film, index);
    for (uint64_t child = first; child < first + film->arity && child <= last; child++) {
        if (film_is_free(film, frame, child))
            continue;
        double begin = left + (double)(child - first) * part;
        fprintf(out, "<path class=\"edge\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", x, y + CHIP_HEIGHT + 4,
                begin + part / 2, y + TREE_HEIGHT - CHIP_HEIGHT / 2);
        draw_node(out, picture, frame, child, last, begin, part, y + TREE_HEIGHT);
    }
    size_t count;
    const struct film_timer *timer = film_slot(frame, 0, index, &count);
    if (count > 0)
        draw_box(out, film, frame, timer, x, y);
    else
        draw_text(out, "mid soft", x, y, "cancelled");
}

static void draw_tree(FILE *out, const struct frame_picture *picture,
                      const struct film_frame *frame)
{
    if (frame->timer_count == 0) {
        draw_row(out, picture, frame);
        return;
    }
    uint64_t last = frame->timers[frame->timer_count - 1].slot;
    draw_node(out, picture, frame, picture->film->root, last < NODES_MAX ? last : NODES_MAX - 1, 0,
              TREE_WIDTH, CHIP_HEIGHT);
    if (last >= NODES_MAX)
        draw_text(out, "soft", 8, picture->height - 4.0, "and more");
}

/* ---- Measures. ------------------------------------------------------------------------------- */

/* The most timers in a slot, the widest chip, and the last index, of all frames. */
struct extent {
    size_t depth, letters, timers;
    uint64_t last;
};

static void extent_of_frame(const struct film *film, const struct film_frame *frame,
                            struct extent *extent)
{
    size_t run = 0;
    extent->timers = frame->timer_count > extent->timers ? frame->timer_count : extent->timers;
    for (size_t i = 0; i < frame->timer_count; i++) {
        const struct film_timer *timer = &frame->timers[i];
        struct chip chip = chip_of(film, frame, timer);
        bool same = i > 0 && timer[-1].level == timer->level && timer[-1].slot == timer->slot;
        run = same ? run + 1 : 1;
        extent->depth = run > extent->depth ? run : extent->depth;
        extent->letters = strlen(chip.text) > extent->letters ? strlen(chip.text) : extent->letters;
        extent->last = timer->slot > extent->last ? timer->slot : extent->last;
    }
    run = 0;
    for (size_t i = 0; i < frame->event_count; i++)
        run += frame->events[i].kind == FILM_FIRED;
    extent->depth = run > extent->depth ? run : extent->depth;
}

static void measure_wheel(struct frame_picture *picture, const struct extent *extent)
{
    double depth = (double)(extent->depth < DEPTH_MAX ? extent->depth : DEPTH_MAX);
    double side = 2 * (RING_RADIUS + 8) + 2 * depth * ((double)extent->letters * LETTER_WIDTH + 16);
    double tall = 2 * (RING_RADIUS + 8) + 2 * depth * (CHIP_HEIGHT + 6) + TITLE_HEIGHT;
    unsigned levels = picture->film->level_count;
    picture->panel_width = (unsigned)side < 300 ? 300 : (unsigned)side;
    picture->panel_height = (unsigned)tall;
    picture->columns = levels < 2 ? 1 : 2;
    picture->width = picture->columns * picture->panel_width;
    picture->height = (levels + picture->columns - 1) / picture->columns * picture->panel_height;
}

struct frame_picture picture_measure(const struct film *film)
{
    struct frame_picture picture = {.film = film, .width = (unsigned)TREE_WIDTH};
    struct extent extent = {.depth = 1, .letters = 4};
    for (size_t i = 0; i < film->frame_count; i++)
        extent_of_frame(film, &film->frames[i], &extent);
    size_t boxes = extent.timers < BOXES_MAX ? extent.timers : BOXES_MAX;
    unsigned in_row = (unsigned)(TREE_WIDTH / BOX_WIDTH), depth = 1;
    uint64_t last = extent.last < NODES_MAX ? extent.last : NODES_MAX - 1;
    size_t rows = (boxes + in_row - 1) / in_row;
    picture.height = (unsigned)((double)rows * BOX_HEIGHT + TITLE_HEIGHT);
    if (film->shape == FILM_WHEEL)
        measure_wheel(&picture, &extent);
    if (film->shape == FILM_TREE) {
        for (uint64_t index = film->root; (index = film_first_child(film, index)) <= last;)
            depth++;
        picture.height = (unsigned)(depth * TREE_HEIGHT);
    }
    return picture;
}

void picture_draw(FILE *out, const struct frame_picture *picture, const struct film_frame *frame)
{
    switch (picture->film->shape) {
    case FILM_WHEEL:
        draw_wheel(out, picture, frame);
        return;
    case FILM_TREE:
        draw_tree(out, picture, frame);
        return;
    case FILM_QUEUE:
    case FILM_SET:
        draw_row(out, picture, frame);
        return;
    }
}
