/* html.c - paths, values, and the frame of tables. */
#include "harness/report/html.h"

#include "harness/report/emit.h"
#include "harness/report/figure.h"
#include "harness/report/xml.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- Paths. ---------------------------------------------------------------------------------- */

static size_t append(struct html_path *path, const char *before, const char *text,
                     const char *after)
{
    size_t length = path->length;
    int written =
        snprintf(path->text + length, sizeof path->text - length, "%s%s%s", before, text, after);
    path->length += (size_t)written;
    if (path->length >= sizeof path->text)
        path->length = sizeof path->text - 1;
    return length;
}

static bool is_word(const char *key)
{
    for (const char *c = key; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return isalpha((unsigned char)*key);
}

size_t html_path_key(struct html_path *path, const char *key)
{
    if (is_word(key))
        return append(path, path->length ? "." : "", key, "");
    char quoted[HTML_PATH_SIZE];
    size_t used = 0;
    for (const char *c = key; *c && used + 3 < sizeof quoted; c++) {
        if (*c == '"' || *c == '\\')
            quoted[used++] = '\\';
        quoted[used++] = *c;
    }
    quoted[used] = '\0';
    return append(path, "[\"", quoted, "\"]");
}

size_t html_path_index(struct html_path *path, size_t index)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", index);
    return append(path, "[", text, "]");
}

size_t html_path_dotted(struct html_path *path, const char *dotted)
{
    return append(path, path->length ? "." : "", dotted, "");
}

void html_path_back(struct html_path *path, size_t length)
{
    path->length = length;
    path->text[length] = '\0';
}

/* ---- Values. --------------------------------------------------------------------------------- */

/* Shares keep three digits where the terminal's tables would show 0.00, and what is counted has no
 * decimals. */
static void format_number(char *text, double value)
{
    if (value > 0 && value < 0.9995)
        snprintf(text, FIGURE_SIZE, "%.3g", value);
    else if (value < 99999.5 && floor(value) >= value)
        snprintf(text, FIGURE_SIZE, "%.0f", value);
    else
        figure_number(text, value);
}

static void write_number(FILE *out, const char *element, double value, const char *path)
{
    char text[FIGURE_SIZE];
    format_number(text, fabs(value));
    fprintf(out, "<%s class=\"number\"", element);
    xml_attribute(out, "data-path", path);
    fputs(" data-value=\"", out);
    emit_number(out, value);
    fprintf(out, "\">%s%s</%s>", value < 0 ? "-" : "", text, element);
}

static void write_text(FILE *out, const char *element, const char *text, const char *path)
{
    fprintf(out, "<%s", element);
    xml_attribute(out, "data-path", path);
    fputc('>', out);
    xml_text(out, text);
    fprintf(out, "</%s>", element);
}

static void write_items(FILE *out, const char *element, const cJSON *array, struct html_path *path)
{
    const cJSON *item;
    size_t i = 0;
    fprintf(out, "<%s>", element);
    cJSON_ArrayForEach(item, array)
    {
        size_t length = html_path_index(path, i);
        fputs(i++ ? ", " : "", out);
        if (cJSON_IsNumber(item))
            write_number(out, "span", item->valuedouble, path->text);
        else if (cJSON_IsString(item))
            write_text(out, "span", item->valuestring, path->text);
        html_path_back(path, length);
    }
    fprintf(out, "</%s>", element);
}

void html_value(FILE *out, const char *element, const cJSON *value, struct html_path *path)
{
    if (cJSON_IsNumber(value))
        write_number(out, element, value->valuedouble, path->text);
    else if (cJSON_IsString(value))
        write_text(out, element, value->valuestring, path->text);
    else if (cJSON_IsBool(value))
        write_text(out, element, cJSON_IsTrue(value) ? "yes" : "no", path->text);
    else if (cJSON_IsArray(value))
        write_items(out, element, value, path);
    else
        fprintf(out, "<%s></%s>", element, element);
}

void html_label(FILE *out, const char *key)
{
    char blank[200];
    snprintf(blank, sizeof blank, "%s", key);
    for (char *c = blank; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    xml_text(out, blank);
}

/* ---- Tables. --------------------------------------------------------------------------------- */

void html_column(FILE *out, const char *title, const char *unit, bool is_number)
{
    fprintf(out, "<th scope=\"col\"%s><button type=\"button\">",
            is_number ? " class=\"number\"" : "");
    html_label(out, title);
    if (unit && unit[0])
        fprintf(out, " <small>%s</small>", unit);
    fputs("</button></th>", out);
}

void html_table_open(FILE *out, const char *id, const char *label)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\"", out);
    xml_attribute(out, "aria-label", label);
    fputs("><table class=\"sortable\"", out);
    if (id)
        xml_attribute(out, "id", id);
    fputs(">\n", out);
}

void html_table_close(FILE *out)
{
    fputs("</table></div>\n", out);
}
