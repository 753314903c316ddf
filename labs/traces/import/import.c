/* import.c - reads a log line by line and hands it to the importer of its kind. */
#include "labs/traces/import/import.h"

#include "harness/base/memory.h"
#include "harness/base/text.h"

const struct import_kind *const import_kinds[] = {
    &import_nginx, &import_libuv, &import_libevent, &import_ktimer, &import_khrtimer,
    &import_cache, NULL};

const struct import_kind *import_kind_find(const char *name)
{
    for (size_t i = 0; import_kinds[i]; i++)
        if (strcmp(import_kinds[i]->name, name) == 0)
            return import_kinds[i];
    return NULL;
}

int import_kind_take(const char *name, const struct import_kind **out, struct diag *diag)
{
    char names[200], hint[NEAREST_HINT];
    struct text list = text_in(names, sizeof names);
    *out = import_kind_find(name);
    for (size_t i = 0; import_kinds[i]; i++)
        text_add_item(&list, ", ", "%s", import_kinds[i]->name);
    return *out ? DIAG_OK
                : diag_usage(diag, "import: unknown log kind '%.60s'; expected one of %s%s", name,
                             names, nearest_listed(name, names, hint, sizeof hint));
}

/* ---- Opening and closing ------------------------------------------------------------------------- */

void import_open(struct import *import, const struct import_options *options)
{
    *import = (struct import){.options = options};
    import->state = memory_take(1, options->kind->state_size);
}

static void track_free(const struct import_kind *kind, struct import_track *track)
{
    if (track->state && kind->track_close)
        kind->track_close(track->state);
    free(track->state);
    if (track->converted)
        builder_close(&track->builder);
    free(track);
}

void import_close(struct import *import)
{
    const struct import_kind *kind = import->options->kind;
    for (uint32_t i = 0; i < import->track_keys.count; i++)
        track_free(kind, import->tracks[i]);
    free(import->tracks);
    keymap_close(&import->track_keys);
    if (kind->close)
        kind->close(import->state);
    free(import->state);
    tally_close(&import->converter);
    tally_close(&import->functions);
    tally_close(&import->flags);
    distribution_close(&import->delays);
    *import = (struct import){.options = import->options};
}

/* ---- Tracks -------------------------------------------------------------------------------------- */

static struct import_track *track_add(struct import *import, uint64_t key, bool selected)
{
    const struct import_options *options = import->options;
    struct import_track *track = memory_take(1, sizeof *track);
    memory_room(&import->tracks, import->track_keys.count, &import->track_room,
                sizeof(struct import_track *));
    track->key = key;
    track->converted = selected;
    track->builder.recycle = options->ids_recycle;
    if (selected)
        track->state = memory_take(1, options->kind->track_size);
    import->track_last = keymap_add(&import->track_keys, key);
    import->tracks[import->track_last] = track;
    return track;
}

struct import_track *import_track(struct import *import, uint64_t key, bool selected)
{
    const struct keymap *keys = &import->track_keys;
    if (keys->count > 0 && keys->keys[import->track_last] == key)
        return import->tracks[import->track_last];
    uint32_t number = keymap_find(keys, key);
    if (number == KEYMAP_NONE)
        return track_add(import, key, selected);
    import->track_last = number;
    return import->tracks[number];
}

static int tracks_compare(const void *left, const void *right)
{
    const struct import_track *a = *(struct import_track *const *)left;
    const struct import_track *b = *(struct import_track *const *)right;
    if (a->lines != b->lines)
        return (a->lines < b->lines) - (a->lines > b->lines);
    return (a->key > b->key) - (a->key < b->key);
}

struct import_track **import_tracks_sorted(const struct import *import)
{
    uint32_t count = import->track_keys.count;
    struct import_track **tracks = memory_take(count, sizeof(struct import_track *));
    for (uint32_t i = 0; i < count; i++)
        tracks[i] = import->tracks[i];
    qsort(tracks, count, sizeof(struct import_track *), tracks_compare);
    return tracks;
}

