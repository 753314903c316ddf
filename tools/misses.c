/*
 * misses.c - cache and TLB misses of a design's own loads and stores, where the processor counts none.
 *
 *     tools/misses.sh P1 1e3,1e7 hashed,heap [NAME=VALUE...]      builds it and runs it; --check checks it
 *
 * The designs are compiled once more, by gcc with -fsanitize=thread, but linked without that sanitizer's
 * library: gcc then calls a function at each load and store that it could not keep in a register, and these
 * functions are here.  They look the address up in caches and TLBs that are simulated, sets of lines with the
 * least recently used one thrown out.  So a stream of 10^7 operations takes seconds, where valgrind
 * (--tool=cachegrind) takes its fifty times also for the making and the checking of the stream.
 *
 * Seen are the designs alone: not the harness, whose stream is read from front to back, nor what the C library
 * does for a design (memset, memmove, malloc).  Not simulated are prefetches, by the processor or by the design,
 * that the processor has several misses under way, that other programs have a part of the last cache, page-table
 * entries in the caches, and physical addresses.  So it says how many lines and pages have to come from afar, and
 * not how long anybody waits.  docs/PERFORMANCE.md has what that explains.
 *
 * counters_begin and counters_end stand in the place of src/harness/measure/run/counters.c: the loop that times a
 * phase calls them around it.  The tables of gcc's calls leave no room for a pointer to the state: it is at
 * file scope here.
 */
#include "harness/base/units.h"
#include "harness/measure/run/arena.h"
#include "harness/measure/run/counters.h"
#include "harness/measure/run/instance.h"
#include "harness/measure/run/replay.h"
#include "harness/measure/workload/workload.h"
#include "impls/registry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is simulated. ---------------------------------------------------------------------- */

#define WAYS_MAX 16

/* Lines of 1 << shift bytes, or pages; the ways of a set lie together, the one used last in front. */
struct cache {
    const char *name;
    unsigned shift, ways;
    uint64_t sets;
    uint64_t *lines; /* number of the line + 1; 0: empty */
};

enum level { L1, L2, L3, DTLB_4K, STLB_4K, DTLB_2M, STLB_2M, LEVELS };

/* The caches are this machine's (fill_caches).  The TLBs are Skylake's and Cascade Lake's; of the second one
 * pages of both sizes share the entries. */
static struct cache caches[LEVELS] = {
    [L1] = {"L1", 6, 8, 64, NULL},
    [L2] = {"L2", 6, 16, 1024, NULL},
    [L3] = {"L3", 6, 11, 53248, NULL},
    [DTLB_4K] = {"dTLB", 12, 4, 16, NULL},
    [STLB_4K] = {"STLB", 12, 12, 128, NULL},
    [DTLB_2M] = {"dTLB-2M", 21, 4, 8, NULL},
    [STLB_2M] = {"STLB-2M", 21, 12, 128, NULL},
};

static struct {
    uint64_t accesses, misses[LEVELS];
} so_far, at_begin, of_phase[STREAM_PHASES_MAX];
static size_t phase_now;
static uint64_t line_last;

/* True on a hit.  A miss takes the place of the line that was not used for longest. */
static bool look_up(struct cache *cache, uint64_t address)
{
    uint64_t line = (address >> cache->shift) + 1;
    uint64_t *set = cache->lines + line % cache->sets * cache->ways;
    unsigned way = 0;
    while (way < cache->ways - 1 && set[way] != line)
        way++;
    bool hit = set[way] == line;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
    return hit;
}

static void walk(enum level first, enum level last, uint64_t address)
{
    for (enum level level = first; level <= last; level++) {
        if (look_up(&caches[level], address))
            return;
        so_far.misses[level]++;
    }
}

static void touch(uint64_t address)
{
    so_far.accesses++;
    if (address >> 6 == line_last)
        return;
    line_last = address >> 6;
    walk(L1, L3, address);
    walk(DTLB_4K, STLB_4K, address);
    walk(DTLB_2M, STLB_2M, address);
}

static void empty_caches(void)
{
    for (size_t i = 0; i < LEVELS; i++)
        memset(caches[i].lines, 0, caches[i].sets * caches[i].ways * sizeof *caches[i].lines);
    memset(&so_far, 0, sizeof so_far);
    line_last = 0;
}

