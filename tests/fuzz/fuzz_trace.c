/* fuzz_trace.c - any bytes as a trace: plain, or behind the magic of xz or gzip; and what is in it. */
#include "harness/tell/report/builders.h"
#include "harness/tell/report/writer.h"
#include "labs/traces/census_record.h"
#include "labs/traces/fit.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The census, as text and as a workload; a name of the source may be "nan". */
static void look(const uint8_t *data, size_t size)
{
    struct textfile *file;
    struct trace_header header;
    struct census census;
    struct diag diag;
    cJSON *workload = NULL;
    char *printed = NULL;
    size_t length = 0;
    struct page page = {.blocks = NULL};
    const struct report_style style = {.columns = 80};
    if (textfile_open_memory(&file, "fuzz.tt", data, size, &diag) != DIAG_OK)
        return;
    if (census_of_trace(file, &header, &census, &diag) == DIAG_OK) {
        cJSON *record = census_record("fuzz", "", &census);
        FILE *out = open_memstream(&printed, &length);
        page_trace(&page, record);
        writer_terminal(out, &page, &style);
        page_free(&page);
        fclose(out);
        if (strstr(printed, "nan") || strstr(printed, "inf"))
            abort();
        free(printed);
        cJSON_Delete(record);
        if (fit_workload(&census, "fuzz", header.source, &workload, &diag) == DIAG_OK)
            cJSON_Delete(workload);
        census_free(&census);
    }
    textfile_close(file);
}

/* The first byte chooses the tick of the stream; the rest is the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct textfile *file;
    struct stream *stream;
    struct diag diag;
    if (size == 0)
        return 0;
    look(data + 1, size - 1);
    if (textfile_open_memory(&file, "fuzz.tt", data + 1, size - 1, &diag) != DIAG_OK)
        return 0;
    if (trace_stream(file, "fuzz", data[0] ? data[0] * UINT64_C(1000) : 0, (struct deadline){0},
                     &stream, &diag) == DIAG_OK)
        stream_free(stream);
    textfile_close(file);
    return 0;
}
