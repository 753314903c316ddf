/* outcome.h - the outcome of a cell: one design, with its settings, on one stream.
 *
 * Plain data without pointers into a run: the child process writes it into shared memory, the
 * parent adds up, the result room (result/) turns it into JSON.
 */
#ifndef TWBENCH_OUTCOME_H
#define TWBENCH_OUTCOME_H

#include "harness/measure/stats/histogram.h"
#include "harness/measure/workload/stream.h"
#include "impls/backend.h"

enum outcome_status {
    OUTCOME_OK,
    OUTCOME_MISMATCH,    /* digest, fired, early or lateness not as the oracle and the traits say */
    OUTCOME_UNSUPPORTED, /* the design refused the settings or a start */
    OUTCOME_TIMEOUT,     /* over its time budget */
    OUTCOME_OUT_OF_MEMORY, /* over its memory limit */
    OUTCOME_CRASHED
};

/* Word used in JSON and tables: "ok", "mismatch", "unsupported", "timeout", "out-of-memory",
 * "crashed". */
const char *outcome_status_name(enum outcome_status status);

#define OUTCOME_SAMPLES_MAX 100

enum outcome_operation {
    OUTCOME_START,
    OUTCOME_STOP,
    OUTCOME_ADVANCE,
    OUTCOME_NEXT, /* where `next` drives */
    OUTCOME_OPERATIONS
};

/* What the processor counts, in user space. */
enum outcome_counter {
    OUTCOME_INSTRUCTIONS,
    OUTCOME_CYCLES,
    OUTCOME_CACHE_MISSES,
    OUTCOME_BRANCH_MISSES,
    OUTCOME_DTLB_MISSES, /* of loads */
    OUTCOME_COUNTERS
};

/* Word used in JSON: "instructions", "cycles", "cache_misses", "branch_misses", "dtlb_misses". */
const char *outcome_counter_name(enum outcome_counter counter);

/* Why no more samples were taken. */
enum outcome_end {
    OUTCOME_END_RUNS,     /* there are as many as were asked for, or nothing is timed */
    OUTCOME_END_INTERVAL, /* the interval of each phase is narrow enough */
    OUTCOME_END_TIME      /* the time for samples was up */
};
/* Word used in JSON: "runs", "interval", "time". */
const char *outcome_end_name(enum outcome_end end);

struct outcome_count {
    bool known;
    double per_pass; /* scaled up when the counter had to share its place with others */
    double share;    /* of the time in which it really counted; 1: always, nothing is scaled */
};

#define OUTCOME_COUNTERS_REASON 256

/* What the calls of advance were for. */
struct outcome_wakeups {
    uint64_t useful;     /* in which something fired */
    uint64_t to_moment;  /* driven by next: to where the stream does something, nothing being due */
    uint64_t next_calls; /* calls of next, one before each advance */
};

/* Moves, visits and cascades together, of single calls of advance with what they call back. */
struct outcome_advance_work {
    uint64_t max, p99; /* p99: never below the true one, at most 1/32 above it */
};

struct outcome_phase {
    /* Of one pass over the stream, from the checking pass; restarts in callbacks count as starts.
     * `advances` were made, whoever said so. */
    uint64_t starts, stops, advances, ticks, expires;
    uint64_t refused; /* starts refused because of --max-pending */
    /* One element per sample: time of one pass, averaged over the passes of that sample. */
    double wall_ns[OUTCOME_SAMPLES_MAX];
    double cpu_ns[OUTCOME_SAMPLES_MAX];
    double stretch; /* work of the timed passes over that of as many over the stream itself */
    /* Timer overhead already subtracted.  Every advance; a sample of the starts and stops. */
    struct histogram latency[OUTCOME_OPERATIONS];
    struct tail own; /* of advance; all zero: not known */
    struct outcome_count counts[OUTCOME_COUNTERS];
    bool is_counted;     /* false: the design, a plugin, counts nothing; then these are 0 */
    struct tw_work work; /* of one pass, from the counted run */
    struct outcome_wakeups wakeups;
    struct outcome_advance_work advance_work;
};

