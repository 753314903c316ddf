/* durable_run.c - the parent of a durable run: opens the store in child after child, and ends them. */
#include "labs/durable/drive/durable_run.h"

#include "harness/base/clock.h"
#include "harness/base/isolate.h"
#include "harness/base/rng.h"
#include "labs/durable/drive/drive.h"
#include "labs/durable/drive/footing.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Longest wait at random behind a moment, in nanoseconds: what a put with a sync takes. */
#define JITTER_NS 400000u
/* Until a client has found out that its server was killed. */
#define PATIENCE_NS UINT64_C(60000000000)

struct endurance {
    const struct durable_request *request;
    const struct interrupt *interrupt;
    struct durable_report *report;
    struct book *book;
    char directory[PATH_MAX]; /* of the store */
    uint64_t deadline_ns;
    uint64_t kills_left;
    bool is_cut; /* over before all was handed out, as asked */
    struct rng rng;
};

/* A child that works, and how it is to be ended. */
struct worker {
    pid_t pid;
    int alarm; /* readable when the alarm rings */
    int pidfd;
    int said;          /* its output; -1: nobody looks */
    char printed[160]; /* that there was some */
    uint64_t begin_ns, memory_kills;
    bool hangs; /* its server was killed, and it did not find out */
    enum durable_moment moment;
    enum durable_victim victim;
    bool is_to_be_killed;
};

const char *durable_end_name(enum durable_end end)
{
    static const char *const names[DURABLE_ENDS] = {"ok",     "mismatch", "absent",  "unsupported",
                                                    "failed", "timeout",  "crashed", "interrupted"};
    return names[end];
}

const char *durable_sync_name(enum tw_sync_policy sync)
{
    static const char *const names[] = {"always", "group", "interval", "none"};
    return names[sync];
}

uint64_t durable_kills(const struct durable_report *report)
{
    uint64_t kills = 0;
    for (size_t i = 0; i < (size_t)DURABLE_VICTIMS * DURABLE_MOMENTS; i++)
        kills += report->figures.kills[i / DURABLE_MOMENTS][i % DURABLE_MOMENTS];
    return kills;
}

bool durable_said(int said, char *reason, size_t size)
{
    char text[100];
    ssize_t length = said >= 0 ? pread(said, text, sizeof text - 1, 0) : 0;
    if (length <= 0)
        return false;
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    snprintf(reason, size, "it printed '%s'; expected nothing", text);
    return true;
}

/* ---- Children. -------------------------------------------------------------------------------- */

static bool worker_begin(const struct durable_request *request, const char *directory,
                         struct book *book, struct worker *worker)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    /* What a server prints is its own. */
    bool is_silent = !(request->store->flags & TW_STORE_SERVER);
    worker->said = is_silent ? memfd_create("said", MFD_CLOEXEC) : ISOLATE_NOWHERE;
    struct isolate isolate = {
        .memory_bytes = request->memory_bytes, .out_fd = ends[1], .err_fd = worker->said};
    fflush(NULL);
    atomic_store(&book->stage, BOOK_OPENING);
    if (book->disk_lock)
        atomic_store(book->disk_lock, 0); /* of a process that was killed */
    worker->begin_ns = isolate_now_ns();
    worker->memory_kills = isolate_memory_kills();
    worker->pid = isolate_fork(&isolate);
    if (worker->pid == 0) {
        /* A server that the store starts is not to have the alarm as its output. */
        int alarm = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        enum drive_end end = drive(request, directory, book, alarm);
        if (end == DRIVE_FILLED && alarm >= 0) {
            /* A thread of the store is ended between two calls, and leaves no lock that nobody gives back. */
            while (book->disk_lock && atomic_exchange(book->disk_lock, 1))
                sched_yield();
            (void)!write(alarm, "F", 1);
            pause();
        }
        _exit((int)end);
    }
    close(ends[1]);
    worker->alarm = ends[0];
    worker->pidfd = worker->pid > 0 ? isolate_pidfd(worker->pid) : -1;
    return worker->pid > 0;
}

/* All that the store started goes with it. */
static int worker_end(struct worker *worker)
{
    int status;
    isolate_end(worker->pid, &status);
    isolate_sweep(worker->begin_ns, NULL, 0);
    close(worker->alarm);
    if (worker->pidfd >= 0)
        close(worker->pidfd);
    durable_said(worker->said, worker->printed, sizeof worker->printed);
    if (worker->said >= 0)
        close(worker->said);
    return status;
}

enum waited { WAITED_END, WAITED_ALARM, WAITED_TIMEOUT, WAITED_INTERRUPT };

