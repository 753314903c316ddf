/* findings.c - judges a design with both of its tables, and says what was found. */
#include "harness/prove/findings.h"

#include "harness/measure/designs/designs.h"

/* The table of a plugin that counts gets this part of the random operations. */
#define COUNTED_SHARE 4u

static int judge(const struct tw_backend *backend, const struct conform_options *conform,
                 const char *text, struct conform_report *report)
{
    return text ? isolate_conform_text(backend, conform, text, report)
                : isolate_conform(backend, conform, report);
}

/* A plugin brings both of its tables.  That of a design of the program which counts is judged by the tests. */
static int judge_counted(const struct tw_design *design, const struct conform_options *conform,
                         const char *text, struct conform_report *report)
{
    struct conform_options fewer = *conform;
    struct conform_report counted;
    if (!plugins_path(design))
        return 0;
    fewer.twin = design->timed;
    fewer.operations /= COUNTED_SHARE;
    fewer.vary = fewer.with_huge = false;
    fewer.many_max = fewer.life_starts = 0;
    int broken = judge(design->counted, &fewer, text, &counted);
    if (broken != 0) {
        *report = counted;
        size_t used = strlen(report->detail);
        snprintf(report->detail + used, sizeof report->detail - used, "; in the table that counts");
    } else if (!text) {
        report->counted_operations_run = counted.operations_run;
    }
    return broken;
}

int findings_of(const struct tw_design *design, const struct conform_options *conform,
                const char *text, struct conform_report *report)
{
    struct conform_options timed = *conform;
    timed.counted = design->counted;
    int broken = judge(design->timed, &timed, text, report);
    return broken == 0 ? judge_counted(design, conform, text, report) : broken;
}

void findings_print_broken(FILE *out, const struct tw_backend *design,
                           const struct conform_report *report)
{
    bool is_machine = rule_is_machine(report->rule);
    fprintf(out, "%s: %s: %s\n  %s\n", design->name, is_machine ? "inconclusive" : "BROKEN",
            report->rule, report->detail);
    if (is_machine)
        return;
    if (report->operations[0] != '\0' && report->operation_count > CONFORM_SHORT)
        fprintf(out,
                "operations that show it, not shrunk to less than %zu of them (seed %" PRIu64
                "):\n%s\n",
                report->operation_count, report->seed, report->operations);
    else if (report->operations[0] != '\0')
        fprintf(out, "shortest operations that show it (seed %" PRIu64 "):\n%s\n", report->seed,
                report->operations);
}

void findings_print_held(FILE *out, const struct tw_backend *design,
                         const struct conform_report *report, double seconds, bool is_one_list)
{
    char coverage[2048] = "";
    if (!is_one_list)
        coverage_print(&report->coverage, coverage, sizeof coverage);
    fprintf(out, "%s: the contract holds (%" PRIu64 " operations, %.1f s)\n%s", design->name,
            report->operations_run, seconds, coverage);
    if (report->counted_operations_run > 0)
        fprintf(out, "  the table that counts holds it in %" PRIu64 " operations\n",
                report->counted_operations_run);
}
