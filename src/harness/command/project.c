/* project.c - checks the keys of a project file by the rows of the flags, and turns them into arguments. */
#include "harness/command/project.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/command/command.h"
#include "harness/command/flags.h"

#include <time.h>

/* ---- The keys. ------------------------------------------------------------------------------- */

enum form {
    FORM_TEXT,     /* a string, not empty */
    FORM_VALUE,    /* a number or a string: the value of the flag */
    FORM_LIST,     /* an array of these, not empty: joined by commas */
    FORM_SETTINGS, /* an object of these: NAME=VALUE each */
    FORM_ACCEPT    /* an array of objects: of, to, reason, until */
};

static const struct key {
    const char *name;
    enum form form;
    const char *flag;         /* that the value is one of; NULL: none */
    unsigned uses;            /* of enum project_use */
    const char *const *words; /* all that it may be, ended by NULL; NULL: anything */
} keys[] = {
    {"$schema", FORM_TEXT, NULL, 0, NULL},
    {"plugin", FORM_TEXT, NULL, 0, NULL},
    {"build", FORM_TEXT, NULL, 0, NULL},
    {"conform", FORM_TEXT, NULL, 0, (const char *const[]){"on", "thorough", "off", NULL}},
    {"parameters", FORM_SETTINGS, NULL, PROJECT_MATRIX, NULL},
    {"designs", FORM_LIST, "impl", PROJECT_DESIGNS, NULL},
    {"workloads", FORM_LIST, "workload", PROJECT_MATRIX, NULL},
    {"tasks", FORM_LIST, "tasks", PROJECT_MATRIX, NULL},
    {"limits", FORM_SETTINGS, "limit", PROJECT_LIMITS, NULL},
    {"accept", FORM_ACCEPT, "limit", 0, NULL},
    {"pairs", FORM_VALUE, "pairs", PROJECT_PAIRS, NULL},
    {"max_pairs", FORM_VALUE, "max-pairs", PROJECT_PAIRS, NULL},
    {"fail_on", FORM_TEXT, "fail-on", 0, NULL},
    {"baseline", FORM_TEXT, NULL, 0, NULL},
    {"summary", FORM_TEXT, NULL, 0, NULL},
    {"junit", FORM_TEXT, NULL, 0, NULL},
    {"json", FORM_TEXT, NULL, 0, NULL},
};

#define KEYS (sizeof keys / sizeof keys[0])

static const struct key *key_find(const char *name)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

static int refuse_key(const char *path, const char *name, struct diag *diag)
{
    char known[400], hint[80];
    struct text list = text_in(known, sizeof known);
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < KEYS; i++) {
        text_add_item(&list, ", ", "%s", keys[i].name);
        nearest_offer(&nearest, keys[i].name);
    }
    return diag_usage(diag, "%s: %.80s: unknown key%s expected one of %s", path, name,
                      nearest.word[0] ? nearest_hint(&nearest, hint, sizeof hint) : ";", known);
}

/* ---- Values as text. ------------------------------------------------------------------------- */

/* "512" or "1%" as a flag takes it; false: it is neither a number nor a string. */
static bool add_value(struct text *text, const cJSON *item)
{
    if (cJSON_IsString(item)) {
        text_add(text, "%s", item->valuestring);
        return item->valuestring[0] != '\0';
    }
    if (cJSON_IsNumber(item))
        text_add(text, "%.17g", item->valuedouble);
    return cJSON_IsNumber(item);
}

static bool add_list(struct text *text, const cJSON *list)
{
    json_each(item, list, "") {
        text_add(text, "%s", item == list->child ? "" : ",");
        if (!add_value(text, item))
            return false;
    }
    return cJSON_IsArray(list) && list->child;
}

/* One value of the key: all of it, or the setting `item` of an object. */
static bool value_text(const struct key *key, const cJSON *item, char *out, size_t size)
{
    struct text text = text_in(out, size);
    if (key->form == FORM_TEXT && !cJSON_IsString(item))
        return false;
    if (key->form == FORM_SETTINGS && key->flag)
        text_add(&text, "%s=", item->string);
    bool is_right = key->form == FORM_LIST ? add_list(&text, item) : add_value(&text, item);
    return is_right && text.used + 1 < size;
}

/* ---- Checking. ------------------------------------------------------------------------------- */

#define VALUE_SIZE 2048

/* The value of a key, or of one of its settings, by the row of its flag. */
static int check_value(const char *shown, const struct key *key, const cJSON *item,
                       struct call *scratch, struct diag *diag)
{
    static const char *const expected[] = {"a text", "a number or a text",
                                           "an array of texts or numbers, not empty",
                                           "a number or a text", ""};
    char value[VALUE_SIZE];
    if (!value_text(key, item, value, sizeof value))
        return diag_usage(diag, "%s: expected %s", shown, expected[key->form]);
    if (key->words)
        return lists_choose(shown, value, key->words, &(unsigned){0}, diag);
    if (!key->flag)
        return DIAG_OK;
    struct flag_found found;
    (void)flag_find(scratch->command, scratch->options, key->flag, &found);
    return flag_take(&found, scratch, shown, value, diag);
}

static bool is_date(const char *text)
{
    size_t at = 0;
    for (; text[at] && at < 10; at++)
        if (at == 4 || at == 7 ? text[at] != '-' : !isdigit((unsigned char)text[at]))
            return false;
    return at == 10 && text[at] == '\0';
}

