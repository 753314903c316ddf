/* write.c - writes the chosen track as a timer-trace 1: plain, .xz or .gz by the name. */
#include "labs/traces/import/import.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"
#include "harness/base/paths.h"
#include "harness/base/text.h"

#include <lzma.h>
#include <zlib.h>

int import_check_path(const char *path, bool force, struct diag *diag)
{
    if (strcmp(path, "-") == 0)
        return DIAG_OK;
    if (!text_ends_with(path, ".tt") && !text_ends_with(path, ".tt.xz") &&
        !text_ends_with(path, ".tt.gz"))
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

static int write_text(const char *path, const char *text, size_t size, struct diag *diag)
{
    struct bytes plain = {(void *)(uintptr_t)text, size}, coded = {NULL, 0};
    bool is_xz = text_ends_with(path, ".tt.xz"), is_gz = text_ends_with(path, ".tt.gz");
    bool done = is_xz ? compress_xz(text, size, &coded) : !is_gz || compress_gz(text, size, &coded);
    int status = done ? file_replace(path, print_bytes, is_xz || is_gz ? &coded : &plain, diag)
                      : diag_run(diag, "%s: cannot be compressed", path);
    free(coded.data);
    return status;
}

void import_header(const struct import *import, struct trace_header *header)
{
    const struct import_kind *kind = import->options->kind;
    const char *source = import->options->source ? import->options->source : kind->source;
    const struct builder *builder = &import->chosen->builder;
    *header = (struct trace_header){
        .unit_ns = kind->unit_find ? kind->unit_find(import) : kind->unit_ns,
        .ids = builder->ids,
        .ops = builder->op_count,
        .max_armed = builder->counts.max_armed,
        .end = (uint64_t)builder->now,
    };
    if (source)
        snprintf(header->source, sizeof header->source, "%s", source);
    else
        kind->source_write(import, header->source, sizeof header->source);
}

static void print_trace(FILE *out, const struct import *import)
{
    struct trace_header header;
    const struct builder *builder = &import->chosen->builder;
    import_header(import, &header);
    fprintf(out,
            "# timer-trace 1\n# source: %s\n# unit_ns: %" PRIu64 "\n# ids: %" PRIu64
            "\n# ops: %" PRIu64 "\n# max_armed: %" PRIu64 "\n# end: %" PRIu64 "\n",
            header.source, header.unit_ns, header.ids, header.ops, header.max_armed, header.end);
    for (size_t i = 0; i < builder->op_count; i++) {
        const struct builder_op *op = &builder->ops[i];
        if (op->is_start)
            fprintf(out, "%" PRIu64 " s %" PRIu32 " %" PRId64 "\n", op->now, op->id, op->delay);
        else
            fprintf(out, "%" PRIu64 " c %" PRIu32 "\n", op->now, op->id);
    }
}

int import_write(struct import *import, const char *path, struct diag *diag)
{
    const struct builder *builder = &import->chosen->builder;
    char *text = NULL;
    size_t size;
    for (size_t i = 0; i < builder->op_count; i++)
        if (builder->ops[i].is_start)
            distribution_add(&import->delays, builder->ops[i].delay);
    distribution_sort(&import->delays);
    distribution_sort(&import->chosen->builder.lateness);
    FILE *out = open_memstream(&text, &size);
    if (out)
        print_trace(out, import);
    int status = out && fclose(out) == 0 ? write_text(path, text, size, diag)
                                         : diag_run(diag, "%s: no memory for the trace", path);
    free(text);
    return status;
}