/* ---- What gcc calls. ------------------------------------------------------------------------- */

/* Names that gcc has chosen. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *caller)
{
    (void)caller;
}
void __tsan_func_exit(void)
{
}

#define HOOK(name)                                                                                 \
    void name(const void *at);                                                                     \
    void name(const void *at)                                                                      \
    {                                                                                              \
        touch((uintptr_t)at);                                                                      \
    }
HOOK(__tsan_read1)
HOOK(__tsan_read2)
HOOK(__tsan_read4)
HOOK(__tsan_read8)
HOOK(__tsan_read16)
HOOK(__tsan_write1)
HOOK(__tsan_write2)
HOOK(__tsan_write4)
HOOK(__tsan_write8)
HOOK(__tsan_write16)
HOOK(__tsan_unaligned_read4)
HOOK(__tsan_unaligned_read8)
HOOK(__tsan_unaligned_write4)
HOOK(__tsan_unaligned_write8)

#define RANGE_HOOK(name)                                                                           \
    void name(const void *at, size_t bytes);                                                       \
    void name(const void *at, size_t bytes)                                                        \
    {                                                                                              \
        for (size_t i = 0; i < bytes; i += 64)                                                     \
            touch((uintptr_t)at + i);                                                              \
    }
RANGE_HOOK(__tsan_read_range)
RANGE_HOOK(__tsan_write_range)
/* NOLINTEND(bugprone-reserved-identifier) */

void counters_begin(const struct counters *counters, struct counters_reading *begin)
{
    (void)counters, (void)begin;
    memcpy(&at_begin, &so_far, sizeof so_far);
}

void counters_end(const struct counters *counters, const struct counters_reading *begin,
                  struct counters_reading *total)
{
    (void)counters, (void)begin, (void)total;
    of_phase[phase_now].accesses = so_far.accesses - at_begin.accesses;
    for (size_t i = 0; i < LEVELS; i++)
        of_phase[phase_now].misses[i] = so_far.misses[i] - at_begin.misses[i];
    phase_now++;
}

/* ---- This machine. --------------------------------------------------------------------------- */

static uint64_t read_number(unsigned index, const char *key)
{
    char path[96];
    uint64_t value = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, key);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%" SCNu64, &value) != 1)
        value = 0;
    if (file)
        fclose(file);
    return value;
}

/* Index 1 is the cache of instructions.  What is not told stays as it is. */
static bool fill_caches(void)
{
    static const unsigned indices[] = {[L1] = 0, [L2] = 2, [L3] = 3};
    for (size_t i = L1; i <= L3; i++) {
        uint64_t ways = read_number(indices[i], "ways_of_associativity");
        uint64_t sets = read_number(indices[i], "number_of_sets");
        if (ways == 0 || ways > WAYS_MAX || sets == 0)
            continue;
        caches[i].ways = (unsigned)ways;
        caches[i].sets = sets;
    }
    for (size_t i = 0; i < LEVELS; i++) {
        caches[i].lines = calloc(caches[i].sets * caches[i].ways, sizeof *caches[i].lines);
        if (!caches[i].lines)
            return false;
    }
    return true;
}

/* ---- A case whose answer is known. ----------------------------------------------------------- */

/* A cycle through one word of each line, or page: with more of them than there is room for, the one that is
 * needed next is always the one just thrown out; with as many, none is ever missed again. */
static bool check_level(enum level level, uint64_t count, double expected)
{
    uint64_t rounds = 4, apart = UINT64_C(1) << caches[level].shift;
    empty_caches();
    for (uint64_t round = 0; round < 2 * rounds; round++) {
        uint64_t before = so_far.misses[level];
        for (uint64_t i = 0; i < count; i++)
            touch((UINT64_C(1) << 40) + i * apart);
        if (round >= rounds) /* the first ones fill it */
            at_begin.misses[level] += so_far.misses[level] - before;
    }
    double found = (double)at_begin.misses[level] / (double)(rounds * count);
    at_begin.misses[level] = 0;
    bool right = found > expected - 1e-9 && found < expected + 1e-9;
    printf("%s - %s, %" PRIu64 " lines in a circle: %.3f misses per load, expected %.3f\n",
           right ? "ok" : "not ok", caches[level].name, count, found, expected);
    return right;
}

