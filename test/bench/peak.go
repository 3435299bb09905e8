package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// peak follows what a process and all that it has started hold in memory, shared pages divided among those who share them.
type peak struct {
	resting, most int // bytes: at the beginning, and at the highest
	stop, stopped chan struct{}
}

// sampleEvery is how often the memory is read. What comes and goes within it is not seen.
const sampleEvery = 20 * time.Millisecond

func watch(pid int) *peak {
	p := &peak{resting: tree(pid), stop: make(chan struct{}), stopped: make(chan struct{})}
	go func() {
		defer close(p.stopped)
		for tick := time.NewTicker(sampleEvery); ; {
			p.most = max(p.most, tree(pid))
			select {
			case <-p.stop:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	return p
}

// end stops following and returns how much the highest was above the beginning, in bytes.
func (p *peak) end() int {
	close(p.stop)
	<-p.stopped
	return p.most - p.resting
}

// tree is what a process and its descendants hold, in bytes. One that ends meanwhile counts as nothing, and so does one that is just being
// started: until it runs its own program it has the memory of its parent.
func tree(pid int) int {
	sum, own := held(pid), command(pid)
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(data)) {
			var id int
			if _, err := fmt.Sscan(child, &id); err == nil && command(id) != own {
				sum += tree(id)
			}
		}
	}
	return sum
}

func command(pid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(line)
}

func held(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "\nPss:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0
	}
	return kib << 10
}
