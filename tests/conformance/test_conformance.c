/*
 * test_conformance.c - every design of the registry against the contract.
 *
 * The tests are made from the registry: one for each design and written case, then long random
 * streams, the counted object beside the timed one, and the lists that once showed a mistake.  A
 * failure prints the broken rule, the shortest operation list that shows it, and how to see it
 * again:
 *
 *     test_conformance                            all of it
 *     test_conformance --impl=hier                one design
 *     test_conformance --impl=proof               none: only that the proof itself can fail
 *     test_conformance --impl=hier --seed=1234    one design, its random streams from that seed
 *     test_conformance --impl=hier FILE.ops       only that operation list
 */
#include "harness/prove/cases.h"
#include "harness/prove/conform.h"
#include "impls/registry.h"
#include "testing.h"

#include <dirent.h>

/* Under a sanitizer an operation takes some ten times as long, and a tenth of them will do. */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer) ||                             \
    HAS_FEATURE(undefined_behavior_sanitizer)
#define MILLION UINT64_C(100000)
#else
#define MILLION UINT64_C(1000000)
#endif

/* Random operations of each design, over all its settings: plain, with `check` after each, and the
 * counted object's; with DEPTH=all (make test-all) many more. */
#define PLAIN_OPERATIONS   (depth_is("all") ? MILLION * 10 : MILLION / 4)
#define CHECKED_OPERATIONS (depth_is("all") ? MILLION / 5 : MILLION / 100)
#define COUNTED_OPERATIONS (depth_is("all") ? MILLION / 5 : MILLION / 40)

static bool depth_is(const char *word)
{
    const char *depth = getenv("DEPTH");
    return depth && strcmp(depth, word) == 0;
}

#define REGRESSIONS "tests/conformance/regressions"

#define NAME_SIZE 120

/* What one test is about. */
struct subject {
    const struct tw_design *entry;
    uint64_t seed;
    size_t case_index;
    const char *file;
    char name[NAME_SIZE];
};

/* ---- Saying what broke ----------------------------------------------------------------------- */

