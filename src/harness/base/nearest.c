/* nearest.c - counts the edits from one word to another (optimal string alignment), and keeps the nearest. */
#include "harness/base/text.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Both at most NEAREST_MAX long. */
static size_t distance_of(const char *from, const char *to)
{
    size_t rows[3][NEAREST_MAX + 1], length = strlen(to);
    size_t *older = rows[0], *old = rows[1], *row = rows[2];
    for (size_t j = 0; j <= length; j++)
        old[j] = j;
    for (size_t i = 1; from[i - 1]; i++) {
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            bool same = same_letter(from[i - 1], to[j - 1]);
            row[j] = least(old[j - 1] + !same, least(old[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(from[i - 1], to[j - 2]) &&
                same_letter(from[i - 2], to[j - 1]))
                row[j] = least(row[j], older[j - 2] + 1);
        }
        size_t *free_row = older;
        older = old;
        old = row;
        row = free_row;
    }
    return old[length];
}

struct nearest nearest_to(const char *asked)
{
    return (struct nearest){.asked = asked, .distance = strlen(asked) / 3 + 2};
}

void nearest_offer(struct nearest *nearest, const char *known)
{
    size_t asked = strlen(nearest->asked), length = strlen(known);
    if (asked > NEAREST_MAX || length == 0 || length > NEAREST_MAX)
        return;
    size_t distance = distance_of(nearest->asked, known);
    if (distance >= nearest->distance || distance >= asked)
        return;
    nearest->distance = distance;
    memcpy(nearest->word, known, length + 1);
}

const char *nearest_hint(const struct nearest *nearest, char *out, size_t size)
{
    out[0] = '\0';
    if (nearest->word[0])
        snprintf(out, size, "; did you mean '%s'?", nearest->word);
    return out;
}

const char *nearest_listed(const char *asked, const char *list, char *out, size_t size)
{
    struct nearest nearest = nearest_to(asked);
    while (*list) {
        char word[NEAREST_MAX + 1];
        size_t length = strcspn(list, ", ");
        if (length <= NEAREST_MAX) {
            memcpy(word, list, length);
            word[length] = '\0';
            nearest_offer(&nearest, word);
        }
        list += length;
        list += strspn(list, ", ");
    }
    return nearest_hint(&nearest, out, size);
}
