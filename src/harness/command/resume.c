/* resume.c - takes the flags of a run that --resume goes on with from its file, or refuses others. */
#include "harness/command/command.h"

#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/command/flags.h"

#include <sys/stat.h>

/* One word of a command line, or two. */
struct word {
    char *name;        /* of a flag; "" of an operand */
    const char *value; /* NULL: a switch */
};

struct line {
    struct word *words;
    size_t count;
};

/* What is made of the document, and what else any call may say anew. */
static const char *const output_flags[] = {
    "json",  "resume",      "force",  "html",     "-o",        "plots", "plan",
    "style", "plot-format", "assert", "progress", "reference", NULL};
static const char *const loose_flags[] = {
    "no-system-check", "jobs", "budget", "patience", "memory-limit",
    "workloads-dir",   "load", "shard",  NULL};
/* What all cells of a document have in common. */
static const char *const fixed_flags[] = {
    "seed",   "tick", "max-pending", "set",      "preset",      "runs",   "time",
    "warmup", "pin",  "min-time",    "counters", "counts-only", "commit", NULL};
/* Without these the cells are others than with any value. */
static const char *const chosen_flags[] = {"", "impl", "workload", "tasks", NULL};

static bool is_among(const char *const *list, const char *name)
{
    for (; *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

static bool is_output(const char *name)
{
    return is_among(output_flags, name) || strncmp(name, "export-", 7) == 0;
}

static bool is_free(const char *name)
{
    return is_output(name) || is_among(loose_flags, name);
}

/* ---- Command lines. ---------------------------------------------------------------------------- */

static bool takes_value(const struct command *command, const char *name, const char *next)
{
    struct flag_found found;
    if (flag_find(command, NULL, name, &found))
        return found.flag.kind != TAKE_SWITCH;
    return next && strncmp(next, "--", 2) != 0; /* a parameter, or a flag of a lab */
}

static struct line read_line(const struct command *command, char *const *argv, int argc, int first,
                             void **memory)
{
    struct line line = {lists_keep_bytes(memory, (size_t)argc + 1, sizeof *line.words), 0};
    for (int i = first; i < argc; i++) {
        char *text = lists_keep(memory, argv[i]), *equals = strchr(text, '=');
        struct word *word = &line.words[line.count++];
        bool is_flag = text[0] == '-' && text[1];
        jsontext_repair(text);
        if (!is_flag) {
            *word = (struct word){text + strlen(text), text};
            continue;
        }
        word->name = text + 2 * (text[1] == '-');
        if (equals)
            *equals = '\0';
        word->value = equals ? equals + 1 : NULL;
        if (!equals && takes_value(command, word->name, i + 1 < argc ? argv[i + 1] : NULL) &&
            i + 1 < argc)
            jsontext_repair((char *)(uintptr_t)(word->value = lists_keep(memory, argv[++i])));
    }
    return line;
}

static const char *value_of(const struct line *line, const char *name)
{
    for (size_t i = 0; i < line->count; i++)
        if (strcmp(line->words[i].name, name) == 0)
            return line->words[i].value ? line->words[i].value : "";
    return NULL;
}

/* Is the item, which ends at a comma or with the text, given for that flag? */
static bool has_item(const struct line *line, const char *name, const char *item, size_t length)
{
    for (size_t i = 0; i < line->count; i++) {
        const char *at = strcmp(line->words[i].name, name) == 0 ? line->words[i].value : NULL;
        for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
            if (strcspn(at, ",") == length && strncmp(at, item, length) == 0)
                return true;
    }
    return false;
}

static bool has_word(const struct line *line, const struct word *word)
{
    if (!word->value)
        return value_of(line, word->name) != NULL;
    for (const char *at = word->value; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!has_item(line, word->name, at, strcspn(at, ",")))
            return false;
    return true;
}

/* ---- What is the same. ------------------------------------------------------------------------- */

static void show_word(char *out, size_t size, const char *name, const char *value)
{
    snprintf(out, size, "%s%s%s%s%.200s", value ? "" : "without ", name[0] ? "--" : "", name,
             value && value[0] && name[0] ? "=" : "", value ? value : "");
}

static int refuse(const char *path, const char *name, const struct line *then,
                  const struct line *now, struct diag *diag)
{
    char before[300], after[300];
    show_word(before, sizeof before, name, value_of(then, name));
    show_word(after, sizeof after, name, value_of(now, name));
    return diag_usage(diag,
                      "%.300s: was measured %s%s, now %s; --resume continues with the same flags, "
                      "with more designs, "
                      "loads and values than there, or with those of the file when none are given",
                      path, value_of(then, name) ? "with " : "", before, after);
}

static int check_same(const char *path, const struct line *then, const struct line *now,
                      struct diag *diag)
{
    for (size_t i = 0; i < then->count; i++)
        if (!is_free(then->words[i].name) && !has_word(now, &then->words[i]))
            return refuse(path, then->words[i].name, then, now, diag);
    for (size_t i = 0; i < now->count; i++) {
        const struct word *word = &now->words[i];
        bool must = is_among(fixed_flags, word->name) ||
                    (is_among(chosen_flags, word->name) && !value_of(then, word->name));
        if (must && !has_word(then, word))
            return refuse(path, word->name, then, now, diag);
    }
    return DIAG_OK;
}

/* ---- The file. --------------------------------------------------------------------------------- */

/* The arguments that the file was written by, behind the command's name; NULL: it tells none. */
static char **read_command(const char *path, const char *name, int *argc, void **memory)
{
    char **argv = NULL;
    struct diag unused;
    struct stat info;
    cJSON *json = NULL;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
        json_load(path, "a result", &json, &unused) != DIAG_OK)
        return NULL;
    const cJSON *words = json_get(json, "command"), *second = cJSON_GetArrayItem(words, 1);
    bool is_named = cJSON_IsString(second) && strcmp(second->valuestring, name) == 0;
    if (is_named || (cJSON_IsString(second) && second->valuestring[0] == '-')) {
        argv = lists_keep_bytes(memory, (size_t)cJSON_GetArraySize(words) + 1, sizeof *argv);
        *argc = 0;
        json_each(word, words, "")
            if (word != words->child && (!is_named || word != second) && cJSON_IsString(word))
                argv[(*argc)++] = lists_keep(memory, word->valuestring);
    }
    cJSON_Delete(json);
    return argv;
}

int resume_arguments(const struct command *command, int first, int *argc, char ***argv,
                     void **memory, struct diag *diag)
{
    int count;
    struct line now = read_line(command, *argv, *argc, first, memory);
    const char *path = value_of(&now, "json");
    bool is_resumed = value_of(&now, "resume") && path && strcmp(path, "-") != 0;
    char **words = is_resumed ? read_command(path, command->name, &count, memory) : NULL;
    size_t said = 0;
    for (size_t i = 0; i < now.count; i++)
        said += !is_free(now.words[i].name);
    if (!words)
        return DIAG_OK;
    struct line then = read_line(command, words, count, 0, memory);
    if (said > 0)
        return check_same(path, &then, &now, diag);
    char **joined = lists_keep_bytes(memory, (size_t)*argc + 2 * then.count + 1, sizeof *joined),
         line[4096];
    memcpy(joined, *argv, (size_t)*argc * sizeof *joined);
    for (size_t i = 0; i < then.count; i++) {
        const struct word *word = &then.words[i];
        snprintf(line, sizeof line, "%s%s%s%s", word->name[0] ? "--" : "", word->name,
                 word->value && word->name[0] ? "=" : "", word->value ? word->value : "");
        if (!is_output(word->name) && !value_of(&now, word->name))
            joined[(*argc)++] = lists_keep(memory, line);
    }
    *argv = joined;
    return DIAG_OK;
}
