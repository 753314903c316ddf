/* core_documents.c - the kinds of document that the core shows; a lab's program shows more. */
#include "harness/tell/report/documents.h"

const struct document_kind *const document_kinds[] = {&kind_comparison, &kind_selftest, &kind_run,
                                                      NULL};
