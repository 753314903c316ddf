/* functions.c - finds the functions whose instructions changed: a cell's probe of both sides under callgrind. */
#include "harness/compare/pairing.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"

#include <dirent.h>
#include <math.h>

#define IDS_MAX   65536
#define NOT_OURS  SIZE_MAX /* without a name */
#define ARGUMENTS 3        /* of callgrind itself, with the program */

struct counted {
    struct compared_function *all;
    size_t count, room;
    size_t *of_id; /* of this file: the function with that number, plus 1; 0: not met yet */
};

/* A compiler's part of a function, "heap_push.isra.0", counts for the function. */
static size_t find_function(struct counted *counted, const char *name)
{
    struct compared_function function = {.name = ""};
    size_t length = strcspn(name, ".'\n");
    snprintf(function.name, sizeof function.name, "%.*s", (int)length, name);
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return NOT_OURS;
    for (size_t i = 0; i < counted->count; i++)
        if (strcmp(counted->all[i].name, function.name) == 0)
            return i;
    memory_room(&counted->all, counted->count, &counted->room, sizeof function);
    counted->all[counted->count] = function;
    return counted->count++;
}

/* "fn=(12) heap_push", later "fn=(12)". */
static size_t read_function(struct counted *counted, const char *line)
{
    char *end;
    unsigned long id = line[3] == '(' ? strtoul(line + 4, &end, 10) : IDS_MAX;
    if (id >= IDS_MAX || *end != ')')
        return NOT_OURS;
    if (counted->of_id[id] == 0 && end[1] == ' ')
        counted->of_id[id] = find_function(counted, end + 2) + 1;
    return counted->of_id[id] - 1;
}

/* "ob=(4) /tmp/new.so", later "ob=(4)": the number, or 0 where it is another's file. */
static unsigned long read_object(const char *line, const char *object, unsigned long ours)
{
    size_t length = strlen(object);
    char *end;
    unsigned long id = strtoul(line + 4, &end, 10);
    bool is_named = *end == ')' && end[1] == ' ';
    return is_named && strncmp(end + 2, object, length) == 0 && end[2 + length] == '\n' ? id : ours;
}

/* The format of callgrind: lines of a position and a cost belong to the last ob= and fn=, but one behind calls= is the
 * callee's. */
static void read_file(struct counted *counted, const char *text, const char *object, bool after)
{
    size_t function = NOT_OURS;
    unsigned long ours = 0, id = 0;
    bool is_called = false;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *word = line + (*line == 'c'), *cost = strchr(line, ' ');
        bool is_cost = *line && (isdigit((unsigned char)*line) || strchr("+-*", *line));
        if (strncmp(word, "ob=(", 4) == 0) {
            ours = read_object(word, object, ours);
            id = word == line ? strtoul(word + 4, NULL, 10) : id;
        } else if (strncmp(word, "fn=(", 4) == 0) {
            size_t named = read_function(counted, word);
            function = word == line ? named : function;
        } else if (is_cost && !is_called && id == ours && ours > 0 && function != NOT_OURS &&
                   cost) {
            double *sum = after ? &counted->all[function].after : &counted->all[function].before;
            *sum += strtod(cost, NULL);
        }
        is_called = strncmp(line, "calls=", 6) == 0;
    }
}

/* A process writes a file, and so does each of its children. */
static bool read_side(struct counted *counted, const char *directory, const char *object,
                      bool after)
{
    DIR *files = opendir(directory);
    bool any = false;
    for (struct dirent *file = files ? readdir(files) : NULL; file; file = readdir(files)) {
        char path[400], *text = NULL;
        size_t size;
        struct diag ignored;
        if (strncmp(file->d_name, "callgrind.", 10) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, file->d_name);
        counted->of_id = memory_take(IDS_MAX, sizeof *counted->of_id);
        if (file_read(path, &text, &size, &ignored) == DIAG_OK)
            read_file(counted, text, object, after);
        any = any || text;
        free(text);
        free(counted->of_id);
        unlink(path);
    }
    if (files)
        closedir(files);
    return any;
}

static double moved_by(const struct compared_function *function)
{
    return fabs(function->after - function->before);
}

static int by_change(const void *left, const void *right)
{
    double a = moved_by(left), b = moved_by(right);
    return (a < b) - (a > b);
}

/* What moved by less than a hundredth of the largest change is the clock's. */
static void keep_largest(struct compared_cell *cell, struct counted *counted)
{
    qsort(counted->all, counted->count, sizeof *counted->all, by_change);
    for (size_t i = 0; i < counted->count && cell->function_count < COMPARED_FUNCTIONS; i++)
        if (moved_by(&counted->all[i]) > 0 &&
            moved_by(&counted->all[i]) >= moved_by(&counted->all[0]) / 100)
            cell->functions[cell->function_count++] = counted->all[i];
}

bool functions_known(void)
{
    return access(FUNCTIONS_VALGRIND, X_OK) == 0;
}

void functions_compare(struct compared_cell *cell, const struct functions_side sides[2],
                       const char *directory, const struct interrupt *interrupt)
{
    struct counted counted = {.of_id = NULL};
    char out[160];
    snprintf(out, sizeof out, "--callgrind-out-file=%s/callgrind.%%p", directory);
    cell->functions_known = true;
    for (int i = 0; i < 2; i++) {
        const char *argv[ARGUMENTS + PROBE_ARGUMENTS + 1] = {"--tool=callgrind", out,
                                                             sides[i].program};
        struct spawn_result result;
        for (size_t k = 0; k < sides[i].command.count; k++)
            argv[ARGUMENTS + k] = sides[i].command.argv[k];
        spawn_run(&(struct spawn_request){.path = FUNCTIONS_VALGRIND,
                                          .argv = argv,
                                          .cpu = -1,
                                          .budget_ns = FUNCTIONS_BUDGET_NS,
                                          .interrupt = interrupt},
                  &result);
        bool any = read_side(&counted, directory, sides[i].object, i == 1);
        cell->functions_known = cell->functions_known && any && result.end == SPAWN_EXITED;
        spawn_free(&result);
    }
    if (cell->functions_known)
        keep_largest(cell, &counted);
    free(counted.all);
}
