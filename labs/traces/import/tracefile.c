/* tracefile.c - writes a trace, compressed, and renames it into place at the end. */
#include "labs/traces/import/tracefile.h"

#include "harness/base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { TEXT_SIZE = 1 << 16, CODED_SIZE = 1 << 16, LINE_ROOM = 80 };

enum coding { CODING_PLAIN, CODING_XZ, CODING_GZ };

struct tracefile {
    char *path, *part; /* part NULL: it is stdout */
    int fd;
    int error; /* an errno; nothing is written from then on */
    enum coding coding;
    lzma_stream xz;
    z_stream gz;
    size_t length;
    char text[TEXT_SIZE];
    uint8_t coded[CODED_SIZE];
};

/* ---- Names --------------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static bool coding_of(const char *path, enum coding *coding)
{
    *coding = ends_in(path, ".tt.xz")   ? CODING_XZ
              : ends_in(path, ".tt.gz") ? CODING_GZ
                                        : CODING_PLAIN;
    return *coding != CODING_PLAIN || ends_in(path, ".tt") || strcmp(path, "-") == 0;
}

static int is_there(const char *path, struct diag *diag)
{
    return diag_usage(diag, "%s is there already; remove it or name another file", path);
}

void tracefile_directory(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    if (strcmp(path, "-") == 0)
        snprintf(out, size, "/tmp");
    else if (!slash)
        snprintf(out, size, ".");
    else
        snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

int tracefile_check(const char *path, bool force, struct diag *diag)
{
    enum coding coding;
    struct stat about;
    char directory[4096];
    tracefile_directory(path, directory, sizeof directory);
    if (!paths_takes_files(directory))
        return diag_usage(diag, "-o: %s: cannot be written to: %s", directory, strerror(errno));
    if (!coding_of(path, &coding))
        return diag_usage(diag, "%s: expected a name that ends in .tt, .tt.xz or .tt.gz", path);
    if (strcmp(path, "-") != 0 && lstat(path, &about) == 0 && (!force || !S_ISREG(about.st_mode)))
        return is_there(path, diag);
    return DIAG_OK;
}

/* ---- Bytes --------------------------------------------------------------------------------------- */

static void bytes_write(struct tracefile *file, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0 && file->error == 0) {
        ssize_t done = write(file->fd, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            file->error = errno;
            return;
        }
        at += done;
        size -= (size_t)done;
    }
}

static void xz_write(struct tracefile *file, bool last)
{
    lzma_ret result;
    file->xz.next_in = (const uint8_t *)file->text;
    file->xz.avail_in = file->length;
    do {
        file->xz.next_out = file->coded;
        file->xz.avail_out = CODED_SIZE;
        result = lzma_code(&file->xz, last ? LZMA_FINISH : LZMA_RUN);
        bytes_write(file, file->coded, CODED_SIZE - file->xz.avail_out);
    } while (result == LZMA_OK && file->error == 0 && (last || file->xz.avail_in > 0));
    if (result != LZMA_OK && result != LZMA_STREAM_END && file->error == 0)
        file->error = result == LZMA_MEM_ERROR ? ENOMEM : EIO;
}

static void gz_write(struct tracefile *file, bool last)
{
    int result;
    file->gz.next_in = (Bytef *)file->text;
    file->gz.avail_in = (uInt)file->length;
    do {
        file->gz.next_out = file->coded;
        file->gz.avail_out = CODED_SIZE;
        result = deflate(&file->gz, last ? Z_FINISH : Z_NO_FLUSH);
        bytes_write(file, file->coded, CODED_SIZE - file->gz.avail_out);
    } while (result == Z_OK && file->error == 0 && (last || file->gz.avail_in > 0));
    if (result != Z_OK && result != Z_STREAM_END && file->error == 0)
        file->error = EIO;
}

static void text_write(struct tracefile *file, bool last)
{
    if (file->error != 0)
        return;
    if (file->coding == CODING_XZ)
        xz_write(file, last);
    else if (file->coding == CODING_GZ)
        gz_write(file, last);
    else
        bytes_write(file, file->text, file->length);
    file->length = 0;
}

/* ---- Lines --------------------------------------------------------------------------------------- */

static void number_put(struct tracefile *file, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (count > 0)
        file->text[file->length++] = digits[--count];
}

