/* help.c - prints what a command takes, from the rows of its flags. */
#include "harness/command/flags.h"

#include "harness/base/text.h"
#include "harness/command/labs.h"
#include "harness/measure/designs/designs.h"
#include "harness/tell/report/writer.h"

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

/* ---- One command. ----------------------------------------------------------------------------- */

struct printing {
    FILE *out;
    char heading[120]; /* the last one */
    const char *command;
    const char *common; /* NULL: all flags are shown */
    size_t shown, left_out;
};

static bool is_common(const struct printing *printing, const struct flag *flag)
{
    char word[80];
    snprintf(word, sizeof word, " %s ", flag->name);
    return !printing->common || strstr(printing->common, word);
}

static void show_flag(void *ctx, const char *heading, const struct flag *flag)
{
    char left[64];
    struct printing *printing = ctx;
    if (!is_common(printing, flag)) {
        printing->left_out++;
        return;
    }
    if (heading && strcmp(printing->heading, heading) != 0)
        fprintf(printing->out, "%s%s\n", printing->shown ? "\n" : "", heading);
    if (heading)
        snprintf(printing->heading, sizeof printing->heading, "%s", heading);
    snprintf(left, sizeof left, "--%s%s%s", flag->name, flag->value ? "=" : "",
             flag->value ? flag->value : "");
    help_row(printing->out, left, flag->help);
    printing->shown++;
}

/* The flags that make the command that lab's; how many rows they are. */
static size_t show_flags_of_lab(FILE *out, const char *command, size_t first)
{
    struct report_style style = help_style(out);
    char buffer[400];
    struct text names = text_in(buffer, sizeof buffer);
    size_t at = first;
    for (; at < lab_row_count && strcmp(lab_rows[at].lab, lab_rows[first].lab) == 0; at++)
        if (lab_rows[at].kind == LAB_FLAG && strcmp(lab_rows[at].of, command) == 0)
            text_add_item(&names, " ", "--%s", lab_rows[at].name);
    if (names.used > 0) {
        fprintf(out, "\nFlags that need the lab %s:\n  ", lab_rows[first].lab);
        wrap_write(out, buffer, 2, 2, style.columns);
    }
    return at - first;
}

static void show_added_flags(FILE *out, const char *command)
{
    for (size_t i = 0; i < lab_row_count;)
        i += show_flags_of_lab(out, command, i);
}

void help_command(FILE *out, const struct command *command, bool all)
{
    struct report_style style = help_style(out);
    struct printing printing = {
        .out = out, .command = command->name, .common = all ? NULL : command->common};
    int used = fprintf(out, "usage: twbench %s%s", command->name, command->usage[0] ? " " : "");
    wrap_write(out, command->usage, used, used, style.columns);
    fprintf(out, "\n");
    wrap_write(out, command->summary, 0, 0, style.columns);
    fprintf(out, "\n");
    flags_each(command, NULL, true, show_flag, &printing);
    if (command->help)
        command->help(out);
    if (printing.left_out)
        fprintf(out, "\n'twbench %s --help=all' lists %zu more flags.\n", command->name,
                printing.left_out);
    if (!program.lab && !printing.common)
        show_added_flags(out, command->name);
}

/* ---- All commands. ---------------------------------------------------------------------------- */

/* What readers come for, in the order of the list. */
static const char *const topics[] = {
    "Compare timer designs", "My server", "My program", "My CI", "My class", "Traces",
    "Threads and stores",    NULL};

static void show_command(FILE *out, const char *name, const char *summary)
{
    struct report_style style = help_style(out);
    int used = fprintf(out, "  %-11s ", name);
    wrap_write(out, summary, used, used, style.columns);
}

static bool is_built(const char *lab)
{
    char path[4200];
    return lab_program(lab, path, sizeof path);
}

static bool is_of(const char *topic, const char *of)
{
    return of && strcmp(topic, of) == 0;
}

static void show_topic(FILE *out, const char *topic)
{
    bool any = false;
    for (const struct command *const *command = program.commands; *command; command++) {
        if (!is_of(topic, (*command)->topic))
            continue;
        fprintf(out, "%s%s", any ? "" : topic, any ? "" : ":\n");
        any = true;
        show_command(out, (*command)->name, (*command)->summary);
    }
    for (size_t i = 0; i < lab_row_count && !program.lab; i++) {
        const struct lab_row *row = &lab_rows[i];
        if (!is_of(topic, row->topic) || !is_built(row->lab))
            continue;
        fprintf(out, "%s%s", any ? "" : topic, any ? "" : ":\n");
        any = true;
        show_command(out, row->name, row->text);
    }
    if (any)
        fprintf(out, "\n");
}

