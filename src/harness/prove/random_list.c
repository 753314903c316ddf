/* random_list.c - makes random operation lists, each with a shape of its own.
 *
 * The shape is how many timers there are, which delays, how the clock moves, how much the callbacks do.  A list keeps to few kinds of delays, because structures break
 * where many timers stand in the same relation to each other.
 *
 * One list in FAR_EVERY is about far timers that come due: many of them, around few ticks, some of
 * which are stopped, near for a while or fired, while the clock comes to the others in great steps.
 * A design that keeps far timers apart is seen to lose none of them there.
 */
#include "harness/base/rng.h"
#include "harness/prove/settings.h"
#include "harness/prove/strides.h"

/* Separates these random numbers from others of the same seed. */
#define SHAPES_STREAM 0x73686170

#define RECENT_MAX 8u

/* One list in so many is about far timers. */
#define FAR_EVERY 16u
/* How far these are, in bits of ticks: from here on, and nearly up to the last tick. */
#define FAR_BITS_MIN 40u
#define FAR_BITS_END 63u

enum delay_kind {
    DELAY_DENSE,    /* a few ticks */
    DELAY_WIDE,     /* any number of bits, up to the shape's limit */
    DELAY_STRIDE,   /* k strides of the design, -1, 0 or +1 */
    DELAY_POWER,    /* a power of two, -1, 0 or +1 */
    DELAY_CONSTANT, /* always the same */
    DELAY_PAST,     /* at now or before */
    DELAY_FAR,      /* any number of bits; powers of two beyond 2^32 ticks, up to the last one */
    DELAY_KINDS,    /* above are those that any list may have */
    DELAY_COMING    /* around the next multiples of 2^jump_bits, to which the clock will come */
};

enum { WEIGHT_START, WEIGHT_STOP, WEIGHT_ADVANCE, WEIGHT_ON_START, WEIGHT_ON_STOP, WEIGHTS };

struct shape {
    struct operations *operations;
    const struct strides *strides;
    struct rng rng;
    uint32_t weights[WEIGHTS];
    enum delay_kind kinds[3]; /* what delays are drawn from */
    unsigned delay_bits;      /* of DELAY_WIDE and DELAY_POWER */
    unsigned jump_bits;       /* of a jump of the clock */
    uint64_t constant;
    tw_tick now;
    tw_tick recent[RECENT_MAX]; /* deadlines given lately: the clock jumps to them */
    unsigned recent_count;
};

struct moment {
    char base;
    uint64_t ticks;
};

static uint64_t shape_below(struct shape *shape, uint64_t bound)
{
    return rng_below(&shape->rng, bound);
}

static bool shape_chance(struct shape *shape, uint64_t one_in)
{
    return shape_below(shape, one_in) == 0;
}

/* -1, 0 or +1 around a distance that is at least 1. */
static uint64_t shape_around(struct shape *shape, uint64_t ticks)
{
    return ticks - 1 + shape_below(shape, 3);
}

/* Any number below 2^bits, as likely with few bits as with many. */
static uint64_t shape_any(struct shape *shape, unsigned bits)
{
    uint64_t first = UINT64_C(1) << shape_below(shape, bits);
    return first + shape_below(shape, first);
}

/* A few strides, or up to 127 of them. */
static uint64_t shape_stride(struct shape *shape)
{
    uint64_t stride = shape->strides->ticks[shape_below(shape, shape->strides->count)];
    uint64_t times = shape_chance(shape, 4) ? shape_any(shape, 7) : 1 + shape_below(shape, 4);
    return shape_around(shape, stride * times);
}

static struct moment shape_far(struct shape *shape)
{
    uint64_t bits = 32 + shape_below(shape, 32);
    switch (shape_below(shape, 4)) {
    case 0:
        return (struct moment){'+', shape_around(shape, UINT64_C(1) << bits)};
    case 1:
        return (struct moment){'+', shape_any(shape, 64)};
    case 2:
        return (struct moment){'@', TW_DEADLINE_MAX - shape_below(shape, 3)};
    default:
        return (struct moment){'+', shape->strides->span - shape_below(shape, 3)};
    }
}

static struct moment shape_coming(struct shape *shape)
{
    uint64_t unit = UINT64_C(1) << shape->jump_bits;
    tw_tick begin = (shape->now & ~(unit - 1)) + unit * (1 + shape_below(shape, 3));
    uint64_t behind = shape_chance(shape, 2) ? shape_below(shape, 4) : shape_below(shape, unit);
    return (struct moment){'+', begin + behind - 1 - shape->now};
}

static struct moment shape_past(struct shape *shape)
{
    if (shape_chance(shape, 8))
        return (struct moment){'@', 0};
    return (struct moment){'-', shape_below(shape, 4) * shape_below(shape, 300)};
}

