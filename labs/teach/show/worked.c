/* worked.c - the worked examples, with the answers they have to show. */
#include "labs/teach/show/worked.h"

#include "impls/registry.h"
#include "labs/teach/show/script.h"

#include <strings.h>

#define EXPECTED_MAX 8

/* Where in a film an answer is found.  Those of a timer take its last start, firing or demotion. */
enum place {
    PLACE_END, /* ends a list */
    SLOT,
    ROUND,
    LEVEL_FROM_1,
    FIRES_AT,
    DEMOTED_AT,
    DEMOTED_WITH_LEFT,
    REFUSED,  /* 1: it was */
    TURNS,    /* times the pointer came to its slot, the one on which it fired included */
    MOVES,    /* of all pointers, in all */
    ADVANCES, /* in all */
    NEXT,     /* what next() says after its start */
    SLOTS,    /* of all levels */
    SPAN_TICKS
};

struct expected {
    enum place place;
    const char *timer; /* NULL: of the whole film */
    uint64_t value;
};

struct part {
    const char *design; /* NULL: the last one was before */
    const char *setting;
    const char *script;
    struct expected expected[EXPECTED_MAX];
};

typedef int special_fn(struct worked_result *result, struct diag *diag);

struct worked {
    const char *name, *document, *question;
    struct part parts[WORKED_PARTS_MAX];
    special_fn *special; /* or NULL; what a film cannot show */
    const char *note;
};

