/* help.c - prints what a command takes, from the rows of the table of flags. */
#include "harness/cli/help.h"

#include "harness/base/wrap.h"
#include "harness/cli/flags.h"
#include "harness/tell/report/style.h"
#include "runners/runner_registry.h"

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

typedef void row_fn(FILE *out, const char *owner, const char *name, const char *value,
                    const char *help);

static void show_row(FILE *out, const char *owner, const char *name, const char *value,
                     const char *help)
{
    (void)owner;
    help_flag(out, name, value, help);
}

static void each_param(FILE *out, const struct tw_design *design, row_fn *row)
{
    for (const struct tw_param *param = design->timed->params; param->name; param++)
        row(out, design->timed->name, param->name,
            param->values_max > 1 ? "A,B,../C,D,.." : "N,M|A..B", param->help);
}

static void each_flag(FILE *out, const struct command *command, row_fn *row)
{
    for (size_t i = 0; i < flag_count; i++)
        if ((flags[i].groups & command->flags) &&
            flag_find(flags[i].name, command->flags) == &flags[i])
            row(out, command->name, flags[i].name, flags[i].value, flags[i].help);
}

static void each_export(FILE *out, const struct command *command, row_fn *row)
{
    for (size_t i = 0; i < export_format_count; i++)
        if (export_offered(i, flags_export_kind(command->flags)))
            row(out, command->name, export_formats[i].flag, "FILE|-", export_formats[i].help);
}

static void table_flag(FILE *out, const char *owner, const char *name, const char *value,
                       const char *help)
{
    fprintf(out, "flag\t%s\t%s\t%s\t%s\n", owner, name, value ? value : "", help);
}

static void table_param(FILE *out, const char *owner, const char *name, const char *value,
                        const char *help)
{
    fprintf(out, "parameter\t%s\t%s\t%s\t%s\n", owner, name, value, help);
}

/* Words that a flag takes, from the registries: for the completions of shells. */
static void table_words(FILE *out)
{
    for (size_t i = 0; i < designs_count(); i++)
        if (designs_at(i))
            fprintf(out, "word\timpl\t%s\t%s\n", designs_at(i)->timed->name,
                    designs_at(i)->timed->summary);
    for (size_t i = 0; i < runner_registry_count; i++)
        fprintf(out, "word\trunner\t%s\t%s\n", runner_registry[i].timed->name,
                runner_registry[i].timed->summary);
}

void help_table(FILE *out, const struct command *commands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "command\t%s\t%s\t%s\n", commands[i].name, commands[i].usage,
                commands[i].summary);
    for (size_t i = 0; i < count; i++) {
        each_flag(out, &commands[i], table_flag);
        each_export(out, &commands[i], table_flag);
    }
    for (size_t i = 0; i < designs_count(); i++)
        if (designs_at(i))
            each_param(out, designs_at(i), table_param);
    for (size_t i = 0; i < count; i++)
        if (commands[i].flags & FLAGS_DESIGNS)
            fprintf(out, "parameters\t%s\n", commands[i].name);
    table_words(out);
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
    int used = fprintf(out, "usage: twbench %s%s", command->name, command->usage[0] ? " " : "");
    wrap_write(out, command->usage, used, used, style.columns);
    fprintf(out, "\n");
    wrap_write(out, command->summary, 0, 0, style.columns);
    fprintf(out, "\n");
    each_flag(out, command, show_row);
    if (flags_export_kind(command->flags) != EXPORT_NOTHING)
        fprintf(out, "\nThe same in other formats (a file, or - for stdout):\n");
    each_export(out, command, show_row);
    if (!(command->flags & FLAGS_DESIGNS))
        return;
    fprintf(out, "\nParameters of designs (several values make several cells):\n");
    for (size_t i = 0; i < designs_count(); i++) {
        const struct tw_design *design = designs_at(i);
        if (design && design->timed->params->name) {
            fprintf(out, "\n  %s\n", design->timed->name);
            each_param(out, design, show_row);
        }
    }
}
