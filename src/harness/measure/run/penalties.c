/* penalties.c - measures the cost of a cache miss and of a branch miss.
 *
 * A chain of loads that miss is timed against one that hits, and a loop of branches that cannot be
 * predicted against one that can.  Each figure is the median of several stretches of CPU time, so a
 * preemption spoils one stretch and not the figure. */
#include "harness/measure/run/pace.h"

#include "harness/base/file.h"
#include "harness/base/rng.h"
#include "harness/measure/run/cycles.h"
#include "harness/measure/stats/summary.h"

#include <math.h>
#include <sys/mman.h>

#define MIB       ((size_t)1 << 20)
#define LINE      64
#define PAGE      4096
#define AREA      (32 * MIB) /* that is walked through; a power of two */
#define HIT_AREA  (16 * 1024)
#define MAP_MAX   (256 * MIB)
#define LOADS     5000
#define BRANCHES  65536
#define STRETCHES 9

/* Outside of these it is the measurement that went wrong. */
#define COST_MIN_NS 0.2
#define COST_MAX_NS 5000

static double now_ns(void)
{
    return (double)clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static double or_unknown(double cost_ns)
{
    return cost_ns >= COST_MIN_NS && cost_ns <= COST_MAX_NS ? cost_ns : NAN;
}

/* ---- Loads. ---------------------------------------------------------------------------------- */

/* "36608K"; 0 when the file is not there. */
static size_t read_cache_bytes(int index)
{
    char path[96], text[32], *end;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    sysfile_read(text, sizeof text, "", path);
    size_t value = strtoull(text, &end, 10);
    return *end == 'K' ? value * 1024 : *end == 'M' ? value * MIB : value;
}

static size_t largest_cache_bytes(void)
{
    size_t largest = 0;
    for (int i = 0; i < 8; i++) {
        size_t bytes = read_cache_bytes(i);
        largest = bytes > largest ? bytes : largest;
    }
    return largest > 0 ? largest : 32 * MIB;
}

/* Each address comes out of the load before it: all bytes are 0, which the compiler does not know.
 * Multiplying instead of following pointers leaves nothing to be prepared, and its time is in both
 * chains.  The high bits choose, because the low ones of such a sequence repeat early. */
static double walk_ns(const volatile unsigned char *area, size_t bytes, uint64_t *state)
{
    uint64_t at = *state, lines = bytes / LINE;
    double begin_ns = now_ns();
    for (int i = 0; i < LOADS; i++) {
        at = at * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        at += area[((at >> 32) & (lines - 1)) * LINE];
    }
    double end_ns = now_ns();
    *state = at;
    return (end_ns - begin_ns) / LOADS;
}

static double walk_median_ns(const unsigned char *area, size_t bytes)
{
    double costs_ns[STRETCHES];
    uint64_t state = 1;
    for (size_t i = 0; i < STRETCHES; i++)
        costs_ns[i] = walk_ns(area, bytes, &state);
    return summary_of(costs_ns, STRETCHES).median;
}

/* What is behind the area is touched after it and pushes it out of the caches. */
static double measure_cache_miss(void)
{
    size_t bytes = AREA + 2 * largest_cache_bytes();
    bytes = bytes < MAP_MAX ? bytes : MAP_MAX;
    unsigned char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (area == MAP_FAILED)
        return NAN;
    /* Pages that were only asked for are touched here, in case they are not there yet. */
    for (size_t at = 0; at < bytes; at += PAGE)
        ((volatile unsigned char *)area)[at] = 0;
    double miss_ns = walk_median_ns(area, AREA);
    double hit_ns = walk_median_ns(area, HIT_AREA);
    munmap(area, bytes);
    return or_unknown(miss_ns - hit_ns);
}

/* ---- Branches. ------------------------------------------------------------------------------- */

/* The empty statements stand for code that must be jumped over: without them a compiler would
 * choose the summand without a branch. */
static double branch_ns(const unsigned char *outcomes)
{
    uint64_t sum = 0;
    double begin_ns = now_ns();
    for (size_t i = 0; i < BRANCHES; i++) {
        if (outcomes[i]) {
            sum += 3;
            __asm__ volatile("" : "+r"(sum));
        } else {
            sum ^= 5;
            __asm__ volatile("" : "+r"(sum));
        }
    }
    return (now_ns() - begin_ns) / BRANCHES;
}

/* New outcomes each time, because a predictor learns what it has seen before. */
static void draw_outcomes(unsigned char *outcomes, struct rng *rng)
{
    for (size_t i = 0; i < BRANCHES; i++)
        outcomes[i] = (unsigned char)(rng_next(rng) >> 63);
}

static double measure_branch_miss(void)
{
    double random_ns[STRETCHES], constant_ns[STRETCHES];
    struct rng rng;
    unsigned char *outcomes = malloc(BRANCHES);
    if (!outcomes)
        return NAN;
    rng_seed(&rng, 1, 0);
    for (size_t i = 0; i < STRETCHES; i++) {
        draw_outcomes(outcomes, &rng);
        random_ns[i] = branch_ns(outcomes);
        memset(outcomes, (int)(i & 1), BRANCHES);
        constant_ns[i] = branch_ns(outcomes);
    }
    free(outcomes);
    /* Every second guess at a coin is wrong. */
    return or_unknown(
        2 * (summary_of(random_ns, STRETCHES).median - summary_of(constant_ns, STRETCHES).median));
}

void penalties_measure(struct penalties *out)
{
    out->cache_miss_ns = measure_cache_miss();
    out->branch_miss_ns = measure_branch_miss();
}
