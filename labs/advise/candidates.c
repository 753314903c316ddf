/* candidates.c - lists the designs and settings to try, and leaves out what cannot fit the load. */
#include "labs/advise/evidence.h"

#include "harness/base/text.h"
#include "harness/base/units.h"

#define SLOTS_MIN   16
#define SLOTS_STEPS 2 /* a quarter, four times */

static bool has_param(const struct tw_design *design, const char *name)
{
    return param_find(design->timed->params, name) != NULL;
}

/* ---- Names. ---------------------------------------------------------------------------------- */

void candidate_name(char *out, size_t size, const struct candidate *candidate)
{
    struct text text = text_in(out, size);
    if (candidate->runner)
        text_add(&text, "%s/", candidate->runner->name);
    text_add(&text, "%s", candidate->design->timed->name);
    for (size_t i = 0; i < candidate->setting_count; i++) {
        const struct tw_setting *setting = &candidate->settings[i];
        for (uint32_t v = 0; v < setting->count; v++)
            text_add(&text, "%s%s%s%" PRIu64, v ? "," : " ", v ? "" : setting->name, v ? "" : "=",
                     setting->values[v]);
    }
    if (candidate->drive != PLAN_DRIVE_TICKS)
        text_add(&text, " tickless");
    if (candidate->tick_ns > 0) {
        char tick[32];
        units_format_time(tick, sizeof tick, candidate->tick_ns);
        text_add(&text, " tick=%s", tick);
    }
}

static bool declares_late(const struct tw_design *design)
{
    return design->timed->traits.late_ticks > 0 || design->timed->traits.late_shift > 0;
}

bool candidate_is_exact(const struct candidate *candidate)
{
    return !candidate->runner && candidate->tick_ns == 0 && !declares_late(candidate->design);
}

bool candidate_equal(const struct candidate *left, const struct candidate *right)
{
    bool equal = left->design == right->design && left->runner == right->runner &&
                 left->drive == right->drive && left->tick_ns == right->tick_ns &&
                 left->setting_count == right->setting_count;
    for (size_t i = 0; equal && i < left->setting_count; i++) {
        const struct tw_setting *a = &left->settings[i], *b = &right->settings[i];
        equal = strcmp(a->name, b->name) == 0 && a->count == b->count &&
                memcmp(a->values, b->values, a->count * sizeof *a->values) == 0;
    }
    return equal;
}

const char *const candidates_usual[CANDIDATES_USUAL] = {"hashed", "heap", "hier", "fast"};

unsigned candidate_usual(const struct tw_design *design)
{
    unsigned i = 0;
    while (i < CANDIDATES_USUAL && strcmp(candidates_usual[i], design->timed->name) != 0)
        i++;
    return i;
}

/* ---- As they come. --------------------------------------------------------------------------- */

static void leave_out_late(struct candidate *candidate, const struct wishes *wishes)
{
    const struct tw_traits *traits = &candidate->design->timed->traits;
    double share = traits->late_shift > 0 ? 1.0 / (double)(UINT64_C(1) << traits->late_shift) : 0;
    if (!declares_late(candidate->design) || wishes->late_ns > 0)
        return;
    if (!wishes->late)
        snprintf(candidate->left_out, sizeof candidate->left_out,
                 "may be late by %g %% of a delay; --late=TIME or --late=SHARE lets it in",
                 100 * share);
    else if (share > wishes->late_share || traits->late_ticks > 0)
        snprintf(candidate->left_out, sizeof candidate->left_out,
                 "may be late by %g %% of a delay; --late allows %g %%", 100 * share,
                 100 * wishes->late_share);
}

/* What a design that waits for the machine's clock takes is not what it costs.  Without wishes: on the real clock. */
static void leave_out(struct candidate *candidate, const struct wishes *wishes)
{
    if (candidate->design->timed->traits.flags & TW_REAL_CLOCK)
        snprintf(candidate->left_out, sizeof candidate->left_out,
                 "waits for the machine's clock: its time is waiting, not cost");
    else if (wishes)
        leave_out_late(candidate, wishes);
}

