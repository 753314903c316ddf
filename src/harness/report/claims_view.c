/* claims_view.c - the sentences. */
#include "harness/report/claims_view.h"

#include "harness/result/json.h"

#include <stdio.h>
#include <string.h>

bool claims_are_there(const cJSON *document)
{
    return cJSON_IsArray(json_get(document, "claims"));
}

void claims_documents(char *out, size_t size, const cJSON *claim)
{
    size_t used = 0;
    const cJSON *item;
    out[0] = '\0';
    cJSON_ArrayForEach(item, json_get(claim, "documents"))
    {
        if (cJSON_IsString(item) && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                     item->valuestring);
    }
}

static size_t count_verdicts(const cJSON *document, const char *verdict)
{
    size_t count = 0;
    const cJSON *claim;
    cJSON_ArrayForEach(claim, json_get(document, "claims"))
    {
        count += strcmp(json_get_text(claim, "verdict"), verdict) == 0;
    }
    return count;
}

void claims_summary(char *out, size_t size, const cJSON *document)
{
    size_t hold = count_verdicts(document, "holds");
    size_t refuted = count_verdicts(document, "does-not-hold");
    size_t open = count_verdicts(document, "inconclusive");
    snprintf(out, size, "%zu hold%s, %zu do%s not hold, %zu %s inconclusive", hold,
             hold == 1 ? "s" : "", refuted, refuted == 1 ? "es" : "", open,
             open == 1 ? "is" : "are");
}

void claims_not_yet(char *out, size_t size, const cJSON *document)
{
    size_t used = 0;
    const cJSON *item;
    out[0] = '\0';
    cJSON_ArrayForEach(item, json_get(document, "not_yet"))
    {
        if (used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s (%s)", used ? ", " : "",
                                     json_get_text(item, "id"), json_get_text(item, "waits_for"));
    }
}
