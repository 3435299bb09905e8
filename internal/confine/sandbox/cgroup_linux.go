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

// group is a cgroup below which the worker may create groups.
type group struct {
	dir         string
	controllers []string // pids, memory, cpu
	unified     bool     // cgroup v2
}

type groups []group

// limitFiles name the file of each limit, by version.
var limitFiles = map[bool]map[string]string{
	false: {"pids": "pids.max", "memory": "memory.limit_in_bytes", "cpu": "cpu.shares"},
	true:  {"pids": "pids.max", "memory": "memory.max", "cpu": "cpu.weight"},
}

const groupPrefix = "longshift-"

// findGroups finds cgroups that support the limits, by creating a group in each candidate.
func findGroups() groups {
	own, err1 := os.ReadFile("/proc/self/cgroup")
	mounts, err2 := os.ReadFile("/proc/self/mountinfo")
	if errors.Join(err1, err2) != nil {
		return nil
	}
	var out groups
	for _, places := range placesOf(string(own), string(mounts)) {
		var best group
		for _, g := range places {
			g.sweep()
			if g.try(out); len(g.controllers) > len(best.controllers) {
				best = g
			}
		}
		if len(best.controllers) > 0 {
			out = append(out, best)
		}
	}
	return out
}

// try creates a group here, and notes the controllers that no earlier group provides.
func (g *group) try(before groups) {
	dir := filepath.Join(g.dir, groupName())
	if os.Mkdir(dir, 0o755) != nil {
		return
	}
	defer os.Remove(dir)
	for _, c := range []string{"pids", "memory", "cpu"} {
		if unix.Access(filepath.Join(dir, limitFiles[g.unified][c]), unix.W_OK) == nil && !before.has(c) {
			g.controllers = append(g.controllers, c)
		}
	}
}

func groupName() string { return fmt.Sprintf("%s%d-%s", groupPrefix, os.Getpid(), randomName()) }

// sweep removes the empty groups of killed workers. The kernel refuses to remove groups in use.
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

// placesOf lists, for each hierarchy, where groups for boxes might be created, nearest first. In v1 that is the worker's
// own group. In v2 a group with processes can't enable controllers for its children, so it is an ancestor: typically a
// systemd slice, which the user owns when the worker was started in it.
func placesOf(own, mountinfo string) []groups {
	var out []groups
	for line := range strings.Lines(own) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) != 3 {
			continue
		}
		mount, root := groupMount(mountinfo, f[1])
		path, below := strings.CutPrefix(f[2]+"/", strings.TrimSuffix(root, "/")+"/")
		if mount == "" || !below || strings.HasPrefix(path, "../") {
			continue // the worker's group is not visible in this mount
		}
		path = filepath.Clean("/" + path)
		places := groups{{dir: filepath.Join(mount, path), unified: f[1] == ""}}
		for places[0].unified && path != "/" {
			path = filepath.Dir(path)
			places = append(places, group{dir: filepath.Join(mount, path), unified: true})
		}
		out = append(out, places)
	}
	return out
}

// groupMount finds where the hierarchy of a controller is mounted, and which of its groups is the root of the mount; ""
// asks for v2.
func groupMount(mountinfo, controller string) (dir, root string) {
	for line := range strings.Lines(mountinfo) {
		front, back, ok := strings.Cut(strings.TrimSpace(line), " - ")
		f, b := strings.Fields(front), strings.Fields(back)
		if !ok || len(f) < 5 || len(b) < 3 {
			continue
		}
		if controller == "" && b[0] == "cgroup2" ||
			controller != "" && b[0] == "cgroup" && slices.Contains(strings.Split(b[2], ","), strings.Split(controller, ",")[0]) {
			return f[4], f[3]
		}
	}
	return "", ""
}

func (g groups) has(controller string) bool {
	return slices.ContainsFunc(g, func(o group) bool { return slices.Contains(o.controllers, controller) })
}

// String lists the limits that apply to a box as a whole.
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