void import_track_name(const struct import *import, const struct import_track *track, char *out,
                       size_t size)
{
    bool is_address = import->options->kind->keys & IMPORT_LOOP;
    snprintf(out, size, is_address ? "0x%llx" : "%llu", (unsigned long long)track->key);
}

/* Of those that were converted, the one with most lines; of equal ones the first. */
static void track_choose(struct import *import)
{
    for (uint32_t i = 0; i < import->track_keys.count; i++) {
        struct import_track *track = import->tracks[i];
        if (track->converted && (!import->chosen || track->lines > import->chosen->lines))
            import->chosen = track;
    }
}

/* ---- What the kinds of Linux share --------------------------------------------------------------- */

enum import_line import_ftrace(struct import *import, struct span line,
                               struct ftrace_record *record)
{
    switch (ftrace_read(line, record)) {
    case FTRACE_RECORD:
        return IMPORT_USED;
    case FTRACE_LOST:
        import->lost += record->lost ? record->lost : 1;
        return IMPORT_COMMENT;
    case FTRACE_COMMENT:
        return IMPORT_COMMENT;
    default:
        return IMPORT_OTHER;
    }
}

bool import_selects(const struct import_options *options, const struct ftrace_record *record)
{
    if (options->by_pid && options->pid != record->pid && options->pid != record->tgid)
        return false;
    return !options->by_cpu || options->cpu == record->cpu;
}

/* ---- Lines --------------------------------------------------------------------------------------- */

/* "FILE:LINE: 'the line, if need be shortened'" with what is not text made visible. */
static void line_show(const struct import *import, struct span line, char *out, size_t size)
{
    char excerpt[101];
    size_t length = span_length(line) < 100 ? span_length(line) : 100;
    for (size_t i = 0; i < length; i++)
        excerpt[i] = (unsigned char)line.at[i] < ' ' || line.at[i] == 0x7f ? '?' : line.at[i];
    excerpt[length] = '\0';
    snprintf(out, size, "%s:%llu: '%s%s'", import->name, (unsigned long long)import->lines, excerpt,
             span_length(line) > length ? "..." : "");
}

/* Nothing of this kind has been seen yet: whose line is it?  The first that is somebody's is kept, or
 * else the first of all. */
static void line_other(struct import *import, struct span line)
{
    enum { LINES_LOOKED_AT = 100000 };
    if (import->looks_like || import->lines > LINES_LOOKED_AT)
        return;
    for (size_t i = 0; import_kinds[i] && !import->looks_like; i++)
        if (import_kinds[i] != import->options->kind && import_kinds[i]->recognise(line))
            import->looks_like = import_kinds[i];
    if (import->looks_like || !import->first_other[0])
        line_show(import, line, import->first_other, sizeof import->first_other);
}

static void line_broken(struct import *import, struct span line)
{
    if (import->broken_lines++ == 0) {
        char shown[400];
        line_show(import, line, shown, sizeof shown);
        snprintf(import->first_broken, sizeof import->first_broken, "%.200s, expected %.40s", shown,
                 import->broken);
    }
}

static void line_take(struct import *import, struct span line)
{
    if (line.at < line.end && line.end[-1] == '\r')
        line.end--;
    import->lines++;
    switch (import->options->kind->line(import, line)) {
    case IMPORT_USED:
        import->used++;
        break;
    case IMPORT_OTHER:
        if (import->used == 0)
            line_other(import, line);
        break;
    case IMPORT_BROKEN:
        line_broken(import, line);
        break;
    case IMPORT_COMMENT:
        break;
    }
}

/* Whole lines, or what is left without a newline: the end of a log that was cut, of which nobody can tell
 * whether a number is whole. */
static void block_take(struct import *import, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline) {
            import->torn++;
            return;
        }
        line_take(import, (struct span){text, newline});
        text = newline + 1;
    }
}

