/* test_census.c - the census of the recorded traces is what was counted when they were recorded. */
#include "harness/measure/workload/workload.h"
#include "labs/traces/census.h"
#include "testing.h"

#include <math.h>

struct recording {
    const char *name;
    uint64_t unit_ns, operations, starts_new, ended[CENSUS_ENDS], ids, max_armed, mean_armed;
    double operations_pass; /* to two places */
    uint64_t operations_tick_max;
    double shares[CENSUS_EXPIRED + 1]; /* per cent of the starts, to one place */
    int64_t percentiles[CENSUS_PERCENTILES];
    uint64_t distinct;
    struct {
        int64_t ticks;
        uint64_t count;
    } commonest[5];
};

static const struct recording recordings[] = {
    {.name = "nginx",
     .unit_ns = 1000000,
     .operations = 1055985,
     .starts_new = 253815,
     .ended = {596700, 205470, 48167, 178},
     .ids = 2035,
     .max_armed = 1136,
     .mean_armed = 974,
     .operations_pass = 39.72,
     .operations_tick_max = 501,
     .shares = {70.2, 24.2, 5.7},
     .percentiles = {11, 50, 3000, 4000, 60000, 60000, 60000},
     .distinct = 21,
     .commonest = {{3000, 318839}, {10000, 159276}, {60000, 157501}, {4000, 149980}, {50, 28608}}},
    {.name = "linux-timer",
     .unit_ns = 4000000,
     .operations = 742156,
     .starts_new = 323369,
     .ended = {315176, 103611, 205733, 14025},
     .ids = 22500,
     .max_armed = 15744,
     .mean_armed = 14048,
     .operations_pass = 96.76,
     .operations_tick_max = 1926,
     .shares = {49.4, 16.2, 32.2},
     .percentiles = {0, 7, 10, 51, 2500, 15000, 30150},
     .distinct = 934,
     .commonest = {{10, 165352}, {51, 157772}, {250, 55940}, {15000, 53889}, {50, 51883}}},
    {.name = "linux-hrtimer",
     .unit_ns = 1,
     .operations = 201091,
     .starts_new = 116669,
     .ended = {2531, 81891, 34770, 8},
     .ids = 597,
     .max_armed = 21,
     .mean_armed = 12,
     .operations_pass = 1.02,
     .operations_tick_max = 4,
     .shares = {2.1, 68.7, 29.2},
     .percentiles = {-9306, 1049224, 1049776, 16079276, 88439695, 30099999909, 86400000049686},
     .distinct = 54678,
     .commonest =
         {{3997000, 5424}, {3998000, 2794}, {3996000, 2321}, {3995000, 1710}, {3994000, 921}}},
    {.name = "libuv-bind",
     .unit_ns = 1000000,
     .operations = 196185,
     .starts_new = 107523,
     .ended = {14, 88648, 18388, 487},
     .ids = 1695,
     .max_armed = 1425,
     .mean_armed = 1002,
     .operations_pass = 13.88,
     .operations_tick_max = 127,
     .shares = {0.0, 82.4, 17.1},
     .percentiles = {3, 1200, 1200, 1200, 1200, 3200, 3200},
     .distinct = 10,
     .commonest = {{1200, 97986}, {1600, 3104}, {3200, 3104}, {1599, 2070}, {1595, 615}}},
    {.name = "libevent-unbound",
     .unit_ns = 1000,
     .operations = 628691,
     .starts_new = 396201,
     .ended = {22073, 210417, 185783, 1},
     .ids = 1213,
     .max_armed = 1213,
     .mean_armed = 479,
     .operations_pass = 1.01,
     .operations_tick_max = 2,
     .shares = {5.3, 50.3, 44.4},
     .percentiles = {0, 0, 0, 50000, 4993697, 5000000, 24064000},
     .distinct = 7781,
     .commonest = {{0, 182880}, {50000, 180754}, {5000000, 29223}, {6016000, 777}, {3008000, 354}}},
};

