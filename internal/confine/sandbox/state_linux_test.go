package sandbox

import (
	"io"
	"strings"
	"testing"
	"time"
)

// TestState looks into a running box from outside: what its program puts into the folders of its own and what it leaves running is seen, and
// nothing but it is looked at.
func TestState(t *testing.T) {
	c := workIn(t)
	put(t, c.Work, "file")
	s := bash(c, `mkdir /tmp/d; while read line; do eval "$line"; done`)
	s.StdinPipe = true
	p, err := theBox(t).Start(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	say := func(line string) {
		t.Helper()
		if _, err := io.WriteString(p.Stdin(), line+"; echo .\n"); err != nil {
			t.Fatal(err)
		}
		readLine(t, p.Stdout())
	}
	say("true")
	before, err := p.State(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ do, want string }{
		{"echo a >new", ""}, // in the work tree, which everybody sees
		{"(sleep 0.001)", ""},
		{"echo a >/tmp/new", "/tmp/new is new"},
		{"rm /tmp/new", ""},
		{"echo a >/tmp/d/new", "/tmp/d/new is new"},
		{"rm /tmp/d/new; mkfifo /dev/shm/pipe", "/dev/shm/pipe is new"},
		{"rm /dev/shm/pipe; ln -s / /var/tmp/root", "/var/tmp/root is new"},
		{"rm /var/tmp/root; chmod 700 /tmp/d", "/tmp/d is new or changed"},
		{"chmod 755 /tmp/d; sleep 1000 & disown", "is left"},
	} {
		say(step.do)
		now, err := p.State(time.Minute)
		if err == nil {
			err = now.Since(before)
		}
		if (err == nil) != (step.want == "") || err != nil && !strings.Contains(err.Error(), step.want) {
			t.Errorf("%s: %v, wanted %q", step.do, err, step.want)
		}
	}
	if before.Memory == 0 {
		t.Error("it takes no memory")
	}
}

// TestStateOfTheEnd: what is left of a box while it ends is outside of it. None of that counts as the program's, whatever moment it is.
func TestStateOfTheEnd(t *testing.T) {
	c := workIn(t)
	for range 20 {
		s := bash(c, "echo .; read line")
		s.StdinPipe = true
		p, err := theBox(t).Start(t.Context(), s, c)
		if err != nil {
			t.Fatal(err)
		}
		readLine(t, p.Stdout())
		before, err := p.State(time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		p.Stdin().Close()
		for running := true; running; {
			select {
			case <-p.Done():
				running = false
			default:
			}
			if now, err := p.State(time.Minute); err == nil && now.Since(before) == nil && !running {
				t.Error("a program that has ended is as it was")
			}
		}
		p.Stop()
	}
}
