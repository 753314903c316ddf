/*
 * test_document.c - the result document: built, written, read back, refused.
 *
 * `test_document sample FILE` writes the sample instead, `test_document load FILE...` says of each
 * file whether it loads: tests/schema.sh holds both against the published schema.
 */
#include "harness/base/json.h"
#include "sample.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *file_name(char *out, void **state, const char *name)
{
    snprintf(out, 256, "%s/%s", (char *)*state, name);
    return out;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 24);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 24) - 1, file) > 0);
    fclose(file);
    return text;
}

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static const cJSON *cell_at(const struct result_document *document, int index)
{
    return cJSON_GetArrayItem(json_get(result_json(document), "cells"), index);
}

/* ---- What is in it. -------------------------------------------------------------------------- */

TEST(test_cell_has_the_figures)
{
    struct result_document *document = sample_document();
    const cJSON *cell = cell_at(document, 3);
    assert_string_equal(json_get_text(cell, "impl"), "hashed");
    assert_string_equal(json_get_text(cell, "status"), "ok");
    assert_string_equal(json_get_text(cell, "digest"), "fedcba9876543210");
    assert_string_equal(json_get_text(cell, "expected_digest"), "fedcba9876543210");
    assert_true(json_get_number(cell, "params.slots") == 1000);
    assert_true(json_get_number(cell, "fired") == 5000);
    assert_true(json_get_number(cell, "harness_ns_per_op") == 1.31);
    assert_null(json_get(cell, "reason"));
    assert_int_equal(cJSON_GetArraySize(json_get(cell_at(document, 5), "params.levels")), 4);
    const cJSON *steady = cJSON_GetArrayItem(json_get(cell, "phases"), 1);
    double low = json_get_number(steady, "ns_per_op.low");
    double median = json_get_number(steady, "ns_per_op.median");
    double cost = sample_cost_ns(&sample_designs[3], 1000, 1000) * 1.4;
    assert_true(low < median && median < json_get_number(steady, "ns_per_op.high"));
    assert_true(median > 0.97 * cost && median < 1.05 * cost);
    assert_int_equal(cJSON_GetArraySize(json_get(steady, "ns_per_op.samples")), SAMPLE_COUNT);
    /* 5500 operations and 10000 advances share the same time. */
    assert_true(fabs(json_get_number(steady, "ns_per_advance.median") - 0.55 * median) < 1e-4);
    result_free(document);
}

TEST(test_latency_bins_add_up)
{
    struct result_document *document = sample_document();
    const cJSON *phase = cJSON_GetArrayItem(json_get(cell_at(document, 2), "phases"), 1);
    const cJSON *advance = json_get(phase, "latency_ns.advance"), *pair;
    double sum = 0, last = -1;
    cJSON_ArrayForEach(pair, json_get(advance, "bins"))
    {
        double low = cJSON_GetArrayItem(pair, 0)->valuedouble;
        assert_true(low > last);
        last = low;
        sum += cJSON_GetArrayItem(pair, 1)->valuedouble;
    }
    assert_true(sum == json_get_number(advance, "count"));
    assert_true(json_get_number(advance, "p50") <= json_get_number(advance, "p99"));
    assert_true(json_get_number(advance, "p99_99") <= json_get_number(advance, "max"));
    assert_true(last <= json_get_number(advance, "max"));
    assert_null(json_get(phase, "latency_ns.stop"));
    result_free(document);
}

