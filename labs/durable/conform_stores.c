/* conform_stores.c - proves stores, and prints what the proof found, with the command that repeats it. */
#include "labs/durable/conform_stores.h"

#include "harness/base/clock.h"
#include "labs/durable/stores/store_modules.h"
#include "labs/durable/drive/footing.h"
#include "labs/durable/crash/crash_prove.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --thorough: what a night's proof does. */
#define KILLS          13u
#define KILLS_THOROUGH 1000u
#define STATES         25u
#define FLIPS          40u
#define FLIPS_THOROUGH 2000u

static void print_held(const char *name, const struct crash_report *report, double seconds)
{
    printf("%s: the contract holds (%" PRIu64 " messages, %.1f s)\n", name, report->messages,
           seconds);
    printf("  %" PRIu64 " kills, %" PRIu64 " states of a disk without power, %" PRIu64
           " failing disks, %" PRIu64 " flipped bits\n",
           report->kills, report->states, report->errors, report->flips);
    if (report->flips > 0)
        printf("  of the flipped bits %" PRIu64 " were named as damage, %" PRIu64
               " made open or poll refuse, %" PRIu64 " lost messages in silence\n",
               report->flips_named, report->flips_refused, report->flips_silent);
    if (report->kill_lost > 0)
        printf("  %" PRIu64
               " acknowledged messages were lost, at most one a kill: %s says of itself that "
               "it may\n",
               report->kill_lost, name);
    if (report->aborts > 0)
        printf("  on %" PRIu64 " of the failing disks the store ended its process (SIGABRT)\n",
               report->aborts);
    if (report->skipped)
        printf("  no loss of power, failing disks or flipped bits: %s\n", report->skipped);
}

static void print_broken(const char *name, const struct crash_report *report,
                         const struct crash_options *crash, bool thorough)
{
    printf("%s: BROKEN: %s\n  %s: %s\n", name, report->rule, crash_part_name(report->part),
           report->detail);
    printf("To see it again (a kill may take several tries):\n  twbench conform --store=%s "
           "--seed=%" PRIu64 " --part=%s%s",
           name, crash->seed, crash_part_name(report->part), thorough ? " --thorough" : "");
    for (size_t i = 0; i < crash->setting_count; i++)
        printf(" --store-set=%s=%" PRIu64, crash->settings[i].name, crash->settings[i].values[0]);
    printf("\n");
}

static int prove(const struct options *options, const char *given, const char *directory,
                 struct diag *diag)
{
    struct crash_report report;
    struct tw_setting settings[DURABLE_SETTINGS_MAX];
    bool thorough = options->thorough;
    struct crash_options crash = {.directory = directory,
                                  .seed = options->setup.seed,
                                  .kills = thorough ? KILLS_THOROUGH : KILLS,
                                  .states = thorough ? UINT64_MAX : STATES,
                                  .flips = thorough ? FLIPS_THOROUGH : FLIPS,
                                  .parts = options->store_parts ? options->store_parts : ~0u};
    const struct tw_store_backend *store = store_modules_open(given, diag);
    if (!store)
        return DIAG_USAGE;
    if (store->flags & TW_STORE_KEEPS_NOTHING) {
        printf("%s: keeps nothing, so there is nothing to prove\n", store->name);
        return DIAG_OK;
    }
    if (store_modules_check(&store, 1, options->storing.settings, options->storing.setting_count,
                            diag) != DIAG_OK)
        return DIAG_USAGE;
    crash.settings = settings;
    crash.setting_count = store_modules_settings(store, options->storing.settings,
                                                 options->storing.setting_count, settings);
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    int status = crash_prove(store, &crash, &report, diag);
    if (status != DIAG_OK)
        return status;
    if (report.is_broken)
        print_broken(given, &report, &crash, thorough);
    else
        print_held(given, &report, (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9);
    fflush(stdout);
    return report.is_broken;
}

/* The layer has to be loaded before all others: the program begins again with it. */
static int load_layer(const struct options *options, struct diag *diag)
{
    char path[PATH_MAX];
    if (crash_has_layer())
        return DIAG_OK;
    crash_layer_path(path, sizeof path);
    if (getenv("LD_PRELOAD") || access(path, R_OK) != 0)
        return DIAG_OK;
#ifdef TWB_JEMALLOC
    setenv("LD_PRELOAD", path, 1);
    fflush(NULL);
    execv("/proc/self/exe", options->setup.argv);
    return diag_run(diag, "/proc/self/exe: cannot be begun again with %s: %s", path,
                    strerror(errno));
#else
    (void)options, (void)diag;
    return DIAG_OK;
#endif
}

int conform_stores(const struct options *options, struct diag *diag)
{
    char root[PATH_MAX], here[PATH_MAX - 32];
    int broken = 0, status = load_layer(options, diag);
    if (status != DIAG_OK)
        return status;
    const char *where = options->storing.directory ? options->storing.directory : ".";
    if (!realpath(where, here))
        return diag_usage(diag, "--directory: %s: %s", where, strerror(errno));
    snprintf(root, sizeof root, "%s/twbench-stores.XXXXXX", here);
    if (!mkdtemp(root))
        return diag_usage(diag, "--directory: %s: no directory can be made there: %s", where,
                          strerror(errno));
    for (size_t i = 0; i < options->store_name_count && status >= DIAG_OK; i++) {
        status = prove(options, options->store_names[i], root, diag);
        broken |= status > DIAG_OK;
    }
    footing_remove(root);
    return status < DIAG_OK ? status : broken;
}
