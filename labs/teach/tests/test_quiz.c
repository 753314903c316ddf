/* test_quiz.c - questions of every design: the same for the same seed, right answers by a plain model, receipts. */
#include "impls/registry.h"
#include "labs/teach/playground/quiz.h"
#include "testing.h"

/* Opens it; false for the design that keeps nothing. */
static bool begin(struct quiz *quiz, size_t design, const char *seed)
{
    struct tw_error error;
    return quiz_open(quiz, &registry[design], seed, &error) == TW_OK;
}

/* Asks and answers all ten: the right answer, or one that is wrong. */
static void answer_all(struct quiz *quiz, bool right)
{
    while (quiz_ask(quiz)) {
        char answer[32];
        uint64_t wrong = quiz->form == QUIZ_WHICH ? quiz->right ^ 1 : quiz->right + 1;
        quiz_format(quiz, quiz->form, right ? quiz->right : wrong, answer, sizeof answer);
        assert_int_equal(quiz_answer(quiz, "1 2"), -1);
        assert_int_equal(quiz_answer(quiz, answer), right);
        assert_int_equal(quiz_answer(quiz, "no answer any more"), right);
    }
}

TEST(test_a_seed_has_its_questions)
{
    static struct quiz first, again, other;
    for (size_t i = 0; i < registry_count; i++) {
        if (registry[i].counted->traits.flags & TW_KEEPS_NOTHING) {
            assert_false(begin(&first, i, "ada"));
            quiz_close(&first);
            continue;
        }
        assert_true(begin(&first, i, "ada") && begin(&again, i, "ada") && begin(&other, i, "bob"));
        answer_all(&first, true);
        answer_all(&again, false);
        answer_all(&other, true);
        assert_int_equal(first.score, QUIZ_QUESTIONS);
        assert_int_equal(again.score, 0);
        assert_true(first.questions == again.questions);
        assert_true(first.questions != other.questions);
        assert_null(first.design->check(first.timers));
        quiz_close(&first), quiz_close(&again), quiz_close(&other);
    }
}

/* When each timer is due, from the calls alone: what an exact design has to do. */
struct model {
    tw_tick now, due[QUIZ_TIMERS]; /* 0: it does not run */
};

/* Answers which fire. */
static uint64_t model_do(struct model *model, const struct quiz_step *step)
{
    uint64_t fired = 0;
    if (step->verb == QUIZ_START)
        model->due[step->id] = step->to > model->now ? step->to : model->now + 1;
    if (step->verb == QUIZ_STOP)
        model->due[step->id] = 0;
    if (step->verb == QUIZ_START || step->verb == QUIZ_STOP)
        return 0;
    model->now = step->to;
    for (tw_id id = 0; id < QUIZ_TIMERS; id++)
        if (model->due[id] && model->due[id] <= model->now) {
            fired |= UINT64_C(1) << id;
            model->due[id] = 0;
        }
    return fired;
}

static void check_question(const struct quiz *quiz, struct model *model)
{
    uint64_t fired = 0;
    for (uint32_t i = 0; i < quiz->action_count; i++)
        fired = model_do(model, &quiz->action[i]);
    if (strstr(quiz->text, "does it fire?"))
        assert_true(quiz->right == model->now && fired);
    else if (strstr(quiz->text, "fire first?") || strstr(quiz->text, "in one call"))
        assert_true(quiz->right == fired);
    else if (strcmp(quiz->settings, "slots=8") == 0 && strstr(quiz->text, "Into which slot"))
        assert_true(quiz->right == quiz->action[0].to % 8);
    else if (strcmp(quiz->settings, "slots=8") == 0 && strstr(quiz->text, "revolutions"))
        assert_true(quiz->right == (quiz->action[0].to - quiz->now - 1) / 8);
}

TEST(test_right_answers_are_those_of_a_model)
{
    static struct quiz quiz;
    static const char *const seeds[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};
    for (size_t i = 0; i < registry_count * 10; i++) {
        const struct tw_traits *traits = &registry[i / 10].counted->traits;
        bool exact = traits->late_ticks == 0 && traits->late_shift == 0;
        if (exact && begin(&quiz, i / 10, seeds[i % 10]))
            while (quiz_ask(&quiz)) {
                struct model model = {.now = 0};
                for (uint32_t k = 0; k < quiz.step_count; k++)
                    (void)model_do(&model, &quiz.steps[k]);
                check_question(&quiz, &model);
                (void)quiz_answer(&quiz, "0");
            }
        if (exact)
            quiz_close(&quiz);
    }
}

TEST(test_all_kinds_are_asked)
{
    static struct quiz quiz;
    bool places = false, none = false, cascades = false, leaves = false, rounds = false;
    for (size_t i = 0; i < registry_count; i++) {
        if (begin(&quiz, i, "class 3"))
            while (quiz_ask(&quiz)) {
                places = places || strstr(quiz.text, "have another index");
                none = none || quiz.right == 0;
                cascades = cascades || (strstr(quiz.text, "cascade") && quiz.right);
                leaves = leaves || strstr(quiz.text, "go to another level");
                rounds = rounds || (strstr(quiz.text, "revolutions") && quiz.right > 1);
            }
        quiz_close(&quiz);
    }
    assert_true(places && none && cascades && leaves && rounds);
}

TEST(test_a_receipt_is_signed)
{
    static struct quiz quiz;
    char text[1024], other[1024];
    assert_true(begin(&quiz, 0, "Ada L\xc3\xb6we 17"));
    answer_all(&quiz, true);
    quiz_receipt(&quiz, text, sizeof text);
    assert_non_null(strstr(text, "\"score\": 10"));
    quiz.score = 9;
    quiz_receipt(&quiz, other, sizeof other);
    assert_string_not_equal(strstr(text, "signature"), strstr(other, "signature"));
    quiz_close(&quiz);
    assert_false(begin(&quiz, 0, "") || begin(&quiz, 0, "a\"b") || begin(&quiz, 0, "a\nb"));
    quiz_close(&quiz);
}

TEST_MAIN(NULL, NULL)
