/* spec.c - parses the text of a workload file into a checked struct spec.
 *
 * Every key of a phase is one row of a table: where it may stand, how it is written, its limits and
 * where the value goes.  What depends on two keys is checked afterwards, in phase_check.
 */
#include "harness/measure/workload/spec.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/base/units.h"

enum { FILE_SIZE_MAX = 1 << 20, KEYS_MAX = 64, GROUP_PHASES_MAX = 32, REPEAT_MAX = 1000000 };

struct binder {
    const char *path;
    const struct workload_request *request;
    struct spec *spec;
    struct diag *diag;
};

/* "workloads/x.json: phases[2].delay" */
struct place {
    char text[360];
};

static struct place place_member(const struct place *outer, const char *key)
{
    struct place place;
    /* At the top of the file the place is only its path. */
    const char *gap = strstr(outer->text, ": ") ? "." : ": ";
    snprintf(place.text, sizeof place.text, "%.270s%s%.80s", outer->text, gap, key);
    return place;
}

static struct place place_element(const struct place *outer, size_t index)
{
    struct place place;
    snprintf(place.text, sizeof place.text, "%.330s[%zu]", outer->text, index);
    return place;
}

/* ---- The keys -------------------------------------------------------------------------------- */

enum type { TYPE_NAME, TYPE_REAL, TYPE_COUNT, TYPE_TICKS, TYPE_DIST, TYPE_WORD };

struct field {
    const char *key;
    unsigned kinds; /* bits of enum spec_kind */
    enum type type;
    size_t offset;
    double min, max;          /* of TYPE_REAL and TYPE_COUNT */
    const char *const *words; /* of TYPE_WORD, NULL at the end; the value is the index */
};

static const char *const kind_words[] = {"start", "stop", "run", NULL};
static const char *const order_words[] = {"ids", "random", "soonest", "latest", NULL};
static const char *const age_words[] = {"new", "stationary", "refreshed", "phased", NULL};
static const char *const ended_words[] = {"idle",       "restart",     "replace",
                                          "fixed-rate", "fixed-delay", NULL};
/* until_empty is 1 for the only word there is. */
static const char *const until_words[] = {"", "empty", NULL};

enum {
    AT_START = 1u << SPEC_START,
    AT_STOP = 1u << SPEC_STOP,
    AT_RUN = 1u << SPEC_RUN,
    AT_GROUP = 1u << SPEC_GROUP,
    AT_ALL = AT_START | AT_STOP | AT_RUN | AT_GROUP
};

#define AT(member) offsetof(struct spec_phase, member)

