/* crash_prove.c - runs the parts of the proof of a store. */
#include "build_info.h"
#include "harness/base/memory.h"
#include "harness/base/paths.h"
#include "labs/durable/crash/crash.h"
#include "labs/durable/drive/drive.h"
#include "labs/durable/drive/footing.h"

#include <sys/stat.h>

static const enum tw_sync_policy policies[] = {TW_SYNC_ALWAYS, TW_SYNC_GROUP, TW_SYNC_INTERVAL,
                                               TW_SYNC_NONE};

/* Loads that are tried for the kills that were asked for. */
#define ROUNDS_MAX 100u
/* What a kill may take: a server is started, and reads its file. */
#define KILL_NS UINT64_C(1000000000)

bool crash_has_layer(void)
{
    return disk_layer() != NULL;
}

void crash_layer_path(char *out, size_t size)
{
    paths_find("disk_layer.so", BUILD_LABS_DIR "/disk_layer.so", out, size);
}

/* ---- Even, and kills. ------------------------------------------------------------------------- */

static bool run_once(const struct crash_case *this, struct durable_request request,
                     enum crash_part part, struct diag *diag, int *status)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s/run", this->options->directory);
    if (mkdir(directory, 0700) != 0) {
        *status = diag_run(diag, "%s: %s", directory, strerror(errno));
        return false;
    }
    struct durable_report *report = memory_take(1, sizeof *report);
    request.directory = directory;
    durable_run(&request, NULL, report);
    footing_remove(directory);
    this->report->kills += durable_kills(report);
    this->report->messages += report->ledger.acknowledged;
    bool refused = part == CRASH_EVEN && report->end == DURABLE_OK && report->ledger.refused > 0;
    const char *rule = report->end == DURABLE_MISMATCH ? crash_rule(&report->ledger)
                                                       : durable_end_name(report->end);
    if (report->end == DURABLE_ABSENT)
        *status = diag_run(diag, "%s: %s", this->store->name, report->reason);
    else if (report->end != DURABLE_OK || refused)
        crash_broken(this, part, refused ? "refused" : rule, "under %s, seed %" PRIu64 ": %s",
                     durable_sync_name(request.sync), request.load.seed,
                     refused ? "puts that every store has to take were refused" : report->reason);
    free(report);
    return !this->report->is_broken && *status == DIAG_OK;
}

/* Minutes of writing, and so for --thorough; a server would write them twice. */
static bool may_take_minutes(const struct crash_case *this)
{
    return this->options->states == UINT64_MAX &&
           !(this->store->flags & (TW_STORE_SERVER | TW_STORE_IN_MEMORY));
}

/* Loads of other shapes, one after another. */
static bool prove_even(const struct crash_case *this, enum tw_sync_policy sync, struct diag *diag,
                       int *status)
{
    struct durable_request request = crash_request(this, sync, 400, this->options->seed);
    bool holds = run_once(this, request, CRASH_EVEN, diag, status);
    request = crash_request(this, sync, 40, this->options->seed + 1);
    request.load.payload_max = TW_PAYLOAD_MAX;
    request.producers = request.batch = 1;
    holds = holds && run_once(this, request, CRASH_EVEN, diag, status);
    if (!holds || sync != TW_SYNC_NONE)
        return holds;
    /* Many at once, nearly all in one hour: more than a store may want to hold in memory. */
    request =
        crash_request(this, sync, may_take_minutes(this) ? 600000 : 20000, this->options->seed + 2);
    request.load.payload_max = 16;
    request.load.hot_permille = 900;
    request.load.arrivals_ms = 3000000;
    request.batch = 100;
    if (!run_once(this, request, CRASH_EVEN, diag, status) || !may_take_minutes(this))
        return *status == DIAG_OK && !this->report->is_broken;
    /* 4.5 GB, of which few wait at a time: what counts bytes in 32 bits begins anew. */
    request = crash_request(this, sync, 68000, this->options->seed + 3);
    request.load.payload_min = request.load.payload_max = TW_PAYLOAD_MAX;
    request.load.span_ms = request.load.arrivals_ms / 200;
    request.batch = 16;
    request.budget_ns *= 10;
    return run_once(this, request, CRASH_EVEN, diag, status);
}

