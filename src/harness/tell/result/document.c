/* document.c - builds a result document cell by cell, and keeps its text. */
#include "harness/tell/result/document.h"

#include "harness/base/file.h"
#include "harness/base/isolate.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/tell/result/cell.h"

struct result_document {
    cJSON *root;
    cJSON *cells; /* in root */
    char **texts; /* one per cell, in the same order */
    size_t count, room;
};

/* ---- The head. ------------------------------------------------------------------------------- */

static void add_known(cJSON *object, const char *key, uint64_t value)
{
    json_add(object, key, value ? json_integer(value) : cJSON_CreateNull());
}

static cJSON *make_tool(const struct result_tool *tool)
{
    char now[32] = "";
    time_t seconds = time(NULL);
    struct tm utc;
    if (gmtime_r(&seconds, &utc))
        strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    cJSON *object = cJSON_CreateObject();
    json_put(object, tool, name, version, commit, compiler, flags, allocator);
    json_add_text(object, "date_utc", tool->date_utc ? tool->date_utc : now);
    return object;
}

static cJSON *make_caches(const struct machine *machine)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < machine->cache_count; i++) {
        const struct machine_cache *cache = &machine->caches[i];
        cJSON *object = cJSON_CreateObject();
        json_put(object, cache, level, type, size_bytes);
        add_known(object, "line_bytes", cache->line_bytes);
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *make_checks(const struct system_checks *checks)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < checks->count; i++) {
        const struct system_check *check = &checks->checks[i];
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "name", check->name);
        json_add(object, "value",
                 isnan(check->number) ? json_text(check->text) : json_measure(check->number));
        json_add_text(object, "warning", check->warning);
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *make_machine(const struct result_origin *origin)
{
    const struct machine *machine = &origin->machine;
    cJSON *object = cJSON_CreateObject();
    json_put(object, machine, cpu_model, architecture);
    add_known(object, "cores", machine->cores);
    add_known(object, "memory_bytes", machine->memory_bytes);
    json_put(object, machine, kernel, distribution, governor, clocksource, tsc, virtualisation);
    json_add(object, "caches", make_caches(machine));
    json_add(object, "checks", make_checks(&origin->checks));
    return object;
}

/* An empty argument is text, not null. */
static cJSON *make_command(int argc, char *const *argv)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < argc; i++)
        cJSON_AddItemToArray(list, jsontext_string(argv[i]));
    return list;
}

static cJSON *make_harness(const struct result_harness *harness)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "timer", harness->timer);
    json_add_measure(object, "timer_overhead_ns",
                     harness->timer_overhead_ns < 0 ? NAN : harness->timer_overhead_ns);
    json_add_measure(object, "timer_step_ns",
                     harness->timer_step_ns < 0 ? NAN : harness->timer_step_ns);
    return object;
}

cJSON *result_head(const struct result_origin *origin)
{
    cJSON *root = cJSON_CreateObject();
    json_add_integer(root, "schema_version", RESULT_SCHEMA_VERSION);
    json_add(root, "tool", make_tool(&origin->tool));
    json_add(root, "machine", make_machine(origin));
    json_add(root, "command", make_command(origin->argc, origin->argv));
    json_add(root, "harness", make_harness(&origin->harness));
    json_add(root, "complete", cJSON_CreateFalse());
    json_add(root, "cells", cJSON_CreateArray());
    return root;
}

struct result_document *result_new(const struct result_origin *origin)
{
    struct result_document *document = memory_take(1, sizeof *document);
    document->root = result_head(origin);
    document->cells = cJSON_GetObjectItemCaseSensitive(document->root, "cells");
    return document;
}

void result_free(struct result_document *document)
{
    if (!document)
        return;
    for (size_t i = 0; i < document->count; i++)
        free(document->texts[i]);
    free(document->texts);
    cJSON_Delete(document->root);
    free(document);
}

/* ---- Cells. ---------------------------------------------------------------------------------- */

static const cJSON *find_cell(const struct result_document *document, const char *identity,
                              size_t *index)
{
    *index = 0;
    json_each(cell, document->cells, "") {
        if (json_says(cell, "identity", identity))
            return cell;
        ++*index;
    }
    return NULL;
}

/* The text, from malloc, behind the others. */
static void keep_text(struct result_document *document, char *text)
{
    memory_room(&document->texts, document->count, &document->room, sizeof *document->texts);
    document->texts[document->count++] = text;
}

/* Puts a cell and its text, which it takes over, at its place: behind the others, or where the same
 * experiment stands already. */
static void place_cell(struct result_document *document, cJSON *cell, char *text)
{
    size_t index;
    if (find_cell(document, json_get_text(cell, "identity"), &index)) {
        cJSON_ReplaceItemInArray(document->cells, (int)index, cell);
        free(document->texts[index]);
        document->texts[index] = text;
    } else {
        cJSON_AddItemToArray(document->cells, cell);
        keep_text(document, text);
    }
}

