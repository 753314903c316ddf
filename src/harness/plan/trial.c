/* trial.c - loads a plugin in a child first, and says what went wrong. */
#include "harness/plan/trial.h"

#include "harness/base/utf8.h"
#include "harness/base/ward.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS     10000
#define CPU_SECONDS  20
#define MEMORY_BYTES ((uint64_t)1 << 30)
#define FILE_BYTES   ((uint64_t)16 << 20)
#define FDS_MAX      256
#define SIGNALS_MAX  65

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
    bool has_timer;
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

/* Would a signal come later? */
static bool has_timer(void)
{
    static const __itimer_which_t kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    struct itimerval timer;
    bool found = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        found = found || (getitimer(kinds[i], &timer) == 0 && timerisset(&timer.it_value));
    return found;
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
    state->has_timer = has_timer();
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
    if (a->has_timer != b->has_timer)
        return "sets an alarm";
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
    struct table_copy copy;
};

static void trial_read(struct trial *trial, const char *path, const struct tw_design *design)
{
    trial->status = table_check(path, design, &trial->diag);
    if (trial->status == DIAG_OK)
        table_copy(design->timed, &trial->copy);
}

static void trial_do(struct trial *trial, const char *path)
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
    else if (fstat(STDOUT_FILENO, &output) == 0 && output.st_size > 0)
        trial->status = diag_usage(&trial->diag,
                                   "%s: loading it prints %jd bytes; a design prints "
                                   "nothing",
                                   path, (intmax_t)output.st_size);
    else
        trial_read(trial, path, dlsym(object, "tw_plugin"));
    trial->is_done = true;
    dlclose(object); /* runs its destructors */
}

static void trial_child(struct trial *trial, const char *path) __attribute__((noreturn));

static void trial_child(struct trial *trial, const char *path)
{
    trial_do(trial, path);
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
        utf8_make_printable(diag->text, sizeof diag->text);
        return DIAG_USAGE;
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
    int wait_status;
    struct pollfd end = {.fd = ward_pidfd(pid), .events = POLLIN};
    bool hung = poll(&end, 1, LIMIT_MS) == 0;
    ward_end(pid, &wait_status);
    if (end.fd >= 0)
        close(end.fd);
    return trial_judge(trial, path, hung, wait_status, diag);
}

int trial_load(const char *path, struct table_copy *copy, struct diag *diag)
{
    struct trial *trial =
        mmap(NULL, sizeof *trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (trial == MAP_FAILED)
        return diag_run(diag, "%s: no shared memory to try it: %s", path, strerror(errno));
    int output_fd = memfd_create("output", MFD_CLOEXEC), status;
    fflush(NULL);
    uint64_t begin_ns = ward_now_ns();
    pid_t pid = ward_fork(&(struct ward){.memory_bytes = MEMORY_BYTES,
                                         .file_bytes = FILE_BYTES,
                                         .cpu_seconds = CPU_SECONDS,
                                         .out_fd = output_fd,
                                         .err_fd = output_fd});
    if (pid == 0)
        trial_child(trial, path);
    if (pid < 0)
        status = diag_run(diag, "%s: no process to try it: %s", path, strerror(errno));
    else
        status = trial_wait(trial, path, pid, diag);
    if (ward_sweep(begin_ns, NULL, 0) > 0 && status == DIAG_OK)
        status = diag_usage(diag, "%s: loading it starts processes", path);
    *copy = trial->copy;
    if (output_fd >= 0)
        close(output_fd);
    munmap(trial, sizeof *trial);
    return status;
}
