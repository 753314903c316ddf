/* command_words.h - the command line that runs cells of an experiment, for readers and for labs. */
#ifndef TWBENCH_COMMAND_WORDS_H
#define TWBENCH_COMMAND_WORDS_H

#include "labs/teach/claims/experiment.h"

#include <limits.h>

#define COMMAND_WORDS_MAX 48
#define EVERY             SIZE_MAX

/* "twbench", "run", ..; ended by NULL. */
struct command_words {
    const char *words[COMMAND_WORDS_MAX + 1];
    size_t count;
    char text[4000]; /* of the words */
    size_t used;
};

/* Of one design or store of the run, or EVERY; of one point, or of EVERY one: they differ in their tasks alone. */
void command_make(struct command_words *out, const struct experiment_run *run, size_t point,
                  size_t impl);
__attribute__((format(printf, 2, 3))) void command_add(struct command_words *words,
                                                       const char *format, ...);

/* In one line, with quotes where a shell wants them. */
void command_print(char *out, size_t size, const struct command_words *words);

#endif
