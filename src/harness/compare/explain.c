/* explain.c - explains a change of time by counts and their penalties. */
#include "harness/compare/pairing.h"

#include "harness/compare/gate_work.h"

#include <math.h>

/* Misses per call of both sides, and what they cost. */
struct misses {
    double before_ns, delta_ns; /* NAN: unknown */
};

static struct misses price_misses(const cJSON *before, const cJSON *after, const char *path,
                                  double penalty_ns)
{
    double old_rate = gate_work_cell_sum(before, path) / gate_work_cell_calls(before);
    double new_rate = gate_work_cell_sum(after, path) / gate_work_cell_calls(after);
    return (struct misses){old_rate * penalty_ns, (new_rate - old_rate) * penalty_ns};
}

static double or_nothing(double part_ns)
{
    return isnan(part_ns) ? 0 : part_ns;
}

/* More instructions take more of the time in which the processor was not waiting. */
static double price_instructions(const struct compared_cell *cell, double waiting_ns)
{
    double share = cell->changes[METRIC_INSTRUCTIONS].share;
    if (!cell->instructions_known || !isfinite(share))
        return NAN;
    return share * fmax(0, cell->before_ns_per_op - waiting_ns);
}

/* Penalties are known to a tenth or so: more than two digits would be made up. */
static double find_quantum(const struct explanation *parts)
{
    const double values[] = {parts->total_ns, parts->instructions_ns, parts->cache_misses_ns,
                             parts->branch_misses_ns};
    double largest = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        largest = fmax(largest, fabs(or_nothing(values[i])));
    return largest > 0 ? pow(10, floor(log10(largest)) - 1) : 1;
}

/* Dividing by a whole number keeps 0.3 the 0.3 that one would type. */
static double round_to(double value_ns, double quantum_ns)
{
    return quantum_ns < 1 ? round(value_ns / quantum_ns) / round(1 / quantum_ns)
                          : round(value_ns / quantum_ns) * quantum_ns;
}

void explain_cell(struct compared_cell *cell, const cJSON *before, const cJSON *after,
                  const struct penalties *penalties)
{
    struct explanation *parts = &cell->explanation;
    double total_ns = cell->after_ns_per_op - cell->before_ns_per_op;
    cell->explained = isfinite(total_ns);
    if (!cell->explained)
        return;
    struct misses cache =
        price_misses(before, after, "counters.cache_misses_per_op", penalties->cache_miss_ns);
    struct misses branch =
        price_misses(before, after, "counters.branch_misses_per_op", penalties->branch_miss_ns);
    double waiting_ns = or_nothing(cache.before_ns) + or_nothing(branch.before_ns);
    parts->total_ns = total_ns;
    parts->instructions_ns = price_instructions(cell, waiting_ns);
    parts->cache_misses_ns = cache.delta_ns;
    parts->branch_misses_ns = branch.delta_ns;
    double quantum_ns = find_quantum(parts);
    parts->total_ns = round_to(parts->total_ns, quantum_ns);
    parts->instructions_ns = round_to(parts->instructions_ns, quantum_ns);
    parts->cache_misses_ns = round_to(parts->cache_misses_ns, quantum_ns);
    parts->branch_misses_ns = round_to(parts->branch_misses_ns, quantum_ns);
    double known_ns = or_nothing(parts->instructions_ns) + or_nothing(parts->cache_misses_ns) +
                      or_nothing(parts->branch_misses_ns);
    parts->rest_ns = round_to(parts->total_ns - known_ns, quantum_ns);
}
