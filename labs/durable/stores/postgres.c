/*
 * postgres.c - PostgreSQL: one table in the order (due, key), taken with SELECT ... FOR UPDATE SKIP LOCKED.
 *
 *     put     each seat has a connection: INSERT of all messages of the call, its own transaction
 *     cancel  DELETE, its own transaction
 *     poll    BEGIN, SELECT ... ORDER BY due, key LIMIT n FOR UPDATE SKIP LOCKED: the rows stay, locked
 *     done    DELETE, COMMIT
 *
 * What is handed out is locked until it is done; a worker that dies gives it back.  It stands in memory besides (store_parts.h),
 * so that a cancel need not wait for a lock to learn that it comes too late.
 *
 * Acknowledged rests on synchronous_commit, as its manual has it (Write Ahead Log, Asynchronous Commit)
 *   always      on: COMMIT returns when the log is flushed; those that commit meanwhile share the next flush
 *   group       the same with commit_delay=50 (us): the flush is held back if commit_siblings=5 others are at work
 *   none        off: "the maximum delay is three times wal_writer_delay" (200 ms) until a transaction is safe "against a
 *               server crash"; it is there whole or not at all.  tend, checkpoint and close flush the log
 *   interval    is refused.  Between on and off there is nothing: off keeps the log in memory of the server, so that kill -9
 *               of it loses what was acknowledged, and this policy forbids that.  fsync=off would survive the kill, and
 *               leave a damaged cluster after a loss of power
 * A flush that fails ends the server (data_sync_retry=off).
 *
 * The server refuses root.  Under root it runs as the user postgres of its package, or as nobody, who gets the directory.
 */
#include "store_server.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern const struct tw_store_backend tw_store_postgres;

/* Rows of one SELECT: the largest payloads of so many fill a run (STORE_RUN_BYTES), so that all that is locked is handed out. */
#define ROWS_MAX 64u
/* Payloads of one INSERT; a parameter may have a GB. */
#define INSERT_BYTES ((size_t)16 << 20)
#define SOCKET       ".s.PGSQL.5432"

/* Type numbers that never change (pg_type.dat). */
#define TYPE_INT8  20u
#define TYPE_BYTEA 17u

struct tw_store {
    struct store_directory directory;
    struct store_server server;
    struct store_ordered ordered;
    char programs[128]; /* folder of initdb, with a slash at its end; "": it is on PATH */
    char initdb[160], postgres[160], connections[40];
    PGconn *taker;   /* the dispatcher's: poll, done */
    PGconn *flusher; /* the dispatcher's: tend, checkpoint; it always commits synchronously */
    bool is_open;
    bool takes; /* a transaction of the taker is open */
    enum tw_sync_policy sync;
    uint64_t recovered;
    bool is_counted;
    atomic_bool broken, lost, dirty;
};

/* A column of a parameter that is an array, in the binary format of the server. */
struct column {
    unsigned char *bytes;
    size_t size, room;
};

struct tw_store_seat {
    struct tw_store *store;
    PGconn *connection;
    struct column due, key, value;
};

static const struct tw_param postgres_params[] = {{NULL, NULL, 0, 0, 0}};

/* Keys are unsigned, the server's numbers are not: the same order, moved by half. */
static uint64_t number_of_key(uint64_t key)
{
    return key ^ UINT64_C(1) << 63;
}

/* ---- Statements. ------------------------------------------------------------------------------ */

static int health(struct tw_store *store)
{
    return atomic_load(&store->broken) || atomic_load(&store->lost) ? TW_STORE_BROKEN : TW_STORE_OK;
}

/* Looks at a result, which it frees unless `keep` is given and it is good. */
static int settle(struct tw_store *store, PGconn *connection, PGresult *result, PGresult **keep)
{
    ExecStatusType status = PQresultStatus(result);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    int answer = TW_STORE_OK;
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        answer = state && strcmp(state, "53100") == 0 ? TW_STORE_FULL : TW_STORE_IO;
        if (PQstatus(connection) == CONNECTION_BAD || atomic_load(&store->server.gone)) {
            atomic_store(&store->lost, true);
            answer = TW_STORE_LOST;
        } else
            atomic_store(&store->broken, true);
    }
    if (keep && answer == TW_STORE_OK)
        *keep = result;
    else
        PQclear(result);
    return answer;
}

