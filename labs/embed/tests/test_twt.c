/* Timers with handles over every exact design: random calls against an array that is searched, and what adopters ask. */
#include "labs/embed/taking.h"
#include "labs/embed/twt.h"

#include "harness/base/units.h"
#include "harness/prove/conform.h"
#include "impls/registry.h"
#include "testing.h"

#define TIMERS 300u

struct model {
    uint64_t random, starts, now;
    struct twt_set *set;
    struct twt_timer timers[TIMERS];
    tw_tick due[TIMERS]; /* 0: idle */
    uint64_t order[TIMERS];
    bool fresh[TIMERS]; /* started in this pass for now: the next one */
    bool inside;
};

static uint64_t draw(struct model *model, uint64_t below)
{
    model->random ^= model->random << 13;
    model->random ^= model->random >> 7;
    model->random ^= model->random << 17;
    return model->random % below;
}

static void start(struct model *model, unsigned i)
{
    static const uint64_t reach[] = {1, 3, 60, 4000, 200000};
    tw_tick deadline = model->now + draw(model, reach[draw(model, 5)]);
    int status = draw(model, 8) ? twt_start(model->set, &model->timers[i], deadline)
                                : twt_start_window(model->set, &model->timers[i], deadline,
                                                   deadline + draw(model, 50));
    assert_int_equal(status, model->due[i] ? TW_REARMED : TW_OK);
    model->due[i] = model->timers[i].deadline;
    assert_in_range(model->due[i], deadline, deadline + 50);
    model->order[i] = model->starts++;
    model->fresh[i] = model->inside && model->due[i] <= model->now;
}

static void change(struct model *model)
{
    unsigned i = (unsigned)draw(model, TIMERS);
    if (draw(model, 3)) {
        start(model, i);
        return;
    }
    assert_int_equal(twt_stop(model->set, &model->timers[i]), model->due[i] ? TW_OK : TW_IDLE);
    model->due[i] = 0;
}

/* The one that has to be next, or TIMERS. */
static unsigned first(const struct model *model, bool with_fresh)
{
    unsigned best = TIMERS;
    for (unsigned i = 0; i < TIMERS; i++)
        if (model->due[i] && (with_fresh || !model->fresh[i]) &&
            (best == TIMERS || model->due[i] < model->due[best] ||
             (model->due[i] == model->due[best] && model->order[i] < model->order[best])))
            best = i;
    return best;
}

static void visited(void *ctx, const struct twt_timer *timer)
{
    assert_true(twt_pending(timer));
    ++*(uint64_t *)ctx;
}

static void fired(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    struct model *model = argument;
    unsigned i = (unsigned)(timer - model->timers);
    assert_int_equal(i, first(model, false));
    assert_true(model->due[i] <= model->now);
    assert_false(twt_pending(timer));
    model->due[i] = 0;
    if (draw(model, 2))
        change(model);
    else if (draw(model, 2))
        start(model, i);
    assert_int_equal(twt_advance(set, model->now + 5), TWT_REFUSED_NESTED);
    if (draw(model, 4))
        return;
    uint64_t seen = 0;
    twt_visit(set, visited, &seen);
    assert_int_equal(seen, twt_count(set));
    assert_null(twt_check(set));
}

static void pass(struct model *model)
{
    model->now += draw(model, 10) ? draw(model, 40) : draw(model, 300000);
    uint64_t most = draw(model, 2) ? UINT64_MAX : draw(model, 4);
    model->inside = true;
    int64_t ran = twt_advance_some(model->set, model->now, most);
    model->inside = false;
    assert_true((uint64_t)ran <= most);
    unsigned next = first(model, false);
    assert_true((uint64_t)ran == most || next == TIMERS || model->due[next] > model->now);
    memset(model->fresh, 0, sizeof model->fresh);
}

static struct twt_set *set_open(const struct twt_config *config)
{
    struct twt_set *set = NULL;
    struct tw_error error;
    assert_int_equal(twt_open(&set, config, &error), TW_OK);
    return set;
}

static void start_new(struct twt_set *set, struct twt_timer *timer, twt_fn *run, void *argument,
                      tw_tick deadline)
{
    twt_init(timer, run, argument);
    assert_int_equal(twt_start(set, timer, deadline), TW_OK);
}

