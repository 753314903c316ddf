/*
 * mutate.h - changes JSON by its structure, and looks at what was printed of it.
 *
 * Included once by a fuzz target.  An input is one document, or several with PART between them.  The mutator
 * parses one of them, changes a node - its type, its value, its place, its number, its depth - and prints it
 * again, so that most inputs get past the reader and into what stands behind it.
 */
#ifndef TWBENCH_MUTATE_H
#define TWBENCH_MUTATE_H

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define PART '\036'

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t mutate_random(uint64_t *state, uint64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}

struct mutate_node {
    cJSON *parent, *item;
};

/* Any node but the root, each as likely as the others. */
static void mutate_choose(cJSON *parent, struct mutate_node *chosen, uint64_t *seen,
                          uint64_t *state)
{
    cJSON *item;
    cJSON_ArrayForEach(item, parent)
    {
        if (mutate_random(state, ++*seen) == 0)
            *chosen = (struct mutate_node){parent, item};
        mutate_choose(item, chosen, seen, state);
    }
}

static cJSON *mutate_scalar(uint64_t *state)
{
    static const char *const raw[] = {"0",
                                      "-1",
                                      "-0",
                                      "1",
                                      "0.5",
                                      "1e308",
                                      "1e999",
                                      "5e-324",
                                      "9007199254740993",
                                      "4294967296",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "9223372036854775807",
                                      "1e18",
                                      "\"\\u0001\"",
                                      "\"\\ud83d\\ude00\"",
                                      "\"\\u0000\"",
                                      "true",
                                      "false",
                                      "null",
                                      "[]",
                                      "{}",
                                      "[[0,1],[2,3]]"};
    static const char *const words[] = {
        "",         "ok",   "crashed",        "timeout", "mismatch", "%s%n%d",
        "\377\376", "heap", "a\tb\n<&>\"'|`", "../../x", "claims",   "advice"};
    char large[3000];
    switch (mutate_random(state, 4)) {
    case 0:
        return cJSON_CreateString(words[mutate_random(state, sizeof words / sizeof *words)]);
    case 1:
        memset(large, 'w', sizeof large);
        large[mutate_random(state, sizeof large)] = '\0';
        large[sizeof large - 1] = '\0';
        return cJSON_CreateString(large);
    default:
        return cJSON_CreateRaw(raw[mutate_random(state, sizeof raw / sizeof *raw)]);
    }
}

static void mutate_replace(const struct mutate_node *node, cJSON *with)
{
    if (node->item->string && with) {
        char *key = strdup(node->item->string);
        cJSON_DetachItemViaPointer(node->parent, node->item);
        cJSON_AddItemToObject(node->parent, key, with);
        free(key);
        cJSON_Delete(node->item);
    } else {
        cJSON_ReplaceItemViaPointer(node->parent, node->item, with);
    }
}

static void mutate_copies(const struct mutate_node *node, uint64_t count)
{
    while (count-- > 0) {
        cJSON *copy = cJSON_Duplicate(node->item, 1);
        if (node->item->string)
            cJSON_AddItemToObject(node->parent, node->item->string, copy);
        else
            cJSON_AddItemToArray(node->parent, copy);
    }
}

static cJSON *mutate_deeper(const cJSON *item, uint64_t depth)
{
    cJSON *inner = cJSON_Duplicate(item, 1);
    while (depth-- > 0) {
        cJSON *outer = cJSON_CreateArray();
        cJSON_AddItemToArray(outer, inner);
        inner = outer;
    }
    return inner;
}

static void mutate_tree(cJSON *root, uint64_t *state)
{
    struct mutate_node node = {NULL, NULL}, other = {NULL, NULL};
    uint64_t seen = 0;
    mutate_choose(root, &node, &seen, state);
    seen = 0;
    mutate_choose(root, &other, &seen, state);
    if (!node.item)
        return;
    switch (mutate_random(state, 8)) {
    case 0:
        cJSON_Delete(cJSON_DetachItemViaPointer(node.parent, node.item));
        break;
    case 1:
        mutate_copies(&node, 1 + mutate_random(state, mutate_random(state, 4) ? 3 : 60));
        break;
    case 2:
        mutate_replace(&node, mutate_deeper(node.item, 1 + mutate_random(state, 80)));
        break;
    case 3:
        mutate_replace(&node, cJSON_Duplicate(other.item, 1));
        break;
    default:
        mutate_replace(&node, mutate_scalar(state));
    }
}

/* The part of the input from *begin on that a mutation is about. */
static size_t mutate_part(const uint8_t *data, size_t size, size_t *begin, uint64_t *state)
{
    size_t parts = 1, from = 0;
    for (size_t i = 0; i < size; i++)
        parts += data[i] == PART;
    for (uint64_t skip = mutate_random(state, parts); skip > 0; from++)
        skip -= data[from] == PART;
    const uint8_t *end = memchr(data + from, PART, size - from);
    *begin = from;
    return end ? (size_t)(end - data) - from : size - from;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    size_t begin, length = mutate_part(data, size, &begin, &state);
    cJSON *root = cJSON_ParseWithLength((const char *)data + begin, length);
    if (!root || mutate_random(&state, 16) == 0) {
        cJSON_Delete(root);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    for (uint64_t times = 1 + mutate_random(&state, 3); times > 0; times--)
        mutate_tree(root, &state);
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    size_t made = text ? strlen(text) : 0;
    if (!text || size - length + made > max_size) {
        cJSON_free(text);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memmove(data + begin + made, data + begin + length, size - begin - length);
    memcpy(data + begin, text, made);
    cJSON_free(text);
    return size - length + made;
}

/* ---- For targets. ---------------------------------------------------------------------------- */

/* A file of this process, for readers that take a path. */
static inline const char *fuzz_file(char *path, size_t size, const char *name, const void *data,
                                    size_t length)
{
    snprintf(path, size, "/dev/shm/twbench-fuzz-%ld-%s", (long)getpid(), name);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, 1, length, out) != length || fclose(out) != 0)
        abort();
    return path;
}

/* Aborts when `printed` has a "nan" or an "inf" as a word of its own that the input has not. */
static inline void fuzz_check_numbers(const char *printed, const uint8_t *data, size_t size)
{
    static const char *const words[] = {"nan", "inf"};
    for (size_t w = 0; w < 2; w++) {
        for (size_t i = 0; i + 3 <= size; i++)
            if (strncasecmp((const char *)data + i, words[w], 3) == 0)
                return;
        for (const char *at = printed; (at = strstr(at, words[w])) != NULL; at += 3)
            if ((at == printed || !isalnum((unsigned char)at[-1])) &&
                !isalnum((unsigned char)at[3]) && at[3] != '"') {
                fprintf(stderr, "printed: %.*s\n", 80, at > printed + 40 ? at - 40 : printed);
                abort();
            }
    }
}

#endif
