#!/bin/bash
# nginx.sh - nginx with the taken design in place of its tree of timers: idle connections, and instructions under ab, before and after.
#
# Glue: nginx.c.  The client is Debian's ab, unpacked beside, and idle_http.py.  valgrind counts: a loaded machine changes nothing.
# shellcheck disable=SC2154,SC2016  # names of adopt.bash; substitutions are of Perl
# shellcheck source=labs/embed/adopt/adopt.bash disable=SC1091
. "$(dirname "$0")/adopt.bash"
wants make perl python3 valgrind
fetched nginx
unpacked apache2-utils libapr1 libaprutil1
idle=${IDLE:-10000} requests=${REQUESTS:-40000}
files=$((idle * 5 / 4)) # with less than a sixteenth left it closes idle connections early
ulimit -n $files || { echo "$0: $idle connections need $files open files; IDLE= asks for fewer" >&2; exit 2; }

# What is inlined has no count of its own: not so before; an earlier run may have done it.
timer=after/src/event/ngx_event_timer
perl -pi -e 's/^static __attribute__\(\(noinline, unused\)\) void$/static ngx_inline void/' $timer.h
perl -pi -e 's/^static ngx_inline void$/static __attribute__((noinline, unused)) void/' before/src/event/ngx_event_timer.h
cut_out $timer.c ngx_event_timer_init ngx_event_find_timer ngx_event_expire_timers ngx_event_no_timers_left
cut_out $timer.h ngx_event_del_timer ngx_event_add_timer
edited $timer.c 's/^ngx_rbtree_t +ngx_event_timer_rbtree;\nstatic ngx_rbtree_node_t +ngx_event_timer_sentinel;\n/#include "timer-twt.h"\n/m'
edited $timer.h 's/^extern ngx_rbtree_t .*?\n/void ngx_event_add_timer(ngx_event_t *ev, ngx_msec_t timer);\nvoid ngx_event_del_timer(ngx_event_t *ev);\n/m'
cp taken/tw_fast.* after/src/event
cp "$adopt/nginx.c" after/src/event/timer-twt.h

# What the load does not use is left out.
without=$(printf -- '--without-http_%s_module ' rewrite gzip charset ssi userid auth_basic mirror autoindex geo map split_clients referer \
    proxy fastcgi uwsgi scgi grpc memcached limit_conn limit_req browser)
for side in before after; do
    # shellcheck disable=SC2086  # flags are words
    (cd $side && ./configure --with-cc-opt='-O2 -g' $without --prefix="$package/run" && make -s -j2) >make.$side 2>&1 ||
        { tail -n 20 make.$side >&2; exit 1; }
done
mkdir -p run/logs

# serve TIMEOUT COMMAND... - starts nginx, by way of COMMAND; its process is $server.
serve() {
    cat >run/nginx.conf <<END
daemon off; master_process off; error_log logs/error.log; pid logs/pid; worker_rlimit_nofile $files;
events { worker_connections $files; }
http {
    access_log off; keepalive_timeout $1; keepalive_requests 1000000;
    server { listen 127.0.0.1:8479 backlog=16384; location / { empty_gif; } }
}
END
    "${@:2}" -p run -c nginx.conf &
    server=$!
    until (exec 3<>/dev/tcp/127.0.0.1/8479) 2>/dev/null; do sleep 0.2; kill -0 $server; done
}

server=
trap '[ -z "$server" ] || kill $server' EXIT
: >failed
for side in before after; do
    serve 5s $side/objs/nginx
    timeout 180 python3 "$adopt/idle_http.py" 8479 "$idle" 5 >idle.$side || echo $side >>failed
    kill -QUIT $server && wait $server && server=
    # The same many connections, that ask again and again.
    serve 65s valgrind -q --tool=callgrind --callgrind-out-file=counts.$side $side/objs/nginx
    unpacked_run ab -q -k -n "$requests" -c "$idle" -s 300 http://127.0.0.1:8479/ >ab.$side 2>&1 ||
        { cat ab.$side >&2; exit 1; }
    kill -TERM $server
    wait $server || true
    server=
    callgrind_annotate --inclusive=yes --threshold=100 counts.$side >lines.$side
    grep -q "Failed requests: *0" ab.$side || echo "$side: ab" >>failed
done

# instructions SIDE FUNCTION - for each request, with what it calls; its row is the largest, those of inlined parts follow.
instructions() {
    awk -v n="$requests" -v f=":$2([ ']|$)" '$0 ~ f && !/=>/ { gsub(",", "", $1); if ($1 > most) most = $1 } END { printf "%.0f\n", most / n }' "lines.$1"
}

row "" before after
echo "|---|---|---|"
row "idle connections closed within their timeout" "$(cat idle.before)" "$(cat idle.after)"
row "requests of ab that failed, of $requests" "$(awk '/Failed requests/ { print $3 }' ab.before)" "$(awk '/Failed requests/ { print $3 }' ab.after)"
for function in add_timer del_timer find_timer; do
    row "instructions a request in \`ngx_event_$function\`" "$(instructions before ngx_event_$function)" "$(instructions after ngx_event_$function)"
done
row "in all of nginx" "$(awk -v n="$requests" '/PROGRAM TOTALS/ { gsub(",", "", $1); printf "%.0f", $1 / n }' lines.before)" \
    "$(awk -v n="$requests" '/PROGRAM TOTALS/ { gsub(",", "", $1); printf "%.0f", $1 / n }' lines.after)"
[ ! -s failed ] || { cat failed; exit 1; }
