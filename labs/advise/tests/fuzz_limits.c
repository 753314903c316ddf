/* fuzz_limits.c - any JSON as limits of a machine, and behind PART as the result that is shown beside them. */
#include "fuzz/mutate.h"
#include "fuzz/pages.h"
#include "harness/base/json.h"
#include "harness/tell/result/document.h"
#include "labs/advise/advise.h"
#include "labs/advise/limits/limits.h"

static const struct document_kind limits = {.name = "limits", .build = page_limits};
const struct document_kind *const document_kinds[] = {&limits, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct diag diag;
    cJSON *document = NULL;
    struct result_document *result = NULL;
    const uint8_t *part = size ? memchr(data, PART, size) : NULL;
    size_t first = part ? (size_t)(part - data) : size;
    if (limits_load(fuzz_file(path, sizeof path, "limits.json", data, first), &document, &diag) !=
        DIAG_OK)
        return 0;
    if (part && result_load(fuzz_file(path, sizeof path, "of.json", part + 1, size - first - 1),
                            &result, &diag) == DIAG_OK) {
        cJSON_DeleteItemFromObjectCaseSensitive(document, "multiples");
        json_add(document, "multiples",
                 limits_multiples_json(document, result_json(result), "of.json"));
    }
    pages_show(document, data, size);
    result_free(result);
    cJSON_Delete(document);
    return 0;
}
