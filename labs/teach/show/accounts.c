/* accounts.c - keeps the accounts of a film: what each call is paid, what it works, and what is saved: amortised cost. */
#include "labs/teach/show/show_page.h"

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/tell/report/services.h"

/* The picture: a part with the work of calls above one with what is saved, both of the same width. */
#define PART_WIDTH  860.0
#define PART_HEIGHT 170.0
#define PART_LEFT   56.0
#define GAP         64.0

int prices_take(void *prices_of, const char *flag, const char *item, struct diag *diag)
{
    static const char *const calls[] = {"start", "stop", "expire", "tick"};
    struct show_prices *prices = prices_of;
    uint64_t *const places[] = {&prices->start, &prices->stop, &prices->expire, &prices->tick};
    const char *price = strchr(item, '=');
    for (size_t i = 0; price && i < sizeof calls / sizeof calls[0]; i++)
        if (strncmp(item, calls[i], (size_t)(price - item)) == 0 && !calls[i][price - item]) {
            prices->given = true;
            return units_parse_count(price + 1, flag, places[i], diag);
        }
    return diag_usage(diag, "%s: '%s' given; expected start=, stop=, expire= or tick= with a price",
                      flag, item);
}

/* ---- Entries. -------------------------------------------------------------------------------- */

/* Of one frame: what its call was paid, what it worked, and what is saved after it. */
struct entry {
    const struct film_frame *frame;
    uint64_t paid, worked;
    int64_t saved;
};

/* As claims add it up: all but empty ticks and pointer moves. */
static uint64_t work_of(const struct film_frame *frame)
{
    return frame->work.comparisons + frame->work.visits + frame->work.moves +
           frame->work.link_writes;
}

/* The entry of frame `i`, which is not the first; `saved` is what was saved before it. */
static struct entry entry_of(const struct film *film, const struct show_prices *prices, size_t i,
                             int64_t saved)
{
    const struct film_frame *frame = &film->frames[i], *before = frame - 1;
    struct entry entry = {.frame = frame, .worked = work_of(frame) - work_of(before)};
    entry.paid = frame->step > before->step ? (frame->now - before->now) * prices->tick : 0;
    for (size_t e = 0; e < frame->event_count; e++) {
        enum film_event_kind kind = frame->events[e].kind;
        entry.paid += kind <= FILM_REARMED   ? prices->start
                      : kind == FILM_STOPPED ? prices->stop
                      : kind == FILM_FIRED   ? prices->expire
                                             : 0;
    }
    entry.saved = saved + (int64_t)entry.paid - (int64_t)entry.worked;
    return entry;
}

static bool is_entered(const struct entry *entry)
{
    return entry->paid > 0 || entry->worked > 0;
}

/* What all entries come to. */
struct sums {
    uint64_t paid, worked;
    int64_t most;                 /* saved */
    struct entry longest, lowest; /* by work, by what is saved */
    size_t count;
};

static struct sums sum_up(const struct film *film, const struct show_prices *prices)
{
    struct sums sums = {.lowest = {.saved = INT64_MAX}};
    int64_t saved = 0;
    for (size_t i = 1; i < film->frame_count; i++) {
        struct entry entry = entry_of(film, prices, i, saved);
        saved = entry.saved;
        if (!is_entered(&entry))
            continue;
        sums.count++;
        sums.paid += entry.paid;
        sums.worked += entry.worked;
        sums.most = saved > sums.most ? saved : sums.most;
        sums.longest = entry.worked > sums.longest.worked ? entry : sums.longest;
        sums.lowest = saved < sums.lowest.saved ? entry : sums.lowest;
    }
    return sums;
}

static void format_call(const struct film_frame *frame, char *out, size_t size)
{
    if (frame->step > frame[-1].step)
        snprintf(out, size, "advance to %" PRIu64, frame->now);
    else
        snprintf(out, size, "%s", frame->statement);
}

static void format_sums(const struct sums *sums, char *out, size_t size)
{
    char longest[48], lowest[48];
    if (sums->count == 0) {
        snprintf(out, size, "no call is paid or works");
        return;
    }
    format_call(sums->longest.frame ? sums->longest.frame : sums->lowest.frame, longest,
                sizeof longest);
    format_call(sums->lowest.frame, lowest, sizeof lowest);
    snprintf(out, size,
             "%zu calls: paid %" PRIu64 ", worked %" PRIu64 "; longest: %" PRIu64
             " (%s); least saved: %" PRId64 " (%s)%s",
             sums->count, sums->paid, sums->worked, sums->longest.worked, longest,
             sums->lowest.saved, lowest, sums->lowest.saved < 0 ? ": TOO LITTLE IS PAID" : "");
}

