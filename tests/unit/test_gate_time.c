/* test_gate_time.c - verdicts on made-up pairs: what must be seen, what must not, and how often. */
#include "harness/compare/gate_time.h"
#include "testing.h"

#include "harness/base/rng.h"

#include <math.h>

/* ---- Made-up pairs. -------------------------------------------------------------------------- */

/* Noise on top of `ratio`: normal, and in some pairs a burst of other load on either side. */
struct noise {
    double ratio, sd;
    double burst_share, burst_factor;
};

static double normal(struct rng *rng)
{
    return sqrt(-2 * log(rng_unit(rng))) * cos(2 * acos(-1) * rng_unit(rng));
}

static void make_series(struct block_series *series, const struct noise *noise, size_t pairs,
                        struct rng *rng)
{
    series->pairs = pairs;
    for (size_t i = 0; i < pairs; i++) {
        double burst = 0;
        if (rng_unit(rng) < noise->burst_share)
            burst = log(noise->burst_factor) * (rng_below(rng, 2) ? 1 : -1);
        series->cpu[i] = log(noise->ratio) + noise->sd * normal(rng) + burst;
        series->wall[i] = series->cpu[i] + 0.01;
    }
}

/* A cell seen through 30 pairs, its control through as many; p values are the cell's own. */
static struct compared_cell make_cell(const struct noise *noise, double control_ratio,
                                      const struct limits *limits, struct rng *rng)
{
    struct block_series *series = calloc(1, sizeof *series);
    struct compared_cell cell = {.time_known = true, .time_decides = true};
    struct noise control = *noise;
    assert_non_null(series);
    control.ratio = control_ratio;
    make_series(series, noise, 30, rng);
    cell.timing = gate_timing(series, limits->of[METRIC_TIME]);
    make_series(series, &control, 30, rng);
    cell.control = gate_timing(series, limits->of[METRIC_TIME]);
    free(series);
    return cell;
}

static enum verdict judge_one(struct noise noise, double control_ratio)
{
    struct limits limits = limits_default();
    struct rng rng;
    rng_seed(&rng, 1, 0);
    struct compared_cell cell = make_cell(&noise, control_ratio, &limits, &rng);
    gate_time_judge(&cell, 1, &limits);
    return cell.time_verdict;
}

/* ---- One cell. ------------------------------------------------------------------------------- */

TEST(test_clear_changes)
{
    assert_int_equal(judge_one((struct noise){.ratio = 1.05, .sd = 0.005}, 1), VERDICT_REGRESSED);
    assert_int_equal(judge_one((struct noise){.ratio = 0.95, .sd = 0.005}, 1), VERDICT_IMPROVED);
    assert_int_equal(judge_one((struct noise){.ratio = 1.02, .sd = 0.005}, 1), VERDICT_SAME);
    assert_int_equal(judge_one((struct noise){.ratio = 0.98, .sd = 0.005}, 1), VERDICT_SAME);
    assert_int_equal(judge_one((struct noise){.ratio = 1, .sd = 0}, 1), VERDICT_SAME);
}

TEST(test_noise_is_inconclusive_and_asks_for_more_pairs_unless_another_gate_has_regressed)
{
    assert_int_equal(judge_one((struct noise){.ratio = 1, .sd = 0.2}, 1), VERDICT_INCONCLUSIVE);
    assert_int_equal(judge_one((struct noise){.ratio = 1.03, .sd = 0.005}, 1),
                     VERDICT_INCONCLUSIVE);
    struct limits limits = limits_default();
    struct compared_cell cell = {.time_verdict = VERDICT_INCONCLUSIVE};
    assert_true(gate_needs_pairs(&cell, &limits));
    cell.changes[METRIC_MEMORY].verdict = VERDICT_REGRESSED;
    assert_false(gate_needs_pairs(&cell, &limits));
}

/* Whatever the pairs say, they say it of the machine when two copies of one program differ too. */
TEST(test_a_moved_control_decides_nothing)
{
    struct noise slower = {.ratio = 1.2, .sd = 0.005}, same = {.ratio = 1, .sd = 0.005};
    assert_int_equal(judge_one(slower, 1.05), VERDICT_INCONCLUSIVE);
    assert_int_equal(judge_one(slower, 0.95), VERDICT_INCONCLUSIVE);
    assert_int_equal(judge_one(same, 1.05), VERDICT_INCONCLUSIVE);
    assert_int_equal(judge_one(slower, 1.02), VERDICT_REGRESSED);
    assert_false(gate_control_moved(&(struct timing){.pairs = 0, .cpu = {NAN, NAN, NAN}}, 0.03));
}

