/* test_show.c - films of running designs: what they record, how they fold, and the worked examples. */
#include "impls/registry.h"
#include "labs/teach/show/script.h"
#include "labs/teach/show/worked.h"
#include "testing.h"

static int try_play(const struct tw_backend *design, const struct tw_setting *setting,
                    const char *text, struct film **film, struct diag *diag)
{
    struct script *script;
    int status = script_parse("x", text, strlen(text), 0, &script, diag);
    assert_int_equal(status, DIAG_OK);
    struct player_request request = {
        .design = design, .settings = setting, .setting_count = setting != NULL, .script = script};
    status = player_run(&request, film, diag);
    script_free(script);
    return status;
}

static struct film *play(const char *design, const struct tw_setting *setting, const char *text)
{
    struct film *film = NULL;
    struct diag diag = {""};
    if (try_play(registry_find(design)->counted, setting, text, &film, &diag) != DIAG_OK)
        fail_msg("%s: %s", design, diag.text);
    return film;
}

static const struct tw_setting slots_8 = {.name = "slots", .count = 1, .values = {8}};
static const struct tw_setting clock_levels = {
    .name = "levels", .count = 3, .values = {60, 60, 24}};

/* ---- What is recorded. ----------------------------------------------------------------------- */

TEST(test_frames_of_a_wheel)
{
    struct film *film = play("round", &slots_8, "add a 3s; add b 10s; tick 3; stop b; stop b");
    assert_int_equal(film->shape, FILM_WHEEL);
    assert_int_equal(film->level_count, 1);
    assert_int_equal(film->levels[0].size, 8);
    assert_string_equal(film->settings, "slots=8");
    assert_int_equal(film->frame_count, 8);
    const struct film_frame *frames = film->frames;
    assert_int_equal(frames[0].timer_count, 0);
    assert_true(frames[0].next == UINT64_MAX);
    assert_int_equal(frames[2].timer_count, 2);
    assert_int_equal(frames[2].timers[0].slot, 2);
    assert_int_equal(frames[2].timers[0].rounds, 1);
    assert_int_equal(frames[2].next, 3);
    assert_false(film_is_key(film, 3));
    assert_true(film_is_key(film, 5));
    assert_int_equal(frames[5].events[0].kind, FILM_FIRED);
    assert_int_equal(frames[5].events[0].tick, 3);
    assert_int_equal(frames[5].step, 3);
    assert_int_equal(film_pointer(film, 0, frames[5].now), 3);
    assert_int_equal(frames[6].events[0].kind, FILM_STOPPED);
    assert_int_equal(frames[7].events[0].kind, FILM_WAS_IDLE);
    assert_string_equal(film->broken, "");
    film_free(film);
}

TEST(test_demotions)
{
    struct film *film = play("hier", &clock_levels, "add a 70s; tick 60; tick 10");
    char text[400];
    assert_int_equal(film->level_count, 3);
    assert_int_equal(film->levels[2].unit, 3600);
    assert_int_equal(film->frame_count, 72);
    const struct film_frame *turn = &film->frames[61];
    assert_int_equal(turn->now, 60);
    assert_int_equal(turn->event_count, 1);
    assert_int_equal(turn->events[0].kind, FILM_MOVED);
    film_format_event(film, &turn->events[0], text, sizeof text);
    assert_string_equal(text, "a goes down from level 1 slot 1 to level 0 slot 10");
    assert_int_equal(film->frames[71].events[0].kind, FILM_FIRED);
    film_free(film);
}

TEST(test_many_ticks_keep_what_happens)
{
    struct film *film = play("hashed", &slots_8, "add a 1000; tick 5000");
    assert_int_equal(film->frame_count, 4);
    assert_int_equal(film->frames[2].now, 1000);
    assert_int_equal(film->frames[3].now, 5000);
    assert_int_equal(film->frames[3].step, 5000);
    film_free(film);
}

TEST(test_next_is_tickless)
{
    struct film *film = play("heap", NULL, "add a 500; add b 100; next 9");
    assert_int_equal(film->frame_count, 5);
    assert_int_equal(film->frames[3].now, 100);
    assert_int_equal(film->frames[4].step, 2);
    assert_true(film->frames[4].last);
    film_free(film);
}