static const struct worked examples[] = {
    {.name = "W1",
     .document = "A",
     .question = "8 slots of 1 s, pointer at 0: where do 3 s and 10 s go?",
     .parts = {{"round",
                "slots=8",
                "add a 3s; add b 10s; tick 10",
                {{SLOT, "a", 3},
                 {ROUND, "a", 0},
                 {SLOT, "b", 2},
                 {ROUND, "b", 1},
                 {FIRES_AT, "a", 3},
                 {FIRES_AT, "b", 10}}}}},
    {.name = "W2",
     .document = "A",
     .question = "the same wheel, slot 5 holding rounds 1, 1 and 2: when are they due?",
     .parts = {{"round",
                "slots=8",
                "add a 13s; add b 13s; add c 21s; tick 21",
                {{SLOT, "c", 5},
                 {ROUND, "a", 1},
                 {ROUND, "b", 1},
                 {ROUND, "c", 2},
                 {FIRES_AT, "a", 13},
                 {FIRES_AT, "b", 13},
                 {FIRES_AT, "c", 21}}}}},
    {.name = "W3",
     .document = "E",
     .question = "8 slots, pointer at 2: where do 3 s and 10 s go?",
     .parts = {{"round",
                "slots=8",
                "tick 2; add a 3s; add b 10s; tick 10",
                {{SLOT, "a", 5},
                 {ROUND, "a", 0},
                 {SLOT, "b", 4},
                 {ROUND, "b", 1},
                 {FIRES_AT, "a", 5},
                 {FIRES_AT, "b", 12}}}}},
    {.name = "W4",
     .document = "B",
     .question = "8 slots of 100 ms, at tick 0: where do 900 ms go?",
     .parts = {{"round",
                "slots=8",
                "unit 100ms; add a 900ms; tick 9",
                {{SLOT, "a", 1}, {ROUND, "a", 1}, {FIRES_AT, "a", 9}}}}},
    {.name = "W5",
     .document = "C",
     .question = "slots of 1 s, pointer at slot 10: where do 10 s go?",
     .parts = {{"round-mod",
                "slots=3600",
                "jump 10; add a 10s; next",
                {{SLOT, "a", 20}, {ROUND, "a", 0}, {FIRES_AT, "a", 20}}}}},
    {.name = "W6",
     .document = "C",
     .question = "3600 slots of 1 s, pointer at 10: where do 3 h go?",
     .parts = {{"round-mod",
                "slots=3600",
                "jump 10; add a 3h; jump 1h; jump 1h; jump 1h",
                {{SLOT, "a", 10}, {TURNS, "a", 3}, {FIRES_AT, "a", 10810}}}},
     .note =
         "The article's sum counts the three visits of the slot, the design the two that the timer "
         "sits out (round 2). The article's own code takes 3 for the round, fires when it is 0, "
         "and so "
         "fires after 4 h: C-round."},
    {.name = "W7",
     .document = "D",
     .question = "12 slots of 1 s, pointer at 3: where do 5 s and 15 s go?",
     .parts = {{"round-mod",
                "slots=12",
                "tick 3; add a 5s; add b 15s; tick 15",
                {{SLOT, "a", 8},
                 {ROUND, "a", 0},
                 {SLOT, "b", 6},
                 {ROUND, "b", 1},
                 {FIRES_AT, "a", 8},
                 {FIRES_AT, "b", 18}}}}},
    {.name = "W8",
     .document = "D",
     .question = "12 slots of 1 s, pointer at 0: where do 16 s go?",
     .parts = {{"round-mod",
                "slots=12",
                "add a 16s; tick 16",
                {{SLOT, "a", 4}, {ROUND, "a", 1}, {FIRES_AT, "a", 16}}}}},
    {.name = "W9",
     .document = "C",
     .question = "3600 x 1 s, 24 x 1 h, 10 x 1 day: what becomes of 5 h 10 min?",
     .parts = {{"hier",
                "levels=3600,24,10",
                "add a 310m; jump 4h; jump 3599s; tick; next",
                {{LEVEL_FROM_1, "a", 2},
                 {SLOT, "a", 5},
                 {DEMOTED_AT, "a", 5 * 3600},
                 {DEMOTED_WITH_LEFT, "a", 10 * 60},
                 {FIRES_AT, "a", 18600}}}},
     .note = "It is demoted at 18,000 s, which is after 5 turns of the first level."},
    {.name = "W10",
     .document = "A",
     .question = "how often does a pointer move until 3 d 10 h 50 min 30 s are over?",
     .parts = {{"round-mod",
                "slots=864000",
                "add a 298230s; next",
                {{MOVES, NULL, 298230}, {FIRES_AT, "a", 298230}}},
               {"hier",
                "levels=60,60,24,10",
                "add a 298230s; next",
                {{MOVES, NULL, 3 + 10 + 50 + 30}, {FIRES_AT, "a", 298230}}}}},
    {.name = "W11",
     .document = "C",
     .question = "how many slots do 10 days at 1 s take: one wheel, and 3600 + 24 + 10?",
     .parts = {{"simple",
                "range=864000",
                "add a 10d; add b 864001; next",
                {{SLOTS, NULL, 864000}, {REFUSED, "b", 1}, {FIRES_AT, "a", 864000}}},
               {"hier",
                "levels=3600,24,10",
                "add a 10d; add b 864001; next",
                {{SLOTS, NULL, 3634},
                 {SPAN_TICKS, NULL, 864000},
                 {REFUSED, "b", 1},
                 {FIRES_AT, "a", 864000}}}}},
    {.name = "W12",
     .document = "D",
     .question = "m = 60 slots of t = 1 s: how far do one level and two levels reach?",
     .parts = {{"hier",
                "levels=60",
                "add a 60s; add b 61s; next",
                {{SPAN_TICKS, NULL, 60}, {REFUSED, "b", 1}, {FIRES_AT, "a", 60}}},
               {"hier",
                "levels=60,60",
                "add a 3600s; add b 3601s; next",
                {{SPAN_TICKS, NULL, 60 * 60}, {REFUSED, "b", 1}, {FIRES_AT, "a", 3600}}}}},
    {.name = "W13",
     .document = "C",
     .question = "10 GiB of entries of 30 B in 7200 slots: how many are in a slot?",
     .special = fill_slots},
    {.name = "W14",
     .document = "C",
     .question = "one task 500 s away, driven by next: how many wake-ups?",
     .parts = {{"hier-queue",
                "levels=512",
                "add a 500s; next 500",
                {{ADVANCES, NULL, 1}, {FIRES_AT, "a", 500}}},
               {"hier-queue",
                "levels=512",
                "add a 500s; add b 100s; next 500",
                {{NEXT, "a", 500}, {NEXT, "b", 100}, {ADVANCES, NULL, 2}, {FIRES_AT, "b", 100}}}}},
    {.name = "W15",
     .document = "E",
     .question = "idle timeout 30 s, ring of 31: where does traffic at 17 move an id?",
     .parts = {{"ring",
                "timeout=30",
                "add id 30s; tick 17; restart id 30s; tick 30",
                {{SLOTS, NULL, 31}, {SLOT, "id", 16}, {FIRES_AT, "id", 47}}}},
     .note = "Slot 16 is the one just behind the pointer, so it comes to it last."},
    {.name = "C-slot",
     .document = "C",
     .question = "slot = (delay / d) % size + tick, as it is printed: is that a slot?",
     .special = slot_formula},
    {.name = "C-round",
     .document = "C",
     .question = "round = delay / d / size, fires at round 0: when do 3 h fire?",
     .special = round_formula},
    {.name = "D-period",
     .document = "D",
     .question = "12 s on 12 x 1 s, re-armed in its slot: how often in 120 s?",
     .special = period_formula},
    {.name = "D-walk",
     .document = "D",
     .question = "a bucket walked on from an element that was just removed: who fires?",
     .special = bucket_walk},
};