/* Labs whose commands are missing, and how to get them. */
static void show_missing(FILE *out)
{
    const char *last = "";
    for (size_t i = 0; i < lab_row_count && !program.lab; i++) {
        const struct lab_row *row = &lab_rows[i];
        if (row->kind != LAB_COMMAND || !*row->topic || is_built(row->lab))
            continue;
        bool is_new = strcmp(row->lab, last) != 0;
        if (is_new && *last)
            fprintf(out, "  ('make %s')\n", last);
        fprintf(out, "%s%s", is_new && !*last ? "Not built:\n  " : is_new ? "  " : ", ", row->name);
        last = row->lab;
    }
    if (*last)
        fprintf(out, "  ('make %s')\n\n", last);
}

void help_commands(FILE *out)
{
    fprintf(out, "usage: twbench [COMMAND] [FLAGS]\n\n"
                 "Compares timer data structures on identical start/stop/expire workloads.\n\n");
    for (size_t i = 0; topics[i]; i++)
        show_topic(out, topics[i]);
    show_missing(out);
    fprintf(out, "Flags without a command belong to run.  'twbench help COMMAND' lists the\n"
                 "flags of a command, 'twbench version' prints this build.\n"
                 "Example: twbench --impl=hashed,heap --tasks=1e3..1e6\n");
}

/* ---- The table. ------------------------------------------------------------------------------- */

static void table_flag(void *ctx, const char *heading, const struct flag *flag)
{
    const struct printing *printing = ctx;
    (void)heading;
    fprintf(printing->out, "flag\t%s\t%s\t%s\t%s\n", printing->command, flag->name,
            flag->value ? flag->value : "", flag->help);
}

/* What a lab adds to a command of the core: its first group. */
static void table_added_flags(struct printing *printing, const struct flag_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        table_flag(printing, NULL, &group->flags[i]);
}

static bool has_parameters(const struct command *command)
{
    for (const struct flag_group *group = command->groups; group->flags || group->find; group++)
        if (group->has_parameters)
            return true;
    return false;
}

/* Of the designs: their names, for the completions of shells, and their parameters. */
static void table_designs(FILE *out, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct tw_design *design = designs_at(i);
        const struct tw_param *param = design ? design->timed->params : NULL;
        for (; param && param->name; param++)
            fprintf(out, "parameter\t%s\t%s\t%s\t%s\n", design->timed->name, param->name,
                    param->values_max > 1 ? "A,B,../C,D,.." : "N,M|A..B", param->help);
        if (design)
            fprintf(out, "word\timpl\t%s\t%s\n", design->timed->name, design->timed->summary);
    }
}

/* In a lab's program: its own commands, not those of the core that it has too. */
static bool is_listed(const struct command *command)
{
    if (!command->topic || !program.lab)
        return command->topic;
    for (size_t i = 0; i < lab_row_count; i++)
        if (lab_rows[i].kind == LAB_COMMAND && strcmp(lab_rows[i].name, command->name) == 0 &&
            strcmp(lab_rows[i].lab, program.lab) == 0)
            return true;
    return false;
}

void help_table(FILE *out)
{
    static const char *const words[] = {"twbench", "list", "--flags", NULL};
    for (const struct command *const *at = program.commands; *at; at++) {
        struct printing printing = {.out = out, .command = (*at)->name};
        if (!(*at)->topic && program.lab)
            table_added_flags(&printing, (*at)->groups);
        if (!is_listed(*at))
            continue;
        fprintf(out, "command\t%s\t%s\t%s\n", (*at)->name, (*at)->usage, (*at)->summary);
        flags_each(*at, NULL, false, table_flag, &printing);
        if (has_parameters(*at))
            fprintf(out, "parameters\t%s\n", (*at)->name);
    }
    if (program.lab && program.list)
        program.list(out);
    if (program.lab)
        return;
    table_designs(out, 0, registry_count);
    const char *last = "";
    for (size_t i = 0; i < lab_row_count; i++) {
        if (strcmp(lab_rows[i].lab, last) != 0) {
            fprintf(out, "lab\t%s\n", lab_rows[i].lab);
            (void)lab_run(lab_rows[i].lab, words, NULL);
        }
        last = lab_rows[i].lab;
    }
    table_designs(out, registry_count, designs_count());
}
