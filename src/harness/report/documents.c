/* documents.c - tells the kinds of document apart by their keys. */
#include "harness/report/documents.h"

#include "harness/result/json.h"

#include <string.h>

static bool is_limits(const cJSON *document)
{
    return strcmp(json_get_text(document, "kind"), "limits") == 0;
}

static const struct document_kind kinds[] = {
    {"limits", is_limits, page_limits},
};

const struct document_kind *document_kind_of(const cJSON *document)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].is(document))
            return &kinds[i];
    return NULL;
}