TEST(test_bursts_do_not_change_the_verdict)
{
    struct noise bursts = {.sd = 0.005, .burst_share = 0.1, .burst_factor = 3};
    bursts.ratio = 1.05;
    assert_int_equal(judge_one(bursts, 1), VERDICT_REGRESSED);
    bursts.ratio = 1.01;
    assert_int_equal(judge_one(bursts, 1), VERDICT_SAME);
    bursts.ratio = 0.95;
    assert_int_equal(judge_one(bursts, 1), VERDICT_IMPROVED);
}

/* 1..30 percent: medians and the ranks that belong to 99 % (8th from either end) are known. */
TEST(test_figures_of_a_series)
{
    struct block_series *series = calloc(1, sizeof *series);
    assert_non_null(series);
    series->pairs = 30;
    for (size_t i = 0; i < 30; i++) {
        series->cpu[i] = log(1 + (double)((i * 7) % 30 + 1) / 100);
        series->wall[i] = -series->cpu[i];
    }
    struct timing timing = gate_timing(series, 0.255);
    assert_int_equal(timing.pairs, 30);
    assert_true(fabs(timing.cpu.median - sqrt(1.15 * 1.16)) < 1e-9);
    assert_true(fabs(timing.cpu.low - 1.08) < 1e-9 && fabs(timing.cpu.high - 1.23) < 1e-9);
    assert_true(fabs(timing.wall.low * 1.23 - 1) < 1e-9);
    assert_true(timing.confidence >= 0.99 && timing.confidence < 0.995);
    /* Five of 30 lie above: all but the tail of at most four is the chance of that. */
    assert_true(fabs(timing.p_slower - (1 - 31931.0 / 1073741824)) < 1e-9);
    assert_true(fabs(timing.p_faster - 1) < 1e-9);
    series->pairs = 0;
    timing = gate_timing(series, 0.03);
    assert_true(isnan(timing.cpu.median) && isnan(timing.wall.low));
    assert_true(timing.p_slower == 1 && timing.p_faster == 1);
    free(series);
}

TEST(test_fewest_pairs_can_decide)
{
    struct block_series *series = calloc(1, sizeof *series);
    struct compared_cell cells[15] = {{.time_known = false}};
    struct limits limits = limits_default();
    assert_non_null(series);
    series->pairs = PAIRS_MIN;
    for (size_t i = 0; i < PAIRS_MIN; i++)
        series->cpu[i] = log(1.1) + 1e-4 * (double)i;
    for (size_t i = 0; i < 15; i++) {
        cells[i].time_known = true;
        cells[i].timing = gate_timing(series, 0.03);
    }
    gate_time_judge(cells, 15, &limits);
    for (size_t i = 0; i < 15; i++)
        assert_int_equal(cells[i].time_verdict, VERDICT_REGRESSED);
    assert_true(cells[0].timing.confidence >= GATE_CONFIDENCE);
    free(series);
}

/* ---- The layout margin. ---------------------------------------------------------------------- */

TEST(test_layout_margin_is_for_the_same_program)
{
    struct limits limits = limits_default();
    struct compared_cell cell = {.same_program = true};
    assert_true(gate_margin(&cell, &limits) == limits.of[METRIC_LAYOUT]);
    limits.of[METRIC_LAYOUT] = 0.01;
    assert_true(gate_margin(&cell, &limits) == limits.of[METRIC_TIME]);
    limits = limits_default();
    cell.same_program = false;
    assert_true(gate_margin(&cell, &limits) == limits.of[METRIC_TIME]);
    struct rng rng;
    rng_seed(&rng, 3, 0);
    cell = make_cell(&(struct noise){.ratio = 1.08, .sd = 0.005}, 1, &limits, &rng);
    struct compared_cell same = cell;
    same.same_program = true;
    gate_time_judge(&cell, 1, &limits);
    gate_time_judge(&same, 1, &limits);
    assert_int_equal(cell.time_verdict, VERDICT_REGRESSED);
    assert_int_equal(same.time_verdict, VERDICT_INCONCLUSIVE);
    assert_true(same.layout_may_explain && !cell.layout_may_explain);
}

