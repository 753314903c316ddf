# record.bats - twbench record: real programs of libuv and libevent, nginx, the kernel; what is missing; Ctrl-C.
#
# The programs get a copy of their library, so that the probes see nothing else that runs on the machine.

load ../../../tests/cli/support

# Probes and tracefs need root and a kernel that has them.
needs_tracefs() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    [ -e /sys/kernel/tracing/uprobe_events ] || mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null ||
        skip "tracefs cannot be mounted"
    [ -e /sys/kernel/tracing/uprobe_events ] || skip "no uprobes in this kernel"
    [ "$(uname -m)" = x86_64 ] || skip "probes are for x86-64"
}

# own_library SONAME - a copy of it in ./lib, by which programs are run.
own_library() {
    local file
    file=$(ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }')
    [ -n "$file" ] || skip "$1 is not installed"
    mkdir -p lib
    cp "$(readlink -f "$file")" "lib/$1"
    export LD_LIBRARY_PATH=$PWD/lib
    library=$PWD/lib/$1
}

# program NAME LIBRARY SONAME
program() {
    needs_tracefs
    own_library "$3"
    gcc -o "$1" "$BATS_TEST_DIRNAME/record/$1.c" "-l$2"
}

record() {
    "$twbench" record --library="$library" --buffer=4000 "$@"
}

@test "record names its kinds, and refuses what cannot be recorded" {
    refuses "expected one of nginx, libuv, libevent, ktimer, khrtimer" record timers -- true
    refuses "expected -- COMMAND" record libuv
    refuses "the command has standard output" record libuv -o - -- true
    refuses ".tt.xz" record libuv -o trace.txt -- true
    refuses "--library=./none.so" record libuv --library=./none.so -- true
    touch libuv.tt.xz
    refuses "libuv.tt.xz" record libuv -- true
}

@test "record nginx: another command, no nginx, one without debug, a configuration that is refused" {
    refuses "expected nginx itself" record nginx -- wrk
    refuses "apt-get install nginx" record nginx -- ./nginx-none
    printf '#!/bin/sh\necho configure arguments: --with-threads >&2\n' >nginx
    chmod +x nginx
    refuses "--with-debug" record nginx -- ./nginx
    printf '#!/bin/sh\n[ "$1" = -V ] && exec echo --with-debug\necho "nginx: [emerg] unknown directive \\"x\\" in a:1" >&2; exit 1\n' >nginx
    refuses 'unknown directive "x" in a:1' record nginx -- ./nginx
    [ ! -e nginx.tt.xz.log ]
}

# fake_nginx MORE - nginx as a script: it says what its files are, and reports a timer to standard error.
fake_nginx() {
    mkdir -p etc
    printf '%s\n' 'error_log "a;b" info; # error_log x;' 'a ${error_log } "}; error_log x;"; error_logs x; a error_log x;' \
        'http {' '  include more.conf;' '}' 'error_log y;' >etc/nginx.conf
    echo "$1" >etc/more.conf
    cat >nginx <<'END'
#!/bin/bash
[ "$1" = -V ] && exec echo --with-debug
if [ "${!#}" = -T ]; then
    for each in etc/nginx.conf etc/more.conf; do echo "# configuration file $each:"; cat "$each"; done
    exit
fi
printf '%s\n' "$@" >words
echo "2026/11/21 01:36:03 [debug] 7#7: *1 event timer add: 3: 3000:9000" >&2
echo "2026/11/21 01:36:03 [debug] 7#7: *1 something else" >&2
echo "2026/11/21 01:36:03 [crit] 7#7: *1 a word to the user" >&2
END
    chmod +x nginx
}

@test "record nginx: a second log beside its own, and the user sees errors; a log in a block or an included file is refused" {
    fake_nginx 'deny all;'
    "$twbench" record nginx -o out.tt --log=kept.log -- ./nginx -c etc/nginx.conf -g 'user x;' 2>said
    grep -q 'a word to the user' said
    [ "$(wc -l <kept.log)" -eq 1 ]
    [ "$(tail -n 1 out.tt)" = "0 s 0 3000" ]
    [ "$(tail -n 1 words)" = '-guser x; daemon off; error_log stderr debug_event;' ]
    rm out.tt
    "$twbench" record nginx -o out.tt -- ./nginx -g 'daemon off;' 2>said
    [ "$(cat words)" = '-gdaemon off; error_log stderr debug_event;' ]
    rm out.tt
    fake_nginx 'location / { error_log /dev/null; }'
    refuses "more.conf: 'error_log /dev/null;'" record nginx -o out.tt -- ./nginx
    fake_nginx "it's { a; } error_log 'a;b';"
    refuses "more.conf: 'error_log 'a;b';'" record nginx -o out.tt -- ./nginx
    fake_nginx ''
    sed -i 's/^http {/&\n  "error_log" x;/' etc/nginx.conf
    refuses "nginx.conf: '\"error_log\" x;'" record nginx -o out.tt -- ./nginx
}

