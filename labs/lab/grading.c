/* grading.c - grades one solution. */
#include "labs/lab/grading.h"

#include "harness/base/clock.h"
#include "harness/base/memory.h"
#include "harness/base/paths.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"
#include "harness/measure/designs/designs.h"
#include "harness/measure/run/spawn.h"
#include "harness/prove/findings.h"
#include "impls/registry.h"
#include "labs/lab/lab.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

#define SECONDS      UINT64_C(1000000000)
#define COMPILE_TIME (30 * SECONDS)
#define LOAD_TIME    (300 * SECONDS)

/* Of processor time, so that a grade takes a minute at most: for a part, for one with written cases, and for the search of
 * shorter lists in all parts together. */
#define PART_SECONDS   3.0
#define CASES_SECONDS  30.0
#define SHRINK_SECONDS 6.0
#define SHRINK_REPLAYS 1000

/* What TW_COUNT says is believed up to so many accesses to memory, or half as many basic blocks, for each call, tick and
 * count: right solutions and the program's own designs stay within.  Of the longest advance, for each tick and each count. */
#define CODE_OF_CALL  12.0
#define CODE_OF_COUNT 6.0
#define CODE_OF_TICK  128.0
#define CODE_OF_VISIT 32.0

static const char blocks_name[] = "blocks-of-timers";

double grading_share(double yours, double none, double full)
{
    yours = yours < 1 ? 1 : yours, none = none < 1 ? 1 : none, full = full < 1 ? 1 : full;
    if (none <= full)
        return NAN;
    return yours >= none ? 0 : yours <= full ? 1 : same_log(none / yours) / same_log(none / full);
}

/* In tenths, so that the last bits of a share move nothing. */
static double points_of(double share, uint64_t points)
{
    return (double)(uint64_t)(share * (double)points * 10 + 0.5 + 1e-9) / 10;
}

/* ---- Compiling. ------------------------------------------------------------------------------ */

/* *refused: what the compiler said, the caller's. */
static int compile(struct grading *grading, const char *file, char **refused, struct diag *diag)
{
    struct spawn_result result;
    char data[LAB_PATH], script[LAB_PATH + 32];
    lab_data(data);
    snprintf(script, sizeof script, "%s/grader/build.sh", data);
    spawn_run(
        &(struct spawn_request){.path = script,
                                .argv = (const char *const[]){file, data, grading->directory, NULL},
                                .cpu = -1,
                                .budget_ns = COMPILE_TIME,
                                .interrupt = grading->interrupt},
        &result);
    bool good = result.end == SPAWN_EXITED && result.code == 0;
    bool failed = !good && (result.end != SPAWN_EXITED || result.code == 127);
    if (!good && !failed) {
        utf8_make_lines(result.err, strlen(result.err) + 1);
        *refused = memory_text(result.err);
    }
    int status = failed
                     ? diag_run(diag, "%s: the compiler did not end well: %.300s", file, result.err)
                     : DIAG_OK;
    spawn_free(&result);
    return status;
}

/* ---- Parts. ---------------------------------------------------------------------------------- */

