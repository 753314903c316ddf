/* junit.c - writes results and comparisons as JUnit XML. */
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/tell/report/compare_view.h"
#include "harness/tell/report/figure.h"
#include "harness/tell/report/services.h"
#include "harness/tell/report/view.h"

/* ---- Parts. ---------------------------------------------------------------------------------- */

struct suite {
    const char *name;
    size_t tests, failures, skipped;
    double time_s;
};

enum grade { PASSED, FAILED, SKIPPED };

static void count_case(struct suite *suite, enum grade grade)
{
    suite->tests++;
    suite->failures += grade == FAILED;
    suite->skipped += grade == SKIPPED;
}

static void write_counts(FILE *out, const char *element, const struct suite *suite)
{
    fprintf(out, "<%s", element);
    xml_attribute(out, "name", suite->name);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.9f\">\n",
            suite->tests, suite->failures, suite->skipped, suite->time_s);
}

/* The head of a document with one suite. */
static void open_suite(FILE *out, const struct suite *suite)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    write_counts(out, "testsuites", suite);
    write_counts(out, "testsuite", suite);
}

static void close_suite(FILE *out)
{
    fputs("</testsuite>\n</testsuites>\n", out);
}

static void write_property(FILE *out, const char *name, const char *value)
{
    fputs("<property", out);
    xml_attribute(out, "name", name);
    xml_attribute(out, "value", value);
    fputs("/>\n", out);
}

/* A case with what it says in `text`; `type` and `reason` say why it failed or was skipped. */
static void write_case(FILE *out, const char *class_name, const char *name, double time_s,
                       enum grade grade, const char *type, const char *reason, const char *text)
{
    char message[VIEW_NAME_SIZE];
    snprintf(message, sizeof message, "%s%s%s", type, reason[0] ? ": " : "", reason);
    fputs("<testcase", out);
    xml_attribute(out, "classname", class_name);
    xml_attribute(out, "name", name);
    fprintf(out, " time=\"%.9f\">\n", isfinite(time_s) ? time_s : 0);
    if (grade != PASSED) {
        fputs(grade == FAILED ? "<failure" : "<skipped", out);
        if (grade == FAILED)
            xml_attribute(out, "type", type);
        xml_attribute(out, "message", message);
        fputs("/>\n", out);
    }
    fputs("<system-out>", out);
    xml_text(out, text);
    fputs("</system-out>\n</testcase>\n", out);
}

/* ---- A result. ------------------------------------------------------------------------------- */

static enum grade grade_of(const cJSON *cell)
{
    static const struct {
        const char *status;
        enum grade grade;
    } words[] = {{"ok", PASSED}, {"mismatch", FAILED}, {"crashed", FAILED}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (json_says(cell, "status", words[i].status))
            return words[i].grade;
    return SKIPPED;
}

/* Of one pass over the stream: the phases together. */
static double pass_time_s(const cJSON *cell)
{
    double time_ns = 0;
    json_each(phase, cell, "phases") {
        double per_op_ns = json_get_number(phase, "ns_per_op.median");
        double per_advance_ns = json_get_number(phase, "ns_per_advance.median");
        if (isfinite(per_op_ns))
            time_ns += per_op_ns * view_operations(phase);
        else if (isfinite(per_advance_ns))
            time_ns += per_advance_ns * json_get_number(phase, "operations.advance");
    }
    return time_ns / 1e9;
}

/* "steady: 12.3 ns/op", a line each. */
static void describe_cell(struct text *text, const cJSON *cell)
{
    char figure[FIGURE_SIZE];
    json_each(phase, cell, "phases") {
        bool timed = json_get(phase, "ns_per_op") || json_get(phase, "ns_per_advance");
        figure_number(figure, json_get_number(phase, "ns_per_op.median"));
        text_add(text, "%.64s: %s%s\n", json_get_text(phase, "name"), timed ? figure : "not timed",
                 timed ? " ns/op" : "");
    }
    figure_number(figure, json_get_number(cell, "memory.peak_bytes_per_task"));
    if (json_get(cell, "memory"))
        text_add(text, "memory: %s bytes per task\n", figure);
}

static void write_cell(FILE *out, const cJSON *document, const cJSON *cell)
{
    char name[VIEW_NAME_SIZE], said[COMPARE_LINE_SIZE];
    struct text text = text_in(said, sizeof said);
    describe_cell(&text, cell);
    view_cell_name(name, sizeof name, document, cell);
    write_case(out, json_get_text(cell, "workload"), name, pass_time_s(cell), grade_of(cell),
               json_get_text(cell, "status"), json_get_text(cell, "reason"), said);
}

static void write_properties(FILE *out, const cJSON *document)
{
    static const char *const keys[] = {"tool.version",   "tool.commit",     "tool.compiler",
                                       "tool.flags",     "tool.date_utc",   "machine.cpu_model",
                                       "machine.kernel", "machine.governor"};
    fputs("<properties>\n", out);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_get(document, keys[i]))
            write_property(out, keys[i], json_get_text(document, keys[i]));
    write_property(out, "complete",
                   cJSON_IsTrue(json_get(document, "complete")) ? "true" : "false");
    fputs("</properties>\n", out);
}