/* Until the child ends, its alarm rings, the deadline or an interrupt. */
static enum waited worker_wait(const struct worker *worker, uint64_t deadline_ns,
                               const struct interrupt *interrupt)
{
    struct pollfd files[] = {{.fd = worker->pidfd, .events = POLLIN},
                             {.fd = worker->alarm, .events = POLLIN},
                             {.fd = interrupt ? interrupt->fd : -1, .events = POLLIN}};
    char byte;
    for (;;) {
        uint64_t now = clock_read_ns(CLOCK_MONOTONIC);
        uint64_t left = deadline_ns > now ? (deadline_ns - now) / 1000000 + 1 : 0;
        if (left == 0)
            return WAITED_TIMEOUT;
        if (poll(files, 3, left > 60000 ? 60000 : (int)left) <= 0)
            continue;
        if (files[2].revents)
            return WAITED_INTERRUPT;
        if (files[1].revents & POLLIN && read(worker->alarm, &byte, 1) == 1)
            return WAITED_ALARM;
        if (files[0].revents)
            return WAITED_END;
        if (files[1].revents & POLLHUP)
            files[1].fd = -1;
    }
}

bool durable_open_once(const struct durable_request *request, const char *store_directory,
                       struct book *book, uint64_t budget_ns, int *ended, char *reason,
                       size_t reason_size)
{
    struct worker worker = {0};
    bool may_be_memory;
    if (!worker_begin(request, store_directory, book, &worker)) {
        snprintf(reason, reason_size, "no child: %s", strerror(errno));
        return false;
    }
    enum waited waited = WAITED_ALARM;
    while (waited == WAITED_ALARM && atomic_load(&book->stage) != BOOK_FILLED)
        waited = worker_wait(&worker, clock_read_ns(CLOCK_MONOTONIC) + budget_ns, NULL);
    int status = worker_end(&worker);
    if (waited == WAITED_ALARM) {
        *ended = DRIVE_FILLED;
        return true;
    }
    if (waited == WAITED_TIMEOUT)
        snprintf(reason, reason_size, "did not end within %.1f s", (double)budget_ns / 1e9);
    else if (WIFSIGNALED(status))
        isolate_explain_signal(WTERMSIG(status), isolate_memory_kills() - worker.memory_kills,
                               &may_be_memory, reason, reason_size);
    else
        *ended = WEXITSTATUS(status);
    bool ended_well = waited == WAITED_END && WIFEXITED(status);
    if (ended_well && worker.printed[0])
        snprintf(reason, reason_size, "%s", worker.printed);
    return ended_well && !worker.printed[0];
}

/* ---- Moments. --------------------------------------------------------------------------------- */

/* Steps that are still to come, about: each message is put and handed out. */
static uint64_t steps_left(const struct book *book)
{
    uint64_t all = 2 * book->load.tasks, past = atomic_load(&book->steps);
    return all > past ? all - past : 1;
}

/* What the store can be ended by: its server is there only once it is open. */
static void choose_end(struct endurance *endurance, struct worker *worker)
{
    struct book *book = endurance->book;
    uint64_t draw = rng_below(&endurance->rng, 8);
    bool has_server = endurance->request->store->flags & TW_STORE_SERVER;
    worker->is_to_be_killed = endurance->kills_left > 0;
    worker->moment = draw == 0 && book->incarnation > 0 ? DURABLE_OPENING
                     : draw == 1                        ? DURABLE_CHECKPOINT
                                                        : DURABLE_WORKING;
    worker->victim = has_server && worker->moment != DURABLE_OPENING
                         ? (enum durable_victim)rng_below(&endurance->rng, DURABLE_VICTIMS)
                         : DURABLE_CLIENT;
    /* On average as far apart as kills divide what is left. */
    uint64_t life = steps_left(book) / (endurance->kills_left + 1);
    uint32_t at = atomic_load(&book->steps) + 1;
    at += (uint32_t)rng_below(&endurance->rng, 2 * life + 1);
    atomic_store(&book->wants_checkpoint, 0);
    atomic_store(&book->alarm, 0);
    if (worker->is_to_be_killed && worker->moment == DURABLE_WORKING)
        atomic_store(&book->alarm, at);
    if (worker->is_to_be_killed && worker->moment == DURABLE_CHECKPOINT)
        atomic_store(&book->wants_checkpoint, 1);
}

/* Between 0 and what the step takes, as far as that is known. */
static void wait_at_random(struct endurance *endurance, uint64_t takes_ns)
{
    uint64_t most = takes_ns > 0 ? takes_ns : JITTER_NS;
    usleep((unsigned)(rng_below(&endurance->rng, most + most / 4) / 1000));
}