/* "do" and "phases" are read by phase_bind itself, and are here for the list of known keys. */
static const struct field fields[] = {
    {"name", AT_ALL, TYPE_NAME, AT(name), 0, 0, NULL},
    {"do", AT_START | AT_STOP | AT_RUN, TYPE_WORD, AT(kind), 0, 0, kind_words},
    {"delay", AT_START | AT_RUN, TYPE_DIST, AT(delay), 0, 0, NULL},
    {"share", AT_START | AT_STOP, TYPE_REAL, AT(share), 0, 1, NULL},
    {"order", AT_START | AT_STOP, TYPE_WORD, AT(order), 0, 0, order_words},
    {"age", AT_START, TYPE_WORD, AT(age), 0, 0, age_words},
    {"stop_share", AT_START | AT_RUN, TYPE_REAL, AT(stop_share), 0, 1, NULL},
    {"stop_after", AT_START | AT_RUN, TYPE_DIST, AT(stop_after), 0, 0, NULL},
    {"ticks", AT_RUN, TYPE_TICKS, AT(ticks), 0, 0, NULL},
    {"turns", AT_RUN, TYPE_REAL, AT(turns), 1e-6, 1e6, NULL},
    {"until", AT_RUN, TYPE_WORD, AT(until_empty), 0, 0, until_words},
    {"step", AT_RUN, TYPE_TICKS, AT(step), 0, 0, NULL},
    {"ended", AT_RUN, TYPE_WORD, AT(ended), 0, 0, ended_words},
    {"run_time", AT_RUN, TYPE_DIST, AT(run_time), 0, 0, NULL},
    {"slow_every", AT_RUN, TYPE_TICKS, AT(slow_every), 0, 0, NULL},
    {"slow_run", AT_RUN, TYPE_TICKS, AT(slow_run), 0, 0, NULL},
    {"refresh", AT_START | AT_RUN, TYPE_REAL, AT(refresh), 0, 1, NULL},
    {"refresh_min", AT_START | AT_RUN, TYPE_COUNT, AT(refresh_min), 0, 1e6, NULL},
    {"arrive", AT_RUN, TYPE_REAL, AT(arrive), 0, 1, NULL},
    {"depart", AT_RUN, TYPE_REAL, AT(depart), 0, 1, NULL},
    {"repeat", AT_GROUP, TYPE_COUNT, AT(repeat), 1, REPEAT_MAX, NULL},
    {"phases", AT_GROUP, TYPE_NAME, 0, 0, 0, NULL},
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static const struct field *field_find(const char *key, unsigned kind)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (fields[i].kinds & 1u << kind && strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

static int unknown_key(const struct binder *binder, const struct place *place, const char *key,
                       unsigned kind)
{
    char known[400];
    struct text list = text_in(known, sizeof known);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (fields[i].kinds & 1u << kind)
            text_add_item(&list, ", ", "%s", fields[i].key);
    struct place member = place_member(place, key);
    return diag_usage(binder->diag, "%s: unknown key, expected one of %s", member.text, known);
}

/* ---- One value ------------------------------------------------------------------------------- */

static int name_bind(const struct binder *binder, const struct place *place, const char *text,
                     char *out)
{
    size_t length =
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    if (length == 0 || text[length] || length >= STREAM_NAME_SIZE)
        return diag_usage(binder->diag,
                          "%s: '%.80s', expected a name of up to %d of letters, 0-9, '-' and '_'",
                          place->text, text, STREAM_NAME_SIZE - 1);
    memcpy(out, text, length + 1);
    return DIAG_OK;
}

static int ticks_bind(const struct binder *binder, const struct place *place, const char *text,
                      uint64_t *out)
{
    int status = units_parse_ticks(text, binder->spec->tick_ns, place->text, out, binder->diag);
    if (status != DIAG_OK || (*out >= 1 && *out <= DIST_DELAY_MAX))
        return status;
    return diag_usage(binder->diag, "%s: %.60s, expected 1 .. 2^53 ticks", place->text, text);
}

static int dist_bind(const struct binder *binder, const struct place *place, const char *text,
                     struct dist **out)
{
    struct dist_context context = {
        .tick_ns = binder->spec->tick_ns,
        .directory = binder->request->directory,
        .unit_ns = binder->spec->unit_ns,
    };
    return dist_parse(text, place->text, &context, out, binder->diag);
}

static int field_bind(const struct binder *binder, const struct place *outer, const cJSON *item,
                      const struct field *field, struct spec_phase *phase)
{
    struct place place = place_member(outer, item->string);
    void *to = (char *)phase + field->offset;
    char text[PARAMETER_TEXT_MAX + 1];
    if (!parameter_text(item, text, sizeof text))
        return diag_usage(binder->diag, "%s: expected a number or a string", place.text);
    switch (field->type) {
    case TYPE_NAME:
        return name_bind(binder, &place, text, to);
    case TYPE_REAL:
        return units_parse_real_in(text, place.text, field->min, field->max, to, binder->diag);
    case TYPE_COUNT:
        return units_parse_count_in(text, place.text, units_whole(field->min),
                                    units_whole(field->max), to, binder->diag);
    case TYPE_TICKS:
        return ticks_bind(binder, &place, text, to);
    case TYPE_DIST:
        return dist_bind(binder, &place, text, to);
    case TYPE_WORD:
        break;
    }
    return lists_choose(place.text, text, field->words, to, binder->diag);
}

/* ---- What depends on two keys ---------------------------------------------------------------- */

static int phase_fail(const struct binder *binder, const struct place *place, const char *key,
                      const char *expected)
{
    struct place member = place_member(place, key);
    return diag_usage(binder->diag, "%s: expected %s", member.text, expected);
}

static bool is_positive(double value)
{
    return value > 0;
}

static int run_length_check(const struct binder *binder, const struct place *place,
                            struct spec_phase *phase)
{
    bool has_turns = is_positive(phase->turns);
    bool grows = phase->ended != SPEC_IDLE || is_positive(phase->refresh) || phase->refresh_min ||
                 is_positive(phase->arrive);
    if ((phase->ticks > 0) + has_turns + (phase->until_empty > 0) != 1)
        return phase_fail(binder, place, "ticks", "exactly one of ticks, turns and until in a run");
    if (phase->until_empty && grows)
        return phase_fail(binder, place, "until",
                          "ticks or turns, because what starts timers never gets empty");
    if ((has_turns || grows) && !phase->delay)
        return phase_fail(binder, place, "delay",
                          "a distribution for turns and for the timers that are started");
    if (!has_turns)
        return DIAG_OK;
    double ticks = ceil(phase->turns * dist_mean(phase->delay));
    if (ticks > (double)DIST_DELAY_MAX)
        return phase_fail(binder, place, "turns", "a length up to 2^53 ticks");
    phase->ticks = (uint64_t)ticks;
    return DIAG_OK;
}

static int ended_check(const struct binder *binder, const struct place *place,
                       const struct spec_phase *phase)
{
    uint32_t table[STREAM_RESTART_SIZE];
    bool is_periodic = spec_is_periodic(phase);
    if ((phase->ended == SPEC_RESTART || is_periodic) && !dist_restart_table(phase->delay, table))
        return phase_fail(binder, place, "delay", "delays below 2^32 ticks for a restart");
    if (phase->run_time && !is_periodic)
        return phase_fail(binder, place, "run_time",
                          "a run time only where timers end fixed-rate or fixed-delay");
    if (phase->run_time && !dist_restart_table(phase->run_time, table))
        return phase_fail(binder, place, "run_time", "run times below 2^32 ticks");
    if ((phase->slow_every > 0) != (phase->slow_run > 0) || (phase->slow_every && !is_periodic))
        return phase_fail(binder, place, "slow_every",
                          "slow_run with it, and timers that end fixed-rate or fixed-delay");
    return DIAG_OK;
}

static int phase_check(const struct binder *binder, const struct place *place,
                       struct spec_phase *phase)
{
    uint32_t table[STREAM_RESTART_SIZE];
    if (phase->kind == SPEC_RUN) {
        int status = run_length_check(binder, place, phase);
        if (status == DIAG_OK)
            status = ended_check(binder, place, phase);
        if (status != DIAG_OK)
            return status;
    }
    if (phase->kind != SPEC_START)
        return DIAG_OK;
    if (!phase->delay)
        return phase_fail(binder, place, "delay", "a distribution for the timers started");
    bool has_rate = is_positive(phase->refresh) || phase->refresh_min;
    if ((phase->age == SPEC_REFRESHED) != has_rate)
        return phase_fail(binder, place, "refresh",
                          "a rate (or refresh_min) with, and only with, age \"refreshed\"");
    if (phase->age != SPEC_PHASED)
        return DIAG_OK;
    if (phase->order >= SPEC_SOONEST)
        return phase_fail(binder, place, "order", "ids or random with age \"phased\"");
    if (!dist_restart_table(phase->delay, table))
        return phase_fail(binder, place, "delay", "periods below 2^32 ticks");
    return DIAG_OK;
}

/* ---- Phases ---------------------------------------------------------------------------------- */

static int phases_bind(const struct binder *binder, const struct place *place, const cJSON *array,
                       bool in_group, struct spec_phase **out, size_t *count);

static int object_check(const struct binder *binder, const struct place *place, const cJSON *object)
{
    if (!cJSON_IsObject(object))
        return diag_usage(binder->diag, "%s: expected an object", place->text);
    if (cJSON_GetArraySize(object) > KEYS_MAX)
        return diag_usage(binder->diag, "%s: expected at most %d keys", place->text, KEYS_MAX);
    return DIAG_OK;
}

/* What a key that is not given means. */
static struct spec_phase phase_defaults(unsigned kind)
{
    return (struct spec_phase){
        .kind = kind,
        .share = 1,
        .order = kind == SPEC_STOP ? SPEC_RANDOM : SPEC_IDS,
        .step = 1,
        .repeat = 1,
    };
}

static int kind_bind(const struct binder *binder, const struct place *place, const cJSON *object,
                     unsigned *kind)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "do");
    struct place member = place_member(place, "do");
    if (item && cJSON_IsString(item))
        return lists_choose(member.text, item->valuestring, kind_words, kind, binder->diag);
    if (item || !cJSON_HasObjectItem(object, "phases"))
        return phase_fail(binder, place, "do",
                          "\"start\", \"stop\" or \"run\" (or \"repeat\" and \"phases\" instead)");
    *kind = SPEC_GROUP;
    return DIAG_OK;
}

