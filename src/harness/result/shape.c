/* shape.c - checks that a document has the keys of its kind.  Other keys may be there: a newer twbench
 * may add some. */
#include "harness/result/shape.h"

#include "harness/result/document.h"
#include "harness/result/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum shape_kind {
    NUMBER = 1,
    TEXT = 2,
    BOOL = 4,
    OBJECT = 8,
    ARRAY = 16,
    OR_NULL = 32,
    OPTIONAL = 64
};

/* "[]" stands for each element.  A parent stands before its children; below a null nothing is
 * looked for. */
struct rule {
    const char *path;
    unsigned kinds;
};

static const struct rule head_rules[] = {
    {"tool", OBJECT},
    {"tool.name", TEXT},
    {"tool.version", TEXT},
    {"tool.commit", TEXT | OR_NULL},
    {"tool.compiler", TEXT | OR_NULL},
    {"tool.flags", TEXT | OR_NULL},
    {"tool.allocator", TEXT | OR_NULL},
    {"tool.date_utc", TEXT},
    {"machine", OBJECT},
    {"machine.cpu_model", TEXT | OR_NULL},
    {"machine.architecture", TEXT | OR_NULL},
    {"machine.cores", NUMBER | OR_NULL},
    {"machine.memory_bytes", NUMBER | OR_NULL},
    {"machine.kernel", TEXT | OR_NULL},
    {"machine.distribution", TEXT | OR_NULL},
    {"machine.governor", TEXT | OR_NULL},
    {"machine.clocksource", TEXT | OR_NULL},
    {"machine.tsc", TEXT | OR_NULL},
    {"machine.virtualisation", TEXT | OR_NULL},
    {"machine.caches", ARRAY},
    {"machine.caches[]", OBJECT},
    {"machine.caches[].level", NUMBER},
    {"machine.caches[].type", TEXT | OR_NULL},
    {"machine.caches[].size_bytes", NUMBER},
    {"machine.caches[].line_bytes", NUMBER | OR_NULL},
    {"machine.checks", ARRAY | OPTIONAL}, /* not yet in the first results */
    {"machine.checks[]", OBJECT},
    {"machine.checks[].name", TEXT},
    {"machine.checks[].value", NUMBER | TEXT | OR_NULL},
    {"machine.checks[].warning", TEXT | OR_NULL},
    {"machine.selftest", OBJECT | OR_NULL | OPTIONAL}, /* likewise */
    {"machine.selftest.date_utc", TEXT},
    {"machine.selftest.version", TEXT},
    {"machine.selftest.commit", TEXT | OR_NULL},
    {"machine.selftest.comparisons", NUMBER},
    {"machine.selftest.cells", NUMBER},
    {"machine.selftest.margin", NUMBER | OR_NULL},
    {"machine.selftest.false_alarm_rate", NUMBER | OR_NULL},
    {"machine.selftest.false_alarm_high", NUMBER | OR_NULL},
    {"machine.selftest.detection", OBJECT},
    {"machine.selftest.detection.2", NUMBER | OR_NULL},
    {"machine.selftest.detection.5", NUMBER | OR_NULL},
    {"machine.selftest.detection.10", NUMBER | OR_NULL},
    {"machine.selftest.smallest_reliable_slowdown", NUMBER | OR_NULL},
    {"machine.selftest.harness_ns_per_op", NUMBER | OR_NULL},
    {"machine.selftest.timer_overhead_ns", NUMBER | OR_NULL},
    {"machine.selftest.busy_share", NUMBER | OR_NULL},
    {"command", ARRAY},
    {"command[]", TEXT},
};

static const struct rule result_rules[] = {
    {"harness", OBJECT},
    {"harness.timer", TEXT | OR_NULL},
    {"harness.timer_overhead_ns", NUMBER | OR_NULL},
    {"complete", BOOL},
    {"cells", ARRAY},
};

