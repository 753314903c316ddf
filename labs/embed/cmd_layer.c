/*
 * cmd_layer.c - run --layer: each design beside itself under timers with handles, by hand and by twt.h.
 *
 * Both are put behind the contract, so that run proves and measures them as any design: a timer is a handle in an array, and there is
 * room for all from the beginning, so that nothing grows.
 */
#include "labs/embed/taking.h"
#include "labs/embed/twt.h"

#include "harness/base/units.h"
#include "harness/command/run.h"
#include "harness/measure/run/instance.h"
#include "impls/registry.h"

#define HAND   "-by-hand"
#define SUFFIX "-layer"

struct tw_timers {
    struct layer_below below; /* inner: by hand */
    struct twt_set *set;      /* NULL: by hand */
    tw_tick now;              /* of the set */
    tw_expire_fn *expire;
    void *ctx;
    uint64_t bytes;             /* of what is behind: handles; by hand also owners and free ids */
    struct hand_timer **owners; /* by id */
    uint32_t *free, free_count; /* ids, the next one last */
};

struct showing {
    const struct tw_timers *timers;
    tw_visit_fn *visit;
    void *ctx;
};

/* ---- By hand. -----------------------------------------------------------------------------------
 * The least that a caller of a bare design writes for timers in its objects: a callback, an id, who has it.  Equal deadlines come in
 * any order, and a callback runs inside the design's advance, where it may not ask for the next deadline. */

struct hand_timer {
    void (*run)(struct hand_timer *timer, void *argument, tw_tick now);
    void *argument;
    uint32_t id; /* and one; 0: idle */
};

#define HAND_BYTES (sizeof(struct hand_timer) + sizeof(struct hand_timer *) + sizeof(uint32_t))

static inline struct hand_timer *hands_of(const struct tw_timers *timers)
{
    return (struct hand_timer *)(uintptr_t)(timers + 1);
}

static void hand_fire(struct hand_timer *timer, void *argument, tw_tick now)
{
    struct tw_timers *timers = argument;
    timers->expire(timers->ctx, (tw_id)(timer - hands_of(timers)), now);
}

static int hand_open(struct tw_timers *timers, const struct tw_config *config,
                     struct tw_error *error)
{
    timers->free_count = config->capacity;
    timers->owners = (struct hand_timer **)(hands_of(timers) + config->capacity);
    timers->free = (uint32_t *)(timers->owners + config->capacity);
    for (uint32_t i = 0; i < config->capacity; i++) {
        timers->free[i] = config->capacity - 1 - i;
        hands_of(timers)[i] = (struct hand_timer){hand_fire, timers, 0};
    }
    return timers->below.design->open(&timers->below.inner, config, error);
}

static int hand_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    struct hand_timer *timer = &hands_of(timers)[id];
    if (timer->id == 0) {
        timer->id = timers->free[--timers->free_count] + 1;
        timers->owners[timer->id - 1] = timer;
    }
    return timers->below.design->start(timers->below.inner, timer->id - 1, deadline);
}

static uint32_t hand_end(struct tw_timers *timers, struct hand_timer *timer)
{
    uint32_t id = timer->id - 1;
    timer->id = 0;
    timers->free[timers->free_count++] = id;
    return id;
}

static int hand_stop(struct tw_timers *timers, tw_id id)
{
    struct hand_timer *timer = &hands_of(timers)[id];
    if (timer->id == 0)
        return TW_IDLE;
    return timers->below.design->stop(timers->below.inner, hand_end(timers, timer));
}

static void hand_due(void *ctx, tw_id id, tw_tick now)
{
    struct tw_timers *timers = ctx;
    struct hand_timer *timer = timers->owners[id];
    hand_end(timers, timer);
    timer->run(timer, timer->argument, now);
}

static void hand_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->expire = expire;
    timers->ctx = ctx;
    timers->below.design->advance(timers->below.inner, to, hand_due, timers);
}

static void hand_show(void *ctx, const struct tw_view *below)
{
    const struct showing *showing = ctx;
    struct tw_view view = *below;
    view.id = (tw_id)(showing->timers->owners[below->id] - hands_of(showing->timers));
    showing->visit(showing->ctx, &view);
}

/* ---- By twt.h. ----------------------------------------------------------------------------------
 * The clock goes from deadline to deadline, because a pass of the set may end at one tick only if its callbacks have to see that tick. */

static inline struct twt_timer *handles_of(const struct tw_timers *timers)
{
    return (struct twt_timer *)(uintptr_t)(timers + 1);
}