cJSON *result_begin(const cJSON *head, const char *kind)
{
    static const char *const keys[] = {"tool", "machine", "command"};
    cJSON *document = cJSON_CreateObject();
    json_add_integer(document, "schema_version", 1);
    json_add_text(document, "kind", kind);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *item = json_get(head, keys[i]);
        json_add(document, keys[i], item ? cJSON_Duplicate(item, true) : cJSON_CreateNull());
    }
    return document;
}

/* The cell is read back from its text, so that readers meet the same whether a document was built
 * or loaded. */
int result_add_cell(struct result_document *document, const struct cell_identity *identity,
                    const struct stream *stream, const struct outcome *outcome,
                    double harness_ns_per_op, struct diag *diag)
{
    cJSON *made = cell_make(identity, stream, outcome, harness_ns_per_op);
    char *text = cJSON_PrintUnformatted(made);
    cJSON_Delete(made);
    cJSON *cell = NULL;
    int status = jsontext_read("result", text, strlen(text), "a cell", &cell, diag);
    if (status == DIAG_OK)
        status = shape_check_cell(cell, document->count, "result", diag);
    if (status == DIAG_OK) {
        place_cell(document, cell, text);
        return DIAG_OK;
    }
    cJSON_Delete(cell);
    cJSON_free(text);
    return status;
}

/* The limit under which the cell gave up, against the one it would have now; 0 is no limit. */
static bool limit_was_lower(const cJSON *cell, const char *key, uint64_t now)
{
    double then = json_get_number(cell, key);
    return !isnan(then) && (now == 0 || then < (double)now);
}

/* Somebody else ended the process: nothing is known of the design. */
static bool was_killed(const cJSON *cell)
{
    static const char killed[] = ISOLATE_KILLED;
    return strncmp(json_get_text(cell, "reason"), killed, sizeof killed - 1) == 0;
}

bool result_has_cell(const struct result_document *document, const struct cell_identity *identity,
                     const struct stream *stream)
{
    char text[CELL_IDENTITY_SIZE];
    size_t index;
    cell_identity_text(text, sizeof text, identity, stream);
    const cJSON *cell = find_cell(document, text, &index);
    if (json_says(cell, "status", outcome_status_name(OUTCOME_TIMEOUT)))
        return !limit_was_lower(cell, "limits.budget_ns", identity->budget_ns);
    if (json_says(cell, "status", outcome_status_name(OUTCOME_OUT_OF_MEMORY)))
        return !limit_was_lower(cell, "limits.memory_bytes", identity->memory_limit_bytes);
    return cell && !was_killed(cell);
}

double result_harness_ns_per_op(const struct result_document *document, const struct stream *stream)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)stream->hash);
    json_each(cell, document->cells, "") {
        double cost_ns = json_get_number(cell, "harness_ns_per_op");
        if (json_says(cell, "stream.hash", hash) && !isnan(cost_ns) &&
            !json_get(cell, "params.between"))
            return cost_ns;
    }
    return -1;
}

void result_attach(struct result_document *document, const char *key, cJSON *item)
{
    if (cJSON_HasObjectItem(document->root, key))
        cJSON_ReplaceItemInObjectCaseSensitive(document->root, key, item);
    else
        cJSON_AddItemToObject(document->root, key, item);
}

void result_leave_out(struct result_document *document, const char *text)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(document->root, "left_out");
    if (!list)
        list = cJSON_AddArrayToObject(document->root, "left_out");
    cJSON_AddItemToArray(list, jsontext_string(text));
}

void result_forget_left_out(struct result_document *document)
{
    cJSON_DeleteItemFromObjectCaseSensitive(document->root, "left_out");
}

void result_set_complete(struct result_document *document, bool complete)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(document->root, "complete");
    item->type = complete ? cJSON_True : cJSON_False;
}

size_t result_count_failed(const struct result_document *document)
{
    size_t failed = (size_t)cJSON_GetArraySize(json_get(document->root, "left_out"));
    json_each(cell, document->cells, "")
        failed += json_says(cell, "status", outcome_status_name(OUTCOME_MISMATCH)) ||
                  json_says(cell, "status", outcome_status_name(OUTCOME_CRASHED));
    return failed;
}

size_t result_count_cells(const struct result_document *document)
{
    return document->count;
}

const cJSON *result_json(const struct result_document *document)
{
    return document->root;
}

/* ---- Writing: one line per key of the head, one line per cell. ------------------------------- */

static void print_document(FILE *out, const void *ctx)
{
    const struct result_document *document = ctx;
    fputs("{\n", out);
    json_each(item, document->root, "") {
        if (item == document->cells)
            continue;
        json_print_member(out, item, 0);
        fputs(",\n", out);
    }
    fputs("\"cells\": [", out);
    for (size_t i = 0; i < document->count; i++)
        fprintf(out, "%s\n%s", i ? "," : "", document->texts[i]);
    fputs("\n]\n}\n", out);
}

