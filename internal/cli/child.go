package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is a program that this command has started and will end. It leads a process group of its own, so that Ctrl-C at
// the terminal reaches us alone and we end it in order.
type child struct {
	name string
	cmd  *exec.Cmd
	tail *tail         // what it said last on stderr
	done chan struct{} // closed when it has ended and its output has been read
	err  error         // how it ended; valid after done
}

// startChild starts a program. Each line it writes to stderr goes to line, with the child's name before it; what programs
// that serve write to stdout is a greeting to whoever started them by hand. What it says of its own end is for who reports that.
func startChild(name, path string, args, env []string, line func(string)) (*child, error) {
	c := &child{name: name, cmd: exec.Command(path, args...), tail: &tail{name: filepath.Base(path) + ": "}, done: make(chan struct{})}
	c.cmd.Env = env
	c.cmd.Dir = "/"
	c.cmd.WaitDelay = 2 * time.Second // a grandchild may hold the pipes
	c.cmd.SysProcAttr = childAttributes()
	c.cmd.Stderr = &lineWriter{use: func(s string) {
		if !c.tail.add(s) {
			line(name + " | " + s)
		}
	}}
	began := make(chan error)
	go func() {
		// The signal that tells the child of our death belongs to the thread that started it, so the thread stays.
		runtime.LockOSThread()
		err := c.cmd.Start()
		began <- err
		if err == nil {
			c.err = c.cmd.Wait()
			close(c.done)
		}
	}()
	if err := <-began; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return c, nil
}

// stop asks the child to end and kills its group when it has not after grace.
func (c *child) stop(grace time.Duration) {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // fails only when it has ended
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
		<-c.done
	}
}

// kill ends the child at once, as a crash or a power cut would.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // fails only when it has ended
	<-c.done
}

// running tells whether the child has not ended.
func (c *child) running() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// ended says in words how the child ended: in its own, when it had any.
func (c *child) ended() string {
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
			if len(w.rest) > longestLine {
				w.use(string(w.rest))
				w.rest = nil
			}
			return len(b), nil
		}
		w.use(string(w.rest[:i]))
		w.rest = w.rest[i+1:]
	}
}

// tail keeps the last line that says something, and the error that a program ends with: what follows its name, as all of ours write it.
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
	return clip(oneLine(t.line), 500)
}