static void model_run(const struct tw_backend *design, unsigned rounds)
{
    struct model *model = calloc(1, sizeof *model);
    struct twt_config config = {.design = design, .now = 1000, .capacity = 1, .scans = true};
    assert_non_null(model);
    model->random = UINT64_C(0x9e3779b97f4a7c15);
    model->now = config.now;
    model->set = set_open(&config);
    for (unsigned i = 0; i < TIMERS; i++)
        twt_init(&model->timers[i], fired, model);
    for (unsigned round = 0; round < rounds; round++) {
        if (draw(model, 4))
            change(model);
        else
            pass(model);
        unsigned next = first(model, true);
        tw_tick wake = twt_wake(model->set), due = next == TIMERS ? TW_NEVER : model->due[next];
        assert_true(wake <= due && (wake > model->now || due <= model->now));
        assert_int_equal(wake == TW_NEVER, due == TW_NEVER);
        assert_int_equal(twt_next(model->set), next == TIMERS ? TW_NEVER : model->due[next]);
        uint64_t seen = 0;
        twt_visit(model->set, visited, &seen);
        assert_int_equal(seen, twt_count(model->set));
        struct twt_growth growth; /* what is left behind while it grows is soon gone unseen */
        twt_growth(model->set, &growth);
        const char *broken = round % 16 && growth.instances < 2 ? NULL : twt_check(model->set);
        if (broken)
            fail_msg("%s: round %u: %s", design->name, round, broken);
    }
    twt_close(model->set);
    free(model);
}

static bool is_exact(const struct tw_traits *traits)
{
    return !(traits->flags & (TW_KEEPS_NOTHING | TW_REAL_CLOCK)) && traits->late_ticks == 0 &&
           traits->late_shift == 0;
}

static const struct tw_backend *under;
static struct tw_timers *latest;
static tw_id arrived;

static int start_in_order(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (timers == latest) {
        assert_in_range(id, 0, arrived);
        arrived = id == arrived ? id + 1 : arrived;
    }
    return under->start(timers, id, deadline);
}

static int open_latest(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    int status = under->open(out, config, error);
    latest = *out;
    arrived = 0;
    return status;
}

/* A design may make all memory below a new highest id ready at once: `fast` does. */
TEST(test_ids_come_in_order_of_arrival)
{
    enum { MANY = 5000 };
    under = registry_find("fast")->timed;
    struct tw_backend design = *under;
    design.start = start_in_order;
    design.open = open_latest;
    struct twt_config config = {
        .design = &design, .exact = registry_part(under, "exact"), .capacity = 1};
    struct twt_timer timers[MANY];
    struct twt_set *set = set_open(&config);
    for (unsigned i = 0; i < MANY; i++) {
        start_new(set, &timers[i], NULL, NULL, 1000 + i % 7);
        assert_int_equal(twt_start(set, &timers[i / 2], 1000 + i % 5), TW_REARMED);
    }
    assert_null(twt_check(set));
    twt_close(set);
}

TEST(test_every_exact_design_against_a_model)
{
    unsigned exact = 0;
    for (size_t i = 0; i < registry_count; i++)
        if (is_exact(&registry[i].timed->traits)) {
            model_run(registry[i].timed, 3000);
            exact++;
        }
    assert_true(exact > 10);
}

/* Or would have to visit all timers, unasked, to tell the earliest. */
TEST(test_designs_that_are_not_exact_are_refused)
{
    struct tw_error error;
    struct twt_set *set = NULL;
    for (size_t i = 0; i < registry_count; i++) {
        const struct tw_backend *design = registry[i].timed;
        bool tells = design->traits.flags & TW_NEXT_EXACT || registry_part(design, "exact");
        struct twt_config config = {.design = design, .scans = i % 2};
        if (!is_exact(&design->traits) || !(config.scans || tells)) {
            assert_int_equal(twt_open(&set, &config, &error), TW_BAD_SETTING);
            assert_null(set);
            assert_non_null(strstr(error.text, "expected"));
        }
    }
}

