/* test_selftest_record.c - the memo of a selftest: what gets into it, who may read it, and when.
 *
 * The documents come from selftest_json, so that a key which goes away there is missed here. */
#include "harness/base/json.h"
#include "harness/base/paths.h"
#include "harness/compare/selftest.h"
#include "harness/measure/plan/plan.h"
#include "harness/tell/result/document.h"
#include "sample.h"

#include <sys/stat.h>
#include <unistd.h>

#define SELFTEST_END 1714500000 /* 2024-04-30T18:00:00Z */
#define DAY_SECONDS  86400
#define TEXT_SIZE    4096

/* ---- A selftest, and where its memo lies. ---------------------------------------------------- */

static struct selftest sample_selftest(void)
{
    return (struct selftest){
        .complete = true,
        .false_alarms = {.trials = 200, .hits = 1, .inconclusive = 4},
        .presets = 20,
        .presets_alarmed = 1,
        .sizes = {{2, 2.1, {40, 2, 3}, 20}, {5, 4.9, {120, 117, 3}, 120}, {10, 10.2, {0, 0, 0}, 0}},
        .smallest_percent = 4.7,
        .harness_ns_per_op = 1.31,
        .cell_count = 10,
        .seconds = 250,
        .budget_seconds = 260,
        .pair_spread_percent = 0.9,
        .calibration = {{20, 0.075, 5.4, 5.42, 0.998, 0.997, 0.999, "ok"},
                        {100, 0.05, 26.1, 27.1, 0.963, 0.94, 0.98, "inconclusive"}},
        .left_out = {"slowdowns of 10 %: there was no time to inject them"},
        .left_out_count = 1,
    };
}

/* The caller deletes it.  The machine is the one that runs the test, as it is in a real selftest. */
static cJSON *make_selftest(const struct selftest *selftest)
{
    struct plan plan = {.group_count = 2, .cell_count = 5};
    struct limits limits = limits_default();
    struct binaries_request request = {
        .matrix = {.plan = &plan, .seed = 1, .samples = 5, .min_time_ns = 2000000},
        .pairs = 30,
        .max_pairs = 90,
        .cpu = 1,
        .limits = &limits,
    };
    struct selftest found = *selftest;
    found.timer_overhead_ns = 21.25, found.steal_share = NAN;
    found.busy_share = 0.02, found.load_1min = 0.5;
    struct result_origin origin = sample_origin();
    struct result_document *head = NULL;
    machine_read(&origin.machine, "");
    origin.tool.date_utc = "2024-04-30T18:00:00Z";
    head = result_new(&origin);
    cJSON *document = selftest_json(&found, &request, result_json(head));
    result_free(head);
    return document;
}

/* By value, so that it can stand in an expression. */
struct path {
    char text[128];
};

/* A name in the test's own directory, whose state/ is what XDG_STATE_HOME names. */
static struct path path_of(void **state, const char *name)
{
    struct path path;
    snprintf(path.text, sizeof path.text, "%s/%s", (char *)*state, name);
    return path;
}

#define RECORD "state/twbench/selftest.json"

static void write_sample(void)
{
    struct selftest selftest = sample_selftest();
    struct diag diag = {""};
    cJSON *document = make_selftest(&selftest);
    int status = selftest_record_write(document, &diag);
    cJSON_Delete(document);
    assert_string_equal(diag.text, "");
    assert_int_equal(status, DIAG_OK);
}

