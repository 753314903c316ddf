/* redis_server.c - a private redis-server, and connections that send many commands before they read. */
#include "redis_server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_NAME "redis.sock"
#define FILE_FOLDER "aof"

/* ---- Connections. ----------------------------------------------------------------------------- */

static int server_connect(struct store_server *server)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    /* The directory's own name may be longer than an address. */
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s",
             server->directory->fd, SOCKET_NAME);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (int ms = 0; connection >= 0 && ms < 60000 && !atomic_load(&server->gone); ms += 2) {
        if (connect(connection, (const struct sockaddr *)&address, sizeof address) == 0)
            return connection;
        usleep(2000);
    }
    if (connection >= 0)
        close(connection);
    return -1;
}

static bool server_send(int connection, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(connection, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* ---- A connection. ---------------------------------------------------------------------------- */

struct redis_link *redis_link_open(struct redis_server *server)
{
    struct redis_link *link = calloc(1, sizeof *link);
    if (!link)
        return NULL;
    link->server = server;
    link->fd = server_connect(&server->server);
    link->reader = redisReaderCreate();
    if (link->fd < 0 || !link->reader) {
        redis_link_close(link);
        return NULL;
    }
    return link;
}

void redis_link_close(struct redis_link *link)
{
    if (!link)
        return;
    if (link->fd >= 0)
        close(link->fd);
    if (link->reader)
        redisReaderFree(link->reader);
    free(link->out);
    free(link);
}

static char *link_reserve(struct redis_link *link, size_t size)
{
    link->no_memory = link->no_memory || !store_room(&link->out, &link->room, link->size + size, 1);
    return link->no_memory ? NULL : link->out + link->size;
}

/* "*12\r\n", "$12\r\n" */
static void link_head(struct redis_link *link, char kind, size_t number)
{
    char digits[24];
    size_t count = 0;
    char *out = link_reserve(link, sizeof digits + 3);
    if (!out)
        return;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    *out++ = kind;
    while (count > 0)
        *out++ = digits[--count];
    *out++ = '\r';
    *out++ = '\n';
    link->size = (size_t)(out - link->out);
}

void redis_command(struct redis_link *link, size_t words)
{
    link_head(link, '*', words);
}

unsigned char *redis_space(struct redis_link *link, size_t size)
{
    link_head(link, '$', size);
    char *out = link_reserve(link, size + 2);
    if (!out)
        return NULL;
    out[size] = '\r';
    out[size + 1] = '\n';
    link->size += size + 2;
    return (unsigned char *)out;
}

void redis_word(struct redis_link *link, const char *word)
{
    size_t size = strlen(word);
    unsigned char *out = redis_space(link, size);
    if (out && size > 0)
        /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): its size stands before it */
        memcpy(out, word, size);
}

static void say(struct redis_link *link, const char *format, va_list words)
{
    char *text = NULL;
    int size = redisvFormatCommand(&text, format, words);
    char *out = size > 0 ? link_reserve(link, (size_t)size) : NULL;
    if (out) {
        memcpy(out, text, (size_t)size);
        link->size += (size_t)size;
    } else
        link->no_memory = true;
    if (size > 0)
        redisFreeCommand(text);
}

void redis_say(struct redis_link *link, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    say(link, format, words);
    va_end(words);
}

int redis_ask(struct redis_link *link, redisReply **reply, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    say(link, format, words);
    va_end(words);
    return redis_call(link, 1, reply);
}

static int link_lost(struct redis_link *link)
{
    atomic_store(&link->server->lost, true);
    return TW_STORE_LOST;
}

int redis_send(struct redis_link *link)
{
    size_t size = link->size;
    bool no_memory = link->no_memory;
    link->size = 0;
    link->no_memory = false;
    if (no_memory)
        return TW_STORE_MEMORY;
    return server_send(link->fd, link->out, size) ? TW_STORE_OK : link_lost(link);
}

/* What redis refuses: writes after one that failed, and what it cannot understand. */
static int refusal(struct redis_link *link, const char *words)
{
    bool is_full = strstr(words, "No space") != NULL;
    if (strncmp(words, "OOM", 3) == 0)
        return TW_STORE_FULL;
    atomic_store(&link->server->broken, true);
    return is_full ? TW_STORE_FULL : TW_STORE_IO;
}

int redis_reply(struct redis_link *link, redisReply **reply)
{
    void *found = NULL;
    char bytes[65536];
    if (reply)
        *reply = NULL;
    while (redisReaderGetReply(link->reader, &found) == REDIS_OK && !found) {
        ssize_t size = recv(link->fd, bytes, sizeof bytes, 0);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return link_lost(link);
        atomic_fetch_add_explicit(&link->server->server.received, (uint64_t)size,
                                  memory_order_relaxed);
        if (redisReaderFeed(link->reader, bytes, (size_t)size) != REDIS_OK)
            return link_lost(link);
    }
    redisReply *answer = found;
    if (!answer)
        return link_lost(link);
    int verdict = TW_STORE_OK;
    if (answer->type == REDIS_REPLY_ERROR)
        verdict = refusal(link, answer->str);
    for (size_t i = 0; answer->type == REDIS_REPLY_ARRAY && i < answer->elements; i++)
        if (answer->element[i]->type == REDIS_REPLY_ERROR)
            verdict = refusal(link, answer->element[i]->str);
    /* Written by now, whatever it was. */
    store_flusher_note(&link->server->flusher);
    if (reply && verdict == TW_STORE_OK)
        *reply = answer;
    else
        freeReplyObject(answer);
    return verdict;
}

static int redis_replies(struct redis_link *link, size_t count, redisReply **reply)
{
    int verdict = TW_STORE_OK;
    if (reply)
        *reply = NULL;
    for (size_t i = 0; i < count; i++) {
        int answer = redis_reply(link, i + 1 == count ? reply : NULL);
        if (answer == TW_STORE_LOST)
            return answer;
        if (verdict == TW_STORE_OK)
            verdict = answer;
    }
    if (verdict != TW_STORE_OK && reply && *reply) {
        freeReplyObject(*reply);
        *reply = NULL;
    }
    return verdict;
}

int redis_call(struct redis_link *link, size_t count, redisReply **reply)
{
    int answer = redis_send(link);
    return answer == TW_STORE_OK ? redis_replies(link, count, reply) : answer;
}

int redis_script(struct redis_link *link, const char *text, char name[41])
{
    redisReply *reply;
    int answer = redis_ask(link, &reply, "SCRIPT LOAD %s", text);
    if (answer != TW_STORE_OK)
        return answer;
    snprintf(name, 41, "%.40s", reply->type == REDIS_REPLY_STRING ? reply->str : "");
    freeReplyObject(reply);
    return TW_STORE_OK;
}

/* ---- The server. ------------------------------------------------------------------------------ */

/* Where nothing is said Redis' default stands, as no file of settings is read. */
static void arguments_set(struct redis_server *server, enum tw_sync_policy sync)
{
    static const char *const common[] = {
        "redis-server", "--port",          "0",         "--unixsocket",
        SOCKET_NAME,    "--save",          "",          "--appendonly",
        "yes",          "--appenddirname", FILE_FOLDER, "--appendfsync"};
    static const char *const modes[] = {"always", "always", "no", "no"};
    size_t count = sizeof common / sizeof common[0];
    for (size_t i = 0; i < count; i++)
        server->server.arguments[i] = common[i];
    server->server.arguments[count] = modes[sync];
    server->server.arguments[count + 1] = NULL;
}

/* It listens before it has read its file, and answers LOADING until then. */
static int server_await(struct redis_server *server, struct redis_link *link)
{
    for (;;) {
        redisReply *reply;
        int answer = redis_ask(link, &reply, "INFO server");
        if (answer == TW_STORE_OK) {
            const char *version = strstr(reply->str, "redis_version:");
            if (!version || sscanf(version, "redis_version:%31s", server->version) != 1)
                server->version[0] = '\0';
            freeReplyObject(reply);
        }
        if (answer == TW_STORE_OK) {
            answer = redis_ask(link, NULL, "DBSIZE");
        }
        if (answer == TW_STORE_OK || answer == TW_STORE_LOST || answer == TW_STORE_MEMORY)
            return answer;
        atomic_store(&server->broken, false);
        usleep(2000);
    }
}

/* The bytes of the files that commands are appended to; syncs them if told to.  false: a sync failed. */
static bool appended_visit(const struct store_directory *directory, bool syncs, uint64_t *bytes)
{
    int fd = openat(directory->fd, FILE_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    bool holds = !syncs || folder;
    *bytes = 0;
    if (!folder && fd >= 0)
        close(fd);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat found;
        if (!strstr(entry->d_name, ".incr."))
            continue;
        int file = openat(fd, entry->d_name, O_RDONLY | O_CLOEXEC);
        /* The server may have removed it since: then a newer one has all of it, and was synced by the server. */
        if (file < 0)
            continue;
        if (fstat(file, &found) == 0)
            *bytes += (uint64_t)found.st_size;
        holds = holds && (!syncs || fdatasync(file) == 0);
        close(file);
    }
    if (folder)
        closedir(folder);
    return holds;
}

static void appended_sync(void *ctx)
{
    struct redis_server *server = ctx;
    uint64_t bytes;
    if (!appended_visit(server->server.directory, true, &bytes))
        atomic_store(&server->broken, true);
}

/* One start; after an error nothing runs. */
static int server_begin(struct redis_server *server, struct tw_error *error)
{
    char words[160];
    unlinkat(server->server.directory->fd, SOCKET_NAME, 0);
    int answer = store_server_start(&server->server, error);
    if (answer != TW_STORE_OK)
        return answer;
    struct redis_link *link = redis_link_open(server);
    answer = link ? server_await(server, link) : TW_STORE_LOST;
    redis_link_close(link);
    if (answer == TW_STORE_OK)
        return TW_STORE_OK;
    store_server_end(&server->server, 0);
    store_server_last_words(&server->server, words, sizeof words);
    snprintf(error->text, sizeof error->text, "redis-server ended: %s", words);
    return answer == TW_STORE_MEMORY ? answer : TW_STORE_IO;
}

int redis_start(struct redis_server *server, struct store_directory *directory,
                const struct tw_store_config *config, struct tw_error *error)
{
    uint64_t before, after;
    int answer = store_directory_lock_server(directory, error);
    if (answer != TW_STORE_OK)
        return answer;
    server->server.directory = directory;
    server->server.log_name = "redis.log";
    server->server.package = "redis-server";
    arguments_set(server, config->sync);
    for (;;) {
        appended_visit(directory, false, &before);
        answer = server_begin(server, error);
        if (answer != TW_STORE_OK)
            return answer;
        appended_visit(directory, false, &after);
        if (after >= before)
            break;
        /* It cut its file: what is left may end within a transaction, which the next start cuts off, too. */
        store_server_end(&server->server, 0);
    }
    if (config->sync == TW_SYNC_INTERVAL &&
        !store_flusher_start(&server->flusher, config->interval_ms, appended_sync, server)) {
        store_server_end(&server->server, 0);
        snprintf(error->text, sizeof error->text,
                 "the thread that syncs the files of redis failed");
        return TW_STORE_IO;
    }
    return TW_STORE_OK;
}

int redis_end(struct redis_server *server)
{
    if (!server->server.is_started)
        return TW_STORE_OK;
    store_flusher_end(&server->flusher);
    int answer = redis_health(server);
    struct redis_link *link = answer == TW_STORE_OK ? redis_link_open(server) : NULL;
    if (link) {
        /* It answers only if it cannot end; otherwise the connection does. */
        redis_say(link, "SHUTDOWN NOSAVE");
        answer = redis_send(link);
        if (answer == TW_STORE_OK && redis_reply(link, NULL) != TW_STORE_LOST)
            answer = TW_STORE_IO;
        redis_link_close(link);
    } else if (answer == TW_STORE_OK)
        answer = TW_STORE_LOST;
    store_server_end(&server->server, link ? 10000 : 0);
    return answer;
}

/* Under `always` everything is synced before it is answered.  Else that is switched on for one write. */
int redis_sync(struct redis_link *link, enum tw_sync_policy sync)
{
    int answer = redis_health(link->server);
    if (answer != TW_STORE_OK || sync <= TW_SYNC_GROUP)
        return answer;
    redis_say(link, "CONFIG SET appendfsync always");
    redis_say(link, "SET synced 1");
    answer = redis_call(link, 2, NULL);
    if (answer != TW_STORE_OK)
        return answer;
    return redis_ask(link, NULL, "CONFIG SET appendfsync no");
}
