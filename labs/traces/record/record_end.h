/* record_end.h - how a recording ended. */
#ifndef TWBENCH_RECORD_END_H
#define TWBENCH_RECORD_END_H

#include <stdbool.h>
#include <stdint.h>

/* How it ended, once the log is written. */
struct record_end {
    bool interrupted; /* by a signal to this process */
    bool cut;         /* the command was ended: a signal, or the duration */
    int status;       /* of the command as a shell has it: 128 + N for a signal */
    uint64_t events;  /* lines in the log */
    uint64_t lost;    /* events that a buffer had no room for */
};

#endif
