/* page_say.c - fills templates with values of a document: sentences, and tables by their fields. */
#include "harness/base/units.h"
#include "harness/tell/report/figure.h"
#include "harness/tell/report/page.h"

#include <math.h>

/* The largest double in all its digits, and a unit. */
#define TEXT_SIZE 400
#define NAME_SIZE 96

/* ---- Forms. ---------------------------------------------------------------------------------- */

static void as_share(char *out, double value)
{
    figure_value(out, 100 * value);
    strcat(out, isfinite(value) ? " %" : "");
}

static void as_short(char *out, double value)
{
    units_format_count(out, TEXT_SIZE, units_whole(value));
}

static void as_bytes(char *out, double value)
{
    units_format_bytes(out, TEXT_SIZE, units_whole(value));
}

static void as_tick(char *out, double value)
{
    units_format_time(out, TEXT_SIZE, units_whole(value));
}

/* Counts that may have decimals. */
static void as_digits(char *out, double value)
{
    snprintf(out, TEXT_SIZE, value < 1000 ? "%.4g" : "%.0f", value);
}

struct form {
    const char *name;
    void (*format)(char *out, double value);
    const char *digits; /* how printf writes the number over `unit`; NULL: see `format` */
    double unit;        /* a format gets the number times it; 0: as it is */
    enum page_emphasis emphasis;
};

/* Without a name, format or digits: as page_put shows it. */
static const struct form forms[] = {
    {.name = ""},
    {.name = "strong", .emphasis = PAGE_STRONG},
    {.name = "faint", .emphasis = PAGE_FAINT},
    {.name = "bad", .emphasis = PAGE_BAD},
    {.name = "verdict"},
    {.name = "number", .format = figure_number},
    {.name = "share", .format = as_share},
    {.name = "strong-share", .format = as_share, .emphasis = PAGE_STRONG},
    {.name = "digits", .format = as_digits},
    {.name = "short", .format = as_short},
    {.name = "bytes", .format = as_bytes},
    {.name = "time", .format = figure_time},
    {.name = "latency", .format = figure_time}, /* see page_put_latency */
    {.name = "tick", .format = as_tick},
    {.name = "count", .digits = "%.0f", .unit = 1},
    {.name = "exact", .digits = "%.15g", .unit = 1},
    {.name = "percent", .digits = "%.0f %%", .unit = 0.01},
    {.name = "us", .digits = "%.0f us", .unit = 1e3},
    {.name = "s", .digits = "%.1f s", .unit = 1e9},
    {.name = "seconds", .format = figure_time, .unit = 1e9},
    {.name = "s-as-ms", .format = figure_number, .unit = 1e3},
};

static const struct form *find_form(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return &forms[0];
}

