package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

// memory is what a process holds, in bytes, and its goroutines.
type memory struct{ heap, stacks, resident, goroutines int }

// measure reads the memory when everything that is not in use has been given back.
func measure() (memory, error) {
	for range 3 { // what a finalizer holds goes with the next one
		runtime.GC()
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return memory{}, fmt.Errorf("read the size of this process, which works on Linux only: %w", err)
	}
	var total, pages int
	if _, err := fmt.Sscan(string(data), &total, &pages); err != nil {
		return memory{}, fmt.Errorf("read the size of this process: %q: %w", data, err)
	}
	return memory{int(m.HeapInuse), int(m.StackInuse), pages * os.Getpagesize(), runtime.NumGoroutine()}, nil
}

func (m memory) since(old memory) memory {
	return memory{m.heap - old.heap, m.stacks - old.stacks, m.resident - old.resident, m.goroutines - old.goroutines}
}

func (m memory) each(n int) string {
	kb := func(v int) string { return strconv.FormatFloat(float64(v)/float64(n)/1000, 'f', 1, 64) + " KB" }
	return fmt.Sprintf("%s of heap, %s of stacks (%.1f goroutines), %s of resident memory", kb(m.heap), kb(m.stacks),
		float64(m.goroutines)/float64(n), kb(m.resident))
}
