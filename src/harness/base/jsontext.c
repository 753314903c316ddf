/* jsontext.c - scans the grammar of JSON before cJSON reads it. */
#include "harness/base/json.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"

/* cJSON gives up on longer ones. */
#define NUMBER_LENGTH_MAX 63

/* ---- Strings. -------------------------------------------------------------------------------- */

void jsontext_repair(char *text)
{
    while (*text) {
        size_t length = utf8_character(text, NULL);
        if (length == 0)
            *text = '?';
        text += length ? length : 1;
    }
}

cJSON *jsontext_string(const char *text)
{
    cJSON *item = cJSON_CreateString(text);
    if (item)
        jsontext_repair(item->valuestring);
    return item;
}

void jsontext_add(cJSON *object, const char *key, const char *text)
{
    cJSON *item = jsontext_string(text);
    if (!cJSON_AddItemToObject(object, key, item))
        cJSON_Delete(item);
}

/* ---- The grammar. ---------------------------------------------------------------------------- */

struct scan {
    const char *at, *end;
    const char *problem; /* what is wrong at `at`; NULL: it is not JSON */
};

static bool fail(struct scan *scan, const char *problem)
{
    scan->problem = problem;
    return false;
}

static void skip_blanks(struct scan *scan)
{
    while (*scan->at && strchr(" \t\r\n", *scan->at))
        scan->at++;
}

static bool skip_digits(struct scan *scan)
{
    const char *begin = scan->at;
    while (isdigit((unsigned char)*scan->at))
        scan->at++;
    return scan->at > begin;
}

static bool scan_number(struct scan *scan)
{
    char digits[NUMBER_LENGTH_MAX + 1];
    const char *begin = scan->at;
    scan->at += *scan->at == '-';
    if (*scan->at == '0')
        scan->at++;
    else if (!skip_digits(scan))
        return false;
    if (*scan->at == '.') {
        scan->at++;
        if (!skip_digits(scan))
            return false;
    }
    if (*scan->at == 'e' || *scan->at == 'E') {
        scan->at++;
        scan->at += *scan->at == '+' || *scan->at == '-';
        if (!skip_digits(scan))
            return false;
    }
    size_t length = (size_t)(scan->at - begin);
    if (length > NUMBER_LENGTH_MAX)
        return fail(scan, "a number of too many digits");
    memcpy(digits, begin, length);
    digits[length] = '\0';
    return isfinite(strtod(digits, NULL)) || fail(scan, "a number beyond all bounds");
}

static bool scan_hex(struct scan *scan, unsigned *code)
{
    char digits[5] = "";
    for (int i = 0; i < 4; i++)
        if (!isxdigit((unsigned char)scan->at[i]))
            return false;
        else
            digits[i] = scan->at[i];
    *code = (unsigned)strtoul(digits, NULL, 16);
    scan->at += 4;
    return true;
}

/* Behind the backslash. */
static bool scan_escape(struct scan *scan)
{
    unsigned code, low;
    char kind = *scan->at;
    if (!kind || !strchr("\"\\/bfnrtu", kind))
        return false;
    scan->at++;
    if (kind != 'u')
        return true;
    if (!scan_hex(scan, &code))
        return false;
    if (code == 0)
        return fail(scan, "a string with a zero in it");
    if (code >= 0xdc00 && code < 0xe000)
        return fail(scan, "half of a surrogate pair");
    if (code < 0xd800 || code >= 0xe000)
        return true;
    if (scan->at[0] != '\\' || scan->at[1] != 'u')
        return fail(scan, "half of a surrogate pair");
    scan->at += 2;
    return scan_hex(scan, &low) &&
           ((low >= 0xdc00 && low < 0xe000) || fail(scan, "half of a surrogate pair"));
}

static bool scan_string(struct scan *scan)
{
    for (scan->at++; *scan->at != '"';) {
        size_t length = utf8_character(scan->at, NULL);
        if (scan->at == scan->end)
            return false;
        if (length == 0)
            return fail(scan, "bytes that are not UTF-8");
        if ((unsigned char)*scan->at < ' ')
            return fail(scan, "a control character in a string");
        bool is_escape = *scan->at == '\\';
        scan->at += length;
        if (is_escape && !scan_escape(scan))
            return false;
    }
    scan->at++;
    return true;
}

static bool scan_word(struct scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(scan->at, words[i], strlen(words[i])) == 0) {
            scan->at += strlen(words[i]);
            return true;
        }
    return false;
}

static bool scan_value(struct scan *scan, unsigned depth);

