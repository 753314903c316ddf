/* show_json.c - writes a film as JSON. */
#include "labs/teach/show/show_page.h"

#include "harness/base/json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>

static void write_text(FILE *out, const char *text)
{
    cJSON *value = jsontext_string(text);
    char *quoted = cJSON_PrintUnformatted(value);
    fputs(quoted ? quoted : "null", out);
    cJSON_free(quoted);
    cJSON_Delete(value);
}

static void write_levels(FILE *out, const struct film *film)
{
    fprintf(out, "\"levels\": [");
    for (uint32_t i = 0; film->shape == FILM_WHEEL && i < film->level_count; i++)
        fprintf(out, "%s{\"slots\": %" PRIu64 ", \"ticks_per_slot\": %" PRIu64 "}",
                i > 0 ? ", " : "", film->levels[i].size, film->levels[i].unit);
    fprintf(out, "]");
}

static void write_pointers(FILE *out, const struct film *film, uint64_t now)
{
    fprintf(out, "\"pointers\": [");
    for (uint32_t i = 0; film->shape == FILM_WHEEL && i < film->level_count; i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", film_pointer(film, i, now));
    fprintf(out, "]");
}

static void write_timers(FILE *out, const struct film *film, const struct film_frame *frame)
{
    fprintf(out, "\"timers\": [");
    for (size_t i = 0; i < frame->timer_count; i++) {
        const struct film_timer *timer = &frame->timers[i];
        fprintf(out,
                "%s{\"name\": \"%s\", \"level\": %u, \"slot\": %u, \"rounds\": %" PRIu64
                ", \"due\": %" PRIu64 "}",
                i > 0 ? ", " : "", film->names[timer->id], timer->level, timer->slot, timer->rounds,
                timer->due);
    }
    fprintf(out, "]");
}

static void write_events(FILE *out, const struct film *film, const struct film_frame *frame)
{
    static const char *const kinds[] = {"started", "rearmed", "stopped", "was-idle",
                                        "refused", "fired",   "moved",   "rounded"};
    fprintf(out, "\"events\": [");
    for (size_t i = 0; i < frame->event_count; i++) {
        const struct film_event *event = &frame->events[i];
        fprintf(out, "%s{\"kind\": \"%s\", \"name\": \"%s\"", i > 0 ? ", " : "", kinds[event->kind],
                film->names[event->timer]);
        if (event->kind == FILM_FIRED)
            fprintf(out, ", \"tick\": %" PRIu64 ", \"late\": %" PRIu64, event->tick, event->late);
        else if (event->kind == FILM_MOVED)
            fprintf(out, ", \"from_level\": %u, \"from_slot\": %u, \"level\": %u, \"slot\": %u",
                    event->old_level, event->old_slot, event->level, event->slot);
        else if (event->kind <= FILM_REARMED || event->kind == FILM_REFUSED)
            fprintf(out, ", \"due\": %" PRIu64, event->tick);
        fprintf(out, "}");
    }
    fprintf(out, "]");
}

/* null of a design that counts nothing. */
static void write_work(FILE *out, const struct film *film, const struct tw_work *work)
{
    const char *gap = "";
    if (!film->counts) {
        fprintf(out, "\"work\": null");
        return;
    }
    fprintf(out, "\"work\": {");
#define WRITE(name, since, meaning)                                                                \
    fprintf(out, "%s\"" #name "\": %" PRIu64, gap, work->name);                                    \
    gap = ", ";
    TW_WORK_COUNTERS(WRITE)
#undef WRITE
    fprintf(out, "}");
}

static void write_frame(FILE *out, const struct film *film, const struct film_frame *frame)
{
    fprintf(out, "   {\"now\": %" PRIu64 ", \"statement\": ", frame->now);
    write_text(out, frame->statement);
    fprintf(out, ", \"next\": ");
    if (frame->next == UINT64_MAX)
        fprintf(out, "null");
    else
        fprintf(out, "%" PRIu64, frame->next);
    fprintf(out, ", \"advances\": %" PRIu64 ", ", frame->step);
    write_work(out, film, &frame->work);
    fprintf(out, ",\n    ");
    write_pointers(out, film, frame->now);
    fprintf(out, ",\n    ");
    write_timers(out, film, frame);
    fprintf(out, ",\n    ");
    write_events(out, film, frame);
    fprintf(out, "}");
}

/* As the terminal has it, on a terminal that is none. */
static void write_drawing(FILE *out, const struct film *film)
{
    const struct report_style style = {.columns = 80, .utf8 = true};
    char *text = NULL;
    size_t size = 0;
    FILE *drawing = open_memstream(&text, &size);
    if (drawing)
        show_terminal(drawing, film, &style, false);
    bool is_drawn = drawing && fclose(drawing) == 0;
    while (is_drawn && size > 0 && text[size - 1] == '\n')
        text[--size] = '\0';
    write_text(out, is_drawn ? text : "");
    free(text);
}

static void write_film(FILE *out, const struct film *film)
{
    static const char *const shapes[] = {"wheel", "queue", "tree", "set"};
    fprintf(out,
            " {\"impl\": \"%s\", \"settings\": \"%s\", \"shape\": \"%s\", \"tick_ns\": %" PRIu64
            ", \"span_ticks\": %" PRIu64 ",\n  ",
            film->design, film->settings, shapes[film->shape], film->tick_ns, film->span_ticks);
    write_levels(out, film);
    fprintf(out, ", \"broken\": ");
    write_text(out, film->broken);
    fprintf(out, ",\n  \"drawing\": ");
    write_drawing(out, film);
    fprintf(out, ",\n  \"frames\": [\n");
    for (size_t i = 0; i < film->frame_count; i++) {
        write_frame(out, film, &film->frames[i]);
        fprintf(out, i + 1 < film->frame_count ? ",\n" : "\n");
    }
    fprintf(out, "  ]}");
}

static void write_answers(FILE *out, const struct show_page *page)
{
    fprintf(out, ",\n\"answers\": [");
    for (size_t i = 0; i < page->answer_count; i++) {
        const struct show_answer *answer = &page->answers[i];
        fprintf(out, "%s{\"what\": ", i > 0 ? ",\n " : "");
        write_text(out, answer->what);
        fprintf(out,
                ", \"found\": %" PRIu64 ", \"expected\": %" PRIu64
                ", \"as_printed\": %s, \"right\": %s}",
                answer->found, answer->expected, answer->as_printed ? "true" : "false",
                answer->right ? "true" : "false");
    }
    fprintf(out, "],\n\"note\": ");
    write_text(out, page->note);
}

void show_json(FILE *out, const struct show_page *page)
{
    fprintf(out, "{\"schema_version\": 1, \"kind\": \"show\", \"title\": ");
    write_text(out, page->title);
    fprintf(out, ",\n\"films\": [\n");
    for (size_t i = 0; i < page->film_count; i++) {
        write_film(out, page->films[i]);
        fprintf(out, i + 1 < page->film_count ? ",\n" : "\n");
    }
    fprintf(out, "],\n\"lines\": [");
    for (size_t i = 0; i < page->line_count; i++) {
        fprintf(out, i > 0 ? ", " : "");
        write_text(out, page->lines[i]);
    }
    fprintf(out, "]");
    if (page->note)
        write_answers(out, page);
    fprintf(out, "}\n");
}
