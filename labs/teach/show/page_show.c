/* page_show.c - builds the page of what show drew: the drawings, and the answers of a worked example. */
#include "labs/teach/teach.h"

#include "harness/base/json.h"
#include "harness/tell/report/builders.h"

static void add_answers(struct page *page, const struct place *answers)
{
    page_heading(page, 2, "answers", "Answer, as the run shows it");
    page_table(page, NULL, "Answers");
    page_column(page, "", "", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "found", "", 0, 0);
    page_column(page, "expected", "", 0, 0);
    page_column(page, "", "", PAGE_LEFT, 0);
    for (struct place at = place_item(answers, 0); at.json; place_next(&at)) {
        bool is_right = cJSON_IsTrue(json_get(at.json, "right"));
        bool as_printed = cJSON_IsTrue(json_get(at.json, "as_printed"));
        page_row(page);
        page_cell_put(page, &at, "what");
        page_cell_say(page, &at, "{found:count}");
        page_cell_say(page, &at, "{expected:count}");
        page_cell(page, "%s",
                  as_printed ? is_right ? "differs, as it should" : "AGREES"
                  : is_right ? "right"
                             : "WRONG");
        page_mark(page, is_right ? PAGE_GOOD : PAGE_BAD);
    }
}

/* The drawing says what it is of; a file of before has none. */
static void add_film(struct page *page, const struct place *film)
{
    page_heading(page, 2, NULL, "%s", "");
    page_add(page, film, "{impl} {settings}");
    page_say(page, PAGE_CODE_BLOCK, film, "<{drawing}>");
    if (place_text(film, "broken")[0])
        page_say(page, PAGE_TEXT, film, "Broken: {broken:bad}");
}

void page_show(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), films = place_get(&root, "films");
    struct place answers = place_get(&root, "answers"), lines = place_get(&root, "lines");
    page_heading(page, 1, NULL, "%s", "");
    page_put(page, &root, "title");
    if (answers.json && answers.json->child)
        add_answers(page, &answers);
    if (!answers.json)
        page_say_each(page, PAGE_ITEM, &lines, "{}");
    if (json_get_text(document, "note")[0])
        page_say(page, PAGE_TEXT, &root, "{note}");
    for (struct place film = place_item(&films, 0); film.json; place_next(&film))
        add_film(page, &film);
    page_all_figures(page, &root);
}
