/* stores_files.c - stores dump DIR and stores list DIR: what the files of a wheel-log hold, what is pending in them, and what is
 * damaged.  Neither changes anything. */
#include "labs/durable/durable.h"

#include "harness/base/memory.h"
#include "labs/durable/stores/wheel_log.h"

#include <fcntl.h>
#include <unistd.h>

static void print_segment(const char *file, uint64_t bytes, const struct wl_file_header *header)
{
    printf("%s  segment, %" PRIu64 " bytes", file, bytes);
    if (header)
        printf(", format %u, %u slots of %u ms, %u hours", header->version, header->geometry.slots,
               header->geometry.slot_ms, header->geometry.hours);
    printf("\n");
}

/* Each kind has its own use of key and due (wheel_log_format.h). */
static void print_record(uint64_t offset, const struct wl_record *record)
{
    const struct wl_entry *entry = &record->entry;
    const char *wheel = entry->kind & WL_COARSE ? "hours" : "seconds";
    printf("  %10" PRIu64 "  ", offset);
    switch (wl_kind_of(entry)) {
    case WL_PUT:
        printf("put     key %" PRIu64 ", due %" PRIu64 ", %u bytes%s, %s", entry->key, entry->due,
               entry->size, entry->kind & WL_LATE ? " with the due it was put with" : "", wheel);
        break;
    case WL_CANCEL:
        printf("cancel  of the message at %" PRIu64 ", due %" PRIu64 ", %s", entry->key, entry->due,
               wheel);
        break;
    case WL_DONE:
        printf("done    up to due %" PRIu64 ", position %" PRIu64 "; %u messages", entry->due,
               entry->key, entry->body_check);
        break;
    case WL_SEAL:
        printf("seal    over at %" PRIu64 ", %" PRIu64 " messages put up to here", entry->due,
               entry->key);
        break;
    default:
        printf("bridge  over the lost entry at %" PRIu64 ", %s", entry->key, wheel);
    }
    if (entry->back)
        printf(", back to %" PRIu64, record->position - entry->back);
    printf("\n");
}

static void print_checkpoint(const char *file, const struct wl_state *state)
{
    printf("%s  checkpoint %" PRIu64 ", log up to %" PRIu64 ", done up to due %" PRIu64
           " position %" PRIu64 ", hours open up to %" PRIu64 ", %" PRIu64 " pending\n",
           file, state->sequence, state->log, state->floor_due, state->floor_position,
           state->opened, state->pending);
}

/* It needs no lock and does not recover: beside an open store it sees what has been written so far. */
struct inspection {
    struct wl_segments segments;
    struct diag *diag;
    bool damaged;
    size_t files;
    struct pending *pending; /* NULL: everything is printed */
};

/* A message that was put, or a cancel: `key` is the position of its message then. */
struct seen {
    uint64_t due, position, key, own_due;
    uint32_t size;
};

/* What `stores list` remembers: 40 bytes for each message of the log. */
struct pending {
    struct seen *puts;
    uint64_t *cancelled; /* positions */
    size_t put_count, put_room, cancelled_count, cancelled_room;
    struct wl_place floor; /* all up to here is done */
};

static void pending_floor(struct pending *pending, struct wl_place place)
{
    if (!wl_at_or_before(place, pending->floor))
        pending->floor = place;
}

static void pending_add(struct pending *pending, const struct wl_record *record)
{
    const struct wl_entry *entry = &record->entry;
    bool late = entry->kind & WL_LATE;
    if (wl_kind_of(entry) == WL_DONE)
        pending_floor(pending, (struct wl_place){entry->due, entry->key});
    if (wl_kind_of(entry) == WL_CANCEL) {
        memory_room(&pending->cancelled, pending->cancelled_count, &pending->cancelled_room,
                    sizeof *pending->cancelled);
        pending->cancelled[pending->cancelled_count++] = entry->key;
    }
    if (wl_kind_of(entry) == WL_PUT) {
        memory_room(&pending->puts, pending->put_count, &pending->put_room, sizeof *pending->puts);
        pending->puts[pending->put_count++] = (struct seen){
            entry->due, record->position, entry->key, late ? wl_load(record->body, 8) : entry->due,
            late ? entry->size - 8 : entry->size};
    }
}

static void damage(struct inspection *this, const char *file, uint64_t offset, const char *what)
{
    this->damaged = true;
    fprintf(this->pending ? stderr : stdout, "damaged: %s at %" PRIu64 ": %s\n", file, offset,
            what);
}

static int other_version(const struct inspection *this, const char *file)
{
    return diag_usage(this->diag, "%s: another format version; this program reads version %u", file,
                      WL_VERSION);
}

