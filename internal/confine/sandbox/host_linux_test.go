package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The remedies name the obstacles that a host has, and no others.
func TestRemedies(t *testing.T) {
	all, err := txtar.ParseFile("testdata/hosts.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root, wants, users := t.TempDir(), map[string]map[string]string{}, map[string]int{}
	for _, f := range all.Files {
		name, path, _ := strings.Cut(f.Name, "/")
		text := strings.TrimSpace(string(f.Data))
		switch path {
		case "user":
			if users[name], err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
		case "namespaces", "limits", "bubblewrap":
			if wants[name] == nil {
				wants[name] = map[string]string{}
			}
			wants[name][path] = text
		default:
			file := filepath.Join(root, f.Name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(strings.TrimRight(string(f.Data), "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(wants) < 9 {
		t.Fatalf("only %d hosts", len(wants))
	}
	for name, want := range wants {
		h := host{root: filepath.Join(root, name), user: users[name]}
		for about, says := range map[string]func() string{"namespaces": h.namespaces, "limits": h.limits, "bubblewrap": h.bubblewrap} {
			if w, ok := want[about]; ok && says() != w {
				t.Errorf("%s, %s:\n got %s\nwant %s", name, about, says(), w)
			}
		}
	}
}

// Groups for boxes are below the worker's own group in v1, and below an ancestor in v2.
func TestPlacesOfGroups(t *testing.T) {
	const (
		unified = "35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
		hybrid  = "40 30 0:35 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n41 30 0:36 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
		session = "/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope"
	)
	for name, c := range map[string]struct{ own, mounts, want string }{
		"terminal of a desktop": {"0::" + session + "\n", unified, "[" + strings.Join([]string{"/sys/fs/cgroup" + session,
			"/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice", "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service",
			"/sys/fs/cgroup/user.slice/user-1000.slice", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"}, " ") + "]"},
		"container of its own":      {"0::/\n", unified, "[/sys/fs/cgroup]"},
		"container among others":    {"0::/docker/77/worker\n", strings.Replace(unified, " / ", " /docker/77 ", 1), "[/sys/fs/cgroup/worker /sys/fs/cgroup]"},
		"seen from another place":   {"0::/../../other\n", unified, ""},
		"not seen at all":           {"0::/docker/77\n", strings.Replace(unified, " / ", " /docker/8 ", 1), ""},
		"version 1 and no more":     {"8:pids:/a/b\n0::/\n", hybrid, "[/sys/fs/cgroup/pids/a/b] [/sys/fs/cgroup/unified]"},
		"a controller without tree": {"9:name=systemd:/\n", hybrid, ""},
		"no cgroups":                {"", "", ""},
	} {
		var got []string
		for _, places := range placesOf(c.own, c.mounts) {
			var dirs []string
			for _, g := range places {
				if dirs = append(dirs, g.dir); g.unified == strings.Contains(g.dir, "/pids") {
					t.Errorf("%s: %s is of the other version", name, g.dir)
				}
			}
			got = append(got, fmt.Sprint(dirs))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, text, c.want)
		}
	}
}
