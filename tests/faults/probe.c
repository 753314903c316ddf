/*
 * probe.c - one design, named by -DDESIGN at compile time, against the contract: all written cases
 * and some random streams, for each of its settings, each setting in a child process.
 *
 * Prints the first broken rule and the operations that led there; exit status 0 when the contract
 * held, 1 when not.  A design that crashes or hangs breaks a rule like any other.  `check` runs after
 * every operation; with any argument only now and then, which is enough for a design without a fault,
 * because test_conformance does the other.
 */
#include "harness/conform/child.h"
#include "harness/conform/conform.h"

#include <stdio.h>

#define TIMED_OBJECT(design) TW_BACKEND(design)

extern const struct tw_backend TIMED_OBJECT(DESIGN);

static void judge_in_child(void *ctx, struct watch *watch)
{
    struct conform_options *options = ctx;
    options->watch = watch;
    conform_run(&TIMED_OBJECT(DESIGN), options, &watch->report);
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

int main(int argc, char **argv)
{
    const struct tw_backend *backend = &TIMED_OBJECT(DESIGN);
    struct tw_setting settings[CONFORM_SETTINGS_MAX];
    struct conform_options options = {
        .settings = settings, .seed = 1, .operations = 20000, .check_always = argc < 2};
    struct child child;
    bool holds = child_open(&child, backend);
    (void)argv;
    for (size_t v = 0; holds && conform_variant(backend, v, settings, &options.setting_count);
         v++) {
        struct conform_report report;
        holds = child_run(&child, judge_in_child, &options, &report) && !report.rule;
        if (!holds)
            tell(&child, &report);
    }
    return !holds;
}
