/*
 * catalogue.h - loads experiment files: one, or those of a folder in the order of the claims.
 */
#ifndef TWBENCH_CATALOGUE_H
#define TWBENCH_CATALOGUE_H

#include "labs/teach/claims/experiment.h"

/* Reads and checks a file; *out is freed with experiment_free.  DIAG_USAGE with "FILE:line:column: .."
 * when it is not JSON and "FILE: key.path: .., expected .." when it is no experiment. */
int experiment_load(const char *path, struct experiment **out, struct diag *diag);
/* The same from a text. */
int experiment_parse(const char *text, const char *path, struct experiment **out,
                     struct diag *diag);
/* With its pictures and JSON; NULL is allowed. */
void experiment_free(struct experiment *experiment);

struct catalogue {
    struct experiment **items; /* T1, T2, .. T10, ..: by letter, then by number */
    size_t count;
};

/* Every *.json of the folder.  With `ids` only those, in any case ("t6"); one that is not there, or two
 * files of one id, are DIAG_USAGE.  catalogue_free in any case. */
int catalogue_load(const char *directory, const char *const *ids, size_t id_count,
                   struct catalogue *out, struct diag *diag);
/* Frees the experiments too; empty afterwards. */
void catalogue_free(struct catalogue *catalogue);

#endif
