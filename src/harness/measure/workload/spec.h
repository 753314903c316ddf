/*
 * spec.h - parses a workload file: parameters put in, every value checked, distributions ready.
 *
 *     { "name": "hold",
 *       "summary": "what it models and where that is from, in one sentence",
 *       "tick": "1ms", "tasks": "100k",
 *       "parameters": { "delay": "exponential(10s)", "turns": 2 },
 *       "phases": [
 *         { "name": "start", "do": "start", "delay": "$delay", "age": "stationary" },
 *         { "name": "steady", "do": "run", "turns": "$turns", "delay": "$delay",
 *           "ended": "restart" },
 *         { "name": "stop", "do": "stop", "share": 0.5 } ] }
 *
 * A string may name parameters as $name; a parameter may name others.  Times are converted with the
 * tick and rounded up; a bare number is ticks.  Shares are 0 .. 1.
 *
 * docs/WORKLOADS.md explains the keys, their defaults and the distributions; the table of keys is in spec.c.
 */
#ifndef TWBENCH_SPEC_H
#define TWBENCH_SPEC_H

#include "harness/base/clock.h"
#include "harness/base/diag.h"
#include "harness/measure/workload/dist.h"

#include <cjson/cJSON.h>

/* ---- Parameters (parameters.c). --------------------------------------------------------------- */

/* Puts named parameters into a workload file ($name), overridden from outside.
 *
 * Works on the JSON tree before its values are read, so that a parameter can stand anywhere in a
 * string: "lattice($stride, 1, 64, 1)". */

/* ---- Which workload is wanted. ------------------------------------------------- */

/* "name=value" given by --set: overrides one named parameter of the workload. */
struct workload_setting {
    const char *name;
    const char *value;
};

struct workload_request {
    /* A name ("hold", "nginx": looked up as DIR/NAME.json, then DIR/traces/NAME.tt.xz) or a path
     * (anything with a '/' or ending in .json, .tt, .tt.xz, .tt.gz). */
    const char *workload;
    const char *directory; /* where names are looked up */
    uint64_t tasks;        /* 0: the workload's own default; ignored by traces */
    uint64_t tick_ns; /* 0: the workload's own tick.  Coarser for a trace: deadlines round up */
    uint64_t seed;
    const struct workload_setting *settings;
    size_t setting_count;
    struct deadline until; /* for the making; none without a budget */
    bool rename;           /* workload_add_passes renames the ids of a trace, however long it is */
};

/* The name of --set that every load has, a trace too: its slack.  spec.c reads its value: a number of ticks, a time, which is
 * rounded down to ticks, the share 1/N of a timer's delay for a power of two N, or "1/N+TIME"; "0" is none. */
#define WORKLOAD_SLACK "slack"
int workload_parse_slack(const char *text, uint64_t tick_ns, const char *what,
                         struct stream_slack *out, struct diag *diag);

/* Most parameters of a file, and most characters of a value when everything is put in. */
#define PARAMETERS_MAX     32
#define PARAMETER_TEXT_MAX 2000

/* The text of a number or string of the tree; false for anything else, or a text too long. */
bool parameter_text(const cJSON *item, char *out, size_t size);

/* Overrides members of root's "parameters", or its slack; another name is refused with the list of
 * those that are.  `path` is the file, for diagnostics. */
int parameters_override(cJSON *root, const struct workload_setting *settings, size_t count,
                        const char *path, struct diag *diag);

/* Puts the parameters into each other, which fails on a cycle, and then into all strings of the
 * tree. */
int parameters_resolve(cJSON *root, const char *path, struct diag *diag);

/* ---- A workload file. ------------------------------------------------------------------------- */

/* The words of "do", "order", "age" and "ended"; docs/WORKLOADS.md says what each does. */
enum spec_kind { SPEC_START, SPEC_STOP, SPEC_RUN, SPEC_GROUP };
enum spec_order { SPEC_IDS, SPEC_RANDOM, SPEC_SOONEST, SPEC_LATEST };
enum spec_age { SPEC_NEW, SPEC_STATIONARY, SPEC_REFRESHED, SPEC_PHASED };
enum spec_ended { SPEC_IDLE, SPEC_RESTART, SPEC_REPLACE, SPEC_FIXED_RATE, SPEC_FIXED_DELAY };

/* A phase as it will be made; members that its kind has no key for are 0. */
struct spec_phase {
    char name[STREAM_NAME_SIZE]; /* empty inside a group when not given */
    unsigned kind;               /* enum spec_kind */
    double share;
    unsigned order, age, ended; /* enums above */
    struct dist *delay;         /* NULL where nothing is started */
    double stop_share;
    struct dist *stop_after; /* NULL: uniform over the delay */
    unsigned until_empty;    /* 1: ticks is 0 */
    uint64_t ticks, step;    /* `turns` is turned into ticks */
    double turns;
    struct dist *run_time; /* NULL: below a tick */
    uint64_t slow_every, slow_run;
    double refresh, arrive, depart;
    uint64_t refresh_min;
    uint64_t repeat; /* of a group, with its phases */
    struct spec_phase *phases;
    size_t phase_count;
};

static inline bool spec_is_periodic(const struct spec_phase *phase)
{
    return phase->ended == SPEC_FIXED_RATE || phase->ended == SPEC_FIXED_DELAY;
}

struct spec {
    char name[STREAM_NAME_SIZE];
    char *summary;
    char *parameters; /* "delay=uniform(1, 1h) turns=3", as the file has them */
    char *json;       /* one line: the file with parameters, tick and tasks as they came out */
    uint64_t tick_ns;
    uint64_t unit_ns; /* what delays are drawn in: the file's own tick where the one asked for is a
                         multiple of it, else that */
    uint64_t tasks;
    struct stream_slack slack;
    struct spec_phase *phases;
    size_t phase_count;
};

/* Parses the text of a file, which ends with a zero byte behind its `size` bytes.  Of the request it uses directory, tasks, tick_ns and settings;
 * `path` is for diagnostics.  *out is freed with spec_free. */
int spec_parse(const char *text, size_t size, const char *path,
               const struct workload_request *request, struct spec **out, struct diag *diag);
/* Reads the file and parses it. */
int spec_load(const char *path, const struct workload_request *request, struct spec **out,
              struct diag *diag);
/* NULL is allowed. */
void spec_free(struct spec *spec);

#endif
