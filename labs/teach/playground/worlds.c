/* worlds.c - opens designs, drives them by a load, and looks at them for a picture. */
#include "labs/teach/playground/worlds.h"

#include "harness/base/rng.h"
#include "harness/measure/workload/stream.h"
#include "impls/registry.h"
#include "labs/teach/playground/quiz.h"

#define SETTINGS_MAX 8
#define NAME_MAX_    24
/* Comparisons and visits that the starts of a world may take: under a second in a slow browser. */
#define OPENING_MAX 60000000

struct world {
    const struct tw_design *design;
    struct tw_timers *timers;
    struct world_load load;
    uint64_t now, fired, operations, refused, digest;
    bool is_quiz; /* which closes its timers itself */
};

static struct world worlds[WORLDS];
static struct quiz quiz;
static struct world_picture picture;
static struct tw_setting settings[SETTINGS_MAX];
static char setting_names[SETTINGS_MAX][NAME_MAX_];
static size_t setting_count;
static struct tw_error error;

/* ---- Settings. ------------------------------------------------------------------------------- */

void world_forget_settings(void)
{
    setting_count = 0;
}

void world_add_setting(const char *name, double value)
{
    size_t i = 0;
    while (i < setting_count && strcmp(setting_names[i], name) != 0)
        i++;
    if (i == setting_count) {
        if (setting_count == SETTINGS_MAX)
            return;
        snprintf(setting_names[i], NAME_MAX_, "%s", name);
        settings[i] = (struct tw_setting){.name = setting_names[i], .count = 0};
        setting_count++;
    }
    if (settings[i].count < TW_VALUES_MAX)
        settings[i].values[settings[i].count++] = (uint64_t)value;
}

/* ---- The load. ------------------------------------------------------------------------------- */

/* Uniform in (0, 1), from the timer and the tick. */
static double unit_of(uint64_t mix)
{
    return ((double)(mix >> 11) + 0.5) * 0x1p-53;
}

/* The delay that a timer has when it is started at that tick. */
static uint64_t delay_of(const struct world_load *load, tw_id id, uint64_t now)
{
    uint64_t mix = stream_mix(id, now * 2654435761u + load->seed);
    double mean = load->mean, delay = mean;
    if (load->delay == DELAY_UNIFORM)
        delay = 1 + unit_of(mix) * (2 * mean - 1);
    if (load->delay == DELAY_EXPONENTIAL)
        delay = -mean * same_log(unit_of(mix));
    uint64_t ticks = (uint64_t)delay, most = 16 * (uint64_t)load->mean;
    return ticks < 1 ? 1 : ticks > most ? most : ticks;
}

static void begin(struct world *world, tw_id id, uint64_t now)
{
    int answer =
        world->design->counted->start(world->timers, id, now + delay_of(&world->load, id, now));
    world->operations++;
    world->refused += answer < 0;
}

static void expire(void *ctx, tw_id id, tw_tick now)
{
    struct world *world = ctx;
    world->fired++;
    world->operations++;
    world->digest += stream_mix(id, now);
    if (!world->load.empty)
        begin(world, id, now);
}

/* Cancels of a tick: with a share c of all ends, c / (1 - c) for each expiry, of which N / mean are to be expected. */
static void cancel_some(struct world *world)
{
    const struct world_load *load = &world->load;
    double share = load->cancel_permille / 1000.0;
    double wanted = share / (1 - share) * load->timers / load->mean;
    uint64_t count = (uint64_t)wanted;
    uint64_t mix = stream_mix(load->timers, world->now + load->seed);
    count += unit_of(mix) < wanted - (double)count;
    for (uint64_t i = 0; i < count; i++) {
        mix = stream_mix((tw_id)i, mix);
        tw_id id = (tw_id)(mix % load->timers);
        if (world->design->counted->stop(world->timers, id) == TW_OK)
            world->operations++;
        begin(world, id, world->now);
    }
}

/* ---- Opening and running. -------------------------------------------------------------------- */

void world_close(int index)
{
    struct world *world = &worlds[index];
    if (world->timers && !world->is_quiz)
        world->design->counted->close(world->timers);
    *world = (struct world){.timers = NULL};
}

static int give_up(int index, tw_id started)
{
    snprintf(error.text, sizeof error.text,
             "%s: starting %u of %u timers took %d million steps. Choose fewer timers.",
             worlds[index].design->counted->name, started, worlds[index].load.timers,
             OPENING_MAX / 1000000);
    world_close(index);
    return 1;
}

