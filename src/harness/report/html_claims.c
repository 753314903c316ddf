/* html_claims.c - verdict, the reason in a sentence, and behind it the figures. */
#include "harness/report/html_claims.h"

#include "harness/report/claims_view.h"
#include "harness/report/html_tree.h"
#include "harness/report/xml.h"
#include "harness/result/json.h"

#include <string.h>

static void write_at(FILE *out, const char *element, const cJSON *from, const char *key,
                     struct html_path *path)
{
    size_t length = html_path_key(path, key);
    html_value(out, element, json_get(from, key), path);
    html_path_back(path, length);
}

/* The word itself says it; the colour only helps to find it. */
static void write_verdict(FILE *out, const char *element, const cJSON *from, struct html_path *path)
{
    const char *verdict = json_get_text(from, "verdict");
    const char *kind = strcmp(verdict, "holds") == 0           ? "holds"
                       : strcmp(verdict, "does-not-hold") == 0 ? "refuted"
                                                               : "open";
    fprintf(out, "<%s><span class=\"verdict %s\" data-path=\"%s.verdict\">", element, kind,
            path->text);
    xml_text(out, verdict);
    fprintf(out, "</span></%s>", element);
}

/* An identifier in the page: what is no letter, digit or dash becomes one. */
static void write_id(FILE *out, const char *id)
{
    for (; *id; id++)
        fputc(strchr("<>&\"' \t\n#%", *id) ? '-' : *id, out);
}

static void write_name(FILE *out, const cJSON *claim, struct html_path *path, bool judged)
{
    fputs("<tr><th scope=\"row\">", out);
    if (judged) {
        fputs("<a href=\"#claim-", out);
        write_id(out, json_get_text(claim, "id"));
        fputs("\">", out);
    }
    write_at(out, "span", claim, "id", path);
    fputs(judged ? "</a></th>" : "</th>", out);
}

static void write_judged(FILE *out, const cJSON *claim, struct html_path *path)
{
    write_name(out, claim, path, true);
    write_verdict(out, "td", claim, path);
    write_at(out, "td", claim, "statement", path);
    write_at(out, "td", claim, "why", path);
    write_at(out, "td", claim, "documents", path);
    write_at(out, "td", claim, "basis", path);
    fputs("</tr>\n", out);
}

static void write_not_yet(FILE *out, const cJSON *claim, struct html_path *path)
{
    write_name(out, claim, path, false);
    fputs("<td><span class=\"verdict later\">not yet</span></td>", out);
    write_at(out, "td", claim, "statement", path);
    fputs("<td>waits for ", out);
    write_at(out, "span", claim, "waits_for", path);
    fputs("</td>", out);
    write_at(out, "td", claim, "documents", path);
    fputs("<td></td></tr>\n", out);
}

typedef void claim_fn(FILE *out, const cJSON *claim, struct html_path *path);

static void each_claim(FILE *out, const cJSON *document, const char *list, claim_fn *write)
{
    struct html_path path = {.length = 0};
    const cJSON *claim;
    size_t index = 0;
    html_path_key(&path, list);
    cJSON_ArrayForEach(claim, json_get(document, list))
    {
        size_t length = html_path_index(&path, index++);
        write(out, claim, &path);
        html_path_back(&path, length);
    }
}

static void write_summary(FILE *out, const cJSON *document)
{
    static const char *const heads[] = {"claim", "verdict here", "statement",
                                        "why",   "documents",    "basis"};
    html_table_open(out, "verdicts", "Verdicts");
    fputs("<thead><tr>", out);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        html_column(out, heads[i], NULL, false);
    fputs("</tr></thead>\n<tbody>\n", out);
    each_claim(out, document, "claims", write_judged);
    each_claim(out, document, "not_yet", write_not_yet);
    fputs("</tbody>", out);
    html_table_close(out);
}

/* ---- Figures. -------------------------------------------------------------------------------- */

/* The figures of a part are keyed by design; each has the points, and what was fitted to them. */
static void write_figures(FILE *out, const cJSON *figures, struct html_path *path)
{
    const cJSON *item;
    html_list(out, figures, path);
    cJSON_ArrayForEach(item, figures)
    {
        if (!cJSON_IsObject(item))
            continue;
        size_t length = html_path_key(path, item->string);
        fputs("<h5>", out);
        xml_text(out, item->string);
        fputs("</h5>\n", out);
        html_list(out, item, path);
        size_t inner = html_path_key(path, "points");
        html_records(out, item->string, json_get(item, "points"), path);
        html_path_back(path, inner);
        html_path_back(path, length);
    }
}

