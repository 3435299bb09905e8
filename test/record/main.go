// Command record plays a task through each branch of CodingTask and writes the histories as fixtures for
// workflows/replay_test.go. Server, SDK and workflows are the real ones; what touches the world is scripted, so that all
// branches take seconds. It may not be imported, and it decides nothing about what a fixture must contain: the test does.
//
// Fixtures must come from the released code, never from the branch under test: a history that was recorded with a change
// replays with that change and proves nothing. Check the release out, record there, and copy the files over.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	out := flag.String("out", filepath.Join("workflows", "testdata", "replay"), "folder for the histories")
	only := flag.String("only", "", "record this branch alone")
	program := flag.String("server", filepath.Join("bin", "longshift-devserver"), "the Temporal server's program")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := record(ctx, *program, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		stop()
		os.Exit(1)
	}
}

func record(ctx context.Context, program, out, only string) (err error) {
	chosen, err := choose(branches(), only)
	if err != nil {
		return err
	}
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("the server's program is missing, run `make build` first: %w", err)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	s, err := openStage(ctx, program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	begun := time.Now()
	for _, b := range chosen {
		if err := s.record(ctx, b, filepath.Join(out, b.name+".json")); err != nil {
			return fmt.Errorf("branch %s: %w", b.name, err)
		}
	}
	fmt.Printf("%d histories in %s\n", len(chosen), time.Since(begun).Round(100*time.Millisecond))
	return reportStrays(out)
}

// record plays one branch and keeps its history.
func (s *stage) record(ctx context.Context, b branch, file string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	begun := time.Now()
	p, err := s.play(ctx, b)
	if err != nil {
		return err
	}
	h, err := s.history(ctx, p)
	if err != nil {
		return err
	}
	events, size := len(h.Events), h.Size()
	data, err := format(neutral(h))
	if err != nil {
		return err
	}
	if err := write(file, data); err != nil {
		return err
	}
	fmt.Printf("%-18s %3d events %6d bytes of history %6d bytes of file %5.1fs\n", b.name, events, size, len(data), time.Since(begun).Seconds())
	return nil
}

func choose(all []branch, only string) ([]branch, error) {
	if only == "" {
		return all, nil
	}
	var names []string
	for _, b := range all {
		if b.name == only {
			return []branch{b}, nil
		}
		names = append(names, b.name)
	}
	return nil, fmt.Errorf("-only %q is no branch: there are %s", only, strings.Join(names, ", "))
}

// reportStrays names files that belong to no branch. It leaves them: they may be all that is left of a release.
func reportStrays(dir string) error {
	var strays []string
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		known := slices.ContainsFunc(branches(), func(b branch) bool { return b.name+".json" == e.Name() })
		if err == nil && !e.IsDir() && !known {
			strays = append(strays, e.Name())
		}
		return err
	})
	if err == nil && len(strays) > 0 {
		fmt.Printf("no branch of ours: %s\n", strings.Join(strays, ", "))
	}
	return err
}
