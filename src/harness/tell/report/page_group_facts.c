/* page_group_facts.c - builds what is said below the designs of a stream, a fact each. */
#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/tell/report/builders.h"

/* Designs on the machine's clock sleep: what their operations cost is CPU time. */
static void add_cpu_times(struct page *page, const struct view_group *group,
                          const struct place *cells)
{
    for (size_t i = 0; i < group->row_count; i++) {
        const struct view_row *row = &group->rows[i];
        const char *gap = " ";
        if (!row->ok || !row->is_real_clock || !view_is_timed(group))
            continue;
        struct place cell = place_of(cells, row->cell);
        page_fact(page, "waiting", "is in the wall time of %s; CPU time, ns/op:", row->label);
        for (size_t p = 0; p < group->phase_count; p++) {
            struct place phase = page_phase(&cell, group->phases[p]);
            bool is_known = json_get(phase.json, "cpu_ns_per_op");
            page_span(page, "%s%s ", gap, group->phases[p]);
            page_add(page, &phase, is_known ? "{cpu_ns_per_op}" : "-");
            gap = ", ";
        }
    }
}

/* Of a merged result. */
static void add_machine(struct page *page, const struct view_group *group,
                        const struct place *cells)
{
    struct place cell = place_of(cells, group->row_count > 0 ? group->rows[0].cell : NULL);
    if (json_get(cell.json, "on_machine"))
        page_say_fact(page, "machine", &cell, "number {on_machine} of those below");
}

/* Of the first row, and of those that are less precise: designs that round by themselves. */
static void add_precision(struct page *page, const struct view_group *group,
                          const struct place *cells)
{
    const cJSON *said = NULL;
    for (size_t i = 0; i < group->row_count; i++) {
        const cJSON *precision = json_get(group->rows[i].cell, "precision");
        double below = json_get_number(precision, "below_tick");
        if (!group->rows[i].ok || group->rows[i].is_harness ||
            !(json_get_number(precision, "late_max_ns") > 0) ||
            (said && cJSON_Compare(said, precision, true)))
            continue;
        struct place cell = place_of(cells, group->rows[i].cell);
        bool own = said || json_get_number(group->rows[i].cell, "late_max_ticks") > 0;
        page_fact(page, "precision", "%s: late by ", own ? group->rows[i].label : "of a tick");
        page_add(
            page, &cell,
            "{precision.late_mean_ns:tick} on average, by {precision.late_max_ns:tick} at most");
        if (below > 0)
            page_add(page, &cell,
                     below > 1 ? "; {precision.below_tick:exact} delays below one tick became one"
                               : "; {precision.below_tick:exact} delay below one tick became one");
        said = precision;
    }
}

/* Whether huge pages were given is for the kernel to say. */
static void add_pages(struct page *page, const struct view_group *group)
{
    char text[320];
    bool any = false;
    for (size_t i = 0; i < group->row_count; i++) {
        if (!view_huge_pages(text, sizeof text, &group->rows[i]))
            continue;
        if (any)
            page_span(page, "; ");
        else
            page_fact(page, "pages", "of 2 MiB: ");
        any = true;
        page_span(page, "%s ", group->rows[i].label);
        page_derived(page, NAN, "%s", text);
    }
}

/* ---- Schedules. ---------------------------------------------------------------------------------- */

static void put_ticks(struct page *page, const struct view_group *group, double ticks)
{
    char text[32];
    units_format_time(text, sizeof text, units_whole(ticks * group->tick_ns));
    page_derived(page, NAN, "%s", text);
}

static void put_schedule(struct page *page, const struct view_group *group,
                         const struct place *schedule)
{
    page_add(page, schedule, "{runs:short} runs, {missed:short} missed, late by ");
    put_ticks(page, group, place_number(schedule, "late_mean_ticks"));
    page_span(page, " on average, ");
    put_ticks(page, group, place_number(schedule, "late_max_ticks"));
    page_span(page, " at most, thread ");
    page_derived(page, NAN, "%.0f %%", 100 * place_number(schedule, "busy_share"));
    page_span(page, " busy");
}

/* The cell's schedule that catches up in the same way. */
static struct place find_schedule(const struct place *cell, const char *catch_up)
{
    struct place schedules = place_get(cell, "schedules"), schedule = place_item(&schedules, 0);
    while (schedule.json && !json_says(schedule.json, "catch_up", catch_up))
        place_next(&schedule);
    return schedule;
}

