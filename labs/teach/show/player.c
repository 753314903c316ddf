/* player.c - drives a design through a script and looks at it after every step. */
#include "labs/teach/show/script.h"

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/measure/sched/answers.h"

/* Timers of all frames together: beyond it the film would not fit where it is looked at. */
#define TIMERS_OF_FILM_MAX 2000000

/* A growing array. */
struct pile {
    void *items;
    size_t count, room;
};

struct player {
    const struct player_request *request;
    const struct tw_backend *design;
    struct tw_timers *timers;
    struct film *film;
    uint64_t now;
    uint64_t steps;     /* advance calls */
    size_t timers_kept; /* in all frames */
    struct pile events; /* of the coming frame */
    struct pile seen;   /* what visit finds */
    struct pile frames;
    struct film_timer *before; /* by id, as last seen; due 0: was not there */
    uint64_t *dues;            /* by id: when it has to fire; 0: it does not run */
    uint64_t *delays;          /* by id: what it was started with */
    struct diag *diag;
};

/* ---- Piles. ---------------------------------------------------------------------------------- */

static void pile_add(struct pile *pile, const void *item, size_t size)
{
    memory_room(&pile->items, pile->count, &pile->room, size);
    memcpy((char *)pile->items + pile->count++ * size, item, size);
}

/* A copy of exactly its size, which may be NULL when there is nothing. */
static void *pile_copy(struct pile *pile, size_t size)
{
    void *copy = pile->count ? memory_take(pile->count, size) : NULL;
    if (copy)
        memcpy(copy, pile->items, pile->count * size);
    return copy;
}

static void event_add(struct player *player, struct film_event event)
{
    pile_add(&player->events, &event, sizeof event);
}

static void broken(struct player *player, const char *what)
{
    if (player->film->broken[0] == '\0')
        snprintf(player->film->broken, sizeof player->film->broken, "at tick %" PRIu64 ": %s",
                 player->now, what);
}

/* ---- Looking. -------------------------------------------------------------------------------- */

static void see(void *ctx, const struct tw_view *view)
{
    struct player *player = ctx;
    struct film_timer timer = {view->id, view->level, view->slot, view->rounds, view->deadline};
    if (view->id >= player->film->name_count)
        broken(player, "visit shows a timer that was never started");
    else
        pile_add(&player->seen, &timer, sizeof timer);
}

/* By level and slot; what shares a slot stays in the order of the visit, which the sort finds in
 * `rounds` because it is put there for as long as it takes. */
struct sortable {
    struct film_timer timer;
    size_t place;
};

