/* store_flags.c - takes stores, policies and durable loads from the command line. */
#include "labs/durable/store_flags.h"

#include "harness/base/lists.h"
#include "harness/base/units.h"
#include "labs/durable/stores/store_modules.h"
#include "labs/durable/crash/crash_prove.h"

#include <string.h>

#define TASKS_DEFAULT 20000u

void store_flags_default(struct options *options)
{
    struct storing_request *storing = &options->storing;
    storing->load = storing_default_load();
    storing->syncs[0] = (struct storing_sync){.policy = TW_SYNC_ALWAYS};
    storing->sync_count = 1;
    storing->producers[0] = storing->batches[0] = 1;
    storing->producer_count = storing->batch_count = 1;
    storing->directory = ".";
}

/* ---- Stores and policies. --------------------------------------------------------------------- */

static int add_store(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct storing_request *storing = ctx;
    struct diag reason;
    const struct store_row *row = store_modules_find(name, &reason);
    if (!row)
        return diag_usage(diag, "%s: %s", flag, reason.text);
    for (size_t i = 0; i < storing->store_count; i++)
        if (storing->stores[i] == row)
            return diag_usage(diag, "%s: '%s' is given twice", flag, name);
    storing->stores[storing->store_count++] = row;
    return DIAG_OK;
}

static void add_all(struct storing_request *storing)
{
    const unsigned none = TW_STORE_KEEPS_NOTHING | TW_STORE_IN_MEMORY;
    for (size_t i = 0; i < store_registry_count && storing->store_count < STORING_LIST_MAX; i++)
        if (!store_registry[i].builtin || !(store_registry[i].builtin->flags & none))
            storing->stores[storing->store_count++] = &store_registry[i];
}

int store_flags_stores(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    options->storing.store_count = 0;
    if (strcmp(value, "all") == 0) {
        add_all(&options->storing);
        return DIAG_OK;
    }
    return lists_split(value, ',', flag, STORING_LIST_MAX, add_store, &options->storing, diag);
}

/* Takes the policy behind those given so far. */
static int keep_sync(struct storing_request *storing, const char *flag, const char *item,
                     struct diag *diag)
{
    const struct storing_sync *sync = &storing->syncs[storing->sync_count];
    for (size_t i = 0; i < storing->sync_count; i++)
        if (storing->syncs[i].policy == sync->policy &&
            storing->syncs[i].interval_ms == sync->interval_ms)
            return diag_usage(diag, "%s: '%s' is given twice", flag, item);
    storing->sync_count++;
    return DIAG_OK;
}

static int add_sync(void *ctx, const char *flag, const char *item, struct diag *diag)
{
    static const char *const words[] = {"always", "group", "interval", "none"};
    struct storing_request *storing = ctx;
    struct storing_sync *sync = &storing->syncs[storing->sync_count];
    uint64_t interval_ns = 0;
    *sync = (struct storing_sync){.policy = TW_SYNC_ALWAYS};
    if (strncmp(item, "interval:", 9) == 0) {
        int status = units_parse_time(item + 9, flag, &interval_ns, diag);
        if (status != DIAG_OK)
            return status;
        if (interval_ns < 1000000 || interval_ns > UINT64_C(3600000000000))
            return diag_usage(diag, "%s: %s given; expected interval:1ms .. interval:1h", flag,
                              item);
        sync->policy = TW_SYNC_INTERVAL;
        sync->interval_ms = (uint32_t)(interval_ns / 1000000);
        return keep_sync(storing, flag, item, diag);
    }
    for (int i = 0; i < 4; i++)
        if (i != TW_SYNC_INTERVAL && strcmp(item, words[i]) == 0) {
            sync->policy = (enum tw_sync_policy)i;
            return keep_sync(storing, flag, item, diag);
        }
    return diag_usage(diag, "%s: '%s' given; expected one of always, group, interval:10ms, none",
                      flag, item);
}

int store_flags_sync(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    options->storing.sync_count = 0;
    return lists_split(value, ',', flag, STORING_LIST_MAX, add_sync, &options->storing, diag);
}

/* ---- The load. -------------------------------------------------------------------------------- */

int store_flags_producers(struct options *options, const char *flag, const char *value,
                          struct diag *diag)
{
    return lists_numbers(
        value, flag, &(struct lists_range){.min = 1, .max = DURABLE_PRODUCERS_MAX, .factor = 2},
        options->storing.producers, STORING_LIST_MAX, &options->storing.producer_count, diag);
}

int store_flags_batch(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    return lists_numbers(
        value, flag, &(struct lists_range){.min = 1, .max = DURABLE_BATCH_MAX, .factor = 10},
        options->storing.batches, STORING_LIST_MAX, &options->storing.batch_count, diag);
}

static int take_bytes(const char *text, const char *flag, uint32_t *out, struct diag *diag)
{
    uint64_t bytes;
    int status = units_parse_count(text, flag, &bytes, diag);
    if (status == DIAG_OK && bytes > TW_PAYLOAD_MAX)
        return diag_usage(diag, "%s: %s given; expected 0 .. %u bytes", flag, text, TW_PAYLOAD_MAX);
    *out = (uint32_t)bytes;
    return status;
}

int store_flags_payload(struct options *options, const char *flag, const char *value,
                        struct diag *diag)
{
    struct durable_load *load = &options->storing.load;
    const char *dots = strstr(value, "..");
    char first[32];
    snprintf(first, sizeof first, "%.*s", (int)(dots ? dots - value : 31), value);
    int status = take_bytes(first, flag, &load->payload_min, diag);
    load->payload_max = load->payload_min;
    if (status == DIAG_OK && dots)
        status = take_bytes(dots + 2, flag, &load->payload_max, diag);
    if (status == DIAG_OK && load->payload_max < load->payload_min)
        return diag_usage(diag, "%s: %s given; expected MIN..MAX", flag, value);
    return status;
}

