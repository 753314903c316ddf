/* cmd_lab_hunt.c - lab hunt: judges students' operation lists by the wrong designs that they find. */
#include "labs/lab/lab.h"

#include "build_info.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/paths.h"
#include "harness/measure/designs/designs.h"
#include "harness/prove/child.h"
#include "harness/prove/judge.h"

#include <fts.h>

/* A list may take so much processor time on one design. */
#define LIST_SECONDS 2.0

/* A wrong design of the set. */
struct hunt {
    const char *name;
    size_t shortest;
    const char *rule, *story;
};
static const struct hunt hunts[] = {
#define HUNT(...) {__VA_ARGS__},
#include "labs/lab/hunts.def"
#undef HUNT
};
#define HUNTS (sizeof hunts / sizeof *hunts)

struct hunt_flags {
    const char *score, *json;
    uint64_t seed, least;
};
static const struct flag flags[] = {
    FLAG_COUNT("seed", "N", "chooses the wrong design (default 1)", struct hunt_flags, seed, 0,
               UINT64_MAX),
    FLAG_DIRECTORY("score", "instead: which of all wrong designs these lists (*.ops) find",
                   struct hunt_flags, score),
    FLAG_COUNT("least", "PERCENT", "with --score: exit status 3 when fewer are found (default 0)",
               struct hunt_flags, least, 0, 100),
    FLAG_FILE("json", "FILE|-", "write what was found as JSON", struct hunt_flags, json),
};

/* An operation list. */
struct list {
    char *path, *text;
    size_t operations;
    char refused[2048]; /* why it does not count; "": it does */
};

struct prey {
    const struct hunt *hunt; /* NULL: a plugin of the teacher */
    const struct tw_design *design;
    char label[64];
    const struct list *by; /* the shortest list that finds it; NULL: none does */
    struct conform_report report;
};

struct hunting {
    struct call *call;
    const struct hunt_flags *options;
    struct list *lists;
    struct prey *preys;
    size_t list_count, prey_count, found, refused;
    struct diag diag;
};

/* ---- One list on one design. ------------------------------------------------------------------ */

struct trial {
    const struct tw_backend *backend;
    const struct operations *operations;
};

/* A child_work_fn.  Unlike conform nothing is shrunk: the list is the student's. */
static void try_in_child(void *ctx, struct watch *watch)
{
    const struct trial *trial = ctx;
    struct conform_report report = {.watch = watch};
    judge_replay(trial->backend, trial->operations, JUDGE_ALWAYS, &report, NULL);
    watch->report = report;
}

/* DIAG_OK with *report filled; else no child could be made, or the text is no list. */
static int try_list(const struct tw_design *design, struct list *list,
                    struct conform_report *report, struct diag *diag)
{
    struct child child;
    struct operations operations;
    int status = DIAG_OK;
    operations_init(&operations, 1);
    size_t line = operations_parse(list->text, design->timed->params, &operations);
    list->operations = operations.count;
    if (line != 0)
        status = diag_usage(diag, "%s:%zu: not an operation; TASK.md of `lab new` has examples",
                            list->path, line);
    else if (operations.count == 0)
        status =
            diag_usage(diag, "%s: has no operation; expected start, stop, advance ...", list->path);
    else if (!child_open(&child, design->timed))
        status = diag_run(diag, "no shared memory for a child");
    if (status == DIAG_OK) {
        child.all_seconds = LIST_SECONDS;
        struct trial trial = {design->timed, &operations};
        *report = (struct conform_report){0};
        if (!child_run(&child, try_in_child, &trial, report))
            status = diag_run(diag, "%s", report->detail);
        child_close(&child);
    }
    operations_clear(&operations);
    return status;
}

