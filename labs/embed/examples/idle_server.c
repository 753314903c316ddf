/*
 * idle_server.c - an echo server that closes connections which are idle for too long, over libtwtimers.
 *
 *     cc -O2 idle_server.c $(pkg-config --cflags --libs twtimers) -o idle_server
 *     ./idle_server PORT IDLE_MS [DESIGN]
 *
 * Each connection has one pending timer.  Whatever comes in stops it and starts it anew, so nearly all timers are
 * stopped and few fire: what a server's timeouts are like.
 *
 * One thread does it all, and sleeps in epoll_wait.  That is what the runner per-thread is for: what this thread
 * starts fires while this thread is in wait, without a lock.
 *
 *     next   says how long epoll_wait may sleep
 *     wait   with the moment 0 runs what is due, and returns at once
 *     shut   gives back every timer that has not fired: exactly the connections that are still open
 *
 * Start it once for each core: they share the port (SO_REUSEPORT).  Port 0 takes one that is free.  SIGTERM or SIGINT
 * ends it, and it says what became of the connections.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <twtimers/twtimers.h>

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

#define MS          UINT64_C(1000000) /* nanoseconds */
#define EVENTS      256
#define OTHER_FILES 16 /* open besides connections */

struct server {
    const struct tw_runner *runner;
    struct tw_service *service;
    struct tw_seat *seat; /* of this thread, in the service */
    uint64_t idle_ns;
    int epoll, listener, signals;
    unsigned long accepted, refused, timed_out, hung_up, open, wakeups;
};

struct connection {
    struct server *server;
    int fd;
    tw_timer idle;
};

static void fail(const char *what)
{
    fprintf(stderr, "idle_server: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

/* ---- Connections. ----------------------------------------------------------------------------- */

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

static int start_idle(struct connection *connection);

/* The task of an idle timeout: runs in this thread, inside wait.  If the process was stopped for a while, the timeout is
 * due although the peer has sent something, so we look once more. */
static int timed_out(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    struct connection *connection = (struct connection *)argument;
    (void)seat;
    (void)firing;
    if (connection_echo(connection) > 0 && start_idle(connection) == TW_RUN_OK)
        return 0;
    connection->server->timed_out++;
    connection_close(connection);
    return 0;
}

static int start_idle(struct connection *connection)
{
    struct server *server = connection->server;
    struct tw_task task = {timed_out, connection, now_ns() + server->idle_ns, 0, TW_ONCE};
    return server->runner->start(server->seat, &task, &connection->idle);
}

/* The peer has sent something, or has hung up. */
static void connection_serve(struct connection *connection)
{
    struct server *server = connection->server;
    ssize_t size = connection_echo(connection);
    if (size == 0)
        return;
    server->runner->stop(server->seat, connection->idle);
    if (size > 0 && start_idle(connection) == TW_RUN_OK)
        return;
    server->hung_up++;
    connection_close(connection);
}

/* Takes all that wait.  The service has as many places as there may be connections: when it refuses a timer, it is one
 * connection too many. */
static void connections_accept(struct server *server)
{
    int fd;
    while ((fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct connection *connection = (struct connection *)calloc(1, sizeof *connection);
        if (!connection)
            fail("a connection");
        connection->server = server;
        connection->fd = fd;
        struct epoll_event event = {EPOLLIN | EPOLLRDHUP, {connection}};
        if (start_idle(connection) != TW_RUN_OK) {
            server->refused++;
            connection_close(connection);
        } else if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
            fail("epoll_ctl");
        } else {
            server->accepted++;
        }
    }
}

/* shut gives back the timer of a connection that is still open. */
static void given_back(void *ctx, tw_timer timer, void *argument)
{
    struct server *server = (struct server *)ctx;
    (void)timer;
    server->open++;
    connection_close((struct connection *)argument);
}

/* ---- The loop. -------------------------------------------------------------------------------- */

/* For how many milliseconds epoll_wait may sleep, rounded up, so that it never wakes for nothing. */
static int timeout_ms(struct server *server)
{
    uint64_t next = server->runner->next(server->seat), now = now_ns();
    if (next == TW_DUE_MAX)
        return -1;
    if (next <= now)
        return 0;
    uint64_t ms = (next - now + MS - 1) / MS;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

static void serve(struct server *server)
{
    struct epoll_event events[EVENTS];
    bool ends = false;
    while (!ends) {
        int count = epoll_wait(server->epoll, events, EVENTS, timeout_ms(server));
        server->wakeups++;
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == &server->signals)
                ends = true;
            else if (events[i].data.ptr == &server->listener)
                connections_accept(server);
            else
                connection_serve((struct connection *)events[i].data.ptr);
        }
        server->runner->wait(server->seat, 0);
    }
}

/* ---- Opening. --------------------------------------------------------------------------------- */

static void watch(struct server *server, int *fd)
{
    struct epoll_event event = {EPOLLIN, {fd}};
    if (*fd < 0 || epoll_ctl(server->epoll, EPOLL_CTL_ADD, *fd, &event) != 0)
        fail("epoll_ctl");
}

static void listener_open(struct server *server, unsigned port)
{
    int on = 1;
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)port);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->listener < 0 ||
        setsockopt(server->listener, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0 ||
        bind(server->listener, (struct sockaddr *)&address, size) != 0 ||
        listen(server->listener, SOMAXCONN) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &size) != 0)
        fail("the port");
    printf("port %u\n", ntohs(address.sin_port));
    fflush(stdout);
}

