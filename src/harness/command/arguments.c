/* arguments.c - reads a command line by the rows of its command's flags. */
#include "harness/command/command.h"

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/command/flags.h"

/* What was given so far. */
struct given {
    char key[160]; /* what it sets: the flag's name, "set=delay", "html" of "-o" */
    const char *value;
    char shown[66];
};

struct reading {
    struct call *call;
    struct given *given;
    size_t count;
};

static void offer_flag(void *ctx, const char *heading, const struct flag *flag)
{
    (void)heading;
    nearest_offer(ctx, flag->name);
}

static int refuse_flag(const struct call *call, const char *name, struct diag *diag)
{
    const char *command = call->command->name, *usage = call->command->usage;
    char hint[80] = ";";
    int variant = usage[0] == '-' ? (int)strcspn(usage, "=[ ") : 0; /* conform --store */
    struct nearest nearest = nearest_to(name);
    flags_each(call->command, call->options, true, offer_flag, &nearest);
    if (nearest.word[0])
        snprintf(hint, sizeof hint, "; did you mean '--%s'?", nearest.word);
    return diag_usage(diag, "--%s: 'twbench %s%s%.*s' has no such flag%s see 'twbench %s --help'",
                      name, command, variant ? " " : "", variant, usage, hint, command);
}

/* The last of two values would silently be the only one. */
static int refuse_repeated(const struct given *before, const struct given *now, char separator,
                           struct diag *diag)
{
    const char *equals = strchr(now->key, '=');
    if (strcmp(before->shown, now->shown) != 0)
        return diag_usage(diag, "%s and %s: '%s' and '%s' given; expected one of them",
                          before->shown, now->shown, before->value, now->value);
    if (separator) {
        char list[sizeof diag->text];
        struct text text = text_in(list, sizeof list);
        text_add(&text, "%s", before->value);
        for (const char *at = now->value, *end = at; *end; at = end + 1) {
            end = strchrnul(at, separator);
            if (!lists_has(list, list + text.used, separator, at))
                text_add(&text, "%c%.*s", separator, (int)(end - at), at);
        }
        return diag_usage(diag, "%s: given twice, '%s' and '%s'; expected one list: %s=%s",
                          now->shown, before->value, now->value, now->shown, list);
    }
    return diag_usage(diag, "%s: %s%sgiven twice, '%s' and '%s'; expected one value", now->shown,
                      equals ? equals + 1 : "", equals ? " is " : "", before->value, now->value);
}

/* What stands between the values of a flag; 0: it takes one value. */
static char separator_of(const struct flag *flag)
{
    if (flag->separator)
        return flag->separator;
    return flag->kind != TAKE_NAMED && strchr(flag->value, ',') ? ',' : '\0';
}

static int note_given(struct reading *reading, const struct flag *flag, const char *shown,
                      const char *value, struct diag *diag)
{
    struct given *given = &reading->given[reading->count];
    if (flag->kind == TAKE_EACH)
        return DIAG_OK;
    given->value = value;
    snprintf(given->shown, sizeof given->shown, "%s", shown);
    snprintf(given->key, sizeof given->key, "%s", flag->name);
    if (flag->kind == TAKE_NAMED)
        snprintf(given->key, sizeof given->key, "%s=%.*s", flag->name, (int)strcspn(value, "="),
                 value);
    for (size_t i = 0; i < reading->count; i++)
        if (strcmp(reading->given[i].key, given->key) == 0)
            return refuse_repeated(&reading->given[i], given, separator_of(flag), diag);
    reading->count++;
    return DIAG_OK;
}

