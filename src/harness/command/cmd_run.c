/* cmd_run.c - run and replay: one plan, from the command line. */
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/command/command.h"
#include "harness/command/flags.h"
#include "harness/command/run.h"
#include "harness/measure/designs/designs.h"
#include "harness/measure/run/outcome.h"
#include "harness/measure/session/session.h"
#include "harness/measure/workload/workload.h"
#include "impls/registry.h"

#define DEFAULT_WORKLOAD "standard"
/* Time for the samples of a design on a load, unless their number is given. */
#define SAMPLES_TIME_NS UINT64_C(4000000000)

/* ---- Flags. ----------------------------------------------------------------------------------- */

static int take_runs(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct run_options *options = of;
    (void)call;
    options->runs_given = true;
    return units_parse_count_in(value, flag, 1, OUTCOME_SAMPLES_MAX, &options->setup.runs, diag);
}

static int take_sampling_time(struct call *call, void *of, const char *flag, const char *value,
                              struct diag *diag)
{
    struct run_options *options = of;
    (void)call;
    options->time_given = true;
    return units_parse_time(value, flag, &options->setup.time_ns, diag);
}

static int add_drive(void *of, const char *flag, const char *item, struct diag *diag)
{
    static const char *const words[] = {"ticks", "next", NULL};
    struct run_options *options = of;
    unsigned drive = 0;
    int status = lists_choose(flag, item, words, &drive, diag);
    options->drives[options->drive_count++] = (enum plan_drive)drive;
    return status;
}

static int take_drive(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    (void)call;
    return lists_split(value, ',', flag, PLAN_DRIVES, add_drive, of, diag);
}

static int add_huge_pages(void *of, const char *flag, const char *item, struct diag *diag)
{
    static const char *const words[] = {"", "off", "on", NULL};
    struct run_options *options = of;
    unsigned pages = 0;
    int status = lists_choose(flag, item, words, &pages, diag);
    options->pages[options->page_count++] = (enum plan_pages)pages;
    return status;
}

static int take_huge_pages(struct call *call, void *of, const char *flag, const char *value,
                           struct diag *diag)
{
    (void)call;
    return lists_split(value, ',', flag, PLAN_PAGES, add_huge_pages, of, diag);
}

static int take_batch(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct run_options *options = of;
    (void)call;
    return lists_numbers(value, flag,
                         &(struct lists_range){.min = 1, .max = PLAN_BATCH_MAX, .factor = 10},
                         options->batches, LOADS_MAX, &options->batch_count, diag);
}

static int add_between(void *of, const char *flag, const char *item, struct diag *diag)
{
    struct run_options *options = of;
    return plan_between_parse(item, flag, &options->betweens[options->between_count++], diag);
}

static int take_between(struct call *call, void *of, const char *flag, const char *value,
                        struct diag *diag)
{
    struct run_options *options = of;
    (void)call;
    options->between_count = 0;
    return lists_split(value, ',', flag, PLAN_BETWEENS_MAX, add_between, options, diag);
}

/* As git prints it (%cI), or a day alone; kept in UTC, so that dates of two zones have an order. */
static int take_commit_date(struct call *call, void *of, const char *flag, const char *value,
                            struct diag *diag)
{
    struct run_options *options = of;
    struct tm parts = {.tm_gmtoff = 0};
    const char *end = strptime(value, "%Y-%m-%d", &parts);
    (void)call;
    if (end && *end == 'T')
        end = strptime(end, "T%H:%M:%S%z", &parts);
    if (!end || *end)
        return diag_usage(diag,
                          "%s: '%s' given; expected a date such as 2026-11-25 or "
                          "2026-11-25T12:00:00+01:00 ('git log -1 --format=%%cI')",
                          flag, value);
    long east = parts.tm_gmtoff;
    time_t seconds = timegm(&parts) - east;
    strftime(options->setup.commit_date, sizeof options->setup.commit_date, "%Y-%m-%dT%H:%M:%SZ",
             gmtime_r(&seconds, &parts));
    return DIAG_OK;
}

static const char *const counters_words[] = {"auto", "off", "required", "step", NULL};

