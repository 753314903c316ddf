/* kinds.c - tells how each design is drawn: list, tree, wheel. */
#include "labs/teach/show/film.h"

#include <string.h>

/* What describe() does not say.  Wheels whose slots are worth the product of the sizes below need no
 * row. */
struct kind {
    const char *design;
    enum film_shape shape;
    uint32_t arity, root; /* of a tree: children, and the first index */
    bool sparse;          /* of a tree: places may be free */
    bool distances;       /* of a queue: drawn beside the due ticks */
    /* A slot of the next level is worth 2^bits of this one's; 0: a revolution. */
    uint32_t level_bits;
    uint32_t slots;        /* of every level, when that is not a setting */
    uint32_t slots_root;   /* of the first level, when it has others */
    uint32_t slots_more;   /* than the setting says */
    uint32_t rings;        /* revolutions that a level has slots for; 0: one */
    uint32_t bits_root;    /* as level_bits, of the second level; 0: as the others */
    uint32_t capacity_max; /* with more timers it has more slots than a picture: a set; 0: any */
    const char *left_out;  /* a setting that is 0 for the picture: with another value it is a set */
};

static const struct kind kinds[] = {
    {.design = "list", .shape = FILM_QUEUE},
    {.design = "delta", .shape = FILM_QUEUE, .distances = true},
    {.design = "heap", .shape = FILM_TREE, .arity = 2, .root = 1},
    {.design = "heap-scan", .shape = FILM_TREE, .arity = 2, .root = 1},
    {.design = "heap-lazy", .shape = FILM_TREE, .arity = 2, .root = 1},
    {.design = "heap4", .shape = FILM_TREE, .arity = 4, .root = 3},
    {.design = "coalesce", .shape = FILM_TREE, .arity = 4, .root = 1},
    {.design = "slack-wheel", .shape = FILM_WHEEL, .level_bits = 3},
    {.design = "rbtree", .shape = FILM_TREE, .arity = 2, .root = 1, .sparse = true},
    {.design = "scan", .shape = FILM_SET},
    {.design = "ring", .shape = FILM_WHEEL, .slots_more = 1},
    {.design = "linux", .shape = FILM_WHEEL, .level_bits = 3, .slots = 64},
    {.design = "hier-bitmap", .shape = FILM_WHEEL, .slots = 64},
    {.design = "linux26", .shape = FILM_WHEEL, .slots = 64, .slots_root = 256},
    {.design = "cffs", .shape = FILM_SET}, /* 8192 buckets are more than a picture can have */
    {.design = "lawn", .shape = FILM_SET},
    {.design = "calendar", .shape = FILM_SET}, /* its buckets and their width change as it runs */
    {.design = "todo", .shape = FILM_SET},
    {.design = "two-lists", .shape = FILM_SET},
    {.design = "timer-set", .shape = FILM_SET},
    {.design = "fast",
     .shape = FILM_WHEEL,
     .level_bits = 5,
     .slots = 64,
     .slots_root = 512,
     .bits_root = 8,
     .capacity_max = 256,
     .left_out = "handful"},
    {.design = "hier-preheat", .shape = FILM_WHEEL, .rings = 2},
    {.design = NULL, .shape = FILM_WHEEL}, /* any other: a set where it has no slots */
};

static const struct kind *kind_find(const char *design)
{
    const struct kind *kind = kinds;
    while (kind->design && strcmp(kind->design, design) != 0)
        kind++;
    return kind;
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
static uint64_t unit_above(const struct film_level *level, uint32_t level_bits, uint32_t rings)
{
    uint64_t factor = level_bits ? UINT64_C(1) << level_bits : level->size / rings;
    return level->unit > UINT64_MAX / factor ? level->unit : level->unit * factor;
}

/* As many levels of one size as `depth` says, or as there can be at all. */
static const struct tw_setting *levels_alike(const struct tw_description *description,
                                             const struct kind *kind, uint64_t slots,
                                             struct tw_setting *out)
{
    const struct tw_setting *depth = setting_find(description, "depth");
    *out = (struct tw_setting){.count = FILM_LEVELS_MAX};
    if (depth && depth->values[0] > 0 && depth->values[0] < FILM_LEVELS_MAX)
        out->count = (uint32_t)depth->values[0];
    for (uint32_t i = 0; i < out->count; i++)
        out->values[i] = slots;
    if (kind->slots_root)
        out->values[0] = kind->slots_root;
    return out;
}

static void levels_fill(struct film *film, const struct tw_setting *sizes, const struct kind *kind)
{
    uint32_t rings = kind->rings ? kind->rings : 1;
    film->level_count = sizes->count < FILM_LEVELS_MAX ? sizes->count : FILM_LEVELS_MAX;
    for (uint32_t i = 0; i < film->level_count; i++) {
        uint32_t bits = i == 1 && kind->bits_root ? kind->bits_root : kind->level_bits;
        uint64_t unit = i == 0 ? 1 : unit_above(&film->levels[i - 1], bits, rings);
        uint64_t size = rings * (sizes->values[i] ? sizes->values[i] + kind->slots_more : 1);
        film->levels[i] = (struct film_level){.size = size, .unit = unit};
    }
}

/* Wheels side by side, as many as units are given, all of one size. */
static void wheels_fill(struct film *film, const struct tw_setting *units, uint64_t size)
{
    film->level_count = units->count < FILM_LEVELS_MAX ? units->count : FILM_LEVELS_MAX;
    for (uint32_t i = 0; i < film->level_count; i++)
        film->levels[i] = (struct film_level){.size = size, .unit = units->values[i]};
}

const char *kinds_left_out(const struct tw_backend *design)
{
    return kind_find(design->name)->left_out;
}

void kinds_lay_out(const struct tw_backend *design, const struct tw_description *description,
                   uint64_t capacity, struct film *film)
{
    const struct kind *kind = kind_find(design->name);
    static const char *const names[] = {"levels", "slots", "range", "timeout"};
    const struct tw_setting *sizes = NULL, *units = setting_find(description, "units");
    struct tw_setting alike;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !sizes; i++)
        sizes = setting_find(description, names[i]);
    film->levels[0] = (struct film_level){1, 1};
    film->level_count = 1;
    film->shape = kind->design || sizes ? kind->shape : FILM_SET;
    film->arity = kind->arity;
    film->root = kind->root;
    film->sparse = kind->sparse;
    film->distances = kind->distances;
    if (kind->slots || (kind->design && setting_find(description, "depth")))
        sizes =
            levels_alike(description, kind, kind->slots ? kind->slots : sizes->values[0], &alike);
    const struct tw_setting *left_out =
        kind->left_out ? setting_find(description, kind->left_out) : NULL;
    if ((kind->capacity_max && capacity > kind->capacity_max) ||
        (left_out && left_out->values[0] > 0))
        film->shape = FILM_SET;
    if (film->shape == FILM_WHEEL && sizes && units)
        wheels_fill(film, units, sizes->values[0]);
    else if (film->shape == FILM_WHEEL && sizes)
        levels_fill(film, sizes, kind);
}

void kinds_trim(struct film *film, bool chosen)
{
    const struct kind *kind = kind_find(film->design);
    uint32_t used = 1;
    for (size_t f = 0; f < film->frame_count; f++) {
        const struct film_frame *frame = &film->frames[f];
        if (frame->timer_count > 0 && frame->timers[frame->timer_count - 1].level >= used)
            used = frame->timers[frame->timer_count - 1].level + 1;
    }
    if ((!chosen || kind->slots) && used < film->level_count)
        film->level_count = used;
}
