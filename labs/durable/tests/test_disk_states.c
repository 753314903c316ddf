/* test_disk_states.c - a record of a disk leaves the states that it may leave, and no others. */
#include "harness/base/file.h"
#include "labs/durable/crash/crash.h"
#include "labs/durable/drive/footing.h"
#include "testing.h"

#include <unistd.h>

struct disk {
    struct disk_log *log;
    char root[64], directory[80];
};

static void note(struct disk *disk, uint32_t kind, uint32_t file, uint64_t offset, const void *data,
                 uint32_t length)
{
    struct disk_log *log = disk->log;
    log->records[log->length] = (struct disk_record){
        .kind = kind, .file = file, .offset = offset, .length = length, .data = log->used};
    if (length > 0)
        memcpy(log->data + log->used, data, length);
    log->used += length;
    log->length++;
    log->file_count = 2;
}

static void note_name(struct disk *disk, uint32_t kind, uint32_t file, const char *name)
{
    note(disk, kind, file, 0, name, (uint32_t)strlen(name) + 1);
}

/* Each test has a disk whose record is empty. */
static int disk_open(void **state)
{
    struct disk *disk = malloc(sizeof *disk);
    assert_non_null(disk);
    *state = disk;
    temporary_name(disk->root, sizeof disk->root, "test_disk_states");
    assert_non_null(mkdtemp(disk->root));
    snprintf(disk->directory, sizeof disk->directory, "%s/state", disk->root);
    disk->log = disk_log_make(1 << 20);
    assert_non_null(disk->log);
    disk->log->parent_at = 1;
    return 0;
}

static int disk_close(void **state)
{
    struct disk *disk = *state;
    assert_true(footing_remove(disk->root));
    disk_log_free(disk->log);
    free(disk);
    return 0;
}

/* The text of the file, "-" when it is not there; the caller frees it. */
static char *text_of(struct disk *disk, uint64_t cut, enum disk_arrival arrival, uint64_t seed,
                     const char *name)
{
    char path[120], *text = NULL;
    size_t size;
    struct diag diag;
    assert_true(disk_state_make(disk->log, cut, arrival, seed, disk->directory));
    snprintf(path, sizeof path, "%s/%s", disk->directory, name);
    if (access(path, F_OK) != 0)
        text = strdup("-");
    else
        assert_int_equal(file_read(path, &text, &size, &diag), DIAG_OK);
    assert_true(footing_remove(disk->directory));
    return text;
}

static void is(struct disk *disk, uint64_t cut, enum disk_arrival arrival, const char *name,
               const char *expected)
{
    char *text = text_of(disk, cut, arrival, 1, name);
    assert_string_equal(text, expected);
    free(text);
}

TEST_AROUND(the_directory_is_there_once_the_one_above_was_synced, disk_open, disk_close)
{
    struct disk *disk = *state;
    note_name(disk, DISK_CREATE, 0, "a");
    note(disk, DISK_WRITE, 0, 0, "one", 3);
    note(disk, DISK_SYNC, 0, 2, NULL, 0);
    disk->log->parent_at = 4;
    is(disk, 3, DISK_NOTHING, "a", "-");
    is(disk, 3, DISK_NAMES, "a", "one");
    note(disk, DISK_SYNC, DISK_PARENT, 3, NULL, 0);
    is(disk, 4, DISK_NOTHING, "a", "one");
    /* Names may be ahead of what was written. */
    note_name(disk, DISK_RENAME, 0, "b");
    note(disk, DISK_WRITE, 0, 0, "two", 3);
    is(disk, 6, DISK_NAMES, "b", "one");
    disk_log_settle(disk->log, 20);
    assert_int_equal(disk->log->length, 20);
    is(disk, 20, DISK_NOTHING, "b", "two");
}

TEST_AROUND(what_a_sync_covers_is_there, disk_open, disk_close)
{
    struct disk *disk = *state;
    note_name(disk, DISK_CREATE, 0, "log");
    note(disk, DISK_WRITE, 0, 0, "one", 3);
    note(disk, DISK_SYNC, 0, 2, NULL, 0);
    note(disk, DISK_WRITE, 0, 3, "two", 3);
    is(disk, 0, DISK_EVERYTHING, "log", "-");
    is(disk, 2, DISK_NOTHING, "log", "-");
    is(disk, 2, DISK_EVERYTHING, "log", "one");
    is(disk, 3, DISK_NOTHING, "log", "one");
    is(disk, 4, DISK_NOTHING, "log", "one");
    is(disk, 4, DISK_EVERYTHING, "log", "onetwo");
}

