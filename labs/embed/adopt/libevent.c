/* libevent.c - stands for libevent's minheap-internal.h and for the functions that libevent.sh cuts out of its event.c. */
#include "tw_fast.c"
typedef struct min_heap {
    struct twt_set *set;
    struct event **p; /* the pending ones, after min_heap_list_ */
    unsigned n;
} min_heap_t;
#define timer_of(ev) ((struct twt_timer *)(void *)(ev)->ev_timeout_pos.heap_handle)
static tw_tick ticks_of(const struct timeval *tv) /* without marks of common timeouts */
{
    tw_tick most = UINT64_C(1) << 40, s = tv->tv_sec < 0 ? 0 : (tw_tick)tv->tv_sec;
    return (s < most ? s : most) * 1000000 + ((tw_tick)tv->tv_usec & 0xfffff);
}
static int min_heap_ctor_(struct event_base *base)
{
    struct timeval now = {0, 0};
    struct tw_error error;
    struct twt_config config = {.now = gettime(base, &now) ? 0 : ticks_of(&now)};
    return twt_open(&HEAP(base)->set, &config, &error);
}
static void timer_fire(struct twt_set *set, struct twt_timer *timer, void *ev)
{
    event_del_nolock_(ev, EVENT_DEL_NOBLOCK);
    event_active_nolock_(ev, EV_TIMEOUT, 1);
}
static int min_heap_push_(min_heap_t *s, struct event *ev)
{
    twt_init(timer_of(ev), timer_fire, ev); /* the place may have held a link of a common timeout */
    return twt_start(s->set, timer_of(ev), ticks_of(&ev->ev_timeout));
}
static void min_heap_add_(void *heap, const struct twt_timer *timer)
{
    ((min_heap_t *)heap)->p[((min_heap_t *)heap)->n++] = timer->argument;
}
static void min_heap_list_(min_heap_t *s)
{
    s->n = 0;
    if ((s->p = realloc(s->p, (twt_count(s->set) + 1) * sizeof *s->p)) != NULL)
        twt_visit(s->set, min_heap_add_, s);
}
static int timeout_next(struct event_base *base, struct timeval **tv_p)
{
    struct timeval now;
    tw_tick next = twt_next(HEAP(base)->set), left;
    if (next == TW_NEVER)
        *tv_p = NULL;
    else if (gettime(base, &now) == -1)
        return -1;
    else {
        left = next > ticks_of(&now) ? next - ticks_of(&now) : 0;
        **tv_p = (struct timeval){(time_t)(left / 1000000), (suseconds_t)(left % 1000000)};
    }
    return 0;
}
static void timeout_process(struct event_base *base)
{
    struct timeval now;
    if (twt_count(HEAP(base)->set) > 0 && gettime(base, &now) == 0)
        twt_advance(HEAP(base)->set, ticks_of(&now));
}
