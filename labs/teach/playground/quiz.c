/* quiz.c - draws questions from a running design, and has a second instance of it answer them. */
#include "labs/teach/playground/quiz.h"

#include "harness/base/hash.h"
#include "harness/base/text.h"

#define LONGEST     16383 /* ticks that a question waits for, with few levels of many slots */
#define LONGEST_ONE 60    /* of a design without slots */

enum kind { PLACE, ROUNDS, FIRES, FIRST, CASCADE, LEAVES, MOVES, BY, KINDS };

/* What is asked how often of ten, by what the places of a design look like. */
enum looks { ONE_WHEEL, WHEELS, ORDERED, HEAP_OF_ALL, LOOKS };
static const uint32_t shares[LOOKS][KINDS] = {
    [ONE_WHEEL] = {[PLACE] = 3, [ROUNDS] = 2, [FIRES] = 2, [FIRST] = 1, [BY] = 2},
    [WHEELS] = {[PLACE] = 3, [FIRES] = 1, [FIRST] = 1, [CASCADE] = 3, [LEAVES] = 1, [BY] = 1},
    [ORDERED] = {[PLACE] = 4, [FIRES] = 1, [FIRST] = 1, [MOVES] = 3, [BY] = 1},
    [HEAP_OF_ALL] = {[FIRES] = 4, [FIRST] = 3, [BY] = 3},
};

/* A timer where `visit` found it; due 0: it does not run. */
struct seen {
    uint32_t level, slot;
    uint64_t rounds, due;
};

/* A second instance, and what it did since it was made. */
struct copy {
    const struct quiz *quiz;
    struct tw_timers *timers;
    tw_tick now;
    tw_tick fired[QUIZ_TIMERS]; /* the tick; 0: it has not */
    struct seen seen[QUIZ_TIMERS];
};

/* ---- Instances. ------------------------------------------------------------------------------ */

/* Few slots, so that timers meet in them, levels cascade, and pictures are small. */
static const struct tw_setting small[] = {
    {"slots", 1, {8}},    {"levels", 3, {8, 8, 8}}, {"units", 3, {1, 8, 64}}, {"range", 1, {16}},
    {"timeout", 1, {16}}, {"depth", 1, {3}},        {"handful", 1, {0}},
};

static int instance_open(const struct tw_backend *design, struct tw_timers **out,
                         struct tw_error *error)
{
    struct tw_setting settings[sizeof small / sizeof *small];
    struct tw_config config = {.capacity = QUIZ_TIMERS, .horizon = 64, .settings = settings};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        const struct tw_param *param = param_find(design->params, small[i].name);
        if (!param)
            continue;
        settings[config.setting_count] = small[i];
        for (uint32_t k = 0; k < small[i].count; k++)
            if (settings[config.setting_count].values[k] < param->min)
                settings[config.setting_count].values[k] = param->min;
        config.setting_count++;
    }
    return design->open(out, &config, error);
}

static void no_fire(void *ctx, tw_id id, tw_tick now)
{
    (void)ctx, (void)id, (void)now;
}

static void note_fire(void *ctx, tw_id id, tw_tick now)
{
    struct copy *copy = ctx;
    copy->fired[id] = now;
}

static void step_do(const struct tw_backend *design, struct tw_timers *timers, tw_tick *now,
                    const struct quiz_step *step, tw_expire_fn *expire, void *ctx)
{
    if (step->verb == QUIZ_START)
        (void)design->start(timers, step->id, step->to);
    else if (step->verb == QUIZ_STOP)
        (void)design->stop(timers, step->id);
    else
        while (*now < step->to) {
            *now = step->verb == QUIZ_JUMP ? step->to : *now + 1;
            design->advance(timers, *now, expire, ctx);
        }
}

static void see(void *ctx, const struct tw_view *view)
{
    struct seen *seen = ctx;
    seen[view->id] = (struct seen){view->level, view->slot, view->rounds, view->deadline};
}

static void look(const struct quiz *quiz, const struct tw_timers *timers, struct seen *seen)
{
    memset(seen, 0, QUIZ_TIMERS * sizeof *seen);
    quiz->design->visit(timers, see, seen);
}

