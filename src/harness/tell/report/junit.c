/* junit.c - writes a result as JUnit XML. */
#include "harness/tell/report/junit.h"

#include "harness/tell/report/figure.h"
#include "harness/tell/report/view.h"
#include "harness/tell/report/xml.h"
#include "harness/tell/result/json.h"

#include <math.h>
#include <string.h>

/* ---- Parts. ---------------------------------------------------------------------------------- */

static void write_counts(FILE *out, const char *element, const struct junit_suite *suite)
{
    fprintf(out, "<%s", element);
    xml_attribute(out, "name", suite->name);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.9f\">\n",
            suite->tests, suite->failures, suite->skipped, suite->time_s);
}

void junit_open(FILE *out, const struct junit_suite *suite)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    write_counts(out, "testsuites", suite);
    write_counts(out, "testsuite", suite);
}

void junit_close(FILE *out)
{
    fputs("</testsuite>\n</testsuites>\n", out);
}

void junit_open_properties(FILE *out)
{
    fputs("<properties>\n", out);
}

void junit_property(FILE *out, const char *name, const char *value)
{
    fputs("<property", out);
    xml_attribute(out, "name", name);
    xml_attribute(out, "value", value);
    fputs("/>\n", out);
}

void junit_close_properties(FILE *out)
{
    fputs("</properties>\n", out);
}

void junit_open_case(FILE *out, const char *class_name, const char *name, double time_s,
                     enum junit_result result, const char *type, const char *message)
{
    fputs("<testcase", out);
    xml_attribute(out, "classname", class_name);
    xml_attribute(out, "name", name);
    fprintf(out, " time=\"%.9f\">\n", isfinite(time_s) ? time_s : 0);
    if (result != JUNIT_PASSED) {
        fputs(result == JUNIT_FAILED ? "<failure" : "<skipped", out);
        if (result == JUNIT_FAILED)
            xml_attribute(out, "type", type);
        xml_attribute(out, "message", message);
        fputs("/>\n", out);
    }
    fputs("<system-out>", out);
}

void junit_close_case(FILE *out)
{
    fputs("</system-out>\n</testcase>\n", out);
}

/* ---- A result. ------------------------------------------------------------------------------- */

static enum junit_result result_of(const cJSON *cell)
{
    static const struct {
        const char *status;
        enum junit_result result;
    } results[] = {{"ok", JUNIT_PASSED}, {"mismatch", JUNIT_FAILED}, {"crashed", JUNIT_FAILED}};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(json_get_text(cell, "status"), results[i].status) == 0)
            return results[i].result;
    return JUNIT_SKIPPED;
}

/* Of one pass over the stream: the phases together. */
static double pass_time_s(const cJSON *cell)
{
    double time_ns = 0;
    const cJSON *phase;
    cJSON_ArrayForEach(phase, json_get(cell, "phases"))
    {
        double operations = json_get_number(phase, "operations.start") +
                            json_get_number(phase, "operations.stop") +
                            json_get_number(phase, "operations.expire");
        double per_op_ns = json_get_number(phase, "ns_per_op.median");
        double per_advance_ns = json_get_number(phase, "ns_per_advance.median");
        if (isfinite(per_op_ns))
            time_ns += per_op_ns * operations;
        else if (isfinite(per_advance_ns))
            time_ns += per_advance_ns * json_get_number(phase, "operations.advance");
    }
    return time_ns / 1e9;
}

static void write_figures(FILE *out, const cJSON *cell)
{
    char line[256], cost[FIGURE_SIZE], bytes[FIGURE_SIZE];
    const cJSON *phase;
    cJSON_ArrayForEach(phase, json_get(cell, "phases"))
    {
        bool timed = json_get(phase, "ns_per_op") || json_get(phase, "ns_per_advance");
        figure_number(cost, json_get_number(phase, "ns_per_op.median"));
        snprintf(line, sizeof line, "%.64s: %s%s\n", json_get_text(phase, "name"),
                 timed ? cost : "not timed", timed ? " ns/op" : "");
        xml_text(out, line);
    }
    figure_number(bytes, json_get_number(cell, "memory.peak_bytes_per_task"));
    snprintf(line, sizeof line, "memory: %s bytes per task\n", bytes);
    xml_text(out, json_get(cell, "memory") ? line : "");
}

static void write_case(FILE *out, const cJSON *document, const cJSON *cell)
{
    char name[VIEW_NAME_SIZE], message[VIEW_NAME_SIZE];
    const char *status = json_get_text(cell, "status"), *reason = json_get_text(cell, "reason");
    view_cell_name(name, sizeof name, document, cell);
    snprintf(message, sizeof message, "%s%s%s", status, reason[0] ? ": " : "", reason);
    junit_open_case(out, json_get_text(cell, "workload"), name, pass_time_s(cell), result_of(cell),
                    status, message);
    write_figures(out, cell);
    junit_close_case(out);
}

static void write_properties(FILE *out, const cJSON *document)
{
    static const char *const keys[] = {"tool.version",   "tool.commit",     "tool.compiler",
                                       "tool.flags",     "tool.date_utc",   "machine.cpu_model",
                                       "machine.kernel", "machine.governor"};
    junit_open_properties(out);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_get(document, keys[i]))
            junit_property(out, keys[i], json_get_text(document, keys[i]));
    junit_property(out, "complete",
                   cJSON_IsTrue(json_get(document, "complete")) ? "true" : "false");
    junit_close_properties(out);
}

void junit_write(FILE *out, const struct result_document *document)
{
    const cJSON *root = result_json(document), *cell;
    struct junit_suite suite = {.name = "twbench"};
    cJSON_ArrayForEach(cell, json_get(root, "cells"))
    {
        suite.tests++;
        suite.failures += result_of(cell) == JUNIT_FAILED;
        suite.skipped += result_of(cell) == JUNIT_SKIPPED;
        suite.time_s += pass_time_s(cell);
    }
    junit_open(out, &suite);
    write_properties(out, root);
    cJSON_ArrayForEach(cell, json_get(root, "cells"))
    {
        write_case(out, root, cell);
    }
    junit_close(out);
}
