/*
 * html_claims.h - the claims of a document: a table of the verdicts, and an article for each.
 */
#ifndef TWBENCH_HTML_CLAIMS_H
#define TWBENCH_HTML_CLAIMS_H

#include "harness/report/html.h"
#include "harness/report/inline.h"

/* Nothing when the document has no claims.  The pictures that belong to a claim stand in its article. */
void html_claims(FILE *out, const cJSON *document, const struct inline_pictures *pictures);

#endif
