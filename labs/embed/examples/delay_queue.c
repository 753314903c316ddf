/*
 * delay_queue.c - a queue of delayed messages behind a unix socket, which survives kill -9 and loss of power, over libtwlog.
 *
 *     cc -O2 delay_queue.c $(pkg-config --cflags --libs twlog) -o delay_queue
 *     ./delay_queue DIRECTORY SOCKET
 *     socat - UNIX-CONNECT:SOCKET,type=5       a line is a packet (SOCK_SEQPACKET)
 *
 *     a client says           the server answers
 *     PUT KEY DELAY_MS TEXT   OK KEY DUE HANDLE            it is on the disk now
 *     CANCEL KEY DUE HANDLE   CANCELLED KEY or LATE KEY
 *     TAKE                    DUE KEY DUE TEXT             for each message when it is due, the next one after DONE
 *     DONE                    GONE KEY                     it is handled and never comes again
 *
 * KEY is a number that no other message has; HANDLE is the log's.  TAKE makes the client a worker, once the one before it has
 * hung up.  What a worker was given and did not finish, the next one gets, and so it is after a crash.  Each client has a
 * thread, and puts that come together share a sync.  Any signal may end it: the next start recovers.
 */
#define _GNU_SOURCE 1
#include <twlog.h>

#include <err.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define LINE 4096

static struct tw_store *store;
static int news; /* an eventfd: something was put */

/* The worker's, or main's for a moment while there is none.  It guards: */
static pthread_mutex_t dispatch = PTHREAD_MUTEX_INITIALIZER;
static uint64_t clock_ms;          /* never goes back */
static struct tw_delivery message; /* given to a worker, */
static size_t given;               /* and 1 until it is done */

/* After a failure nothing may be believed (twlog.h, FAILURE): the next start recovers. */
static void check(int answer, const char *what)
{
    if (answer < TW_STORE_OK)
        errx(1, "%s: answer %d", what, answer);
}

static void damaged(void *ctx, const char *file, uint64_t offset, const char *what, uint64_t lost)
{
    (void)ctx, (void)lost;
    warnx("damaged: %s at %" PRIu64 ": %s", file, offset, what);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* False: the client went away, or said too much. */
static bool hear(int client, char line[LINE])
{
    ssize_t got = recv(client, line, LINE, MSG_TRUNC);
    if (got <= 0 || got >= LINE)
        return false;
    line[line[got - 1] == '\n' ? got - 1 : got] = '\0';
    return true;
}

/* One that went away is found by hear. */
__attribute__((format(printf, 2, 3))) static void say(int client, const char *format, ...)
{
    char line[LINE + 64];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    (void)!send(client, line, (size_t)length, MSG_NOSIGNAL);
}

static void tell(int worker)
{
    say(worker, "DUE %" PRIu64 " %" PRIu64 " %.*s\n", message.key, message.due_ms,
        (int)message.size, (const char *)message.payload);
}

/* Looks after the log, and gives the worker what is due; -1: there is none.  Answers how long there is nothing to do, in ms. */
static int turn(int worker)
{
    int more = 0;
    uint64_t now = now_ms(), wait_ms = 1000;
    clock_ms = now > clock_ms ? now : clock_ms;
    check(tw_wheel_log.tend(store, clock_ms, &more), "tend");
    if (worker >= 0 && !given) {
        check(tw_wheel_log.poll(store, clock_ms, &message, 1, &given), "poll");
        uint64_t next = tw_wheel_log.next(store);
        if (given)
            tell(worker);
        else if (next < clock_ms + wait_ms)
            wait_ms = next > clock_ms ? next - clock_ms : 0;
    }
    return more ? 0 : (int)wait_ms;
}

/* Until it hangs up. */
static void work(int worker)
{
    struct pollfd polled[] = {{.fd = worker, .events = POLLIN}, {.fd = news, .events = POLLIN}};
    char line[LINE];
    eventfd_t puts;
    if (given)
        tell(worker);
    for (;;) {
        if (poll(polled, 2, turn(worker)) <= 0)
            continue;
        if (polled[1].revents)
            eventfd_read(news, &puts);
        if (polled[0].revents && !hear(worker, line))
            return;
        if (polled[0].revents && given && strcmp(line, "DONE") == 0) {
            check(tw_wheel_log.done(store, 1), "done");
            given = 0;
            say(worker, "GONE %" PRIu64 "\n", message.key);
        }
    }
}

static void obey(struct tw_store_seat *seat, int client, const char *line)
{
    uint64_t key, due, handle;
    int text = 0;
    if (sscanf(line, "PUT %" SCNu64 " %" SCNu64 " %n", &key, &due, &text) == 2 && text > 0 &&
        due <= TW_DELAY_MAX_MS) {
        uint32_t size = (uint32_t)strlen(line + text);
        struct tw_message put = {key, now_ms() + due, line + text, size, 0};
        check(tw_wheel_log.put(seat, &put, 1), "put");
        eventfd_write(news, 1);
        say(client, "OK %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", key, put.due_ms, put.handle);
    } else if (sscanf(line, "CANCEL %" SCNu64 " %" SCNu64 " %" SCNu64, &key, &due, &handle) == 3) {
        int answer = tw_wheel_log.cancel(seat, key, due, handle);
        check(answer, "cancel");
        say(client, "%s %" PRIu64 "\n", answer == TW_STORE_CANCELLED ? "CANCELLED" : "LATE", key);
    } else if (strcmp(line, "TAKE") == 0) {
        pthread_mutex_lock(&dispatch);
        work(client);
        pthread_mutex_unlock(&dispatch);
    } else {
        say(client, "WHAT %.60s\n", line);
    }
}

static void *serve(void *argument)
{
    int client = (int)(intptr_t)argument;
    char line[LINE];
    struct tw_store_seat *seat = tw_wheel_log.enter(store);
    pthread_detach(pthread_self());
    check(seat ? TW_STORE_OK : TW_STORE_MEMORY, "enter");
    while (hear(client, line))
        obey(seat, client, line);
    tw_wheel_log.leave(seat);
    close(client);
    return NULL;
}

int main(int argc, char **argv)
{
    struct tw_error error;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (argc != 3 || strlen(argv[2]) >= sizeof address.sun_path)
        errx(2, "usage: delay_queue DIRECTORY SOCKET (a directory's absolute path)");
    struct tw_store_config config = {.sync = TW_SYNC_GROUP, .seats = 64, .damage = damaged};
    config.directory = argv[1];
    config.now_ms = clock_ms = now_ms();
    if (tw_wheel_log.open(&store, &config, &error) != TW_STORE_OK)
        errx(1, "%s: %s", argv[1], error.text);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    strcpy(address.sun_path, argv[2]);
    unlink(argv[2]);
    news = eventfd(0, EFD_CLOEXEC);
    if (news < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 16) != 0)
        err(1, "%s", argv[2]);
    for (;;) {
        struct pollfd polled = {.fd = listener, .events = POLLIN};
        pthread_t thread;
        int client = poll(&polled, 1, 1000) > 0 ? accept(listener, NULL, NULL) : -1;
        if (client >= 0 && pthread_create(&thread, NULL, serve, (void *)(intptr_t)client) != 0)
            close(client);
        if (pthread_mutex_trylock(&dispatch) == 0) {
            turn(-1);
            pthread_mutex_unlock(&dispatch);
        }
    }
}