/* No operation in the phase: nothing to divide by, so null and neither 0 nor infinity. */
TEST(test_phase_without_operations)
{
    struct result_document *document = sample_empty();
    struct stream stream = sample_stream("idle", 10);
    struct cell_identity identity = sample_identity(&sample_designs[2], NULL);
    struct outcome *outcome = sample_outcome(&sample_designs[2], &stream, 0);
    outcome->phases[1].starts = outcome->phases[1].expires = 0;
    outcome->memory.bytes_per_task = NAN;
    outcome->late_mean_ticks = INFINITY;
    struct diag diag;
    assert_int_equal(result_add_cell(document, &identity, &stream, outcome, -1, &diag), DIAG_OK);
    const cJSON *cell = cell_at(document, 0);
    const cJSON *phase = cJSON_GetArrayItem(json_get(cell, "phases"), 1);
    assert_null(json_get(phase, "ns_per_op"));
    assert_null(json_get(phase, "cpu_ns_per_op"));
    assert_non_null(json_get(phase, "ns_per_advance"));
    assert_null(json_get(cell, "memory.bytes_per_task"));
    assert_null(json_get(cell, "late_mean_ticks"));
    assert_null(json_get(cell, "harness_ns_per_op"));
    free(outcome);
    result_free(document);
}

/* Samples of the harness are taken off one by one, in CPU time and the measure of the passes; what is left of noise is no number. */
TEST(test_the_harness_is_taken_off)
{
    struct result_document *document = sample_empty();
    struct stream stream = sample_stream("behind", 100);
    struct cell_identity identity = sample_identity(&sample_designs[2], NULL);
    struct outcome *outcome = sample_outcome(&sample_designs[2], &stream, 0);
    struct outcome *harness = sample_outcome(&sample_designs[2], &stream, 0);
    struct diag diag;
    identity.between = 32768;
    identity.harness = harness;
    outcome->phases[0].starts = 100;
    outcome->phases[0].stretch = 2;
    harness->phases[0].stretch = 4;
    for (size_t s = 0; s < SAMPLE_COUNT; s++) {
        double drift = 100 * (double)s;
        outcome->phases[0].cpu_ns[s] = 5000 + 2 * drift + (s % 2 == 0 ? 10 : 0);
        harness->phases[0].cpu_ns[s] = 2000 + drift;
        harness->phases[1].cpu_ns[s] = outcome->phases[1].cpu_ns[s];
    }
    assert_int_equal(result_add_cell(document, &identity, &stream, outcome, 1, &diag), DIAG_OK);
    const cJSON *cell = cell_at(document, 0);
    const cJSON *first = cJSON_GetArrayItem(json_get(cell, "phases"), 0);
    const cJSON *second = cJSON_GetArrayItem(json_get(cell, "phases"), 1);
    assert_true(json_says(cell, "params.between", "32KiB"));
    assert_float_equal(json_get_number(first, "corrected.ns_per_op.low"), 10, 1e-9);
    assert_float_equal(json_get_number(first, "corrected.ns_per_op.median"), 10.05, 1e-9);
    assert_float_equal(json_get_number(first, "corrected.ns_per_op.high"), 10.1, 1e-9);
    assert_null(json_get(first, "corrected.reason"));
    assert_true(json_says(second, "corrected.reason", "overhead too large to subtract"));
    free(harness);
    free(outcome);
    result_free(document);
}

TEST(test_failed_cell_claims_nothing)
{
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[1], "hold", 1000000, 0);
    const cJSON *cell = cell_at(document, 0);
    assert_string_equal(json_get_text(cell, "status"), "timeout");
    assert_string_equal(json_get_text(cell, "reason"), "over its time budget of 10 s");
    assert_null(json_get(cell, "digest"));
    assert_null(json_get(cell, "fired"));
    assert_null(json_get(cell, "memory"));
    assert_int_equal(cJSON_GetArraySize(json_get(cell, "phases")), 0);
    assert_int_equal(result_count_failed(document), 0);
    result_free(document);
}

TEST(test_failures_are_counted)
{
    static const enum outcome_status statuses[] = {OUTCOME_OK,          OUTCOME_MISMATCH,
                                                   OUTCOME_UNSUPPORTED, OUTCOME_TIMEOUT,
                                                   OUTCOME_CRASHED,     OUTCOME_OUT_OF_MEMORY};
    struct result_document *document = sample_empty();
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        struct stream stream = sample_stream("hold", 1000 + i);
        struct outcome *outcome = sample_outcome(&sample_designs[2], &stream, 0);
        outcome->status = statuses[i];
        sample_put(document, &sample_designs[2], &stream, outcome);
    }
    assert_int_equal(result_count_cells(document), 6);
    assert_int_equal(result_count_failed(document), 2);
    result_free(document);
}

