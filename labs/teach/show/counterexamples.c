/* counterexamples.c - shows wheels in which a printed formula fails. */
#include "labs/teach/show/worked.h"

#include "impls/registry.h"
#include "labs/teach/show/script.h"

#include "harness/base/memory.h"

#define FORMULA_SLOTS 8
#define FORMULA_DELAY 20
#define BUCKET_MAX    8

/* A round-mod wheel of so many slots whose clock is at `now`. */
static int wheel_open(struct tw_timers **out, uint64_t slots, uint32_t capacity, tw_tick now,
                      const struct tw_backend **design, struct diag *diag)
{
    struct tw_setting setting = {.name = "slots", .count = 1, .values = {slots}};
    struct tw_config config = {
        .capacity = capacity, .now = now, .settings = &setting, .setting_count = 1};
    struct tw_error error = {""};
    *design = registry_find("round-mod")->counted;
    if ((*design)->open(out, &config, &error) != TW_OK)
        return diag_run(diag, "round-mod: %s", error.text);
    return DIAG_OK;
}

static void answer_add(struct worked_result *result, const char *what, uint64_t found,
                       uint64_t expected, bool as_printed)
{
    struct worked_answer *answer = &result->answers[result->answer_count++];
    *answer =
        (struct worked_answer){.found = found, .expected = expected, .as_printed = as_printed};
    snprintf(answer->what, sizeof answer->what, "%s", what);
}

/* ---- W13. ------------------------------------------------------------------------------------ */

enum { ENTRY_BYTES = 30, ENTRY_SLOTS = 7200, SCALE = 1000 };

static void count_slot(void *ctx, const struct tw_view *view)
{
    uint32_t *counts = ctx;
    counts[view->slot]++;
}

/* The entries of all slots, and of the emptiest and the fullest. */
static void counts_sum(const uint32_t *counts, uint64_t *sum, uint32_t *least, uint32_t *most)
{
    *sum = 0;
    *least = *most = counts[0];
    for (size_t i = 0; i < ENTRY_SLOTS; i++) {
        *sum += counts[i];
        *least = counts[i] < *least ? counts[i] : *least;
        *most = counts[i] > *most ? counts[i] : *most;
    }
}

int fill_slots(struct worked_result *result, struct diag *diag)
{
    const uint64_t entries = (UINT64_C(10) << 30) / ENTRY_BYTES / SCALE;
    uint32_t *counts = memory_take(ENTRY_SLOTS, sizeof *counts), least, most;
    const struct tw_backend *design;
    struct tw_timers *timers;
    uint64_t sum;
    int status = wheel_open(&timers, ENTRY_SLOTS, (uint32_t)entries, 0, &design, diag);
    if (status == DIAG_OK) {
        for (uint32_t id = 0; id < entries; id++)
            design->start(timers, id, 1 + id % ENTRY_SLOTS);
        design->visit(timers, count_slot, counts);
        design->close(timers);
        counts_sum(counts, &sum, &least, &most);
        answer_add(result, "entries in the wheel, a thousandth of all", sum, 357913, false);
        answer_add(result, "entries per slot, times 1000", sum * SCALE / ENTRY_SLOTS, 49710, false);
        answer_add(result, "fullest slot less emptiest slot", most - least, 1, false);
        snprintf(
            result->note, sizeof result->note,
            "10 GiB hold 357,913,941 entries of 30 B; a running round-mod wheel of 7200 slots was "
            "filled with a thousandth of them, 1 tick to 7200 ticks away in turn, and its slots "
            "were counted: %u or %u in each. The answer is their mean, scaled up again.",
            least, most);
    }
    free(counts);
    return status;
}

/* ---- C's formula for the slot. --------------------------------------------------------------- */

static void keep_view(void *ctx, const struct tw_view *view)
{
    struct tw_view *kept = ctx;
    *kept = *view;
}

