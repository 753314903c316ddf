/*
 * cmd_layer.c - run --layer: each design beside itself under timers with handles, by hand (by_hand.c) and by twt.h.
 *
 * The layer is put behind the contract, so that run proves and measures it as any design: a timer is a handle in an array, and the
 * set has room for all from the beginning, so that it does not grow.  The clock goes from deadline to deadline, because a pass of the
 * set may end at one tick only if its callbacks have to see that tick.
 */
#include "labs/embed/taking.h"
#include "labs/embed/twt.h"

#include "harness/base/units.h"
#include "harness/command/flags.h"
#include "harness/command/run.h"
#include "impls/registry.h"

#define HAND   "-by-hand"
#define SUFFIX "-layer"

struct tw_timers {
    const struct tw_backend *design;
    struct twt_set *set;
    tw_tick now; /* of the set */
    tw_expire_fn *expire;
    void *ctx;
    struct twt_timer handles[];
};

static void layer_fire(struct twt_set *set, struct twt_timer *handle, void *argument)
{
    struct tw_timers *timers = argument;
    (void)set;
    timers->expire(timers->ctx, (tw_id)(handle - timers->handles), timers->now);
}

static int layer_open(const struct tw_backend *design, struct tw_timers **out,
                      const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(design->params, config, error);
    if (status != TW_OK)
        return status;
    uint64_t bytes = sizeof **out + config->capacity * sizeof(struct twt_timer);
    struct tw_timers *timers = malloc(bytes);
    if (!timers)
        return params_no_memory(error, bytes);
    timers->design = design;
    timers->now = config->now;
    struct twt_config set = {.design = design,
                             .now = config->now,
                             .horizon = config->horizon,
                             .capacity = config->capacity,
                             .settings = config->settings,
                             .setting_count = config->setting_count};
    for (uint32_t id = 0; id < config->capacity; id++)
        twt_init(&timers->handles[id], layer_fire, timers);
    status = twt_open(&timers->set, &set, error);
    if (status == TW_OK)
        *out = timers;
    else
        free(timers);
    return status;
}

static void layer_close(struct tw_timers *timers)
{
    twt_close(timers->set);
    free(timers);
}

static int layer_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick now = timers->now;
    if (deadline <= now && now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE;
    return twt_start(timers->set, &timers->handles[id], deadline > now ? deadline : now + 1);
}

static int layer_stop(struct tw_timers *timers, tw_id id)
{
    return twt_stop(timers->set, &timers->handles[id]);
}

static void layer_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    struct twt_set *set = timers->set;
    timers->expire = expire;
    timers->ctx = ctx;
    if (to <= timers->now)
        return;
    for (tw_tick at; to - timers->now > 1 && (at = twt_wake(set)) < to;)
        twt_advance(set, timers->now = at);
    twt_advance(set, timers->now = to);
}

static tw_tick layer_next(const struct tw_timers *timers)
{
    return twt_next(timers->set);
}

struct showing {
    const struct tw_timers *timers;
    tw_visit_fn *visit;
    void *ctx;
};

static void layer_show(void *ctx, const struct twt_timer *handle)
{
    const struct showing *showing = ctx;
    struct tw_view view = {.id = (tw_id)(handle - showing->timers->handles),
                           .deadline = handle->deadline};
    showing->visit(showing->ctx, &view);
}

static void layer_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    struct showing showing = {timers, visit, ctx};
    twt_visit(timers->set, layer_show, &showing);
}

static const char *layer_check(const struct tw_timers *timers)
{
    return twt_check(timers->set);
}

static struct tw_footprint layer_footprint(const struct tw_timers *timers)
{
    struct twt_growth growth;
    twt_growth(timers->set, &growth);
    struct tw_footprint all = timers->design->footprint(twt_instance(timers->set));
    all.fixed_bytes += sizeof *timers;
    all.capacity_bytes += growth.bytes + growth.capacity * sizeof(struct twt_timer);
    return all;
}

static void layer_describe(const struct tw_timers *timers, struct tw_description *out)
{
    timers->design->describe(twt_instance(timers->set), out);
    out->span = TW_DEADLINE_MAX;
}

/* It counts nothing. */
static const struct tw_work *layer_work(const struct tw_timers *timers)
{
    (void)timers;
    return NULL;
}

/* ---- A table for each design. ----------------------------------------------------------------- */

typedef int open_fn(struct tw_timers **out, const struct tw_config *config, struct tw_error *error);

