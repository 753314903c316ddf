/* store_server.c - the private server of a store: forked by a thread that waits for its end, killed with the process. */
#include "store_server.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT_LOCK      3
#define KEPT_DIRECTORY 4 /* STORE_SERVER_DIRECTORY */
#define KEPT_ERROR     5

/* ---- The child, between fork and exec: only calls that are safe there. ------------------------ */

/* A server that refuses root runs as somebody else.  What it leaves in System V's shared memory when it is killed goes with a
 * namespace of its own, where the kernel allows one. */
static bool child_become(const struct store_server *server)
{
    if (server->user == 0)
        return true;
    int own = unshare(CLONE_NEWIPC);
    (void)own;
    return setgroups(0, NULL) == 0 && setgid(server->group) == 0 && setuid(server->user) == 0;
}

static void child_exec(const struct store_server *server, pid_t parent)
{
    int null = open("/dev/null", O_RDONLY);
    int lock = fcntl(server->directory->server_lock, F_DUPFD, 10);
    int error = fcntl(server->started[1], F_DUPFD_CLOEXEC, 10);
    int directory = fcntl(server->directory->fd, F_DUPFD, 10);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setsid();
    /* Another user clears what prctl set. */
    bool became = child_become(server);
    if (!became || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(1);
    if (fchdir(server->directory->fd) == 0 && dup2(null, 0) == 0 &&
        dup2(server->log_file, 1) == 1 && dup2(server->log_file, 2) == 2 &&
        dup2(lock, KEPT_LOCK) == KEPT_LOCK && dup2(directory, KEPT_DIRECTORY) == KEPT_DIRECTORY &&
        dup3(error, KEPT_ERROR, O_CLOEXEC) == KEPT_ERROR) {
        close_range(KEPT_ERROR + 1, ~0u, 0);
        /* execvp takes what it was given without const, and leaves it alone. */
        union {
            const char *const *given;
            char *const *taken;
        } arguments = {.given = server->arguments};
        execvp(server->arguments[0], arguments.taken);
        error = KEPT_ERROR;
    }
    int why = errno;
    ssize_t told = write(error, &why, sizeof why);
    _exit(told == sizeof why ? 127 : 126);
}

/* ---- The warden. ------------------------------------------------------------------------------ */

static void *server_ward(void *ctx)
{
    struct store_server *server = ctx;
    pid_t parent = getpid();
    pid_t process = fork();
    if (process == 0)
        child_exec(server, parent);
    int why = errno;
    atomic_store(&server->process, process > 0 ? process : 0);
    if (process < 0 && write(server->started[1], &why, sizeof why) < 0)
        why = 0;
    close(server->started[1]);
    int status = 0;
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    atomic_store(&server->status, status);
    atomic_store(&server->gone, true);
    return NULL;
}

void store_server_end(struct store_server *server, uint32_t own_accord_ms)
{
    if (server->is_started) {
        for (uint32_t ms = 0; ms < own_accord_ms && !atomic_load(&server->gone); ms += 2)
            usleep(2000);
        for (uint32_t ms = 0; !atomic_load(&server->gone); ms += 2) {
            if (ms % 1000 == 0 && atomic_load(&server->process) > 0)
                kill(atomic_load(&server->process), ms >= 60000          ? SIGKILL
                                                    : server->end_signal ? server->end_signal
                                                                         : SIGTERM);
            usleep(2000);
        }
        pthread_join(server->warden, NULL);
        server->is_started = false;
    }
    if (server->log_file > 0)
        close(server->log_file);
    server->log_file = 0;
}

static int start_error(struct store_server *server, int why, struct tw_error *error)
{
    snprintf(error->text, sizeof error->text, "%s: %s%s%s", server->arguments[0], strerror(why),
             why == ENOENT ? "; it is in the package " : "", why == ENOENT ? server->package : "");
    return why == ENOENT ? TW_STORE_ABSENT : TW_STORE_IO;
}

int store_server_start(struct store_server *server, struct tw_error *error)
{
    int why = 0;
    atomic_store(&server->gone, false);
    server->log_file = openat(server->directory->fd, server->log_name,
                              O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (server->log_file < 0 || pipe2(server->started, O_CLOEXEC) != 0)
        return start_error(server, errno, error);
    why = pthread_create(&server->warden, NULL, server_ward, server);
    if (why != 0) {
        close(server->started[0]);
        close(server->started[1]);
        return start_error(server, why, error);
    }
    server->is_started = true;
    ssize_t told = read(server->started[0], &why, sizeof why);
    close(server->started[0]);
    if (told != (ssize_t)sizeof why)
        return TW_STORE_OK;
    store_server_end(server, 0);
    return start_error(server, why, error);
}

/* ---- What is known of it. --------------------------------------------------------------------- */

uint64_t store_server_written(struct store_server *server)
{
    char path[48], line[80];
    unsigned long long written = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/io", atomic_load(&server->process));
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, "wchar: %llu", &written) == 1;
    if (file)
        fclose(file);
    uint64_t answers = atomic_load(&server->received);
    if (!found)
        return UINT64_MAX;
    return written > answers ? written - answers : 0;
}

void store_server_last_words(const struct store_server *server, char *out, size_t size)
{
    char end[1024];
    struct stat stat;
    out[0] = '\0';
    int log = openat(server->directory->fd, server->log_name, O_RDONLY | O_CLOEXEC);
    if (log < 0 || fstat(log, &stat) != 0) {
        if (log >= 0)
            close(log);
        return;
    }
    off_t from = stat.st_size > (off_t)sizeof end - 1 ? stat.st_size - (off_t)sizeof end + 1 : 0;
    ssize_t length = pread(log, end, sizeof end - 1, from);
    close(log);
    while (length > 0 && end[length - 1] == '\n')
        length--;
    end[length > 0 ? length : 0] = '\0';
    const char *line = strrchr(end, '\n');
    snprintf(out, size, "%.150s", line ? line + 1 : end);
}
