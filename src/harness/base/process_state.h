/* process_state.h - finds what code that is not trusted has left behind in its process, or changed there.
 *
 *     struct process_state before;
 *     process_state_read(&before);
 *     ...                                          the code runs
 *     unsigned parts = process_state_changed_since(&before, 0);
 *     if (parts)  printf("it %s\n", process_part_words(parts));
 */
#ifndef TWBENCH_PROCESS_STATE_H
#define TWBENCH_PROCESS_STATE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The parts, and what is said of code that leaves one changed.  This is the only list of them. */
#define PROCESS_PARTS(X)                                                                           \
    X(THREADS, "leaves a thread behind")                                                           \
    X(OPENED, "leaves a file open")                                                                \
    X(FILES, "closes or replaces files of the process")                                            \
    X(TIMERS, "leaves a timer of the system armed")                                                \
    X(SIGNALS, "changes what a signal does")                                                       \
    X(MASK, "changes which signals are blocked")                                                   \
    X(DIRECTORY, "changes the working directory")                                                  \
    X(FLOAT, "changes the rounding mode or another setting of floating-point arithmetic")          \
    X(LOCALE, "changes the locale")                                                                \
    X(ENVIRONMENT, "changes the environment")                                                      \
    X(UMASK, "changes the umask")                                                                  \
    X(LIMITS, "changes the limits of the process")

/* Their places in the list. */
enum process_part_number {
#define PROCESS_NUMBER(part, words) PROCESS_NUMBER_##part,
    PROCESS_PARTS(PROCESS_NUMBER)
#undef PROCESS_NUMBER
};

/* Sets of parts are made of these. */
enum process_part {
#define PROCESS_BIT(part, words) PROCESS_##part = 1 << PROCESS_NUMBER_##part,
    PROCESS_PARTS(PROCESS_BIT)
#undef PROCESS_BIT
};

#define PROCESS_SIGNALS_MAX 65 /* their numbers are below */

struct process_state {
    size_t threads, files, timers;
    uint64_t file_hash; /* over number, device, inode and flags of each file that is open */
    uint64_t action_hash, environment_hash, locale_hash, limit_hash, float_settings;
    sigset_t mask;
    dev_t directory_device;
    ino_t directory_inode;
    mode_t umask;
};

/* Of the calling process and thread; some 0.1 ms of processor time.  A part that the system does not tell stays 0. */
void process_state_read(struct process_state *state);

/* The parts that differ; 0: none.  Fewer threads or armed timers than before count for nothing. */
unsigned process_state_difference(const struct process_state *before,
                                  const struct process_state *after);

/* The parts of the calling process that are not as they were, and are none of the ignored; 0: none.  A thread that has been joined, but has not left the process yet, has 100 ms for
 * that, unless threads are ignored. */
unsigned process_state_changed_since(const struct process_state *before, unsigned ignored);

/* "leaves a thread behind": words for the first of the parts, of which there is one at least. */
const char *process_part_words(unsigned parts);

#endif