/* The margin that is shown is one that the interval can be checked with, whatever the verdict. */
TEST(test_a_verdict_can_be_checked_with_its_margin)
{
    struct limits limits = limits_default();
    static const struct {
        double low, high;
        bool same_program;
        enum verdict verdict;
        double margin;
        bool needs_pairs;
    } cases[] = {
        {0.99, 1.01, false, VERDICT_SAME, 0.03, false},
        {0.97, 1.03, false, VERDICT_SAME, 0.03, false},
        {0.9699, 1.01, false, VERDICT_INCONCLUSIVE, 0.03, true},
        {0.954, 1.056, false, VERDICT_INCONCLUSIVE, 0.03, true},
        {1.031, 1.05, false, VERDICT_REGRESSED, 0.03, false},
        {0.95, 0.969, false, VERDICT_IMPROVED, 0.03, false},
        {0.99, 1.01, true, VERDICT_SAME, 0.03, false},
        {0.954, 1.056, true, VERDICT_SAME, 0.10, true},
        {1.001, 1.029, true, VERDICT_SAME, 0.03, false},
        {1.034, 1.08, true, VERDICT_INCONCLUSIVE, 0.10, false},
        {0.92, 0.966, true, VERDICT_INCONCLUSIVE, 0.10, false},
        {1.034, 1.08, false, VERDICT_REGRESSED, 0.03, false},
        {1.01, 1.05, true, VERDICT_INCONCLUSIVE, 0.10, true},
        {0.89, 1.05, true, VERDICT_INCONCLUSIVE, 0.10, true},
        {1.06, 1.12, true, VERDICT_INCONCLUSIVE, 0.10, true},
        {1.11, 1.12, true, VERDICT_REGRESSED, 0.10, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct compared_cell cell = {.time_known = true, .same_program = cases[i].same_program};
        cell.timing.cpu = (struct interval){.low = cases[i].low,
                                            .median = (cases[i].low + cases[i].high) / 2,
                                            .high = cases[i].high};
        gate_time_judge(&cell, 1, &limits);
        assert_int_equal(cell.time_verdict, cases[i].verdict);
        assert_float_equal(cell.timing.margin, cases[i].margin, 1e-12);
        assert_int_equal(gate_needs_pairs(&cell, &limits), cases[i].needs_pairs);
    }
}

/* ---- Layouts of each pair. ------------------------------------------------------------------- */

/* What layout makes of a side has to be seen in pairs of other layouts, and a margin for it would hide 5 %. */
TEST(test_no_margin_where_layouts_vary)
{
    struct limits limits = limits_default();
    struct compared_cell cell = {.time_known = true, .same_program = true, .layouts_vary = true};
    assert_true(gate_margin(&cell, &limits) == limits.of[METRIC_TIME]);
    cell.timing.cpu = (struct interval){.low = 1.034, .median = 1.05, .high = 1.08};
    gate_time_judge(&cell, 1, &limits);
    assert_int_equal(cell.time_verdict, VERDICT_REGRESSED);
    assert_false(cell.layout_may_explain);
    cell.timing.cpu.low = 0.99;
    gate_time_judge(&cell, 1, &limits);
    assert_int_equal(cell.time_verdict, VERDICT_SAME);
}

/* 14 layouts by five pairs: 14 values.  By pairs alone the interval would be that of 70. */
TEST(test_pairs_of_one_layout_are_one_value)
{
    struct block_series *series = calloc(1, sizeof *series);
    assert_non_null(series);
    series->pairs = 70;
    for (size_t i = 0; i < series->pairs; i++)
        series->cpu[i] = 0.01 * (double)(i % 14) + 0.001 * (double)(i / 14);
    struct timing each = gate_timing(series, 0.03);
    series->layouts = 14;
    struct timing averaged = gate_timing(series, 0.03);
    assert_int_equal(averaged.pairs, 70);
    assert_true(fabs(log(averaged.cpu.median) - 0.067) < 1e-9);
    assert_true(averaged.cpu.low < each.cpu.low && averaged.cpu.high > each.cpu.high);
    assert_true(averaged.p_slower > each.p_slower);
    series->layouts = PAIRS_MAX;
    averaged = gate_timing(series, 0.03);
    assert_true(averaged.cpu.low == each.cpu.low && averaged.p_slower == each.p_slower);
    free(series);
}

/* Two copies of OLD that lie 2 % apart beyond doubt: NEW may lie as far off by its place alone. */
TEST(test_a_control_that_has_surely_moved_widens_what_counts)
{
    struct limits limits = limits_default();
    struct compared_cell cell = {.time_known = true};
    cell.timing.cpu = (struct interval){.low = 1.034, .median = 1.04, .high = 1.05};
    cell.control = (struct timing){.pairs = 30, .cpu = {.low = 0.99, .median = 1.0, .high = 1.01}};
    gate_time_judge(&cell, 1, &limits);
    assert_int_equal(cell.time_verdict, VERDICT_REGRESSED);
    cell.control.cpu = (struct interval){.low = 1.005, .median = 1.01, .high = 1.02};
    gate_time_judge(&cell, 1, &limits);
    assert_int_equal(cell.time_verdict, VERDICT_INCONCLUSIVE);
    cell.control.cpu = (struct interval){.low = 0.97, .median = 0.98, .high = 0.995};
    gate_time_judge(&cell, 1, &limits);
    assert_int_equal(cell.time_verdict, VERDICT_INCONCLUSIVE);
    cell.control.cpu = (struct interval){NAN, NAN, NAN};
    gate_time_judge(&cell, 1, &limits);
    assert_int_equal(cell.time_verdict, VERDICT_REGRESSED);
}

/* ---- Many cells. ----------------------------------------------------------------------------- */

/* Cell 3 lies above the margin in 23 of 30 pairs, a chance of 0.0026: enough for one cell, not for
 * one of 15. */
static void fill_family(struct compared_cell *cells, size_t count, struct block_series *series)
{
    series->pairs = 30;
    for (size_t c = 0; c < count; c++) {
        for (size_t i = 0; i < 30; i++)
            series->cpu[i] = c == 3 ? log(i < 23 ? 1.08 : 1.0) : 0;
        cells[c] = (struct compared_cell){.time_known = true};
        cells[c].timing = gate_timing(series, 0.03);
    }
}

TEST(test_one_of_many_has_to_be_clearer)
{
    struct limits limits = limits_default();
    struct block_series *series = calloc(1, sizeof *series);
    struct compared_cell cells[15];
    assert_non_null(series);
    fill_family(cells, 15, series);
    double p = cells[3].timing.p_slower;
    assert_true(p < GATE_ALPHA && p > GATE_ALPHA / 15);
    gate_time_judge(cells, 15, &limits);
    assert_int_equal(cells[3].time_verdict, VERDICT_INCONCLUSIVE);
    assert_true(fabs(cells[3].timing.p_slower - 15 * p) < 1e-9);
    assert_int_equal(cells[2].time_verdict, VERDICT_SAME);
    fill_family(cells, 15, series);
    gate_time_judge(&cells[3], 1, &limits);
    assert_int_equal(cells[3].time_verdict, VERDICT_REGRESSED);
    free(series);
}

/* Neither a cell without times nor one whose p is unknown takes part in the family. */
TEST(test_cells_without_times_do_not_count)
{
    struct limits limits = limits_default();
    struct block_series *series = calloc(1, sizeof *series);
    struct compared_cell cells[15];
    assert_non_null(series);
    fill_family(cells, 15, series);
    for (size_t i = 0; i < 15; i++)
        cells[i].time_known = i == 3;
    cells[0].time_verdict = VERDICT_IMPROVED;
    gate_time_judge(cells, 15, &limits);
    assert_int_equal(cells[3].time_verdict, VERDICT_REGRESSED);
    assert_int_equal(cells[0].time_verdict, VERDICT_IMPROVED);
    fill_family(cells, 4, series);
    cells[0].timing.p_slower = cells[0].timing.p_faster = NAN;
    cells[0].timing.cpu = (struct interval){NAN, NAN, NAN};
    cells[1].time_known = cells[2].time_known = false;
    gate_time_judge(cells, 4, &limits);
    assert_int_equal(cells[3].time_verdict, VERDICT_REGRESSED);
    assert_int_equal(cells[0].time_verdict, VERDICT_INCONCLUSIVE);
    free(series);
}

TEST(test_confirming)
{
    struct timing timing = {.pairs = 30, .cpu = {1.05, 1.01, 1.09}, .p_slower = 0.04};
    assert_true(gate_confirms(&timing, 0.03));
    timing.p_slower = 0.06;
    assert_false(gate_confirms(&timing, 0.03));
    timing.p_slower = 0.001;
    timing.cpu.median = 1.029;
    assert_false(gate_confirms(&timing, 0.03));
    timing.cpu.median = NAN;
    assert_false(gate_confirms(&timing, 0.03));
}

/* ---- How often. ------------------------------------------------------------------------------ */

#define TRIALS 2000

/* Of TRIALS comparisons of `count` cells: those in which any cell has regressed. */
static size_t count_regressed(const struct noise *noise, size_t count, uint64_t seed)
{
    struct limits limits = limits_default();
    struct compared_cell cells[15];
    struct rng rng;
    size_t hits = 0;
    rng_seed(&rng, seed, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        bool any = false;
        for (size_t i = 0; i < count; i++)
            cells[i] = make_cell(noise, 1, &limits, &rng);
        gate_time_judge(cells, count, &limits);
        for (size_t i = 0; i < count; i++)
            any = any || cells[i].time_verdict == VERDICT_REGRESSED;
        hits += any;
    }
    return hits;
}

TEST(test_a_program_beside_itself_has_not_regressed)
{
    struct noise noise = {.ratio = 1, .sd = 0.02, .burst_share = 0.1, .burst_factor = 1.5};
    assert_true(count_regressed(&noise, 1, 11) <= (size_t)(TRIALS * GATE_ALPHA));
    assert_true(count_regressed(&noise, 15, 12) <= (size_t)(TRIALS * GATE_ALPHA));
}

/* The hardest that must not be called slower: exactly at the margin, in every cell at once.  That
 * it happens now and then shows that the test could fail. */
TEST(test_alpha_holds_at_the_margin)
{
    struct noise noise = {.ratio = 1.03, .sd = 0.02, .burst_share = 0.1, .burst_factor = 1.5};
    size_t alone = count_regressed(&noise, 1, 13), many = count_regressed(&noise, 15, 14);
    assert_true(alone > 0 && alone <= (size_t)(TRIALS * GATE_ALPHA));
    assert_true(many > 0 && many <= (size_t)(TRIALS * GATE_ALPHA));
}

TEST(test_five_percent_are_seen)
{
    struct noise noise = {.ratio = 1.05, .sd = 0.01};
    assert_true(count_regressed(&noise, 1, 15) >= TRIALS * 95 / 100);
    noise.burst_share = 0.05;
    noise.burst_factor = 3;
    assert_true(count_regressed(&noise, 1, 16) >= TRIALS * 95 / 100);
}

/* What a comparison of 15 cells comes to, step by step as compare takes them: 30 pairs, 150 where that is inconclusive,
 * and of a regression as many again.  Each pair has layouts of its own. */
struct simulated {
    double ratio, noise_sd, layout_sd; /* of a pair, and of one side */
};

static struct timing simulate(const struct simulated *world, size_t pairs,
                              struct block_series *series, struct rng *rng)
{
    double sd = sqrt(world->noise_sd * world->noise_sd + 2 * world->layout_sd * world->layout_sd);
    make_series(series, &(struct noise){.ratio = world->ratio, .sd = sd}, pairs, rng);
    return gate_timing(series, 0.03);
}

/* `timings` are the cells' own, before their number is allowed for. */
static void simulate_cells(struct compared_cell *cells, struct timing *timings,
                           const struct simulated *world, size_t pairs, struct rng *rng,
                           struct block_series *series)
{
    struct limits limits = limits_default();
    struct simulated itself = *world;
    itself.ratio = 1;
    for (size_t i = 0; i < 15; i++) {
        if (pairs == 30 || cells[i].time_verdict == VERDICT_INCONCLUSIVE) {
            timings[i] = simulate(world, pairs, series, rng);
            cells[i].control = simulate(&itself, pairs, series, rng);
        }
        cells[i].time_known = cells[i].same_program = cells[i].layouts_vary = true;
        cells[i].timing = timings[i];
    }
    gate_time_judge(cells, 15, &limits);
}

/* Cells of `comparisons` comparisons that are told as regressed. */
static size_t simulate_comparisons(const struct simulated *world, size_t comparisons, uint64_t seed)
{
    struct block_series *series = calloc(1, sizeof *series);
    struct rng rng;
    size_t hits = 0;
    assert_non_null(series);
    rng_seed(&rng, seed, 0);
    for (size_t n = 0; n < comparisons; n++) {
        struct compared_cell cells[15] = {{.time_known = false}};
        struct timing timings[15];
        simulate_cells(cells, timings, world, 30, &rng, series);
        simulate_cells(cells, timings, world, 150, &rng, series);
        for (size_t i = 0; i < 15; i++) {
            struct timing again = simulate(world, 150, series, &rng);
            hits += cells[i].time_verdict == VERDICT_REGRESSED && gate_confirms(&again, 0.03);
        }
    }
    free(series);
    return hits;
}

/* Builds as their layouts have it lie up to 8 % apart (MEASUREMENT, "Layout"): two of a spread of 2 %. */
TEST(test_layout_alone_is_no_regression_and_five_percent_is)
{
    for (int quiet = 0; quiet < 2; quiet++) {
        struct simulated world = {.ratio = 1, .noise_sd = quiet ? 0.005 : 0.02, .layout_sd = 0.02};
        assert_int_equal(simulate_comparisons(&world, 500, 21), 0);
        world.ratio = 1.05;
        size_t found = simulate_comparisons(&world, 100, 22);
        print_message("noise %.1f %%, layout 2 %%: 5 %% found in %zu of 1500\n",
                      100 * world.noise_sd, found);
        assert_true(found >= 1425);
    }
}

TEST_MAIN(NULL, NULL)