static const struct rule limits_rules[] = {
    {"complete", BOOL},
    {"method", OBJECT},
    {"method.runs", NUMBER},
    {"method.huge_pages", BOOL},
    {"points", ARRAY},
    {"points[]", OBJECT},
    {"points[].limit", TEXT},
    {"points[].tasks", NUMBER | OR_NULL},
    {"points[].node_bytes", NUMBER | OR_NULL},
    {"points[].footprint_bytes", NUMBER | OR_NULL},
    {"points[].huge_pages", BOOL},
    {"points[].status", TEXT},
    {"points[].reason", TEXT | OR_NULL},
    {"points[].ns", OBJECT | OR_NULL},
    {"points[].ns.median", NUMBER},
    {"points[].ns.low", NUMBER},
    {"points[].ns.high", NUMBER},
    {"points[].ns.confidence", NUMBER},
    {"points[].touched_bytes", NUMBER | OR_NULL},
    {"points[].huge_bytes", NUMBER | OR_NULL},
    {"points[].slow_stretches", NUMBER},
};

static const struct rule cell_rules[] = {
    {"", OBJECT},
    {"impl", TEXT},
    {"params", OBJECT},
    {"params{}", NUMBER | TEXT | ARRAY},
    {"params{}[]", NUMBER},
    {"workload", TEXT},
    {"tasks", NUMBER},
    {"tick_ns", NUMBER},
    {"seed", NUMBER},
    {"status", TEXT},
    {"reason", TEXT | OR_NULL},
    {"digest", TEXT | OR_NULL},
    {"expected_digest", TEXT},
    {"fired", NUMBER | OR_NULL},
    {"early", NUMBER | OR_NULL},
    {"late_max_ticks", NUMBER | OR_NULL},
    {"late_mean_ticks", NUMBER | OR_NULL},
    {"precision", OBJECT | OR_NULL | OPTIONAL}, /* not yet in the first results */
    {"precision.late_mean_ns", NUMBER},
    {"precision.late_max_ns", NUMBER},
    {"precision.below_tick", NUMBER},
    {"harness_ns_per_op", NUMBER | OR_NULL},
    {"phases", ARRAY},
    {"phases[]", OBJECT},
    {"phases[].name", TEXT},
    {"phases[].operations", OBJECT},
    {"phases[].operations.start", NUMBER},
    {"phases[].operations.stop", NUMBER},
    {"phases[].operations.advance", NUMBER},
    {"phases[].operations.expire", NUMBER},
    {"phases[].operations.ticks", NUMBER},
    {"phases[].operations.refused", NUMBER},
    {"phases[].ns_per_op", OBJECT | OR_NULL},
    {"phases[].ns_per_op.median", NUMBER},
    {"phases[].ns_per_op.low", NUMBER},
    {"phases[].ns_per_op.high", NUMBER},
    {"phases[].ns_per_op.confidence", NUMBER},
    {"phases[].ns_per_op.samples", ARRAY},
    {"phases[].ns_per_op.samples[]", NUMBER},
    {"phases[].cpu_ns_per_op", NUMBER | OR_NULL},
    {"phases[].cpu_ns_per_op_interval", OBJECT | OR_NULL | OPTIONAL}, /* not yet in the first */
    {"phases[].cpu_ns_per_op_interval.median", NUMBER},
    {"phases[].cpu_ns_per_op_interval.low", NUMBER},
    {"phases[].cpu_ns_per_op_interval.high", NUMBER},
    {"phases[].cpu_ns_per_op_interval.confidence", NUMBER},
    {"phases[].cpu_ns_per_op_interval.samples", ARRAY},
    {"phases[].cpu_ns_per_op_interval.samples[]", NUMBER},
    {"phases[].ns_per_advance", OBJECT | OR_NULL},
    {"phases[].ns_per_advance.median", NUMBER},
    {"phases[].ns_per_advance.low", NUMBER},
    {"phases[].ns_per_advance.high", NUMBER},
    {"phases[].ns_per_advance.confidence", NUMBER},
    {"phases[].counters", OBJECT | OR_NULL},
    {"phases[].counters{}", NUMBER | OR_NULL},
    {"phases[].counters_reason", TEXT | OR_NULL},
    {"phases[].latency_ns", OBJECT},
    {"phases[].latency_ns.start", OBJECT | OR_NULL},
    {"phases[].latency_ns.stop", OBJECT | OR_NULL},
    {"phases[].latency_ns.advance", OBJECT | OR_NULL},
    {"phases[].latency_ns.next", OBJECT | OR_NULL | OPTIONAL}, /* not yet in the first results */
    {"phases[].latency_ns{}.p50", NUMBER},
    {"phases[].latency_ns{}.p90", NUMBER},
    {"phases[].latency_ns{}.p99", NUMBER},
    {"phases[].latency_ns{}.p99_9", NUMBER},
    {"phases[].latency_ns{}.p99_99", NUMBER},
    {"phases[].latency_ns{}.max", NUMBER},
    {"phases[].latency_ns{}.mean", NUMBER},
    {"phases[].latency_ns{}.count", NUMBER},
    {"phases[].latency_ns{}.bins", ARRAY},
    {"phases[].work", OBJECT | OR_NULL},
    {"phases[].work.comparisons", NUMBER},
    {"phases[].work.visits", NUMBER},
    {"phases[].work.moves", NUMBER},
    {"phases[].work.link_writes", NUMBER},
    {"phases[].work.cascades", NUMBER},
    {"phases[].work.empty_ticks", NUMBER},
    {"phases[].work.allocations", NUMBER},
    {"phases[].work.pointer_moves", NUMBER | OPTIONAL}, /* not yet in the first results */
    {"phases[].work.system_calls", NUMBER | OPTIONAL},  /* likewise */
    {"phases[].work.clock_reads", NUMBER | OPTIONAL},   /* likewise */
    {"phases[].wakeups", OBJECT | OPTIONAL},            /* likewise */
    {"phases[].wakeups.count", NUMBER},
    {"phases[].wakeups.useful", NUMBER},
    {"phases[].wakeups.to_moment", NUMBER},
    {"phases[].wakeups.next_calls", NUMBER},
    {"phases[].advance_work", OBJECT | OR_NULL | OPTIONAL}, /* likewise */
    {"phases[].advance_work.max", NUMBER},
    {"phases[].advance_work.p99", NUMBER},
    {"memory", OBJECT | OR_NULL},
    {"memory.bytes_per_task", NUMBER | OR_NULL},
    {"memory.fixed_bytes", NUMBER},
    {"memory.capacity_bytes", NUMBER},
    {"memory.measured", BOOL},
    {"memory.peak_bytes", NUMBER | OR_NULL},
    {"memory.retained_bytes", NUMBER | OR_NULL},
    {"memory.allocated_bytes", NUMBER | OR_NULL},
    {"memory.resident_bytes", NUMBER | OR_NULL},
    {"memory.pages", OBJECT | OPTIONAL}, /* only where they were asked for */
    {"memory.pages.huge_bytes", NUMBER | OR_NULL},
    {"memory.pages.touched_bytes", NUMBER | OR_NULL},
    {"memory.pages.reason", TEXT | OR_NULL},
    {"stepped", OBJECT | OR_NULL | OPTIONAL}, /* not yet in the first results */
    {"stepped.tasks", NUMBER | OR_NULL},
    {"stepped.calls", NUMBER | OR_NULL},
    {"stepped.instructions", NUMBER | OR_NULL},
    {"stepped.instructions_per_op", NUMBER | OR_NULL},
    {"stepped.reason", TEXT | OR_NULL},
    {"schedules", ARRAY | OR_NULL | OPTIONAL}, /* not yet in the first results */
    {"schedules[]", OBJECT},
    {"schedules[].kind", TEXT},
    {"schedules[].catch_up", TEXT | OR_NULL},
    {"schedules[].runs", NUMBER},
    {"schedules[].missed", NUMBER},
    {"schedules[].late_runs", NUMBER},
    {"schedules[].late_mean_ticks", NUMBER},
    {"schedules[].late_max_ticks", NUMBER},
    {"schedules[].busy_share", NUMBER},
    {"schedules[].digest", TEXT},
    {"span_ticks", NUMBER | OR_NULL},
    {"traits", OBJECT},
    {"traits.ordered", BOOL},
    {"traits.fifo", BOOL},
    {"traits.tickless", BOOL},
    {"traits.next_exact", BOOL},
    {"traits.allocates", BOOL},
    {"traits.keeps_nothing", BOOL},
    {"traits.real_clock", BOOL | OPTIONAL}, /* not yet in the first results */
    {"traits.late_ticks", NUMBER},
    {"traits.late_shift", NUMBER},
    {"requested", OBJECT},
    {"requested{}", NUMBER | TEXT | ARRAY},
    {"requested{}[]", NUMBER},
    {"sampling", OBJECT},
    {"sampling.runs", NUMBER},
    {"sampling.warmup", NUMBER},
    {"sampling.samples", NUMBER},
    {"sampling.passes_per_sample", NUMBER},
    {"sampling.retaken_passes", NUMBER | OPTIONAL}, /* not yet in the first results */
    {"sampling.slow_passes", NUMBER | OPTIONAL},    /* likewise */
    {"sampling.pin_cpu", NUMBER | OR_NULL},
    {"limits", OBJECT},
    {"limits.budget_ns", NUMBER | OR_NULL},
    {"limits.memory_bytes", NUMBER | OR_NULL},
    {"limits.max_pending", NUMBER | OR_NULL},
    {"stream", OBJECT},
    {"stream.hash", TEXT},
    {"stream.tasks_meaning", TEXT | OR_NULL},
    {"stream.capacity", NUMBER},
    {"stream.horizon_ticks", NUMBER},
    {"stream.running_max", NUMBER},
    {"stream.expected_fired", NUMBER},
    {"stream.spec", OBJECT | OR_NULL},
    {"identity", TEXT},
};