static bool prove_kills(const struct crash_case *this, enum tw_sync_policy sync, struct diag *diag,
                        int *status)
{
    uint64_t kills = this->options->kills;
    if (this->store->flags & TW_STORE_IN_MEMORY || kills == 0)
        return true;
    uint64_t wanted = this->report->kills + kills;
    /* A store on a fast disk ends its load between two kills: then another load follows. */
    for (uint64_t round = 0; round < ROUNDS_MAX && this->report->kills < wanted; round++) {
        uint64_t left = wanted - this->report->kills;
        struct durable_request request =
            crash_request(this, sync, 20 * left + 100, this->options->seed + round);
        request.kills = left;
        request.budget_ns += left * KILL_NS;
        if (!run_once(this, request, CRASH_KILLS, diag, status))
            return false;
    }
    return true;
}

/* ---- All of it. ------------------------------------------------------------------------------- */

static const char *why_no_disk(const struct tw_store_backend *store)
{
    if (store->flags & TW_STORE_SERVER)
        return "its files are a server's";
    if (store->flags & TW_STORE_IN_MEMORY)
        return "it has no files";
    return crash_has_layer() ? NULL : "the layer that records the disk is not loaded";
}

static bool has(const struct crash_case *this, enum crash_part part)
{
    return this->options->parts & 1u << part;
}

/* A setting that the store has and that is not given becomes small. */
static void make_small(struct crash_case *this, const char *name, uint64_t value)
{
    for (size_t i = 0; i < this->small_count; i++)
        if (strcmp(this->small[i].name, name) == 0)
            return;
    for (const struct tw_param *param = this->store->params; param && param->name; param++)
        if (strcmp(param->name, name) == 0)
            this->small[this->small_count++] =
                (struct tw_setting){.name = name, .count = 1, .values = {value}};
}

int crash_prove(const struct tw_store_backend *store, const struct crash_options *options,
                struct crash_report *report, struct diag *diag)
{
    struct crash_case this = {.store = store, .options = options, .report = report};
    int status = DIAG_OK;
    bool holds = true;
    struct disk_log *quiet = disk_quiet_begin(options->directory);
    *report = (struct crash_report){.skipped = why_no_disk(store)};
    this.small_count = options->setting_count;
    for (size_t i = 0; i < options->setting_count; i++)
        this.small[i] = options->settings[i];
    make_small(&this, "segment-kib", 4);
    make_small(&this, "checkpoint-kib", 8);
    make_small(&this, "map-mib", 1);
    for (size_t i = 0; i < sizeof policies / sizeof *policies && holds; i++) {
        enum tw_sync_policy sync = policies[i];
        if (!(store->policies & 1u << sync))
            continue;
        if (has(&this, CRASH_EVEN) && report->messages == 0)
            holds = crash_scenes(&this);
        if (holds && has(&this, CRASH_EVEN))
            holds = prove_even(&this, sync, diag, &status);
        if (holds && has(&this, CRASH_KILLS))
            holds = prove_kills(&this, sync, diag, &status);
        if (holds && !report->skipped && has(&this, CRASH_POWER))
            holds = crash_power(&this, sync);
        if (holds && !report->skipped && has(&this, CRASH_ERRORS))
            holds = crash_errors(&this, sync);
    }
    if (holds && !report->skipped && has(&this, CRASH_FLIPS))
        crash_flips(&this);
    disk_quiet_end(quiet);
    return status;
}

/* ---- Makes the runs of a proof, judges them and notes what is broken. ---- */

#define BUDGET_NS UINT64_C(120000000000)

const char *crash_part_name(enum crash_part part)
{
    static const char *const names[CRASH_PARTS] = {"even", "kills", "power", "errors", "flips"};
    return names[part];
}