/* Every design plays the same story, and none of them is found broken; what is exact fires on time. */
TEST(test_every_design)
{
    for (size_t i = 0; i < registry_count; i++) {
        const struct tw_backend *design = registry[i].counted;
        struct film *film = play(design->name, NULL,
                                 "add a 3; add b 10; add c 10; tick 2; stop b; restart a 30; "
                                 "add d 25; jump 20; tick 5; restart c 30; next 20; jump 500");
        const struct film_frame *end = &film->frames[film->frame_count - 1];
        if (film->broken[0])
            fail_msg("%s: %s", design->name, film->broken);
        for (size_t f = 0; f < film->frame_count; f++)
            for (size_t t = 0; t < film->frames[f].timer_count; t++) {
                const struct film_timer *timer = &film->frames[f].timers[t];
                if (film->shape == FILM_WHEEL && (timer->level >= film->level_count ||
                                                  timer->slot >= film->levels[timer->level].size))
                    fail_msg("%s: a timer at level %u slot %u is not in the drawing", design->name,
                             timer->level, timer->slot);
                if (film->shape == FILM_TREE && timer->slot < film->root)
                    fail_msg("%s: a timer above the root", design->name);
            }
        if (!(design->traits.flags & TW_KEEPS_NOTHING))
            assert_int_equal(end->timer_count, 0);
        film_free(film);
    }
}

/* ---- What is found wrong. -------------------------------------------------------------------- */

static int start_late(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return registry_find("list")->counted->start(timers, id, deadline + 1);
}

static void visit_nothing(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    (void)timers, (void)visit, (void)ctx;
}

static const char *check_breaks(const struct tw_timers *timers)
{
    (void)timers;
    return "the sky falls";
}

static void expect_broken(const struct tw_backend *design, const char *what)
{
    struct film *film = NULL;
    struct diag diag = {""};
    assert_int_equal(try_play(design, NULL, "add a 3; tick 9", &film, &diag), DIAG_OK);
    if (!strstr(film->broken, what))
        fail_msg("'%s' does not say '%s'", film->broken, what);
    film_free(film);
}

TEST(test_a_wrong_design_is_seen)
{
    struct tw_backend design = *registry_find("list")->counted;
    design.start = start_late;
    expect_broken(&design, "another tick than it was due");
    design = *registry_find("list")->counted;
    design.visit = visit_nothing;
    expect_broken(&design, "exactly the timers that run");
    design = *registry_find("list")->counted;
    design.check = check_breaks;
    expect_broken(&design, "at tick 0: the sky falls");
}

TEST(test_statements_without_sense)
{
    const struct tw_backend *list = registry_find("list")->counted;
    struct film *film = NULL;
    struct diag diag = {""};
    assert_int_equal(try_play(list, NULL, "add a 3\n tick; add a 9", &film, &diag), DIAG_USAGE);
    assert_string_equal(diag.text,
                        "x:2:8: found 'add' of a timer that runs, expected another name, "
                        "or 'restart'");
    assert_int_equal(try_play(list, NULL, "jump 1e19; jump 1e19", &film, &diag), DIAG_USAGE);
    assert_string_equal(diag.text,
                        "x:1:12: found a jump beyond the end of time, expected a shorter one");
    assert_int_equal(try_play(list, &slots_8, "tick", &film, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "slots"));
    assert_null(film);
}

/* ---- Folds. ---------------------------------------------------------------------------------- */

TEST(test_folds)
{
    struct film_cell cells[64];
    struct film_timer timers[] = {{.id = 0, .slot = 500}, {.id = 1, .slot = 500}};
    struct film_frame frame = {.now = 3, .timers = timers, .timer_count = 2};
    struct film film = {.level_count = 1};
    for (uint64_t size = 1; size < 4000; size = size * 3 / 2 + 1)
        for (size_t max = 4; max <= 64; max += 5) {
            uint64_t at = 0;
            size_t held = 0;
            bool pointer = false;
            film.levels[0] = (struct film_level){size, 1};
            size_t count = film_fold(&film, &frame, 0, cells, max);
            assert_true(count <= max);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(cells[i].first, at);
                at = cells[i].last + 1;
                held += cells[i].timers;
                pointer |= cells[i].first == cells[i].last && cells[i].first == 3 % size;
            }
            assert_int_equal(at, size);
            assert_int_equal(held, size > 500 ? 2 : 0);
            assert_true(pointer);
        }
}

