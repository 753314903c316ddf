/* diag.c - formats the one diagnostic.
 *
 * The names are in parentheses because static analysis sees macros of the same names (diag.h).
 */
#include "harness/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int(diag_usage)(struct diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(diag->text, sizeof diag->text, format, args);
    va_end(args);
    return DIAG_USAGE;
}

int(diag_run)(struct diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(diag->text, sizeof diag->text, format, args);
    va_end(args);
    return DIAG_RUN;
}

void diag_name(struct diag *diag, const char *name)
{
    char text[sizeof diag->text];
    memcpy(text, diag->text, sizeof text);
    if (strncmp(text, name, strlen(name)) != 0)
        snprintf(diag->text, sizeof diag->text, "%.400s: %.600s", name, text);
}
