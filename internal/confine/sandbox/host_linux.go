package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// host inspects the machine's settings, to explain why a layer does not work.
type host struct {
	root string // root of its files, "/" except in tests
	user int    // user that the worker runs as
}

var thisHost = host{root: "/", user: os.Geteuid()}

func (h host) read(path string) string {
	b, _ := os.ReadFile(filepath.Join(h.root, path)) // a missing file counts as empty
	return strings.TrimSpace(string(b))
}

func (h host) setting(name, value string) bool {
	return h.read("/proc/sys/"+strings.ReplaceAll(name, ".", "/")) == value
}

// namespaces explains how to let the worker open user namespaces, with a command where there is one.
func (h host) namespaces() string {
	set := func(setting string) string {
		where := ""
		if h.container() {
			where = "on the machine that runs the container, "
		}
		return fmt.Sprintf("%srun `sudo sysctl -w %s`, and write that setting to a file in /etc/sysctl.d to keep it", where, setting)
	}
	switch {
	case h.setting("user.max_user_namespaces", "0"):
		return set("user.max_user_namespaces=15000")
	case h.user != 0 && h.setting("kernel.unprivileged_userns_clone", "0"):
		return set("kernel.unprivileged_userns_clone=1")
	case h.user != 0 && h.setting("kernel.apparmor_restrict_unprivileged_userns", "1"):
		return set("kernel.apparmor_restrict_unprivileged_userns=0")
	case h.container():
		return "start the container with " + strings.Join(h.options(), " ")
	}
	return "let the worker open user namespaces: `unshare --user --map-root-user true` as its user must work"
}

// bubblewrap explains how to install it.
func (h host) bubblewrap() string {
	about := h.read("/etc/os-release")
	for _, c := range []struct{ system, command string }{
		{"debian", "sudo apt-get install bubblewrap"}, {"ubuntu", "sudo apt-get install bubblewrap"}, {"fedora", "sudo dnf install bubblewrap"},
		{"rhel", "sudo dnf install bubblewrap"}, {"suse", "sudo zypper install bubblewrap"}, {"arch", "sudo pacman -S bubblewrap"},
		{"alpine", "apk add bubblewrap"},
	} {
		for line := range strings.Lines(about) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			if (name == "ID" || name == "ID_LIKE") && slices.Contains(strings.Fields(strings.Trim(value, `"`)), c.system) {
				return fmt.Sprintf("run `%s` (0.8 or later)", c.command)
			}
		}
	}
	return "install bubblewrap 0.8 or later"
}

// container reports whether the worker runs in a container. Each engine leaves its own mark.
func (h host) container() bool {
	for _, mark := range []string{".dockerenv", "run/.containerenv", "var/run/secrets/kubernetes.io"} {
		if _, err := os.Stat(filepath.Join(h.root, mark)); err == nil {
			return true
		}
	}
	return strings.Contains("\x00"+h.read("/proc/1/environ"), "\x00container=")
}

// options are the container engine's options that remove the observed obstacles to the sandbox.
func (h host) options() []string {
	var all []string
	if strings.Contains("\n"+h.read("/proc/self/status")+"\n", "\nSeccomp:\t2\n") {
		all = append(all, "--security-opt seccomp=deploy/seccomp.json")
	}
	if label := h.read("/proc/self/attr/current"); label != "" && label != "unconfined" {
		all = append(all, "--security-opt apparmor=unconfined")
	}
	for line := range strings.Lines(h.read("/proc/self/mountinfo")) {
		if f := strings.Fields(line); len(f) > 4 && strings.HasPrefix(f[4], "/proc/") {
			all = append(all, "--security-opt systempaths=unconfined")
			break
		}
	}
	if len(all) == 0 {
		return []string{"the right to call unshare and mount, and with /proc unmasked"}
	}
	return all
}

// limits explains how to enable limits for a box as a whole. Limits per process are not enough for root, which is exempt
// from the limit on processes.
func (h host) limits() string {
	switch {
	case h.container() && h.user == 0:
		return "start the container as a user other than root, such as with --user 1000:1000"
	case h.user == 0:
		return "run the worker as a user other than root, or give it a writable cgroup with the pids controller"
	case h.read("/sys/fs/cgroup/cgroup.controllers") != "" && h.systemd():
		return "start the worker with `systemd-run --user --scope`"
	}
	return "give the worker a cgroup that its user may write"
}

// systemd reports whether systemd runs this machine's services.
func (h host) systemd() bool {
	info, err := os.Stat(filepath.Join(h.root, "/run/systemd/system"))
	return err == nil && info.IsDir()
}
