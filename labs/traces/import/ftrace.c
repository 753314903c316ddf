/* ftrace.c - splits a line of ftrace or perf script into its fields. */
#include "labs/traces/import/ftrace.h"

/* ---- Before the brackets: task, pid, tgid -------------------------------------------------------- */

static void trim_right(struct span *span)
{
    while (span->at < span->end && (span->end[-1] == ' ' || span->end[-1] == '\t'))
        span->end--;
}

/* Takes "(  1234)" or "(-------)" off the end. */
static void tgid_read(struct span *before, int64_t *tgid)
{
    *tgid = -1;
    if (before->at == before->end || before->end[-1] != ')')
        return;
    const char *open = memrchr(before->at, '(', span_length(*before));
    if (!open)
        return;
    struct span inside = {open + 1, before->end - 1};
    uint64_t value;
    scan_blanks(&inside);
    if (scan_unsigned(&inside, &value) && value <= INT32_MAX)
        *tgid = (int64_t)value;
    before->end = open;
    trim_right(before);
}

/* Takes the decimal number off the end. */
static bool number_read_back(struct span *before, uint64_t *out)
{
    const char *first = before->end;
    while (first > before->at && scan_is_digit(first[-1]))
        first--;
    struct span digits = {first, before->end};
    if (!scan_unsigned(&digits, out) || *out > INT32_MAX)
        return false;
    before->end = first;
    return true;
}

/* "task-pid" of tracefs; "task  pid", "task  pid/tid" and "task  -1" of perf script. */
static bool task_read(struct span before, struct ftrace_record *record)
{
    uint64_t number;
    trim_right(&before);
    tgid_read(&before, &record->tgid);
    if (!number_read_back(&before, &number))
        return false;
    record->pid = (int64_t)number;
    if (before.at < before.end && before.end[-1] == '/') {
        before.end--;
        if (number_read_back(&before, &number))
            record->tgid = (int64_t)number;
        else
            before.end++;
    }
    if (before.at == before.end)
        return false;
    if (before.end[-1] == '-') {
        before.end--;
        if (before.at == before.end || before.end[-1] == ' ')
            record->pid = -record->pid;
    } else if (before.end[-1] != ' ' && before.end[-1] != '\t') {
        return false;
    }
    trim_right(&before);
    scan_blanks(&before);
    record->task = before;
    return true;
}

/* ---- Behind them: flags, time, event, fields ----------------------------------------------------- */

/* "2082.660040:", with up to nine digits behind the point. */
static bool time_read(struct span *rest, struct ftrace_record *record)
{
    struct span at = *rest;
    uint64_t seconds, fraction;
    if (!scan_unsigned(&at, &seconds) || !scan_literal(&at, "."))
        return false;
    const char *first = at.at;
    if (!scan_unsigned(&at, &fraction) || !scan_literal(&at, ":"))
        return false;
    record->precision = (unsigned)(at.at - 1 - first);
    if (record->precision > 9 || seconds > UINT64_MAX / UINT64_C(1000000000) - 1)
        return false;
    for (unsigned digits = record->precision; digits < 9; digits++)
        fraction *= 10;
    record->ns = seconds * UINT64_C(1000000000) + fraction;
    *rest = at;
    return true;
}

/* "timer:timer_start: fields": the event ends at the first colon with a blank or nothing behind it. */
static bool event_read(struct span rest, struct ftrace_record *record)
{
    const char *first = rest.at;
    for (const char *at = rest.at; at < rest.end && *at != ' '; at++) {
        if (*at != ':')
            continue;
        if (at + 1 < rest.end && at[1] != ' ' && at[1] != '\t') {
            first = at + 1;
            continue;
        }
        record->event = (struct span){first, at};
        record->fields = (struct span){at + 1, rest.end};
        scan_blanks(&record->fields);
        return at > first;
    }
    return false;
}

