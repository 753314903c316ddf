/* agree.c - holds what a document says to what its writer keeps: a median lies among its samples, ok is proved, each cell
 * is there once. */
#include "harness/tell/result/document.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/measure/stats/summary.h"

/* Numbers are written in six digits, so what is calculated again from them may differ by so much. */
#define ROUNDING 2e-5

/* Where it looks, for the message. */
struct place_in {
    const char *what;
    size_t cell;
    const char *phase; /* "": the cell as a whole */
    struct diag *diag;
};

static int refuse(const struct place_in *in, const char *key, const char *problem,
                  const char *expected)
{
    return diag_usage(in->diag, "%s: cells[%zu]%s%.60s.%s: %s; expected %s", in->what, in->cell,
                      in->phase[0] ? ", phase " : "", in->phase, key, problem, expected);
}

/* ---- Times. ----------------------------------------------------------------------------------- */

static bool is_near(double one, double other)
{
    return fabs(one - other) <= ROUNDING * fabs(other);
}

static struct summary summary_again(const cJSON *samples)
{
    size_t count = (size_t)cJSON_GetArraySize(samples), filled = 0;
    double *values = memory_take(count, sizeof *values);
    json_each(sample, samples, "")
        values[filled++] = sample->valuedouble;
    struct summary summary = summary_of(values, count);
    free(values);
    return summary;
}

static int check_interval(const struct place_in *in, const cJSON *phase, const char *key)
{
    const cJSON *interval = json_get(phase, key), *samples = json_get(interval, "samples");
    double median = json_get_number(interval, "median"), low = json_get_number(interval, "low"),
           high = json_get_number(interval, "high");
    if (low > median || median > high)
        return refuse(in, key, "the median lies outside of its interval", "low <= median <= high");
    if (cJSON_GetArraySize(samples) == 0)
        return DIAG_OK;
    struct summary again = summary_again(samples);
    if (!is_near(median, again.median) || !is_near(low, again.low) || !is_near(high, again.high))
        return refuse(in, key, "median or interval are not those of the samples",
                      "what the samples give");
    return DIAG_OK;
}

/* A phase with operations has its time where times were taken. */
static int check_phase(const struct place_in *in, const cJSON *cell, const cJSON *phase)
{
    static const char *const keys[] = {"ns_per_op", "cpu_ns_per_op_interval", "ns_per_advance"};
    double operations = json_get_number(phase, "operations.start") +
                        json_get_number(phase, "operations.stop") +
                        json_get_number(phase, "operations.expire");
    if (json_get_number(cell, "sampling.samples") > 0 && operations > 0 &&
        !json_get(phase, "ns_per_op"))
        return refuse(in, "ns_per_op", "null", "the time of what was timed");
    int status = DIAG_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && status == DIAG_OK; i++)
        status = check_interval(in, phase, keys[i]);
    return status;
}

/* ---- Proof. ----------------------------------------------------------------------------------- */

bool result_is_exact(const cJSON *cell)
{
    return json_get_number(cell, "traits.late_ticks") == 0 &&
           json_get_number(cell, "traits.late_shift") == 0 &&
           !cJSON_IsTrue(json_get(cell, "traits.keeps_nothing"));
}

/* A cell on a runner has a ledger for its proof; designs that may be late, or keep nothing, have another digest. */
static int check_proof(const struct place_in *in, const cJSON *cell)
{
    if (!json_says(cell, "status", "ok") || json_get(cell, "runner") || json_get(cell, "clock"))
        return DIAG_OK;
    if (!json_first(cell, "phases"))
        return refuse(in, "phases", "empty", "the phases of a cell that is ok");
    if (!(json_get_number(cell, "early") <= 0))
        return refuse(in, "early", "the status is ok", "0");
    if (!result_is_exact(cell))
        return DIAG_OK;
    if (!json_says(cell, "digest", json_get_text(cell, "expected_digest")))
        return refuse(in, "digest", "is not the oracle's, and the status is ok",
                      "expected_digest, or the status mismatch");
    if (json_get_number(cell, "fired") != json_get_number(cell, "stream.expected_fired"))
        return refuse(in, "fired", "is not what the oracle says, and the status is ok",
                      "stream.expected_fired, or the status mismatch");
    return DIAG_OK;
}

int agree_check_cell(const cJSON *cell, size_t index, const char *what, struct diag *diag)
{
    struct place_in in = {what, index, "", diag};
    int status = check_proof(&in, cell);
    json_each(phase, cell, "phases") {
        in.phase = json_get_text(phase, "name");
        status = status == DIAG_OK ? check_phase(&in, cell, phase) : status;
    }
    return status;
}

/* ---- The document. ----------------------------------------------------------------------------- */

static int by_identity(const void *left, const void *right)
{
    const cJSON *const *a = left, *const *b = right;
    return strcmp(json_get_text(*a, "identity"), json_get_text(*b, "identity"));
}

static int check_once(const cJSON *root, const char *what, struct diag *diag)
{
    size_t count = (size_t)cJSON_GetArraySize(json_get(root, "cells")), filled = 0;
    const cJSON **cells = memory_take(count, sizeof *cells), *twice = NULL;
    json_each(cell, root, "cells")
        cells[filled++] = cell;
    qsort(cells, count, sizeof *cells, by_identity);
    for (size_t i = 1; i < count && !twice; i++)
        if (by_identity(&cells[i - 1], &cells[i]) == 0)
            twice = cells[i];
    free(cells);
    return twice ? diag_usage(diag, "%s: cells: \"%.300s\" is there twice; expected each once",
                              what, json_get_text(twice, "identity"))
                 : DIAG_OK;
}

/* A shard is one of its plan's; a merged result has each once, and all unless something was left out. */
static int check_shards(const cJSON *root, const char *what, struct diag *diag)
{
    double index = json_get_number(root, "shard.index"), last = 0;
    if (index < 1 || index > json_get_number(root, "shard.of"))
        return diag_usage(diag, "%s: shard.index: %g of %g; expected 1 .. of", what, index,
                          json_get_number(root, "shard.of"));
    json_each(shard, root, "shards") {
        index = json_get_number(shard, "index");
        if (!(index > last) || (index > last + 1 && !json_get(root, "left_out")))
            return diag_usage(diag, "%s: shards: %g behind %g; expected 1, 2, .. once each", what,
                              index, last);
        last = index;
    }
    return DIAG_OK;
}

int agree_check_document(const cJSON *root, const char *what, struct diag *diag)
{
    int status = check_once(root, what, diag);
    return status == DIAG_OK ? check_shards(root, what, diag) : status;
}