static bool check(void)
{
    bool right = true;
    for (enum level level = L1; level < LEVELS; level++) {
        uint64_t room = caches[level].sets * caches[level].ways;
        right = check_level(level, room, 0) && right;
        right = check_level(level, room + caches[level].sets, 1) && right;
    }
    return right;
}

/* ---- A design on a stream. ------------------------------------------------------------------- */

static uint64_t operations_of(const struct stream *stream, size_t phase)
{
    const struct stream_phase *of = &stream->phases[phase];
    uint64_t fired = stream->expected.fired_in[phase];
    return of->counts.starts + of->counts.stops + fired + (stream_restarts(of) ? fired : 0);
}

static void print_phases(const struct stream *stream, const char *design)
{
    for (size_t p = 0; p < stream->phase_count; p++) {
        double operations = (double)operations_of(stream, p);
        if (operations < 1)
            continue;
        printf("%s\t%" PRIu64 "\t%s\t%s\t%.0f\t%.2f", stream->workload, stream->tasks, design,
               stream->phases[p].name, operations, (double)of_phase[p].accesses / operations);
        for (size_t i = 0; i < LEVELS; i++)
            printf("\t%.3f", (double)of_phase[p].misses[i] / operations);
        putchar('\n');
    }
    fflush(stdout);
}

/* So many tasks that nothing of the first pass is left in the caches when the second begins. */
#define COLD_TASKS 3000000

/* The first pass warms the caches, as a timed one does, and is not counted. */
static bool run_design(const struct stream *stream, const char *name)
{
    const struct tw_design *design = registry_find(name);
    struct plan_cell plan = {.design = design};
    char reason[INSTANCE_REASON] = "the digest is wrong";
    bool right = design != NULL;
    empty_caches();
    for (int pass = stream->tasks >= COLD_TASKS; right && pass < 2; pass++) {
        struct instance instance;
        struct replay_pass result;
        struct counters counters = {.reason = ""};
        struct counters_reading totals[STREAM_PHASES_MAX] = {0};
        right = instance_open(&instance, design->timed, &plan, stream, reason) == OUTCOME_OK;
        if (!right)
            break;
        phase_now = 0;
        replay_count(instance.design, instance.timers, stream, &plan, NULL, &counters, totals,
                     &result);
        instance_close(&instance);
        right =
            instance_digest_is_right(design->timed, stream, result.digest, result.fired, reason);
    }
    if (right)
        print_phases(stream, name);
    else
        fprintf(stderr, "misses: %s: %s\n", name, design ? reason : "no such design");
    return right;
}

static int run(const char *workload, const char *tasks, char *designs, char **settings, int count)
{
    struct workload_setting sets[32];
    struct workload_request request = {
        .workload = workload, .directory = "workloads", .seed = 1, .settings = sets};
    struct stream *stream;
    struct diag diag;
    int status = units_parse_count(tasks, "tasks", &request.tasks, &diag);
    for (int i = 0; i < count && i < 32; i++) {
        char *equals = strchr(settings[i], '=');
        sets[i] = (struct workload_setting){settings[i], equals ? equals + 1 : ""};
        if (equals)
            *equals = '\0';
        request.setting_count++;
    }
    if (status == DIAG_OK)
        status = workload_stream(&request, &stream, &diag);
    if (status != DIAG_OK) {
        fprintf(stderr, "misses: %s\n", diag.text);
        return 2;
    }
    arena_enter(false, PLAN_PAGES_HUGE);
    bool right = true;
    for (char *name = strtok(designs, ","); name; name = strtok(NULL, ","))
        right = run_design(stream, name) && right;
    stream_free(stream);
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (!fill_caches())
        return 1;
    if (argc == 2 && strcmp(argv[1], "--check") == 0)
        return check() ? 0 : 1;
    if (argc == 2 && strcmp(argv[1], "--header") == 0) {
        printf("workload\ttasks\tdesign\tphase\toperations\taccesses");
        for (size_t i = 0; i < LEVELS; i++)
            printf("\t%s", caches[i].name);
        putchar('\n');
        return 0;
    }
    if (argc < 4) {
        fprintf(stderr, "usage: misses WORKLOAD TASKS DESIGN,... [NAME=VALUE...] | --check\n");
        return 2;
    }
    return run(argv[1], argv[2], argv[3], argv + 4, argc - 4);
}
