/* cmd_lab_grade.c - lab grade: grades a solution by a rubric. */
#include "labs/lab/lab.h"

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/tell/report/services.h"
#include "labs/lab/grading.h"

struct grade_options {
    const char *rubric, *hidden, *json, *gradescope, *junit, *class;
    bool autolab;
};

#define OF struct grade_options
static const struct flag flags[] = {
    FLAG_FILE("rubric", "FILE", "what gives points; the handout has a rubric", OF, rubric),
    FLAG_DIRECTORY("hidden", "a second rubric.json with lists and loads that students do not have",
                   OF, hidden),
    FLAG_DIRECTORY("class", "grade each .c file in it; an unchanged file keeps its grade", OF,
                   class),
    FLAG_SWITCH("autolab", "the scores as a last line of JSON", OF, autolab),
    FLAG_FILE("gradescope", "FILE|-", "write results.json of Gradescope", OF, gradescope),
    FLAG_FILE("junit", "FILE|-", "write JUnit XML", OF, junit),
    FLAG_FILE("json", "FILE|-", "write the whole grade", OF, json),
};
#undef OF

/* ---- For the student. ------------------------------------------------------------------------ */

static void print_indented(FILE *out, const char *text, const char *indent)
{
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        fprintf(out, "%s%.*s\n", indent, (int)strcspn(at, "\n"), at);
}

static void print_part(FILE *out, const void *part)
{
    fprintf(out, "%5g of %-3g %s\n", json_get_number(part, "points"), json_get_number(part, "of"),
            json_get_text(part, "name"));
    if (!json_get(part, "rule"))
        return;
    const char *list = json_get_text(part, "list"), *drawing = json_get_text(part, "drawing");
    fprintf(out, "      broken rule: %s\n      %s\n", json_get_text(part, "rule"),
            json_get_text(part, "detail"));
    if (list[0])
        fprintf(out, "      first list that fails: %s\n", list);
    if (json_get_text(part, "operations")[0]) {
        fprintf(out, "      The shortest list of calls that shows it:\n");
        print_indented(out, json_get_text(part, "operations"), "        ");
    }
    if (drawing[0]) {
        fprintf(out, "      Your structure there:\n");
        print_indented(out, drawing, "        ");
    }
    if (json_get(part, "read"))
        fprintf(out, "      Read: %s\n", json_get_text(part, "read"));
}

static void print_cost(FILE *out, const void *of)
{
    const cJSON *cost = of;
    fprintf(out, "%5g of %-3g %s%s\n", json_get_number(cost, "points"), json_get_number(cost, "of"),
            json_get_text(cost, "name"),
            json_first(cost, "loads") || json_get(cost, "rule") ? "" : ": needs all parts right");
    json_each(load, cost, "loads")
        if (json_get(load, "reason"))
            fprintf(out, "      %s: %s\n", json_get_text(load, "workload"),
                    json_get_text(load, "reason"));
        else
            fprintf(out, "      %-12s yours %.8g, no points at %.8g, all at %.8g%s\n",
                    json_get_text(load, "workload"), json_get_number(load, "yours"),
                    json_get_number(load, "none"), json_get_number(load, "full"),
                    json_get(load, "share") ? "" : ": does not count");
}

static void print_grade(FILE *out, const void *of)
{
    const cJSON *grade = of;
    if (json_get(grade, "compiler")) {
        fprintf(out, "It does not build, is refused, or cannot be loaded:\n");
        print_indented(out, json_get_text(grade, "compiler"), "  ");
    }
    int broken = 0;
    json_each(part, grade, "parts")
        (json_get(part, "rule") && broken++ ? print_cost : print_part)(out, part);
    json_each(cost, grade, "costs")
        print_cost(out, cost);
    fprintf(out, "%5g of %-3g points\n", json_get_number(grade, "points"),
            json_get_number(grade, "of"));
}

/* The text of what `print` prints; the caller's. */
static char *text_of(file_print_fn *print, const void *of)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    memory_must(memory != NULL);
    print(memory, of);
    memory_must(fclose(memory) == 0);
    return text;
}

/* ---- For machines. --------------------------------------------------------------------------- */

static void print_autolab(const cJSON *grade)
{
    static const char *const lists[] = {"parts", "costs"};
    cJSON *root = cJSON_CreateObject(), *scores = cJSON_AddObjectToObject(root, "scores");
    for (size_t i = 0; i < 2; i++)
        json_each(row, grade, lists[i])
            json_add_measure(scores, json_get_text(row, "name"), json_get_number(row, "points"));
    json_print(stdout, root, 0);
    printf("\n");
    cJSON_Delete(root);
}

static void add_test(cJSON *tests, const cJSON *item, char *output)
{
    cJSON *test = cJSON_CreateObject();
    json_add_text(test, "name", json_get_text(item, "name"));
    json_add_measure(test, "score", json_get_number(item, "points"));
    json_add_measure(test, "max_score", json_get_number(item, "of"));
    json_add_text(test, "output", output);
    cJSON_AddItemToArray(tests, test);
    free(output);
}

