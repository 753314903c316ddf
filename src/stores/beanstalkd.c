/*
 * beanstalkd.c - beanstalkd, a work queue that people use: delayed jobs, with its log (binlog) in the directory.
 *
 *     put     put <second of due> <delay> ..., many sent before the first answer is read; handle = the job's id
 *     poll    reserve-with-timeout 0, many at once; what comes before its due is held here, in a heap
 *     done    delete
 *     cancel  peek, delete; a job that is held is deleted by the connection that reserved it
 *
 * The server's delays are whole seconds of its own clock (TW_STORE_REAL_CLOCK), from when it reads the put.  A job is
 * asked for so that it is ready some ten seconds before its due, reserved, and handed out to the millisecond from the heap.  The
 * server gives ready jobs by priority, which is the second of the due: a burst is taken second by second.
 * A reservation ends with the connection, so a process that dies gives back what it held.
 *
 * Acknowledged rests on
 *   always, group   -f 0: the server writes each command into its log and calls fsync before it answers
 *   none            -F: it never calls fsync
 *   interval        refused: -f <ms> syncs only while commands come, and never a file that was full meanwhile.  What was
 *                   written last would wait for the next command, not for the interval
 *   The server goes on after a failed write or fsync: it switches its log off, or ignores it, says so on its standard
 *   error and answers as before.  So nothing is acknowledged here after the server has printed anything.
 *
 * What it costs
 *   put    an fsync for each message, whatever the batch: the server knows no group.  A record of 100 bytes besides the payload,
 *          in four writes
 *   disk   files of FILE_BYTES, filled with zeros when they are begun; records are compacted by copying jobs that live on
 *   memory all payloads in the server, some 400 bytes a job besides; here what is due within eleven seconds
 *   open   the server reads the whole log
 *
 * When it loses
 *   Wherever messages are put in batches or by many threads: put and delete are each an fsync of their own.
 *
 * What the server does wrong (1.12)
 *   TW_STORE_KILL_LOSES: a compaction takes the last job out of the oldest file, which unlinks that file, and writes the job's
 *   copy only then (walg.c, moveone).  A kill in between loses the job: some 25 of 1000 kills did, on ext4.  Small files
 *   (FILE_BYTES) make the unlink short; nothing from outside closes the gap.
 *   A file that a kill cut off while it was filled with zeros never leaves the head of the list, and each compaction
 *   complains of it ("head holds no jlist").  open deletes such files, which hold no job, and the complaint is no error.
 *   A number may be given to another job after a restart, if all files that knew it are gone.  So cancel looks at the job's key
 *   before it deletes.
 *   A job that was cut off by a kill may come back with zeros for its payload: the log has no checksums.  Its seal shows it,
 *   and it is deleted; it was never acknowledged.
 */
#include "store_opening.h"
#include "store_payloads.h"
#include "store_server.h"
#include "store_set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern const struct tw_store_backend tw_store_beanstalkd;

#define SOCKET_NAME  "beanstalkd.sock"
#define LISTEN       "unix:" SOCKET_NAME
#define HEAD_BYTES   28u    /* of a job: key, due, when it is ready at the earliest, seal */
#define MARGIN_MS    10000u /* a window of puts may be so long under way, with a sync for each */
#define WINDOW       64u    /* commands sent before an answer is read */
#define WINDOW_BYTES ((size_t)64 << 10) /* or so many bytes */
#define UNDER_WAY_MS 1000u              /* a window that took longer makes the next ones shorter */
#define FILE_BYTES   "1048576" /* of the log; 10 MiB by default, written anew at each start */
#define DUE_MAX      (UINT64_C(4294967295) * 1000)

/* A connection: what is to be sent, and what came and is not read. */
struct line {
    int fd;
    char *out, *in;
    size_t out_size, out_room, in_first, in_size, in_room;
    size_t window; /* puts sent before an answer is read: WINDOW, fewer where the server is slow */
};

/* A job that was reserved and is not handed out. */
struct held {
    uint64_t due, id, key;
    unsigned char *payload;
    uint32_t size;
};

struct tw_store {
    struct store_directory directory;
    struct store_server server;
    struct line line; /* the dispatcher's; under the lock */
    pthread_mutex_t lock;
    struct held *heap; /* least due first; under the lock */
    size_t heap_count, heap_room;
    struct store_set is_held; /* ids in the heap that nobody cancelled; under the lock */
    unsigned char **spent;    /* payloads of the last poll */
    size_t spent_count, spent_room;
    uint64_t *handed; /* ids, in order of delivery: a queue from first */
    size_t handed_first, handed_count, handed_room;
    atomic_uint_least64_t ready; /* no job that the server holds is ready or due before it */
    atomic_uint_least64_t pending, damaged;
    atomic_bool broken;
    bool syncs;
    atomic_int_least64_t log_size; /* of what the server had printed when it was ready */
    uint64_t recovered;
    char version[32];
};

