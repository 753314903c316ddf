/* original.c - makes the schedule, starts the driver, and reads what it says. */
#include "labs/live/originals/original.h"

#include "harness/base/json.h"
#include "harness/base/paths.h"
#include "harness/measure/run/spawn.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

/* Up to here a double tells one whole number from the next. */
#define WHOLE_MAX     9007199254740992.0
#define FORMAT        "twbench-original 1"
#define FLAGS_MAX     16
#define MEMORY_TIMERS 100000 /* what the memory of one is measured with */
#define FLAG_SIZE     96
#define EXIT_MISMATCH 1
#define EXIT_USAGE    2
/* Start and warm-up of a runtime, which are no part of the load; and a budget where none is given. */
#define START_NS  UINT64_C(3000000000)
#define BUDGET_NS UINT64_C(600000000000)

static const struct tw_param no_params[] = {{.name = NULL}};
static const struct tw_param netty_params[] = {
    {"slots", "slots of the wheel; Netty rounds up to a power of two", 1, UINT64_C(1) << 30, 1},
    {NULL, NULL, 0, 0, 0}};
static const struct tw_param pool_params[] = {
    {"remove-on-cancel", "1: a stop takes the task out of the heap; 0: it is marked", 0, 1, 1},
    {NULL, NULL, 0, 0, 0}};

#define TABLE(i, key, words, more, own)                                                            \
    .runner = {.abi_version = TW_RUNNER_ABI_VERSION,                                               \
               .name = (key),                                                                      \
               .summary = (words),                                                                 \
               .after = (words),                                                                   \
               .flags = TW_RUNNER_OWN_TIMERS | (more),                                             \
               .params = (own)},                                                                   \
    .entry = {TW_RUNNER_ABI_VERSION, &originals[i].runner, &originals[i].runner}

static const struct original originals[] = {
    {TABLE(0, "netty", "Netty's HashedWheelTimer", TW_RUNNER_TICKS | TW_RUNNER_ONE_DISPATCH,
           netty_params),
     .has_tick = true, .has_cap = true},
    {TABLE(1, "jdk-timer", "java.util.Timer", TW_RUNNER_ONE_DISPATCH, no_params)},
    {TABLE(2, "jdk-pool", "ScheduledThreadPoolExecutor of java.util.concurrent", 0, pool_params),
     .is_pool = true},
    {TABLE(3, "go", "Go's time.AfterFunc", 0, no_params)},
};

const struct original *original_at(size_t i)
{
    return i < sizeof originals / sizeof *originals ? &originals[i] : NULL;
}

const struct original *original_find(const char *name)
{
    for (size_t i = 0; original_at(i); i++)
        if (strcmp(originals[i].runner.name, name) == 0)
            return &originals[i];
    return NULL;
}

const struct original *original_of(const struct tw_runner *runner)
{
    for (size_t i = 0; original_at(i); i++)
        if (&originals[i].runner == runner)
            return &originals[i];
    return NULL;
}

int original_driver(const struct original *original, char *path, size_t size, struct diag *diag)
{
    /* Seen from the top of the tree, and from build/release. */
    static const char *const places[] = {"build/originals", "../originals"};
    char program[ORIGINAL_PATH];
    int status = paths_program(program, sizeof program, diag);
    if (status != DIAG_OK)
        return status;
    int directory = (int)(strrchr(program, '/') - program);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, size, "%.*s/%s/%s", directory, program, places[i], original->runner.name);
        if (access(path, X_OK) == 0)
            return DIAG_OK;
    }
    return diag_usage(
        diag,
        "--original=%s: %.*s/%s/%s is not there; run 'make originals', which installs "
        "its runtime and builds it",
        original->runner.name, directory, program, places[0], original->runner.name);
}

/* ---- Flags. ---------------------------------------------------------------------------------- */

struct driver_flags {
    char text[FLAGS_MAX][FLAG_SIZE];
    const char *argv[FLAGS_MAX + 1];
    size_t count;
    bool overflowed;
};

static void add_flag(struct driver_flags *flags, const char *name, uint64_t value)
{
    if (flags->count == FLAGS_MAX) {
        flags->overflowed = true;
        return;
    }
    char *text = flags->text[flags->count];
    if (snprintf(text, FLAG_SIZE, "--%s=%" PRIu64, name, value) >= FLAG_SIZE)
        flags->overflowed = true;
    flags->argv[flags->count++] = text;
}

static void add_settings(struct driver_flags *flags, const struct tw_setting *settings,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_flag(flags, settings[i].name, settings[i].values[0]);
}

