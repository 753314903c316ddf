/* mix.c - draws operations by weight. */
#include "harness/measure/workload/dist.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/units.h"
#include "harness/measure/workload/spec.h"

enum { ROWS_MAX = 512, POOL_SIZE = 32768 };

struct row {
    double weight, rearm, cancel;
    struct dist *delay, *rearm_after, *cancel_after;
};

struct mix {
    size_t count;
    struct row *rows;
    double *cumulative;
};

/* ---- Parsing. -------------------------------------------------------------------------------- */

struct key {
    const char *name;
    size_t offset;
    bool is_dist, from_zero;
    double min, max; /* of a number */
};

#define ROW(member) offsetof(struct row, member)

static const struct key keys[] = {
    {"weight", ROW(weight), false, false, 1e-12, 1e12},
    {"delay", ROW(delay), true, false, 0, 0},
    {"rearm", ROW(rearm), false, false, 0, 1},
    {"rearm_after", ROW(rearm_after), true, true, 0, 0},
    {"cancel", ROW(cancel), false, false, 0, 1},
    {"cancel_after", ROW(cancel_after), true, true, 0, 0},
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

static int member_parse(const cJSON *item, const char *what, const struct dist_context *context,
                        struct row *row, struct diag *diag)
{
    char place[400], text[PARAMETER_TEXT_MAX + 1];
    snprintf(place, sizeof place, "%.300s.%.60s", what, item->string);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        void *to = (char *)row + keys[i].offset;
        if (strcmp(keys[i].name, item->string) != 0)
            continue;
        if (!parameter_text(item, text, sizeof text))
            return diag_usage(diag, "%s: expected a number or a string of up to %d characters",
                              place, PARAMETER_TEXT_MAX);
        if (!keys[i].is_dist)
            return units_parse_real_in(text, place, keys[i].min, keys[i].max, to, diag);
        if (*(struct dist **)to)
            return diag_usage(diag, "%s: there twice, expected each key once", place);
        struct dist_context here = *context;
        here.from_zero = keys[i].from_zero;
        return dist_parse(text, place, &here, to, diag);
    }
    return diag_usage(diag,
                      "%s: unknown key, expected one of weight, delay, rearm, rearm_after, cancel, "
                      "cancel_after",
                      place);
}

static int row_check(const struct row *row, const char *what, struct diag *diag)
{
    if (!row->delay)
        return diag_usage(diag, "%s.delay: expected a distribution", what);
    if (row->rearm > 0 && !row->rearm_after)
        return diag_usage(diag, "%s.rearm_after: expected a distribution with rearm", what);
    if (row->cancel > 0 && !row->cancel_after)
        return diag_usage(diag, "%s.cancel_after: expected a distribution with cancel", what);
    if (row->rearm + row->cancel > 1 + 1e-9)
        return diag_usage(diag, "%s.cancel: %g, expected at most 1 together with rearm", what,
                          row->cancel);
    return DIAG_OK;
}

static int row_parse(const cJSON *object, const char *what, const struct dist_context *context,
                     struct row *row, struct diag *diag)
{
    *row = (struct row){.weight = 1};
    if (!cJSON_IsObject(object))
        return diag_usage(diag, "%s: expected an object", what);
    json_each(item, object, "") {
        int status = member_parse(item, what, context, row, diag);
        if (status != DIAG_OK)
            return status;
    }
    return row_check(row, what, diag);
}

static int rows_parse(const cJSON *array, const char *what, const struct dist_context *context,
                      struct mix *mix, struct diag *diag)
{
    double sum = 0, ends = 0;
    json_each(object, array, "") {
        char place[340];
        struct row *row = &mix->rows[mix->count];
        snprintf(place, sizeof place, "%.300s[%zu]", what, mix->count++);
        int status = row_parse(object, place, context, row, diag);
        if (status != DIAG_OK)
            return status;
        ends += row->weight * (1 - row->rearm);
        mix->cumulative[mix->count - 1] = sum += row->weight;
    }
    /* What is re-armed for ever is drawn for ever, on one tick. */
    if (ends < sum * 1e-6)
        return diag_usage(diag, "%s: hardly anything ends, expected less to be re-armed", what);
    return DIAG_OK;
}

int mix_parse(const cJSON *array, const char *what, const struct dist_context *context,
              struct mix **out, struct diag *diag)
{
    int size = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
    if (size < 1 || size > ROWS_MAX)
        return diag_usage(diag, "%s: expected an array of 1 .. %d rows", what, ROWS_MAX);
    struct mix *mix = memory_take(1, sizeof *mix);
    mix->rows = memory_take((size_t)size, sizeof *mix->rows);
    mix->cumulative = memory_take((size_t)size, sizeof *mix->cumulative);
    int status = rows_parse(array, what, context, mix, diag);
    if (status == DIAG_OK)
        *out = mix;
    else
        mix_free(mix);
    return status;
}

void mix_free(struct mix *mix)
{
    if (!mix)
        return;
    for (size_t i = 0; i < mix->count; i++) {
        dist_free(mix->rows[i].delay);
        dist_free(mix->rows[i].rearm_after);
        dist_free(mix->rows[i].cancel_after);
    }
    free(mix->rows);
    free(mix->cumulative);
    free(mix);
}

/* ---- Drawing. -------------------------------------------------------------------------------- */

struct mix_stretch mix_draw(const struct mix *mix, struct rng *rng)
{
    const struct row *row = &mix->rows[dist_weighted(mix->cumulative, mix->count, rng_unit(rng))];
    double end = rng_unit(rng);
    struct mix_stretch stretch = {.delay = dist_draw(row->delay, rng_unit(rng))};
    const struct dist *after = NULL;
    if (end < row->rearm) {
        stretch.end = MIX_REARMED;
        after = row->rearm_after;
    } else if (end < row->rearm + row->cancel) {
        stretch.end = MIX_CANCELLED;
        after = row->cancel_after;
    }
    stretch.after = stretch.delay.ticks;
    if (!after)
        return stretch;
    uint64_t ticks = dist_sample(after, rng);
    stretch.after = ticks < stretch.delay.ticks ? ticks : stretch.delay.ticks - 1;
    return stretch;
}

/* ---- Met in the middle. ---------------------------------------------------------------------- */

void mix_pool_open(struct mix_pool *pool, const struct mix *mix, struct rng *rng)
{
    double sum = 0;
    *pool = (struct mix_pool){
        .count = POOL_SIZE,
        .stretches = memory_take(POOL_SIZE, sizeof *pool->stretches),
        .cumulative = memory_take(POOL_SIZE, sizeof *pool->cumulative),
    };
    for (size_t i = 0; i < POOL_SIZE; i++) {
        pool->stretches[i] = mix_draw(mix, rng);
        pool->cumulative[i] = sum += (double)pool->stretches[i].after;
    }
}

void mix_pool_close(struct mix_pool *pool)
{
    free(pool->stretches);
    free(pool->cumulative);
    *pool = (struct mix_pool){0};
}

struct mix_stretch mix_pool_draw(const struct mix_pool *pool, struct rng *rng, uint64_t *over)
{
    *over = 0;
    struct mix_stretch stretch =
        pool->stretches[dist_weighted(pool->cumulative, pool->count, rng_unit(rng))];
    if (stretch.after > 0)
        *over = rng_below(rng, stretch.after);
    return stretch;
}
