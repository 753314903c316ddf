/*
 * twtimers.hpp - twt.h for C++17: a set and its timers as objects, times as std::chrono's.
 *
 *     twtimers::set timers("fast");
 *     struct connection { twtimers::timer idle; ... };
 *     connection.idle = twtimers::timer(timers, [&] { hang_up(connection); });
 *     connection.idle.start(60s);
 *     ... sleep until timers.next(), then timers.advance();
 *
 * A tick is a millisecond of the steady clock.  A deadline is rounded up, so that no timer fires early.
 */
#ifndef TWTIMERS_HPP
#define TWTIMERS_HPP

#include <twtimers/twt.h>
#include <twtimers/twtimers.h>

#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

namespace twtimers {

using clock = std::chrono::steady_clock;
using tick = std::chrono::milliseconds;

/* A set outlives its timers: declare it before them.  A callback may destroy both.  One thread at a time uses a set. */
class set {
public:
    /* Throws std::invalid_argument: no such design, or one that twt_open refuses; std::bad_alloc. */
    explicit set(const char *design = "fast", tick horizon = tick::zero())
    {
        twt_config config{};
        tw_error error;
        config.design = twtimers_design(design);
        config.now = now_of(clock::now());
        config.horizon = ticks(horizon);
        int status = twt_open(&set_, &config, &error);
        if (status == TW_REFUSED_MEMORY)
            throw std::bad_alloc();
        if (status != TW_OK)
            throw std::invalid_argument(error.text);
    }
    ~set()
    {
        if (pass_)
            pass_->closed = true;
        twt_close(set_);
    }
    set(const set &) = delete;
    set &operator=(const set &) = delete;

    /* Runs what is due; how many callbacks ran.  What a callback throws ends the pass and comes out of here; the
     * next pass goes on with the others. */
    std::int64_t advance(clock::time_point now = clock::now())
    {
        pass here, *outer = std::exchange(pass_, &here);
        std::int64_t ran = twt_advance(set_, now_of(now));
        if (!here.closed)
            pass_ = outer;
        if (here.thrown)
            std::rethrow_exception(here.thrown);
        return ran;
    }
    /* The earliest deadline; nothing when no timer will fire. */
    std::optional<clock::time_point> next()
    {
        tw_tick at = twt_next(set_);
        if (at == TW_NEVER)
            return std::nullopt;
        return clock::time_point(tick(at));
    }
    std::uint64_t size() const { return twt_count(set_); }
    /* For twt.h.  A pass is advance() alone: out of twt_advance an exception ends the program. */
    twt_set *get() { return set_; }

private:
    friend class timer;
    struct pass {
        std::exception_ptr thrown;
        bool closed = false; /* the set, by a callback */
    };
    /* What is before the clock's beginning is 0. */
    static tw_tick ticks(tick since)
    {
        return since > tick::zero() ? static_cast<tw_tick>(since.count()) : 0;
    }
    static tw_tick now_of(clock::time_point time)
    {
        return ticks(std::chrono::floor<tick>(time.time_since_epoch()));
    }
    twt_set *set_ = nullptr;
    pass *pass_ = nullptr;
};

/* Stops when it goes.  Its callback may move, start, stop and destroy it.  A moved-from one has no set, as `timer()`. */
class timer {
public:
    timer() = default;
    timer(set &timers, std::function<void()> run) : timers_(&timers), run_(std::move(run))
    {
        twt_init(&timer_, fire, this);
    }
    timer(timer &&other) noexcept { take(other); }
    timer &operator=(timer &&other) noexcept
    {
        if (this != &other) {
            leave();
            take(other);
        }
        return *this;
    }
    ~timer() { leave(); }

    /* Throws std::bad_alloc; std::logic_error: it has no set. */
    void start(clock::duration delay)
    {
        clock::time_point now = clock::now(), never = clock::time_point::max();
        start_at(delay < never - now ? now + delay : never);
    }
    /* clock::time_point::max(): pending, and never fires. */
    void start_at(clock::time_point deadline)
    {
        tw_tick at = TW_NEVER;
        if (!timers_)
            throw std::logic_error("a timer without a set");
        if (deadline < clock::time_point::max() - tick(1))
            at = set::ticks(std::chrono::ceil<tick>(deadline.time_since_epoch()));
        if (twt_start(timers_->get(), &timer_, at) < 0)
            throw std::bad_alloc();
    }
    /* False: it was idle. */
    bool stop() { return timers_ && twt_stop(timers_->get(), &timer_) == TW_OK; }
    bool pending() const { return twt_pending(&timer_); }

private:
    static void fire(twt_set *timers, twt_timer *, void *argument) noexcept
    {
        timer *self = static_cast<timer *>(argument);
        set::pass *here = self->timers_->pass_;
        std::function<void()> run = std::move(self->run_); /* outlives the timer */
        self->fired_ = &self;
        try {
            run();
        } catch (...) {
            if (!here)
                std::terminate();
            here->thrown = std::current_exception();
            twt_break(timers);
        }
        if (!self)
            return;
        self->fired_ = nullptr;
        if (!self->run_)
            self->run_ = std::move(run);
    }
    void leave()
    {
        stop();
        if (fired_)
            *fired_ = nullptr;
        fired_ = nullptr;
    }
    void take(timer &other)
    {
        timers_ = std::exchange(other.timers_, nullptr);
        run_ = std::move(other.run_);
        if (timers_)
            twt_move(timers_->get(), &timer_, &other.timer_);
        timer_.argument = this;
        fired_ = std::exchange(other.fired_, nullptr);
        if (fired_)
            *fired_ = this;
    }
    set *timers_ = nullptr;
    std::function<void()> run_;
    twt_timer timer_{};
    timer **fired_ = nullptr; /* while its callback runs */
};

} // namespace twtimers

#endif