int result_write(const struct result_document *document, const char *path, struct diag *diag)
{
    return file_replace(path, print_document, document, diag);
}

int result_refuse_existing(const char *path, struct diag *diag)
{
    return file_refuse_existing(path, "--resume goes on with it, --force overwrites it", diag);
}

/* ---- Loading. -------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *skip_text(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

/* The end of the value that begins at `at`, in a text that cJSON has accepted. */
static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        if (*at == '"') {
            at = skip_text(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (depth > 0 || !strchr(",]} \t\r\n", *at));
    return at;
}

/* The '[' of the document's cells; NULL when the key is not spelt plainly. */
static const char *find_cells(const char *text)
{
    const char *at = skip_blanks(strchr(text, '{') + 1);
    while (*at == '"') {
        const char *key = at;
        at = skip_blanks(skip_text(at));
        at = skip_blanks(at + 1); /* behind the colon */
        if (strncmp(key, "\"cells\"", 7) == 0)
            return at;
        at = skip_blanks(skip_value(at));
        at = skip_blanks(at + (*at == ','));
    }
    return NULL;
}

/* Keeps the cells' own texts, because numbers beyond 2^53 do not survive the tree. */
static int keep_texts(struct result_document *document, const char *text, const char *path,
                      struct diag *diag)
{
    const char *at = find_cells(text);
    size_t count = (size_t)cJSON_GetArraySize(document->cells);
    at = at ? skip_blanks(at + 1) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (!at || *at == ']')
            return diag_usage(diag, "%s: cells: there twice, or not spelt plainly", path);
        const char *end = skip_value(at);
        keep_text(document, strndup(at, (size_t)(end - at)));
        at = skip_blanks(end);
        at = skip_blanks(at + (*at == ','));
    }
    return DIAG_OK;
}

static int check_document(const cJSON *root, const char *path, struct diag *diag)
{
    int status = shape_check_head(root, path, diag);
    size_t index = 0;
    if (status != DIAG_OK && !json_get(root, "harness") && json_get_text(root, "kind")[0])
        return diag_usage(diag, "%s: is of kind '%.40s'; expected a result of run or replay", path,
                          json_get_text(root, "kind"));
    json_each(cell, root, "cells") {
        if (status == DIAG_OK)
            status = shape_check_cell(cell, index, path, diag);
        if (status == DIAG_OK)
            status = agree_check_cell(cell, index++, path, diag);
    }
    return status == DIAG_OK ? agree_check_document(root, path, diag) : status;
}

static int load_text(const char *text, size_t size, const char *path,
                     struct result_document *document, struct diag *diag)
{
    int status = jsontext_read(path, text, size, "a result of twbench", &document->root, diag);
    if (status == DIAG_OK)
        status = check_document(document->root, path, diag);
    if (status != DIAG_OK)
        return status;
    document->cells = cJSON_GetObjectItemCaseSensitive(document->root, "cells");
    cJSON *cell;
    cJSON_ArrayForEach(cell, document->cells) cell_complete(cell);
    return keep_texts(document, text, path, diag);
}

int result_load(const char *path, struct result_document **out, struct diag *diag)
{
    char *text;
    size_t size;
    int status = file_read(path, &text, &size, diag);
    if (status != DIAG_OK)
        return status;
    status = result_parse(text, size, strcmp(path, "-") == 0 ? "standard input" : path, out, diag);
    free(text);
    return status;
}

int result_parse(const char *text, size_t size, const char *name, struct result_document **out,
                 struct diag *diag)
{
    struct result_document *document = memory_take(1, sizeof *document);
    int status = load_text(text, size, name, document, diag);
    if (status == DIAG_OK)
        *out = document;
    else
        result_free(document);
    return status;
}

int result_check_origin(const struct result_document *document, const char *path,
                        const struct result_origin *origin, struct diag *diag)
{
    static const char *const keys[] = {"tool.version",   "tool.commit",     "tool.compiler",
                                       "tool.flags",     "tool.allocator",  "machine.cpu_model",
                                       "machine.kernel", "machine.governor"};
    cJSON *now = result_head(origin);
    int status = DIAG_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && status == DIAG_OK; i++) {
        const char *then = json_get_text(document->root, keys[i]);
        if (strcmp(then, json_get_text(now, keys[i])) != 0)
            status = diag_usage(diag,
                                "%.300s: was measured with another %s: \"%.300s\", now \"%.300s\"; "
                                "cells of both cannot stand in one document",
                                path, keys[i], then, json_get_text(now, keys[i]));
    }
    cJSON_Delete(now);
    return status;
}