static int group_bind(const struct binder *binder, const struct place *place, const cJSON *item,
                      bool in_group, struct spec_phase *phase)
{
    struct place member = place_member(place, "phases");
    if (in_group)
        return diag_usage(binder->diag, "%s: expected no group inside a group", member.text);
    int status = phases_bind(binder, &member, item, true, &phase->phases, &phase->phase_count);
    for (size_t i = 0; status == DIAG_OK && i < phase->phase_count; i++) {
        struct place element = place_element(&member, i);
        if (phase->phases[i].ended == SPEC_RESTART || spec_is_periodic(&phase->phases[i]))
            status = phase_fail(binder, &element, "ended",
                                "idle or replace, because restart needs a phase of its own");
    }
    return status;
}

static int phase_bind(const struct binder *binder, const struct place *place, const cJSON *object,
                      bool in_group, struct spec_phase *phase)
{
    unsigned kind;
    int status = object_check(binder, place, object);
    if (status == DIAG_OK)
        status = kind_bind(binder, place, object, &kind);
    if (status != DIAG_OK)
        return status;
    *phase = phase_defaults(kind);
    json_each(item, object, "") {
        const struct field *field = field_find(item->string, kind);
        if (!field)
            status = unknown_key(binder, place, item->string, kind);
        else if (strcmp(field->key, "phases") == 0)
            status = group_bind(binder, place, item, in_group, phase);
        else
            status = field_bind(binder, place, item, field, phase);
        if (status != DIAG_OK)
            return status;
    }
    if (!in_group && !*phase->name)
        return phase_fail(binder, place, "name", "a name for the phase");
    return phase_check(binder, place, phase);
}

