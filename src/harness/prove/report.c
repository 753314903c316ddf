/* report.c - keeps the first broken rule. */
#include "harness/prove/report.h"

#include <stdarg.h>
#include <stdio.h>

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
