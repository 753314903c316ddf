/* kinds.c - the table of shapes. */
#include "harness/show/kinds.h"

#include <string.h>

/* What describe() does not say.  Wheels whose slots are worth the product of the sizes below need no
 * row. */
struct kind {
    const char *design;
    enum film_shape shape;
    uint32_t arity; /* of a tree */
    uint32_t root;  /* its first index */
    uint32_t
        level_bits; /* a slot of the next level is worth 2^bits of this one's; 0: a revolution */
};

static const struct kind kinds[] = {
    {.design = "list", .shape = FILM_QUEUE},
    {.design = "heap", .shape = FILM_TREE, .arity = 2, .root = 1},
    {.design = "heap-scan", .shape = FILM_TREE, .arity = 2},
    {.design = "heap-lazy", .shape = FILM_TREE, .arity = 2},
    {.design = "heap4", .shape = FILM_TREE, .arity = 4},
    {.design = "scan", .shape = FILM_SET},
    {.design = "linux", .shape = FILM_WHEEL, .level_bits = 3},
};

static const struct kind *kind_find(const char *design)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].design, design) == 0)
            return &kinds[i];
    return NULL;
}

static const struct tw_setting *setting_find(const struct tw_description *description,
                                             const char *name)
{
    for (size_t i = 0; i < description->setting_count; i++)
        if (strcmp(description->settings[i].name, name) == 0)
            return &description->settings[i];
    return NULL;
}

/* A level that is worth more than the clock can count is empty for ever; its unit stays where it is. */
static uint64_t unit_above(const struct film_level *level, uint32_t level_bits)
{
    uint64_t factor = level_bits ? UINT64_C(1) << level_bits : level->size;
    return level->unit > UINT64_MAX / factor ? level->unit : level->unit * factor;
}

static void levels_fill(struct film *film, const struct tw_setting *sizes, uint32_t level_bits)
{
    film->level_count = sizes->count < FILM_LEVELS_MAX ? sizes->count : FILM_LEVELS_MAX;
    for (uint32_t i = 0; i < film->level_count; i++) {
        uint64_t unit = i == 0 ? 1 : unit_above(&film->levels[i - 1], level_bits);
        uint64_t size = sizes->values[i] ? sizes->values[i] : 1;
        film->levels[i] = (struct film_level){.size = size, .unit = unit};
    }
}

void kinds_lay_out(const struct tw_backend *design, const struct tw_description *description,
                   struct film *film)
{
    const struct kind *kind = kind_find(design->name);
    static const char *const names[] = {"levels", "slots", "range"};
    const struct tw_setting *sizes = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !sizes; i++)
        sizes = setting_find(description, names[i]);
    film->levels[0] = (struct film_level){1, 1};
    film->level_count = 1;
    film->shape = kind ? kind->shape : sizes ? FILM_WHEEL : FILM_SET;
    film->arity = kind ? kind->arity : 0;
    film->root = kind ? kind->root : 0;
    if (film->shape == FILM_WHEEL && sizes)
        levels_fill(film, sizes, kind ? kind->level_bits : 0);
}