static void layer_fire(struct twt_set *set, struct twt_timer *handle, void *argument)
{
    struct tw_timers *timers = argument;
    (void)set;
    timers->expire(timers->ctx, (tw_id)(handle - handles_of(timers)), timers->now);
}

static int layer_open(struct tw_timers *timers, const struct tw_config *config,
                      struct tw_error *error)
{
    struct twt_config set = {.design = timers->below.design,
                             .now = config->now,
                             .horizon = config->horizon,
                             .capacity = config->capacity,
                             .settings = config->settings,
                             .setting_count = config->setting_count};
    for (uint32_t id = 0; id < config->capacity; id++)
        twt_init(&handles_of(timers)[id], layer_fire, timers);
    return twt_open(&timers->set, &set, error);
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
    return twt_start(timers->set, &handles_of(timers)[id], deadline > now ? deadline : now + 1);
}

static int layer_stop(struct tw_timers *timers, tw_id id)
{
    return twt_stop(timers->set, &handles_of(timers)[id]);
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

static void layer_show(void *ctx, const struct twt_timer *handle)
{
    const struct showing *showing = ctx;
    struct tw_view view = {.id = (tw_id)(handle - handles_of(showing->timers)),
                           .deadline = handle->deadline};
    showing->visit(showing->ctx, &view);
}

static const char *layer_check(const struct tw_timers *timers)
{
    return twt_check(timers->set);
}

static void layer_describe(const struct tw_timers *timers, struct tw_description *out)
{
    timers->below.design->describe(twt_instance(timers->set), out);
    out->span = TW_DEADLINE_MAX;
}

/* ---- Both. ------------------------------------------------------------------------------------- */

static int open_either(const struct tw_backend *design, bool by_hand, struct tw_timers **out,
                       const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(design->params, config, error);
    uint64_t bytes = config->capacity * (by_hand ? HAND_BYTES : sizeof(struct twt_timer));
    struct tw_timers *timers = status == TW_OK ? malloc(sizeof *timers + bytes) : NULL;
    if (!timers)
        return status == TW_OK ? params_no_memory(error, sizeof *timers + bytes) : status;
    *timers = (struct tw_timers){.below.design = design, .now = config->now, .bytes = bytes};
    status = (by_hand ? hand_open : layer_open)(timers, config, error);
    if (status == TW_OK)
        *out = timers;
    else
        free(timers);
    return status;
}

static void visit_either(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    struct showing showing = {timers, visit, ctx};
    if (timers->set)
        twt_visit(timers->set, layer_show, &showing);
    else
        timers->below.design->visit(timers->below.inner, hand_show, &showing);
}

static struct tw_footprint footprint_either(const struct tw_timers *timers)
{
    struct twt_growth growth = {.bytes = 0};
    if (timers->set)
        twt_growth(timers->set, &growth);
    const struct tw_timers *inner = timers->set ? twt_instance(timers->set) : timers->below.inner;
    struct tw_footprint all = timers->below.design->footprint(inner);
    all.fixed_bytes += sizeof *timers;
    all.capacity_bytes += growth.bytes + timers->bytes;
    return all;
}

/* ---- A table for each design. ----------------------------------------------------------------- */

typedef int open_fn(struct tw_timers **out, const struct tw_config *config, struct tw_error *error);

#define TW_DESIGN(design)                                                                          \
    extern const struct tw_backend tw_##design##_timed;                                            \
    static int open_##design(struct tw_timers **out, const struct tw_config *config,               \
                             struct tw_error *error)                                               \
    {                                                                                              \
        return open_either(&tw_##design##_timed, false, out, config, error);                       \
    }                                                                                              \
    static int hand_##design(struct tw_timers **out, const struct tw_config *config,               \
                             struct tw_error *error)                                               \
    {                                                                                              \
        return open_either(&tw_##design##_timed, true, out, config, error);                        \
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
    *table = layer_table(design->timed);
    table->start = hand_start;
    table->stop = hand_stop;
    table->advance = hand_advance;
    if (!by_hand) {
        table->close = layer_close;
        table->start = layer_start;
        table->stop = layer_stop;
        table->advance = layer_advance;
        table->next = layer_next;
        table->check = layer_check;
        table->describe = layer_describe;
        table->traits.flags |= TW_ORDERED | TW_NEXT_EXACT;
    }
    table->visit = visit_either;
    table->footprint = footprint_either;
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
    FLAG_SWITCH("layer", "measure each design also with handles and growth, and what they cost",
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
    .summary = "Measure what handles cost: designs bare, by hand, and with twt.h.",
    .groups = groups,
    .size = sizeof(struct layer_options),
    .begin = begin,
    .run = run,
};
