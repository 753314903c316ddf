/* trace.c - reads a trace of the format timer-trace 1, strictly. */
#include "harness/measure/workload/trace.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/scan.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/measure/workload/agenda.h"
#include "harness/measure/workload/oracle.h"

#include <unistd.h>

struct reader {
    struct textfile *file;
    struct trace_header *header;
    struct diag *diag;
    trace_visit_fn *visit;
    void *ctx;
    struct agenda armed; /* what is armed in the trace, at its own tick */
    tw_tick now;
    uint64_t ops, ids, max_armed;
};

static int reader_fail(const struct reader *reader, const char *found, const char *expected)
{
    return diag_usage(reader->diag, "%s:%llu: %.80s, expected %s", textfile_name(reader->file),
                      (unsigned long long)textfile_line_number(reader->file), found, expected);
}

/* "FILE:LINE: 'the line', expected ..." */
static int line_fail(const struct reader *reader, const char *line, const char *expected)
{
    char found[80];
    snprintf(found, sizeof found, "'%.60s'", line);
    return reader_fail(reader, found, expected);
}

/* ---- Decimal numbers, as the format writes them: no sign, no blank, no leading zero ---------- */

static bool number_read(struct span *rest, uint64_t *out)
{
    bool leading = span_length(*rest) > 1 && *rest->at == '0' && scan_is_digit(rest->at[1]);
    return !leading && scan_unsigned(rest, out);
}

