/* wheel_log_segments.c - the files of a wheel-log's log, and a window to read them by. */
#include "wheel_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define OPEN_MAX_FILES 32u
#define NEAR_SPAN_MIN  1024u

void wl_segment_name(char out[WL_NAME_BYTES], uint64_t base)
{
    snprintf(out, WL_NAME_BYTES, "log-%016" PRIx64, base);
}

uint64_t wl_segment_base(const char *name)
{
    if (strncmp(name, "log-", 4) != 0 || strlen(name) != 20 ||
        strspn(name + 4, "0123456789abcdef") != 16)
        return UINT64_MAX;
    return strtoull(name + 4, NULL, 16);
}

/* ---- The list. -------------------------------------------------------------------------------- */

static int segments_append(struct wl_segments *segments, uint64_t base, uint64_t size)
{
    struct wl_segment *segment =
        store_room(&segments->list, &segments->room, segments->count + 1, sizeof segment)
            ? calloc(1, sizeof *segment)
            : NULL;
    if (!segment)
        return ENOMEM;
    *segment = (struct wl_segment){
        .base = base, .size = size, .reserved = size, .ends = UINT64_MAX, .fd = -1};
    segments->list[segments->count++] = segment;
    return 0;
}

static int by_base(const void *a, const void *b)
{
    const struct wl_segment *const *left = a, *const *right = b;
    return ((*left)->base > (*right)->base) - ((*left)->base < (*right)->base);
}

ssize_t wl_file_read(int fd, void *to, size_t size, uint64_t offset)
{
    size_t got = 0;
    for (ssize_t count = 1; got < size && count != 0;) {
        count = pread(fd, (char *)to + got, size - got, (off_t)(offset + got));
        if (count < 0 && errno != EINTR)
            return -1;
        got += count > 0 ? (size_t)count : 0;
    }
    return (ssize_t)got;
}

/* Bytes of the file before the zeros at its end; its size if it cannot be read. */
static uint64_t size_before_zeros(int fd, uint64_t size)
{
    unsigned char bytes[4096];
    for (uint64_t end = size, begin; end > 0; end = begin) {
        begin = end > sizeof bytes ? end - sizeof bytes : 0;
        ssize_t got = wl_file_read(fd, bytes, (size_t)(end - begin), begin);
        if (got != (ssize_t)(end - begin))
            return size;
        for (; got > 0; got--)
            if (bytes[got - 1])
                return begin + (uint64_t)got;
    }
    return 0;
}

/* Where a segment ends of which that many bytes are no zeros: behind its seal, which may end with zeros itself. */
static uint64_t size_with_seal(int fd, const struct wl_segment *segment, uint64_t written)
{
    unsigned char bytes[2 * WL_ENTRY_BYTES] = {0};
    struct wl_entry entry;
    uint64_t begin = written > WL_ENTRY_BYTES ? written - WL_ENTRY_BYTES : 0;
    if (wl_file_read(fd, bytes, sizeof bytes, begin) < 0)
        return segment->size;
    for (uint64_t at = begin; at + WL_KIND_AT < written; at++)
        if (wl_entry_read(bytes + (at - begin), &entry, segment->base + at) &&
            wl_kind_of(&entry) == WL_SEAL)
            return at + WL_ENTRY_BYTES;
    return segment->size;
}

