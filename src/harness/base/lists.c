/* lists.c - splits lists and ranges, and keeps copies of texts. */
#include "harness/base/units.h"

#include "harness/base/memory.h"
#include "harness/base/text.h"

#define ITEM_MAX 4096

int lists_repeat(const char *value, char separator, const char *flag, size_t max,
                 lists_item_fn *item, void *ctx, struct diag *diag)
{
    size_t count = 0;
    for (const char *at = value;; at++) {
        char part[ITEM_MAX];
        const char *end = strchrnul(at, separator);
        size_t length = (size_t)(end - at);
        if (length == 0)
            return diag_usage(diag, "%s: '%s' has an empty item; expected values separated by '%c'",
                              flag, value, separator);
        if (length >= sizeof part || ++count > max)
            return diag_usage(diag, "%s: the list is too long; expected at most %zu items", flag,
                              max);
        memcpy(part, at, length);
        part[length] = '\0';
        int status = item(ctx, flag, part, diag);
        if (status != DIAG_OK)
            return status;
        if (*end == '\0')
            return DIAG_OK;
        at = end;
    }
}

bool lists_has(const char *list, const char *end, char separator, const char *item)
{
    char *stop, *item_stop, *item_end = strchrnul(item, separator);
    for (const char *at = list, *next; at < end; at = next + 1) {
        next = strchrnul(at, separator);
        if ((next - at == item_end - item && strncmp(at, item, (size_t)(next - at)) == 0) ||
            (strtod(at, &stop) == strtod(item, &item_stop) && stop == next &&
             item_stop == item_end))
            return true;
    }
    return false;
}

int lists_split(const char *value, char separator, const char *flag, size_t max,
                lists_item_fn *item, void *ctx, struct diag *diag)
{
    for (const char *at = strchr(value, separator); at; at = strchr(at + 1, separator))
        if (at[1] && at[1] != separator && lists_has(value, at, separator, at + 1))
            return diag_usage(diag, "%s: '%.*s' is given twice", flag,
                              (int)(strchrnul(at + 1, separator) - at) - 1, at + 1);
    return lists_repeat(value, separator, flag, max, item, ctx, diag);
}

struct numbers {
    const struct lists_range *range;
    uint64_t *out;
    size_t max, *count;
};

static int number_add(struct numbers *numbers, const char *flag, uint64_t value, struct diag *diag)
{
    if (*numbers->count == numbers->max)
        return diag_usage(diag, "%s: more than %zu values", flag, numbers->max);
    for (size_t i = 0; i < *numbers->count; i++)
        if (numbers->out[i] == value)
            return diag_usage(diag, "%s: %llu is given twice", flag, (unsigned long long)value);
    numbers->out[(*numbers->count)++] = value;
    return DIAG_OK;
}

/* from, from * factor, ... below `to`, and `to` itself. */
static int number_add_range(struct numbers *numbers, const char *flag, uint64_t from, uint64_t to,
                            uint64_t factor, struct diag *diag)
{
    int status = DIAG_OK;
    for (uint64_t value = from; value < to && status == DIAG_OK; value *= factor) {
        status = number_add(numbers, flag, value, diag);
        if (value > to / factor)
            break;
    }
    return status == DIAG_OK ? number_add(numbers, flag, to, diag) : status;
}

static int number_item(void *ctx, const char *flag, const char *item, struct diag *diag)
{
    struct numbers *numbers = ctx;
    uint64_t from = 0, to = 0, factor = numbers->range->factor;
    const char *dots = strstr(item, "..");
    if (!dots) {
        int status =
            units_parse_count_in(item, flag, numbers->range->min, numbers->range->max, &from, diag);
        return status == DIAG_OK ? number_add(numbers, flag, from, diag) : status;
    }
    char first[ITEM_MAX], last[ITEM_MAX];
    memcpy(first, item, (size_t)(dots - item));
    first[dots - item] = '\0';
    strcpy(last, dots + 2);
    char *star = strchr(last, '*');
    if (star) {
        *star = '\0';
        int status = units_parse_count(star + 1, flag, &factor, diag);
        if (status != DIAG_OK || factor < 2)
            return diag_usage(diag, "%s: '%s': expected a factor of at least 2 after '*'", flag,
                              item);
    }
    int status =
        units_parse_count_in(first, flag, numbers->range->min, numbers->range->max, &from, diag);
    if (status == DIAG_OK)
        status =
            units_parse_count_in(last, flag, numbers->range->min, numbers->range->max, &to, diag);
    if (status != DIAG_OK)
        return status;
    if (from > to)
        return diag_usage(diag, "%s: '%s': expected the smaller end first", flag, item);
    return number_add_range(numbers, flag, from, to, factor, diag);
}

int lists_numbers(const char *value, const char *flag, const struct lists_range *range,
                  uint64_t *out, size_t max, size_t *count, struct diag *diag)
{
    *count = 0;
    struct numbers numbers = {.range = range, .out = out, .max = max, .count = count};
    return lists_split(value, ',', flag, max, number_item, &numbers, diag);
}

int lists_choose(const char *what, const char *asked, const char *const *words, unsigned *out,
                 struct diag *diag)
{
    char known[400], hint[NEAREST_HINT];
    struct text list = text_in(known, sizeof known);
    for (unsigned i = 0; words[i]; i++) {
        if (*words[i] && strcmp(words[i], asked) == 0) {
            *out = i;
            return DIAG_OK;
        }
        if (*words[i])
            text_add_item(&list, ", ", "%s", words[i]);
    }
    return diag_usage(diag, "%s: '%.200s' given; expected one of %s%s", what, asked, known,
                      nearest_listed(asked, known, hint, sizeof hint));
}

/* ---- Memory: a chain of blocks, newest first. ------------------------------------------------ */

struct block {
    struct block *next;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *lists_keep_bytes(void **memory, size_t count, size_t size)
{
    struct block *block = memory_take(1, sizeof *block + count * size);
    block->next = *memory;
    *memory = block;
    return block->bytes;
}

char *lists_keep_part(void **memory, const char *text, size_t length)
{
    return memcpy(lists_keep_bytes(memory, length + 1, 1), text, length);
}

char *lists_keep(void **memory, const char *text)
{
    return strcpy(lists_keep_bytes(memory, strlen(text) + 1, 1), text);
}

void lists_release(void **memory)
{
    for (struct block *block = *memory, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *memory = NULL;
}
