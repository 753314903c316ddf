/* counts.c - keeps names in a hash table, and integers by their number in a keymap. */
#include "labs/traces/import/counts.h"

#include "harness/base/room.h"

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

/* ---- Integers. ------------------------------------------------------------------------------- */

void distribution_close(struct distribution *distribution)
{
    keymap_close(&distribution->values);
    free(distribution->counts);
    *distribution = (struct distribution){0};
}

static int64_t round_value(int64_t value)
{
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    int bits = magnitude ? 64 - __builtin_clzll(magnitude) : 0;
    if (bits > 8)
        magnitude = magnitude >> (bits - 8) << (bits - 8);
    return value < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

bool distribution_add(struct distribution *distribution, int64_t value)
{
    struct keymap *values = &distribution->values;
    uint32_t before = values->count, number = keymap_find(values, (uint64_t)value);
    if (number == KEYMAP_NONE && before >= DISTRIBUTION_EXACT) {
        value = round_value(value);
        distribution->rounded++;
        number = keymap_find(values, (uint64_t)value);
    }
    if (number == KEYMAP_NONE) {
        if (!room_for(&distribution->counts, before, &distribution->room,
                      sizeof *distribution->counts))
            return false;
        number = keymap_add(values, (uint64_t)value);
        if (number == KEYMAP_NONE)
            return false;
        distribution->counts[number] = 0;
    }
    distribution->counts[number]++;
    distribution->total++;
    return true;
}

static int points_compare(const void *left, const void *right)
{
    int64_t a = ((const struct distribution_point *)left)->value;
    int64_t b = ((const struct distribution_point *)right)->value;
    return (a > b) - (a < b);
}

struct distribution_point *distribution_sorted(const struct distribution *distribution)
{
    uint32_t count = distribution->values.count;
    struct distribution_point *points = malloc((count ? count : 1) * sizeof *points);
    if (!points)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        points[i] = (struct distribution_point){(int64_t)distribution->values.keys[i],
                                                distribution->counts[i]};
    qsort(points, count, sizeof *points, points_compare);
    for (uint32_t i = 1; i < count; i++)
        points[i].up_to += points[i - 1].up_to;
    return points;
}

int64_t distribution_percentile(const struct distribution *distribution,
                                const struct distribution_point *points, unsigned percent)
{
    uint64_t rank = distribution->total / 100 * percent;
    rank += (distribution->total % 100 * percent + 99) / 100;
    uint32_t low = 0, high = distribution->values.count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (points[middle].up_to >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return points[low].value;
}

size_t distribution_commonest(const struct distribution *distribution, uint32_t *numbers,
                              size_t wanted)
{
    size_t found = 0;
    const uint64_t *counts = distribution->counts;
    for (uint32_t i = 0; i < distribution->values.count; i++) {
        size_t place = found;
        while (place > 0 && counts[numbers[place - 1]] < counts[i])
            place--;
        if (place == wanted)
            continue;
        found += found < wanted;
        for (size_t move = found - 1; move > place; move--)
            numbers[move] = numbers[move - 1];
        numbers[place] = i;
    }
    return found;
}
