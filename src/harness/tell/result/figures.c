/* figures.c - makes the table of figures.def, and names and lists what is in it. */
#include "harness/tell/result/figures.h"

#include "impls/backend.h"

#include "harness/tell/result/figure_words.h"

static const struct figure rows[] = {
#include "harness/tell/result/figures.def"
};

const struct figures_part figures_of_cells = {rows, sizeof rows / sizeof *rows, NULL, NULL};

size_t figure_count(void)
{
    size_t count = 0;
    for (const struct figures_part *const *part = figures_parts; *part; part++)
        count += (*part)->count;
    return count;
}

const struct figure *figure_at(size_t index)
{
    const struct figures_part *const *part = figures_parts;
    for (; index >= (*part)->count; part++)
        index -= (*part)->count;
    return &(*part)->rows[index];
}

static void write_name(char out[FIGURE_NAME_SIZE], const char *name, char gap)
{
    snprintf(out, FIGURE_NAME_SIZE, "%s", name);
    for (char *c = out; *c; c++)
        *c = *c == '_' ? gap : *c;
}

void figure_title(char out[FIGURE_NAME_SIZE], const struct figure *figure)
{
    const char *dot = strrchr(figure->path, '.');
    write_name(out, figure->title ? figure->title : dot ? dot + 1 : figure->path, ' ');
}

void figure_measure(char out[FIGURE_NAME_SIZE], const struct figure *figure)
{
    write_name(out, figure->measure ? figure->measure : "", '-');
}

const char *figure_prefix(const struct figure *figure)
{
    static const char *const prefixes[] = {[FIGURE_OF_CELL] = "",
                                           [FIGURE_OF_PHASE] = "phases[].",
                                           [FIGURE_OF_SCHEDULE] = "schedules[]."};
    return prefixes[figure->owner];
}

static const char *type_name(const struct figure *figure)
{
    static const char *const names[] = {
        [FIGURE_NUMBER] = "number", [FIGURE_INTEGER] = "integer", [FIGURE_TEXT] = "text",
        [FIGURE_BOOL] = "boolean",  [FIGURE_OBJECT] = "object",   [FIGURE_ARRAY] = "array"};
    return names[figure->type];
}

static const char *code(char out[FIGURE_NAME_SIZE + 2], const char *name)
{
    const char *quote = name && *name ? "`" : "";
    snprintf(out, FIGURE_NAME_SIZE + 2, "%s%s%s", quote, name ? name : "", quote);
    return out;
}

static void print_row(FILE *out, const struct figure *figure)
{
    char measure[FIGURE_NAME_SIZE], names[4][FIGURE_NAME_SIZE + 2];
    figure_measure(measure, figure);
    bool must = !(figure->flags & (FIGURE_LATER | FIGURE_MAY_LACK));
    fprintf(out, "| `%s%s` | %s%s | %s | %s | %s%s | %s | %s | %s | %s |\n", figure_prefix(figure),
            figure->path, type_name(figure), figure->flags & FIGURE_OR_NULL ? " or null" : "",
            must ? "yes" : "no", figure->unit ? figure->unit : "", figure->meaning,
            figure->flags & FIGURE_LATER ? " Results of older versions lack it." : "",
            code(names[0], figure->csv), code(names[1], measure), code(names[2], figure->claim),
            code(names[3], figure->gate));
}

void figures_print(FILE *out)
{
    fputs("| figure | type | must | unit | meaning | CSV | measure | claims | compare |\n"
          "|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < figure_count(); i++)
        print_row(out, figure_at(i));
}
