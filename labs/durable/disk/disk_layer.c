/* disk_layer.c - stands between a store and the C library: does, records or fails what is done to files (disk.h). */
#include "disk.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct disk_log *disk_current;

/* Offsets have 64 bits here. */
#define SAME_AS(name) __attribute__((alias(#name)))
_Static_assert(sizeof(off_t) == sizeof(off64_t), "one function for both");

/* ---- The record. ------------------------------------------------------------------------------ */

/* The record, unless calls are to go through. */
static struct disk_log *recording(void)
{
    return disk_current && !disk_current->is_quiet ? disk_current : NULL;
}

static void lock(struct disk_log *log)
{
    while (atomic_exchange(&log->lock, 1))
        sched_yield();
}

static void unlock(struct disk_log *log)
{
    atomic_store(&log->lock, 0);
}

/* The path of an open file; false when it is not below the root. */
static int fd_path(const struct disk_log *log, int fd, char *out, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, out, size - 1);
    if (length <= 0)
        return 0;
    out[length] = '\0';
    size_t root = strlen(log->root);
    return strncmp(out, log->root, root - 1) == 0 && (out[root - 1] == '/' || !out[root - 1]);
}

/* The name below the root of what a path leads to, by whatever way it is given; 0 when it is elsewhere. */
static int name_of(const struct disk_log *log, int at, const char *path, char *out, size_t size)
{
    char parent[PATH_MAX], whole[PATH_MAX];
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!log || !path || !path[0])
        return 0;
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int fd = (int)syscall(SYS_openat, at, parent, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    int found = fd >= 0 && fd_path(log, fd, whole, sizeof whole);
    if (fd >= 0)
        syscall(SYS_close, fd);
    if (!found)
        return 0;
    size_t length = strlen(whole), root = strlen(log->root);
    snprintf(whole + length, sizeof whole - length, "/%s", slash ? slash + 1 : path);
    snprintf(out, size, "%s", whole + root);
    return 1;
}

/* Does the root stand in that directory? */
static int is_parent(const struct disk_log *log, const char *path)
{
    size_t length = strlen(path);
    return strncmp(log->root, path, length) == 0 && log->root[length] == '/' &&
           strchr(log->root + length + 1, '/') == log->root + strlen(log->root) - 1;
}

/* The number of the file that is open there; DISK_DIRECTORY for a directory below the root, DISK_PARENT for the one it stands in;
 * -1: none of ours. */
static int64_t file_of(struct disk_log *log, int fd)
{
    char path[PATH_MAX] = "";
    struct stat info;
    if (fstat(fd, &info) != 0)
        return -1;
    if (S_ISDIR(info.st_mode))
        return fd_path(log, fd, path, sizeof path) ? (int64_t)DISK_DIRECTORY
               : is_parent(log, path)              ? (int64_t)DISK_PARENT
                                                   : -1;
    for (uint32_t i = 0; i < log->file_count; i++)
        if (log->files[i].device == info.st_dev && log->files[i].inode == info.st_ino)
            return i;
    return -1;
}

static int64_t file_add(struct disk_log *log, int fd)
{
    struct stat info;
    int64_t file = file_of(log, fd);
    if (file >= 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return file;
    if (log->file_count == DISK_FILES_MAX) {
        log->overflow++;
        return -1;
    }
    log->files[log->file_count].device = info.st_dev;
    log->files[log->file_count].inode = info.st_ino;
    return log->file_count++;
}

/* The number of an inode is given again once its file is gone: a file that was just made is none of before. */
static void file_forget(struct disk_log *log, int fd)
{
    int64_t file = file_of(log, fd);
    if (file >= 0 && file != DISK_DIRECTORY)
        log->files[file].inode = 0;
}

/* One more record; the caller has the lock. */
static void note(struct disk_log *log, uint32_t kind, int64_t file, uint64_t offset,
                 const void *data, uint64_t length)
{
    uint64_t at = atomic_load(&log->length);
    if (at == DISK_RECORDS_MAX || length > log->size - log->used) {
        log->overflow++;
        return;
    }
    log->records[at] = (struct disk_record){.kind = kind,
                                            .file = (uint32_t)file,
                                            .offset = offset,
                                            .length = (uint32_t)length,
                                            .data = log->used};
    if (length > 0)
        memcpy(log->data + log->used, data, length);
    log->used += length;
    atomic_store(&log->length, at + 1);
}

static void note_name(struct disk_log *log, uint32_t kind, int64_t file, const char *name)
{
    note(log, kind, file, 0, name, strlen(name) + 1);
}

/* Is this call to fail?  Then errno is set. */
static int is_failed(struct disk_log *log, uint32_t fault)
{
    if (log->fault != fault && !(log->fault == DISK_FAIL_ALL && fault == DISK_FAIL_WRITE))
        return 0;
    if (log->fault_after > 0) {
        log->fault_after--;
        return 0;
    }
    if (log->fault_count == 0)
        return 0;
    log->fault_count--;
    log->faults++;
    errno = log->fault_errno;
    return 1;
}

/* ---- Writing. --------------------------------------------------------------------------------- */

static ssize_t real_pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    if (offset >= 0)
        return syscall(SYS_pwritev, fd, parts, count, offset, 0);
    return syscall(SYS_writev, fd, parts, count);
}

