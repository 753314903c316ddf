/* report.c - keeps the first broken rule. */
#include "harness/prove/report.h"

void report_broken(struct conform_report *report, const char *rule, const char *format, ...)
{
    if (report->rule)
        return;
    report->rule = rule;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->detail, sizeof report->detail, format, arguments);
    va_end(arguments);
}

/* ---- What a proof reached. ----------------------------------------------------------------- */

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

static void remarks_append(struct conform_coverage *coverage, const char *line, size_t length)
{
    size_t used = strlen(coverage->remarks);
    if (used + length >= sizeof coverage->remarks)
        return;
    memcpy(coverage->remarks + used, line, length);
    coverage->remarks[used + length] = '\0';
}

/* Is the line, which ends with '\n', one of the remarks? */
static bool remarks_have(const struct conform_coverage *coverage, const char *line, size_t length)
{
    for (const char *at = coverage->remarks; *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, line, length) == 0)
            return true;
    return false;
}

bool rule_is_machine(const char *rule)
{
    return rule && (strcmp(rule, RULE_MEMORY) == 0 || strcmp(rule, RULE_TIME) == 0);
}

void coverage_add(struct conform_coverage *to, const struct conform_coverage *from)
{
    to->fired_capacity = LARGER(to->fired_capacity, from->fired_capacity);
    to->most_running = LARGER(to->most_running, from->most_running);
    to->settings_tried = LARGER(to->settings_tried, from->settings_tried);
    to->starts_accepted += from->starts_accepted;
    to->starts_refused += from->starts_refused;
    to->longest_starts = LARGER(to->longest_starts, from->longest_starts);
    to->longest_advances = LARGER(to->longest_advances, from->longest_advances);
    for (const char *at = from->remarks; *at; at = strchr(at, '\n') + 1) {
        size_t length = strcspn(at, "\n") + 1;
        if (!remarks_have(to, at, length))
            remarks_append(to, at, length);
    }
}

void coverage_remark(struct conform_coverage *coverage, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    size_t length = strlen(line);
    line[length++] = '\n';
    if (!remarks_have(coverage, line, length))
        remarks_append(coverage, line, length);
}

void coverage_print(const struct conform_coverage *coverage, char *out, size_t size)
{
    snprintf(out, size,
             "  timers fired in instances of up to %" PRIu32 ", of which %" PRIu32
             " ran at a time; one instance had up to %" PRIu64 " starts and %" PRIu64 " advances\n"
             "  %" PRIu64 " starts accepted, %" PRIu64 " refused; %" PRIu32 " setting%s tried\n",
             coverage->fired_capacity, coverage->most_running, coverage->longest_starts,
             coverage->longest_advances, coverage->starts_accepted, coverage->starts_refused,
             coverage->settings_tried, coverage->settings_tried == 1 ? "" : "s");
    for (const char *at = coverage->remarks; *at; at = strchr(at, '\n') + 1) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "  not covered: %.*s\n", (int)strcspn(at, "\n"), at);
    }
}
