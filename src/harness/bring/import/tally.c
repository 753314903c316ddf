/* tally.c - counts names. */
#include "harness/bring/import/tally.h"

#include <stdlib.h>

/* Without memory for its table, uthash is to leave an element out instead of ending the process. */
#define HASH_NONFATAL_OOM      1
#define uthash_nonfatal_oom(x) ((x)->is_hashed = false)
#include <uthash.h>

struct tally_entry {
    UT_hash_handle hh;
    uint64_t count;
    bool is_hashed;
    char name[];
};

void tally_close(struct tally *tally)
{
    struct tally_entry *entry = tally->entries;
    HASH_CLEAR(hh, tally->entries);
    while (entry) {
        struct tally_entry *next = entry->hh.next;
        free(entry);
        entry = next;
    }
}

static struct tally_entry *entry_new(struct tally *tally, struct span name)
{
    size_t length = span_length(name);
    struct tally_entry *entry = malloc(sizeof *entry + length + 1);
    if (!entry)
        return NULL;
    entry->count = 0;
    entry->is_hashed = true;
    memcpy(entry->name, name.at, length);
    entry->name[length] = '\0';
    HASH_ADD_KEYPTR(hh, tally->entries, entry->name, length, entry);
    if (entry->is_hashed)
        return entry;
    free(entry);
    return NULL;
}

void tally_add(struct tally *tally, struct span name, uint64_t count)
{
    struct tally_entry *entry;
    if (count == 0)
        return;
    if (span_length(name) > TALLY_NAME_BYTES)
        name.end = name.at + TALLY_NAME_BYTES;
    HASH_FIND(hh, tally->entries, name.at, span_length(name), entry);
    if (!entry && HASH_COUNT(tally->entries) >= TALLY_NAMES_MAX) {
        name = span_of(TALLY_OTHERS, strlen(TALLY_OTHERS));
        HASH_FIND(hh, tally->entries, name.at, span_length(name), entry);
    }
    if (!entry)
        entry = entry_new(tally, name);
    if (entry)
        entry->count += count;
    else
        tally->out_of_memory = true;
}

void tally_add_text(struct tally *tally, const char *name, uint64_t count)
{
    tally_add(tally, span_of(name, strlen(name)), count);
}

void tally_visit(const struct tally *tally, tally_visit_fn *visit, void *ctx)
{
    for (const struct tally_entry *entry = tally->entries; entry; entry = entry->hh.next)
        visit(ctx, entry->name, entry->count);
}

static int entries_compare(const struct tally_entry *left, const struct tally_entry *right)
{
    return (left->count < right->count) - (left->count > right->count);
}

void tally_sort(struct tally *tally)
{
    HASH_SORT(tally->entries, entries_compare); /* a merge sort, which is stable */
}
