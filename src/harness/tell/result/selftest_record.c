/* selftest_record.c - reads and writes the selftest's record in the user's state directory. */
#include "harness/tell/result/document.h"

#include "harness/base/file.h"
#include "harness/base/json.h"

#include <sys/stat.h>

/* In the header, so that there is nothing to link. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#define RECORD_VERSION   1
#define RECORD_KIND      "selftest-record"
#define RECORD_BYTES_MAX 65536
#define PATH_SIZE        4096
#define DATE_FORMAT      "%Y-%m-%dT%H:%M:%SZ"

/* ---- What is kept. --------------------------------------------------------------------------- */

enum unit { COUNT, SHARE, AMOUNT };

/* `source` is where the document of a selftest has it. */
struct figure {
    const char *key, *source;
    size_t offset;
    enum unit unit;
};

#define FIGURE(member) offsetof(struct selftest_record, member)

static const struct figure figures[] = {
    {"comparisons", "comparisons", FIGURE(comparisons), COUNT},
    {"cells", "method.cells", FIGURE(cells), COUNT},
    {"margin", "method.margin", FIGURE(margin), AMOUNT},
    {"false_alarm_rate", "false_alarm_rate", FIGURE(false_alarm_rate), SHARE},
    {"false_alarm_high", "false_alarm_high", FIGURE(false_alarm_high), SHARE},
    {"detection.2", "detection.2", FIGURE(detection[0]), SHARE},
    {"detection.5", "detection.5", FIGURE(detection[1]), SHARE},
    {"detection.10", "detection.10", FIGURE(detection[2]), SHARE},
    {"smallest_reliable_slowdown", "smallest_reliable_slowdown", FIGURE(smallest_reliable_slowdown),
     SHARE},
    {"harness_ns_per_op", "harness_ns_per_op", FIGURE(harness_ns_per_op), AMOUNT},
    {"timer_overhead_ns", "timer_overhead_ns", FIGURE(timer_overhead_ns), AMOUNT},
    {"busy_share", "disturbance.busy_share", FIGURE(busy_share), SHARE},
};
#define FIGURES (sizeof figures / sizeof *figures)

struct word {
    const char *key, *source;
    size_t offset, size;
};

#define WORD(member)                                                                               \
    offsetof(struct selftest_record, member), sizeof(((struct selftest_record *)NULL)->member)

static const struct word words[] = {
    {"date_utc", "tool.date_utc", WORD(date_utc)},
    {"version", "tool.version", WORD(version)},
    {"commit", "tool.commit", WORD(commit)},
};
#define WORDS (sizeof words / sizeof *words)

/* A figure may be unknown, a count may not: without comparisons nothing was found out. */
static bool read_figure(double *value, const cJSON *object, const char *path, enum unit unit)
{
    static const double largest[] = {[COUNT] = 1e12, [SHARE] = 1, [AMOUNT] = 1e9};
    const cJSON *item = json_get(object, path);
    *value = json_get_number(object, path);
    if (!item)
        return unit != COUNT;
    if (unit == COUNT && !(*value >= 1 && floor(*value) == *value))
        return false;
    return *value >= 0 && *value <= largest[unit];
}

static bool read_figures(struct selftest_record *record, const cJSON *object, bool is_document)
{
    for (size_t i = 0; i < FIGURES; i++) {
        double value;
        const char *path = is_document ? figures[i].source : figures[i].key;
        if (!read_figure(&value, object, path, figures[i].unit))
            return false;
        memcpy((char *)record + figures[i].offset, &value, sizeof value);
    }
    return true;
}

/* Cutting a text short would make it another one. */
static bool read_words(struct selftest_record *record, const cJSON *object, bool is_document)
{
    for (size_t i = 0; i < WORDS; i++) {
        const char *path = is_document ? words[i].source : words[i].key;
        int length = snprintf((char *)record + words[i].offset, words[i].size, "%s",
                              json_get_text(object, path));
        if (length < 0 || (size_t)length >= words[i].size)
            return false;
    }
    return record->date_utc[0] && record->version[0];
}

/* All of it, or nothing when any of it is not as it should be. */
static bool read_record(struct selftest_record *record, const cJSON *object, bool is_document)
{
    struct selftest_record found = {.date_utc = ""};
    if (!read_words(&found, object, is_document) || !read_figures(&found, object, is_document))
        return false;
    *record = found;
    return true;
}

cJSON *selftest_record_json(const struct selftest_record *record)
{
    if (!record->date_utc[0])
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject(), *detection = cJSON_CreateObject();
    for (size_t i = 0; i < WORDS; i++)
        json_add_text(object, words[i].key, (const char *)record + words[i].offset);
    for (size_t i = 0; i < FIGURES; i++) {
        double value;
        memcpy(&value, (const char *)record + figures[i].offset, sizeof value);
        const char *dot = strchr(figures[i].key, '.');
        if (figures[i].unit == COUNT)
            json_add_integer(object, figures[i].key, (uint64_t)value);
        else
            json_add_measure(dot ? detection : object, dot ? dot + 1 : figures[i].key, value);
    }
    json_add(object, "detection", detection);
    return object;
}

/* ---- The file. ------------------------------------------------------------------------------- */

/* A relative path is to be ignored, says the XDG base directory specification. */
static bool find_path(char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool is_named = state && state[0] == '/';
    if (!is_named && (!home || home[0] != '/'))
        return false;
    int length = snprintf(path, size, "%s%s/twbench/selftest.json", is_named ? state : home,
                          is_named ? "" : "/.local/state");
    return length > 0 && (size_t)length < size;
}

