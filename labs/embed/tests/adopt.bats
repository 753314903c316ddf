# adopt.bats - the glue that puts a taken design into other programs compiles against their installed headers, without a warning.
# What the programs then do `make test-adopt` shows.

load ../../../tests/cli/support

# glue FILE - as C11, behind the lines of standard input, within 60 lines.
glue() {
    local adopt=$BATS_TEST_DIRNAME/../adopt
    "$twbench" take fast --growable -o taken
    [ "$(wc -l <"$adopt/$1")" -le 60 ]
    { echo '#include "tw_fast.h"' && cat && printf '#include "%s"\n' "$adopt/$1"; } >glue.c
    gcc -std=gnu11 -O2 -Wall -Werror -I. -Itaken -c glue.c
}

@test "libuv: a timer keeps its size, and the glue compiles" {
    [ -e /usr/include/uv/unix.h ] || skip "libuv1-dev"
    cp -r /usr/include/uv.h /usr/include/uv .
    sed -i 's/heap_node\[3\]/heap_node[5]/; /UV_TIMER_PRIVATE_FIELDS/,/start_id/ { /uint64_t timeout/d; s/uint64_t start_id;//; }' uv/unix.h
    printf '#include <uv.h>\nunsigned size = sizeof(uv_timer_t);\n' >size.c
    diff <(gcc -S size.c -o -) <(gcc -I. -S size.c -o -)
    glue libuv.c <<'END'
#include <limits.h>
#include "uv.h"
void uv__handle_start(uv_timer_t *), uv__handle_stop(uv_timer_t *), uv__handle_init(uv_loop_t *, uv_handle_t *, int);
int uv__is_active(uv_timer_t *), uv__is_closing(uv_timer_t *);
_Static_assert(sizeof(struct twt_timer) <= sizeof((uv_timer_t *)0)->heap_node, "room");
END
}

# nginx has no installed headers: what the glue uses of them.
@test "nginx: the glue compiles" {
    glue nginx.c <<'END'
typedef long ngx_int_t;
typedef uintptr_t ngx_msec_t;
typedef struct { int level; } ngx_log_t;
typedef struct ngx_event_s ngx_event_t;
struct ngx_event_s {
    void *data;
    unsigned timedout : 1, timer_set : 1, cancelable : 1;
    void (*handler)(ngx_event_t *ev);
    ngx_log_t *log;
    struct { uintptr_t key; void *left, *right, *parent; unsigned char color, data; } timer;
};
_Static_assert(sizeof(((ngx_event_t *)0)->timer) == sizeof(struct twt_timer), "a node is as large as a handle");
extern volatile ngx_msec_t ngx_current_msec;
enum { NGX_OK = 0, NGX_ERROR = -1, NGX_AGAIN = -2, NGX_LOG_EMERG = 1, NGX_LOG_ALERT = 2 };
#define NGX_TIMER_INFINITE (ngx_msec_t) -1
void ngx_log_error(int level, ngx_log_t *log, int error, const char *format, ...);
END
}

@test "libevent: the glue compiles" {
    [ -e /usr/include/event2/event_struct.h ] || skip "libevent-dev"
    cp -r /usr/include/event2 .
    sed -i 's/int min_heap_idx;/void *heap_handle[5];/' event2/event_struct.h
    glue libevent.c <<'END'
#include <event2/event.h>
#include <event2/event_struct.h>
struct event_base { void *timeheap[3]; };
_Static_assert(sizeof(struct twt_timer) <= sizeof((struct event *)0)->ev_timeout_pos, "room");
#define HEAP(base) ((min_heap_t *)(void *)(base)->timeheap)
#define EVENT_DEL_NOBLOCK 0
int event_del_nolock_(struct event *event, int blocking), gettime(struct event_base *base, struct timeval *now);
void event_active_nolock_(struct event *event, int result, short count);
#pragma GCC diagnostic ignored "-Wunused-function"
END
}
