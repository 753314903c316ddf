/* trial.c - loads a plugin in a child first, and says what went wrong. */
#include "harness/plan/trial.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS     10000
#define MEMORY_BYTES ((uint64_t)4 << 30)
#define FDS_MAX      256
#define SIGNALS_MAX  65
#define NAME_MAX_    (TRIAL_NAME - 1) /* of a design or a parameter */
#define PARAMS_MAX   32

/* ---- The table ------------------------------------------------------------------------------- */

/* A name goes into command lines, file names, CSV and JSON. */
static bool name_is_good(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    static const char others[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    size_t length = strnlen(name, NAME_MAX_ + 1);
    return length > 0 && length <= NAME_MAX_ && strchr(letters, name[0]) &&
           strspn(name, others) == length;
}

static int check_functions(const char *path, const struct tw_backend *table, struct diag *diag)
{
    const struct {
        const char *name;
        bool is_there;
    } functions[] = {
        {"open", table->open != NULL},           {"close", table->close != NULL},
        {"start", table->start != NULL},         {"stop", table->stop != NULL},
        {"advance", table->advance != NULL},     {"next", table->next != NULL},
        {"visit", table->visit != NULL},         {"check", table->check != NULL},
        {"footprint", table->footprint != NULL}, {"describe", table->describe != NULL},
        {"work", table->work != NULL},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!functions[i].is_there)
            return diag_usage(diag, "%s: '%s' has no function %s; backend.h says what it has to do",
                              path, table->name, functions[i].name);
    return DIAG_OK;
}

static int check_params(const char *path, const struct tw_backend *table, struct diag *diag)
{
    if (!table->params)
        return diag_usage(diag,
                          "%s: '%s' has no table of parameters; one without any has a NULL "
                          "name in its first row",
                          path, table->name);
    size_t count = 0;
    for (const struct tw_param *param = table->params; param->name; param++) {
        if (++count > PARAMS_MAX)
            return diag_usage(diag,
                              "%s: '%s' has more than %d parameters, or no NULL name behind "
                              "the last",
                              path, table->name, PARAMS_MAX);
        if (!name_is_good(param->name))
            return diag_usage(diag,
                              "%s: parameter %zu of '%s' has a name that is not of a-z, 0-9, "
                              "'-', '_' and '.'",
                              path, count, table->name);
        if (!param->help || param->min > param->max || param->values_max == 0 ||
            param->values_max > TW_VALUES_MAX)
            return diag_usage(diag,
                              "%s: parameter '%s' of '%s' needs a help text, min <= max, and "
                              "1 .. %d values",
                              path, param->name, table->name, TW_VALUES_MAX);
        for (const struct tw_param *other = table->params; other != param; other++)
            if (strcmp(other->name, param->name) == 0)
                return diag_usage(diag, "%s: '%s' has two parameters '%s'", path, table->name,
                                  param->name);
    }
    return DIAG_OK;
}

static int check_traits(const char *path, const struct tw_backend *table, struct diag *diag)
{
    const unsigned known =
        TW_ORDERED | TW_FIFO | TW_TICKLESS | TW_NEXT_EXACT | TW_ALLOCATES | TW_REAL_CLOCK;
    const struct tw_traits *traits = &table->traits;
    if (traits->flags & TW_KEEPS_NOTHING)
        return diag_usage(diag, "%s: '%s' declares TW_KEEPS_NOTHING, which is for 'null' alone",
                          path, table->name);
    if (traits->flags & ~known)
        return diag_usage(diag, "%s: '%s' declares flags that the contract does not have: 0x%x",
                          path, table->name, traits->flags & ~known);
    if (traits->late_shift >= 64)
        return diag_usage(diag, "%s: '%s' declares a late_shift of %u; expected 0 .. 63", path,
                          table->name, traits->late_shift);
    const struct tw_cost *costs[] = {&traits->start, &traits->stop, &traits->expire, &traits->tick};
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++)
        if ((unsigned)costs[i]->average > TW_O_N2 || (unsigned)costs[i]->worst > TW_O_N2)
            return diag_usage(diag, "%s: '%s' declares a growth that the contract does not have",
                              path, table->name);
    return DIAG_OK;
}

