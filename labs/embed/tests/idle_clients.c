/*
 * idle_clients.c - clients of labs/embed/examples/idle_server.c: most are silent, some speak; judges who is closed when.
 *
 *     idle_clients PORT SILENT SPEAKING IDLE_MS
 *
 * A silent one has to be closed, and not before it was idle for so long: counted from before its connect.  One that
 * speaks stays open.  0: all as it should be.  1: the server is wrong.  3: this process was held up for so long that it
 * cannot tell.  How late the server may be is not judged but for a minute.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS          UINT64_C(1000000)
#define PATIENCE_NS (60000 * MS)
#define PER_ADDRESS 20000u /* connections of one source address: there are more ports than that */

struct client {
    int fd;
    uint64_t since_ns; /* a moment before its connect, or before it last spoke */
};

struct clients {
    struct client *all; /* those that speak, then the silent ones */
    unsigned count, speaking, closed;
    uint64_t idle_ns, least_ns, most_ns;
    int epoll;
};

static void fail(const char *what)
{
    fprintf(stderr, "idle_clients: %s: %s\n", what, errno ? strerror(errno) : "wrong");
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

/* From an address of its own, by process and number, or the ports run out. */
static void client_connect(struct clients *clients, unsigned number, uint16_t port)
{
    int on = 1;
    struct client *client = &clients->all[number];
    struct sockaddr_in from = {.sin_family = AF_INET}, to = from;
    from.sin_addr.s_addr =
        htonl(INADDR_LOOPBACK + 256 * (1 + (unsigned)getpid() % 60000) + number / PER_ADDRESS);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    struct epoll_event event = {EPOLLIN | EPOLLRDHUP, {.u32 = number}};
    client->since_ns = now_ns();
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->fd < 0 ||
        setsockopt(client->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on) != 0 ||
        bind(client->fd, (struct sockaddr *)&from, sizeof from) != 0 ||
        connect(client->fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        epoll_ctl(clients->epoll, EPOLL_CTL_ADD, client->fd, &event) != 0)
        fail("a connection");
}

/* Held up between two of our own sends, so that the server is right to close. */
static void held_up(void)
{
    fprintf(stderr, "idle_clients: was held up for longer than the timeout\n");
    exit(3);
}

static void speak(struct clients *clients)
{
    for (unsigned i = 0; i < clients->speaking; i++) {
        uint64_t now = now_ns();
        if (now - clients->all[i].since_ns >= clients->idle_ns)
            held_up();
        clients->all[i].since_ns = now;
        if (send(clients->all[i].fd, "x", 1, MSG_NOSIGNAL) != 1)
            fail("a send");
    }
}

/* An echo, or the end. */
static void hear(struct clients *clients, unsigned number)
{
    char bytes[64];
    struct client *client = &clients->all[number];
    ssize_t size = recv(client->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    uint64_t idle_ns = now_ns() - client->since_ns;
    errno = 0;
    if (size > 0 && number < clients->speaking)
        return;
    if (size != 0)
        fail("a silent connection hears something, or one has failed");
    if (idle_ns < clients->idle_ns)
        fail(number < clients->speaking ? "one that speaks is closed" : "closed too early");
    if (number < clients->speaking)
        held_up();
    close(client->fd);
    clients->closed++;
    clients->least_ns = idle_ns < clients->least_ns ? idle_ns : clients->least_ns;
    clients->most_ns = idle_ns > clients->most_ns ? idle_ns : clients->most_ns;
}

/* Until all silent ones are closed, and for two timeouts at least, so that one that speaks would be closed too. */
static void play(struct clients *clients)
{
    struct epoll_event events[256];
    uint64_t begun = now_ns(), spoken = 0;
    while (clients->closed < clients->count - clients->speaking ||
           now_ns() < begun + 2 * clients->idle_ns) {
        if (now_ns() > begun + clients->idle_ns + PATIENCE_NS)
            fail("silent connections are not closed");
        if (now_ns() >= spoken + clients->idle_ns / 10) {
            spoken = now_ns();
            speak(clients);
        }
        int count = epoll_wait(clients->epoll, events, 256, 10);
        for (int i = 0; i < count; i++)
            hear(clients, events[i].data.u32);
    }
}

int main(int argc, char **argv)
{
    struct rlimit files;
    if (argc != 5)
        return 2;
    struct clients clients = {.speaking = (unsigned)atoi(argv[3]),
                              .idle_ns = (uint64_t)atoi(argv[4]) * MS,
                              .least_ns = UINT64_MAX};
    clients.count = (unsigned)atoi(argv[2]) + clients.speaking;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    clients.epoll = epoll_create1(EPOLL_CLOEXEC);
    clients.all = calloc(clients.count, sizeof *clients.all);
    if (clients.epoll < 0 || !clients.all)
        fail("opening");
    /* The silent ones first: those that speak may not wait for them. */
    for (unsigned i = clients.count; i-- > 0;)
        client_connect(&clients, i, (uint16_t)atoi(argv[1]));
    play(&clients);
    printf("%u closed, idle for %.1f .. %.1f ms; %u stayed\n", clients.closed,
           (double)clients.least_ns / 1e6, (double)clients.most_ns / 1e6, clients.speaking);
    return 0;
}
