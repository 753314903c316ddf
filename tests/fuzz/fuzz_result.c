/* fuzz_result.c - any JSON as a result: read as --resume and report do, written again, and shown in every format. */
#include "harness/tell/report/builders.h"
#include "harness/tell/report/services.h"
#include "harness/tell/report/writer.h"
#include "harness/tell/result/document.h"
#include "mutate.h"

/* What was read and written again reads as the same cells: --resume never leaves what it cannot read. */
static void write_again(const struct result_document *document)
{
    char path[64];
    struct diag diag;
    struct result_document *again;
    fuzz_file(path, sizeof path, "again.json", "", 0);
    if (result_write(document, path, &diag) != DIAG_OK ||
        result_load(path, &again, &diag) != DIAG_OK ||
        result_count_cells(again) != result_count_cells(document)) {
        fprintf(stderr, "%s\n", diag.text);
        abort();
    }
    result_free(again);
}

static void show(const struct result_document *document, const uint8_t *data, size_t size)
{
    char *printed = NULL;
    size_t length = 0;
    const struct report_style style = {.utf8 = size % 2, .columns = 80};
    FILE *out = open_memstream(&printed, &length);
    struct page page = {.blocks = NULL};
    page_run(&page, result_json(document));
    writer_terminal(out, &page, &style);
    writer_markdown(out, &page);
    writer_csv(out, &page);
    page_free(&page);
    gbench_write(out, document);
    bencher_write(out, document);
    junit_write(out, document);
    fclose(out);
    fuzz_check_numbers(printed, data, size);
    free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct diag diag;
    struct result_document *document;
    if (result_load(fuzz_file(path, sizeof path, "result.json", data, size), &document, &diag) !=
        DIAG_OK)
        return 0;
    write_again(document);
    show(document, data, size);
    result_free(document);
    return 0;
}
