// report.go - what came of the tasks, as the document has it.

package main

func (r *run) report(doc *document) (addsUp bool) {
	sum := &ledger{}
	var lateness, afterCall histogram
	last := int64(0)
	for _, t := range r.tasks {
		if t == nil {
			continue
		}
		ends := int64(t.ran)
		if t.returned {
			sum.Returned++
			ends++
		}
		if t.stopped && t.ran == 0 {
			ends++
		} else if t.stopped {
			doc.StoppedYetRan++
		}
		if ends == 0 {
			doc.Lost++
		} else if ends > 1 {
			doc.Twice++
		}
		sum.Ran += int64(t.ran)
		if t.ran == 0 {
			continue
		}
		if early := t.dueNs - t.ranNs; early > 0 {
			sum.Early++
			if early > doc.EarlyMaxNs {
				doc.EarlyMaxNs = early
			}
		}
		lateness.add(t.ranNs - t.intendedNs)
		afterCall.add(t.ranNs - t.dueNs)
		if ran := t.ranNs - r.originNs; ran > last {
			last = ran
		}
	}
	r.reportCalls(doc, sum)
	sum.Stopped -= doc.StoppedYetRan
	doc.Ledger = sum
	doc.Lateness, doc.AfterCall = lateness.toJSON(), afterCall.toJSON()
	if lateness.count > 0 {
		doc.LastRunNs = &last
	}
	doc.ElapsedNs = r.elapsedNs
	doc.WakeUps.Process, doc.CPU.Process = r.used.wakeUps, r.used.cpuNs
	doc.Garbage = garbage{r.used.collections, r.used.collectionNs}
	return sum.Accepted == sum.Ran+sum.Stopped+sum.Returned && doc.Lost == 0 && doc.Twice == 0
}

func (r *run) reportCalls(doc *document, sum *ledger) {
	var lag, start, stop histogram
	for _, p := range r.producers {
		lag.merge(&p.lag)
		start.merge(&p.start)
		stop.merge(&p.stop)
		sum.Accepted += p.accepted
		sum.Stopped += p.stopped
		doc.StopsTooLate += p.tooLate
		doc.StopsIdle += p.idle
		if done := p.doneNs - r.originNs; done > doc.LastCallNs {
			doc.LastCallNs = done
		}
	}
	doc.Lag, doc.Start, doc.Stop = lag.toJSON(), start.toJSON(), stop.toJSON()
}