static struct moment shape_delay(struct shape *shape)
{
    uint64_t bits = shape_below(shape, shape->delay_bits + 1);
    switch (shape->kinds[shape_below(shape, 3)]) {
    case DELAY_DENSE:
        return (struct moment){'+', 1 + shape_below(shape, 12)};
    case DELAY_WIDE:
        return (struct moment){'+', shape_below(shape, UINT64_C(1) << bits)};
    case DELAY_STRIDE:
        return (struct moment){'+', shape_stride(shape)};
    case DELAY_POWER:
        return (struct moment){'+', shape_around(shape, UINT64_C(1) << bits)};
    case DELAY_PAST:
        return shape_past(shape);
    case DELAY_FAR:
        return shape_far(shape);
    case DELAY_COMING:
        return shape_coming(shape);
    default:
        return (struct moment){'+', shape->constant};
    }
}

static tw_id shape_id(struct shape *shape)
{
    return (tw_id)shape_below(shape, shape->operations->capacity);
}

static void shape_start(struct shape *shape)
{
    struct moment moment = shape_delay(shape);
    shape->recent[shape->recent_count++ % RECENT_MAX] =
        operations_resolve(moment.base, moment.ticks, shape->now);
    operations_start(shape->operations, shape_id(shape), moment.base, moment.ticks);
}

static void shape_on_start(struct shape *shape)
{
    struct moment moment = shape_delay(shape);
    tw_id id = shape_id(shape);
    tw_id target = shape_chance(shape, 2) ? id : shape_id(shape);
    uint32_t times = shape_chance(shape, 8) ? (uint32_t)shape_below(shape, 50) + 1 : 1;
    operations_on_start(shape->operations, id, target, moment.base, moment.ticks, times);
}

/* How far the clock moves: mostly a little, now and then to where something is about to happen. */
static uint64_t shape_jump(struct shape *shape)
{
    switch (shape_below(shape, 8)) {
    case 0:
        return shape_below(shape, UINT64_C(1) << shape_below(shape, shape->jump_bits + 1));
    case 1:
        return shape_stride(shape) & ((UINT64_C(1) << shape->jump_bits) - 1);
    case 2:
    case 3:
        if (shape->recent_count >= RECENT_MAX) {
            tw_tick to = shape_around(shape, shape->recent[shape_below(shape, RECENT_MAX)]);
            if (to > shape->now && (to - shape->now) >> shape->jump_bits == 0)
                return to - shape->now;
        }
        return 1;
    default:
        return 1 + (shape_chance(shape, 4) ? shape_below(shape, 10) : 0);
    }
}

/* To now or before, which does nothing; a start behind it sees whether the clock is still right. */
static void shape_advance_back(struct shape *shape)
{
    struct moment moment = shape_past(shape);
    operations_advance(shape->operations, moment.base, moment.ticks);
    moment = shape_past(shape);
    operations_start(shape->operations, shape_id(shape), moment.base, moment.ticks);
}

static void shape_advance(struct shape *shape)
{
    if (shape_chance(shape, 64))
        shape_advance_back(shape);
    uint64_t ticks = shape_jump(shape);
    if (ticks > 1 && ticks < 64 && shape_chance(shape, 2)) {
        operations_tick(shape->operations, (uint32_t)ticks);
    } else {
        operations_advance(shape->operations, '+', ticks);
    }
    shape->now = operations_resolve('+', ticks, shape->now);
}

static void shape_operation(struct shape *shape)
{
    uint32_t sum = 0;
    for (int i = 0; i < WEIGHTS; i++)
        sum += shape->weights[i];
    uint64_t point = shape_below(shape, sum);
    int kind = 0;
    while (point >= shape->weights[kind])
        point -= shape->weights[kind++];
    switch (kind) {
    case WEIGHT_START:
        shape_start(shape);
        break;
    case WEIGHT_STOP:
        operations_stop(shape->operations, shape_id(shape));
        break;
    case WEIGHT_ADVANCE:
        shape_advance(shape);
        break;
    case WEIGHT_ON_START:
        shape_on_start(shape);
        break;
    default:
        operations_on_stop(shape->operations, shape_id(shape), shape_id(shape));
    }
}

static uint32_t shape_capacity(struct shape *shape)
{
    switch (shape_below(shape, 64)) {
    case 0:
        return 1;
    case 1:
        return 1024 + (uint32_t)shape_below(shape, 3072);
    case 2:
    case 3:
        return (uint32_t)shape_around(shape, UINT64_C(2) << shape_below(shape, 12));
    default:
        return 2 + (uint32_t)shape_below(shape, UINT64_C(1) << shape_below(shape, 8));
    }
}

static tw_tick shape_clock(struct shape *shape)
{
    switch (shape_below(shape, 8)) {
    case 0:
        return (UINT64_C(1) << 32) - shape_below(shape, 300);
    case 1:
        return (UINT64_C(1) << 63) - shape_below(shape, 300);
    case 2:
        return TW_DEADLINE_MAX - shape_below(shape, UINT64_C(1) << 20);
    case 3:
    case 4:
        return shape_any(shape, 64);
    default:
        return shape_chance(shape, 2) ? 0 : shape_stride(shape);
    }
}

