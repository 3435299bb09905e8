package dev

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// TestMain lets this test binary be a command of Go that compiles until it is interrupted.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "go" {
		compile()
		return
	}
	os.Exit(m.Run())
}

// compile leaves a folder in the temporary one, as Go does when it is killed, and the file interrupted at home when it ends as it should.
func compile() {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	if _, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "go-build"); err != nil {
		panic(err)
	}
	home := os.Getenv("HOME")
	_ = os.WriteFile(filepath.Join(home, "compiles"), nil, 0o600)
	<-interrupted
	_ = os.WriteFile(filepath.Join(home, "interrupted"), nil, 0o600)
}

// A demo that is ended while Go compiles has Go end too, and leaves nothing outside of its folder.
func TestDemoEndsWhileGoCompiles(t *testing.T) {
	home, tmp := t.TempDir(), t.TempDir()
	program := filepath.Join(home, "go")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	d := &demonstration{env: environ.Environ{Vars: []string{"HOME=" + home, "TMPDIR=" + tmp}}, golang: program, dir: t.TempDir(),
		printer: term.NewPrinter(term.Streams{Err: &bytes.Buffer{}})}
	if err := os.Mkdir(d.seed(), 0o700); err != nil {
		t.Fatal(err)
	}
	is := func(name string) bool { _, err := os.Stat(filepath.Join(home, name)); return err == nil }
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); d.caches(ctx) }()
	clitest.Eventually(t, "Go compiles", func() bool { return is("compiles") })
	interrupt()
	<-ended
	if !is("interrupted") {
		t.Error("Go was killed, and could not take away what it had made")
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

func TestDemoNeedsGo(t *testing.T) {
	dir := t.TempDir()
	d := &demonstration{env: environ.Environ{Vars: []string{"PATH=/nowhere", "TMPDIR=" + dir}}}
	err := d.run(t.Context(), false, false)
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "go is not on PATH") ||
		!strings.Contains(fault.HintOf(err), "install Go") {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
