/* cmd_show.c - show: draws a script or a worked example. */
#include "labs/teach/teach.h"

#include "harness/base/file.h"
#include "harness/base/isolate.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/command/design_flags.h"
#include "harness/command/outputs.h"
#include "harness/prove/report.h"
#include "harness/tell/report/writer.h"
#include "labs/teach/show/film.h"
#include "labs/teach/show/script.h"
#include "labs/teach/show/show_page.h"
#include "labs/teach/show/worked.h"

#include <unistd.h>

/* A plugin that is drawn. */
#define SHOW_SECONDS 60u
#define SHOW_BYTES   ((uint64_t)1 << 30)
#define SHOW_MEMORY  ((uint64_t)4 << 30)
#define SHOW_COLUMNS 80u /* at most, of what is said around the drawing */

struct show_options {
    struct designs designs;
    struct outputs outputs;
    uint64_t tick_ns;  /* 0: the script's */
    uint64_t capacity; /* 0: as many as the script names */
    struct show_prices prices;
    bool every, list, museum;
};

static int take_prices(struct call *call, void *of, const char *flag, const char *value,
                       struct diag *diag)
{
    struct show_options *options = of;
    (void)call;
    return lists_split(value, ',', flag, 4, prices_take, &options->prices, diag);
}

#define OF struct show_options
static const struct flag flags[] = {
    FLAG_TIME("tick", "length of a tick (default: the script's unit, or else 1s)", OF, tick_ns, 1),
    FLAG_COUNT("capacity", "N", "most timers at a time (default: as many as the script names)", OF,
               capacity, 1, TW_CAPACITY_MAX),
    FLAG_SWITCH("every", "draw every step, also those on which nothing happens", OF, every),
    FLAG_BY("price", "CALL=N,..",
            "amortised cost instead: the work paid for each start, stop, expire, tick",
            take_prices),
    FLAG_SWITCH("list", "name the worked examples", OF, list),
    FLAG_SWITCH("museum", "list public bugs of real timers, and the rule that conform finds broken",
                OF, museum),
    FLAG_FILE("svg", "FILE|-", "the steps as one picture", OF, outputs.also[0]),
};
static const struct flag impl_flags[] = {
    FLAG_BY("impl", "NAME", "the design to show (default: hashed)", design_flag_impl)};
#undef OF
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)},
    {.flags = impl_flags, .count = 1, .offset = offsetof(struct show_options, designs)},
    DESIGN_FLAGS(offsetof(struct show_options, designs)),
    OUTPUT_JSON(offsetof(struct show_options, outputs)),
    OUTPUT_STYLE(offsetof(struct show_options, outputs)),
    OUTPUT_EXPORTS(offsetof(struct show_options, outputs), page),
    {0},
};

static void begin(struct call *call)
{
    struct show_options *options = call->options;
    options->outputs.also_flags[0] = "--svg";
}

/* ---- Worked examples. ------------------------------------------------------------------------ */

static unsigned columns_of_text(void)
{
    unsigned columns = style_for(stdout, STYLE_COLOR_NEVER).columns;
    return columns < SHOW_COLUMNS ? columns : SHOW_COLUMNS;
}

static void print_text(const char *text, int used, int hanging)
{
    wrap_write(stdout, text, used, hanging, columns_of_text());
}

static int list_examples(void)
{
    for (size_t i = 0; i < worked_count(); i++) {
        const struct worked *worked = worked_at(i);
        print_text(worked_question(worked),
                   printf("%-7s %s  ", worked_name(worked), worked_document(worked)), 11);
    }
    return EXIT_OK;
}

static int list_museum(void)
{
#define EXHIBIT_ROW(name, year, system, report, what, rule)                                        \
    printf("%d  %-16s %s\n      ", year, system, name);                                            \
    print_text(what, 6, 6);                                                                        \
    print_text("conform: " rule, printf("      "), 6);                                             \
    printf("      %s\n", report);
#include "labs/teach/museum/museum.def"
#undef EXHIBIT_ROW
    return EXIT_OK;
}

/* A table; on a narrow terminal a line for each answer. */
static void print_answers(const struct show_page *page)
{
    static const char *const verdicts[2][2] = {{"WRONG", "right"}, {"AGREES", "differs"}};
    bool narrow = columns_of_text() < SHOW_COLUMNS;
    printf("\n%-*s", narrow ? 0 : 48, "Answer, as the run shows it");
    printf("%s\n", narrow ? "" : "     found  expected");
    for (size_t i = 0; i < page->answer_count; i++) {
        const struct show_answer *answer = &page->answers[i];
        if (narrow)
            print_text(page->lines[i], 0, 2);
        else
            printf("%-48s %9" PRIu64 " %9" PRIu64 "  %s\n", answer->what, answer->found,
                   answer->expected, verdicts[answer->as_printed][answer->right]);
    }
    if (page->note[0]) {
        printf("\n");
        print_text(page->note, 0, 0);
    }
}

/* ---- Drawings. ------------------------------------------------------------------------------- */

