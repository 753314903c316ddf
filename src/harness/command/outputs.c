/* outputs.c - writes a document in every format that was asked for. */
#include "harness/command/outputs.h"

#include "build_info.h"
#include "harness/base/file.h"
#include "harness/base/interrupt.h"
#include "harness/base/json.h"
#include "harness/base/paths.h"
#include "harness/command/flags.h"
#include "harness/measure/run/job_pool.h"
#include "harness/tell/report/services.h"
#include "harness/tell/report/standing.h"
#include "harness/tell/report/writer.h"

/* ---- The formats. ---------------------------------------------------------------------------- */

struct export_format {
    const char *flag; /* "export-csv" */
    const char *help;
    void (*write)(FILE *out, const struct result_document *document);
    void (*write_comparison)(
        FILE *out, const cJSON *comparison); /* NULL: of its page, if the format takes pages */
    void (*write_page)(FILE *out, const struct page *page); /* NULL: the format is for cells */
};

static const struct export_format formats[] = {
    {"export-csv", "comma-separated values", NULL, NULL, writer_csv},
    {"export-markdown", "Markdown tables", NULL, NULL, writer_markdown},
    {"export-gbench", "JSON of Google Benchmark, for its compare.py", gbench_write, NULL, NULL},
    {"export-bencher", "Bencher Metric Format", bencher_write, NULL, NULL},
    {"export-junit", "JUnit XML, a test case per cell", junit_write, compare_junit_write, NULL},
};
#define FORMATS (sizeof formats / sizeof *formats)

_Static_assert(FORMATS <= EXPORTS_MAX, "outputs have a field for every format");

static bool is_offered(const struct export_format *format, enum output_kind kind)
{
    return kind == OUTPUT_RESULT       ? format->write || format->write_page
           : kind == OUTPUT_COMPARISON ? format->write_comparison || format->write_page
                                       : format->write_page != NULL;
}

/* ---- Flags. ---------------------------------------------------------------------------------- */

static int take_export(struct call *call, void *of, const char *flag, const char *value,
                       struct diag *diag)
{
    struct outputs *outputs = of;
    size_t i = 0;
    (void)call;
    while (strcmp(formats[i].flag, flag + 2) != 0)
        i++;
    return flag_text(flag, value, "FILE|-", &outputs->exports[i], diag);
}

static int take_plot_format(struct call *call, void *of, const char *flag, const char *value,
                            struct diag *diag)
{
    struct outputs *outputs = of;
    (void)call;
    return plot_parse_format(value, flag, &outputs->plot_format, diag);
}

static int take_assert(struct call *call, void *of, const char *flag, const char *value,
                       struct diag *diag)
{
    struct outputs *outputs = of;
    (void)call;
    if (outputs->assert_count == ASSERTS_MAX)
        return diag_usage(diag, "%s: given more than %d times", flag, ASSERTS_MAX);
    return sweep_parse_claim(value, &outputs->asserts[outputs->assert_count++], diag);
}

static const char *const style_words[] = {"auto", "color", "plain", NULL};

const struct flag output_json_flags[2] = {
    FLAG_FILE("json", "FILE|-", "write the result document", struct outputs, json),
    FLAG_SWITCH("force", "overwrite FILE of --json", struct outputs, force),
};
const struct flag output_force_flags[1] = {
    FLAG_SWITCH("force", "overwrite files", struct outputs, force)};
const struct flag output_resume_flags[1] = {FLAG_SWITCH(
    "resume",
    "continue FILE of --json, or begin it: run only the missing cells; without flags, run "
    "takes those of FILE",
    struct outputs, resume)};
const struct flag output_plot_flags[2] = {
    FLAG_FILE("plots", "DIR", "draw pictures into DIR", struct outputs, plots),
    FLAG_BY("plot-format", "FORMAT", "svg, png, pdf, or dumb for the terminal (default svg)",
            take_plot_format),
};
const struct flag output_page_flags[1] = {{.name = "html",
                                           .value = "FILE|-",
                                           .help = "one self-contained page of HTML; also -o FILE",
                                           .kind = TAKE_FILE,
                                           .offset = FLAG_FIELD(struct outputs, html, const char *),
                                           .also = "-o"}};
const struct flag output_assert_flags[1] = {FLAG_EACH(
    "assert", "CLAIM", "'heap.start<=O(log n)': status 3 when counts break it; may be repeated",
    take_assert)};
const struct flag output_style_flags[1] = {FLAG_WORD("style", "STYLE",
                                                     "auto, color, plain (NO_COLOR is honoured)",
                                                     struct outputs, color, style_words)};