size_t grading_files(const char *directory, const char *ending, char ***names)
{
    struct dirent **entries = NULL;
    int all = scandir(directory, &entries, NULL, alphasort);
    size_t count = 0;
    *names = memory_take(all > 0 ? (size_t)all : 1, sizeof **names);
    for (int i = 0; i < all; i++) {
        if (text_ends_with(entries[i]->d_name, ending))
            (*names)[count++] = memory_text(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count;
}

static void add_finding(cJSON *part, const char *plugin, const char *list,
                        const struct conform_report *report)
{
    char *drawing = report->operations[0] ? drawing_of(plugin, report->operations) : NULL;
    json_put(part, report, rule, detail);
    json_add_text(part, "list", list);
    json_add_text(part, "operations", report->operations);
    json_add_text(part, "drawing", drawing);
    free(drawing);
}

/* One list, or with `list` NULL the random operations, in the part that began then.  1: broken. */
static int judge(const struct grading *grading, const struct tw_design *design,
                 const struct rubric_part *part, uint64_t part_ns, const char *list,
                 struct conform_report *report, struct diag *diag)
{
    uint64_t now_ns = clock_work_ns();
    double all = part->cases ? CASES_SECONDS : PART_SECONDS,
           left = all - (double)(now_ns - part_ns) / 1e9;
    bool may_search = (double)(now_ns - grading->begin_ns) / 1e9 < SHRINK_SECONDS;
    char path[RUBRIC_PATH + 260], *text = NULL;
    size_t size;
    const struct conform_options options = {.seed = part->seed,
                                            .operations = part->operations,
                                            .check_always = true,
                                            .shrink_replays = may_search ? SHRINK_REPLAYS : 1,
                                            .seconds = fmax(left, 1),
                                            .streams_only = !part->cases};
    *report = (struct conform_report){0};
    snprintf(path, sizeof path, "%s/%s", part->lists, list ? list : "");
    int status = list ? file_read(path, &text, &size, diag) : DIAG_OK;
    if (status != DIAG_OK)
        return status;
    int broken = left > 0 ? findings_of(design, &options, text, report) : 1;
    if (left <= 0)
        report->rule = RULE_RETURN;
    free(text);
    if (broken < 0)
        return diag_run(diag, "%s: %s", list ? path : part->name, report->detail);
    if (broken && rule_is_machine(report->rule))
        return diag_run(diag, "no grade: %s: %s", report->rule, report->detail);
    if (broken && (left <= 0 || strncmp(report->detail, "all of it took", 14) == 0))
        snprintf(report->detail, sizeof report->detail,
                 "the part took over %g s of processor time; right solutions take a tenth of one",
                 all);
    return broken;
}

static int grade_part(const struct grading *grading, const struct rubric_part *part,
                      const struct tw_design *design, const char *plugin, cJSON *out,
                      struct diag *diag)
{
    uint64_t part_ns = clock_work_ns();
    char **names = NULL;
    struct conform_report report;
    size_t count = part->lists[0] ? grading_files(part->lists, ".ops", &names) : 1;
    int status = count ? DIAG_OK : diag_usage(diag, "%s: has no .ops file", part->lists);
    for (size_t i = 0; i < count && status == DIAG_OK; i++) {
        status =
            judge(grading, design, part, part_ns, part->lists[0] ? names[i] : NULL, &report, diag);
        if (status > 0)
            add_finding(out, plugin, part->lists[0] ? names[i] : "", &report);
    }
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
    json_add_measure(out, "points", status > 0 ? 0 : (double)part->points);
    return status > 0 ? DIAG_OK : status;
}

static void add_refused(cJSON *part)
{
    const struct conform_report report = {.rule = "the file builds and loads",
                                          .detail = "It does not; the reason stands above."};
    json_put(part, &report, rule, detail);
    json_add_measure(part, "points", 0);
}

/* No design: no points. */
static int grade_parts(const struct grading *grading, const struct tw_design *design,
                       const char *plugin, cJSON *parts, bool *right, struct diag *diag)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < grading->rubric->part_count && status == DIAG_OK; i++) {
        const struct rubric_part *part = &grading->rubric->parts[i];
        cJSON *out = cJSON_CreateObject();
        json_add_text(out, "name", part->name);
        json_add_integer(out, "of", part->points);
        json_add_text(out, "read", part->read);
        if (design)
            status = grade_part(grading, part, design, plugin, out, diag);
        else
            add_refused(out);
        *right = *right && !json_get(out, "rule");
        cJSON_AddItemToArray(parts, out);
    }
    return status;
}

/* ---- Costs. ---------------------------------------------------------------------------------- */

static bool is_counted(const struct rubric *rubric)
{
    bool counted = true;
    for (size_t i = 0; i < rubric->cost_count; i++)
        counted = counted && rubric->costs[i].figure < RUBRIC_INSTRUCTIONS;
    return counted;
}

