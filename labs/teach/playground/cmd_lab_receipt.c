/* cmd_lab_receipt.c - lab receipt: asks the questions of a receipt again, and judges its answers. */
#include "labs/teach/teach.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "impls/registry.h"
#include "labs/teach/playground/quiz.h"

/* What is printed of a file, when it is known how it ends. */
struct verdict {
    char changes[4000]; /* what does not fit; "": it was not changed */
    char wrong[12000];  /* a line for each wrong answer */
};

static int open_quiz(const char *path, const cJSON *json, struct quiz *quiz, struct diag *diag)
{
    const struct tw_design *design = registry_find(json_get_text(json, "design"));
    struct tw_error error;
    if (!cJSON_IsNumber(json_get(json, "receipt")))
        return diag_usage(diag, "%s: no receipt; expected the JSON that the playground saves",
                          path);
    if (json_get_number(json, "receipt") != QUIZ_VERSION)
        return diag_usage(diag, "%s: receipt: version %.0f; this program checks version %d", path,
                          json_get_number(json, "receipt"), QUIZ_VERSION);
    if (!design)
        return diag_usage(diag, "%s: design: '%s' is unknown; 'twbench list' names them", path,
                          json_get_text(json, "design"));
    if (cJSON_GetArraySize(json_get(json, "answers")) != QUIZ_QUESTIONS)
        return diag_usage(diag, "%s: answers: expected %d", path, QUIZ_QUESTIONS);
    if (quiz_open(quiz, design, json_get_text(json, "seed"), &error) != TW_OK)
        return diag_usage(diag, "%s: %s", path, error.text);
    return DIAG_OK;
}

/* What is no answer to its question is told, and replaced by one that is. */
static void answer_again(struct quiz *quiz, const cJSON *json, struct verdict *verdict)
{
    json_each(answer, json, "answers") {
        const char *given = cJSON_IsString(answer) ? answer->valuestring : "?";
        char right[32];
        (void)quiz_ask(quiz);
        int judged = quiz_answer(quiz, given);
        if (judged < 0) {
            text_add_behind(verdict->changes, sizeof verdict->changes,
                            "  answer %" PRIu32 ": '%.40s' does not answer its question\n",
                            quiz->asked, given);
            for (size_t i = 0; i < 3 && judged < 0; i++)
                judged = quiz_answer(quiz, (const char *[]){"", "0", "0:0"}[i]);
            continue;
        }
        quiz_format(quiz, quiz->form, quiz->right, right, sizeof right);
        if (!judged)
            text_add_behind(verdict->wrong, sizeof verdict->wrong,
                            "  %" PRIu32 ". %s %s\n     answered %s, right is %s. %s\n",
                            quiz->asked, quiz->before, quiz->text, given[0] ? given : "none",
                            right[0] ? right : "none", quiz->why);
    }
}

static void name_change(struct verdict *verdict, const char *key, const cJSON *given,
                        const cJSON *expected)
{
    char *is = given ? cJSON_PrintUnformatted(given) : NULL,
         *should = expected ? cJSON_PrintUnformatted(expected) : NULL;
    text_add_behind(
        verdict->changes, sizeof verdict->changes, "  %s: %.200s given, expected %s%s\n", key,
        is ? is : "nothing", should ? should : "no such key",
        strcmp(key, "questions") == 0 ? ": the seed was changed, or the page is of another build"
                                      : "");
    cJSON_free(is);
    cJSON_free(should);
}

/* Member by member, with the receipt that these answers have. */
static int compare_receipts(const struct quiz *quiz, const cJSON *json, struct verdict *verdict,
                            struct diag *diag)
{
    char text[2048];
    cJSON *expected = NULL;
    quiz_receipt(quiz, text, sizeof text);
    int status = jsontext_read("", text, strlen(text), "", &expected, diag);
    if (status != DIAG_OK)
        return status;
    json_each(member, expected, "") {
        const cJSON *given = cJSON_GetObjectItemCaseSensitive(json, member->string);
        if (!cJSON_Compare(given, member, true))
            name_change(verdict, member->string, given, member);
    }
    json_each(member, json, "")
        if (!cJSON_GetObjectItemCaseSensitive(expected, member->string))
            name_change(verdict, member->string, member, NULL);
    cJSON_Delete(expected);
    return DIAG_OK;
}

static int check_file(const char *path, struct diag *diag)
{
    struct quiz quiz = {.timers = NULL};
    struct verdict verdict = {.changes = "", .wrong = ""};
    cJSON *json = NULL;
    int status = json_load(path, "a receipt of the playground", &json, diag);
    if (status == DIAG_OK)
        status = open_quiz(path, json, &quiz, diag);
    if (status == DIAG_OK) {
        answer_again(&quiz, json, &verdict);
        status = compare_receipts(&quiz, json, &verdict, diag);
    }
    if (status == DIAG_OK && verdict.changes[0])
        printf("%s: changed, or not of this program\n%s", path, verdict.changes);
    else if (status == DIAG_OK)
        printf("%s: %s, %s: %" PRIu32 " of %d\n%s", path, quiz.seed, quiz.design->name, quiz.score,
               QUIZ_QUESTIONS, verdict.wrong);
    quiz_close(&quiz);
    cJSON_Delete(json);
    return status != DIAG_OK    ? command_fail(status, diag)
           : verdict.changes[0] ? EXIT_FAILED
                                : EXIT_OK;
}

static int run(struct call *call)
{
    struct diag diag;
    int worst = EXIT_OK;
    if (call->operand_count == 0)
        return command_fail(command_operands(call, "one or more receipts", &diag), &diag);
    for (size_t i = 0; i < call->operand_count; i++) {
        int status = check_file(call->operands[i], &diag);
        worst = status > worst ? status : worst;
    }
    return worst;
}

const struct command cmd_lab_receipt = {
    .name = "lab receipt",
    .usage = "FILE...",
    .summary = "Check receipts of the playground: ask again and judge the answers.",
    .topic = "My class",
    .groups = (const struct flag_group[]){{0}},
    .run = run,
};