static void print_svg(FILE *out, const void *of)
{
    const struct show_page *page = of;
    if (page->prices)
        accounts_svg(out, page->films[0], page->prices);
    else
        show_svg(out, page);
}

static int write_page(const struct outputs *outputs, const struct show_page *page,
                      struct diag *diag)
{
    cJSON *document = show_json(page);
    int status = outputs->also[0] ? file_replace(outputs->also[0], print_svg, page, diag) : DIAG_OK;
    if (status == DIAG_OK)
        status = outputs_json(outputs, document, diag);
    if (status == DIAG_OK)
        status = outputs_exports(outputs, document, diag);
    cJSON_Delete(document);
    return status;
}

static void print_films(const struct show_options *options, const struct show_page *page)
{
    struct report_style style = style_for(stdout, options->outputs.color);
    for (size_t i = 0; i < page->film_count; i++) {
        printf("%s", i > 0 ? "\n" : "");
        show_terminal(stdout, page->films[i], &style, options->every);
    }
}

/* ---- An example. ----------------------------------------------------------------------------- */

static void fill_page(struct show_page *page, const struct worked_result *result)
{
    page->note = result->note;
    page->film_count = result->film_count;
    for (size_t i = 0; i < result->film_count; i++)
        page->films[i] = result->films[i];
    for (size_t i = 0; i < result->answer_count; i++) {
        const struct worked_answer *answer = &result->answers[i];
        bool right = worked_answer_is_right(answer);
        page->answers[page->answer_count++] = (struct show_answer){
            answer->what, answer->found, answer->expected, answer->as_printed, right};
        snprintf(page->lines[page->line_count++], sizeof page->lines[0],
                 "%s: %" PRIu64 ", expected %s%" PRIu64 ": %s", answer->what, answer->found,
                 answer->as_printed ? "other than " : "", answer->expected,
                 right ? "right" : "WRONG");
    }
    if (result->note[0])
        snprintf(page->lines[page->line_count++], sizeof page->lines[0], "%s", result->note);
}

static int show_example(const struct show_options *options, const struct worked *worked,
                        struct diag *diag)
{
    struct worked_result result;
    char title[160];
    struct show_page page = {.title = title};
    if (options->designs.matrix_given || options->tick_ns || options->capacity ||
        options->prices.given)
        return diag_usage(
            diag,
            "%s: an example has its own design and sizes; expected no --impl, --tick, "
            "--capacity, --price or parameters",
            worked_name(worked));
    int status = worked_run(worked, &result, diag);
    if (status != DIAG_OK)
        return status;
    snprintf(title, sizeof title, "%s (document %s): %s", worked_name(worked),
             worked_document(worked), worked_question(worked));
    fill_page(&page, &result);
    if (outputs_want_text(&options->outputs)) {
        print_text(title, 0, 0);
        print_answers(&page);
        printf("\n");
        print_films(options, &page);
        print_answers(&page); /* again: the drawing is longer than a screen */
    }
    status = write_page(&options->outputs, &page, diag);
    if (status == DIAG_OK && !worked_is_right(&result))
        status =
            diag_run(diag, "%s: the structure that ran gives another answer", worked_name(worked));
    worked_free(&result);
    return status;
}

/* ---- A script. ------------------------------------------------------------------------------- */

/* A file of that name, stdin, or else the script itself, which has a blank or a semicolon in it. */
static int read_script(const struct show_options *options, const char *operand,
                       struct script **script, struct diag *diag)
{
    const char *source = strcmp(operand, "-") == 0 ? "standard input" : operand;
    char *text = NULL;
    size_t size;
    if (strcmp(operand, "-") != 0 && access(operand, F_OK) != 0) {
        if (!strpbrk(operand, " ;\t\n"))
            return diag_usage(
                diag,
                "'%.80s' is neither a worked example nor a file; expected one, or a script "
                "such as 'add a 3s; tick 3' ('twbench show --list' names the examples)",
                operand);
        return script_parse("script", operand, strlen(operand), options->tick_ns, script, diag);
    }
    int status = file_read(operand, &text, &size, diag);
    if (status == DIAG_OK)
        status = script_parse(source, text, size, options->tick_ns, script, diag);
    free(text);
    return status;
}

/* Adds what a picture leaves out; answers how many there are then. */
static size_t settings_complete(struct tw_setting *settings, size_t count,
                                const struct tw_backend *design)
{
    const char *left_out = kinds_left_out(design);
    bool given = !left_out;
    for (size_t i = 0; i < count && !given; i++)
        given = strcmp(settings[i].name, left_out) == 0;
    if (!given)
        settings[count++] = (struct tw_setting){.name = left_out, .count = 1};
    return count;
}