static void make_flags(struct driver_flags *flags, const struct original *original,
                       const struct clock_request *request, int schedule_fd)
{
    const struct clock_wishes *wishes = request->wishes;
    snprintf(flags->text[0], FLAG_SIZE, "--schedule=/proc/self/fd/%d", schedule_fd);
    flags->argv[flags->count++] = flags->text[0];
    add_flag(flags, "memory", MEMORY_TIMERS);
    if (original->has_tick && wishes->tick_ns > 0)
        add_flag(flags, "tick", wishes->tick_ns);
    if (original->has_cap && request->max_pending > 0)
        add_flag(flags, "cap", request->max_pending);
    if (original->is_pool)
        add_flag(flags, "threads", request->threads);
    add_settings(flags, wishes->settings, wishes->setting_count);
    add_settings(flags, request->settings, request->setting_count);
}

/* ---- Its document. --------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void say(struct clock_report *report,
                                                      enum clock_end end, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report->end = end;
    vsnprintf(report->reason, sizeof report->reason, format, args);
    va_end(args);
    report->reason[strcspn(report->reason, "\n")] = '\0';
}

/* A whole number; 0 when it is missing. */
static uint64_t whole(const cJSON *object, const char *path)
{
    double value = json_get_number(object, path);
    return value >= 0 && value <= WHOLE_MAX ? (uint64_t)value : 0;
}

/* Bins are pairs of a lowest value in ns and a count, rising.  null is an empty one. */
static void read_histogram(const cJSON *json, struct histogram *histogram)
{
    uint32_t bin = 0;
    json_each(pair, json, "bins") {
        double low_ps = round(cJSON_GetNumberValue(cJSON_GetArrayItem(pair, 0)) * 1000);
        uint32_t count = (uint32_t)cJSON_GetNumberValue(cJSON_GetArrayItem(pair, 1));
        while (bin + 1 < HISTOGRAM_BINS && (double)histogram_bin_low_ps(bin) < low_ps)
            bin++;
        histogram->bins[bin] += count;
        histogram->count += count;
    }
    histogram->max_ps = whole(json, "max") * 1000;
    if (histogram->count > 0)
        histogram->sum_ps =
            (uint64_t)fmin(json_get_number(json, "mean") * 1000 * (double)histogram->count, 1e19);
}

static void read_ledger(const cJSON *document, struct clock_report *report)
{
    struct clock_ledger *ledger = &report->ledger;
    const cJSON *json = json_get(document, "ledger");
#define READ(row) ledger->row = whole(json, #row);
    CLOCK_LEDGER(READ)
#undef READ
    ledger->too_late = whole(document, "stops_too_late");
    ledger->idle = whole(document, "stops_idle");
    uint64_t lost = whole(document, "lost"), twice = whole(document, "twice");
    if (ledger->accepted != ledger->ran + ledger->stopped + ledger->returned || lost || twice)
        say(report, CLOCK_MISMATCH,
            "accepted %" PRIu64 " timers, but %" PRIu64 " ran, %" PRIu64
            " were stopped and %" PRIu64 " returned: %" PRIu64 " never ended, %" PRIu64
            " more than once",
            ledger->accepted, ledger->ran, ledger->stopped, ledger->returned, lost, twice);
}

/* Of the timer's threads where they are known, else of the whole process. */
static uint64_t usage(const cJSON *both)
{
    return whole(both, json_get(both, "timer_threads") ? "timer_threads" : "process");
}

static void read_figures(const cJSON *document, struct clock_report *report)
{
    uint64_t last_call_ns = whole(document, "last_call_ns");
    uint64_t last_run_ns = report->ledger.ran > 0 ? whole(document, "last_run_ns") : 0;
    read_histogram(json_get(document, "lateness_ns"), &report->times.late);
    read_histogram(json_get(document, "lag_ns"), &report->times.behind);
    read_histogram(json_get(document, "start_ns"), &report->times.start);
    read_histogram(json_get(document, "stop_ns"), &report->times.stop);
    report->window_ns = last_call_ns > last_run_ns ? last_call_ns : last_run_ns;
    report->watched_ns = whole(document, "elapsed_ns");
    report->operations = report->times.start.count + report->times.stop.count + report->ledger.idle;
    report->stats.wakeups = usage(json_get(document, "wakeups"));
    report->stats.cpu_ns = usage(json_get(document, "cpu_ns"));
    report->stats.runs = json_get(document, "runs") ? whole(document, "runs") : report->ledger.ran;
    report->stats.failed = whole(document, "failed");
    report->stats.own_bytes = whole(document, "heap_bytes_per_timer");
    report->tick_ns = whole(document, "settings.tick_ns");
    report->runner_threads =
        json_get(document, "settings.threads") ? (uint32_t)whole(document, "settings.threads") : 1;
    report->max_pending = (uint32_t)whole(document, "settings.cap");
}