/* False without memory. */
static bool copy_make(const struct quiz *quiz, struct copy *copy)
{
    struct tw_error unused;
    *copy = (struct copy){.quiz = quiz};
    if (instance_open(quiz->design, &copy->timers, &unused) != TW_OK)
        return false;
    for (uint32_t i = 0; i < quiz->step_count; i++)
        step_do(quiz->design, copy->timers, &copy->now, &quiz->steps[i], no_fire, NULL);
    look(quiz, copy->timers, copy->seen);
    return true;
}

static void copy_do(struct copy *copy, enum quiz_verb verb, tw_id id, tw_tick to)
{
    step_do(copy->quiz->design, copy->timers, &copy->now, &(struct quiz_step){verb, id, to},
            note_fire, copy);
    look(copy->quiz, copy->timers, copy->seen);
}

/* Tick by tick to the one on which any of these fires; false: none does in the time that is asked about. */
static bool copy_until_fired(struct copy *copy, uint64_t which)
{
    tw_tick end = copy->now + 2 * copy->quiz->most + 64;
    while (copy->now < end) {
        copy_do(copy, QUIZ_TICKS, 0, copy->now + 1);
        for (tw_id id = 0; id < QUIZ_TIMERS; id++)
            if (copy->fired[id] && (which >> id & 1))
                return true;
    }
    return false;
}

/* ---- Texts. ---------------------------------------------------------------------------------- */

#define SAY(quiz, ...) snprintf((quiz)->text, sizeof(quiz)->text, __VA_ARGS__)

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool has_levels(const struct quiz *quiz)
{
    return quiz->film.shape == FILM_WHEEL && quiz->film.level_count > 1;
}

/* "level 1 slot 5", "slot 5", "index 3". */
static const char *place_of(const struct quiz *quiz, const struct seen *at, char out[48])
{
    static const char *const words[] = {"slot", "place", "index", "place"};
    char level[24] = "";
    if (has_levels(quiz))
        snprintf(level, sizeof level, "level %u ", at->level);
    snprintf(out, 48, "%s%s %u", level, words[quiz->film.shape], at->slot);
    return out;
}