size_t candidates_default(const struct wishes *wishes, const struct tw_design *const *designs,
                          size_t design_count, struct candidate *out, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < design_count && count < max; i++) {
        if (designs[i]->timed->traits.flags & TW_KEEPS_NOTHING)
            continue;
        out[count] = (struct candidate){.design = designs[i], .place = (unsigned)i};
        leave_out(&out[count++], wishes);
    }
    return count;
}

size_t candidates_on_clock(const struct runner *runners, size_t runner_count,
                           const struct tw_design *const *designs, size_t design_count,
                           struct candidate *out, size_t max)
{
    size_t count = 0;
    for (size_t d = 0; d < design_count; d++)
        for (size_t r = 0; r < runner_count && count < max; r++) {
            if (designs[d]->timed->traits.flags & TW_KEEPS_NOTHING)
                continue;
            out[count] = (struct candidate){
                .design = designs[d], .runner = &runners[r], .place = (unsigned)(r * 64 + d)};
            leave_out(&out[count++], NULL);
        }
    return count;
}

/* ---- What lies around. ----------------------------------------------------------------------- */

static struct candidate with_setting(const struct candidate *of, const char *name,
                                     const uint64_t *values, uint32_t count)
{
    struct candidate out = *of;
    struct tw_setting *setting = &out.settings[0];
    out.setting_count = 1;
    *setting = (struct tw_setting){.name = name, .count = count};
    memcpy(setting->values, values, count * sizeof *values);
    return out;
}

static size_t around_slots(const struct candidate *of, uint64_t slots, struct candidate *out,
                           size_t max)
{
    static const int shifts[SLOTS_STEPS] = {-2, 2};
    size_t count = 0;
    for (size_t i = 0; i < SLOTS_STEPS && count < max; i++) {
        uint64_t value = shifts[i] < 0 ? slots >> -shifts[i] : slots << shifts[i];
        if (slots == 0 || value < SLOTS_MIN || value > UINT64_C(1) << 28)
            continue;
        out[count++] = with_setting(of, "slots", &value, 1);
    }
    return count;
}

/* Levels of one size, as many as the horizon takes; 0 when they would be too many. */
static uint32_t levels_of(uint64_t size, tw_tick horizon, uint64_t *values)
{
    uint32_t count = 0;
    uint64_t reach = 1;
    do {
        if (count == TW_VALUES_MAX)
            return 0;
        values[count++] = size;
        if (reach > horizon / size)
            return count;
        reach *= size;
    } while (reach <= horizon);
    return count;
}

static size_t around_levels(const struct candidate *of, tw_tick horizon, struct candidate *out,
                            size_t max)
{
    static const uint64_t sizes[] = {64, 256, 1024};
    size_t count = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && count < max; i++) {
        uint64_t values[TW_VALUES_MAX];
        uint32_t levels = levels_of(sizes[i], horizon, values);
        if (levels > 0)
            out[count++] = with_setting(of, "levels", values, levels);
    }
    return count;
}

size_t candidates_around(const struct candidate *of, const struct load *load, uint64_t slots,
                         struct candidate *out, size_t max)
{
    size_t count = 0;
    if (count < max) {
        out[count] = *of;
        out[count++].drive = PLAN_DRIVE_NEXT;
    }
    if (has_param(of->design, "slots"))
        count += around_slots(of, slots, out + count, max - count);
    if (has_param(of->design, "bitmap") && count < max) {
        const uint64_t on = 1;
        out[count++] = with_setting(of, "bitmap", &on, 1);
    }
    if (has_param(of->design, "levels"))
        count += around_levels(of, load->horizon, out + count, max - count);
    return count;
}

size_t candidates_coarser(const struct candidate *of, const struct load *load,
                          const struct wishes *wishes, struct candidate *out, size_t max)
{
    size_t count = 0;
    uint64_t times = wishes->late_ns / load->tick_ns;
    for (; times >= 2 && count < max && count<2; times = times> 4 ? times / 4 : 0) {
        out[count] = *of;
        out[count++].tick_ns = times * load->tick_ns;
    }
    return count;
}
