/* advice_plot.c - writes the data of an advice's picture. */
#include "labs/advise/advise.h"
#include "labs/advise/choice.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/tell/report/plot.h"

enum { PLAIN, FRONT, EQUAL, RECOMMENDED };

struct dot {
    const cJSON *candidate;
    double cost, bytes; /* on the real clock: lateness in us */
    int kind;
    bool allowed;
    bool on_line; /* of those that none beats in both */
};

/* "advise-nginx"; of a file its last part without the ending. */
static void name_picture(char *out, size_t size, const cJSON *document)
{
    const char *workload = json_get_text(document, "advice.load.workload");
    const char *last = strrchr(workload, '/');
    last = last ? last + 1 : workload;
    snprintf(out, size, "advise-%.*s", (int)strcspn(last, "."), last);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-", *c))
            *c = '_';
}

static int by_cost(const void *left, const void *right)
{
    const struct dot *l = left, *r = right;
    int by_bytes = (l->bytes > r->bytes) - (l->bytes < r->bytes);
    return l->cost > r->cost ? 1 : l->cost < r->cost ? -1 : by_bytes;
}

static int by_memory(const void *left, const void *right)
{
    const struct dot *l = left, *r = right;
    return l->bytes > r->bytes ? 1 : l->bytes < r->bytes ? -1 : by_cost(l, r);
}

static int kind_of(const cJSON *candidate)
{
    const char *status = json_get_text(candidate, "status");
    return strcmp(status, "recommended") == 0           ? RECOMMENDED
           : strcmp(status, "not-told-apart") == 0      ? EQUAL
           : cJSON_IsTrue(json_get(candidate, "front")) ? FRONT
                                                        : PLAIN;
}

static size_t gather(const cJSON *document, struct dot *out)
{
    size_t count = 0;
    json_each(candidate, document, "advice.candidates") {
        struct dot dot = {
            .candidate = candidate,
            .cost = json_get_number(candidate, "figures.cost_ns_per_op.median"),
            .bytes = json_says(document, "advice.wishes.clock", "real")
                         ? json_get_number(candidate, "figures.clock.late_p99_ns.median") / 1e3
                         : json_get_number(candidate, "figures.bytes_per_task"),
            .kind = kind_of(candidate),
            .allowed = strcmp(json_get_text(candidate, "status"), "refused") != 0,
        };
        if (dot.cost > 0 && dot.bytes > 0)
            out[count++] = dot;
    }
    return count;
}

static void write_dots(FILE *out, const struct dot *dots, size_t count)
{
    fputs("\n\n", out);
    for (size_t i = 0; i < count; i++) {
        const cJSON *cost = json_get(dots[i].candidate, "figures.cost_ns_per_op");
        bool is_sure = json_get_number(cost, "count") >= CRITERIA_PAIRS_MIN; /* else no interval */
        plotdata_write_field(out, json_get_text(dots[i].candidate, "name"));
        fprintf(out, "\t%d\t%.6g\t%.6g\t%.6g\t%.6g\t%d\n", dots[i].kind, dots[i].cost,
                json_get_number(cost, is_sure ? "low" : "median"),
                json_get_number(cost, is_sure ? "high" : "median"), dots[i].bytes,
                dots[i].on_line || dots[i].kind == RECOMMENDED);
    }
}

/* By cost. */
static void find_line(struct dot *dots, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (dots[i].allowed && dots[i].bytes < least) {
            least = dots[i].bytes;
            dots[i].on_line = true;
        }
}

/* From the most memory to the least. */
static void write_line(FILE *out, const struct dot *dots, size_t count)
{
    fputs("\n\n", out);
    for (size_t i = count; i-- > 0;)
        if (dots[i].on_line)
            fprintf(out, "%.6g\t%.6g\n", dots[i].cost, dots[i].bytes);
}

static void write_advice(FILE *out, const cJSON *document, const struct picture *picture)
{
    char title[256];
    const cJSON *candidates = json_get(document, "advice.candidates");
    struct dot *dots = memory_take((size_t)cJSON_GetArraySize(candidates) + 1, sizeof *dots);
    size_t count = gather(document, dots);
    (void)picture;
    page_advice_title(title, sizeof title, document);
    fprintf(out, "title\t");
    plotdata_write_field(out, title);
    fputc('\n', out);
    plotdata_write_machine(out, document);
    fprintf(out, "blocks\t2\nseries\t%zu\n", count);
    if (json_says(document, "advice.wishes.clock", "real"))
        fprintf(out, "clock\treal\n");
    qsort(dots, count, sizeof *dots, by_cost);
    find_line(dots, count);
    qsort(dots, count, sizeof *dots, by_memory);
    write_dots(out, dots, count);
    write_line(out, dots, count);
    free(dots);
}

void advice_pictures(const cJSON *document, struct pictures *out)
{
    struct picture picture = {.script = "advise", .write = write_advice};
    const cJSON *candidates = json_get(document, "advice.candidates");
    struct dot *dots = memory_take((size_t)cJSON_GetArraySize(candidates) + 1, sizeof *dots);
    name_picture(picture.name, sizeof picture.name, document);
    if (gather(document, dots) > 0)
        pictures_add(out, &picture);
    free(dots);
}
