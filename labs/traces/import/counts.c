/* counts.c - keeps names in a hash table, and integers in an array. */
#include "labs/traces/import/import.h"

#include "harness/base/memory.h"

#include <uthash.h>

struct tally_entry {
    UT_hash_handle hh;
    uint64_t count;
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
    struct tally_entry *entry = memory_take(1, sizeof *entry + length + 1);
    memcpy(entry->name, name.at, length);
    HASH_ADD_KEYPTR(hh, tally->entries, entry->name, length, entry);
    return entry;
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
    entry->count += count;
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

/* ---- Integers. ------------------------------------------------------------------------------- */

void distribution_close(struct distribution *distribution)
{
    free(distribution->values);
    *distribution = (struct distribution){0};
}

void distribution_add(struct distribution *distribution, int64_t value)
{
    memory_room(&distribution->values, distribution->total, &distribution->room,
                sizeof *distribution->values);
    distribution->values[distribution->total++] = value;
}

static int values_compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void distribution_sort(struct distribution *distribution)
{
    if (distribution->total > 0)
        qsort(distribution->values, distribution->total, sizeof *distribution->values,
              values_compare);
}

int64_t distribution_percentile(const struct distribution *distribution, unsigned percent)
{
    uint64_t rank = distribution->total / 100 * percent;
    rank += (distribution->total % 100 * percent + 99) / 100;
    return distribution->values[rank > 0 ? rank - 1 : 0];
}

size_t distribution_commonest(const struct distribution *distribution,
                              struct distribution_value *out, size_t wanted, uint64_t *distinct)
{
    size_t found = 0;
    *distinct = 0;
    for (size_t i = 0, next; i < distribution->total; i = next) {
        next = i + 1;
        while (next < distribution->total && distribution->values[next] == distribution->values[i])
            next++;
        size_t count = next - i, place = found;
        ++*distinct;
        while (place > 0 && out[place - 1].count < count)
            place--;
        if (place == wanted)
            continue;
        found += found < wanted;
        memmove(out + place + 1, out + place, (found - 1 - place) * sizeof *out);
        out[place] = (struct distribution_value){distribution->values[i], count};
    }
    return found;
}
