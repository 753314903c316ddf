/* footing.h - what the system says of processes and directories: memory, bytes written, bytes on disk. */
#ifndef TWBENCH_FOOTING_H
#define TWBENCH_FOOTING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All three are of this process alone, or of another and its children that live.
 *
 * Anonymous resident memory of a process in bytes (RssAnon of /proc/PID/status); UINT64_MAX when it cannot be read. */
uint64_t footing_memory_bytes(int64_t pid);

/* Anonymous memory and pages of mapped files (RssAnon and RssFile), without memory that is shared, such as the harness's
 * book; UINT64_MAX when it cannot be read. */
uint64_t footing_resident_bytes(int64_t pid);

/* Bytes that a process gave to write and its like, and what of its pages went to the disk's cache (wchar and
 * write_bytes of /proc/PID/io); UINT64_MAX when it cannot be read. */
void footing_written(int64_t pid, uint64_t *written_bytes, uint64_t *storage_bytes);

/* Bytes that read and its like gave to a process; UINT64_MAX when it cannot be read. */
uint64_t footing_read_bytes(int64_t pid);

/* Entries of a directory, "." and ".." too: descriptors of /proc/self/fd, threads of /proc/self/task. */
size_t footing_entries(const char *directory);

/* Bytes that are allocated in this process (jemalloc's stats.allocated); UINT64_MAX without jemalloc. */
uint64_t footing_allocated_bytes(void);

/* Bytes that the file system has allocated for all files below the directory. */
uint64_t footing_disk_bytes(const char *directory);

/* Syncs the files below the directory and lets the page cache forget them, as a reboot would.  False when more than a
 * hundredth of a file stays in it, as on a file system in memory. */
bool footing_forget(const char *directory);

/* Removes the directory and all in it; false when something stays. */
bool footing_remove(const char *directory);
/* Copies the files below `from` into `to`, which is made; false on any error. */
bool footing_copy(const char *from, const char *to);

/* Makes a control group (cgroups(7)) below our own, or else below the root, and takes this process into it with all that it
 * starts from now on: together they have `bytes`, page cache included.  Fills in its folder; false with errno where none can be
 * had.  Leaving goes to the group above and removes this one; all children must have ended. */
bool footing_join_group(uint64_t bytes, char folder[PATH_MAX]);
void footing_leave_group(const char *folder);

#endif
