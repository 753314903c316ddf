/* operations.c - building, printing and reading operation lists; it runs nothing. */
#include "harness/conform/operations.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void operations_init(struct operations *operations, uint32_t capacity)
{
    *operations = (struct operations){.capacity = capacity};
}

void operations_clear(struct operations *operations)
{
    free(operations->list);
    operations_init(operations, operations->capacity);
}

void operations_append(struct operations *operations, struct operation operation)
{
    if (operations->count == operations->room) {
        size_t room = operations->room ? 2 * operations->room : 64;
        struct operation *list = realloc(operations->list, room * sizeof *list);
        if (!list) {
            operations->out_of_memory = true;
            return;
        }
        operations->list = list;
        operations->room = room;
    }
    if (operation.base == '-' && operation.ticks == 0)
        operation.base = '+'; /* one way to say "now" is enough */
    operations->list[operations->count++] = operation;
}

void operations_copy(struct operations *to, const struct operations *from, const bool *keep)
{
    struct operation *list = to->list;
    size_t room = to->room;
    *to = *from;
    to->list = list;
    to->room = room;
    to->count = 0;
    for (size_t i = 0; i < from->count; i++)
        if (!keep || keep[i])
            operations_append(to, from->list[i]);
}

void operations_start(struct operations *operations, tw_id id, char base, uint64_t ticks)
{
    operations_append(operations, (struct operation){OPERATION_START, id, 0, 1, base, ticks, 0});
}

void operations_stop(struct operations *operations, tw_id id)
{
    operations_append(operations, (struct operation){OPERATION_STOP, id, 0, 1, '+', 0, 0});
}

void operations_start_many(struct operations *operations, tw_id id, uint32_t count, char base,
                           uint64_t ticks, int64_t each)
{
    operations_append(operations,
                      (struct operation){OPERATION_START, id, 0, count, base, ticks, each});
}

void operations_stop_many(struct operations *operations, tw_id id, uint32_t count)
{
    operations_append(operations, (struct operation){OPERATION_STOP, id, 0, count, '+', 0, 0});
}

void operations_advance(struct operations *operations, char base, uint64_t ticks)
{
    operations_append(operations, (struct operation){OPERATION_ADVANCE, 0, 0, 1, base, ticks, 0});
}

void operations_tick(struct operations *operations, uint32_t count)
{
    operations_append(operations, (struct operation){OPERATION_ADVANCE, 0, 0, count, '+', 1, 0});
}

void operations_on_start(struct operations *operations, tw_id id, tw_id target, char base,
                         uint64_t ticks, uint32_t times)
{
    operations_append(operations,
                      (struct operation){OPERATION_ON_START, id, target, times, base, ticks, 0});
}

void operations_on_stop(struct operations *operations, tw_id id, tw_id target)
{
    operations_append(operations, (struct operation){OPERATION_ON_STOP, id, target, 1, '+', 0, 0});
}

void operations_inspect(struct operations *operations)
{
    operations_append(operations, (struct operation){OPERATION_INSPECT, 0, 0, 1, '+', 0, 0});
}

tw_tick operations_resolve(char base, uint64_t ticks, tw_tick now)
{
    if (base == '-')
        return ticks < now ? now - ticks : 0;
    tw_tick origin = base == '+' ? now : 0;
    return ticks < TW_DEADLINE_MAX - origin ? origin + ticks : TW_DEADLINE_MAX;
}

tw_tick operations_deadline(const struct operation *operation, uint32_t index, tw_tick now)
{
    tw_tick first = operations_resolve(operation->base, operation->ticks, now);
    bool back = operation->each < 0;
    uint64_t each = back ? 0 - (uint64_t)operation->each : (uint64_t)operation->each;
    uint64_t ticks;
    if (__builtin_mul_overflow(each, (uint64_t)index, &ticks))
        ticks = UINT64_MAX;
    return operations_resolve(back ? '-' : '+', ticks, first);
}

bool operation_names(const struct operation *operation, tw_id id)
{
    bool acts = operation->code == OPERATION_ON_START || operation->code == OPERATION_ON_STOP;
    bool direct = operation->code == OPERATION_START || operation->code == OPERATION_STOP;
    if (acts)
        return operation->id == id || operation->target == id;
    return direct && id >= operation->id && id - operation->id < operation->times;
}

