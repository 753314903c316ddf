// main.go - the driver of Go's own timers: flags, warm-up, the run, the document on standard output.
//
// Exit status: 0 the ledger adds up, 1 it does not or the program was ended by a failed task, 2 bad input.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	warmUpNs = 400_000_000
	// In the environment of the process that a failed task may end.
	childMark = "TWBENCH_ORIGINAL_CHILD"
)

type settings struct {
	Procs     int      `json:"procs"`
	Pace      string   `json:"pace"`
	Producers int      `json:"producers"`
	WarmUp    int      `json:"warm_up"`
	Flags     []string `json:"runtime_flags"`
}

type ledger struct {
	Accepted int64 `json:"accepted"`
	Refused  int64 `json:"refused"`
	Ran      int64 `json:"ran"`
	Stopped  int64 `json:"stopped"`
	Returned int64 `json:"returned"`
	Early    int64 `json:"early"`
}

type pair struct {
	Process      int64  `json:"process"`
	TimerThreads *int64 `json:"timer_threads"`
}

type garbage struct {
	Collections int64 `json:"collections"`
	Ns          int64 `json:"ns"`
}

// head is all there is of a run that a failed task has ended; the ledger is null then.
type head struct {
	Format   string   `json:"format"`
	Original string   `json:"original"`
	Library  string   `json:"library"`
	Runtime  string   `json:"runtime"`
	Settings settings `json:"settings"`
	Died     *string  `json:"died"`
	Ledger   *ledger  `json:"ledger"`
}

type document struct {
	head
	Lost          int64          `json:"lost"`
	Twice         int64          `json:"twice"`
	EarlyMaxNs    int64          `json:"early_max_ns"`
	Failed        int64          `json:"failed"`
	StopsTooLate  int64          `json:"stops_too_late"`
	StopsIdle     int64          `json:"stops_idle"`
	StoppedYetRan int64          `json:"stopped_yet_ran"`
	Lateness      *histogramJSON `json:"lateness_ns"`
	AfterCall     *histogramJSON `json:"after_call_ns"`
	Lag           *histogramJSON `json:"lag_ns"`
	Start         *histogramJSON `json:"start_ns"`
	Stop          *histogramJSON `json:"stop_ns"`
	LastCallNs    int64          `json:"last_call_ns"`
	LastRunNs     *int64         `json:"last_run_ns"`
	ElapsedNs     int64          `json:"elapsed_ns"`
	Ticks         *int64         `json:"ticks"`
	WakeUps       pair           `json:"wakeups"`
	CPU           pair           `json:"cpu_ns"`
	Garbage       garbage        `json:"garbage"`
	ClockNs       int64          `json:"clock_ns"`
	RSS           int64          `json:"rss_bytes"`
	RSSPeak       int64          `json:"rss_peak_bytes"`
	HeapPerTimer  *float64       `json:"heap_bytes_per_timer"`
}

type flags struct {
	schedule              string
	warmUp, memory, procs int
}

func parseFlags(arguments []string) (*flags, error) {
	f := &flags{warmUp: 20_000, procs: runtime.NumCPU()}
	numbers := map[string]struct {
		into  *int
		least int
		most  int
	}{
		"warm-up": {&f.warmUp, 0, 10_000_000}, "memory": {&f.memory, 0, mostOps}, "procs": {&f.procs, 1, 1024},
	}
	seen := map[string]bool{}
	for _, argument := range arguments {
		name, value, isFlag := strings.Cut(strings.TrimPrefix(argument, "--"), "=")
		if !isFlag || !strings.HasPrefix(argument, "--") {
			return nil, fmt.Errorf("found '%s', expected --name=value", argument)
		}
		if seen[name] {
			return nil, fmt.Errorf("--%s: given twice", name)
		}
		seen[name] = true
		if name == "schedule" {
			f.schedule = value
			continue
		}
		number, known := numbers[name]
		if !known {
			return nil, fmt.Errorf("--%s: unknown; there are memory, procs, schedule, warm-up", name)
		}
		read, err := strconv.Atoi(value)
		if err != nil || read < number.least || read > number.most {
			return nil, fmt.Errorf("--%s: found '%s', expected a number from %d to %d", name, value, number.least,
				number.most)
		}
		*number.into = read
	}
	if f.schedule == "" {
		return nil, errors.New("--schedule=... is missing")
	}
	return f, nil
}

