/*
 * idle_server.c - an echo server that closes connections which are idle for too long, over libtwtimers.
 *
 *     cc -O2 idle_server.c $(pkg-config --cflags --libs twtimers) -o idle_server
 *     ./idle_server PORT IDLE_MS [DESIGN]
 *
 * Each connection has its timer in it.  Whatever comes in starts it anew, so nearly all timers are moved and few fire: what a
 * server's timeouts are like.  One thread does it all, and sleeps in epoll_wait until twt_next.
 *
 * Start it once for each core: they share the port (SO_REUSEPORT).  Port 0 takes one that is free.  SIGTERM or SIGINT
 * ends it, and it says what became of the connections.
 */
#define _GNU_SOURCE 1
#include <twtimers/twt.h>
#include <twtimers/twtimers.h>

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS      256
#define OTHER_FILES 16 /* open besides connections */

struct server {
    struct twt_set *timers;
    tw_tick idle_ms;
    uint64_t most; /* connections */
    int epoll, listener, signals;
    unsigned long accepted, refused, timed_out, hung_up, wakeups;
};

struct connection {
    struct server *server;
    int fd;
    struct twt_timer idle;
};

static tw_tick now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (tw_tick)now.tv_sec * 1000 + (tw_tick)now.tv_nsec / 1000000;
}

/* ---- Connections. ----------------------------------------------------------------------------- */

/* Its timer is idle. */
static void connection_close(struct connection *connection)
{
    close(connection->fd); /* leaves the epoll by itself */
    free(connection);
}

/* Echoes what is there.  More than 0: there was something; 0: nothing yet; below: the peer has hung up. */
static ssize_t connection_echo(struct connection *connection)
{
    char bytes[4096];
    ssize_t size = read(connection->fd, bytes, sizeof bytes);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (size <= 0)
        return -1;
    /* A server that means it would keep what a full socket does not take. */
    return send(connection->fd, bytes, (size_t)size, MSG_NOSIGNAL) < 0 ? -1 : size;
}

/* One tick more: the one that has begun does not count. */
static bool start_idle(struct connection *connection)
{
    struct server *server = connection->server;
    return twt_start(server->timers, &connection->idle, now_ms() + server->idle_ms + 1) >= 0;
}

/* If the process was stopped for a while, the timeout is due although the peer has sent something, so we look once more. */
static void timed_out(struct twt_set *timers, struct twt_timer *timer, void *argument)
{
    struct connection *connection = argument;
    (void)timers;
    (void)timer;
    if (connection_echo(connection) > 0 && start_idle(connection))
        return;
    connection->server->timed_out++;
    connection_close(connection);
}

/* The peer has sent something, or has hung up. */
static void connection_serve(struct connection *connection)
{
    struct server *server = connection->server;
    ssize_t size = connection_echo(connection);
    if (size == 0 || (size > 0 && start_idle(connection)))
        return;
    twt_stop(server->timers, &connection->idle);
    server->hung_up++;
    connection_close(connection);
}

/* Takes all that wait; as many as the system has files for. */
static void connections_accept(struct server *server)
{
    int fd;
    while ((fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct connection *connection = calloc(1, sizeof *connection);
        if (!connection)
            err(1, "a connection");
        connection->server = server;
        connection->fd = fd;
        twt_init(&connection->idle, timed_out, connection);
        struct epoll_event event = {EPOLLIN | EPOLLRDHUP, {connection}};
        if (twt_count(server->timers) == server->most || !start_idle(connection)) {
            server->refused++;
            connection_close(connection);
        } else if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
            err(1, "epoll_ctl");
        } else {
            server->accepted++;
        }
    }
}

/* ---- The loop. -------------------------------------------------------------------------------- */

/* For how many milliseconds epoll_wait may sleep. */
static int timeout_ms(struct server *server)
{
    tw_tick next = twt_next(server->timers), now = now_ms();
    if (next == TW_NEVER)
        return -1;
    return next <= now ? 0 : next - now < INT_MAX ? (int)(next - now) : INT_MAX;
}

static void serve(struct server *server)
{
    struct epoll_event events[EVENTS];
    for (bool ends = false; !ends;) {
        int count = epoll_wait(server->epoll, events, EVENTS, timeout_ms(server));
        server->wakeups++;
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == &server->signals)
                ends = true;
            else if (events[i].data.ptr == &server->listener)
                connections_accept(server);
            else
                connection_serve(events[i].data.ptr);
        }
        twt_advance(server->timers, now_ms());
    }
}

/* ---- Opening. --------------------------------------------------------------------------------- */

static void watch(struct server *server, int *fd)
{
    struct epoll_event event = {EPOLLIN, {fd}};
    if (*fd < 0 || epoll_ctl(server->epoll, EPOLL_CTL_ADD, *fd, &event) != 0)
        err(1, "epoll_ctl");
}

static void listener_open(struct server *server, unsigned port)
{
    int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->listener < 0 ||
        setsockopt(server->listener, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0 ||
        bind(server->listener, (struct sockaddr *)&address, size) != 0 ||
        listen(server->listener, SOMAXCONN) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &size) != 0)
        err(1, "the port");
    printf("port %u\n", ntohs(address.sin_port));
    fflush(stdout);
}

static void signals_open(struct server *server)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    server->signals = signalfd(-1, &set, SFD_CLOEXEC);
}

static void timers_open(struct server *server, const char *design)
{
    struct rlimit files;
    struct tw_error error;
    struct twt_config config = {.design = twtimers_design(design), .now = now_ms()};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        err(1, "getrlimit");
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    server->most = files.rlim_cur - OTHER_FILES;
    if (twt_open(&server->timers, &config, &error) != TW_OK)
        errx(2, "%s", error.text);
}

/* A whole number within its limits, or the end with what is wrong with it. */
static long number_of(const char *name, const char *text, long least, long most)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < least || number > most)
        errx(2, "%s: '%s' given; expected %ld .. %ld", name, text, least, most);
    return number;
}

int main(int argc, char **argv)
{
    struct server server = {.timers = NULL};
    if (argc < 3 || argc > 4)
        errx(2, "usage: idle_server PORT IDLE_MS [DESIGN]");
    long port = number_of("PORT", argv[1], 0, 65535);
    server.idle_ms = (tw_tick)number_of("IDLE_MS", argv[2], 1, 86400000);
    signals_open(&server);
    timers_open(&server, argc > 3 ? argv[3] : "fast");
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    listener_open(&server, (unsigned)port);
    watch(&server, &server.listener);
    watch(&server, &server.signals);
    serve(&server);
    unsigned long open = (unsigned long)twt_count(server.timers); /* each has a timer */
    printf("accepted %lu = timed out %lu + hung up %lu + open %lu; refused %lu, wake-ups %lu\n",
           server.accepted, server.timed_out, server.hung_up, open, server.refused, server.wakeups);
    twt_close(server.timers);
    return server.accepted == server.timed_out + server.hung_up + open ? 0 : 1;
}
