package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// play is one performance of a branch.
type play struct {
	branch
	stage *stage
	run   client.WorkflowRun // of what is started, and at the end of what is kept
	first string             // id of its first run
	began chan task.Role     // of each session that starts

	mu     sync.Mutex
	done   map[string]int                  // how often each step has run
	opened map[string]activities.OpenInput // sessions of our own agent, by id
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
	if err := s.startHosts(ctx); err != nil {
		return nil, err
	}
	p := &play{branch: b, stage: s, began: make(chan task.Role, 64), done: map[string]int{}}
	if err := s.begin(ctx, p); err != nil {
		return nil, fmt.Errorf("start the %s: %w", p.flow, err)
	}
	var err error
	if b.drive != nil {
		err = b.drive(ctx, p)
	}
	if err == nil {
		err = p.end(ctx)
	}
	if b.followed { // the next one is to find its number free
		_ = s.client.TerminateWorkflow(ctx, pullID, "", "the recording is over")
	}
	return p, err
}

// begin starts the workflow. Nothing that it starts in turn finds its play before all of its names are known.
func (s *stage) begin(ctx context.Context, p *play) (err error) {
	s.plays.mu.Lock()
	defer s.plays.mu.Unlock()
	args := []any{}
	if p.flow == "" {
		p.flow, p.args = signals.CodingTask, taskInput
	}
	if p.args != nil {
		if args, err = p.args(p); err != nil {
			return err
		}
	}
	all := s.plays.byID
	all[p.name], all[pullID], all[issueID] = p, p, p
	p.run, err = s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: p.name, TaskQueue: signals.Queue}, p.flow, args...)
	if err != nil {
		return err
	}
	p.first = p.run.GetRunID()
	all[signals.ConversationID(p.first)] = p
	return nil
}

// taskInput puts the input of a CodingTask together.
func taskInput(p *play) ([]any, error) {
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
	return []any{raw}, nil
}

// end waits for the end of what is kept, which must be the one that the branch is about.
func (p *play) end(ctx context.Context) error {
	if p.endless {
		return p.stage.client.TerminateWorkflow(ctx, p.run.GetID(), "", "the recording is over")
	}
	if p.keep != nil {
		if err := p.run.Get(ctx, nil); err != nil {
			return fmt.Errorf("the task ended with: %w", err)
		}
		p.run = p.stage.client.GetWorkflow(ctx, p.keep(p.first), "")
		d, err := p.stage.client.DescribeWorkflowExecution(ctx, p.run.GetID(), "")
		if err != nil {
			return fmt.Errorf("find %s: %w", p.run.GetID(), err)
		}
		p.first = d.WorkflowExecutionInfo.FirstRunId
	}
	var s signals.Status
	var into any = &s
	if p.outcome == "" && p.fails == "" { // it gives no status
		into = nil
	}
	err := p.run.Get(ctx, into)
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
	if p.newest {
		p.first = p.run.GetRunID()
	}
	return nil
}

// set notes a number.
func (p *play) set(what string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done[what] = n
}

// update sends a request and waits for its answer. Its delivery id is the update's own, as the command line does it.
func (p *play) update(ctx context.Context, name string, request interface{ Envelope() signals.Message }) error {
	return p.updateAs(ctx, name, request.Envelope().ID, request)
}

func (p *play) updateAs(ctx context.Context, name, id string, request any) error {
	h, err := p.stage.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: p.run.GetID(), UpdateName: name,
		UpdateID: id, Args: []any{request}, WaitForStage: client.WorkflowUpdateStageCompleted})
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
