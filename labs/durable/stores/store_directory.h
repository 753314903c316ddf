/*
 * store_directory.h - the directory of a store that stands on a library or a server: made, locked, recognised, measured.
 *
 *     twbench-store   one line: name, version and lasting settings of the store that made the directory
 *     lock            held by the process that has the store open (flock: ends with the process)
 *     server-lock     held by the private server too, which inherits it; a new open waits until the last one has gone
 *
 * A directory that holds anything else and no such line is somebody else's: it is refused and left as it is.
 */
#ifndef TWBENCH_STORE_DIRECTORY_H
#define TWBENCH_STORE_DIRECTORY_H

#include "store.h"

#include <stdbool.h>

struct store_directory {
    int fd;          /* of the directory; -1: not open */
    int lock;        /* closed on exec */
    int server_lock; /* inherited by a server; -1 without server */
    bool is_new;     /* this open made the line */
};

/* Makes the directory if it is not there, takes the lock and reads the line, or writes `line` (without its end).
 * TW_STORE_OK; or _LOCKED, _FORMAT, _IO with *error filled and nothing open. */
int store_directory_open(struct store_directory *directory, const char *path, const char *line,
                         struct tw_error *error);

/* Takes the lock that a server inherits; waits up to 10 s for the server of a process that died.  TW_STORE_OK or
 * _LOCKED. */
int store_directory_lock_server(struct store_directory *directory, struct tw_error *error);

/* Gives the locks and the descriptors back.  The server's lock lasts as long as a server that inherited it. */
void store_directory_close(struct store_directory *directory);

/* Bytes that the file system has allocated to all files below; UINT64_MAX if they cannot be listed.  Reads the
 * directory each time: microseconds for each file. */
uint64_t store_directory_bytes(const struct store_directory *directory);

#endif