/* For this user alone, as the same specification wants it. */
static int make_directories(const char *file, struct diag *diag)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s", file);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return diag_run(diag, "%s: cannot be made: %s", path, strerror(errno));
        *slash = '/';
    }
    return DIAG_OK;
}

/* Two machines of one kind differ in their /etc/machine-id, which is not to be told to others: so 32 of
 * its 128 bits are kept, mixed with a word of our own.  They tell two machines apart and do not lead
 * back; and they stay in this file. */
static void read_tag(char *tag, size_t size, const char *root)
{
    static const char word[] = "twbench selftest ";
    char text[128];
    size_t length = sizeof word - 1;
    memcpy(text, word, sizeof word);
    sysfile_read(text + length, sizeof text - length, root, "/etc/machine-id");
    tag[0] = '\0';
    if (text[length])
        snprintf(tag, size, "%08lx",
                 (unsigned long)(XXH64(text, strlen(text), 0) & UINT64_C(0xffffffff)));
}

/* ---- Writing. -------------------------------------------------------------------------------- */

static const char *const machine_keys[] = {"cpu_model", "kernel", "virtualisation", "governor"};
#define MACHINE_KEYS (sizeof machine_keys / sizeof *machine_keys)

static cJSON *make_file(const struct selftest_record *record, const cJSON *selftest)
{
    cJSON *root = cJSON_CreateObject(), *machine = cJSON_CreateObject();
    const cJSON *origin = json_get(selftest, "machine");
    char tag[16];
    read_tag(tag, sizeof tag, "");
    for (size_t i = 0; i < MACHINE_KEYS; i++)
        json_add_text(machine, machine_keys[i], json_get_text(origin, machine_keys[i]));
    json_add_measure(machine, "cores", json_get_number(origin, "cores"));
    json_add_text(machine, "tag", tag);
    json_add_integer(root, "schema_version", RECORD_VERSION);
    json_add_text(root, "kind", RECORD_KIND);
    json_add(root, "machine", machine);
    json_add(root, "selftest", selftest_record_json(record));
    return root;
}

int selftest_record_write(const cJSON *selftest, struct diag *diag)
{
    struct selftest_record record;
    char path[PATH_SIZE];
    if (!cJSON_IsTrue(json_get(selftest, "complete")) || !read_record(&record, selftest, true) ||
        !find_path(path, sizeof path))
        return DIAG_OK;
    cJSON *root = make_file(&record, selftest);
    int status = make_directories(path, diag);
    if (status == DIAG_OK)
        status = json_save(path, root, diag);
    cJSON_Delete(root);
    return status;
}

/* ---- Reading. -------------------------------------------------------------------------------- */

/* Anything may lie there, a pipe or a disk image too: neither is waited for nor read. */
static cJSON *read_file(void)
{
    char path[PATH_SIZE];
    struct stat info;
    struct diag ignored;
    cJSON *root = NULL;
    if (find_path(path, sizeof path) && stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size <= RECORD_BYTES_MAX)
        (void)json_load(path, "a selftest", &root, &ignored);
    return root;
}

/* The date has to come out as it went in, so that nothing but a date gets into a result.  One that lies
 * ahead was written under another clock: nobody knows how old it is. */
static bool is_recent(const char *date_utc, time_t now)
{
    struct tm utc = {.tm_mday = 1};
    char again[sizeof((struct selftest_record *)NULL)->date_utc];
    const char *end = strptime(date_utc, DATE_FORMAT, &utc);
    time_t then = end ? timegm(&utc) : (time_t)-1;
    if (then == (time_t)-1 || strftime(again, sizeof again, DATE_FORMAT, &utc) == 0 ||
        strcmp(again, date_utc) != 0)
        return false;
    return then <= now && now - then <= (time_t)SELFTEST_RECORD_DAYS * 24 * 3600;
}

/* Whatever can change the answers makes it another machine.  The kernel's release is among that: it
 * schedules, accounts for stolen time and guards against the processor's flaws in its own way, and a
 * promise about false alarms that no longer holds is worse than none.  --resume draws the same line. */
static bool is_same_machine(const cJSON *then, const struct machine *machine, const char *root)
{
    const char *const now[MACHINE_KEYS] = {machine->cpu_model, machine->kernel,
                                           machine->virtualisation, machine->governor};
    char tag[16];
    read_tag(tag, sizeof tag, root);
    double cores = json_get_number(then, "cores");
    bool is_same =
        json_says(then, "tag", tag) && (isnan(cores) ? 0 : cores) == (double)machine->cores;
    for (size_t i = 0; i < MACHINE_KEYS; i++)
        is_same = is_same && json_says(then, machine_keys[i], now[i]);
    return is_same;
}

void selftest_record_read(struct selftest_record *record, const struct machine *machine, time_t now,
                          const char *root)
{
    *record = (struct selftest_record){.date_utc = ""};
    cJSON *file = read_file();
    struct selftest_record found;
    if (json_says(file, "kind", RECORD_KIND) &&
        json_get_number(file, "schema_version") == RECORD_VERSION &&
        is_same_machine(json_get(file, "machine"), machine, root) &&
        read_record(&found, json_get(file, "selftest"), false) && is_recent(found.date_utc, now))
        *record = found;
    cJSON_Delete(file);
}
