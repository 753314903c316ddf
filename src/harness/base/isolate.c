/* isolate.c - forks a child within bounds, in a group of its own, and ends it with all it started. */
#include "harness/base/isolate.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define LOOK_MS 200

/* ---- In the child ---------------------------------------------------------------------------- */

static uint64_t mapped_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(int resource, uint64_t value)
{
    struct rlimit both = {value, value};
    setrlimit((__rlimit_resource_t)resource, &both);
}

/* What is mapped already is the caller's; the limit is for what comes now.  The sanitizers map terabytes of shadow,
 * so their builds go without. */
static void limit_memory(uint64_t bytes)
{
#ifdef TWB_JEMALLOC
    if (bytes > 0)
        limit(RLIMIT_AS, mapped_bytes() + bytes);
#else
    (void)bytes;
    (void)mapped_bytes;
#endif
}

/* The files of the parent are not to be written to, nor its locks to be held by who outlives it. */
static void files_close(const struct isolate *isolate)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int out_fd = isolate->out_fd < 0 ? nothing : isolate->out_fd;
    int err_fd = isolate->err_fd < 0 ? nothing : isolate->err_fd;
    int in_fd = isolate->in_fd > 0 ? isolate->in_fd : nothing;
    if (in_fd >= 0)
        dup2(in_fd, STDIN_FILENO);
    dup2(out_fd, STDOUT_FILENO);
    dup2(err_fd, STDERR_FILENO);
    if (close_range(STDERR_FILENO + 1, ~0u, 0) != 0)
        for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
            close(fd);
}

/* A signal has to end the child, whatever the parent does about it. */
static void signals_by_default(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
}

static void isolate_enter(const struct isolate *isolate, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signals_by_default();
    files_close(isolate);
    limit(RLIMIT_CORE, 0);
    if (isolate->file_bytes > 0)
        limit(RLIMIT_FSIZE, isolate->file_bytes);
    if (isolate->cpu_seconds > 0)
        limit(RLIMIT_CPU, isolate->cpu_seconds);
    limit_memory(isolate->memory_bytes);
}

/* ---- In the parent --------------------------------------------------------------------------- */

pid_t isolate_fork(const struct isolate *isolate)
{
    pid_t parent = getpid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t pid = fork();
    if (pid == 0)
        isolate_enter(isolate, parent);
    if (pid > 0)
        setpgid(pid, pid); /* whoever of the two comes first */
    return pid;
}

int isolate_pidfd(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    const char *preload = getenv("LD_PRELOAD");
    if (fd >= 0 || errno != ENOSYS || !preload || !strstr(preload, "vgpreload"))
        return fd;
    /* valgrind 3.19 has none: its limits, and whoever started valgrind, end the child; then this can be read. */
    siginfo_t ended;
    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        continue;
    return eventfd(1, EFD_CLOEXEC);
}

/* One that has made us its tracer is seen to stop; killing it ends it all the same. */
static void reap(pid_t pid, int *wait_status)
{
    *wait_status = 0;
    while (waitpid(pid, wait_status, __WALL) < 0 ? errno == EINTR : WIFSTOPPED(*wait_status))
        continue;
}

void isolate_end(pid_t pid, int *wait_status)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    reap(pid, wait_status);
}

struct kin {
    pid_t parent;
    uint64_t begin_ns; /* since boot; known to a tick of the kernel's clock */
};

/* From the words behind the name of the process, which may hold anything. */
static bool kin_read(const char *pid, struct kin *kin)
{
    char path[64], text[512];
    int parent;
    unsigned long long begin;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *behind = strrchr(text, ')');
    const char *format =
        " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu";
    if (!behind || sscanf(behind + 1, format, &parent, &begin) != 2)
        return false;
    uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    *kin = (struct kin){(pid_t)parent, (begin + 1) * tick_ns};
    return true;
}

static bool is_kept(pid_t pid, const pid_t *kept, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = kept[i] == pid;
    return found;
}

uint64_t isolate_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Without kept children the kernel says at once whether there is anybody. */
static bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

static size_t sweep_once(uint64_t since_ns, const pid_t *kept, size_t count)
{
    size_t found = 0;
    struct kin kin;
    int wait_status;
    DIR *processes = opendir("/proc");
    if (!processes)
        return 0;
    for (const struct dirent *entry = readdir(processes); entry; entry = readdir(processes)) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || !kin_read(entry->d_name, &kin) || kin.parent != getpid() ||
            kin.begin_ns < since_ns || is_kept(pid, kept, count))
            continue;
        kill(pid, SIGKILL);
        reap(pid, &wait_status);
        found++;
    }
    closedir(processes);
    return found;
}

/* Whoever is ended may leave children to us in turn. */
size_t isolate_sweep(uint64_t since_ns, const pid_t *kept, size_t count)
{
    size_t swept = 0, found = 1;
    while (found > 0 && (count > 0 || has_children()))
        swept += found = sweep_once(since_ns, kept, count);
    return swept;
}

static void copy_to_stdout(int fd)
{
    char bytes[65536];
    ssize_t length;
    for (off_t at = 0; (length = pread(fd, bytes, sizeof bytes, at)) > 0; at += length)
        fwrite(bytes, 1, (size_t)length, stdout);
}

