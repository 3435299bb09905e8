package activities

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/repo/toolcache"
)

// hostile is the program that a row runs instead of id: it tries to change everything outside of the box. It records that it ran in a file
// of the work tree.
const hostile = `#!/bin/bash
echo ran >> %[1]s/ran
for f in %[2]s; do mkdir -p "${f%%/*}"; rm -rf "$f"; echo hostile > "$f"; done
for f in config hooks/pre-commit info/attributes commondir; do echo hostile >> %[1]s/.git/$f; done
rm -rf %[1]s/.git/hooks %[1]s/.git/config; mv %[1]s/.git %[1]s/.git2
echo hostile > /dev/tcp/127.0.0.1/%[3]s
setsid sleep %[4]s < /dev/null > /dev/null 2>&1 &
:
`

// prelude makes the files in /tmp that rows name; each box has a /tmp of its own.
const prelude = `mkdir -p /tmp/evil; cp e /tmp/x; cp e /tmp/x.dll; cp e /tmp/x.runsettings
printf 'all:\n\tid\n' | tee /tmp/evil.mk > /tmp/Makefile
printf 'package main\n\nimport "syscall"\n\nfunc main() { _ = syscall.Exec("e", nil, syscall.Environ()) }\n' > /tmp/evil.go
printf '{"name":"evil","version":"1.0.0","scripts":{"test":"id"}}' > /tmp/evil/package.json
printf 'import os\nos.system("id")\n' > /tmp/evil/conftest.py
printf 'task(:default) { system("id") }\n' > /tmp/Rakefile
printf 'version: 3\ntasks: {default: {cmds: [id]}}\n' > /tmp/Taskfile.yml
`

// stand is a workspace with hostile files, and the things outside of it that must not change.
type stand struct {
	t        *testing.T
	b        *bench
	box      *sandbox.Box
	where    layout
	outside  []string // paths that the hostile program writes to
	canaries map[string]string
	sleeper  string
	calls    atomic.Int32 // connections to the host's loopback
}

func newStand(t *testing.T) *stand {
	t.Helper()
	b := confined(t, "")
	tree, err := b.Workspaces.Open(t.Context(), b.ref.TaskID, b.ref.Fence)
	must(t, err)
	t.Cleanup(func() { _ = tree.Close() })
	s := &stand{t: t, b: b, box: b.Confine.Box.(*sandbox.Box), canaries: map[string]string{}}
	s.where, err = layoutOf(t.Context(), tree)
	must(t, err)
	mark := strings.ToLower(rand.Text())
	s.sleeper = fmt.Sprintf("9876%d", time.Now().UnixNano()%1e9)
	home, err := os.UserHomeDir()
	must(t, err)
	b.Confine.Hidden = slices.DeleteFunc([]string{b.Data, "/home", "/root", "/run"}, func(p string) bool { _, err := os.Stat(p); return err != nil })
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), filepath.Join(home, ".pyenv"), filepath.Join(home, ".rustup")) {
		if _, err := os.Stat(dir); err == nil && strings.HasPrefix(dir, home+"/") {
			b.Confine.Readable = append(b.Confine.Readable, dir)
		}
	}
	b.start()
	for _, kept := range []string{filepath.Join(t.TempDir(), "outside"), filepath.Join(b.Data, "outside"), filepath.Join(b.Data, "caches", "other", "kept"),
		filepath.Join(b.boxes.dirs(s.where, b.ref.TaskID).Cache, "kept")} {
		must(t, os.MkdirAll(filepath.Dir(kept), 0o755))
		must(t, os.WriteFile(kept, []byte("kept\n"), 0o644))
		s.canaries[kept] = "kept\n"
		s.outside = append(s.outside, kept)
	}
	for _, absent := range []string{"/etc/", "/usr/local/bin/", "/var/lib/", home + "/", home + "/.cache/", filepath.Dir(s.where.dir) + "/"} {
		path := absent + "longshift-" + mark
		s.outside = append(s.outside, path)
		t.Cleanup(func() { _ = os.Remove(path) })
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.calls.Add(1)
			_ = c.Close()
		}
	}()
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	s.plant(fmt.Sprintf(hostile, s.where.dir, strings.Join(s.outside, " "), port, s.sleeper))
	return s
}