static bool has_ended(const struct worker *worker)
{
    struct pollfd end = {.fd = worker->pidfd, .events = POLLIN};
    return poll(&end, 1, 0) > 0;
}

/* Some moment of the open, or right behind it: the last open may have been longer, as it made a cluster. */
static void wait_opening(struct endurance *endurance, const struct worker *worker)
{
    uint64_t takes_ns = endurance->book->opening_ns + 1000000,
             begin = clock_read_ns(CLOCK_MONOTONIC);
    uint64_t end = begin + rng_below(&endurance->rng, takes_ns + takes_ns / 4);
    while (clock_read_ns(CLOCK_MONOTONIC) < end && !has_ended(worker) &&
           atomic_load(&endurance->book->stage) == BOOK_OPENING)
        usleep(20);
}

/* Ends what is to be ended; false when it has come to its end before.  When the server alone goes, the client finds out and ends
 * by itself. */
static bool strike(struct endurance *endurance, struct worker *worker)
{
    struct book *book = endurance->book;
    if (has_ended(worker))
        return false;
    if (worker->victim != DURABLE_CLIENT && book->server > 0)
        kill((pid_t)book->server, SIGKILL);
    if (worker->victim == DURABLE_SERVER && book->server > 0) {
        uint64_t patience = clock_read_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
        enum waited waited = WAITED_ALARM;
        while (waited == WAITED_ALARM)
            waited = worker_wait(worker, patience, endurance->interrupt);
        worker->hangs = waited == WAITED_TIMEOUT;
    }
    kill(worker->pid, SIGKILL);
    book->figures.kills[worker->victim][worker->moment]++;
    endurance->kills_left--;
    return true;
}

/* ---- The run. --------------------------------------------------------------------------------- */

static void set_end(struct endurance *endurance, enum durable_end end, const char *reason)
{
    struct durable_report *report = endurance->report;
    report->end = end;
    snprintf(report->reason, sizeof report->reason, "%s", reason);
}

/* False when the run is over. */
static bool judge_end(struct endurance *endurance, const struct worker *worker, int status,
                      bool was_struck)
{
    struct book *book = endurance->book;
    char reason[300];
    bool may_be_memory;
    if (was_struck)
        return true;
    if (WIFSIGNALED(status)) {
        isolate_explain_signal(WTERMSIG(status), isolate_memory_kills() - worker->memory_kills,
                               &may_be_memory, reason, sizeof reason);
        set_end(endurance, DURABLE_CRASHED, reason);
    } else if (worker->printed[0] && endurance->request->counts) {
        set_end(endurance, DURABLE_FAILED, worker->printed);
    } else if (WEXITSTATUS(status) == DRIVE_SERVED && endurance->request->is_cold &&
               !book->is_cold) {
        book->is_cold = footing_forget(endurance->directory);
        if (book->is_cold)
            return true;
        set_end(endurance, DURABLE_FAILED,
                "--cold: the page cache keeps the files; expected a directory on a disk");
    } else if (WEXITSTATUS(status) == DRIVE_FINISHED || WEXITSTATUS(status) == DRIVE_SERVED) {
        endurance->is_cut = WEXITSTATUS(status) == DRIVE_SERVED;
        set_end(endurance, DURABLE_OK, "");
    } else {
        enum durable_end end = WEXITSTATUS(status) == DRIVE_ABSENT    ? DURABLE_ABSENT
                               : WEXITSTATUS(status) == DRIVE_REFUSED ? DURABLE_UNSUPPORTED
                                                                      : DURABLE_FAILED;
        set_end(endurance, end, book->failure[0] ? book->failure : "exited by itself");
    }
    return false;
}

