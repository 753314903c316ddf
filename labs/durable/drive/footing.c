/* footing.c - reads /proc, and walks directories. */
#include "labs/durable/drive/footing.h"

#include "harness/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef TWB_JEMALLOC
#include <jemalloc/jemalloc.h>
#endif

/* The number behind "KEY:" of a file of /proc. */
static uint64_t read_key(int64_t pid, const char *file, const char *key)
{
    char path[64], line[256];
    uint64_t value = UINT64_MAX;
    size_t length = strlen(key);
    snprintf(path, sizeof path, "/proc/%" PRId64 "/%s", pid, file);
    FILE *in = fopen(path, "re");
    if (!in)
        return UINT64_MAX;
    while (value == UINT64_MAX && fgets(line, sizeof line, in))
        if (strncmp(line, key, length) == 0 && line[length] == ':')
            (void)sscanf(line + length + 1, "%" SCNu64, &value);
    fclose(in);
    return value;
}

size_t footing_entries(const char *directory)
{
    size_t count = 0;
    DIR *entries = opendir(directory);
    while (entries && readdir(entries))
        count++;
    if (entries)
        closedir(entries);
    return count;
}

uint64_t footing_allocated_bytes(void)
{
#ifdef TWB_JEMALLOC
    uint64_t epoch = 1;
    size_t bytes, size = sizeof bytes, flag = sizeof(bool);
    bool caches = true;
    if (mallctl("opt.tcache", &caches, &flag, NULL, 0) == 0 && !caches &&
        mallctl("epoch", NULL, NULL, &epoch, sizeof epoch) == 0 &&
        mallctl("stats.allocated", &bytes, &size, NULL, 0) == 0)
        return bytes;
#endif
    return UINT64_MAX;
}

/* The number of a process and, unless it is this one, of its children: a server may work in many. */
static uint64_t read_all(int64_t pid, const char *file, const char *key)
{
    char path[64];
    long child;
    uint64_t sum = read_key(pid, file, key);
    snprintf(path, sizeof path, "/proc/%lld/task/%lld/children", (long long)pid, (long long)pid);
    FILE *children = pid == getpid() ? NULL : fopen(path, "re");
    while (children && sum != UINT64_MAX && fscanf(children, "%ld", &child) == 1) {
        uint64_t more = read_key(child, file, key);
        sum += more == UINT64_MAX ? 0 : more; /* it has just ended */
    }
    if (children)
        fclose(children);
    return sum;
}

uint64_t footing_memory_bytes(int64_t pid)
{
    uint64_t kib = read_all(pid, "status", "RssAnon");
    return kib == UINT64_MAX ? kib : kib * 1024;
}

uint64_t footing_resident_bytes(int64_t pid)
{
    uint64_t mapped_kib = read_all(pid, "status", "RssFile"), memory = footing_memory_bytes(pid);
    return mapped_kib == UINT64_MAX || memory == UINT64_MAX ? UINT64_MAX
                                                            : memory + mapped_kib * 1024;
}

void footing_written(int64_t pid, uint64_t *written_bytes, uint64_t *storage_bytes)
{
    *written_bytes = read_all(pid, "io", "wchar");
    *storage_bytes = read_all(pid, "io", "write_bytes");
}

uint64_t footing_read_bytes(int64_t pid)
{
    return read_all(pid, "io", "rchar");
}

static FTS *walk_begin(const char *directory)
{
    char path[PATH_MAX], *const roots[] = {path, NULL};
    snprintf(path, sizeof path, "%s", directory);
    return fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
}

uint64_t footing_disk_bytes(const char *directory)
{
    uint64_t bytes = 0;
    FTS *walk = walk_begin(directory);
    for (const FTSENT *entry; walk && (entry = fts_read(walk));)
        if (entry->fts_info == FTS_F)
            bytes += (uint64_t)entry->fts_statp->st_blocks * 512;
    if (walk)
        fts_close(walk);
    return bytes;
}