static int names_check(const struct binder *binder, const struct place *place,
                       const struct spec_phase *phases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (*phases[i].name && strcmp(phases[i].name, phases[j].name) == 0) {
                struct place element = place_element(place, i);
                return phase_fail(binder, &element, "name", "a name that no other phase has");
            }
    return DIAG_OK;
}

static int phases_bind(const struct binder *binder, const struct place *place, const cJSON *array,
                       bool in_group, struct spec_phase **out, size_t *count)
{
    size_t most = in_group ? GROUP_PHASES_MAX : STREAM_PHASES_MAX;
    int size = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
    if (size < 1 || (size_t)size > most)
        return diag_usage(binder->diag, "%s: expected an array of 1 .. %zu phases", place->text,
                          most);
    *out = memory_take((size_t)size, sizeof **out);
    int status = DIAG_OK;
    json_each(item, array, "") {
        struct place element = place_element(place, *count);
        status = phase_bind(binder, &element, item, in_group, &(*out)[(*count)++]);
        if (status != DIAG_OK)
            return status;
    }
    return names_check(binder, place, *out, *count);
}

static void phases_free(struct spec_phase *phases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        dist_free(phases[i].delay);
        dist_free(phases[i].stop_after);
        dist_free(phases[i].run_time);
        phases_free(phases[i].phases, phases[i].phase_count);
    }
    free(phases);
}

/* ---- The file -------------------------------------------------------------------------------- */

static const char *const root_keys[] = {"name",         "summary",    "tick",  "tasks",
                                        WORKLOAD_SLACK, "parameters", "phases"};