static void note_parts(struct disk_log *log, int64_t file, uint64_t offset,
                       const struct iovec *parts, int count, ssize_t written)
{
    uint64_t left = (uint64_t)written;
    for (int i = 0; i < count && left > 0; i++) {
        uint64_t length = parts[i].iov_len < left ? parts[i].iov_len : left;
        note(log, DISK_WRITE, file, offset, parts[i].iov_base, length);
        offset += length;
        left -= length;
    }
}

/* A write that is to do half of its work, or none.  True: it goes on, with what is left in *half if that is less. */
static int may_write(struct disk_log *log, const struct iovec *parts, struct iovec *half)
{
    int is_short = parts->iov_len > 1 && is_failed(log, DISK_SHORT_WRITE);
    if (!is_short && is_failed(log, DISK_FAIL_WRITE)) {
        if (!log->fault_half || log->faults > 1 || parts->iov_len < 2)
            return 0;
        is_short = 1;
    }
    if (is_short)
        *half = (struct iovec){parts->iov_base, parts->iov_len / 2};
    return 1;
}

/* offset below 0: where the file stands. */
static ssize_t do_write(int fd, const struct iovec *parts, int count, off_t offset)
{
    struct disk_log *log = recording();
    int64_t file = log ? file_of(log, fd) : -1;
    if (file < 0)
        return real_pwritev(fd, parts, count, offset);
    lock(log);
    ssize_t written = -1;
    struct iovec half = {NULL, 0};
    if (may_write(log, parts, &half)) {
        if (half.iov_len) {
            parts = &half;
            count = 1;
        }
        int flags = fcntl(fd, F_GETFL);
        struct stat info;
        off_t at = offset >= 0 ? offset : lseek(fd, 0, SEEK_CUR);
        if (flags & O_APPEND && fstat(fd, &info) == 0)
            at = info.st_size;
        written = real_pwritev(fd, parts, count, offset);
        if (written > 0) {
            note_parts(log, file, (uint64_t)at, parts, count, written);
            if (flags & (O_DSYNC | O_SYNC))
                note(log, DISK_SYNC, file, atomic_load(&log->length), NULL, 0);
        }
    }
    unlock(log);
    return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
    union {
        const void *from;
        void *to;
    } both = {bytes};
    struct iovec part = {both.to, length};
    return do_write(fd, &part, 1, offset);
}

ssize_t write(int fd, const void *bytes, size_t length);
ssize_t write(int fd, const void *bytes, size_t length)
{
    return pwrite(fd, bytes, length, -1);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) SAME_AS(pwrite);

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    return do_write(fd, parts, count, -1);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    return do_write(fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) SAME_AS(pwritev);

int ftruncate(int fd, off_t length)
{
    struct disk_log *log = recording();
    int64_t file = log ? file_of(log, fd) : -1;
    if (file < 0)
        return (int)syscall(SYS_ftruncate, fd, length);
    lock(log);
    struct stat info;
    /* A full disk takes room back. */
    int gives = log->fault_errno == ENOSPC && fstat(fd, &info) == 0 && length <= info.st_size;
    int fails = !gives && is_failed(log, DISK_FAIL_WRITE);
    int answer = fails ? -1 : (int)syscall(SYS_ftruncate, fd, length);
    if (answer == 0)
        note(log, DISK_TRUNCATE, file, (uint64_t)length, NULL, 0);
    unlock(log);
    return answer;
}