/* The slot in which a running wheel with its pointer at `pointer` holds what is so far away. */
static int slot_of(uint64_t pointer, uint64_t delay, uint64_t *slot, struct diag *diag)
{
    const struct tw_backend *design;
    struct tw_timers *timers;
    struct tw_view view = {.slot = UINT32_MAX};
    int status = wheel_open(&timers, FORMULA_SLOTS, 1, pointer, &design, diag);
    if (status != DIAG_OK)
        return status;
    design->start(timers, 0, pointer + delay);
    design->visit(timers, keep_view, &view);
    design->close(timers);
    *slot = view.slot;
    return DIAG_OK;
}

static uint64_t formula_printed(uint64_t pointer, uint64_t delay)
{
    return delay % FORMULA_SLOTS + pointer;
}

static uint64_t formula_right(uint64_t pointer, uint64_t delay)
{
    return (delay + pointer) % FORMULA_SLOTS;
}

int slot_formula(struct worked_result *result, struct diag *diag)
{
    uint64_t pairs = 0, agrees_printed = 0, agrees_right = 0, outside = 0, slot = 0;
    for (uint64_t pointer = 0; pointer < FORMULA_SLOTS; pointer++)
        for (uint64_t delay = 1; delay <= FORMULA_DELAY; delay++) {
            int status = slot_of(pointer, delay, &slot, diag);
            if (status != DIAG_OK)
                return status;
            pairs++;
            agrees_printed += formula_printed(pointer, delay) == slot;
            agrees_right += formula_right(pointer, delay) == slot;
            outside += formula_printed(pointer, delay) >= FORMULA_SLOTS;
        }
    int status = slot_of(6, 5, &slot, diag);
    if (status != DIAG_OK)
        return status;
    answer_add(result, "as printed, 5 % 8 + 6: slot, against the wheel", formula_printed(6, 5),
               slot, true);
    answer_add(result, "put right, (5 + 6) % 8: slot, against the wheel", formula_right(6, 5), slot,
               false);
    answer_add(result, "as printed: right for so many of all pairs", agrees_printed, pairs, true);
    answer_add(result, "put right: right for so many of all pairs", agrees_right, pairs, false);
    snprintf(result->note, sizeof result->note,
             "Every pointer 0 .. 7 with every delay 1 .. 20, each started on a running wheel of 8 "
             "slots. "
             "As printed the slot leaves the ring in %" PRIu64 " of %" PRIu64
             " cases: the remainder has to be taken of the sum.",
             outside, pairs);
    return DIAG_OK;
}

/* ---- C's rounds, and D's period. ------------------------------------------------------------- */

static void keep_tick(void *ctx, tw_id id, tw_tick now)
{
    (void)id;
    *(tw_tick *)ctx = now;
}

/* The ticks after which a running wheel fires what is so far away. */
static int ticks_to_fire(uint64_t slots, uint64_t delay, uint64_t *ticks, struct diag *diag)
{
    const struct tw_backend *design;
    struct tw_timers *timers;
    int status = wheel_open(&timers, slots, 1, 0, &design, diag);
    if (status != DIAG_OK)
        return status;
    *ticks = 0;
    design->start(timers, 0, delay);
    design->advance(timers, 4 * delay, keep_tick, ticks);
    design->close(timers);
    return DIAG_OK;
}

/* The same of a pointer that takes a round off at each visit of the slot and fires when there is none. */
static uint64_t ticks_of_rounds(uint64_t slots, uint64_t delay, uint64_t rounds)
{
    uint64_t first = delay % slots ? delay % slots : slots;
    return first + rounds * slots;
}

int round_formula(struct worked_result *result, struct diag *diag)
{
    const uint64_t slots = 3600, delay = 3 * 3600;
    uint64_t fires = 0;
    int status = ticks_to_fire(slots, delay, &fires, diag);
    if (status != DIAG_OK)
        return status;
    answer_add(result, "as printed, 3 rounds: fires after",
               ticks_of_rounds(slots, delay, delay / slots), fires, true);
    answer_add(result, "put right, 2 rounds: fires after",
               ticks_of_rounds(slots, delay, (delay - 1) / slots), fires, false);
    snprintf(
        result->note, sizeof result->note,
        "The pointer comes to the slot after each hour. With 3 rounds to take off it fires at the "
        "fourth visit. Only a delay of whole turns is wrong: claims F3 counts them.");
    return DIAG_OK;
}