/* Solution and references on one load, in a process of its own, which has children for each of them. */
static int run_load(struct grading *grading, const struct rubric_load *load, bool has_blocks,
                    cJSON **out, struct diag *diag)
{
    char runner[4096], words[8][RUBRIC_PATH + 200], impl[RUBRIC_COSTS_MAX * 70] = "--impl=";
    struct text designs = text_behind(impl, sizeof impl);
    struct spawn_result result;
    const struct rubric *rubric = grading->rubric;
    int status = paths_program(runner, sizeof runner, diag);
    for (size_t i = 0; i < rubric->cost_count; i++)
        for (size_t k = 0; k < 2; k++) {
            const char *name = k ? rubric->costs[i].full : rubric->costs[i].none;
            char known[40];
            snprintf(known, sizeof known, ",%s,", name);
            if (!strstr(impl, known))
                text_add(&designs, "%s%s,", impl[7] ? "" : ",", name);
        }
    (void)snprintf(words[0], sizeof words[0], "--plugin=%s/timers.so", grading->directory);
    (void)snprintf(words[1], sizeof words[1], "--plugin=%s/blocks.so", grading->directory);
    (void)snprintf(words[2], sizeof words[2], "--workload=%s", load->workload);
    (void)snprintf(words[3], sizeof words[3], "--tasks=%" PRIu64, load->tasks);
    (void)snprintf(words[4], sizeof words[4], "--seed=%" PRIu64, load->seed);
    (void)snprintf(words[5], sizeof words[5], "--json=%s/run.json", grading->directory);
    impl[strlen(impl) - 1] = '\0';
    memmove(impl + 7, impl + 8, strlen(impl + 7));
    const char *const argv[] = {"run",
                                impl,
                                words[0],
                                words[2],
                                words[3],
                                words[4],
                                words[5],
                                "--force",
                                "--progress=never",
                                is_counted(rubric) ? "--budget=3s" : "--budget=100s",
                                "--runs=1",
                                "--warmup=0",
                                "--min-time=0ns",
                                is_counted(rubric) ? "--counts-only" : "--counters=step",
                                has_blocks ? words[1] : NULL,
                                NULL};
    if (status != DIAG_OK)
        return status;
    spawn_run(&(struct spawn_request){.path = runner,
                                      .argv = argv,
                                      .cpu = -1,
                                      .budget_ns = LOAD_TIME,
                                      .interrupt = grading->interrupt},
              &result);
    if (result.end != SPAWN_EXITED || result.code > EXIT_FAILED)
        status = diag_run(diag, "%s: cannot be run: %.400s", load->workload, result.err);
    spawn_free(&result);
    return status == DIAG_OK ? json_load(words[5] + 7, "a result", out, diag) : status;
}

static const cJSON *cell_of(const cJSON *document, const char *impl)
{
    json_each(cell, document, "cells") {
        if (json_says(cell, "impl", impl))
            return cell;
    }
    return NULL;
}

/* All that is counted, or the calls and the ticks, of all phases. */
static double sum_of(const cJSON *cell, const char *of)
{
    double sum = 0;
    json_each(phase, cell, "phases") {
        json_each(count, phase, of)
            sum += count->valuedouble;
    }
    return sum;
}

static double figure_of(const cJSON *cell, int figure)
{
    double most = 0;
    json_each(phase, cell, "phases")
        most = fmax(json_get_number(phase, "advance_work.max"), most);
    return figure == RUBRIC_WORK ? sum_of(cell, "work")
           : figure == RUBRIC_LONGEST
               ? most
               : json_get_number(cell, figure == RUBRIC_BYTES ? "memory.peak_bytes_per_task"
                                                              : "stepped.instructions_per_op");
}

/* In the phase with the longest advances. */
static double ticks_of_advance(const cJSON *cell)
{
    double most = 1;
    json_each(phase, cell, "phases")
        most = fmax(most, json_get_number(phase, "operations.ticks") /
                              fmax(json_get_number(phase, "operations.advance"), 1));
    return most;
}

/* Does the code run what TW_COUNT says, more or less, and the same where it is counted?  If not, the reason is in `reason`. */
static bool is_told(const cJSON *document, const cJSON *mine, int figure, char reason[200])
{
    const cJSON *blocks = cell_of(document, blocks_name);
    double says = figure_of(mine, figure), runs = figure_of(blocks, figure),
           most = figure == RUBRIC_LONGEST
                      ? CODE_OF_TICK * ticks_of_advance(mine) + CODE_OF_VISIT * says
                  : figure == RUBRIC_WORK
                      ? CODE_OF_CALL * sum_of(mine, "operations") + CODE_OF_COUNT * says
                      : says + (sizeof(struct tw_work) + 16.0) / json_get_number(mine, "tasks");
    if (blocks && !json_says(blocks, "status", "ok"))
        snprintf(reason, 200, "where its code is counted: %.120s", json_get_text(blocks, "reason"));
    else if (blocks && figure < RUBRIC_INSTRUCTIONS && runs > most)
        snprintf(reason, 200,
                 figure == RUBRIC_BYTES
                     ? "with TW_COUNTED it takes %.3g bytes: no points"
                     : "your code does %.3g, far more than TW_COUNT says: no points",
                 runs);
    return !reason[0];
}

