/* copies.c - copies a program for the control, and removes the copy. */
#include "harness/compare/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CHUNK_BYTES ((size_t)1 << 16)

int copies_begin(struct copies *copies, struct diag *diag)
{
    const char *place = getenv("TMPDIR");
    *copies = (struct copies){.count = 0};
    if (!place || !place[0] || strlen(place) > 32)
        place = "/tmp";
    snprintf(copies->directory, sizeof copies->directory, "%s/twbench-XXXXXX", place);
    if (mkdtemp(copies->directory))
        return DIAG_OK;
    int status =
        diag_run(diag, "%s: no directory for copies: %s", copies->directory, strerror(errno));
    copies->directory[0] = '\0';
    return status;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* False with errno set. */
static bool copy_bytes(int in, int out, uint64_t *hash)
{
    char *chunk = malloc(CHUNK_BYTES);
    XXH3_state_t *state = XXH3_createState();
    ssize_t got = -1;
    if (chunk && state) {
        XXH3_64bits_reset(state);
        while ((got = read(in, chunk, CHUNK_BYTES)) > 0 && write_all(out, chunk, (size_t)got))
            XXH3_64bits_update(state, chunk, (size_t)got);
        *hash = XXH3_64bits_digest(state);
    }
    int why = errno;
    XXH3_freeState(state);
    free(chunk);
    errno = why;
    return got == 0;
}

int copies_add(struct copies *copies, const char *program, struct diag *diag)
{
    char *path = copies->paths[copies->count];
    const char name[] = {'/', (char)('a' + (int)copies->count++), '\0'};
    memcpy(path, copies->directory, sizeof copies->directory);
    strcat(path, name);
    int in = open(program, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return diag_usage(diag, "%s: %s", program, strerror(errno));
    struct stat what;
    if (fstat(in, &what) != 0 || !S_ISREG(what.st_mode)) {
        close(in);
        return diag_usage(diag, "%s: is no file; expected a program or a plugin", program);
    }
    int status = DIAG_OK;
    int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (out < 0 || !copy_bytes(in, out, &copies->hashes[copies->count - 1]))
        status = diag_run(diag, "%s: copying to %s: %s", program, path, strerror(errno));
    if (out >= 0 && close(out) != 0 && status == DIAG_OK)
        status = diag_run(diag, "%s: copying to %s: %s", program, path, strerror(errno));
    close(in);
    return status;
}

void copies_remove(struct copies *copies)
{
    for (size_t i = 0; i < copies->count; i++)
        unlink(copies->paths[i]);
    if (copies->directory[0])
        rmdir(copies->directory);
}
