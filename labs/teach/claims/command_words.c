/* command_words.c - puts the command line of an experiment's cells together. */
#include "labs/teach/claims/claims.h"

#include "harness/base/text.h"

/* What has no room is left out: nobody writes so much. */
void command_add(struct command_words *words, const char *format, ...)
{
    va_list args;
    char *word = words->text + words->used;
    size_t room = sizeof words->text - words->used;
    va_start(args, format);
    int length = vsnprintf(word, room, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= room || words->count == COMMAND_WORDS_MAX)
        return;
    words->used += (size_t)length + 1;
    words->words[words->count++] = word;
    words->words[words->count] = NULL;
}

static void add_impls(struct command_words *words, const struct experiment_run *run, size_t impl)
{
    char list[1000];
    struct text text = text_in(list, sizeof list);
    for (size_t i = 0; i < run->impl_count; i++)
        if (impl == EVERY || impl == i)
            text_add_item(&text, ",", "%s", run->impls[i]);
    command_add(words, "--%s=%s", run->on_stores ? "stores" : "impl", list);
}

static void add_tasks(struct command_words *words, const struct experiment_run *run, size_t point)
{
    char list[600];
    struct text text = text_in(list, sizeof list);
    for (size_t i = 0; i < run->point_count; i++)
        if ((point == EVERY || point == i) && run->points[i].tasks > 0)
            text_add_item(&text, ",", "%llu", (unsigned long long)run->points[i].tasks);
    if (list[0])
        command_add(words, "--tasks=%s", list);
}

static void add_setting(struct command_words *words, const struct tw_setting *setting)
{
    char list[200];
    struct text text = text_in(list, sizeof list);
    for (uint32_t i = 0; i < setting->count; i++)
        text_add_item(&text, ",", "%llu", (unsigned long long)setting->values[i]);
    command_add(words, "--%s=%s", setting->name, list);
}

void command_make(struct command_words *out, const struct experiment_run *run, size_t point,
                  size_t impl)
{
    const struct experiment_point *at = &run->points[point == EVERY ? 0 : point];
    out->count = out->used = 0;
    command_add(out, "twbench");
    command_add(out, "%s", run->on_stores ? "stores" : "run");
    add_impls(out, run, impl);
    if (at->workload)
        command_add(out, "--workload=%s", at->workload);
    for (size_t i = 0; i < at->set_count; i++)
        command_add(out, "--set=%s=%s", at->sets[i].name, at->sets[i].value);
    add_tasks(out, run, point);
    if (at->tick_ns > 0)
        command_add(out, "--tick=%lluns", (unsigned long long)at->tick_ns);
    for (size_t i = 0; i < at->setting_count; i++)
        add_setting(out, &at->settings[i]);
    for (size_t i = 0; i < at->flag_count; i++)
        command_add(out, "%s", at->flags[i]);
    if (run->lab)
        command_add(out, "--runs=%d", run->timed ? EXPERIMENT_LAB_RUNS : 1);
    if (at->drive != PLAN_DRIVE_TICKS)
        command_add(out, "--drive=%s", plan_drive_name(at->drive));
    if (!run->timed && !run->lab)
        command_add(out, "--counts-only");
}

static bool is_plain(const char *word)
{
    while (isalnum((unsigned char)*word) || (*word && strchr("._-:=,/", *word)))
        word++;
    return !*word;
}

/* --set='delay=uniform(1, 9)': the quotes begin behind the flag. */
void command_print(char *out, size_t size, const struct command_words *words)
{
    struct text line = text_in(out, size);
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->words[i];
        if (is_plain(word) || !strchr(word, '='))
            text_add_item(&line, " ", "%s", word);
        else
            text_add_item(&line, " ", "%.*s='%s'", (int)strcspn(word, "="), word,
                          strchr(word, '=') + 1);
    }
}