static bool rest_read(struct span rest, struct ftrace_record *record)
{
    struct span number;
    scan_blanks(&rest);
    record->flags = (struct span){rest.at, rest.at};
    if (!time_read(&rest, record)) {
        if (!scan_word(&rest, &record->flags))
            return false;
        scan_blanks(&rest);
        if (!time_read(&rest, record))
            return false;
    }
    scan_blanks(&rest);
    /* perf script can be asked for the period, which is a bare number before the event. */
    struct span behind = rest;
    uint64_t period;
    if (scan_word(&behind, &number) && scan_unsigned(&number, &period) && number.at == number.end) {
        scan_blanks(&behind);
        rest = behind;
    }
    return event_read(rest, record);
}

/* ---- Lines --------------------------------------------------------------------------------------- */

/* "CPU:1 [LOST 123 EVENTS]" */
static bool lost_read(struct span line, struct ftrace_record *record)
{
    uint64_t cpu;
    if (!scan_literal(&line, "CPU:") || !scan_unsigned(&line, &cpu) || cpu > UINT32_MAX ||
        !scan_literal(&line, " [LOST "))
        return false;
    record->cpu = (uint32_t)cpu;
    record->lost = 0;
    (void)scan_unsigned(&line, &record->lost);
    return true;
}

enum ftrace_line ftrace_read(struct span line, struct ftrace_record *record)
{
    if (line.at < line.end && line.end[-1] == '\r')
        line.end--;
    struct span content = line;
    scan_blanks(&content);
    if (content.at == content.end || *content.at == '#')
        return FTRACE_COMMENT;
    if (*content.at == 'C' && lost_read(content, record))
        return FTRACE_LOST;
    for (const char *open = line.at; (open = memchr(open, '[', (size_t)(line.end - open))) != NULL;
         open++) {
        struct span rest = {open + 1, line.end};
        uint64_t cpu;
        if (scan_unsigned(&rest, &cpu) && cpu <= UINT32_MAX && scan_literal(&rest, "] ") &&
            rest_read(rest, record) && task_read((struct span){line.at, open}, record)) {
            record->cpu = (uint32_t)cpu;
            record->lost = 0;
            return FTRACE_RECORD;
        }
    }
    return FTRACE_OTHER;
}

/* ---- Fields -------------------------------------------------------------------------------------- */

/* Cuts a value off at the next blank, and the bracket off that belongs to one before the key. */
static struct span value_cut(struct span value, bool bracket)
{
    const char *blank = memchr(value.at, ' ', span_length(value));
    value.end = blank ? blank : value.end;
    if (bracket && value.at < value.end && value.end[-1] == ']')
        value.end--;
    return value;
}

bool ftrace_field(const struct ftrace_record *record, const char *key, struct span *value)
{
    size_t length = strlen(key);
    const char *at = record->fields.at, *end = record->fields.end;
    while (at < end) {
        bool bracket = *at == '[';
        at += bracket;
        if ((size_t)(end - at) > length && *at == *key && at[length] == '=' &&
            memcmp(at, key, length) == 0) {
            *value = value_cut((struct span){at + length + 1, end}, bracket);
            return true;
        }
        at = memchr(at, ' ', (size_t)(end - at));
        if (!at)
            return false;
        at++;
    }
    return false;
}

bool ftrace_unsigned(const struct ftrace_record *record, const char *key, uint64_t *out)
{
    struct span value;
    uint64_t number;
    if (!ftrace_field(record, key, &value))
        return false;
    bool hex = span_length(value) > 2 && value.at[0] == '0' && value.at[1] == 'x';
    if (!(hex ? scan_hex(&value, &number) : scan_unsigned(&value, &number)) ||
        value.at != value.end)
        return false;
    *out = number;
    return true;
}

bool ftrace_signed(const struct ftrace_record *record, const char *key, int64_t *out)
{
    struct span value;
    int64_t number;
    uint64_t bits = 0;
    if (!ftrace_field(record, key, &value))
        return false;
    if (scan_signed(&value, &number)) {
        if (value.at != value.end && !(number == 0 && ftrace_unsigned(record, key, &bits)))
            return false;
        *out = value.at == value.end ? number : (int64_t)bits;
        return true;
    }
    return false;
}

bool ftrace_address(const struct ftrace_record *record, const char *key, uint64_t *out)
{
    struct span value;
    uint64_t number;
    if (!ftrace_field(record, key, &value) || !scan_hex(&value, &number) || value.at != value.end)
        return false;
    *out = number;
    return true;
}