static void operation_put(struct tracefile *file, uint64_t now, char kind, uint32_t id)
{
    if (file->length > TEXT_SIZE - LINE_ROOM)
        text_write(file, false);
    number_put(file, now);
    file->text[file->length++] = ' ';
    file->text[file->length++] = kind;
    file->text[file->length++] = ' ';
    number_put(file, id);
}

void tracefile_start(struct tracefile *file, uint64_t now, uint32_t id, int64_t delay)
{
    operation_put(file, now, 's', id);
    file->text[file->length++] = ' ';
    if (delay < 0)
        file->text[file->length++] = '-';
    number_put(file, delay < 0 ? -(uint64_t)delay : (uint64_t)delay);
    file->text[file->length++] = '\n';
}

void tracefile_cancel(struct tracefile *file, uint64_t now, uint32_t id)
{
    operation_put(file, now, 'c', id);
    file->text[file->length++] = '\n';
}

void tracefile_header(struct tracefile *file, const struct trace_header *header)
{
    int length =
        snprintf(file->text, TEXT_SIZE,
                 "# timer-trace 1\n# source: %s\n# unit_ns: %llu\n# ids: %llu\n# ops: %llu\n"
                 "# max_armed: %llu\n# end: %llu\n",
                 header->source, (unsigned long long)header->unit_ns,
                 (unsigned long long)header->ids, (unsigned long long)header->ops,
                 (unsigned long long)header->max_armed, (unsigned long long)header->end);
    file->length = (size_t)length;
}

/* ---- Opening and closing ------------------------------------------------------------------------- */

static bool encoder_open(struct tracefile *file)
{
    if (file->coding == CODING_XZ)
        return lzma_easy_encoder(&file->xz, 6, LZMA_CHECK_CRC64) == LZMA_OK;
    if (file->coding == CODING_GZ)
        return deflateInit2(&file->gz, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    return true;
}

static void tracefile_free(struct tracefile *file)
{
    if (file->coding == CODING_XZ)
        lzma_end(&file->xz);
    if (file->coding == CODING_GZ)
        deflateEnd(&file->gz);
    if (file->part && file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file->part);
    free(file);
}

/* The name it has until it is complete. */
static bool part_open(struct tracefile *file)
{
    if (strcmp(file->path, "-") == 0) {
        file->fd = STDOUT_FILENO;
        return true;
    }
    if (asprintf(&file->part, "%s.%ld.part", file->path, (long)getpid()) < 0) {
        file->part = NULL;
        return false;
    }
    file->fd = open(file->part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    return file->fd >= 0;
}

int tracefile_open(struct tracefile **out, const char *path, struct diag *diag)
{
    struct tracefile *file = calloc(1, sizeof *file);
    if (!file)
        return diag_run(diag, "%s: no memory to write it", path);
    file->fd = -1;
    file->xz = (lzma_stream)LZMA_STREAM_INIT;
    file->path = strdup(path);
    coding_of(path, &file->coding);
    if (!file->path || !part_open(file)) {
        int reason = errno;
        tracefile_free(file);
        return diag_run(diag, "%s: cannot be written: %s", path, strerror(reason));
    }
    if (!encoder_open(file)) {
        tracefile_abandon(file);
        return diag_run(diag, "%s: no memory to compress it", path);
    }
    *out = file;
    return DIAG_OK;
}

void tracefile_abandon(struct tracefile *file)
{
    if (!file)
        return;
    if (file->part)
        unlink(file->part);
    tracefile_free(file);
}

/* A link, unlike a rename, leaves alone what has that name; not every file system has them. */
static int part_name(const struct tracefile *file, bool force)
{
    if (!force && link(file->part, file->path) == 0)
        return unlink(file->part) == 0 ? 0 : errno;
    if (!force && (errno == EEXIST || access(file->path, F_OK) == 0))
        return EEXIST;
    return rename(file->part, file->path) == 0 ? 0 : errno;
}

int tracefile_finish(struct tracefile *file, bool force, struct diag *diag)
{
    text_write(file, true);
    if (file->error == 0 && file->part && fsync(file->fd) != 0)
        file->error = errno;
    if (file->error == 0 && file->part)
        file->error = part_name(file, force);
    int status = DIAG_OK;
    if (file->error == EEXIST)
        status = is_there(file->path, diag);
    else if (file->error != 0)
        status = diag_run(diag, "%s: cannot be written: %s",
                          file->part ? file->path : "standard output", strerror(file->error));
    if (status == DIAG_OK)
        tracefile_free(file);
    else
        tracefile_abandon(file);
    return status;
}