static void census_open(const char *path, struct census *census)
{
    struct textfile *file;
    struct trace_header header;
    struct diag diag = {""};
    if (textfile_open(&file, path, &diag) != DIAG_OK ||
        census_of_trace(file, &header, census, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    textfile_close(file);
}

static int census_of_text(const char *text, struct census *census)
{
    struct textfile *file;
    struct trace_header header;
    struct diag diag = {""};
    assert_int_equal(textfile_open_memory(&file, "t.tt", text, strlen(text), &diag), DIAG_OK);
    int status = census_of_trace(file, &header, census, &diag);
    textfile_close(file);
    return status;
}

static void counts_compare(const struct recording *want, const struct census *census)
{
    assert_int_equal(census->unit_ns, want->unit_ns);
    assert_int_equal(census->operations, want->operations);
    assert_int_equal(census->starts_new, want->starts_new);
    for (int i = 0; i < CENSUS_ENDS; i++)
        assert_int_equal(census->ended[i], want->ended[i]);
    assert_int_equal(census->ids, want->ids);
    assert_int_equal(census->max_armed, want->max_armed);
    assert_int_equal(llround(census->mean_armed), want->mean_armed);
    double per_pass = (double)census->operations / (double)census->pass_count;
    assert_int_equal(llround(per_pass * 100), llround(want->operations_pass * 100));
    assert_int_equal(census->operations_tick_max, want->operations_tick_max);
    for (int i = 0; i <= CENSUS_EXPIRED; i++) {
        double share = (double)census->ended[i] / (double)census_starts(census) * 100;
        assert_int_equal(llround(share * 10), llround(want->shares[i] * 10));
    }
}

static void delays_compare(const struct recording *want, const struct census *census)
{
    int64_t percentiles[CENSUS_PERCENTILES];
    size_t indexes[5];
    census_percentiles(census, percentiles);
    for (int i = 0; i < CENSUS_PERCENTILES; i++)
        assert_true(percentiles[i] == want->percentiles[i]);
    assert_int_equal(census->delay_count, want->distinct);
    assert_int_equal(census_commonest(census, indexes, 5), 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(census->delays[indexes[i]].ticks, want->commonest[i].ticks);
        assert_int_equal(census->delays[indexes[i]].count, want->commonest[i].count);
    }
}

static void curve_compare(const struct census *census)
{
    double sum = 0;
    uint64_t most = 0;
    for (int i = 0; i < CENSUS_BINS; i++) {
        sum += census->bin_mean[i];
        assert_true(census->bin_mean[i] <= (double)census->bin_max[i] + 1e-6);
        most = census->bin_max[i] > most ? census->bin_max[i] : most;
    }
    assert_int_equal(most, census->max_armed);
    assert_true(fabs(sum / CENSUS_BINS - census->mean_armed) < 1e-6 * census->mean_armed);
}

TEST(test_recorded_traces)
{
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
        char path[200];
        struct census census;
        assert_true(trace_find(recordings[i].name, "workloads", path, sizeof path));
        census_open(path, &census);
        counts_compare(&recordings[i], &census);
        delays_compare(&recordings[i], &census);
        curve_compare(&census);
        census_free(&census);
    }
}

/* Timer 0 is re-armed and expires, 1 is cancelled, 2 has a delay of 0, 3 is left armed. */
static const char small[] =
    "# timer-trace 1\n# unit_ns: 1000\n# ids: 4\n# ops: 7\n# max_armed: 3\n"
    "# end: 100\n"
    "0 s 0 20\n0 s 1 50\n10 s 0 30\n10 s 2 0\n30 c 1\n50 s 3 90\n90 s 2 -5\n";

TEST(test_a_small_one_by_hand)
{
    struct census census;
    assert_int_equal(census_of_text(small, &census), DIAG_OK);
    assert_int_equal(census.starts_new, 5);
    assert_int_equal(census.ended[CENSUS_REARMED], 1);
    assert_int_equal(census.ended[CENSUS_CANCELLED], 1);
    assert_int_equal(census.ended[CENSUS_EXPIRED], 3);
    assert_int_equal(census.ended[CENSUS_LEFT], 1);
    /* 10 + 30 of timer 0, 30 of 1, 1 + 1 of 2, 50 of 3. */
    assert_true(fabs(census.mean_armed - 1.22) < 1e-9);
    assert_int_equal(census.max_armed, 3);
    assert_int_equal(census.pass_count, 5);
    assert_int_equal(census.passes[0].starts_new, 2);
    assert_int_equal(census.passes[1].starts_new, 1);
    assert_int_equal(census.operations_tick_max, 2);
    assert_int_equal(census.delays[0].ticks, -5);
    assert_int_equal(census.delays[0].ended[CENSUS_EXPIRED], 1);
    census_free(&census);
}

TEST(test_nothing_but_a_header)
{
    struct census census;
    int64_t percentiles[CENSUS_PERCENTILES];
    /* One start, and no time passes. */
    assert_int_equal(census_of_text("# timer-trace 1\n# unit_ns: 1\n# ids: 1\n# ops: 1\n"
                                    "# max_armed: 1\n# end: 0\n0 s 0 5\n",
                                    &census),
                     DIAG_OK);
    census_percentiles(&census, percentiles);
    assert_int_equal(percentiles[0], 5);
    assert_int_equal(census.ended[CENSUS_LEFT], 1);
    assert_true(census.mean_armed >= 0 && census.mean_armed <= 0);
    census_free(&census);
    assert_int_equal(census_of_text("# timer-trace 1\n0 s 0 5\n", &census), DIAG_USAGE);
}

/* Beyond 2^53 a double takes the tick before the end for the end: it is in the last bin all the same. */
TEST(test_an_end_that_no_double_holds)
{
    static const uint64_t ends[] = {UINT64_C(9007199254740993), UINT64_C(18014398509481985),
                                    UINT64_C(4611686018427387905), INT64_MAX};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct {
            struct census census;
            uint64_t behind[4];
        } room = {.behind = {1, 2, 3, 4}};
        char text[400];
        struct textfile *file;
        struct trace_header header;
        struct diag diag = {""};
        snprintf(text, sizeof text,
                 "# timer-trace 1\n# unit_ns: 1\n# ids: 2\n# ops: 2\n# max_armed: 2\n# end: %llu\n"
                 "0 s 0 9223372036854775807\n%llu s 1 5\n",
                 (unsigned long long)ends[i], (unsigned long long)ends[i] - 1);
        assert_int_equal(textfile_open_memory(&file, "far.tt", text, strlen(text), &diag), DIAG_OK);
        if (census_of_trace(file, &header, &room.census, &diag) != DIAG_OK)
            fail_msg("%s", diag.text);
        textfile_close(file);
        assert_int_equal(room.census.bin_max[CENSUS_BINS - 1], 2);
        for (uint64_t j = 0; j < 4; j++)
            assert_int_equal(room.behind[j], j + 1);
        census_free(&room.census);
    }
}

TEST_MAIN(NULL, NULL)
