/* page_import.c - builds the page of an import: what was made of a log, and what was left out. */
#include "labs/traces/traces.h"

#include "harness/base/json.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"

#include <math.h>

enum { TRACKS_SHOWN = 8, COMMONEST = 5, NAMES_SHOWN = 40 };

/* A fact whose items are parted by commas; one that has none is not there. */
struct list {
    struct page *page;
    const char *name;
    bool is_open;
};

/* What a list of so many names leaves out. */
static void list_more(struct list *list, int count, int shown, const char *what)
{
    if (count > shown)
        page_span(list->page, ", %d more%s", count - shown, what);
}

static void list_add(struct list *list)
{
    if (list->is_open)
        page_span(list->page, ", ");
    else
        page_fact(list->page, list->name, "%s", "");
    list->is_open = true;
}

/* "8550 starts"; a count of 0 is left out. */
static void list_count(struct list *list, const struct place *from, const char *dotted,
                       const char *what)
{
    struct place count = place_get(from, dotted);
    if (!(place_number(from, dotted) > 0))
        return;
    list_add(list);
    bool is_one = place_number(from, dotted) < 2 && what[strlen(what) - 1] == 's';
    page_add(list->page, &count, "{:count} ");
    page_span(list->page, "%.*s", (int)(strlen(what) - is_one), what);
}

/* ---- What was chosen. ------------------------------------------------------------------------ */

/* The item [name, lines] of a list. */
static void put_track(struct page *page, const struct place *track, const char *before,
                      const char *after)
{
    struct place name = place_item(track, 0), lines = place_item(track, 1);
    page_span(page, "%s", before);
    page_add(page, &name, cJSON_IsNumber(name.json) ? "{:count}" : "{}");
    page_add(page, &lines, " ({:count}");
    page_span(page, "%s)", after);
}

static bool is_chosen(const struct place *root, const struct place *track)
{
    struct place name = place_item(track, 0);
    return cJSON_Compare(name.json, json_get(root->json, "chosen"), true);
}

/* The tracks there were stand under their kind's name: "pids". */
static void add_chosen(struct page *page, const struct place *root)
{
    struct list list = {page, "chosen", false};
    char key[40], before[48];
    const char *kind = place_text(root, "track");
    snprintf(key, sizeof key, "%.30ss", kind);
    struct place tracks = place_get(root, key);
    int count = cJSON_GetArraySize(tracks.json), shown = 0;
    if (!kind[0])
        return;
    snprintf(before, sizeof before, "%s ", kind);
    for (struct place at = place_item(&tracks, 0); at.json; place_next(&at))
        if (is_chosen(root, &at)) {
            list_add(&list);
            put_track(page, &at, before, " lines");
            page_span(page, "%s", count == 1 ? ", the only one" : "");
        }
    for (struct place at = place_item(&tracks, 0); at.json && shown < TRACKS_SHOWN; place_next(&at))
        if (!is_chosen(root, &at)) {
            list_add(&list);
            put_track(page, &at, "not ", "");
            shown++;
        }
    list_more(&list, count, TRACKS_SHOWN + 1, "");
}

/* ---- The trace. ------------------------------------------------------------------------------ */

static void add_operations(struct page *page, const struct place *root)
{
    char time[FIGURE_SIZE];
    struct list list = {page, "trace", false};
    figure_time(time, place_number(root, "span_s") * 1e9);
    list_count(&list, root, "ops", "operations");
    list_count(&list, root, "starts_new", "starts");
    list_count(&list, root, "starts_rearm", "re-arms");
    list_count(&list, root, "cancels", "cancels");
    list_add(&list);
    page_put_as(page, root, "span_s", "in %s", time);
    list = (struct list){page, "timers", false};
    list_count(&list, root, "ids", "ids");
    list_count(&list, root, "timer_objects", "objects");
    list_count(&list, root, "max_armed", "armed at most");
    list_count(&list, root, "expired", "expired");
    list_count(&list, root, "left_armed", "left armed");
}

