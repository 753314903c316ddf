/* flips.c - turns one bit of a store's files round, and looks at what is served. */
#include "labs/durable/crash/crash.h"

#include "harness/base/rng.h"
#include "labs/durable/drive/drive.h"
#include "labs/durable/drive/footing.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#define TASKS     120u
#define BUDGET_NS UINT64_C(60000000000)
#define FILES_MAX 64

struct flip {
    char name[256];
    uint64_t offset;
    unsigned bit;
};

/* A bit of a file that is not empty, each file as likely; false when there is none. */
static bool flip_choose(const char *directory, struct rng *rng, struct flip *flip)
{
    char names[FILES_MAX][256], path[PATH_MAX + 300];
    uint64_t sizes[FILES_MAX];
    size_t count = 0;
    struct stat info;
    DIR *entries = opendir(directory);
    for (const struct dirent *entry; entries && (entry = readdir(entries)) && count < FILES_MAX;) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
            continue;
        snprintf(names[count], sizeof names[count], "%.255s", entry->d_name);
        sizes[count++] = (uint64_t)info.st_size;
    }
    if (entries)
        closedir(entries);
    if (count == 0)
        return false;
    size_t at = rng_below(rng, count);
    snprintf(flip->name, sizeof flip->name, "%.255s", names[at]);
    flip->offset = rng_below(rng, sizes[at]);
    flip->bit = (unsigned)rng_below(rng, 8);
    return true;
}

static bool flip_do(const char *directory, const struct flip *flip)
{
    char path[PATH_MAX + 300];
    unsigned char byte;
    snprintf(path, sizeof path, "%s/%s", directory, flip->name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool done = fd >= 0 && pread(fd, &byte, 1, (off_t)flip->offset) == 1;
    byte = done ? (unsigned char)(byte ^ 1u << flip->bit) : 0;
    done = done && pwrite(fd, &byte, 1, (off_t)flip->offset) == 1;
    if (fd >= 0)
        close(fd);
    return done;
}

/* What may be lost is what open has named. */
static bool judge_flip(const struct crash_case *this, const struct durable_request *request,
                       const char *directory, struct book *book, const char *where)
{
    struct crash_report *report = this->report;
    char reason[300] = "", defects[300];
    int ended = DRIVE_BROKE;
    report->flips++;
    if (!durable_open_once(request, directory, book, BUDGET_NS, &ended, reason, sizeof reason)) {
        crash_broken(this, CRASH_FLIPS, "crashed", "%s; then: %s", where, reason);
        return false;
    }
    if (!request->is_deaf)
        crash_count_damage(this, CRASH_FLIPS, book, where);
    struct durable_ledger ledger = book_judge(book);
    bool named = request->is_deaf || book->figures.damaged > 0 || ended != DRIVE_FINISHED;
    report->flips_refused += ended != DRIVE_FINISHED;
    report->flips_named += book->figures.damaged > 0;
    /* Who refuses serves nothing, and loses nothing; else no more is lost than was named. */
    uint64_t most =
        request->is_deaf || ended != DRIVE_FINISHED ? UINT64_MAX : book->figures.damaged_lost;
    if (named)
        ledger.twice = ledger.late = ledger.out_of_order = 0;
    if (named && ledger.lost <= most)
        ledger.lost = 0;
    book_explain(book, &ledger, defects, sizeof defects);
    report->flips_silent += ledger.lost > 0;
    if (!(this->store->flags & TW_STORE_FINDS_DAMAGE))
        ledger.lost = ledger.twice = ledger.late = ledger.out_of_order = 0;
    if (book_is_broken(&ledger))
        crash_broken(this, CRASH_FLIPS, ledger.changed ? "changed" : "lost", "%s: %s%s", where,
                     defects,
                     named ? "; less was named as damaged" : "; nothing was named as damaged");
    return !report->is_broken;
}

static bool prove_flip(const struct crash_case *this, const struct durable_request *request,
                       const char *filled, const struct book *before, struct rng *rng)
{
    char directory[PATH_MAX], where[400];
    struct flip flip;
    struct book *book = crash_copy(before);
    snprintf(directory, sizeof directory, "%s/flipped", this->options->directory);
    bool holds = flip_choose(filled, rng, &flip) && footing_copy(filled, directory) &&
                 flip_do(directory, &flip);
    if (!holds) {
        crash_broken(this, CRASH_FLIPS, "failed", "no bit could be flipped in %s", filled);
    } else {
        snprintf(where, sizeof where, "bit %u of byte %" PRIu64 " of %s was flipped", flip.bit,
                 flip.offset, flip.name);
        crash_prepare(book, request->producers);
        holds = judge_flip(this, request, directory, book, where);
    }
    footing_remove(directory);
    book_free(book);
    return holds;
}

/* A store in which all is pending, and what was put. */
struct filling {
    struct book *book;
    char directory[PATH_MAX];
};

/* `rests`: closed in order, as with a log that has been copied to where it belongs; else killed while it was open. */
static bool filling_make(const struct crash_case *this, const struct durable_request *request,
                         bool rests, struct filling *filling)
{
    struct durable_request filled = *request;
    char reason[300] = "";
    int ended = DRIVE_BROKE;
    filled.measures_recovery = !rests;
    filled.no_drain = rests;
    filling->book = book_make(&request->load);
    snprintf(filling->directory, sizeof filling->directory, "%s/%s", this->options->directory,
             rests ? "rested" : "filled");
    filling->book->is_exact = this->store->flags & TW_STORE_EXACT;
    bool is_made = durable_open_once(&filled, filling->directory, filling->book, BUDGET_NS, &ended,
                                     reason, sizeof reason) &&
                   ended == (rests ? DRIVE_SERVED : DRIVE_FILLED);
    if (!is_made)
        crash_broken(this, CRASH_FLIPS, "failed", "filling: %s",
                     reason[0] ? reason : filling->book->failure);
    return is_made;
}

bool crash_flips(const struct crash_case *this)
{
    struct durable_request request =
        crash_request(this, TW_SYNC_ALWAYS, TASKS, this->options->seed);
    /* In many files, the first of which are gone. */
    request.settings = this->small;
    request.setting_count = this->small_count;
    request.load.span_ms = UINT64_C(36000000);
    struct durable_request flipped = request;
    flipped.insists = true;
    struct filling fillings[2] = {{.book = NULL}};
    struct rng rng;
    bool holds = true;
    rng_seed(&rng, this->options->seed, 91);
    for (size_t i = 0; i < 2 && holds; i++)
        holds = filling_make(this, &request, i == 1, &fillings[i]);
    for (uint64_t i = 0, n = this->options->flips; i < n + n / 8 && holds; i++) {
        flipped.is_deaf = i >= n; /* nobody listens to what is damaged */
        holds = prove_flip(this, &flipped, fillings[i % 2].directory, fillings[i % 2].book, &rng);
    }
    for (size_t i = 0; i < 2; i++) {
        footing_remove(fillings[i].directory);
        book_free(fillings[i].book);
    }
    return holds;
}