static struct flag flag_of_format(const struct export_format *format)
{
    return (struct flag)FLAG_BY(format->flag, "FILE|-", format->help, take_export);
}

static bool find_format(enum output_kind kind, const char *name, struct flag *out)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].flag, name) == 0 && is_offered(&formats[i], kind)) {
            *out = flag_of_format(&formats[i]);
            return true;
        }
    return false;
}

static void each_format(enum output_kind kind, flag_row_fn *row, void *ctx)
{
    for (size_t i = 0; i < FORMATS; i++) {
        struct flag flag = flag_of_format(&formats[i]);
        if (is_offered(&formats[i], kind))
            row(ctx, "The same in other formats (a file, or - for stdout):", &flag);
    }
}

#define EXPORT_GROUP(what, kind)                                                                   \
    bool output_##what##_find(const void *of, const char *name, struct flag *out)                  \
    {                                                                                              \
        (void)of;                                                                                  \
        return find_format(kind, name, out);                                                       \
    }                                                                                              \
    void output_##what##_each(const void *of, flag_row_fn *row, void *ctx)                         \
    {                                                                                              \
        (void)of;                                                                                  \
        each_format(kind, row, ctx);                                                               \
    }
EXPORT_GROUP(result, OUTPUT_RESULT)
EXPORT_GROUP(comparison, OUTPUT_COMPARISON)
EXPORT_GROUP(page, OUTPUT_PAGE)
#undef EXPORT_GROUP

/* ---- Before anything runs. ------------------------------------------------------------------- */

/* Every file that may be written, by the flag that names it. */
struct target {
    char flag[24]; /* "--json" */
    const char *path;
    bool is_json;
};
#define TARGETS_MAX (EXPORTS_MAX + 5)

static void add_target(struct target *targets, size_t *count, const char *dashes, const char *flag,
                       const char *path)
{
    if (!path)
        return;
    snprintf(targets[*count].flag, sizeof targets->flag, "%s%s", dashes, flag);
    targets[*count].is_json = strcmp(flag, "json") == 0;
    targets[(*count)++].path = path;
}

static size_t find_targets(const struct outputs *outputs, struct target targets[TARGETS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof outputs->also / sizeof *outputs->also; i++)
        add_target(targets, &count, "", outputs->also_flags[i], outputs->also[i]);
    add_target(targets, &count, "--", "json", outputs->json);
    add_target(targets, &count, "--", "html", outputs->html);
    for (size_t i = 0; i < FORMATS; i++)
        add_target(targets, &count, "--", formats[i].flag, outputs->exports[i]);
    return count;
}

/* Two documents in one file would leave one of them, or neither. */
static int check_distinct(const struct target *targets, size_t count, struct diag *diag)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(targets[i].path, targets[j].path) == 0)
                return diag_usage(diag, "%s and %s: only one of them can go to %s", targets[j].flag,
                                  targets[i].flag,
                                  strcmp(targets[i].path, "-") == 0 ? "stdout" : targets[i].path);
    return DIAG_OK;
}

/* "-o" of a trace or of sources is looked at by who writes it. */
static bool is_checked_elsewhere(const struct target *target)
{
    return strcmp(target->flag, "-o") == 0;
}

static int check_targets(const struct outputs *outputs, const struct target *targets, size_t count,
                         struct diag *diag)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < count && status == DIAG_OK; i++)
        if (!is_checked_elsewhere(&targets[i]))
            status = paths_check_file(targets[i].flag, targets[i].path, diag);
    if (status == DIAG_OK && outputs->plots)
        status = paths_check_directory("--plots", outputs->plots, diag);
    bool draws = outputs->plots || outputs->plot_format == PLOT_DUMB;
    if (status == DIAG_OK && draws && !paths_has_command("gnuplot"))
        return diag_usage(diag, "%s: gnuplot is not installed (Debian package gnuplot-nox)",
                          outputs->plots ? "--plots" : "--plot-format");
    return status;
}

/* What is made of a document can be made again at any time; it is still not overwritten unasked. */
static int check_existing(const struct outputs *outputs, const struct target *targets, size_t count,
                          struct diag *diag)
{
    int status = DIAG_OK;
    if (outputs->force || outputs->resume)
        return DIAG_OK;
    for (size_t i = 0; i < count && status == DIAG_OK; i++) {
        char advice[96];
        snprintf(advice, sizeof advice, "remove it, name another file with %.23s, or --force",
                 targets[i].flag);
        if (targets[i].is_json && outputs->keeps_cells)
            status = result_refuse_existing(targets[i].path, diag);
        else if (!is_checked_elsewhere(&targets[i]))
            status = file_refuse_existing(targets[i].path, advice, diag);
    }
    return status;
}

