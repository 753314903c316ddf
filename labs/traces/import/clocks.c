/* clocks.c - reads the clocks file of a kernel log. */
#include "labs/traces/import/import.h"

#include "harness/base/scan.h"
#include "harness/measure/workload/trace.h"

#include <unistd.h>

static bool line_read(struct clocks *clocks, struct span line)
{
    bool realtime = scan_literal(&line, "realtime-monotonic ");
    if (!realtime && !scan_literal(&line, "boottime-monotonic "))
        return false;
    int64_t offset;
    scan_blanks(&line);
    if (!scan_signed(&line, &offset))
        return false;
    scan_blanks(&line);
    *(realtime ? &clocks->has_realtime : &clocks->has_boottime) = true;
    *(realtime ? &clocks->realtime : &clocks->boottime) = offset;
    return line.at == line.end;
}

int clocks_read(struct clocks *clocks, const char *path, struct diag *diag)
{
    struct textfile *file;
    struct clocks read = {0};
    char *line;
    size_t length;
    int status = textfile_open(&file, path, diag), more = 0;
    if (status != DIAG_OK)
        return status;
    while (status == DIAG_OK && (more = textfile_line(file, &line, &length, diag)) > 0)
        if (length > 0 && *line != '#' && !line_read(&read, span_of(line, length)))
            status = diag_usage(diag,
                                "%s:%llu: '%.60s', expected 'realtime-monotonic NANOSECONDS' or "
                                "'boottime-monotonic NANOSECONDS'",
                                path, (unsigned long long)textfile_line_number(file), line);
    textfile_close(file);
    if (status != DIAG_OK || more < 0)
        return status != DIAG_OK ? status : more;
    if (!read.has_realtime && !read.has_boottime)
        return diag_usage(
            diag, "%s:1: there is no clock in it, expected 'realtime-monotonic NANOSECONDS'", path);
    *clocks = read;
    return DIAG_OK;
}

/* Where the last ".ending" of the name begins; its length when it has none. */
static size_t ending(const char *log, size_t length)
{
    size_t at = length;
    while (at > 0 && log[at - 1] != '.' && log[at - 1] != '/')
        at--;
    return at > 1 && log[at - 1] == '.' && log[at - 2] != '/' ? at - 1 : length;
}

static bool beside(const char *log, size_t length, char *path, size_t size)
{
    int written = snprintf(path, size, "%.*s.clocks", (int)length, log);
    return written > 0 && (size_t)written < size && access(path, R_OK) == 0;
}

bool clocks_beside(const char *log, char *path, size_t size)
{
    size_t length = strlen(log), stem = ending(log, length);
    if (strcmp(log + stem, ".xz") == 0 || strcmp(log + stem, ".gz") == 0)
        length = stem;
    return beside(log, length, path, size) || beside(log, ending(log, length), path, size);
}
