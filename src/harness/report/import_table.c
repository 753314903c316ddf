/* import_table.c - a line per subject; what did not occur is not printed. */
#include "harness/report/import_table.h"

#include "harness/base/units.h"
#include "harness/report/census_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TRACKS_SHOWN = 8, COMMONEST = 5, COLUMNS = 100, INDENT = 13, NAMES_SHOWN = 40 };

/* A label, and words behind it that are wrapped. */
struct line {
    FILE *out;
    int column;
};

static struct line line_begin(FILE *out, const char *label)
{
    fprintf(out, "%-*s", INDENT, label);
    return (struct line){out, INDENT};
}

/* One item of a list; `first` has no comma before it. */
static void line_add(struct line *line, const char *text)
{
    int length = (int)strlen(text);
    bool first = line->column == INDENT;
    if (!first && line->column + 2 + length > COLUMNS) {
        fprintf(line->out, ",\n%*s", INDENT, "");
        line->column = INDENT;
    } else if (!first) {
        line->column += fprintf(line->out, ", ");
    }
    line->column += fprintf(line->out, "%s", text);
}

static void line_end(struct line *line)
{
    fprintf(line->out, "\n");
}

/* "8550 starts"; a count of 0 is left out. */
static void line_count(struct line *line, uint64_t count, const char *what)
{
    char text[160];
    snprintf(text, sizeof text, "%" PRIu64 " %s", count, what);
    if (count > 0)
        line_add(line, text);
}

static void print_tracks(FILE *out, const struct import *import)
{
    const struct import_kind *kind = import->options->kind;
    char name[40], text[100];
    struct import_track **tracks = import_tracks_sorted(import);
    uint32_t count = import->track_keys.count;
    struct line line = line_begin(out, "chosen");
    if (!kind->track || !tracks) {
        free(tracks);
        line_add(&line, "everything that was selected");
        line_end(&line);
        return;
    }
    import_track_name(import, import->chosen, name, sizeof name);
    snprintf(text, sizeof text, "%s %s (%" PRIu64 " lines)%s", kind->track, name,
             import->chosen->lines, count == 1 ? ", the only one" : "");
    line_add(&line, text);
    for (uint32_t i = 0; i < count && i <= TRACKS_SHOWN; i++) {
        if (tracks[i] == import->chosen)
            continue;
        import_track_name(import, tracks[i], name, sizeof name);
        snprintf(text, sizeof text, "not %s (%" PRIu64 ")", name, tracks[i]->lines);
        line_add(&line, text);
    }
    if (count > TRACKS_SHOWN + 1)
        line_count(&line, count - TRACKS_SHOWN - 1, "more");
    line_end(&line);
    free(tracks);
}

static void print_operations(FILE *out, const struct trace_header *header,
                             const struct builder *builder)
{
    const struct builder_counts *counts = &builder->counts;
    char time[32], text[100];
    struct line line = line_begin(out, "operations");
    snprintf(text, sizeof text, "%" PRIu64 ": %" PRIu64 " starts", header->ops, counts->starts_new);
    line_add(&line, text);
    line_count(&line, counts->starts_rearm, "re-arms");
    line_count(&line, counts->cancels, "cancels");
    census_format_time(time, sizeof time, (double)header->end * (double)header->unit_ns);
    snprintf(text, sizeof text, "in %s", time);
    line_add(&line, text);
    line_end(&line);
    line = line_begin(out, "timers");
    snprintf(text, sizeof text, "%u ids of %u objects", builder->ids, builder->names.count);
    line_add(&line, text);
    snprintf(text, sizeof text, "%" PRIu64 " armed at most", header->max_armed);
    line_add(&line, text);
    line_count(&line, counts->expired, "expired");
    line_count(&line, builder->armed, "left armed");
    line_end(&line);
}

