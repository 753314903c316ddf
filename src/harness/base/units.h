/*
 * units.h - reads and writes times, sizes, counts and lists of them.
 *
 * Counts take 1000, 1e6, 1M (SI: k M G T), 1Mi (IEC: Ki Mi Gi Ti).  Times take a unit: ns us ms s
 * m (or min) h d.  Every parser consumes the whole text or fails: no trailing rubbish, no negative
 * values, no overflow, no silent rounding of a fraction (1.5k is 1500; 1.5 is refused for a count).
 */
#ifndef TWBENCH_UNITS_H
#define TWBENCH_UNITS_H

#include "harness/base/diag.h"
#include "harness/base/libc.h"

/* `what` names the flag or key in the diagnostic: "--tasks". */
int units_parse_count(const char *text, const char *what, uint64_t *out, struct diag *diag);
int units_parse_count_in(const char *text, const char *what, uint64_t min, uint64_t max,
                         uint64_t *out, struct diag *diag);
/* Nanoseconds.  A bare number without unit is refused ("expected a time such as 10ms"). */
int units_parse_time(const char *text, const char *what, uint64_t *out_ns, struct diag *diag);

/* A time, converted with the length of a tick and rounded up, or a bare number of ticks. */
int units_parse_ticks(const char *text, uint64_t tick_ns, const char *what, uint64_t *out_ticks,
                      struct diag *diag);
/* A finite decimal number, which may be negative and have a fraction: "0.5", "1e-4". */
int units_parse_real(const char *text, const char *what, double *out, struct diag *diag);
/* The same within bounds. */
int units_parse_real_in(const char *text, const char *what, double min, double max, double *out,
                        struct diag *diag);

/* "1.5M", "1k", "864k", "37" - shortest form that is exact to three digits. */
void units_format_count(char *out, size_t size, uint64_t count);
/* "1 ms", "30 s", "1.5 us". */
void units_format_time(char *out, size_t size, uint64_t ns);
/* "1ms", "1500us": exactly, as a flag takes it. */
void units_exact_time(char *out, size_t size, uint64_t ns);
/* "512 B", "4.0 KiB", "16 MiB". */
void units_format_bytes(char *out, size_t size, uint64_t bytes);
/* A share as a change: "+33.3 %", "-0.4 %", "0 %", "+0.02 %"; "-" unless it is finite. */
void units_format_change(char *out, size_t size, double share);

/* A share as percent without its sign, "3.1", "-0.4": with one decimal, or with as many, up to four,
 * as keep it on its own side of +edge and -edge, so that a reader who compares the two finds what
 * the program found. */
void units_format_percent(char *out, size_t size, double share, double edge);

/* The whole part of a number that somebody else wrote: 0 for one that is none or below 0, and the largest there is
 * for one that is larger.  A plain cast is undefined for these. */
uint64_t units_whole(double value);

/* ---- Lists (lists.c). ------------------------------------------------------------------------- */

/* Reads lists and ranges of numbers as values of flags; their memory is freed all at once. */

/* Calls `item` with each part of `value` between separators; an empty part is an error, and so is one that is there
 * twice, but for lists_repeat.  The part lives only during the call. */
typedef int lists_item_fn(void *ctx, const char *flag, const char *item, struct diag *diag);
int lists_split(const char *value, char separator, const char *flag, size_t max,
                lists_item_fn *item, void *ctx, struct diag *diag);
int lists_repeat(const char *value, char separator, const char *flag, size_t max,
                 lists_item_fn *item, void *ctx, struct diag *diag);
/* Has the list, before `end`, what the list `item` begins with?  As a text, or as a number: 1e3 and 1000 are one. */
bool lists_has(const char *list, const char *end, char separator, const char *item);

struct lists_range {
    uint64_t min, max; /* allowed, inclusive */
    uint64_t factor;   /* between the points of A..B when it does not say A..B*F */
};

/* "1e3,5e3,1e4..1e6,64..4096*4": numbers and geometric ranges, both ends included. */
int lists_numbers(const char *value, const char *flag, const struct lists_range *range,
                  uint64_t *out, size_t max, size_t *count, struct diag *diag);

/* Which of the words is it, of which "" is none?  DIAG_USAGE with all, and the nearest; `what` is the flag or key. */
int lists_choose(const char *what, const char *asked, const char *const *words, unsigned *out,
                 struct diag *diag);

/* Copies and zeroed arrays that live until lists_release(memory). */
char *lists_keep(void **memory, const char *text);
/* The first `length` bytes of it. */
char *lists_keep_part(void **memory, const char *text, size_t length);
void *lists_keep_bytes(void **memory, size_t count, size_t size);
/* Frees all of them; *memory is NULL afterwards. */
void lists_release(void **memory);

#endif
