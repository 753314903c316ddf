/* test_layer.c - layers over a design: what they hand through, keep back, and add. */
#include "harness/measure/run/instance.h"
#include "testing.h"

#include "impls/registry.h"

#define IDS 600

/* Timers that fired, and whether the first of them is started again from the callback. */
struct fired {
    const struct tw_backend *design;
    struct tw_timers *timers;
    tw_id ids[2 * IDS];
    tw_tick ticks[2 * IDS];
    size_t count;
    bool restart;
    int restart_status;
};

static void note_fired(void *ctx, tw_id id, tw_tick now)
{
    struct fired *fired = ctx;
    fired->ids[fired->count] = id;
    fired->ticks[fired->count++] = now;
    if (fired->restart && fired->count == 1)
        fired->restart_status = fired->design->start(fired->timers, id, now + 3);
}

static struct tw_timers *open_design(const struct tw_backend *design)
{
    struct tw_config config = {.capacity = IDS, .horizon = 1000};
    struct tw_timers *timers = NULL;
    struct tw_error error;
    assert_int_equal(design->open(&timers, &config, &error), TW_OK);
    return timers;
}

static void count_views(void *ctx, const struct tw_view *view)
{
    (void)view;
    ++*(size_t *)ctx;
}

/* ---- Handing through. ------------------------------------------------------------------------ */

/* The same calls, with and without a layer; what came of them one by one. */
static void drive(const struct tw_backend *design, struct tw_timers *timers, struct fired *fired)
{
    *fired = (struct fired){.design = design, .timers = timers, .restart = true};
    for (tw_id id = 0; id < IDS; id++)
        assert_int_equal(design->start(timers, id, 1 + id % 50), TW_OK);
    assert_int_equal(design->start(timers, 7, 90), TW_REARMED);
    assert_int_equal(design->stop(timers, 8), TW_OK);
    assert_int_equal(design->stop(timers, 8), TW_IDLE);
    for (tw_tick tick = 1; tick <= 40; tick++)
        design->advance(timers, tick, note_fired, fired);
    assert_int_equal(fired->restart_status, TW_OK);
}

static void assert_same_state(const struct tw_backend *one, const struct tw_timers *bare,
                              const struct tw_backend *other, const struct tw_timers *layered)
{
    struct tw_description bare_says, layered_says;
    size_t bare_count = 0, layered_count = 0;
    one->describe(bare, &bare_says);
    other->describe(layered, &layered_says);
    assert_true(bare_says.span == layered_says.span);
    assert_int_equal(bare_says.setting_count, layered_says.setting_count);
    one->visit(bare, count_views, &bare_count);
    other->visit(layered, count_views, &layered_count);
    assert_int_equal(bare_count, layered_count);
    assert_true(one->next(bare) == other->next(layered));
    assert_true(one->footprint(bare).capacity_bytes == other->footprint(layered).capacity_bytes);
    assert_null(other->check(layered));
    if (one->work(bare))
        assert_memory_equal(one->work(bare), other->work(layered), sizeof(struct tw_work));
    else
        assert_null(other->work(layered));
}

/* Layers over an instance of each design, timed or counted: nothing but the instance shows. */
static void check_through(const struct tw_backend *design)
{
    struct fired *bare = calloc(1, sizeof *bare), *layered = calloc(1, sizeof *layered);
    struct tw_timers *timers = open_design(design);
    struct layer drag;
    struct layer cap;
    assert_non_null(bare);
    assert_non_null(layered);
    assert_int_equal(layer_cap(&cap, design, open_design(design), IDS), TW_OK);
    assert_int_equal(layer_drag(&drag, &cap.table, cap.timers, 0.1), TW_OK);
    assert_string_equal(drag.table.name, design->name);
    assert_true(drag.table.traits.flags == design->traits.flags);
    assert_null(drag.table.open);
    drive(design, timers, bare);
    drive(&drag.table, drag.timers, layered);
    assert_int_equal(bare->count, layered->count);
    assert_memory_equal(bare->ids, layered->ids, sizeof bare->ids);
    assert_memory_equal(bare->ticks, layered->ticks, sizeof bare->ticks);
    assert_same_state(design, timers, &drag.table, drag.timers);
    design->close(timers);
    drag.table.close(drag.timers);
    free(bare);
    free(layered);
}