static double grade_cost(const struct rubric_cost *cost, const cJSON *document, const cJSON *mine,
                         cJSON *out)
{
    char reason[200];
    bool ran = json_says(mine, "status", "ok");
    double yours = figure_of(mine, cost->figure),
           none = figure_of(cell_of(document, cost->none), cost->figure),
           full = figure_of(cell_of(document, cost->full), cost->figure);
    snprintf(reason, sizeof reason, "%s", json_get_text(mine, "reason"));
    bool counts = ran && isfinite(yours) && is_told(document, mine, cost->figure, reason);
    double share = grading_share(counts ? yours : none, none, full);
    json_add_text(out, "workload", json_get_text(mine, "workload"));
    json_add_measure(out, "yours", counts ? yours : NAN);
    json_add_measure(out, "none", none);
    json_add_measure(out, "full", full);
    json_add_measure(out, "share", share);
    json_add_text(out, "reason", reason);
    return share;
}

/* A hash over what was counted, by which solutions that share code are found. */
static uint64_t counts_hash(uint64_t hash, const cJSON *document, const char *impl)
{
    json_each(phase, cell_of(document, impl), "phases") {
        json_each(count, phase, "work")
            hash = (hash ^ (uint64_t)count->valuedouble) * UINT64_C(0x94d049bb133111eb) + 1;
    }
    return hash;
}

static int grade_costs(struct grading *grading, const char *name, bool has_blocks, cJSON *grade,
                       struct diag *diag)
{
    const struct rubric *rubric = grading->rubric;
    double shares[RUBRIC_COSTS_MAX] = {0};
    size_t counted[RUBRIC_COSTS_MAX] = {0};
    cJSON *costs = cJSON_GetObjectItem(grade, "costs"), *loads[RUBRIC_COSTS_MAX];
    uint64_t hash = 0;
    int status = DIAG_OK;
    for (size_t i = 0; i < rubric->cost_count; i++) {
        cJSON *cost = cJSON_CreateObject();
        json_add_text(cost, "name", rubric->costs[i].name);
        json_add_integer(cost, "of", rubric->costs[i].points);
        json_add_text(cost, "figure", rubric_figures[rubric->costs[i].figure]);
        loads[i] = cJSON_AddArrayToObject(cost, "loads");
        cJSON_AddItemToArray(costs, cost);
    }
    bool right = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(grade, "right"));
    for (size_t k = 0; right && k < rubric->load_count && status == DIAG_OK; k++) {
        cJSON *document = NULL;
        status = run_load(grading, &rubric->loads[k], has_blocks, &document, diag);
        const cJSON *mine = status == DIAG_OK ? cell_of(document, name) : NULL;
        for (size_t i = 0; mine && i < rubric->cost_count; i++) {
            cJSON *load = cJSON_CreateObject();
            double share = grade_cost(&rubric->costs[i], document, mine, load);
            if (!isnan(share))
                shares[i] += json_get(load, "reason") ? -INFINITY : share, counted[i]++;
            cJSON_AddItemToArray(loads[i], load);
        }
        hash = counts_hash(counts_hash(hash, document, name), document, blocks_name);
        cJSON_Delete(document);
    }
    for (size_t i = 0; i < rubric->cost_count; i++) {
        double share = fmax(shares[i] / fmax((double)counted[i], 1), 0);
        json_add_measure(cJSON_GetArrayItem(costs, (int)i), "points",
                         points_of(share, rubric->costs[i].points));
        if (right && status == DIAG_OK && !counted[i])
            status = diag_usage(diag, "costs[%zu]: no load shows that %s is worse than %s", i,
                                rubric->costs[i].none, rubric->costs[i].full);
    }
    if (hash) {
        cJSON_DeleteItemFromObject(grade, "counts");
        json_add_hex(grade, "counts", hash);
    }
    return status;
}

/* ---- All of it. ------------------------------------------------------------------------------ */