static int run(struct tw_store *store, PGconn *connection, const char *text)
{
    return settle(store, connection, PQexec(connection, text), NULL);
}

/* Parameters of a prepared statement, in binary. */
struct words {
    const char *values[4];
    int sizes[4];
    int count;
    unsigned char numbers[4][8];
};

static void words_number(struct words *words, uint64_t number)
{
    store_put64(words->numbers[words->count], number);
    words->values[words->count] = (const char *)words->numbers[words->count];
    words->sizes[words->count++] = 8;
}

static void words_column(struct words *words, const struct column *column)
{
    words->values[words->count] = (const char *)column->bytes;
    words->sizes[words->count++] = (int)column->size;
}

static int ask(struct tw_store *store, PGconn *connection, const char *statement,
               const struct words *words, PGresult **result)
{
    static const int binary[4] = {1, 1, 1, 1};
    if (atomic_load(&store->server.gone)) {
        atomic_store(&store->lost, true);
        return TW_STORE_LOST;
    }
    return settle(
        store, connection,
        PQexecPrepared(connection, statement, words->count, words->values, words->sizes, binary, 1),
        result);
}

/* ---- Arrays: a head of 20 bytes, then size and bytes of each element. ------------------------- */

static void put32(unsigned char *out, uint32_t value)
{
    for (int i = 3; i >= 0; i--, value >>= 8)
        out[i] = (unsigned char)value;
}

static unsigned char *column_space(struct column *column, size_t size)
{
    if (!store_room(&column->bytes, &column->room, column->size + size, 1))
        return NULL;
    column->size += size;
    return column->bytes + column->size - size;
}

/* One dimension of so many, numbered from 1, none of them NULL. */
static bool column_begin(struct column *column, uint32_t type, size_t count)
{
    column->size = 0;
    unsigned char *head = column_space(column, 20);
    if (!head)
        return false;
    put32(head, 1);
    put32(head + 4, 0);
    put32(head + 8, type);
    put32(head + 12, (uint32_t)count);
    put32(head + 16, 1);
    return true;
}

static bool column_number(struct column *column, uint64_t number)
{
    unsigned char *out = column_space(column, 12);
    if (!out)
        return false;
    put32(out, 8);
    store_put64(out + 4, number);
    return true;
}

static bool column_value(struct column *column, const struct tw_message *message)
{
    unsigned char *out = column_space(column, 4 + STORE_SEAL_BYTES + message->size);
    if (!out)
        return false;
    put32(out, STORE_SEAL_BYTES + message->size);
    store_sealed_put(out + 4, message);
    return true;
}

/* ---- Connections. ----------------------------------------------------------------------------- */

static PGconn *connect_once(const struct tw_store *store)
{
    char host[40];
    /* The directory's own name may be longer than an address. */
    snprintf(host, sizeof host, "/proc/self/fd/%d", store->directory.fd);
    const char *const names[] = {"host", "port", "user", "dbname", "gssencmode", NULL};
    const char *const values[] = {host, "5432", "twbench", "postgres", "disable", NULL};
    return PQconnectdbParams(names, values, 0);
}

/* Tables are new and without statistics: the planner is to take the index, and to compile nothing where it cannot. */
static const char settings[] = "SET client_min_messages=error; SET enable_seqscan=off; SET jit=off;"
                               " SET enable_hashjoin=off; SET enable_mergejoin=off";

/* NULL without memory or server.  `synchronous` under TW_SYNC_NONE, too. */
static PGconn *connection_open(struct tw_store *store, bool synchronous)
{
    PGconn *connection = connect_once(store);
    if (PQstatus(connection) == CONNECTION_OK && run(store, connection, settings) == TW_STORE_OK &&
        run(store, connection,
            synchronous || store->sync != TW_SYNC_NONE
                ? "SET synchronous_commit=on"
                : "SET synchronous_commit=off") == TW_STORE_OK)
        return connection;
    PQfinish(connection);
    return NULL;
}

static bool prepare(struct tw_store *store, PGconn *connection, const char *name, const char *text)
{
    return settle(store, connection, PQprepare(connection, name, text, 0, NULL), NULL) ==
           TW_STORE_OK;
}

static bool prepare_seat(struct tw_store *store, PGconn *connection)
{
    return prepare(store, connection, "insert",
                   "INSERT INTO messages (due, key, value)"
                   " SELECT * FROM unnest($1::int8[], $2::int8[], $3::bytea[])") &&
           prepare(store, connection, "cancel",
                   "DELETE FROM messages WHERE due = $1::int8 AND key = $2::int8");
}