/* ---- Written and read back. ------------------------------------------------------------------ */

TEST(test_load_gives_what_was_written)
{
    char first[256], second[256];
    struct diag diag;
    struct result_document *built = sample_document(), *loaded = NULL;
    file_name(first, state, "first.json"), file_name(second, state, "second.json");
    assert_int_equal(result_write(built, first, &diag), DIAG_OK);
    assert_int_equal(result_load(first, &loaded, &diag), DIAG_OK);
    assert_true(cJSON_Compare(result_json(built), result_json(loaded), true));
    assert_int_equal(result_write(loaded, second, &diag), DIAG_OK);
    char *left = read_file(first), *right = read_file(second);
    assert_string_equal(left, right);
    /* The seed, 2^64 - 1, is beyond a double and must come through both. */
    assert_non_null(strstr(right, "\"seed\":18446744073709551615,"));
    assert_null(strcasestr(right, ":nan"));
    assert_null(strcasestr(right, ":inf"));
    free(left), free(right);
    result_free(built), result_free(loaded);
}

/* Quotes, brackets and a backslash at the end of a text do not end the cell it stands in. */
TEST(test_load_keeps_cells_with_odd_texts)
{
    char path[256];
    struct diag diag;
    struct result_document *built = sample_empty(), *loaded = NULL;
    struct stream stream = sample_stream("hold", 1000);
    struct outcome *outcome = sample_outcome(&sample_designs[1], &stream, 0);
    sample_fail(outcome, OUTCOME_CRASHED, "\"}],{\" \\");
    sample_put(built, &sample_designs[1], &stream, outcome);
    sample_add(built, &sample_designs[2], "hold", 1000, 0);
    assert_int_equal(result_write(built, file_name(path, state, "odd.json"), &diag), DIAG_OK);
    assert_int_equal(result_load(path, &loaded, &diag), DIAG_OK);
    assert_int_equal(result_write(loaded, path, &diag), DIAG_OK);
    result_free(loaded);
    assert_int_equal(result_load(path, &loaded, &diag), DIAG_OK);
    assert_true(cJSON_Compare(result_json(built), result_json(loaded), true));
    result_free(built), result_free(loaded);
}

/* The whole peak per task, slots and all; older results have the bytes it follows from. */
TEST(test_memory_has_the_whole_peak_per_task)
{
    char path[256];
    struct diag diag;
    struct result_document *built = sample_empty(), *loaded = NULL;
    sample_add(built, &sample_designs[3], "hold", 1000, 512);
    cJSON *memory = cJSON_GetObjectItem(cell_at(built, 0), "memory");
    double peak = json_get_number(memory, "peak_bytes");
    assert_true(json_get_number(memory, "fixed_bytes") > 0);
    assert_true(fabs(json_get_number(memory, "peak_bytes_per_task") - peak / 1000) < 1e-9);
    assert_int_equal(result_write(built, file_name(path, state, "whole.json"), &diag), DIAG_OK);
    char command[768];
    snprintf(command, sizeof command,
             "sed -i 's/\"peak_bytes_per_task\":[0-9.]*,//' '%s'; ! grep -q peak_bytes_per '%s'",
             path, path);
    assert_int_equal(system(command), 0);
    assert_int_equal(result_load(path, &loaded, &diag), DIAG_OK);
    assert_true(cJSON_Compare(result_json(built), result_json(loaded), true));
    result_free(built), result_free(loaded);
}

