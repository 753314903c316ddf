/* fuzz_census.c - any bytes as a trace: what is in it, as text; a name of the source may be "nan". */
#include "harness/tell/report/builders.h"
#include "harness/tell/report/writer.h"
#include "labs/traces/traces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct textfile *file;
    struct trace_header header;
    struct census census;
    struct diag diag;
    char *printed = NULL;
    size_t length = 0;
    struct page page = {.blocks = NULL};
    const struct report_style style = {.columns = 80};
    if (textfile_open_memory(&file, "fuzz.tt", data, size, &diag) != DIAG_OK)
        return 0;
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
        census_free(&census);
    }
    textfile_close(file);
    return 0;
}
