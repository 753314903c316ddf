/* record.c - the kinds of recordings: from the rights to a log. */
#include "labs/traces/record/record.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <time.h>

const struct recorder recorders[] = {
    {"nginx", "the timers of the nginx that is the command", {NULL}, NULL, false},
    {"libuv",
     "programs that use libuv, those that run already too (root)",
     {NULL},
     probes_libuv,
     false},
    {"libevent",
     "programs that use libevent, those that run already too (root)",
     {NULL},
     probes_libevent,
     false},
    {"ktimer",
     "the kernel's timer wheel (root)",
     {"timer/timer_start", "timer/timer_cancel", "timer/timer_expire_entry"},
     NULL,
     false},
    {"khrtimer",
     "the kernel's high-resolution timers (root)",
     {"timer/hrtimer_start", "timer/hrtimer_cancel", "timer/hrtimer_expire_entry"},
     NULL,
     true},
    {NULL, NULL, {NULL}, NULL, false},
};

int recorder_take(const char *name, const struct recorder **out, struct diag *diag)
{
    char buffer[128], hint[NEAREST_HINT];
    struct text names = text_in(buffer, sizeof buffer);
    for (size_t i = 0; recorders[i].name; i++) {
        text_add_item(&names, ", ", "%s", recorders[i].name);
        if (strcmp(recorders[i].name, name) == 0) {
            *out = &recorders[i];
            return DIAG_OK;
        }
    }
    return diag_usage(diag, "record: no kind '%s'; expected one of %s%s", name, buffer,
                      nearest_listed(name, buffer, hint, sizeof hint));
}

/* ---- nginx. -------------------------------------------------------------------------------------- */

/* A line of its debug log is at most 2048 bytes; what is longer is not one of a timer. */
struct sieve {
    FILE *log;
    uint64_t events;
    char line[4096];
    size_t used;
};

static void sift_line(struct sieve *sieve, const char *line)
{
    bool timer =
        strstr(line, "event timer") || strstr(line, "timer delta") || strstr(line, "epoll timer");
    if (timer) {
        sieve->events++;
        fputs(line, sieve->log);
    } else if (!strstr(line, "[debug]") && !strstr(line, "[info]") && !strstr(line, "[notice]")) {
        fputs(line, stderr);
    }
}

/* Timers go into the log, other debug lines nowhere, and what a user should see to standard error. */
static void sift(void *ctx, const char *text, size_t size)
{
    struct sieve *sieve = ctx;
    for (size_t i = 0; i < size; i++) {
        if (sieve->used < sizeof sieve->line - 2 || text[i] == '\n')
            sieve->line[sieve->used++] = text[i];
        if (text[i] != '\n')
            continue;
        sieve->line[sieve->used] = '\0';
        sift_line(sieve, sieve->line);
        sieve->used = 0;
    }
}

static int record_nginx(const struct record_request *request, struct record_end *end,
                        struct diag *diag)
{
    char **words, *globals;
    struct sieve sieve = {.log = NULL};
    int status = nginx_command(request->command, &words, &globals, diag);
    if (status != DIAG_OK)
        return status;
    if (!(sieve.log = fopen(request->log, "we")))
        status = diag_usage(diag, "%s: %s", request->log, strerror(errno));
    if (status == DIAG_OK) {
        struct command_run run = {words, request->wishes->duration_ns, sift, &sieve};
        status = command_run(&run, end, diag);
        end->events = sieve.events;
    }
    bool failed = sieve.log && ferror(sieve.log);
    if (sieve.log)
        failed |= fclose(sieve.log) != 0;
    free(globals);
    free(words);
    return status == DIAG_OK && failed ? diag_run(diag, "%s: cannot be written", request->log)
                                       : status;
}

/* ---- tracefs. ------------------------------------------------------------------------------------ */

/* How far the clocks are apart, by which deadlines on one are told from those on another. */
static int write_clocks(const char *log, struct diag *diag)
{
    static const struct {
        const char *name;
        clockid_t id;
    } clocks[] = {{"realtime", CLOCK_REALTIME}, {"boottime", CLOCK_BOOTTIME}};
    char path[4200];
    snprintf(path, sizeof path, "%s.clocks", log);
    FILE *out = fopen(path, "we");
    if (!out)
        return diag_usage(diag, "%s: %s", path, strerror(errno));
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        int64_t before = (int64_t)clock_read_ns(CLOCK_MONOTONIC),
                there = (int64_t)clock_read_ns(clocks[i].id);
        int64_t after = (int64_t)clock_read_ns(CLOCK_MONOTONIC);
        fprintf(out, "%s-monotonic %" PRId64 "\n", clocks[i].name,
                there - before - (after - before) / 2);
    }
    return fclose(out) == 0 ? DIAG_OK : diag_run(diag, "%s: %s", path, strerror(errno));
}

static int switch_on(const struct record_request *request, struct tracing *tracing,
                     struct diag *diag)
{
    const struct recorder *recorder = request->recorder;
    int status = DIAG_OK;
    if (recorder->clocks)
        status = write_clocks(request->log, diag);
    if (status == DIAG_OK && recorder->probes)
        status = recorder->probes(tracing, request->wishes->library, diag);
    if (status == DIAG_OK && recorder->probes)
        return tracing_enable(tracing, tracing->group, diag);
    for (size_t i = 0; i < 3 && recorder->events[i] && status == DIAG_OK; i++)
        status = tracing_enable(tracing, recorder->events[i], diag);
    return status;
}

static int record_system(const struct record_request *request, struct record_end *end,
                         struct diag *diag)
{
    struct tracing tracing;
    struct command_run run = {request->command, request->wishes->duration_ns, NULL, NULL};
    int status = tracing_open(&tracing, request->wishes->buffer_kb, diag);
    if (status == DIAG_OK)
        status = switch_on(request, &tracing, diag);
    if (status == DIAG_OK)
        status = command_run(&run, end, diag);
    if (status == DIAG_OK)
        status = tracing_save(&tracing, request->log, end, diag);
    tracing_close(&tracing);
    return status;
}

int record_run(const struct record_request *request, struct record_end *end, struct diag *diag)
{
    bool system = request->recorder->probes || request->recorder->events[0];
    return system ? record_system(request, end, diag) : record_nginx(request, end, diag);
}