TEST_AROUND(what_came_while_a_sync_ran_is_not_covered, disk_open, disk_close)
{
    struct disk *disk = *state;
    note_name(disk, DISK_CREATE, 0, "log");
    note(disk, DISK_WRITE, 0, 0, "one", 3);
    note(disk, DISK_WRITE, 0, 3, "two", 3);
    note(disk, DISK_SYNC, 0, 2, NULL, 0); /* it had begun before the second write */
    is(disk, 4, DISK_NOTHING, "log", "one");
}

TEST_AROUND(what_a_failed_sync_was_to_cover_never_is, disk_open, disk_close)
{
    struct disk *disk = *state;
    note_name(disk, DISK_CREATE, 0, "log");
    note(disk, DISK_WRITE, 0, 0, "one", 3);
    note(disk, DISK_SYNC, 0, 2, NULL, 0);
    note(disk, DISK_WRITE, 0, 3, "two", 3);
    note(disk, DISK_SYNC_FAILED, 0, 4, NULL, 0);
    note(disk, DISK_WRITE, 0, 6, "end", 3);
    note(disk, DISK_SYNC, 0, 6, NULL, 0);
    is(disk, 7, DISK_NOTHING, "log", "one");
}

/* The journal still has the name; the sync of the file that answers well has written the journal. */
TEST_AROUND(a_name_outlives_a_sync_of_the_directory_that_failed, disk_open, disk_close)
{
    struct disk *disk = *state;
    note_name(disk, DISK_CREATE, 0, "log");
    note(disk, DISK_SYNC_FAILED, DISK_DIRECTORY, 1, NULL, 0);
    note(disk, DISK_WRITE, 0, 0, "one", 3);
    is(disk, 3, DISK_NOTHING, "log", "-");
    note(disk, DISK_SYNC, 0, 3, NULL, 0);
    is(disk, 4, DISK_NOTHING, "log", "one");
}

/* Two sectors: all four combinations come, and no other. */
TEST_AROUND(writes_are_torn_at_sectors, disk_open, disk_close)
{
    struct disk *disk = *state;
    char bytes[1024];
    unsigned seen = 0;
    memset(bytes, 'x', sizeof bytes);
    note_name(disk, DISK_CREATE, 0, "log");
    note(disk, DISK_TRUNCATE, 0, 1024, NULL, 0);
    note(disk, DISK_SYNC, 0, 2, NULL, 0);
    note(disk, DISK_WRITE, 0, 0, bytes, sizeof bytes);
    for (uint64_t seed = 0; seed < 40; seed++) {
        char *found = text_of(disk, 4, DISK_TORN, seed, "log");
        for (size_t i = 0; i < 512; i++) {
            assert_int_equal(found[i], found[0]);
            assert_int_equal(found[512 + i], found[512]);
        }
        seen |= 1u << ((found[0] ? 1 : 0) + (found[512] ? 2 : 0));
        free(found);
    }
    assert_int_equal(seen, 15);
}

TEST_AROUND(names_are_kept_in_order, disk_open, disk_close)
{
    struct disk *disk = *state;
    note_name(disk, DISK_CREATE, 0, "new");
    note(disk, DISK_WRITE, 0, 0, "one", 3);
    note(disk, DISK_SYNC, 0, 2, NULL, 0);
    note_name(disk, DISK_RENAME, 0, "old");
    note_name(disk, DISK_CREATE, 1, "other");
    is(disk, 5, DISK_NOTHING, "new", "one");
    is(disk, 5, DISK_NOTHING, "old", "-");
    is(disk, 5, DISK_EVERYTHING, "old", "one");
    is(disk, 5, DISK_EVERYTHING, "new", "-");
    note(disk, DISK_SYNC, DISK_DIRECTORY, 5, NULL, 0);
    note_name(disk, DISK_UNLINK, 0, "old");
    is(disk, 7, DISK_NOTHING, "old", "one");
    is(disk, 7, DISK_NOTHING, "other", "");
    is(disk, 7, DISK_EVERYTHING, "old", "-");
}

TEST_MAIN(NULL, NULL)