int outputs_check(struct call *call, const struct outputs *outputs, struct diag *diag)
{
    struct target targets[TARGETS_MAX];
    size_t count = find_targets(outputs, targets);
    if (outputs->resume && (!outputs->json || strcmp(outputs->json, "-") == 0))
        return diag_usage(diag, "--resume: --json=FILE must name the file to continue");
    if (outputs->resume && outputs->force)
        return diag_usage(diag, "--resume and --force: expected only one of them");
    int status = check_distinct(targets, count, diag);
    if (status == DIAG_OK && outputs->json)
        status = lock_take(outputs->json, &call->lock, diag);
    if (status == DIAG_OK)
        status = check_existing(outputs, targets, count, diag);
    return status == DIAG_OK ? check_targets(outputs, targets, count, diag) : status;
}

int outputs_check_asserts(const struct outputs *outputs, const struct tw_design *const *designs,
                          size_t design_count, size_t task_count, struct diag *diag)
{
    for (size_t i = 0; i < outputs->assert_count; i++) {
        const struct sweep_claim *claim = &outputs->asserts[i];
        bool is_there = false;
        for (size_t d = 0; d < design_count; d++)
            is_there = is_there || strcmp(designs[d]->timed->name, claim->impl) == 0;
        if (!is_there)
            return diag_usage(diag, "--assert: '%s': '%s' is not among the designs that run",
                              claim->text, claim->impl);
        if (task_count < GROWTH_SIZES_MIN)
            return diag_usage(diag,
                              "--assert: '%s': expected at least %d numbers of tasks, such as "
                              "--tasks=1e3..1e6",
                              claim->text, GROWTH_SIZES_MIN);
    }
    return DIAG_OK;
}

/* ---- Whatever else fails, the rest is written. ------------------------------------------------ */

/* Notes how a step ended.  The first that failed is what the command answers; the others are said at once. */
static void note(int *status, struct diag *diag, int step, const struct diag *step_diag)
{
    if (step == DIAG_OK)
        return;
    if (*status != DIAG_OK) {
        fprintf(stderr, "twbench: %s\n", step_diag->text);
        return;
    }
    *status = step;
    *diag = *step_diag;
}

/* A document, its page, and the format that prints it. */
struct rendering {
    const struct export_format *format;
    const struct result_document *result;
    const cJSON *comparison; /* NULL: it is none */
    const struct page *page;
};

static void print_rendering(FILE *out, const void *ctx)
{
    const struct rendering *rendering = ctx;
    const struct export_format *format = rendering->format;
    if (rendering->comparison && format->write_comparison)
        format->write_comparison(out, rendering->comparison);
    else if (format->write_page)
        format->write_page(out, rendering->page);
    else
        format->write(out, rendering->result);
}

/* The document in each format that was asked for and can have it. */
static int write_exports(const struct outputs *outputs, const struct result_document *result,
                         const cJSON *comparison, const struct page *page, struct diag *diag)
{
    struct diag step;
    int status = DIAG_OK;
    for (size_t i = 0; i < FORMATS; i++) {
        struct rendering rendering = {&formats[i], result, comparison, page};
        bool can = formats[i].write_page || (comparison && formats[i].write_comparison) ||
                   (result && formats[i].write);
        if (outputs->exports[i] && can)
            note(&status, diag,
                 file_replace(outputs->exports[i], print_rendering, &rendering, &step), &step);
    }
    return status;
}

static int draw(const struct outputs *outputs, const cJSON *document, struct diag *diag)
{
    struct pictures pictures = {.count = 0};
    char scripts[4200];
    paths_find("plots", BUILD_PLOTS_DIR, scripts, sizeof scripts);
    int status = plot_all(document, outputs->plots, scripts, outputs->plot_format, &pictures, diag);
    for (size_t i = 0; status == DIAG_OK && i < pictures.count; i++)
        if (pictures.paths[i])
            fprintf(stderr, "picture: %s\n", pictures.paths[i]);
    pictures_free(&pictures);
    return status;
}

static bool wants_pictures(const struct outputs *outputs)
{
    return outputs->plots || outputs->plot_format == PLOT_DUMB;
}

