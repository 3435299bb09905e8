package acceptance

import (
	"context"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/sourcetree"
)

// registries are the hosts that the stories' dependencies come from.
var registries = []string{"proxy.golang.org", "registry.npmjs.org"}

// part gives what find finds. What is missing on this machine fails the test, in one line; with -short, which promises a run without
// network and agents, it is skipped, but never where CI is set.
func part(t testing.TB, what string, find func() (string, error)) string {
	t.Helper()
	found, err := find()
	switch {
	case err == nil:
		return found
	case testing.Short() && os.Getenv("CI") != "true":
		t.Skipf("without %s: %v", what, err)
	}
	t.Fatalf("the stories need %s: %v (-short leaves them out)", what, err)
	return ""
}

// program finds one on this machine's PATH.
func program(t testing.TB, name string) string {
	t.Helper()
	return part(t, name, func() (string, error) { return exec.LookPath(name) })
}

// claude is the real Claude Code binary that tests use.
func claude(t testing.TB) string {
	t.Helper()
	return part(t, "Claude Code (make agents)", func() (string, error) {
		return filepath.EvalSymlinks(filepath.Join(sourcetree.Root(), "test", "agents", "node_modules", ".bin", "claude"))
	})
}

// toolFolders are the folders that a person's PATH has: where this machine's tool chains really lie. The switches of version managers
// (rustup, pyenv) are passed over, for they read settings in the home folder of whoever installed them.
func toolFolders(t testing.TB) []string {
	t.Helper()
	var dirs []string
	for _, name := range []string{"git", "make", "bwrap", "go", "node", "npm", "cc", "javac", "python3", "cargo"} {
		dir := filepath.Dir(program(t, name))
		switch name {
		case "python3":
			dir = filepath.Join(ask(t, name, "-c", "import sys; print(sys.prefix)"), "bin")
		case "cargo":
			dir = filepath.Join(ask(t, "rustc", "--print", "sysroot"), "bin")
		}
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs) // what a manager has chosen comes before the system's
	dirs = append(dirs, "/usr/local/bin", "/usr/bin", "/bin")
	var unique []string
	for _, dir := range dirs {
		if !slices.Contains(unique, dir) {
			unique = append(unique, dir)
		}
	}
	return unique
}

// ask gives the first line that a program prints.
func ask(t testing.TB, name string, args ...string) string {
	t.Helper()
	return part(t, name, func() (string, error) {
		out, err := exec.Command(name, args...).Output()
		line, _, _ := strings.Cut(string(out), "\n")
		return line, err
	})
}

// registrySetting is LONGSHIFT_REGISTRIES as the operator of this network must set it: a registry whose name leads to a mirror at an
// address that is not public is named as such. "" leaves the default.
func registrySetting(t testing.TB) string {
	t.Helper()
	var mirrors []string
	for _, host := range registries {
		part(t, "the registry "+host, func() (string, error) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
			if slices.ContainsFunc(found, inside) {
				mirrors = append(mirrors, host+" internal")
			}
			return host, err
		})
	}
	if mirrors == nil {
		return ""
	}
	return strings.Join(append(mirrors, "default"), ",")
}

// inside tells whether an address means something in the own network only.
func inside(a netip.Addr) bool {
	documentation := slices.ContainsFunc([]string{"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15", "2001:db8::/32"},
		func(p string) bool { return netip.MustParsePrefix(p).Contains(a.Unmap()) })
	return documentation || a.IsPrivate() || a.IsLoopback()
}