/* A text that another tool has printed anew, with blanks and the keys in another order. */
TEST(test_load_takes_other_layouts)
{
    char path[256], again[256];
    struct diag diag;
    struct result_document *built = sample_empty(), *loaded = NULL;
    sample_add(built, &sample_designs[2], "hold", 1000, 0);
    sample_add(built, &sample_designs[3], "hold", 1000, 0);
    assert_int_equal(result_write(built, file_name(path, state, "plain.json"), &diag), DIAG_OK);
    char command[768];
    snprintf(
        command, sizeof command,
        "python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); "
        "c = d.pop(\"cells\"); json.dump({\"cells\": c, \"note\": \"\\\\\\\"cells\\\": []\", **d}, "
        "open(sys.argv[2], \"w\"), indent=3)' '%s' '%s'",
        path, file_name(again, state, "indented.json"));
    assert_int_equal(system(command), 0);
    assert_int_equal(result_load(again, &loaded, &diag), DIAG_OK);
    assert_int_equal(result_count_cells(loaded), 2);
    assert_int_equal(result_write(loaded, path, &diag), DIAG_OK);
    result_free(loaded);
    assert_int_equal(result_load(path, &loaded, &diag), DIAG_OK);
    assert_string_equal(json_get_text(cell_at(loaded, 1), "impl"), "hashed");
    assert_non_null(json_get(result_json(loaded), "note"));
    result_free(built), result_free(loaded);
}

TEST(test_same_experiment_is_replaced)
{
    struct result_document *document = sample_empty();
    struct stream stream = sample_stream("hold", 1000);
    struct cell_identity identity = sample_identity(&sample_designs[2], NULL);
    struct outcome *outcome = sample_outcome(&sample_designs[2], &stream, 0);
    struct diag diag;
    result_add_cell(document, &identity, &stream, outcome, 1, &diag);
    sample_add(document, &sample_designs[1], "hold", 1000, 0);
    outcome->late_mean_ticks = 7;
    result_add_cell(document, &identity, &stream, outcome, 1, &diag);
    assert_int_equal(result_count_cells(document), 2);
    assert_true(json_get_number(cell_at(document, 0), "late_mean_ticks") == 7);
    identity.pin_cpu = -1;
    result_add_cell(document, &identity, &stream, outcome, 1, &diag);
    assert_int_equal(result_count_cells(document), 3);
    free(outcome);
    result_free(document);
}

/* ---- Resuming. ------------------------------------------------------------------------------- */

TEST(test_resume_finds_finished_cells)
{
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[3], "hold", 1000, 512);
    struct stream stream = sample_stream("hold", 1000), other = sample_stream("hold", 1000);
    other.hash++;
    struct tw_setting slots = {"slots", 1, {512}};
    struct cell_identity identity = sample_identity(&sample_designs[3], &slots);
    assert_true(result_has_cell(document, &identity, &stream));
    assert_false(result_has_cell(document, &identity, &other));
    identity.budget_ns *= 2;
    assert_true(result_has_cell(document, &identity, &stream));
    identity.runs++;
    assert_false(result_has_cell(document, &identity, &stream));
    identity.runs--;
    slots.values[0] = 64;
    assert_false(result_has_cell(document, &identity, &stream));
    assert_true(result_harness_ns_per_op(document, &stream) == 1.31);
    assert_true(result_harness_ns_per_op(document, &other) < 0);
    result_free(document);
}

/* A cell that ran out of its budget is worth another try only with a larger one. */
TEST(test_resume_tries_timeouts_with_more_time)
{
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[1], "hold", 1000000, 0);
    struct stream stream = sample_stream("hold", 1000000);
    struct cell_identity identity = sample_identity(&sample_designs[1], NULL);
    assert_true(result_has_cell(document, &identity, &stream));
    identity.budget_ns /= 2;
    assert_true(result_has_cell(document, &identity, &stream));
    identity.budget_ns *= 4;
    assert_false(result_has_cell(document, &identity, &stream));
    identity.budget_ns = 0;
    assert_false(result_has_cell(document, &identity, &stream));
    result_free(document);
}

