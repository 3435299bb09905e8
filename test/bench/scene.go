package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// scene stands for a test where the kits of tests set up a part of the bench: what they begin is ended with it.
type scene struct {
	testing.TB // nil: the kits call nothing but what is below

	dir  string
	ends ends

	mu    sync.Mutex
	dirs  int
	wrong error // the first thing that a kit found to be wrong
}

// over is what a kit's Fatal throws, to be caught by the scene's play.
type over struct{ error }

// play has something done on a new scene and ends it.
func play(do func(s *scene) error) (err error) {
	s := &scene{}
	if s.dir, err = os.MkdirTemp("", "longshift-scale-"); err != nil {
		return err
	}
	s.ends.add(func() { os.RemoveAll(s.dir) })
	defer s.ends.run()
	defer s.ends.whenTold()()
	if err := os.Chmod(s.dir, 0o755); err != nil { // PostgreSQL runs as another user
		return err
	}
	defer func() {
		if thrown := recover(); thrown != nil {
			o, ok := thrown.(over)
			if !ok {
				panic(thrown)
			}
			s.fail(o.error)
			err = o.error
		}
	}()
	if err := do(s); err != nil {
		s.fail(err)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrong
}

func (s *scene) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrong == nil {
		s.wrong = err
	}
}

func (s *scene) Helper() {}

func (s *scene) Context() context.Context { return context.Background() }

func (s *scene) Cleanup(f func()) { s.ends.add(f) }

func (s *scene) Failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrong != nil
}

func (s *scene) TempDir() string {
	s.mu.Lock()
	s.dirs++
	dir := filepath.Join(s.dir, fmt.Sprint(s.dirs))
	s.mu.Unlock()
	if err := os.Mkdir(dir, 0o755); err != nil {
		s.Fatal(err)
	}
	return dir
}

func (s *scene) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (s *scene) Errorf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	fmt.Fprintln(os.Stderr, "wrong:", err)
	s.fail(err)
}

func (s *scene) Fatalf(format string, args ...any) { panic(over{fmt.Errorf(format, args...)}) }

func (s *scene) Fatal(args ...any) { panic(over{fmt.Errorf("%s", fmt.Sprint(args...))}) }

// Skipf is called where a part of the kits is missing, without which nothing is measured.
func (s *scene) Skipf(format string, args ...any) { s.Fatalf(format, args...) }