static void read_text(char *text, const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Is there a record for this machine, so many seconds after the selftest? */
static bool is_found(long seconds)
{
    struct selftest_record record;
    struct machine machine;
    machine_read(&machine, "");
    selftest_record_read(&record, &machine, SELFTEST_END + seconds, "");
    return record.date_utc[0] != '\0';
}

/* Every test begins without a memo. */
static int begin_test(void **state)
{
    struct path directory = path_of(state, "state");
    char command[512];
    snprintf(command, sizeof command, "rm -rf %s %s && mkdir %s", directory.text,
             path_of(state, "home").text, directory.text);
    unsetenv("HOME");
    return system(command) == 0 && setenv("XDG_STATE_HOME", directory.text, 1) == 0 ? 0 : -1;
}

/* ---- There and back. ------------------------------------------------------------------------- */

TEST_AROUND(test_what_is_written_is_read, begin_test, NULL)
{
    struct selftest_record record;
    struct machine machine;
    write_sample();
    machine_read(&machine, "");
    selftest_record_read(&record, &machine, SELFTEST_END + 60, "");
    assert_string_equal(record.date_utc, "2024-04-30T18:00:00Z");
    assert_string_equal(record.version, "0.1.0");
    assert_string_equal(record.commit, "1234567");
    assert_float_equal(record.comparisons, 200, 0);
    assert_float_equal(record.cells, 10, 0);
    assert_float_equal(record.margin, 0.03, 1e-9);
    assert_float_equal(record.false_alarm_rate, 0.005, 1e-9);
    assert_float_equal(record.false_alarm_high, 0.0235, 0.0001); /* exact, 1 of 200 */
    assert_float_equal(record.detection[0], 0.05, 1e-9);
    assert_float_equal(record.detection[1], 0.975, 1e-9);
    assert_true(isnan(record.detection[2]));
    assert_float_equal(record.smallest_reliable_slowdown, 0.047, 1e-9);
    assert_float_equal(record.harness_ns_per_op, 1.31, 1e-9);
    assert_float_equal(record.timer_overhead_ns, 21.25, 1e-9);
    assert_float_equal(record.busy_share, 0.02, 1e-9);
}

TEST_AROUND(test_a_result_carries_it, begin_test, NULL)
{
    struct result_origin origin = sample_origin();
    struct result_document *document = NULL;
    write_sample();
    machine_read(&origin.machine, "");
    selftest_record_read(&origin.selftest, &origin.machine, SELFTEST_END, "");
    document = result_new(&origin);
    const cJSON *selftest = json_get(result_json(document), "machine.selftest");
    assert_string_equal(json_get_text(selftest, "date_utc"), "2024-04-30T18:00:00Z");
    assert_float_equal(json_get_number(selftest, "detection.5"), 0.975, 1e-9);
    assert_true(
        cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(json_get(selftest, "detection"), "10")));
    assert_int_equal(cJSON_GetArraySize(json_get(selftest, "detection")), SELFTEST_RECORD_SIZES);
    assert_float_equal(json_get_number(selftest, "comparisons"), 200, 0);
    result_free(document);
}

TEST_AROUND(test_without_a_record_a_result_has_null, begin_test, NULL)
{
    struct selftest_record record = {.date_utc = ""};
    cJSON *item = selftest_record_json(&record);
    assert_true(cJSON_IsNull(item));
    cJSON_Delete(item);
    assert_false(is_found(0));
}

TEST_AROUND(test_the_last_one_counts, begin_test, NULL)
{
    struct selftest selftest = sample_selftest();
    struct diag diag;
    struct selftest_record record;
    struct machine machine;
    write_sample();
    selftest.false_alarms.trials = 500;
    cJSON *document = make_selftest(&selftest);
    assert_int_equal(selftest_record_write(document, &diag), DIAG_OK);
    cJSON_Delete(document);
    machine_read(&machine, "");
    selftest_record_read(&record, &machine, SELFTEST_END, "");
    assert_float_equal(record.comparisons, 500, 0);
}

TEST_AROUND(test_what_found_nothing_is_not_kept, begin_test, NULL)
{
    struct selftest interrupted = sample_selftest(), empty = sample_selftest();
    struct diag diag;
    char before[TEXT_SIZE], after[TEXT_SIZE];
    interrupted.complete = false;
    interrupted.false_alarms.trials = 100;
    empty.false_alarms = (struct selftest_rate){0, 0, 0};
    write_sample();
    read_text(before, path_of(state, RECORD).text);
    const struct selftest *const cases[] = {&interrupted, &empty};
    for (size_t i = 0; i < 2; i++) {
        cJSON *document = make_selftest(cases[i]);
        assert_int_equal(selftest_record_write(document, &diag), DIAG_OK);
        cJSON_Delete(document);
        read_text(after, path_of(state, RECORD).text);
        assert_string_equal(after, before);
    }
}

