/* fitting.c - fits a workload to a trace, into a temporary file. */
#include "labs/advise/fitting.h"

#include "harness/base/json.h"
#include "labs/traces/fit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_census(const char *path, struct trace_header *header, struct census *census,
                       struct diag *diag)
{
    struct textfile *file;
    int status = textfile_open(&file, path, diag);
    if (status != DIAG_OK)
        return status;
    status = census_of_trace(file, header, census, diag);
    textfile_close(file);
    return status;
}

static int write_workload(struct fitting *fitting, const cJSON *workload, struct diag *diag)
{
    const char *directory = getenv("TMPDIR");
    char *text = cJSON_Print(workload);
    snprintf(fitting->path, sizeof fitting->path, "%.4000s/twbench-fit-XXXXXX.json",
             directory && directory[0] ? directory : "/tmp");
    int descriptor = mkstemps(fitting->path, (int)strlen(".json"));
    FILE *out = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool failed = !out || !text || fputs(text, out) == EOF;
    int reason = errno;
    failed = (out && fclose(out) != 0) || failed;
    cJSON_free(text);
    if (!failed)
        return DIAG_OK;
    if (descriptor >= 0)
        unlink(fitting->path);
    fitting->path[0] = '\0';
    return diag_run(diag, "no file for the workload of the trace's mix: %s", strerror(reason));
}

int fitting_open(struct fitting *fitting, const char *trace, const char *directory,
                 struct diag *diag)
{
    char path[4096], name[256];
    struct trace_header header;
    struct census census;
    cJSON *workload = NULL;
    struct diag inner;
    *fitting = (struct fitting){.path = ""};
    if (!trace_find(trace, directory, path, sizeof path))
        return diag_usage(diag, "%s: there is no such trace", path);
    int status = read_census(path, &header, &census, diag);
    if (status != DIAG_OK)
        return status;
    trace_name(path, name, sizeof name);
    status = fit_workload(&census, name, header.source, &workload, &inner);
    census_free(&census);
    if (status == DIAG_USAGE) {
        snprintf(fitting->why, sizeof fitting->why, "%.290s", inner.text);
        return DIAG_OK;
    }
    if (status != DIAG_OK)
        return diag_run(diag, "%s", inner.text);
    snprintf(fitting->name, sizeof fitting->name, "%s", json_get_text(workload, "name"));
    status = write_workload(fitting, workload, diag);
    cJSON_Delete(workload);
    return status;
}

void fitting_close(struct fitting *fitting)
{
    if (fitting->path[0])
        unlink(fitting->path);
    fitting->path[0] = '\0';
}