int world_open(int index, int design, const struct world_load *load)
{
    struct world *world = &worlds[index];
    struct tw_config config = {.capacity = load->timers,
                               .horizon = 16 * (uint64_t)load->mean,
                               .settings = settings,
                               .setting_count = setting_count};
    world_close(index);
    error.text[0] = '\0';
    world->design = &registry[design];
    world->load = *load;
    if (world->design->counted->open(&world->timers, &config, &error) != TW_OK) {
        *world = (struct world){.timers = NULL};
        return 1;
    }
    for (tw_id id = 0; !load->empty && id < load->timers; id++) {
        const struct tw_work *work = world->design->counted->work(world->timers);
        if (work->comparisons + work->visits > OPENING_MAX)
            return give_up(index, id);
        begin(world, id, 0);
    }
    return 0;
}

const char *world_error(void)
{
    return error.text;
}

void world_run(int index, uint32_t ticks)
{
    struct world *world = &worlds[index];
    for (uint32_t i = 0; world->timers && i < ticks; i++) {
        world->now++;
        world->design->counted->advance(world->timers, world->now, expire, world);
        if (!world->load.empty)
            cancel_some(world);
    }
}

void world_jump(int index, double ticks)
{
    struct world *world = &worlds[index];
    if (!world->timers)
        return;
    world->now += (uint64_t)ticks;
    world->design->counted->advance(world->timers, world->now, expire, world);
}

double world_next(int index)
{
    const struct world *world = &worlds[index];
    tw_tick next = world->timers ? world->design->counted->next(world->timers) : TW_NEVER;
    return next == TW_NEVER ? -1 : (double)next;
}

int world_start(int index, uint32_t id, double delay)
{
    struct world *world = &worlds[index];
    if (!world->timers || id >= world->load.timers)
        return TW_REFUSED_RANGE;
    int answer = world->design->counted->start(world->timers, id, world->now + (uint64_t)delay);
    world->operations++;
    world->refused += answer < 0;
    return answer;
}

int world_stop(int index, uint32_t id)
{
    struct world *world = &worlds[index];
    if (!world->timers || id >= world->load.timers)
        return TW_IDLE;
    world->operations++;
    return world->design->counted->stop(world->timers, id);
}

/* ---- Figures. -------------------------------------------------------------------------------- */

double world_now(int index)
{
    return (double)worlds[index].now;
}

double world_fired(int index)
{
    return (double)worlds[index].fired;
}

double world_operations(int index)
{
    return (double)worlds[index].operations;
}

double world_refused(int index)
{
    return (double)worlds[index].refused;
}

uint32_t world_digest(int index, int half)
{
    return (uint32_t)(worlds[index].digest >> (half ? 32 : 0));
}

static const struct tw_work *work_of(const struct world *world)
{
    return world->timers ? world->design->counted->work(world->timers) : NULL;
}

double world_work(int index, int counter)
{
    const struct tw_work *work = work_of(&worlds[index]);
    int at = 0;
#define VALUE_OF(name, since, meaning)                                                             \
    if (work && at++ == counter)                                                                   \
        return (double)work->name;
    TW_WORK_COUNTERS(VALUE_OF)
#undef VALUE_OF
    return 0;
}

double world_bytes(int index)
{
    const struct world *world = &worlds[index];
    if (!world->timers)
        return 0;
    struct tw_footprint bytes = world->design->counted->footprint(world->timers);
    return (double)(bytes.fixed_bytes + bytes.capacity_bytes + bytes.pending_bytes);
}

const char *world_check(int index)
{
    const struct world *world = &worlds[index];
    const char *broken = world->timers ? world->design->counted->check(world->timers) : NULL;
    return broken ? broken : "";
}

double world_growth(int design, uint32_t timers, uint32_t ticks, const struct world_load *load)
{
    struct world_load grown = *load;
    grown.timers = timers;
    grown.empty = 0;
    if (world_open(WORLDS - 1, design, &grown) != 0)
        return -1;
    world_run(WORLDS - 1, ticks);
    const struct world *world = &worlds[WORLDS - 1];
    const struct tw_work *work = work_of(world);
    double done = (double)(work->comparisons + work->visits + work->moves + work->link_writes);
    double cost = world->refused ? -1 : done / (double)world->operations;
    world_close(WORLDS - 1);
    return cost;
}