/* Behind the bracket that opens it. */
static bool scan_members(struct scan *scan, char close, unsigned depth)
{
    if (depth > JSONTEXT_DEPTH_MAX)
        return fail(scan, "nested too deep");
    scan->at++;
    skip_blanks(scan);
    for (bool first = true; *scan->at != close || !first; first = false) {
        if (close == '}') {
            if (*scan->at != '"' || !scan_string(scan))
                return false;
            skip_blanks(scan);
            if (*scan->at != ':')
                return false;
            scan->at++;
        }
        if (!scan_value(scan, depth))
            return false;
        if (*scan->at == close)
            break;
        if (*scan->at != ',')
            return false;
        scan->at++;
        skip_blanks(scan);
    }
    scan->at++;
    return true;
}

/* With the blanks around it. */
static bool scan_value(struct scan *scan, unsigned depth)
{
    bool is_right;
    skip_blanks(scan);
    if (*scan->at == '{' || *scan->at == '[')
        is_right = scan_members(scan, *scan->at == '{' ? '}' : ']', depth + 1);
    else if (*scan->at == '"')
        is_right = scan_string(scan);
    else
        is_right = *scan->at == '-' || isdigit((unsigned char)*scan->at) ? scan_number(scan)
                                                                         : scan_word(scan);
    skip_blanks(scan);
    return is_right;
}

/* ---- Reading. -------------------------------------------------------------------------------- */

static int refuse(const char *name, const char *text, const struct scan *scan, const char *expected,
                  struct diag *diag)
{
    size_t line = 1, column = 1;
    for (const char *c = text; c < scan->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    const char *problem = scan->problem           ? scan->problem
                          : text == scan->end     ? "the file is empty"
                          : scan->at == scan->end ? "the text ends too early"
                                                  : "not JSON";
    return diag_usage(diag, "%.600s:%zu:%zu: %s; expected %s", name, line, column, problem,
                      expected);
}

/* Whoever reads a key that is there twice would silently see one of its values. */
static int compare_keys(const void *a, const void *b)
{
    const cJSON *const *left = a, *const *right = b;
    return strcmp((*left)->string, (*right)->string);
}

/* A key of the object that is there twice; NULL: none. */
static const cJSON *find_repeated(const cJSON *object)
{
    size_t count = (size_t)cJSON_GetArraySize(object), filled = 0;
    const cJSON **keys = memory_take(count, sizeof *keys), *repeated = NULL;
    json_each(member, object, "")
        keys[filled++] = member;
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 1; i < count && !repeated; i++)
        if (strcmp(keys[i - 1]->string, keys[i]->string) == 0)
            repeated = keys[i];
    free(keys);
    return repeated;
}

/* `way` leads to the item: "cells[3].params"; it is cut off where there is no room. */
static int check_keys(const char *name, const cJSON *item, struct text *way, struct diag *diag)
{
    bool in_array = cJSON_IsArray(item);
    const cJSON *repeated = in_array ? NULL : find_repeated(item);
    size_t length = way->used, index = 0;
    if (repeated) {
        text_add(way, "%s%.80s", length ? "." : "", repeated->string);
        return diag_usage(diag, "%.600s: %s: there twice, expected each key once", name, way->at);
    }
    json_each(member, item, "") {
        if (member->child) {
            if (in_array)
                text_add(way, "[%zu]", index);
            else
                text_add(way, "%s%.80s", length ? "." : "", member->string);
            int status = check_keys(name, member, way, diag);
            if (status != DIAG_OK)
                return status;
            way->used = length;
            way->at[length] = '\0';
        }
        index++;
    }
    return DIAG_OK;
}

int jsontext_read(const char *name, const char *text, size_t size, const char *expected,
                  cJSON **out, struct diag *diag)
{
    struct scan scan = {.at = text, .end = text + size};
    char place[400];
    struct text way = text_in(place, sizeof place);
    if (!scan_value(&scan, 0) || scan.at != scan.end)
        return refuse(name, text, &scan, expected, diag);
    *out = cJSON_Parse(text);
    if (!*out)
        return diag_run(diag, "%.600s: no memory to read it", name);
    int status = check_keys(name, *out, &way, diag);
    if (status != DIAG_OK) {
        cJSON_Delete(*out);
        *out = NULL;
    }
    return status;
}

int json_load(const char *path, const char *expected, cJSON **out, struct diag *diag)
{
    char *text = NULL;
    size_t size;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    int status = file_read(path, &text, &size, diag);
    if (status == DIAG_OK)
        status = jsontext_read(name, text, size, expected, out, diag);
    free(text);
    return status;
}

static void print_line(FILE *out, const void *ctx)
{
    fprintf(out, "%s\n", (const char *)ctx);
}

int json_save(const char *path, const cJSON *item, struct diag *diag)
{
    char *text = cJSON_Print(item);
    int status = file_replace(path, print_line, text, diag);
    cJSON_free(text);
    return status;
}
