# adopt.bats - the glue that puts a taken design into other programs compiles against their installed headers, without a warning.
# What the programs then do `make test-adopt` shows.

load ../../../tests/cli/support

# glue FILE - as C11, behind the lines of standard input, within 60 lines.
glue() {
    local adopt=$BATS_TEST_DIRNAME/adopt
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
