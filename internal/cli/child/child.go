// Package child runs programs that the command line starts and ends: the server, the worker.
package child

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/excerpt"
)

// Child is a program that this command has started and will end. It leads a process group of its own, so that Ctrl-C at
// the terminal reaches us alone and we end it in order.
type Child struct {
	Name string
	cmd  *exec.Cmd
	tail *tail         // what it said last on stderr
	done chan struct{} // closed when it has ended and its output has been read
	err  error         // how it ended; valid after done
}

// Start starts a program in a folder. Each line that it writes to stderr goes to line, with the child's name before it. What it writes to
// stdout is dropped: servers greet there. The error that it ends with is returned by Ended, and does not go to line.
func Start(name, dir, path string, args, env []string, line func(string)) (*Child, error) {
	c := &Child{Name: name, cmd: exec.Command(path, args...), tail: &tail{name: filepath.Base(path) + ": "}, done: make(chan struct{})}
	c.cmd.Env, c.cmd.Dir = env, dir
	c.cmd.WaitDelay = 2 * time.Second // a grandchild may hold the pipes
	c.cmd.SysProcAttr = childAttributes()
	c.cmd.Stderr = &lineWriter{use: func(s string) {
		if !c.tail.add(s) {
			line(name + " | " + s)
		}
	}}
	if err := process.StartBound(c.cmd, func(err error) { c.err = err; close(c.done) }); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return c, nil
}

// Stop asks the child to end and kills its group when it has not after grace.
func (c *Child) Stop(grace time.Duration) {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // fails only when it has ended
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
		_ = syscall.Kill(-c.Pid(), syscall.SIGKILL)
		<-c.done
	}
}

// Pid is the id of the child's process.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Exited is closed when the child has ended and its output has been read.
func (c *Child) Exited() <-chan struct{} { return c.done }

// Again starts the same program again; at the root when its folder is gone.
func (c *Child) Again(line func(string)) (*Child, error) {
	dir := c.cmd.Dir
	if _, err := os.Stat(dir); err != nil {
		dir = "/"
	}
	return Start(c.Name, dir, c.cmd.Path, c.cmd.Args[1:], c.cmd.Env, line)
}

// Kill ends the child at once, as a crash or a power cut would.
func (c *Child) Kill() {
	_ = c.cmd.Process.Kill() // fails only when it has ended
	<-c.done
}

// Ended says in words how the child ended: in its own, when it had any.
func (c *Child) Ended() string {
	if words := c.tail.words(); words != "" {
		return words
	}
	how := "exit code 0"
	var exit *exec.ExitError
	if errors.As(c.err, &exit) {
		if how = exit.String(); !exit.Exited() { // whoever is killed has had no time to say why
			return how
		}
	} else if c.err != nil {
		how = c.err.Error()
	}
	if last := c.tail.last(); last != "" {
		how += ": " + last
	}
	return how
}

// lineWriter hands whole lines on.
type lineWriter struct {
	use  func(string)
	rest []byte
}

func (w *lineWriter) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			if len(w.rest) > term.LongestLine {
				w.use(string(w.rest))
				w.rest = nil
			}
			return len(b), nil
		}
		w.use(string(w.rest[:i]))
		w.rest = w.rest[i+1:]
	}
}

// tail keeps the last line that is not blank, and the error that a program ends with: the text after its name, as all programs of Longshift
// write it.
type tail struct {
	name string // of the program, as it stands before the error
	mu   sync.Mutex
	line string
	end  []string
}

// add tells whether a line is part of the error.
func (t *tail) add(line string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text, begins := strings.CutPrefix(line, t.name); begins || len(t.end) > 0 {
		t.end = append(t.end, text)
		return true
	}
	if line = strings.TrimSpace(line); line != "" {
		t.line = line
	}
	return false
}

func (t *tail) words() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.end, "\n")
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return excerpt.Clip(term.OneLine(t.line), 500)
}
