/* crash_data.h - what the proof of a store is asked, and what it answers, as plain data. */
#ifndef TWBENCH_CRASH_DATA_H
#define TWBENCH_CRASH_DATA_H

#include "labs/durable/drive/durable_run.h"

/* The parts of a proof, in the order in which they are made. */
enum crash_part { CRASH_EVEN, CRASH_KILLS, CRASH_POWER, CRASH_ERRORS, CRASH_FLIPS, CRASH_PARTS };

struct crash_options {
    const char *directory; /* empty, for the runs */
    uint64_t seed;
    uint64_t kills; /* under each policy */
    uint64_t
        states; /* of a disk, at each policy; UINT64_MAX: each point of the record in each way */
    uint64_t flips;
    unsigned parts; /* bit 1 << part */
    const struct tw_setting *settings;
    size_t setting_count;
};

struct crash_report {
    bool is_broken;
    enum crash_part part; /* that found it */
    char rule
        [40]; /* "lost", "twice", "early", "late", "out of order", "changed", "failed", "crashed", ... */
    char detail[800]; /* in words, with what repeats it */
    uint64_t messages, kills, states, errors, flips;
    uint64_t flips_named, flips_refused,
        flips_silent; /* of the flips: named as damage; open or poll
                                                          refused; messages lost and nothing said */
    uint64_t aborts;  /* of the failing disks: those on which the store ended the process */
    bool done[CRASH_PARTS];
    const char *skipped; /* why power, errors and flips were not made; NULL: they were */
};

/* "even", "kills", ... */
const char *crash_part_name(enum crash_part part);

#endif
