/* help.c - prints what a command takes, from the rows of the table of flags. */
#include "harness/cli/help.h"

#include "harness/base/wrap.h"
#include "harness/cli/flags.h"
#include "harness/tell/report/style.h"

#define HELP_COLUMNS 80u
#define HELP_COLUMN  27 /* where the text of a row begins */

static struct report_style help_style(FILE *out)
{
    struct report_style style = style_for(out, STYLE_COLOR_NEVER);
    if (style.columns > HELP_COLUMNS)
        style.columns = HELP_COLUMNS;
    return style;
}

/* What is too long for its column has a line of its own. */
void help_row(FILE *out, const char *left, const char *text)
{
    struct report_style style = help_style(out);
    int used = fprintf(out, "  %s", left);
    if (used >= HELP_COLUMN)
        used = fprintf(out, "\n") - 1;
    fprintf(out, "%*s", HELP_COLUMN - used, "");
    wrap_write(out, text, HELP_COLUMN, HELP_COLUMN, style.columns);
}

static void help_flag(FILE *out, const char *name, const char *value, const char *help)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", name, value ? "=" : "", value ? value : "");
    help_row(out, left, help);
}

static void help_params(FILE *out, const struct tw_design *design)
{
    const struct tw_param *param = design->timed->params;
    if (param->name)
        fprintf(out, "\n  %s\n", design->timed->name);
    for (; param->name; param++)
        help_flag(out, param->name, param->values_max > 1 ? "A,B,../C,D,.." : "N,M|A..B",
                  param->help);
}

static void help_exports(FILE *out, enum export_kind kind)
{
    if (kind != EXPORT_NOTHING)
        fprintf(out, "\nThe same in other formats (a file, or - for stdout):\n");
    for (size_t i = 0; i < export_format_count; i++)
        if (export_offered(i, kind))
            help_flag(out, export_formats[i].flag, "FILE|-", export_formats[i].help);
}

void help_commands(FILE *out, const struct command *commands, size_t count)
{
    struct report_style style = help_style(out);
    fprintf(out, "usage: twbench [COMMAND] [FLAGS]\n\n"
                 "Compares timer data structures on identical start/stop/expire workloads.\n\n");
    for (size_t i = 0; i < count; i++) {
        int used = fprintf(out, "  %-10s ", commands[i].name);
        wrap_write(out, commands[i].summary, used, used, style.columns);
    }
    fprintf(out,
            "\nFlags alone are those of run.  'twbench help COMMAND' lists a command's flags,\n"
            "'twbench version' names this build.\n"
            "Example: twbench --impl=hashed,heap --tasks=1e3..1e6\n");
}

void help_command(FILE *out, const struct command *command)
{
    struct report_style style = help_style(out);
    int used = fprintf(out, "usage: twbench %s ", command->name);
    wrap_write(out, command->usage, used, used, style.columns);
    fprintf(out, "\n");
    wrap_write(out, command->summary, 0, 0, style.columns);
    fprintf(out, "\n");
    for (size_t i = 0; i < flag_count; i++)
        if ((flags[i].groups & command->flags) &&
            flag_find(flags[i].name, command->flags) == &flags[i])
            help_flag(out, flags[i].name, flags[i].value, flags[i].help);
    help_exports(out, flags_export_kind(command->flags));
    if (!(command->flags & FLAGS_DESIGNS))
        return;
    fprintf(out, "\nParameters of designs (several values make several cells):\n");
    for (size_t i = 0; i < designs_count(); i++)
        if (designs_at(i))
            help_params(out, designs_at(i));
}
