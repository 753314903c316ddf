/*
 * record.h - records the timer calls of programs and of the kernel while a command runs, as a log that import reads.
 *
 * nginx is started with a configuration of its own that makes it report timers; all else is recorded by tracefs of the
 * whole machine, in an instance that disturbs no other tracing.  What is missing (rights, tracefs, a package) is said
 * with what to do, as DIAG_USAGE, before the command starts.
 */
#ifndef TWBENCH_RECORD_H
#define TWBENCH_RECORD_H

#include "harness/base/diag.h"

/* ---- Command (command.c). --------------------------------------------------------------------- */

/* Runs the command that is recorded, and ends it: by a signal to us, or after a time. */

/* How it ended, once the log is written. */
struct record_end {
    bool interrupted; /* by a signal to this process */
    bool cut;         /* the command was ended: a signal, or the duration */
    int status;       /* of the command as a shell has it: 128 + N for a signal */
    uint64_t events;  /* lines in the log */
    uint64_t lost;    /* events that a buffer had no room for */
};

/* Takes what the command wrote to its standard error; size 0: there will be no more. */
typedef void command_said_fn(void *ctx, const char *text, size_t size);

struct command_run {
    char *const *words;
    uint64_t duration_ns;  /* 0: for as long as it takes */
    command_said_fn *said; /* NULL: standard error is ours */
    void *ctx;
};

/* Runs it to its end and fills interrupted, cut and status.  DIAG_USAGE: it cannot be started. */
int command_run(const struct command_run *run, struct record_end *end, struct diag *diag);

/* What the command prints, both streams, as a text to be freed; *status as in record_end. */
int command_output(char *const *words, char **text, int *status, struct diag *diag);

/* ---- Tracing (tracing.c). --------------------------------------------------------------------- */

/* An instance of tracefs: events of the kernel and of probes, on one clock, with nothing lost in silence. */

struct tracing {
    char instance[128]; /* its directory; "": none */
    char group[32];     /* of the probes */
    char made[4][40];   /* probes that are there, by name */
    size_t made_count;
    const char *events[4]; /* those that are on */
    size_t event_count;
};

/* Mounts tracefs where it is not, and makes the instance.  DIAG_USAGE: no rights, or no tracefs here.
 * tracing_close in any case. */
int tracing_open(struct tracing *tracing, uint64_t buffer_kb, struct diag *diag);
/* Switches off, and removes from the kernel, what was made there; harmless without. */
void tracing_close(struct tracing *tracing);

/* Adds the probe NAME at that offset of the file, with what it fetches; "" or a filter for its events. */
int tracing_probe(struct tracing *tracing, const char *name, const char *file, uint64_t offset,
                  const char *fetches, const char *filter, struct diag *diag);
/* Events begin: of the kernel ("timer/timer_start"), or of all probes made (the group). */
int tracing_enable(struct tracing *tracing, const char *event, struct diag *diag);
/* Events end; they go into the log, and how many there are and were lost into `end`. */
int tracing_save(struct tracing *tracing, const char *log, struct record_end *end,
                 struct diag *diag);

/* ---- Probes on the timer functions of libuv and libevent, so that no program is rebuilt or restarted (probes.c). ---- */

/* Probes of the library's file, NULL: the one that the linker finds.  DIAG_USAGE: it is not installed, or what the
 * offsets in libuv's structs are asked of (headers, a compiler) is not here.  The file is loaded to find its functions. */
int probes_libuv(struct tracing *tracing, const char *file, struct diag *diag);
int probes_libevent(struct tracing *tracing, const char *file, struct diag *diag);

/* ---- nginx (nginx_config.c). ------------------------------------------------------------------- */

/* The command to run instead: in the foreground, with a log of timers on standard error beside those of its configuration.  Words
 * and globals are the caller's to free.  DIAG_USAGE: no nginx, one without --with-debug, a configuration that it refuses, or an
 * error_log in a block or an included file, which would take the reports away. */
int nginx_command(char *const *command, char ***words, char **globals, struct diag *diag);

/* ---- The recording. --------------------------------------------------------------------------- */

struct tracing;

struct record_wishes {
    uint64_t duration_ns; /* the command is ended after it; 0: when it ends, or a signal comes */
    uint64_t buffer_kb;   /* of tracefs, per processor; 0: 200000 */
    const char *library;  /* the library's file; NULL: the one that the linker finds */
    const char *log;      /* where the log stays; NULL: it is removed after the import */
};

struct recorder {
    const char *name, *records; /* the name is import's too */
    const char *events[3];      /* of the kernel */
    int (*probes)(struct tracing *tracing, const char *library, struct diag *diag); /* or NULL */
    bool clocks; /* LOG.clocks is written beside the log */
};

/* Ended by one without a name. */
extern const struct recorder recorders[];

struct record_request {
    const struct recorder *recorder;
    char *const *command; /* at least one word; ends with NULL */
    const char *log;      /* file to write; it is replaced */
    const struct record_wishes *wishes;
};

/* The kind of that name; DIAG_USAGE names all kinds when there is none. */
int recorder_take(const char *name, const struct recorder **out, struct diag *diag);

/* Records until the command has ended.  A first SIGINT, SIGTERM or SIGHUP is passed to the command; what was recorded
 * until then is kept.  On an error nothing of the recording is left in the system. */
int record_run(const struct record_request *request, struct record_end *end, struct diag *diag);

#endif