bool isolate_show(const struct isolate *isolate, unsigned seconds, isolate_work_fn *work, void *ctx,
                  void *record, size_t record_bytes, char *reason, size_t reason_size)
{
    struct isolate shown = *isolate;
    bool is_terminal = isatty(STDOUT_FILENO);
    shown.out_fd = is_terminal ? STDOUT_FILENO : memfd_create("output", MFD_CLOEXEC);
    bool done = isolate_run(&shown, seconds, work, ctx, record, record_bytes, reason, reason_size);
    if (done && !is_terminal)
        copy_to_stdout(shown.out_fd);
    if (!is_terminal && shown.out_fd >= 0)
        close(shown.out_fd);
    return done;
}

/* ---- Why ------------------------------------------------------------------------------------- */

uint64_t isolate_memory_kills(void)
{
    char line[128];
    unsigned long long kills = 0;
    FILE *file = fopen("/proc/vmstat", "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "oom_kill %llu", &kills) != 1)
        continue;
    if (file)
        fclose(file);
    return kills;
}

void isolate_explain_signal(int number, uint64_t memory_kills, bool *may_be_memory, char *out,
                            size_t size)
{
    *may_be_memory = number == SIGKILL && memory_kills > 0;
    if (*may_be_memory)
        snprintf(out, size,
                 ISOLATE_KILLED ", unknown by whom: memory ran out, and the kernel ended %" PRIu64
                                " of this machine's processes",
                 memory_kills);
    else if (number == SIGKILL)
        snprintf(out, size, ISOLATE_KILLED " from outside");
    else
        snprintf(out, size, "killed by signal %d (%s)", number, strsignal(number));
}

/* ---- All of it ------------------------------------------------------------------------------- */

struct piece {
    isolate_work_fn *work;
    void *ctx;
    void *shared; /* the record, and ISOLATE_DONE behind it */
    size_t bytes;
};

static uint64_t *piece_end(const struct piece *piece)
{
    size_t aligned = (piece->bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    return (uint64_t *)piece->shared + aligned;
}

static __attribute__((noreturn)) void piece_do(struct piece *piece)
{
    piece->work(piece->ctx, piece->shared);
    *piece_end(piece) = ISOLATE_DONE;
    _exit(0);
}

/* Until the child ends, its time is over or whoever looks has seen enough.  The words for the latter two; else NULL. */
static const char *piece_watch(const struct isolate *isolate, const struct piece *piece,
                               struct pollfd *end, uint64_t until_ns)
{
    int left_ms = 1;
    while (left_ms > 0) {
        uint64_t now_ns = isolate_now_ns(), left_ns = now_ns < until_ns ? until_ns - now_ns : 0;
        left_ms = (int)((left_ns + 999999) / 1000000);
        if (poll(end, 1, isolate->look && left_ms > LOOK_MS ? LOOK_MS : left_ms) != 0)
            return NULL;
        if (isolate->look && !isolate->look(isolate->look_ctx, piece->shared))
            return "was ended when it was interrupted";
    }
    return "did not end within";
}

/* False, with the reason, when the child did not come to its end. */
static bool piece_wait(const struct isolate *isolate, const struct piece *piece, pid_t pid,
                       unsigned seconds, char *reason, size_t reason_size)
{
    uint64_t begin_ns = isolate_now_ns(), memory_kills = isolate_memory_kills();
    int wait_status;
    bool may_be_memory;
    struct pollfd end = {.fd = isolate_pidfd(pid), .events = POLLIN};
    const char *hung = piece_watch(isolate, piece, &end, begin_ns + seconds * UINT64_C(1000000000));
    isolate_end(pid, &wait_status);
    isolate_sweep(begin_ns, NULL, 0);
    if (end.fd >= 0)
        close(end.fd);
    if (!hung && *piece_end(piece) == ISOLATE_DONE)
        return true;
    if (hung)
        snprintf(reason, reason_size, strstr(hung, "within") ? "%s %u s" : "%s", hung, seconds);
    else if (WIFSIGNALED(wait_status))
        isolate_explain_signal(WTERMSIG(wait_status), isolate_memory_kills() - memory_kills,
                               &may_be_memory, reason, reason_size);
    else
        snprintf(reason, reason_size, "exited by itself with status %d", WEXITSTATUS(wait_status));
    return false;
}

bool isolate_run(const struct isolate *isolate, unsigned seconds, isolate_work_fn *work, void *ctx,
                 void *record, size_t record_bytes, char *reason, size_t reason_size)
{
    size_t bytes = record_bytes + 2 * sizeof(uint64_t);
    struct piece piece = {.work = work, .ctx = ctx, .bytes = record_bytes};
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        snprintf(reason, reason_size, "no shared memory for a child: %s", strerror(errno));
        return false;
    }
    piece.shared = shared;
    memcpy(shared, record, record_bytes);
    fflush(NULL);
    pid_t pid = isolate_fork(isolate);
    if (pid == 0)
        piece_do(&piece);
    if (pid < 0)
        snprintf(reason, reason_size, "no process for a child: %s", strerror(errno));
    bool done = pid > 0 && piece_wait(isolate, &piece, pid, seconds, reason, reason_size);
    if (done)
        memcpy(record, shared, record_bytes);
    munmap(shared, bytes);
    return done;
}
