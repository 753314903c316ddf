/* operations.c - builds, prints and reads operation lists. */
#include "harness/prove/operations.h"

#include "harness/base/libc.h"

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

/* `times` timers, calls or runs; `ticks` after now. */
static struct operation plain(enum operation_code code, tw_id id, uint32_t times, uint64_t ticks)
{
    return (struct operation){.code = code, .id = id, .times = times, .base = '+', .ticks = ticks};
}

void operations_start(struct operations *operations, tw_id id, char base, uint64_t ticks)
{
    operations_start_many(operations, id, 1, base, ticks, 0);
}

void operations_stop(struct operations *operations, tw_id id)
{
    operations_append(operations, plain(OPERATION_STOP, id, 1, 0));
}

void operations_start_many(struct operations *operations, tw_id id, uint32_t count, char base,
                           uint64_t ticks, int64_t each)
{
    struct operation start = plain(OPERATION_START, id, count, ticks);
    start.base = base;
    start.each = each;
    operations_append(operations, start);
}

void operations_stop_many(struct operations *operations, tw_id id, uint32_t count)
{
    operations_append(operations, plain(OPERATION_STOP, id, count, 0));
}

void operations_advance(struct operations *operations, char base, uint64_t ticks)
{
    struct operation advance = plain(OPERATION_ADVANCE, 0, 1, ticks);
    advance.base = base;
    operations_append(operations, advance);
}

void operations_tick(struct operations *operations, uint32_t count)
{
    operations_append(operations, plain(OPERATION_ADVANCE, 0, count, 1));
}

void operations_start_scattered(struct operations *operations, tw_id id, uint32_t count,
                                uint64_t ticks, uint64_t within)
{
    struct operation start = plain(OPERATION_START, id, count, ticks);
    start.within = within;
    start.is_shuffled = true;
    operations_append(operations, start);
}

void operations_stop_shuffled(struct operations *operations, tw_id id, uint32_t count)
{
    struct operation stop = plain(OPERATION_STOP, id, count, 0);
    stop.is_shuffled = true;
    operations_append(operations, stop);
}

void operations_on_start_many(struct operations *operations, tw_id id, uint32_t count, tw_id target,
                              char base, uint64_t ticks, uint32_t times)
{
    struct operation start = plain(OPERATION_ON_START, id, times, ticks);
    start.target = target;
    start.base = base;
    start.further = count - 1;
    operations_append(operations, start);
}

void operations_on_start(struct operations *operations, tw_id id, tw_id target, char base,
                         uint64_t ticks, uint32_t times)
{
    operations_on_start_many(operations, id, 1, target, base, ticks, times);
}

void operations_on_stop_many(struct operations *operations, tw_id id, uint32_t count, tw_id target)
{
    struct operation stop = plain(OPERATION_ON_STOP, id, 1, 0);
    stop.target = target;
    stop.further = count - 1;
    operations_append(operations, stop);
}

void operations_on_stop(struct operations *operations, tw_id id, tw_id target)
{
    operations_on_stop_many(operations, id, 1, target);
}

void operations_inspect(struct operations *operations)
{
    operations_append(operations, plain(OPERATION_INSPECT, 0, 1, 0));
}

void operations_next(struct operations *operations)
{
    operations_append(operations, plain(OPERATION_NEXT, 0, 1, 0));
}

void operations_again(struct operations *operations, uint32_t lines, uint32_t times)
{
    operations_append(operations, plain(OPERATION_AGAIN, lines, times, 0));
}

bool operation_repeats(const struct operation *operation)
{
    return operation->code != OPERATION_ON_START && operation->code != OPERATION_ON_STOP &&
           operation->code != OPERATION_AGAIN;
}

tw_tick operations_resolve(char base, uint64_t ticks, tw_tick now)
{
    if (base == '-')
        return ticks < now ? now - ticks : 0;
    tw_tick origin = base == '+' ? now : 0;
    return ticks < TW_DEADLINE_MAX - origin ? origin + ticks : TW_DEADLINE_MAX;
}

/* One step of a permutation of 0 .. 2^bits - 1. */
static uint32_t shuffle_step(uint32_t number, unsigned bits)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    number = (number * 0x9e3779b1u + 0x7f4a7c15u) & mask;
    number ^= number >> (bits / 2 + 1);
    number = (number * 0x85ebca6bu) & mask;
    return number ^ number >> (bits / 2 + 1);
}

/* A permutation of 0 .. count - 1: steps on until it comes back below the count. */
static uint32_t shuffle(uint32_t index, uint32_t count)
{
    unsigned bits = 1;
    while (count > 1 && (count - 1) >> bits)
        bits++;
    do
        index = shuffle_step(index, bits);
    while (index >= count);
    return index;
}

tw_id operation_timer(const struct operation *operation, uint32_t index)
{
    return operation->id + (operation->is_shuffled && operation->times > 1
                                ? shuffle(index, operation->times)
                                : index);
}

