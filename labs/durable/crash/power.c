/* power.c - records a run of a store, and opens it in states that the loss of power may leave; and on failing disks. */
#include "labs/durable/crash/crash.h"

#include "harness/base/rng.h"
#include "labs/durable/drive/drive.h"
#include "labs/durable/drive/footing.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA_BYTES (UINT64_C(64) << 20)
#define TASKS      90u
#define FULL_TASKS 600u
/* Of the steps that make a store, and so many times each. */
#define FIRST_STEPS_MOST 40u
#define FIRST_SEEDS      6u
#define BUDGET_NS        UINT64_C(120000000000)
#define PROMISES_MOST    20u
#define SYNC_STEPS       8u   /* behind one that failed, at each of which power is lost */
#define BESIDE_US        200u /* while a sync takes so long, others begin one */
/* Files that go, and losses of power during recovery, under each policy. */
#define REMOVALS_MOST 20u
#define AGAIN         6u
#define AGAIN_STEPS   30u
#define AGAIN_FIRST   10u
/* Behind a checkpoint under another policy. */
#define CHANGE_STEPS 6u
/* Messages are over while others are put, so that files of a store are over, too. */
#define SPAN_MS UINT64_C(36000000)

/* A run of which the disk was recorded. */
struct recorded {
    struct durable_request request;
    struct disk_log *log;
    struct book *book;
    uint64_t first;    /* records of what was there before the run */
    const char *fault; /* of a disk that failed: in words */
    char root[PATH_MAX], directory[PATH_MAX + 8];
};

static bool recorded_make(const struct crash_case *this, enum tw_sync_policy sync, uint64_t tasks,
                          uint64_t seed, const char *name, struct recorded *recorded)
{
    recorded->request = crash_request(this, sync, tasks, seed);
    recorded->request.load.span_ms = SPAN_MS;
    recorded->request.settings = this->small;
    recorded->request.setting_count = this->small_count;
    recorded->log = disk_log_make(DATA_BYTES);
    recorded->book = book_make(&recorded->request.load);
    snprintf(recorded->root, sizeof recorded->root, "%s/%s", this->options->directory, name);
    snprintf(recorded->directory, sizeof recorded->directory, "%s/store", recorded->root);
    if (mkdir(recorded->root, 0700) != 0) {
        crash_broken(this, CRASH_POWER, "failed", "%s: %s", recorded->root, strerror(errno));
        return false;
    }
    snprintf(recorded->log->root, sizeof recorded->log->root, "%.4000s/", recorded->directory);
    recorded->book->sync = sync;
    recorded->book->is_exact = this->store->flags & TW_STORE_EXACT;
    recorded->book->is_power = true;
    recorded->book->disk_length = &recorded->log->length;
    recorded->book->disk_lock = &recorded->log->lock;
    return true;
}

static void recorded_free(struct recorded *recorded)
{
    footing_remove(recorded->root);
    disk_log_free(recorded->log);
    book_free(recorded->book);
}

/* The child inherits the record; this process goes on without. */
static bool recorded_run(struct recorded *recorded, int *ended, char *reason, size_t size)
{
    struct disk_log *before = *disk_layer();
    *disk_layer() = recorded->log;
    bool came_to_its_end = durable_open_once(&recorded->request, recorded->directory,
                                             recorded->book, BUDGET_NS, ended, reason, size);
    *disk_layer() = before;
    return came_to_its_end;
}

/* The same to that end; false when something is broken: `where` says what run it was. */
static bool recorded_run_to(const struct crash_case *this, struct recorded *recorded, int expected,
                            const char *where)
{
    char reason[300] = "";
    int ended = DRIVE_BROKE;
    bool ran = recorded_run(recorded, &ended, reason, sizeof reason);
    if (!ran || ended != expected)
        crash_broken(this, CRASH_POWER, ran ? "failed" : "crashed", "%s: %s", where,
                     ran ? recorded->book->failure : reason);
    return !this->report->is_broken;
}

/* Is every file that the store left in the record?  What writes past the C library is not. */
static bool is_recorded(const char *live, const char *rebuilt)
{
    char one[PATH_MAX], other[PATH_MAX];
    struct stat info;
    bool all = true;
    DIR *entries = opendir(live);
    for (const struct dirent *entry; entries && all && (entry = readdir(entries));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(one, sizeof one, "%.3800s/%s", live, entry->d_name);
        snprintf(other, sizeof other, "%.3800s/%s", rebuilt, entry->d_name);
        all = lstat(one, &info) == 0 && access(other, F_OK) == 0 &&
              (!S_ISDIR(info.st_mode) || is_recorded(one, other));
    }
    if (entries)
        closedir(entries);
    return all;
}