struct tw_store_seat {
    struct tw_store *store;
    struct line line;
};

static const struct tw_param beanstalkd_params[] = {{NULL, NULL, 0, 0, 0}};

static uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- A connection. ---------------------------------------------------------------------------- */

static bool room_for(char **bytes, size_t *room, size_t size)
{
    if (size <= *room)
        return true;
    size_t wider = *room ? *room : 4096;
    while (wider < size)
        wider *= 2;
    char *moved = realloc(*bytes, wider);
    if (!moved)
        return false;
    *bytes = moved;
    *room = wider;
    return true;
}

static void line_close(struct line *line)
{
    if (line->fd >= 0)
        close(line->fd);
    free(line->out);
    free(line->in);
    *line = (struct line){.fd = -1};
}

static bool line_open(struct tw_store *store, struct line *line)
{
    *line =
        (struct line){.fd = store_server_connect(&store->server, SOCKET_NAME), .window = WINDOW};
    return line->fd >= 0 && room_for(&line->in, &line->in_room, 4096) &&
           room_for(&line->out, &line->out_room, 4096);
}

static int lost(struct tw_store *store)
{
    atomic_store(&store->broken, true);
    return TW_STORE_LOST;
}

static int line_send(struct tw_store *store, struct line *line)
{
    size_t size = line->out_size;
    line->out_size = 0;
    return store_server_send(line->fd, line->out, size) ? TW_STORE_OK : lost(store);
}

/* At least one byte more. */
static int line_receive(struct tw_store *store, struct line *line)
{
    if (line->in_first > 0 && line->in_first == line->in_size)
        line->in_first = line->in_size = 0;
    if (!room_for(&line->in, &line->in_room, line->in_size + 4096)) {
        atomic_store(&store->broken, true);
        return TW_STORE_MEMORY;
    }
    ssize_t size;
    do
        size = recv(line->fd, line->in + line->in_size, line->in_room - line->in_size, 0);
    while (size < 0 && errno == EINTR);
    if (size <= 0)
        return lost(store);
    line->in_size += (size_t)size;
    atomic_fetch_add_explicit(&store->server.received, (uint64_t)size, memory_order_relaxed);
    return TW_STORE_OK;
}

/* The next line, without its end; valid until the next call. */
static int line_read(struct tw_store *store, struct line *line, char **text)
{
    for (;;) {
        char *begin = line->in + line->in_first;
        char *end = memchr(begin, '\n', line->in_size - line->in_first);
        if (end) {
            *end = '\0';
            if (end > begin && end[-1] == '\r')
                end[-1] = '\0';
            line->in_first = (size_t)(end + 1 - line->in);
            *text = begin;
            return TW_STORE_OK;
        }
        int answer = line_receive(store, line);
        if (answer != TW_STORE_OK)
            return answer;
    }
}

/* A body of so many bytes and its end; valid until the next call. */
static int body_read(struct tw_store *store, struct line *line, size_t size, unsigned char **body)
{
    while (line->in_size - line->in_first < size + 2) {
        int answer = line_receive(store, line);
        if (answer != TW_STORE_OK)
            return answer;
    }
    *body = (unsigned char *)line->in + line->in_first;
    line->in_first += size + 2;
    return TW_STORE_OK;
}

static bool command_add(struct line *line, const char *words, uint64_t id)
{
    if (!room_for(&line->out, &line->out_room, line->out_size + 64))
        return false;
    int size = snprintf(line->out + line->out_size, 64, words, (unsigned long long)id);
    line->out_size += (size_t)size;
    return true;
}

/* Are all lines that it printed from there on the one that does no harm?  *end: behind the last whole one. */
static bool is_harmless(const struct tw_store *store, off_t from, off_t *end)
{
    char text[4096];
    int log = openat(store->directory.fd, store->server.log, O_RDONLY | O_CLOEXEC);
    ssize_t size = log >= 0 ? pread(log, text, sizeof text - 1, from) : -1;
    if (log >= 0)
        close(log);
    text[size > 0 ? size : 0] = '\0';
    *end = from;
    for (char *line = text, *next; (next = strchr(line, '\n')); line = next + 1) {
        *next = '\0';
        if (!strstr(line, "head holds no jlist"))
            return false;
        *end += next + 1 - line;
    }
    return *end > from;
}

