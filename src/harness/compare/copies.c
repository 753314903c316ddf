/* copies.c - copies a program for the control, and removes the copy. */
#include "harness/compare/pairing.h"

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/paths.h"
#include "harness/base/text.h"

#include <dirent.h>
#include <ftw.h>
#include <sys/stat.h>

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

/* Copies a file to a new one and fills *hash. */
static int copy_file(const char *from, const char *to, uint64_t *hash, struct diag *diag)
{
    char *bytes = NULL;
    size_t size = 0;
    int status = file_read(from, &bytes, &size, diag);
    if (status != DIAG_OK)
        return status;
    *hash = hash_bytes(HASH_BEGIN, bytes, size);
    FILE *out = fopen(to, "wbx");
    bool failed = !out || fwrite(bytes, 1, size, out) != size || fchmod(fileno(out), 0700) != 0;
    if ((out && fclose(out) != 0) || failed)
        status = diag_run(diag, "%s: copying to %s: %s", from, to, strerror(errno));
    free(bytes);
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