/* ---- Not for every result. ------------------------------------------------------------------- */

TEST_AROUND(test_it_gets_old, begin_test, NULL)
{
    long limit = (long)SELFTEST_RECORD_DAYS * DAY_SECONDS;
    write_sample();
    assert_true(is_found(0));
    assert_true(is_found(limit));
    assert_false(is_found(limit + 1));
    assert_false(is_found(-1));
}

/* Nothing but what the case names differs from the machine that made the record. */
TEST_AROUND(test_another_machine_has_its_own, begin_test, NULL)
{
    struct selftest_record record;
    struct machine machine;
    write_sample();
    for (int i = 0; i < 7; i++) {
        machine_read(&machine, "");
        char *const texts[] = {machine.cpu_model, machine.kernel, machine.virtualisation,
                               machine.governor};
        if (i < 4)
            snprintf(texts[i], 16, "another");
        machine.cores += i == 4;
        machine.memory_bytes += i == 5;
        selftest_record_read(&record, &machine, SELFTEST_END, "");
        if (i < 5)
            assert_string_equal(record.date_utc, "");
        else
            assert_string_not_equal(record.date_utc, "");
    }
}

TEST_AROUND(test_a_twin_of_the_machine_is_another, begin_test, NULL)
{
    struct selftest_record record;
    struct machine machine;
    write_sample();
    machine_read(&machine, "");
    assert_int_equal(mkdir(path_of(state, "root").text, 0700), 0);
    assert_int_equal(mkdir(path_of(state, "root/etc").text, 0700), 0);
    write_text(path_of(state, "root/etc/machine-id").text, "00112233445566778899aabbccddeeff\n");
    selftest_record_read(&record, &machine, SELFTEST_END, path_of(state, "root").text);
    assert_string_equal(record.date_utc, "");
}

/* Neither whole nor in part: any eight of its digits would be a part. */
TEST_AROUND(test_the_machine_id_is_told_to_nobody, begin_test, NULL)
{
    char id[64] = "", text[TEXT_SIZE];
    FILE *file = fopen("/etc/machine-id", "r");
    write_sample();
    if (!file || !fgets(id, sizeof id, file) || strlen(id) < 32)
        skip();
    fclose(file);
    read_text(text, path_of(state, RECORD).text);
    for (size_t i = 0; i + 8 <= 32; i++) {
        char part[9];
        snprintf(part, sizeof part, "%.8s", id + i);
        assert_null(strstr(text, part));
    }
    const char *tag = strstr(text, "\"tag\":");
    assert_non_null(tag);
    assert_int_equal(strcspn(strchr(tag + 6, '"') + 1, "\""), 8);
    struct selftest_record record;
    struct machine machine;
    machine_read(&machine, "");
    selftest_record_read(&record, &machine, SELFTEST_END, "");
    cJSON *item = selftest_record_json(&record);
    assert_null(json_get(item, "tag"));
    assert_null(json_get(item, "machine"));
    cJSON_Delete(item);
}

/* ---- A memo that is none. -------------------------------------------------------------------- */

/* The text with the first `from` replaced; the caller frees it. */
static char *edited(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *out = NULL;
    assert_non_null(at);
    assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
    return out;
}

