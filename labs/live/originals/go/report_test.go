// report_test.go - the ledger notices timers that are lost, that end twice, and that are early.

package main

import "testing"

// ledgerOf reports on one producer's accepted tasks.
func ledgerOf(accepted, stopped int64, tasks ...*task) (*document, bool) {
	r := &run{schedule: &schedule{}, tasks: tasks, producers: []*producer{{accepted: accepted, stopped: stopped}}}
	doc := &document{}
	return doc, r.report(doc)
}

func TestEveryTimerEndsOnce(t *testing.T) {
	ran := &task{ran: 1, dueNs: 5, ranNs: 7}
	stopped := &task{stopped: true}
	returned := &task{returned: true}
	doc, addsUp := ledgerOf(3, 1, ran, stopped, returned, nil)
	if *doc.Ledger != (ledger{Accepted: 3, Ran: 1, Stopped: 1, Returned: 1}) || !addsUp {
		t.Errorf("%+v adds up: %v", *doc.Ledger, addsUp)
	}
}

func TestFaultsAreNoticed(t *testing.T) {
	faults := map[string]struct {
		task        task
		stopped     int64
		lost, twice int64
	}{
		"lost":             {task{}, 0, 1, 0},
		"ran twice":        {task{ran: 2}, 0, 0, 1},
		"ran and returned": {task{ran: 1, returned: true}, 0, 0, 1},
		"ended both ways":  {task{stopped: true, returned: true}, 1, 0, 1},
	}
	for name, fault := range faults {
		faulty := fault.task
		doc, addsUp := ledgerOf(1, fault.stopped, &faulty)
		if addsUp || doc.Lost != fault.lost || doc.Twice != fault.twice {
			t.Errorf("%s: lost %d, twice %d, adds up: %v", name, doc.Lost, doc.Twice, addsUp)
		}
	}
}

func TestEarlyIsCounted(t *testing.T) {
	doc, _ := ledgerOf(1, 0, &task{ran: 1, dueNs: 9, ranNs: 7})
	if doc.Ledger.Early != 1 || doc.EarlyMaxNs != 2 {
		t.Errorf("early %d, by %d", doc.Ledger.Early, doc.EarlyMaxNs)
	}
}
