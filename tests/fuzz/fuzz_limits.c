/* fuzz_limits.c - any JSON as limits of a machine, and behind PART as the result that is shown beside them. */
#include "harness/base/json.h"
#include "harness/tell/result/document.h"
#include "labs/advise/limits/limits_json.h"
#include "labs/advise/limits/limits_view.h"
#include "mutate.h"
#include "pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct diag diag;
    cJSON *limits = NULL;
    struct result_document *result = NULL;
    const uint8_t *part = size ? memchr(data, PART, size) : NULL;
    size_t first = part ? (size_t)(part - data) : size;
    if (limits_load(fuzz_file(path, sizeof path, "limits.json", data, first), &limits, &diag) !=
        DIAG_OK)
        return 0;
    if (part && result_load(fuzz_file(path, sizeof path, "of.json", part + 1, size - first - 1),
                            &result, &diag) == DIAG_OK) {
        cJSON_DeleteItemFromObjectCaseSensitive(limits, "multiples");
        json_add(limits, "multiples",
                 limits_multiples_json(limits, result_json(result), "of.json"));
    }
    pages_show(limits, data, size);
    result_free(result);
    cJSON_Delete(limits);
    return 0;
}
