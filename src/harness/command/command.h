/*
 * command.h - describes commands as data: a word, groups of flags, a struct of options, a function.
 *
 * A command is one file.  It defines its options struct, the rows of the flags that fill it in, and the function that
 * does the work; nobody else knows them.  Flags that several commands have (designs, loads, files to write) are
 * groups with a struct of their own, which a command's options contain.
 *
 *     struct list_options { struct designs designs; bool figures; };
 *     static const struct flag flags[] = {FLAG_SWITCH("figures", "...", struct list_options, figures)};
 *     static const struct flag_group groups[] = {
 *         {.flags = flags, .count = FLAGS(flags)}, DESIGN_FLAGS(struct list_options, designs), {0}};
 *     const struct command cmd_list = {"list", "[FLAGS]", "Name ...", groups, sizeof(struct list_options), ...};
 *
 * Exit status: 0 ok; 1 a run failed or a design was found wrong; 2 the command line or a file given is wrong; 3
 * regressed, or what was asserted does not hold; 4 inconclusive, when asked to fail on it; 130 interrupted, with a valid
 * partial result.  stdout carries the result only, what is said about it goes to stderr.
 */
#ifndef TWBENCH_COMMAND_H
#define TWBENCH_COMMAND_H

#include "harness/base/diag.h"
#include "harness/base/file.h"

#include <cjson/cJSON.h>

/* What main returns. */
enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_REGRESSED = 3,
    EXIT_INCONCLUSIVE = 4,
    EXIT_INTERRUPTED = 130
};

struct command;

/* A command line that was read. */
struct call {
    const struct command *command;
    int argc; /* as typed, for the record */
    char **argv;
    const char **operands; /* what is left beside the flags */
    size_t operand_count;
    void *options;     /* of the command: command->size bytes */
    const void *given; /* what another command hands over (command_call); NULL: the user typed it */
    struct lock lock;  /* of the document that the command writes */
    void *memory;      /* of texts and arrays that live as long as the call (units.h) */
};

/* ---- Flags. ----------------------------------------------------------------------------------- */

/* Puts the value into the group's struct `of`.  DIAG_USAGE names the flag as typed, what was given and what was
 * expected. */
