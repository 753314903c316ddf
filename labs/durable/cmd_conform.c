/* cmd_conform.c - conform --store: proves stores, and prints what the proof found, with the command that repeats it. */
#include "labs/durable/durable.h"

#include "harness/base/clock.h"
#include "harness/base/units.h"
#include "harness/command/setup_flags.h"
#include "labs/durable/crash/crash.h"
#include "labs/durable/drive/footing.h"
#include "labs/durable/stores/store_modules.h"

#include <unistd.h>

/* --thorough: what a night's proof does. */
#define KILLS          13u
#define KILLS_THOROUGH 1000u
#define STATES         25u
#define FLIPS          40u
#define FLIPS_THOROUGH 2000u

struct conform_stores_options {
    struct storing_request storing; /* of it the settings and the directory */
    uint64_t seed;
    bool thorough;
    const char *names[STORING_LIST_MAX]; /* or paths */
    size_t name_count;
    unsigned parts; /* of the proof, 1 << enum crash_part; 0: all */
};

/* ---- Flags. ----------------------------------------------------------------------------------- */

struct adding {
    struct call *call;
    struct conform_stores_options *options;
};

static int add_name(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct adding *adding = ctx;
    struct diag reason;
    if (!strchr(name, '/') && !store_modules_find(name, &reason))
        return diag_usage(diag, "%s: %s", flag, reason.text);
    adding->options->names[adding->options->name_count++] = lists_keep(&adding->call->memory, name);
    return DIAG_OK;
}

static int take_store(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct adding adding = {call, of};
    adding.options->name_count = 0;
    return lists_split(value, ',', flag, STORING_LIST_MAX, add_name, &adding, diag);
}

static int take_plugin(struct call *call, void *of, const char *flag, const char *value,
                       struct diag *diag)
{
    struct conform_stores_options *options = of;
    char path[PATH_MAX];
    if (options->name_count == STORING_LIST_MAX)
        return diag_usage(diag, "%s: given more than %d times", flag, STORING_LIST_MAX);
    snprintf(path, sizeof path, "%s%s", strchr(value, '/') ? "" : "./", value);
    options->names[options->name_count++] = lists_keep(&call->memory, path);
    return DIAG_OK;
}

static int add_part(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct conform_stores_options *options = ctx;
    for (int part = 0; part < CRASH_PARTS; part++)
        if (strcmp(name, crash_part_name((enum crash_part)part)) == 0) {
            options->parts |= 1u << part;
            return DIAG_OK;
        }
    return diag_usage(diag, "%s: '%s' given; expected even, kills, power, errors or flips", flag,
                      name);
}

static int take_part(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct conform_stores_options *options = of;
    (void)call;
    options->parts = 0;
    return lists_split(value, ',', flag, CRASH_PARTS, add_part, options, diag);
}

#define OF struct conform_stores_options
static const struct flag flags[] = {
    FLAG_BY("store", "A,B|FILE",
            "test stores of delayed messages instead of designs: crashes, power", take_store),
    FLAG_EACH("plugin", "FILE", "test a store from a shared object; may be repeated", take_plugin),
    FLAG_BY("part", "PART", "only this part: even, kills, power, errors or flips", take_part),
    FLAG_COUNT("seed", "N", "seed of the messages and moments (default 1)", OF, seed, 0, SEED_MAX),
    FLAG_SWITCH("thorough", "a thousand kills, every state of the disk, 2000 flips", OF, thorough),
};
#undef OF
static const struct flag_group groups[] = {{.flags = flags, .count = FLAGS(flags)},
                                           {.flags = store_flags, .count = STORE_FLAG_COUNT},
                                           {0}};

/* ---- What is said. ----------------------------------------------------------------------------- */

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

static int prove(const struct conform_stores_options *options, const char *given,
                 const char *directory, struct diag *diag)
{
    struct crash_report report;
    struct tw_setting settings[DURABLE_SETTINGS_MAX];
    bool thorough = options->thorough;
    struct crash_options crash = {.directory = directory,
                                  .seed = options->seed,
                                  .kills = thorough ? KILLS_THOROUGH : KILLS,
                                  .states = thorough ? UINT64_MAX : STATES,
                                  .flips = thorough ? FLIPS_THOROUGH : FLIPS,
                                  .parts = options->parts ? options->parts : ~0u};
    const struct tw_store_backend *store = store_modules_open(given, diag);
    if (!store)
        return DIAG_USAGE;
    if (store->flags & TW_STORE_KEEPS_NOTHING) {
        printf("%s: keeps nothing, so there is nothing to test\n", store->name);
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

/* The layer has to be loaded before all others: the program begins again with it.  No thread keeps what was freed, or that would
 * count as not given back; a server begins without that setting. */
static int load_layer(const struct call *call, struct diag *diag)
{
    char path[PATH_MAX];
    if (crash_has_layer()) {
        unsetenv("MALLOC_CONF");
        return DIAG_OK;
    }
    crash_layer_path(path, sizeof path);
    if (getenv("LD_PRELOAD") || access(path, R_OK) != 0)
        return DIAG_OK;
#ifdef TWB_JEMALLOC
    setenv("LD_PRELOAD", path, 1);
    setenv("MALLOC_CONF", "tcache:false", 1);
    fflush(NULL);
    execv("/proc/self/exe", call->argv);
    return diag_run(diag, "/proc/self/exe: cannot be begun again with %s: %s", path,
                    strerror(errno));
#else
    (void)call, (void)diag;
    return DIAG_OK;
#endif
}

/* 0, 1 when a store is broken, or a status. */
static int prove_all(const struct conform_stores_options *options, struct diag *diag)
{
    char root[PATH_MAX];
    int broken = 0, status = storing_make_root(options->storing.directory, root, diag);
    if (status != DIAG_OK)
        return status;
    for (size_t i = 0; i < options->name_count && status >= DIAG_OK; i++) {
        status = prove(options, options->names[i], root, diag);
        broken |= status > DIAG_OK;
    }
    footing_remove(root);
    return status < DIAG_OK ? status : broken;
}

static void begin(struct call *call)
{
    struct conform_stores_options *options = call->options;
    options->seed = 1;
    options->storing.directory = ".";
}

static int run(struct call *call)
{
    struct diag diag;
    int status = DIAG_OK;
    if (call->operand_count > 0)
        status = diag_usage(&diag, "%s: conform takes no operands; did you mean --store=%s?",
                            call->operands[0], call->operands[0]);
    if (status == DIAG_OK)
        status = load_layer(call, &diag);
    if (status == DIAG_OK)
        status = prove_all(call->options, &diag);
    return status < DIAG_OK   ? command_fail(status, &diag)
           : status > DIAG_OK ? EXIT_FAILED
                              : EXIT_OK;
}

const struct command cmd_conform_stores = {
    .name = "conform",
    .usage = "--store=A,B|FILE [FLAGS]",
    .summary = "Prove stores: kills, loss of power, failing disks, flipped bits.",
    .groups = groups,
    .size = sizeof(struct conform_stores_options),
    .begin = begin,
    .run = run,
};