int period_formula(struct worked_result *result, struct diag *diag)
{
    const uint64_t slots = 12, period = 12, seconds = 120;
    uint64_t fires = 0;
    int status = ticks_to_fire(slots, period, &fires, diag);
    if (status != DIAG_OK)
        return status;
    answer_add(result, "as printed, circle 1: runs in 120 s",
               seconds / ticks_of_rounds(slots, period, period / slots), seconds / fires, true);
    answer_add(result, "put right, circle 0: runs in 120 s",
               seconds / ticks_of_rounds(slots, period, (period - 1) / slots), seconds / fires,
               false);
    snprintf(
        result->note, sizeof result->note,
        "The task is armed again while the pointer stands on its slot: the slot comes up after a "
        "whole "
        "turn, and a circle of 1 makes it two. Claims F4 tries all periods up to three turns.");
    return DIAG_OK;
}

/* ---- D's walk over a bucket. ----------------------------------------------------------------- */

/* A bucket as document D has it: a list whose links are cleared in what is removed. */
struct element {
    struct element *next;
    uint64_t rounds;
};

struct bucket {
    struct element elements[BUCKET_MAX];
    struct element *first;
    size_t count;
};

static void bucket_remove(struct bucket *bucket, struct element *element)
{
    struct element **link = &bucket->first;
    while (*link != element)
        link = &(*link)->next;
    *link = element->next;
    element->next = NULL;
}

/* Fires what has no rounds left.  As printed, the step to the next element is taken from one that may
 * just have been removed; put right, it is taken before.  Answers how many fired. */
static uint64_t bucket_fire(struct bucket bucket, bool as_printed)
{
    uint64_t fired = 0;
    bucket.first = bucket.count > 0 ? &bucket.elements[0] : NULL;
    for (size_t i = 0; i + 1 < bucket.count; i++)
        bucket.elements[i].next = &bucket.elements[i + 1];
    for (struct element *at = bucket.first, *next; at; at = next) {
        next = at->next;
        if (at->rounds == 0) {
            bucket_remove(&bucket, at);
            fired++;
        }
        if (as_printed)
            next = at->next;
    }
    return fired;
}

static void bucket_take(struct bucket *bucket, const struct film_frame *frame, uint64_t slot)
{
    size_t count;
    const struct film_timer *timers = film_slot(frame, 0, slot, &count);
    bucket->count = count < BUCKET_MAX ? count : BUCKET_MAX;
    for (size_t i = 0; i < bucket->count; i++)
        bucket->elements[i] = (struct element){.rounds = timers[i].rounds};
}

int bucket_walk(struct worked_result *result, struct diag *diag)
{
    static const char text[] = "add a 3s; add b 11s; add c 3s; add d 3s; tick 3";
    struct tw_setting setting = {.name = "slots", .count = 1, .values = {FORMULA_SLOTS}};
    struct bucket bucket = {.count = 0};
    struct script *script;
    struct film *film;
    int status = script_parse("D-walk", text, sizeof text - 1, 0, &script, diag);
    if (status != DIAG_OK)
        return status;
    struct player_request request = {.design = registry_find("round")->counted,
                                     .settings = &setting,
                                     .setting_count = 1,
                                     .script = script};
    status = player_run(&request, &film, diag);
    script_free(script);
    if (status != DIAG_OK)
        return status;
    result->films[result->film_count++] = film;
    uint64_t fired = film->frames[film->frame_count - 1].event_count;
    bucket_take(&bucket, &film->frames[film->frame_count - 2], 3);
    answer_add(result, "timers in slot 3 before its turn", bucket.count, 4, false);
    answer_add(result, "the running wheel fires", fired, 3, false);
    answer_add(result, "as printed, the walk over that bucket fires", bucket_fire(bucket, true),
               fired, true);
    answer_add(result, "put right, the walk over that bucket fires", bucket_fire(bucket, false),
               fired, false);
    snprintf(result->note, sizeof result->note,
             "An element that was removed has no next: the walk as printed ends at the first due "
             "timer, and the others of the bucket wait for the pointer to come round again.");
    return DIAG_OK;
}