/* Goes by the timer's own number, so that a shorter list gives it the same deadline. */
static uint64_t scatter(tw_id id, uint64_t within)
{
    uint64_t hash = (id + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (hash ^ hash >> 32) % within;
}

tw_tick operations_deadline(const struct operation *operation, uint32_t index, tw_tick now)
{
    tw_tick first = operations_resolve(operation->base, operation->ticks, now);
    if (operation->within > 0)
        return operations_resolve(
            '+', scatter(operation_timer(operation, index), operation->within), first);
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
        return id - operation->id <= operation->further ||
               id - operation->target <= operation->further;
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
    if (operations->walk)
        text_add(text, "walk %" PRIu64 "\n", operations->walk);
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
    char times[32] = "", many[32] = "", each[40] = "", further[32] = "", slack[32] = "";
    const char *shuffled = operation->is_shuffled ? " shuffled" : "";
    if (operation->times != 1) {
        snprintf(times, sizeof times, " times %" PRIu32, operation->times);
        snprintf(many, sizeof many, "..%" PRIu32, operation->id + operation->times - 1);
    }
    if (operation->times != 1 && operation->each != 0)
        snprintf(each, sizeof each, " each %+" PRId64, operation->each);
    if (operation->within > 0)
        snprintf(each, sizeof each, " within %" PRIu64, operation->within);
    if (operation->slack > 0)
        snprintf(slack, sizeof slack, " slack %" PRIu64, operation->slack);
    if (operation->further > 0)
        snprintf(further, sizeof further, "..%" PRIu32, operation->id + operation->further);
    switch (operation->code) {
    case OPERATION_START:
        return text_add(text, "start %" PRIu32 "%s %c%" PRIu64 "%s%s%s\n", operation->id, many,
                        operation->base, operation->ticks, each, slack, shuffled);
    case OPERATION_STOP:
        return text_add(text, "stop %" PRIu32 "%s%s\n", operation->id, many, shuffled);
    case OPERATION_ADVANCE:
        return text_add(text, "advance %c%" PRIu64 "%s\n", operation->base, operation->ticks,
                        times);
    case OPERATION_ON_START:
        return text_add(text, "on %" PRIu32 "%s start %" PRIu32 " %c%" PRIu64 "%s%s\n",
                        operation->id, further, operation->target, operation->base,
                        operation->ticks, slack, times);
    case OPERATION_ON_STOP:
        return text_add(text, "on %" PRIu32 "%s stop %" PRIu32 "%s\n", operation->id, further,
                        operation->target, times);
    case OPERATION_INSPECT:
        return text_add(text, "inspect\n");
    case OPERATION_NEXT:
        return text_add(text, "next\n");
    case OPERATION_AGAIN:
        return text_add(text, "again %" PRIu32 "%s\n", operation->id, times);
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

/* "5", or "5..8": timers from `first` on, and so many further ones. */
static bool take_ids(const char **text, const struct operations *operations, tw_id *first,
                     uint32_t *further)
{
    tw_id last;
    *further = 0;
    if (!take_id(text, operations, first))
        return false;
    if (strncmp(*text, "..", 2) != 0)
        return true;
    *text += 2;
    if (!take_id(text, operations, &last) || last < *first)
        return false;
    *further = last - *first;
    return true;
}

/* The timers of a start or a stop. */
static bool take_many(const char **text, const struct operations *operations,
                      struct operation *operation)
{
    uint32_t further;
    if (!take_ids(text, operations, &operation->id, &further))
        return false;
    operation->times = further + 1;
    return true;
}

static bool take_each(const char **text, struct operation *operation)
{
    uint64_t ticks;
    if (take_word(text, "within"))
        return take_number(text, &operation->within) && operation->within > 0;
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

static bool take_slack(const char **text, struct operation *operation)
{
    return !take_word(text, "slack") || take_number(text, &operation->slack);
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
    if (!take_ids(text, operations, &operation->id, &operation->further))
        return false;
    bool start = take_word(text, "start");
    if (!start && !take_word(text, "stop"))
        return false;
    operation->code = start ? OPERATION_ON_START : OPERATION_ON_STOP;
    return take_id(text, operations, &operation->target) &&
           (!start || (take_time(text, operation) && take_slack(text, operation))) &&
           take_times(text, operation);
}

static bool parse_again(const char **text, struct operation *operation)
{
    uint64_t lines;
    if (!take_number(text, &lines) || lines > UINT32_MAX)
        return false;
    operation->id = (tw_id)lines;
    return take_times(text, operation);
}

static bool parse_operation(const char **text, struct operations *operations)
{
    struct operation operation = {.code = OPERATION_INSPECT, .times = 1, .base = '+'};
    bool understood = false;
    if (take_word(text, "start")) {
        operation.code = OPERATION_START;
        understood = take_many(text, operations, &operation) && take_time(text, &operation) &&
                     take_each(text, &operation) && take_slack(text, &operation);
        operation.is_shuffled = take_word(text, "shuffled");
    } else if (take_word(text, "stop")) {
        operation.code = OPERATION_STOP;
        understood = take_many(text, operations, &operation);
        operation.is_shuffled = take_word(text, "shuffled");
    } else if (take_word(text, "advance")) {
        operation.code = OPERATION_ADVANCE;
        understood = take_time(text, &operation) && take_times(text, &operation);
    } else if (take_word(text, "on")) {
        understood = parse_on(text, operations, &operation);
    } else if (take_word(text, "again")) {
        operation.code = OPERATION_AGAIN;
        understood = parse_again(text, &operation);
    } else {
        operation.code = take_word(text, "next") ? OPERATION_NEXT : OPERATION_INSPECT;
        understood = operation.code == OPERATION_NEXT || take_word(text, "inspect");
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
    bool within = true;
    while (setting->count < TW_VALUES_MAX && take_number(text, &setting->values[setting->count])) {
        uint64_t value = setting->values[setting->count++];
        within = within && value >= param->min && value <= param->max;
    }
    operations->setting_count -= !within;
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
    } else if (take_word(&line, "walk")) {
        understood = take_number(&line, &operations->walk);
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
