/* durable_load.c - draws arrival, due, size and payload of each message. */
#include "labs/durable/drive/durable_run.h"

#include "impls/wide.h"

#define BLOCK 64u  /* messages that come together in a burst */
#define TURNS 240u /* of the span: hours of ten days */

enum { DRAW_DELAY = 1, DRAW_SIZE, DRAW_CANCEL, DRAW_HOT, DRAW_BURST, DRAW_PAST, DRAW_PAYLOAD };

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* An odd number, and the one that undoes a multiplication by it. */
#define KEY_FACTOR  UINT64_C(0x9e3779b97f4a7c15)
#define KEY_INVERSE UINT64_C(0xf1de83e19937733d)

uint64_t durable_key(uint64_t number)
{
    return (number + 1) * KEY_FACTOR;
}

uint64_t durable_number(uint64_t key)
{
    return key * KEY_INVERSE - 1;
}

/* Sixty-four bits from a seed, a number and a purpose: splitmix64. */
static uint64_t durable_load_draw(uint64_t seed, uint64_t number, uint64_t purpose)
{
    return mix(mix(seed + UINT64_C(0x9e3779b97f4a7c15) * (purpose + 1)) +
               UINT64_C(0x9e3779b97f4a7c15) * (number + 1));
}

static uint64_t below(const struct durable_load *load, uint64_t number, uint64_t purpose,
                      uint64_t bound)
{
    uint64_t draw = durable_load_draw(load->seed, number, purpose);
    return wide_multiply(draw, bound).high;
}

/* Log-uniform in whole octaves, uniform within one: many short, few long. */
static uint32_t draw_size(const struct durable_load *load, uint64_t number)
{
    uint64_t low = load->payload_min, high = load->payload_max, bound = low ? low : 1;
    uint64_t octaves = 1;
    if (low == high || number % 32 == 7)
        return load->payload_min;
    if (number % 32 == 23)
        return load->payload_max;
    for (uint64_t top = 2 * bound; top <= high; top *= 2)
        octaves++;
    bound <<= below(load, number, DRAW_SIZE, octaves);
    uint64_t size = bound - (low == 0) + below(load, number, DRAW_PAYLOAD, bound);
    return (uint32_t)(size < low ? low : size > high ? high : size);
}

static uint64_t draw_arrival(const struct durable_load *load, uint64_t number)
{
    uint64_t block = number / BLOCK;
    bool bursts = below(load, block, DRAW_BURST, 1000) < load->burst_permille;
    uint64_t at = bursts ? block * BLOCK : number;
    return wide_divide(wide_multiply(at, load->arrivals_ms), load->tasks);
}

struct durable_message durable_load_message(const struct durable_load *load, uint64_t number)
{
    uint64_t turn = load->span_ms / TURNS > 0 ? load->span_ms / TURNS : 1;
    struct durable_message message = {.arrival_ms = draw_arrival(load, number),
                                      .size = draw_size(load, number)};
    message.due_ms = message.arrival_ms + 1 + below(load, number, DRAW_DELAY, load->span_ms);
    if (below(load, number, DRAW_HOT, 1000) < load->hot_permille)
        message.due_ms = (message.arrival_ms / turn + 1) * turn;
    if (below(load, number, DRAW_PAST, 1000) < load->past_permille)
        message.due_ms =
            message.arrival_ms - below(load, number, DRAW_DELAY, 1 + message.arrival_ms);
    message.is_cancelled = below(load, number, DRAW_CANCEL, 1000) < load->cancel_permille;
    return message;
}

void durable_load_payload(const struct durable_load *load, uint64_t number, uint32_t size,
                          unsigned char *out)
{
    uint64_t state = durable_load_draw(load->seed, number, DRAW_PAYLOAD);
    for (uint32_t at = 0; at < size; at += 8) {
        uint64_t word = mix(state += UINT64_C(0x9e3779b97f4a7c15));
        memcpy(out + at, &word, size - at < 8 ? size - at : 8);
    }
}

bool durable_load_is_payload(const struct durable_load *load, uint64_t number, const void *payload,
                             uint32_t size)
{
    const unsigned char *bytes = payload;
    uint64_t state = durable_load_draw(load->seed, number, DRAW_PAYLOAD);
    for (uint32_t at = 0; at < size; at += 8) {
        uint64_t word = mix(state += UINT64_C(0x9e3779b97f4a7c15));
        if (memcmp(bytes + at, &word, size - at < 8 ? size - at : 8) != 0)
            return false;
    }
    return true;
}
