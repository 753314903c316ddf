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

#include <cjson/cJSON.h>

/* ---- Shape (shape.c). ------------------------------------------------------------------------- */

/* Is this JSON a result?  The part of schema/result-1.json that readers here rely on.
 *
 * tests/schema.sh holds the two together: a document that misses a key is refused by both. */

#define RESULT_SCHEMA_VERSION 1

/* `what` names the document in the diagnostic.  DIAG_USAGE with "what: path: what was expected". */
int shape_check_head(const cJSON *root, const char *what, struct diag *diag);
int shape_check_cell(const cJSON *cell, size_t index, const char *what, struct diag *diag);
/* What the writer keeps and a reader relies on (agree.c).  Of any document: medians, intervals and percentiles in their
 * order, and those of the samples that stand beside them.  Of a result: a time for what was timed and for nothing else;
 * a status that there is, and ok only where digest, counts, lateness or ledger prove it; each cell once; shards 1 .. N,
 * once each.  Asked by whoever loads a document: report, compare, merge, --resume, history, ci.  DIAG_USAGE with the cell
 * and the key.  O(n log n) in cells and samples. */
int agree_check_figures(const cJSON *root, const char *what, struct diag *diag);
int agree_check_cell(const cJSON *cell, size_t index, const char *what, struct diag *diag);
int agree_check_document(const cJSON *root, const char *what, struct diag *diag);
/* The version, and agree_check_figures: of a document of which readers rely on nothing else. */
int shape_check_version(const cJSON *root, const char *what, struct diag *diag);
/* Is the cell's design never late, and does it keep its timers?  Then its digest is the oracle's. */
bool result_is_exact(const cJSON *cell);
/* What is at a path of a document. */
enum shape_kind {
    SHAPE_NUMBER = 1,
    SHAPE_TEXT = 2,
    SHAPE_BOOL = 4,
    SHAPE_OBJECT = 8,
    SHAPE_ARRAY = 16,
    SHAPE_OR_NULL = 32,
    SHAPE_OPTIONAL = 64,
    SHAPE_SIGNED = 128 /* beside SHAPE_NUMBER: it may be below 0 */
};

/* "[]" stands for each element of an array, "{}" for each member of an object.  A parent stands before its children;
 * below a null nothing is looked for. */
struct shape_rule {
    const char *path;
    unsigned kinds;
};

/* The same of a document of another kind: its version, `kind`, tool, machine and command, and these rules. */
int shape_check_kind(const cJSON *root, const char *kind, const struct shape_rule *rules,
                     size_t count, const char *what, struct diag *diag);

/* ---- The document. ---------------------------------------------------------------------------- */

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
    double timer_step_ns;     /* a latency below it is no number; below 0: unknown */
};

/* By whom, where and how the cells are measured. */
struct result_origin {
    int argc;
    char *const *argv;
    struct result_tool tool;
    struct machine machine;
    struct system_checks checks;
    struct result_harness harness;
};

/* The owner frees it with result_free.  Strings are copied. */
struct result_document *result_new(const struct result_origin *origin);
/* What such a document begins with; the caller's. */
cJSON *result_head(const struct result_origin *origin);
/* With its root and its texts; NULL is allowed. */
void result_free(struct result_document *document);

/* A document of another kind with the tool, machine and command of `head`; the caller's. */
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

/* The harness's cost that a cell on this stream (by its hash), with nothing asked between the calls, carries; below 0 when none does. */
double result_harness_ns_per_op(const struct result_document *document,
                                const struct stream *stream);

/* Puts `item`, which the document owns from then on, beside the cells, or in the place of what has this
 * key: what other documents have more than a result (labs/teach/docs/CLAIMS.md). */
void result_attach(struct result_document *document, const char *key, cJSON *item);

/* Adds a text to "left_out", what was asked for and is not there. */
void result_leave_out(struct result_document *document, const char *text);
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
