/*
 * delay_queue.c - a queue of delayed messages behind a unix socket, which survives kill -9 and loss of power, over libtwlog.
 *
 *     cc -O2 delay_queue.c $(pkg-config --cflags --libs twlog) -o delay_queue
 *     ./delay_queue DIRECTORY SOCKET
 *
 *     a client says           the server answers
 *     PUT KEY DELAY_MS TEXT   OK KEY DUE HANDLE            it is on the disk now
 *     CANCEL KEY DUE HANDLE   CANCELLED KEY or LATE KEY
 *     TAKE                    DUE KEY DUE TEXT             for each message when it is due, a few ahead of DONE
 *     DONE                    GONE KEY                     the first that was given is handled and never comes again
 *
 * KEY is a number that no other message has; HANDLE is the log's.  What a worker was given and did not finish, the next
 * worker gets, and so it is after a crash.  One thread does it all: the puts of a turn of its loop share one sync.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <twlog.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS 64
#define LINE    4096
#define PUTS    256 /* that share a sync */
#define GIVEN   16  /* to a worker, and not done */

struct client {
    int fd; /* -1: none */
    size_t used;
    char in[2 * LINE];
};

struct queue {
    struct tw_store *store;
    struct tw_store_seat *seat;
    uint64_t now_ms; /* never goes back */
    struct client clients[CLIENTS], *worker, *from[PUTS];
    struct tw_message puts[PUTS];
    size_t put_count;
    struct tw_delivery given
        [GIVEN]; /* of the last poll: those before `done` are done, those before `told` were said */
    size_t given_count, told, done;
};

static volatile sig_atomic_t ends;

static void end(int number)
{
    (void)number;
    ends = 1;
}

/* After a failure nothing may be believed (twlog.h, FAILURE): the next start recovers. */
static void check(int answer, const char *what)
{
    if (answer >= TW_STORE_OK)
        return;
    fprintf(stderr, "delay_queue: %s: answer %d\n", what, answer);
    exit(1);
}

static void damaged(void *ctx, const char *file, uint64_t offset, const char *what, uint64_t lost)
{
    (void)ctx, (void)lost;
    fprintf(stderr, "delay_queue: damaged: %s at %" PRIu64 ": %s\n", file, offset, what);
}

static void hang_up(struct queue *queue, struct client *client)
{
    if (client == queue->worker) {
        queue->worker = NULL;
        queue->told = queue->done; /* the next one gets them */
    }
    close(client->fd);
    client->fd = -1;
}

/* A client that does not read what it asked for is left. */
__attribute__((format(printf, 3, 4))) static void say(struct queue *queue, struct client *client,
                                                      const char *format, ...)
{
    char line[LINE + 64];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (client->fd >= 0 &&
        send(client->fd, line, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) != length)
        hang_up(queue, client);
}

static void put_all(struct queue *queue)
{
    if (queue->put_count > 0)
        check(tw_wheel_log.put(queue->seat, queue->puts, queue->put_count), "put");
    for (size_t i = 0; i < queue->put_count; i++)
        say(queue, queue->from[i], "OK %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", queue->puts[i].key,
            queue->puts[i].due_ms, queue->puts[i].handle);
    queue->put_count = 0;
}

static void obey(struct queue *queue, struct client *client, const char *line)
{
    uint64_t key, number, handle;
    int text = 0;
    if (sscanf(line, "PUT %" SCNu64 " %" SCNu64 " %n", &key, &number, &text) == 2 && text > 0 &&
        number <= TW_DELAY_MAX_MS) {
        if (queue->put_count == PUTS)
            put_all(queue);
        queue->from[queue->put_count] = client;
        queue->puts[queue->put_count++] =
            (struct tw_message){.key = key,
                                .due_ms = queue->now_ms + number,
                                .payload = line + text,
                                .size = (uint32_t)strlen(line + text)};
    } else if (sscanf(line, "CANCEL %" SCNu64 " %" SCNu64 " %" SCNu64, &key, &number, &handle) ==
               3) {
        int answer = tw_wheel_log.cancel(queue->seat, key, number, handle);
        check(answer, "cancel");
        say(queue, client, "%s %" PRIu64 "\n", answer == TW_STORE_CANCELLED ? "CANCELLED" : "LATE",
            key);
    } else if (strcmp(line, "TAKE") == 0 && !queue->worker) {
        queue->worker = client;
    } else if (strcmp(line, "DONE") == 0 && client == queue->worker && queue->done < queue->told) {
        check(tw_wheel_log.done(queue->store, 1), "done");
        say(queue, client, "GONE %" PRIu64 "\n", queue->given[queue->done++].key);
    } else {
        say(queue, client, "WHAT %.60s\n", line);
    }
}

