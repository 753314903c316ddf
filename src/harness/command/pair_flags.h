/*
 * pair_flags.h - the flags of what takes paired samples: compare and selftest.
 */
#ifndef TWBENCH_PAIR_FLAGS_H
#define TWBENCH_PAIR_FLAGS_H

#include "harness/command/design_flags.h"
#include "harness/command/load_flags.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "harness/compare/pairing.h"

/* What compare and selftest have in common. */
struct pair_options {
    struct setup setup;
    struct designs designs;
    struct loads loads;
    struct outputs outputs;
    uint64_t pairs, max_pairs, samples, layouts;
    struct limits limits;
};

#define PAIR_FLAG_COUNT 11
/* The rows of the group. */
extern const struct flag pair_flags[PAIR_FLAG_COUNT];

/* `at`: where a struct pair_options lies in the command's options; `what`: the exports that its document can have. */
#define PAIR_GROUPS(at, what)                                                                      \
    DESIGN_FLAGS((at) + offsetof(struct pair_options, designs)),                                   \
        LOAD_FLAGS((at) + offsetof(struct pair_options, loads)),                                   \
        {.flags = pair_flags, .count = PAIR_FLAG_COUNT, .offset = (at)},                           \
        SETUP_PIN((at) + offsetof(struct pair_options, setup)),                                    \
        OUTPUT_JSON((at) + offsetof(struct pair_options, outputs)),                                \
        OUTPUT_HTML((at) + offsetof(struct pair_options, outputs)),                                \
        OUTPUT_STYLE((at) + offsetof(struct pair_options, outputs)),                               \
        OUTPUT_EXPORTS((at) + offsetof(struct pair_options, outputs), what)

/* What is not zero before the first flag. */
void pair_begin(struct call *call, struct pair_options *options);
/* What flags say together, after the last one. */
int pair_finish(struct pair_options *options, struct diag *diag);
/* What to compare, which points into the options. */
struct pairing_wishes pair_wishes(const struct pair_options *options);

#endif
