/* disk_states.c - replays a record of a disk as far as it may have arrived. */
#include "labs/durable/crash/crash.h"

#include "harness/base/memory.h"
#include "harness/base/rng.h"
#include "labs/durable/drive/drive.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR 512u

struct image {
    unsigned char *bytes;
    uint64_t size, room;
    char name[DISK_NAME_SIZE]; /* "": it has none */
};

enum covered { PENDING, COVERED, POISONED };

struct state {
    const struct disk_log *log;
    uint64_t cut;
    unsigned char *covered; /* of each record: enum covered */
    struct image *images;
    struct rng rng;
};

const char *disk_arrival_words(enum disk_arrival arrival)
{
    static const char *const words[DISK_ARRIVALS] = {
        "nothing of what was not synced arrived",
        "all writes arrived",
        "writes that were not synced arrived out of order",
        "sectors of writes arrived",
        "the first writes that were not synced arrived, the last in part",
        "all names arrived, and nothing of the writes that were not synced",
        "old bytes of the disk lie where writes did not arrive"};
    return words[arrival];
}

struct disk_log *disk_log_make(uint64_t bytes)
{
    struct disk_log *log = book_shared(sizeof(struct disk_log) + bytes);
    log->size = bytes;
    return log;
}

void disk_log_free(struct disk_log *log)
{
    if (log)
        munmap(log, sizeof *log + log->size);
}

struct disk_log **disk_layer(void)
{
    return dlsym(RTLD_DEFAULT, "disk_current");
}

struct disk_log *disk_quiet_begin(const char *directory)
{
    if (!disk_layer())
        return NULL;
    struct disk_log *log = disk_log_make(0);
    snprintf(log->root, sizeof log->root, "%.4000s/", directory);
    log->is_quiet = 1;
    *disk_layer() = log;
    return log;
}

void disk_quiet_end(struct disk_log *log)
{
    if (log)
        *disk_layer() = NULL;
    disk_log_free(log);
}

/* ---- What syncs cover. ------------------------------------------------------------------------ */

static bool is_name(const struct disk_record *record)
{
    return record->kind == DISK_CREATE || record->kind == DISK_RENAME ||
           record->kind == DISK_UNLINK;
}

/* Whether a sync of that file is about this record. */
static bool is_about(const struct disk_record *record, uint32_t file)
{
    if (record->kind == DISK_SYNC || record->kind == DISK_SYNC_FAILED)
        return false;
    if (file == DISK_DIRECTORY)
        return is_name(record);
    return record->file == file && (!is_name(record) || record->kind == DISK_CREATE);
}

static void find_covered(struct state *state)
{
    const struct disk_record *records = state->log->records;
    bool later = false;
    for (uint64_t s = 0; s < state->cut; s++) {
        if (records[s].kind != DISK_SYNC && records[s].kind != DISK_SYNC_FAILED)
            continue;
        for (uint64_t i = 0; i < records[s].offset && i < s; i++)
            if (state->covered[i] == PENDING && is_about(&records[i], records[s].file) &&
                (records[s].kind == DISK_SYNC || !is_name(&records[i])))
                state->covered[i] = records[s].kind == DISK_SYNC ? COVERED : POISONED;
    }
    for (uint64_t i = state->cut; i-- > 0;)
        if (is_name(&records[i])) {
            later = later || state->covered[i] == COVERED;
            state->covered[i] = later ? COVERED : PENDING;
        }
}

/* ---- Replaying. ------------------------------------------------------------------------------- */

static void image_reach(struct image *image, uint64_t size)
{
    if (size > image->room) {
        uint64_t room = size * 2;
        image->bytes = memory_grow(image->bytes, room, 1);
        memset(image->bytes + image->room, 0, room - image->room);
        image->room = room;
    }
    if (size > image->size)
        image->size = size;
}

static void image_cut(struct image *image, uint64_t size)
{
    if (size < image->size)
        memset(image->bytes + size, 0, image->size - size);
    image->size = size;
}

/* One sector of a write, as far as it is in it. */
static void put_sector(struct state *state, const struct disk_record *record, uint64_t at)
{
    struct image *image = &state->images[record->file];
    uint64_t end = (at / SECTOR + 1) * SECTOR, last = record->offset + record->length;
    if (end > last)
        end = last;
    image_reach(image, end);
    memcpy(image->bytes + at, state->log->data + record->data + (at - record->offset), end - at);
}

/* `sectors`: how many of the first arrive; `coin`: each by a coin. */
static void put_write(struct state *state, const struct disk_record *record, uint64_t sectors,
                      bool coin)
{
    uint64_t last = record->offset + record->length;
    for (uint64_t at = record->offset; at < last; at = (at / SECTOR + 1) * SECTOR) {
        bool arrives = coin ? rng_below(&state->rng, 2) : sectors > 0;
        if (arrives)
            put_sector(state, record, at);
        sectors -= sectors > 0;
    }
}