/* NULL, with *refused the caller's, when it cannot be loaded, or promises less than the task asks for. */
static const struct tw_design *solution_open(const char *plugin, char **refused)
{
    struct diag diag = {.text = ""};
    const struct tw_design *design = plugins_open(plugin, &diag);
    const struct tw_traits *traits = design ? &design->timed->traits : NULL;
    if (design &&
        (registry_find(design->timed->name) || strcmp(design->timed->name, blocks_name) == 0))
        (void)diag_usage(&diag,
                         ".name: '%s' is the name of another design; keep that of the handout",
                         design->timed->name);
    else if (design && (traits->late_ticks || traits->late_shift || traits->flags & TW_REAL_CLOCK ||
                        !(traits->flags & TW_NEXT_EXACT)))
        (void)diag_usage(&diag,
                         ".traits: expected TW_NEXT_EXACT, and nothing that is late or waits");
    if (!diag.text[0])
        return design;
    if (design)
        plugins_close(design);
    *refused = memory_text(diag.text);
    return NULL;
}

static int grade_plugin(struct grading *grading, const char *plugin, bool has_blocks,
                        char **refused, cJSON *grade, struct diag *diag)
{
    bool right = true;
    double points = 0;
    const struct tw_design *design = *refused ? NULL : solution_open(plugin, refused);
    json_add_text(grade, "compiler", *refused);
    int status =
        grade_parts(grading, design, plugin, cJSON_GetObjectItem(grade, "parts"), &right, diag);
    cJSON_ReplaceItemInObject(grade, "right", cJSON_CreateBool(right));
    if (status == DIAG_OK)
        status = grade_costs(grading, design ? design->timed->name : "", has_blocks, grade, diag);
    if (design)
        plugins_close(design);
    json_each(part, grade, "parts")
        points += json_get_number(part, "points");
    json_each(cost, grade, "costs")
        points += json_get_number(cost, "points");
    cJSON_ReplaceItemInObject(grade, "points", cJSON_CreateNumber(points));
    return status;
}

static void remove_all(const char *directory)
{
    static const char *const files[] = {"timed.o",   "counted.o", "traced.o",
                                        "timers.so", "blocks.so", "run.json"};
    char path[200];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        unlink(path);
    }
    rmdir(directory);
}

int grading_grade(struct grading *grading, const char *file, cJSON **out, struct diag *diag)
{
    char plugin[200], *refused = NULL;
    bool is_source = text_ends_with(file, ".c");
    if (!is_source && !text_ends_with(file, ".so"))
        return diag_usage(diag, "%s: expected a file that ends with .c or .so", file);
    if (access(file, R_OK) != 0)
        return diag_usage(diag, "%s: cannot be read: %s", file, strerror(errno));
    paths_temporary(grading->directory, sizeof grading->directory, "twbench-lab");
    if (!mkdtemp(grading->directory))
        return diag_run(diag, "%s: cannot be made: %s", grading->directory, strerror(errno));
    snprintf(plugin, sizeof plugin, "%s/timers.so", grading->directory);
    grading->begin_ns = clock_work_ns();
    cJSON *grade = cJSON_CreateObject();
    json_add_integer(grade, "schema_version", 1);
    json_add_text(grade, "kind", "grade");
    json_add_text(grade, "file", file);
    json_add_text(grade, "rubric", grading->rubric->name);
    json_add_integer(grade, "of", rubric_points(grading->rubric));
    int status = DIAG_OK;
    if (is_source) {
        status = compile(grading, file, &refused, diag);
    } else {
        char *target = realpath(file, NULL);
        if (!target || symlink(target, plugin) != 0)
            status = diag_run(diag, "%s: cannot be linked to: %s", file, strerror(errno));
        free(target);
    }
    cJSON_AddBoolToObject(grade, "right", false);
    cJSON_AddArrayToObject(grade, "parts");
    cJSON_AddArrayToObject(grade, "costs");
    json_add_text(grade, "counts", NULL);
    json_add_measure(grade, "points", 0);
    if (status == DIAG_OK)
        status = grade_plugin(grading, plugin, is_source, &refused, grade, diag);
    free(refused);
    remove_all(grading->directory);
    if (status == DIAG_OK)
        *out = grade;
    else
        cJSON_Delete(grade);
    return status;
}
