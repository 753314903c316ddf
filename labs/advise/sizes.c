/* sizes.c - finds the range of sizes in which the same design wins. */
#include "labs/advise/sizes.h"

#include <math.h>
#include <string.h>

/* What the goal compares, left over right. */
static struct summary goal_ratio(enum criterion goal, const struct contender *left,
                                 const struct contender *right)
{
    if (goal == CRITERION_COST)
        return criteria_ratio(&left->cells, &right->cells);
    double ratio = criteria_value(&left->of, goal) / criteria_value(&right->of, goal);
    double doubt = goal == CRITERION_TAIL ? CRITERIA_TAIL_FACTOR / (1 + CRITERIA_MARGIN) : 1;
    return (struct summary){ratio, ratio / doubt, ratio * doubt, 1, 0};
}

static bool ratio_at(const struct advice_evidence *evidence, uint64_t tasks, size_t left,
                     size_t right, struct summary *out)
{
    struct contender l = evidence_contender(evidence, left, tasks);
    struct contender r = evidence_contender(evidence, right, tasks);
    if (!l.of.known || !r.of.known)
        return false;
    *out = goal_ratio(evidence->wishes.goal, &l, &r);
    return !isnan(out->median);
}

/* Better is who was measured where the other ran out of time as well; but then there is no ratio. */
static size_t points_of(const struct advice_evidence *evidence, const uint64_t *sizes, size_t first,
                        size_t last, struct size_change *change)
{
    change->point_count = 0;
    for (size_t i = first; i <= last; i++) {
        struct crossing_point *point = &change->points[change->point_count];
        point->tasks = (double)sizes[i];
        if (ratio_at(evidence, sizes[i], change->below, change->above, &point->ratio))
            change->point_count++;
    }
    change->crossing = crossing_find(change->points, change->point_count);
    return change->point_count;
}

/* Who is the answer at sizes[at], where the one so far is `answer`? */
static size_t answer_at(const struct advice_evidence *evidence, struct field *field, uint64_t tasks,
                        size_t answer)
{
    struct summary ratio;
    field_fill(field, evidence, tasks);
    size_t best = field->choice.chosen;
    if (best == CHOICE_NONE || best == answer || !field->contenders[answer].of.known)
        return answer;
    if (!field->entries[answer].allowed)
        return best;
    bool told = ratio_at(evidence, tasks, answer, best, &ratio) && criteria_ratio_sign(&ratio) > 0;
    return told ? best : answer;
}

struct walk {
    const struct advice_evidence *evidence;
    struct field *field;
    const uint64_t *sizes;
    size_t size_count, own;
};

/* One step outwards from sizes[from] (down or up): the next change, and where it was told. */
static bool next_change(const struct walk *walk, size_t from, bool down, size_t answer,
                        struct size_change *out, size_t *told_at)
{
    size_t at = from;
    while (down ? at > 0 : at + 1 < walk->size_count) {
        at = down ? at - 1 : at + 1;
        size_t best = answer_at(walk->evidence, walk->field, walk->sizes[at], answer);
        if (best == answer)
            continue;
        out->below = down ? best : answer;
        out->above = down ? answer : best;
        out->told = walk->sizes[at];
        *told_at = at;
        points_of(walk->evidence, walk->sizes, down ? at : from, down ? from : at, out);
        return true;
    }
    return false;
}

static void reverse(struct size_change *changes, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct size_change change = changes[i];
        changes[i] = changes[count - 1 - i];
        changes[count - 1 - i] = change;
    }
}

static size_t walk_changes(const struct walk *walk, bool down, size_t answer,
                           struct size_change *out, size_t max)
{
    size_t count = 0, at = walk->own;
    while (count < max && next_change(walk, at, down, answer, &out[count], &at)) {
        answer = down ? out[count].below : out[count].above;
        count++;
    }
    return count;
}

size_t sizes_find(const struct advice_evidence *evidence, struct field *scratch,
                  struct size_change out[SIZES_CHANGES_MAX])
{
    uint64_t sizes[EVIDENCE_SIZES_MAX];
    struct walk walk = {evidence, scratch, sizes, evidence_sizes(evidence, sizes), 0};
    while (walk.own < walk.size_count && sizes[walk.own] != evidence->load.tasks)
        walk.own++;
    if (walk.own == walk.size_count)
        return 0;
    field_fill(scratch, evidence, evidence->load.tasks);
    size_t answer = scratch->choice.chosen;
    if (answer == CHOICE_NONE)
        return 0;
    size_t count = walk_changes(&walk, true, answer, out, SIZES_CHANGES_MAX);
    reverse(out, count);
    return count + walk_changes(&walk, false, answer, out + count, SIZES_CHANGES_MAX - count);
}

uint64_t sizes_refine(const struct size_change *changes, size_t count, double ratio, size_t *change)
{
    double widest = ratio;
    uint64_t tasks = 0;
    for (size_t i = 0; i < count; i++) {
        const struct crossing *crossing = &changes[i].crossing;
        double width = crossing->found ? crossing->high / crossing->low : 0;
        double middle = round(sqrt(crossing->low * crossing->high));
        bool between = middle > crossing->low && middle < crossing->high;
        for (size_t p = 0; p < changes[i].point_count; p++)
            between = between && fabs(changes[i].points[p].tasks - middle) > 0.5;
        if (width > widest && between) {
            widest = width;
            tasks = (uint64_t)middle;
            *change = i;
        }
    }
    return tasks;
}