/* The file grew, and what was to lie there did not arrive. */
static void put_garbage(struct state *state, const struct disk_record *record)
{
    struct image *image = &state->images[record->file];
    uint64_t at = record->offset > image->size ? record->offset : image->size;
    uint64_t end = record->offset + record->length;
    if (at >= end)
        return;
    image_reach(image, end);
    for (; at < end; at++)
        image->bytes[at] = (unsigned char)rng_next(&state->rng);
}

static void put_name(struct state *state, const struct disk_record *record)
{
    const char *name = (const char *)state->log->data + record->data;
    for (uint32_t i = 0; i < state->log->file_count; i++)
        if (strcmp(state->images[i].name, name) == 0)
            state->images[i].name[0] = '\0';
    if (record->kind != DISK_UNLINK)
        snprintf(state->images[record->file].name, DISK_NAME_SIZE, "%s", name);
}

static void put_record(struct state *state, const struct disk_record *record, uint64_t sectors,
                       bool coin)
{
    if (is_name(record))
        put_name(state, record);
    else if (record->kind == DISK_WRITE)
        put_write(state, record, sectors, coin);
    else if (record->kind == DISK_TRUNCATE && record->offset > state->images[record->file].size)
        image_reach(&state->images[record->file], record->offset);
    else if (record->kind == DISK_TRUNCATE)
        image_cut(&state->images[record->file], record->offset);
}

/* How many of the records that no sync covers are names, or are not. */
static uint64_t count_pending(const struct state *state, bool names)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < state->cut; i++)
        count += state->covered[i] != COVERED && is_name(&state->log->records[i]) == names;
    return count;
}

static void replay(struct state *state, enum disk_arrival arrival)
{
    uint64_t names = count_pending(state, true), writes = count_pending(state, false);
    uint64_t prefix = rng_below(&state->rng, writes + 1);
    names = arrival == DISK_EVERYTHING || arrival == DISK_NAMES ? names
            : arrival == DISK_NOTHING                           ? 0
                                                                : rng_below(&state->rng, names + 1);
    for (uint64_t i = 0; i < state->cut; i++) {
        const struct disk_record *record = &state->log->records[i];
        uint64_t sectors = UINT64_MAX;
        bool coin = false;
        if (state->covered[i] != COVERED && is_name(record)) {
            sectors = names > 0;
            names -= names > 0;
        } else if (state->covered[i] != COVERED) {
            coin = arrival == DISK_TORN && record->kind == DISK_WRITE;
            sectors = arrival == DISK_NOTHING || arrival == DISK_NAMES ? 0
                      : arrival == DISK_SOME || arrival == DISK_TORN || arrival == DISK_GARBAGE
                          ? UINT64_MAX * rng_below(&state->rng, 2)
                      : arrival == DISK_PREFIX && prefix == 0 ? 0
                      : arrival == DISK_PREFIX && prefix == 1
                          ? rng_below(&state->rng, record->length / SECTOR + 2)
                          : UINT64_MAX;
            prefix -= prefix > 0;
        }
        if (sectors > 0 || coin)
            put_record(state, record, sectors, coin);
        else if (arrival == DISK_GARBAGE && record->kind == DISK_WRITE)
            put_garbage(state, record);
    }
}

void disk_log_settle(struct disk_log *log, uint64_t length)
{
    uint64_t covered = log->length;
    for (uint32_t file = 0; file <= log->file_count || log->length < length; file++) {
        if (log->length == DISK_RECORDS_MAX)
            return;
        log->records[log->length++] =
            (struct disk_record){.kind = DISK_SYNC,
                                 .file = file < log->file_count ? file : DISK_DIRECTORY,
                                 .offset = covered};
    }
    log->parent_at = log->length;
}

/* ---- The files. ------------------------------------------------------------------------------- */

static void make_parents(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *c = part + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(part, 0700);
            *c = '/';
        }
}

static bool write_image(const struct image *image, const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, image->name);
    make_parents(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = fd >= 0;
    for (uint64_t at = 0; written && at < image->size;) {
        ssize_t length = write(fd, image->bytes + at, image->size - at);
        written = length > 0;
        at += written ? (uint64_t)length : 0;
    }
    return fd >= 0 && close(fd) == 0 && written;
}

bool disk_state_make(const struct disk_log *log, uint64_t cut, enum disk_arrival arrival,
                     uint64_t seed, const char *directory)
{
    struct state state = {.log = log, .cut = cut};
    rng_seed(&state.rng, seed, 5);
    state.covered = memory_take(cut + 1, 1);
    state.images = memory_take(DISK_FILES_MAX, sizeof *state.images);
    bool made = mkdir(directory, 0700) == 0;
    if (made) {
        find_covered(&state);
        if (arrival != DISK_NOTHING || (log->parent_at && log->parent_at <= cut))
            replay(&state, arrival);
    }
    for (uint32_t i = 0; made && i < log->file_count; i++)
        if (state.images[i].name[0])
            made = write_image(&state.images[i], directory);
    for (uint32_t i = 0; i < log->file_count; i++)
        free(state.images[i].bytes);
    free(state.images);
    free(state.covered);
    return made;
}
