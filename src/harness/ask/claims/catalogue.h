/*
 * catalogue.h - the experiment files of a folder, in the order of the claims.
 */
#ifndef TWBENCH_CATALOGUE_H
#define TWBENCH_CATALOGUE_H

#include "harness/ask/claims/experiment.h"

struct catalogue {
    struct experiment **items; /* T1, T2, .. T10, ..: by letter, then by number */
    size_t count;
};

/* Every *.json of the folder.  With `ids` only those, in any case ("t6"); one that is not there, or two
 * files of one id, are DIAG_USAGE.  catalogue_free in any case. */
int catalogue_load(const char *directory, const char *const *ids, size_t id_count,
                   struct catalogue *out, struct diag *diag);
void catalogue_free(struct catalogue *catalogue);

#endif
