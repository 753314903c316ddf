/* lock.c - a record lock: the kernel knows its owner, and children do not inherit it. */
#include "harness/base/file.h"

#include "harness/base/interrupt.h"
#include "harness/base/memory.h"

#include <fcntl.h>
#include <sys/stat.h>

#define ENDING ".lock"

/* What stands for `path` however it is spelt: the file that links lead to, or its place in a folder. */
static char *true_path(const char *path)
{
    char *whole = realpath(path, NULL);
    if (whole)
        return whole;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *parent = folder ? realpath(folder, NULL) : NULL;
    if (parent && asprintf(&whole, "%s/%s", parent, slash ? slash + 1 : path) < 0)
        whole = NULL;
    free(folder);
    free(parent);
    return whole;
}

static char *lock_path(const char *path)
{
    char *whole = true_path(path), *out = NULL;
    memory_must(asprintf(&out, "%s" ENDING, whole ? whole : path) >= 0);
    free(whole);
    return out;
}

/* "process 4711 (twbench run --json=out.json)". */
static void describe_process(pid_t pid, char *out, size_t size)
{
    char file[64], command[160] = "";
    snprintf(file, sizeof file, "/proc/%ld/cmdline", (long)pid);
    FILE *in = fopen(file, "r");
    size_t length = in ? fread(command, 1, sizeof command - 1, in) : 0;
    if (in)
        fclose(in);
    while (length > 0 && command[length - 1] == '\0')
        length--;
    for (size_t i = 0; i < length; i++)
        if (command[i] < ' ' || command[i] > '~')
            command[i] = command[i] == '\0' ? ' ' : '?';
    snprintf(out, size, "process %ld%s%s%s", (long)pid, length ? " (" : "", command,
             length ? ")" : "");
}

static int refuse_held(const char *path, pid_t pid, struct diag *diag)
{
    char holder[240];
    describe_process(pid, holder, sizeof holder);
    return diag_usage(diag,
                      "%.300s: is being written by %s; expected one run for each file: wait until "
                      "it has ended, or name another file",
                      path, holder);
}

/* Whoever has just dropped it removed the file that was opened here, and a third may have made another. */
static bool is_still_there(const struct lock *lock)
{
    struct stat held, there;
    return fstat(lock->fd, &held) == 0 && stat(lock->path, &there) == 0 &&
           held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

/* 1: it has to be tried again. */
static int try_lock(const char *path, struct lock *lock, struct diag *diag)
{
    struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET}, holder = wanted;
    lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (lock->fd < 0)
        return diag_usage(diag, "%s: cannot be written: %s: %s", path, lock->path, strerror(errno));
    if (fcntl(lock->fd, F_SETLK, &wanted) == 0)
        return is_still_there(lock) ? DIAG_OK : 1;
    if (errno != EACCES && errno != EAGAIN) {
        fprintf(stderr, "warning: %s: no other run can be kept from it: %s\n", path,
                strerror(errno));
        return DIAG_OK;
    }
    bool is_held = fcntl(lock->fd, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK;
    return is_held ? refuse_held(path, holder.l_pid, diag) : 1;
}

/* ---- Signals. -------------------------------------------------------------------------------- */

/* What is held, innermost first; it changes while the signals are held off.  A handler has no argument that it could
 * come in through. */
static struct lock *volatile lock_current;

static void remove_and_end(int signal_number)
{
    for (const struct lock *lock = lock_current; lock; lock = lock->outer)
        if (lock->owner == getpid()) /* children inherit the handler, but no lock */
            unlink(lock->path);
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* comes when the handler has returned */
}

/* Before a command reads signals itself, one ends it at once.  A signal that is ignored stays ignored. */
static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now, wanted = {.sa_handler = remove_and_end};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(signals[i], &wanted, NULL);
}

/* ---- Taking and dropping. -------------------------------------------------------------------- */

static int take(const char *path, struct lock *lock, struct diag *diag)
{
    struct stat info;
    int status = 1;
    *lock = (struct lock){.fd = -1};
    if (strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return DIAG_OK;
    lock->path = lock_path(path);
    while (status > 0) {
        if (lock->fd >= 0)
            close(lock->fd);
        status = try_lock(path, lock, diag);
    }
    if (status != DIAG_OK && lock->fd >= 0) {
        close(lock->fd);
        lock->fd = -1;
    }
    return status;
}

int lock_take(const char *path, struct lock *lock, struct diag *diag)
{
    sigset_t before;
    interrupt_hold(&before);
    int status = take(path, lock, diag);
    if (lock->fd >= 0) {
        lock->outer = lock_current;
        lock->owner = getpid();
        lock_current = lock;
        catch_signals();
    }
    interrupt_restore(&before);
    return status;
}

void lock_drop(struct lock *lock)
{
    sigset_t before;
    interrupt_hold(&before);
    if (lock->path && lock->fd >= 0) {
        unlink(lock->path); /* while it is held: nobody else's */
        close(lock->fd);
        lock_current = lock->outer;
    }
    free(lock->path);
    *lock = (struct lock){.fd = -1};
    interrupt_restore(&before);
}
