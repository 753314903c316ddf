/* tracefile.c - compresses a trace and writes it. */
#include "labs/traces/import/tracefile.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"
#include "harness/base/paths.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

int tracefile_check(const char *path, bool force, struct diag *diag)
{
    if (strcmp(path, "-") == 0)
        return DIAG_OK;
    if (!ends_in(path, ".tt") && !ends_in(path, ".tt.xz") && !ends_in(path, ".tt.gz"))
        return diag_usage(diag, "%s: expected a name that ends in .tt, .tt.xz or .tt.gz", path);
    int status = paths_check_file("-o", path, diag);
    if (status != DIAG_OK || force)
        return status;
    return file_refuse_existing(path, "remove it, name another file, or --force", diag);
}

struct bytes {
    void *data;
    size_t size;
};

static void print_bytes(FILE *out, const void *ctx)
{
    const struct bytes *bytes = ctx;
    fwrite(bytes->data, 1, bytes->size, out);
}

static bool compress_xz(const char *text, size_t size, struct bytes *out)
{
    size_t room = lzma_stream_buffer_bound(size);
    out->data = memory_take(room, 1);
    return lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, size,
                                   out->data, &out->size, room) == LZMA_OK;
}

static bool compress_gz(const char *text, size_t size, struct bytes *out)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)size};
    if (size > UINT32_MAX ||
        deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    stream.avail_out = (uInt)deflateBound(&stream, size);
    stream.next_out = out->data = memory_take(stream.avail_out, 1);
    bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out->size = stream.total_out;
    deflateEnd(&stream);
    return done;
}

int tracefile_write(const char *path, const char *text, size_t size, struct diag *diag)
{
    struct bytes plain = {(void *)(uintptr_t)text, size}, coded = {NULL, 0};
    bool is_xz = ends_in(path, ".tt.xz"), is_gz = ends_in(path, ".tt.gz");
    bool done = is_xz ? compress_xz(text, size, &coded) : !is_gz || compress_gz(text, size, &coded);
    int status = done ? file_replace(path, print_bytes, is_xz || is_gz ? &coded : &plain, diag)
                      : diag_run(diag, "%s: cannot be compressed", path);
    free(coded.data);
    return status;
}
