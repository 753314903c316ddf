/* pace.c - measures whether the core runs at its full speed. */
#include "harness/measure/run/pace.h"

#include "harness/base/clock.h"

#define LOOP_TURNS 1000
#define LOOPS      3

#define CALIBRATION_NS 20000000u

/* Eight chains that do not wait for one another; the compiler may neither merge nor drop them. */
static void run_loop(void)
{
    size_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0; /* each fits a register */
    for (int turn = 0; turn < LOOP_TURNS; turn++) {
        a++, b++, c++, d++, e++, f++, g++, h++;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
        __asm__ volatile("" : "+r"(e), "+r"(f), "+r"(g), "+r"(h));
    }
}

double pace_read_ns(void)
{
    uint64_t fastest_ns = UINT64_MAX;
    for (int loop = 0; loop < LOOPS; loop++) {
        uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
        run_loop();
        uint64_t loop_ns = clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
        fastest_ns = loop_ns < fastest_ns ? loop_ns : fastest_ns;
    }
    return (double)fastest_ns;
}

static double read_loop(void *ctx)
{
    (void)ctx;
    return pace_read_ns();
}

static uint64_t read_monotonic(void *ctx)
{
    (void)ctx;
    return clock_read_ns(CLOCK_MONOTONIC);
}

static const struct pace_source this_core = {read_loop, read_monotonic, NULL};

double pace_calibrate_on(const struct pace_source *source)
{
    uint64_t begin_ns = source->now_ns(source->ctx);
    double fastest_ns = source->pace_ns(source->ctx);
    while (source->now_ns(source->ctx) - begin_ns < CALIBRATION_NS) {
        double pace_ns = source->pace_ns(source->ctx);
        fastest_ns = pace_ns < fastest_ns ? pace_ns : fastest_ns;
    }
    return fastest_ns;
}

double pace_calibrate_ns(void)
{
    return pace_calibrate_on(&this_core);
}

bool pace_is_full(double pace_ns, double full_ns)
{
    return pace_ns <= full_ns * (1 + PACE_TOLERANCE);
}

bool pace_wait_on(const struct pace_source *source, double full_ns, uint64_t deadline_ns)
{
    bool full;
    do {
        full = pace_is_full(source->pace_ns(source->ctx), full_ns);
    } while (!full && source->now_ns(source->ctx) < deadline_ns);
    return full;
}

bool pace_wait(double full_ns, uint64_t deadline_ns)
{
    return pace_wait_on(&this_core, full_ns, deadline_ns);
}
