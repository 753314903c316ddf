/*
 * handles.c - idle timeouts of three connections: a timer in each object, no ids, no fixed number of timers.
 *
 *     cc handles.c $(pkg-config --cflags --libs twtimers) -o handles
 *
 * A tick is a millisecond.  The loop sleeps until the set says that a timer is due.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <twtimers/twt.h>
#include <twtimers/twtimers.h>

#include <poll.h>
#include <time.h>

#define CONNECTIONS 3u
#define LONGEST_MS  60000u

struct connection {
    struct twt_timer idle;
    unsigned number;
    bool is_open;
};

static tw_tick now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (tw_tick)now.tv_sec * 1000 + (tw_tick)now.tv_nsec / 1000000;
}

static void hang_up(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    struct connection *connection = (struct connection *)argument;
    (void)set;
    (void)timer;
    connection->is_open = false;
    printf("connection %u was idle for too long\n", connection->number);
}

int main(void)
{
    struct connection connections[CONNECTIONS];
    struct twt_config config;
    struct twt_set *set = NULL;
    struct tw_error error;
    memset(&config, 0, sizeof config);
    config.design = twtimers_design("fast");
    config.now = now_ms();
    if (twt_open(&set, &config, &error) != TW_OK) {
        fprintf(stderr, "handles: %s\n", error.text);
        return 1;
    }
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        connections[i].number = i;
        connections[i].is_open = true;
        twt_init(&connections[i].idle, hang_up, &connections[i]);
        if (twt_start(set, &connections[i].idle, config.now + 10 + (tw_tick)10 * i) < 0)
            return 1;
    }
    twt_stop(set, &connections[1].idle); /* this one said goodbye */
    for (tw_tick next; (next = twt_next(set)) != TW_NEVER; twt_advance(set, now_ms())) {
        tw_tick now = now_ms();
        if (next > now)
            poll(NULL, 0, (int)(next - now < LONGEST_MS ? next - now : LONGEST_MS));
    }
    twt_close(set);
    return connections[0].is_open || !connections[1].is_open || connections[2].is_open;
}