/* Whether the server has printed an error since it was ready: then it no longer keeps what it says. */
static int store_health(struct tw_store *store)
{
    struct stat stat;
    off_t seen = (off_t)atomic_load(&store->log_size);
    bool broken = fstat(store->server.log_file, &stat) != 0;
    while (!broken && stat.st_size > seen)
        broken = !is_harmless(store, seen, &seen);
    if (broken)
        atomic_store(&store->broken, true);
    else
        atomic_store(&store->log_size, (int_least64_t)seen);
    return atomic_load(&store->broken) ? TW_STORE_BROKEN : TW_STORE_OK;
}

/* What a refused put means. */
static int refusal(struct tw_store *store, const char *text)
{
    if (strncmp(text, "OUT_OF_MEMORY", 13) == 0)
        return TW_STORE_FULL;
    atomic_store(&store->broken, true);
    return TW_STORE_IO;
}

/* ---- Puts. ------------------------------------------------------------------------------------ */

static void ready_lower(struct tw_store *store, uint64_t ready)
{
    uint64_t known = atomic_load(&store->ready);
    while (ready < known && !atomic_compare_exchange_weak(&store->ready, &known, ready)) {
    }
}

static bool put_add(struct line *line, const struct tw_message *message, uint64_t now,
                    uint64_t *ready)
{
    uint64_t due = message->due_ms,
             delay = due > now + MARGIN_MS ? (due - now - MARGIN_MS) / 1000 : 0;
    uint32_t seal = store_seal(message->key, due, message->payload, message->size);
    size_t size = HEAD_BYTES + message->size;
    if (!room_for(&line->out, &line->out_room, line->out_size + size + 80))
        return false;
    char *out = line->out + line->out_size;
    out += snprintf(out, 78, "put %llu %llu 4294967295 %zu\r\n", (unsigned long long)(due / 1000),
                    (unsigned long long)delay, size);
    *ready = now + delay * 1000;
    store_put64((unsigned char *)out, message->key);
    store_put64((unsigned char *)out + 8, due);
    store_put64((unsigned char *)out + 16, *ready);
    memcpy(out + 24, &seal, sizeof seal);
    if (message->size > 0)
        memcpy(out + HEAD_BYTES, message->payload, message->size);
    out[size] = '\r';
    out[size + 1] = '\n';
    line->out_size = (size_t)(out + size + 2 - line->out);
    if (due < *ready)
        *ready = due;
    return true;
}

/* The server counts a delay from when it reads the put.  A put that is under way for longer than MARGIN_MS would be
 * ready after its due, so windows are kept far below that, also when others wait for the same disk. */
static void window_adapt(struct line *line, size_t sent, uint64_t took_ms)
{
    if (took_ms > UNDER_WAY_MS)
        line->window = sent > 1 ? sent / 2 : 1;
    else if (took_ms < UNDER_WAY_MS / 4 && line->window < WINDOW)
        line->window *= 2;
}

/* Sends some of the messages and reads their ids; *sent says how many. */
static int window_put(struct tw_store *store, struct line *line, struct tw_message *messages,
                      size_t count, size_t *sent)
{
    uint64_t now = clock_ms(), first = TW_STORE_NEVER, ready;
    int answer = TW_STORE_OK;
    *sent = 0;
    while (*sent < count && *sent < line->window && (*sent == 0 || line->out_size < WINDOW_BYTES)) {
        if (!put_add(line, &messages[*sent], now, &ready)) {
            line->out_size = 0;
            return TW_STORE_MEMORY;
        }
        first = ready < first ? ready : first;
        ++*sent;
    }
    int verdict = line_send(store, line);
    for (size_t i = 0; verdict != TW_STORE_LOST && i < *sent; i++) {
        char *text;
        unsigned long long id;
        answer = line_read(store, line, &text);
        if (answer == TW_STORE_OK && sscanf(text, "INSERTED %llu", &id) == 1)
            messages[i].handle = id;
        else if (answer == TW_STORE_OK)
            answer = refusal(store, text);
        if (verdict == TW_STORE_OK)
            verdict = answer;
        if (answer == TW_STORE_LOST)
            verdict = answer;
    }
    ready_lower(store, first);
    window_adapt(line, *sent, clock_ms() - now);
    return verdict;
}

static int beanstalkd_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    struct tw_store *store = seat->store;
    if (atomic_load(&store->broken))
        return TW_STORE_BROKEN;
    for (size_t i = 0; i < count; i++)
        if (messages[i].size > TW_PAYLOAD_MAX || messages[i].due_ms > DUE_MAX)
            return TW_STORE_RANGE;
    int answer = TW_STORE_OK;
    for (size_t put = 0, sent; answer == TW_STORE_OK && put < count; put += sent)
        answer = window_put(store, &seat->line, messages + put, count - put, &sent);
    if (answer == TW_STORE_OK)
        answer = store_health(store) == TW_STORE_OK ? TW_STORE_OK : TW_STORE_IO;
    if (answer == TW_STORE_OK)
        atomic_fetch_add(&store->pending, count);
    return answer;
}