TEST(test_resume_refuses_another_build)
{
    struct result_document *document = sample_document();
    struct result_origin origin = sample_origin();
    struct diag diag;
    origin.tool.date_utc = NULL;
    assert_int_equal(result_check_origin(document, "old.json", &origin, &diag), DIAG_OK);
    origin.tool.flags = "-O3";
    assert_int_equal(result_check_origin(document, "old.json", &origin, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "old.json: "));
    assert_non_null(strstr(diag.text, "tool.flags"));
    assert_non_null(strstr(diag.text, "-O3"));
    result_free(document);
}

TEST(test_existing_file_is_refused)
{
    char path[256];
    struct diag diag;
    file_name(path, state, "precious.json");
    assert_int_equal(result_refuse_existing(path, &diag), DIAG_OK);
    write_file(path, "x", 1);
    assert_int_equal(result_refuse_existing(path, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "--force"));
    assert_non_null(strstr(diag.text, "--resume"));
    assert_int_equal(result_refuse_existing(*state, &diag), DIAG_USAGE);
    assert_int_equal(result_refuse_existing("-", &diag), DIAG_OK);
    assert_int_equal(result_refuse_existing("/dev/null", &diag), DIAG_OK);
}

/* ---- Writing when the file system says no. --------------------------------------------------- */