int outputs_assert(const struct outputs *outputs, const struct result_document *document,
                   bool *broken, struct diag *diag)
{
    int status = DIAG_OK;
    *broken = false;
    for (size_t i = 0; i < outputs->assert_count && status == DIAG_OK; i++) {
        enum growth_answer answer = GROWTH_HOLDS;
        status = sweep_check_claim(document, &outputs->asserts[i], &answer, diag);
        if (status == DIAG_OK && answer != GROWTH_HOLDS)
            fprintf(stderr, "twbench: %s\n", diag->text);
        *broken = *broken || answer == GROWTH_BROKEN;
    }
    return status;
}

/* ---- The table. ------------------------------------------------------------------------------ */

bool outputs_want_text(const struct outputs *outputs)
{
    struct target targets[TARGETS_MAX];
    size_t count = find_targets(outputs, targets);
    bool wants = !outputs->silent && !(outputs->html && outputs->page_alone);
    for (size_t i = 0; i < count; i++)
        wants = wants && strcmp(targets[i].path, "-") != 0;
    return wants;
}

/* Whoever reads stdout may stop reading and stay: then a signal ends what a command shows at its end. */
static void show(const struct outputs *outputs, const struct page *page)
{
    sigset_t before;
    FILE *out = outputs->to_stderr ? stderr : stdout;
    if (!outputs->to_stderr && !outputs_want_text(outputs))
        return;
    struct report_style style = style_for(out, outputs->color);
    interrupt_admit(&before);
    writer_terminal(out, page, &style);
    fflush(out);
    interrupt_restore(&before);
}

/* ---- Everything that was asked for. ---------------------------------------------------------- */

int outputs_json(const struct outputs *outputs, const cJSON *document, struct diag *diag)
{
    return outputs->json ? json_save(outputs->json, document, diag) : DIAG_OK;
}

static void print_frame(FILE *out, const void *ctx)
{
    html_frame_write(out, ctx);
}

static int write_frame(const struct outputs *outputs, const struct page *page,
                       const struct inline_pictures *pictures, struct diag *diag)
{
    struct html_frame frame;
    char assets[4200];
    paths_find("report", BUILD_REPORT_DIR, assets, sizeof assets);
    int status = html_frame_open(&frame, assets, diag);
    frame.page = page;
    frame.pictures = pictures;
    if (status == DIAG_OK)
        status = file_replace(outputs->html, print_frame, &frame, diag);
    html_frame_close(&frame);
    return status;
}

int outputs_exports(const struct outputs *outputs, const cJSON *document, struct diag *diag)
{
    const struct document_kind *kind = document_kind_of(document);
    struct page page = {.blocks = NULL};
    kind->build(&page, document);
    int status = write_exports(outputs, NULL, NULL, &page, diag);
    page_free(&page);
    return status;
}

/* The page of a document, with pictures where HTML is asked for, and the exports.  `result`: where it has cells. */
static int write_page(const struct outputs *outputs, const struct document_kind *kind,
                      const cJSON *document, const struct result_document *result,
                      struct diag *diag)
{
    struct page page = {.blocks = NULL};
    struct inline_pictures pictures = {.items = NULL};
    struct diag step;
    char scripts[4200];
    paths_find("plots", BUILD_PLOTS_DIR, scripts, sizeof scripts);
    int status =
        outputs->html && kind->pictures ? inline_draw(document, scripts, &pictures, diag) : DIAG_OK;
    kind->build(&page, document);
    show(outputs, &page);
    note(&status, diag,
         write_exports(outputs, result, kind->is_comparison ? document : NULL, &page, &step),
         &step);
    if (outputs->html)
        note(&status, diag, write_frame(outputs, &page, kind->pictures ? &pictures : NULL, &step),
             &step);
    if (pictures.missing[0])
        fprintf(stderr, "twbench: the report has no pictures: %s\n", pictures.missing);
    page_free(&page);
    inline_free(&pictures);
    return status;
}

int outputs_write(const struct outputs *outputs, const struct result_document *document,
                  struct diag *diag)
{
    const cJSON *json = result_json(document);
    struct diag step;
    int status = write_page(outputs, document_kind_of(json), json, document, diag);
    if (wants_pictures(outputs))
        note(&status, diag, draw(outputs, json, &step), &step);
    return status;
}