/* ---- Deleting. -------------------------------------------------------------------------------- */

/* *found: the job was there, and not another connection's. */
static int job_delete(struct tw_store *store, struct line *line, uint64_t id, bool *found)
{
    char *text;
    if (!command_add(line, "delete %llu\r\n", id))
        return TW_STORE_MEMORY;
    int answer = line_send(store, line);
    if (answer == TW_STORE_OK)
        answer = line_read(store, line, &text);
    if (answer != TW_STORE_OK)
        return answer;
    *found = strcmp(text, "DELETED") == 0;
    if (!*found && strcmp(text, "NOT_FOUND") != 0)
        return refusal(store, text);
    return store_health(store) == TW_STORE_OK ? TW_STORE_OK : TW_STORE_IO;
}

/* *mine: the job of that number is the message with that key. */
static int job_check(struct tw_store *store, struct line *line, uint64_t id, uint64_t key,
                     bool *mine)
{
    char *text;
    unsigned char *body;
    unsigned long long found;
    size_t size;
    *mine = false;
    if (!command_add(line, "peek %llu\r\n", id))
        return TW_STORE_MEMORY;
    int answer = line_send(store, line);
    if (answer == TW_STORE_OK)
        answer = line_read(store, line, &text);
    if (answer != TW_STORE_OK || sscanf(text, "FOUND %llu %zu", &found, &size) != 2)
        return answer;
    answer = body_read(store, line, size, &body);
    *mine = answer == TW_STORE_OK && size >= HEAD_BYTES && store_get64(body) == key;
    return answer;
}

static int beanstalkd_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms,
                             uint64_t handle)
{
    struct tw_store *store = seat->store;
    bool found = false, mine;
    (void)due_ms;
    if (atomic_load(&store->broken))
        return TW_STORE_BROKEN;
    int answer = job_check(store, &seat->line, handle, key, &mine);
    if (answer == TW_STORE_OK && !mine)
        return TW_STORE_TOO_LATE;
    if (answer == TW_STORE_OK)
        answer = job_delete(store, &seat->line, handle, &found);
    if (answer == TW_STORE_OK && !found) {
        /* Reserved by the dispatcher, or done. */
        pthread_mutex_lock(&store->lock);
        if (store_set_find(&store->is_held, handle))
            answer = job_delete(store, &store->line, handle, &found);
        if (found)
            store_set_remove(&store->is_held, handle);
        pthread_mutex_unlock(&store->lock);
    }
    if (answer != TW_STORE_OK)
        return answer;
    if (found)
        atomic_fetch_sub(&store->pending, 1);
    return found ? TW_STORE_CANCELLED : TW_STORE_TOO_LATE;
}

static int beanstalkd_done(struct tw_store *store, size_t count)
{
    if (count > store->handed_count)
        count = store->handed_count;
    int answer = atomic_load(&store->broken) ? TW_STORE_BROKEN : TW_STORE_OK;
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; answer == TW_STORE_OK && i < count; i += WINDOW) {
        size_t end = i + WINDOW < count ? i + WINDOW : count;
        char *text;
        for (size_t d = i; answer == TW_STORE_OK && d < end; d++)
            if (!command_add(&store->line, "delete %llu\r\n",
                             store->handed[store->handed_first + d]))
                answer = TW_STORE_MEMORY;
        if (answer == TW_STORE_OK)
            answer = line_send(store, &store->line);
        for (size_t d = i; answer == TW_STORE_OK && d < end; d++) {
            answer = line_read(store, &store->line, &text);
            if (answer == TW_STORE_OK && strcmp(text, "DELETED") != 0)
                answer = refusal(store, text);
        }
    }
    pthread_mutex_unlock(&store->lock);
    if (answer == TW_STORE_OK && store_health(store) != TW_STORE_OK)
        answer = TW_STORE_IO;
    if (answer != TW_STORE_OK) {
        atomic_store(&store->broken, true);
        return answer;
    }
    store->handed_first += count;
    store->handed_count -= count;
    atomic_fetch_sub(&store->pending, count);
    return TW_STORE_OK;
}

/* ---- The heap of what is held. ---------------------------------------------------------------- */

static bool is_before(const struct held *left, const struct held *right)
{
    return left->due != right->due ? left->due < right->due : left->id < right->id;
}