void original_read(const char *name, const char *text, struct clock_report *report,
                   cJSON **document)
{
    *report = (struct clock_report){.end = CLOCK_OK};
    *document = cJSON_Parse(text);
    const char *died = json_get_text(*document, "died");
    if (strcmp(json_get_text(*document, "format"), FORMAT) != 0 ||
        strcmp(json_get_text(*document, "original"), name) != 0) {
        say(report, CLOCK_CRASHED, "its document is not '%s' of %s", FORMAT, name);
        return;
    }
    report->is_told = json_get(*document, "ledger") != NULL;
    if (report->is_told) {
        read_ledger(*document, report);
        read_figures(*document, report);
    }
    if (died[0] || !report->is_told)
        say(report, CLOCK_CRASHED, "it died: %.300s", died);
}

/* ---- The run. -------------------------------------------------------------------------------- */

/* A driver that ended by itself with 0 or 1 has said in its document what came of it. */
static void judge(const struct original *original, const struct spawn_result *result,
                  struct clock_report *report, cJSON **document)
{
    const char *more = result->err[0] ? ": " : "";
    if (result->end == SPAWN_TIMED_OUT || result->end == SPAWN_INTERRUPTED)
        say(report, CLOCK_TIMEOUT, "its driver was ended %s",
            result->end == SPAWN_INTERRUPTED ? "by an interrupt" : "at its budget");
    else if (result->end == SPAWN_FAILED)
        say(report, CLOCK_CRASHED, "its driver could not be started: %s", strerror(result->code));
    else if (result->end == SPAWN_KILLED)
        say(report, CLOCK_CRASHED, "its driver was killed by signal %d%s%.300s", result->code, more,
            result->err);
    else if (result->code == EXIT_USAGE)
        say(report, CLOCK_UNSUPPORTED, "%.380s", result->err);
    else if (!result->out[0] || result->code > EXIT_USAGE)
        say(report, CLOCK_CRASHED, "its driver ended with status %d%s%.300s", result->code, more,
            result->err);
    else
        original_read(original->runner.name, result->out, report, document);
    if (*document && result->code == EXIT_MISMATCH && report->end == CLOCK_OK)
        say(report, CLOCK_CRASHED, "its driver ended with status 1, though its ledger adds up");
}

static void run_driver(const struct original *original, const char *path,
                       const struct clock_request *request, int schedule_fd, uint64_t end_ns,
                       const struct interrupt *interrupt, struct clock_report *report,
                       cJSON **document)
{
    struct driver_flags flags = {.count = 0};
    struct spawn_result result;
    make_flags(&flags, original, request, schedule_fd);
    if (flags.overflowed) {
        say(report, CLOCK_UNSUPPORTED, "more settings than a driver takes");
        return;
    }
    spawn_run(
        &(struct spawn_request){
            .path = path,
            .argv = flags.argv,
            .cpu = -1,
            .budget_ns =
                end_ns + START_NS + (request->budget_ns > 0 ? request->budget_ns : BUDGET_NS),
            .interrupt = interrupt,
        },
        &result);
    judge(original, &result, report, document);
    report->capacity = (uint32_t)request->stream->tasks;
    report->stats.own_bytes *= request->stream->tasks;
    if (request->wishes->load == CLOCK_IDLE) /* the load is the time in which nothing happens */
        report->window_ns = report->watched_ns;
    spawn_free(&result);
}

void original_run(const struct original *original, const char *path,
                  const struct clock_request *request, const struct interrupt *interrupt,
                  struct clock_report *report, cJSON **document)
{
    struct diag diag;
    uint64_t end_ns = 0;
    *report = (struct clock_report){.end = CLOCK_OK};
    *document = NULL;
    if (request->max_pending > 0 && !original->has_cap) {
        say(report, CLOCK_UNSUPPORTED, "%s has no cap on pending timers", original->runner.name);
        return;
    }
    /* A file without a name: nothing is left behind, and the driver opens it as its own. */
    int fd = memfd_create("schedule", 0);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        say(report, CLOCK_CRASHED, "no file for its schedule");
    else if (schedule_write(request, file, &end_ns, &diag) != DIAG_OK)
        say(report, CLOCK_UNSUPPORTED, "%.380s", diag.text);
    else
        run_driver(original, path, request, fd, end_ns, interrupt, report, document);
    if (file)
        fclose(file);
    else if (fd >= 0)
        close(fd);
}