static void why(struct quiz *quiz, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void why(struct quiz *quiz, const char *format, ...)
{
    char more[300];
    va_list args;
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    text_add_behind(quiz->why, sizeof quiz->why, "%s%s", quiz->why[0] ? " " : "", more);
}

/* Names the timers that moved, or fired, with what became of them. */
static uint64_t why_moved(struct quiz *quiz, const struct seen *before, const struct seen *after,
                          bool by_level)
{
    uint64_t which = 0;
    for (tw_id id = 0; id < QUIZ_TIMERS; id++) {
        char from[48], to[48];
        bool moved =
            by_level ? before[id].level != after[id].level : before[id].slot != after[id].slot;
        if (!before[id].due || !after[id].due || !moved)
            continue;
        which |= UINT64_C(1) << id;
        why(quiz, "%c goes from %s to %s.", (char)('a' + id), place_of(quiz, &before[id], from),
            place_of(quiz, &after[id], to));
    }
    return which;
}

static uint64_t why_fired(struct quiz *quiz, const struct copy *copy)
{
    uint64_t which = 0;
    for (tw_id id = 0; id < QUIZ_TIMERS; id++)
        if (copy->fired[id]) {
            which |= UINT64_C(1) << id;
            why(quiz, "%c fires at tick %" PRIu64 ".", (char)('a' + id), copy->fired[id]);
        }
    return which;
}

/* The sum that gives a wheel's slot, where it is that sum. */
static void why_slot(struct quiz *quiz, const struct seen *at)
{
    const struct film_level *level = &quiz->film.levels[at->level];
    uint64_t units = at->due / level->unit;
    if (has_levels(quiz))
        why(quiz, "Level %u has %" PRIu64 " slots of %" PRIu64 " tick%s.", at->level, level->size,
            level->unit, plural(level->unit));
    if (units % level->size != at->slot)
        why(quiz, "It is held for tick %" PRIu64 ", in slot %u.", at->due, at->slot);
    else if (level->unit == 1)
        why(quiz, "%" PRIu64 " mod %" PRIu64 " = %u.", at->due, level->size, at->slot);
    else
        why(quiz, "%" PRIu64 " / %" PRIu64 " = %" PRIu64 ", and %" PRIu64 " mod %" PRIu64 " = %u.",
            at->due, level->unit, units, units, level->size, at->slot);
}

static void why_place(struct quiz *quiz, const struct seen *at, tw_tick due)
{
    if (at->due != due)
        why(quiz, "The design rounds that up to tick %" PRIu64 ".", at->due);
    if (quiz->film.shape == FILM_WHEEL) {
        why_slot(quiz, at);
    } else if (quiz->film.shape == FILM_QUEUE) {
        why(quiz, "%u of the running timers stand before it: those due no later.", at->slot);
    } else if (quiz->film.sparse) {
        why(quiz,
            "In a search tree what is due earlier is on the left; a turn of the tree keeps "
            "that order. It comes to index %u.",
            at->slot);
    } else {
        why(quiz,
            "It is put at the end, and goes up while it is due before its parent: to index "
            "%u.",
            at->slot);
    }
}

/* ---- Questions.  Each fills the question from what a copy does; false: not now. --------------- */

static void act(struct quiz *quiz, enum quiz_verb verb, tw_id id, tw_tick to)
{
    quiz->action[quiz->action_count++] = (struct quiz_step){verb, id, to};
}

/* Any delay; of levels any doubling, so that each level gets timers. */
static tw_tick draw_delay(struct quiz *quiz)
{
    uint32_t doublings = 1;
    if (!has_levels(quiz))
        return 1 + rng_below(&quiz->rng, quiz->most);
    while (UINT64_C(1) << doublings < quiz->most)
        doublings++;
    tw_tick bound = UINT64_C(2) << rng_below(&quiz->rng, doublings);
    return 1 + rng_below(&quiz->rng, bound < quiz->most ? bound : quiz->most);
}

/* A timer that runs, or does not; false: there is none. */
static bool draw_timer(struct quiz *quiz, const struct seen *seen, bool runs, tw_id *out)
{
    tw_id fit[QUIZ_TIMERS], count = 0;
    for (tw_id id = 0; id < QUIZ_TIMERS; id++)
        if ((seen[id].due != 0) == runs)
            fit[count++] = id;
    if (count > 0)
        *out = fit[rng_below(&quiz->rng, count)];
    return count > 0;
}

static bool ask_place(struct quiz *quiz, struct copy *copy, bool rounds)
{
    tw_id id;
    tw_tick delay = draw_delay(quiz), due = quiz->now + delay;
    if (!draw_timer(quiz, copy->seen, false, &id))
        return false;
    copy_do(copy, QUIZ_START, id, due);
    act(quiz, QUIZ_START, id, due);
    const struct seen *at = &copy->seen[id];
    why(quiz, "It is due at tick %" PRIu64 " + %" PRIu64 " = %" PRIu64 ".", quiz->now, delay, due);
    if (!rounds) {
        static const char *const where[] = {"Into which slot", "To which place", "To which index"};
        SAY(quiz, "Timer %c starts now, for %" PRIu64 " tick%s. %s does it go?", (char)('a' + id),
            delay, plural(delay),
            has_levels(quiz) ? "Into which level and slot" : where[quiz->film.shape]);
        quiz->right = (uint64_t)at->level << 32 | at->slot;
        why_place(quiz, at, due);
        return true;
    }
    uint64_t size = quiz->film.levels[0].size;
    SAY(quiz,
        "Timer %c starts now, for %" PRIu64 " tick%s. How many whole revolutions does it wait "
        "before the one in which it fires?",
        (char)('a' + id), delay, plural(delay));
    quiz->form = QUIZ_NUMBER;
    quiz->right = at->rounds;
    if ((delay - 1) / size == at->rounds)
        why(quiz,
            "A revolution has %" PRIu64 " ticks: (%" PRIu64 " - 1) / %" PRIu64 " = %" PRIu64
            ", rounded down.",
            size, delay, size, at->rounds);
    return true;
}

/* A start, a start for no ticks, a re-arm; of one wheel also what lies there, whose tick nobody tells. */
static bool ask_fires(struct quiz *quiz, struct copy *copy, enum looks looks)
{
    tw_id id;
    uint64_t kind = rng_below(&quiz->rng, 8);
    bool runs = kind < 4, lies = runs && looks == ONE_WHEEL;
    tw_tick delay = kind == 7 ? 0 : draw_delay(quiz);
    if (!draw_timer(quiz, copy->seen, runs, &id))
        return false;
    tw_tick due = lies ? copy->seen[id].due : delay ? quiz->now + delay : quiz->now + 1;
    if (lies) {
        SAY(quiz, "Nobody stops timer %c. At which tick does it fire?", (char)('a' + id));
        why(quiz, "The pointer stands at slot %" PRIu64 ".", quiz->now % quiz->film.levels[0].size);
        why(quiz, "%c lies in slot %u, with %" PRIu64 " revolutions to wait.", (char)('a' + id),
            copy->seen[id].slot, copy->seen[id].rounds);
    } else {
        SAY(quiz, "Timer %c %s now, for %" PRIu64 " tick%s. At which tick does it fire?",
            (char)('a' + id), runs ? "is re-armed" : "starts", delay, plural(delay));
        copy_do(copy, QUIZ_START, id, quiz->now + delay);
        act(quiz, QUIZ_START, id, quiz->now + delay);
        why(quiz, "It is due at tick %" PRIu64 "%s%s.", due,
            runs ? "; what it was due before no longer counts" : "",
            delay ? "" : ": the tick that is over has no more expiries");
    }
    if (!copy_until_fired(copy, UINT64_C(1) << id))
        return false;
    act(quiz, QUIZ_TICKS, 0, copy->now);
    quiz->form = QUIZ_NUMBER;
    quiz->right = copy->now;
    if (copy->now > due)
        why(quiz, "This design trades precision for cost: it fires %" PRIu64 " tick%s later.",
            copy->now - due, plural(copy->now - due));
    why(quiz, "It fires at tick %" PRIu64 ".", copy->now);
    return true;
}

static bool ask_first(struct quiz *quiz, struct copy *copy)
{
    if (!copy_until_fired(copy, UINT64_MAX))
        return false;
    act(quiz, QUIZ_TICKS, 0, copy->now);
    SAY(quiz, "The clock goes on until something fires. Which timers fire first?");
    quiz->right = why_fired(quiz, copy);
    why(quiz, "All others are held for later.");
    return true;
}

/* Tick by tick until one of them is on another level; the tick before is in `before`. */
static bool copy_until_cascade(struct copy *copy, struct seen *before, tw_id only)
{
    tw_tick end = copy->now + copy->quiz->most;
    while (copy->now < end) {
        memcpy(before, copy->seen, sizeof copy->seen);
        copy_do(copy, QUIZ_TICKS, 0, copy->now + 1);
        for (tw_id id = 0; id < QUIZ_TIMERS; id++)
            if ((only == QUIZ_TIMERS || only == id) && before[id].due && copy->seen[id].due &&
                before[id].level != copy->seen[id].level)
                return true;
    }
    return false;
}

static bool ask_cascade(struct quiz *quiz, struct copy *copy)
{
    struct seen start[QUIZ_TIMERS], before[QUIZ_TIMERS];
    memcpy(start, copy->seen, sizeof start);
    if (!copy_until_cascade(copy, before, QUIZ_TIMERS))
        return false;
    tw_tick to = copy->now;
    bool nothing = to > quiz->now + 1 && rng_below(&quiz->rng, 5) == 0;
    if (nothing)
        to = quiz->now + 1 + rng_below(&quiz->rng, to - quiz->now - 1);
    act(quiz, QUIZ_TICKS, 0, to);
    SAY(quiz,
        "The clock goes on to tick %" PRIu64 ". Which timers cascade: which of those that still "
        "run are then on another level?",
        to);
    quiz->right = nothing ? 0 : why_moved(quiz, start, copy->seen, true);
    if (nothing)
        why(quiz, "None: the first one changes its level at tick %" PRIu64 ".", copy->now);
    return true;
}

static bool ask_leaves(struct quiz *quiz, struct copy *copy)
{
    struct seen before[QUIZ_TIMERS];
    tw_id id;
    if (!draw_timer(quiz, copy->seen, true, &id) || copy->seen[id].level == 0 ||
        !copy_until_cascade(copy, before, id))
        return false;
    act(quiz, QUIZ_TICKS, 0, copy->now);
    SAY(quiz, "Timer %c is on level %u. At which tick does it go to another level?",
        (char)('a' + id), before[id].level);
    quiz->form = QUIZ_NUMBER;
    quiz->right = copy->now;
    uint64_t unit = quiz->film.levels[before[id].level].unit;
    (void)why_moved(quiz, before, copy->seen, true);
    if (copy->now % unit == 0)
        why(quiz,
            "Tick %" PRIu64 " is a multiple of %" PRIu64 ": there the pointer of level %u "
            "goes on.",
            copy->now, unit, before[id].level);
    return true;
}

static bool ask_moves(struct quiz *quiz, struct copy *copy)
{
    struct seen before[QUIZ_TIMERS];
    tw_id id;
    const char *place = quiz->film.shape == FILM_TREE ? "index" : "place";
    memcpy(before, copy->seen, sizeof before);
    if (rng_below(&quiz->rng, 2) == 0) {
        if (!copy_until_fired(copy, UINT64_MAX))
            return false;
        act(quiz, QUIZ_TICKS, 0, copy->now);
        SAY(quiz,
            "The clock goes on to tick %" PRIu64
            ", where the first fire. Which of the others then have another %s?",
            copy->now, place);
    } else {
        if (!draw_timer(quiz, copy->seen, true, &id))
            return false;
        copy_do(copy, QUIZ_STOP, id, 0);
        act(quiz, QUIZ_STOP, id, 0);
        SAY(quiz, "Timer %c is stopped. Which of the others then have another %s?",
            (char)('a' + id), place);
    }
    quiz->right = why_moved(quiz, before, copy->seen, false);
    if (!quiz->right)
        why(quiz, "None: all stay where they are.");
    return true;
}

static bool ask_by(struct quiz *quiz, struct copy *copy)
{
    tw_tick to = quiz->now + 2 + rng_below(&quiz->rng, quiz->most / 4 + 1);
    copy_do(copy, QUIZ_JUMP, 0, to);
    act(quiz, QUIZ_JUMP, 0, to);
    SAY(quiz, "The clock jumps to tick %" PRIu64 " in one call. Which timers fire?", to);
    quiz->right = why_fired(quiz, copy);
    if (!quiz->right)
        why(quiz, "None: all are held for later.");
    return true;
}

/* ---- Drawing a question. --------------------------------------------------------------------- */

static enum looks looks_of(const struct quiz *quiz)
{
    static const enum looks by_shape[] = {[FILM_WHEEL] = WHEELS,
                                          [FILM_QUEUE] = ORDERED,
                                          [FILM_TREE] = ORDERED,
                                          [FILM_SET] = HEAP_OF_ALL};
    return quiz->film.shape == FILM_WHEEL && !has_levels(quiz) ? ONE_WHEEL
                                                               : by_shape[quiz->film.shape];
}

static bool try_kind(struct quiz *quiz, enum kind kind)
{
    struct copy copy;
    bool asked = false;
    quiz->action_count = 0;
    quiz->why[0] = '\0';
    quiz->form = kind == PLACE ? QUIZ_PLACE : QUIZ_WHICH;
    if (!copy_make(quiz, &copy))
        return false;
    if (kind == PLACE || kind == ROUNDS)
        asked = ask_place(quiz, &copy, kind == ROUNDS);
    else if (kind == FIRES)
        asked = ask_fires(quiz, &copy, looks_of(quiz));
    else if (kind == FIRST)
        asked = ask_first(quiz, &copy);
    else if (kind == CASCADE)
        asked = ask_cascade(quiz, &copy);
    else if (kind == LEAVES)
        asked = ask_leaves(quiz, &copy);
    else if (kind == MOVES)
        asked = ask_moves(quiz, &copy);
    else if (kind == BY)
        asked = ask_by(quiz, &copy);
    quiz->design->close(copy.timers);
    return asked;
}

/* The kind that lacks most of its share; of equal ones any. */
static enum kind draw_kind(struct quiz *quiz, uint32_t refused)
{
    const uint32_t *share = shares[looks_of(quiz)];
    enum kind best = KINDS;
    uint32_t equals = 0;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (!share[kind] || refused >> kind & 1 ||
            (kind == ROUNDS && quiz->most <= quiz->film.levels[0].size))
            continue;
        int64_t less = best == KINDS ? 1
                                     : (int64_t)quiz->kinds[best] * share[kind] -
                                           (int64_t)quiz->kinds[kind] * share[best];
        equals = less > 0 ? 1 : less == 0 ? equals + 1 : equals;
        if (less > 0 || (less == 0 && rng_below(&quiz->rng, equals) == 0))
            best = kind;
    }
    return best;
}