static void add_delays(struct page *page, const struct place *root)
{
    char time[FIGURE_SIZE];
    struct list list = {page, "delays", false};
    struct place top = place_get(root, "top_delays");
    double unit_ns = place_number(root, "unit_ns"),
           distinct = place_number(root, "distinct_delays");
    int shown = 0;
    for (struct place at = place_item(&top, 0); at.json && shown < COMMONEST; place_next(&at)) {
        struct place ticks = place_item(&at, 0), times = place_item(&at, 1);
        if (!cJSON_IsNumber(ticks.json) || !cJSON_IsNumber(times.json))
            continue;
        figure_time(time, ticks.json->valuedouble * unit_ns);
        list_add(&list);
        page_put_as(page, &ticks, "", "%s", time);
        page_add(page, &times, " {:count} times");
        shown++;
    }
    if (distinct > shown) {
        list_add(&list);
        page_span(page, "%.0f more", distinct - shown);
    }
}

/* ---- The log against the trace. -------------------------------------------------------------- */

static void add_fired(struct page *page, const struct place *root)
{
    char time[FIGURE_SIZE];
    struct list list = {page, "fired", false};
    double late = place_number(root, "fire_lateness.p99");
    list_count(&list, root, "observed.obs_ok", "as implied");
    if (isfinite(late)) {
        figure_time(time, late * place_number(root, "unit_ns"));
        list_add(&list);
        page_put_as(page, root, "fire_lateness.p99", "99 %% of these at most %s late", time);
    }
    list_count(&list, root, "observed.obs_same_tick", "in the tick of their start");
    list_count(&list, root, "observed.obs_early", "before their deadline (written as cancels)");
    list_count(&list, root, "observed.obs_unknown", "armed before the log");
    if (!list.is_open)
        page_fact(page, "fired", "none, according to the log");
    list = (struct list){page, "dropped", false};
    list_count(&list, root, "drops.drop_cancel_late", "cancels after their deadline");
    list_count(&list, root, "drops.drop_cancel_unknown", "cancels of timers armed before the log");
}

/* Counts that the kind of log made, by their names. */
static void add_tallies(struct page *page, const struct place *root)
{
    struct list list = {page, "log", false};
    struct place converter = place_get(root, "converter"), functions = place_get(root, "functions");
    int shown = 0;
    json_each(count, converter.json, "")
        if (count->string && shown++ < NAMES_SHOWN)
            list_count(&list, &converter, count->string, count->string);
    list_more(&list, shown, NAMES_SHOWN, " names");
    shown = 0;
    list = (struct list){page, "functions", false};
    for (struct place at = place_item(&functions, 0); at.json; place_next(&at)) {
        struct place name = place_item(&at, 0), times = place_item(&at, 1);
        if (!cJSON_IsNumber(times.json) || shown++ >= NAMES_SHOWN)
            continue;
        list_add(&list);
        page_add(page, &times, "{:count} ");
        page_put(page, &name, "");
    }
    list_more(&list, shown, NAMES_SHOWN, " names");
}

/* What was wrong with the log, and what the kind has to say of it. */
static void add_notes(struct page *page, const struct place *root)
{
    struct place notes = place_get(root, "notes");
    struct list list = {page, "broken", false};
    list_count(&list, root, "broken_lines", "lines could not be read");
    if (list.is_open)
        page_add(page, root, "<; the first: {first_broken}>");
    if (place_number(root, "torn_lines") > 0)
        page_fact(page, "torn", "the last line has no newline and was left out");
    list = (struct list){page, "lost", false};
    list_count(&list, root, "lost_events", "events are missing, according to the log");
    list = (struct list){page, "clock", false};
    list_count(&list, root, "clock_back", "times the clock went back; taken as the time before");
    for (struct place note = place_item(&notes, 0); note.json; place_next(&note))
        page_say_fact(page, "note", &note, "{}");
}

void page_import(struct page *page, const cJSON *document)
{
    struct place root = place_root(document);
    page_heading(page, 1, NULL, "Import of ");
    page_put(page, &root, json_get(document, "log") ? "log" : "kind");
    page_say(page, PAGE_TEXT, &root, "{log_lines:count} lines: {source}");
    add_chosen(page, &root);
    add_operations(page, &root);
    add_delays(page, &root);
    add_fired(page, &root);
    add_tallies(page, &root);
    add_notes(page, &root);
    page_fold(page, "All counts");
    page_facts(page, &root);
    page_open(page, PAGE_FOLD_END);
    page_all_figures(page, &root);
}