/* `of` is the path of the claim, for the figures stand beside the parts. */
static void write_part(FILE *out, const cJSON *claim, const cJSON *part, struct html_path *path,
                       struct html_path of)
{
    bool is_reading = strcmp(json_get_text(part, "role"), "reading") == 0;
    const char *id = json_get_text(part, "id");
    const cJSON *all = json_get(claim, "figures");
    const cJSON *figures = cJSON_GetObjectItemCaseSensitive(all, id);
    fputs("<li>", out);
    write_verdict(out, "span", part, path);
    fputc(' ', out);
    write_at(out, "span", part, "statement", path);
    fputs(is_reading ? " <small>(a reading; the verdict does not rest on it)</small>" : "", out);
    fputs("<br>", out);
    write_at(out, "small", part, "why", path);
    if (figures && figures->child) {
        html_path_key(&of, "figures");
        html_path_key(&of, id);
        fputs("\n<details><summary>figures</summary>\n", out);
        write_figures(out, figures, &of);
        fputs("</details>", out);
    }
    fputs("</li>\n", out);
}

static void write_parts(FILE *out, const cJSON *claim, struct html_path *path)
{
    const cJSON *part;
    struct html_path of = *path;
    size_t index = 0, before = html_path_key(path, "parts");
    fputs("<ul class=\"parts\">\n", out);
    cJSON_ArrayForEach(part, json_get(claim, "parts"))
    {
        size_t length = html_path_index(path, index++);
        write_part(out, claim, part, path, of);
        html_path_back(path, length);
    }
    fputs("</ul>\n", out);
    html_path_back(path, before);
}

/* ---- What else there is. --------------------------------------------------------------------- */

static void write_run(FILE *out, const cJSON *run, struct html_path *path)
{
    const cJSON *command;
    size_t index = 0, before = html_path_key(path, "commands");
    cJSON_ArrayForEach(command, json_get(run, "commands"))
    {
        size_t length = html_path_index(path, index++);
        html_value(out, "code", command, path);
        fputc('\n', out);
        html_path_back(path, length);
    }
    html_path_back(path, before);
}

static void write_commands(FILE *out, const cJSON *claim, struct html_path *path)
{
    const cJSON *run;
    size_t index = 0, before = html_path_key(path, "runs");
    fputs("<details><summary>commands</summary><pre class=\"scroll\" tabindex=\"0\">", out);
    cJSON_ArrayForEach(run, json_get(claim, "runs"))
    {
        size_t length = html_path_index(path, index++);
        write_run(out, run, path);
        html_path_back(path, length);
    }
    fputs("</pre></details>\n", out);
    html_path_back(path, before);
}

static void write_peers(FILE *out, const cJSON *claim, struct html_path *path)
{
    const cJSON *peer;
    size_t index = 0, before = html_path_key(path, "peers");
    cJSON_ArrayForEach(peer, json_get(claim, "peers"))
    {
        size_t length = html_path_index(path, index++);
        fputs("<p class=\"note\">Elsewhere: ", out);
        write_at(out, "span", peer, "system", path);
        fputs(": ", out);
        write_at(out, "span", peer, "says", path);
        fputs(" (", out);
        write_at(out, "span", peer, "machine", path);
        fputs(").</p>\n", out);
        html_path_back(path, length);
    }
    html_path_back(path, before);
}

static void write_article(FILE *out, const cJSON *claim, struct html_path *path)
{
    fputs("<article id=\"claim-", out);
    write_id(out, json_get_text(claim, "id"));
    fputs("\"><h3>", out);
    write_at(out, "span", claim, "id", path);
    fputc(' ', out);
    write_verdict(out, "span", claim, path);
    fputs("</h3>\n", out);
    write_at(out, "p", claim, "statement", path);
    write_at(out, "p", claim, "why", path);
    fputs("<p class=\"note\">How it was looked at: ", out);
    write_at(out, "span", claim, "test", path);
    fputs("</p>\n", out);
    write_parts(out, claim, path);
}

void html_claims(FILE *out, const cJSON *document, const struct inline_pictures *pictures)
{
    char line[CLAIMS_LINE_SIZE];
    const cJSON *claim;
    struct html_path path = {.length = 0};
    size_t index = 0;
    if (!claims_are_there(document))
        return;
    claims_summary(line, sizeof line, document);
    fprintf(out, "<section id=\"claims\"><h2>Claims</h2>\n<p class=\"derived\">%s.</p>\n", line);
    write_summary(out, document);
    html_path_key(&path, "claims");
    cJSON_ArrayForEach(claim, json_get(document, "claims"))
    {
        size_t length = html_path_index(&path, index++);
        write_article(out, claim, &path);
        inline_write(out, pictures, json_get_text(claim, "id"));
        write_peers(out, claim, &path);
        write_commands(out, claim, &path);
        fputs("</article>\n", out);
        html_path_back(&path, length);
    }
    fputs("</section>\n", out);
}
