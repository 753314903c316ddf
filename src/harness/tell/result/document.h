/*
 * document.h - the result document: all that a run found, as one JSON text.
 *
 * The document is built cell by cell while a run goes on, or loaded from a file; both are the same
 * afterwards, because a cell is printed the moment it is added and read back from that text.  The
 * texts are kept: writing the file again after each cell joins strings, it does not print the whole
 * document again, and cells of a loaded file are written back byte for byte.
 *
 * schema/result-1.json says what the keys mean.
 */
#ifndef TWBENCH_DOCUMENT_H
#define TWBENCH_DOCUMENT_H

#include "harness/base/diag.h"
#include "harness/measure/machine/machine.h"
#include "harness/tell/result/cell.h"
#include "harness/tell/result/selftest_record.h"

#include <cjson/cJSON.h>

struct result_document;

/* Who measured.  NULL or "" is written as null: unknown. */
struct result_tool {
    const char *name, *version; /* never NULL */
    const char *commit;         /* of the source; with "-dirty" when it had changes */
    const char *compiler, *flags;
    const char *allocator; /* "jemalloc 5.3.0", "libc" */
    const char *date_utc;  /* "2024-05-01T12:00:00Z"; NULL: the moment of result_new */
};

/* What the harness itself costs, measured on this machine before the cells. */
struct result_harness {
    const char *timer;        /* what latencies are read from: "tsc", "clock_gettime" */
    double timer_overhead_ns; /* subtracted from each latency; below 0: unknown */
};

struct result_origin {
    int argc;
    char *const *argv;
    struct result_tool tool;
    struct machine machine;
    struct system_checks checks;
    struct selftest_record selftest; /* all zero: none */
    struct result_harness harness;
};

/* The owner frees it with result_free.  Strings are copied. */
int result_new(const struct result_origin *origin, struct result_document **out, struct diag *diag);
/* With its root and its texts; NULL is allowed. */
void result_free(struct result_document *document);

/* A document of another kind with the tool, machine and command of `head`; the caller's.  What memory was short for
 * is missing, as everywhere when JSON is made. */
cJSON *result_begin(const cJSON *head, const char *kind);

/* Adds the cell, or replaces the one with the same identity and stream.  `harness_ns_per_op` is the
 * cost of the null design on the same stream, per call; below 0 when it was not measured (written
 * as null).  O(size of the cell). */
int result_add_cell(struct result_document *document, const struct cell_identity *identity,
                    const struct stream *stream, const struct outcome *outcome,
                    double harness_ns_per_op, struct diag *diag);

/* For --resume: true when the document has this cell and running it again could only say the same.
 * A cell that ran into its time or memory limit counts only if the limit was not lower than now. */
bool result_has_cell(const struct result_document *document, const struct cell_identity *identity,
                     const struct stream *stream);

/* The harness's cost that a cell on this stream (by its hash) carries; below 0 when none does. */
double result_harness_ns_per_op(const struct result_document *document,
                                const struct stream *stream);

/* Puts `item`, which the document owns from then on, beside the cells, or in the place of what has this
 * key: what other documents have more than a result (labs/teach/docs/CLAIMS.md). */
int result_attach(struct result_document *document, const char *key, cJSON *item,
                  struct diag *diag);

/* Adds a text to "left_out", what was asked for and is not there. */
int result_leave_out(struct result_document *document, const char *text, struct diag *diag);
/* What is tried again is not left out yet. */
void result_forget_left_out(struct result_document *document);

/* False until told otherwise: the run is going on, or was interrupted. */
void result_set_complete(struct result_document *document, bool complete);

/* What makes the exit status 1: cells of status mismatch and crashed, and what was left out. */
size_t result_count_failed(const struct result_document *document);
size_t result_count_cells(const struct result_document *document);

/* The whole document for readers; every number in it is a cJSON number.  Owned by the document and
 * valid until the next cell is added. */
const cJSON *result_json(const struct result_document *document);

/* Writes the text to `path` through a temporary file beside it, flushed to the disk and renamed, so
 * that at any moment the file is whole; "-" is stdout.  O(size of the text), without printing it
 * again.  DIAG_RUN on an error of the file system. */
int result_write(const struct result_document *document, const char *path, struct diag *diag);

/* Reads a document; "-" is stdin.  DIAG_USAGE when the file cannot be read, with
 * "FILE:line:column: ..." when it is not JSON or cut off, and with the key's path
 * ("FILE: cells[3].phases[0].name: missing; expected text") when it is not a result. */
int result_load(const char *path, struct result_document **out, struct diag *diag);
/* The same of a text that was read from what is called `name`; it ends with a zero byte behind `size`. */
int result_parse(const char *text, size_t size, const char *name, struct result_document **out,
                 struct diag *diag);

/* DIAG_USAGE, naming --force and --resume, when the file is there already; "-" never is. */
int result_refuse_existing(const char *path, struct diag *diag);

/* DIAG_USAGE when `document` (loaded from `path`) comes from another build or machine than `origin`, so that
 * adding cells to it would mix figures that cannot be compared; names the key that differs. */
int result_check_origin(const struct result_document *document, const char *path,
                        const struct result_origin *origin, struct diag *diag);

#endif
