/* show_json.c - makes the document of a page of films. */
#include "labs/teach/show/show_page.h"

#include "harness/base/json.h"

static cJSON *add_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_levels(cJSON *to, const struct film *film)
{
    cJSON *levels = cJSON_AddArrayToObject(to, "levels");
    for (uint32_t i = 0; film->shape == FILM_WHEEL && i < film->level_count; i++) {
        cJSON *level = add_object(levels);
        json_add_integer(level, "slots", film->levels[i].size);
        json_add_integer(level, "ticks_per_slot", film->levels[i].unit);
    }
}

static void add_events(cJSON *to, const struct film *film, const struct film_frame *frame)
{
    static const char *const kinds[] = {"started", "rearmed", "stopped", "was-idle",
                                        "refused", "fired",   "moved",   "rounded"};
    cJSON *events = cJSON_AddArrayToObject(to, "events");
    for (size_t i = 0; i < frame->event_count; i++) {
        const struct film_event *event = &frame->events[i];
        cJSON *row = add_object(events);
        json_add_text(row, "kind", kinds[event->kind]);
        json_add_text(row, "name", film->names[event->timer]);
        if (event->kind == FILM_FIRED) {
            json_put(row, event, tick, late);
        } else if (event->kind == FILM_MOVED) {
            json_add_integer(row, "from_level", event->old_level);
            json_add_integer(row, "from_slot", event->old_slot);
            json_put(row, event, level, slot);
        } else if (event->kind <= FILM_REARMED || event->kind == FILM_REFUSED) {
            json_add_integer(row, "due", event->tick);
        }
    }
}

/* null of a design that counts nothing. */
static cJSON *make_work(const struct film *film, const struct tw_work *work)
{
    if (!film->counts)
        return cJSON_CreateNull();
    cJSON *counts = cJSON_CreateObject();
#define ADD(name, since, meaning) json_add_integer(counts, #name, work->name);
    TW_WORK_COUNTERS(ADD)
#undef ADD
    return counts;
}

static void add_frame(cJSON *row, const struct film *film, const struct film_frame *frame)
{
    json_add_integer(row, "now", frame->now);
    jsontext_add(row, "statement", frame->statement);
    json_add(row, "next",
             frame->next == UINT64_MAX ? cJSON_CreateNull() : json_integer(frame->next));
    json_add_integer(row, "advances", frame->step);
    json_add(row, "work", make_work(film, &frame->work));
    cJSON *pointers = cJSON_AddArrayToObject(row, "pointers");
    for (uint32_t i = 0; film->shape == FILM_WHEEL && i < film->level_count; i++)
        cJSON_AddItemToArray(pointers, json_integer(film_pointer(film, i, frame->now)));
    cJSON *timers = cJSON_AddArrayToObject(row, "timers");
    for (size_t i = 0; i < frame->timer_count; i++) {
        cJSON *timer = add_object(timers);
        json_add_text(timer, "name", film->names[frame->timers[i].id]);
        json_put(timer, &frame->timers[i], level, slot, rounds, due);
    }
    add_events(row, film, frame);
}

/* As the terminal has it, on a terminal that is none. */
static void add_drawing(cJSON *to, const struct film *film)
{
    const struct report_style style = {.columns = 80, .utf8 = true};
    char *text = NULL;
    size_t size = 0;
    FILE *drawing = open_memstream(&text, &size);
    show_terminal(drawing, film, &style, false);
    fclose(drawing);
    while (size > 0 && text[size - 1] == '\n')
        text[--size] = '\0';
    jsontext_add(to, "drawing", text);
    free(text);
}

static void add_film(cJSON *row, const struct film *film)
{
    static const char *const shapes[] = {"wheel", "queue", "tree", "set"};
    json_add_text(row, "impl", film->design);
    jsontext_add(row, "settings", film->settings);
    json_add_text(row, "shape", shapes[film->shape]);
    json_put(row, film, tick_ns, span_ticks);
    add_levels(row, film);
    jsontext_add(row, "broken", film->broken);
    add_drawing(row, film);
    cJSON *frames = cJSON_AddArrayToObject(row, "frames");
    for (size_t i = 0; i < film->frame_count; i++)
        add_frame(add_object(frames), film, &film->frames[i]);
}

cJSON *show_json(const struct show_page *page)
{
    cJSON *document = cJSON_CreateObject();
    json_add_integer(document, "schema_version", 1);
    json_add_text(document, "kind", "show");
    jsontext_add(document, "title", page->title);
    cJSON *films = cJSON_AddArrayToObject(document, "films");
    for (size_t i = 0; i < page->film_count; i++)
        add_film(add_object(films), page->films[i]);
    cJSON *lines = cJSON_AddArrayToObject(document, "lines");
    for (size_t i = 0; i < page->line_count; i++)
        cJSON_AddItemToArray(lines, jsontext_string(page->lines[i]));
    if (!page->note)
        return document;
    cJSON *answers = cJSON_AddArrayToObject(document, "answers");
    for (size_t i = 0; i < page->answer_count; i++) {
        cJSON *answer = add_object(answers);
        json_put(answer, &page->answers[i], what, found, expected, as_printed, right);
    }
    jsontext_add(document, "note", page->note);
    return document;
}