static int unreadable(const struct inspection *this, const char *file)
{
    return diag_usage(this->diag, "%s: %s; expected a store of wheel-log", file, strerror(errno));
}

/* What there is between the records. */
static void gap(struct inspection *this, const char *file, uint64_t offset,
                const struct wl_record *record, bool last)
{
    char text[80];
    uint64_t to = last ? record->written : record->to;
    if (to == record->position)
        return;
    snprintf(text, sizeof text, "%llu bytes are no record",
             (unsigned long long)(to - record->position));
    damage(this, file, offset, text);
}

static int segment_records(struct inspection *this, const char *file, uint64_t base, uint64_t end,
                           bool last)
{
    struct wl_scan scan;
    struct wl_record record;
    enum wl_found found;
    wl_scan_begin(&scan, &this->segments, base + WL_FILE_HEADER_BYTES, end);
    while ((found = wl_scan_next(&scan, &record)) != WL_FOUND_END && found != WL_FOUND_ERROR) {
        uint64_t offset = record.position - base;
        if (found == WL_FOUND_GAP || found == WL_FOUND_TAIL)
            gap(this, file, offset, &record, found == WL_FOUND_TAIL && last);
        else if (!this->pending)
            print_record(offset, &record);
        else if (found == WL_FOUND_RECORD)
            pending_add(this->pending, &record);
        if (found == WL_FOUND_BAD_BODY)
            damage(this, file, offset + WL_ENTRY_BYTES, "payload: checksum differs");
    }
    wl_scan_end(&scan);
    return found == WL_FOUND_ERROR ? unreadable(this, file) : DIAG_OK;
}

/* What of the log is missing before a segment. */
static int missing_inspect(struct inspection *this, size_t at)
{
    struct wl_missing missing;
    char file[WL_NAME_BYTES], text[WL_MISSING_BYTES];
    if (wl_segments_missing(&this->segments, at, &missing) == WL_READ_ERROR)
        return unreadable(this, "log");
    if (missing.from == missing.to)
        return DIAG_OK;
    uint64_t offset = wl_missing_file(&this->segments, &missing, file);
    wl_missing_say(&missing, text);
    damage(this, file, offset, text);
    return DIAG_OK;
}

static int segment_inspect(struct inspection *this, size_t at)
{
    struct wl_segment *segment = this->segments.list[at];
    struct wl_file_header header;
    unsigned char bytes[WL_FILE_HEADER_BYTES];
    char file[WL_NAME_BYTES];
    size_t got;
    bool last = at + 1 == this->segments.count;
    wl_segment_name(file, segment->base);
    if (wl_segments_read(&this->segments, segment->base, bytes, sizeof bytes, &got) ==
        WL_READ_ERROR)
        return unreadable(this, file);
    /* The last one was just being made; of any other the one behind it says what is missing. */
    if (got < sizeof bytes || segment->size < sizeof bytes)
        return DIAG_OK;
    enum wl_header_state state = wl_header_read(bytes, &header);
    if (state == WL_HEADER_OTHER_VERSION)
        return other_version(this, file);
    bool good =
        state == WL_HEADER_GOOD && header.kind == WL_FILE_SEGMENT && header.number == segment->base;
    segment->over = good ? header.over : 0;
    segment->puts = good ? header.puts : 0;
    int status = missing_inspect(this, at);
    if (!this->pending)
        print_segment(file, segment->size, good ? &header : NULL);
    if (!good)
        damage(this, file, 0, "header: checksum differs");
    if (status != DIAG_OK)
        return status;
    return segment_records(this, file, segment->base, segment->base + segment->size, last);
}

static int checkpoint_inspect(struct inspection *this, unsigned number)
{
    struct wl_wheel wheel = {.pages_held = 0};
    struct wl_state state;
    const char *what = "", *file = wl_checkpoint_name(number);
    char text[96];
    uint64_t at = 0;
    switch (wl_checkpoint_read(this->segments.directory, number, &wheel, &state, &what, &at)) {
    case WL_CHECKPOINT_WHOLE:
        this->files++;
        if (this->pending)
            pending_floor(this->pending, (struct wl_place){state.floor_due, state.floor_position});
        else
            print_checkpoint(file, &state);
        break;
    case WL_CHECKPOINT_DAMAGED:
        this->files++;
        snprintf(text, sizeof text, "%s: checksum differs", what);
        damage(this, file, at, text);
        break;
    case WL_CHECKPOINT_OTHER_VERSION:
        return other_version(this, file);
    case WL_CHECKPOINT_ERROR:
        return unreadable(this, file);
    case WL_CHECKPOINT_ABSENT:
        break;
    }
    wl_wheel_close(&wheel);
    return DIAG_OK;
}

