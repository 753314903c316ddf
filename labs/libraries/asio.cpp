/*
 * asio.cpp - steady_timer of Asio, on a clock of our own: a binary heap beside a list.
 *
 *     io_context --- epoll_reactor --- timer_queue:  heap_    vector of (time, timer), a binary heap
 *                                                    timers_  list of all timers that are waited for
 *
 *     START    expires_at, which cancels what was waited for, then async_wait: an operation with the
 *              handler is allocated; up_heap; where it is the earliest, timerfd_settime
 *     STOP     cancel: remove_timer, found by its back-index; the handler is queued, with
 *              operation_aborted, and called in the next turn
 *     TICK     io_context.poll: epoll_wait, whatever is due
 *     EXPIRY   when epoll_wait reports the timer's descriptor, all that is due is popped from the heap
 *              and queued, timerfd_settime, the handlers are called; then epoll_wait once more
 *
 *             average     worst
 *     start   O(1)        O(log n)    of one that runs: and a removal
 *     stop    O(log n)    O(log n)
 *     advance O(log n)    O(log n)    per expired timer; and O(1) per timer stopped or started anew
 *                                     since, whose handlers come to hear of it
 *     next    O(1)        O(1)        what Asio set the kernel's timer to: a bound, at most 3 * 10^8
 *                                     ticks ahead, and too early where the earliest was stopped
 *
 * The clock is a public parameter of basic_waitable_timer; its now() is the virtual tick.  A tick is
 * taken for a microsecond, which only says how far ahead the kernel's timer is set.  What epoll_wait
 * reports of that timer is answered (asio_system.h); the calls are made all the same.  With `poll=0` they
 * are not.  Exact; ticks are counted from -2^63, so that any deadline fits.  A jump is one turn, in
 * order but for what callbacks start.
 *
 * As in use: steady_timer's own executor type (any_io_executor), one io_context with the hint that one
 * thread uses it, a guard that keeps it running.  Handlers hear both of expiry and of abortion; one
 * that was queued with success and then stopped cannot be told so by Asio, and looks whether the
 * deadline is still the one it waits for.
 *
 * What a figure includes stands in labs/libraries/docs/LIBRARIES.md.  Asio keeps two pieces of memory per thread for the next
 * operations, but only inside poll.  An operation of a stopped timer lives until the next turn.
 *
 * Memory: 120 bytes per id for the timer and 8 for its due tick; a running timer has 16 in the heap and an
 * operation of 144 on top, more until a turn where it was started anew.
 */
#include "asio_system.h"
#include "impls/backend.h"

#define ASIO_STANDALONE
#define ASIO_NO_DEPRECATED
#include <asio/basic_waitable_timer.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <vector>

/* Everything is this file's own: the two objects made of it are linked together, and differ. */
namespace
{

const tw_param asio_params[] = {
    {"poll", "1: each turn asks the kernel for events, as in use; 0: the structure alone (1)", 0, 1,
     1},
    {nullptr, nullptr, 0, 0, 0}};

/* The virtual clock of the instance that is being driven.  Ticks without a sign become numbers with one,
 * in the same order. */
struct tick_clock {
    using rep = std::int64_t;
    using period = std::micro;
    using duration = std::chrono::duration<rep, period>;
    using time_point = std::chrono::time_point<tick_clock>;
    [[maybe_unused]] static constexpr bool is_steady = true;

    static time_point at(tw_tick tick) noexcept
    {
        return time_point(duration(static_cast<rep>(tick ^ (UINT64_C(1) << 63))));
    }

    static time_point now() noexcept
    {
        if (answer_current->work)
            answer_current->work->clock_reads++;
        return at(asio_system_current()->now);
    }
};

using tick_timer = asio::basic_waitable_timer<tick_clock>;

struct task {
    explicit task(asio::io_context &context) : timer(context)
    {
    }