/* The leaderboard has the sum over the loads of what costs: fewer are better. */
static cJSON *gradescope_of(const cJSON *grade)
{
    cJSON *root = cJSON_CreateObject();
    json_add_measure(root, "score", json_get_number(grade, "points"));
    json_add_text(root, "output", json_get_text(grade, "compiler"));
    cJSON *tests = cJSON_AddArrayToObject(root, "tests"),
          *board = cJSON_AddArrayToObject(root, "leaderboard");
    json_each(part, grade, "parts")
        add_test(tests, part, text_of(print_part, part));
    json_each(cost, grade, "costs") {
        double sum = 0;
        cJSON *row = cJSON_CreateObject();
        json_each(load, cost, "loads")
            sum += json_get_number(load, "yours");
        add_test(tests, cost, text_of(print_cost, cost));
        json_add_text(row, "name", json_get_text(cost, "name"));
        json_add_measure(row, "value", json_first(cost, "loads") ? sum : NAN);
        json_add_text(row, "order", "asc");
        cJSON_AddItemToArray(board, row);
    }
    return root;
}

static void print_junit(FILE *out, const void *of)
{
    const cJSON *grade = of;
    int tests = cJSON_GetArraySize(json_get(grade, "parts")), failures = 0;
    json_each(part, grade, "parts")
        failures += json_get(part, "rule") != NULL;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite tests=\"%d\" failures=\"%d\" "
            "errors=\"%d\"",
            tests, failures, json_get(grade, "compiler") != NULL);
    xml_attribute(out, "name", json_get_text(grade, "file"));
    fputs(">\n", out);
    json_each(part, grade, "parts") {
        fputs("<testcase", out);
        xml_attribute(out, "name", json_get_text(part, "name"));
        fputs(">", out);
        if (json_get(part, "rule")) {
            char *text = text_of(print_part, part);
            fputs("<failure", out);
            xml_attribute(out, "message", json_get_text(part, "rule"));
            fputs(">", out);
            xml_text(out, text);
            fputs("</failure>", out);
            free(text);
        }
        fputs("</testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
}

static int write_outputs(const struct grade_options *options, const cJSON *grade, struct diag *diag)
{
    int status = options->json ? json_save(options->json, grade, diag) : DIAG_OK;
    if (status == DIAG_OK && options->junit)
        status = file_replace(options->junit, print_junit, grade, diag);
    if (status == DIAG_OK && options->gradescope) {
        cJSON *results = gradescope_of(grade);
        status = json_save(options->gradescope, results, diag);
        cJSON_Delete(results);
    }
    return status;
}

/* ---- The command. ---------------------------------------------------------------------------- */

static int read_rubrics(const struct grade_options *options, struct rubric *rubric,
                        struct diag *diag)
{
    char path[4200];
    if (!options->rubric)
        return diag_usage(
            diag,
            "--rubric: missing; expected a file such as the rubric.json of 'twbench lab new'");
    int status = rubric_read(options->rubric, rubric, diag);
    if (status == DIAG_OK && options->hidden) {
        snprintf(path, sizeof path, "%s/rubric.json", options->hidden);
        status = rubric_read(path, rubric, diag);
    }
    return status;
}

static int grade_file(const struct grade_options *options, struct grading *grading,
                      const char *file, struct diag *diag)
{
    cJSON *grade = NULL;
    int status = grading_grade(grading, file, &grade, diag);
    if (status != DIAG_OK)
        return status;
    bool right = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(grade, "right"));
    print_grade(stdout, grade);
    status = write_outputs(options, grade, diag);
    if (options->autolab)
        print_autolab(grade);
    cJSON_Delete(grade);
    return status != DIAG_OK ? status : right ? EXIT_OK : EXIT_FAILED;
}

static int run(struct call *call)
{
    struct diag diag;
    struct interrupt interrupt;
    const struct grade_options *options = call->options;
    struct rubric *rubric = memory_take(1, sizeof *rubric);
    struct grading grading = {.rubric = rubric, .interrupt = &interrupt};
    int status = call->operand_count == (options->class ? 0 : 1)
                     ? DIAG_OK
                     : command_operands(call, "one FILE.c or FILE.so, or --class=DIR", &diag);
    if (status == DIAG_OK)
        status = read_rubrics(options, rubric, &diag);
    if (status == DIAG_OK)
        status = interrupt_open(&interrupt, &diag);
    if (status == DIAG_OK) {
        status = options->class ? class_grade(&grading, options->class, &diag)
                                : grade_file(options, &grading, call->operands[0], &diag);
        if (status < DIAG_OK && interrupt_is_pending(&interrupt))
            status = EXIT_INTERRUPTED;
        interrupt_close(&interrupt);
    }
    free(rubric);
    return status < DIAG_OK ? command_fail(status, &diag) : status;
}

const struct command cmd_lab_grade = {
    .name = "lab grade",
    .usage = "--rubric=FILE [FLAGS] FILE.c|FILE.so",
    .summary = "Grade a solution by counts, the same on every machine.",
    .topic = "My class",
    .groups = (const struct flag_group[]){{.flags = flags, .count = FLAGS(flags)}, {0}},
    .size = sizeof(struct grade_options),
    .run = run,
};
