// run.go - runs a schedule through time.AfterFunc and adds up what came of it.
//
// The runtime keeps a heap of timers per processor (P) and runs each function in a goroutine of its own.

package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	leadNs   = 10_000_000     // from making the producers to the origin
	settleNs = 10_000_000_000 // how long a task that has begun may take to say so after the end
)

// task is one start of the schedule and what came of it.  A producer writes what is before the call, and the timer's
// goroutine ranNs before ran.
type task struct {
	delayNs, workNs   int64
	intendedNs, dueNs int64 // when it ought to run; the call's moment + delay, before which it is early
	timer             *time.Timer
	ranNs             int64
	ran               int32
	stopped, returned bool
}

// The origin of all times: time.Since reads the monotonic clock.
var begin = time.Now()

func nowNs() int64 { return int64(time.Since(begin)) }

func (t *task) run() {
	now := nowNs()
	atomic.StoreInt64(&t.ranNs, now)
	atomic.AddInt32(&t.ran, 1)
	if t.workNs == failWork {
		panic("a task of the schedule failed")
	}
	waitUntil(now + t.workNs)
}

type producer struct {
	start, stop, lag                 histogram
	accepted, stopped, tooLate, idle int64
	doneNs                           int64
}

type run struct {
	schedule  *schedule
	tasks     []*task                // by operation; nil for a stop
	current   []atomic.Pointer[task] // by id: what a stop would stop
	producers []*producer
	originNs  int64
	elapsedNs int64
	lost      int64
	used      usage
}

func newRun(s *schedule) *run {
	r := &run{schedule: s, tasks: make([]*task, len(s.ops)), current: make([]atomic.Pointer[task], s.ids)}
	for i, op := range s.ops {
		if op.delayNs != stopOperation {
			r.tasks[i] = &task{delayNs: op.delayNs, workNs: op.workNs}
		}
	}
	for i := 0; i < s.producers; i++ {
		r.producers = append(r.producers, &producer{})
	}
	return r
}

func (r *run) do() {
	before := usageNow()
	r.originNs = nowNs() + leadNs
	var working sync.WaitGroup
	for i := range r.producers {
		working.Add(1)
		go func(number int) {
			defer working.Done()
			// A thread of its own, as the other drivers' producers have.
			runtime.LockOSThread()
			r.produce(int32(number))
		}(i)
	}
	waitUntil(r.originNs + r.schedule.endNs)
	working.Wait()
	r.elapsedNs = nowNs() - r.originNs
	r.used = usageNow().since(before)
	r.close()
}

func (r *run) produce(number int32) {
	p := r.producers[number]
	waitUntil(r.originNs)
	for i := range r.schedule.ops {
		op := &r.schedule.ops[i]
		if op.producer != number {
			continue
		}
		meantNs := r.originNs + op.atNs
		if r.schedule.paced {
			waitUntil(meantNs)
			p.lag.add(nowNs() - meantNs)
		}
		r.stopTimer(p, op.id, r.tasks[i] == nil)
		if r.tasks[i] != nil {
			r.startTimer(p, op.id, r.tasks[i], meantNs)
		}
	}
	p.doneNs = nowNs()
}

// stopTimer: a stop is asked for, or a start finds its id still armed: that is a re-arm.
func (r *run) stopTimer(p *producer, id int32, asked bool) {
	t := r.current[id].Swap(nil)
	if t == nil || !asked && atomic.LoadInt32(&t.ran) > 0 {
		if asked {
			p.idle++
		}
		return
	}
	before := nowNs()
	stopped := t.timer.Stop()
	p.stop.add(nowNs() - before)
	t.stopped = stopped
	if stopped {
		p.stopped++
	} else {
		p.tooLate++
	}
}

func (r *run) startTimer(p *producer, id int32, t *task, meantNs int64) {
	before := nowNs()
	t.intendedNs = before + t.delayNs
	if r.schedule.paced {
		t.intendedNs = meantNs + t.delayNs
	}
	t.dueNs = before + t.delayNs
	t.timer = time.AfterFunc(time.Duration(t.delayNs), t.run)
	p.start.add(nowNs() - before)
	p.accepted++
	r.current[id].Store(t)
}

// close stops what still waits; the runtime has no such call.  A function whose goroutine has begun is waited for.
func (r *run) close() {
	for _, t := range r.tasks {
		if t != nil && !t.stopped && t.timer.Stop() {
			t.returned = true
		}
	}
	for _, t := range r.tasks {
		if t == nil || t.stopped || t.returned {
			continue
		}
		for until := nowNs() + settleNs; atomic.LoadInt32(&t.ran) == 0 && r.lost == 0; {
			time.Sleep(time.Millisecond)
			if nowNs() > until {
				r.lost++
			}
		}
	}
}

// waitUntil sleeps in the kernel: time.Sleep would be one more of the timers that are measured.
func waitUntil(ns int64) {
	for left := ns - nowNs(); left > 0; left = ns - nowNs() {
		request := syscall.NsecToTimespec(left)
		// Interrupted is no failure: the loop asks the clock.
		_ = syscall.Nanosleep(&request, nil)
	}
}
