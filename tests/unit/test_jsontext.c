/* test_jsontext.c - what is JSON and what is not, and strings of any bytes. */
#include "harness/base/json.h"
#include "testing.h"

static int read_text(const char *text, size_t size, struct diag *diag)
{
    cJSON *root = NULL;
    int status = jsontext_read("x.json", text, size, "a test", &root, diag);
    assert_int_equal(root != NULL, status == DIAG_OK);
    cJSON_Delete(root);
    return status;
}

TEST(test_json_is_taken)
{
    static const char *const texts[] = {"{}",
                                        " [ ] ",
                                        "[1,-0,0.5,1e9,1E-9,-12.25e+3]",
                                        "\"\"",
                                        "null",
                                        "[true,false]",
                                        "{\"a\":{\"b\":[{},[]]}}\n",
                                        "\"\\u00e9\\ud83d\\ude00\\\\\\/\\\"\\b\\f\\n\\r\\t\"",
                                        "\"\303\251 \360\237\230\200 \357\277\277\"",
                                        "123456789012345678901234567890"};
    struct diag diag;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(read_text(texts[i], strlen(texts[i]), &diag), DIAG_OK);
}

/* Beyond the keys that are checked without memory. */
TEST(test_a_key_of_very_many_is_found_twice)
{
    enum { KEYS = 3000 };
    struct diag diag;
    char *text = calloc(KEYS + 1, 16), *end = text;
    assert_non_null(text);
    for (int i = 0; i < KEYS; i++)
        end += sprintf(end, "%c\"k%d\":1", i ? ',' : '{', i);
    char *last = end;
    end += sprintf(end, "}");
    assert_int_equal(read_text(text, (size_t)(end - text), &diag), DIAG_OK);
    end = last + sprintf(last, ",\"k17\":1}");
    assert_int_equal(read_text(text, (size_t)(end - text), &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "x.json: k17: there twice, expected each key once");
    free(text);
}

TEST(test_what_is_not_json_is_refused_with_its_place)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "x.json:1:1: the file is empty; expected a test"},
        {"{\"a\":1,\"a\":2}", "x.json: a: there twice, expected each key once"},
        {"{\"a\":1,\"\\u0061\":1}", "x.json: a: there twice"},
        {"[1,{\"b\":{\"c\":[{\"d\":1,\"e\":2,\"d\":[]}]}}]", "x.json: [1].b.c[0].d: there twice"},
        {"{\n \"a\": oops}", "x.json:2:7: not JSON"},
        {"{} x", ":1:4: not JSON"},
        {"[1,", ":1:4: the text ends too early"},
        {"\"a", "the text ends too early"},
        {"[1,]", "not JSON"},
        {"[,1]", "not JSON"},
        {"{\"a\":1,}", "not JSON"},
        {"{a:1}", "not JSON"},
        {"[01]", "not JSON"},
        {"[-]", "not JSON"},
        {"[1.]", "not JSON"},
        {"[.5]", "not JSON"},
        {"[+1]", "not JSON"},
        {"[1e]", "not JSON"},
        {"[NaN]", "not JSON"},
        {"[0x10]", "not JSON"},
        {"nul", "not JSON"},
        {"\357\273\277{}", ":1:1: not JSON"},
        {"[\v1]", ":1:2: not JSON"},
        {"[\0011]", ":1:2: not JSON"},
        {"[1e999]", "a number beyond all bounds"},
        {"[-1e400]", "a number beyond all bounds"},
        {"\"a\tb\"", ":1:4: a control character in a string"},
        {"\"\\x\"", "not JSON"},
        {"\"\\u12g4\"", "not JSON"},
        {"\"\\u0000\"", "a string with a zero in it"},
        {"\"\\ud800\"", "half of a surrogate pair"},
        {"\"\\udc00\"", "half of a surrogate pair"},
        {"\"\\ud800\\u0041\"", "half of a surrogate pair"},
        {"{\"a\": \"caf\351\"}", ":1:11: bytes that are not UTF-8"},
        {"{\"\377\": 1}", ":1:3: bytes that are not UTF-8"},
        {"\"\300\200\"", "bytes that are not UTF-8"},     /* an overlong zero */
        {"\"\340\202\254\"", "bytes that are not UTF-8"}, /* an overlong sign */
        {"\"\355\240\200\"", "bytes that are not UTF-8"}, /* a surrogate */
        {"\"\364\220\200\200\"", "bytes that are not UTF-8"},
        {"\"\342\202\"", "bytes that are not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag diag = {""};
        assert_int_equal(read_text(cases[i].text, strlen(cases[i].text), &diag), DIAG_USAGE);
        if (!strstr(diag.text, cases[i].message))
            fail_msg("%s: %s", cases[i].text, diag.text);
    }
}

TEST(test_a_zero_byte_and_depth_are_refused)
{
    struct diag diag;
    char deep[2 * 200000 + 1];
    assert_int_equal(read_text("{}\0{}", 5, &diag), DIAG_USAGE);
    assert_int_equal(read_text("\"a\0b\"", 5, &diag), DIAG_USAGE);
    for (int depth = JSONTEXT_DEPTH_MAX; depth <= 200000; depth += 200000 - JSONTEXT_DEPTH_MAX) {
        memset(deep, '[', (size_t)depth);
        memset(deep + depth, ']', (size_t)depth);
        deep[2 * depth] = '\0';
        assert_int_equal(read_text(deep, strlen(deep), &diag),
                         depth > JSONTEXT_DEPTH_MAX ? DIAG_USAGE : DIAG_OK);
    }
    assert_non_null(strstr(diag.text, "nested too deep"));
}

TEST(test_strings_of_any_bytes_become_json)
{
    struct diag diag;
    char bytes[16];
    for (unsigned seed = 0; seed < 20000; seed++) {
        uint64_t random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
        for (size_t i = 0; i < sizeof bytes - 1; i++, random ^= random >> 7, random *= 0x2545f491u)
            bytes[i] = (char)(seed % 2 ? random >> 20 : 0xc0 | (random >> 20));
        bytes[sizeof bytes - 1] = '\0';
        cJSON *item = jsontext_string(bytes);
        char *text = cJSON_PrintUnformatted(item);
        assert_int_equal(read_text(text, strlen(text), &diag), DIAG_OK);
        cJSON_free(text);
        cJSON_Delete(item);
    }
    char mixed[] = "ok \303\251 \377 \355\240\200 \342\202";
    jsontext_repair(mixed);
    assert_string_equal(mixed, "ok \303\251 ? ??? ??");
}

TEST_MAIN(NULL, NULL)
