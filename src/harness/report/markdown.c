/* markdown.c - a table per group; the renderer of Markdown aligns it. */
#include "harness/report/markdown.h"

#include "harness/report/figure.h"
#include "harness/report/view.h"
#include "harness/result/json.h"

#include <math.h>
#include <string.h>

void markdown_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|<>&*_`\n", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    }
}

/* The numbers of a column are asked for twice: to find the best, and to print. */
typedef double column_fn(const struct view_row *row, const char *name);

static double cost_of(const struct view_row *row, const char *phase)
{
    return json_get_number(view_phase(row, phase), "ns_per_op.median");
}

static double advance_of(const struct view_row *row, const char *key)
{
    return view_advance_ns(row, key);
}

static double cell_number(const struct view_row *row, const char *path)
{
    return json_get_number(row->cell, path);
}

static double best_of(const struct view_group *group, column_fn *column, const char *name)
{
    double best = INFINITY;
    for (size_t i = 0; i < group->row_count; i++)
        if (group->rows[i].ok && view_competes(&group->rows[i]))
            best = fmin(best, column(&group->rows[i], name));
    return best;
}

static void write_number(FILE *out, const struct view_group *group, const struct view_row *row,
                         column_fn *column, const char *name)
{
    char text[FIGURE_SIZE], best[FIGURE_SIZE];
    figure_number(text, column(row, name));
    figure_number(best, best_of(group, column, name));
    bool is_best = row->ok && view_competes(row) && group->row_count > 1 &&
                   strcmp(text, best) == 0 && text[0] != '-';
    fprintf(out, is_best ? " **%s** |" : " %s |", text);
}

static void write_cost(FILE *out, const struct view_group *group, const struct view_row *row,
                       const char *phase)
{
    const cJSON *interval = json_get(view_phase(row, phase), "ns_per_op");
    char low[FIGURE_SIZE], high[FIGURE_SIZE];
    write_number(out, group, row, cost_of, phase);
    figure_number(low, json_get_number(interval, "low"));
    figure_number(high, json_get_number(interval, "high"));
    fprintf(out, interval ? " %s - %s |" : " |", low, high);
}

/* The columns between the design and its memory; answers how many there are. */
static size_t write_header_times(FILE *out, const struct view_group *group)
{
    for (size_t i = 0; i < group->phase_count; i++) {
        fputc(' ', out);
        markdown_text(out, group->phases[i]);
        fputs(" ns/op | interval |", out);
    }
    fputs(" advance p99 ns | advance max ns |", out);
    return 2 * group->phase_count + 2;
}

static size_t write_header_counts(FILE *out)
{
    for (size_t i = 0; i < view_counter_count; i++)
        fprintf(out, " %s |", view_counters[i].title);
    return view_counter_count;
}

static void write_header(FILE *out, const struct view_group *group, bool counts)
{
    fputs("| design |", out);
    size_t columns = counts ? write_header_counts(out) : write_header_times(out, group);
    fputs(" bytes/task | late ticks | fired | status |\n|---|", out);
    for (size_t i = 0; i < columns + 3; i++)
        fputs("--:|", out);
    fputs("---|\n", out);
}

static void write_times(FILE *out, const struct view_group *group, const struct view_row *row)
{
    for (size_t i = 0; i < group->phase_count; i++)
        write_cost(out, group, row, group->phases[i]);
    write_number(out, group, row, advance_of, "p99");
    write_number(out, group, row, advance_of, "max");
}

static void write_counts(FILE *out, const struct view_group *group, const struct view_row *row)
{
    for (size_t i = 0; i < view_counter_count; i++)
        write_number(out, group, row, view_work, view_counters[i].key);
}

static void write_row(FILE *out, const struct view_group *group, const struct view_row *row,
                      bool counts)
{
    fputs("| ", out);
    markdown_text(out, row->label);
    fprintf(out, "%s |", view_suffix(row));
    (counts ? write_counts : write_times)(out, group, row);
    write_number(out, group, row, cell_number, "memory.bytes_per_task");
    for (size_t i = 0; i < 2; i++) {
        static const char *const plain[] = {"late_max_ticks", "fired"};
        char text[FIGURE_SIZE];
        figure_number(text, cell_number(row, plain[i]));
        fprintf(out, " %s |", text);
    }
    fprintf(out, " %s", json_get_text(row->cell, "status"));
    fputs(row->ok ? "" : ": ", out);
    markdown_text(out, json_get_text(row->cell, "reason"));
    fputs(" |\n", out);
}

static void write_pages(FILE *out, const struct view_group *group)
{
    char text[320];
    for (size_t i = 0; i < group->row_count; i++) {
        if (!view_huge_pages(text, sizeof text, &group->rows[i]))
            continue;
        fputs("\nIn pages of 2 MiB: ", out);
        markdown_text(out, group->rows[i].label);
        fputs(", ", out);
        markdown_text(out, text);
        fputs(".\n", out);
    }
}

void markdown_write(FILE *out, const struct result_document *document)
{
    bool untimed = false;
    struct view view = view_make(result_json(document));
    for (size_t g = 0; g < view.group_count; g++) {
        const struct view_group *group = &view.groups[g];
        char title[256];
        view_title(title, sizeof title, group);
        fputs(g ? "\n### " : "### ", out);
        markdown_text(out, title);
        fputs("\n\n", out);
        bool counts = group->phase_count > 0 && !view_is_timed(group);
        untimed = untimed || counts;
        write_header(out, group, counts);
        for (size_t i = 0; i < group->row_count; i++)
            write_row(out, group, &group->rows[i], counts);
        write_pages(out, group);
    }
    if (view_has_real_clock(&view))
        fputs(
            "\nReal clock: wall time contains waiting; `cpu_ns_per_op` of the document does not.\n",
            out);
    view_free(&view);
    if (untimed)
        fputs("\nCounts are of all phases of one pass; where they stand nothing was timed.\n", out);
    fputs("\nMedian and exact interval of the median by order statistics; advance: single calls of "
          "the worst phase; bold: best of its column.\n",
          out);
}