/* ---- Questions. ------------------------------------------------------------------------------ */

int world_quiz_open(int design, const char *seed)
{
    world_close(0);
    quiz_close(&quiz);
    if (quiz_open(&quiz, &registry[design], seed, &error) != TW_OK)
        return 1;
    worlds[0] = (struct world){.design = &registry[design],
                               .timers = quiz.timers,
                               .load = {.timers = QUIZ_TIMERS, .empty = 1},
                               .is_quiz = true};
    return 0;
}

int world_quiz_ask(void)
{
    bool asked = quiz_ask(&quiz);
    worlds[0].now = quiz.now;
    return asked;
}

int world_quiz_move(void)
{
    bool moved = quiz_move(&quiz);
    worlds[0].now = quiz.now;
    return moved;
}

int world_quiz_answer(const char *answer)
{
    return quiz_answer(&quiz, answer);
}

int world_quiz_form(void)
{
    return quiz.form == QUIZ_PLACE && quiz.film.level_count > 1 ? 3 : (int)quiz.form;
}

int world_quiz_score(void)
{
    return (int)quiz.score;
}

const char *world_quiz_text(int which)
{
    static char text[1024];
    if (which == 3)
        quiz_format(&quiz, quiz.form, quiz.right, text, sizeof text);
    if (which == 4)
        quiz_receipt(&quiz, text, sizeof text);
    return which == 0 ? quiz.before : which == 1 ? quiz.text : which == 2 ? quiz.why : text;
}

/* ---- Looking. -------------------------------------------------------------------------------- */

static void look_at(void *ctx, const struct tw_view *view)
{
    struct world_picture *out = ctx;
    uint32_t level = view->level < out->levels ? view->level : out->levels - 1;
    uint32_t bin = (uint32_t)((uint64_t)view->slot * out->bins[level] / out->size[level]);
    out->running++;
    if (bin < out->bins[level])
        out->count[level][bin]++;
    if (out->samples == WORLD_SAMPLES)
        return;
    uint32_t i = out->samples++;
    out->sample[i].id = view->id;
    out->sample[i].level = view->level;
    out->sample[i].slot = view->slot;
    out->sample[i].rounds = view->rounds > UINT32_MAX ? UINT32_MAX : (uint32_t)view->rounds;
    out->sample[i].due = (double)view->deadline;
}

const struct world_picture *world_look(int index)
{
    const struct world *world = &worlds[index];
    struct tw_description description = {.setting_count = 0};
    struct film film = {.level_count = 0};
    memset(&picture, 0, sizeof picture);
    if (!world->timers)
        return &picture;
    world->design->counted->describe(world->timers, &description);
    kinds_lay_out(world->design->counted, &description, world->load.timers, &film);
    picture.shape = film.shape;
    picture.arity = film.arity;
    picture.root = film.root;
    picture.levels = film.level_count;
    for (uint32_t i = 0; i < film.level_count; i++) {
        uint64_t size = film.levels[i].size, unit = film.levels[i].unit;
        picture.size[i] = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
        picture.bins[i] = size > WORLD_BINS ? WORLD_BINS : (uint32_t)size;
        picture.unit[i] = (double)unit;
        picture.pointer[i] = (uint32_t)(world->now / unit % size);
    }
    world->design->counted->visit(world->timers, look_at, &picture);
    return &picture;
}

/* ---- Designs. -------------------------------------------------------------------------------- */

int design_count(void)
{
    return (int)registry_count;
}

const char *design_name(int design)
{
    return registry[design].counted->name;
}

const char *design_summary(int design)
{
    return registry[design].counted->summary;
}

int design_keeps_nothing(int design)
{
    return (registry[design].counted->traits.flags & TW_KEEPS_NOTHING) != 0;
}

int design_is_exact(int design)
{
    const struct tw_traits *traits = &registry[design].counted->traits;
    return traits->late_ticks == 0 && traits->late_shift == 0;
}

const char *design_parameter(int design, int index)
{
    const struct tw_param *params = registry[design].counted->params;
    for (int i = 0; params[i].name; i++)
        if (i == index)
            return params[i].name;
    return NULL;
}

const char *counter_name(int counter)
{
#define NAME_OF(name, since, meaning) #name,
    static const char *const names[] = {TW_WORK_COUNTERS(NAME_OF)};
#undef NAME_OF
    return counter >= 0 && (size_t)counter < sizeof names / sizeof *names ? names[counter] : NULL;
}
