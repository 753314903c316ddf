/* page_claims.c - builds the page of a claims document: verdicts, the reason of each, and the figures behind it. */
#include "labs/teach/teach.h"

#include "harness/base/json.h"
#include "harness/tell/report/builders.h"

/* ---- The title. ------------------------------------------------------------------------------- */

static bool is_open(const cJSON *judged)
{
    return strcmp(json_get_text(judged, "verdict"), "inconclusive") == 0;
}

static const char judged[] = "{verdict:verdict}", unmeasured[] = "not measured",
                  not_run[] = "not run";

/* The verdict; or why a part is open although nothing is unclear: --quick takes no times, an interrupt came first. */
static const char *part_form(const cJSON *document, const cJSON *part)
{
    bool is_cut = cJSON_IsFalse(json_get(document, "complete"));
    bool is_quick = cJSON_IsTrue(json_get(document, "quick"));
    const char *why = json_get_text(part, "why");
    if (is_open(part) && is_cut && strstr(why, " was not run"))
        return not_run;
    bool is_timed = strstr(why, "which --quick does not take");
    return is_open(part) && is_quick && is_timed ? unmeasured : judged;
}

/* The same of a claim that only such parts keep open. */
static const char *claim_form(const cJSON *document, const cJSON *claim)
{
    const char *form = judged;
    json_each(part, claim, "parts") {
        bool counts = is_open(part) && strcmp(json_get_text(part, "role"), "reading") != 0;
        form = counts ? part_form(document, part) : form;
        if (counts && form == judged)
            break;
    }
    return is_open(claim) ? form : judged;
}

int claims_check(const cJSON *document, const char *what, struct diag *diag)
{
    static const char *const verdicts[] = {"holds", "inconclusive", "does-not-hold"};
    json_each(claim, document, "claims") {
        size_t worst = 0;
        json_each(part, claim, "parts")
            for (size_t i = worst; i < 3 && json_says(part, "role", "claim"); i++)
                worst = json_says(part, "verdict", verdicts[i]) ? i : worst;
        if (!json_first(claim, "parts") || !json_says(claim, "verdict", verdicts[worst]))
            return diag_usage(
                diag, "%s: claims: %.40s: verdict \"%.40s\"; expected \"%s\", by its parts", what,
                json_get_text(claim, "id"), json_get_text(claim, "verdict"), verdicts[worst]);
    }
    return DIAG_OK;
}

static size_t count_forms(const cJSON *document, const char *form)
{
    size_t count = 0;
    json_each(claim, document, "claims")
        count += claim_form(document, claim) == form;
    return count;
}

static size_t count_verdicts(const cJSON *document, const char *verdict)
{
    size_t count = 0;
    json_each(claim, document, "claims")
        count += strcmp(json_get_text(claim, "verdict"), verdict) == 0;
    return count;
}

static void add_title(struct page *page, const cJSON *document)
{
    size_t hold = count_verdicts(document, "holds"), no = count_verdicts(document, "does-not-hold");
    size_t untimed = count_forms(document, unmeasured), unrun = count_forms(document, not_run);
    size_t open = count_verdicts(document, "inconclusive") - untimed - unrun;
    page_heading(page, 1, NULL, "Claims about timer designs");
    page_answer(page, "%zu hold%s, %zu do%s not hold, %zu %s inconclusive", hold,
                hold == 1 ? "s" : "", no, no == 1 ? "es" : "", open, open == 1 ? "is" : "are");
    if (unrun > 0)
        page_span(page, ", %zu not run (interrupted)", unrun);
    if (untimed > 0)
        page_span(page, ", %zu not measured (--quick takes no times)", untimed);
}

/* "#claim-T6": what is no letter, digit or dash becomes a dash. */
static void format_anchor(char *out, size_t size, const char *id)
{
    int used = snprintf(out, size, "#claim-%.60s", id);
    for (int i = 1; i < used; i++)
        if (strchr("<>&\"' \t\n#%", out[i]))
            out[i] = '-';
}

/* ---- The overview. --------------------------------------------------------------------------- */

/* A cell with the letters of the documents that say so, each of which leads to the list of them. */
static void add_letters(struct page *page, const struct place *claim)
{
    struct place letters = place_get(claim, "documents");
    page_cell(page, "%s", "");
    for (struct place letter = place_item(&letters, 0); letter.json; place_next(&letter)) {
        if (letter.json != letters.json->child)
            page_span(page, ", ");
        page_put(page, &letter, "");
        page_link(page, "#documents");
    }
}

static void add_judged(struct page *page, const cJSON *document, const struct place *claim)
{
    char anchor[80];
    format_anchor(anchor, sizeof anchor, place_text(claim, "id"));
    page_row(page);
    page_cell_put(page, claim, "id");
    page_link(page, anchor);
    add_letters(page, claim);
    page_cell_say(page, claim, claim_form(document, claim->json));
    page_cell_put(page, claim, "basis");
    page_cell_put(page, claim, "statement");
}

/* What the letters stand for; labs/teach/docs/CLAIMS.md has the same list. */
static void add_documents(struct page *page)
{
    static const char *const documents[] = {
        "A: How many ways there are to implement a timer",
        "B: HashedWheelTimer analysed, a walk through Netty's source",
        "C: Timing wheels revisited, two wheels built at work",
        "D: The timing wheel from zero to one, in Go",
        "E: Many scheduled tasks and efficient timeouts",
        "F: The comments of .NET's Timer.cs, on TimerQueue (not an article)",
        "G: The manual page prctl(2), on timer slack (not an article)",
    };
    page_heading(page, 2, "documents", "Documents");
    page_text(page,
              "Articles of 2018 to 2023, in Chinese; the titles are translated.  All go back to "
              "Varghese and Lauck, Hashed and Hierarchical Timing Wheels (SOSP 1987; IEEE/ACM "
              "Transactions on Networking, 1997).");
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        page_item(page, "%s", documents[i]);
}

