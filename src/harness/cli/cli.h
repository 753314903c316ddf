/*
 * cli.h - the command line: one function per command.
 *
 * Exit status: 0 ok; 1 a run failed or a design was found wrong; 2 the command line or a file given
 * is wrong; 3 regressed, or what was asserted does not hold; 4 inconclusive, when asked to fail on it;
 * 130 interrupted, with a valid partial result.  stdout carries the result only, what is said about it
 * goes to stderr.
 */
#ifndef TWBENCH_CLI_H
#define TWBENCH_CLI_H

#include "harness/cli/options.h"
#include "harness/tell/result/document.h"

/* Exit statuses, as above. */
enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_REGRESSED = 3,
    EXIT_INCONCLUSIVE = 4,
    EXIT_INTERRUPTED = 130
};

/* Finds the command ("run" when there is none), does it, and answers the exit status. */
int cli_main(int argc, char **argv);

/* All commands, in the order of the help; *count of them. */
const struct command *cli_commands(size_t *count);

/* The commands; each answers the exit status and has said on stderr what went wrong. */
int cmd_run(const struct options *options);      /* run, replay */
int cmd_list(const struct options *options);     /* list */
int cmd_report(const struct options *options);   /* report: an old result, as table or file */
int cmd_plot(const struct options *options);     /* plot */
int cmd_conform(const struct options *options);  /* conform */
int cmd_compare(const struct options *options);  /* compare */
int cmd_selftest(const struct options *options); /* selftest */
int cmd_claims(const struct options *options);   /* claims */
int cmd_advise(const struct options *options);   /* advise */
int cmd_history(const struct options *options);
int cmd_merge(const struct options *options);
int cmd_limits(const struct options *options); /* limits */
int cmd_probe(const struct options *options);  /* probe */
int cmd_show(const struct options *options);   /* show */
int cmd_trace(const struct options *options);  /* trace: what is in one */
int cmd_stores(const struct options *options); /* stores: messages that a crash must not lose */
int cmd_store(const struct options *options);  /* store dump: the files of one */

int cmd_import(const struct options *options); /* import */
int cmd_record(const struct options *options); /* record: a command's timers as a trace */
int cmd_ci(const struct options *options);     /* ci: conform and compare, as a project file says */
int cmd_take(const struct options *options);   /* take: a design as sources of its own */
/* The kinds of logs and their keys, for import's --help. */
void cmd_import_help(FILE *out);
/* The kinds of recordings, for record's --help. */
void cmd_record_help(FILE *out);

/* A command as another command calls it. */
struct cli_call {
    const char *command;
    char *const *words; /* flags and operands */
    size_t count;
    const char *named; /* the file that the words come from, for what is wrong with them */
    struct conform_heard *heard;
    const struct contract *contract;
    bool silent; /* shows no table */
};

/* Does it, and answers the exit status; messages are on stderr. */
int cli_call(const struct cli_call *call);

/* "twbench: TEXT" on stderr; answers the exit status that belongs to the diagnostic's status. */
int cli_fail(int status, const struct diag *diag);

/* cli_fail for a command that has run cells: what was measured is shown all the same, as no file may have it. */
int cli_rescue(const struct options *options, struct result_document *document, int status,
               const struct diag *diag);

/* Ends a command that ran cells, with DIAG_OK or POOL_INTERRUPTED: the document is written and shown as asked for, and
 * held to every --assert.  Answers the exit status. */
int cli_finish(const struct options *options, struct result_document *document, int status);

#endif
