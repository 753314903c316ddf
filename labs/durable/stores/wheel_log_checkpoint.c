/* wheel_log_checkpoint.c - the two checkpoints of a wheel-log, written in turn. */
#include "wheel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define STATE_AT  WL_FILE_HEADER_BYTES
#define TABLE_AT  256u  /* the checks of the pages, 4 bytes each */
#define ROUNDS_AT 2560u /* the oldest round of each wheel, from which those of the pages follow */
#define CHECK_AT  (WL_CHECKPOINT_HEADER - 4u)

const char *wl_checkpoint_name(uint64_t sequence)
{
    return sequence % 2 ? "checkpoint-1" : "checkpoint-0";
}

/* Rounds follow each other in a ring, so the oldest one says which round each place in the ring holds. */
static uint64_t round_at(uint64_t oldest, size_t place, size_t ring)
{
    return oldest + (place + ring - oldest % ring) % ring;
}

static uint64_t page_round(const uint64_t oldest[2], size_t number)
{
    return number < WL_COARSE_PAGE ? round_at(oldest[0], number / WL_FINE_PARTS, WL_FINE_ROUNDS)
                                   : round_at(oldest[1], number - WL_COARSE_PAGE, WL_COARSE_ROUNDS);
}

static uint64_t page_offset(size_t number)
{
    return WL_CHECKPOINT_HEADER + (uint64_t)number * WL_PAGE_BYTES;
}

/* Never 0, which stands for no page. */
static uint32_t page_check(const unsigned char *bytes, uint64_t round, size_t number)
{
    return wl_check(bytes, WL_PAGE_BYTES, round << 10 | number) | 1u;
}

/* ---- Writing. --------------------------------------------------------------------------------- */

static void header_write(struct wl_wheel *wheel, const struct wl_state *state,
                         unsigned char *header)
{
    unsigned file = (unsigned)(state->sequence % 2);
    memset(header, 0, WL_CHECKPOINT_HEADER);
    wl_header_write(header, &(struct wl_file_header){WL_VERSION, WL_FILE_CHECKPOINT,
                                                     state->sequence, wheel->geometry, 0, 0});
    const uint64_t fields[] = {state->log,     state->floor_due, state->floor_position,
                               state->opened,  state->pending,   state->ends,
                               state->clamped, state->puts};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        wl_store(header + STATE_AT + 8 * i, 8, fields[i]);
    for (size_t i = 0; i < WL_PAGES; i++)
        wl_store(header + TABLE_AT + 4 * i, 4, wheel->pages[i] ? wheel->pages[i]->check[file] : 0);
    wl_store(header + ROUNDS_AT, 8, wheel->oldest[0]);
    wl_store(header + ROUNDS_AT + 8, 8, wheel->oldest[1]);
    wl_store(header + CHECK_AT, 4, wl_check(header, CHECK_AT, 0));
}

int wl_checkpoint_prepare(struct wl_wheel *wheel, const struct wl_state *state,
                          struct wl_ready *ready)
{
    unsigned file = (unsigned)(state->sequence % 2);
    ready->count = 0;
    for (size_t i = 0; i < WL_PAGES; i++)
        if (wheel->pages[i] && wheel->pages[i]->dirty[file])
            ready->numbers[ready->count++] = (uint16_t)i;
    ready->pages = malloc((ready->count + 1) * WL_PAGE_BYTES);
    if (!ready->pages)
        return ENOMEM;
    for (size_t i = 0; i < ready->count; i++) {
        struct wl_page *page = wheel->pages[ready->numbers[i]];
        unsigned char *to = ready->pages + i * WL_PAGE_BYTES;
        for (size_t head = 0; head < WL_PAGE_HEADS; head++)
            wl_store(to + 8 * head, 8, page->heads[head]);
        page->check[file] = page_check(to, page->round, ready->numbers[i]);
        page->dirty[file] = false;
    }
    header_write(wheel, state, ready->header);
    return 0;
}

static int write_at(struct wl_segments *segments, int fd, const void *bytes, size_t size,
                    uint64_t offset)
{
    ssize_t wrote = pwrite(fd, bytes, size, (off_t)offset);
    if (wrote > 0)
        atomic_fetch_add(&segments->written_bytes, (uint64_t)wrote);
    if (wrote != (ssize_t)size)
        return wrote < 0 ? errno : ENOSPC;
    return 0;
}

