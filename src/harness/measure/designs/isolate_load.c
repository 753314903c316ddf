/* isolate_load.c - loads a plugin in a child first, and says what went wrong. */
#include "harness/measure/designs/plugin_table.h"

#include "harness/base/isolate.h"
#include "harness/base/text.h"

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
struct load {
    bool is_done; /* it is loaded and looked at, or cannot be */
    int status;
    struct diag diag;
    struct table_copy copy;
};

static void load_read(struct load *load, const char *path, const struct tw_design *design)
{
    load->status = table_check(path, design, &load->diag);
    if (load->status == DIAG_OK)
        table_copy(design->timed, &load->copy);
}

static void load_do(struct load *load, const char *path)
{
    struct stat output;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        load->status = diag_usage(&load->diag, "%s: cannot be loaded: %s; expected a shared object",
                                  path, dlerror());
        load->is_done = true;
        return;
    }
    fflush(stdout);
    if (fstat(STDOUT_FILENO, &output) == 0 && output.st_size > 0)
        load->status = diag_usage(&load->diag,
                                  "%s: loading it prints %jd bytes; a design prints "
                                  "nothing",
                                  path, (intmax_t)output.st_size);
    else
        load_read(load, path, dlsym(object, "tw_plugin"));
    load->is_done = true;
    dlclose(object); /* runs its destructors */
}

static void load_child(struct load *load, const char *path) __attribute__((noreturn));

static void load_child(struct load *load, const char *path)
{
    load_do(load, path);
#ifdef TWB_JEMALLOC
    exit(0); /* with what the plugin has registered for it; a sanitizer would look for leaks */
#else
    _exit(0);
#endif
}

/* ---- In the parent --------------------------------------------------------------------------- */

static int load_judge(const struct load *load, const char *path, bool hung, int wait_status,
                      struct diag *diag)
{
    const char *when = load->is_done ? "unloading it" : "loading it";
    if (hung)
        return diag_usage(diag, "%s: %s did not end within %d s", path, when, LIMIT_MS / 1000);
    if (load->is_done && load->status != DIAG_OK) {
        *diag = load->diag;
        utf8_make_printable(diag->text, sizeof diag->text);
        return DIAG_USAGE;
    }
    if (WIFSIGNALED(wait_status))
        return diag_usage(diag, "%s: %s crashed: signal %d (%s)", path, when, WTERMSIG(wait_status),
                          strsignal(WTERMSIG(wait_status)));
    if (!load->is_done || WEXITSTATUS(wait_status) != 0)
        return diag_usage(diag, "%s: %s ended the process, with exit status %d", path, when,
                          WEXITSTATUS(wait_status));
    return DIAG_OK;
}

static int load_wait(const struct load *load, const char *path, pid_t pid, struct diag *diag)
{
    int wait_status;
    struct pollfd end = {.fd = isolate_pidfd(pid), .events = POLLIN};
    bool hung = poll(&end, 1, LIMIT_MS) == 0;
    isolate_end(pid, &wait_status);
    if (end.fd >= 0)
        close(end.fd);
    return load_judge(load, path, hung, wait_status, diag);
}

int isolate_load(const char *path, struct table_copy *copy, struct diag *diag)
{
    struct load *load =
        mmap(NULL, sizeof *load, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (load == MAP_FAILED)
        return diag_run(diag, "%s: no shared memory to try it: %s", path, strerror(errno));
    int output_fd = memfd_create("output", MFD_CLOEXEC), status;
    fflush(NULL);
    uint64_t begin_ns = isolate_now_ns();
    pid_t pid = isolate_fork(&(struct isolate){.memory_bytes = MEMORY_BYTES,
                                               .file_bytes = FILE_BYTES,
                                               .cpu_seconds = CPU_SECONDS,
                                               .out_fd = output_fd,
                                               .err_fd = output_fd});
    if (pid == 0)
        load_child(load, path);
    if (pid < 0)
        status = diag_run(diag, "%s: no process to try it: %s", path, strerror(errno));
    else
        status = load_wait(load, path, pid, diag);
    if (isolate_sweep(begin_ns, NULL, 0) > 0 && status == DIAG_OK)
        status = diag_usage(diag, "%s: loading it starts processes", path);
    *copy = load->copy;
    if (output_fd >= 0)
        close(output_fd);
    munmap(load, sizeof *load);
    return status;
}