/* Timers that the exact next looks at are paid for by starts and stops: few for each, however many run. */
TEST(test_the_exact_next_does_not_look_at_all_timers)
{
    enum { MANY = 20000 };
    unsigned tried = 0;
    for (size_t i = 0; i < registry_count; i++) {
        const struct tw_backend *design = registry[i].counted;
        const struct tw_exact *exact = registry_part(design, "exact");
        struct tw_config config = {.capacity = MANY};
        struct tw_timers *timers;
        struct tw_error error;
        if (!exact)
            continue;
        assert_int_equal(design->open(&timers, &config, &error), TW_OK);
        for (tw_id id = 0; id < MANY; id++)
            design->start(timers, id, 1000 + 10 * id);
        uint64_t before = design->work(timers)->visits;
        for (tw_id id = 0; id + 1 < MANY; id++) {
            assert_int_equal(exact->next(timers), 1000 + 10 * id);
            if (id % 2)
                design->stop(timers, id);
            else
                design->start(timers, id, 1000000 + id);
        }
        assert_in_range(design->work(timers)->visits - before, 0, 500 * MANY);
        design->close(timers);
        tried++;
    }
    assert_true(tried >= 2);
}

struct line {
    unsigned count, last;
    tw_tick deadline;
};
static struct line line;

/* In order of deadlines, and of starts. */
static void in_line(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    unsigned i = (unsigned)(uintptr_t)argument;
    (void)set;
    assert_true(line.deadline < timer->deadline ||
                (line.deadline == timer->deadline && line.last < i));
    line = (struct line){line.count + 1, i, timer->deadline};
}

/* No call moves more than TWT_MOVES while it grows from one timer to many. */
TEST(test_growth_moves_a_few_timers_a_call)
{
    enum { MANY = 100000 };
    struct twt_config config = {.design = registry_find("fast")->timed, .capacity = 1};
    struct twt_timer *timers = calloc(MANY, sizeof *timers), *moved = calloc(1, sizeof *moved);
    struct twt_growth growth;
    assert_true(timers && moved);
    struct twt_set *set = set_open(&config);
    for (unsigned i = 0; i < MANY; i++) {
        start_new(set, &timers[i], in_line, (void *)(uintptr_t)i, 1000 + i % 7);
    }
    twt_growth(set, &growth);
    assert_in_range(growth.most_moved, 1, TWT_MOVES);
    assert_int_equal(growth.grown, 17);
    assert_in_range(growth.capacity, MANY, 2 * MANY);
    twt_move(set, moved, &timers[5]);
    assert_int_equal(twt_start(set, &timers[5], TW_NEVER), TW_OK);
    assert_int_equal(twt_advance(set, TW_NEVER), MANY);
    assert_int_equal(twt_advance(set, TW_NEVER), 0);
    assert_int_equal(line.count, MANY);
    assert_true(twt_pending(&timers[5]));
    twt_close(set);
    free(timers);
    free(moved);
}

static bool refusing;

static int start_refusing(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return refusing ? TW_REFUSED_MEMORY : under->start(timers, id, deadline);
}

static void count(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    (void)set, (void)timer;
    ++*(int *)argument;
}

/* A timer beyond the span finds no memory midway: it waits, does not hide what is due, and fires when there is memory. */
TEST(test_a_hop_without_memory_waits)
{
    under = registry_find("hier")->timed;
    struct tw_backend design = *under;
    design.start = start_refusing;
    const struct tw_setting levels = {.name = "levels", .count = 2, .values = {16, 16}};
    struct twt_config config = {.design = &design, .settings = &levels, .setting_count = 1};
    struct twt_timer far, due;
    int fired[2] = {0, 0};
    struct twt_set *set = set_open(&config);
    start_new(set, &far, count, &fired[0], 1000);
    start_new(set, &due, count, &fired[1], 200);
    refusing = true;
    assert_int_equal(twt_advance(set, 300), 1);
    assert_null(twt_check(set));
    assert_int_equal(twt_next(set), 1000);
    assert_int_equal(twt_start(set, &due, 400), TW_REFUSED_MEMORY);
    assert_null(twt_check(set));
    assert_int_equal(twt_start(set, &due, 0), TW_OK);
    assert_in_range(twt_next(set), 0, 300);
    refusing = false;
    assert_int_equal(twt_advance(set, 999), 1);
    assert_int_equal(twt_advance(set, 1000), 1);
    assert_int_equal(fired[0] + 3 * fired[1], 7);
    twt_close(set);
}

static void count_and_break(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    count(set, timer, argument);
    twt_break(set);
}

