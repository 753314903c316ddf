/* store_server.h - the private server of a store: started in its directory, ended with this process. */
#ifndef TWBENCH_STORE_SERVER_H
#define TWBENCH_STORE_SERVER_H

#include "store_parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* A private server: started in the directory of its store, ended by its process, never outliving us.
 *
 * A thread of this process, the warden, forks the server and waits for its end.  The kernel kills the server when the
 * warden's thread ends (PR_SET_PDEATHSIG), and that is when this process ends, however it ends.  The server is in a
 * session of its own, so that Ctrl-C reaches us and not it.  It inherits nothing but its log, the server-lock
 * of its directory, and the directory: whoever opens the directory next waits until it has gone. */

#define STORE_SERVER_ARGUMENTS 64
/* The server's descriptor of its directory: a path below /proc/self/fd/4 leads there whoever may enter what lies above it. */
#define STORE_SERVER_DIRECTORY "/proc/self/fd/4"

struct store_server {
    const struct store_directory *directory;
    const char *log_name; /* in the directory */
    const char *package;  /* that has the program */
    const char
        *arguments[STORE_SERVER_ARGUMENTS]; /* of the program, its name first; ends with NULL */
    uid_t user;                             /* whom it runs as; 0: as we do */
    gid_t group;                            /* of that user */
    int end_signal;                         /* SIGTERM or another that ends it in order */
    pthread_t warden;
    bool is_started;
    int started[2]; /* the errno of a program that could not be started, or nothing */
    int log_file;
    atomic_int process; /* 0: never started */
    atomic_int status;  /* of waitpid, once it has gone */
    atomic_bool gone;
    atomic_uint_least64_t received; /* bytes of its answers, by all connections */
};

/* Starts the program.  TW_STORE_OK; or _ABSENT or _IO with *error filled, and nothing to end. */
int store_server_start(struct store_server *server, struct tw_error *error);
/* Waits so long for its own end, ends it, and returns when it has gone.  Nothing if it was not started. */
void store_server_end(struct store_server *server, uint32_t own_accord_ms);
/* The last line of its log, cut to size. */
void store_server_last_words(const struct store_server *server, char *out, size_t size);
/* Bytes it gave to the system to write since it started, without its answers to us; UINT64_MAX if that cannot be read. */
uint64_t store_server_written(struct store_server *server);

#endif