static void quiz_do(struct quiz *quiz, const struct quiz_step *step)
{
    quiz->steps[quiz->step_count++] = *step;
    step_do(quiz->design, quiz->timers, &quiz->now, step, no_fire, NULL);
}

/* Where fewer than five run, as many start as make six. */
static void fill_up(struct quiz *quiz)
{
    struct seen seen[QUIZ_TIMERS];
    struct text text = text_in(quiz->before, sizeof quiz->before);
    uint32_t running = 0, started = 0;
    text_add(&text, "It is tick %" PRIu64 ".", quiz->now);
    look(quiz, quiz->timers, seen);
    for (tw_id id = 0; id < QUIZ_TIMERS; id++)
        running += seen[id].due != 0;
    for (tw_id id; running < 6 && (running < 5 || started) && draw_timer(quiz, seen, false, &id);
         running++) {
        tw_tick delay = draw_delay(quiz);
        quiz_do(quiz, &(struct quiz_step){QUIZ_START, id, quiz->now + delay});
        look(quiz, quiz->timers, seen);
        text_add(&text, "%s%c for %" PRIu64,
                 started++ ? ", " : " These start now, for so many ticks: ", (char)('a' + id),
                 delay);
    }
    text_add(&text, "%s", started ? "." : "");
}

bool quiz_ask(struct quiz *quiz)
{
    char answer[32];
    uint32_t refused = 0;
    if (quiz->asked == QUIZ_QUESTIONS)
        return false;
    while (quiz_move(quiz))
        ;
    fill_up(quiz);
    for (enum kind kind; (kind = draw_kind(quiz, refused)) != KINDS; refused |= 1u << kind)
        if (try_kind(quiz, kind)) {
            quiz->kinds[kind]++;
            break;
        }
    quiz_format(quiz, quiz->form, quiz->right, answer, sizeof answer);
    quiz->questions = hash_text(hash_text(quiz->questions, quiz->text), answer);
    quiz->asked++;
    return true;
}

