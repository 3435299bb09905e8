package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// native are the branches of tasks that Longshift's own agent works on, and of its sessions.
func native() []branch {
	const config = `{"agent":"native"}`
	sessionOf := func(name string) func(string) string { return func(string) string { return name + "-session-2" } }
	return []branch{
		{name: "native", outcome: task.PullRequest, config: config},
		{name: "native-command", outcome: task.PullRequest, config: config, act: asksOnce, drive: allows},
		{name: "native-question", outcome: task.PullRequest, config: config, act: asksPeople, drive: answersQuestion},
		{name: "native-host-moved", outcome: task.PullRequest, config: config, hosts: []string{absent, steady}},
		{name: "native-acts", config: config, keep: sessionOf("native-acts"), act: tellsOnce},
		{name: "native-acts-continued", config: config, keep: sessionOf("native-acts-continued"), full: 30},
		{name: "native-acts-summed", config: config, keep: sessionOf("native-acts-summed"), sums: true},
		{name: "native-acts-continuation", config: config, keep: sessionOf("native-acts-continuation"), newest: true, full: 30},
	}
}

// allows lets the command run that waits.
func allows(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.until(ctx, suspended(signals.ReasonCommand)) },
		func() error {
			return p.update(ctx, signals.Allow, signals.AllowRequest{Message: by("allow-5"), Question: question})
		})
}

// asksOnce has a command of the implementer's session wait for a person.
func asksOnce(ctx context.Context, p *play, in activities.OpenInput, n int) (*activities.ActResult, error) {
	if in.Role != task.Implementer || n != 1 {
		return nil, nil
	}
	res, err := putTo(ctx, in.Task, signals.Question{ID: question, Session: in.N, Role: in.Role, Tool: "Bash", Command: "terraform plan", AtOnce: true,
		Rule: "program.unknown", Reason: "terraform is not in the table of programs"})
	if res.Kind == "" || err != nil {
		return nil, err
	}
	return &activities.ActResult{Kind: res.Kind, Text: res.Error}, nil
}

// asksPeople has the implementer's session ask people.
func asksPeople(_ context.Context, _ *play, in activities.OpenInput, n int) (*activities.ActResult, error) {
	if in.Role != task.Implementer || n != 1 {
		return nil, nil
	}
	return &activities.ActResult{Kind: agent.NeedsAnswer, Text: "Is the old format still needed?"}, nil
}

// answersQuestion answers the question of a session.
func answersQuestion(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.until(ctx, suspended(signals.ReasonQuestion)) },
		func() error {
			return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-5"), Note: "No, drop it."})
		})
}

// tellsOnce has a person say something while a command of the implementer's session runs.
func tellsOnce(ctx context.Context, p *play, in activities.OpenInput, n int) (*activities.ActResult, error) {
	if in.Role != task.Implementer || n != 1 {
		return nil, nil
	}
	return nil, p.signal(ctx, signals.Tell, signals.TellRequest{Message: by("tell-7"), Text: "mind the README"})
}

// answers are how often the model is asked in a session.
const answers = 3

// actSteps are those of sessions of our own agent.
type actSteps struct{ *plays }

// OpenSession begins a conversation.
func (s *actSteps) OpenSession(ctx context.Context, in activities.OpenInput) (activities.Opened, error) {
	p := s.of(ctx)
	p.mu.Lock()
	if p.opened == nil {
		p.opened = map[string]activities.OpenInput{}
	}
	p.opened[in.ID] = in
	p.mu.Unlock()
	if in.Head != "" { // the call that waited is still open
		return activities.Opened{Head: in.Head, Calls: []activities.PlannedCall{{Line: "run_command terraform plan"}}}, nil
	}
	return activities.Opened{Head: entryID("begin")}, nil
}

// AskModel answers with two calls that read and one that runs a command; the last answer reports.
func (s *actSteps) AskModel(ctx context.Context, in activities.AskInput) (activities.ActResult, error) {
	if p := s.of(ctx); p.sums && in.N == 1 {
		return activities.ActResult{Head: entryID("summary"), Summed: true}, nil
	}
	res := activities.ActResult{Head: entryID(fmt.Sprint("answer ", in.N)), Took: 2 * time.Second,
		Usage: task.Usage{Input: 1000 * int64(in.N), Output: 200, CostUSD: 0.01 * float64(in.N), Calls: in.N}}
	if in.N > 3*answers {
		res.Calls = []activities.PlannedCall{{Line: "report"}}
		return res, nil
	}
	res.Calls = []activities.PlannedCall{{Line: "read_file calc.go", Read: true}, {Line: "search func Add", Read: true},
		{Line: "run_command go test ./..."}}
	return res, nil
}

// RunTools makes the calls. The one after the last answer ends the session.
func (s *actSteps) RunTools(ctx context.Context, in activities.RunInput) (activities.ActResult, error) {
	p := s.of(ctx)
	p.mu.Lock()
	open := p.opened[in.Session]
	p.mu.Unlock()
	if p.act != nil && in.Calls == 1 {
		if res, err := p.act(ctx, p, open, p.count("run "+string(open.Role))); res != nil || err != nil {
			if res != nil {
				res.Head = in.Head
				return *res, nil
			}
			return activities.ActResult{}, err
		}
	}
	res := activities.ActResult{Head: entryID(fmt.Sprint("results ", in.N)), Took: time.Second, Ended: in.N > 3*answers+1}
	for range in.Calls {
		res.Lines = append(res.Lines, "made")
	}
	return res, nil
}

// EndSession returns what the session has reported.
func (s *actSteps) EndSession(ctx context.Context, in activities.EndInput) (activities.SessionResult, error) {
	p := s.of(ctx)
	p.mu.Lock()
	open := p.opened[in.Session]
	p.mu.Unlock()
	res := well(open.SessionInput, p.plan)
	if in.Kind != agent.Completed {
		res = spent(in.Kind, in.Text)
	}
	res.Head = in.Head
	return res, nil
}

// entryID looks like the name of an entry of a conversation.
func entryID(of string) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:])
}
