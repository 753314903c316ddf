/*
 * probe.c - one design, named by -DDESIGN at compile time, against the contract: all written cases
 * and some random streams, for each of its settings, each setting in a child process.
 *
 * Prints the first broken rule and the operations that led there; exit status 0 when the contract
 * held, 1 when not.  A design that crashes or hangs breaks a rule like any other.  `check` runs after
 * every operation; with "sound" only now and then, which is enough for a design without a fault,
 * because test_conformance does the other.  With "case NAME" the design's defaults are put to that
 * written case alone, as far as it goes.
 */
#include "harness/prove/child.h"
#include "harness/prove/conform.h"

#define TIMED_OBJECT(design) TW_BACKEND(design)

extern const struct tw_backend TIMED_OBJECT(DESIGN);

static void judge_in_child(void *ctx, struct watch *watch)
{
    struct conform_options *options = ctx;
    options->watch = watch;
    conform_run(&TIMED_OBJECT(DESIGN), options, &watch->report);
}

struct deep {
    struct conform_options options;
    size_t index; /* of the written case */
};

static void judge_case_in_child(void *ctx, struct watch *watch)
{
    struct deep *deep = ctx;
    deep->options.watch = watch;
    conform_case(&TIMED_OBJECT(DESIGN), &deep->options, deep->index, &watch->report);
}

static void tell(const struct child *child, struct conform_report *report)
{
    struct operations operations;
    operations_init(&operations, 1);
    watch_read_list(child->watch, &operations);
    if (child->watch->step < operations.count)
        operations.count = child->watch->step + 1;
    operations_print(&operations, report->operations, sizeof report->operations);
    printf("rule: %s\nfound: %s\n%s", report->rule ? report->rule : "none", report->detail,
           report->operations);
    operations_clear(&operations);
}

/* Exit status 2 when there is no such case. */
static int probe_case(struct child *child, const char *name)
{
    struct deep deep = {.options = {.many_max = 1u << 22, .life_starts = 1u << 20, .patience = 10}};
    struct conform_report report;
    while (conform_case_name(deep.index) && strcmp(conform_case_name(deep.index), name) != 0)
        deep.index++;
    if (!conform_case_name(deep.index))
        return 2;
    bool holds = child_run(child, judge_case_in_child, &deep, &report) && !report.rule;
    if (!holds)
        tell(child, &report);
    return !holds;
}

int main(int argc, char **argv)
{
    const struct tw_backend *backend = &TIMED_OBJECT(DESIGN);
    struct tw_setting settings[CONFORM_SETTINGS_MAX];
    struct conform_options options = {
        .settings = settings, .seed = 1, .operations = 20000, .check_always = argc < 2};
    struct child child;
    bool holds = child_open(&child, backend);
    if (holds && argc > 2)
        return probe_case(&child, argv[2]);
    for (size_t v = 0; holds && conform_variant(backend, v, settings, &options.setting_count);
         v++) {
        struct conform_report report;
        holds = child_run(&child, judge_in_child, &options, &report) && !report.rule;
        if (!holds)
            tell(&child, &report);
    }
    return !holds;
}