static void print_lines(const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        print_error("#     %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

static void require_held(const struct tw_backend *backend, int broken,
                         const struct conform_report *report)
{
    if (!broken)
        return;
    print_error("# design: %s\n# rule: %s\n# found: %s\n", backend->name,
                report->rule ? report->rule : "(none)", report->detail);
    print_lines(report->operations);
    if (report->seed)
        print_error("# again: test_conformance --impl=%s --seed=%" PRIu64 "\n", backend->name,
                    report->seed);
    fail_msg("%s: %s", backend->name, report->detail);
}

static size_t variant_count(const struct tw_backend *backend)
{
    struct tw_setting settings[CONFORM_SETTINGS_MAX];
    size_t setting_count, count = 0;
    while (conform_variant(backend, count, settings, &setting_count))
        count++;
    return count;
}

/* ---- The tests of one design ----------------------------------------------------------------- */

/* With all settings where DEPTH=all; else with the defaults, and if `conform` repeats it, one more: another in each case. */
static void test_case(void **state)
{
    const struct subject *subject = *state;
    const struct tw_backend *backend = subject->entry->timed;
    struct tw_setting settings[CONFORM_SETTINGS_MAX];
    struct conform_options options = {.settings = settings};
    bool once = written_cases[subject->case_index].is_once;
    size_t other = once ? 0 : subject->case_index % variant_count(backend);
    for (size_t v = 0; conform_variant(backend, v, settings, &options.setting_count); v++) {
        if (v > 0 && v != other && !depth_is("all"))
            continue;
        struct conform_report report;
        require_held(backend, conform_case(backend, &options, subject->case_index, &report),
                     &report);
    }
}

/* Random streams for all settings of a design, `operations` in all; sets traces[] unless NULL. */
static void run_streams(const struct tw_backend *backend, uint64_t seed, uint64_t operations,
                        bool check_always, uint64_t *traces)
{
    size_t variants = variant_count(backend);
    uint64_t done = 0;
    for (size_t v = 0; v < variants; v++) {
        struct tw_setting settings[CONFORM_SETTINGS_MAX];
        struct conform_options options = {.settings = settings,
                                          .seed = seed + (v << 32),
                                          .operations = operations / variants + 1,
                                          .check_always = check_always,
                                          .streams_only = true};
        struct conform_report report;
        conform_variant(backend, v, settings, &options.setting_count);
        require_held(backend, conform_run(backend, &options, &report), &report);
        done += report.operations_run;
        if (traces)
            traces[v] = report.trace;
    }
    assert_true(done >= operations);
}

static void test_plain_streams(void **state)
{
    const struct subject *subject = *state;
    run_streams(subject->entry->timed, subject->seed, PLAIN_OPERATIONS, false, NULL);
}

static void test_checked_streams(void **state)
{
    const struct subject *subject = *state;
    run_streams(subject->entry->timed, subject->seed, CHECKED_OPERATIONS, true, NULL);
}

static void test_counted_alike(void **state)
{
    enum { TRACES_MAX = 64 };
    const struct subject *subject = *state;
    uint64_t timed[TRACES_MAX], counted[TRACES_MAX];
    size_t variants = variant_count(subject->entry->timed);
    assert_true(variants <= TRACES_MAX);
    run_streams(subject->entry->timed, subject->seed, COUNTED_OPERATIONS, false, timed);
    run_streams(subject->entry->counted, subject->seed, COUNTED_OPERATIONS, false, counted);
    assert_memory_equal(timed, counted, variants * sizeof *timed);
}

static void test_work(void **state)
{
    const struct subject *subject = *state;
    struct tw_config config = {.capacity = 4};
    struct tw_error error;
    struct tw_timers *timers;
    assert_int_equal(subject->entry->timed->open(&timers, &config, &error), TW_OK);
    assert_null(subject->entry->timed->work(timers));
    subject->entry->timed->close(timers);
    assert_int_equal(subject->entry->counted->open(&timers, &config, &error), TW_OK);
    assert_non_null(subject->entry->counted->work(timers));
    subject->entry->counted->close(timers);
    assert_string_equal(subject->entry->timed->name, subject->entry->counted->name);
}

static char *file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    size_t size = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    assert_true(size > 0);
    return text;
}

static void replay_file(const struct tw_backend *backend, const char *path)
{
    struct conform_report report;
    char *text = file_read(path);
    int broken = conform_run_text(backend, text, &report);
    free(text);
    if (broken)
        print_error("# file: %s\n", path);
    require_held(backend, broken, &report);
}

static void test_file(void **state)
{
    const struct subject *subject = *state;
    replay_file(subject->entry->timed, subject->file);
}

static void test_regressions(void **state)
{
    const struct subject *subject = *state;
    DIR *directory = opendir(REGRESSIONS);
    if (!directory)
        fail_msg("no directory %s: run from the top of the tree", REGRESSIONS);
    size_t files = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *end = strrchr(entry->d_name, '.');
        char path[sizeof REGRESSIONS + sizeof entry->d_name + 1];
        if (!end || strcmp(end, ".ops") != 0)
            continue;
        snprintf(path, sizeof path, REGRESSIONS "/%s", entry->d_name);
        replay_file(subject->entry->timed, path);
        files++;
    }
    closedir(directory);
    assert_true(files > 0);
}

/* A design that keeps nothing is left alone only because it says so. */
static void test_exempt(void **state)
{
    const struct subject *subject = *state;
    struct conform_options options = {.operations = 1000};
    struct conform_report report;
    assert_int_equal(conform_run(subject->entry->timed, &options, &report), 0);
    assert_int_equal(report.operations_run, 0);
    struct tw_backend pretender = *subject->entry->timed;
    pretender.traits.flags &= ~(unsigned)TW_KEEPS_NOTHING;
    assert_int_equal(conform_run(&pretender, &options, &report), 1);
    assert_non_null(report.rule);
}

/* ---- The registry ---------------------------------------------------------------------------- */

/* A key is the word of registry.def, with hyphens. */
static void test_keys_are_words(void **state)
{
#define TW_DESIGN(design) #design,
    static const char *const words[] = {
#include "impls/registry.def"
    };
#undef TW_DESIGN
    for (size_t i = 0; i < registry_count; i++) {
        char key[NAME_SIZE];
        snprintf(key, sizeof key, "%s", words[i]);
        for (char *at = key; (at = strchr(at, '_'));)
            *at = '-';
        assert_string_equal(registry[i].timed->name, key);
    }
}

/* ---- The proof itself can fail --------------------------------------------------------------- */

/* The first design of the registry that holds the contract lends its table to the liars below. */
static struct tw_backend honest_design(void)
{
    const struct tw_design *entry = registry;
    while (entry->timed->traits.flags & TW_KEEPS_NOTHING)
        entry++;
    return *entry->timed;
}

static int start_late(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return honest_design().start(timers, id, deadline % 8 == 7 ? deadline + 1 : deadline);
}

static int stop_nothing(struct tw_timers *timers, tw_id id)
{
    (void)timers, (void)id;
    return TW_OK;
}

static tw_tick next_never(const struct tw_timers *timers)
{
    (void)timers;
    return TW_NEVER;
}

