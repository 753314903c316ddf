/* nginx.c - stands for the tree of timers in nginx's src/event/ngx_event_timer.c: nginx.sh cuts the functions with these names out. */
#include "tw_fast.c"
static struct twt_set *timers; /* of the worker, which has one thread */

/* The node of the tree is as large as a handle. */
static struct twt_timer *timer_of(ngx_event_t *ev)
{
    return (struct twt_timer *)&ev->timer;
}
ngx_int_t ngx_event_timer_init(ngx_log_t *log)
{
    struct twt_config config = {.now = ngx_current_msec, .capacity = 4096};
    struct tw_error error;
    if (twt_open(&timers, &config, &error) == TW_OK)
        return NGX_OK;
    ngx_log_error(NGX_LOG_EMERG, log, 0, "timers: %s", error.text);
    return NGX_ERROR;
}
static void timer_fire(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    ngx_event_t *ev = argument;
    ev->timer_set = 0;
    ev->timedout = 1;
    ev->handler(ev);
}
void ngx_event_add_timer(ngx_event_t *ev, ngx_msec_t timer)
{
    if (!ev->timer_set)
        twt_init(timer_of(ev), timer_fire, ev);
    ev->timer_set = twt_start(timers, timer_of(ev), ngx_current_msec + timer) >= 0;
    if (!ev->timer_set)
        ngx_log_error(NGX_LOG_ALERT, ev->log, 0, "no memory for a timer");
}
void ngx_event_del_timer(ngx_event_t *ev)
{
    twt_stop(timers, timer_of(ev));
    ev->timer_set = 0;
}
ngx_msec_t ngx_event_find_timer(void)
{
    tw_tick next = twt_wake(timers); /* early now and then is fine: nginx looks again */
    return next == TW_NEVER          ? NGX_TIMER_INFINITE
           : next > ngx_current_msec ? next - ngx_current_msec
                                     : 0;
}
void ngx_event_expire_timers(void)
{
    twt_advance(timers, ngx_current_msec);
}
static void timer_count(void *ctx, const struct twt_timer *timer)
{
    const ngx_event_t *ev = timer->argument;
    *(unsigned *)ctx += !ev->cancelable;
}
ngx_int_t ngx_event_no_timers_left(void)
{
    unsigned left = 0;
    twt_visit(timers, timer_count, &left);
    return left ? NGX_AGAIN : NGX_OK;
}