static int check_table(const char *path, const struct tw_backend *table, struct diag *diag)
{
    if (!table)
        return diag_usage(diag,
                          "%s: tw_plugin has a NULL table; TW_PLUGIN takes the timed and the "
                          "counted one, or the same twice",
                          path);
    if (table->abi_version != TW_ABI_VERSION)
        return diag_usage(diag, "%s: a table is for version %u of the contract; expected %u", path,
                          table->abi_version, TW_ABI_VERSION);
    if (!table->name || !name_is_good(table->name))
        return diag_usage(diag,
                          "%s: the design's name must be 1 to %d of a-z, 0-9, '-', '_' and "
                          "'.', a letter first",
                          path, NAME_MAX_);
    if (!table->summary)
        return diag_usage(diag, "%s: '%s' has no summary, the line for 'twbench list'", path,
                          table->name);
    int status = check_functions(path, table, diag);
    if (status == DIAG_OK)
        status = check_params(path, table, diag);
    if (status == DIAG_OK)
        status = check_traits(path, table, diag);
    return status;
}

int trial_check(const char *path, const struct tw_design *design, struct diag *diag)
{
    if (!design)
        return diag_usage(diag,
                          "%s: is no plugin: it lacks the symbol tw_plugin (TW_PLUGIN in "
                          "backend.h)",
                          path);
    if (design->abi_version != TW_ABI_VERSION)
        return diag_usage(diag,
                          "%s: was built for version %u of the contract; expected %u: build "
                          "it again with this version's backend.h",
                          path, design->abi_version, TW_ABI_VERSION);
    int status = check_table(path, design->timed, diag);
    if (status == DIAG_OK)
        status = check_table(path, design->counted, diag);
    if (status == DIAG_OK && strcmp(design->timed->name, design->counted->name) != 0)
        return diag_usage(diag, "%s: its two tables have different names", path);
    return status;
}

/* ---- The process ----------------------------------------------------------------------------- */

/* What a constructor could change to our harm. */
struct state {
    struct {
        bool is_open;
        dev_t device;
        ino_t inode;
    } fds[FDS_MAX];
    struct sigaction actions[SIGNALS_MAX];
    sigset_t blocked;
    struct rlimit memory, files;
    ino_t directory;
    size_t threads;
};

static size_t count_threads(void)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/task");
    if (!directory)
        return 0;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void state_read(struct state *state)
{
    struct stat info;
    memset(state, 0, sizeof *state);
    for (int fd = 0; fd < FDS_MAX; fd++)
        if (fstat(fd, &info) == 0) {
            state->fds[fd].is_open = true;
            state->fds[fd].device = info.st_dev;
            state->fds[fd].inode = info.st_ino;
        }
    for (int number = 1; number < SIGNALS_MAX; number++)
        sigaction(number, NULL, &state->actions[number]);
    sigprocmask(SIG_BLOCK, NULL, &state->blocked);
    getrlimit(RLIMIT_AS, &state->memory);
    getrlimit(RLIMIT_NOFILE, &state->files);
    if (stat(".", &info) == 0)
        state->directory = info.st_ino;
    state->threads = count_threads();
}

/* What differs, in words, or NULL. */
static const char *state_difference(const struct state *a, const struct state *b)
{
    for (int fd = 0; fd < FDS_MAX; fd++)
        if (a->fds[fd].is_open != b->fds[fd].is_open || a->fds[fd].device != b->fds[fd].device ||
            a->fds[fd].inode != b->fds[fd].inode)
            return "opens, closes or replaces files of the process";
    for (int number = 1; number < SIGNALS_MAX; number++)
        if (a->actions[number].sa_handler != b->actions[number].sa_handler)
            return "installs signal handlers";
    if (memcmp(&a->blocked, &b->blocked, sizeof a->blocked) != 0)
        return "blocks signals";
    if (a->threads != b->threads)
        return "starts threads";
    if (a->directory != b->directory)
        return "changes the working directory";
    if (a->memory.rlim_cur != b->memory.rlim_cur || a->files.rlim_cur != b->files.rlim_cur)
        return "changes the limits of the process";
    return NULL;
}

/* ---- In the child ---------------------------------------------------------------------------- */

/* Shared with the child. */
struct trial {
    bool is_done; /* it is loaded and looked at, or cannot be */
    int status;
    struct diag diag;
    char name[TRIAL_NAME];
};

