# twlog.bats - the store wheel-log at home: taken as sources, and as libtwlog; its example is killed and its book checked.

load ../../../tests/cli/support

needs_durable() {
    [ -d "$BATS_TEST_DIRNAME/../../durable/stores" ] || skip "labs/durable"
}

@test "a taken store compiles alone without a warning, and its example loses nothing through kills" {
    needs_durable
    "$twbench" take wheel-log -o home
    make -C home CFLAGS='-O1 -Werror' check plugin
    clang -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fsyntax-only home/tw_wheel_log.c home/delay_queue.c home/test.c
    g++ -std=c++20 -x c++ -Wall -Wextra -Werror -fsyntax-only home/tw_wheel_log.h
    refuses "wheel-log is a store" take wheel-log --runner=locked -o other
    # The test sees a queue that answers before the disk has it.
    sed 's/TW_SYNC_GROUP,/TW_SYNC_NONE,/; /eventfd_write/d' home/delay_queue.c >home/careless.c
    gcc -std=c11 -D_GNU_SOURCE -O1 -pthread home/careless.c home/tw_wheel_log.o -o careless
    run home/test ./careless
    [ "$status" -eq 1 ]
}

@test "the example builds from the installed library alone, shared and static; only the table is exported" {
    needs_durable
    make -s -C "$root" -o core -o embed install-embed DESTDIR="$PWD"
    prefix=$PWD/usr/local
    config() {
        PKG_CONFIG_SYSROOT_DIR=$PWD PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig pkg-config "$@" twlog
    }
    [ "$(nm -D --defined-only "$prefix/lib/libtwlog.so" | awk '{ print $3 }')" = tw_wheel_log ]
    [ "$(nm -g --defined-only "$prefix/lib/libtwlog.a" | awk 'NF == 3 { print $3 }')" = tw_wheel_log ]
    gcc -std=c11 -Wall -Wextra -Werror "$prefix/share/twbench/examples/delay_queue.c" $(config --cflags --libs) -o shared
    gcc -std=c11 -static "$prefix/share/twbench/examples/delay_queue.c" $(config --static --cflags --libs) -o static
    gcc -std=c11 -D_GNU_SOURCE -x c "$root/labs/embed/take/store_test.c.in" -o kills
    LD_LIBRARY_PATH=$prefix/lib ./kills ./shared 10 2
    ./kills ./static 10 3
    [ "$(sed -n '/^.SH SETTINGS/,/^.I/p' "$prefix/share/man/man3/twlog.3" | tr -d '\\' | grep -oE '[a-z-]+(,|:)' | tr -d ,:)" = \
        "$("$twbench" list --json=- | jq -r '.stores[] | select(.name == "wheel-log").parameters[].name')" ]
    # Both headers fit into one program, in either order.
    printf '#include <twlog.h>\n#include <twtimers/twtimers.h>\n' | gcc -std=c11 -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only -xc -
    printf '#include <twtimers/twtimers.h>\n#include <twlog.h>\n' | gcc -std=c11 -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only -xc -
}
