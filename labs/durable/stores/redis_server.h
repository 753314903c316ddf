/* redis_server.h - a private server, and connections to Redis. */
#ifndef TWBENCH_REDIS_SERVER_H
#define TWBENCH_REDIS_SERVER_H

#include "store_parts.h"
#include "store_server.h"

#include <hiredis/hiredis.h>
#include <stdatomic.h>

/* A private redis-server for one store, and connections that send many commands before they read.
 *
 * The server listens on redis.sock in the store's directory and on no port.  Its append-only file is all that it writes:
 *
 *     policy           appendfsync   redis answers a write after
 *     always, group    always        write and fdatasync of all commands that it read in one turn of its loop
 *     interval         no            write; a thread of ours syncs the files each interval
 *     none             no            write
 *
 * So clients that wait at the same time share a sync: the server's loop is the group.  Redis' own interval, everysec,
 * answers before it has written while a sync is under way (flushAppendOnlyFile, aof.c): a kill would lose what was
 * acknowledged, which the policy forbids.  After a write or sync that failed, redis ends itself under `always`.  Under the
 * others it has answered already, keeps what it could not write in memory and refuses the next write (MISCONF): then
 * the store is broken, and what the last turn acknowledged depends on the server living on.
 *
 * Snapshots are off, rewriting the file is left on (at twice its size, from 64 MiB).  A file that is damaged before its
 * end is refused by the server, and open says so.  One that ends within a command is cut there by the server.  If that command
 * stood within a transaction, redis 7.0 leaves the transaction open in the file and appends to it: the next start
 * would take what was acknowledged since for a part of it, and drop it (loadSingleAppendOnlyFile, aof.c).  One that ends
 * between two commands of a transaction is cut before the transaction.  So a server that cut its file is started
 * once more, before anything is written.
 *
 * Commands are written by hand into one buffer and sent at once; hiredis reads the answers.  Its own sending
 * raises SIGPIPE when the server is gone. */

struct redis_server {
    struct store_server server;
    struct store_flusher flusher; /* TW_SYNC_INTERVAL */
    atomic_bool lost;             /* a connection found it gone */
    atomic_bool broken;           /* it refused a write */
    char version[32];
};

/* A connection, of one thread at a time. */
struct redis_link {
    struct redis_server *server;
    int fd;
    redisReader *reader;
    char *out; /* commands not yet sent */
    size_t size, room;
    bool no_memory; /* a command is incomplete */
};

/* Starts the server in the directory and waits until it has read its file, whole; again if it cut it.  TW_STORE_OK, _ABSENT, _IO or _LOCKED.  After an
 * error there is nothing to end. */
int redis_start(struct redis_server *server, struct store_directory *directory,
                const struct tw_store_config *config, struct tw_error *error);
/* Ends it: SHUTDOWN if it still answers.  TW_STORE_OK, also if it was not started; or what it was lost or broken by. */
int redis_end(struct redis_server *server);
/* Everything that was written is synced when it returns TW_STORE_OK; _BROKEN without a look at a server that is lost. */
int redis_sync(struct redis_link *link, enum tw_sync_policy sync);

/* NULL without memory or server. */
struct redis_link *redis_link_open(struct redis_server *server);
/* Closes the connection, whether or not the server lives; NULL is allowed. */
void redis_link_close(struct redis_link *link);

/* A command of so many words, and then each word. */
void redis_command(struct redis_link *link, size_t words);
/* The words.  Without memory no_memory is set, and redis_send answers so. */
void redis_word(struct redis_link *link, const char *word);
/* A word of `size` bytes that the caller fills in; NULL without memory.  Valid until the next word. */
unsigned char *redis_space(struct redis_link *link, size_t size);

/* Sends what was written.  TW_STORE_OK; _LOST; _MEMORY, and nothing was sent; _BROKEN. */
int redis_send(struct redis_link *link);
/* The next answer, which the caller frees (freeReplyObject).  TW_STORE_OK; _LOST; _FULL or _IO if redis refused, and
 * then *reply is NULL.  NULL for reply: it is looked at and freed. */
int redis_reply(struct redis_link *link, redisReply **reply);
/* Sends, and takes so many answers, each looked at; the last one is in *reply, or freed if that is NULL.  The first that was
 * refused is the answer. */
int redis_call(struct redis_link *link, size_t count, redisReply **reply);

/* A whole command, as hiredis formats it: words parted by blanks, %s, %b (bytes, size_t), numbers.  redis_ask sends it, and
 * takes its answer as redis_call does. */
void redis_say(struct redis_link *link, const char *format, ...);
int redis_ask(struct redis_link *link, redisReply **reply, const char *format, ...);

/* Loads a script and gives its name, 40 characters. */
int redis_script(struct redis_link *link, const char *text, char name[41]);

/* What a call is answered before it begins. */
static inline int redis_health(struct redis_server *server)
{
    return atomic_load(&server->lost) || atomic_load(&server->broken) ? TW_STORE_BROKEN
                                                                      : TW_STORE_OK;
}

#endif
