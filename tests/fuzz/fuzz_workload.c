/* fuzz_workload.c - any bytes as a workload file, and what can be parsed is generated too. */
#include "harness/measure/workload/generate.h"
#include "harness/measure/workload/spec.h"
#include "mutate.h"

/* Few tasks and little work, so that what takes long by design is not mistaken for a hang.  No
 * directory: empirical(TRACE) would read files. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct workload_request request = {.tasks = 20};
    struct spec *spec;
    struct stream *stream;
    struct diag diag;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    int status = spec_parse(text, size, "fuzz.json", &request, &spec, &diag);
    free(text);
    if (status != DIAG_OK)
        return 0;
    if (generate_stream(spec, 1, (struct generate_limits){.work_max = 20000}, &stream, &diag) ==
        DIAG_OK)
        stream_free(stream);
    spec_free(spec);
    return 0;
}
