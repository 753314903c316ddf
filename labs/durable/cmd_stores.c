/* cmd_stores.c - stores: messages that a crash must not lose, their ledger and their figures. */
#include "labs/durable/durable.h"

#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "harness/measure/run/outcome.h"
#include "labs/durable/stores/store_modules.h"

struct stores_options {
    struct storing_request storing; /* the first member: store_flags fill it in */
    struct outputs outputs;
    struct setup setup;
};

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

static int take_stores(struct call *call, void *of, const char *flag, const char *value,
                       struct diag *diag)
{
    struct storing_request *storing = of;
    (void)call;
    storing->store_count = 0;
    if (strcmp(value, "all") == 0) {
        add_all(storing);
        return DIAG_OK;
    }
    return lists_split(value, ',', flag, STORING_LIST_MAX, add_store, storing, diag);
}

static int add_sync(void *ctx, const char *flag, const char *item, struct diag *diag)
{
    struct storing_request *storing = ctx;
    struct storing_sync *sync = &storing->syncs[storing->sync_count];
    uint64_t interval_ns = 0;
    unsigned policy = 0;
    *sync = (struct storing_sync){.policy = TW_SYNC_INTERVAL};
    if (strncmp(item, "interval:", 9) == 0) {
        int status = units_parse_time(item + 9, flag, &interval_ns, diag);
        if (status != DIAG_OK)
            return status;
        if (interval_ns < 1000000 || interval_ns > UINT64_C(3600000000000))
            return diag_usage(diag, "%s: %s given; expected interval:1ms .. interval:1h", flag,
                              item);
        sync->interval_ms = (uint32_t)(interval_ns / 1000000);
    } else {
        while (policy < 4 && (policy == TW_SYNC_INTERVAL ||
                              strcmp(item, durable_sync_name((enum tw_sync_policy)policy)) != 0))
            policy++;
        if (policy == 4)
            return diag_usage(diag,
                              "%s: '%s' given; expected one of always, group, interval:10ms, none",
                              flag, item);
        sync->policy = (enum tw_sync_policy)policy;
    }
    for (size_t i = 0; i < storing->sync_count; i++)
        if (storing->syncs[i].policy == sync->policy &&
            storing->syncs[i].interval_ms == sync->interval_ms)
            return diag_usage(diag, "%s: '%s' is given twice", flag, item);
    storing->sync_count++;
    return DIAG_OK;
}

static int take_sync(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct storing_request *storing = of;
    (void)call;
    storing->sync_count = 0;
    return lists_split(value, ',', flag, STORING_LIST_MAX, add_sync, storing, diag);
}

/* ---- The load. -------------------------------------------------------------------------------- */

#define TAKE_NUMBERS(name, most, by, list, count)                                                  \
    static int take_##name(struct call *call, void *of, const char *flag, const char *value,       \
                           struct diag *diag)                                                      \
    {                                                                                              \
        struct storing_request *storing = of;                                                      \
        const struct lists_range range = {.min = 1, .max = most, .factor = by};                    \
        (void)call;                                                                                \
        return lists_numbers(value, flag, &range, storing->list, STORING_LIST_MAX,                 \
                             &storing->count, diag);                                               \
    }
TAKE_NUMBERS(tasks, DURABLE_TASKS_MAX, 10, tasks, task_count)
TAKE_NUMBERS(producers, DURABLE_PRODUCERS_MAX, 2, producers, producer_count)
TAKE_NUMBERS(batch, DURABLE_BATCH_MAX, 10, batches, batch_count)

static int take_payload(struct call *call, void *of, const char *flag, const char *value,
                        struct diag *diag)
{
    struct durable_load *load = &((struct storing_request *)of)->load;
    uint64_t least = 0, most;
    const char *dots = strstr(value, "..");
    const char *first =
        lists_keep_part(&call->memory, value, dots ? (size_t)(dots - value) : strlen(value));
    int status = units_parse_count_in(first, flag, 0, TW_PAYLOAD_MAX, &least, diag);
    most = least;
    if (status == DIAG_OK && dots)
        status = units_parse_count_in(dots + 2, flag, 0, TW_PAYLOAD_MAX, &most, diag);
    if (status == DIAG_OK && most < least)
        return diag_usage(diag, "%s: %s given; expected MIN..MAX", flag, value);
    load->payload_min = (uint32_t)least;
    load->payload_max = (uint32_t)most;
    return status;
}