#define OF struct run_options
const struct flag run_flags[RUN_FLAG_COUNT] = {
    SETUP_SEED(OF, setup),
    SETUP_TICK(OF, setup),
    SETUP_MAX_PENDING(OF, setup),
    FLAG_BY("drive", "ticks,next",
            "how the clock moves: the stream's ticks (default) or the next expiry (tickless)",
            take_drive),
    FLAG_BY("huge-pages", "off,on", "designs out of or in pages of 2 MiB (default: as the system)",
            take_huge_pages),
    FLAG_BY("batch", "K,...",
            "operations per call in timed passes: consecutive starts or stops of a tick, and "
            "restarts of timers that fire on it (default: single calls)",
            take_batch),
    FLAG_BY("between", "none,chain,SIZE",
            "what timed passes do between two calls: nothing; wait for the end of the call; also "
            "other work in that much memory (32KiB). Tables show overhead-corrected times",
            take_between),
    FLAG_SWITCH("plan", "show the cells and about how long they take, and run nothing", OF,
                plan_only),
    FLAG_BY("time", "DURATION",
            "processor time for a design's samples on a load (default 4s); up to three times "
            "that for six samples; at least three samples; unlimited with --runs",
            take_sampling_time),
    FLAG_BY("runs", "N", "timed samples per cell (default 7)", take_runs),
    FLAG_SWITCH("counts-only", "test, count and measure memory, but take no times", OF,
                setup.counts_only),
    SETUP_WARMUP(OF, setup),
    FLAG_SWITCH("same-pass", "replay the same operations in every pass (default: new ones in each)",
                OF, setup.same_pass),
    FLAG_SWITCH("rename-ids",
                "rename the ids in each pass over a trace, even if it is long enough to be timed "
                "once a process",
                OF, setup.rename),
    SETUP_MIN_TIME(OF, setup, "work per sample, counted at 10 ns per operation (default 10ms)"),
    SETUP_PATIENCE(OF, setup),
    SETUP_BUDGET(OF, setup, "processor time one child may take (default 10s)"),
    SETUP_MEMORY_LIMIT(OF, setup),
    SETUP_JOBS(OF, setup),
    FLAG_WORD("counters", "WHEN",
              "auto, off, required, step: instructions, cache misses (default auto)", OF,
              setup.counters, counters_words),
    SETUP_NO_SYSTEM_CHECK(OF, setup),
    SETUP_PROGRESS(OF, setup),
    SETUP_WORKLOADS_DIR(OF, setup),
    FLAG_FILE("reference", "DESIGN", "also show times as ratios to this design's", OF,
              setup.reference),
    FLAG_FILE("commit", "ID", "commit of your source, for history and ci (default: twbench's)", OF,
              setup.commit),
    FLAG_BY("commit-date", "DATE", "its date, as 'git log -1 --format=%cI' prints it",
            take_commit_date),
};
#undef OF

void run_begin(struct call *call, struct run_options *options)
{
    options->setup = setup_default(call);
    options->outputs.kind = OUTPUT_RESULT;
    options->outputs.keeps_cells = true;
    designs_select_all(&options->designs);
}

/* ---- The plan. -------------------------------------------------------------------------------- */

static void offer_workload(void *ctx, const struct workload_info *info)
{
    nearest_offer(ctx, info->name);
}

/* The design or the workload of that name, or of the nearest. */
static int refuse_operand(const char *word, const char *directory, struct diag *diag)
{
    struct nearest design = nearest_to(word), load = design;
    struct diag unused;
    for (size_t i = 0; i < registry_count; i++)
        nearest_offer(&design, registry[i].timed->name);
    for (size_t i = 0; designs_libraries[i].name; i++)
        nearest_offer(&design, designs_libraries[i].name);
    (void)workload_list(directory, offer_workload, &load, &unused);
    bool is_design = design.distance < load.distance;
    const char *meant = is_design ? design.word : load.word[0] ? load.word : word;
    return diag_usage(diag, "%s: run takes no operands; did you mean --%s=%s?", word,
                      is_design ? "impl" : "workload", meant);
}

