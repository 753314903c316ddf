/*
 * store_server.h - a private server: started in the directory of its store, ended by its process, never outliving us.
 *
 * A thread of this process, the warden, forks the server and waits for its end.  The kernel kills the server when the
 * warden's thread ends (PR_SET_PDEATHSIG), and that is when this process ends, however it ends.  The server is in a
 * session of its own, so that Ctrl-C reaches us and not it.  It inherits nothing but its log and the server-lock
 * of its directory: whoever opens the directory next waits until it has gone.
 */
#ifndef TWBENCH_STORE_SERVER_H
#define TWBENCH_STORE_SERVER_H

#include "store_directory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#define STORE_SERVER_ARGUMENTS 64

struct store_server {
    const struct store_directory *directory;
    const char
        *arguments[STORE_SERVER_ARGUMENTS]; /* of the program, its name first; ends with NULL */
    const char *log;                        /* what it prints; in the directory */
    pthread_t warden;
    bool is_started;
    int started[2]; /* the errno of a program that could not be started, or nothing */
    int log_file;
    atomic_int process; /* 0: never started */
    atomic_bool gone;
    atomic_uint_least64_t received; /* bytes of its answers, by all connections */
};

/* Starts it; directory, arguments and log are set, the server-lock is held.  TW_STORE_OK; TW_STORE_ABSENT if there is no
 * such program, with *error naming the package; or TW_STORE_IO. */
int store_server_start(struct store_server *server, const char *package, struct tw_error *error);

/* A connection to its socket of that name in the directory; waits up to a minute for it to listen.  -1: it is gone. */
int store_server_connect(struct store_server *server, const char *socket_name);

/* Waits for its end: that of its own accord for so long, then SIGTERM, and SIGKILL after a minute.  Nothing if it
 * never started. */
void store_server_end(struct store_server *server, uint32_t own_accord_ms);

/* Sends all of it, or false: the server is gone.  No signal. */
bool store_server_send(int connection, const void *bytes, size_t size);

/* Bytes it gave to the system to write since it started, without its answers to us; UINT64_MAX if that cannot be read. */
uint64_t store_server_written(struct store_server *server);

/* The last line of its log, for an error. */
void store_server_last_words(const struct store_server *server, char *out, size_t size);

#endif