/* A list counts when designs that are right keep the contract on it. */
static int check_list(struct hunting *hunting, struct list *list)
{
    static const char *const right[] = {"list", "hashed", "heap", "hier"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        struct conform_report report;
        struct diag diag;
        const struct tw_design *design = designs_find(right[i], &hunting->diag);
        int status = design ? try_list(design, list, &report, &diag) : DIAG_RUN;
        if (status == DIAG_RUN)
            return design ? diag_run(&hunting->diag, "%s", diag.text) : status;
        if (status == DIAG_USAGE)
            snprintf(list->refused, sizeof list->refused, "%s", diag.text);
        else if (report.rule &&
                 (rule_is_machine(report.rule) || strcmp(report.rule, RULE_RETURN) == 0))
            snprintf(list->refused, sizeof list->refused,
                     "%s: refused: it takes over %.0f s on the right design %s; shorten it",
                     list->path, LIST_SECONDS, right[i]);
        else if (report.rule)
            snprintf(list->refused, sizeof list->refused,
                     "%s: refused: the right design %s fails on it, too: %s: %s", list->path,
                     right[i], report.rule, report.detail);
        if (list->refused[0]) {
            hunting->refused++;
            break;
        }
    }
    return DIAG_OK;
}

static int hunt_prey(struct hunting *hunting, struct prey *prey)
{
    for (size_t i = 0; i < hunting->list_count; i++) {
        struct list *list = &hunting->lists[i];
        struct conform_report report;
        if (list->refused[0] || (prey->by && prey->by->operations <= list->operations))
            continue;
        int status = try_list(prey->design, list, &report, &hunting->diag);
        if (status != DIAG_OK)
            return status;
        if (!report.rule || rule_is_machine(report.rule))
            continue;
        prey->by = list;
        prey->report = report;
    }
    hunting->found += prey->by != NULL;
    return DIAG_OK;
}

/* Of 100: the shortest known list's share of the length. */
static size_t points(const struct prey *prey)
{
    size_t shortest = prey->hunt ? prey->hunt->shortest : 0;
    if (!prey->by || !prey->hunt)
        return 0;
    return prey->by->operations <= shortest ? 100 : 100 * shortest / prey->by->operations;
}

/* ---- Which lists, which designs. -------------------------------------------------------------- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int add_list(struct hunting *hunting, const char *path)
{
    size_t size;
    hunting->lists = memory_grow(hunting->lists, hunting->list_count + 1, sizeof *hunting->lists);
    struct list *list = &hunting->lists[hunting->list_count++];
    *list = (struct list){.path = memory_text(path)};
    int status = file_read(path, &list->text, &size, &hunting->diag);
    return status == DIAG_OK ? check_list(hunting, list) : status;
}

static int add_prey(struct hunting *hunting, const char *path)
{
    const char *slash = strrchr(path, '/');
    hunting->preys = memory_grow(hunting->preys, hunting->prey_count + 1, sizeof *hunting->preys);
    struct prey *prey = &hunting->preys[hunting->prey_count++];
    *prey = (struct prey){.design = plugins_open(path, &hunting->diag)};
    snprintf(prey->label, sizeof prey->label, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    if (hunting->call->operand_count == 0 || !hunting->options->score) {
        unsigned long number = strtoul(prey->label, NULL, 10);
        prey->hunt = number >= 1 && number <= HUNTS ? &hunts[number - 1] : NULL;
    }
    return prey->design ? DIAG_OK : DIAG_USAGE;
}

/* Adds each file of that ending below the directory, in the order of their names. */
static int add_each(struct hunting *hunting, const char *directory, const char *ending,
                    int (*add)(struct hunting *hunting, const char *path))
{
    char *roots[] = {(char *)(uintptr_t)directory, NULL};
    FTS *files = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    FTSENT *file;
    size_t count = 0;
    int status = files ? DIAG_OK : diag_run(&hunting->diag, "%s: %s", directory, strerror(errno));
    while (status == DIAG_OK && (file = fts_read(files))) {
        const char *dot = strrchr(file->fts_name, '.');
        if (file->fts_info != FTS_F || !dot || strcmp(dot, ending) != 0)
            continue;
        status = add(hunting, file->fts_path);
        count++;
    }
    if (files)
        fts_close(files);
    return status == DIAG_OK && count == 0
               ? diag_usage(&hunting->diag, "%s: expected files *%s; none is there", directory,
                            ending)
               : status;
}