// warmUpSchedule starts as fast as it goes, every second one stopped at once.
func warmUpSchedule(starts, producers int) *schedule {
	s := &schedule{producers: producers, ids: starts}
	random := rand.New(rand.NewSource(1))
	for i := 0; i < starts; i++ {
		id, producer := int32(i), int32(i%producers)
		s.ops = append(s.ops, operation{delayNs: random.Int63n(300_000_000), id: id, producer: producer})
		if i%2 == 1 {
			s.ops = append(s.ops, operation{delayNs: stopOperation, id: id, producer: producer})
		}
	}
	if starts > 0 {
		s.endNs = warmUpNs
	}
	return s
}

func main() {
	f, err := parseFlags(os.Args[1:])
	var s *schedule
	if err == nil {
		s, err = readSchedule(f.schedule)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "go: %v\n", err)
		os.Exit(2)
	}
	runtime.GOMAXPROCS(f.procs)
	said := head{Format: "twbench-original 1", Original: "go", Library: "time.AfterFunc", Runtime: runtime.Version(),
		Settings: settings{f.procs, "free", s.producers, f.warmUp, []string{}}}
	if s.paced {
		said.Settings.Pace = "clock"
	}
	if s.fails() && os.Getenv(childMark) == "" {
		os.Exit(runInChild(said))
	}
	doc := &document{head: said}
	newRun(warmUpSchedule(f.warmUp, s.producers)).do()
	r := newRun(s)
	runtime.GC()
	r.do()
	addsUp := r.report(doc)
	doc.ClockNs = clockNs()
	doc.RSS, doc.RSSPeak = memoryBytes("VmRSS"), memoryBytes("VmHWM")
	if f.memory > 0 {
		bytes := heapPerTimer(f.memory)
		doc.HeapPerTimer = &bytes
	}
	write(doc)
	if !addsUp {
		os.Exit(1)
	}
}

func write(doc any) {
	text, err := json.Marshal(doc)
	if err == nil {
		_, err = fmt.Println(string(text))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "go: the document cannot be written: %v\n", err)
		os.Exit(1)
	}
}

func (s *schedule) fails() bool {
	for i := range s.ops {
		if s.ops[i].workNs == failWork {
			return true
		}
	}
	return false
}

// runInChild runs the same once more in a process that may be ended by a panic: Go cannot catch that of another
// goroutine.  The document then says how it ended, and has no figures.  The answer is the exit status.
func runInChild(said head) int {
	child := exec.Command("/proc/self/exe", os.Args[1:]...)
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	child.Env = append(os.Environ(), childMark+"=1")
	var errors bytes.Buffer
	child.Stdout, child.Stderr = os.Stdout, &errors
	err := child.Run()
	first, _, _ := strings.Cut(errors.String(), "\n")
	if err == nil || !strings.HasPrefix(first, "panic: ") {
		os.Stderr.Write(errors.Bytes())
		if err != nil {
			return 1
		}
		return 0
	}
	said.Died = &first
	write(&said)
	return 1
}

// clockNs is what one reading of the clock costs: it is in each call's time.
func clockNs() int64 {
	took := make([]int64, 1001)
	for i := range took {
		before := nowNs()
		took[i] = nowNs() - before
	}
	sort.Slice(took, func(a, b int) bool { return took[a] < took[b] })
	return took[len(took)/2]
}

// heapPerTimer is the heap of one timer with what the runtime makes of it, but without the task.
func heapPerTimer(timers int) float64 {
	kept := make([]*time.Timer, timers)
	nothing := func() {}
	before := usedHeap()
	for i := range kept {
		kept[i] = time.AfterFunc(time.Hour, nothing)
	}
	after := usedHeap()
	for _, timer := range kept {
		timer.Stop()
	}
	return float64(after-before) / float64(timers)
}

func usedHeap() int64 {
	var memory runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc)
}
