package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// play is one performance of a branch.
type play struct {
	branch
	stage *stage
	run   client.WorkflowRun
	began chan task.Role // of each session that starts

	mu   sync.Mutex
	done map[string]int // how often each step has run
}

// count counts a step, and gives how often it has run.
func (p *play) count(step string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done[step]++
	return p.done[step]
}

// counted gives how often a step has run.
func (p *play) counted(step string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done[step]
}

// play performs a branch to its end and checks how it ended.
func (s *stage) play(ctx context.Context, b branch) (*play, error) {
	p := &play{branch: b, stage: s, began: make(chan task.Role, 64), done: map[string]int{}}
	s.mu.Lock()
	s.plays[b.name] = p
	s.mu.Unlock()
	input, err := p.begin()
	if err != nil {
		return nil, err
	}
	p.run, err = s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: b.name, TaskQueue: signals.Queue}, signals.CodingTask, input)
	if err != nil {
		return nil, fmt.Errorf("start the task: %w", err)
	}
	if b.drive != nil {
		if err := b.drive(ctx, p); err != nil {
			return nil, err
		}
	}
	return p, p.end(ctx)
}

// begin puts the input together.
func (p *play) begin() (json.RawMessage, error) {
	in := `{"repository":"acme/calc","task":"fix Add and write Mul"`
	if p.input != "" {
		in += "," + p.input
	}
	if p.config != "" {
		in += `,"config":` + p.config
	}
	raw := json.RawMessage(in + "}")
	if !json.Valid(raw) {
		return nil, fmt.Errorf("the input is not JSON: %s", raw)
	}
	return raw, nil
}

// end waits for the end of the task, which must be the one that the branch is about.
func (p *play) end(ctx context.Context) error {
	var s signals.Status
	err := p.run.Get(ctx, &s)
	var app *temporal.ApplicationError
	switch {
	case p.fails != "":
		if !errors.As(err, &app) || app.Type() != string(p.fails) {
			return fmt.Errorf("the task ended with %v, want %s", err, p.fails)
		}
		return nil
	case p.outcome == task.Cancelled:
		if !temporal.IsCanceledError(err) {
			return fmt.Errorf("the task ended with %v, want cancelled", err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("the task ended with: %w", err)
	case s.Outcome != p.outcome:
		return fmt.Errorf("the task ended with %s (%s), want %s", s.Outcome, s.Detail, p.outcome)
	}
	return nil
}

// update sends a request and waits for its answer. Its delivery id is the update's own, as the command line does it.
func (p *play) update(ctx context.Context, name string, request interface{ Envelope() signals.Message }) error {
	h, err := p.stage.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: p.run.GetID(), UpdateName: name,
		UpdateID: request.Envelope().ID, Args: []any{request}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = h.Get(ctx, nil)
	}
	if err != nil {
		return fmt.Errorf("update %s: %w", name, err)
	}
	return nil
}

func (p *play) signal(ctx context.Context, name string, payload any) error {
	if err := p.stage.client.SignalWorkflow(ctx, p.run.GetID(), "", name, payload); err != nil {
		return fmt.Errorf("signal %s: %w", name, err)
	}
	return nil
}

// of finds the play that an activity belongs to.
func (s *stage) of(ctx context.Context) *play {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plays[activity.GetInfo(ctx).WorkflowExecution.ID]
}
