/*
 * priority_queue.cpp - a plugin in C++: std::priority_queue, with stops that leave their entry behind.
 *
 *     entries   a heap, the earliest due on top, ties by the number of the start:
 *
 *                   due 12, turn 3, timer 7   <- top
 *                   due 12, turn 9, timer 2   due 40, turn 1, timer 7 (dead: timer 7 has turn 3 now)
 *
 *     turns     id -> the number of the start that it runs by; 0: idle
 *
 * std::priority_queue gives up its top only, so a stop or a re-arm changes `turns` and leaves a dead
 * entry in the heap.  The top is always alive: dead ones are dropped as they come there, and when more
 * are dead than alive all of them are sifted out.
 *
 *     start    O(log n), and amortised O(1) for its dead entry
 *     stop     O(1), or O(log n) for each dead entry on top
 *     advance  O(log n) for each timer that fires
 *     next     O(1)
 *     memory   16 bytes per id, 24 for each entry, of which at most half and 64 are dead
 *
 * Compile it with `c++ -O2 -shared -fPIC -I PREFIX/include/twbench -o priority_queue.so
 * priority_queue.cpp`.  An exception must not leave a function of the contract, which is called from C.
 */
#include "backend.h"

#include <new>
#include <queue>
#include <vector>

namespace
{

struct Entry {
    tw_tick due;
    uint64_t turn;
    tw_id id;

    /* std::priority_queue has the greatest on top, and we want the earliest. */
    bool operator<(const Entry &other) const
    {
        return due != other.due ? due > other.due : turn > other.turn;
    }
};

/* What it is made of is protected; the footprint and visit want to see it. */
struct Queue : std::priority_queue<Entry> {
    const std::vector<Entry> &entries() const
    {
        return c;
    }
    template <typename Keep> void sift(Keep keep)
    {
        std::vector<Entry> kept;
        for (const Entry &entry : c)
            if (keep(entry))
                kept.push_back(entry);
        *this = Queue(std::move(kept));
    }
    Queue() = default;
    explicit Queue(std::vector<Entry> &&all) : priority_queue(std::less<Entry>(), std::move(all))
    {
    }
};

struct Timer {
    uint64_t turn; /* 0: idle */
    tw_tick due;
};

} // namespace

struct tw_timers {
    tw_tick now;
    std::vector<Timer> timers;
    Queue queue;
    uint64_t turns = 0;
    uint32_t running = 0;
    size_t dead = 0;

    tw_timers(const tw_config &config) : now(config.now), timers(config.capacity)
    {
    }
    bool is_alive(const Entry &entry) const
    {
        return timers[entry.id].turn == entry.turn;
    }
    void bury()
    {
        for (; !queue.empty() && !is_alive(queue.top()); dead--)
            queue.pop();
        if (queue.empty())
            queue = Queue(); /* a vector keeps its memory; what is empty gives it back */
    }
    void sift()
    {
        if (dead <= running + 64)
            return;
        queue.sift([this](const Entry &entry) { return is_alive(entry); });
        dead = 0;
    }
};

namespace
{

const tw_param params[] = {{nullptr, nullptr, 0, 0, 0}};

int pq_open(tw_timers **out, const tw_config *config, tw_error *error)
{
    int status = params_check(params, config, error);
    if (status != TW_OK)
        return status;
    try {
        *out = new tw_timers(*config);
    } catch (const std::bad_alloc &) {
        return params_no_memory(error, config->capacity * sizeof(Timer));
    }
    return TW_OK;
}

void pq_close(tw_timers *timers)
{
    delete timers;
}

int pq_start(tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (timers->now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE; /* there is no next tick */
    Timer &timer = timers->timers[id];
    bool was_running = timer.turn != 0;
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    try {
        timers->queue.push({due, timers->turns + 1, id});
    } catch (const std::bad_alloc &) {
        return TW_REFUSED_MEMORY; /* as it was */
    }
    timer = {++timers->turns, due};
    timers->running += !was_running;
    timers->dead += was_running;
    timers->bury();
    return was_running ? TW_REARMED : TW_OK;
}

int pq_stop(tw_timers *timers, tw_id id)
{
    if (timers->timers[id].turn == 0)
        return TW_IDLE;
    timers->timers[id].turn = 0;
    timers->running--;
    timers->dead++;
    timers->bury();
    try {
        timers->sift();
    } catch (const std::bad_alloc &) {
        /* then they stay a little longer */
    }
    return TW_OK;
}

void pq_advance(tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (!timers->queue.empty() && timers->queue.top().due <= to) {
        Entry entry = timers->queue.top();
        timers->queue.pop();
        timers->timers[entry.id].turn = 0;
        timers->running--;
        timers->bury();
        timers->now = entry.due;
        expire(ctx, entry.id, entry.due);
    }
    if (to > timers->now)
        timers->now = to;
}

tw_tick pq_next(const tw_timers *timers)
{
    return timers->queue.empty() ? TW_NEVER : timers->queue.top().due;
}

void pq_visit(const tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    const std::vector<Entry> &entries = timers->queue.entries();
    for (size_t i = 0; i < entries.size(); i++)
        if (timers->is_alive(entries[i])) {
            tw_view view = {entries[i].id, entries[i].due, 0, (uint32_t)i, 0};
            visit(ctx, &view);
        }
}

const char *pq_check(const tw_timers *timers)
{
    size_t alive = 0;
    for (const Entry &entry : timers->queue.entries())
        alive += timers->is_alive(entry);
    if (alive != timers->running || alive + timers->dead != timers->queue.size())
        return "the numbers of entries, alive and dead, are wrong";
    if (!timers->queue.empty() && !timers->is_alive(timers->queue.top()))
        return "the top is dead";
    if (!timers->queue.empty() && timers->queue.top().due <= timers->now)
        return "a running timer is due in the past";
    return nullptr;
}

tw_footprint pq_footprint(const tw_timers *timers)
{
    tw_footprint footprint = {};
    footprint.fixed_bytes = sizeof *timers;
    footprint.capacity_bytes = timers->timers.capacity() * sizeof(Timer);
    footprint.pending_bytes = timers->queue.entries().capacity() * sizeof(Entry);
    return footprint;
}

void pq_describe(const tw_timers *, tw_description *out)
{
    *out = tw_description();
    out->span = TW_DEADLINE_MAX;
}

const tw_work *pq_work(const tw_timers *)
{
    return nullptr; /* it counts nothing */
}

const tw_cost constant = {TW_O_1, TW_O_1}, logarithmic = {TW_O_LOG_N, TW_O_N};

/* In the order of struct tw_backend: names in initialisers came to C++ only in 2020. */
const tw_backend table = {
    TW_ABI_VERSION,
    "priority-queue",
    "std::priority_queue; what is stopped stays until it comes to the top",
    {TW_ORDERED | TW_FIFO | TW_TICKLESS | TW_NEXT_EXACT | TW_ALLOCATES, 0, 0, logarithmic,
     logarithmic, logarithmic, constant},
    params,
    pq_open,
    pq_close,
    pq_start,
    pq_stop,
    pq_advance,
    pq_next,
    pq_visit,
    pq_check,
    pq_footprint,
    pq_describe,
    pq_work,
};

} // namespace

TW_PLUGIN(table, table);