/* Before the runner starts a thread, which would else take the signal and die of it. */
static void signals_open(struct server *server)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    server->signals = signalfd(-1, &set, SFD_CLOEXEC);
}

/* As many places as the system lets us have connections. */
static void service_open(struct server *server, const char *design)
{
    struct rlimit files;
    struct tw_error error;
    struct tw_runner_config config;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        fail("getrlimit");
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    memset(&config, 0, sizeof config);
    config.design = twtimers_design(design);
    config.horizon_ns = server->idle_ns;
    config.tick_ns = MS;
    config.threads = 1;
    config.capacity = (files.rlim_cur < 1000000 ? (uint32_t)files.rlim_cur : 1000000) - OTHER_FILES;
    server->runner = twtimers_runner("per-thread");
    if (!config.design) {
        fprintf(stderr, "idle_server: no design '%s'\n", design);
        exit(2);
    }
    if (server->runner->open(&server->service, &config, &error) != TW_RUN_OK) {
        fprintf(stderr, "idle_server: %s\n", error.text);
        exit(1);
    }
    server->seat = server->runner->enter(server->service);
    if (!server->seat)
        fail("a seat");
}

/* A whole number within its limits, or the end with what is wrong with it. */
static long number_of(const char *name, const char *text, long least, long most)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && number >= least && number <= most)
        return number;
    fprintf(stderr, "idle_server: %s: '%s' given; expected %ld .. %ld\n", name, text, least, most);
    exit(2);
}

int main(int argc, char **argv)
{
    struct server server;
    memset(&server, 0, sizeof server);
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: idle_server PORT IDLE_MS [DESIGN]\n");
        return 2;
    }
    long port = number_of("PORT", argv[1], 0, 65535);
    long idle_ms = number_of("IDLE_MS", argv[2], 1, 86400000);
    server.idle_ns = (uint64_t)idle_ms * MS;
    signals_open(&server);
    service_open(&server, argc > 3 ? argv[3] : "hashed");
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    listener_open(&server, (unsigned)port);
    watch(&server, &server.listener);
    watch(&server, &server.signals);
    serve(&server);
    server.runner->shut(server.seat, given_back, &server);
    server.runner->leave(server.seat);
    server.runner->close(server.service);
    printf("accepted %lu = timed out %lu + hung up %lu + open %lu; refused %lu, wake-ups %lu\n",
           server.accepted, server.timed_out, server.hung_up, server.open, server.refused,
           server.wakeups);
    return server.accepted == server.timed_out + server.hung_up + server.open ? 0 : 1;
}
