/*
 * outputs.h - what a command leaves of a document: table, JSON, exports, page, pictures; and the flags that ask for them.
 */
#ifndef TWBENCH_OUTPUTS_H
#define TWBENCH_OUTPUTS_H

#include "harness/command/command.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plot.h"
#include "harness/tell/report/standing.h"
#include "harness/tell/report/writer.h"

#define EXPORTS_MAX 8
#define ASSERTS_MAX 64

/* What a command leaves, which says what its exports can be made of. */
enum output_kind { OUTPUT_PAGE, OUTPUT_RESULT, OUTPUT_COMPARISON };

struct outputs {
    enum output_kind kind;
    const char *json;                 /* file, "-" or NULL, as all of these */
    const char *exports[EXPORTS_MAX]; /* by the place in the table of formats */
    const char *html, *plots;         /* plots: a directory */
    const char *also[3]; /* files of the command's own, by the flags that name them: "-o" */
    const char *also_flags[3];
    enum plot_format plot_format;
    struct sweep_claim asserts[ASSERTS_MAX];
    size_t assert_count;
    enum style_color color;
    bool force, resume;
    bool keeps_cells; /* a JSON that is there may be gone on with */
    bool silent;      /* no table */
    bool page_alone;  /* `report`: where a page is asked for there is no table */
    bool to_stderr;   /* `import`: the table goes there, for the trace may be on stdout */
};

/* ---- Flags: groups of a struct outputs. -------------------------------------------------------- */

/* The rows of each group. */
extern const struct flag output_json_flags[2], output_resume_flags[1], output_plot_flags[2],
    output_page_flags[1], output_assert_flags[1], output_style_flags[1], output_force_flags[1];

/* `at`: where the struct lies in the command's options. */
#define OUTPUT_GROUP_(at, rows)                                                                    \
    {                                                                                              \
        .title = "Output", .flags = rows, .count = FLAGS(rows), .offset = (at)                     \
    }
#define OUTPUT_JSON(at)   OUTPUT_GROUP_(at, output_json_flags) /* --json, --force */
#define OUTPUT_RESUME(at) OUTPUT_GROUP_(at, output_resume_flags)
#define OUTPUT_PLOTS(at)  OUTPUT_GROUP_(at, output_plot_flags) /* --plots, --plot-format */
#define OUTPUT_HTML(at)   OUTPUT_GROUP_(at, output_page_flags) /* --html, -o */
#define OUTPUT_ASSERT(at) OUTPUT_GROUP_(at, output_assert_flags)
#define OUTPUT_STYLE(at)  OUTPUT_GROUP_(at, output_style_flags)
#define OUTPUT_FORCE(at)  OUTPUT_GROUP_(at, output_force_flags)
/* The exports of a result, a comparison or a page. */
#define OUTPUT_EXPORTS(at, what)                                                                   \
    {                                                                                              \
        .offset = (at), .find = output_##what##_find, .each = output_##what##_each                 \
    }
/* What a command has that ends in a page. */
#define OUTPUT_PAGE(at, what)                                                                      \
    OUTPUT_PLOTS(at), OUTPUT_HTML(at), OUTPUT_STYLE(at), OUTPUT_EXPORTS(at, what)
bool output_result_find(const void *of, const char *name, struct flag *out);
bool output_comparison_find(const void *of, const char *name, struct flag *out);
bool output_page_find(const void *of, const char *name, struct flag *out);
void output_result_each(const void *of, flag_row_fn *row, void *ctx);
void output_comparison_each(const void *of, flag_row_fn *row, void *ctx);
void output_page_each(const void *of, flag_row_fn *row, void *ctx);

/* ---- Before anything runs. --------------------------------------------------------------------- */

/* Refuses two flags that name one file, files that are there already (unless --force or --resume) or cannot be written,
 * and pictures without gnuplot; takes the lock of the document, which the call then holds. */
int outputs_check(struct call *call, const struct outputs *outputs, struct diag *diag);
/* Has each --assert its design among these, and at least as many sizes as it takes to tell? */
int outputs_check_asserts(const struct outputs *outputs, const struct tw_design *const *designs,
                          size_t design_count, size_t task_count, struct diag *diag);

/* ---- Afterwards. ------------------------------------------------------------------------------- */

/* A document of any kind (documents.h): its JSON if asked for, its page in each format that was asked for, and its
 * pictures.  DIAG_USAGE when a flag wants what the kind has not. */
int outputs_document(const struct outputs *outputs, const cJSON *document, struct diag *diag);
/* The same without the JSON, and the parts of it. */
int outputs_page(const struct outputs *outputs, const cJSON *document, struct diag *diag);
int outputs_json(const struct outputs *outputs, const cJSON *document, struct diag *diag);
int outputs_exports(const struct outputs *outputs, const cJSON *document, struct diag *diag);
/* May the command's own text go to stdout? */
bool outputs_want_text(const struct outputs *outputs);

/* Of a document with cells: table, exports and pictures. */
int outputs_write(const struct outputs *outputs, const struct result_document *document,
                  struct diag *diag);
/* Compares the document with every --assert; the text of each that does not hold goes to stderr.
 * *broken: the counts contradict one of them.  DIAG_USAGE when the document cannot tell of one. */
int outputs_assert(const struct outputs *outputs, const struct result_document *document,
                   bool *broken, struct diag *diag);

/* Ends a command that ran cells, with DIAG_OK or POOL_INTERRUPTED: the document is written and shown as asked for, and
 * compared with every --assert.  `is_part`: cells may lack that are no fault of this run.  Answers the exit status. */
int outputs_finish(struct call *call, const struct outputs *outputs,
                   struct result_document *document, bool is_part, int status);
/* command_fail for such a command: what was measured is shown all the same, as no file may have it. */
int outputs_rescue(const struct outputs *outputs, struct result_document *document, int status,
                   const struct diag *diag);

#endif
