# library.bats - libtwtimers as it is installed: what it exports, and programs built against it by pkg-config.

load ../../../tests/cli/support

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
    # Only what is there is installed: a test builds nothing of the program.
    make -s -C "$root" -o core -o embed install-embed DESTDIR="$BATS_FILE_TMPDIR" >&2
    export tree=$BATS_FILE_TMPDIR prefix=$BATS_FILE_TMPDIR/usr/local
}

# The programs here use runners, which are the lab live's.
needs_runners() {
    [ -d "$root/labs/live/runners" ] || skip "labs/live"
}

# config ARGUMENT... - pkg-config of the installed tree alone.
config() {
    PKG_CONFIG_SYSROOT_DIR=$tree PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig pkg-config "$@" twtimers
}

# Every design that fires and every runner does what it is for, from both languages.
program() {
    cat >program.c <<'END'
#include <twtimers/twtimers.h>

static int ran(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    (void)seat;
    (void)firing;
    ++*(unsigned *)argument;
    return 0;
}

static int run(const struct tw_runner *runner, const struct tw_backend *design)
{
    struct tw_runner_config config;
    struct tw_runner_stats stats;
    struct tw_service *service = NULL;
    struct tw_error error;
    unsigned count = 0;
    tw_timer timer;
    memset(&config, 0, sizeof config);
    config.design = design;
    config.horizon_ns = 1000000000;
    config.tick_ns = 1000000;
    config.capacity = 64;
    if (runner->open(&service, &config, &error) != TW_RUN_OK) {
        fprintf(stderr, "%s over %s: %s\n", runner->name, design->name, error.text);
        return 1;
    }
    struct tw_seat *seat = runner->enter(service);
    struct tw_task task = {ran, &count, 1, 0, TW_ONCE};
    if (runner->start(seat, &task, &timer) != TW_RUN_OK)
        return 1;
    do {
        runner->wait(seat, 0);
        runner->stats(service, &stats);
    } while (stats.runs < 1);
    runner->shut(seat, NULL, NULL);
    runner->leave(seat);
    runner->close(service);
    return count != 1;
}

int main(int argc, char **argv)
{
    const struct tw_backend *design;
    const struct tw_runner *runner;
    printf("%s\n", twtimers_version());
    for (size_t i = 0; (design = twtimers_design_at(i)) != NULL; i++)
        printf("design %s\n", design->name);
    for (size_t i = 0; (runner = twtimers_runner_at(i)) != NULL; i++) {
        printf("runner %s\n", runner->name);
        if (run(runner, twtimers_design("heap")))
            return 1;
    }
    (void)argc;
    (void)argv;
    return twtimers_design("null") || twtimers_runner("nosuch") || twtimers_design("") ? 1 : 0;
}
END
}

# Everything in the registries, but for what keeps nothing.
registries() {
    cat "$root/VERSION"
    sed -n 's/^TW_DESIGN(\(.*\))/design \1/p' "$root/src/impls/registry.def" | grep -vw null | tr _ -
    sed -n 's/^TW_RUNNER_ROW(\(.*\))/runner \1/p' "$root/labs/live/runners/registry.def" | tr _ -
}

@test "a program builds against the installed tree, shared and static, and every runner runs" {
    needs_runners
    program
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror program.c $(config --cflags --libs) -o shared
    LD_LIBRARY_PATH=$prefix/lib ./shared >shared.out
    registries | diff - shared.out
    readelf -d shared | grep -q 'NEEDED.*libtwtimers\.so\.'
    gcc -std=c11 -static program.c $(config --static --cflags --libs) -o static
    ./static | diff - shared.out
    g++ -std=c++20 -x c++ -Wall -Wextra -Werror -fsyntax-only program.c $(config --cflags)
}

@test "the examples with handles build against the installed tree alone, in C and in C++, and keep their books" {
    local examples=$prefix/share/twbench/examples
    read -ra flags <<<"$(config --cflags --libs) -Wl,-rpath,$prefix/lib -Wall -Wextra -Wpedantic -Werror"
    gcc -std=c11 "$examples/handles.c" "${flags[@]}" -o c
    g++ -std=c++17 -fsanitize=address,undefined "$examples/handles.cpp" "${flags[@]}" -o cpp
    clang++ -std=c++20 "$examples/handles.cpp" "${flags[@]}" -o other
    ./c | diff - <(printf 'connection %d was idle for too long\n' 0 2)
    ./cpp | diff - <(printf '%s\n' "connection 0 was idle for too long" "told by advance" "connection 2 was idle for too long")
}

@test "in C++: times at the ends of the clock, timers without a set, a set that a callback destroys" {
    cat >odd.cpp <<'END'
#include <twtimers/twtimers.hpp>
#include <memory>
using namespace std::chrono_literals;

#define THROWS(kind, what) try { what; return __LINE__; } catch (const kind &) { }
int main()
{
    twtimers::set timers;
    int ran = 0;
    twtimers::timer timer(timers, [&] { ran++; }), none, moved;
    timer.start_at(twtimers::clock::time_point::min());
    timers.advance(twtimers::clock::time_point::min());
    timer.start(twtimers::clock::duration::min());
    timers.advance();
    timer.start(twtimers::clock::duration::max());
    timers.advance();
    if (ran != 2 || timers.next() || !timer.pending())
        return 1;

    moved = std::move(timer);
    if (none.stop() || none.pending() || timer.stop() || !moved.stop())
        return 2;
    THROWS(std::logic_error, none.start(1ms));
    THROWS(std::logic_error, timer.start(1ms));
    THROWS(std::invalid_argument, twtimers::set("fsat"));

    auto own = std::make_unique<twtimers::set>();
    std::unique_ptr<twtimers::timer> last;
    last = std::make_unique<twtimers::timer>(*own, [&] {
        last.reset();
        own.reset();
        throw 3;
    });
    last->start(0ms);
    THROWS(int, own->advance(twtimers::clock::now() + 1s));
    return last || own;
}
END
    g++ -std=c++17 -fsanitize=address,undefined -fno-sanitize-recover odd.cpp $(config --cflags --libs) -Wl,-rpath,"$prefix/lib" -o odd
    ./odd
}