#define EXAMPLE_COUNT (sizeof examples / sizeof examples[0])

/* ---- What a film shows. ---------------------------------------------------------------------- */

/* What is asked, in words; of work the name of the counter. */
static const char *const answer_words[] = {
    [SLOT] = "slot",
    [ROUND] = "round",
    [LEVEL_FROM_1] = "level, counted from 1",
    [FIRES_AT] = "fires at tick",
    [DEMOTED_AT] = "goes down at tick",
    [DEMOTED_WITH_LEFT] = "ticks left when it goes down",
    [REFUSED] = "refused (1: yes)",
    [TURNS] = "visits of its slot until it fires",
    [MOVES] = "pointer moves",
    [ADVANCES] = "wake-ups",
    [NEXT] = "next expiry after its start",
    [SLOTS] = "slots",
    [SPAN_TICKS] = "reach in ticks",
};

/* The last event of the timer that is of a kind up to `last_kind` from `kind`; its frame in *frame. */
static const struct film_event *event_of(const struct film *film, const char *timer,
                                         enum film_event_kind kind, enum film_event_kind last_kind,
                                         const struct film_frame **frame)
{
    for (size_t i = film->frame_count; i-- > 0;)
        for (size_t j = film->frames[i].event_count; j-- > 0;) {
            const struct film_event *event = &film->frames[i].events[j];
            if (event->kind < kind || event->kind > last_kind ||
                strcmp(film->names[event->timer], timer) != 0)
                continue;
            *frame = &film->frames[i];
            return event;
        }
    return NULL;
}

/* Frames after its start whose pointer is on the timer's slot, to the one on which it fires. */
static uint64_t count_turns(const struct film *film, const struct film_event *start,
                            const struct film_frame *started, const struct film_frame *over)
{
    uint64_t turns = 0;
    for (const struct film_frame *frame = started + 1; frame <= over; frame++)
        turns += film_pointer(film, start->level, frame->now) == start->slot;
    return turns;
}

static uint64_t find_of_timer(const struct film *film, const struct expected *expected)
{
    const struct film_frame *started = NULL, *over = NULL;
    const struct film_event *start =
        event_of(film, expected->timer, FILM_STARTED, FILM_REARMED, &started);
    enum film_event_kind kind = expected->place == REFUSED ? FILM_REFUSED
                                : expected->place == FIRES_AT || expected->place == TURNS
                                    ? FILM_FIRED
                                    : FILM_MOVED;
    const struct film_event *end = event_of(film, expected->timer, kind, kind, &over);
    if (expected->place == REFUSED)
        return end != NULL;
    if (!start || (!end && expected->place >= FIRES_AT && expected->place <= TURNS))
        return UINT64_MAX;
    switch (expected->place) {
    case SLOT:
        return start->slot;
    case ROUND:
        return start->rounds;
    case LEVEL_FROM_1:
        return start->level + 1;
    case FIRES_AT:
        return end->tick;
    case DEMOTED_AT:
        return over->now;
    case DEMOTED_WITH_LEFT:
        return start->tick - over->now;
    case TURNS:
        return count_turns(film, start, started, over);
    case NEXT:
        return started->next;
    default:
        return UINT64_MAX;
    }
}