    tick_timer timer;
    tw_tick due = TW_NEVER;
};

/* What struct tw_timers is to the harness. */
struct facility {
    asio_system system{}; /* first to be made, because the context asks it */
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard{context.get_executor()};
    std::vector<task> tasks;
    std::uint32_t running = 0;
    bool queued = false; /* handlers that hear of abortion keep Asio from sleeping */
    tw_tick now = 0;     /* in a callback, the due tick of the timer that fires */
    tw_expire_fn *expire = nullptr;
    void *ctx = nullptr;
    TW_WORK_FIELD
};

facility *facility_of(tw_timers *timers)
{
    return reinterpret_cast<facility *>(timers);
}

const facility *facility_of(const tw_timers *timers)
{
    return reinterpret_cast<const facility *>(timers);
}

/* The handler: one for each start. */
struct firing {
    facility *timers;
    tw_id id;
    tw_tick due;

    void operator()(const asio::error_code &error) const
    {
        task &fired = timers->tasks[id];
        if (error || fired.due != due)
            return;
        fired.due = TW_NEVER;
        timers->running--;
        timers->now = due;
        timers->expire(timers->ctx, id, due);
        /* The callback may have called another instance. */
        answer_begin(&timers->system.answer);
    }
};

/* ---- Counting --------------------------------------------------------------------------------- */

/* Allocations are operator new for the heap and aligned_alloc for operations: in this module's own table of
 * imports, so that the real ones have to be called by other names. */
#ifdef TW_COUNTED
void *counted_new(std::size_t size)
{
    if (answer_current && answer_current->work)
        answer_current->work->allocations++;
    void *memory = operator new(size, std::nothrow);
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

void *counted_aligned_alloc(std::size_t alignment, std::size_t size)
{
    if (answer_current && answer_current->work)
        answer_current->work->allocations++;
    void *memory = nullptr;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}
#endif

int asio_start(tw_timers *timers, tw_id id, tw_tick deadline);

int counting_prepare(facility *self, tw_error *error)
{
#ifdef TW_COUNTED
    auto here = reinterpret_cast<void (*)()>(asio_start);
    self->system.answer.work = &self->work;
    int status = answer_function(here, "_Znwm", reinterpret_cast<void (*)()>(counted_new), error);
    return status != TW_OK
               ? status
               : answer_function(here, "aligned_alloc",
                                 reinterpret_cast<void (*)()>(counted_aligned_alloc), error);
#else
    (void)self;
    (void)error;
    return TW_OK;
#endif
}

/* ---- Open and close --------------------------------------------------------------------------- */

/* Who drives a design may leave a callback by longjmp, when it has seen enough (conform does).  Asio's
 * thread would go on pointing into the frame of poll() that is gone, for which there is no remedy in public:
 * naming a private member is allowed in an explicit instantiation alone.  So each open forgets the frames
 * of those before; none is open inside a callback of another. */
using frames =
    asio::detail::call_stack<asio::detail::thread_context, asio::detail::thread_info_base>;

void frames_forget();

template <auto *Top> struct frames_access {
    friend void frames_forget()
    {
        *Top = nullptr;
    }
};

template struct frames_access<&frames::top_>;

int asio_open(tw_timers **out, const tw_config *config, tw_error *error)
{
    int status = params_check(asio_params, config, error);
    if (status != TW_OK)
        return status;
    const tw_setting *poll = params_find(config, "poll");
    frames_forget();
    try {
        auto self = std::make_unique<facility>();
        self->system.answer.is_alone = poll && poll->values[0] == 0;
        self->now = self->system.now = config->now;
        answer_begin(&self->system.answer);
        self->tasks.reserve(config->capacity);
        for (tw_id id = 0; id < config->capacity; id++)
            self->tasks.emplace_back(self->context);
        status = counting_prepare(self.get(), error);
        if (status == TW_OK)
            *out = reinterpret_cast<tw_timers *>(self.release());
    } catch (const std::bad_alloc &) {
        status = params_no_memory(error, config->capacity * sizeof(task));
    } catch (const std::exception &failure) {
        std::snprintf(error->text, sizeof error->text, "asio: %s", failure.what());
        status = TW_BAD_SETTING;
    }
    answer_current = nullptr;
    return status;
}

/* Nothing is asked of an instance that goes. */
void asio_close(tw_timers *timers)
{
    facility *self = facility_of(timers);
    answer_end(&self->system.answer);
    delete self;
}

/* ---- Start, stop and advance ------------------------------------------------------------------ */

int asio_start(tw_timers *timers, tw_id id, tw_tick deadline)
{
    facility *self = facility_of(timers);
    task &started = self->tasks[id];
    tw_tick due = deadline > self->now ? deadline : self->now + 1;
    bool was_running = started.due != TW_NEVER;
    if (due > TW_DEADLINE_MAX || due == 0)
        return TW_REFUSED_RANGE; /* the clock is at its end, where no tick follows */
    answer_begin(&self->system.answer);
    started.due = due;
    self->running += !was_running;
    self->queued |= started.timer.expires_at(tick_clock::at(due)) > 0;
    started.timer.async_wait(firing{self, id, due});
    return was_running ? TW_REARMED : TW_OK;
}

int asio_stop(tw_timers *timers, tw_id id)
{
    facility *self = facility_of(timers);
    task &stopped = self->tasks[id];
    if (stopped.due == TW_NEVER)
        return TW_IDLE;
    answer_begin(&self->system.answer);
    stopped.due = TW_NEVER;
    self->running--;
    self->queued |= stopped.timer.cancel() > 0;
    return TW_OK;
}

/* poll() turns until nothing is ready, so that what callbacks start for this advance fires in it. */
void asio_advance(tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    facility *self = facility_of(timers);
    if (to <= self->now)
        return;
    answer_begin(&self->system.answer);
    self->expire = expire;
    self->ctx = ctx;
    self->system.now = to;
    if (!self->system.answer.is_alone || self->queued || asio_is_ready(self->system)) {
        self->context.poll();
        self->queued = false;
    }
    self->now = to;
}

/* ---- What can be asked ------------------------------------------------------------------------ */

tw_tick asio_next(const tw_timers *timers)
{
    const facility *self = facility_of(timers);
    if (self->running == 0)
        return TW_NEVER;
    return self->system.alarm > self->now ? self->system.alarm : self->now + 1;
}

void asio_visit(const tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    tw_view view{};
    for (const task &each : facility_of(timers)->tasks) {
        view.deadline = each.due;
        if (each.due != TW_NEVER)
            visit(ctx, &view);
        view.id++;
    }
}

const char *asio_check(const tw_timers *timers)
{
    const facility *self = facility_of(timers);
    std::uint32_t running = 0;
    for (const task &each : self->tasks) {
        if (each.due == TW_NEVER)
            continue;
        if (each.timer.expiry() != tick_clock::at(each.due))
            return "the library has another deadline than the due tick";
        if (each.due <= self->now)
            return "a running timer is due on a processed tick";
        running++;
    }
    return running == self->running ? nullptr : "the number of running timers is wrong";
}

tw_footprint asio_footprint(const tw_timers *timers)
{
    const facility *self = facility_of(timers);
    tw_footprint footprint{};
    footprint.fixed_bytes = sizeof *self;
    footprint.capacity_bytes = self->tasks.capacity() * sizeof(task);
    return footprint;
}

void asio_describe(const tw_timers *timers, tw_description *out)
{
    *out = tw_description{};
    out->span = TW_DEADLINE_MAX;
    out->setting_count = 1;
    out->settings[0].name = "poll";
    out->settings[0].count = 1;
    out->settings[0].values[0] = !facility_of(timers)->system.answer.is_alone;
}

const tw_work *asio_work([[maybe_unused]] const tw_timers *timers)
{
    return TW_WORK_OF(facility_of(timers)); /* the timed object has no counters to show */
}

} // namespace

extern "C" const tw_backend TW_BACKEND(asio);
const tw_backend TW_BACKEND(asio) = {
    .abi_version = TW_ABI_VERSION,
    .name = "asio",
    .summary = "Asio steady_timer: binary heap, handlers queued",
    .traits = {.flags = TW_TICKLESS | TW_ALLOCATES,
               .late_ticks = 0,
               .late_shift = 0,
               .start = {TW_O_1, TW_O_LOG_N},
               .stop = {TW_O_LOG_N, TW_O_LOG_N},
               .expire = {TW_O_LOG_N, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    .params = asio_params,
    .open = asio_open,
    .close = asio_close,
    .start = asio_start,
    .stop = asio_stop,
    .advance = asio_advance,
    .next = asio_next,
    .visit = asio_visit,
    .check = asio_check,
    .footprint = asio_footprint,
    .describe = asio_describe,
    .work = asio_work,
};