/* The one that the seed chooses. */
static int add_chosen(struct hunting *hunting, const char *directory)
{
    char path[4300];
    size_t index = (hunting->options->seed * UINT64_C(0x9e3779b97f4a7c15) >> 32) % HUNTS;
    snprintf(path, sizeof path, "%s/%02zu.so", directory, index + 1);
    return add_prey(hunting, path);
}

/* ---- What is said. ---------------------------------------------------------------------------- */

static void print_task(FILE *out, const struct hunting *hunting)
{
    const struct prey *prey = &hunting->preys[0];
    unsigned traits = prey->design->timed->traits.flags;
    fprintf(out, "Wrong design %s of %zu (seed %" PRIu64 ").  It makes one mistake.\n", prey->label,
            HUNTS, hunting->options->seed);
    fprintf(out, "It promises: each timer fires on its tick%s%s%s.\n",
            traits & TW_ORDERED ? "; earlier ticks first" : "",
            traits & TW_FIFO ? "; equal ticks in the order of their starts" : "",
            traits & TW_NEXT_EXACT ? "; next is the earliest tick" : "");
    for (const struct tw_param *param = prey->design->timed->params; param && param->name; param++)
        fprintf(out, "It has the setting %s: %s.\n", param->name, param->help);
    fprintf(
        out,
        "\nWrite the shortest list of operations on which it breaks the contract.  The shortest "
        "known has %zu.\nA list looks like this one of 3:\n\n"
        "    capacity 4\n    start 0 +3\n    on 0 stop 1\n    advance +1 times 5\n\n"
        "Try yours: twbench lab hunt --seed=%" PRIu64 " LIST\n",
        prey->hunt->shortest, hunting->options->seed);
}

static void print_one(FILE *out, const struct hunting *hunting)
{
    const struct prey *prey = &hunting->preys[0];
    const struct list *list = &hunting->lists[0];
    if (!prey->by) {
        fprintf(out,
                "Not found: wrong design %s keeps the contract on all %zu operations of %s.\n"
                "Try what it promises at its edges: the same tick, a jump, inside a callback.\n",
                prey->label, list->operations, list->path);
        return;
    }
    fprintf(out, "Found: %s\n  %s\n", prey->report.rule, prey->report.detail);
    fprintf(out, "%zu operations, the shortest known list has %zu: %zu of 100 points\n",
            list->operations, prey->hunt->shortest, points(prey));
    fprintf(out, "It is %s.\n", prey->hunt->story);
}

static double percent(const struct hunting *hunting)
{
    return 100.0 * (double)hunting->found / (double)hunting->prey_count;
}

static void print_score(FILE *out, const struct hunting *hunting)
{
    fprintf(out, "%-10s %-9s %4s  %s\n", "design", "", "ops", "rule");
    for (size_t i = 0; i < hunting->prey_count; i++) {
        const struct prey *prey = &hunting->preys[i];
        if (prey->by)
            fprintf(out, "%-10s %-9s %4zu  %s (%s)\n", prey->label, "found", prey->by->operations,
                    prey->report.rule, prey->by->path);
        else
            fprintf(out, "%-10s %-9s %4s  %s\n", prey->label, "survives", "",
                    prey->hunt ? prey->hunt->rule : "of a design that is not ours");
    }
    fprintf(out, "%zu of %zu found by %zu lists: %.1f %%; %zu lists refused\n", hunting->found,
            hunting->prey_count, hunting->list_count - hunting->refused, percent(hunting),
            hunting->refused);
}

