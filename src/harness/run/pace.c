/* pace.c - a loop that every core can run, and that none can run while it is shared. */
#include "harness/run/pace.h"

#include "harness/run/cycles.h"

#define LOOP_TURNS 1000
#define LOOPS      3

#define CALIBRATION_NS 20000000u

/* Eight chains that do not wait for one another; the compiler may neither merge nor drop them. */
static void run_loop(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
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

double pace_calibrate_ns(void)
{
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    double fastest_ns = pace_read_ns();
    while (clock_read_ns(CLOCK_MONOTONIC) - begin_ns < CALIBRATION_NS) {
        double pace_ns = pace_read_ns();
        fastest_ns = pace_ns < fastest_ns ? pace_ns : fastest_ns;
    }
    return fastest_ns;
}

bool pace_is_full(double pace_ns, double full_ns)
{
    return pace_ns <= full_ns * (1 + PACE_TOLERANCE);
}

bool pace_wait(double full_ns, uint64_t deadline_ns)
{
    bool full;
    do {
        full = pace_is_full(pace_read_ns(), full_ns);
    } while (!full && clock_read_ns(CLOCK_MONOTONIC) < deadline_ns);
    return full;
}