bool quiz_move(struct quiz *quiz)
{
    if (quiz->action_count == 0)
        return false;
    struct quiz_step step = quiz->action[0];
    if (step.verb == QUIZ_TICKS && step.to > quiz->now + 1) {
        struct quiz_step *last = quiz->step_count ? &quiz->steps[quiz->step_count - 1] : NULL;
        step.to = quiz->now + 1;
        if (last && last->verb == QUIZ_TICKS) {
            last->to = step.to;
            step_do(quiz->design, quiz->timers, &quiz->now, &step, no_fire, NULL);
        } else {
            quiz_do(quiz, &step);
        }
        return true;
    }
    quiz_do(quiz, &step);
    quiz->action[0] = quiz->action[1];
    quiz->action_count--;
    return true;
}

/* ---- Answers. -------------------------------------------------------------------------------- */

void quiz_format(const struct quiz *quiz, enum quiz_form form, uint64_t answer, char *out,
                 size_t size)
{
    struct text text = text_in(out, size);
    if (form == QUIZ_WHICH) {
        for (tw_id id = 0; id < QUIZ_TIMERS; id++)
            if (answer >> id & 1)
                text_add(&text, "%c", (char)('a' + id));
    } else if (form == QUIZ_PLACE && has_levels(quiz)) {
        text_add(&text, "%" PRIu64 ":%" PRIu32, answer >> 32, (uint32_t)answer);
    } else {
        text_add(&text, "%" PRIu64, answer);
    }
}