/* The parameters given, one value of each, which the design has to have. */
static int take_settings(const struct show_options *options, struct player_request *request,
                         struct tw_setting *settings, struct diag *diag)
{
    if (options->designs.sweep_count > PLAN_SETTINGS_MAX)
        return diag_usage(diag, "%zu parameters given; expected at most %d",
                          options->designs.sweep_count, PLAN_SETTINGS_MAX);
    for (size_t i = 0; i < options->designs.sweep_count; i++) {
        if (options->designs.sweeps[i].count != 1)
            return diag_usage(diag, "--%s: show takes one value at a time",
                              options->designs.sweeps[i].settings[0].name);
        settings[i] = options->designs.sweeps[i].settings[0];
    }
    if (options->designs.given && options->designs.count != 1)
        return diag_usage(diag, "--impl: %zu designs given; show draws one at a time",
                          options->designs.count);
    request->design =
        (options->designs.given ? options->designs.chosen[0] : registry_find("hashed"))->counted;
    request->capacity = options->capacity;
    request->settings = settings;
    request->setting_count =
        settings_complete(settings, options->designs.sweep_count, request->design);
    return DIAG_OK;
}

static int play_script(const struct show_options *options, const char *operand,
                       const struct player_request *request, struct diag *diag)
{
    struct film *film = NULL;
    struct show_page page = {.title = strpbrk(operand, ";\n") ? "A script" : operand};
    int status = player_run(request, &film, diag);
    if (status == DIAG_OK) {
        page.films[page.film_count++] = film;
        page.prices = options->prices.given ? &options->prices : NULL;
        if (outputs_want_text(&options->outputs) && page.prices)
            accounts_terminal(stdout, film, page.prices, columns_of_text());
        else if (outputs_want_text(&options->outputs))
            print_films(options, &page);
        status = write_page(&options->outputs, &page, diag);
    }
    if (status == DIAG_OK && film->broken[0])
        status = diag_run(diag, "%s: %s", film->design, film->broken);
    film_free(film);
    return status;
}

/* A plugin is played and drawn in a child process, whose output comes to us when it has ended well. */
struct playing {
    const struct show_options *options;
    const char *operand;
    const struct player_request *request;
};

struct played {
    int status;
    struct diag diag;
};

static void play_in_child(void *ctx, void *record)
{
    const struct playing *playing = ctx;
    struct played *played = record;
    played->status = plugins_load(playing->request->design, &played->diag);
    if (played->status == DIAG_OK)
        played->status =
            play_script(playing->options, playing->operand, playing->request, &played->diag);
    fflush(stdout);
}

static int play_apart(const struct show_options *options, const char *operand,
                      const struct player_request *request, struct diag *diag)
{
    struct playing playing = {options, operand, request};
    struct played played = {.status = DIAG_OK};
    char reason[200];
    const struct isolate isolate = {
        .memory_bytes = SHOW_MEMORY, .file_bytes = SHOW_BYTES, .err_fd = ISOLATE_NOWHERE};
    bool done = isolate_show(&isolate, SHOW_SECONDS, play_in_child, &playing, &played,
                             sizeof played, reason, sizeof reason);
    if (!done)
        return diag_run(diag, "%s: %s; 'twbench conform' says in which function",
                        request->design->name, reason);
    utf8_make_printable(played.diag.text, sizeof played.diag.text);
    *diag = played.diag;
    return played.status == DIAG_OK || played.status == DIAG_USAGE ? played.status : DIAG_RUN;
}

static int show_script(const struct show_options *options, const char *operand, struct diag *diag)
{
    struct tw_setting settings[PLAN_SETTINGS_MAX + 1];
    struct player_request request = {.design = NULL};
    struct script *script = NULL;
    int status = take_settings(options, &request, settings, diag);
    if (status == DIAG_OK)
        status = read_script(options, operand, &script, diag);
    request.script = script;
    if (status == DIAG_OK)
        status = plugins_is_unloaded(request.design)
                     ? play_apart(options, operand, &request, diag)
                     : play_script(options, operand, &request, diag);
    script_free(script);
    return status;
}

static int show(struct call *call, struct show_options *options, struct diag *diag)
{
    if (options->list || options->museum)
        return diag_usage(diag, "%s: --list and --museum take no operands", call->operands[0]);
    if (call->operand_count != 1)
        return command_operands(
            call, "one worked example, script, or file ('twbench show --list' names the examples)",
            diag);
    int status = designs_finish(&options->designs, false, diag);
    if (status == DIAG_OK)
        status = outputs_check(call, &options->outputs, diag);
    if (status != DIAG_OK)
        return status;
    const struct worked *worked = worked_find(call->operands[0]);
    return worked ? show_example(options, worked, diag)
                  : show_script(options, call->operands[0], diag);
}

static int run(struct call *call)
{
    struct diag diag;
    struct show_options *options = call->options;
    if (options->list && call->operand_count == 0)
        return list_examples();
    if (options->museum && call->operand_count == 0)
        return list_museum();
    int status = show(call, options, &diag);
    designs_close(&options->designs);
    return status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
}

const struct command cmd_show = {
    .name = "show",
    .usage = "[FLAGS] [EXAMPLE|SCRIPT|FILE|-]",
    .summary = "Draw a running design slot by slot, step by step; also the worked examples.",
    .topic = "My class",
    .groups = groups,
    .common = " impl plugin tick capacity every price list museum svg json export-markdown ",
    .size = sizeof(struct show_options),
    .begin = begin,
    .run = run,
};
