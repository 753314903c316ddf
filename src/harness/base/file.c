/* file.c - reads whole files, and replaces files by rename. */
#include "harness/base/file.h"

#include "harness/base/interrupt.h"
#include "harness/base/memory.h"

#include <fcntl.h>
#include <sys/stat.h>

#define READ_STEP 65536u

int file_read_stream(FILE *file, const char *path, char **text, size_t *size, struct diag *diag)
{
    char *buffer = NULL;
    size_t used = 0, room = 0;
    do {
        if (room - used < READ_STEP) {
            room = room * 2 + 2 * READ_STEP;
            buffer = memory_grow(buffer, room, 1);
        }
        used += fread(buffer + used, 1, READ_STEP - 1, file);
    } while (!feof(file) && !ferror(file));
    if (ferror(file)) {
        free(buffer);
        return diag_usage(diag, "%s: cannot be read: %s; expected a file", path, strerror(errno));
    }
    buffer[used] = '\0';
    *text = buffer;
    *size = used;
    return DIAG_OK;
}

int file_read(const char *path, char **text, size_t *size, struct diag *diag)
{
    if (strcmp(path, "-") == 0)
        return file_read_stream(stdin, "standard input", text, size, diag);
    FILE *file = fopen(path, "rb");
    if (!file)
        return diag_usage(diag, "%s: cannot be opened: %s", path, strerror(errno));
    int status = file_read_stream(file, path, text, size, diag);
    fclose(file);
    return status;
}

/* Prints and closes; 0 or the errno. */
static int print_to(FILE *out, file_print_fn *print, const void *ctx, bool to_disk)
{
    errno = 0;
    print(out, ctx);
    bool failed = fflush(out) != 0 || ferror(out) || (to_disk && fsync(fileno(out)) != 0);
    int reason = failed ? (errno ? errno : EIO) : 0;
    if (out != stdout && fclose(out) != 0 && !reason)
        reason = errno;
    return reason;
}

/* Opened by hand because fopen cannot refuse to follow a link that somebody put there. */
static FILE *open_part(const char *part)
{
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return NULL;
    FILE *out = fdopen(fd, "w");
    if (!out)
        close(fd);
    return out;
}

static int replace_regular(const char *target, file_print_fn *print, const void *ctx,
                           struct diag *diag)
{
    char part[4200];
    sigset_t before;
    if (snprintf(part, sizeof part, "%s.%ld.part", target, (long)getpid()) >= (int)sizeof part)
        return diag_run(diag, "%s: the name is too long", target);
    interrupt_hold(&before);
    FILE *out = open_part(part);
    int reason = out ? print_to(out, print, ctx, true) : errno;
    if (out && reason == 0 && rename(part, target) != 0)
        reason = errno;
    if (out && reason != 0)
        unlink(part);
    interrupt_restore(&before);
    if (reason == 0)
        return DIAG_OK;
    return diag_run(diag, "%s: cannot be written: %s", target, strerror(reason));
}

/* Opening waits for a reader, and writing for one that reads on. */
static int write_through(const char *path, file_print_fn *print, const void *ctx, struct diag *diag)
{
    sigset_t before;
    bool is_stdout = strcmp(path, "-") == 0;
    interrupt_admit(&before);
    FILE *out = is_stdout ? stdout : fopen(path, "w");
    int reason = out ? print_to(out, print, ctx, false) : errno;
    interrupt_restore(&before);
    if (reason == 0)
        return DIAG_OK;
    return diag_run(diag, "%s: cannot be written: %s", is_stdout ? "standard output" : path,
                    strerror(reason));
}

bool file_is_replaced(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

int file_replace(const char *path, file_print_fn *print, const void *ctx, struct diag *diag)
{
    if (!file_is_replaced(path))
        return write_through(path, print, ctx, diag);
    /* A link stays a link: what it points to is replaced. */
    char *target = realpath(path, NULL);
    int status = replace_regular(target ? target : path, print, ctx, diag);
    free(target);
    return status;
}

int file_refuse_existing(const char *path, const char *advice, struct diag *diag)
{
    struct stat info;
    if (strcmp(path, "-") == 0 || lstat(path, &info) != 0)
        return DIAG_OK;
    bool is_link = S_ISLNK(info.st_mode);
    if (is_link && stat(path, &info) != 0)
        return diag_usage(diag, "%s: is a link to a file that is not there; %s", path, advice);
    if (S_ISDIR(info.st_mode))
        return diag_usage(diag, "%s: is a directory; expected the name of a file", path);
    if (!S_ISREG(info.st_mode))
        return DIAG_OK;
    return diag_usage(diag, "%s: is there already; %s", path, advice);
}
