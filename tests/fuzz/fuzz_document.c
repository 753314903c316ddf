/* fuzz_document.c - any JSON as a document of any kind, read as report does, and shown in every format. */
#include "harness/tell/report/documents.h"
#include "harness/tell/result/document.h"
#include "mutate.h"
#include "pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct diag diag;
    struct document document;
    if (document_load(fuzz_file(path, sizeof path, "document.json", data, size), &document,
                      &diag) == DIAG_OK)
        pages_show(document.result ? result_json(document.result) : document.json, data, size);
    document_free(&document);
    return 0;
}