int wl_checkpoint_write(struct wl_segments *segments, const struct wl_state *state,
                        struct wl_ready *ready)
{
    int fd = openat(segments->directory, wl_checkpoint_name(state->sequence),
                    O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    int error = fd < 0 ? errno : 0;
    for (size_t i = 0; !error && i < ready->count; i++)
        error = write_at(segments, fd, ready->pages + i * WL_PAGE_BYTES, WL_PAGE_BYTES,
                         page_offset(ready->numbers[i]));
    if (!error)
        error = write_at(segments, fd, ready->header, WL_CHECKPOINT_HEADER, 0);
    if (!error && fdatasync(fd) != 0)
        error = errno;
    atomic_fetch_add(&segments->syncs, 1);
    if (fd >= 0)
        close(fd);
    /* The file's name has to last too, the first time. */
    if (!error && state->sequence <= 2)
        error = wl_sync(segments, segments->directory, fsync);
    free(ready->pages);
    ready->pages = NULL;
    return error;
}

/* ---- Reading. --------------------------------------------------------------------------------- */

static bool read_at(int fd, void *to, size_t size, uint64_t offset, bool *failed)
{
    ssize_t got = wl_file_read(fd, to, size, offset);
    *failed = *failed || got < 0;
    return got == (ssize_t)size;
}

static void state_read(const unsigned char *header, struct wl_state *state)
{
    uint64_t *const fields[] = {&state->log,     &state->floor_due, &state->floor_position,
                                &state->opened,  &state->pending,   &state->ends,
                                &state->clamped, &state->puts};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        *fields[i] = wl_load(header + STATE_AT + 8 * i, 8);
}

/* One page of the file, if the header says that there is one.  WL_CHECKPOINT_WHOLE: read, or not there. */
static enum wl_checkpoint_state page_read(int fd, unsigned file, const unsigned char *header,
                                          size_t number, struct wl_wheel *wheel)
{
    unsigned char bytes[WL_PAGE_BYTES];
    uint32_t check = (uint32_t)wl_load(header + TABLE_AT + 4 * number, 4);
    uint64_t round = page_round(wheel->oldest, number);
    bool failed = false;
    if (check == 0)
        return WL_CHECKPOINT_WHOLE;
    if (!read_at(fd, bytes, sizeof bytes, page_offset(number), &failed))
        return failed ? WL_CHECKPOINT_ERROR : WL_CHECKPOINT_DAMAGED;
    if (page_check(bytes, round, number) != check)
        return WL_CHECKPOINT_DAMAGED;
    struct wl_page *page = calloc(1, sizeof *page);
    if (!page)
        return WL_CHECKPOINT_ERROR;
    for (size_t head = 0; head < WL_PAGE_HEADS; head++)
        page->heads[head] = wl_load(bytes + 8 * head, 8);
    page->round = round;
    page->check[file] = check;
    page->dirty[!file] = true;
    wheel->pages[number] = page;
    wheel->pages_held++;
    return WL_CHECKPOINT_WHOLE;
}

static enum wl_checkpoint_state header_read(int fd, unsigned number, unsigned char *header,
                                            struct wl_file_header *file)
{
    bool failed = false;
    if (!read_at(fd, header, WL_CHECKPOINT_HEADER, 0, &failed))
        return failed ? WL_CHECKPOINT_ERROR : WL_CHECKPOINT_DAMAGED;
    enum wl_header_state state = wl_header_read(header, file);
    if (state == WL_HEADER_OTHER_VERSION)
        return WL_CHECKPOINT_OTHER_VERSION;
    if (state == WL_HEADER_DAMAGED || file->kind != WL_FILE_CHECKPOINT ||
        file->number % 2 != number % 2 ||
        (uint32_t)wl_load(header + CHECK_AT, 4) != wl_check(header, CHECK_AT, 0))
        return WL_CHECKPOINT_DAMAGED;
    return WL_CHECKPOINT_WHOLE;
}

enum wl_checkpoint_state wl_checkpoint_read(int directory, unsigned file, struct wl_wheel *wheel,
                                            struct wl_state *state, const char **what, uint64_t *at)
{
    unsigned char header[WL_CHECKPOINT_HEADER];
    struct wl_file_header first;
    int fd = openat(directory, wl_checkpoint_name(file), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? WL_CHECKPOINT_ABSENT : WL_CHECKPOINT_ERROR;
    *what = "checkpoint: header";
    *at = 0;
    enum wl_checkpoint_state answer = header_read(fd, file, header, &first);
    if (answer == WL_CHECKPOINT_WHOLE) {
        state_read(header, state);
        state->sequence = first.number;
        wheel->geometry = first.geometry;
        wheel->oldest[0] = wl_load(header + ROUNDS_AT, 8);
        wheel->oldest[1] = wl_load(header + ROUNDS_AT + 8, 8);
    }
    for (size_t i = 0; answer == WL_CHECKPOINT_WHOLE && i < WL_PAGES; i++) {
        *what = "checkpoint: page of heads";
        *at = page_offset(i);
        answer = page_read(fd, file, header, i, wheel);
    }
    close(fd);
    if (answer != WL_CHECKPOINT_WHOLE)
        wl_wheel_close(wheel);
    return answer;
}