#define TW_DESIGN(design)                                                                          \
    extern const struct tw_backend tw_##design##_timed;                                            \
    static int open_##design(struct tw_timers **out, const struct tw_config *config,               \
                             struct tw_error *error)                                               \
    {                                                                                              \
        return layer_open(&tw_##design##_timed, out, config, error);                               \
    }                                                                                              \
    static int hand_##design(struct tw_timers **out, const struct tw_config *config,               \
                             struct tw_error *error)                                               \
    {                                                                                              \
        return hand_open(&tw_##design##_timed, out, config, error);                                \
    }
#include "impls/registry.def"
#undef TW_DESIGN

static open_fn *const opens[][2] = {
#define TW_DESIGN(design) {hand_##design, open_##design},
#include "impls/registry.def"
#undef TW_DESIGN
};

struct layered {
    char name[64];
    struct tw_backend table;
    struct tw_design design;
};

int layered_make(const struct tw_design *design, bool by_hand, void **memory,
                 const struct tw_design **out, struct diag *diag)
{
    size_t index = 0;
    while (index < registry_count && &registry[index] != design)
        index++;
    if (index == registry_count)
        return diag_usage(diag, "--layer: %s is not built in; expected a design of the program",
                          design->timed->name);
    int status = taking_check_growable("--layer", design->timed, diag);
    if (status != DIAG_OK)
        return status;
    struct layered *layered = lists_keep_bytes(memory, 1, sizeof *layered);
    struct tw_backend *table = &layered->table;
    snprintf(layered->name, sizeof layered->name, "%s%s", design->timed->name,
             by_hand ? HAND : SUFFIX);
    *table = hand_table(design->timed);
    if (!by_hand) {
        table->close = layer_close;
        table->start = layer_start;
        table->stop = layer_stop;
        table->advance = layer_advance;
        table->next = layer_next;
        table->visit = layer_visit;
        table->check = layer_check;
        table->footprint = layer_footprint;
        table->describe = layer_describe;
        table->traits.flags |= TW_ORDERED | TW_NEXT_EXACT;
    }
    table->work = layer_work;
    table->name = layered->name;
    table->summary = "timers with handles over the design";
    table->open = opens[index][!by_hand];
    layered->design = (struct tw_design){TW_ABI_VERSION, table, table};
    *out = &layered->design;
    return DIAG_OK;
}

/* ---- The command. ------------------------------------------------------------------------------ */

struct layer_options {
    struct run_options run; /* the first member: its groups fill it in */
    bool layer;
};

static const struct flag flags[] = {
    FLAG_SWITCH("layer", "each design also with handles and growth over it, and what that costs",
                struct layer_options, layer)};
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)}, RUN_GROUPS(0), {0}};

static void begin(struct call *call)
{
    struct layer_options *options = call->options;
    run_begin(call, &options->run);
}

/* Of all designs, those that can have one. */
static int add_layers(struct call *call, struct designs *designs, struct diag *diag)
{
    struct designs bare = *designs;
    if (bare.plugin_count > 0)
        return diag_usage(diag, "--layer: expected designs of the program, without --plugin");
    designs->count = 0;
    for (size_t i = 0; i < bare.count; i++) {
        const struct tw_design *hand, *layered;
        int status = layered_make(bare.chosen[i], true, &call->memory, &hand, diag);
        if (status == DIAG_OK)
            status = layered_make(bare.chosen[i], false, &call->memory, &layered, diag);
        if (status != DIAG_OK && bare.given)
            return status;
        if (status != DIAG_OK)
            continue;
        if (designs->count + 3 > DESIGNS_MAX)
            return diag_usage(diag, "--layer: more than %d designs", DESIGNS_MAX / 3);
        designs->chosen[designs->count++] = bare.chosen[i];
        designs->chosen[designs->count++] = hand;
        designs->chosen[designs->count++] = layered;
    }
    return DIAG_OK;
}

static int run(struct call *call)
{
    struct layer_options *options = call->options;
    struct diag diag;
    int status = add_layers(call, &options->run.designs, &diag);
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    if (!options->run.setup.reference)
        options->run.setup.reference = HAND "/" SUFFIX;
    return run_do(call, &(struct run_request){.options = &options->run});
}

const struct command cmd_layered_run = {
    .name = "run",
    .usage = "--layer [FLAGS]",
    .summary = "Run designs with timers with handles over them, beside themselves.",
    .groups = groups,
    .size = sizeof(struct layer_options),
    .begin = begin,
    .run = run,
};
