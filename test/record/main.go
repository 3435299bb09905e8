// Command record plays each branch of each workflow and writes the histories as fixtures for
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
	only := flag.String("only", "", "record these branches alone, with commas between them")
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
	begun := time.Now()
	for _, full := range limits(chosen) {
		if err := recordAll(ctx, program, out, full, chosen); err != nil {
			return err
		}
	}
	fmt.Printf("%d histories in %s\n", len(chosen), time.Since(begun).Round(100*time.Millisecond))
	return reportStrays(out)
}

// limits gives the servers that the branches need, by when they ask for a new run.
func limits(chosen []branch) []int {
	var all []int
	for _, b := range chosen {
		all = append(all, b.full)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// recordAll records the branches that need such a server.
func recordAll(ctx context.Context, program, out string, full int, chosen []branch) (err error) {
	s, err := openStage(ctx, program, full)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for _, b := range chosen {
		if b.full != full {
			continue
		}
		if err := s.record(ctx, b, filepath.Join(out, b.name+".json")); err != nil {
			return fmt.Errorf("branch %s: %w", b.name, err)
		}
	}
	return nil
}

// record plays one branch and keeps its history.
func (s *stage) record(ctx context.Context, b branch, file string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
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
	fmt.Printf("%-27s %3d events %6d bytes of history %6d bytes of file %5.1fs\n", b.name, events, size, len(data),
		time.Since(begun).Seconds())
	return nil
}

func choose(all []branch, only string) ([]branch, error) {
	if only == "" {
		return all, nil
	}
	var names []string
	for _, b := range all {
		names = append(names, b.name)
	}
	var some []branch
	for name := range strings.SplitSeq(only, ",") {
		at := slices.Index(names, name)
		if at < 0 {
			return nil, fmt.Errorf("-only %q is no branch: there are %s", name, strings.Join(names, ", "))
		}
		some = append(some, all[at])
	}
	return some, nil
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
