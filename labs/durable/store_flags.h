/* store_flags.h - takes the flags of `stores`. */
#ifndef TWBENCH_STORE_FLAGS_H
#define TWBENCH_STORE_FLAGS_H

#include "harness/command/options.h"

/* What holds when no flag is given, but for the stores. */
void store_flags_default(struct options *options);

/* The functions behind the flags of their names, as flag_take_fn. */
int store_flags_stores(struct options *options, const char *flag, const char *value,
                       struct diag *diag);
int store_flags_sync(struct options *options, const char *flag, const char *value,
                     struct diag *diag);
int store_flags_producers(struct options *options, const char *flag, const char *value,
                          struct diag *diag);
int store_flags_batch(struct options *options, const char *flag, const char *value,
                      struct diag *diag);
int store_flags_payload(struct options *options, const char *flag, const char *value,
                        struct diag *diag);
int store_flags_rate(struct options *options, const char *flag, const char *value,
                     struct diag *diag);
int store_flags_clock(struct options *options, const char *flag, const char *value,
                      struct diag *diag);
int store_flags_span(struct options *options, const char *flag, const char *value,
                     struct diag *diag);
int store_flags_cancels(struct options *options, const char *flag, const char *value,
                        struct diag *diag);
int store_flags_hot(struct options *options, const char *flag, const char *value,
                    struct diag *diag);
int store_flags_set(struct options *options, const char *flag, const char *value,
                    struct diag *diag);

/* conform --store, --part. */
int store_flags_names(struct options *options, const char *flag, const char *value,
                      struct diag *diag);
int store_flags_part(struct options *options, const char *flag, const char *value,
                     struct diag *diag);

/* The request that the flags make: stores that were not named are all but null and memory, and so on.  It points into
 * the options.  DIAG_USAGE when flags contradict one another. */
int store_flags_finish(const struct options *options, struct storing_request *request,
                       struct diag *diag);

#endif