static int take_rate(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct storing_request *storing = of;
    (void)call;
    return units_parse_real_in(value, flag, 0, 1e9, &storing->rate, diag);
}

static int take_span(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct storing_request *storing = of;
    (void)call;
    uint64_t ns;
    int status = units_parse_time(value, flag, &ns, diag);
    if (status == DIAG_OK && (ns < 1000000 || ns / 1000000 > TW_DELAY_MAX_MS - 3600000))
        return diag_usage(diag, "%s: %s given; expected 1ms .. 10d", flag, value);
    storing->load.span_ms = ns / 1000000;
    storing->load.arrivals_ms = storing->load.span_ms / 240;
    storing->span_given = true;
    return status;
}

static int take_share(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct durable_load *load = &((struct storing_request *)of)->load;
    double share;
    (void)call;
    int status = units_parse_real_in(value, flag, 0, 1, &share, diag);
    if (status == DIAG_OK)
        *(strstr(flag, "hot") ? &load->hot_permille : &load->cancel_permille) =
            (uint32_t)(share * 1000 + 0.5);
    return status;
}

/* ---- Settings. -------------------------------------------------------------------------------- */

static int take_set(struct call *call, void *of, const char *flag, const char *value,
                    struct diag *diag)
{
    struct storing_request *storing = of;
    const char *equals = strchr(value, '=');
    uint64_t number;
    if (!equals || equals == value)
        return diag_usage(diag, "%s: '%s' given; expected NAME=VALUE", flag, value);
    const char *name = lists_keep_part(&call->memory, value, (size_t)(equals - value));
    const struct tw_param *param = store_modules_param(name);
    if (!param)
        return diag_usage(diag, "%s: %s: no store has a setting '%s'; 'twbench list' names them",
                          flag, value, name);
    if (storing->setting_count == DURABLE_SETTINGS_MAX)
        return diag_usage(diag, "%s: given more than %d times", flag, DURABLE_SETTINGS_MAX);
    int status = units_parse_count_in(equals + 1, flag, param->min, param->max, &number, diag);
    storing->settings[storing->setting_count++] =
        (struct tw_setting){.name = param->name, .count = 1, .values = {number}};
    return status;
}

const struct flag store_flags[STORE_FLAG_COUNT] = {
    FLAG_NAMED("store-set", "NAME=VALUE", "a setting of the stores that have it; may be repeated",
               take_set),
    FLAG_DIRECTORY("directory", "directory of the stores' files while they run (default: here)",
                   struct storing_request, directory),
};

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

static int finish(struct storing_request *request, struct diag *diag)
{
    if (request->store_count == 0)
        add_all(request);
    if (request->kills > 0 && (request->no_drain || request->is_cold))
        return diag_usage(diag, "%s: not with --kills; expected one or the other",
                          request->no_drain ? "--no-drain" : "--cold");
    return check_settings(request, diag);
}

static const char *const clock_words[] = {"virtual", "real", NULL};

#define OF struct stores_options
static const struct flag flags[] = {
    FLAG_BY("tasks", "N,M|A..B",
            "numbers of messages: 1e3,1e6 or 1e3..1e6 (default: about two seconds "
            "of syncs, at most 2e4)",
            take_tasks),
    FLAG_BY("stores", "A,B|all", "stores to run (default: all but null and memory)", take_stores),
    FLAG_BY("sync", "P,Q",
            "when a put is acknowledged: always (default), group, interval:10ms, none", take_sync),
    FLAG_COUNT("kills", "K",
               "kill -9 the store or its server at that many random moments (default 0)", OF,
               storing.kills, 0, 1000000),
    FLAG_BY("producers", "N,M", "threads that put and cancel (default 1)", take_producers),
    FLAG_BY("batch", "N,M", "messages per put (default 1)", take_batch),
    FLAG_BY("payload", "BYTES|MIN..MAX",
            "size of the payloads, log-uniform in a range (default 100)", take_payload),
    FLAG_BY("rate", "N", "puts per second; 0: as fast as possible (default)", take_rate),
    FLAG_WORD("clock", "CLOCK", "virtual (default): ten days in moments; real: the wall clock", OF,
              storing.real_time, clock_words),
    FLAG_BY("span", "TIME", "longest delay of a message (default 10d; on the real clock 4s)",
            take_span),
    FLAG_BY("cancels", "SHARE", "share of the messages that are cancelled: 0.02 (default)",
            take_share),
    FLAG_BY("hot", "SHARE", "share that is due at the next turn of 1/240 of the span (default 0.1)",
            take_share),
    FLAG_SWITCH("no-drain",
                "end a run when the first messages after its recovery are handed out; the rest "
                "stays pending",
                OF, storing.no_drain),
    FLAG_SWITCH("cold", "recover once more with an empty page cache, as after a reboot", OF,
                storing.is_cold),
    FLAG_COUNT(
        "group-memory", "BYTES",
        "memory of all runs with their page cache, by a control group: for a log that is larger",
        OF, storing.group_memory_bytes, 16 << 20, UINT64_C(1) << 50),
    FLAG_COUNT("runs", "N",
               "runs of each cell, interleaved over the stores (default 3; with --kills 1)", OF,
               setup.runs, 1, OUTCOME_SAMPLES_MAX),
    SETUP_SEED(OF, setup),
    SETUP_BUDGET(OF, setup, "time one run of a store may take (default 10m)"),
    SETUP_MEMORY_LIMIT(OF, setup),
    SETUP_PROGRESS(OF, setup),
};
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)},  {.flags = store_flags, .count = STORE_FLAG_COUNT},
    OUTPUT_JSON(offsetof(OF, outputs)),       OUTPUT_RESUME(offsetof(OF, outputs)),
    OUTPUT_PAGE(offsetof(OF, outputs), page), {0},
};
#undef OF

