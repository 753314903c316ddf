/*
 * disk.h - the record of what a process does to the files below one directory, and what it is to be told instead.
 *
 * disk_layer.c is a shared object of its own that is loaded before all others (LD_PRELOAD).  It stands between a store
 * and the C library: writes, truncations, syncs, and the making, renaming and removing of files are done and
 * recorded, in the order in which they came, in memory that outlives the process.  Syncs are recorded and not done: what
 * a disk would hold is found from the record (crash/crash.h).  Without a record (disk_current
 * is NULL) every call goes through.
 *
 * A sync covers what was recorded when it began, and nothing later.
 */
#ifndef TWBENCH_DISK_H
#define TWBENCH_DISK_H

#include <stdatomic.h>
#include <stdint.h>

#define DISK_FILES_MAX   512
#define DISK_NAME_SIZE   120
#define DISK_RECORDS_MAX 65536

enum disk_kind {
    DISK_WRITE,    /* length bytes at offset */
    DISK_TRUNCATE, /* the file has `offset` bytes */
    DISK_SYNC, /* of the file, or of the directory if file is DISK_DIRECTORY: covers records below `offset` */
    DISK_SYNC_FAILED, /* likewise, but it failed: of what it would have covered no write is ever covered */
    DISK_CREATE, /* name begins to stand for file */
    DISK_RENAME, /* name stands for file; the old name of the file is no longer there */
    DISK_UNLINK  /* name is no longer there */
};

#define DISK_DIRECTORY UINT32_MAX
/* Where the store's own directory stands: a sync of it covers that directory's name. */
#define DISK_PARENT (UINT32_MAX - 1)

struct disk_record {
    uint32_t kind, file;
    uint64_t offset;
    uint32_t length, name; /* of the payload or of the name */
    uint64_t data;         /* where in the data the written bytes are, or the name */
};

/* What a call is answered instead of being done. */
enum disk_fault {
    DISK_SOUND,
    DISK_FAIL_WRITE,
    DISK_FAIL_SYNC,
    DISK_FAIL_BESIDE, /* a sync, while another is under way */
    DISK_FAIL_ALL,
    DISK_FAIL_READ,
    DISK_SHORT_READ, /* half of what was asked for is read, as a signal may have it */
    DISK_SHORT_WRITE /* half of the first part is written, and the call says so */
};

struct disk_log {
    char root[4096];                /* with a slash at its end */
    _Atomic uint32_t lock, syncing; /* syncs that are under way */
    uint32_t sync_us;               /* how long each takes at least */
    _Atomic uint64_t length;        /* records */
    uint64_t used, size;            /* bytes of data */
    uint64_t overflow;              /* records that had no room: the record is of no use */
    uint32_t fault; /* enum disk_fault; DISK_FAIL_ALL: writes and what makes files */
    int32_t fault_errno;
    int64_t fault_after; /* so many calls that it is about go well */
    int64_t fault_count; /* then so many fail */
    uint32_t fault_half; /* the first write that fails does half of its work before */
    uint64_t faults;     /* calls that were failed */
    uint32_t is_quiet;   /* records nothing and does no sync of files below root: for speed */
    uint64_t parent_at;  /* length of the record when a sync of DISK_PARENT first ended; 0: none */
    uint32_t file_count;
    struct {
        uint64_t device, inode;
    } files[DISK_FILES_MAX];
    struct disk_record records[DISK_RECORDS_MAX];
    unsigned char data[];
};

/* What the layer exports. */
extern struct disk_log *disk_current;

#endif