static uint64_t find_in(const struct film *film, const struct expected *expected)
{
    const struct film_frame *end = &film->frames[film->frame_count - 1];
    uint64_t slots = 0;
    for (uint32_t i = 0; i < film->level_count; i++)
        slots += film->levels[i].size;
    switch (expected->place) {
    case MOVES:
        return film_work(end, answer_words[MOVES]);
    case ADVANCES:
        return end->step;
    case SLOTS:
        return slots;
    case SPAN_TICKS:
        return film->span_ticks;
    default:
        return find_of_timer(film, expected);
    }
}

static void answer_from(const struct film *film, const struct expected *expected,
                        struct worked_result *result)
{
    struct worked_answer *answer = &result->answers[result->answer_count++];
    *answer = (struct worked_answer){.found = find_in(film, expected), .expected = expected->value};
    const char *of = expected->timer ? expected->timer : film->settings;
    snprintf(answer->what, sizeof answer->what, "%s%s%.30s: %s", film->design, *of ? " " : "", of,
             answer_words[expected->place]);
}

/* ---- Running. -------------------------------------------------------------------------------- */

/* "levels=60,60,24". */
static void setting_parse(const char *text, char *name, struct tw_setting *setting)
{
    const char *at = strchr(text, '=');
    *setting = (struct tw_setting){.name = name};
    sprintf(name, "%.*s", (int)(at - text), text);
    while (at && setting->count < TW_VALUES_MAX) {
        setting->values[setting->count++] = strtoull(at + 1, NULL, 10);
        at = strchr(at + 1, ',');
    }
}

static int part_run(const struct worked *worked, const struct part *part,
                    struct worked_result *result, struct diag *diag)
{
    struct tw_setting setting;
    struct script *script;
    char name[32];
    const struct tw_design *design = registry_find(part->design);
    int status = script_parse(worked->name, part->script, strlen(part->script), 0, &script, diag);
    if (status != DIAG_OK)
        return status;
    struct player_request request = {.design = design->counted, .script = script};
    if (part->setting[0]) {
        setting_parse(part->setting, name, &setting);
        request.settings = &setting;
        request.setting_count = 1;
    }
    status = player_run(&request, &result->films[result->film_count], diag);
    script_free(script);
    if (status != DIAG_OK)
        return status;
    const struct film *film = result->films[result->film_count++];
    for (size_t i = 0; i < EXPECTED_MAX && part->expected[i].place != PLACE_END; i++)
        answer_from(film, &part->expected[i], result);
    return DIAG_OK;
}

int worked_run(const struct worked *worked, struct worked_result *result, struct diag *diag)
{
    int status = DIAG_OK;
    *result = (struct worked_result){.film_count = 0};
    if (worked->note)
        snprintf(result->note, sizeof result->note, "%s", worked->note);
    for (size_t i = 0; i < WORKED_PARTS_MAX && worked->parts[i].design && status == DIAG_OK; i++)
        status = part_run(worked, &worked->parts[i], result, diag);
    if (status == DIAG_OK && worked->special)
        status = worked->special(result, diag);
    if (status != DIAG_OK)
        worked_free(result);
    return status;
}

void worked_free(struct worked_result *result)
{
    for (size_t i = 0; i < result->film_count; i++)
        film_free(result->films[i]);
    result->film_count = 0;
}

bool worked_answer_is_right(const struct worked_answer *answer)
{
    return (answer->found == answer->expected) != answer->as_printed;
}

bool worked_is_right(const struct worked_result *result)
{
    for (size_t i = 0; i < result->answer_count; i++)
        if (!worked_answer_is_right(&result->answers[i]))
            return false;
    for (size_t i = 0; i < result->film_count; i++)
        if (result->films[i]->broken[0])
            return false;
    return result->answer_count > 0;
}

/* ---- The table. ------------------------------------------------------------------------------ */

size_t worked_count(void)
{
    return EXAMPLE_COUNT;
}

const struct worked *worked_at(size_t index)
{
    return &examples[index];
}

const struct worked *worked_find(const char *name)
{
    for (size_t i = 0; i < EXAMPLE_COUNT; i++)
        if (strcasecmp(examples[i].name, name) == 0)
            return &examples[i];
    return NULL;
}

const char *worked_name(const struct worked *worked)
{
    return worked->name;
}

const char *worked_document(const struct worked *worked)
{
    return worked->document;
}

const char *worked_question(const struct worked *worked)
{
    return worked->question;
}