/* ---- The command. ----------------------------------------------------------------------------- */

static void begin(struct call *call)
{
    struct stores_options *options = call->options;
    options->setup = setup_default(call);
    options->setup.runs = 0;
    options->setup.budget_ns = UINT64_C(600000000000);
    options->outputs.keeps_cells = true;
    options->storing = (struct storing_request){.load = storing_default_load(),
                                                .syncs = {{.policy = TW_SYNC_ALWAYS}},
                                                .sync_count = 1,
                                                .producers = {1},
                                                .batches = {1},
                                                .task_count = 1,
                                                .producer_count = 1,
                                                .batch_count = 1,
                                                .directory = ".",
                                                .setup = &options->setup};
}

static int check(struct call *call, struct diag *diag)
{
    struct stores_options *options = call->options;
    if (call->operand_count > 0)
        return diag_usage(
            diag,
            "%s: expected 'stores list DIR', 'stores dump DIR' or flags; did you mean --stores=%s?",
            call->operands[0], call->operands[0]);
    options->setup.json = options->outputs.json;
    options->setup.resume = options->outputs.resume;
    if (options->setup.runs == 0)
        options->setup.runs = options->storing.kills > 0 ? 1 : 3;
    int status = outputs_check(call, &options->outputs, diag);
    return status == DIAG_OK ? finish(&options->storing, diag) : status;
}

static int run(struct call *call)
{
    struct diag diag;
    struct stores_options *options = call->options;
    cJSON *document = NULL;
    bool is_list = call->operand_count == 2 && strcmp(call->operands[0], "list") == 0;
    if (is_list || (call->operand_count == 2 && strcmp(call->operands[0], "dump") == 0)) {
        bool damaged = false;
        int listed = is_list
                         ? stores_list(call->operands[1], options->outputs.json, &damaged, &diag)
                         : stores_dump(call->operands[1], &damaged, &diag);
        return listed != DIAG_OK ? command_fail(listed, &diag) : damaged ? EXIT_FAILED : EXIT_OK;
    }
    int status = check(call, &diag);
    if (status == DIAG_OK)
        status = storing_run(&options->storing, &document, &diag);
    bool interrupted = status == STORING_INTERRUPTED;
    size_t failed = 0;
    json_each(cell, document, "cells")
        failed += stores_cell_failed(cell);
    if (status == DIAG_OK || interrupted)
        status = outputs_document(&options->outputs, document, &diag);
    cJSON_Delete(document);
    if (interrupted)
        fprintf(stderr, "twbench: interrupted%s\n",
                options->outputs.json ? "; --resume continues from there" : "");
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    return interrupted ? EXIT_INTERRUPTED : failed > 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_stores = {
    .name = "stores",
    .old_name = "store",
    .usage = "[FLAGS] | list DIR [--json=FILE] | dump DIR",
    .summary = "Which store of delayed messages survives a crash, and what does each cost?",
    .topic = "Threads and stores",
    .groups = groups,
    .common = " stores sync tasks kills payload producers batch clock runs budget directory json "
              "html plots ",
    .size = sizeof(struct stores_options),
    .begin = begin,
    .run = run,
};