/* How many of a file's pages the page cache has; SIZE_MAX when the system does not say. */
static size_t cached_pages(int fd, size_t bytes, size_t pages)
{
    size_t cached = 0;
    unsigned char *state = malloc(pages);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    bool is_known = state && map != MAP_FAILED && mincore(map, bytes, state) == 0;
    for (size_t i = 0; is_known && i < pages; i++)
        cached += state[i] & 1u;
    if (map != MAP_FAILED)
        munmap(map, bytes);
    free(state);
    return is_known ? cached : SIZE_MAX;
}

static bool forget_file(const char *path)
{
    struct stat info;
    bool forgot = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && fstat(fd, &info) == 0 && fsync(fd) == 0 &&
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)info.st_size;
        size_t pages = (bytes + page - 1) / page;
        forgot = bytes == 0 || cached_pages(fd, bytes, pages) <= pages / 100;
    }
    if (fd >= 0)
        close(fd);
    return forgot;
}

static int forget_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)at;
    return type == FTW_F && S_ISREG(info->st_mode) && !forget_file(path);
}

static bool put_number(const char *folder, const char *name, uint64_t number)
{
    char path[PATH_MAX + 32], text[24];
    int length = snprintf(text, sizeof text, "%" PRIu64, number);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool is_put = fd >= 0 && write(fd, text, (size_t)length) == length;
    if (fd >= 0)
        close(fd);
    return is_put;
}

/* A line of /proc/self/cgroup is "4:memory:/path" in version 1, "0::/path" in version 2; who writes 0 to cgroup.procs moves. */
bool footing_join_group(uint64_t bytes, char folder[PATH_MAX])
{
    bool is_old = access("/sys/fs/cgroup/memory", F_OK) == 0;
    const char *root = is_old ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    const char *kind = is_old ? ":memory:" : "0::";
    char lines[PATH_MAX];
    sysfile_read(lines, sizeof lines, "", "/proc/self/cgroup");
    const char *own = strstr(lines, kind) ? strstr(lines, kind) + strlen(kind) : "";
    for (int length = (int)strcspn(own, "\n"), i = 0; i < 2; i++, length = 0) {
        snprintf(folder, PATH_MAX, "%s%.*s/twbench.%d", root, length, own, (int)getpid());
        if (mkdir(folder, 0700) != 0)
            continue;
        if (put_number(folder, is_old ? "memory.limit_in_bytes" : "memory.max", bytes) &&
            put_number(folder, "cgroup.procs", 0))
            return true;
        rmdir(folder);
    }
    return false;
}

void footing_leave_group(const char *folder)
{
    char above[PATH_MAX];
    snprintf(above, sizeof above, "%.*s", (int)(strrchr(folder, '/') - folder), folder);
    if (put_number(above, "cgroup.procs", 0))
        rmdir(folder);
}

bool footing_forget(const char *directory)
{
    return nftw(directory, forget_one, 16, FTW_PHYS) == 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

bool footing_remove(const char *directory)
{
    return nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0;
}

static bool copy_file(const char *from, const char *to)
{
    ssize_t length = -1;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while (in >= 0 && out >= 0 && (length = sendfile(out, in, NULL, (size_t)1 << 30)) > 0) {
    }
    if (in >= 0)
        close(in);
    return out >= 0 && close(out) == 0 && length == 0;
}

bool footing_copy(const char *from, const char *to)
{
    FTS *walk = walk_begin(from);
    bool copied = walk;
    for (const FTSENT *entry; copied && (entry = fts_read(walk));) {
        char target[PATH_MAX];
        snprintf(target, sizeof target, "%s%s", to, entry->fts_path + strlen(from));
        if (entry->fts_info == FTS_D)
            copied = mkdir(target, 0700) == 0;
        else if (entry->fts_info == FTS_F)
            copied = copy_file(entry->fts_accpath, target);
        else
            copied = entry->fts_errno == 0;
    }
    if (walk)
        fts_close(walk);
    return copied;
}