/* The first design's, and those of designs that differ from it. */
static void add_schedule(struct page *page, const struct view_group *group,
                         const struct place *cells, const struct place *first)
{
    const char *catch_up = place_text(first, "catch_up");
    page_fact(page, "1 thread", "%s%s%s: ", place_text(first, "kind"), *catch_up ? ", " : "",
              catch_up);
    put_schedule(page, group, first);
    for (size_t i = 0; i < group->row_count; i++) {
        struct place cell = place_of(cells, group->rows[i].cell);
        struct place schedule = find_schedule(&cell, catch_up);
        if (!schedule.json || cJSON_Compare(schedule.json, first->json, true))
            continue;
        page_fact(page, "", "%s: ", group->rows[i].label);
        put_schedule(page, group, &schedule);
    }
}

static void add_schedules(struct page *page, const struct view_group *group,
                          const struct place *cells)
{
    for (size_t i = 0; i < group->row_count; i++) {
        struct place cell = place_of(cells, group->rows[i].cell);
        struct place schedules = place_get(&cell, "schedules");
        if (!schedules.json)
            continue;
        for (struct place at = place_item(&schedules, 0); at.json; place_next(&at))
            add_schedule(page, group, cells, &at);
        return;
    }
}

static void add_harness(struct page *page, const struct view_group *group,
                        const struct place *cells)
{
    for (size_t i = 0; i < group->row_count; i++) {
        if (!json_get(group->rows[i].cell, "harness_ns_per_op"))
            continue;
        struct place cell = place_of(cells, group->rows[i].cell);
        page_say_fact(
            page, "harness", &cell,
            group->between[0]
                ? "{harness_ns_per_op} ns in each call of start, stop and advance (design "
                  "null, with the same between calls): subtracted; unclear where it is too "
                  "large"
                : "{harness_ns_per_op} ns in each call of start, stop and advance (design "
                  "null): included in the "
                  "times, subtracted where they are corrected");
        return;
    }
}

/* Fewer samples than asked for, and why.  All cells of a group that were timed together end alike. */
static void add_samples(struct page *page, const struct view_group *group,
                        const struct place *cells)
{
    for (size_t i = 0; i < group->row_count; i++) {
        struct place cell = place_of(cells, group->rows[i].cell);
        const char *ended = place_text(&cell, "sampling.ended_by");
        bool is_narrow = strcmp(ended, "interval") == 0;
        if (!group->rows[i].ok || (!is_narrow && strcmp(ended, "time") != 0))
            continue;
        page_say_fact(
            page, "samples", &cell,
            is_narrow
                ? "{sampling.samples} of {sampling.runs}: every interval is narrow enough"
                : "{sampling.samples} of {sampling.runs}: the time for samples was up (--time)");
        return;
    }
}

/* Where timers may be late, how often each design wakes up for them. */
static void add_wakeups(struct page *page, const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++) {
        const cJSON *cell = group->rows[i].cell;
        double useful = fmax(json_get_number(cell, "clock.stats.useful_wakeups"), 0);
        double fired = json_get_number(cell, useful > 0 ? "clock.stats.runs" : "fired");
        if (!group->rows[i].ok || group->rows[i].is_harness ||
            !(json_get_number(cell, "stream.slack_ticks") > 0 ||
              json_get_number(cell, "stream.slack_shift") > 0))
            continue;
        json_each(phase, cell, "phases")
            useful += json_get_number(phase, "wakeups.useful");
        if (useful > 0)
            page_fact(page, "wake-ups", "%s: %.0f, with %.2f expiries each", group->rows[i].label,
                      useful, fired / useful);
    }
}

/* Of what a processor may have learned from the passes. */
static void add_passes(struct page *page, const struct view_group *group, const struct place *cells)
{
    for (size_t i = 0; i < group->row_count; i++) {
        struct place cell = place_of(cells, group->rows[i].cell);
        bool repeats = json_get_number(group->rows[i].cell, "sampling.replays") > 1;
        bool are_one = strcmp(place_text(&cell, "sampling.passes_differ_in"), "ids") == 0 &&
                       json_get_number(group->rows[i].cell, "sampling.passes_per_sample") > 1;
        if (!group->rows[i].ok || (!repeats && !are_one))
            continue;
        page_say_fact(
            page, "passes", &cell,
            repeats ? "each process ran the same operations {sampling.replays} times: the "
                      "processor may have learned them"
                    : "{sampling.passes_per_sample} of one recording, with other ids each: the "
                      "processor may have learned the order of its deadlines");
        return;
    }
}

void page_group_facts(struct page *page, const struct view_group *group, const struct place *cells)
{
    add_cpu_times(page, group, cells);
    add_samples(page, group, cells);
    add_passes(page, group, cells);
    add_precision(page, group, cells);
    add_wakeups(page, group);
    add_pages(page, group);
    if (group->phase_count > 0 && !view_is_timed(group))
        page_fact(page, "counts", "of all phases of one pass; nothing was timed");
    add_schedules(page, group, cells);
    add_machine(page, group, cells);
    add_harness(page, group, cells);
}