static void shape_choose(struct shape *shape)
{
    static const uint32_t usual[WEIGHTS] = {10, 3, 8, 4, 2};
    for (int i = 0; i < WEIGHTS; i++)
        shape->weights[i] = (uint32_t)shape_below(shape, 2 * usual[i]);
    shape->weights[WEIGHT_START]++;
    shape->weights[WEIGHT_ADVANCE]++;
    for (int i = 0; i < 3; i++)
        shape->kinds[i] = (enum delay_kind)shape_below(shape, DELAY_KINDS);
    shape->delay_bits = 2 + (unsigned)shape_below(shape, 20);
    while (shape->delay_bits > 2 && shape->strides->span >> (shape->delay_bits - 1) == 0)
        shape->delay_bits--; /* else a short wheel would refuse nearly everything */
    shape->jump_bits = shape_chance(shape, 8) ? 44 : 3 + (unsigned)shape_below(shape, 10);
    shape->constant = 1 + shape_below(shape, UINT64_C(1) << shape_below(shape, 14));
}

/* Many timers wait, most of them for a long time; where the span is short, for about as long. */
static void shape_choose_far(struct shape *shape)
{
    static const uint32_t usual[WEIGHTS] = {12, 4, 2, 2, 1};
    memcpy(shape->weights, usual, sizeof usual);
    shape->kinds[0] = shape->kinds[1] = DELAY_COMING;
    shape->jump_bits = FAR_BITS_MIN + (unsigned)shape_below(shape, FAR_BITS_END - FAR_BITS_MIN);
    while (shape->jump_bits > 2 && shape->strides->span >> (shape->jump_bits + 1) == 0)
        shape->jump_bits--;
    shape->operations->capacity = 16 + (uint32_t)shape_below(shape, 200);
}

void random_list_make(struct operations *operations, uint64_t seed, const struct strides *strides)
{
    struct shape shape = {.operations = operations, .strides = strides};
    rng_seed(&shape.rng, seed, SHAPES_STREAM);
    shape_choose(&shape);
    operations->capacity = shape_capacity(&shape);
    if (seed % FAR_EVERY == 0)
        shape_choose_far(&shape);
    operations->now = shape.now = operations_resolve('@', shape_clock(&shape), 0);
    operations->horizon = shape_chance(&shape, 2) ? 0 : shape_any(&shape, 15);
    uint64_t length = 50 + shape_below(&shape, 1000);
    for (uint64_t i = 0; i < length; i++) {
        shape_operation(&shape);
        if (shape_chance(&shape, 50))
            operations_inspect(operations);
    }
}

/* ---- A fuzzer's bytes ------------------------------------------------------------------------ */

#define RECORD_BYTES 5u

/* A distance in two bytes: any power of two with an 8-bit factor, -1, 0 or +1; the fourth value of
 * the upper two bits counts backwards. */
static struct moment decode_moment(uint8_t factor, uint8_t scale)
{
    uint64_t ticks = (uint64_t)factor << (scale & 63);
    switch (scale >> 6) {
    case 1:
        return (struct moment){'+', ticks + 1};
    case 2:
        return (struct moment){'+', ticks - 1};
    case 3:
        return (struct moment){'-', ticks};
    default:
        return (struct moment){'+', ticks};
    }
}

static void decode_record(struct operations *operations, const uint8_t *record)
{
    tw_id id = record[1] % operations->capacity;
    tw_id target = record[2] % operations->capacity;
    struct moment moment = decode_moment(record[3], record[4]);
    switch (record[0] % 8) {
    case 0:
    case 1:
        operations_start(operations, id, moment.base, moment.ticks);
        break;
    case 2:
        operations_stop(operations, id);
        break;
    case 3:
        operations_tick(operations, 1 + record[3] % 32u);
        break;
    case 4:
        operations_advance(operations, moment.base, moment.ticks);
        break;
    case 5:
    case 6:
        operations_on_start(operations, id, target, moment.base, moment.ticks, 1 + record[0] / 64u);
        break;
    default:
        operations_on_stop(operations, id, target);
    }
}

void random_list_decode(struct operations *operations, const struct tw_backend *backend,
                        const uint8_t *bytes, size_t size)
{
    uint8_t header[4] = {0};
    size_t used = size < sizeof header ? size : sizeof header;
    memcpy(header, bytes, used);
    size_t variants = 1;
    while (
        settings_variant(backend, variants, operations->settings, &operations->setting_count, NULL))
        variants++;
    settings_variant(backend, header[0] % variants, operations->settings,
                     &operations->setting_count, NULL);
    operations->capacity = 1 + header[1] % 64u;
    struct moment clock = decode_moment(header[2], header[3]);
    operations->now = operations_resolve(clock.base == '-' ? '-' : '@', clock.ticks,
                                         clock.base == '-' ? TW_DEADLINE_MAX : 0);
    for (; used + RECORD_BYTES <= size; used += RECORD_BYTES)
        decode_record(operations, bytes + used);
}