/* Some flags only cells have a use for. */
static int check_kind(const struct outputs *outputs, const struct document_kind *kind,
                      struct diag *diag)
{
    enum output_kind can = kind->is_comparison ? OUTPUT_COMPARISON : OUTPUT_PAGE;
    if (outputs->assert_count > 0)
        return diag_usage(diag, "--assert: a %s document has no cells; expected a result",
                          kind->name);
    if (wants_pictures(outputs) && (!kind->pictures || outputs->plot_format == PLOT_DUMB))
        return diag_usage(diag, "--plots: a %s document has no %s", kind->name,
                          kind->pictures ? "picture for the terminal" : "pictures");
    for (size_t i = 0; i < FORMATS; i++)
        if (outputs->exports[i] && !is_offered(&formats[i], can))
            return diag_usage(diag, "--%s: a %s document is not a result; expected one",
                              formats[i].flag, kind->name);
    return DIAG_OK;
}

static int outputs_picture(const struct outputs *outputs, const cJSON *document, struct diag *diag)
{
    const struct document_kind *kind = document_kind_of(document);
    int status = kind && !kind->has_cells ? check_kind(outputs, kind, diag) : DIAG_OK;
    return status == DIAG_OK ? draw(outputs, document, diag) : status;
}

int outputs_page(const struct outputs *outputs, const cJSON *document, struct diag *diag)
{
    const struct document_kind *kind = document_kind_of(document);
    if (!kind)
        return diag_usage(diag, "the document is of no kind that twbench writes");
    int status = check_kind(outputs, kind, diag);
    if (status == DIAG_OK)
        status = write_page(outputs, kind, document, NULL, diag);
    return status == DIAG_OK && outputs->plots ? outputs_picture(outputs, document, diag) : status;
}

int outputs_document(const struct outputs *outputs, const cJSON *document, struct diag *diag)
{
    int status = outputs_json(outputs, document, diag);
    return status == DIAG_OK ? outputs_page(outputs, document, diag) : status;
}

/* ---- The end of a command that ran cells. ------------------------------------------------------ */

static bool is_run(const struct result_document *document)
{
    const struct document_kind *kind = document_kind_of(result_json(document));
    return kind && kind->build == kind_run.build;
}

/* Which design is the fastest. */
static void attach_standing(const struct outputs *outputs, struct result_document *document)
{
    if (outputs->kind == OUTPUT_RESULT && is_run(document))
        result_attach(document, "standing", standing_make(result_json(document)));
}

int outputs_rescue(const struct outputs *outputs, struct result_document *document, int status,
                   const struct diag *diag)
{
    struct diag unused;
    if (status == DIAG_RUN && document && result_count_cells(document) > 0) {
        attach_standing(outputs, document);
        outputs_write(outputs, document, &unused);
    }
    return command_fail(status, diag);
}

/* With the command that continues; a word that a shell would take apart is in quotes. */
static void say_interrupted(const struct call *call, const struct outputs *outputs, size_t cells)
{
    bool is_kept = outputs->json && strcmp(outputs->json, "-") != 0;
    fprintf(stderr, "twbench: interrupted after %zu finished cells; %s", cells,
            is_kept ? "continue with: twbench" : "none are kept; with --json=FILE,");
    for (int i = 1; i < call->argc && is_kept; i++) {
        const char *quote = strpbrk(call->argv[i], " \t\n\"\\$`*?[]{}()<>|&;#~!") ? "'" : "";
        fprintf(stderr, " %s%s%s", quote, call->argv[i], quote);
    }
    fputs(!is_kept ? " --resume continues\n" : outputs->resume ? "\n" : " --resume\n", stderr);
}

int outputs_finish(struct call *call, const struct outputs *outputs,
                   struct result_document *document, bool is_part, int status)
{
    struct diag diag;
    bool interrupted = status == POOL_INTERRUPTED, broken = false;
    size_t cells = result_count_cells(document);
    if (!is_part)
        result_set_complete(document, !interrupted);
    attach_standing(outputs, document);
    int left = outputs->json ? result_write(document, outputs->json, &diag) : DIAG_OK;
    if (left != DIAG_OK)
        return outputs_rescue(outputs, document, left, &diag);
    if (cells > 0 || !is_run(document))
        left = outputs_write(outputs, document, &diag);
    if (interrupted)
        say_interrupted(call, outputs, cells);
    if (left == DIAG_OK && !interrupted)
        left = outputs_assert(outputs, document, &broken, &diag);
    if (left != DIAG_OK)
        return command_fail(left, &diag);
    if (interrupted)
        return EXIT_INTERRUPTED;
    if (result_count_failed(document) > 0)
        return EXIT_FAILED;
    return broken ? EXIT_REGRESSED : EXIT_OK;
}
