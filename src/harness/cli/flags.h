/*
 * flags.h - the table of flags.  A flag is one row: its name, what it takes, its limits, where the value goes, which
 * commands have it, and its help.  --help, `list --flags` and the manual page come from the rows: a
 * new one wants a mark in docs/man/twbench.1.in and `make manual`.
 */
#ifndef TWBENCH_FLAGS_H
#define TWBENCH_FLAGS_H

#include "harness/cli/options.h"

/* Puts the value of a flag into the options.  DIAG_USAGE names the flag as typed, what was given and what was
 * expected. */
typedef int flag_take_fn(struct options *options, const char *flag, const char *value,
                         struct diag *diag);

/* What a flag takes. */
enum flag_kind {
    TAKE_SWITCH,    /* no value: a bool becomes true */
    TAKE_COUNT,     /* a uint64_t within min .. max: 1e6, 1M, 1Mi */
    TAKE_TIME,      /* a uint64_t of nanoseconds, at least min: 10ms */
    TAKE_WORD,      /* an enum, by the place among the words */
    TAKE_FILE,      /* a const char *, not empty; "-" is stdout or stdin */
    TAKE_DIRECTORY, /* a const char * of a directory that can be read */
    TAKE_BY,        /* a function of its own */
    TAKE_EACH,      /* the same; the flag may be repeated, and its help says so */
    TAKE_NAMED      /* the same, of NAME=VALUE: each name once */
};

/* How a flag's value is read, and where it goes. */
struct flag_value {
    enum flag_kind kind;
    size_t offset; /* in struct options */
    uint64_t min, max;
    const char *const *words; /* ended by NULL */
    flag_take_fn *by;
};

/* A row of the table. */
struct flag {
    const char *name;
    const char *value; /* what it takes, for the help; NULL: nothing */
    const char *help;
    unsigned groups; /* of enum flag_group: the commands that have it */
    struct flag_value taken;
};

/* All flags but the exports, in the order of the help. */
extern const struct flag flags[];
extern const size_t flag_count;

/* The flag of that name that a command with these groups has, exports included; NULL: none. */
const struct flag *flag_find(const char *name, unsigned groups);

/* What a command with these groups leaves, for which the exports are. */
enum export_kind flags_export_kind(unsigned groups);

/* Takes the value (NULL where the flag takes none).  `shown` is the flag as the user typed it.  DIAG_USAGE names it,
 * what was given and what was expected. */
int flag_take(const struct flag *flag, struct options *options, const char *shown,
              const char *value, struct diag *diag);

/* All designs but those that keep nothing: what runs when no design is named. */
void flags_select_all(struct options *options);

#endif