static void add_overview(struct page *page, const cJSON *document, const struct place *claims,
                         const struct place *later)
{
    static const struct page_field fields[] = {
        {.title = "claim", .flags = PAGE_LEFT | PAGE_NAMES, .cell = "{id}"},
        {.title = "documents", .flags = PAGE_LEFT, .cell = "{documents}"},
        {.title = "verdict here", .flags = PAGE_LEFT, .cell = "not yet"},
        {.title = "rests on", .flags = PAGE_LEFT, .cell = "waits for {waits_for}"},
        {.title = "statement", .flags = PAGE_LEFT | PAGE_PROSE, .cell = "{statement}"}};
    const size_t count = sizeof fields / sizeof *fields;
    page_heading(page, 2, "claims", "Verdicts");
    page_table(page, "verdicts", "Verdicts");
    page_columns(page, fields, count);
    for (struct place claim = place_item(claims, 0); claim.json; place_next(&claim))
        add_judged(page, document, &claim);
    for (struct place claim = place_item(later, 0); claim.json; place_next(&claim))
        page_fields(page, fields, count, &claim);
    page_text(page, "A reading is another way to understand a claim; no verdict depends on it.");
    add_documents(page);
}

/* ---- A claim. -------------------------------------------------------------------------------- */

static void add_parts(struct page *page, const cJSON *document, const struct place *claim)
{
    struct place parts = place_get(claim, "parts");
    for (struct place part = place_item(&parts, 0); part.json; place_next(&part)) {
        bool is_reading = strcmp(place_text(&part, "role"), "reading") == 0;
        const char *form = part_form(document, part.json);
        page_say(page, PAGE_ITEM, &part, form);
        page_add(page, &part, is_reading ? " (a reading): {statement}" : ": {statement}");
        page_add(page, &part, form == judged ? " [{why:faint}]" : "");
    }
}

static void add_commands(struct page *page, const struct place *claim)
{
    struct place runs = place_get(claim, "runs");
    const char *gap = NULL;
    for (struct place run = place_item(&runs, 0); run.json; place_next(&run)) {
        struct place commands = place_get(&run, "commands");
        for (struct place line = place_item(&commands, 0); line.json; place_next(&line)) {
            if (gap)
                page_span(page, "%s", gap);
            else
                page_open(page, PAGE_CODE_BLOCK);
            page_put(page, &line, "");
            gap = "\n";
        }
    }
}

/* Of a part, keyed by design; each has its points, and what was fitted to them. */
static void add_figures_of(struct page *page, const struct place *part)
{
    page_facts(page, part);
    json_each(design, part->json, "") {
        if (!cJSON_IsObject(design) || !design->string)
            continue;
        struct place figures = place_key(part, design->string);
        struct place points = place_get(&figures, "points");
        page_heading(page, 4, NULL, "%s", design->string);
        page_facts(page, &figures);
        page_records(page, design->string, &points);
    }
}

static void add_figures(struct page *page, const struct place *claim)
{
    struct place figures = place_get(claim, "figures");
    json_each(part, figures.json, "") {
        if (!part->child || !part->string)
            continue;
        struct place of = place_key(&figures, part->string);
        page_evidence(page, "Figures of part %s", part->string);
        add_figures_of(page, &of);
        page_open(page, PAGE_FOLD_END);
    }
}

static void add_claim(struct page *page, const cJSON *document, const struct place *claim)
{
    char anchor[80];
    struct place peers = place_get(claim, "peers");
    format_anchor(anchor, sizeof anchor, place_text(claim, "id"));
    page_heading(page, 3, anchor + 1, "%s", "");
    page_add(page, claim, "{id} ");
    page_add(page, claim, claim_form(document, claim->json));
    page_say(page, PAGE_TEXT, claim, "{statement}");
    page_say(page, PAGE_TEXT, claim, "{why}");
    add_parts(page, document, claim);
    page_say_each(page, PAGE_ITEM, &peers, "elsewhere: {system}: {says} ({machine})");
    page_pictures(page, place_text(claim, "id"));
    page_fold(page, "How it was tested");
    page_say(page, PAGE_TEXT, claim, "{test}");
    add_commands(page, claim);
    add_figures(page, claim);
    page_open(page, PAGE_FOLD_END);
}

/* What the overview on a terminal has no room for. */
static void say_not_yet(struct page *page, const struct place *later)
{
    if (later->json && later->json->child)
        page_heading(page, 2, "not-yet", "Not tested yet");
    page_say_each(page, PAGE_ITEM, later, "{id} not yet: {statement} Waits for {waits_for}.");
}

void page_claims(struct page *page, const cJSON *document)
{
    struct place root = place_root(document);
    struct place claims = place_get(&root, "claims"), later = place_get(&root, "not_yet");
    add_title(page, document);
    page_about(page, document);
    page_left_out(page, document);
    add_overview(page, document, &claims, &later);
    for (struct place claim = place_item(&claims, 0); claim.json; place_next(&claim))
        add_claim(page, document, &claim);
    say_not_yet(page, &later);
    page_cells(page, document);
}