typedef int flag_take_fn(struct call *call, void *of, const char *flag, const char *value,
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

/* A row: one flag. */
struct flag {
    const char *name;  /* "json"; "-o" is reached by -o alone and stands in the usage line */
    const char *value; /* what it takes, for the help; NULL: nothing */
    const char *help;
    enum flag_kind kind;
    size_t offset; /* in the group's struct */
    uint64_t min, max;
    const char *const *words; /* ended by NULL */
    flag_take_fn *by;
    char separator;   /* of its list; 0: it takes one value */
    const char *also; /* "-o" */
};

/* Rows of a command or of a group.  A field of another type than the row says does not compile.
 * NOLINTBEGIN(bugprone-macro-parentheses): names of fields and types take no parentheses. */
#define FLAG_FIELD(of, field, type)                                                                \
    (offsetof(of, field) + 0 * sizeof(char[_Generic(((of *)0)->field, type : 1)]))
#define FLAG_SWITCH(flag, text, of, field)                                                         \
    {                                                                                              \
        .name = (flag), .help = (text), .kind = TAKE_SWITCH, .offset = FLAG_FIELD(of, field, bool) \
    }
#define FLAG_COUNT(flag, takes, text, of, field, low, high)                                        \
    {                                                                                              \
        .name = (flag), .value = (takes), .help = (text), .kind = TAKE_COUNT,                      \
        .offset = FLAG_FIELD(of, field, uint64_t), .min = (low), .max = (high)                     \
    }
#define FLAG_TIME(flag, text, of, field, least_ns)                                                 \
    {                                                                                              \
        .name = (flag), .value = "TIME", .help = (text), .kind = TAKE_TIME,                        \
        .offset = FLAG_FIELD(of, field, uint64_t), .min = (least_ns)                               \
    }
#define FLAG_WORD(flag, takes, text, of, field, list)                                              \
    {                                                                                              \
        .name = (flag), .value = (takes), .help = (text), .kind = TAKE_WORD,                       \
        .offset = offsetof(of, field), .words = (list)                                             \
    }
#define FLAG_FILE(flag, takes, text, of, field)                                                    \
    {                                                                                              \
        .name = (flag), .value = (takes), .help = (text), .kind = TAKE_FILE,                       \
        .offset = FLAG_FIELD(of, field, const char *)                                              \
    }
#define FLAG_DIRECTORY(flag, text, of, field)                                                      \
    {                                                                                              \
        .name = (flag), .value = "DIR", .help = (text), .kind = TAKE_DIRECTORY,                    \
        .offset = FLAG_FIELD(of, field, const char *)                                              \
    }
/* `takes` with a comma in it is a list, which is given once. */
#define FLAG_BY(flag, takes, text, function)                                                       \
    {                                                                                              \
        .name = (flag), .value = (takes), .help = (text), .kind = TAKE_BY, .by = (function)        \
    }
#define FLAG_EACH(flag, takes, text, function)                                                     \
    {                                                                                              \
        .name = (flag), .value = (takes), .help = (text), .kind = TAKE_EACH, .by = (function)      \
    }
#define FLAG_NAMED(flag, takes, text, function)                                                    \
    {                                                                                              \
        .name = (flag), .value = (takes), .help = (text), .kind = TAKE_NAMED, .by = (function)     \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/* Called with each flag of a group.  `heading` is that of a part of the group, or NULL. */
typedef void flag_row_fn(void *ctx, const char *heading, const struct flag *flag);

/* Flags that fill in one struct and share a heading of the help. */
struct flag_group {
    const char *title; /* NULL: no heading */
    const struct flag *flags;
    size_t count;
    size_t offset; /* of their struct in the command's options */
    /* Flags that no row names, such as the parameters of designs; both may be NULL.  find: fills *out, false when
     * there is none of that name.  each: calls `row` for all of them. */
    bool (*find)(const void *of, const char *name, struct flag *out);
    void (*each)(const void *of, flag_row_fn *row, void *ctx);
    bool has_parameters; /* they are the parameters of designs */
};

#define FLAGS(rows) (sizeof(rows) / sizeof *(rows))

/* ---- Commands. -------------------------------------------------------------------------------- */

struct command {
    const char *name;
    const char *old_name;             /* by which it is called too, unlisted; may be NULL */
    const char *usage;                /* what follows the name: "[FLAGS] FILE..." */
    const char *summary;              /* one line */
    const char *topic;                /* heading of the list of commands; NULL: not listed */
    const struct flag_group *groups;  /* of two flags of one name the first counts; ended by {0} */
    size_t size;                      /* of the options */
    void (*begin)(struct call *call); /* what is not zero before the first flag; may be NULL */
    int (*run)(
        struct call *call); /* answers the exit status, and has said on stderr what went wrong */
    /* Told of each operand when it comes, before the flags behind it; may be NULL. */
    int (*operand)(struct call *call, const char *operand, struct diag *diag);
    void (*help)(FILE *out); /* what its help says below the flags; may be NULL */
    const char *common; /* " impl tasks ": flags that --help shows, others --help=all; NULL: all */
    bool any_operands;  /* they are another program's words, and may be empty */
};

/* Reads argv from `first` on.  command_release in any case. */
int command_read(const struct command *command, int argc, char **argv, int first, struct call *call,
                 struct diag *diag);
/* Frees what the call holds, and drops the lock. */
void command_release(struct call *call);

/* Does the command of that name with these words; `given` is handed over, `source` names the file that the words come
 * from.  Answers the exit status; messages are on stderr. */
int command_call(const struct command *command, char *const *words, size_t count, const void *given,
                 const char *source);

/* "NAME: one operand given; expected ..."; the words of a usage error. */
int command_operands(const struct call *call, const char *expected, struct diag *diag);

/* "twbench: TEXT" on stderr; answers the exit status that belongs to the diagnostic's status. */
int command_fail(int status, const struct diag *diag);

/* ---- Programs. -------------------------------------------------------------------------------- */

/* The core is one program, and each lab that has commands is another: `twbench stores` starts twbench-durable, which
 * lies beside it or in the directory of the libraries.  The same reading, helping and reporting serves all of them. */
struct program {
    const char *lab;                       /* "durable"; NULL: the core */
    const struct command *const *commands; /* in the order of the help; ended by NULL */
    /* The lab's part of `list`: as text, and as keys of the JSON.  May be NULL. */
    void (*list)(FILE *out);
    void (*list_json)(void *object);
};

/* The program that runs. */
extern const struct program program;

/* ---- The commands of the core, for the programs that have them (core_commands.c). ------------- */

/* Each is defined in its file cmd_NAME.c. */
extern const struct command cmd_run, cmd_replay, cmd_list, cmd_report, cmd_schema, cmd_conform,
    cmd_compare, cmd_ci, cmd_init, cmd_selftest, cmd_probe;

/* What ci gives conform: where it prints, and whether a design was broken. */
struct conform_heard {
    FILE *out;
    bool broken;
};

/* What ci gives compare: what conform found out of NEW. */
enum contract_status { CONTRACT_HELD, CONTRACT_BROKEN, CONTRACT_NOT_TESTED };

struct contract {
    enum contract_status status;
    const char *text; /* what conform printed; "": it did not run */
    const char
        *old; /* of a broken one, which is not compared: what it would have been compared with */
    const char *old_commit, *new_commit; /* of the plugin's own repository; "": unknown */
    const cJSON *changed;                /* names of the files that differ between these */
    const cJSON *accepted;               /* entries of the project file's accept that hold today */
};

/* All of them, in the order of the help; ended by NULL. */
extern const struct command *const core_commands[];

/* ---- Finds the command or the lab that has it, and runs it (program.c). ----------------------- */

/* Finds the command ("run" when there is none), does it, or starts the lab that has it; answers the exit status. */
int program_main(int argc, char **argv);

/* ---- What --resume goes on with (resume.c). ---------------------------------------------------- */

/* Adds to the words of `run` or `replay` those that the file of --json was written by, if none are given that say what to run;
 * else DIAG_USAGE, which names the difference, unless they are the same or name more cells.  The words behind `first` are
 * the command's; new ones live as long as *memory (lists_release). */
int resume_arguments(const struct command *command, int first, int *argc, char ***argv,
                     void **memory, struct diag *diag);

#endif
