/* tracing.c - makes, fills and removes an instance of tracefs. */
#include "labs/traces/record/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing"

/* Writes a word into a file of tracefs; errno says why not. */
static bool put(const char *directory, const char *name, const char *word, int flags)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
    if (fd < 0)
        return false;
    bool done = write(fd, word, strlen(word)) == (ssize_t)strlen(word);
    int why = errno;
    close(fd);
    errno = why;
    return done;
}

static int refuse(const char *what, struct diag *diag)
{
    if (errno == EACCES || errno == EPERM)
        return diag_usage(diag, "%s: %s; recording needs root: sudo twbench record ...", what,
                          strerror(errno));
    return diag_usage(diag, "%s: %s", what, strerror(errno));
}

static int find_tracefs(struct diag *diag)
{
    if (access(TRACEFS "/trace", F_OK) == 0)
        return DIAG_OK;
    if (errno == ENOENT && mount("tracefs", TRACEFS, "tracefs", 0, NULL) == 0)
        return DIAG_OK;
    if (errno == ENODEV || errno == ENOENT)
        return diag_usage(diag, TRACEFS ": this kernel has no tracefs (CONFIG_FTRACE); record on "
                                        "another, and import the log here");
    return refuse("tracefs cannot be mounted at " TRACEFS, diag);
}

int tracing_open(struct tracing *tracing, uint64_t buffer_kb, struct diag *diag)
{
    char path[sizeof tracing->instance], size[32];
    *tracing = (struct tracing){.instance = ""};
    int status = find_tracefs(diag);
    if (status != DIAG_OK)
        return status;
    snprintf(tracing->group, sizeof tracing->group, "twbench_%d", (int)getpid());
    snprintf(path, sizeof path, TRACEFS "/instances/%s", tracing->group);
    if (mkdir(path, 0700) != 0)
        return refuse(path, diag);
    memcpy(tracing->instance, path, sizeof path);
    snprintf(size, sizeof size, "%" PRIu64, buffer_kb > 0 ? buffer_kb : 200000);
    /* One clock for all processors; a full buffer loses what comes last, not what came first. */
    if (!put(path, "trace_clock", "mono", 0) || !put(path, "options/overwrite", "0", 0))
        return refuse(path, diag);
    if (!put(path, "buffer_size_kb", size, 0))
        return diag_usage(diag, "a buffer of %s kB per processor: %s; expected a smaller --buffer",
                          size, strerror(errno));
    return DIAG_OK;
}

void tracing_close(struct tracing *tracing)
{
    char path[128];
    if (tracing->instance[0]) {
        put(tracing->instance, "tracing_on", "0", 0);
        for (size_t i = 0; i < tracing->event_count; i++) {
            snprintf(path, sizeof path, "events/%s/enable", tracing->events[i]);
            put(tracing->instance, path, "0", 0);
        }
        rmdir(tracing->instance);
    }
    for (size_t i = 0; i < tracing->made_count; i++) {
        snprintf(path, sizeof path, "-:%s/%s\n", tracing->group, tracing->made[i]);
        put(TRACEFS, "uprobe_events", path, O_APPEND);
    }
    *tracing = (struct tracing){.instance = ""};
}

int tracing_probe(struct tracing *tracing, const char *name, const char *file, uint64_t offset,
                  const char *fetches, const char *filter, struct diag *diag)
{
    char line[4608], path[128];
    snprintf(line, sizeof line, "p:%s/%s %s:0x%" PRIx64 " %s\n", tracing->group, name, file, offset,
             fetches);
    if (!put(TRACEFS, "uprobe_events", line, O_APPEND)) {
        if (errno == ENOENT)
            return diag_usage(diag, TRACEFS "/uprobe_events: this kernel has no probes on programs "
                                            "(CONFIG_UPROBE_EVENTS)");
        return refuse(TRACEFS "/uprobe_events", diag);
    }
    snprintf(tracing->made[tracing->made_count++], sizeof tracing->made[0], "%s", name);
    snprintf(path, sizeof path, "events/%s/%s/filter", tracing->group, name);
    if (filter[0] && !put(tracing->instance, path, filter, 0))
        return refuse(path, diag);
    return DIAG_OK;
}

int tracing_enable(struct tracing *tracing, const char *event, struct diag *diag)
{
    char path[128];
    snprintf(path, sizeof path, "events/%s/enable", event);
    if (!put(tracing->instance, path, "1", 0))
        return diag_usage(diag, TRACEFS "/events/%s: %s; expected a kernel with this tracepoint",
                          event, strerror(errno));
    tracing->events[tracing->event_count++] = event;
    return DIAG_OK;
}

/* ---- Saving. ------------------------------------------------------------------------------------- */

static int copy_lines(FILE *from, const char *log, struct record_end *end, struct diag *diag)
{
    FILE *to = fopen(log, "we");
    char line[4096];
    if (!to)
        return diag_usage(diag, "%s: %s", log, strerror(errno));
    while (fgets(line, sizeof line, from)) {
        end->events += line[0] != '#' && strchr(line, '\n');
        fputs(line, to);
    }
    bool failed = ferror(from) || ferror(to);
    failed |= fclose(to) != 0;
    return failed ? diag_run(diag, "%s: cannot be written: %s", log, strerror(errno)) : DIAG_OK;
}

/* A full buffer stops one processor and leaves the others recording; only the statistics say so. */
static uint64_t lost_of(const char *path)
{
    uint64_t lost = 0;
    char line[256];
    FILE *stats = fopen(path, "re");
    while (stats && fgets(line, sizeof line, stats)) {
        const char *value = strrchr(line, ':');
        if (value &&
            (strncmp(line, "overrun:", 8) == 0 || strncmp(line, "commit overrun:", 15) == 0 ||
             strncmp(line, "dropped events:", 15) == 0))
            lost += strtoull(value + 1, NULL, 10);
    }
    if (stats)
        fclose(stats);
    return lost;
}

static uint64_t count_lost(const struct tracing *tracing)
{
    char path[512];
    uint64_t lost = 0;
    snprintf(path, sizeof path, "%s/per_cpu", tracing->instance);
    DIR *directory = opendir(path);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, "cpu", 3) != 0)
            continue;
        snprintf(path, sizeof path, "%s/per_cpu/%s/stats", tracing->instance, entry->d_name);
        lost += lost_of(path);
    }
    if (directory)
        closedir(directory);
    return lost;
}

int tracing_save(struct tracing *tracing, const char *log, struct record_end *end,
                 struct diag *diag)
{
    char path[512];
    put(tracing->instance, "tracing_on", "0", 0);
    snprintf(path, sizeof path, "%s/trace", tracing->instance);
    FILE *trace = fopen(path, "re");
    if (!trace)
        return diag_run(diag, "%s: %s", path, strerror(errno));
    end->lost = count_lost(tracing);
    int status = copy_lines(trace, log, end, diag);
    fclose(trace);
    return status;
}