static bool held_add(struct tw_store *store, struct held held)
{
    if (store->heap_count == store->heap_room) {
        size_t room = store->heap_room ? store->heap_room * 2 : 64;
        struct held *heap = realloc(store->heap, room * sizeof *heap);
        if (!heap)
            return false;
        store->heap = heap;
        store->heap_room = room;
    }
    if (!store_set_reserve(&store->is_held, 1))
        return false;
    store_set_add(&store->is_held, held.id, 0);
    size_t at = store->heap_count++;
    for (; at > 0 && is_before(&held, &store->heap[(at - 1) / 2]); at = (at - 1) / 2)
        store->heap[at] = store->heap[(at - 1) / 2];
    store->heap[at] = held;
    return true;
}

static struct held held_pop(struct tw_store *store)
{
    struct held *heap = store->heap, first = heap[0], last = heap[--store->heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < store->heap_count; at = child) {
        if (child + 1 < store->heap_count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

/* The earliest that nobody cancelled, or NULL. */
static const struct held *held_first(struct tw_store *store)
{
    while (store->heap_count > 0) {
        if (store_set_find(&store->is_held, store->heap[0].id))
            return &store->heap[0];
        struct held cancelled = held_pop(store);
        /* What is popped has left the heap.  NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        free(cancelled.payload);
    }
    return NULL;
}

/* ---- Polling. --------------------------------------------------------------------------------- */

/* A job that was reserved.  *is_whole: its seal fits, and it is held from here on. */
static int job_take(struct tw_store *store, uint64_t id, size_t size, uint64_t *second,
                    bool *is_whole)
{
    unsigned char *body;
    uint32_t seal;
    *is_whole = false;
    int answer = body_read(store, &store->line, size, &body);
    if (answer != TW_STORE_OK || size < HEAD_BYTES)
        return answer;
    struct held held = {store_get64(body + 8), id, store_get64(body), NULL,
                        (uint32_t)(size - HEAD_BYTES)};
    memcpy(&seal, body + 24, sizeof seal);
    if (seal != store_seal(held.key, held.due, body + HEAD_BYTES, held.size))
        return TW_STORE_OK;
    *is_whole = true;
    *second = held.due / 1000;
    held.payload = malloc(held.size + 1u);
    if (held.payload)
        memcpy(held.payload, body + HEAD_BYTES, held.size);
    if (held.payload && held_add(store, held))
        return TW_STORE_OK;
    /* Reserved and not held: only another open gives it back. */
    free(held.payload);
    atomic_store(&store->broken, true);
    return TW_STORE_MEMORY;
}

/* What the server has of the jobs that are ready. */
struct reserved {
    size_t taken;
    uint64_t second; /* of the due of the last that was taken: all others are due in it or later */
    bool drained;    /* no more were ready */
    uint64_t torn[WINDOW]; /* ids of those that their seals do not fit */
    size_t torn_count;
};

static int answers_read(struct tw_store *store, size_t count, struct reserved *reserved)
{
    for (size_t i = 0; i < count; i++) {
        char *text;
        unsigned long long id;
        size_t size;
        bool is_whole = true;
        int answer = line_read(store, &store->line, &text);
        if (answer == TW_STORE_OK && sscanf(text, "RESERVED %llu %zu", &id, &size) == 2) {
            reserved->taken++;
            answer = job_take(store, id, size, &reserved->second, &is_whole);
            if (!is_whole && answer == TW_STORE_OK)
                reserved->torn[reserved->torn_count++] = id;
        } else if (answer == TW_STORE_OK && strcmp(text, "TIMED_OUT") == 0)
            reserved->drained = true;
        else if (answer == TW_STORE_OK)
            answer = refusal(store, text);
        if (answer != TW_STORE_OK)
            return answer;
    }
    return TW_STORE_OK;
}

/* Reserves some jobs that are ready.  Those that a kill cut off, or that are damaged, are deleted. */
static int jobs_reserve(struct tw_store *store, size_t count, struct reserved *reserved)
{
    for (size_t i = 0; i < count; i++)
        if (!command_add(&store->line, "reserve-with-timeout 0\r\n", 0))
            return TW_STORE_MEMORY;
    reserved->torn_count = 0;
    int answer = line_send(store, &store->line);
    if (answer == TW_STORE_OK)
        answer = answers_read(store, count, reserved);
    for (size_t i = 0; answer == TW_STORE_OK && i < reserved->torn_count; i++) {
        bool found;
        answer = job_delete(store, &store->line, reserved->torn[i], &found);
        atomic_fetch_add(&store->damaged, 1);
        atomic_fetch_sub(&store->pending, 1);
    }
    return answer;
}

/* When the next job will be ready, at the earliest, as the job itself says. */
static int delayed_peek(struct tw_store *store, uint64_t *ready)
{
    char *text;
    unsigned char *body;
    unsigned long long id;
    size_t size;
    *ready = TW_STORE_NEVER;
    if (!command_add(&store->line, "peek-delayed\r\n", 0))
        return TW_STORE_MEMORY;
    int answer = line_send(store, &store->line);
    if (answer == TW_STORE_OK)
        answer = line_read(store, &store->line, &text);
    if (answer != TW_STORE_OK || sscanf(text, "FOUND %llu %zu", &id, &size) != 2)
        return answer;
    answer = body_read(store, &store->line, size, &body);
    if (answer == TW_STORE_OK)
        *ready = size >= HEAD_BYTES ? store_get64(body + 16) : 0;
    return answer;
}

/* The first that is held is due in an earlier second than all that the server still has ready. */
static bool is_ahead(struct tw_store *store, const struct reserved *reserved)
{
    const struct held *first = held_first(store);
    return first && first->due / 1000 < reserved->second;
}

/* Reserves what is ready, at least twice what is asked for and to the end of the first second that is held. */
static int ready_take(struct tw_store *store, uint64_t now_ms, size_t max,
                      struct reserved *reserved)
{
    uint64_t ready = 0;
    *reserved = (struct reserved){.drained = now_ms < atomic_load(&store->ready)};
    if (reserved->drained)
        return TW_STORE_OK;
    /* A put that comes from here on lowers it again.  The next job is looked at first: what becomes ready while the
     * others are taken is no earlier than it. */
    atomic_store(&store->ready, TW_STORE_NEVER);
    int answer = delayed_peek(store, &ready);
    for (size_t window = 1; answer == TW_STORE_OK && !reserved->drained &&
                            (reserved->taken < 2 * max || !is_ahead(store, reserved));
         window = WINDOW)
        answer = jobs_reserve(store, window, reserved);
    ready_lower(store, answer == TW_STORE_OK && reserved->drained ? ready : 0);
    return answer;
}

static bool handing_reserve(struct tw_store *store, size_t max)
{
    if (store->spent_room < max) {
        unsigned char **spent = realloc(store->spent, max * sizeof *spent);
        if (!spent)
            return false;
        store->spent = spent;
        store->spent_room = max;
    }
    if (store->handed_first > store->handed_count) {
        memmove(store->handed, store->handed + store->handed_first,
                store->handed_count * sizeof *store->handed);
        store->handed_first = 0;
    }
    size_t needed = store->handed_first + store->handed_count + max;
    if (needed > store->handed_room) {
        uint64_t *handed = realloc(store->handed, 2 * needed * sizeof *handed);
        if (!handed)
            return false;
        store->handed = handed;
        store->handed_room = 2 * needed;
    }
    return true;
}

static void hand_out(struct tw_store *store, struct tw_delivery *out)
{
    struct held held = held_pop(store);
    store_set_remove(&store->is_held, held.id);
    store->spent[store->spent_count++] = held.payload;
    store->handed[store->handed_first + store->handed_count++] = held.id;
    *out = (struct tw_delivery){held.key, held.due, held.payload, held.size};
}

static void spent_free(struct tw_store *store)
{
    while (store->spent_count > 0)
        free(store->spent[--store->spent_count]);
}

static int beanstalkd_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out,
                           size_t max, size_t *count)
{
    struct reserved reserved;
    size_t bytes = 0;
    *count = 0;
    spent_free(store);
    if (atomic_load(&store->broken))
        return TW_STORE_BROKEN;
    if (!handing_reserve(store, max))
        return TW_STORE_MEMORY;
    pthread_mutex_lock(&store->lock);
    int answer = ready_take(store, now_ms, max, &reserved);
    while (answer == TW_STORE_OK && *count < max && bytes < STORE_RUN_BYTES) {
        const struct held *first = held_first(store);
        if (!first || first->due > now_ms || !(reserved.drained || is_ahead(store, &reserved)))
            break;
        bytes += first->size;
        hand_out(store, &out[(*count)++]);
    }
    pthread_mutex_unlock(&store->lock);
    return answer;
}

static uint64_t beanstalkd_next(struct tw_store *store)
{
    uint64_t ready = atomic_load(&store->ready);
    pthread_mutex_lock(&store->lock);
    const struct held *first = held_first(store);
    uint64_t next = first && first->due < ready ? first->due : ready;
    pthread_mutex_unlock(&store->lock);
    return next;
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

/* One number of the server's "stats". */
static uint64_t stat_of(const char *stats, const char *name)
{
    const char *found = strstr(stats, name);
    return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

static int messages_count(struct tw_store *store)
{
    char *text;
    unsigned char *body;
    size_t size;
    if (!command_add(&store->line, "stats\r\n", 0))
        return TW_STORE_MEMORY;
    int answer = line_send(store, &store->line);
    if (answer == TW_STORE_OK)
        answer = line_read(store, &store->line, &text);
    if (answer == TW_STORE_OK && sscanf(text, "OK %zu", &size) != 1)
        answer = refusal(store, text);
    if (answer == TW_STORE_OK)
        answer = body_read(store, &store->line, size, &body);
    if (answer != TW_STORE_OK)
        return answer;
    body[size] = '\0';
    const char *stats = (const char *)body;
    store->recovered = stat_of(stats, "\ncurrent-jobs-ready: ") +
                       stat_of(stats, "\ncurrent-jobs-delayed: ") +
                       stat_of(stats, "\ncurrent-jobs-buried: ");
    const char *version = strstr(stats, "\nversion: ");
    if (!version || sscanf(version, "\nversion: \"%31[^\"\n]", store->version) != 1)
        store->version[0] = '\0';
    atomic_store(&store->pending, store->recovered);
    return TW_STORE_OK;
}

/* Deletes files of the log that a kill cut off before their header was written. */
static void log_clear(const struct tw_store *store)
{
    int log = openat(store->directory.fd, "binlog", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = log >= 0 ? fdopendir(log) : NULL;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        int32_t version = 0;
        int file = strncmp(entry->d_name, "binlog.", 7) == 0
                       ? openat(log, entry->d_name, O_RDONLY | O_CLOEXEC)
                       : -1;
        if (file < 0)
            continue;
        ssize_t size = pread(file, &version, sizeof version, 0);
        close(file);
        if (size >= 0 && (size < (ssize_t)sizeof version || version == 0))
            unlinkat(log, entry->d_name, 0);
    }
    if (list)
        closedir(list);
    else if (log >= 0)
        close(log);
}

static int beanstalkd_start(struct tw_store *store, enum tw_sync_policy sync,
                            struct tw_error *error)
{
    static const char address[] = LISTEN;
    static const char *const common[] = {
        "beanstalkd", "-l", address, "-b", "binlog", "-z", "65600", "-s", FILE_BYTES,
    };
    struct stat stat;
    int answer = store_directory_lock_server(&store->directory, error);
    if (answer != TW_STORE_OK)
        return answer;
    size_t count = sizeof common / sizeof common[0];
    memcpy(store->server.arguments, common, sizeof common);
    store->server.arguments[count] = sync == TW_SYNC_NONE ? "-F" : "-f0";
    store->server.directory = &store->directory;
    store->server.log = "beanstalkd.log";
    unlinkat(store->directory.fd, SOCKET_NAME, 0);
    if (mkdirat(store->directory.fd, "binlog", 0755) != 0 && errno != EEXIST) {
        snprintf(error->text, sizeof error->text, "binlog: %s", strerror(errno));
        return TW_STORE_IO;
    }
    log_clear(store);
    answer = store_server_start(&store->server, "beanstalkd", error);
    if (answer != TW_STORE_OK)
        return answer;
    answer = line_open(store, &store->line) ? messages_count(store) : TW_STORE_LOST;
    if (answer == TW_STORE_OK && fstat(store->server.log_file, &stat) == 0)
        atomic_store(&store->log_size, stat.st_size);
    if (answer != TW_STORE_OK) {
        char words[160];
        store_server_last_words(&store->server, words, sizeof words);
        snprintf(error->text, sizeof error->text, "beanstalkd ended: %s", words);
        answer = TW_STORE_IO;
    }
    return answer;
}

/* Syncs the files of the log, which the server does not under this policy. */
static int log_sync(const struct tw_store *store)
{
    int log = openat(store->directory.fd, "binlog", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = log >= 0 ? fdopendir(log) : NULL;
    bool is_synced = list && fsync(log) == 0;
    for (struct dirent *entry; is_synced && (entry = readdir(list));) {
        if (strncmp(entry->d_name, "binlog.", 7) != 0)
            continue;
        int file = openat(log, entry->d_name, O_RDONLY | O_CLOEXEC);
        /* Compacted away meanwhile: what lived in it is in another. */
        is_synced = file >= 0 ? fsync(file) == 0 : errno == ENOENT;
        if (file >= 0)
            close(file);
    }
    if (list)
        closedir(list);
    else if (log >= 0)
        close(log);
    return is_synced ? TW_STORE_OK : TW_STORE_IO;
}

static int beanstalkd_checkpoint(struct tw_store *store)
{
    if (atomic_load(&store->broken))
        return TW_STORE_BROKEN;
    int answer = store->syncs ? TW_STORE_OK : log_sync(store);
    if (answer != TW_STORE_OK)
        atomic_store(&store->broken, true);
    return answer;
}

static void beanstalkd_free(struct tw_store *store)
{
    line_close(&store->line);
    store_server_end(&store->server, 0);
    store_directory_close(&store->directory);
    spent_free(store);
    for (size_t i = 0; i < store->heap_count; i++)
        free(store->heap[i].payload);
    store_set_free(&store->is_held);
    pthread_mutex_destroy(&store->lock);
    free(store->heap);
    free(store->spent);
    free(store->handed);
    free(store);
}

static int beanstalkd_open(struct tw_store **out, const struct tw_store_config *config,
                           struct tw_error *error)
{
    int answer = store_check(&tw_store_beanstalkd, config, error);
    if (answer != TW_STORE_OK)
        return answer;
    struct tw_store *store = calloc(1, sizeof *store);
    if (!store)
        return store_no_memory(error);
    store->line.fd = -1;
    store->syncs = config->sync != TW_SYNC_NONE;
    pthread_mutex_init(&store->lock, NULL);
    answer = store_directory_open(&store->directory, config->directory, "beanstalkd 1", error);
    if (answer == TW_STORE_OK)
        answer = beanstalkd_start(store, config->sync, error);
    if (answer != TW_STORE_OK) {
        beanstalkd_free(store);
        return answer;
    }
    *out = store;
    return TW_STORE_OK;
}

static int beanstalkd_close(struct tw_store *store)
{
    int answer = atomic_load(&store->server.gone) ? TW_STORE_LOST : beanstalkd_checkpoint(store);
    beanstalkd_free(store);
    return answer;
}

static struct tw_store_seat *beanstalkd_enter(struct tw_store *store)
{
    struct tw_store_seat *seat = malloc(sizeof *seat);
    if (!seat)
        return NULL;
    seat->store = store;
    if (line_open(store, &seat->line))
        return seat;
    line_close(&seat->line);
    free(seat);
    return NULL;
}

static void beanstalkd_leave(struct tw_store_seat *seat)
{
    line_close(&seat->line);
    free(seat);
}

/* ---- The other hooks. ------------------------------------------------------------------------- */

static int beanstalkd_tend(struct tw_store *store, uint64_t now_ms, int *more)
{
    (void)store, (void)now_ms;
    *more = 0;
    return TW_STORE_OK;
}

static void beanstalkd_stats(struct tw_store *store, struct tw_store_stats *out)
{
    pthread_mutex_lock(&store->lock);
    uint64_t memory = sizeof *store + store->heap_room * sizeof *store->heap +
                      store->is_held.room * sizeof *store->is_held.pairs + store->line.in_room +
                      store->line.out_room;
    for (size_t i = 0; i < store->heap_count; i++)
        memory += store->heap[i].size;
    pthread_mutex_unlock(&store->lock);
    *out = (struct tw_store_stats){
        .pending = atomic_load(&store->pending),
        .disk_bytes = store_directory_bytes(&store->directory),
        .memory_bytes = memory + store->handed_room * sizeof *store->handed,
        .written_bytes = store_server_written(&store->server),
        .syncs = UINT64_MAX,
        .reclaimed_bytes = UINT64_MAX,
    };
}

static void beanstalkd_describe(struct tw_store *store, struct tw_store_description *out)
{
    *out = (struct tw_store_description){
        .resolution_ms = 1,
        .reach_ms = DUE_MAX / 4,
        .recovered = store->recovered,
        .damaged = atomic_load(&store->damaged),
        .server = atomic_load(&store->server.process),
    };
    snprintf(out->version, sizeof out->version, "beanstalkd %s", store->version);
}

const struct tw_store_backend tw_store_beanstalkd = {
    .abi_version = TW_STORE_ABI_VERSION,
    .name = "beanstalkd",
    .summary = "beanstalkd: delayed jobs of a work queue, with its log",
    .after = "beanstalkd (K. Rarick)",
    .flags = TW_STORE_EXACT | TW_STORE_REAL_CLOCK | TW_STORE_SERVER | TW_STORE_KILL_LOSES,
    .policies = 1u << TW_SYNC_ALWAYS | 1u << TW_SYNC_GROUP | 1u << TW_SYNC_NONE,
    .params = beanstalkd_params,
    .open = beanstalkd_open,
    .enter = beanstalkd_enter,
    .leave = beanstalkd_leave,
    .put = beanstalkd_put,
    .cancel = beanstalkd_cancel,
    .poll = beanstalkd_poll,
    .done = beanstalkd_done,
    .next = beanstalkd_next,
    .tend = beanstalkd_tend,
    .checkpoint = beanstalkd_checkpoint,
    .close = beanstalkd_close,
    .stats = beanstalkd_stats,
    .describe = beanstalkd_describe,
};