static int check_operands(const struct call *call, const struct run_request *request,
                          struct diag *diag)
{
    const struct run_options *options = request->options;
    if (request->is_replay && options->loads.workload_count > 0)
        return diag_usage(diag, "--workload: replay takes its traces as operands");
    if (request->is_replay && options->loads.task_count > 0)
        return diag_usage(diag, "--tasks: a trace has its own timers; expected replay without it");
    if (request->is_replay && call->operand_count == 0)
        return diag_usage(diag, "replay: no trace given; expected FILE.tt[.xz|.gz] or a name");
    if (!request->is_replay && call->operand_count > 0)
        return refuse_operand(call->operands[0], options->setup.workload_directory, diag);
    return DIAG_OK;
}

static bool is_chosen(const struct designs *designs, const char *name)
{
    for (size_t i = 0; i < designs->count; i++)
        if (strcmp(designs->chosen[i]->timed->name, name) == 0)
            return true;
    return false;
}

/* What flags say together. */
static int finish(const struct call *call, const struct run_request *request, struct diag *diag)
{
    struct run_options *options = request->options;
    struct setup *setup = &options->setup;
    int status = designs_finish(&options->designs, false, diag);
    if (status != DIAG_OK)
        return status;
    loads_finish(&options->loads, &options->designs, request->is_replay);
    setup->sets = options->loads.sets;
    setup->set_count = options->loads.set_count;
    setup->json = options->outputs.json;
    setup->resume = options->outputs.resume;
    if (setup->counts_only && setup->counters >= COUNTERS_REQUIRED)
        return diag_usage(diag, "--counters and --counts-only: the counters of the processor are "
                                "read in timed runs, and there are none");
    if (setup->reference && setup->reference[0] != '-' &&
        !is_chosen(&options->designs, setup->reference))
        return diag_usage(diag, "--reference=%s: expected a design of this run", setup->reference);
    if (setup->commit_date[0] && !setup->commit)
        return diag_usage(diag, "--commit-date: expected --commit=ID beside it");
    if (setup->same_pass && setup->rename)
        return diag_usage(diag, "--same-pass and --rename-ids: expected only one of them");
    if (setup->counts_only)
        setup->runs = setup->warmup = 0;
    if (!options->runs_given && !options->time_given)
        setup->time_ns = SAMPLES_TIME_NS;
    if (options->between_count > 0 && options->batch_count > 0)
        return diag_usage(diag, "--between: measures single calls; expected no --batch");
    return check_operands(call, request, diag);
}

static int make_plan(struct session *session, const struct call *call,
                     const struct run_request *request, struct diag *diag)
{
    static const char *const standard[] = {DEFAULT_WORKLOAD};
    const struct run_options *options = request->options;
    struct plan_selection selection =
        loads_selection(&options->loads, &options->designs, options->setup.workload_directory);
    selection.drives = options->drives;
    selection.drive_count = options->drive_count;
    selection.pages = options->pages;
    selection.page_count = options->page_count;
    selection.batches = options->batches;
    selection.batch_count = options->batch_count;
    selection.betweens = options->betweens;
    selection.between_count = options->between_count;
    selection.ways = request->ways;
    selection.way_count = request->way_count;
    if (request->is_replay) {
        selection.workloads = call->operands;
        selection.workload_count = call->operand_count;
    }
    if (request->workload || selection.workload_count == 0) {
        selection.workloads = request->workload ? &request->workload : standard;
        selection.workload_count = 1;
    }
    return session_plan(session, &options->setup, &selection, diag);
}

static void print_cell(const struct plan_group *group, const struct plan_cell *cell)
{
    char tasks[32] = "-";
    if (group->tasks > 0)
        units_format_count(tasks, sizeof tasks, group->tasks);
    printf("%-18s %6s  %s%s%s", group->workload, tasks, cell->way ? cell->way->name : "",
           cell->way ? "/" : "", cell->design->timed->name);
    for (size_t i = 0; i < cell->setting_count; i++)
        for (size_t v = 0; v < cell->settings[i].count; v++)
            printf(v ? ",%s%" PRIu64 : " %s=%" PRIu64, v ? "" : cell->settings[i].name,
                   cell->settings[i].values[v]);
    if (cell->drive == PLAN_DRIVE_NEXT)
        printf(" drive=%s", plan_drive_name(cell->drive));
    if (plan_pages_name(cell->pages))
        printf(" huge-pages=%s", plan_pages_name(cell->pages));
    if (cell->batch > 0)
        printf(" batch=%" PRIu32, cell->batch);
    if (cell->between > 0)
        printf(" between=%s", plan_between_name((char[PLAN_BETWEEN_TEXT]){""}, cell->between));
    printf("\n");
}