/* What a broken pass leaves over is due: it may be moved, stopped and started, and the next pass runs the rest in order. */
TEST(test_due_timers_are_moved_and_stopped)
{
    struct twt_config config = {.design = registry_find("fast")->timed};
    struct twt_timer timers[4], moved[4];
    int fired[4] = {0};
    struct twt_set *set = set_open(&config);
    for (int i = 0; i < 4; i++)
        start_new(set, &timers[i], i ? count : count_and_break, &fired[i], 5);
    assert_int_equal(twt_advance(set, 10), 1);
    assert_int_equal(twt_next(set), 5);
    for (int i = 1; i < 4; i++) {
        twt_move(set, &moved[i], &timers[i]);
        assert_false(twt_pending(&timers[i]));
        assert_null(twt_check(set));
    }
    assert_int_equal(twt_stop(set, &moved[3]), TW_OK);
    assert_int_equal(twt_start(set, &moved[1], 50), TW_REARMED);
    assert_int_equal(twt_advance(set, 10), 1);
    assert_int_equal(fired[2], 1);
    assert_int_equal(twt_advance(set, 50), 1);
    assert_int_equal(fired[0] + fired[1] + fired[3], 2);
    assert_int_equal(twt_advance(set, TW_NEVER), 0); /* as far as time goes, with nothing to do */
    twt_close(set);
}

static void count_and_close(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    count(set, timer, argument);
    twt_close(set);
    assert_int_equal(twt_start(set, timer, 7), TW_OK); /* it goes when this returns */
}

TEST(test_a_callback_closes_its_set)
{
    struct twt_config config = {.design = registry_find("fast")->timed};
    struct twt_timer timers[2];
    int fired = 0;
    struct twt_set *set = set_open(&config);
    for (int i = 0; i < 2; i++)
        start_new(set, &timers[i], count_and_close, &fired, 5);
    assert_int_equal(twt_advance(set, 9), 1);
    assert_int_equal(fired, 1);
}

static int open_refusing(struct tw_timers **out, const struct tw_config *config,
                         struct tw_error *error)
{
    return refusing ? TW_REFUSED_MEMORY : under->open(out, config, error);
}

/* Growth that finds no memory refuses the start, changes nothing, and works later. */
TEST(test_growth_without_memory_is_refused)
{
    under = registry_find("heap")->timed;
    struct tw_backend design = *under;
    design.open = open_refusing;
    struct twt_config config = {.design = &design, .capacity = 1};
    struct twt_timer timers[3];
    struct tw_error error;
    struct twt_set *set = NULL;
    int fired = 0;
    refusing = true;
    assert_int_equal(twt_open(&set, &config, &error), TW_REFUSED_MEMORY);
    assert_null(set);
    refusing = false;
    assert_int_equal(twt_open(&set, &config, &error), TW_OK);
    for (int i = 0; i < 3; i++)
        twt_init(&timers[i], count, &fired);
    assert_int_equal(twt_start(set, &timers[0], 5), TW_OK);
    refusing = true;
    assert_int_equal(twt_start(set, &timers[1], 6), TW_REFUSED_MEMORY);
    assert_false(twt_pending(&timers[1]));
    assert_null(twt_check(set));
    refusing = false;
    assert_int_equal(twt_start(set, &timers[1], 6), TW_OK);
    assert_int_equal(twt_start(set, &timers[2], 7), TW_OK);
    assert_int_equal(twt_advance(set, 7), 3);
    twt_close(set);
}

/* As `run --layer` has it. */
TEST(test_the_layer_as_a_design_keeps_the_contract)
{
    static const char *const names[] = {"fast", "heap"};
    for (size_t i = 0; i < 4; i++) {
        void *memory = NULL;
        const struct tw_design *layered;
        struct conform_report report = {.watch = NULL};
        struct diag diag;
        assert_int_equal(layered_make(registry_find(names[i / 2]), i % 2, &memory, &layered, &diag),
                         DIAG_OK);
        const struct conform_options options = {.operations = 20000};
        if (conform_run(layered->timed, &options, &report) != 0)
            fail_msg("%s: %s: %s", layered->timed->name, report.rule, report.detail);
        lists_release(&memory);
    }
}

TEST_MAIN(NULL, NULL)
