/* crash_prove.c - runs the parts of the proof of a store. */
#include "labs/durable/crash/crash_prove.h"

#include "build_info.h"
#include "harness/base/paths.h"
#include "labs/durable/drive/book.h"
#include "labs/durable/drive/footing.h"
#include "labs/durable/crash/disk_states.h"
#include "labs/durable/crash/flips.h"
#include "labs/durable/crash/power.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Did it lose no more than its flags admit, and nothing else? */
static bool is_admitted(const struct crash_case *this, const struct durable_report *report,
                        uint64_t kills)
{
    struct durable_ledger others = report->ledger;
    others.lost = 0;
    return report->end == DURABLE_MISMATCH && this->store->flags & TW_STORE_KILL_LOSES &&
           report->ledger.lost <= kills && !book_is_broken(&others);
}

static uint64_t kills_of(const struct durable_report *report)
{
    uint64_t kills = 0;
    for (size_t v = 0; v < DURABLE_VICTIMS; v++)
        for (size_t m = 0; m < DURABLE_MOMENTS; m++)
            kills += report->figures.kills[v][m];
    return kills;
}

static bool run_once(const struct crash_case *this, struct durable_request request,
                     enum crash_part part, struct diag *diag, int *status)
{
    char directory[PATH_MAX];
    struct durable_report *report = calloc(1, sizeof *report);
    snprintf(directory, sizeof directory, "%s/run", this->options->directory);
    if (!report || mkdir(directory, 0700) != 0) {
        *status = diag_run(diag, "%s: %s", directory, strerror(errno));
        free(report);
        return false;
    }
    request.directory = directory;
    durable_run(&request, NULL, report);
    footing_remove(directory);
    this->report->kills += kills_of(report);
    this->report->messages += report->ledger.acknowledged;
    if (report->end == DURABLE_ABSENT)
        *status = diag_run(diag, "%s: %s", this->store->name, report->reason);
    else if (is_admitted(this, report, kills_of(report)))
        this->report->kill_lost += report->ledger.lost;
    else if (report->end == DURABLE_MISMATCH)
        crash_broken(this, part, crash_rule(&report->ledger), "under %s, seed %" PRIu64 ": %s",
                     durable_sync_name(request.sync), request.load.seed, report->reason);
    else if (report->end != DURABLE_OK)
        crash_broken(this, part, durable_end_name(report->end), "under %s, seed %" PRIu64 ": %s",
                     durable_sync_name(request.sync), request.load.seed, report->reason);
    free(report);
    return !this->report->is_broken && *status == DIAG_OK;
}

/* Loads of other shapes, one after another. */
static bool prove_even(const struct crash_case *this, enum tw_sync_policy sync, struct diag *diag,
                       int *status)
{
    struct durable_request request = crash_request(this, sync, 400, this->options->seed);
    if (!run_once(this, request, CRASH_EVEN, diag, status))
        return false;
    request = crash_request(this, sync, 40, this->options->seed + 1);
    request.load.payload_max = TW_PAYLOAD_MAX;
    request.producers = request.batch = 1;
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
    bool wanted = this->options->parts & 1u << part;
    this->report->done[part] = this->report->done[part] || wanted;
    return wanted;
}

int crash_prove(const struct tw_store_backend *store, const struct crash_options *options,
                struct crash_report *report, struct diag *diag)
{
    struct crash_case this = {store, options, report};
    int status = DIAG_OK;
    bool holds = true;
    struct disk_log *quiet = disk_quiet_begin(options->directory);
    *report = (struct crash_report){.skipped = why_no_disk(store)};
    for (size_t i = 0; i < sizeof policies / sizeof *policies && holds; i++) {
        enum tw_sync_policy sync = policies[i];
        if (!(store->policies & 1u << sync))
            continue;
        if (has(&this, CRASH_EVEN))
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