static enum page_emphasis emphasis_of(const char *verdict)
{
    static const struct {
        const char *verdict;
        enum page_emphasis emphasis;
    } words[] = {{"holds", PAGE_GOOD},
                 {"improved", PAGE_GOOD},
                 {"does-not-hold", PAGE_BAD},
                 {"regressed", PAGE_BAD},
                 {"inconclusive", PAGE_OPEN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(verdict, words[i].verdict) == 0)
            return words[i].emphasis;
    return PAGE_PLAIN;
}

static void put_text(struct page *page, const struct place *value, const struct form *form)
{
    if (!value->json)
        return;
    bool is_verdict = strcmp(form->name, "verdict") == 0;
    const char *text = cJSON_IsString(value->json) ? value->json->valuestring : "";
    if (is_verdict && strcmp(text, "does-not-hold") == 0)
        page_put_as(page, value, "", "does not hold");
    else
        page_put(page, value, "");
    page_mark(page, is_verdict ? emphasis_of(text) : form->emphasis);
}

static void put_value(struct page *page, const struct place *value, const struct form *form)
{
    char text[TEXT_SIZE];
    if (!form->format && !form->digits) {
        put_text(page, value, form);
        return;
    }
    if (!cJSON_IsNumber(value->json)) {
        page_span(page, "-");
        return;
    }
    if (strcmp(form->name, "latency") == 0) {
        page_put_latency(page, value, "", 0);
        return;
    }
    if (form->format)
        form->format(text, value->json->valuedouble * (form->unit > 0 ? form->unit : 1));
    else
        snprintf(text, sizeof text, form->digits, value->json->valuedouble / form->unit);
    page_put_as(page, value, "", "%s", text);
    if (form->emphasis != PAGE_PLAIN)
        page_mark(page, form->emphasis);
}

/* ---- Templates. ------------------------------------------------------------------------------ */

/* Reads "path:form}" and answers what is behind it. */
static const char *read_value(const char *at, const struct place *from, struct place *value,
                              const struct form **form)
{
    char path[NAME_SIZE], name[NAME_SIZE];
    size_t path_length = strcspn(at, ":}"), length = strcspn(at, "}");
    snprintf(path, sizeof path, "%.*s", (int)path_length, at);
    snprintf(name, sizeof name, "%.*s", (int)(length - path_length), at + path_length);
    *value = path[0] ? place_get(from, path) : *from;
    *form = find_form(name[0] ? name + 1 : name);
    return at + length + (at[length] == '}');
}

/* Is every value there that is named before the '>'? */
static bool is_said(const char *at, const struct place *from)
{
    struct place value;
    const struct form *form;
    while (*at && *at != '>') {
        if (*at++ != '{')
            continue;
        at = read_value(at, from, &value, &form);
        if (!value.json)
            return false;
    }
    return true;
}

void page_add(struct page *page, const struct place *from, const char *template)
{
    const char *at = template;
    while (*at) {
        size_t plain = strcspn(at, "{<>");
        struct place value;
        const struct form *form;
        if (plain > 0)
            page_span(page, "%.*s", (int)plain, at);
        at += plain;
        if (*at == '{') {
            at = read_value(at + 1, from, &value, &form);
            put_value(page, &value, form);
        } else {
            if (*at == '<' && !is_said(at + 1, from))
                at += strcspn(at, ">");
            at += *at != '\0';
        }
    }
}

/* All of it is one part, and that is not said. */
static bool is_silent(const char *template, const struct place *from)
{
    return template[0] == '<' && template[strcspn(template, ">")] == '>' &&
           !template[strcspn(template, ">") + 1] && !is_said(template + 1, from);
}

void page_say(struct page *page, enum page_block_kind kind, const struct place *from,
              const char *template)
{
    if (is_silent(template, from))
        return;
    page_open(page, kind);
    page_add(page, from, template);
}

void page_say_each(struct page *page, enum page_block_kind kind, const struct place *list,
                   const char *template)
{
    for (struct place item = place_item(list, 0); item.json; place_next(&item))
        page_say(page, kind, &item, template);
}

void page_say_fact(struct page *page, const char *name, const struct place *from,
                   const char *template)
{
    page_fact(page, name, "%s", "");
    page_add(page, from, template);
}

/* ---- Tables by their fields. ----------------------------------------------------------------- */

void page_cell_say(struct page *page, const struct place *from, const char *template)
{
    page_cell(page, "%s", "");
    page_add(page, from, template);
}

void page_columns(struct page *page, const struct page_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        page_column(page, fields[i].title, fields[i].unit ? fields[i].unit : "", fields[i].flags,
                    fields[i].keep);
}

void page_fields(struct page *page, const struct page_field *fields, size_t count,
                 const struct place *from)
{
    page_row(page);
    for (size_t i = 0; i < count; i++)
        page_cell_say(page, from, fields[i].cell);
}

void page_fields_each(struct page *page, const struct page_field *fields, size_t count,
                      const struct place *list)
{
    page_columns(page, fields, count);
    for (struct place item = place_item(list, 0); item.json; place_next(&item))
        page_fields(page, fields, count, &item);
}