// plant writes the files that rows run and read in the tree.
func (s *stand) plant(payload string) {
	for name, text := range map[string]string{
		"hostile/id": payload, "e": payload, "p.b64": base64.StdEncoding.EncodeToString([]byte(payload)), "x": "a\n", "a.md": "# A\n", "x.py": "import os\n",
		"x.tex": `\immediate\write18{id}\documentclass{article}\begin{document}x\end{document}`, "manage.py": "import os\nos.system('id')\n",
		"artisan": "<?php system('id');\n",
		"all.c":   "int main(void) { return 0; }\n", "Makefile": "all:\n\t@echo $(X)\n",
	} {
		path := filepath.Join(s.where.dir, name)
		must(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(s.t, os.WriteFile(path, []byte(text), 0o755))
	}
}

// run runs a command in a task's box, with the hostile program instead of id.
func (s *stand) run(command string) process.Result {
	s.t.Helper()
	dirs := s.b.boxes.dirs(s.where, s.b.ref.TaskID)
	must(s.t, os.MkdirAll(dirs.Home, 0o700))
	spec, err := s.b.boxes.spec(s.t.Context(), s.where, dirs, false, pathScope{})
	must(s.t, err)
	spec.Writable = append(spec.Writable, dirs.Home)
	env := []string{"PATH=" + filepath.Join(s.where.dir, "hostile") + ":" + os.Getenv("PATH"), "HOME=" + dirs.Home, "LANG=C.UTF-8", "CI=true",
		"GOTOOLCHAIN=local", "GOFLAGS=-modcacherw",
		"CARGO_NET_RETRY=0", "NPM_CONFIG_FETCH_RETRIES=0"}
	for name, folder := range toolcache.Variables {
		env = append(env, name+"="+filepath.Join(dirs.Cache, folder))
	}
	res, err := s.box.Run(s.t.Context(), process.Spec{Path: "/bin/bash", Args: []string{"-c", prelude + command}, Dir: s.where.dir, Env: env, Grace: -1},
		process.Limits{Wall: 30 * time.Second, Keep: 4 << 10}, spec)
	must(s.t, err)
	return res
}

// harm says what has changed outside of the box, "" when nothing has.
func (s *stand) harm(gitBefore string) string {
	var all []string
	for path, want := range s.canaries {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			all = append(all, fmt.Sprintf("%s: %q %v", path, got, err))
		}
	}
	for _, path := range s.outside {
		if _, there := s.canaries[path]; there {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			all = append(all, path+" was made")
		}
	}
	if got := s.gitControl(); got != gitBefore {
		all = append(all, "git's control files were\n"+gitBefore+"\nand are\n"+got)
	}
	if n := s.calls.Load(); n > 0 {
		all = append(all, fmt.Sprintf("%d connections to the host's loopback", n))
	}
	if pid := sleeping(s.sleeper); pid != "" {
		all = append(all, "process "+pid+" was left over")
	}
	return strings.Join(all, "; ")
}

// gitControl returns the files that configure git.
func (s *stand) gitControl() string {
	var out strings.Builder
	for _, name := range []string{"config", "config.worktree", "commondir", "hooks", "info", "objects/info", "modules", "worktrees"} {
		root := filepath.Join(s.where.dir, ".git", name)
		_ = filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
			if err != nil {
				return nil
			}
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&out, "%s %s %q\n", strings.TrimPrefix(path, s.where.dir), info.Mode(), text)
			return nil
		})
	}
	return out.String()
}

// sleeping returns the id of a process that sleeps for this long.
func sleeping(seconds string) string {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		if text, err := os.ReadFile(path); err == nil && string(text) == "sleep\x00"+seconds+"\x00" {
			return filepath.Base(filepath.Dir(path))
		}
	}
	return ""
}

// Policy allows some rows of its bypass corpora where the sandbox holds them. Each of them runs there, with the hostile program instead of
// id, and changes nothing outside.
func TestAllowedBypassIsHeldByTheBox(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../internal/policy/testdata/boxed-allowed.jsonl")
	must(t, err)
	s := newStand(t)
	before := s.gitControl()
	rows, seen := 0, map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		var row struct{ Command string }
		must(t, json.Unmarshal([]byte(line), &row))
		if rows++; seen[row.Command] {
			continue // it is in both corpora
		}
		seen[row.Command] = true
		if _, err := exec.LookPath(strings.Fields(row.Command)[0]); err != nil {
			t.Logf("%q: not on this machine", row.Command)
			continue
		}
		start := time.Now()
		res := s.run(row.Command)
		if harm := s.harm(before); harm != "" {
			t.Fatalf("%q: %s\n%s", row.Command, harm, res.Output)
		}
		t.Logf("%q: exit %d after %v", row.Command, res.Exit.Code, time.Since(start).Round(time.Millisecond))
	}
	ran, _ := os.ReadFile(filepath.Join(s.where.dir, "ran"))
	if n := strings.Count(string(ran), "ran\n"); rows < 40 || n < 10 {
		t.Errorf("%d rows, and the hostile program ran %d times; this would prove little", rows, n)
	} else {
		t.Logf("%d rows; the hostile program ran %d times", rows, n)
	}
}

// Without the box the hostile program does harm, so the test above shows something.
func TestHostileProgramDoesHarm(t *testing.T) {
	s := newStand(t)
	before := s.gitControl()
	// It may write only to paths of this test here.
	s.outside = slices.DeleteFunc(s.outside, func(p string) bool { _, ours := s.canaries[p]; return !ours })
	text, err := os.ReadFile(filepath.Join(s.where.dir, "e"))
	must(t, err)
	at := strings.Index(string(text), "for f in ")
	end := strings.Index(string(text)[at:], "; do")
	script := string(text)[:at] + "for f in " + strings.Join(s.outside, " ") + string(text)[at+end:]
	res, err := process.Run(t.Context(), process.Spec{Path: "/bin/bash", Args: []string{"-c", strings.ReplaceAll(script, "setsid ", "")},
		Dir: s.where.dir, Env: os.Environ()},
		process.Limits{Wall: time.Minute, Keep: 4 << 10})
	must(t, err)
	harm := s.harm(before)
	for _, want := range []string{"outside: \"hostile", "git's control files", "connections"} {
		if !strings.Contains(harm, want) {
			t.Errorf("no %q in: %s\n%s", want, harm, res.Output)
		}
	}
}