@test "record nginx: the real one under Debian's configuration, with a client that is slow" {
    command -v nginx >/dev/null || skip "nginx is not installed"
    mkdir conf
    cat >conf/nginx.conf <<END
worker_processes 1;
pid $PWD/nginx.pid;
error_log $PWD/error.log;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $PWD/t1; proxy_temp_path $PWD/t2; fastcgi_temp_path $PWD/t3;
    uwsgi_temp_path $PWD/t4; scgi_temp_path $PWD/t5;
    server { listen unix:$PWD/socket; location / { return 200 "hello"; } }
}
END
    "$twbench" record nginx -o out.tt -- nginx -c "$PWD/conf/nginx.conf" >words 2>&1 3>&- &
    local child=$! left=0
    comes_true test -S socket
    python3 -c 'import socket
s = socket.socket(socket.AF_UNIX); s.connect("socket")
s.send(b"GET / HTTP/1.0\r\n\r\n"); assert b"hello" in s.recv(4096)'
    kill -INT $child
    wait $child || left=$?
    cat words
    [ "$left" -eq 130 ]
    grep -q ' s 0 60000$' out.tt
    [ ! -e out.tt.log ]
}

@test "record libuv: ten starts, three stops, seven fire; nothing is left in tracefs" {
    program uv_timers uv libuv.so.1
    record libuv -o out.tt -- ./uv_timers 2>said
    cat said
    [ "$(grep -c ' s ' out.tt)" -eq 10 ]
    [ "$(grep -c ' c ' out.tt)" -eq 3 ]
    grep -q '7 expired' said
    [ ! -e out.tt.log ]
    [ -z "$(grep -F "$PWD" /sys/kernel/tracing/uprobe_events)" ]
}

@test "record libuv: Ctrl-C ends the program and keeps what was recorded, --duration does so with status 0" {
    program uv_timers uv libuv.so.1
    interrupts INT '[ -e started ]' "$twbench" record libuv --library="$library" --buffer=4000 -o out.tt -- ./uv_timers started
    [ "$status" -eq 130 ]
    grep -q ' 3600000$' out.tt
    record libuv --duration=300ms -o second.tt -- ./uv_timers started
    grep -q ' 3600000$' second.tt
    status=0
    record libuv -o third.tt -- sh -c './uv_timers; exit 7' 2>said || status=$?
    [ "$status" -eq 1 ]
    grep -q 'sh: exit status 7' said
    [ -s third.tt ]
}

@test "record libevent: deleted ones are cancels; a full buffer is an error, and the log stays" {
    program event_timers event_core libevent_core-2.1.so.7
    record libevent -o out.tt -- ./event_timers 10
    [ "$(grep -c ' s ' out.tt)" -eq 10 ]
    [ "$(grep -c ' c ' out.tt)" -eq 5 ]
    run "$twbench" record libevent --library="$library" --buffer=8 -o full.tt -- ./event_timers 3000
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"events were lost"*"the log stays in full.tt.log"* ]]
    [ -s full.tt.log ] && [ ! -e full.tt ]
}

@test "record ktimer and khrtimer: the kernel's timers while a command runs" {
    needs_tracefs
    "$twbench" record ktimer --buffer=20000 -o k.tt -- sleep 0.3
    [ "$(grep -c ' s ' k.tt)" -gt 0 ]
    "$twbench" record khrtimer --buffer=20000 -o h.tt --log=h.log -- sleep 0.05
    [ "$(grep -c ' s ' h.tt)" -gt 0 ]
    grep -q '^realtime-monotonic' h.log.clocks
}

@test "record says which right is missing: no root, no tracefs; and which command cannot be started" {
    needs_tracefs
    command -v setpriv unshare >/dev/null || skip "needs setpriv and unshare"
    chmod 777 .
    run setpriv --reuid=65534 --regid=65534 --clear-groups "$twbench" record ktimer -- true
    echo "$output"
    [ "$status" -eq 2 ] && [[ $output == *"recording needs root"* ]]
    run unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing && exec setpriv --bounding-set=-sys_admin "$0" record ktimer -- true' "$twbench"
    echo "$output"
    [ "$status" -eq 2 ] && [[ $output == *"tracefs cannot be mounted"*"needs root"* ]]
    refuses "./none: No such file" record ktimer --buffer=4000 -- ./none
}
