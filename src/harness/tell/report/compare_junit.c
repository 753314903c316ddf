/* compare_junit.c - writes a comparison as JUnit XML. */
#include "harness/tell/report/compare_junit.h"

#include "harness/tell/report/compare_view.h"
#include "harness/tell/report/junit.h"
#include "harness/tell/report/xml.h"
#include "harness/tell/result/json.h"

#include <stdbool.h>
#include <string.h>

static bool says(const cJSON *item, const char *path, const char *text)
{
    return strcmp(json_get_text(item, path), text) == 0;
}

/* With --fail-on=work, a time alone does not make the command fail. */
static bool regressed_by_work(const cJSON *cell)
{
    return cJSON_IsTrue(json_get(cell, "failed")) || says(cell, "gates.work", "regressed") ||
           says(cell, "gates.instructions", "regressed") || says(cell, "gates.memory", "regressed");
}

static enum junit_result result_of(const cJSON *comparison, const cJSON *cell)
{
    if (says(cell, "verdict", "regressed")) {
        bool fails = !says(comparison, "fail_on", "work") || regressed_by_work(cell);
        return fails ? JUNIT_FAILED : JUNIT_SKIPPED;
    }
    if (says(cell, "verdict", "inconclusive"))
        return says(comparison, "fail_on", "inconclusive") ? JUNIT_FAILED : JUNIT_SKIPPED;
    return JUNIT_PASSED;
}

static void write_figures(FILE *out, const cJSON *cell)
{
    char line[COMPARE_LINE_SIZE];
    struct compare_row row;
    compare_row_read(&row, cell);
    bool advisory = json_get(cell, "ratio.median") && !cJSON_IsTrue(json_get(cell, "time_decides"));
    snprintf(line, sizeof line,
             "time %s %s%s\nmargin %s\ncontrol %s\nwork %s\ninstructions %s\nmemory %s\n"
             "decided by %s\n",
             row.time, row.interval, advisory ? " advisory" : "", row.margin, row.control, row.work,
             row.instructions, row.memory, row.deciders);
    xml_text(out, line);
}

static void write_case(FILE *out, const cJSON *comparison, const cJSON *cell)
{
    char name[COMPARE_LINE_SIZE], message[COMPARE_LINE_SIZE];
    const char *verdict = json_get_text(cell, "verdict"), *reason = json_get_text(cell, "reason");
    compare_cell_name(name, sizeof name, cell);
    snprintf(message, sizeof message, "%s%s%s", verdict, reason[0] ? ": " : "", reason);
    junit_open_case(out, json_get_text(cell, "workload"), name,
                    json_get_number(cell, "ns_per_op.new") / 1e9, result_of(comparison, cell),
                    verdict, message);
    write_figures(out, cell);
    junit_close_case(out);
}

/* A comparison that was interrupted is inconclusive though none of its cells may be: a case of its
 * own says so. */
static bool is_cut(const cJSON *comparison)
{
    return cJSON_IsFalse(json_get(comparison, "complete"));
}

static enum junit_result result_of_cut(const cJSON *comparison)
{
    return says(comparison, "fail_on", "inconclusive") ? JUNIT_FAILED : JUNIT_SKIPPED;
}

static void count_result(struct junit_suite *suite, enum junit_result result)
{
    suite->tests++;
    suite->failures += result == JUNIT_FAILED;
    suite->skipped += result == JUNIT_SKIPPED;
}

static void write_properties(FILE *out, const cJSON *comparison)
{
    static const char *const keys[] = {"mode", "verdict", "fail_on"};
    char line[COMPARE_LINE_SIZE];
    junit_open_properties(out);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        junit_property(out, keys[i], json_get_text(comparison, keys[i]));
    compare_side(line, sizeof line, json_get(comparison, "old"));
    junit_property(out, "old", line);
    compare_side(line, sizeof line, json_get(comparison, "new"));
    junit_property(out, "new", line);
    compare_summary(line, sizeof line, comparison);
    junit_property(out, "summary", line);
    compare_decision(line, sizeof line, comparison);
    junit_property(out, "decision", line);
    junit_property(out, "notes", json_get_text(comparison, "notes"));
    junit_close_properties(out);
}

void compare_junit_write(FILE *out, const cJSON *comparison)
{
    struct junit_suite suite = {.name = "twbench compare"};
    const cJSON *cell;
    cJSON_ArrayForEach(cell, json_get(comparison, "cells"))
    {
        count_result(&suite, result_of(comparison, cell));
    }
    if (is_cut(comparison))
        count_result(&suite, result_of_cut(comparison));
    junit_open(out, &suite);
    write_properties(out, comparison);
    cJSON_ArrayForEach(cell, json_get(comparison, "cells"))
    {
        write_case(out, comparison, cell);
    }
    if (is_cut(comparison)) {
        junit_open_case(out, "comparison", "complete", 0, result_of_cut(comparison), "inconclusive",
                        "inconclusive: it was interrupted");
        junit_close_case(out);
    }
    junit_close(out);
}