/* Tasks "-": the workload's own number, or the trace's. */
static int show_plan(struct session *session, struct diag *diag)
{
    const struct plan *plan = &session->plan;
    const struct part *part = session->setup->part;
    double seconds;
    int status = session_estimate(session, &seconds, diag);
    if (status != DIAG_OK)
        return status;
    printf("%-18s %6s  design\n", "workload", "tasks");
    for (size_t g = 0; g < plan->group_count; g++)
        for (size_t c = 0; c < plan->cell_count; c++)
            print_cell(&plan->groups[g], &plan->cells[c]);
    if (part)
        part->print(part->ctx);
    size_t cells = plan->group_count * plan->cell_count;
    const char *more = cells == 1 ? "" : "s";
    if (session->setup->stage)
        printf("\n%zu cell%s, about %.0f s on the real clock (%s%s); nothing was run\n", cells,
               more, seconds, plan->group_count > 1 ? "the last: " : "", session->span);
    else
        printf("\n%zu cell%s, about %.3g s at 10 ns per operation; nothing was run\n", cells, more,
               seconds);
    return DIAG_OK;
}

/* ---- The run. --------------------------------------------------------------------------------- */

static int run_all(struct session *session, const struct setup *setup, struct diag *diag)
{
    int status = session_open(session, setup, diag);
    if (status != DIAG_OK)
        return status;
    progress_begin(&session->progress, setup->progress, session_weight(session));
    return session_run(session, diag);
}

int run_do(struct call *call, const struct run_request *request)
{
    struct session session = {.setup = NULL};
    struct run_options *options = request->options;
    struct outputs *outputs = &options->outputs;
    struct diag diag;
    int exit_status = EXIT_OK, status = finish(call, request, &diag);
    if (status == DIAG_OK)
        status = make_plan(&session, call, request, &diag);
    if (status == DIAG_OK)
        status = outputs_check(call, outputs, &diag);
    if (status == DIAG_OK)
        status = outputs_check_asserts(outputs, options->designs.chosen, options->designs.count,
                                       options->loads.task_count, &diag);
    if (status == DIAG_OK && options->plan_only) {
        status = show_plan(&session, &diag);
        exit_status = status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
    } else {
        if (status == DIAG_OK)
            status = run_all(&session, &options->setup, &diag);
        exit_status = status == DIAG_OK || status == POOL_INTERRUPTED
                          ? outputs_finish(call, outputs, session.document, false, status)
                          : outputs_rescue(outputs, session.document, status, &diag);
    }
    session_close(&session);
    designs_close(&options->designs);
    return exit_status;
}

static void begin(struct call *call)
{
    run_begin(call, call->options);
}

/* ci has run show no table. */
static int run(struct call *call)
{
    struct run_options *options = call->options;
    options->outputs.silent = call->given != NULL;
    return run_do(call, &(struct run_request){.options = options});
}

static int replay(struct call *call)
{
    return run_do(call, &(struct run_request){.options = call->options, .is_replay = true});
}

static const struct flag_group groups[] = {RUN_GROUPS(0), {0}};

const struct command cmd_run = {
    .name = "run",
    .usage = "[FLAGS]",
    .summary = "Run designs on workloads and show a table.",
    .topic = "Compare timer designs",
    .groups = groups,
    .size = sizeof(struct run_options),
    .common = RUN_COMMON,
    .begin = begin,
    .run = run,
};

const struct command cmd_replay = {
    .name = "replay",
    .usage = "[FLAGS] TRACE...",
    .summary = "Run designs on recorded traces (FILE.tt[.xz|.gz], or a name).",
    .topic = "Compare timer designs",
    .groups = groups,
    .size = sizeof(struct run_options),
    .common = RUN_COMMON,
    .begin = begin,
    .run = replay,
};