static bool read_number(const char **at, uint64_t limit, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**at) || strlen(*at) > 16)
        return false;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return *out <= limit;
}

static bool read_answer(const struct quiz *quiz, const char *text, uint64_t *out)
{
    uint64_t level = 0, number = 0;
    if (quiz->form == QUIZ_WHICH) {
        for (; *text >= 'a' && *text < 'a' + QUIZ_TIMERS; text++)
            number |= UINT64_C(1) << (*text - 'a');
    } else if (quiz->form == QUIZ_NUMBER) {
        if (!read_number(&text, UINT64_C(1000000000000000), &number))
            return false;
    } else {
        if (has_levels(quiz) && (!read_number(&text, UINT32_MAX, &level) || *text++ != ':'))
            return false;
        if (!read_number(&text, UINT32_MAX, &number))
            return false;
    }
    *out = level << 32 | number;
    return *text == '\0';
}

int quiz_answer(struct quiz *quiz, const char *text)
{
    uint64_t answer;
    if (quiz->answered >= quiz->asked)
        return quiz->asked ? quiz->is_right[quiz->answered - 1] : -1;
    if (!read_answer(quiz, text, &answer))
        return -1;
    quiz->given[quiz->answered] = answer;
    quiz->forms[quiz->answered] = quiz->form;
    quiz->is_right[quiz->answered] = answer == quiz->right;
    quiz->score += answer == quiz->right;
    return quiz->is_right[quiz->answered++];
}

