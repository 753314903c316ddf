/*
 * small_log.h - logs of a few lines, written in the test, through an importer.
 *
 *     struct small_log log = small_log_read("ktimer", "a-1 [000] ...\n", "hz=250", NULL);
 *     assert_string_equal(log.ops, "0 s 0 10\n");
 *     small_log_close(&log);
 */
#ifndef TWBENCH_SMALL_LOG_H
#define TWBENCH_SMALL_LOG_H

#include "labs/traces/import/import.h"
#include "testing.h"

struct small_log {
    struct import_options options;
    struct import import;
    struct trace_header header; /* when status is DIAG_OK */
    int status;
    struct diag diag;
    char *ops; /* "0 s 0 10\n", as in the trace */
    size_t length, room;
};

static inline void small_log_append(struct small_log *log, const struct builder_op *op)
{
    if (log->length + 100 > log->room)
        log->ops = realloc(log->ops, log->room = 2 * log->room + 100);
    char *end = log->ops + log->length;
    int written = op->is_start
                      ? snprintf(end, 100, "%llu s %u %lld\n", (unsigned long long)op->now, op->id,
                                 (long long)op->delay)
                      : snprintf(end, 100, "%llu c %u\n", (unsigned long long)op->now, op->id);
    log->length += (size_t)written;
}

/* Keys follow the text, the last one is NULL. */
static inline void small_log_read(struct small_log *log, const char *kind, const char *text, ...)
{
    va_list keys;
    const char *key;
    struct textfile *file;
    *log = (struct small_log){.ops = calloc(1, 1)};
    import_options_init(&log->options, import_kind_find(kind));
    va_start(keys, text);
    while ((key = va_arg(keys, const char *)) != NULL)
        assert_int_equal(import_options_take(&log->options, key, &log->diag), DIAG_OK);
    va_end(keys);
    import_open(&log->import, &log->options);
    assert_int_equal(textfile_open_memory(&file, "log", text, strlen(text), &log->diag), DIAG_OK);
    log->status = import_read(&log->import, file, &log->diag);
    textfile_close(file);
    if (log->status != DIAG_OK)
        return;
    import_header(&log->import, &log->header);
    const struct builder *builder = &log->import.chosen->builder;
    for (size_t i = 0; i < builder->op_count; i++)
        small_log_append(log, &builder->ops[i]);
}

static inline void small_log_close(struct small_log *log)
{
    import_close(&log->import);
    free(log->ops);
}

struct small_log_wanted {
    const char *name;
    uint64_t count;
};

static inline void small_log_look(void *ctx, const char *name, uint64_t count)
{
    struct small_log_wanted *wanted = ctx;
    if (strcmp(name, wanted->name) == 0)
        wanted->count = count;
}

/* 0 when there is no such count. */
static inline uint64_t small_log_count(const struct tally *tally, const char *name)
{
    struct small_log_wanted wanted = {name, 0};
    tally_visit(tally, small_log_look, &wanted);
    return wanted.count;
}

/* The whole of it: a log and the operations that it has to come to. */
static inline void small_log_is(const char *kind, const char *text, const char *ops)
{
    struct small_log log;
    small_log_read(&log, kind, text, NULL);
    if (log.status != DIAG_OK)
        fail_msg("%s", log.diag.text);
    assert_string_equal(log.ops, ops);
    small_log_close(&log);
}

/* A line that is an event of the kind and cannot be read is named, with what it should have had. */
static inline void small_log_breaks(const char *kind, const char *line, const char *expected)
{
    struct small_log log;
    small_log_read(&log, kind, line, NULL);
    assert_int_equal(log.status, DIAG_USAGE);
    if (!strstr(log.diag.text, expected) || !strstr(log.diag.text, "log:1:"))
        fail_msg("%s", log.diag.text);
    small_log_close(&log);
}

#endif