/* ---- Printing -------------------------------------------------------------------------------- */

struct text {
    char *out;
    size_t size, used;
};

/* Appends one line whole or not at all. */
static bool text_add(struct text *text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line || text->used + (size_t)length >= text->size)
        return false;
    memcpy(text->out + text->used, line, (size_t)length + 1);
    text->used += (size_t)length;
    return true;
}

static void print_header(struct text *text, const struct operations *operations)
{
    text_add(text, "capacity %" PRIu32 "\n", operations->capacity);
    if (operations->now)
        text_add(text, "now %" PRIu64 "\n", operations->now);
    if (operations->horizon)
        text_add(text, "horizon %" PRIu64 "\n", operations->horizon);
    for (size_t i = 0; i < operations->setting_count; i++) {
        const struct tw_setting *setting = &operations->settings[i];
        text_add(text, "set %s", setting->name);
        for (uint32_t v = 0; v < setting->count; v++)
            text_add(text, " %" PRIu64, setting->values[v]);
        text_add(text, "\n");
    }
}

static bool print_operation(struct text *text, const struct operation *operation)
{
    char times[32] = "", many[32] = "", each[40] = "";
    if (operation->times != 1) {
        snprintf(times, sizeof times, " times %" PRIu32, operation->times);
        snprintf(many, sizeof many, "..%" PRIu32, operation->id + operation->times - 1);
    }
    if (operation->times != 1 && operation->each != 0)
        snprintf(each, sizeof each, " each %+" PRId64, operation->each);
    switch (operation->code) {
    case OPERATION_START:
        return text_add(text, "start %" PRIu32 "%s %c%" PRIu64 "%s\n", operation->id, many,
                        operation->base, operation->ticks, each);
    case OPERATION_STOP:
        return text_add(text, "stop %" PRIu32 "%s\n", operation->id, many);
    case OPERATION_ADVANCE:
        return text_add(text, "advance %c%" PRIu64 "%s\n", operation->base, operation->ticks,
                        times);
    case OPERATION_ON_START:
        return text_add(text, "on %" PRIu32 " start %" PRIu32 " %c%" PRIu64 "%s\n", operation->id,
                        operation->target, operation->base, operation->ticks, times);
    case OPERATION_ON_STOP:
        return text_add(text, "on %" PRIu32 " stop %" PRIu32 "%s\n", operation->id,
                        operation->target, times);
    case OPERATION_INSPECT:
        return text_add(text, "inspect\n");
    }
    return false;
}

