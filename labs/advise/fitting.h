/*
 * fitting.h - other sizes of a trace: a workload of its mix, as a file for as long as it is needed.
 */
#ifndef TWBENCH_FITTING_H
#define TWBENCH_FITTING_H

#include "harness/base/diag.h"

#include <stddef.h>

struct fitting {
    char path[4200]; /* "": there is none */
    char name[256];  /* of the workload: "nginx-fit" */
    char why[300];   /* why there is none */
};

/* Fits a workload (fit.h) to the trace and writes it below $TMPDIR.  A trace that no workload can be fitted
 * to leaves the reason in `why`. */
int fitting_open(struct fitting *fitting, const char *trace, const char *directory,
                 struct diag *diag);
/* Removes the file. */
void fitting_close(struct fitting *fitting);

#endif