static bool check_record(const struct crash_case *this, const struct recorded *recorded)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s/state", this->options->directory);
    bool is_whole =
        disk_state_make(recorded->log, recorded->log->length, DISK_EVERYTHING, 1, directory) &&
        is_recorded(recorded->directory, directory);
    footing_remove(directory);
    if (!is_whole)
        this->report->skipped = "it writes files in ways that cannot be recorded";
    return is_whole;
}

/* ---- Power. ----------------------------------------------------------------------------------- */

static bool judge_state(const struct crash_case *this, const struct recorded *recorded,
                        uint64_t cut, enum disk_arrival arrival, uint64_t seed)
{
    char directory[PATH_MAX], where[400];
    struct book *book = crash_copy(recorded->book);
    enum crash_part part = recorded->fault ? CRASH_ERRORS : CRASH_POWER;
    snprintf(directory, sizeof directory, "%s/state", this->options->directory);
    snprintf(where, sizeof where,
             "under %s, seed %" PRIu64 "%s%s, power lost%s after %" PRIu64 " of %" PRIu64
             " steps of the disk: %s",
             durable_sync_name(recorded->request.sync), recorded->request.load.seed,
             recorded->fault ? ": " : "", recorded->fault ? recorded->fault : "",
             recorded->first ? " again, while it recovered," : "", cut - recorded->first,
             (uint64_t)recorded->log->length - recorded->first, disk_arrival_words(arrival));
    bool holds = disk_state_make(recorded->log, cut, arrival, seed, directory);
    if (!holds)
        crash_broken(this, part, "failed", "%s: the state could not be made", where);
    book_turn_back(book, (uint32_t)cut + 1);
    crash_prepare(book, recorded->request.producers);
    holds = holds && crash_judge(this, part, &recorded->request, directory, book, where);
    this->report->states++;
    footing_remove(directory);
    book_free(book);
    return holds;
}

/* Steps of the disk before the first message was acknowledged: the store is being made. */
static uint64_t first_steps(const struct recorded *recorded)
{
    uint64_t first = recorded->log->length;
    for (uint64_t i = 0; i < recorded->book->load.tasks; i++) {
        uint64_t acked = recorded->book->entries[i].acked;
        first = acked > 0 && acked - 1 < first ? acked - 1 : first;
    }
    return first < FIRST_STEPS_MOST ? first : FIRST_STEPS_MOST;
}

/* Each of them, with sectors that arrived and some that did not: it comes once in the life of a store, and among
 * thousands of steps the states drawn at random hardly meet it. */
static bool judge_first_steps(const struct crash_case *this, const struct recorded *recorded)
{
    bool holds = true;
    uint64_t steps = first_steps(recorded);
    for (uint64_t cut = 0; cut <= steps && holds; cut++)
        for (uint64_t seed = 0; seed < FIRST_SEEDS && holds; seed++)
            holds = judge_state(this, recorded, cut, DISK_TORN, this->options->seed + seed);
    return holds;
}

/* Right after each checkpoint and interval had answered: what they promised is there, though nothing later was synced. */
static bool judge_promises(const struct crash_case *this, const struct recorded *recorded)
{
    const struct book *book = recorded->book;
    bool holds = true;
    for (size_t i = 0; i < book->promise_count && i < PROMISES_MOST && holds; i++)
        holds = judge_state(this, recorded, book->promises[i].at - 1, DISK_NOTHING, 1);
    return holds;
}

/* A step before a sync, where most is still to arrive; every other one is any step. */
static uint64_t choose_cut(const struct recorded *recorded, struct rng *rng, uint64_t number)
{
    uint64_t length = recorded->log->length, at = rng_below(rng, length + 1);
    for (uint64_t i = at; number % 2 && i < length; i++)
        if (recorded->log->records[i].kind == DISK_SYNC)
            return i;
    return at;
}

