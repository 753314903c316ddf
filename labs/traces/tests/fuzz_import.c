/* fuzz_import.c - any bytes as a log of each kind. */
#include "labs/traces/import/import.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void log_import(const struct import_kind *kind, bool recycle, const uint8_t *data,
                       size_t size)
{
    struct import_options options;
    struct import import;
    struct textfile *log;
    struct trace_header header;
    struct diag diag;
    import_options_init(&options, kind);
    options.ids_recycle = recycle;
    if (textfile_open_memory(&log, "fuzz.log", data, size, &diag) != DIAG_OK)
        return;
    import_open(&import, &options);
    if (import_read(&import, log, &diag) == DIAG_OK) {
        const struct builder *builder = &import.chosen->builder;
        import_header(&import, &header);
        /* What is armed is what was started and has not ended. */
        if (builder->counts.starts_new !=
            builder->counts.cancels + builder->counts.expired + builder->armed)
            abort();
    }
    import_close(&import);
    textfile_close(log);
}

/* The first byte chooses the kind and what becomes of ids; the rest is the log. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t kinds = 0;
    while (import_kinds[kinds])
        kinds++;
    if (size > 0)
        log_import(import_kinds[data[0] / 2 % kinds], data[0] % 2, data + 1, size - 1);
    return 0;
}