static int compare_places(const void *a, const void *b)
{
    const struct sortable *one = a, *other = b;
    if (one->timer.level != other->timer.level)
        return one->timer.level < other->timer.level ? -1 : 1;
    if (one->timer.slot != other->timer.slot)
        return one->timer.slot < other->timer.slot ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

static void sort_seen(struct pile *seen)
{
    struct film_timer *timers = seen->items;
    struct sortable *sorted = memory_take(seen->count + 1, sizeof *sorted);
    for (size_t i = 0; i < seen->count; i++)
        sorted[i] = (struct sortable){timers[i], i};
    qsort(sorted, seen->count, sizeof *sorted, compare_places);
    for (size_t i = 0; i < seen->count; i++)
        timers[i] = sorted[i].timer;
    free(sorted);
}

/* What changed its level since it was last seen, without having been started again. */
static void find_moves(struct player *player)
{
    const struct film_timer *seen = player->seen.items;
    for (size_t i = 0; i < player->seen.count; i++) {
        struct film_timer *before = &player->before[seen[i].id];
        if (before->due == seen[i].due && before->level != seen[i].level)
            event_add(player, (struct film_event){.kind = FILM_MOVED,
                                                  .timer = seen[i].id,
                                                  .level = seen[i].level,
                                                  .slot = seen[i].slot,
                                                  .old_level = before->level,
                                                  .old_slot = before->slot});
        *before = seen[i];
    }
}

/* Where the timers of start events came to be. */
static void place_starts(struct player *player)
{
    struct film_event *events = player->events.items;
    const struct film_timer *seen = player->seen.items;
    for (size_t i = 0; i < player->events.count; i++)
        for (size_t j = 0; j < player->seen.count; j++)
            if (events[i].kind <= FILM_REARMED && seen[j].id == events[i].timer) {
                events[i].level = seen[j].level;
                events[i].slot = seen[j].slot;
                events[i].rounds = seen[j].rounds;
            }
}

static void check_running(struct player *player)
{
    const struct film_timer *seen = player->seen.items;
    const char *invariant = player->design->check(player->timers);
    size_t running = 0;
    if (player->design->traits.flags & TW_KEEPS_NOTHING)
        return;
    if (invariant)
        broken(player, invariant);
    for (uint32_t id = 0; id < player->film->name_count; id++)
        running += player->dues[id] != 0;
    if (running != player->seen.count)
        broken(player, "visit does not show exactly the timers that run");
    for (size_t i = 0; i < player->seen.count; i++)
        if (seen[i].due < player->dues[seen[i].id])
            broken(player, "visit shows a due tick before the deadline");
}

static void look(struct player *player)
{
    player->seen.count = 0;
    player->design->visit(player->timers, see, player);
    sort_seen(&player->seen);
    check_running(player);
    find_moves(player);
    place_starts(player);
}

/* ---- Frames. --------------------------------------------------------------------------------- */

static int frame_take(struct player *player, const char *statement, bool last)
{
    const struct tw_work *work = player->design->work(player->timers);
    struct film_frame frame = {
        .last = last,
        .now = player->now,
        .next = player->design->next(player->timers),
        .step = player->steps,
        .work = work ? *work : (struct tw_work){0},
        .timers = pile_copy(&player->seen, sizeof(struct film_timer)),
        .timer_count = player->seen.count,
        .events = pile_copy(&player->events, sizeof(struct film_event)),
        .event_count = player->events.count,
    };
    player->film->counts = work != NULL;
    snprintf(frame.statement, sizeof frame.statement, "%s", statement);
    pile_add(&player->frames, &frame, sizeof frame);
    player->film->frames = player->frames.items;
    player->film->frame_count = player->frames.count;
    player->events.count = 0;
    player->timers_kept += frame.timer_count;
    if (player->timers_kept > TIMERS_OF_FILM_MAX)
        return diag_usage(player->diag,
                          "%s: the steps show more than %d timers together; expected fewer timers, "
                          "or a jump instead of ticks",
                          player->request->script->source, TIMERS_OF_FILM_MAX);
    return DIAG_OK;
}

/* ---- Statements. ----------------------------------------------------------------------------- */

/* What the traits allow. */
static uint64_t late_max(const struct player *player, uint32_t id)
{
    const struct tw_traits *traits = &player->design->traits;
    return traits->late_ticks + (traits->late_shift ? player->delays[id] >> traits->late_shift : 0);
}

static void fired(void *ctx, tw_id id, tw_tick now)
{
    struct player *player = ctx;
    if (id >= player->film->name_count || player->dues[id] == 0) {
        broken(player, "a timer fired that does not run");
        return;
    }
    uint64_t due = player->dues[id];
    if (now < due || now - due > late_max(player, id))
        broken(player, "a timer fired at another tick than it was due");
    event_add(player,
              (struct film_event){.kind = FILM_FIRED, .timer = id, .tick = now, .late = now - due});
    player->dues[id] = 0;
    player->before[id].due = 0;
}

static void advance(struct player *player, uint64_t to)
{
    player->now = to;
    player->steps++;
    player->design->advance(player->timers, to, fired, player);
    look(player);
}

static int refuse(const struct player *player, const struct script_statement *statement,
                  const char *found, const char *expected)
{
    const struct script *script = player->request->script;
    return diag_usage(player->diag, "%s:%u:%u: found %s, expected %s", script->source,
                      statement->line, statement->column, found, expected);
}

static int do_start(struct player *player, const struct script_statement *statement)
{
    uint32_t id = statement->timer;
    if (statement->verb == SCRIPT_ADD && player->dues[id] != 0)
        return refuse(player, statement, "'add' of a timer that runs",
                      "another name, or 'restart'");
    uint64_t left = TW_DEADLINE_MAX - player->now;
    uint64_t deadline = player->now + (statement->amount < left ? statement->amount : left);
    uint64_t due = deadline > player->now ? deadline : player->now + 1;
    int status = player->design->start(player->timers, id, deadline);
    struct film_event event = {.timer = id, .tick = due};
    event.kind = status < 0 ? FILM_REFUSED : status == TW_REARMED ? FILM_REARMED : FILM_STARTED;
    if (status >= 0) {
        player->dues[id] = due;
        player->delays[id] = due - player->now;
        player->before[id].due = 0;
    }
    event_add(player, event);
    if (statement->rounded)
        event_add(player, (struct film_event){
                              .kind = FILM_ROUNDED, .timer = id, .tick = statement->amount});
    return DIAG_OK;
}

static void do_stop(struct player *player, uint32_t id)
{
    bool ran = player->dues[id] != 0;
    int status = player->design->stop(player->timers, id);
    if ((status == TW_OK) != ran && !(player->design->traits.flags & TW_KEEPS_NOTHING))
        broken(player, "stop did not say whether the timer ran");
    player->dues[id] = 0;
    player->before[id].due = 0;
    event_add(player, (struct film_event){.kind = ran ? FILM_STOPPED : FILM_WAS_IDLE, .timer = id});
}

static bool is_kept(const struct player *player, const struct script_statement *statement,
                    bool last)
{
    return statement->amount <= PLAYER_STEPS_KEPT || player->events.count > 0 || last;
}

static int do_ticks(struct player *player, const struct script_statement *statement)
{
    int status = DIAG_OK;
    for (uint64_t i = 1; i <= statement->amount && status == DIAG_OK; i++) {
        if (player->now >= TW_DEADLINE_MAX)
            return refuse(player, statement, "the end of time", "fewer ticks");
        advance(player, player->now + 1);
        if (is_kept(player, statement, i == statement->amount))
            status = frame_take(player, statement->text, i == statement->amount);
    }
    return status;
}

/* Until nothing runs, at most as often as asked. */
static int do_nexts(struct player *player, const struct script_statement *statement)
{
    int status = DIAG_OK;
    bool done = statement->amount == 0;
    for (uint64_t i = 1; !done && status == DIAG_OK; i++) {
        uint64_t next = player->design->next(player->timers);
        if (next == TW_NEVER)
            return frame_take(player, statement->text, true);
        if (next <= player->now) {
            broken(player, "next answers a tick that is over");
            next = player->now + 1;
        }
        advance(player, next);
        done = i == statement->amount || player->design->next(player->timers) == TW_NEVER;
        if (is_kept(player, statement, done))
            status = frame_take(player, statement->text, done);
    }
    return status;
}

static int do_jump(struct player *player, const struct script_statement *statement)
{
    if (statement->amount > TW_DEADLINE_MAX - player->now)
        return refuse(player, statement, "a jump beyond the end of time", "a shorter one");
    if (statement->amount > 0)
        advance(player, player->now + statement->amount);
    return frame_take(player, statement->text, true);
}

static int do_statement(struct player *player, const struct script_statement *statement)
{
    int status = DIAG_OK;
    switch (statement->verb) {
    case SCRIPT_TICK:
        return do_ticks(player, statement);
    case SCRIPT_JUMP:
        return do_jump(player, statement);
    case SCRIPT_NEXT:
        return do_nexts(player, statement);
    case SCRIPT_STOP:
        do_stop(player, statement->timer);
        break;
    case SCRIPT_ADD:
    case SCRIPT_RESTART:
        status = do_start(player, statement);
        break;
    }
    if (status != DIAG_OK)
        return status;
    look(player);
    return frame_take(player, statement->text, true);
}

/* ---- From open to close. --------------------------------------------------------------------- */

static uint64_t capacity_of(const struct player_request *request)
{
    uint64_t names = request->script->name_count;
    return request->capacity ? request->capacity : names ? names : 1;
}

static void describe(struct player *player)
{
    struct tw_description description;
    char reason[ANSWERS_REASON];
    struct film *film = player->film;
    struct text text = text_in(film->settings, sizeof film->settings);
    if (!answers_describe(player->design, player->timers, &description, reason))
        snprintf(film->broken, sizeof film->broken, "%s", reason);
    kinds_lay_out(player->design, &description, capacity_of(player->request), film);
    film->span_ticks = description.span;
    for (size_t i = 0; i < description.setting_count; i++) {
        const struct tw_setting *setting = &description.settings[i];
        for (uint32_t v = 0; v < setting->count; v++)
            text_add(&text, "%s%s%s%" PRIu64, v == 0 && i > 0 ? " " : "",
                     v == 0 ? setting->name : "", v == 0 ? "=" : ",", setting->values[v]);
    }
}

static void film_begin(struct player *player)
{
    const struct script *script = player->request->script;
    struct film *film = player->film = memory_take(1, sizeof *film);
    size_t count = script->name_count + 1;
    player->before = memory_take(count, sizeof *player->before);
    player->dues = memory_take(count, sizeof *player->dues);
    player->delays = memory_take(count, sizeof *player->delays);
    film->names = memory_take(count, sizeof *film->names);
    for (uint32_t i = 0; i < script->name_count; i++)
        memcpy(film->names[i], script->names[i], sizeof film->names[i]);
    film->name_count = script->name_count;
    film->tick_ns = script->tick_ns;
    snprintf(film->design, sizeof film->design, "%s", player->design->name);
}

static int open_design(struct player *player)
{
    const struct player_request *request = player->request;
    struct tw_error error = {""};
    struct tw_config config = {
        .capacity = (uint32_t)capacity_of(request),
        .horizon = request->script->longest_ticks,
        .settings = request->settings,
        .setting_count = request->setting_count,
    };
    if (request->capacity && request->capacity < request->script->name_count)
        return diag_usage(player->diag,
                          "--capacity: %" PRIu64 " given; expected at least the %u timers of %s",
                          request->capacity, request->script->name_count, request->script->source);
    int status = player->design->open(&player->timers, &config, &error);
    if (status == TW_REFUSED_MEMORY)
        return diag_run(player->diag, "%s: %s", player->design->name, error.text);
    if (status != TW_OK)
        return diag_usage(player->diag, "%s: %s", player->design->name, error.text);
    return DIAG_OK;
}

static int play(struct player *player)
{
    const struct script *script = player->request->script;
    describe(player);
    look(player);
    int status = frame_take(player, "", true);
    for (size_t i = 0; i < script->statement_count && status == DIAG_OK; i++)
        status = do_statement(player, &script->statements[i]);
    player->design->close(player->timers);
    kinds_trim(player->film, player->request->setting_count > 0);
    return status;
}

int player_run(const struct player_request *request, struct film **out, struct diag *diag)
{
    struct player player = {.request = request, .design = request->design, .diag = diag};
    film_begin(&player);
    int status = open_design(&player);
    if (status == DIAG_OK)
        status = play(&player);
    free(player.events.items);
    free(player.seen.items);
    free(player.before);
    free(player.dues);
    free(player.delays);
    if (status == DIAG_OK)
        *out = player.film;
    else
        film_free(player.film);
    return status;
}
