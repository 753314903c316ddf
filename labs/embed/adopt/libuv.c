/* libuv.c - stands for the heap in libuv's src/timer.c: libuv.sh cuts the functions with these names out there. */
#include "tw_fast.h"
#define SET(loop)     ((struct twt_set *)(loop)->timer_heap.min)
#define TIMER(handle) ((struct twt_timer *)(uintptr_t)(handle)->heap_node)
/* A repeating one is started before its callback, which may stop it. */
static void timer_fire(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    uv_timer_t *handle = argument;
    uv__handle_stop(handle);
    uv_timer_again(handle);
    handle->timer_cb(handle);
}
int uv_timer_init(uv_loop_t *loop, uv_timer_t *handle)
{
    uv__handle_init(loop, (uv_handle_t *)handle, UV_TIMER);
    handle->timer_cb = NULL;
    handle->repeat = 0;
    twt_init(TIMER(handle), timer_fire, handle);
    return 0;
}
int uv_timer_start(uv_timer_t *handle, uv_timer_cb cb, uint64_t timeout, uint64_t repeat)
{
    uv_loop_t *loop = handle->loop;
    struct twt_config config = {.now = loop->time};
    struct tw_error error;
    tw_tick at = timeout < TW_NEVER - loop->time ? loop->time + timeout : TW_NEVER;
    if (uv__is_closing(handle) || cb == NULL)
        return UV_EINVAL;
    if (!SET(loop) && twt_open((struct twt_set **)&loop->timer_heap.min, &config, &error))
        return UV_ENOMEM;
    if (twt_start(SET(loop), TIMER(handle), at) < 0)
        return UV_ENOMEM;
    handle->timer_cb = cb;
    handle->repeat = repeat;
    uv__handle_start(handle);
    return 0;
}
int uv_timer_stop(uv_timer_t *handle)
{
    if (uv__is_active(handle))
        twt_stop(SET(handle->loop), TIMER(handle));
    uv__handle_stop(handle);
    return 0;
}
uint64_t uv_timer_get_due_in(const uv_timer_t *handle)
{
    tw_tick at = TIMER(handle)->deadline;
    return at > handle->loop->time ? at - handle->loop->time : 0;
}
int uv__next_timeout(const uv_loop_t *loop)
{
    tw_tick next = SET(loop) ? twt_next(SET(loop)) : TW_NEVER;
    tw_tick wait = next > loop->time ? next - loop->time : 0;
    return next == TW_NEVER ? -1 : wait < INT_MAX ? (int)wait : INT_MAX;
}
void uv__run_timers(uv_loop_t *loop)
{
    if (SET(loop))
        twt_advance(SET(loop), loop->time);
}
