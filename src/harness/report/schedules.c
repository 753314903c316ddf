/* schedules.c - describes what periodic tasks cost one thread. */
#include "harness/report/schedules.h"

#include "harness/base/units.h"
#include "harness/report/figure.h"
#include "harness/result/json.h"

#include <string.h>

enum { LINE_SIZE = 256 };

static void format_ticks(char *out, size_t size, const struct view_group *group, double ticks)
{
    units_format_time(out, size, units_whole(ticks * group->tick_ns));
}

static void format_schedule(char *out, size_t size, const struct view_group *group,
                            const cJSON *schedule)
{
    char runs[FIGURE_SIZE], missed[FIGURE_SIZE], mean[FIGURE_SIZE], most[FIGURE_SIZE];
    units_format_count(runs, sizeof runs, units_whole(json_get_number(schedule, "runs")));
    units_format_count(missed, sizeof missed, units_whole(json_get_number(schedule, "missed")));
    format_ticks(mean, sizeof mean, group, json_get_number(schedule, "late_mean_ticks"));
    format_ticks(most, sizeof most, group, json_get_number(schedule, "late_max_ticks"));
    snprintf(out, size,
             "%s runs, %s missed, late by %s on average, %s at most, thread %.0f %% busy", runs,
             missed, mean, most, 100 * json_get_number(schedule, "busy_share"));
}

/* The row's schedule that catches up in the same way. */
static const cJSON *find_schedule(const struct view_row *row, const char *catch_up)
{
    const cJSON *schedule;
    cJSON_ArrayForEach(schedule, json_get(row->cell, "schedules"))
    {
        if (strcmp(json_get_text(schedule, "catch_up"), catch_up) == 0)
            return schedule;
    }
    return NULL;
}

static void write_all(FILE *out, const struct view_group *group, const cJSON *first)
{
    const char *catch_up = json_get_text(first, "catch_up");
    char common[LINE_SIZE], line[LINE_SIZE];
    format_schedule(common, sizeof common, group, first);
    fprintf(out, "1 thread  %s%s%s: %s\n", json_get_text(first, "kind"), *catch_up ? ", " : "",
            catch_up, common);
    for (size_t i = 0; i < group->row_count; i++) {
        const cJSON *schedule = find_schedule(&group->rows[i], catch_up);
        if (!schedule)
            continue;
        format_schedule(line, sizeof line, group, schedule);
        if (strcmp(line, common) != 0)
            fprintf(out, "          %s: %s\n", group->rows[i].label, line);
    }
}

void schedules_write(FILE *out, const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++) {
        const cJSON *schedules = json_get(group->rows[i].cell, "schedules"), *schedule;
        if (!schedules)
            continue;
        cJSON_ArrayForEach(schedule, schedules) write_all(out, group, schedule);
        return;
    }
}
