/*
 * probe.c - one design, named by -DDESIGN at compile time, against the contract: all written cases
 * and some random streams, for each of its settings.
 *
 * Prints the first broken rule and what shows it; exit status 0 when the contract held, 1 when not.
 * `check` runs after every operation; with any argument only now and then, which is enough for a
 * design without a fault, because test_conformance does the other.
 */
#include "harness/conform/conform.h"

#include <stdio.h>

#define TIMED_OBJECT(design) TW_BACKEND(design)

extern const struct tw_backend TIMED_OBJECT(DESIGN);

int main(int argc, char **argv)
{
    const struct tw_backend *backend = &TIMED_OBJECT(DESIGN);
    struct tw_setting setting;
    struct conform_options options = {
        .settings = &setting, .seed = 1, .operations = 20000, .check_always = argc < 2};
    (void)argv;
    for (size_t v = 0; conform_variant(backend, v, &setting, &options.setting_count); v++) {
        struct conform_report report;
        if (conform_run(backend, &options, &report) != 0) {
            printf("rule: %s\nfound: %s\n%s", report.rule, report.detail, report.operations);
            return 1;
        }
    }
    return 0;
}