void operations_print(const struct operations *operations, char *out, size_t size)
{
    static const size_t reserved = 64; /* for the line that says how much is missing */
    if (size <= reserved)
        return;
    struct text text = {out, size - reserved, 0};
    print_header(&text, operations);
    size_t printed = 0;
    while (printed < operations->count && print_operation(&text, &operations->list[printed]))
        printed++;
    text.size = size;
    if (printed < operations->count)
        text_add(&text, "# and %zu more operations\n", operations->count - printed);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Takes an unsigned number off the front of *text. */
static bool take_number(const char **text, uint64_t *out)
{
    *text += strspn(*text, " ");
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    *out = strtoull(*text, &end, 10);
    *text = end;
    return true;
}

static bool take_word(const char **text, const char *word)
{
    const char *start = *text + strspn(*text, " ");
    size_t length = strlen(word);
    if (strncmp(start, word, length) != 0 || (start[length] != ' ' && start[length] != '\0'))
        return false;
    *text = start + length;
    return true;
}

static bool take_id(const char **text, const struct operations *operations, tw_id *out)
{
    uint64_t number;
    if (!take_number(text, &number) || number >= operations->capacity)
        return false;
    *out = (tw_id)number;
    return true;
}

/* "5", or "5..8": the operation is about `times` timers from `id` on. */
static bool take_ids(const char **text, const struct operations *operations,
                     struct operation *operation)
{
    tw_id last;
    if (!take_id(text, operations, &operation->id))
        return false;
    if (strncmp(*text, "..", 2) != 0)
        return true;
    *text += 2;
    if (!take_id(text, operations, &last) || last < operation->id)
        return false;
    operation->times = last - operation->id + 1;
    return true;
}

static bool take_each(const char **text, struct operation *operation)
{
    uint64_t ticks;
    if (!take_word(text, "each"))
        return true;
    *text += strspn(*text, " ");
    char sign = **text;
    if (sign != '+' && sign != '-')
        return false;
    ++*text;
    if (!take_number(text, &ticks) || ticks > INT64_MAX)
        return false;
    operation->each = sign == '-' ? -(int64_t)ticks : (int64_t)ticks;
    return true;
}

static bool take_time(const char **text, struct operation *operation)
{
    *text += strspn(*text, " ");
    operation->base = **text;
    if (operation->base != '+' && operation->base != '-' && operation->base != '@')
        return false;
    ++*text;
    return take_number(text, &operation->ticks);
}

static bool take_times(const char **text, struct operation *operation)
{
    uint64_t times = 1;
    if (take_word(text, "times") && (!take_number(text, &times) || times > UINT32_MAX))
        return false;
    operation->times = (uint32_t)times;
    return true;
}

static bool parse_on(const char **text, const struct operations *operations,
                     struct operation *operation)
{
    if (!take_id(text, operations, &operation->id))
        return false;
    bool start = take_word(text, "start");
    if (!start && !take_word(text, "stop"))
        return false;
    operation->code = start ? OPERATION_ON_START : OPERATION_ON_STOP;
    return take_id(text, operations, &operation->target) &&
           (!start || take_time(text, operation)) && take_times(text, operation);
}

static bool parse_operation(const char **text, struct operations *operations)
{
    struct operation operation = {OPERATION_INSPECT, 0, 0, 1, '+', 0, 0};
    bool understood = false;
    if (take_word(text, "start")) {
        operation.code = OPERATION_START;
        understood = take_ids(text, operations, &operation) && take_time(text, &operation) &&
                     take_each(text, &operation);
    } else if (take_word(text, "stop")) {
        operation.code = OPERATION_STOP;
        understood = take_ids(text, operations, &operation);
    } else if (take_word(text, "advance")) {
        operation.code = OPERATION_ADVANCE;
        understood = take_time(text, &operation) && take_times(text, &operation);
    } else if (take_word(text, "on")) {
        understood = parse_on(text, operations, &operation);
    } else {
        understood = take_word(text, "inspect");
    }
    if (understood)
        operations_append(operations, operation);
    return understood;
}

static bool parse_setting(const char **text, const struct tw_param *params,
                          struct operations *operations)
{
    const struct tw_param *param = params;
    while (param->name && !take_word(text, param->name))
        param++;
    if (!param->name) {
        *text += strlen(*text);
        return true;
    }
    if (operations->setting_count == OPERATIONS_SETTINGS_MAX)
        return false;
    struct tw_setting *setting = &operations->settings[operations->setting_count++];
    *setting = (struct tw_setting){.name = param->name};
    while (setting->count < TW_VALUES_MAX && take_number(text, &setting->values[setting->count]))
        setting->count++;
    return setting->count > 0;
}

static bool parse_line(const char *line, const struct tw_param *params,
                       struct operations *operations)
{
    uint64_t capacity;
    bool understood;
    line += strspn(line, " ");
    if (*line == '#' || *line == '\0')
        return true;
    if (take_word(&line, "capacity")) {
        understood = take_number(&line, &capacity) && capacity <= TW_CAPACITY_MAX;
        operations->capacity = understood ? (uint32_t)capacity : 0;
    } else if (take_word(&line, "now")) {
        understood = take_number(&line, &operations->now) && operations->now <= TW_DEADLINE_MAX;
    } else if (take_word(&line, "horizon")) {
        understood = take_number(&line, &operations->horizon);
    } else if (take_word(&line, "set")) {
        understood = parse_setting(&line, params, operations);
    } else {
        understood = parse_operation(&line, operations);
    }
    return understood && line[strspn(line, " ")] == '\0';
}

size_t operations_parse(const char *text, const struct tw_param *params,
                        struct operations *operations)
{
    for (size_t number = 1; *text; number++) {
        char line[512];
        size_t length = strcspn(text, "\n");
        if (length >= sizeof line)
            return number;
        memcpy(line, text, length);
        line[length] = '\0';
        if (!parse_line(line, params, operations))
            return number;
        text += length + (text[length] == '\n');
    }
    return 0;
}
