package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// runSteps are those of a host that run agents and commands.
type runSteps struct{ *plays }

// RunAgent plays one session.
func (s *runSteps) RunAgent(ctx context.Context, in activities.SessionInput) (activities.SessionResult, error) {
	p := s.of(ctx)
	n := p.count(string(in.Role))
	p.began <- in.Role
	if p.session != nil {
		if res, err := p.session(ctx, in, n); err != nil || res.Kind != "" {
			return res, err
		}
	}
	return well(in, p.plan), nil
}

// RunSetup passes.
func (s *runSteps) RunSetup(_ context.Context, in activities.CommandInput) (signals.Check, error) {
	return signals.Check{Command: in.Command, Duration: 2 * time.Second, File: "tasks/" + in.TaskID + "/logs/setup-01.log"}, nil
}

// RunChecks fails until something is committed.
func (s *runSteps) RunChecks(ctx context.Context, in activities.CommandInput) (signals.Check, error) {
	c := signals.Check{Command: in.Command, Duration: 1500 * time.Millisecond, Tail: "ok  \texample.com/calc\t0.004s\n",
		File: fmt.Sprintf("tasks/%s/logs/check-%02d.log", in.TaskID, in.N)}
	c.Commit = in.Commit
	p := s.of(ctx)
	if p.counted("commit") == 0 || p.check != nil && p.check(&c, p.count("red")) {
		c.ExitCode, c.Tail, c.Failing = 1, failing, []string{"example.com/calc.TestAdd"}
	}
	return c, nil
}

// redProofs are the runs of a proof that fail: before the work, and for two of them the first one where nothing is but what is committed.
var redProofs = map[string][]int{proofOfAdd: {1, 3}, proofOfSub: {1}, proofOfSum: {1, 2}}

// RunProof runs a proof.
func (s *runSteps) RunProof(ctx context.Context, in activities.CommandInput) (signals.Check, error) {
	if p := s.of(ctx); p.cutProof == in.N && p.count("cut") == 1 {
		go p.stage.hosts[doomed].cut()
		<-ctx.Done()
		return signals.Check{}, ctx.Err()
	}
	c := signals.Check{Command: in.Command, Duration: time.Second, Commit: in.Commit, Tail: "ok  \texample.com/calc\t0.004s\n",
		File: fmt.Sprintf("tasks/%s/logs/proof-%02d.log", in.TaskID, in.N), Ran: &task.Ran{N: 1, Of: task.RanPackages}}
	if slices.Contains(redProofs[in.Command], in.N) {
		c.ExitCode, c.Tail = 1, failing
	}
	return c, nil
}

const failing = `--- FAIL: TestAdd (0.00s)
    calc_test.go:7: Add(2, 3) = -1, want 5
`
