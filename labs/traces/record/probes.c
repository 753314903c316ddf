/* probes.c - finds the functions of a library in its file, and the fields that a probe reads. */
#include "labs/traces/record/record.h"

#include <dlfcn.h>
#include <sys/utsname.h>
#include <unistd.h>

struct library {
    const char *asked; /* as it was named */
    void *handle;
    char file[PATH_MAX];
};

static int open_library(struct library *library, const char *file, const char *soname,
                        const char *package, struct diag *diag)
{
    struct utsname machine;
    library->asked = file ? file : soname;
    if (uname(&machine) != 0 || strcmp(machine.machine, "x86_64") != 0)
        return diag_usage(diag, "probes on libraries read the registers of x86-64; this machine is "
                                "another");
    if (file && access(file, R_OK) != 0)
        return diag_usage(diag, "--library=%s: %s", file, strerror(errno));
    if (file && !strchr(file, '/'))
        return diag_usage(diag, "--library=%s: expected a path, ./%s", file, file);
    library->handle = dlopen(library->asked, RTLD_LAZY | RTLD_LOCAL);
    if (library->handle)
        return DIAG_OK;
    return file ? diag_usage(diag, "--library=%s: no library: %s", file, dlerror())
                : diag_usage(diag,
                             "%s is not installed: apt-get install %s, or name its file by "
                             "--library",
                             soname, package);
}

/* Where the code begins in the file, as the mapping says.  By its name a probe would sit on name@plt too, through which
 * a library calls itself, and every such call would be in the log twice. */
static int find_function(struct library *library, const char *name, uint64_t *offset,
                         struct diag *diag)
{
    char line[PATH_MAX + 128];
    uint64_t address = (uint64_t)(uintptr_t)dlsym(library->handle, name), begin, end, at;
    FILE *maps = address ? fopen("/proc/self/maps", "re") : NULL;
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps)) {
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %[^\n]", &begin, &end,
                       &at, library->file) == 4 &&
                address >= begin && address < end && library->file[0] == '/';
        *offset = address - begin + at;
    }
    if (maps)
        fclose(maps);
    return found ? DIAG_OK
                 : diag_usage(diag, "%s: there is no function %s in it", library->asked, name);
}

static int probe(struct tracing *tracing, struct library *library, const char *name,
                 const char *fetches, const char *filter, struct diag *diag)
{
    uint64_t offset;
    int status = find_function(library, name, &offset, diag);
    if (status != DIAG_OK)
        return status;
    return tracing_probe(tracing, name, library->file, offset, fetches, filter, diag);
}

/* ---- libuv. -------------------------------------------------------------------------------------- */

struct uv_offsets {
    unsigned loop, flags, timeout, time;
};

static const char uv_question[] = "#include <stddef.h>\n#include <stdio.h>\n#include <uv.h>\nint "
                                  "main(void) { printf(\"%zu %zu %zu "
                                  "%zu\\n\", offsetof(uv_timer_t, loop), offsetof(uv_timer_t, "
                                  "flags), offsetof(uv_timer_t, timeout), "
                                  "offsetof(uv_loop_t, time)); }\n";

/* The library's headers answer, through a compiler: the offsets belong to its version. */
static int ask_headers(const char *directory, struct uv_offsets *offsets, struct diag *diag)
{
    char source[64], program[64], *text;
    snprintf(source, sizeof source, "%s/ask.c", directory);
    snprintf(program, sizeof program, "%s/ask", directory);
    FILE *out = fopen(source, "we");
    if (!out || fputs(uv_question, out) < 0 || fclose(out) != 0)
        return diag_run(diag, "%s: %s", source, strerror(errno));
    char cc[] = "cc", o[] = "-o";
    char *compile[] = {cc, source, o, program, NULL}, *answer[] = {program, NULL};
    int ended = 1, status = command_output(compile, &text, &ended, diag);
    bool read = false;
    if (status == DIAG_OK)
        free(text);
    if (status == DIAG_OK && ended == 0 && command_output(answer, &text, &ended, diag) == DIAG_OK) {
        read = sscanf(text, "%u %u %u %u", &offsets->loop, &offsets->flags, &offsets->timeout,
                      &offsets->time) == 4;
        free(text);
    }
    unlink(program);
    unlink(source);
    return read ? DIAG_OK
                : diag_usage(diag,
                             "the offsets in libuv's structs are asked of its headers: apt-get "
                             "install libuv1-dev gcc libc6-dev");
}

static int find_offsets(struct uv_offsets *offsets, struct diag *diag)
{
    char directory[] = "/tmp/twbench-offsets-XXXXXX";
    if (!mkdtemp(directory))
        return diag_run(diag, "%s: %s", directory, strerror(errno));
    int status = ask_headers(directory, offsets, diag);
    rmdir(directory);
    return status;
}

static int place_uv(struct tracing *tracing, struct library *library, struct diag *diag)
{
    struct uv_offsets at;
    char handle[160], start[256], stop[256];
    int status = find_offsets(&at, diag);
    if (status != DIAG_OK)
        return status;
    snprintf(handle, sizeof handle,
             "h=%%di:x64 loop=+%u(%%di):x64 flags=+%u(%%di):u32 now=+%u(+%u(%%di)):u64", at.loop,
             at.flags, at.time, at.loop);
    snprintf(start, sizeof start, "%s timeout=%%dx:u64 repeat=%%cx:u64", handle);
    snprintf(stop, sizeof stop, "%s deadline=+%u(%%di):u64", handle, at.timeout);
    status = probe(tracing, library, "uv_timer_start", start, "", diag);
    return status == DIAG_OK ? probe(tracing, library, "uv_timer_stop", stop, "", diag) : status;
}

int probes_libuv(struct tracing *tracing, const char *file, struct diag *diag)
{
    struct library library = {.handle = NULL};
    int status = open_library(&library, file, "libuv.so.1", "libuv1", diag);
    if (status == DIAG_OK)
        status = place_uv(tracing, &library, diag);
    if (library.handle)
        dlclose(library.handle);
    return status;
}

/* ---- libevent. ----------------------------------------------------------------------------------- */

/* In these three every other function ends up.  Of what becomes active only timeouts (EV_TIMEOUT, 1) are of interest. */
static const struct {
    const char *name, *fetches, *filter;
} event_probes[] = {
    {"event_add_nolock_", "ev=%di:x64 tv=%si:x64 sec=+0(%si):s64 usec=+8(%si):s64 abs=%dx:s32", ""},
    {"event_del_nolock_", "ev=%di:x64 blocking=%si:s32", ""},
    {"event_active_nolock_", "ev=%di:x64 res=%si:s32", "res == 1"},
};

int probes_libevent(struct tracing *tracing, const char *file, struct diag *diag)
{
    struct library library = {.handle = NULL};
    int status = open_library(&library, file, "libevent-2.1.so.7", "libevent-2.1-7", diag);
    for (size_t i = 0; i < sizeof event_probes / sizeof event_probes[0] && status == DIAG_OK; i++)
        status = probe(tracing, &library, event_probes[i].name, event_probes[i].fetches,
                       event_probes[i].filter, diag);
    if (library.handle)
        dlclose(library.handle);
    return status;
}
