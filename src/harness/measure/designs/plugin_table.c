/* plugin_table.c - checks each field of a plugin's table, and says what is wrong with it. */
#include "harness/measure/designs/plugin_table.h"

#include "harness/base/text.h"

/* A name goes into command lines, file names, CSV and JSON. */
bool table_name_is_good(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    static const char others[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    size_t length = strnlen(name, TABLE_NAME_SIZE);
    return length > 0 && length < TABLE_NAME_SIZE && strchr(letters, name[0]) &&
           strspn(name, others) == length;
}

bool table_own_name_is_good(const char *name)
{
    return table_name_is_good(name) && strcmp(name, "all") != 0;
}

static bool text_is_good(const char *text)
{
    return text && utf8_is_printable(text, TABLE_TEXT_SIZE);
}

static int check_functions(const char *path, const struct tw_backend *table, struct diag *diag)
{
    const struct {
        const char *name;
        bool is_there;
    } functions[] = {
        {"open", table->open != NULL},           {"close", table->close != NULL},
        {"start", table->start != NULL},         {"stop", table->stop != NULL},
        {"advance", table->advance != NULL},     {"next", table->next != NULL},
        {"visit", table->visit != NULL},         {"check", table->check != NULL},
        {"footprint", table->footprint != NULL}, {"describe", table->describe != NULL},
        {"work", table->work != NULL},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!functions[i].is_there)
            return diag_usage(diag, "%s: '%s' has no function %s; backend.h says what it has to do",
                              path, table->name, functions[i].name);
    return DIAG_OK;
}

static int check_params(const char *path, const struct tw_backend *table, struct diag *diag)
{
    if (!table->params)
        return diag_usage(diag,
                          "%s: '%s' has no table of parameters; one without any has a NULL "
                          "name in its first row",
                          path, table->name);
    size_t count = 0;
    for (const struct tw_param *param = table->params; param->name; param++) {
        if (++count > TABLE_PARAMS_MAX)
            return diag_usage(diag,
                              "%s: '%s' has more than %d parameters, or no NULL name after "
                              "the last",
                              path, table->name, TABLE_PARAMS_MAX);
        if (!table_name_is_good(param->name))
            return diag_usage(diag,
                              "%s: parameter %zu of '%s' has a name that is not of a-z, 0-9, "
                              "'-', '_' and '.'",
                              path, count, table->name);
        if (!text_is_good(param->help) || param->min > param->max || param->values_max == 0 ||
            param->values_max > TW_VALUES_MAX)
            return diag_usage(
                diag,
                "%s: parameter '%s' of '%s' needs a help text (one line of UTF-8, below %d bytes), "
                "min <= max, and "
                "1 .. %d values",
                path, param->name, table->name, TABLE_TEXT_SIZE, TW_VALUES_MAX);
        for (const struct tw_param *other = table->params; other != param; other++)
            if (strcmp(other->name, param->name) == 0)
                return diag_usage(diag, "%s: '%s' has two parameters '%s'", path, table->name,
                                  param->name);
    }
    return DIAG_OK;
}

static int check_traits(const char *path, const struct tw_backend *table, struct diag *diag)
{
    const unsigned known =
        TW_ORDERED | TW_FIFO | TW_TICKLESS | TW_NEXT_EXACT | TW_ALLOCATES | TW_REAL_CLOCK;
    const struct tw_traits *traits = &table->traits;
    if (traits->flags & TW_KEEPS_NOTHING)
        return diag_usage(diag, "%s: '%s' declares TW_KEEPS_NOTHING, which is for 'null' alone",
                          path, table->name);
    if (traits->flags & ~known)
        return diag_usage(diag, "%s: '%s' declares flags that the contract does not have: 0x%x",
                          path, table->name, traits->flags & ~known);
    if (traits->late_shift >= 64)
        return diag_usage(diag, "%s: '%s' declares a late_shift of %u; expected 0 .. 63", path,
                          table->name, traits->late_shift);
    const struct tw_cost *costs[] = {&traits->start, &traits->stop, &traits->expire, &traits->tick};
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++)
        if ((unsigned)costs[i]->average > TW_O_N2 || (unsigned)costs[i]->worst > TW_O_N2)
            return diag_usage(diag, "%s: '%s' declares a growth that the contract does not have",
                              path, table->name);
    return DIAG_OK;
}