static bool judge_states(const struct crash_case *this, const struct recorded *recorded)
{
    uint64_t length = recorded->log->length, states = this->options->states;
    struct rng rng;
    bool holds = true;
    rng_seed(&rng, recorded->request.load.seed, 31 + recorded->request.sync);
    for (uint64_t i = 0; states != UINT64_MAX && i < states && holds; i++)
        holds = judge_state(this, recorded, choose_cut(recorded, &rng, i / DISK_ARRIVALS),
                            (enum disk_arrival)(i % DISK_ARRIVALS), rng_next(&rng));
    for (uint64_t cut = 0; states == UINT64_MAX && cut <= length && holds; cut++)
        for (int arrival = 0; arrival < DISK_ARRIVALS && holds; arrival++)
            holds = judge_state(this, recorded, cut, (enum disk_arrival)arrival, rng_next(&rng));
    return holds;
}

/* Right after a file went or got another name: what stood in it stands elsewhere by then. */
static bool judge_removals(const struct crash_case *this, const struct recorded *recorded)
{
    const struct disk_log *log = recorded->log;
    bool holds = true;
    for (uint64_t i = 0, met = 0; i < log->length && met < REMOVALS_MOST && holds; i++)
        if (log->records[i].kind == DISK_UNLINK || log->records[i].kind == DISK_RENAME) {
            holds = judge_state(this, recorded, i + 1, DISK_NAMES, 1);
            met++;
        }
    return holds;
}

/* The store as the first loss of power left it, and a record of its recovery that begins with that. */
static bool again_run(const struct crash_case *this, struct recorded *again,
                      const struct recorded *recorded, uint64_t cut, enum disk_arrival arrival)
{
    char where[200];
    struct disk_log *before = *disk_layer();
    *disk_layer() = again->log;
    bool made = disk_state_make(recorded->log, cut, arrival, this->options->seed, again->directory);
    *disk_layer() = before;
    disk_log_settle(again->log, cut + 1);
    book_turn_back(again->book, (uint32_t)cut + 1);
    crash_prepare(again->book, again->request.producers);
    again->book->disk_length = &again->log->length;
    again->book->disk_lock = &again->log->lock;
    again->first = again->log->length;
    snprintf(where, sizeof where, "power lost after %" PRIu64 " steps of the disk: %s; then", cut,
             disk_arrival_words(arrival));
    if (!made)
        crash_broken(this, CRASH_POWER, "failed", "%s no state of the disk was made", where);
    return made && recorded_run_to(this, again, DRIVE_FINISHED, where);
}

/* Power is lost there, and lost again while the store recovers or, unless `soon`, goes on. */
static bool judge_again(const struct crash_case *this, const struct recorded *recorded,
                        uint64_t cut, enum disk_arrival arrival, bool soon, struct rng *rng)
{
    struct recorded again = {.log = NULL};
    bool holds = recorded_make(this, recorded->request.sync, TASKS, recorded->request.load.seed,
                               "again", &again);
    memcpy(again.book, recorded->book, book_bytes(recorded->book));
    holds = holds && again_run(this, &again, recorded, cut, arrival);
    if (holds && again.log->overflow == 0) {
        uint64_t steps = again.log->length - again.first;
        if (soon && steps > AGAIN_STEPS)
            steps = AGAIN_STEPS;
        holds = judge_state(this, &again, again.first + rng_below(rng, steps + 1),
                            (enum disk_arrival)rng_below(rng, DISK_ARRIVALS), rng_next(rng));
    }
    recorded_free(&again);
    return holds;
}

/* While it is made, at each step; later at some. */
static bool judge_recoveries(const struct crash_case *this, const struct recorded *recorded)
{
    uint64_t most = this->options->states == UINT64_MAX ? 10 * AGAIN : AGAIN;
    uint64_t steps = recorded->request.sync == TW_SYNC_ALWAYS ? first_steps(recorded) : 0;
    struct rng rng;
    bool holds = true;
    rng_seed(&rng, recorded->request.load.seed, 71 + recorded->request.sync);
    for (uint64_t cut = 1; cut <= steps && cut <= AGAIN_FIRST && holds; cut++)
        holds = judge_again(this, recorded, cut, DISK_NAMES, false, &rng);
    for (uint64_t i = 0; i < most && holds; i++)
        holds = judge_again(this, recorded, choose_cut(recorded, &rng, i),
                            (enum disk_arrival)rng_below(&rng, DISK_ARRIVALS), i % 2, &rng);
    return holds;
}

/* All is put before anything is due, into one file of the usual size or many small ones, and killed under none; opened under
 * this policy, a checkpoint makes all of before durable, and what always and group acknowledge behind it is. */
