/* test_units.c - numbers as people write them. */
#include "harness/base/units.h"
#include "testing.h"

#include <math.h>

struct good {
    const char *text;
    uint64_t value;
};

TEST(test_counts)
{
    static const struct good goods[] = {
        {"0", 0},
        {"1000", 1000},
        {"1e6", 1000000},
        {"1E6", 1000000},
        {"1e+6", 1000000},
        {"2.5e3", 2500},
        {"1500e-2", 15},
        {"1k", 1000},
        {"1K", 1000},
        {"1.5k", 1500},
        {".5M", 500000},
        {"1.50000000000000000000000000k", 1500},
        {"1Mi", 1048576},
        {"0.5Ki", 512},
        {"3T", UINT64_C(3000000000000)},
        {"18446744073709551615", UINT64_MAX},
        {"0e99999", 0},
    };
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        uint64_t value = 77;
        struct diag diag = {""};
        assert_int_equal(units_parse_count(goods[i].text, "--tasks", &value, &diag), DIAG_OK);
        assert_int_equal(value, goods[i].value);
    }
}

struct bad {
    const char *text, *message;
};

TEST(test_bad_counts)
{
    static const struct bad bads[] = {
        {"", "--tasks: '' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {"x", "--tasks: 'x' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {"-1", "--tasks: '-1' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {" 1", "--tasks: ' 1' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {"1x", "--tasks: '1x' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {"1e", "--tasks: '1e' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {"1ms", "--tasks: '1ms' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {"0x10", "--tasks: '0x10' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {"nan", "--tasks: 'nan' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {".", "--tasks: '.' is not a count, expected a count such as 1000, 1e6, 1M or 1Mi"},
        {"1.5", "--tasks: '1.5' is not a whole number, expected a count such as 1000, 1e6, 1M or "
                "1Mi"},
        {"1e-1", "--tasks: '1e-1' is not a whole number, expected a count such as 1000, 1e6, 1M or "
                 "1Mi"},
        {"18446744073709551616",
         "--tasks: '18446744073709551616' is too large, expected a count below 2^64"},
        {"1e30", "--tasks: '1e30' is too large, expected a count below 2^64"},
        {"1e999999999", "--tasks: '1e999999999' is too large, expected a count below 2^64"},
        {"17000000T", NULL},
    };
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        uint64_t value = 77;
        struct diag diag = {""};
        int status = units_parse_count(bads[i].text, "--tasks", &value, &diag);
        if (!bads[i].message) {
            assert_int_equal(status, DIAG_OK);
            continue;
        }
        assert_int_equal(status, DIAG_USAGE);
        assert_string_equal(diag.text, bads[i].message);
        assert_int_equal(value, 77);
    }
}

TEST(test_times)
{
    static const struct good goods[] = {
        {"10ns", 10},
        {"2us", 2000},
        {"1.5us", 1500},
        {"10ms", 10000000},
        {"0.1s", 100000000},
        {"1m", UINT64_C(60000000000)},
        {"1min", UINT64_C(60000000000)},
        {"1h", UINT64_C(3600000000000)},
        {"10d", UINT64_C(864000000000000)},
    };
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        uint64_t ns = 77;
        struct diag diag = {""};
        assert_int_equal(units_parse_time(goods[i].text, "--tick", &ns, &diag), DIAG_OK);
        assert_int_equal(ns, goods[i].value);
    }
    uint64_t ns = 77;
    struct diag diag = {""};
    assert_int_equal(units_parse_time("10", "--tick", &ns, &diag), DIAG_USAGE);
    assert_string_equal(diag.text,
                        "--tick: '10' is not a time, expected a time such as 10ms, 1.5s or 1h");
    assert_int_equal(units_parse_time("0.5ns", "--tick", &ns, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "--tick: '0.5ns' is not a whole number of nanoseconds");
    assert_int_equal(units_parse_time("1e9d", "--tick", &ns, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "--tick: '1e9d' is too large, expected a time below 2^64");
    assert_int_equal(ns, 77);
}

TEST(test_ticks_round_up)
{
    uint64_t ticks;
    struct diag diag = {""};
    assert_int_equal(units_parse_ticks("1500us", 1000000, "x", &ticks, &diag), DIAG_OK);
    assert_int_equal(ticks, 2);
    assert_int_equal(units_parse_ticks("1ns", 1000000, "x", &ticks, &diag), DIAG_OK);
    assert_int_equal(ticks, 1);
    assert_int_equal(units_parse_ticks("3ms", 1000000, "x", &ticks, &diag), DIAG_OK);
    assert_int_equal(ticks, 3);
    assert_int_equal(units_parse_ticks("30k", 1000000, "x", &ticks, &diag), DIAG_OK);
    assert_int_equal(ticks, 30000);
    assert_int_equal(units_parse_ticks("30x", 1000000, "x", &ticks, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "x: '30x' is not a number of ticks or a time, expected a number "
                                   "of ticks or a time such as 30000 or 30s");
}

TEST(test_reals)
{
    double value;
    struct diag diag = {""};
    assert_int_equal(units_parse_real("-1.5e-3", "x", &value, &diag), DIAG_OK);
    assert_true(fabs(value + 0.0015) < 1e-18);
    static const char *const bads[] = {"", "nan", "inf", "0x1", "1e999", "1.5.2", "1 ", "+1", "e"};
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++)
        assert_int_equal(units_parse_real(bads[i], "x", &value, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "x: 'e' is not a number, expected one such as 0.5 or 1e-4");
}

typedef void format_fn(char *out, size_t size, uint64_t value);

static void assert_format(format_fn *format, uint64_t value, const char *expected)
{
    char text[32];
    format(text, sizeof text, value);
    assert_string_equal(text, expected);
}

TEST(test_formats)
{
    assert_format(units_format_count, 0, "0");
    assert_format(units_format_count, 37, "37");
    assert_format(units_format_count, 999, "999");
    assert_format(units_format_count, 1000, "1k");
    assert_format(units_format_count, 1500000, "1.5M");
    assert_format(units_format_count, 864000, "864k");
    assert_format(units_format_count, 999999, "1M");
    assert_format(units_format_count, 12345, "12.3k");
    assert_format(units_format_count, UINT64_MAX, "18.4E");
    assert_format(units_format_time, 1000000, "1 ms");
    assert_format(units_format_time, UINT64_C(30000000000), "30 s");
    assert_format(units_format_time, 1500, "1.5 us");
    assert_format(units_format_time, 999900, "1 ms");
    assert_format(units_format_time, UINT64_C(3600000000000), "1 h");
    assert_format(units_format_time, 0, "0 ns");
    assert_format(units_exact_time, 0, "0ns");
    assert_format(units_exact_time, 1000000, "1ms");
    assert_format(units_exact_time, 1234567, "1234567ns");
    assert_format(units_exact_time, UINT64_C(90000000000), "90s");
    assert_format(units_format_bytes, 512, "512 B");
    assert_format(units_format_bytes, 4096, "4.0 KiB");
    assert_format(units_format_bytes, 16 << 20, "16 MiB");
    assert_format(units_format_bytes, (1 << 20) - 1, "1.0 MiB");
}

/* As few decimals as leave the figure on its side of the edge. */
TEST(test_percent_stays_on_its_side_of_the_edge)
{
    static const struct {
        double share, edge;
        const char *text;
    } cases[] = {{0.031, 0.03, "3.1"},        {0.0304, 0.03, "3.04"},   {0.0296, 0.03, "2.96"},
                 {0.03, 0.03, "3.0"},         {-0.0304, 0.03, "-3.04"}, {-0.02996, 0.03, "-2.996"},
                 {-0.0004, 0.03, "0.0"},      {0.0304, 0.1, "3.0"},     {0.0304, NAN, "3.0"},
                 {0.03000001, 0.03, "3.0000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        units_format_percent(text, sizeof text, cases[i].share, cases[i].edge);
        assert_string_equal(text, cases[i].text);
    }
}

TEST_MAIN(NULL, NULL)
