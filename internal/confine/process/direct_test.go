package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
)

func TestDirect(t *testing.T) {
	s := bash("cat; echo err >&2; env; exit 3")
	s.Stdin, s.Session = strings.NewReader("in\n"), "d-1"
	var out bytes.Buffer
	exit, stderr, err := Direct(t.Context(), s, &out)
	if err != nil || exit.Code != 3 || stderr != "err\n" {
		t.Errorf("got %+v, %q, %v", exit, stderr, err)
	}
	if got := out.String(); !strings.HasPrefix(got, "in\n") || !strings.Contains(got, "LONGSHIFT_SESSION=d-1\n") || strings.Contains(got, "HOME=") {
		t.Errorf("output %q", got)
	}
	out.Reset()
	if _, _, err := Direct(t.Context(), Spec{Path: "/usr/bin/env"}, &out); err != nil || out.Len() > 0 {
		t.Errorf("without an environment it got %q, %v", out.String(), err)
	}
	if exit, _, err := Direct(t.Context(), bash("kill -KILL $$"), io.Discard); err != nil || exit.Signal != "SIGKILL" {
		t.Errorf("got %+v, %v", exit, err)
	}
	if _, _, err := Direct(t.Context(), Spec{Path: "/none"}, io.Discard); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestDirectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	s := bash(`echo $$; sleep 1000 & echo $!; trap "" TERM; while :; do wait; done`)
	s.Grace = -1
	ended := make(chan error)
	go func() {
		_, _, err := Direct(ctx, s, w)
		ended <- err
	}()
	pids := readPids(t, r, 2)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	waitGone(t, pids...)
}

func BenchmarkDirect(b *testing.B) {
	for b.Loop() {
		if e, _, err := Direct(b.Context(), Spec{Path: "/bin/true"}, io.Discard); err != nil || !e.Success() {
			b.Fatal(e, err)
		}
	}
}