static bool prepare_taker(struct tw_store *store, PGconn *connection)
{
    return prepare(
               store, connection, "take",
               "SELECT due, key, value FROM messages WHERE (due, key) >= ($1::int8, $2::int8)"
               " AND due <= $3::int8 ORDER BY due, key LIMIT $4::int8 FOR UPDATE SKIP LOCKED") &&
           prepare(
               store, connection, "next",
               "SELECT due, key FROM messages WHERE due > $1::int8 ORDER BY due, key LIMIT 1") &&
           prepare(store, connection, "done",
                   "DELETE FROM messages USING unnest($1::int8[], $2::int8[]) AS ended (due, key)"
                   " WHERE messages.due = ended.due AND messages.key = ended.key");
}

/* ---- The server. ------------------------------------------------------------------------------ */

/* Debian keeps the programs of each version in a folder that is not on PATH. */
static void programs_find(struct tw_store *store)
{
    glob_t found;
    if (glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) == 0) {
        const char *last = found.gl_pathv[found.gl_pathc - 1];
        snprintf(store->programs, sizeof store->programs, "%.*s",
                 (int)(strlen(last) - strlen("initdb")), last);
        globfree(&found);
    }
    snprintf(store->initdb, sizeof store->initdb, "%sinitdb", store->programs);
    snprintf(store->postgres, sizeof store->postgres, "%spostgres", store->programs);
}

