/* class.c - grades a directory of solutions: a grade beside each, a CSV of all, a page with their distribution. */
#include "labs/lab/grading.h"

#include "build_info.h"
#include "harness/base/hash.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/tell/report/services.h"

#define BARS 10

struct class
{
    char **names; /* NAME of NAME.c, in their order */
    cJSON **grades;
    size_t count;
};

static int find_solutions(const char *directory, struct class *class, struct diag *diag)
{
    class->count = grading_files(directory, ".c", &class->names);
    if (class->count == 0)
        return diag_usage(diag, "%s: expected a directory with a .c file for each student",
                          directory);
    for (size_t i = 0; i < class->count; i++)
        class->names[i][strlen(class->names[i]) - 2] = '\0';
    class->grades = memory_take(class->count, sizeof *class->grades);
    return DIAG_OK;
}

static uint64_t hash_file(uint64_t hash, const char *directory, const char *name)
{
    char path[4200], *text = NULL;
    size_t size;
    struct diag unused;
    snprintf(path, sizeof path, "%s%s%s", directory, directory[0] ? "/" : "", name);
    if (file_read(path, &text, &size, &unused) == DIAG_OK)
        hash = hash_bytes(hash_text(hash, name), text, size);
    free(text);
    return hash;
}

/* All that a grade depends on but the solution: the program, the rubric, its lists and loads. */
static uint64_t key_of(const struct rubric *rubric)
{
    uint64_t hash = hash_bytes(hash_text(HASH_BEGIN, BUILD_COMMIT), rubric, sizeof *rubric);
    for (size_t i = 0; i < rubric->part_count; i++) {
        const char *lists = rubric->parts[i].lists;
        char **names = NULL;
        size_t count = lists[0] ? grading_files(lists, ".ops", &names) : 0;
        for (size_t k = 0; k < count; k++) {
            hash = hash_file(hash, lists, names[k]);
            free(names[k]);
        }
        free(names);
    }
    for (size_t i = 0; i < rubric->load_count; i++)
        hash = hash_file(hash, "", rubric->loads[i].workload);
    return hash;
}

static int grade_one(struct grading *grading, uint64_t hash, const char *directory,
                     const char *name, cJSON **out, struct diag *diag)
{
    char path[4200], saved[4200], key[20], *text = NULL;
    size_t size;
    struct diag unused;
    snprintf(path, sizeof path, "%s/%s.c", directory, name);
    snprintf(saved, sizeof saved, "%s/%s.grade.json", directory, name);
    int status = file_read(path, &text, &size, diag);
    if (status != DIAG_OK)
        return status;
    snprintf(key, sizeof key, "%016" PRIx64, hash_bytes(hash, text, size));
    free(text);
    if (json_load(saved, "a grade", out, &unused) == DIAG_OK && json_says(*out, "key", key))
        return DIAG_OK;
    cJSON_Delete(*out);
    *out = NULL;
    status = grading_grade(grading, path, out, diag);
    if (status != DIAG_OK)
        return status;
    json_add_text(*out, "key", key);
    fprintf(stderr, "%s: %g\n", name, json_get_number(*out, "points"));
    return json_save(saved, *out, diag);
}

/* As RFC 4180 has it: in quotes where it needs them. */
static void csv_name(FILE *out, const char *before, const char *name)
{
    const char *quote = strpbrk(name, ",\"\r\n") ? "\"" : "";
    fprintf(out, "%s%s", before, quote);
    for (; *name; name++)
        fprintf(out, *name == '"' ? "\"\"" : "%c", *name);
    fputs(quote, out);
}

static void print_csv(FILE *out, const void *of)
{
    const struct class *class = of;
    fputs("name,points,of,right", out);
    json_each(part, class->grades[0], "parts")
        csv_name(out, ",", json_get_text(part, "name"));
    json_each(cost, class->grades[0], "costs")
        csv_name(out, ",", json_get_text(cost, "name"));
    fputs(",counts\n", out);
    for (size_t i = 0; i < class->count; i++) {
        const cJSON *grade = class->grades[i];
        csv_name(out, "", class->names[i]);
        fprintf(out, ",%g,%g,%d", json_get_number(grade, "points"), json_get_number(grade, "of"),
                cJSON_IsTrue(json_get(grade, "right")));
        json_each(part, grade, "parts")
            fprintf(out, ",%g", json_get_number(part, "points"));
        json_each(cost, grade, "costs")
            fprintf(out, ",%g", json_get_number(cost, "points"));
        fprintf(out, ",%s\n", json_get_text(grade, "counts"));
    }
}

/* The first solution before this one with the same counts; NULL: none. */
static const char *twin_of(const struct class *class, size_t index)
{
    const char *counts = json_get_text(class->grades[index], "counts");
    for (size_t i = 0; i < class->count && counts[0]; i++)
        if (i != index && json_says(class->grades[i], "counts", counts))
            return class->names[i];
    return NULL;
}