static bool delay_read(struct span *rest, int64_t *out)
{
    uint64_t magnitude;
    bool negative = scan_literal(rest, "-");
    if (!number_read(rest, &magnitude) || magnitude > INT64_MAX || (negative && magnitude == 0))
        return false;
    *out = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* ---- Header ---------------------------------------------------------------------------------- */

struct header_key {
    const char *name;
    size_t offset;
    uint64_t min, max;
    const char *expected;
};

#define HEADER_KEY(name, min, max, expected)                                                       \
    {                                                                                              \
#name, offsetof(struct trace_header, name), min, max, expected                             \
    }

static const struct header_key header_keys[] = {
    HEADER_KEY(unit_ns, 1, UINT64_C(86400000000000), "nanoseconds from 1 to a day"),
    HEADER_KEY(ids, 1, TW_CAPACITY_MAX, "a number of ids, 1 .. 1e9"),
    HEADER_KEY(ops, 1, UINT64_C(1) << 40, "a number of operations, 1 .. 2^40"),
    HEADER_KEY(max_armed, 1, TW_CAPACITY_MAX, "a number of timers, 1 .. 1e9"),
    HEADER_KEY(end, 0, INT64_MAX, "a tick below 2^63"),
};

enum { HEADER_KEYS = sizeof header_keys / sizeof *header_keys };

static int header_number(struct reader *reader, const struct header_key *key, const char *text)
{
    uint64_t value;
    struct span rest = span_of(text, strlen(text));
    if (!number_read(&rest, &value) || rest.at < rest.end || value < key->min || value > key->max) {
        char found[80];
        snprintf(found, sizeof found, "%s is '%.40s'", key->name, text);
        return reader_fail(reader, found, key->expected);
    }
    memcpy((char *)reader->header + key->offset, &value, sizeof value);
    return DIAG_OK;
}

/* One "# key: value".  `seen` has a bit per key, and the one after them is the source's. */
static int header_line(struct reader *reader, const char *line, unsigned *seen)
{
    struct span at = span_of(line, strlen(line));
    if (!scan_literal(&at, "# "))
        return line_fail(reader, line, "'# key: value'");
    for (unsigned i = 0; i <= HEADER_KEYS; i++) {
        const char *name = i < HEADER_KEYS ? header_keys[i].name : "source";
        struct span value = at;
        if (!scan_literal(&value, name) || !scan_literal(&value, ": "))
            continue;
        if (*seen & 1u << i)
            return line_fail(reader, line, "each key once");
        *seen |= 1u << i;
        if (i < HEADER_KEYS)
            return header_number(reader, &header_keys[i], value.at);
        snprintf(reader->header->source, TRACE_SOURCE_SIZE, "%s", value.at);
        jsontext_repair(reader->header->source);
        return DIAG_OK;
    }
    return line_fail(reader, line, "source, unit_ns, ids, ops, max_armed or end");
}

/* Reads the header and the first line after it.  1 when there is one, 0 at the end of the file. */
static int header_read(struct reader *reader, char **line)
{
    size_t length;
    unsigned seen = 0;
    *reader->header = (struct trace_header){0};
    int status = textfile_line(reader->file, line, &length, reader->diag);
    if (status == 0)
        return diag_usage(reader->diag, "%s:1: the file is empty, expected '# timer-trace 1'",
                          textfile_name(reader->file));
    if (status > 0 && strcmp(*line, "# timer-trace 1") != 0)
        return line_fail(reader, *line, "'# timer-trace 1'");
    while (status > 0) {
        status = textfile_line(reader->file, line, &length, reader->diag);
        if (status <= 0 || **line != '#')
            break;
        int error = header_line(reader, *line, &seen);
        if (error != DIAG_OK)
            return error;
    }
    for (unsigned i = 0; status >= 0 && i < HEADER_KEYS; i++)
        if (!(seen & 1u << i)) {
            char found[80];
            snprintf(found, sizeof found, "the header has no %s", header_keys[i].name);
            return reader_fail(reader, found, header_keys[i].expected);
        }
    return status;
}

int trace_header_read(struct textfile *file, struct trace_header *header, struct diag *diag)
{
    struct reader reader = {.file = file, .header = header, .diag = diag};
    char *line;
    int status = header_read(&reader, &line);
    return status < 0 ? status : DIAG_OK;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static int operation_read(struct reader *reader, const char *line, struct trace_operation *out)
{
    struct span rest = span_of(line, strlen(line));
    uint64_t id;
    if (!number_read(&rest, &out->now) || *rest.at != ' ')
        return line_fail(reader, line, "'now s id delay' or 'now c id', now a tick below 2^63");
    out->is_start = scan_literal(&rest, " s ");
    if (!out->is_start && !scan_literal(&rest, " c "))
        return line_fail(reader, line, "'s' or 'c' after the tick");
    if (!number_read(&rest, &id))
        return line_fail(reader, line, "an id");
    if (id >= reader->header->ids) {
        char expected[64];
        snprintf(expected, sizeof expected, "an id below ids = %llu",
                 (unsigned long long)reader->header->ids);
        return line_fail(reader, line, expected);
    }
    out->id = (tw_id)id;
    out->delay = 0;
    if (out->is_start && (!scan_literal(&rest, " ") || !delay_read(&rest, &out->delay)))
        return line_fail(reader, line, "a delay in ticks after the id");
    return rest.at < rest.end ? line_fail(reader, line, "the end of the line") : DIAG_OK;
}

static void reader_fire(void *ctx, tw_id id, tw_tick due)
{
    (void)ctx, (void)id, (void)due;
}

static int clock_follow(struct reader *reader, const char *line, tw_tick now)
{
    char expected[64];
    if (now < reader->now) {
        snprintf(expected, sizeof expected, "a tick of at least %llu, as on the line before",
                 (unsigned long long)reader->now);
        return line_fail(reader, line, expected);
    }
    if (now > reader->header->end) {
        snprintf(expected, sizeof expected, "a tick up to end = %llu",
                 (unsigned long long)reader->header->end);
        return line_fail(reader, line, expected);
    }
    agenda_advance(&reader->armed, now, reader_fire, NULL);
    reader->now = now;
    return DIAG_OK;
}

/* Memory follows the ids that occur, not what a header claims. */
static void ids_follow(struct reader *reader, tw_id id)
{
    if (id >= reader->ids)
        reader->ids = (uint64_t)id + 1;
    if (id < reader->armed.capacity)
        return;
    uint64_t capacity = ((uint64_t)id + 1) * 2;
    if (capacity > reader->header->ids)
        capacity = reader->header->ids;
    agenda_grow(&reader->armed, (uint32_t)capacity);
}

static int operation_apply(struct reader *reader, const char *line,
                           const struct trace_operation *operation)
{
    int status = clock_follow(reader, line, operation->now);
    if (status != DIAG_OK)
        return status;
    ids_follow(reader, operation->id);
    if (operation->is_start) {
        tw_tick deadline = stream_deadline(operation->now, operation->delay);
        tw_tick soonest = operation->now + 1;
        agenda_start(&reader->armed, operation->id, deadline > soonest ? deadline : soonest);
    } else if (!agenda_stop(&reader->armed, operation->id)) {
        return line_fail(reader, line, "a cancel of a timer that is armed");
    }
    if (reader->armed.running > reader->max_armed)
        reader->max_armed = reader->armed.running;
    reader->ops++;
    return reader->visit(reader->ctx, operation);
}

static int count_check(const struct reader *reader, const char *key, uint64_t claimed,
                       uint64_t found)
{
    if (claimed == found)
        return DIAG_OK;
    return diag_usage(reader->diag, "%s: the header says %s: %llu, expected %llu as in the lines",
                      textfile_name(reader->file), key, (unsigned long long)claimed,
                      (unsigned long long)found);
}

static int counts_check(const struct reader *reader)
{
    int status = count_check(reader, "ops", reader->header->ops, reader->ops);
    if (status == DIAG_OK)
        status = count_check(reader, "ids", reader->header->ids, reader->ids);
    if (status == DIAG_OK)
        status = count_check(reader, "max_armed", reader->header->max_armed, reader->max_armed);
    return status;
}

static int operations_read(struct reader *reader, char *line)
{
    int more = 1;
    while (more > 0) {
        struct trace_operation operation;
        size_t length;
        int status = operation_read(reader, line, &operation);
        if (status == DIAG_OK)
            status = operation_apply(reader, line, &operation);
        if (status != DIAG_OK)
            return status;
        more = textfile_line(reader->file, &line, &length, reader->diag);
    }
    return more < 0 ? more : counts_check(reader);
}

int trace_read(struct textfile *file, struct trace_header *header, trace_visit_fn *visit, void *ctx,
               struct diag *diag)
{
    struct reader reader = {
        .file = file, .header = header, .diag = diag, .visit = visit, .ctx = ctx};
    char *line;
    agenda_open(&reader.armed, 0);
    int status = header_read(&reader, &line);
    if (status > 0)
        status = operations_read(&reader, line);
    else if (status == 0)
        status = counts_check(&reader);
    agenda_close(&reader.armed);
    return status;
}

/* ---- The operations of one instant, in runs. -------------------------------------------------- */

/* A recorded program starts and stops timers in turn, from call sites that know what they are
 * about to do.  A replay that follows the lines one by one has a single call site, cannot know, and
 * pays a mispredicted branch at many changes (docs/MEASUREMENT.md has the figures).  But no time
 * passes within an instant, so operations on different timers commute: which timers run, and with
 * which deadlines, is the same in any order that keeps each timer's own operations in order.  So all
 * stops that can come first are put first, then the starts, and what has to come after them (a stop
 * of what was started in the same instant) behind. */

struct instant_operation {
    tw_id id;
    uint32_t rank;     /* even: a stop, odd: a start; runs are appended in order of rank */
    int64_t delay;     /* of a start */
    uint64_t slack_ns; /* of a start: how much later than asked for it is due by rounding */
};

/* Zero-initialised but for the stream it is empty. */
struct instant {
    struct stream *stream; /* what is appended to; not owned */
    struct instant_operation *operations;
    size_t count, room;
    struct instant_mark *marks; /* per id: the rank of its last operation, and in which instant */
    size_t mark_room;
    uint64_t number; /* of this instant */
    uint32_t rank_max;
};

struct instant_mark {
    uint64_t number; /* of the instant + 1 in which the id last had an operation; 0: never */
    uint32_t rank;
};

static void instant_free(struct instant *instant)
{
    free(instant->operations);
    free(instant->marks);
}

static void instant_reserve(struct instant *instant, tw_id id)
{
    size_t known = instant->mark_room, wanted = (size_t)id + 1;
    memory_room(&instant->operations, instant->count, &instant->room, sizeof *instant->operations);
    if (wanted <= known)
        return;
    instant->mark_room = known * 2 > wanted ? known * 2 : wanted + 64;
    instant->marks = memory_grow(instant->marks, instant->mark_room, sizeof *instant->marks);
    memset(instant->marks + known, 0, (instant->mark_room - known) * sizeof *instant->marks);
}

/* The lowest rank of this kind that is not before the timer's own last operation. */
static uint32_t rank_after(const struct instant *instant, tw_id id, uint32_t kind)
{
    const struct instant_mark *mark = &instant->marks[id];
    if (mark->number != instant->number + 1)
        return kind;
    return mark->rank + ((mark->rank ^ kind) & 1u);
}

static void instant_add(struct instant *instant, tw_id id, uint32_t kind, int64_t delay,
                        uint64_t slack_ns)
{
    instant_reserve(instant, id);
    uint32_t rank = rank_after(instant, id, kind);
    instant->marks[id] = (struct instant_mark){instant->number + 1, rank};
    instant->operations[instant->count++] = (struct instant_operation){id, rank, delay, slack_ns};
    if (rank > instant->rank_max)
        instant->rank_max = rank;
}

static void append_operation(struct stream *stream, const struct instant_operation *operation)
{
    if (operation->rank & 1u)
        stream_append_rounded(stream, operation->id, operation->delay, operation->slack_ns);
    else
        stream_append_stop(stream, operation->id);
}

/* place[rank] is where the next operation of that rank goes in the sorted order. */
static void append_sorted(struct instant *instant)
{
    size_t *place = memory_take((size_t)instant->rank_max + 2, sizeof *place);
    uint32_t *order = memory_take(instant->count, sizeof *order);
    for (size_t i = 0; i < instant->count; i++)
        place[instant->operations[i].rank + 1]++;
    for (uint32_t rank = 0; rank < instant->rank_max; rank++)
        place[rank + 1] += place[rank];
    for (size_t i = 0; i < instant->count; i++)
        order[place[instant->operations[i].rank]++] = (uint32_t)i;
    for (size_t i = 0; i < instant->count; i++)
        append_operation(instant->stream, &instant->operations[order[i]]);
    free(place);
    free(order);
}

/* Appends what was collected to the stream and begins the next instant.  O(operations). */
static void instant_end(struct instant *instant)
{
    if (instant->count > 0)
        append_sorted(instant);
    instant->count = 0;
    instant->rank_max = 0;
    instant->number++;
}

/* ---- To a stream ----------------------------------------------------------------------------- */

/* The stream takes no more; finishing it says why. */
#define CONVERSION_BROKEN (DEADLINE_OVER + 1)

struct conversion {
    const struct trace_header *header;
    struct stream *stream;
    struct instant instant; /* operations since the clock last moved */
    uint64_t tick_ns;       /* wanted; 0: the trace's own */
    uint64_t factor; /* ticks of the trace in one of the stream; 0 until the header is known */
    tw_tick now;     /* of the stream */
};

/* The header is complete when the first operation comes. */
static uint64_t conversion_factor(struct conversion *conversion)
{
    uint64_t unit_ns = conversion->header->unit_ns;
    if (!conversion->factor)
        conversion->factor = conversion->tick_ns > unit_ns ? conversion->tick_ns / unit_ns : 1;
    return conversion->factor;
}

static void conversion_clock(struct conversion *conversion, tw_tick trace_now)
{
    tw_tick now = trace_now / conversion_factor(conversion);
    if (now == conversion->now)
        return;
    instant_end(&conversion->instant);
    stream_append_advance(conversion->stream, now - conversion->now);
    conversion->now = now;
}

/* A deadline that was over when it was asked for can be met by no clock: it counts from then. */
static uint64_t conversion_slack(const struct conversion *conversion, tw_tick trace_now,
                                 tw_tick asked, tw_tick deadline)
{
    tw_tick due = deadline > conversion->now ? deadline : conversion->now + 1;
    tw_tick wanted = asked > trace_now ? asked : trace_now;
    return (due * conversion->factor - wanted) * conversion->header->unit_ns;
}

static int conversion_visit(void *ctx, const struct trace_operation *operation)
{
    struct conversion *conversion = ctx;
    conversion_clock(conversion, operation->now);
    if (!operation->is_start) {
        instant_add(&conversion->instant, operation->id, 0, 0, 0);
        return DIAG_OK;
    }
    int64_t delay = operation->delay;
    tw_tick asked = stream_deadline(operation->now, operation->delay), deadline = asked;
    if (conversion->factor > 1) {
        deadline = deadline / conversion->factor + (deadline % conversion->factor != 0);
        delay = (int64_t)(deadline - conversion->now);
    }
    instant_add(&conversion->instant, operation->id, 1, delay,
                conversion_slack(conversion, operation->now, asked, deadline));
    conversion->stream->below_tick +=
        operation->delay < 0 || (uint64_t)operation->delay < conversion->factor;
    return stream_is_broken(conversion->stream) ? CONVERSION_BROKEN : DIAG_OK;
}

/* The clock goes on to the end, on which nothing is started any more. */
static void conversion_finish(struct conversion *conversion)
{
    conversion_clock(conversion, conversion->header->end);
    instant_end(&conversion->instant);
}

static int tick_check(const struct textfile *file, uint64_t unit_ns, uint64_t tick_ns,
                      struct diag *diag)
{
    if (tick_ns % unit_ns == 0)
        return DIAG_OK;
    char tick[32], unit[32];
    units_format_time(tick, sizeof tick, tick_ns);
    units_format_time(unit, sizeof unit, unit_ns);
    return diag_usage(diag, "%s: a tick of %s is %s the trace's own %s, expected a multiple of it",
                      textfile_name(file), tick,
                      tick_ns < unit_ns ? "finer than" : "no multiple of", unit);
}

static char *trace_spec_json(const char *name, const struct trace_header *header, uint64_t tick_ns)
{
    cJSON *spec = cJSON_CreateObject();
    jsontext_add(spec, "name", name);
    jsontext_add(spec, "source", header->source);
    cJSON_AddNumberToObject(spec, "unit_ns", (double)header->unit_ns);
    cJSON_AddNumberToObject(spec, "tick_ns", (double)tick_ns);
    cJSON_AddNumberToObject(spec, "ids", (double)header->ids);
    cJSON_AddNumberToObject(spec, "ops", (double)header->ops);
    cJSON_AddNumberToObject(spec, "max_armed", (double)header->max_armed);
    cJSON_AddNumberToObject(spec, "end", (double)header->end);
    char *text = cJSON_PrintUnformatted(spec);
    cJSON_Delete(spec);
    return text;
}

static int stream_fill(struct textfile *file, struct stream *stream, uint64_t tick_ns,
                       struct diag *diag)
{
    struct trace_header header;
    struct conversion conversion = {
        .header = &header, .stream = stream, .instant.stream = stream, .tick_ns = tick_ns};
    stream_phase_begin(stream, "replay", NULL);
    int status = trace_read(file, &header, conversion_visit, &conversion, diag);
    if (status == DIAG_OK)
        conversion_finish(&conversion);
    if (status == CONVERSION_BROKEN)
        status = oracle_finish(stream, diag);
    instant_free(&conversion.instant);
    if (status == DIAG_OK && tick_ns)
        status = tick_check(file, header.unit_ns, tick_ns, diag);
    if (status != DIAG_OK)
        return status;
    stream->tick_ns = tick_ns ? tick_ns : header.unit_ns;
    stream->tasks = header.ids;
    stream->capacity = (uint32_t)header.ids;
    snprintf(stream->tasks_meaning, STREAM_NAME_SIZE, "ids in the trace");
    stream->spec_json = trace_spec_json(stream->workload, &header, stream->tick_ns);
    return oracle_finish(stream, diag);
}

int trace_stream(struct textfile *file, const char *name, uint64_t tick_ns, struct deadline until,
                 struct stream **out, struct diag *diag)
{
    struct stream *stream = stream_new(name);
    stream->until = until;
    int status = stream_fill(file, stream, tick_ns, diag);
    if (status == DIAG_OK)
        *out = stream;
    else
        stream_free(stream);
    return status;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *const trace_endings[] = {".tt.xz", ".tt.gz", ".tt"};

enum { TRACE_ENDINGS = sizeof trace_endings / sizeof *trace_endings };

static size_t ending_length(const char *path)
{
    for (size_t i = 0; i < TRACE_ENDINGS; i++)
        if (text_ends_with(path, trace_endings[i]))
            return strlen(trace_endings[i]);
    return 0;
}

bool trace_find(const char *name, const char *directory, char *path, size_t size)
{
    if (strchr(name, '/') || ending_length(name)) {
        snprintf(path, size, "%s", name);
        return access(path, F_OK) == 0;
    }
    for (size_t i = 0; directory && i < TRACE_ENDINGS; i++) {
        snprintf(path, size, "%s/traces/%s%s", directory, name, trace_endings[i]);
        if (access(path, F_OK) == 0)
            return true;
    }
    snprintf(path, size, "%s/traces/%s%s", directory ? directory : ".", name, trace_endings[0]);
    return false;
}

void trace_name(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base) - ending_length(base);
    snprintf(name, size, "%.*s", (int)length, base);
}

/* ---- Delays ---------------------------------------------------------------------------------- */

struct collection {
    struct trace_delays *delays;
    size_t room;
};

static int delays_visit(void *ctx, const struct trace_operation *operation)
{
    struct collection *collection = ctx;
    struct trace_delays *delays = collection->delays;
    if (!operation->is_start)
        return DIAG_OK;
    memory_room(&delays->ticks, delays->count, &collection->room, sizeof *delays->ticks);
    delays->ticks[delays->count++] = operation->delay > 0 ? (uint64_t)operation->delay : 1;
    return DIAG_OK;
}

static int ticks_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int trace_delays_read(const char *name, const char *directory, struct trace_delays *out,
                      struct diag *diag)
{
    char path[4096];
    struct textfile *file;
    struct trace_header header;
    struct collection collection = {.delays = out};
    *out = (struct trace_delays){0};
    if (!trace_find(name, directory, path, sizeof path))
        return diag_usage(diag, "%s: there is no such trace, expected a name or a path", path);
    int status = textfile_refuse_pipe(path, diag);
    if (status == DIAG_OK)
        status = textfile_open(&file, path, diag);
    if (status != DIAG_OK)
        return status;
    status = trace_read(file, &header, delays_visit, &collection, diag);
    textfile_close(file);
    if (status != DIAG_OK) {
        trace_delays_free(out);
        return status;
    }
    qsort(out->ticks, out->count, sizeof *out->ticks, ticks_compare);
    out->unit_ns = header.unit_ns;
    return DIAG_OK;
}

void trace_delays_free(struct trace_delays *delays)
{
    free(delays->ticks);
    *delays = (struct trace_delays){0};
}
