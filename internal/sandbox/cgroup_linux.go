package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// group is a place in a cgroup tree where the worker may make groups of its own.
type group struct {
	dir         string
	controllers []string // pids, memory, cpu
	unified     bool     // version 2
}

type groups []group

// limitFiles name the file of each limit, by version.
var limitFiles = map[bool]map[string]string{
	false: {"pids": "pids.max", "memory": "memory.limit_in_bytes", "cpu": "cpu.shares"},
	true:  {"pids": "pids.max", "memory": "memory.max", "cpu": "cpu.weight"},
}

const groupPrefix = "longshift-"

// findGroups looks where a group can be made that has the limits we want, by making one.
func findGroups() groups {
	var out groups
	for _, g := range ownGroups() {
		g.sweep()
		dir := filepath.Join(g.dir, groupName())
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		for _, c := range []string{"pids", "memory", "cpu"} {
			file := filepath.Join(dir, limitFiles[g.unified][c])
			if unix.Access(file, unix.W_OK) == nil && !out.has(c) {
				g.controllers = append(g.controllers, c)
			}
		}
		os.Remove(dir)
		if len(g.controllers) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func groupName() string { return fmt.Sprintf("%s%d-%s", groupPrefix, os.Getpid(), randomName()) }

// sweep removes the empty groups of workers that were killed. One that isn't empty can't be removed.
func (g group) sweep() {
	list, _ := filepath.Glob(filepath.Join(g.dir, groupPrefix+"*"))
	for _, dir := range list {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(dir), groupPrefix+"%d-", &pid); err != nil {
			continue
		}
		if unix.Kill(pid, 0) == unix.ESRCH {
			os.Remove(dir)
		}
	}
}

// ownGroups lists the groups that the worker itself is in.
func ownGroups() groups {
	own, err1 := os.ReadFile("/proc/self/cgroup")
	mounts, err2 := os.ReadFile("/proc/self/mountinfo")
	if errors.Join(err1, err2) != nil {
		return nil
	}
	var out groups
	for line := range strings.Lines(string(own)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) != 3 {
			continue
		}
		if dir := groupMount(string(mounts), f[1]); dir != "" {
			out = append(out, group{dir: filepath.Join(dir, f[2]), unified: f[1] == ""})
		}
	}
	return out
}

// groupMount finds where the tree of a controller is mounted; "" asks for version 2.
func groupMount(mountinfo, controller string) string {
	for line := range strings.Lines(mountinfo) {
		front, back, ok := strings.Cut(strings.TrimSpace(line), " - ")
		f, b := strings.Fields(front), strings.Fields(back)
		if !ok || len(f) < 5 || len(b) < 3 {
			continue
		}
		if controller == "" && b[0] == "cgroup2" ||
			controller != "" && b[0] == "cgroup" && slices.Contains(strings.Split(b[2], ","), strings.Split(controller, ",")[0]) {
			return f[4]
		}
	}
	return ""
}

func (g groups) has(controller string) bool {
	return slices.ContainsFunc(g, func(o group) bool { return slices.Contains(o.controllers, controller) })
}

// String says which limits hold for a whole box.
func (g groups) String() string {
	var out strings.Builder
	for _, o := range g {
		version := "v1"
		if o.unified {
			version = "v2"
		}
		fmt.Fprintf(&out, ", cgroup %s %s", version, strings.Join(o.controllers, " "))
	}
	return out.String()
}
