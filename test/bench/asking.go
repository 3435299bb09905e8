package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/test/lab"
)

// asking runs the command line against a server, and takes the time of each command.
type asking struct {
	program string
	dir     string // its home and its data
	address string
}

func newAsking(s *scene, address string) *asking {
	return &asking{lab.Program(s, "longshift"), s.TempDir(), address}
}

// run runs one command that must go well, and gives its time and how many lines it has printed.
func (a *asking) run(args ...string) (took time.Duration, lines int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, a.program, args...)
	cmd.Dir = a.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + a.dir, "USER=ann", "LANG=C.UTF-8", "TEMPORAL_ADDRESS=" + a.address,
		"LONGSHIFT_DATA=" + filepath.Join(a.dir, "data")}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	begun := time.Now()
	err = cmd.Run()
	took = time.Since(begun)
	if err != nil {
		return took, 0, fmt.Errorf("longshift %v: %w: %s", args, err, &said)
	}
	return took, bytes.Count(out.Bytes(), []byte("\n")), nil
}

// rounds runs a command so often, each time with the arguments that are made for it.
func (a *asking) rounds(n int, args func(round int) []string) (seconds []float64, lines int, err error) {
	for i := range n {
		took, printed, err := a.run(args(i)...)
		if err != nil {
			return nil, 0, err
		}
		seconds, lines = append(seconds, took.Seconds()), printed
	}
	return seconds, lines, nil
}

// rows times what people ask. Each round asks about another one of the parked tasks, which the worker does not have in memory.
func (a *asking) rows(ctx context.Context, c client.Client, rounds, parked int) ([]row, error) {
	task := func(round int) string { return parkedID((round*7919 + 13) % parked) }
	var rows []row
	for _, q := range []struct {
		what string
		args func(round int) []string
	}{
		{"`longshift list`", func(int) []string { return []string{"list"} }},
		{"`longshift list --all`", func(int) []string { return []string{"list", "--all"} }},
		{"`longshift status`", func(int) []string { return []string{"status"} }},
		{"`longshift status TASK`", func(n int) []string { return []string{"status", task(n)} }},
		{"`longshift status` by the beginning of an id", func(n int) []string { return []string{"status", task(n)[:len("parked-00000")]} }},
	} {
		seconds, lines, err := a.rounds(rounds, q.args)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{what: fmt.Sprintf("%s (%d lines)", q.what, lines), format: "%.2f s", budget: mostAnswer, now: seconds})
	}
	approved, seen := row{what: "`longshift approve TASK`", format: "%.2f s", budget: mostAnswer},
		row{what: "after that, until the list shows it", format: "%.2f s"}
	for n := range rounds {
		id := task(rounds + n)
		took, _, err := a.run("approve", id)
		if err != nil {
			return nil, err
		}
		begun := time.Now()
		if err := listed(ctx, c, fmt.Sprintf("WorkflowId = '%s' AND %s != 'approving'", id, signals.AttrPhase), 1); err != nil {
			return nil, err
		}
		approved.now, seen.now = append(approved.now, took.Seconds()), append(seen.now, time.Since(begun).Seconds())
		// It would go on, on a host that there is not.
		if err := c.TerminateWorkflow(ctx, id, "", "the bench has measured it"); err != nil {
			return nil, err
		}
	}
	return append(rows, approved, seen), nil
}

// tellAll tells each parked task something, many at a time: each has to be replayed, and passes through the cache of the worker.
func tellAll(ctx context.Context, c client.Client, n, atOnce int) (aSecond float64, err error) {
	var next atomic.Int64
	failed := make([]error, atOnce)
	begun := time.Now()
	var wg sync.WaitGroup
	for k := range failed {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && failed[k] == nil; i = int(next.Add(1)) - 1 {
				failed[k] = tell(ctx, c, parkedID(i))
			}
		})
	}
	wg.Wait()
	return float64(n) / time.Since(begun).Seconds(), errors.Join(failed...)
}

// tell tells a task something, unless it was ended.
func tell(ctx context.Context, c client.Client, id string) error {
	h, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: signals.Tell, UpdateID: "told",
		Args:         []any{signals.TellRequest{Message: signals.Message{ID: "told", By: "ann"}, Text: "keep the old names"}},
		WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = h.Get(ctx, nil)
	}
	if _, ended := errors.AsType[*serviceerror.NotFound](err); ended {
		return nil
	}
	return err
}
