// schedule.go - reads a schedule: which producer starts and stops which timer, and when.
//
// README.md has the format.  The reader is strict: whatever is not exactly that is an error with file, line,
// what was found and what was expected.

package main

import (
	"fmt"
	"os"
	"strings"
)

const (
	stopOperation = -1 // as a delay: the operation is a stop
	failWork      = -1 // as a task's own time: the task panics
	longestNs     = 1 << 53
	mostOps       = 50_000_000
	mostProducers = 1024
)

type operation struct {
	atNs, delayNs, workNs int64
	id, producer          int32
}

type schedule struct {
	paced          bool // else each producer goes on as fast as it can
	producers, ids int
	endNs          int64 // the timers are stopped at origin + endNs
	ops            []operation
}

// reader is a cursor over the text of the file.  A failure is a panic with a badInput.
type reader struct {
	path string
	text string
	line int
}

type badInput string

func readSchedule(path string) (*schedule, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %v", path, err)
	}
	return parseSchedule(path, string(text))
}

func parseSchedule(path, text string) (s *schedule, err error) {
	defer func() {
		if found := recover(); found != nil {
			bad, ours := found.(badInput)
			if !ours {
				panic(found)
			}
			err = fmt.Errorf("%s", string(bad))
		}
	}()
	r := &reader{path, text, 1}
	s = r.header()
	for i := range s.ops {
		earliest := int64(0)
		if i > 0 {
			earliest = s.ops[i-1].atNs
		}
		s.ops[i] = r.operation(s, earliest)
	}
	if r.text != "" {
		r.refuse(fmt.Sprintf("the end of the file after %d operations", len(s.ops)))
	}
	return s, nil
}

func (r *reader) header() *schedule {
	s := &schedule{}
	r.expect("# twbench-schedule 1\n", "'# twbench-schedule 1'")
	if strings.HasPrefix(r.text, "# source: ") {
		if end := strings.IndexByte(r.text, '\n'); end >= 0 {
			r.expect(r.text[:end+1], "")
		}
	}
	s.paced = strings.HasPrefix(r.text, "# pace: clock\n")
	if s.paced {
		r.expect("# pace: clock\n", "")
	} else {
		r.expect("# pace: free\n", "'# pace: clock' or '# pace: free'")
	}
	s.producers = int(r.field("producers", 1, mostProducers))
	s.ids = int(r.field("ids", 0, mostOps))
	s.ops = make([]operation, r.field("ops", 0, mostOps))
	s.endNs = r.field("end_ns", 0, longestNs)
	return s
}

func (r *reader) field(key string, least, most int64) int64 {
	start := "# " + key + ": "
	r.expect(start, "'"+start+"'")
	value := r.number(fmt.Sprintf("a number from %d to %d", least, most), least, most)
	r.expect("\n", "the end of the line")
	return value
}

func (r *reader) operation(s *schedule, earliest int64) operation {
	op := operation{delayNs: stopOperation}
	op.atNs = r.number("a time in ns, not before that of the line above", earliest, longestNs)
	r.expect(" ", "a blank")
	op.producer = int32(r.number(fmt.Sprintf("a producer below %d", s.producers), 0, int64(s.producers-1)))
	r.expect(" ", "a blank")
	starts := strings.HasPrefix(r.text, "s")
	if starts {
		r.expect("s ", "a blank")
	} else {
		r.expect("c", "s (start) or c (stop)")
		r.expect(" ", "a blank")
	}
	op.id = int32(r.number(fmt.Sprintf("an id below %d", s.ids), 0, int64(s.ids-1)))
	if starts {
		r.expect(" ", "a blank")
		op.delayNs = r.number("a delay in ns", 0, longestNs)
		op.workNs = r.work()
	}
	r.expect("\n", "the end of the line")
	return op
}

// work is what the task does, which may be missing: fail, or how many ns it takes.
func (r *reader) work() int64 {
	if strings.HasPrefix(r.text, "\n") {
		return 0
	}
	r.expect(" ", "a blank or the end of the line")
	if strings.HasPrefix(r.text, "fail") {
		r.expect("fail", "")
		return failWork
	}
	return r.number("fail, or the task's own time in ns", 0, longestNs)
}

func (r *reader) expect(wanted, words string) {
	if !strings.HasPrefix(r.text, wanted) {
		r.refuse(words)
	}
	r.text = r.text[len(wanted):]
	r.line += strings.Count(wanted, "\n")
}

func (r *reader) number(what string, least, most int64) int64 {
	digits, value := 0, int64(0)
	for digits < len(r.text) && r.text[digits] >= '0' && r.text[digits] <= '9' && value <= most {
		value = value*10 + int64(r.text[digits]-'0')
		digits++
	}
	if digits == 0 || value < least || value > most {
		r.refuse(what)
	}
	r.text = r.text[digits:]
	return value
}

func (r *reader) refuse(expected string) {
	rest, _, _ := strings.Cut(r.text, "\n")
	if len(rest) > 40 {
		rest = rest[:40]
	}
	found := "'" + rest + "'"
	if r.text == "" {
		found = "the file ends"
	} else if rest == "" {
		found = "the line ends"
	}
	panic(badInput(fmt.Sprintf("%s:%d: found %s, expected %s", r.path, r.line, found, expected)))
}