@test "only what the header declares is exported" {
    sed -n 's/^TWTIMERS_API.*[ *]\(tw[a-z]*_[a-z_]*\)(.*/\1/p' "$prefix"/include/twtimers/tw{timers,t}.h | sort -u >declared
    [ "$(wc -l <declared)" -ge 5 ]
    nm -D --defined-only "$prefix/lib/libtwtimers.so" | awk '$2 != "A" { sub(/@@TWTIMERS_.*/, "", $3); print $3 }' | sort | diff declared -
    nm -g --defined-only "$prefix/lib/libtwtimers.a" | awk 'NF == 3 { print $3 }' | sort | diff declared -
    # What it needs of others is the C library's.
    [ "$(readelf -d "$prefix/lib/libtwtimers.so" | grep -c NEEDED)" -eq 1 ]
}

@test "the library's name has the versions of the contracts, and the headers need nothing of twbench" {
    needs_runners
    soname=$(readelf -d "$prefix/lib/libtwtimers.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    versions=$(cat "$prefix/include/twtimers/backend.h" "$prefix/include/twtimers/runner.h" | sed -nE 's/^#define TW_(RUNNER_)?ABI_VERSION ([0-9]+)u$/\2/p' | paste -sd.)
    [ "$soname" = "libtwtimers.so.$versions" ]
    [ "$(readlink "$prefix/lib/libtwtimers.so")" = "$soname" ]
    [ "$(config --modversion)" = "$(cat "$root/VERSION")" ]
    run grep -rE '#include "(impls|runners)|TW_(COUNT|PROVED|WORK_FIELD)\b|@' "$prefix/include/twtimers"
    echo "$output"
    [ "$status" -eq 1 ]
}

@test "the library has the machine code that was timed" {
    # Of each object, whole: relocations are not yet filled in where it is one of many in a static library.
    ar x "$prefix/lib/libtwtimers.a"
    objcopy -O binary -j .text libtwtimers.o library.text
    shopt -s nullglob
    for object in "$root"/build/release/{labs/live/runners,impls}/*.timed.o; do
        objcopy -O binary -j .text "$object" timed.text
        python3 -c 'import sys; a, b = (open(f, "rb").read() for f in sys.argv[1:]); sys.exit(len(a) < 100 or a not in b)' timed.text library.text
    done
}

@test "PREFIX, LIBDIR and DESTDIR are kept; uninstall leaves nothing" {
    deep
    # In a copy, because the directories are compiled into the binary.
    mkdir copy && (cd "$root" && git ls-files -z | tar --null -T - -cf -) | tar -xf - -C copy
    where=(PREFIX=/opt/tw LIBDIR=/opt/tw/lib/multi DESTDIR="$PWD/a stage")
    make -s -C copy "${where[@]}" install-core install-embed
    [ -e "a stage"/opt/tw/lib/multi/libtwtimers.a ]
    [ -x "a stage"/opt/tw/lib/multi/twbench/twbench-embed ]
    grep -qx 'libdir=/opt/tw/lib/multi' "a stage"/opt/tw/lib/multi/pkgconfig/twtimers.pc
    grep -q '/opt/tw/lib/multi/twbench' "a stage"/opt/tw/bin/twbench
    [ -z "$(find "a stage" ! -type d ! -path 'a stage/opt/tw/*')" ]
    make -s -C copy "${where[@]}" uninstall
    [ -z "$(find "a stage" ! -type d)" ]
}

# example NAME - ./NAME from the installed example.
example() {
    gcc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror "$prefix/share/twbench/examples/$1.c" $(config --cflags --libs) \
        -Wl,-rpath,"$prefix/lib" -o "$1"
}

# server IDLE_MS - starts it; its port is in $port, its process in $server.
server() {
    ./idle_server 0 "$1" >out 3>&- &
    server=$!
    comes_true grep -q port out
    port=$(sed -n 's/^port //p' out)
}

# ended - ends the server, whose book has to balance: $sums is "ACCEPTED TIMED_OUT HUNG_UP OPEN REFUSED".
ended() {
    kill "$server"
    wait "$server"
    sums=$(grep '^accepted' out | tr -cs '0-9\n' ' ' | awk '$1 == $2 + $3 + $4 { print $1, $2, $3, $4, $5 }')
}

@test "the example server closes thousands of idle connections in their time, and none that speaks" {
    example idle_server
    # Held up itself, the client cannot tell (3).
    for try in 1 2 3 4 5; do
        server $((600 * try))
        status=0
        "$root/labs/embed/tests/idle_clients.py" "$port" 2000 50 $((600 * try)) || status=$?
        ended
        [ $status -eq 3 ] || break
    done
    echo "$sums"
    [ $status -ne 3 ] || skip "the machine held the client up"
    [ $status -eq 0 ]
    [ "$sums" = "2050 2000 50 0 0" ]
}

@test "what is open when the example server ends is given back, and told" {
    example idle_server
    server 60000
    exec 5<>/dev/tcp/127.0.0.1/"$port" 6<>/dev/tcp/127.0.0.1/"$port"
    echo hello >&5
    read -r echoed <&5
    [ "$echoed" = hello ]
    ended
    [ "$sums" = "2 0 0 2 0" ]
}