static int root_check(const struct binder *binder, const struct place *top, const cJSON *root)
{
    int status = object_check(binder, top, root);
    if (status != DIAG_OK)
        return status;
    json_each(item, root, "") {
        size_t i = 0;
        while (i < sizeof root_keys / sizeof *root_keys && strcmp(item->string, root_keys[i]) != 0)
            i++;
        struct place member = place_member(top, item->string);
        if (i == sizeof root_keys / sizeof *root_keys)
            return diag_usage(binder->diag,
                              "%s: unknown key, expected one of name, summary, tick, tasks, "
                              "slack, parameters, phases",
                              member.text);
        if (strcmp(item->string, "parameters") == 0)
            status = object_check(binder, &member, item);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

/* A member of the top that has to be there, as text. */
static int root_text(const struct binder *binder, const struct place *top, const cJSON *root,
                     const char *key, const char *expected, char *text, size_t size)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
    if (item && parameter_text(item, text, size) && *text)
        return DIAG_OK;
    return phase_fail(binder, top, key, expected);
}

static int tick_bind(const struct binder *binder, const struct place *top, cJSON *root)
{
    char text[PARAMETER_TEXT_MAX + 1];
    uint64_t tick_ns = 0;
    struct place member = place_member(top, "tick");
    int status = root_text(binder, top, root, "tick", "a time such as \"1ms\"", text, sizeof text);
    if (status == DIAG_OK)
        status = units_parse_time(text, member.text, &tick_ns, binder->diag);
    if (status != DIAG_OK)
        return status;
    if (tick_ns == 0 || tick_ns > UINT64_C(86400000000000))
        return diag_usage(binder->diag, "%s: '%.60s', expected 1ns .. 1d", member.text, text);
    uint64_t own_ns = tick_ns;
    if (binder->request->tick_ns)
        tick_ns = binder->request->tick_ns;
    binder->spec->tick_ns = tick_ns;
    binder->spec->unit_ns = tick_ns % own_ns == 0 ? own_ns : tick_ns;
    snprintf(text, sizeof text, "%lluns", (unsigned long long)tick_ns);
    cJSON_ReplaceItemInObjectCaseSensitive(root, "tick", jsontext_string(text));
    return DIAG_OK;
}

static int tasks_bind(const struct binder *binder, const struct place *top, cJSON *root)
{
    char text[PARAMETER_TEXT_MAX + 1];
    uint64_t tasks = 0;
    struct place member = place_member(top, "tasks");
    int status = root_text(binder, top, root, "tasks",
                           "the default number of tasks, such as 100000", text, sizeof text);
    if (status == DIAG_OK)
        status = units_parse_count(text, member.text, &tasks, binder->diag);
    if (status != DIAG_OK)
        return status;
    if (tasks < 1 || tasks > TW_CAPACITY_MAX)
        return diag_usage(binder->diag, "%s: %.60s, expected 1 .. 1e9 tasks", member.text, text);
    if (binder->request->tasks > TW_CAPACITY_MAX)
        return diag_usage(binder->diag, "%s: %llu tasks, expected at most 1e9", binder->spec->name,
                          (unsigned long long)binder->request->tasks);
    binder->spec->tasks = binder->request->tasks ? binder->request->tasks : tasks;
    cJSON_ReplaceItemInObjectCaseSensitive(root, "tasks",
                                           cJSON_CreateNumber((double)binder->spec->tasks));
    return DIAG_OK;
}

int workload_parse_slack(const char *text, uint64_t tick_ns, const char *what,
                         struct stream_slack *out, struct diag *diag)
{
    static const char expected[] =
        "ticks, a time, 1/N of the delay for N = 2, 4 .. 2^63, or 1/N+TIME";
    uint64_t parts = 0, ticks = 0, ns;
    const char *rest = text;
    struct diag ignored;
    *out = (struct stream_slack){0};
    if (strncmp(text, "1/", 2) == 0) {
        char *end;
        parts = strtoull(text + 2, &end, 10);
        rest = *end == '+' ? end + 1 : *end ? NULL : end;
        if (!rest || parts < 2 || (parts & (parts - 1)))
            return diag_usage(diag, "%s: '%.60s' given; expected %s", what, text, expected);
        out->shift = (uint32_t)__builtin_ctzll(parts);
    }
    if (parts > 0 && *rest == '\0')
        return DIAG_OK;
    if (units_parse_time(rest, what, &ns, &ignored) == DIAG_OK)
        ticks = ns / tick_ns;
    else if (units_parse_count(rest, what, &ticks, &ignored) != DIAG_OK)
        return diag_usage(diag, "%s: '%.60s' given; expected %s", what, text, expected);
    if (ticks > UINT32_MAX)
        return diag_usage(diag, "%s: '%.60s' given; expected less than 2^32 ticks", what, text);
    out->ticks = (uint32_t)ticks;
    return DIAG_OK;
}

static int slack_bind(const struct binder *binder, const struct place *top, const cJSON *root)
{
    char text[PARAMETER_TEXT_MAX + 1];
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, WORKLOAD_SLACK);
    struct place member = place_member(top, WORKLOAD_SLACK);
    if (!item)
        return DIAG_OK;
    if (!parameter_text(item, text, sizeof text))
        return diag_usage(binder->diag, "%s: expected a number or a string", member.text);
    return workload_parse_slack(text, binder->spec->tick_ns, member.text, &binder->spec->slack,
                                binder->diag);
}