/* ---- Worked examples. ------------------------------------------------------------------------ */

TEST(test_every_example_is_right)
{
    for (size_t i = 0; i < worked_count(); i++) {
        struct worked_result result;
        struct diag diag = {""};
        if (worked_run(worked_at(i), &result, &diag) != DIAG_OK)
            fail_msg("%s: %s", worked_name(worked_at(i)), diag.text);
        for (size_t a = 0; a < result.answer_count; a++)
            if (!worked_answer_is_right(&result.answers[a]))
                fail_msg("%s: %s: %" PRIu64 ", expected %" PRIu64, worked_name(worked_at(i)),
                         result.answers[a].what, result.answers[a].found,
                         result.answers[a].expected);
        assert_true(worked_is_right(&result));
        worked_free(&result);
    }
}

/* The numbers of the articles, written down here once more: the table must not agree with itself
 * alone. */
TEST(test_answers)
{
    static const struct {
        const char *example, *what;
        uint64_t value;
    } rows[] = {
        {"W1", "a: slot", 3},
        {"W1", "b: slot", 2},
        {"W1", "b: round", 1},
        {"W2", "a: fires", 13},
        {"W2", "b: fires", 13},
        {"W2", "c: fires", 21},
        {"W3", "a: slot", 5},
        {"W3", "b: slot", 4},
        {"W3", "b: round", 1},
        {"W4", "a: slot", 1},
        {"W4", "a: round", 1},
        {"W5", "a: slot", 20},
        {"W6", "a: slot", 10},
        {"W6", "a: visits", 3},
        {"W7", "a: slot", 8},
        {"W7", "a: round", 0},
        {"W7", "b: slot", 6},
        {"W7", "b: round", 1},
        {"W8", "a: slot", 4},
        {"W8", "a: round", 1},
        {"W9", "a: level", 2},
        {"W9", "a: goes down", 18000},
        {"W9", "a: ticks left", 600},
        {"W13", "per slot", 49710},
        {"W10", "slots=864000: pointer", 298230},
        {"W10", "24,10: pointer", 93},
        {"W11", "range=864000: slots", 864000},
        {"W11", "24,10: slots", 3634},
        {"W12", "levels=60: reach", 60},
        {"W12", "levels=60,60: reach", 3600},
        {"W14", "wake-ups", 1},
        {"W15", "id: slot", 16},
        {"W15", "id: fires", 47},
        {"C-slot", "as printed, 5", 11},
        {"C-slot", "put right, (5", 3},
        {"C-round", "as printed", 14400},
        {"C-round", "put right", 10800},
        {"D-period", "as printed", 5},
        {"D-walk", "as printed", 1},
        {"D-walk", "put right", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct worked_result result;
        struct diag diag = {""};
        size_t a = 0;
        assert_int_equal(worked_run(worked_find(rows[i].example), &result, &diag), DIAG_OK);
        while (a < result.answer_count && !strstr(result.answers[a].what, rows[i].what))
            a++;
        if (a == result.answer_count || result.answers[a].found != rows[i].value)
            fail_msg("%s has no '%s' of %" PRIu64, rows[i].example, rows[i].what, rows[i].value);
        worked_free(&result);
    }
}

TEST(test_wrong_answers_are_wrong)
{
    struct worked_result result = {.answer_count = 1};
    result.answers[0] = (struct worked_answer){.found = 3, .expected = 3};
    assert_true(worked_is_right(&result));
    result.answers[0].found = 4;
    assert_false(worked_is_right(&result));
    result.answers[0].as_printed = true;
    assert_true(worked_is_right(&result));
    result.answers[0].found = 3;
    assert_false(worked_is_right(&result));
    result.answer_count = 0;
    assert_false(worked_is_right(&result));
    assert_null(worked_find("W99"));
    assert_string_equal(worked_name(worked_find("w7")), "W7");
}

TEST_MAIN(NULL, NULL)