TEST_AROUND(test_broken_figures_are_ignored, begin_test, NULL)
{
    static const char *const cases[][2] = {
        {"\"schema_version\":\t1", "\"schema_version\":\t2"},
        {"selftest-record", "selftest"},
        {"2024-04-30T", "2024-4-30T"},
        {"2024-04-30T", "2024-02-31T"},
        {"18:00:00Z", "18:00:00Z and more"},
        {"18:00:00Z", "18:00"},
        {"\"version\":\t\"0.1.0\"", "\"version\":\tnull"},
        {"\"comparisons\":\t200", "\"comparisons\":\t0"},
        {"\"comparisons\":\t200", "\"comparisons\":\t2.5"},
        {"\"comparisons\":\t200", "\"comparisons\":\tnull"},
        {"\"cells\":\t10", "\"cells\":\t\"10\""},
        {"\"false_alarm_rate\":\t0.005", "\"false_alarm_rate\":\t1.5"},
        {"\"false_alarm_rate\":\t0.005", "\"false_alarm_rate\":\t-0.5"},
        {"\"timer_overhead_ns\":\t21.25", "\"timer_overhead_ns\":\t1e999"},
        {"\"busy_share\":\t0.02", "\"busy_share\":\ttrue"},
        {"\"detection\":\t{", "\"detection\":\t{\"2\": \"all\","},
    };
    char text[TEXT_SIZE];
    write_sample();
    read_text(text, path_of(state, RECORD).text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *broken = edited(text, cases[i][0], cases[i][1]);
        write_text(path_of(state, RECORD).text, broken);
        free(broken);
        if (is_found(0))
            fail_msg("taken: %s", cases[i][1]);
    }
    write_text(path_of(state, RECORD).text, text);
    assert_true(is_found(0));
}

/* Rounds of planted times: within the tolerance, beyond it, and both. */
TEST(test_calibration_is_judged)
{
    static const struct {
        double from, to;
        const char *status;
    } cases[] = {{0.97, 1.04, "ok"},
                 {0.80, 0.94, "wrong"},
                 {1.06, 1.2, "wrong"},
                 {0.90, 1.00, "inconclusive"},
                 {0.98, 1.12, "inconclusive"}};
    double told[60], expected[60];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct calibration out = {.additions = 20, .tolerance = 0.05};
        for (size_t round = 0; round < 60; round++) {
            expected[round] = 5 + (double)(round % 7);
            told[round] = expected[round] *
                          (cases[i].from + (cases[i].to - cases[i].from) * (double)round / 59);
        }
        calibration_judge(&out, told, expected, 60);
        assert_string_equal(out.status, cases[i].status);
        assert_true(out.ratio_low <= out.ratio && out.ratio <= out.ratio_high);
        calibration_judge(&out, told, expected, 3); /* too few for any interval */
        assert_string_equal(out.status, "inconclusive");
    }
}

TEST_AROUND(test_broken_files_are_ignored_and_replaced, begin_test, NULL)
{
    static const char *const texts[] = {
        "",       "{",        "null",
        "[1, 2]", "\"text\"", "{\"kind\": \"selftest-record\", \"schema_version\": 1}"};
    char text[TEXT_SIZE];
    write_sample();
    read_text(text, path_of(state, RECORD).text);
    for (size_t cut = 0; cut + 2 < strlen(text); cut += 7) {
        char *part = strndup(text, cut);
        write_text(path_of(state, RECORD).text, part);
        free(part);
        assert_false(is_found(0));
    }
    strcat(text, "}");
    write_text(path_of(state, RECORD).text, text);
    assert_false(is_found(0));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_text(path_of(state, RECORD).text, texts[i]);
        assert_false(is_found(0));
    }
    write_sample();
    assert_true(is_found(0));
}

