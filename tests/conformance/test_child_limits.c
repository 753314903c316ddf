/* test_child_limits.c - the limits of a child stretch with the load that is measured, and a machine without time is no
 * fault of the design.  All clocks are planted: no test here takes as long as it says.
 */
#include "harness/measure/designs/designs.h"
#include "harness/prove/child.h"
#include "testing.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOKS     40u      /* after which the child comes to its end by itself */
#define PIECE_NS  20000u   /* what stretch_now takes of the processor at best */
#define LOOK_CPU  20000000 /* what the child has had of it between two looks */
#define SECOND_NS 1000000000

/* What the parent's clocks say.  `looks` is shared with the child. */
static struct plant {
    pid_t parent;
    long piece_ns;    /* what each piece takes from the second on; 0: nothing is planted */
    long look_cpu_ns; /* the child's processor time grows by it at each look */
    long look_wall_s; /* ... and the clock on the wall */
    long reads, thread_ns, cpu_ns, wall_s;
    uint32_t *looks;
} plant;

static void tell(struct timespec *time, long seconds, long ns)
{
    *time = (struct timespec){seconds + ns / SECOND_NS, ns % SECOND_NS};
}

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (plant.piece_ns == 0 || getpid() != plant.parent)
        return (int)syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_THREAD_CPUTIME_ID) {
        if (plant.reads++ % 2 == 1)
            plant.thread_ns += plant.reads == 2 ? PIECE_NS : plant.piece_ns;
        tell(time, 0, plant.thread_ns);
    } else if (clock == CLOCK_MONOTONIC) {
        tell(time, plant.wall_s += plant.look_wall_s, 0);
    } else if (clock < 0) {
        ++*plant.looks;
        tell(time, 0, plant.cpu_ns += plant.look_cpu_ns);
    } else {
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
    return 0;
}

/* One call that goes on until the parent has looked often enough. */
static void calls_once(void *ctx, struct watch *watch)
{
    volatile uint32_t *looks = ctx;
    watch_enter(watch, "advance");
    while (*looks < LOOKS)
        ;
    watch_leave(watch, NULL);
}

/* The rule that is broken, by a call that has 0.1 s and all of it `all_seconds`. */
static const char *judged(struct plant planted, double all_seconds)
{
    struct child child;
    struct conform_report report;
    struct diag diag;
    assert_true(child_open(&child, designs_find("heap", &diag)->timed));
    child.call_seconds = 0.1;
    child.idle_seconds = 1000;
    child.all_seconds = all_seconds;
    plant = planted;
    plant.parent = getpid();
    plant.looks =
        mmap(NULL, sizeof *plant.looks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(plant.looks != MAP_FAILED);
    assert_true(child_run(&child, calls_once, plant.looks, &report));
    plant.piece_ns = 0;
    munmap(plant.looks, sizeof *plant.looks);
    child_close(&child);
    return report.rule;
}

TEST(test_a_call_on_a_quiet_machine_has_its_limit)
{
    assert_string_equal(judged((struct plant){.piece_ns = PIECE_NS, .look_cpu_ns = LOOK_CPU}, 1000),
                        RULE_RETURN);
}

TEST(test_it_has_more_when_the_same_work_takes_longer)
{
    assert_null(judged((struct plant){.piece_ns = 20 * PIECE_NS, .look_cpu_ns = LOOK_CPU}, 1000));
}

TEST(test_a_design_that_uses_all_of_its_time_does_not_return)
{
    assert_string_equal(
        judged((struct plant){.piece_ns = 99 * PIECE_NS, .look_cpu_ns = LOOK_CPU}, 0.5),
        RULE_RETURN);
}

TEST(test_a_machine_that_gives_no_time_is_no_fault_of_the_design)
{
    const char *rule = judged((struct plant){.piece_ns = PIECE_NS, .look_wall_s = 10}, 5);
    assert_string_equal(rule, RULE_TIME);
    assert_true(rule_is_machine(rule));
    assert_false(rule_is_machine(RULE_RETURN));
}

TEST_MAIN(NULL, NULL)