/* Random streams alone must find the lie and show it in few lines that, like the seed, show it
 * again. */
static void require_found(const struct tw_backend *liar, size_t lines_max)
{
    struct conform_options options = {.operations = 10000, .seed = 1, .streams_only = true};
    struct conform_report report;
    assert_int_equal(conform_run(liar, &options, &report), 1);
    assert_true(report.seed != 0);
    size_t lines = 0;
    for (const char *at = report.operations; (at = strchr(at, '\n')); at++)
        lines++;
    assert_in_range(lines, 1, lines_max);
    struct conform_report again;
    assert_int_equal(conform_run_text(liar, report.operations, &again), 1);
    options.seed = report.seed;
    options.operations = 1;
    assert_int_equal(conform_run(liar, &options, &again), 1);
    assert_string_equal(again.operations, report.operations);
}

static void test_liars_are_found(void **state)
{
    struct tw_backend liar = honest_design();
    liar.start = start_late;
    require_found(&liar, 6);
    liar = honest_design();
    liar.stop = stop_nothing;
    require_found(&liar, 4);
    liar = honest_design();
    liar.next = next_never;
    require_found(&liar, 3);
}

/* ---- Making the list of tests ---------------------------------------------------------------- */

struct suite {
    size_t count, room;
    struct CMUnitTest *tests;
    struct subject **subjects;
};

static void suite_add(struct suite *suite, const struct subject *about, CMUnitTestFunction function,
                      const char *what)
{
    if (suite->count == suite->room) {
        suite->room = suite->room ? 2 * suite->room : 64;
        suite->tests = realloc(suite->tests, suite->room * sizeof *suite->tests);
        suite->subjects = realloc(suite->subjects, suite->room * sizeof *suite->subjects);
    }
    struct subject *subject = malloc(sizeof *subject);
    if (!subject || !suite->tests || !suite->subjects)
        abort();
    *subject = *about;
    snprintf(subject->name, sizeof subject->name, "%s: %s",
             about->entry ? about->entry->timed->name : "proof", what);
    suite->subjects[suite->count] = subject;
    suite->tests[suite->count++] =
        (struct CMUnitTest){.name = subject->name, .test_func = function, .initial_state = subject};
}

static void suite_add_design(struct suite *suite, struct subject subject)
{
    suite_add(suite, &subject, test_work, "only the counted object counts");
    if (subject.entry->timed->traits.flags & TW_KEEPS_NOTHING) {
        suite_add(suite, &subject, test_exempt, "keeps nothing, and is exempt for that alone");
        return;
    }
    for (; conform_case_name(subject.case_index); subject.case_index++)
        suite_add(suite, &subject, test_case, conform_case_name(subject.case_index));
    suite_add(suite, &subject, test_regressions, "lists that once showed a mistake");
    char what[NAME_SIZE];
    snprintf(what, sizeof what, "%" PRIu64 " random operations", PLAIN_OPERATIONS);
    suite_add(suite, &subject, test_plain_streams, what);
    snprintf(what, sizeof what, "%" PRIu64 " with check after each", CHECKED_OPERATIONS);
    suite_add(suite, &subject, test_checked_streams, what);
    suite_add(suite, &subject, test_counted_alike, "the counted object behaves like the timed one");
}

static void suite_free(struct suite *suite)
{
    for (size_t i = 0; i < suite->count; i++)
        free(suite->subjects[i]);
    free(suite->subjects);
    free(suite->tests);
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    struct subject subject = {.seed = 20240229};
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--impl=", 7) == 0)
            only = argv[i] + 7;
        else if (strncmp(argv[i], "--seed=", 7) == 0)
            subject.seed = strtoull(argv[i] + 7, NULL, 10);
        else
            subject.file = argv[i];
    }
    struct suite suite = {0};
    if (!subject.file && (!only || strcmp(only, "proof") == 0)) {
        suite_add(&suite, &subject, test_liars_are_found, "a lying design is found");
        suite_add(&suite, &subject, test_keys_are_words, "keys are the words of the registry");
    }
    for (size_t i = 0; i < registry_count; i++) {
        subject.entry = &registry[i];
        if (only && strcmp(only, subject.entry->timed->name) != 0)
            continue;
        if (subject.file)
            suite_add(&suite, &subject, test_file, subject.file);
        else
            suite_add_design(&suite, subject);
    }
    if (suite.count == 0) {
        fprintf(stderr, "test_conformance: --impl=%s: expected a design or proof\n", only);
        return 2;
    }
    int failed = _cmocka_run_group_tests("conformance", suite.tests, suite.count, NULL, NULL);
    suite_free(&suite);
    return failed != 0;
}