static bool user_find(struct tw_store *store)
{
    if (geteuid() != 0)
        return true;
    const struct passwd *user = getpwnam("postgres");
    if (!user)
        user = getpwnam("nobody");
    if (!user || user->pw_uid == 0)
        return false;
    store->server.user = user->pw_uid;
    store->server.group = user->pw_gid;
    return fchown(store->directory.fd, user->pw_uid, user->pw_gid) == 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

/* Makes the cluster under another name, so that it is there whole or not at all. */
static int cluster_make(struct tw_store *store, struct tw_error *error)
{
    char path[64], words[160];
    struct store_server *server = &store->server;
    const char *const arguments[] = {store->initdb, "-D",          STORE_SERVER_DIRECTORY "/new",
                                     "-U",          "twbench",     "-A",
                                     "trust",       "--no-locale", "-E",
                                     "UTF8",        "--no-sync",   "--no-instructions",
                                     NULL};
    if (faccessat(store->directory.fd, "cluster", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return TW_STORE_OK;
    snprintf(path, sizeof path, "/proc/self/fd/%d/new", store->directory.fd);
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    memcpy(server->arguments, arguments, sizeof arguments);
    int answer = store_server_start(server, error);
    if (answer != TW_STORE_OK)
        return answer;
    store_server_end(server, UINT32_MAX);
    if (atomic_load(&server->status) != 0) {
        store_server_last_words(server, words, sizeof words);
        snprintf(error->text, sizeof error->text, "initdb ended: %s", words);
        return TW_STORE_IO;
    }
    /* One sync of the file system instead of one for each of a thousand files. */
    if (syncfs(store->directory.fd) == 0 &&
        renameat(store->directory.fd, "new", store->directory.fd, "cluster") == 0 &&
        fsync(store->directory.fd) == 0)
        return TW_STORE_OK;
    snprintf(error->text, sizeof error->text, "cluster: %s", strerror(errno));
    return TW_STORE_IO;
}

static int server_begin(struct tw_store *store, struct tw_error *error)
{
    struct store_server *server = &store->server;
    const char *delay = store->sync == TW_SYNC_GROUP ? "-ccommit_delay=50" : "-ccommit_delay=0";
    const char *const arguments[] = {store->postgres,
                                     "-D",
                                     STORE_SERVER_DIRECTORY "/cluster",
                                     "-cport=5432",
                                     "-clisten_addresses=",
                                     "-cunix_socket_permissions=0700",
                                     "-cunix_socket_directories=" STORE_SERVER_DIRECTORY,
                                     "-cdynamic_shared_memory_type=mmap",
                                     store->connections,
                                     delay,
                                     NULL};
    /* The lock says that no process of an earlier server lives; its number may be another's by now. */
    unlinkat(store->directory.fd, "cluster/postmaster.pid", 0);
    unlinkat(store->directory.fd, SOCKET, 0);
    unlinkat(store->directory.fd, SOCKET ".lock", 0);
    memcpy(server->arguments, arguments, sizeof arguments);
    server->end_signal = SIGINT;
    return store_server_start(server, error);
}

/* Whether it says so in its file: each connection that it refuses until then costs a process. */
static bool server_is_ready(const struct tw_store *store)
{
    char text[1000] = "";
    int fd = openat(store->directory.fd, "cluster/postmaster.pid", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    return length > 0 && strstr(text, "\nready");
}

/* It refuses connections until the log is replayed. */
static int server_await(struct tw_store *store, struct tw_error *error)
{
    char words[160];
    for (int ms = 0; ms < 60000 && !atomic_load(&store->server.gone); ms += 5) {
        bool is_asked = server_is_ready(store) || ms % 1000 == 500;
        PGconn *connection = is_asked ? connect_once(store) : NULL;
        bool answers = PQstatus(connection) == CONNECTION_OK;
        PQfinish(connection);
        if (answers)
            return TW_STORE_OK;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    store_server_end(&store->server, 0);
    store_server_last_words(&store->server, words, sizeof words);
    snprintf(error->text, sizeof error->text, "postgres ended: %s", words);
    return TW_STORE_IO;
}

static int server_start(struct tw_store *store, const struct tw_store_config *config,
                        struct tw_error *error)
{
    store->server.directory = &store->directory;
    store->server.log_name = "postgres.log";
    store->server.package = "postgresql";
    snprintf(store->connections, sizeof store->connections, "-cmax_connections=%u",
             config->seats + 16);
    programs_find(store);
    int answer = store_directory_lock_server(&store->directory, error);
    if (answer != TW_STORE_OK)
        return answer;
    if (!user_find(store)) {
        snprintf(
            error->text, sizeof error->text,
            "postgres refuses root, and there is neither a user postgres nor nobody to run it");
        return TW_STORE_IO;
    }
    answer = cluster_make(store, error);
    if (answer == TW_STORE_OK)
        answer = server_begin(store, error);
    return answer == TW_STORE_OK ? server_await(store, error) : answer;
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

/* How many wait is what the last close noted.  The note is taken away while it is open. */
static int messages_find(struct tw_store *store)
{
    PGresult *result;
    int answer = run(store, store->taker,
                     "CREATE TABLE IF NOT EXISTS messages (due int8, key int8, value bytea,"
                     " PRIMARY KEY (due, key));"
                     " CREATE TABLE IF NOT EXISTS closed (pending int8)");
    if (answer == TW_STORE_OK)
        answer = settle(store, store->taker,
                        PQexec(store->taker, "SELECT (SELECT min(due) FROM messages),"
                                             " (SELECT min(pending) FROM closed)"),
                        &result);
    if (answer != TW_STORE_OK)
        return answer;
    bool is_empty = PQgetisnull(result, 0, 0);
    store->is_counted = is_empty || !PQgetisnull(result, 0, 1);
    if (!is_empty && store->is_counted)
        store->recovered = strtoull(PQgetvalue(result, 0, 1), NULL, 10);
    uint64_t first = is_empty ? TW_STORE_NEVER : strtoull(PQgetvalue(result, 0, 0), NULL, 10);
    store_ordered_found(&store->ordered, store->recovered, first);
    if (!store->is_counted)
        store->recovered = UINT64_MAX;
    PQclear(result);
    return run(store, store->taker, "DELETE FROM closed");
}

static int messages_note(struct tw_store *store)
{
    char note[80];
    if (!store->is_counted)
        return run(store, store->flusher, "INSERT INTO closed SELECT count(*) FROM messages");
    snprintf(note, sizeof note, "INSERT INTO closed VALUES (%llu)",
             (unsigned long long)atomic_load(&store->ordered.pending));
    return run(store, store->flusher, note);
}

static int postgres_start(struct tw_store *store, const struct tw_store_config *config,
                          struct tw_error *error)
{
    int answer = server_start(store, config, error);
    if (answer != TW_STORE_OK)
        return answer;
    store->taker = connection_open(store, false);
    store->flusher = store->taker ? connection_open(store, true) : NULL;
    answer = store->flusher ? messages_find(store) : TW_STORE_LOST;
    if (answer == TW_STORE_OK && !prepare_taker(store, store->taker))
        answer = TW_STORE_IO;
    if (answer != TW_STORE_OK)
        snprintf(error->text, sizeof error->text, "postgres: what waits cannot be read");
    return answer;
}

/* Everything that was committed is on the disk when it returns TW_STORE_OK. */
static int flush(struct tw_store *store)
{
    int answer = health(store);
    if (answer != TW_STORE_OK || store->sync != TW_SYNC_NONE ||
        !atomic_exchange(&store->dirty, false))
        return answer;
    return run(store, store->flusher, "SELECT pg_logical_emit_message(true, 'twbench', '')");
}

static int postgres_close(struct tw_store *store)
{
    struct tw_error unused;
    PQfinish(store->taker);
    int answer = health(store);
    if (answer == TW_STORE_OK && store->is_open)
        answer = messages_note(store);
    PQfinish(store->flusher);
    if (answer == TW_STORE_OK && atomic_load(&store->server.gone))
        answer = TW_STORE_LOST;
    bool was_started = store->server.is_started;
    store_server_end(&store->server, 0);
    /* If the first of its processes was killed, the others end a moment later. */
    if (was_started && store->directory.server_lock >= 0) {
        close(store->directory.server_lock);
        store->directory.server_lock = -1;
        store_directory_lock_server(&store->directory, &unused);
    }
    store_directory_close(&store->directory);
    store_ordered_destroy(&store->ordered);
    free(store);
    return answer;
}

static int postgres_make(struct tw_store *store, const struct tw_store_config *config,
                         struct tw_error *error)
{
    store->sync = config->sync;
    store_ordered_init(&store->ordered);
    int answer = store_directory_open(&store->directory, config->directory, "postgres 1", error);
    if (answer == TW_STORE_OK)
        answer = postgres_start(store, config, error);
    store->is_open = answer == TW_STORE_OK;
    return answer;
}

STORE_OPEN(postgres, tw_store_postgres, postgres_make, postgres_close)

static void postgres_leave(struct tw_store_seat *seat)
{
    PQfinish(seat->connection);
    free(seat->due.bytes);
    free(seat->key.bytes);
    free(seat->value.bytes);
    free(seat);
}

static struct tw_store_seat *postgres_enter(struct tw_store *store)
{
    struct tw_store_seat *seat = calloc(1, sizeof *seat);
    if (!seat)
        return NULL;
    seat->store = store;
    seat->connection = connection_open(store, false);
    if (seat->connection && prepare_seat(store, seat->connection))
        return seat;
    postgres_leave(seat);
    return NULL;
}

/* ---- Messages. -------------------------------------------------------------------------------- */

/* One INSERT of as many as fit. */
static int insert_some(struct tw_store_seat *seat, const struct tw_message *messages, size_t count)
{
    struct words words = {.count = 0};
    bool fits = column_begin(&seat->due, TYPE_INT8, count) &&
                column_begin(&seat->key, TYPE_INT8, count) &&
                column_begin(&seat->value, TYPE_BYTEA, count);
    for (size_t i = 0; fits && i < count; i++)
        fits = column_number(&seat->due, messages[i].due_ms) &&
               column_number(&seat->key, number_of_key(messages[i].key)) &&
               column_value(&seat->value, &messages[i]);
    if (!fits)
        return TW_STORE_MEMORY;
    words_column(&words, &seat->due);
    words_column(&words, &seat->key);
    words_column(&words, &seat->value);
    return ask(seat->store, seat->connection, "insert", &words, NULL);
}

/* How many of them go with one INSERT. */
static size_t insert_count(const struct tw_message *messages, size_t count)
{
    size_t bytes = 0, some = 0;
    while (some < count && (some == 0 || bytes + messages[some].size <= INSERT_BYTES))
        bytes += messages[some++].size;
    return some;
}

static int insert_all(struct tw_store_seat *seat, const struct tw_message *messages, size_t count)
{
    size_t some = insert_count(messages, count);
    if (some == count)
        return insert_some(seat, messages, count);
    int answer = run(seat->store, seat->connection, "BEGIN");
    for (size_t at = 0; answer == TW_STORE_OK && at < count; at += some) {
        some = insert_count(messages + at, count - at);
        answer = insert_some(seat, messages + at, some);
    }
    if (answer == TW_STORE_OK)
        return run(seat->store, seat->connection, "COMMIT");
    run(seat->store, seat->connection, "ROLLBACK");
    return answer;
}

static int postgres_put(struct tw_store_seat *seat, struct tw_message *messages, size_t count)
{
    struct tw_store *store = seat->store;
    int answer = health(store);
    if (answer != TW_STORE_OK)
        return answer;
    for (size_t i = 0; i < count; i++) {
        if (messages[i].size > TW_PAYLOAD_MAX || messages[i].due_ms > INT64_MAX)
            return TW_STORE_RANGE;
        messages[i].handle = 0;
    }
    answer = insert_all(seat, messages, count);
    if (answer != TW_STORE_OK)
        return answer;
    atomic_store(&store->dirty, true);
    store_ordered_put(&store->ordered, messages, count);
    return TW_STORE_OK;
}

static int postgres_cancel(struct tw_store_seat *seat, uint64_t key, uint64_t due_ms,
                           uint64_t handle)
{
    struct tw_store *store = seat->store;
    struct words words = {.count = 0};
    PGresult *result;
    (void)handle;
    int answer = health(store);
    if (answer == TW_STORE_OK)
        answer = store_ordered_cancel(&store->ordered, key);
    if (answer != TW_STORE_OK)
        return answer;
    words_number(&words, due_ms);
    words_number(&words, number_of_key(key));
    answer = ask(store, seat->connection, "cancel", &words, &result);
    bool found = answer == TW_STORE_OK && strcmp(PQcmdTuples(result), "1") == 0;
    if (answer == TW_STORE_OK)
        PQclear(result);
    atomic_store(&store->dirty, true);
    store_ordered_cancelled(&store->ordered, key, found);
    if (answer != TW_STORE_OK)
        return answer;
    return found ? TW_STORE_CANCELLED : TW_STORE_TOO_LATE;
}

/* ---- Taking. ---------------------------------------------------------------------------------- */

static int take_begin(struct tw_store *store)
{
    if (store->takes)
        return TW_STORE_OK;
    int answer = run(store, store->taker, "BEGIN");
    store->takes = answer == TW_STORE_OK;
    return answer;
}

static int take_commit(struct tw_store *store)
{
    store->takes = false;
    return run(store, store->taker, "COMMIT");
}

/* Offers what one SELECT finds from there on; *from is behind it afterwards, *last says that nothing more is due. */
static int take_page(struct tw_store *store, struct store_poll *poll, struct store_at *from,
                     bool *last)
{
    struct words words = {.count = 0};
    PGresult *result;
    size_t most = poll->max < ROWS_MAX ? poll->max : ROWS_MAX;
    enum store_offered offered = STORE_MORE;
    words_number(&words, from->due);
    words_number(&words, number_of_key(from->key));
    words_number(&words, poll->now_ms < INT64_MAX ? poll->now_ms : INT64_MAX);
    words_number(&words, most);
    int answer = ask(store, store->taker, "take", &words, &result);
    if (answer != TW_STORE_OK)
        return answer;
    int rows = PQntuples(result);
    for (int i = 0; offered == STORE_MORE && i < rows; i++) {
        *from = (struct store_at){
            store_get64((const unsigned char *)PQgetvalue(result, i, 0)),
            number_of_key(store_get64((const unsigned char *)PQgetvalue(result, i, 1)))};
        offered = store_poll_offer(poll, *from, PQgetvalue(result, i, 2),
                                   (size_t)PQgetlength(result, i, 2));
    }
    PQclear(result);
    *last = (size_t)rows < most;
    *from = from->key < UINT64_MAX ? (struct store_at){from->due, from->key + 1}
                                   : (struct store_at){from->due + 1, 0};
    return offered == STORE_NO_MEMORY && poll->count == 0 ? TW_STORE_MEMORY : TW_STORE_OK;
}

/* When the first message after now is due. */
static int take_next(struct tw_store *store, struct store_poll *poll, bool *exhausted)
{
    struct words words = {.count = 0};
    PGresult *result;
    words_number(&words, poll->now_ms < INT64_MAX ? poll->now_ms : INT64_MAX);
    int answer = ask(store, store->taker, "next", &words, &result);
    if (answer != TW_STORE_OK)
        return answer;
    *exhausted = PQntuples(result) == 0;
    if (!*exhausted)
        store_poll_offer(
            poll,
            (struct store_at){store_get64((const unsigned char *)PQgetvalue(result, 0, 0)), 0},
            NULL, 0);
    PQclear(result);
    return TW_STORE_OK;
}

static int postgres_poll(struct tw_store *store, uint64_t now_ms, struct tw_delivery *out,
                         size_t max, size_t *count)
{
    struct store_poll poll = {&store->ordered, now_ms, out, max, 0};
    struct store_at from;
    bool last = false, exhausted = false;
    *count = 0;
    int answer = health(store);
    if (answer != TW_STORE_OK || !store_poll_begin(&poll, &from))
        return answer;
    if (from.due > INT64_MAX)
        last = exhausted = true;
    else
        answer = take_begin(store);
    /* All of a page may be handed out already. */
    while (answer == TW_STORE_OK && !last && poll.count == 0)
        answer = take_page(store, &poll, &from, &last);
    if (answer == TW_STORE_OK && last && !exhausted)
        answer = take_next(store, &poll, &exhausted);
    store_poll_end(&poll, exhausted);
    *count = poll.count;
    if (poll.count > 0)
        return TW_STORE_OK;
    /* No lock without a message that will be done. */
    if (store->takes && store->ordered.handed_count == 0) {
        int ended = take_commit(store);
        answer = answer == TW_STORE_OK ? ended : answer;
    }
    return answer;
}

static int postgres_done(struct tw_store *store, size_t count)
{
    struct words words = {.count = 0};
    struct column due = {0}, key = {0};
    int answer = health(store);
    if (count > store->ordered.handed_count)
        count = store->ordered.handed_count;
    if (answer != TW_STORE_OK || count == 0)
        return answer;
    bool fits = column_begin(&due, TYPE_INT8, count) && column_begin(&key, TYPE_INT8, count);
    for (size_t i = 0; fits && i < count; i++) {
        struct store_at at = store_ordered_handed(&store->ordered, i);
        fits = column_number(&due, at.due) && column_number(&key, number_of_key(at.key));
    }
    words_column(&words, &due);
    words_column(&words, &key);
    answer = fits ? ask(store, store->taker, "done", &words, NULL) : TW_STORE_MEMORY;
    free(due.bytes);
    free(key.bytes);
    if (answer == TW_STORE_OK && store->takes)
        answer = take_commit(store);
    if (answer != TW_STORE_OK)
        return answer;
    atomic_store(&store->dirty, true);
    store_ordered_done(&store->ordered, count);
    return TW_STORE_OK;
}

/* ---- The other hooks. ------------------------------------------------------------------------- */

STORE_NEXT_OF(postgres, ordered)

static int postgres_tend(struct tw_store *store, uint64_t now_ms, int *more)
{
    (void)now_ms;
    *more = 0;
    return flush(store);
}

static int postgres_checkpoint(struct tw_store *store)
{
    int answer = health(store);
    return answer == TW_STORE_OK ? run(store, store->flusher, "CHECKPOINT") : answer;
}

static void postgres_stats(struct tw_store *store, struct tw_store_stats *out)
{
    *out = (struct tw_store_stats){
        .pending = store->is_counted ? atomic_load(&store->ordered.pending) : UINT64_MAX,
        .disk_bytes = store_directory_bytes(&store->directory),
        .memory_bytes = sizeof *store + store_ordered_memory(&store->ordered),
        .written_bytes = UINT64_MAX,
        .syncs = UINT64_MAX,
        .checkpoints = UINT64_MAX,
        .reclaimed_bytes = UINT64_MAX,
    };
}

static void postgres_describe(struct tw_store *store, struct tw_store_description *out)
{
    const char *version = PQparameterStatus(store->taker, "server_version");
    *out = (struct tw_store_description){
        .resolution_ms = 1,
        .reach_ms = TW_STORE_NEVER,
        .recovered = store->recovered,
        .server = atomic_load(&store->server.process),
    };
    snprintf(out->version, sizeof out->version, "PostgreSQL %s", version ? version : "");
}

const struct tw_store_backend tw_store_postgres = {
    .name = "postgres",
    .summary = "PostgreSQL: a table in the order of due, taken FOR UPDATE SKIP LOCKED",
    .after = "the delay queue of most companies",
    .flags = TW_STORE_EXACT | TW_STORE_SERVER,
    .policies = 1u << TW_SYNC_ALWAYS | 1u << TW_SYNC_GROUP | 1u << TW_SYNC_NONE,
    TW_STORE_HOOKS(postgres),
};
