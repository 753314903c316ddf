// histogram.go - log-linear histogram of durations, bin for bin that of src/harness/measure/stats/histogram.h.
//
// Values are ns and are kept as ps: each octave has 32 equal bins, so that a percentile is at most 1/32 above the true
// one and never below.  The maximum is exact.  One goroutine adds; merge once it has ended.

package main

import (
	"math"
	"math/bits"
)

const (
	subBits = 5
	subBins = 1 << subBits
	octaves = 48
	allBins = subBins * (octaves + 1)
)

type histogram struct {
	bins  [allBins]int64
	count int64
	maxNs int64
	sumNs float64
}

// histogramJSON is a histogram as the document has it.
type histogramJSON struct {
	P50   float64      `json:"p50"`
	P90   float64      `json:"p90"`
	P99   float64      `json:"p99"`
	P999  float64      `json:"p99_9"`
	P9999 float64      `json:"p99_99"`
	Max   int64        `json:"max"`
	Mean  float64      `json:"mean"`
	Count int64        `json:"count"`
	Bins  [][2]float64 `json:"bins"`
}

// add counts a value below 0 as 0.
func (h *histogram) add(ns int64) {
	if ns < 0 {
		ns = 0
	}
	h.bins[binOf(uint64(ns)*1000)]++
	h.count++
	h.sumNs += float64(ns)
	if ns > h.maxNs {
		h.maxNs = ns
	}
}

func (h *histogram) merge(from *histogram) {
	for i := range h.bins {
		h.bins[i] += from.bins[i]
	}
	h.count += from.count
	h.sumNs += from.sumNs
	if from.maxNs > h.maxNs {
		h.maxNs = from.maxNs
	}
}

func binOf(ps uint64) int {
	if ps < subBins {
		return int(ps)
	}
	octave := bits.Len64(ps) - subBits
	if octave > octaves {
		return allBins - 1
	}
	return octave*subBins + int(ps>>(octave-1)&(subBins-1))
}

func lowNs(bin int) float64 {
	octave, sub := bin/subBins, bin%subBins
	if octave == 0 {
		return float64(sub) / 1000
	}
	return float64(int64(subBins+sub)<<(octave-1)) / 1000
}

func (h *histogram) quantileNs(q float64) float64 {
	rank, below := math.Ceil(q*float64(h.count)), int64(0)
	for i := 0; i+1 < allBins; i++ {
		below += h.bins[i]
		if below > 0 && float64(below) >= rank {
			return math.Min(lowNs(i+1), float64(h.maxNs))
		}
	}
	return float64(h.maxNs)
}

// toJSON is nil when nothing was added.
func (h *histogram) toJSON() *histogramJSON {
	if h.count == 0 {
		return nil
	}
	json := &histogramJSON{h.quantileNs(0.5), h.quantileNs(0.9), h.quantileNs(0.99), h.quantileNs(0.999),
		h.quantileNs(0.9999), h.maxNs, h.sumNs / float64(h.count), h.count, nil}
	for i, count := range h.bins {
		if count > 0 {
			json.Bins = append(json.Bins, [2]float64{lowNs(i), float64(count)})
		}
	}
	return json
}