/* The child is let work until it ends or its moment comes.  False when the run is over. */
static bool live_once(struct endurance *endurance)
{
    struct worker worker = {0};
    struct book *book = endurance->book;
    bool was_struck = false;
    if (book->incarnation > 0)
        book_settle(book);
    choose_end(endurance, &worker);
    if (!worker_begin(endurance->request, endurance->directory, book, &worker)) {
        set_end(endurance, DURABLE_FAILED, "no process for a child");
        return false;
    }
    enum waited waited = WAITED_ALARM;
    if (worker.is_to_be_killed && worker.moment == DURABLE_OPENING) {
        wait_opening(endurance, &worker);
    } else {
        waited = worker_wait(&worker, endurance->deadline_ns, endurance->interrupt);
        if (waited == WAITED_ALARM && atomic_load(&book->stage) != BOOK_FILLED)
            wait_at_random(endurance,
                           worker.moment == DURABLE_CHECKPOINT ? book->checkpoint_ns : 0);
    }
    if (waited == WAITED_ALARM && atomic_load(&book->stage) == BOOK_FILLED) {
        book->figures.disk_bytes = footing_disk_bytes(endurance->directory);
        kill(worker.pid, SIGKILL);
        was_struck = true;
    } else if (waited == WAITED_ALARM) {
        was_struck = strike(endurance, &worker);
    }
    int status = worker_end(&worker);
    if (worker.hangs || waited == WAITED_TIMEOUT || waited == WAITED_INTERRUPT) {
        bool is_over = worker.hangs || waited == WAITED_TIMEOUT;
        set_end(endurance, is_over ? DURABLE_TIMEOUT : DURABLE_INTERRUPTED,
                worker.hangs ? "its server was killed, and a call did not return within 60 s"
                : is_over    ? "the budget ended before the last message: too many --tasks, or a "
                               "call that did not return"
                             : "interrupted");
        return false;
    }
    return judge_end(endurance, &worker, status, was_struck);
}

/* The open after the kill when all was put is the one whose recovery is the figure. */
static void note_recovery(struct endurance *endurance, uint64_t opens_before, bool was_filled,
                          bool was_cold)
{
    struct book *book = endurance->book;
    if (was_cold && book->figures.opens == opens_before + 1)
        book->figures.cold_recovery_ns = book->opening_ns;
    if (!was_filled || book->figures.opens != opens_before + 1 || book->figures.recovery_ns)
        return;
    book->figures.recovery_ns = book->opening_ns;
    book->figures.recovered = book->description.recovered;
}

static void sum_payloads(struct book *book)
{
    for (uint64_t i = 0; i < book->load.tasks; i++)
        if (book->entries[i].handed)
            book->figures.payload_bytes += durable_load_message(&book->load, i).size;
}

static void judge(struct endurance *endurance)
{
    struct book *book = endurance->book;
    struct durable_report *report = endurance->report;
    sum_payloads(book);
    report->figures = book->figures;
    report->description = book->description;
    report->stats = book->stats;
    report->ledger = book_judge(book);
    if (report->end != DURABLE_OK || endurance->is_cut) {
        report->ledger.pending = report->ledger.lost;
        report->ledger.lost = 0;
    }
    if (report->end == DURABLE_OK && !(endurance->request->store->flags & TW_STORE_KEEPS_NOTHING) &&
        book_is_broken(&report->ledger)) {
        report->end = DURABLE_MISMATCH;
        book_explain(book, &report->ledger, report->reason, sizeof report->reason);
    }
    if (endurance->request->store->flags & TW_STORE_KEEPS_NOTHING)
        report->ledger = (struct durable_ledger){.acknowledged = report->ledger.acknowledged};
}

void durable_run(const struct durable_request *request, const struct interrupt *interrupt,
                 struct durable_report *report)
{
    struct endurance endurance = {.request = request, .interrupt = interrupt, .report = report};
    struct durable_request whole = *request;
    *report = (struct durable_report){.end = DURABLE_OK};
    if (!(request->store->policies & 1u << request->sync)) {
        report->end = DURABLE_UNSUPPORTED;
        snprintf(report->reason, sizeof report->reason, "%s cannot keep the policy %s",
                 request->store->name, durable_sync_name(request->sync));
        return;
    }
    if (request->store->flags & (TW_STORE_IN_MEMORY | TW_STORE_KEEPS_NOTHING)) {
        whole.kills = 0;
        whole.measures_recovery = whole.is_cold = false;
    }
    endurance.request = &whole;
    endurance.book = book_make(&request->load);
    endurance.book->sync = request->sync;
    endurance.book->is_exact = request->store->flags & TW_STORE_EXACT;
    endurance.kills_left = whole.kills;
    endurance.deadline_ns = clock_read_ns(CLOCK_MONOTONIC) + request->budget_ns;
    rng_seed(&endurance.rng, request->load.seed, 77);
    snprintf(endurance.directory, sizeof endurance.directory, "%s/store", request->directory);
    bool goes_on = true, was_filled = false;
    while (goes_on) {
        uint64_t opens = endurance.book->figures.opens;
        bool was_cold = endurance.book->is_cold;
        goes_on = live_once(&endurance);
        note_recovery(&endurance, opens, was_filled, was_cold);
        was_filled = atomic_load(&endurance.book->stage) == BOOK_FILLED;
    }
    judge(&endurance);
    book_free(endurance.book);
}
