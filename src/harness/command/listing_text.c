/* listing_text.c - prints the document of `list`. */
#include "harness/command/listing.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/units.h"

struct listing {
    FILE *out;
    unsigned columns;
};

/* A paragraph that goes on under its text. */
static void print_line(const struct listing *listing, const char *name, int indent,
                       const char *text)
{
    int used = indent > 4 ? fprintf(listing->out, "  %-*s ", indent - 3, name)
                          : fprintf(listing->out, "%*s", indent, "");
    wrap_write(listing->out, text, used, used, listing->columns);
}

/* "O(1)", or "O(1), worst O(n)". */
static void add_cost(struct text *text, const cJSON *traits, const char *operation,
                     const char *title)
{
    const cJSON *cost = json_get(traits, operation);
    const char *average = json_get_text(cost, "average"), *worst = json_get_text(cost, "worst");
    text_add_item(text, "; ", "%s %s", title, average);
    if (strcmp(average, worst) != 0)
        text_add(text, ", worst %s", worst);
}

static void print_traits(const struct listing *listing, const cJSON *traits)
{
    char line[300];
    struct text text = text_in(line, sizeof line);
    unsigned ticks = (unsigned)json_get_number(traits, "late_ticks");
    unsigned shift = (unsigned)json_get_number(traits, "late_shift");
    if (cJSON_IsTrue(json_get(traits, "keeps_nothing")))
        text_add(&text, "fires nothing");
    else if (ticks == 0 && shift == 0)
        text_add(&text, "exact");
    else
        text_add(&text, "late by at most %u ticks + delay/%u", ticks, shift ? 1u << shift : 0u);
    json_each(flag, traits, "flags")
        text_add(&text, ", %s", flag->valuestring);
    print_line(listing, "", 4, line);
    text = text_in(line, sizeof line);
    add_cost(&text, traits, "start", "start");
    add_cost(&text, traits, "stop", "stop");
    add_cost(&text, traits, "expire", "expire");
    add_cost(&text, traits, "tick", "empty tick");
    print_line(listing, "", 4, line);
}

/* Name, summary, and what else the item has. */
static void print_item(const struct listing *listing, const cJSON *item)
{
    const cJSON *note = json_get(item, "note"), *traits = json_get(item, "traits");
    print_line(listing, json_get_text(item, "name"), 17, json_get_text(item, "summary"));
    if (note)
        print_line(listing, "", 4, json_get_text(item, "note"));
    if (traits)
        print_traits(listing, traits);
    json_each(param, item, "parameters") {
        char text[400];
        snprintf(text, sizeof text, "--%s: %s", json_get_text(param, "name"),
                 json_get_text(param, "help"));
        print_line(listing, "", 4, text);
    }
}

static void print_items(const struct listing *listing, const cJSON *items)
{
    json_each(item, items, "")
        print_item(listing, item);
}

/* Those that are not built say what they want. */
static void print_missing(const struct listing *listing, const cJSON *missing)
{
    if (cJSON_GetArraySize(missing) > 0)
        fprintf(listing->out, "\nLibraries that are not built:\n");
    json_each(item, missing, "")
        print_line(listing, json_get_text(item, "name"), 17, json_get_text(item, "reason"));
}

static void print_loads(const struct listing *listing, const char *heading, const cJSON *loads)
{
    fprintf(listing->out, "\n%s:\n", heading);
    json_each(load, loads, "") {
        char tick[32], line[1200];
        const char *parameters = json_get_text(load, "parameters");
        units_format_time(tick, sizeof tick, (uint64_t)json_get_number(load, "tick_ns"));
        snprintf(line, sizeof line, "%s (tick %s)", json_get_text(load, "summary"), tick);
        print_line(listing, json_get_text(load, "name"), 21, line);
        snprintf(line, sizeof line, "--set %s", parameters);
        if (*parameters)
            print_line(listing, "", 21, line);
    }
}

void listing_print(FILE *out, unsigned columns, const cJSON *document)
{
    const struct listing listing = {out, columns};
    bool is_all = json_get(document, "workloads") != NULL;
    if (is_all)
        fprintf(out, "Designs (--impl):\n");
    print_items(&listing, json_get(document, "designs"));
    print_missing(&listing, json_get(document, "missing"));
    json_each(heading, document, "headings") {
        fprintf(out, "\n%s:\n", heading->valuestring);
        print_items(&listing, json_get(document, heading->string));
    }
    if (!is_all)
        return;
    print_loads(&listing, "Workloads (--workload)", json_get(document, "workloads"));
    print_loads(&listing, "Recorded traces (replay)", json_get(document, "traces"));
    fprintf(out, "\n");
    print_line(&listing, "", 0,
               "Figures ('twbench list --figures' has each): ns per operation by phase (median, "
               "interval), CPU time, latency percentiles of start, stop and advance, work counts, "
               "bytes per task, fixed, peak and retained bytes, lateness, early fires, digest "
               "against the oracle.");
}