/* Everything but the functions. */
static int check_words(const char *path, const struct tw_backend *table, struct diag *diag)
{
    if (!table->name || !table_own_name_is_good(table->name))
        return diag_usage(diag, "%s: the design's " TABLE_OWN_NAME_RULE, path);
    if (!text_is_good(table->summary))
        return diag_usage(diag,
                          "%s: '%s' has no summary of one line of UTF-8, below %d bytes, for "
                          "'twbench list'",
                          path, table->name, TABLE_TEXT_SIZE);
    int status = check_params(path, table, diag);
    return status == DIAG_OK ? check_traits(path, table, diag) : status;
}

static int check_table(const char *path, const struct tw_backend *table, struct diag *diag)
{
    if (!table)
        return diag_usage(diag,
                          "%s: tw_plugin has a NULL table; TW_PLUGIN takes the timed and the "
                          "counted one, or the same twice",
                          path);
    if (table->abi_version != TW_ABI_VERSION)
        return diag_usage(diag, "%s: a table is for version %u of the contract; expected %u", path,
                          table->abi_version, TW_ABI_VERSION);
    int status = check_words(path, table, diag);
    return status == DIAG_OK ? check_functions(path, table, diag) : status;
}

/* The two are one source, compiled twice. */
static int check_alike(const char *path, const struct tw_design *design, struct diag *diag)
{
    struct table_copy timed, counted;
    table_copy(design->timed, &timed);
    table_copy(design->counted, &counted);
    if (strcmp(timed.name, counted.name) != 0)
        return diag_usage(diag, "%s: its two tables have different names: '%s' and '%s'", path,
                          timed.name, counted.name);
    if (memcmp(&timed, &counted, sizeof timed) != 0)
        return diag_usage(diag,
                          "%s: the two tables of '%s' differ in summary, traits or parameters; "
                          "compile them from one source",
                          path, timed.name);
    return DIAG_OK;
}

int table_check(const char *path, const struct tw_design *design, struct diag *diag)
{
    if (!design)
        return diag_usage(diag,
                          "%s: not a plugin: it lacks the symbol tw_plugin (TW_PLUGIN in "
                          "backend.h)",
                          path);
    if (design->abi_version != TW_ABI_VERSION)
        return diag_usage(diag,
                          "%s: was built for version %u of the contract; expected %u: build "
                          "it again with this version's backend.h",
                          path, design->abi_version, TW_ABI_VERSION);
    int status = check_table(path, design->timed, diag);
    if (status == DIAG_OK)
        status = check_table(path, design->counted, diag);
    return status == DIAG_OK ? check_alike(path, design, diag) : status;
}

void table_copy(const struct tw_backend *table, struct table_copy *copy)
{
    memset(copy, 0, sizeof *copy);
    snprintf(copy->name, sizeof copy->name, "%s", table->name);
    snprintf(copy->summary, sizeof copy->summary, "%s", table->summary);
    copy->traits = table->traits;
    for (const struct tw_param *param = table->params; param->name; param++) {
        size_t at = copy->param_count++;
        snprintf(copy->params[at].name, sizeof copy->params[at].name, "%s", param->name);
        snprintf(copy->params[at].help, sizeof copy->params[at].help, "%s", param->help);
        copy->params[at].min = param->min;
        copy->params[at].max = param->max;
        copy->params[at].values_max = param->values_max;
    }
}

int table_restore(const char *path, const struct table_copy *copy, struct tw_param *params,
                  struct tw_backend *table, struct diag *diag)
{
    if (copy->param_count > TABLE_PARAMS_MAX)
        return diag_usage(diag, "%s: the process that loaded it has answered nonsense", path);
    for (size_t i = 0; i < copy->param_count; i++)
        params[i] = (struct tw_param){
            .name = copy->params[i].name,
            .help = copy->params[i].help,
            .min = copy->params[i].min,
            .max = copy->params[i].max,
            .values_max = copy->params[i].values_max,
        };
    params[copy->param_count] = (struct tw_param){.name = NULL};
    *table = (struct tw_backend){
        .abi_version = TW_ABI_VERSION,
        .name = copy->name,
        .summary = copy->summary,
        .traits = copy->traits,
        .params = params,
    };
    return check_words(path, table, diag);
}
