/* jiffies.c - finds how jiffies relate to the log's clock. */
#include "labs/traces/import/jiffies.h"

uint64_t jiffies_tick_ns(uint64_t hz)
{
    return (UINT64_C(1000000000) + hz / 2) / hz;
}

void jiffies_init(struct jiffies *fit, uint64_t hz)
{
    *fit = (struct jiffies){.tick_ns = jiffies_tick_ns(hz)};
}

/* Both as differences to what was known first, so that nothing overflows. */
static int64_t tick_start(const struct jiffies *fit, uint64_t jiffies)
{
    return (int64_t)(jiffies - fit->first) * (int64_t)fit->tick_ns;
}

void jiffies_learn(struct jiffies *fit, struct jiffies_known known)
{
    if (!fit->begun) {
        fit->begun = true;
        fit->first = known.jiffies;
        fit->first_ns = known.ns;
    }
    int64_t base = (int64_t)(known.ns - fit->first_ns) - tick_start(fit, known.jiffies);
    if (base < fit->base)
        fit->base = base;
}

uint64_t jiffies_at(const struct jiffies *fit, uint64_t ns)
{
    int64_t tick = (int64_t)fit->tick_ns, since = (int64_t)(ns - fit->first_ns) - fit->base;
    int64_t ticks = since / tick - (since % tick < 0);
    return fit->first + (uint64_t)ticks;
}

int64_t jiffies_error(const struct jiffies *fit, struct jiffies_known known)
{
    return (int64_t)(jiffies_at(fit, known.ns) - known.jiffies);
}

/* Within a jiffy only the first and the last event decide, and a burst shall not count for more. */
static bool is_inside(const struct jiffies_known *known, size_t count, size_t i)
{
    return i > 0 && i + 1 < count && known[i].jiffies == known[i - 1].jiffies &&
           known[i].jiffies == known[i + 1].jiffies;
}

/* How many of the others fit. */
static size_t fitting(const struct jiffies_known *known, size_t count, uint64_t hz)
{
    struct jiffies fit;
    size_t exact = 0;
    jiffies_init(&fit, hz);
    for (size_t i = 0; i < count; i++)
        jiffies_learn(&fit, known[i]);
    for (size_t i = 0; i < count; i++)
        exact += !is_inside(known, count, i) && jiffies_error(&fit, known[i]) == 0;
    return exact;
}

uint64_t jiffies_find_hz(const struct jiffies_known *known, size_t count, uint64_t *other)
{
    /* kernel/Kconfig.hz of all architectures, the commonest first. */
    static const uint64_t table[] = {
        JIFFIES_HZ_DEFAULT, 1000, 100, 300, 128, 256, 1024, 200, 500, 24, 32, 48, 64, 1200};
    enum { TABLE = sizeof table / sizeof *table };
    size_t exact[TABLE], best = 0;
    uint64_t found = 0;
    for (size_t i = 0; i < TABLE; i++) {
        exact[i] = fitting(known, count, table[i]);
        best = exact[i] > best ? exact[i] : best;
    }
    *other = 0;
    for (size_t i = 0; i < TABLE; i++) {
        if (exact[i] + best / 20 < best)
            continue;
        if (!found)
            found = table[i];
        else if (!*other)
            *other = table[i];
    }
    return found;
}