void accounts_terminal(FILE *out, const struct film *film, const struct show_prices *prices,
                       unsigned columns)
{
    char text[320];
    int64_t saved = 0;
    const char *below = columns < 74 ? "\n" : "  ";
    fprintf(out, "%s%s%s\n%-32s%s%7s %8s %14s %8s\n", film->design, film->settings[0] ? " " : "",
            film->settings, "call", below, "paid", "worked", "saved before", "after");
    for (size_t i = 1; i < film->frame_count; i++) {
        struct entry entry = entry_of(film, prices, i, saved);
        format_call(entry.frame, text, sizeof text);
        if (is_entered(&entry))
            fprintf(out, "%-32.32s%s%7" PRIu64 " %8" PRIu64 " %14" PRId64 " %8" PRId64 "\n", text,
                    below, entry.paid, entry.worked, saved, entry.saved);
        saved = entry.saved;
    }
    struct sums sums = sum_up(film, prices);
    format_sums(&sums, text, sizeof text);
    wrap_write(out, text, 0, 0, columns);
}

/* ---- The picture. ---------------------------------------------------------------------------- */

static void svg_text(FILE *out, double x, double y, const char *style, const char *text)
{
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", style, x, y);
    xml_text(out, text);
    fprintf(out, "</text>\n");
}

static void svg_number(FILE *out, double y, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    svg_text(out, PART_LEFT - 8, y + 4, "end", text);
    fprintf(out, "<path class=\"rule\" d=\"M%.1f %.1fh%.1f\"/>\n", PART_LEFT, y, PART_WIDTH);
}

/* Bars from `zero` up or down, a call beside the other. */
static void svg_bar(FILE *out, const char *style, double x, double width, double zero, double tall)
{
    fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
            style, x, tall < 0 ? zero : zero - tall, width, tall < 0 ? -tall : tall);
}

void accounts_svg(FILE *out, const struct film *film, const struct show_prices *prices)
{
    char text[320];
    struct sums sums = sum_up(film, prices);
    int64_t low = sums.count && sums.lowest.saved < 0 ? sums.lowest.saved : 0, saved = 0;
    double worked = (double)(sums.longest.worked ? sums.longest.worked : 1);
    double span = (double)(sums.most - low ? sums.most - low : 1);
    double bar = PART_WIDTH / (double)(sums.count ? sums.count : 1), x = PART_LEFT;
    double top = 70, foot = top + PART_HEIGHT,
           zero = foot + GAP + PART_HEIGHT * (double)sums.most / span;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 940 540\" width=\"940\" "
                 "height=\"540\">\n<title>");
    xml_text(out, film->design);
    fprintf(out,
            ": amortised cost</title>\n<style>%ssvg "
            ".end{text-anchor:end}.worked{fill:#0072b2}.paid{fill:#e69f00}"
            ".saved{fill:#00795a}.owed{fill:#b3003c}</style>\n"
            "<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n",
            picture_style);
    snprintf(text, sizeof text, "%s %s", film->design, film->settings);
    svg_text(out, PART_LEFT, 26, "big", text);
    svg_text(out, PART_LEFT, top - 14, "",
             "work of each call (blue), and what it is paid (orange)");
    svg_text(out, PART_LEFT, foot + GAP - 14, "", "saved after each call");
    for (size_t i = 1; i < film->frame_count; i++) {
        struct entry entry = entry_of(film, prices, i, saved);
        saved = entry.saved;
        if (!is_entered(&entry))
            continue;
        svg_bar(out, "worked", x, bar * 0.8, foot, PART_HEIGHT * (double)entry.worked / worked);
        double paid = foot - PART_HEIGHT * (double)entry.paid / worked;
        if (entry.paid > 0 && paid >= top)
            svg_bar(out, "paid", x, bar * 0.8, paid, 2);
        svg_bar(out, saved < 0 ? "owed" : "saved", x, bar * 0.8, zero,
                PART_HEIGHT * (double)saved / span);
        x += bar;
    }
    svg_number(out, top, (int64_t)worked);
    svg_number(out, foot, 0);
    svg_number(out, zero - PART_HEIGHT * (double)sums.most / span, sums.most);
    svg_number(out, zero, 0);
    format_sums(&sums, text, sizeof text);
    double y = foot + GAP + PART_HEIGHT + 28;
    for (const char *line = text; *line; y += 18) {
        char part[128];
        size_t length = show_line_length(line, 108);
        snprintf(part, sizeof part, "%.*s", (int)length, line);
        svg_text(out, PART_LEFT, y, "", part);
        line += length + (line[length] == ' ');
    }
    fprintf(out, "</svg>\n");
}
