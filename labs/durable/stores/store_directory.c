/* store_directory.c - the directory of a store: made, locked, recognised by a line of text, measured. */
#include "store_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_FILE "twbench-store"
#define LINE_NEW  "twbench-store.new"
#define LINE_MAX_ 128

static int directory_error(struct tw_error *error, const char *path, const char *what)
{
    snprintf(error->text, sizeof error->text, "%s: %s: %s", path, what, strerror(errno));
    return TW_STORE_IO;
}

/* Whether nothing is there but what an open that was cut off may have left. */
static bool holds_nothing(int directory)
{
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (!list) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool nothing = true;
    for (struct dirent *entry; (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, "lock") != 0 && strcmp(entry->d_name, LINE_NEW) != 0)
            nothing = false;
    closedir(list);
    return nothing;
}

/* 1 with the line in `found`, 0 if there is none, -1 if it cannot be read. */
static int line_read(int directory, char found[LINE_MAX_])
{
    int fd = openat(directory, LINE_FILE, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    ssize_t size = read(fd, found, LINE_MAX_ - 1);
    close(fd);
    if (size < 0)
        return -1;
    found[size] = '\0';
    found[strcspn(found, "\n")] = '\0';
    return 1;
}

/* The line is there whole or not at all, and before any message is. */
static bool line_write(int directory, const char *line)
{
    char text[LINE_MAX_ + 2];
    int size = snprintf(text, sizeof text, "%s\n", line);
    int fd = openat(directory, LINE_NEW, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return false;
    bool written = write(fd, text, (size_t)size) == size && fsync(fd) == 0;
    close(fd);
    /* The directory's own name lasts before the line says that a store is there. */
    return written && store_sync_parent(directory) == 0 &&
           renameat(directory, LINE_NEW, directory, LINE_FILE) == 0 && fsync(directory) == 0;
}

static int line_check(struct store_directory *directory, const char *path, const char *line,
                      struct tw_error *error)
{
    char found[LINE_MAX_];
    int there = line_read(directory->fd, found);
    if (there < 0)
        return directory_error(error, path, "reading " LINE_FILE);
    if (there > 0 && strcmp(found, line) == 0)
        return TW_STORE_OK;
    if (there > 0) {
        snprintf(error->text, sizeof error->text, "%s: holds '%.60s'; expected '%.60s'", path,
                 found, line);
        return TW_STORE_FORMAT;
    }
    if (!holds_nothing(directory->fd)) {
        snprintf(error->text, sizeof error->text,
                 "%s: holds files, but no %s; expected an empty directory", path, LINE_FILE);
        return TW_STORE_FORMAT;
    }
    directory->is_new = true;
    return line_write(directory->fd, line) ? TW_STORE_OK
                                           : directory_error(error, path, "writing " LINE_FILE);
}

int store_directory_open(struct store_directory *directory, const char *path, const char *line,
                         struct tw_error *error)
{
    *directory = (struct store_directory){.fd = -1, .lock = -1, .server_lock = -1};
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return directory_error(error, path, "making it");
    directory->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory->fd < 0)
        return directory_error(error, path, "opening it");
    /* A directory of somebody else's gets no file of ours, not even the lock. */
    char found[LINE_MAX_];
    int answer = TW_STORE_OK;
    if (line_read(directory->fd, found) == 0 && !holds_nothing(directory->fd))
        answer = line_check(directory, path, line, error);
    if (answer == TW_STORE_OK) {
        directory->lock = openat(directory->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (directory->lock < 0)
            answer = directory_error(error, path, "opening lock");
        else if (flock(directory->lock, LOCK_EX | LOCK_NB) != 0) {
            snprintf(error->text, sizeof error->text, "%s: is open already, here or elsewhere",
                     path);
            answer = TW_STORE_LOCKED;
        } else
            answer = line_check(directory, path, line, error);
    }
    if (answer != TW_STORE_OK)
        store_directory_close(directory);
    return answer;
}

int store_directory_lock_server(struct store_directory *directory, struct tw_error *error)
{
    directory->server_lock =
        openat(directory->fd, "server-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (directory->server_lock < 0) {
        snprintf(error->text, sizeof error->text, "server-lock: %s", strerror(errno));
        return TW_STORE_IO;
    }
    for (int tries = 0; flock(directory->server_lock, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (tries >= 2000) {
            snprintf(error->text, sizeof error->text,
                     "the server of an earlier open still runs after 10 s");
            return TW_STORE_LOCKED;
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return TW_STORE_OK;
}

void store_directory_close(struct store_directory *directory)
{
    if (directory->server_lock >= 0)
        close(directory->server_lock);
    if (directory->lock >= 0)
        close(directory->lock);
    if (directory->fd >= 0)
        close(directory->fd);
    directory->fd = directory->lock = directory->server_lock = -1;
}

/* Bytes below an open directory, which it closes. */
static uint64_t bytes_below(int fd, int depth)
{
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (!list) {
        if (fd >= 0)
            close(fd);
        return UINT64_MAX;
    }
    uint64_t bytes = 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        struct stat stat;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            fstatat(dirfd(list), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        bytes += (uint64_t)stat.st_blocks * 512;
        if (S_ISDIR(stat.st_mode) && depth > 0) {
            int below = openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            uint64_t inside = bytes_below(below, depth - 1);
            bytes += inside == UINT64_MAX ? 0 : inside;
        }
    }
    closedir(list);
    return bytes;
}

uint64_t store_directory_bytes(const struct store_directory *directory)
{
    return bytes_below(openat(directory->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 4);
}
