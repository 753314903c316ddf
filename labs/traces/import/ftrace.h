/* ftrace.h - reads one line of what Linux recorded: tracefs (trace, trace_pipe), trace-cmd report, perf script.
 *
 *     tracefs    isc-net-0001-2292 [000] d..1.  2082.660040: timer_start: timer=... function=...
 *     perf       kworker/0:0-eve     9 [000]  2577.882546793: timer:timer_start: timer=... ...
 *                |task          |pid  |cpu |flags |time      |group|event    |fields
 *
 * Names of tasks are free text: they hold blanks, dashes, slashes and brackets, so a line is read from
 * the first "[digits]" on behind which the rest of a record follows, to both sides.  Flags are missing
 * from perf script and where the option irq-info is off; "(tgid)" is there with record-tgid; the
 * group is dropped.  A timestamp is seconds with a fraction (clocks that count cycles have none and are
 * refused).  Spans point into the line.
 */
#ifndef TWBENCH_FTRACE_H
#define TWBENCH_FTRACE_H

#include "harness/base/scan.h"

enum ftrace_line {
    FTRACE_RECORD,
    FTRACE_COMMENT, /* empty, or begins with '#' */
    FTRACE_LOST,    /* "CPU:1 [LOST 123 EVENTS]": only `cpu` and `lost` of the record are set */
    FTRACE_OTHER,   /* none of these: torn, a stack, or no such log */
};

struct ftrace_record {
    struct span task; /* "isc-net-0001", "<idle>"; may be empty */
    int64_t pid;      /* of the thread; perf script writes -1 when it does not know */
    int64_t tgid;     /* of the process; -1: not in the line */
    uint32_t cpu;
    struct span flags;  /* "d..1."; empty: not in the line */
    uint64_t ns;        /* timestamp */
    unsigned precision; /* digits of its fraction: 6 = microseconds, 9 = nanoseconds */
    struct span event;  /* "timer_start", without its group */
    struct span fields; /* what follows the event and a blank */
    uint64_t lost;      /* FTRACE_LOST: how many; 0 when it does not say */
};

/* Reads a line, given without its newline (a carriage return at its end is no part of it). */
enum ftrace_line ftrace_read(struct span line, struct ftrace_record *record);

/* The value of " key=" or "[key=" among the fields, up to a blank, a ']' or the end; it may be empty.
 * The first one counts.  O(length of the fields). */
bool ftrace_field(const struct ftrace_record *record, const char *key, struct span *value);

/* The same as a number, of which nothing may be left over: decimal, or hexadecimal with 0x, as
 * uprobes print it depending on the type that they were given. */
bool ftrace_unsigned(const struct ftrace_record *record, const char *key, uint64_t *out);
/* The same; decimal may be negative, hexadecimal is two's complement. */
bool ftrace_signed(const struct ftrace_record *record, const char *key, int64_t *out);
/* A pointer, raw or hashed, hexadecimal with or without 0x ("(____ptrval____)" is none). */
bool ftrace_address(const struct ftrace_record *record, const char *key, uint64_t *out);

#endif