TEST(test_write_errors_name_the_file)
{
    char path[256];
    struct diag diag;
    struct result_document *document = sample_document();
    assert_int_equal(result_write(document, file_name(path, state, "no/such.json"), &diag),
                     DIAG_RUN);
    assert_non_null(strstr(diag.text, "no/such.json"));
    assert_int_equal(result_write(document, "/dev/full", &diag), DIAG_RUN);
    assert_non_null(strstr(diag.text, "/dev/full"));
    assert_int_equal(result_write(document, "/dev/null", &diag), DIAG_OK);
    struct stat info;
    assert_true(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    result_free(document);
}

/* Writes for ever in a child that is killed at some moment: the file must be whole each time. */
TEST(test_kill_leaves_a_whole_file)
{
    char path[256];
    struct diag diag;
    struct result_document *document = sample_document(), *loaded = NULL;
    assert_int_equal(result_write(document, file_name(path, state, "whole.json"), &diag), DIAG_OK);
    for (int round = 1; round <= 10; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            for (;;)
                result_write(document, path, &diag);
        nanosleep(&(struct timespec){.tv_nsec = 1300000 * round}, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(result_load(path, &loaded, &diag), DIAG_OK);
        assert_int_equal(result_count_cells(loaded), result_count_cells(document));
        result_free(loaded);
    }
    result_free(document);
}

/* ---- Refused files. -------------------------------------------------------------------------- */

static void expect_refusal(void **state, const char *text, size_t size, const char *expected)
{
    char path[256];
    struct diag diag = {""};
    struct result_document *document = NULL;
    write_file(file_name(path, state, "bad.json"), text, size);
    assert_int_equal(result_load(path, &document, &diag), DIAG_USAGE);
    assert_null(document);
    assert_non_null(strstr(diag.text, "bad.json"));
    if (!strstr(diag.text, expected))
        fail_msg("\"%s\" is not in: %s", expected, diag.text);
}

TEST(test_broken_texts_are_refused)
{
    static const char *const cases[][2] = {
        {"", ":1:1: the file is empty"},
        {"{\n\"schema_version\": 1,\n\"tool\": oops}", ":3:9: not JSON"},
        {"{\"schema_version\": 1} rubbish", "not JSON"},
        {"[1, 2]", "not a twbench result"},
        {"{}", "schema_version is missing"},
        {"{\"schema_version\": 2}", "another version, 2; this twbench reads version 1"},
        {"{\"schema_version\": \"1\"}", "of the wrong type"},
        {"{\"schema_version\": 1}", "tool: missing; expected an object"},
        {"{\"schema_version\": 1, \"tool\": 3}", "tool: of the wrong type; expected an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refusal(state, cases[i][0], strlen(cases[i][0]), cases[i][1]);
    expect_refusal(state, "{\0}", 3, ":1:2:");
}

TEST(test_every_cut_is_refused)
{
    char path[256];
    struct diag diag;
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[2], "hold", 1000, 0);
    assert_int_equal(result_write(document, file_name(path, state, "cut.json"), &diag), DIAG_OK);
    char *text = read_file(path);
    size_t size = strlen(text);
    for (size_t cut = 0; cut + 2 < size; cut += 1 + size / 97)
        expect_refusal(state, text, cut, "");
    free(text);
    result_free(document);
}

/* Replaces the first `from` after `after` by a text of any length. */
static char *edited(const char *text, const char *after, const char *from, const char *to)
{
    const char *at = strstr(strstr(text, after), from);
    assert_non_null(at);
    char *out = NULL;
    assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
    return out;
}

TEST(test_wrong_keys_are_named)
{
    static const char *const cases[][4] = {
        {"cells", "\"impl\":\"heap\"", "\"impl\":5",
         "cells[0].impl: of the wrong type; expected text"},
        {"cells", "\"impl\"", "\"implement\"", "cells[0].impl: missing; expected text"},
        {"cells", "\"steady\"", "[]", "cells[0].phases[1].name: of the wrong type"},
        {"cells", "\"median\":", "\"median\":-", "ns_per_op.median: of the wrong type"},
        {"cells", "\"p99\":", "\"p99\":1e999,\"old\":", "a number beyond all bounds"},
        {"cells", "\"identity\"", "\"identify\"", "cells[0].identity: missing"},
        {"machine", "\"caches\":[{", "\"caches\":[null,{", "machine.caches[0]: of the wrong type"},
    };
    char path[256];
    struct diag diag;
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[2], "hold", 1000, 0);
    assert_int_equal(result_write(document, file_name(path, state, "good.json"), &diag), DIAG_OK);
    char *text = read_file(path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *broken = edited(text, cases[i][0], cases[i][1], cases[i][2]);
        expect_refusal(state, broken, strlen(broken), cases[i][3]);
        free(broken);
    }
    free(text);
    result_free(document);
}

TEST(test_missing_file_is_named)
{
    char path[256];
    struct diag diag;
    struct result_document *document = NULL;
    file_name(path, state, "absent.json");
    assert_int_equal(result_load(path, &document, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "absent.json"));
    assert_int_equal(result_load(*state, &document, &diag), DIAG_USAGE);
}

TEST(test_arguments_that_are_no_utf8)
{
    struct result_origin origin = sample_origin();
    char bytes[] = "a\xff\xc3\xa4\xe2\x82", name[] = "twbench", empty[] = "";
    char *argv[] = {name, bytes, empty};
    struct result_document *document = NULL;
    origin.argc = 3, origin.argv = argv;
    document = result_new(&origin);
    const cJSON *command = json_get(result_json(document), "command");
    assert_string_equal(cJSON_GetArrayItem(command, 1)->valuestring, "a?\xc3\xa4??");
    assert_string_equal(cJSON_GetArrayItem(command, 2)->valuestring, "");
    result_free(document);
}

/* ---- For tests/schema.sh. -------------------------------------------------------------------- */

static int write_sample(const char *path)
{
    struct diag diag = {""};
    struct result_document *document = sample_document();
    int status = result_write(document, path, &diag);
    result_free(document);
    fputs(diag.text, stderr);
    return -status;
}

static int load_each(int count, char *const *paths)
{
    for (int i = 0; i < count; i++) {
        struct diag diag = {"ok"};
        struct result_document *document = NULL;
        result_load(paths[i], &document, &diag);
        printf("%s %s\n", document ? "loads" : "refused", diag.text);
        result_free(document);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "sample") == 0)
        return write_sample(argv[2]);
    if (argc > 2 && strcmp(argv[1], "load") == 0)
        return load_each(argc - 2, argv + 2);
    return run_listed_tests(temporary_made, temporary_removed);
}
