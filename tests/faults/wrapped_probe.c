/*
 * wrapped_probe.c - a plugin against what `twbench conform` runs by default, without shrinking.
 *
 * wrapped_probe FILE            prints the rule that is broken, where, and the processor time; 1 when one is
 * wrapped_probe FILE cases      prints which cases find it by themselves, two at most; the random lists are a case, too
 * wrapped_probe FILE seconds    prints the processor time of each case
 */
#include "harness/measure/designs/designs.h"
#include "harness/prove/child.h"
#include "harness/prove/findings.h"

#include <sys/resource.h>

/* As cmd_conform.c has them. */
static const struct conform_options by_default = {.seed = 1,
                                                  .operations = 1000000,
                                                  .check_always = true,
                                                  .vary = true,
                                                  .patience = 1,
                                                  .many_max = 1u << 22,
                                                  .life_starts = 1u << 24};

#define STREAMS SIZE_MAX
#define WHOLE   (SIZE_MAX - 1)

struct task {
    const struct tw_backend *backend;
    struct conform_options options;
    bool is_case;
    size_t index; /* of a case, or STREAMS */
};

static void run_task(void *ctx, struct watch *watch)
{
    struct task *task = ctx;
    task->options.watch = watch;
    task->options.streams_only = task->is_case && task->index == STREAMS;
    if (task->is_case && task->index != STREAMS)
        conform_case(task->backend, &task->options, task->index, &watch->report);
    else
        conform_run(task->backend, &task->options, &watch->report);
}

/* What is run in children of its own: very long jumps and instances for very many. */
static void run_whole(const struct task *task, struct conform_report *report)
{
    struct conform_options options = task->options;
    options.operations = 0;
    options.streams_only = options.with_huge = true;
    options.vary = false;
    options.watch = NULL;
    options.shrink_replays = 10;
    isolate_conform(task->backend, &options, report);
}

static double seconds_of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static const char *name_of(size_t index)
{
    return index == STREAMS ? "random lists"
           : index == WHOLE ? "long jumps, and instances for 10^5 to 10^9"
                            : conform_case_name(index);
}

/* Those that take longest come last, and are asked only about what no other finds. */
static size_t nth(size_t n, size_t count)
{
    return n < count - 2 ? n : n == count - 2 ? STREAMS : n - 1;
}

static void run_cases(struct child *child, struct task *task, bool is_timed)
{
    size_t count = 0, found = 0;
    while (conform_case_name(count))
        count++;
    task->is_case = true;
    for (size_t n = 0; n <= count + 1 && found < (n > count - 2 ? 1 : 2); n++) {
        struct conform_report report;
        double begin = seconds_of_children();
        task->index = n > count ? WHOLE : nth(n, count);
        task->options.vary = task->index == STREAMS; /* of every setting, as by default */
        if (n > count)
            run_whole(task, &report);
        else if (!child_run(child, run_task, task, &report))
            return;
        if (is_timed)
            printf("%.2f\t%s\n", seconds_of_children() - begin, name_of(task->index));
        else if (report.rule)
            printf("%s\t%s\n", name_of(task->index), report.rule), found++;
    }
}

int main(int argc, char **argv)
{
    struct diag diag;
    struct child child;
    struct conform_report report;
    const struct tw_design *design = argc > 1 ? plugins_open(argv[1], &diag) : NULL;
    if (!design || !child_open(&child, design->timed))
        return 2;
    struct task task = {.backend = design->timed, .options = by_default};
    if (argc > 2) {
        run_cases(&child, &task, strcmp(argv[2], "seconds") == 0);
        return 0;
    }
    if (!child_run(&child, run_task, &task, &report))
        return 2;
    if (!report.rule)
        run_whole(&task, &report);
    printf("rule: %s\nfound: %s\ncase: %s\nseconds: %.1f\n", report.rule ? report.rule : "none",
           report.detail, child.watch->story ? child.watch->story : "random lists",
           seconds_of_children());
    return report.rule != NULL;
}
