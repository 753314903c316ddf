/* trial.c - loads a plugin in a child first, and says what went wrong. */
#include "harness/measure/designs/plugin_table.h"

#include "harness/base/text.h"
#include "harness/base/ward.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS     10000
#define CPU_SECONDS  20
#define MEMORY_BYTES ((uint64_t)1 << 30)
#define FILE_BYTES   ((uint64_t)16 << 20)

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
    struct stat output;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        trial->status = diag_usage(&trial->diag, "%s: cannot be loaded: %s", path, dlerror());
        trial->is_done = true;
        return;
    }
    fflush(stdout);
    if (fstat(STDOUT_FILENO, &output) == 0 && output.st_size > 0)
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