/* What of a design's memory lies in huge pages: of the child in which the least did. */
struct outcome_pages {
    bool told;                            /* it is in the result: by a wish, or without one */
    bool asked;                           /* by a wish: --huge-pages */
    bool known;                           /* false: `reason` says why it could not be counted */
    uint64_t huge_bytes;                  /* of the design's memory, the allocator's own in it */
    uint64_t touched_bytes;               /* when asked: all that is there, in pages of any size */
    char reason[OUTCOME_COUNTERS_REASON]; /* why none are huge, though they should be; else empty */
};

struct outcome_memory {
    struct outcome_pages pages;
    bool measured;            /* false: no jemalloc in this build; then all are 0 */
    uint64_t fixed_bytes;     /* footprint: independent of the capacity */
    uint64_t capacity_bytes;  /* footprint: arrays per id */
    uint64_t allocated_bytes; /* arena: at the end of the stream */
    uint64_t resident_bytes;  /* arena: mapped and touched, at the peak */
    uint64_t peak_bytes;      /* arena: most allocated at any time it was looked at */
    uint64_t retained_bytes;  /* arena: after every timer was stopped, less what open alone took */
    double bytes_per_task;    /* (peak - fixed) / capacity of the stream */
};

/* Instructions by single steps, of chosen calls of a small stream.  Nothing but zeros: not asked for. */
struct outcome_stepped {
    bool known;
    uint64_t tasks;                       /* of the small stream; 0: there was none */
    uint64_t calls;                       /* start, stop, advance that were stepped through */
    uint64_t instructions;                /* of them, what they call back included */
    char reason[OUTCOME_COUNTERS_REASON]; /* why it is not known */
};

/* What the length of a tick costs: how much later than asked for timers fired, rounding to ticks and
 * the design's own lateness together. */
struct outcome_precision {
    double late_mean_ns; /* over all that fired */
    uint64_t late_max_ns;
    uint64_t late_p50_ns, late_p99_ns; /* 50 and 99 % of them are at most so late */
    uint64_t below_tick; /* starts with a delay below one tick, which was rounded up to one */
};

#define OUTCOME_SETTINGS_MAX 4

/* A setting as open resolved it; the name is a copy, because a plugin is mapped in the
 * child only. */
struct outcome_setting {
    char name[32];
    uint32_t count;
    uint64_t values[TW_VALUES_MAX];
};

/* What became of runs that came too late (measure/sched/scheduler.h). */
enum outcome_catch_up { OUTCOME_NOTHING_TO_CATCH_UP, OUTCOME_SKIP, OUTCOME_BURST };

/* Word used in JSON: "skip", "burst"; NULL where there is nothing to catch up. */
const char *outcome_catch_up_name(enum outcome_catch_up catch_up);

#define OUTCOME_SCHEDULES_MAX 2

/* The stream's periodic tasks under one dispatch thread; see dispatch.h. */
struct outcome_schedule {
    enum outcome_catch_up catch_up;
    uint64_t digest; /* sum over the runs of stream_mix(id, tick at which it began) */
    uint64_t runs, missed, late_runs, late_max_ticks;
    double late_mean_ticks, busy_share;
};

struct outcome {
    enum outcome_status status;
    char reason[400];   /* empty when ok */
    tw_tick span_ticks; /* reach of the instance; TW_DEADLINE_MAX = any */
    size_t setting_count;
    struct outcome_setting settings[OUTCOME_SETTINGS_MAX]; /* resolved by open: JSON `params` */
    /* From the checking pass. */
    uint64_t digest, fired, early, late_max_ticks;
    double late_mean_ticks;
    struct outcome_precision precision;
    size_t sample_count;
    enum outcome_end ended;
    uint64_t passes_per_sample;
    uint64_t fresh_streams, fresh_operations; /* different ones that a process went through */
    uint64_t replays;                         /* times that it went through the same */
    bool renamed; /* the streams are one recording, with other ids each */
    uint64_t retaken_passes,
        slow_passes;      /* of all samples: taken again, and kept, though the core was slow */
    uint64_t page_faults; /* of all samples, within timed passes: memory that open left untouched */
    char counters_reason[OUTCOME_COUNTERS_REASON]; /* why counts, or some of them, are unknown */
    size_t phase_count;
    struct outcome_phase phases[STREAM_PHASES_MAX];
    struct outcome_memory memory;
    struct outcome_stepped stepped;
    size_t schedule_count; /* 0: the workload has none, or it could not be played */
    struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX];
};

#endif