/* Leaves zeros, which room ahead reads as, out of the size: of a segment behind its seal, or if they are all that is in the last. */
static void size_limit(struct wl_segments *segments, size_t at)
{
    struct wl_segment *segment = segments->list[at];
    bool last = at + 1 == segments->count;
    uint64_t most = last ? UINT64_MAX : segments->list[at + 1]->base - segment->base;
    if (segment->size > most)
        segment->size = most;
    char name[WL_NAME_BYTES];
    wl_segment_name(name, segment->base);
    int fd = openat(segments->directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    uint64_t written = size_before_zeros(fd, segment->size);
    if (written == 0)
        segment->size = 0;
    else if (!last)
        segment->size = size_with_seal(fd, segment, written);
    close(fd);
}

int wl_segments_open(struct wl_segments *segments, int directory)
{
    memset(segments, 0, sizeof *segments);
    segments->directory = directory;
    pthread_mutex_init(&segments->lock, NULL);
    pthread_mutex_init(&segments->syncing, NULL);
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    if (!listing)
        return errno;
    int error = 0;
    for (struct dirent *entry; !error && (entry = readdir(listing));) {
        uint64_t base = wl_segment_base(entry->d_name);
        struct stat status;
        if (base == UINT64_MAX)
            continue;
        error = fstatat(directory, entry->d_name, &status, 0) == 0 ? 0 : errno;
        if (!error)
            error = segments_append(segments, base, (uint64_t)status.st_size);
    }
    closedir(listing);
    if (segments->count)
        qsort(segments->list, segments->count, sizeof(struct wl_segment *), by_base);
    for (size_t i = 0; !error && i < segments->count; i++)
        size_limit(segments, i);
    return error;
}

void wl_segments_close(struct wl_segments *segments)
{
    for (size_t i = 0; i < segments->count; i++) {
        if (segments->list[i]->fd >= 0)
            close(segments->list[i]->fd);
        free(segments->list[i]);
    }
    free(segments->list);
    pthread_mutex_destroy(&segments->lock);
    pthread_mutex_destroy(&segments->syncing);
}

/* Index of the last segment that begins at or before position; with the lock.  count: none. */
static size_t segments_index(const struct wl_segments *segments, uint64_t position)
{
    size_t low = 0, high = segments->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (segments->list[middle]->base <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : segments->count;
}

bool wl_segments_span(struct wl_segments *segments, uint64_t position, struct wl_span *span)
{
    uint64_t readable = atomic_load(&segments->readable);
    pthread_mutex_lock(&segments->lock);
    size_t at = segments_index(segments, position);
    bool found = at < segments->count;
    if (found) {
        const struct wl_segment *segment = segments->list[at];
        bool last = at + 1 == segments->count;
        span->base = segment->base;
        span->end = last ? readable : segment->base + segment->size;
        if (!last && span->end > segments->list[at + 1]->base)
            span->end = segments->list[at + 1]->base;
        if (span->end < span->base)
            span->end = span->base;
    }
    pthread_mutex_unlock(&segments->lock);
    return found;
}

/* ---- Descriptors. ----------------------------------------------------------------------------- */

static void close_longest_unused(struct wl_segments *segments)
{
    struct wl_segment *oldest = NULL;
    for (size_t i = 0; i < segments->count; i++) {
        struct wl_segment *segment = segments->list[i];
        if (segment->fd >= 0 && segment->pins == 0 && (!oldest || segment->used < oldest->used))
            oldest = segment;
    }
    if (!oldest)
        return;
    close(oldest->fd);
    oldest->fd = -1;
    segments->open--;
}

/* Opens the file if it is closed, and pins it; with the lock.  0 or an errno. */
static int pin(struct wl_segments *segments, struct wl_segment *segment, int flags)
{
    if (segment->fd < 0) {
        char name[WL_NAME_BYTES];
        wl_segment_name(name, segment->base);
        if (segments->open >= OPEN_MAX_FILES)
            close_longest_unused(segments);
        segment->fd = openat(segments->directory, name, O_RDWR | O_CLOEXEC | flags, 0644);
        if (segment->fd < 0 && (errno == EACCES || errno == EROFS))
            segment->fd = openat(segments->directory, name, O_RDONLY | O_CLOEXEC);
        if (segment->fd < 0)
            return errno;
        segments->open++;
    }
    segment->used = ++segments->uses;
    segment->pins++;
    return 0;
}

static void unpin(struct wl_segments *segments, struct wl_segment *segment)
{
    pthread_mutex_lock(&segments->lock);
    segment->pins--;
    pthread_mutex_unlock(&segments->lock);
}

/* ---- Growing. --------------------------------------------------------------------------------- */

int wl_segments_add(struct wl_segments *segments, uint64_t base)
{
    pthread_mutex_lock(&segments->lock);
    int error = segments_append(segments, base, 0);
    if (!error) {
        struct wl_segment *segment = segments->list[segments->count - 1];
        error = pin(segments, segment, O_CREAT);
        if (error) {
            free(segment);
            segments->count--;
        } else {
            segment->pins--;
            segments->names_changed = true;
        }
    }
    pthread_mutex_unlock(&segments->lock);
    return error;
}

int wl_segments_reserve(struct wl_segments *segments, uint64_t size)
{
    pthread_mutex_lock(&segments->lock);
    struct wl_segment *last = segments->list[segments->count - 1];
    int error = 0;
    if (size > last->reserved) {
        error = pin(segments, last, 0);
        if (!error) {
            /* The file gets that size, too: the sync of a record within a block that was synced before has no new size to note. */
            if (fallocate(last->fd, 0, (off_t)last->reserved, (off_t)(size - last->reserved)) != 0)
                error = errno;
            if (error == EOPNOTSUPP || error == ENOSYS || error == EINTR)
                error = 0;
            if (!error)
                last->reserved = size;
            last->pins--;
        }
    }
    pthread_mutex_unlock(&segments->lock);
    return error;
}

/* Writes all of it at the offset; 0 or an errno. */
static int write_whole(struct wl_segments *segments, int fd, const unsigned char *bytes,
                       size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t wrote = pwrite(fd, bytes, size, (off_t)offset);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return wrote < 0 ? errno : EIO;
        atomic_fetch_add(&segments->written_bytes, (uint64_t)wrote);
        bytes += wrote;
        offset += (uint64_t)wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

int wl_sync(struct wl_segments *segments, int fd, int (*call)(int fd))
{
    pthread_mutex_lock(&segments->syncing);
    if (!segments->sync_error && call(fd) != 0)
        segments->sync_error = errno;
    int error = segments->sync_error;
    pthread_mutex_unlock(&segments->syncing);
    return error;
}

static int sync_file(struct wl_segments *segments, int fd)
{
    atomic_fetch_add(&segments->syncs, 1);
    return wl_sync(segments, fd, fdatasync);
}

/* One piece: what of [position, position + size) lies in the segment of position.  *done is its length. */
static int write_piece(struct wl_segments *segments, uint64_t position, const unsigned char *bytes,
                       size_t size, size_t *done)
{
    pthread_mutex_lock(&segments->lock);
    size_t at = segments_index(segments, position);
    struct wl_segment *segment = segments->list[at];
    uint64_t end =
        at + 1 < segments->count ? segments->list[at + 1]->base : position + (uint64_t)size;
    int error = pin(segments, segment, 0);
    *done = size < end - position ? size : (size_t)(end - position);
    uint64_t offset = position - segment->base;
    pthread_mutex_unlock(&segments->lock);
    if (error)
        return error;
    error = write_whole(segments, segment->fd, bytes, *done, offset);
    unpin(segments, segment);
    return error;
}

int wl_segments_write(struct wl_segments *segments, uint64_t position, const unsigned char *bytes,
                      size_t size)
{
    while (size > 0) {
        size_t done = 0;
        int error = write_piece(segments, position, bytes, size, &done);
        if (error)
            return error;
        position += done;
        bytes += done;
        size -= done;
    }
    return 0;
}

/* The first segment that ends behind position, pinned, in *out; NULL: there is none.  0 or an errno. */
static int pin_from(struct wl_segments *segments, uint64_t position, struct wl_segment **out)
{
    pthread_mutex_lock(&segments->lock);
    size_t at = segments_index(segments, position);
    if (at == segments->count)
        at = 0;
    *out = NULL;
    int error = 0;
    if (at < segments->count) {
        error = pin(segments, segments->list[at], 0);
        *out = segments->list[at];
    }
    pthread_mutex_unlock(&segments->lock);
    return error;
}

/* Where the segment behind that one begins; UINT64_MAX: it is the last. */
static uint64_t base_behind(struct wl_segments *segments, uint64_t base)
{
    pthread_mutex_lock(&segments->lock);
    size_t at = segments_index(segments, base) + 1;
    uint64_t behind = at < segments->count ? segments->list[at]->base : UINT64_MAX;
    pthread_mutex_unlock(&segments->lock);
    return behind;
}

int wl_segments_sync(struct wl_segments *segments, uint64_t position)
{
    /* By position, not by index: another thread may delete old segments meanwhile. */
    while (position != UINT64_MAX) {
        struct wl_segment *segment;
        int error = pin_from(segments, position, &segment);
        if (error || !segment)
            return error;
        error = sync_file(segments, segment->fd);
        position = base_behind(segments, segment->base);
        unpin(segments, segment);
        if (error)
            return error;
    }
    return 0;
}

/* ---- Shrinking. ------------------------------------------------------------------------------- */

/* Takes segment `at` out of list and directory; with the lock. */
static int segments_delete(struct wl_segments *segments, size_t at)
{
    struct wl_segment *segment = segments->list[at];
    char name[WL_NAME_BYTES];
    wl_segment_name(name, segment->base);
    if (unlinkat(segments->directory, name, 0) != 0 && errno != ENOENT)
        return errno;
    if (segment->fd >= 0) {
        close(segment->fd);
        segments->open--;
    }
    segments->count--;
    memmove(segments->list + at, segments->list + at + 1,
            (segments->count - at) * sizeof(struct wl_segment *));
    free(segment);
    return 0;
}

struct wl_segment *wl_segments_last(struct wl_segments *segments)
{
    pthread_mutex_lock(&segments->lock);
    struct wl_segment *last = segments->count ? segments->list[segments->count - 1] : NULL;
    pthread_mutex_unlock(&segments->lock);
    return last;
}

int wl_segments_drop_last(struct wl_segments *segments)
{
    pthread_mutex_lock(&segments->lock);
    int error = segments_delete(segments, segments->count - 1);
    pthread_mutex_unlock(&segments->lock);
    return error;
}

int wl_segments_cut(struct wl_segments *segments, uint64_t position)
{
    pthread_mutex_lock(&segments->lock);
    int error = 0;
    while (!error && segments->count && segments->list[segments->count - 1]->base > position)
        error = segments_delete(segments, segments->count - 1);
    if (!error && segments->count) {
        struct wl_segment *last = segments->list[segments->count - 1];
        error = pin(segments, last, 0);
        if (!error) {
            if (ftruncate(last->fd, (off_t)(position - last->base)) != 0)
                error = errno;
            last->size = last->reserved = position - last->base;
            last->pins--;
        }
    }
    pthread_mutex_unlock(&segments->lock);
    return error;
}

/* The header of segment `base` says from now on that the log from `over` on is over.  0 or an errno. */
static int header_extend(struct wl_segments *segments, struct wl_segment *segment, uint64_t over)
{
    unsigned char bytes[WL_FILE_HEADER_BYTES];
    struct wl_file_header header;
    ssize_t got = wl_file_read(segment->fd, bytes, sizeof bytes, 0);
    if (got < 0)
        return errno;
    /* One of before says nothing, and a damaged one stays as it is. */
    if (got < (ssize_t)sizeof bytes || wl_header_read(bytes, &header) != WL_HEADER_GOOD ||
        header.over <= over)
        return 0;
    header.over = over;
    wl_header_write(bytes, &header);
    int error = write_whole(segments, segment->fd, bytes, sizeof bytes, 0);
    if (!error)
        error = sync_file(segments, segment->fd);
    if (!error)
        segment->over = over;
    return error;
}

bool wl_segments_over(struct wl_segments *segments, uint64_t floor_ms)
{
    bool over = false;
    pthread_mutex_lock(&segments->lock);
    for (size_t at = 0; !over && at + 1 < segments->count; at++)
        over = segments->list[at]->ends <= floor_ms;
    pthread_mutex_unlock(&segments->lock);
    return over;
}

/* Deletes segment number `at`, of which the one behind it says first that it is over; with the lock, which it gives up. */
static int reclaim(struct wl_segments *segments, size_t at)
{
    struct wl_segment *segment = segments->list[at], *behind = segments->list[at + 1];
    uint64_t size = segment->size;
    int error = pin(segments, behind, 0);
    if (error)
        return error;
    pthread_mutex_unlock(&segments->lock);
    error = header_extend(segments, behind, segment->over);
    pthread_mutex_lock(&segments->lock);
    behind->pins--;
    if (!error)
        error = segments_delete(segments, segments_index(segments, segment->base));
    if (!error)
        atomic_fetch_add(&segments->reclaimed_bytes, size);
    return error;
}

int wl_segments_reclaim(struct wl_segments *segments, uint64_t floor_ms, uint64_t position,
                        bool *more)
{
    pthread_mutex_lock(&segments->lock);
    int error = 0;
    *more = false;
    for (size_t at = 0; at + 1 < segments->count; at++) {
        const struct wl_segment *segment = segments->list[at];
        /* The header behind it is in its file. */
        if (segments->list[at + 1]->base + WL_FILE_HEADER_BYTES > position)
            break;
        if (segment->ends <= floor_ms && segment->pins == 0) {
            error = reclaim(segments, at);
            *more = !error;
            break;
        }
    }
    pthread_mutex_unlock(&segments->lock);
    return error;
}

/* ---- Reading. --------------------------------------------------------------------------------- */

/* The segment that holds position, pinned, and how many of `size` bytes of the log are in it from there on; NULL: none, and why. */
static struct wl_segment *pin_at(struct wl_segments *segments, uint64_t position, size_t *size,
                                 enum wl_read *why)
{
    uint64_t readable = atomic_load(&segments->readable);
    *why = WL_READ_ABSENT;
    if (position >= readable)
        return NULL;
    pthread_mutex_lock(&segments->lock);
    size_t at = segments_index(segments, position);
    if (at == segments->count) {
        pthread_mutex_unlock(&segments->lock);
        return NULL;
    }
    struct wl_segment *segment = segments->list[at];
    uint64_t end = at + 1 < segments->count ? segments->list[at + 1]->base : readable;
    int error = pin(segments, segment, 0);
    pthread_mutex_unlock(&segments->lock);
    if (error) {
        *why = error == ENOENT ? WL_READ_ABSENT : WL_READ_ERROR;
        return NULL;
    }
    if (end > readable)
        end = readable;
    if (*size > end - position)
        *size = (size_t)(end - position);
    return segment;
}

enum wl_read wl_segments_read(struct wl_segments *segments, uint64_t position, void *to,
                              size_t size, size_t *got)
{
    enum wl_read answer;
    struct wl_segment *segment = pin_at(segments, position, &size, &answer);
    *got = 0;
    if (!segment)
        return answer;
    ssize_t count = wl_file_read(segment->fd, to, size, position - segment->base);
    unpin(segments, segment);
    *got = count < 0 ? 0 : (size_t)count;
    return count < 0 ? WL_READ_ERROR : WL_READ_OK;
}

enum wl_read wl_segments_glance(struct wl_segments *segments, uint64_t position, void *to,
                                size_t size)
{
    enum wl_read answer;
    size_t all = size;
    struct iovec piece = {to, size};
    struct wl_segment *segment = pin_at(segments, position, &all, &answer);
    if (!segment || all < size) {
        if (segment)
            unpin(segments, segment);
        return WL_READ_ERROR;
    }
    ssize_t got = preadv2(segment->fd, &piece, 1, (off_t)(position - segment->base), RWF_NOWAIT);
    bool later = got >= 0 || errno == EAGAIN || errno == EINTR;
    unpin(segments, segment);
    return got == (ssize_t)size ? WL_READ_OK : later ? WL_READ_ABSENT : WL_READ_ERROR;
}

void wl_segments_ask(struct wl_segments *segments, uint64_t position, size_t size)
{
    enum wl_read answer;
    struct wl_segment *segment = pin_at(segments, position, &size, &answer);
    if (!segment)
        return;
    (void)posix_fadvise(segment->fd, (off_t)(position - segment->base), (off_t)size,
                        POSIX_FADV_WILLNEED);
    unpin(segments, segment);
}

/* ---- What is missing. ------------------------------------------------------------------------- */

enum wl_read wl_segments_seal(struct wl_segments *segments, const struct wl_segment *segment,
                              struct wl_entry *seal)
{
    unsigned char bytes[WL_ENTRY_BYTES];
    uint64_t at = segment->base + segment->size - WL_ENTRY_BYTES;
    size_t got = 0;
    *seal = (struct wl_entry){.size = 0};
    if (segment->size < WL_FILE_HEADER_BYTES + WL_ENTRY_BYTES)
        return WL_READ_ABSENT;
    if (wl_segments_read(segments, at, bytes, sizeof bytes, &got) == WL_READ_ERROR)
        return WL_READ_ERROR;
    bool whole =
        got == sizeof bytes && wl_entry_read(bytes, seal, at) && wl_kind_of(seal) == WL_SEAL;
    return whole ? WL_READ_OK : WL_READ_ABSENT;
}

enum wl_read wl_segments_missing(struct wl_segments *segments, size_t at, struct wl_missing *out)
{
    const struct wl_segment *segment = segments->list[at];
    *out = (struct wl_missing){.file = true};
    if (segment->over == 0)
        return WL_READ_OK;
    uint64_t puts = 0;
    if (at > 0) {
        const struct wl_segment *before = segments->list[at - 1];
        struct wl_entry seal;
        out->from = before->base + before->size;
        if (out->from >= segment->over) {
            out->from = 0;
            return WL_READ_OK;
        }
        enum wl_read read = wl_segments_seal(segments, before, &seal);
        out->file = read == WL_READ_OK;
        puts = out->file && seal.key ? seal.key : before->puts;
        /* Of one without a header the seal before it says how many were put before it. */
        if (read == WL_READ_ABSENT && before->over == 0 && at > 1)
            read = wl_segments_seal(segments, segments->list[at - 2], &seal);
        if (read == WL_READ_ERROR)
            return read;
        if (read == WL_READ_OK && puts < seal.key)
            puts = seal.key;
    }
    out->to = segment->over;
    out->most = (out->to - out->from) / WL_ENTRY_BYTES;
    if (puts <= segment->puts && segment->puts - puts < out->most)
        out->most = segment->puts - puts;
    return WL_READ_OK;
}

void wl_missing_say(const struct wl_missing *missing, char out[WL_MISSING_BYTES])
{
    snprintf(out, WL_MISSING_BYTES,
             "segment: %s; at most %" PRIu64 " messages were in what is missing",
             missing->file ? "missing" : "ends early", missing->most);
}

uint64_t wl_missing_file(struct wl_segments *segments, const struct wl_missing *missing,
                         char name[WL_NAME_BYTES])
{
    uint64_t base = missing->from;
    pthread_mutex_lock(&segments->lock);
    if (!missing->file)
        base = segments->list[segments_index(segments, missing->from)]->base;
    pthread_mutex_unlock(&segments->lock);
    wl_segment_name(name, base);
    return missing->from - base;
}

/* ---- Windows. --------------------------------------------------------------------------------- */

void wl_window_close(struct wl_window *window)
{
    free(window->bytes);
    memset(window, 0, sizeof *window);
}

static bool window_holds(const struct wl_window *window, uint64_t position, size_t size)
{
    return position >= window->base && position + size <= window->base + window->used;
}

/* Chooses where to read from: towards older bytes when the reader walks that way by steps; a far one takes a whole record along. */
static uint64_t window_aim(struct wl_window *window, struct wl_segments *segments,
                           uint64_t position, size_t size)
{
    uint64_t end = window->base + window->used;
    bool near = window->used && position + WL_WINDOW_BYTES >= window->base &&
                position <= end + WL_WINDOW_BYTES;
    window->span = near ? window->span * 4 : NEAR_SPAN_MIN;
    if (window->span < window->record)
        window->span = window->record;
    if (window->span > WL_WINDOW_BYTES)
        window->span = WL_WINDOW_BYTES;
    if (window->span < size)
        window->span = size;
    if (!near || position >= window->base || position + size < window->span)
        return position;
    struct wl_span span;
    uint64_t from = position + size - window->span;
    return wl_segments_span(segments, position, &span) && from < span.base ? span.base : from;
}

enum wl_read wl_window_at(struct wl_window *window, struct wl_segments *segments, uint64_t position,
                          size_t size, const unsigned char **out)
{
    if (size > WL_ENTRY_BYTES)
        wl_window_expect(window, size);
    if (!window_holds(window, position, size)) {
        uint64_t from = window_aim(window, segments, position, size);
        size_t span = window->span;
        if (window->room < span) {
            unsigned char *bytes = realloc(window->bytes, span);
            if (!bytes)
                return WL_READ_ERROR;
            window->bytes = bytes;
            window->room = span;
        }
        window->base = from;
        enum wl_read answer = wl_segments_read(segments, from, window->bytes, span, &window->used);
        if (answer != WL_READ_OK) {
            window->used = 0;
            return answer;
        }
    }
    if (!window_holds(window, position, size))
        return WL_READ_ABSENT;
    *out = window->bytes + (position - window->base);
    return WL_READ_OK;
}
