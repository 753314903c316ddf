/* fuzz_trace.c - any bytes as a trace: plain, or behind the magic of xz or gzip, as a stream. */
#include "harness/measure/workload/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte chooses the tick of the stream; the rest is the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct textfile *file;
    struct stream *stream;
    struct diag diag;
    if (size == 0)
        return 0;
    if (textfile_open_memory(&file, "fuzz.tt", data + 1, size - 1, &diag) != DIAG_OK)
        return 0;
    if (trace_stream(file, "fuzz", data[0] ? data[0] * UINT64_C(1000) : 0, (struct deadline){0},
                     &stream, &diag) == DIAG_OK)
        stream_free(stream);
    textfile_close(file);
    return 0;
}