/* "delay=uniform(1, 1h) turns=3", before anything is put in. */
static char *parameters_text(const cJSON *root)
{
    size_t size = 1;
    json_each(item, cJSON_GetObjectItemCaseSensitive(root, "parameters"), "")
        size += strlen(item->string) + PARAMETER_TEXT_MAX + 2;
    char *out = memory_take(size, 1), value[PARAMETER_TEXT_MAX + 1];
    struct text text = text_in(out, size);
    json_each(item, cJSON_GetObjectItemCaseSensitive(root, "parameters"), "")
        if (parameter_text(item, value, sizeof value))
            text_add_item(&text, " ", "%s=%s", item->string, value);
    return out;
}

static int head_bind(const struct binder *binder, const struct place *top, cJSON *root)
{
    char text[PARAMETER_TEXT_MAX + 1];
    struct spec *spec = binder->spec;
    struct place member = place_member(top, "name");
    int status =
        root_text(binder, top, root, "name", "the name of the workload", text, sizeof text);
    if (status == DIAG_OK)
        status = name_bind(binder, &member, text, spec->name);
    if (status == DIAG_OK)
        status = root_text(binder, top, root, "summary", "one sentence on what it models", text,
                           sizeof text);
    if (status != DIAG_OK)
        return status;
    spec->summary = memory_text(text);
    status = tick_bind(binder, top, root);
    return status == DIAG_OK ? tasks_bind(binder, top, root) : status;
}

static int root_bind(const struct binder *binder, cJSON *root)
{
    const struct workload_request *request = binder->request;
    struct spec *spec = binder->spec;
    struct place top;
    snprintf(top.text, sizeof top.text, "%.250s", binder->path);
    int status = root_check(binder, &top, root);
    if (status != DIAG_OK)
        return status;
    spec->parameters = parameters_text(root);
    status = parameters_override(root, request->settings, request->setting_count, binder->path,
                                 binder->diag);
    if (status == DIAG_OK)
        status = parameters_resolve(root, binder->path, binder->diag);
    if (status == DIAG_OK)
        status = head_bind(binder, &top, root);
    if (status == DIAG_OK)
        status = slack_bind(binder, &top, root);
    if (status != DIAG_OK)
        return status;
    struct place member = place_member(&top, "phases");
    status = phases_bind(binder, &member, cJSON_GetObjectItemCaseSensitive(root, "phases"), false,
                         &spec->phases, &spec->phase_count);
    if (status != DIAG_OK)
        return status;
    spec->json = cJSON_PrintUnformatted(root);
    return DIAG_OK;
}

int spec_parse(const char *text, size_t size, const char *path,
               const struct workload_request *request, struct spec **out, struct diag *diag)
{
    struct spec *spec = memory_take(1, sizeof *spec);
    struct binder binder = {path, request, spec, diag};
    cJSON *root = NULL;
    int status = jsontext_read(path, text, size, "a workload", &root, diag);
    if (status == DIAG_OK)
        status = root_bind(&binder, root);
    cJSON_Delete(root);
    if (status == DIAG_OK)
        *out = spec;
    else
        spec_free(spec);
    return status;
}

int spec_load(const char *path, const struct workload_request *request, struct spec **out,
              struct diag *diag)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return diag_usage(diag, "%s: cannot be opened: %s", path, strerror(errno));
    char *text = memory_take(FILE_SIZE_MAX + 1, 1);
    int status = DIAG_OK;
    size_t size = fread(text, 1, FILE_SIZE_MAX + 1, file);
    if (ferror(file))
        status = diag_usage(diag, "%s: cannot be read: %s; expected a file", path, strerror(errno));
    else if (size > FILE_SIZE_MAX)
        status = diag_usage(diag, "%s: larger than 1 MiB, expected a workload", path);
    else {
        text[size] = '\0';
        status = spec_parse(text, size, path, request, out, diag);
    }
    fclose(file);
    free(text);
    return status;
}

void spec_free(struct spec *spec)
{
    if (!spec)
        return;
    phases_free(spec->phases, spec->phase_count);
    free(spec->summary);
    free(spec->parameters);
    free(spec->json);
    free(spec);
}