/* One "--name=value", "--name value" or "-o value"; *used is the number of arguments it took. */
static int take_flag(struct reading *reading, const char *argument, const char *following,
                     int *used, struct diag *diag)
{
    struct call *call = reading->call;
    char name[64], shown[66];
    struct flag_found found;
    bool is_short = argument[1] != '-';
    const char *equals = is_short ? NULL : strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60) - (is_short ? 0 : 2),
             argument + (is_short ? 0 : 2));
    snprintf(shown, sizeof shown, "%s%s", is_short ? "" : "--", name);
    *used = 1;
    if (!flag_find(call->command, call->options, name, &found))
        return is_short
                   ? diag_usage(diag, "%s: flags begin with two dashes; see 'twbench %s --help'",
                                argument, call->command->name)
                   : refuse_flag(call, name, diag);
    if (found.flag.kind == TAKE_SWITCH && equals)
        return diag_usage(diag, "%s: takes no value; '%s' given", shown, equals + 1);
    if (found.flag.kind == TAKE_SWITCH)
        return flag_take(&found, call, shown, NULL, diag);
    const char *value = equals ? equals + 1 : following;
    if (!value)
        return diag_usage(diag, "%s: a value is missing; expected %s", shown, found.flag.value);
    *used = equals ? 1 : 2;
    int status = note_given(reading, &found.flag, shown, value, diag);
    return status == DIAG_OK ? flag_take(&found, call, shown, value, diag) : status;
}

static int take_operand(struct call *call, const char *operand, struct diag *diag)
{
    const struct command *command = call->command;
    if (operand[0] == '\0' && !command->any_operands)
        return diag_usage(diag, "%s: operand %zu is empty; expected a name", command->name,
                          call->operand_count + 1);
    int status = command->operand ? command->operand(call, operand, diag) : DIAG_OK;
    if (status == DIAG_OK)
        call->operands[call->operand_count++] = operand;
    return status;
}

static int read_words(struct reading *reading, int first, struct diag *diag)
{
    struct call *call = reading->call;
    bool operands_only = false;
    for (int i = first, used = 1, status; i < call->argc; i += used, used = 1) {
        const char *word = call->argv[i], *next = i + 1 < call->argc ? call->argv[i + 1] : NULL;
        if (!operands_only && strcmp(word, "--") == 0) {
            operands_only = true;
            continue;
        }
        bool is_flag = !operands_only && word[0] == '-' && word[1] != '\0';
        status =
            is_flag ? take_flag(reading, word, next, &used, diag) : take_operand(call, word, diag);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

int command_read(const struct command *command, int argc, char **argv, int first, struct call *call,
                 struct diag *diag)
{
    *call = (struct call){
        .command = command, .argc = argc, .argv = argv, .given = call->given, .lock = {.fd = -1}};
    struct reading reading = {
        .call = call,
        .given = lists_keep_bytes(&call->memory, (size_t)argc + 1, sizeof *reading.given)};
    call->options = lists_keep_bytes(&call->memory, 1, command->size + 1);
    call->operands = lists_keep_bytes(&call->memory, (size_t)argc + 1, sizeof *call->operands);
    if (command->begin)
        command->begin(call);
    return read_words(&reading, first, diag);
}

void command_release(struct call *call)
{
    lock_drop(&call->lock);
    lists_release(&call->memory);
}

int command_call(const struct command *command, char *const *words, size_t count, const void *given,
                 const char *source)
{
    struct call call = {.given = given};
    struct diag diag;
    char name[] = "twbench", word[32];
    char **argv = memory_take(count + 3, sizeof *argv);
    snprintf(word, sizeof word, "%s", command->name);
    argv[0] = name;
    argv[1] = word;
    memcpy(argv + 2, words, count * sizeof *argv);
    int status = command_read(command, (int)count + 2, argv, 2, &call, &diag);
    if (status != DIAG_OK)
        diag_name(&diag, source);
    int exit_status = status == DIAG_OK ? command->run(&call) : command_fail(status, &diag);
    command_release(&call);
    free(argv);
    return exit_status;
}

int command_operands(const struct call *call, const char *expected, struct diag *diag)
{
    const char *name = call->command->name;
    size_t count = call->operand_count;
    if (count <= 1)
        return diag_usage(diag, "%s: %s given; expected %s", name,
                          count ? "one operand" : "no operand", expected);
    return diag_usage(diag, "%s: %zu operands given; expected %s", name, count, expected);
}

int command_fail(int status, const struct diag *diag)
{
    fprintf(stderr, "twbench: %s\n", diag->text);
    return -status;
}
