/*
 * outputs.h - what a command leaves of a result document: table, exports, pictures.
 */
#ifndef TWBENCH_OUTPUTS_H
#define TWBENCH_OUTPUTS_H

#include "harness/cli/options.h"
#include "harness/tell/result/document.h"

/* Before anything runs: refuses files that are there already (unless --force or --resume). */
int outputs_check(const struct options *options, struct diag *diag);

/* The table - or the claims, where the document has some - goes to stdout unless one of the files is
 * "-", or `report` was asked for a page. */
int outputs_write(const struct options *options, const struct result_document *document,
                  struct diag *diag);

/* For any other kind of document (tell/report/documents.h): its page in each format that was asked for, and its
 * picture.  DIAG_USAGE when a flag wants what the kind has not. */
int outputs_page(const struct options *options, const cJSON *document, struct diag *diag);
/* The exports alone, of a command that shows the document in its own way; and may that go to stdout? */
int outputs_exports(const struct options *options, const cJSON *document, struct diag *diag);
bool outputs_want_text(const struct options *options);
/* The picture alone, into options->plots. */
int outputs_picture(const struct options *options, const cJSON *document, struct diag *diag);
/* The JSON alone, when it was asked for. */
int outputs_json(const struct options *options, const cJSON *document, struct diag *diag);
/* The JSON as well, of a command that made it. */
int outputs_document(const struct options *options, const cJSON *document, struct diag *diag);

/* Holds the document to every --assert; the text of each that does not hold goes to stderr.
 * *broken: the counts contradict one of them.  DIAG_USAGE when the document cannot tell of one. */
int outputs_assert(const struct options *options, const struct result_document *document,
                   bool *broken, struct diag *diag);

/* The pictures, into options->plots or, in format dumb, to stdout; names them on stderr. */
int outputs_plot(const struct options *options, const cJSON *document, struct diag *diag);

#endif
