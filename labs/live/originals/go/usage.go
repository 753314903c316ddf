// usage.go - processor time, wake-ups, memory and garbage collections of the process up to now.

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

type usage struct {
	wakeUps, cpuNs, collections, collectionNs int64
}

func usageNow() usage {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	var times syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &times); err != nil {
		panic(err)
	}
	return usage{int64(times.Nvcsw), times.Utime.Nano() + times.Stime.Nano(), int64(memory.NumGC),
		int64(memory.PauseTotalNs)}
}

func (now usage) since(before usage) usage {
	return usage{now.wakeUps - before.wakeUps, now.cpuNs - before.cpuNs, now.collections - before.collections,
		now.collectionNs - before.collectionNs}
}

// memoryBytes is a line of /proc/self/status in bytes: VmRSS or VmHWM; 0 where it is missing.
func memoryBytes(key string) int64 {
	status, err := os.ReadFile(filepath.Join("/proc", "self", "status"))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(status), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == key+":" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return 1024 * kib
		}
	}
	return 0
}