static int inspect_all(struct inspection *this, const char *directory, int fd)
{
    int status = DIAG_OK, failed = wl_segments_open(&this->segments, fd);
    if (failed) {
        errno = failed;
        status = unreadable(this, directory);
    }
    atomic_store(&this->segments.readable, UINT64_MAX);
    this->files = this->segments.count;
    for (size_t i = 0; status == DIAG_OK && i < this->segments.count; i++)
        status = segment_inspect(this, i);
    for (unsigned i = 0; status == DIAG_OK && i < 2; i++)
        status = checkpoint_inspect(this, i);
    wl_segments_close(&this->segments);
    if (status == DIAG_OK && this->files == 0)
        return diag_usage(this->diag, "%s: no file of a wheel-log is in it", directory);
    return status;
}

static int inspect(struct inspection *this, const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = fd < 0 ? unreadable(this, directory) : inspect_all(this, directory, fd);
    if (fd >= 0)
        close(fd);
    return status;
}

/* ---- stores list. ------------------------------------------------------------------------------ */

static int by_due(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    if (a->due != b->due)
        return a->due < b->due ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Leaves those that are neither done nor cancelled, in the order in which they will be handed out. */
static void pending_settle(struct pending *pending)
{
    size_t kept = 0;
    if (pending->cancelled_count > 0)
        qsort(pending->cancelled, pending->cancelled_count, sizeof(uint64_t), by_number);
    for (size_t i = 0; i < pending->put_count; i++) {
        const struct seen *put = &pending->puts[i];
        struct wl_place place = {put->due, put->position};
        if (!wl_at_or_before(place, pending->floor) &&
            !(pending->cancelled_count > 0 &&
              bsearch(&put->position, pending->cancelled, pending->cancelled_count,
                      sizeof(uint64_t), by_number)))
            pending->puts[kept++] = *put;
    }
    pending->put_count = kept;
    if (kept > 0)
        qsort(pending->puts, kept, sizeof *pending->puts, by_due);
}

static void print_table(const struct pending *pending)
{
    printf("%20s %20s %8s %16s\n", "due, ms", "key", "bytes", "position");
    for (size_t i = 0; i < pending->put_count; i++)
        printf("%20" PRIu64 " %20" PRIu64 " %8u %16" PRIu64 "\n", pending->puts[i].own_due,
               pending->puts[i].key, pending->puts[i].size, pending->puts[i].position);
    printf("%zu pending\n", pending->put_count);
}

static bool print_json(const struct pending *pending, FILE *out, bool damaged)
{
    fprintf(
        out,
        "{\"schema_version\": 1, \"kind\": \"stores-pending\", \"damaged\": %s, \"messages\": [",
        damaged ? "true" : "false");
    /* Keys and positions are text: they may be larger than what readers of JSON keep exactly. */
    for (size_t i = 0; i < pending->put_count; i++)
        fprintf(out,
                "%s\n  {\"due_ms\": %" PRIu64 ", \"key\": \"%" PRIu64
                "\", \"bytes\": %u, \"position\": \"%" PRIu64 "\"}",
                i > 0 ? "," : "", pending->puts[i].own_due, pending->puts[i].key,
                pending->puts[i].size, pending->puts[i].position);
    fprintf(out, "\n]}\n");
    return fflush(out) == 0 && !ferror(out);
}

static int print_pending(const struct pending *pending, const char *json, bool damaged,
                         struct diag *diag)
{
    if (!json || strcmp(json, "-") != 0)
        print_table(pending);
    if (!json)
        return DIAG_OK;
    FILE *out = strcmp(json, "-") == 0 ? stdout : fopen(json, "we");
    bool is_written = out && print_json(pending, out, damaged);
    if (out && out != stdout)
        is_written = fclose(out) == 0 && is_written;
    return is_written ? DIAG_OK : diag_run(diag, "%s: %s", json, strerror(errno));
}

int stores_list(const char *directory, const char *json, bool *damaged, struct diag *diag)
{
    struct pending pending = {0};
    struct inspection this = {.diag = diag, .pending = &pending};
    int status = inspect(&this, directory);
    if (status == DIAG_OK) {
        pending_settle(&pending);
        status = print_pending(&pending, json, this.damaged, diag);
    }
    *damaged = this.damaged;
    free(pending.puts);
    free(pending.cancelled);
    return status;
}

/* ---- stores dump. ------------------------------------------------------------------------------ */

int stores_dump(const char *directory, bool *damaged, struct diag *diag)
{
    struct inspection this = {.diag = diag};
    int status = inspect(&this, directory);
    *damaged = this.damaged;
    return status;
}
