// When an instance is closed, the times of the passes before it are halved where the process tells them.
#include "wrong.h"

#include "harness/measure/run/job.h"

static struct job_report *find_report(void)
{
    char line[512];
    unsigned long begin, end;
    struct job_report *found = NULL;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "rw-s") && sscanf(line, "%lx-%lx", &begin, &end) == 2 &&
            end - begin >= sizeof *found)
            found = (struct job_report *)begin;
    if (maps)
        fclose(maps);
    return found;
}

static void timed_close(struct tw_timers *timers)
{
    static struct job_report *report;
    static double before[2][STREAM_PHASES_MAX];
    skeleton_close(timers);
    if (!report)
        report = find_report();
    for (size_t i = 0; report && i < STREAM_PHASES_MAX; i++) {
        struct replay_phase *phase = &report->total.phases[i];
        before[0][i] = phase->wall_ns = (phase->wall_ns + before[0][i]) / 2;
        before[1][i] = phase->cpu_ns = (phase->cpu_ns + before[1][i]) / 2;
    }
}

static const struct tw_backend right = {HONEST("changes-figures"), TRAITS(0)},
                               wrong = {HONEST("changes-figures"), TRAITS(0), .close = timed_close};
TW_PLUGIN(wrong, right);