static int check_accept(const char *shown, const struct key *key, const cJSON *item,
                        struct call *scratch, struct diag *diag)
{
    char limit[VALUE_SIZE];
    struct flag_found found;
    if (cJSON_GetArraySize(item) != 4 || !json_get_text(item, "of")[0] ||
        !json_get_text(item, "to")[0] || !json_get_text(item, "reason")[0] ||
        !is_date(json_get_text(item, "until")))
        return diag_usage(diag,
                          "%s: expected {\"of\": \"DESIGN/WORKLOAD:METRIC\", \"to\": \"25%%\", "
                          "\"reason\": \"..\", \"until\": \"YYYY-MM-DD\"}",
                          shown);
    snprintf(limit, sizeof limit, "%.300s=%.100s", json_get_text(item, "of"),
             json_get_text(item, "to"));
    (void)flag_find(scratch->command, scratch->options, key->flag, &found);
    return flag_take(&found, scratch, shown, limit, diag);
}

static int check_key(const char *path, const cJSON *item, struct call *scratch, struct diag *diag)
{
    char shown[400];
    const struct key *key = key_find(item->string);
    int status = DIAG_OK;
    if (!key)
        return refuse_key(path, item->string, diag);
    snprintf(shown, sizeof shown, "%.250s: %s", path, key->name);
    if (key->form == FORM_ACCEPT) {
        if (!cJSON_IsArray(item))
            return diag_usage(diag, "%s: expected an array of objects", shown);
        json_each(entry, item, "")
            if (status == DIAG_OK)
                status = check_accept(shown, key, entry, scratch, diag);
        return status;
    }
    if (key->form != FORM_SETTINGS)
        return check_value(shown, key, item, scratch, diag);
    if (!cJSON_IsObject(item))
        return diag_usage(diag, "%s: expected an object, NAME: VALUE", shown);
    json_each(setting, item, "") {
        snprintf(shown, sizeof shown, "%.250s: %s.%.80s", path, key->name, setting->string);
        if (status == DIAG_OK)
            status = check_value(shown, key, setting, scratch, diag);
    }
    return status;
}

static int check_project(const struct project *project, struct diag *diag)
{
    int status = DIAG_OK;
    /* Values of keys are those of compare's flags. */
    struct call scratch = {.given = NULL};
    if (command_read(&cmd_compare, 0, NULL, 0, &scratch, diag) != DIAG_OK)
        return DIAG_RUN;
    if (!cJSON_IsObject(project->json))
        status = diag_usage(diag, "%s: expected an object with the key 'plugin'", project->path);
    json_each(item, project->json, "")
        if (status == DIAG_OK)
            status = check_key(project->path, item, &scratch, diag);
    if (status == DIAG_OK && !project_text(project, "plugin"))
        status = diag_usage(diag, "%s: plugin: missing; expected the shared object of your timer",
                            project->path);
    command_release(&scratch);
    return status;
}

int project_load(const char *path, struct project *project, struct diag *diag)
{
    *project = (struct project){.path = path};
    int status = json_load(path, "a project file of twbench", &project->json, diag);
    return status == DIAG_OK ? check_project(project, diag) : status;
}

void project_free(struct project *project)
{
    cJSON_Delete(project->json);
    lists_release(&project->memory);
}

const char *project_text(const struct project *project, const char *key)
{
    const char *text = json_get_text(project->json, key);
    return text[0] ? text : NULL;
}

/* ---- Arguments. ------------------------------------------------------------------------------ */

int project_argument(struct project *project, struct project_arguments *arguments,
                     struct diag *diag, const char *format, ...)
{
    char word[VALUE_SIZE + 200];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(word, sizeof word, format, values);
    va_end(values);
    if (arguments->count == PROJECT_ARGUMENTS_MAX || length < 0 || (size_t)length >= sizeof word)
        return diag_usage(diag, "%s: more or longer values than %d flags hold", project->path,
                          PROJECT_ARGUMENTS_MAX);
    arguments->words[arguments->count++] = lists_keep(&project->memory, word);
    return DIAG_OK;
}

int project_arguments(struct project *project, unsigned uses, struct project_arguments *arguments,
                      struct diag *diag)
{
    int status = DIAG_OK;
    json_each(item, project->json, "") {
        const struct key *key = key_find(item->string);
        bool has_settings = key->form == FORM_SETTINGS;
        const cJSON *value = has_settings ? item->child : item;
        for (; (key->uses & uses) && value && status == DIAG_OK;
             value = has_settings ? value->next : NULL) {
            char text[VALUE_SIZE];
            value_text(key, value, text, sizeof text);
            status = project_argument(project, arguments, diag, "--%s=%s",
                                      key->flag ? key->flag : value->string, text);
        }
    }
    return status;
}

int project_accepted(struct project *project, struct project_arguments *arguments, cJSON **accepted,
                     struct diag *diag)
{
    char today[16];
    time_t now = time(NULL);
    struct tm date;
    int status = DIAG_OK;
    strftime(today, sizeof today, "%Y-%m-%d", gmtime_r(&now, &date));
    *accepted = cJSON_CreateArray();
    json_each(entry, project->json, "accept") {
        const char *of = json_get_text(entry, "of"), *until = json_get_text(entry, "until");
        if (strcmp(until, today) < 0) {
            fprintf(stderr, "twbench: %s: accept: %s was accepted until %s, and fails again: %s\n",
                    project->path, of, until, json_get_text(entry, "reason"));
            continue;
        }
        if (status == DIAG_OK)
            status = project_argument(project, arguments, diag, "--limit=%.300s=%.100s", of,
                                      json_get_text(entry, "to"));
        cJSON_AddItemToArray(*accepted, cJSON_Duplicate(entry, true));
    }
    return status;
}