static void print_delays(FILE *out, const struct import *import, uint64_t unit_ns)
{
    const struct distribution *delays = &import->delays;
    uint32_t numbers[COMMONEST];
    char time[32], text[100];
    struct line line = line_begin(out, "delays");
    size_t count = distribution_commonest(delays, numbers, COMMONEST);
    for (size_t i = 0; i < count; i++) {
        double ticks = (double)(int64_t)delays->values.keys[numbers[i]];
        census_format_time(time, sizeof time, ticks * (double)unit_ns);
        snprintf(text, sizeof text, "%s %" PRIu64 " times", time, delays->counts[numbers[i]]);
        line_add(&line, text);
    }
    if (delays->values.count > count)
        line_count(&line, delays->values.count - count, "others");
    line_end(&line);
}

static void print_observed(FILE *out, const struct builder *builder, uint64_t unit_ns)
{
    const struct builder_counts *counts = &builder->counts;
    char time[32], text[100];
    struct line line = line_begin(out, "fired");
    line_count(&line, counts->obs_ok, "as implied");
    struct distribution_point *points =
        builder->lateness.total ? distribution_sorted(&builder->lateness) : NULL;
    if (points) {
        int64_t late = distribution_percentile(&builder->lateness, points, 99);
        census_format_time(time, sizeof time, (double)late * (double)unit_ns);
        snprintf(text, sizeof text, "99 %% of these at most %s late", time);
        line_add(&line, text);
    }
    free(points);
    line_count(&line, counts->obs_same_tick, "in the tick of their start");
    line_count(&line, counts->obs_early, "before their deadline (written as cancels)");
    line_count(&line, counts->obs_unknown, "armed before the log");
    if (line.column == INDENT)
        line_add(&line, "none, says the log");
    line_end(&line);
    if (counts->drop_cancel_late + counts->drop_cancel_unknown == 0)
        return;
    line = line_begin(out, "dropped");
    line_count(&line, counts->drop_cancel_late, "cancels after their deadline");
    line_count(&line, counts->drop_cancel_unknown, "cancels of timers armed before the log");
    line_end(&line);
}

struct names {
    struct line line;
    uint64_t shown, others;
};

static void tally_print(void *ctx, const char *name, uint64_t count)
{
    struct names *names = ctx;
    if (names->shown++ < NAMES_SHOWN)
        line_count(&names->line, count, name);
    else
        names->others++;
}

static void print_tally(FILE *out, const char *label, const struct tally *tally)
{
    struct names names = {.line = line_begin(out, label)};
    tally_visit(tally, tally_print, &names);
    line_count(&names.line, names.others, "more names");
    line_end(&names.line);
}

/* What the kind has to say, a line each. */
static void print_notes(FILE *out, const char *notes)
{
    while (*notes) {
        int length = (int)strcspn(notes, "\n");
        fprintf(out, "%-*s%.*s\n", INDENT, "note", length, notes);
        notes += length + (notes[length] == '\n');
    }
}

static void print_log(FILE *out, const struct import *import)
{
    print_tally(out, "log", &import->converter);
    if (import->functions.entries)
        print_tally(out, "functions", &import->functions);
    if (import->broken_lines)
        fprintf(out, "%-*s%" PRIu64 " lines could not be read; the first: %s\n", INDENT, "broken",
                import->broken_lines, import->first_broken);
    if (import->torn)
        fprintf(out, "%-*sthe last line has no newline and was left out\n", INDENT, "torn");
    if (import->lost)
        fprintf(out, "%-*sthe log says that %" PRIu64 " events are missing\n", INDENT, "lost",
                import->lost);
    if (import->chosen->builder.counts.clock_back)
        fprintf(out, "%-*s%" PRIu64 " times the clock went back; taken as the time before\n",
                INDENT, "clock", import->chosen->builder.counts.clock_back);
}

void import_table_write(FILE *out, const struct import *import)
{
    struct trace_header header;
    import_header(import, &header);
    fprintf(out, "%s, %" PRIu64 " lines: %s\n", import->name, import->lines, header.source);
    print_tracks(out, import);
    print_operations(out, &header, &import->chosen->builder);
    print_delays(out, import, header.unit_ns);
    print_observed(out, &import->chosen->builder, header.unit_ns);
    print_log(out, import);
    print_notes(out, import->notes);
}