/* ---- What is to be said of it -------------------------------------------------------------------- */

void import_note(struct import *import, const char *format, ...)
{
    size_t used = strlen(import->notes), room = sizeof import->notes - used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(import->notes + used, room, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length + 2 <= room)
        memcpy(import->notes + used + length, "\n", 2);
    else
        import->notes[used] = '\0';
}

/* ---- What may be wrong with it ------------------------------------------------------------------- */

static int not_this_kind(const struct import *import, struct diag *diag)
{
    const struct import_kind *kind = import->options->kind;
    if (import->lines == 0)
        return diag_usage(diag, "%s:1: there is no line in it, expected %s as %s", import->name,
                          kind->expected, kind->reads);
    if (import->first_broken[0])
        return diag_usage(diag, "%s, in every line such as this", import->first_broken);
    if (import->looks_like)
        return diag_usage(diag, "%s looks like %s (import %s), expected %s as %s",
                          import->first_other, import->looks_like->reads, import->looks_like->name,
                          kind->expected, kind->reads);
    if (!import->first_other[0])
        return diag_usage(diag, "%s:%llu: there are only comments in it, expected %s as %s",
                          import->name, (unsigned long long)import->lines, kind->expected,
                          kind->reads);
    return diag_usage(diag, "%s and no other line is of use, expected %s as %s",
                      import->first_other, kind->expected, kind->reads);
}

/* "22937 (1989 lines), 22938 (12 lines)", as many as there is room for. */
static void tracks_list(const struct import *import, char *out, size_t size)
{
    struct import_track **tracks = import_tracks_sorted(import);
    struct text list = text_in(out, size);
    char name[40];
    for (uint32_t i = 0; i < import->track_keys.count; i++) {
        import_track_name(import, tracks[i], name, sizeof name);
        text_add_item(&list, ", ", "%s (%llu lines)", name, (unsigned long long)tracks[i]->lines);
    }
    free(tracks);
}

static int nothing_chosen(const struct import *import, struct diag *diag)
{
    char list[400];
    tracks_list(import, list, sizeof list);
    if (!import->options->kind->track || !*list)
        return diag_usage(diag, "%s: nothing in it is what was selected", import->name);
    return diag_usage(diag, "%s: nothing in it is what was selected; there are %s %s", import->name,
                      import->options->kind->track, list);
}

static int no_operations(const struct import *import, struct diag *diag)
{
    return diag_usage(diag, "%s: no timer is started in it: %llu lines, %llu of them events",
                      import->name, (unsigned long long)import->lines,
                      (unsigned long long)import->used);
}

static int log_end(struct import *import, struct diag *diag)
{
    const struct import_kind *kind = import->options->kind;
    for (uint32_t i = 0; kind->track_end && i < import->track_keys.count; i++)
        if (import->tracks[i]->converted)
            kind->track_end(import, import->tracks[i]);
    return kind->finish ? kind->finish(import, diag) : DIAG_OK;
}

int import_read(struct import *import, struct textfile *log, struct diag *diag)
{
    const struct import_kind *kind = import->options->kind;
    const char *text;
    size_t length;
    int status;
    snprintf(import->name, sizeof import->name, "%s", textfile_name(log));
    while ((status = textfile_block(log, &text, &length, diag)) > 0)
        block_take(import, text, length);
    if (status == DIAG_OK && import->used == 0)
        status = not_this_kind(import, diag);
    if (status == DIAG_OK)
        status = log_end(import, diag);
    if (status != DIAG_OK)
        return status;
    track_choose(import);
    if (!import->chosen)
        return nothing_chosen(import, diag);
    if (import->chosen->builder.op_count == 0)
        return no_operations(import, diag);
    if (kind->count)
        kind->count(import, import->chosen);
    tally_sort(&import->functions);
    return DIAG_OK;
}