int ftruncate64(int fd, off64_t length) SAME_AS(ftruncate);

/* Room that is promised counts as written when it makes the file longer. */
int fallocate(int fd, int mode, off_t offset, off_t length)
{
    struct disk_log *log = recording();
    struct stat info;
    int64_t file = log ? file_of(log, fd) : -1;
    if (file < 0)
        return (int)syscall(SYS_fallocate, fd, mode, offset, length);
    lock(log);
    int answer = is_failed(log, DISK_FAIL_WRITE)
                     ? -1
                     : (int)syscall(SYS_fallocate, fd, mode, offset, length);
    if (answer == 0 && fstat(fd, &info) == 0)
        note(log, DISK_TRUNCATE, file, (uint64_t)info.st_size, NULL, 0);
    unlock(log);
    return answer;
}

int fallocate64(int fd, int mode, off64_t offset, off64_t length) SAME_AS(fallocate);

int posix_fallocate(int fd, off_t offset, off_t length)
{
    return fallocate(fd, 0, offset, length) == 0 ? 0 : errno;
}

int posix_fallocate64(int fd, off64_t offset, off64_t length) SAME_AS(posix_fallocate);

/* ---- Reads, which are failed or cut short. ---------------------------------------------------- */

static ssize_t do_read(int fd, void *bytes, size_t length, off_t offset)
{
    struct disk_log *log = recording();
    int fails = 0;
    if (log && (log->fault == DISK_FAIL_READ || log->fault == DISK_SHORT_READ) &&
        file_of(log, fd) >= 0) {
        lock(log);
        fails = is_failed(log, DISK_FAIL_READ);
        if (length > 1 && is_failed(log, DISK_SHORT_READ))
            length /= 2;
        unlock(log);
    }
    if (fails)
        return -1;
    return offset >= 0 ? syscall(SYS_pread64, fd, bytes, length, offset)
                       : syscall(SYS_read, fd, bytes, length);
}

ssize_t read(int fd, void *bytes, size_t length)
{
    return do_read(fd, bytes, length, -1);
}

ssize_t pread(int fd, void *bytes, size_t length, off_t offset)
{
    return do_read(fd, bytes, length, offset);
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) SAME_AS(pread);

/* ---- Syncs. ----------------------------------------------------------------------------------- */

static int do_sync(int fd, long call)
{
    char path[PATH_MAX];
    if (disk_current && disk_current->is_quiet && fd_path(disk_current, fd, path, sizeof path))
        return 0;
    struct disk_log *log = recording();
    int64_t file = log ? file_of(log, fd) : -1;
    if (file < 0)
        return (int)syscall(call, fd);
    uint64_t covered = atomic_load(&log->length);
    atomic_fetch_add(&log->syncing, 1);
    (void)(log->sync_us > 0 ? usleep(log->sync_us) : sched_yield());
    lock(log);
    int is_beside = atomic_fetch_sub(&log->syncing, 1) > 1;
    int failed = is_failed(log, DISK_FAIL_SYNC) || (is_beside && is_failed(log, DISK_FAIL_BESIDE));
    note(log, failed ? DISK_SYNC_FAILED : DISK_SYNC, file, covered, NULL, 0);
    if (file == DISK_PARENT && !failed && !log->parent_at)
        log->parent_at = atomic_load(&log->length);
    unlock(log);
    return failed ? -1 : 0;
}

int fsync(int fd)
{
    return do_sync(fd, SYS_fsync);
}

int fdatasync(int fd)
{
    return do_sync(fd, SYS_fdatasync);
}

/* ---- Names. ----------------------------------------------------------------------------------- */

