package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// limited is a worker program in a group of its own whose memory the kernel limits.
type limited struct {
	group   string // folder of its control group; "" where none can be made
	log     string
	cmd     *exec.Cmd
	ended   chan struct{}
	began   time.Time
	serving time.Duration // after which it said that it polls for work
}

// group makes a control group with this limit, and gives its folder: "" where this user may make none.
func group(s *scene, bytes int) string {
	for _, c := range []struct{ dir, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, // version 1
		{"/sys/fs/cgroup", "memory.max"},
	} {
		dir := filepath.Join(c.dir, fmt.Sprintf("longshift-bench-%d", os.Getpid()))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		s.Cleanup(func() { _ = os.Remove(dir) })
		if os.WriteFile(filepath.Join(dir, c.limit), []byte(strconv.Itoa(bytes)), 0o644) == nil {
			return dir
		}
	}
	return ""
}

// startLimited starts a worker inside the group, and waits until it says that it is ready. The shell joins the group before it becomes the
// worker, so that every byte of it counts there.
func startLimited(s *scene, group, program string, env []string) (*limited, error) {
	l := &limited{group: group, log: filepath.Join(s.TempDir(), "worker.log"), ended: make(chan struct{})}
	out, err := os.Create(l.log)
	if err != nil {
		return nil, err
	}
	l.cmd = exec.Command(program)
	if group != "" {
		l.cmd = exec.Command("/bin/sh", "-c", `echo $$ >"$0" && exec "$1"`, filepath.Join(group, "cgroup.procs"), program)
	}
	l.cmd.Env, l.cmd.Stdout, l.cmd.Stderr = append(env, "GODEBUG=gctrace=1"), out, out
	l.began = time.Now()
	if err := l.cmd.Start(); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	go func() { _ = l.cmd.Wait(); out.Close(); close(l.ended) }()
	s.Cleanup(l.kill)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return l, l.until(ctx, "Worker ready")
}

// until waits until the log holds a text.
func (l *limited) until(ctx context.Context, text string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		said, err := os.ReadFile(l.log)
		if err != nil {
			return err
		}
		if bytes.Contains(said, []byte(text)) {
			l.serving = time.Since(l.began)
			return nil
		}
		select {
		case <-l.ended:
			return fmt.Errorf("the worker has ended (%v): %s", l.cmd.ProcessState, last(said))
		case <-ctx.Done():
			return fmt.Errorf("the worker does not say %q: %s", text, last(said))
		case <-tick.C:
		}
	}
}

func last(said []byte) []byte { return said[max(0, len(said)-2000):] }

func (l *limited) kill() {
	_ = l.cmd.Process.Kill()
	<-l.ended
}

// resident is what the process holds in memory now, and has held at most, in bytes.
func (l *limited) resident() (now, most int, err error) {
	select {
	case <-l.ended:
		said, _ := os.ReadFile(l.log)
		return 0, 0, fmt.Errorf("the worker has ended (%v): %s", l.cmd.ProcessState, last(said))
	default:
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.cmd.Process.Pid))
	if err != nil {
		return 0, 0, fmt.Errorf("read the size of the worker, which works on Linux only: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		switch name {
		case "VmRSS":
			now = kb << 10
		case "VmHWM":
			most = kb << 10
		}
	}
	return now, most, nil
}

// collected matches what Go's runtime says of a collection: what was left is the last number.
var collected = regexp.MustCompile(`\ngc \d+ @.* \d+->\d+->(\d+) MB`)

// goroutines are those of a process: of the workflows that it holds in its cache, and the others.
type goroutines struct{ workflows, others int }

// quit ends the worker by the signal at which Go's runtime lists all goroutines, and counts them. liveMB is what the last collection left.
func (l *limited) quit() (g goroutines, liveMB int, err error) {
	if err := l.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		return g, 0, err
	}
	select {
	case <-l.ended:
	case <-time.After(time.Minute):
		return g, 0, errors.New("the worker does not end at SIGQUIT")
	}
	said, err := os.ReadFile(l.log)
	if err != nil {
		return g, 0, err
	}
	if all := collected.FindAllSubmatch(said, -1); len(all) > 0 {
		liveMB, _ = strconv.Atoi(string(all[len(all)-1][1]))
	}
	for _, one := range strings.Split(string(said), "\ngoroutine ")[1:] {
		if strings.Contains(one, "coroutineState") {
			g.workflows++
		} else {
			g.others++
		}
	}
	return g, liveMB, nil
}