/* Whole lines of what came.  The puts are made before their texts move. */
static void hear(struct queue *queue, struct client *client)
{
    ssize_t got =
        recv(client->fd, client->in + client->used, sizeof client->in - client->used, MSG_DONTWAIT);
    char *line = client->in, *newline;
    if (got <= 0) {
        hang_up(queue, client);
        return;
    }
    client->used += (size_t)got;
    while (client->fd >= 0 &&
           (newline = (char *)memchr(line, '\n', client->used - (size_t)(line - client->in)))) {
        *newline = '\0';
        if (newline - line < LINE)
            obey(queue, client, line);
        line = newline + 1;
    }
}

/* What was obeyed goes; a line that does not end ends its client. */
static void forget(struct queue *queue, struct client *client)
{
    size_t whole = client->used;
    while (whole > 0 && client->in[whole - 1] != '\0')
        whole--;
    client->used -= whole;
    memmove(client->in, client->in + whole, client->used);
    if (client->used >= LINE)
        hang_up(queue, client);
}

/* What is due goes to the worker.  Answers how long nothing will be, in ms, as poll(2) takes it. */
static int give(struct queue *queue)
{
    int more = 0;
    if (queue->worker && queue->done == queue->given_count) {
        queue->told = queue->done = 0;
        check(tw_wheel_log.poll(queue->store, queue->now_ms, queue->given, GIVEN,
                                &queue->given_count),
              "poll");
    }
    while (queue->worker && queue->told < queue->given_count) {
        const struct tw_delivery *message = &queue->given[queue->told++];
        say(queue, queue->worker, "DUE %" PRIu64 " %" PRIu64 " %.*s\n", message->key,
            message->due_ms, (int)message->size, (const char *)message->payload);
    }
    check(tw_wheel_log.tend(queue->store, queue->now_ms, &more), "tend");
    uint64_t next = tw_wheel_log.next(queue->store);
    if (more)
        return 0;
    if (!queue->worker || queue->done < queue->given_count || next == TW_STORE_NEVER)
        return 1000; /* tend looks after the log meanwhile */
    return next <= queue->now_ms         ? 0
           : next - queue->now_ms < 1000 ? (int)(next - queue->now_ms)
                                         : 1000;
}

static void look_at_clock(struct queue *queue)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    queue->now_ms = now_ms > queue->now_ms ? now_ms : queue->now_ms;
}

static void turn(struct queue *queue, int listener)
{
    struct pollfd polled[CLIENTS + 1] = {{.fd = listener, .events = POLLIN}};
    for (size_t i = 0; i < CLIENTS; i++)
        polled[i + 1] = (struct pollfd){.fd = queue->clients[i].fd, .events = POLLIN};
    int ready = poll(polled, CLIENTS + 1, give(queue));
    look_at_clock(queue);
    for (size_t i = 0; ready > 0 && i < CLIENTS; i++)
        if (polled[i + 1].revents)
            hear(queue, &queue->clients[i]);
    put_all(queue);
    for (size_t i = 0; i < CLIENTS; i++)
        if (queue->clients[i].fd >= 0)
            forget(queue, &queue->clients[i]);
    if (ready > 0 && polled[0].revents) {
        int fd = accept(listener, NULL, NULL);
        size_t i = 0;
        while (i < CLIENTS && queue->clients[i].fd >= 0)
            i++;
        if (i < CLIENTS)
            queue->clients[i] = (struct client){.fd = fd};
        else
            close(fd);
    }
}

int main(int argc, char **argv)
{
    static struct queue queue;
    struct tw_error error;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (argc != 3 || strlen(argv[2]) >= sizeof address.sun_path) {
        fprintf(stderr, "usage: delay_queue DIRECTORY SOCKET (a directory's absolute path)\n");
        return 2;
    }
    look_at_clock(&queue);
    struct tw_store_config config = {.directory = argv[1],
                                     .sync = TW_SYNC_GROUP,
                                     .now_ms = queue.now_ms,
                                     .seats = 1,
                                     .damage = damaged};
    if (tw_wheel_log.open(&queue.store, &config, &error) != TW_STORE_OK) {
        fprintf(stderr, "delay_queue: %s: %s\n", argv[1], error.text);
        return 1;
    }
    queue.seat = tw_wheel_log.enter(queue.store);
    for (size_t i = 0; i < CLIENTS; i++)
        queue.clients[i].fd = -1;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strcpy(address.sun_path, argv[2]);
    unlink(argv[2]);
    if (!queue.seat || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 16) != 0) {
        fprintf(stderr, "delay_queue: %s: %s\n", argv[2], strerror(errno));
        return 1;
    }
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    while (!ends)
        turn(&queue, listener);
    tw_wheel_log.leave(queue.seat);
    check(tw_wheel_log.close(queue.store), "close");
    return 0;
}
