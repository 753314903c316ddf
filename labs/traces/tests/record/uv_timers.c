/* uv_timers.c - ten timers of libuv: three are stopped, seven fire; with an argument one more waits for an hour. */
#include <stdio.h>
#include <uv.h>

static void fire(uv_timer_t *timer)
{
    uv_timer_stop(timer);
}

int main(int argc, char **argv)
{
    (void)argv;
    uv_timer_t timers[11];
    uv_loop_t *loop = uv_default_loop();
    for (int i = 0; i < 10; i++) {
        uv_timer_init(loop, &timers[i]);
        uv_timer_start(&timers[i], fire, 20u + (unsigned)i, 0);
    }
    for (int i = 0; i < 3; i++)
        uv_timer_stop(&timers[i]);
    uv_timer_init(loop, &timers[10]);
    if (argc > 1) {
        uv_timer_start(&timers[10], fire, 3600000, 0);
        fclose(fopen(argv[1], "w"));
    }
    return uv_run(loop, UV_RUN_DEFAULT);
}
