/* copies.c - copies a program for the control, and removes the copy. */
#include "harness/compare/pairing.h"

#include "harness/base/hash.h"
#include "harness/base/memory.h"
#include "harness/base/paths.h"
#include "harness/base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>

#define CHUNK_BYTES ((size_t)1 << 16)

int copies_begin(struct copies *copies, struct diag *diag)
{
    const char *place = getenv("TMPDIR");
    *copies = (struct copies){.count = 0};
    if (!place || !place[0] || strlen(place) > 48)
        place = "/tmp";
    snprintf(copies->directory, sizeof copies->directory, "%s/twbench-XXXXXX", place);
    if (mkdtemp(copies->directory))
        return DIAG_OK;
    int status =
        diag_run(diag, "%s: no directory for copies: %s", copies->directory, strerror(errno));
    copies->directory[0] = '\0';
    return status;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* False with errno set. */
static bool copy_bytes(int in, int out, uint64_t *hash)
{
    char *chunk = memory_take(CHUNK_BYTES, 1);
    ssize_t got;
    *hash = HASH_BEGIN;
    while ((got = read(in, chunk, CHUNK_BYTES)) > 0 && write_all(out, chunk, (size_t)got))
        *hash = hash_bytes(*hash, chunk, (size_t)got);
    int why = errno;
    free(chunk);
    errno = why;
    return got == 0;
}

/* Copies a file to a new one and fills *hash. */
static int copy_file(const char *from, const char *to, uint64_t *hash, struct diag *diag)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return diag_usage(diag, "%s: %s", from, strerror(errno));
    struct stat what;
    if (fstat(in, &what) != 0 || !S_ISREG(what.st_mode)) {
        close(in);
        return diag_usage(diag, "%s: not a file; expected a program or a plugin", from);
    }
    int status = DIAG_OK;
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (out < 0 || !copy_bytes(in, out, hash))
        status = diag_run(diag, "%s: copying to %s: %s", from, to, strerror(errno));
    if (out >= 0 && close(out) != 0 && status == DIAG_OK)
        status = diag_run(diag, "%s: copying to %s: %s", from, to, strerror(errno));
    close(in);
    return status;
}

/* Each copy has a directory of its own: "a/file", "b/file". */
static int make_directory(struct copies *copies, char *out, size_t size, struct diag *diag)
{
    snprintf(out, size, "%s/%c", copies->directory, (char)('a' + (int)copies->count));
    snprintf(copies->paths[copies->count], sizeof copies->paths[0], "%.80s/file", out);
    copies->count++;
    if (mkdir(out, 0700) == 0)
        return DIAG_OK;
    return diag_run(diag, "%s: no directory for copies: %s", out, strerror(errno));
}

int copies_add(struct copies *copies, const char *file, struct diag *diag)
{
    char directory[80];
    size_t at = copies->count;
    int status = make_directory(copies, directory, sizeof directory, diag);
    return status == DIAG_OK ? copy_file(file, copies->paths[at], &copies->hashes[at], diag)
                             : status;
}

/* The modules in `from`, each under its name in `to`. */
static int copy_modules(const char *from, const char *to, struct diag *diag)
{
    uint64_t unused;
    int status = DIAG_OK;
    DIR *directory = opendir(from);
    if (!directory || mkdir(to, 0700) != 0)
        status = diag_run(diag, "%s: copying to %s: %s", from, to, strerror(errno));
    for (const struct dirent *entry; status == DIAG_OK && (entry = readdir(directory)) != NULL;) {
        char module[PATH_MAX], copy[PATH_MAX];
        if (!text_ends_with(entry->d_name, ".so"))
            continue;
        snprintf(module, sizeof module, "%.3800s/%.255s", from, entry->d_name);
        snprintf(copy, sizeof copy, "%s/%.255s", to, entry->d_name);
        status = copy_file(module, copy, &unused, diag);
    }
    if (directory)
        closedir(directory);
    return status;
}

int copies_add_program(struct copies *copies, const char *program, struct diag *diag)
{
    char real[PATH_MAX], from[PATH_MAX], to[128];
    int status = copies_add(copies, program, diag);
    if (status != DIAG_OK || !realpath(program, real) ||
        !paths_beside(real, "libraries", from, sizeof from))
        return status;
    snprintf(to, sizeof to, "%s/%c/libraries", copies->directory,
             (char)('a' + (int)copies->count - 1));
    return copy_modules(from, to, diag);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    (void)remove(path);
    return 0;
}

void copies_remove(struct copies *copies)
{
    if (copies->directory[0])
        (void)nftw(copies->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