int store_flags_rate(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    return units_parse_real_in(value, flag, 0, 1e9, &options->storing.rate, diag);
}

int store_flags_clock(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    options->storing.real_time = strcmp(value, "real") == 0;
    return options->storing.real_time || strcmp(value, "virtual") == 0
               ? DIAG_OK
               : diag_usage(diag, "%s: '%s' given; expected virtual or real", flag, value);
}

int store_flags_span(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    uint64_t ns;
    int status = units_parse_time(value, flag, &ns, diag);
    if (status == DIAG_OK && (ns < 1000000 || ns / 1000000 > TW_DELAY_MAX_MS - 3600000))
        return diag_usage(diag, "%s: %s given; expected 1ms .. 10d", flag, value);
    options->storing.load.span_ms = ns / 1000000;
    options->storing.load.arrivals_ms = options->storing.load.span_ms / 240;
    options->storing.span_given = true;
    return status;
}

static int take_share(const char *flag, const char *value, uint32_t *out, struct diag *diag)
{
    double share;
    int status = units_parse_real_in(value, flag, 0, 1, &share, diag);
    if (status == DIAG_OK)
        *out = (uint32_t)(share * 1000 + 0.5);
    return status;
}

int store_flags_cancels(struct options *options, const char *flag, const char *value,
                        struct diag *diag)
{
    return take_share(flag, value, &options->storing.load.cancel_permille, diag);
}

int store_flags_hot(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    return take_share(flag, value, &options->storing.load.hot_permille, diag);
}

/* ---- Settings. -------------------------------------------------------------------------------- */

int store_flags_set(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    struct storing_request *storing = &options->storing;
    const char *equals = strchr(value, '=');
    char name[64];
    uint64_t number;
    if (!equals || equals == value)
        return diag_usage(diag, "%s: '%s' given; expected NAME=VALUE", flag, value);
    snprintf(name, sizeof name, "%.*s", (int)(equals - value), value);
    const struct tw_param *param = store_modules_param(name);
    if (!param)
        return diag_usage(diag, "%s: %s: no store has a setting '%s'; 'twbench list' names them",
                          flag, value, name);
    if (storing->setting_count == DURABLE_SETTINGS_MAX)
        return diag_usage(diag, "%s: given more than %d times", flag, DURABLE_SETTINGS_MAX);
    int status = units_parse_count(equals + 1, flag, &number, diag);
    if (status == DIAG_OK && (number < param->min || number > param->max))
        return diag_usage(diag, "%s: %s given; expected %llu .. %llu", flag, value,
                          (unsigned long long)param->min, (unsigned long long)param->max);
    storing->settings[storing->setting_count++] =
        (struct tw_setting){.name = param->name, .count = 1, .values = {number}};
    return status;
}

/* ---- Proofs. ---------------------------------------------------------------------------------- */

static int add_name(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct options *options = ctx;
    struct diag reason;
    if (!strchr(name, '/') && !store_modules_find(name, &reason))
        return diag_usage(diag, "%s: %s", flag, reason.text);
    const char *kept = lists_keep(&options->memory, name);
    if (!kept)
        return diag_run(diag, "no memory for the command line");
    options->store_names[options->store_name_count++] = kept;
    return DIAG_OK;
}

int store_flags_names(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    options->store_name_count = 0;
    return lists_split(value, ',', flag, STORING_LIST_MAX, add_name, options, diag);
}

static int add_part(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct options *options = ctx;
    for (int part = 0; part < CRASH_PARTS; part++)
        if (strcmp(name, crash_part_name((enum crash_part)part)) == 0) {
            options->store_parts |= 1u << part;
            return DIAG_OK;
        }
    return diag_usage(diag, "%s: '%s' given; expected even, kills, power, errors or flips", flag,
                      name);
}

int store_flags_part(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    options->store_parts = 0;
    return lists_split(value, ',', flag, CRASH_PARTS, add_part, options, diag);
}

/* ---- Together. -------------------------------------------------------------------------------- */

/* A setting that none of the stores has would do nothing. */
static int check_settings(const struct storing_request *request, struct diag *diag)
{
    const struct tw_store_backend *stores[STORING_LIST_MAX];
    struct diag unused;
    if (request->setting_count == 0)
        return DIAG_OK;
    for (size_t i = 0; i < request->store_count; i++)
        stores[i] = store_modules_load(request->stores[i], &unused);
    return store_modules_check(stores, request->store_count, request->settings,
                               request->setting_count, diag);
}

int store_flags_finish(const struct options *options, struct storing_request *request,
                       struct diag *diag)
{
    *request = options->storing;
    request->setup = &options->setup;
    if (request->store_count == 0)
        add_all(request);
    if (request->kills > 0 && (request->no_drain || request->is_cold))
        return diag_usage(diag, "%s: not with --kills; expected one or the other",
                          request->no_drain ? "--no-drain" : "--cold");
    for (size_t i = 0; i < options->task_count && i < STORING_LIST_MAX; i++)
        if (options->tasks[i] > DURABLE_TASKS_MAX)
            return diag_usage(diag, "--tasks: %llu given; expected 1 .. %llu messages",
                              (unsigned long long)options->tasks[i],
                              (unsigned long long)DURABLE_TASKS_MAX);
        else
            request->tasks[request->task_count++] = options->tasks[i];
    if (request->task_count == 0)
        request->tasks[request->task_count++] = TASKS_DEFAULT;
    return check_settings(request, diag);
}
