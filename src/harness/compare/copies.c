/* copies.c - mkdtemp, and what has to go away again. */
#include "harness/compare/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int copies_begin(struct copies *copies, struct diag *diag)
{
    const char *place = getenv("TMPDIR");
    *copies = (struct copies){.count = 0};
    if (!place || !place[0] || strlen(place) > 32)
        place = "/tmp";
    snprintf(copies->directory, sizeof copies->directory, "%s/twbench-XXXXXX", place);
    if (mkdtemp(copies->directory))
        return DIAG_OK;
    int status =
        diag_run(diag, "%s: no directory for copies: %s", copies->directory, strerror(errno));
    copies->directory[0] = '\0';
    return status;
}

static int copy_bytes(int in, int out)
{
    for (;;) {
        ssize_t sent = sendfile(out, in, NULL, (size_t)1 << 30);
        if (sent <= 0)
            return (int)sent;
    }
}

int copies_add(struct copies *copies, const char *program, struct diag *diag)
{
    char *path = copies->paths[copies->count];
    const char name[] = {'/', (char)('a' + (int)copies->count++), '\0'};
    memcpy(path, copies->directory, sizeof copies->directory);
    strcat(path, name);
    int in = open(program, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return diag_usage(diag, "%s: %s", program, strerror(errno));
    struct stat what;
    if (fstat(in, &what) != 0 || !S_ISREG(what.st_mode)) {
        close(in);
        return diag_usage(diag, "%s: is no file; expected a program", program);
    }
    int status = DIAG_OK;
    int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (out < 0 || copy_bytes(in, out) != 0)
        status = diag_run(diag, "%s: copying to %s: %s", program, path, strerror(errno));
    if (out >= 0 && close(out) != 0 && status == DIAG_OK)
        status = diag_run(diag, "%s: copying to %s: %s", program, path, strerror(errno));
    close(in);
    return status;
}

void copies_remove(struct copies *copies)
{
    for (size_t i = 0; i < copies->count; i++)
        unlink(copies->paths[i]);
    if (copies->directory[0])
        rmdir(copies->directory);
}