void quiz_receipt(const struct quiz *quiz, char *out, size_t size)
{
    struct text text = text_in(out, size);
    text_add(&text,
             "{\n  \"receipt\": %d,\n  \"design\": \"%s\",\n  \"settings\": \"%s\",\n  \"seed\": "
             "\"%s\",\n",
             QUIZ_VERSION, quiz->design->name, quiz->settings, quiz->seed);
    text_add(&text, "  \"questions\": \"%016" PRIx64 "\",\n  \"answers\": [", quiz->questions);
    for (uint32_t i = 0; i < quiz->answered; i++) {
        char answer[32];
        quiz_format(quiz, quiz->forms[i], quiz->given[i], answer, sizeof answer);
        text_add(&text, "%s\"%s\"", i ? ", " : "", answer);
    }
    text_add(&text, "],\n  \"right\": [");
    for (uint32_t i = 0; i < quiz->answered; i++)
        text_add(&text, "%s%s", i ? ", " : "", quiz->is_right[i] ? "true" : "false");
    text_add(&text, "],\n  \"score\": %" PRIu32 ",\n", quiz->score);
    text_add(&text, "  \"signature\": \"%016" PRIx64 "\"\n}\n", hash_text(HASH_BEGIN, out));
}

/* ---- Opening. -------------------------------------------------------------------------------- */

static bool seed_is_good(const char *seed)
{
    size_t length = strlen(seed);
    for (const char *at = seed; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127 || *at == '"' || *at == '\\')
            return false;
    return length > 0 && length < QUIZ_SEED_SIZE;
}

/* What the longest delay may be, so that it is accepted and the picture has its place. */
static tw_tick longest(const struct quiz *quiz, tw_tick span)
{
    const struct film_level *levels = quiz->film.levels;
    uint32_t last = quiz->film.level_count - 1 < 2 ? quiz->film.level_count - 1 : 2;
    tw_tick most = LONGEST_ONE;
    if (quiz->film.shape == FILM_WHEEL)
        most = last == 0 ? 4 * levels[0].size : levels[last].size * levels[last].unit - 1;
    most = most < LONGEST ? most : LONGEST;
    return most < span ? most : span;
}

static void lay_out(struct quiz *quiz)
{
    struct tw_description description = {.setting_count = 0};
    struct text text = text_in(quiz->settings, sizeof quiz->settings);
    quiz->design->describe(quiz->timers, &description);
    kinds_lay_out(quiz->design, &description, QUIZ_TIMERS, &quiz->film);
    quiz->most = longest(quiz, description.span);
    for (size_t i = 0; i < description.setting_count; i++)
        for (uint32_t k = 0; k < description.settings[i].count; k++)
            text_add(&text, "%s%s%s%" PRIu64,
                     k   ? ","
                     : i ? " "
                         : "",
                     k ? "" : description.settings[i].name, k ? "" : "=",
                     description.settings[i].values[k]);
}

int quiz_open(struct quiz *quiz, const struct tw_design *design, const char *seed,
              struct tw_error *error)
{
    *quiz = (struct quiz){.design = design->counted};
    if (!seed_is_good(seed) || (quiz->design->traits.flags & TW_KEEPS_NOTHING)) {
        snprintf(error->text, sizeof error->text, "%s",
                 seed_is_good(seed) ? "this design keeps no timer, so there is nothing to ask"
                                    : "seed: expected 1 to 63 bytes without quotes, backslashes "
                                      "and control characters");
        return TW_BAD_SETTING;
    }
    snprintf(quiz->seed, sizeof quiz->seed, "%s", seed);
    quiz->questions = UINT64_C(0xcbf29ce484222325);
    rng_seed(&quiz->rng, hash_text(hash_text(quiz->questions, quiz->design->name), seed), 0);
    int status = instance_open(quiz->design, &quiz->timers, error);
    if (status == TW_OK)
        lay_out(quiz);
    return status;
}

void quiz_close(struct quiz *quiz)
{
    if (quiz->timers)
        quiz->design->close(quiz->timers);
    *quiz = (struct quiz){.timers = NULL};
}
