/* diag.c - formats the one diagnostic.
 *
 * The names are in parentheses because static analysis sees macros of the same names (diag.h).
 */
#include "harness/base/diag.h"

#include "harness/base/text.h"

/* Files and arguments are quoted in it: nothing in them may command the terminal that shows it. */
static void say(struct diag *diag, const char *format, va_list args)
{
    vsnprintf(diag->text, sizeof diag->text, format, args);
    utf8_make_lines(diag->text, sizeof diag->text);
}

int(diag_usage)(struct diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(diag, format, args);
    va_end(args);
    return DIAG_USAGE;
}

int(diag_run)(struct diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(diag, format, args);
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
