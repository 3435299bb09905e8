package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// create creates a group for one box in each hierarchy and returns their folders.
func (g groups) create(l Limits) ([]string, error) {
	var dirs []string
	name := groupName()
	for _, o := range g {
		dir := filepath.Join(o.dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			removeGroups(dirs)
			return nil, fmt.Errorf("make cgroup: %w", err)
		}
		dirs = append(dirs, dir)
		for _, c := range o.controllers {
			if err := o.limit(dir, c, l); err != nil {
				removeGroups(dirs)
				return nil, err
			}
		}
	}
	return dirs, nil
}

// entries are the files through which a shell joins the groups of a box, by writing 0. With v1 it joins as a thread, its only one: to move a
// process, the kernel waits for a moment in which no process is forked or ends, which takes 5 to 15 ms.
func (g groups) entries(dirs []string) (files []string) {
	for i, dir := range dirs {
		files = append(files, filepath.Join(dir, map[bool]string{true: "cgroup.procs", false: "tasks"}[g[i].unified]))
	}
	return files
}

// limit writes one limit. CPU time is shared evenly with the worker, the default of a new group.
func (g group) limit(dir, controller string, l Limits) error {
	value := int64(l.Processes)
	switch controller {
	case "cpu":
		return nil
	case "memory":
		value = l.Memory
		for _, swap := range swapFiles {
			defer writeLimit(filepath.Join(dir, swap), map[bool]int64{true: 0, false: l.Memory}[g.unified]) // not available on every kernel
		}
	}
	if err := writeLimit(filepath.Join(dir, limitFiles[g.unified][controller]), value); err != nil {
		return fmt.Errorf("set cgroup limit: %w", err)
	}
	return nil
}

// swapFiles bound what a group has in swap, with v2 and with v1.
var swapFiles = []string{"memory.swap.max", "memory.memsw.limit_in_bytes"}

// boundMemory tells whether the groups of a box bound its memory, with what may be in swap.
func (g groups) boundMemory(dirs []string) bool {
	for i, o := range g {
		if !slices.Contains(o.controllers, "memory") {
			continue
		}
		if slices.ContainsFunc(swapFiles, func(name string) bool {
			_, err := os.Stat(filepath.Join(dirs[i], name))
			return err == nil
		}) {
			return true
		}
		swaps, err := os.ReadFile("/proc/swaps") // a line for each, after a heading
		return err == nil && strings.Count(string(swaps), "\n") <= 1
	}
	return false
}

func writeLimit(file string, value int64) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.FormatInt(value, 10))
	return errors.Join(err, f.Close())
}

// removeGroups removes the groups of a box that has ended. The kernel may take a moment to see that they are empty.
func removeGroups(dirs []string) {
	for _, dir := range dirs {
		for wait := time.Millisecond; ; wait *= 2 {
			if err := os.Remove(dir); !errors.Is(err, unix.EBUSY) || wait > time.Second {
				break
			}
			<-time.After(wait)
		}
	}
}