static cJSON *as_json(const struct hunting *hunting)
{
    cJSON *object = cJSON_CreateObject(), *lists = cJSON_CreateArray();
    cJSON *preys = cJSON_CreateArray();
    json_add_integer(object, "schema_version", 1);
    json_add_text(object, "kind", "hunt");
    for (size_t i = 0; i < hunting->list_count; i++) {
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "file", hunting->lists[i].path);
        json_add_integer(row, "operations", hunting->lists[i].operations);
        json_add_text(row, "refused", hunting->lists[i].refused);
        cJSON_AddItemToArray(lists, row);
    }
    for (size_t i = 0; i < hunting->prey_count; i++) {
        const struct prey *prey = &hunting->preys[i];
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "design", prey->label);
        json_add_text(row, "found_by", prey->by ? prey->by->path : NULL);
        json_add_text(row, "rule",
                      prey->by     ? prey->report.rule
                      : prey->hunt ? prey->hunt->rule
                                   : NULL);
        json_add_integer(row, "points", points(prey));
        cJSON_AddItemToArray(preys, row);
    }
    json_add(object, "lists", lists);
    json_add(object, "designs", preys);
    json_add_integer(object, "found", hunting->found);
    json_add_measure(object, "percent", percent(hunting));
    return object;
}

/* ---- The command. ----------------------------------------------------------------------------- */

static int gather(struct hunting *hunting)
{
    const struct call *call = hunting->call;
    const char *score = hunting->options->score;
    char place[4200];
    if (call->operand_count > 1)
        return command_operands(call, score ? "at most one directory of plugins" : "one list",
                                &hunting->diag);
    paths_find("hunts", BUILD_LABS_DIR "/hunts", place, sizeof place);
    int status = score && call->operand_count == 1
                     ? add_each(hunting, call->operands[0], ".so", add_prey)
                 : score ? add_each(hunting, place, ".so", add_prey)
                         : add_chosen(hunting, place);
    if (status == DIAG_OK && score)
        status = add_each(hunting, score, ".ops", add_list);
    else if (status == DIAG_OK && call->operand_count == 1)
        status = add_list(hunting, call->operands[0]);
    for (size_t i = 0; i < hunting->prey_count && status == DIAG_OK; i++)
        status = hunt_prey(hunting, &hunting->preys[i]);
    return status;
}

/* Says it, and answers the exit status. */
static int tell(struct hunting *hunting)
{
    const struct hunt_flags *options = hunting->options;
    FILE *out = options->json && strcmp(options->json, "-") == 0 ? stderr : stdout;
    int status = DIAG_OK;
    if (options->json) {
        cJSON *object = as_json(hunting);
        status = json_save(options->json, object, &hunting->diag);
        cJSON_Delete(object);
    }
    if (status != DIAG_OK)
        return command_fail(status, &hunting->diag);
    for (size_t i = 0; i < hunting->list_count; i++)
        if (hunting->lists[i].refused[0])
            fprintf(stderr, "twbench: %s\n", hunting->lists[i].refused);
    if (options->score)
        print_score(out, hunting);
    else if (hunting->list_count == 0)
        print_task(out, hunting);
    else if (hunting->refused == 0)
        print_one(out, hunting);
    bool is_enough = options->score ? percent(hunting) >= (double)options->least
                                    : hunting->found > 0 || hunting->list_count == 0;
    return hunting->refused > 0 ? EXIT_USAGE : is_enough ? EXIT_OK : EXIT_REGRESSED;
}

static void begin(struct call *call)
{
    struct hunt_flags *options = call->options;
    options->seed = 1;
}

static int run(struct call *call)
{
    struct hunting hunting = {.call = call, .options = call->options};
    memory_for_json();
    int status = gather(&hunting);
    status = status == DIAG_OK ? tell(&hunting) : command_fail(status, &hunting.diag);
    for (size_t i = 0; i < hunting.list_count; i++) {
        free(hunting.lists[i].path);
        free(hunting.lists[i].text);
    }
    for (size_t i = 0; i < hunting.prey_count; i++)
        if (hunting.preys[i].design)
            plugins_close(hunting.preys[i].design);
    free(hunting.lists);
    free(hunting.preys);
    return status;
}

const struct command cmd_lab_hunt = {
    .name = "lab hunt",
    .usage = "[LIST] | --score=LISTS [PLUGINS]",
    .summary = "Find a design's bug without its source; or score lists that find bugs.",
    .topic = "My class",
    .groups = (const struct flag_group[]){{.flags = flags, .count = FLAGS(flags)}, {0}},
    .size = sizeof(struct hunt_flags),
    .begin = begin,
    .run = run,
};
