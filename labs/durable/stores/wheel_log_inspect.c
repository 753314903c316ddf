/* wheel_log_inspect.c - reads all files of a wheel-log and names what is damaged. */
#include "wheel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct inspection {
    const struct wl_inspector *inspector;
    struct wl_segments segments;
    struct tw_error *why;
    bool damaged;
    size_t files;
};

static void damage(struct inspection *this, const char *file, uint64_t offset, const char *what)
{
    this->damaged = true;
    this->inspector->damage(this->inspector->ctx, file, offset, what);
}

static enum wl_inspection other_version(struct inspection *this, const char *file)
{
    snprintf(this->why->text, sizeof this->why->text,
             "%s: another format version; this program reads version %u", file, WL_VERSION);
    return WL_NOT_A_STORE;
}

static enum wl_inspection unreadable(struct inspection *this, const char *file)
{
    snprintf(this->why->text, sizeof this->why->text, "%s: %s", file, strerror(errno));
    return WL_UNREADABLE;
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

static enum wl_inspection segment_records(struct inspection *this, const char *file, uint64_t base,
                                          uint64_t end, bool last)
{
    struct wl_scan scan;
    struct wl_record record;
    enum wl_found found;
    wl_scan_begin(&scan, &this->segments, base + WL_FILE_HEADER_BYTES, end);
    while ((found = wl_scan_next(&scan, &record)) != WL_FOUND_END && found != WL_FOUND_ERROR) {
        uint64_t offset = record.position - base;
        if (found == WL_FOUND_GAP || found == WL_FOUND_TAIL)
            gap(this, file, offset, &record, found == WL_FOUND_TAIL && last);
        else
            this->inspector->record(this->inspector->ctx, offset, &record);
        if (found == WL_FOUND_BAD_BODY)
            damage(this, file, offset + WL_ENTRY_BYTES, "payload: checksum differs");
    }
    wl_scan_end(&scan);
    return found == WL_FOUND_ERROR ? unreadable(this, file) : WL_INSPECTED;
}

static enum wl_inspection segment_inspect(struct inspection *this, size_t at)
{
    const struct wl_segment *segment = this->segments.list[at];
    struct wl_file_header header;
    unsigned char bytes[WL_FILE_HEADER_BYTES];
    char file[WL_NAME_BYTES];
    size_t got;
    bool last = at + 1 == this->segments.count;
    wl_segment_name(file, segment->base);
    if (wl_segments_read(&this->segments, segment->base, bytes, sizeof bytes, &got) ==
        WL_READ_ERROR)
        return unreadable(this, file);
    if (got < sizeof bytes || segment->size < sizeof bytes) {
        if (!last)
            damage(this, file, 0, "shorter than its header");
        return WL_INSPECTED;
    }
    enum wl_header_state state = wl_header_read(bytes, &header);
    if (state == WL_HEADER_OTHER_VERSION)
        return other_version(this, file);
    bool good =
        state == WL_HEADER_GOOD && header.kind == WL_FILE_SEGMENT && header.number == segment->base;
    this->inspector->segment(this->inspector->ctx, file, segment->size, good ? &header : NULL);
    if (!good)
        damage(this, file, 0, "header: checksum differs");
    return segment_records(this, file, segment->base, segment->base + segment->size, last);
}

static enum wl_inspection checkpoint_inspect(struct inspection *this, unsigned number)
{
    struct wl_wheel wheel = {.pages_held = 0};
    struct wl_state state;
    const char *what = "", *file = wl_checkpoint_name(number);
    char text[96];
    uint64_t at = 0;
    switch (wl_checkpoint_read(this->segments.directory, number, &wheel, &state, &what, &at)) {
    case WL_CHECKPOINT_WHOLE:
        this->files++;
        this->inspector->checkpoint(this->inspector->ctx, file, &state, &wheel);
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
    return WL_INSPECTED;
}

enum wl_inspection wl_inspect(const char *directory, const struct wl_inspector *inspector,
                              struct tw_error *why)
{
    struct inspection this = {.inspector = inspector, .why = why};
    enum wl_inspection answer = WL_INSPECTED;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return unreadable(&this, directory);
    int failed = wl_segments_open(&this.segments, fd);
    if (failed) {
        errno = failed;
        answer = unreadable(&this, directory);
    }
    atomic_store(&this.segments.readable, UINT64_MAX);
    this.files = this.segments.count;
    for (size_t i = 0; answer == WL_INSPECTED && i < this.segments.count; i++)
        answer = segment_inspect(&this, i);
    for (unsigned i = 0; answer == WL_INSPECTED && i < 2; i++)
        answer = checkpoint_inspect(&this, i);
    wl_segments_close(&this.segments);
    close(fd);
    if (answer == WL_INSPECTED && this.files == 0) {
        snprintf(why->text, sizeof why->text, "%s: no file of a wheel-log is in it", directory);
        return WL_NOT_A_STORE;
    }
    return answer == WL_INSPECTED && this.damaged ? WL_INSPECTED_DAMAGE : answer;
}