static void print_bars(FILE *out, const struct class *class)
{
    size_t bars[BARS + 1] = {0}, most = 1;
    for (size_t i = 0; i < class->count; i++) {
        double of = json_get_number(class->grades[i], "of"),
               points = json_get_number(class->grades[i], "points");
        size_t *bar = &bars[of > 0 ? (size_t)(points / of * BARS) : 0];
        most = ++*bar > most ? *bar : most;
    }
    fputs("<h2>Distribution</h2>\n<table><tr><th>points<th>solutions<th class=\"bar\">\n", out);
    for (size_t i = 0; i <= BARS; i++)
        fprintf(out, "<tr><td>%s%zu %%<td>%zu<td><div style=\"width:%zu%%\"></div>\n",
                i < BARS ? "from " : "", i * 100 / BARS, bars[i], bars[i] * 100 / most);
    fputs("</table>\n", out);
}

static void print_page(FILE *out, const void *of)
{
    const struct class *class = of;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width\"><title>",
          out);
    xml_text(out, json_get_text(class->grades[0], "rubric"));
    fputs(
        "</title>\n<style>:root{color-scheme:light "
        "dark}body{font:1em/1.4 sans-serif;max-width:60em;margin:2em auto;padding:0 "
        "1em}table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.2em "
        ".8em .2em 0;border-bottom:1px solid "
        "#8884}.bar{width:40vw;max-width:30em}td:first-child{white-space:nowrap}td "
        "div{background:"
        "#48d;height:1em;margin-top:.2em}</style>\n<h1>",
        out);
    xml_text(out, json_get_text(class->grades[0], "rubric"));
    fputs("</h1>\n", out);
    print_bars(out, class);
    fputs("<h2>Solutions</h2>\n<table><tr><th>solution<th>points<th>first broken rule<th>same "
          "counts as\n",
          out);
    for (size_t i = 0; i < class->count; i++) {
        const char *rule = json_get_text(class->grades[i], "compiler")[0] ? "refused" : "",
                   *twin = twin_of(class, i);
        json_each(part, class->grades[i], "parts")
            rule = rule[0] ? rule : json_get_text(part, "rule");
        fputs("<tr><td>", out);
        xml_text(out, class->names[i]);
        fprintf(out, "<td>%g<td>", json_get_number(class->grades[i], "points"));
        xml_text(out, rule);
        fputs("<td>", out);
        xml_text(out, twin ? twin : "");
        fputs("\n", out);
    }
    fputs("</table>\n<p>Solutions with the same counts ran the same blocks equally often on every "
          "load. That is code which was shared, or one step that two students copied from the same "
          "book: read both.</p>\n</html>\n",
          out);
}

/* One that the machine fails on has no grade and no row; the others have. */
static int grade_all(struct grading *grading, const char *directory, struct class *class,
                     struct diag *diag)
{
    uint64_t hash = key_of(grading->rubric);
    size_t failed = 0;
    for (size_t i = 0; i < class->count;) {
        int status = grade_one(grading, hash, directory, class->names[i], &class->grades[i], diag);
        if (status == DIAG_USAGE || (status != DIAG_OK && interrupt_is_pending(grading->interrupt)))
            return DIAG_USAGE;
        if (status == DIAG_OK) {
            i++;
            continue;
        }
        fprintf(stderr, "%s: %s\n", class->names[i], diag->text);
        free(class->names[i]);
        memmove(&class->names[i], &class->names[i + 1],
                (--class->count - i) * sizeof *class->names);
        failed++;
    }
    return failed
               ? diag_run(diag, "%s: %zu solutions have no grade; run it again", directory, failed)
               : DIAG_OK;
}

static int write_class(const char *directory, const struct class *class, struct diag *diag)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/class.csv", directory);
    int status = file_replace(path, print_csv, class, diag);
    snprintf(path, sizeof path, "%s/class.html", directory);
    if (status == DIAG_OK)
        status = file_replace(path, print_page, class, diag);
    if (status == DIAG_OK)
        printf("%zu solutions: %s/class.csv, %s/class.html\n", class->count, directory, directory);
    return status;
}

int class_grade(struct grading *grading, const char *directory, struct diag *diag)
{
    struct class class = {0};
    struct diag unwritten;
    int status = find_solutions(directory, &class, diag);
    if (status == DIAG_OK)
        status = grade_all(grading, directory, &class, diag);
    if (status != DIAG_USAGE && class.count > 0 &&
        write_class(directory, &class, &unwritten) != DIAG_OK)
        status = DIAG_RUN, *diag = unwritten;
    for (size_t i = 0; i < class.count; i++) {
        free(class.names[i]);
        cJSON_Delete(class.grades ? class.grades[i] : NULL);
    }
    free(class.names);
    free(class.grades);
    return status;
}