/* The walk: where it is, in words, and what to say when it fails. */
struct walk {
    const struct rule *rule;
    const char *what;
    struct diag *diag;
    char trail[256];
};

static int refuse(const struct walk *walk, const char *problem)
{
    static const char *const names[] = {
        "a number of 0 or more", "text", "true or false", "an object", "an array", "null"};
    char expected[96] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (walk->rule->kinds & (1u << i)) {
            size_t length = strlen(expected);
            snprintf(expected + length, sizeof expected - length, "%s%s", length ? " or " : "",
                     names[i]);
        }
    return diag_usage(walk->diag, "%s: %s: %s; expected %s", walk->what, walk->trail, problem,
                      expected);
}

static unsigned kind_of(const cJSON *item)
{
    if (cJSON_IsNumber(item))
        return isfinite(item->valuedouble) && item->valuedouble >= 0 ? NUMBER : 0;
    return cJSON_IsString(item)   ? TEXT
           : cJSON_IsBool(item)   ? BOOL
           : cJSON_IsObject(item) ? OBJECT
           : cJSON_IsArray(item)  ? ARRAY
                                  : OR_NULL;
}

static int follow(struct walk *walk, const cJSON *item, const char *path);

/* "[]" and "{}": the rest of the rule for every element. */
static int follow_each(struct walk *walk, const cJSON *parent, const char *path)
{
    size_t length = strlen(walk->trail), index = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, parent)
    {
        if (cJSON_IsArray(parent))
            snprintf(walk->trail + length, sizeof walk->trail - length, "[%zu]", index++);
        else
            snprintf(walk->trail + length, sizeof walk->trail - length, "%s%s", length ? "." : "",
                     item->string);
        int status = follow(walk, item, path);
        if (status != DIAG_OK)
            return status;
    }
    walk->trail[length] = '\0';
    return DIAG_OK;
}