struct durable_request crash_request(const struct crash_case *this, enum tw_sync_policy sync,
                                     uint64_t tasks, uint64_t seed)
{
    return (struct durable_request){.store = this->store,
                                    .counts = true,
                                    .sync = sync,
                                    .interval_ms = 5,
                                    .load = {.tasks = tasks,
                                             .seed = seed,
                                             .span_ms = UINT64_C(864000000),
                                             .arrivals_ms = UINT64_C(200000000),
                                             .payload_min = 0,
                                             .payload_max = 700,
                                             .cancel_permille = 100,
                                             .hot_permille = 200,
                                             .burst_permille = 200,
                                             .past_permille = 20},
                                    .producers = 2,
                                    .batch = 3,
                                    .lags = true,
                                    .budget_ns = BUDGET_NS,
                                    .settings = this->options->settings,
                                    .setting_count = this->options->setting_count};
}

void crash_broken(const struct crash_case *this, enum crash_part part, const char *rule,
                  const char *format, ...)
{
    struct crash_report *report = this->report;
    va_list arguments;
    if (report->is_broken)
        return;
    report->is_broken = true;
    report->part = part;
    snprintf(report->rule, sizeof report->rule, "%s", rule);
    va_start(arguments, format);
    vsnprintf(report->detail, sizeof report->detail, format, arguments);
    va_end(arguments);
}

const char *crash_rule(const struct durable_ledger *ledger)
{
    return ledger->lost           ? "lost"
           : ledger->twice        ? "twice"
           : ledger->early        ? "early"
           : ledger->changed      ? "changed"
           : ledger->out_of_order ? "out of order"
                                  : "late";
}

struct book *crash_copy(const struct book *book)
{
    struct book *copy = book_make(&book->load);
    memcpy(copy, book, book_bytes(book));
    return copy;
}

void crash_prepare(struct book *book, uint32_t producers)
{
    uint64_t tasks = book->load.tasks;
    for (uint32_t i = 0; i < producers; i++)
        atomic_store(&book->next[i], tasks / producers + (i < tasks % producers));
    book_settle(book);
    book->load.cancel_permille = 0;
    book->seen = (struct durable_ledger){0};
    book->first[0] = book->failure[0] = '\0';
    book->figures.damaged = book->figures.damaged_lost = 0;
    book->description.damaged = book->damaged_at_open = 0;
    book->drained_poll = 0;
    book->drained_ms = 0;
    book->disk_length = NULL;
    book->disk_lock = NULL;
    atomic_store(&book->clock, UINT32_MAX / 2);
}

void crash_count_damage(const struct crash_case *this, enum crash_part part,
                        const struct book *book, const char *where)
{
    if (book->description.damaged != book->damaged_at_open)
        crash_broken(this, part, "failed",
                     "%s; then open named %" PRIu64 " damaged pieces, and describe said %" PRIu64,
                     where, book->damaged_at_open, book->description.damaged);
}

bool crash_judge(const struct crash_case *this, enum crash_part part,
                 const struct durable_request *request, const char *store_directory,
                 struct book *book, const char *where)
{
    char reason[300] = "", defects[300];
    int ended = 0;
    struct durable_request again = *request;
    again.measures_recovery = again.insists = false;
    if (!durable_open_once(&again, store_directory, book, BUDGET_NS, &ended, reason, sizeof reason))
        crash_broken(this, part, "crashed", "%s; then: %s", where, reason);
    else if (ended != DRIVE_FINISHED)
        crash_broken(this, part, "failed", "%s; then: %s", where, book->failure);
    crash_count_damage(this, part, book, where);
    struct durable_ledger ledger = book_judge(book);
    book_explain(book, &ledger, defects, sizeof defects);
    if (!this->report->is_broken && book_is_broken(&ledger))
        crash_broken(this, part, crash_rule(&ledger), "%s: %s", where, defects);
    return !this->report->is_broken;
}