TEST(test_layers_hand_through)
{
    for (size_t i = 0; i < registry_count; i++) {
        if (registry[i].timed->traits.flags & TW_KEEPS_NOTHING)
            continue;
        check_through(registry[i].timed);
        check_through(registry[i].counted);
    }
}

/* ---- The cap. -------------------------------------------------------------------------------- */

TEST(test_cap_counts_what_runs)
{
    const struct tw_backend *heap = registry_find("heap")->timed;
    struct layer cap;
    assert_int_equal(layer_cap(&cap, heap, open_design(heap), 2), TW_OK);
    struct fired fired = {.design = &cap.table, .timers = cap.timers, .restart = true};
    assert_int_equal(cap.table.start(cap.timers, 0, 5), TW_OK);
    assert_int_equal(cap.table.start(cap.timers, 1, 6), TW_OK);
    assert_int_equal(cap.table.start(cap.timers, 2, 5), TW_REFUSED_FULL);
    assert_int_equal(cap.table.stop(cap.timers, 2), TW_IDLE);
    assert_int_equal(cap.table.start(cap.timers, 1, 7), TW_REARMED);
    assert_null(cap.table.check(cap.timers));
    assert_int_equal(cap.table.stop(cap.timers, 1), TW_OK);
    assert_int_equal(cap.table.start(cap.timers, 2, 5), TW_OK);
    assert_int_equal(cap.table.start(cap.timers, 1, 5), TW_REFUSED_FULL);
    cap.table.advance(cap.timers, 5, note_fired, &fired);
    /* Both fired, and the first took its own place again inside the callback. */
    assert_int_equal(fired.count, 2);
    assert_int_equal(fired.restart_status, TW_OK);
    assert_int_equal(cap.table.start(cap.timers, 3, 9), TW_OK);
    assert_int_equal(cap.table.start(cap.timers, 4, 9), TW_REFUSED_FULL);
    assert_true(cap.table.footprint(cap.timers).fixed_bytes >
                heap->footprint(((struct layer_below *)(void *)cap.timers)->inner).fixed_bytes);
    cap.table.close(cap.timers);
}

/* ---- The drag. ------------------------------------------------------------------------------- */

static void put_drag(struct layer *drag, double share)
{
    const struct tw_backend *heap = registry_find("heap")->timed;
    assert_int_equal(layer_drag(drag, heap, open_design(heap), share), TW_OK);
}

static void start_and_stop(struct layer *drag, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        assert_int_equal(drag->table.start(drag->timers, 0, 10), TW_OK);
        assert_int_equal(drag->table.stop(drag->timers, 0), TW_OK);
    }
}

/* On every core, however fast and however disturbed: what was asked for of the time that passed, by the same clock, and
 * a chain's last links more. */
TEST(test_a_drag_takes_its_share)
{
    static const double shares[] = {0, 0.02, 0.05, 0.5};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct layer drag;
        put_drag(&drag, shares[i]);
        start_and_stop(&drag, DRAG_CALLS / 2);
        uint64_t first = layer_drag_ledger(&drag).pulls;
        start_and_stop(&drag, (size_t)20 * DRAG_CALLS);
        for (tw_tick tick = 1; tick <= 4 * DRAG_CALLS / DRAG_ADVANCE; tick++)
            drag.table.advance(drag.timers, tick, note_fired, NULL);
        struct drag_ledger ledger = layer_drag_ledger(&drag);
        assert_int_equal(ledger.pulls - first, 44);
        assert_true(ledger.passed > 0);
        if (shares[i] > 0)
            assert_true(ledger.spent >= shares[i] * ledger.passed);
        else
            assert_true(ledger.spent == 0);
        drag.table.close(drag.timers);
    }
}

TEST_MAIN(NULL, NULL)