/* A pipe would be waited for, a huge file read. */
TEST_AROUND(test_odd_files_are_left_alone, begin_test, NULL)
{
    struct path record = path_of(state, RECORD);
    const char *path = record.text;
    write_sample();
    assert_int_equal(truncate(path, 1 << 20), 0);
    assert_false(is_found(0));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(100);
    assert_false(is_found(0));
    alarm(0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(is_found(0));
}

/* ---- Where it lies. -------------------------------------------------------------------------- */

TEST_AROUND(test_home_is_the_default, begin_test, NULL)
{
    static const char *const ignored[] = {NULL, "", "relative/state"};
    struct path home = path_of(state, "home");
    assert_int_equal(mkdir(home.text, 0700), 0);
    setenv("HOME", home.text, 1);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (ignored[i])
            setenv("XDG_STATE_HOME", ignored[i], 1);
        else
            unsetenv("XDG_STATE_HOME");
        write_sample();
        assert_true(is_found(0));
        assert_int_equal(unlink(path_of(state, "home/.local/state/twbench/selftest.json").text), 0);
        assert_false(is_found(0));
    }
    assert_int_not_equal(access("relative", F_OK), 0);
}

TEST_AROUND(test_nowhere_without_home, begin_test, NULL)
{
    unsetenv("XDG_STATE_HOME");
    write_sample();
    assert_false(is_found(0));
    setenv("HOME", "", 1);
    write_sample();
    assert_false(is_found(0));
}

/* And nothing but the record is left in them. */
TEST_AROUND(test_directories_are_for_the_user_alone, begin_test, NULL)
{
    struct stat info;
    char command[512];
    setenv("XDG_STATE_HOME", path_of(state, "state/new/one").text, 1);
    write_sample();
    assert_int_equal(stat(path_of(state, "state/new/one/twbench").text, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    snprintf(command, sizeof command, "test \"$(ls -A %s)\" = selftest.json",
             path_of(state, "state/new/one/twbench").text);
    assert_int_equal(system(command), 0);
}

/* A file lies where a directory should be, or the other way round: even root cannot write there. */
TEST_AROUND(test_what_cannot_be_written_is_told, begin_test, NULL)
{
    struct selftest selftest = sample_selftest();
    struct diag diag = {""};
    cJSON *document = make_selftest(&selftest);
    write_text(path_of(state, "state/file").text, "");
    setenv("XDG_STATE_HOME", path_of(state, "state/file").text, 1);
    assert_int_equal(selftest_record_write(document, &diag), DIAG_RUN);
    assert_non_null(strstr(diag.text, path_of(state, "state/file").text));
    assert_non_null(strstr(diag.text, ": cannot be made: "));
    assert_false(is_found(0));
    setenv("XDG_STATE_HOME", path_of(state, "state").text, 1);
    write_sample();
    assert_int_equal(unlink(path_of(state, RECORD).text), 0);
    assert_int_equal(mkdir(path_of(state, RECORD).text, 0700), 0);
    assert_int_equal(selftest_record_write(document, &diag), DIAG_RUN);
    assert_non_null(strstr(diag.text, path_of(state, RECORD).text));
    cJSON_Delete(document);
}

/* ---- For tests/selftest_format.sh, and the group. -------------------------------------------- */

static void print_selftest(const char *path, const struct selftest *selftest)
{
    cJSON *document = make_selftest(selftest);
    char *text = cJSON_Print(document);
    write_text(path, text);
    cJSON_free(text);
    cJSON_Delete(document);
}

/* One that found something, with its memo where XDG_STATE_HOME says, and one interrupted at once. */
static int print_samples(const char *found, const char *empty)
{
    struct selftest selftest = sample_selftest();
    print_selftest(found, &selftest);
    write_sample();
    selftest = (struct selftest){
        .sizes = {{2, NAN, {0, 0, 0}, 0}, {5, NAN, {0, 0, 0}, 0}, {10, NAN, {0, 0, 0}, 0}},
        .smallest_percent = NAN,
        .harness_ns_per_op = NAN,
        .cell_count = 10,
        .pair_spread_percent = NAN,
    };
    print_selftest(empty, &selftest);
    return 0;
}

static int make_directory(void **state)
{
    char *directory = malloc(64);
    paths_temporary(directory, 64, "test_selftest_record");
    *state = directory;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", (char *)*state);
    free(*state);
    return system(command);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "sample") == 0)
        return print_samples(argv[2], argv[3]);
    return run_listed_tests(make_directory, remove_directory);
}
