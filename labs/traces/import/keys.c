/* keys.c - parses the KEY=VALUE arguments of importers. */
#include "labs/traces/import/import.h"

#include "harness/base/text.h"
#include "harness/command/flags.h"

typedef int take_fn(struct import_options *options, const char *value, struct diag *diag);

struct key {
    const char *name, *value, *help;
    unsigned bit; /* 0: every kind has it */
    take_fn *take;
    size_t flag; /* without `take`: of a bool of the options, set by the second word of `value` */
};

/* ---- Values -------------------------------------------------------------------------------------- */

static int take_whole(const char *key, const char *value, uint64_t min, uint64_t max, uint64_t *out,
                      struct diag *diag)
{
    struct span text = span_of(value, strlen(value));
    if (!scan_unsigned(&text, out) || text.at != text.end || *out < min || *out > max)
        return diag_usage(diag, "%s=%s: expected a whole number from %llu to %llu", key, value,
                          (unsigned long long)min, (unsigned long long)max);
    return DIAG_OK;
}

/* One of the two words of the key. */
static int take_either(const struct key *key, struct import_options *options, const char *value,
                       struct diag *diag)
{
    size_t first = strcspn(key->value, "|");
    const char *other = key->value + first + 1;
    bool *is_other = (bool *)((char *)options + key->flag);
    *is_other = strcmp(value, other) == 0;
    if (!*is_other && (strlen(value) != first || strncmp(value, key->value, first) != 0))
        return diag_usage(diag, "%s=%s: expected %.*s or %s", key->name, value, (int)first,
                          key->value, other);
    return DIAG_OK;
}

static int take_pid(struct import_options *options, const char *value, struct diag *diag)
{
    uint64_t pid = 0;
    int status = take_whole("pid", value, 0, INT32_MAX, &pid, diag);
    options->by_pid = true;
    options->pid = (int64_t)pid;
    return status;
}

static int take_cpu(struct import_options *options, const char *value, struct diag *diag)
{
    uint64_t cpu = 0;
    int status = take_whole("cpu", value, 0, UINT32_MAX, &cpu, diag);
    options->by_cpu = true;
    options->cpu = (uint32_t)cpu;
    return status;
}

static int take_loop(struct import_options *options, const char *value, struct diag *diag)
{
    struct span text = span_of(value, strlen(value));
    options->by_loop = true;
    if (!scan_hex(&text, &options->loop) || text.at != text.end)
        return diag_usage(diag, "loop=%s: expected an address such as 0x7fccd187a5c8", value);
    return DIAG_OK;
}

static int take_hz(struct import_options *options, const char *value, struct diag *diag)
{
    return take_whole("hz", value, 1, 1000000000, &options->hz, diag);
}

static int take_clocks(struct import_options *options, const char *value, struct diag *diag)
{
    return clocks_read(&options->clocks, value, diag);
}

static int take_source(struct import_options *options, const char *value, struct diag *diag)
{
    if (strlen(value) >= TRACE_SOURCE_SIZE || strpbrk(value, "\n\r"))
        return diag_usage(diag, "source=%.40s...: expected one line of less than %d bytes", value,
                          TRACE_SOURCE_SIZE);
    options->source = value;
    return DIAG_OK;
}

/* ---- The table ----------------------------------------------------------------------------------- */

static const struct key keys[] = {
    {"pid", "N", "only this process or thread, by the log's number", IMPORT_PID, take_pid, 0},
    {"loop", "ADDRESS", "only this event loop (default: the busiest)", IMPORT_LOOP, take_loop, 0},
    {"cpu", "N", "only this cpu; a kernel timer's is the one of its wheel (default: all)",
     IMPORT_CPU, take_cpu, 0},
    {"lazy", "apply|skip", "a refresh that the program skipped: a re-arm (default), or nothing",
     IMPORT_LAZY, NULL, offsetof(struct import_options, lazy_skip)},
    {"hz", "N", "jiffies in a second, which is not in the log (default: what fits, or else 250)",
     IMPORT_HZ, take_hz, 0},
    {"clocks", "FILE",
     "how far CLOCK_REALTIME and CLOCK_BOOTTIME are ahead of the log's clock (default: its "
     ".clocks)",
     IMPORT_CLOCKS, take_clocks, 0},
    {"ids", "address|recycle",
     "an id per timer object, or free ids given again, the last freed first", 0, NULL,
     offsetof(struct import_options, ids_recycle)},
    {"source", "TEXT", "the header's '# source:' (default: what is known of it)", 0, take_source,
     0},
};

enum { KEYS = sizeof keys / sizeof *keys };

static bool key_is_of(const struct key *key, const struct import_kind *kind)
{
    return key->bit == 0 || (kind->keys & key->bit);
}

void import_keys_help(const struct import_kind *kind, FILE *out)
{
    for (size_t i = 0; i < KEYS; i++)
        if (key_is_of(&keys[i], kind)) {
            char left[48];
            snprintf(left, sizeof left, "  %s=%s", keys[i].name, keys[i].value);
            help_row(out, left, keys[i].help);
        }
}

void import_options_init(struct import_options *options, const struct import_kind *kind)
{
    *options = (struct import_options){.kind = kind, .ids_recycle = kind->recycles};
}

static int key_unknown(const struct import_kind *kind, const char *setting, struct diag *diag)
{
    char names[200];
    struct text list = text_in(names, sizeof names);
    for (size_t i = 0; i < KEYS; i++)
        if (key_is_of(&keys[i], kind))
            text_add_item(&list, ", ", "%s=", keys[i].name);
    return diag_usage(diag, "%s: '%.60s' given; expected one of %s", kind->name, setting, names);
}

int import_options_take(struct import_options *options, const char *setting, struct diag *diag)
{
    const char *equals = strchr(setting, '=');
    size_t length = equals ? (size_t)(equals - setting) : 0;
    for (size_t i = 0; equals && i < KEYS; i++)
        if (key_is_of(&keys[i], options->kind) && strlen(keys[i].name) == length &&
            memcmp(keys[i].name, setting, length) == 0) {
            if (options->taken & 1u << i)
                return diag_usage(diag, "%s: %s is given twice; expected one value", setting,
                                  keys[i].name);
            options->taken |= 1u << i;
            return keys[i].take ? keys[i].take(options, equals + 1, diag)
                                : take_either(&keys[i], options, equals + 1, diag);
        }
    return key_unknown(options->kind, setting, diag);
}