static bool crash_change(const struct crash_case *this, enum tw_sync_policy sync, bool is_small)
{
    struct recorded recorded = {.log = NULL};
    if (!(this->store->policies & 1u << TW_SYNC_NONE))
        return true;
    bool holds = recorded_make(this, TW_SYNC_NONE, TASKS, this->options->seed, "change", &recorded);
    struct book *book = recorded.book;
    recorded.request.load.arrivals_ms = book->load.arrivals_ms = 1;
    recorded.request.settings = is_small ? this->small : this->options->settings;
    recorded.request.setting_count = is_small ? this->small_count : this->options->setting_count;
    recorded.request.measures_recovery = true;
    holds = holds && recorded_run_to(this, &recorded, DRIVE_FILLED, "killed under none");
    recorded.request.measures_recovery = false;
    recorded.request.sync = book->sync = sync;
    atomic_store(&book->wants_checkpoint, 1);
    holds = holds && recorded_run_to(this, &recorded, DRIVE_FINISHED,
                                     "opened under another policy than none, and a checkpoint");
    holds = holds && judge_promises(this, &recorded);
    uint64_t first = holds ? book->promises[0].at : 0, length = recorded.log->length;
    for (uint64_t i = 1; i <= CHANGE_STEPS && holds && sync <= TW_SYNC_GROUP; i++)
        holds = judge_state(this, &recorded, first + (length - first) * i / CHANGE_STEPS,
                            DISK_NOTHING, 1);
    recorded_free(&recorded);
    return holds;
}

static bool prove_power(const struct crash_case *this, enum tw_sync_policy sync)
{
    struct recorded recorded = {.log = NULL};
    bool holds = recorded_make(this, sync, TASKS, this->options->seed, "disk", &recorded);
    recorded.request.measures_recovery = true;
    holds =
        holds && recorded_run_to(this, &recorded, DRIVE_FILLED, "the run whose disk is recorded");
    recorded.request.measures_recovery = false;
    holds =
        holds && recorded_run_to(this, &recorded, DRIVE_FINISHED, "the run whose disk is recorded");
    if (holds && recorded.log->overflow > 0)
        crash_broken(this, CRASH_POWER, "failed", "the record of the disk has no room");
    if (!this->report->is_broken && check_record(this, &recorded))
        holds = (sync != TW_SYNC_ALWAYS || judge_first_steps(this, &recorded)) &&
                (sync < TW_SYNC_INTERVAL || judge_promises(this, &recorded)) &&
                judge_removals(this, &recorded) && judge_states(this, &recorded) &&
                judge_recoveries(this, &recorded);
    recorded_free(&recorded);
    return !this->report->is_broken;
}

bool crash_power(const struct crash_case *this, enum tw_sync_policy sync)
{
    return prove_power(this, sync) &&
           (this->report->skipped ||
            (crash_recorded_scenes(this, CRASH_POWER, sync) && crash_change(this, sync, false) &&
             crash_change(this, sync, true)));
}

/* ---- Disks that fail. ------------------------------------------------------------------------- */

static const struct {
    const char *words;
    uint32_t fault;
    int error;
    int64_t count;
    bool half;
} faults[] = {
    {"the disk is full", DISK_FAIL_ALL, ENOSPC, INT64_MAX, false},
    {"the disk is full for three writes", DISK_FAIL_WRITE, ENOSPC, 3, false},
    {"the disk is full in the middle of a write", DISK_FAIL_WRITE, ENOSPC, 3, true},
    {"the disk may not be written", DISK_FAIL_ALL, EROFS, INT64_MAX, false},
    {"one write fails with EIO", DISK_FAIL_WRITE, EIO, 1, false},
    {"each write does half of its work", DISK_SHORT_WRITE, 0, INT64_MAX, false},
    {"one sync fails with EIO", DISK_FAIL_SYNC, EIO, 1, false},
    {"one of two syncs at once fails with EIO", DISK_FAIL_BESIDE, EIO, 1, false},
    {"every sync fails with EIO", DISK_FAIL_SYNC, EIO, INT64_MAX, false},
    {"one read fails with EIO", DISK_FAIL_READ, EIO, 1, false},
    {"one read fails with EIO, of those of the open behind a kill", DISK_FAIL_READ, EIO, 1, true},
    {"each read of the open behind a kill gives half", DISK_SHORT_READ, 0, INT64_MAX, true},
    {"three writes are interrupted by a signal", DISK_FAIL_WRITE, EINTR, 3, false},
};

#define FAULTS (sizeof faults / sizeof *faults)

/* After a sync that failed, nothing that it was to cover may be believed: power is lost at the end of the run, and soon
 * after that sync, as what is synced later may hide it. */