/* A parent that is missing has been judged by its own rule. */
static int follow_key(struct walk *walk, const cJSON *parent, const char *path)
{
    path += *path == '.';
    size_t key_length = strcspn(path, ".[{"), length = strlen(walk->trail);
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)key_length, path);
    snprintf(walk->trail + length, sizeof walk->trail - length, "%s%s", length ? "." : "", key);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(parent, key);
    bool may_lack = path[key_length] != '\0' || (walk->rule->kinds & OPTIONAL);
    int status = item       ? follow(walk, item, path + key_length)
                 : may_lack ? DIAG_OK
                            : refuse(walk, "missing");
    if (status == DIAG_OK)
        walk->trail[length] = '\0';
    return status;
}

static int follow(struct walk *walk, const cJSON *item, const char *path)
{
    if (!*path)
        return kind_of(item) & walk->rule->kinds ? DIAG_OK : refuse(walk, "of the wrong type");
    if (cJSON_IsNull(item))
        return DIAG_OK;
    if (*path == '[' || *path == '{')
        return follow_each(walk, item, path + 2);
    return follow_key(walk, item, path);
}

static int check_rules(const struct rule *rules, size_t count, const cJSON *item, struct walk *walk)
{
    for (size_t i = 0; i < count; i++) {
        walk->rule = &rules[i];
        int status = follow(walk, item, rules[i].path);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

static int check_version(const cJSON *root, const char *kind, const char *what, struct diag *diag)
{
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "schema_version");
    if (!cJSON_IsObject(root) || !version)
        return diag_usage(diag, "%s: not a twbench %s: schema_version is missing", what, kind);
    if (!cJSON_IsNumber(version) || version->valuedouble != RESULT_SCHEMA_VERSION)
        return diag_usage(diag, "%s: schema_version: %s; this twbench reads version %d", what,
                          cJSON_IsNumber(version) ? "another version" : "of the wrong type",
                          RESULT_SCHEMA_VERSION);
    return DIAG_OK;
}

int shape_check_version(const cJSON *root, const char *what, struct diag *diag)
{
    return check_version(root, "document", what, diag);
}

int shape_check_head(const cJSON *root, const char *what, struct diag *diag)
{
    struct walk walk = {.what = what, .diag = diag};
    int status = check_version(root, "result", what, diag);
    if (status == DIAG_OK)
        status = check_rules(head_rules, sizeof head_rules / sizeof *head_rules, root, &walk);
    if (status == DIAG_OK)
        status = check_rules(result_rules, sizeof result_rules / sizeof *result_rules, root, &walk);
    return status;
}

int shape_check_limits(const cJSON *root, const char *what, struct diag *diag)
{
    struct walk walk = {.what = what, .diag = diag};
    int status = check_version(root, "limits document", what, diag);
    if (status == DIAG_OK && strcmp(json_get_text(root, "kind"), "limits") != 0)
        status = diag_usage(diag, "%s: kind: \"%s\"; expected what 'twbench limits --json' wrote",
                            what, json_get_text(root, "kind"));
    if (status == DIAG_OK)
        status = check_rules(head_rules, sizeof head_rules / sizeof *head_rules, root, &walk);
    if (status == DIAG_OK)
        status = check_rules(limits_rules, sizeof limits_rules / sizeof *limits_rules, root, &walk);
    return status;
}

int shape_check_cell(const cJSON *cell, size_t index, const char *what, struct diag *diag)
{
    struct walk walk = {.what = what, .diag = diag};
    snprintf(walk.trail, sizeof walk.trail, "cells[%zu]", index);
    return check_rules(cell_rules, sizeof cell_rules / sizeof *cell_rules, cell, &walk);
}