static int trial_table(struct trial *trial, const char *path, const struct tw_design *design)
{
    int status = trial_check(path, design, &trial->diag);
    if (status == DIAG_OK)
        snprintf(trial->name, sizeof trial->name, "%s", design->timed->name);
    return status;
}

static void trial_do(struct trial *trial, const char *path, int output_fd)
{
    struct state before, after;
    struct stat output;
    state_read(&before);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        trial->status = diag_usage(&trial->diag, "%s: cannot be loaded: %s", path, dlerror());
        trial->is_done = true;
        return;
    }
    state_read(&after);
    fflush(stdout);
    const char *difference = state_difference(&before, &after);
    if (difference)
        trial->status = diag_usage(&trial->diag, "%s: loading it %s", path, difference);
    else if (fstat(output_fd, &output) == 0 && output.st_size > 0)
        trial->status = diag_usage(&trial->diag,
                                   "%s: loading it prints %jd bytes; a design prints "
                                   "nothing",
                                   path, (intmax_t)output.st_size);
    else
        trial->status = trial_table(trial, path, dlsym(object, "tw_plugin"));
    trial->is_done = true;
    dlclose(object); /* runs its destructors */
}

static void trial_child(struct trial *trial, const char *path, int output_fd, pid_t parent)
    __attribute__((noreturn));

static void trial_child(struct trial *trial, const char *path, int output_fd, pid_t parent)
{
    struct rlimit memory = {MEMORY_BYTES, RLIM_INFINITY}, no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &no_core);
#ifdef TWB_JEMALLOC
    setrlimit(RLIMIT_AS, &memory);
#else
    (void)memory;
#endif
    dup2(output_fd, STDOUT_FILENO);
    dup2(output_fd, STDERR_FILENO);
    trial_do(trial, path, output_fd);
#ifdef TWB_JEMALLOC
    exit(0); /* with what the plugin has registered for it; a sanitizer would look for leaks */
#else
    _exit(0);
#endif
}

/* ---- In the parent --------------------------------------------------------------------------- */

static int trial_judge(const struct trial *trial, const char *path, bool hung, int wait_status,
                       struct diag *diag)
{
    const char *when = trial->is_done ? "unloading it" : "loading it";
    if (hung)
        return diag_usage(diag, "%s: %s did not end within %d s", path, when, LIMIT_MS / 1000);
    if (trial->is_done && trial->status != DIAG_OK) {
        *diag = trial->diag;
        return trial->status;
    }
    if (WIFSIGNALED(wait_status))
        return diag_usage(diag, "%s: %s crashed: signal %d (%s)", path, when, WTERMSIG(wait_status),
                          strsignal(WTERMSIG(wait_status)));
    if (!trial->is_done || WEXITSTATUS(wait_status) != 0)
        return diag_usage(diag, "%s: %s ended the process, with exit status %d", path, when,
                          WEXITSTATUS(wait_status));
    return DIAG_OK;
}

static int trial_wait(const struct trial *trial, const char *path, pid_t pid, struct diag *diag)
{
    int wait_status = 0;
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    bool hung = poll(&end, 1, LIMIT_MS) == 0;
    kill(-pid, SIGKILL); /* with whatever it has started */
    kill(pid, SIGKILL);
    while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
        continue;
    if (end.fd >= 0)
        close(end.fd);
    return trial_judge(trial, path, hung, wait_status, diag);
}

int trial_load(const char *path, char *name, struct diag *diag)
{
    struct trial *trial =
        mmap(NULL, sizeof *trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (trial == MAP_FAILED)
        return diag_run(diag, "%s: no shared memory to try it: %s", path, strerror(errno));
    int output_fd = memfd_create("output", MFD_CLOEXEC), status;
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        trial_child(trial, path, output_fd, parent);
    if (pid < 0) {
        status = diag_run(diag, "%s: no process to try it: %s", path, strerror(errno));
    } else {
        setpgid(pid, pid); /* whoever of the two comes first */
        status = trial_wait(trial, path, pid, diag);
        if (status == DIAG_OK && name)
            snprintf(name, TRIAL_NAME, "%.*s", TRIAL_NAME - 1, trial->name);
    }
    if (output_fd >= 0)
        close(output_fd);
    munmap(trial, sizeof *trial);
    return status;
}
