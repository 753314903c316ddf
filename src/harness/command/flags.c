/* flags.c - finds a command's flag by its name, and reads the value by its row. */
#include "harness/command/flags.h"

#include "harness/base/units.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- Words and numbers. ---------------------------------------------------------------------- */

static int flag_time(const char *flag, const char *value, uint64_t min_ns, uint64_t *out_ns,
                     struct diag *diag)
{
    char least[32];
    int status = units_parse_time(value, flag, out_ns, diag);
    units_format_time(least, sizeof least, min_ns);
    if (status == DIAG_OK && *out_ns < min_ns)
        return diag_usage(diag, "%s: %s given; expected at least %s", flag, value, least);
    return status;
}

int flag_text(const char *flag, const char *value, const char *expected, const char **out,
              struct diag *diag)
{
    if (*value == '\0')
        return diag_usage(diag, "%s: empty; expected %s", flag, expected);
    *out = value;
    return DIAG_OK;
}

static int take_directory(const char **out, const char *flag, const char *value, struct diag *diag)
{
    struct stat info;
    if (stat(value, &info) == 0 && !S_ISDIR(info.st_mode))
        errno = ENOTDIR;
    else if (access(value, R_OK | X_OK) == 0) {
        *out = value;
        return DIAG_OK;
    }
    return diag_usage(diag, "%s: '%s' given: %s; expected a directory", flag, value,
                      strerror(errno));
}

/* ---- A row. ---------------------------------------------------------------------------------- */

static const struct flag *row_find(const struct flag_group *group, const char *name)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct flag *flag = &group->flags[i];
        if (strcmp(flag->name, name) == 0 || (flag->also && strcmp(flag->also, name) == 0))
            return flag;
    }
    return NULL;
}

static bool is_end(const struct flag_group *group)
{
    return !group->flags && !group->find;
}

bool flag_find(const struct command *command, void *options, const char *name,
               struct flag_found *found)
{
    for (const struct flag_group *group = command->groups; !is_end(group); group++) {
        const struct flag *row = row_find(group, name);
        found->of = options ? (char *)options + group->offset : NULL;
        found->group = group;
        if (row)
            found->flag = *row;
        if (row || (options && group->find && group->find(found->of, name, &found->flag)))
            return true;
    }
    return false;
}

/* A row that another group has before it cannot be given. */
static bool is_hidden(const struct command *command, const struct flag_group *group,
                      const char *name)
{
    for (const struct flag_group *before = command->groups; before != group; before++)
        if (row_find(before, name))
            return true;
    return false;
}

void flags_each(const struct command *command, const void *options, bool parameters,
                flag_row_fn *row, void *ctx)
{
    for (const struct flag_group *group = command->groups; !is_end(group); group++) {
        for (size_t i = 0; i < group->count; i++)
            if (group->flags[i].name[0] != '-' && !is_hidden(command, group, group->flags[i].name))
                row(ctx, group->title, &group->flags[i]);
        if (group->each && (parameters || !group->has_parameters))
            group->each(options ? (const char *)options + group->offset : NULL, row, ctx);
    }
}

int flag_take(const struct flag_found *found, struct call *call, const char *shown,
              const char *value, struct diag *diag)
{
    const struct flag *flag = &found->flag;
    void *field = (char *)found->of + flag->offset;
    unsigned word = 0;
    int status = DIAG_OK;
    switch (flag->kind) {
    case TAKE_SWITCH:
        *(bool *)field = true;
        break;
    case TAKE_COUNT:
        return units_parse_count_in(value, shown, flag->min, flag->max, field, diag);
    case TAKE_TIME:
        return flag_time(shown, value, flag->min, field, diag);
    case TAKE_WORD:
        status = lists_choose(shown, value, flag->words, &word, diag);
        memcpy(field, &word, sizeof word);
        break;
    case TAKE_FILE:
        return flag_text(shown, value, flag->value, field, diag);
    case TAKE_DIRECTORY:
        return take_directory(field, shown, value, diag);
    case TAKE_BY:
    case TAKE_EACH:
    case TAKE_NAMED:
        return flag->by(call, found->of, shown, value, diag);
    }
    return status;
}