static int do_open(int at, const char *path, int flags, mode_t mode)
{
    struct disk_log *log = recording();
    char name[PATH_MAX];
    if (!name_of(log, at, path, name, sizeof name))
        return (int)syscall(SYS_openat, at, path, flags, mode);
    lock(log);
    struct stat info;
    int was_there = syscall(SYS_newfstatat, at, path, &info, 0) == 0;
    int fd = -1;
    int makes = (flags & O_CREAT) && !was_there;
    if (!makes || !is_failed(log, DISK_FAIL_WRITE))
        fd = (int)syscall(SYS_openat, at, path, flags, mode);
    if (fd >= 0 && makes)
        file_forget(log, fd);
    int64_t file = fd >= 0 ? file_add(log, fd) : -1;
    if (file >= 0 && file != DISK_DIRECTORY && makes)
        note_name(log, DISK_CREATE, file, name);
    else if (file >= 0 && file != DISK_DIRECTORY && flags & O_TRUNC && info.st_size > 0)
        note(log, DISK_TRUNCATE, file, 0, NULL, 0);
    unlock(log);
    return fd;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(arguments, int) : 0;
}

#define OPEN_AT(name, declared_at, at)                                                             \
    int name(declared_at const char *path, int flags, ...)                                         \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = mode_of(flags, arguments);                                                   \
        va_end(arguments);                                                                         \
        return do_open(at, path, flags, mode);                                                     \
    }

#define DIRECTORY_ARGUMENT int directory,
OPEN_AT(open, , AT_FDCWD)
OPEN_AT(open64, , AT_FDCWD)
OPEN_AT(openat, DIRECTORY_ARGUMENT, directory)
OPEN_AT(openat64, DIRECTORY_ARGUMENT, directory)

static int do_rename(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
    struct disk_log *log = recording();
    char name[PATH_MAX];
    if (!name_of(log, to_at, to, name, sizeof name))
        return (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
    lock(log);
    int answer = is_failed(log, DISK_FAIL_WRITE)
                     ? -1
                     : (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
    int fd = answer == 0 ? (int)syscall(SYS_openat, to_at, to, O_RDONLY | O_CLOEXEC, 0) : -1;
    if (fd >= 0) {
        note_name(log, DISK_RENAME, file_add(log, fd), name);
        close(fd);
    }
    unlock(log);
    return answer;
}

int rename(const char *from, const char *to)
{
    return do_rename(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
    return do_rename(from_at, from, to_at, to, 0);
}

static int do_unlink(int at, const char *path, int flags)
{
    struct disk_log *log = recording();
    char name[PATH_MAX];
    if (flags & AT_REMOVEDIR || !name_of(log, at, path, name, sizeof name))
        return (int)syscall(SYS_unlinkat, at, path, flags);
    lock(log);
    int answer = (int)syscall(SYS_unlinkat, at, path, flags);
    if (answer == 0)
        note_name(log, DISK_UNLINK, 0, name);
    unlock(log);
    return answer;
}

int unlink(const char *path)
{
    return do_unlink(AT_FDCWD, path, 0);
}

int unlinkat(int at, const char *path, int flags)
{
    return do_unlink(at, path, flags);
}

/* ---- Mapped files: what is synced is written, as it is then. ---------------------------------- */

/* The file and offset that are mapped at an address, of /proc/self/maps. */
static int64_t mapped_file(struct disk_log *log, uintptr_t address, uint64_t *offset)
{
    char line[PATH_MAX + 128];
    int64_t file = -1;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long begin, end, from, inode;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %lu", &begin, &end, &from, &inode) != 4 ||
            address < begin || address >= end)
            continue;
        for (uint32_t i = 0; i < log->file_count; i++)
            if (log->files[i].inode == inode)
                file = i;
        *offset = from + (address - begin);
    }
    if (maps)
        fclose(maps);
    return file;
}

int msync(void *address, size_t length, int flags)
{
    struct disk_log *log = recording();
    uint64_t offset = 0;
    int64_t file = log ? mapped_file(log, (uintptr_t)address, &offset) : -1;
    if (file < 0)
        return (int)syscall(SYS_msync, address, length, flags);
    lock(log);
    int failed = is_failed(log, DISK_FAIL_SYNC);
    note(log, DISK_WRITE, file, offset, address, length);
    note(log, failed ? DISK_SYNC_FAILED : DISK_SYNC, file, atomic_load(&log->length), NULL, 0);
    unlock(log);
    return failed ? -1 : 0;
}
