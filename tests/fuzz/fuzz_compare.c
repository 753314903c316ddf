/* fuzz_compare.c - any two JSON texts as OLD and NEW of compare, or as a baseline and what is held against it. */
#include "harness/compare/results.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/services.h"
#include "harness/tell/report/writer.h"
#include "harness/tell/result/document.h"
#include "mutate.h"

#include <math.h>

static void show(const struct comparison *comparison, const cJSON *head, const uint8_t *data,
                 size_t size)
{
    char *printed = NULL;
    size_t length = 0;
    const struct report_style style = {.utf8 = size % 2, .columns = 80};
    cJSON *json = comparison_json(comparison, head, FAIL_ON_REGRESSED);
    FILE *out = open_memstream(&printed, &length);
    struct page page = {.blocks = NULL};
    page_comparison(&page, json);
    writer_terminal(out, &page, &style);
    writer_markdown(out, &page);
    writer_csv(out, &page);
    compare_junit_write(out, json);
    page_free(&page);
    fclose(out);
    fuzz_check_numbers(printed, data, size);
    free(printed);
    cJSON_Delete(json);
}

static void compare(const struct result_document *before, const struct result_document *after,
                    const uint8_t *data, size_t size)
{
    struct diag diag;
    struct comparison comparison = {.cells = NULL};
    struct limits limits = limits_default();
    if (compare_documents(result_json(before), "OLD", result_json(after), "NEW", &limits,
                          &comparison, &diag) != DIAG_OK)
        return;
    for (size_t i = 0; i < comparison.cell_count; i++)
        cell_conclude(&comparison.cells[i], &limits);
    comparison.complete = true;
    comparison.limits = limits;
    comparison.steal_share = comparison.busy_share = comparison.load_1min = NAN;
    comparison.slow_share = NAN;
    comparison_conclude(&comparison);
    show(&comparison, result_json(after), data, size);
    comparison_free(&comparison);
}

/* Without PART, one text is both. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct diag diag;
    struct result_document *before = NULL, *after = NULL;
    const uint8_t *part = size ? memchr(data, PART, size) : NULL;
    size_t first = part ? (size_t)(part - data) : size;
    const uint8_t *second = part ? part + 1 : data;
    size_t rest = part ? size - first - 1 : size;
    if (result_load(fuzz_file(path, sizeof path, "old.json", data, first), &before, &diag) ==
            DIAG_OK &&
        result_load(fuzz_file(path, sizeof path, "new.json", second, rest), &after, &diag) ==
            DIAG_OK)
        compare(before, after, data, size);
    result_free(before);
    result_free(after);
    return 0;
}
