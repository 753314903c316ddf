/* spool.c - buffers records in memory, then in an unlinked file. */
#include "labs/traces/import/spool.h"

#include "harness/base/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_RECORDS = 4096 };

void spool_open(struct spool *spool, const char *directory)
{
    *spool = (struct spool){.directory = directory, .fd = -1};
}

void spool_close(struct spool *spool)
{
    free(spool->records);
    if (spool->fd >= 0)
        close(spool->fd);
    spool_open(spool, NULL);
}

uint64_t spool_count(const struct spool *spool)
{
    return spool->written + spool->held;
}

/* Not every file system has O_TMPFILE. */
static int file_open(const char *directory)
{
    char path[4200];
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    if (snprintf(path, sizeof path, "%s/twbench-import-XXXXXX", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static bool write_all(int fd, const void *data, size_t size, uint64_t offset)
{
    const char *at = data;
    while (size > 0) {
        ssize_t done = pwrite(fd, at, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        at += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return true;
}

static void block_write(struct spool *spool)
{
    size_t size = spool->held * sizeof *spool->records;
    if (spool->fd < 0)
        spool->fd = file_open(spool->directory);
    if (spool->fd < 0 ||
        !write_all(spool->fd, spool->records, size, spool->written * sizeof *spool->records)) {
        spool->error = errno;
        return;
    }
    spool->written += spool->held;
    spool->held = 0;
}

void spool_add(struct spool *spool, const struct spool_record *record)
{
    if (spool->held == BLOCK_RECORDS && spool->error == 0)
        block_write(spool);
    else if (!room_for(&spool->records, spool->held, &spool->room, sizeof *spool->records))
        spool->error = ENOMEM;
    if (spool->error == 0)
        spool->records[spool->held++] = *record;
}

void spool_change_delay(struct spool *spool, uint64_t index, int64_t delay)
{
    if (spool->error != 0)
        return;
    if (index >= spool->written)
        spool->records[index - spool->written].delay = delay;
    else if (!write_all(spool->fd, &delay, sizeof delay,
                        index * sizeof *spool->records + offsetof(struct spool_record, delay)))
        spool->error = errno;
}

int spool_check(const struct spool *spool, struct diag *diag)
{
    if (spool->error != 0)
        return diag_run(diag, "%s: operations cannot be kept there: %s", spool->directory,
                        strerror(spool->error));
    return DIAG_OK;
}

static int block_read(const struct spool *spool, uint64_t first, struct spool_record *block,
                      size_t count, struct diag *diag)
{
    size_t size = count * sizeof *block, done = 0;
    while (done < size) {
        off_t offset = (off_t)(first * sizeof *block + done);
        ssize_t got = pread(spool->fd, (char *)block + done, size - done, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return diag_run(diag, "%s: operations cannot be read back: %s", spool->directory,
                            got < 0 ? strerror(errno) : "the file has shrunk");
        done += (size_t)got;
    }
    return DIAG_OK;
}

int spool_read(struct spool *spool, spool_visit_fn *visit, void *ctx, struct diag *diag)
{
    int status = spool_check(spool, diag);
    struct spool_record *block =
        status == DIAG_OK && spool->written ? malloc(BLOCK_RECORDS * sizeof *block) : NULL;
    if (status == DIAG_OK && spool->written && !block)
        return diag_run(diag, "no memory to read operations back");
    for (uint64_t first = 0; status == DIAG_OK && first < spool->written; first += BLOCK_RECORDS) {
        uint64_t left = spool->written - first;
        size_t count = left < BLOCK_RECORDS ? (size_t)left : BLOCK_RECORDS;
        status = block_read(spool, first, block, count, diag);
        if (status == DIAG_OK)
            status = visit(ctx, block, count, diag);
    }
    free(block);
    if (status == DIAG_OK && spool->held)
        status = visit(ctx, spool->records, spool->held, diag);
    return status;
}