static bool judge_failed_sync(const struct crash_case *this, const struct recorded *recorded)
{
    const struct disk_log *log = recorded->log;
    uint64_t length = log->length, cut = 0;
    bool holds = judge_state(this, recorded, length, DISK_NOTHING, 1) &&
                 judge_state(this, recorded, length, DISK_TORN, this->options->seed);
    while (cut < length && log->records[cut].kind != DISK_SYNC_FAILED)
        cut++;
    for (uint64_t end = cut + SYNC_STEPS; holds && cut < end && ++cut < length;)
        holds = judge_state(this, recorded, cut, DISK_NOTHING, 1);
    return holds;
}

/* The run, on the disk that fails from the beginning or, `late`, from an open behind a kill on. */
static bool run_on_fault(struct recorded *recorded, bool late, char *reason, size_t size)
{
    int ended = DRIVE_FINISHED;
    uint32_t fault = recorded->log->fault;
    if (late) {
        recorded->log->fault = DISK_SOUND;
        recorded->request.measures_recovery = true;
        if (!recorded_run(recorded, &ended, reason, size))
            return false;
        recorded->request.measures_recovery = false;
        recorded->log->fault = fault;
    }
    return recorded_run(recorded, &ended, reason, size);
}

static bool prove_fault(const struct crash_case *this, enum tw_sync_policy sync, size_t which,
                        uint64_t seed)
{
    struct recorded recorded = {.log = NULL};
    char reason[300] = "", where[300];
    struct rng rng;
    /* Where a full disk has room again, files of before come and go. */
    uint32_t fault = faults[which].fault;
    bool filled = fault == DISK_FAIL_WRITE && faults[which].error == ENOSPC && !faults[which].half;
    bool holds = recorded_make(this, sync, filled ? FULL_TASKS : TASKS, seed, "disk", &recorded);
    bool reads = fault == DISK_FAIL_READ || fault == DISK_SHORT_READ;
    bool syncs = fault == DISK_FAIL_SYNC || fault == DISK_FAIL_BESIDE;
    rng_seed(&rng, seed, 53 + which);
    if (holds) {
        recorded.request.insists = true;
        recorded.request.load.hot_permille = recorded.book->load.hot_permille = 700;
        recorded.log->fault = fault;
        recorded.log->sync_us = fault == DISK_FAIL_BESIDE ? BESIDE_US : 0;
        recorded.log->fault_errno = faults[which].error;
        bool soon = fault == DISK_FAIL_BESIDE || rng_below(&rng, 4) == 0;
        recorded.log->fault_after = (int64_t)rng_below(&rng, soon ? 8 : 60);
        recorded.log->fault_count = faults[which].count;
        recorded.log->fault_half = faults[which].half && !reads;
        snprintf(where, sizeof where,
                 "under %s, seed %" PRIu64 ": %s, after %" PRIi64 " calls that went well",
                 durable_sync_name(sync), seed, faults[which].words, recorded.log->fault_after);
        holds = run_on_fault(&recorded, reads && faults[which].half, reason, sizeof reason);
        /* A library that ends the process loses no more than a kill does; it is counted and said. */
        bool aborted = !holds && strstr(reason, "signal 6");
        this->report->aborts += aborted;
        if (!holds && !aborted)
            crash_broken(this, CRASH_ERRORS, "crashed", "%s: %s", where, reason);
        recorded.fault = faults[which].words;
        holds = (holds || aborted) &&
                (recorded.log->faults == 0 || !syncs || judge_failed_sync(this, &recorded));
        /* What the store acknowledged is there when the disk is sound again. */
        recorded.book->is_power = false;
        crash_prepare(recorded.book, recorded.request.producers);
        holds = holds && crash_judge(this, CRASH_ERRORS, &recorded.request, recorded.directory,
                                     recorded.book, where);
        this->report->errors += recorded.log->faults > 0;
    }
    recorded_free(&recorded);
    return holds;
}

bool crash_errors(const struct crash_case *this, enum tw_sync_policy sync)
{
    uint64_t rounds = this->options->states == UINT64_MAX ? 20 : 5;
    bool holds = crash_recorded_scenes(this, CRASH_ERRORS, sync);
    for (uint64_t round = 0; round < rounds && holds; round++)
        for (size_t i = 0; i < FAULTS && holds; i++)
            holds = prove_fault(this, sync, i, this->options->seed + round);
    return holds;
}