void junit_write(FILE *out, const struct result_document *document)
{
    const cJSON *root = result_json(document);
    struct suite suite = {.name = "twbench"};
    json_each(cell, root, "cells") {
        count_case(&suite, grade_of(cell));
        suite.time_s += pass_time_s(cell);
    }
    open_suite(out, &suite);
    write_properties(out, root);
    json_each(cell, root, "cells")
        write_cell(out, root, cell);
    close_suite(out);
}

/* ---- A comparison. --------------------------------------------------------------------------- */

/* With --fail-on=work, a time alone does not make the command fail. */
static bool regressed_by_work(const cJSON *cell)
{
    return cJSON_IsTrue(json_get(cell, "failed")) || json_says(cell, "gates.work", "regressed") ||
           json_says(cell, "gates.instructions", "regressed") ||
           json_says(cell, "gates.memory", "regressed");
}

static enum grade grade_compared(const cJSON *comparison, const cJSON *cell)
{
    if (json_says(cell, "verdict", "regressed")) {
        bool fails = !json_says(comparison, "fail_on", "work") || regressed_by_work(cell);
        return fails ? FAILED : SKIPPED;
    }
    if (json_says(cell, "verdict", "inconclusive"))
        return json_says(comparison, "fail_on", "inconclusive") ? FAILED : SKIPPED;
    return PASSED;
}

static void write_compared(FILE *out, const cJSON *comparison, const cJSON *cell)
{
    char name[COMPARE_LINE_SIZE], said[COMPARE_LINE_SIZE];
    struct compare_row row;
    compare_row_read(&row, cell);
    bool advisory = json_get(cell, "ratio.median") && !cJSON_IsTrue(json_get(cell, "time_decides"));
    snprintf(said, sizeof said,
             "time %s %s%s\nmargin %s\ncontrol %s\nwork %s\ninstructions %s\nmemory %s\n"
             "decided by %s\n",
             row.time, row.interval, advisory ? " advisory" : "", row.margin, row.control, row.work,
             row.instructions, row.memory, row.deciders);
    view_label(name, sizeof name, cell, "params");
    write_case(out, json_get_text(cell, "workload"), name,
               json_get_number(cell, "ns_per_op.new") / 1e9, grade_compared(comparison, cell),
               json_get_text(cell, "verdict"), json_get_text(cell, "reason"), said);
}

static enum grade grade_of_contract(const cJSON *comparison)
{
    return json_says(comparison, "contract.status", "held")     ? PASSED
           : json_says(comparison, "contract.status", "broken") ? FAILED
                                                                : SKIPPED;
}

/* "BROKEN: no timer fires later than declared" */
static void write_contract(FILE *out, const cJSON *comparison)
{
    char reason[COMPARE_LINE_SIZE];
    const char *text = json_get_text(comparison, "contract.text");
    bool tested = !json_says(comparison, "contract.status", "not-tested");
    snprintf(reason, sizeof reason, "%.*s", (int)strcspn(text, "\n"), text);
    write_case(out, "contract", "conform", 0, grade_of_contract(comparison),
               json_get_text(comparison, "contract.status"),
               tested ? reason : "the project file turns conform off", text);
}

static void write_sides(FILE *out, const cJSON *comparison)
{
    static const char *const keys[] = {"mode", "verdict", "fail_on"};
    char line[COMPARE_LINE_SIZE];
    fputs("<properties>\n", out);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        write_property(out, keys[i], json_get_text(comparison, keys[i]));
    compare_side(line, sizeof line, json_get(comparison, "old"));
    write_property(out, "old", line);
    compare_side(line, sizeof line, json_get(comparison, "new"));
    write_property(out, "new", line);
    compare_summary(line, sizeof line, comparison);
    write_property(out, "summary", line);
    compare_decision(line, sizeof line, comparison);
    write_property(out, "decision", line);
    write_property(out, "notes", json_get_text(comparison, "notes"));
    fputs("</properties>\n", out);
}

/* Beside the cells two cases of their own: what `twbench ci` found of the contract; and that a comparison was interrupted,
 * which makes it inconclusive though none of its cells may be. */
void compare_junit_write(FILE *out, const cJSON *comparison)
{
    struct suite suite = {.name = "twbench compare"};
    bool has_contract = json_get(comparison, "contract"),
         is_cut = cJSON_IsFalse(json_get(comparison, "complete"));
    enum grade cut = json_says(comparison, "fail_on", "inconclusive") ? FAILED : SKIPPED;
    json_each(cell, comparison, "cells")
        count_case(&suite, grade_compared(comparison, cell));
    if (is_cut)
        count_case(&suite, cut);
    if (has_contract)
        count_case(&suite, grade_of_contract(comparison));
    open_suite(out, &suite);
    write_sides(out, comparison);
    if (has_contract)
        write_contract(out, comparison);
    json_each(cell, comparison, "cells")
        write_compared(out, comparison, cell);
    if (is_cut)
        write_case(out, "comparison", "complete", 0, cut, "inconclusive", "it was interrupted", "");
    close_suite(out);
}
